/* Which attribute is the name of an object whose type has no id. */
#include "crossplane/name_field.h"

#include "crossplane/testing_crossplane.h"

#define COMPUTED(name) "\"" name "\":{\"type\":\"string\",\"computed\":true}"
#define REQUIRED(name) "\"" name "\":{\"type\":\"string\",\"required\":true}"
#define EITHER(name) "\"" name "\":{\"type\":\"string\",\"optional\":true,\"computed\":true}"

static const struct {
    const char *attrs, *field;
    bool repeats;
} cases[] = {
    {COMPUTED("arn") "," COMPUTED("kind_id") "," REQUIRED("name"), "kind_id", false},
    {COMPUTED("arn") "," COMPUTED("thing_kind_id") "," COMPUTED("other_id"), "thing_kind_id", false},
    {COMPUTED("arn") "," COMPUTED("identifier"), "identifier", false},
    {COMPUTED("arn") "," REQUIRED("name"), "arn", false},
    {COMPUTED("kind_arn") "," COMPUTED("role_arn") "," REQUIRED("name"), "kind_arn", false},
    {COMPUTED("created_at") "," REQUIRED("name") "," REQUIRED("domain"), "name", true},
    {EITHER("arn") "," EITHER("name"), "name", true},
    {REQUIRED("kind_name") "," REQUIRED("policy"), "kind_name", true},
    {REQUIRED("group_name") "," COMPUTED("state"), "group_name", true},
    {REQUIRED("left") "," REQUIRED("right") "," COMPUTED("state"), "", false},
    {"\"size\":{\"type\":\"number\",\"required\":true}", "", false},
    {"\"kind_id\":{\"type\":\"number\",\"computed\":true}," REQUIRED("name"), "kind_id", false},
    {"\"uuid\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}", "", false},
    {"\"name\":{\"type\":\"string\",\"optional\":true,\"write_only\":true}", "", false},
    {"\"name\":{\"type\":[\"list\",\"string\"],\"required\":true}", "", false},
};

static void fields(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct testing_kind t = testing_build(a, arena_printf(a, "{\"attributes\":{%s}}", cases[i].attrs).p, NULL, COMPAT_OWN);
        testing_no_errors(&t.diags);
        assert_true(t.kind.config.external_name.without_id);
        if (!str_eqz(t.kind.config.external_name.name_field, cases[i].field))
            fail_msg("%s: " STR_FMT, cases[i].attrs, STR_ARG(t.kind.config.external_name.name_field));
        assert_int_equal(t.kind.config.external_name.name_repeats, cases[i].repeats);
    }
}

/* An id, and what the configuration says, win. */
static void others_win(void **state)
{
    (void)state;
    static const struct {
        const char *attrs, *external_name, *field;
        bool without_id;
    } rows[] = {
        {COMPUTED("id") "," COMPUTED("arn"), "provider", "", false},
        {COMPUTED("arn") "," COMPUTED("url"), "{strategy: provider, name_field: url}", "url", false},
        {COMPUTED("arn") "," COMPUTED("url"), "{strategy: computed, field: url}", "", false},
        {COMPUTED("arn") "," REQUIRED("name"), "name", "name", true},
        {COMPUTED("arn") "," REQUIRED("bucket"), "{strategy: parameter, field: bucket}", "bucket", true},
        {COMPUTED("arn") "," REQUIRED("bucket"), "{strategy: parameter, field: bucket, prefix: p-}", "", true},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str yaml = arena_printf(a, "provider: x\nresources:\n  x_*: {external_name: %s}\n", rows[i].external_name);
        struct testing_kind t = testing_build(a, arena_printf(a, "{\"attributes\":{%s}}", rows[i].attrs).p, yaml.p, COMPAT_OWN);
        testing_no_errors(&t.diags);
        assert_int_equal(t.kind.config.external_name.without_id, rows[i].without_id);
        testing_text(t.kind.config.external_name.name_field, rows[i].field);
        assert_false(t.kind.config.external_name.name_repeats); /* the configuration knows better */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields), cmocka_unit_test(others_win)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
