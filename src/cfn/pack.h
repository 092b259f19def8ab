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

#include "cfn/schema.h"

#define CFN_PACK_MAGIC "TRNPACK\n"
#define CFN_PACK_MAX_BYTES ((size_t)1 << 30)
enum {
    CFN_PACK_FORMAT = 1,
    CFN_PACK_MAX_TYPES = 20000,
};

/* A pack says of each type, and has answers, for both ways in which types are translated (translate/translate.h). */
enum cfn_mode { CFN_MODE_DEFAULT, CFN_MODE_STRICT };

struct cfn_pack;

/* What can be said of a type without unpacking it. */
struct cfn_pack_entry {
    struct str cf_type, tf_type, plural; /* `plural`: empty when there is no plural data source */
    struct {
        bool resource, singular, plural, list;
    } has[2];                 /* by enum cfn_mode */
    unsigned char sha256[32]; /* of the schema as it came */
};

/* Does the file begin as a pack does? */
bool cfn_pack_is(const char *path);
/* NULL and a diagnostic: absent, cut off, another version, not a pack. */
struct cfn_pack *cfn_pack_open(const char *path, struct diags *diags);
void cfn_pack_close(struct cfn_pack *pack); /* accepts NULL */

size_t cfn_pack_size(const struct cfn_pack *pack); /* types in it */
/* By CloudFormation name, in order. */
void cfn_pack_entry(const struct cfn_pack *pack, size_t i, struct cfn_pack_entry *ret);
/* Position by either name (AWS::Logs::LogGroup, awscc_logs_log_group, or the name of the plural data source); SIZE_MAX: none. */
size_t cfn_pack_find(const struct cfn_pack *pack, struct str name);

/* The schema, sanitised, as JSON text. */
bool cfn_pack_text(const struct cfn_pack *pack, size_t i, struct arena *a, struct diags *diags, struct str *ret);

/*
 * Encoded responses of protocol 6, in memory that is the file's. Empty: the pack was made without them, or by another state of
 * the translation than the caller's.
 */
enum cfn_answer { CFN_ANSWER_SCHEMA, CFN_ANSWER_IDENTITIES, CFN_ANSWER_METADATA, CFN_N_ANSWERS };
struct str cfn_pack_answer(const struct cfn_pack *pack, uint32_t translation, enum cfn_mode mode, enum cfn_answer answer);
