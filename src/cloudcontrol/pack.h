/*
 * The schema pack: every resource type schema of CloudFormation in one file, to be mapped and not read.
 *
 *     header | index by CloudFormation name | index by Terraform name | texts | types, each compressed by itself | answers
 *
 * - A type is found in O(log n) and costs only itself: one block of 1 to 100 kB is unpacked, parsed and translated.
 * - The answers to GetMetadata, GetProviderSchema and GetResourceIdentitySchemas of protocol 6 lie in it ready to be sent,
 *   for both modes; they are made by the very functions that would make them at run time.
 * - The same schemas give the same bytes, wherever they come from. The lock file beside it says where and when.
 *
 * A pack is data from outside: every offset is checked when it is opened, every block when it is unpacked (size, CRC). A pack may
 * be used by several threads at once. Format version 1, little-endian; other versions are refused and have to be made anew.
 */
#pragma once

#include "cloudcontrol/translate.h"

#define CC_PACK_MAGIC "TRNPACK\n"
#define CC_PACK_MAX_BYTES ((size_t)1 << 30)
enum {
    CC_PACK_FORMAT = 1,
    CC_PACK_MAX_TYPES = 20000,
    /*
     * What a translation gives. To be raised whenever the answers of an unchanged schema change: then those in older packs count
     * as absent. pack_test.c notices when that was forgotten.
     */
    CC_TRANSLATION = 3,
};

struct cc_pack;

/* What can be said of a type without unpacking it. */
struct cc_pack_entry {
    struct str cf_type, tf_type, plural; /* `plural`: empty when there is no plural data source */
    struct {
        bool resource, singular, plural, list;
    } has[2];                 /* by enum cc_mode */
    unsigned char sha256[32]; /* of the schema as it came */
};

/* Does the file begin as a pack does? */
bool cc_pack_is(const char *path);
/* NULL and a diagnostic: absent, cut off, another version, not a pack. */
struct cc_pack *cc_pack_open(const char *path, struct diags *diags);
void cc_pack_close(struct cc_pack *pack); /* accepts NULL */

size_t cc_pack_size(const struct cc_pack *pack); /* types in it */
/* By CloudFormation name, in order. */
void cc_pack_entry(const struct cc_pack *pack, size_t i, struct cc_pack_entry *ret);
/* Position by either name (AWS::Logs::LogGroup, awscc_logs_log_group, or the name of the plural data source); SIZE_MAX: none. */
size_t cc_pack_find(const struct cc_pack *pack, struct str name);

/* The schema, sanitised, as JSON text. */
bool cc_pack_text(const struct cc_pack *pack, size_t i, struct arena *a, struct diags *diags, struct str *ret);
/* Unpacked, parsed and translated; all in `a`. NULL and a diagnostic. */
const struct cc_type *cc_pack_type(const struct cc_pack *pack, size_t i, enum cc_mode mode, struct arena *a, struct diags *diags);

/*
 * Encoded responses of protocol 6, in memory that is the file's. Empty: the pack was made without them, or by another
 * translation; cc_answers_make() then makes them.
 */
enum cc_answer { CC_ANSWER_SCHEMA, CC_ANSWER_IDENTITIES, CC_ANSWER_METADATA, CC_N_ANSWERS };
struct str cc_pack_answer(const struct cc_pack *pack, enum cc_mode mode, enum cc_answer answer);
/* The same from a schema with all types in it: what a pack is made with, and what a server does without one. */
bool cc_answers_make(const struct provider_schema *schema, struct buf ret[CC_N_ANSWERS], struct diags *diags);

/* --- making one (pack_write.c) --- */

struct cc_pack_input {
    struct str name; /* of the file, for messages */
    struct str text;
    const unsigned char *sha256; /* of the schema as it once came; NULL: the text is that */
};

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
bool cc_pack_make(const struct cc_pack_input *inputs, size_t n, const struct cc_pack_options *options, struct buf *ret_pack,
                  struct buf *ret_lock, struct cc_pack_made *ret, struct diags *diags);

/* Are these the schemas that the lock names, no more and no less? False: a diagnostic says which are not. */
bool cc_pack_locked(const struct cc_pack_input *inputs, size_t n, const struct json *lock, struct diags *diags);
