/*
 * A certificate for a server that only an API server calls: a new certificate authority signs it, and then the authority's key is
 * discarded. So the only secret is the server's key, and a new certificate has a new authority: clients that trust both the old
 * and the new one see no interruption.
 */
#pragma once

#include "base/diag.h"

enum { CERTIFICATE_MAX_PEM = 64 << 10 };

struct certificate {
    struct str ca;    /* certificate of the authority; PEM, as all here */
    struct str chain; /* certificate of the server, followed by the authority's */
    struct str key;   /* secret */
};

/* `host`: a name or an address (IPv4, IPv6). Everything is in `a`; wipe the key when it is no longer needed (str_wipe). */
bool certificate_make(struct arena *a, struct str host, int64_t valid_s, struct diags *diags, struct certificate *ret);

/* Does the key belong to the first certificate, and is that for this host, valid now, and still valid in `left_s` seconds? */
bool certificate_is_good(struct str chain, struct str key, struct str host, int64_t left_s);
/* Is the first certificate still valid? */
bool certificate_is_valid(struct str pem);
