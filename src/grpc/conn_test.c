#include "base/arena.h"
#include "grpc/testing_conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { WHOLE = 1 << 30 };

struct pair {
    struct testing_side client, server;
};

static void pair_init(struct pair *p)
{
    testing_side_init(&p->client, false);
    testing_side_init(&p->server, true);
    testing_settle(&p->client, &p->server, WHOLE);
    buf_clear(&p->client.log);
    buf_clear(&p->server.log);
}

static void pair_done(struct pair *p)
{
    testing_side_done(&p->client);
    testing_side_done(&p->server);
}

static void settle(struct pair *p)
{
    testing_settle(&p->client, &p->server, WHOLE);
}

static void assert_log(struct testing_side *s, const char *expected)
{
    buf_addc(&s->log, '\0');
    assert_string_equal(s->log.p, expected);
    buf_clear(&s->log);
}

/* ---- whole exchanges, cut in every way ---- */

static void exchange_in_pieces(size_t piece)
{
    struct testing_side client, server;
    testing_side_init(&client, false);
    testing_side_init(&server, true);
    struct conn_call *call = conn_open(client.conn, STR("/a.B/C"), 0, &client);
    conn_send(call, STR("hello"), NULL);
    conn_send(call, STR(""), NULL);
    conn_close_send(call);
    testing_settle(&client, &server, piece);
    assert_log(&server, "settings\ncall /a.B/C\nmessage 5 hello\nmessage 0\nhalf-close\n");
    conn_send(server.call, STR("answer"), NULL);
    conn_finish(server.call, GRPC_OK, STR_EMPTY);
    testing_settle(&client, &server, piece);
    assert_log(&client, "sent 5\nsent 0\nsettings\nmessage 6 answer\nend OK\n");
    assert_log(&server, ""); /* no event after conn_finish() */
    testing_side_done(&client);
    testing_side_done(&server);
}

static void an_exchange_is_the_same_in_pieces_of_any_size(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 150; piece++)
        exchange_in_pieces(piece);
    exchange_in_pieces(WHOLE);
}

/* Both sides' bytes of one exchange, replayed to a fresh core with one cut at every place. */
static void bytes_may_be_cut_anywhere(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, STR("hello"), NULL);
    conn_close_send(call);
    settle(&p);
    conn_send(p.server.call, STR("answer"), NULL);
    conn_finish(p.server.call, GRPC_NOT_FOUND, STR("nothing here"));
    settle(&p);
    struct str request = buf_str(&p.client.said), response = buf_str(&p.server.said);

    for (size_t cut = 0; cut <= request.n; cut++) {
        struct testing_side server;
        testing_side_init(&server, true);
        testing_hear(&server, str_slice(request, 0, cut));
        testing_speak(&server);
        testing_hear(&server, str_slice(request, cut, request.n));
        assert_log(&server, "settings\ncall /a.B/C\nmessage 5 hello\nhalf-close\n");
        testing_side_done(&server);
    }
    for (size_t cut = 0; cut <= response.n; cut++) {
        struct testing_side client;
        testing_side_init(&client, false);
        call = conn_open(client.conn, STR("/a.B/C"), 0, &client);
        conn_send(call, STR("hello"), NULL);
        conn_close_send(call);
        testing_speak(&client);
        testing_hear(&client, str_slice(response, 0, cut));
        testing_speak(&client);
        testing_hear(&client, str_slice(response, cut, response.n));
        testing_speak(&client);
        assert_log(&client, "sent 5\nsettings\nmessage 6 answer\nend NOT_FOUND nothing here\n");
        testing_side_done(&client);
    }
    pair_done(&p);
}

static void calls_beyond_the_servers_limit_wait_for_their_turn(void **state)
{
    (void)state;
    struct pair p;
    testing_side_init(&p.client, false);
    testing_side_init_with(&p.server, true, 100, 2);
    settle(&p);
    buf_clear(&p.server.log);
    for (int i = 0; i < 3; i++)
        conn_close_send(conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client));
    settle(&p);
    assert_log(&p.server, "call /a.B/C\ncall /a.B/C\nhalf-close\nhalf-close\n");
    conn_finish(p.server.call, GRPC_OK, STR_EMPTY);
    settle(&p);
    assert_log(&p.server, "call /a.B/C\nhalf-close\n");
    pair_done(&p);
}

/* ---- results ---- */

static void failure_without_messages_is_trailers_only(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_close_send(call);
    settle(&p);
    conn_finish(p.server.call, GRPC_INVALID_ARGUMENT,
                STR("Gr\xc3\xb6\xc3\x9f"
                    "e: 100 %\n\xe2\x82\xac"));
    settle(&p);
    assert_log(&p.client, "end INVALID_ARGUMENT Gr\xc3\xb6\xc3\x9f"
                          "e: 100 %\n\xe2\x82\xac\n");
    pair_done(&p);
}

static void a_message_longer_than_metadata_may_be_is_cut(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 20000; i++)
        buf_addz(&text, "\xe2\x82\xac");
    conn_close_send(conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client));
    settle(&p);
    conn_finish(p.server.call, GRPC_UNKNOWN, buf_str(&text));
    settle(&p);
    struct str log = buf_str(&p.client.log);
    assert_true(str_starts(log, STR("end UNKNOWN \xe2\x82\xac")));
    assert_true(str_is_utf8(log));
    assert_true(log.n > 1000 && log.n < 2000);
    pair_done(&p);
}

static void the_server_may_answer_before_it_has_heard_all(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, STR("one"), NULL);
    settle(&p);
    conn_finish(p.server.call, GRPC_OK, STR_EMPTY);
    settle(&p);
    assert_log(&p.client, "sent 3\nend OK\n");
    /* The stream is gone on both sides: the connection can end. */
    conn_shut_down(p.client.conn);
    settle(&p);
    assert_true(conn_is_over(p.client.conn));
    pair_done(&p);
}

static void giving_up_tells_the_server(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, STR("one"), NULL);
    settle(&p);
    conn_reset(call, NGHTTP2_CANCEL);
    settle(&p);
    assert_log(&p.client, "sent 3\n"); /* no event after conn_reset() */
    assert_log(&p.server, "call /a.B/C\nmessage 3 one\nend CANCELLED the client reset the call: CANCEL\n");
    pair_done(&p);
}

static void giving_up_before_the_request_is_out_works(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, STR("one"), NULL);
    conn_reset(call, NGHTTP2_CANCEL);
    settle(&p);
    conn_close_send(conn_open(p.client.conn, STR("/a.B/D"), 0, &p.client));
    settle(&p);
    assert_non_null(strstr(p.server.log.p, "call /a.B/D"));
    pair_done(&p);
}

static void reset_codes_become_statuses(void **state)
{
    (void)state;
    static const struct {
        uint32_t code;
        const char *log;
    } cases[] = {
        {NGHTTP2_CANCEL, "end CANCELLED the server reset the call: CANCEL\n"},
        {NGHTTP2_REFUSED_STREAM, "end UNAVAILABLE the server reset the call: REFUSED_STREAM\n"},
        {NGHTTP2_INTERNAL_ERROR, "end INTERNAL the server reset the call: INTERNAL_ERROR\n"},
        {NGHTTP2_ENHANCE_YOUR_CALM, "end RESOURCE_EXHAUSTED the server reset the call: ENHANCE_YOUR_CALM\n"},
        {NGHTTP2_NO_ERROR, "end INTERNAL the server reset the call: NO_ERROR\n"},
    };
    struct pair p;
    pair_init(&p);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        conn_close_send(conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client));
        settle(&p);
        conn_reset(p.server.call, cases[i].code);
        settle(&p);
        assert_log(&p.client, cases[i].log);
    }
    pair_done(&p);
}

/* ---- a peer that is not gRPC ---- */

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
    size_t sent;
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
    /* A literal cannot hold NUL bytes: '0' stands for one. */
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
        {"200", grpc, NULL, NULL, "00001x", false, "message 1 x\nend UNKNOWN the server ended the call without a status\n"},
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
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct answer answer = answers[i];
        /* In one case '0' means itself. */
        if (answer.body && strcmp(answer.body, "00001x") == 0)
            answer.body = "0000\001x";
        run_bare(&answer);
    }
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

/* ---- the end of a connection ---- */

static void goaway_lets_running_calls_finish_and_refuses_new_ones(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    conn_close_send(conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client));
    settle(&p);
    struct conn_call *running = p.server.call;
    conn_shut_down(p.server.conn);
    /* Sent before the GOAWAY arrives. */
    conn_close_send(conn_open(p.client.conn, STR("/a.B/D"), 0, &p.client));
    settle(&p);
    assert_log(&p.client, "end UNAVAILABLE the server reset the call: REFUSED_STREAM\n");
    assert_false(conn_is_open(p.client.conn));
    assert_null(conn_open(p.client.conn, STR("/a.B/E"), 0, &p.client));
    assert_false(conn_is_over(p.client.conn));
    conn_finish(running, GRPC_OK, STR_EMPTY);
    settle(&p);
    assert_log(&p.client, "end OK\n");
    assert_true(conn_is_over(p.client.conn));
    assert_true(conn_is_over(p.server.conn));
    pair_done(&p);
}

static void losing_the_connection_ends_every_call(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    for (int i = 0; i < 3; i++)
        conn_send(conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client), STR("x"), NULL);
    settle(&p);
    buf_clear(&p.client.log);
    buf_clear(&p.server.log);
    conn_lose(p.client.conn, STR("gone"));
    assert_log(&p.client, "end UNAVAILABLE gone\nend UNAVAILABLE gone\nend UNAVAILABLE gone\n");
    conn_lose(p.server.conn, STR("gone too"));
    assert_log(&p.server, "end UNAVAILABLE gone too\nend UNAVAILABLE gone too\nend UNAVAILABLE gone too\n");
    assert_null(conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client));
    pair_done(&p);
}

/* ---- limits ---- */

static void a_large_message_passes_and_costs_its_size(void **state)
{
    (void)state;
    enum { SIZE = 64 << 20 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *bytes = arena_alloc(a, SIZE, 1);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    struct pair p;
    pair_init(&p);
    p.server.keep = p.client.keep = true;
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, (struct str){bytes, SIZE}, NULL);
    conn_close_send(call);
    settle(&p);
    assert_log(&p.server, "call /a.B/C\nmessage 67108864\nhalf-close\n");
    assert_memory_equal(p.server.got.head->p, bytes, SIZE);
    assert_true(p.server.got.head->cap == SIZE);
    conn_send(p.server.call, (struct str){bytes, SIZE}, NULL);
    conn_finish(p.server.call, GRPC_OK, STR_EMPTY);
    settle(&p);
    assert_log(&p.client, "sent 67108864\nmessage 67108864\nend OK\n");
    assert_memory_equal(p.client.got.head->p, bytes, SIZE);
    pair_done(&p);
}

static void a_message_over_the_limit_ends_the_call_at_its_prefix(void **state)
{
    (void)state;
    struct pair p;
    testing_side_init(&p.client, false);
    testing_side_init_with(&p.server, true, 100, 10);
    settle(&p);
    buf_clear(&p.client.log);
    buf_clear(&p.server.log);
    static char bytes[101];
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, (struct str){bytes, 100}, NULL);
    conn_send(call, (struct str){bytes, 101}, NULL);
    settle(&p);
    assert_log(&p.server, "call /a.B/C\nmessage 100\nend RESOURCE_EXHAUSTED a message is larger than the limit\n");
    assert_log(&p.client, "sent 100\nsent 101\nend RESOURCE_EXHAUSTED a message is larger than the limit\n");
    pair_done(&p);
}

static void a_paused_call_stops_the_sender_and_no_other_call(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    struct conn_call *slow = conn_open(p.client.conn, STR("/a.B/Slow"), 0, &p.client);
    settle(&p);
    struct conn_call *slow_server = p.server.call;
    conn_pause(slow_server, true);
    enum { PIECE = 1 << 20, N = 40 };
    static char bytes[PIECE];
    for (int i = 0; i < N; i++)
        conn_send(slow, (struct str){bytes, PIECE}, NULL);
    settle(&p);
    size_t stopped_at = p.server.n_messages;
    assert_in_range(stopped_at, 1, CONN_STREAM_WINDOW / PIECE);

    struct conn_call *other = conn_open(p.client.conn, STR("/a.B/Other"), 0, &p.client);
    for (int i = 0; i < N; i++)
        conn_send(other, (struct str){bytes, PIECE}, NULL);
    settle(&p);
    assert_int_equal(p.server.n_messages, stopped_at + N);

    conn_pause(slow_server, false);
    settle(&p);
    assert_int_equal(p.server.n_messages, 2 * N);
    pair_done(&p);
}

static void ping_flood_is_cut_off(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    static const char ping[17] = {0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < 100000 && !p.server.broken; i++)
        testing_hear(&p.server, (struct str){ping, sizeof ping});
    assert_true(p.server.broken);
    pair_done(&p);
}

/* Requests and resets without end, and never a byte read: the answers must not pile up. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_is_the_same_in_pieces_of_any_size),
        cmocka_unit_test(bytes_may_be_cut_anywhere),
        cmocka_unit_test(calls_beyond_the_servers_limit_wait_for_their_turn),
        cmocka_unit_test(failure_without_messages_is_trailers_only),
        cmocka_unit_test(a_message_longer_than_metadata_may_be_is_cut),
        cmocka_unit_test(the_server_may_answer_before_it_has_heard_all),
        cmocka_unit_test(giving_up_tells_the_server),
        cmocka_unit_test(giving_up_before_the_request_is_out_works),
        cmocka_unit_test(reset_codes_become_statuses),
        cmocka_unit_test(odd_answers_get_a_status),
        cmocka_unit_test(requests_that_are_not_grpc_are_refused),
        cmocka_unit_test(input_that_is_not_http2_breaks_the_connection),
        cmocka_unit_test(goaway_lets_running_calls_finish_and_refuses_new_ones),
        cmocka_unit_test(losing_the_connection_ends_every_call),
        cmocka_unit_test(a_large_message_passes_and_costs_its_size),
        cmocka_unit_test(a_message_over_the_limit_ends_the_call_at_its_prefix),
        cmocka_unit_test(a_paused_call_stops_the_sender_and_no_other_call),
        cmocka_unit_test(ping_flood_is_cut_off),
        cmocka_unit_test(reset_flood_is_cut_off),
        cmocka_unit_test(too_many_headers_end_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
