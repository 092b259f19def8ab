#include "yaml/yaml_scalar.h"

#include "base/ascii.h"
#include "base/buf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Longer texts are strings. */
enum { MAX_NUMBER = 4096 };

static const struct {
    struct str word;
    enum yaml_scalar_kind kind;
    bool boolean;
} words[] = {
    {{"", 0}, YAML_NULL, false},
    {{"~", 1}, YAML_NULL, false},
    {{"null", 4}, YAML_NULL, false},
    {{"Null", 4}, YAML_NULL, false},
    {{"NULL", 4}, YAML_NULL, false},
    {{"true", 4}, YAML_BOOL, true},
    {{"True", 4}, YAML_BOOL, true},
    {{"TRUE", 4}, YAML_BOOL, true},
    {{"false", 5}, YAML_BOOL, false},
    {{"False", 5}, YAML_BOOL, false},
    {{"FALSE", 5}, YAML_BOOL, false},
    {{"yes", 3}, YAML_BOOL, true},
    {{"Yes", 3}, YAML_BOOL, true},
    {{"YES", 3}, YAML_BOOL, true},
    {{"no", 2}, YAML_BOOL, false},
    {{"No", 2}, YAML_BOOL, false},
    {{"NO", 2}, YAML_BOOL, false},
    {{"on", 2}, YAML_BOOL, true},
    {{"On", 2}, YAML_BOOL, true},
    {{"ON", 2}, YAML_BOOL, true},
    {{"off", 3}, YAML_BOOL, false},
    {{"Off", 3}, YAML_BOOL, false},
    {{"OFF", 3}, YAML_BOOL, false},
    {{"y", 1}, YAML_BOOL, true},
    {{"Y", 1}, YAML_BOOL, true},
    {{"n", 1}, YAML_BOOL, false},
    {{"N", 1}, YAML_BOOL, false},
    {{".nan", 4}, YAML_NOT_FINITE, false},
    {{".NaN", 4}, YAML_NOT_FINITE, false},
    {{".NAN", 4}, YAML_NOT_FINITE, false},
    {{".inf", 4}, YAML_NOT_FINITE, false},
    {{".Inf", 4}, YAML_NOT_FINITE, false},
    {{".INF", 4}, YAML_NOT_FINITE, false},
    {{"+.inf", 5}, YAML_NOT_FINITE, false},
    {{"+.Inf", 5}, YAML_NOT_FINITE, false},
    {{"+.INF", 5}, YAML_NOT_FINITE, false},
    {{"-.inf", 5}, YAML_NOT_FINITE, false},
    {{"-.Inf", 5}, YAML_NOT_FINITE, false},
    {{"-.INF", 5}, YAML_NOT_FINITE, false},
};

static bool resolve_word(struct str text, struct yaml_scalar *ret)
{
    enum { LONGEST = 5 };
    if (text.n > LONGEST)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(words[i].word, text)) {
            *ret = (struct yaml_scalar){.kind = words[i].kind, .boolean = words[i].boolean};
            return true;
        }
    return false;
}

/* Integers */

static unsigned digit_value(char c)
{
    return is_digit(c)              ? (unsigned)(c - '0')
           : (c >= 'a' && c <= 'f') ? (unsigned)(c - 'a') + 10
           : (c >= 'A' && c <= 'F') ? (unsigned)(c - 'A') + 10
                                    : 99;
}

/* Parses all of `digits` in this base; false when it is empty, has another character, or exceeds 64 bits. */
static bool to_u64(struct str digits, unsigned base, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < digits.n; i++) {
        unsigned digit = digit_value(digits.p[i]);
        if (digit >= base || __builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *ret = value;
    return digits.n > 0;
}

/* Removes the base prefix and returns the base; 10 when there is no prefix. */
static unsigned take_base(struct str *digits)
{
    if (digits->n < 2 || digits->p[0] != '0')
        return 10;
    char mark = (char)(digits->p[1] | 0x20);
    unsigned base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' ? 8 : 0;
    *digits = str_slice(*digits, base > 0 ? 2 : 1, digits->n);
    return base > 0 ? base : 8;
}

/* `text` has no underscores. Signed numbers are int64, others may also be uint64. */
static bool resolve_int(struct arena *a, struct str text, struct yaml_scalar *ret)
{
    bool negative = text.p[0] == '-', has_sign = negative || text.p[0] == '+';
    struct str digits = str_slice(text, has_sign, text.n);
    unsigned base = take_base(&digits);
    uint64_t value;
    if (!to_u64(digits, base, &value))
        return false;
    if (has_sign && value > (uint64_t)INT64_MAX + negative)
        return false;
    const char *sign = negative && value > 0 ? "-" : "";
    *ret = (struct yaml_scalar){.kind = YAML_INT, .number = arena_printf(a, "%s%" PRIu64, sign, value)};
    return true;
}

/* Floats */

static struct str take_digits(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && is_digit(rest->p[n]))
        n++;
    struct str digits = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return digits;
}

static bool take_char(struct str *rest, const char *any_of, char *ret)
{
    if (rest->n == 0 || rest->p[0] == '\0' || !strchr(any_of, rest->p[0]))
        return false;
    *ret = rest->p[0];
    *rest = str_slice(*rest, 1, rest->n);
    return true;
}

/* Kubernetes stores floats in a double; larger numbers stay strings there, so here too. */
static bool fits_double(struct str number)
{
    return isfinite(strtod(number.p, NULL));
}

/* sign (digits [. [digits]] | . digits) [e sign digits]; converted to JSON: no plus sign, no leading zeros, digits on both sides
 * of the point. */
static bool resolve_float(struct arena *a, struct str text, struct yaml_scalar *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(text.n + 2);
    char c = '\0', sign = '\0';
    if (take_char(&text, "+-", &c) && c == '-')
        buf_addc(&out, '-');
    struct str whole = take_digits(&text), fraction = STR_EMPTY, exponent = STR_EMPTY;
    if (take_char(&text, ".", &c))
        fraction = take_digits(&text);
    if (whole.n == 0 && fraction.n == 0)
        return false;
    bool has_exponent = take_char(&text, "eE", &c);
    if (has_exponent) {
        (void)take_char(&text, "+-", &sign);
        exponent = take_digits(&text);
    }
    if (text.n > 0 || (has_exponent && exponent.n == 0))
        return false;
    while (whole.n > 1 && whole.p[0] == '0')
        whole = str_slice(whole, 1, whole.n);
    buf_add(&out, whole.n > 0 ? whole : STR("0"));
    if (fraction.n > 0) {
        buf_addc(&out, '.');
        buf_add(&out, fraction);
    }
    if (has_exponent) {
        buf_addc(&out, 'e');
        if (sign)
            buf_addc(&out, sign);
        buf_add(&out, exponent);
    }
    *ret = (struct yaml_scalar){.kind = YAML_FLOAT, .number = buf_copy(&out, a)};
    return true;
}

/* Underscores may be anywhere in a number except at its start. */
static struct str without_underscores(struct arena *a, struct str text)
{
    if (str_find(text, '_', 0) == SIZE_MAX)
        return text;
    char *out = arena_make_n(a, char, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '_')
            out[n++] = text.p[i];
    return (struct str){out, n};
}

struct yaml_scalar yaml_resolve(struct arena *a, struct str text, bool is_number)
{
    struct yaml_scalar scalar = {.kind = YAML_STRING};
    if (resolve_word(text, &scalar))
        return scalar;
    char c = text.p[0];
    if ((text.n > MAX_NUMBER && !is_number) || (!is_digit(c) && c != '+' && c != '-' && c != '.'))
        return scalar;
    struct str plain = c == '.' ? text : without_underscores(a, text);
    if (c != '.' && resolve_int(a, plain, &scalar))
        return scalar;
    if (resolve_float(a, plain, &scalar) && !is_number && !fits_double(scalar.number))
        return (struct yaml_scalar){.kind = YAML_STRING};
    return scalar;
}
