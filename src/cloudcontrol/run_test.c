#include "cloudcontrol/run.h"

#include "aws/testing_aws.h"
#include "translate/testing_translate.h"

/* The server's answers for an operation, in order; the last one repeats. */
struct answers {
    const char *v[8];
    int at;
};

struct world {
    struct testing_aws aws;
    struct cc_api *api;
    struct cc_call call;
    struct answers begin, status, get;
    int n_begun, n_cancelled;
    char patches[256], tokens[512];
    struct cancel *fire_at_status; /* fires when the status is polled */
};

static const char *next(struct answers *a)
{
    const char *text = a->v[a->at];
    if (a->v[a->at + 1])
        a->at++;
    return text;
}

static void add_part(char *out, size_t size, const char *body, const char *key)
{
    const char *from = strstr(body, key);
    if (!from)
        return;
    from += strlen(key);
    size_t used = strlen(out);
    (void)snprintf(out + used, size - used, "%.*s ", (int)strcspn(from, "\""), from);
}

static void answer(void *ctx, const struct testing_request *r, struct testing_answer *answer)
{
    struct world *w = ctx;
    struct str target = testing_header(r, "x-amz-target");
    const char *text;
    if (str_ends(target, STR(".GetResourceRequestStatus"))) {
        text = next(&w->status);
        if (w->fire_at_status)
            cancel_fire(w->fire_at_status);
    } else if (str_ends(target, STR(".GetResource"))) {
        text = next(&w->get);
    } else if (str_ends(target, STR(".CancelResourceRequest"))) {
        w->n_cancelled++;
        text = "{\"ProgressEvent\":{\"RequestToken\":\"t\",\"OperationStatus\":\"CANCEL_IN_PROGRESS\"}}";
    } else {
        w->n_begun++;
        add_part(w->patches, sizeof w->patches, r->body.p, "\"PatchDocument\":\"");
        add_part(w->tokens, sizeof w->tokens, r->body.p, "\"ClientToken\":\"");
        text = next(&w->begin);
    }
    answer->status = strstr(text, "__type") ? 400 : 200;
    answer->body = str_of(text);
}

#define EVENT(operation, status, more)                                                                                           \
    "{\"ProgressEvent\":{\"TypeName\":\"T\",\"RequestToken\":\"t\",\"Operation\":\"" operation                                   \
    "\",\"OperationStatus\":\"" status "\"" more "}}"
#define IN_PROGRESS EVENT("CREATE", "IN_PROGRESS", "")
#define SUCCESS EVENT("CREATE", "SUCCESS", ",\"Identifier\":\"id-1\"")
#define FAILED(code) EVENT("CREATE", "FAILED", ",\"StatusMessage\":\"because\",\"ErrorCode\":\"" code "\"")
#define FAILED_WITH_ID(code)                                                                                                     \
    EVENT("CREATE", "FAILED", ",\"Identifier\":\"id-1\",\"StatusMessage\":\"because\",\"ErrorCode\":\"" code "\"")
#define NOT_FOUND "{\"__type\":\"ResourceNotFoundException\",\"Message\":\"no\"}"
#define FOUND "{\"ResourceDescription\":{\"Identifier\":\"id-1\",\"Properties\":\"{}\"}}"

static void start(struct world *w)
{
    *w = (struct world){.aws = {.handler = answer, .ctx = w}};
    testing_aws_start(&w->aws);
    w->api = cc_api_new(
        &(struct cc_api_options){.caller = w->aws.caller, .credentials = w->aws.credentials, .endpoint = w->aws.endpoint});
    w->begin.v[0] = IN_PROGRESS;
    w->status.v[0] = SUCCESS;
    w->get.v[0] = NOT_FOUND;
}

static void stop(struct world *w)
{
    cc_api_free(w->api);
    testing_aws_stop(&w->aws);
}

static struct cc_ran run(struct world *w, enum cc_operation operation)
{
    struct cc_run r = {.operation = operation,
                       .type_name = STR("AWS::T::T"),
                       .identifier = operation == CC_OP_CREATE ? STR_EMPTY : STR("id-1"),
                       .desired_state = STR("{}"),
                       .patch = STR("[0]"),
                       .wait = {.call = &w->call}};
    struct cc_ran ran;
    (void)cc_run(w->api, w->aws.a, &r, &ran);
    return ran;
}

static void a_create_is_waited_for(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status = (struct answers){.v = {IN_PROGRESS, IN_PROGRESS, IN_PROGRESS, SUCCESS}};
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_DONE);
    testing_text(ran.identifier, "id-1");
    assert_int_equal(w.aws.time.n_pauses, 3);                        /* no pause before the first poll */
    assert_int_equal(w.aws.time.pauses[0], 250 * NS_PER_MS * 3 / 4); /* half plus a random part, here half of the other half */
    assert_int_equal(w.aws.time.pauses[1], 500 * NS_PER_MS * 3 / 4);
    assert_int_equal(w.aws.time.pauses[2], 1000 * NS_PER_MS * 3 / 4);
    stop(&w);
}

static void what_is_done_at_once_is_not_waited_for(void **state)
{
    (void)state;
    static const enum cc_operation operations[] = {CC_OP_CREATE, CC_OP_UPDATE, CC_OP_DELETE};
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        struct world w;
        start(&w);
        assert_int_equal(run(&w, operations[i]).result, CC_WAIT_DONE);
        assert_int_equal(w.aws.time.n_pauses, 0);
        stop(&w);
    }
}

static void pauses_are_bounded(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = IN_PROGRESS;
    w.call.deadline = clock_now(&w.aws.time.clock.clock) + 3600 * NS_PER_S;
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_TIMEOUT);
    for (int i = 0; i < w.aws.time.n_pauses; i++)
        assert_true(w.aws.time.pauses[i] <= CC_WAIT_MAX_S * NS_PER_S);
    assert_true(w.aws.time.n_pauses > 100);
    assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
    testing_says(&w.aws.diags, "timed out while the request was in status IN_PROGRESS");
    testing_says(&w.aws.diags, "--request-token t`");
    assert_int_equal(w.n_cancelled, 0);
    stop(&w);
}

static void the_service_says_when_it_wants_to_be_asked(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    /* 1440938160 is now. */
    w.begin.v[0] = EVENT("CREATE", "IN_PROGRESS", ",\"RetryAfter\":1440938167.5");
    w.status = (struct answers){.v = {EVENT("CREATE", "IN_PROGRESS", ",\"RetryAfter\":1440938100"), /* the past */
                                      EVENT("CREATE", "IN_PROGRESS", ",\"RetryAfter\":1740938167"), /* years ahead */
                                      SUCCESS}};
    assert_int_equal(run(&w, CC_OP_CREATE).result, CC_WAIT_DONE);
    assert_int_equal(w.aws.time.pauses[0], 7500 * NS_PER_MS);
    assert_int_equal(w.aws.time.pauses[1], 250 * NS_PER_MS * 3 / 4);
    assert_int_equal(w.aws.time.pauses[2], 500 * NS_PER_MS * 3 / 4);
    stop(&w);
}

static void failures_are_told(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = FAILED("InvalidRequest");
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_FAILED);
    assert_int_equal(ran.status.progress.error, CC_HANDLER_INVALID_REQUEST);
    assert_int_equal(w.n_begun, 1);
    testing_text(cc_wait_text(w.aws.a, ran.result, &ran.status, &ran.failure),
                 "waiter state transitioned to FAILED. StatusMessage: because. ErrorCode: InvalidRequest");
    testing_text(ran.identifier, "");
    stop(&w);
}

static void what_is_cancelled_is_not_done(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = EVENT("CREATE", "CANCEL_COMPLETE", "");
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_CANCELLED);
    assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
    testing_says(&w.aws.diags, "returned: waiter state transitioned to CANCEL_COMPLETE");
    stop(&w);
}

static void a_delete_of_what_is_gone_is_done(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = "{\"ProgressEvent\":{\"RequestToken\":\"t\",\"OperationStatus\":\"FAILED\",\"ErrorCode\":\"NotFound\"}}";
    w.begin.v[0] = EVENT("DELETE", "IN_PROGRESS", "");
    assert_int_equal(run(&w, CC_OP_DELETE).result, CC_WAIT_DONE);
    w.begin.v[0] = NOT_FOUND;
    assert_int_equal(run(&w, CC_OP_DELETE).result, CC_WAIT_DONE);
    w.begin.v[0] = EVENT("UPDATE", "IN_PROGRESS", "");
    assert_int_equal(run(&w, CC_OP_UPDATE).result, CC_WAIT_FAILED);
    stop(&w);
}

static void passing_trouble_is_tried_again(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status = (struct answers){.v = {FAILED_WITH_ID("ServiceInternalError"), FAILED("Throttling"), SUCCESS}};
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_DONE);
    assert_int_equal(ran.tries, 3);
    assert_int_equal(w.n_begun, 3);
    char first[64], second[64];
    assert_int_equal(sscanf(w.tokens, "%63s %63s", first, second), 2);
    assert_string_not_equal(first, second); /* another request, so another token */
    stop(&w);
}

static void a_create_that_left_something_is_not_repeated(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = FAILED_WITH_ID("Throttling");
    w.get.v[0] = FOUND;
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_FAILED);
    assert_int_equal(w.n_begun, 1);
    testing_text(ran.identifier, "id-1");
    w.get.v[0] = "{\"__type\":\"AccessDeniedException\"}"; /* unclear: the object counts as existing */
    testing_text(run(&w, CC_OP_CREATE).identifier, "id-1");
    w.status.v[0] = FAILED_WITH_ID("AlreadyExists"); /* but it was not created by us */
    w.get.v[0] = FOUND;
    testing_text(run(&w, CC_OP_CREATE).identifier, "");
    stop(&w);
}

static void an_update_is_repeated_only_where_that_is_safe(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = EVENT("UPDATE", "FAILED", ",\"ErrorCode\":\"ServiceInternalError\"");
    assert_int_equal(run(&w, CC_OP_UPDATE).tries, 1);
    w.status = (struct answers){.v = {EVENT("UPDATE", "FAILED", ",\"ErrorCode\":\"Throttling\""), SUCCESS}};
    assert_int_equal(run(&w, CC_OP_UPDATE).tries, 2);
    assert_string_equal(w.patches, "[0] [0] [0] ");
    stop(&w);
}

static void tries_have_an_end(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = FAILED("Throttling");
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.tries, CC_RUN_TRIES);
    assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
    testing_says(&w.aws.diags, "(tried 5 times)");
    stop(&w);
}

/* Which failures are final, and how often the others are retried. */
static void tries_by_reason(void **state)
{
    (void)state;
    static const struct {
        const char *event;
        int of_create, of_update, of_delete;
    } cases[] = {
        {FAILED("Throttling"), 5, 5, 5},         {FAILED("ServiceInternalError"), 2, 1, 2},
        {FAILED("NetworkFailure"), 2, 1, 2},     {FAILED("ServiceTimeout"), 2, 1, 2},
        {FAILED("NotUpdatable"), 1, 1, 1},       {FAILED("InvalidRequest"), 1, 1, 1},
        {FAILED("AccessDenied"), 1, 1, 1},       {FAILED("UnauthorizedTaggingOperation"), 1, 1, 1},
        {FAILED("InvalidCredentials"), 1, 1, 1}, {FAILED("AlreadyExists"), 1, 1, 1},
        {FAILED("ResourceConflict"), 1, 1, 1},   {FAILED("ServiceLimitExceeded"), 1, 1, 1},
        {FAILED("NotStabilized"), 1, 1, 1},      {FAILED("GeneralServiceException"), 1, 1, 1},
        {FAILED("InternalFailure"), 1, 1, 1},    {FAILED("SomethingNew"), 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        start(&w);
        w.status.v[0] = cases[i].event;
        if (run(&w, CC_OP_CREATE).tries != cases[i].of_create || run(&w, CC_OP_UPDATE).tries != cases[i].of_update ||
            run(&w, CC_OP_DELETE).tries != cases[i].of_delete)
            fail_msg("%s", cases[i].event);
        stop(&w);
    }
}

/* The summaries that users of hashicorp/awscc know. */
static void words_of_failures(void **state)
{
    (void)state;
    static const struct {
        enum cc_operation operation;
        const char *begin, *summary, *detail;
    } cases[] = {
        {CC_OP_CREATE, NULL, "AWS SDK Go Service Operation Incomplete",
         "Waiting for Cloud Control API service CreateResource operation completion returned: waiter state transitioned to "
         "FAILED. StatusMessage: because. ErrorCode: AccessDenied"},
        {CC_OP_UPDATE, NULL, "AWS SDK Go Service Operation Incomplete",
         "Waiting for Cloud Control API service UpdateResource operation completion returned: waiter state transitioned to "
         "FAILED. StatusMessage: because. ErrorCode: AccessDenied"},
        {CC_OP_DELETE, NULL, "AWS SDK Go Service Operation Unsuccessful",
         "Calling Cloud Control API service DeleteResource operation returned: waiter state transitioned to FAILED. "
         "StatusMessage: because. ErrorCode: AccessDenied"},
        {CC_OP_CREATE, NOT_FOUND, "AWS SDK Go Service Operation Unsuccessful",
         "Calling Cloud Control API service CreateResource operation returned: ResourceNotFoundException: no"},
        {CC_OP_UPDATE, NOT_FOUND, "AWS SDK Go Service Operation Unsuccessful",
         "Calling Cloud Control API service UpdateResource operation returned: ResourceNotFoundException: no"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        start(&w);
        w.status.v[0] = FAILED("AccessDenied");
        if (cases[i].begin)
            w.begin.v[0] = cases[i].begin;
        struct cc_ran ran = run(&w, cases[i].operation);
        assert_false(cc_ran_report(&ran, cases[i].operation, &w.aws.diags));
        testing_text(w.aws.diags.v[0].summary, cases[i].summary);
        testing_says(&w.aws.diags, cases[i].detail);
        stop(&w);
    }
}

static void stopping(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = IN_PROGRESS;
    w.call.cancel = w.fire_at_status = cancel_new();
    struct cc_progress begun = {.request_token = STR("t"), .operation = CC_OP_CREATE, .status = CC_STATUS_IN_PROGRESS};
    struct cc_wait wait = {.call = &w.call, .cancel_request = true};
    struct cc_request_status status;
    struct cc_failure failure;
    assert_int_equal(cc_wait(w.api, w.aws.a, &begun, &wait, &status, &failure), CC_WAIT_STOPPED);
    assert_int_equal(w.n_cancelled, 1);
    assert_int_equal(status.progress.status, CC_STATUS_CANCEL_IN_PROGRESS);
    assert_non_null(strstr(cc_wait_text(w.aws.a, CC_WAIT_STOPPED, &status, &failure).p, "it may still complete"));
    wait.cancel_request = false;
    assert_int_equal(cc_wait(w.api, w.aws.a, &begun, &wait, &status, &failure), CC_WAIT_STOPPED);
    assert_int_equal(w.n_cancelled, 1);
    cancel_free(w.call.cancel);
    stop(&w);
}

static void a_request_may_be_unknown_for_a_moment(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    static const char unknown[] =
        "{\"__type\":\"RequestTokenNotFoundException\",\"Message\":\"Request with token t was not found\"}";
    w.status = (struct answers){.v = {unknown, IN_PROGRESS, SUCCESS}};
    assert_int_equal(run(&w, CC_OP_CREATE).result, CC_WAIT_DONE);
    w.status = (struct answers){.v = {unknown}};
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_ERROR);
    assert_int_equal(ran.failure.code, CC_ERROR_REQUEST_TOKEN_NOT_FOUND);
    assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
    testing_says(&w.aws.diags, "cannot get the status of the request: RequestTokenNotFoundException");
    stop(&w);
}

static void a_status_that_is_not_known_is_waited_for(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.begin.v[0] = EVENT("CREATE", "QUEUED", "");
    w.status = (struct answers){.v = {EVENT("CREATE", "QUEUED", ""), EVENT("CREATE", "REVIEWING", ""), SUCCESS}};
    assert_int_equal(run(&w, CC_OP_CREATE).result, CC_WAIT_DONE);
    w.status = (struct answers){.v = {EVENT("CREATE", "REVIEWING", "")}};
    w.call.deadline = clock_now(&w.aws.time.clock.clock) + 60 * NS_PER_S;
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_TIMEOUT);
    assert_int_equal(w.n_begun, 2);
    assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
    testing_says(&w.aws.diags, "the request was in status REVIEWING, which this provider does not know.");
    stop(&w);
}

/* Without a status an event cannot be polled. */
static void an_event_without_a_status_is_no_event(void **state)
{
    (void)state;
    static const char *const events[] = {"{\"RequestToken\":\"t\"}", "{\"RequestToken\":\"t\",\"OperationStatus\":\"\"}",
                                         "{\"RequestToken\":\"t\",\"OperationStatus\":7}"};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        struct world w;
        start(&w);
        w.status.v[0] = arena_printf(w.aws.a, "{\"ProgressEvent\":%s}", events[i]).p;
        struct cc_ran ran = run(&w, CC_OP_CREATE);
        assert_int_equal(ran.result, CC_WAIT_ERROR);
        assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
        testing_says(&w.aws.diags, "without a progress event that has a status");
        stop(&w);
    }
}

static void failed_hooks_are_told(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.status.v[0] = "{\"ProgressEvent\":{\"RequestToken\":\"t\",\"HooksRequestToken\":\"h\",\"OperationStatus\":\"FAILED\","
                    "\"StatusMessage\":\"no\"},\"HooksProgressEvent\":["
                    "{\"HookTypeName\":\"A::B::C\",\"HookStatus\":\"HOOK_COMPLETE_SUCCEEDED\"},"
                    "{\"HookTypeName\":\"A::B::D\",\"HookTypeArn\":\"arn\",\"HookTypeVersionId\":\"1\",\"HookStatus\":"
                    "\"HOOK_COMPLETE_FAILED\",\"HookStatusMessage\":\"because\"}]}";
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_int_equal(ran.result, CC_WAIT_FAILED);
    assert_int_equal(ran.tries, 1);
    testing_text(cc_wait_text(w.aws.a, ran.result, &ran.status, &ran.failure),
                 "waiter state transitioned to FAILED. StatusMessage: no. Hook failures: HookName: A::B::D, HookArn: arn, "
                 "HookVersion: 1, Time: unknown, HookMessage: because");
    stop(&w);
}

static void what_cannot_be_begun(void **state)
{
    (void)state;
    struct world w;
    start(&w);
    w.begin.v[0] = "{\"__type\":\"TypeNotFoundException\",\"Message\":\"The type 'T' cannot be found.\"}";
    struct cc_ran ran = run(&w, CC_OP_CREATE);
    assert_false(ran.begun);
    assert_int_equal(ran.failure.code, CC_ERROR_TYPE_NOT_FOUND);
    assert_false(cc_ran_report(&ran, CC_OP_CREATE, &w.aws.diags));
    testing_says(&w.aws.diags, "returned: TypeNotFoundException: The type 'T' cannot be found.");
    stop(&w);
}

static void facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "waiter.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        struct cc_request_status status;
        struct cc_failure none = {0};
        assert_true(cc_read_request_status(a, json_get(cases->array.items[i], "in"), &status));
        struct str text = cc_wait_text(a, CC_WAIT_FAILED, &status, &none);
        const struct json *parts = json_get(cases->array.items[i], "error_contains");
        assert_true(parts->array.n > 0);
        for (size_t k = 0; k < parts->array.n; k++)
            if (!strstr(text.p, parts->array.items[k]->text.p))
                fail_msg("expected \"%s\" in: %s", parts->array.items[k]->text.p, text.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_create_is_waited_for),
        cmocka_unit_test(what_is_done_at_once_is_not_waited_for),
        cmocka_unit_test(pauses_are_bounded),
        cmocka_unit_test(the_service_says_when_it_wants_to_be_asked),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(what_is_cancelled_is_not_done),
        cmocka_unit_test(a_delete_of_what_is_gone_is_done),
        cmocka_unit_test(passing_trouble_is_tried_again),
        cmocka_unit_test(a_create_that_left_something_is_not_repeated),
        cmocka_unit_test(an_update_is_repeated_only_where_that_is_safe),
        cmocka_unit_test(tries_have_an_end),
        cmocka_unit_test(tries_by_reason),
        cmocka_unit_test(words_of_failures),
        cmocka_unit_test(stopping),
        cmocka_unit_test(a_request_may_be_unknown_for_a_moment),
        cmocka_unit_test(a_status_that_is_not_known_is_waited_for),
        cmocka_unit_test(an_event_without_a_status_is_no_event),
        cmocka_unit_test(failed_hooks_are_told),
        cmocka_unit_test(what_cannot_be_begun),
        cmocka_unit_test(facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
