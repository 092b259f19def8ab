/*
 * Writes the tree of differences as text. A container writes for each part: indentation, the symbol of its action, its name, and
 * the part itself, which may take several lines.
 */
#include "render/diff_private.h"
#include "render/words_private.h"

#include <stdio.h>

/* The look for the parts of a container: flags for the container itself do not apply to them. */
static struct diff_look for_parts(struct diff_look look)
{
    look.forced = false;
    return look;
}

static void write_hidden(struct buf *out, size_t n, const char *what, int indent, struct diff_look look)
{
    if (n == 0)
        return;
    char text[64];
    (void)snprintf(text, sizeof text, "# (%zu unchanged %s%s hidden)", n, what, n == 1 ? "" : "s");
    ink_indent(out, indent);
    diff_write_sign(out, ACTION_NO_OP, look);
    ink_write(out, look.colour, INK_GREY, text);
    buf_addc(out, '\n');
}

/* Writes the warning of two lines before a value that becomes sensitive, or no longer is. */
static void write_warning(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    if ((d->kind != DIFF_SECRET && d->kind != DIFF_SECRET_BLOCK) || d->was_secret == d->is_secret ||
        d->inner->action == ACTION_CREATE || d->inner->action == ACTION_DELETE)
        return;
    ink_indent(out, indent);
    buf_addz(out, "  # ");
    ink_write(out, look.colour, INK_YELLOW, "Warning");
    buf_printf(out, ": this %s will %s\n", d->kind == DIFF_SECRET ? "attribute value" : "block",
               d->was_secret ? "no longer be marked as sensitive" : "be marked as sensitive and will not");
    ink_indent(out, indent);
    buf_addz(out, d->was_secret ? "  # after applying this change." : "  # display in UI output after applying this change.");
    if (d->kind == DIFF_SECRET && d->inner->action == ACTION_NO_OP)
        buf_addz(out, " The value is unchanged.");
    buf_addc(out, '\n');
}

static void write_line_start(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    write_warning(out, d, indent, look);
    ink_indent(out, indent);
    diff_write_sign(out, d->action, look);
}

static void write_end(struct buf *out, const char *bracket, int indent, struct diff_look look)
{
    ink_indent(out, indent);
    diff_write_sign(out, ACTION_NO_OP, look);
    buf_addz(out, bracket);
}

/* Lists and sets */

static void write_element(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    write_line_start(out, d, indent, look);
    diff_write(out, d, indent, look);
    buf_addz(out, ",\n");
}

/* The order of a list matters, so the elements directly before and after a change are shown too. */
static size_t write_with_neighbours(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    struct diff_look changed = for_parts(look), unchanged = for_parts(look);
    changed.no_null = true;
    unchanged.show_unchanged = true;
    size_t hidden = 0;
    bool after_change = false;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff *element = d->entries[i].diff;
        bool same = element->action == ACTION_NO_OP;
        if (same && !after_change && !look.show_unchanged) {
            hidden++;
            continue;
        }
        if (hidden > 0) {
            write_hidden(out, hidden - 1, "element", indent, look);
            write_element(out, d->entries[i - 1].diff, indent, unchanged);
        }
        hidden = 0;
        after_change = !same;
        write_element(out, element, indent, same ? unchanged : changed);
    }
    return hidden;
}

static size_t write_elements(struct buf *out, const struct diff *d, int indent, struct diff_look look, bool forced)
{
    struct diff_look parts = for_parts(look);
    parts.no_null = true;
    parts.forced = forced;
    size_t hidden = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff *element = d->entries[i].diff;
        if (element->action == ACTION_NO_OP && !look.show_unchanged)
            hidden++;
        else
            write_element(out, element, indent, parts);
    }
    return hidden;
}

static void write_list(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    /* For a set of nested attributes, "forces replacement" is written for the elements, not for the set. */
    bool by_elements = d->kind == DIFF_SET && d->nested;
    buf_addc(out, '[');
    if (d->n == 0) {
        buf_addc(out, ']');
        ink_null_suffix(out, d->action, look);
        return ink_replace_suffix(out, d->replace && !by_elements, look);
    }
    ink_replace_suffix(out, d->replace && !by_elements, look);
    buf_addc(out, '\n');
    size_t hidden = d->kind == DIFF_LIST && !d->nested ? write_with_neighbours(out, d, indent + 1, look)
                                                       : write_elements(out, d, indent + 1, look, d->replace && by_elements);
    write_hidden(out, hidden, "element", indent + 1, look);
    write_end(out, "]", indent, look);
    ink_null_suffix(out, d->action, look);
}

/* Maps, objects and blocks */

/* The names of a container's entries as written, and the width of the widest. */
struct labels {
    struct arena *arena;
    struct str *v;
    size_t width; /* in bytes, as Terraform counts */
};

static struct labels make_labels(const struct diff *d, bool quoted)
{
    struct labels l = {.arena = arena_new(NULL, 0)};
    l.v = arena_make_n(l.arena, struct str, d->n);
    for (size_t i = 0; i < d->n; i++) {
        l.v[i] = quoted ? words_quoted(l.arena, d->entries[i].name) : words_name(l.arena, d->entries[i].name);
        l.width = l.v[i].n > l.width ? l.v[i].n : l.width;
    }
    return l;
}

static void write_label(struct buf *out, struct str label, size_t width)
{
    buf_add(out, label);
    for (size_t n = str_count_utf8(label); n < width; n++)
        buf_addc(out, ' ');
    buf_addz(out, " = ");
}

/* Attributes that are shown even if unchanged, because they identify the object. */
static bool is_important(struct str name)
{
    return str_eqz(name, "id") || str_eqz(name, "name") || str_eqz(name, "tags");
}

static void write_attributes(struct buf *out, const struct diff *d, int indent, struct diff_look look, struct diff_look parts)
{
    struct labels labels = make_labels(d, false);
    struct diff_look important = parts;
    important.show_unchanged = true;
    size_t hidden = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff *attr = d->entries[i].diff;
        bool always = is_important(d->entries[i].name);
        if (attr->action == ACTION_NO_OP && !always && !look.show_unchanged) {
            hidden++;
            continue;
        }
        write_line_start(out, attr, indent, look);
        write_label(out, labels.v[i], labels.width);
        diff_write(out, attr, indent, always ? important : parts);
        buf_addc(out, '\n');
    }
    write_hidden(out, hidden, "attribute", indent, look);
    arena_free(labels.arena);
}

static void write_object(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    buf_addc(out, '{');
    if (d->n == 0) {
        buf_addc(out, '}');
        ink_null_suffix(out, d->action, look);
        return ink_replace_suffix(out, d->replace, look);
    }
    ink_replace_suffix(out, d->replace, look);
    buf_addc(out, '\n');
    struct diff_look parts = for_parts(look);
    parts.no_null = !d->nested;
    write_attributes(out, d, indent + 1, look, parts);
    write_end(out, "}", indent, look);
    ink_null_suffix(out, d->action, look);
}

static void write_map_entries(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    struct diff_look parts = for_parts(look);
    parts.no_null = d->action == ACTION_DELETE || d->nested;
    parts.forced = d->replace && d->nested;
    struct labels labels = make_labels(d, true);
    size_t hidden = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct diff *element = d->entries[i].diff;
        if (element->action == ACTION_NO_OP && !look.show_unchanged) {
            hidden++;
            continue;
        }
        write_line_start(out, element, indent, look);
        write_label(out, labels.v[i], d->nested ? 0 : labels.width);
        diff_write(out, element, indent, parts);
        buf_addz(out, element->kind == DIFF_OBJECT ? ",\n" : "\n");
    }
    write_hidden(out, hidden, "element", indent, look);
    arena_free(labels.arena);
}

static void write_map(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    buf_addc(out, '{');
    if (d->n == 0) {
        buf_addc(out, '}');
        ink_null_suffix(out, d->action, look);
        return ink_replace_suffix(out, d->replace && !d->nested, look);
    }
    ink_replace_suffix(out, d->replace && !d->nested, look);
    buf_addc(out, '\n');
    write_map_entries(out, d, indent + 1, look);
    write_end(out, "}", indent, look);
    ink_null_suffix(out, d->action, look);
}

/* A block of a group that is sensitive as a whole, which the blocks' own nodes do not show. */
static struct diff hide_block(const struct diff_group *group, const struct diff *block)
{
    bool hide = block->action == ACTION_CREATE   ? group->is_secret
                : block->action == ACTION_DELETE ? group->was_secret
                                                 : group->is_secret || group->was_secret;
    if (!hide)
        return *block;
    bool changed = block->action == ACTION_NO_OP && group->was_secret != group->is_secret;
    return (struct diff){
        .kind = DIFF_SECRET_BLOCK,
        .action = changed ? ACTION_UPDATE : block->action,
        .replace = block->replace,
        .was_secret = group->was_secret,
        .is_secret = group->is_secret,
        .inner = block,
    };
}

static void write_block_start(struct buf *out, const struct diff_group *group, struct str key)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    buf_add(out, words_name(scratch, group->name));
    buf_addc(out, ' ');
    if (!key.p)
        return;
    buf_add(out, words_quoted(scratch, key));
    buf_addc(out, ' ');
}

/* Returns how many blocks are hidden. */
static size_t write_group(struct buf *out, const struct diff_group *group, bool spaced, int indent, struct diff_look look)
{
    struct diff_look parts = for_parts(look);
    parts.forced = group->replace;
    size_t hidden = 0;
    for (size_t i = 0; i < group->n; i++) {
        struct diff block = hide_block(group, group->entries[i].diff);
        if (block.action == ACTION_NO_OP && !look.show_unchanged) {
            hidden++;
            continue;
        }
        if (spaced)
            buf_addc(out, '\n');
        spaced = false;
        write_line_start(out, &block, indent, parts);
        write_block_start(out, group, group->entries[i].name);
        diff_write(out, &block, indent, parts);
        buf_addc(out, '\n');
    }
    return hidden;
}

static void write_block(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    buf_addc(out, '{');
    if (d->n == 0 && d->n_groups == 0) {
        buf_addc(out, '}');
        return ink_replace_suffix(out, d->replace, look);
    }
    ink_replace_suffix(out, d->replace, look);
    buf_addc(out, '\n');
    write_attributes(out, d, indent + 1, look, for_parts(look));
    size_t hidden = 0;
    for (size_t i = 0; i < d->n_groups; i++)
        hidden += write_group(out, &d->groups[i], d->n > 0, indent + 1, look);
    if (hidden > 0)
        buf_addc(out, '\n');
    write_hidden(out, hidden, "block", indent + 1, look);
    write_end(out, "}", indent, look);
}

static void write_secret_block(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    static const char *const lines[] = {
        "  # At least one attribute in this block is (or was) sensitive,\n",
        "  # so its contents will not be displayed.\n",
        "}",
    };
    buf_addc(out, '{');
    ink_replace_suffix(out, d->replace, look);
    buf_addc(out, '\n');
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        write_end(out, lines[i], indent, look);
}

/* Single values */

static void write_plain_side(struct buf *out, const struct json *j, struct diff_look look)
{
    if (!j)
        return ink_null(out, look);
    if (j->kind == JSON_BOOL)
        return buf_addz(out, j->boolean ? "true" : "false");
    if (j->kind == JSON_NUMBER || j->kind == JSON_STRING)
        buf_add(out, j->text);
}

static void write_plain(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    if (d->text)
        return diff_write_string(out, d, indent, look);
    write_plain_side(out, d->action == ACTION_CREATE ? d->after : d->before, look);
    if (d->action == ACTION_UPDATE) {
        ink_arrow(out, look);
        write_plain_side(out, d->after, look);
    }
    ink_null_suffix(out, d->action, look);
    ink_replace_suffix(out, d->replace, look);
}

/* Writes words in place of a value. */
static void write_words(struct buf *out, const struct diff *d, const char *words, struct diff_look look)
{
    buf_addz(out, words);
    ink_null_suffix(out, d->action, look);
    ink_replace_suffix(out, d->replace, look);
}

static void write_unknown(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    if (d->inner) {
        struct diff_look before = look;
        before.no_null = true;
        diff_write(out, d->inner, indent, before);
        buf_addz(out, " -> ");
    }
    buf_addz(out, "(known after apply)");
    ink_replace_suffix(out, d->replace, look);
}

static void write_other_type(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    look.no_null = true;
    diff_write(out, d->inner, indent, look);
    ink_arrow(out, look);
    diff_write(out, d->other, indent, look);
}

void diff_write(struct buf *out, const struct diff *d, int indent, struct diff_look look)
{
    switch (d->kind) {
    case DIFF_PLAIN:
        return write_plain(out, d, indent, look);
    case DIFF_LIST:
    case DIFF_SET:
        return write_list(out, d, indent, look);
    case DIFF_MAP:
        return write_map(out, d, indent, look);
    case DIFF_OBJECT:
        return write_object(out, d, indent, look);
    case DIFF_BLOCK:
        return write_block(out, d, indent, look);
    case DIFF_UNKNOWN:
        return write_unknown(out, d, indent, look);
    case DIFF_SECRET:
        return write_words(out, d, "(sensitive value)", look);
    case DIFF_SECRET_BLOCK:
        return write_secret_block(out, d, indent, look);
    case DIFF_WRITE_ONLY:
        return write_words(out, d, "(write-only attribute)", look);
    case DIFF_OTHER_TYPE:
        return write_other_type(out, d, indent, look);
    }
}
