/* terrane data: reads a data source. */
#include "cli/installer.h"
#include "cli/progress.h"
#include "cli/work.h"
#include "engine/request.h"

#define NAME STR("this") /* the name in messages */

static bool read_data(struct work *w, struct str type, struct resource *r, const struct json **ret)
{
    const struct value *v;
    if (!work_provider(w, type, STR_EMPTY))
        return false;
    struct request q = {.engine = &w->engine, .type = type, .name = NAME};
    struct progress progress;
    progress_start(&progress, arena_printf(w->app->arena, "data." STR_FMT "." STR_FMT, STR_ARG(type), STR_ARG(NAME)), ACTION_READ,
                   w->options->json);
    size_t from = w->app->diags.n;
    enum engine_status s = request_read_data(&q, work_config(w), &v);
    progress_end(&progress, s == ENGINE_OK);
    work_locate(w, from, &w->config);
    if (!work_judge(w, s))
        return false;
    *r = q.resource;
    r->identity = NULL; /* it would be that of the managed type with the same name */
    *ret = work_value_json(w, r, v, change_sensitive(w->app->arena, r->schema->block, v));
    return *ret != NULL;
}

static bool print_json(struct work *w, const struct resource *r, const struct json *value)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    work_json_text(&j, "address", r->address);
    work_json_text(&j, "mode", STR("data"));
    work_json_text(&j, "type", r->type);
    work_json_text(&j, "name", NAME);
    work_json_text(&j, "provider_name", w->engine.provider_address);
    json_key(&j, STR("schema_version"));
    json_write_int(&j, r->schema->version);
    json_key(&j, STR("values"));
    json_write(&j, json_get(value, "before"));
    json_key(&j, STR("sensitive_values"));
    json_write(&j, json_get(value, "before_sensitive"));
    return work_print_json(w, &j);
}

static bool print_text(struct work *w, const struct resource *r, const struct json *value)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_style style = work_style(w);
    struct text_object what = {.address = r->address, .type = r->type, .name = NAME, .data = true, .schema = r->schema->block};
    object_text(&out, &what, json_get(value, "before"), json_get(value, "before_sensitive"), &style);
    return app_print(w->app, buf_str(&out));
}

static bool show(struct work *w, const char *type)
{
    struct resource r;
    const struct json *value;
    return read_data(w, str_of(type), &r, &value) && (w->options->json ? print_json(w, &r, value) : print_text(w, &r, value));
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct work_options o = {0};
    const struct option options[] = {
        {.name = "config",
         .letter = 'c',
         .kind = OPTION_TEXT,
         .target = &o.config,
         .value = "FILE",
         .help = "the arguments: .json, .yaml or .yml; - for standard input (default: none)"},
        WORK_PROVIDER_OPTIONS(&o),
        APP_OPTION_INSTALL(app),
        APP_OPTION_TRACE(app),
        {.name = "json", .kind = OPTION_FLAG, .target = &o.json, .help = "as JSON; sensitive values are NOT hidden"},
        {0},
    };
    int n, exit_code;
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    if (n != 1)
        return app_usage(app, self, "Name one data source: terrane data TYPE [-c FILE].");
    struct work w;
    exit_code = work_begin(&w, app, &o) && show(&w, argv[0]) ? EXIT_OK : EXIT_FAILED;
    work_end(&w, exit_code);
    return exit_code;
}

const struct command command_data = {
    .name = "data",
    .usage = "TYPE [-c FILE]",
    .summary = "read a data source and print it",
    .details = "Sensitive values are hidden, except with --json, which prints the object as `terraform show -json` does:\n"
               "with sensitive values, listed in `sensitive_values`. Diagnostics are included too.",
    .example = "  terrane data aws_caller_identity --provider-config aws.yaml\n"
               "  echo 'filter: [{name: tag:env, values: [prod]}]' | terrane data aws_vpcs -c - --json | jq .values.ids",
    .run = run,
};
