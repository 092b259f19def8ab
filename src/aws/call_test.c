#include "aws/call.h"

#include "aws/testing_aws.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define THROTTLED "{\"__type\":\"com.amazonaws.cloudapiservice#ThrottlingException:http://x\",\"message\":\"Rate exceeded\"}"

/* Answers in order; the last one repeats. */
struct step {
    int status;
    const char *headers, *body;
};
struct script {
    const struct step *steps;
    int n;
    int at;
};

static void follow(void *ctx, const struct testing_request *request, struct testing_answer *answer)
{
    (void)request;
    struct script *s = ctx;
    const struct step *step = &s->steps[s->at < s->n - 1 ? s->at : s->n - 1];
    s->at++;
    answer->status = step->status;
    answer->headers = step->headers;
    answer->body = str_of(step->body);
}

struct asked {
    bool ok;
    struct http_response response;
    struct aws_failure failure;
};

static struct aws_call simple_call(struct testing_aws *aws)
{
    return (struct aws_call){
        .endpoint = &aws->endpoint,
        .method = "POST",
        .path = STR("/"),
        .body = STR("{}"),
        .operation = "Test",
        .credentials = aws->credentials,
        .read_error = aws_read_json_error,
    };
}

static struct asked ask(struct testing_aws *aws, const struct aws_call *call)
{
    struct asked r = {0};
    r.ok = aws_call(aws->caller, aws->a, call, &r.response, &r.failure);
    return r;
}

#define START(aws, ...)                                                                                                          \
    const struct step steps_[] = {__VA_ARGS__};                                                                                  \
    struct script script = {steps_, (int)(sizeof steps_ / sizeof steps_[0]), 0};                                                 \
    struct testing_aws aws = {.handler = follow, .ctx = &script};                                                                \
    testing_aws_start(&aws);

static void throttling_is_waited_for_longer_and_longer(void **state)
{
    (void)state;
    START(aws, {400, NULL, THROTTLED}, {400, NULL, THROTTLED}, {503, NULL, ""}, {200, "x-amzn-requestid: r1\r\n", "{\"a\":1}"});
    struct aws_call call = simple_call(&aws);
    struct asked got = ask(&aws, &call);
    assert_true(got.ok);
    assert_string_equal(got.response.body.p, "{\"a\":1}");
    assert_int_equal(aws.time.n_pauses, 3);
    assert_int_equal(aws.time.pauses[0], 500 * NS_PER_MS); /* half of 1, 2, 4 seconds */
    assert_int_equal(aws.time.pauses[1], 1000 * NS_PER_MS);
    assert_int_equal(aws.time.pauses[2], 2000 * NS_PER_MS);
    assert_int_equal(atomic_load(&aws.n_refused), 0);
    testing_aws_stop(&aws);
}

static void the_service_may_say_when(void **state)
{
    (void)state;
    START(aws, {429, "Retry-After: 7\r\n", ""}, {429, "x-amz-retry-after: 2500\r\n", THROTTLED},
          {429, "Retry-After: 99999\r\n", ""}, {200, NULL, ""});
    struct aws_call call = simple_call(&aws);
    assert_true(ask(&aws, &call).ok);
    assert_int_equal(aws.time.pauses[0], 7 * NS_PER_S);
    assert_int_equal(aws.time.pauses[1], 2500 * NS_PER_MS);
    assert_int_equal(aws.time.pauses[2], 2 * NS_PER_S); /* ignored */
    testing_aws_stop(&aws);
}

static void attempts_have_an_end(void **state)
{
    (void)state;
    START(aws, {400, "x-amzn-RequestId: r9\r\n", THROTTLED});
    struct aws_call call = simple_call(&aws);
    struct asked got = ask(&aws, &call);
    assert_false(got.ok);
    assert_int_equal(got.failure.kind, AWS_FAIL_SERVICE);
    assert_true(str_eqz(got.failure.name, "ThrottlingException"));
    assert_int_equal(got.failure.attempts, AWS_MAX_ATTEMPTS);
    assert_int_equal(script.at, AWS_MAX_ATTEMPTS);
    assert_string_equal(aws_failure_text(aws.a, &got.failure).p,
                        "ThrottlingException: Rate exceeded (HTTP status 400, request id r9, 25 attempts)");
    call.max_attempts = 2;
    assert_int_equal(ask(&aws, &call).failure.attempts, 2);
    testing_aws_stop(&aws);
}

static void other_errors_are_final(void **state)
{
    (void)state;
    START(aws, {400, NULL, "{\"__type\":\"AccessDeniedException\",\"Message\":\"no\"}"},
          {403, "x-amzn-ErrorType: SomethingElse:http://internal\r\n", "<html>"}, {403, NULL, "<html>\nSign in\x01</html>"},
          {404, NULL, ""}, {200, NULL, ""});
    struct aws_call call = simple_call(&aws);
    struct asked got = ask(&aws, &call);
    assert_true(str_eqz(got.failure.name, "AccessDeniedException") && str_eqz(got.failure.message, "no"));
    got = ask(&aws, &call);
    assert_true(str_eqz(got.failure.name, "SomethingElse"));
    assert_int_equal(got.failure.status, 403);
    got = ask(&aws, &call);
    assert_int_equal(got.failure.kind, AWS_FAIL_ANSWER);
    assert_non_null(strstr(got.failure.message.p, "HTTP status 403 and no error that can be read: <html> Sign in </html>"));
    assert_int_equal(ask(&aws, &call).failure.kind, AWS_FAIL_ANSWER);
    assert_int_equal(aws.time.n_pauses, 0);
    assert_true(ask(&aws, &call).ok);
    testing_aws_stop(&aws);
}

static enum aws_retry retry_few(struct str name, long status)
{
    (void)status;
    return str_eqz(name, "Few") ? AWS_RETRY_FEW : AWS_RETRY_NO;
}

static void the_caller_may_know_more_names(void **state)
{
    (void)state;
    START(aws, {500, NULL, "{\"__type\":\"Never\"}"}, {400, NULL, "{\"__type\":\"Few\"}"});
    struct aws_call call = simple_call(&aws);
    call.retry = retry_few;
    assert_int_equal(ask(&aws, &call).failure.attempts, 1);
    assert_int_equal(ask(&aws, &call).failure.attempts, AWS_NETWORK_ATTEMPTS);
    testing_aws_stop(&aws);
}

static void a_wrong_clock_is_corrected_once(void **state)
{
    (void)state;
    START(aws, {200, NULL, "ok"});
    aws.server_wall = TESTING_WALL + 3600 * NS_PER_S;
    struct aws_call call = simple_call(&aws);
    assert_true(ask(&aws, &call).ok);
    assert_int_equal(atomic_load(&aws.n_refused), 1);
    assert_int_equal(aws.time.n_pauses, 0);
    assert_int_equal(aws_caller_now(aws.caller), TESTING_WALL + 3600 * NS_PER_S);
    assert_true(ask(&aws, &call).ok); /* from now on it is right */
    assert_int_equal(atomic_load(&aws.n_refused), 1);
    testing_aws_stop(&aws);
}

static void a_wrong_secret_is_no_wrong_clock(void **state)
{
    (void)state;
    START(aws, {200, NULL, "ok"});
    aws_credentials_free(aws.credentials);
    aws.credentials = aws_credentials_fixed(&(struct aws_keys){.access_key = STR(TESTING_KEY), .secret_key = STR("wrong")});
    struct aws_call call = simple_call(&aws);
    struct asked got = ask(&aws, &call);
    assert_false(got.ok);
    assert_true(str_eqz(got.failure.name, "InvalidSignatureException"));
    assert_int_equal(atomic_load(&aws.n_refused), 1);
    assert_false(aws_failure_report(&got.failure, "Test", "It failed", &aws.diags));
    assert_non_null(strstr(aws.diags.v[0].detail.p, "The secret key does not belong to the access key"));
    testing_aws_stop(&aws);
}

static void no_network(void **state)
{
    (void)state;
    START(aws, {200, NULL, "ok"});
    struct aws_call call = simple_call(&aws);
    struct aws_endpoint nowhere = aws.endpoint;
    nowhere.url = STR("http://127.0.0.1:1");
    nowhere.host = STR("127.0.0.1:1");
    call.endpoint = &nowhere;
    struct asked got = ask(&aws, &call);
    assert_int_equal(got.failure.kind, AWS_FAIL_NETWORK);
    assert_int_equal(got.failure.attempts, AWS_NETWORK_ATTEMPTS);
    assert_true(str_starts(got.failure.message, STR("127.0.0.1:1 does not answer: ")));
    testing_aws_stop(&aws);
}

static void deadline_and_cancellation(void **state)
{
    (void)state;
    START(aws, {400, NULL, THROTTLED});
    struct aws_call call = simple_call(&aws);
    call.deadline = clock_now(&aws.time.clock.clock) + 2 * NS_PER_S;
    struct asked got = ask(&aws, &call);
    assert_int_equal(got.failure.kind, AWS_FAIL_DEADLINE);
    assert_int_equal(got.failure.attempts, 3); /* pauses of 0.5 and 1 s; the third would be 2 s */
    assert_non_null(strstr(aws_failure_text(aws.a, &got.failure).p, "timed out. Last error: Throttling"));
    call.deadline = clock_now(&aws.time.clock.clock) - 1;
    assert_int_equal(ask(&aws, &call).failure.kind, AWS_FAIL_DEADLINE);
    call.deadline = NO_DEADLINE;
    call.cancel = cancel_new();
    cancel_fire(call.cancel);
    assert_int_equal(ask(&aws, &call).failure.kind, AWS_FAIL_CANCELLED);
    cancel_free(call.cancel);
    testing_aws_stop(&aws);
}

static void the_budget_makes_retries_wait_and_not_fail(void **state)
{
    (void)state;
    START(aws, {200, NULL, "ok"});
    for (int i = 0; i < AWS_BUDGET_BURST; i++) {
        assert_true(aws_caller_pause(aws.caller, 0, NULL, NO_DEADLINE));
        assert_int_equal(aws.time.pauses[i], 0);
    }
    const int64_t turn = NS_PER_S / AWS_BUDGET_RATE;
    assert_true(aws_caller_pause(aws.caller, 0, NULL, NO_DEADLINE));
    assert_int_equal(aws.time.pauses[AWS_BUDGET_BURST], turn);
    assert_false(aws_caller_pause(aws.caller, 0, NULL, clock_now(&aws.time.clock.clock) + turn / 2));
    fake_clock_advance(&aws.time.clock, 3600 * NS_PER_S); /* the budget refills, but not beyond its size */
    for (int i = 0; i < AWS_BUDGET_BURST; i++)
        assert_true(aws_caller_pause(aws.caller, 0, NULL, clock_now(&aws.time.clock.clock) + 1));
    assert_false(aws_caller_pause(aws.caller, 0, NULL, clock_now(&aws.time.clock.clock) + 1));
    testing_aws_stop(&aws);
}

static void pauses_stay_within_bounds(void **state)
{
    (void)state;
    START(aws, {200, NULL, "ok"});
    for (int attempt = 1; attempt < 1000; attempt++)
        for (int k = 0; k < 3; k++) {
            aws.time.chance = k * 0.4999;
            int64_t pause = aws_caller_backoff(aws.caller, attempt);
            assert_true(pause >= 0 && pause <= AWS_BACKOFF_MAX_S * NS_PER_S);
        }
    testing_aws_stop(&aws);
}

static void errors_of_the_query_protocol(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str name, message;
    struct http_response r = {
        .status = 403,
        .body = STR("<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender</Type>"
                    "<Code>AccessDenied</Code><Message>not &quot;you&quot;</Message></Error>"
                    "<RequestId>x</RequestId></ErrorResponse>")};
    assert_true(aws_read_xml_error(a, &r, &name, &message));
    assert_true(str_eqz(name, "AccessDenied") && str_eqz(message, "not \"you\""));
    r.body = STR("{\"__type\":\"x\"}");
    assert_false(aws_read_xml_error(a, &r, &name, &message));
    r.body = STR("<ErrorResponse/>");
    assert_false(aws_read_json_error(a, &r, &name, &message));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throttling_is_waited_for_longer_and_longer),
        cmocka_unit_test(the_service_may_say_when),
        cmocka_unit_test(attempts_have_an_end),
        cmocka_unit_test(other_errors_are_final),
        cmocka_unit_test(the_caller_may_know_more_names),
        cmocka_unit_test(a_wrong_clock_is_corrected_once),
        cmocka_unit_test(a_wrong_secret_is_no_wrong_clock),
        cmocka_unit_test(no_network),
        cmocka_unit_test(deadline_and_cancellation),
        cmocka_unit_test(the_budget_makes_retries_wait_and_not_fail),
        cmocka_unit_test(pauses_stay_within_bounds),
        cmocka_unit_test(errors_of_the_query_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
