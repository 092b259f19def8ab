/* Requests to a server that misbehaves. */
#include "kube/list.h"
#include "kube/objects.h"
#include "kube/recorder.h"
#include "kube/retry.h"
#include "kube/testing_kube.h"

static const struct kube_resource things = {STR("g.example.org"), STR("v1"), STR("Thing"), STR("things"), false};
#define THING "{\"apiVersion\":\"g.example.org/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"}}"
#define ALL ((struct kube_place){&things, STR_EMPTY, STR_EMPTY, NULL})
#define ONE ((struct kube_place){&things, STR_EMPTY, STR("a"), NULL})

static enum kube_result get(struct testing_cluster *w)
{
    const struct json *got;
    return kube_get(w->kube, w->arena, &ONE, &w->diags, &got);
}

static enum kube_result create(struct testing_cluster *w)
{
    const struct json *got;
    return kube_create(w->kube, w->arena, &ALL, testing_jsonz(w->arena, THING), &w->diags, &got);
}

static void told_to_wait(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 429, "Retry-After: 3\r\n", "{\"kind\":\"Status\",\"code\":429}");
    testing_cluster_status(&w, 503, "Retry-After: 100000\r\n", "busy");
    testing_cluster_status(&w, 200, NULL, THING);
    testing_cluster_start(&w, TESTING_PLAIN);
    assert_int_equal(create(&w), KUBE_OK); /* after either answer the request was not processed */
    testing_no_errors(&w.diags);
    assert_int_equal(testing_cluster_n_requests(&w), 3);
    assert_int_equal(w.time.n_pauses, 2);
    assert_true(w.time.pauses[0] >= 3 * NS_PER_S && w.time.pauses[0] < 4 * NS_PER_S);
    assert_true(w.time.pauses[1] >= KUBE_MAX_RETRY_AFTER_S * NS_PER_S && w.time.pauses[1] < 31 * NS_PER_S);
    testing_cluster_end(&w);
}

static void broken_for_a_while(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 500, NULL, "{\"kind\":\"Status\",\"message\":\"etcd is away\"}");
    testing_cluster_says(&w, (struct testing_answer){.body = STR("{\"ki"), .more_than = 100});
    testing_cluster_says(&w, (struct testing_answer){.drop = true});
    testing_cluster_says(&w, (struct testing_answer){.raw = STR("this is not HTTP\r\n\r\n")});
    testing_cluster_status(&w, 200, NULL, THING);
    testing_cluster_start(&w, TESTING_PLAIN);
    assert_int_equal(get(&w), KUBE_OK);
    testing_no_errors(&w.diags);
    assert_int_equal(w.time.n_pauses, 4);
    for (int i = 1; i < w.time.n_pauses; i++)
        assert_true(w.time.pauses[i] > w.time.pauses[i - 1]);
    testing_cluster_end(&w);
}

static void broken_for_good(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 500, NULL, "{\"kind\":\"Status\",\"message\":\"etcd is away\"}");
    testing_cluster_start(&w, TESTING_PLAIN);
    assert_int_equal(get(&w), KUBE_UNAVAILABLE);
    testing_says(&w.diags, "get things.g.example.org: etcd is away");
    assert_int_equal(testing_cluster_n_requests(&w), KUBE_MAX_TRIES);
    testing_cluster_end(&w);
}

/* A request that must not be retried is sent once, even where libcurl would retry it by itself: on a reused connection. */
static void outcome_unknown(void **state)
{
    (void)state;
    static const struct testing_answer bad[] = {
        {.drop = true},
        {.status = 500, .body = STR("{\"kind\":\"Status\",\"message\":\"panic\"}")},
        {.body = STR("{"), .more_than = 10},
        {.status = 201, .body = STR("{\"half\":")},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct testing_cluster w;
        testing_cluster_init(&w);
        testing_cluster_status(&w, 200, NULL, THING);
        testing_cluster_says(&w, bad[i]);
        testing_cluster_start(&w, TESTING_PLAIN);
        assert_int_equal(get(&w), KUBE_OK);
        assert_int_equal(create(&w), KUBE_UNKNOWN);
        assert_int_equal(w.diags.n_errors, 1);
        assert_int_equal(testing_cluster_n_requests(&w), 2);
        testing_cluster_end(&w);
    }
}

static void not_an_api_server(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 200, NULL, "<html>");
    testing_cluster_start(&w, TESTING_PLAIN);
    assert_int_equal(get(&w), KUBE_UNAVAILABLE);
    testing_says(&w.diags, "Is the address in the kubeconfig that of a Kubernetes API server?");
    testing_cluster_end(&w);
}

static void answers_have_a_bound(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    char *large = malloc(1 << 20);
    memset(large, ' ', 1 << 20);
    testing_cluster_says(&w, (struct testing_answer){.body = {large, 1 << 20}});
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_request r = {.method = "GET", .target = STR("/version"), .max_answer = 1000};
    assert_int_equal(kube_do(w.kube, w.arena, &r, &w.diags, NULL), KUBE_TOO_LARGE);
    testing_says(&w.diags, "more than 1000 bytes");
    assert_int_equal(testing_cluster_n_requests(&w), 1);
    testing_cluster_end(&w);
    free(large);
}

static void token_is_renewed(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    (void)snprintf(w.token_file, sizeof w.token_file, "/tmp/terrane-kube-XXXXXX");
    int fd = mkstemp(w.token_file);
    assert_int_equal(write(fd, "old\n", 4), 4);
    (void)close(fd);
    testing_cluster_status(&w, 200, NULL, THING);
    testing_cluster_status(&w, 401, NULL, "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}");
    testing_cluster_status(&w, 200, NULL, THING);
    testing_cluster_status(&w, 200, NULL, THING);
    testing_cluster_status(&w, 401, NULL, "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}");
    testing_cluster_start(&w, TESTING_PLAIN);
    assert_int_equal(get(&w), KUBE_OK);
    testing_cluster_asked(&w, 0, "Bearer old");
    assert_true(file_write(w.token_file, STR("new"), 0600, &w.diags));
    assert_int_equal(get(&w), KUBE_OK); /* rejected, token read again, accepted */
    testing_cluster_asked(&w, 1, "Bearer old");
    testing_cluster_asked(&w, 2, "Bearer new");
    assert_true(file_write(w.token_file, STR("newer"), 0600, &w.diags));
    fake_clock_advance(&w.time.clock, (KUBE_AUTH_REREAD_S + 1) * NS_PER_S);
    assert_int_equal(get(&w), KUBE_OK); /* the token was read again without a rejection */
    testing_cluster_asked(&w, 3, "Bearer newer");
    (void)unlink(w.token_file);
    assert_int_equal(get(&w), KUBE_UNAUTHORIZED); /* and tried once more with the old token */
    assert_int_equal(testing_cluster_n_requests(&w), 6);
    testing_says(&w.diags, "Credentials were not accepted");
    testing_says(&w.diags, "Renew the token or the client certificate");
    assert_null(strstr(testing_said(&w.diags), "newer"));
    testing_cluster_end(&w);
}

static void certificate_has_expired(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 200, NULL, THING);
    testing_cluster_start(&w, TESTING_TLS_EXPIRED);
    assert_int_equal(get(&w), KUBE_UNAVAILABLE);
    testing_says(&w.diags, "has expired");
    assert_int_equal(testing_cluster_n_requests(&w), 0);
    testing_cluster_end(&w);
}

static void errors_have_fields(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(
        &w, 422, NULL,
        "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":\"all of it\",\"details\":{\"causes\":["
        "{\"field\":\"spec.size\",\"message\":\"Invalid value: 5\"},{\"field\":\"spec.name\",\"message\":\"Required value\"}]}}");
    testing_cluster_start(&w, TESTING_PLAIN);
    assert_int_equal(create(&w), KUBE_INVALID);
    assert_int_equal(w.diags.n, 2);
    testing_text(w.diags.v[0].detail, "create things.g.example.org: spec.size: Invalid value: 5");
    testing_text(w.diags.v[1].detail, "create things.g.example.org: spec.name: Required value");
    testing_cluster_end(&w);
}

/* Lists */

static bool take_name(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    buf_printf(ctx, STR_FMT "/" STR_FMT " ", STR_ARG(json_text(json_get(object, "kind"), STR("?"))),
               STR_ARG(kube_metadata(object, "name")));
    return true;
}

#define PAGE(names, next)                                                                                                        \
    "{\"kind\":\"ThingList\",\"apiVersion\":\"g.example.org/v1\",\"metadata\":{\"resourceVersion\":\"9\"" next                   \
    "},\"items\":[" names "]}"
#define NEXT(token) ",\"continue\":\"" token "\""
#define NAMED(name) "{\"metadata\":{\"name\":\"" name "\",\"managedFields\":[]}}"

static void lists_in_pages(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 200, NULL, PAGE(NAMED("a") "," NAMED("b"), NEXT("x&y")));
    testing_cluster_status(&w, 429, "Retry-After: 1\r\n", "");
    testing_cluster_status(&w, 200, NULL, PAGE(NAMED("c"), ""));
    testing_cluster_start(&w, TESTING_PLAIN);
    struct buf names BUF_AUTO = BUF_INIT(1000);
    struct str version;
    struct kube_selection which = {STR("a in (b,c)"), STR_EMPTY};
    assert_int_equal(kube_list(w.kube, w.arena, &ALL, &which, take_name, &names, &w.diags, &version), KUBE_OK);
    testing_text(buf_str(&names), "Thing/a Thing/b Thing/c ");
    testing_text(version, "9");
    testing_cluster_asked(&w, 0, "/apis/g.example.org/v1/things?limit=500&labelSelector=a%20in%20%28b%2Cc%29 ");
    testing_cluster_asked(&w, 2, "limit=500&continue=x%26y&labelSelector=");
    testing_cluster_end(&w);
}

static void lists_that_expire(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 200, NULL, PAGE(NAMED("a"), NEXT("x")));
    testing_cluster_status(
        &w, 410, NULL, "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"The provided continue parameter is too old\"}");
    testing_cluster_start(&w, TESTING_PLAIN);
    struct buf names BUF_AUTO = BUF_INIT(1000);
    struct str version;
    assert_int_equal(kube_list(w.kube, w.arena, &ALL, NULL, take_name, &names, &w.diags, &version), KUBE_GONE);
    testing_says(&w.diags, "too old");
    testing_cluster_end(&w);
}

static void pages_that_are_too_large(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    size_t n = KUBE_MAX_ANSWER + 1;
    char *large = malloc(n);
    memset(large, ' ', n);
    testing_cluster_says(&w, (struct testing_answer){.body = {large, n}});
    testing_cluster_status(&w, 200, NULL, PAGE(NAMED("a"), ""));
    testing_cluster_start(&w, TESTING_PLAIN);
    struct buf names BUF_AUTO = BUF_INIT(1000);
    struct str version;
    assert_int_equal(kube_list(w.kube, w.arena, &ALL, NULL, take_name, &names, &w.diags, &version), KUBE_OK);
    testing_no_errors(&w.diags);
    testing_cluster_asked(&w, 0, "limit=500 ");
    testing_cluster_asked(&w, 1, "limit=125 ");
    testing_cluster_end(&w);
    free(large);
}

/* Events */

static enum kube_result say(struct testing_cluster *w, struct kube_recorder *r, const char *name, const char *message)
{
    struct kube_happening what = {.api_version = STR("g/v1"),
                                  .kind = STR("Thing"),
                                  .name = str_of(name),
                                  .uid = str_of(name),
                                  .type = STR("Normal"),
                                  .reason = STR("R"),
                                  .message = str_of(message)};
    return kube_record(r, &what, &w->diags);
}

static void events_are_counted(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 201, NULL, "{}");
    testing_cluster_status(&w, 200, NULL, "{}");
    testing_cluster_status(&w, 404, NULL, "{\"kind\":\"Status\"}");
    testing_cluster_status(&w, 409, NULL, "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"}");
    testing_cluster_status(&w, 200, NULL, "{\"count\":7}");
    testing_cluster_status(&w, 200, NULL, "{}");
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_recorder *r = kube_recorder_new(w.kube, "test");
    for (int i = 0; i < 3; i++)
        assert_int_equal(say(&w, r, "a", "once and again"), KUBE_OK);
    testing_no_errors(&w.diags);
    static const char *const asked[] = {"POST /api/v1/namespaces/default/events ",
                                        "PATCH /api/v1/namespaces/default/events/a.",
                                        "PATCH /api/v1/namespaces/default/events/a.",
                                        "POST ",
                                        "GET ",
                                        "PATCH "};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        testing_cluster_asked(&w, i, asked[i]);
    assert_int_equal(testing_cluster_n_requests(&w), 6);
    kube_recorder_free(r);
    testing_cluster_end(&w);
}

static void events_have_a_rate(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_status(&w, 201, NULL, "{}");
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_recorder *r = kube_recorder_new(w.kube, "test");
    for (int i = 0; i < 3 * KUBE_RECORDER_BURST; i++)
        assert_int_equal(say(&w, r, "a", arena_printf(w.arena, "request %d failed", i).p), KUBE_OK);
    assert_int_equal(testing_cluster_n_requests(&w), KUBE_RECORDER_BURST);
    assert_int_equal(say(&w, r, "another", "speaks"), KUBE_OK);
    assert_int_equal(testing_cluster_n_requests(&w), KUBE_RECORDER_BURST + 1);
    fake_clock_advance(&w.time.clock, KUBE_RECORDER_EACH_S * NS_PER_S);
    assert_int_equal(say(&w, r, "a", "speaks"), KUBE_OK);
    assert_int_equal(say(&w, r, "a", "too much"), KUBE_OK);
    assert_int_equal(testing_cluster_n_requests(&w), KUBE_RECORDER_BURST + 2);
    kube_recorder_free(r);
    testing_cluster_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_to_wait),       cmocka_unit_test(broken_for_a_while),
        cmocka_unit_test(broken_for_good),    cmocka_unit_test(outcome_unknown),
        cmocka_unit_test(not_an_api_server),  cmocka_unit_test(answers_have_a_bound),
        cmocka_unit_test(token_is_renewed),   cmocka_unit_test(certificate_has_expired),
        cmocka_unit_test(errors_have_fields), cmocka_unit_test(lists_in_pages),
        cmocka_unit_test(lists_that_expire),  cmocka_unit_test(pages_that_are_too_large),
        cmocka_unit_test(events_are_counted), cmocka_unit_test(events_have_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
