/*
 * testdata/check.json: providers with the violations of each ("path: words of the message").
 *
 * For resources, data sources, ephemeral resources and functions the verdicts are those of Terraform 1.11.
 */
#include "schema/schema_check.h"

#include "schema/testing_schema.h"

static const struct provider_schema *read_members(struct arena *a, const struct json *provider)
{
    struct json_member inner = {.key = STR("test"), .value = provider};
    struct json_member outer[] = {
        {.key = STR("format_version"), .value = json_make_string(a, STR("1.0"))},
        {.key = STR("provider_schemas"), .value = json_make_object(a, &inner, 1)},
    };
    return testing_read(a, json_make_object(a, outer, 2));
}

static bool matches(struct arena *a, const struct diag *diag, struct str expected)
{
    size_t colon = str_find(expected, ':', 0);
    struct str path = str_slice(expected, 0, colon), words = str_trim(str_slice(expected, colon + 1, expected.n));
    return str_eq(path_text(a, diag->path), path) && strstr(diag->detail.p, arena_str(a, words).p);
}

static void every_violation_of_the_table_is_found_and_nothing_else(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *table = testing_json(a, testing_file(a, "check.json"));
    assert_true(table->array.n > 50);
    for (size_t i = 0; i < table->array.n; i++) {
        const struct json *row = table->array.items[i], *found = json_get(row, "found");
        struct diags diags;
        diags_init(&diags, a);
        bool ok = provider_schema_check(read_members(a, json_get(row, "provider")), &diags);
        struct str name = json_text(json_get(row, "name"), STR_EMPTY);
        if (ok != (found->array.n == 0) || diags.n != found->array.n)
            fail_msg(STR_FMT ": %zu expected, but said:\n%s", STR_ARG(name), found->array.n, testing_said(&diags));
        for (size_t k = 0; k < diags.n; k++)
            if (!matches(a, &diags.v[k], found->array.items[k]->text))
                fail_msg(STR_FMT ": said:\n%s", STR_ARG(name), testing_said(&diags));
    }
}

static void the_message_names_what_it_is_about(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct provider_schema *s =
        testing_provider(a, "{\"data_source_schemas\":{\"d_x\":{\"block\":{\"attributes\":{\"a\":{\"type\":\"bool\"}}}}}}");
    assert_false(provider_schema_check(s, &diags));
    assert_non_null(strstr(diags.v[0].detail.p, "Data source \"d_x\" has an attribute"));
    const struct schema *d = map_get(&s->data_sources, STR("d_x"));
    assert_false(schema_check(d, STR("This block"), &diags));
    assert_non_null(strstr(diags.v[1].detail.p, "This block has an attribute"));
}

static void more_violations_than_the_limit_are_counted(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (int i = 0; i < SCHEMA_CHECK_MAX + 7; i++)
        buf_printf(&text, "%s\"a%d\":{\"type\":\"bool\"}", i > 0 ? "," : "{\"attributes\":{", i);
    buf_addz(&text, "}}");
    struct schema s = {.block = testing_block(a, buf_copy(&text, a).p)};
    struct diags diags;
    diags_init(&diags, a);
    assert_false(schema_check(&s, STR("It"), &diags));
    assert_int_equal(diags.n, SCHEMA_CHECK_MAX + 1);
    assert_non_null(strstr(diags.v[SCHEMA_CHECK_MAX].detail.p, "7 more"));
}

/* The path of the bad name in a type called `type` with this block. */
static void bad_name_is(struct str type, const char *block, const char *expected)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s =
        testing_provider(a, arena_printf(a, "{\"resource_schemas\":{\"x\":{\"block\":%s}}}", block).p);
    struct str path = STR("none");
    bool bad = schema_bad_name(a, type, map_get(&s->resources, STR("x")), &path);
    if (bad != (expected != NULL) || (bad && !str_eqz(path, expected)))
        fail_msg(STR_FMT " %s: \"" STR_FMT "\"", STR_ARG(type), block, STR_ARG(path));
}

static void a_name_that_the_language_cannot_write_is_found_wherever_it_is(void **state)
{
    (void)state;
#define TEXT "{\"type\":\"string\",\"optional\":true}"
    bad_name_is(STR("x_y"), "{\"attributes\":{\"a\":" TEXT ",\"B-c\":" TEXT ",\"2fa\":" TEXT "}}", NULL);
    bad_name_is(STR("x\ny"), "{}", "");
    bad_name_is(STR("1x"), "{}", "");
    bad_name_is(STR(""), "{}", "");
    bad_name_is(STR("x"), "{\"attributes\":{\"a b\":" TEXT "}}", "a b");
    bad_name_is(
        STR("x"),
        "{\"attributes\":{\"a\":{\"optional\":true,\"nested_type\":{\"nesting_mode\":\"list\",\"attributes\":{\"*/\":" TEXT
        "}}}}}",
        "a.*/");
    bad_name_is(STR("x"), "{\"block_types\":{\"b`\":{\"nesting_mode\":\"list\",\"block\":{}}}}", "b`");
    bad_name_is(STR("x"), "{\"block_types\":{\"b\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"c\\\"\":" TEXT "}}}}}",
                "b.c\"");
    bad_name_is(STR("x"), "{\"attributes\":{\"a\":{\"optional\":true,\"type\":[\"object\",{\"any key\":\"string\"}]}}}", NULL);
#undef TEXT
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_violation_of_the_table_is_found_and_nothing_else),
        cmocka_unit_test(the_message_names_what_it_is_about),
        cmocka_unit_test(a_name_that_the_language_cannot_write_is_found_wherever_it_is),
        cmocka_unit_test(more_violations_than_the_limit_are_counted),
    };
    return cmocka_run_group_tests_name("schema_check", tests, NULL, NULL);
}
