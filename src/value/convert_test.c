#include "value/convert.h"

#include "table_test.h"
#include "value/convert_types_private.h"

/* The detail starts with the path, if there is one. */
static const char *check_error(struct arena *a, const struct diags *diags, struct str message, struct str path)
{
    if (diags->n != 1)
        return "not one diagnostic";
    struct str detail = path.n > 0 ? arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(path), STR_ARG(message)) : message;
    if (!str_eq(diags->v[0].detail, detail))
        return arena_printf(a, "wrong message: " STR_FMT, STR_ARG(diags->v[0].detail)).p;
    return str_eq(path_text(a, diags->v[0].path), path) ? NULL : "wrong path";
}

static const char *check_convert(struct arena *a, const struct json *row)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = notation_value(a, json_get(row, "value"));
    const struct type *t = notation_type(a, json_get(row, "type"));
    const struct value *got = value_convert(a, v, t, PATH_ROOT, &diags);
    if (json_get(row, "error"))
        return got ? "converted" : check_error(a, &diags, json_get(row, "error")->text, json_get(row, "path")->text);
    if (!got)
        return arena_printf(a, "failed: " STR_FMT, STR_ARG(diags.v[0].detail)).p;
    const struct value *want = notation_value(a, json_get(row, "result"));
    if (!type_eq(got->type, want->type))
        return arena_printf(a, "of type " STR_FMT, STR_ARG(type_to_json(a, got->type))).p;
    return value_raw_eq(got, want) ? NULL : "another value";
}

static void values_are_converted_as_by_terraform(void **state)
{
    (void)state;
    run_table("convert.jsonl", NULL, check_convert);
}

static const char *check_unify(struct arena *a, const struct json *row)
{
    const struct json *types = json_get(row, "types");
    const struct type **list = arena_make_n(a, const struct type *, types->array.n);
    for (size_t i = 0; i < types->array.n; i++)
        list[i] = notation_type(a, types->array.items[i]);
    const struct type *got = unify_types(a, list, types->array.n, true);
    if (json_get(row, "none"))
        return got ? arena_printf(a, "unified to " STR_FMT, STR_ARG(type_to_json(a, got))).p : NULL;
    if (!got)
        return "not unified";
    return type_eq(got, notation_type(a, json_get(row, "result")))
               ? NULL
               : arena_printf(a, "unified to " STR_FMT, STR_ARG(type_to_json(a, got))).p;
}

static void types_are_unified_as_by_terraform(void **state)
{
    (void)state;
    run_table("unify.jsonl", NULL, check_unify);
}

static void the_path_of_an_error_starts_where_the_caller_says(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = notation_parse(a, "{\"$list\":\"string\",\"of\":[\"1\",\"x\"]}");
    struct path at = path_attr(a, PATH_ROOT, STR("ports"));
    assert_null(value_convert(a, v, type_list(a, &type_number), at, &diags));
    assert_int_equal(diags.n, 1);
    assert_string_equal(diags.v[0].detail.p, "ports[1]: a number is required");
    assert_string_equal(diags.v[0].summary.p, "Inappropriate value");
    assert_int_equal(diags.v[0].path.n, 2);
    assert_int_equal(diags.v[0].path.steps[1].index, 1);
}

static void an_element_of_a_set_is_named_by_itself(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = notation_parse(a, "{\"$set\":\"string\",\"of\":[\"1\",\"x\"]}");
    assert_null(value_convert(a, v, type_set(a, &type_number), PATH_ROOT, &diags));
    assert_int_equal(diags.v[0].path.n, 1);
    assert_int_equal(diags.v[0].path.steps[0].kind, PATH_ELEMENT);
    assert_ptr_equal(diags.v[0].path.steps[0].element, v->elements[1]);
}

static void many_elements_of_few_types_unify_quickly(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    enum { N = 200000 };
    struct diags diags;
    diags_init(&diags, a);
    const struct value **v = arena_make_n(a, const struct value *, N);
    for (size_t i = 0; i < N; i++)
        v[i] = i % 2 == 0 ? value_int(a, (int64_t)i) : value_bool(a, true);
    v[7] = value_string(a, STR("x"));
    const struct value *list = value_convert(a, value_tuple(a, v, N), type_list(a, &type_dynamic), PATH_ROOT, &diags);
    assert_non_null(list);
    assert_int_equal(list->n, N);
    assert_true(type_eq(list->type->element, &type_string));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_converted_as_by_terraform),
        cmocka_unit_test(types_are_unified_as_by_terraform),
        cmocka_unit_test(the_path_of_an_error_starts_where_the_caller_says),
        cmocka_unit_test(an_element_of_a_set_is_named_by_itself),
        cmocka_unit_test(many_elements_of_few_types_unify_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
