/* The endpoints of a controller on a cluster for machines: liveness, readiness, metrics. */
#pragma once

#include "controller/controller.h"
#include "web/monitor.h"

struct health_options {
    const char *address;
    struct monitor *monitor; /* the caller's: provides the metrics, and must outlive this */
    struct log *log;
};

struct health;
/* NULL with a diagnostic: the address is invalid or taken. */
struct health *health_start(const struct health_options *options, struct diags *diags);
void health_stop(struct health *h); /* NULL is accepted */

/* Sets the store whose objects are counted; NULL: none. Without a store it is ready if it `stands_by`. */
void health_about(struct health *h, struct store *store, struct kinds_list kinds);
void health_stands_by(struct health *h, bool stands_by);
const char *health_url(const struct health *h);
