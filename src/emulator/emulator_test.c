/* The observed behaviour of the real service. tests/scenario/cloudcontrol_clients tests with real clients. */
#include "cfn/testing_cfn.h"
#include "emulator/testing_emulator.h"

struct world {
    struct testing_emulator emulator;
    struct arena *arena;
};

static void open_world(struct world *w, struct emulator_options options)
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
    struct emulator_answer answer;
    testing_emulator_call(&w->emulator, w->arena, operation, str_of(body), &answer);
    return testing_jsonz(w->arena, answer.body.p);
}

static void fails(struct world *w, const char *operation, const char *body, const char *error, const char *message)
{
    struct emulator_answer answer;
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
    open_world(&w, (struct emulator_options){.keep_order = true});
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
    open_world(&w, (struct emulator_options){0});
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
    fails(&w, "CreateResource", "no JSON", "SerializationException", "not a JSON object");
    close_world(&w);
}

static void what_fails_later(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){0});
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
    open_world(&w, (struct emulator_options){.latency_ns = 10 * NS_PER_S});
    const char *with_token = "{" THING ",\"ClientToken\":\"t\",\"DesiredState\":\"{\\\"Name\\\":\\\"one\\\",\\\"Size\\\":1}\"}";
    const struct json *begun = call(&w, "CreateResource", with_token);
    assert_null(json_get(json_get(begun, "ProgressEvent"), "RetryAfter"));
    assert_non_null(json_get(json_get(status(&w, begun), "ProgressEvent"), "RetryAfter"));
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
    fake_clock_advance(&w.emulator.clock, 36 * 3600 * NS_PER_S); /* the token has expired */
    struct str later = event_text(call(&w, "CreateResource", with_token), "RequestToken");
    assert_true(later.n > 0 && !str_eq(later, again));
    close_world(&w);
}

static void cancelling(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){.latency_ns = 3600 * NS_PER_S});
    const struct json *begun = call(&w, "CreateResource", ONE);
    const char *token = arena_printf(w.arena, "{\"RequestToken\":\"" STR_FMT "\"}", STR_ARG(event_text(begun, "RequestToken"))).p;
    testing_text(event_text(call(&w, "CancelResourceRequest", token), "OperationStatus"), "CANCEL_IN_PROGRESS");
    /* Cancelling takes effect at once, and may be repeated. */
    testing_text(event_text(status(&w, begun), "OperationStatus"), "CANCEL_COMPLETE");
    testing_text(event_text(call(&w, "CancelResourceRequest", token), "OperationStatus"), "CANCEL_COMPLETE");
    fake_clock_advance(&w.emulator.clock, 7200 * NS_PER_S);
    fails(&w, "GetResource", "{" THING ",\"Identifier\":\"one\"}", "ResourceNotFoundException", "NotFound");
    close_world(&w);
}

static void faults_on_request(void **state)
{
    (void)state;
    struct world w;
    const struct emulator_fault fault = {
        .type = STR("AWS::Test::*"), .operation = EMULATOR_OP_CREATE, .what = STR("ServiceLimitExceeded")};
    open_world(&w, (struct emulator_options){.fails = &fault, .n_fails = 1, .throttle = 3});
    const struct json *begun = call(&w, "CreateResource", ONE);
    testing_text(event_text(status(&w, begun), "ErrorCode"), "ServiceLimitExceeded");
    fails(&w, "ListResources", "{" THING "}", "ThrottlingException", "Rate exceeded");
    close_world(&w);
}

/* Returns the status of a request after it has finished. */
static const struct json *through(struct world *w, const struct json *begun)
{
    fake_clock_advance(&w->emulator.clock, 2 * NS_PER_S);
    return status(w, begun);
}

static void hooks(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        bool warns;
        const char *ends;
    } cases[] = {{"HOOK_COMPLETE_FAILED", false, "FAILED"},
                 {"HOOK_FAILED", false, "FAILED"},
                 {"HOOK_COMPLETE_FAILED", true, "SUCCESS"},
                 {"HOOK_COMPLETE_SUCCEEDED", false, "SUCCESS"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        const struct emulator_fault hook = {
            .type = STR("AWS::Test::Thing"), .what = str_of(cases[i].status), .warns = cases[i].warns};
        open_world(&w, (struct emulator_options){.hooks = &hook, .n_hooks = 1, .latency_ns = NS_PER_S});
        const struct json *begun = call(&w, "CreateResource", ONE), *during = status(&w, begun);
        assert_true(event_text(begun, "HooksRequestToken").n > 0);
        assert_null(json_get(begun, "HooksProgressEvent")); /* only the status has them */
        const struct json *event = json_get(during, "HooksProgressEvent")->array.items[0];
        testing_text(json_text(json_get(event, "HookStatus"), STR_EMPTY), "HOOK_IN_PROGRESS");
        const struct json *after = through(&w, begun);
        testing_text(event_text(after, "OperationStatus"), cases[i].ends);
        testing_text(event_text(after, "ErrorCode"), "");
        event = json_get(after, "HooksProgressEvent")->array.items[0];
        testing_text(json_text(json_get(event, "HookStatus"), STR_EMPTY), cases[i].status);
        testing_text(json_text(json_get(event, "FailureMode"), STR_EMPTY), cases[i].warns ? "WARN" : "FAIL");
        testing_text(json_text(json_get(event, "InvocationPoint"), STR_EMPTY), "PRE_PROVISION");
        if (strcmp(cases[i].ends, "FAILED") == 0) {
            testing_text(event_text(after, "StatusMessage"), "The following hook(s) failed: [Private::Emulator::Guard]");
            fails(&w, "GetResource", "{" THING ",\"Identifier\":\"one\"}", "ResourceNotFoundException", "NotFound");
        }
        close_world(&w);
    }
}

static void members_of_requests(void **state)
{
    (void)state;
    static const struct {
        const char *operation, *body, *error, *message;
    } cases[] = {
        {"GetResource", "{\"TypeName\":null}", "ValidationException",
         "1 validation error detected: Value null at 'typeName' failed to satisfy constraint: Member must not be null"},
        {"GetResource", "{\"TypeName\":\"A::B::C\"}", "ValidationException",
         "2 validation errors detected: Value 'A::B::C' at 'typeName' failed to satisfy constraint: Member must have length "
         "greater "
         "than or equal to 10; Value 'A::B::C' at 'typeName' failed to satisfy constraint: Member must satisfy regular "
         "expression "
         "pattern: [A-Za-z0-9]{2,64}::"},
        {"GetResource", "{\"TypeName\":7}", "SerializationException", "NUMBER_VALUE can not be converted to a String"},
        {"GetResource", "{" THING ",\"Identifier\":\"\"}", "ValidationException",
         "Value '' at 'identifier' failed to satisfy constraint: Member must have length greater than or equal to 1"},
        {"UpdateResource", "{" THING "}", "ValidationException",
         "2 validation errors detected: Value null at 'identifier' failed to satisfy constraint: Member must not be null; Value "
         "null "
         "at 'patchDocument'"},
        {"UpdateResource", "{\"TypeName\":\"AWS::Test::None\"}", "TypeNotFoundException", "cannot be found"},
        {"UpdateResource", "{" THING ",\"Identifier\":\"x\",\"PatchDocument\":\"{}\"}", "ValidationException",
         "PatchDocument is not a JSON array"},
        {"CreateResource", "{" THING ",\"DesiredState\":\"\"}", "ValidationException",
         "Value at 'desiredState' failed to satisfy constraint: Member must have length greater"}, /* a secret */
        {"CreateResource", "{" THING ",\"DesiredState\":\"{}\",\"ClientToken\":\"a b\"}", "ValidationException",
         "Value 'a b' at 'clientToken' failed to satisfy constraint: Member must satisfy regular expression pattern: "
         "[-A-Za-z0-9+/=]+"},
        {"ListResources", "{" THING ",\"MaxResults\":0}", "ValidationException",
         "Value '0' at 'maxResults' failed to satisfy constraint: Member must have value greater than or equal to 1"},
        {"ListResources", "{" THING ",\"MaxResults\":101}", "ValidationException",
         "Member must have value less than or equal to 100"},
        {"ListResources", "{" THING ",\"MaxResults\":\"1\"}", "SerializationException",
         "STRING_VALUE can not be converted to an Integer"},
        {"ListResources", "{" THING ",\"NextToken\":\"6\"}", "InvalidRequestException", "The NextToken is invalid."},
        {"ListResources", "{" THING ",\"NextToken\":\"zz\"}", "InvalidRequestException", "The NextToken is invalid."},
        {"ListResourceRequests", "{\"NextToken\":\"-1\"}", "InvalidRequestException", "The NextToken is invalid."},
        {"ListResourceRequests", "{\"ResourceRequestStatusFilter\":{\"Operations\":[\"CREATE\",\"READ\"]}}",
         "ValidationException",
         "Value '[CREATE, READ]' at 'resourceRequestStatusFilter.operations' failed to satisfy constraint: Member must satisfy "
         "constraint: [Member must satisfy enum value set: [CREATE, DELETE, UPDATE]]"},
        {"ListResourceRequests", "{\"ResourceRequestStatusFilter\":[]}", "SerializationException", "START_ARRAY"},
        {"ListResourceRequests", "{\"ResourceRequestStatusFilter\":{\"OperationStatuses\":\"SUCCESS\"}}",
         "SerializationException", "STRING_VALUE can not be converted to a List"},
    };
    struct world w;
    open_world(&w, (struct emulator_options){0});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        fails(&w, cases[i].operation, cases[i].body, cases[i].error, cases[i].message);
    close_world(&w);
}

static const struct json *properties(struct world *w)
{
    const struct json *got = call(w, "GetResource", "{" THING ",\"Identifier\":\"one\"}");
    return testing_jsonz(w->arena, json_text(json_get(json_get(got, "ResourceDescription"), "Properties"), STR("null")).p);
}

static const struct json *update(struct world *w, const char *patch)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer out = {.out = &text};
    json_write_string(&out, str_of(patch));
    (void)json_finish(&out);
    struct str body =
        arena_printf(w->arena, "{" THING ",\"Identifier\":\"one\",\"PatchDocument\":" STR_FMT "}", STR_ARG(buf_str(&text)));
    return call(w, "UpdateResource", body.p);
}

static void patches(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){.keep_order = true});
    (void)status(&w, call(&w, "CreateResource", ONE));
    struct str arn = json_text(json_get(properties(&w), "Arn"), STR_EMPTY);
    /* Clients cannot remove what the service set. */
    const struct json *done = status(&w, update(&w, "[{\"op\":\"remove\",\"path\":\"/Arn\"},"
                                                    "{\"op\":\"add\",\"path\":\"/Tags\",\"value\":[\"0123456789abcdef\"]}]"));
    testing_text(event_text(done, "OperationStatus"), "SUCCESS");
    assert_true(str_eq(json_text(json_get(properties(&w), "Arn"), STR_EMPTY), arn));
    /* The handler, not the call, rejects a missing required property. */
    done = status(&w, update(&w, "[{\"op\":\"remove\",\"path\":\"/Size\"}]"));
    testing_text(event_text(done, "ErrorCode"), "InvalidRequest");

    /* Each operation doubles the document. */
    struct buf patch BUF_AUTO = BUF_INIT(1 << 20);
    buf_addc(&patch, '[');
    for (int i = 0; i < 40; i++)
        buf_printf(&patch, "%s{\"op\":\"copy\",\"from\":\"/Tags\",\"path\":\"/Tags/-\"}", i > 0 ? "," : "");
    buf_addc(&patch, ']');
    struct str error = json_text(json_get(update(&w, buf_copy(&patch, w.arena).p), "__type"), STR_EMPTY);
    assert_true(str_ends(error, STR("#ValidationException")));
    assert_int_equal(json_get(properties(&w), "Tags")->array.n, 1);
    close_world(&w);
}

static void one_after_the_other(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){.latency_ns = NS_PER_S});
    const struct json *begun = call(&w, "CreateResource", ONE);
    fails(&w, "CreateResource", ONE, "ConcurrentOperationException", "is in progress for the resource AWS::Test::Thing");
    testing_text(event_text(through(&w, begun), "OperationStatus"), "SUCCESS");
    begun = update(&w, "[]");
    fails(&w, "DeleteResource", "{" THING ",\"Identifier\":\"one\"}", "ConcurrentOperationException",
          event_text(begun, "RequestToken").p);
    testing_text(event_text(call(&w, "DeleteResource", "{" THING ",\"Identifier\":\"other\"}"), "OperationStatus"),
                 "IN_PROGRESS");
    testing_text(event_text(through(&w, begun), "OperationStatus"), "SUCCESS");
    close_world(&w);
}

static void only_signed_calls(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){.access_key = STR("key"), .secret_key = STR("secret")});
    struct emulator_answer answer;
    testing_emulator_call(&w.emulator, w.arena, "ListResources", STR("{" THING "}"), &answer);
    assert_true(answer.status >= 400 && answer.error != NULL);
    assert_string_equal(answer.error, sigv4_error_name(SIGV4_MISSING, SIGV4_JSON));
    close_world(&w);
}

static void pages(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){0});
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
    size_t n = 0;
    token = STR_EMPTY;
    do {
        page = call(&w, "ListResourceRequests",
                    arena_printf(w.arena,
                                 "{\"ResourceRequestStatusFilter\":{\"OperationStatuses\":[\"SUCCESS\"],\"Operations\":"
                                 "[\"DELETE\",\"CREATE\"]},\"MaxResults\":2%s" STR_FMT "%s}",
                                 token.n > 0 ? ",\"NextToken\":\"" : "", STR_ARG(token), token.n > 0 ? "\"" : "")
                        .p);
        size_t got = json_get(page, "ResourceRequestStatusSummaries")->array.n;
        assert_true(got >= 1 && got <= 2);
        n += got;
        token = json_text(json_get(page, "NextToken"), STR_EMPTY);
    } while (token.n > 0);
    assert_int_equal(n, 5);
    page = call(&w, "ListResourceRequests", "{\"ResourceRequestStatusFilter\":{\"Operations\":[\"UPDATE\"]}}");
    assert_int_equal(json_get(page, "ResourceRequestStatusSummaries")->array.n, 0);
    close_world(&w);
}

static void a_damaged_schema_is_not_an_unknown_type(void **state)
{
    (void)state;
    struct world w;
    struct buf bytes BUF_AUTO = BUF_INIT(1 << 20);
    struct diags diags;
    struct emulator_answer answer;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    diags_init(&diags, a);
    testing_pack_lay_out(&bytes, STR(TESTING_THING));
    bytes.p[bytes.n - 20] ^= 0x55;
    struct cfn_pack *pack = testing_pack_open(buf_str(&bytes), &diags);
    testing_no_errors(&diags);
    open_world(&w, (struct emulator_options){.pack = pack});
    testing_emulator_call(&w.emulator, w.arena, "CreateResource", STR(ONE), &answer);
    assert_int_equal(answer.status, 500);
    assert_string_equal(answer.error, "InternalFailure");
    assert_non_null(strstr(answer.body.p, "The schema of AWS::Test::Thing in /tmp/"));
    assert_non_null(strstr(answer.body.p, "Create it again"));
    close_world(&w);
    cfn_pack_close(pack);
}

/* JSON texts may hold U+0000; C strings end there. */
static void a_nul_cuts_nothing(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, (struct emulator_options){0});
#define NUL_NAME "\\\"a\\\\u0000b\\\""
    const struct json *begun = call(&w, "CreateResource", CREATE("{\\\"Name\\\":" NUL_NAME ",\\\"Size\\\":7}"));
    const struct str whole = {"a\0b", 3};
    assert_true(str_eq(event_text(begun, "Identifier"), whole));
    (void)status(&w, begun);
    const struct json *read = call(&w, "GetResource", "{" THING ",\"Identifier\":\"a\\u0000b\"}");
    const struct json *description = json_get(read, "ResourceDescription");
    assert_true(str_eq(json_text(json_get(description, "Identifier"), STR_EMPTY), whole));
    const struct json *list = json_get(call(&w, "ListResources", "{" THING "}"), "ResourceDescriptions");
    assert_int_equal(list->array.n, 1);
    assert_true(str_eq(json_text(json_get(list->array.items[0], "Identifier"), STR_EMPTY), whole));
    /* This is not the object whose name is the part before the NUL. */
    fails(&w, "GetResource", "{" THING ",\"Identifier\":\"a\"}", "ResourceNotFoundException", "identifier 'a' was not found");
    fails(&w, "GetResource", "{" THING ",\"Identifier\":\"a\\u0000c\"}", "ResourceNotFoundException",
          "'a\\\\u0000c' was not found");
    fails(&w, "GetResource", "{\"TypeName\":\"AWS::Test::Thing\\u0000\",\"Identifier\":\"a\"}", "ValidationException",
          "Value 'AWS::Test::Thing\\\\u0000' at 'typeName'");
    fails(&w, "CreateResource", CREATE("{\\\"Size\\\":7,\\\"Na\\\\u0000me\\\":1}"), "ValidationException",
          "extraneous key [Na\\\\u0000me] is not permitted");
    close_world(&w);
}

/* A default of 100 kB for each of 200 elements: more than is stored. It is an error of the request, and nothing is stored. */
static void a_model_that_is_too_long(void **state)
{
    (void)state;
    enum { DEFAULT_BYTES = 100 << 10, ELEMENTS = 200 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf schema BUF_AUTO = BUF_INIT(1 << 20), bytes BUF_AUTO = BUF_INIT(1 << 20), create BUF_AUTO = BUF_INIT(1 << 20);
    struct diags diags;
    diags_init(&diags, a);
    buf_addz(&schema, "{\"typeName\":\"AWS::Test::Thing\",\"description\":\"d\",\"additionalProperties\":false,"
                      "\"primaryIdentifier\":[\"/properties/Name\"],\"handlers\":{\"create\":{\"permissions\":[]},"
                      "\"read\":{\"permissions\":[]}},\"properties\":{\"Name\":{\"type\":\"string\"},\"List\":{\"type\":"
                      "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"Long\":{\"type\":\"string\",\"default\":\"");
    for (int i = 0; i < DEFAULT_BYTES; i++)
        buf_addc(&schema, 'x');
    buf_addz(&schema, "\"}}}}}}");
    testing_pack_lay_out(&bytes, buf_str(&schema));
    struct cfn_pack *pack = testing_pack_open(buf_str(&bytes), &diags);
    testing_no_errors(&diags);

    struct world w;
    open_world(&w, (struct emulator_options){.pack = pack});
    buf_addz(&create, "{" THING ",\"DesiredState\":\"{\\\"Name\\\":\\\"one\\\",\\\"List\\\":[{}");
    for (int i = 1; i < ELEMENTS; i++)
        buf_addz(&create, ",{}");
    buf_addz(&create, "]}\"}");
    const struct json *end = status(&w, call(&w, "CreateResource", buf_copy(&create, a).p));
    testing_text(event_text(end, "OperationStatus"), "FAILED");
    testing_text(event_text(end, "ErrorCode"), "ServiceLimitExceeded");
    fails(&w, "GetResource", "{" THING ",\"Identifier\":\"one\"}", "ResourceNotFoundException", "was not found");
    close_world(&w);
    cfn_pack_close(pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_is_too_long),
        cmocka_unit_test(a_nul_cuts_nothing),
        cmocka_unit_test(a_damaged_schema_is_not_an_unknown_type),
        cmocka_unit_test(an_object_lives),
        cmocka_unit_test(refused_at_the_call),
        cmocka_unit_test(what_fails_later),
        cmocka_unit_test(time_and_tokens),
        cmocka_unit_test(faults_on_request),
        cmocka_unit_test(only_signed_calls),
        cmocka_unit_test(pages),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(hooks),
        cmocka_unit_test(members_of_requests),
        cmocka_unit_test(patches),
        cmocka_unit_test(one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
