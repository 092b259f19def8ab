/* terrane import: turns existing objects into configuration, state and import blocks, with an empty plan. */
#include "cli/import/run.h"
#include "cli/installer.h"
#include "engine/request.h"
#include "import/names.h"
#include "import/pairs.h"

#include <unistd.h>

enum { DEFAULT_PARALLEL = 16, MOST_PARALLEL = 64, MOST_RATE = 100000 };

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

/* Only the list was asked for: prints the result. */
static int tell_list(struct import_run *run)
{
    run->report.list = &run->list;
    run->report.provider = run->source.address;
    return tell(run) ? (worklist_count_left_out(&run->list, LEFT_FAILED) > 0 ? EXIT_CHANGES : EXIT_OK) : EXIT_FAILED;
}

static int import_all(struct import_run *run)
{
    struct app *app = run->app;
    if (!import_open(run))
        return EXIT_FAILED;
    if (run->request->list_only)
        return tell_list(run);
    if (!import_load_kinds(run))
        return EXIT_FAILED;
    bar_start(&run->bar, "Reading objects", BAR_THINGS);
    bool read = import_read_all(&run->reading, &run->list, &app->diags);
    bar_end(&run->bar);
    if (!read)
        return EXIT_FAILED;
    if (cancel_fired(app->cancel)) {
        (void)diags_fail(&app->diags, "Interrupted", "What was read so far is kept in %s. Use --resume to continue.",
                         run->request->folder);
        return EXIT_FAILED;
    }
    import_drop_untagged(&run->request->find, &run->list);
    import_settle_pairs(&run->reading, &run->rows, &run->list);
    if (run->request->into)
        into_place(&run->into, &run->list, run->work.engine.schema);
    import_choose_names(&run->list);
    if (!import_write_proven(run) || !import_save_list(run))
        return EXIT_FAILED;
    int code = exit_code_of(run);
    if (import_count(&run->list, IMPORT_FAILED) == 0)
        (void)unlink(run->journal.path);
    return tell(run) ? code : EXIT_FAILED;
}

static void show_progress(void *ctx, size_t done, size_t total)
{
    struct import_run *run = ctx;
    bar_set(&run->bar, (int64_t)done, (int64_t)total);
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
                .progress = show_progress,
            },
    };
    run.rates = rates_new(NULL);
    run.reading.ctx = &run;
    run.reading.ask = (run.to & IMPORT_TO_STATE) != 0;
    bool begun = work_begin(&run.work, app, &r->work);
    int code = begun ? import_all(&run) : EXIT_FAILED;
    worklist_free_results(&run.list);
    if (run.journal.fd >= 0)
        import_journal_close(&run.journal);
    rates_free(run.rates);
    import_close(&run);
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
         .help = "a folder of .tf files and its state: add what is not managed there yet"},
        {.name = "ids",
         .kind = OPTION_LIST,
         .target = &r.ids,
         .value = "FILE",
         .help = "objects: lines of TYPE ID [NAME], a .csv, a .tf with import blocks, or a .tfstate; may be repeated"},
        {.name = "list",
         .kind = OPTION_LIST,
         .target = &r.find.list,
         .value = "PATTERN",
         .help = "types to discover, in addition to --ids (default without --ids: all); may be repeated"},
        {.name = "only",
         .kind = OPTION_LIST,
         .target = &r.find.only,
         .value = "PATTERN",
         .help = "only these types, such as aws_s3_*; may be repeated"},
        {.name = "exclude",
         .kind = OPTION_LIST,
         .target = &r.find.exclude,
         .value = "PATTERN",
         .help = "not these types; may be repeated"},
        {.name = "id",
         .kind = OPTION_LIST,
         .target = &r.find.id,
         .value = "PATTERN",
         .help = "only objects whose id matches; may be repeated"},
        {.name = "exclude-id",
         .kind = OPTION_LIST,
         .target = &r.find.exclude_id,
         .value = "PATTERN",
         .help = "no objects whose id matches; may be repeated"},
        {.name = "tag",
         .kind = OPTION_LIST,
         .target = &r.find.tags,
         .value = "KEY[=PATTERN]",
         .help = "only objects with this tag; may be repeated: all of them"},
        {.name = "region",
         .kind = OPTION_LIST,
         .target = &r.regions,
         .value = "NAME,...",
         .help = "regions to import from, instead of the configuration's; the second and later ones get an alias"},
        {.name = "include-owned",
         .kind = OPTION_FLAG,
         .target = &r.find.include_owned,
         .help = "include what the cloud itself owns: default VPC, managed policies, service-linked roles and so on"},
        {.name = "rows",
         .kind = OPTION_LIST,
         .target = &r.find.rows,
         .value = "FILE",
         .help = "a file with more discovery rows; may be repeated"},
        {.name = "rate",
         .kind = OPTION_NUMBER,
         .target = &r.find.rate,
         .value = "N",
         .help = "maximum number of calls a second to each service (default: from the discovery rows)"},
        {.name = "list-only",
         .kind = OPTION_FLAG,
         .target = &r.list_only,
         .help = "write the work list and stop; continue with --resume"},
        {.name = "to",
         .kind = OPTION_CHOICES,
         .target = &r.to,
         .value = "hcl|json|state|imports|manifests|graph",
         .help = "what to write, joined by commas (default hcl,state); json: .tf.json; manifests: for terrane up"},
        {.name = "style",
         .kind = OPTION_CHOICE,
         .target = &r.style,
         .value = "lossless|minimal",
         .help = "write all arguments that the provider accepts (default), or only those that the plan needs"},
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
         .help = "also verify with this program (default: terraform or tofu in PATH)"},
        {.name = "resume", .kind = OPTION_FLAG, .target = &r.resume, .help = "continue with the work list in DIR"},
        {.name = "force", .kind = OPTION_FLAG, .target = &r.force, .help = "replace files in DIR that terrane did not write"},
        {.name = "parallel",
         .kind = OPTION_NUMBER,
         .target = &r.parallel,
         .value = "N",
         .help = "number of objects at the same time (default 16, at most 64)"},
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
        return app_usage(app, self, "--resume continues with the list in the folder; omit --ids and --list.");
    r.work.provider = argv[0];
    return run_import(app, &r);
}

const struct command command_import = {
    .name = "import",
    .usage = "PROVIDER -o DIR [--ids FILE] [--list PATTERN]",
    .summary = "write configuration and state for objects that exist, with an empty plan",
    .details =
        "Each object is imported and read through the provider. Its configuration is accepted only if the provider plans no "
        "change\n"
        "for it; differences that no configuration removes are listed in ignore_changes, with a comment. Sensitive values "
        "become\n"
        "variables, with their values in terraform.tfvars. Then everything that was written is planned again, by Terrane and, "
        "if\n"
        "installed, by terraform or tofu.\n"
        "\n"
        "The list of objects is kept in DIR/terrane-import.json. You may edit names and what to skip in it, and continue with\n"
        "--resume. Exit codes: 0 clean; 2 an object failed or the plan is not empty; 1 failed.",
    .example = "  terrane import aws --provider-config aws.json -o infra --exclude 'aws_iam_*'\n"
               "  terrane import aws --provider-config aws.json --ids ids.txt -o infra --links aws.links\n"
               "  terrane import hashicorp/awscc --list 'awscc_{s3,logs}_*' -o infra --to hcl,state,imports",
    .run = run,
};
