/* terrane generate: Crossplane kinds from a provider's schema. */
#include "base/file.h"
#include "cli/installer.h"
#include "cli/progress.h"
#include "cli/schema_source.h"
#include "cli/shipped_config.h"
#include "crossplane/config_init.h"
#include "crossplane/docs.h"
#include "generate/against.h"
#include "generate/generate.h"

#include <stdio.h>
#include <unistd.h>

enum { MAX_DOCS = 16 << 20, SHOWN_NOTES = 20 };

struct generate_request {
    struct schema_request source;
    const char *schema, *config, *docs, *folder, *only, *emit, *compat, *flavour, *against, *webhook;
    bool init, quiet, data_sources, json, force, no_shipped;
};

static bool load_schema(struct app *app, const struct generate_request *r, struct schema_source *ret)
{
    return r->schema ? schema_source_load_file(app, r->schema, r->source.address, ret) : schema_source_load(app, &r->source, ret);
}

static enum xp_flavour flavour_named(const char *name)
{
    return !name || strcmp(name, "both") == 0 ? FLAVOUR_BOTH
           : strcmp(name, "cluster") == 0     ? FLAVOUR_CLUSTER
                                              : FLAVOUR_NAMESPACED;
}

static unsigned emit_named(const char *names)
{
    static const struct {
        const char *name;
        unsigned emit;
    } all[] = {{"crds", EMIT_CRDS},       {"go", EMIT_GO},     {"examples", EMIT_EXAMPLES},
               {"package", EMIT_PACKAGE}, {"docs", EMIT_DOCS}, {"all", EMIT_ALL}};
    unsigned emit = names ? 0 : EMIT_ALL;
    for (struct str rest = str_of(names); rest.n > 0;) {
        struct str name = str_cut(&rest, ',');
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            emit |= str_eqz(name, all[i].name) ? all[i].emit : 0;
    }
    return emit;
}

static bool load_docs(struct app *app, const char *path, struct xp_config *config)
{
    struct str text;
    if (!path)
        return true;
    if (!file_read(app->arena, path, MAX_DOCS, &app->diags, &text))
        return false;
    config->docs = xp_docs_read(app->arena, text, path, &app->diags);
    return config->docs != NULL;
}

static void show_progress(void *ctx, size_t done, size_t total)
{
    bar_set(ctx, (int64_t)done, (int64_t)total);
}

/* Identifies the options of a run: another run with the same options replaces its files, a run with others keeps them. */
static struct str scope_of(struct app *app, const struct generate_request *r, const struct generate_options *options)
{
    return arena_printf(app->arena, STR_FMT " --only '%s' --emit %s --flavour %s%s%s%s", STR_ARG(options->address),
                        r->only ? r->only : "", r->emit ? r->emit : "all", r->flavour ? r->flavour : "both",
                        r->data_sources ? " --data-sources" : "", r->webhook ? " --webhook " : "", r->webhook ? r->webhook : "");
}

static bool watch_crd(void *ctx, struct str path, struct str content, struct diags *diags)
{
    return !str_starts(path, STR("crds/")) || against_add(ctx, content, diags);
}

/* The result of a run, for the user. */
struct generate_result {
    const struct output *out;
    const struct generated *done;
    const struct against_report *changes; /* NULL: not compared */
    const struct loaded_config *config;
};

static void write_output_json(struct json_writer *w, const char *folder, const struct output *out)
{
    json_key(w, STR("output"));
    json_begin_object(w);
    json_key(w, STR("folder"));
    json_write_string(w, str_of(folder));
    json_put_count(w, "written", out->n_written);
    json_put_count(w, "unchanged", out->n_unchanged);
    json_put_count(w, "removed", out->n_removed);
    json_end_object(w);
}

static bool print_json(struct app *app, const struct generate_request *r, const struct generate_result *result)
{
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &text, .indent = 2};
    json_begin_object(&w);
    if (r->folder)
        write_output_json(&w, r->folder, result->out);
    generated_write_json(&w, result->done);
    if (result->changes)
        against_write_json(&w, result->changes);
    json_end_object(&w);
    (void)json_finish(&w);
    buf_addc(&text, '\n');
    return app_print(app, buf_str(&text));
}

/* Writes where names and rules come from, so that no group is a surprise. */
static void write_origin(struct buf *text, const struct loaded_config *loaded)
{
    const struct xp_config *c = loaded->config;
    buf_printf(text, "API groups end in " STR_FMT " and " STR_FMT, STR_ARG(c->root_cluster), STR_ARG(c->root_namespaced));
    for (size_t i = 0; i < loaded->n_layers; i++)
        buf_printf(text, "%s%s", i > 0 ? " and " : "; configuration: ", loaded->layers[i].source.name);
    buf_addz(text, loaded->n_layers > 0 ? "\n" : "; no configuration\n");
}

static void write_summary(struct buf *text, const struct generate_request *r, const struct generate_result *result)
{
    const struct output *out = result->out;
    if (r->folder)
        buf_printf(text, "%s: %zu files written, %zu unchanged", r->folder, out->n_written, out->n_unchanged);
    if (r->folder && out->n_removed > 0)
        buf_printf(text, ", %zu removed", out->n_removed);
    if (r->folder)
        buf_addc(text, '\n');
    write_origin(text, result->config);
    generated_summary(text, result->done, SHOWN_NOTES);
}

static bool print_text(struct app *app, const struct generate_request *r, const struct generate_result *result)
{
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!r->quiet)
        write_summary(&text, r, result);
    if (result->changes)
        against_write(&text, result->changes);
    return app_print(app, buf_str(&text));
}

static bool make_files(struct app *app, const struct generate_request *r, struct generate_options options, struct output *out,
                       struct generated *ret)
{
    struct bar bar = {0};
    if (!r->quiet)
        bar_start(&bar, "Generating resource types", BAR_THINGS);
    options.progress = show_progress;
    options.progress_ctx = &bar;
    bool ok = generate(app->arena, &options, out, &app->diags, ret) && output_commit(out, &app->diags);
    bar_end(&bar);
    return ok;
}

static int write_all(struct app *app, const struct generate_request *r, const struct generate_options *options,
                     const struct loaded_config *loaded)
{
    struct output out;
    struct generated done;
    struct against *against = r->against ? against_open(app->arena, r->against, &app->diags) : NULL;
    if (r->against && !against)
        return EXIT_FAILED;
    output_init(&out, app->arena, r->folder);
    out.scope = scope_of(app, r, options);
    out.cancel = app->cancel;
    out.force = r->force;
    out.watch = against ? watch_crd : NULL;
    out.watch_ctx = against;
    if (!make_files(app, r, *options, &out, &done)) {
        output_discard(&out);
        return EXIT_FAILED;
    }
    struct against_report report = {0};
    if (against)
        against_finish(against, options->only.n == 0 && options->flavours == FLAVOUR_BOTH, &report);
    struct generate_result result = {&out, &done, against ? &report : NULL, loaded};
    if (r->json ? !print_json(app, r, &result) : !print_text(app, r, &result))
        return EXIT_FAILED;
    return report.n_breaking > 0 ? EXIT_BREAKING : EXIT_OK;
}

static int run_generate(struct app *app, const struct generate_request *r)
{
    struct schema_source source;
    struct generate_options options = {
        .only = str_of(r->only),
        .data_sources = r->data_sources,
        .flavours = flavour_named(r->flavour),
        .emit = emit_named(r->emit),
    };
    struct crd_webhook webhook;
    if (r->webhook && !crd_webhook_read(str_of(r->webhook), &app->diags, &webhook))
        return EXIT_FAILED;
    options.webhook = r->webhook ? &webhook : NULL;
    if (!load_schema(app, r, &source))
        return EXIT_FAILED;
    struct loaded_config loaded;
    if (!load_config(app, source.address, r->config, r->no_shipped, &loaded) || !load_docs(app, r->docs, loaded.config) ||
        !xp_config_link(loaded.config, source.schema, &app->diags))
        return EXIT_FAILED;
    if (r->against)
        options.emit = r->folder ? options.emit | EMIT_CRDS : EMIT_CRDS | EMIT_PACKAGE;
    if (r->compat)
        (void)xp_compat_named(str_of(r->compat), &loaded.config->compat);
    options.config = loaded.config;
    options.schema = source.schema;
    options.address = source.address;
    options.version = source.version;
    return write_all(app, r, &options, &loaded);
}

/* --init: writes an initial configuration file. */
static bool run_init(struct app *app, const struct generate_request *r)
{
    struct schema_source source;
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!load_schema(app, r, &source))
        return false;
    if (!xp_config_check_provider(provider_type_name(source.address), &app->diags))
        return false;
    struct loaded_config base;
    if (!load_config(app, source.address, NULL, r->no_shipped, &base))
        return false;
    xp_config_write_init(&text, base.config, base.n_layers > 0 ? base.layers[0].source.name : NULL, source.schema);
    if (!r->config)
        return app_print(app, buf_str(&text));
    if (file_exists(r->config))
        return diags_fail(&app->diags, "File exists", "%s already exists and was not overwritten.", r->config);
    return file_write(r->config, buf_str(&text), 0666, &app->diags);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct generate_request r = {0};
    const struct option options[] = {
        {"schema", 0, OPTION_TEXT, &r.schema, "FILE", "schema from a file that `terraform providers schema -json` wrote"},
        {"address", 0, OPTION_TEXT, &r.source.address, "ADDRESS", "which provider of that file, if it has several"},
        {"version", 0, OPTION_TEXT, &r.source.constraint, "CONSTRAINT", "version of the provider, for example \"~> 5.1\""},
        {"config", 'c', OPTION_TEXT, &r.config, "FILE",
         "your own configuration file (YAML), merged over the one that Terrane ships"},
        {"no-shipped", 0, OPTION_FLAG, &r.no_shipped, NULL, "do not use the configuration that Terrane ships for the provider"},
        {"docs", 0, OPTION_TEXT, &r.docs, "FILE",
         "take descriptions from a provider-metadata.yaml, as Upjet's scraper writes it"},
        {"output", 'o', OPTION_TEXT, &r.folder, "DIR", "folder to write to"},
        {"only", 0, OPTION_TEXT, &r.only, "PATTERN", "only resource types that match, for example 'aws_s3_*'"},
        {"data-sources", 0, OPTION_FLAG, &r.data_sources, NULL, "also generate data sources, as kinds that only observe"},
        {"emit", 0, OPTION_CHOICES, &r.emit, "crds|go|examples|package|docs|all",
         "what to write, joined by commas (default all)"},
        {"flavour", 0, OPTION_CHOICE, &r.flavour, "cluster|namespaced|both", "scope of the kinds (default both)"},
        {"compat", 0, OPTION_CHOICE, &r.compat, "own|upjet|upjet-exact",
         "how closely kinds follow Upjet (docs/compatibility.md); default: the configuration's, else own"},
        {"against", 0, OPTION_TEXT, &r.against, "DIR",
         "compare with the CRDs in this folder; exit code 3 if a change may break users"},
        {"webhook", 0, OPTION_TEXT, &r.webhook, "URL|NAMESPACE/SERVICE",
         "serve the older versions of kinds too, converted by `terrane controller` at this address"},
        {"json", 0, OPTION_FLAG, &r.json, NULL, "print the result as JSON: files, kinds, notes; changes with --against"},
        {"force", 0, OPTION_FLAG, &r.force, NULL, "replace files in DIR that terrane generate did not write"},
        {"init", 0, OPTION_FLAG, &r.init, NULL, "write a commented configuration file instead, to --config or stdout"},
        {"quiet", 'q', OPTION_FLAG, &r.quiet, NULL, "print no summary and no progress"},
        APP_OPTION_INSTALL(app),
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n + (r.schema != NULL) != 1 || (!r.init && !r.folder && !r.against))
        return app_usage(app, self, "Give one provider, or --schema FILE, and -o DIR (or --against DIR).");
    r.source.provider = r.schema ? NULL : argv[0];
    if (r.init)
        return run_init(app, &r) ? EXIT_OK : EXIT_FAILED;
    return run_generate(app, &r);
}

const struct command command_generate = {
    .name = "generate",
    .usage = "PROVIDER | --schema FILE [--config FILE] -o DIR",
    .summary = "generate Crossplane kinds from a provider's schema",
    .details = "Turns every resource type into a managed resource: CRDs, cluster-scoped and namespaced, Go types,\n"
               "examples, documentation and the files of a package. Unchanged files are not rewritten; on any error\n"
               "nothing is written. Files that terrane generate did not write are not overwritten, and symbolic links in\n"
               "DIR are not followed: that is an error. --force replaces them, but not links to folders. report.json lists\n"
               "what could not be represented. With --against the exit code is 3 if manifests that the old CRDs accept may\n"
               "be refused or mean something else; without -o nothing is written then. With --json: output {folder,\n"
               "written, unchanged, removed}, kinds, notes, and with --against compared, unchanged, breaking, changes.",
    .example = "  terrane generate aws -o package/ --only 'aws_s3_*'\n"
               "  terrane generate aws --against package/ --json\n"
               "  terrane generate aws --init --config provider.yaml\n"
               "  terrane generate --schema schema.json --config provider.yaml -o package/",
    .run = run,
};
