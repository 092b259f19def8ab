#include "jsonrpc/server.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WORKERS = 4, LIMIT = 1 << 29, BIG = 1 << 20 };

/* A handler with a method for each situation. */
struct world {
    struct completion gate; /* what "wait" waits for */
    atomic_int waiting;
    atomic_int big; /* answers of BIG bytes that were made */
};

static void on_cancel(void *arg)
{
    completion_signal(arg);
}

/* Runs until it is cancelled, like a call to a provider. */
static bool hang(struct world *world, struct rpc_request *r)
{
    struct completion done;
    struct cancel_watch watch = {.fn = on_cancel, .arg = &done};
    completion_init(&done);
    atomic_fetch_add(&world->waiting, 1);
    cancel_watch(r->cancel, &watch);
    (void)completion_wait(&done, NO_DEADLINE);
    cancel_unwatch(r->cancel, &watch);
    completion_destroy(&done);
    return rpc_fail(r, RPC_CANCELLED, "cancelled");
}

static bool write_twice(void *ctx, struct json_writer *w)
{
    json_begin_array(w);
    json_write(w, ctx);
    json_write(w, ctx);
    json_end_array(w);
    return true;
}

static bool write_big(void *ctx, struct json_writer *w)
{
    char *text = malloc(BIG);
    assert_non_null(text);
    memset(text, 'x', BIG);
    json_write_string(w, (struct str){text, BIG});
    free(text);
    atomic_fetch_add((atomic_int *)ctx, 1);
    return true;
}

/* Sends notifications as long as they are delivered. */
static bool flood(struct world *world, struct rpc_request *r)
{
    while (rpc_notify(r, STR("noted"), write_big, &world->big))
        ;
    return rpc_fail(r, RPC_CANCELLED, "nobody listens");
}

static bool handle(void *ctx, struct rpc_request *r, struct json_writer *w)
{
    struct world *world = ctx;
    struct str method = r->message.method;
    if (str_eqz(method, "hang"))
        return hang(world, r);
    if (str_eqz(method, "big"))
        return write_big(&world->big, w);
    if (str_eqz(method, "flood"))
        return flood(world, r);
    if (str_eqz(method, "wait"))
        (void)completion_wait(&world->gate, NO_DEADLINE);
    if (str_eqz(method, "open"))
        completion_signal(&world->gate);
    if (str_eqz(method, "notify"))
        (void)rpc_notify(r, STR("noted"), write_twice, (void *)(uintptr_t)r->message.params);
    if (str_eqz(method, "fail")) {
        json_begin_array(w); /* half a result is forgotten */
        return rpc_fail(r, RPC_WRONG_PARAMS, "%s: no", "member");
    }
    if (str_eqz(method, "deep"))
        for (int i = 0; i < JSON_MAX_DEPTH; i++)
            json_begin_array(w);
    else
        json_write(w, r->message.params);
    return true;
}

/* A server on pipes, in a thread of its own. */
struct peer {
    struct arena *arena;
    struct diags diags;
    struct world world;
    struct rpc_server_options options;
    int in, out; /* our ends */
    int server_in, server_out;
    const char *socket;
    pthread_t thread;
    bool ok;
    struct buf received;
};

static void *serve(void *arg)
{
    struct peer *p = arg;
    p->ok = p->socket ? rpc_serve_socket(&p->options, p->socket, &p->diags)
                      : rpc_serve_streams(&p->options, p->server_in, p->server_out, &p->diags);
    if (!p->socket) {
        (void)close(p->server_in);
        (void)close(p->server_out);
    }
    return NULL;
}

static void peer_prepare(struct peer *p)
{
    *p = (struct peer){.arena = arena_new(NULL, 0), .received = BUF_INIT(LIMIT)};
    diags_init(&p->diags, p->arena);
    completion_init(&p->world.gate);
    p->options = (struct rpc_server_options){.cancel = cancel_new(), .workers = WORKERS, .handle = handle, .ctx = &p->world};
}

static void peer_start(struct peer *p)
{
    int to[2], from[2];
    peer_prepare(p);
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    p->server_in = to[0];
    p->out = to[1];
    p->in = from[0];
    p->server_out = from[1];
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
}

static void send_text(int fd, const char *text)
{
    for (struct str s = str_of(text); s.n > 0;) {
        ssize_t n = write(fd, s.p, s.n);
        assert_true(n > 0);
        s = str_slice(s, (size_t)n, s.n);
    }
}

/* More input; false at the end. */
static bool receive(struct buf *b, int fd)
{
    char *room = buf_room(b, 65536);
    assert_non_null(room);
    ssize_t n = read(fd, room, 65536);
    assert_true(n >= 0);
    buf_grew(b, (size_t)n);
    return n > 0;
}

/* The next line, without its end. */
static struct str next_line(struct peer *p, int fd)
{
    size_t end;
    while ((end = str_find(buf_str(&p->received), '\n', 0)) == SIZE_MAX)
        assert_true(receive(&p->received, fd));
    struct str line = arena_str(p->arena, str_slice(buf_str(&p->received), 0, end));
    buf_consume(&p->received, end + 1);
    return line;
}

static void expect_line(struct peer *p, const char *line)
{
    assert_string_equal(next_line(p, p->in).p, line);
}

/* All that is left, sorted by lines. */
static struct str rest(struct peer *p)
{
    while (receive(&p->received, p->in))
        ;
    struct str *lines = arena_make_n(p->arena, struct str, p->received.n);
    size_t n = 0;
    for (struct str left = buf_copy(&p->received, p->arena); left.n > 0;)
        lines[n++] = str_cut(&left, '\n');
    if (n > 0)
        qsort(lines, n, sizeof *lines, str_cmp_qsort);
    buf_clear(&p->received);
    for (size_t i = 0; i < n; i++) {
        buf_add(&p->received, lines[i]);
        buf_addc(&p->received, '\n');
    }
    return buf_copy(&p->received, p->arena);
}

static void peer_free(struct peer *p)
{
    cancel_free(p->options.cancel);
    completion_destroy(&p->world.gate);
    buf_free(&p->received);
    arena_free(p->arena);
}

static void peer_end(struct peer *p)
{
    (void)close(p->out);
    (void)pthread_join(p->thread, NULL);
    (void)close(p->in);
    peer_free(p);
}

static void wait_for_hanging(struct peer *p, int n)
{
    while (atomic_load(&p->world.waiting) < n)
        (void)sched_yield();
}

#define REQUEST(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}\n"
#define CANCEL(id) "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\",\"params\":{\"id\":" id "}}\n"

static void requests_are_answered(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    send_text(p.out, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u00e4\",\"method\":\"echo\",\"params\":{\"a\":[1.50,null]}}\n");
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\xa4\",\"result\":{\"a\":[1.50,null]}}");
    send_text(p.out, REQUEST("1e2", "fail"));
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"id\":1e2,\"error\":{\"code\":-32602,\"message\":\"member: no\"}}");
    send_text(p.out, "\n \r\n" REQUEST("null", "notify"));
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"method\":\"noted\",\"params\":[{},{}]}");
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}");
    send_text(p.out, REQUEST("2", "deep"));
    assert_true(str_starts(next_line(&p, p.in), STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603")));
    peer_end(&p);
}

static void bad_lines_do_not_end_it(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    send_text(p.out, "garbage\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\"unasked\"}\n" REQUEST("1", "echo"));
    assert_true(str_starts(next_line(&p, p.in), STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,")));
    assert_true(str_starts(next_line(&p, p.in), STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,")));
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    peer_end(&p);
}

static void a_line_without_end_is_refused(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    char *piece = malloc((1 << 20) + 1);
    memset(piece, ' ', 1 << 20);
    piece[1 << 20] = '\0';
    for (int i = 0; i < 65; i++)
        send_text(p.out, piece);
    free(piece);
    expect_line(&p,
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"the line is longer than 64 MiB\"}}");
    send_text(p.out, "\n" REQUEST("1", "echo"));
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    peer_end(&p);
}

static void answers_overtake_each_other(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    send_text(p.out, REQUEST("1", "wait") REQUEST("2", "echo"));
    expect_line(&p, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    send_text(p.out, REQUEST("3", "open"));
    assert_true(next_line(&p, p.in).n > 0);
    assert_true(next_line(&p, p.in).n > 0);
    peer_end(&p);
}

static void cancelling_ends_a_request(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    /* More requests than workers: the last one is cancelled while it waits for a worker, and never runs. */
    send_text(p.out, REQUEST("1", "hang") REQUEST("2", "hang") REQUEST("3", "hang") REQUEST("\"1\"", "hang"));
    wait_for_hanging(&p, WORKERS);
    send_text(p.out,
              REQUEST("5", "hang") CANCEL("5") CANCEL("77") "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\"}\n" CANCEL("1.0"));
    assert_true(str_starts(next_line(&p, p.in), STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002")));
    assert_true(str_starts(next_line(&p, p.in), STR("{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32002")));
    send_text(p.out, CANCEL("\"1\""));
    assert_true(str_starts(next_line(&p, p.in), STR("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"error\":{\"code\":-32002")));
    send_text(p.out, CANCEL("2") CANCEL("3"));
    assert_int_equal(atomic_load(&p.world.waiting), WORKERS);
    peer_end(&p);
}

static void at_the_end_of_input_all_is_finished(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    for (int i = 0; i < 1000; i++) {
        char line[100];
        (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"echo\"}%s", i + 1000, i < 999 ? "\n" : "");
        send_text(p.out, line);
    }
    (void)close(p.out);
    struct str all = rest(&p);
    (void)pthread_join(p.thread, NULL);
    assert_true(p.ok);
    for (int i = 0; i < 1000; i++) {
        char line[100];
        (void)snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}", i + 1000);
        assert_true(str_eqz(str_cut(&all, '\n'), line));
    }
    assert_int_equal(all.n, 0);
    (void)close(p.in);
    peer_free(&p);
}

static void cancelling_the_server_cancels_all(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    send_text(p.out, REQUEST("1", "hang") REQUEST("2", "hang"));
    wait_for_hanging(&p, 2);
    cancel_fire(p.options.cancel);
    struct str all = rest(&p);
    assert_true(str_starts(all, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002")));
    (void)pthread_join(p.thread, NULL);
    assert_true(p.ok);
    (void)close(p.out);
    (void)close(p.in);
    peer_free(&p);
}

static void a_reader_that_went_away_ends_it(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    send_text(p.out, REQUEST("1", "hang"));
    wait_for_hanging(&p, 1);
    (void)close(p.in);
    send_text(p.out, REQUEST("2", "echo"));
    (void)pthread_join(p.thread, NULL);
    assert_false(p.ok);
    assert_int_equal(p.diags.n, 0);
    (void)close(p.out);
    peer_free(&p);
}

/* A socket */

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    /* The server is about to listen. */
    while (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        (void)sched_yield();
    return fd;
}

static void connections_are_apart(void **state)
{
    (void)state;
    struct peer p;
    char folder[] = "/tmp/jsonrpc_XXXXXX";
    assert_non_null(mkdtemp(folder));
    peer_prepare(&p);
    p.socket = arena_printf(p.arena, "%s/socket", folder).p;
    assert_int_equal(pthread_create(&p.thread, NULL, serve, &p), 0);
    int one = connect_to(p.socket), two = connect_to(p.socket);
    /* The same id on both: a cancellation counts for one of them. */
    send_text(one, REQUEST("1", "hang"));
    send_text(two, REQUEST("1", "hang"));
    wait_for_hanging(&p, 2);
    send_text(two, CANCEL("1") REQUEST("2", "echo"));
    struct str first = next_line(&p, two), second = next_line(&p, two);
    bool in_order = str_starts(first, STR("{\"jsonrpc\":\"2.0\",\"id\":1,"));
    assert_true(str_starts(in_order ? first : second, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002")));
    assert_true(str_eqz(in_order ? second : first, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"));
    /* A peer that has ended its input still gets its answers, and then the end. */
    send_text(one, CANCEL("1"));
    assert_int_equal(shutdown(one, SHUT_WR), 0);
    assert_true(str_starts(next_line(&p, one), STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\"")));
    assert_false(receive(&p.received, one));
    /* A peer that disconnects does not affect others. */
    int three = connect_to(p.socket);
    send_text(three, REQUEST("1", "wait"));
    (void)close(three);
    send_text(two, REQUEST("3", "open"));
    assert_true(next_line(&p, two).n > 0);
    cancel_fire(p.options.cancel);
    (void)pthread_join(p.thread, NULL);
    assert_true(p.ok);
    (void)close(one);
    (void)close(two);
    assert_int_equal(access(p.socket, F_OK), -1);
    assert_int_equal(rmdir(folder), 0);
    peer_free(&p);
}

static void too_many_connections_wait(void **state)
{
    (void)state;
    struct peer p;
    char folder[] = "/tmp/jsonrpc_XXXXXX";
    assert_non_null(mkdtemp(folder));
    peer_prepare(&p);
    p.socket = arena_printf(p.arena, "%s/socket", folder).p;
    assert_int_equal(pthread_create(&p.thread, NULL, serve, &p), 0);
    int fds[RPC_MAX_CONNECTIONS + 1];
    for (int i = 0; i <= RPC_MAX_CONNECTIONS; i++) {
        fds[i] = connect_to(p.socket);
        send_text(fds[i], REQUEST("1", "echo"));
    }
    for (int i = 0; i < RPC_MAX_CONNECTIONS; i++)
        assert_true(next_line(&p, fds[i]).n > 0);
    (void)close(fds[0]);
    assert_true(next_line(&p, fds[RPC_MAX_CONNECTIONS]).n > 0);
    for (int i = 1; i <= RPC_MAX_CONNECTIONS; i++)
        (void)close(fds[i]);
    cancel_fire(p.options.cancel);
    (void)pthread_join(p.thread, NULL);
    assert_int_equal(rmdir(folder), 0);
    peer_free(&p);
}

/* Peers that do not read */

static void start_socket(struct peer *p, char *folder)
{
    assert_non_null(mkdtemp(folder));
    p->socket = arena_printf(p->arena, "%s/socket", folder).p;
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
}

static void end_socket(struct peer *p, const char *folder)
{
    cancel_fire(p->options.cancel);
    (void)pthread_join(p->thread, NULL);
    assert_true(p->ok);
    assert_int_equal(rmdir(folder), 0);
    peer_free(p);
}

static void one_that_does_not_read_blocks_nobody(void **state)
{
    (void)state;
    enum { N = 40 };
    struct peer p;
    char folder[] = "/tmp/jsonrpc_XXXXXX";
    peer_prepare(&p);
    start_socket(&p, folder);
    int slow = connect_to(p.socket), other = connect_to(p.socket);
    for (int i = 0; i < N; i++)
        send_text(slow, REQUEST("1", "big"));
    /* First all workers are busy, then only those that may wait for this peer are waiting. */
    while (atomic_load(&p.world.big) < WORKERS)
        (void)sched_yield();
    for (int i = 0; i < 100; i++) {
        send_text(other, REQUEST("2", "echo"));
        assert_true(str_eqz(next_line(&p, other), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"));
    }
    /* It was only slow: it still gets everything. */
    for (int i = 0; i < N; i++)
        assert_true(next_line(&p, slow).n > BIG);
    (void)close(slow);
    (void)close(other);
    end_socket(&p, folder);
}

/* A log whose lines can be waited for. */
struct heard {
    int ends[2];
    struct log *log;
    struct buf text;
};

static void hear(struct heard *h, struct peer *p)
{
    *h = (struct heard){.text = BUF_INIT(LIMIT)};
    assert_int_equal(pipe2(h->ends, O_CLOEXEC), 0);
    h->log = p->options.log = log_new(h->ends[1], LOG_WARN, LOG_TEXT, &system_clock);
}

static void wait_to_hear(struct heard *h, const char *text)
{
    while (h->text.n == 0 || !memmem(h->text.p, h->text.n, text, strlen(text)))
        assert_true(receive(&h->text, h->ends[0]));
}

static void heard_end(struct heard *h)
{
    log_free(h->log);
    (void)close(h->ends[0]);
    (void)close(h->ends[1]);
    buf_free(&h->text);
}

static size_t rest_of(int fd)
{
    size_t all = 0;
    static char bytes[1 << 16];
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
        all += (size_t)n;
    return all;
}

static void one_that_takes_nothing_is_cut_off(void **state)
{
    (void)state;
    enum { N = 8 };
    struct peer p;
    struct heard h;
    char folder[] = "/tmp/jsonrpc_XXXXXX";
    peer_prepare(&p);
    hear(&h, &p);
    p.options.patience_ns = NS_PER_MS;
    start_socket(&p, folder);
    int slow = connect_to(p.socket);
    for (int i = 0; i < N; i++)
        send_text(slow, REQUEST("1", "big"));
    wait_to_hear(&h, "the client does not read its answers");
    assert_true(rest_of(slow) < (size_t)N * BIG);
    (void)close(slow);
    end_socket(&p, folder);
    heard_end(&h);
}

static void one_for_whom_too_much_waits_is_cut_off(void **state)
{
    (void)state;
    struct peer p;
    struct heard h;
    char folder[] = "/tmp/jsonrpc_XXXXXX";
    peer_prepare(&p);
    hear(&h, &p);
    p.options.workers = 1; /* a quarter of one worker may wait for a peer, which is none, so the queue exceeds its limit */
    start_socket(&p, folder);
    int slow = connect_to(p.socket), other = connect_to(p.socket);
    send_text(slow, REQUEST("1", "flood"));
    send_text(other, REQUEST("2", "echo"));
    assert_true(next_line(&p, other).n > 0);
    wait_to_hear(&h, "the client does not read its answers");
    assert_true(rest_of(slow) < RPC_MAX_UNSENT);
    assert_in_range(atomic_load(&p.world.big), 1, (int)(RPC_MAX_UNSENT / BIG) + 3);
    (void)close(slow);
    (void)close(other);
    end_socket(&p, folder);
    heard_end(&h);
}

struct sender {
    int fd, n;
};

static void *send_many(void *arg)
{
    const struct sender *s = arg;
    for (int i = 0; i < s->n; i++)
        send_text(s->fd, REQUEST("1", "big"));
    return NULL;
}

/* On streams the peer is not cut off, but no more answers are made than fit in the queue. */
static void a_stream_that_is_read_slowly_keeps_memory_small(void **state)
{
    (void)state;
    enum { N = 100, AHEAD = (int)(RPC_UNSENT_PAUSE / BIG) + WORKERS + 2 };
    struct peer p;
    pthread_t thread;
    peer_start(&p);
    struct sender sender = {.fd = p.out, .n = N};
    assert_int_equal(pthread_create(&thread, NULL, send_many, &sender), 0);
    for (int i = 0; i < N; i++) {
        assert_in_range(atomic_load(&p.world.big), 0, i + AHEAD);
        assert_true(next_line(&p, p.in).n > BIG);
    }
    (void)pthread_join(thread, NULL);
    peer_end(&p);
}

/* A reader that stopped does not keep the server from ending. */
static void a_stream_that_nobody_reads_can_be_stopped(void **state)
{
    (void)state;
    struct peer p;
    peer_start(&p);
    for (int i = 0; i < WORKERS; i++)
        send_text(p.out, REQUEST("1", "big"));
    while (atomic_load(&p.world.big) < WORKERS)
        (void)sched_yield();
    cancel_fire(p.options.cancel);
    (void)pthread_join(p.thread, NULL);
    assert_false(p.ok);
    (void)close(p.in);
    (void)close(p.out);
    peer_free(&p);
}

static void the_most_silent_makes_room(void **state)
{
    (void)state;
    struct peer p;
    struct heard h;
    char folder[] = "/tmp/jsonrpc_XXXXXX";
    peer_prepare(&p);
    hear(&h, &p);
    p.options.idle_ns = 1;
    start_socket(&p, folder);
    int fds[RPC_MAX_CONNECTIONS + 1];
    for (int i = 0; i < RPC_MAX_CONNECTIONS; i++) {
        fds[i] = connect_to(p.socket);
        /* The first connection is busy all the time, so the second one is closed. */
        send_text(fds[i], i == 0 ? REQUEST("1", "hang") : REQUEST("1", "echo"));
        if (i > 0)
            assert_true(next_line(&p, fds[i]).n > 0);
    }
    fds[RPC_MAX_CONNECTIONS] = connect_to(p.socket);
    send_text(fds[RPC_MAX_CONNECTIONS], REQUEST("1", "echo"));
    assert_true(next_line(&p, fds[RPC_MAX_CONNECTIONS]).n > 0);
    wait_to_hear(&h, "to make room for another");
    assert_int_equal(rest_of(fds[1]), 0);
    send_text(fds[2], REQUEST("1", "echo"));
    assert_true(next_line(&p, fds[2]).n > 0);
    for (int i = 0; i <= RPC_MAX_CONNECTIONS; i++)
        (void)close(fds[i]);
    end_socket(&p, folder);
    heard_end(&h);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(bad_lines_do_not_end_it),
        cmocka_unit_test(a_line_without_end_is_refused),
        cmocka_unit_test(answers_overtake_each_other),
        cmocka_unit_test(cancelling_ends_a_request),
        cmocka_unit_test(at_the_end_of_input_all_is_finished),
        cmocka_unit_test(cancelling_the_server_cancels_all),
        cmocka_unit_test(a_reader_that_went_away_ends_it),
        cmocka_unit_test(connections_are_apart),
        cmocka_unit_test(too_many_connections_wait),
        cmocka_unit_test(one_that_does_not_read_blocks_nobody),
        cmocka_unit_test(one_that_takes_nothing_is_cut_off),
        cmocka_unit_test(one_for_whom_too_much_waits_is_cut_off),
        cmocka_unit_test(a_stream_that_is_read_slowly_keeps_memory_small),
        cmocka_unit_test(a_stream_that_nobody_reads_can_be_stopped),
        cmocka_unit_test(the_most_silent_makes_room),
    };
    return cmocka_run_group_tests_name("jsonrpc/server", tests, NULL, NULL);
}
