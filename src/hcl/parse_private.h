/*
 * Shared by the parts of the parser: the look-ahead, and functions that make expressions. Private to parse*.c.
 *
 * Recursive descent with one lexeme of look-ahead. HCL has two special rules, and both depend on when the next lexeme is scanned:
 * whether line ends are significant (`newlines` is set before scanning), and whether a template follows (after a quote, or the
 * brace that closes an interpolation, the text is not scanned as a lexeme).
 *
 * Every nested body and expression calls parser_enter(), so the stack is bounded by HCL_LIMIT_DEPTH.
 */
#pragma once

#include "base/vec.h"
#include "hcl/scan.h"

typedef VEC(const struct hcl_expr *) expr_list;

struct parser {
    struct hcl_scanner scan;
    struct arena *arena;
    struct hcl_lexeme next; /* the look-ahead */
    bool newlines;          /* line ends are significant */
    unsigned depth;
};

/* Lexemes. Functions that return bool return false after a diagnostic, except for parser_sees*(). */
bool parser_advance(struct parser *p);
bool parser_sees(const struct parser *p, uint32_t sign);
bool parser_sees_word(const struct parser *p, const char *word);
bool parser_expected(struct parser *p, const char *expected); /* false */
bool parser_take_sign(struct parser *p, uint32_t sign, const char *expected);
bool parser_take_name(struct parser *p, const char *expected, struct str *ret);
bool parser_enter(struct parser *p);
/*
 * Move past an opening and a closing bracket. parser_close() restores `newlines` from `before` for the lexeme after the bracket.
 */
bool parser_open(struct parser *p, bool newlines, bool *ret_before);
bool parser_close(struct parser *p, uint32_t sign, const char *expected, bool before);
bool parser_skip_lines(struct parser *p);

/* Expressions. */
struct hcl_expr *parser_make(struct parser *p, enum hcl_expr_kind kind, struct hcl_place at);
const struct hcl_expr *parser_make_string(struct parser *p, struct hcl_place at, struct str text);
struct hcl_exprs parser_list(const expr_list *list);
const struct hcl_expr *parser_make_condition(struct parser *p, struct hcl_place at, const struct hcl_expr *condition,
                                             const struct hcl_expr *yes, const struct hcl_expr *no);
struct hcl_for *parser_make_loop(struct parser *p);
const struct hcl_expr *parser_make_for(struct parser *p, struct hcl_place at, const struct hcl_for *loop);
/* Called at "for": parses its names and the collection. */
bool parser_loop_names(struct parser *p, struct hcl_for *loop);

bool parser_expr(struct parser *p, const struct hcl_expr **ret);     /* parse_expr.c */
bool parser_template(struct parser *p, const struct hcl_expr **ret); /* parse_template.c; at a quote or a heredoc */
