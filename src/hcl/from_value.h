/*
 * A value as a tree to write: what Terraform evaluates to that value again.
 *
 * Which parts of an object are arguments and which are blocks, its schema says. Null arguments are left out; inside lists, maps
 * and objects, whose types want them, they are written. A text that is JSON becomes jsonencode(...) if that gives the very same
 * bytes back. Values must be known.
 */
#pragma once

#include "hcl/hcl.h"
#include "schema/schema.h"

/* An expression to stand in the place of a part of the value, or NULL. Of a text in jsonencode() the path is that of the whole
 * text; `value` is the part. */
typedef const struct hcl_expr *hcl_instead_fn(void *ctx, struct path at, const struct value *value);

struct hcl_from {
    struct arena *arena;
    hcl_instead_fn *instead; /* asked about every part, containers first; may be NULL */
    hcl_instead_fn *text;    /* asked about every text that is not JSON, and those in it; may be NULL */
    void *ctx;
    bool no_functions; /* texts are texts: for .tf.json */
};

/* What jsonencode(jsondecode(text)) is: one line, names sorted. Empty: the text is no JSON object or list. */
struct str hcl_canonical_json(struct arena *a, struct str text);

const struct hcl_expr *hcl_from_value(const struct hcl_from *f, struct path at, const struct value *v);

/* The arguments of an object, those that take one line first, and its blocks, each by name. */
struct hcl_body hcl_from_object(const struct hcl_from *f, const struct schema_block *schema, struct path at,
                                const struct value *object);
