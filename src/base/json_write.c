/*
 * The writer: straight into the buffer, runs of plain characters copied whole.
 *
 * State between calls: `depth` open containers, their kinds in `in_object`, `first` (nothing in the innermost one yet) and
 * `after_key`. Everything that writes a value goes through before_value().
 */
#include "base/json.h"
#include "base/terminal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static bool in_object(const struct json_writer *w)
{
    return w->depth > 0 && (w->in_object[(w->depth - 1) / 64] >> ((w->depth - 1) % 64) & 1);
}

/* Like buf_addc(), inline for the usual case. */
static inline void put(struct json_writer *w, char c)
{
    if (w->out->n < w->out->cap && !w->out->failed)
        w->out->p[w->out->n++] = c;
    else
        buf_addc(w->out, c);
}

static void drain(struct json_writer *w)
{
    if (!buf_ok(w->out)) {
        w->failed = true;
        return;
    }
    if (w->flush && w->out->n > 0 && !w->failed) {
        w->failed = !w->flush(w->ctx, buf_str(w->out));
        buf_clear(w->out);
    }
}

static void new_line(struct json_writer *w)
{
    if (w->indent <= 0)
        return;
    size_t n = 1 + (size_t)w->indent * w->depth;
    char *room = buf_room(w->out, n);
    if (!room)
        return;
    memset(room, ' ', n);
    room[0] = '\n';
    buf_grew(w->out, n);
}

/* Writes the separator before the next element or key. */
static void separate(struct json_writer *w)
{
    if (w->flush && w->out->n >= JSON_FLUSH)
        drain(w);
    if (w->depth == 0)
        return;
    if (!w->first)
        put(w, ',');
    w->first = false;
    new_line(w);
}

/* False: nothing more is written. */
static bool before_value(struct json_writer *w)
{
    assert(!in_object(w) || w->after_key);
    if (w->failed || !buf_ok(w->out)) {
        w->failed = true;
        return false;
    }
    if (w->after_key)
        w->after_key = false;
    else
        separate(w);
    return !w->failed;
}

static void begin(struct json_writer *w, char bracket, bool object)
{
    if (!before_value(w))
        return;
    if (w->depth == JSON_MAX_DEPTH) {
        w->failed = true;
        return;
    }
    put(w, bracket);
    uint64_t bit = UINT64_C(1) << (w->depth % 64);
    uint64_t *word = &w->in_object[w->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    w->depth++;
    w->first = true;
}

static void end(struct json_writer *w, char bracket, bool object)
{
    if (w->failed)
        return;
    assert(w->depth > 0 && in_object(w) == object && !w->after_key);
    w->depth--;
    if (!w->first)
        new_line(w);
    w->first = false;
    put(w, bracket);
}

struct json_mark json_mark(const struct json_writer *w)
{
    assert(!w->flush);
    return (struct json_mark){*w, w->out->n};
}

void json_back(struct json_writer *w, const struct json_mark *mark)
{
    *w = mark->w;
    w->out->n = mark->n;
    w->out->failed = false;
}

void json_begin_object(struct json_writer *w)
{
    begin(w, '{', true);
}

void json_end_object(struct json_writer *w)
{
    end(w, '}', true);
}

void json_begin_array(struct json_writer *w)
{
    begin(w, '[', false);
}

void json_end_array(struct json_writer *w)
{
    end(w, ']', false);
}

/* Strings */

enum { PLAIN, SOMETIMES, ESCAPE, WIDE }; /* SOMETIMES: escaped only with html_escape or for_terminal */

static const uint8_t class_of[256] = {
    [0 ... 0x1f] = ESCAPE, ['"'] = ESCAPE,    ['\\'] = ESCAPE,    ['<'] = SOMETIMES,
    ['>'] = SOMETIMES,     ['&'] = SOMETIMES, [0x7f] = SOMETIMES, [0x80 ... 0xff] = WIDE,
};

static void write_escape(struct buf *out, unsigned char c)
{
    switch (c) {
    case '"':
        return buf_add(out, STR("\\\""));
    case '\\':
        return buf_add(out, STR("\\\\"));
    case '\b':
        return buf_add(out, STR("\\b"));
    case '\f':
        return buf_add(out, STR("\\f"));
    case '\n':
        return buf_add(out, STR("\\n"));
    case '\r':
        return buf_add(out, STR("\\r"));
    case '\t':
        return buf_add(out, STR("\\t"));
    default:
        return buf_printf(out, "\\u%04x", c);
    }
}

static bool is_escaped(const struct json_writer *w, unsigned char c)
{
    return class_of[c] == ESCAPE || (c == 0x7f ? w->for_terminal : w->html_escape);
}

static void write_wide(struct json_writer *w, struct str c)
{
    bool separator = str_eq(c, STR("\xe2\x80\xa8")) || str_eq(c, STR("\xe2\x80\xa9")); /* U+2028, U+2029 */
    if ((w->html_escape && separator) || (w->for_terminal && !terminal_is_safe(c)))
        (void)terminal_write_first(w->out, c); /* which is JSON's form, too */
    else
        buf_add(w->out, c);
}

/* Writes the character at the start of `s`, which is not plain; returns how many bytes of `s` it has. */
static size_t write_special(struct json_writer *w, struct str s)
{
    unsigned char c = (unsigned char)s.p[0];
    size_t n = str_utf8_first(s);
    if (n == 0) {
        buf_add(w->out, w->html_escape ? STR("\\ufffd") : STR("\xef\xbf\xbd"));
        return 1;
    }
    if (n > 1)
        write_wide(w, str_slice(s, 0, n));
    else if (is_escaped(w, c))
        write_escape(w->out, c);
    else
        buf_addc(w->out, (char)c);
    return n;
}

/* How many bytes at the start of `s` are copied as they are. */
static size_t plain_run(const struct json_writer *w, struct str s)
{
    uint8_t worst = w->html_escape || w->for_terminal ? PLAIN : SOMETIMES;
    size_t n = 0;
    while (n < s.n && class_of[(unsigned char)s.p[n]] <= worst)
        n++;
    return n;
}

static void write_mixed(struct json_writer *w, struct str s)
{
    put(w, '"');
    while (s.n > 0) {
        size_t run = plain_run(w, s);
        buf_add(w->out, str_slice(s, 0, run));
        s = str_slice(s, run, s.n);
        if (s.n > 0)
            s = str_slice(s, write_special(w, s), s.n);
    }
    put(w, '"');
}

static void write_quoted(struct json_writer *w, struct str s)
{
    if (plain_run(w, s) < s.n)
        return write_mixed(w, s);
    char *room = buf_room(w->out, s.n + 2);
    if (!room)
        return;
    room[0] = '"';
    if (s.n > 0)
        memcpy(room + 1, s.p, s.n);
    room[s.n + 1] = '"';
    buf_grew(w->out, s.n + 2);
}

void json_key(struct json_writer *w, struct str key)
{
    if (w->failed)
        return;
    assert(in_object(w) && !w->after_key);
    separate(w);
    write_quoted(w, key);
    put(w, ':');
    if (w->indent > 0)
        put(w, ' ');
    w->after_key = true;
}

void json_write_string(struct json_writer *w, struct str s)
{
    if (before_value(w))
        write_quoted(w, s);
}

/* Other values */

void json_write_raw(struct json_writer *w, struct str json)
{
    if (before_value(w))
        buf_add(w->out, json);
}

void json_write_null(struct json_writer *w)
{
    json_write_raw(w, STR("null"));
}

void json_write_bool(struct json_writer *w, bool b)
{
    json_write_raw(w, b ? STR("true") : STR("false"));
}

void json_write_number(struct json_writer *w, struct str text)
{
    json_write_raw(w, text);
}

void json_write_int(struct json_writer *w, int64_t i)
{
    if (before_value(w))
        buf_printf(w->out, "%" PRId64, i);
}

static void write_array(struct json_writer *w, const struct json *j)
{
    json_begin_array(w);
    for (size_t i = 0; i < j->array.n && !w->failed; i++)
        json_write(w, j->array.items[i]);
    json_end_array(w);
}

static void write_object(struct json_writer *w, const struct json *j)
{
    json_begin_object(w);
    for (size_t i = 0; i < j->object.n && !w->failed; i++) {
        json_key(w, j->object.members[i].key);
        json_write(w, j->object.members[i].value);
    }
    json_end_object(w);
}

void json_write(struct json_writer *w, const struct json *j)
{
    switch (j->kind) {
    case JSON_NULL:
        return json_write_null(w);
    case JSON_BOOL:
        return json_write_bool(w, j->boolean);
    case JSON_NUMBER:
        return json_write_number(w, j->text);
    case JSON_STRING:
        return json_write_string(w, j->text);
    case JSON_ARRAY:
        return write_array(w, j);
    case JSON_OBJECT:
        return write_object(w, j);
    }
}

bool json_finish(struct json_writer *w)
{
    assert(w->failed || (w->depth == 0 && !w->after_key));
    drain(w);
    return !w->failed;
}

void json_put_text(struct json_writer *w, const char *key, struct str value)
{
    json_key(w, str_of(key));
    json_write_string(w, value);
}

void json_put_int(struct json_writer *w, const char *key, int64_t value)
{
    json_key(w, str_of(key));
    json_write_int(w, value);
}

void json_put_count(struct json_writer *w, const char *key, size_t n)
{
    json_put_int(w, key, (int64_t)n);
}

void json_put_bool(struct json_writer *w, const char *key, bool value)
{
    json_key(w, str_of(key));
    json_write_bool(w, value);
}
