/*
 * The processes of the pool, from start to end:
 *
 *     launch ─► schema ─► validate, configure ─► adopted by its provider: LENDING ⇄ PAUSED ─► RETIRED ─► empty ─► ended
 *
 * What takes time after that (StopProvider, the end itself) is done by the pool's workers. A process is counted until it has been
 * reaped.
 */
#include "base/lock.h"
#include "engine/call_private.h"
#include "engine/memo.h"
#include "engine/pool_private.h"

#include <stdlib.h>

#define STOP_PATIENCE (2 * NS_PER_S) /* for the answer to StopProvider */
#define STOP_AGAIN NS_PER_S

/* ---- start ---- */

static struct pool_process *pool_process_new(struct pool *pool, struct provider *provider)
{
    unsigned n = pool->options.max_calls;
    struct pool_process *p = calloc(1, sizeof *p + n * sizeof p->slots[0]);
    if (!p)
        abort();
    p->pool = pool;
    p->provider = provider;
    p->memo = memo_new();
    for (unsigned i = n; i-- > 0;) {
        p->slots[i] = (struct slot){.process = p, .next_free = p->free};
        p->free = &p->slots[i];
    }
    return p;
}

/* The launcher's timeout, or the time until the waiter's deadline if that is shorter. */
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

bool pool_process_launch(struct pool *pool, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                         struct pool_process **ret)
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
    *ret = pool_process_new(pool, provider);
    return true;
}

static enum engine_status validate(struct engine *e, const struct resource_config *config, const pool_wait *wait)
{
    const struct validate_provider_request request = {.config = config->value};
    struct validate_provider_response ignored; /* like core, we configure with what we sent here, not with this answer */
    struct call c = call_start(e);
    c.options = *wait;
    enum provider_status status = provider_validate_provider(e->provider, e->arena, &request, &c.options, &c.found, &ignored);
    return call_finish(&c, "ValidateProviderConfig", status, config);
}

static enum engine_status configure(struct engine *e, const struct resource_config *config, const pool_wait *wait)
{
    const struct configure_request request = {
        .terraform_version = STR(STATE_TERRAFORM_VERSION), .config = config->value, .capabilities = engine_capabilities()};
    struct call c = call_start(e);
    c.options = *wait;
    enum provider_status status = provider_configure(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ConfigureProvider", status, config);
}

static enum engine_status prepare(struct pool_provider *w, struct pool_process *p, const pool_wait *wait, struct diags *diags)
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
    const struct resource_config config = {.value = w->config, .json = w->config_json};
    if (pool_provider_goes_unchecked(w))
        return ENGINE_OK;
    enum engine_status status = validate(&e, &config, wait);
    return status == ENGINE_OK && !w->source.unconfigured ? configure(&e, &config, wait) : status;
}

static enum engine_status spare_or_new(struct pool_provider *w, struct binary *b, const pool_wait *wait, struct diags *diags,
                                       struct pool_process **ret)
{
    pool_lock(w->pool);
    struct pool_process *p = binary_take_spare(b);
    pool_unlock(w->pool);
    if (!p && !pool_process_launch(w->pool, &w->source, wait, diags, &p))
        return cancel_fired(wait->cancel) ? ENGINE_CANCELLED : ENGINE_LOST;
    p->binary = b;
    provider_use_schema(p->provider, b->schema);
    *ret = p;
    return ENGINE_OK;
}

enum engine_status pool_process_start(struct pool_provider *w, const pool_wait *wait, struct diags *diags,
                                      struct pool_process **ret)
{
    struct binary *b = NULL;
    struct pool_process *p = NULL;
    enum engine_status status = binary_get(w->pool, &w->source, wait, diags, &b);
    if (status == ENGINE_OK && b != w->binary && !pool_provider_read_config(w, b, diags))
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
    pool_process_end(p);
    pool_unlock(w->pool);
    return status;
}

/* ---- calls ---- */

struct slot *pool_process_lend(struct pool_process *p)
{
    struct slot *slot = p->free;
    if (!slot)
        return NULL;
    p->free = slot->next_free;
    p->n_leases++;
    p->owner->n_users++;
    p->pool->counts.leases++;
    return slot;
}

/* A process without calls: ends it if it is retired, else it is idle from now on. */
LOCKED static void end_or_rest(struct pool_process *p)
{
    if (p->n_leases > 0 || p->stopping)
        return;
    if (p->state == PROCESS_RETIRED) {
        pool_process_end(p);
        return;
    }
    p->idle_since = clock_now(&system_clock);
    if (p->pool->options.idle_ns > 0)
        keeper_expect(p->pool, p->idle_since + p->pool->options.idle_ns);
}

/* The call that was to be stopped has returned before StopProvider was sent. */
LOCKED static void withdraw_stop(struct slot *slot)
{
    struct pool_process *p = slot->process;
    slot->stop_at = NO_DEADLINE;
    p->n_stops--;
    if (p->n_stops == 0 && p->state == PROCESS_PAUSED)
        p->state = PROCESS_LENDING;
}

LOCKED static void set_retired(struct pool_process *p)
{
    p->state = PROCESS_RETIRED;
    if (p->owner->current == p)
        p->owner->current = NULL;
}

void pool_process_retire(struct pool_process *p)
{
    if (p->state == PROCESS_RETIRED)
        return;
    set_retired(p);
    end_or_rest(p);
}

/* Has it ended by itself, and was that not counted yet? */
LOCKED static bool is_newly_lost(struct pool_process *p)
{
    if (p->lost || !provider_is_gone(p->provider))
        return false;
    struct pool_provider *w = p->owner;
    int64_t now = clock_now(&system_clock);
    p->lost = true;
    p->pool->counts.lost++;
    if (w->current == p)
        backoff_add(&w->backoff, now, now - p->started);
    log_warn(p->pool->options.log, "provider ended by itself", LOG_STR("provider", w->source.address),
             LOG_INT("lived_ms", (now - p->started) / NS_PER_MS));
    return true;
}

void pool_process_notice_end(struct pool_process *p)
{
    if (is_newly_lost(p))
        pool_process_retire(p);
}

void pool_process_take_back(struct slot *slot)
{
    struct pool_process *p = slot->process;
    if (slot->stop_at != NO_DEADLINE)
        withdraw_stop(slot);
    slot->next_free = p->free;
    p->free = slot;
    p->n_leases--;
    p->owner->n_users--;
    p->pool->counts.leases--;
    if (is_newly_lost(p))
        set_retired(p);
    end_or_rest(p);
}

/* ---- end ---- */

/*
 * StopProvider affects only the calls that have reached the provider, and a call that was sent earlier may reach it later. So it
 * is sent again as long as there are calls.
 */
static void stop(void *arg)
{
    struct pool_process *p = arg;
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
    if (p->n_leases > 0) {
        p->stop_again = clock_now(&system_clock) + STOP_AGAIN;
        keeper_expect(pool, p->stop_again);
    }
    end_or_rest(p);
    pool_unlock(pool);
}

void pool_process_stop(struct pool_process *p)
{
    for (unsigned i = 0; i < p->pool->options.max_calls; i++)
        p->slots[i].stop_at = NO_DEADLINE;
    p->n_stops = 0;
    p->stop_again = NO_DEADLINE;
    p->stop_sent = p->stopping = true;
    pool_process_retire(p);
    workers_submit(p->pool->workers, stop, p);
}

static void end(void *arg)
{
    struct pool_process *p = arg;
    struct pool *pool = p->pool;
    provider_free(p->provider);
    memo_free(p->memo);
    free(p);
    pool_lock(pool);
    pool->counts.processes--;
    if (pool->counts.processes == 0)
        cond_broadcast(&pool->emptied);
    pool_unlock(pool);
}

void pool_process_end(struct pool_process *p)
{
    if (p->prev)
        p->prev->next = p->next;
    else if (p->pool->processes == p)
        p->pool->processes = p->next;
    if (p->next)
        p->next->prev = p->prev;
    workers_submit(p->pool->workers, end, p);
}
