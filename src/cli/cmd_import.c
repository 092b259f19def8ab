/* terrane import: objects that exist become configuration, state and import blocks, with an empty plan. */
#include "base/file.h"
#include "cli/import_discover.h"
#include "cli/installer.h"
#include "cli/provider_source.h"
#include "cli/shipped_config.h"
#include "cli/work.h"
#include "crossplane/model.h"
#include "engine/request.h"
#include "import/graph.h"
#include "import/into.h"
#include "import/manifests.h"
#include "import/names.h"
#include "import/pairs.h"
#include "import/prove.h"
#include "import/report.h"
#include "links/pattern.h"
#include "links/rows.h"
#include "value/json_value.h"

#include <stdio.h>
#include <unistd.h>

enum {
    DEFAULT_PARALLEL = 16,
    MOST_PARALLEL = 64,
    MOST_RATE = 100000,
    PROGRESS_STEP = 16,
    LINE_SECONDS = 10,
    BAR_WIDTH = 24,
    SHOWN_OUTPUT = 4096
};

struct import_wish {
    struct work_options work;
    const char *folder, *into, *to, *style, *split, *cli, *region;
    struct option_texts ids, links;
    struct discover_wish find;
    int64_t parallel;
    bool resume, force, no_verify, no_links, list_only;
};

struct import_progress {
    int64_t started, shown;
    size_t total;
};

struct import_run {
    struct app *app;
    struct import_progress progress;
    const struct import_wish *request;
    struct work work;
    struct provider_source source;
    struct worklist list;
    struct import_journal journal;
    struct link_table links;
    struct xp_config *kinds; /* of the provider; NULL: not needed */
    struct map services;     /* type -> struct str * */
    struct into into;
    struct references *references;
    struct import_reading reading;
    struct import_report report;
    struct rows rows;
    struct rates *rates;
    struct discovery discovery;
    unsigned to;
};

static unsigned to_named(const char *names)
{
    static const struct {
        const char *name;
        unsigned to;
    } all[] = {{"hcl", IMPORT_TO_HCL},         {"json", IMPORT_TO_JSON},           {"state", IMPORT_TO_STATE},
               {"imports", IMPORT_TO_IMPORTS}, {"manifests", IMPORT_TO_MANIFESTS}, {"graph", IMPORT_TO_GRAPH}};
    unsigned to = 0;
    for (struct str rest = str_of(names); rest.n > 0;) {
        struct str name = str_cut(&rest, ',');
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            to |= str_eqz(name, all[i].name) ? all[i].to : 0;
    }
    return to;
}

/* --- which objects --- */

/* Is the account to be asked for objects of this type? */
static bool is_listed(void *ctx, struct str type)
{
    const struct import_wish *r = ctx;
    if (!import_wants_type(&r->find, type))
        return false;
    for (size_t i = 0; i < r->find.list.n; i++)
        if (link_pattern_match(str_of(r->find.list.v[i]), type))
            return true;
    return r->find.list.n == 0;
}

/* Asks the account what there is. */
static bool find_objects(struct import_run *run)
{
    struct app *app = run->app;
    struct discovery *d = &run->discovery;
    struct api *api = NULL;
    struct api_options options = {
        .config = run->work.provider_config.json,
        .env = (const char *const *)environ,
        .loop = app_loop(app),
        .log = app->log,
        .cancel = app->cancel,
        .rates = run->rates,
    };
    if (run->request->ids.n > 0 && run->request->find.list.n == 0)
        return true;
    if (run->rows.rows.n > 0 && !api_open(&options, &app->diags, &api))
        return false;
    import_set_rates(run->rates, &run->rows, api, run->request->find.rate);
    *d = (struct discovery){
        .schema = run->work.engine.schema,
        .rows = &run->rows,
        .api = api,
        .include_owned = run->request->find.include_owned,
        .wants = is_listed,
        .ctx = (void *)(uintptr_t)run->request,
    };
    bool ok = discover(d, &run->reading, &run->list, &app->diags);
    api_close(api);
    d->api = NULL;
    if (ok && d->n_types == 0)
        return diags_fail(&app->diags, "Nothing to import",
                          "Provider " STR_FMT " cannot list %s. Name the objects in a file: --ids FILE, with TYPE ID a line.",
                          STR_ARG(run->source.address),
                          run->request->find.list.n + run->request->find.only.n == 0 ? "objects" : "objects of such a type");
    return ok;
}

static bool read_ids(struct import_run *run)
{
    struct app *app = run->app;
    for (size_t i = 0; i < run->request->ids.n; i++) {
        struct str text;
        if (!file_read(app->arena, run->request->ids.v[i], WORKLIST_MAX_FILE, &app->diags, &text) ||
            !worklist_read(&run->list, text, run->request->ids.v[i], &app->diags))
            return false;
    }
    return true;
}

static void leave_out_unwanted(struct import_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->list.items.n; i++)
        if (import_wants_type(&run->request->find, run->list.items.v[i].type) &&
            import_wants_key(&run->request->find, run->list.items.v[i].key))
            run->list.items.v[n++] = run->list.items.v[i];
    run->list.items.n = n;
}

static const char *list_path(const struct import_run *run)
{
    return arena_printf(run->app->arena, "%s/" WORKLIST_FILE, run->request->folder).p;
}

static bool save_list(struct import_run *run)
{
    struct buf text BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE);
    worklist_write(&text, &run->list, run->source.address);
    if (!buf_ok(&text))
        return diags_fail(&run->app->diags, "Work list too large", "%s would be larger than %d MiB.", list_path(run),
                          WORKLIST_MAX_FILE >> 20);
    return file_write(list_path(run), buf_str(&text), 0666, &run->app->diags);
}

/* The list of an earlier run, with what people changed in it, or a new one. */
static bool make_list(struct import_run *run)
{
    struct app *app = run->app;
    const struct import_wish *r = run->request;
    worklist_init(&run->list, app->arena);
    bool there = file_exists(list_path(run));
    if (r->resume) {
        struct str text;
        return file_read(app->arena, list_path(run), WORKLIST_MAX_FILE, &app->diags, &text) &&
               worklist_read(&run->list, text, list_path(run), &app->diags) && worklist_sort(&run->list, &app->diags);
    }
    if (there && !r->force)
        return diags_fail(&app->diags, "Work list in the way",
                          "%s is of an earlier run. Use --resume to go on with it, or --force to start over.", list_path(run));
    if (!read_ids(run) || !find_objects(run))
        return false;
    leave_out_unwanted(run);
    return worklist_sort(&run->list, &app->diags);
}

/* --- links --- */

/* The user's tables, then the one that ships for the provider. */
static bool load_links(struct import_run *run)
{
    struct app *app = run->app;
    links_init(&run->links, app->arena);
    for (size_t i = 0; i < run->request->links.n; i++) {
        const char *path = run->request->links.v[i];
        struct link_rows rows = {.arena = app->arena};
        struct str text;
        if (!file_read(app->arena, path, LINKS_MAX_FILE, &app->diags, &text))
            return false;
        bool ok = link_rows_are(text)
                      ? link_rows_read(&rows, text, path, &app->diags) && link_rows_to_table(&rows, &run->links, &app->diags)
                      : links_read(&run->links, text, path, &app->diags);
        if (!ok)
            return false;
    }
    struct str text;
    const char *shipped = shipped_file(app, "links", provider_type_name(run->source.address), ".links", LINKS_MAX_FILE, &text);
    return !shipped || links_read(&run->links, text, shipped, &app->diags);
}

/* --- the run --- */

/* How far it is, how fast, and how long it will take: a bar on a terminal, a line now and then elsewhere. */
static void show_progress(void *ctx, size_t done, size_t total)
{
    struct import_run *run = ctx;
    struct import_progress *p = &run->progress;
    int64_t now = clock_now(&system_clock);
    if (done == 1 || p->total != total)
        *p = (struct import_progress){.started = now, .shown = now, .total = total};
    double seconds = (double)(now - p->started) / (double)NS_PER_S, rate = seconds > 0 ? (double)done / seconds : 0;
    long left = rate > 0 ? (long)((double)(total - done) / rate) : 0;
    if (!run->app->color_err) {
        if (now - p->shown >= LINE_SECONDS * NS_PER_S) {
            (void)fprintf(stderr, "%zu of %zu, %.0f a second, %ld s left\n", done, total, rate, left);
            p->shown = now;
        }
        return;
    }
    if (done % PROGRESS_STEP != 0 && done != total)
        return;
    char bar[BAR_WIDTH + 1];
    size_t full = done * BAR_WIDTH / total;
    memset(bar, '#', full);
    memset(bar + full, '-', BAR_WIDTH - full);
    bar[BAR_WIDTH] = 0;
    (void)fprintf(stderr, "\r[%s] %zu of %zu, %.0f a second, %ld s left\033[K%s", bar, done, total, rate, left,
                  done == total ? "\r\033[K" : "");
}

/* The provider's configuration with another region. */
static const struct json *in_region(struct arena *a, const struct json *config, const char *region)
{
    size_t n = config && config->kind == JSON_OBJECT ? config->object.n : 0, kept = 0;
    struct json_member *members = arena_make_n(a, struct json_member, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!str_eqz(config->object.members[i].key, "region"))
            members[kept++] = config->object.members[i];
    members[kept++] = (struct json_member){.key = STR("region"), .value = json_make_string(a, str_of(region))};
    return json_make_object(a, members, kept);
}

static bool open_all(struct import_run *run)
{
    struct app *app = run->app;
    const struct import_wish *r = run->request;
    struct str what = str_of(r->work.provider);
    if (!provider_source_find(app, app->arena, what, str_of(r->work.version), &app->diags, &run->source) ||
        !work_provider(&run->work, what, STR_EMPTY) || !load_links(run) ||
        !import_load_rows(app, run->source.address, &r->find, &run->rows))
        return false;
    run->reading.provider = run->work.opened;
    run->reading.rates = run->rates;
    run->reading.rows = &run->rows;
    run->reading.provider_address = run->source.address;
    if (!make_list(run))
        return false;
    if (r->into) {
        if (!into_read(&run->into, app->arena, r->into, &app->diags))
            return false;
        into_leave_managed(&run->into, &run->list);
    }
    if (!file_make_folder(r->folder, 0777, &app->diags) ||
        !import_journal_open(&run->journal, app->arena, r->folder, run->reading.style, !r->resume, &app->diags) ||
        !save_list(run))
        return false;
    run->reading.journal = &run->journal;
    if (r->resume)
        import_journal_load(&run->journal, &run->list, run->work.engine.schema);
    return true;
}

/* By the configuration that ships for the provider, which has the groups of its kinds: ec2 for aws_vpc. */
static struct str service_of(void *ctx, struct str type)
{
    struct import_run *run = ctx;
    struct app *app = run->app;
    struct str *known = map_get(&run->services, type);
    if (known)
        return *known;
    struct xp_resource_config config;
    struct xp_kind kind = {0};
    xp_config_resolve(run->kinds, app->arena, type, FLAVOUR_CLUSTER, &config);
    xp_kind_names(app->arena, &config, &kind);
    known = arena_make(app->arena, struct str);
    *known = import_snake(app->arena, kind.group.n > 0 ? kind.group : type);
    map_put(&run->services, type, known);
    return *known;
}

static bool load_kinds(struct import_run *run)
{
    struct app *app = run->app;
    struct loaded_config loaded;
    map_init(&run->services, app->arena);
    bool service = run->request->split && strcmp(run->request->split, "service") == 0;
    if (!service && !(run->to & IMPORT_TO_MANIFESTS))
        return true;
    if (!load_config(app, run->source.address, NULL, false, &loaded) ||
        !xp_config_link(loaded.config, run->work.engine.schema, &app->diags))
        return false;
    run->kinds = loaded.config;
    return true;
}

static bool make_files(struct import_run *run, struct arena *a, struct import_files *ret)
{
    struct import_writing writing = {
        .arena = a,
        .list = &run->list,
        .references = run->references,
        .schema = run->work.engine.schema,
        .provider_address = run->source.address,
        .provider_version = run->source.version,
        .provider_config = run->work.provider_config.json,
        .json = (run->to & IMPORT_TO_JSON) != 0,
        .imports = (run->to & IMPORT_TO_IMPORTS) != 0,
        .one_file = run->request->split && strcmp(run->request->split, "one") == 0,
        .into = run->request->into != NULL,
        .service = run->request->split && strcmp(run->request->split, "service") == 0 ? service_of : NULL,
        .ctx = run,
    };
    return import_make_files(&writing, &run->app->diags, ret);
}

/* What does not stand the proof is left out, and all is written and proven once more: others may have referred to it. */
static bool make_proven_files(struct import_run *run, struct import_files *ret)
{
    for (struct arena *a = NULL;;) {
        arena_free(a);
        a = arena_new(run->app->arena, 0);
        run->references = run->request->no_links ? NULL : references_find(a, &run->list, &run->links);
        if (!make_files(run, a, ret))
            return false;
        if (run->request->no_verify || import_prove(&run->reading, &run->list, ret) == 0)
            return true;
        if (cancel_fired(run->app->cancel))
            return diags_fail(&run->app->diags, "Interrupted", "Nothing was written. Use --resume to go on.");
        for (size_t i = 0; i < run->list.items.n; i++) {
            struct import_item *item = &run->list.items.v[i];
            if (item->status == IMPORT_FAILED && item->result) {
                arena_free(item->result->arena);
                item->result = NULL;
            }
        }
    }
}

/* What it says of changes; which objects it looked at is known. */
static struct str told(struct arena *a, struct str output)
{
    struct buf text BUF_AUTO = BUF_INIT(SHOWN_OUTPUT);
    while (output.n > 0) {
        struct str line = str_cut(&output, '\n');
        if (!strstr(arena_str(a, line).p, ": Refreshing state..."))
            buf_printf(&text, STR_FMT "\n", STR_ARG(line));
    }
    return str_trim(buf_copy(&text, a));
}

static void prove_by_cli(struct import_run *run, const struct import_files *files)
{
    struct app *app = run->app;
    struct import_cli cli = {
        .loop = app_loop(app),
        .cancel = app->cancel,
        .program = run->request->cli ? run->request->cli
                                     : import_find_program(app->arena, (const char *const[]){"terraform", "tofu", NULL}),
        .provider_path = run->source.path,
        .provider_address = run->source.address,
        .provider_version = run->source.version,
        .json = (run->to & (IMPORT_TO_HCL | IMPORT_TO_JSON)) == IMPORT_TO_JSON,
    };
    struct str output;
    if (run->request->no_verify || run->request->into || !cli.program || run->source.attached)
        return;
    const char *slash = strrchr(cli.program, '/');
    run->report.program = slash ? slash + 1 : cli.program;
    switch (import_prove_by_cli(&cli, app->arena, files, &app->diags, &output)) {
    case IMPORT_CLI_CLEAN:
        run->report.proof = PROOF_CLEAN;
        return;
    case IMPORT_CLI_CHANGES:
        run->report.proof = PROOF_CHANGES;
        diags_warn(&app->diags, "Plan is not empty", "%s plan says:\n\n" STR_FMT, run->report.program,
                   STR_ARG(told(app->arena, output)));
        return;
    case IMPORT_CLI_FAILED:
        run->report.proof = PROOF_FAILED;
    }
}

/* Is this file asked for? */
static bool is_asked_for(const struct import_run *run, const struct import_file *f)
{
    unsigned syntax = run->to & (IMPORT_TO_HCL | IMPORT_TO_JSON);
    if (f->to & IMPORT_TO_IMPORTS)
        return (run->to & IMPORT_TO_IMPORTS) && (f->to & (syntax ? syntax : IMPORT_TO_HCL));
    return f->to == 0 || (f->to & run->to) != 0;
}

/* By the configuration that ships for the provider, as `terrane up` takes it. */
static bool make_manifests(struct import_run *run, struct import_files *files)
{
    struct app *app = run->app;
    if (!(run->to & IMPORT_TO_MANIFESTS))
        return true;
    struct import_manifests in = {
        .arena = app->arena,
        .list = &run->list,
        .schema = run->work.engine.schema,
        .config = run->kinds,
        .provider_name = provider_type_name(run->source.address),
        .provider_config = run->work.provider_config.json,
    };
    return import_make_manifests(&in, files, &app->diags);
}

static bool make_graph(struct import_run *run, struct import_files *files)
{
    struct arena *a = run->app->arena;
    struct buf dot BUF_AUTO = BUF_INIT(APP_MAX_TEXT), page BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!(run->to & IMPORT_TO_GRAPH))
        return true;
    import_write_dot(&dot, a, &run->list, run->references);
    import_write_graph_page(&page, a, &run->list, run->references);
    if (!buf_ok(&dot) || !buf_ok(&page))
        return diags_fail(&run->app->diags, "Graph too large", "A graph would be larger than %d MiB.", APP_MAX_TEXT >> 20);
    *VEC_PUSH(a, &files->files) =
        (struct import_file){.path = STR("graph.dot"), .content = buf_copy(&dot, a), .to = IMPORT_TO_GRAPH};
    *VEC_PUSH(a, &files->files) =
        (struct import_file){.path = STR("graph.html"), .content = buf_copy(&page, a), .to = IMPORT_TO_GRAPH};
    return true;
}

static bool write_files(struct import_run *run, const struct import_files *files)
{
    struct app *app = run->app;
    struct output out;
    output_init(&out, app->arena, run->request->folder);
    out.scope = STR("import");
    out.cancel = app->cancel;
    out.force = run->request->force;
    struct buf report BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE), page BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE);
    import_report_json(&report, app->arena, &run->report);
    import_report_markdown(&page, app->arena, &run->report);
    bool ok = buf_ok(&report) && buf_ok(&page) && output_add(&out, STR(IMPORT_REPORT), buf_str(&report), &app->diags) &&
              output_add(&out, STR(IMPORT_REPORT_PAGE), buf_str(&page), &app->diags);
    for (size_t i = 0; ok && i < files->files.n; i++) {
        const struct import_file *f = &files->files.v[i];
        if (is_asked_for(run, f))
            ok = output_add_careful(&out, f->path, f->content, f->care, &app->diags);
    }
    ok = ok && output_commit(&out, &app->diags);
    output_discard(&out);
    return ok;
}

static bool tell(struct import_run *run)
{
    struct app *app = run->app;
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!run->request->work.json) {
        import_report_text(&text, app->arena, &run->report, run->request->folder);
        return app_print(app, buf_str(&text));
    }
    struct buf report BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE);
    import_report_json(&report, app->arena, &run->report);
    struct json_writer j = work_json(&text);
    json_begin_object(&j);
    json_key(&j, STR("report"));
    const struct json *tree = json_parse(app->arena, buf_copy(&report, app->arena), "report", &app->diags);
    json_write(&j, tree);
    return work_print_json(&run->work, &j);
}

static int exit_code_of(const struct import_run *run)
{
    if (run->report.proof == PROOF_FAILED)
        return EXIT_FAILED;
    bool clean = import_count(&run->list, IMPORT_FAILED) + import_count(&run->list, IMPORT_WAITING) == 0 &&
                 worklist_count_left_out(&run->list, LEFT_FAILED) == 0 && run->report.proof != PROOF_CHANGES;
    return clean ? EXIT_OK : EXIT_CHANGES;
}

/* The list is there; nothing else was asked for. */
static int tell_list(struct import_run *run)
{
    run->report.list = &run->list;
    run->report.provider = run->source.address;
    return tell(run) ? (worklist_count_left_out(&run->list, LEFT_FAILED) > 0 ? EXIT_CHANGES : EXIT_OK) : EXIT_FAILED;
}

static int import_all(struct import_run *run)
{
    struct app *app = run->app;
    struct import_files files;
    if (!open_all(run))
        return EXIT_FAILED;
    if (run->request->list_only)
        return tell_list(run);
    if (!load_kinds(run))
        return EXIT_FAILED;
    if (!import_read_all(&run->reading, &run->list, &app->diags))
        return EXIT_FAILED;
    if (cancel_fired(app->cancel)) {
        (void)diags_fail(&app->diags, "Interrupted", "What was read so far is kept in %s. Use --resume to go on.",
                         run->request->folder);
        return EXIT_FAILED;
    }
    import_drop_untagged(&run->request->find, &run->list);
    import_settle_pairs(&run->reading, &run->rows, &run->list);
    if (run->request->into)
        into_place(&run->into, &run->list, run->work.engine.schema);
    import_choose_names(&run->list);
    if (!make_proven_files(run, &files))
        return EXIT_FAILED;
    run->report.list = &run->list;
    run->report.provider = run->source.address;
    run->report.references = run->references;
    run->report.verified = !run->request->no_verify;
    prove_by_cli(run, &files);
    if (!make_manifests(run, &files) || !make_graph(run, &files) || !write_files(run, &files) || !save_list(run))
        return EXIT_FAILED;
    int code = exit_code_of(run);
    if (import_count(&run->list, IMPORT_FAILED) == 0)
        (void)unlink(run->journal.path);
    return tell(run) ? code : EXIT_FAILED;
}

static int run_import(struct app *app, const struct import_wish *r)
{
    bool lossless = !r->style || strcmp(r->style, "lossless") == 0;
    struct import_run run = {
        .app = app,
        .request = r,
        .journal = {.fd = -1},
        .to = to_named(r->to     ? r->to
                       : r->into ? "hcl,imports"
                                 : "hcl,state"),
        .reading =
            {
                .log = app->log,
                .cancel = app->cancel,
                .timeout_ns = r->work.timeout_ns,
                .parallel = (size_t)(r->parallel > 0 ? r->parallel : DEFAULT_PARALLEL),
                .style = lossless ? CONFIGURE_LOSSLESS : CONFIGURE_MINIMAL,
                .progress = app->color_err || !r->work.json ? show_progress : NULL,
            },
    };
    run.rates = rates_new(NULL);
    run.reading.ctx = &run;
    bool begun = work_begin(&run.work, app, &r->work);
    if (begun && r->region)
        run.work.provider_config.json = in_region(app->arena, run.work.provider_config.json, r->region);
    int code = begun ? import_all(&run) : EXIT_FAILED;
    worklist_free_results(&run.list);
    if (run.journal.fd >= 0)
        import_journal_close(&run.journal);
    rates_free(run.rates);
    work_end(&run.work, code);
    return code;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct import_wish r = {0};
    const struct option options[] = {
        {.name = "output", .letter = 'o', .kind = OPTION_TEXT, .target = &r.folder, .value = "DIR", .help = "where to write"},
        {.name = "into",
         .kind = OPTION_TEXT,
         .target = &r.into,
         .value = "DIR",
         .help = "a folder of .tf files and its state: what is managed is left out, the rest is written beside it"},
        {.name = "ids",
         .kind = OPTION_LIST,
         .target = &r.ids,
         .value = "FILE",
         .help = "objects: TYPE ID [NAME] a line, .csv likewise, import blocks of a .tf file, a .tfstate; may be repeated"},
        {.name = "list",
         .kind = OPTION_LIST,
         .target = &r.find.list,
         .value = "PATTERN",
         .help = "types whose objects are looked for, beside --ids (default without --ids: all); may be repeated"},
        {.name = "only",
         .kind = OPTION_LIST,
         .target = &r.find.only,
         .value = "PATTERN",
         .help = "only these types, as aws_s3_*; may be repeated"},
        {.name = "exclude",
         .kind = OPTION_LIST,
         .target = &r.find.exclude,
         .value = "PATTERN",
         .help = "not these types; may be repeated"},
        {.name = "id",
         .kind = OPTION_LIST,
         .target = &r.find.id,
         .value = "PATTERN",
         .help = "only objects with such an id; may be repeated"},
        {.name = "exclude-id",
         .kind = OPTION_LIST,
         .target = &r.find.exclude_id,
         .value = "PATTERN",
         .help = "no objects with such an id; may be repeated"},
        {.name = "tag",
         .kind = OPTION_LIST,
         .target = &r.find.tags,
         .value = "KEY[=PATTERN]",
         .help = "only objects with this tag; may be repeated: all of them"},
        {.name = "region",
         .kind = OPTION_TEXT,
         .target = &r.region,
         .value = "NAME",
         .help = "in this region, whatever the configuration says"},
        {.name = "include-owned",
         .kind = OPTION_FLAG,
         .target = &r.find.include_owned,
         .help = "also what the cloud itself owns: default VPC, managed policies, service-linked roles and the like"},
        {.name = "rows",
         .kind = OPTION_LIST,
         .target = &r.find.rows,
         .value = "FILE",
         .help = "more rows that say how objects are found; may be repeated"},
        {.name = "rate",
         .kind = OPTION_NUMBER,
         .target = &r.find.rate,
         .value = "N",
         .help = "at most so many calls a second to each service (default: as the rows say)"},
        {.name = "list-only",
         .kind = OPTION_FLAG,
         .target = &r.list_only,
         .help = "write the work list and stop; --resume goes on with it"},
        {.name = "to",
         .kind = OPTION_CHOICES,
         .target = &r.to,
         .value = "hcl|json|state|imports|manifests|graph",
         .help = "what to write, joined by commas (default hcl,state); json: .tf.json; manifests: for terrane up"},
        {.name = "style",
         .kind = OPTION_CHOICE,
         .target = &r.style,
         .value = "lossless|minimal",
         .help = "all that the provider accepts (default), or without what leaves the plan empty when it is left out"},
        {.name = "split",
         .kind = OPTION_CHOICE,
         .target = &r.split,
         .value = "type|service|one",
         .help = "a file for each type, for each service, or one"},
        {.name = "links",
         .kind = OPTION_LIST,
         .target = &r.links,
         .value = "FILE",
         .help = "a link table, for references between objects; may be repeated"},
        {.name = "no-links", .kind = OPTION_FLAG, .target = &r.no_links, .help = "write no references"},
        {.name = "no-verify", .kind = OPTION_FLAG, .target = &r.no_verify, .help = "do not plan what was written"},
        {.name = "cli",
         .kind = OPTION_TEXT,
         .target = &r.cli,
         .value = "PROGRAM",
         .help = "verify with this program too (default: terraform or tofu of the search path)"},
        {.name = "resume", .kind = OPTION_FLAG, .target = &r.resume, .help = "go on with the work list in DIR"},
        {.name = "force", .kind = OPTION_FLAG, .target = &r.force, .help = "replace files in DIR that are not of terrane"},
        {.name = "parallel",
         .kind = OPTION_NUMBER,
         .target = &r.parallel,
         .value = "N",
         .help = "objects at once (default 16, at most 64)"},
        WORK_OPTION_PROVIDER_VERSION(&r.work),
        WORK_OPTION_PROVIDER_CONFIG(&r.work),
        APP_OPTION_INSTALL(app),
        APP_OPTION_TRACE(app),
        WORK_OPTION_TIMEOUT(&r.work, ""),
        {.name = "json", .kind = OPTION_FLAG, .target = &r.work.json, .help = "the report as JSON"},
        {0},
    };
    int n, exit_code;
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    if (n != 1)
        return app_usage(app, self, "Name one provider: terrane import PROVIDER -o DIR.");
    if (r.into && (r.folder || (r.to && (to_named(r.to) & IMPORT_TO_STATE))))
        return app_usage(app, self, "--into DIR writes into DIR, and leaves its state alone: omit -o, and state of --to.");
    r.folder = r.into ? r.into : r.folder;
    if (!r.folder)
        return app_usage(app, self, "Where to write? Name a folder: -o DIR.");
    if (r.parallel > MOST_PARALLEL)
        return app_usage(app, self, "--parallel is at most %d.", MOST_PARALLEL);
    if (r.find.rate > MOST_RATE)
        return app_usage(app, self, "--rate is at most %d.", MOST_RATE);
    if (r.resume && (r.ids.n > 0 || r.find.list.n > 0))
        return app_usage(app, self, "--resume goes on with the list in the folder; omit --ids and --list.");
    r.work.provider = argv[0];
    return run_import(app, &r);
}

const struct command command_import = {
    .name = "import",
    .usage = "PROVIDER -o DIR [--ids FILE] [--list PATTERN]",
    .summary = "write configuration and state for objects that exist, with an empty plan",
    .details =
        "Each object is imported and read through the provider. Its configuration is accepted only if the provider plans no\n"
        "change with it; what differs whatever is written is ignored (ignore_changes), with a comment. Sensitive values become\n"
        "variables, with their values in terraform.tfvars. Afterwards what was written is planned again, by Terrane and, where "
        "it\n"
        "is found, by terraform or tofu.\n\n"
        "The list of objects is kept as DIR/terrane-import.json: names and what to skip may be edited, --resume goes on with "
        "it.\n"
        "Exit code: 0 clean; 2 an object failed or the plan is not empty; 1 failed.",
    .example = "  terrane import aws --provider-config aws.json -o infra --exclude 'aws_iam_*'\n"
               "  terrane import aws --provider-config aws.json --ids ids.txt -o infra --links aws.links\n"
               "  terrane import terrane/modern --list 'modern_*' -o out --to hcl,state,imports",
    .run = run,
};
