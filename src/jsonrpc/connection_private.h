/*
 * One connection: lines from the peer become requests, answers go back. Private to this folder; server.h has the rules.
 *
 * A connection is reference-counted: its reader and each of its requests hold it. Requests in flight are in a list, so that
 * `$/cancel` finds them. After the last release the writer sends what is left in the queue (outbox_private.h) and frees the
 * connection.
 *
 * A request that a worker takes up while the peer has not read earlier answers is parked, and submitted again when the queue has
 * room.
 *
 * Locks, in this order: a connection's `lock`, its outbox's, the server's.
 */
#pragma once

#include "jsonrpc/outbox_private.h"
#include "jsonrpc/server.h"

#include <stdatomic.h>

struct workers;

struct rpc_server {
    struct rpc_server_options options;
    struct workers *workers;
    int stop_fd;  /* readable once the server is stopping */
    int ended_fd; /* counts connections that ended */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by the lock. */
    size_t pending, pending_bytes; /* requests that are waiting or running */
    size_t n_connections, n_readers;
    size_t n_waiting;                   /* workers that are waiting for a peer to read */
    struct rpc_connection *connections; /* a list */
    int output_error;                   /* errno of a failed write to a stream; 0: none */
    atomic_bool stopping;
};

/* Stops reading input, and cancels every request. From any thread; may be called more than once. */
void rpc_server_stop(struct rpc_server *s);

struct rpc_job {
    struct rpc_request rpc;
    struct rpc_job *prev, *next;
    struct rpc_job *next_parked;
    size_t bytes; /* counted in pending_bytes */
};

struct rpc_connection {
    struct rpc_server *server;
    int in;
    bool is_socket; /* then the output is the same descriptor, which is non-blocking and owned by the connection */
    struct rpc_connection *prev, *next;
    atomic_size_t holders;
    pthread_mutex_t lock;
    struct rpc_job requests;              /* head of a ring of the requests in flight */
    struct rpc_job *parked, **parked_end; /* in order of arrival */
    size_t pending, pending_bytes;        /* like the server's; guarded by its lock */
    int64_t last_heard;                   /* time of the last read; guarded by the server's lock */
    struct rpc_outbox outbox;
};

/* The caller holds it once. NULL: no thread could be started. */
struct rpc_connection *rpc_connection_new(struct rpc_server *s, int in, int out, bool is_socket);
void rpc_connection_release(struct rpc_connection *c);
/* Reads until the end of the input or until the server stops. 0, or the errno of a failed read. */
int rpc_connection_read(struct rpc_connection *c);
/* The server is stopping: cancels the requests, and wakes all threads that wait for the peer. */
void rpc_connection_stop(struct rpc_connection *c);
