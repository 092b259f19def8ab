/*
 * aws_call() is a loop of attempts. Each ends in a struct outcome that says what to do next: done, give up, or retry after a
 * pause.
 * The state between attempts is whether the two corrections that happen only once, of the clock and of the keys, were made.
 */
#include "aws/call.h"

#include "aws/credentials.h"
#include "aws/sigv4.h"
#include "aws/xml.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"

#include <stdlib.h>
#include <strings.h>

enum {
    MAX_HEADERS = 32,
    MAX_RETRY_AFTER_S = 300,
    SKEW_S = 240, /* a smaller skew needs no correction: services allow five minutes */
    MAX_EXCERPT = 200,
};

struct aws_caller {
    struct http *http;
    const struct http_time *time;
    struct log *log;
    int max_attempts;
    atomic_int_least64_t skew; /* to add to our clock */
    pthread_mutex_t lock;
    int64_t budget_time; /* monotonic time at which the budget is full again; guarded by the lock */
};

struct aws_caller *aws_caller_new(const struct aws_caller_options *options)
{
    struct aws_caller *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->http = options->http;
    c->time = options->time ? options->time : &http_system_time;
    c->log = options->log;
    c->max_attempts = options->max_attempts > 0 ? options->max_attempts : AWS_MAX_ATTEMPTS;
    mutex_init(&c->lock);
    return c;
}

void aws_caller_free(struct aws_caller *c)
{
    if (!c)
        return;
    mutex_destroy(&c->lock);
    free(c);
}

const struct http_time *aws_caller_time(const struct aws_caller *caller)
{
    return caller->time;
}

struct http *aws_caller_http(const struct aws_caller *caller)
{
    return caller->http;
}

int64_t aws_caller_now(const struct aws_caller *caller)
{
    return http_wall(caller->time) + atomic_load(&caller->skew);
}

/* Pauses */

/*
 * The token bucket is one number, the time at which it is full again: every retry delays that by the time one token takes to
 * refill. A retry waits while that time is more than a whole bucket ahead.
 */
static int64_t take_from_budget(struct aws_caller *c)
{
    const int64_t token = NS_PER_S / AWS_BUDGET_RATE;
    int64_t now = clock_now(c->time->clock);
    mutex_lock(&c->lock);
    if (c->budget_time < now)
        c->budget_time = now;
    int64_t wait = c->budget_time - now - (AWS_BUDGET_BURST - 1) * token;
    c->budget_time += token;
    mutex_unlock(&c->lock);
    return wait > 0 ? wait : 0;
}

bool aws_caller_pause(struct aws_caller *caller, int64_t ns, struct cancel *cancel, int64_t deadline)
{
    int64_t turn = take_from_budget(caller);
    if (turn > ns)
        ns = turn;
    if (deadline != NO_DEADLINE && clock_now(caller->time->clock) + ns >= deadline)
        return false;
    return caller->time->pause(caller->time, ns, cancel);
}

int64_t aws_caller_backoff(struct aws_caller *caller, int attempt)
{
    int64_t most = AWS_BACKOFF_MAX_S * NS_PER_S;
    int64_t bound = attempt < 10 ? AWS_BACKOFF_MS * NS_PER_MS << attempt : most;
    return (int64_t)(caller->time->chance(caller->time) * (double)(bound < most ? bound : most));
}

/* Errors of services */

static bool is_any_of(struct str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eqz(name, names[i]))
            return true;
    return false;
}
#define IS_ANY_OF(name, ...)                                                                                                     \
    is_any_of((name), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Is this one of the error names by which an AWS service signals throttling? */
static bool is_throttling(struct str name)
{
    return IS_ANY_OF(name, "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException",
                     "RequestThrottled", "TooManyRequestsException", "ProvisionedThroughputExceededException",
                     "RequestLimitExceeded", "BandwidthLimitExceeded", "LimitExceededException", "SlowDown",
                     "PriorRequestNotComplete", "EC2ThrottledException");
}

static bool is_passing(struct str name)
{
    return IS_ANY_OF(name, "RequestTimeout", "RequestTimeoutException", "InternalFailure", "InternalError", "InternalServerError",
                     "InternalServerException", "ServiceUnavailable", "ServiceUnavailableException", "Unavailable");
}

static bool may_be_the_clock(struct str name)
{
    return IS_ANY_OF(name, "RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture", "InvalidSignatureException",
                     "SignatureDoesNotMatch", "AuthFailure");
}

static bool keys_have_expired(struct str name)
{
    return IS_ANY_OF(name, "ExpiredToken", "ExpiredTokenException");
}

/* "com.amazon.coral.service#ThrottlingException:http://..." */
static struct str short_name(struct str name)
{
    size_t hash = str_find(name, '#', 0);
    if (hash != SIZE_MAX)
        name = str_slice(name, hash + 1, name.n);
    return str_trim(str_slice(name, 0, str_find(name, ':', 0)));
}

bool aws_read_json_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message)
{
    struct diags ignored;
    diags_init(&ignored, a);
    struct str name = http_response_header(response, "x-amzn-errortype");
    const struct json *j = response->body.n > 0 ? json_parse(a, response->body, "answer", &ignored) : NULL;
    if (name.n == 0)
        name = json_text(json_get(j, "__type"), json_text(json_get(j, "code"), STR_EMPTY));
    name = short_name(name);
    if (name.n == 0)
        return false;
    *ret_name = arena_str(a, name);
    *ret_message = json_text(json_get(j, "message"), json_text(json_get(j, "Message"), STR_EMPTY));
    return true;
}

bool aws_read_xml_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message)
{
    /* The query protocol, S3, EC2. */
    static const char *const places[][2] = {{"ErrorResponse/Error/Code", "ErrorResponse/Error/Message"},
                                            {"Error/Code", "Error/Message"},
                                            {"Response/Errors/Error/Code", "Response/Errors/Error/Message"}};
    struct str name, message = STR_EMPTY;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!aws_xml_text(a, response->body, places[i][0], &name))
            continue;
        (void)aws_xml_text(a, response->body, places[i][1], &message);
        *ret_name = str_trim(name);
        *ret_message = str_trim(message);
        return true;
    }
    return false;
}

/* One attempt */

enum attempt_end { DONE, GIVE_UP, AGAIN_AT_ONCE, AGAIN };

struct outcome {
    enum attempt_end verdict;
    int max_attempts;    /* AGAIN */
    int64_t retry_after; /* AGAIN: minimum pause in ns */
};

struct attempts {
    struct aws_caller *caller;
    struct arena *a;
    const struct aws_call *call;
    struct http_response *ret;
    struct aws_failure failure; /* of the last attempt */
    bool clock_corrected, keys_renewed;
    int n;
};

static struct outcome give_up(struct attempts *t, enum aws_failure_kind kind, struct str message)
{
    t->failure.kind = kind;
    t->failure.message = message;
    return (struct outcome){.verdict = GIVE_UP};
}

static int64_t retry_after(const struct http_response *response)
{
    int64_t number;
    if (str_to_i64(http_response_header(response, "x-amz-retry-after"), &number) && number >= 0 &&
        number <= MAX_RETRY_AFTER_S * 1000)
        return number * NS_PER_MS;
    if (str_to_i64(http_response_header(response, "retry-after"), &number) && number >= 0 && number <= MAX_RETRY_AFTER_S)
        return number * NS_PER_S;
    return 0;
}

static struct outcome again(const struct attempts *t, enum aws_retry retry, int64_t after)
{
    int most = t->caller->max_attempts;
    if (t->call->max_attempts > 0 && t->call->max_attempts < most)
        most = t->call->max_attempts; /* sources of credentials allow fewer attempts, but never more than the user configured */
    if (retry == AWS_RETRY_NO)
        return (struct outcome){.verdict = GIVE_UP};
    if (retry == AWS_RETRY_FEW && most > AWS_NETWORK_ATTEMPTS)
        most = AWS_NETWORK_ATTEMPTS;
    return (struct outcome){.verdict = AGAIN, .max_attempts = most, .retry_after = after};
}

static struct outcome no_answer(struct attempts *t, enum http_result result, struct str why)
{
    enum aws_retry retry = AWS_RETRY_NO;
    t->failure.kind = result == HTTP_CANCELLED ? AWS_FAIL_CANCELLED : AWS_FAIL_NETWORK;
    t->failure.message = arena_printf(t->a, STR_FMT " does not answer: " STR_FMT, STR_ARG(t->call->endpoint->host), STR_ARG(why));
    if (result == HTTP_TIMEOUT || result == HTTP_BROKEN)
        retry = AWS_RETRY_YES;
    else if (result == HTTP_NO_HOST || result == HTTP_REFUSED || result == HTTP_TLS)
        retry = AWS_RETRY_FEW;
    return again(t, retry, 0);
}

/* Corrects our clock if its skew explains the refusal. */
static bool correct_clock(struct attempts *t, const struct http_response *response)
{
    int64_t theirs;
    if (t->clock_corrected || !may_be_the_clock(t->failure.name) ||
        !http_date_parse(http_response_header(response, "date"), &theirs))
        return false;
    int64_t off = theirs - aws_caller_now(t->caller);
    if (off < SKEW_S * NS_PER_S && off > -SKEW_S * NS_PER_S)
        return false;
    t->clock_corrected = true;
    atomic_store(&t->caller->skew, theirs - http_wall(t->caller->time));
    log_warn(t->caller->log, "clock differs from the service's and is corrected", LOG_INT("seconds", off / NS_PER_S));
    return true;
}

static bool renew_keys(struct attempts *t, const struct aws_keys *keys)
{
    if (t->keys_renewed || !t->call->credentials || !keys_have_expired(t->failure.name))
        return false;
    t->keys_renewed = true;
    aws_credentials_drop(t->call->credentials, keys);
    return true;
}

static struct str excerpt(struct arena *a, struct str body)
{
    char *text = arena_alloc(a, MAX_EXCERPT + 1, 1);
    body = str_slice(str_trim(body), 0, MAX_EXCERPT);
    for (size_t i = 0; i < body.n; i++)
        text[i] = (char)(body.p[i] >= ' ' && body.p[i] < 127 ? body.p[i] : ' ');
    return (struct str){text, body.n};
}

static struct outcome refused(struct attempts *t, const struct aws_keys *keys, const struct http_response *response)
{
    const struct aws_call *call = t->call;
    struct aws_failure *f = &t->failure;
    f->kind = AWS_FAIL_SERVICE;
    if (!call->read_error || !call->read_error(t->a, response, &f->name, &f->message)) {
        f->kind = AWS_FAIL_ANSWER;
        f->message = arena_printf(t->a, STR_FMT " answers with HTTP status %ld and no error that can be read: " STR_FMT,
                                  STR_ARG(call->endpoint->host), response->status, STR_ARG(excerpt(t->a, response->body)));
    }
    if (correct_clock(t, response) || renew_keys(t, keys))
        return (struct outcome){.verdict = AGAIN_AT_ONCE};
    enum aws_retry retry = response->status >= 500 ? AWS_RETRY_YES : AWS_RETRY_NO;
    bool throttled = is_throttling(f->name) || response->status == 429;
    if (throttled && call->ret_throttled)
        *call->ret_throttled = true;
    if (throttled || is_passing(f->name))
        retry = AWS_RETRY_YES;
    else if (call->retry)
        retry = call->retry(f->name, response->status);
    return again(t, retry, retry_after(response));
}

/* Adds the headers of the signature. */
static size_t add_signature(struct attempts *t, const struct aws_keys *keys, struct http_header *headers, size_t n,
                            struct str *ret_secret)
{
    const struct aws_call *call = t->call;
    struct sigv4_request request = {
        .method = str_of(call->method),
        .path = arena_printf(t->a, STR_FMT STR_FMT, STR_ARG(call->endpoint->path), STR_ARG(call->path)),
        .query = call->query,
        .headers = headers,
        .n_headers = n,
        .payload_hash = sigv4_hash(t->a, call->body),
    };
    struct sigv4_keys signer = {keys->access_key, keys->secret_key, keys->token};
    struct sigv4_scope scope = {call->endpoint->region, str_of(call->endpoint->signing_name), aws_caller_now(t->caller)};
    struct sigv4_signature s;
    if (!sigv4_sign(t->a, &request, &signer, &scope, &s))
        return n; /* the token exceeds the limits: the service will report it */
    headers[n++] = (struct http_header){STR("X-Amz-Date"), s.date};
    if (keys->token.n > 0)
        headers[n++] = (struct http_header){STR("X-Amz-Security-Token"), keys->token};
    headers[n++] = (struct http_header){STR("Authorization"), s.authorization};
    *ret_secret = s.canonical_request; /* contains the token */
    return n;
}

/* Host, the call's own headers, the signature, and headers that proxies may change and that are therefore not signed. */
static size_t make_headers(struct attempts *t, const struct aws_keys *keys, struct http_header headers[MAX_HEADERS],
                           struct str *ret_secret)
{
    const struct aws_call *call = t->call;
    size_t n = 0;
    headers[n++] = (struct http_header){STR("Host"), call->endpoint->host};
    for (size_t i = 0; i < call->n_headers && n < MAX_HEADERS - 4; i++)
        headers[n++] = call->headers[i];
    if (keys)
        n = add_signature(t, keys, headers, n, ret_secret);
    if (call->user_agent.n > 0) {
        struct str usual = http_user_agent(t->caller->http);
        headers[n++] = (struct http_header){STR("User-Agent"),
                                            arena_printf(t->a, STR_FMT " " STR_FMT, STR_ARG(usual), STR_ARG(call->user_agent))};
    }
    return n;
}

static int64_t time_for_attempt(const struct attempts *t)
{
    int64_t most = t->call->timeout_ns > 0 ? t->call->timeout_ns : HTTP_TIMEOUT_S * NS_PER_S;
    if (t->call->deadline == NO_DEADLINE)
        return most;
    int64_t left = t->call->deadline - clock_now(t->caller->time->clock);
    return left < most ? left : most;
}

static struct outcome send_once(struct attempts *t, const struct aws_keys *keys)
{
    const struct aws_call *call = t->call;
    struct http_header headers[MAX_HEADERS];
    struct str secret = STR_EMPTY, why = STR_EMPTY;
    struct http_request request = {
        .method = call->method,
        .url = arena_printf(t->a, STR_FMT STR_FMT "%s" STR_FMT, STR_ARG(call->endpoint->url), STR_ARG(call->path),
                            call->query.n > 0 ? "?" : "", STR_ARG(call->query)),
        .headers = headers,
        .n_headers = make_headers(t, keys, headers, &secret),
        .body = call->body,
        .timeout_ns = time_for_attempt(t),
        .connect_ns = call->connect_ns,
        .max_body = call->max_body,
        .direct = call->direct,
        .cancel = call->cancel,
    };
    if (request.timeout_ns <= 0)
        return give_up(t, AWS_FAIL_DEADLINE, t->failure.message);
    struct http_response response;
    int64_t before = clock_now(t->caller->time->clock), begun = clock_now(&system_clock);
    enum http_result result = http_do(t->caller->http, t->a, &request, &response, &why);
    str_wipe(secret);
    t->failure = (struct aws_failure){.attempts = t->n};
    struct outcome outcome = {.verdict = DONE};
    if (result != HTTP_OK) {
        outcome = no_answer(t, result, why);
    } else {
        t->failure.status = response.status;
        t->failure.request_id = http_response_header(&response, "x-amzn-requestid");
        if (response.status >= 200 && response.status < 300)
            *t->ret = response;
        else
            outcome = refused(t, keys, &response);
    }
    log_work(t->caller->log, &(struct log_work){.kind = LOG_WORK_REQUEST,
                                                .what = str_of(call->operation),
                                                .who = call->endpoint->host,
                                                .outcome = outcome.verdict == DONE ? "ok" : "failed",
                                                .begun = begun});
    log_debug(t->caller->log, "call of a service", LOG_Z("operation", call->operation), LOG_STR("host", call->endpoint->host),
              LOG_INT("attempt", t->n), LOG_INT("status", t->failure.status), LOG_STR("error", t->failure.name),
              LOG_STR("request_id", t->failure.request_id),
              LOG_INT("ms", (clock_now(t->caller->time->clock) - before) / NS_PER_MS));
    return outcome;
}

static struct str text_of(struct arena *a, const struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(64 << 10);
    for (size_t i = 0; i < diags->n; i++)
        if (diags->v[i].severity == DIAG_ERROR)
            buf_printf(&out, "%s" STR_FMT ": " STR_FMT, out.n > 0 ? "\n" : "", STR_ARG(diags->v[i].summary),
                       STR_ARG(diags->v[i].detail));
    return buf_copy(&out, a);
}

static struct outcome attempt(struct attempts *t)
{
    const struct aws_call *call = t->call;
    if (cancel_fired(call->cancel))
        return give_up(t, AWS_FAIL_CANCELLED, STR("cancelled"));
    if (!call->credentials)
        return send_once(t, call->keys);
    struct diags diags;
    diags_init(&diags, t->a);
    const struct aws_keys *keys = aws_credentials_get(call->credentials, call->cancel, call->deadline, &diags);
    if (!keys)
        return give_up(t, cancel_fired(call->cancel) ? AWS_FAIL_CANCELLED : AWS_FAIL_CREDENTIALS, text_of(t->a, &diags));
    struct outcome outcome = send_once(t, keys);
    aws_keys_unref(keys);
    return outcome;
}

/* False if there is no further attempt. */
static bool pause_before_next(struct attempts *t, const struct outcome *outcome)
{
    if (outcome->verdict == AGAIN_AT_ONCE)
        return true;
    if (t->n >= outcome->max_attempts)
        return false;
    int64_t pause = aws_caller_backoff(t->caller, t->n);
    if (pause < outcome->retry_after)
        pause = outcome->retry_after;
    if (aws_caller_pause(t->caller, pause, t->call->cancel, t->call->deadline))
        return true;
    t->failure.kind = cancel_fired(t->call->cancel) ? AWS_FAIL_CANCELLED : AWS_FAIL_DEADLINE;
    return false;
}

bool aws_call(struct aws_caller *caller, struct arena *a, const struct aws_call *call, struct http_response *ret,
              struct aws_failure *reterr)
{
    struct attempts t = {.caller = caller, .a = a, .call = call, .ret = ret};
    struct outcome outcome;
    if (call->ret_throttled)
        *call->ret_throttled = false;
    do {
        t.n++;
        outcome = attempt(&t);
    } while (outcome.verdict >= AGAIN_AT_ONCE && pause_before_next(&t, &outcome));
    if (outcome.verdict == DONE)
        return true;
    t.failure.attempts = t.n;
    *reterr = t.failure;
    return false;
}

/* Reports */

static const char *advice(const struct aws_failure *f)
{
    if (f->kind == AWS_FAIL_NETWORK)
        return "Check the network, the proxy settings and the endpoint.";
    if (IS_ANY_OF(f->name, "UnrecognizedClientException", "InvalidClientTokenId"))
        return "AWS does not know the access key, or the session token does not belong to it. Check the credentials, and that "
               "they are "
               "of the partition of this region.";
    if (keys_have_expired(f->name))
        return "The credentials have expired. Get new ones: log in again, or assume the role again.";
    if (IS_ANY_OF(f->name, "InvalidSignatureException", "SignatureDoesNotMatch"))
        return "The secret key does not belong to the access key, or something between here and AWS changes requests.";
    return "";
}

static void describe(struct buf *out, const struct aws_failure *f)
{
    if (f->kind == AWS_FAIL_CANCELLED)
        buf_addz(out, "cancelled");
    else if (f->kind == AWS_FAIL_DEADLINE)
        buf_addz(out, "timed out. Last error: ");
    if (f->name.n > 0 && f->kind != AWS_FAIL_CANCELLED)
        buf_printf(out, STR_FMT ": ", STR_ARG(f->name));
    if (f->kind != AWS_FAIL_CANCELLED)
        buf_add(out, f->message.n > 0 ? f->message : STR("no answer"));
    if (f->status > 0)
        buf_printf(out, " (HTTP status %ld, request id " STR_FMT ", %d attempt%s)", f->status,
                   STR_ARG(f->request_id.n > 0 ? f->request_id : STR("unknown")), f->attempts, f->attempts == 1 ? "" : "s");
    else if (f->attempts > 1)
        buf_printf(out, " (%d attempts)", f->attempts);
}

struct str aws_failure_text(struct arena *a, const struct aws_failure *failure)
{
    struct buf out BUF_AUTO = BUF_INIT(64 << 10);
    describe(&out, failure);
    return buf_copy(&out, a);
}

bool aws_failure_report(const struct aws_failure *failure, const char *operation, const char *summary, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const char *then = advice(failure);
    return diags_fail(diags, summary, "%s: " STR_FMT "%s%s", operation, STR_ARG(aws_failure_text(scratch, failure)),
                      then[0] != '\0' ? "\n\n" : "", then);
}
