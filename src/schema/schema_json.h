/*
 * Writes the schema as `terraform providers schema -json` prints it, and reads it back from such a file.
 *
 * Versions of Terraform and OpenTofu print different parts of the same schema. A form is a set of these parts; the named forms
 * were compared with the output of the real programs (interop tests).
 */
#pragma once

#include "schema/schema.h"

enum schema_json_form {
    SCHEMA_JSON_EPHEMERALS = 1 << 0,           /* ephemeral_resource_schemas */
    SCHEMA_JSON_WRITE_ONLY = 1 << 1,           /* write_only of attributes */
    SCHEMA_JSON_IDENTITIES = 1 << 2,           /* resource_identity_schemas */
    SCHEMA_JSON_LISTS = 1 << 3,                /* list_resource_schemas */
    SCHEMA_JSON_ACTIONS = 1 << 4,              /* action_schemas, which have no version */
    SCHEMA_JSON_STATE_STORES = 1 << 5,         /* state_store_schemas */
    SCHEMA_JSON_DEPRECATION = 1 << 6,          /* deprecation_message of attributes and blocks ... */
    SCHEMA_JSON_NESTED_DEPRECATION = 1 << 7,   /* ... and of attributes inside nested attributes */
    SCHEMA_JSON_FUNCTION_DEPRECATION = 1 << 8, /* deprecation_message of functions */
    /* In functions: empty descriptions are printed, and a top-level object type is printed without its optional marks. */
    SCHEMA_JSON_TOFU_FUNCTIONS = 1 << 9,

    SCHEMA_JSON_TERRAFORM_1_8 = SCHEMA_JSON_FUNCTION_DEPRECATION,
    SCHEMA_JSON_TERRAFORM_1_10 = SCHEMA_JSON_TERRAFORM_1_8 | SCHEMA_JSON_EPHEMERALS,
    SCHEMA_JSON_TERRAFORM_1_11 = SCHEMA_JSON_TERRAFORM_1_10 | SCHEMA_JSON_WRITE_ONLY,
    SCHEMA_JSON_TERRAFORM_1_12 = SCHEMA_JSON_TERRAFORM_1_11 | SCHEMA_JSON_IDENTITIES,
    SCHEMA_JSON_TERRAFORM_1_14 = SCHEMA_JSON_TERRAFORM_1_12 | SCHEMA_JSON_LISTS | SCHEMA_JSON_ACTIONS,
    SCHEMA_JSON_TERRAFORM_1_15 =
        SCHEMA_JSON_TERRAFORM_1_14 | SCHEMA_JSON_STATE_STORES | SCHEMA_JSON_DEPRECATION | SCHEMA_JSON_NESTED_DEPRECATION,
    SCHEMA_JSON_TOFU_1_7 = SCHEMA_JSON_TOFU_FUNCTIONS,
    SCHEMA_JSON_TOFU_1_11 = SCHEMA_JSON_TOFU_1_7 | SCHEMA_JSON_EPHEMERALS | SCHEMA_JSON_WRITE_ONLY,
    SCHEMA_JSON_TOFU_1_12 = SCHEMA_JSON_TOFU_1_11 | SCHEMA_JSON_IDENTITIES | SCHEMA_JSON_DEPRECATION,
    /* All parts. */
    SCHEMA_JSON_ALL = SCHEMA_JSON_TERRAFORM_1_15,
};

/* The form that a version prints, from a name such as "terraform-1.11.4" or "tofu-1.10"; false for other names. */
bool schema_json_form_named(struct str name, enum schema_json_form *ret);

/*
 * The whole document: {"format_version":"1.0","provider_schemas":{ADDRESS:{...}}}. If `only` is not empty, only the entries of
 * that name in each map are written, and no provider block.
 *
 * With indent 0 and html_escape the text is byte for byte Terraform's.
 */
void schema_write_document(struct json_writer *w, struct str address, const struct provider_schema *s, struct str only,
                           enum schema_json_form form);
/* One entry of provider_schemas. */
void schema_write_provider(struct json_writer *w, const struct provider_schema *s, struct str only, enum schema_json_form form);

/*
 * Reads a document of any form; unknown members are skipped. `address` selects the provider (short forms such as "aws" and
 * "hashicorp/aws" match the end of the full address); empty: the only provider in the document. On failure it returns NULL and
 * adds a diagnostic with line and column. The schema shares no memory with `document`. *ret_address (may be NULL) is the full
 * address.
 */
const struct provider_schema *schema_read_document(struct arena *a, const struct json *document, struct str address,
                                                   struct str *ret_address, struct diags *diags);
