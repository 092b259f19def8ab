/* Shared by server.c (listening, connections) and server_call.c (calls). */
#pragma once

#include "grpc/server.h"
#include "grpc/transport.h"
#include "loop/workers.h"

#include <stdatomic.h>

struct server_peer;

struct grpc_server {
    struct grpc_server_options options;
    struct tls_context *tls;
    struct arena *arena; /* of `address` */
    struct grpc_address address;
    struct workers *workers; /* one thread for each running call; threads are kept until the server is freed */

    /* The loop's. */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } listener;
    struct server_peer *peers;
    bool stopping;
    struct grpc_call *limited;    /* those with a deadline */
    struct loop_timer *deadlines; /* fires when the first of these deadlines may have passed: */
    int64_t next_deadline;        /* INT64_MAX: none */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* monotonic */
    size_t n_open;          /* connections plus the listener; guarded by lock */
    size_t n_running;       /* running calls; guarded by lock */
};

/* One connected peer. Used on the loop's thread only. Freed when its transport is closed and its handlers have returned. */
struct server_peer {
    struct grpc_server *server;
    struct transport *transport; /* NULL once closed */
    struct server_peer *prev, *next;
    struct grpc_call *fresh; /* calls that began in the current piece of input; they start when it has been processed */
    size_t n_calls;          /* running handlers, including those whose call has ended for the peer */
};

/* One call. Created on the loop's thread, passed to a handler's thread, then passed back and freed on the loop's thread. */
struct grpc_call {
    struct grpc_call *next; /* in `fresh` */
    struct server_peer *peer;
    struct grpc_server *server;

    /* The loop's. */
    struct conn_call *call; /* NULL once it has ended */
    int64_t deadline;       /* NO_DEADLINE: none */
    struct grpc_call *prev_limited, *next_limited;

    /* The handler's. */
    struct arena *arena;
    bool finished;
    enum grpc_status status; /* read by the loop after the handler has posted the call back */
    char *message;

    atomic_bool cancelled;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct message_queue received;
    bool no_more; /* messages */
    bool paused;
    size_t unsent;

    struct str method;
    char method_text[];
};

extern const struct conn_events server_events;

/* Ends the calls whose deadline has passed; the argument is the struct grpc_server. */
void server_end_late_calls(void *server);
/* Starts the handlers of the calls that began in the last input. */
void peer_start_calls(struct server_peer *c);
/* Frees a closed connection when its last call is done. */
void peer_free_if_done(struct server_peer *c);
void server_count_running(struct grpc_server *server, int change);
