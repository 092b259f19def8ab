/* What machines see of a controller on a cluster: alive, ready, metrics. */
#pragma once

#include "controller/controller.h"
#include "web/monitor.h"

struct health_options {
    const char *address;
    struct monitor *monitor; /* the caller's: it has the metrics, and outlives this */
    struct log *log;
};

struct health;
/* NULL and a diagnostic: the address is not valid or taken. */
struct health *health_start(const struct health_options *options, struct diags *diags);
void health_stop(struct health *h); /* NULL is accepted */

/* From now on objects of this store are counted; NULL: none. With none it is ready when it `stands_by`. */
void health_about(struct health *h, struct store *store, struct kinds_list kinds);
void health_stands_by(struct health *h, bool stands_by);
const char *health_url(const struct health *h);
