/*
 * A configuration against the schema, as terraform-plugin-framework checks it before a provider's own code sees it: required
 * attributes are there, read-only ones are not, and then all validators (validators.h). And timeouts are times.
 */
#pragma once

#include "translate/node.h"

/* Messages are the framework's; `config` is an object of root's type, in which anything may be unknown. */
void cc_validate_config(struct arena *a, const struct cc_node *root, const struct value *config, struct cc_patterns *patterns,
                        struct diags *diags);
