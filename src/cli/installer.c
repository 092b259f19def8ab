#include "cli/installer.h"

#include "base/file.h"
#include "cli/progress.h"
#include "yaml/yaml.h"

#include <inttypes.h>
#include <unistd.h>

enum { MAX_SETTINGS = 1 << 20 };

static void progress(void *ctx, int64_t done, int64_t total)
{
    bar_set(ctx, done, total);
}

/* TF_REGISTRY_CLIENT_TIMEOUT in seconds, as terraform reads it; 0: not set, or not a number of seconds. */
static int64_t document_ns(void)
{
    enum { MOST_S = 3600 };
    const char *text = app_environment("TF_REGISTRY_CLIENT_TIMEOUT");
    int64_t seconds;
    if (!text || !str_to_i64(str_of(text), &seconds) || seconds <= 0)
        return 0;
    return (seconds < MOST_S ? seconds : MOST_S) * NS_PER_S;
}

static bool install_all(const struct app *app, struct loop *loop, const struct find_context *find, struct arena *a,
                        const struct install_wanted *wanted, size_t n, struct diags *diags, struct installed *ret)
{
    const char *const *env = (const char *const *)environ;
    struct http_proxies none = {0};
    struct http_options options = {
        .loop = loop,
        .ca_file = app_environment("SSL_CERT_FILE"),
        .proxies = http_proxies(&none, env, NULL),
        .user_agent = STR("Terrane/" TERRANE_VERSION),
    };
    struct http *http = http_new(&options, diags);
    if (!http)
        return false;
    struct bar bar;
    struct install_context c = {
        .find = *find,
        .fetcher = {.http = http,
                    .time = &http_system_time,
                    .cancel = app->cancel,
                    .log = app->log,
                    .document_ns = document_ns(),
                    .progress = progress,
                    .progress_ctx = &bar},
        .credentials = {.config = find->config,
                        .env = env,
                        .home = find->home,
                        .platform = find->platform,
                        .loop = loop,
                        .cancel = app->cancel,
                        .log = app->log},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        bar_start(&bar, arena_str(a, wanted[i].provider).p, BAR_BYTES);
        ok = provider_install(&c, a, &wanted[i], diags, &ret[i]);
        bar_end(&bar);
    }
    http_free(http);
    return ok;
}

bool installer_run(const struct app *app, const struct find_context *find, struct arena *a, const struct install_wanted *wanted,
                   size_t n, struct diags *diags, struct installed *ret)
{
    struct loop *own = app->loop ? NULL : loop_new();
    bool ok = install_all(app, app->loop ? app->loop : own, find, a, wanted, n, diags, ret);
    loop_free(own);
    return ok;
}

/* Settings */

static const char *settings_file(struct arena *a)
{
    const char *config = app_environment("XDG_CONFIG_HOME"), *home = app_environment("HOME");
    if (config && config[0] == '/')
        return arena_printf(a, "%s/terrane/settings.yaml", config).p;
    return home ? arena_printf(a, "%s/.config/terrane/settings.yaml", home).p : NULL;
}

bool installer_wanted(const struct app *app, struct arena *a, struct diags *diags, bool *ret)
{
    const char *path = settings_file(a);
    struct str text;
    *ret = app->install;
    if (app->install || !path || !file_exists(path))
        return true;
    if (!file_read(a, path, MAX_SETTINGS, diags, &text))
        return false;
    const struct json *settings = yaml_parse(a, text, path, diags);
    if (!settings)
        return false;
    for (size_t i = 0; settings->kind == JSON_OBJECT && i < settings->object.n; i++) {
        const struct json_member *m = &settings->object.members[i];
        if (!str_eq(m->key, STR("auto_install")) || m->value->kind != JSON_BOOL)
            return diags_fail(diags, "Invalid settings",
                              "%s:%" PRIu32 ":%" PRIu32 ": the one setting is auto_install: true or false.", path, m->line,
                              m->column);
        *ret = m->value->boolean;
    }
    return true;
}
