/*
 * The certificate of a server that nobody but an API server calls: an authority that signs once, and is then forgotten, and the
 * certificate it signed. So the only secret is the server's key, and a new certificate is a new authority: who trusts both (the
 * old one and the new) notices nothing.
 */
#pragma once

#include "base/diag.h"

enum { CERTIFICATE_MAX_PEM = 64 << 10 };

struct certificate {
    struct str ca;    /* the authority's; PEM, as all here */
    struct str chain; /* the server's, and the authority's behind it */
    struct str key;   /* secret */
};

/* `host`: a name or a number (IPv4, IPv6). All in `a`; wipe the key when it is no longer needed (str_wipe). */
bool certificate_make(struct arena *a, struct str host, int64_t valid_s, struct diags *diags, struct certificate *ret);

/* Is the key that of the first certificate, and is that one for this host, valid now and still so in `left_s` seconds? */
bool certificate_is_good(struct str chain, struct str key, struct str host, int64_t left_s);
/* Is the first certificate in it valid still? */
bool certificate_is_valid(struct str pem);
