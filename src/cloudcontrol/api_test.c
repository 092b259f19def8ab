#include "cloudcontrol/api.h"

#include "aws/testing_aws.h"
#include "translate/testing_translate.h"

struct world {
    struct testing_aws aws;
    struct cc_api *api;
    struct cc_call call;
    struct cc_failure failure;
    /* the server's */
    const char *bodies[8]; /* answers in order; the last one repeats */
    int status[8];
    int at;
    char seen_body[4096], seen_target[128], first_body[4096];
};

static void answer(void *ctx, const struct testing_request *r, struct testing_answer *answer)
{
    struct world *w = ctx;
    (void)snprintf(w->seen_body, sizeof w->seen_body, STR_FMT, STR_ARG(r->body));
    (void)snprintf(w->seen_target, sizeof w->seen_target, STR_FMT, STR_ARG(testing_header(r, "x-amz-target")));
    if (w->at == 0)
        memcpy(w->first_body, w->seen_body, sizeof w->first_body);
    bool right = str_eqz(testing_header(r, "content-type"), "application/x-amz-json-1.0") && str_eqz(r->target, "/") &&
                 str_eqz(r->method, "POST");
    answer->status = !right ? 418 : w->status[w->at] ? w->status[w->at] : 200;
    answer->content_type = "application/x-amz-json-1.0";
    answer->body = str_of(w->bodies[w->at]);
    if (w->bodies[w->at + 1])
        w->at++;
}

static void begin(struct world *w, const char *role_arn)
{
    *w = (struct world){.aws = {.handler = answer, .ctx = w}};
    testing_aws_start(&w->aws);
    w->api = cc_api_new(&(struct cc_api_options){
        .caller = w->aws.caller, .credentials = w->aws.credentials, .endpoint = w->aws.endpoint, .role_arn = str_of(role_arn)});
}

static void end(struct world *w)
{
    cc_api_free(w->api);
    testing_aws_stop(&w->aws);
}

static void answers(struct world *w, const char *first, const char *second, const char *third)
{
    w->at = 0;
    memset(w->bodies, 0, sizeof w->bodies);
    memset(w->status, 0, sizeof w->status);
    w->bodies[0] = first;
    w->bodies[1] = second;
    w->bodies[2] = third;
}

#define PROGRESS                                                                                                                 \
    "{\"ProgressEvent\":{\"TypeName\":\"AWS::Logs::LogGroup\",\"Identifier\":\"g\",\"RequestToken\":\"t-1\","                    \
    "\"HooksRequestToken\":\"h\","                                                                                               \
    "\"Operation\":\"CREATE\",\"OperationStatus\":\"IN_PROGRESS\",\"EventTime\":1.440938160125E9,\"RetryAfter\":1440938165}}"

static void requests_and_answers(void **state)
{
    (void)state;
    struct world w;
    struct cc_progress p;
    begin(&w, "arn:aws:iam::1:role/service");
    answers(&w, PROGRESS, NULL, NULL);
    struct cc_create_request create = {
        .type_name = STR("AWS::Logs::LogGroup"), .desired_state = STR("{\"A\":\"\\u00e9\"}"), .client_token = STR("mine")};
    assert_true(cc_api_create(w.api, w.aws.a, &create, &w.call, &p, &w.failure));
    assert_string_equal(w.seen_target, "CloudApiService.CreateResource");
    assert_string_equal(
        w.seen_body, "{\"TypeName\":\"AWS::Logs::LogGroup\",\"RoleArn\":\"arn:aws:iam::1:role/service\",\"ClientToken\":\"mine\","
                     "\"DesiredState\":\"{\\\"A\\\":\\\"\\\\u00e9\\\"}\"}");
    testing_text(p.request_token, "t-1");
    testing_text(p.identifier, "g");
    assert_int_equal(p.status, CC_STATUS_IN_PROGRESS);
    assert_int_equal(p.operation, CC_OP_CREATE);
    assert_int_equal(p.event_time, TESTING_WALL + 125 * NS_PER_MS);
    assert_int_equal(p.retry_after, TESTING_WALL + 5 * NS_PER_S);
    struct cc_update_request update = {
        .type_name = STR("T"), .identifier = STR("i|j"), .patch = STR("[]"), .client_token = STR("c"), .type_version = STR("v")};
    assert_true(cc_api_update(w.api, w.aws.a, &update, &w.call, &p, &w.failure));
    assert_string_equal(
        w.seen_body,
        "{\"TypeName\":\"T\",\"TypeVersionId\":\"v\",\"RoleArn\":\"arn:aws:iam::1:role/service\",\"ClientToken\":\"c\","
        "\"Identifier\":\"i|j\",\"PatchDocument\":\"[]\"}");
    struct cc_delete_request delete = {.type_name = STR("T"), .identifier = STR("i"), .client_token = STR("c")};
    assert_true(cc_api_delete(w.api, w.aws.a, &delete, &w.call, &p, &w.failure));
    assert_string_equal(w.seen_target, "CloudApiService.DeleteResource");
    assert_true(cc_api_cancel(w.api, w.aws.a, STR("t-1"), &w.call, &p, &w.failure));
    assert_string_equal(w.seen_body, "{\"RequestToken\":\"t-1\"}");
    assert_string_equal(w.seen_target, "CloudApiService.CancelResourceRequest");
    end(&w);
}

static void getting(void **state)
{
    (void)state;
    struct world w;
    struct cc_description d;
    begin(&w, "");
    answers(&w, "{\"TypeName\":\"T\",\"ResourceDescription\":{\"Identifier\":\"i\",\"Properties\":\"{\\\"A\\\":1}\"}}", NULL,
            NULL);
    struct cc_get_request get = {.type_name = STR("T"), .identifier = STR("i")};
    assert_true(cc_api_get(w.api, w.aws.a, &get, &w.call, &d, &w.failure));
    testing_text(d.properties, "{\"A\":1}");
    assert_string_equal(w.seen_body, "{\"TypeName\":\"T\",\"Identifier\":\"i\"}");
    end(&w);
}

#define NOT_FOUND "{\"__type\":\"com.amazonaws.cloudapiservice#ResourceNotFoundException\",\"Message\":\"gone\"}"

static void what_was_just_created_is_looked_for(void **state)
{
    (void)state;
    struct world w;
    struct cc_description d;
    begin(&w, "");
    answers(&w, NOT_FOUND, NOT_FOUND, "{\"ResourceDescription\":{\"Identifier\":\"i\",\"Properties\":\"{}\"}}");
    w.status[0] = w.status[1] = 400;
    struct cc_get_request get = {.type_name = STR("T"), .identifier = STR("i"), .just_created = true};
    assert_true(cc_api_get(w.api, w.aws.a, &get, &w.call, &d, &w.failure));
    assert_int_equal(w.aws.time.n_pauses, 2);
    answers(&w, NOT_FOUND, NULL, NULL);
    w.status[0] = 400;
    assert_false(cc_api_get(w.api, w.aws.a, &get, &w.call, &d, &w.failure));
    assert_int_equal(w.failure.code, CC_ERROR_RESOURCE_NOT_FOUND);
    assert_int_equal(w.aws.time.n_pauses, 2 + CC_API_SETTLE_TRIES - 1);
    get.just_created = false;
    assert_false(cc_api_get(w.api, w.aws.a, &get, &w.call, &d, &w.failure));
    testing_text(cc_failure_text(w.aws.a, &w.failure),
                 "ResourceNotFoundException: gone (HTTP status 400, request id unknown, 1 attempt)");
    assert_int_equal(w.aws.time.n_pauses, 2 + CC_API_SETTLE_TRIES - 1);
    end(&w);
}

static bool count(void *ctx, const struct cc_description *d)
{
    struct buf *out = ctx;
    buf_add(out, d->identifier);
    return out->n < 4;
}

static void lists_have_pages(void **state)
{
    (void)state;
    struct world w;
    struct buf out BUF_AUTO = BUF_INIT(100);
    begin(&w, "");
    struct cc_list_request list = {.type_name = STR("T"), .resource_model = STR("{}"), .max_results = 2};
    answers(
        &w,
        "{\"ResourceDescriptions\":[{\"Identifier\":\"a\",\"Properties\":\"{}\"},{\"Identifier\":\"b\"}],\"NextToken\":\"n1\"}",
        "{\"ResourceDescriptions\":[],\"NextToken\":\"n2\"}", "{\"ResourceDescriptions\":[{\"Identifier\":\"c\"}]}");
    assert_true(cc_api_list_all(w.api, w.aws.a, &list, &w.call, count, &out, &w.failure));
    testing_text(buf_str(&out), "abc");
    assert_string_equal(w.first_body, "{\"TypeName\":\"T\",\"ResourceModel\":\"{}\",\"MaxResults\":2}");
    assert_string_equal(w.seen_body, "{\"TypeName\":\"T\",\"ResourceModel\":\"{}\",\"MaxResults\":2,\"NextToken\":\"n2\"}");
    answers(&w, "{\"ResourceDescriptions\":[{\"Identifier\":\"d\"},{\"Identifier\":\"no\"}],\"NextToken\":\"n1\"}", NULL, NULL);
    assert_true(cc_api_list_all(w.api, w.aws.a, &list, &w.call, count, &out, &w.failure)); /* stopped */
    testing_text(buf_str(&out), "abcd");
    buf_clear(&out);
    answers(&w, "{\"NextToken\":\"same\"}", NULL, NULL);
    assert_false(cc_api_list_all(w.api, w.aws.a, &list, &w.call, count, &out, &w.failure));
    assert_non_null(strstr(w.failure.aws.message.p, "more pages than the limit"));
    answers(&w, "{\"ResourceDescriptions\":[],\"NextToken\":\"n\"}", NOT_FOUND, NULL);
    w.status[1] = 400;
    assert_false(cc_api_list_all(w.api, w.aws.a, &list, &w.call, count, &out, &w.failure));
    assert_int_equal(w.failure.code, CC_ERROR_RESOURCE_NOT_FOUND);
    end(&w);
}

static void errors_by_name_and_not_by_status(void **state)
{
    (void)state;
    struct world w;
    struct cc_progress p;
    begin(&w, "");
    struct cc_delete_request delete = {.type_name = STR("T"), .identifier = STR("i")};
    /* This is final whatever the HTTP status is, ... */
    answers(&w, "{\"__type\":\"com.amazonaws.cloudapiservice#NotUpdatableException\",\"Message\":\"m\"}", NULL, NULL);
    w.status[0] = 503;
    assert_false(cc_api_delete(w.api, w.aws.a, &delete, &w.call, &p, &w.failure));
    assert_int_equal(w.failure.code, CC_ERROR_NOT_UPDATABLE);
    assert_int_equal(w.failure.aws.attempts, 1);
    /* ... and this is not. */
    answers(&w, "{\"__type\":\"ConcurrentOperationException\"}", "{\"__type\":\"ServiceInternalErrorException\"}", PROGRESS);
    w.status[0] = 409;
    w.status[1] = 400;
    assert_true(cc_api_delete(w.api, w.aws.a, &delete, &w.call, &p, &w.failure));
    assert_int_equal(w.aws.time.n_pauses, 2);
    /* All attempts use the same token. */
    const char *token = strstr(w.first_body, "\"ClientToken\":\"terrane-");
    assert_non_null(token);
    assert_string_equal(w.first_body, w.seen_body);
    answers(&w, "{\"__type\":\"HandlerFailureException\"}", NULL, NULL);
    w.status[0] = 502;
    assert_false(cc_api_delete(w.api, w.aws.a, &delete, &w.call, &p, &w.failure));
    assert_int_equal(w.failure.aws.attempts, AWS_NETWORK_ATTEMPTS);
    answers(&w, "{\"__type\":\"BrandNewException\",\"message\":\"m\"}", NULL, NULL);
    w.status[0] = 400;
    assert_false(cc_api_delete(w.api, w.aws.a, &delete, &w.call, &p, &w.failure));
    assert_int_equal(w.failure.code, CC_ERROR_OTHER);
    testing_text(w.failure.aws.name, "BrandNewException");
    end(&w);
}

static void answers_that_are_none(void **state)
{
    (void)state;
    struct world w;
    struct cc_progress p;
    struct cc_description d;
    struct cc_request_status s;
    begin(&w, "");
    static const char *const bad[] = {
        "",
        "{\"ProgressEvent\":{\"RequestTok",
        "<html></html>",
        "[]",
        "{}",
        "{\"ProgressEvent\":1}",
        "{\"ProgressEvent\":{\"RequestToken\":\"t\"}}",
        "{\"ProgressEvent\":{\"OperationStatus\":\"IN_PROGRESS\"}}",
        "{\"ResourceDescription\":{\"Properties\":\"{}\"}}",
        "{\"ResourceDescription\":{\"Identifier\":\"i\",\"Properties\":{}}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cc_delete_request delete = {.type_name = STR("T"), .identifier = STR("i")};
        struct cc_get_request get = {.type_name = STR("T"), .identifier = STR("i")};
        answers(&w, bad[i], NULL, NULL);
        assert_false(cc_api_delete(w.api, w.aws.a, &delete, &w.call, &p, &w.failure));
        assert_int_equal(w.failure.aws.kind, AWS_FAIL_ANSWER);
        assert_int_equal(w.failure.code, CC_ERROR_NONE);
        assert_false(cc_api_get(w.api, w.aws.a, &get, &w.call, &d, &w.failure));
        assert_false(cc_api_request_status(w.api, w.aws.a, STR("t"), &w.call, &s, &w.failure));
    }
    assert_int_equal(w.aws.time.n_pauses, 0);
    end(&w);
}

static void names_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum cc_error error;
    } errors[] = {{"ThrottlingException", CC_ERROR_THROTTLING},
                  {"Throttling", CC_ERROR_THROTTLING},
                  {"ValidationException", CC_ERROR_VALIDATION},
                  {"ExpiredTokenException", CC_ERROR_EXPIRED_TOKEN}};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        assert_int_equal(cc_error_named(str_of(errors[i].name)), errors[i].error);
    assert_int_equal(cc_handler_error_named(STR("NotStabilized")), CC_HANDLER_NOT_STABILIZED);
    assert_int_equal(cc_handler_error_named(STR("InternalFailure")), CC_HANDLER_INTERNAL_FAILURE);
    assert_int_equal(cc_operation_named(STR("CREATE")), CC_OP_CREATE);
    assert_int_equal(cc_operation_named(STR("DELETE")), CC_OP_DELETE);
    for (int i = CC_STATUS_PENDING; i <= CC_STATUS_CANCEL_COMPLETE; i++)
        assert_int_equal(cc_status_named(str_of(cc_status_name((enum cc_status)i))), i);
    assert_int_equal(cc_error_named(STR("Nonsense")), CC_ERROR_OTHER);
    assert_int_equal(cc_error_named(STR_EMPTY), CC_ERROR_NONE);
    assert_int_equal(cc_handler_error_named(STR("New")), CC_HANDLER_OTHER);
    assert_int_equal(cc_status_named(STR("NEW")), CC_STATUS_UNKNOWN);
}

static void client_tokens_are_all_different(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str one = cc_client_token(a), two = cc_client_token(a);
    assert_false(str_eq(one, two));
    assert_true(one.n <= CC_API_MAX_TOKEN);
    for (size_t i = 0; i < one.n; i++)
        assert_non_null(strchr("-abcdefghijklmnopqrstuvwxyz0123456789", one.p[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_and_answers),
        cmocka_unit_test(getting),
        cmocka_unit_test(what_was_just_created_is_looked_for),
        cmocka_unit_test(lists_have_pages),
        cmocka_unit_test(errors_by_name_and_not_by_status),
        cmocka_unit_test(answers_that_are_none),
        cmocka_unit_test(names_are_known),
        cmocka_unit_test(client_tokens_are_all_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
