/* Parses strings and heredocs with their sequences: ${...}, %{ if }, %{ for }. */
#include "hcl/parse_private.h"

/* How a run of pieces ended: with the template, or with a directive that belongs to an enclosing one. */
enum run_end { RUN_BROKEN, RUN_LAST, RUN_ELSE, RUN_ENDIF, RUN_ENDFOR };

static enum run_end parse_run(struct parser *p, struct hcl_template *t, expr_list *ret);

/* Takes the brace that ends a sequence; the cursor is then in the template, after the brace. */
static bool end_sequence(struct parser *p, struct hcl_template *t, bool before)
{
    if (!parser_sees(p, '}') && !parser_sees(p, SIGN_STRIP_CLOSE))
        return parser_expected(p, "\"}\" at the end of an interpolation");
    t->stripped = parser_sees(p, SIGN_STRIP_CLOSE);
    p->newlines = before;
    return true;
}

static const struct hcl_expr *make_template(struct parser *p, struct hcl_place at, const expr_list *parts)
{
    if (parts->n == 0)
        return parser_make_string(p, at, STR_EMPTY);
    if (parts->n == 1)
        return parts->v[0];
    struct hcl_expr *e = parser_make(p, HCL_EXPR_TEMPLATE, at);
    e->parts = parser_list(parts);
    return e;
}

/* Parses after "if", up to its "endif". */
static bool parse_if(struct parser *p, struct hcl_template *t, struct hcl_place at, bool before, const struct hcl_expr **ret)
{
    const struct hcl_expr *condition;
    expr_list yes = {0}, no = {0};
    if (!parser_advance(p) || !parser_expr(p, &condition) || !end_sequence(p, t, before))
        return false;
    enum run_end end = parse_run(p, t, &yes);
    if (end == RUN_ELSE)
        end = parse_run(p, t, &no);
    if (end != RUN_ENDIF)
        return end != RUN_BROKEN && hcl_scan_fail(&p->scan, at, "\"%%{ if\" without its \"%%{ endif }\"");
    *ret = parser_make_condition(p, at, condition, make_template(p, at, &yes), make_template(p, at, &no));
    return true;
}

/* Parses after "for", up to its "endfor". */
static bool parse_repeat(struct parser *p, struct hcl_template *t, struct hcl_place at, bool before, const struct hcl_expr **ret)
{
    struct hcl_for *loop = parser_make_loop(p);
    expr_list parts = {0};
    if (!parser_loop_names(p, loop) || !end_sequence(p, t, before))
        return false;
    enum run_end end = parse_run(p, t, &parts);
    if (end != RUN_ENDFOR)
        return end != RUN_BROKEN && hcl_scan_fail(&p->scan, at, "\"%%{ for\" without its \"%%{ endfor }\"");
    loop->value = make_template(p, at, &parts);
    *ret = parser_make_for(p, at, loop);
    return true;
}

/* RUN_LAST: the directive is complete, and *ret is its expression; otherwise it belongs to an enclosing one. */
static enum run_end parse_directive(struct parser *p, struct hcl_template *t, const struct hcl_expr **ret)
{
    static const struct {
        const char *word;
        enum run_end end;
    } ends[] = {{"else", RUN_ELSE}, {"endif", RUN_ENDIF}, {"endfor", RUN_ENDFOR}};
    bool before;
    if (!parser_open(p, false, &before))
        return RUN_BROKEN;
    struct hcl_place at = p->next.at;
    if (parser_sees_word(p, "if"))
        return parse_if(p, t, at, before, ret) ? RUN_LAST : RUN_BROKEN;
    if (parser_sees_word(p, "for"))
        return parse_repeat(p, t, at, before, ret) ? RUN_LAST : RUN_BROKEN;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (parser_sees_word(p, ends[i].word))
            return parser_advance(p) && end_sequence(p, t, before) ? ends[i].end : RUN_BROKEN;
    (void)parser_expected(p, "if, else, endif, for or endfor after \"%{\"");
    return RUN_BROKEN;
}

static bool parse_value(struct parser *p, struct hcl_template *t, const struct hcl_expr **ret)
{
    bool before;
    return parser_open(p, false, &before) && parser_expr(p, ret) && end_sequence(p, t, before);
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
            *VEC_PUSH(p->arena, ret) = parser_make_string(p, at, text);
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
    if (!parser_enter(p))
        return RUN_BROKEN;
    enum run_end end = parse_pieces(p, t, ret);
    p->depth--;
    return end;
}

bool parser_template(struct parser *p, const struct hcl_expr **ret)
{
    struct hcl_template t = hcl_scan_open(&p->scan, &p->next);
    expr_list parts = {0};
    enum run_end end = parse_run(p, &t, &parts);
    if (end == RUN_BROKEN)
        return false;
    if (end != RUN_LAST)
        return hcl_scan_fail(&p->scan, p->next.at, "a directive that ends nothing");
    *ret = make_template(p, t.at, &parts);
    return parser_advance(p);
}
