/*
 * Parses HCL native syntax, as in .tf files and in the examples of documentation, to a tree of bodies and expressions. Nothing is
 * evaluated. The tree has what readers of configurations need: the blocks and arguments, the parts of an argument's expression,
 * and the other objects that it refers to (`aws_s3_bucket.example.id`).
 *
 * The parser accepts what Terraform accepts; README.md lists the differences. A syntax error is a diagnostic with
 * SOURCE:LINE:COLUMN, and never shows text from inside quotes.
 *
 * The tree is immutable. It lives in the arena and points into the text, which must live as long as the tree.
 */
#pragma once

#include "base/diag.h"

enum {
    HCL_LIMIT_BYTES = 4 << 20,
    HCL_LIMIT_TOKENS = 1 << 20,
    HCL_LIMIT_DEPTH = 96, /* bodies in bodies and expressions in expressions, counted together */
};

struct hcl_place {
    uint32_t line, column; /* from 1; columns count characters */
};

enum hcl_expr_kind {
    HCL_EXPR_NULL,
    HCL_EXPR_BOOL,
    HCL_EXPR_NUMBER,
    HCL_EXPR_STRING,    /* text without interpolation */
    HCL_EXPR_TEMPLATE,  /* text with interpolation; "${x}" alone becomes the expression x */
    HCL_EXPR_LIST,      /* [a, b] */
    HCL_EXPR_OBJECT,    /* {a = b} */
    HCL_EXPR_TRAVERSAL, /* a.b[0].c, f(x).y */
    HCL_EXPR_CALL,      /* f(a, b...) */
    HCL_EXPR_CONDITION, /* a ? b : c, and %{ if } in a template */
    HCL_EXPR_FOR,       /* [for ...], {for ...}, and %{ for } in a template */
    HCL_EXPR_OPERATION, /* !a, a + b */
};

struct hcl_expr;

struct hcl_exprs {
    const struct hcl_expr *const *v;
    size_t n;
};

/* A key that is a bare name is a STRING. */
struct hcl_item {
    const struct hcl_expr *key, *value;
};

enum hcl_step_kind { HCL_STEP_ATTR, HCL_STEP_INDEX, HCL_STEP_SPLAT };

struct hcl_step {
    enum hcl_step_kind kind;
    struct str name;              /* ATTR */
    const struct hcl_expr *index; /* INDEX */
};

struct hcl_traversal {
    struct str root;           /* the name that it starts with; empty: it starts with the expression `of` */
    const struct hcl_expr *of; /* NULL: it starts with a name */
    const struct hcl_step *steps;
    size_t n;
};

struct hcl_for {
    struct str key_name, value_name; /* key_name may be empty */
    const struct hcl_expr *in;
    const struct hcl_expr *key; /* NULL: the result is a list */
    const struct hcl_expr *value;
    const struct hcl_expr *condition; /* NULL: none */
    bool group;                       /* value... */
};

struct hcl_expr {
    enum hcl_expr_kind kind;
    struct hcl_place at;
    union {
        bool boolean;
        struct str text;        /* NUMBER: as written; STRING: without quotes and escapes */
        struct hcl_exprs parts; /* TEMPLATE, LIST; CONDITION: condition, then, else */
        const struct hcl_for *loop;
        struct hcl_traversal traversal;
        struct {
            const struct hcl_item *v;
            size_t n;
        } object;
        struct {
            struct str name; /* CALL: with its namespace, provider::x::f; OPERATION: the operator */
            struct hcl_exprs args;
            bool expand; /* the last argument is followed by ... */
        } call;
    };
};

/* `comment` is only for writing (write.h): the lines to write before the attribute, without #. The parser leaves it empty. */
struct hcl_attr {
    struct str name;
    struct hcl_place at;
    const struct hcl_expr *value;
    struct str comment;
};

struct hcl_block;

/* In the order of the text. Attribute names are unique. */
struct hcl_body {
    const struct hcl_attr *attrs;
    size_t n_attrs;
    const struct hcl_block *blocks;
    size_t n_blocks;
};

struct hcl_block {
    struct str type;
    struct hcl_place at;
    const struct str *labels;
    size_t n_labels;
    struct hcl_body body;
    struct str comment; /* as in struct hcl_attr */
};

/*
 * NULL with a diagnostic on failure. `first_line` is the number of the text's first line in `source`: 1, unless the text is part
 * of a file.
 */
const struct hcl_body *hcl_parse(struct arena *a, struct str text, const char *source, uint32_t first_line, struct diags *diags);

/* NULL if absent. */
const struct hcl_attr *hcl_body_attr(const struct hcl_body *b, const char *name);
