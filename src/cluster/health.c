#include "cluster/health.h"

#include "base/lock.h"
#include "base/must.h"
#include "managed/object.h"

#include <stdlib.h>

struct health {
    struct web_server *server;
    struct monitor *monitor;
    struct web_health web;
    struct web_route routes[5];
    pthread_mutex_t lock; /* protects what follows; held while metrics are computed, so that the store is not freed meanwhile */
    struct store *store;
    struct kinds_list kinds;
    bool stands_by;
};

static bool is_ready(void *ctx, struct arena *a, struct str *ret_why)
{
    struct health *h = ctx;
    (void)a;
    MUTEX_GUARD(&h->lock);
    *ret_why = STR("definitions are being installed, or the cluster cannot be reached");
    return h->store || h->stands_by; /* a controller that waits for its turn is ready, too */
}

/* ---- objects of a kind ---- */

struct counting {
    double exist, ready, synced;
};

static bool is_true(const struct json *object, const char *type)
{
    struct managed_condition c;
    return managed_condition(object, type, &c) && str_eqz(c.status, "True");
}

static bool count_one(void *ctx, struct arena *a, const struct json *object)
{
    struct counting *n = ctx;
    (void)a;
    n->exist++;
    n->ready += is_true(object, "Ready");
    n->synced += is_true(object, "Synced");
    return true;
}

static void measure_kind(struct health *h, struct arena *a, struct metrics *m, const struct kind *kind)
{
    /* With several controllers each counts its own objects; to list all of them at each scrape would be a load. */
    const struct store_query query = {.group = kind->group, .kind = kind->kind, .own = true};
    struct counting n = {0};
    struct diags ignored;
    struct str version;
    diags_init(&ignored, a);
    if (store_list(h->store, a, &query, count_one, &n, &ignored, &version) != STORE_OK)
        return;
    const struct str gvk =
        arena_printf(a, STR_FMT "/" STR_FMT ", Kind=" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->version), STR_ARG(kind->kind));
    metrics_set(m, METRIC_EXISTS, &gvk, n.exist);
    metrics_set(m, METRIC_READY, &gvk, n.ready);
    metrics_set(m, METRIC_SYNCED, &gvk, n.synced);
}

static void measure(void *ctx, struct metrics *m)
{
    struct health *h = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct web_health *work = monitor_health(h->monitor);
    work->measure(work->ctx, m);
    MUTEX_GUARD(&h->lock);
    for (size_t i = 0; h->store && i < h->kinds.n; i++)
        if (h->kinds.v[i]->role == KIND_MANAGED)
            measure_kind(h, a, m, h->kinds.v[i]);
}

/* ---- start and stop ---- */

struct health *health_start(const struct health_options *o, struct diags *diags)
{
    struct health *h = must(calloc(1, sizeof *h));
    h->monitor = o->monitor;
    h->web = (struct web_health){.ready = is_ready, .measure = measure, .ctx = h, .metrics = monitor_metrics(o->monitor)};
    const struct web_route routes[] = {WEB_HEALTH_ROUTES(&h->web), {0}};
    memcpy(h->routes, routes, sizeof routes);
    mutex_init(&h->lock);
    h->server = web_listen(
        &(struct web_options){
            .address = o->address, .any_host = !web_is_loopback(o->address), .routes = h->routes, .log = o->log},
        diags);
    if (h->server)
        return h;
    health_stop(h);
    return NULL;
}

void health_stop(struct health *h)
{
    if (!h)
        return;
    web_close(h->server);
    mutex_destroy(&h->lock);
    free(h);
}

void health_about(struct health *h, struct store *store, struct kinds_list kinds)
{
    if (!h)
        return;
    MUTEX_GUARD(&h->lock);
    h->store = store;
    h->kinds = kinds;
    metrics_clear(h->web.metrics, METRIC_EXISTS);
    metrics_clear(h->web.metrics, METRIC_READY);
    metrics_clear(h->web.metrics, METRIC_SYNCED);
}

void health_stands_by(struct health *h, bool stands_by)
{
    if (!h)
        return;
    MUTEX_GUARD(&h->lock);
    h->stands_by = stands_by;
}

const char *health_url(const struct health *h)
{
    return web_url(h->server);
}
