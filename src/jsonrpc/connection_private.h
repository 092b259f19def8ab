/*
 * One peer: lines from it become requests, answers go back. Private to this folder; server.h tells the rules.
 *
 * A connection is held by its reader and by each of its requests; with the last of them it ends. Requests in flight stand in a
 * list, so that `$/cancel` finds them. When all of them are gone, the writer sends what is left in the queue (outbox_private.h)
 * and frees the connection.
 *
 * A request whose turn comes while its peer has not read earlier answers is parked; it gets another turn when there is room.
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
    int stop_fd;  /* readable from the stop on, for everybody */
    int ended_fd; /* counts connections that ended */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by the lock. */
    size_t pending, pending_bytes; /* requests that wait or run */
    size_t n_connections, n_readers;
    size_t n_waiting;                   /* workers that wait for a peer to read */
    struct rpc_connection *connections; /* a list */
    int output_error;                   /* errno of a failed write to a stream; 0: none */
    atomic_bool stopping;
};

/* No more input is read, and every request is cancelled. From any thread, more than once. */
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
    bool is_socket; /* then the output is the same descriptor, non-blocking, and the connection's own */
    struct rpc_connection *prev, *next;
    atomic_size_t holders;
    pthread_mutex_t lock;
    struct rpc_job requests;              /* a ring; the neighbours of this one are in flight */
    struct rpc_job *parked, **parked_end; /* in order of arrival */
    size_t pending, pending_bytes;        /* as the server's; guarded by its lock */
    int64_t last_heard;                   /* when something was read; the same */
    struct rpc_outbox outbox;
};

/* Held once, by the caller. NULL: there is no thread for it. */
struct rpc_connection *rpc_connection_new(struct rpc_server *s, int in, int out, bool is_socket);
void rpc_connection_release(struct rpc_connection *c);
/* Until the end of the input or the stop. 0, or the errno of a failed read. */
int rpc_connection_read(struct rpc_connection *c);
/* The server stops: requests are cancelled, and nobody waits any more. */
void rpc_connection_stop(struct rpc_connection *c);
