/* What others see of a controller on a cluster: alive, ready, metrics. */
#pragma once

#include "controller/controller.h"
#include "web/health.h"

struct health_options {
    const char *address; /* NULL: nobody is answered */
    struct log *log;
};

struct health;
/* NULL and a diagnostic: the address is not valid or taken. */
struct health *health_start(const struct health_options *options, struct diags *diags);
void health_stop(struct health *h); /* NULL is accepted */

/* From now on metrics are about this controller; NULL: about none. With none it is ready when it `stands_by`. */
void health_about(struct health *h, struct controller *c, struct store *store, struct kinds_list kinds);
void health_stands_by(struct health *h, bool stands_by);
const char *health_url(const struct health *h);
