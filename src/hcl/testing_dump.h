/*
 * Writes a tree as one line, for tests: <a .b [0] [*]> traversal, t(...) template, (+ a b) operation, ?(a b c) condition. Bodies
 * are written as `name = EXPR; type "label" { ... }`, arguments before blocks.
 */
#pragma once

#include "base/buf.h"
#include "hcl/hcl.h"

static inline void dump_expr(struct buf *out, const struct hcl_expr *e);

static inline void dump_text(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\n')
            buf_addz(out, "\\n");
        else
            buf_addc(out, text.p[i]);
    buf_addc(out, '"');
}

static inline void dump_exprs(struct buf *out, const char *before, struct hcl_exprs list, const char *after)
{
    buf_addz(out, before);
    for (size_t i = 0; i < list.n; i++) {
        buf_addz(out, i > 0 ? " " : "");
        dump_expr(out, list.v[i]);
    }
    buf_addz(out, after);
}

static inline void dump_traversal(struct buf *out, const struct hcl_traversal *t)
{
    buf_addc(out, '<');
    if (t->of)
        dump_expr(out, t->of);
    buf_add(out, t->root);
    for (size_t i = 0; i < t->n; i++) {
        const struct hcl_step *s = &t->steps[i];
        if (s->kind == HCL_STEP_ATTR)
            buf_printf(out, " ." STR_FMT, STR_ARG(s->name));
        else
            buf_addz(out, " [");
        if (s->kind == HCL_STEP_INDEX)
            dump_expr(out, s->index);
        if (s->kind != HCL_STEP_ATTR)
            buf_addz(out, s->kind == HCL_STEP_SPLAT ? "*]" : "]");
    }
    buf_addc(out, '>');
}

static inline void dump_for(struct buf *out, const struct hcl_for *f)
{
    buf_printf(out, "for(" STR_FMT "," STR_FMT " in ", STR_ARG(f->key_name), STR_ARG(f->value_name));
    dump_expr(out, f->in);
    buf_addz(out, ": ");
    if (f->key) {
        dump_expr(out, f->key);
        buf_addz(out, " => ");
    }
    dump_expr(out, f->value);
    buf_addz(out, f->group ? "..." : "");
    if (f->condition) {
        buf_addz(out, " if ");
        dump_expr(out, f->condition);
    }
    buf_addc(out, ')');
}

static inline void dump_expr(struct buf *out, const struct hcl_expr *e)
{
    switch (e->kind) {
    case HCL_EXPR_NULL:
        buf_addz(out, "null");
        break;
    case HCL_EXPR_BOOL:
        buf_addz(out, e->boolean ? "true" : "false");
        break;
    case HCL_EXPR_NUMBER:
        buf_add(out, e->text);
        break;
    case HCL_EXPR_STRING:
        dump_text(out, e->text);
        break;
    case HCL_EXPR_TEMPLATE:
        dump_exprs(out, "t(", e->parts, ")");
        break;
    case HCL_EXPR_LIST:
        dump_exprs(out, "[", e->parts, "]");
        break;
    case HCL_EXPR_CONDITION:
        dump_exprs(out, "?(", e->parts, ")");
        break;
    case HCL_EXPR_OBJECT:
        buf_addc(out, '{');
        for (size_t i = 0; i < e->object.n; i++) {
            buf_addz(out, i > 0 ? " " : "");
            dump_expr(out, e->object.v[i].key);
            buf_addc(out, ':');
            dump_expr(out, e->object.v[i].value);
        }
        buf_addc(out, '}');
        break;
    case HCL_EXPR_TRAVERSAL:
        dump_traversal(out, &e->traversal);
        break;
    case HCL_EXPR_CALL:
        buf_add(out, e->call.name);
        dump_exprs(out, "(", e->call.args, e->call.expand ? "...)" : ")");
        break;
    case HCL_EXPR_OPERATION:
        buf_printf(out, "(" STR_FMT " ", STR_ARG(e->call.name));
        dump_exprs(out, "", e->call.args, ")");
        break;
    case HCL_EXPR_FOR:
        dump_for(out, e->loop);
        break;
    }
}

static inline void dump_body(struct buf *out, const struct hcl_body *b)
{
    const char *between = "";
    for (size_t i = 0; i < b->n_attrs; i++, between = "; ") {
        buf_printf(out, "%s" STR_FMT " = ", between, STR_ARG(b->attrs[i].name));
        dump_expr(out, b->attrs[i].value);
    }
    for (size_t i = 0; i < b->n_blocks; i++, between = "; ") {
        buf_printf(out, "%s" STR_FMT " ", between, STR_ARG(b->blocks[i].type));
        for (size_t j = 0; j < b->blocks[i].n_labels; j++) {
            dump_text(out, b->blocks[i].labels[j]);
            buf_addc(out, ' ');
        }
        buf_addz(out, "{ ");
        dump_body(out, &b->blocks[i].body);
        buf_addz(out, " }");
    }
}
