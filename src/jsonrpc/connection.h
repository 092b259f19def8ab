/*
 * One peer: lines from it become requests, answers go back. Private to this folder; server.h tells the rules.
 *
 * A connection is held by its reader and by each of its requests; with the last of them it ends. Requests in flight stand in a
 * list, so that `$/cancel` finds them. Locks, in this order: a connection's `lock`, then the server's. `writing` is taken alone.
 */
#pragma once

#include "jsonrpc/server.h"

#include <stdatomic.h>

struct workers;

struct server {
    struct rpc_server_options options;
    struct workers *workers;
    int stop_fd;  /* readable from the stop on, for everybody */
    int ended_fd; /* counts connections that ended */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by the lock. */
    size_t pending, pending_bytes; /* requests that wait or run */
    size_t n_connections, n_readers;
    struct connection *connections; /* a list */
    int output_error;               /* errno of a failed write to a stream; 0: none */
    atomic_bool stopping;
};

void server_init(struct server *s, const struct rpc_server_options *options);
/* Finishes all requests. */
void server_done(struct server *s);
/* No more input is read, and every request is cancelled. From any thread, more than once. */
void server_stop(struct server *s);

struct request {
    struct rpc_request rpc;
    struct request *prev, *next;
    size_t bytes; /* counted in pending_bytes */
};

struct connection {
    struct server *server;
    int in, out;
    bool is_socket; /* then both are one descriptor, non-blocking, and the connection's own */
    struct connection *prev, *next;
    atomic_size_t holders;
    pthread_mutex_t lock;
    struct request requests; /* a ring; the neighbours of this one are in flight */
    pthread_mutex_t writing;
    bool broken; /* nothing can be delivered any more; guarded by `writing` */
};

/* Held once, by the caller. */
struct connection *connection_new(struct server *s, int in, int out, bool is_socket);
void connection_release(struct connection *c);
/* Until the end of the input or the stop. 0, or the errno of a failed read. */
int connection_read(struct connection *c);
/* One line, under the lock; false when it cannot be delivered. */
bool connection_send(struct connection *c, struct str line);
