/*
 * Which API server to use, and with which credentials: from kubeconfig files as kubectl reads them, or from a pod's service
 * account.
 *
 * - KUBECONFIG names files, separated by colons; files that do not exist are skipped. If several files have a cluster, user or
 *   context of the same name, the first one counts, as a whole; so does the first current-context. Paths in a kubeconfig are
 *   relative to it.
 * - Inline data wins over a file. A token file wins over a token, unless it cannot be read.
 * - An error names the file and line, and never shows a value that may be secret.
 */
#pragma once

#include "base/diag.h"
#include "base/json.h"

enum {
    KUBECONFIG_MAX_FILE = 4 << 20,
    KUBECONFIG_MAX_FILES = 64,
    KUBECONFIG_MAX_ARGS = 256, /* of an exec plugin; also limits its variables, the groups and the extra values */
};

/* A value given inline or by a file, which may change; neither: there is no value. */
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
    const char *command;    /* a path, or a name to look up in PATH */
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
    const struct kube_pair *extra; /* a name may occur several times */
    size_t n_extra;
};

struct kubeconfig {
    struct str server; /* "https://10.0.0.1:6443", without a trailing slash, with the scheme */
    struct kube_text ca, certificate, key, token;
    struct str username, password;
    const char *tls_server_name, *proxy; /* NULL: not stated */
    bool insecure;
    const struct kube_exec *exec;   /* NULL: there is none */
    const struct json *exec_config; /* the cluster's configuration for exec plugins; NULL: none */
    struct kube_impersonate as;     /* without a user: no impersonation */
    struct str namespace;           /* "default" if it is not stated */
    struct str title;               /* for messages: "context \"prod\" of ~/.kube/config" */
};

struct kubeconfig_options {
    const char *const *env;
    const char *file;    /* only this file; NULL: as the environment says */
    const char *context; /* NULL: the current one */
    const char *account; /* folder of a pod's service account; NULL: where Kubernetes mounts it */
};

/*
 * Reads the given file; else those of KUBECONFIG; else, in a pod, its service account; else ~/.kube/config. Does not read the
 * files of certificates and tokens yet (auth.h).
 */
bool kubeconfig_load(struct arena *a, const struct kubeconfig_options *options, struct diags *diags, struct kubeconfig *ret);

/* Parses the text of one file as the whole configuration; for tests and fuzzing. */
bool kubeconfig_parse(struct arena *a, struct str text, const char *path, const char *context, struct diags *diags,
                      struct kubeconfig *ret);
