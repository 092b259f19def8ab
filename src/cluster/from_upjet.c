#include "base/vec.h"
#include "cluster/migrate.h"
#include "controller/controller.h"
#include "engine/pool.h"
#include "http/timing.h"
#include "kube/discovery.h"
#include "managed/edit.h"
#include "managed/object.h"
#include "objects/planned.h"
#include "scheduler/backend.h"
#include "store/change.h"
#include "store/kube.h"
#include "store/layer.h"
#include "store/object.h"

#define OF_UPJET "upjet"
#define LOOK_NS (500 * NS_PER_MS)
enum { MAX_JSON = 1 << 30 };

enum judged {
    SAME,    /* Terrane would change nothing */
    CHANGES, /* Terrane would change it */
    CANNOT,
    OURS, /* managed by Terrane already */
};
static const char *const verdict_words[] = {
    [SAME] = "unchanged", [CHANGES] = "changes", [CANNOT] = "cannot", [OURS] = "taken over"};

struct moved {
    struct planned_object planned;
    enum judged verdict;
    struct str why; /* for CANNOT, and for objects that were not handed over */
    bool we_paused; /* by an earlier run, which did not get further */
    bool handed;
};

struct moving {
    struct app *app;
    const struct migrate_options *o;
    struct arena *arena;
    struct kubeconfig config;
    struct kube *client;
    struct kube_discovery *discovery;
    struct serve serve;
    struct kinds_list which;
    struct store *server, *layer;
    struct pool *pool;
    struct scheduler *scheduler;
    struct controller *controller;
    const struct kind *kind; /* the kind that is being listed */
    VEC(struct moved) objects;
};

/* ---- planning ---- */

static bool note_key(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    struct moving *m = ctx;
    struct arena *keep = m->arena;
    *VEC_PUSH(keep, &m->objects) =
        (struct moved){.planned = {.kind = m->kind,
                                   .key = {arena_str(keep, m->kind->group), arena_str(keep, m->kind->kind),
                                           arena_str(keep, object_metadata_text(object, "namespace")),
                                           arena_str(keep, object_metadata_text(object, "name"))}}};
    return true;
}

static bool list_all(struct moving *m)
{
    for (size_t i = 0; i < m->which.n; i++) {
        const struct kind *k = m->which.v[i];
        struct kube_resource found;
        struct diags said;
        struct str version;
        diags_init(&said, m->arena);
        if (k->role != KIND_MANAGED)
            continue;
        enum kube_result result = kube_discover(m->discovery, m->arena, k->group, k->kind, k->version, &said, &found);
        if (result == KUBE_NOT_FOUND)
            continue;
        m->kind = k;
        const struct store_query query = {.group = k->group, .kind = k->kind};
        if (result != KUBE_OK || store_list(m->server, m->arena, &query, note_key, m, &said, &version) != STORE_OK) {
            diags_append(&m->app->diags, &said);
            return false;
        }
    }
    return true;
}

static void refuse(struct moved *o, struct str why)
{
    o->verdict = CANNOT;
    o->why = why;
}

/* An object that an earlier run paused is planned as if it were not paused; in the layer, so that nobody notices. */
static void unpause_in_layer(struct moving *m, const struct json *object)
{
    struct diags ignored;
    const struct json *made;
    diags_init(&ignored, m->arena);
    object = managed_unannotate(m->arena, managed_unannotate(m->arena, object, MANAGED_PAUSED), MANAGED_BY);
    (void)store_update(m->layer, m->arena, object, &ignored, &made);
}

static void judge(struct moving *m, struct moved *o)
{
    struct diags said;
    const struct json *object = NULL;
    diags_init(&said, m->arena);
    if (store_get(m->layer, m->arena, &o->planned.key, &said, &object) != STORE_OK) {
        refuse(o, said.n > 0 ? said.v[0].detail : STR("it is gone"));
        return;
    }
    struct str who = managed_annotation(object, MANAGED_BY);
    bool paused = str_eqz(managed_annotation(object, MANAGED_PAUSED), "true");
    struct store_key key = o->planned.key;
    o->we_paused = paused && who.n > 0;
    if (who.n > 0)
        unpause_in_layer(m, object);
    o->planned = planned_make(m->controller, m->arena, o->planned.kind, &key);
    const struct preview *p = &o->planned.preview;
    if (str_eqz(who, MANAGED_BY_US))
        o->verdict = OURS;
    else if (managed_is_deleted(object))
        refuse(o, STR("it is being deleted"));
    else if (paused && who.n == 0)
        refuse(o, STR("it is paused; resume it first"));
    else if (p->outcome == PREVIEW_CHANGES)
        o->verdict = CHANGES;
    else if (p->outcome == PREVIEW_FINE)
        o->verdict = SAME;
    else
        refuse(o, p->why);
}

/* ---- handing over ---- */

enum pause { KEEP_PAUSE, SET_PAUSE, END_PAUSE };

struct annotating {
    const char *by; /* NULL: remove the mark */
    enum pause pause;
};

static const struct json *with_marks(void *ctx, struct arena *a, const struct json *object)
{
    const struct annotating *x = ctx;
    object = x->by ? managed_annotate(a, object, MANAGED_BY, str_of(x->by)) : managed_unannotate(a, object, MANAGED_BY);
    if (x->pause == KEEP_PAUSE)
        return object;
    return x->pause == SET_PAUSE ? managed_annotate(a, object, MANAGED_PAUSED, STR("true"))
                                 : managed_unannotate(a, object, MANAGED_PAUSED);
}

/* Applied to the current version of the object. */
static bool annotate(struct moving *m, const struct store_key *key, const char *by, enum pause pause, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct annotating x = {by, pause};
    bool changed;
    return change_object(m->server, a, key, with_marks, &x, diags, &changed);
}

static bool has_paused(struct moving *m, const struct store_key *key)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored;
    const struct json *object;
    struct managed_condition synced;
    diags_init(&ignored, a);
    return store_get(m->server, a, key, &ignored, &object) == STORE_OK && managed_condition(object, "Synced", &synced) &&
           str_eqz(synced.reason, "ReconcilePaused");
}

static bool await_pause(struct moving *m, const struct store_key *key)
{
    int64_t deadline = clock_now(&system_clock) + (m->o->wait_ns > 0 ? m->o->wait_ns : MIGRATE_WAIT_NS);
    while (!has_paused(m, key))
        if (clock_now(&system_clock) >= deadline || !http_system_time.pause(&http_system_time, LOOK_NS, m->app->cancel))
            return false;
    return true;
}

/*
 * Pauses the object, waits until Upjet's controller shows that, then marks it as Terrane's. If that stops in between, neither
 * controller changes the object.
 */
static bool hand_over(struct moving *m, struct moved *o)
{
    const struct store_key *key = &o->planned.key;
    if (!annotate(m, key, OF_UPJET, SET_PAUSE, &m->app->diags))
        return false;
    if (!m->o->not_running && !await_pause(m, key)) {
        bool back = annotate(m, key, OF_UPJET, END_PAUSE, &m->app->diags);
        o->why = STR("the provider did not confirm that it has paused it, so the pause was taken back; if it does not run any "
                     "more, say --not-running");
        return back && !cancel_fired(m->app->cancel);
    }
    o->handed = annotate(m, key, MANAGED_BY_US, KEEP_PAUSE, &m->app->diags);
    return o->handed;
}

/* Marks the object so that `terrane controller` does not touch it. */
static bool leave(struct moving *m, struct moved *o)
{
    return annotate(m, &o->planned.key, OF_UPJET, o->we_paused ? END_PAUSE : KEEP_PAUSE, &m->app->diags);
}

/* Removes our mark, and the pause if it is ours. */
static bool give_back(struct moving *m, struct moved *o)
{
    o->handed = o->verdict == OURS;
    return annotate(m, &o->planned.key, NULL, o->we_paused ? END_PAUSE : KEEP_PAUSE, &m->app->diags);
}

static bool is_wanted(const struct moving *m, const struct moved *o)
{
    return o->verdict == SAME || (o->verdict == CHANGES && m->o->with_changes);
}

static bool apply(struct moving *m)
{
    for (size_t i = 0; i < m->objects.n && !cancel_fired(m->app->cancel); i++) {
        struct moved *o = &m->objects.v[i];
        if (!(m->o->give_up ? give_back(m, o) : o->verdict == OURS || (is_wanted(m, o) ? hand_over(m, o) : leave(m, o))))
            return false;
    }
    return !cancel_fired(m->app->cancel);
}

/* ---- report ---- */

static size_t count(const struct moving *m, enum judged v)
{
    size_t n = 0;
    for (size_t i = 0; i < m->objects.n; i++)
        n += m->objects.v[i].verdict == v;
    return n;
}

static bool print_text(struct moving *m)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_style style = planned_style(m->app);
    size_t handed = 0;
    for (size_t i = 0; i < m->objects.n; i++) {
        const struct moved *o = &m->objects.v[i];
        buf_printf(&out, "%-11s " STR_FMT "%s", verdict_words[o->verdict], STR_ARG(o->planned.title),
                   !o->handed      ? ""
                   : m->o->give_up ? ": given back"
                                   : ": taken over");
        buf_printf(&out, "%s" STR_FMT "\n", o->why.n > 0 ? ": " : "", STR_ARG(o->why));
        if (o->verdict == CHANGES && o->planned.preview.change) {
            struct text_change change = planned_text(&o->planned);
            change_text(&out, &change, &style);
        }
        handed += o->handed;
    }
    buf_printf(&out, "\n%zu would be taken over without a change, %zu with changes, %zu cannot be, %zu already are.",
               count(m, SAME), count(m, CHANGES), count(m, CANNOT), count(m, OURS));
    if (m->o->apply)
        buf_printf(&out, " %zu were %s.\n", handed, m->o->give_up ? "given back" : "taken over");
    else
        buf_addz(&out, " Nothing was written; --apply hands over those without a change.\n");
    if (handed > 0 && !m->o->give_up)
        buf_addz(&out, "\nNext: stop that provider (keep its definitions), then start `terrane controller --take-over`.\n");
    return app_print(m->app, buf_str(&out));
}

static bool print_json(struct moving *m)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, STR("objects"));
    json_begin_array(&w);
    for (size_t i = 0; i < m->objects.n; i++) {
        const struct moved *o = &m->objects.v[i];
        json_begin_object(&w);
        planned_json_members(&w, &o->planned);
        json_key(&w, STR("verdict"));
        json_write_string(&w, str_of(verdict_words[o->verdict]));
        json_key(&w, STR("why"));
        json_write_string(&w, o->why);
        json_key(&w, STR("handed_over"));
        json_write_bool(&w, o->handed);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    if (!json_finish(&w) || !buf_ok(&out))
        return diags_fail(&m->app->diags, "Report too large", "The report is larger than the limit of %d MiB.", MAX_JSON >> 20);
    buf_addc(&out, '\n');
    return app_print(m->app, buf_str(&out));
}

/* ---- a run ---- */

static void open_stores(struct moving *m)
{
    struct store_kube_kind *kinds = arena_make_n(m->arena, struct store_kube_kind, m->which.n);
    for (size_t i = 0; i < m->which.n; i++)
        kinds[i] = (struct store_kube_kind){
            .group = m->which.v[i]->group, .kind = m->which.v[i]->kind, .version = m->which.v[i]->version};
    const struct store_kube_options o = {.client = m->client, .kinds = kinds, .n_kinds = m->which.n, .component = "terrane"};
    m->server = store_kube_open(&o);
    m->layer = store_layer(store_kube_open(&o), NULL);
    m->discovery = kube_discovery_new(m->client);
    m->pool =
        pool_new(&(struct pool_options){.loop = app_loop(m->app), .log = m->app->log, .cache_folder = m->app->cache_folder});
    m->scheduler = scheduler_new(&(struct scheduler_options){.loop = app_loop(m->app)}, backend_grpc_new(m->pool, m->app->log));
    m->controller = controller_new(&(struct controller_options){.store = m->layer,
                                                                .kinds = m->serve.kinds,
                                                                .schedulers = {m->scheduler, m->scheduler},
                                                                .backend = CONTROLLER_GRPC,
                                                                .log = m->app->log});
}

/* Nothing can be given back that was not ours. */
static bool is_left(const struct moving *m, const struct moved *o)
{
    if (!m->o->apply)
        return o->verdict == CHANGES || o->verdict == CANNOT;
    return !m->o->give_up && !o->handed && o->verdict != OURS;
}

static int run(struct moving *m)
{
    if (!list_all(m))
        return EXIT_FAILED;
    for (size_t i = 0; i < m->objects.n && !cancel_fired(m->app->cancel); i++)
        judge(m, &m->objects.v[i]);
    if (cancel_fired(m->app->cancel))
        return EXIT_INTERRUPTED;
    bool ok = !m->o->apply || apply(m);
    if (!(m->o->json ? print_json(m) : print_text(m)) || !ok)
        return cancel_fired(m->app->cancel) ? EXIT_INTERRUPTED : EXIT_FAILED;
    size_t left = 0;
    for (size_t i = 0; i < m->objects.n; i++)
        left += is_left(m, &m->objects.v[i]);
    return left > 0 ? EXIT_CHANGES : EXIT_OK;
}

int from_upjet(struct app *app, const struct migrate_options *o)
{
    struct moving m = {.app = app, .o = o, .arena = arena_new(NULL, 0)};
    const struct reach_options reach = {o->kubeconfig, o->context, &o->providers, &o->configs, &o->only, o->flavour, NULL};
    int code = EXIT_FAILED;
    if (reach_cluster(app, m.arena, &reach, app->log, &m.config, &m.client) &&
        reach_kinds(app, m.arena, &reach, &m.serve, &m.which)) {
        open_stores(&m);
        code = run(&m);
    }
    controller_free(m.controller);
    scheduler_free(m.scheduler);
    pool_free(m.pool);
    store_close(m.layer);
    store_close(m.server);
    kube_discovery_free(m.discovery);
    serve_end(&m.serve);
    kube_free(m.client);
    arena_free(m.arena);
    return code;
}
