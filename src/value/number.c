/*
 * MPFR numbers whose limbs are in the arena: MPFR allocates nothing for them, so nothing has to be freed.
 */
#include "base/ascii.h"
#include "base/buf.h"
#include "value/number_private.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum {
    /* log2(10) is 3.3219: the binary exponent of 10^NUMBER_MAX_EXPONENT, rounded up. */
    MAX_BINARY_EXPONENT = NUMBER_MAX_EXPONENT * 33220 / 10000,
    /* The largest exponent that a text may have; the digits of the fraction may bring a larger one back within the limits. */
    MAX_WRITTEN_EXPONENT = 4 * NUMBER_MAX_EXPONENT + NUMBER_MAX_TEXT,
};

static struct number_big *new_big(struct arena *a, mpfr_prec_t bits)
{
    size_t limbs = mpfr_custom_get_size(bits);
    struct number_big *b = arena_alloc(a, sizeof *b + limbs, alignof(struct number_big));
    mpfr_custom_init(b->limbs, bits);
    mpfr_custom_init_set(b->x, MPFR_ZERO_KIND, 0, bits, b->limbs);
    return b;
}

struct number number_from_i64(int64_t i)
{
    return (struct number){.i = i};
}

struct number number_from_u64(struct arena *a, uint64_t u)
{
    if (u <= INT64_MAX)
        return number_from_i64((int64_t)u);
    struct number_big *b = new_big(a, NUMBER_BITS);
    (void)mpfr_set_uj(b->x, u, MPFR_RNDN);
    return (struct number){.big = b};
}

struct number number_from_double(struct arena *a, double d)
{
    assert(!isnan(d));
    if (fabs(d) < 0x1p53 && d == trunc(d))
        return number_from_i64((int64_t)d);
    struct number_big *b = new_big(a, DOUBLE_BITS);
    (void)mpfr_set_d(b->x, d, MPFR_RNDN);
    return (struct number){.big = b};
}

struct number number_copy(struct arena *a, struct number n)
{
    if (!n.big)
        return n;
    struct number_big *b = new_big(a, mpfr_get_prec(n.big->x));
    (void)mpfr_set(b->x, n.big->x, MPFR_RNDN);
    return (struct number){.big = b};
}

/* The parts of a number's text. */
struct literal {
    bool negative;
    struct str mantissa; /* digits and at most one point */
    bool is_zero;
    bool has_fraction;
    bool is_binary; /* the exponent is a power of two */
    int64_t exponent;
};

static bool scan_mantissa(struct str *rest, struct literal *l)
{
    size_t digits = 0, i = 0;
    l->is_zero = true;
    for (; i < rest->n; i++) {
        char c = rest->p[i];
        if (c == '.' && !l->has_fraction) {
            l->has_fraction = true;
        } else if (is_digit(c)) {
            digits++;
            l->is_zero &= c == '0';
        } else {
            break;
        }
    }
    l->mantissa = str_slice(*rest, 0, i);
    *rest = str_slice(*rest, i, rest->n);
    return digits > 0;
}

/* The exponent saturates beyond MAX_WRITTEN_EXPONENT, where it is refused anyway. */
static bool scan_exponent(struct str *rest, struct literal *l)
{
    if (rest->n == 0)
        return true;
    char mark = rest->p[0];
    if (mark != 'e' && mark != 'E' && mark != 'p' && mark != 'P')
        return false;
    l->is_binary = mark == 'p' || mark == 'P';
    size_t i = 1;
    bool negative = i < rest->n && rest->p[i] == '-';
    if (i < rest->n && (rest->p[i] == '-' || rest->p[i] == '+'))
        i++;
    if (i == rest->n)
        return false;
    for (; i < rest->n; i++) {
        if (!is_digit(rest->p[i]))
            return false;
        if (l->exponent <= MAX_WRITTEN_EXPONENT)
            l->exponent = l->exponent * 10 + (rest->p[i] - '0');
    }
    if (negative)
        l->exponent = -l->exponent;
    *rest = STR_EMPTY;
    return true;
}

static bool scan(struct str text, struct literal *l)
{
    *l = (struct literal){0};
    struct str rest = text;
    if (rest.n > 0 && (rest.p[0] == '-' || rest.p[0] == '+')) {
        l->negative = rest.p[0] == '-';
        rest = str_slice(rest, 1, rest.n);
    }
    return scan_mantissa(&rest, l) && scan_exponent(&rest, l) && rest.n == 0;
}

/* A short integer without exponent needs no MPFR. */
static bool parse_small(const struct literal *l, struct number *ret)
{
    enum { SAFE_DIGITS = 18 };
    if (l->has_fraction || l->exponent != 0 || l->mantissa.n > SAFE_DIGITS)
        return false;
    int64_t i = 0;
    for (size_t k = 0; k < l->mantissa.n; k++)
        i = i * 10 + (l->mantissa.p[k] - '0');
    *ret = number_from_i64(l->negative ? -i : i);
    return true;
}

static bool parse_infinity(struct arena *a, struct str text, struct number *ret)
{
    bool negative = text.n > 0 && text.p[0] == '-';
    if (text.n == 4 && (text.p[0] == '-' || text.p[0] == '+'))
        text = str_slice(text, 1, text.n);
    if (!str_eqz(text, "Inf") && !str_eqz(text, "inf"))
        return false;
    *ret = number_from_double(a, negative ? -INFINITY : INFINITY);
    return true;
}

static bool parse_big(struct arena *a, const struct literal *l, struct number *ret)
{
    if (l->exponent > MAX_WRITTEN_EXPONENT || l->exponent < -MAX_WRITTEN_EXPONENT)
        return false;
    struct str text = arena_printf(a, STR_FMT "e%d", STR_ARG(l->mantissa), l->is_binary ? 0 : (int)l->exponent);
    struct number_big *b = new_big(a, NUMBER_BITS);
    if (mpfr_set_str(b->x, text.p, 10, MPFR_RNDN) != 0)
        return false;
    if (l->is_binary)
        (void)mpfr_mul_2si(b->x, b->x, (long)l->exponent, MPFR_RNDN);
    if (l->negative)
        (void)mpfr_neg(b->x, b->x, MPFR_RNDN);
    mpfr_exp_t exponent = mpfr_get_exp(b->x);
    if (exponent > MAX_BINARY_EXPONENT || exponent < -MAX_BINARY_EXPONENT)
        return false;
    *ret = mpfr_integer_p(b->x) && mpfr_fits_intmax_p(b->x, MPFR_RNDN) ? number_from_i64(mpfr_get_sj(b->x, MPFR_RNDN))
                                                                       : (struct number){.big = b};
    return true;
}

/* Equal to zero in every way except its text, "-0", which conversion to a string returns. */
static struct number negative_zero(struct arena *a)
{
    struct number_big *b = new_big(a, NUMBER_BITS);
    mpfr_set_zero(b->x, -1);
    return (struct number){.big = b};
}

bool number_parse(struct arena *a, struct str text, struct number *ret)
{
    struct literal l;
    if (text.n > NUMBER_MAX_TEXT)
        return false;
    if (!scan(text, &l))
        return parse_infinity(a, text, ret);
    if (l.is_zero) {
        *ret = l.negative ? negative_zero(a) : number_from_i64(0);
        return true;
    }
    return parse_small(&l, ret) || parse_big(a, &l, ret);
}

int number_cmp(struct number a, struct number b)
{
    if (!a.big && !b.big)
        return a.i < b.i ? -1 : a.i > b.i;
    if (!b.big)
        return mpfr_cmp_si(a.big->x, b.i);
    if (!a.big)
        return -mpfr_cmp_si(b.big->x, a.i);
    return mpfr_cmp(a.big->x, b.big->x);
}

/* Different values with the same text differ in precision and are nearly equal. */
static bool may_share_text(struct number a, struct number b)
{
    return a.big && b.big && mpfr_regular_p(a.big->x) && mpfr_regular_p(b.big->x) &&
           mpfr_signbit(a.big->x) == mpfr_signbit(b.big->x) &&
           labs((long)(mpfr_get_exp(a.big->x) - mpfr_get_exp(b.big->x))) <= 1 && !mpfr_integer_p(a.big->x) &&
           !mpfr_integer_p(b.big->x);
}

bool number_eq(struct number a, struct number b)
{
    if (number_cmp(a, b) == 0)
        return true;
    if (!may_share_text(a, b))
        return false;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return str_eq(number_text(scratch, a), number_text(scratch, b));
}

bool number_is_integer(struct number n)
{
    return !n.big || mpfr_integer_p(n.big->x);
}

bool number_is_infinite(struct number n)
{
    return n.big && mpfr_inf_p(n.big->x);
}

bool number_to_i64(struct number n, int64_t *ret)
{
    if (!n.big) {
        *ret = n.i;
        return true;
    }
    if (!mpfr_integer_p(n.big->x) || !mpfr_fits_intmax_p(n.big->x, MPFR_RNDN))
        return false;
    *ret = mpfr_get_sj(n.big->x, MPFR_RNDN);
    return true;
}

bool number_to_double(struct number n, double *ret)
{
    if (!n.big) {
        double d = (double)n.i;
        if (d >= 0x1p63 || (int64_t)d != n.i)
            return false;
        *ret = d;
        return true;
    }
    double d = mpfr_get_d(n.big->x, MPFR_RNDN);
    if (mpfr_cmp_d(n.big->x, d) != 0)
        return false;
    *ret = d;
    return true;
}

uint64_t number_hash(struct number n, uint64_t seed)
{
    int64_t i;
    if (number_to_i64(n, &i))
        return str_hash((struct str){(const char *)&i, sizeof i}, seed);
    /* Large integers are compared by value and other numbers by text; in both cases equal numbers have the same ten digits. */
    struct buf digits BUF_AUTO = BUF_INIT(NUMBER_MAX_DIGITS);
    number_write_brief(&digits, n);
    return str_hash(buf_str(&digits), seed);
}
