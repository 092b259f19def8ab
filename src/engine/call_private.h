/*
 * What all phases share: one call to the provider with its diagnostics, and core's way of naming things. Private to this folder.
 */
#pragma once

#include "engine/engine.h"

/* One call: options to pass on, and a list for what the provider has to say. */
struct call {
    struct engine *engine;
    struct grpc_call_options options;
    struct diags found;
};
struct call call_start(struct engine *e);
/* An apply is never cut short by cancellation. */
struct call call_start_apply(struct engine *e);
/*
 * Takes over the diagnostics; `config` (may be NULL) tells where they belong. `name` is the call's for messages, as core has it:
 * "ReadResource".
 */
enum engine_status call_finish(struct call *c, const char *name, enum provider_status status,
                               const struct resource_config *config);

/* What we can do, told with every call that asks. */
struct client_capabilities engine_capabilities(void);
/* provider_meta as it is sent: not at all without a schema for it, null when nothing is set. */
const struct value *engine_meta(const struct engine *e);

/* Adds the diagnostic unless it is there already. */
void engine_add(struct engine *e, const struct diag *diag);
/* An error in core's words; returns ENGINE_FAILED. `detail` is a printf format. */
enum engine_status engine_fail(struct engine *e, const char *summary, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));

/* "provider[\"registry.terraform.io/hashicorp/aws\"]", quotes included: how core names the guilty provider. */
const char *engine_provider_text(struct engine *e);

/* How core closes what it says of such; most have an empty line before it. */
#define BUG_IN_PROVIDER "This is a bug in the provider, which should be reported in the provider's own issue tracker."

/*
 * Errors for write-only attributes that a provider returned; true when there were none. `sentence` has the words between the
 * attribute and the explanation: "during refresh".
 */
bool engine_check_write_only(struct engine *e, const struct resource *r, const struct value *v, const char *summary,
                             const char *sentence);
/* An error when the provider put the answer off, which we never allow; true when it did not. */
bool engine_check_deferred(struct engine *e, const struct resource *r, enum deferred_reason deferred);

/* The value that was sent, a null of the type when none was. */
const struct value *engine_value(struct engine *e, const struct value *v, const struct type *type);
/* NULL for null: an identity that is none. */
const struct value *engine_identity(const struct value *v);

/* As engine_store(), for who writes the attributes as text: those of `ret` are an older object's, if any. */
bool engine_store_but_attributes(struct engine *e, const struct resource *r, const struct object *o, struct state_instance *ret);

/* Those that lead somewhere in the value. */
struct marks engine_existing_marks(struct engine *e, struct marks old, const struct value *v);
/* The same, and what the schema says. */
struct marks engine_marks(struct engine *e, const struct resource *r, struct marks old, const struct value *v);
