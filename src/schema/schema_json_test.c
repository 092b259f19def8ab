/*
 * testdata/features.json is one provider that uses every feature; features.PROGRAM.json is what that program printed for it.
 */
#include "schema/schema_json.h"

#include "schema/testing_schema.h"

#define ORACLE STR("registry.example.org/oracle/oracle")

static void assert_same_json(struct arena *a, struct str text, struct str expected, const char *what)
{
    if (!json_eq(testing_json(a, text), testing_json(a, expected)))
        fail_msg("%s differs:\n%.*s", what, STR_ARG(text));
}

static void all_that_there_is_comes_back(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = testing_file(a, "features.json");
    const struct provider_schema *s = testing_read(a, testing_json(a, text));
    assert_same_json(a, testing_write(a, s, ORACLE, STR_EMPTY, SCHEMA_JSON_ALL), text, "all");
}

static void each_program_prints_its_own_form(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s = testing_read(a, testing_json(a, testing_file(a, "features.json")));
    static const char *const programs[] = {"terraform-1.11", "terraform-1.14", "tofu-1.10", "tofu-1.12"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        enum schema_json_form form;
        assert_true(schema_json_form_named(str_of(programs[i]), &form));
        struct str expected = testing_file(a, arena_printf(a, "features.%s.json", programs[i]).p);
        assert_same_json(a, testing_write(a, s, ORACLE, STR_EMPTY, form), expected, programs[i]);
    }
}

static void members_come_in_the_order_of_the_programs(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s = testing_provider(
        a, "{\"functions\":{\"f\":{\"return_type\":\"bool\",\"parameters\":[{\"type\":\"bool\",\"name\":\"p\",\"is_nullable\":"
           "true}]}},"
           "\"resource_schemas\":{\"r\":{\"block\":{\"deprecated\":true,\"block_types\":{\"b\":{\"max_items\":2,\"min_items\":1,"
           "\"nesting_mode\":\"list\"}},\"attributes\":{\"x\":{\"write_only\":true,\"sensitive\":true,\"computed\":true,"
           "\"optional\":true,\"required\":true,\"deprecated\":true,\"description\":\"d\",\"type\":\"string\"}}}}}}");
    assert_string_equal(
        testing_write(a, s, STR("h/n/t"), STR_EMPTY, SCHEMA_JSON_TERRAFORM_1_11).p,
        "{\"format_version\":\"1.0\",\"provider_schemas\":{\"h/n/"
        "t\":{\"provider\":{\"version\":0,\"block\":{\"description_kind\":\"plain\"}},"
        "\"resource_schemas\":{\"r\":{\"version\":0,\"block\":{\"attributes\":{\"x\":{\"type\":\"string\",\"description\":\"d\","
        "\"description_kind\":\"plain\",\"deprecated\":true,\"required\":true,\"optional\":true,\"computed\":true,\"sensitive\":"
        "true,"
        "\"write_only\":true}},\"block_types\":{\"b\":{\"nesting_mode\":\"list\",\"block\":{\"description_kind\":\"plain\"},"
        "\"min_items\":1,\"max_items\":2}},\"description_kind\":\"plain\",\"deprecated\":true}}},"
        "\"functions\":{\"f\":{\"return_type\":\"bool\",\"parameters\":[{\"name\":\"p\",\"is_nullable\":true,\"type\":\"bool\"}]}"
        "}}}}");
}

static void a_provider_without_anything_prints_its_block_only(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(testing_write(a, testing_provider(a, "{}"), STR("t"), STR_EMPTY, SCHEMA_JSON_ALL).p,
                        "{\"format_version\":\"1.0\",\"provider_schemas\":{\"t\":{\"provider\":{\"version\":0,\"block\":"
                        "{\"description_kind\":\"plain\"}}}}}");
}

static void nulls_and_unknown_members_are_skipped(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s =
        testing_provider(a, "{\"provider\":null,\"functions\":null,\"future_schemas\":[1],\"resource_schemas\":{\"r\":{\"block\":"
                            "{\"attributes\":null,\"future\":{},\"description\":null}}}}");
    assert_int_equal(s->resources.n, 1);
    assert_int_equal(s->functions.n, 0);
}

static void one_name_is_printed_wherever_it_stands(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s = testing_read(a, testing_json(a, testing_file(a, "features.json")));
    struct str text = testing_write(a, s, STR("t"), STR("oracle_empty"), SCHEMA_JSON_ALL);
    assert_string_equal(text.p, "{\"format_version\":\"1.0\",\"provider_schemas\":{\"t\":{\"resource_schemas\":{\"oracle_empty\":"
                                "{\"version\":0,\"block\":{\"description_kind\":\"plain\"}}},\"resource_identity_schemas\":"
                                "{\"oracle_empty\":{\"version\":0}}}}}");
    text = testing_write(a, s, STR("t"), STR("no_such"), SCHEMA_JSON_ALL);
    assert_string_equal(text.p, "{\"format_version\":\"1.0\",\"provider_schemas\":{\"t\":{}}}");
}

static void malformed_documents_are_refused_with_place_and_position(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *table = testing_json(a, testing_file(a, "malformed.json"));
    assert_true(table->array.n > 20);
    for (size_t i = 0; i < table->array.n; i++) {
        const struct json *row = table->array.items[i], *want = json_get(row, "want");
        struct str name = json_text(json_get(row, "name"), STR_EMPTY);
        const struct json *document = testing_json(a, json_text(json_get(row, "text"), STR_EMPTY));
        struct diags diags;
        diags_init(&diags, a);
        if (schema_read_document(a, document, STR_EMPTY, NULL, &diags) || diags.n != 1)
            fail_msg(STR_FMT ": not refused with one message", STR_ARG(name));
        for (size_t k = 0; k < want->array.n; k++)
            if (!strstr(testing_said(&diags), arena_str(a, want->array.items[k]->text).p))
                fail_msg(STR_FMT ": said:\n%s", STR_ARG(name), testing_said(&diags));
    }
}

static void a_provider_is_chosen_by_the_end_of_its_address(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *document = testing_json(
        a, STR("{\"format_version\":\"1.0\",\"provider_schemas\":{\"r.io/one/aws\":{\"provider\":{\"version\":1}},"
               "\"r.io/two/aws\":{\"provider\":{\"version\":2}},\"r.io/two/myaws\":{\"provider\":{\"version\":3}}}}"));
    static const struct {
        const char *address;
        int64_t version; /* 0: not found or not one */
        const char *says;
    } cases[] = {
        {"one/aws", 1, NULL},
        {"r.io/two/aws", 2, NULL},
        {"myaws", 3, NULL},
        {"two/myaws", 3, NULL},
        {"aws", 0, "More than one"},
        {"ws", 0, "No such provider"},
        {"three/aws", 0, "r.io/one/aws"},
        {"", 0, "More than one"},
        {"x/r.io/two/myaws", 0, "No such provider"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct str full = STR("untouched");
        const struct provider_schema *s = schema_read_document(a, document, str_of(cases[i].address), &full, &diags);
        assert_int_equal(s ? s->provider->version : 0, cases[i].version);
        assert_true(str_ends(full, s ? str_of(cases[i].address) : STR("untouched")));
        assert_true(!cases[i].says || strstr(testing_said(&diags), cases[i].says));
    }
}

static void programs_are_known_by_name_and_version(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum schema_json_form form;
    } known[] = {
        {"terraform-1.8.5", SCHEMA_JSON_TERRAFORM_1_8},
        {"terraform-1.11.4", SCHEMA_JSON_TERRAFORM_1_11},
        {"terraform-1.13", SCHEMA_JSON_TERRAFORM_1_12},
        {"terraform-1.14.9", SCHEMA_JSON_TERRAFORM_1_14},
        {"terraform-1.99.0-beta1", SCHEMA_JSON_TERRAFORM_1_15},
        {"tofu-1.6", SCHEMA_JSON_TOFU_1_7},
        {"tofu-1.10.6", SCHEMA_JSON_TOFU_1_7},
        {"tofu-1.11", SCHEMA_JSON_TOFU_1_11},
        {"tofu-1.12.6", SCHEMA_JSON_TOFU_1_12},
    };
    enum schema_json_form form = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(schema_json_form_named(str_of(known[i].name), &form));
        assert_int_equal(form, known[i].form);
    }
    static const char *const unknown[] = {"", "terraform", "tofu-", "tofu-2.0", "terraform-1", "pulumi-1.1", "terraform-1.x"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(schema_json_form_named(str_of(unknown[i]), &form));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_there_is_comes_back),
        cmocka_unit_test(each_program_prints_its_own_form),
        cmocka_unit_test(members_come_in_the_order_of_the_programs),
        cmocka_unit_test(a_provider_without_anything_prints_its_block_only),
        cmocka_unit_test(nulls_and_unknown_members_are_skipped),
        cmocka_unit_test(one_name_is_printed_wherever_it_stands),
        cmocka_unit_test(malformed_documents_are_refused_with_place_and_position),
        cmocka_unit_test(a_provider_is_chosen_by_the_end_of_its_address),
        cmocka_unit_test(programs_are_known_by_name_and_version),
    };
    return cmocka_run_group_tests_name("schema_json", tests, NULL, NULL);
}
