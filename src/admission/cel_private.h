/* The tree of an expression, shared by the parser, the checker and the evaluator. */
#pragma once

#include "admission/cel.h"
#include "cfn/regex.h"

enum cel_kind { CEL_NULL, CEL_BOOL, CEL_INT, CEL_UINT, CEL_DOUBLE, CEL_STRING, CEL_LIST, CEL_MAP, CEL_OPAQUE, CEL_FAILED };

struct cel_value {
    enum cel_kind kind;
    bool boolean;
    int64_t integer;
    uint64_t natural;
    double real;
    struct str text;               /* CEL_STRING; CEL_FAILED: why */
    struct cel_data data;          /* CEL_MAP, CEL_LIST and CEL_OPAQUE of an object */
    const struct cel_value *items; /* for a CEL_LIST that an expression made: data.json is NULL */
    size_t n;
};

enum cel_op {
    CEL_LITERAL,
    CEL_IDENT, /* name */
    CEL_MAKE_LIST,
    CEL_SELECT, /* args[0].name */
    CEL_HAS,    /* has(args[0].name) */
    CEL_INDEX,  /* args[0][args[1]] */
    CEL_CALL,   /* function(args...): size, and string functions */
    CEL_NOT,
    CEL_NEGATE,
    CEL_AND, /* of any number of operands, like OR */
    CEL_OR,
    CEL_CHOOSE, /* args[0] ? args[1] : args[2] */
    CEL_EQUAL,
    CEL_DIFFERENT,
    CEL_LESS,
    CEL_LESS_OR_EQUAL,
    CEL_GREATER,
    CEL_GREATER_OR_EQUAL,
    CEL_IN,
    CEL_ADD,
    CEL_SUBTRACT,
    CEL_MULTIPLY,
    CEL_DIVIDE,
    CEL_REMAINDER,
    CEL_ALL, /* args[0].all(name, args[1]); the four below have the same form */
    CEL_EXISTS,
    CEL_EXISTS_ONE,
    CEL_FILTER,
    CEL_TRANSFORM, /* map(name, args[1]), or map(name, args[1], args[2]) where args[1] is a condition */
};

enum cel_function { CEL_SIZE, CEL_STARTS_WITH, CEL_ENDS_WITH, CEL_CONTAINS, CEL_MATCHES };

struct cel {
    enum cel_op op;
    enum cel_function function;
    struct str name;
    struct cel_value value;
    const struct cfn_regex *pattern; /* for `matches` */
    const struct cel *const *args;
    size_t n;
    size_t depth;
};

static inline bool cel_binds(const struct cel *e)
{
    return e->op >= CEL_ALL;
}

/* Decodes an escaped field name: __namespace__, a__dash__b. False: an unknown escape. */
bool cel_unescape(struct arena *a, struct str name, struct str *ret);

/* The value of a part of an object; CEL_FAILED when its JSON does not fit its schema. */
struct cel_value cel_of(struct cel_data data);
struct cel_value cel_failed(struct str why);
/* CEL_BOOL, or CEL_FAILED. */
struct cel_value cel_equal(struct arena *a, const struct cel_value *x, const struct cel_value *y);

/* Looks up a member of an object as CEL sees it; false: CEL does not see it, or it is absent. */
bool cel_member(struct arena *a, const struct cel_value *map, struct str name, struct cel_value *ret);
size_t cel_count(const struct cel_value *v);
struct cel_value cel_item(const struct cel_value *list, size_t i);
