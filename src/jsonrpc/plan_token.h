/*
 * The opaque string of a plan, kept by the caller: everything that an apply needs. The engine keeps only one bit of a plan
 * (handles.h), so a million plans that are never applied cost nothing.
 *
 * The text is base64 of a header, the plan and a keyed checksum (HMAC-SHA-256). The key exists in this process only, so no other
 * program can make a valid string, and none outlives the engine. It is not encrypted: the caller knows all of it except the
 * provider's private bytes, and those are in every state anyway.
 *
 * A plan that was made with unknown values cannot be applied; its string has a header only.
 */
#pragma once

#include "engine/engine.h"

struct rpc_plan_key {
    struct evp_mac_ctx_st *mac; /* keyed; used only as a template that is copied for each checksum */
    uint64_t mask;
};
/* Makes a random key. */
void rpc_plan_key_make(struct rpc_plan_key *key);
void rpc_plan_key_done(struct rpc_plan_key *key);
#define PLAN_KEY_AUTO __attribute__((cleanup(rpc_plan_key_done)))

struct rpc_plan_header {
    uint64_t handle;   /* of the provider */
    uint64_t sequence; /* number among the provider's plans, from 1 */
    bool complete;     /* made without unknown values, so that it can be applied */
    struct str type;
};

/* Adds the text to `out`. `schema` is the provider's as it was when the plan was made. False with a diagnostic when the plan
 * cannot be written. */
bool rpc_plan_seal(struct buf *out, const struct rpc_plan_key *key, const struct rpc_plan_header *header,
                   const struct provider_schema *schema, const struct resource *r, const struct plan *plan, struct diags *diags);

/* A string whose checksum was verified. */
struct rpc_sealed_plan {
    struct rpc_plan_header header;
    uint64_t schema; /* masked address */
    struct str body;
};
/* False, without a diagnostic, for any text that rpc_plan_seal() did not make with this key. */
bool rpc_plan_unseal(struct arena *a, const struct rpc_plan_key *key, struct str text, struct rpc_sealed_plan *ret);

/*
 * Decodes the plan; `r` is the resource type that the header names, of `schema`. False when the plan was made with another
 * schema, because the provider's binary was replaced meanwhile.
 */
bool rpc_plan_decode(struct arena *a, const struct rpc_plan_key *key, const struct rpc_sealed_plan *sealed,
                     const struct provider_schema *schema, const struct resource *r, struct plan *ret);
