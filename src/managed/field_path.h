/*
 * Paths into objects as Crossplane writes them: spec.forProvider.rule[0].name, metadata.annotations[example.org/key],
 * rule[*].password. A key that has a dot in it stands in brackets, `[*]` and `.*` are every element of an array or member of an
 * object.
 *
 * In keys of connection secrets brackets are not allowed; there the same paths are rule.0.password and
 * annotations...example.org/key...
 */
#pragma once

#include "base/json.h"

/* What a path may have at most: steps, and an index where there is no element yet. */
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

/* The same as key of a secret, and back. */
struct str managed_path_secret_key(struct arena *a, struct managed_path path);
bool managed_path_of_secret_key(struct arena *a, struct str key, struct diags *diags, struct managed_path *ret);

/* NULL: there is nothing. */
const struct json *managed_path_get(const struct json *root, struct managed_path path);

/* What is to be put where. */
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
 * The tree with all of them, at the cost of one copy of it; of two at the same path the later one counts. What is absent on the
 * way is made: objects, and arrays with null before the index. A diagnostic when something else is in the way, or an index is
 * beyond both MANAGED_PATH_MAX_INDEX and the end of the array.
 */
bool managed_apply(struct arena *a, const struct json *root, const struct managed_changes *changes, struct diags *diags,
                   const struct json **ret);

/* All paths without wildcards that lead to something (null counts), in order. A diagnostic when a wildcard is not at a
 * collection. */
bool managed_path_expand(struct arena *a, const struct json *root, struct managed_path path, struct diags *diags,
                         struct managed_paths *ret);

/* The path with the tail added. */
struct managed_path managed_path_join(struct arena *a, struct managed_path head, struct managed_path tail);
