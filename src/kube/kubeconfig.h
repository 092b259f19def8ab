/*
 * Which API server, and as whom: kubeconfig files as kubectl reads them, or what Kubernetes gives to a pod.
 *
 * - KUBECONFIG names files with colons between them; those that do not exist are passed over. Of a cluster, user or context that
 *   several files have, the first counts, as a whole; so does the first current-context. Files named in a kubeconfig are relative
 * to it.
 * - Inline data wins over a file, a token file over a token, unless it cannot be read.
 * - An error says which file and line, and never shows a value that may be secret.
 */
#pragma once

#include "base/diag.h"
#include "base/json.h"

enum {
    KUBECONFIG_MAX_FILE = 4 << 20,
    KUBECONFIG_MAX_FILES = 64,
    KUBECONFIG_MAX_ARGS = 256, /* of an exec plugin; also variables, groups, extra values */
};

/* A text that stands here or in a file, which may change; neither: there is none. */
struct kube_text {
    struct str inline_text;
    const char *file; /* NULL: there is none */
};

struct kube_pair {
    struct str name, value;
};

/* A program that prints credentials (client.authentication.k8s.io). */
struct kube_exec {
    struct str api_version; /* "client.authentication.k8s.io/v1" or ".../v1beta1" */
    const char *command;    /* a path, or a name to be looked up in PATH */
    const char *const *args;
    size_t n_args;
    const struct kube_pair *env;
    size_t n_env;
    struct str install_hint;
    bool provide_cluster_info;
};

struct kube_impersonate {
    struct str user, uid;
    const struct str *groups;
    size_t n_groups;
    const struct kube_pair *extra; /* a name may stand in it several times */
    size_t n_extra;
};

struct kubeconfig {
    struct str server; /* "https://10.0.0.1:6443", without a slash at its end */
    struct kube_text ca, certificate, key, token;
    struct str username, password;
    const char *tls_server_name, *proxy; /* NULL: not stated */
    bool insecure;
    const struct kube_exec *exec;   /* NULL: there is none */
    const struct json *exec_config; /* what the cluster has to tell exec plugins; NULL: nothing */
    struct kube_impersonate as;     /* without a user: nobody */
    struct str namespace;           /* "default" if it is not stated */
    struct str title;               /* for messages: "context \"prod\" of ~/.kube/config" */
};

struct kubeconfig_options {
    const char *const *env;
    const char *file;    /* this one alone; NULL: by the environment */
    const char *context; /* NULL: the current one */
    const char *account; /* where a pod's service account is; NULL: where Kubernetes puts it */
};

/*
 * The file that is named; else KUBECONFIG; else, in a pod, its service account; else ~/.kube/config. Files of certificates and
 * tokens are not read yet (auth.h).
 */
bool kubeconfig_load(struct arena *a, const struct kubeconfig_options *options, struct diags *diags, struct kubeconfig *ret);

/* One file's text, as if it were all there is; for tests and fuzzing. */
bool kubeconfig_parse(struct arena *a, struct str text, const char *path, const char *context, struct diags *diags,
                      struct kubeconfig *ret);
