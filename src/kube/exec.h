/* Runs exec credential plugins as kubectl does (client.authentication.k8s.io/v1 and v1beta1). They get no terminal. */
#pragma once

#include "kube/kubeconfig.h"
#include "loop/loop.h"

enum { KUBE_EXEC_MAX_OUTPUT = 1 << 20, KUBE_EXEC_TIMEOUT_S = 60 };

/* Strings are in the caller's arena; a caller that keeps them must copy them and wipe these. */
struct kube_exec_answer {
    struct str token, certificate, key;
    int64_t expires; /* wall ns; 0: not stated */
};

/* Reads the plugin's output `text`. `title` names the plugin in diagnostics. The fuzz target calls this, too. */
bool kube_exec_read(struct arena *a, struct str text, struct str api_version, const char *title, struct diags *diags,
                    struct kube_exec_answer *ret);

struct kube_exec_options {
    struct loop *loop;
    const char *const *env;
    const struct kubeconfig *config; /* its `exec` must not be NULL */
    struct str ca;                   /* the cluster's, for plugins that ask for it */
    struct cancel *cancel;
};
bool kube_exec_run(struct arena *a, const struct kube_exec_options *options, struct diags *diags, struct kube_exec_answer *ret);
