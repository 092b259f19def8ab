/*
 * Paths into objects in Crossplane's syntax: spec.forProvider.rule[0].name, metadata.annotations[example.org/key],
 * rule[*].password. A key that contains a dot is written in brackets; `[*]` and `.*` match every element of an array or member of
 * an object.
 *
 * Keys of connection secrets cannot contain brackets; there these paths are rule.0.password and annotations...example.org/key...
 */
#pragma once

#include "base/json.h"

/* Limits of a path: its steps, and an index beyond the end of an array. */
enum { MANAGED_PATH_MAX_STEPS = 128, MANAGED_PATH_MAX_INDEX = 1024 };

struct managed_step {
    enum { MANAGED_STEP_KEY, MANAGED_STEP_INDEX, MANAGED_STEP_ANY } kind;
    struct str key;
    size_t index;
};

struct managed_path {
    const struct managed_step *v;
    size_t n;
};

struct managed_paths {
    struct managed_path *v;
    size_t n, cap;
};

bool managed_path_parse(struct arena *a, struct str text, struct diags *diags, struct managed_path *ret);
struct str managed_path_text(struct arena *a, struct managed_path path);

/* Converts between a path and its form as a key of a secret. */
struct str managed_path_secret_key(struct arena *a, struct managed_path path);
bool managed_path_of_secret_key(struct arena *a, struct str key, struct diags *diags, struct managed_path *ret);

/* NULL: no value at the path. */
const struct json *managed_path_get(const struct json *root, struct managed_path path);

/* A value to set at a path. */
struct managed_change {
    struct managed_path path;
    const struct json *value;
};
struct managed_changes {
    struct managed_change *v;
    size_t n, cap;
};
void managed_change_add(struct arena *a, struct managed_changes *changes, struct managed_path path, const struct json *value);

/*
 * Applies all changes with a single copy of the tree; of two changes of the same path the later one wins. Missing containers on
 * the way are created: objects, and arrays filled with null up to the index. Fails with a diagnostic when another value is in the
 * way, or an index is beyond both MANAGED_PATH_MAX_INDEX and the end of the array.
 */
bool managed_apply(struct arena *a, const struct json *root, const struct managed_changes *changes, struct diags *diags,
                   const struct json **ret);

/*
 * All paths without wildcards that match and have a value (null counts), in order. Fails with a diagnostic when a wildcard does
 * not match a collection.
 */
bool managed_path_expand(struct arena *a, const struct json *root, struct managed_path path, struct diags *diags,
                         struct managed_paths *ret);

/* Concatenates two paths. */
struct managed_path managed_path_join(struct arena *a, struct managed_path head, struct managed_path tail);
