/* Watches on connections that break, are refused, or deliver garbage. */
#include "kube/watch.h"

#include "kube/objects.h"
#include "kube/testing_kube.h"

#define EVENT(type, name, version)                                                                                               \
    "{\"type\":\"" type "\",\"object\":{\"kind\":\"Thing\",\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version   \
    "\"}}}\n"
#define CHUNKS(...)                                                                                                              \
    .chunks = (const struct str[]){__VA_ARGS__}, .n_chunks = sizeof((struct str[]){__VA_ARGS__}) / sizeof(struct str)

static const struct kube_resource things = {STR("g.example.org"), STR("v1"), STR("Thing"), STR("things"), false};

static struct kube_watch *watch(struct testing_cluster *w)
{
    struct kube_place all = {&things, STR_EMPTY, STR_EMPTY, NULL};
    return kube_watch_open(
        w->kube, &(struct kube_watch_options){.at = &all, .version = STR("10"), .wake = testing_cluster_wake, .ctx = w});
}

/* The next state other than KUBE_WATCH_NOTHING; pauses take no time. */
static enum kube_watch_state next(struct testing_cluster *w, struct kube_watch *k, struct kube_event *ret)
{
    for (;;) {
        int64_t due;
        mutex_lock(&w->lock);
        w->woken = false;
        mutex_unlock(&w->lock);
        enum kube_watch_state state = kube_watch_poll(k, w->arena, &w->diags, ret, &due);
        if (state != KUBE_WATCH_NOTHING)
            return state;
        if (due != NO_DEADLINE) {
            assert_true(w->time.n_pauses < TESTING_PAUSES);
            (void)testing_pause(&w->time.time, due - clock_now(&w->time.clock.clock), NULL);
            continue;
        }
        mutex_lock(&w->lock);
        while (!w->woken)
            assert_true(cond_wait(&w->changed, &w->lock, clock_now(&system_clock) + 60 * NS_PER_S));
        mutex_unlock(&w->lock);
    }
}

static void expect(struct testing_cluster *w, struct kube_watch *k, enum kube_event_kind kind, const char *name)
{
    struct kube_event event;
    enum kube_watch_state state = next(w, k, &event);
    testing_no_errors(&w->diags);
    assert_int_equal(state, KUBE_WATCH_EVENT);
    assert_int_equal(event.kind, kind);
    testing_text(kube_metadata(event.object, "name"), name);
}

static void goes_on_where_it_was(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    /* In chunks that do not match lines; a bookmark; then the connection breaks within an event. */
    testing_cluster_says(
        &w, (struct testing_answer){CHUNKS(STR("{\"type\":\"ADDED\",\"obj"),
                                           STR("ect\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"11\"}}}\n\n"),
                                           STR(EVENT("MODIFIED", "a", "12") EVENT("BOOKMARK", "", "20") "{\"type\":\"DEL")),
                                    .cut = true});
    /* The stream ends normally. */
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(STR(EVENT("DELETED", "a", "21")))});
    /* The connection breaks without any data, several times. */
    testing_cluster_says(&w, (struct testing_answer){.drop = true});
    testing_cluster_says(&w, (struct testing_answer){.status = 429, .headers = "Retry-After: 7\r\n"});
    testing_cluster_says(&w, (struct testing_answer){.status = 500, .body = STR("{\"kind\":\"Status\",\"code\":500}")});
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(STR("not an event\n" EVENT("ADDED", "never", "30")))});
    testing_cluster_says(
        &w, (struct testing_answer){CHUNKS(STR("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":503}}\n"))});
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(STR(EVENT("ADDED", "b", "40"))), .hold = true});
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_watch *k = watch(&w);
    expect(&w, k, KUBE_EVENT_ADDED, "a");
    expect(&w, k, KUBE_EVENT_MODIFIED, "a");
    expect(&w, k, KUBE_EVENT_DELETED, "a");
    expect(&w, k, KUBE_EVENT_ADDED, "b");
    testing_text(kube_watch_version(k), "40");
    kube_watch_close(k);
    testing_cluster_asked(&w, 0, "watch=1&allowWatchBookmarks=true&timeoutSeconds=");
    testing_cluster_asked(&w, 0, "resourceVersion=10 ");
    testing_cluster_asked(&w, 1, "resourceVersion=20 ");
    for (size_t i = 2; i < 8; i++)
        testing_cluster_asked(&w, i, "resourceVersion=21 ");
    assert_int_equal(testing_cluster_n_requests(&w), 8);
    bool waited = false;
    for (int i = 0; i < w.time.n_pauses; i++)
        waited = waited || w.time.pauses[i] >= 7 * NS_PER_S;
    assert_true(waited);
    testing_cluster_end(&w);
}

static void expires(void **state)
{
    (void)state;
    const struct testing_answer gone[] = {
        {.status = 410, .body = STR("{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}")},
        {CHUNKS(STR("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n"))},
    };
    for (size_t i = 0; i < 2; i++) {
        struct testing_cluster w;
        testing_cluster_init(&w);
        testing_cluster_says(&w, gone[i]);
        testing_cluster_start(&w, TESTING_PLAIN);
        struct kube_watch *k = watch(&w);
        struct kube_event event;
        assert_int_equal(next(&w, k, &event), KUBE_WATCH_EXPIRED);
        testing_says(&w.diags, "since version 10");
        assert_int_equal(next(&w, k, &event), KUBE_WATCH_EXPIRED);
        assert_int_equal(testing_cluster_n_requests(&w), 1);
        kube_watch_close(k);
        testing_cluster_end(&w);
    }
}

static void refused_and_then_not(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    testing_cluster_says(&w, (struct testing_answer){.status = 401, .body = STR("{\"kind\":\"Status\",\"code\":401}")});
    testing_cluster_says(
        &w, (struct testing_answer){.status = 403, .body = STR("{\"kind\":\"Status\",\"message\":\"no, you cannot\"}")});
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(STR(EVENT("ADDED", "a", "11"))), .hold = true});
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_watch *k = watch(&w);
    struct kube_event event;
    assert_int_equal(next(&w, k, &event), KUBE_WATCH_FAILED);
    testing_says(&w.diags, "Missing right: watch things.g.example.org.");
    diags_init(&w.diags, w.arena);
    expect(&w, k, KUBE_EVENT_ADDED, "a");
    kube_watch_close(k);
    testing_cluster_end(&w);
}

/* A watch that ends at once is not opened again and again without a pause. */
static void does_not_hammer(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    const struct testing_answer nothing = {CHUNKS(STR("\n"))};
    for (int i = 0; i < 5; i++)
        testing_cluster_says(&w, nothing);
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(STR(EVENT("ADDED", "a", "11"))), .hold = true});
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_watch *k = watch(&w);
    expect(&w, k, KUBE_EVENT_ADDED, "a");
    assert_int_equal(w.time.n_pauses, 5);
    assert_true(w.time.pauses[4] > 8 * w.time.pauses[0]);
    kube_watch_close(k);
    testing_cluster_end(&w);
}

static void events_have_a_bound(void **state)
{
    (void)state;
    struct testing_cluster w;
    testing_cluster_init(&w);
    size_t n = KUBE_FRAME_MAX / 4;
    char *large = malloc(n);
    memset(large, 'x', n);
    struct str piece = {large, n};
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(piece, piece, piece, piece, piece), .hold = true});
    testing_cluster_says(&w, (struct testing_answer){CHUNKS(STR(EVENT("ADDED", "a", "11"))), .hold = true});
    testing_cluster_start(&w, TESTING_PLAIN);
    struct kube_watch *k = watch(&w);
    struct kube_event event;
    enum kube_watch_state got = next(&w, k, &event);
    if (got == KUBE_WATCH_FAILED) { /* otherwise more data came than was read, and the connection was closed before */
        testing_says(&w.diags, "an event of more than");
        diags_init(&w.diags, w.arena);
        expect(&w, k, KUBE_EVENT_ADDED, "a");
    } else {
        assert_int_equal(got, KUBE_WATCH_EVENT);
    }
    kube_watch_close(k);
    testing_cluster_end(&w);
    free(large);
}

static void frames(void **state)
{
    (void)state;
    struct kube_frames f;
    struct str line;
    kube_frames_init(&f, 100);
    assert_int_equal(kube_frames_next(&f, &line), KUBE_FRAME_NONE);
    buf_addz(kube_frames_room(&f), "one\r\n\n  two \nthr");
    assert_int_equal(kube_frames_next(&f, &line), KUBE_FRAME_LINE);
    testing_text(line, "one");
    assert_int_equal(kube_frames_next(&f, &line), KUBE_FRAME_LINE);
    testing_text(line, "two");
    assert_int_equal(kube_frames_next(&f, &line), KUBE_FRAME_NONE);
    testing_text(kube_frames_rest(&f), "thr");
    buf_addz(kube_frames_room(&f), "ee\n");
    assert_int_equal(kube_frames_next(&f, &line), KUBE_FRAME_LINE);
    testing_text(line, "three");
    kube_frames_free(&f);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const bad[] = {"",
                                      "[]",
                                      "{}",
                                      "{\"type\":\"ADDED\"}",
                                      "{\"type\":\"ADDED\",\"object\":{}}",
                                      "{\"type\":\"ADDED\",\"object\":7}",
                                      "{\"type\":\"WHAT\",\"object\":{\"metadata\":{\"resourceVersion\":\"1\"}}}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(kube_event_read(a, str_of(bad[i])).kind, KUBE_EVENT_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),          cmocka_unit_test(goes_on_where_it_was),
        cmocka_unit_test(expires),         cmocka_unit_test(refused_and_then_not),
        cmocka_unit_test(does_not_hammer), cmocka_unit_test(events_have_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
