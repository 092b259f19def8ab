/*
 * Which kinds the server has, and how they are called in paths. Asked for when a kind is first wanted, kept, and asked for again
 * when one is wanted that was not there. By aggregated discovery (one request) where the server has it, else group by group.
 */
#pragma once

#include "kube/client.h"

enum {
    KUBE_DISCOVERY_MAX = 64 << 20, /* bytes of an answer: 1,500 kinds are some 3 MB */
    KUBE_DISCOVERY_MAX_KINDS = 1 << 16,
};

struct kube_discovery;
struct kube_discovery *kube_discovery_new(struct kube *k);
void kube_discovery_free(struct kube_discovery *d); /* NULL is accepted */

/*
 * The kind in the version that is asked for, or the one that the server prefers (empty). `ret` refers to `a`. KUBE_NOT_FOUND: the
 * server does not have it. From any thread.
 */
enum kube_result kube_discover(struct kube_discovery *d, struct arena *a, struct str group, struct str kind, struct str version,
                               struct diags *diags, struct kube_resource *ret);

/* What a server answers, read: elements are added to `kinds`, the preferred version of a group first. For fuzzing, too. */
struct kube_kinds {
    struct kube_resource *v;
    size_t n, cap;
};
/* APIGroupDiscoveryList, v2 or v2beta1; false: it is not one. */
bool kube_kinds_of_aggregated(struct arena *a, const struct json *answer, struct kube_kinds *kinds);
/* APIResourceList of a group and version. */
bool kube_kinds_of_version(struct arena *a, const struct json *answer, struct str group, struct str version,
                           struct kube_kinds *kinds);
