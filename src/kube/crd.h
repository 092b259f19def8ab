/*
 * Installs CustomResourceDefinitions, updates them and waits until they are served. Leaves definitions of other owners alone.
 *
 * A definition is ours if we have applied it before (our field manager) or if its label app.kubernetes.io/managed-by has our
 * name.
 */
#pragma once

#include "kube/client.h"

struct kube_crd_options {
    const char *manager;
    bool take_over;   /* also replace definitions of other owners */
    int64_t deadline; /* for being served; NO_DEADLINE: KUBE_CRD_WAIT_S */
    struct cancel *cancel;
};
enum { KUBE_CRD_WAIT_S = 60 };

enum kube_crd_change { KUBE_CRD_SAME = 1, KUBE_CRD_CREATED, KUBE_CRD_UPDATED };

/*
 * Applies `crd` (apiextensions.k8s.io/v1) with our label. The kind may not be served yet on return. KUBE_CONFLICT: the definition
 * belongs to another owner.
 */
enum kube_result kube_crd_apply(struct kube *k, struct arena *a, const struct json *crd, const struct kube_crd_options *options,
                                struct diags *diags, enum kube_crd_change *ret);

/*
 * Does the API server itself say that this definition does not exist, is being deleted, is not established yet or does not serve
 * this version? A plain 404 for a path is not enough: a proxy between us and the server may have sent it.
 */
bool kube_crd_is_absent(struct kube *k, struct str name, struct str version);

/* Waits until the definition's names are accepted, it is established, and every served version answers requests. */
enum kube_result kube_crd_wait(struct kube *k, struct str name, const struct kube_crd_options *options, struct diags *diags);
