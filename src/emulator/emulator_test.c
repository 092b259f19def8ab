/* What the real service was seen to do; how real clients get along with it: tests/scenario/cloudcontrol_clients. */
#include "cloudcontrol/testing_cloudcontrol.h"
#include "emulator/testing_emulator.h"

struct world {
    struct testing_emulator emulator;
    struct arena *arena;
};

static void open_world(struct world *w, struct cc_emulator_options options)
{
    w->arena = arena_new(NULL, 0);
    testing_emulator_init(&w->emulator, options);
}

static void close_world(struct world *w)
{
    testing_emulator_done(&w->emulator);
    arena_free(w->arena);
}

static const struct json *call(struct world *w, const char *operation, const char *body)
{
    struct cc_emulator_answer answer;
    testing_emulator_call(&w->emulator, w->arena, operation, str_of(body), &answer);
    return testing_jsonz(w->arena, answer.body.p);
}

static void fails(struct world *w, const char *operation, const char *body, const char *error, const char *message)
{
    struct cc_emulator_answer answer;
    testing_emulator_call(&w->emulator, w->arena, operation, str_of(body), &answer);
    assert_int_equal(answer.status, 400);
    assert_string_equal(answer.error, error);
    if (!strstr(answer.body.p, message))
        fail_msg("expected \"%s\" in %s", message, answer.body.p);
}

static struct str event_text(const struct json *answer, const char *key)
{
    return json_text(json_get(json_get(answer, "ProgressEvent"), key), STR_EMPTY);
}

static const struct json *status(struct world *w, const struct json *begun)
{
    return call(w, "GetResourceRequestStatus",
                arena_printf(w->arena, "{\"RequestToken\":\"" STR_FMT "\"}", STR_ARG(event_text(begun, "RequestToken"))).p);
}

#define THING "\"TypeName\":\"AWS::Test::Thing\""
#define CREATE(model) "{" THING ",\"DesiredState\":\"" model "\"}"
#define ONE CREATE("{\\\"Name\\\":\\\"one\\\",\\\"Size\\\":7,\\\"Secret\\\":\\\"s\\\"}")

static void an_object_lives(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){.keep_order = true});
    const struct json *begun = call(&w, "CreateResource", ONE);
    testing_text(event_text(begun, "OperationStatus"), "IN_PROGRESS");
    testing_text(event_text(begun, "Identifier"), "one");
    testing_text(event_text(status(&w, begun), "OperationStatus"), "SUCCESS");

    const struct json *got = call(&w, "GetResource", "{" THING ",\"Identifier\":\"one\"}");
    struct str properties = json_text(json_get(json_get(got, "ResourceDescription"), "Properties"), STR_EMPTY);
    const struct json *model = testing_jsonz(w.arena, properties.p);
    assert_null(json_get(model, "Secret"));
    assert_int_equal(json_int(json_get(model, "Size"), 0), 7);
    assert_true(str_starts(json_text(json_get(model, "Arn"), STR_EMPTY), STR("arn:aws:test:us-east-1:123456789012:")));

    begun = call(&w, "UpdateResource",
                 "{" THING ",\"Identifier\":\"one\",\"PatchDocument\":\"[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/Size\\\","
                 "\\\"value\\\":9}]\"}");
    testing_text(event_text(status(&w, begun), "OperationStatus"), "SUCCESS");
    begun = call(&w, "DeleteResource", "{" THING ",\"Identifier\":\"one\"}");
    testing_text(event_text(status(&w, begun), "OperationStatus"), "SUCCESS");
    fails(&w, "GetResource", "{" THING ",\"Identifier\":\"one\"}", "ResourceNotFoundException", "HandlerErrorCode: NotFound");
    close_world(&w);
}

static void refused_at_the_call(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){0});
    fails(&w, "GetResource", "{\"TypeName\":\"AWS::Test::None\",\"Identifier\":\"x\"}", "TypeNotFoundException",
          "The type 'AWS::Test::None' cannot be found.");
    fails(&w, "CreateResource", CREATE("{\\\"Other\\\":1}"), "ValidationException",
          "Model validation failed (#: extraneous key [Other] is not permitted)");
    fails(&w, "CreateResource", CREATE("{\\\"Name\\\":true}"), "ValidationException",
          "Model validation failed (#/Name: expected type: String, found: Boolean)");
    fails(&w, "CreateResource", CREATE("{\\\"Arn\\\":\\\"a\\\"}"), "ValidationException", "/properties/Arn");
    fails(&w, "CreateResource", CREATE("["), "ValidationException", "DesiredState");
    (void)status(&w, call(&w, "CreateResource", ONE));
    fails(&w, "UpdateResource",
          "{" THING
          ",\"Identifier\":\"one\",\"PatchDocument\":\"[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/Name\\\",\\\"value\\\":"
          "\\\"two\\\"}]\"}",
          "NotUpdatableException", "createOnlyProperties [/properties/Name] cannot be updated");
    fails(&w, "GetResourceRequestStatus", "{\"RequestToken\":\"nobody\"}", "RequestTokenNotFoundException",
          "Request with token nobody was not found");
    fails(&w, "CreateResource", "{}", "ValidationException", "Value null at 'typeName'");
    fails(&w, "Nothing", "{}", "UnknownOperationException", "X-Amz-Target");
    fails(&w, "CreateResource", "no JSON", "SerializationException", "no JSON object");
    close_world(&w);
}

static void what_fails_later(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){0});
    const struct json *late = status(&w, call(&w, "CreateResource", CREATE("{\\\"Name\\\":\\\"x\\\"}")));
    testing_text(event_text(late, "ErrorCode"), "InvalidRequest");
    testing_text(event_text(late, "StatusMessage"), "Model validation failed (#: required key [Size] not found)");
    (void)status(&w, call(&w, "CreateResource", ONE));
    testing_text(event_text(status(&w, call(&w, "CreateResource", ONE)), "ErrorCode"), "AlreadyExists");
    late = status(&w, call(&w, "DeleteResource", "{" THING ",\"Identifier\":\"none\"}"));
    testing_text(event_text(late, "ErrorCode"), "NotFound");
    close_world(&w);
}

static void time_and_tokens(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){.latency_ns = 10 * NS_PER_S});
    const char *with_token = "{" THING ",\"ClientToken\":\"t\",\"DesiredState\":\"{\\\"Name\\\":\\\"one\\\",\\\"Size\\\":1}\"}";
    const struct json *begun = call(&w, "CreateResource", with_token);
    assert_non_null(json_get(json_get(begun, "ProgressEvent"), "RetryAfter"));
    struct str again = event_text(call(&w, "CreateResource", with_token), "RequestToken");
    assert_true(str_eq(again, event_text(begun, "RequestToken")));
    fails(&w, "CreateResource", "{" THING ",\"ClientToken\":\"t\",\"DesiredState\":\"{}\"}", "ClientTokenConflictException",
          "ClientToken t is already associated with an existing operation with RequestToken");
    fails(&w, "DeleteResource", "{" THING ",\"Identifier\":\"one\"}", "ConcurrentOperationException", "in progress");
    testing_text(event_text(status(&w, begun), "OperationStatus"), "IN_PROGRESS");
    fake_clock_advance(&w.emulator.clock, 11 * NS_PER_S);
    testing_text(event_text(status(&w, begun), "OperationStatus"), "SUCCESS");
    fails(&w, "CancelResourceRequest",
          arena_printf(w.arena, "{\"RequestToken\":\"" STR_FMT "\"}", STR_ARG(event_text(begun, "RequestToken"))).p,
          "ValidationException", "is already in status SUCCESS");
    begun = call(&w, "DeleteResource", "{" THING ",\"Identifier\":\"one\"}");
    (void)call(&w, "CancelResourceRequest",
               arena_printf(w.arena, "{\"RequestToken\":\"" STR_FMT "\"}", STR_ARG(event_text(begun, "RequestToken"))).p);
    fake_clock_advance(&w.emulator.clock, 11 * NS_PER_S);
    testing_text(event_text(status(&w, begun), "OperationStatus"), "CANCEL_COMPLETE");
    close_world(&w);
}

static void faults_on_request(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){.fail = STR("AWS::Test::*/CREATE=ServiceLimitExceeded"), .throttle = 3});
    const struct json *begun = call(&w, "CreateResource", ONE);
    testing_text(event_text(status(&w, begun), "ErrorCode"), "ServiceLimitExceeded");
    fails(&w, "ListResources", "{" THING "}", "ThrottlingException", "Rate exceeded");
    close_world(&w);
}

static void only_signed_calls(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){.access_key = STR("key"), .secret_key = STR("secret")});
    struct cc_emulator_answer answer;
    testing_emulator_call(&w.emulator, w.arena, "ListResources", STR("{" THING "}"), &answer);
    assert_true(answer.status >= 400 && answer.error != NULL);
    assert_string_equal(answer.error, sigv4_error_name(SIGV4_MISSING, SIGV4_JSON));
    close_world(&w);
}

static void pages(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct cc_emulator_options){0});
    for (int i = 0; i < 5; i++)
        (void)call(&w, "CreateResource",
                   arena_printf(w.arena, "{" THING ",\"DesiredState\":\"{\\\"Name\\\":\\\"n%d\\\",\\\"Size\\\":1}\"}", i).p);
    const struct json *page = call(&w, "ListResources", "{" THING ",\"MaxResults\":3}");
    assert_int_equal(json_get(page, "ResourceDescriptions")->array.n, 3);
    struct str token = json_text(json_get(page, "NextToken"), STR_EMPTY);
    page = call(&w, "ListResources",
                arena_printf(w.arena, "{" THING ",\"MaxResults\":3,\"NextToken\":\"" STR_FMT "\"}", STR_ARG(token)).p);
    assert_int_equal(json_get(page, "ResourceDescriptions")->array.n, 2);
    assert_null(json_get(page, "NextToken"));
    page = call(&w, "ListResourceRequests",
                "{\"ResourceRequestStatusFilter\":{\"OperationStatuses\":[\"SUCCESS\"]},\"MaxResults\":2}");
    assert_int_equal(json_get(page, "ResourceRequestStatusSummaries")->array.n, 2);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_lives), cmocka_unit_test(refused_at_the_call), cmocka_unit_test(what_fails_later),
        cmocka_unit_test(time_and_tokens), cmocka_unit_test(faults_on_request),   cmocka_unit_test(only_signed_calls),
        cmocka_unit_test(pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
