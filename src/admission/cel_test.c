/* Rules: which are parsed, which are rejected, and their results. */
#include "admission/cel.h"

#include "admission/schema_private.h"
#include "base/testing.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"f\":{\"type\":\"number\"},\"s\":{\"type\":\"string\"},"
    "\"b\":{\"type\":\"boolean\"},\"t\":{\"type\":\"string\",\"format\":\"date-time\"},\"p\":{\"x-kubernetes-int-or-string\":"
    "true},"
    "\"null\":{\"type\":\"string\",\"nullable\":true},\"a-b\":{\"type\":\"string\"},\"a__b\":{\"type\":\"string\"},"
    "\"namespace\":{\"type\":\"string\"},\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"set\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}},"
    "\"k\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"a\"],\"items\":"
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"v\":{\"type\":\"integer\"}}}},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"any\":{\"x-kubernetes-preserve-unknown-fields\":true},"
    "\"anys\":{\"type\":\"array\",\"items\":{\"x-kubernetes-preserve-unknown-fields\":true}}}}";

#define GOOD                                                                                                                     \
    "{\"n\":3,\"f\":1.5,\"s\":\"h\xc3\xa9llo\",\"b\":true,\"t\":\"2020-01-01T00:00:00Z\",\"p\":80,\"null\":null,\"a-b\":"        \
    "\"dash\","                                                                                                                  \
    "\"a__b\":\"under\",\"namespace\":\"ns\",\"l\":[\"a\",\"bc\"],\"set\":[\"x\",\"y\"],\"k\":[{\"a\":\"p\",\"v\":1},{\"a\":"    \
    "\"q\"}],"                                                                                                                   \
    "\"m\":{\"one\":\"1\"}}"

struct fixture {
    struct arena *arena;
    const struct openapi *schema;
};

static struct fixture begin(void)
{
    struct fixture f = {.arena = arena_new(NULL, 0)};
    struct diags diags;
    diags_init(&diags, f.arena);
    assert_true(openapi_compile(f.arena, testing_jsonz(f.arena, schema_text), "schema", &diags, &f.schema));
    testing_no_errors(&diags);
    return f;
}

static enum cel_verdict judge(const struct fixture *f, const char *rule, const char *self, const char *old, struct str *ret_why)
{
    const struct cel *e = cel_parse(f->arena, str_of(rule), ret_why);
    if (!e)
        fail_msg("%s: " STR_FMT, rule, STR_ARG(*ret_why));
    if (!cel_check(f->arena, e, f->schema, ret_why))
        fail_msg("%s: " STR_FMT, rule, STR_ARG(*ret_why));
    struct cel_data now = {testing_jsonz(f->arena, self), f->schema};
    struct cel_data before = {old ? testing_jsonz(f->arena, old) : NULL, f->schema};
    return cel_eval(f->arena, e, now, before, ret_why);
}

static const char *const true_rules[] = {
    "true",
    "!false && (true || false)",
    "!!self.b",
    "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 / 2 == 3 && -7 % 3 == -1 && 7 - 2 - 1 == 4",
    "0x10 == 16 && 1u < 2u && 1.5e1 == 15.0 && -9223372036854775808 < 0 && .5 < 1.0",
    "1 == 1.0 && 1u == 1 && 2 > 1.5",
    "'a' < 'b' && \"a\\tb\" == 'a\\x09b' && '\\u00e9' == '\xc3\xa9' && r'\\n'.size() == 2 && '''it's''' == \"it's\"",
    "'a' + 'b' == 'ab' && [1] + [2] == [1, 2] && [] == []",
    "self.n == 3 && self.f == 1.5 && self.b && self.p == 80",
    "self.s.size() == 5 && size(self.s) == 5 && self.s.startsWith('h') && self.s.endsWith('llo') && self.s.contains('ll')",
    "self.s.matches('^h.l+o$') && !self.s.matches('^x')",
    "has(self.n) && !has(self.__null__) && !('null' in ['x'])",
    "self.__namespace__ == 'ns' && self.a__dash__b == 'dash' && self.a__underscores__b == 'under'",
    "'a' in self.l && !('b' in self.l) && 'one' in self.m && self.m.one == '1' && self.m['one'] == '1' && self.l[1] == 'bc'",
    "self.l.all(x, x.size() > 0) && self.l.exists(x, x == 'bc') && self.l.exists_one(x, x == 'a') && !self.l.exists(x, x == '')",
    ("self.l.filter(x, x != 'a') == ['bc'] && self.l.map(x, x + '!') == ['a!', 'bc!'] && self.l.map(x, x == 'a', x + '!') == "
     "['a!']"),
    "self.m.all(k, k == 'one') && self.k.exists(e, has(e.v) && e.v == 1) && self.k.map(e, e.a) == ['p', 'q']",
    "self.n > 2 ? true : self.l[9] == ''",
    /* a deciding operand wins over an error, on either side */
    "self.l[9] == '' || true",
    "!(self.l[9] == '' && false)",
    "self.l.exists(x, self.l[9] == '' || x == 'a')",
    "self == oldSelf && self.t == oldSelf.t",
    "self.n == 3 // a remark",
    "null == null && self.l != null",
    "self.set == ['x', 'y'] && self.set + [] != null || true",
};

static const char *const false_rules[] = {
    "false", "self.n < 3", "'z' in self.l", "1 == 2 || 'a' == 'b'", "self.s == self.l[0]", "[1, 2] == [2, 1]"};

static const struct {
    const char *rule, *why;
} failing[] = {
    {"self.l[2] == ''", "an index is out of bounds"},
    {"self.l[-1] == ''", "an index is out of bounds"},
    {"self.m.two == ''", "there is no such key"},
    {"1 / 0 == 0", "divided by zero"},
    {"9223372036854775807 + 1 > 0", "out of range"},
    {"-(-9223372036854775808) > 0", "out of range"},
    {"self.p + 'x' == ''", "does not exist for the types"},
    {"self.n && true", "does not exist for the types"},
    {"1 < 'a'", "does not exist for the types"},
    {"self.n", "does not give true or false"},
    {"self.l.all(x, self.l.all(y, x[0] == y))", "does not exist for the types"},
};

static const struct {
    const char *rule, *why;
} refused[] = {
    {"", "at character 1: the expression ends too early"},
    {"self.n ==", "the expression ends too early"},
    {"self.n == 1)", "at character 12: the expression should have ended here"},
    {"self.n = 1", "at character 8: this character has no meaning here"},
    {"self.namespace", "at character 6: the name of a field is expected here"},
    {"namespace == ''", "\"namespace\" is a reserved word"},
    {"has(self)", "has() takes one field"},
    {"'abc", "this text has no end"},
    {"'\\q'", "this escape is not known"},
    {"9223372036854775808 > 0", "out of range"},
    {"self.s.lowerAscii() == ''", "there is no function lowerAscii() with 1 arguments here"},
    {"int(self.s) == 1", "there is no function int()"},
    {"b'x' == b'x'", "bytes are not supported"},
    {"{'a': 1} == {}", "this character has no meaning here"},
    {"self.s.matches(self.s)", "a pattern that is a literal"},
    {"self.s.matches('(')", "not a valid pattern"},
    {"self.l.all(1, true)", "the first argument must be a name"},
};

static const struct {
    const char *rule, *why;
} unknown[] = {
    {"self.nothing == 1", "there is no field that rules can see called \"nothing\""},
    {"has(self.nothing)", "called \"nothing\""},
    {"has(self.any)", "called \"any\""},
    {"size(self.anys) == 0", "called \"anys\""},
    {"self.__odd__ == ''", "called \"__odd__\""},
    {"self.k.all(e, e.w == 1)", "called \"w\""},
    {"self.k[0].w == 1", "called \"w\""},
    {"other == 1", "there is no variable \"other\""},
    {"self.l.all(x, true) && x == ''", "there is no variable \"x\""},
};

static void rules_give_what_they_say(void **state)
{
    (void)state;
    struct fixture f = begin();
    struct str why = STR_EMPTY;
    for (size_t i = 0; i < sizeof true_rules / sizeof *true_rules; i++)
        if (judge(&f, true_rules[i], GOOD, GOOD, &why) != CEL_TRUE)
            fail_msg("%s is not true: " STR_FMT, true_rules[i], STR_ARG(why));
    for (size_t i = 0; i < sizeof false_rules / sizeof *false_rules; i++)
        if (judge(&f, false_rules[i], GOOD, GOOD, &why) != CEL_FALSE)
            fail_msg("%s is not false: " STR_FMT, false_rules[i], STR_ARG(why));
    arena_free(f.arena);
}

static void errors_say_why(void **state)
{
    (void)state;
    struct fixture f = begin();
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        struct str why = STR_EMPTY;
        if (judge(&f, failing[i].rule, GOOD, GOOD, &why) != CEL_ERROR || !strstr(arena_str(f.arena, why).p, failing[i].why))
            fail_msg("%s: " STR_FMT, failing[i].rule, STR_ARG(why));
    }
    arena_free(f.arena);
}

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    struct fixture f = begin();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct str why = STR_EMPTY;
        if (cel_parse(f.arena, str_of(refused[i].rule), &why) || !strstr(arena_str(f.arena, why).p, refused[i].why))
            fail_msg("%s: " STR_FMT, refused[i].rule, STR_ARG(why));
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        struct str why = STR_EMPTY;
        const struct cel *e = cel_parse(f.arena, str_of(unknown[i].rule), &why);
        if (!e || cel_check(f.arena, e, f.schema, &why) || !strstr(arena_str(f.arena, why).p, unknown[i].why))
            fail_msg("%s: " STR_FMT, unknown[i].rule, STR_ARG(why));
    }
    arena_free(f.arena);
}

static void equality_is_that_of_the_schema(void **state)
{
    (void)state;
    static const struct {
        const char *now, *before;
        enum cel_verdict same;
    } cases[] = {
        {"{\"set\":[\"x\",\"y\"]}", "{\"set\":[\"y\",\"x\"]}", CEL_TRUE},
        {"{\"l\":[\"x\",\"y\"]}", "{\"l\":[\"y\",\"x\"]}", CEL_FALSE},
        {"{\"k\":[{\"a\":\"1\",\"v\":1},{\"a\":\"2\"}]}", "{\"k\":[{\"a\":\"2\"},{\"a\":\"1\",\"v\":1}]}", CEL_TRUE},
        {"{\"k\":[{\"a\":\"1\",\"v\":1}]}", "{\"k\":[{\"a\":\"1\",\"v\":2}]}", CEL_FALSE},
        {"{\"f\":1}", "{\"f\":1.0}", CEL_TRUE},
        {"{\"any\":{\"x\":[1]}}", "{\"any\":{\"x\":[1.0]}}", CEL_TRUE},
        {"{\"any\":1}", "{\"any\":2}", CEL_FALSE},
        {"{\"n\":1}", "{\"f\":1}", CEL_FALSE},
        {"{\"n\":1}", "{}", CEL_FALSE},
        {"{\"t\":\"2020-01-01T00:00:00Z\"}", "{\"t\":\"2020-01-01T01:00:00+01:00\"}", CEL_ERROR},
    };
    struct fixture f = begin();
    struct str why;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (judge(&f, "self == oldSelf", cases[i].now, cases[i].before, &why) != cases[i].same)
            fail_msg("%s and %s", cases[i].now, cases[i].before);
    arena_free(f.arena);
}

static void large_rules_are_refused_and_long_ones_end(void **state)
{
    (void)state;
    struct fixture f = begin();
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    struct str why = STR_EMPTY;
    for (int i = 0; i < 5000; i++)
        buf_addc(&text, '(');
    assert_null(cel_parse(f.arena, buf_str(&text), &why));
    buf_clear(&text);
    for (int i = 0; i < 5000; i++)
        buf_addz(&text, "!-");
    assert_null(cel_parse(f.arena, buf_str(&text), &why));
    buf_clear(&text);
    buf_addz(&text, "true");
    for (int i = 0; i < 1000; i++)
        buf_addz(&text, " && true"); /* long, not deep */
    assert_int_equal(judge(&f, buf_copy(&text, f.arena).p, GOOD, GOOD, &why), CEL_TRUE);
    buf_clear(&text);
    buf_addz(&text, "{\"l\":[\"\"");
    for (int i = 0; i < 2000; i++)
        buf_addz(&text, ",\"\"");
    buf_addz(&text, "]}");
    why = STR_EMPTY;
    assert_int_equal(judge(&f, "self.l.all(x, self.l.all(y, x == y))", buf_copy(&text, f.arena).p, GOOD, &why), CEL_ERROR);
    testing_text(why, "it takes too long");
    arena_free(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_give_what_they_say),
        cmocka_unit_test(errors_say_why),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(equality_is_that_of_the_schema),
        cmocka_unit_test(large_rules_are_refused_and_long_ones_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
