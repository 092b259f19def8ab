#include "grpc/header.h"

#include "base/hex.h"

#include <inttypes.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c <= 0x7e && c != '%';
}

/* Length of the character at `at`, including its continuation bytes. */
static size_t character_bytes(struct str text, size_t at)
{
    size_t n = 1;
    while (at + n < text.n && ((unsigned char)text.p[at + n] & 0xc0) == 0x80)
        n++;
    return n;
}

void grpc_message_encode(struct buf *out, struct str text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t written = 0;
    for (size_t at = 0; at < text.n;) {
        size_t n = character_bytes(text, at);
        size_t cost = n == 1 && is_plain((unsigned char)text.p[at]) ? 1 : 3 * n;
        if (written + cost > GRPC_MESSAGE_SENT_MAX)
            return;
        written += cost;
        for (; n > 0; n--, at++) {
            unsigned char c = (unsigned char)text.p[at];
            if (is_plain(c)) {
                buf_addc(out, (char)c);
            } else {
                buf_addc(out, '%');
                buf_addc(out, digits[c >> 4]);
                buf_addc(out, digits[c & 15]);
            }
        }
    }
}

struct str grpc_message_decode(struct arena *a, struct str value)
{
    char *text = arena_alloc(a, value.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < value.n; i++) {
        bool escape = value.p[i] == '%' && i + 2 < value.n && hex_digit(value.p[i + 1]) >= 0 && hex_digit(value.p[i + 2]) >= 0;
        if (escape) {
            text[n++] = (char)(hex_digit(value.p[i + 1]) << 4 | hex_digit(value.p[i + 2]));
            i += 2;
        } else {
            text[n++] = value.p[i];
        }
    }
    if (!str_is_utf8((struct str){text, n}))
        for (size_t i = 0; i < n; i++)
            if ((unsigned char)text[i] >= 0x80)
                text[i] = '?';
    text[n] = '\0';
    return (struct str){text, n};
}

static const struct {
    int64_t ns;
    char name;
} units[] = {{1, 'n'}, {1000, 'u'}, {NS_PER_MS, 'm'}, {NS_PER_S, 'S'}, {60 * NS_PER_S, 'M'}, {3600 * NS_PER_S, 'H'}};

enum { N_UNITS = sizeof units / sizeof units[0] };

void grpc_timeout_format(int64_t ns, char text[GRPC_TIMEOUT_TEXT])
{
    enum { MOST = 99999999 };
    size_t i = 0;
    while (i + 1 < N_UNITS && ns > MOST * units[i].ns)
        i++;
    int64_t n = ns / units[i].ns + (ns % units[i].ns != 0);
    (void)snprintf(text, GRPC_TIMEOUT_TEXT, "%" PRId64 "%c", n, units[i].name);
}

bool grpc_timeout_parse(struct str value, int64_t *ret_ns)
{
    enum { DIGITS_MAX = 8 };
    if (value.n < 2 || value.n > DIGITS_MAX + 1)
        return false;
    int64_t n = 0;
    for (size_t i = 0; i + 1 < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return false;
        n = n * 10 + (value.p[i] - '0');
    }
    for (size_t i = 0; i < N_UNITS; i++)
        if (units[i].name == value.p[value.n - 1]) {
            *ret_ns = n <= INT64_MAX / units[i].ns ? n * units[i].ns : INT64_MAX;
            return true;
        }
    return false;
}

enum grpc_status grpc_status_parse(struct str value)
{
    int64_t code;
    if (value.n > 3 || !str_to_i64(value, &code) || code < 0)
        return GRPC_UNKNOWN;
    return (enum grpc_status)code;
}

bool grpc_content_type_ok(struct str value)
{
    struct str name = STR("application/grpc");
    return str_starts(value, name) && (value.n == name.n || value.p[name.n] == '+' || value.p[name.n] == ';');
}

enum grpc_status grpc_status_of_http(int http_status)
{
    switch (http_status) {
    case 400:
        return GRPC_INTERNAL;
    case 401:
        return GRPC_UNAUTHENTICATED;
    case 403:
        return GRPC_PERMISSION_DENIED;
    case 404:
        return GRPC_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
        return GRPC_UNAVAILABLE;
    default:
        return GRPC_UNKNOWN;
    }
}

enum grpc_status grpc_status_of_reset(uint32_t error_code)
{
    switch (error_code) {
    case NGHTTP2_REFUSED_STREAM:
        return GRPC_UNAVAILABLE;
    case NGHTTP2_CANCEL:
        return GRPC_CANCELLED;
    case NGHTTP2_ENHANCE_YOUR_CALM:
        return GRPC_RESOURCE_EXHAUSTED;
    case NGHTTP2_INADEQUATE_SECURITY:
        return GRPC_PERMISSION_DENIED;
    default:
        return GRPC_INTERNAL;
    }
}
