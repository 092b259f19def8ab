#include "objects/watched.h"

#include "base/file.h"

#include <unistd.h>

#define URL_FILE "dashboard.url"

/* NULL: the default address. */
static const char *address_of(const struct watched_options *o)
{
    return strcmp(o->dashboard, "on") == 0 ? NULL : o->dashboard;
}

bool watched_wants_dashboard(const struct watched_options *o)
{
    return o->dashboard && strcmp(o->dashboard, "off") != 0;
}

bool watched_open(struct watched *w, struct app *app, const struct watched_options *options)
{
    const char *token = app_environment(WATCHED_TOKEN_VARIABLE);
    *w = (struct watched){.options = options, .monitor = monitor_new()};
    w->token = token ? str_of(token) : web_token(app->arena); /* the same for all runs of the command */
    if (watched_wants_dashboard(options) && !dashboard_check(address_of(options), token ? w->token : STR_EMPTY, &app->diags))
        return false;
    if (options->trace)
        w->trace = trace_open(options->trace, &app->diags);
    return !options->trace || w->trace;
}

void watched_log(struct watched *w, struct log *log)
{
    w->log = log;
    w->for_monitor = (struct log_watch){.fn = monitor_work, .ctx = w->monitor};
    log_watch(log, &w->for_monitor);
    w->for_trace = (struct log_watch){.fn = trace_work, .ctx = w->trace};
    if (w->trace)
        log_watch(log, &w->for_trace);
}

void watched_unlog(struct watched *w)
{
    if (!w->log)
        return;
    log_unwatch(w->log, &w->for_monitor);
    log_unwatch(w->log, &w->for_trace);
    w->log = NULL;
}

void watched_close(struct watched *w)
{
    watched_rest(w);
    struct log *log = w->log;
    watched_unlog(w);
    trace_close(w->trace, log);
    monitor_free(w->monitor);
}

bool watched_serve(struct watched *w, struct app *app, const struct watched_parts *parts, struct diags *diags)
{
    const struct monitor_sources sources = {.controller = parts->controller, .pool = parts->pool, .store = parts->store};
    monitor_watch(w->monitor, &sources);
    if (!watched_wants_dashboard(w->options))
        return true;
    w->dashboard = dashboard_start(
        &(struct dashboard_options){
            .address = address_of(w->options),
            .token = w->token,
            .allow_actions = w->options->allow_actions,
            .store = parts->store,
            .kinds = parts->kinds,
            .controller = parts->controller,
            .monitor = w->monitor,
            .scheduler = parts->open_store ? parts->scheduler : NULL,
            .open_store = parts->open_store,
            .ctx = parts->ctx,
            .log = w->log,
        },
        diags);
    if (!w->dashboard)
        return false;
    if (parts->folder) {
        struct str line = arena_printf(app->arena, "%s\n", dashboard_secret_url(w->dashboard));
        const char *file = arena_printf(app->arena, "%s/" URL_FILE, parts->folder).p;
        if (file_write(file, line, 0600, diags))
            w->file = file;
    }
    return true;
}

void watched_rest(struct watched *w)
{
    dashboard_stop(w->dashboard);
    w->dashboard = NULL;
    if (w->monitor)
        monitor_watch(w->monitor, NULL);
    if (w->file)
        (void)unlink(w->file);
    w->file = NULL;
}
