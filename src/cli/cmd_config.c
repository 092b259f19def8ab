/* terrane config: the configuration file of a provider. */
#include "base/file.h"
#include "cli/shipped_config.h"
#include "crossplane/config_show.h"
#include "crossplane/upjet.h"
#include "yaml/yaml.h"

enum { MAX_SIDE_FILE = 64 << 20, CONFIG_MODE = 0666 };

static bool print_or_write(struct app *app, const char *path, struct str text)
{
    return path ? file_write(path, text, CONFIG_MODE, &app->diags) : app_print(app, text);
}

static bool convert(struct app *app, const char *side, const char *output)
{
    struct str text;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!file_read(app->arena, side, MAX_SIDE_FILE, &app->diags, &text))
        return false;
    const struct json *json = json_parse(app->arena, text, side, &app->diags);
    return json && xp_config_from_upjet(app->arena, json, &out, &app->diags) && print_or_write(app, output, buf_str(&out));
}

static int run_from_upjet(struct app *app, const struct command *self, int argc, const char **argv)
{
    const char *output = NULL;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &output, "FILE", "file to write (default: stdout)"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Give one file: terrane config from-upjet config.json -o provider.yaml.");
    return convert(app, argv[0], output) ? EXIT_OK : EXIT_FAILED;
}

static int run_schema(struct app *app, const struct command *self, int argc, const char **argv)
{
    const struct option options[] = {{0}};
    int code;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    xp_config_write_schema(&out);
    return app_print(app, buf_str(&out)) ? EXIT_OK : EXIT_FAILED;
}

/* --- show --- */

struct show_request {
    const char *provider, *config, *resource;
    bool json;
};

/* Accepts aws, hashicorp/aws or registry.terraform.io/hashicorp/aws; for a name alone, the shipped file has the namespace. */
static struct str address_of(struct app *app, const char *provider)
{
    struct str name = str_of(provider), rest = name;
    (void)str_cut(&rest, '/');
    if (rest.n > 0)
        return str_find(rest, '/', 0) != SIZE_MAX ? name : arena_printf(app->arena, "registry.terraform.io/%s", provider);
    struct config_layer shipped = shipped_find(app, name);
    struct diags ignored;
    diags_init(&ignored, app->arena);
    const struct json *file = shipped.source.name ? yaml_parse(app->arena, shipped.text, shipped.source.name, &ignored) : NULL;
    const struct json *source = json_get(file, "source");
    bool said = source && source->kind == JSON_ARRAY && source->array.n > 0;
    struct str address = said ? json_text(source->array.items[0], STR_EMPTY) : arena_printf(app->arena, "hashicorp/%s", provider);
    return arena_printf(app->arena, "registry.terraform.io/" STR_FMT, STR_ARG(address));
}

static bool print_lines(struct app *app, const struct show_request *r, struct str address, const struct xp_config_lines *lines)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!r->json) {
        xp_config_lines_write(&out, lines);
        return app_print(app, buf_str(&out));
    }
    struct json_writer w = {.out = &out, .indent = 2};
    json_begin_object(&w);
    json_key(&w, STR("provider"));
    json_write_string(&w, address);
    json_key(&w, STR("lines"));
    xp_config_lines_write_json(&w, lines);
    json_end_object(&w);
    (void)json_finish(&w);
    buf_addc(&out, '\n');
    return app_print(app, buf_str(&out));
}

/* Which types the provider has is not known here: without an entry of its own a type has what is shown, if it exists. */
static void warn_of_typing_error(struct app *app, const struct xp_config *config, struct str type)
{
    struct str similar = xp_config_similar_type(config, type);
    if (similar.n > 0)
        diags_warn(&app->diags, "No entry for this type",
                   "The configuration does not name \"" STR_FMT
                   "\": these are defaults and what patterns set. Did you mean \"" STR_FMT "\"?",
                   STR_ARG(type), STR_ARG(similar));
}

static bool show(struct app *app, const struct show_request *r)
{
    struct loaded_config loaded;
    struct xp_config_file files[2];
    struct xp_config_lines lines;
    struct str address = address_of(app, r->provider);
    if (!load_config(app, address, r->config, false, &loaded))
        return false;
    for (size_t i = 0; i < loaded.n_layers; i++) {
        const struct config_layer *layer = &loaded.layers[i];
        files[i] =
            (struct xp_config_file){layer->source.name, yaml_parse(app->arena, layer->text, layer->source.name, &app->diags)};
        if (!files[i].tree)
            return false;
    }
    if (r->resource) {
        warn_of_typing_error(app, loaded.config, str_of(r->resource));
        xp_config_show_type(app->arena, loaded.config, files, loaded.n_layers, str_of(r->resource), &lines);
    } else
        xp_config_show(app->arena, loaded.config, files, loaded.n_layers, &lines);
    return print_lines(app, r, address, &lines);
}

static int run_show(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct show_request r = {0};
    const struct option options[] = {
        {"config", 'c', OPTION_TEXT, &r.config, "FILE", "your own configuration file, merged over the one that Terrane ships"},
        {"resource", 'r', OPTION_TEXT, &r.resource, "TYPE", "only what applies to this resource type"},
        {"json", 0, OPTION_FLAG, &r.json, NULL, "as JSON: provider, lines [{entry, key, value, file, line}]"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Give one provider: terrane config show aws.");
    r.provider = argv[0];
    return show(app, &r) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_config_show = {
    .name = "config show",
    .usage = "PROVIDER [--config FILE] [--resource TYPE] [--json]",
    .summary = "show the configuration of a provider, and where each line comes from",
    .details = "PROVIDER is a name (aws) or a source address (hashicorp/aws). A line comes from the configuration that\n"
               "Terrane ships for the provider, from your file, which overrides it, or is a default (in JSON: without file\n"
               "and line).",
    .example = "  terrane config show aws\n"
               "  terrane config show aws --config provider.yaml --resource aws_vpc",
    .run = run_show,
};

const struct command command_config_from_upjet = {
    .name = "config from-upjet",
    .usage = "CONFIG.json [-o FILE]",
    .summary = "make a configuration file from facts about an Upjet provider",
    .details = "For maintainers of the configurations that Terrane ships (share/providers/README.md). The JSON file says\n"
               "what the provider's Go code configures: external names, references, omitted fields and so on. What Terrane\n"
               "has no setting for is a warning.",
    .example = "  terrane config from-upjet config.json\n"
               "  terrane config from-upjet config.json -o provider.yaml",
    .run = run_from_upjet,
};

const struct command command_config_schema = {
    .name = "config schema",
    .usage = "",
    .summary = "print the JSON Schema of the configuration file, for editors",
    .example = "  terrane config schema > provider-config.schema.json\n"
               "  terrane config schema | jq '.properties | keys'",
    .run = run_schema,
};
