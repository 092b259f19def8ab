/*
 * Names of types and properties: from CloudFormation's to Terraform's.
 *
 *     CloudFormation type   AWS::Logs::LogGroup      -> awscc_logs_log_group, plural awscc_logs_log_groups
 *     property              RetentionInDays          -> retention_in_days
 *     pointer               /properties/A/B          -> the property B in the property A
 *
 * The rules are those of hashicorp/awscc, so that configurations keep working. All functions are pure; strings are allocated in
 * the arena. There is no conversion back: where both names matter, the node tree has both (translate/node.h).
 */
#pragma once

#include "base/arena.h"

#define CFN_TYPE_PREFIX "awscc"

/* The longest property, type or attribute name; the loader (schema.h) refuses longer ones. */
enum { CFN_MAX_NAME = 512 };

/* AWS::Logs::LogGroup is {AWS, Logs, LogGroup}. Views into the text. */
struct cfn_type_name {
    struct str organisation, service, resource;
};

/* Parses three parts of 2 to 64 letters and digits, joined with ::. */
bool cfn_parse_cf_type(struct str text, struct cfn_type_name *ret);
/* The three parts joined with _. */
struct str cfn_make_tf_type(struct arena *a, const struct cfn_type_name *name);
/* AWS::Logs::LogGroup -> awscc_logs_log_group, Acme::Logs::LogGroup -> awscc_acme_logs_log_group */
struct str cfn_tf_type(struct arena *a, const struct cfn_type_name *cf);
/* awscc_logs_log_group -> log_group */
struct str cfn_relative_type(struct str tf_type);

/* VPCId -> vpc_id, Ipv6CidrBlock -> ipv_6_cidr_block; bytes, not characters. */
struct str cfn_snake(struct arena *a, struct str name);
/* For the identity schema, which has a different rule: the pointer without /properties/ , its steps concatenated. */
struct str cfn_identity_snake(struct arena *a, struct str pointer);

/* The English plural; a word that is its own plural gets `suffix`, or an s after a digit. */
struct str cfn_plural(struct arena *a, struct str word, struct str suffix);

/*
 * Parses a property pointer of a schema: /properties/A/B or /properties/A/ * /B (without the blanks around the star). Steps are
 * views into the text. False if it is not a pointer, or has an empty step.
 */
enum { CFN_MAX_POINTER_STEPS = 64 };
struct cfn_pointer {
    struct str steps[CFN_MAX_POINTER_STEPS];
    size_t n;
    bool starred; /* a step is *, which means any element */
};
bool cfn_parse_pointer(struct str text, struct cfn_pointer *ret);

/* Does the pointer name exactly this path of properties? Such a path has no steps for array elements, so a star never matches. */
bool cfn_pointer_is(struct str pointer, const struct str *path, size_t n);

/* #/definitions/X and #/properties/X; the # may be absent. */
enum cfn_ref_kind { CFN_REF_DEFINITION, CFN_REF_PROPERTY };
bool cfn_parse_ref(struct str ref, enum cfn_ref_kind *ret_kind, struct str *ret_name);
