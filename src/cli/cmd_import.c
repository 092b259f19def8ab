/* terrane import: objects that exist become configuration, state and import blocks, with an empty plan. */
#include "base/file.h"
#include "cli/provider_source.h"
#include "cli/work.h"
#include "engine/request.h"
#include "import/names.h"
#include "import/prove.h"
#include "import/report.h"
#include "links/pattern.h"
#include "links/rows.h"
#include "value/json_value.h"

#include <stdio.h>
#include <unistd.h>

enum { DEFAULT_PARALLEL = 16, MOST_PARALLEL = 64, LIST_LIMIT = 1 << 20, PROGRESS_STEP = 16, SHOWN_OUTPUT = 4096 };

struct import_wish {
    struct work_options work;
    const char *folder, *to, *style, *split, *only, *exclude, *cli;
    struct option_texts ids, list, links;
    int64_t parallel;
    bool resume, force, no_verify, no_links;
};

struct import_run {
    struct app *app;
    const struct import_wish *request;
    struct work work;
    struct provider_source source;
    struct worklist list;
    struct journal journal;
    struct link_table links;
    struct references *references;
    struct import_reading reading;
    struct import_report report;
    unsigned to;
};

static unsigned to_named(const char *names)
{
    static const struct {
        const char *name;
        unsigned to;
    } all[] = {{"hcl", IMPORT_TO_HCL}, {"json", IMPORT_TO_JSON}, {"state", IMPORT_TO_STATE}, {"imports", IMPORT_TO_IMPORTS}};
    unsigned to = 0;
    for (struct str rest = str_of(names); rest.n > 0;) {
        struct str name = str_cut(&rest, ',');
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            to |= str_eqz(name, all[i].name) ? all[i].to : 0;
    }
    return to;
}

/* --- which objects --- */

static bool is_wanted(const struct import_wish *r, struct str type)
{
    return (!r->only || link_pattern_match(str_of(r->only), type)) &&
           !(r->exclude && link_pattern_match(str_of(r->exclude), type));
}

struct listing {
    struct import_run *run;
    bool failed;
};

static bool on_found(void *ctx, const struct found *found)
{
    struct listing *l = ctx;
    struct app *app = l->run->app;
    struct buf text BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&text);
    const struct value *identity = found->identity;
    bool ok = value_write_json(&j, identity, identity->type, &app->diags) && json_finish(&j);
    const struct json *json = ok ? json_parse(app->arena, buf_copy(&text, app->arena), "identity", &app->diags) : NULL;
    struct import_item item = {.type = arena_str(app->arena, found->resource->type), .identity = json};
    l->failed = !json || !worklist_add(&l->run->list, &item, "list", &app->diags);
    return !l->failed;
}

static bool list_type(struct import_run *run, struct str type)
{
    struct listing l = {.run = run};
    struct list_options options = {.limit = LIST_LIMIT};
    struct request q = {.engine = &run->work.engine, .type = type, .name = STR("this")};
    size_t n = 0;
    const struct json *everything = json_make_object(run->app->arena, NULL, 0);
    return work_judge(&run->work, request_list(&q, everything, &options, on_found, &l, &n)) && !l.failed;
}

static bool is_listed(const struct import_wish *r, struct str type)
{
    if (r->list.n == 0)
        return r->ids.n == 0 && is_wanted(r, type);
    for (size_t i = 0; i < r->list.n; i++)
        if (link_pattern_match(str_of(r->list.v[i]), type))
            return is_wanted(r, type);
    return false;
}

static bool list_all(struct import_run *run)
{
    const struct map *lists = &run->work.engine.schema->lists;
    size_t n = 0;
    for (size_t i = 0; i < lists->n; i++) {
        if (!is_listed(run->request, lists->entries[i].key))
            continue;
        n++;
        if (!list_type(run, lists->entries[i].key))
            return false;
    }
    if (n > 0 || (run->request->ids.n > 0 && run->request->list.n == 0))
        return true;
    return diags_fail(&run->app->diags, "Nothing to import",
                      "Provider " STR_FMT " cannot list %s. Name the objects in a file: --ids FILE, with TYPE ID a line.",
                      STR_ARG(run->source.address), lists->n == 0 ? "objects" : "objects of such a type");
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
        if (is_wanted(run->request, run->list.items.v[i].type))
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
                          "%s is of an earlier run. Use --resume to go on with it, or --force to begin anew.", list_path(run));
    if (!read_ids(run) || !list_all(run))
        return false;
    leave_out_unwanted(run);
    return worklist_sort(&run->list, &app->diags);
}

/* --- links --- */

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
    return true;
}

/* --- the run --- */

static void show_progress(void *ctx, size_t done, size_t total)
{
    (void)ctx;
    if (done % PROGRESS_STEP == 0 || done == total)
        (void)fprintf(stderr, "\r%zu of %zu objects%s", done, total, done == total ? "\r\033[K" : "");
}

static bool open_all(struct import_run *run)
{
    struct app *app = run->app;
    const struct import_wish *r = run->request;
    struct str what = str_of(r->work.provider);
    if (!provider_source_find(app, app->arena, what, str_of(r->work.version), &app->diags, &run->source) ||
        !work_provider(&run->work, what, STR_EMPTY) || !load_links(run) || !make_list(run))
        return false;
    if (!file_make_folder(r->folder, 0777, &app->diags) ||
        !journal_open(&run->journal, app->arena, r->folder, run->reading.style, !r->resume, &app->diags) || !save_list(run))
        return false;
    run->reading.provider = run->work.opened;
    run->reading.provider_address = run->source.address;
    run->reading.journal = &run->journal;
    if (r->resume)
        journal_load(&run->journal, &run->list, run->work.engine.schema);
    return true;
}

static bool make_files(struct import_run *run, struct import_files *ret)
{
    struct import_writing writing = {
        .arena = run->app->arena,
        .list = &run->list,
        .references = run->references,
        .schema = run->work.engine.schema,
        .provider_address = run->source.address,
        .provider_version = run->source.version,
        .provider_config = run->work.provider_config.json,
        .one_file = run->request->split && strcmp(run->request->split, "one") == 0,
    };
    return import_make_files(&writing, &run->app->diags, ret);
}

/* What does not stand the proof is left out, and all is written and proven once more: others may have referred to it. */
static bool make_proven_files(struct import_run *run, struct import_files *ret)
{
    for (;;) {
        run->references = run->request->no_links ? NULL : references_find(run->app->arena, &run->list, &run->links);
        if (!make_files(run, ret))
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
        .json = !(run->to & IMPORT_TO_HCL),
    };
    struct str output;
    if (run->request->no_verify || !cli.program || run->source.attached)
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

static bool write_files(struct import_run *run, const struct import_files *files)
{
    struct app *app = run->app;
    struct output out;
    output_init(&out, app->arena, run->request->folder);
    out.scope = STR("import");
    out.cancel = app->cancel;
    out.force = run->request->force;
    struct buf report BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE);
    import_report_json(&report, app->arena, &run->report);
    bool ok = buf_ok(&report) && output_add(&out, STR(IMPORT_REPORT), buf_str(&report), &app->diags);
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
                 run->report.proof != PROOF_CHANGES;
    return clean ? EXIT_OK : EXIT_CHANGES;
}

static int import_all(struct import_run *run)
{
    struct app *app = run->app;
    struct import_files files;
    if (!open_all(run) || !import_read_all(&run->reading, &run->list, &app->diags))
        return EXIT_FAILED;
    if (cancel_fired(app->cancel)) {
        (void)diags_fail(&app->diags, "Interrupted", "What was read so far is kept in %s. Use --resume to go on.",
                         run->request->folder);
        return EXIT_FAILED;
    }
    import_choose_names(&run->list);
    if (!make_proven_files(run, &files))
        return EXIT_FAILED;
    run->report.list = &run->list;
    run->report.provider = run->source.address;
    run->report.references = run->references;
    run->report.verified = !run->request->no_verify;
    prove_by_cli(run, &files);
    if (!write_files(run, &files) || !save_list(run))
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
        .to = to_named(r->to ? r->to : "hcl,state"),
        .reading =
            {
                .log = app->log,
                .cancel = app->cancel,
                .timeout_ns = r->work.timeout_ns,
                .parallel = (size_t)(r->parallel > 0 ? r->parallel : DEFAULT_PARALLEL),
                .style = lossless ? CONFIGURE_LOSSLESS : CONFIGURE_MINIMAL,
                .progress = app->color_err ? show_progress : NULL,
            },
    };
    int code = work_begin(&run.work, app, &r->work) ? import_all(&run) : EXIT_FAILED;
    worklist_free_results(&run.list);
    if (run.journal.fd >= 0)
        journal_close(&run.journal);
    work_end(&run.work, code);
    return code;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct import_wish r = {0};
    const struct option options[] = {
        {.name = "output", .letter = 'o', .kind = OPTION_TEXT, .target = &r.folder, .value = "DIR", .help = "where to write"},
        {.name = "ids",
         .kind = OPTION_LIST,
         .target = &r.ids,
         .value = "FILE",
         .help = "objects: TYPE ID [NAME] a line, .csv likewise, import blocks of a .tf file; may be repeated"},
        {.name = "list",
         .kind = OPTION_LIST,
         .target = &r.list,
         .value = "PATTERN",
         .help = "types whose objects the provider lists (default without --ids: all that it can list); may be repeated"},
        {.name = "only", .kind = OPTION_TEXT, .target = &r.only, .value = "PATTERN", .help = "only these types, as aws_s3_*"},
        {.name = "exclude", .kind = OPTION_TEXT, .target = &r.exclude, .value = "PATTERN", .help = "not these types"},
        {.name = "to",
         .kind = OPTION_CHOICES,
         .target = &r.to,
         .value = "hcl|json|state|imports",
         .help = "what to write, joined by commas (default hcl,state); json: the configuration as .tf.json"},
        {.name = "style",
         .kind = OPTION_CHOICE,
         .target = &r.style,
         .value = "lossless|minimal",
         .help = "all that the provider accepts (default), or without what leaves the plan empty when it is left out"},
        {.name = "split", .kind = OPTION_CHOICE, .target = &r.split, .value = "type|one", .help = "a file for each type, or one"},
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
        WORK_OPTION_TIMEOUT(&r.work, ""),
        {.name = "json", .kind = OPTION_FLAG, .target = &r.work.json, .help = "the report as JSON"},
        {0},
    };
    int n, exit_code;
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    if (n != 1)
        return app_usage(app, self, "Name one provider: terrane import PROVIDER -o DIR --ids FILE.");
    if (!r.folder)
        return app_usage(app, self, "Where to write? Name a folder: -o DIR.");
    if (r.parallel > MOST_PARALLEL)
        return app_usage(app, self, "--parallel is at most %d.", MOST_PARALLEL);
    if (r.resume && (r.ids.n > 0 || r.list.n > 0))
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
    .example = "  terrane import aws --provider-config aws.json --ids ids.txt -o infra --links aws.links\n"
               "  terrane import terrane/modern --list 'modern_*' -o out --to hcl,state,imports",
    .run = run,
};
