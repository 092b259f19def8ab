/* terrane plan: what `terrane up` would do with manifests, before it does. */
#include "base/terminal.h"
#include "base/vec.h"
#include "controller/preview.h"
#include "objects/up.h"
#include "render/plan_text.h"
#include "store/layer.h"
#include "store/sqlite.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_JSON = 1 << 30 };
#define HIDDEN "(sensitive value)"

struct plan_options {
    struct up_options up;
    bool detailed_exitcode, json;
};

/* An object that has something to say. */
struct planned {
    const struct kind *kind;
    struct store_key key;
    struct str title; /* database.fake.example.org/one */
    struct preview preview;
};

struct planning {
    struct up *up;
    VEC(struct planned) objects;
    size_t add, change, destroy, wait, fail;
};

/* ---- looking ---- */

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
    struct arena *a = p->up->arena;
    struct str name = arena_lower(a, key->kind);
    struct planned *o = VEC_PUSH(a, &p->objects);
    *o = (struct planned){
        .kind = kind,
        .key = *key,
        .title = arena_printf(a, STR_FMT "." STR_FMT "/" STR_FMT, STR_ARG(name), STR_ARG(key->group), STR_ARG(key->name)),
        .preview = controller_preview(p->up->controller, a, kind, key),
    };
    if (key->namespace.n > 0)
        o->title = arena_printf(a, STR_FMT " in namespace " STR_FMT, STR_ARG(o->title), STR_ARG(key->namespace));
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

static struct text_change text_of(const struct planned *o)
{
    const struct schema *schema = map_get(&o->kind->provider->schema->resources, o->kind->terraform_type);
    struct str reason = json_text(json_get(o->preview.change, "action_reason"), STR_EMPTY);
    return (struct text_change){
        .object = {.address = o->title, .type = o->kind->terraform_type, .name = o->key.name, .schema = schema->block},
        .action = o->preview.action,
        .reason = reason.n > 0 ? reason.p : NULL,
        .change = o->preview.change,
    };
}

static void write_why(struct buf *out, const struct planned *o)
{
    static const char *const words[] = {[PREVIEW_FINE] = "is left alone",
                                        [PREVIEW_CHANGES] = "changes",
                                        [PREVIEW_WAITS] = "waits for something",
                                        [PREVIEW_FAILS] = "would fail"};
    if (o->preview.why.n == 0)
        return;
    buf_printf(out, "\n" STR_FMT " %s: ", STR_ARG(o->title), words[o->preview.outcome]);
    terminal_write(out, o->preview.why, TERMINAL_KEEP_LINES);
    buf_addc(out, '\n');
}

static struct text_style style_of(const struct app *app)
{
    struct winsize size;
    struct text_style style = {.colour = app->color_out, .width = TEXT_DEFAULT_WIDTH};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        style.width = size.ws_col;
    return style;
}

/* Those that cannot be planned come first: the sum is the last line. */
static bool print_text(struct planning *p)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_style style = style_of(p->up->app);
    VEC(struct text_change) changes = {0};
    for (size_t i = 0; i < p->objects.n; i++) {
        const struct planned *o = &p->objects.v[i];
        write_why(&out, o);
        if (o->preview.outcome == PREVIEW_CHANGES && o->preview.change)
            *VEC_PUSH(p->up->arena, &changes) = text_of(o);
        else if (o->preview.outcome == PREVIEW_FAILS && o->preview.change) {
            struct text_change refused = text_of(o);
            change_text(&out, &refused, &style);
        }
    }
    if (changes.n > 0 || p->wait + p->fail == 0)
        plan_text(&out, changes.v, changes.n, TEXT_PLAN_NORMAL, &style);
    else
        buf_addz(&out, "\nPlan: 0 to add, 0 to change, 0 to destroy.\n");
    return app_print(p->up->app, buf_str(&out));
}

/* ---- as JSON ---- */

/* The value, but for what is marked. As deep as the reader of JSON lets anything be. */
static void write_hidden(struct json_writer *w, const struct json *value, const struct json *marks)
{
    if (value && value->kind != JSON_NULL && json_bool(marks, false)) {
        json_write_string(w, STR(HIDDEN));
    } else if (value && value->kind == JSON_OBJECT) {
        json_begin_object(w);
        for (size_t i = 0; i < value->object.n; i++) {
            const struct json_member *m = &value->object.members[i];
            json_key(w, m->key);
            write_hidden(w, m->value, json_get_str(marks, m->key));
        }
        json_end_object(w);
    } else if (value && value->kind == JSON_ARRAY) {
        bool has_marks = marks && marks->kind == JSON_ARRAY;
        json_begin_array(w);
        for (size_t i = 0; i < value->array.n; i++)
            write_hidden(w, value->array.items[i], has_marks && i < marks->array.n ? marks->array.items[i] : NULL);
        json_end_array(w);
    } else if (value) {
        json_write(w, value);
    } else {
        json_write_null(w);
    }
}

static void write_change(struct json_writer *w, const struct json *change)
{
    static const char *const plain[] = {"actions",          "action_reason",   "after_unknown",
                                        "before_sensitive", "after_sensitive", "replace_paths"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (!json_get(change, plain[i]))
            continue;
        json_key(w, str_of(plain[i]));
        json_write(w, json_get(change, plain[i]));
    }
    json_key(w, STR("before"));
    write_hidden(w, json_get(change, "before"), json_get(change, "before_sensitive"));
    json_key(w, STR("after"));
    write_hidden(w, json_get(change, "after"), json_get(change, "after_sensitive"));
}

static void write_text(struct json_writer *w, const char *key, struct str text)
{
    json_key(w, str_of(key));
    json_write_string(w, text);
}

static void write_object(struct json_writer *w, const struct planned *o)
{
    static const char *const outcomes[] = {
        [PREVIEW_FINE] = "unchanged", [PREVIEW_CHANGES] = "changes", [PREVIEW_WAITS] = "waits", [PREVIEW_FAILS] = "fails"};
    json_begin_object(w);
    write_text(w, "group", o->key.group);
    write_text(w, "kind", o->key.kind);
    if (o->key.namespace.n > 0)
        write_text(w, "namespace", o->key.namespace);
    write_text(w, "name", o->key.name);
    write_text(w, "type", o->kind->terraform_type);
    write_text(w, "outcome", str_of(outcomes[o->preview.outcome]));
    if (o->preview.why.n > 0)
        write_text(w, "reason", o->preview.why);
    if (o->preview.change) {
        json_key(w, STR("change"));
        json_begin_object(w);
        write_change(w, o->preview.change);
        json_end_object(w);
    }
    json_end_object(w);
}

static void write_number(struct json_writer *w, const char *key, size_t n)
{
    json_key(w, str_of(key));
    json_write_int(w, (int64_t)n);
}

static bool print_json(struct planning *p)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, STR("objects"));
    json_begin_array(&w);
    for (size_t i = 0; i < p->objects.n; i++)
        write_object(&w, &p->objects.v[i]);
    json_end_array(&w);
    write_number(&w, "add", p->add);
    write_number(&w, "change", p->change);
    write_number(&w, "destroy", p->destroy);
    write_number(&w, "wait", p->wait);
    write_number(&w, "fail", p->fail);
    write_number(&w, "wrong_manifests", p->up->n_wrong);
    json_end_object(&w);
    if (!json_finish(&w) || !buf_ok(&out))
        return diags_fail(&p->up->app->diags, "Plan too large", "The plan is larger than the limit of %d MiB.", MAX_JSON >> 20);
    buf_addc(&out, '\n');
    return app_print(p->up->app, buf_str(&out));
}

/* ---- a run ---- */

/* A layer over the store, so that whatever is written is gone at the end. Where there is no store yet, over nothing. */
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

/* A plan is the engine's, also of objects that go through terraform otherwise. */
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

static int plan(struct up *u, const struct plan_options *o)
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
    struct plan_options o = {.up = {.plan = true}};
    const char *data = NULL;
    const struct option options[] = {
        {"filename", 'f', OPTION_TEXT, &o.up.path, "FILE|DIR", "manifests: a file, a folder, or - for standard input"},
        {"provider", 0, OPTION_LIST, &o.up.providers, "SOURCE[@VERSION]",
         "a provider: an address, or the path of a binary; may be repeated"},
        {"config", 0, OPTION_LIST, &o.up.configs, "FILE", "configuration of a provider, over the shipped one; may be repeated"},
        {"detailed-exitcode", 0, OPTION_FLAG, &o.detailed_exitcode, NULL, "exit code 2 when there is something to do"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "the plan as JSON, secrets hidden"},
        {"data", 0, OPTION_TEXT, &data, "FOLDER", "where the store is (default: TERRANE_STORE, or terrane in XDG_STATE_HOME)"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 0 || !o.up.path)
        return app_usage(app, self, "Give the manifests: terrane plan -f manifests/.");
    o.up.folder = objects_folder(app, data);
    if (!o.up.folder)
        return EXIT_FAILED;
    struct up u = {.app = app, .options = &o.up, .arena = arena_new(NULL, 0), .log = app->log, .show = show_new(app, false)};
    struct show *show = u.show;
    map_init(&u.claims, u.arena);
    code = plan(&u, &o);
    up_end(&u);
    show_free(show);
    return code;
}

const struct command command_plan = {
    .name = "plan",
    .usage = "-f FILE|DIR [options]",
    .summary = "shows what `terrane up` would do with manifests",
    .details =
        "The manifests are taken as `terrane up` takes them, over what is in the store, and each object is looked at "
        "through its\n"
        "provider. Nothing is written: neither into the store nor outside. An object that refers to what is not there yet, "
        "such as a\n"
        "Secret or another object, is named with what it waits for, and counts as something to do. It works beside a "
        "running\n"
        "`terrane up`, and where there is no store yet.\n"
        "\n"
        "exit codes: 0 done; 1 a manifest, an object or a provider failed; with --detailed-exitcode 2: there is something "
        "to do.",
    .example = "  terrane plan -f manifests/\n"
               "  terrane plan -f bucket.yaml --provider hashicorp/aws@5.100.0 --detailed-exitcode --json",
    .run = run_plan,
};
