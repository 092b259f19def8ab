/*
 * The opaque string of a plan: everything that an apply needs, carried by the caller. The engine keeps nothing of a plan but one
 * bit (handles.h), so a million plans that are never applied cost nothing.
 *
 * The text is base64 of a header, the plan and a keyed checksum (HMAC-SHA-256). The key lives in this process only, so nobody
 * else can make one, and none outlives the engine. It is not encrypted: all of it is known to the caller but the provider's
 * private bytes, which are in every state anyway.
 *
 * A plan that was made with unknown values cannot be applied; its string has a header only.
 */
#pragma once

#include "engine/engine.h"

struct rpc_plan_key {
    struct evp_mac_ctx_st *mac; /* keyed, never used itself: a copy is, each time */
    uint64_t mask;
};
/* A random one. */
void rpc_plan_key_make(struct rpc_plan_key *key);
void rpc_plan_key_done(struct rpc_plan_key *key);
#define PLAN_KEY_AUTO __attribute__((cleanup(rpc_plan_key_done)))

struct rpc_plan_header {
    uint64_t handle;   /* of the provider */
    uint64_t sequence; /* among its plans, from 1 */
    bool complete;     /* can be applied */
    struct str type;
};

/* Adds the text to `out`. `schema` is the provider's as it was when the plan was made. False with a diagnostic when the plan
 * cannot be written. */
bool rpc_plan_seal(struct buf *out, const struct rpc_plan_key *key, const struct rpc_plan_header *header,
                   const struct provider_schema *schema, const struct resource *r, const struct plan *plan, struct diags *diags);

/* A string that was checked. */
struct rpc_sealed_plan {
    struct rpc_plan_header header;
    uint64_t schema; /* masked address */
    struct str body;
};
/* False, without a word, for anything that rpc_plan_seal() with this key has not made. */
bool rpc_plan_unseal(struct arena *a, const struct rpc_plan_key *key, struct str text, struct rpc_sealed_plan *ret);

/*
 * The plan in it; `r` is the resource type that the header names, of `schema`. False when the plan was made with another schema:
 * the provider's binary was exchanged meanwhile.
 */
bool rpc_plan_decode(struct arena *a, const struct rpc_plan_key *key, const struct rpc_sealed_plan *sealed,
                     const struct provider_schema *schema, const struct resource *r, struct plan *ret);
