#include "import/pick.h"

#include "base/testing.h"

static const char text[] =
    "{\"a\": [{\"n\": \"x\", \"t\": [{\"k\": \"1\"}, {\"k\": \"2\"}]}, {\"n\": \"y\"}], \"m\": {\"GET\": {}, \"PUT\": {}},"
    " \"p\": \"{\\\"s\\\": [{\\\"sid\\\": \\\"q\\\"}]}\", \"b\": true, \"z\": null, \"arn\": \"arn:x/app/web\"}";

static const struct json *tree(struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, str_of(text), "text", &diags);
    assert_non_null(j);
    return j;
}

static void paths_go_through_lists_maps_and_texts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = tree(a);
    static const struct {
        const char *path;
        size_t n;
    } cases[] = {{"a", 2},       {"a.n", 2},     {"a.t.k", 2},      {"m.@", 2}, {"m.*", 2},
                 {"p.s.sid", 1}, {"nothing", 0}, {"a.n.deeper", 0}, {"", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(pick_all(a, j, str_of(cases[i].path)).n, cases[i].n);
}

static void templates_are_filled(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct picked parent = {.item = tree(a)}, at = {.item = pick_all(a, parent.item, STR("a")).v[0], .parent = &parent};
    const struct pick_fact facts[] = {{"region", STR("eu")}, {"empty", STR_EMPTY}};
    const struct pick_facts all = {facts, 2};
    static const struct {
        const char *template, *expected; /* NULL: no value */
    } cases[] = {
        {"plain", "plain"},
        {"{n}", "x"},
        {"{n}/{^b}", "x/true"},
        {"{^arn|after:/}", "web"},
        {"{^arn|before::}", "arn"},
        {"{^arn|trim:web}", "arn:x/app/"},
        {"{t.k|join:,}", "1,2"},
        {"{none,n}", "x"},
        {"{none}", NULL},
        {"{none|or:d}", "d"},
        {"a{none|prefix:_|or:}", "a"},
        {"a{n|prefix:_|or:}", "a_x"},
        {"{$region}", "eu"},
        {"{$empty}", NULL},
        {"{$nobody}", NULL},
        {"{^^n}", NULL},
        {"{^z}", NULL},
        {"{^p.s.sid}", "q"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str value;
        bool ok = pick_fill(a, &at, &all, str_of(cases[i].template), &value);
        if (ok != (cases[i].expected != NULL) || (ok && !str_eqz(value, cases[i].expected)))
            fail_msg("%s: %s", cases[i].template, ok ? value.p : "no value");
    }
}

static void templates_are_checked(void **state)
{
    (void)state;
    assert_null(pick_check(STR("{a}:{^b|after:/|or:x}"), 1));
    assert_non_null(pick_check(STR("{a"), 0));
    assert_non_null(pick_check(STR("a}"), 0));
    assert_non_null(pick_check(STR("{^a}"), 0));
    assert_non_null(pick_check(STR("{a|shout:x}"), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_go_through_lists_maps_and_texts),
        cmocka_unit_test(templates_are_filled),
        cmocka_unit_test(templates_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
