/*
 * The parts of admission, in the order in which the API server has them. Each takes a tree, and the first two give another one
 * that shares with it what is the same.
 */
#pragma once

#include "admission/problems_private.h"
#include "admission/schema_private.h"

struct checker {
    struct arena *arena;   /* of the result */
    struct arena *scratch; /* emptied by whoever uses it, and by nobody while it is used */
    struct problems *problems;
    bool strict; /* unknown fields are errors */
};

/* Unknown fields and nulls that may not be go, defaults come. The root's apiVersion, kind and metadata stay as they are. */
const struct json *check_shape(struct checker *c, const struct openapi *s, const struct json *object);

/*
 * Types, required fields, limits, alternatives. `old` NULL: there is none; what is wrong with a value that did not change is not
 * told, so that a schema may become stricter than what is stored.
 */
void check_schema(struct checker *c, const struct openapi *s, const struct json *object, const struct json *old);

/* No value twice in a set, no keys twice in a list with keys. */
void check_lists(struct checker *c, const struct openapi *s, const struct json *object);

/* x-kubernetes-validations. */
void check_rules(struct checker *c, const struct openapi *s, const struct json *object, const struct json *old);

/* --- metadata --- */

enum check_name { NAME_OF_OBJECT, NAME_OF_NAMESPACE };

/* Metadata as the server keeps it: members with a type that is wrong are errors, unknown and empty ones go. NULL: there are
 * errors. */
const struct json *check_metadata_shape(struct checker *c, const struct json *metadata);

/* With the namespace that is meant when none is said, and without one where none can be. */
const struct json *check_namespace_use(struct checker *c, const struct json *metadata, bool namespaced, struct str in_namespace);

/* Names, labels, annotations, owners, finalizers of metadata that has its shape. */
void check_metadata(struct checker *c, const struct json *metadata, bool namespaced, enum check_name name, bool is_update);

/* --- for all --- */

/* An unknown field. `known` may be NULL. */
void check_unknown(struct checker *c, const struct at *at, struct str name, const struct map *known);

/* A container like this one, with its place, and with these members or items instead. The arrays are not copied. */
const struct json *check_make_object(struct arena *a, const struct json *like, const struct json_member *members, size_t n);
const struct json *check_make_array(struct arena *a, const struct json *like, const struct json *const *items, size_t n);

/* The object with this member set; a NULL value takes it away. */
const struct json *check_with(struct arena *a, const struct json *object, struct str key, const struct json *value);

/* Of a list with keys: its elements by openapi_list_key(). NULL: it is another list, or none. */
const struct map *check_elements(struct arena *a, const struct openapi *s, const struct json *list);

const char *check_kind_name(const struct json *j);
