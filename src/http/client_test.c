#include "http/client.h"

#include "base/env.h"
#include "base/testing.h"
#include "http/testing_server.h"

enum { N_THREADS = 8, N_CALLS = 25 };

/* Answers with the request; some targets misbehave. */
static void answer(void *ctx, const struct testing_request *r, struct testing_answer *answer)
{
    (void)ctx;
    if (str_eqz(r->target, "/hang")) {
        answer->hang = true;
    } else if (str_eqz(r->target, "/short")) {
        answer->body = STR("half");
        answer->more_than = 10;
    } else if (str_eqz(r->target, "/garbage")) {
        answer->raw = STR("\x16\x03nonsense\r\n\r\n");
    } else if (str_eqz(r->target, "/large")) {
        char *bytes = arena_alloc(answer->arena, 100000, 1);
        answer->body = (struct str){memset(bytes, 'x', 100000), 100000};
    } else if (str_eqz(r->target, "/headers")) {
        char *bytes = arena_alloc(answer->arena, 200000, 1);
        answer->headers = arena_printf(answer->arena, "X-Large: %s\r\n", (char *)memset(bytes, 'x', 99999)).p;
    } else if (str_eqz(r->target, "/moved")) {
        answer->status = 302;
        answer->headers = "Location: /secret\r\n";
    } else if (str_eqz(r->target, "/refuse")) {
        answer->status = 503;
        answer->headers = "X-One: 1\r\nDATE: Sun, 30 Aug 2015 12:36:00 GMT\r\nX-One: 2\r\n";
        answer->body = STR("no");
    } else {
        answer->body = arena_printf(answer->arena, STR_FMT " " STR_FMT "|" STR_FMT "|" STR_FMT "|" STR_FMT, STR_ARG(r->method),
                                    STR_ARG(r->target), STR_ARG(testing_header(r, "x-test")),
                                    STR_ARG(testing_header(r, "user-agent")), STR_ARG(r->body));
    }
}

struct world {
    struct arena *a;
    struct loop *loop;
    struct testing_server *server;
    struct http *http;
    struct diags diags;
};

static void set_up(struct world *w, bool tls, const struct http_options *options)
{
    struct http_options o = options ? *options : (struct http_options){.user_agent = STR("tester/1")};
    w->a = arena_new(NULL, 0);
    diags_init(&w->diags, w->a);
    w->loop = loop_new();
    w->server = testing_server_start(answer, NULL, tls);
    o.loop = w->loop;
    w->http = http_new(&o, &w->diags);
    testing_no_errors(&w->diags);
}

static void tear_down(struct world *w)
{
    http_free(w->http);
    testing_server_stop(w->server);
    loop_free(w->loop);
    arena_free(w->a);
}

static struct str url_of(struct world *w, const char *path)
{
    return arena_printf(w->a, "%s%s", testing_server_url(w->server), path);
}

static enum http_result ask(struct world *w, const char *path, struct http_response *ret, struct str *reterr)
{
    struct http_request r = {.method = "GET", .url = url_of(w, path)};
    return http_do(w->http, w->a, &r, ret, reterr);
}

static void requests_arrive_as_they_were_made(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    set_up(&w, false, NULL);
    struct http_header header = {STR("X-Test"), STR("va lue")};
    struct http_request r = {
        .method = "POST", .url = url_of(&w, "/a//./b?x=%20"), .headers = &header, .n_headers = 1, .body = STR("body")};
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_OK);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body.p, "POST /a//./b?x=%20|va lue|tester/1|body");
    r.method = "PUT";
    r.body = STR_EMPTY;
    header.value = STR_EMPTY;
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_OK);
    assert_string_equal(got.body.p, "PUT /a//./b?x=%20||tester/1|");
    assert_int_equal(ask(&w, "/refuse", &got, NULL), HTTP_OK);
    assert_int_equal(got.status, 503);
    assert_true(str_eqz(http_response_header(&got, "Date"), "Sun, 30 Aug 2015 12:36:00 GMT"));
    assert_true(str_eqz(http_response_header(&got, "x-one"), "1"));
    assert_true(str_eqz(http_response_header(&got, "x-two"), ""));
    assert_int_equal(testing_server_connections(w.server), 1); /* the connection was reused */
    tear_down(&w);
}

static void redirects_are_answers(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    set_up(&w, false, NULL);
    assert_int_equal(ask(&w, "/moved", &got, NULL), HTTP_OK);
    assert_int_equal(got.status, 302);
    assert_int_equal(testing_server_requests(w.server), 1);
    tear_down(&w);
}

static void bad_answers_are_errors(void **state)
{
    (void)state;
    struct world w;
    struct http_response got = {.status = 7};
    struct str why = STR_EMPTY;
    set_up(&w, false, NULL);
    assert_int_equal(ask(&w, "/short", &got, &why), HTTP_BROKEN);
    assert_true(why.n > 0);
    assert_int_equal(ask(&w, "/garbage", &got, &why), HTTP_BROKEN);
    assert_int_equal(ask(&w, "/headers", &got, &why), HTTP_TOO_LARGE);
    struct http_request r = {.method = "GET", .url = url_of(&w, "/large"), .max_body = 99999};
    assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_TOO_LARGE);
    assert_non_null(strstr(why.p, "99999 bytes"));
    r.max_body = 100000;
    assert_int_equal(got.status, 7);
    assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_OK);
    assert_int_equal(got.body.n, 100000);
    tear_down(&w);
}

static void what_cannot_be_asked(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    struct str why;
    set_up(&w, false, NULL);
    static const char *const bad[] = {"", "nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://a b/"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct http_request r = {.method = "GET", .url = str_of(bad[i])};
        assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_BAD_URL);
    }
    struct http_header header = {STR("X-Test"), STR("a\r\nX-Injected: b")};
    struct http_request r = {.method = "GET", .url = url_of(&w, "/"), .headers = &header, .n_headers = 1};
    assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_BAD_URL);
    r = (struct http_request){.method = "GET", .url = STR("http://name.invalid/")};
    assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_NO_HOST);
    r.url = STR("http://127.0.0.1:1/");
    assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_REFUSED);
    assert_int_equal(testing_server_requests(w.server), 0);
    tear_down(&w);
}

static void a_slow_server_is_not_waited_for(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    set_up(&w, false, NULL);
    struct http_request r = {.method = "GET", .url = url_of(&w, "/hang"), .timeout_ns = 20 * NS_PER_MS};
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_TIMEOUT);
    tear_down(&w);
}

static void *fire_when_asked(void *arg)
{
    struct {
        struct testing_server *server;
        struct cancel *cancel;
    } *both = arg;
    while (testing_server_requests(both->server) == 0)
        (void)sched_yield();
    cancel_fire(both->cancel);
    return NULL;
}

static void cancellation_ends_a_call_under_way(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    set_up(&w, false, NULL);
    struct {
        struct testing_server *server;
        struct cancel *cancel;
    } both = {w.server, cancel_new()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire_when_asked, &both), 0);
    struct http_request r = {.method = "GET", .url = url_of(&w, "/hang"), .cancel = both.cancel};
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_CANCELLED);
    (void)pthread_join(thread, NULL);
    r.url = url_of(&w, "/");
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_CANCELLED); /* cancelled before the call */
    assert_int_equal(testing_server_requests(w.server), 1);                 /* so nothing was sent */
    cancel_free(both.cancel);
    tear_down(&w);
}

static void *call_many_times(void *arg)
{
    struct world *w = arg;
    struct arena *a = arena_new(NULL, 0);
    uintptr_t wrong = 0;
    struct cancel *cancel = cancel_new();
    for (int i = 0; i < N_CALLS; i++) {
        struct str url = arena_printf(a, "%s/%d", testing_server_url(w->server), i);
        struct http_response got;
        struct http_request r = {.method = "GET", .url = url, .cancel = cancel};
        wrong += http_do(w->http, a, &r, &got, NULL) != HTTP_OK || got.status != 200 ||
                 !str_starts(got.body, arena_printf(a, "GET /%d|", i));
    }
    cancel_fire(cancel);
    cancel_free(cancel);
    arena_free(a);
    return (void *)wrong;
}

static void many_threads_share_connections(void **state)
{
    (void)state;
    struct world w;
    pthread_t threads[N_THREADS];
    set_up(&w, false, NULL);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_many_times, &w), 0);
    for (int i = 0; i < N_THREADS; i++) {
        void *wrong;
        (void)pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(testing_server_requests(w.server), N_THREADS * N_CALLS);
    assert_in_range(testing_server_connections(w.server), 1, N_THREADS);
    tear_down(&w);
}

static void certificates_are_verified(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    struct str why;
    set_up(&w, true, NULL);
    assert_int_equal(ask(&w, "/", &got, &why), HTTP_UNTRUSTED);
    struct http *strict = w.http;
    w.http = http_new(&(struct http_options){.loop = w.loop, .ca_file = testing_server_ca(w.server)}, &w.diags);
    assert_int_equal(ask(&w, "/", &got, &why), HTTP_OK);
    http_free(w.http);
    w.http = http_new(&(struct http_options){.loop = w.loop, .insecure = true}, &w.diags);
    assert_int_equal(ask(&w, "/", &got, &why), HTTP_OK);
    http_free(w.http);
    w.http = http_new(&(struct http_options){.loop = w.loop, .ca_file = "/nonexistent.pem"}, &w.diags);
    assert_int_equal(ask(&w, "/", &got, &why), HTTP_UNTRUSTED);
    http_free(w.http);
    w.http = strict;
    struct str plain = arena_printf(w.a, "http://%s/", testing_server_host(w.server));
    struct http_request r = {.method = "GET", .url = plain};
    assert_int_equal(http_do(w.http, w.a, &r, &got, &why), HTTP_BROKEN);
    tear_down(&w);
}

static void proxies(void **state)
{
    (void)state;
    struct world w;
    struct http_response got;
    set_up(&w, false, NULL);
    http_free(w.http);
    /* The server plays the proxy: it gets the whole URL. */
    struct http_options o = {.loop = w.loop, .proxies = {testing_server_url(w.server), "http://127.0.0.1:1", "direct.invalid"}};
    w.http = http_new(&o, &w.diags);
    struct http_request r = {.method = "GET", .url = STR("http://somewhere.invalid/x")};
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_OK);
    assert_true(str_starts(got.body, STR("GET http://somewhere.invalid/x|")));
    r.url = STR("https://somewhere.invalid/x");
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_REFUSED);
    r.url = STR("http://direct.invalid/x");
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_NO_HOST);
    r.url = url_of(&w, "/local");
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_OK);
    assert_true(str_starts(got.body, STR("GET /local|")));
    r = (struct http_request){.method = "GET", .url = STR("http://somewhere.invalid/x"), .direct = true};
    assert_int_equal(http_do(w.http, w.a, &r, &got, NULL), HTTP_NO_HOST);
    tear_down(&w);
}

static void proxies_of_the_environment(void **state)
{
    (void)state;
    static const char *const env[] = {"HTTP_PROXY=h", "https_proxy=s", "NO_PROXY=", "no_proxy=n", "X=", NULL};
    bool borrowed;
    struct http_proxies p = http_proxies(&(struct http_proxies){0}, env, &borrowed);
    assert_string_equal(p.http, "h");
    assert_string_equal(p.https, "s");
    assert_string_equal(p.none_for, "n");
    assert_false(borrowed);
    p = http_proxies(&(struct http_proxies){.http = "mine", .none_for = "me"}, env, &borrowed);
    assert_string_equal(p.http, "mine");
    assert_string_equal(p.https, "s");
    assert_string_equal(p.none_for, "me");
    p = http_proxies(&(struct http_proxies){.http = "mine"}, env + 4, &borrowed);
    assert_string_equal(p.https, "mine");
    assert_true(borrowed);
    p = http_proxies(&(struct http_proxies){.http = "mine", .https = ""}, env, &borrowed);
    assert_string_equal(p.https, "");
    assert_false(borrowed);
    assert_string_equal(env_get(env, "X"), "");
    assert_null(env_get(env, "HTTP"));
    assert_null(env_get(NULL, "HTTP"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_arrive_as_they_were_made),
        cmocka_unit_test(redirects_are_answers),
        cmocka_unit_test(bad_answers_are_errors),
        cmocka_unit_test(what_cannot_be_asked),
        cmocka_unit_test(a_slow_server_is_not_waited_for),
        cmocka_unit_test(cancellation_ends_a_call_under_way),
        cmocka_unit_test(many_threads_share_connections),
        cmocka_unit_test(certificates_are_verified),
        cmocka_unit_test(proxies),
        cmocka_unit_test(proxies_of_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
