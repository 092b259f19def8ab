#include "managed/init_provider.h"

#include "managed/testing_managed.h"

static const char *joined(struct arena *a, const struct managed_ignored *list)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (size_t i = 0; i < list->n; i++)
        buf_printf(&out, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(managed_ignored_text(a, list->v[i])));
    return buf_copy(&out, a).p;
}

static void check_fact(struct arena *a, const struct json *c)
{
    struct managed_ignored list;
    struct buf expected BUF_AUTO = BUF_INIT(TESTING_MAX);
    const struct json *expect = json_get(c, "expect");
    for (size_t i = 0; i < expect->array.n; i++)
        buf_printf(&expected, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(expect->array.items[i]->text));
    managed_ignored(a, NULL, json_get(c, "forProvider"), json_get(c, "initProvider"), &list);
    testing_text(str_of(joined(a, &list)), buf_copy(&expected, a).p);
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "ignored.json");
    assert_true(cases->array.n >= 10);
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

static void merging(void **state)
{
    (void)state;
    static const struct {
        const char *over, *under, *merged;
    } cases[] = {
        {"{}", "{\"a\":1}", "{\"a\":1}"},
        {"{\"a\":1}", "{\"a\":2,\"b\":3}", "{\"a\":1,\"b\":3}"},
        {"{\"a\":\"\"}", "{\"a\":\"x\"}", "{\"a\":\"\"}"},
        {"{\"a\":null}", "{\"a\":\"x\"}", "{\"a\":\"x\"}"},
        {"{\"l\":[{\"a\":1}]}", "{\"l\":[{\"a\":2,\"b\":3},{\"c\":4}]}", "{\"l\":[{\"a\":1,\"b\":3},{\"c\":4}]}"},
        {"{\"l\":[1]}", "{\"l\":[2,3]}", "{\"l\":[1,3]}"},
        {"{\"m\":{\"a\":{\"b\":1}}}", "{\"m\":{\"a\":{\"c\":2}}}", "{\"m\":{\"a\":{\"b\":1,\"c\":2}}}"},
        {"{\"a\":[1]}", "{\"a\":{\"b\":1}}", "{\"a\":[1]}"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        testing_same(a, managed_merge(a, testing_jsonz(a, cases[i].over), testing_jsonz(a, cases[i].under)), cases[i].merged);
}

static const char schema[] =
    "{\"attributes\":{\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true}},"
    "\"block_types\":{"
    "\"login\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{"
    "\"pin\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
    "\"pass\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}},"
    "\"alone\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true},"
    "\"b\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"listed\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true},"
    "\"b\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"grouped\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true},"
    "\"b\":{\"type\":\"string\",\"optional\":true}}}}}}";

/* Paths are Terraform's: a SINGLE block has no index, and no path leads into a set. */
static void paths_of_a_kind(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, schema, NULL);
    struct diags diags;
    diags_init(&diags, a);
    struct managed_ignored list;
    const struct json *object = testing_jsonz(
        a, "{\"spec\":{\"forProvider\":{\"tags\":{\"x\":\"1\"},\"alone\":{\"a\":\"1\"},\"listed\":[{\"a\":\"1\"}],"
           "\"grouped\":[{\"a\":\"1\"}]},\"initProvider\":{\"tags\":{\"x\":\"2\",\"y\":\"3\"},\"alone\":{\"b\":\"1\"},"
           "\"listed\":[{\"b\":\"1\"}],\"grouped\":[{\"b\":\"1\"}]}}}");
    assert_true(managed_ignored_of(a, k, object, &diags, &list));
    testing_no_errors(&diags);
    testing_text(str_of(joined(a, &list)), "alone[\"b\"] listed[0].b tags[\"y\"]");
    testing_same(a, list.v[0], "[\"alone\",\"b\"]");
    testing_same(a, list.v[1], "[\"listed\",0,\"b\"]");
}

/* A value that only initProvider takes from a Secret is ignored, too. */
static void secrets_of_a_kind(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, schema, NULL);
    struct diags diags;
    diags_init(&diags, a);
    struct managed_ignored list;
    const struct json *object = testing_jsonz(
        a, "{\"spec\":{\"forProvider\":{\"login\":{\"passSecretRef\":{\"name\":\"s\",\"key\":\"k\"}}},\"initProvider\":"
           "{\"login\":{\"passSecretRef\":{\"name\":\"s\",\"key\":\"l\"},\"pinSecretRef\":{\"name\":\"s\",\"key\":\"m\"}}}}}");
    assert_true(managed_ignored_of(a, k, object, &diags, &list));
    testing_no_errors(&diags);
    testing_text(str_of(joined(a, &list)), "login[\"pin\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(merging),
        cmocka_unit_test(paths_of_a_kind),
        cmocka_unit_test(secrets_of_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
