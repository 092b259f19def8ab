/*
 * Credentials of requests, kept fresh: token and certificate files are read again every minute, exec plugins run again when their
 * credentials have expired, and both happen at once when the server rejects the current credentials.
 *
 * An identity is an immutable snapshot. Each request holds one while it runs; its secrets are overwritten when the last holder
 * releases it. Functions may be called from any thread; while a plugin runs, other threads that need an identity wait for it.
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
/* All identities must have been released. Accepts NULL. */
void kube_auth_free(struct kube_auth *auth);

/*
 * The current identity. `refused` (may be NULL) is an identity that the server has rejected; it is replaced if it is still the
 * newest. Returns NULL and a diagnostic when a file cannot be read or the plugin failed.
 */
const struct kube_identity *kube_auth_get(struct kube_auth *auth, const struct kube_identity *refused, struct cancel *cancel,
                                          struct diags *diags);
void kube_auth_release(struct kube_auth *auth, const struct kube_identity *identity);
