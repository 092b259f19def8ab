/*
 * The detached OpenPGP signature of a package's checksums, by librnp (docs/decisions.md says why that one).
 *
 * What counts is what real Terraform counts: the signature must be by a key that the registry names and that is not revoked. A
 * key that has expired since it signed is good for what it signed before.
 */
#pragma once

#include "base/diag.h"

enum { OPENPGP_MAX_KEYS = 32 };

/*
 * Is `signature` (binary or armoured) a signature of `data` by one of the keys (armoured)? *ret_key: the id of the key that
 * signed, in 16 hexadecimal digits. Otherwise *reterr_why says why not, a clause without full stop. False without a reason: a
 * diagnostic.
 */
bool openpgp_verify(struct arena *a, const struct str *keys, size_t n_keys, struct str data, struct str signature,
                    struct diags *diags, struct str *ret_key, struct str *reterr_why);
