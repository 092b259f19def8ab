/*
 * What the rules share: walking a schema and a value side by side. Private to this folder.
 */
#pragma once

#include "base/vec.h"
#include "change/change.h"
#include "value/trail.h"

/* Was perhaps this name meant: is it within two edits of what was typed? */
bool name_is_near(struct str typed, struct str name);

/* The attributes and blocks of one object: of a block, or of a nested attribute (which has no blocks). */
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

/* Are there many of it: list, set or map nesting? */
bool block_is_many(const struct schema_nested_block *b);

/* The type of one object of a nested attribute, whatever its nesting. */
const struct type *nested_object_type(const struct schema_attr *attr);

/* A part of an object; of a null object a null, of an unknown one an unknown of that type. */
const struct value *object_part(struct arena *a, const struct value *object, struct str name, const struct type *t);
/* Has it elements to look at: known and not null? */
bool has_content(const struct value *v);
/* Of a map, or of an object that stands for one. */
struct str element_key(const struct value *v, size_t i);
/* By position in a list or tuple; NULL when there is none. */
const struct value *element_at(const struct value *v, size_t i);
/* The value with other elements; the value itself when they have types that cannot stand side by side in it. */
const struct value *with_elements(struct arena *a, const struct value *v, const struct value *const *elements);

/*
 * Visits each attribute of a value that the schema knows, those of nested attributes and blocks too, parents first. The visitor
 * says whether to look inside a nested attribute. Null and unknown objects have no attributes. `of_block`: the attribute is one
 * of a block, not of a nested attribute.
 */
typedef bool visit_attr_fn(void *ctx, const struct trail *at, const struct schema_attr *attr, const struct value *v,
                           bool of_block);
void visit_attrs(const struct schema_block *schema, const struct value *v, visit_attr_fn *fn, void *ctx);
void visit_attrs_inside(const struct schema_attr *nested, const struct value *v, visit_attr_fn *fn, void *ctx);

/* The attribute that a path leads to; NULL when it leads elsewhere. Steps into collections count for nothing. */
const struct schema_attr *attr_by_path(const struct schema_block *schema, struct path path);

/*
 * Why a type is not the wanted one, in the words of Terraform 1.11. Those of later versions, which conversion has, also say what
 * the type is.
 */
struct str plain_mismatch(struct arena *a, struct str text);

/* Is there something sensitive in this value of an attribute? */
bool has_secret(const struct schema_attr *attr, const struct value *v);
