/*
 * The rules that a schema must keep (reference protocol.md 4.1), each violation a diagnostic.
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
