#include "import/read.h"

#include "engine/request.h"
#include "loop/workers.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_ATTEMPTS = 3 };

/* --- jobs --- */

struct job {
    const struct import_jobs *jobs;
    size_t i;
};

static enum engine_status attempt(const struct job *j, struct arena *a, struct diags *diags)
{
    const struct import_reading *r = j->jobs->reading;
    struct lease lease;
    pool_wait wait = {.deadline = NO_DEADLINE, .cancel = r->cancel};
    enum engine_status s = pool_provider_borrow(r->provider, &wait, diags, &lease);
    if (s != ENGINE_OK)
        return s;
    struct engine e = {
        .arena = a,
        .diags = diags,
        .provider = lease.provider,
        .memo = lease.memo,
        .schema = lease.schema,
        .provider_address = r->provider_address,
        .log = r->log,
        .cancel = r->cancel,
        .timeout_ns = r->timeout_ns,
    };
    s = j->jobs->job(j->jobs->ctx, &e, j->i);
    lease_return(&lease);
    return s;
}

static void run_job(void *arg)
{
    struct job *j = arg;
    struct arena *a = NULL;
    struct diags diags;
    enum engine_status s = ENGINE_LOST;
    for (int n = 0; n < MAX_ATTEMPTS && s == ENGINE_LOST; n++) {
        arena_free(a);
        a = arena_new(NULL, 0);
        diags_init(&diags, a);
        s = cancel_fired(j->jobs->reading->cancel) ? ENGINE_CANCELLED : attempt(j, a, &diags);
    }
    j->jobs->done(j->jobs->ctx, j->i, s, a, &diags);
}

void import_run_jobs(const struct import_jobs *jobs, size_t n)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct job *all = arena_make_n(a, struct job, n);
    struct workers *workers = workers_new("import", jobs->reading->parallel);
    for (size_t i = 0; i < n; i++) {
        all[i] = (struct job){jobs, i};
        workers_submit(workers, run_job, &all[i]);
    }
    workers_free(workers);
}

/* --- reading --- */

struct reading {
    const struct import_reading *options;
    struct worklist *list;
    size_t *todo; /* numbers of items */
    size_t n;
    pthread_mutex_t lock; /* of what follows, of the list's arena, and of progress */
    size_t done;
    struct diags *diags;
    bool failed;
};

static enum engine_status read_object(void *ctx, struct engine *e, size_t i)
{
    struct reading *r = ctx;
    struct import_item *item = &r->list->items.v[r->todo[i]];
    struct str name = item->name.n > 0 ? item->name : STR("this");
    struct request q = {.engine = e, .type = item->type, .name = name};
    struct import_target target = {.id = item->id, .identity = item->identity};
    struct imports imports;
    enum engine_status s = request_import(&q, &target, &imports);
    if (s != ENGINE_OK)
        return s;
    const struct imported *found = &imports.v[0];
    if (!str_eq(found->resource.type, item->type)) {
        (void)diags_fail(e->diags, "Object of another type", "The provider found an object of type " STR_FMT "; name that type.",
                         STR_ARG(found->resource.type));
        return ENGINE_FAILED;
    }
    struct import_result *result = arena_make(e->arena, struct import_result);
    *result = (struct import_result){
        .arena = e->arena, .resource = found->resource, .state = found->object.value, .sensitive = found->object.sensitive};
    if (!engine_store(e, &found->resource, &found->object, &result->instance))
        return ENGINE_FAILED;
    s = import_configure(e, &found->resource, &found->object, &result->instance, r->options->style, &result->configured);
    item->result = s == ENGINE_OK ? result : NULL;
    return s;
}

static struct str first_error(struct arena *a, const struct diags *diags)
{
    for (size_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->v[i];
        if (d->severity == DIAG_ERROR)
            return d->detail.n > 0 ? arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(d->summary), STR_ARG(d->detail))
                                   : arena_str(a, d->summary);
    }
    return STR("The provider did not answer.");
}

static enum import_status status_of(const struct configured *c)
{
    return c->ignored.n > 0 ? IMPORT_IGNORED : c->dropped.n + c->unread.n > 0 ? IMPORT_REPAIRED : IMPORT_CLEAN;
}

static void read_done(void *ctx, size_t i, enum engine_status status, struct arena *a, const struct diags *diags)
{
    struct reading *r = ctx;
    struct import_item *item = &r->list->items.v[r->todo[i]];
    struct diags trouble;
    diags_init(&trouble, a);
    bool ok = true;
    if (status == ENGINE_OK) {
        item->status = status_of(&item->result->configured);
        ok = journal_add(r->options->journal, item, &trouble);
    }
    (void)pthread_mutex_lock(&r->lock);
    if (status == ENGINE_OK) {
        item->error = STR_EMPTY;
    } else if (status != ENGINE_CANCELLED) {
        item->status = IMPORT_FAILED;
        item->error = first_error(r->list->arena, diags);
    }
    if (!ok && !r->failed)
        diags_append(r->diags, &trouble);
    r->failed |= !ok;
    r->done++;
    if (r->options->progress)
        r->options->progress(r->options->ctx, r->done, r->n);
    (void)pthread_mutex_unlock(&r->lock);
    if (status != ENGINE_OK)
        arena_free(a);
}

bool import_read_all(const struct import_reading *options, struct worklist *w, struct diags *diags)
{
    struct reading r = {.options = options, .list = w, .todo = arena_make_n(w->arena, size_t, w->items.n), .diags = diags};
    for (size_t i = 0; i < w->items.n; i++)
        if (!w->items.v[i].result && w->items.v[i].status != IMPORT_SKIPPED)
            r.todo[r.n++] = i;
    (void)pthread_mutex_init(&r.lock, NULL);
    import_run_jobs(&(struct import_jobs){options, read_object, read_done, &r}, r.n);
    (void)pthread_mutex_destroy(&r.lock);
    return !r.failed;
}
