/*
 * The output queue of a connection. Lines wait in it until one thread, the connection's writer, writes them, so that no other
 * thread has to wait for a peer that does not read. Private to this folder.
 *
 * A queue with RPC_UNSENT_PAUSE bytes counts as full: reading input and sending notifications wait for room, and requests that
 * have not begun do not begin. A socket's connection with more than RPC_MAX_UNSENT bytes is given up. On streams there is no
 * other peer to serve, so adding a line waits instead, without a time limit.
 */
#pragma once

#include "base/buf.h"
#include "base/clock.h"

#include <pthread.h>

struct outbox_line;

struct rpc_outbox {
    int fd;
    int stop_fd;         /* readable: the server is stopping, and the peer gets OUTBOX_END_PATIENCE more to read */
    int64_t patience_ns; /* how long to wait for a peer that reads nothing; 0: forever */
    bool is_socket;      /* never blocks in a write */
    size_t piece;        /* bytes that can be written without blocking after poll() reports POLLOUT */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by the lock. */
    struct outbox_line *first, *last;
    size_t unsent; /* bytes of memory in the queue */
    bool waits;    /* adding a line past the limit waits */
    bool stopping, ending;
    int error; /* errno: nothing more can be delivered */
};

#define OUTBOX_END_PATIENCE (2 * NS_PER_S)

/* `streams`: a pipe, a file, a terminal; else a socket. */
void rpc_outbox_init(struct rpc_outbox *o, int fd, int stop_fd, bool streams, int64_t patience_ns);
void rpc_outbox_done(struct rpc_outbox *o);

/* Takes over the line's memory. False when it cannot be delivered. */
bool rpc_outbox_add(struct rpc_outbox *o, struct buf *line);
bool rpc_outbox_is_full(struct rpc_outbox *o);
/* Waits until there is room again, or nothing more can be delivered. */
void rpc_outbox_wait(struct rpc_outbox *o);
/* Has delivery failed, so that nothing more will be written? */
bool rpc_outbox_has_failed(struct rpc_outbox *o);
/* The server is stopping: wakes all threads that wait for room. */
void rpc_outbox_stop(struct rpc_outbox *o);
/* No more lines will be added; rpc_outbox_run() returns when all are written. */
void rpc_outbox_end(struct rpc_outbox *o);

struct rpc_outbox_events {
    void (*on_sent)(void *ctx);              /* after each line, when there may be room again */
    void (*on_failed)(void *ctx, int error); /* once; later lines are thrown away */
    void *ctx;
};
/* The writer thread's loop. */
void rpc_outbox_run(struct rpc_outbox *o, const struct rpc_outbox_events *events);
