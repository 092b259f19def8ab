/*
 * Metrics in the text format of Prometheus. All families are in one table in metrics.c: those of Crossplane, Upjet and
 * controller-runtime, with their names, labels and buckets, so that existing graphs work, and ours.
 *
 *     metrics_observe(m, METRIC_CALL_SECONDS, (struct str[]){provider, method}, 0.012);
 *     metrics_write(m, &out);                 // text format 0.0.4
 *
 * All functions may be called from any thread, and do nothing if `m` is NULL. `labels` has as many strings as the family has
 * label names. The number of series is limited (METRICS_MAX_SERIES): further ones are dropped and counted.
 */
#pragma once

#include "base/buf.h"

enum metric {
    /* crossplane-runtime; gvk: "s3.aws.upbound.io/v1beta1, Kind=Bucket" */
    METRIC_EXISTS, /* gvk */
    METRIC_READY,
    METRIC_SYNCED,
    METRIC_FIRST_RECONCILE_SECONDS,
    METRIC_FIRST_READY_SECONDS,
    METRIC_DELETION_SECONDS,
    METRIC_DRIFT_SECONDS,
    /* upjet */
    METRIC_TTR,                    /* group, version, kind */
    METRIC_UPJET_DELETION_SECONDS, /* group, version, kind */
    METRIC_RECONCILE_DELAY,        /* group, version, kind */
    METRIC_CLI_SECONDS,            /* subcommand, mode: sync, async */
    METRIC_CLI_ACTIVE,             /* subcommand, mode */
    METRIC_PROCESSES,              /* type: cli, provider */
    METRIC_EXTERNAL_SECONDS,       /* operation */
    METRIC_EXTERNAL_CALLS,         /* service, operation */
    /* controller-runtime; controller: "managed/s3.aws.upbound.io/v1beta1, kind=bucket" */
    METRIC_RECONCILES,        /* controller, result: success, error, requeue_after */
    METRIC_RECONCILE_ERRORS,  /* controller */
    METRIC_RECONCILE_SECONDS, /* controller */
    METRIC_ACTIVE_WORKERS,    /* controller */
    METRIC_WORKERS,           /* controller */
    /* client-go's work queue; name, controller */
    METRIC_QUEUE_DEPTH,
    METRIC_QUEUE_ADDS,
    METRIC_QUEUE_RETRIES,
    METRIC_QUEUE_SECONDS,
    METRIC_WORK_SECONDS,
    METRIC_QUEUE_UNFINISHED,
    /* of every process */
    METRIC_PROCESS_CPU,
    METRIC_PROCESS_MEMORY,
    METRIC_PROCESS_START,
    METRIC_PROCESS_FILES,
    /* ours */
    METRIC_BUILD,        /* version */
    METRIC_CALLS,        /* provider, method, result */
    METRIC_CALL_SECONDS, /* provider, method */
    METRIC_PROVIDER_STARTS,
    METRIC_PROVIDER_RESTARTS,
    METRIC_PROVIDER_ACTIVE,
    METRIC_QUEUE_STATE, /* state: ready, delayed, held, working */
    METRIC_OBJECTS,
    METRIC_OPERATIONS, /* operation, result: begun, failed */
    METRIC_OPERATIONS_ACTIVE,
    METRIC_STORE_CHANGES,
    METRIC_DROPPED,
    METRICS,
};
enum { METRICS_MAX_SERIES = 20000, METRICS_MAX_TEXT = 64 << 20 };

struct metrics;
struct metrics *metrics_new(void);
void metrics_free(struct metrics *m); /* NULL is accepted */

/* Counters and gauges. */
void metrics_add(struct metrics *m, enum metric family, const struct str *labels, double by);
void metrics_set(struct metrics *m, enum metric family, const struct str *labels, double value);
/* Drops the series of a gauge, so that those that are not set again disappear. */
void metrics_clear(struct metrics *m, enum metric family);
/* Histograms. */
void metrics_observe(struct metrics *m, enum metric family, const struct str *labels, double seconds);

/* Sets the metrics of this process, from /proc. */
void metrics_measure_process(struct metrics *m);

void metrics_write(struct metrics *m, struct buf *out);
