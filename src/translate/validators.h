/*
 * Validators of values: the schema's rules, with the messages of terraform-plugin-framework.
 *
 * null passes all of them except NotNull; unknown passes all.
 */
#pragma once

#include "base/json.h"
#include "value/value.h"

struct cc_node;
struct cfn_regex;

enum cc_validator_kind {
    CC_V_AT_LEAST, /* numbers */
    CC_V_AT_MOST,
    CC_V_BETWEEN,
    CC_V_LENGTH_AT_LEAST, /* strings, in bytes */
    CC_V_LENGTH_AT_MOST,
    CC_V_LENGTH_BETWEEN,
    CC_V_SIZE_AT_LEAST, /* lists and sets */
    CC_V_SIZE_AT_MOST,
    CC_V_SIZE_BETWEEN,
    CC_V_ONE_OF,
    CC_V_REGEX,
    CC_V_UNIQUE,
    CC_V_STRINGS, /* each element, by `elements` */
    CC_V_INT64S,
    CC_V_NOT_NULL,
};

struct cc_validator {
    enum cc_validator_kind kind;
    struct number min, max;              /* AT_*, BETWEEN of numbers */
    int64_t min_size, max_size;          /* LENGTH_*, SIZE_* */
    const struct json *values;           /* ONE_OF: array of strings or integers */
    struct str pattern;                  /* REGEX: RE2, unanchored */
    const struct cc_validator *elements; /* STRINGS, INT64S */
    size_t n_elements;
};

/* The name in tables: "Between", "ValueStringsAre". */
const char *cc_validator_name(enum cc_validator_kind kind);

/*
 * A cache of compiled patterns, in an arena; use one per thread or call. Functions accept NULL and then compile each time.
 */
struct cc_patterns;
struct cc_patterns *cc_patterns_new(struct arena *a);

/* Checks one value at `path` with its node's validators, including elements of lists of strings but not nested objects. */
void cc_validate_node(struct arena *a, const struct cc_node *node, const struct value *v, struct path path,
                      struct cc_patterns *patterns, struct diags *diags);
/* Checks a whole configuration at every depth, and also that JSON and time strings are valid. */
void cc_validate(struct arena *a, const struct cc_node *root, const struct value *config, struct cc_patterns *patterns,
                 struct diags *diags);
