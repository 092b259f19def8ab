/*
 * What the parts of the parser share: lexemes in hand, and expressions that are being made. Private to parse*.c.
 *
 * Recursive descent with one lexeme of look-ahead. Two things make HCL special, and both are settled by when the next lexeme is
 * asked for: whether an end of line counts (`newlines` is set before it is scanned), and whether the text behind is a template (a
 * quote or the brace that closes an interpolation is looked at, but what follows is not scanned as a lexeme).
 *
 * Every body and every expression in another one passes through parser_enter(), so the stack is bounded by HCL_LIMIT_DEPTH.
 */
#pragma once

#include "base/vec.h"
#include "hcl/scan.h"

typedef VEC(const struct hcl_expr *) expr_list;

struct parser {
    struct hcl_scanner scan;
    struct arena *arena;
    struct hcl_lexeme next; /* not used yet */
    bool newlines;          /* ends of lines count */
    unsigned depth;
};

/* Lexemes. All that are bool are false after a diagnostic, but for parser_sees*(). */
bool parser_advance(struct parser *p);
bool parser_sees(const struct parser *p, uint32_t sign);
bool parser_sees_word(const struct parser *p, const char *word);
bool parser_expected(struct parser *p, const char *expected); /* false */
bool parser_take_sign(struct parser *p, uint32_t sign, const char *expected);
bool parser_take_name(struct parser *p, const char *expected, struct str *ret);
bool parser_enter(struct parser *p);
/* The lexeme behind an opening bracket, and the one behind its closing one, which is looked at by the rules from before. */
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
/* At "for": its names, and what it goes through. */
bool parser_loop_names(struct parser *p, struct hcl_for *loop);

bool parser_expr(struct parser *p, const struct hcl_expr **ret);     /* parse_expr.c */
bool parser_template(struct parser *p, const struct hcl_expr **ret); /* parse_template.c; at a quote or a heredoc */
