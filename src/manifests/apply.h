/*
 * Applies a manifest to a store as `kubectl apply` does: creates the object, or changes it by a three-way merge (merge.h) that
 * keeps the fields of other writers. Writes nothing if nothing changes.
 */
#pragma once

#include "manifests/merge.h"
#include "store/store.h"

/* Annotation: the file that the object was applied from, so that the object can be found when its manifest is removed. */
#define APPLY_FROM "terrane/applied-from"

enum { APPLY_TRIES = 20 }; /* attempts when others write the object at the same time */

/*
 * Applies defaults and validates: `object` as it would be, `old` as it is (NULL: it does not exist). False and diagnostics:
 * rejected. May also add warnings.
 */
typedef bool apply_admit(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                         const struct json **ret);

struct apply_options {
    struct store *store;
    struct str from;    /* for APPLY_FROM; empty: none */
    apply_admit *admit; /* NULL: accept what the store accepts */
    void *ctx;
};

enum apply_outcome {
    APPLY_UNCHANGED,
    APPLY_CREATED,
    APPLY_CONFIGURED,
    APPLY_BEING_DELETED, /* nothing was written: apply again when the object that is being deleted is gone */
};

/* "created", "configured", "unchanged" */
const char *apply_word(enum apply_outcome outcome);

/*
 * `manifest` has its complete key (with the namespace). `*ret` is the object as it is stored now. Fields that only the store sets
 * (uid, resourceVersion, status and the like) are ignored, so a copy of an object is a valid manifest.
 */
bool apply_manifest(const struct apply_options *options, struct arena *a, const struct json *manifest, struct diags *diags,
                    enum apply_outcome *ret_outcome, const struct json **ret);
