/* Why the server may have answered 401: it does not give the reason itself. */
#pragma once

#include "kube/auth.h"

/*
 * "The client certificate in /home/jo/.kube/jo.crt expired at 2026-11-18T07:00:00Z: renew it." Looks at the certificate, and at
 * the token if it is a JWT; empty when neither is known to have expired. The result is in `a`.
 */
struct str kube_expired(struct arena *a, const struct kube_identity *identity, const struct kubeconfig *config, int64_t wall_ns);
