/*
 * Secret values: out of Secrets into the configuration, out of the state into the connection secret, and back from there.
 *
 * In all of it a Secret's data is an object of texts, decoded. No value ever stands in a diagnostic.
 *
 * A reference without namespace is to the object's own; in a namespaced kind every reference is, whatever it says: nobody reads
 * Secrets of a namespace through an object of another.
 */
#pragma once

#include "crossplane/model.h"
#include "managed/field_path.h"

#define MANAGED_ATTRIBUTE_PREFIX "attribute."

/* Data of a Secret; NULL: there is none. */
typedef const struct json *managed_secret_fn(void *ctx, struct str namespace, struct str name);

/* A Secret, or a key of one, that is referred to and is not there. */
struct managed_missing {
    struct str name, namespace;
    struct str key; /* empty: the Secret as a whole */
};
struct managed_missing_list {
    struct managed_missing *v;
    size_t n, cap;
};

/* Where a secret value is: in parameters, and its reference relative to forProvider and initProvider. */
struct managed_secret_path {
    struct str terraform, object;
    bool json; /* the key holds the value as JSON */
};
struct managed_secret_paths {
    struct managed_secret_path *v;
    size_t n, cap;
};

/* Those of a kind: its inputs; and all of its secret attributes, which are those of the connection secret. */
struct managed_secret_paths managed_secret_inputs(struct arena *a, const struct xp_kind *k);
struct managed_secret_paths managed_secret_attributes(struct arena *a, const struct xp_kind *k);

/*
 * `parameters` with the values that the references of the object lead to; forProvider wins over initProvider. What is missing is
 * added to `missing` and stands as "" in the result, which is good enough to destroy an object; to create or change one wait
 * until nothing is missing.
 */
bool managed_add_secrets(struct arena *a, struct managed_secret_paths paths, const struct json *object,
                         const struct json *parameters, managed_secret_fn *look_up, void *ctx, struct diags *diags,
                         struct managed_missing_list *missing, const struct json **ret);
/* For a user: which Secret, which key, and that the object waits for it. */
void managed_say_missing(struct diags *diags, const struct managed_missing_list *missing);

/*
 * Secrets to be made up: those that the object refers to for arguments whose flag it sets (autoGeneratePassword). Whoever finds
 * one of them missing makes it.
 */
void managed_generated_secrets(struct arena *a, const struct xp_kind *k, const struct json *object,
                               struct managed_missing_list *ret);

/* More keys for the connection secret, from parameters: an object of texts, or NULL and a diagnostic. */
typedef const struct json *managed_details_fn(void *ctx, struct arena *a, const struct json *parameters, struct diags *diags);

/*
 * A managed_details_fn with what the configuration of the kind says (connection_details), from the state; `ctx` is a struct
 * managed_state_details. What is not there, or is not a text, a number or a bool, is left out.
 */
struct managed_state_details {
    const struct xp_kind *kind;
    const struct json *attributes; /* as Terraform has them */
};
managed_details_fn managed_configured_details;

/*
 * Data of the connection secret, from parameters: a key for each secret value, "attribute." and its path; of elements of a list
 * or map whose path has no wildcard without the "s" at the end. `additional` may be NULL; a key of its own that is there already
 * is an error. An empty object when there is nothing.
 */
bool managed_connection_details(struct arena *a, struct managed_secret_paths paths, const struct json *parameters,
                                managed_details_fn *additional, void *ctx, struct diags *diags, const struct json **ret);

/* `parameters` with what the connection secret has; keys without the prefix are not ours. `data` may be NULL. */
bool managed_add_connection_secret(struct arena *a, struct managed_secret_paths paths, const struct json *parameters,
                                   const struct json *data, struct diags *diags, const struct json **ret);

/* Where the value of the reference at `object_path` belongs: the indices of the one path in the other; [0] for singletons. */
bool managed_secret_place(struct arena *a, const struct managed_secret_path *path, struct managed_path object_path,
                          struct diags *diags, struct managed_path *ret);
