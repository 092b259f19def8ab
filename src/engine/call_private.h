/*
 * What all phases share: one call to the provider with its diagnostics, and the names that Terraform core uses in messages.
 * Private to this folder.
 */
#pragma once

#include "engine/engine.h"

/* One call: the options to pass on, and a list for the provider's diagnostics. */
struct call {
    struct engine *engine;
    struct grpc_call_options options;
    struct diags found;
};
struct call call_start(struct engine *e);
/* The same for an apply, which cancellation never cuts short. */
struct call call_start_apply(struct engine *e);
/*
 * Moves the call's diagnostics to the engine's list; `config` (may be NULL) gives them their place in the configuration. `name`
 * is the call's name in messages, as in core: "ReadResource".
 */
enum engine_status call_finish(struct call *c, const char *name, enum provider_status status,
                               const struct resource_config *config);

/* Our client capabilities, sent with every call that has a field for them. */
struct client_capabilities engine_capabilities(void);
/* provider_meta to send: NULL (not sent) if the provider has no schema for it, a null value if nothing is set. */
const struct value *engine_meta(const struct engine *e);

/* Adds the diagnostic unless it is there already. */
void engine_add(struct engine *e, const struct diag *diag);
/* An error in core's words; returns ENGINE_FAILED. `detail` is a printf format. */
enum engine_status engine_fail(struct engine *e, const char *summary, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));

/* "provider[\"registry.terraform.io/hashicorp/aws\"]", with the quotes: how core names the provider to blame. */
const char *engine_provider_text(struct engine *e);

/* How core ends its messages about a provider's bug; in most of them an empty line comes before it. */
#define BUG_IN_PROVIDER "This is a bug in the provider, which should be reported in the provider's own issue tracker."

/*
 * Adds an error for each write-only attribute for which the provider returned a value; true when there is none. `sentence` is the
 * text between the attribute and the explanation: "during refresh".
 */
bool engine_check_write_only(struct engine *e, const struct resource *r, const struct value *v, const char *summary,
                             const char *sentence);
/* Adds an error when the provider deferred the answer, which we never allow; true when it did not. */
bool engine_check_deferred(struct engine *e, const struct resource *r, enum deferred_reason deferred);

/* The value that the provider sent; a null of the type if it sent none. */
const struct value *engine_value(struct engine *e, const struct value *v, const struct type *type);
/* The identity, or NULL if it is null (no identity). */
const struct value *engine_identity(const struct value *v);

/*
 * Like engine_store(), but without the attributes, for callers that write these as text: `ret` has those of the older stored
 * object, if any.
 */
bool engine_store_but_attributes(struct engine *e, const struct resource *r, const struct object *o, struct state_instance *ret);

/* The marks of `old` whose paths exist in the value. */
struct marks engine_existing_marks(struct engine *e, struct marks old, const struct value *v);
/* The same, plus the marks that the schema gives. */
struct marks engine_marks(struct engine *e, const struct resource *r, struct marks old, const struct value *v);
