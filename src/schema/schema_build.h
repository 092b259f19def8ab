/*
 * Builds the final form of a schema from drafts (see schema.h).
 *
 *     struct schema_builder *b = schema_builder_new(arena);
 *     struct provider_schema *s = schema_builder_schema(b);
 *     s->provider = schema_build(b, version, &draft, STR("provider"), diags);
 *     map_put(&s->resources, schema_build_text(b, name), (void *)schema_build(b, version, &draft, name, diags));
 *     ...
 *     schema_builder_end(b);
 *
 * The builder keeps no part of a draft, which may be freed right after the call. A draft may contain final parts (blocks,
 * attribute lists) from the same builder, which are used as they are: a decoder that meets the same bytes again can pass the
 * result it got before. The builder recognises final parts by their types, so `type` and `value_type` of a draft must be NULL.
 * One thread at a time.
 */
#pragma once

#include "schema/schema.h"

struct schema_builder;

/* The result is allocated in `a`; the tables that find equal parts exist until schema_builder_end(). */
struct schema_builder *schema_builder_new(struct arena *a);
/* The schema being filled: an empty provider block, empty maps. */
struct provider_schema *schema_builder_schema(struct schema_builder *b);
/* Sorts the maps and frees the tables and the builder; the schema stays valid. */
const struct provider_schema *schema_builder_end(struct schema_builder *b);

/* The shared copy of this text. */
struct str schema_build_text(struct schema_builder *b, struct str text);
/* The shared copy of the type that this JSON describes ("string", ["list","string"], ...). NULL, with a diagnostic, on error. */
const struct type *schema_build_type(struct schema_builder *b, struct str type_json, struct diags *diags);

/*
 * `draft` may be NULL: an empty block. Fails, with NULL and a diagnostic that names `what`, only when the block is nested deeper
 * than SCHEMA_MAX_DEPTH or the arena is exhausted.
 */
const struct schema *schema_build(struct schema_builder *b, int64_t version, const struct schema_block *draft, struct str what,
                                  struct diags *diags);
/* Builds a part to be put into drafts. Errors in it are reported by schema_build() of the whole. */
const struct schema_block *schema_build_block(struct schema_builder *b, const struct schema_block *draft);

const struct schema_identity *schema_build_identity(struct schema_builder *b, const struct schema_identity *draft);
const struct schema_function *schema_build_function(struct schema_builder *b, const struct schema_function *draft);
