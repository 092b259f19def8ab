/* The core against a bare HTTP/2 peer that sends anything: responses, requests and floods that are not gRPC. */
#include "grpc/testing_conn.h"

#include <stdlib.h>
#include <sys/resource.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

struct answer {
    const char *status;
    const char *content_type, *grpc_status, *grpc_message;
    const char *body; /* sent raw; NULL: headers end the stream */
    bool trailers;    /* grpc_status and grpc_message come in trailers */
    const char *log;
};

struct bare {
    nghttp2_session *session;
    const struct answer *answer;
};

static nghttp2_nv header(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), 0};
}

static size_t status_headers(const struct answer *a, nghttp2_nv *nv)
{
    size_t n = 0;
    if (a->grpc_status)
        nv[n++] = header("grpc-status", a->grpc_status);
    if (a->grpc_message)
        nv[n++] = header("grpc-message", a->grpc_message);
    return n;
}

static ssize_t bare_body(nghttp2_session *session, int32_t id, uint8_t *to, size_t length, uint32_t *flags,
                         nghttp2_data_source *source, void *user)
{
    (void)source;
    struct bare *bare = user;
    size_t n = strlen(bare->answer->body);
    assert_true(n <= length);
    /* A literal cannot contain NUL bytes: '0' represents one. */
    for (size_t i = 0; i < n; i++)
        to[i] = bare->answer->body[i] == '0' ? 0 : (uint8_t)bare->answer->body[i];
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (bare->answer->trailers) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_nv nv[2];
        (void)nghttp2_submit_trailer(session, id, nv, status_headers(bare->answer, nv));
    }
    return (ssize_t)n;
}

static int bare_request(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct bare *bare = user;
    const struct answer *a = bare->answer;
    if (frame->hd.type != NGHTTP2_HEADERS)
        return 0;
    nghttp2_nv nv[4] = {header(":status", a->status)};
    size_t n = 1;
    if (a->content_type)
        nv[n++] = header("content-type", a->content_type);
    if (!a->trailers)
        n += status_headers(a, nv + n);
    nghttp2_data_provider source = {.read_callback = bare_body};
    (void)nghttp2_submit_response(session, frame->hd.stream_id, nv, n, a->body ? &source : NULL);
    return 0;
}

static void run_bare(const struct answer *answer)
{
    struct testing_side client;
    testing_side_init_with(&client, false, 1000, 0);
    struct bare bare = {.answer = answer};
    nghttp2_session_callbacks *callbacks;
    assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, bare_request);
    nghttp2_option *option;
    assert_int_equal(nghttp2_option_new(&option), 0);
    nghttp2_option_set_max_send_header_block_length(option, 1 << 20); /* it may misbehave */
    assert_int_equal(nghttp2_session_server_new2(&bare.session, callbacks, &bare, option), 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    (void)nghttp2_submit_settings(bare.session, 0, NULL, 0);

    struct conn_call *call = conn_open(client.conn, STR("/a.B/C"), 0, &client);
    conn_send(call, STR("x"), NULL);
    conn_close_send(call);
    for (int round = 0; round < 5; round++) {
        testing_speak(&client);
        (void)nghttp2_session_mem_recv(bare.session, (uint8_t *)client.out.p, client.out.n);
        buf_clear(&client.out);
        const uint8_t *bytes;
        for (ssize_t n; (n = nghttp2_session_mem_send(bare.session, &bytes)) > 0;)
            testing_hear(&client, (struct str){(const char *)bytes, (size_t)n});
    }
    buf_addc(&client.log, '\0');
    const char *got = strstr(client.log.p, "settings\n");
    assert_non_null(got);
    assert_string_equal(got + strlen("settings\n"), answer->log);
    nghttp2_session_del(bare.session);
    testing_side_done(&client);
}

static void odd_answers_get_a_status(void **state)
{
    (void)state;
    static const char grpc[] = "application/grpc";
    static const struct answer answers[] = {
        {"503", NULL, NULL, NULL, NULL, false, "end UNAVAILABLE the server answered with HTTP status 503\n"},
        {"404", "text/html", NULL, NULL, "<p>", false, "end UNIMPLEMENTED the server answered with an HTTP error\n"},
        {"302", NULL, NULL, NULL, NULL, false, "end UNKNOWN the server answered with HTTP status 302\n"},
        {"200", "text/html", NULL, NULL, "<p>", false, "end UNKNOWN the server's answer is not gRPC: another content-type\n"},
        {"200", grpc, NULL, NULL, NULL, false, "end UNKNOWN the server ended the call without a status\n"},
        {"200", grpc, NULL, NULL, "0000\001x", false, "message 1 x\nend UNKNOWN the server ended the call without a status\n"},
        {"200", grpc, "5", "no%20such%zzthing%", NULL, false, "end NOT_FOUND no such%zzthing%\n"},
        {"200", "application/grpc+proto", "0", NULL, "0000\001x", true, "message 1 x\nend OK\n"},
        {"200", grpc, "0", NULL, "0000\005x", true, "end INTERNAL the server ended the call within a message\n"},
        {"200", grpc, "7", "why", "0000\005x", true, "end PERMISSION_DENIED why\n"},
        {"200", grpc, "0", NULL, "\0010000", true, "end INTERNAL a message is compressed, which was not offered\n"},
        {"200", grpc, "0", NULL, "\0020000", true, "end INTERNAL the bytes are not gRPC messages\n"},
        {"200", grpc, "0", NULL, "0\177\377\377\377", true, "end RESOURCE_EXHAUSTED a message is larger than the limit\n"},
        {"200", grpc, "0", NULL,
         "00"
         "0\004\001",
         true, "end RESOURCE_EXHAUSTED a message is larger than the limit\n"},
        {"200", grpc, "nonsense", NULL, "", true, "end UNKNOWN\n"},
        {"200", grpc, "42", "x", "", true, "end UNKNOWN x\n"},
        {"200", grpc, "2", "%FF%FE", "", true, "end UNKNOWN ??\n"},
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        run_bare(&answers[i]);
}

static void requests_that_are_not_grpc_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *method, *content_type, *path, *log;
    } cases[] = {
        {"GET", "application/grpc", "/a.B/C", ""},
        {"POST", "application/json", "/a.B/C", ""},
        {"POST", "application/grpcx", "/a.B/C", ""},
        {"POST", "application/grpc;charset=x", "/a.B/C", "call /a.B/C\nhalf-close\n"},
        {"POST", "application/grpc", "/", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct testing_side server;
        testing_side_init(&server, true);
        nghttp2_session *client;
        nghttp2_session_callbacks *callbacks;
        assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
        assert_int_equal(nghttp2_session_client_new(&client, callbacks, NULL), 0);
        nghttp2_session_callbacks_del(callbacks);
        (void)nghttp2_submit_settings(client, 0, NULL, 0);
        nghttp2_nv nv[] = {header(":method", cases[i].method), header(":scheme", "http"), header(":path", cases[i].path),
                           header(":authority", "x"), header("content-type", cases[i].content_type)};
        (void)nghttp2_submit_request(client, NULL, nv, 5, NULL, NULL);
        const uint8_t *bytes;
        for (ssize_t n; (n = nghttp2_session_mem_send(client, &bytes)) > 0;)
            testing_hear(&server, (struct str){(const char *)bytes, (size_t)n});
        testing_speak(&server);
        assert_true(server.out.n > 0);
        buf_addc(&server.log, '\0');
        assert_string_equal(server.log.p + strlen("settings\n"), cases[i].log);
        nghttp2_session_del(client);
        testing_side_done(&server);
    }
}

static void input_that_is_not_http2_breaks_the_connection(void **state)
{
    (void)state;
    struct testing_side side;
    testing_side_init(&side, true);
    testing_hear(&side, STR("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert_true(side.broken);
    assert_string_equal(conn_problem(side.conn), "the peer does not speak HTTP/2");
    testing_side_done(&side);

    testing_side_init(&side, false);
    testing_speak(&side);
    testing_hear(&side, STR("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
    testing_speak(&side);
    assert_true(side.broken || conn_is_over(side.conn));
    assert_true(conn_problem(side.conn)[0] != '\0');
    testing_side_done(&side);
}

static void too_many_headers_end_the_call(void **state)
{
    (void)state;
    struct answer answer = {.status = "200", .content_type = "application/grpc", .body = "", .trailers = true};
    struct buf long_text BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 60000; i++)
        buf_addc(&long_text, 'x');
    buf_addc(&long_text, '\0');
    answer.grpc_status = "2";
    /* The longest that fits is delivered whole; nghttp2's own limits are above ours. */
    answer.grpc_message = long_text.p;
    struct buf expected BUF_AUTO = BUF_INIT(1 << 20);
    buf_addz(&expected, "end UNKNOWN ");
    buf_addz(&expected, long_text.p);
    buf_addz(&expected, "\n");
    buf_addc(&expected, '\0');
    answer.log = expected.p;
    run_bare(&answer);

    struct buf status BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 6000; i++)
        buf_addc(&status, '1');
    buf_addc(&status, '\0');
    answer.grpc_status = status.p;
    answer.log = "end RESOURCE_EXHAUSTED the peer sent more headers than are accepted\n";
    run_bare(&answer);
}

/* Endless requests and resets from a peer that reads nothing: the queued answers must not grow without limit. */
static void reset_flood_is_cut_off(void **state)
{
    (void)state;
    struct testing_side server;
    testing_side_init_with(&server, true, 1000, 10);
    nghttp2_session *client;
    nghttp2_session_callbacks *callbacks;
    assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
    assert_int_equal(nghttp2_session_client_new(&client, callbacks, NULL), 0);
    nghttp2_session_callbacks_del(callbacks);
    (void)nghttp2_submit_settings(client, 0, NULL, 0);
    struct rusage before, after;
    (void)getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 200000 && !server.broken; i++) {
        nghttp2_nv nv[] = {header(":method", "GET"), header(":scheme", "http"), header(":path", "/a.B/C"),
                           header(":authority", "x")};
        int32_t id = nghttp2_submit_request(client, NULL, nv, 4, NULL, NULL);
        const uint8_t *bytes;
        for (ssize_t n; (n = nghttp2_session_mem_send(client, &bytes)) > 0;)
            testing_hear(&server, (struct str){(const char *)bytes, (size_t)n});
        (void)nghttp2_submit_rst_stream(client, 0, id, NGHTTP2_CANCEL);
    }
    (void)getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 256 << 10);
    nghttp2_session_del(client);
    testing_side_done(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_answers_get_a_status),
        cmocka_unit_test(requests_that_are_not_grpc_are_refused),
        cmocka_unit_test(input_that_is_not_http2_breaks_the_connection),
        cmocka_unit_test(reset_flood_is_cut_off),
        cmocka_unit_test(too_many_headers_end_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
