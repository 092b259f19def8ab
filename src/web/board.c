#include "web/board.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/must.h"
#include "loop/thread.h"
#include "store/object.h"
#include "web/row.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_GONE = 4096, PIECE = 256 << 10 };

/* A row, in a ring ordered by last change, the latest at the end. */
struct row {
    struct row *before, *after;
    uint64_t sequence;
    const struct kind *kind;
    char *key, *json; /* json NULL: the object is gone */
    struct row_state state;
    unsigned round; /* of the last listing that had it */
};

struct board {
    struct board_options o;
    pthread_t thread;
    atomic_bool stopping;
    unsigned round;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t changed;
    struct store_watch *watch;
    struct arena *arena; /* holds the map */
    struct map rows;     /* by key */
    struct row first;    /* head of the ring */
    uint64_t sequence;
    uint64_t forgotten; /* a follower that has seen less starts over */
    size_t n_gone;
};

/* --- rows --- */

static void unlink_row(struct row *r)
{
    r->before->after = r->after;
    r->after->before = r->before;
}

static void free_row(struct row *r)
{
    free(r->key);
    free(r->json);
    free(r);
}

static void touch_locked(struct board *b, struct row *r)
{
    if (r->before)
        unlink_row(r);
    r->before = b->first.before;
    r->after = &b->first;
    r->before->after = r->after->before = r;
    r->sequence = ++b->sequence;
    cond_broadcast(&b->changed);
}

/* Rows of deleted objects stay for a while, so that followers learn of the deletion. */
static void forget_gone_locked(struct board *b)
{
    if (b->n_gone <= MAX_GONE)
        return;
    struct arena *fresh = arena_new(NULL, 0);
    struct map rows;
    map_init(&rows, fresh);
    for (struct row *r = b->first.after, *next; r != &b->first; r = next) {
        next = r->after;
        if (r->json) {
            map_put(&rows, str_of(r->key), r);
            continue;
        }
        unlink_row(r);
        free_row(r);
    }
    arena_free(b->arena);
    b->arena = fresh;
    b->rows = rows;
    b->n_gone = 0;
    b->forgotten = b->sequence;
}

static struct row *row_locked(struct board *b, struct str key, const struct kind *kind)
{
    struct row *r = map_get(&b->rows, key);
    if (r)
        return r;
    r = must(calloc(1, sizeof *r));
    r->key = must(strndup(key.p, key.n));
    r->kind = kind;
    map_put(&b->rows, str_of(r->key), r);
    b->n_gone++; /* until it gets its JSON */
    return r;
}

/* --- changes in the store --- */

static void saw(struct board *b, struct arena *a, const struct json *object, bool listed)
{
    const struct kind *kind = kinds_of_object(b->o.kinds, object);
    struct store_key id = object_key(object);
    if (!row_is_shown(kind))
        return;
    struct str key = row_key(a, &id);
    struct row_state state = {0};
    int64_t now = system_clock.wall_ns(&system_clock);
    struct str json = row_json(a, b->o.kinds, kind, object, listed ? 0 : now, &state);
    MUTEX_GUARD(&b->lock);
    struct row *r = row_locked(b, key, kind);
    b->n_gone -= r->json == NULL;
    free(r->json);
    r->json = must(strndup(json.p, json.n));
    r->state = state;
    r->round = b->round;
    touch_locked(b, r);
}

static void went_locked(struct board *b, struct row *r)
{
    if (!r->json)
        return;
    free(r->json);
    r->json = NULL;
    b->n_gone++;
    touch_locked(b, r);
}

static void went(struct board *b, struct arena *a, const struct json *object)
{
    struct store_key id = object_key(object);
    MUTEX_GUARD(&b->lock);
    struct row *r = map_get(&b->rows, row_key(a, &id));
    if (r)
        went_locked(b, r);
    forget_gone_locked(b);
}

static bool list_one(void *ctx, struct arena *a, const struct json *object)
{
    saw(ctx, a, object, true);
    return true;
}

/* Objects that a new listing lacks are gone. */
static void sweep(struct board *b)
{
    MUTEX_GUARD(&b->lock);
    for (size_t i = 0; i < b->rows.n; i++) {
        struct row *r = b->rows.entries[i].value;
        if (r->round != b->round)
            went_locked(b, r);
    }
}

static bool begin(struct board *b, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct store_query all = {0};
    struct store_watch *watch;
    struct str version;
    b->round++;
    if (store_list(b->o.store, a, &all, list_one, b, diags, &version) != STORE_OK)
        return false;
    sweep(b);
    if (store_watch_open(b->o.store, &all, version, diags, &watch) != STORE_OK)
        return false;
    MUTEX_GUARD(&b->lock);
    b->watch = watch;
    if (atomic_load(&b->stopping))
        store_watch_stop(watch);
    return true;
}

static void close_watch(struct board *b)
{
    mutex_lock(&b->lock);
    struct store_watch *watch = b->watch;
    b->watch = NULL;
    mutex_unlock(&b->lock);
    store_watch_close(watch);
}

static void begin_again(struct board *b)
{
    close_watch(b);
    while (!atomic_load(&b->stopping)) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        if (begin(b, &diags))
            return;
        log_warn(b->o.log, "the dashboard cannot watch the store", LOG_STR("why", diags.n > 0 ? diags.v[0].summary : STR_EMPTY));
        mutex_lock(&b->lock);
        (void)cond_wait(&b->changed, &b->lock, clock_now(&system_clock) + NS_PER_S);
        mutex_unlock(&b->lock);
    }
}

static void *watch_store(void *board)
{
    struct board *b = board;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (; !atomic_load(&b->stopping); arena_reset(a)) {
        struct store_change change;
        struct diags diags;
        diags_init(&diags, a);
        enum store_result result = store_watch_next(b->watch, a, NO_DEADLINE, &diags, &change);
        if (result == STORE_OK && change.kind == STORE_DELETED)
            went(b, a, change.object);
        else if (result == STORE_OK)
            saw(b, a, change.object, false);
        else if (result != STORE_TIMEOUT && result != STORE_STOPPED)
            begin_again(b);
    }
    close_watch(b);
    return NULL;
}

/* --- followers --- */

static void write_gone(struct buf *out, const char *key)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, STR("gone"));
    json_write_string(&w, str_of(key));
    json_end_object(&w);
    (void)json_finish(&w);
}

/* The first row after change `seen`. */
static struct row *next_locked(struct board *b, uint64_t seen)
{
    struct row *r = b->first.before;
    while (r != &b->first && r->sequence > seen)
        r = r->before;
    return r->after;
}

/* Writes as many rows as fit into a piece; the cursor is then at the last of them. */
static void write_rows_locked(struct board *b, struct board_cursor *c, struct buf *out)
{
    size_t start = out->n;
    bool is_first = true;
    struct row *r = next_locked(b, c->seen);
    buf_addz(out, "event: rows\ndata: [");
    for (; r != &b->first && out->n - start < PIECE; r = r->after) {
        c->seen = r->sequence;
        if (!r->json && r->sequence <= c->begun)
            continue; /* the follower never saw it */
        if (!is_first)
            buf_addc(out, ',');
        is_first = false;
        if (r->json)
            buf_addz(out, r->json);
        else
            write_gone(out, r->key);
    }
    buf_addz(out, "]\n\n");
    if (r == &b->first)
        c->seen = b->sequence;
}

bool board_follow(struct board *b, struct board_cursor *c, struct buf *out, int64_t deadline)
{
    MUTEX_GUARD(&b->lock);
    while (b->sequence <= c->seen && cond_wait(&b->changed, &b->lock, deadline))
        ;
    if (b->sequence <= c->seen)
        return false;
    /* The follower may have seen objects whose deletion is already forgotten. */
    if (c->begun == 0 || (c->seen < b->forgotten && c->begun < b->forgotten)) {
        buf_addz(out, "event: reset\ndata: {}\n\n");
        *c = (struct board_cursor){.begun = b->sequence};
    }
    write_rows_locked(b, c, out);
    return c->seen < b->sequence;
}

struct counted {
    struct str gvk;
    double exist, ready, synced;
};

static void count_rows(struct board *b, struct arena *a, struct map *kinds)
{
    MUTEX_GUARD(&b->lock);
    for (const struct row *r = b->first.after; r != &b->first; r = r->after) {
        if (!r->json || r->kind->role != KIND_MANAGED)
            continue;
        struct str name = kind_gvk(a, r->kind);
        struct counted *n = map_get(kinds, name);
        if (!n) {
            n = arena_make(a, struct counted);
            n->gvk = name;
            map_put(kinds, name, n);
        }
        n->exist++;
        n->ready += r->state.ready;
        n->synced += r->state.synced;
    }
}

/* The gauges are set, not added to: several callers may measure at the same time. */
void board_measure(struct board *b, struct metrics *m)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map kinds; /* gvk -> struct counted */
    map_init(&kinds, a);
    count_rows(b, a, &kinds);
    metrics_clear(m, METRIC_EXISTS);
    metrics_clear(m, METRIC_READY);
    metrics_clear(m, METRIC_SYNCED);
    for (size_t i = 0; i < kinds.n; i++) {
        const struct counted *n = kinds.entries[i].value;
        metrics_set(m, METRIC_EXISTS, &n->gvk, n->exist);
        metrics_set(m, METRIC_READY, &n->gvk, n->ready);
        metrics_set(m, METRIC_SYNCED, &n->gvk, n->synced);
    }
}

/* --- start and stop --- */

struct board *board_new(const struct board_options *options, struct diags *diags)
{
    struct board *b = must(calloc(1, sizeof *b));
    b->o = *options;
    b->first.before = b->first.after = &b->first;
    b->sequence = 1; /* so that even an empty board has a change to send */
    b->arena = arena_new(NULL, 0);
    map_init(&b->rows, b->arena);
    mutex_init(&b->lock);
    cond_init(&b->changed);
    if (begin(b, diags) && thread_start(&b->thread, "board", watch_store, b) == 0)
        return b;
    atomic_store(&b->stopping, true);
    close_watch(b);
    b->thread = pthread_self();
    board_free(b);
    return NULL;
}

void board_free(struct board *b)
{
    if (!b)
        return;
    mutex_lock(&b->lock);
    atomic_store(&b->stopping, true);
    if (b->watch)
        store_watch_stop(b->watch);
    cond_broadcast(&b->changed);
    mutex_unlock(&b->lock);
    if (!pthread_equal(b->thread, pthread_self()))
        thread_join(b->thread);
    for (struct row *r = b->first.after, *next; r != &b->first; r = next) {
        next = r->after;
        free_row(r);
    }
    arena_free(b->arena);
    cond_destroy(&b->changed);
    mutex_destroy(&b->lock);
    free(b);
}
