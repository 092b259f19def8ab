/*
 * The schema pack: every resource type schema of CloudFormation in one memory-mapped file.
 *
 *     header | index by CloudFormation name | index by Terraform name | names | types, each compressed separately | answers
 *
 * - Finding a type takes O(log n), and using it costs only its own block of 1 to 100 kB, which is unpacked, parsed and
 *   translated.
 * - The pack contains encoded answers to GetMetadata, GetProviderSchema and GetResourceIdentitySchemas of protocol 6, for both
 *   modes, made by the same functions that would make them at run time.
 * - The same schemas give the same bytes, whatever their source. The lock file next to the pack records source and date.
 *
 * A pack is untrusted input: opening it checks every offset, unpacking checks every block (size, CRC). Several threads may use a
 * pack at once. Format version 1, little-endian; other versions are refused, and such packs must be made again.
 */
#pragma once

#include "cfn/schema.h"

#define CFN_PACK_MAGIC "TRNPACK\n"
#define CFN_PACK_MAX_BYTES ((size_t)1 << 30)
enum {
    CFN_PACK_FORMAT = 1,
    CFN_PACK_MAX_TYPES = 20000,
};

/* The two ways to translate types (translate/translate.h). A pack has flags and answers for both. */
enum cfn_mode { CFN_MODE_DEFAULT, CFN_MODE_STRICT };

struct cfn_pack;

/* What is known of a type without unpacking it. */
struct cfn_pack_entry {
    struct str cf_type, tf_type, plural; /* `plural`: empty if there is no plural data source */
    struct {
        bool resource, singular, plural, list;
    } has[2];                 /* by enum cfn_mode */
    unsigned char sha256[32]; /* of the original schema */
};

/* Does the file begin with the magic of a pack? */
bool cfn_pack_is(const char *path);
/* NULL and a diagnostic if the file is missing, truncated, of another version, or not a pack. */
struct cfn_pack *cfn_pack_open(const char *path, struct diags *diags);
void cfn_pack_close(struct cfn_pack *pack); /* accepts NULL */

size_t cfn_pack_size(const struct cfn_pack *pack); /* number of types */
/* Entry `i`; entries are sorted by CloudFormation name. */
void cfn_pack_entry(const struct cfn_pack *pack, size_t i, struct cfn_pack_entry *ret);
/* The position of a type by CloudFormation name, Terraform name, or name of the plural data source; SIZE_MAX if not found. */
size_t cfn_pack_find(const struct cfn_pack *pack, struct str name);

/* The sanitised schema, as JSON text. */
bool cfn_pack_text(const struct cfn_pack *pack, size_t i, struct arena *a, struct diags *diags, struct str *ret);

/*
 * An encoded response of protocol 6, in the mapped file. Empty if the pack was made without answers, or with another version of
 * the translation (CC_TRANSLATION) than the caller's.
 */
enum cfn_answer { CFN_ANSWER_SCHEMA, CFN_ANSWER_IDENTITIES, CFN_ANSWER_METADATA, CFN_N_ANSWERS };
struct str cfn_pack_answer(const struct cfn_pack *pack, uint32_t translation, enum cfn_mode mode, enum cfn_answer answer);
