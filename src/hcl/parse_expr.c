/* Parses expressions: literals, brackets, calls, traversals, operators. */
#include "hcl/parse_private.h"

/* --- brackets --- */

/* Parses the rest of a `for` expression, after "for", of a list or an object. */
static bool parse_for(struct parser *p, struct hcl_place at, bool object, const struct hcl_expr **ret)
{
    struct hcl_for *loop = parser_make_loop(p);
    if (!parser_loop_names(p, loop) || !parser_take_sign(p, ':', "\":\"") || !parser_expr(p, &loop->value))
        return false;
    if (object) {
        loop->key = loop->value;
        if (!parser_take_sign(p, SIGN_ARROW, "\"=>\"") || !parser_expr(p, &loop->value))
            return false;
        loop->group = parser_sees(p, SIGN_ELLIPSIS);
        if (loop->group && !parser_advance(p))
            return false;
    }
    if (parser_sees_word(p, "if") && !(parser_advance(p) && parser_expr(p, &loop->condition)))
        return false;
    *ret = parser_make_for(p, at, loop);
    return true;
}

/* Parses expressions separated by commas, up to the sign `end`, which is not consumed. */
static bool parse_exprs(struct parser *p, uint32_t end, const char *expected, expr_list *ret, bool *ret_expand)
{
    bool expand = false;
    while (!parser_sees(p, end)) {
        const struct hcl_expr *item;
        if (!parser_expr(p, &item))
            return false;
        *VEC_PUSH(p->arena, ret) = item;
        expand = ret_expand && parser_sees(p, SIGN_ELLIPSIS);
        if (expand && !parser_advance(p))
            return false;
        if (parser_sees(p, end))
            break;
        if (expand || !parser_sees(p, ','))
            return parser_expected(p, expected);
        if (!parser_advance(p))
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
    if (!parser_open(p, false, &before))
        return false;
    if (parser_sees_word(p, "for")) {
        if (!parse_for(p, at, false, ret))
            return false;
    } else {
        expr_list items = {0};
        struct hcl_expr *e = parser_make(p, HCL_EXPR_LIST, at);
        if (!parse_exprs(p, ']', "\",\" or \"]\" after an element", &items, NULL))
            return false;
        e->parts = parser_list(&items);
        *ret = e;
    }
    return parser_close(p, ']', "\"]\"", before);
}

static bool parse_key(struct parser *p, const struct hcl_expr **ret)
{
    bool named = p->next.kind == LEXEME_NAME;
    const struct hcl_expr *key;
    if (!parser_expr(p, &key))
        return false;
    if (named && key->kind == HCL_EXPR_TRAVERSAL && key->traversal.n == 0)
        key = parser_make_string(p, key->at, key->traversal.root);
    /* As keys, null, true and false are ordinary names. */
    if (named && key->kind == HCL_EXPR_NULL)
        key = parser_make_string(p, key->at, STR("null"));
    if (named && key->kind == HCL_EXPR_BOOL)
        key = parser_make_string(p, key->at, key->boolean ? STR("true") : STR("false"));
    *ret = key;
    return true;
}

static bool parse_item(struct parser *p, struct hcl_item *item)
{
    if (!parse_key(p, &item->key))
        return false;
    if (!parser_sees(p, '=') && !parser_sees(p, ':'))
        return parser_expected(p, "\"=\" or \":\" after a key");
    if (!parser_advance(p) || !parser_expr(p, &item->value))
        return false;
    if (parser_sees(p, '}'))
        return true;
    if (!parser_sees(p, ',') && p->next.kind != LEXEME_NEWLINE)
        return parser_expected(p, "\",\", \"}\" or the end of the line after an element");
    return parser_advance(p) && parser_skip_lines(p);
}

static bool parse_items(struct parser *p, struct hcl_expr *e)
{
    VEC(struct hcl_item) items = {0};
    while (!parser_sees(p, '}'))
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
    if (!parser_open(p, false, &before)) /* "for" may be on a line of its own */
        return false;
    if (parser_sees_word(p, "for")) {
        if (!parse_for(p, at, true, ret))
            return false;
    } else {
        struct hcl_expr *e = parser_make(p, HCL_EXPR_OBJECT, at);
        p->newlines = true;
        if (!parse_items(p, e))
            return false;
        *ret = e;
    }
    return parser_close(p, '}', "\"}\"", before);
}

static bool parse_parentheses(struct parser *p, const struct hcl_expr **ret)
{
    bool before;
    return parser_open(p, false, &before) && parser_expr(p, ret) && parser_close(p, ')', "\")\"", before);
}

/* --- names --- */

static bool parse_call(struct parser *p, struct hcl_place at, struct str name, const struct hcl_expr **ret)
{
    bool before, expand = false;
    expr_list args = {0};
    if (!parser_open(p, false, &before) || !parse_exprs(p, ')', "\",\" or \")\" after an argument", &args, &expand) ||
        !parser_close(p, ')', "\")\"", before))
        return false;
    struct hcl_expr *e = parser_make(p, HCL_EXPR_CALL, at);
    e->call.name = name;
    e->call.args = parser_list(&args);
    e->call.expand = expand;
    *ret = e;
    return true;
}

/* provider::x::f, after its first name */
static bool parse_scoped(struct parser *p, struct str *name)
{
    while (parser_sees(p, SIGN_SCOPE)) {
        struct str part = STR_EMPTY;
        if (!parser_advance(p) || !parser_take_name(p, "the name of a function after \"::\"", &part))
            return false;
        *name = arena_printf(p->arena, STR_FMT "::" STR_FMT, STR_ARG(*name), STR_ARG(part));
        if (!parser_sees(p, SIGN_SCOPE) && !parser_sees(p, '('))
            return parser_expected(p, "\"(\" after the name of a function");
    }
    return true;
}

static bool parse_name(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_place at = p->next.at;
    struct str name;
    if (!parser_take_name(p, "a name", &name) || !parse_scoped(p, &name))
        return false;
    if (parser_sees(p, '('))
        return parse_call(p, at, name, ret);
    bool yes = str_eqz(name, "true");
    struct hcl_expr *e;
    if (yes || str_eqz(name, "false")) {
        e = parser_make(p, HCL_EXPR_BOOL, at);
        e->boolean = yes;
    } else if (str_eqz(name, "null")) {
        e = parser_make(p, HCL_EXPR_NULL, at);
    } else {
        e = parser_make(p, HCL_EXPR_TRAVERSAL, at);
        e->traversal.root = name;
    }
    *ret = e;
    return true;
}

/* --- steps --- */

typedef VEC(struct hcl_step) step_list;

/* After a dot: a name, "*", or a number, which is the legacy form of an index. */
static bool parse_dot(struct parser *p, step_list *steps)
{
    if (!parser_advance(p))
        return false;
    if (p->next.kind == LEXEME_NAME) {
        *VEC_PUSH(p->arena, steps) = (struct hcl_step){.kind = HCL_STEP_ATTR, .name = p->next.text};
    } else if (parser_sees(p, '*')) {
        *VEC_PUSH(p->arena, steps) = (struct hcl_step){.kind = HCL_STEP_SPLAT, .name = STR_EMPTY};
    } else if (p->next.kind == LEXEME_NUMBER) {
        if (str_find(p->next.text, '.', 0) != SIZE_MAX)
            return hcl_scan_fail(&p->scan, p->next.at, "an index of an index needs brackets: [0][1]");
        struct hcl_expr *index = parser_make(p, HCL_EXPR_NUMBER, p->next.at);
        index->text = p->next.text;
        *VEC_PUSH(p->arena, steps) = (struct hcl_step){.kind = HCL_STEP_INDEX, .name = STR_EMPTY, .index = index};
    } else {
        return parser_expected(p, "a name after \".\"");
    }
    return parser_advance(p);
}

static bool parse_index(struct parser *p, step_list *steps)
{
    struct hcl_step step = {.kind = HCL_STEP_INDEX, .name = STR_EMPTY};
    bool before;
    if (!parser_open(p, false, &before))
        return false;
    if (parser_sees(p, '*')) {
        step.kind = HCL_STEP_SPLAT;
        if (!parser_advance(p))
            return false;
    } else if (!parser_expr(p, &step.index)) {
        return false;
    }
    *VEC_PUSH(p->arena, steps) = step;
    return parser_close(p, ']', "\"]\" after an index", before);
}

static bool parse_steps(struct parser *p, const struct hcl_expr **e)
{
    step_list steps = {0};
    while (parser_sees(p, '.') || parser_sees(p, '['))
        if (!(parser_sees(p, '.') ? parse_dot(p, &steps) : parse_index(p, &steps)))
            return false;
    if (steps.n == 0)
        return true;
    struct hcl_expr *traversal = parser_make(p, HCL_EXPR_TRAVERSAL, (*e)->at);
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
    struct hcl_expr *e = parser_make(p, HCL_EXPR_NUMBER, p->next.at);
    e->text = p->next.text;
    *ret = e;
    return parser_advance(p);
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
        return parser_template(p, ret);
    case LEXEME_SIGN:
        if (parser_sees(p, '['))
            return parse_list(p, ret);
        if (parser_sees(p, '{'))
            return parse_object(p, ret);
        if (parser_sees(p, '('))
            return parse_parentheses(p, ret);
        break;
    case LEXEME_END:
    case LEXEME_NEWLINE:
        break;
    }
    return parser_expected(p, "an expression");
}

static struct hcl_expr *make_operation(struct parser *p, struct hcl_place at, struct str sign, const expr_list *operands)
{
    struct hcl_expr *e = parser_make(p, HCL_EXPR_OPERATION, at);
    e->call.name = sign;
    e->call.args = parser_list(operands);
    return e;
}

static bool parse_unary(struct parser *p, const struct hcl_expr **ret);

static bool parse_signed(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_lexeme sign = p->next;
    const struct hcl_expr *operand = NULL;
    if (!parser_enter(p) || !parser_advance(p) || !parse_unary(p, &operand))
        return false;
    p->depth--;
    expr_list operands = {0};
    *VEC_PUSH(p->arena, &operands) = operand;
    *ret = make_operation(p, sign.at, sign.text, &operands);
    return true;
}

static bool parse_unary(struct parser *p, const struct hcl_expr **ret)
{
    if (parser_sees(p, '!') || parser_sees(p, '-'))
        return parse_signed(p, ret);
    const struct hcl_expr *e = NULL;
    if (!parse_start(p, &e) || !e || !parse_steps(p, &e))
        return false;
    *ret = e;
    return true;
}

/* The operator's precedence; 0: not a binary operator. */
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
        if (parser_sees(p, operators[i].sign))
            return operators[i].binds;
    return 0;
}

static bool parse_binary(struct parser *p, int least, const struct hcl_expr **ret);

/* LEFT SIGN a SIGN b: consecutive operands of the same operator become one operation. */
static bool parse_operation(struct parser *p, int binds, const struct hcl_expr *left, const struct hcl_expr **ret)
{
    struct hcl_lexeme sign = p->next;
    expr_list operands = {0};
    *VEC_PUSH(p->arena, &operands) = left;
    while (parser_sees(p, sign.sign)) {
        const struct hcl_expr *right;
        if (!parser_advance(p) || !parse_binary(p, binds + 1, &right))
            return false;
        *VEC_PUSH(p->arena, &operands) = right;
    }
    *ret = make_operation(p, left->at, sign.text, &operands);
    return true;
}

/* Parses operators with precedence `least` or higher; each recursion raises it by one. */
static bool parse_binary(struct parser *p, int least, const struct hcl_expr **ret)
{
    const struct hcl_expr *left;
    if (!parse_unary(p, &left))
        return false;
    unsigned depth = p->depth; /* a + b - c + d becomes a tree as deep as the expression is long */
    for (int binds = binding(p); binds >= least; binds = binding(p))
        if (!parser_enter(p) || !parse_operation(p, binds, left, &left))
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
    if (!parser_sees(p, '?')) {
        *ret = condition;
        return true;
    }
    if (!parser_advance(p) || !parser_expr(p, &yes) || !parser_take_sign(p, ':', "\":\" of a condition") || !parser_expr(p, &no))
        return false;
    *ret = parser_make_condition(p, condition->at, condition, yes, no);
    return true;
}

bool parser_expr(struct parser *p, const struct hcl_expr **ret)
{
    if (!parser_enter(p) || !parse_ternary(p, ret))
        return false;
    p->depth--;
    return true;
}
