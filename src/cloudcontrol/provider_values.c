#include "cloudcontrol/provider_values.h"

enum { ARN_PARTS = 6 };

/* The part of an ARN, from 0 ("arn"); false: it has not that many. */
static bool arn_part(struct str arn, size_t part, struct str *ret)
{
    for (size_t i = 0; i < ARN_PARTS; i++) {
        bool last = i + 1 == ARN_PARTS;
        if (!last && str_find(arn, ':', 0) == SIZE_MAX)
            return false;
        struct str text = last ? arn : str_cut(&arn, ':');
        if (i == part)
            *ret = text;
    }
    return true;
}

bool cc_arn_valid(struct str text)
{
    struct str start;
    return str_starts(text, STR("arn:")) && arn_part(text, 0, &start);
}

struct str cc_arn_account(struct str arn)
{
    struct str account = STR_EMPTY;
    return arn_part(arn, 4, &account) ? account : STR_EMPTY;
}

struct str cc_arn_partition(struct str arn)
{
    struct str partition = STR_EMPTY;
    return arn_part(arn, 1, &partition) ? partition : STR_EMPTY;
}

/* Durations */

static bool unit_of(struct str name, int64_t *ret_ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"ns", 1},
        {"us", 1000},
        {"\xc2\xb5s", 1000},
        {"\xce\xbcs", 1000},
        {"ms", 1000000},
        {"s", 1000000000},
        {"m", 60 * INT64_C(1000000000)},
        {"h", 3600 * INT64_C(1000000000)},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_eqz(name, units[i].name)) {
            *ret_ns = units[i].ns;
            return true;
        }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits at the start as a number; false: too large. */
static bool take_digits(struct str *rest, int64_t *ret)
{
    int64_t number = 0;
    size_t n = 0;
    for (; n < rest->n && is_digit(rest->p[n]); n++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, rest->p[n] - '0', &number))
            return false;
    *rest = str_slice(*rest, n, rest->n);
    *ret = number;
    return true;
}

/* Digits behind a point: each is a tenth of what the one before it is. What is less than a nanosecond is cut off. */
static int64_t take_fraction(struct str *rest, int64_t unit)
{
    int64_t ns = 0, scaled = unit, divisor = 10;
    size_t n = 0;
    for (; n < rest->n && is_digit(rest->p[n]); n++) {
        int64_t digit = rest->p[n] - '0';
        if (divisor <= scaled * 10 && divisor > 0) {
            ns += scaled * digit / divisor;
            divisor *= 10;
        }
    }
    *rest = str_slice(*rest, n, rest->n);
    return ns;
}

/* One number with its unit, as 1.5h. */
static bool take_part(struct str *rest, int64_t *total)
{
    struct str from = *rest;
    int64_t whole, unit, ns;
    if (!take_digits(rest, &whole))
        return false;
    bool any = rest->p > from.p;
    struct str fraction = STR_EMPTY;
    if (rest->n > 0 && rest->p[0] == '.') {
        *rest = str_slice(*rest, 1, rest->n);
        size_t n = 0;
        while (n < rest->n && is_digit(rest->p[n]))
            n++;
        fraction = str_slice(*rest, 0, n);
        *rest = str_slice(*rest, n, rest->n);
        any |= n > 0;
    }
    size_t n = 0;
    while (n < rest->n && rest->p[n] != '.' && !is_digit(rest->p[n]))
        n++;
    if (!any || !unit_of(str_slice(*rest, 0, n), &unit))
        return false;
    *rest = str_slice(*rest, n, rest->n);
    return !__builtin_mul_overflow(whole, unit, &ns) && !__builtin_add_overflow(ns, take_fraction(&fraction, unit), &ns) &&
           !__builtin_add_overflow(*total, ns, total);
}

bool cc_duration_parse(struct str text, int64_t *ret_ns)
{
    int64_t total = 0;
    bool negative = str_starts(text, STR("-"));
    if (negative || str_starts(text, STR("+")))
        text = str_slice(text, 1, text.n);
    if (text.n == 0)
        return false;
    if (!str_eqz(text, "0"))
        while (text.n > 0)
            if (!take_part(&text, &total))
                return false;
    *ret_ns = negative ? -total : total;
    return true;
}

/* Values */

static const struct value *checked(struct arena *a, const struct value *v, bool valid)
{
    return v->state != VALUE_KNOWN || valid ? v : value_unknown(a, v->type);
}

bool cc_arn_value_valid(const struct value *v)
{
    return v->state != VALUE_KNOWN || cc_arn_valid(v->string);
}

bool cc_duration_value_valid(const struct value *v)
{
    int64_t ns;
    return v->state != VALUE_KNOWN || cc_duration_parse(v->string, &ns);
}

const struct value *cc_arn_value(struct arena *a, const struct value *configured)
{
    return checked(a, configured, cc_arn_value_valid(configured));
}

const struct value *cc_duration_value(struct arena *a, const struct value *configured)
{
    return checked(a, configured, cc_duration_value_valid(configured));
}
