/* The backend that uses the engine, on a pool of warm providers, without the program terraform. */
#include "engine/plan_json.h"
#include "engine/pool.h"
#include "engine/request.h"
#include "scheduler/alike.h"
#include "scheduler/backend.h"
#include "state/state_value.h"
#include "value/json_value.h"
#include "value/trail.h"

#include <stdlib.h>

enum { MAX_EXPLAINED = 256 << 20 }; /* bytes of a plan as JSON */

struct grpc_backend {
    struct backend backend; /* first */
    struct pool *pool;
    struct log *log;
};

/* What change() needs from an observation. */
struct grpc_plan {
    const struct provider_schema *schema; /* the schema of the plan */
    struct plan plan;
};

static struct grpc_backend *own(struct backend *b)
{
    return (struct grpc_backend *)b;
}

static struct pool_provider *provider_of(struct backend_provider *p)
{
    return (struct pool_provider *)p;
}

static enum backend_end end_of(enum engine_status s)
{
    static const enum backend_end ends[] = {
        [ENGINE_OK] = BACKEND_OK,
        [ENGINE_FAILED] = BACKEND_FAILED,
        [ENGINE_LOST] = BACKEND_LOST,
        [ENGINE_CANCELLED] = BACKEND_CANCELLED,
    };
    return ends[s];
}

/* Providers */

static enum backend_end grpc_open(struct backend *b, const struct backend_call *call, bool alone, struct backend_provider **ret)
{
    const struct scheduler_provider *p = &call->item->provider;
    const struct pool_source source = {.address = p->address, .path = p->path, .apart = alone};
    const pool_wait wait = {.cancel = call->cancel};
    struct pool_provider *opened = NULL;
    enum engine_status s = pool_open(own(b)->pool, &source, p->config, &wait, call->diags, &opened);
    if (s == ENGINE_OK)
        *ret = (struct backend_provider *)opened;
    return end_of(s);
}

static void grpc_close(struct backend *b, struct backend_provider *p)
{
    (void)b;
    pool_provider_close(provider_of(p));
}

static void grpc_replace(struct backend *b, struct backend_provider *p)
{
    (void)b;
    pool_provider_replace(provider_of(p));
}

/* One request on a leased process. */
struct work {
    const struct backend_call *call;
    const struct scheduler_item *item;
    struct lease lease;
    struct engine engine;
    struct request q;
};

static enum backend_end work_begin(struct work *w, struct backend *b, struct backend_provider *p, const struct backend_call *call)
{
    const pool_wait wait = {.cancel = call->cancel};
    *w = (struct work){.call = call, .item = call->item};
    enum engine_status s = pool_provider_borrow(provider_of(p), &wait, call->diags, &w->lease);
    if (s != ENGINE_OK)
        return end_of(s);
    w->engine = (struct engine){
        .arena = call->arena,
        .diags = call->diags,
        .provider = w->lease.provider,
        .memo = w->lease.memo,
        .schema = w->lease.schema,
        .provider_address = call->item->provider.address,
        .log = own(b)->log,
        .cancel = call->cancel,
    };
    w->q = (struct request){.engine = &w->engine, .type = call->item->type, .name = call->item->name};
    return BACKEND_OK;
}

/* Gives the process back. `unanswered`: a call may have been lost with the process, whatever the status says. */
static enum backend_end work_end(struct work *w, enum engine_status s, bool unanswered)
{
    enum backend_end end = end_of(s);
    bool lost = s == ENGINE_LOST || (s == ENGINE_FAILED && unanswered);
    if (lost && provider_is_gone(w->lease.provider) && !cancel_fired(w->call->cancel))
        end = BACKEND_CRASHED;
    lease_return(&w->lease);
    return end;
}

/* Differences */

struct differences {
    struct arena *arena;
    struct str *v;
    size_t n;
};

static void differ(struct differences *d, const struct trail *trail, const struct value *a, const struct value *b);

static bool go_inside(const struct value *a, const struct value *b)
{
    if (a->state != VALUE_KNOWN || b->state != VALUE_KNOWN || a->type->kind != b->type->kind || a->n != b->n)
        return false;
    switch (a->type->kind) {
    case TYPE_OBJECT:
    case TYPE_LIST:
    case TYPE_TUPLE:
        return true;
    case TYPE_MAP:
        for (size_t i = 0; i < a->n; i++)
            if (!str_eq(a->keys[i], b->keys[i]))
                return false;
        return true;
    default:
        return false; /* elements of a set have no path of their own */
    }
}

/* The innermost paths that differ. */
static void differ(struct differences *d, const struct trail *trail, const struct value *a, const struct value *b)
{
    if (d->n == SCHEDULER_MAX_DIFFERENCES || value_raw_eq(a, b))
        return;
    if (!go_inside(a, b)) {
        d->v[d->n++] = change_path_text(d->arena, trail_path(d->arena, PATH_ROOT, trail));
        return;
    }
    for (size_t i = 0; i < a->n; i++) {
        struct trail step = trail_element(trail, a, i);
        differ(d, &step, a->elements[i], b->elements[i]);
    }
}

static void describe(struct arena *a, const struct plan *plan, struct scheduler_difference *ret)
{
    struct differences d = {.arena = a, .v = arena_make_n(a, struct str, SCHEDULER_MAX_DIFFERENCES)};
    size_t n = plan->replace_paths.n < SCHEDULER_MAX_DIFFERENCES ? plan->replace_paths.n : SCHEDULER_MAX_DIFFERENCES;
    struct str *replace = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++)
        replace[i] = change_path_text(a, plan->replace_paths.v[i]);
    if (plan->action == ACTION_UPDATE)
        differ(&d, NULL, plan->prior.value, plan->planned);
    bool anew = plan->action == ACTION_DELETE_THEN_CREATE || plan->action == ACTION_CREATE_THEN_DELETE;
    *ret = (struct scheduler_difference){
        .action = plan->action,
        .paths = anew ? replace : d.v, /* a replacement changes everything computed, which is no news */
        .n_paths = anew ? n : d.n,
        .replace = replace,
        .n_replace = n,
    };
}

/* Observing */

/* Notes the object as it is now (NULL value: it does not exist). */
static enum engine_status note(struct work *w, const struct object *now, struct observation *ret)
{
    struct state_instance object;
    if (now->value && !engine_store(&w->engine, &w->q.resource, now, &object))
        return ENGINE_FAILED;
    observation_note(ret, w->item, now->value ? &object : NULL);
    return ENGINE_OK;
}

static bool has_target(const struct scheduler_item *item)
{
    return item->import_identity || item->import_id.n > 0;
}

/* Nothing is stored: does the object exist all the same? */
static enum engine_status look_for(struct work *w, struct observation *ret)
{
    struct engine *e = &w->engine;
    struct object nothing = {0};
    if (!has_target(w->item))
        return note(w, &nothing, ret);
    struct diags *all = e->diags, found;
    diags_init(&found, e->arena);
    e->diags = &found;
    struct imports imports;
    struct import_target target = {.id = w->item->import_id, .identity = w->item->import_identity};
    enum engine_status s = request_import(&w->q, &target, &imports);
    e->diags = all;
    if (s == ENGINE_FAILED && engine_import_missed(e, &found))
        return note(w, &nothing, ret);
    diags_append(all, &found);
    if (s != ENGINE_OK)
        return s;
    if (!str_eq(imports.v[0].resource.type, w->item->type)) {
        (void)diags_fail(all, "Import of another type",
                         "The provider imported a \"" STR_FMT "\" where a \"" STR_FMT "\" was asked for.",
                         STR_ARG(imports.v[0].resource.type), STR_ARG(w->item->type));
        return ENGINE_FAILED;
    }
    return note(w, &imports.v[0].object, ret);
}

static enum engine_status read_stored(struct work *w, struct observation *ret)
{
    struct object now;
    enum engine_status s = request_refresh(&w->q, w->item->stored, NULL, &now);
    return s == ENGINE_OK ? note(w, &now, ret) : s;
}

/*
 * The wanted configuration is wrong, but the object can still be read. Diagnostics of the read are dropped: the error is reported
 * already.
 */
static void read_quietly(struct work *w, struct observation *ret)
{
    struct diags *all = w->engine.diags, quiet;
    diags_init(&quiet, w->engine.arena);
    w->engine.diags = &quiet;
    (void)read_stored(w, ret);
    w->engine.diags = all;
}

static bool explain(struct work *w, const struct plan *plan, struct observation *ret)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_EXPLAINED);
    struct json_writer j = {.out = &text};
    json_begin_object(&j);
    if (!plan_write_json(&j, &w->engine, &w->q.resource, plan))
        return false;
    json_end_object(&j);
    if (!json_finish(&j) || !buf_ok(&text))
        return diags_fail(w->engine.diags, "Plan too large", "The plan is larger than the limit of %d MiB.", MAX_EXPLAINED >> 20);
    ret->explained = json_parse(w->engine.arena, buf_str(&text), "plan", w->engine.diags);
    return ret->explained != NULL;
}

static enum engine_status plan_from(struct work *w, const struct state_instance *stored, bool no_refresh, struct observation *ret)
{
    struct wanted wanted = {.config = w->item->config, .ignore = w->item->ignore, .no_refresh = no_refresh};
    struct grpc_plan *made = arena_make(w->engine.arena, struct grpc_plan);
    made->schema = w->engine.schema;
    enum engine_status s = request_plan(&w->q, stored, &wanted, &made->plan);
    if (s == ENGINE_OK && !ret->seen)
        s = note(w, &made->plan.prior, ret);
    if (s == ENGINE_OK && w->item->explain && !explain(w, &made->plan, ret))
        s = ENGINE_FAILED;
    if (s != ENGINE_OK)
        return s;
    ret->planned = true;
    ret->plan = made;
    describe(w->engine.arena, &made->plan, &ret->difference);
    return ENGINE_OK;
}

static enum engine_status observe(struct work *w, struct observation *ret)
{
    const struct scheduler_item *item = w->item;
    if (item->stored && item->config) {
        enum engine_status s = plan_from(w, item->stored, false, ret);
        if (s == ENGINE_FAILED && !ret->seen)
            read_quietly(w, ret);
        return s;
    }
    enum engine_status s = item->stored ? read_stored(w, ret) : look_for(w, ret);
    if (s != ENGINE_OK)
        return s;
    if (item->config)
        return plan_from(w, ret->exists ? &ret->object : NULL, true, ret);
    ret->planned = true; /* no configuration is wanted: the object is up to date */
    return ENGINE_OK;
}

/* Reads a data source. */
static enum engine_status read_data(struct work *w, struct observation *ret)
{
    const struct value *value;
    struct state_instance object = {0};
    const struct json *config = w->item->config ? w->item->config : json_make_object(w->engine.arena, NULL, 0);
    enum engine_status s = request_read_data(&w->q, config, &value);
    if (s != ENGINE_OK)
        return s;
    if (!state_set_attributes(w->engine.arena, &object, value, value->type, w->engine.diags))
        return ENGINE_FAILED;
    observation_note(ret, w->item, &object);
    ret->planned = true;
    return ENGINE_OK;
}

/* Listing */

struct seeking {
    struct work *work;
    const struct value *wanted;
    struct scheduler_similar *v;
    size_t n;
    bool complete, failed;
};

/* What is found lives only for the callback, so it is copied. */
static bool keep_similar(struct seeking *k, const struct found *found, bool sure)
{
    struct arena *a = k->work->engine.arena;
    const struct resource *r = found->resource;
    struct object object = {.value = value_copy(a, found->object.value), .identity = value_copy(a, found->identity)};
    object.sensitive = change_sensitive(a, r->schema->block, object.value);
    k->v[k->n] = (struct scheduler_similar){.sure = sure};
    if (!engine_store(&k->work->engine, r, &object, &k->v[k->n].object))
        return false;
    k->n++;
    return true;
}

static bool on_found(void *ctx, const struct found *found)
{
    struct seeking *k = ctx;
    enum alike like = found->object.value ? alike(k->wanted, found->object.value) : ALIKE_UNSURE;
    if (like == ALIKE_OTHER)
        return true;
    if (!found->object.value || k->n == SCHEDULER_MAX_ALIKE) {
        k->complete = false;
        return k->n < SCHEDULER_MAX_ALIKE;
    }
    k->failed = !keep_similar(k, found, like == ALIKE_SAME);
    return !k->failed;
}

/* `config` may lack required arguments: only what it sets is compared. */
static enum engine_status seek(struct work *w, struct observation *ret)
{
    struct arena *a = w->engine.arena;
    const struct json *nothing = json_make_object(a, NULL, 0);
    const struct list_options options = {.include_resource = true, .limit = SCHEDULER_MAX_LISTED};
    struct seeking k = {.work = w, .v = arena_make_n(a, struct scheduler_similar, SCHEDULER_MAX_ALIKE), .complete = true};
    size_t count = 0;
    if (!request_find(&w->q))
        return ENGINE_FAILED;
    k.wanted =
        value_from_json(a, w->item->config ? w->item->config : nothing, w->q.resource.schema->type, PATH_ROOT, w->engine.diags);
    if (!k.wanted)
        return ENGINE_FAILED;
    enum engine_status s = request_list(&w->q, nothing, &options, on_found, &k, &count);
    if (s != ENGINE_OK || k.failed)
        return s == ENGINE_OK ? ENGINE_FAILED : s;
    ret->listed = ret->planned = true;
    ret->alike = (struct scheduler_alike){k.v, k.n, k.complete && count < SCHEDULER_MAX_LISTED};
    return ENGINE_OK;
}

static enum engine_status look_at(struct work *w, struct observation *ret)
{
    if (w->item->list)
        return seek(w, ret);
    if (w->item->data)
        return read_data(w, ret);
    return request_find(&w->q) ? observe(w, ret) : ENGINE_FAILED;
}

static enum backend_end grpc_look(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                                  struct observation *ret)
{
    struct work w;
    enum backend_end end = work_begin(&w, b, p, call);
    if (end != BACKEND_OK)
        return end;
    return work_end(&w, look_at(&w, ret), false);
}

/* Changing */

struct keeping {
    struct work *work;
    const struct backend_keep *keep;
};

static bool keep_between(void *ctx, const struct applied *now)
{
    struct keeping *k = ctx;
    struct state_instance object;
    if (!now->object.value)
        return k->keep->fn(k->keep->ctx, NULL);
    return engine_store(&k->work->engine, &k->work->q.resource, &now->object, &object) && k->keep->fn(k->keep->ctx, &object);
}

static void on_cancel(void *arg)
{
    lease_stop(arg, 0);
}

/* The plan to apply: the one of the observation, or a new one to destroy the object. */
static enum engine_status take_plan(struct work *w, const struct observation *seen, bool destroy, struct plan *ret)
{
    const struct grpc_plan *made = seen->plan;
    if (!request_find(&w->q))
        return ENGINE_FAILED;
    if (destroy)
        return request_plan(&w->q, &seen->object, &(struct wanted){.no_refresh = true}, ret);
    if (made->schema != w->lease.schema) {
        (void)diags_fail(w->engine.diags, "Provider was changed",
                         "Provider \"" STR_FMT
                         "\" has changed since the object was observed. Nothing was changed; observe again.",
                         STR_ARG(w->item->provider.address));
        return ENGINE_LOST;
    }
    *ret = made->plan;
    return ENGINE_OK;
}

static enum engine_status apply(struct work *w, const struct plan *plan, struct backend_result *ret)
{
    struct applied applied;
    struct cancel_watch watch = {.fn = on_cancel, .arg = &w->lease};
    cancel_watch(w->call->cancel, &watch);
    enum engine_status s = request_apply(&w->q, plan, &applied);
    cancel_unwatch(w->call->cancel, &watch);
    ret->called = applied.called;
    ret->unknown = applied.lost;
    if (s != ENGINE_OK && !applied.called)
        return s;
    ret->exists = applied.object.value != NULL;
    if (ret->exists && !engine_store(&w->engine, &w->q.resource, &applied.object, &ret->object))
        s = ENGINE_FAILED;
    return s;
}

static enum backend_end grpc_change(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                                    const struct observation *seen, bool destroy, int64_t limit_ns,
                                    const struct backend_keep *keep, struct backend_result *ret)
{
    struct work w;
    enum backend_end end = work_begin(&w, b, p, call);
    if (end != BACKEND_OK)
        return end;
    struct keeping keeping = {&w, keep};
    w.engine.apply_timeout_ns = limit_ns;
    w.engine.between = keep_between;
    w.engine.between_ctx = &keeping;
    struct plan plan;
    enum engine_status s = take_plan(&w, seen, destroy, &plan);
    if (s == ENGINE_OK && cancel_fired(call->cancel))
        s = ENGINE_CANCELLED;
    if (s == ENGINE_OK)
        s = apply(&w, &plan, ret);
    return work_end(&w, s, ret->unknown || !ret->called);
}

static void grpc_free(struct backend *b)
{
    free(b);
}

struct backend *backend_grpc_new(struct pool *pool, struct log *log)
{
    static const struct backend_ops ops = {
        .name = "grpc",
        .open = grpc_open,
        .close = grpc_close,
        .replace = grpc_replace,
        .look = grpc_look,
        .change = grpc_change,
        .free = grpc_free,
    };
    struct grpc_backend *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    *b = (struct grpc_backend){.backend = {&ops}, .pool = pool, .log = log};
    return &b->backend;
}
