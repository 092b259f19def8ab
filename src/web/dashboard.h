/*
 * The dashboard: a page for browsers (page/), and the API that the page uses. It works with any store and controller; README.md
 * lists the paths.
 *
 * A token is always required, also on loopback, where other users of the machine have access. Changes are refused unless
 * `allow_actions`.
 */
#pragma once

#include "controller/controller.h"
#include "web/monitor.h"

#define DASHBOARD_ADDRESS "127.0.0.1:7400"

struct dashboard_options {
    const char *address; /* NULL: DASHBOARD_ADDRESS, or any free loopback port if that is taken */
    struct str token;    /* at least WEB_TOKEN_MIN bytes; empty: a random one */
    bool allow_actions;
    struct store *store; /* the caller's, as everything below; must outlive the dashboard */
    struct kinds *kinds;
    struct controller *controller;
    struct monitor *monitor;
    struct scheduler *scheduler; /* for previews; NULL: no previews */
    /* Opens the same store once more; the caller closes it. Previews use a layer over it. */
    struct store *(*open_store)(void *ctx, struct diags *diags);
    void *ctx;
    struct log *log; /* may be NULL */
};

/* For an early check: is the address (NULL: the default) valid, and the token (empty: random) long enough? */
bool dashboard_check(const char *address, struct str token, struct diags *diags);

struct dashboard;
/* NULL with a diagnostic: it could not be started. */
struct dashboard *dashboard_start(const struct dashboard_options *options, struct diags *diags);
/* Waits for requests under way. Call it before the controller is freed. NULL is accepted. */
void dashboard_stop(struct dashboard *d);
/* "http://127.0.0.1:7400/", and the same with the token, which is a secret. */
const char *dashboard_url(const struct dashboard *d);
const char *dashboard_secret_url(const struct dashboard *d);
