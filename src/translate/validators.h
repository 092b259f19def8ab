/*
 * Validators of values, as a schema states them and as terraform-plugin-framework words them.
 *
 * null and unknown pass all of them but NotNull, which unknown passes too.
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
    CC_V_LENGTH_AT_LEAST, /* texts, in bytes */
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
    const struct json *values;           /* ONE_OF: array of texts or integers */
    struct str pattern;                  /* REGEX: RE2, unanchored */
    const struct cc_validator *elements; /* STRINGS, INT64S */
    size_t n_elements;
};

/* "Between", "ValueStringsAre": the names in tables. */
const char *cc_validator_name(enum cc_validator_kind kind);

/*
 * Compiled patterns, kept between calls: one for each thread or call, in an arena. NULL is allowed wherever it is asked for and
 * compiles anew.
 */
struct cc_patterns;
struct cc_patterns *cc_patterns_new(struct arena *a);

/* One value at `path` against one node's validators (elements of lists of texts included, nested objects not). */
void cc_validate_node(struct arena *a, const struct cc_node *node, const struct value *v, struct path path,
                      struct cc_patterns *patterns, struct diags *diags);
/* A whole configuration: every attribute at every depth. Also JSON texts that are none and times that are none. */
void cc_validate(struct arena *a, const struct cc_node *root, const struct value *config, struct cc_patterns *patterns,
                 struct diags *diags);
