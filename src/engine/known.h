/*
 * What a provider process has said and would say again. Two calls depend on nothing but their arguments: the validation of a
 * configuration, and the upgrade of a stored object. Whoever looks at the same object again and again, as a reconciler does,
 * would hear the same answers each time, and pay two of the four calls of a plan for them.
 *
 * Only the commonest answer is remembered: "nothing to say" and "nothing to change". It is kept as a sum (SHA-256, cut to 128
 * bits) of the arguments, in a table of fixed size where newer ones push out older ones, and it counts for KNOWN_FOR only: a
 * provider may look at the clock. Thread-safe.
 */
#pragma once

#include "base/clock.h"
#include "base/str.h"

#define KNOWN_FOR (300 * NS_PER_S)
enum { KNOWN_SLOTS = 1 << 14 };

struct known;
struct known *known_new(void);
void known_free(struct known *k); /* NULL is accepted */

struct known_sum {
    uint64_t half[2];
};
/* Of a call by its name, the type of the resource, and all else that is sent. */
struct known_sum known_sum(const struct known *k, const char *call, struct str type, int64_t version, struct str arguments);
/* `now` is that of the system's clock. */
bool known_has(struct known *k, struct known_sum sum, int64_t now);
void known_add(struct known *k, struct known_sum sum, int64_t now);
