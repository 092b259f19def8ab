/* Writes the tree as .tf.json. Strings there are templates too, without the quotes and escapes of native syntax. */
#include "hcl/write.h"
#include "hcl/write_private.h"
#include "value/text.h"

enum { MAX_TEXT = 64 << 20 };

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/*
 * In these strings Terraform drops a byte order mark at the start, and does not recognise a sequence after a carriage return. A
 * string with either of them is written as ${"..."}.
 */
static void write_escaped(struct buf *out, struct str text)
{
    if (str_starts(text, STR(BYTE_ORDER_MARK)) || str_find(text, '\r', 0) != SIZE_MAX) {
        buf_addz(out, "${");
        text_write_language(out, text);
        buf_addc(out, '}');
        return;
    }
    for (size_t i = 0; i < text.n; i++) {
        if ((text.p[i] == '$' || text.p[i] == '%') && i + 1 < text.n && text.p[i + 1] == '{')
            buf_addc(out, text.p[i]);
        buf_addc(out, text.p[i]);
    }
}

/* Writes the string that Terraform reads as this expression. */
static void write_text(struct buf *out, const struct hcl_expr *e, bool reference)
{
    if (e->kind == HCL_EXPR_STRING) {
        write_escaped(out, e->text);
    } else if (e->kind == HCL_EXPR_TEMPLATE) {
        hcl_write_template(out, e, write_escaped);
    } else {
        buf_addz(out, reference ? "" : "${");
        hcl_write_inline(out, e);
        buf_addz(out, reference ? "" : "}");
    }
}

static void write_expr(struct json_writer *w, const struct hcl_expr *e, bool reference);

static void write_object(struct json_writer *w, const struct hcl_expr *e, bool reference)
{
    json_begin_object(w);
    for (size_t i = 0; i < e->object.n; i++) {
        struct buf key BUF_AUTO = BUF_INIT(MAX_TEXT);
        write_text(&key, e->object.v[i].key, false);
        json_key(w, buf_str(&key));
        write_expr(w, e->object.v[i].value, reference);
    }
    json_end_object(w);
}

static void write_expr(struct json_writer *w, const struct hcl_expr *e, bool reference)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    switch (e->kind) {
    case HCL_EXPR_NULL:
        json_write_null(w);
        return;
    case HCL_EXPR_BOOL:
        json_write_bool(w, e->boolean);
        return;
    case HCL_EXPR_NUMBER:
        json_write_number(w, e->text);
        return;
    case HCL_EXPR_LIST:
        json_begin_array(w);
        for (size_t i = 0; i < e->parts.n; i++)
            write_expr(w, e->parts.v[i], reference);
        json_end_array(w);
        return;
    case HCL_EXPR_OBJECT:
        write_object(w, e, reference);
        return;
    default:
        write_text(&text, e, reference);
        w->failed |= !buf_ok(&text);
        json_write_string(w, buf_str(&text));
    }
}

/* Arguments that Terraform reads as references and never evaluates: they are written without ${ }. */
static bool is_reference(struct str block, struct str argument)
{
    return (str_eqz(block, "lifecycle") && str_eqz(argument, "ignore_changes")) ||
           (str_eqz(block, "import") && str_eqz(argument, "to")) || (str_eqz(block, "variable") && str_eqz(argument, "type"));
}

static void write_body(struct json_writer *w, const struct hcl_body *body, struct str block, struct str comment);

static void write_block(struct json_writer *w, const struct hcl_block *b)
{
    for (size_t i = 0; i < b->n_labels; i++) {
        json_begin_object(w);
        json_key(w, b->labels[i]);
    }
    write_body(w, &b->body, b->type, b->comment);
    for (size_t i = 0; i < b->n_labels; i++)
        json_end_object(w);
}

static bool is_first_of_type(const struct hcl_body *body, size_t at)
{
    size_t i = 0;
    while (!str_eq(body->blocks[i].type, body->blocks[at].type))
        i++;
    return i == at;
}

static void write_blocks(struct json_writer *w, const struct hcl_body *body, size_t first)
{
    json_key(w, body->blocks[first].type);
    json_begin_array(w);
    for (size_t i = first; i < body->n_blocks; i++)
        if (str_eq(body->blocks[i].type, body->blocks[first].type))
            write_block(w, &body->blocks[i]);
    json_end_array(w);
}

/* Comments are members called "//" in this syntax; there may be only one per object, so several are joined. */
static void write_comments(struct json_writer *w, const struct hcl_body *body, struct str comment)
{
    struct buf all BUF_AUTO = BUF_INIT(MAX_TEXT);
    buf_add(&all, comment);
    for (size_t i = 0; i < body->n_attrs; i++) {
        if (body->attrs[i].comment.n == 0)
            continue;
        buf_addz(&all, all.n > 0 ? "\n" : "");
        buf_printf(&all, STR_FMT ": " STR_FMT, STR_ARG(body->attrs[i].name), STR_ARG(body->attrs[i].comment));
    }
    if (all.n == 0)
        return;
    json_key(w, STR("//"));
    json_write_string(w, buf_str(&all));
}

static void write_body(struct json_writer *w, const struct hcl_body *body, struct str block, struct str comment)
{
    json_begin_object(w);
    write_comments(w, body, comment);
    for (size_t i = 0; i < body->n_attrs; i++) {
        json_key(w, body->attrs[i].name);
        write_expr(w, body->attrs[i].value, is_reference(block, body->attrs[i].name));
    }
    for (size_t i = 0; i < body->n_blocks; i++)
        if (is_first_of_type(body, i))
            write_blocks(w, body, i);
    json_end_object(w);
}

void hcl_write_json(struct json_writer *w, const struct hcl_body *body)
{
    write_body(w, body, STR_EMPTY, STR_EMPTY);
}
