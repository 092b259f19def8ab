/*
 * Observability of a command that runs a controller: metrics, traces, the dashboard. For `terrane up` and `terrane controller`.
 *
 *     watched_open(&w, app, &options)            // before any work: the trace
 *     watched_log(&w, log)                       // the log that reports work
 *     watched_serve(&w, app, &parts, diags)      // with a controller: the dashboard
 *     watched_rest(&w)                           // before the controller is freed
 *     watched_unlog(&w)                          // before the log is closed; then watched_log() again, or
 *     watched_close(&w)
 */
#pragma once

#include "cli/app.h"
#include "controller/controller.h"
#include "web/dashboard.h"
#include "web/trace.h"

struct watched_options {
    const char *dashboard; /* ADDRESS, "on" or "off"; NULL: off */
    const char *trace;     /* NULL: none */
    bool allow_actions;
};
#define WATCHED_OPTIONS(o)                                                                                                       \
    {"dashboard", 0, OPTION_TEXT, &(o)->dashboard, "ADDRESS|on|off", "a page for browsers (on: " DASHBOARD_ADDRESS ")"},         \
        {"allow-actions", 0, OPTION_FLAG, &(o)->allow_actions, NULL, "on that page: pause, resume, reconcile, delete"},          \
        {"trace", 0, OPTION_TEXT, &(o)->trace, "FILE", "writes every reconcile and call, for chrome://tracing"}

#define WATCHED_TOKEN_VARIABLE "TERRANE_DASHBOARD_TOKEN" /* environment variable: the dashboard's token */
bool watched_wants_dashboard(const struct watched_options *options);

struct watched {
    const struct watched_options *options;
    struct str token;
    struct monitor *monitor;
    struct trace *trace;
    struct log *log;
    struct log_watch for_monitor, for_trace;
    struct dashboard *dashboard;
    const char *file; /* that has the dashboard's address; NULL: none */
};

/* False with a diagnostic. watched_close() must be called in any case. */
bool watched_open(struct watched *w, struct app *app, const struct watched_options *options);
void watched_log(struct watched *w, struct log *log);
void watched_unlog(struct watched *w);
void watched_close(struct watched *w);

struct watched_parts {
    struct store *store;
    struct kinds *kinds;
    struct controller *controller;
    struct pool *pool;
    struct scheduler *scheduler;
    struct store *(*open_store)(void *ctx, struct diags *diags); /* as in dashboard_options */
    void *ctx;
    const char *folder; /* where dashboard.url is written (0600); NULL: nowhere */
};
/* False with a diagnostic: the dashboard could not be started. */
bool watched_serve(struct watched *w, struct app *app, const struct watched_parts *parts, struct diags *diags);
void watched_rest(struct watched *w);
