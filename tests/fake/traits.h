/*
 * The behaviour of a resource type from the script (`types`), like that of providers with an older SDK: ids made of attributes,
 * defaults that the schema does not show, secrets of which only a hash is kept, attributes that cannot be read, ids for import.
 * Pure functions; those with a parameter `t` do nothing if it is NULL.
 */
#pragma once

#include "script.h"
#include "value/value.h"

/* NULL: the script has nothing for this type. */
const struct trait *trait_of(const struct script *s, struct str type_name);

/* The planned state with defaults for what is not configured, and a hash in place of each configured secret. */
const struct value *trait_plan(struct arena *a, const struct trait *t, const struct value *config, const struct value *planned,
                               struct diags *diags);

/* The object's id; empty: the script has no template for ids, or an attribute in it is unknown. */
struct str trait_id(struct arena *a, const struct trait *t, const struct value *object);

/* The object as read, with the attributes that cannot be read taken from the state. */
const struct value *trait_read(struct arena *a, const struct trait *t, const struct value *state, const struct value *object);

/*
 * The object that an id for import stands for: `empty` with the attributes in the id, and its own id. NULL with a diagnostic if
 * the id does not match the template.
 */
const struct value *trait_import(struct arena *a, const struct trait *t, struct str id, const struct value *empty,
                                 struct diags *diags);
