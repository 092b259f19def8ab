/*
 * default_tags: tags that the provider adds to every object whose type can be tagged.
 *
 * A plan must have the configured value of a configured attribute, or the prior one. So default tags are not planned but added to
 * what is sent (cc_with_default_tags). A refresh puts them into the state; the plan keeps the state's tags while they equal the
 * configured tags with the default ones (plan.h). If no tags are configured, they are planned like any other value: default tags
 * are added to the existing ones, and former default tags are removed. For this, the keys of the default tags of the last apply
 * are kept with the state.
 *
 * A configured tag overrides a default tag with the same key. Default tags do not exist in strict mode, and do not apply to types
 * whose tags cannot be changed later, have further required members, or are not at the top level.
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

/* Can an object of this type be updated without replacing it? */
bool cc_can_update(const struct cc_type *type);

/* The index of the tag attribute among the root's children; SIZE_MAX if default tags do not apply to this type. */
size_t cc_tags_position(const struct cc_type *type);

/* Adds the default tags to `own`, a value of the tag attribute that is known or null. */
const struct value *cc_tags_merge(struct arena *a, const struct cc_node *node, const struct value *own, struct cc_tags defaults);

/*
 * The tags to plan if none are configured: `prior` (known or null) with the default tags and without the `former` ones. Returns
 * `prior` itself if nothing changes.
 */
const struct value *cc_tags_renew(struct arena *a, const struct cc_node *node, const struct value *prior, struct cc_tags defaults,
                                  struct cc_tags former);

/*
 * Encodes the keys of the default tags, to keep with the state (empty if none apply to this type); decodes them, without
 * values.
 */
struct str cc_tags_record(struct arena *a, const struct cc_type *type, struct cc_tags defaults);
struct cc_tags cc_tags_recorded(struct arena *a, struct str record);

/* The object with the default tags added; the object itself if they do not apply or its tags are unknown. */
const struct value *cc_with_default_tags(struct arena *a, const struct cc_type *type, const struct value *v,
                                         struct cc_tags defaults);
