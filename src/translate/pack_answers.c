/*
 * Encodes the answers of protocol 6 about the whole schema.
 */
#include "protocol/codec.h"
#include "translate/pack_write.h"

static void names_of(struct arena *a, const struct map *map, struct str **ret, size_t *ret_n)
{
    *ret = arena_make_n(a, struct str, map->n);
    *ret_n = map->n;
    for (size_t i = 0; i < map->n; i++)
        (*ret)[i] = map->entries[i].key;
}

static bool make_metadata(const struct provider_schema *s, struct buf *out, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct metadata_response r = {.capabilities = s->capabilities};
    names_of(scratch, &s->resources, &r.resources, &r.n_resources);
    names_of(scratch, &s->data_sources, &r.data_sources, &r.n_data_sources);
    names_of(scratch, &s->lists, &r.lists, &r.n_lists);
    struct coding c = {.codec = &codec6, .rpc = RPC_METADATA, .arena = scratch, .diags = diags};
    return coding_write_response(&c, &r, NULL, out);
}

bool cc_answers_make(const struct provider_schema *schema, struct buf ret[CFN_N_ANSWERS], struct diags *diags)
{
    return codec6.encode_schema(&ret[CFN_ANSWER_SCHEMA], schema, diags) &&
           codec6.encode_identities(&ret[CFN_ANSWER_IDENTITIES], schema, diags) &&
           make_metadata(schema, &ret[CFN_ANSWER_METADATA], diags);
}
