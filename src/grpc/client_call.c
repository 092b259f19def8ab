/*
 * Calls of a client. A call belongs to its owner; the core refers to it until the call ends. All its members are guarded by the
 * client's lock.
 *
 * A small message is copied for sending; a large one is sent from the owner's memory, and the owner waits until it is written.
 * Received messages wait in `received`; when it holds more than RECEIVED_MAX, the peer gets no credit until some are taken. A
 * listener is called by a task on the loop (`informing`), without the lock, so that it does not delay the thread that reads the
 * socket.
 */
#include "base/lock.h"
#include "base/must.h"
#include "grpc/client_private.h"

#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COPIED_MAX = 64 << 10,  /* a larger message is sent from the owner's memory */
    UNSENT_MAX = 1 << 20,   /* queued for sending before the sender waits */
    RECEIVED_MAX = 1 << 20, /* queued for the receiver before the peer waits */
};

struct grpc_stream {
    struct grpc_client *client;
    int64_t deadline;
    struct cancel *cancel;
    struct cancel_watch watch;
    bool unary;
    struct grpc_listener listener; /* on_message NULL: no listener */
    bool informing;                /* the loop calls the listener now or soon */
    bool informed_of_end;

    pthread_cond_t changed;
    struct conn_call *call; /* NULL once ended */
    struct message_queue received;
    bool paused;   /* the peer gets no credit */
    bool discards; /* the owner does not want more messages */
    size_t unsent;
    bool send_closed;
    bool ended;
    enum grpc_status status;
    char *message; /* from malloc(); NULL: empty */
};

static void lock(struct grpc_stream *s)
{
    mutex_lock(&s->client->lock);
}

static void unlock(struct grpc_stream *s)
{
    mutex_unlock(&s->client->lock);
}

/* ---- with the lock held ---- */

static void inform_on_loop(void *arg);

static void inform_listener(struct grpc_stream *s)
{
    if (!s->listener.on_message || s->informing)
        return;
    s->informing = true;
    loop_post(s->client->loop, inform_on_loop, s);
}

/* The call has ended, for whatever reason. */
static void ended(struct grpc_stream *s, enum grpc_status status, struct str message)
{
    s->call = NULL;
    s->ended = true;
    s->status = status;
    s->message = message.n > 0 ? must(strndup(message.p, message.n)) : NULL;
    inform_listener(s);
    client_wake(s->client, &s->changed);
}

static void give_up(struct grpc_stream *s, enum grpc_status status, struct str message)
{
    if (s->ended)
        return;
    conn_reset(s->call, NGHTTP2_CANCEL);
    ended(s, status, message);
}

static void wait_for_change(struct grpc_stream *s)
{
    if (client_wait(s->client, &s->changed, s->deadline) || s->ended)
        return;
    give_up(s, GRPC_DEADLINE_EXCEEDED, STR("the deadline has passed"));
    client_write(s->client);
}

/* A unary caller waits for the end of the call, so it is not woken for the message; a second message is an error. */
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
    if (s->discards)
        message_free(message);
    else
        message_push(&s->received, message);
    if (!s->paused && s->received.weight > RECEIVED_MAX) {
        s->paused = true;
        conn_pause(s->call, true);
    }
    inform_listener(s);
    client_wake(s->client, &s->changed);
}

static void on_sent(void *user, size_t bytes)
{
    struct grpc_stream *s = user;
    if (s->unary)
        return;
    s->unsent -= bytes;
    client_wake(s->client, &s->changed);
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

static void start(struct grpc_stream *s, struct str method)
{
    struct grpc_client *client = s->client;
    int64_t left = s->deadline == NO_DEADLINE ? 0 : s->deadline - clock_now(&system_clock);
    if (s->deadline != NO_DEADLINE && left <= 0) {
        ended(s, GRPC_DEADLINE_EXCEEDED, STR("the deadline has passed"));
        return;
    }
    s->call = client->lost ? NULL : conn_open(client->conn, method, left, s);
    if (!s->call) {
        client_lose(client, "the peer accepts no more calls");
        ended(s, GRPC_UNAVAILABLE, str_of(client->why));
    }
}

/* Gives the peer credit again when at most half of RECEIVED_MAX is left in the queue of received messages. */
static void resume(struct grpc_stream *s)
{
    if (!s->paused || s->ended || s->received.weight > RECEIVED_MAX / 2)
        return;
    s->paused = false;
    conn_pause(s->call, false);
    client_write(s->client);
}

/* Waits for the result and returns it. */
static struct grpc_result result_of(struct grpc_stream *s, struct arena *a)
{
    while (!s->ended)
        wait_for_change(s);
    client_leave(s->client);
    return (struct grpc_result){s->status, arena_str(a, str_of(s->message))};
}

/* ---- the listener, on the loop's thread ---- */

/* Passes the received messages, and the end, to the listener. Called with the lock held, which is released while the listener
 * runs. */
static void inform(struct grpc_stream *s)
{
    struct message *message;
    while ((message = message_pop(&s->received))) {
        resume(s);
        unlock(s);
        s->listener.on_message(s->listener.ctx, (struct str){message->p, message->n});
        message_free(message);
        lock(s);
    }
    if (!s->ended || s->informed_of_end)
        return;
    s->informed_of_end = true;
    unlock(s);
    s->listener.on_end(s->listener.ctx);
    lock(s);
}

static void inform_on_loop(void *arg)
{
    struct grpc_stream *s = arg;
    lock(s);
    inform(s);
    s->informing = false;
    cond_broadcast(&s->changed);
    unlock(s); /* from here on its owner may free it */
}

/* Ends the call and waits until the listener's on_end has returned. */
static void dismiss_listener(struct grpc_stream *s)
{
    lock(s);
    give_up(s, GRPC_CANCELLED, STR("the call was cancelled"));
    client_write(s->client);
    while (s->informing)
        (void)cond_wait(&s->changed, &s->client->lock, NO_DEADLINE);
    unlock(s);
}

/* ---- from other threads ---- */

static void fire_cancel(void *arg)
{
    struct grpc_stream *s = arg;
    lock(s);
    give_up(s, GRPC_CANCELLED, STR("the call was cancelled"));
    client_write(s->client);
    unlock(s);
}

/* Returns with the lock held. */
static void open_call(struct grpc_stream *s, struct grpc_client *client, struct str method,
                      const struct grpc_call_options *options)
{
    assert(!loop_is_current(client->loop));
    /* No thread waits on a call with a listener, so none could enforce a deadline. */
    assert(!options || !options->listener || options->deadline == NO_DEADLINE);
    s->client = client;
    if (options) {
        s->deadline = options->deadline;
        s->cancel = options->cancel;
        if (options->listener)
            s->listener = *options->listener;
    }
    s->watch = (struct cancel_watch){.fn = fire_cancel, .arg = s};
    cond_init(&s->changed);
    lock(s);
    client->n_calls++;
    start(s, method);
}

/* Called without the lock. */
static void close_call(struct grpc_stream *s)
{
    struct grpc_client *client = s->client;
    cancel_unwatch(s->cancel, &s->watch);
    lock(s);
    bool running = !s->ended;
    give_up(s, GRPC_CANCELLED, STR("the call was cancelled"));
    if (running)
        client_write(client);
    client_leave(client);
    message_free_all(s->received.head);
    free(s->message);
    cond_destroy(&s->changed);
    if (--client->n_calls == 0)
        cond_broadcast(&client->idle);
    mutex_unlock(&client->lock);
}

struct grpc_result grpc_client_unary(struct grpc_client *client, struct arena *a, struct str method, struct str request,
                                     const struct grpc_call_options *options, struct str *ret_response)
{
    if (request.n > UINT32_MAX)
        return (struct grpc_result){GRPC_RESOURCE_EXHAUSTED, STR("the message is too large to be sent")};
    struct grpc_stream call = {.unary = true}, *s = &call;
    open_call(s, client, method, options);
    if (!s->ended) {
        conn_send(s->call, request, NULL);
        conn_close_send(s->call);
        client_write(client);
    }
    if (s->cancel) {
        unlock(s);
        cancel_watch(s->cancel, &s->watch);
        lock(s);
    }
    struct grpc_result result = result_of(s, a);
    struct message *answer = result.status == GRPC_OK ? message_pop(&s->received) : NULL;
    unlock(s);
    close_call(s);
    if (result.status == GRPC_OK && !answer)
        return (struct grpc_result){GRPC_INTERNAL, STR("the server sent no message")};
    if (answer)
        *ret_response = message_into(answer, a);
    return result;
}

struct grpc_stream *grpc_stream_open(struct grpc_client *client, struct str method, const struct grpc_call_options *options)
{
    struct grpc_stream *s = must(calloc(1, sizeof *s));
    open_call(s, client, method, options);
    client_write(client);
    unlock(s);
    cancel_watch(s->cancel, &s->watch);
    return s;
}

/* The core frees a copy when it is sent. */
static void queue(struct grpc_stream *s, struct str message, bool copied)
{
    char *copy = copied ? must(malloc(message.n > 0 ? message.n : 1)) : NULL;
    if (copied && message.n > 0)
        memcpy(copy, message.p, message.n);
    s->unsent += message.n;
    conn_send(s->call, copied ? (struct str){copy, message.n} : message, copy);
    client_write(s->client);
}

bool grpc_stream_send(struct grpc_stream *s, struct str message)
{
    if (message.n > UINT32_MAX)
        return false;
    bool copied = message.n <= COPIED_MAX;
    lock(s);
    while (!s->ended && s->unsent > UNSENT_MAX)
        wait_for_change(s);
    bool sent = !s->ended && !s->send_closed;
    if (sent)
        queue(s, message, copied);
    /* The core reads from the caller's memory: wait until it has, or will not. */
    while (sent && !copied && !s->ended && s->unsent > 0)
        wait_for_change(s);
    sent = sent && (copied || s->unsent == 0);
    client_leave(s->client);
    unlock(s);
    return sent;
}

void grpc_stream_close_send(struct grpc_stream *s)
{
    lock(s);
    s->send_closed = true;
    if (!s->ended) {
        conn_close_send(s->call);
        client_write(s->client);
    }
    unlock(s);
}

bool grpc_stream_recv(struct grpc_stream *s, struct arena *a, struct str *ret_message)
{
    lock(s);
    while (!s->received.head && !s->ended)
        wait_for_change(s);
    struct message *message = message_pop(&s->received);
    resume(s);
    client_leave(s->client);
    unlock(s);
    if (!message)
        return false;
    *ret_message = message_into(message, a);
    return true;
}

struct grpc_result grpc_stream_result(struct grpc_stream *s, struct arena *a)
{
    /* Unread messages must not stop the peer from ending the call. */
    lock(s);
    s->discards = true;
    message_free_all(s->received.head);
    s->received = (struct message_queue){0};
    resume(s);
    struct grpc_result result = result_of(s, a);
    unlock(s);
    return result;
}

void grpc_stream_free(struct grpc_stream *s)
{
    if (!s)
        return;
    if (s->listener.on_message)
        dismiss_listener(s);
    close_call(s);
    free(s);
}
