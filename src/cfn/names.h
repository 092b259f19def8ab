/*
 * Names: the same thing as CloudFormation and Terraform call it.
 *
 *     CloudFormation type   AWS::Logs::LogGroup      -> awscc_logs_log_group, plural awscc_logs_log_groups
 *     property              RetentionInDays          -> retention_in_days
 *     pointer               /properties/A/B          -> the property B in the property A
 *
 * All of it as hashicorp/awscc has it, so that configurations keep working. All functions are pure; texts are made in the arena.
 * The way back does not exist: wherever both names matter, the node tree has both (translate/node.h).
 */
#pragma once

#include "base/arena.h"

#define CFN_TYPE_PREFIX "awscc"

/* Longest property, type or attribute name that is looked at; a longer one is refused by the loader (schema.h). */
enum { CFN_MAX_NAME = 512 };

/* AWS::Logs::LogGroup is {AWS, Logs, LogGroup}. Views into the text. */
struct cfn_type_name {
    struct str organisation, service, resource;
};

/* Three parts of 2 to 64 letters and digits, with :: between. */
bool cfn_parse_cf_type(struct str text, struct cfn_type_name *ret);
/* The three parts with _ between. */
struct str cfn_make_tf_type(struct arena *a, const struct cfn_type_name *name);
/* AWS::Logs::LogGroup -> awscc_logs_log_group, Acme::Logs::LogGroup -> awscc_acme_logs_log_group */
struct str cfn_tf_type(struct arena *a, const struct cfn_type_name *cf);
/* awscc_logs_log_group -> log_group */
struct str cfn_relative_type(struct str tf_type);

/* VPCId -> vpc_id, Ipv6CidrBlock -> ipv_6_cidr_block; bytes, not characters. */
struct str cfn_snake(struct arena *a, struct str name);
/* Of the identity schema, where another rule holds: a pointer without /properties/ , its steps run together. */
struct str cfn_identity_snake(struct arena *a, struct str pointer);

/* English; a word that is its own plural gets `suffix`, or an s behind a digit. */
struct str cfn_plural(struct arena *a, struct str word, struct str suffix);

/*
 * A property pointer, /properties/A/B or /properties/A/ * /B (with nothing around the star), as it stands in a schema. Steps are
 * views into the text. False: it is none, or has an empty step.
 */
enum { CFN_MAX_POINTER_STEPS = 64 };
struct cfn_pointer {
    struct str steps[CFN_MAX_POINTER_STEPS];
    size_t n;
    bool starred; /* a step is *, which stands for any element */
};
bool cfn_parse_pointer(struct str text, struct cfn_pointer *ret);

/* Does the pointer name exactly this path of properties? Array elements take no step, so a pointer with a star names none. */
bool cfn_pointer_is(struct str pointer, const struct str *path, size_t n);

/* #/definitions/X and #/properties/X; the # may be absent. */
enum cfn_ref_kind { CFN_REF_DEFINITION, CFN_REF_PROPERTY };
bool cfn_parse_ref(struct str ref, enum cfn_ref_kind *ret_kind, struct str *ret_name);
