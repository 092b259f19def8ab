/*
 * Objects of a state as values of a schema's type, and back.
 *
 * Sensitive paths: the file has attribute, map key and list index steps. A mark inside a set belongs to the whole set, so a
 * path ends before its first PATH_ELEMENT when it is stored.
 */
#pragma once

#include "state/state.h"
#include "value/marks.h"

/*
 * The attributes as a value of `type` (an object: schema_block's implied type); an attribute that is absent is null. NULL and a
 * diagnostic when they do not fit, or hold an attribute the type does not have: then the provider must upgrade them first.
 */
const struct value *state_get_attributes(struct arena *a, const struct state_instance *object, const struct type *type,
                                         struct diags *diags);
/* The value must be wholly known. Flat attributes are gone then. The object's new parts live in `a`. */
bool state_set_attributes(struct arena *a, struct state_instance *object, const struct value *v, const struct type *type,
                          struct diags *diags);

struct marks state_get_sensitive(struct arena *a, const struct state_instance *object);
void state_set_sensitive(struct arena *a, struct state_instance *object, struct marks marks);

/* The identity as a value of its type; a null when the object has none. NULL and a diagnostic when it does not fit. */
const struct value *state_get_identity(struct arena *a, const struct state_instance *object, const struct type *type,
                                       struct diags *diags);
/* A null value removes it, together with its version. */
bool state_set_identity(struct arena *a, struct state_instance *object, const struct value *v, const struct type *type,
                        uint64_t schema_version, struct diags *diags);
