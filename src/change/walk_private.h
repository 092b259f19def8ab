/*
 * Shared by the rules: walking a schema and a value together. Private to this folder.
 */
#pragma once

#include "base/vec.h"
#include "change/change.h"
#include "value/trail.h"

/* True when the name is within two edits of what was typed, so that it can be suggested. */
bool name_is_near(struct str typed, struct str name);

/* The attributes and blocks of an object, which is a block or a nested attribute (without blocks). */
struct scope {
    const struct schema_attr *attrs;
    size_t n_attrs;
    const struct schema_nested_block *blocks;
    size_t n_blocks;
};
struct scope scope_of_block(const struct schema_block *b);
struct scope scope_of_object(const struct schema_object *o);
const struct schema_attr *scope_attr(struct scope s, struct str name);
const struct schema_nested_block *scope_block(struct scope s, struct str name);

/* True for list, set and map nesting. */
bool block_is_many(const struct schema_nested_block *b);

/* The type of one object of a nested attribute, whatever its nesting. */
const struct type *nested_object_type(const struct schema_attr *attr);

/* An attribute or block of an object; if the object is null or unknown, a null or unknown of type `t`. */
const struct value *object_part(struct arena *a, const struct value *object, struct str name, const struct type *t);
/* True when the value is known and not null, so that its elements can be looked at. */
bool has_content(const struct value *v);
/* The key of element i of a map, or of an object in the place of a map. */
struct str element_key(const struct value *v, size_t i);
/* Element i of a list or tuple; NULL when there is none. */
const struct value *element_at(const struct value *v, size_t i);
/* The value with other elements; the unchanged value when the types of these elements cannot be mixed in it. */
const struct value *with_elements(struct arena *a, const struct value *v, const struct value *const *elements);

/*
 * Visits each attribute of a value that is in the schema, including those of nested attributes and blocks, parents first. The
 * visitor returns whether to go into a nested attribute. Null and unknown objects have no attributes. `of_block`: the attribute
 * belongs to a block, not to a nested attribute.
 */
typedef bool visit_attr_fn(void *ctx, const struct trail *at, const struct schema_attr *attr, const struct value *v,
                           bool of_block);
void visit_attrs(const struct schema_block *schema, const struct value *v, visit_attr_fn *fn, void *ctx);
void visit_attrs_inside(const struct schema_attr *nested, const struct value *v, visit_attr_fn *fn, void *ctx);

/* The attribute at a path; NULL when the path does not lead to an attribute. Steps into collections are ignored. */
const struct schema_attr *attr_by_path(const struct schema_block *schema, struct path path);

/*
 * Rewords a conversion error as Terraform 1.11 does: value_convert() uses the wording of later versions, which also name the
 * actual type.
 */
struct str plain_mismatch(struct arena *a, struct str text);

/* True when this value of an attribute contains something sensitive. */
bool has_secret(const struct schema_attr *attr, const struct value *v);
