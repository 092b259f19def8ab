#include "base/arena.h"
#include "grpc/testing_conn.h"

#include <stdlib.h>

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

/* The bytes of both sides of an exchange, replayed to a new core with one cut at every possible position. */
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
    buf_addc(&p.server.log, '\0');
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

/* Number of PING frames with the flag ACK that the client sends next. */
static int count_answers(struct pair *p, struct str ping)
{
    testing_hear(&p->client, ping);
    size_t before = p->client.said.n;
    settle(p);
    int n = 0;
    for (size_t i = before; i + 17 <= p->client.said.n; i++)
        n += memcmp(p->client.said.p + i, "\0\0\10\6\1\0\0\0\0\1\2\3\4\5\6\7", 16) == 0;
    return n;
}

static void a_client_lets_one_ping_wait_while_little_is_sent(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    static const char bytes[17] = {0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    struct str ping = {bytes, sizeof bytes};
    assert_false(conn_has_ping(p.client.conn));
    assert_int_equal(count_answers(&p, ping), 0);
    assert_true(conn_has_ping(p.client.conn));
    assert_int_equal(count_answers(&p, ping), 1);
    conn_answer_ping(p.client.conn);
    assert_false(conn_has_ping(p.client.conn));
    assert_int_equal(count_answers(&p, STR_EMPTY), 1);

    static const char message[CONN_PING_VOLUME + 1];
    struct conn_call *call = conn_open(p.client.conn, STR("/a.B/C"), 0, &p.client);
    conn_send(call, (struct str){message, sizeof message}, NULL);
    settle(&p);
    assert_int_equal(count_answers(&p, ping), 1);
    assert_false(conn_has_ping(p.client.conn));
    pair_done(&p);
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
        cmocka_unit_test(goaway_lets_running_calls_finish_and_refuses_new_ones),
        cmocka_unit_test(losing_the_connection_ends_every_call),
        cmocka_unit_test(a_large_message_passes_and_costs_its_size),
        cmocka_unit_test(a_message_over_the_limit_ends_the_call_at_its_prefix),
        cmocka_unit_test(a_paused_call_stops_the_sender_and_no_other_call),
        cmocka_unit_test(ping_flood_is_cut_off),
        cmocka_unit_test(a_client_lets_one_ping_wait_while_little_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
