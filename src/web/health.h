/*
 * What machines ask a program that runs: is it alive (/healthz), may it be given work (/readyz), what has it measured (/metrics).
 * Put WEB_HEALTH_ROUTES(&health) into the routes of a server.
 */
#pragma once

#include "web/metrics.h"
#include "web/server.h"

struct web_health {
    /* False: not yet, or no longer; `*ret_why` says so in few words. NULL: always. */
    bool (*ready)(void *ctx, struct arena *a, struct str *ret_why);
    /* Before metrics are written: sets what is not told by itself. May be NULL. */
    void (*measure)(void *ctx, struct metrics *m);
    void *ctx;
    struct metrics *metrics; /* NULL: /metrics has nothing */
};

/* web_answer_fn, with a struct web_health */
void web_healthz(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret);
void web_readyz(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret);
void web_metrics(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret);

/* Whether somebody is alive is no secret; what it does is. */
#define WEB_HEALTH_ROUTES(health)                                                                                                \
    {.path = "/healthz", .answer = web_healthz, .ctx = (health), .open = true},                                                  \
        {.path = "/livez", .answer = web_healthz, .ctx = (health), .open = true},                                                \
        {.path = "/readyz", .answer = web_readyz, .ctx = (health), .open = true},                                                \
    {                                                                                                                            \
        .path = "/metrics", .answer = web_metrics, .ctx = (health)                                                               \
    }
