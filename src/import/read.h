/* Reading the objects of a list: imported, read and configured through a warm provider, many at once. */
#pragma once

#include "engine/pool.h"
#include "import/journal.h"
#include "import/rates.h"
#include "import/region.h"
#include "import/rows.h"

struct import_reading {
    struct pool_provider *provider;
    struct import_regions regions; /* with providers of their own */
    struct str provider_address;
    struct log *log;
    struct cancel *cancel;
    int64_t timeout_ns; /* of one call; 0: none */
    size_t parallel;
    enum configure_style style;
    struct import_journal *journal;
    struct rates *rates;                                    /* for each service of a type; NULL: none */
    const struct rows *rows;                                /* which that is; NULL: by the type's name */
    void (*progress)(void *ctx, size_t done, size_t total); /* from any thread, one at a time; may be NULL */
    void *ctx;
};

/*
 * Every object that has no result yet and is not to be skipped gets one, or its error; one that fails does not keep the others.
 * False with a diagnostic when the journal cannot be written; interrupted objects wait.
 */
bool import_read_all(const struct import_reading *r, struct worklist *w, struct diags *diags);

/*
 * Runs `job(ctx, engine, i)` for 0..n-1 with an engine of its own each. Those whose provider died under way are tried twice more,
 * one at a time, so that one which the provider dies of does not take others with it.
 */
typedef enum engine_status import_job_fn(void *ctx, struct engine *e, size_t i);
typedef void import_done_fn(void *ctx, size_t i, enum engine_status status, struct arena *arena, const struct diags *diags);
struct import_jobs {
    const struct import_reading *reading;
    import_job_fn *job;
    import_done_fn *done; /* on the same thread; the arena is its to free */
    void *ctx;
    struct str (*region)(void *ctx, size_t i); /* of a job; NULL: the provider's own */
};
void import_run_jobs(const struct import_jobs *jobs, size_t n);

/*
 * A step of a job in turn with others of its service: a token for each try, and where the service says that this was too much the
 * step is tried again, slower. Diagnostics are those of the last try. No rates: as often as you like.
 */
typedef enum engine_status import_step_fn(void *ctx, struct engine *e);
struct import_turn {
    struct rates *rates;
    struct str service;
    struct cancel *cancel;
};
enum engine_status import_in_turn(const struct import_turn *t, struct engine *e, import_step_fn *step, void *ctx);

/* The first error in words: why an object could not be read. */
struct str import_first_error(struct arena *a, const struct diags *diags);

/* What became of an object that was configured so. */
enum import_status import_status_of(const struct configured *c);
