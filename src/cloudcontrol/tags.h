/*
 * Tags that the provider adds to every object (default_tags), where a type can be tagged.
 *
 * A plan must say of a configured attribute what the configuration says, or keep what was before. So these tags are not planned:
 * they are added to what is sent (cc_with_default_tags). A refresh brings them into the state; then the plan keeps the state's
 * tags as long as they are those of the configuration with the default ones (plan.h). Where the configuration says nothing of
 * tags, they are planned as any other value: beside those that are there, and without those that are no longer default tags but
 * were when the object was last applied, which is why their keys are kept with the state.
 *
 * A configured tag wins over a default one of the same key. There are none in strict mode, and none for types whose
 * tags cannot be changed later, have further required members, or are not at the top level.
 */
#pragma once

#include "translate/translate.h"

struct cc_tag {
    struct str key, value;
};
struct cc_tags {
    const struct cc_tag *v;
    size_t n;
};

/* Is there a way to change an object of this type without making it anew? */
bool cc_can_update(const struct cc_type *type);

/* Position of the tag attribute among the root's children; SIZE_MAX: default tags do not apply to this type. */
size_t cc_tags_position(const struct cc_type *type);

/* `own` (of the tag attribute: known, or null) with the default tags. */
const struct value *cc_tags_merge(struct arena *a, const struct cc_node *node, const struct value *own, struct cc_tags defaults);

/*
 * `prior` (likewise) as it should be where nothing is configured: default tags have their values, `former` ones are gone. Itself
 * when that changes nothing.
 */
const struct value *cc_tags_renew(struct arena *a, const struct cc_node *node, const struct value *prior, struct cc_tags defaults,
                                  struct cc_tags former);

/* Keys of the default tags as text, to be kept with the state; empty: there are none for this type. And back, without values. */
struct str cc_tags_record(struct arena *a, const struct cc_type *type, struct cc_tags defaults);
struct cc_tags cc_tags_recorded(struct arena *a, struct str record);

/* The object with its tags merged; itself when default tags do not apply or its tags are unknown. */
const struct value *cc_with_default_tags(struct arena *a, const struct cc_type *type, const struct value *v,
                                         struct cc_tags defaults);
