/*
 * What is measured of a running controller: work as the log tells it, objects as the store has them (board.h), and what the
 * controller and the pool count themselves. Makes metrics of it, and answers the probes.
 */
#pragma once

#include "controller/controller.h"
#include "engine/pool.h"
#include "web/health.h"

struct monitor;
struct monitor *monitor_new(void);
void monitor_free(struct monitor *m); /* NULL is accepted; the log must tell nothing any more */

/* For log_watch(): `ctx` is the monitor. */
void monitor_work(void *monitor, const struct log_work *work);

/* For controller_options.timer: `ctx` is the monitor. */
void monitor_time(void *monitor, const struct kind *kind, enum controller_time what, int64_t ns);

/* What it asks when it is asked; each may be NULL. From any thread; NULL for all before these end. */
struct monitor_sources {
    struct controller *controller;
    struct pool *pool;
    struct store *store;
};
void monitor_watch(struct monitor *m, const struct monitor_sources *sources);

struct metrics *monitor_metrics(struct monitor *m);
/* For WEB_HEALTH_ROUTES(): ready while it watches a controller whose store is ours. Lives as long as the monitor. */
struct web_health *monitor_health(struct monitor *m);

/* How providers were used, for people. */
struct monitor_provider {
    struct str address; /* lives as long as the monitor */
    uint64_t calls, failed;
    double per_second;         /* in the last ten seconds */
    int64_t median_ns, p95_ns; /* of the last calls */
};
enum { MONITOR_MAX_PROVIDERS = 64 };
size_t monitor_providers(struct monitor *m, struct monitor_provider ret[MONITOR_MAX_PROVIDERS]);
struct pool_counts monitor_pool(struct monitor *m);
struct controller_counts monitor_controller(struct monitor *m);
