/* The parsed form of a template: template.c parses it, template_run.c executes it. */
#pragma once

#include "crossplane/template.h"

enum { TEMPLATE_MAX_OUTPUT = 1 << 16, TEMPLATE_MAX_ARGUMENTS = 8 };

enum xp_template_node_kind {
    NODE_FIELD,   /* .a.b, or EXPRESSION.a.b */
    NODE_LITERAL, /* text, number, true, false */
    NODE_CALL,
};

enum xp_template_function {
    FUNCTION_INDEX,
    FUNCTION_LOWER,
    FUNCTION_UPPER,
    FUNCTION_JOIN,
    FUNCTION_REPLACE,
    FUNCTION_SPLIT,
    FUNCTION_EQ
};
struct xp_template_node {
    enum xp_template_node_kind kind;
    const struct xp_template_node *of; /* NODE_FIELD: the expression before the path; NULL: the dot */
    struct str path;
    const struct json *literal;
    enum xp_template_function function;
    const struct xp_template_node *arguments[TEMPLATE_MAX_ARGUMENTS];
    size_t n;
};

struct xp_template_part;
struct xp_template_parts {
    struct xp_template_part *v;
    size_t n, cap;
};

struct xp_template_part {
    struct str text;                      /* literal text, if `value` is NULL */
    const struct xp_template_node *value; /* to print, or the condition */
    bool condition;
    struct xp_template_parts then, otherwise;
    size_t start, end;
};

struct xp_template {
    struct str text;
    struct xp_template_parts parts;
};
