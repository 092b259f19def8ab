/* What server.c (listening, connections) and server_call.c (calls) share. */
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
    struct workers *workers; /* a thread for each call that runs, kept until the end */

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
    struct loop_timer *deadlines; /* calls the loop when the first of them may have passed: */
    int64_t next_deadline;        /* INT64_MAX: none */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* monotonic */
    size_t n_open;          /* connections and the listener; guarded by lock */
    size_t n_running;       /* calls; guarded by lock */
};

/* One peer. The loop's thread only. Lives until its transport is closed and its handlers have returned. */
struct server_peer {
    struct grpc_server *server;
    struct transport *transport; /* NULL once closed */
    struct server_peer *prev, *next;
    struct grpc_call *fresh; /* began in the current piece of input; they start when it is worked off */
    size_t n_calls;          /* handlers, also of calls that have ended for the peer */
};

/* One call. Made on the loop's thread, given to a handler's, given back and freed on the loop's. */
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
    enum grpc_status status; /* read by the loop after it was posted */
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

/* Ends the calls of a server, the argument, whose deadline has passed. */
void server_end_late_calls(void *server);
/* Begins the calls that the last input brought. */
void peer_start_calls(struct server_peer *c);
/* The memory of a connection that is closed, once its last call is done. */
void peer_free_if_done(struct server_peer *c);
void server_count_running(struct grpc_server *server, int change);
