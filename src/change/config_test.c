#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    struct diags diags;
    diags_init(&diags, c->arena);
    const struct json *config = json_get(c->row, "config"), *unknown = json_get(c->row, "unknown");
    if (!change_config_fits(config, unknown))
        return "the unknown places do not fit";
    const struct value *v = change_config_read(c->arena, c->schema, config, unknown, &diags);
    const char *problem = agree_diagnostics(c, &diags);
    if (!problem && !v != (diags.n > 0))
        problem = "the answer and the diagnostics disagree";
    return problem || !v ? problem : agree_value(c, v, "result");
}

static void configurations_are_read_as_core_reads_them(void **state)
{
    (void)state;
    run_rule("config.jsonl", "config", check);
}

static void wrong_configurations_are_told_as_terraform_tells_them(void **state)
{
    (void)state;
    run_rule("config_terraform.jsonl", "config", check);
}

static const char schema_text[] =
    "{\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true},\"size\":{\"type\":\"number\",\"optional\":true}},"
    "\"block_types\":{\"b\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"x\":{\"type\":\"string\","
    "\"required\":true}}}},\"m\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"x\":{\"type\":\"string\","
    "\"optional\":true}}}},\"o\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{\"x\":{\"type\":\"string\","
    "\"optional\":true}}}}}}";

static const struct value *read(struct arena *a, const char *config, const char *unknown, struct diags *diags)
{
    diags_init(diags, a);
    return change_config_read(a, testing_schema(a, schema_text), testing_json(a, str_of(config)),
                              unknown ? testing_json(a, str_of(unknown)) : NULL, diags);
}

static void findings_come_in_the_order_of_the_text(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    assert_null(read(a, "{\"zzzz\":1,\"b\":[{\"x\":[]},{}],\"size\":\"x\"}", NULL, &diags));
    static const char *const want[] = {"zzzz", "b[0].x", "b[1]", "b[1]", "size", ""};
    assert_int_equal(diags.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < diags.n; i++)
        assert_string_equal(path_text(a, diags.v[i].path).p, want[i]);
    assert_string_equal(diags.v[5].summary.p, "Missing required argument");
}

/* Such a schema breaks a rule of Terraform, which the schema checks report; the configuration is read all the same. */
static void blocks_of_a_set_must_have_one_type(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a, "{\"block_types\":{\"b\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"x\":{\"type\":\"dynamic\","
           "\"optional\":true}}}}}}");
    struct diags diags;
    diags_init(&diags, a);
    assert_non_null(change_config_read(a, s, testing_json(a, STR("{\"b\":[{\"x\":1},{\"x\":2}]}")), NULL, &diags));
    assert_null(change_config_read(a, s, testing_json(a, STR("{\"b\":[{\"x\":1},{\"x\":[]}]}")), NULL, &diags));
    assert_string_equal(diags.v[0].summary.p, "Unconsistent argument types in b blocks");
}

static void blocks_can_be_unknown_as_a_whole(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    const struct value *v =
        read(a, "{\"name\":\"a\",\"b\":[{\"x\":\"1\"}]}", "{\"b\":[false,true],\"m\":true,\"o\":true}", &diags);
    assert_non_null(v);
    assert_false(value_is_known(value_get(v, STR("b"))));
    assert_false(value_is_known(value_get(v, STR("m"))));
    assert_false(value_is_known(value_get(v, STR("o"))));
}

static void a_block_of_a_map_can_be_unknown(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    const struct value *v = read(a, "{\"name\":\"a\",\"m\":{\"k\":{}}}", "{\"m\":{\"l\":true}}", &diags);
    assert_non_null(v);
    assert_false(value_is_known(value_get(v, STR("m"))));
}

static void what_is_set_twice_says_where_it_was_set(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    assert_null(read(a, "{\"name\":\"a\",\"o\":[{},{}],\"b\":[[{\"x\":\"1\"},{\"x\":\"2\"}]]}", NULL, &diags));
    assert_int_equal(diags.n, 2);
    assert_string_equal(diags.v[0].detail.p, "Only one block of type \"o\" is allowed. Previous definition was at o[0].");
    assert_string_equal(diags.v[1].detail.p, "The argument \"x\" was already set at b[0][0].x.");
}

static void values_that_have_no_form_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    assert_null(read(a, "{\"name\":\"a\",\"size\":1e99999}", NULL, &diags));
    assert_string_equal(diags.v[0].detail.p,
                        "Inappropriate value for attribute \"size\": a number of such a size cannot be represented.");
    assert_null(read(a, "{\"name\":{\"a\":[1e99999]}}", NULL, &diags));
    assert_int_equal(diags.n, 1);
}

/* Names are normalised, so two names can become equal: the first one counts, and the rest is checked as usual. */
static void a_name_that_stands_twice_in_an_object_is_told(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    assert_null(read(a, "{\"name\":[{\"e\\u0301\":1,\"\\u00e9\":2}]}", NULL, &diags));
    assert_int_equal(diags.n, 2);
    assert_string_equal(diags.v[0].detail.p, "Inappropriate value for attribute \"name\": string required.");
    assert_string_equal(diags.v[1].summary.p, "Duplicate object attribute");
    assert_string_equal(diags.v[1].detail.p, "An attribute named \"\xc3\xa9\" was already defined at name[0][\"e\xcc\x81\"].");
    assert_string_equal(path_text(a, diags.v[1].path).p, "name[0][\"\xc3\xa9\"]");
}

/* A parser does not accept such text, but a tree need not come from a parser. */
static void text_must_be_utf8(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct json_member name = {.key = STR("name"), .value = json_make_string(a, STR("\xff"))};
    struct diags diags;
    diags_init(&diags, a);
    assert_null(change_config_read(a, testing_schema(a, schema_text), json_make_object(a, &name, 1), NULL, &diags));
    assert_string_equal(diags.v[0].detail.p, "Inappropriate value for attribute \"name\": text must be UTF-8.");
}

static void unknown_places_must_fit_the_configuration(void **state)
{
    (void)state;
    static const struct {
        const char *config, *unknown;
        bool fits;
    } rows[] = {
        {"{}", "{\"a\":true}", true},
        {"{\"a\":1}", "{\"a\":true}", true},
        {"{\"a\":1}", "{\"a\":{\"b\":true}}", false},
        {"{\"a\":{\"b\":1}}", "{\"a\":{\"b\":true}}", true},
        {"{\"a\":[1]}", "{\"a\":{}}", false},
        {"{\"a\":[1]}", "{\"a\":[false,true]}", true},
        {"{\"a\":[1]}", "{\"a\":[[]]}", false},
        {"{\"a\":null}", "{\"a\":[{\"b\":[]}]}", true},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(change_config_fits(testing_json(a, str_of(rows[i].config)), testing_json(a, str_of(rows[i].unknown))),
                         rows[i].fits);
    assert_true(change_config_fits(testing_json(a, STR("{}")), NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_are_read_as_core_reads_them),
        cmocka_unit_test(wrong_configurations_are_told_as_terraform_tells_them),
        cmocka_unit_test(findings_come_in_the_order_of_the_text),
        cmocka_unit_test(blocks_of_a_set_must_have_one_type),
        cmocka_unit_test(blocks_can_be_unknown_as_a_whole),
        cmocka_unit_test(a_block_of_a_map_can_be_unknown),
        cmocka_unit_test(what_is_set_twice_says_where_it_was_set),
        cmocka_unit_test(values_that_have_no_form_are_refused),
        cmocka_unit_test(a_name_that_stands_twice_in_an_object_is_told),
        cmocka_unit_test(text_must_be_utf8),
        cmocka_unit_test(unknown_places_must_fit_the_configuration),
    };
    return cmocka_run_group_tests_name("change/config", tests, NULL, NULL);
}
