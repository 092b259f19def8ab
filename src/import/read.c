#include "import/read.h"

#include "base/lock.h"
#include "engine/request.h"
#include "import/keep.h"
#include "loop/workers.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_ATTEMPTS = 3, MAX_THROTTLED = 8 };

/* --- jobs --- */

struct batch {
    const struct import_jobs *jobs;
    pthread_mutex_t lock; /* guards `lost` */
    struct job *lost;     /* jobs whose provider process died */
};

struct job {
    struct batch *batch;
    size_t i;
    struct job *next; /* in `lost` */
};

static struct pool_provider *provider_of(const struct import_jobs *jobs, size_t i)
{
    const struct import_reading *r = jobs->reading;
    const struct import_region *region = jobs->region ? import_region_named(&r->regions, jobs->region(jobs->ctx, i)) : NULL;
    return region ? region->provider : r->provider;
}

static enum engine_status attempt(const struct job *j, struct arena *a, struct diags *diags)
{
    const struct import_jobs *jobs = j->batch->jobs;
    const struct import_reading *r = jobs->reading;
    struct lease lease;
    pool_wait wait = {.deadline = NO_DEADLINE, .cancel = r->cancel};
    enum engine_status s = pool_provider_borrow(provider_of(jobs, j->i), &wait, diags, &lease);
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
    s = jobs->job(jobs->ctx, &e, j->i);
    lease_return(&lease);
    return s;
}

/* False: the provider process died, and the job may be retried. */
static bool try_job(struct job *j, bool last)
{
    const struct import_jobs *jobs = j->batch->jobs;
    struct arena *a = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    enum engine_status s = cancel_fired(jobs->reading->cancel) ? ENGINE_CANCELLED : attempt(j, a, &diags);
    if (s == ENGINE_LOST && !last) {
        arena_free(a);
        return false;
    }
    jobs->done(jobs->ctx, j->i, s, a, &diags);
    return true;
}

static void run_job(void *arg)
{
    struct job *j = arg;
    if (try_job(j, false))
        return;
    mutex_lock(&j->batch->lock);
    j->next = j->batch->lost;
    j->batch->lost = j;
    mutex_unlock(&j->batch->lock);
}

/* An object that crashes the provider takes down the other jobs of the process; only when run alone it shows which one it was. */
static void run_lost(struct job *j)
{
    for (; j; j = j->next)
        for (int n = 2; n <= MAX_ATTEMPTS && !try_job(j, n == MAX_ATTEMPTS); n++)
            ;
}

void import_run_jobs(const struct import_jobs *jobs, size_t n)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct job *all = arena_make_n(a, struct job, n);
    struct batch batch = {.jobs = jobs};
    mutex_init(&batch.lock);
    struct workers *workers = workers_new("import", jobs->reading->parallel);
    for (size_t i = 0; i < n; i++) {
        all[i] = (struct job){.batch = &batch, .i = i};
        workers_submit(workers, run_job, &all[i]);
    }
    workers_free(workers);
    mutex_destroy(&batch.lock);
    run_lost(batch.lost);
}

/* --- reading --- */

struct reading {
    const struct import_reading *options;
    struct worklist *list;
    size_t *todo; /* item numbers */
    size_t n;
    pthread_mutex_t lock; /* guards the members below, the list's arena and calls of `progress` */
    size_t done;
    struct diags *diags;
    bool failed;
};

/* Imports the object, or reads it from its stored state if it has one. */
static enum engine_status look_at(struct engine *e, const struct import_item *item, struct resource *ret_resource,
                                  struct object *ret)
{
    struct str name = item->name.n > 0 ? item->name : STR("this");
    struct request q = {.engine = e, .type = item->type, .name = name};
    struct import_target target = {.id = item->id, .identity = item->identity};
    struct imports imports;
    enum engine_status s = item->stored ? request_refresh(&q, item->stored, NULL, ret) : request_import(&q, &target, &imports);
    if (s != ENGINE_OK)
        return s;
    *ret_resource = item->stored ? q.resource : imports.v[0].resource;
    if (!item->stored)
        *ret = imports.v[0].object;
    if (!ret->value || value_is_null(ret->value)) {
        (void)diags_fail(e->diags, "Object is gone", "The state has it, but it does not exist any more.");
        return ENGINE_FAILED;
    }
    if (str_eq(ret_resource->type, item->type))
        return ENGINE_OK;
    (void)diags_fail(e->diags, "Object of another type", "The provider found an object of type " STR_FMT "; name that type.",
                     STR_ARG(ret_resource->type));
    return ENGINE_FAILED;
}

static struct str text_at(const struct value *object, struct str name)
{
    const struct value *v = type_attr_find(object->type, name) != SIZE_MAX ? value_get(object, name) : NULL;
    return v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING ? v->string : STR_EMPTY;
}

/* Reads the object again with the arguments in its state that the provider reads only then, and keeps what tells more. */
static enum engine_status ask_for_more(const struct reading *r, struct engine *e, const struct resource *resource,
                                       struct object *object)
{
    static const struct str anything = {"-", 1};
    const struct rows *rows = r->options->rows;
    for (size_t i = 0; rows && r->options->ask && i < rows->asks.n; i++) {
        const struct row_ask *ask = &rows->asks.v[i];
        const struct value *state = object->value;
        if (!str_eq(ask->type, resource->type) || !row_ask_applies(ask, text_at(state, ask->instead)) ||
            type_attr_find(state->type, ask->argument) == SIZE_MAX)
            continue;
        struct arena *a = e->arena;
        struct path from = path_attr(a, PATH_ROOT, ask->instead), to = path_attr(a, PATH_ROOT, ask->argument);
        struct object asking = *object, answer;
        asking.value = import_with(a, state, from, value_null(a, value_at(state, from)->type));
        asking.value = import_with(a, asking.value, to, value_string(a, anything));
        enum engine_status s = engine_refresh(e, resource, &asking, NULL, &answer);
        if (s != ENGINE_OK)
            return s;
        struct str more = answer.value && !value_is_null(answer.value) ? text_at(answer.value, ask->argument) : STR_EMPTY;
        if (more.n > 0 && !str_eq(more, anything))
            *object = answer;
    }
    return ENGINE_OK;
}

static enum engine_status read_once(struct reading *r, struct engine *e, struct import_item *item)
{
    struct resource resource;
    struct object object;
    enum engine_status s = look_at(e, item, &resource, &object);
    if (s == ENGINE_OK && !item->stored)
        s = ask_for_more(r, e, &resource, &object);
    if (s != ENGINE_OK)
        return s;
    struct import_result result = {.resource = resource, .state = object.value};
    if (!engine_store(e, &resource, &object, &result.instance))
        return ENGINE_FAILED;
    s = import_configure(e, &resource, &object, &result.instance, r->options->style, NULL, &result.configured);
    item->result = s == ENGINE_OK ? import_keep(&result) : NULL;
    return s;
}

enum engine_status import_in_turn(const struct import_turn *t, struct engine *e, import_step_fn *step, void *ctx)
{
    struct diags *all = e->diags;
    for (int n = 1;; n++) {
        struct diags diags;
        diags_init(&diags, e->arena);
        if (t->rates && !rates_take(t->rates, t->service, t->cancel))
            return ENGINE_CANCELLED;
        e->diags = &diags;
        enum engine_status s = step(ctx, e);
        e->diags = all;
        bool refused = s == ENGINE_FAILED && t->rates && rates_is_refusal(&diags);
        if (refused)
            rates_refused(t->rates, t->service);
        else if (t->rates && s == ENGINE_OK)
            rates_answered(t->rates, t->service);
        if (!refused || n == MAX_THROTTLED) {
            diags_append(all, &diags);
            return s;
        }
    }
}

struct object_reading {
    struct reading *reading;
    struct import_item *item;
};

static enum engine_status read_step(void *ctx, struct engine *e)
{
    const struct object_reading *o = ctx;
    return read_once(o->reading, e, o->item);
}

static enum engine_status read_object(void *ctx, struct engine *e, size_t i)
{
    struct reading *r = ctx;
    struct object_reading o = {r, &r->list->items.v[r->todo[i]]};
    const struct import_turn turn = {r->options->rates, rows_service_of(r->options->rows, o.item->type), r->options->cancel};
    return import_in_turn(&turn, e, read_step, &o);
}

static struct str read_region(void *ctx, size_t i)
{
    const struct reading *r = ctx;
    return r->list->items.v[r->todo[i]].region;
}

struct str import_first_error(struct arena *a, const struct diags *diags)
{
    for (size_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->v[i];
        if (d->severity == DIAG_ERROR)
            return d->detail.n > 0 ? arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(d->summary), STR_ARG(d->detail))
                                   : arena_str(a, d->summary);
    }
    return STR("The provider did not answer.");
}

enum import_status import_status_of(const struct configured *c)
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
        item->status = import_status_of(&item->result->configured);
        ok = import_journal_add(r->options->journal, item, &trouble);
    }
    mutex_lock(&r->lock);
    if (status == ENGINE_OK) {
        item->error = STR_EMPTY;
    } else if (status != ENGINE_CANCELLED) {
        item->status = IMPORT_FAILED;
        item->error = import_first_error(r->list->arena, diags);
    }
    if (!ok && !r->failed)
        diags_append(r->diags, &trouble);
    r->failed |= !ok;
    r->done++;
    if (r->options->progress)
        r->options->progress(r->options->ctx, r->done, r->n);
    mutex_unlock(&r->lock);
    arena_free(a);
}

bool import_read_all(const struct import_reading *options, struct worklist *w, struct diags *diags)
{
    struct reading r = {.options = options, .list = w, .todo = arena_make_n(w->arena, size_t, w->items.n), .diags = diags};
    for (size_t i = 0; i < w->items.n; i++)
        if (!w->items.v[i].result && w->items.v[i].status != IMPORT_SKIPPED)
            r.todo[r.n++] = i;
    mutex_init(&r.lock);
    import_run_jobs(&(struct import_jobs){options, read_object, read_done, &r, read_region}, r.n);
    mutex_destroy(&r.lock);
    return !r.failed;
}
