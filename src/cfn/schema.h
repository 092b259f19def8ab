/*
 * A CloudFormation resource type schema: read from JSON, checked, never changed.
 *
 * JSON stays JSON: a subschema is a `const struct json *` in the tree that was parsed, and cfn_property_read() gives one level of
 * it in a form to work with. So loading costs what parsing costs, nothing is expanded that nobody asks for, and a schema whose
 * definitions refer to themselves is as harmless as any other. Whoever follows references keeps his own count of the depth.
 *
 * Bounds: CFN_MAX_TEXT bytes, JSON_MAX_DEPTH levels, CFN_MAX_PROPERTIES properties and definitions, names of CFN_MAX_NAME bytes.
 * What is wrong with a schema is a diagnostic that names the type; what is merely odd is left to those who work with it.
 */
#pragma once

#include "base/json.h"
#include "cfn/names.h"

enum { CFN_MAX_TEXT = 8 << 20, CFN_MAX_PROPERTIES = 20000, CFN_MAX_POINTERS = 5000, CFN_MAX_REFS = 32 };

/* Texts in order of the schema. */
struct cfn_texts {
    const struct str *v;
    size_t n;
};
bool cfn_texts_have(const struct cfn_texts *texts, struct str text);

enum cfn_handler_kind { CFN_CREATE, CFN_READ, CFN_UPDATE, CFN_DELETE, CFN_LIST, CFN_N_HANDLERS };

struct cfn_handler {
    bool present;
    int64_t timeout_minutes;       /* 0: not stated */
    struct cfn_texts permissions;  /* as "s3:CreateBucket" */
    const struct json *properties; /* handlerSchema.properties; NULL: none */
    struct cfn_texts required;     /* of the handlerSchema */
    bool conditions;               /* the handlerSchema has anyOf, allOf or oneOf */
};

struct cfn_tagging {
    bool taggable, tag_on_create, tag_updatable;
    struct str property; /* pointer: /properties/Tags; empty when the type cannot be tagged */
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

/* NULL and diagnostics when it is no resource type schema. `source` (a file name) is for messages. Nothing of `text` is kept. */
const struct cfn_schema *cfn_schema_parse(struct arena *a, struct str text, const char *source, struct diags *diags);
/* The same of JSON that is parsed already and lives as long as the arena. */
const struct cfn_schema *cfn_schema_load(struct arena *a, const struct json *root, const char *source, struct diags *diags);

enum cfn_type {
    CFN_NONE /* not stated */,
    CFN_BOOLEAN,
    CFN_INTEGER,
    CFN_NUMBER,
    CFN_STRING,
    CFN_ARRAY,
    CFN_OBJECT,
    CFN_NULL,
    CFN_BAD
};

/* One subschema, one level of it, references not followed. What is absent is NULL, empty, or as the comment says. */
struct cfn_property {
    const struct json *json; /* itself */
    enum cfn_type type;      /* of [a, b] the first that is not object; BAD: no known word, or more than two of them */
    struct str ref, description, format, pattern;
    const struct json *by_default;               /* JSON null counts as absent */
    const struct json *values;                   /* enum, an array */
    const struct json *minimum, *maximum;        /* numbers */
    int64_t min_length, max_length;              /* -1: none */
    int64_t min_items, max_items;                /* -1: none */
    bool unique_items, insertion_order;          /* false, true */
    const struct json *items;                    /* an object */
    const struct json *properties;               /* an object with members */
    const struct json *pattern_properties;       /* an object with members */
    const struct json *required;                 /* an array */
    const struct json *one_of, *any_of, *all_of; /* arrays */
    const char *odd; /* a keyword whose value is none that it can have, and counts as absent; NULL: there is none */
};
void cfn_property_read(const struct json *j, struct cfn_property *ret);

/* Array class (docs/awscc-rules.md 1.3). */
enum cfn_array { CFN_ARRAY_LIST, CFN_ARRAY_UNIQUE_LIST, CFN_ARRAY_MULTISET, CFN_ARRAY_SET };
enum cfn_array cfn_array_class(const struct cfn_property *p);

/* What the reference names, not followed further; NULL: nothing. */
const struct json *cfn_schema_target(const struct cfn_schema *s, struct str ref);

/*
 * Follows `j`'s reference, and that of its target, to a subschema without one: at most CFN_MAX_REFS steps. The referrer's own
 * `default` and its description, if not empty, win over the target's. *ret_target is where it ended: the identity of a
 * definition, which tells recursion. False: a target is missing or they go round in a circle.
 */
bool cfn_property_resolve(const struct cfn_schema *s, const struct json *j, struct cfn_property *ret,
                          const struct json **ret_target);
