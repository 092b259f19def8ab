/* terrane config: the configuration file of a provider. */
#include "base/file.h"
#include "cli/app.h"
#include "crossplane/config.h"
#include "crossplane/upjet.h"

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
    return json && config_from_upjet(app->arena, json, &out, &app->diags) && print_or_write(app, output, buf_str(&out));
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
    if (n != 1) {
        diags_fail(&app->diags, "Wrong usage", "Give one file: terrane config from-upjet config.json -o provider.yaml.");
        return EXIT_USAGE;
    }
    return convert(app, argv[0], output) ? EXIT_OK : EXIT_FAILED;
}

static int run_schema(struct app *app, const struct command *self, int argc, const char **argv)
{
    const struct option options[] = {{0}};
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    config_write_schema(&out);
    return app_print(app, buf_str(&out)) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_config_from_upjet = {
    .name = "config from-upjet",
    .usage = "CONFIG.json [-o FILE]",
    .summary = "our configuration file from that of an Upjet provider",
    .details = "The side file says what the provider's Go code configures: external names, references, omitted fields and so\n"
               "on. What has no counterpart is a warning.",
    .example = "  terrane config from-upjet config.json -o provider.yaml",
    .run = run_from_upjet,
};

const struct command command_config_schema = {
    .name = "config schema",
    .usage = "",
    .summary = "JSON Schema of the configuration file, for editors",
    .example = "  terrane config schema > provider-config.schema.json",
    .run = run_schema,
};
