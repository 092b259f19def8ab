/*
 * A Kubernetes API server as a store. The reconciler works as with any store; README.md ("On Kubernetes") lists the differences.
 */
#pragma once

#include "kube/client.h"
#include "store/store.h"

struct store_kube_kind {
    struct str group, kind;
    struct str version; /* API version in which objects are read; empty: the server's preferred one */
    struct str labels;  /* label selector; for this kind, queries without a kind cover only objects that match; empty: all */
    struct str plural;  /* set for a kind that may be missing on the server: while its definition is missing, it has no objects.
                         * Empty: it must be served */
};

struct store_kube_options {
    struct kube *client; /* owned by the caller; must outlive the store */
    /* The kinds that a query without a kind covers; copied. */
    const struct store_kube_kind *kinds;
    size_t n_kinds;
    const char *component; /* source of recorded events; not copied */
    /* Does this process act on the objects? NULL: it always does. */
    bool (*leads)(void *ctx);
    void *ctx;
};

struct store *store_kube_open(const struct store_kube_options *options);
