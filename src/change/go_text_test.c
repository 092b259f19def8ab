#include "change/go_text_private.h"
#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    struct str got = go_text(c->arena, case_value(c, "value"), NULL);
    if (str_eq(got, json_text(json_get(c->row, "text"), STR_EMPTY)))
        return NULL;
    return got.p;
}

static void values_look_as_go_prints_them(void **state)
{
    (void)state;
    run_rule("go_text.jsonl", "text", check);
}

static void infinity_is_a_float(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct number n;
    assert_true(number_parse(a, STR("-Inf"), &n));
    assert_string_equal(go_text(a, value_number(a, n), NULL).p, "cty.NumberFloatVal(-Inf)");
}

static void a_long_text_is_cut(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *text = arena_alloc(a, CHANGE_MAX_TEXT, 1);
    memset(text, 'a', CHANGE_MAX_TEXT);
    const struct value *parts[] = {value_string(a, STR("a")), value_string(a, (struct str){text, CHANGE_MAX_TEXT}),
                                   value_string(a, STR("b"))};
    assert_true(go_text(a, value_tuple(a, parts, 3), NULL).n <= CHANGE_MAX_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_look_as_go_prints_them),
        cmocka_unit_test(infinity_is_a_float),
        cmocka_unit_test(a_long_text_is_cut),
    };
    return cmocka_run_group_tests_name("change/go_text", tests, NULL, NULL);
}
