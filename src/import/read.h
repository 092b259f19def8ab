/* Reads the objects of a list: imports, reads and configures many at once through a warm provider. */
#pragma once

#include "engine/pool.h"
#include "import/journal.h"
#include "import/rates.h"
#include "import/region.h"
#include "import/rows.h"

struct import_reading {
    struct pool_provider *provider;
    struct import_regions regions; /* each with its own provider */
    struct str provider_address;
    struct log *log;
    struct cancel *cancel;
    int64_t timeout_ns; /* of one call; 0: no timeout */
    size_t parallel;
    enum configure_style style;
    bool
        ask; /* asks for more, see row_ask: only where a state is written that says so, because an import of its own reads less */
    struct import_journal *journal;
    struct rates *rates;                                    /* rate limits of services; NULL: none */
    const struct rows *rows;                                /* maps types to services; NULL: by the type's name */
    void (*progress)(void *ctx, size_t done, size_t total); /* called on any thread, one call at a time; may be NULL */
    void *ctx;
};

/*
 * Gives every object without a result its result or its error, except skipped ones; one failure does not stop the others. False
 * with a diagnostic when the journal cannot be written; interrupted objects stay waiting.
 */
bool import_read_all(const struct import_reading *r, struct worklist *w, struct diags *diags);

/*
 * Runs `job(ctx, engine, i)` for 0..n-1, each with its own engine. Jobs whose provider process died are retried twice, one at a
 * time, so that a job that crashes the provider does not take others with it.
 */
typedef enum engine_status import_job_fn(void *ctx, struct engine *e, size_t i);
typedef void import_done_fn(void *ctx, size_t i, enum engine_status status, struct arena *arena, const struct diags *diags);
struct import_jobs {
    const struct import_reading *reading;
    import_job_fn *job;
    import_done_fn *done; /* called on the job's thread; it must free the arena */
    void *ctx;
    struct str (*region)(void *ctx, size_t i); /* the region of a job; NULL: the provider's own for all */
};
void import_run_jobs(const struct import_jobs *jobs, size_t n);

/*
 * Runs a step of a job within its service's rate limit: each attempt takes a token, and a throttled step is retried, at a lower
 * rate. Diagnostics are those of the last attempt. Without rates there is no limit.
 */
typedef enum engine_status import_step_fn(void *ctx, struct engine *e);
struct import_turn {
    struct rates *rates;
    struct str service;
    struct cancel *cancel;
};
enum engine_status import_in_turn(const struct import_turn *t, struct engine *e, import_step_fn *step, void *ctx);

/* The text of the first error: why an object could not be read. */
struct str import_first_error(struct arena *a, const struct diags *diags);

/* The status of an object with this configuration. */
enum import_status import_status_of(const struct configured *c);
