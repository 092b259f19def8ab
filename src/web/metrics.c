#include "web/metrics.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/must.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum family_kind { COUNTER, GAUGE, HISTOGRAM };
enum { MAX_LABELS = 3, MAX_BUCKETS = 40, MAX_LABEL_TEXT = 512 };

struct family {
    const char *name;
    enum family_kind kind;
    const char *help;
    const char *labels[MAX_LABELS];
    const double *buckets; /* upper bounds, ended by 0 */
};

/* The buckets of the programs whose metric names these are. */
static const double decades[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 0};
static const double of_queue[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000, 0};
static const double to_an_hour[] = {1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 0};
static const double of_cli[] = {1, 3, 5, 10, 15, 30, 60, 120, 300, 0};
static const double of_reconciles[] = {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
                                       0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  3.5, 4.0,  4.5, 5,
                                       6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60,   0};
static const double of_calls[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 0};

static const struct family families[METRICS] = {
    [METRIC_EXISTS] = {"crossplane_managed_resource_exists", GAUGE, "The number of managed resources that exist", {"gvk"}, NULL},
    [METRIC_READY] =
        {"crossplane_managed_resource_ready", GAUGE, "The number of managed resources in Ready=True state", {"gvk"}, NULL},
    [METRIC_SYNCED] =
        {"crossplane_managed_resource_synced", GAUGE, "The number of managed resources in Synced=True state", {"gvk"}, NULL},
    [METRIC_FIRST_RECONCILE_SECONDS] = {"crossplane_managed_resource_first_time_to_reconcile_seconds",
                                        HISTOGRAM,
                                        "From the creation of a managed resource to the end of its first reconcile",
                                        {"gvk"},
                                        decades},
    [METRIC_FIRST_READY_SECONDS] = {"crossplane_managed_resource_first_time_to_readiness_seconds",
                                    HISTOGRAM,
                                    "From the creation of a managed resource to its first Ready=True",
                                    {"gvk"},
                                    to_an_hour},
    [METRIC_DELETION_SECONDS] = {"crossplane_managed_resource_deletion_seconds",
                                 HISTOGRAM,
                                 "From the deletion of a managed resource until it is gone",
                                 {"gvk"},
                                 to_an_hour},
    [METRIC_DRIFT_SECONDS] = {"crossplane_managed_resource_drift_seconds",
                              HISTOGRAM,
                              "From the last reconcile that found a managed resource up to date until its next update",
                              {"gvk"},
                              decades},
    [METRIC_TTR] = {"upjet_resource_ttr",
                    HISTOGRAM,
                    "Time to readiness of managed resources, in seconds",
                    {"group", "version", "kind"},
                    to_an_hour},
    [METRIC_UPJET_DELETION_SECONDS] = {"upjet_resource_deletion_seconds",
                                       HISTOGRAM,
                                       "From the deletion of a managed resource until it is gone, in seconds",
                                       {"group", "version", "kind"},
                                       to_an_hour},
    [METRIC_RECONCILE_DELAY] = {"upjet_resource_reconcile_delay_seconds",
                                HISTOGRAM,
                                "How much later than its poll interval a managed resource was reconciled, in seconds",
                                {"group", "version", "kind"},
                                to_an_hour},
    [METRIC_CLI_SECONDS] = {"upjet_terraform_cli_duration",
                            HISTOGRAM,
                            "How long Terraform CLI invocations took, in seconds",
                            {"subcommand", "mode"},
                            of_cli},
    [METRIC_CLI_ACTIVE] = {"upjet_terraform_active_cli_invocations",
                           GAUGE,
                           "The number of running Terraform CLI invocations",
                           {"subcommand", "mode"},
                           NULL},
    [METRIC_PROCESSES] = {"upjet_terraform_running_processes",
                          GAUGE,
                          "The number of running Terraform CLI and provider processes",
                          {"type"},
                          NULL},
    [METRIC_EXTERNAL_SECONDS] =
        {"upjet_resource_ext_api_duration", HISTOGRAM, "Duration of provider calls, in seconds", {"operation"}, to_an_hour},
    [METRIC_EXTERNAL_CALLS] =
        {"upjet_resource_external_api_calls_total", COUNTER, "The number of provider calls", {"service", "operation"}, NULL},
    [METRIC_RECONCILES] =
        {"controller_runtime_reconcile_total", COUNTER, "Reconciles per controller", {"controller", "result"}, NULL},
    [METRIC_RECONCILE_ERRORS] =
        {"controller_runtime_reconcile_errors_total", COUNTER, "Reconciles per controller that failed", {"controller"}, NULL},
    [METRIC_RECONCILE_SECONDS] =
        {"controller_runtime_reconcile_time_seconds", HISTOGRAM, "How long reconciles took", {"controller"}, of_reconciles},
    [METRIC_ACTIVE_WORKERS] = {"controller_runtime_active_workers", GAUGE, "Workers that are reconciling", {"controller"}, NULL},
    [METRIC_WORKERS] = {"controller_runtime_max_concurrent_reconciles", GAUGE, "Workers that there are", {"controller"}, NULL},
    [METRIC_QUEUE_DEPTH] = {"workqueue_depth", GAUGE, "Objects that wait for a worker", {"name", "controller"}, NULL},
    [METRIC_QUEUE_ADDS] = {"workqueue_adds_total", COUNTER, "Objects that were added to the queue", {"name", "controller"}, NULL},
    [METRIC_QUEUE_RETRIES] =
        {"workqueue_retries_total", COUNTER, "Objects that were added for later", {"name", "controller"}, NULL},
    [METRIC_QUEUE_SECONDS] =
        {"workqueue_queue_duration_seconds", HISTOGRAM, "How long objects waited for a worker", {"name", "controller"}, of_queue},
    [METRIC_WORK_SECONDS] =
        {"workqueue_work_duration_seconds", HISTOGRAM, "How long workers worked on objects", {"name", "controller"}, of_queue},
    [METRIC_QUEUE_UNFINISHED] = {"workqueue_unfinished_work_seconds",
                                 GAUGE,
                                 "Time that the objects in progress have taken so far, in total",
                                 {"name", "controller"},
                                 NULL},
    [METRIC_PROCESS_CPU] = {"process_cpu_seconds_total", COUNTER, "User and system CPU time, in seconds", {NULL}, NULL},
    [METRIC_PROCESS_MEMORY] = {"process_resident_memory_bytes", GAUGE, "Resident memory, in bytes", {NULL}, NULL},
    [METRIC_PROCESS_START] =
        {"process_start_time_seconds", GAUGE, "Start time of the process, in seconds since 1970", {NULL}, NULL},
    [METRIC_PROCESS_FILES] = {"process_open_fds", GAUGE, "Open file descriptors", {NULL}, NULL},
    [METRIC_BUILD] = {"terrane_build_info", GAUGE, "Always 1; the label has the version of the program", {"version"}, NULL},
    [METRIC_CALLS] = {"terrane_provider_calls_total", COUNTER, "Calls of providers", {"provider", "method", "result"}, NULL},
    [METRIC_CALL_SECONDS] =
        {"terrane_provider_call_duration_seconds", HISTOGRAM, "Duration of provider calls", {"provider", "method"}, of_calls},
    [METRIC_PROVIDER_STARTS] = {"terrane_provider_starts_total", COUNTER, "Provider processes that were started", {NULL}, NULL},
    [METRIC_PROVIDER_RESTARTS] =
        {"terrane_provider_restarts_total", COUNTER, "Provider processes that exited unexpectedly", {NULL}, NULL},
    [METRIC_PROVIDER_ACTIVE] = {"terrane_provider_calls_active", GAUGE, "Provider calls in progress", {NULL}, NULL},
    [METRIC_QUEUE_STATE] = {"terrane_queue_objects", GAUGE, "Objects in the queue", {"state"}, NULL},
    [METRIC_OBJECTS] = {"terrane_objects", GAUGE, "Objects that are being managed, including ProviderConfigs", {NULL}, NULL},
    [METRIC_OPERATIONS] =
        {"terrane_operations_total", COUNTER, "Creations, updates and deletions", {"operation", "result"}, NULL},
    [METRIC_OPERATIONS_ACTIVE] =
        {"terrane_operations_active", GAUGE, "Creations, updates and deletions in progress", {NULL}, NULL},
    [METRIC_STORE_CHANGES] = {"terrane_store_changes_total", COUNTER, "Changes of the store that were observed", {NULL}, NULL},
    [METRIC_DROPPED] =
        {"terrane_metrics_dropped_total", COUNTER, "Measurements dropped because there were too many series", {NULL}, NULL},
};

struct series {
    struct str labels; /* as written in the output: a="b",c="d" */
    double value;      /* for a histogram: the sum */
    uint64_t n;
    uint64_t buckets[]; /* counts per bucket, not cumulative */
};

struct metrics {
    pthread_mutex_t lock; /* protects everything below */
    struct {
        struct arena *arena;
        struct map series;
    } v[METRICS];
    size_t n;
};

static void begin_family(struct metrics *m, size_t i)
{
    m->v[i].arena = arena_new(NULL, 0);
    map_init(&m->v[i].series, m->v[i].arena);
}

/* The n-th number (from 0) in a file of /proc, counted after the last ')' if there is one. */
static double read_number(const char *path, int n)
{
    char text[1024];
    FILE *f = fopen(path, "re");
    size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        (void)fclose(f);
    text[got] = '\0';
    char *at = strrchr(text, ')'), *rest = at ? at + 1 : text;
    double value = 0;
    for (int i = 0; i <= n; i++) {
        while (*rest == ' ')
            rest++;
        value = strtod(rest, NULL);
        rest += strcspn(rest, " ");
    }
    return value;
}

/* Computed once: a new computation would vary with clock adjustments, and a changed start time looks like a restart. */
static double started_at(void)
{
    double uptime = read_number("/proc/uptime", 0);
    double started = read_number("/proc/self/stat", 19) / (double)sysconf(_SC_CLK_TCK); /* field 22, counted from the name */
    return (double)system_clock.wall_ns(&system_clock) / 1e9 - uptime + started;
}

struct metrics *metrics_new(void)
{
    struct metrics *m = must(calloc(1, sizeof *m));
    mutex_init(&m->lock);
    for (size_t i = 0; i < METRICS; i++)
        begin_family(m, i);
    metrics_set(m, METRIC_BUILD, &STR(TERRANE_VERSION), 1);
    metrics_set(m, METRIC_PROCESS_START, NULL, started_at());
    metrics_add(m, METRIC_DROPPED, NULL, 0);
    return m;
}

void metrics_free(struct metrics *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < METRICS; i++)
        arena_free(m->v[i].arena);
    mutex_destroy(&m->lock);
    free(m);
}

/* In the text format's form: quotes, backslashes and line ends escaped, valid UTF-8. */
static void write_label(struct buf *out, struct str text)
{
    text = str_slice(text, 0, MAX_LABEL_TEXT);
    while (text.n > 0) {
        size_t n = str_utf8_first(text);
        if (n == 0)
            buf_addz(out, "\xef\xbf\xbd");
        else if (text.p[0] == '\n')
            buf_addz(out, "\\n");
        else if (text.p[0] == '"' || text.p[0] == '\\')
            buf_printf(out, "\\%c", text.p[0]);
        else
            buf_add(out, str_slice(text, 0, n));
        text = str_slice(text, n > 0 ? n : 1, text.n);
    }
}

static void write_labels(struct buf *out, const struct family *f, const struct str *labels)
{
    for (size_t i = 0; labels && i < MAX_LABELS && f->labels[i]; i++) {
        buf_printf(out, "%s%s=\"", i > 0 ? "," : "", f->labels[i]);
        write_label(out, labels[i]);
        buf_addc(out, '"');
    }
}

static size_t count_buckets(const struct family *f)
{
    size_t n = 0;
    while (f->buckets && n < MAX_BUCKETS && f->buckets[n] > 0)
        n++;
    return n;
}

/* NULL: there are too many series. */
static struct series *series_of_locked(struct metrics *m, enum metric family, const struct str *labels)
{
    const struct family *f = &families[family];
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    write_labels(&text, f, labels);
    struct series *s = map_get(&m->v[family].series, buf_str(&text));
    if (s)
        return s;
    if (m->n >= METRICS_MAX_SERIES && family != METRIC_DROPPED) {
        series_of_locked(m, METRIC_DROPPED, NULL)->value++;
        return NULL;
    }
    struct arena *a = m->v[family].arena;
    s = arena_alloc(a, sizeof *s + count_buckets(f) * sizeof *s->buckets, alignof(struct series));
    s->labels = buf_copy(&text, a);
    map_put(&m->v[family].series, s->labels, s);
    m->n++;
    return s;
}

void metrics_add(struct metrics *m, enum metric family, const struct str *labels, double by)
{
    if (!m)
        return;
    MUTEX_GUARD(&m->lock);
    struct series *s = series_of_locked(m, family, labels);
    if (s)
        s->value += by;
}

void metrics_set(struct metrics *m, enum metric family, const struct str *labels, double value)
{
    if (!m)
        return;
    MUTEX_GUARD(&m->lock);
    struct series *s = series_of_locked(m, family, labels);
    if (s)
        s->value = value;
}

void metrics_clear(struct metrics *m, enum metric family)
{
    if (!m)
        return;
    MUTEX_GUARD(&m->lock);
    m->n -= m->v[family].series.n;
    arena_free(m->v[family].arena);
    begin_family(m, family);
}

void metrics_observe(struct metrics *m, enum metric family, const struct str *labels, double seconds)
{
    const struct family *f = &families[family];
    size_t at = 0, n = count_buckets(f);
    if (!m)
        return;
    while (at < n && seconds > f->buckets[at])
        at++;
    MUTEX_GUARD(&m->lock);
    struct series *s = series_of_locked(m, family, labels);
    if (!s)
        return;
    s->value += seconds;
    s->n++;
    if (at < n)
        s->buckets[at]++;
}

/* --- this process --- */

static double count_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    double n = -3; /* ".", ".." and the descriptor of the folder itself */
    if (!d)
        return 0;
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

void metrics_measure_process(struct metrics *m)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        metrics_set(m, METRIC_PROCESS_CPU, NULL,
                    (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                        (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    metrics_set(m, METRIC_PROCESS_MEMORY, NULL, read_number("/proc/self/statm", 1) * (double)sysconf(_SC_PAGESIZE));
    metrics_set(m, METRIC_PROCESS_FILES, NULL, count_files());
}

/* --- output --- */

static void write_sample(struct buf *out, const struct family *f, const char *suffix, const struct series *s, const char *bound,
                         double value)
{
    bool has_labels = s->labels.n > 0 || bound;
    buf_printf(out, "%s%s%s" STR_FMT, f->name, suffix, has_labels ? "{" : "", STR_ARG(s->labels));
    if (bound)
        buf_printf(out, "%sle=\"%s\"", s->labels.n > 0 ? "," : "", bound);
    buf_printf(out, "%s %.17g\n", has_labels ? "}" : "", value);
}

static void write_histogram(struct buf *out, const struct family *f, const struct series *s)
{
    uint64_t sum = 0;
    for (size_t i = 0, n = count_buckets(f); i < n; i++) {
        char bound[32];
        (void)snprintf(bound, sizeof bound, "%g", f->buckets[i]);
        sum += s->buckets[i];
        write_sample(out, f, "_bucket", s, bound, (double)sum);
    }
    write_sample(out, f, "_bucket", s, "+Inf", (double)s->n);
    write_sample(out, f, "_sum", s, NULL, s->value);
    write_sample(out, f, "_count", s, NULL, (double)s->n);
}

void metrics_write(struct metrics *m, struct buf *out)
{
    static const char *const kinds[] = {[COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram"};
    MUTEX_GUARD(&m->lock);
    for (size_t i = 0; i < METRICS; i++) {
        const struct family *f = &families[i];
        if (m->v[i].series.n == 0)
            continue;
        buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, kinds[f->kind]);
        for (size_t k = 0; k < m->v[i].series.n; k++) {
            const struct series *s = m->v[i].series.entries[k].value;
            if (f->kind == HISTOGRAM)
                write_histogram(out, f, s);
            else
                write_sample(out, f, "", s, NULL, s->value);
        }
    }
}
