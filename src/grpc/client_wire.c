/*
 * The client's socket, and which thread reads it.
 *
 * A thread that waits for its response reads the socket itself, so it is woken only once, by the response. If several threads
 * wait, one of them reads for all (`reader`) and wakes those whose responses have arrived; when it leaves, it wakes another one
 * to continue reading. Calls do not go through the loop's thread, because two wake-ups of that thread per call would cost more
 * than the call.
 *
 * When no thread waits, the loop reads the socket (`watched`): the peer sends PINGs, may close the connection, and listeners
 * expect messages. The first waiter that reads stops the loop's watch. The loop checks every TICK_MS and watches again when no
 * thread has read since its last check. For a moment both may read, which is harmless: reading happens under the lock and never
 * blocks.
 */
#include "base/lock.h"
#include "grpc/client_private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TICK_MS = 1000 };

/* ---- output ---- */

static void nudge(struct grpc_client *c)
{
    (void)eventfd_write(c->nudge, 1);
}

static void unwatch_on_loop(void *arg);

/* Stops the loop's watch until a tick finds that no other thread reads. */
static void send_loop_away(struct grpc_client *c)
{
    if (!c->watched)
        return;
    c->watched = false;
    loop_post(c->loop, unwatch_on_loop, c);
}

static bool take_input(struct grpc_client *c);

/* The peer accepts no more output. What it sent before may contain the reason (an alert, a GOAWAY), so the input is read to its
 * end. */
static void stop_writing(struct grpc_client *c)
{
    wire_mute(c->wire);
    while (!c->lost && take_input(c))
        ;
    client_lose(c, WIRE_PEER_CLOSED);
}

void client_write(struct grpc_client *c)
{
    struct str out;
    while ((out = wire_pull(c->wire)).n > 0) {
        ssize_t n = send(c->fd, out.p, out.n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0) {
            wire_pulled(c->wire, (size_t)n);
        } else if (errno == EAGAIN) {
            /* The current reader must also wait until the socket is writable. The loop does that at its next tick. */
            if (c->reader)
                nudge(c);
            else if (!loop_is_current(c->loop))
                send_loop_away(c);
            return;
        } else if (errno != EINTR) {
            stop_writing(c);
        }
    }
    if (!c->lost && wire_is_over(c->wire))
        client_lose(c, wire_reason(c->wire, "the peer has shut down"));
}

void client_lose(struct grpc_client *c, const char *why)
{
    if (c->lost)
        return;
    (void)snprintf(c->why, sizeof c->why, "%s", why);
    if (c->ready)
        log_debug(c->log, "connection lost", LOG_Z("address", c->address), LOG_Z("why", c->why));
    /* Set before the calls end, because their callers must see that the connection is lost. */
    atomic_store(&c->lost, true);
    conn_shut_down(c->conn);
    conn_lose(c->conn, str_of(c->why));
    client_write(c);
    if (c->reader)
        nudge(c);
}

/* ---- input ---- */

/* Reads once; false when there was no input. */
static bool take_input(struct grpc_client *c)
{
    ssize_t n = recv(c->fd, c->in, WIRE_IN, MSG_DONTWAIT);
    if (n > 0) {
        c->heard = true;
        if (!wire_feed(c->wire, (struct str){c->in, (size_t)n}))
            client_lose(c, wire_reason(c->wire, WIRE_PEER_CLOSED));
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    client_lose(c, wire_read_failure(c->wire, n == 0 ? 0 : errno));
    return false;
}

/* ---- waiting ---- */

static struct timespec time_left(int64_t deadline)
{
    int64_t left = deadline - clock_now(&system_clock);
    if (left < 0)
        left = 0;
    return (struct timespec){.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};
}

static void read_turn(struct grpc_client *c, const pthread_cond_t *changed, int64_t deadline)
{
    send_loop_away(c);
    c->n_turns++;
    c->reader = changed;
    struct pollfd fds[] = {{.fd = c->fd, .events = (short)(POLLIN | (wire_is_behind(c->wire) ? POLLOUT : 0))},
                           {.fd = c->nudge, .events = POLLIN}};
    mutex_unlock(&c->lock);
    struct timespec left = deadline == NO_DEADLINE ? (struct timespec){0} : time_left(deadline);
    int n = ppoll(fds, sizeof fds / sizeof fds[0], deadline == NO_DEADLINE ? NULL : &left, NULL);
    mutex_lock(&c->lock);
    c->reader = NULL;
    if (n <= 0)
        return;
    eventfd_t ignored;
    if (fds[1].revents)
        (void)eventfd_read(c->nudge, &ignored);
    if (fds[0].revents && !c->lost)
        (void)take_input(c);
    client_write(c);
}

static void sleep_turn(struct grpc_client *c, pthread_cond_t *changed, int64_t deadline)
{
    struct call_waiter w = {.changed = changed, .next = c->waiters};
    if (w.next)
        w.next->prev = &w;
    c->waiters = &w;
    (void)cond_wait(changed, &c->lock, deadline);
    if (w.next)
        w.next->prev = w.prev;
    if (w.prev)
        w.prev->next = w.next;
    else
        c->waiters = w.next;
}

bool client_wait(struct grpc_client *c, pthread_cond_t *changed, int64_t deadline)
{
    if (c->reader)
        sleep_turn(c, changed, deadline);
    else
        read_turn(c, changed, deadline);
    return deadline == NO_DEADLINE || clock_now(&system_clock) < deadline;
}

void client_wake(struct grpc_client *c, pthread_cond_t *changed)
{
    cond_broadcast(changed);
    if (c->reader == changed)
        nudge(c);
}

void client_leave(struct grpc_client *c)
{
    if (!c->reader && c->waiters)
        cond_broadcast(c->waiters->changed);
}

/* ---- the loop's watch ---- */

static void answer_ping(struct grpc_client *c)
{
    if (conn_has_ping(c->conn))
        conn_answer_ping(c->conn);
}

static void socket_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    struct grpc_client *c = poll->data;
    mutex_lock(&c->lock);
    if (!c->lost)
        (void)take_input(c);
    answer_ping(c);
    client_write(c);
    bool lost = c->lost, more = wire_is_behind(c->wire), watched = c->watched;
    mutex_unlock(&c->lock);
    if (lost)
        (void)uv_poll_stop(poll);
    else if (watched)
        (void)uv_poll_start(poll, UV_READABLE | (more ? UV_WRITABLE : 0), socket_ready);
}

/*
 * Keepalive: finds out whether the peer is dead or only slow. Called once per tick; ticks run only while calls wait, so an idle
 * connection does not wake up for this.
 */
static void listen_for_life(struct grpc_client *c)
{
    bool waits = c->reader && !c->heard && c->ping_after > 0;
    c->heard = false;
    c->pinged = c->pinged && waits;
    c->silence = waits ? c->silence + TICK_MS * NS_PER_MS : 0;
    if (c->silence == 0 || c->silence < (c->pinged ? c->ping_patience : c->ping_after))
        return;
    if (c->pinged) {
        client_lose(c, "the peer has not answered for too long, not even a PING");
        return;
    }
    conn_ping(c->conn);
    c->pinged = true;
    c->silence = 0;
}

/* Checks whether a thread has read since the last tick. A delayed answer to a PING is also sent here (conn_has_ping()). */
static void tick_passed(uv_timer_t *tick)
{
    struct grpc_client *c = tick->data;
    mutex_lock(&c->lock);
    answer_ping(c);
    listen_for_life(c);
    client_write(c);
    bool lost = c->lost, more = wire_is_behind(c->wire), idle = !c->reader && c->n_turns == c->n_turns_seen;
    c->n_turns_seen = c->n_turns;
    c->watched = idle && !lost;
    mutex_unlock(&c->lock);
    if (idle || lost)
        (void)uv_timer_stop(tick);
    if (idle && !lost)
        (void)uv_poll_start(&c->poll, UV_READABLE | (more ? UV_WRITABLE : 0), socket_ready);
}

static void unwatch_on_loop(void *arg)
{
    struct grpc_client *c = arg;
    (void)uv_poll_stop(&c->poll);
    (void)uv_timer_start(&c->tick, tick_passed, TICK_MS, TICK_MS);
}

static void start_on_loop(void *arg)
{
    struct grpc_client *c = arg;
    uv_loop_t *uv = loop_uv(c->loop);
    (void)uv_poll_init(uv, &c->poll, c->fd);
    (void)uv_timer_init(uv, &c->tick);
    c->poll.data = c->tick.data = c;
    c->n_open = 2;
    (void)uv_timer_start(&c->tick, tick_passed, TICK_MS, TICK_MS);
}

static void handle_closed(uv_handle_t *handle)
{
    struct grpc_client *c = handle->data;
    if (--c->n_open == 0)
        completion_signal(&c->unwatched);
}

static void end_on_loop(void *arg)
{
    struct grpc_client *c = arg;
    uv_close((uv_handle_t *)&c->poll, handle_closed);
    uv_close((uv_handle_t *)&c->tick, handle_closed);
}

void client_watch_start(struct grpc_client *c)
{
    loop_call(c->loop, start_on_loop, c);
}

void client_watch_end(struct grpc_client *c)
{
    loop_post(c->loop, end_on_loop, c);
    (void)completion_wait(&c->unwatched, NO_DEADLINE);
}
