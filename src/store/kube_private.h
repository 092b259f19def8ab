/* Internals of the Kubernetes store. */
#pragma once

#include "base/lock.h"
#include "kube/discovery.h"
#include "kube/list.h"
#include "kube/recorder.h"
#include "store/kube.h"

struct kube_store {
    struct store store; /* the first member */
    struct kube *k;
    struct kube_discovery *discovery;
    struct kube_recorder *recorder;
    struct arena *arena;
    const struct store_kube_kind *kinds; /* sorted by group and kind */
    size_t n_kinds;
    bool (*leads)(void *ctx);
    void *ctx;
    pthread_mutex_t lock; /* guards the count below */
    size_t n_watches;
};

static inline struct kube_store *kube_store_of(struct store *s)
{
    return (struct kube_store *)s;
}

/* Stands for the version of a list: the kind is not served. */
#define KUBE_STORE_NOT_SERVED "!"

/* The kinds that a query covers. */
struct kube_store_kinds {
    struct kube_resource *v;
    struct str *labels; /* for each kind; empty: the query's own selector */
    size_t n;
};
enum store_result kube_store_kinds(struct kube_store *s, struct arena *a, const struct store_query *query, struct diags *diags,
                                   struct kube_store_kinds *ret);
/* The selector in the syntax of the labelSelector parameter. */
struct str kube_store_selector(struct arena *a, const struct selector *selector);

enum store_result kube_store_watch(struct store *s, const struct store_query *query, struct str version, struct diags *diags,
                                   struct store_watch **ret);
enum store_result kube_store_watch_next(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                        struct store_change *ret);
void kube_store_watch_stop(struct store_watch *w);
void kube_store_watch_close(struct store_watch *w);
