/*
 * What a script says of a resource type (`types`): how a provider of an older SDK treats it. Ids made of attributes, defaults
 * that a schema does not show, secrets of which only a sum is kept, attributes that reading cannot see, ids for import. Pure
 * functions; those that take `t` do nothing when it is NULL.
 */
#pragma once

#include "script.h"
#include "value/value.h"

/* NULL: the script says nothing of this type. */
const struct trait *trait_of(const struct script *s, struct str type_name);

/* The planned state with defaults where nothing is said, and with the sum in place of each secret that the configuration gives.
 */
const struct value *trait_plan(struct arena *a, const struct trait *t, const struct value *config, const struct value *planned,
                               struct diags *diags);

/* The id of this object; empty: the script does not say how ids are made, or an attribute that it takes is not known. */
struct str trait_id(struct arena *a, const struct trait *t, const struct value *object);

/* What was read, with the attributes that cannot be read as the state has them. */
const struct value *trait_read(struct arena *a, const struct trait *t, const struct value *state, const struct value *object);

/*
 * The object that an id for import stands for: `empty` with the attributes that are in the id, and its own id. NULL and a
 * diagnostic when the id does not have the form.
 */
const struct value *trait_import(struct arena *a, const struct trait *t, struct str id, const struct value *empty,
                                 struct diags *diags);
