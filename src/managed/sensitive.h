/*
 * Secret values: from Secrets into the configuration, from the state into the connection secret, and from there back.
 *
 * A Secret's data is always an object of decoded strings here. Diagnostics never contain values.
 *
 * A reference without namespace means the object's own. In a namespaced kind every reference does, whatever it says: an object
 * must not give access to Secrets of another namespace.
 */
#pragma once

#include "crossplane/model.h"
#include "managed/field_path.h"

#define MANAGED_ATTRIBUTE_PREFIX "attribute."

/* Data of a Secret; NULL: it does not exist. */
typedef const struct json *managed_secret_fn(void *ctx, struct str namespace, struct str name);

/* A Secret, or a key of one, that an object refers to and that does not exist. */
struct managed_missing {
    struct str name, namespace;
    struct str key; /* empty: the Secret as a whole */
};
struct managed_missing_list {
    struct managed_missing *v;
    size_t n, cap;
};

/* Where a secret value is: its path in parameters, and the path of its reference relative to forProvider or initProvider. */
struct managed_secret_path {
    struct str terraform, object;
    bool json; /* the key holds the value as JSON */
};
struct managed_secret_paths {
    struct managed_secret_path *v;
    size_t n, cap;
};

/* The paths of a kind: of its secret inputs; and of all its secret attributes, which go into the connection secret. */
struct managed_secret_paths managed_secret_inputs(struct arena *a, const struct xp_kind *k);
struct managed_secret_paths managed_secret_attributes(struct arena *a, const struct xp_kind *k);

/*
 * `parameters` with the values of the object's secret references; forProvider wins over initProvider. Missing ones are added to
 * `missing` and are "" in the result. That is good enough to destroy an object; do not create or update one while any is missing.
 */
bool managed_add_secrets(struct arena *a, struct managed_secret_paths paths, const struct json *object,
                         const struct json *parameters, managed_secret_fn *look_up, void *ctx, struct diags *diags,
                         struct managed_missing_list *missing, const struct json **ret);
/* Reports which Secret and key are missing and that the object waits for them. */
void managed_say_missing(struct diags *diags, const struct managed_missing_list *missing);

/*
 * Secrets to generate: those that the object refers to for arguments whose flag it sets (autoGeneratePassword). The caller
 * creates the missing ones.
 */
void managed_generated_secrets(struct arena *a, const struct xp_kind *k, const struct json *object,
                               struct managed_missing_list *ret);

/* Additional keys for the connection secret, from parameters: an object of strings, or NULL and a diagnostic. */
typedef const struct json *managed_details_fn(void *ctx, struct arena *a, const struct json *parameters, struct diags *diags);

/*
 * A managed_details_fn that takes the kind's configured connection_details from the state; `ctx` is a struct
 * managed_state_details. Values that are absent, or not a string, number or bool, are left out.
 */
struct managed_state_details {
    const struct xp_kind *kind;
    const struct json *attributes; /* in Terraform's form */
};
managed_details_fn managed_configured_details;

/*
 * Data of the connection secret, from parameters: one key for each secret value, "attribute." followed by its path. Elements of a
 * list or map whose path has no wildcard get the key without its final "s". `additional` may be NULL; one of its keys that
 * already exists is an error. Returns an empty object when there are no values.
 */
bool managed_connection_details(struct arena *a, struct managed_secret_paths paths, const struct json *parameters,
                                managed_details_fn *additional, void *ctx, struct diags *diags, const struct json **ret);

/* `parameters` with the values of the connection secret; keys without the prefix are ignored. `data` may be NULL. */
bool managed_add_connection_secret(struct arena *a, struct managed_secret_paths paths, const struct json *parameters,
                                   const struct json *data, struct diags *diags, const struct json **ret);

/* The place of the value whose reference is at `object_path`: the path with that path's indices; [0] for singletons. */
bool managed_secret_place(struct arena *a, const struct managed_secret_path *path, struct managed_path object_path,
                          struct diags *diags, struct managed_path *ret);
