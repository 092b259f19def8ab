#include "change/testing_tables.h"
#include "change/walk_private.h"

static const char schema_text[] =
    "{\"attributes\":{\"a\":{\"type\":[\"map\",\"string\"],\"optional\":true},\"n\":{\"optional\":true,\"nested_type\":{"
    "\"nesting_mode\":\"list\",\"attributes\":{\"x\":{\"type\":\"string\",\"optional\":true}}}}},\"block_types\":{\"b\":{"
    "\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"y\":{\"type\":\"string\",\"optional\":true}}}}}}";

static void a_path_leads_to_an_attribute_or_to_none(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name; /* NULL: none */
    } rows[] = {
        {"[\"a\"]", "a"},      {"[\"a\",[\"k\"]]", NULL},  {"[\"a\",\"k\"]", NULL},     {"[\"n\"]", "n"},
        {"[\"n\",[0]]", NULL}, {"[\"n\",[0],\"x\"]", "x"}, {"[\"n\",[0],\"z\"]", NULL}, {"[\"b\"]", NULL},
        {"[\"b\",[0]]", NULL}, {"[\"b\",[0],\"y\"]", "y"}, {"[\"z\"]", NULL},           {"[]", NULL},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct schema_attr *attr = attr_by_path(s, testing_path(a, testing_json(a, str_of(rows[i].path))));
        assert_int_equal(!!attr, !!rows[i].name);
        if (attr)
            assert_true(str_eqz(attr->name, rows[i].name));
    }
}

static void paths_look_as_in_the_language_and_as_in_go(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path path = testing_path(a, testing_json(a, STR("[\"a\",[\"k\\\"\\n\"],[0],{},\"b\"]")));
    assert_string_equal(change_path_text(a, path).p, ".a[\"k\\\"\\n\"][0][...].b");
    assert_string_equal(change_path_go_text(a, path).p,
                        "cty.Path{cty.GetAttrStep{Name:\"a\"}, cty.IndexStep{Key:cty.StringVal(\"k\\\"\\n\")}, "
                        "cty.IndexStep{Key:cty.NumberIntVal(0)}, cty.IndexStep{Key:...}, cty.GetAttrStep{Name:\"b\"}}");
    struct change_issue issue = {PATH_ROOT, STR("was present, but now absent")};
    assert_string_equal(change_issue_text(a, STR("aws_vpc.this"), &issue).p, "aws_vpc.this: was present, but now absent");
}

static void a_mismatch_is_told_in_the_older_words(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(plain_mismatch(a, STR("element 0: string required, but have tuple")).p, "element 0: string required");
    assert_string_equal(plain_mismatch(a, STR("list of dynamic required, but have bool")).p, "list of any single type required");
    assert_string_equal(plain_mismatch(a, STR("a number is required")).p, "a number is required");
}

/* Elements that got different types through DYNAMIC cannot be in one list; the old value stays. */
static void elements_of_other_types_are_not_put_together(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct value *texts[] = {value_string(a, STR("a")), value_string(a, STR("b"))};
    const struct value *mixed[] = {value_int(a, 1), texts[1]};
    const struct value *list = value_list(a, &type_string, texts, 2), *tuple = value_tuple(a, texts, 2);
    assert_ptr_equal(with_elements(a, list, mixed), list);
    assert_true(value_raw_eq(with_elements(a, tuple, mixed), value_tuple(a, mixed, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_leads_to_an_attribute_or_to_none),
        cmocka_unit_test(paths_look_as_in_the_language_and_as_in_go),
        cmocka_unit_test(a_mismatch_is_told_in_the_older_words),
        cmocka_unit_test(elements_of_other_types_are_not_put_together),
    };
    return cmocka_run_group_tests_name("change/walk", tests, NULL, NULL);
}
