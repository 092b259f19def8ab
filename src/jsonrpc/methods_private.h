/* What the methods share. Private to this folder. */
#pragma once

#include "engine/plan_json.h"
#include "engine/request.h"
#include "jsonrpc/handles.h"
#include "jsonrpc/methods.h"
#include "jsonrpc/params.h"
#include "jsonrpc/plan_token.h"

#define RESOURCE_NAME STR("this") /* the object's name in messages: TYPE.this */

struct rpc_engine {
    struct rpc_engine_options options;
    struct log *log;
    struct pool *pool;
    struct rpc_plan_key key;
    struct rpc_handle_table providers, ephemerals;
};

/* One execution of a method: a provider, and an engine that uses it. */
struct rpc_method {
    struct rpc_engine *rpc;
    struct rpc_request *request;
    struct json_writer *w;
    struct arena *arena;
    struct diags diags;
    struct rpc_provider_handle *provider; /* NULL: none yet */
    int64_t timeout_ns;                   /* for one call; 0: none */
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

/* The functions below return false after rpc_fail(), and the method ends. Its provider and lease are released afterwards. */

bool rpc_method_provider(struct rpc_method *m, struct str name);
/* The same for a handle that is in use already. */
void rpc_method_use_provider(struct rpc_method *m, struct rpc_provider_handle *p);
/* Borrows a slot of the provider's process, and sets up the engine. */
bool rpc_method_borrow(struct rpc_method *m);
/* The same without rpc_fail(). If there is no process, the engine can still be used to write objects. */
enum engine_status rpc_method_lease(struct rpc_method *m);
/* How long to wait for a process. */
pool_wait rpc_method_wait(const struct rpc_method *m);
/* A request to the engine about an object of this type, when a provider is borrowed. */
struct request rpc_method_request(struct rpc_method *m, struct str type);
/* True for ENGINE_OK and for ENGINE_FAILED, which is answered with a result that has the diagnostics. */
bool rpc_method_judge(struct rpc_method *m, enum engine_status status);

bool rpc_too_many_handles(struct rpc_method *m, const char *what);
bool rpc_no_such_handle(struct rpc_method *m, struct str name);
/* Checks that the configuration has no meta-argument of core's, and that `unknown` (may be NULL) has its shape. */
bool rpc_check_config(struct rpc_method *m, const struct json *config, const struct json *unknown);
/* Reads the STATE that was sent; NULL stays NULL. */
bool rpc_read_state(struct rpc_method *m, const struct json *json, const struct state_instance **ret);

/*
 * Results are objects: members, then the diagnostics. A value that cannot be written is removed again (json_back()), so that no
 * partial value is sent; the diagnostics have the error.
 */
/* Write a member with STATE (`o` NULL or without value: null), or with a value of this type (NULL: null). */
void rpc_write_state(struct rpc_method *m, const char *name, const struct resource *r, const struct object *o);
void rpc_write_value(struct rpc_method *m, const char *name, const struct value *v, const struct type *type);
/* Writes the diagnostics, and ends the object. Returns true. */
bool rpc_end_answer(struct rpc_method *m);

/* Closes an ephemeral object that has been taken from the table: calls the provider, and releases the handle. */
enum engine_status rpc_end_ephemeral(struct rpc_method *m, struct rpc_ephemeral_handle *h);
