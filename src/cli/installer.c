#include "cli/installer.h"

#include "base/file.h"
#include "yaml/yaml.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_SETTINGS = 1 << 20, BAR_WIDTH = 30, BAR_EACH_MS = 100, LINE_EACH_S = 5 };

/* Only the loop's thread draws; `name` changes between downloads. */
struct watching {
    bool on, bar; /* bar: stderr is a terminal */
    const char *name;
    int64_t drawn, begun;
    bool shown;
};

static void draw(struct watching *w, int64_t done, int64_t total)
{
    const double mib = 1 << 20;
    char line[256];
    int filled = total > 0 ? (int)(done * BAR_WIDTH / total) : 0;
    if (!w->bar)
        (void)snprintf(line, sizeof line, "%s: %.1f MiB of %.1f\n", w->name, (double)done / mib, (double)total / mib);
    else if (total > 0)
        (void)snprintf(line, sizeof line, "\r\033[K%.40s [%.*s%*s] %3d%% of %.1f MiB", w->name, filled,
                       "##############################", BAR_WIDTH - filled, "", (int)(done * 100 / total), (double)total / mib);
    else
        (void)snprintf(line, sizeof line, "\r\033[K%.40s %.1f MiB", w->name, (double)done / mib);
    (void)file_put(STDERR_FILENO, str_of(line));
    w->shown = true;
}

static void progress(void *ctx, int64_t done, int64_t total)
{
    struct watching *w = ctx;
    int64_t now = clock_now(&system_clock);
    int64_t each = w->bar ? BAR_EACH_MS * NS_PER_MS : LINE_EACH_S * NS_PER_S;
    if (w->begun == 0)
        w->begun = w->drawn = now;
    if (now - w->drawn < each)
        return;
    w->drawn = now;
    draw(w, done, total);
}

/* What is on the line goes away: what follows says what came of it. */
static void clear_bar(struct watching *w)
{
    if (w->shown && w->bar)
        (void)file_put(STDERR_FILENO, STR("\r\033[K"));
    w->shown = false;
    w->begun = 0;
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
    struct watching watching = {.bar = isatty(STDERR_FILENO)};
    struct install_context c = {
        .find = *find,
        .fetcher = {.http = http,
                    .time = &http_system_time,
                    .cancel = app->cancel,
                    .log = app->log,
                    .progress = progress,
                    .progress_ctx = &watching},
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
        watching.name = arena_str(a, wanted[i].provider).p;
        ok = provider_install(&c, a, &wanted[i], diags, &ret[i]);
        clear_bar(&watching);
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
