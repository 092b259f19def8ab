#include "base/duration.h"

#include "base/ascii.h"
#include "base/clock.h"

static bool unit_of(struct str name, int64_t *ret_ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"ns", 1},         {"us", 1000},    {"\xc2\xb5s", 1000},  {"\xce\xbcs", 1000},
        {"ms", NS_PER_MS}, {"s", NS_PER_S}, {"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S},
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_eqz(name, units[i].name)) {
            *ret_ns = units[i].ns;
            return true;
        }
    return false;
}

/* Takes the digits at the start as a number; false when it is too large. */
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

/* Takes the digits after a point; anything below a nanosecond is cut off. */
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

/* Takes one number with its unit, such as 1.5h. */
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

bool duration_parse(struct str text, int64_t *ret_ns)
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
