/* terrane provider install: installs providers from registries and mirrors, after verification. */
#include "base/json.h"
#include "base/vec.h"
#include "cli/installer.h"
#include "cli/work.h"

struct provider_install_options {
    const char *version, *folder, *lock;
    struct option_texts platforms;
    bool json, upgrade;
};

static void write_json(struct json_writer *w, struct arena *a, const struct installed *done, size_t n)
{
    json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        const struct installed *p = &done[i];
        json_begin_object(w);
        work_json_text(w, "address", provider_address_text(a, &p->address));
        work_json_text(w, "version", p->version);
        work_json_text(w, "platform", p->platform);
        work_json_text(w, "path", p->folder);
        work_json_text(w, "hash", p->hash);
        work_json_text(w, "key", p->key);
        work_json_text(w, "from", p->from);
        json_key(w, STR("installed"));
        json_write_bool(w, p->from.n > 0);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_text(struct buf *out, struct arena *a, const struct installed *p)
{
    struct str name = provider_address_short(a, &p->address);
    buf_printf(out, STR_FMT " " STR_FMT " for " STR_FMT, STR_ARG(name), STR_ARG(p->version), STR_ARG(p->platform));
    if (p->from.n == 0)
        buf_addz(out, " is installed already");
    else if (p->key.n > 0)
        buf_printf(out, ", from " STR_FMT " (signed, key " STR_FMT ")", STR_ARG(p->from), STR_ARG(p->key));
    else
        buf_printf(out, ", from " STR_FMT, STR_ARG(p->from));
    buf_printf(out, "\n  " STR_FMT "\n", STR_ARG(p->folder));
}

static bool print(struct app *app, const struct provider_install_options *o, const struct installed *done, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out, .indent = 2};
    if (o->json) {
        write_json(&w, app->arena, done, n);
        (void)json_finish(&w);
        buf_addc(&out, '\n');
    } else {
        for (size_t i = 0; i < n; i++)
            write_text(&out, app->arena, &done[i]);
    }
    return app_print(app, buf_str(&out));
}

/* All platforms of a provider get the version chosen for the first one. */
static bool install_provider(struct app *app, const struct find_context *find, const struct provider_install_options *o,
                             struct lock_file *lock, struct str provider, struct installed *ret)
{
    struct str constraint = str_of(o->version);
    size_t n = o->platforms.n > 0 ? o->platforms.n : 1;
    for (size_t i = 0; i < n; i++) {
        struct install_wanted wanted = {
            .provider = provider,
            .constraint = constraint,
            .platform = str_of(o->platforms.n > 0 ? o->platforms.v[i] : find->platform),
            .folder = o->folder,
            .lock = lock,
            .upgrade = o->upgrade && i == 0,
        };
        if (i > 0 && !lock)
            wanted.constraint = ret[0].version;
        if (!installer_run(app, find, app->arena, &wanted, 1, &app->diags, &ret[i]))
            return false;
    }
    return true;
}

static bool install_all(struct app *app, const struct provider_install_options *o, int n, const char **providers)
{
    struct find_context find;
    struct lock_file lock;
    size_t each = o->platforms.n > 0 ? o->platforms.n : 1;
    struct installed *done = arena_make_n(app->arena, struct installed, (size_t)n * each);
    if (!app_find_context(app, &find) || !app_cli_config(app, &find) ||
        (o->lock && !lock_file_read(app->arena, o->lock, &app->diags, &lock)))
        return false;
    (void)app_loop(app);
    for (int i = 0; i < n; i++)
        if (!install_provider(app, &find, o, o->lock ? &lock : NULL, str_of(providers[i]), done + (size_t)i * each))
            return false;
    if (o->lock && !lock_file_write(app->arena, o->lock, &lock, &app->diags))
        return false;
    return print(app, o, done, (size_t)n * each);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct provider_install_options o = {0};
    const struct option options[] = {
        {"version", 0, OPTION_TEXT, &o.version, "CONSTRAINT", "allowed versions, for example \"~> 5.0\" (default: the newest)"},
        {"platform", 0, OPTION_LIST, &o.platforms, "OS_ARCH",
         "platform, such as linux_arm64 (default: this machine's); may be repeated"},
        {"dir", 0, OPTION_TEXT, &o.folder, "DIR",
         "folder to install into (default: the plugin cache, else terrane/providers in XDG_DATA_HOME)"},
        {"lock", 0, OPTION_TEXT, &o.lock, "FILE", "use and update this dependency lock file: .terraform.lock.hcl"},
        {"upgrade", 0, OPTION_FLAG, &o.upgrade, NULL,
         "install the newest allowed version, even if another one is installed or locked"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "as JSON"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0)
        return app_usage(app, self, "Which provider? Name its source address, for example hashicorp/aws.");
    return install_all(app, &o, n, argv) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_provider_install = {
    .name = "provider install",
    .usage = "PROVIDER... [options]",
    .summary = "install providers from their registry or from mirrors",
    .details =
        "Looks where `terraform init` would: in the sources of provider_installation in the CLI configuration, in their order, "
        "or\n"
        "else in the registry of the provider's host. Tokens come from TF_TOKEN_HOST, credentials blocks and the credentials\n"
        "helper. The signature of a registry's checksums and the checksum of the archive are verified; a package is installed\n"
        "completely or not at all. Interrupted downloads are resumed. HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE are used.",
    .example = "  terrane provider install hashicorp/aws --version '~> 5.0'\n"
               "  terrane provider install hashicorp/aws --lock .terraform.lock.hcl --platform linux_amd64 --platform "
               "linux_arm64 --dir mirror",
    .run = run,
};
