#include "aws/sigv4.h"

#include "base/testing_table.h"
#include "http/timing.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define FOLDER TERRANE_SOURCE "/src/aws/testdata/"
#define WALL (INT64_C(1440938160) * NS_PER_S) /* 20150830T123600Z */
#define ACCESS_KEY "AKIDEXAMPLE"
#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

enum { MAX_HEADERS = 16 };

struct parsed {
    struct sigv4_request request;
    struct http_header headers[MAX_HEADERS];
};

/* Parses a request of the tables; the lines of a folded header stay in its value. */
static void parse_request(struct arena *a, struct str text, struct parsed *ret)
{
    *ret = (struct parsed){0};
    struct sigv4_request *r = &ret->request;
    struct str line = str_cut(&text, '\n');
    r->method = str_cut(&line, ' ');
    struct str target = str_slice(line, 0, line.n - strlen(" HTTP/1.1"));
    r->path = str_cut(&target, '?');
    r->query = target;
    while (text.n > 0) {
        line = str_cut(&text, '\n');
        if (line.n == 0)
            break;
        if (line.p[0] == ' ') {
            struct str *value = &ret->headers[r->n_headers - 1].value;
            value->n = (size_t)(line.p + line.n - value->p);
            continue;
        }
        assert_true(r->n_headers < MAX_HEADERS);
        struct str name = str_cut(&line, ':');
        ret->headers[r->n_headers++] = (struct http_header){name, line};
    }
    r->headers = ret->headers;
    r->payload_hash = sigv4_hash(a, text);
}

static bool has_header(const struct parsed *p, const char *name)
{
    for (size_t i = 0; i < p->request.n_headers; i++)
        if (str_eqz(p->headers[i].name, name))
            return true;
    return false;
}

static struct str signed_token(const struct parsed *p, struct str canonical)
{
    while (canonical.n > 0) {
        struct str line = str_cut(&canonical, '\n');
        if (str_starts(line, STR("x-amz-security-token:")) && !has_header(p, "X-Amz-Security-Token"))
            return str_slice(line, strlen("x-amz-security-token:"), line.n);
    }
    return STR_EMPTY;
}

static void check_text(const struct table_row *row, struct str found, struct str expected)
{
    if (!str_eq(found, expected))
        fail_msg("line %zu, " STR_FMT ":\n" STR_FMT "\ninstead of\n" STR_FMT, row->line, STR_ARG(row->field[0]), STR_ARG(found),
                 STR_ARG(expected));
}

static void published_vectors(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, FOLDER "sigv4.txt");
    assert_int_equal(table.n, 34);
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        struct parsed p;
        parse_request(a, row->field[1], &p);
        struct sigv4_keys keys = {STR(ACCESS_KEY), STR(SECRET), signed_token(&p, row->field[2])};
        struct sigv4_scope scope = {STR("us-east-1"), STR("service"), WALL};
        struct sigv4_signature s;
        assert_true(sigv4_sign(a, &p.request, &keys, &scope, &s));
        check_text(row, s.canonical_request, row->field[2]);
        check_text(row, s.authorization, row->field[3]);
        check_text(row, s.date, STR("20150830T123600Z"));
    }
}

static void canonical_requests_with_and_without_path_normalisation(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, FOLDER "sigv4_canonical.txt");
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        struct parsed p;
        parse_request(a, row->field[2], &p);
        p.request.plain_path = str_eqz(row->field[1], "plain");
        /* One request of the suite has an unsigned body. */
        p.request.payload_hash = str_slice(row->field[3], row->field[3].n - SIGV4_HEX, row->field[3].n);
        struct sigv4_signature s;
        assert_true(sigv4_sign(a, &p.request, &(struct sigv4_keys){STR(ACCESS_KEY), STR(SECRET), STR_EMPTY},
                               &(struct sigv4_scope){STR("us-east-1"), STR("service"), WALL}, &s));
        check_text(row, s.canonical_request, row->field[3]);
    }
}

static void what_is_encoded_already_is_encoded_once_more_in_paths_and_anew_in_queries(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct http_header host = {STR("Host"), STR("h")};
    struct sigv4_request r = {.method = STR("GET"),
                              .path = STR("/a%20b/../c%2fd"),
                              .query = STR("b=%7e%2f&a=1+2&&c&b=%zz"),
                              .headers = &host,
                              .n_headers = 1,
                              .payload_hash = sigv4_hash(a, STR_EMPTY)};
    struct sigv4_signature s;
    assert_true(sigv4_sign(a, &r, &(struct sigv4_keys){STR("k"), STR("s"), STR_EMPTY},
                           &(struct sigv4_scope){STR("r"), STR("x"), WALL}, &s));
    assert_true(str_starts(s.canonical_request, STR("GET\n/c%252fd\na=1%2B2&b=%25zz&b=~%2F&c=\nhost:h\n")));
}

static void bounds_are_kept(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct http_header *many = arena_make_n(a, struct http_header, SIGV4_MAX_HEADERS + 1);
    for (size_t i = 0; i <= SIGV4_MAX_HEADERS; i++)
        many[i] = (struct http_header){STR("A"), STR("b")};
    struct sigv4_request r = {.method = STR("GET"), .headers = many, .n_headers = SIGV4_MAX_HEADERS + 1};
    struct sigv4_keys keys = {STR("k"), STR("s"), STR_EMPTY};
    struct sigv4_scope scope = {STR("r"), STR("x"), WALL};
    struct sigv4_signature s;
    assert_false(sigv4_sign(a, &r, &keys, &scope, &s));
    r.n_headers = 1;
    assert_true(sigv4_sign(a, &r, &keys, &scope, &s));
    struct buf query BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i <= SIGV4_MAX_PARAMETERS; i++)
        buf_addz(&query, "a=b&");
    r.query = buf_str(&query);
    assert_false(sigv4_sign(a, &r, &keys, &scope, &s));
    char *large = arena_alloc(a, SIGV4_MAX_TEXT + 1, 1);
    many[0].value = (struct str){memset(large, 'x', SIGV4_MAX_TEXT), SIGV4_MAX_TEXT};
    r.query = STR_EMPTY;
    assert_false(sigv4_sign(a, &r, &keys, &scope, &s));
}

/* Checking */

static enum sigv4_key_state find_secret(void *ctx, struct str access_key, struct str token, struct str *ret_secret)
{
    (void)ctx;
    if (str_eqz(token, "old"))
        return SIGV4_KEY_EXPIRED;
    if (!str_eqz(access_key, ACCESS_KEY))
        return SIGV4_KEY_UNKNOWN;
    *ret_secret = STR(SECRET);
    return SIGV4_KEY_KNOWN;
}

struct sent {
    struct arena *a;
    struct http_header headers[MAX_HEADERS];
    struct sigv4_check check;
    struct sigv4_signature signature;
};

/* A signed request as a server receives it. */
static void send_request(struct sent *t, struct arena *a, const char *access_key, const char *secret, const char *token)
{
    *t = (struct sent){.a = a};
    t->headers[0] = (struct http_header){STR("Host"), STR("example.amazonaws.com")};
    t->headers[1] = (struct http_header){STR("X-Amz-Target"), STR("CloudApiService.GetResource")};
    struct sigv4_request r = {.method = STR("POST"), .path = STR("/"), .headers = t->headers, .n_headers = 2};
    r.payload_hash = sigv4_hash(a, STR("{}"));
    struct sigv4_keys keys = {str_of(access_key), str_of(secret), str_of(token)};
    assert_true(sigv4_sign(a, &r, &keys, &(struct sigv4_scope){STR("eu-west-1"), STR("cloudcontrolapi"), WALL}, &t->signature));
    t->headers[2] = (struct http_header){STR("x-amz-date"), t->signature.date};
    t->headers[3] = (struct http_header){STR("authorization"), t->signature.authorization};
    t->headers[4] = (struct http_header){STR("User-Agent"), STR("not signed")};
    r.n_headers = 5;
    if (token[0] != '\0')
        t->headers[r.n_headers++] = (struct http_header){STR("X-Amz-Security-Token"), keys.token};
    t->check = (struct sigv4_check){
        .request = r, .service = STR("cloudcontrolapi"), .now_ns = WALL + 10 * NS_PER_S, .secret = find_secret};
}

static enum sigv4_verdict verify(struct sent *t, const char *part_of_message)
{
    struct sigv4_checked checked;
    sigv4_verify(t->a, &t->check, &checked);
    if (checked.verdict == SIGV4_VALID)
        assert_int_equal(checked.message.n, 0);
    else if (!part_of_message || !strstr(arena_str(t->a, checked.message).p, part_of_message))
        fail_msg("unexpected message: " STR_FMT, STR_ARG(checked.message));
    return checked.verdict;
}

static void a_good_request_is_valid(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct sent t;
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    assert_int_equal(verify(&t, NULL), SIGV4_VALID);
    t.check.region = STR("eu-west-1");
    assert_int_equal(verify(&t, NULL), SIGV4_VALID);
    send_request(&t, a, ACCESS_KEY, SECRET, "session token");
    assert_int_equal(verify(&t, NULL), SIGV4_VALID);
}

static void a_changed_request_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct sent t;
    send_request(&t, a, ACCESS_KEY, "another secret", "");
    assert_int_equal(verify(&t, "does not match"), SIGV4_MISMATCH);
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.check.request.payload_hash = sigv4_hash(a, STR("{ }"));
    assert_int_equal(verify(&t, "does not match"), SIGV4_MISMATCH);
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.headers[1].value = STR("CloudApiService.DeleteResource");
    assert_int_equal(verify(&t, "does not match"), SIGV4_MISMATCH);
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.headers[1].name = STR("X-Other"); /* a header listed as signed is missing */
    assert_int_equal(verify(&t, "does not match"), SIGV4_MISMATCH);
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.headers[3].value = STR("AWS4-HMAC-SHA256 Credential=" ACCESS_KEY
                             "/20150830/eu-west-1/cloudcontrolapi/aws4_request,SignedHeaders=x-amz-date,Signature=00");
    assert_int_equal(verify(&t, "'Host'"), SIGV4_MISMATCH);
}

static void keys_and_clocks(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct sent t;
    send_request(&t, a, "AKIDSOMEBODY", SECRET, "");
    assert_int_equal(verify(&t, "is invalid"), SIGV4_UNKNOWN_KEY);
    send_request(&t, a, ACCESS_KEY, SECRET, "old");
    assert_int_equal(verify(&t, "is expired"), SIGV4_EXPIRED_KEY);
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.check.now_ns = WALL + 301 * NS_PER_S;
    assert_int_equal(
        verify(&t, "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T124101Z - 5 min.)"),
        SIGV4_EXPIRED);
    t.check.now_ns = WALL - 301 * NS_PER_S;
    assert_int_equal(
        verify(&t,
               "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z (20150830T123059Z + 5 min.)"),
        SIGV4_EARLY);
    t.check.skew_ns = 3600 * NS_PER_S;
    assert_int_equal(verify(&t, NULL), SIGV4_VALID);
    t.check.region = STR("us-east-1");
    assert_int_equal(verify(&t, "valid region"), SIGV4_WRONG_SCOPE);
    t.check.region = STR_EMPTY;
    t.check.service = STR("sts");
    assert_int_equal(verify(&t, "correct service: 'sts'"), SIGV4_WRONG_SCOPE);
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.headers[2].value = STR("20150831T123600Z");
    assert_int_equal(verify(&t, "Date in Credential scope does not match"), SIGV4_WRONG_SCOPE);
}

static void malformed_authorizations(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *authorization;
        enum sigv4_verdict verdict;
        const char *message;
    } cases[] = {
        {"", SIGV4_MISSING, "missing Authentication Token"},
        {"Bearer x", SIGV4_MISSING, "missing Authentication Token"},
        {"AWS4-HMAC-SHA256", SIGV4_INCOMPLETE, "'Credential' parameter"},
        {"AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request, Signature=00", SIGV4_INCOMPLETE, "'SignedHeaders' parameter"},
        {"AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request, SignedHeaders=host", SIGV4_INCOMPLETE, "'Signature' parameter"},
        {"AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host, Signature=00", SIGV4_INCOMPLETE, "5 slash-delimited"},
        {"AWS4-HMAC-SHA256 Credential=/a/b/c/d, SignedHeaders=host, Signature=00", SIGV4_INCOMPLETE, "5 slash-delimited"},
        {"AWS4-HMAC-SHA256 ,,,=,==,Credential,Signature", SIGV4_INCOMPLETE, "5 slash-delimited"},
        {"AWS4-HMAC-SHA256 ,,,=,==,Signature=", SIGV4_INCOMPLETE, "'Credential' parameter"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sent t;
        send_request(&t, a, ACCESS_KEY, SECRET, "");
        t.headers[3].value = str_of(cases[i].authorization);
        assert_int_equal(verify(&t, cases[i].message), cases[i].verdict);
    }
    struct sent t;
    send_request(&t, a, ACCESS_KEY, SECRET, "");
    t.headers[2].value = STR("yesterday");
    assert_int_equal(verify(&t, "'X-Amz-Date' or a 'Date' header"), SIGV4_INCOMPLETE);
}

static void errors_have_the_names_of_each_protocol(void **state)
{
    (void)state;
    assert_null(sigv4_error_name(SIGV4_VALID, SIGV4_JSON));
    assert_string_equal(sigv4_error_name(SIGV4_MISMATCH, SIGV4_JSON), "InvalidSignatureException");
    assert_string_equal(sigv4_error_name(SIGV4_MISMATCH, SIGV4_QUERY), "SignatureDoesNotMatch");
    assert_string_equal(sigv4_error_name(SIGV4_UNKNOWN_KEY, SIGV4_JSON), "UnrecognizedClientException");
    assert_string_equal(sigv4_error_name(SIGV4_MISSING, SIGV4_QUERY), "MissingAuthenticationToken");
    assert_int_equal(sigv4_error_status(SIGV4_MISMATCH, SIGV4_QUERY), 403);
    assert_int_equal(sigv4_error_status(SIGV4_MISMATCH, SIGV4_JSON), 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(canonical_requests_with_and_without_path_normalisation),
        cmocka_unit_test(what_is_encoded_already_is_encoded_once_more_in_paths_and_anew_in_queries),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(a_good_request_is_valid),
        cmocka_unit_test(a_changed_request_is_refused),
        cmocka_unit_test(keys_and_clocks),
        cmocka_unit_test(malformed_authorizations),
        cmocka_unit_test(errors_have_the_names_of_each_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
