/*
 * Numbers: binary floating point of 512 bits, as Terraform has; an int64 where it fits exactly.
 *
 * A number text is never passed through a double. `0.1` read from text and the double 0.1 are two different numbers.
 * Canonical: a value that is an int64 is always kept as one, so `big` is NULL exactly then.
 */
#pragma once

#include "base/arena.h"

enum { NUMBER_BITS = 512, NUMBER_MAX_TEXT = 4096 };

struct number_big; /* in the arena; an MPFR value with its limbs */

struct number {
    const struct number_big *big; /* NULL: `i` is the value */
    int64_t i;
};

struct number number_from_i64(int64_t i);
struct number number_from_u64(struct arena *a, uint64_t u);
struct number number_from_double(struct arena *a, double d); /* exact; NaN is a programmer's error */
/* Decimal text: sign, digits, fraction, exponent; base 10; rounded to nearest even. False if it is none or is too long. */
bool number_parse(struct arena *a, struct str text, struct number *ret);

int number_cmp(struct number a, struct number b);
bool number_is_integer(struct number n);
bool number_is_infinite(struct number n);
bool number_to_i64(struct number n, int64_t *ret);   /* only if exact */
bool number_to_double(struct number n, double *ret); /* only if exact; infinities are */
/* The shortest decimal that reads back as the same number, without exponent: 1, -0.5, 1000000. "Inf", "-Inf". */
struct str number_text(struct arena *a, struct number n);
uint64_t number_hash(struct number n, uint64_t seed); /* equal numbers, equal hash */
