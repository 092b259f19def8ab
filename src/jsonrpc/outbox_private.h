/*
 * What goes out to one peer: lines wait in a queue, and one thread, the connection's writer, writes them. Nobody else waits for a
 * peer that does not read. Private to this folder.
 *
 * With RPC_UNSENT_PAUSE bytes in the queue it counts as full: who can wait for room should (reading, notifications), and what
 * has not begun does not begin. Past RPC_MAX_UNSENT it is over: the peer of a socket is given up. On streams there is nobody
 * else to serve, so who adds a line waits instead, for as long as the reader likes.
 */
#pragma once

#include "base/buf.h"
#include "base/clock.h"

#include <pthread.h>

struct outbox_line;

struct rpc_outbox {
    int fd;
    int stop_fd;         /* readable: the server stops, and a reader gets OUTBOX_END_PATIENCE more */
    int64_t patience_ns; /* for a reader that takes nothing; 0: any time */
    bool is_socket;      /* written to without ever blocking */
    size_t piece;        /* bytes that can be written without blocking when poll() says so */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by the lock. */
    struct outbox_line *first, *last;
    size_t unsent; /* bytes of memory that the queue takes */
    bool waits;    /* who adds a line past the bound waits */
    bool stopping, ending;
    int error; /* errno: nothing can be delivered any more */
};

#define OUTBOX_END_PATIENCE (2 * NS_PER_S)

/* `streams`: a pipe, a file, a terminal; else a socket. */
void rpc_outbox_init(struct rpc_outbox *o, int fd, int stop_fd, bool streams, int64_t patience_ns);
void rpc_outbox_done(struct rpc_outbox *o);

/* Takes the line's memory. False when it cannot be delivered. */
bool rpc_outbox_add(struct rpc_outbox *o, struct buf *line);
bool rpc_outbox_is_full(struct rpc_outbox *o);
/* Until there is room again, or nothing is delivered any more. */
void rpc_outbox_wait(struct rpc_outbox *o);
/* Is it over? */
bool rpc_outbox_has_failed(struct rpc_outbox *o);
/* The server stops: nobody waits for room any more. */
void rpc_outbox_stop(struct rpc_outbox *o);
/* No line will be added; rpc_outbox_run() returns when all are written. */
void rpc_outbox_end(struct rpc_outbox *o);

struct rpc_outbox_events {
    void (*on_sent)(void *ctx);              /* after each line: there may be room again */
    void (*on_failed)(void *ctx, int error); /* once; later lines are thrown away */
    void *ctx;
};
/* The writer's work. */
void rpc_outbox_run(struct rpc_outbox *o, const struct rpc_outbox_events *events);
