/*
 * Two wires connected in memory, so that the bytes between them can be cut, delayed and corrupted.
 */
#include "grpc/wire.h"

#include "base/testing.h"

#include <errno.h>

enum { LARGE = 2 << 20, MAX_MESSAGE = 8 << 20, FRAME_MAX = 17 << 10 };

/* One end, and the events of its core. */
struct end {
    struct tls_identity *identity;
    struct tls_context *tls;
    struct wire *wire;
    struct conn_call *call;
    bool has_settings;
    size_t received; /* bytes of messages */
    enum grpc_status status;
    bool ended;
};

static struct end client, server;
static struct arena *arena;
static struct diags diags;

static void on_settings(void *ctx)
{
    struct end *e = ctx;
    e->has_settings = true;
}

static void on_call(void *ctx, struct conn_call *call)
{
    struct end *e = ctx;
    e->call = call;
    conn_call_set_user(call, e);
}

static void on_message(void *user, struct message *message)
{
    struct end *e = user;
    e->received += message->n;
    message_free(message);
}

static void on_half_close(void *user)
{
    (void)user;
}

static void on_sent(void *user, size_t bytes)
{
    (void)user;
    (void)bytes;
}

static void on_end(void *user, enum grpc_status status, struct str message)
{
    (void)message;
    struct end *e = user;
    e->ended = true;
    e->status = status;
}

static const struct conn_events events = {
    .on_settings = on_settings,
    .on_call = on_call,
    .on_message = on_message,
    .on_half_close = on_half_close,
    .on_sent = on_sent,
    .on_end = on_end,
};

static void end_open(struct end *e, bool is_server, const struct end *trusted)
{
    if (trusted) {
        const struct tls_config config = {e->identity, tls_identity_der(trusted->identity)};
        e->tls = tls_context_new(&config, is_server, &diags);
        assert_non_null(e->tls);
    }
    e->wire = wire_new(
        e->tls,
        &(struct conn_options){.server = is_server, .max_message = MAX_MESSAGE, .max_calls = 10, .events = &events, .ctx = e});
}

static void end_close(struct end *e)
{
    wire_free(e->wire);
    tls_context_free(e->tls);
    tls_identity_free(e->identity);
}

/* `trusted` NULL: clear text; otherwise the end whose certificate the client trusts. */
static void open_with(bool secure, const struct end *trusted)
{
    client = server = (struct end){0};
    arena = arena_new(NULL, 0);
    diags_init(&diags, arena);
    if (secure) {
        client.identity = tls_identity_new(&diags);
        server.identity = tls_identity_new(&diags);
    }
    end_open(&client, false, secure ? trusted : NULL);
    end_open(&server, true, secure ? &client : NULL);
    assert_true(wire_start(client.wire) && wire_start(server.wire));
}

static void close_both(void)
{
    end_close(&client);
    end_close(&server);
    arena_free(arena);
}

/* Up to `piece` bytes; returns how many. False in *ret_ok when the other end gave up. */
static size_t carry(struct end *from, struct end *to, size_t piece, bool *ret_ok)
{
    struct str out = str_slice(wire_pull(from->wire), 0, piece);
    if (out.n > 0)
        *ret_ok = wire_feed(to->wire, out) && *ret_ok;
    wire_pulled(from->wire, out.n);
    return out.n;
}

static bool settle(size_t piece)
{
    bool ok = true;
    while (ok && carry(&client, &server, piece, &ok) + carry(&server, &client, piece, &ok) > 0)
        ;
    return ok;
}

static struct conn_call *open_call(void)
{
    struct conn_call *call = conn_open(wire_conn(client.wire), STR("/test.Wire/Call"), 0, &client);
    assert_non_null(call);
    return call;
}

static void a_call_in_pieces(bool secure, size_t piece)
{
    open_with(secure, &server);
    assert_true(wire_is_secure(client.wire) == !secure);
    assert_true(settle(piece));
    assert_true(wire_is_secure(client.wire) && wire_is_secure(server.wire));
    assert_true(client.has_settings && server.has_settings);

    struct conn_call *call = open_call();
    conn_send(call, STR("twelve bytes"), NULL);
    conn_close_send(call);
    assert_true(settle(piece));
    assert_int_equal(server.received, 12);
    conn_finish(server.call, GRPC_OK, STR_EMPTY);
    assert_true(settle(piece));
    assert_true(client.ended && client.status == GRPC_OK);
    assert_string_equal(wire_reason(client.wire, "nothing"), "nothing");
    close_both();
}

static void calls_pass_whatever_the_pieces(void **state)
{
    (void)state;
    for (int secure = 0; secure < 2; secure++) {
        a_call_in_pieces(secure, 1);
        a_call_in_pieces(secure, 7);
        a_call_in_pieces(secure, WIRE_OUT);
    }
}

/* Feeding does not move, change or extend pulled bytes, and at most one piece is pulled at a time. */
static void what_was_pulled_stays_until_it_is_written(void **state)
{
    (void)state;
    for (int secure = 0; secure < 2; secure++) {
        open_with(secure, &server);
        assert_true(settle(SIZE_MAX));
        char *large = arena_alloc(arena, LARGE, 1);
        memset(large, 'x', LARGE);
        struct conn_call *call = open_call();
        conn_send(call, (struct str){large, LARGE}, NULL);

        struct str first = wire_pull(client.wire);
        assert_true(first.n > 0 && first.n < WIRE_OUT + 2 * FRAME_MAX);
        struct str copy = arena_str(arena, first);
        assert_true(wire_is_behind(client.wire));
        /* The server's response to its input so far makes the client's filter and core produce output. */
        bool ok = wire_feed(server.wire, copy);
        conn_reset(server.call, 2);
        assert_true(carry(&server, &client, SIZE_MAX, &ok) > 0 && ok);
        wire_say_goodbye(client.wire);
        assert_ptr_equal(wire_pull(client.wire).p, first.p);
        assert_true(str_eq(wire_pull(client.wire), copy));
        wire_pulled(client.wire, 10);
        assert_true(str_eq(wire_pull(client.wire), str_slice(copy, 10, copy.n)));
        wire_pulled(client.wire, copy.n - 10);
        assert_false(wire_is_behind(client.wire));
        close_both();
    }
}

static void a_wrong_certificate_is_named_on_both_ends(void **state)
{
    (void)state;
    open_with(true, &client); /* the client trusts only its own certificate */
    assert_false(settle(SIZE_MAX));
    assert_string_equal(wire_reason(client.wire, ""),
                        "the server presented another certificate than the one exchanged beforehand");
    /* The alert can still be pulled, and tells the server the reason. */
    bool ok = true;
    assert_true(carry(&client, &server, SIZE_MAX, &ok) > 0);
    assert_false(ok);
    assert_non_null(strstr(wire_reason(server.wire, ""), "refused our handshake or certificate"));
    assert_false(wire_is_secure(client.wire));
    close_both();
}

static void what_is_not_http2_is_said(void **state)
{
    (void)state;
    open_with(false, NULL);
    assert_false(wire_feed(server.wire, STR("GET / HTTP/1.1\r\nHost: x\r\n\r\n")));
    assert_non_null(strstr(wire_reason(server.wire, ""), "the peer does not speak HTTP/2"));
    /* The first reason is kept, also when reading fails later. */
    assert_non_null(strstr(wire_read_failure(server.wire, EIO), "the peer does not speak HTTP/2"));
    close_both();
}

static void a_mute_wire_still_listens(void **state)
{
    (void)state;
    open_with(true, &server);
    assert_true(settle(SIZE_MAX));
    struct conn_call *call = open_call();
    conn_send(call, STR("question"), NULL);
    assert_true(settle(SIZE_MAX));

    conn_send(call, STR("never said"), NULL);
    assert_true(wire_pull(client.wire).n > 0);
    wire_mute(client.wire);
    assert_true(wire_is_mute(client.wire) && !wire_is_behind(client.wire));
    assert_int_equal(wire_pull(client.wire).n, 0);
    wire_say_goodbye(client.wire);
    assert_int_equal(wire_pull(client.wire).n, 0);
    conn_finish(server.call, GRPC_NOT_FOUND, STR_EMPTY);
    bool ok = true;
    assert_true(carry(&server, &client, SIZE_MAX, &ok) > 0 && ok);
    assert_true(client.ended && client.status == GRPC_NOT_FOUND);
    close_both();
}

static void an_orderly_end_is_not_a_problem(void **state)
{
    (void)state;
    open_with(true, &server);
    assert_true(settle(SIZE_MAX));
    conn_shut_down(wire_conn(client.wire));
    assert_true(settle(SIZE_MAX));
    assert_true(wire_is_over(client.wire));
    wire_say_goodbye(client.wire);
    assert_false(settle(SIZE_MAX));
    assert_string_equal(wire_reason(server.wire, WIRE_PEER_CLOSED), WIRE_PEER_CLOSED);
    assert_string_equal(wire_read_failure(server.wire, 0), WIRE_PEER_CLOSED);
    assert_string_equal(wire_read_failure(server.wire, ECONNRESET), WIRE_PEER_CLOSED);
    assert_string_equal(wire_read_failure(server.wire, EIO), "i/o error");
    close_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_pass_whatever_the_pieces),
        cmocka_unit_test(what_was_pulled_stays_until_it_is_written),
        cmocka_unit_test(a_wrong_certificate_is_named_on_both_ends),
        cmocka_unit_test(what_is_not_http2_is_said),
        cmocka_unit_test(a_mute_wire_still_listens),
        cmocka_unit_test(an_orderly_end_is_not_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
