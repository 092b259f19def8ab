/* Why the server may not accept us: it only says that it does not. */
#pragma once

#include "kube/auth.h"

/*
 * "The client certificate in /home/jo/.kube/jo.crt expired at 2026-11-18T07:00:00Z: renew it." Of the certificate, or of a token
 * that tells (a JWT); empty: nothing has expired that can be seen. In `a`.
 */
struct str kube_expired(struct arena *a, const struct kube_identity *identity, const struct kubeconfig *config, int64_t wall_ns);
