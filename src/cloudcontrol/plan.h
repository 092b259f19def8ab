/*
 * What a provider plans, given what is, what the configuration says and what the schema knows: defaults, unknowns, what stays,
 * what forces a replacement.
 *
 * For each attribute, parents before children, in the order in which terraform-plugin-framework goes about it:
 *
 * 1. Proposal: what the configuration says; where it says nothing, what was before.
 * 2. A static default stands for null in the configuration.
 * 3. If all of this differs from what was before anywhere, computed attributes that the configuration leaves null and that have
 *    no default are unknown.
 * 4. What is unknown takes its default, if that is of the kind that fills unknowns (create) ...
 * 5. ... or what was before (UseStateForUnknown), which every computed attribute does.
 * 6. Create-only attributes that changed force a replacement; optional ones only if they are configured.
 *
 * And with the meaning of values (compare.h), where the framework looks at their form:
 *
 * - A configured value that means the same as the prior one keeps the prior one's form: order of arrays that have none, wording
 *   of JSON. Terraform takes it for no change.
 * - Elements of arrays are paired with those of before by content, then by place, not by place alone. So an element that moved
 *   takes its own computed values along, and not those of its predecessor.
 * - Computed parts of an element or object that is new are unknown, not null.
 * - An element that came or went does not force a replacement because a pointer with * calls something in it create-only; only a
 *   change in place does.
 */
#pragma once

#include "cloudcontrol/node_value_private.h"
#include "cloudcontrol/tags.h"

struct cc_plan_input {
    const struct cc_node *root;
    const struct value *prior;    /* null: a creation */
    const struct value *config;   /* null: a destruction */
    const struct value *proposed; /* by Terraform; null: a destruction */
    /* The state is of an import: nothing is known in it of what the service never gives back, so that no replacement is forced by
     * it. */
    bool imported;
    struct cc_tags default_tags;
    struct cc_tags former_tags; /* those that were default tags when the object was last applied; without values */
    /* Of the type: cc_plan_type() sets these and `root`. */
    size_t tags_at; /* where default tags go (tags.h); SIZE_MAX: nowhere */
    bool no_update; /* nothing can be updated in place: every change of what is configured forces a replacement */
};

struct cc_plan {
    const struct value *planned;
    struct cc_paths replace; /* in order of their texts, each once */
};

void cc_plan(struct arena *a, const struct cc_plan_input *in, struct cc_plan *ret);

/* The same with what the type says about itself. */
void cc_plan_type(struct arena *a, const struct cc_type *type, const struct cc_plan_input *input, struct cc_plan *ret);

/* Step 4 alone: an unknown becomes the default that fills unknowns; anything else stays. */
const struct value *cc_plan_fill(const struct cc_node *node, const struct value *planned);
