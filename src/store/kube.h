/*
 * A Kubernetes API server as a store. Whoever reconciles does not notice; README.md ("On Kubernetes") has what differs.
 */
#pragma once

#include "kube/client.h"
#include "store/store.h"

struct store_kube_kind {
    struct str group, kind;
    struct str version; /* in which objects are read; empty: the one that the server prefers */
    struct str labels;  /* a selector: of this kind a query without a kind is about these alone; empty: all */
    struct str plural; /* of a kind that need not be served: while its definition says so, it has no objects. Empty: it must be */
};

struct store_kube_options {
    struct kube *client; /* stays the caller's, and outlives the store */
    /* What a query without a kind is about; copied. */
    const struct store_kube_kind *kinds;
    size_t n_kinds;
    const char *component; /* who records events; not copied */
    /* Does this process act on the objects? NULL: it always does. */
    bool (*leads)(void *ctx);
    void *ctx;
};

struct store *store_kube_open(const struct store_kube_options *options);
