/*
 * A CloudFormation resource type schema: read from JSON, checked, and immutable.
 *
 * A subschema stays a `const struct json *` in the parsed tree; cfn_property_read() decodes one level of it. So loading costs
 * hardly more than parsing, nothing is expanded until it is needed, and definitions that refer to themselves do no harm. Callers
 * that follow references must limit the depth themselves.
 *
 * Limits: CFN_MAX_TEXT bytes, JSON_MAX_DEPTH levels, CFN_MAX_PROPERTIES properties and definitions, names of CFN_MAX_NAME bytes.
 * Errors in a schema are diagnostics that name the type; merely odd content is left to the callers.
 */
#pragma once

#include "base/json.h"
#include "cfn/names.h"

enum { CFN_MAX_TEXT = 8 << 20, CFN_MAX_PROPERTIES = 20000, CFN_MAX_POINTERS = 5000, CFN_MAX_REFS = 32 };

/* Strings in the order of the schema. */
struct cfn_texts {
    const struct str *v;
    size_t n;
};
bool cfn_texts_have(const struct cfn_texts *texts, struct str text);

enum cfn_handler_kind { CFN_CREATE, CFN_READ, CFN_UPDATE, CFN_DELETE, CFN_LIST, CFN_N_HANDLERS };

struct cfn_handler {
    bool present;
    int64_t timeout_minutes;       /* 0: not specified */
    struct cfn_texts permissions;  /* as "s3:CreateBucket" */
    const struct json *properties; /* handlerSchema.properties; NULL: none */
    struct cfn_texts required;     /* of the handlerSchema */
    bool conditions;               /* the handlerSchema has anyOf, allOf or oneOf */
};

struct cfn_tagging {
    bool taggable, tag_on_create, tag_updatable;
    struct str property; /* pointer: /properties/Tags; empty if the type cannot be tagged */
};

struct cfn_schema {
    struct arena *arena;     /* all of it */
    const struct json *root; /* the whole document */
    struct str type_name;    /* AWS::Logs::LogGroup */
    struct cfn_type_name name;
    struct str description;
    const struct json *properties;  /* an object, may be empty */
    const struct json *definitions; /* an object, may be empty */
    struct cfn_texts required;      /* top-level properties */
    /* Pointers as written. */
    struct cfn_texts read_only, write_only, create_only, conditional_create_only, deprecated, primary_identifier;
    struct cfn_texts *additional_identifiers;
    size_t n_additional_identifiers;
    struct cfn_handler handlers[CFN_N_HANDLERS];
    struct cfn_tagging tagging;
};

/*
 * NULL and diagnostics if it is not a resource type schema. `source` (a file name) is for messages. Keeps no pointer to `text`.
 */
const struct cfn_schema *cfn_schema_parse(struct arena *a, struct str text, const char *source, struct diags *diags);
/* The same from parsed JSON, which must live as long as the arena. */
const struct cfn_schema *cfn_schema_load(struct arena *a, const struct json *root, const char *source, struct diags *diags);

enum cfn_type {
    CFN_NONE /* not specified */,
    CFN_BOOLEAN,
    CFN_INTEGER,
    CFN_NUMBER,
    CFN_STRING,
    CFN_ARRAY,
    CFN_OBJECT,
    CFN_NULL,
    CFN_BAD
};

/* One level of a subschema, references not followed. Absent members are NULL, empty, or as the comment says. */
struct cfn_property {
    const struct json *json; /* the subschema itself */
    enum cfn_type type;      /* of [a, b] the first that is not object; BAD: an unknown type, or more than two */
    struct str ref, description, format, pattern;
    const struct json *by_default;               /* JSON null counts as absent */
    const struct json *values;                   /* enum, an array */
    const struct json *minimum, *maximum;        /* numbers */
    int64_t min_length, max_length;              /* -1: none */
    int64_t min_items, max_items;                /* -1: none */
    bool unique_items, insertion_order;          /* defaults: false, true */
    const struct json *items;                    /* an object */
    const struct json *properties;               /* an object with members */
    const struct json *pattern_properties;       /* an object with members */
    const struct json *required;                 /* an array */
    const struct json *one_of, *any_of, *all_of; /* arrays */
    const char *odd; /* a keyword with an invalid value, which counts as absent; NULL if there is none */
};
void cfn_property_read(const struct json *j, struct cfn_property *ret);

/* Array class (docs/awscc-rules.md 1.3). */
enum cfn_array { CFN_ARRAY_LIST, CFN_ARRAY_UNIQUE_LIST, CFN_ARRAY_MULTISET, CFN_ARRAY_SET };
enum cfn_array cfn_array_class(const struct cfn_property *p);

/* The direct target of the reference; NULL if it does not exist. */
const struct json *cfn_schema_target(const struct cfn_schema *s, struct str ref);

/*
 * Follows references from `j`, at most CFN_MAX_REFS, to a subschema without one. The `default` and the non-empty description of
 * the referring subschema win over the target's. *ret_target is the last target; callers compare its address to detect
 * recursion. False if a target is missing or the references form a cycle.
 */
bool cfn_property_resolve(const struct cfn_schema *s, const struct json *j, struct cfn_property *ret,
                          const struct json **ret_target);
