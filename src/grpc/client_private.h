/*
 * Shared by the parts of the client: client.c (connecting and closing), client_wire.c (the socket and which thread reads it),
 * client_call.c (calls). One lock guards the connection and all its calls; the functions here must be called with the lock held
 * unless they say otherwise.
 */
#pragma once

#include "grpc/client.h"
#include "grpc/wire.h"

#include <stdatomic.h>

enum { CLIENT_WHY = 256 };

/* A thread that waits for something that only input from the peer can bring. The struct is on that thread's stack. */
struct call_waiter {
    pthread_cond_t *changed;
    struct call_waiter *prev, *next;
};

struct grpc_client {
    struct loop *loop;
    struct log *log;
    struct tls_context *tls_context;
    char *address; /* the path or HOST:PORT, NUL-terminated */
    enum grpc_network network;
    int64_t ping_after, ping_patience;

    pthread_mutex_t lock;
    pthread_cond_t idle;
    size_t n_calls;
    bool ready;           /* the peer's HTTP/2 settings have arrived */
    char why[CLIENT_WHY]; /* why the connection was lost */
    atomic_bool lost;     /* set once, under the lock */

    int fd;
    struct wire *wire;
    struct conn *conn; /* the wire's */
    char *in;          /* room for WIRE_IN bytes */

    /* Who reads the socket: one of the waiters, nobody, or (while no caller waits) the loop. */
    const pthread_cond_t *reader; /* identifies the waiter that reads; NULL: none */
    int nudge;                    /* an eventfd that interrupts the reader's poll */
    struct call_waiter *waiters;  /* the other waiters, which could read instead */
    unsigned n_turns;             /* how often waiters have read */
    bool heard;                   /* something arrived since the last tick */

    /* Used by the loop: */
    uv_poll_t poll;
    uv_timer_t tick;
    int n_open;
    unsigned n_turns_seen;
    int64_t silence; /* how long the peer has been silent while a call waits */
    bool pinged;
    struct completion unwatched;
    bool watched; /* guarded by the lock: the loop reads, or is about to */
};

/* The core's events: those of the connection are in client.c, those of calls in client_call.c. */
extern const struct conn_events client_events;
void client_settings_received(void *ctx);

/* Marks the connection as lost: calls in flight end with GRPC_UNAVAILABLE, and no new ones can start. The first reason is
 * kept. */
void client_lose(struct grpc_client *client, const char *why);
/* Writes the core's output, as much as the socket accepts. */
void client_write(struct grpc_client *client);
/*
 * Waits until `changed` is signalled or input has arrived; the caller then checks its own condition. False when the deadline has
 * passed.
 */
bool client_wait(struct grpc_client *client, pthread_cond_t *changed, int64_t deadline);
/* Wakes the waiter of `changed`, whether it sleeps or reads the socket. */
void client_wake(struct grpc_client *client, pthread_cond_t *changed);
/* Called after the last client_wait() of a caller: another waiter or the loop may have to read now. */
void client_leave(struct grpc_client *client);

/* Let the loop read the socket while no caller does; and stop that for good. Must be called without the lock. */
void client_watch_start(struct grpc_client *client);
void client_watch_end(struct grpc_client *client);
