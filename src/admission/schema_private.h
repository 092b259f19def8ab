/*
 * The schema of a CRD, compiled: a read-only tree that says of each field what is asked each time an object is checked, and no
 * more. What is looked up is in a map, what most nodes do not have is in a structure of its own, and a node knows whether there
 * is anything below it that a walk is made for, so that a check takes time by the size of the object and not of the schema.
 */
#pragma once

#include "base/json.h"
#include "base/map.h"
#include "cfn/regex.h"

enum openapi_type {
    SCHEMA_ANY, /* no type is given */
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
    struct path field;        /* below the node, where its failure is told */
    const struct cel *expression;
    bool uses_old;
    struct str unknown; /* not empty: why it cannot be evaluated. Whoever has a value there is refused */
};

/* What may be asked of a value beside its type; -1: it is not. */
struct openapi_limits {
    bool has_minimum, has_maximum, exclusive_minimum, exclusive_maximum;
    double minimum, maximum, multiple_of; /* multiple_of 0: it is not asked */
    int64_t min_length, max_length, min_items, max_items, min_properties, max_properties;
    const struct json *values; /* enum, an array, or NULL */
    struct str pattern_text;
    const struct cfn_regex *pattern;
    struct str format_name;
    bool (*format)(struct str text);
};

/* Conditions on the same value. */
struct openapi_parts {
    struct openapi_list all, any, one;
    const struct openapi *not_this;
};

struct openapi {
    enum openapi_type type;
    enum openapi_list_type list;
    bool nullable, preserve;
    bool has_rules, has_lists; /* here or below: rules, sets and maps as lists */
    bool has_additional;       /* members of any name; `additional` is NULL when nothing is known of them */
    const struct openapi *additional, *items;
    const struct map *properties;        /* of const struct openapi *, NULL: none */
    const struct json *by_default;       /* NULL: none */
    struct openapi_names defaults;       /* the properties that have one */
    struct openapi_names required, keys; /* keys: x-kubernetes-list-map-keys */
    const struct openapi_limits *limits; /* NULL: none */
    const struct openapi_parts *parts;   /* NULL: none */
    const struct openapi_rule *rules;
    size_t n_rules;
};

/* `where` names the place in the CRD. A keyword that is not known is an error: what it asks for would not be checked. */
bool openapi_compile(struct arena *a, const struct json *json, const char *where, struct diags *diags,
                     const struct openapi **ret);

/* NULL: there is no such property. */
static inline const struct openapi *openapi_property(const struct openapi *s, struct str name)
{
    return s && s->properties ? map_get(s->properties, name) : NULL;
}

/* A number as the API server reads it: whole numbers of 64 bits, else a double. False: it is out of range. */
struct openapi_number {
    bool is_integer;
    int64_t integer;
    double real; /* in any case */
};
bool openapi_number_read(struct str text, struct openapi_number *ret);

/* Formats of strings (formats.c). False: there is no such format, and any text has it. *ret NULL: there is, but it is not
 * checked. */
bool openapi_format(struct str name, bool (**ret)(struct str text));

/* What values in an array with x-kubernetes-list-type are told apart by: the same text for the same value or keys. */
struct str openapi_list_key(struct arena *a, const struct openapi *list, const struct json *element);
