/* Pure functions that need no server: paths and rights, retries, leases, discovery. */
#include "base/testing.h"
#include "kube/discovery.h"
#include "kube/election.h"
#include "kube/retry.h"

static void paths(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_resource buckets = {STR("s3.aws"), STR("v1"), STR("Bucket"), STR("buckets"), false};
    struct kube_resource secrets = {STR_EMPTY, STR("v1"), STR("Secret"), STR("secrets"), true};
    testing_text(kube_path(a, &(struct kube_place){&buckets, STR("x"), STR("a/../b"), "status"}),
                 "/apis/s3.aws/v1/buckets/a%2F..%2Fb/status");
    testing_text(kube_path(a, &(struct kube_place){&secrets, STR("x"), STR("y"), NULL}), "/api/v1/namespaces/x/secrets/y");
    testing_text(kube_path(a, &(struct kube_place){&secrets, STR_EMPTY, STR_EMPTY, NULL}), "/api/v1/secrets");
}

static void rights(void **state)
{
    (void)state;
    static const struct {
        const char *method, *target, *right;
    } cases[] = {
        {"GET", "/apis/s3.aws/v1/buckets?limit=5", "list buckets.s3.aws"},
        {"GET", "/apis/s3.aws/v1/buckets?watch=1&x=y", "watch buckets.s3.aws"},
        {"GET", "/apis/s3.aws/v1/buckets?x=y&watch=1", "watch buckets.s3.aws"},
        {"GET", "/apis/s3.aws/v1/buckets/a", "get buckets.s3.aws"},
        {"POST", "/api/v1/namespaces/x/secrets", "create secrets in namespace \"x\""},
        {"PUT", "/apis/s3.aws/v1/buckets/a/status", "update buckets/status.s3.aws"},
        {"PATCH", "/api/v1/namespaces/x/secrets/a?force=true", "patch secrets in namespace \"x\""},
        {"DELETE", "/api/v1/namespaces/x/secrets/a", "delete secrets in namespace \"x\""},
        {"DELETE", "/api/v1/namespaces/x/secrets", "deletecollection secrets in namespace \"x\""},
        {"GET", "/api/v1/namespaces", "list namespaces"},
        {"GET", "/api/v1/namespaces/x", "get namespaces"},
        {"GET", "/version", "get /version"},
        {"GET", "/apis", "get /apis"},
        {"GET", "/apis/s3.aws/v1", "get /apis/s3.aws/v1"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kube_right right = kube_right(cases[i].method, str_of(cases[i].target));
        testing_text(kube_right_text(a, &right), cases[i].right);
    }
}

static void repetitions(void **state)
{
    (void)state;
    static const struct {
        struct kube_outcome o;
        enum kube_again again;
    } cases[] = {
        {{1, HTTP_OK, 200, -1, false, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 404, -1, false, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 409, -1, false, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 422, 5, false, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 429, -1, true, false}, KUBE_AGAIN},
        {{1, HTTP_OK, 503, 1, true, false}, KUBE_AGAIN},
        {{1, HTTP_OK, 503, -1, true, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 503, -1, false, false}, KUBE_AGAIN},
        {{1, HTTP_OK, 500, -1, true, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 500, 1, true, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 504, -1, false, false}, KUBE_AGAIN},
        {{1, HTTP_OK, 501, -1, false, false}, KUBE_AGAIN_NO},
        {{1, HTTP_OK, 401, -1, true, false}, KUBE_AGAIN_AS_ANOTHER},
        {{2, HTTP_OK, 401, -1, true, true}, KUBE_AGAIN_NO},
        {{1, HTTP_UNTRUSTED, 0, -1, true, false}, KUBE_AGAIN_AS_ANOTHER},
        {{1, HTTP_REFUSED, 0, -1, true, false}, KUBE_AGAIN},
        {{1, HTTP_BROKEN, 0, -1, true, false}, KUBE_AGAIN_NO},
        {{1, HTTP_BROKEN, 0, -1, false, false}, KUBE_AGAIN},
        {{1, HTTP_TIMEOUT, 0, -1, true, false}, KUBE_AGAIN_NO},
        {{1, HTTP_TIMEOUT, 0, -1, false, false}, KUBE_AGAIN},
        {{1, HTTP_TOO_LARGE, 0, -1, false, false}, KUBE_AGAIN_NO},
        {{1, HTTP_CANCELLED, 0, -1, false, false}, KUBE_AGAIN_NO},
        {{KUBE_MAX_TRIES, HTTP_OK, 429, 1, false, false}, KUBE_AGAIN_NO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = -1;
        enum kube_again again = kube_again(&cases[i].o, 0.999, &ns);
        if (again != cases[i].again || (again == KUBE_AGAIN && ns <= 0))
            fail_msg("case %zu: %d, pause %lld", i, (int)again, (long long)ns);
    }
    assert_int_equal(kube_backoff(1, 10 * NS_PER_S, 0), 200 * NS_PER_MS);
    assert_int_equal(kube_backoff(2, 10 * NS_PER_S, 0), 400 * NS_PER_MS);
    assert_int_equal(kube_backoff(1000000, 10 * NS_PER_S, 0), 10 * NS_PER_S);
    assert_true(kube_backoff(3, 10 * NS_PER_S, 0.999) >= 400 * NS_PER_MS);
}

/* Other processes' clocks do not matter, only how long the Lease has stayed unchanged. */
static void leases(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_lease lease;
    assert_true(kube_lease_read(
        testing_jsonz(a, "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"holderIdentity\":\"one\","
                         "\"leaseDurationSeconds\":15,\"renewTime\":\"1999-01-01T00:00:00.000000Z\",\"leaseTransitions\":3}}"),
        &lease));
    assert_int_equal(lease.transitions, 3);
    assert_int_equal(kube_lease_step(&lease, STR("one"), 0, 100 * NS_PER_S), KUBE_LEASE_RENEW);
    assert_int_equal(kube_lease_step(&lease, STR("two"), 100 * NS_PER_S, 114 * NS_PER_S), KUBE_LEASE_WAIT);
    assert_int_equal(kube_lease_step(&lease, STR("two"), 100 * NS_PER_S, 115 * NS_PER_S), KUBE_LEASE_TAKE);
    lease.holder = STR_EMPTY;
    assert_int_equal(kube_lease_step(&lease, STR("two"), 100 * NS_PER_S, 100 * NS_PER_S), KUBE_LEASE_TAKE);
    assert_false(kube_lease_read(testing_jsonz(a, "{\"spec\":{}}"), &lease));
    assert_false(kube_lease_read(
        testing_jsonz(a, "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"leaseDurationSeconds\":-1}}"), &lease));
}

static void discovery(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_kinds kinds = {0};
    const struct json *aggregated = testing_jsonz(
        a, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"g\"},\"versions\":[{\"version\":\"v2\","
           "\"resources\":["
           "{\"resource\":\"things\",\"responseKind\":{\"kind\":\"Thing\"},\"scope\":\"Namespaced\"},{\"resource\":\"bad\"},7]},"
           "{\"version\":\"v1\",\"resources\":[{\"resource\":\"things\",\"responseKind\":{\"kind\":\"Thing\"},\"scope\":"
           "\"Cluster\"}]}]}]}");
    assert_true(kube_kinds_of_aggregated(a, aggregated, &kinds));
    assert_int_equal(kinds.n, 2);
    testing_text(kinds.v[0].version, "v2");
    assert_true(kinds.v[0].namespaced && !kinds.v[1].namespaced);
    assert_false(kube_kinds_of_version(a, aggregated, STR("g"), STR("v1"), &kinds));
    const struct json *old =
        testing_jsonz(a, "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"pods\",\"kind\":\"Pod\",\"namespaced\":true},"
                         "{\"name\":\"pods/status\",\"kind\":\"Pod\",\"namespaced\":true}]}");
    assert_true(kube_kinds_of_version(a, old, STR_EMPTY, STR("v1"), &kinds));
    assert_int_equal(kinds.n, 3);
    assert_false(kube_kinds_of_aggregated(a, testing_jsonz(a, "{\"kind\":\"APIGroupList\"}"), &kinds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),  cmocka_unit_test(rights),    cmocka_unit_test(repetitions),
        cmocka_unit_test(leases), cmocka_unit_test(discovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
