/*
 * Secrets at rest: XChaCha20-Poly1305 (libsodium) with one key for a store. Sealed data is bound to a context (its object and
 * version), so it cannot be moved to another row. Plain text is overwritten as soon as it is no longer needed.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

struct sealer;

/* Environment variable with the key (64 hexadecimal digits), used instead of the file. */
#define SEAL_VARIABLE "TERRANE_STORE_KEY"

/*
 * Takes the key from TERRANE_STORE_KEY, else from the file, which is created (0600) when it does not exist and `may_make`.
 * Otherwise returns NULL and a diagnostic.
 */
struct sealer *sealer_open(const char *key_file, bool may_make, struct diags *diags);
/* Overwrites the key; accepts NULL. */
void sealer_close(struct sealer *s);
/* Where the key came from, for messages. */
const char *sealer_source(const struct sealer *s);

/* Appends the sealed bytes to `out`; false when `out` has no room for them. */
bool seal(const struct sealer *s, struct str context, struct str plain, struct buf *out);
/* Appends the plain bytes to `out`; false when the data was not sealed with this key and context. */
bool unseal(const struct sealer *s, struct str context, struct str sealed, struct buf *out);

/* Overwrites the strings of this tree before the arena is freed. They must be in this arena. */
struct json;
void seal_wipe_with(struct arena *a, const struct json *tree);
