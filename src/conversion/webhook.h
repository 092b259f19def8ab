/*
 * The conversion webhook for an API server: a TLS server, its certificate in a Secret that all controllers of the cluster share,
 * and the certificate authority in the CRDs.
 *
 *     struct webhook *w = webhook_start(&options, diags);   // listens; CRDs can be installed now
 *     kinds_serve_older(kinds, webhook_client(w));
 *     ...                                                   // reads the Secret every WEBHOOK_LOOK_S
 *     webhook_stop(w);
 *
 * A controller that finds no certificate, or one that expires soon, creates one. A controller that finds a new certificate first
 * adds its authority to the CRDs, beside the previous one, and only then uses it, so that no request fails meanwhile.
 */
#pragma once

#include "base/log.h"
#include "controller/kinds.h"
#include "kube/client.h"

#define WEBHOOK_SECRET "terrane-conversion"
enum {
    WEBHOOK_VALID_S = 90 * 24 * 3600,
    WEBHOOK_LEFT_S = 30 * 24 * 3600, /* a certificate with less time left is replaced */
    WEBHOOK_LOOK_S = 5,
};

struct webhook_options {
    struct kube *client;
    struct kinds *kinds;
    const struct kinds_list *which; /* the kinds whose CRDs are ours; may be set later, before they are installed */
    const char *address;            /* HOST:PORT to listen at */
    struct crd_webhook where;       /* where the API server finds it; the webhook sets ca_bundle */
    struct str namespace;           /* of the Secret */
    const char *manager;            /* a label of the Secret */
    struct log *log;                /* may be NULL */
};

struct webhook;
/* NULL with diagnostics: the address is taken, or a permission is missing. What the options point to must outlive it. */
struct webhook *webhook_start(const struct webhook_options *options, struct diags *diags);
void webhook_stop(struct webhook *w); /* NULL is accepted */

/* For CRDs; lives as long as the webhook, and may change. */
const struct crd_webhook *webhook_client(const struct webhook *w);
