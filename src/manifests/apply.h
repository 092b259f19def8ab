/*
 * A manifest brought into a store, as `kubectl apply` does it: the object is made, or changed by a three-way merge (merge.h) so
 * that what others wrote into it stays; what changes nothing is not written.
 */
#pragma once

#include "manifests/merge.h"
#include "store/store.h"

/* Annotation: where the object was applied from, so that it can be known when its manifest is gone. */
#define APPLY_FROM "terrane/applied-from"

enum { APPLY_TRIES = 20 }; /* against who else writes the object */

/*
 * Defaults, and whether it may be stored: `object` as it would be, `old` as it is (NULL: not there). False and diagnostics: it
 * may not. Warnings are possible.
 */
typedef bool apply_admit(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                         const struct json **ret);

struct apply_options {
    struct store *store;
    struct str from;    /* for APPLY_FROM; empty: not said */
    apply_admit *admit; /* NULL: whatever the store takes */
    void *ctx;
};

enum apply_outcome {
    APPLY_UNCHANGED,
    APPLY_CREATED,
    APPLY_CONFIGURED,
    APPLY_BEING_DELETED, /* nothing was written: apply it again when the object that is being deleted has gone */
};

/* "created", "configured", "unchanged" */
const char *apply_word(enum apply_outcome outcome);

/*
 * `manifest` has its complete key (namespaces filled in). `*ret` is the object as it is stored now. What the store alone says
 * (uid, resourceVersion, status and the like) may stand in it, as it does in a copy of an object, and is ignored.
 */
bool apply_manifest(const struct apply_options *options, struct arena *a, const struct json *manifest, struct diags *diags,
                    enum apply_outcome *ret_outcome, const struct json **ret);
