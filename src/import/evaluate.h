/*
 * Evaluates written configuration: literals, references to objects of the run, variables, jsonencode(). It supports as much of
 * the language as import writes, so that the proof covers the text in the file and not the data it was made from.
 */
#pragma once

#include "hcl/hcl.h"
#include "schema/schema.h"

struct evaluation {
    struct arena *arena;
    const struct map *objects;   /* TYPE.NAME -> const struct json *, its attributes */
    const struct map *variables; /* name -> const struct json * */
    struct diags *diags;
};

/*
 * Evaluates the body of a resource to configuration in JSON (change_config_read), without `lifecycle`; *ret_ignore receives its
 * ignore_changes as an array (NULL: none). Returns NULL with a diagnostic on failure.
 */
const struct json *evaluate_resource(const struct evaluation *ev, const struct schema_block *schema, const struct hcl_body *body,
                                     const struct json **ret_ignore);

/* Evaluates one expression; NULL with a diagnostic. */
const struct json *evaluate_expression(const struct evaluation *ev, const struct hcl_expr *e);
