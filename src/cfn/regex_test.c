#include "cfn/regex.h"

#include "cfn/testing_cfn.h"

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "schema_sdk.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i];
        struct str in = testing_member(c, "in");
        if (str_eqz(testing_member(c, "op"), "sanitize_pattern")) /* the result is the pattern itself, or empty */
            testing_text(cfn_regex_check(in, NULL) ? in : STR_EMPTY, testing_member(c, "out").p);
    }
}

static void refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"^(?!aws:)x", "lookaround"},
        {"(?<=a)b", "lookaround"},
        {"(?<!a)b", "lookaround"},
        {"(?>a)", "lookaround"},
        {"(?#c)a", "lookaround"},
        {"(?i-)a", "lookaround"},
        {"(a)\\1", "backreference"},
        {"\\8", "backreference"},
        {"a++", "possessive"},
        {"a?+", "possessive"},
        {"a**", "possessive"},
        {"a{2}{3}", "possessive"},
        {"a\\Z", "invalid escape"},
        {"\\u002f", "invalid escape"},
        {"\\h", "invalid escape"},
        {"\\C", "invalid escape"},
        {"[\\b]", "invalid escape"},
        {"[a-\\d]", "invalid escape"},
        {"\\x4", "invalid escape"},
        {"\\x{110000}", "invalid escape"},
        {"\\", "trailing"},
        {"*a", "missing argument"},
        {"(*a)", "missing argument"},
        {"a|+", "missing argument"},
        {"(?i)*", "missing argument"},
        {"a{1001}", "repeat count"},
        {"a{3,2}", "repeat count"},
        {"(a{100}){11}", "repeat count"},
        {"((a{10}){10}){11}", "repeat count"},
        {"(a", "missing closing )"},
        {"a)", "unexpected )"},
        {"[a", "missing closing ]"},
        {"[]", "missing closing ]"},
        {"[z-a]", "character class"},
        {"[[:none:]]", "character class"},
        {"\\p{IsAlphabetic}", "Unicode class"},
        {"\\p{Nope}", "Unicode class"},
        {"\\p{", "character class"},
        {"(?P<a>x)(?P<a>y)", "duplicate"},
        {"(?P<a-b>x)", "named"},
        {"\xff", "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *why = "nothing";
        bool ok = cfn_regex_check(str_of(cases[i][0]), &why);
        if (ok || !strstr(why, cases[i][1]))
            fail_msg("%s: %s, expected %s", cases[i][0], ok ? "accepted" : why, cases[i][1]);
    }
}

static void hostile(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *deep = arena_alloc(a, CFN_PATTERN_MAX + 2, 1);
    memset(deep, '(', CFN_PATTERN_MAX);
    assert_false(cfn_regex_check((struct str){deep, CFN_PATTERN_MAX}, NULL));
    memset(deep, 'a', CFN_PATTERN_MAX + 1);
    assert_false(cfn_regex_check((struct str){deep, CFN_PATTERN_MAX + 1}, NULL));
    assert_true(cfn_regex_check((struct str){deep, CFN_PATTERN_MAX}, NULL));

    struct diags diags;
    diags_init(&diags, a);
    const struct cfn_regex *bomb = cfn_regex_compile(a, STR("^(a|a|aa)*$"), &diags);
    assert_non_null(bomb);
    struct str text = arena_printf(a, "%0512d", 0);
    memset((char *)text.p, 'a', text.n - 1);
    assert_int_equal(cfn_regex_match(bomb, text), CFN_MATCH_TOO_HARD);
}

struct match_case {
    const char *pattern, *text;
    bool matches;
};

static void matching(void **state)
{
    (void)state;
    static const struct match_case cases[] = {
        {"b", "abc", true},
        {"^b$", "abc", false},
        {"^a$", "a\n", false},
        {"^a\\z", "a", true},
        {"^a.c$", "a\nc", false},
        {"(?s)^a.c$", "a\nc", true},
        {"(?m)^b$", "a\nb\nc", true},
        {"(?i)^ABC$", "abc", true},
        {"^\\d+$", "\xd9\xa1", false}, /* an Arabic digit does not match */
        {"^\\w$", "\xc3\xa9", false},
        {"^.$", "\xc3\xa9", true},
        {"^\\pL$", "\xc3\xa9", true},
        {"^\\p{^L}$", "1", true},
        {"^\\P{Lu}$", "a", true},
        {"^[\\p{L}\\d]+$",
         "\xc3\xa9"
         "1",
         true},
        {"^\\s$", "\v", false}, /* unlike Perl */
        {"^[\\s]$", "\v", false},
        {"^\\S$", "\v", true},
        {"^[\\S]$", "\v", true},
        {"^[\\S\\s]*$", "a \v\n", true},
        {"^\\v$", "\v", true},
        {"^\\v$", "\n", false},
        {"^[[:alpha:]]+$", "abc", true},
        {"^[[:^alpha:]]+$", "abc", false},
        {"^[[.a]+$", "[.a", true},
        {"^[]a]+$", "]a", true},
        {"^[^]a]$", "b", true},
        {"^[\\w+=,.@-]+$", "a-b@c", true},
        {"^[\\w-.]+$", "a-.", true},
        {"^[+-=]$", ":", true},
        {"^{,5}$", "{,5}", true},
        {"^a{,5}$", "a{,5}", true},
        {"^a{2,3}$", "aaaa", false},
        {"^a{2,}?$", "aaaa", true},
        {"^\\Qa.b\\E$", "a.b", true},
        {"^\\Qa.b\\E$", "axb", false},
        {"^\\x41\\x{42}\\103$", "ABC", true},
        {"^\\_\\-\\/$", "_-/", true},
        {"^(?P<a>x)(?:y)(?<b>z)$", "xyz", true},
        {"^#a b$", "#a b", true},
        {"^(a{10}){3}$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},
        {"", "anything", true},
        {"^*a", "a", true},
        {"^a(?i)*B$", "aab", true}, /* flags cannot be repeated; the repetition applies to the part before them */
        {"^a*(?i)*b$", "aab", true},
        {"^\\Qab\\E*$", "abbb", true},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        const struct cfn_regex *regex = cfn_regex_compile(a, str_of(cases[i].pattern), &diags);
        testing_no_errors(&diags);
        if ((cfn_regex_match(regex, str_of(cases[i].text)) == CFN_MATCH_YES) != cases[i].matches)
            fail_msg("%s on \"%s\"", cases[i].pattern, cases[i].text);
    }
}

static void unusable_patterns_are_diagnostics(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(cfn_regex_compile(a, STR("(?!a)"), &diags));
    testing_says(&diags, "lookaround");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(refused),
        cmocka_unit_test(hostile),
        cmocka_unit_test(matching),
        cmocka_unit_test(unusable_patterns_are_diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
