/*
 * Turns what is known of a running controller into metrics: work that the log reports, and the counts of the controller and the
 * pool; board.h adds those of objects. Also answers the probes.
 */
#pragma once

#include "controller/controller.h"
#include "engine/pool.h"
#include "web/health.h"

struct monitor;
struct monitor *monitor_new(void);
void monitor_free(struct monitor *m); /* NULL is accepted; the log must not call monitor_work() any more */

/* For log_watch(): `ctx` is the monitor. */
void monitor_work(void *monitor, const struct log_work *work);

/* For controller_options.timer: `ctx` is the monitor. */
void monitor_time(void *monitor, const struct kind *kind, enum controller_time what, int64_t ns);

/*
 * Where it reads counts when metrics are requested; each may be NULL. May be set from any thread; pass NULL before one of them is
 * freed.
 */
struct monitor_sources {
    struct controller *controller;
    struct pool *pool;
    struct store *store;
};
void monitor_watch(struct monitor *m, const struct monitor_sources *sources);

struct metrics *monitor_metrics(struct monitor *m);
/* For WEB_HEALTH_ROUTES(): ready while it watches a controller and the store's lease is ours. Lives as long as the monitor. */
struct web_health *monitor_health(struct monitor *m);

/* Statistics of a provider's use, for people. */
struct monitor_provider {
    struct str address; /* lives as long as the monitor */
    uint64_t calls, failed;
    double per_second;         /* in the last ten seconds */
    int64_t median_ns, p95_ns; /* of the latest calls */
};
enum { MONITOR_MAX_PROVIDERS = 64 };
size_t monitor_providers(struct monitor *m, struct monitor_provider ret[MONITOR_MAX_PROVIDERS]);
struct pool_counts monitor_pool(struct monitor *m);
struct controller_counts monitor_controller(struct monitor *m);
