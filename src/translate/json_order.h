/*
 * JSON texts that stand for what Terraform has no types for: below a recursive definition, for example. Their schema still says
 * which arrays have no order, and the service returns those in any.
 */
#pragma once

#include "translate/node.h"

/* The document with those of its arrays sorted; as it is if the node is not such a text. */
const struct json *cc_json_in_one_order(struct arena *a, const struct cc_node *node, const struct json *j);
