/* terrane up: creates what manifests describe, and keeps it so. */
#include "cli/installer.h"
#include "managed/object.h"
#include "objects/backends.h"
#include "objects/up.h"
#include "store/sqlite.h"

#include <malloc.h>
#include <unistd.h>

#define SLICE_NS (250 * NS_PER_MS) /* so that Ctrl-C is noticed while waiting */
#define CONFIG_NS (8 * NS_PER_S)   /* the users of a ProviderConfig are counted again 2 s after one of them is gone */
enum {
    TRIES = 3,     /* --once does not wait for an object that failed so often in a row */
    MAX_HEAPS = 2, /* of malloc: one heap for each of dozens of threads would retain memory that passes have freed */
};

/* ---- parts ---- */

/* A manifest may wait for an object that is gone now. */
static void hear(void *ctx, const struct controller_news *news)
{
    struct up *u = ctx;
    show_news(u->show, news);
    if (news->gone)
        folder_wake(u->folder);
}

static bool make_controller(struct up *u)
{
    const char *scheduler = u->options->scheduler        ? u->options->scheduler
                            : u->project.scheduler.n > 0 ? u->project.scheduler.p
                                                         : "grpc";
    bool wants_cli = strcmp(scheduler, "cli") == 0;
    up_engine(u);
    const struct backends_cli cli = {u->app, u->log, arena_printf(u->arena, "%s/workspaces", u->options->folder).p, wants_cli};
    if (!backends_make_cli(&cli, &u->schedulers[CONTROLLER_CLI])) /* a ProviderConfig may need it, so it is created if possible */
        return false;
    u->controller = controller_new(&(struct controller_options){
        .store = u->store,
        .kinds = u->serve.kinds,
        .schedulers = {u->schedulers[CONTROLLER_GRPC], u->schedulers[CONTROLLER_CLI]},
        .backend = wants_cli ? CONTROLLER_CLI : CONTROLLER_GRPC,
        .log = u->log,
        .poll_ns = u->options->poll_ns ? u->options->poll_ns : u->project.poll_ns,
        .listener = hear,
        .listener_ctx = u,
        .timer = monitor_time,
        .timer_ctx = u->options->watched->monitor,
    });
    return controller_start(u->controller, &u->app->diags);
}

/* ---- convergence ---- */

static bool is_over(const struct up *u, int64_t deadline)
{
    return cancel_fired(u->app->cancel) || (deadline != NO_DEADLINE && clock_now(&system_clock) >= deadline);
}

/* Nothing moves any more, and this waits in vain for longer than a ProviderConfig needs to go: deletions have failed, or others
 * use it. */
static bool waits_in_vain(const struct up *u, int64_t settled_at)
{
    return (u->n_pending == 0 && !up_awaits_config(u)) || clock_now(&system_clock) > settled_at + CONFIG_NS;
}

static void wait_until_settled(struct up *u)
{
    int64_t deadline = u->options->timeout_ns > 0 ? clock_now(&system_clock) + u->options->timeout_ns : NO_DEADLINE;
    int64_t settled_at = 0;
    while (!is_over(u, deadline)) {
        bool settled = controller_wait(u->controller, TRIES, clock_now(&system_clock) + SLICE_NS);
        if (up_apply_pending(u) || !settled) {
            settled_at = 0;
            continue;
        }
        if (settled_at == 0)
            settled_at = clock_now(&system_clock);
        if (waits_in_vain(u, settled_at))
            return;
        (void)usleep(SLICE_NS / 1000);
    }
}

struct judgement {
    struct up *u;
    size_t n, n_ready;
};

static void add_condition(struct buf *out, const struct json *object, const char *type)
{
    struct managed_condition c;
    if (!managed_condition(object, type, &c)) {
        buf_printf(out, "%s%s=Unknown", out->n > 0 ? "; " : "", type);
        return;
    }
    if (str_eqz(c.status, "True"))
        return;
    buf_printf(out, "%s%s=" STR_FMT " " STR_FMT, out->n > 0 ? "; " : "", type, STR_ARG(c.status), STR_ARG(c.reason));
    if (c.message.n > 0)
        buf_printf(out, ": " STR_FMT, STR_ARG(c.message));
}

static bool judge(void *ctx, struct arena *a, const struct json *object)
{
    struct judgement *v = ctx;
    const struct kind *kind = kinds_of_object(v->u->serve.kinds, object);
    struct buf why BUF_AUTO = BUF_INIT(1 << 20);
    if (!kind || kind->role != KIND_MANAGED)
        return true;
    v->n++;
    if (object_is_being_deleted(object))
        buf_addz(&why, "being deleted");
    add_condition(&why, object, "Synced");
    add_condition(&why, object, "Ready");
    if (why.n > 0 && managed_is_of_another(object))
        buf_printf(&why, "; its annotation " MANAGED_BY " leaves it to " STR_FMT,
                   STR_ARG(managed_annotation(object, MANAGED_BY)));
    struct str name = objects_name(a, object), namespace = object_metadata_text(object, "namespace");
    if (why.n == 0)
        v->n_ready++;
    else
        show_line(v->u->show, STR_FMT "%s" STR_FMT "%s is not ready: " STR_FMT, STR_ARG(name), namespace.n > 0 ? " (" : "",
                  STR_ARG(namespace), namespace.n > 0 ? ")" : "", STR_ARG(buf_str(&why)));
    return true;
}

static int report(struct up *u)
{
    struct judgement v = {.u = u};
    struct str version;
    if (store_list(u->store, u->arena, &(struct store_query){0}, judge, &v, &u->app->diags, &version) != STORE_OK)
        return EXIT_FAILED;
    up_tell_held(u);
    show_line(u->show, "%zu of %zu ready%s", v.n_ready, v.n, u->n_wrong > 0 ? "; some manifests could not be applied" : "");
    if (u->n_wrong > 0)
        return EXIT_FAILED;
    return v.n_ready == v.n ? EXIT_OK : EXIT_NOT_READY;
}

/* ---- following ---- */

static bool project_has_changed(struct up *u)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    return !str_eq(up_project_text(u, a), u->project_text);
}

static void wake_folder(void *folder)
{
    folder_wake(folder);
}

static int follow(struct up *u)
{
    struct cancel_watch on_cancel = {.fn = wake_folder, .arg = u->folder};
    cancel_watch(u->app->cancel, &on_cancel);
    while (!cancel_fired(u->app->cancel) && !u->again && store_holds_lease(u->store)) {
        struct folder_files files;
        bool changed = folder_wait(u->folder, clock_now(&system_clock) + 10 * NS_PER_S);
        up_log_bound(u->log_file);
        (void)up_apply_pending(u);
        if (!changed || !up_look(u, &files))
            continue;
        if (project_has_changed(u)) {
            show_line(u->show, FOLDER_PROJECT " has changed: starting again");
            u->again = true;
        } else if (files.changed) {
            (void)up_apply(u, &files, false);
        }
    }
    cancel_unwatch(u->app->cancel, &on_cancel);
    if (cancel_fired(u->app->cancel) || u->again)
        return EXIT_OK;
    (void)diags_fail(&u->app->diags, "Store was replaced", "%s/" STORE_SQLITE_LOCK " was replaced by another process.",
                     u->options->folder);
    return EXIT_FAILED;
}

/* ---- a run ---- */

static bool begin(struct up *u, struct folder_files *files)
{
    if (!up_open(u))
        return false;
    u->store = store_sqlite_open(u->options->folder, NULL, &u->app->diags);
    if (!u->store)
        return false;
    u->log_file = up_log_open(u->app, u->options->folder);
    u->log = u->log_file ? up_log(u->log_file) : u->app->log;
    watched_log(u->options->watched, u->log);
    return up_serve(u, files) && objects_record_kinds(u->store, u->serve.kinds, &u->app->diags);
}

static struct store *visit_store(void *up, struct diags *diags)
{
    const struct up *u = up;
    return store_sqlite_open(u->options->folder, &(struct store_sqlite_options){.visit = true}, diags);
}

/* The URL with the token is only for a user at a terminal; other output is stored, and read by others. */
static bool serve_dashboard(struct up *u)
{
    struct watched *w = u->options->watched;
    const struct watched_parts parts = {.store = u->store,
                                        .kinds = u->serve.kinds,
                                        .controller = u->controller,
                                        .pool = u->pool,
                                        .scheduler = u->schedulers[CONTROLLER_GRPC],
                                        .open_store = visit_store,
                                        .ctx = u,
                                        .folder = u->options->folder};
    if (!watched_serve(w, u->app, &parts, &u->app->diags))
        return false;
    if (w->dashboard && isatty(STDOUT_FILENO))
        show_line(u->show, "Dashboard: %s", dashboard_secret_url(w->dashboard));
    else if (w->dashboard)
        show_line(u->show, "Dashboard: %s (with its token in %s)", dashboard_url(w->dashboard), w->file ? w->file : "no file");
    return true;
}

static int work(struct up *u, const struct folder_files *files)
{
    if (files->n == 0)
        show_line(u->show, "%s has no manifests (.yaml, .yml, .json)", folder_path(u->folder));
    if (!up_apply(u, files, true) || !make_controller(u) || !serve_dashboard(u))
        return EXIT_FAILED;
    if (!u->options->once)
        return follow(u);
    wait_until_settled(u);
    return cancel_fired(u->app->cancel) ? EXIT_INTERRUPTED : report(u);
}

static int run_once(struct app *app, const struct up_options *options, struct show *show, bool *ret_again)
{
    struct up u = {.app = app, .options = options, .arena = arena_new(NULL, 0), .show = show};
    struct folder_files files = {0};
    map_init(&u.claims, u.arena);
    int code = begin(&u, &files) ? work(&u, &files) : EXIT_FAILED;
    *ret_again = u.again && code == EXIT_OK && !cancel_fired(app->cancel);
    up_end(&u);
    return code;
}

static int run_up(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct up_options o = {0};
    struct watched_options watch = {0};
    struct watched watched;
    const char *data = NULL;
    const struct option options[] = {
        {"once", 0, OPTION_FLAG, &o.once, NULL,
         "exit with 0 when everything is Ready and Synced, with 2 when something cannot be"},
        {"timeout", 0, OPTION_DURATION, &o.timeout_ns, "TIME", "with --once: how long to wait (default: no limit)"},
        {"prune", 0, OPTION_FLAG, &o.prune, NULL, "delete objects whose manifests are removed"},
        {"provider", 0, OPTION_LIST, &o.providers, "SOURCE[@VERSION]",
         "a provider: an address, or the path of a binary; may be repeated"},
        {"config", 0, OPTION_LIST, &o.configs, "FILE", "configuration of a provider, over the shipped one; may be repeated"},
        {"scheduler", 0, OPTION_CHOICE, &o.scheduler, "grpc|cli",
         "how to call providers: grpc keeps them running, cli goes through terraform (default: grpc)"},
        {"poll", 0, OPTION_DURATION, &o.poll_ns, "TIME", "how often an object that is ready is checked (default: 10m)"},
        WATCHED_OPTIONS(&watch),
        {"data", 0, OPTION_TEXT, &data, "FOLDER", "where the store is (default: TERRANE_STORE, or terrane in XDG_STATE_HOME)"},
        APP_OPTION_INSTALL(app),
        {0},
    };
    int n, code = EXIT_OK;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Give one folder of manifests: terrane up manifests/.");
    o.path = argv[0];
    o.install = app->install;
    o.folder = objects_folder(app, data);
    if (!o.folder)
        return EXIT_FAILED;
    (void)mallopt(M_ARENA_MAX, MAX_HEAPS);
    if (!watch.dashboard && !o.once && isatty(STDOUT_FILENO))
        watch.dashboard = "on"; /* only on this machine, and with a token */
    o.watched = &watched;
    struct show *show = show_new(app, app->color_out);
    bool again = watched_open(&watched, app, &watch);
    code = again ? EXIT_OK : EXIT_FAILED;
    while (again)
        code = run_once(app, &o, show, &again);
    watched_close(&watched);
    return show_free(show) ? code : EXIT_FAILED;
}

const struct command command_up = {
    .name = "up",
    .usage = "DIR [options]",
    .summary = "create managed resources from manifests and keep them in sync",
    .details =
        "DIR is a folder of manifests (.yaml, .yml, .json; subfolders too), one file, or - for standard input. The folder is\n"
        "watched: manifests that are added or changed are applied as by `kubectl apply`; objects whose manifests are removed "
        "stay,\n"
        "unless --prune is given. Objects are kept in a store on this machine, which `terrane get`, `describe`, `events`,\n"
        "`delete` and others can use at the same time.\n"
        "The API groups of the shipped configurations (`terrane config show aws`) tell which provider they need. Name other\n"
        "providers with --provider, or in " FOLDER_PROJECT " in the folder:\n"
        "\n"
        "  providers: [{source: hashicorp/aws, version: ~> 5.0, config: aws.yaml}]\n"
        "  scheduler: grpc\n"
        "  poll: 10m\n"
        "  prune: false\n"
        "  auto_install: false",
    .example = "  terrane up manifests/\n"
               "  terrane up manifests/ --once --timeout 10m --prune --provider hashicorp/random@3.6.0",
    .run = run_up,
};
