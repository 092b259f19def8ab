/*
 * The cost of the store's operations, with few objects and with many: store_bench FOLDER [OBJECTS]. Not installed; a timing is
 * not a test. The folder must not exist yet; it must be on the disk to be measured.
 */
#include "loop/thread.h"
#include "store/object.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 300, SPEC = 3000, USUAL_OBJECTS = 10000 };

struct bench {
    struct store *store;
    struct arena *arena;
    struct diags diags;
    char spec[SPEC];
};

static int64_t now(void)
{
    return system_clock.monotonic_ns(&system_clock);
}

/* CPU time of this thread: on a busy machine wall time includes other processes. */
static int64_t used(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void stop(const struct bench *b)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_write(&text, &b->diags, false);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    exit(1);
}

static void forget(struct bench *b)
{
    arena_reset(b->arena);
    diags_init(&b->diags, b->arena);
}

static struct store_key key_of(struct bench *b, int i)
{
    return (struct store_key){STR("example.org"), STR("Bucket"), STR_EMPTY, arena_printf(b->arena, "b%06d", i)};
}

static void create(struct bench *b, int i)
{
    struct str text = arena_printf(b->arena,
                                   "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Bucket\",\"metadata\":{\"name\":\"b%06d\","
                                   "\"labels\":{\"part\":\"p%d\"}},\"spec\":{\"text\":\"%.*s\"}}",
                                   i, i % 100, SPEC, b->spec);
    const struct json *made = NULL;
    if (store_create(b->store, b->arena, json_parse(b->arena, text, "bench", &b->diags), &b->diags, &made) != STORE_OK)
        stop(b);
}

static const struct json *get(struct bench *b, int i)
{
    struct store_key key = key_of(b, i);
    const struct json *object = NULL;
    if (store_get(b->store, b->arena, &key, &b->diags, &object) != STORE_OK)
        stop(b);
    return object;
}

static void update_status(struct bench *b, const struct json *object)
{
    const struct json *made = NULL;
    struct str status = arena_printf(b->arena, "%lld", (long long)now());
    object = object_with(b->arena, object, "status", json_make_number(b->arena, status));
    if (store_update_status(b->store, b->arena, object, &b->diags, &made) != STORE_OK)
        stop(b);
}

static void record(struct bench *b, int i)
{
    struct store_event event = {.about = key_of(b, i),
                                .uid = STR("u"),
                                .type = STR("Normal"),
                                .reason = STR("Synced"),
                                .message = arena_printf(b->arena, "message %d", i)};
    if (store_record(b->store, &event, &b->diags) != STORE_OK)
        stop(b);
}

static bool count(void *ctx, struct arena *a, const struct json *object)
{
    (void)a, (void)object;
    ++*(int *)ctx;
    return true;
}

static void list(struct bench *b, const char *what, const struct selector *selector)
{
    int n = 0;
    struct str version;
    struct store_query query = {.group = STR("example.org"), .kind = STR("Bucket"), .selector = selector};
    int64_t begun = now(), begun_cpu = used();
    if (store_list(b->store, b->arena, &query, count, &n, &b->diags, &version) != STORE_OK)
        stop(b);
    (void)printf("  %-22s %9.2f ms, %.2f of processor time (%d objects)\n", what, (double)(now() - begun) / 1e6,
                 (double)(used() - begun_cpu) / 1e6, n);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, int64_t *times, size_t n)
{
    qsort(times, n, sizeof *times, by_size);
    size_t middle = n / 2, nearly_last = n * 99 / 100;
    (void)printf("  %-22s %9.1f us median, %9.1f us of 99 in 100\n", what, (double)times[middle] / 1e3,
                 (double)times[nearly_last] / 1e3);
}

/* Latency from the start of a write until another thread has the change. */
struct watching {
    struct store_watch *watch;
    int64_t seen[SAMPLES];
};

static void *watch(void *arg)
{
    struct watching *w = arg;
    for (int i = 0; i < SAMPLES; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct store_change change;
        diags_init(&diags, a);
        (void)store_watch_next(w->watch, a, NO_DEADLINE, &diags, &change);
        w->seen[i] = now();
    }
    return NULL;
}

static bool first_version(void *ctx, struct arena *a, const struct json *object)
{
    (void)ctx, (void)a, (void)object;
    return false;
}

static void measure(struct bench *b, int n)
{
    static int64_t creates[SAMPLES], gets[SAMPLES], writes[SAMPLES], latency[SAMPLES], events[SAMPLES];
    struct watching w;
    struct str version;
    pthread_t thread;
    (void)printf("with %d objects of %d bytes:\n", n, SPEC);
    for (int i = 0; i < SAMPLES; i++, forget(b)) {
        int64_t begun = now();
        create(b, n + i);
        creates[i] = now() - begun;
    }
    if (store_list(b->store, b->arena, &(struct store_query){0}, first_version, NULL, &b->diags, &version) != STORE_OK ||
        store_watch_open(b->store, &(struct store_query){0}, version, &b->diags, &w.watch) != STORE_OK ||
        thread_start(&thread, "watch", watch, &w) != 0)
        stop(b);
    for (int i = 0; i < SAMPLES; i++, forget(b)) {
        int64_t begun = now();
        const struct json *object = get(b, (int)((int64_t)i * 7919 % (n + SAMPLES)));
        int64_t got = now();
        update_status(b, object);
        gets[i] = got - begun;
        writes[i] = now() - got;
        latency[i] = now();
    }
    thread_join(thread);
    store_watch_close(w.watch);
    for (int i = 0; i < SAMPLES; i++) /* measured from when the writer has its answer */
        latency[i] = w.seen[i] > latency[i] ? w.seen[i] - latency[i] : 0;
    for (int i = 0; i < SAMPLES; i++, forget(b)) {
        int64_t begun = now();
        record(b, i);
        events[i] = now() - begun;
    }
    print("create", creates, SAMPLES);
    print("update status", writes, SAMPLES);
    print("get", gets, SAMPLES);
    print("watch, after the write", latency, SAMPLES);
    print("record an event", events, SAMPLES);
    struct selector some;
    if (!selector_parse(b->arena, STR("part=p7"), &b->diags, &some))
        stop(b);
    list(b, "list", NULL);
    list(b, "list by label", &some);
    forget(b);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return fputs("usage: store_bench FOLDER [OBJECTS]\n", stderr), 2;
    int64_t wanted = USUAL_OBJECTS;
    if (argc > 2 && !str_to_i64(str_of(argv[2]), &wanted))
        return 2;
    struct bench b = {.arena = arena_new(NULL, 0)};
    diags_init(&b.diags, b.arena);
    memset(b.spec, 'x', sizeof b.spec);
    b.store = store_sqlite_open(argv[1], NULL, &b.diags);
    if (!b.store)
        stop(&b);
    measure(&b, 0);
    for (int i = SAMPLES; i < wanted; i++, forget(&b))
        create(&b, i);
    measure(&b, (int)wanted);
    store_close(b.store);
    arena_free(b.arena);
    return 0;
}
