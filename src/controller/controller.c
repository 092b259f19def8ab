#include "controller/controller.h"

#include "base/must.h"
#include "controller/controller_private.h"
#include "loop/thread.h"

#include <stdlib.h>
#include <sys/random.h>

enum { JITTER_PART = 10, /* of the interval */ MIN_POLL_S = 1, WAIT_MS = 50 };

struct controller *controller_new(const struct controller_options *options)
{
    struct controller *c = must(calloc(1, sizeof *c));
    c->options = *options;
    c->store = options->store;
    c->kinds = options->kinds;
    c->clock = options->clock ? options->clock : &system_clock;
    c->log = options->log;
    c->n_workers = options->workers > 0 ? options->workers : CONTROLLER_WORKERS;
    int64_t poll = options->poll_ns > 0 ? options->poll_ns : CONTROLLER_POLL_NS;
    c->poll = (struct managed_poll){.interval_ns = poll, .min_ns = MIN_POLL_S * NS_PER_S, .jitter_ns = poll / JITTER_PART};
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint64_t)c->clock->wall_ns(c->clock);
    atomic_store(&c->random, seed);
    struct queue_options queue = QUEUE_DEFAULTS;
    queue.clock = c->clock;
    queue.seed = seed;
    if (options->rate > 0)
        queue.rate = options->rate;
    if (options->backoff_min_ns > 0)
        queue.backoff_min_ns = options->backoff_min_ns;
    if (options->backoff_max_ns > 0)
        queue.backoff_max_ns = options->backoff_max_ns;
    c->queue = queue_new(&queue);
    c->known = known_new();
    c->journal = journal_in(c->store);
    c->metadata = metadata_new();
    mutex_init(&c->lock);
    cond_init(&c->changed);
    return c;
}

/* --- shards --- */

#define SHARD_SEED UINT64_C(0x6f626a6563747321)

uint64_t controller_shard(const struct store_key *key)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    return str_hash(key_text(a, key), SHARD_SEED);
}

uint64_t controller_shard_of(const struct controller *c, const struct store_key *key, const struct json *object)
{
    if (!c->options.owns)
        return 0;
    uint64_t shard = c->options.shard ? c->options.shard(c->options.owns_ctx, key, object) : controller_shard(key);
    return shard ? shard : 1;
}

bool controller_owns(const struct controller *c, uint64_t shard)
{
    return !c->options.owns || c->options.owns(c->options.owns_ctx, shard);
}

struct holding {
    struct controller *c;
    uint64_t *v;
    size_t n, max;
};

static void add_held(void *ctx, struct known_object *o)
{
    struct holding *h = ctx;
    if ((!o->working && !o->running) || controller_owns(h->c, atomic_load(&o->shard)))
        return;
    if (h->n < h->max)
        h->v[h->n] = atomic_load(&o->shard);
    h->n++;
}

size_t controller_held(struct controller *c, uint64_t *ret, size_t max)
{
    struct holding h = {c, ret, 0, max};
    known_each(c->known, add_held, &h);
    return h.n;
}

bool controller_take(struct controller *c, struct diags *diags)
{
    return watch_take(c, diags);
}

/* --- adding to the queue --- */

void controller_wake(struct controller *c, struct str key, enum queue_priority priority)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    known_wake(c->known, key);
    queue_add(c->queue, key, known_config_of(c->known, a, key), priority);
}

void controller_wake_users(struct controller *c, struct arena *a, struct str used)
{
    struct known_keys users = known_users(c->known, a, used);
    for (size_t i = 0; i < users.n; i++)
        controller_wake(c, users.v[i], QUEUE_RETRY);
}

struct poking {
    struct arena *arena;
    const struct kind *kind;
    struct str namespace, name;
    struct known_keys keys;
};

static void poke_one(void *ctx, struct known_object *o)
{
    struct poking *p = ctx;
    struct store_key key = key_parse(o->key);
    if ((p->kind && o->kind != p->kind) ||
        (p->name.n > 0 && (!str_eq(key.name, p->name) || !str_eq(key.namespace, p->namespace))))
        return;
    vec_reserve(p->arena, (void **)&p->keys.v, &p->keys.cap, p->keys.n + 1, sizeof *p->keys.v, alignof(max_align_t));
    p->keys.v[p->keys.n++] = arena_str(p->arena, o->key);
}

void controller_poke(struct controller *c, const struct kind *kind, struct str namespace, struct str name)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct poking p = {.arena = a, .kind = kind, .namespace = namespace, .name = name};
    known_each(c->known, poke_one, &p);
    for (size_t i = 0; i < p.keys.n; i++)
        controller_wake(c, p.keys.v[i], p.keys.n == 1 ? QUEUE_CHANGE : QUEUE_RETRY);
}

/* --- workers --- */

static void *work(void *controller)
{
    struct controller *c = controller;
    struct queue_item item;
    for (;;) {
        enum queue_taken taken = queue_take(c->queue, NO_DEADLINE, &item);
        if (taken == QUEUE_CLOSED)
            return NULL;
        if (taken == QUEUE_TIMEOUT)
            continue;
        const struct controller_options *o = &c->options;
        int64_t begun = clock_now(&system_clock), waited = item.waited_ns;
        turn_run(c, &item, taken == QUEUE_HELD);
        queue_done(c->queue, item.key);
        if (o->timer) {
            o->timer(o->timer_ctx, NULL, CONTROLLER_WAITED, waited);
            o->timer(o->timer_ctx, NULL, CONTROLLER_WORKED, clock_now(&system_clock) - begun);
        }
    }
}

/* One list of all objects serves both the queue and the recovery. */
static bool take_all(struct controller *c, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map uids;
    map_init(&uids, a);
    if (c->options.owns) /* then the journal is read per object, in its first turn */
        return watch_begin(c, true, NULL, diags);
    return watch_begin(c, true, &uids, diags) && controller_recover(c, &uids, diags);
}

bool controller_start(struct controller *c, struct diags *diags)
{
    if (!store_holds_lease(c->store))
        return diags_fail(diags, "Store is in use by another process",
                          "Another process has taken over this store. Stop it, or use another "
                          "folder.");
    if (!take_all(c, diags))
        return false;
    c->workers = must(calloc(c->n_workers, sizeof *c->workers));
    for (size_t i = 0; i < c->n_workers; i++)
        must_be(thread_start(&c->workers[i], "control", work, c) == 0, "cannot start a thread");
    must_be(thread_start(&c->watcher, "watch", watch_run, c) == 0, "cannot start a thread");
    c->started = true;
    return true;
}

/* --- stopping --- */

/* No worker is left: the entries stay, and this thread owns those with an operation. */
struct operated {
    struct arena *arena;
    VEC(struct known_object *) objects;
};

static void add_operated(void *ctx, struct known_object *o)
{
    struct operated *list = ctx;
    if (o->running)
        *VEC_PUSH(list->arena, &list->objects) = o;
}

static void cancel_operations(struct controller *c)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct operated list = {.arena = a};
    known_each(c->known, add_operated, &list);
    for (size_t i = 0; i < list.objects.n; i++)
        operation_cancel(list.objects.v[i]);
}

size_t controller_keep(struct controller *c)
{
    size_t left = 0;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct operated list = {.arena = a};
    known_each(c->known, add_operated, &list);
    for (size_t i = 0; i < list.objects.n; i++) {
        struct arena *own ARENA_AUTO = arena_new(NULL, 0);
        struct turn t;
        if (turn_begin(&t, c, own, list.objects.v[i])) {
            (void)turn_report_end(&t);
            left += t.unwritten;
            if (t.unwritten)
                log_error(c->log, "end of an operation not stored", LOG_STR("object", t.known->key),
                          LOG_STR("external_name", operation_ended(t.known)->external_name), LOG_STR("why", t.unwritten_why));
            turn_end(&t);
        }
    }
    return left;
}

static bool await_operations(struct controller *c, int64_t deadline)
{
    MUTEX_GUARD(&c->lock);
    while (c->n_running > 0 && cond_wait(&c->changed, &c->lock, deadline))
        ;
    return c->n_running == 0;
}

bool controller_stop(struct controller *c, int64_t deadline)
{
    if (!c->started)
        return true;
    c->started = false;
    atomic_store(&c->stopping, true);
    queue_shut_down(c->queue, false);
    mutex_lock(&c->lock);
    if (c->watch)
        store_watch_stop(c->watch);
    cond_broadcast(&c->changed);
    mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->n_workers; i++)
        thread_join(c->workers[i]);
    thread_join(c->watcher);
    bool all = await_operations(c, deadline);
    if (!all) {
        cancel_operations(c);
        (void)await_operations(c, NO_DEADLINE); /* bounded, because the scheduler abandons operations that do not stop */
    }
    (void)controller_keep(c);
    return all;
}

void controller_free(struct controller *c)
{
    if (!c)
        return;
    (void)controller_stop(c, clock_now(&system_clock));
    watch_end(c); /* it is still open if the start failed after it was opened */
    queue_free(c->queue);
    known_free(c->known);
    metadata_free(c->metadata);
    free(c->workers);
    cond_destroy(&c->changed);
    mutex_destroy(&c->lock);
    free(c);
}

/* --- progress and counts --- */

struct controller_progress controller_progress(struct controller *c, unsigned tries)
{
    struct known_counts counts = known_count(c->known, tries);
    return (struct controller_progress){
        .ready = counts.phases[KNOWN_READY],
        .paused = counts.phases[KNOWN_PAUSED],
        .failing = counts.phases[KNOWN_FAILING],
        .moving = counts.phases[KNOWN_MOVING],
    };
}

/* The objects that the last change wakes count as moving only after the watch has seen it. */
static bool is_still(struct controller *c, unsigned tries)
{
    return controller_progress(c, tries).moving == 0 && watch_is_current(c) && controller_progress(c, tries).moving == 0;
}

bool controller_wait(struct controller *c, unsigned tries, int64_t deadline)
{
    while (!is_still(c, tries)) {
        int64_t now = clock_now(&system_clock);
        if (deadline != NO_DEADLINE && now >= deadline)
            return false;
        mutex_lock(&c->lock);
        (void)cond_wait(&c->changed, &c->lock, now + WAIT_MS * NS_PER_MS);
        mutex_unlock(&c->lock);
    }
    return true;
}

struct controller_counts controller_count(struct controller *c)
{
    struct known_counts known = known_count(c->known, 1);
    struct controller_counts counts = {
        .queue = queue_counts(c->queue),
        .workers = c->n_workers,
        .objects = known.objects,
        .uses = known.uses,
        .passes = atomic_load(&c->passes),
        .failed = atomic_load(&c->failed),
        .recovered = atomic_load(&c->recovered),
        .changes = atomic_load(&c->changes),
    };
    for (size_t i = 0; i < 3; i++) {
        counts.begun[i] = atomic_load(&c->begun[i]);
        counts.lost[i] = atomic_load(&c->lost[i]);
    }
    MUTEX_GUARD(&c->lock);
    counts.operations = c->n_running;
    return counts;
}
