/*
 * Any bytes as each input of the client. The first byte chooses: an answer of the API, an answer in XML, a shared configuration
 * file, a signed request, or a time, duration or URL. Accepted input must satisfy the documented guarantees.
 */
#include "aws/arn.h"
#include "aws/shared.h"
#include "aws/sigv4.h"
#include "aws/xml.h"
#include "base/duration.h"
#include "cloudcontrol/api.h"
#include "cloudcontrol/run.h"
#include "lazy/lazy_curl.h"

#include <stdlib.h>

enum { MAX_HEADERS = 32 };

static void as_answer(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str name, message;
    struct http_response response = {.status = 400, .body = text};
    if (aws_read_json_error(a, &response, &name, &message) && name.n == 0)
        abort();
    const struct json *j = json_parse(a, text, "answer", &diags);
    struct cc_request_status status;
    struct cc_failure none = {0};
    if (!j || !cc_read_request_status(a, j, &status))
        return;
    if (status.progress.event_time < 0 || status.progress.retry_after < 0)
        abort();
    (void)cc_wait_text(a, CC_WAIT_FAILED, &status, &none);
}

static void as_xml(struct arena *a, struct str text)
{
    struct str found, name, message;
    struct http_response response = {.status = 400, .body = text};
    if (aws_xml_text(a, text, "*/*/Code", &found) && found.n > AWS_XML_MAX_TEXT)
        abort();
    (void)aws_read_xml_error(a, &response, &name, &message);
}

static void as_shared_file(struct arena *a, struct str text)
{
    struct aws_shared shared = {.arena = a};
    for (int credentials = 0; credentials < 2; credentials++) {
        struct diags diags;
        diags_init(&diags, a);
        if (aws_shared_parse(&shared, text, "file", credentials, &diags) == diags_has_errors(&diags))
            abort();
    }
    (void)aws_profile_get(&shared, STR("default"), "region");
    aws_shared_wipe(&shared);
}

static enum sigv4_key_state find_secret(void *ctx, struct str access_key, struct str token, struct str *ret_secret)
{
    (void)ctx;
    (void)token;
    *ret_secret = STR("secret");
    return access_key.n > 0 ? SIGV4_KEY_KNOWN : SIGV4_KEY_UNKNOWN;
}

/* The target on the first line, then headers, then a body. */
static void as_request(struct arena *a, struct str text)
{
    struct http_header headers[MAX_HEADERS];
    struct str query = str_cut(&text, '\n');
    struct sigv4_check check = {.service = STR("service"), .now_ns = INT64_C(1440938160) * NS_PER_S, .secret = find_secret};
    check.request = (struct sigv4_request){.method = STR("POST"), .path = str_cut(&query, '?'), .headers = headers};
    check.request.query = query;
    while (text.n > 0 && check.request.n_headers < MAX_HEADERS) {
        struct str value = str_cut(&text, '\n');
        if (value.n == 0)
            break;
        struct str name = str_cut(&value, ':');
        headers[check.request.n_headers++] = (struct http_header){name, value};
    }
    check.request.payload_hash = sigv4_hash(a, text);
    struct sigv4_checked checked;
    sigv4_verify(a, &check, &checked);
    if ((checked.verdict == SIGV4_VALID) != (checked.message.n == 0))
        abort();
    /* Our own signatures are valid. */
    struct sigv4_keys keys = {STR("key"), STR("secret"), STR_EMPTY};
    struct sigv4_scope scope = {STR("region"), STR("service"), check.now_ns};
    struct sigv4_signature s;
    struct http_header signed_headers[] = {
        {STR("Host"), STR("h")}, {STR("X-Amz-Date"), STR_EMPTY}, {STR("Authorization"), STR_EMPTY}};
    check.request.headers = signed_headers;
    check.request.n_headers = 1;
    if (!sigv4_sign(a, &check.request, &keys, &scope, &s))
        return;
    signed_headers[1].value = s.date;
    signed_headers[2].value = s.authorization;
    check.request.n_headers = 3;
    sigv4_verify(a, &check, &checked);
    if (checked.verdict != SIGV4_VALID)
        abort();
}

static void as_short_text(struct arena *a, struct str text)
{
    int64_t ns = 0;
    (void)compact_date_parse(text, &ns);
    (void)http_date_parse(text, &ns);
    (void)timestamp_parse(text, &ns);
    (void)duration_parse(text, &ns);
    (void)aws_arn_account(text);
    struct aws_endpoint endpoint = {0};
    struct diags diags;
    diags_init(&diags, a);
    const struct lazy_curl *curl = lazy_curl(&diags);
    if (!curl || (aws_endpoint_of_url(a, curl, text, &endpoint) && endpoint.host.n == 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(struct arena *a, struct str text) = {as_answer, as_xml, as_shared_file, as_request,
                                                                        as_short_text};
    if (size == 0 || size > 64 << 10)
        return 0;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    size_t which = data[0] - (size_t)'0';
    if (which < sizeof readers / sizeof readers[0])
        readers[which](a, (struct str){(const char *)data + 1, size - 1});
    return 0;
}
