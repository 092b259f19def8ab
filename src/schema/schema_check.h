/*
 * Checks the rules that a schema must follow (docs/core-rules.md 3.2); each violation is a diagnostic.
 *
 * The check is separate from reading, so that a schema that breaks rules can still be displayed. Terraform and OpenTofu refuse a
 * provider whose resources, data sources or ephemeral resources break a rule; they check neither the provider block nor, in older
 * versions, the newer sections. Attribute names are not restricted: real providers use capitals and dashes.
 */
#pragma once

#include "schema/schema.h"

/* Further violations in one provider are counted, not listed. */
enum { SCHEMA_CHECK_MAX = 50 };

/* Checks everything that Terraform would refuse. False, with diagnostics, if anything is wrong. */
bool provider_schema_check(const struct provider_schema *s, struct diags *diags);

/* Checks one block with all it contains; `what` is the subject of the messages: Resource type "aws_instance". */
bool schema_check(const struct schema *s, struct str what, struct diags *diags);

/*
 * Finds a name that the language cannot express: that of the resource type (or data source) itself, or of one of its attributes
 * or blocks. *ret_path has dots between the names and is empty for the type's own name. False when all names are fine.
 *
 * The name of a type must be an identifier. Names of attributes and blocks, which can be written in JSON too, must consist of the
 * characters of identifiers. Terraform itself enforces this for blocks only. Callers that put names into text of another language
 * check them here first. Attributes of object types are not restricted, because their keys may be quoted.
 */
bool schema_bad_name(struct arena *a, struct str type, const struct schema *s, struct str *ret_path);
