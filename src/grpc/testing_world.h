/* A client and a server of the echo service for tests, each on its own loop, connected by a real socket. */
#pragma once

#include "grpc/client.h"
#include "grpc/testing_echo.h"

#include <stdatomic.h>

struct testing_world {
    enum grpc_network network;
    bool tls;
    size_t client_max, server_max; /* messages */
    void (*handler)(void *ctx, struct grpc_call *call);
    int64_t ping_after, ping_patience; /* the client's */

    struct arena *arena;
    struct diags diags;
    char folder[40];
    struct loop *client_loop, *server_loop;
    struct tls_identity *client_identity, *server_identity;
    struct tls_config client_tls, server_tls;
    struct grpc_server *server;
    struct grpc_client *client;
    atomic_int n_cancelled;
};

/* Creates the loops, the identities and a folder for sockets. The options above may be set before or after this call, until the
 * server is started or the client connects. */
void testing_world_init(struct testing_world *w);
/* Address of a unix socket in the folder, or any TCP port. */
struct grpc_address testing_world_address(struct testing_world *w);
/* Both fail the test on errors. */
void testing_world_serve(struct testing_world *w);
void testing_world_connect(struct testing_world *w);
/* Init, serve and connect. */
void testing_world_start(struct testing_world *w, enum grpc_network network, bool tls);
void testing_world_done(struct testing_world *w);

/* Tries to connect; on failure *ret_why is the diagnostic's detail. */
bool testing_world_try(struct testing_world *w, struct grpc_address address, const struct tls_config *tls, int64_t ms,
                       const char **ret_why);

static inline int64_t testing_in_ms(int64_t ms)
{
    return clock_now(&system_clock) + ms * NS_PER_MS;
}
void testing_sleep_ms(int64_t ms);
