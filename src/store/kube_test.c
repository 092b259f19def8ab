/*
 * The Kubernetes store as far as it needs no real server (tests/scenario/store_kubernetes has the rest): its own checks, waiting
 * and stopping.
 */
#include "store/kube.h"

#include "base/testing.h"
#include "http/testing_server.h"
#include "loop/thread.h"

#define DISCOVERED                                                                                                               \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"g\"},\"versions\":[{\"version\":\"v1\","           \
    "\"resources\":["                                                                                                            \
    "{\"resource\":\"things\",\"responseKind\":{\"kind\":\"Thing\"},\"scope\":\"Cluster\"},"                                     \
    "{\"resource\":\"others\",\"responseKind\":{\"kind\":\"Other\"},\"scope\":\"Namespaced\"}]}]}]}"
#define EVENT(kind, name)                                                                                                        \
    "{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"g/v1\",\"kind\":\"" kind "\",\"metadata\":{\"name\":\"" name               \
    "\",\"resourceVersion\":\"8\"}}}\n"

struct world {
    struct arena *arena;
    struct diags diags;
    struct loop *loop;
    struct testing_server *server;
    struct kubeconfig config;
    struct kube *client;
    struct store *store;
};

static bool has(struct str text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part));
}

static void answer(void *ctx, const struct testing_request *request, struct testing_answer *ret)
{
    (void)ctx;
    static const struct str thing[] = {STR(EVENT("Thing", "a"))}, other[] = {STR(EVENT("Other", "b"))};
    if (str_eqz(request->target, "/api") || str_eqz(request->target, "/apis"))
        ret->body = STR(DISCOVERED);
    else if (has(request->target, "watch=1")) {
        ret->chunks = has(request->target, "/things?") ? thing : other;
        ret->n_chunks = has(request->target, "resourceVersion=99") ? 0 : 1;
        ret->hold = true;
    } else if (str_eqz(request->target, "/apis/g/v1/things/secret")) {
        ret->status = 403;
        ret->body = STR("{\"kind\":\"Status\",\"message\":\"things.g is forbidden: User cannot get resource things\"}");
    } else {
        ret->status = 404;
        ret->body = STR("{\"kind\":\"Status\",\"message\":\"nothing here\"}");
    }
}

static void start(struct world *w)
{
    static const struct store_kube_kind kinds[] = {{STR("g"), STR("Thing"), STR_EMPTY, STR_EMPTY, STR_EMPTY},
                                                   {STR("g"), STR("Other"), STR("v1"), STR_EMPTY, STR_EMPTY}};
    *w = (struct world){.arena = arena_new(NULL, 0)};
    diags_init(&w->diags, w->arena);
    w->loop = loop_new();
    w->server = testing_server_start(answer, w, TESTING_PLAIN);
    w->config = (struct kubeconfig){.server = str_of(testing_server_url(w->server)), .title = STR("test")};
    w->client = kube_new(&(struct kube_options){.loop = w->loop, .config = &w->config}, &w->diags);
    assert_non_null(w->client);
    w->store = store_kube_open(&(struct store_kube_options){.client = w->client, .kinds = kinds, .n_kinds = 2});
}

static void stop(struct world *w)
{
    store_close(w->store);
    kube_free(w->client);
    testing_server_stop(w->server);
    loop_free(w->loop);
    arena_free(w->arena);
}

static void failed(struct world *w, enum store_result got, enum store_result expected, const char *says)
{
    testing_says(&w->diags, says);
    assert_int_equal(got, expected);
    diags_init(&w->diags, w->arena);
}

static const struct store_query all = {0};

static void refuses(void **state)
{
    (void)state;
    struct world w;
    const struct json *ret;
    struct store_watch *watch;
    start(&w);
    struct json const *thing =
        testing_jsonz(w.arena, "{\"apiVersion\":\"g/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}");
    struct json const *versioned = testing_jsonz(
        w.arena, "{\"apiVersion\":\"g/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"7\"}}");
    struct json const *other =
        testing_jsonz(w.arena, "{\"apiVersion\":\"g/v1\",\"kind\":\"Other\",\"metadata\":{\"name\":\"a\"}}");
    failed(&w, store_create(w.store, w.arena, versioned, &w.diags, &ret), STORE_INVALID, "resourceVersion must not be set");
    failed(&w, store_update(w.store, w.arena, thing, &w.diags, &ret), STORE_INVALID, "resourceVersion must be");
    failed(&w, store_update_status(w.store, w.arena, thing, &w.diags, &ret), STORE_INVALID, "resourceVersion must be");
    failed(&w, store_create(w.store, w.arena, other, &w.diags, &ret), STORE_INVALID, "need a metadata.namespace");
    struct store_key key = {STR("g"), STR("Thing"), STR_EMPTY, STR("secret")},
                     unknown = {STR("g"), STR("Nothing"), STR_EMPTY, STR("x")};
    failed(&w, store_get(w.store, w.arena, &key, &w.diags, &ret), STORE_FAILED, "Missing right: get things.g");
    failed(&w, store_get(w.store, w.arena, &unknown, &w.diags, &ret), STORE_NOT_FOUND,
           "Is its CustomResourceDefinition installed?");
    static const char *const versions[] = {"", "0", "1,0", "1,2,3", ",1"};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        failed(&w, store_watch_open(w.store, &all, str_of(versions[i]), &w.diags, &watch), STORE_EXPIRED, "is not a version");
    assert_true(store_holds_lease(w.store));
    stop(&w);
}

static void several_kinds(void **state)
{
    (void)state;
    struct world w;
    struct store_watch *watch;
    struct store_change change;
    start(&w);
    assert_int_equal(store_watch_open(w.store, &all, STR("5,6"), &w.diags, &watch), STORE_OK);
    bool thing = false, other = false;
    int64_t deadline = clock_now(&system_clock) + 60 * NS_PER_S;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_watch_next(watch, w.arena, deadline, &w.diags, &change), STORE_OK);
        assert_int_equal(change.kind, STORE_ADDED);
        thing = thing || str_eqz(testing_member(change.object, "kind"), "Thing");
        other = other || str_eqz(testing_member(change.object, "kind"), "Other");
    }
    assert_true(thing && other);
    assert_int_equal(store_watch_next(watch, w.arena, clock_now(&system_clock), &w.diags, &change), STORE_TIMEOUT);
    testing_no_errors(&w.diags);
    store_watch_close(watch);
    stop(&w);
}

static void *stop_it(void *watch)
{
    store_watch_stop(watch);
    return NULL;
}

static void stops(void **state)
{
    (void)state;
    struct world w;
    struct store_watch *watch;
    struct store_change change;
    pthread_t thread;
    start(&w);
    assert_int_equal(store_watch_open(w.store, &all, STR("99"), &w.diags, &watch), STORE_OK);
    assert_int_equal(store_watch_next(watch, w.arena, clock_now(&system_clock) + NS_PER_MS, &w.diags, &change), STORE_TIMEOUT);
    assert_int_equal(thread_start(&thread, "stop", stop_it, watch), 0);
    assert_int_equal(store_watch_next(watch, w.arena, NO_DEADLINE, &w.diags, &change), STORE_STOPPED);
    thread_join(thread);
    assert_int_equal(store_watch_next(watch, w.arena, NO_DEADLINE, &w.diags, &change), STORE_STOPPED);
    store_watch_close(watch);
    struct store_watch *many[STORE_MAX_WATCHES], *more;
    for (size_t i = 0; i < STORE_MAX_WATCHES; i++)
        assert_int_equal(store_watch_open(w.store, &all, STR("99"), &w.diags, &many[i]), STORE_OK);
    failed(&w, store_watch_open(w.store, &all, STR("99"), &w.diags, &more), STORE_TOO_MANY, "256 watches are open");
    for (size_t i = 0; i < STORE_MAX_WATCHES; i++)
        store_watch_close(many[i]);
    stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(several_kinds),
        cmocka_unit_test(stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
