/*
 * The rules that a schema must keep (docs/core-rules.md 3.2), each violation a diagnostic.
 *
 * Separate from reading, because a schema that breaks them can still be looked at. Terraform and OpenTofu refuse to work with
 * a provider whose resources, data sources or ephemeral resources break one; they look at neither the provider block nor, in
 * older versions, the newer sections. Names of attributes are free: real providers use capitals and dashes.
 */
#pragma once

#include "schema/schema.h"

/* More violations than this in one provider are counted, not listed. */
enum { SCHEMA_CHECK_MAX = 50 };

/* All that Terraform would refuse. False and diagnostics if anything is wrong. */
bool provider_schema_check(const struct provider_schema *s, struct diags *diags);

/* One block with all that is in it; `what` begins the sentence: Resource type "aws_instance". */
bool schema_check(const struct schema *s, struct str what, struct diags *diags);

/*
 * The path of a name that the language cannot write, of a resource type (or data source) itself, its attributes or its blocks:
 * dots between the names, empty for that of the type. False: there is none.
 *
 * A type must be an identifier; attributes and blocks, which can be written in JSON too, must have nothing else in them. Of this
 * Terraform itself refuses blocks only. Who puts names into text of another language asks here first. Attributes of object
 * types are free, since their keys may stand in quotes.
 */
bool schema_bad_name(struct arena *a, struct str type, const struct schema *s, struct str *ret_path);
