/* What server.c (listening, connections), server_call.c (calls) and server_threads.c (where handlers run) share. */
#pragma once

#include "grpc/server.h"
#include "grpc/transport.h"

#include <stdatomic.h>

struct connection;

/* Threads that run handlers: as many as calls run at once, kept until the end. */
struct call_threads {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct grpc_call *head, *tail; /* each has an idle thread reserved */
    size_t n_idle;                 /* waiting and not reserved */
    pthread_t *threads;
    size_t n_threads, cap;
    bool ending;
};

void call_threads_init(struct call_threads *t);
/* When no call is left: ends the threads. */
void call_threads_done(struct call_threads *t);
/* Runs the call's handler on a thread; false when the machine has no thread to give. */
bool call_threads_run(struct call_threads *t, struct grpc_call *call);

struct grpc_server {
    struct grpc_server_options options;
    struct tls_context *tls;
    struct arena *arena; /* of `address` */
    struct grpc_address address;
    struct call_threads threads;

    /* The loop's. */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } listener;
    struct connection *connections;
    bool stopping;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* monotonic */
    size_t n_open;          /* connections and the listener; guarded by lock */
    size_t n_running;       /* calls; guarded by lock */
};

/* One peer. The loop's thread only. Lives until its transport is closed and its handlers have returned. */
struct connection {
    struct grpc_server *server;
    struct transport *transport; /* NULL once closed */
    struct connection *prev, *next;
    struct grpc_call *fresh; /* began in the current piece of input; they start when it is worked off */
    size_t n_calls;          /* handlers, also of calls that have ended for the peer */
};

/* One call. Made on the loop's thread, given to a handler's, given back and freed on the loop's. */
struct grpc_call {
    struct grpc_call *next; /* in `fresh`, then in the queue of threads */
    struct connection *connection;
    struct grpc_server *server;

    /* The loop's. */
    struct conn_call *call; /* NULL once it has ended */

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

/* Begins the calls that the last input brought. */
void connection_start_calls(struct connection *c);
/* The memory of a connection that is closed, once its last call is done. */
void connection_free_if_done(struct connection *c);
void server_count_open(struct grpc_server *server, int change);
void server_count_running(struct grpc_server *server, int change);

/* Runs the handler and gives the call back to the loop. */
void call_run(struct grpc_call *call);
