/*
 * Writes native syntax. `terraform fmt` indents each line by two spaces for every enclosing line that opens a bracket, and aligns
 * the equals signs of consecutive lines with a complete argument; so no line here opens or closes more than one thing.
 */
#include "hcl/write.h"

#include "hcl/write_private.h"
#include "value/identifier.h"
#include "value/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_COLUMNS = 80, MAX_TEXT = 64 << 20 }; /* width of a list on one line; bytes of a part of a line */

#define NOT_ONE_LINE SIZE_MAX

/* --- what fits on a line --- */

/* The approximate width on one line; NOT_ONE_LINE if it takes several. */
static size_t line_width(const struct hcl_expr *e);

static size_t width_of_all(struct hcl_exprs list)
{
    size_t width = 2;
    for (size_t i = 0; i < list.n && width <= MOST_COLUMNS; i++) {
        size_t n = line_width(list.v[i]);
        if (n == NOT_ONE_LINE)
            return n;
        width += n + 2;
    }
    return width;
}

static size_t line_width(const struct hcl_expr *e)
{
    size_t width;
    switch (e->kind) {
    case HCL_EXPR_OBJECT:
        return e->object.n > 0 ? NOT_ONE_LINE : 2;
    case HCL_EXPR_LIST:
        width = width_of_all(e->parts);
        return width > MOST_COLUMNS && e->parts.n > 1 ? NOT_ONE_LINE : width;
    case HCL_EXPR_CALL:
        width = width_of_all(e->call.args);
        return width == NOT_ONE_LINE ? width : width + e->call.name.n;
    case HCL_EXPR_STRING:
    case HCL_EXPR_NUMBER:
        return e->text.n + 2;
    default:
        return MOST_COLUMNS / 4;
    }
}

/* --- parts of a line --- */

static void write_inline(struct buf *out, const struct hcl_expr *e);

/* Writes the text escaped, without quotes. */
static void write_escaped(struct buf *out, struct str text)
{
    struct buf quoted BUF_AUTO = BUF_INIT(MAX_TEXT);
    text_write_language(&quoted, text);
    out->failed |= !buf_ok(&quoted);
    if (quoted.n >= 2)
        buf_add(out, str_slice(buf_str(&quoted), 1, quoted.n - 1));
}

static bool begins_sequence(char c)
{
    return c == '$' || c == '%';
}

void hcl_write_template(struct buf *out, const struct hcl_expr *e, hcl_text_fn *write_text)
{
    for (size_t i = 0; i < e->parts.n; i++) {
        const struct hcl_expr *part = e->parts.v[i];
        if (part->kind != HCL_EXPR_STRING) {
            buf_addz(out, "${");
            write_inline(out, part);
            buf_addc(out, '}');
            continue;
        }
        /* A dollar right before a sequence would escape it. */
        struct str text = part->text;
        size_t n = text.n;
        while (i + 1 < e->parts.n && n > 0 && text.p[n - 1] == '$')
            n--;
        write_text(out, str_slice(text, 0, n));
        if (n < text.n) {
            buf_addz(out, "${\"");
            write_escaped(out, str_slice(text, n, text.n));
            buf_addz(out, "\"}");
        }
    }
}

static void write_traversal(struct buf *out, const struct hcl_traversal *t)
{
    if (t->of)
        write_inline(out, t->of);
    buf_add(out, t->root);
    for (size_t i = 0; i < t->n; i++) {
        const struct hcl_step *s = &t->steps[i];
        if (s->kind == HCL_STEP_ATTR) {
            buf_addc(out, '.');
            buf_add(out, s->name);
            continue;
        }
        buf_addc(out, '[');
        if (s->kind == HCL_STEP_INDEX)
            write_inline(out, s->index);
        else
            buf_addc(out, '*');
        buf_addc(out, ']');
    }
}

static void write_inlines(struct buf *out, struct hcl_exprs list)
{
    for (size_t i = 0; i < list.n; i++) {
        buf_addz(out, i > 0 ? ", " : "");
        write_inline(out, list.v[i]);
    }
}

/*
 * Can the key be written without quotes? `for` would begin a for expression; letters beyond ASCII are allowed in names only in
 * some versions of Unicode.
 */
static bool is_bare_key(struct str key)
{
    for (size_t i = 0; i < key.n; i++)
        if ((unsigned char)key.p[i] >= 0x80)
            return false;
    return identifier_is(key) && !str_eqz(key, "for");
}

/* Writes a key, and returns its width in columns. */
static size_t write_key(struct buf *out, const struct hcl_expr *key)
{
    size_t from = out->n;
    if (key->kind == HCL_EXPR_STRING && is_bare_key(key->text))
        buf_add(out, key->text);
    else if (key->kind == HCL_EXPR_STRING || key->kind == HCL_EXPR_TEMPLATE)
        write_inline(out, key);
    else {
        buf_addc(out, '(');
        write_inline(out, key);
        buf_addc(out, ')');
    }
    struct str text = str_slice(buf_str(out), from, out->n);
    /* Quotes count as separate characters, even if the text begins with a combining one. */
    if (text.n >= 2 && text.p[0] == '"')
        return 2 + text_count_clusters(str_slice(text, 1, text.n - 1));
    return text_count_clusters(text);
}

static void write_inline(struct buf *out, const struct hcl_expr *e)
{
    switch (e->kind) {
    case HCL_EXPR_NULL:
        buf_addz(out, "null");
        return;
    case HCL_EXPR_BOOL:
        buf_addz(out, e->boolean ? "true" : "false");
        return;
    case HCL_EXPR_NUMBER:
        buf_add(out, e->text);
        return;
    case HCL_EXPR_STRING:
        text_write_language(out, e->text);
        return;
    case HCL_EXPR_TEMPLATE:
        buf_addc(out, '"');
        hcl_write_template(out, e, write_escaped);
        buf_addc(out, '"');
        return;
    case HCL_EXPR_LIST:
        buf_addc(out, '[');
        write_inlines(out, e->parts);
        buf_addc(out, ']');
        return;
    case HCL_EXPR_OBJECT:
        buf_addz(out, e->object.n > 0 ? "{ " : "{");
        for (size_t i = 0; i < e->object.n; i++) {
            buf_addz(out, i > 0 ? ", " : "");
            (void)write_key(out, e->object.v[i].key);
            buf_addz(out, " = ");
            write_inline(out, e->object.v[i].value);
        }
        buf_addz(out, e->object.n > 0 ? " }" : "}");
        return;
    case HCL_EXPR_TRAVERSAL:
        write_traversal(out, &e->traversal);
        return;
    case HCL_EXPR_CALL:
        buf_add(out, e->call.name);
        buf_addc(out, '(');
        write_inlines(out, e->call.args);
        buf_addz(out, e->call.expand ? "...)" : ")");
        return;
    default:
        abort(); /* hcl_can_write() */
    }
}

void hcl_write_inline(struct buf *out, const struct hcl_expr *e)
{
    write_inline(out, e);
}

static void indent(struct buf *out, unsigned level)
{
    for (unsigned i = 0; i < level; i++)
        buf_addz(out, "  ");
}

/* --- heredocs --- */

/* A heredoc has no escapes, so its text must not have control characters except tabs, and no carriage returns. */
static bool is_visible(struct str text)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        struct buf escaped BUF_AUTO = BUF_INIT(MAX_TEXT);
        text_write_language(&escaped, line);
        size_t same = 2;
        for (size_t i = 0; i < line.n; i++)
            same += line.p[i] == '"' || line.p[i] == '\\' || line.p[i] == '\t' ||
                    (begins_sequence(line.p[i]) && i + 1 < line.n && line.p[i + 1] == '{');
        if (escaped.n != line.n + same)
            return false;
    }
    return true;
}

/* Is it a string or template of at least two lines that ends with a line feed? */
static bool is_heredoc(const struct hcl_expr *e)
{
    struct hcl_exprs parts = e->kind == HCL_EXPR_TEMPLATE ? e->parts : (struct hcl_exprs){.v = &e, .n = 1};
    const struct hcl_expr *last = parts.n > 0 ? parts.v[parts.n - 1] : e;
    size_t lines = 0;
    if (last->kind != HCL_EXPR_STRING || !str_ends(last->text, STR("\n")) || (e->kind == HCL_EXPR_STRING && e->text.n < 2))
        return false;
    for (size_t i = 0; i < parts.n; i++)
        for (size_t k = 0; parts.v[i]->kind == HCL_EXPR_STRING && k < parts.v[i]->text.n; k++)
            lines += parts.v[i]->text.p[k] == '\n';
    for (size_t i = 0; lines > 1 && i < parts.n; i++)
        if (parts.v[i]->kind == HCL_EXPR_STRING && !is_visible(parts.v[i]->text))
            return false;
    return lines > 1;
}

static bool has_line(struct str text, struct str marker)
{
    while (text.n > 0)
        if (str_eq(str_trim(str_cut(&text, '\n')), marker))
            return true;
    return false;
}

static void write_raw(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (begins_sequence(text.p[i]) && i + 1 < text.n && text.p[i + 1] == '{')
            buf_addc(out, text.p[i]);
        buf_addc(out, text.p[i]);
    }
}

/*
 * <<- removes the indentation that all lines have in common, so the text can be indented if one of its lines does not begin with
 * a space. It cannot if there are lines of spaces only, which <<- leaves unchanged, or a line begins with a character that could
 * combine with the last space.
 */
static bool can_be_indented(struct str text)
{
    bool first_column = false;
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        size_t n = 0;
        while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
            n++;
        if (line.n > 0 && (n == line.n || line.p[n] < '!' || line.p[n] > '~'))
            return false;
        first_column |= line.n > 0 && n == 0;
    }
    return first_column;
}

static void write_heredoc(struct buf *out, const struct hcl_expr *e, unsigned level)
{
    struct buf body BUF_AUTO = BUF_INIT(MAX_TEXT);
    if (e->kind == HCL_EXPR_TEMPLATE)
        hcl_write_template(&body, e, write_raw);
    else
        write_raw(&body, e->text);
    out->failed |= !buf_ok(&body);
    struct str text = buf_str(&body);
    char marker[24] = "EOT";
    for (unsigned i = 2; has_line(text, str_of(marker)); i++)
        (void)snprintf(marker, sizeof marker, "EOT%u", i);
    bool indented = can_be_indented(text);
    buf_printf(out, indented ? "<<-%s\n" : "<<%s\n", marker);
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        indent(out, indented && line.n > 0 ? level + 1 : 0);
        buf_add(out, line);
        buf_addc(out, '\n');
    }
    indent(out, indented ? level : 0);
    buf_addz(out, marker);
}

/* --- lines --- */

static void write_expr(struct buf *out, const struct hcl_expr *e, unsigned level);

/* The NAME = VALUE lines of a body or an object. */
struct lines {
    size_t n;
    bool in_body;
    const struct hcl_attr *attrs; /* in a body */
    const struct hcl_item *items; /* in an object */
};

static const struct hcl_expr *line_value(const struct lines *l, size_t i)
{
    return l->in_body ? l->attrs[i].value : l->items[i].value;
}

static size_t write_name(struct buf *out, const struct lines *l, size_t i)
{
    if (!l->in_body)
        return write_key(out, l->items[i].key);
    buf_add(out, l->attrs[i].name);
    return text_count_clusters(l->attrs[i].name);
}

static size_t name_columns(const struct lines *l, size_t i)
{
    struct buf name BUF_AUTO = BUF_INIT(MAX_TEXT);
    return write_name(&name, l, i);
}

bool hcl_takes_lines(const struct hcl_expr *e)
{
    return is_heredoc(e) || line_width(e) == NOT_ONE_LINE;
}

/* Does fmt align the line with its neighbours? It does for a heredoc, in spite of its lines. */
static bool is_aligned(const struct lines *l, size_t i)
{
    return is_heredoc(line_value(l, i)) || !hcl_takes_lines(line_value(l, i));
}

static bool has_comment(const struct lines *l, size_t i)
{
    return l->in_body && l->attrs[i].comment.n > 0;
}

/* Is the line separated by empty lines? In a body, arguments of several lines are; in an object none are. */
static bool is_apart(const struct lines *l, size_t i)
{
    return l->in_body && i > 0 && (hcl_takes_lines(l->attrs[i].value) || hcl_takes_lines(l->attrs[i - 1].value));
}

/* The first line after `i` that is not aligned with it. */
static size_t end_of_row(const struct lines *l, size_t i)
{
    size_t end = i + 1;
    while (end < l->n && is_aligned(l, end) && !has_comment(l, end) && !is_apart(l, end))
        end++;
    return end;
}

static void write_comment(struct buf *out, struct str comment, unsigned level)
{
    while (comment.n > 0) {
        struct str line = str_cut(&comment, '\n');
        indent(out, level);
        buf_addz(out, line.n > 0 ? "# " : "#");
        buf_add(out, line);
        buf_addc(out, '\n');
    }
}

static void write_line(struct buf *out, const struct lines *l, size_t i, size_t columns, unsigned level)
{
    const struct hcl_expr *value = line_value(l, i);
    if (is_apart(l, i))
        buf_addc(out, '\n');
    if (has_comment(l, i))
        write_comment(out, l->attrs[i].comment, level);
    indent(out, level);
    for (size_t n = write_name(out, l, i); n < columns; n++)
        buf_addc(out, ' ');
    buf_addz(out, " = ");
    if (is_heredoc(value))
        write_heredoc(out, value, level);
    else
        write_expr(out, value, level);
    buf_addc(out, '\n');
}

static void write_lines(struct buf *out, const struct lines *l, unsigned level)
{
    for (size_t i = 0; i < l->n;) {
        size_t end = is_aligned(l, i) ? end_of_row(l, i) : i + 1, columns = 0;
        for (size_t k = i; k < end; k++) {
            size_t n = is_aligned(l, i) ? name_columns(l, k) : 0;
            columns = n > columns ? n : columns;
        }
        for (; i < end; i++)
            write_line(out, l, i, columns, level);
    }
}

static void write_list(struct buf *out, struct hcl_exprs list, unsigned level)
{
    buf_addz(out, "[\n");
    for (size_t i = 0; i < list.n; i++) {
        indent(out, level + 1);
        write_expr(out, list.v[i], level + 1);
        buf_addz(out, ",\n");
    }
    indent(out, level);
    buf_addc(out, ']');
}

/* A single argument of several lines is opened and closed on the same lines as the call's parentheses. */
static void write_call(struct buf *out, const struct hcl_expr *e, unsigned level)
{
    if (e->call.args.n != 1) {
        write_inline(out, e);
        return;
    }
    buf_add(out, e->call.name);
    buf_addc(out, '(');
    write_expr(out, e->call.args.v[0], level);
    buf_addz(out, e->call.expand ? "...)" : ")");
}

static void write_expr(struct buf *out, const struct hcl_expr *e, unsigned level)
{
    if (line_width(e) != NOT_ONE_LINE) {
        write_inline(out, e);
    } else if (e->kind == HCL_EXPR_LIST) {
        write_list(out, e->parts, level);
    } else if (e->kind == HCL_EXPR_CALL) {
        write_call(out, e, level);
    } else {
        buf_addz(out, "{\n");
        write_lines(out, &(struct lines){.n = e->object.n, .items = e->object.v}, level + 1);
        indent(out, level);
        buf_addc(out, '}');
    }
}

static void write_body(struct buf *out, const struct hcl_body *body, unsigned level);

static void write_block(struct buf *out, const struct hcl_block *b, unsigned level)
{
    write_comment(out, b->comment, level);
    indent(out, level);
    buf_add(out, b->type);
    for (size_t i = 0; i < b->n_labels; i++) {
        buf_addc(out, ' ');
        text_write_language(out, b->labels[i]);
    }
    if (b->body.n_attrs + b->body.n_blocks == 0) {
        buf_addz(out, " {}\n");
        return;
    }
    buf_addz(out, " {\n");
    write_body(out, &b->body, level + 1);
    indent(out, level);
    buf_addz(out, "}\n");
}

static void write_body(struct buf *out, const struct hcl_body *body, unsigned level)
{
    write_lines(out, &(struct lines){.n = body->n_attrs, .in_body = true, .attrs = body->attrs}, level);
    for (size_t i = 0; i < body->n_blocks; i++) {
        if (i > 0 || body->n_attrs > 0)
            buf_addc(out, '\n');
        write_block(out, &body->blocks[i], level);
    }
}

void hcl_write(struct buf *out, const struct hcl_body *body)
{
    write_body(out, body, 0);
}

/* --- what can be written --- */

static bool can_write(const struct hcl_expr *e);

static bool can_write_all(struct hcl_exprs list)
{
    size_t i = 0;
    while (i < list.n && can_write(list.v[i]))
        i++;
    return i == list.n;
}

static bool can_write_steps(const struct hcl_traversal *t)
{
    if (t->of && (t->of->kind != HCL_EXPR_CALL || !can_write(t->of)))
        return false;
    size_t i = 0;
    while (i < t->n && (t->steps[i].kind != HCL_STEP_INDEX || can_write(t->steps[i].index)))
        i++;
    return i == t->n;
}

static bool can_write(const struct hcl_expr *e)
{
    switch (e->kind) {
    case HCL_EXPR_LIST:
    case HCL_EXPR_TEMPLATE:
        return can_write_all(e->parts);
    case HCL_EXPR_CALL:
        return can_write_all(e->call.args);
    case HCL_EXPR_TRAVERSAL:
        return can_write_steps(&e->traversal);
    case HCL_EXPR_OBJECT: {
        size_t i = 0;
        while (i < e->object.n && can_write(e->object.v[i].key) && can_write(e->object.v[i].value))
            i++;
        return i == e->object.n;
    }
    case HCL_EXPR_CONDITION:
    case HCL_EXPR_FOR:
    case HCL_EXPR_OPERATION:
        return false;
    default:
        return true;
    }
}

bool hcl_can_write(const struct hcl_body *body)
{
    for (size_t i = 0; i < body->n_attrs; i++)
        if (!can_write(body->attrs[i].value))
            return false;
    for (size_t i = 0; i < body->n_blocks; i++)
        if (!hcl_can_write(&body->blocks[i].body))
            return false;
    return true;
}
