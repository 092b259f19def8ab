#include "value/type.h"

#include "table_test.h"

static const struct type *parse(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_parse(a, text, &diags);
    assert_int_equal(t == NULL, diags_has_errors(&diags));
    return t;
}

static const char *check_form(struct arena *a, const struct json *row)
{
    const struct type *t = parse(a, json_get(row, "in")->text);
    if (json_get(row, "error"))
        return t ? "accepted" : NULL;
    if (!t)
        return "refused";
    if (!str_eq(type_to_json(a, t), json_get(row, "out")->text))
        return "wrong JSON";
    if (!str_eq(type_to_json(a, t->plain), json_get(row, "plain")->text))
        return "wrong plain type";
    if (!str_eq(type_friendly(a, t), json_get(row, "friendly")->text))
        return "wrong name";
    if (!str_eq(type_friendly_constraint(a, t), json_get(row, "constraint")->text))
        return "wrong name as a constraint";
    if (t->has_dynamic != json_get(row, "dynamic")->boolean)
        return "wrong has_dynamic";
    if (t->plain->plain != t->plain)
        return "plain is not plain";
    return type_eq(type_copy(a, t), t) ? NULL : "the copy differs";
}

static void types_are_read_written_and_named_as_by_terraform(void **state)
{
    (void)state;
    run_table("type.jsonl", "in", check_form);
}

static const char *check_relation(struct arena *a, const struct json *row)
{
    const struct type *x = notation_type(a, json_get(row, "a")), *y = notation_type(a, json_get(row, "b"));
    if (type_eq(x, y) != json_get(row, "eq")->boolean)
        return "wrong equality";
    return type_conforms(x, y) == json_get(row, "conforms")->boolean ? NULL : "wrong conformance";
}

static void types_are_compared_as_by_terraform(void **state)
{
    (void)state;
    run_table("type.jsonl", "eq", check_relation);
}

static void nesting_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (int depth = TYPE_MAX_DEPTH; depth <= TYPE_MAX_DEPTH + 1; depth++) {
        struct buf text BUF_AUTO = BUF_INIT(1 << 20);
        for (int i = 0; i < depth; i++)
            buf_addz(&text, "[\"list\",");
        buf_addz(&text, "\"string\"");
        for (int i = 0; i < depth; i++)
            buf_addc(&text, ']');
        assert_int_equal(parse(a, buf_str(&text)) != NULL, depth == TYPE_MAX_DEPTH);
    }
}

static void attributes_are_found_by_name(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct type_attr attrs[] = {{.name = STR("b"), .type = &type_bool},
                                {.name = STR("a"), .type = &type_string},
                                {.name = STR("c"), .type = &type_number, .optional = true}};
    const struct type *t = type_object(a, attrs, 3);
    assert_int_equal(type_attr_find(t, STR("a")), 0);
    assert_int_equal(type_attr_find(t, STR("b")), 1);
    assert_int_equal(type_attr_find(t, STR("c")), 2);
    assert_true(type_attr_find(t, STR("d")) == SIZE_MAX);
    assert_ptr_not_equal(t->plain, t);
    assert_false(type_eq(t, t->plain));
    assert_true(type_conforms(t, t->plain) && type_conforms(t->plain, t));
}

static void names_are_normalised(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct type *t = parse(a, STR("[\"object\",{\"e\xcc\x81\":\"string\"}]"));
    assert_non_null(t);
    assert_true(type_attr_find(t, STR("\xc3\xa9")) == 0);
    assert_null(parse(a, STR("[\"object\",{\"e\xcc\x81\":\"string\",\"\xc3\xa9\":\"string\"}]")));
    assert_null(parse(a, STR("[\"object\",{\"a\":\"string\"},[\"b\"]]")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_read_written_and_named_as_by_terraform),
        cmocka_unit_test(types_are_compared_as_by_terraform),
        cmocka_unit_test(nesting_beyond_the_limit_is_refused),
        cmocka_unit_test(attributes_are_found_by_name),
        cmocka_unit_test(names_are_normalised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
