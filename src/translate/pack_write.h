/*
 * Making a pack, and types from one: what lies between the file (cfn/pack.h) and translation.
 */
#pragma once

#include "cfn/pack.h"
#include "cfn/sources.h"
#include "translate/translate.h"

/* Unpacked, parsed and translated; all in `a`. NULL and a diagnostic. */
const struct cc_type *cc_pack_type(const struct cfn_pack *pack, size_t i, enum cfn_mode mode, struct arena *a,
                                   struct diags *diags);

/* The answers of protocol 6 (cfn/pack.h) from a schema with all types in it: what a pack is made with, and what a server does
 * without one. */
bool cc_answers_make(const struct provider_schema *schema, struct buf ret[CFN_N_ANSWERS], struct diags *diags);

struct cc_pack_options {
    struct str source; /* what it was made from, for the lock: the path or URL as given */
    int64_t date;      /* seconds since 1970, for the lock */
    bool without_answers;
};

/* What making it told: for people. */
struct cc_pack_made {
    size_t n_types, n_skipped; /* skipped: no resource type schema; each is a warning */
    size_t n_patterns, n_patterns_dropped;
    size_t bytes;
};

/*
 * Both texts are made in memory; of two schemas of one type the last one counts. False and diagnostics: no schema among them.
 * The lock: {"format":1,"source":TEXT,"date":TEXT,"types":{NAME:{"sha256":TEXT,"dropped_patterns":N}}}.
 */
bool cc_pack_make(const struct cfn_source *inputs, size_t n, const struct cc_pack_options *options, struct buf *ret_pack,
                  struct buf *ret_lock, struct cc_pack_made *ret, struct diags *diags);

/* Are these the schemas that the lock names, no more and no less? False: a diagnostic says which are not. */
bool cc_pack_locked(const struct cfn_source *inputs, size_t n, const struct json *lock, struct diags *diags);
