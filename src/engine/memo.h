/*
 * A memo of answers that a provider process would repeat. Two calls depend on nothing but their arguments: the validation of a
 * configuration, and the upgrade of a stored object. A reconciler plans the same object again and again; without the memo, two of
 * the four calls of each plan would only repeat an answer.
 *
 * Only the most common answers are remembered: "no diagnostics" and "no change". The table keeps a hash (SHA-256, cut to 128
 * bits) of the arguments; its size is fixed, and newer entries replace older ones. An entry is valid for MEMO_FOR only, because a
 * provider's answer may depend on the time. Thread-safe.
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
 * The key of a call: its name, the resource type, and the JSON from which the rest of the request is made. The JSON tree itself
 * is hashed, without encoding it; the same content written differently (1 and 1.0, say) has another key.
 */
struct memo_key memo_key(const struct memo *m, const char *call, struct str type, int64_t version, const struct json *arguments);
/* `now` is the time of the system's clock. */
bool memo_has(struct memo *m, struct memo_key key, int64_t now);
void memo_add(struct memo *m, struct memo_key key, int64_t now);
