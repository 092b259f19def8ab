/* terrane drift: do existing objects still match the states? */
#include "base/file.h"
#include "cli/import/discover.h"
#include "cli/instance_address.h"
#include "cli/progress.h"
#include "cli/provider_source.h"
#include "cli/schema_source.h"
#include "cli/work.h"
#include "drift/report.h"
#include "drift/unmanaged.h"
#include "import/files.h"
#include "import/settings.h"
#include "loop/workers.h"
#include "state/state_file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_PARALLEL = 32, MOST_PARALLEL = 64, MOST_RATE = 100000 };

#define DEFAULT_STATE "terraform.tfstate"
#define DEFAULT_IGNORE ".driftignore"

struct drift_wish {
    struct work_options work;
    const char *html, *ignore;
    struct option_texts configs, providers;
    int64_t parallel;
    int64_t rate; /* calls per second for each service; 0: no limit */
    bool unmanaged;
};

/* --provider-config [NAME[.ALIAS]=]FILE */
struct given_config {
    struct str name; /* empty: for the only provider */
    struct config_file file;
    bool used;
};

/* What is needed to open a provider. */
struct opening {
    struct drift_run *run;
    struct drift_provider *provider;
    struct str what, modules, alias; /* as in the state */
    struct str source;               /* what to open: `what`, unless the command line says otherwise */
    struct str constraint;
    const struct json *config; /* NULL: empty */
    struct arena *arena;       /* used by this thread */
    struct diags diags;
    struct provider_source found;
    struct rows rows;
    struct api *api; /* NULL: not needed for the rows, or it cannot be opened */
};

struct folder_settings {
    const char *folder;
    struct settings settings;
};

struct drift_run {
    struct app *app;
    const struct drift_wish *wish;
    struct work work;
    struct drift drift;
    struct bar bar;
    struct pool *pool;
    struct rates *rates;
    struct opening *openings;
    VEC(struct given_config) configs;
    VEC(struct folder_settings *) folders;
};

/* --- states --- */

static const char *state_path(struct app *app, const char *named)
{
    struct stat st;
    bool folder = stat(named, &st) == 0 && S_ISDIR(st.st_mode);
    return folder ? arena_printf(app->arena, "%s/" DEFAULT_STATE, named).p : named;
}

static bool read_state(struct drift_run *run, const char *named)
{
    struct app *app = run->app;
    const char *path = state_path(app, named);
    if (!file_exists(path))
        return diags_fail(&app->diags, "No such state", "%s does not exist. Name a state file, or the folder of %s.", path,
                          DEFAULT_STATE);
    const struct state *state = state_file_look(app->arena, path, &app->diags);
    if (state)
        drift_add_state(&run->drift, path, state);
    return state != NULL;
}

static bool read_ignore(struct drift_run *run)
{
    struct app *app = run->app;
    const char *path = run->wish->ignore ? run->wish->ignore : DEFAULT_IGNORE;
    struct str text;
    if (!run->wish->ignore && !file_exists(path))
        return true;
    if (!file_read(app->arena, path, DRIFTIGNORE_MAX_FILE, &app->diags, &text))
        return false;
    driftignore_read(&run->drift.ignore, app->arena, text, path, &app->diags);
    return true;
}

/* --- configurations of providers --- */

static bool read_configs(struct drift_run *run)
{
    struct app *app = run->app;
    for (size_t i = 0; i < run->wish->configs.n; i++) {
        struct str rest = str_of(run->wish->configs.v[i]);
        size_t sign = str_find(rest, '=', 0);
        struct given_config c = {.name = sign == SIZE_MAX ? STR_EMPTY : str_slice(rest, 0, sign)};
        const char *path = run->wish->configs.v[i] + (sign == SIZE_MAX ? 0 : sign + 1);
        if (!config_file_read(app->arena, path, &app->diags, &c.file))
            return false;
        *VEC_PUSH(app->arena, &run->configs) = c;
    }
    return true;
}

static bool is_config_for(const struct given_config *c, const struct opening *o)
{
    struct str name = c->name, type = import_provider_name(o->what), module = o->modules;
    if (module.n > 0) {
        if (!str_starts(name, module) || name.n <= module.n)
            return false;
        name = str_slice(name, module.n + 1, name.n);
    }
    if (!str_starts(name, type))
        return false;
    struct str rest = str_slice(name, type.n, name.n);
    return o->alias.n == 0 ? rest.n == 0 : rest.n > 0 && rest.p[0] == '.' && str_eq(str_slice(rest, 1, rest.n), o->alias);
}

static struct given_config *given_for(struct drift_run *run, const struct opening *o)
{
    for (size_t i = 0; i < run->configs.n; i++) {
        struct given_config *c = &run->configs.v[i];
        bool only = c->name.n == 0 && o->alias.n == 0 && o->modules.n == 0;
        if (only || is_config_for(c, o))
            return c;
    }
    return NULL;
}

/* Another source than the state's, from the command line: a binary or an address. */
static void choose_source(struct drift_run *run, struct opening *o)
{
    o->source = o->what;
    for (size_t i = 0; i < run->wish->providers.n; i++) {
        struct str rest = str_of(run->wish->providers.v[i]), name = STR_EMPTY;
        if (str_find(rest, '=', 0) != SIZE_MAX)
            name = str_cut(&rest, '=');
        if (name.n == 0 || str_eq(name, import_provider_name(o->what)))
            o->source = rest;
    }
}

static const struct settings *settings_of(struct drift_run *run, const char *folder)
{
    struct app *app = run->app;
    for (size_t i = 0; i < run->folders.n; i++)
        if (strcmp(run->folders.v[i]->folder, folder) == 0)
            return &run->folders.v[i]->settings;
    struct folder_settings *f = arena_make(app->arena, struct folder_settings);
    f->folder = folder;
    if (!settings_read(&f->settings, app->arena, folder, &app->diags))
        return NULL;
    *VEC_PUSH(app->arena, &run->folders) = f;
    return &f->settings;
}

/* A file without a name is for the only provider; with several providers it is ambiguous. */
static bool check_plain_configs(struct drift_run *run)
{
    struct app *app = run->app;
    const struct opening *first = &run->openings[0];
    for (size_t i = 0; i < run->configs.n; i++)
        for (size_t k = 1; run->configs.v[i].name.n == 0 && k < run->drift.providers.n; k++)
            if (!str_eq(run->openings[k].what, first->what))
                return diags_fail(&app->diags, "Which provider?",
                                  "The states have " STR_FMT " and " STR_FMT ". Say whose configuration %s is: --provider-config "
                                  "NAME=FILE, with an alias NAME.ALIAS=FILE.",
                                  STR_ARG(first->what), STR_ARG(run->openings[k].what), run->configs.v[i].file.name);
    return true;
}

static bool check_unused_configs(struct drift_run *run)
{
    struct app *app = run->app;
    for (size_t i = 0; i < run->configs.n; i++)
        if (!run->configs.v[i].used && run->drift.providers.n > 0)
            return diags_fail(&app->diags, "Unused provider configuration",
                              "No object belongs to a provider configuration called \"" STR_FMT
                              "\"; expected NAME or NAME.ALIAS as the state has it: the first is " STR_FMT ".",
                              STR_ARG(run->configs.v[i].name), STR_ARG(run->drift.providers.v[0].text));
    return true;
}

/* From the command line, else from the folder of the state, else none. */
static bool choose_config(struct drift_run *run, struct opening *o)
{
    struct app *app = run->app;
    const struct settings *s = settings_of(run, o->provider->folder);
    struct given_config *given = given_for(run, o);
    if (!s)
        return false;
    choose_source(run, o);
    struct str version = str_eq(o->source, o->what) ? settings_version(s, o->what) : STR_EMPTY;
    o->constraint = version.n > 0 ? arena_printf(app->arena, "= " STR_FMT, STR_ARG(version)) : STR_EMPTY;
    if (run->wish->work.version)
        o->constraint = str_of(run->wish->work.version);
    if (given) {
        given->used = true;
        o->config = given->file.json;
        return true;
    }
    const struct settings_block *b = o->modules.n == 0 ? settings_find(s, o->what, o->alias) : NULL;
    if (!b) {
        if (o->alias.n == 0)
            return true;
        return diags_fail(&app->diags, "Provider configuration not found",
                          "%s has objects of " STR_FMT ", and no provider block for it is in %s. Use --provider-config " STR_FMT
                          "." STR_FMT "=FILE.",
                          o->provider->folder, STR_ARG(o->provider->text), o->provider->folder,
                          STR_ARG(import_provider_name(o->what)), STR_ARG(o->alias));
    }
    struct schema_request request = {.provider = arena_str(app->arena, o->source).p,
                                     .constraint = o->constraint.n > 0 ? arena_str(app->arena, o->constraint).p : NULL};
    struct schema_source source;
    if (!schema_source_load(app, &request, &source))
        return false;
    o->config = settings_evaluate(s, b, source.schema->provider->block, &app->diags);
    return o->config != NULL;
}

/* --- opening --- */

static void open_provider(void *arg)
{
    struct opening *o = arg;
    struct app *app = o->run->app;
    struct diags *diags = &o->diags;
    if (!provider_source_find(app, o->arena, o->source, o->constraint, diags, &o->found))
        return;
    struct pool_source what = {
        .address = o->found.address,
        .path = o->found.path,
        .reattach = o->found.attached ? &o->found.reattach : NULL,
    };
    pool_wait wait = {.deadline = NO_DEADLINE, .cancel = app->cancel};
    if (pool_open(o->run->pool, &what, o->config, &wait, diags, &o->provider->opened) != ENGINE_OK)
        o->provider->opened = NULL;
    o->provider->source = o->found.address;
}

static bool prepare_providers(struct drift_run *run)
{
    struct app *app = run->app;
    struct drift *d = &run->drift;
    run->openings = arena_make_n(app->arena, struct opening, d->providers.n);
    for (size_t i = 0; i < d->providers.n; i++) {
        struct opening *o = &run->openings[i];
        *o = (struct opening){.run = run, .provider = &d->providers.v[i], .arena = arena_new(app->arena, 0)};
        diags_init(&o->diags, o->arena);
        struct instance_provider parts;
        if (!instance_provider_parse(app->arena, o->provider->text, &parts))
            return diags_fail(&app->diags, "Invalid provider in the state",
                              "\"" STR_FMT "\" is not a valid provider address; expected one such as "
                              "module.net.provider[\"registry.terraform.io/hashicorp/aws\"].west",
                              STR_ARG(o->provider->text));
        o->what = parts.source;
        o->modules = parts.modules;
        o->alias = parts.alias;
    }
    if (d->providers.n > 0 && !check_plain_configs(run))
        return false;
    for (size_t i = 0; i < d->providers.n; i++)
        if (d->providers.v[i].objects > 0 && !choose_config(run, &run->openings[i]))
            return false;
    return check_unused_configs(run);
}

/* If a provider cannot be opened, its objects get an error; the others are read. */
static bool open_providers(struct drift_run *run)
{
    struct app *app = run->app;
    struct drift *d = &run->drift;
    struct pool_options options = {
        .loop = app_loop(app),
        .log = app->log,
        .cache_folder = app->cache_folder,
        .start_timeout_ns = run->wish->work.timeout_ns,
        .no_tls = app_environment("TF_DISABLE_PLUGIN_TLS") != NULL,
    };
    if (!prepare_providers(run))
        return false;
    run->pool = pool_new(&options);
    struct workers *workers = workers_new("open", DRIFT_MAX_PROVIDERS);
    for (size_t i = 0; i < d->providers.n; i++)
        if (d->providers.v[i].objects > 0)
            workers_submit(workers, open_provider, &run->openings[i]);
    workers_free(workers);
    for (size_t i = 0; i < d->providers.n; i++) {
        if (!d->providers.v[i].opened && d->providers.v[i].objects > 0)
            d->providers.v[i].error = import_first_error(app->arena, &run->openings[i].diags);
        diags_append(&app->diags, &run->openings[i].diags);
    }
    return true;
}

/* --- rates --- */

static bool open_api(struct drift_run *run, struct opening *o, struct diags *diags)
{
    const struct api_options options = {
        .config = o->config,
        .env = (const char *const *)environ,
        .loop = app_loop(run->app),
        .log = run->app->log,
        .cancel = run->app->cancel,
        .rates = run->rates,
        .rows = &o->rows,
    };
    return o->api || o->rows.rows.n == 0 || api_open(&options, diags, &o->api);
}

/* As the provider's rows or the command line say, for reading as well as for listing. */
static bool set_rates(struct drift_run *run)
{
    struct app *app = run->app;
    const struct discover_wish wish = {.rate = run->wish->rate};
    for (size_t i = 0; i < run->drift.providers.n; i++) {
        struct opening *o = &run->openings[i];
        struct diags ignored; /* errors are reported where it is needed: when the account is listed */
        diags_init(&ignored, app->arena);
        if (!o->provider->opened)
            continue;
        if (!import_load_rows(app, o->provider->source, &wish, &o->rows))
            return false;
        (void)open_api(run, o, &ignored);
        import_set_rates(run->rates, &o->rows, o->api, wish.rate);
        o->provider->rows = &o->rows;
    }
    for (size_t i = 0; wish.rate > 0 && i < run->drift.objects.n; i++) {
        const struct drift_object *object = &run->drift.objects.v[i];
        const struct rows *rows = run->drift.providers.v[object->provider].rows;
        rates_set(run->rates, rows_service_of(rows, object->type), (double)wish.rate);
    }
    return true;
}

/* --- unmanaged objects --- */

static bool is_wanted(void *ctx, struct str type)
{
    const struct drift_run *run = ctx;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < run->drift.ignore.rules.n; i++)
        if (run->drift.ignore.rules.v[i].keep)
            return true; /* an object of the type may be an exception */
    return !driftignore_object(&run->drift.ignore, scratch, type, STR("*"));
}

static bool is_same_config(const struct json *x, const struct json *y)
{
    return x == y || (x && y && json_eq(x, y));
}

/* Do two providers use the same account: the same provider and settings, except perhaps for the region? */
static bool is_same_account(struct drift_run *run, const struct opening *x, const struct opening *y)
{
    struct arena *a = run->app->arena;
    return x->provider->opened && y->provider->opened && str_eq(x->provider->source, y->provider->source) &&
           json_eq(import_config_in(a, x->config, STR_EMPTY), import_config_in(a, y->config, STR_EMPTY));
}

/* Lists objects in every way that import knows: the provider's lists, declared rows, data sources. Does not read them. */
static bool list_provider(struct drift_run *run, size_t number)
{
    struct opening *o = &run->openings[number];
    struct app *app = run->app;
    struct drift_provider *p = o->provider;
    struct worklist found;
    struct import_reading reading = {
        .provider = p->opened,
        .provider_address = p->source,
        .log = app->log,
        .cancel = app->cancel,
        .timeout_ns = run->wish->work.timeout_ns,
        .parallel = DEFAULT_PARALLEL,
    };
    bool *own = arena_make_n(app->arena, bool, run->drift.providers.n),
         *account = arena_make_n(app->arena, bool, run->drift.providers.n);
    bool again = false; /* skips services without regions, which were listed already */
    for (size_t i = 0; i < run->drift.providers.n; i++) {
        account[i] = is_same_account(run, &run->openings[i], o);
        own[i] = account[i] && is_same_config(run->openings[i].config, o->config);
        again |= i < number && account[i];
        if (i < number && own[i])
            return true;
    }
    worklist_init(&found, app->arena);
    if (!open_api(run, o, &app->diags))
        return false;
    const struct provider_schema *schema = pool_provider_schema(p->opened);
    struct discovery d = {.schema = schema, .rows = &o->rows, .api = o->api, .wants = is_wanted, .ctx = run};
    if (again)
        d.region = json_text(json_get(o->config, "region"), STR("another region"));
    bool ok = discover(&d, &reading, &found, &app->diags);
    if (ok && d.n_types == 0)
        diags_warn(&app->diags, "Nothing can be listed", "Provider " STR_FMT " cannot list objects.", STR_ARG(p->source));
    for (size_t i = 0; ok && i < found.left_out.n; i++)
        if (found.left_out.v[i].kind == LEFT_FAILED)
            diags_warn(&app->diags, "Not listed", STR_FMT ": " STR_FMT, STR_ARG(found.left_out.v[i].type),
                       STR_ARG(found.left_out.v[i].why));
    ok = ok && worklist_sort(&found, &app->diags);
    if (ok)
        drift_add_unmanaged(&run->drift, &found, &(struct drift_listing){schema, &o->rows, own, account});
    return ok;
}

static bool list_unmanaged(struct drift_run *run)
{
    for (size_t i = 0; run->wish->unmanaged && i < run->drift.providers.n; i++)
        if (run->drift.providers.v[i].opened && !list_provider(run, i))
            return false;
    return true;
}

/* --- the run --- */

static void show_progress(void *ctx, size_t done, size_t total)
{
    struct drift_run *run = ctx;
    bar_set(&run->bar, (int64_t)done, (int64_t)total);
}

static bool tell(struct drift_run *run)
{
    struct app *app = run->app;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (run->wish->html) {
        struct buf page BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
        drift_write_html(&page, &run->drift);
        if (!buf_ok(&page) || !file_write(run->wish->html, buf_str(&page), 0600, &app->diags))
            return diags_fail(&app->diags, "Page not written", "%s could not be written.", run->wish->html);
    }
    if (!run->wish->work.json) {
        drift_write_text(&out, &run->drift, app->color_out);
        return app_print(app, buf_str(&out));
    }
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    return drift_write_json(&j, &run->drift, &app->diags) && work_print_json(&run->work, &j);
}

static int look(struct drift_run *run, int n, const char **states)
{
    struct app *app = run->app;
    struct drift_reading reading = {
        .log = app->log,
        .cancel = app->cancel,
        .timeout_ns = run->wish->work.timeout_ns,
        .parallel = (size_t)(run->wish->parallel > 0 ? run->wish->parallel : DEFAULT_PARALLEL),
        .rates = run->rates,
        .progress = show_progress,
        .ctx = run,
    };
    if (n == 0 && !read_state(run, DEFAULT_STATE))
        return EXIT_FAILED;
    for (int i = 0; i < n; i++)
        if (!read_state(run, states[i]))
            return EXIT_FAILED;
    if (!read_ignore(run) || !read_configs(run))
        return EXIT_FAILED;
    drift_prepare(&run->drift);
    if (!open_providers(run) || !set_rates(run))
        return EXIT_FAILED;
    bar_start(&run->bar, "Reading objects", BAR_THINGS);
    drift_read(&run->drift, &reading);
    bar_end(&run->bar);
    bool listed = cancel_fired(app->cancel) || list_unmanaged(run);
    if (cancel_fired(app->cancel))
        (void)diags_fail(&app->diags, "Interrupted", "Not every object was looked at.");
    struct drift_summary s = drift_summarize(&run->drift);
    bool complete = listed && s.failed + s.waiting == 0;
    if (!tell(run) || !complete)
        return EXIT_FAILED;
    return s.changed + s.missing + s.unmanaged > 0 ? EXIT_CHANGES : EXIT_OK;
}

static int run_drift(struct app *app, const struct drift_wish *wish, int n, const char **states)
{
    struct drift_run run = {.app = app, .wish = wish};
    drift_init(&run.drift, app->arena);
    run.rates = rates_new(NULL);
    int code = work_begin(&run.work, app, &wish->work) ? look(&run, n, states) : EXIT_FAILED;
    work_end(&run.work, code);
    for (size_t i = 0; i < run.drift.providers.n; i++) {
        if (run.openings)
            api_close(run.openings[i].api);
        pool_provider_close(run.drift.providers.v[i].opened);
    }
    if (run.pool)
        pool_free(run.pool);
    rates_free(run.rates);
    drift_free(&run.drift);
    return code;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct drift_wish w = {0};
    const struct option options[] = {
        {.name = "provider-config",
         .kind = OPTION_LIST,
         .target = &w.configs,
         .value = "[NAME=]FILE",
         .help = "configuration of a provider, such as aws.west=FILE (default: the provider blocks beside the state)"},
        {.name = "provider",
         .kind = OPTION_LIST,
         .target = &w.providers,
         .value = "[NAME=]SOURCE",
         .help = "use another provider than the state names: an address, or the path of a binary; may be repeated"},
        WORK_OPTION_PROVIDER_VERSION(&w.work),
        {.name = "unmanaged",
         .kind = OPTION_FLAG,
         .target = &w.unmanaged,
         .help = "also list the account: objects that are in no state, and the coverage"},
        {.name = "ignore",
         .kind = OPTION_TEXT,
         .target = &w.ignore,
         .value = "FILE",
         .help = "what to ignore, in driftctl's format (default: .driftignore, if it exists)"},
        {.name = "html", .kind = OPTION_TEXT, .target = &w.html, .value = "FILE", .help = "also write an HTML page"},
        {.name = "parallel",
         .kind = OPTION_NUMBER,
         .target = &w.parallel,
         .value = "N",
         .help = "number of objects at the same time for each provider (default 32, at most 64)"},
        {.name = "rate",
         .kind = OPTION_NUMBER,
         .target = &w.rate,
         .value = "N",
         .help = "maximum reads a second from each service (default: no limit until it throttles)"},
        APP_OPTION_TRACE(app),
        WORK_OPTION_TIMEOUT(&w.work, ""),
        {.name = "json", .kind = OPTION_FLAG, .target = &w.work.json, .help = "as JSON; sensitive values are hidden here too"},
        {0},
    };
    int n, exit_code;
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    if (w.parallel > MOST_PARALLEL)
        return app_usage(app, self, "At most %d objects at once: --parallel %d.", MOST_PARALLEL, MOST_PARALLEL);
    if (w.rate > MOST_RATE)
        return app_usage(app, self, "--rate is at most %d.", MOST_RATE);
    return run_drift(app, &w, n, argv);
}

const struct command command_drift = {
    .name = "drift",
    .usage = "[STATE...] [options]",
    .summary = "show what differs between state files and what exists",
    .details = "Reads every object of the states (default: terraform.tfstate) through its provider and compares: what\n"
               "`terraform plan -refresh-only` would show. STATE is a file, or the folder of a terraform.tfstate. No state is\n"
               "written. Exit codes: 0 in sync, 2 something differs, 1 an object could not be read, or the run failed.",
    .example = "  terrane drift infra/terraform.tfstate --html drift.html\n"
               "  terrane drift net app --provider-config aws=aws.json --provider-config aws.west=west.json --unmanaged --json",
    .run = run,
};
