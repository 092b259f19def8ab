/* Peers that misbehave, and connections that fail: what the client reports, and that the server survives. */
#include "grpc/testing_conn.h"
#include "grpc/testing_world.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static struct sockaddr_un socket_address(struct grpc_address address)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    memcpy(un.sun_path, address.text.p, address.text.n);
    return un;
}

/* ---- a server written by hand ---- */

enum conduct {
    SILENT,               /* accepts and sends nothing */
    CLOSES,               /* closes immediately */
    TALKS_HTTP1,          /* sends a page */
    CLOSES_WITHIN_ANSWER, /* sends half of a message, then closes */
    RESETS,               /* RST_STREAM instead of an answer */
    SAYS_GOAWAY,          /* lets the first call finish and refuses the second */
    DEAF,                 /* accepts a call, and reads nothing after it */
};

struct impostor {
    enum conduct conduct;
    int listener;
    struct grpc_address address;
    pthread_t thread;
};

static void write_all(int fd, struct buf *out, size_t limit)
{
    size_t n = out->n < limit ? out->n : limit;
    for (size_t done = 0; done < n;) {
        ssize_t written = send(fd, out->p + done, n - done, MSG_NOSIGNAL);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    buf_clear(out);
}

/* Uses a core until the client has made its call; then misbehaves. */
static void serve_badly(struct impostor *im, int fd)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct testing_side side;
    testing_side_init(&side, true);
    static char bytes[65536];
    int n_calls = 0;
    for (ssize_t n; n_calls < 2 && (n = read(fd, bytes, sizeof bytes)) > 0;) {
        testing_hear(&side, (struct str){bytes, (size_t)n});
        struct conn_call *call = side.call;
        side.call = NULL;
        size_t limit = SIZE_MAX;
        if (call) {
            n_calls++;
            if (im->conduct == DEAF) {
                (void)poll(&(struct pollfd){.fd = fd, .events = POLLRDHUP}, 1, 60000); /* until the client gives up */
                break;
            }
            if (im->conduct == RESETS) {
                conn_reset(call, NGHTTP2_INTERNAL_ERROR);
            } else if (im->conduct == SAYS_GOAWAY) {
                conn_shut_down(side.conn);
                conn_send(call, STR("last words"), NULL);
                conn_finish(call, GRPC_OK, STR_EMPTY);
            } else {
                conn_send(call, testing_message(a, 100000), NULL);
                limit = 50000;
            }
        }
        do {
            testing_speak(&side);
            write_all(fd, &side.out, limit);
            testing_speak(&side);
        } while (side.out.n > 0 && limit == SIZE_MAX);
        if (call && im->conduct == CLOSES_WITHIN_ANSWER)
            break;
    }
    testing_side_done(&side);
}

static void *impersonate(void *arg)
{
    struct impostor *im = arg;
    int fd = accept(im->listener, NULL, NULL);
    char byte[4096];
    switch (im->conduct) {
    case SILENT:
        while (read(fd, byte, sizeof byte) > 0)
            ;
        break;
    case CLOSES:
        break;
    case TALKS_HTTP1:
        (void)!read(fd, byte, sizeof byte);
        (void)send(fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, MSG_NOSIGNAL);
        break;
    case CLOSES_WITHIN_ANSWER:
    case RESETS:
    case SAYS_GOAWAY:
    case DEAF:
        serve_badly(im, fd);
        break;
    }
    (void)close(fd);
    return NULL;
}

static void impostor_start(struct impostor *im, struct testing_world *w, enum conduct conduct)
{
    im->conduct = conduct;
    im->address = testing_world_address(w);
    im->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un un = socket_address(im->address);
    assert_int_equal(bind(im->listener, (struct sockaddr *)&un, sizeof un), 0);
    assert_int_equal(listen(im->listener, 5), 0);
    assert_int_equal(pthread_create(&im->thread, NULL, impersonate, im), 0);
}

static void impostor_done(struct impostor *im)
{
    (void)pthread_join(im->thread, NULL);
    (void)close(im->listener);
    (void)unlink(im->address.text.p);
}

static void assert_words(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in: %s", words, text);
}

/* ---- connecting ---- */

static void connecting_to_nothing_says_so(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_init(&w);
    const char *why = "";
    assert_false(testing_world_try(&w, testing_world_address(&w), NULL, 5000, &why));
    assert_words(why, "no such file or directory");
    assert_words(why, w.folder);
    /* Nothing listens on port 1 of this machine. */
    assert_false(testing_world_try(&w, (struct grpc_address){GRPC_TCP, STR("127.0.0.1:1")}, NULL, 5000, &why));
    assert_words(why, "connection refused");
    assert_false(testing_world_try(&w, (struct grpc_address){GRPC_TCP, STR("nonsense")}, NULL, 5000, &why));
    assert_words(why, "HOST:PORT");
    assert_false(testing_world_try(&w, (struct grpc_address){GRPC_UNIX, STR("relative")}, NULL, 5000, &why));
    assert_words(why, "absolute");
    testing_world_done(&w);
}

static void a_server_that_is_silent_or_not_http2_is_described(void **state)
{
    (void)state;
    static const struct {
        enum conduct conduct;
        bool tls;
        const char *words, *more;
    } cases[] = {
        {SILENT, false, "no answer in time", "HTTP/2 settings"},
        {SILENT, true, "no answer in time", "TLS handshake"},
        {CLOSES, false, "closed the connection", ""},
        {CLOSES, true, "TLS handshake", "closed the connection"},
        {TALKS_HTTP1, false, "HTTP/2", ""},
        {TALKS_HTTP1, true, "does not speak TLS", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct testing_world w;
        testing_world_init(&w);
        struct impostor im;
        impostor_start(&im, &w, cases[i].conduct);
        const char *why = "";
        int64_t ms = cases[i].conduct == SILENT ? 100 : 10000;
        assert_false(testing_world_try(&w, im.address, cases[i].tls ? &w.client_tls : NULL, ms, &why));
        assert_words(why, cases[i].words);
        assert_words(why, cases[i].more);
        impostor_done(&im);
        testing_world_done(&w);
    }
}

static void tls_that_does_not_match_is_described(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_init(&w);
    w.tls = true;
    testing_world_serve(&w);
    struct grpc_address address = grpc_server_address(w.server);
    struct tls_identity *other = tls_identity_new(&w.diags);
    const char *why = "";

    struct tls_config expects_another = {w.client_identity, tls_identity_der(other)};
    assert_false(testing_world_try(&w, address, &expects_another, 10000, &why));
    assert_words(why, "the server presented another certificate");

    struct tls_config presents_another = {other, tls_identity_der(w.server_identity)};
    assert_false(testing_world_try(&w, address, &presents_another, 10000, &why));
    assert_words(why, "the server refused our handshake or certificate");

    assert_false(testing_world_try(&w, address, NULL, 10000, &why)); /* clear text to a TLS server */
    assert_true(why[0] != '\0');
    assert_true(testing_world_try(&w, address, &w.client_tls, 10000, &why));
    tls_identity_free(other);
    testing_world_done(&w);

    testing_world_init(&w);
    testing_world_serve(&w);
    assert_false(testing_world_try(&w, grpc_server_address(w.server), &w.client_tls, 10000, &why)); /* and the reverse */
    assert_words(why, "TLS");
    testing_world_done(&w);
}

/* ---- calls ---- */

static struct grpc_result call_impostor(struct testing_world *w, struct arena *a, enum conduct conduct, int n_calls)
{
    struct impostor im;
    impostor_start(&im, w, conduct);
    struct grpc_client *client;
    assert_true(grpc_client_connect(
        &(struct grpc_client_options){
            .loop = w->client_loop,
            .address = im.address,
            .max_message = 1 << 20,
            .connect_deadline = testing_in_ms(10000),
        },
        &w->diags, &client));
    struct grpc_result r = {0};
    struct str response;
    for (int i = 0; i < n_calls; i++)
        r = grpc_client_unary(client, a, STR("/a.B/C"), STR("x"), NULL, &response);
    if (conduct == CLOSES_WITHIN_ANSWER)
        assert_true(grpc_client_is_lost(client));
    grpc_client_free(client);
    impostor_done(&im);
    return r;
}

static void a_peer_that_fails_within_a_call_is_described(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_init(&w);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct grpc_result r = call_impostor(&w, a, CLOSES_WITHIN_ANSWER, 1);
    assert_int_equal(r.status, GRPC_UNAVAILABLE);
    assert_words(r.message.p, "closed the connection");
    r = call_impostor(&w, a, RESETS, 1);
    assert_int_equal(r.status, GRPC_INTERNAL);
    assert_words(r.message.p, "reset the call");
    r = call_impostor(&w, a, SAYS_GOAWAY, 1);
    assert_int_equal(r.status, GRPC_OK);
    r = call_impostor(&w, a, SAYS_GOAWAY, 2);
    assert_int_equal(r.status, GRPC_UNAVAILABLE);
    testing_world_done(&w);
}

/* ---- clients that misbehave ---- */

static int connect_raw(struct grpc_address address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un un = socket_address(address);
    assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof un), 0);
    return fd;
}

static void bad_clients_do_not_disturb_the_others(void **state)
{
    (void)state;
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (int tls = 0; tls < 2; tls++) {
        struct testing_world w;
        testing_world_start(&w, GRPC_UNIX, tls);
        struct grpc_address address = grpc_server_address(w.server);
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct str garbage = testing_message(a, 100000), response;
        int fds[12];
        for (int i = 0; i < 12; i++) {
            fds[i] = connect_raw(address);
            if (i % 4 >= 1)
                (void)send(fds[i], preface, sizeof preface - 1, MSG_NOSIGNAL);
            if (i % 4 >= 2)
                (void)send(fds[i], garbage.p + i, 50000, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (i % 4 == 3)
                (void)close(fds[i]);
            assert_int_equal(grpc_client_unary(w.client, a, STR("/test.Echo/Unary"), STR("x"), NULL, &response).status, GRPC_OK);
        }
        for (int i = 0; i < 12; i++)
            if (i % 4 != 3)
                (void)close(fds[i]);
        assert_int_equal(grpc_client_unary(w.client, a, STR("/test.Echo/Unary"), STR("x"), NULL, &response).status, GRPC_OK);
        testing_world_done(&w);
    }
}

static void too_many_connections_are_turned_away(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct grpc_address address = grpc_server_address(w.server);
    enum { N = 140 }; /* more than the server keeps */
    int fds[N];
    for (int i = 0; i < N; i++)
        fds[i] = connect_raw(address);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    assert_int_equal(grpc_client_unary(w.client, a, STR("/test.Echo/Unary"), STR("x"), NULL, &response).status, GRPC_OK);
    /* The last connection was closed: it does not receive the server's SETTINGS. */
    char byte[100];
    while (read(fds[N - 1], byte, sizeof byte) > 0)
        ;
    for (int i = 0; i < N; i++)
        (void)close(fds[i]);
    const char *why = "";
    int64_t give_up = testing_in_ms(10000);
    while (!testing_world_try(&w, address, NULL, 5000, &why) && clock_now(&system_clock) < give_up)
        testing_sleep_ms(10);
    assert_true(testing_world_try(&w, address, NULL, 5000, &why));
    testing_world_done(&w);
}

/* ---- time ---- */

static void one_that_hangs_is_told_from_one_that_takes_its_time(void **state)
{
    (void)state;
    struct testing_world w = {0};
    testing_world_init(&w);
    w.ping_after = w.ping_patience = NS_PER_S;
    struct impostor im;
    impostor_start(&im, &w, DEAF);
    struct grpc_client *client = NULL;
    const struct grpc_client_options options = {.loop = w.client_loop,
                                                .address = im.address,
                                                .max_message = 1 << 20,
                                                .connect_deadline = testing_in_ms(20000),
                                                .ping_after = w.ping_after,
                                                .ping_patience = w.ping_patience};
    assert_true(grpc_client_connect(&options, &w.diags, &client));
    struct str response;
    struct grpc_result r = grpc_client_unary(client, w.arena, STR("/test.Echo/Unary"), STR("x"), NULL, &response);
    assert_int_equal(r.status, GRPC_UNAVAILABLE);
    assert_words(r.message.p, "not even a PING");
    assert_true(grpc_client_is_lost(client));
    grpc_client_free(client);
    impostor_done(&im);

    /* It answers PINGs, so it may take as long as the caller likes. */
    testing_world_serve(&w);
    testing_world_connect(&w);
    const struct grpc_call_options patient = {.deadline = testing_in_ms(4500)};
    r = grpc_client_unary(w.client, w.arena, STR("/test.Echo/Hold"), STR("x"), &patient, &response);
    assert_int_equal(r.status, GRPC_DEADLINE_EXCEEDED);
    assert_false(grpc_client_is_lost(w.client));
    testing_world_done(&w);
}

/* A client that sends a timeout but does not enforce it itself: makes these calls and waits until they have ended. */
static void call_without_a_watch(struct grpc_address address, const char *const methods[], size_t n, struct testing_side *side)
{
    testing_side_init(side, false);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un un = socket_address(address);
    assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof un), 0);
    for (size_t i = 0; i < n; i++)
        conn_send(conn_open(side->conn, str_of(methods[i]), (int64_t)(40 - 10 * i) * NS_PER_MS, side), STR("x"), NULL);
    static char bytes[65536];
    for (size_t ends = 0; ends < n;) {
        testing_speak(side);
        write_all(fd, &side->out, SIZE_MAX);
        ssize_t got = read(fd, bytes, sizeof bytes);
        assert_true(got > 0);
        testing_hear(side, (struct str){bytes, (size_t)got});
        ends = 0;
        struct str rest = buf_str(&side->log);
        while (rest.n > 0)
            ends += str_starts(str_cut(&rest, '\n'), STR("end "));
    }
    (void)close(fd);
}

static void a_server_keeps_to_the_time_that_a_call_was_given(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_init(&w);
    w.network = GRPC_UNIX;
    testing_world_serve(&w);
    static const char *const methods[] = {"/test.Echo/Hold", "/test.Echo/Hold", "/test.Echo/Collect"};
    struct testing_side side;
    call_without_a_watch(grpc_server_address(w.server), methods, 3, &side);
    struct str rest = buf_str(&side.log);
    for (int ends = 0; ends < 3;) {
        struct str line = str_cut(&rest, '\n');
        if (!str_starts(line, STR("end ")))
            continue;
        assert_true(str_eqz(line, "end DEADLINE_EXCEEDED the deadline has passed"));
        ends++;
    }
    testing_side_done(&side);
    /* The handlers see the cancellation, too: nothing delays the server's shutdown. */
    grpc_server_free(w.server, NO_DEADLINE);
    w.server = NULL;
    assert_int_equal(atomic_load(&w.n_cancelled), 3);
    testing_world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connecting_to_nothing_says_so),
        cmocka_unit_test(a_server_that_is_silent_or_not_http2_is_described),
        cmocka_unit_test(tls_that_does_not_match_is_described),
        cmocka_unit_test(a_peer_that_fails_within_a_call_is_described),
        cmocka_unit_test(bad_clients_do_not_disturb_the_others),
        cmocka_unit_test(too_many_connections_are_turned_away),
        cmocka_unit_test(one_that_hangs_is_told_from_one_that_takes_its_time),
        cmocka_unit_test(a_server_keeps_to_the_time_that_a_call_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
