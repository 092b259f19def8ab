#include "scheduler/alike.h"

#include "base/testing.h"
#include "value/json_value.h"

static const struct {
    const char *type, *wanted, *shown;
    enum alike like;
} rows[] = {
    {"\"string\"", "\"a\"", "\"a\"", ALIKE_SAME},
    {"\"string\"", "\"a\"", "\"b\"", ALIKE_OTHER},
    {"\"number\"", "1", "1.0", ALIKE_SAME},
    {"\"number\"", "1", "2", ALIKE_OTHER},
    {"\"bool\"", "false", "true", ALIKE_OTHER},
    /* Neither asked for nor shown. */
    {"\"string\"", "null", "\"a\"", ALIKE_SAME},
    {"\"string\"", "\"a\"", "null", ALIKE_UNSURE},
    {"[\"list\",\"string\"]", "[]", "null", ALIKE_SAME},
    /* Differently written. */
    {"\"string\"", "\"Web\"", "\"web\"", ALIKE_UNSURE},
    {"\"string\"", "\"web\\n\"", "\"web\"", ALIKE_UNSURE},
    {"\"string\"", "\"{\\\"a\\\": 1}\"", "\"{\\\"a\\\":1}\"", ALIKE_UNSURE},
    {"\"string\"", "\"{\\\"a\\\": 1}\"", "\"a\"", ALIKE_OTHER},
    /* Additional tags do not matter; the wanted ones do. */
    {"[\"map\",\"string\"]", "{\"a\":\"b\"}", "{\"a\":\"b\",\"c\":\"d\"}", ALIKE_SAME},
    {"[\"map\",\"string\"]", "{\"a\":\"b\"}", "{\"c\":\"d\"}", ALIKE_OTHER},
    {"[\"map\",\"string\"]", "{\"a\":\"b\"}", "{\"a\":\"c\"}", ALIKE_OTHER},
    /* Order. */
    {"[\"list\",\"number\"]", "[1,2]", "[2,1]", ALIKE_OTHER},
    {"[\"list\",\"number\"]", "[1,2]", "[1,2,3]", ALIKE_OTHER},
    {"[\"set\",\"string\"]", "[\"a\",\"b\"]", "[\"b\",\"a\"]", ALIKE_SAME},
    {"[\"set\",\"string\"]", "[\"a\",\"b\"]", "[\"b\",\"c\"]", ALIKE_OTHER},
    {"[\"set\",\"string\"]", "[\"a\",\"b\"]", "[\"b\",\"A\"]", ALIKE_UNSURE},
    /* Attributes that the provider adds to blocks. */
    {"[\"set\",[\"object\",{\"size\":\"number\",\"id\":\"string\"}]]", "[{\"size\":1}]", "[{\"size\":1,\"id\":\"x\"}]",
     ALIKE_SAME},
    {"[\"object\",{\"a\":\"string\",\"b\":\"string\"}]", "{\"a\":\"x\"}", "{\"a\":\"x\",\"b\":\"y\"}", ALIKE_SAME},
    /* One certain difference decides. */
    {"[\"object\",{\"a\":\"string\",\"b\":\"string\"}]", "{\"a\":\"x\",\"b\":\"y\"}", "{\"b\":\"z\"}", ALIKE_OTHER},
    {"[\"object\",{\"a\":\"string\",\"b\":\"string\"}]", "{\"a\":\"x\",\"b\":\"y\"}", "{\"b\":\"y\"}", ALIKE_UNSURE},
    {"\"dynamic\"", "{\"type\":\"string\",\"value\":\"1\"}", "{\"type\":\"number\",\"value\":1}", ALIKE_UNSURE},
};

static const struct value *value_of(struct arena *a, const char *type, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_parse(a, str_of(type), &diags);
    testing_no_errors(&diags);
    const struct value *v = value_from_json(a, testing_json(a, str_of(text)), t, PATH_ROOT, &diags);
    testing_no_errors(&diags);
    return v;
}

static void test_rows(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct value *wanted = value_of(a, rows[i].type, rows[i].wanted);
        enum alike got = alike(wanted, value_of(a, rows[i].type, rows[i].shown));
        if (got != rows[i].like)
            fail_msg("%s and %s: %d, not %d", rows[i].wanted, rows[i].shown, (int)got, (int)rows[i].like);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
