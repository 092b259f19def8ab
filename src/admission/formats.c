/* Formats of strings, as the API server checks them. */
#include "admission/names.h"
#include "admission/schema_private.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/hex.h"

#include <arpa/inet.h>

static bool is_anything(struct str s)
{
    (void)s;
    return true;
}

static int two_digits(struct str s, size_t at)
{
    if (at + 2 > s.n || !is_digit(s.p[at]) || !is_digit(s.p[at + 1]))
        return -1;
    return (s.p[at] - '0') * 10 + (s.p[at + 1] - '0');
}

/* 2006-01-02 */
static bool is_date(struct str s)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-')
        return false;
    int high = two_digits(s, 0), low = two_digits(s, 2), month = two_digits(s, 5), day = two_digits(s, 8);
    if (high < 0 || low < 0 || month < 1 || month > 12 || day < 1)
        return false;
    int year = high * 100 + low;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] + (month == 2 && leap);
}

/* Z or +01:00 */
static bool is_zone(struct str s)
{
    if (s.n == 1)
        return s.p[0] == 'Z' || s.p[0] == 'z';
    return s.n == 6 && (s.p[0] == '+' || s.p[0] == '-') && two_digits(s, 1) >= 0 && s.p[3] == ':' && two_digits(s, 4) >= 0;
}

/* 2006-01-02T15:04:05.000Z */
static bool is_date_time(struct str s)
{
    if (!is_date(str_slice(s, 0, 10)) || s.n < 20 || (s.p[10] != 'T' && s.p[10] != 't') || s.p[13] != ':' || s.p[16] != ':')
        return false;
    int hour = two_digits(s, 11), minute = two_digits(s, 14), second = two_digits(s, 17);
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
        return false;
    size_t at = 19;
    if (s.p[at] == '.') {
        size_t from = ++at;
        while (at < s.n && is_digit(s.p[at]))
            at++;
        if (at == from)
            return false;
    }
    return is_zone(str_slice(s, at, s.n));
}

static bool is_address(struct str s, int family)
{
    char z[64];
    unsigned char address[16];
    if (s.n == 0 || s.n >= sizeof z || memchr(s.p, '\0', s.n))
        return false;
    memcpy(z, s.p, s.n);
    z[s.n] = '\0';
    return inet_pton(family, z, address) == 1;
}

static bool is_ipv4(struct str s)
{
    return is_address(s, AF_INET);
}

static bool is_ipv6(struct str s)
{
    return is_address(s, AF_INET6);
}

static bool is_cidr(struct str s)
{
    size_t slash = str_find(s, '/', 0);
    int64_t bits;
    if (slash == SIZE_MAX || !str_to_i64(str_slice(s, slash + 1, s.n), &bits) || bits < 0)
        return false;
    struct str address = str_slice(s, 0, slash);
    return (is_ipv4(address) && bits <= 32) || (is_ipv6(address) && bits <= 128);
}

/* Hyphens are optional. `version` 0: any. */
static bool is_uuid_of(struct str s, char version, bool has_variant)
{
    static const size_t groups[] = {8, 4, 4, 4, 12};
    size_t at = 0;
    for (size_t g = 0; g < 5; g++) {
        if (g > 0 && at < s.n && s.p[at] == '-')
            at++;
        if (g == 2 && version && (at >= s.n || s.p[at] != version))
            return false;
        if (g == 3 && has_variant && (at >= s.n || s.p[at] == '\0' || !strchr("89abAB", s.p[at])))
            return false;
        for (size_t i = 0; i < groups[g]; i++, at++)
            if (at >= s.n || hex_digit(s.p[at]) < 0)
                return false;
    }
    return at == s.n;
}

static bool is_uuid(struct str s)
{
    return is_uuid_of(s, 0, false);
}

static bool is_uuid3(struct str s)
{
    return is_uuid_of(s, '3', false);
}

static bool is_uuid4(struct str s)
{
    return is_uuid_of(s, '4', true);
}

static bool is_uuid5(struct str s)
{
    return is_uuid_of(s, '5', true);
}

static bool is_base64(struct str s)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str bytes;
    return s.n > 0 && base64_read(scratch, s, &bytes);
}

static bool is_short_name(struct str s)
{
    return !name_dns_label(s);
}

static bool is_long_name(struct str s)
{
    return !name_subdomain(s);
}

bool openapi_format(struct str name, bool (**ret)(struct str text))
{
    /* Formats that servers know; NULL: not implemented here, because nothing needed it. Servers ignore others, such as int64. */
    static const struct {
        const char *name;
        bool (*is)(struct str);
    } formats[] = {
        {"date", is_date},
        {"date-time", is_date_time},
        {"datetime", is_date_time},
        {"ipv4", is_ipv4},
        {"ipv6", is_ipv6},
        {"cidr", is_cidr},
        {"uuid", is_uuid},
        {"uuid3", is_uuid3},
        {"uuid4", is_uuid4},
        {"uuid5", is_uuid5},
        {"byte", is_base64},
        {"password", is_anything},
        {"k8s-short-name", is_short_name},
        {"k8s-long-name", is_long_name},
        {"bsonobjectid", NULL},
        {"uri", NULL},
        {"email", NULL},
        {"hostname", NULL},
        {"mac", NULL},
        {"isbn", NULL},
        {"isbn10", NULL},
        {"isbn13", NULL},
        {"creditcard", NULL},
        {"ssn", NULL},
        {"hexcolor", NULL},
        {"rgbcolor", NULL},
        {"duration", NULL},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (str_eqz(name, formats[i].name)) {
            *ret = formats[i].is;
            return true;
        }
    return false;
}
