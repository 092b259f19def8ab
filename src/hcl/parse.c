/* Parses bodies: arguments and blocks. */
#include "hcl/parse_private.h"

#include <stdlib.h>

struct body {
    VEC(struct hcl_attr) attrs;
    VEC(struct hcl_block) blocks;
};

static bool parse_body(struct parser *p, struct hcl_body *ret);

static bool parse_label(struct parser *p, struct str *ret)
{
    if (p->next.kind == LEXEME_NAME)
        return parser_take_name(p, "a label", ret);
    struct hcl_place at = p->next.at;
    const struct hcl_expr *label;
    if (!parser_template(p, &label))
        return false;
    if (label->kind != HCL_EXPR_STRING)
        return hcl_scan_fail(&p->scan, at, "expected a plain string as the label of a block");
    *ret = label->text;
    return true;
}

static bool parse_attr(struct parser *p, struct str name, struct hcl_place at, struct body *body)
{
    struct hcl_attr attr = {.name = name, .at = at};
    if (!parser_advance(p) || !parser_expr(p, &attr.value))
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
    if (!parser_take_name(p, "\"}\", an argument, or the end of the line", &name))
        return false;
    if (!parser_sees(p, '='))
        return parser_expected(p, "\"=\": a block in one line has one argument and no blocks");
    if (!parse_attr(p, name, at, &body))
        return false;
    if (!parser_sees(p, '}'))
        return parser_expected(p, "\"}\": a block in one line has one argument only");
    return finish_body(p, &body, ret);
}

static bool parse_block(struct parser *p, struct str type, struct hcl_place at, struct body *body)
{
    struct hcl_block block = {.type = type, .at = at};
    VEC(struct str) labels = {0};
    while (!parser_sees(p, '{')) {
        if (p->next.kind != LEXEME_NAME && p->next.kind != LEXEME_QUOTE)
            return parser_expected(p, labels.n > 0 ? "\"{\" or a label of the block" : "\"=\", or \"{\" or a label of a block");
        if (!parse_label(p, VEC_PUSH(p->arena, &labels)))
            return false;
    }
    if (!parser_enter(p) || !parser_advance(p))
        return false;
    bool several = p->next.kind == LEXEME_NEWLINE || parser_sees(p, '}');
    if (!(several ? parse_body(p, &block.body) : parse_one_line(p, &block.body)))
        return false;
    p->depth--;
    if (!parser_take_sign(p, '}', "an argument, a block or \"}\""))
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
    if (!parser_take_name(p, "the name of an argument or block", &name))
        return false;
    bool assigned = parser_sees(p, '=');
    if (!(assigned ? parse_attr(p, name, at, body) : parse_block(p, name, at, body)))
        return false;
    if (p->next.kind != LEXEME_NEWLINE && p->next.kind != LEXEME_END)
        return parser_expected(p, assigned ? "the end of the line after an argument" : "the end of the line after a block");
    return true;
}

static int by_name_then_place(const void *x, const void *y)
{
    const struct hcl_attr *a = *(const struct hcl_attr *const *)x, *b = *(const struct hcl_attr *const *)y;
    int names = str_cmp(a->name, b->name);
    return names ? names : (a > b) - (a < b);
}

/* As in Terraform, an argument may occur only once. */
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

/* Parses up to the closing brace or the end of the text, which is not consumed. */
static bool parse_body(struct parser *p, struct hcl_body *ret)
{
    struct body body = {0};
    if (!parser_skip_lines(p))
        return false;
    while (p->next.kind == LEXEME_NAME)
        if (!parse_body_item(p, &body) || !parser_skip_lines(p))
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
    if (!hcl_scan_init(&p.scan) || !parser_advance(&p) || !parse_body(&p, body))
        return NULL;
    if (p.next.kind != LEXEME_END) {
        (void)parser_expected(&p, "the name of an argument or block");
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
