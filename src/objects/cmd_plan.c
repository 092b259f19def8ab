/* terrane plan: shows what `terrane up` would do with manifests. */
#include "base/vec.h"
#include "cli/installer.h"
#include "objects/planned.h"
#include "objects/up.h"
#include "store/layer.h"
#include "store/sqlite.h"

#include <unistd.h>

enum { MAX_JSON = 1 << 30 };

struct plan_command {
    struct up_options up;
    bool detailed_exitcode, json;
};

struct planning {
    struct up *up;
    VEC(struct planned_object) objects;
    size_t add, change, destroy, wait, fail;
};

/* ---- planning ---- */

static void count(struct planning *p, const struct preview *v)
{
    p->wait += v->outcome == PREVIEW_WAITS;
    p->fail += v->outcome == PREVIEW_FAILS;
    if (v->outcome != PREVIEW_CHANGES)
        return;
    bool is_anew = v->action == ACTION_DELETE_THEN_CREATE || v->action == ACTION_CREATE_THEN_DELETE;
    p->add += is_anew || v->action == ACTION_CREATE;
    p->change += v->action == ACTION_UPDATE;
    p->destroy += is_anew || v->action == ACTION_DELETE;
}

static void preview_one(struct planning *p, const struct kind *kind, const struct store_key *key)
{
    struct planned_object *o = VEC_PUSH(p->up->arena, &p->objects);
    *o = planned_make(p->up->controller, p->up->arena, kind, key);
    count(p, &o->preview);
}

static void stop(void *controller)
{
    controller_preview_stop(controller);
}

static void preview_all(struct planning *p)
{
    struct up *u = p->up;
    struct cancel_watch on_cancel = {.fn = stop, .arg = u->controller};
    struct store_key key;
    cancel_watch(u->app->cancel, &on_cancel);
    for (size_t i = 0; !cancel_fired(u->app->cancel) && up_brought(u, i, &key); i++) {
        const struct kind *kind = kinds_find(u->serve.kinds, key.group, key.kind);
        if (kind && kind->role == KIND_MANAGED)
            preview_one(p, kind, &key);
    }
    cancel_unwatch(u->app->cancel, &on_cancel);
}

/* ---- as text ---- */

/* Objects that cannot be planned come first, because the summary is the last line. */
static bool print_text(struct planning *p)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_style style = planned_style(p->up->app);
    VEC(struct text_change) changes = {0};
    for (size_t i = 0; i < p->objects.n; i++) {
        const struct planned_object *o = &p->objects.v[i];
        planned_why(&out, o);
        if (o->preview.outcome == PREVIEW_CHANGES && o->preview.change)
            *VEC_PUSH(p->up->arena, &changes) = planned_text(o);
        else if (o->preview.outcome == PREVIEW_FAILS && o->preview.change) {
            struct text_change refused = planned_text(o);
            change_text(&out, &refused, &style);
        }
    }
    if (changes.n > 0 || p->wait + p->fail + p->up->n_wrong == 0)
        plan_text(&out, changes.v, changes.n, TEXT_PLAN_NORMAL, &style);
    else
        buf_addz(&out, "\nPlan: 0 to add, 0 to change, 0 to destroy.\n");
    if (p->up->n_wrong > 0)
        buf_addz(&out, "Some manifests could not be used (see the errors); what is in them is not in this plan.\n");
    return app_print(p->up->app, buf_str(&out));
}

/* ---- as JSON ---- */

static bool print_json(struct planning *p)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, STR("objects"));
    json_begin_array(&w);
    for (size_t i = 0; i < p->objects.n; i++)
        planned_json(&w, &p->objects.v[i]);
    json_end_array(&w);
    json_put_count(&w, "add", p->add);
    json_put_count(&w, "change", p->change);
    json_put_count(&w, "destroy", p->destroy);
    json_put_count(&w, "wait", p->wait);
    json_put_count(&w, "fail", p->fail);
    json_put_count(&w, "wrong_manifests", p->up->n_wrong);
    json_end_object(&w);
    if (!json_finish(&w) || !buf_ok(&out))
        return diags_fail(&p->up->app->diags, "Plan too large", "The plan is larger than the limit of %d MiB.", MAX_JSON >> 20);
    buf_addc(&out, '\n');
    return app_print(p->up->app, buf_str(&out));
}

/* ---- a run ---- */

/* A layer over the store, so that nothing is really written. If there is no store yet, a layer over an empty one. */
static bool open_store(struct up *u)
{
    const char *database = arena_printf(u->arena, "%s/" STORE_SQLITE_DATABASE, u->options->folder).p;
    struct store *below = NULL;
    if (access(database, F_OK) == 0) {
        below = store_sqlite_open(u->options->folder, &(struct store_sqlite_options){.visit = true}, &u->app->diags);
        if (!below)
            return false;
    }
    u->store = store_layer(below, NULL);
    return true;
}

/* Plans use the engine, also for objects that otherwise use terraform. */
static void make_controller(struct up *u)
{
    up_engine(u);
    u->controller = controller_new(&(struct controller_options){
        .store = u->store,
        .kinds = u->serve.kinds,
        .schedulers = {u->schedulers[CONTROLLER_GRPC], u->schedulers[CONTROLLER_GRPC]},
        .backend = CONTROLLER_GRPC,
        .log = u->log,
    });
}

static int plan(struct up *u, const struct plan_command *o)
{
    struct planning p = {.up = u};
    struct folder_files files = {0};
    if (!up_open(u) || !open_store(u) || !up_serve(u, &files) || !up_apply(u, &files, true))
        return EXIT_FAILED;
    make_controller(u);
    preview_all(&p);
    if (cancel_fired(u->app->cancel))
        return EXIT_INTERRUPTED;
    if (!(o->json ? print_json(&p) : print_text(&p)) || p.fail > 0 || u->n_wrong > 0)
        return EXIT_FAILED;
    bool changes = p.add + p.change + p.destroy + p.wait > 0;
    return o->detailed_exitcode && changes ? EXIT_CHANGES : EXIT_OK;
}

static int run_plan(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct plan_command o = {.up = {.plan = true}};
    const char *data = NULL;
    const struct option options[] = {
        {"filename", 'f', OPTION_TEXT, &o.up.path, "FILE|DIR", "manifests: a file, a folder, or - for standard input"},
        {"provider", 0, OPTION_LIST, &o.up.providers, "SOURCE[@VERSION]",
         "a provider: an address, or the path of a binary; may be repeated"},
        {"config", 0, OPTION_LIST, &o.up.configs, "FILE", "configuration of a provider, over the shipped one; may be repeated"},
        {"detailed-exitcode", 0, OPTION_FLAG, &o.detailed_exitcode, NULL, "exit code 2 when there is something to do"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "the plan as JSON, secrets hidden"},
        {"data", 0, OPTION_TEXT, &data, "FOLDER", "where the store is (default: TERRANE_STORE, or terrane in XDG_STATE_HOME)"},
        APP_OPTION_INSTALL(app),
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 0 || !o.up.path)
        return app_usage(app, self, "Give the manifests: terrane plan -f manifests/.");
    o.up.install = app->install;
    o.up.folder = objects_folder(app, data);
    if (!o.up.folder)
        return EXIT_FAILED;
    struct up u = {.app = app, .options = &o.up, .arena = arena_new(NULL, 0), .log = app->log, .show = show_new(app, false)};
    struct show *show = u.show;
    map_init(&u.claims, u.arena);
    code = plan(&u, &o);
    up_end(&u);
    return show_free(show) ? code : EXIT_FAILED;
}

const struct command command_plan = {
    .name = "plan",
    .usage = "-f FILE|DIR [options]",
    .summary = "show what `terrane up` would do with manifests",
    .details =
        "Reads the manifests as `terrane up` does, together with what is in the store, and asks the provider about each object.\n"
        "Nothing is changed, neither in the store nor outside. An object that refers to something that does not exist yet, such "
        "as\n"
        "a Secret or another object, is listed with what it waits for, and counts as a change. Works while `terrane up` is\n"
        "running, and without a store.\n"
        "\n"
        "exit codes: 0 done; 1 a manifest, an object or a provider failed; with --detailed-exitcode 2: there is something "
        "to do.",
    .example = "  terrane plan -f manifests/\n"
               "  terrane plan -f bucket.yaml --provider hashicorp/aws@5.100.0 --detailed-exitcode --json",
    .run = run_plan,
};
