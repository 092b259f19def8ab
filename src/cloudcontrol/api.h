/*
 * A client of the Cloud Control API, version 2021-09-30: eight operations, JSON 1.0, signed. Thread-safe, blocking.
 *
 *     struct cc_get_request get = {.type_name = type, .identifier = id};
 *     if (!cc_api_get(api, a, &get, &call, &description, &failure))
 *         failure.code == CC_ERROR_RESOURCE_NOT_FOUND ...
 *
 * Answers and failures are allocated in the arena of the call. For retries see aws/call.h, and error_retry() in api.c. A request
 * that changes something always has a client token, the same in all attempts, so that the service performs it only once.
 */
#pragma once

#include "aws/call.h"
#include "aws/credentials.h"
#include "base/json.h"

enum {
    CC_API_MAX_TOKEN = 128,
    CC_API_MAX_ANSWER = 16 << 20,
    CC_API_MAX_PAGES = 100000, /* of one list */
    CC_API_SETTLE_TRIES = 6,   /* how often to look for an object that must exist */
};

/* Errors of a call, by name and never by status. */
enum cc_error {
    CC_ERROR_NONE,  /* not an error from the service: see aws.kind of the failure */
    CC_ERROR_OTHER, /* a name that is none of these */
    CC_ERROR_ALREADY_EXISTS,
    CC_ERROR_CLIENT_TOKEN_CONFLICT,
    CC_ERROR_CONCURRENT_MODIFICATION,
    CC_ERROR_CONCURRENT_OPERATION,
    CC_ERROR_GENERAL_SERVICE,
    CC_ERROR_HANDLER_FAILURE,
    CC_ERROR_HANDLER_INTERNAL_FAILURE,
    CC_ERROR_INVALID_CREDENTIALS,
    CC_ERROR_INVALID_REQUEST,
    CC_ERROR_NETWORK_FAILURE,
    CC_ERROR_NOT_STABILIZED,
    CC_ERROR_NOT_UPDATABLE,
    CC_ERROR_PRIVATE_TYPE,
    CC_ERROR_REQUEST_TOKEN_NOT_FOUND,
    CC_ERROR_RESOURCE_CONFLICT,
    CC_ERROR_RESOURCE_NOT_FOUND,
    CC_ERROR_SERVICE_INTERNAL,
    CC_ERROR_SERVICE_LIMIT_EXCEEDED,
    CC_ERROR_THROTTLING,
    CC_ERROR_TYPE_NOT_FOUND,
    CC_ERROR_UNSUPPORTED_ACTION,
    CC_ERROR_VALIDATION, /* not in the API model, but sent by the service */
    /* Common to all AWS services: */
    CC_ERROR_ACCESS_DENIED,
    CC_ERROR_UNRECOGNIZED_CLIENT,
    CC_ERROR_INVALID_SIGNATURE,
    CC_ERROR_EXPIRED_TOKEN,
    CC_N_ERRORS,
};
enum cc_error cc_error_named(struct str name); /* with or without "Exception" */

/* Why an accepted operation failed: ErrorCode of a progress event. */
enum cc_handler_error {
    CC_HANDLER_NONE,
    CC_HANDLER_OTHER,
    CC_HANDLER_NOT_UPDATABLE,
    CC_HANDLER_INVALID_REQUEST,
    CC_HANDLER_ACCESS_DENIED,
    CC_HANDLER_UNAUTHORIZED_TAGGING_OPERATION,
    CC_HANDLER_INVALID_CREDENTIALS,
    CC_HANDLER_ALREADY_EXISTS,
    CC_HANDLER_NOT_FOUND,
    CC_HANDLER_RESOURCE_CONFLICT,
    CC_HANDLER_THROTTLING,
    CC_HANDLER_SERVICE_LIMIT_EXCEEDED,
    CC_HANDLER_NOT_STABILIZED,
    CC_HANDLER_GENERAL_SERVICE_EXCEPTION,
    CC_HANDLER_SERVICE_INTERNAL_ERROR,
    CC_HANDLER_SERVICE_TIMEOUT,
    CC_HANDLER_NETWORK_FAILURE,
    CC_HANDLER_INTERNAL_FAILURE,
    CC_N_HANDLER_ERRORS,
};
enum cc_handler_error cc_handler_error_named(struct str name);

/* The emulator intentionally has its own copy of these two enums (emulator/words.h): a mistake in shared code would match on both
 * sides, and no test would find it. */
enum cc_operation { CC_OP_UNKNOWN, CC_OP_CREATE, CC_OP_UPDATE, CC_OP_DELETE };
enum cc_operation cc_operation_named(struct str name);

enum cc_status {
    CC_STATUS_UNKNOWN,
    CC_STATUS_PENDING,
    CC_STATUS_IN_PROGRESS,
    CC_STATUS_SUCCESS,
    CC_STATUS_FAILED,
    CC_STATUS_CANCEL_IN_PROGRESS,
    CC_STATUS_CANCEL_COMPLETE,
};
const char *cc_status_name(enum cc_status status); /* "IN_PROGRESS"; NULL: UNKNOWN */
enum cc_status cc_status_named(struct str name);
static inline bool cc_status_is_final(enum cc_status s)
{
    return s == CC_STATUS_SUCCESS || s == CC_STATUS_FAILED || s == CC_STATUS_CANCEL_COMPLETE;
}

struct cc_progress {
    struct str type_name, identifier, request_token, hooks_request_token;
    enum cc_operation operation;
    enum cc_status status;
    struct str status_name;    /* as sent, because the service may have new statuses */
    int64_t event_time;        /* wall ns; 0: not set */
    int64_t retry_after;       /* wall ns: do not poll before this time; 0: not set */
    struct str resource_model; /* JSON text; may be empty */
    struct str status_message;
    enum cc_handler_error error;
    struct str error_name; /* as sent; empty: none */
};

struct cc_hook_event {
    struct str type_name, type_version, type_arn, invocation_point, status, status_message, failure_mode;
    int64_t event_time; /* wall ns; 0: not set */
};

struct cc_description {
    struct str identifier;
    struct str properties; /* JSON text */
};

/* Options of one call. */
struct cc_call {
    struct cancel *cancel;
    int64_t deadline;      /* monotonic; NO_DEADLINE */
    struct str user_agent; /* additional products, as cc_products_text() formats them from provider_meta; may be empty */
};

struct cc_failure {
    enum cc_error code;
    struct aws_failure aws;
};

struct cc_api;
struct cc_api_options {
    struct aws_caller *caller;
    struct aws_credentials *credentials;
    struct aws_endpoint endpoint; /* of AWS_CLOUDCONTROL */
    struct str role_arn;          /* the role that handlers assume, sent with every request; empty: none */
    struct log *log;
};
struct cc_api *cc_api_new(const struct cc_api_options *options); /* copies strings */
void cc_api_free(struct cc_api *api);
struct aws_caller *cc_api_caller(const struct cc_api *api);

/* Empty strings are not sent; those marked * are required. */
struct cc_create_request {
    struct str type_name, desired_state; /* * JSON text */
    struct str client_token;             /* empty: generated */
    struct str type_version;
};
struct cc_update_request {
    struct str type_name, identifier, patch; /* * JSON text, RFC 6902 */
    struct str client_token, type_version;
};
struct cc_delete_request {
    struct str type_name, identifier; /* * */
    struct str client_token, type_version;
};
struct cc_get_request {
    struct str type_name, identifier; /* * */
    struct str type_version;
    bool just_created; /* retry NotFound CC_API_SETTLE_TRIES times, with pauses: AWS is eventually consistent */
};
struct cc_list_request {
    struct str type_name;      /* * */
    struct str resource_model; /* JSON text */
    struct str next_token, type_version;
    int max_results; /* 0: the service's choice */
};
struct cc_list_page {
    const struct cc_description *v;
    size_t n;
    struct str next_token; /* empty: the last page */
};
struct cc_request_status {
    struct cc_progress progress;
    const struct cc_hook_event *hooks;
    size_t n_hooks;
};

bool cc_api_create(struct cc_api *api, struct arena *a, const struct cc_create_request *request, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr);
bool cc_api_update(struct cc_api *api, struct arena *a, const struct cc_update_request *request, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr);
bool cc_api_delete(struct cc_api *api, struct arena *a, const struct cc_delete_request *request, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr);
bool cc_api_get(struct cc_api *api, struct arena *a, const struct cc_get_request *request, const struct cc_call *call,
                struct cc_description *ret, struct cc_failure *reterr);
/* Lists all pages; `each` returns false to stop, which is not a failure. Descriptions are valid only while `each` runs. */
typedef bool cc_list_fn(void *ctx, const struct cc_description *description);
bool cc_api_list_all(struct cc_api *api, struct arena *a, const struct cc_list_request *request, const struct cc_call *call,
                     cc_list_fn *each, void *ctx, struct cc_failure *reterr);
bool cc_api_request_status(struct cc_api *api, struct arena *a, struct str request_token, const struct cc_call *call,
                           struct cc_request_status *ret, struct cc_failure *reterr);
bool cc_api_cancel(struct cc_api *api, struct arena *a, struct str request_token, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr);

/* A new client token: 1 to 128 characters that the service accepts. */
struct str cc_client_token(struct arena *a);

/* A copy whose strings are in `a`. */
struct cc_failure cc_failure_copy(struct arena *a, const struct cc_failure *failure);
/* The text of a failure: "ResourceNotFoundException: ... (request id ...)". */
struct str cc_failure_text(struct arena *a, const struct cc_failure *failure);
/* Adds a diagnostic with the summary of hashicorp/awscc; returns false. `call`: for example "GetResource". */
bool cc_failure_report(const struct cc_failure *failure, const char *call, struct diags *diags);

/* Decodes an answer from JSON, for tests and for callers that already have one. False if it is not a valid answer. */
bool cc_read_request_status(struct arena *a, const struct json *j, struct cc_request_status *ret);
