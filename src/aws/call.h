/*
 * One call of a service: signed, sent, retried.
 *
 * - Full jitter: before attempt n+1 a pause between 0 and min(20 s, 0.5 s * 2^n) is drawn; a Retry-After header is obeyed.
 * - A budget for the whole process: retries are tokens of a bucket that fills at a fixed rate. A retry that finds it empty waits
 * for its turn; it does not fail. So a hundred resources that are throttled at once slow down together instead of giving up.
 * - A clock that is wrong is found by the Date of the answer that refuses the signature, and corrected once for all calls.
 * - Keys that the service calls expired are fetched anew, once.
 * - An unknown host or a refused connection ends the call after a few attempts: it is a mistake more often than a passing
 * trouble.
 * - The deadline holds for everything, pauses included; a pause that would pass it ends the call at once.
 */
#pragma once

#include "aws/endpoint.h"
#include "http/client.h"
#include "http/timing.h"

struct aws_credentials;
struct aws_keys;

enum {
    AWS_MAX_ATTEMPTS = 25,    /* if nobody says otherwise */
    AWS_NETWORK_ATTEMPTS = 4, /* unknown host, connection refused */
    AWS_BACKOFF_MS = 500,
    AWS_BACKOFF_MAX_S = 20,
    AWS_BUDGET_BURST = 50, /* retries at once ... */
    AWS_BUDGET_RATE = 10,  /* ... and a second */
};

/* What all calls of a process share. Thread-safe. */
struct aws_caller;
struct aws_caller_options {
    struct http *http;
    const struct http_time *time; /* NULL: the machine's */
    struct log *log;
    int max_attempts; /* 0: AWS_MAX_ATTEMPTS; 1: no retries */
};
struct aws_caller *aws_caller_new(const struct aws_caller_options *options);
void aws_caller_free(struct aws_caller *caller);
const struct http_time *aws_caller_time(const struct aws_caller *caller);
struct http *aws_caller_http(const struct aws_caller *caller);
/* Wall time as the service has it: ours, corrected. */
int64_t aws_caller_now(const struct aws_caller *caller);

/* Takes one retry out of the budget and pauses for `ns`, longer if the budget asks for it. False: cancelled, or past the
 * deadline. */
bool aws_caller_pause(struct aws_caller *caller, int64_t ns, struct cancel *cancel, int64_t deadline);
/* The pause before attempt `attempt` + 1 (the first attempt is 1): full jitter, see above. */
int64_t aws_caller_backoff(struct aws_caller *caller, int attempt);

enum aws_failure_kind {
    AWS_FAIL_NONE,
    AWS_FAIL_SERVICE,     /* the service says no: `name` and `message` are its own */
    AWS_FAIL_CREDENTIALS, /* there are no keys to sign with */
    AWS_FAIL_NETWORK,     /* no answer */
    AWS_FAIL_ANSWER,      /* an answer that makes no sense */
    AWS_FAIL_DEADLINE,
    AWS_FAIL_CANCELLED,
};

/* Why a call failed. Texts in the call's arena, without secrets. */
struct aws_failure {
    enum aws_failure_kind kind;
    struct str name;    /* SERVICE: "ThrottlingException" */
    struct str message; /* for people */
    struct str request_id;
    long status; /* of HTTP; 0: no answer */
    int attempts;
};

/* What the caller of a service makes of an error. */
enum aws_retry { AWS_RETRY_NO, AWS_RETRY_FEW /* AWS_NETWORK_ATTEMPTS */, AWS_RETRY_YES };

struct aws_call {
    const struct aws_endpoint *endpoint;
    const char *method;
    struct str path; /* behind the endpoint's own, with / */
    struct str query;
    const struct http_header *headers; /* besides Host, and what signing adds */
    size_t n_headers;
    struct str body;
    struct str user_agent; /* more products for this call; empty: none */
    const char *operation; /* for log and messages: "GetResource" */
    /* Who signs: one of the two, or neither for calls that are not signed. */
    struct aws_credentials *credentials;
    const struct aws_keys *keys;
    int max_attempts; /* fewer than the caller's; 0: as many */
    size_t max_body;
    bool direct;        /* past every proxy */
    int64_t connect_ns; /* 0: HTTP_CONNECT_S */
    int64_t timeout_ns; /* of one attempt; 0: HTTP_TIMEOUT_S */
    int64_t deadline;   /* monotonic; NO_DEADLINE */
    struct cancel *cancel;
    /* Name and message of an error answer; false: it has none. */
    bool (*read_error)(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message);
    bool *ret_throttled; /* may be NULL: was one of the attempts told to slow down? Whatever became of the call. */
    /* May be NULL. For names that are no common ones (throttling, time-outs, clocks); `name` may be empty. */
    enum aws_retry (*retry)(struct str name, long status);
};

/* An answer of status 200 to 299; otherwise false and *reterr. */
bool aws_call(struct aws_caller *caller, struct arena *a, const struct aws_call *call, struct http_response *ret,
              struct aws_failure *reterr);

/* {"__type": "a#Name", "message": ...} and x-amzn-errortype; AWS's JSON protocols. Never by the status. */
bool aws_read_json_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message);
/* <ErrorResponse><Error><Code>..., and as S3 and EC2 write it; the protocols with XML. */
bool aws_read_xml_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message);

/* "ThrottlingException: Rate exceeded (HTTP status 400, request id ..., 25 attempts)". */
struct str aws_failure_text(struct arena *a, const struct aws_failure *failure);
/* One diagnostic: `summary`, and what happened, with the request's id and what to do about it. */
bool aws_failure_report(const struct aws_failure *failure, const char *operation, const char *summary, struct diags *diags);
