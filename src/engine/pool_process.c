/*
 * The processes of the pool, from start to end:
 *
 *     launch ─► schema ─► validate, configure ─► adopted by its warm: LENDING ⇄ PAUSED ─► RETIRED ─► empty ─► ended
 *
 * What takes time after that (StopProvider, the end itself) is done by the pool's workers. A process counts until it has been
 * reaped.
 */
#include "engine/call.h"
#include "engine/known.h"
#include "engine/pool_private.h"

#include <stdlib.h>

#define STOP_PATIENCE (2 * NS_PER_S) /* for the answer to StopProvider */

/* ---- start ---- */

static struct pooled *pooled_new(struct pool *pool, struct provider *provider)
{
    unsigned n = pool->options.max_calls;
    struct pooled *p = calloc(1, sizeof *p + n * sizeof p->slots[0]);
    if (!p)
        abort();
    p->pool = pool;
    p->provider = provider;
    p->known = known_new();
    for (unsigned i = n; i-- > 0;) {
        p->slots[i] = (struct slot){.process = p, .next_free = p->free};
        p->free = &p->slots[i];
    }
    return p;
}

/* The launcher's patience, or less when the one who waits has less. */
static int64_t start_timeout(const struct pool *pool, const pool_wait *wait)
{
    int64_t usual = pool->options.start_timeout_ns > 0 ? pool->options.start_timeout_ns : LAUNCH_TIMEOUT_S * NS_PER_S;
    if (wait->deadline == NO_DEADLINE)
        return usual;
    int64_t left = wait->deadline - clock_now(&system_clock);
    if (left >= usual)
        return usual;
    return left > 0 ? left : 1; /* 0 would be the launcher's own */
}

bool pooled_launch(struct pool *pool, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                   struct pooled **ret)
{
    const struct pool_options *o = &pool->options;
    const struct launch_options options = {
        .loop = o->loop,
        .log = o->log,
        .path = source->path.p,
        .name = source->address,
        .env = o->env,
        .start_timeout_ns = start_timeout(pool, wait),
        .cancel = wait->cancel,
        .no_tls = o->no_tls,
    };
    struct provider *provider;
    if (source->reattach ? !provider_attach(o->loop, o->log, source->address, source->reattach, diags, &provider)
                         : !provider_launch(&options, diags, &provider))
        return false;
    pool_lock(pool);
    pool->counts.started++;
    pool->counts.processes++;
    pool_unlock(pool);
    *ret = pooled_new(pool, provider);
    return true;
}

static enum engine_status validate(struct engine *e, const struct config *config, const pool_wait *wait)
{
    const struct validate_provider_request request = {.config = config->value};
    struct validate_provider_response ignored; /* core sends to configure what it sent here */
    struct call c = call_start(e);
    c.options = *wait;
    enum provider_status status = provider_validate_provider(e->provider, e->arena, &request, &c.options, &c.found, &ignored);
    return call_finish(&c, "ValidateProviderConfig", status, config);
}

static enum engine_status configure(struct engine *e, const struct config *config, const pool_wait *wait)
{
    const struct configure_request request = {
        .terraform_version = STR(STATE_TERRAFORM_VERSION), .config = config->value, .capabilities = engine_capabilities()};
    struct call c = call_start(e);
    c.options = *wait;
    enum provider_status status = provider_configure(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ConfigureProvider", status, config);
}

static enum engine_status prepare(struct warm *w, struct pooled *p, const pool_wait *wait, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct engine e = {
        .arena = scratch,
        .diags = diags,
        .provider = p->provider,
        .schema = p->binary->schema,
        .provider_address = w->source.address,
        .log = w->pool->options.log,
    };
    const struct config config = {.value = w->config, .json = w->config_json};
    enum engine_status status = validate(&e, &config, wait);
    return status == ENGINE_OK ? configure(&e, &config, wait) : status;
}

static enum engine_status spare_or_new(struct warm *w, struct binary *b, const pool_wait *wait, struct diags *diags,
                                       struct pooled **ret)
{
    pool_lock(w->pool);
    struct pooled *p = binary_take_spare(b);
    pool_unlock(w->pool);
    if (!p && !pooled_launch(w->pool, &w->source, wait, diags, &p))
        return cancel_fired(wait->cancel) ? ENGINE_CANCELLED : ENGINE_LOST;
    p->binary = b;
    provider_use_schema(p->provider, b->schema);
    *ret = p;
    return ENGINE_OK;
}

enum engine_status pooled_start(struct warm *w, const pool_wait *wait, struct diags *diags, struct pooled **ret)
{
    struct binary *b = NULL;
    struct pooled *p = NULL;
    enum engine_status status = binary_get(w->pool, &w->source, wait, diags, &b);
    if (status == ENGINE_OK && b != w->binary && !warm_read_config(w, b, diags))
        status = ENGINE_FAILED;
    if (status == ENGINE_OK)
        status = spare_or_new(w, b, wait, diags, &p);
    if (status != ENGINE_OK)
        return status;
    status = prepare(w, p, wait, diags);
    if (status == ENGINE_OK) {
        *ret = p;
        return status;
    }
    pool_lock(w->pool);
    if (provider_is_gone(p->provider))
        w->pool->counts.lost++;
    pooled_end(p);
    pool_unlock(w->pool);
    return status;
}

/* ---- calls ---- */

struct slot *pooled_lend(struct pooled *p)
{
    struct slot *slot = p->free;
    if (!slot)
        return NULL;
    p->free = slot->next_free;
    p->n_leases++;
    p->warm->n_users++;
    p->pool->counts.leases++;
    return slot;
}

/* Ends it if it has nothing more to do. */
LOCKED static void settle(struct pooled *p)
{
    if (p->n_leases > 0 || p->stopping)
        return;
    if (p->state == POOLED_RETIRED) {
        pooled_end(p);
        return;
    }
    p->idle_since = clock_now(&system_clock);
    if (p->pool->options.idle_ns > 0)
        keeper_expect(p->pool, p->idle_since + p->pool->options.idle_ns);
}

/* The call that somebody wanted to end has ended, before the provider was told to stop. */
LOCKED static void withdraw_stop(struct slot *slot)
{
    struct pooled *p = slot->process;
    slot->stop_at = NO_DEADLINE;
    p->n_stops--;
    if (p->n_stops == 0 && p->state == POOLED_PAUSED)
        p->state = POOLED_LENDING;
}

LOCKED static void set_retired(struct pooled *p)
{
    p->state = POOLED_RETIRED;
    if (p->warm->current == p)
        p->warm->current = NULL;
}

void pooled_retire(struct pooled *p)
{
    if (p->state == POOLED_RETIRED)
        return;
    set_retired(p);
    settle(p);
}

/* True: it has ended by itself, which nobody had seen yet. */
LOCKED static bool is_newly_lost(struct pooled *p)
{
    if (p->lost || !provider_is_gone(p->provider))
        return false;
    struct warm *w = p->warm;
    int64_t now = clock_now(&system_clock);
    p->lost = true;
    p->pool->counts.lost++;
    if (w->current == p)
        backoff_add(&w->backoff, now, now - p->started);
    log_warn(p->pool->options.log, "provider ended by itself", LOG_STR("provider", w->source.address),
             LOG_INT("lived_ms", (now - p->started) / NS_PER_MS));
    return true;
}

void pooled_notice_end(struct pooled *p)
{
    if (is_newly_lost(p))
        pooled_retire(p);
}

void pooled_take_back(struct slot *slot)
{
    struct pooled *p = slot->process;
    if (slot->stop_at != NO_DEADLINE)
        withdraw_stop(slot);
    slot->next_free = p->free;
    p->free = slot;
    p->n_leases--;
    p->warm->n_users--;
    p->pool->counts.leases--;
    if (is_newly_lost(p))
        set_retired(p);
    settle(p);
}

/* ---- end ---- */

static void stop(void *arg)
{
    struct pooled *p = arg;
    struct pool *pool = p->pool;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags why;
    diags_init(&why, scratch);
    const struct grpc_call_options options = {.deadline = clock_now(&system_clock) + STOP_PATIENCE};
    (void)provider_stop(p->provider, &options, &why);
    if (why.n > 0)
        log_warn(pool->options.log, "provider did not stop", LOG_STR("provider", provider_name(p->provider)),
                 LOG_STR("reason", why.v[0].detail));
    pool_lock(pool);
    p->stopping = false;
    settle(p);
    pool_unlock(pool);
}

void pooled_stop(struct pooled *p)
{
    for (unsigned i = 0; i < p->pool->options.max_calls; i++)
        p->slots[i].stop_at = NO_DEADLINE;
    p->n_stops = 0;
    p->stop_sent = p->stopping = true;
    pooled_retire(p);
    workers_submit(p->pool->workers, stop, p);
}

static void end(void *arg)
{
    struct pooled *p = arg;
    struct pool *pool = p->pool;
    provider_free(p->provider);
    known_free(p->known);
    free(p);
    pool_lock(pool);
    pool->counts.processes--;
    if (pool->counts.processes == 0)
        (void)pthread_cond_broadcast(&pool->emptied);
    pool_unlock(pool);
}

void pooled_end(struct pooled *p)
{
    if (p->prev)
        p->prev->next = p->next;
    else if (p->pool->processes == p)
        p->pool->processes = p->next;
    if (p->next)
        p->next->prev = p->prev;
    workers_submit(p->pool->workers, end, p);
}
