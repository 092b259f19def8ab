/*
 * From drafts to the final form (see schema.h).
 *
 *     struct schema_builder *b = schema_builder_new(arena);
 *     struct provider_schema *s = schema_builder_schema(b);
 *     s->provider = schema_build(b, version, &draft, STR("provider"), diags);
 *     map_put(&s->resources, schema_build_text(b, name), (void *)schema_build(b, version, &draft, name, diags));
 *     ...
 *     schema_builder_end(b);
 *
 * Nothing of a draft is kept: it may be freed right after the call. A draft may have final parts of the same builder in it
 * (blocks, attribute lists), which cost nothing: a decoder that meets the same bytes again can hand in what it got for them.
 * The builder knows them by their types, so a draft's own `type` and `value_type` must be NULL. One thread at a time.
 */
#pragma once

#include "schema/schema.h"

struct schema_builder;

/* What is built goes to `a`; the tables that find equal parts live until schema_builder_end(). */
struct schema_builder *schema_builder_new(struct arena *a);
/* The schema being filled: an empty provider block, empty maps. */
struct provider_schema *schema_builder_schema(struct schema_builder *b);
/* Sorts the maps, frees the tables and the builder; what it built stays. */
const struct provider_schema *schema_builder_end(struct schema_builder *b);

/* The one copy of this text. */
struct str schema_build_text(struct schema_builder *b, struct str text);
/* The one copy of the type that this type JSON describes ("string", ["list","string"], ...); NULL and a diagnostic. */
const struct type *schema_build_type(struct schema_builder *b, struct str type_json, struct diags *diags);

/*
 * `draft` NULL is an empty block. NULL and a diagnostic that names `what` only when it is nested deeper than
 * SCHEMA_MAX_DEPTH or the arena is exhausted.
 */
const struct schema *schema_build(struct schema_builder *b, int64_t version, const struct schema_block *draft, struct str what,
                                  struct diags *diags);
/* A part, to be put into drafts. What is wrong with it is reported by schema_build() of the whole. */
const struct schema_block *schema_build_block(struct schema_builder *b, const struct schema_block *draft);

const struct schema_identity *schema_build_identity(struct schema_builder *b, const struct schema_identity *draft);
const struct schema_function *schema_build_function(struct schema_builder *b, const struct schema_function *draft);
