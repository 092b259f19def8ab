#include "store/selector.h"

#include "base/testing.h"

static const struct {
    const char *selector, *labels;
    bool matches;
} cases[] = {
    {"", "{}", true},
    {"app=web", "{\"app\":\"web\"}", true},
    {"app==web", "{\"app\":\"web\"}", true},
    {"app=web", "{\"app\":\"db\"}", false},
    {"app=web", "{}", false},
    {"app=", "{\"app\":\"\"}", true},
    {"app!=web", "{\"app\":\"db\"}", true},
    {"app!=web", "{}", true},
    {"app!=web", "{\"app\":\"web\"}", false},
    {"app", "{\"app\":\"\"}", true},
    {"app", "{}", false},
    {"!app", "{}", true},
    {"!app", "{\"app\":\"x\"}", false},
    {"tier in (a, b)", "{\"tier\":\"b\"}", true},
    {"tier in (a,b)", "{\"tier\":\"c\"}", false},
    {"tier notin (a,b)", "{\"tier\":\"c\"}", true},
    {"tier notin (a,b)", "{}", true},
    {"tier notin (a,b)", "{\"tier\":\"a\"}", false},
    {" app = web , !old ", "{\"app\":\"web\"}", true},
    {"app=web,!old", "{\"app\":\"web\",\"old\":\"1\"}", false},
    {"crossplane.io/claim-name=x", "{\"crossplane.io/claim-name\":\"x\"}", true},
};

static void what_matches(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diags diags;
        struct selector s;
        diags_init(&diags, a);
        if (!selector_parse(a, str_of(cases[i].selector), &diags, &s))
            fail_msg("%s: %s", cases[i].selector, testing_said(&diags));
        if (selector_matches(selector_copy(a, &s), testing_jsonz(a, cases[i].labels)) != cases[i].matches)
            fail_msg("\"%s\" and %s", cases[i].selector, cases[i].labels);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *says;
    } bad[] = {
        {"=x", "expected the name of a label at character 1"},
        {"app=web,", "expected the name of a label at character 9"},
        {"tier in a", "expected \"(\" at character 9"},
        {"tier in (a", "expected \",\" or \")\" at character 11"},
        {"app near web", "expected \"=\", \"!=\", \"in\", \"notin\" or \",\" at character 5"},
        {"app=web db", "expected \",\" at character 9"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct diags diags;
        struct selector s;
        diags_init(&diags, a);
        assert_false(selector_parse(a, str_of(bad[i].selector), &diags, &s));
        testing_says(&diags, bad[i].says);
    }
}

static void lists_are_bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct selector s;
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i <= SELECTOR_MAX_REQUIREMENTS; i++)
        buf_printf(&text, "%sa%d", i > 0 ? "," : "", i);
    diags_init(&diags, a);
    assert_false(selector_parse(a, buf_str(&text), &diags, &s));
    testing_says(&diags, "fewer requirements");
    buf_clear(&text);
    buf_addz(&text, "a in (");
    for (int i = 0; i <= SELECTOR_MAX_VALUES; i++)
        buf_printf(&text, "%sv%d", i > 0 ? "," : "", i);
    buf_addc(&text, ')');
    assert_false(selector_parse(a, buf_str(&text), &diags, &s));
    testing_says(&diags, "shorter list");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_matches),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(lists_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
