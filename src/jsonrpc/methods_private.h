/* What the methods share. Private to this folder. */
#pragma once

#include "engine/plan_json.h"
#include "jsonrpc/handles.h"
#include "jsonrpc/methods.h"
#include "jsonrpc/params.h"
#include "jsonrpc/plan_token.h"

#define RESOURCE_NAME STR("this") /* what messages call the object: TYPE.this */

struct rpc_engine {
    struct rpc_engine_options options;
    struct log *log;
    struct pool *pool;
    struct plan_key key;
    struct handle_table providers, ephemerals;
};

/* One method's run: a provider, and an engine that uses it. */
struct method {
    struct rpc_engine *rpc;
    struct rpc_request *request;
    struct json_writer *w;
    struct arena *arena;
    struct diags diags;
    struct provider_handle *provider; /* NULL: none yet */
    int64_t timeout_ns;               /* of one call; 0: none */
    bool borrowed;
    struct lease lease;
    struct engine engine; /* when borrowed */
};

typedef bool method_fn(struct method *m);
method_fn provider_open, provider_describe, provider_close;
method_fn resource_validate, resource_plan, resource_apply, resource_refresh, resource_import, resource_upgrade, resource_move,
    resource_list;
method_fn data_read, function_call, ephemeral_open, ephemeral_renew, ephemeral_close;
method_fn engine_ping;

/* All below return false after rpc_fail(), and the method ends. What was opened and borrowed is given back afterwards. */

bool method_provider(struct method *m, struct str name);
/* One that is in use already. */
void method_use_provider(struct method *m, struct provider_handle *p);
/* Core repeats what it has to say about the provider's configuration whenever it uses the provider; so do answers with
 * diagnostics. */
void method_warnings(struct method *m);
/* A slot of the provider's process, and the engine. */
bool method_borrow(struct method *m);
/* The same without an error of the protocol. When there is no process, the engine still serves to write objects. */
enum engine_status method_lease(struct method *m);
/* How long to wait for a process. */
pool_wait method_wait(const struct method *m);
/* OK and FAILED, where diagnostics are the answer, are true. */
bool method_judge(struct method *m, enum engine_status status);

bool no_such_handle(struct method *m, struct str name);
/* No member of it is core's own, and `unknown` (may be NULL) has its shape. */
bool check_config(struct method *m, const struct json *config, const struct json *unknown);
/*
 * The resource type, where no configuration names it: core has other words then. Errors are diagnostics, as of engine_resource().
 */
bool stored_resource(struct method *m, struct str type, struct resource *ret);
bool imported_resource(struct method *m, struct str type, struct resource *ret);
/* STATE as it was sent; NULL stays NULL. */
bool read_state(struct method *m, const struct json *json, const struct state_instance **ret);

/*
 * Results are objects: members, then the diagnostics. What cannot be written (the error is among the diagnostics then) is taken
 * back: half a value must not go out.
 */
struct writer_mark {
    struct json_writer w;
    size_t n;
};
struct writer_mark writer_mark(const struct json_writer *w);
void writer_back(struct json_writer *w, const struct writer_mark *mark);
/* A member with STATE (`o` NULL or without value: null), or with a value of this type (NULL: null). */
void write_state(struct method *m, const char *name, const struct resource *r, const struct object *o);
void write_value(struct method *m, const char *name, const struct value *v, const struct type *type);
/* The diagnostics and the end of the object. Returns true. */
bool end_answer(struct method *m);

/* The end of an ephemeral object that has left the table: the provider is told, and the handle is gone. */
enum engine_status end_ephemeral(struct method *m, struct ephemeral_handle *h);
