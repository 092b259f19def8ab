/*
 * Converts a value to a tree for writing: an expression that Terraform evaluates to the same value.
 *
 * The schema says which parts of an object are arguments and which are blocks. Null arguments are left out; nulls inside lists,
 * maps and objects are written, because their types require them. A string that is JSON becomes jsonencode(...) if that gives
 * exactly the same bytes. Values must be known.
 */
#pragma once

#include "hcl/hcl.h"
#include "schema/schema.h"

/*
 * Returns an expression to write in place of a part of the value, or NULL. Inside jsonencode() the path is that of the whole
 * string; `value` is the part.
 */
typedef const struct hcl_expr *hcl_instead_fn(void *ctx, struct path at, const struct value *value);

struct hcl_from {
    struct arena *arena;
    hcl_instead_fn *instead; /* called for every part, containers first; may be NULL */
    hcl_instead_fn *text;    /* called for every string that is not JSON, and for the strings inside JSON; may be NULL */
    void *ctx;
    bool no_functions; /* do not use jsonencode(): for .tf.json */
};

/* The result of jsonencode(jsondecode(text)): one line, names sorted. Empty: the text is not a JSON object or list. */
struct str hcl_canonical_json(struct arena *a, struct str text);

const struct hcl_expr *hcl_from_value(const struct hcl_from *f, struct path at, const struct value *v);

/* The arguments of an object, those on one line first, and its blocks, both sorted by name. */
struct hcl_body hcl_from_object(const struct hcl_from *f, const struct schema_block *schema, struct path at,
                                const struct value *object);
