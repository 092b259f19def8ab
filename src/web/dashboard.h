/*
 * The dashboard: one page for a browser (page/), and what it asks for. Any store, any controller; README.md has the paths.
 *
 * A token is always asked for, also on loopback, where other users of the machine could come by. Nothing can be changed unless
 * `allow_actions`.
 */
#pragma once

#include "controller/controller.h"
#include "web/monitor.h"

#define DASHBOARD_ADDRESS "127.0.0.1:7400"

struct dashboard_options {
    const char *address; /* NULL: DASHBOARD_ADDRESS, or any other port of loopback where that one is taken */
    struct str token;    /* at least WEB_TOKEN_MIN bytes; empty: one is made */
    bool allow_actions;
    struct store *store; /* the caller's, as all below; must outlive the dashboard */
    struct kinds *kinds;
    struct controller *controller;
    struct monitor *monitor;
    struct scheduler *scheduler; /* for previews; NULL: there are none */
    /* A store like this one, that will be the caller's to close: previews are made on a layer over it. */
    struct store *(*open_store)(void *ctx, struct diags *diags);
    void *ctx;
    struct log *log; /* may be NULL */
};

/* What can be said before anything is there: is the address (NULL: the usual) valid, the token (empty: made) long enough? */
bool dashboard_check(const char *address, struct str token, struct diags *diags);

struct dashboard;
/* NULL and a diagnostic. */
struct dashboard *dashboard_start(const struct dashboard_options *options, struct diags *diags);
/* Waits for requests under way. Before the controller ends. NULL is accepted. */
void dashboard_stop(struct dashboard *d);
/* "http://127.0.0.1:7400/", and with the token in it: that one is a secret. */
const char *dashboard_url(const struct dashboard *d);
const char *dashboard_secret_url(const struct dashboard *d);
