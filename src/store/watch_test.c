/* Every change is seen once and in order: with one thread, and with several that write and watch at the same time. */
#include "loop/thread.h"
#include "store/testing_store.h"

#include <inttypes.h>

static struct store_watch *watch(struct testing_store *w, const struct store_query *query, const char *version)
{
    struct store_watch *watch = NULL;
    assert_int_equal(store_watch_open(w->store, query, str_of(version), &w->diags, &watch), STORE_OK);
    return watch;
}

/* The next change as "ADDED name@version", or the result; does not wait. */
static const char *next(struct testing_store *w, struct store_watch *watch)
{
    static const char *const kinds[] = {[STORE_ADDED] = "ADDED", [STORE_MODIFIED] = "MODIFIED", [STORE_DELETED] = "DELETED"};
    struct store_change change;
    enum store_result result = store_watch_next(watch, w->arena, clock_now(&system_clock), &w->diags, &change);
    if (result == STORE_TIMEOUT)
        return "nothing";
    if (result == STORE_EXPIRED)
        return "expired";
    if (result == STORE_STOPPED)
        return "stopped";
    assert_int_equal(result, STORE_OK);
    struct str name = object_metadata_text(change.object, "name"),
               version = object_metadata_text(change.object, "resourceVersion");
    return arena_printf(w->arena, "%s " STR_FMT "@" STR_FMT, kinds[change.kind], STR_ARG(name), STR_ARG(version)).p;
}

static const struct store_query everything;

static void changes_come_in_order(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct store_watch *all = watch(&w, &everything, "0");
    assert_string_equal(next(&w, all), "nothing");
    const struct json *a = testing_store_bucket(&w, "a");
    (void)testing_store_bucket(&w, "b");
    (void)testing_store_update(&w, a); /* nothing changes */
    (void)testing_store_status(&w, a, "{\"ready\":1}");
    (void)testing_store_delete(&w, "b");
    assert_string_equal(next(&w, all), "ADDED a@1");
    assert_string_equal(next(&w, all), "ADDED b@2");
    assert_string_equal(next(&w, all), "MODIFIED a@3");
    assert_string_equal(next(&w, all), "DELETED b@4");
    assert_string_equal(next(&w, all), "nothing");
    struct store_watch *later = watch(&w, &everything, "2"), *now = watch(&w, &everything, testing_store_version(&w).p);
    assert_string_equal(next(&w, later), "MODIFIED a@3");
    assert_string_equal(next(&w, now), "nothing");
    store_watch_close(later);
    store_watch_close(all);
    store_watch_close(now);

    testing_store_close(&w);
    testing_store_open(&w, NULL); /* history survives a restart */
    all = watch(&w, &everything, "3");
    assert_string_equal(next(&w, all), "DELETED b@4");
    store_watch_close(all);
    testing_store_end(&w);
}

static void deletions_with_finalizers(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *a = testing_store_bucket(&w, "a");
    (void)testing_store_update(&w, object_with_metadata(w.arena, a, "finalizers", testing_jsonz(w.arena, "[\"x\"]")));
    a = testing_store_delete(&w, "a");
    (void)testing_store_update(&w, object_with_metadata(w.arena, a, "finalizers", NULL));
    struct store_watch *all = watch(&w, &everything, "1");
    assert_string_equal(next(&w, all), "MODIFIED a@2");
    assert_string_equal(next(&w, all), "MODIFIED a@3");
    assert_string_equal(next(&w, all), "DELETED a@4");
    store_watch_close(all);
    testing_store_end(&w);
}

static const struct json *relabel(struct testing_store *w, const struct json *object, const char *app)
{
    return testing_store_update(w,
                                object_with_metadata(w->arena, object, "labels",
                                                     testing_jsonz(w->arena, arena_printf(w->arena, "{\"app\":\"%s\"}", app).p)));
}

static void watches_have_queries(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct selector web = testing_store_selector(&w, "app=web");
    struct store_watch *buckets =
        watch(&w, &(struct store_query){.group = STR("s3.aws.example.org"), .kind = STR("Bucket")}, "0");
    struct store_watch *webs = watch(&w, &(struct store_query){.selector = &web}, "0");
    struct store_watch *others =
        watch(&w, &(struct store_query){.group = STR("g"), .kind = STR("K"), .namespace = STR("n")}, "0");
    const struct json *a = testing_store_bucket(&w, "a");
    (void)testing_store_create(&w, "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"k\",\"namespace\":\"n\"}}");
    (void)testing_store_create(&w, "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"k\",\"namespace\":\"m\"}}");
    a = relabel(&w, a, "web");
    a = testing_store_status(&w, a, "{\"s\":1}");
    a = relabel(&w, a, "db");
    (void)testing_store_delete(&w, "a");
    assert_string_equal(next(&w, buckets), "ADDED a@1");
    assert_string_equal(next(&w, buckets), "MODIFIED a@4");
    assert_string_equal(next(&w, webs), "ADDED a@4");
    assert_string_equal(next(&w, webs), "MODIFIED a@5");
    assert_string_equal(next(&w, webs), "DELETED a@6");
    assert_string_equal(next(&w, webs), "nothing");
    assert_string_equal(next(&w, others), "ADDED k@2");
    assert_string_equal(next(&w, others), "nothing");
    store_watch_close(buckets);
    store_watch_close(webs);
    store_watch_close(others);
    testing_store_end(&w);
}

static void old_changes_are_forgotten(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, &(struct store_sqlite_options){.max_history = 4});
    struct store_watch *slow = watch(&w, &everything, "0");
    const struct json *a = testing_store_bucket(&w, "a");
    (void)testing_store_bucket(&w, "b");
    for (int i = 0; i < 8; i++)
        a = testing_store_status(&w, a, arena_printf(w.arena, "{\"n\":%d}", i).p);
    assert_string_equal(next(&w, slow), "expired");
    testing_store_failed(&w, STORE_OK, STORE_OK, "List the objects again");
    store_watch_close(slow);
    assert_string_equal(testing_store_names(&w, &everything), "a b"); /* objects are never dropped, however old */
    struct store_watch *late = watch(&w, &everything, "6");
    assert_string_equal(next(&w, late), "MODIFIED a@7");
    store_watch_close(late);
    late = watch(&w, &everything, "5");
    assert_string_equal(next(&w, late), "expired");
    store_watch_close(late);
    testing_store_end(&w);
}

static void history_has_a_size(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, &(struct store_sqlite_options){.max_history_bytes = 2000});
    const struct json *a = testing_store_bucket(&w, "a");
    for (int i = 0; i < 40; i++)
        a = testing_store_status(&w, a, arena_printf(w.arena, "{\"n\":%d}", i).p);
    struct store_watch *first = watch(&w, &everything, "1"), *last = watch(&w, &everything, "39");
    assert_string_equal(next(&w, first), "expired");
    assert_string_equal(next(&w, last), "MODIFIED a@40");
    store_watch_close(first);
    store_watch_close(last);
    testing_store_end(&w);
}

static void watches_that_are_refused(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct store_watch *watches[STORE_MAX_WATCHES], *none = NULL;
    testing_store_failed(&w, store_watch_open(w.store, &everything, STR(""), &w.diags, &none), STORE_INVALID, "is not a version");
    testing_store_failed(&w, store_watch_open(w.store, &everything, STR("7"), &w.diags, &none), STORE_EXPIRED,
                         "List the objects again");
    for (size_t i = 0; i < STORE_MAX_WATCHES; i++)
        watches[i] = watch(&w, &everything, "0");
    testing_store_failed(&w, store_watch_open(w.store, &everything, STR("0"), &w.diags, &none), STORE_TOO_MANY,
                         "256 watches are open");
    assert_null(none);
    for (size_t i = 0; i < STORE_MAX_WATCHES; i++)
        store_watch_close(watches[i]);
    none = watch(&w, &everything, "0");
    store_watch_stop(none);
    assert_string_equal(next(&w, none), "stopped");
    store_watch_close(none);
    testing_store_end(&w);
}

/* A second store on the same folder stands for another process. */
static void changes_of_others_are_seen(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct store *mine = w.store, *other = store_sqlite_open(w.folder, &(struct store_sqlite_options){.visit = true}, &w.diags);
    assert_non_null(other);
    struct store_watch *watched = watch(&w, &everything, "0");
    struct store_change change;
    int64_t soon = clock_now(&system_clock) + 60 * NS_PER_S;
    w.store = other;
    (void)testing_store_bucket(&w, "a");
    assert_int_equal(store_watch_next(watched, w.arena, soon, &w.diags, &change), STORE_OK);
    testing_text(object_metadata_text(change.object, "name"), "a");
    w.store = mine;
    (void)testing_store_bucket(&w, "b"); /* ordered by version, whoever wrote it */
    w.store = other;
    const struct json *c = testing_store_bucket(&w, "c");
    assert_int_equal(store_watch_next(watched, w.arena, soon, &w.diags, &change), STORE_OK);
    testing_text(object_metadata_text(change.object, "name"), "b");
    assert_int_equal(store_watch_next(watched, w.arena, soon, &w.diags, &change), STORE_OK);
    testing_text(object_metadata_text(change.object, "name"), "c");
    w.store = mine; /* it may not have polled since */
    struct store_watch *late = watch(&w, &everything, object_metadata_text(c, "resourceVersion").p);
    assert_string_equal(next(&w, late), "nothing");
    store_watch_close(late);
    store_watch_close(watched);
    store_close(other);
    testing_store_end(&w);
}

/* ---- threads ---- */

enum { WRITERS = 3, WATCHERS = 4, OBJECTS = 5, ROUNDS = 8, CHANGES = WRITERS * OBJECTS * (ROUNDS + 2) };

/* cmocka's assertions work only on the main thread: other threads count errors. */
struct shared {
    struct store *store;
    struct store_watch *watches[WATCHERS + 1];
    int wrong[WATCHERS + WRITERS + 1];
};

struct part {
    struct shared *shared;
    int number;
};

static void *write_much(void *arg)
{
    struct part *p = arg;
    int *wrong = &p->shared->wrong[WATCHERS + p->number];
    for (int o = 0; o < OBJECTS; o++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        struct str name = arena_printf(a, "w%d-%d", p->number, o);
        struct store_key key = bucket_key(name.p);
        struct str text = arena_printf(a, BUCKET("%s"), name.p);
        const struct json *object = json_parse(a, text, "test", &diags);
        *wrong += store_create(p->shared->store, a, object, &diags, &object) != STORE_OK;
        for (int i = 0; i < ROUNDS; i++) {
            struct str status = arena_printf(a, "%d", i);
            *wrong += store_get(p->shared->store, a, &key, &diags, &object) != STORE_OK;
            object = object_with(a, object, "status", json_make_number(a, status));
            *wrong += store_update_status(p->shared->store, a, object, &diags, &object) != STORE_OK;
        }
        *wrong += store_remove(p->shared->store, a, &key, NULL, &diags, &object) != STORE_OK;
    }
    return NULL;
}

/* Every watch sees every version, in order. */
static void *watch_all(void *arg)
{
    struct part *p = arg;
    int *wrong = &p->shared->wrong[p->number];
    for (int64_t i = 1; i <= CHANGES; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct store_change change;
        diags_init(&diags, a);
        if (store_watch_next(p->shared->watches[p->number], a, NO_DEADLINE, &diags, &change) != STORE_OK)
            return (*wrong)++, NULL;
        *wrong += !str_eq(object_metadata_text(change.object, "resourceVersion"), arena_printf(a, "%" PRId64, i));
    }
    return NULL;
}

static void *wait_to_be_stopped(void *arg)
{
    struct part *p = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct store_change change;
    diags_init(&diags, a);
    p->shared->wrong[WATCHERS + WRITERS] +=
        store_watch_next(p->shared->watches[WATCHERS], a, NO_DEADLINE, &diags, &change) != STORE_STOPPED;
    return NULL;
}

static void several_write_and_watch(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct shared shared = {.store = w.store};
    struct part parts[WATCHERS + WRITERS + 1];
    pthread_t threads[WATCHERS + WRITERS + 1];
    struct store_query none = {.group = STR("g"), .kind = STR("Nothing")};
    for (int i = 0; i <= WATCHERS; i++)
        shared.watches[i] = watch(&w, i < WATCHERS ? &everything : &none, "0");
    /* A watch that is never read does not hold up others. */
    struct store_watch *idle = watch(&w, &everything, "0");
    for (int i = 0; i <= WATCHERS + WRITERS; i++) {
        bool watches = i < WATCHERS, stops = i == WATCHERS + WRITERS;
        parts[i] = (struct part){&shared, watches || stops ? i : i - WATCHERS};
        assert_int_equal(thread_start(&threads[i], "part",
                                      stops     ? wait_to_be_stopped
                                      : watches ? watch_all
                                                : write_much,
                                      &parts[i]),
                         0);
    }
    for (int i = 0; i < WATCHERS + WRITERS; i++)
        thread_join(threads[i]);
    store_watch_stop(shared.watches[WATCHERS]);
    thread_join(threads[WATCHERS + WRITERS]);
    for (int i = 0; i <= WATCHERS + WRITERS; i++)
        assert_int_equal(shared.wrong[i], 0);
    for (int i = 0; i <= WATCHERS; i++)
        store_watch_close(shared.watches[i]);
    const char *first = next(&w, idle);
    assert_true(strncmp(first, "ADDED ", 6) == 0 && strcmp(strchr(first, '@'), "@1") == 0);
    store_watch_close(idle);
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_come_in_order),      cmocka_unit_test(deletions_with_finalizers),
        cmocka_unit_test(watches_have_queries),       cmocka_unit_test(old_changes_are_forgotten),
        cmocka_unit_test(history_has_a_size),         cmocka_unit_test(watches_that_are_refused),
        cmocka_unit_test(changes_of_others_are_seen), cmocka_unit_test(several_write_and_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
