/*
 * Numbers: binary floating point with 512 bits of precision, as in Terraform; stored as an int64 where possible.
 *
 * The text of a number is never passed through a double. A number that was received as a double keeps its 53 bits of precision,
 * because its shortest text depends on them: the double 0.1 is written as 0.1, not with the 55 digits of its exact value.
 *
 * Equality follows Terraform: integers by value, all others by their text. So the double 0.1 and the text "0.1" are equal,
 * although number_cmp() distinguishes them and they are encoded differently (see msgpack.h).
 *
 * `big` is NULL for every number that fits an int64, with two exceptions: one that was received as a double of 2^53 or more,
 * whose shortest text has fewer significant digits, and "-0", which is zero but keeps its text. So use number_to_i64() instead of
 * the fields. Infinities exist; NaN does not.
 *
 * Limits: an input text has at most NUMBER_MAX_TEXT bytes, a magnitude is between 10^-NUMBER_MAX_EXPONENT and
 * 10^NUMBER_MAX_EXPONENT, so the text of a number has at most NUMBER_MAX_DIGITS bytes.
 */
#pragma once

#include "base/arena.h"

enum {
    NUMBER_BITS = 512,
    NUMBER_MAX_TEXT = 16384,
    NUMBER_MAX_EXPONENT = 10000,
    NUMBER_MAX_DIGITS = NUMBER_MAX_EXPONENT + 200, /* 155 significant ones, point, sign */
};

struct number_big; /* in the arena; an MPFR value with its limbs */

struct number {
    const struct number_big *big; /* NULL: `i` is the value */
    int64_t i;
};

struct number number_from_i64(int64_t i);
struct number number_from_u64(struct arena *a, uint64_t u);
struct number number_from_double(struct arena *a, double d); /* exact; must not be NaN */
/*
 * Parses decimal text: sign, digits, fraction, exponent (e: of ten, p: of two), or Inf; rounds to nearest even. False when the
 * text is not a number or is outside the limits.
 */
bool number_parse(struct arena *a, struct str text, struct number *ret);
struct number number_copy(struct arena *a, struct number n);

int number_cmp(struct number a, struct number b); /* by exact value */
bool number_eq(struct number a, struct number b); /* as the language's ==, see above */
bool number_is_integer(struct number n);
bool number_is_infinite(struct number n);
bool number_to_i64(struct number n, int64_t *ret);   /* only if exact */
bool number_to_double(struct number n, double *ret); /* only if exact, which infinities are */
/* The shortest decimal that reads back as the same number, without an exponent: 1, -0.5, 1000000. Infinities are "+Inf" and
 * "-Inf". */
struct str number_text(struct arena *a, struct number n);
/* Writes ten significant digits, with an exponent where that is shorter: 1.5, 1e+20. Sets are ordered by this form. */
struct buf;
void number_write_brief(struct buf *out, struct number n);
uint64_t number_hash(struct number n, uint64_t seed); /* equal numbers have equal hashes */
