/*
 * A memo of answers that a provider process would give again. Two calls depend on nothing but their arguments: the validation of
 * a configuration, and the upgrade of a stored object. Whoever looks at the same object again and again, as a reconciler does,
 * would hear the same answers each time, and pay two of the four calls of a plan for them.
 *
 * Only the commonest answer is remembered: "nothing to say" and "nothing to change". It is kept as a sum (SHA-256, cut to 128
 * bits) of the arguments, in a table of fixed size where newer ones push out older ones, and it counts for MEMO_FOR only: a
 * provider may look at the clock. Thread-safe.
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"

#define MEMO_FOR (300 * NS_PER_S)
enum { MEMO_SLOTS = 1 << 14 };

struct memo;
struct memo *memo_new(void);
void memo_free(struct memo *m); /* NULL is accepted */

struct memo_key {
    uint64_t half[2];
};
/*
 * Of a call by its name, the type of the resource, and the JSON from which all else that is sent is made. The tree itself is
 * summed, as it stands: nothing is encoded for it, and the same content written otherwise is another key.
 */
struct memo_key memo_key(const struct memo *m, const char *call, struct str type, int64_t version, const struct json *arguments);
/* `now` is that of the system's clock. */
bool memo_has(struct memo *m, struct memo_key key, int64_t now);
void memo_add(struct memo *m, struct memo_key key, int64_t now);
