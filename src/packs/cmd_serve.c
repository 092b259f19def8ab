/* terrane cloudcontrol serve, and terraform-provider-awscc: runs the provider. */
#include "base/file.h"
#include "cloudcontrol/provider.h"
#include "packs/cloudcontrol.h"

#include <unistd.h>

static const char source_address[] = "registry.terraform.io/hashicorp/awscc";

struct serve_options {
    const char *pack;
    bool strict, reattach;
};

/* When installed as a provider, the pack may be beside the program. */
static const char *pack_beside_us(struct app *app)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n > 0 ? arena_printf(app->arena, "%.*sawscc.pack", (int)n, path).p : NULL;
}

static const char *choose_pack(struct app *app, const struct serve_options *r)
{
    const char *usual = r->pack ? r->pack : cloudcontrol_pack_path(app), *beside = pack_beside_us(app);
    return r->pack || (usual && file_exists(usual)) || !beside || !file_exists(beside) ? usual : beside;
}

static int serve(struct app *app, const struct serve_options *r)
{
    struct cfn_pack *pack = cloudcontrol_open_pack(app, choose_pack(app, r));
    if (!pack)
        return EXIT_FAILED;
    const struct cc_provider_options options = {
        .pack = pack,
        .mode = r->strict || app_environment("TERRANE_AWSCC_STRICT") ? CFN_MODE_STRICT : CFN_MODE_DEFAULT,
        .loop = app_loop(app),
        .log = app->log,
        .env = (const char *const *)environ,
    };
    struct cc_provider *provider = cc_provider_new(&options);
    int code = provider_serve(&(struct provider_server_options){
        .ops = &cc_provider_ops,
        .ctx = provider,
        .protocol = 6,
        .log = app->log,
        .reattach_source = r->reattach ? source_address : NULL,
    });
    cc_provider_free(provider);
    cfn_pack_close(pack);
    return code;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct serve_options r = {0};
    const struct option options[] = {
        {"pack", 0, OPTION_TEXT, &r.pack, "FILE", "the schema pack (default: the pack in use, or awscc.pack beside the program)"},
        {"strict", 0, OPTION_FLAG, &r.strict, NULL, "exactly as hashicorp/awscc; also TERRANE_AWSCC_STRICT=1"},
        {"reattach", 0, OPTION_FLAG, &r.reattach, NULL, "run until Ctrl-C and print TF_REATTACH_PROVIDERS"},
        {0},
    };
    int code;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    return serve(app, &r);
}

const struct command command_cloudcontrol_serve = {
    .name = "cloudcontrol serve",
    .usage = "[--pack FILE] [--strict] [--reattach]",
    .summary = "run the Terraform provider awscc, for every type of the pack",
    .details = "Terraform and OpenTofu start it themselves when the program is installed as terraform-provider-awscc.\n"
               "Started by hand with --reattach, it prints the variable that makes them use the running provider.",
    .example = "  ln -s $(which terrane) terraform-provider-awscc\n"
               "  terrane cloudcontrol serve --reattach\n"
               "  TERRANE_AWSCC_STRICT=1 terraform plan",
    .run = run,
};
