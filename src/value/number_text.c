/*
 * The decimal text of a number.
 *
 * The shortest text is found digit by digit, as in Terraform's language runtime: from the exact decimals of the number and of the
 * two points half a unit in the last place below and above it, digits are kept until the number, rounded down or up there, lies
 * between the two points. (This differs from the textbook rule at powers of two, where the lower neighbour is nearer; but
 * equality depends on the text, so it has to be the same.)
 *
 * A decimal is 0.DIGITS * 10^point, without zeros at the end.
 */
#include "base/buf.h"
#include "value/number_private.h"

#include <gmp.h>
#include <inttypes.h>
#include <stdio.h>

struct decimal {
    char *digits;
    size_t n;
    long point;
};

/* mantissa * 2^exponent, exactly. */
static struct decimal exact_decimal(struct arena *a, const mpz_t mantissa, long exponent)
{
    mpz_t scaled;
    mpz_init(scaled);
    if (exponent >= 0) {
        mpz_mul_2exp(scaled, mantissa, (mp_bitcnt_t)exponent);
    } else {
        mpz_ui_pow_ui(scaled, 5, (unsigned long)-exponent);
        mpz_mul(scaled, scaled, mantissa);
    }
    struct decimal d = {.digits = arena_alloc(a, mpz_sizeinbase(scaled, 10) + 2, 1)};
    (void)mpz_get_str(d.digits, 10, scaled);
    mpz_clear(scaled);
    d.n = strlen(d.digits);
    d.point = (long)d.n + (exponent < 0 ? exponent : 0);
    while (d.n > 0 && d.digits[d.n - 1] == '0')
        d.n--;
    return d;
}

static char digit_at(const struct decimal *d, size_t i)
{
    return i < d->n ? d->digits[i] : '0';
}

static void round_down(struct decimal *d, size_t n)
{
    d->n = n;
    while (d->n > 0 && d->digits[d->n - 1] == '0')
        d->n--;
}

static void round_up(struct decimal *d, size_t n)
{
    while (n > 0 && d->digits[n - 1] == '9')
        n--;
    if (n == 0) {
        d->digits[0] = '1';
        d->n = 1;
        d->point++;
        return;
    }
    d->digits[n - 1]++;
    d->n = n;
}

/* Ties round to the even digit. */
static void round_nearest(struct decimal *d, size_t n)
{
    if (n >= d->n)
        return;
    bool is_half = d->digits[n] == '5' && n + 1 == d->n;
    bool up = is_half ? n > 0 && (d->digits[n - 1] - '0') % 2 == 1 : d->digits[n] >= '5';
    if (up)
        round_up(d, n);
    else
        round_down(d, n);
}

static void shorten(struct decimal *d, const struct decimal *lower, const struct decimal *upper, bool bounds_included)
{
    for (size_t i = 0; i < d->n; i++) {
        char digit = d->digits[i], low = digit_at(lower, i), high = digit_at(upper, i);
        bool may_go_down = low != digit || (bounds_included && i + 1 == lower->n);
        bool may_go_up = digit != high && (bounds_included || digit + 1 < high || i + 1 < upper->n);
        if (may_go_down && may_go_up)
            round_nearest(d, i + 1);
        else if (may_go_down)
            round_down(d, i + 1);
        else if (may_go_up)
            round_up(d, i + 1);
        else
            continue;
        return;
    }
}

/* The magnitude of a finite number that is not zero. */
static struct decimal shortest(struct arena *a, mpfr_srcptr x)
{
    mpz_t mantissa;
    mpz_init(mantissa);
    /* All bits of the precision, plus one for the half unit. */
    long exponent = (long)mpfr_get_z_2exp(mantissa, x) - 1;
    mpz_abs(mantissa, mantissa);
    bool is_even = mpz_even_p(mantissa);
    mpz_mul_2exp(mantissa, mantissa, 1);

    struct decimal d = exact_decimal(a, mantissa, exponent);
    mpz_sub_ui(mantissa, mantissa, 1);
    struct decimal lower = exact_decimal(a, mantissa, exponent);
    mpz_add_ui(mantissa, mantissa, 2);
    struct decimal upper = exact_decimal(a, mantissa, exponent);
    mpz_clear(mantissa);
    shorten(&d, &lower, &upper, is_even);
    return d;
}

static void write_zeros(struct buf *out, long n)
{
    while (n-- > 0)
        buf_addc(out, '0');
}

static void write_plain(struct buf *out, const struct decimal *d)
{
    if (d->point <= 0) {
        buf_addz(out, "0.");
        write_zeros(out, -d->point);
        buf_add(out, (struct str){d->digits, d->n});
        return;
    }
    size_t whole = (size_t)d->point < d->n ? (size_t)d->point : d->n;
    buf_add(out, (struct str){d->digits, whole});
    write_zeros(out, d->point - (long)d->n);
    if (d->n > whole) {
        buf_addc(out, '.');
        buf_add(out, (struct str){d->digits + whole, d->n - whole});
    }
}

static void write_scientific(struct buf *out, const struct decimal *d)
{
    buf_addc(out, d->digits[0]);
    if (d->n > 1) {
        buf_addc(out, '.');
        buf_add(out, (struct str){d->digits + 1, d->n - 1});
    }
    long exponent = d->point - 1;
    buf_printf(out, "e%c%02ld", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

/* Infinities and negative zero, which have no digits; empty for all others. */
static struct str special_text(mpfr_srcptr x)
{
    if (mpfr_zero_p(x))
        return mpfr_signbit(x) ? STR("-0") : STR("0");
    if (!mpfr_inf_p(x))
        return STR_EMPTY;
    return mpfr_signbit(x) ? STR("-Inf") : STR("+Inf");
}

struct str number_text(struct arena *a, struct number n)
{
    if (!n.big)
        return arena_printf(a, "%" PRId64, n.i);
    struct str special = special_text(n.big->x);
    if (special.n > 0)
        return special;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(NUMBER_MAX_DIGITS);
    if (mpfr_signbit(n.big->x))
        buf_addc(&out, '-');
    struct decimal d = shortest(scratch, n.big->x);
    write_plain(&out, &d);
    return buf_copy(&out, a);
}

enum { BRIEF_DIGITS = 10 };

/* Scientific when the exponent is below -4 or beyond the digits that would be shown. */
static void write_brief(struct buf *out, const struct decimal *d)
{
    long shown = BRIEF_DIGITS;
    if (shown > (long)d->n && (long)d->n >= d->point)
        shown = (long)d->n;
    if (d->point - 1 < -4 || d->point - 1 >= shown)
        write_scientific(out, d);
    else
        write_plain(out, d);
}

void number_write_brief(struct buf *out, struct number n)
{
    if (!n.big && n.i > -10000000000 && n.i < 10000000000) {
        buf_printf(out, "%" PRId64, n.i);
        return;
    }
    struct str special = n.big ? special_text(n.big->x) : STR_EMPTY;
    if (special.n > 0) {
        buf_add(out, special);
        return;
    }
    /* Uses the exact decimal, so that it is rounded only once. */
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    mpz_t mantissa;
    mpz_init(mantissa);
    bool negative = n.big ? mpfr_signbit(n.big->x) : n.i < 0;
    long exponent = 0;
    if (n.big)
        exponent = (long)mpfr_get_z_2exp(mantissa, n.big->x);
    else
        mpz_set_si(mantissa, n.i);
    mpz_abs(mantissa, mantissa);
    struct decimal d = exact_decimal(scratch, mantissa, exponent);
    mpz_clear(mantissa);
    round_nearest(&d, BRIEF_DIGITS);
    if (negative)
        buf_addc(out, '-');
    write_brief(out, &d);
}
