/*
 * Objects that states have, and whether a found object is one of them. The id by which an object is imported is often not the one
 * that its state has, and a setting may be an object of its own or a part of another one.
 *
 * An object is recognised by its id; by its identity; by the parts of the identity that are attributes under the same names
 * (states of Terraform before 1.12 have no identity); by an id that is composed of its values, such as ROLE/POLICY; or by a
 * required argument that is the whole id and a part of the state's. What a managed object says itself is known, too: a rule of a
 * security group, a route of a table (the pairs of the rows).
 */
#pragma once

#include "import/rows.h"
#include "import/worklist.h"
#include "state/state.h"

struct held_object {
    struct str type, id, address;
    const struct state_instance *instance;
};

struct held {
    struct arena *arena;
    const struct provider_schema *schema;
    const struct rows *rows;
    VEC(struct held_object *) objects;
    struct map by_key;       /* whole ids and identities -> struct held_object */
    struct map by_parts;     /* struct same_key */
    struct map by_value;     /* "TYPE VALUE" -> struct same_key: objects with that value; filled only for types of `indexed` */
    struct map by_attribute; /* "TYPE.ATTRIBUTE VALUE" -> struct held_object */
    struct map indexed;      /* types, and TYPE.ATTRIBUTE of by_attribute */
};

void held_init(struct held *k, struct arena *a, const struct provider_schema *schema, const struct rows *rows);
/* Objects are added before the first question. Their strings and instances must live as long as the index. */
void held_add(struct held *k, const struct held_object *o);
/* The object that the item is, or that says it; NULL: none. */
const struct held_object *held_find(struct held *k, const struct import_item *item);
