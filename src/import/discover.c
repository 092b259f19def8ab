#include "import/source.h"
#include "import/source_private.h"

#include <stdlib.h>

static const struct source *const sources[] = {&source_list, &source_data, &source_rows, &source_guess};
#define NO_SOURCE "The provider has no list of them that can be used, and no row says how to find them."
enum { N_SOURCES = sizeof sources / sizeof sources[0] };

struct job {
    struct str type;
    struct findings findings;
    struct str error;
    bool listed, guessed;
};

struct run {
    struct discovery *discovery;
    const struct import_reading *reading;
    struct job *jobs;
    size_t n, done;
    pthread_mutex_t lock; /* guards `done` and calls of `progress` */
};

/* Can anything be asked for objects of this type? */
static bool is_served(const struct discovery *d, struct str type)
{
    for (size_t i = 0; i < N_SOURCES; i++)
        if (sources[i]->serves(d, type))
            return true;
    return false;
}

/* If a source fails, the next one is tried; its partial findings are used if there is no other. */
static enum engine_status find_type(void *ctx, struct engine *e, size_t i)
{
    struct run *r = ctx;
    struct discovery *d = r->discovery;
    struct job *j = &r->jobs[i];
    struct diags *all = e->diags;
    enum engine_status s = ENGINE_FAILED;
    j->error = STR_EMPTY;
    for (size_t k = 0; k < N_SOURCES && s == ENGINE_FAILED; k++) {
        if (!sources[k]->serves(d, j->type) || (sources[k]->guess && j->error.n > 0 && !j->guessed))
            continue;
        struct diags diags;
        diags_init(&diags, e->arena);
        e->diags = &diags;
        struct findings findings = {.arena = j->findings.arena};
        s = sources[k]->find(d, e, j->type, &findings);
        e->diags = all;
        j->findings = findings;
        j->guessed = sources[k]->guess || findings.unknown;
        j->listed = s == ENGINE_OK;
        if (s != ENGINE_OK)
            j->error = import_first_error(j->findings.arena, &diags);
    }
    if (j->listed)
        j->error = STR_EMPTY;
    return s;
}

static void found_type(void *ctx, size_t i, enum engine_status status, struct arena *a, const struct diags *diags)
{
    struct run *r = ctx;
    struct job *j = &r->jobs[i];
    if (status == ENGINE_LOST && j->error.n == 0)
        j->error = import_first_error(j->findings.arena, diags);
    arena_free(a);
    mutex_lock(&r->lock);
    r->done++;
    if (r->reading->progress)
        r->reading->progress(r->reading->ctx, r->done, r->n);
    mutex_unlock(&r->lock);
}

static bool collect(struct discovery *d, const struct job *j, struct worklist *w, struct diags *diags)
{
    for (size_t i = 0; i < j->findings.items.n; i++) {
        struct import_item item = j->findings.items.v[i];
        item.region = d->region;
        if (!worklist_add(w, &item, "discovery", diags))
            return false;
    }
    for (size_t i = 0; i < j->findings.owned.n; i++)
        worklist_leave_out(w, &j->findings.owned.v[i]);
    struct str why =
        d->region.n > 0 ? arena_printf(w->arena, STR_FMT ": " STR_FMT, STR_ARG(d->region), STR_ARG(j->error)) : j->error;
    if (j->error.n > 0)
        worklist_leave_out(w, &(struct left_out){j->type, why, 0, j->guessed ? LEFT_UNLISTED : LEFT_FAILED});
    d->n_types += j->listed || !j->guessed;
    return true;
}

static int by_type(const void *x, const void *y)
{
    return str_cmp(((const struct job *)x)->type, ((const struct job *)y)->type);
}

static void prepare(struct discovery *d, struct arena *a)
{
    d->found = arena_make(a, struct map);
    map_init(d->found, a);
    for (size_t i = 0; i < d->rows->rows.n; i++) {
        struct row_found *f = arena_make(a, struct row_found);
        f->arena = arena_new(NULL, 0);
        mutex_init(&f->lock);
        map_init(&f->owned_ids, f->arena);
        map_put(d->found, d->rows->rows.entries[i].key, f);
    }
}

static void forget(struct discovery *d)
{
    for (size_t i = 0; i < d->found->n; i++) {
        struct row_found *f = d->found->entries[i].value;
        mutex_destroy(&f->lock);
        arena_free(f->arena);
    }
    d->found = NULL;
}

bool discover(struct discovery *d, const struct import_reading *reading, struct worklist *w, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct map *types = &d->schema->resources;
    struct run r = {.discovery = d, .reading = reading, .jobs = arena_make_n(a, struct job, types->n)};
    VEC(struct str) unknown = {0};
    for (size_t i = 0; i < types->n; i++) {
        struct str type = types->entries[i].key;
        if (d->region.n > 0 && rows_is_global(d->rows, type))
            continue;
        if (d->wants && !d->wants(d->ctx, type))
            continue;
        if (is_served(d, type))
            r.jobs[r.n++] = (struct job){.type = type, .findings = {.arena = arena_new(NULL, 0)}};
        else
            *VEC_PUSH(a, &unknown) = type;
    }
    qsort(r.jobs, r.n, sizeof *r.jobs, by_type);
    prepare(d, a);
    mutex_init(&r.lock);
    import_run_jobs(&(struct import_jobs){reading, find_type, found_type, &r, NULL}, r.n);
    mutex_destroy(&r.lock);
    bool ok =
        !cancel_fired(reading->cancel) || diags_fail(diags, "Interrupted", "The objects were not listed; nothing was written.");
    for (size_t i = 0; i < r.n; i++) {
        ok = ok && collect(d, &r.jobs[i], w, diags);
        arena_free(r.jobs[i].findings.arena);
    }
    forget(d);
    if (unknown.n > 0)
        qsort(unknown.v, unknown.n, sizeof *unknown.v, str_cmp_qsort);
    for (size_t i = 0; i < unknown.n; i++)
        worklist_leave_out(w, &(struct left_out){unknown.v[i], STR(NO_SOURCE), 0, LEFT_UNKNOWN});
    return ok;
}
