/*
 * Endpoints for machines: is the program alive (/healthz), is it ready for work (/readyz), its metrics (/metrics). Put
 * WEB_HEALTH_ROUTES(&health) into the routes of a server.
 */
#pragma once

#include "web/metrics.h"
#include "web/server.h"

struct web_health {
    /* False: not ready yet, or no longer; `*ret_why` is a short reason. NULL: always ready. */
    bool (*ready)(void *ctx, struct arena *a, struct str *ret_why);
    /* Called before metrics are written, to set those that are not updated by events. May be NULL. */
    void (*measure)(void *ctx, struct metrics *m);
    void *ctx;
    struct metrics *metrics; /* NULL: /metrics is empty */
};

/* Each is a web_answer_fn with a struct web_health. */
void web_healthz(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret);
void web_readyz(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret);
void web_metrics(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret);

/* Only /metrics needs the token: whether the program is alive is no secret, what it does is. */
#define WEB_HEALTH_ROUTES(health)                                                                                                \
    {.path = "/healthz", .answer = web_healthz, .ctx = (health), .open = true},                                                  \
        {.path = "/livez", .answer = web_healthz, .ctx = (health), .open = true},                                                \
        {.path = "/readyz", .answer = web_readyz, .ctx = (health), .open = true},                                                \
    {                                                                                                                            \
        .path = "/metrics", .answer = web_metrics, .ctx = (health)                                                               \
    }
