/*
 * Operations on single objects. All answers come without metadata.managedFields: it is long, nothing here reads it, and the
 * server keeps it when a request omits it. client.h has the contract of results and diagnostics.
 */
#pragma once

#include "kube/client.h"

enum kube_result kube_get(struct kube *k, struct arena *a, const struct kube_place *at, struct diags *diags,
                          const struct json **ret);

/* `at` has no name; the object has one, or generateName. KUBE_UNKNOWN: the object may have been created. */
enum kube_result kube_create(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                             struct diags *diags, const struct json **ret);

/* Replaces the whole object (or the subresource), if its resourceVersion is still that of `object`. */
enum kube_result kube_replace(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                              struct diags *diags, const struct json **ret);

struct kube_apply {
    const char *manager; /* the field manager */
    bool force;          /* takes over fields of other managers */
};
/* Server-side apply: `object` has exactly the fields that we manage. Creates the object if needed. */
enum kube_result kube_apply(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                            const struct kube_apply *how, struct diags *diags, const struct json **ret);

/* JSON merge patch. If the patch has metadata.resourceVersion, it applies only to that version of the object. */
enum kube_result kube_merge(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *patch,
                            struct diags *diags, const struct json **ret);

/* Conditions for a deletion; empty: any. */
struct kube_preconditions {
    struct str uid, version;
};
/* `*ret` is the object with its deletionTimestamp if finalizers keep it; otherwise a Status. */
enum kube_result kube_delete(struct kube *k, struct arena *a, const struct kube_place *at, const struct kube_preconditions *must,
                             struct diags *diags, const struct json **ret);

/* The object without managedFields. */
const struct json *kube_trim(struct arena *a, const struct json *object);
/* A string of metadata; empty if it is not there. */
struct str kube_metadata(const struct json *object, const char *key);
