/*
 * Recursive descent with one lexeme of look-ahead. Two things make HCL special, and both are settled by when the next lexeme is
 * asked for: whether an end of line counts (`newlines` is set before it is scanned), and whether the text behind is a template (a
 * quote or the brace that closes an interpolation is looked at, but what follows is not scanned as a lexeme).
 *
 * Every body and every expression in another one passes through enter(), so the stack is bounded by HCL_LIMIT_DEPTH.
 */
#include "base/vec.h"
#include "hcl/scan.h"

#include <stdlib.h>

typedef VEC(const struct hcl_expr *) expr_list;

struct parser {
    struct hcl_scanner scan;
    struct arena *arena;
    struct hcl_lexeme next; /* not used yet */
    bool newlines;          /* ends of lines count */
    unsigned depth;
};

/* --- lexemes --- */

static bool advance(struct parser *p)
{
    return hcl_scan_lexeme(&p->scan, p->newlines, &p->next);
}

static bool is_sign(const struct parser *p, uint32_t sign)
{
    return p->next.kind == LEXEME_SIGN && p->next.sign == sign;
}

static bool is_word(const struct parser *p, const char *word)
{
    return p->next.kind == LEXEME_NAME && str_eqz(p->next.text, word);
}

static bool fail_expected(struct parser *p, const char *expected)
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
    while (shown.n > 0 && !str_is_utf8(shown)) /* cut within a character */
        shown.n--;
    return hcl_scan_fail(&p->scan, l->at, "expected %s, found \"" STR_FMT "\"", expected, STR_ARG(shown));
}

static bool expect_sign(struct parser *p, uint32_t sign, const char *expected)
{
    return is_sign(p, sign) ? advance(p) : fail_expected(p, expected);
}

static bool take_name(struct parser *p, const char *expected, struct str *ret)
{
    if (p->next.kind != LEXEME_NAME)
        return fail_expected(p, expected);
    *ret = p->next.text;
    return advance(p);
}

static bool enter(struct parser *p)
{
    if (p->depth == HCL_LIMIT_DEPTH)
        return hcl_scan_fail(&p->scan, p->next.at, "nested deeper than %d levels", (int)HCL_LIMIT_DEPTH);
    p->depth++;
    return !arena_exhausted(p->arena) || hcl_scan_fail(&p->scan, p->next.at, "too large");
}

/* The lexeme behind an opening bracket, and the one behind its closing one, which is looked at by the rules from before. */
static bool open_bracket(struct parser *p, bool newlines, bool *ret_before)
{
    *ret_before = p->newlines;
    p->newlines = newlines;
    return advance(p);
}

static bool close_bracket(struct parser *p, uint32_t sign, const char *expected, bool before)
{
    if (!is_sign(p, sign))
        return fail_expected(p, expected);
    p->newlines = before;
    return advance(p);
}

static bool skip_newlines(struct parser *p)
{
    while (p->next.kind == LEXEME_NEWLINE)
        if (!advance(p))
            return false;
    return true;
}

/* --- making expressions --- */

static struct hcl_expr *make(struct parser *p, enum hcl_expr_kind kind, struct hcl_place at)
{
    struct hcl_expr *e = arena_make(p->arena, struct hcl_expr);
    e->kind = kind;
    e->at = at;
    return e;
}

static const struct hcl_expr *make_string(struct parser *p, struct hcl_place at, struct str text)
{
    struct hcl_expr *e = make(p, HCL_EXPR_STRING, at);
    e->text = text;
    return e;
}

static struct hcl_exprs list_of(const expr_list *list)
{
    return (struct hcl_exprs){list->v, list->n};
}

static const struct hcl_expr *make_condition(struct parser *p, struct hcl_place at, const struct hcl_expr *condition,
                                             const struct hcl_expr *yes, const struct hcl_expr *no)
{
    expr_list parts = {0};
    *VEC_PUSH(p->arena, &parts) = condition;
    *VEC_PUSH(p->arena, &parts) = yes;
    *VEC_PUSH(p->arena, &parts) = no;
    struct hcl_expr *e = make(p, HCL_EXPR_CONDITION, at);
    e->parts = list_of(&parts);
    return e;
}

static bool parse_expr(struct parser *p, const struct hcl_expr **ret);

/* --- templates --- */

/* How a run of pieces ended: with the template, or with a directive that belongs to an outer one. */
enum run_end { RUN_BROKEN, RUN_LAST, RUN_ELSE, RUN_ENDIF, RUN_ENDFOR };

static enum run_end parse_run(struct parser *p, struct hcl_template *t, expr_list *ret);

/* The brace that ends a sequence; the cursor stays in the template behind it. */
static bool end_sequence(struct parser *p, struct hcl_template *t, bool before)
{
    if (!is_sign(p, '}') && !is_sign(p, SIGN_STRIP_CLOSE))
        return fail_expected(p, "\"}\" at the end of an interpolation");
    t->stripped = is_sign(p, SIGN_STRIP_CLOSE);
    p->newlines = before;
    return true;
}

static const struct hcl_expr *make_template(struct parser *p, struct hcl_place at, const expr_list *parts)
{
    if (parts->n == 0)
        return make_string(p, at, STR_EMPTY);
    if (parts->n == 1)
        return parts->v[0];
    struct hcl_expr *e = make(p, HCL_EXPR_TEMPLATE, at);
    e->parts = list_of(parts);
    return e;
}

/* Behind "if", up to its "endif". */
static bool parse_if(struct parser *p, struct hcl_template *t, struct hcl_place at, bool before, const struct hcl_expr **ret)
{
    const struct hcl_expr *condition;
    expr_list yes = {0}, no = {0};
    if (!advance(p) || !parse_expr(p, &condition) || !end_sequence(p, t, before))
        return false;
    enum run_end end = parse_run(p, t, &yes);
    if (end == RUN_ELSE)
        end = parse_run(p, t, &no);
    if (end != RUN_ENDIF)
        return end != RUN_BROKEN && hcl_scan_fail(&p->scan, at, "\"%%{ if\" without its \"%%{ endif }\"");
    *ret = make_condition(p, at, condition, make_template(p, at, &yes), make_template(p, at, &no));
    return true;
}

static bool parse_loop_names(struct parser *p, struct hcl_for *loop)
{
    if (!advance(p) || !take_name(p, "the name of a variable after \"for\"", &loop->value_name))
        return false;
    if (is_sign(p, ',')) {
        loop->key_name = loop->value_name;
        if (!advance(p) || !take_name(p, "the name of a variable", &loop->value_name))
            return false;
    }
    if (!is_word(p, "in"))
        return fail_expected(p, "\"in\"");
    return advance(p) && parse_expr(p, &loop->in);
}

static struct hcl_for *make_loop(struct parser *p)
{
    struct hcl_for *loop = arena_make(p->arena, struct hcl_for);
    loop->key_name = loop->value_name = STR_EMPTY;
    return loop;
}

static const struct hcl_expr *make_for(struct parser *p, struct hcl_place at, const struct hcl_for *loop)
{
    struct hcl_expr *e = make(p, HCL_EXPR_FOR, at);
    e->loop = loop;
    return e;
}

/* Behind "for", up to its "endfor". */
static bool parse_repeat(struct parser *p, struct hcl_template *t, struct hcl_place at, bool before, const struct hcl_expr **ret)
{
    struct hcl_for *loop = make_loop(p);
    expr_list parts = {0};
    if (!parse_loop_names(p, loop) || !end_sequence(p, t, before))
        return false;
    enum run_end end = parse_run(p, t, &parts);
    if (end != RUN_ENDFOR)
        return end != RUN_BROKEN && hcl_scan_fail(&p->scan, at, "\"%%{ for\" without its \"%%{ endfor }\"");
    loop->value = make_template(p, at, &parts);
    *ret = make_for(p, at, loop);
    return true;
}

/* RUN_LAST: it was complete, and *ret is its expression; otherwise it ends an outer one. */
static enum run_end parse_directive(struct parser *p, struct hcl_template *t, const struct hcl_expr **ret)
{
    static const struct {
        const char *word;
        enum run_end end;
    } ends[] = {{"else", RUN_ELSE}, {"endif", RUN_ENDIF}, {"endfor", RUN_ENDFOR}};
    bool before;
    if (!open_bracket(p, false, &before))
        return RUN_BROKEN;
    struct hcl_place at = p->next.at;
    if (is_word(p, "if"))
        return parse_if(p, t, at, before, ret) ? RUN_LAST : RUN_BROKEN;
    if (is_word(p, "for"))
        return parse_repeat(p, t, at, before, ret) ? RUN_LAST : RUN_BROKEN;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (is_word(p, ends[i].word))
            return advance(p) && end_sequence(p, t, before) ? ends[i].end : RUN_BROKEN;
    (void)fail_expected(p, "if, else, endif, for or endfor after \"%{\"");
    return RUN_BROKEN;
}

static bool parse_value(struct parser *p, struct hcl_template *t, const struct hcl_expr **ret)
{
    bool before;
    return open_bracket(p, false, &before) && parse_expr(p, ret) && end_sequence(p, t, before);
}

static enum run_end parse_pieces(struct parser *p, struct hcl_template *t, expr_list *ret)
{
    for (;;) {
        struct hcl_place at = p->next.at;
        struct str text;
        enum hcl_piece piece = hcl_scan_piece(&p->scan, t, &text);
        const struct hcl_expr *part = NULL;
        if (piece == PIECE_BROKEN)
            return RUN_BROKEN;
        if (text.n > 0)
            *VEC_PUSH(p->arena, ret) = make_string(p, at, text);
        if (piece == PIECE_LAST)
            return RUN_LAST;
        if (piece == PIECE_VALUE && !parse_value(p, t, &part))
            return RUN_BROKEN;
        if (piece == PIECE_DIRECTIVE) {
            enum run_end end = parse_directive(p, t, &part);
            if (end != RUN_LAST)
                return end;
        }
        *VEC_PUSH(p->arena, ret) = part;
    }
}

static enum run_end parse_run(struct parser *p, struct hcl_template *t, expr_list *ret)
{
    if (!enter(p))
        return RUN_BROKEN;
    enum run_end end = parse_pieces(p, t, ret);
    p->depth--;
    return end;
}

static bool parse_template(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_template t = hcl_scan_open(&p->scan, &p->next);
    expr_list parts = {0};
    enum run_end end = parse_run(p, &t, &parts);
    if (end == RUN_BROKEN)
        return false;
    if (end != RUN_LAST)
        return hcl_scan_fail(&p->scan, p->next.at, "a directive that ends nothing");
    *ret = make_template(p, t.at, &parts);
    return advance(p);
}

/* --- brackets --- */

/* Behind "for", of a list or an object. */
static bool parse_for(struct parser *p, struct hcl_place at, bool object, const struct hcl_expr **ret)
{
    struct hcl_for *loop = make_loop(p);
    if (!parse_loop_names(p, loop) || !expect_sign(p, ':', "\":\"") || !parse_expr(p, &loop->value))
        return false;
    if (object) {
        loop->key = loop->value;
        if (!expect_sign(p, SIGN_ARROW, "\"=>\"") || !parse_expr(p, &loop->value))
            return false;
        loop->group = is_sign(p, SIGN_ELLIPSIS);
        if (loop->group && !advance(p))
            return false;
    }
    if (is_word(p, "if") && !(advance(p) && parse_expr(p, &loop->condition)))
        return false;
    *ret = make_for(p, at, loop);
    return true;
}

/* Expressions with commas between them, up to, not including, the sign `end`. */
static bool parse_exprs(struct parser *p, uint32_t end, const char *expected, expr_list *ret, bool *ret_expand)
{
    bool expand = false;
    while (!is_sign(p, end)) {
        const struct hcl_expr *item;
        if (!parse_expr(p, &item))
            return false;
        *VEC_PUSH(p->arena, ret) = item;
        expand = ret_expand && is_sign(p, SIGN_ELLIPSIS);
        if (expand && !advance(p))
            return false;
        if (is_sign(p, end))
            break;
        if (expand || !is_sign(p, ','))
            return fail_expected(p, expected);
        if (!advance(p))
            return false;
    }
    if (ret_expand)
        *ret_expand = expand;
    return true;
}

static bool parse_list(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_place at = p->next.at;
    bool before;
    if (!open_bracket(p, false, &before))
        return false;
    if (is_word(p, "for")) {
        if (!parse_for(p, at, false, ret))
            return false;
    } else {
        expr_list items = {0};
        struct hcl_expr *e = make(p, HCL_EXPR_LIST, at);
        if (!parse_exprs(p, ']', "\",\" or \"]\" after an element", &items, NULL))
            return false;
        e->parts = list_of(&items);
        *ret = e;
    }
    return close_bracket(p, ']', "\"]\"", before);
}

static bool parse_key(struct parser *p, const struct hcl_expr **ret)
{
    bool named = p->next.kind == LEXEME_NAME;
    const struct hcl_expr *key;
    if (!parse_expr(p, &key))
        return false;
    if (named && key->kind == HCL_EXPR_TRAVERSAL && key->traversal.n == 0)
        key = make_string(p, key->at, key->traversal.root);
    *ret = key;
    return true;
}

static bool parse_item(struct parser *p, struct hcl_item *item)
{
    if (!parse_key(p, &item->key))
        return false;
    if (!is_sign(p, '=') && !is_sign(p, ':'))
        return fail_expected(p, "\"=\" or \":\" after a key");
    if (!advance(p) || !parse_expr(p, &item->value))
        return false;
    if (is_sign(p, '}'))
        return true;
    if (!is_sign(p, ',') && p->next.kind != LEXEME_NEWLINE)
        return fail_expected(p, "\",\", \"}\" or the end of the line after an element");
    return advance(p) && skip_newlines(p);
}

static bool parse_items(struct parser *p, struct hcl_expr *e)
{
    VEC(struct hcl_item) items = {0};
    while (!is_sign(p, '}'))
        if (!parse_item(p, VEC_PUSH(p->arena, &items)))
            return false;
    e->object.v = items.v;
    e->object.n = items.n;
    return true;
}

static bool parse_object(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_place at = p->next.at;
    bool before;
    if (!open_bracket(p, false, &before)) /* "for" may stand on a line of its own */
        return false;
    if (is_word(p, "for")) {
        if (!parse_for(p, at, true, ret))
            return false;
    } else {
        struct hcl_expr *e = make(p, HCL_EXPR_OBJECT, at);
        p->newlines = true;
        if (!parse_items(p, e))
            return false;
        *ret = e;
    }
    return close_bracket(p, '}', "\"}\"", before);
}

static bool parse_parentheses(struct parser *p, const struct hcl_expr **ret)
{
    bool before;
    return open_bracket(p, false, &before) && parse_expr(p, ret) && close_bracket(p, ')', "\")\"", before);
}

/* --- names --- */

static bool parse_call(struct parser *p, struct hcl_place at, struct str name, const struct hcl_expr **ret)
{
    bool before, expand = false;
    expr_list args = {0};
    if (!open_bracket(p, false, &before) || !parse_exprs(p, ')', "\",\" or \")\" after an argument", &args, &expand) ||
        !close_bracket(p, ')', "\")\"", before))
        return false;
    struct hcl_expr *e = make(p, HCL_EXPR_CALL, at);
    e->call.name = name;
    e->call.args = list_of(&args);
    e->call.expand = expand;
    *ret = e;
    return true;
}

/* provider::x::f, whose first name was taken */
static bool parse_scoped(struct parser *p, struct str *name)
{
    while (is_sign(p, SIGN_SCOPE)) {
        struct str part = STR_EMPTY;
        if (!advance(p) || !take_name(p, "the name of a function after \"::\"", &part))
            return false;
        *name = arena_printf(p->arena, STR_FMT "::" STR_FMT, STR_ARG(*name), STR_ARG(part));
        if (!is_sign(p, SIGN_SCOPE) && !is_sign(p, '('))
            return fail_expected(p, "\"(\" after the name of a function");
    }
    return true;
}

static bool parse_name(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_place at = p->next.at;
    struct str name;
    if (!take_name(p, "a name", &name) || !parse_scoped(p, &name))
        return false;
    if (is_sign(p, '('))
        return parse_call(p, at, name, ret);
    bool yes = str_eqz(name, "true");
    struct hcl_expr *e;
    if (yes || str_eqz(name, "false")) {
        e = make(p, HCL_EXPR_BOOL, at);
        e->boolean = yes;
    } else if (str_eqz(name, "null")) {
        e = make(p, HCL_EXPR_NULL, at);
    } else {
        e = make(p, HCL_EXPR_TRAVERSAL, at);
        e->traversal.root = name;
    }
    *ret = e;
    return true;
}

/* --- steps --- */

typedef VEC(struct hcl_step) step_list;

/* Behind a dot: a name, "*", or a number, which is the old way of an index. */
static bool parse_dot(struct parser *p, step_list *steps)
{
    if (!advance(p))
        return false;
    if (p->next.kind == LEXEME_NAME) {
        *VEC_PUSH(p->arena, steps) = (struct hcl_step){.kind = HCL_STEP_ATTR, .name = p->next.text};
    } else if (is_sign(p, '*')) {
        *VEC_PUSH(p->arena, steps) = (struct hcl_step){.kind = HCL_STEP_SPLAT, .name = STR_EMPTY};
    } else if (p->next.kind == LEXEME_NUMBER) {
        if (str_find(p->next.text, '.', 0) != SIZE_MAX)
            return hcl_scan_fail(&p->scan, p->next.at, "an index of an index needs brackets: [0][1]");
        struct hcl_expr *index = make(p, HCL_EXPR_NUMBER, p->next.at);
        index->text = p->next.text;
        *VEC_PUSH(p->arena, steps) = (struct hcl_step){.kind = HCL_STEP_INDEX, .name = STR_EMPTY, .index = index};
    } else {
        return fail_expected(p, "a name after \".\"");
    }
    return advance(p);
}

static bool parse_index(struct parser *p, step_list *steps)
{
    struct hcl_step step = {.kind = HCL_STEP_INDEX, .name = STR_EMPTY};
    bool before;
    if (!open_bracket(p, false, &before))
        return false;
    if (is_sign(p, '*')) {
        step.kind = HCL_STEP_SPLAT;
        if (!advance(p))
            return false;
    } else if (!parse_expr(p, &step.index)) {
        return false;
    }
    *VEC_PUSH(p->arena, steps) = step;
    return close_bracket(p, ']', "\"]\" after an index", before);
}

static bool parse_steps(struct parser *p, const struct hcl_expr **e)
{
    step_list steps = {0};
    while (is_sign(p, '.') || is_sign(p, '['))
        if (!(is_sign(p, '.') ? parse_dot(p, &steps) : parse_index(p, &steps)))
            return false;
    if (steps.n == 0)
        return true;
    struct hcl_expr *traversal = make(p, HCL_EXPR_TRAVERSAL, (*e)->at);
    if ((*e)->kind == HCL_EXPR_TRAVERSAL && (*e)->traversal.n == 0)
        traversal->traversal.root = (*e)->traversal.root;
    else
        traversal->traversal = (struct hcl_traversal){.root = STR_EMPTY, .of = *e};
    traversal->traversal.steps = steps.v;
    traversal->traversal.n = steps.n;
    *e = traversal;
    return true;
}

/* --- operations --- */

static bool parse_number(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_expr *e = make(p, HCL_EXPR_NUMBER, p->next.at);
    e->text = p->next.text;
    *ret = e;
    return advance(p);
}

static bool parse_start(struct parser *p, const struct hcl_expr **ret)
{
    switch (p->next.kind) {
    case LEXEME_NAME:
        return parse_name(p, ret);
    case LEXEME_NUMBER:
        return parse_number(p, ret);
    case LEXEME_QUOTE:
    case LEXEME_HEREDOC:
        return parse_template(p, ret);
    case LEXEME_SIGN:
        if (is_sign(p, '['))
            return parse_list(p, ret);
        if (is_sign(p, '{'))
            return parse_object(p, ret);
        if (is_sign(p, '('))
            return parse_parentheses(p, ret);
        break;
    case LEXEME_END:
    case LEXEME_NEWLINE:
        break;
    }
    return fail_expected(p, "an expression");
}

static struct hcl_expr *make_operation(struct parser *p, struct hcl_place at, struct str sign, const expr_list *operands)
{
    struct hcl_expr *e = make(p, HCL_EXPR_OPERATION, at);
    e->call.name = sign;
    e->call.args = list_of(operands);
    return e;
}

static bool parse_unary(struct parser *p, const struct hcl_expr **ret);

static bool parse_signed(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_lexeme sign = p->next;
    const struct hcl_expr *operand = NULL;
    if (!enter(p) || !advance(p) || !parse_unary(p, &operand))
        return false;
    p->depth--;
    expr_list operands = {0};
    *VEC_PUSH(p->arena, &operands) = operand;
    *ret = make_operation(p, sign.at, sign.text, &operands);
    return true;
}

static bool parse_unary(struct parser *p, const struct hcl_expr **ret)
{
    if (is_sign(p, '!') || is_sign(p, '-'))
        return parse_signed(p, ret);
    const struct hcl_expr *e = NULL;
    if (!parse_start(p, &e) || !e || !parse_steps(p, &e))
        return false;
    *ret = e;
    return true;
}

/* 0: no operator between two operands. */
static int binding(const struct parser *p)
{
    static const struct {
        uint32_t sign;
        int binds;
    } operators[] = {{SIGN_OR, 1},
                     {SIGN_AND, 2},
                     {SIGN_EQUAL, 3},
                     {SIGN_NOT_EQUAL, 3},
                     {'<', 4},
                     {'>', 4},
                     {'+', 5},
                     {SIGN_LESS_EQUAL, 4},
                     {SIGN_MORE_EQUAL, 4},
                     {'-', 5},
                     {'*', 6},
                     {'/', 6},
                     {'%', 6}};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (is_sign(p, operators[i].sign))
            return operators[i].binds;
    return 0;
}

static bool parse_binary(struct parser *p, int least, const struct hcl_expr **ret);

/* LEFT SIGN a SIGN b: operands of one and the same operator in a row are one operation. */
static bool parse_operation(struct parser *p, int binds, const struct hcl_expr *left, const struct hcl_expr **ret)
{
    struct hcl_lexeme sign = p->next;
    expr_list operands = {0};
    *VEC_PUSH(p->arena, &operands) = left;
    while (is_sign(p, sign.sign)) {
        const struct hcl_expr *right;
        if (!advance(p) || !parse_binary(p, binds + 1, &right))
            return false;
        *VEC_PUSH(p->arena, &operands) = right;
    }
    *ret = make_operation(p, left->at, sign.text, &operands);
    return true;
}

/* Operators that bind at least as strongly; recursion goes up by one strength each time. */
static bool parse_binary(struct parser *p, int least, const struct hcl_expr **ret)
{
    const struct hcl_expr *left;
    if (!parse_unary(p, &left))
        return false;
    unsigned depth = p->depth; /* a + b - c + d is a tree as deep as it is long */
    for (int binds = binding(p); binds >= least; binds = binding(p))
        if (!enter(p) || !parse_operation(p, binds, left, &left))
            return false;
    p->depth = depth;
    *ret = left;
    return true;
}

static bool parse_ternary(struct parser *p, const struct hcl_expr **ret)
{
    const struct hcl_expr *condition, *yes, *no;
    if (!parse_binary(p, 1, &condition))
        return false;
    if (!is_sign(p, '?')) {
        *ret = condition;
        return true;
    }
    if (!advance(p) || !parse_expr(p, &yes) || !expect_sign(p, ':', "\":\" of a condition") || !parse_expr(p, &no))
        return false;
    *ret = make_condition(p, condition->at, condition, yes, no);
    return true;
}

static bool parse_expr(struct parser *p, const struct hcl_expr **ret)
{
    if (!enter(p) || !parse_ternary(p, ret))
        return false;
    p->depth--;
    return true;
}

/* --- bodies --- */

struct body {
    VEC(struct hcl_attr) attrs;
    VEC(struct hcl_block) blocks;
};

static bool parse_body(struct parser *p, struct hcl_body *ret);

static bool parse_label(struct parser *p, struct str *ret)
{
    if (p->next.kind == LEXEME_NAME)
        return take_name(p, "a label", ret);
    struct hcl_place at = p->next.at;
    const struct hcl_expr *label;
    if (!parse_template(p, &label))
        return false;
    if (label->kind != HCL_EXPR_STRING)
        return hcl_scan_fail(&p->scan, at, "expected a plain string as the label of a block");
    *ret = label->text;
    return true;
}

static bool parse_attr(struct parser *p, struct str name, struct hcl_place at, struct body *body)
{
    struct hcl_attr attr = {.name = name, .at = at};
    if (!advance(p) || !parse_expr(p, &attr.value))
        return false;
    *VEC_PUSH(p->arena, &body->attrs) = attr;
    return true;
}

static bool finish_body(struct parser *p, const struct body *body, struct hcl_body *ret);

/* { NAME = VALUE } */
static bool parse_one_line(struct parser *p, struct hcl_body *ret)
{
    struct body body = {0};
    struct hcl_place at = p->next.at;
    struct str name;
    if (!take_name(p, "\"}\", an argument, or the end of the line", &name))
        return false;
    if (!is_sign(p, '='))
        return fail_expected(p, "\"=\": a block in one line has one argument and no blocks");
    if (!parse_attr(p, name, at, &body))
        return false;
    if (!is_sign(p, '}'))
        return fail_expected(p, "\"}\": a block in one line has one argument only");
    return finish_body(p, &body, ret);
}

static bool parse_block(struct parser *p, struct str type, struct hcl_place at, struct body *body)
{
    struct hcl_block block = {.type = type, .at = at};
    VEC(struct str) labels = {0};
    while (!is_sign(p, '{')) {
        if (p->next.kind != LEXEME_NAME && p->next.kind != LEXEME_QUOTE)
            return fail_expected(p, labels.n > 0 ? "\"{\" or a label of the block" : "\"=\", or \"{\" or a label of a block");
        if (!parse_label(p, VEC_PUSH(p->arena, &labels)))
            return false;
    }
    if (!enter(p) || !advance(p))
        return false;
    bool several = p->next.kind == LEXEME_NEWLINE || is_sign(p, '}');
    if (!(several ? parse_body(p, &block.body) : parse_one_line(p, &block.body)))
        return false;
    p->depth--;
    if (!expect_sign(p, '}', "an argument, a block or \"}\""))
        return false;
    block.labels = labels.v;
    block.n_labels = labels.n;
    *VEC_PUSH(p->arena, &body->blocks) = block;
    return true;
}

static bool parse_body_item(struct parser *p, struct body *body)
{
    struct hcl_place at = p->next.at;
    struct str name;
    if (!take_name(p, "the name of an argument or block", &name))
        return false;
    bool assigned = is_sign(p, '=');
    if (!(assigned ? parse_attr(p, name, at, body) : parse_block(p, name, at, body)))
        return false;
    if (p->next.kind != LEXEME_NEWLINE && p->next.kind != LEXEME_END)
        return fail_expected(p, assigned ? "the end of the line after an argument" : "the end of the line after a block");
    return true;
}

static int by_name_then_place(const void *x, const void *y)
{
    const struct hcl_attr *a = *(const struct hcl_attr *const *)x, *b = *(const struct hcl_attr *const *)y;
    int names = str_cmp(a->name, b->name);
    return names ? names : (a > b) - (a < b);
}

/* Terraform takes no argument twice. */
static bool finish_body(struct parser *p, const struct body *body, struct hcl_body *ret)
{
    const struct hcl_attr **sorted = arena_make_n(p->arena, const struct hcl_attr *, body->attrs.n);
    for (size_t i = 0; i < body->attrs.n; i++)
        sorted[i] = &body->attrs.v[i];
    qsort(sorted, body->attrs.n, sizeof *sorted, by_name_then_place);
    for (size_t i = 1; i < body->attrs.n; i++)
        if (str_eq(sorted[i - 1]->name, sorted[i]->name))
            return hcl_scan_fail(&p->scan, sorted[i]->at, "argument \"" STR_FMT "\" was set in line %u already",
                                 STR_ARG(sorted[i]->name), sorted[i - 1]->at.line);
    *ret = (struct hcl_body){body->attrs.v, body->attrs.n, body->blocks.v, body->blocks.n};
    return true;
}

/* Up to, not including, the brace or the end of the text. */
static bool parse_body(struct parser *p, struct hcl_body *ret)
{
    struct body body = {0};
    if (!skip_newlines(p))
        return false;
    while (p->next.kind == LEXEME_NAME)
        if (!parse_body_item(p, &body) || !skip_newlines(p))
            return false;
    return finish_body(p, &body, ret);
}

const struct hcl_body *hcl_parse(struct arena *a, struct str text, const char *source, uint32_t first_line, struct diags *diags)
{
    struct parser p = {
        .arena = a,
        .scan = {.arena = a, .text = text, .source = source, .diags = diags, .place = {first_line, 1}},
        .newlines = true,
    };
    struct hcl_body *body = arena_make(a, struct hcl_body);
    if (!hcl_scan_init(&p.scan) || !advance(&p) || !parse_body(&p, body))
        return NULL;
    if (p.next.kind != LEXEME_END) {
        (void)fail_expected(&p, "the name of an argument or block");
        return NULL;
    }
    return body;
}

const struct hcl_attr *hcl_body_attr(const struct hcl_body *b, const char *name)
{
    for (size_t i = 0; i < b->n_attrs; i++)
        if (str_eqz(b->attrs[i].name, name))
            return &b->attrs[i];
    return NULL;
}
