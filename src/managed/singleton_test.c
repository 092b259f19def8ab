#include "managed/singleton.h"

#include "base/testing.h"

static void check_fact(struct arena *a, const struct json *c)
{
    const struct json *paths = json_get(c, "paths"), *merge = json_get(c, "merge_keys"), *expect = json_get(c, "expect");
    const struct json *input = json_get(c, "input"), *got = NULL;
    struct str direction = json_text(json_get(c, "direction"), STR("object_to_list"));
    struct managed_singleton *list = arena_make_n(a, struct managed_singleton, paths->array.n);
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < paths->array.n; i++) {
        const struct json *key = json_get_str(merge, paths->array.items[i]->text);
        list[i] = (struct managed_singleton){.path = paths->array.items[i]->text, .merge_key = testing_member(key, "key")};
    }
    if (!str_eqz(direction, "object_to_list") && !str_eqz(direction, "list_to_object"))
        fail_msg("unknown direction " STR_FMT, STR_ARG(direction));
    bool ok =
        managed_singletons(a, input, list, paths->array.n,
                           str_eqz(direction, "object_to_list") ? MANAGED_OBJECT_TO_LIST : MANAGED_LIST_TO_OBJECT, &diags, &got);
    if (ok == json_bool(json_get(expect, "error"), false) || (ok && !json_eq(got, json_get(expect, "output"))))
        fail_msg(STR_FMT ": %s", STR_ARG(testing_member(c, "id")), testing_said(&diags));
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "singleton_lists.json");
    assert_true(cases->array.n >= 12);
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

/* An empty list becomes absent, and a merge key may have its own default. */
static void edges(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *got;
    struct managed_singleton s = {.path = STR("l"), .merge_key = STR("index"), .merge_default = json_make_string(a, STR("one"))};
    assert_true(managed_singletons(a, testing_jsonz(a, "{\"l\":[],\"m\":1}"), &s, 1, MANAGED_LIST_TO_OBJECT, &diags, &got));
    assert_true(json_eq(got, testing_jsonz(a, "{\"m\":1}")));
    assert_true(managed_singletons(a, testing_jsonz(a, "{\"l\":{}}"), &s, 1, MANAGED_OBJECT_TO_LIST, &diags, &got));
    assert_true(json_eq(got, testing_jsonz(a, "{\"l\":[{\"index\":\"one\"}]}")));
    testing_no_errors(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_hold), cmocka_unit_test(edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
