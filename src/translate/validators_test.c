#include "translate/validators.h"

#include "translate/testing_translate.h"
#include "value/json_value.h"

/* The first diagnostic of a configuration as "summary: detail", or "ok". */
static struct str verdict(struct arena *a, const struct cc_type *t, const char *config)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *given = testing_jsonz(a, config);
    const struct value **v = arena_make_n(a, const struct value *, t->root->n_children);
    for (size_t i = 0; i < t->root->n_children; i++) {
        const struct cc_node *child = &t->root->children[i];
        const struct json *j = json_get_str(given, child->name);
        v[i] = j ? value_from_json(a, j, child->type, PATH_ROOT, &diags) : value_null(a, child->type);
        testing_no_errors(&diags);
    }
    cc_validate(a, t->root, value_object(a, t->root->type, v), cc_patterns_new(a), &diags);
    if (diags.n == 0)
        return STR("ok");
    return arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(diags.v[0].summary), STR_ARG(diags.v[0].detail));
}

static void check(const char *properties, const char *config, const char *expected)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str members = arena_printf(a, "\"properties\":{%s}", properties);
    struct str got = verdict(a, testing_type(a, CFN_MODE_STRICT, members.p), config);
    if (!str_eqz(got, expected))
        fail_msg("%s with %s:\ngot " STR_FMT "\nexpected %s", properties, config, STR_ARG(got), expected);
}

static void numbers(void **state)
{
    (void)state;
    const char *i = "\"A\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5}",
               *e = "\"A\":{\"type\":\"integer\",\"enum\":[1,2]}";
    check(i, "{\"a\":5}", "ok");
    check(i, "{\"a\":6}", "Invalid Attribute Value: Attribute a value must be between 1 and 5, got: 6");
    check("\"A\":{\"type\":\"integer\",\"minimum\":1}", "{\"a\":0}",
          "Invalid Attribute Value: Attribute a value must be at least 1, got: 0");
    check("\"A\":{\"type\":\"number\",\"maximum\":0.5}", "{\"a\":1}",
          "Invalid Attribute Value: Attribute a value must be at most 0.500000, got: 1.000000");
    check(e, "{\"a\":2}", "ok");
    check(e, "{\"a\":3}", "Invalid Attribute Value Match: Attribute a value must be one of: [1 2], got: 3");
    check("\"A\":{\"type\":\"integer\"}", "{\"a\":1.5}",
          "Invalid Attribute Value: Attribute a value must be a whole number of 64 bits, got: 1.5");
    check("\"A\":{\"type\":\"integer\"}", "{\"a\":9223372036854775807}", "ok");
}

static void texts(void **state)
{
    (void)state;
    const char *length = "\"A\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}";
    check(length, "{\"a\":\"ab\"}", "ok");
    check(length, "{\"a\":\"\xc3\xa9\xc3\xa9\"}",
          "Invalid Attribute Value Length: Attribute a string length must be between 2 and 3, got: 4");
    check("\"A\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"}", "{\"a\":\"A\"}",
          "Invalid Attribute Value Match: Attribute a value must match regular expression '^[a-z]+$', got: A");
    check("\"A\":{\"type\":\"string\",\"pattern\":\"[a-z]\"}", "{\"a\":\"1a1\"}", "ok");
    check("\"A\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"]}", "{\"a\":\"z\"}",
          "Invalid Attribute Value Match: Attribute a value must be one of: [\"x\" \"y\"], got: \"z\"");
    check("\"A\":{\"type\":\"object\"}", "{\"a\":\"{\\\"b\\\":1}\"}", "ok");
    check("\"A\":{\"type\":\"object\"}", "{\"a\":\"{\"}",
          "Invalid JSON String Value: A string value was provided that is not valid JSON string format (RFC 7159).\n\nGiven "
          "Value: {\n");
}

static void times(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        bool ok;
    } cases[] = {
        {"2024-02-29T12:00:00Z", true},          {"2023-02-29T12:00:00Z", false},
        {"2024-01-01T00:00:00.123+01:30", true}, {"2024-01-01T00:00:00", false},
        {"2024-01-01 00:00:00Z", false},         {"2024-13-01T00:00:00Z", false},
        {"2024-01-01T24:00:00Z", false},         {"2024-01-01T00:00:00.Z", false},
        {"2024-01-01T00:00:00+1:00", false},     {"", false},
        {"2024-01-01T00:00:00z", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cc_type *t =
        testing_type(a, CFN_MODE_STRICT, "\"properties\":{\"A\":{\"type\":\"string\",\"format\":\"date-time\"}}");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str got = verdict(a, t, arena_printf(a, "{\"a\":\"%s\"}", cases[i].time).p);
        if (str_eqz(got, "ok") != cases[i].ok)
            fail_msg("%s: " STR_FMT, cases[i].time, STR_ARG(got));
    }
}

static void collections(void **state)
{
    (void)state;
    const char *list = "\"A\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"uniqueItems\":true,\"items\":{\"type\":"
                       "\"string\",\"maxLength\":3}}";
    check(list, "{\"a\":[\"x\"]}", "ok");
    check(list, "{\"a\":[]}",
          "Invalid Attribute Value: Attribute a list must contain at least 1 elements and at most 2 elements, got: 0");
    check(list, "{\"a\":[\"x\",\"x\"]}", "Duplicate List Value: This attribute contains duplicate values of: x");
    check(list, "{\"a\":[\"x\",\"long\"]}",
          "Invalid Attribute Value Length: Attribute a[1] string length must be at most 3, got: 4");
    check(
        "\"A\":{\"type\":\"array\",\"insertionOrder\":false,\"uniqueItems\":true,\"maxItems\":1,\"items\":{\"type\":\"string\"}}",
        "{\"a\":[\"x\",\"y\"]}", "Invalid Attribute Value: Attribute a set must contain at most 1 elements, got: 2");
    const char *nested = "\"A\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"B\":{\"type\":\"string\"}},"
                         "\"required\":[\"B\"]}}";
    check(nested, "{\"a\":[{\"b\":\"x\"},{\"b\":null}]}", "Missing Attribute Value: a[1].b: value must be configured");
    check(nested, "{\"a\":null}", "ok");
}

static void secrets_are_not_repeated(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cc_type *t = testing_type(a, CFN_MODE_STRICT,
                                           "\"properties\":{\"A\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"}},"
                                           "\"writeOnlyProperties\":[\"/properties/A\"]");
    struct str got = verdict(a, t, "{\"a\":\"HUNTER2\"}");
    assert_null(strstr(got.p, "HUNTER2"));
}

static void unknown_passes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct cc_type *t = testing_type(a, CFN_MODE_STRICT, "\"properties\":{\"A\":{\"type\":\"string\",\"minLength\":5}}");
    cc_validate_node(a, cc_node_child(t->root, STR("a")), value_unknown(a, &type_string), PATH_ROOT, NULL, &diags);
    cc_validate_node(a, cc_node_child(t->root, STR("a")), value_null(a, &type_string), PATH_ROOT, NULL, &diags);
    testing_no_errors(&diags);
}

/* The value in a fact: unknown, null, or known. */
static const struct value *value_of_fact(struct arena *a, const struct json *c)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct type *type = type_from_json(a, json_get(c, "type"), &diags);
    const struct json *v = json_get(c, "value");
    testing_no_errors(&diags);
    if (v->kind == JSON_NULL)
        return value_null(a, type);
    if (v->kind == JSON_OBJECT && json_get(v, "$"))
        return value_unknown(a, type);
    return value_from_json(a, v, type, PATH_ROOT, &diags);
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "validators.json");
    static const struct cc_validator not_null = {.kind = CC_V_NOT_NULL};
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i], *error = json_get(c, "error");
        const struct value *v = value_of_fact(a, c);
        struct cc_node node = {
            .name = STR("test"), .type = v->type, .validators = &not_null, .n_validators = 1, .kind = CC_OBJECT};
        struct diags diags;
        diags_init(&diags, a);
        assert_true(str_eqz(testing_member(c, "op"), "not_null"));
        cc_validate_node(a, &node, v, path_attr(a, PATH_ROOT, node.name), NULL, &diags);
        assert_int_equal(diags.n, error->kind == JSON_OBJECT);
        if (diags.n == 0)
            continue;
        testing_text(diags.v[0].summary, testing_member(error, "summary").p);
        testing_text(diags.v[0].detail, testing_member(error, "detail").p);
        testing_text(diags.v[0].path.steps[0].name, json_get(error, "path")->array.items[0]->text.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),     cmocka_unit_test(texts),          cmocka_unit_test(times),
        cmocka_unit_test(collections), cmocka_unit_test(unknown_passes), cmocka_unit_test(secrets_are_not_repeated),
        cmocka_unit_test(facts_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
