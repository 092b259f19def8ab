/*
 * Finds a configuration for an existing object for which the plan is empty.
 *
 * The first candidate comes from the object's state and schema. Then the provider judges it: arguments that validation errors
 * name are fixed or dropped, one at a time, until the configuration is valid. Where the plan would change an argument, other
 * spellings are tried (as in the state, empty parts as null, omitted). Exactly the remaining differences go into ignore_changes.
 * A configuration is accepted only when its plan is empty.
 */
#pragma once

#include "engine/engine.h"

enum configure_style {
    CONFIGURE_LOSSLESS, /* everything that the provider accepts */
    CONFIGURE_MINIMAL,  /* without arguments that can be omitted with the plan still empty */
};

struct configured {
    const struct value *config;  /* of the resource's schema type: null arguments are not written */
    struct change_paths ignored; /* for lifecycle.ignore_changes */
    struct change_paths unread;  /* required, but not readable from the provider; their values are made up */
    struct change_paths dropped; /* in the state, but the provider rejects them beside other arguments */
};

/* What the caller has decided about arguments of the object, by name. */
struct configure_choice {
    const struct str *omit; /* omit: configured elsewhere */
    size_t n_omit;
    const struct str *keep; /* keep, although deprecated */
    size_t n_keep;
};

/*
 * `stored` is the object as in a state. `choice` may be NULL. ENGINE_FAILED: no configuration was accepted; the diagnostics are
 * the provider's last ones.
 */
enum engine_status import_configure(struct engine *e, const struct resource *r, const struct object *object,
                                    const struct state_instance *stored, enum configure_style style,
                                    const struct configure_choice *choice, struct configured *ret);

/* candidate.c: the first candidate. `all` keeps deprecated and empty arguments. */
const struct value *import_candidate(struct arena *a, const struct schema_block *schema, const struct value *state, bool all);

/* A made-up value for the attribute: of nested attributes the required ones, of a collection one element. NULL: not possible. */
const struct value *import_made_up_for(struct arena *a, const struct schema_attr *attr);

/* The blocks with made-up contents: one block where one is required, and secrets in blocks that the provider does not return. */
const struct value *import_filled(struct arena *a, const struct schema_nested_block *nested, const struct value *v);

/* Replaces the part at the path, which must exist and must not lead through a set. */
const struct value *import_with(struct arena *a, const struct value *v, struct path path, const struct value *part);

/* Where two values of one type differ: attributes, keys and indexes at any depth; a set as a whole. */
struct change_paths import_differences(struct arena *a, const struct value *x, const struct value *y);

/* false, 0, "" or an empty collection. */
bool import_is_zero(const struct value *v);
