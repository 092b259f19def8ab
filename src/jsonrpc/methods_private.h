/* What the methods share. Private to this folder. */
#pragma once

#include "engine/plan_json.h"
#include "engine/request.h"
#include "jsonrpc/handles.h"
#include "jsonrpc/methods.h"
#include "jsonrpc/params.h"
#include "jsonrpc/plan_token.h"

#define RESOURCE_NAME STR("this") /* what messages call the object: TYPE.this */

struct rpc_engine {
    struct rpc_engine_options options;
    struct log *log;
    struct pool *pool;
    struct rpc_plan_key key;
    struct rpc_handle_table providers, ephemerals;
};

/* One method's run: a provider, and an engine that uses it. */
struct rpc_method {
    struct rpc_engine *rpc;
    struct rpc_request *request;
    struct json_writer *w;
    struct arena *arena;
    struct diags diags;
    struct rpc_provider_handle *provider; /* NULL: none yet */
    int64_t timeout_ns;                   /* of one call; 0: none */
    bool borrowed;
    struct lease lease;
    struct engine engine; /* when borrowed */
};

typedef bool method_fn(struct rpc_method *m);
method_fn rpc_provider_open, rpc_provider_describe, rpc_provider_close;
method_fn rpc_resource_validate, rpc_resource_plan, rpc_resource_apply, rpc_resource_refresh, rpc_resource_import,
    rpc_resource_upgrade, rpc_resource_move, rpc_resource_list;
method_fn rpc_data_read, rpc_function_call, rpc_ephemeral_open, rpc_ephemeral_renew, rpc_ephemeral_close;
method_fn rpc_engine_ping;

/* All below return false after rpc_fail(), and the method ends. What was opened and borrowed is given back afterwards. */

bool rpc_method_provider(struct rpc_method *m, struct str name);
/* One that is in use already. */
void rpc_method_use_provider(struct rpc_method *m, struct rpc_provider_handle *p);
/* A slot of the provider's process, and the engine. */
bool rpc_method_borrow(struct rpc_method *m);
/* The same without an error of the protocol. When there is no process, the engine still serves to write objects. */
enum engine_status rpc_method_lease(struct rpc_method *m);
/* How long to wait for a process. */
pool_wait rpc_method_wait(const struct rpc_method *m);
/* A request of the engine about an object of this type, when a provider is borrowed. */
struct request rpc_method_request(struct rpc_method *m, struct str type);
/* OK and FAILED, where diagnostics are the answer, are true. */
bool rpc_method_judge(struct rpc_method *m, enum engine_status status);

bool rpc_too_many_handles(struct rpc_method *m, const char *what);
bool rpc_no_such_handle(struct rpc_method *m, struct str name);
/* No member of it is core's own, and `unknown` (may be NULL) has its shape. */
bool rpc_check_config(struct rpc_method *m, const struct json *config, const struct json *unknown);
/* STATE as it was sent; NULL stays NULL. */
bool rpc_read_state(struct rpc_method *m, const struct json *json, const struct state_instance **ret);

/*
 * Results are objects: members, then the diagnostics. What cannot be written (the error is among the diagnostics then) is taken
 * back (json_back()): half a value must not go out.
 */
/* A member with STATE (`o` NULL or without value: null), or with a value of this type (NULL: null). */
void rpc_write_state(struct rpc_method *m, const char *name, const struct resource *r, const struct object *o);
void rpc_write_value(struct rpc_method *m, const char *name, const struct value *v, const struct type *type);
/* The diagnostics and the end of the object. Returns true. */
bool rpc_end_answer(struct rpc_method *m);

/* The end of an ephemeral object that has left the table: the provider is told, and the handle is gone. */
enum engine_status rpc_end_ephemeral(struct rpc_method *m, struct rpc_ephemeral_handle *h);
