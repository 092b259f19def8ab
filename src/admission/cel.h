/*
 * The expressions of x-kubernetes-validations: the part of the Common Expression Language that the rules of our CRDs and most
 * others use. Anything else is rejected with a reason, so that an unsupported rule never counts as true.
 *
 * Supported: self and oldSelf; null, booleans, numbers, strings, lists; fields (reserved words and special characters as
 * __word__), elements, has(); ! - * / % + - < <= > >= == != in && || ?:; size, startsWith, endsWith, contains, matches (with a
 * literal pattern); all, exists, exists_one, filter, map. The schema determines the types of values.
 */
#pragma once

#include "base/json.h"

enum { CEL_MAX_TEXT = 16 << 10, CEL_MAX_NODES = 4096, CEL_MAX_DEPTH = 100, CEL_MAX_STEPS = 1 << 20 };

struct cel;
struct openapi;

/* The result is in `a`, with views into the text. NULL: *ret_why has the error and its position. */
const struct cel *cel_parse(struct arena *a, struct str text, struct str *ret_why);

/* Does the expression use this variable? */
bool cel_uses(const struct cel *e, const char *variable);

/*
 * Is every name known: variables, and fields of self according to the schema `self`? Like a server's CEL, this sees no fields in
 * values of unknown type. False: *ret_why names the unknown one.
 */
bool cel_check(struct arena *a, const struct cel *e, const struct openapi *self, struct str *ret_why);

/* A part of an object, with its schema. */
struct cel_data {
    const struct json *json; /* NULL: the variable has no value */
    const struct openapi *schema;
};

enum cel_verdict { CEL_FALSE, CEL_TRUE, CEL_ERROR /* *ret_why says why, as the end of a sentence */ };
enum cel_verdict cel_eval(struct arena *a, const struct cel *e, struct cel_data self, struct cel_data old, struct str *ret_why);
