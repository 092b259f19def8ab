/*
 * What a configuration that was written evaluates to: literals, references to the objects of the run, variables, jsonencode(). As
 * much of the language as import writes, so that what is proven is the text in the file and not what it was made from.
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
 * The body of a resource as configuration in JSON (change_config_read), without `lifecycle`, whose ignored paths are *ret_ignore,
 * an array (NULL: none). NULL with a diagnostic.
 */
const struct json *evaluate_resource(const struct evaluation *ev, const struct schema_block *schema, const struct hcl_body *body,
                                     const struct json **ret_ignore);

/* One expression; NULL with a diagnostic. */
const struct json *evaluate_expression(const struct evaluation *ev, const struct hcl_expr *e);
