/*
 * The webhook that an API server asks to convert objects: a server over TLS, its certificate in a Secret that all controllers of
 * a cluster share, and the definitions that name who signed it.
 *
 *     struct webhook *w = webhook_start(&options, diags);   // listens; definitions can be installed now
 *     kinds_serve_older(kinds, webhook_client(w));
 *     ...                                                   // looks at the Secret every WEBHOOK_LOOK_S
 *     webhook_stop(w);
 *
 * Whoever finds that there is no certificate, or that it ends soon, makes one. Everybody who finds a new one first puts its
 * authority into the definitions, beside the one before, and only then shows it: no request fails meanwhile.
 */
#pragma once

#include "base/log.h"
#include "controller/kinds.h"
#include "kube/client.h"

#define WEBHOOK_SECRET "terrane-conversion"
enum {
    WEBHOOK_VALID_S = 90 * 24 * 3600,
    WEBHOOK_LEFT_S = 30 * 24 * 3600, /* less than this, and a new one is made */
    WEBHOOK_LOOK_S = 5,
};

struct webhook_options {
    struct kube *client;
    struct kinds *kinds;
    const struct kinds_list *which; /* those whose definitions are ours; may be set later, before they are installed */
    const char *address;            /* HOST:PORT to listen at */
    struct crd_webhook where;       /* by which the API server finds it; ca_bundle is ours */
    struct str namespace;           /* of the Secret */
    const char *manager;            /* a label of the Secret */
    struct log *log;                /* may be NULL */
};

struct webhook;
/* NULL and diagnostics: the address is taken, a right is missing. What options point to must outlive it. */
struct webhook *webhook_start(const struct webhook_options *options, struct diags *diags);
void webhook_stop(struct webhook *w); /* NULL is accepted */

/* For definitions; as long as the webhook, and of the moment. */
const struct crd_webhook *webhook_client(const struct webhook *w);
