#include "grpc/testing_conn.h"

enum { EVERYTHING = 512 << 20, SHOWN = 40, SAID_KEPT = 1 << 20 };

static void on_settings(void *ctx)
{
    struct testing_side *s = ctx;
    buf_addz(&s->log, "settings\n");
}

static void on_call(void *ctx, struct conn_call *call)
{
    struct testing_side *s = ctx;
    s->call = call;
    conn_call_set_user(call, s);
    buf_printf(&s->log, "call " STR_FMT "\n", STR_ARG(conn_call_method(call)));
}

static void on_message(void *user, struct message *message)
{
    struct testing_side *s = user;
    size_t shown = message->n < SHOWN ? message->n : 0;
    buf_printf(&s->log, "message %zu%s%.*s\n", message->n, shown > 0 ? " " : "", (int)shown, shown > 0 ? message->p : "");
    s->n_messages++;
    if (s->keep)
        message_push(&s->got, message);
    else
        message_free(message);
}

static void on_half_close(void *user)
{
    struct testing_side *s = user;
    buf_addz(&s->log, "half-close\n");
}

static void on_sent(void *user, size_t bytes)
{
    struct testing_side *s = user;
    buf_printf(&s->log, "sent %zu\n", bytes);
}

static void on_end(void *user, enum grpc_status status, struct str message)
{
    struct testing_side *s = user;
    buf_printf(&s->log, "end %s%s" STR_FMT "\n", grpc_status_name(status), message.n > 0 ? " " : "", STR_ARG(message));
}

static const struct conn_events events = {
    .on_settings = on_settings,
    .on_call = on_call,
    .on_message = on_message,
    .on_half_close = on_half_close,
    .on_sent = on_sent,
    .on_end = on_end,
};

void testing_side_init_with(struct testing_side *s, bool server, size_t max_message, size_t max_calls)
{
    *s = (struct testing_side){.log = BUF_INIT(16 << 20), .out = BUF_INIT(EVERYTHING), .said = BUF_INIT(EVERYTHING)};
    s->conn = conn_new(&(struct conn_options){
        .server = server,
        .max_message = max_message,
        .max_calls = max_calls,
        .events = &events,
        .ctx = s,
    });
}

void testing_side_init(struct testing_side *s, bool server)
{
    testing_side_init_with(s, server, TESTING_MAX_MESSAGE, 100);
}

void testing_side_done(struct testing_side *s)
{
    conn_free(s->conn);
    message_free_all(s->got.head);
    buf_free(&s->log);
    buf_free(&s->out);
    buf_free(&s->said);
}

void testing_hear(struct testing_side *s, struct str bytes)
{
    if (!s->broken && !conn_receive(s->conn, bytes))
        s->broken = true;
}

void testing_speak(struct testing_side *s)
{
    size_t before = s->out.n;
    (void)conn_pump(s->conn, &s->out, before + (64 << 10));
    if (s->said.n < SAID_KEPT)
        buf_add(&s->said, str_slice(buf_str(&s->out), before, s->out.n));
}

size_t testing_carry(struct testing_side *from, struct testing_side *to, size_t piece)
{
    testing_speak(from);
    struct str rest = buf_str(&from->out);
    size_t n = rest.n;
    while (rest.n > 0) {
        testing_hear(to, str_slice(rest, 0, piece));
        rest = str_slice(rest, piece, rest.n);
    }
    buf_clear(&from->out);
    return n;
}

void testing_settle(struct testing_side *a, struct testing_side *b, size_t piece)
{
    while (testing_carry(a, b, piece) + testing_carry(b, a, piece) > 0)
        ;
}
