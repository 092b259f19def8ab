/*
 * Which kinds the server has, and their names in paths. The list is fetched when a kind is first needed, cached, and fetched
 * again when a kind is not in the cache. Uses aggregated discovery (one request) where the server supports it, otherwise asks
 * group by group.
 */
#pragma once

#include "kube/client.h"

enum {
    KUBE_DISCOVERY_MAX = 64 << 20, /* bytes of an answer: 1,500 kinds are some 3 MB */
    KUBE_DISCOVERY_MAX_KINDS = 1 << 16,
};

struct kube_discovery;
struct kube_discovery *kube_discovery_new(struct kube *k);
void kube_discovery_free(struct kube_discovery *d); /* accepts NULL */

/*
 * Looks up the kind in the given version, or in the server's preferred version if `version` is empty. `ret` refers to `a`.
 * KUBE_NOT_FOUND: the server does not have it. May be called from any thread.
 */
enum kube_result kube_discover(struct kube_discovery *d, struct arena *a, struct str group, struct str kind, struct str version,
                               struct diags *diags, struct kube_resource *ret);

/* Parsers of discovery answers, also used for fuzzing. They append to `kinds`, the preferred version of a group first. */
struct kube_kinds {
    struct kube_resource *v;
    size_t n, cap;
};
/* Reads an APIGroupDiscoveryList, v2 or v2beta1; false if the answer is something else. */
bool kube_kinds_of_aggregated(struct arena *a, const struct json *answer, struct kube_kinds *kinds);
/* Reads an APIResourceList of one group and version. */
bool kube_kinds_of_version(struct arena *a, const struct json *answer, struct str group, struct str version,
                           struct kube_kinds *kinds);
