/*
 * Block style as Kubernetes tools print it: two spaces per level, lists at the level of their key.
 *
 * A string stays unquoted only if every reader reads it as a string: ours (yaml_scalar.h), those that support YAML 1.1's dates
 * and base 60 numbers, and those of YAML 1.2. A string of several lines becomes a literal block if a block can represent it
 * exactly.
 */
#include "yaml/yaml.h"
#include "yaml/yaml_quote_private.h"
#include "yaml/yaml_scalar.h"

#include <stdio.h>

/* A longer key is written with "?", because readers limit how far they look for the colon. */
enum { LONGEST_KEY = 128 };

struct writer {
    struct buf *out;
    struct arena *scratch; /* for resolving texts; reset after each */
};

static void write_node(struct writer *w, const struct json *j, size_t indent);

static void add_spaces(struct writer *w, size_t n)
{
    char *room = n > 0 ? buf_room(w->out, n) : NULL;
    if (!room)
        return;
    memset(room, ' ', n);
    buf_grew(w->out, n);
}

/* Strings */

/* Digits separated by colons or dashes: some readers read them as a date, a time or a base 60 number. */
static bool looks_like_date(struct str s)
{
    bool separated = false;
    for (size_t i = 0; i < s.n; i++) {
        if (!strchr("0123456789_.:TtZz +-", s.p[i]))
            return false;
        separated |= i > 0 && (s.p[i] == ':' || s.p[i] == '-');
    }
    return separated;
}

static bool has_plain_form(struct str s)
{
    if (str_starts(s, STR("..."))) /* the end of a document */
        return false;
    if (s.n == 0 || strchr("-?:,[]{}#&*!|>'\"%@`=<~ ", s.p[0]) || s.p[s.n - 1] == ' ' || s.p[s.n - 1] == ':')
        return false;
    for (struct str rest = s; rest.n > 0;) {
        size_t n;
        if (str_utf8_first(rest) == 0 || yaml_must_escape(yaml_decode(rest, &n)))
            return false;
        if (rest.n > 1 && ((rest.p[0] == ':' && rest.p[1] == ' ') || (rest.p[0] == ' ' && rest.p[1] == '#')))
            return false;
        rest = str_slice(rest, n, rest.n);
    }
    return !looks_like_date(s);
}

static bool resolves_to_string(struct writer *w, struct str s)
{
    bool is_string = yaml_resolve(w->scratch, s, false).kind == YAML_STRING;
    arena_reset(w->scratch);
    return is_string;
}

static void write_inline(struct writer *w, struct str s)
{
    if (has_plain_form(s) && resolves_to_string(w, s))
        buf_add(w->out, s);
    else
        yaml_put_quoted(w->out, s);
}

/* True for several lines that a literal block can represent exactly: text at both ends, followed by at most one line break. */
static bool has_literal_form(struct str s)
{
    if (s.n < 2 || str_find(s, '\n', 0) == SIZE_MAX || s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\n')
        return false;
    char last = s.p[s.n - 1] == '\n' ? s.p[s.n - 2] : s.p[s.n - 1];
    if (last == '\n' || last == ' ' || last == '\t')
        return false;
    while (s.n > 0) {
        size_t n;
        uint32_t c = yaml_decode(s, &n);
        if (str_utf8_first(s) == 0 || (yaml_must_escape(c) && c != '\n' && c != '\t'))
            return false;
        s = str_slice(s, n, s.n);
    }
    return true;
}

static void write_literal(struct writer *w, struct str s, size_t indent)
{
    buf_addz(w->out, s.p[s.n - 1] == '\n' ? "|" : "|-");
    while (s.n > 0) {
        struct str line = str_cut(&s, '\n');
        buf_addc(w->out, '\n');
        if (line.n > 0)
            add_spaces(w, indent);
        buf_add(w->out, line);
    }
}

static void write_string(struct writer *w, struct str s, size_t indent)
{
    if (has_literal_form(s))
        write_literal(w, s, indent);
    else
        write_inline(w, s);
}

/* A number that readers would take for a string, because it is out of their range, gets a tag. */
static void write_number(struct writer *w, struct str text)
{
    if (resolves_to_string(w, text))
        buf_addz(w->out, "!!float ");
    buf_add(w->out, text);
}

/* Containers. Each writes its first line at the current position and the others at `indent`. */

static bool is_block(const struct json *j)
{
    return (j->kind == JSON_ARRAY && j->array.n > 0) || (j->kind == JSON_OBJECT && j->object.n > 0);
}

static void next_line(struct writer *w, size_t indent)
{
    buf_addc(w->out, '\n');
    add_spaces(w, indent);
}

static void write_array(struct writer *w, const struct json *j, size_t indent)
{
    for (size_t i = 0; i < j->array.n; i++) {
        if (i > 0)
            next_line(w, indent);
        buf_addz(w->out, "- ");
        write_node(w, j->array.items[i], indent + 2);
    }
}

static void write_member(struct writer *w, const struct json_member *member, size_t indent)
{
    if (member->key.n > LONGEST_KEY) {
        buf_addz(w->out, "? ");
        write_inline(w, member->key);
        next_line(w, indent);
        buf_addc(w->out, ':');
    } else {
        write_inline(w, member->key);
        buf_addc(w->out, ':');
    }
    bool is_list = member->value->kind == JSON_ARRAY;
    size_t inner = is_list ? indent : indent + 2;
    if (is_block(member->value))
        next_line(w, inner);
    else
        buf_addc(w->out, ' ');
    write_node(w, member->value, inner);
}

static void write_object(struct writer *w, const struct json *j, size_t indent)
{
    for (size_t i = 0; i < j->object.n; i++) {
        if (i > 0)
            next_line(w, indent);
        write_member(w, &j->object.members[i], indent);
    }
}

static void write_node(struct writer *w, const struct json *j, size_t indent)
{
    switch (j->kind) {
    case JSON_NULL:
        return buf_addz(w->out, "null");
    case JSON_BOOL:
        return buf_addz(w->out, j->boolean ? "true" : "false");
    case JSON_NUMBER:
        return write_number(w, j->text);
    case JSON_STRING:
        return write_string(w, j->text, indent);
    case JSON_ARRAY:
        return is_block(j) ? write_array(w, j, indent) : buf_addz(w->out, "[]");
    case JSON_OBJECT:
        return is_block(j) ? write_object(w, j, indent) : buf_addz(w->out, "{}");
    }
}

void yaml_write(struct buf *out, const struct json *j)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.out = out, .scratch = scratch};
    /* A string of several lines at the top level needs indentation. */
    write_node(&w, j, j->kind == JSON_STRING ? 2 : 0);
    buf_addc(out, '\n');
}
