/*
 * What the parts of the client share: client.c (connecting, the end), client_wire.c (the socket and who reads it), client_call.c
 * (calls). One lock guards the connection and all its calls; functions here want it held unless they say otherwise.
 */
#pragma once

#include "grpc/client.h"
#include "grpc/wire.h"

#include <stdatomic.h>

enum { CLIENT_WHY = 256 };

/* A thread that waits for something that only input can bring; it lies on that thread's stack. */
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
    bool ready;           /* the peer's HTTP/2 settings are here */
    char why[CLIENT_WHY]; /* the connection was lost */
    atomic_bool lost;     /* set once, under the lock */

    int fd;
    struct wire *wire;
    struct conn *conn; /* the wire's */
    char *in;          /* room for WIRE_IN bytes */

    /* Who reads: one of the waiters, or nobody, or (while nobody needs it soon) the loop. */
    const pthread_cond_t *reader; /* whose wait it is; NULL: none */
    int nudge;                    /* an eventfd: the reader is to look up */
    struct call_waiter *waiters;  /* the others that could read */
    unsigned n_turns;             /* that waiters have read */
    bool heard;                   /* something, since the last tick */

    /* The loop's: */
    uv_poll_t poll;
    uv_timer_t tick;
    int n_open;
    unsigned n_turns_seen;
    int64_t silence; /* of the peer, while somebody waits */
    bool pinged;
    struct completion unwatched;
    bool watched; /* under the lock: the loop reads, or is about to */
};

/* Events of the core: the connection's in client.c, the calls' in client_call.c. */
extern const struct conn_events client_events;
void client_settings_received(void *ctx);

/* No more calls: those in flight end with GRPC_UNAVAILABLE. The first reason is kept. */
void client_lose(struct grpc_client *client, const char *why);
/* Writes what the core has to say, as far as the socket takes it. */
void client_write(struct grpc_client *client);
/*
 * Waits until `changed` was signalled or something has arrived; the caller looks then whether it is what it wants. False: the
 * deadline has passed.
 */
bool client_wait(struct grpc_client *client, pthread_cond_t *changed, int64_t deadline);
/* Signals `changed`, whether its waiter sleeps or reads. */
void client_wake(struct grpc_client *client, pthread_cond_t *changed);
/* After the last client_wait(): somebody else may have to read now. */
void client_leave(struct grpc_client *client);

/* The loop begins to read while nobody else does; and ends it for good. Without the lock. */
void client_watch_start(struct grpc_client *client);
void client_watch_end(struct grpc_client *client);
