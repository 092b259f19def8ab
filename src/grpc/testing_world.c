#include "grpc/testing_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { MAX_MESSAGE = 80 << 20, MAX_CALLS = 100, PATIENCE_MS = 20000 };

void testing_sleep_ms(int64_t ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};
    (void)nanosleep(&pause, NULL);
}

void testing_world_init(struct testing_world *w)
{
    *w = (struct testing_world){.handler = testing_echo, .client_max = MAX_MESSAGE, .server_max = MAX_MESSAGE};
    w->arena = arena_new(NULL, 0);
    diags_init(&w->diags, w->arena);
    (void)snprintf(w->folder, sizeof w->folder, "/tmp/terrane-grpc-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->client_loop = loop_new();
    w->server_loop = loop_new();
    w->client_identity = tls_identity_new(&w->diags);
    w->server_identity = tls_identity_new(&w->diags);
    w->client_tls = (struct tls_config){w->client_identity, tls_identity_der(w->server_identity)};
    w->server_tls = (struct tls_config){w->server_identity, tls_identity_der(w->client_identity)};
}

struct grpc_address testing_world_address(struct testing_world *w)
{
    if (w->network == GRPC_TCP)
        return (struct grpc_address){GRPC_TCP, STR("127.0.0.1:0")};
    return (struct grpc_address){GRPC_UNIX, arena_printf(w->arena, "%s/socket", w->folder)};
}

void testing_world_serve(struct testing_world *w)
{
    assert_true(grpc_server_start(
        &(struct grpc_server_options){
            .loop = w->server_loop,
            .address = testing_world_address(w),
            .tls = w->tls ? &w->server_tls : NULL,
            .max_message = w->server_max,
            .max_calls = MAX_CALLS,
            .handler = w->handler,
            .ctx = &w->n_cancelled,
        },
        &w->diags, &w->server));
}

static bool try_connect(struct testing_world *w, struct grpc_address address, const struct tls_config *tls, int64_t ms,
                        struct grpc_client **ret)
{
    return grpc_client_connect(
        &(struct grpc_client_options){
            .loop = w->client_loop,
            .address = address,
            .tls = tls,
            .max_message = w->client_max,
            .connect_deadline = testing_in_ms(ms),
            .ping_after = w->ping_after,
            .ping_patience = w->ping_patience,
        },
        &w->diags, ret);
}

void testing_world_connect(struct testing_world *w)
{
    if (!try_connect(w, grpc_server_address(w->server), w->tls ? &w->client_tls : NULL, PATIENCE_MS, &w->client))
        fail_msg("%s", w->diags.v[0].detail.p);
}

bool testing_world_try(struct testing_world *w, struct grpc_address address, const struct tls_config *tls, int64_t ms,
                       const char **ret_why)
{
    struct grpc_client *client = NULL;
    diags_init(&w->diags, w->arena);
    bool ok = try_connect(w, address, tls, ms, &client);
    if (!ok) {
        assert_int_equal(w->diags.n, 1);
        *ret_why = w->diags.v[0].detail.p;
    }
    grpc_client_free(client);
    return ok;
}

void testing_world_start(struct testing_world *w, enum grpc_network network, bool tls)
{
    testing_world_init(w);
    w->network = network;
    w->tls = tls;
    testing_world_serve(w);
    testing_world_connect(w);
}

void testing_world_done(struct testing_world *w)
{
    grpc_client_free(w->client);
    grpc_server_free(w->server, testing_in_ms(1000));
    loop_free(w->client_loop);
    loop_free(w->server_loop);
    tls_identity_free(w->client_identity);
    tls_identity_free(w->server_identity);
    assert_int_equal(rmdir(w->folder), 0); /* fails unless the socket was removed */
    arena_free(w->arena);
}
