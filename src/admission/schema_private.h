/*
 * The compiled schema of a CRD: a read-only tree with just what a check needs. Lookups use maps, rare keywords have a structure
 * of their own, and a node knows whether anything below it needs a given walk. So the time of a check depends on the size of the
 * object and not of the schema.
 */
#pragma once

#include "base/json.h"
#include "base/map.h"
#include "cfn/regex.h"

enum openapi_type {
    SCHEMA_ANY, /* no type */
    SCHEMA_OBJECT,
    SCHEMA_ARRAY,
    SCHEMA_STRING,
    SCHEMA_INTEGER,
    SCHEMA_NUMBER,
    SCHEMA_BOOLEAN,
    SCHEMA_INT_OR_STRING,
};

enum openapi_list_type { LIST_ATOMIC, LIST_SET, LIST_MAP };

struct openapi;
struct cel;

struct openapi_list {
    const struct openapi *const *v;
    size_t n;
};

struct openapi_names {
    const struct str *v;
    size_t n;
};

/* A rule of x-kubernetes-validations. */
struct openapi_rule {
    struct str text, message; /* the message may be empty */
    struct path field;        /* path below the node where a failure is reported */
    const struct cel *expression;
    bool uses_old;
    struct str unknown; /* not empty: why it is unsupported. Objects with a value there are rejected */
};

/* Limits of a value; -1: no limit. */
struct openapi_limits {
    bool has_minimum, has_maximum, exclusive_minimum, exclusive_maximum;
    double minimum, maximum, multiple_of; /* multiple_of 0: no limit */
    int64_t min_length, max_length, min_items, max_items, min_properties, max_properties;
    const struct json *values; /* enum, an array, or NULL */
    struct str pattern_text;
    const struct cfn_regex *pattern;
    struct str format_name;
    bool (*format)(struct str text);
};

/* Alternatives and conditions for the same value. */
struct openapi_parts {
    struct openapi_list all, any, one;
    const struct openapi *not_this;
};

struct openapi {
    enum openapi_type type;
    enum openapi_list_type list;
    bool nullable, preserve;
    bool has_rules, has_lists; /* this node or one below has rules, or lists that are sets or maps */
    bool has_additional;       /* allows members with any name; `additional` is NULL when their schema is unknown */
    const struct openapi *additional, *items;
    const struct map *properties;        /* of const struct openapi *, NULL: none */
    const struct json *by_default;       /* NULL: none */
    struct openapi_names defaults;       /* properties that have a default */
    struct openapi_names required, keys; /* keys: x-kubernetes-list-map-keys */
    const struct openapi_limits *limits; /* NULL: none */
    const struct openapi_parts *parts;   /* NULL: none */
    const struct openapi_rule *rules;
    size_t n_rules;
};

/* `where` names the place in the CRD. An unknown keyword is an error, because its condition would not be checked. */
bool openapi_compile(struct arena *a, const struct json *json, const char *where, struct diags *diags,
                     const struct openapi **ret);

/* NULL: no such property. */
static inline const struct openapi *openapi_property(const struct openapi *s, struct str name)
{
    return s && s->properties ? map_get(s->properties, name) : NULL;
}

/* A number as the API server reads it: an integer of 64 bits, otherwise a double. False: out of range. */
struct openapi_number {
    bool is_integer;
    int64_t integer;
    double real; /* always set */
};
bool openapi_number_read(struct str text, struct openapi_number *ret);

/* Looks up a format of strings (formats.c). False: unknown, any string is valid. *ret NULL: known, but not checked. */
bool openapi_format(struct str name, bool (**ret)(struct str text));

/* The key by which an array with x-kubernetes-list-type distinguishes values: equal for equal values or keys. */
struct str openapi_list_key(struct arena *a, const struct openapi *list, const struct json *element);
