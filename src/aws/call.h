/*
 * One call to an AWS service: signs, sends and retries it.
 *
 * - Backoff with full jitter: the pause before attempt n+1 is random, between 0 and min(20 s, 0.5 s * 2^n). A Retry-After header
 *   is obeyed.
 * - A retry budget for the whole process: each retry takes a token from a bucket that refills at a fixed rate. If the bucket is
 *   empty, the retry waits instead of failing, so a hundred throttled resources slow down together instead of giving up.
 * - Clock skew: when the service rejects a signature because of its time, the Date header of the answer corrects the clock, once
 *   for all calls.
 * - If the service says that the keys have expired, they are fetched again, once.
 * - An unknown host or a refused connection ends the call after a few attempts: it is usually a mistake and not temporary.
 * - The deadline includes pauses; a pause that would exceed it ends the call at once.
 */
#pragma once

#include "aws/endpoint.h"
#include "http/client.h"
#include "http/timing.h"

struct aws_credentials;
struct aws_keys;

enum {
    AWS_MAX_ATTEMPTS = 25,    /* default */
    AWS_NETWORK_ATTEMPTS = 4, /* unknown host, connection refused */
    AWS_BACKOFF_MS = 500,
    AWS_BACKOFF_MAX_S = 20,
    AWS_BUDGET_BURST = 50, /* retries in one burst */
    AWS_BUDGET_RATE = 10,  /* tokens per second */
};

/* State shared by all calls of a process. Thread-safe. */
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
/* The wall clock, corrected for the skew to the service. */
int64_t aws_caller_now(const struct aws_caller *caller);

/*
 * Takes one retry from the budget and pauses for `ns`, or longer if the budget is empty. False if cancelled or past the
 * deadline.
 */
bool aws_caller_pause(struct aws_caller *caller, int64_t ns, struct cancel *cancel, int64_t deadline);
/* The pause before attempt `attempt` + 1 (the first attempt is 1): full jitter, see above. */
int64_t aws_caller_backoff(struct aws_caller *caller, int attempt);

enum aws_failure_kind {
    AWS_FAIL_NONE,
    AWS_FAIL_SERVICE,     /* the service returned an error: `name` and `message` are from it */
    AWS_FAIL_CREDENTIALS, /* no keys to sign with */
    AWS_FAIL_NETWORK,     /* no answer */
    AWS_FAIL_ANSWER,      /* an invalid answer */
    AWS_FAIL_DEADLINE,
    AWS_FAIL_CANCELLED,
};

/* Why a call failed. Strings are in the call's arena and contain no secrets. */
struct aws_failure {
    enum aws_failure_kind kind;
    struct str name;    /* SERVICE: "ThrottlingException" */
    struct str message; /* for people */
    struct str request_id;
    long status; /* HTTP status; 0: no answer */
    int attempts;
};

/* Whether to retry an error, as decided by the `retry` function of a call. */
enum aws_retry { AWS_RETRY_NO, AWS_RETRY_FEW /* AWS_NETWORK_ATTEMPTS */, AWS_RETRY_YES };

struct aws_call {
    const struct aws_endpoint *endpoint;
    const char *method;
    struct str path; /* appended to the endpoint's path; begins with / */
    struct str query;
    const struct http_header *headers; /* in addition to Host and the headers that signing adds */
    size_t n_headers;
    struct str body;
    struct str user_agent; /* additional products for this call; may be empty */
    const char *operation; /* for log and messages: "GetResource" */
    /* What to sign with: at most one of the two; neither for unsigned calls. */
    struct aws_credentials *credentials;
    const struct aws_keys *keys;
    int max_attempts; /* to lower the limit of aws_caller_options; 0: do not */
    size_t max_body;
    bool direct;        /* without a proxy */
    int64_t connect_ns; /* 0: HTTP_CONNECT_S */
    int64_t timeout_ns; /* of one attempt; 0: HTTP_TIMEOUT_S */
    int64_t deadline;   /* monotonic; NO_DEADLINE */
    struct cancel *cancel;
    /* Reads name and message of an error answer; false if it has none. */
    bool (*read_error)(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message);
    bool *ret_throttled; /* may be NULL: was any attempt throttled? Set even if the call succeeds. */
    /* May be NULL. Asked only about errors that aws_call() does not know (throttling, timeouts, clocks); `name` may be empty. */
    enum aws_retry (*retry)(struct str name, long status);
};

/* Returns an answer with status 200 to 299, or false and *reterr. */
bool aws_call(struct aws_caller *caller, struct arena *a, const struct aws_call *call, struct http_response *ret,
              struct aws_failure *reterr);

/* For AWS's JSON protocols: {"__type": "a#Name", "message": ...} and x-amzn-errortype. Ignores the status. */
bool aws_read_json_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message);
/* For the XML protocols: <ErrorResponse><Error><Code>..., and the variants of S3 and EC2. */
bool aws_read_xml_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message);

/* "ThrottlingException: Rate exceeded (HTTP status 400, request id ..., 25 attempts)". */
struct str aws_failure_text(struct arena *a, const struct aws_failure *failure);
/* Adds one diagnostic: `summary`, what happened, the request id, and what to do about it. */
bool aws_failure_report(const struct aws_failure *failure, const char *operation, const char *summary, struct diags *diags);
