/*
 * Plans a change from the prior state, the configuration and the schema: defaults, unknowns, and what forces a replacement.
 *
 * For each attribute, parents before children, in the order of terraform-plugin-framework:
 *
 * 1. Proposal: the configured value, or the prior value if nothing is configured.
 * 2. A static default replaces null in the configuration.
 * 3. If the result differs from the prior state anywhere, computed attributes that are null in the configuration and have no
 *    default become unknown.
 * 4. On create, an unknown with a default of the kind that fills unknowns takes that default.
 * 5. Any other unknown takes the prior value (UseStateForUnknown); this applies to every computed attribute.
 * 6. Create-only attributes that changed force a replacement; optional ones only if they are configured.
 *
 * Where the framework compares the form of values, this compares their meaning (compare.h):
 *
 * - A configured value that means the same as the prior one keeps the prior form (order of unordered arrays, formatting of JSON),
 *   so Terraform sees no change.
 * - Array elements are paired with prior elements by content, then by position, not by position alone. So an element that moved
 *   keeps its own computed values.
 * - Computed parts of a new element or object are unknown, not null.
 * - Adding or removing an element does not force a replacement if only a pointer with * calls part of it create-only; only a
 *   change in place does.
 */
#pragma once

#include "cloudcontrol/node_value_private.h"
#include "cloudcontrol/tags.h"

struct cc_plan_input {
    const struct cc_node *root;
    const struct value *prior;    /* null: a creation */
    const struct value *config;   /* null: a destruction */
    const struct value *proposed; /* Terraform's proposed new state; null: a destruction */
    /* The state comes from an import and so has no write-only values; their absence must not force a replacement. */
    bool imported;
    struct cc_tags default_tags;
    struct cc_tags former_tags; /* the default tags when the object was last applied, without values */
    /* Properties of the type: cc_plan_type() sets these and `root`. */
    size_t tags_at; /* where default tags go (tags.h); SIZE_MAX: nowhere */
    bool no_update; /* no updates in place: every configured change forces a replacement */
};

struct cc_plan {
    const struct value *planned;
    struct cc_paths replace; /* sorted by text, without duplicates */
};

void cc_plan(struct arena *a, const struct cc_plan_input *in, struct cc_plan *ret);

/* As cc_plan(), after setting the input's fields that depend on the type. */
void cc_plan_type(struct arena *a, const struct cc_type *type, const struct cc_plan_input *input, struct cc_plan *ret);

/* Only step 4: an unknown becomes its default of the kind that fills unknowns; other values stay. */
const struct value *cc_plan_fill(const struct cc_node *node, const struct value *planned);
