/*
 * Configuration for an object that exists: what can be written about it such that a plan has nothing to do.
 *
 * A candidate is made from the object's state and its schema. Then the provider judges it: what its validation names is mended or
 * dropped, one argument at a time, until it is valid; where a plan would change something, other spellings of that argument are
 * tried (as the state has it, empty parts as null, not at all). What differs even so is ignored, exactly that and nothing else.
 * A configuration is accepted when the plan is empty, never otherwise.
 */
#pragma once

#include "engine/engine.h"

enum configure_style {
    CONFIGURE_LOSSLESS, /* all that the provider accepts */
    CONFIGURE_MINIMAL,  /* without the arguments whose absence leaves the plan empty */
};

struct configured {
    const struct value *config;  /* by the resource's schema: null is what is not written */
    struct change_paths ignored; /* for lifecycle.ignore_changes */
    struct change_paths unread;  /* required, but the provider does not tell them; what stands there is made up */
    struct change_paths dropped; /* that the state has and the provider refuses beside the others */
};

/* What somebody else decided about arguments of the object, by their names. */
struct configure_choice {
    const struct str *omit; /* are said elsewhere */
    size_t n_omit;
    const struct str *keep; /* are to be said, although they are deprecated */
    size_t n_keep;
};

/*
 * `stored` is the object as a state has it. `choice` may be NULL. ENGINE_FAILED: no configuration was accepted; the diagnostics
 * have the provider's last word.
 */
enum engine_status import_configure(struct engine *e, const struct resource *r, const struct object *object,
                                    const struct state_instance *stored, enum configure_style style,
                                    const struct configure_choice *choice, struct configured *ret);

/* candidate.c: the first try. `all` keeps what is deprecated and what is empty. */
const struct value *import_candidate(struct arena *a, const struct schema_block *schema, const struct value *state, bool all);

/* Likewise for an attribute with parts: those that are required, and one of a collection. */
const struct value *import_made_up_for(struct arena *a, const struct schema_attr *attr);

/* Likewise for blocks: one where one must be, and secrets in them that the provider does not tell. */
const struct value *import_filled(struct arena *a, const struct schema_nested_block *nested, const struct value *v);

/* The value with another one at the path, which leads somewhere in it, through no set. */
const struct value *import_with(struct arena *a, const struct value *v, struct path path, const struct value *part);

/* Where two values of one type differ: attributes, keys and indexes, as deep as they go; a set as a whole. */
struct change_paths import_differences(struct arena *a, const struct value *x, const struct value *y);

/* false, 0, "", nothing in it. */
bool import_is_zero(const struct value *v);
