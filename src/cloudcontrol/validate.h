/*
 * Validates a configuration against the schema, as terraform-plugin-framework does before it calls a provider's own code:
 * required attributes are set, read-only ones are not, and all validators pass (validators.h). Timeouts must be valid durations.
 */
#pragma once

#include "translate/node.h"

/* The messages are the framework's; `config` is an object of root's type, and anything in it may be unknown. */
void cc_validate_config(struct arena *a, const struct cc_node *root, const struct value *config, struct cc_patterns *patterns,
                        struct diags *diags);
