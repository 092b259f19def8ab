#include "web/monitor.h"

#include "base/lock.h"
#include "base/must.h"

#include <stdlib.h>

enum { LAST = 256, WINDOW_S = 10 };

struct provider_times {
    struct str address;
    uint64_t calls, failed;
    int64_t last[LAST];       /* durations, in a ring */
    int64_t second[WINDOW_S]; /* the second that each slot is for */
    unsigned in_second[WINDOW_S];
};

struct monitor {
    struct metrics *metrics;
    struct web_health health;
    pthread_mutex_t sources_lock; /* held while they are used, so that they are not freed meanwhile */
    struct monitor_sources sources;
    pthread_mutex_t lock; /* protects what follows */
    struct arena *arena;
    struct provider_times *providers[MONITOR_MAX_PROVIDERS];
    size_t n;
};

/* --- work reported by the log --- */

static struct provider_times *provider_locked(struct monitor *m, struct str address)
{
    for (size_t i = 0; i < m->n; i++)
        if (str_eq(m->providers[i]->address, address))
            return m->providers[i];
    if (m->n == MONITOR_MAX_PROVIDERS)
        return NULL;
    struct provider_times *p = arena_make(m->arena, struct provider_times);
    p->address = arena_str(m->arena, address);
    m->providers[m->n++] = p;
    return p;
}

static void note_call(struct monitor *m, const struct log_work *work, bool ok)
{
    MUTEX_GUARD(&m->lock);
    struct provider_times *p = provider_locked(m, work->who);
    if (!p)
        return;
    int64_t second = work->ended / NS_PER_S;
    size_t slot = (size_t)(second % WINDOW_S);
    if (p->second[slot] != second)
        p->in_second[slot] = 0;
    p->second[slot] = second;
    p->in_second[slot]++;
    p->last[p->calls++ % LAST] = work->ended - work->begun;
    p->failed += !ok;
}

/* Terraform itself (`--scheduler cli`). */
static void note_command(struct monitor *m, const struct log_work *work, double seconds)
{
    const struct str labels[] = {work->what, work->about};
    bool begins = work->outcome == NULL;
    metrics_add(m->metrics, METRIC_CLI_ACTIVE, labels, begins ? 1 : -1);
    metrics_add(m->metrics, METRIC_PROCESSES, &STR("cli"), begins ? 1 : -1);
    if (!begins)
        metrics_observe(m->metrics, METRIC_CLI_SECONDS, labels, seconds);
}

/* Creates Upjet's series at the start, as Upjet does, so that graphs show 0 and not a gap. */
static void begin_commands(struct metrics *m)
{
    static const char *const subcommands[] = {"init", "apply", "destroy", "plan"}, *const modes[] = {"sync", "async"};
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++)
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
            metrics_set(m, METRIC_CLI_ACTIVE, (struct str[]){str_of(subcommands[i]), str_of(modes[k])}, 0);
    metrics_set(m, METRIC_PROCESSES, &STR("cli"), 0);
}

/* Labels name and controller: there is one queue for all kinds. */
static const struct str the_queue[] = {{"managed", 7}, {"managed", 7}};

void monitor_time(void *monitor, const struct kind *kind, enum controller_time what, int64_t ns)
{
    struct monitor *m = monitor;
    /* The names of crossplane-runtime and of Upjet; METRICS: it has none. */
    static const enum metric names[][2] = {
        [CONTROLLER_DRIFT] = {METRIC_DRIFT_SECONDS, METRICS},
        [CONTROLLER_DELAY] = {METRICS, METRIC_RECONCILE_DELAY},
        [CONTROLLER_FIRST_RECONCILE] = {METRIC_FIRST_RECONCILE_SECONDS, METRICS},
        [CONTROLLER_FIRST_READY] = {METRIC_FIRST_READY_SECONDS, METRIC_TTR},
        [CONTROLLER_DELETION] = {METRIC_DELETION_SECONDS, METRIC_UPJET_DELETION_SECONDS},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    double seconds = (double)ns / 1e9;
    if (what == CONTROLLER_WAITED || what == CONTROLLER_WORKED) {
        metrics_observe(m->metrics, what == CONTROLLER_WAITED ? METRIC_QUEUE_SECONDS : METRIC_WORK_SECONDS, the_queue, seconds);
        return;
    }
    if (names[what][0] != METRICS)
        metrics_observe(m->metrics, names[what][0], (struct str[]){kind_gvk(a, kind)}, seconds);
    if (names[what][1] != METRICS)
        metrics_observe(m->metrics, names[what][1], (struct str[]){kind->group, kind->version, kind->kind}, seconds);
}

void monitor_work(void *monitor, const struct log_work *work)
{
    struct monitor *m = monitor;
    double seconds = (double)(work->ended - work->begun) / 1e9;
    struct str outcome = str_of(work->outcome);
    bool ok = str_eqz(outcome, "ok");
    switch (work->kind) {
    case LOG_WORK_CALL:
        note_call(m, work, ok || str_eqz(outcome, "unsupported"));
        metrics_add(m->metrics, METRIC_CALLS, (struct str[]){work->who, work->what, outcome}, 1);
        metrics_observe(m->metrics, METRIC_CALL_SECONDS, (struct str[]){work->who, work->what}, seconds);
        break;
    case LOG_WORK_COMMAND:
        note_command(m, work, seconds);
        break;
    case LOG_WORK_JOB:
        metrics_observe(m->metrics, METRIC_EXTERNAL_SECONDS, (struct str[]){work->what}, seconds);
        metrics_add(m->metrics, METRIC_EXTERNAL_CALLS, (struct str[]){work->who, work->what}, 1);
        break;
    case LOG_WORK_PASS:
        metrics_add(m->metrics, METRIC_RECONCILES, (struct str[]){work->who, ok ? STR("success") : outcome}, 1);
        metrics_add(m->metrics, METRIC_RECONCILE_ERRORS, &work->who, str_eqz(outcome, "error"));
        metrics_observe(m->metrics, METRIC_RECONCILE_SECONDS, &work->who, seconds);
        break;
    case LOG_WORK_REQUEST:
        break;
    }
}

/* --- counts read on request --- */

struct pool_counts monitor_pool(struct monitor *m)
{
    MUTEX_GUARD(&m->sources_lock);
    return m->sources.pool ? pool_count(m->sources.pool) : (struct pool_counts){0};
}

struct controller_counts monitor_controller(struct monitor *m)
{
    MUTEX_GUARD(&m->sources_lock);
    return m->sources.controller ? controller_count(m->sources.controller) : (struct controller_counts){0};
}

static void measure_queue(struct metrics *m, const struct queue_counts *q)
{
    size_t ready = 0;
    for (size_t i = 0; i < QUEUE_PRIORITIES; i++)
        ready += q->ready[i];
    metrics_set(m, METRIC_QUEUE_DEPTH, the_queue, (double)ready);
    metrics_set(m, METRIC_QUEUE_ADDS, the_queue, (double)q->added);
    metrics_set(m, METRIC_QUEUE_RETRIES, the_queue, (double)q->retries);
    metrics_set(m, METRIC_QUEUE_UNFINISHED, the_queue, (double)q->unfinished_ns / 1e9);
    metrics_set(m, METRIC_ACTIVE_WORKERS, the_queue, (double)q->working);
    metrics_set(m, METRIC_QUEUE_STATE, &STR("ready"), (double)ready);
    metrics_set(m, METRIC_QUEUE_STATE, &STR("delayed"), (double)q->delayed);
    metrics_set(m, METRIC_QUEUE_STATE, &STR("held"), (double)q->held);
    metrics_set(m, METRIC_QUEUE_STATE, &STR("working"), (double)q->working);
}

static void measure(void *monitor, struct metrics *out)
{
    static const char *const operations[] = {"create", "update", "delete"};
    struct controller_counts c = monitor_controller(monitor);
    struct pool_counts p = monitor_pool(monitor);
    measure_queue(out, &c.queue);
    metrics_set(out, METRIC_WORKERS, the_queue, (double)c.workers);
    metrics_set(out, METRIC_OBJECTS, NULL, (double)c.objects);
    metrics_set(out, METRIC_OPERATIONS_ACTIVE, NULL, (double)c.operations);
    metrics_set(out, METRIC_STORE_CHANGES, NULL, (double)c.changes);
    for (size_t i = 0; i < 3; i++) {
        metrics_set(out, METRIC_OPERATIONS, (struct str[]){str_of(operations[i]), STR("begun")}, (double)c.begun[i]);
        metrics_set(out, METRIC_OPERATIONS, (struct str[]){str_of(operations[i]), STR("failed")}, (double)c.lost[i]);
    }
    metrics_set(out, METRIC_PROCESSES, &STR("provider"), (double)p.processes);
    metrics_set(out, METRIC_PROVIDER_STARTS, NULL, (double)p.started);
    metrics_set(out, METRIC_PROVIDER_RESTARTS, NULL, (double)p.lost);
    metrics_set(out, METRIC_PROVIDER_ACTIVE, NULL, (double)p.leases);
}

static bool is_ready(void *monitor, struct arena *a, struct str *ret_why)
{
    (void)a;
    struct monitor *m = monitor;
    MUTEX_GUARD(&m->sources_lock);
    *ret_why = STR("nothing is reconciled yet, or another process does it");
    return m->sources.controller && m->sources.store && store_holds_lease(m->sources.store);
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static struct monitor_provider told(const struct provider_times *p)
{
    struct monitor_provider t = {.address = p->address, .calls = p->calls, .failed = p->failed};
    int64_t sorted[LAST], now = clock_now(&system_clock) / NS_PER_S;
    size_t n = p->calls < LAST ? (size_t)p->calls : LAST;
    memcpy(sorted, p->last, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    if (n > 0) {
        t.median_ns = sorted[n / 2];
        t.p95_ns = sorted[n * 95 / 100];
    }
    for (size_t i = 0; i < WINDOW_S; i++)
        if (now - p->second[i] < WINDOW_S)
            t.per_second += (double)p->in_second[i] / (double)WINDOW_S;
    return t;
}

size_t monitor_providers(struct monitor *m, struct monitor_provider ret[MONITOR_MAX_PROVIDERS])
{
    MUTEX_GUARD(&m->lock);
    for (size_t i = 0; i < m->n; i++)
        ret[i] = told(m->providers[i]);
    return m->n;
}

/* --- start and stop --- */

struct monitor *monitor_new(void)
{
    struct monitor *m = must(calloc(1, sizeof *m));
    m->metrics = metrics_new();
    begin_commands(m->metrics);
    m->arena = arena_new(NULL, 0);
    m->health = (struct web_health){.ready = is_ready, .measure = measure, .ctx = m, .metrics = m->metrics};
    mutex_init(&m->lock);
    mutex_init(&m->sources_lock);
    return m;
}

void monitor_free(struct monitor *m)
{
    if (!m)
        return;
    mutex_destroy(&m->sources_lock);
    mutex_destroy(&m->lock);
    arena_free(m->arena);
    metrics_free(m->metrics);
    free(m);
}

void monitor_watch(struct monitor *m, const struct monitor_sources *sources)
{
    MUTEX_GUARD(&m->sources_lock);
    m->sources = sources ? *sources : (struct monitor_sources){0};
}

struct metrics *monitor_metrics(struct monitor *m)
{
    return m->metrics;
}

struct web_health *monitor_health(struct monitor *m)
{
    return &m->health;
}
