/*
 * Secrets at rest: XChaCha20-Poly1305 (libsodium) with one key for a store. What is sealed is bound to a context (whose object it
 * is, which version), so it cannot be put in another's place. Plain text is overwritten as soon as it is not needed.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

struct sealer;

/* The variable that has the key (64 hexadecimal digits) instead of the file. */
#define SEAL_VARIABLE "TERRANE_STORE_KEY"

/*
 * The key of TERRANE_STORE_KEY, else of the file, which is made (0600) when it does not exist and `may_make`. NULL and a
 * diagnostic otherwise.
 */
struct sealer *sealer_open(const char *key_file, bool may_make, struct diags *diags);
/* Overwrites the key; accepts NULL. */
void sealer_close(struct sealer *s);
/* Where the key came from, for messages. */
const char *sealer_source(const struct sealer *s);

/* Appends the sealed bytes; false when `out` has no room for them. */
bool seal(const struct sealer *s, struct str context, struct str plain, struct buf *out);
/* The plain bytes, appended; false when this was not sealed with this key and context. */
bool unseal(const struct sealer *s, struct str context, struct str sealed, struct buf *out);

/* When the arena goes, the texts of this tree, which must be the arena's own, are overwritten first. */
struct json;
void seal_wipe_with(struct arena *a, const struct json *tree);
