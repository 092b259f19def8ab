/*
 * Handles and leases. Borrowers wait in the provider's line; advance() hands out slots of the current process or, if there is
 * none, the turn to start one. Every change (a call returns, a start ends, a process is lost or replaced) is followed by
 * advance(), so no waiter is forgotten.
 */
#include "base/lock.h"
#include "engine/pool_private.h"

#include <assert.h>
#include <openssl/rand.h>
#include <stdlib.h>

enum { POOL_WORKERS = 4 };

static const pool_wait no_limits;

/* ---- pause between starts ---- */

void backoff_add(struct backoff *b, int64_t now, int64_t lived_ns)
{
    if (lived_ns >= POOL_STEADY_NS)
        b->ends = 0;
    b->ends++;
    int64_t pause = b->ends > 1 ? POOL_BACKOFF_FIRST_NS : 0;
    for (unsigned i = 2; i < b->ends && pause < POOL_BACKOFF_MAX_NS; i++)
        pause *= 2;
    b->until = now + (pause < POOL_BACKOFF_MAX_NS ? pause : POOL_BACKOFF_MAX_NS);
}

/* ---- the pool ---- */

struct pool *pool_new(const struct pool_options *options)
{
    struct arena *a = arena_new(NULL, 0);
    struct pool *pool = arena_make(a, struct pool);
    pool->arena = a;
    pool->options = *options;
    if (options->cache_folder)
        pool->options.cache_folder = arena_str(a, str_of(options->cache_folder)).p;
    if (options->max_calls == 0)
        pool->options.max_calls = POOL_DEFAULT_CALLS;
    if (RAND_bytes(pool->key, sizeof pool->key) != 1)
        abort(); /* without random bytes no secret is safe: TLS would fail next */
    mutex_init(&pool->lock);
    cond_init(&pool->emptied);
    pool->workers = workers_new("pool", POOL_WORKERS);
    keeper_start(pool);
    return pool;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    keeper_end(pool);
    pool_lock(pool);
    assert(pool->counts.leases == 0);
    for (struct pool_provider *w = pool->providers; w; w = w->next)
        if (w->current)
            pool_process_retire(w->current);
    while (pool->counts.processes > 0)
        (void)cond_wait(&pool->emptied, &pool->lock, NO_DEADLINE);
    pool_unlock(pool);
    workers_free(pool->workers);
    for (struct pool_provider *w = pool->providers, *next; w; w = next) {
        next = w->next;
        pool_provider_free(w);
    }
    binaries_free(pool);
    cond_destroy(&pool->emptied);
    mutex_destroy(&pool->lock);
    OPENSSL_cleanse(pool->key, sizeof pool->key);
    arena_free(pool->arena);
}

struct pool_counts pool_count(struct pool *pool)
{
    pool_lock(pool);
    struct pool_counts counts = pool->counts;
    pool_unlock(pool);
    return counts;
}

/* ---- slots ---- */

/* The process that takes new calls. One that has ended or is about to be stopped takes none. */
LOCKED static struct pool_process *usable(struct pool_provider *w)
{
    if (w->current)
        pool_process_notice_end(w->current);
    if (w->current && w->current->state == PROCESS_PAUSED)
        pool_process_retire(w->current);
    return w->current;
}

LOCKED static void advance(struct pool_provider *w)
{
    while (w->line.first) {
        struct pool_process *p = usable(w);
        struct slot *slot = p ? pool_process_lend(p) : NULL;
        if (!slot && (p || w->starting))
            return; /* advance() is called again when a call returns or the start ends */
        if (!slot)
            w->starting = true;
        line_give(&w->line, slot ? TURN_GIVEN : TURN_START, slot);
    }
}

/* Frees the provider when it has no handles and no users. */
LOCKED static void release(struct pool_provider *w)
{
    if (w->n_handles == 0 && w->n_users == 0)
        pool_provider_free(w);
}

/* Adds a process that was started for the given generation of the provider. */
LOCKED static void adopt(struct pool_provider *w, struct pool_process *p, unsigned generation, const struct diags *warnings)
{
    struct pool *pool = w->pool;
    p->owner = w;
    p->started = clock_now(&system_clock);
    p->next = pool->processes;
    if (p->next)
        p->next->prev = p;
    pool->processes = p;
    w->protocol = provider_protocol(p->provider);
    if (!w->opened)
        diags_append(&w->warnings, warnings);
    w->opened = true;
    /* If the provider was replaced or closed meanwhile, the process serves only the borrower that started it. */
    if (w->generation == generation && w->n_handles > 0)
        w->current = p;
    else
        p->state = PROCESS_RETIRED;
}

/* Takes the turn to start a process, for this borrower and all behind it in the line. NULL: *reterr says why not. */
LOCKED static struct slot *start(struct pool_provider *w, const pool_wait *wait, struct diags *diags, enum engine_status *reterr)
{
    struct pool *pool = w->pool;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags found;
    diags_init(&found, scratch);
    struct pool_process *p = NULL;
    enum engine_status status = pool_pause(pool, w->backoff.until, w->source.address, wait, &found);
    unsigned generation = w->generation;
    if (status == ENGINE_OK) {
        pool_unlock(pool);
        status = pool_process_start(w, wait, &found, &p);
        pool_lock(pool);
    }
    w->starting = false;
    if (p) {
        adopt(w, p, generation, &found);
    } else {
        diags_append(diags, &found);
        *reterr = status;
    }
    if (!p && !wait_is_over(wait)) {
        backoff_add(&w->backoff, clock_now(&system_clock), 0);
        line_fail_all(&w->line, status, &found);
    }
    struct slot *slot = p ? pool_process_lend(p) : NULL;
    advance(w);
    return slot;
}

LOCKED static enum engine_status borrow(struct pool_provider *w, const pool_wait *wait, struct diags *diags, struct slot **ret)
{
    struct waiter me;
    w->n_users++;
    line_join(&w->line, &me, w->pool, diags);
    advance(w);
    if (line_wait(&w->line, &me, w->source.address, wait) == TURN_START)
        me.slot = start(w, wait, diags, &me.status);
    w->n_users--;
    if (!me.slot)
        return me.status;
    *ret = me.slot;
    return ENGINE_OK;
}

LOCKED static void give_back(struct slot *slot)
{
    struct pool_provider *w = slot->process->owner;
    pool_process_take_back(slot);
    advance(w);
    release(w);
}

enum engine_status pool_provider_borrow(struct pool_provider *w, const pool_wait *wait, struct diags *diags, struct lease *ret)
{
    struct pool *pool = w->pool;
    struct slot *slot = NULL;
    pool_lock(pool);
    enum engine_status status = borrow(w, wait ? wait : &no_limits, diags, &slot);
    if (slot)
        *ret = (struct lease){slot->process->provider, slot->process->memo, slot->process->binary->schema, w, slot};
    else
        release(w);
    pool_unlock(pool);
    return status;
}

void lease_return(struct lease *lease)
{
    struct pool *pool = lease->owner->pool;
    pool_lock(pool);
    give_back(lease->slot);
    pool_unlock(pool);
    *lease = (struct lease){0};
}

void lease_stop(struct lease *lease, int64_t grace_ns)
{
    struct slot *slot = lease->slot;
    struct pool_process *p = slot->process;
    struct pool *pool = p->pool;
    int64_t at = clock_now(&system_clock) + grace_ns;
    pool_lock(pool);
    if (!p->stop_sent && (slot->stop_at == NO_DEADLINE || at < slot->stop_at)) {
        p->n_stops += slot->stop_at == NO_DEADLINE;
        slot->stop_at = at;
        if (p->state == PROCESS_LENDING)
            p->state = PROCESS_PAUSED;
        advance(p->owner);
        keeper_expect(pool, at);
    }
    pool_unlock(pool);
}

void pool_provider_replace(struct pool_provider *w)
{
    struct pool *pool = w->pool;
    pool_lock(pool);
    w->generation++;
    if (w->current)
        pool_process_retire(w->current);
    advance(w);
    pool_unlock(pool);
}

/* ---- handles ---- */

/* The open provider with this key if there is one, else `w`. */
LOCKED static struct pool_provider *join(struct pool_provider *w)
{
    struct pool *pool = w->pool;
    for (struct pool_provider *other = pool->providers; other; other = other->next)
        if (CRYPTO_memcmp(other->key, w->key, sizeof w->key) == 0) {
            pool_provider_free(w);
            return other;
        }
    w->next = pool->providers;
    pool->providers = w;
    pool->counts.providers++;
    return w;
}

LOCKED static void close_handle(struct pool_provider *w)
{
    struct pool *pool = w->pool;
    w->n_handles--;
    if (w->n_handles == 0) {
        struct pool_provider **link = &pool->providers;
        while (*link != w)
            link = &(*link)->next;
        *link = w->next;
        pool->counts.providers--;
        if (w->current)
            pool_process_retire(w->current);
    }
    release(w);
}

LOCKED static enum engine_status open_handle(struct pool_provider *w, const pool_wait *wait, struct diags *diags)
{
    struct slot *slot = NULL;
    w->n_handles++;
    enum engine_status status = w->opened ? ENGINE_OK : borrow(w, wait, diags, &slot);
    if (slot)
        give_back(slot);
    if (status == ENGINE_OK)
        diags_append(diags, &w->warnings);
    else
        close_handle(w);
    return status;
}

static enum engine_status open_with(struct pool *pool, const struct pool_source *source, struct binary *b,
                                    const struct json *config, const pool_wait *wait, struct diags *diags,
                                    struct pool_provider **ret)
{
    struct pool_provider *w = pool_provider_new(pool, source, b, config, diags);
    enum engine_status status = ENGINE_FAILED;
    pool_lock(pool);
    if (w) {
        w = join(w);
        status = open_handle(w, wait, diags);
    }
    struct pool_process *unused = binary_take_spare(b);
    if (unused)
        pool_process_end(unused);
    pool_unlock(pool);
    if (status == ENGINE_OK)
        *ret = w;
    return status;
}

enum engine_status pool_open(struct pool *pool, const struct pool_source *source, const struct json *config,
                             const pool_wait *wait, struct diags *diags, struct pool_provider **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct pool_source own = source_copy(scratch, source);
    const pool_wait *limits = wait ? wait : &no_limits;
    struct binary *b = NULL;
    enum engine_status status = binary_get(pool, &own, limits, diags, &b);
    return status == ENGINE_OK ? open_with(pool, &own, b, config, limits, diags, ret) : status;
}

void pool_provider_close(struct pool_provider *w)
{
    if (!w)
        return;
    struct pool *pool = w->pool;
    pool_lock(pool);
    close_handle(w);
    pool_unlock(pool);
}

const struct provider_schema *pool_provider_schema(const struct pool_provider *w)
{
    pool_lock(w->pool);
    const struct provider_schema *schema = w->binary->schema;
    pool_unlock(w->pool);
    return schema;
}

int pool_provider_protocol(const struct pool_provider *w)
{
    pool_lock(w->pool);
    int protocol = w->protocol;
    pool_unlock(w->pool);
    return protocol;
}

struct str pool_provider_address(const struct pool_provider *w)
{
    return w->source.address;
}
