#include "emulator/sample.h"

#include "cloudcontrol/regex.h"
#include "cloudcontrol/testing_cloudcontrol.h"
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

static struct cc_sampler sampler_of(struct arena *a, uint64_t seed)
{
    return (struct cc_sampler){
        .arena = a, .schema = schema_of(a), .account = STR("123456789012"), .region = STR("us-east-1"), .seed = seed};
}

static void a_model_is_valid_and_has_nothing_read_only(void **state)
{
    (void)state;
    ARENA;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct cc_sampler s = sampler_of(a, seed);
        s.extra = seed % 3;
        s.elements = seed % 5;
        const struct json *model = cc_sample_model(&s);
        struct str problem;
        if (!cc_model_check(a, s.schema, model, CC_CHECK_WHOLE, &problem))
            fail_msg("seed %d: " STR_FMT, (int)seed, STR_ARG(problem));
        assert_null(json_get(model, "Arn"));
        assert_true(json_get(model, "Points")->array.n >= 3);
    }
}

static void the_same_seed_gives_the_same(void **state)
{
    (void)state;
    ARENA;
    struct cc_sampler one = sampler_of(a, 1), again = sampler_of(a, 1), other = sampler_of(a, 2);
    assert_true(json_eq(cc_sample_model(&one), cc_sample_model(&again)));
    assert_false(json_eq(cc_sample_model(&one), cc_sample_model(&other)));
}

static void arrays_grow_within_their_limits(void **state)
{
    (void)state;
    ARENA;
    struct cc_sampler s = sampler_of(a, 0);
    s.extra = 2;
    s.elements = 9;
    const struct json *model = cc_sample_model(&s);
    assert_int_equal(json_get(model, "Ports")->array.n, 2);
    assert_non_null(json_get(model, "Color"));
}

static void texts_match_their_pattern(void **state)
{
    (void)state;
    ARENA;
    static const char *const patterns[] = {"^arn:aws:[a-z]+:[0-9]{12}$", "^(a|bc)+\\d{2,4}$", "[^\\s]{5}", "^\\p{L}+$", "x?y*z"};
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        const struct cc_regex *regex = cc_regex_compile(a, str_of(patterns[i]), &diags);
        assert_non_null(regex);
        for (uint64_t seed = 0; seed < 20; seed++)
            assert_int_equal(cc_regex_match(regex, cc_sample_text(a, str_of(patterns[i]), 1, 0, seed)), CC_MATCH_YES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_valid_and_has_nothing_read_only),
        cmocka_unit_test(the_same_seed_gives_the_same),
        cmocka_unit_test(arrays_grow_within_their_limits),
        cmocka_unit_test(texts_match_their_pattern),
    };
    return cmocka_run_group_tests_name("cloudcontrol/sample", tests, NULL, NULL);
}
