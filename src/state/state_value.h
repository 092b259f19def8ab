/*
 * Converts objects of a state to values of a schema's type, and back.
 *
 * Sensitive paths: a file can only have attribute, map key and list index steps. A mark inside a set marks the whole set, so a
 * stored path ends before its first PATH_ELEMENT.
 */
#pragma once

#include "state/state.h"
#include "value/marks.h"

/*
 * The attributes as a value of `type` (an object: schema_block's implied type); absent attributes are null. NULL with a
 * diagnostic if they do not fit the type or have an attribute that the type lacks: then the provider must upgrade them first.
 */
const struct value *state_get_attributes(struct arena *a, const struct state_instance *object, const struct type *type,
                                         struct diags *diags);
/* The value must be wholly known. Replaces flat attributes too. The object's new parts live in `a`. */
bool state_set_attributes(struct arena *a, struct state_instance *object, const struct value *v, const struct type *type,
                          struct diags *diags);

struct marks state_get_sensitive(struct arena *a, const struct state_instance *object);
void state_set_sensitive(struct arena *a, struct state_instance *object, struct marks marks);

/* The identity as a value of its type; a null value if the object has none. NULL with a diagnostic if it does not fit. */
const struct value *state_get_identity(struct arena *a, const struct state_instance *object, const struct type *type,
                                       struct diags *diags);
/* A null value removes it, together with its version. */
bool state_set_identity(struct arena *a, struct state_instance *object, const struct value *v, const struct type *type,
                        uint64_t schema_version, struct diags *diags);
