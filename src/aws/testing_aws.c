#include "aws/testing_aws.h"

#include <stdlib.h>

static enum sigv4_key_state find_secret(void *ctx, struct str access_key, struct str token, struct str *ret_secret)
{
    (void)ctx;
    (void)token;
    if (!str_starts(access_key, STR("AK")) && !str_starts(access_key, STR("ASIA")))
        return SIGV4_KEY_UNKNOWN;
    *ret_secret = STR(TESTING_SECRET);
    return SIGV4_KEY_KNOWN;
}

static void check_and_answer(void *ctx, const struct testing_request *request, struct testing_answer *answer)
{
    struct testing_aws *aws = ctx;
    struct str query = request->target;
    struct str path = str_cut(&query, '?');
    bool to_cloudcontrol = testing_header(request, "x-amz-target").n > 0;
    struct sigv4_check check = {
        .request = {.method = request->method,
                    .path = path,
                    .query = query,
                    .headers = request->headers,
                    .n_headers = request->n_headers,
                    .payload_hash = sigv4_hash(answer->arena, request->body)},
        .service = str_of(strcmp(aws->service, "any") != 0 ? aws->service
                          : to_cloudcontrol                ? "cloudcontrolapi"
                                                           : "sts"),
        .now_ns = aws->server_wall != 0 ? aws->server_wall : http_wall(&aws->time.time),
        .secret = find_secret,
    };
    struct sigv4_checked checked;
    sigv4_verify(answer->arena, &check, &checked);
    if (checked.verdict == SIGV4_VALID || (checked.verdict == SIGV4_MISSING && aws->unsigned_too)) {
        aws->handler(aws->ctx, request, answer);
        return;
    }
    (void)atomic_fetch_add(&aws->n_refused, 1);
    struct tm tm;
    time_t seconds = (time_t)(check.now_ns / NS_PER_S);
    char date[64];
    (void)gmtime_r(&seconds, &tm);
    (void)strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    answer->status = (int)sigv4_error_status(checked.verdict, SIGV4_JSON);
    answer->headers = arena_printf(answer->arena, "Date: %s\r\n", date).p;
    answer->body = arena_printf(answer->arena, "{\"__type\":\"com.amazon.coral.service#%s\",\"message\":\"" STR_FMT "\"}",
                                sigv4_error_name(checked.verdict, SIGV4_JSON), STR_ARG(checked.message));
}

void testing_aws_start(struct testing_aws *aws)
{
    aws->a = arena_new(NULL, 0);
    diags_init(&aws->diags, aws->a);
    aws->loop = loop_new();
    if (!aws->service)
        aws->service = "cloudcontrolapi";
    testing_time_init(&aws->time, TESTING_WALL);
    aws->server = testing_server_start(check_and_answer, aws, false);
    aws->http = http_new(&(struct http_options){.loop = aws->loop, .user_agent = STR("tester/1")}, &aws->diags);
    if (!aws->http)
        abort();
    aws->caller = aws_caller_new(&(struct aws_caller_options){.http = aws->http, .time = &aws->time.time});
    aws->credentials = aws_credentials_fixed(
        &(struct aws_keys){.access_key = STR(TESTING_KEY), .secret_key = STR(TESTING_SECRET), .source = STR("test")});
    struct aws_endpoint_choice choice = {
        .service = AWS_CLOUDCONTROL, .region = STR("eu-west-1"), .custom = str_of(testing_server_url(aws->server))};
    if (!aws_endpoint_find(aws->a, &choice, &aws->diags, &aws->endpoint))
        abort();
}

void testing_aws_stop(struct testing_aws *aws)
{
    aws_credentials_free(aws->credentials);
    aws_caller_free(aws->caller);
    http_free(aws->http);
    testing_server_stop(aws->server);
    loop_free(aws->loop);
    arena_free(aws->a);
}
