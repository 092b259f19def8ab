/*
 * As whom requests are sent, kept fresh: files of tokens and certificates are read again every minute, exec plugins run again
 * when what they gave has expired, both at once when the server refuses what we have.
 *
 * An identity is a snapshot that is never changed. Requests hold one while they are made; its secrets are overwritten when the
 * last has let go of it. From any thread; while a plugin runs, others who want an identity wait for it.
 */
#pragma once

#include "http/client.h"
#include "http/timing.h"
#include "kube/kubeconfig.h"

enum { KUBE_AUTH_REREAD_S = 60, KUBE_AUTH_MAX_FILE = 1 << 20 };

struct kube_identity {
    struct http_tls tls;
    const struct http_header *headers; /* Authorization, Impersonate-* */
    size_t n_headers;
};

struct kube_auth;

struct kube_auth_options {
    struct loop *loop;
    const struct http_time *time;
    const char *const *env;          /* for plugins */
    const struct kubeconfig *config; /* must outlive it */
};
struct kube_auth *kube_auth_new(const struct kube_auth_options *options);
/* All identities must have been released. NULL is accepted. */
void kube_auth_free(struct kube_auth *auth);

/*
 * The identity to be used now; `refused` (may be NULL) is one that the server has not accepted, and is replaced if it is still
 * the newest. NULL and a diagnostic: a file cannot be read, the plugin failed.
 */
const struct kube_identity *kube_auth_get(struct kube_auth *auth, const struct kube_identity *refused, struct cancel *cancel,
                                          struct diags *diags);
void kube_auth_release(struct kube_auth *auth, const struct kube_identity *identity);
