/*
 * Calls of a server: the core's events run on the loop's thread, the handler's functions on a worker thread.
 *
 * A call goes loop -> handler -> loop and is freed there, so no reference counting is needed. Members that both use are guarded
 * by the call's lock. Sending works as in the client: small messages are copied, a large one is sent from the handler's memory
 * while the handler waits.
 */
#include "base/lock.h"
#include "base/must.h"
#include "grpc/server_private.h"

#include <assert.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COPIED_MAX = 64 << 10,
    UNSENT_MAX = 1 << 20,
    RECEIVED_MAX = 1 << 20,
    /* Handlers of calls that the peer has cancelled may still run; they count until they return. */
    HANDLERS_PER_CALL = 2,
};

static void lock(struct grpc_call *call)
{
    mutex_lock(&call->lock);
}

static void unlock(struct grpc_call *call)
{
    mutex_unlock(&call->lock);
}

static void wait_for_change(struct grpc_call *call)
{
    (void)cond_wait(&call->changed, &call->lock, NO_DEADLINE);
}

/* ---- on the loop's thread ---- */

static struct grpc_call *call_new(struct server_peer *c, struct conn_call *conn_call)
{
    struct str method = conn_call_method(conn_call);
    struct grpc_call *call = must(calloc(1, sizeof *call + method.n));
    call->peer = c;
    call->server = c->server;
    call->call = conn_call;
    memcpy(call->method_text, method.p, method.n);
    call->method = (struct str){call->method_text, method.n};
    mutex_init(&call->lock);
    cond_init(&call->changed);
    return call;
}

/* ---- deadlines ---- */

static void expect_deadline(struct grpc_server *server, int64_t at)
{
    if (at >= server->next_deadline)
        return;
    server->next_deadline = at;
    loop_timer_set(server->deadlines, at);
}

static void limit_call(struct grpc_call *call, int64_t timeout)
{
    struct grpc_server *server = call->server;
    int64_t now = clock_now(&system_clock);
    if (timeout == 0 || timeout > INT64_MAX - now)
        return;
    call->deadline = now + timeout;
    call->next_limited = server->limited;
    if (call->next_limited)
        call->next_limited->prev_limited = call;
    server->limited = call;
    expect_deadline(server, call->deadline);
}

static void unlimit_call(struct grpc_call *call)
{
    if (call->deadline == NO_DEADLINE)
        return;
    if (call->prev_limited)
        call->prev_limited->next_limited = call->next_limited;
    else
        call->server->limited = call->next_limited;
    if (call->next_limited)
        call->next_limited->prev_limited = call->prev_limited;
}

void server_end_late_calls(void *arg)
{
    struct grpc_server *server = arg;
    int64_t now = clock_now(&system_clock);
    server->next_deadline = INT64_MAX;
    for (struct grpc_call *call = server->limited; call; call = call->next_limited) {
        if (!call->call)
            continue; /* skip: its handler has not returned yet */
        if (call->deadline > now) {
            expect_deadline(server, call->deadline);
            continue;
        }
        conn_call_fail(call->call, GRPC_DEADLINE_EXCEEDED, "the deadline has passed");
        transport_wake(call->peer->transport);
    }
}

/* ---- events ---- */

static void call_free(struct grpc_call *call)
{
    message_free_all(call->received.head);
    free(call->message);
    cond_destroy(&call->changed);
    mutex_destroy(&call->lock);
    free(call);
}

static void on_settings(void *ctx)
{
    (void)ctx;
}

static void on_call(void *ctx, struct conn_call *conn_call)
{
    struct server_peer *c = ctx;
    struct grpc_server *server = c->server;
    if (server->stopping || c->n_calls >= HANDLERS_PER_CALL * server->options.max_calls) {
        conn_reset(conn_call, NGHTTP2_REFUSED_STREAM);
        return;
    }
    struct grpc_call *call = call_new(c, conn_call);
    limit_call(call, conn_call_timeout(conn_call));
    conn_call_set_user(conn_call, call);
    c->n_calls++;
    server_count_running(server, 1);
    call->next = c->fresh;
    c->fresh = call;
}

static void finish(struct grpc_call *call)
{
    if (!call->call)
        return;
    conn_finish(call->call, call->status, str_of(call->message));
    call->call = NULL;
    transport_wake(call->peer->transport);
}

/* The handler has returned: the last event of a call. */
static void done_on_loop(void *arg)
{
    struct grpc_call *call = arg;
    struct server_peer *c = call->peer;
    struct grpc_server *server = call->server;
    finish(call);
    unlimit_call(call);
    call_free(call);
    c->n_calls--;
    peer_free_if_done(c);
    server_count_running(server, -1); /* from here on the server may be freed */
}

/* Runs on its own thread: a handler may block as long as it likes without delaying other calls. */
static void run_handler(void *arg)
{
    struct grpc_call *call = arg;
    struct grpc_server *server = call->server;
    call->arena = arena_new(NULL, 0);
    server->options.handler(server->options.ctx, call);
    arena_free(call->arena);
    loop_post(server->options.loop, done_on_loop, call);
}

void peer_start_calls(struct server_peer *c)
{
    /* The list is newest first; calls start in order of arrival. */
    struct grpc_call *in_order = NULL;
    while (c->fresh) {
        struct grpc_call *call = c->fresh;
        c->fresh = call->next;
        call->next = in_order;
        in_order = call;
    }
    while (in_order) {
        struct grpc_call *call = in_order;
        in_order = call->next;
        if (!workers_try(c->server->workers, run_handler, call)) {
            call->status = GRPC_RESOURCE_EXHAUSTED;
            call->message = must(strdup("the server has no thread for this call"));
            done_on_loop(call);
        }
    }
}

static void on_message(void *user, struct message *message)
{
    struct grpc_call *call = user;
    lock(call);
    message_push(&call->received, message);
    bool pause = !call->paused && call->received.weight > RECEIVED_MAX;
    call->paused = call->paused || pause;
    cond_broadcast(&call->changed);
    unlock(call);
    if (pause)
        conn_pause(call->call, true);
}

static void on_half_close(void *user)
{
    struct grpc_call *call = user;
    lock(call);
    call->no_more = true;
    cond_broadcast(&call->changed);
    unlock(call);
}

static void on_sent(void *user, size_t bytes)
{
    struct grpc_call *call = user;
    lock(call);
    call->unsent -= bytes;
    cond_broadcast(&call->changed);
    unlock(call);
}

static void on_end(void *user, enum grpc_status status, struct str message)
{
    (void)status;
    (void)message;
    struct grpc_call *call = user;
    call->call = NULL;
    lock(call);
    atomic_store(&call->cancelled, true);
    cond_broadcast(&call->changed);
    unlock(call);
}

const struct conn_events server_events = {
    .on_settings = on_settings,
    .on_call = on_call,
    .on_message = on_message,
    .on_half_close = on_half_close,
    .on_sent = on_sent,
    .on_end = on_end,
};

struct parcel {
    struct grpc_call *call;
    struct str message;
    char copy[];
};

static void send_on_loop(void *arg)
{
    struct parcel *parcel = arg;
    struct grpc_call *call = parcel->call;
    if (!call->call) {
        free(parcel);
        return;
    }
    conn_send(call->call, parcel->message, parcel); /* frees the parcel when it is sent */
    transport_wake(call->peer->transport);
}

static void resume_on_loop(void *arg)
{
    struct grpc_call *call = arg;
    lock(call);
    bool paused = call->paused = call->received.weight > RECEIVED_MAX;
    unlock(call);
    if (!call->call)
        return;
    conn_pause(call->call, paused);
    transport_wake(call->peer->transport);
}

static void finish_on_loop(void *arg)
{
    finish(arg);
}

/* ---- on the handler's thread ---- */

struct str grpc_call_method(const struct grpc_call *call)
{
    return call->method;
}

struct arena *grpc_call_arena(struct grpc_call *call)
{
    return call->arena;
}

bool grpc_call_cancelled(const struct grpc_call *call)
{
    return atomic_load(&call->cancelled);
}

bool grpc_call_recv(struct grpc_call *call, struct str *ret_message)
{
    lock(call);
    while (!call->received.head && !call->no_more && !grpc_call_cancelled(call))
        wait_for_change(call);
    struct message *message = grpc_call_cancelled(call) ? NULL : message_pop(&call->received);
    bool resume = message && call->paused && call->received.weight <= RECEIVED_MAX / 2;
    unlock(call);
    if (resume)
        loop_post(call->server->options.loop, resume_on_loop, call);
    if (!message)
        return false;
    *ret_message = message_into(message, call->arena);
    return true;
}

bool grpc_call_send(struct grpc_call *call, struct str message)
{
    if (call->finished || message.n > UINT32_MAX)
        return false;
    bool copied = message.n <= COPIED_MAX;
    lock(call);
    while (!grpc_call_cancelled(call) && call->unsent > UNSENT_MAX)
        wait_for_change(call);
    call->unsent += message.n;
    unlock(call);
    if (grpc_call_cancelled(call))
        return false;

    struct parcel *parcel = must(malloc(sizeof *parcel + (copied ? message.n : 0)));
    *parcel = (struct parcel){.call = call, .message = message};
    if (copied) {
        memcpy(parcel->copy, message.p, message.n);
        parcel->message.p = parcel->copy;
    }
    loop_post(call->server->options.loop, send_on_loop, parcel);
    if (copied)
        return true;

    lock(call);
    while (!grpc_call_cancelled(call) && call->unsent > 0)
        wait_for_change(call);
    bool sent = call->unsent == 0;
    unlock(call);
    return sent;
}

void grpc_call_hold(struct grpc_call *call)
{
    lock(call);
    while (!grpc_call_cancelled(call))
        wait_for_change(call);
    unlock(call);
}

void grpc_call_finish(struct grpc_call *call, enum grpc_status status, struct str message)
{
    assert(!call->finished);
    call->finished = true;
    call->status = status;
    call->message = message.n > 0 ? must(strndup(message.p, message.n)) : NULL;
    loop_post(call->server->options.loop, finish_on_loop, call);
}
