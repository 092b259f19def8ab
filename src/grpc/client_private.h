/* What client.c (the connection) and client_call.c (calls) share. */
#pragma once

#include "grpc/client.h"
#include "grpc/transport.h"

#include <stdatomic.h>

enum { CLIENT_WHY = 256 };

struct grpc_client {
    struct loop *loop;
    struct log *log;
    struct tls_context *tls;
    char *address; /* the path or HOST:PORT, NUL-terminated */
    enum grpc_network network;

    /* The loop's. */
    struct transport *transport; /* NULL once closed */
    uv_connect_t connect;
    enum { CLIENT_CONNECTING, CLIENT_HANDSHAKING, CLIENT_READY, CLIENT_ENDED } stage;
    struct completion connected; /* or failed */
    struct completion closed;

    pthread_mutex_t lock;
    pthread_cond_t idle;
    size_t n_calls;       /* guarded by lock */
    char why[CLIENT_WHY]; /* written by the loop's thread under the lock: why the connection was lost */
    atomic_bool lost;
};

/* Events of the core: the connection's here, the calls' in client_call.c. */
extern const struct conn_events client_events;
void client_settings_received(void *ctx);

/* No more calls; the first reason is kept. */
void client_set_lost(struct grpc_client *client, const char *why);
/* The loop's thread only, which is the only one that sets it. */
struct str client_why(const struct grpc_client *client);

/* A call's memory begins and ends. */
void client_call_begins(struct grpc_client *client);
void client_call_ends(struct grpc_client *client);
