#include "drift/drift.h"

#include "base/lock.h"
#include "engine/request.h"
#include "loop/workers.h"
#include "value/trail.h"

#include <stdlib.h>

const char *drift_status_name(enum drift_status s)
{
    static const char *const names[DRIFT_STATUS_COUNT] = {
        [DRIFT_WAITING] = "waiting", [DRIFT_IN_SYNC] = "in sync", [DRIFT_CHANGED] = "changed",
        [DRIFT_MISSING] = "missing", [DRIFT_IGNORED] = "ignored", [DRIFT_FAILED] = "failed",
    };
    return names[s];
}

void drift_init(struct drift *d, struct arena *a)
{
    *d = (struct drift){.arena = a};
}

void drift_free(struct drift *d)
{
    for (size_t i = 0; i < d->objects.n; i++)
        arena_free(d->objects.v[i].arena);
}

size_t drift_count(const struct drift *d, enum drift_status status)
{
    size_t n = 0;
    for (size_t i = 0; i < d->objects.n; i++)
        n += d->objects.v[i].status == status;
    return n;
}

/* --- which objects --- */

static size_t provider_of(struct drift *d, const char *folder, struct str text)
{
    for (size_t i = 0; i < d->providers.n; i++)
        if (str_eq(d->providers.v[i].text, text) && strcmp(d->providers.v[i].folder, folder) == 0)
            return i;
    *VEC_PUSH(d->arena, &d->providers) = (struct drift_provider){.folder = folder, .text = text};
    return d->providers.n - 1;
}

static const char *folder_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_str(a, (struct str){path, slash == path ? 1 : (size_t)(slash - path)}).p : ".";
}

struct adding {
    struct drift *drift;
    const char *path, *folder;
};

static bool add_object(void *ctx, const struct state_resource *r, const struct state_instance *instance)
{
    const struct adding *in = ctx;
    struct drift *d = in->drift;
    struct state_address address = {.module = r->module, .type = r->type, .name = r->name, .key = instance->key};
    *VEC_PUSH(d->arena, &d->objects) = (struct drift_object){
        .state = in->path,
        .address = state_address_text(d->arena, &address),
        .type = r->type,
        .name = r->name,
        .id = state_instance_id(instance),
        .provider = provider_of(d, in->folder, instance->provider.n > 0 ? instance->provider : r->provider),
        .instance = instance,
    };
    return true;
}

void drift_add_state(struct drift *d, const char *path, const struct state *state)
{
    struct adding in = {d, path, folder_of(d->arena, path)};
    size_t before = d->objects.n;
    (void)state_visit_managed(state, add_object, &in);
    d->n_states += d->objects.n > before;
}

static int by_address(const void *x, const void *y)
{
    const struct drift_object *a = x, *b = y;
    int order = str_cmp(a->address, b->address);
    return order ? order : strcmp(a->state, b->state);
}

void drift_prepare(struct drift *d)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    if (d->objects.n > 0)
        qsort(d->objects.v, d->objects.n, sizeof *d->objects.v, by_address);
    for (size_t i = 0; i < d->objects.n; i++) {
        struct drift_object *o = &d->objects.v[i];
        if (driftignore_object(&d->ignore, scratch, o->type, o->id))
            o->status = DRIFT_IGNORED;
        else
            d->providers.v[o->provider].objects++;
    }
}

/* --- comparing --- */

struct comparing {
    const struct drift *drift;
    const struct drift_object *object;
    struct arena *arena;
    struct marks before, after; /* the sensitive values */
    VEC(struct drift_attribute) found;
};

static bool is_within(struct path part, struct path whole)
{
    return part.n <= whole.n && path_eq(part, (struct path){whole.steps, part.n});
}

/* The value, or something in it, is sensitive. */
static bool has_secret(struct marks marks, struct path path)
{
    bool found = marks_cover(marks, path);
    for (size_t i = 0; !found && i < marks.n; i++)
        found = is_within(path, marks.paths[i]);
    return found;
}

static void add(struct comparing *c, struct path path, const struct value *before, const struct value *after)
{
    if (driftignore_attribute(&c->drift->ignore, c->arena, c->object->type, c->object->id, path))
        return;
    *VEC_PUSH(c->arena, &c->found) = (struct drift_attribute){
        .path = path,
        .before = before,
        .after = after,
        .sensitive = has_secret(c->before, path) || has_secret(c->after, path),
    };
}

static bool has(const struct value *set, const struct value *element)
{
    size_t i = 0;
    while (i < set->n && !value_raw_eq(set->elements[i], element))
        i++;
    return i < set->n;
}

static void add_elements(struct comparing *c, struct path path, const struct value *before, const struct value *after)
{
    for (size_t i = 0; i < before->n; i++)
        if (!has(after, before->elements[i]))
            add(c, path, before->elements[i], NULL);
    for (size_t i = 0; i < after->n; i++)
        if (!has(before, after->elements[i]))
            add(c, path, NULL, after->elements[i]);
}

/* A map that is only on one side, key by key. */
static void add_keys(struct comparing *c, struct path path, const struct value *map, bool gone)
{
    for (size_t i = 0; i < map->n; i++)
        add(c, path_key(c->arena, path, map->keys[i]), gone ? map->elements[i] : NULL, gone ? NULL : map->elements[i]);
}

static bool is_filled(const struct value *v, enum type_kind kind)
{
    return v && v->state == VALUE_KNOWN && v->type->kind == kind && v->n > 0;
}

static void add_difference(struct comparing *c, struct path path, const struct value *before, const struct value *after)
{
    bool was = before && !value_is_null(before), is = after && !value_is_null(after);
    if (is_filled(before, TYPE_MAP) && !is_filled(after, TYPE_MAP))
        add_keys(c, path, before, true);
    else if (is_filled(after, TYPE_MAP) && !is_filled(before, TYPE_MAP))
        add_keys(c, path, after, false);
    else if (is_filled(before, TYPE_SET) && is_filled(after, TYPE_SET))
        add_elements(c, path, before, after);
    else
        add(c, path, was ? before : NULL, is ? after : NULL);
}

static void compare(struct comparing *c, const struct value *before, const struct value *after)
{
    struct change_paths paths = import_differences(c->arena, before, after);
    for (size_t i = 0; i < paths.n; i++)
        add_difference(c, paths.v[i], value_at(before, paths.v[i]), value_at(after, paths.v[i]));
}

static struct marks secrets_of(struct engine *e, const struct resource *r, const struct object *o)
{
    return marks_union(e->arena, o->sensitive, change_sensitive(e->arena, r->schema->block, o->value));
}

/* --- reading --- */

struct group {
    struct run *run;
    const struct drift_provider *provider;
    size_t *objects;
    size_t n;
};

struct run {
    struct drift *drift;
    const struct drift_reading *options;
    pthread_mutex_t lock; /* guards the drift's arena, `done` and calls of `progress` */
    size_t done, total;
};

struct refreshing {
    struct request request;
    const struct state_instance *stored;
    struct object before, after;
};

static enum engine_status refresh(void *ctx, struct engine *e)
{
    struct refreshing *r = ctx;
    r->request.engine = e;
    return request_refresh(&r->request, r->stored, &r->before, &r->after);
}

static enum engine_status look(void *ctx, struct engine *e, size_t i)
{
    struct group *g = ctx;
    struct drift_object *o = &g->run->drift->objects.v[g->objects[i]];
    const struct drift_reading *options = g->run->options;
    const struct import_turn turn = {options->rates, rows_service_of(g->provider->rows, o->type), options->cancel};
    struct refreshing r = {.request = {.type = o->type, .name = o->name, .address = o->address}, .stored = o->instance};
    enum engine_status s = import_in_turn(&turn, e, refresh, &r);
    if (s != ENGINE_OK)
        return s;
    o->status = DRIFT_IN_SYNC;
    if (!r.before.value)
        return s;
    if (!r.after.value) {
        o->status = DRIFT_MISSING;
        return s;
    }
    if (value_raw_eq(r.before.value, r.after.value))
        return s;
    struct comparing c = {.drift = g->run->drift,
                          .object = o,
                          .arena = e->arena,
                          .before = secrets_of(e, &r.request.resource, &r.before),
                          .after = secrets_of(e, &r.request.resource, &r.after)};
    compare(&c, r.before.value, r.after.value);
    if (c.found.n == 0)
        return s;
    o->status = DRIFT_CHANGED;
    o->attributes = c.found.v;
    o->n_attributes = c.found.n;
    return s;
}

static void looked(void *ctx, size_t i, enum engine_status status, struct arena *a, const struct diags *diags)
{
    struct group *g = ctx;
    struct run *r = g->run;
    struct drift_object *o = &r->drift->objects.v[g->objects[i]];
    mutex_lock(&r->lock);
    if (status != ENGINE_OK)
        o->status = status == ENGINE_CANCELLED ? DRIFT_WAITING : DRIFT_FAILED;
    if (o->status == DRIFT_FAILED)
        o->error = import_first_error(r->drift->arena, diags);
    r->done++;
    if (r->options->progress)
        r->options->progress(r->options->ctx, r->done, r->total);
    mutex_unlock(&r->lock);
    o->arena = o->status == DRIFT_CHANGED ? a : NULL;
    if (!o->arena)
        arena_free(a);
}

static void read_group(void *arg)
{
    struct group *g = arg;
    const struct drift_reading *o = g->run->options;
    struct import_reading reading = {
        .provider = g->provider->opened,
        .provider_address = g->provider->source,
        .log = o->log,
        .cancel = o->cancel,
        .timeout_ns = o->timeout_ns,
        .parallel = o->parallel,
    };
    import_run_jobs(&(struct import_jobs){&reading, look, looked, g, NULL}, g->n);
}

void drift_read(struct drift *d, const struct drift_reading *options)
{
    struct run run = {.drift = d, .options = options};
    struct group *groups = arena_make_n(d->arena, struct group, d->providers.n);
    for (size_t i = 0; i < d->providers.n; i++)
        groups[i] = (struct group){
            .run = &run, .provider = &d->providers.v[i], .objects = arena_make_n(d->arena, size_t, d->providers.v[i].objects)};
    for (size_t i = 0; i < d->objects.n; i++) {
        struct drift_object *o = &d->objects.v[i];
        struct group *g = &groups[o->provider];
        if (o->status != DRIFT_WAITING)
            continue;
        if (g->provider->opened) {
            g->objects[g->n++] = i;
            run.total++;
        } else {
            o->status = DRIFT_FAILED;
            o->error = g->provider->error;
        }
    }
    mutex_init(&run.lock);
    struct workers *workers = workers_new("drift", DRIFT_MAX_PROVIDERS);
    for (size_t i = 0; i < d->providers.n; i++)
        if (groups[i].n > 0)
            workers_submit(workers, read_group, &groups[i]);
    workers_free(workers);
    mutex_destroy(&run.lock);
}
