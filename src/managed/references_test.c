/* Error messages are compared with recordings of an Upjet provider on a real API server. */
#include "managed/references.h"

#include "managed/object.h"
#include "managed/testing_managed.h"

static const char block[] =
    "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"arn\":{\"type\":\"string\",\"computed\":true},"
    "\"database\":{\"type\":\"string\",\"optional\":true},\"user\":{\"type\":\"string\",\"optional\":true},"
    "\"size\":{\"type\":\"number\",\"optional\":true},\"role_arn\":{\"type\":\"string\",\"optional\":true},"
    "\"subnets\":{\"type\":[\"set\",\"string\"],\"optional\":true}},"
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{"
    "\"vpc_id\":{\"type\":\"string\",\"optional\":true}}}}}}";
static const char yaml[] =
    "provider: x\nresources:\n  x_thing_kind:\n    external_name: provider\n    references:\n"
    "      database: x_thing_kind\n      user: x_thing_kind\n      size: {to: x_thing_kind, attribute: size}\n"
    "      role_arn: {to: x_thing_kind, attribute: arn}\n      subnets: x_thing_kind\n"
    "      rule.vpc_id: {to: x_thing_kind, attribute: id}\n";

static const struct json *object_of(struct arena *a, const char *spec)
{
    return testing_json(a, arena_printf(a,
                                        "{\"metadata\":{\"name\":\"me\",\"namespace\":\"n\",\"ownerReferences\":[{\"uid\":\"c\","
                                        "\"controller\":true}]},\"spec\":%s}",
                                        spec));
}

static const struct json *target_of(struct arena *a, const char *name, const char *external_name)
{
    return testing_json(a, arena_printf(a,
                                        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"n\",\"labels\":{\"l\":\"1\"},"
                                        "\"annotations\":{\"crossplane.io/external-name\":\"%s\"}},"
                                        "\"spec\":{\"forProvider\":{\"size\":7}},"
                                        "\"status\":{\"atProvider\":{\"id\":\"id-%s\",\"arn\":\"arn:%s\"}}}",
                                        name, external_name, name, name));
}

static struct managed_reference_list open_of(struct arena *a, const char *spec)
{
    struct managed_reference_list list;
    managed_references(a, testing_kind_of(a, block, yaml), object_of(a, spec), &list);
    return list;
}

/* The fields to resolve, by their names in messages; "?" marks optional ones. */
static const struct {
    const char *spec, *open;
} cases[] = {
    {"{\"forProvider\":{}}", ""},
    {"{\"forProvider\":{\"databaseRef\":{\"name\":\"d\"}}}", "mg.Spec.ForProvider.Database"},
    {"{\"forProvider\":{\"database\":\"set\",\"databaseRef\":{\"name\":\"d\"}}}", ""},
    {"{\"forProvider\":{\"database\":\"\",\"databaseRef\":{\"name\":\"d\"}}}", "mg.Spec.ForProvider.Database"},
    {"{\"forProvider\":{\"database\":\"set\",\"databaseRef\":{\"name\":\"d\",\"policy\":{\"resolve\":\"Always\"}}}}",
     "mg.Spec.ForProvider.Database"},
    {"{\"forProvider\":{\"databaseSelector\":{\"policy\":{\"resolution\":\"Optional\"}}}}", "mg.Spec.ForProvider.Database?"},
    {"{\"forProvider\":{\"rule\":[{},{\"vpcIdSelector\":{}}]}}", "mg.Spec.ForProvider.Rule[1].VPCID"},
    {"{\"initProvider\":{\"userRef\":{\"name\":\"u\"}}}", "mg.Spec.InitProvider.User"},
    {"{\"forProvider\":{\"subnetsRefs\":[{\"name\":\"a\"}],\"userSelector\":{}}}",
     "mg.Spec.ForProvider.Subnets mg.Spec.ForProvider.User"},
    {"{\"forProvider\":{\"subnetsRefs\":[],\"databaseRef\":3,\"userSelector\":[],\"rule\":{\"vpcIdRef\":{}}}}",
     "mg.Spec.ForProvider.Database"},
    {"{\"forProvider\":[]}", ""},
};

static void what_is_open(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct managed_reference_list list = open_of(a, cases[i].spec);
        struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
        for (size_t k = 0; k < list.n; k++)
            buf_printf(&out, "%s" STR_FMT "%s", k > 0 ? " " : "", STR_ARG(list.v[k].go_path), list.v[k].optional ? "?" : "");
        testing_text(buf_copy(&out, a), cases[i].open);
    }
    struct managed_reference_list list;
    const struct json *gone = object_of(a, cases[1].spec);
    gone = managed_put(a, gone, json_make_string(a, STR("2026-01-01T00:00:00Z")), "metadata", "deletionTimestamp", NULL);
    managed_references(a, testing_kind_of(a, block, yaml), gone, &list);
    assert_int_equal(list.n, 0);
}

/* Resolves all references of the object one after the other, with the same two targets. */
static const struct json *resolve_all(struct arena *a, const char *spec, struct diags *diags)
{
    struct xp_kind *k = testing_kind_of(a, block, yaml);
    const struct json *o = object_of(a, spec), *targets[] = {target_of(a, "b", "ext-b"), target_of(a, "a", "ext-a")};
    struct managed_reference_list list;
    struct managed_changes changes = {0};
    diags_init(diags, a);
    managed_references(a, k, o, &list);
    for (size_t i = 0; i < list.n; i++)
        if (!managed_resolve(a, o, &list.v[i], k, targets, 2, diags, &changes))
            return NULL;
    return managed_apply(a, o, &changes, diags, &o) ? json_get(o, "spec") : NULL;
}

static void resolved(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } rows[] = {
        {"{\"forProvider\":{\"databaseRef\":{\"name\":\"b\"}}}",
         "{\"forProvider\":{\"databaseRef\":{\"name\":\"b\"},\"database\":\"ext-b\"}}"},
        /* a selector chooses the first target and sets the reference */
        {"{\"forProvider\":{\"databaseSelector\":{}}}",
         "{\"forProvider\":{\"databaseSelector\":{},\"database\":\"ext-b\",\"databaseRef\":{\"name\":\"b\"}}}"},
        /* a later resolution keeps what an earlier one has set */
        {"{\"forProvider\":{\"user\":\"u\",\"userRef\":{\"name\":\"u\"},\"database\":\"old\",\"databaseRef\":{\"name\":\"old\"},"
         "\"databaseSelector\":{\"policy\":{\"resolve\":\"Always\"}}}}",
         "{\"forProvider\":{\"user\":\"u\",\"userRef\":{\"name\":\"u\"},\"database\":\"ext-b\",\"databaseRef\":{\"name\":\"b\"},"
         "\"databaseSelector\":{\"policy\":{\"resolve\":\"Always\"}}}}"},
        /* a list takes all targets, sorted by value; two selectors in one object */
        {"{\"forProvider\":{\"subnetsSelector\":{},\"userSelector\":{}}}",
         "{\"forProvider\":{\"subnetsSelector\":{},\"userSelector\":{},\"subnets\":[\"ext-a\",\"ext-b\"],"
         "\"subnetsRefs\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"user\":\"ext-b\",\"userRef\":{\"name\":\"b\"}}}"},
        /* attributes: the observed value, else that of the spec; numbers stay numbers; inside a list element */
        {"{\"forProvider\":{\"roleArnRef\":{\"name\":\"b\"},\"sizeRef\":{\"name\":\"b\"},\"rule\":[{},{\"vpcIdRef\":{\"name\":"
         "\"b\"}}]}}",
         "{\"forProvider\":{\"roleArnRef\":{\"name\":\"b\"},\"sizeRef\":{\"name\":\"b\"},\"roleArn\":\"arn:b\",\"size\":7,"
         "\"rule\":[{},{\"vpcIdRef\":{\"name\":\"b\"},\"vpcId\":\"id-b\"}]}}"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diags diags;
        testing_same(a, resolve_all(a, rows[i].before, &diags), rows[i].after);
        testing_no_errors(&diags);
    }
}

static void functions_of_upjet(void **state)
{
    (void)state;
    static const struct {
        const char *function, *status, *value;
    } rows[] = {
        {"ARNExtractor()", "{\"arn\":\"arn:aws:iam::1:role/r\"}", "arn:aws:iam::1:role/r"},
        {"ARNExtractor()", "{\"id\":\"r\"}", ""}, /* not available yet: the name is never used instead */
        {"TerraformID()", "{\"id\":\"rtb-1\"}", "rtb-1"},
        {"FunctionInvokeARN()", "{\"arn\":\"x\",\"invokeArn\":\"arn:invoke\"}", "arn:invoke"},
        {"IntegrationIDPrefixed()", "{}", "integrations/ext"},
        {"ExternalNameIfClusterActive()", "{\"status\":\"CREATING\"}", ""},
        {"ExternalNameIfClusterActive()", "{\"status\":\"ACTIVE\"}", "ext"},
        {"ExtractResourceLocation()", "{\"location\":\"west\"}", "west"},
        {"NobodyKnows()", "{\"arn\":\"x\"}", "ext"},
    };
    static const char observed[] = "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},"
                                   "\"arn\":{\"type\":\"string\",\"computed\":true},"
                                   "\"invoke_arn\":{\"type\":\"string\",\"computed\":true},"
                                   "\"status\":{\"type\":\"string\",\"computed\":true},"
                                   "\"location\":{\"type\":\"string\",\"computed\":true}}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, observed, "provider: x\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xp_reference_rule rule = {.to = STR("x_thing_kind"), .function = str_of(rows[i].function)};
        const struct json *target =
            testing_jsonz(a, arena_printf(a,
                                          "{\"metadata\":{\"name\":\"t\",\"annotations\":{\"crossplane.io/external-name\":"
                                          "\"ext\"}},\"status\":{\"atProvider\":%s}}",
                                          rows[i].status)
                                 .p);
        testing_text(managed_extract(a, &rule, k, target), rows[i].value);
    }
}

static void failures(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, block, yaml);
    struct diags diags;
    struct managed_changes changes = {0};
    diags_init(&diags, a);
    struct managed_reference_list list = open_of(a, "{\"forProvider\":{\"databaseRef\":{\"name\":\"s04-db\"}}}");
    const struct json *o = object_of(a, "{\"forProvider\":{}}"), *nameless = target_of(a, "b", "");
    assert_false(managed_reference_not_found(&list.v[0], STR("Database.mysql.crossplane.io"), STR("s04-db"), &diags));
    testing_text(diags.v[0].detail, "cannot resolve references: mg.Spec.ForProvider.Database: cannot get referenced resource: "
                                    "Database.mysql.crossplane.io \"s04-db\" not found");
    assert_false(managed_resolve(a, o, &list.v[0], k, NULL, 0, &diags, &changes));
    testing_text(diags.v[1].detail, "cannot resolve references: mg.Spec.ForProvider.Database: no resources matched selector");
    assert_false(managed_resolve(a, o, &list.v[0], k, &nameless, 1, &diags, &changes));
    testing_says(&diags, "referenced field was empty (referenced resource may not yet be ready)");
    list.v[0].optional = true;
    diags_init(&diags, a);
    assert_true(managed_resolve(a, o, &list.v[0], k, &nameless, 1, &diags, &changes));
    assert_int_equal(changes.n, 0);
    assert_true(managed_reference_not_found(&list.v[0], STR("K.g"), STR("x"), &diags));
    testing_no_errors(&diags);
}

static void who_is_meant(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = object_of(a, "{}"), *target = target_of(a, "b", "x");
    assert_true(managed_selector_matches(testing_jsonz(a, "{}"), o, target));
    assert_true(managed_selector_matches(testing_jsonz(a, "{\"matchLabels\":{\"l\":\"1\"}}"), o, target));
    assert_false(managed_selector_matches(testing_jsonz(a, "{\"matchLabels\":{\"l\":\"2\"}}"), o, target));
    assert_false(managed_selector_matches(testing_jsonz(a, "{\"matchControllerRef\":true}"), o, target));
    assert_true(managed_selector_matches(testing_jsonz(a, "{\"matchControllerRef\":true}"), o, o));
    testing_text(managed_reference_namespace(o, testing_jsonz(a, "{\"name\":\"x\"}")), "n");
    testing_text(managed_reference_namespace(o, testing_jsonz(a, "{\"namespace\":\"m\"}")), "m");
    testing_text(managed_reference_namespace(testing_jsonz(a, "{}"), testing_jsonz(a, "{\"namespace\":\"m\"}")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_open),       cmocka_unit_test(resolved),     cmocka_unit_test(failures),
        cmocka_unit_test(functions_of_upjet), cmocka_unit_test(who_is_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
