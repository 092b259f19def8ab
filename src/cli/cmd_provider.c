/* terrane provider list: the providers on this machine, and where they are. */
#include "base/json.h"
#include "cli/app.h"

static void write_json(struct json_writer *w, struct arena *a, const struct found_providers *found)
{
    json_begin_array(w);
    for (size_t i = 0; i < found->n; i++) {
        const struct found_provider *p = &found->v[i];
        json_begin_object(w);
        json_key(w, STR("address"));
        json_write_string(w, provider_address_text(a, &p->address));
        json_key(w, STR("version"));
        json_write_string(w, p->version);
        json_key(w, STR("place"));
        json_write_string(w, str_of(provider_place_name(p->place)));
        json_key(w, STR("path"));
        json_write_string(w, p->path);
        json_key(w, STR("packed"));
        json_write_bool(w, p->packed);
        json_end_object(w);
    }
    json_end_array(w);
}

static size_t widest(size_t width, struct str s)
{
    return s.n > width ? s.n : width;
}

static void write_table(struct buf *out, struct arena *a, const struct found_providers *found)
{
    if (found->n == 0) {
        buf_addz(out,
                 "No providers were found. `terrane provider install hashicorp/random` installs one; TERRANE_MIRROR or the CLI\n"
                 "configuration name a filesystem mirror.\n");
        return;
    }
    size_t address_width = strlen("PROVIDER"), version_width = strlen("VERSION"), place_width = strlen("PLACE");
    for (size_t i = 0; i < found->n; i++) {
        address_width = widest(address_width, provider_address_text(a, &found->v[i].address));
        version_width = widest(version_width, found->v[i].version);
        place_width = widest(place_width, str_of(provider_place_name(found->v[i].place)));
    }
    buf_printf(out, "%-*s  %-*s  %-*s  %s\n", (int)address_width, "PROVIDER", (int)version_width, "VERSION", (int)place_width,
               "PLACE", "PATH");
    for (size_t i = 0; i < found->n; i++) {
        const struct found_provider *p = &found->v[i];
        struct str address = provider_address_text(a, &p->address);
        struct str version = p->version.n > 0 ? p->version : STR("-");
        buf_printf(out, "%-*.*s  %-*.*s  %-*s  " STR_FMT "\n", (int)address_width, STR_ARG(address), (int)version_width,
                   STR_ARG(version), (int)place_width, provider_place_name(p->place), STR_ARG(p->path));
    }
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    bool json = false;
    const struct option options[] = {
        {.name = "json", .kind = OPTION_FLAG, .target = &json, .help = "as JSON"},
        {0},
    };
    int exit_code;
    if (!app_options(app, self, options, argc, argv, &exit_code))
        return exit_code;
    struct find_context context;
    struct found_providers found = {0};
    if (!app_find_context(app, &context) || !app_cli_config(app, &context) ||
        !provider_find_all(&context, app->arena, &app->diags, &found))
        return EXIT_FAILED;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (json) {
        struct json_writer w = {.out = &out, .indent = 2};
        write_json(&w, app->arena, &found);
        (void)json_finish(&w);
        buf_addc(&out, '\n');
    } else {
        write_table(&out, app->arena, &found);
    }
    return app_print(app, buf_str(&out)) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_provider_list = {
    .name = "provider list",
    .usage = "[--json]",
    .summary = "list the providers found on this machine, and where they are",
    .details = "Looks where Terraform and OpenTofu look: dev_overrides and filesystem mirrors of the CLI configuration,\n"
               "the implied local folders, the plugin cache, .terraform/providers, and the mirror that TERRANE_MIRROR\n"
               "names.",
    .example = "  terrane provider list\n"
               "  TERRANE_MIRROR=/srv/providers terrane provider list --json",
    .run = run,
};
