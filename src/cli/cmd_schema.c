/* terrane schema: shows a provider's schema. */
#include "cli/installer.h"
#include "cli/schema_source.h"
#include "schema/schema_check.h"
#include "schema/schema_json.h"
#include "schema/schema_text.h"

#include <unistd.h>

struct schema_options {
    struct schema_request request;
    const char *resource;
    const char *source; /* the address to print it under */
    const char *like;   /* the JSON format of another program */
    enum schema_json_form form;
    bool json, tree, summary, all;
};

/* Writes the output while it is generated: the schema of aws is 14 MB of JSON. */
static bool print_json(struct app *app, const struct schema_options *o, const struct schema_source *source)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out, .flush = app_flush, .ctx = app, .html_escape = true};
    if (o->summary) {
        struct schema_summary summary = schema_summarise(source->schema);
        schema_summary_json(&w, &summary);
    } else {
        schema_write_document(&w, source->address, source->schema, str_of(o->resource), o->form);
    }
    return json_finish(&w) && app_print(app, STR("\n"));
}

static bool print_text(struct app *app, const struct schema_options *o, const struct schema_source *source)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct schema_text_style style = {.colour = app->color_out, .descriptions = o->resource != NULL};
    if (o->summary) {
        buf_add(&out, source->address);
        if (source->version.n > 0)
            buf_printf(&out, " " STR_FMT, STR_ARG(source->version));
        buf_addz(&out, source->cached ? " (schema from the cache)\n" : "\n");
        struct schema_summary summary = schema_summarise(source->schema);
        schema_summary_text(&out, &summary, &style);
    } else {
        (void)schema_text_tree(&out, source->schema, str_of(o->resource), &style);
    }
    return app_print(app, buf_str(&out));
}

/* Is the name in any part of the schema? */
static bool has_type(const struct provider_schema *s, struct str name)
{
    return map_get(&s->resources, name) || map_get(&s->data_sources, name) || map_get(&s->ephemerals, name) ||
           map_get(&s->lists, name) || map_get(&s->actions, name) || map_get(&s->functions, name);
}

static bool check_resource(struct app *app, const struct schema_options *o, const struct schema_source *source)
{
    if (!o->resource || has_type(source->schema, str_of(o->resource)))
        return true;
    const struct map *resources = &source->schema->resources;
    const char **names = arena_make_n(app->arena, const char *, resources->n + 1);
    for (size_t i = 0; i < resources->n; i++)
        names[i] = arena_str(app->arena, resources->entries[i].key).p;
    const char *closest = args_closest(o->resource, names);
    if (closest)
        return diags_fail(&app->diags, "No such resource type", "Provider " STR_FMT " has no \"%s\". Did you mean \"%s\"?",
                          STR_ARG(source->address), o->resource, closest);
    return diags_fail(&app->diags, "No such resource type",
                      "Provider " STR_FMT " has no \"%s\". `terrane schema %s --tree` lists what it has.",
                      STR_ARG(source->address), o->resource, o->request.provider);
}

/* Text on a terminal, JSON into a pipe. */
static void choose_output(struct schema_options *o)
{
    if (o->json || o->tree || o->summary)
        return;
    if (!isatty(STDOUT_FILENO))
        o->json = true;
    else if (o->resource)
        o->tree = true;
    else
        o->summary = true;
}

/* A schema that Terraform would reject is shown all the same: reading it is how one finds the error. */
static void warn_of_violations(struct app *app, const struct provider_schema *schema)
{
    struct diags found;
    diags_init(&found, app->arena);
    if (provider_schema_check(schema, &found))
        return;
    for (size_t i = 0; i < found.n; i++) {
        struct diag warning = found.v[i];
        warning.severity = DIAG_WARNING;
        diags_add(&app->diags, &warning);
    }
}

static bool show(struct app *app, struct schema_options *o)
{
    struct schema_source source;
    if (!schema_source_load(app, &o->request, &source) || !check_resource(app, o, &source))
        return false;
    if (o->source) {
        struct provider_address address;
        if (!provider_address_parse(app->arena, str_of(o->source), &app->diags, &address))
            return false;
        source.address = provider_address_text(app->arena, &address);
    }
    warn_of_violations(app, source.schema);
    return o->json ? print_json(app, o, &source) : print_text(app, o, &source);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct schema_options o = {0};
    const struct option options[] = {
        {.name = "resource",
         .letter = 'r',
         .kind = OPTION_TEXT,
         .target = &o.resource,
         .value = "TYPE",
         .help = "only this resource type (data source, ephemeral resource, function)"},
        {.name = "json", .kind = OPTION_FLAG, .target = &o.json, .help = "print it as `terraform providers schema -json` does"},
        {.name = "like",
         .kind = OPTION_TEXT,
         .target = &o.like,
         .value = "CLI",
         .help = "with --json: as this release prints it: terraform-1.14, tofu-1.10 (default terraform-1.11)"},
        {.name = "all", .kind = OPTION_FLAG, .target = &o.all, .help = "with --json: everything, also what no release prints"},
        {.name = "tree", .kind = OPTION_FLAG, .target = &o.tree, .help = "print an indented tree"},
        {.name = "summary", .kind = OPTION_FLAG, .target = &o.summary, .help = "print counts only (with --json: as JSON)"},
        {.name = "version",
         .kind = OPTION_TEXT,
         .target = &o.request.constraint,
         .value = "CONSTRAINT",
         .help = "version of the provider, for example \"~> 5.1\""},
        {.name = "source",
         .kind = OPTION_TEXT,
         .target = &o.source,
         .value = "ADDRESS",
         .help = "source address to use for a binary given by its path"},
        {.name = "no-cache",
         .kind = OPTION_FLAG,
         .target = &o.request.no_cache,
         .help = "ask the provider, and do not cache the answer"},
        {.name = "timeout",
         .kind = OPTION_DURATION,
         .target = &o.request.timeout_ns,
         .value = "TIME",
         .help = "time limit for the start of the provider (default 60s)"},
        APP_OPTION_INSTALL(app),
        {0},
    };
    int n, exit_code;
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    if (n != 1)
        return app_usage(app, self, "Name one provider: terrane schema PROVIDER.");
    if (o.tree && (o.json || o.summary))
        return app_usage(app, self, "Choose one of --json, --tree and --summary.");
    o.form = o.all ? SCHEMA_JSON_ALL : SCHEMA_JSON_TERRAFORM_1_11;
    if (o.like && !schema_json_form_named(str_of(o.like), &o.form))
        return app_usage(app, self, "--like must be terraform-VERSION or tofu-VERSION, for example terraform-1.14; found \"%s\".",
                         o.like);
    o.request.provider = argv[0];
    o.request.address = o.source;
    choose_output(&o);
    return show(app, &o) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_schema = {
    .name = "schema",
    .usage = "PROVIDER [--resource TYPE] [--json | --tree | --summary]",
    .summary = "print the schema of a provider",
    .details = "PROVIDER is a source address (aws, hashicorp/aws, registry.terraform.io/hashicorp/aws), the path of a\n"
               "provider binary, or a .json file that `terraform providers schema -json` wrote. Providers are searched\n"
               "where Terraform searches; `terrane provider list` shows what was found. On a terminal the default is\n"
               "--summary, or --tree with --resource; otherwise --json.",
    .example = "  terrane schema aws --summary\n"
               "  terrane schema hashicorp/aws --resource aws_s3_bucket --tree\n"
               "  terrane schema ./terraform-provider-time --json | jq '.provider_schemas[].resource_schemas | keys'",
    .run = run,
};
