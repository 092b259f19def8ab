#include "managed/translate.h"

#include "managed/singleton.h"
#include "managed/testing_managed.h"
#include "value/json_value.h"

/* A kind with one argument or block of the given type. */
static struct xp_kind *kind_of_argument(struct arena *a, const char *type)
{
    return testing_kind_of(a, arena_printf(a, "{\"attributes\":{\"the_value\":%s}}", type).p, NULL);
}

static const struct json *to_terraform(struct arena *a, const struct xp_kind *k, const char *values, struct diags *diags)
{
    const struct json *parameters;
    diags_init(diags, a);
    if (!managed_parameters_of(a, k, FOR_PROVIDER, testing_jsonz(a, values), diags, &parameters))
        return NULL;
    return managed_terraform_of(a, k, parameters);
}

static const struct json *to_status(struct arena *a, const struct xp_kind *k, const char *state, struct diags *diags)
{
    const struct json *object;
    diags_init(diags, a);
    if (!managed_set_observed(a, k, testing_jsonz(a, "{}"), testing_jsonz(a, state), diags, &object))
        return NULL;
    return managed_at(object, "status", "atProvider", NULL);
}

/* Each value is translated to Terraform and back. An empty `state`: the same as what was sent. */
static const struct {
    const char *type, *manifest, *terraform, *state;
} rows[] = {
    {"\"string\"", "\"x\"", "\"x\"", ""},
    {"\"string\"", "\"\"", "\"\"", ""},
    {"\"number\"", "12345678901234567890.5", "12345678901234567890.5", ""},
    {"\"bool\"", "false", "false", ""},
    {"[\"list\",\"string\"]", "[\"b\",\"a\"]", "[\"b\",\"a\"]", ""},
    {"[\"list\",\"string\"]", "[]", "[]", ""},
    {"[\"set\",\"number\"]", "[1,2]", "[1,2]", ""},
    {"[\"map\",\"string\"]", "{\"a.b\":\"1\",\"\":\"2\"}", "{\"a.b\":\"1\",\"\":\"2\"}", ""},
    {"[\"object\",{\"first_part\":\"string\"}]", "{\"firstPart\":\"x\"}", "{\"first_part\":\"x\"}", ""},
    {"[\"list\",[\"object\",{\"first_part\":\"string\"}]]", "[{\"firstPart\":\"x\"}]", "[{\"first_part\":\"x\"}]", ""},
    {"[\"set\",[\"object\",{\"a\":\"string\",\"in\":[\"list\",[\"object\",{\"b\":\"bool\",\"c\":\"bool\"}]]}]]",
     "[{\"a\":\"x\"},{\"in\":[{\"b\":true}]}]", "[{\"a\":\"x\",\"in\":null},{\"in\":[{\"b\":true,\"c\":null}],\"a\":null}]", ""},
    {"[\"map\",[\"object\",{\"first_part\":\"string\"}]]", "{\"not_renamed\":{\"firstPart\":\"x\"}}",
     "{\"not_renamed\":{\"first_part\":\"x\"}}", ""},
    {"\"dynamic\"", "{\"value\":[1,\"a\"]}", "{\"value\":[1,\"a\"]}", ""},
    {"\"dynamic\"", "[1,\"a\"]", "[1,\"a\"]", "{\"value\":[1,\"a\"],\"type\":[\"tuple\",[\"number\",\"string\"]]}"},
    {"[\"tuple\",[\"number\",\"string\"]]", "[1,\"a\"]", "[1,\"a\"]", ""},
};

/* Blocks with values of any type come as one value with its type. */
static void typed_blocks(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    static const char *const modes[] = {"list", "map"};
    static const char *const values[] = {"[{\"any\":1},{\"any\":[\"x\"]}]", "{\"o\":{\"any\":1},\"p\":{\"any\":[\"x\"]}}"};
    for (size_t i = 0; i < 2; i++) {
        struct xp_kind *k = testing_kind_of(
            a,
            arena_printf(a,
                         "{\"block_types\":{\"item\":{\"nesting_mode\":\"%s\",\"block\":{\"attributes\":{\"any\":{\"type\":"
                         "\"dynamic\",\"optional\":true}}}}}}",
                         modes[i])
                .p,
            NULL);
        const char *plain = arena_printf(a, "{\"item\":%s}", values[i]).p;
        const char *typed = arena_printf(a, "{\"item\":{\"value\":%s,\"type\":[\"tuple\",[]]}}", values[i]).p;
        testing_same(a, to_status(a, k, plain, &diags), plain);
        testing_same(a, to_status(a, k, typed, &diags), plain);
        testing_no_errors(&diags);
    }
}

static void values_there_and_back(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diags diags;
        struct xp_kind *k = kind_of_argument(a, arena_printf(a, "{\"type\":%s,\"optional\":true}", rows[i].type).p);
        const char *manifest = arena_printf(a, "{\"theValue\":%s}", rows[i].manifest).p;
        const char *observed = *rows[i].state ? rows[i].state : rows[i].terraform;
        testing_same(a, to_terraform(a, k, manifest, &diags), arena_printf(a, "{\"the_value\":%s}", rows[i].terraform).p);
        testing_no_errors(&diags);
        testing_same(a, to_status(a, k, arena_printf(a, "{\"the_value\":%s}", observed).p, &diags), manifest);
        testing_no_errors(&diags);
    }
}

/* null means absent in both directions, in lists too. */
static void nulls(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct xp_kind *k = kind_of_argument(a, "{\"type\":[\"list\",\"string\"],\"optional\":true}");
    testing_same(a, to_terraform(a, k, "{\"theValue\":null}", &diags), "{}");
    testing_same(a, to_status(a, k, "{\"the_value\":null}", &diags), "{}");
    testing_same(a, to_status(a, k, "{\"the_value\":[\"a\",null]}", &diags), "{\"theValue\":[\"a\"]}");
    assert_null(to_terraform(a, k, "{\"theValue\":[null]}", &diags));
    testing_says(&diags, "spec.forProvider.theValue[0]: a string was expected, and null was found");
    testing_same(a, to_terraform(a, k, "null", &diags), "{}");
}

/* Invalid manifests, with the path in the message. */
static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *type, *manifest, *says;
    } cases[] = {
        {"\"string\"", "{\"theValue\":1}", "spec.forProvider.theValue: a string was expected, and a number was found"},
        {"\"number\"", "{\"theValue\":\"1\"}", "spec.forProvider.theValue: a number was expected, and a string was found"},
        {"\"bool\"", "{\"theValue\":[]}", "a bool was expected, and a list was found"},
        {"[\"list\",\"bool\"]", "{\"theValue\":{}}", "a list was expected, and an object was found"},
        {"[\"map\",\"string\"]", "{\"theValue\":{\"k\":1}}", "theValue.k: a string was expected, and a number was found"},
        {"[\"list\",[\"object\",{\"a\":\"string\"}]]", "{\"theValue\":[{},{\"a\":true}]}",
         "theValue[1].a: a string was expected, and a bool was found"},
        {"\"string\"", "[]", "spec.forProvider: an object was expected, and a list was found"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        struct xp_kind *k = kind_of_argument(a, arena_printf(a, "{\"type\":%s,\"optional\":true}", cases[i].type).p);
        assert_null(to_terraform(a, k, cases[i].manifest, &diags));
        testing_says(&diags, cases[i].says);
    }
}

/* A field that the kind does not have is left out and reported. */
static void unknown_fields(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct xp_kind *k = kind_of_argument(a, "{\"type\":\"string\",\"optional\":true}");
    testing_same(a, to_terraform(a, k, "{\"theValue\":\"x\",\"the_value\":\"y\"}", &diags), "{\"the_value\":\"x\"}");
    testing_says(&diags, "spec.forProvider.the_value: the kind does not have this field");
    assert_false(diags_has_errors(&diags));
}

/* A configured type: the text is common to both. */
static void other_types(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    static const char block[] = "{\"attributes\":{\"num\":{\"type\":\"number\",\"optional\":true},"
                                "\"s\":{\"type\":\"string\",\"optional\":true},\"b\":{\"type\":\"string\",\"optional\":true}}}";
    static const char yaml[] = "provider: x\nresources:\n  x_thing_kind:\n    fields:\n      num: {type: string}\n"
                               "      s: {type: number}\n      b: {type: boolean}\n";
    struct xp_kind *k = testing_kind_of(a, block, yaml);
    testing_same(a, to_status(a, k, "{\"num\":12345678901234567890,\"s\":\"7\",\"b\":\"true\"}", &diags),
                 "{\"num\":\"12345678901234567890\",\"s\":7,\"b\":true}");
    testing_same(a, to_terraform(a, k, "{\"num\":\"12\",\"s\":7,\"b\":true}", &diags), "{\"num\":\"12\",\"s\":7,\"b\":true}");
    assert_null(to_status(a, k, "{\"s\":\"seven\"}", &diags));
    testing_says(&diags, "x_thing_kind.s: a number was expected");
}

static const char blocks[] =
    "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true}},\"block_types\":{"
    "\"one_list\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":"
    "true}},"
    "\"block_types\":{\"inner\":{\"nesting_mode\":\"set\",\"max_items\":1,\"block\":{\"attributes\":{"
    "\"b\":{\"type\":\"string\",\"optional\":true}}}}}}},"
    "\"alone\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"group\":{\"nesting_mode\":\"group\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"many\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"by_key\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true}}}}}}";

/* Terraform has a list of one in two cases and an object in two; manifests have lists or objects in all four. */
static void blocks_there_and_back(void **state)
{
    (void)state;
    static const char terraform[] =
        "{\"one_list\":[{\"a\":\"1\",\"inner\":[{\"b\":\"2\"}]}],\"alone\":{\"a\":\"3\"},"
        "\"group\":{\"a\":\"4\"},\"many\":[{\"a\":\"5\"},{\"a\":\"6\"}],\"by_key\":{\"k\":{\"a\":\"7\"}}}";
    static const char *const forms[2][2] = {
        {"provider: x\nembed_singletons: false\n",
         "{\"oneList\":[{\"a\":\"1\",\"inner\":[{\"b\":\"2\"}]}],\"alone\":[{\"a\":\"3\"}],\"group\":[{\"a\":\"4\"}],"
         "\"many\":[{\"a\":\"5\"},{\"a\":\"6\"}],\"byKey\":{\"k\":{\"a\":\"7\"}}}"},
        {"provider: x\nembed_singletons: true\n",
         "{\"oneList\":{\"a\":\"1\",\"inner\":{\"b\":\"2\"}},\"alone\":{\"a\":\"3\"},\"group\":{\"a\":\"4\"},"
         "\"many\":[{\"a\":\"5\"},{\"a\":\"6\"}],\"byKey\":{\"k\":{\"a\":\"7\"}}}"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema *schema = map_get(&testing_schema(a, blocks)->resources, STR("x_thing_kind"));
    for (size_t i = 0; i < 2; i++) {
        struct diags diags;
        struct xp_kind *k = testing_kind_of(a, blocks, forms[i][0]);
        const struct json *out = to_terraform(a, k, forms[i][1], &diags);
        testing_same(a, out, terraform);
        assert_non_null(value_from_json(a, out, schema->block->type, PATH_ROOT, &diags)); /* it fits the provider's own type */
        testing_no_errors(&diags);
        testing_same(a, to_status(a, k, terraform, &diags), forms[i][1]);
        testing_same(a, to_status(a, k, "{\"id\":\"i\",\"one_list\":[],\"alone\":null}", &diags),
                     i == 0 ? "{\"id\":\"i\",\"oneList\":[]}" : "{\"id\":\"i\"}");
        testing_no_errors(&diags);
    }
    struct diags diags;
    struct xp_kind *k = testing_kind_of(a, blocks, forms[1][0]);
    assert_null(to_status(a, k, "{\"one_list\":[{},{}]}", &diags));
    testing_says(&diags, "x_thing_kind.one_list: a list of at most one element was expected, and it has 2");
}

/* Secrets and references are not values; secrets stay out of the status. */
static void only_values(void **state)
{
    (void)state;
    static const char block[] = "{\"attributes\":{\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
                                "\"token\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true},"
                                "\"vpc_id\":{\"type\":\"string\",\"optional\":true}}}";
    static const char yaml[] = "provider: x\nresources:\n  x_thing_kind:\n    references: {vpc_id: x_thing_kind}\n";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct xp_kind *k = testing_kind_of(a, block, yaml);
    testing_same(a,
                 to_terraform(a, k,
                              "{\"passwordSecretRef\":{\"name\":\"s\",\"key\":\"k\"},\"vpcIdRef\":{\"name\":\"v\"},"
                              "\"vpcIdSelector\":{},\"vpcId\":\"x\"}",
                              &diags),
                 "{\"vpc_id\":\"x\"}");
    testing_no_errors(&diags);
    testing_same(a, to_status(a, k, "{\"password\":\"P\",\"token\":\"T\",\"vpc_id\":\"x\"}", &diags), "{\"vpcId\":\"x\"}");
}

/* Both trees merged: the desired state before the object exists. */
static void both_trees(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct xp_kind *k = testing_kind_of(a, blocks, "provider: x\nembed_singletons: true\n");
    const struct json *got;
    assert_true(
        managed_parameters(a, k,
                           testing_jsonz(a, "{\"spec\":{\"forProvider\":{\"oneList\":{\"a\":\"1\"}},\"initProvider\":"
                                            "{\"oneList\":{\"a\":\"2\",\"inner\":{\"b\":\"3\"}},\"alone\":{\"a\":\"4\"}}}}"),
                           &diags, &got));
    testing_no_errors(&diags);
    testing_same(a, managed_terraform_of(a, k, got),
                 "{\"one_list\":[{\"a\":\"1\",\"inner\":[{\"b\":\"3\"}]}],\"alone\":{\"a\":\"4\"}}");
}

/* The provider's region is not an argument of the resource, and an attribute `region` of the state is not copied into it. */
static void beside(void **state)
{
    (void)state;
    static const char block[] = "{\"attributes\":{\"region\":{\"type\":\"string\",\"computed\":true},"
                                "\"size\":{\"type\":\"number\",\"optional\":true}}}";
    static const char yaml[] = "provider: x\nresources:\n  \"*\":\n    provider_arguments: {region: required, zone: optional}\n";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct xp_kind *k = testing_kind_of(a, block, yaml);
    const struct json *got, *object = testing_jsonz(a, "{\"spec\":{\"forProvider\":{\"region\":\"r\",\"size\":1}}}");
    testing_same(a, to_terraform(a, k, "{\"region\":\"r\",\"size\":1}", &diags), "{\"size\":1}");
    assert_true(managed_beside(a, k, object, &diags, &got));
    testing_same(a, got, "{\"region\":\"r\"}");
    testing_same(a, to_status(a, k, "{\"region\":\"q\",\"size\":1}", &diags), "{\"region\":\"q\",\"size\":1}");
    assert_true(managed_values_of(a, k, FOR_PROVIDER, testing_jsonz(a, "{\"region\":\"q\",\"size\":1}"), &diags, &got));
    testing_same(a, got, "{\"size\":1}");
    testing_no_errors(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_there_and_back),
        cmocka_unit_test(typed_blocks),
        cmocka_unit_test(nulls),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(unknown_fields),
        cmocka_unit_test(other_types),
        cmocka_unit_test(blocks_there_and_back),
        cmocka_unit_test(only_values),
        cmocka_unit_test(both_trees),
        cmocka_unit_test(beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
