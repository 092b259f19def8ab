/*
 * AWS Signature Version 4: signs and verifies requests, with pure functions.
 *
 * A request is signed as it is sent: the path (dot segments and double slashes are resolved, then percent signs are encoded once
 * more), the query (decoded, encoded canonically, sorted), and the headers (folded lines and runs of blanks become one blank,
 * repeated headers are joined in order).
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
    SIGV4_SKEW_S = 300, /* the clock skew that AWS accepts */
};

struct sigv4_request {
    struct str method;
    struct str path;  /* as sent, without query; empty: / */
    struct str query; /* as sent, without ? */
    /* The headers to sign, including host; Authorization is skipped. */
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
    struct str date;           /* the signed value of X-Amz-Date; add the header if the request lacks it */
    struct str signed_headers; /* "host;x-amz-date" */
    struct str canonical_request, string_to_sign;
    struct str signature;     /* SIGV4_HEX digits */
    struct str authorization; /* the value of Authorization */
};

/* Percent-encodes everything but letters, digits and -._~, and / if `keep_slash`. Also right for forms and queries. */
void sigv4_encode(struct buf *out, struct str text, bool keep_slash);

/* SHA-256 in lower-case hex. */
struct str sigv4_hash(struct arena *a, struct str payload);

/* Also signs X-Amz-Date and, with a token, X-Amz-Security-Token, if the request lacks them. False if a limit is exceeded. */
bool sigv4_sign(struct arena *a, const struct sigv4_request *request, const struct sigv4_keys *keys,
                const struct sigv4_scope *scope, struct sigv4_signature *ret);

/* Verification, for servers. */

enum sigv4_verdict {
    SIGV4_VALID,
    SIGV4_MISSING,     /* no Authorization header, or another scheme */
    SIGV4_INCOMPLETE,  /* it lacks a part, or a part is malformed */
    SIGV4_UNKNOWN_KEY, /* unknown access key, or the token does not belong to it */
    SIGV4_EXPIRED_KEY, /* the access key has expired */
    SIGV4_EXPIRED,     /* signed too long ago */
    SIGV4_EARLY,       /* signed in the future */
    SIGV4_WRONG_SCOPE, /* for another service or region, or the dates differ */
    SIGV4_MISMATCH,    /* another signature */
};

/* The error names of services with a JSON protocol, and of those with the query protocol (STS, IAM). */
enum sigv4_dialect { SIGV4_JSON, SIGV4_QUERY };

enum sigv4_key_state { SIGV4_KEY_KNOWN, SIGV4_KEY_UNKNOWN, SIGV4_KEY_EXPIRED };

struct sigv4_check {
    struct sigv4_request request; /* with all headers as received */
    struct str service;
    struct str region; /* empty: any */
    int64_t now_ns;    /* wall */
    int64_t skew_ns;   /* 0: SIGV4_SKEW_S */
    /* Looks up the secret of an access key. `token` is the request's; may be empty. */
    enum sigv4_key_state (*secret)(void *ctx, struct str access_key, struct str token, struct str *ret_secret);
    void *ctx;
};

struct sigv4_checked {
    enum sigv4_verdict verdict;
    struct str access_key, region; /* as the request claims; empty if unreadable */
    struct str message;            /* AWS's error message; empty if valid */
};

/* Strings are in `a`. The caller must hash the received payload itself, never take payload_hash from a header. */
void sigv4_verify(struct arena *a, const struct sigv4_check *check, struct sigv4_checked *ret);

/* For example "InvalidSignatureException" or "SignatureDoesNotMatch"; NULL if valid. */
const char *sigv4_error_name(enum sigv4_verdict verdict, enum sigv4_dialect dialect);
/* The HTTP status of that error. */
long sigv4_error_status(enum sigv4_verdict verdict, enum sigv4_dialect dialect);
