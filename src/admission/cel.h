/*
 * The expressions of x-kubernetes-validations: the part of the Common Expression Language that rules of our CRDs, and most
 * others, are written in. Anything else is refused with the reason, so that no rule is taken for true because it was not
 * understood.
 *
 * self and oldSelf; null, true, numbers, texts, lists; fields (with reserved words and odd characters as __word__), elements,
 * has(); ! - * / % + - < <= > >= == != in && || ?:; size, startsWith, endsWith, contains, matches (with a pattern that is a
 * literal); all, exists, exists_one, filter, map. Values have the types that the schema gives them.
 */
#pragma once

#include "base/json.h"

enum { CEL_MAX_TEXT = 16 << 10, CEL_MAX_NODES = 4096, CEL_MAX_DEPTH = 100, CEL_MAX_STEPS = 1 << 20 };

struct cel;
struct openapi;

/* All in `a`, with views into the text. NULL: *ret_why says what is wrong, and at which character. */
const struct cel *cel_parse(struct arena *a, struct str text, struct str *ret_why);

/* Does it mention this variable? */
bool cel_uses(const struct cel *e, const char *variable);

/*
 * Is every name in it known: variables, and fields of self as far as `self` says? As a server, CEL sees no field that may hold
 * anything. False: *ret_why says which is not.
 */
bool cel_check(struct arena *a, const struct cel *e, const struct openapi *self, struct str *ret_why);

/* A part of an object with its type. */
struct cel_data {
    const struct json *json; /* NULL: the variable has no value */
    const struct openapi *schema;
};

enum cel_verdict { CEL_FALSE, CEL_TRUE, CEL_ERROR /* *ret_why says why, as the end of a sentence */ };
enum cel_verdict cel_eval(struct arena *a, const struct cel *e, struct cel_data self, struct cel_data old, struct str *ret_why);
