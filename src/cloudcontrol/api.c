#include "cloudcontrol/api.h"

#include "base/log.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

enum { MAX_REQUEST = 8 << 20 };

struct cc_api {
    struct arena *arena;
    struct aws_caller *caller;
    struct aws_credentials *credentials;
    struct aws_endpoint endpoint;
    struct str role_arn;
    struct log *log;
};

struct cc_api *cc_api_new(const struct cc_api_options *options)
{
    struct arena *a = arena_new(NULL, 0);
    struct cc_api *api = arena_make(a, struct cc_api);
    *api = (struct cc_api){
        .arena = a,
        .caller = options->caller,
        .credentials = options->credentials,
        .endpoint =
            {
                .url = arena_str(a, options->endpoint.url),
                .host = arena_str(a, options->endpoint.host),
                .path = arena_str(a, options->endpoint.path),
                .region = arena_str(a, options->endpoint.region),
                .signing_name = options->endpoint.signing_name,
            },
        .role_arn = arena_str(a, options->role_arn),
        .log = options->log,
    };
    return api;
}

void cc_api_free(struct cc_api *api)
{
    if (api)
        arena_free(api->arena);
}

struct aws_caller *cc_api_caller(const struct cc_api *api)
{
    return api->caller;
}

/* Names */

static const char *const error_names[CC_N_ERRORS] = {
    [CC_ERROR_ALREADY_EXISTS] = "AlreadyExistsException",
    [CC_ERROR_CLIENT_TOKEN_CONFLICT] = "ClientTokenConflictException",
    [CC_ERROR_CONCURRENT_MODIFICATION] = "ConcurrentModificationException",
    [CC_ERROR_CONCURRENT_OPERATION] = "ConcurrentOperationException",
    [CC_ERROR_GENERAL_SERVICE] = "GeneralServiceException",
    [CC_ERROR_HANDLER_FAILURE] = "HandlerFailureException",
    [CC_ERROR_HANDLER_INTERNAL_FAILURE] = "HandlerInternalFailureException",
    [CC_ERROR_INVALID_CREDENTIALS] = "InvalidCredentialsException",
    [CC_ERROR_INVALID_REQUEST] = "InvalidRequestException",
    [CC_ERROR_NETWORK_FAILURE] = "NetworkFailureException",
    [CC_ERROR_NOT_STABILIZED] = "NotStabilizedException",
    [CC_ERROR_NOT_UPDATABLE] = "NotUpdatableException",
    [CC_ERROR_PRIVATE_TYPE] = "PrivateTypeException",
    [CC_ERROR_REQUEST_TOKEN_NOT_FOUND] = "RequestTokenNotFoundException",
    [CC_ERROR_RESOURCE_CONFLICT] = "ResourceConflictException",
    [CC_ERROR_RESOURCE_NOT_FOUND] = "ResourceNotFoundException",
    [CC_ERROR_SERVICE_INTERNAL] = "ServiceInternalErrorException",
    [CC_ERROR_SERVICE_LIMIT_EXCEEDED] = "ServiceLimitExceededException",
    [CC_ERROR_THROTTLING] = "ThrottlingException",
    [CC_ERROR_TYPE_NOT_FOUND] = "TypeNotFoundException",
    [CC_ERROR_UNSUPPORTED_ACTION] = "UnsupportedActionException",
    [CC_ERROR_VALIDATION] = "ValidationException",
    [CC_ERROR_ACCESS_DENIED] = "AccessDeniedException",
    [CC_ERROR_UNRECOGNIZED_CLIENT] = "UnrecognizedClientException",
    [CC_ERROR_INVALID_SIGNATURE] = "InvalidSignatureException",
    [CC_ERROR_EXPIRED_TOKEN] = "ExpiredTokenException",
};

enum cc_error cc_error_named(struct str name)
{
    struct str end = STR("Exception");
    if (str_ends(name, end))
        name.n -= end.n;
    for (int i = CC_ERROR_OTHER + 1; i < CC_N_ERRORS; i++) {
        struct str full = str_of(error_names[i]);
        if (str_eq(name, str_slice(full, 0, full.n - end.n)))
            return (enum cc_error)i;
    }
    return name.n > 0 ? CC_ERROR_OTHER : CC_ERROR_NONE;
}

/* Is it worth retrying the same request? */
static enum aws_retry error_retry(enum cc_error error)
{
    switch (error) {
    case CC_ERROR_THROTTLING:
    case CC_ERROR_SERVICE_INTERNAL:
    case CC_ERROR_NETWORK_FAILURE:
    case CC_ERROR_RESOURCE_CONFLICT: /* another operation on the same object is in progress; the same for the next two */
    case CC_ERROR_CONCURRENT_MODIFICATION:
    case CC_ERROR_CONCURRENT_OPERATION:
        return AWS_RETRY_YES;
    case CC_ERROR_HANDLER_FAILURE:
    case CC_ERROR_HANDLER_INTERNAL_FAILURE:
    case CC_ERROR_NOT_STABILIZED:
        return AWS_RETRY_FEW;
    default:
        return AWS_RETRY_NO;
    }
}

static enum aws_retry retry_named(struct str name, long status)
{
    enum cc_error error = cc_error_named(name);
    if (error == CC_ERROR_NONE || error == CC_ERROR_OTHER)
        return status >= 500 ? AWS_RETRY_YES : AWS_RETRY_NO;
    return error_retry(error); /* ignores the status: API model and service disagree about it */
}

static const char *const handler_error_names[CC_N_HANDLER_ERRORS] = {
    [CC_HANDLER_NOT_UPDATABLE] = "NotUpdatable",
    [CC_HANDLER_INVALID_REQUEST] = "InvalidRequest",
    [CC_HANDLER_ACCESS_DENIED] = "AccessDenied",
    [CC_HANDLER_UNAUTHORIZED_TAGGING_OPERATION] = "UnauthorizedTaggingOperation",
    [CC_HANDLER_INVALID_CREDENTIALS] = "InvalidCredentials",
    [CC_HANDLER_ALREADY_EXISTS] = "AlreadyExists",
    [CC_HANDLER_NOT_FOUND] = "NotFound",
    [CC_HANDLER_RESOURCE_CONFLICT] = "ResourceConflict",
    [CC_HANDLER_THROTTLING] = "Throttling",
    [CC_HANDLER_SERVICE_LIMIT_EXCEEDED] = "ServiceLimitExceeded",
    [CC_HANDLER_NOT_STABILIZED] = "NotStabilized",
    [CC_HANDLER_GENERAL_SERVICE_EXCEPTION] = "GeneralServiceException",
    [CC_HANDLER_SERVICE_INTERNAL_ERROR] = "ServiceInternalError",
    [CC_HANDLER_SERVICE_TIMEOUT] = "ServiceTimeout",
    [CC_HANDLER_NETWORK_FAILURE] = "NetworkFailure",
    [CC_HANDLER_INTERNAL_FAILURE] = "InternalFailure",
};

enum cc_handler_error cc_handler_error_named(struct str name)
{
    for (int i = CC_HANDLER_OTHER + 1; i < CC_N_HANDLER_ERRORS; i++)
        if (str_eqz(name, handler_error_names[i]))
            return (enum cc_handler_error)i;
    return name.n > 0 ? CC_HANDLER_OTHER : CC_HANDLER_NONE;
}

static const char *const operation_names[] = {
    [CC_OP_UNKNOWN] = NULL, [CC_OP_CREATE] = "CREATE", [CC_OP_UPDATE] = "UPDATE", [CC_OP_DELETE] = "DELETE"};

enum cc_operation cc_operation_named(struct str name)
{
    for (int i = CC_OP_CREATE; i <= CC_OP_DELETE; i++)
        if (str_eqz(name, operation_names[i]))
            return (enum cc_operation)i;
    return CC_OP_UNKNOWN;
}

static const char *const status_names[] = {
    [CC_STATUS_UNKNOWN] = NULL,
    [CC_STATUS_PENDING] = "PENDING",
    [CC_STATUS_IN_PROGRESS] = "IN_PROGRESS",
    [CC_STATUS_SUCCESS] = "SUCCESS",
    [CC_STATUS_FAILED] = "FAILED",
    [CC_STATUS_CANCEL_IN_PROGRESS] = "CANCEL_IN_PROGRESS",
    [CC_STATUS_CANCEL_COMPLETE] = "CANCEL_COMPLETE",
};

const char *cc_status_name(enum cc_status status)
{
    return status_names[status];
}

enum cc_status cc_status_named(struct str name)
{
    for (int i = CC_STATUS_PENDING; i <= CC_STATUS_CANCEL_COMPLETE; i++)
        if (str_eqz(name, status_names[i]))
            return (enum cc_status)i;
    return CC_STATUS_UNKNOWN;
}

struct str cc_client_token(struct arena *a)
{
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort(); /* with a token that is not unique, two requests would count as one */
    return arena_printf(a, "terrane-%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
}

/* Reading answers */

/* Seconds since 1970, with a fraction and even an exponent; 0: none. */
static int64_t read_time(const struct json *j)
{
    struct str text = json_text(j, STR_EMPTY);
    char *end;
    if (!j || j->kind != JSON_NUMBER || text.n > 40)
        return 0;
    char number[48] = "";
    memcpy(number, text.p, text.n);
    double seconds = strtod(number, &end);
    if (*end != '\0' || !isfinite(seconds) || seconds < 0 || seconds > 9e9)
        return 0;
    return (int64_t)(seconds * 1e6 + 0.5) * 1000; /* a double has a precision of microseconds here */
}

static struct str text_at(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static bool read_progress(const struct json *j, struct cc_progress *ret)
{
    if (!j || j->kind != JSON_OBJECT)
        return false;
    struct cc_progress p = {
        .type_name = text_at(j, "TypeName"),
        .identifier = text_at(j, "Identifier"),
        .request_token = text_at(j, "RequestToken"),
        .hooks_request_token = text_at(j, "HooksRequestToken"),
        .operation = cc_operation_named(text_at(j, "Operation")),
        .status = cc_status_named(text_at(j, "OperationStatus")),
        .status_name = text_at(j, "OperationStatus"),
        .event_time = read_time(json_get(j, "EventTime")),
        .retry_after = read_time(json_get(j, "RetryAfter")),
        .resource_model = text_at(j, "ResourceModel"),
        .status_message = text_at(j, "StatusMessage"),
        .error = cc_handler_error_named(text_at(j, "ErrorCode")),
        .error_name = text_at(j, "ErrorCode"),
    };
    const struct json *status = json_get(j, "OperationStatus");
    if (!status || status->kind != JSON_STRING || p.status_name.n == 0 ||
        (p.request_token.n == 0 && !cc_status_is_final(p.status)))
        return false; /* without these it cannot be polled */
    *ret = p;
    return true;
}

static struct cc_hook_event read_hook(const struct json *j)
{
    return (struct cc_hook_event){
        .type_name = text_at(j, "HookTypeName"),
        .type_version = text_at(j, "HookTypeVersionId"),
        .type_arn = text_at(j, "HookTypeArn"),
        .invocation_point = text_at(j, "InvocationPoint"),
        .status = text_at(j, "HookStatus"),
        .status_message = text_at(j, "HookStatusMessage"),
        .failure_mode = text_at(j, "FailureMode"),
        .event_time = read_time(json_get(j, "HookEventTime")),
    };
}

bool cc_read_request_status(struct arena *a, const struct json *j, struct cc_request_status *ret)
{
    struct cc_request_status s = {0};
    if (!read_progress(json_get(j, "ProgressEvent"), &s.progress))
        return false;
    const struct json *hooks = json_get(j, "HooksProgressEvent");
    if (hooks && hooks->kind == JSON_ARRAY) {
        struct cc_hook_event *v = arena_make_n(a, struct cc_hook_event, hooks->array.n);
        for (size_t i = 0; i < hooks->array.n; i++)
            v[i] = read_hook(hooks->array.items[i]);
        s.hooks = v;
        s.n_hooks = hooks->array.n;
    }
    *ret = s;
    return true;
}

static bool read_description(const struct json *j, struct cc_description *ret)
{
    const struct json *properties = json_get(j, "Properties");
    const struct json *identifier = json_get(j, "Identifier");
    if (!identifier || identifier->kind != JSON_STRING || (properties && properties->kind != JSON_STRING))
        return false;
    *ret = (struct cc_description){.identifier = identifier->text, .properties = json_text(properties, STR("{}"))};
    return true;
}

/* Sending requests */

static void put_text(struct json_writer *w, const char *key, struct str value)
{
    if (value.n == 0)
        return;
    json_key(w, str_of(key));
    json_write_string(w, value);
}

static void put_number(struct json_writer *w, const char *key, int value)
{
    if (value <= 0)
        return;
    json_key(w, str_of(key));
    json_write_int(w, value);
}

static void begin(struct json_writer *w, struct buf *out)
{
    *out = BUF_INIT(MAX_REQUEST);
    *w = (struct json_writer){.out = out};
    json_begin_object(w);
}

static bool fail_answer(struct arena *a, const char *operation, struct str why, struct cc_failure *reterr)
{
    *reterr =
        (struct cc_failure){.aws = {.kind = AWS_FAIL_ANSWER,
                                    .status = 200,
                                    .attempts = 1,
                                    .message = arena_printf(a, "the service answers %s, but " STR_FMT, operation, STR_ARG(why))}};
    return false;
}

/* Finishes the request, sends it, and wipes it: the desired state may contain secrets. */
static bool finish(struct cc_api *api, struct arena *a, const char *operation, struct json_writer *w, const struct cc_call *call,
                   const struct json **ret, struct cc_failure *reterr)
{
    json_end_object(w);
    bool ok = json_finish(w);
    struct http_header headers[] = {
        {STR("Content-Type"), STR("application/x-amz-json-1.0")},
        {STR("X-Amz-Target"), arena_printf(a, "CloudApiService.%s", operation)},
    };
    struct aws_call request = {
        .endpoint = &api->endpoint,
        .method = "POST",
        .path = STR("/"),
        .headers = headers,
        .n_headers = 2,
        .body = buf_str(w->out),
        .user_agent = call->user_agent,
        .operation = operation,
        .credentials = api->credentials,
        .max_body = CC_API_MAX_ANSWER,
        .deadline = call->deadline,
        .cancel = call->cancel,
        .read_error = aws_read_json_error,
        .retry = retry_named,
    };
    struct http_response response;
    struct cc_failure failure = {0};
    if (!ok) {
        failure.aws =
            (struct aws_failure){.kind = AWS_FAIL_ANSWER,
                                 .message = arena_printf(a, "the request has more than %d bytes and was not sent", MAX_REQUEST)};
    } else if (!aws_call(api->caller, a, &request, &response, &failure.aws)) {
        failure.code = failure.aws.kind == AWS_FAIL_SERVICE ? cc_error_named(failure.aws.name) : CC_ERROR_NONE;
        ok = false;
    }
    buf_wipe(w->out);
    if (!ok) {
        *reterr = failure;
        return false;
    }
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, response.body, "answer", &diags);
    if (!j || j->kind != JSON_OBJECT)
        return fail_answer(
            a, operation,
            arena_printf(a, "with something that is not a JSON object (content type \"" STR_FMT "\", %zu bytes%s" STR_FMT ")",
                         STR_ARG(str_slice(http_response_header(&response, "content-type"), 0, 100)), response.body.n,
                         diags.n > 0 ? "; " : "", STR_ARG(diags.n > 0 ? diags.v[0].detail : STR_EMPTY)),
            reterr);
    *ret = j;
    return true;
}

static bool finish_progress(struct cc_api *api, struct arena *a, const char *operation, struct json_writer *w,
                            const struct cc_call *call, struct cc_progress *ret, struct cc_failure *reterr)
{
    const struct json *j;
    if (!finish(api, a, operation, w, call, &j, reterr))
        return false;
    if (!read_progress(json_get(j, "ProgressEvent"), ret))
        return fail_answer(a, operation, STR("without a progress event that has a status and a request token"), reterr);
    return true;
}

/* The members that the five operations on a type share. */
static void put_target(const struct cc_api *api, struct json_writer *w, struct str type_name, struct str type_version)
{
    put_text(w, "TypeName", type_name);
    put_text(w, "TypeVersionId", type_version);
    put_text(w, "RoleArn", api->role_arn);
}

static void put_client_token(struct arena *a, struct json_writer *w, struct str token)
{
    put_text(w, "ClientToken", token.n > 0 ? token : cc_client_token(a));
}

bool cc_api_create(struct cc_api *api, struct arena *a, const struct cc_create_request *request, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    begin(&w, &out);
    put_target(api, &w, request->type_name, request->type_version);
    put_client_token(a, &w, request->client_token);
    put_text(&w, "DesiredState", request->desired_state);
    return finish_progress(api, a, "CreateResource", &w, call, ret, reterr);
}

bool cc_api_update(struct cc_api *api, struct arena *a, const struct cc_update_request *request, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    begin(&w, &out);
    put_target(api, &w, request->type_name, request->type_version);
    put_client_token(a, &w, request->client_token);
    put_text(&w, "Identifier", request->identifier);
    put_text(&w, "PatchDocument", request->patch);
    return finish_progress(api, a, "UpdateResource", &w, call, ret, reterr);
}

bool cc_api_delete(struct cc_api *api, struct arena *a, const struct cc_delete_request *request, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    begin(&w, &out);
    put_target(api, &w, request->type_name, request->type_version);
    put_client_token(a, &w, request->client_token);
    put_text(&w, "Identifier", request->identifier);
    return finish_progress(api, a, "DeleteResource", &w, call, ret, reterr);
}

static bool get_once(struct cc_api *api, struct arena *a, const struct cc_get_request *request, const struct cc_call *call,
                     struct cc_description *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    const struct json *j;
    begin(&w, &out);
    put_target(api, &w, request->type_name, request->type_version);
    put_text(&w, "Identifier", request->identifier);
    if (!finish(api, a, "GetResource", &w, call, &j, reterr))
        return false;
    if (!read_description(json_get(j, "ResourceDescription"), ret))
        return fail_answer(a, "GetResource", STR("without a description that has an identifier and properties"), reterr);
    return true;
}

bool cc_api_get(struct cc_api *api, struct arena *a, const struct cc_get_request *request, const struct cc_call *call,
                struct cc_description *ret, struct cc_failure *reterr)
{
    int tries = request->just_created ? CC_API_SETTLE_TRIES : 1;
    struct cc_failure failure;
    for (int i = 1;; i++) {
        if (get_once(api, a, request, call, ret, &failure))
            return true;
        if (failure.code != CC_ERROR_RESOURCE_NOT_FOUND || i >= tries ||
            !aws_caller_pause(api->caller, aws_caller_backoff(api->caller, i), call->cancel, call->deadline))
            break;
    }
    *reterr = failure;
    return false;
}

/* One page. */
static bool list_page(struct cc_api *api, struct arena *a, const struct cc_list_request *request, const struct cc_call *call,
                      struct cc_list_page *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    const struct json *j;
    begin(&w, &out);
    put_target(api, &w, request->type_name, request->type_version);
    put_text(&w, "ResourceModel", request->resource_model);
    put_number(&w, "MaxResults", request->max_results);
    put_text(&w, "NextToken", request->next_token);
    if (!finish(api, a, "ListResources", &w, call, &j, reterr))
        return false;
    const struct json *list = json_get(j, "ResourceDescriptions");
    size_t n = list && list->kind == JSON_ARRAY ? list->array.n : 0;
    struct cc_description *v = arena_make_n(a, struct cc_description, n);
    for (size_t i = 0; i < n; i++)
        if (!read_description(list->array.items[i], &v[i]))
            return fail_answer(a, "ListResources", STR("with a description that has no identifier"), reterr);
    *ret = (struct cc_list_page){.v = v, .n = n, .next_token = text_at(j, "NextToken")};
    return true;
}

bool cc_api_list_all(struct cc_api *api, struct arena *a, const struct cc_list_request *request, const struct cc_call *call,
                     cc_list_fn *each, void *ctx, struct cc_failure *reterr)
{
    struct cc_list_request next = *request;
    struct arena *pages[2] = {arena_new(NULL, 0), arena_new(NULL, 0)}; /* of this page; of the previous one, with the token */
    enum { MORE, ENOUGH, FAILED } state = MORE;
    for (int i = 0; state == MORE; i++) {
        struct arena *page_arena = pages[i % 2];
        struct cc_list_page page;
        struct cc_failure failure;
        arena_reset(page_arena);
        if (!list_page(api, page_arena, &next, call, &page, &failure)) {
            *reterr = cc_failure_copy(a, &failure);
            state = FAILED;
            break;
        }
        for (size_t k = 0; k < page.n && state == MORE; k++)
            state = each(ctx, &page.v[k]) ? MORE : ENOUGH;
        if (page.next_token.n == 0)
            state = ENOUGH;
        if (state == MORE && (str_eq(page.next_token, next.next_token) || i >= CC_API_MAX_PAGES)) {
            (void)fail_answer(a, "ListResources", STR("with more pages than the limit"), reterr);
            state = FAILED;
        }
        next.next_token = page.next_token;
    }
    arena_free(pages[0]);
    arena_free(pages[1]);
    return state == ENOUGH;
}

static void put_request_token(struct json_writer *w, struct str request_token)
{
    put_text(w, "RequestToken", request_token);
}

bool cc_api_request_status(struct cc_api *api, struct arena *a, struct str request_token, const struct cc_call *call,
                           struct cc_request_status *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    const struct json *j;
    begin(&w, &out);
    put_request_token(&w, request_token);
    if (!finish(api, a, "GetResourceRequestStatus", &w, call, &j, reterr))
        return false;
    if (!cc_read_request_status(a, j, ret))
        return fail_answer(a, "GetResourceRequestStatus", STR("without a progress event that has a status"), reterr);
    return true;
}

bool cc_api_cancel(struct cc_api *api, struct arena *a, struct str request_token, const struct cc_call *call,
                   struct cc_progress *ret, struct cc_failure *reterr)
{
    struct json_writer w;
    struct buf out;
    begin(&w, &out);
    put_request_token(&w, request_token);
    return finish_progress(api, a, "CancelResourceRequest", &w, call, ret, reterr);
}

/* Failures */

struct cc_failure cc_failure_copy(struct arena *a, const struct cc_failure *failure)
{
    struct cc_failure copy = *failure;
    copy.aws.name = arena_str(a, failure->aws.name);
    copy.aws.message = arena_str(a, failure->aws.message);
    copy.aws.request_id = arena_str(a, failure->aws.request_id);
    return copy;
}

struct str cc_failure_text(struct arena *a, const struct cc_failure *failure)
{
    return aws_failure_text(a, &failure->aws);
}

bool cc_failure_report(const struct cc_failure *failure, const char *call, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str returned = arena_printf(scratch, "Calling Cloud Control API service %s operation returned", call);
    return aws_failure_report(&failure->aws, returned.p, "AWS SDK Go Service Operation Unsuccessful", diags);
}
