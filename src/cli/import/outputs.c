/* Writes the outputs of a run, and verifies them. */
#include "cli/import/run.h"
#include "cli/shipped_config.h"
#include "crossplane/model.h"
#include "import/graph.h"
#include "import/manifests.h"
#include "import/names.h"
#include "import/prove.h"

enum { SHOWN_OUTPUT = 4096 };

/* From the shipped configuration of the provider, which has the API groups of its kinds: ec2 for aws_vpc. */
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

bool import_load_kinds(struct import_run *run)
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
        .regions = run->reading.regions,
        .json = (run->to & IMPORT_TO_JSON) != 0,
        .imports = (run->to & IMPORT_TO_IMPORTS) != 0,
        .one_file = run->request->split && strcmp(run->request->split, "one") == 0,
        .into = run->request->into != NULL,
        .service = run->request->split && strcmp(run->request->split, "service") == 0 ? service_of : NULL,
        .ctx = run,
    };
    return import_make_files(&writing, &run->app->diags, ret);
}

/*
 * Objects that fail the verification are left out, and everything is generated and verified again, because others may have
 * referred to them.
 */
static bool make_proven_files(struct import_run *run, bool fresh, struct import_files *ret)
{
    for (struct arena *a = NULL;;) {
        arena_free(a);
        a = arena_new(run->app->arena, 0);
        run->references = run->request->no_links ? NULL : references_find(a, &run->list, &run->links, &run->rows);
        if (!make_files(run, a, ret))
            return false;
        if (run->request->no_verify || import_prove(&run->reading, &run->list, ret, fresh) == 0)
            return true;
        if (cancel_fired(run->app->cancel))
            return diags_fail(&run->app->diags, "Interrupted", "Nothing was written. Use --resume to continue.");
        for (size_t i = 0; i < run->list.items.n; i++) {
            struct import_item *item = &run->list.items.v[i];
            if (item->status == IMPORT_FAILED && item->result) {
                arena_free(item->result->arena);
                item->result = NULL;
            }
        }
    }
}

/* The part of the program's output that is about changes; the list of objects is known. */
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

/* The program for a second verification; NULL: none. */
static const char *program_of(const struct import_run *run)
{
    const struct import_wish *r = run->request;
    if (r->no_verify || r->into || run->source.attached)
        return NULL;
    return r->cli ? r->cli : import_find_program(run->app->arena, (const char *const[]){"terraform", "tofu", NULL});
}

static enum import_cli_end prove_by_cli(struct import_run *run, const char *program, const struct import_files *files,
                                        struct str *ret_output)
{
    struct import_cli cli = {
        .loop = app_loop(run->app),
        .cancel = run->app->cancel,
        .program = program,
        .provider_path = run->source.path,
        .provider_address = run->source.address,
        .provider_version = run->source.version,
        .json = (run->to & (IMPORT_TO_HCL | IMPORT_TO_JSON)) == IMPORT_TO_JSON,
    };
    bar_start(&run->bar, arena_printf(run->app->arena, "Planning with %s", run->report.program).p, BAR_SECONDS);
    enum import_cli_end end = import_prove_by_cli(&cli, run->app->arena, files, &run->app->diags, ret_output);
    bar_end(&run->bar);
    return end;
}

static bool prove(struct import_run *run, struct import_files *ret)
{
    struct app *app = run->app;
    const char *program = program_of(run), *slash = program ? strrchr(program, '/') : NULL;
    struct str output;
    if (!make_proven_files(run, !program, ret))
        return false;
    if (!program)
        return true;
    run->report.program = slash ? slash + 1 : program;
    enum import_cli_end end = prove_by_cli(run, program, ret, &output);
    if (end == IMPORT_CLI_CHANGES) {
        size_t failed = import_count(&run->list, IMPORT_FAILED);
        if (!make_proven_files(run, true, ret))
            return false;
        if (import_count(&run->list, IMPORT_FAILED) > failed)
            end = prove_by_cli(run, program, ret, &output);
    }
    run->report.proof = end == IMPORT_CLI_CLEAN ? PROOF_CLEAN : end == IMPORT_CLI_CHANGES ? PROOF_CHANGES : PROOF_FAILED;
    if (end == IMPORT_CLI_CHANGES)
        diags_warn(&app->diags, "Plan is not empty", "%s plan says:\n\n" STR_FMT, run->report.program,
                   STR_ARG(told(app->arena, output)));
    return true;
}

/* Is this file wanted? */
static bool is_asked_for(const struct import_run *run, const struct import_file *f)
{
    unsigned syntax = run->to & (IMPORT_TO_HCL | IMPORT_TO_JSON);
    if (f->to & IMPORT_TO_IMPORTS)
        return (run->to & IMPORT_TO_IMPORTS) && (f->to & (syntax ? syntax : IMPORT_TO_HCL));
    return f->to == 0 || (f->to & run->to) != 0;
}

/* With the shipped configuration of the provider, as `terrane up` uses it. */
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
        .regions = run->reading.regions,
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

bool import_write_proven(struct import_run *run)
{
    struct import_files files;
    if (!prove(run, &files))
        return false;
    run->report.list = &run->list;
    run->report.provider = run->source.address;
    run->report.references = run->references;
    run->report.verified = !run->request->no_verify;
    return make_manifests(run, &files) && make_graph(run, &files) && write_files(run, &files);
}
