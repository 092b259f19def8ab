/*
 * Writes strings: in quotes, as a heredoc (<<-EOT) if they have several lines, as jsonencode(...) if they are JSON, so that
 * changes inside a policy document are shown.
 */
#include "base/terminal.h"
#include "render/diff_private.h"
#include "render/words_private.h"

enum { MAX_TEXT = 512 << 20 };

struct text {
    bool is_null, has_lines;
    struct str s;            /* of lines: without surrounding white space */
    const struct json *json; /* NULL: not JSON */
};

/* JSON */

static struct text read_text(struct arena *a, const struct json *j)
{
    if (!j || (j->kind != JSON_STRING && j->kind != JSON_NUMBER))
        return (struct text){.is_null = true, .s = STR("null")};
    struct text t = {.s = j->text};
    if (str_starts(j->text, STR("{")) || str_starts(j->text, STR("[")))
        t.json = json_parse_lenient(a, j->text);
    if (t.json || str_find(j->text, '\n', 0) == SIZE_MAX)
        return t;
    t.has_lines = true;
    t.s = words_trim(j->text);
    return t;
}

static void write_as_json(struct buf *out, const struct diff *d, const struct text *before, const struct text *after, int indent,
                          struct diff_look look)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct sides sides = {
        .before = before->json,
        .after = after->json,
        .has_before = d->action != ACTION_CREATE,
        .has_after = d->action != ACTION_DELETE,
    };
    const struct diff *inner = diff_json(a, &sides);
    bool only_space = inner->action == ACTION_NO_OP && d->action == ACTION_UPDATE;
    struct diff_look parts = look;
    parts.forced = false;
    parts.no_null = true;
    parts.show_unchanged = look.show_unchanged || only_space;
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    diff_write(&text, inner, indent + 1, parts);
    const char *note = !only_space ? "" : d->replace ? " # whitespace changes force replacement" : " # whitespace changes";

    buf_addz(out, "jsonencode(");
    if (str_find(buf_str(&text), '\n', 0) == SIZE_MAX) {
        buf_add(out, buf_str(&text));
        buf_printf(out, ")%s", note);
        return only_space ? (void)0 : ink_replace_suffix(out, d->replace, look);
    }
    buf_printf(out, "%s\n", note);
    ink_indent(out, indent + 1);
    diff_write_sign(out, d->action == ACTION_UPDATE && !only_space ? ACTION_UPDATE : ACTION_NO_OP, look);
    buf_add(out, buf_str(&text));
    if (!only_space)
        ink_replace_suffix(out, d->replace, look);
    buf_addc(out, '\n');
    ink_indent(out, indent);
    diff_write_sign(out, ACTION_NO_OP, look);
    buf_addc(out, ')');
    ink_null_suffix(out, d->action, look);
}

/* Quotes */

static void write_quoted(struct buf *out, const struct text *t, struct diff_look look)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    if (t->is_null)
        return ink_null(out, look);
    buf_add(out, words_quoted(scratch, t->s));
}

/* Lines */

struct lines {
    struct str *v;
    size_t n;
};

/* An empty text has one line. */
static struct lines split(struct arena *a, struct str text)
{
    size_t most = 1;
    for (size_t at = 0; (at = str_find(text, '\n', at)) != SIZE_MAX; at++)
        most++;
    struct lines lines = {.v = arena_make_n(a, struct str, most)};
    while (lines.n < most)
        lines.v[lines.n++] = str_cut(&text, '\n');
    return lines;
}

static void write_line(struct buf *out, enum change_action action, struct str line, int indent, struct diff_look look)
{
    ink_indent(out, indent);
    diff_write_sign(out, action, look);
    terminal_write(out, line, TERMINAL_KEEP_TABS);
    buf_addc(out, '\n');
}

struct both_lines {
    struct lines before, after;
};

static bool same_lines(const void *ctx, size_t before, size_t after)
{
    const struct both_lines *lines = ctx;
    return str_eq(lines->before.v[before], lines->after.v[after]);
}

static bool no_objects(const void *ctx, size_t before, size_t after)
{
    (void)ctx, (void)before, (void)after;
    return false;
}

static void write_changed_lines(struct buf *out, struct str before, struct str after, int indent, struct diff_look look)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct both_lines lines = {split(a, before), split(a, after)};
    struct pairs pairs = pair_up(a, lines.before.n, lines.after.n, same_lines, no_objects, &lines);
    for (size_t i = 0; i < pairs.n; i++) {
        struct pair p = pairs.v[i];
        bool both = p.before != SIZE_MAX && p.after != SIZE_MAX && same_lines(&lines, p.before, p.after);
        if (p.before != SIZE_MAX)
            write_line(out, both ? ACTION_NO_OP : ACTION_DELETE, lines.before.v[p.before], indent, look);
        if (p.after != SIZE_MAX && !both)
            write_line(out, ACTION_CREATE, lines.after.v[p.after], indent, look);
    }
}

static void write_all_lines(struct buf *out, struct str text, int indent, struct diff_look look)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct lines lines = split(a, text);
    for (size_t i = 0; i < lines.n; i++)
        write_line(out, ACTION_NO_OP, lines.v[i], indent, look);
}

static void write_lines(struct buf *out, const struct diff *d, const struct text *before, const struct text *after, int indent,
                        struct diff_look look)
{
    buf_addz(out, "<<-EOT");
    ink_replace_suffix(out, d->replace, look);
    buf_addc(out, '\n');
    if (d->action == ACTION_UPDATE)
        write_changed_lines(out, before->s, after->s, indent + 1, look);
    else
        write_all_lines(out, d->action == ACTION_DELETE ? before->s : after->s, indent + 1, look);
    ink_indent(out, indent);
    diff_write_sign(out, ACTION_NO_OP, look);
    buf_addz(out, "EOT");
    ink_null_suffix(out, d->action, look);
}

/* All together */

static void write_changed(struct buf *out, const struct diff *d, const struct text *before, const struct text *after, int indent,
                          struct diff_look look)
{
    if (before->json && after->json)
        return write_as_json(out, d, before, after, indent, look);
    if (before->json || after->json) {
        struct diff old = {.kind = DIFF_PLAIN, .text = true, .action = ACTION_DELETE, .before = d->before};
        struct diff new = {.kind = DIFF_PLAIN, .text = true, .action = ACTION_CREATE, .after = d->after};
        struct diff both = {.kind = DIFF_OTHER_TYPE, .action = d->action, .inner = &old, .other = &new};
        return diff_write(out, &both, indent, look);
    }
    if (before->has_lines || after->has_lines)
        return write_lines(out, d, before, after, indent, look);
    write_quoted(out, before, look);
    ink_arrow(out, look);
    write_quoted(out, after, look);
    ink_replace_suffix(out, d->replace, look);
}

void diff_write_string(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct text before = read_text(a, d->before), after = read_text(a, d->after);
    if (d->action == ACTION_UPDATE)
        return write_changed(out, d, &before, &after, indent, look);
    const struct text *shown = d->action == ACTION_DELETE ? &before : &after;
    if (shown->json)
        return write_as_json(out, d, &before, &after, indent, look);
    if (shown->has_lines)
        return write_lines(out, d, &before, &after, indent, look);
    write_quoted(out, shown, look);
    if (!shown->is_null)
        ink_null_suffix(out, d->action, look);
    ink_replace_suffix(out, d->replace, look);
}
