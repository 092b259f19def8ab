/*
 * For tests: client and server of the protocol connected by a real socket. The server is a provider that answers with the sample
 * of testing_codec.h if the request is the sample.
 */
#pragma once

#include "plugin/dispatch.h"
#include "plugin/provider_private.h"
#include "protocol/testing_codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORLD_EVENTS = 3 /* of a list */ };

struct world {
    int protocol;
    struct arena *arena;
    struct diags diags;
    struct provider_schema schema; /* a copy, so that a test may change it */
    struct provider_ops ops;
    struct loop *loop;
    struct dispatch *dispatch;
    struct grpc_server *server;
    struct provider *provider;
    atomic_int n_schema_calls, n_calls;
};

/* All functions except those that read and write states (dispatch_store_test.c); and only the schema. */
extern const struct provider_ops world_all_ops, world_no_ops;

void world_begin(struct world *w, int protocol, const struct provider_ops *ops);
void world_end(struct world *w);

/* These fail the test if the condition does not hold, and clear the diagnostics. */
void must_be_equal(const char *what, struct str expected, struct str found);
void must_have_sample_diags(struct world *w, const char *what);
void must_be_clean(struct world *w, const char *what);
/* There must be exactly one diagnostic, with this summary and with `part` in its detail. */
void must_fail(struct world *w, const char *summary, const char *part);

/* A thread's function: ReadResource with the sample; NULL when it failed. */
void *world_read_once(void *arg);

/* Counts events; a list's must be the sample. */
struct events {
    struct world *w;
    size_t n, stop_at;
    bool completed;
    char progress[64];
};
bool on_list_event(void *ctx, const struct list_event *event);
bool on_action_event(void *ctx, const struct action_event *event);
