/*
 * The steps of admission, in the API server's order. Each takes a tree; the first two return a new one that shares unchanged
 * parts.
 */
#pragma once

#include "admission/problems_private.h"
#include "admission/schema_private.h"

struct checker {
    struct arena *arena;   /* for the result */
    struct arena *scratch; /* reset by its current user; used by one function at a time */
    struct problems *problems;
    bool strict; /* unknown fields are errors */
};

/* Removes unknown fields and nulls that are not allowed, and adds defaults. Keeps apiVersion, kind and metadata of the root. */
const struct json *check_shape(struct checker *c, const struct openapi *s, const struct json *object);

/*
 * Types, required fields, limits, alternatives. `old` NULL: none. Errors in an unchanged value are not reported, so a new schema
 * may be stricter than stored objects.
 */
void check_schema(struct checker *c, const struct openapi *s, const struct json *object, const struct json *old);

/* Checks that a set has no equal values and a list with keys no equal keys. */
void check_lists(struct checker *c, const struct openapi *s, const struct json *object);

/* x-kubernetes-validations. */
void check_rules(struct checker *c, const struct openapi *s, const struct json *object, const struct json *old);

/* --- metadata --- */

enum check_name { NAME_OF_OBJECT, NAME_OF_NAMESPACE };

/*
 * Metadata as the server keeps it: members of the wrong type are errors; unknown and empty ones are removed. NULL: there are
 * errors.
 */
const struct json *check_metadata_shape(struct checker *c, const struct json *metadata);

/* Adds the default namespace if none is given, and removes it where none is allowed. */
const struct json *check_namespace_use(struct checker *c, const struct json *metadata, bool namespaced, struct str in_namespace);

/* Checks names, labels, annotations, owners and finalizers of metadata with correct types. */
void check_metadata(struct checker *c, const struct json *metadata, bool namespaced, enum check_name name, bool is_update);

/* --- common --- */

/* Reports an unknown field. `known` (may be NULL) has the known ones, for a suggestion. */
void check_unknown(struct checker *c, const struct at *at, struct str name, const struct map *known);

/* A container with the place of `like` and these members or items. The arrays are not copied. */
const struct json *check_make_object(struct arena *a, const struct json *like, const struct json_member *members, size_t n);
const struct json *check_make_array(struct arena *a, const struct json *like, const struct json *const *items, size_t n);

/* Sets a member of the object; NULL removes it. */
const struct json *check_with(struct arena *a, const struct json *object, struct str key, const struct json *value);

/* The elements of a list with keys, by openapi_list_key(). NULL: not such a list. */
const struct map *check_elements(struct arena *a, const struct openapi *s, const struct json *list);

const char *check_kind_name(const struct json *j);
