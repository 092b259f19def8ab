/* terrane cloudcontrol schema: the provider's schema in Terraform's JSON format. */
#include "packs/cloudcontrol.h"
#include "schema/schema_json.h"

#define ADDRESS "registry.terraform.io/hashicorp/awscc"

struct schema_options {
    struct cloudcontrol_options schemas;
    bool all;
};

static bool add_type(void *ctx, const struct cc_type *t)
{
    cc_schema_add(ctx, t);
    return true;
}

static bool run_schema(struct app *app, const struct schema_options *o, const char **names, size_t n)
{
    struct schema_builder *b = schema_builder_new(app->arena);
    cc_schema_provider(b, o->schemas.strict ? CFN_MODE_STRICT : CFN_MODE_DEFAULT);
    bool ok = cloudcontrol_each(app, &o->schemas, names, n, add_type, b);
    const struct provider_schema *schema = schema_builder_end(b);
    if (!ok)
        return false;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out, .flush = app_flush, .ctx = app, .html_escape = true};
    schema_write_document(&w, STR(ADDRESS), schema, STR_EMPTY, o->all ? SCHEMA_JSON_ALL : SCHEMA_JSON_TERRAFORM_1_11);
    return json_finish(&w) && app_print(app, STR("\n"));
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct schema_options o = {0};
    const struct option options[] = {
        CLOUDCONTROL_OPTIONS(&o.schemas),
        {"all", 0, OPTION_FLAG, &o.all, NULL,
         "everything: also identities and list resources, which Terraform 1.11 does not print"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    return run_schema(app, &o, argv, (size_t)n) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_cloudcontrol_schema = {
    .name = "cloudcontrol schema",
    .usage = "[--strict] [--schemas FROM] [--all] [TYPE...]",
    .summary = "print CloudFormation types as a provider's schema",
    .details = "The same JSON as `terraform providers schema -json`: resources and data sources of all types, or of those named.",
    .example = "  terrane cloudcontrol schema AWS::Logs::LogGroup\n"
               "  terrane cloudcontrol schema --strict --schemas schemas/ > schema.json",
    .run = run,
};
