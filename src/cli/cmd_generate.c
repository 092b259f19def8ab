/* terrane generate: Crossplane kinds from a provider's schema. */
#include "base/file.h"
#include "cli/schema_source.h"
#include "crossplane/against.h"
#include "crossplane/config_init.h"
#include "crossplane/docs.h"
#include "crossplane/generate.h"

#include <stdio.h>
#include <unistd.h>

enum { MAX_CONFIG = 16 << 20, MAX_DOCS = 16 << 20, SHOWN_NOTES = 20, PROGRESS_STEP = 64 };

struct generate_request {
    struct schema_request source;
    const char *schema, *config, *docs, *folder, *only, *emit, *compat, *flavour, *against;
    bool init, quiet, data_sources, json;
};

/* registry.terraform.io/hashicorp/aws -> aws */
static struct str type_name(struct str address)
{
    size_t slash = address.n;
    while (slash > 0 && address.p[slash - 1] != '/')
        slash--;
    return str_slice(address, slash, address.n);
}

static bool load_schema(struct app *app, const struct generate_request *r, struct schema_source *ret)
{
    return r->schema ? schema_source_load_file(app, r->schema, r->source.address, ret) : schema_source_load(app, &r->source, ret);
}

static bool parse_compat(struct app *app, const char *text, enum model_mode *ret)
{
    if (text && strcmp(text, "upjet") != 0)
        return diags_fail(&app->diags, "Unknown value", "--compat is \"%s\"; it may be upjet.", text);
    *ret = text ? MODEL_UPJET : MODEL_DEFAULT;
    return true;
}

static bool parse_flavour(struct app *app, const char *text, enum flavour *ret)
{
    static const struct {
        const char *name;
        enum flavour flavour;
    } flavours[] = {{"both", FLAVOUR_BOTH}, {"cluster", FLAVOUR_CLUSTER}, {"namespaced", FLAVOUR_NAMESPACED}};
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++)
        if (strcmp(text ? text : "both", flavours[i].name) == 0) {
            *ret = flavours[i].flavour;
            return true;
        }
    return diags_fail(&app->diags, "Unknown value", "--flavour is \"%s\"; it may be cluster, namespaced or both.", text);
}

static bool parse_emit(struct app *app, const char *text, unsigned *ret)
{
    static const struct {
        const char *name;
        unsigned emit;
    } names[] = {{"crds", EMIT_CRDS},       {"go", EMIT_GO},     {"examples", EMIT_EXAMPLES},
                 {"package", EMIT_PACKAGE}, {"docs", EMIT_DOCS}, {"all", EMIT_ALL}};
    unsigned emit = text ? 0 : EMIT_ALL;
    for (struct str rest = str_of(text); rest.n > 0;) {
        struct str name = str_cut(&rest, ',');
        unsigned found = 0;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            found |= str_eqz(name, names[i].name) ? names[i].emit : 0;
        if (!found)
            return diags_fail(&app->diags, "Unknown value",
                              "--emit has \"" STR_FMT "\"; it may have crds, go, examples, package, docs or "
                              "all.",
                              STR_ARG(name));
        emit |= found;
    }
    *ret = emit;
    return true;
}

static struct config *load_config(struct app *app, const char *path, struct str provider)
{
    struct str text;
    if (!path)
        return config_default(app->arena, arena_str(app->arena, provider));
    if (!file_read(app->arena, path, MAX_CONFIG, &app->diags, &text))
        return NULL;
    struct config *config = config_read(app->arena, text, path, &app->diags);
    if (!config || str_eq(config->provider, provider))
        return config;
    (void)diags_fail(&app->diags, "Wrong provider", "%s is for provider \"" STR_FMT "\", the schema is that of \"" STR_FMT "\".",
                     path, STR_ARG(config->provider), STR_ARG(provider));
    return NULL;
}

static bool load_docs(struct app *app, const char *path, struct config *config)
{
    struct str text;
    if (!path)
        return true;
    if (!file_read(app->arena, path, MAX_DOCS, &app->diags, &text))
        return false;
    config->docs = docs_read(app->arena, text, path, &app->diags);
    return config->docs != NULL;
}

static void show_progress(void *ctx, size_t done, size_t total)
{
    (void)ctx;
    if (done % PROGRESS_STEP == 0 || done == total)
        (void)fprintf(stderr, "\r%zu of %zu resource types%s", done, total, done == total ? "\r\033[K" : "");
}

/* What a run is for: the same again replaces its files, another leaves them. */
static struct str scope_of(struct app *app, const struct generate_request *r, const struct generate_options *options)
{
    return arena_printf(app->arena, STR_FMT " --only '%s' --emit %s --flavour %s%s", STR_ARG(options->address),
                        r->only ? r->only : "", r->emit ? r->emit : "all", r->flavour ? r->flavour : "both",
                        r->data_sources ? " --data-sources" : "");
}

static bool watch_crd(void *ctx, struct str path, struct str content, struct diags *diags)
{
    return !str_starts(path, STR("crds/")) || against_add(ctx, content, diags);
}

static bool print_summary(struct app *app, const struct generate_request *r, const struct output *out,
                          const struct generated *done)
{
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (r->folder)
        buf_printf(&text, "%s: %zu files written, %zu unchanged", r->folder, out->n_written, out->n_unchanged);
    if (r->folder && out->n_removed > 0)
        buf_printf(&text, ", %zu removed", out->n_removed);
    if (r->folder)
        buf_addc(&text, '\n');
    generated_summary(&text, done, SHOWN_NOTES);
    return r->quiet || r->json || app_print(app, buf_str(&text));
}

static bool print_changes(struct app *app, const struct generate_request *r, const struct against_report *report)
{
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (r->json) {
        struct json_writer w = {.out = &text, .indent = 2};
        against_write_json(&w, report);
        (void)json_finish(&w);
        buf_addc(&text, '\n');
    } else {
        against_write(&text, report);
    }
    return app_print(app, buf_str(&text));
}

static int write_all(struct app *app, const struct generate_request *r, const struct generate_options *options)
{
    struct output out;
    struct generated done;
    struct against *against = r->against ? against_open(app->arena, r->against, &app->diags) : NULL;
    if (r->against && !against)
        return EXIT_FAILED;
    output_init(&out, app->arena, r->folder);
    out.scope = scope_of(app, r, options);
    out.cancel = app->cancel;
    out.watch = against ? watch_crd : NULL;
    out.watch_ctx = against;
    if (!generate(app->arena, options, &out, &app->diags, &done) || !output_commit(&out, &app->diags)) {
        output_discard(&out);
        return EXIT_FAILED;
    }
    if (!print_summary(app, r, &out, &done))
        return EXIT_FAILED;
    if (!against)
        return EXIT_OK;
    struct against_report report;
    against_finish(against, options->only.n == 0 && options->flavours == FLAVOUR_BOTH, &report);
    if (!print_changes(app, r, &report))
        return EXIT_FAILED;
    return report.n_breaking > 0 ? EXIT_BREAKING : EXIT_OK;
}

static int run_generate(struct app *app, const struct generate_request *r)
{
    struct schema_source source;
    struct generate_options options = {.only = str_of(r->only), .data_sources = r->data_sources};
    if (!parse_compat(app, r->compat, &options.mode) || !parse_flavour(app, r->flavour, &options.flavours) ||
        !parse_emit(app, r->emit, &options.emit) || !load_schema(app, r, &source))
        return EXIT_FAILED;
    struct config *config = load_config(app, r->config, type_name(source.address));
    if (!config || !load_docs(app, r->docs, config) || !config_link(config, source.schema, &app->diags))
        return EXIT_FAILED;
    if (r->against)
        options.emit = r->folder ? options.emit | EMIT_CRDS : EMIT_CRDS | EMIT_PACKAGE;
    options.config = config;
    options.schema = source.schema;
    options.address = source.address;
    options.version = source.version;
    options.progress = isatty(STDERR_FILENO) && !r->quiet ? show_progress : NULL;
    return write_all(app, r, &options);
}

/* --init: the configuration file to start from. */
static bool run_init(struct app *app, const struct generate_request *r)
{
    struct schema_source source;
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!load_schema(app, r, &source))
        return false;
    config_write_init(&text, type_name(source.address), source.schema);
    if (!r->config)
        return app_print(app, buf_str(&text));
    if (file_exists(r->config))
        return diags_fail(&app->diags, "File exists", "%s is there already and is not overwritten.", r->config);
    return file_write(r->config, buf_str(&text), 0666, &app->diags);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct generate_request r = {0};
    const struct option options[] = {
        {"schema", 0, OPTION_TEXT, &r.schema, "FILE", "schema from a file that `terraform providers schema -json` wrote"},
        {"address", 0, OPTION_TEXT, &r.source.address, "ADDRESS", "which provider of that file, if it has several"},
        {"version", 0, OPTION_TEXT, &r.source.constraint, "CONSTRAINT", "version of the provider, as \"~> 5.0\""},
        {"config", 'c', OPTION_TEXT, &r.config, "FILE", "configuration of the provider (YAML)"},
        {"docs", 0, OPTION_TEXT, &r.docs, "FILE", "descriptions from a provider-metadata.yaml, as Upjet's scraper writes it"},
        {"output", 'o', OPTION_TEXT, &r.folder, "DIR", "folder to write to"},
        {"only", 0, OPTION_TEXT, &r.only, "PATTERN", "only resource types that match, as 'aws_s3_*'"},
        {"data-sources", 0, OPTION_FLAG, &r.data_sources, NULL, "also data sources, as kinds that only observe"},
        {"emit", 0, OPTION_TEXT, &r.emit, "LIST", "what to write: crds, go, examples, package, docs (default: all)"},
        {"flavour", 0, OPTION_TEXT, &r.flavour, "NAME", "cluster, namespaced or both (default)"},
        {"compat", 0, OPTION_TEXT, &r.compat, "NAME", "upjet: keep its known faults too (docs/compatibility.md)"},
        {"against", 0, OPTION_TEXT, &r.against, "DIR",
         "compare with the CRDs of this folder; exit code 3 when a change may break users"},
        {"json", 0, OPTION_FLAG, &r.json, NULL, "with --against: the changes as JSON"},
        {"init", 0, OPTION_FLAG, &r.init, NULL, "write a commented configuration file instead, to --config or stdout"},
        {"quiet", 'q', OPTION_FLAG, &r.quiet, NULL, "no summary, no progress"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n + (r.schema != NULL) != 1 || (!r.init && !r.folder && !r.against)) {
        diags_fail(&app->diags, "Wrong usage",
                   "Give one provider, or --schema FILE, and -o DIR (or --against DIR). `terrane generate --help` has examples.");
        return EXIT_USAGE;
    }
    r.source.provider = r.schema ? NULL : argv[0];
    if (r.init)
        return run_init(app, &r) ? EXIT_OK : EXIT_FAILED;
    return run_generate(app, &r);
}

const struct command command_generate = {
    .name = "generate",
    .usage = "PROVIDER | --schema FILE [--config FILE] -o DIR",
    .summary = "Crossplane kinds from a provider's schema",
    .details = "Turns every resource type into a managed resource: CRDs, cluster-scoped and namespaced, Go types, examples,\n"
               "documentation and the files of a package. Files that did not change are left alone; on any error nothing is\n"
               "written. report.json says what could not be represented. With --against the exit code is 3 when manifests that\n"
               "the old CRDs accept may be refused or mean something else; without -o nothing is written then.",
    .example = "  terrane generate aws -o package/ --only 'aws_s3_*'\n"
               "  terrane generate aws --against package/ --json\n"
               "  terrane generate aws --init --config provider.yaml\n"
               "  terrane generate --schema schema.json --config provider.yaml -o package/",
    .run = run,
};
