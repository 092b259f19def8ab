/*
 * Objects on an API server, one at a time. All answers are without metadata.managedFields, which are long, which nobody here
 * reads, and which the server keeps when they are not sent. Contract of results and diagnostics: client.h.
 */
#pragma once

#include "kube/client.h"

enum kube_result kube_get(struct kube *k, struct arena *a, const struct kube_place *at, struct diags *diags,
                          const struct json **ret);

/* `at` has no name; the object has one, or generateName. KUBE_UNKNOWN: it may have been created. */
enum kube_result kube_create(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                             struct diags *diags, const struct json **ret);

/* As a whole (or its subresource), if it still has the resourceVersion of `object`. */
enum kube_result kube_replace(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                              struct diags *diags, const struct json **ret);

struct kube_apply {
    const char *manager; /* who wants it so */
    bool force;          /* also fields that others have set: they lose them */
};
/* Server-side apply: the object as we want it, with the fields that we want and no others. Creates it if need be. */
enum kube_result kube_apply(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                            const struct kube_apply *how, struct diags *diags, const struct json **ret);

/* JSON merge patch. With metadata.resourceVersion in it, only of the object that has that version. */
enum kube_result kube_merge(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *patch,
                            struct diags *diags, const struct json **ret);

/* What must be true of it; empty: anything. */
struct kube_preconditions {
    struct str uid, version;
};
/* `*ret` is the object, marked, if finalizers keep it; else a Status. */
enum kube_result kube_delete(struct kube *k, struct arena *a, const struct kube_place *at, const struct kube_preconditions *must,
                             struct diags *diags, const struct json **ret);

/* The object without managedFields. */
const struct json *kube_trim(struct arena *a, const struct json *object);
/* The text of a member of metadata; empty when there is none. */
struct str kube_metadata(const struct json *object, const char *key);
