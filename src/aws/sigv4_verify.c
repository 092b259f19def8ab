/* To verify a signature, computes it again from the received request, with the headers that the client says it signed. */
#include "aws/sigv4_private.h"
#include "http/timing.h"

#include <openssl/crypto.h>
#include <strings.h>

struct claim {
    struct str access_key, day, region, service;
    struct str signed_headers, signature;
};

static struct str header_value(const struct sigv4_request *request, struct str name)
{
    const struct http_header *header = http_header_find(request->headers, request->n_headers, name);
    return header ? str_trim(header->value) : STR_EMPTY;
}

/* ACCESS_KEY/DAY/REGION/SERVICE/aws4_request; the access key may contain slashes. */
static bool read_credential(struct str text, struct claim *claim)
{
    struct str *parts[] = {&(struct str){0}, &claim->service, &claim->region, &claim->day};
    struct str end = STR("aws4_request");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t slash = text.n;
        while (slash > 0 && text.p[slash - 1] != '/')
            slash--;
        if (slash == 0)
            return false;
        *parts[i] = str_slice(text, slash, text.n);
        text = str_slice(text, 0, slash - 1);
    }
    claim->access_key = text;
    return text.n > 0 && str_eq(*parts[0], end);
}

static void read_claim(struct str parameters, struct claim *claim, bool *ret_bad_credential)
{
    while (parameters.n > 0) {
        struct str value = str_trim(str_cut(&parameters, ','));
        struct str name = str_cut(&value, '=');
        if (str_eqz(name, "Credential"))
            *ret_bad_credential = !read_credential(value, claim);
        else if (str_eqz(name, "SignedHeaders"))
            claim->signed_headers = value;
        else if (str_eqz(name, "Signature"))
            claim->signature = value;
    }
}

static struct str what_is_missing(struct arena *a, const struct claim *claim, bool bad_credential, bool has_date)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 10);
    if (bad_credential)
        return STR("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term");
    if (claim->access_key.n == 0)
        buf_addz(&out, "Authorization header requires 'Credential' parameter. ");
    if (claim->signature.n == 0)
        buf_addz(&out, "Authorization header requires 'Signature' parameter. ");
    if (claim->signed_headers.n == 0)
        buf_addz(&out, "Authorization header requires 'SignedHeaders' parameter. ");
    if (!has_date)
        buf_addz(&out, "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ");
    return str_trim(buf_copy(&out, a));
}

static bool read_date(const struct sigv4_request *request, int64_t *ret_ns)
{
    struct str date = header_value(request, STR("x-amz-date"));
    if (date.n > 0)
        return compact_date_parse(date, ret_ns);
    return http_date_parse(header_value(request, STR("date")), ret_ns);
}

/* Includes every occurrence of a repeated header. */
static bool only_signed(struct arena *a, const struct sigv4_check *check, const struct claim *claim, struct sigv4_request *ret)
{
    struct http_header *headers = arena_make_n(a, struct http_header, check->request.n_headers + 1);
    *ret = check->request;
    ret->headers = headers;
    ret->n_headers = 0;
    for (struct str rest = claim->signed_headers; rest.n > 0;) {
        struct str name = str_cut(&rest, ';');
        bool found = false;
        for (size_t i = 0; i < check->request.n_headers; i++) {
            const struct http_header *h = &check->request.headers[i];
            if (!str_eq_nocase(h->name, name))
                continue;
            if (ret->n_headers == check->request.n_headers)
                return false; /* one name twice */
            headers[ret->n_headers++] = *h;
            found = true;
        }
        if (!found)
            return false;
    }
    return true;
}

static bool signs(const struct claim *claim, const char *name)
{
    for (struct str rest = claim->signed_headers; rest.n > 0;)
        if (str_eqz(str_cut(&rest, ';'), name))
            return true;
    return false;
}

static void say(struct sigv4_checked *ret, enum sigv4_verdict verdict, struct str message)
{
    ret->verdict = verdict;
    ret->message = message;
}

static bool check_time(struct arena *a, const struct sigv4_check *check, int64_t signed_at, struct sigv4_checked *ret)
{
    int64_t skew = check->skew_ns > 0 ? check->skew_ns : SIGV4_SKEW_S * NS_PER_S;
    bool late = signed_at < check->now_ns - skew;
    if (!late && signed_at <= check->now_ns + skew)
        return true;
    char then[DATE_TEXT], now[DATE_TEXT], bound[DATE_TEXT];
    compact_date_format(signed_at, then);
    compact_date_format(check->now_ns, now);
    compact_date_format(check->now_ns + (late ? -skew : skew), bound);
    say(ret, late ? SIGV4_EXPIRED : SIGV4_EARLY,
        arena_printf(a,
                     late ? "Signature expired: %s is now earlier than %s (%s - %d min.)"
                          : "Signature not yet current: %s is still later than %s (%s + %d min.)",
                     then, bound, now, (int)(skew / NS_PER_S / 60)));
    return false;
}

static bool check_scope(struct arena *a, const struct sigv4_check *check, const struct claim *claim, int64_t signed_at,
                        struct sigv4_checked *ret)
{
    char date[DATE_TEXT];
    compact_date_format(signed_at, date);
    struct str day = str_slice(str_of(date), 0, 8);
    if (!str_eq(claim->day, day))
        say(ret, SIGV4_WRONG_SCOPE,
            arena_printf(a,
                         "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '" STR_FMT
                         "' != '" STR_FMT "', from '%s'.",
                         STR_ARG(claim->day), STR_ARG(day), date));
    else if (!str_eq(claim->service, check->service))
        say(ret, SIGV4_WRONG_SCOPE,
            arena_printf(a, "Credential should be scoped to correct service: '" STR_FMT "'. ", STR_ARG(check->service)));
    else if (check->region.n > 0 && !str_eq(claim->region, check->region))
        say(ret, SIGV4_WRONG_SCOPE, STR("Credential should be scoped to a valid region. "));
    else
        return true;
    return false;
}

static void check_signature(struct arena *a, const struct sigv4_check *check, const struct claim *claim, struct str secret,
                            int64_t signed_at, struct sigv4_checked *ret)
{
    static const char mismatch[] =
        "The request signature we calculated does not match the signature you provided. Check your AWS "
        "Secret Access Key and signing method. Consult the service documentation for details.";
    char date[DATE_TEXT];
    compact_date_format(signed_at, date);
    struct sigv4_signature s = {0};
    struct sigv4_request request;
    struct sigv4_scope scope = {.region = claim->region, .service = claim->service, .time_ns = signed_at};
    say(ret, SIGV4_MISMATCH, STR(mismatch));
    if (!signs(claim, "host")) {
        ret->message = STR("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
        return;
    }
    if (!only_signed(a, check, claim, &request) || !sigv4_canonical(a, &request, &s.canonical_request, &s.signed_headers))
        return;
    sigv4_finish(a, secret, arena_str(a, str_of(date)), &scope, &s);
    if (s.signature.n == claim->signature.n && CRYPTO_memcmp(s.signature.p, claim->signature.p, s.signature.n) == 0)
        say(ret, SIGV4_VALID, STR_EMPTY);
}

void sigv4_verify(struct arena *a, const struct sigv4_check *check, struct sigv4_checked *ret)
{
    *ret = (struct sigv4_checked){.verdict = SIGV4_MISSING};
    struct str authorization = header_value(&check->request, STR("authorization"));
    struct str kind = str_cut(&authorization, ' ');
    if (!str_eqz(kind, "AWS4-HMAC-SHA256")) {
        say(ret, SIGV4_MISSING, STR("Request is missing Authentication Token"));
        return;
    }
    struct claim claim = {0};
    bool bad_credential = false;
    read_claim(authorization, &claim, &bad_credential);
    int64_t signed_at = 0;
    bool has_date = read_date(&check->request, &signed_at);
    if (bad_credential || claim.access_key.n == 0 || claim.signature.n == 0 || claim.signed_headers.n == 0 || !has_date) {
        say(ret, SIGV4_INCOMPLETE, what_is_missing(a, &claim, bad_credential, has_date));
        return;
    }
    ret->access_key = claim.access_key;
    ret->region = claim.region;
    if (!check_scope(a, check, &claim, signed_at, ret) || !check_time(a, check, signed_at, ret))
        return;
    struct str secret = STR_EMPTY;
    switch (check->secret(check->ctx, claim.access_key, header_value(&check->request, STR("x-amz-security-token")), &secret)) {
    case SIGV4_KEY_KNOWN:
        check_signature(a, check, &claim, secret, signed_at, ret);
        break;
    case SIGV4_KEY_UNKNOWN:
        say(ret, SIGV4_UNKNOWN_KEY, STR("The security token included in the request is invalid."));
        break;
    case SIGV4_KEY_EXPIRED:
        say(ret, SIGV4_EXPIRED_KEY, STR("The security token included in the request is expired"));
        break;
    }
}

struct naming {
    const char *json, *query;
    long json_status, query_status;
};

static const struct naming namings[] = {
    [SIGV4_VALID] = {NULL, NULL, 200, 200},
    [SIGV4_MISSING] = {"MissingAuthenticationTokenException", "MissingAuthenticationToken", 400, 403},
    [SIGV4_INCOMPLETE] = {"IncompleteSignatureException", "IncompleteSignature", 400, 400},
    [SIGV4_UNKNOWN_KEY] = {"UnrecognizedClientException", "InvalidClientTokenId", 400, 403},
    [SIGV4_EXPIRED_KEY] = {"ExpiredTokenException", "ExpiredToken", 400, 403},
    [SIGV4_EXPIRED] = {"InvalidSignatureException", "SignatureDoesNotMatch", 400, 403},
    [SIGV4_EARLY] = {"InvalidSignatureException", "SignatureDoesNotMatch", 400, 403},
    [SIGV4_WRONG_SCOPE] = {"InvalidSignatureException", "SignatureDoesNotMatch", 400, 403},
    [SIGV4_MISMATCH] = {"InvalidSignatureException", "SignatureDoesNotMatch", 400, 403},
};

const char *sigv4_error_name(enum sigv4_verdict verdict, enum sigv4_dialect dialect)
{
    return dialect == SIGV4_JSON ? namings[verdict].json : namings[verdict].query;
}

long sigv4_error_status(enum sigv4_verdict verdict, enum sigv4_dialect dialect)
{
    return dialect == SIGV4_JSON ? namings[verdict].json_status : namings[verdict].query_status;
}
