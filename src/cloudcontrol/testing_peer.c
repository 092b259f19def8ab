/*
 * A helper for tests in Python: reads one JSON object per line, and writes one.
 *
 *     cloudcontrol_peer sign        a request, keys, scope and time -> Authorization
 *     cloudcontrol_peer verify      a signed request -> the verdict's error name, or "valid"
 *     cloudcontrol_peer endpoint    service, region, fips, dual_stack -> the URL
 *     cloudcontrol_peer identity    no input -> who the credentials of the environment belong to
 */
#include "aws/sigv4.h"
#include "base/json.h"
#include "cloudcontrol/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_HEADERS = 64, MAX_LINE = 4 << 20 };

static struct str text(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static struct sigv4_request read_request(struct arena *a, const struct json *j, struct http_header headers[MAX_HEADERS])
{
    const struct json *list = json_get(j, "headers");
    size_t n = list ? list->array.n : 0;
    for (size_t i = 0; i < n && i < MAX_HEADERS; i++)
        headers[i] = (struct http_header){list->array.items[i]->array.items[0]->text, list->array.items[i]->array.items[1]->text};
    return (struct sigv4_request){
        .method = text(j, "method"),
        .path = text(j, "path"),
        .query = text(j, "query"),
        .headers = headers,
        .n_headers = n < MAX_HEADERS ? n : MAX_HEADERS,
        .payload_hash = sigv4_hash(a, text(j, "body")),
    };
}

static void sign(struct arena *a, const struct json *j, struct json_writer *w)
{
    struct http_header headers[MAX_HEADERS];
    struct sigv4_request request = read_request(a, j, headers);
    struct sigv4_keys keys = {text(j, "access_key"), text(j, "secret_key"), text(j, "token")};
    struct sigv4_scope scope = {.region = text(j, "region"), .service = text(j, "service")};
    struct sigv4_signature s = {0};
    (void)compact_date_parse(text(j, "date"), &scope.time_ns);
    if (!sigv4_sign(a, &request, &keys, &scope, &s))
        s.authorization = STR("past a bound");
    json_put_text(w, "authorization", s.authorization);
    json_put_text(w, "canonical", s.canonical_request);
}

static enum sigv4_key_state find_secret(void *ctx, struct str access_key, struct str token, struct str *ret_secret)
{
    (void)token;
    const struct json *j = ctx;
    if (!str_eq(access_key, text(j, "access_key")))
        return SIGV4_KEY_UNKNOWN;
    *ret_secret = text(j, "secret_key");
    return SIGV4_KEY_KNOWN;
}

static void verify(struct arena *a, const struct json *j, struct json_writer *w)
{
    struct http_header headers[MAX_HEADERS];
    struct sigv4_check check = {
        .request = read_request(a, j, headers), .service = text(j, "service"), .secret = find_secret, .ctx = (void *)j};
    (void)compact_date_parse(text(j, "date"), &check.now_ns);
    struct sigv4_checked checked;
    sigv4_verify(a, &check, &checked);
    json_put_text(w, "verdict",
                  checked.verdict == SIGV4_VALID ? STR("valid") : str_of(sigv4_error_name(checked.verdict, SIGV4_JSON)));
    json_put_text(w, "message", checked.message);
}

static void endpoint(struct arena *a, const struct json *j, struct json_writer *w)
{
    struct aws_endpoint_choice choice = {.region = text(j, "region"),
                                         .fips = json_bool(json_get(j, "fips"), false),
                                         .dual_stack = json_bool(json_get(j, "dual_stack"), false)};
    for (int i = 0; i < AWS_N_SERVICES; i++)
        if (str_eqz(text(j, "service"), aws_service_id((enum aws_service)i)))
            choice.service = (enum aws_service)i;
    struct aws_endpoint found = {0};
    struct diags diags;
    diags_init(&diags, a);
    (void)aws_endpoint_find(a, &choice, &diags, &found);
    json_put_text(w, "url", found.url);
    json_put_text(w, "signing_name", str_of(found.signing_name));
}

static int identity(void)
{
    struct arena *a = arena_new(NULL, 0);
    struct loop *loop = loop_new();
    struct cc_provider_settings settings = {0};
    struct cc_client_options options = {.settings = &settings,
                                        .env = (const char *const *)environ,
                                        .loop = loop,
                                        .deadline = clock_now(&system_clock) + 60 * NS_PER_S};
    struct cc_client *client = NULL;
    struct buf out = BUF_INIT(MAX_LINE);
    struct diags diags;
    diags_init(&diags, a);
    if (cc_client_open(&options, &diags, &client)) {
        struct json_writer w = {.out = &out};
        json_begin_object(&w);
        json_put_text(&w, "account", cc_client_identity(client)->account);
        json_put_text(&w, "arn", cc_client_identity(client)->arn);
        json_put_text(&w, "region", cc_client_region(client));
        json_end_object(&w);
    } else {
        diags_write(&out, &diags, false);
    }
    int code = client ? 0 : 1;
    (void)printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    cc_client_close(client);
    buf_free(&out);
    loop_free(loop);
    arena_free(a);
    return code;
}

static int each_line(void (*fn)(struct arena *a, const struct json *j, struct json_writer *w))
{
    char *line = NULL;
    size_t size = 0;
    for (ssize_t n; (n = getline(&line, &size, stdin)) > 0;) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct buf out BUF_AUTO = BUF_INIT(MAX_LINE);
        struct diags diags;
        diags_init(&diags, a);
        const struct json *j = json_parse(a, (struct str){line, (size_t)n}, "input", &diags);
        if (!j)
            abort();
        struct json_writer w = {.out = &out};
        json_begin_object(&w);
        fn(a, j, &w);
        json_end_object(&w);
        (void)printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    }
    free(line);
    return 0;
}

int main(int argc, char **argv)
{
    struct str what = str_of(argc == 2 ? argv[1] : "");
    if (str_eqz(what, "sign"))
        return each_line(sign);
    if (str_eqz(what, "verify"))
        return each_line(verify);
    if (str_eqz(what, "endpoint"))
        return each_line(endpoint);
    if (str_eqz(what, "identity"))
        return identity();
    (void)fputs("usage: cloudcontrol_peer sign|verify|endpoint|identity\n", stderr);
    return 2;
}
