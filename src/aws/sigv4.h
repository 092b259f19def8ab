/*
 * AWS Signature Version 4: signing and checking, pure functions.
 *
 * A request is signed as it goes over the wire: the path as sent (its percent signs are encoded once more, dot segments and
 * double slashes are resolved first), the query as sent (decoded, encoded canonically, sorted), headers with folded lines and
 * runs of blanks made one blank, repeated headers joined in their order.
 *
 *     struct sigv4_signature s;
 *     if (sigv4_sign(a, &request, &keys, &scope, &s)) add s.authorization, s.date and, if keys.token is set, the token as headers
 */
#pragma once

#include "http/client.h"

enum {
    SIGV4_MAX_HEADERS = 200,
    SIGV4_MAX_PARAMETERS = 1000,
    SIGV4_MAX_TEXT = 1 << 20, /* of a canonical request */
    SIGV4_HEX = 64,
    SIGV4_SKEW_S = 300, /* how far AWS lets clocks differ */
};

struct sigv4_request {
    struct str method;
    struct str path;  /* as sent, without query; empty: / */
    struct str query; /* as sent, without ? */
    /* Those to be signed, host among them; Authorization is left out by itself. */
    const struct http_header *headers;
    size_t n_headers;
    struct str payload_hash; /* SIGV4_HEX digits, see sigv4_hash() */
    bool plain_path;         /* do not resolve dot segments and double slashes */
};

struct sigv4_keys {
    struct str access_key, secret_key, token; /* token may be empty */
};

struct sigv4_scope {
    struct str region, service;
    int64_t time_ns; /* wall */
};

struct sigv4_signature {
    struct str date;           /* the value of X-Amz-Date, which is signed (added if the request has none) */
    struct str signed_headers; /* "host;x-amz-date" */
    struct str canonical_request, string_to_sign;
    struct str signature;     /* SIGV4_HEX digits */
    struct str authorization; /* the value of Authorization */
};

/* Percent-encoded: all but letters, digits and -._~, and / if it is to be kept. Forms and queries are encoded so, too. */
void sigv4_encode(struct buf *out, struct str text, bool keep_slash);

/* SHA-256 in small hexadecimal digits. */
struct str sigv4_hash(struct arena *a, struct str payload);

/* X-Amz-Date and, with a token, X-Amz-Security-Token are signed too, unless the request has them already. False: past a bound. */
bool sigv4_sign(struct arena *a, const struct sigv4_request *request, const struct sigv4_keys *keys,
                const struct sigv4_scope *scope, struct sigv4_signature *ret);

/* Checking, for servers. */

enum sigv4_verdict {
    SIGV4_VALID,
    SIGV4_MISSING,     /* no Authorization, or one of another kind */
    SIGV4_INCOMPLETE,  /* it lacks a part, or a part is malformed */
    SIGV4_UNKNOWN_KEY, /* nobody has this access key, or the token does not belong to it */
    SIGV4_EXPIRED_KEY, /* ... or not any more */
    SIGV4_EXPIRED,     /* signed too long ago */
    SIGV4_EARLY,       /* signed in the future */
    SIGV4_WRONG_SCOPE, /* for another service or region, or the dates differ */
    SIGV4_MISMATCH,    /* another signature */
};

/* How services that speak JSON and those that speak the query protocol (STS, IAM) name an error. */
enum sigv4_dialect { SIGV4_JSON, SIGV4_QUERY };

enum sigv4_key_state { SIGV4_KEY_KNOWN, SIGV4_KEY_UNKNOWN, SIGV4_KEY_EXPIRED };

struct sigv4_check {
    struct sigv4_request request; /* with all headers as received */
    struct str service;
    struct str region; /* empty: any */
    int64_t now_ns;    /* wall */
    int64_t skew_ns;   /* 0: SIGV4_SKEW_S */
    /* The secret of an access key. `token` is what the request has, maybe empty. */
    enum sigv4_key_state (*secret)(void *ctx, struct str access_key, struct str token, struct str *ret_secret);
    void *ctx;
};

struct sigv4_checked {
    enum sigv4_verdict verdict;
    struct str access_key, region; /* as claimed; empty when not even that is known */
    struct str message;            /* what AWS says; empty when valid */
};

/* Texts in `a`. The payload's hash is the caller's: taken of what was received, never from a header. */
void sigv4_verify(struct arena *a, const struct sigv4_check *check, struct sigv4_checked *ret);

/* "InvalidSignatureException" or "SignatureDoesNotMatch"; NULL when valid. */
const char *sigv4_error_name(enum sigv4_verdict verdict, enum sigv4_dialect dialect);
/* The status that goes with it. */
long sigv4_error_status(enum sigv4_verdict verdict, enum sigv4_dialect dialect);
