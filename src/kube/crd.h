/*
 * Definitions of kinds on a server: installed, kept up to date, waited for. Those of another owner are left alone.
 *
 * A definition is ours when we have applied it before (our field manager) or when it carries the label
 * app.kubernetes.io/managed-by with our name.
 */
#pragma once

#include "kube/client.h"

struct kube_crd_options {
    const char *manager;
    bool take_over;   /* definitions of another owner, too */
    int64_t deadline; /* to be served; NO_DEADLINE: KUBE_CRD_WAIT_S */
    struct cancel *cancel;
};
enum { KUBE_CRD_WAIT_S = 60 };

enum kube_crd_change { KUBE_CRD_SAME = 1, KUBE_CRD_CREATED, KUBE_CRD_UPDATED };

/* Applies `crd` (apiextensions.k8s.io/v1) with our label. It is not served yet when this returns. KUBE_CONFLICT: it is another's.
 */
enum kube_result kube_crd_apply(struct kube *k, struct arena *a, const struct json *crd, const struct kube_crd_options *options,
                                struct diags *diags, enum kube_crd_change *ret);

/*
 * Does the server say of this definition that there is none, that it is about to go or to come, or that it does not serve this
 * version? That a path is not found is not enough: somebody between us and the server may say so.
 */
bool kube_crd_is_absent(struct kube *k, struct str name, struct str version);

/* Until its names are accepted, it is established, and every version that is served answers. */
enum kube_result kube_crd_wait(struct kube *k, struct str name, const struct kube_crd_options *options, struct diags *diags);
