#include "managed/policies.h"

#include "base/testing.h"
#include "managed/edit.h"

static struct managed_policies policies_of(struct arena *a, const struct json *c)
{
    const struct json *object = managed_put(a, NULL, json_get(c, "managementPolicies"), "spec", "managementPolicies", NULL);
    object = managed_put(a, object, json_get(c, "deletionPolicy"), "spec", "deletionPolicy", NULL);
    return managed_policies(object, json_bool(json_get(c, "feature_enabled"), false),
                            str_eqz(testing_member(c, "flavour"), "cluster"));
}

static void check_valid(struct arena *a, const struct managed_policies *p, const struct json *error)
{
    struct diags diags;
    diags_init(&diags, a);
    assert_int_equal(managed_policies_check(a, p, &diags), error->kind == JSON_NULL);
    if (error->kind == JSON_STRING)
        testing_text(diags.v[0].detail, error->text.p);
}

static void check_fact(struct arena *a, const struct json *c)
{
    static const struct {
        const char *name;
        bool (*ask)(const struct managed_policies *p);
    } questions[] = {
        {"is_paused", managed_policies_pause},          {"should_create", managed_may_create},
        {"should_update", managed_may_update},          {"should_late_initialize", managed_may_late_initialize},
        {"should_only_observe", managed_only_observes}, {"should_delete", managed_may_delete},
    };
    struct managed_policies p = policies_of(a, c);
    struct str operation = testing_member(c, "operation");
    if (str_eqz(operation, "validate")) {
        check_valid(a, &p, json_get(json_get(c, "expect"), "error"));
        return;
    }
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (str_eqz(operation, questions[i].name)) {
            if (questions[i].ask(&p) != json_bool(json_get(c, "expect"), false))
                fail_msg(STR_FMT, STR_ARG(testing_member(c, "id")));
            return;
        }
    fail_msg("unknown operation " STR_FMT, STR_ARG(operation));
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "policies.json");
    assert_true(cases->array.n > 40);
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

static bool is_valid(struct arena *a, const char *list)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *object = managed_put(a, NULL, testing_jsonz(a, list), "spec", "managementPolicies", NULL);
    struct managed_policies p = managed_policies(object, true, false);
    return managed_policies_check(a, &p, &diags);
}

/* Of all sets of the five actions exactly the supported ones are accepted, and none with an unknown action. */
static void fifteen_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"Observe", "Create", "Update", "Delete", "LateInitialize"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    size_t valid = 0;
    for (unsigned set = 0; set < 32; set++) {
        struct buf text BUF_AUTO = BUF_INIT(1 << 10);
        for (unsigned i = 0; i < 5; i++)
            if (set & (1U << i))
                buf_printf(&text, "%s\"%s\"", text.n > 0 ? "," : "", names[i]);
        valid += is_valid(a, arena_printf(a, "[" STR_FMT "]", STR_ARG(buf_str(&text))).p);
    }
    assert_int_equal(valid, 14);
    assert_true(is_valid(a, "[\"*\"]"));
    assert_true(is_valid(a, "null"));
    assert_false(is_valid(a, "[\"*\",\"Observe\"]"));
    assert_false(is_valid(a, "[\"Observe\",\"Destroy\"]"));
    assert_false(is_valid(a, "\"Observe\""));
}

/* A namespaced kind has no deletionPolicy; in a cluster-scoped one Orphan counts unless the policies are set. */
static void deletion(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = testing_jsonz(a, "{\"spec\":{\"deletionPolicy\":\"Orphan\",\"managementPolicies\":[\"*\"]}}");
    struct managed_policies cluster = managed_policies(o, true, true), namespaced = managed_policies(o, true, false);
    assert_false(managed_may_delete(&cluster));
    assert_true(managed_may_delete(&namespaced));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(fifteen_sets),
        cmocka_unit_test(deletion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
