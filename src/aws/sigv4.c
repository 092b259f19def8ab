/*
 * Four steps, one function each: the canonical request, the string to sign, the signing key of the day, the signature.
 * Intermediate secrets (the keys of the day) are overwritten.
 */
#include "aws/sigv4.h"

#include "aws/sigv4_private.h"
#include "base/hex.h"
#include "http/timing.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <strings.h>

enum { MAC_BYTES = 32, DAY_CHARACTERS = 8 };

static const char upper_hex[] = "0123456789ABCDEF";

struct str sigv4_hash(struct arena *a, struct str payload)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_Digest(payload.p ? payload.p : "", payload.n, digest, &n, EVP_sha256(), NULL) != 1)
        abort(); /* no SHA-256, no AWS */
    return hex_of(a, digest, n);
}

/* Encoding */

static bool is_unreserved(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

void sigv4_encode(struct buf *out, struct str text, bool keep_slash)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (is_unreserved((char)c) || (keep_slash && c == '/')) {
            buf_addc(out, (char)c);
        } else {
            buf_addc(out, '%');
            buf_addc(out, upper_hex[c >> 4]);
            buf_addc(out, upper_hex[c & 15]);
        }
    }
}

static struct str percent_decoded(struct arena *a, struct str text)
{
    char *out = arena_alloc(a, text.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        int high = text.p[i] == '%' && i + 2 < text.n ? hex_digit(text.p[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.p[i + 2]) : -1;
        out[n++] = low >= 0 ? (char)(high << 4 | low) : text.p[i];
        i += low >= 0 ? 2 : 0;
    }
    return (struct str){out, n};
}

/* Resolves "." and ".." in a path as RFC 3986 does, and drops empty segments; keeps a trailing slash. */

static struct str resolved_path(struct arena *a, struct str path)
{
    struct buf out BUF_AUTO = BUF_INIT(SIGV4_MAX_TEXT);
    bool slash_at_end = true;
    for (struct str rest = path; rest.n > 0;) {
        struct str segment = str_cut(&rest, '/');
        slash_at_end = rest.n == 0 && path.p[path.n - 1] == '/';
        if (segment.n == 0 || str_eqz(segment, "."))
            continue;
        if (str_eqz(segment, "..")) {
            do
                out.n -= out.n > 0;
            while (out.n > 0 && out.p[out.n] != '/');
            continue;
        }
        buf_addc(&out, '/');
        buf_add(&out, segment);
    }
    if (out.n == 0 || slash_at_end)
        buf_addc(&out, '/');
    return buf_ok(&out) ? buf_copy(&out, a) : path;
}

static void add_path(struct arena *a, struct buf *out, const struct sigv4_request *request)
{
    struct str path = request->path.n > 0 ? request->path : STR("/");
    if (!request->plain_path)
        path = resolved_path(a, path);
    sigv4_encode(out, path, /* keep_slash= */ true);
}

/* Query */

struct parameter {
    struct str name, value; /* encoded */
};

static int compare_parameters(const void *x, const void *y)
{
    const struct parameter *a = x, *b = y;
    int order = str_cmp(a->name, b->name);
    return order != 0 ? order : str_cmp(a->value, b->value);
}

static struct str canonically_encoded(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(SIGV4_MAX_TEXT);
    sigv4_encode(&out, percent_decoded(a, text), /* keep_slash= */ false);
    return buf_copy(&out, a);
}

static bool add_query(struct arena *a, struct buf *out, struct str query)
{
    struct parameter *v = arena_make_n(a, struct parameter, SIGV4_MAX_PARAMETERS);
    size_t n = 0;
    for (struct str rest = query; rest.n > 0;) {
        struct str value = str_cut(&rest, '&');
        if (value.n == 0)
            continue;
        if (n == SIGV4_MAX_PARAMETERS)
            return false;
        struct str name = str_cut(&value, '=');
        v[n++] = (struct parameter){canonically_encoded(a, name), canonically_encoded(a, value)};
    }
    qsort(v, n, sizeof *v, compare_parameters);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s" STR_FMT "=" STR_FMT, i > 0 ? "&" : "", STR_ARG(v[i].name), STR_ARG(v[i].value));
    return true;
}

/* Headers */

struct signed_header {
    struct str name; /* lower case */
    struct str value;
    size_t place; /* original position, so that equal names keep their order */
};

static int compare_headers(const void *x, const void *y)
{
    const struct signed_header *a = x, *b = y;
    int order = str_cmp(a->name, b->name);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static struct str lower(struct arena *a, struct str text)
{
    char *out = arena_alloc(a, text.n + 1, 1);
    for (size_t i = 0; i < text.n; i++)
        out[i] = (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] | 0x20 : text.p[i]);
    return (struct str){out, text.n};
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Any run of blanks becomes one blank, also at the fold of a folded line. */
static void add_header_value(struct buf *out, struct str value)
{
    value = str_trim(value);
    for (size_t i = 0; i < value.n; i++) {
        if (!is_blank(value.p[i]))
            buf_addc(out, value.p[i]);
        else if (!is_blank(value.p[i - 1])) /* i > 0, because the value is trimmed */
            buf_addc(out, ' ');
    }
}

static void add_headers(struct buf *out, struct buf *names, const struct signed_header *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool again = i > 0 && str_eq(v[i].name, v[i - 1].name);
        if (again) {
            buf_addc(out, ',');
        } else {
            buf_printf(out, "%s" STR_FMT ":", i > 0 ? "\n" : "", STR_ARG(v[i].name));
            buf_printf(names, "%s" STR_FMT, i > 0 ? ";" : "", STR_ARG(v[i].name));
        }
        add_header_value(out, v[i].value);
    }
    if (n > 0)
        buf_addc(out, '\n');
}

static bool has_header(const struct sigv4_request *request, const char *name)
{
    return http_header_find(request->headers, request->n_headers, str_of(name)) != NULL;
}

bool sigv4_canonical(struct arena *a, const struct sigv4_request *request, struct str *ret_text, struct str *ret_signed_headers)
{
    if (request->n_headers > SIGV4_MAX_HEADERS)
        return false;
    struct signed_header *v = arena_make_n(a, struct signed_header, request->n_headers + 1);
    size_t n = 0;
    for (size_t i = 0; i < request->n_headers; i++) {
        struct str name = lower(a, request->headers[i].name);
        if (!str_eqz(name, "authorization"))
            v[n++] = (struct signed_header){name, request->headers[i].value, i};
    }
    qsort(v, n, sizeof *v, compare_headers);

    struct buf out __attribute__((cleanup(buf_wipe))) = BUF_INIT(SIGV4_MAX_TEXT); /* may contain a token */
    struct buf names BUF_AUTO = BUF_INIT(SIGV4_MAX_TEXT);
    (void)buf_room(&out, 8 << 10);
    buf_add(&out, request->method);
    buf_addc(&out, '\n');
    add_path(a, &out, request);
    buf_addc(&out, '\n');
    if (!add_query(a, &out, request->query))
        return false;
    buf_addc(&out, '\n');
    add_headers(&out, &names, v, n);
    buf_addc(&out, '\n');
    buf_add(&out, buf_str(&names));
    buf_addc(&out, '\n');
    buf_add(&out, request->payload_hash);
    if (!buf_ok(&out) || !buf_ok(&names))
        return false;
    *ret_text = buf_copy(&out, a);
    *ret_signed_headers = buf_copy(&names, a);
    return true;
}

/* Signature */

static void mac(const unsigned char *key, size_t n_key, struct str text, unsigned char out[MAC_BYTES])
{
    unsigned n = MAC_BYTES;
    if (!HMAC(EVP_sha256(), key, (int)n_key, (const unsigned char *)text.p, text.n, out, &n))
        abort(); /* no SHA-256, no AWS */
}

static void key_of_day(struct str secret, struct str day, const struct sigv4_scope *scope, unsigned char out[MAC_BYTES])
{
    struct buf seed = BUF_INIT(SIGV4_MAX_TEXT);
    (void)buf_room(&seed, secret.n + 4); /* reserved at once, so that reallocation leaves no copy */
    buf_addz(&seed, "AWS4");
    buf_add(&seed, secret);
    mac((const unsigned char *)seed.p, seed.n, day, out);
    buf_wipe(&seed);
    mac(out, MAC_BYTES, scope->region, out);
    mac(out, MAC_BYTES, scope->service, out);
    mac(out, MAC_BYTES, STR("aws4_request"), out);
}

void sigv4_finish(struct arena *a, struct str secret, struct str date, const struct sigv4_scope *scope, struct sigv4_signature *s)
{
    struct str day = str_slice(date, 0, DAY_CHARACTERS);
    struct str scope_text = arena_printf(a, STR_FMT "/" STR_FMT "/" STR_FMT "/aws4_request", STR_ARG(day), STR_ARG(scope->region),
                                         STR_ARG(scope->service));
    s->date = date;
    s->string_to_sign = arena_printf(a, "AWS4-HMAC-SHA256\n" STR_FMT "\n" STR_FMT "\n" STR_FMT, STR_ARG(date),
                                     STR_ARG(scope_text), STR_ARG(sigv4_hash(a, s->canonical_request)));
    unsigned char key[MAC_BYTES], signature[MAC_BYTES];
    key_of_day(secret, day, scope, key);
    mac(key, sizeof key, s->string_to_sign, signature);
    OPENSSL_cleanse(key, sizeof key);
    s->signature = hex_of(a, signature, sizeof signature);
}

bool sigv4_sign(struct arena *a, const struct sigv4_request *request, const struct sigv4_keys *keys,
                const struct sigv4_scope *scope, struct sigv4_signature *ret)
{
    if (request->n_headers > SIGV4_MAX_HEADERS)
        return false;
    char date[DATE_TEXT];
    compact_date_format(scope->time_ns, date);
    struct http_header *headers = arena_make_n(a, struct http_header, request->n_headers + 2);
    struct sigv4_request full = *request;
    full.headers = headers;
    for (size_t i = 0; i < request->n_headers; i++)
        headers[i] = request->headers[i];
    if (!has_header(request, "x-amz-date"))
        headers[full.n_headers++] = (struct http_header){STR("X-Amz-Date"), arena_str(a, str_of(date))};
    if (keys->token.n > 0 && !has_header(request, "x-amz-security-token"))
        headers[full.n_headers++] = (struct http_header){STR("X-Amz-Security-Token"), keys->token};
    struct sigv4_signature s = {0};
    if (!sigv4_canonical(a, &full, &s.canonical_request, &s.signed_headers))
        return false;
    sigv4_finish(a, keys->secret_key, arena_str(a, str_of(date)), scope, &s);
    s.authorization = arena_printf(a,
                                   "AWS4-HMAC-SHA256 Credential=" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT
                                   "/aws4_request, SignedHeaders=" STR_FMT ", Signature=" STR_FMT,
                                   STR_ARG(keys->access_key), DAY_CHARACTERS, date, STR_ARG(scope->region),
                                   STR_ARG(scope->service), STR_ARG(s.signed_headers), STR_ARG(s.signature));
    *ret = s;
    return true;
}
