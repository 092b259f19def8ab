/*
 * Verifies the detached OpenPGP signature of a package's checksums with librnp (docs/decisions.md says why librnp).
 *
 * The rules are Terraform's: the signature must be by a key that the registry names and that is not revoked. A key that has
 * expired since is valid for signatures that it made before.
 */
#pragma once

#include "base/diag.h"

enum { OPENPGP_MAX_KEYS = 32 };

/*
 * Is `signature` (binary or armoured) a signature of `data` by one of the keys (armoured)? *ret_key: the id of the key that
 * signed, in 16 hexadecimal digits. If not, *reterr_why is the reason, as a clause without full stop. False with an empty reason:
 * there is a diagnostic.
 */
bool openpgp_verify(struct arena *a, const struct str *keys, size_t n_keys, struct str data, struct str signature,
                    struct diags *diags, struct str *ret_key, struct str *reterr_why);
