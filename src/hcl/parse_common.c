#include "hcl/parse_private.h"

/* --- lexemes --- */

bool parser_advance(struct parser *p)
{
    return hcl_scan_lexeme(&p->scan, p->newlines, &p->next);
}

bool parser_sees(const struct parser *p, uint32_t sign)
{
    return p->next.kind == LEXEME_SIGN && p->next.sign == sign;
}

bool parser_sees_word(const struct parser *p, const char *word)
{
    return p->next.kind == LEXEME_NAME && str_eqz(p->next.text, word);
}

bool parser_expected(struct parser *p, const char *expected)
{
    enum { SHOWN = 40 };
    const struct hcl_lexeme *l = &p->next;
    struct str shown = str_slice(l->text, 0, SHOWN);
    switch (l->kind) {
    case LEXEME_END:
        return hcl_scan_fail(&p->scan, l->at, "expected %s, found the end of the text", expected);
    case LEXEME_NEWLINE:
        return hcl_scan_fail(&p->scan, l->at, "expected %s, found the end of the line", expected);
    case LEXEME_QUOTE:
    case LEXEME_HEREDOC:
        return hcl_scan_fail(&p->scan, l->at, "expected %s, found a string", expected);
    case LEXEME_NAME:
    case LEXEME_NUMBER:
    case LEXEME_SIGN:
        break;
    }
    while (shown.n > 0 && !str_is_utf8(shown)) /* do not cut within a character */
        shown.n--;
    return hcl_scan_fail(&p->scan, l->at, "expected %s, found \"" STR_FMT "\"", expected, STR_ARG(shown));
}

bool parser_take_sign(struct parser *p, uint32_t sign, const char *expected)
{
    return parser_sees(p, sign) ? parser_advance(p) : parser_expected(p, expected);
}

bool parser_take_name(struct parser *p, const char *expected, struct str *ret)
{
    if (p->next.kind != LEXEME_NAME)
        return parser_expected(p, expected);
    *ret = p->next.text;
    return parser_advance(p);
}

bool parser_enter(struct parser *p)
{
    if (p->depth == HCL_LIMIT_DEPTH)
        return hcl_scan_fail(&p->scan, p->next.at, "nested deeper than %d levels", (int)HCL_LIMIT_DEPTH);
    p->depth++;
    return !arena_exhausted(p->arena) || hcl_scan_fail(&p->scan, p->next.at, "too large");
}

bool parser_open(struct parser *p, bool newlines, bool *ret_before)
{
    *ret_before = p->newlines;
    p->newlines = newlines;
    return parser_advance(p);
}

bool parser_close(struct parser *p, uint32_t sign, const char *expected, bool before)
{
    if (!parser_sees(p, sign))
        return parser_expected(p, expected);
    p->newlines = before;
    return parser_advance(p);
}

bool parser_skip_lines(struct parser *p)
{
    while (p->next.kind == LEXEME_NEWLINE)
        if (!parser_advance(p))
            return false;
    return true;
}

/* --- making expressions --- */

struct hcl_expr *parser_make(struct parser *p, enum hcl_expr_kind kind, struct hcl_place at)
{
    struct hcl_expr *e = arena_make(p->arena, struct hcl_expr);
    e->kind = kind;
    e->at = at;
    return e;
}

const struct hcl_expr *parser_make_string(struct parser *p, struct hcl_place at, struct str text)
{
    struct hcl_expr *e = parser_make(p, HCL_EXPR_STRING, at);
    e->text = text;
    return e;
}

struct hcl_exprs parser_list(const expr_list *list)
{
    return (struct hcl_exprs){list->v, list->n};
}

const struct hcl_expr *parser_make_condition(struct parser *p, struct hcl_place at, const struct hcl_expr *condition,
                                             const struct hcl_expr *yes, const struct hcl_expr *no)
{
    expr_list parts = {0};
    *VEC_PUSH(p->arena, &parts) = condition;
    *VEC_PUSH(p->arena, &parts) = yes;
    *VEC_PUSH(p->arena, &parts) = no;
    struct hcl_expr *e = parser_make(p, HCL_EXPR_CONDITION, at);
    e->parts = parser_list(&parts);
    return e;
}

bool parser_loop_names(struct parser *p, struct hcl_for *loop)
{
    if (!parser_advance(p) || !parser_take_name(p, "the name of a variable after \"for\"", &loop->value_name))
        return false;
    if (parser_sees(p, ',')) {
        loop->key_name = loop->value_name;
        if (!parser_advance(p) || !parser_take_name(p, "the name of a variable", &loop->value_name))
            return false;
    }
    if (!parser_sees_word(p, "in"))
        return parser_expected(p, "\"in\"");
    return parser_advance(p) && parser_expr(p, &loop->in);
}

struct hcl_for *parser_make_loop(struct parser *p)
{
    struct hcl_for *loop = arena_make(p->arena, struct hcl_for);
    loop->key_name = loop->value_name = STR_EMPTY;
    return loop;
}

const struct hcl_expr *parser_make_for(struct parser *p, struct hcl_place at, const struct hcl_for *loop)
{
    struct hcl_expr *e = parser_make(p, HCL_EXPR_FOR, at);
    e->loop = loop;
    return e;
}
