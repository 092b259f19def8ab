/*
 * Calls of a client. A call is shared by the thread that made it and the loop's thread:
 *
 * - `call` and `timer` belong to the loop's thread; it drops `call` when the call has ended.
 * - what is below `lock` is guarded by it; `changed` wakes the owner.
 * - memory is counted: the owner, the loop while the call runs, the timer until it is closed, each posted function.
 *
 * What the owner sends is copied when it is small; a large message stays where it is and the owner waits until it is written.
 * What arrives waits in `received`; when more than RECEIVED_MAX lies there the peer gets no credit until some is taken.
 */
#include "grpc/client_private.h"

#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COPIED_MAX = 64 << 10,  /* a larger message is sent from where it lies */
    UNSENT_MAX = 1 << 20,   /* queued for sending before the sender waits */
    RECEIVED_MAX = 1 << 20, /* queued for the receiver before the peer waits */
};

struct grpc_stream {
    struct grpc_client *client;
    atomic_int refs;
    int64_t deadline;
    struct cancel *cancel;
    struct cancel_watch watch;
    struct str method;  /* lives behind this structure */
    struct str request; /* unary: the owner's memory, used until the end */
    bool unary;

    struct conn_call *call;
    uv_timer_t timer;
    bool has_timer;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct message_queue received;
    bool paused;   /* the peer gets no credit */
    bool discards; /* the owner wants no more messages */
    size_t unsent;
    bool send_closed;
    bool ended;
    enum grpc_status status;
    char *message; /* malloc, NULL: empty */
    char method_text[];
};

static void *must(void *p)
{
    if (!p) {
        (void)fputs("terrane: out of memory\n", stderr);
        abort();
    }
    return p;
}

static void lock(struct grpc_stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
}

static void unlock(struct grpc_stream *s)
{
    (void)pthread_mutex_unlock(&s->lock);
}

static void wait_for_change(struct grpc_stream *s)
{
    (void)pthread_cond_wait(&s->changed, &s->lock);
}

static struct grpc_stream *ref(struct grpc_stream *s)
{
    (void)atomic_fetch_add(&s->refs, 1);
    return s;
}

static void unref(struct grpc_stream *s)
{
    if (atomic_fetch_sub(&s->refs, 1) > 1)
        return;
    struct grpc_client *client = s->client;
    message_free_all(s->received.head);
    free(s->message);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
    client_call_ends(client);
}

/* ---- on the loop's thread ---- */

static void timer_closed(uv_handle_t *handle)
{
    unref(handle->data);
}

/* The call has ended, whoever ended it. */
static void ended(struct grpc_stream *s, enum grpc_status status, struct str message)
{
    s->call = NULL;
    if (s->has_timer)
        uv_close((uv_handle_t *)&s->timer, timer_closed);
    lock(s);
    s->ended = true;
    s->status = status;
    s->message = message.n > 0 ? must(strndup(message.p, message.n)) : NULL;
    (void)pthread_cond_broadcast(&s->changed);
    unlock(s);
    unref(s);
}

static void give_up(struct grpc_stream *s, enum grpc_status status, struct str message)
{
    if (!s->call)
        return;
    conn_reset(s->call, NGHTTP2_CANCEL);
    ended(s, status, message);
}

static void deadline_passed(uv_timer_t *timer)
{
    struct grpc_stream *s = timer->data;
    struct grpc_client *client = s->client;
    give_up(s, GRPC_DEADLINE_EXCEEDED, STR("the deadline has passed"));
    if (client->transport)
        transport_flush(client->transport);
}

static void start_timer(struct grpc_stream *s, int64_t left)
{
    uv_loop_t *uv = loop_uv(s->client->loop);
    (void)uv_timer_init(uv, &s->timer);
    s->timer.data = ref(s);
    s->has_timer = true;
    uv_update_time(uv); /* the loop's idea of now may be as old as the round */
    /* Both are cut to milliseconds, now and what is left: two more, so that no call ends before its deadline. */
    (void)uv_timer_start(&s->timer, deadline_passed, (uint64_t)(left / NS_PER_MS + 2), 0);
}

static void start_on_loop(void *arg)
{
    struct grpc_stream *s = arg;
    struct grpc_client *client = s->client;
    int64_t left = s->deadline == NO_DEADLINE ? 0 : s->deadline - clock_now(&system_clock);
    if (left < 0 || (left == 0 && s->deadline != NO_DEADLINE)) {
        ended(s, GRPC_DEADLINE_EXCEEDED, STR("the deadline has passed"));
        return;
    }
    s->call = client->transport ? conn_open(transport_conn(client->transport), s->method, left, s) : NULL;
    if (!s->call) {
        client_set_lost(client, "the peer accepts no more calls");
        ended(s, GRPC_UNAVAILABLE, client_why(client));
        return;
    }
    if (left > 0)
        start_timer(s, left);
    if (s->unary) {
        conn_send(s->call, s->request, NULL);
        conn_close_send(s->call);
    }
    transport_wake(client->transport);
}

static void cancel_on_loop(void *arg)
{
    struct grpc_stream *s = arg;
    struct grpc_client *client = s->client;
    give_up(s, GRPC_CANCELLED, STR("the call was cancelled"));
    if (client->transport)
        transport_wake(client->transport);
    unref(s); /* NOLINT(clang-analyzer-unix.Malloc): this reference is another one than give_up() drops */
}

static void close_send_on_loop(void *arg)
{
    struct grpc_stream *s = arg;
    if (s->call) {
        conn_close_send(s->call);
        transport_wake(s->client->transport);
    }
    unref(s);
}

/* A message on its way to the loop; `copy` holds the bytes when they are small. */
struct parcel {
    struct grpc_stream *s;
    struct str message;
    char copy[];
};

static void send_on_loop(void *arg)
{
    struct parcel *parcel = arg;
    struct grpc_stream *s = parcel->s;
    if (s->call) {
        conn_send(s->call, parcel->message, parcel); /* frees the parcel when it is sent */
        transport_wake(s->client->transport);
    } else {
        free(parcel);
    }
    unref(s);
}

static void resume_on_loop(void *arg)
{
    struct grpc_stream *s = arg;
    lock(s);
    bool paused = s->paused = !s->discards && s->received.weight > RECEIVED_MAX;
    unlock(s);
    if (s->call) {
        conn_pause(s->call, paused);
        transport_wake(s->client->transport);
    }
    unref(s);
}

/* A unary caller waits for the end, so there is nobody to tell, and nothing to take but one message. */
static void on_answer(struct grpc_stream *s, struct message *message)
{
    if (!s->received.head) {
        message_push(&s->received, message);
        return;
    }
    message_free(message);
    give_up(s, GRPC_INTERNAL, STR("the server sent several messages where one was expected"));
}

static void on_message(void *user, struct message *message)
{
    struct grpc_stream *s = user;
    if (s->unary) {
        on_answer(s, message);
        return;
    }
    lock(s);
    if (s->discards)
        message_free(message);
    else
        message_push(&s->received, message);
    bool pause = !s->paused && s->received.weight > RECEIVED_MAX;
    s->paused = s->paused || pause;
    (void)pthread_cond_broadcast(&s->changed);
    unlock(s);
    if (pause)
        conn_pause(s->call, true);
}

static void on_sent(void *user, size_t bytes)
{
    struct grpc_stream *s = user;
    if (s->unary)
        return;
    lock(s);
    s->unsent -= bytes;
    (void)pthread_cond_broadcast(&s->changed);
    unlock(s);
}

static void on_end(void *user, enum grpc_status status, struct str message)
{
    ended(user, status, message);
}

const struct conn_events client_events = {
    .on_settings = client_settings_received,
    .on_message = on_message,
    .on_sent = on_sent,
    .on_end = on_end,
};

/* ---- from other threads ---- */

static void fire_cancel(void *arg)
{
    struct grpc_stream *s = ref(arg);
    loop_post(s->client->loop, cancel_on_loop, s);
}

static struct grpc_stream *open_call(struct grpc_client *client, struct str method, const struct grpc_call_options *options,
                                     const struct str *request)
{
    assert(!loop_is_current(client->loop));
    client_call_begins(client);
    struct grpc_stream *s = must(calloc(1, sizeof *s + method.n));
    s->client = client;
    memcpy(s->method_text, method.p, method.n);
    s->method = (struct str){s->method_text, method.n};
    s->deadline = options ? options->deadline : NO_DEADLINE;
    s->cancel = options ? options->cancel : NULL;
    s->watch = (struct cancel_watch){.fn = fire_cancel, .arg = s};
    s->unary = request != NULL;
    s->request = request ? *request : STR_EMPTY;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    atomic_init(&s->refs, 2); /* the owner and the loop */
    loop_post(client->loop, start_on_loop, s);
    cancel_watch(s->cancel, &s->watch);
    return s;
}

/* The result, once it is known; with the lock held. */
static struct grpc_result result_of(struct grpc_stream *s, struct arena *a)
{
    while (!s->ended)
        wait_for_change(s);
    return (struct grpc_result){s->status, arena_str(a, str_of(s->message))};
}

struct grpc_result grpc_client_unary(struct grpc_client *client, struct arena *a, struct str method, struct str request,
                                     const struct grpc_call_options *options, struct str *ret_response)
{
    if (request.n > UINT32_MAX)
        return (struct grpc_result){GRPC_RESOURCE_EXHAUSTED, STR("the message is too large to be sent")};
    struct grpc_stream *s = open_call(client, method, options, &request);
    lock(s);
    struct grpc_result result = result_of(s, a);
    struct message *answer = result.status == GRPC_OK ? message_pop(&s->received) : NULL;
    unlock(s);
    cancel_unwatch(s->cancel, &s->watch);
    unref(s);
    if (result.status == GRPC_OK && !answer)
        return (struct grpc_result){GRPC_INTERNAL, STR("the server sent no message")};
    if (answer)
        *ret_response = message_into(answer, a);
    return result;
}

struct grpc_stream *grpc_stream_open(struct grpc_client *client, struct str method, const struct grpc_call_options *options)
{
    return open_call(client, method, options, NULL);
}

bool grpc_stream_send(struct grpc_stream *s, struct str message)
{
    if (message.n > UINT32_MAX)
        return false;
    bool copied = message.n <= COPIED_MAX;
    lock(s);
    while (!s->ended && s->unsent > UNSENT_MAX)
        wait_for_change(s);
    bool running = !s->ended && !s->send_closed;
    if (running)
        s->unsent += message.n;
    unlock(s);
    if (!running)
        return false;

    struct parcel *parcel = must(malloc(sizeof *parcel + (copied ? message.n : 0)));
    *parcel = (struct parcel){.s = ref(s), .message = message};
    if (copied) {
        memcpy(parcel->copy, message.p, message.n);
        parcel->message.p = parcel->copy;
    }
    loop_post(s->client->loop, send_on_loop, parcel);
    if (copied)
        return true;

    /* The loop reads from the caller's memory: wait until it has, or will not. */
    lock(s);
    while (!s->ended && s->unsent > 0)
        wait_for_change(s);
    running = s->unsent == 0;
    unlock(s);
    return running;
}

void grpc_stream_close_send(struct grpc_stream *s)
{
    lock(s);
    s->send_closed = true;
    unlock(s);
    loop_post(s->client->loop, close_send_on_loop, ref(s));
}

bool grpc_stream_recv(struct grpc_stream *s, struct arena *a, struct str *ret_message)
{
    lock(s);
    while (!s->received.head && !s->ended)
        wait_for_change(s);
    struct message *message = message_pop(&s->received);
    bool resume = s->paused && !s->ended && s->received.weight <= RECEIVED_MAX / 2;
    unlock(s);
    if (resume)
        loop_post(s->client->loop, resume_on_loop, ref(s));
    if (!message)
        return false;
    *ret_message = message_into(message, a);
    return true;
}

struct grpc_result grpc_stream_result(struct grpc_stream *s, struct arena *a)
{
    /* Messages nobody will take must not keep the peer from ending. */
    lock(s);
    s->discards = true;
    struct message *unread = s->received.head;
    s->received = (struct message_queue){0};
    bool resume = s->paused && !s->ended;
    unlock(s);
    message_free_all(unread);
    if (resume)
        loop_post(s->client->loop, resume_on_loop, ref(s));
    lock(s);
    struct grpc_result result = result_of(s, a);
    unlock(s);
    return result;
}

void grpc_stream_free(struct grpc_stream *s)
{
    if (!s)
        return;
    cancel_unwatch(s->cancel, &s->watch);
    lock(s);
    bool running = !s->ended;
    unlock(s);
    if (running)
        loop_post(s->client->loop, cancel_on_loop, ref(s));
    unref(s);
}
