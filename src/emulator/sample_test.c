#include "emulator/sample.h"

#include "cfn/regex.h"
#include "cfn/testing_cfn.h"
#include "emulator/model.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static const char thing[] =
    "{\"typeName\":\"AWS::Test::Thing\",\"primaryIdentifier\":[\"/properties/Arn\"],\"readOnlyProperties\":[\"/properties/Arn\"],"
    "\"required\":[\"Name\",\"Points\",\"Arn\"],\"properties\":{\"Arn\":{\"type\":\"string\"},"
    "\"Name\":{\"type\":\"string\",\"pattern\":\"^[a-z]{3,8}-[0-9]+$\",\"maxLength\":12},\"Color\":{\"type\":\"string\",\"enum\":"
    "[\"red\",\"blue\"]},"
    "\"Points\":{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":3,\"items\":{\"type\":\"object\",\"required\":[\"X\"],"
    "\"properties\":{\"X\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1}}}},"
    "\"Ports\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"integer\",\"minimum\":1}}}}";

static const struct cfn_schema *schema_of(struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct cfn_schema *s = cfn_schema_parse(a, str_of(thing), "test", &diags);
    testing_no_errors(&diags);
    return s;
}

static struct emulator_sampler sampler_of(struct arena *a, uint64_t seed)
{
    return (struct emulator_sampler){
        .arena = a, .schema = schema_of(a), .account = STR("123456789012"), .region = STR("us-east-1"), .seed = seed};
}

static const struct json *model_of(const struct emulator_sampler *s)
{
    struct diags diags;
    diags_init(&diags, s->arena);
    const struct json *model = emulator_sample_model(s, &diags);
    testing_no_errors(&diags);
    return model;
}

static void a_model_is_valid_and_has_nothing_read_only(void **state)
{
    (void)state;
    ARENA;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct emulator_sampler s = sampler_of(a, seed);
        s.extra = seed % 3;
        s.elements = seed % 5;
        const struct json *model = model_of(&s);
        struct str problem;
        if (!emulator_model_check(a, s.schema, model, EMULATOR_CHECK_WHOLE, &problem))
            fail_msg("seed %d: " STR_FMT, (int)seed, STR_ARG(problem));
        assert_null(json_get(model, "Arn"));
        assert_true(json_get(model, "Points")->array.n >= 3);
    }
}

static void the_same_seed_gives_the_same(void **state)
{
    (void)state;
    ARENA;
    struct emulator_sampler one = sampler_of(a, 1), again = sampler_of(a, 1), other = sampler_of(a, 2);
    assert_true(json_eq(model_of(&one), model_of(&again)));
    assert_false(json_eq(model_of(&one), model_of(&other)));
}

static void arrays_grow_within_their_limits(void **state)
{
    (void)state;
    ARENA;
    struct emulator_sampler s = sampler_of(a, 0);
    s.extra = 2;
    s.elements = 9;
    const struct json *model = model_of(&s);
    assert_int_equal(json_get(model, "Ports")->array.n, 2);
    assert_non_null(json_get(model, "Color"));
}

static void texts_match_their_pattern(void **state)
{
    (void)state;
    ARENA;
    static const char *const patterns[] = {
        "^arn:aws:[a-z]+:[0-9]{12}$",
        "^(a|bc)+\\d{2,4}$",
        "[^\\s]{5}",
        "^\\p{L}+$",
        "x?y*z",
        "^\\Qa.b\\E*\\x{e9}[\xc3\xa9-\xc3\xbc]$",
        "^[[:upper:]][[:^digit:]]\\PL\\p{Nd}\\p{Po}\\p{Sc}[^\\W_]$",
        "^(?P<name>(?i:A)|b)(?:c){3}\\D\\S\\.$",
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        const struct cfn_pattern *tree = cfn_pattern_parse(a, str_of(patterns[i]), NULL);
        assert_non_null(tree);
        const struct cfn_regex *regex = cfn_regex_of(a, tree);
        assert_non_null(regex);
        for (uint64_t seed = 0; seed < 20; seed++) {
            size_t left = EMULATOR_SAMPLE_WORK;
            struct str text = emulator_sample_text(a, tree, regex, 1, 0, seed, &left);
            if (cfn_regex_match(regex, text) != CFN_MATCH_YES)
                fail_msg("%s: " STR_FMT, patterns[i], STR_ARG(text));
        }
    }
}

/* Nested repetitions of an empty match: 64^9 steps without a limit. */
static void a_text_takes_bounded_work(void **state)
{
    (void)state;
    ARENA;
    const struct cfn_pattern *tree = cfn_pattern_parse(a, STR("^((((((((()*)*)*)*)*)*)*)*)*b$"), NULL);
    assert_non_null(tree);
    size_t left = EMULATOR_SAMPLE_WORK;
    struct str text = emulator_sample_text(a, tree, cfn_regex_of(a, tree), 2, 0, 0, &left);
    testing_text(text, "b");
    assert_true(left < EMULATOR_SAMPLE_WORK);
}

/* A schema that requires an infinite or huge sample is an error and does not exhaust memory. */
static void schemas_that_ask_for_too_much(void **state)
{
    (void)state;
#define SELF(name) "\"" name "\":{\"$ref\":\"#/definitions/D\"}"
#define MANY(of) "{\"type\":\"array\",\"minItems\":1000,\"items\":" of "}"
    static const char *const members[] = {
        /* a definition that requires itself eight times */
        "\"properties\":{\"A\":{\"$ref\":\"#/definitions/D\"}},\"definitions\":{\"D\":{\"type\":\"object\",\"required\":"
        "[\"A\",\"B\",\"C\",\"D\",\"E\",\"F\",\"G\",\"H\"],\"properties\":{" SELF("A") "," SELF("B") "," SELF("C") "," SELF(
            "D") "," SELF("E") "," SELF("F") "," SELF("G") "," SELF("H") "}}}",
        /* arrays of arrays of arrays, each with a thousand elements at least */
        "\"properties\":{\"A\":" MANY(MANY(MANY(MANY("{\"type\":\"string\",\"minLength\":5000}")))) "}",
        /* two definitions that require each other, several times */
        "\"properties\":{\"A\":{\"$ref\":\"#/definitions/"
        "D\"}},\"definitions\":{\"D\":{\"type\":\"array\",\"minItems\":9,\"items\":"
        "{\"$ref\":\"#/definitions/O\"}},\"O\":{\"type\":\"object\",\"required\":[\"A\",\"B\"],\"properties\":{" SELF(
            "A") "," SELF("B") "}}}",
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        ARENA;
        struct diags diags;
        diags_init(&diags, a);
        struct emulator_sampler s = {.arena = a, .account = STR("1"), .region = STR("r")};
        s.schema = testing_cfn(a, arena_printf(a, "{\"typeName\":\"AWS::Test::Thing\",\"required\":[\"A\"],%s}", members[i]).p);
        assert_null(emulator_sample_model(&s, &diags));
        testing_says(&diags, "AWS::Test::Thing");
        assert_null(emulator_sample(&s, json_get(s.schema->properties, "A"), STR("A")));
        assert_true(arena_used(a) < (size_t)128 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_valid_and_has_nothing_read_only),
        cmocka_unit_test(the_same_seed_gives_the_same),
        cmocka_unit_test(arrays_grow_within_their_limits),
        cmocka_unit_test(texts_match_their_pattern),
        cmocka_unit_test(a_text_takes_bounded_work),
        cmocka_unit_test(schemas_that_ask_for_too_much),
    };
    return cmocka_run_group_tests_name("emulator/sample", tests, NULL, NULL);
}
