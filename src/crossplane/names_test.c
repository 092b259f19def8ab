#include "crossplane/testing_crossplane.h"

static struct str text_of(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static void check_text(const char *id, struct str got, const struct json *expected)
{
    if (expected && !str_eq(got, json_text(expected, STR_EMPTY)))
        fail_msg("%s: got " STR_FMT ", expected " STR_FMT, id, STR_ARG(got), STR_ARG(json_text(expected, STR_EMPTY)));
}

static void check_variants(struct arena *a, const struct xp_names *n, const char *id, const struct json *c)
{
    const struct json *expect = json_get(c, "expect");
    struct str input = text_of(c, "input");
    struct str snake = str_eqz(text_of(c, "from"), "camel") ? xp_name_snake_of_camel(a, input) : input;
    check_text(id, snake, json_get(expect, "snake"));
    check_text(id, xp_name_camel(n, a, snake), json_get(expect, "camel"));
    check_text(id, xp_name_camel(NULL, a, snake), json_get(expect, "camel_no_acronyms"));
    check_text(id, xp_name_json(a, snake), json_get(expect, "json_name"));
}

static void check_fact(struct arena *a, const struct xp_names *n, const struct json *c)
{
    const char *id = text_of(c, "id").p;
    const struct json *expect = json_get(c, "expect"), *input = json_get(c, "input");
    struct str operation = text_of(c, "operation");
    if (str_eqz(operation, "name_variants")) {
        check_variants(a, n, id, c);
    } else if (str_eqz(operation, "reference_field_name")) {
        check_text(
            id,
            xp_name_reference(a, text_of(input, "field"), json_bool(json_get(input, "list"), false), text_of(input, "override")),
            json_get(expect, "snake"));
    } else if (str_eqz(operation, "selector_field_name")) {
        check_text(id, xp_name_selector(a, text_of(input, "field"), text_of(input, "override")), json_get(expect, "snake"));
    } else if (str_eqz(operation, "default_group_kind")) {
        struct xp_group_kind got = xp_name_group_kind(n, a, json_text(input, STR_EMPTY));
        check_text(id, got.group, json_get(expect, "group"));
        check_text(id, got.kind, json_get(expect, "kind"));
        const struct xp_config *config = xp_config_default(a, STR("aws"));
        struct xp_resource_config resolved;
        xp_config_resolve(config, a, json_text(input, STR_EMPTY), FLAVOUR_NAMESPACED, &resolved);
        check_text(id, resolved.version, json_get(expect, "version"));
        assert_int_equal(resolved.async, json_bool(json_get(expect, "async"), false));
    } else {
        fail_msg("%s: unknown operation", id);
    }
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_names names;
    xp_names_init(&names, a);
    const struct json *cases = testing_facts(a, "crossplane", "names.json");
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, &names, cases->array.items[i]);
}

static void words_with_digits_and_capitals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"s3_key", "s3Key"},
        {"ipv6_cidr", "ipv6Cidr"},
        {"sha256sum", "sha256sum"},
        {"a_1b", "a1B"},
        {"enable_http2push", "enableHttp2Push"},
        {"_private", "Private"},
        {"x__y", "xY"},
        {"OAuth_ID", "oauthId"},
        {"with-dash", "withdash"},
        {"id", "id"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(arena_str(a, xp_name_json(a, str_of(cases[i][0]))).p, cases[i][1]);
}

static void acronyms_of_a_provider(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_names n;
    xp_names_init(&n, a);
    assert_string_equal(arena_str(a, xp_name_camel(&n, a, STR("mssql_vpc_id"))).p, "MssqlVPCID");
    assert_string_equal(arena_str(a, xp_name_secret_ref(&n, a, STR("sas_uri"))).p, "sas_uri_secret_ref");
    xp_names_add(&n, STR("mssql"), STR("MSSQL"));
    xp_names_add(&n, STR("sas"), STR("SAS"));
    assert_string_equal(arena_str(a, xp_name_camel(&n, a, STR("mssql_vpc_id"))).p, "MSSQLVPCID");
    assert_string_equal(arena_str(a, xp_name_secret_ref(&n, a, STR("sas_uri"))).p, "sasuri_secret_ref");
}

/* Names of the usual form survive the conversion to camel case and back. */
static void the_way_back(void **state)
{
    (void)state;
    static const char *const names[] = {"name", "subnet_id", "enable_dns_support", "cidr_block", "kms_key_arn"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(arena_str(a, xp_name_snake_of_camel(a, xp_name_camel(NULL, a, str_of(names[i])))).p, names[i]);
}

static void plurals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"Bucket", "buckets"},
        {"Policy", "policies"},
        {"Gateway", "gateways"},
        {"TLS", "tlses"},
        {"RoutingDNS", "routingdnses"},
        {"MSSQLServerDNSAlias", "mssqlserverdnsaliases"},
        {"Address", "addresses"},
        {"BucketSettings", "bucketsettings"},
        {"Index", "indices"},
        {"SearchIndex", "searchindices"},
        {"Analysis", "analyses"},
        {"Data", "data"},
        {"Metadata", "metadata"},
        {"Kusto", "kustos"},
        {"LensVersion", "lensversions"},
        {"Cli", "clis"},
        {"ElasticIps", "elasticipsipses"},
        {"Chassis", "chassis"},
        {"Quota", "quotas"},
        {"Topic", "topics"},
        {"Box", "boxes"},
        {"Media", "media"},
        {"Person", "people"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(arena_str(a, xp_name_plural(a, str_of(cases[i][0]))).p, cases[i][1]);
}

static void names_in_rules(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str form;
    assert_true(xp_name_in_rules(a, STR("bucketName"), &form) && str_eqz(form, "bucketName"));
    assert_true(xp_name_in_rules(a, STR("namespace"), &form) && str_eqz(form, "__namespace__"));
    assert_false(xp_name_in_rules(a, STR("2fa"), &form));
    assert_false(xp_name_in_rules(a, STR(""), &form));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(words_with_digits_and_capitals),
        cmocka_unit_test(acronyms_of_a_provider),
        cmocka_unit_test(the_way_back),
        cmocka_unit_test(plurals),
        cmocka_unit_test(names_in_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
