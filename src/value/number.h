/*
 * Numbers: binary floating point of 512 bits, as Terraform has; an int64 where it fits.
 *
 * A number text is never passed through a double. A number that came as a double keeps its 53 bits of precision, for its
 * shortest text depends on it: the double 0.1 is written 0.1 and not with the 55 digits of its exact value.
 *
 * Equality follows Terraform: integers by value, all others by their text. So the double 0.1 and the text "0.1" are equal
 * although number_cmp tells them apart, and they still travel in different forms (see msgpack.h).
 *
 * `big` is NULL for every int64 except one that came as a double of 2^53 or more: there the text is shorter than the digits;
 * and except "-0", which is zero but keeps its text. Use number_to_i64 and not the fields. Infinities exist; NaN does not.
 *
 * Bounds: a text of at most NUMBER_MAX_TEXT bytes, a magnitude of at most 10^NUMBER_MAX_EXPONENT (and its inverse), so the
 * text of a number has at most NUMBER_MAX_DIGITS bytes.
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
struct number number_from_double(struct arena *a, double d); /* exact; NaN is a programmer's error */
/*
 * Decimal text: sign, digits, fraction, exponent (e: of ten, p: of two), or Inf; rounded to nearest even. False if it is none
 * or is out of bounds.
 */
bool number_parse(struct arena *a, struct str text, struct number *ret);
struct number number_copy(struct arena *a, struct number n);

int number_cmp(struct number a, struct number b); /* by exact value */
bool number_eq(struct number a, struct number b); /* as the language's ==, see above */
bool number_is_integer(struct number n);
bool number_is_infinite(struct number n);
bool number_to_i64(struct number n, int64_t *ret);   /* only if exact */
bool number_to_double(struct number n, double *ret); /* only if exact; infinities are */
/* The shortest decimal that reads back as the same number, without exponent: 1, -0.5, 1000000. "+Inf", "-Inf". */
struct str number_text(struct arena *a, struct number n);
/* Ten significant digits with an exponent where that is shorter, the form that orders sets: 1.5, 1e+20. */
struct buf;
void number_write_brief(struct buf *out, struct number n);
uint64_t number_hash(struct number n, uint64_t seed); /* equal numbers, equal hash */
