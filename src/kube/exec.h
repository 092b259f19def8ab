/* Programs that print credentials, as kubectl runs them (client.authentication.k8s.io/v1 and v1beta1). They get no terminal. */
#pragma once

#include "kube/kubeconfig.h"
#include "loop/loop.h"

enum { KUBE_EXEC_MAX_OUTPUT = 1 << 20, KUBE_EXEC_TIMEOUT_S = 60 };

/* Texts are in the arena that was given; whoever keeps them makes copies and wipes these. */
struct kube_exec_answer {
    struct str token, certificate, key;
    int64_t expires; /* wall ns; 0: not stated */
};

/* The answer in `text`, which the plugin printed. `title` names the plugin. The fuzz target reads with this. */
bool kube_exec_read(struct arena *a, struct str text, struct str api_version, const char *title, struct diags *diags,
                    struct kube_exec_answer *ret);

struct kube_exec_options {
    struct loop *loop;
    const char *const *env;
    const struct kubeconfig *config; /* whose exec is not NULL */
    struct str ca;                   /* the cluster's, for plugins that want to know */
    struct cancel *cancel;
};
bool kube_exec_run(struct arena *a, const struct kube_exec_options *options, struct diags *diags, struct kube_exec_answer *ret);
