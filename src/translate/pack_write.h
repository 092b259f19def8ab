/*
 * Makes packs, and gets translated types from one: the link between the file (cfn/pack.h) and translation.
 */
#pragma once

#include "cfn/pack.h"
#include "cfn/sources.h"
#include "translate/translate.h"

/* Unpacks, parses and translates a type, in `a`. NULL and a diagnostic on failure. */
const struct cc_type *cc_pack_type(const struct cfn_pack *pack, size_t i, enum cfn_mode mode, struct arena *a,
                                   struct diags *diags);

/* Encodes the answers of protocol 6 (cfn/pack.h) from a schema with all types: for a pack, or for a server without one. */
bool cc_answers_make(const struct provider_schema *schema, struct buf ret[CFN_N_ANSWERS], struct diags *diags);

struct cc_pack_options {
    struct str source; /* for the lock: the path or URL of the schemas, as given */
    int64_t date;      /* for the lock: seconds since 1970 */
    bool without_answers;
};

/* Statistics, for messages. */
struct cc_pack_made {
    size_t n_types, n_skipped; /* skipped: not a resource type schema; each gives a warning */
    size_t n_patterns, n_patterns_dropped;
    size_t bytes;
};

/*
 * Makes pack and lock in memory; of two schemas of one type the last one counts. False and diagnostics if there is no schema.
 * The lock: {"format":1,"source":TEXT,"date":TEXT,"types":{NAME:{"sha256":TEXT,"dropped_patterns":N}}}.
 */
bool cc_pack_make(const struct cfn_source *inputs, size_t n, const struct cc_pack_options *options, struct buf *ret_pack,
                  struct buf *ret_lock, struct cc_pack_made *ret, struct diags *diags);

/* Are these exactly the schemas that the lock names? If not, a diagnostic says which differ. */
bool cc_pack_locked(const struct cfn_source *inputs, size_t n, const struct json *lock, struct diags *diags);
