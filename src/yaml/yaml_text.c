#include "yaml/yaml_text.h"

#include "base/buf.h"
#include "base/hex.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

/* Bytes of the line break at the start of `s` (LF, CR LF or CR), 0 for none. */
static size_t break_length(struct str s)
{
    if (s.n == 0 || !is_break(s.p[0]))
        return 0;
    return s.n > 1 && s.p[0] == '\r' && s.p[1] == '\n' ? 2 : 1;
}

static void skip(struct str *s, size_t n)
{
    *s = str_slice(*s, n, s->n);
}

static void skip_blanks(struct str *s)
{
    while (s->n > 0 && is_blank(s->p[0]))
        skip(s, 1);
}

static void add_breaks(struct buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_addc(out, '\n');
}

/* Plain and quoted */

/*
 * Takes the line break at the start of `s`, the empty lines after it, and the indentation of the next line with text. A single
 * break becomes a space, n breaks become n - 1 line breaks; an escaped break becomes nothing.
 */
static void fold(struct buf *out, struct str *s, bool escaped)
{
    size_t breaks = 0;
    for (size_t n; (n = break_length(*s)) > 0; breaks++) {
        skip(s, n);
        skip_blanks(s);
    }
    if (breaks > 1)
        add_breaks(out, breaks - 1);
    else if (!escaped)
        buf_addc(out, ' ');
}

/* Takes the next n digits. */
static bool take_hex(struct str *s, size_t n, uint32_t *ret)
{
    uint32_t value;
    if (s->n < n || !hex_number(s->p, n, &value))
        return false;
    skip(s, n);
    *ret = value;
    return true;
}

/* \x, \u and \U. Two \u escapes may be a surrogate pair, because JSON uses them. */
static bool unescape_code(struct buf *out, struct str *s, size_t digits)
{
    uint32_t c, low;
    if (!take_hex(s, digits, &c) || c > 0x10ffff || (c >= 0xdc00 && c <= 0xdfff))
        return false;
    if (c >= 0xd800 && c <= 0xdbff) {
        if (digits != 4 || !str_starts(*s, STR("\\u")))
            return false;
        skip(s, 2);
        if (!take_hex(s, 4, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    buf_add_utf8(out, c);
    return true;
}

/* `s` begins after the backslash. */
static bool unescape(struct buf *out, struct str *s)
{
    static const char from[] = "0abt\tnvfre \"/\\N_LP";
    static const uint32_t to[] = {0, 7, 8, 9, 9, 10, 11, 12, 13, 27, ' ', '"', '/', '\\', 0x85, 0xa0, 0x2028, 0x2029};
    if (s->n == 0)
        return false;
    char c = s->p[0];
    if (is_break(c)) {
        fold(out, s, true);
        return true;
    }
    skip(s, 1);
    if (c == 'x' || c == 'u' || c == 'U')
        return unescape_code(out, s, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    const char *at = c ? strchr(from, c) : NULL;
    if (!at)
        return false;
    buf_add_utf8(out, to[at - from]);
    return true;
}

static void trim_blanks(struct buf *out, size_t keep)
{
    while (out->n > keep && is_blank(out->p[out->n - 1]))
        out->n--;
}

bool yaml_flow_text(struct arena *a, enum yaml_style style, struct str source, struct str *ret)
{
    /* Twice the source is enough: the longest result of a two-byte escape has three bytes. */
    struct buf out BUF_AUTO = BUF_INIT(source.n * 2 + 1);
    size_t keep = 0; /* this much of `out` is not trimmed as blanks before a line break */
    struct str s = style == YAML_PLAIN ? str_trim(source) : source;
    while (s.n > 0) {
        if (style == YAML_DOUBLE_QUOTED && s.p[0] == '\\') {
            skip(&s, 1);
            if (!unescape(&out, &s))
                return false;
            keep = out.n;
        } else if (style == YAML_SINGLE_QUOTED && str_starts(s, STR("''"))) {
            buf_addc(&out, '\'');
            skip(&s, 2);
        } else if (is_break(s.p[0])) {
            trim_blanks(&out, keep);
            fold(&out, &s, false);
            keep = out.n;
        } else {
            buf_addc(&out, s.p[0]);
            skip(&s, 1);
        }
    }
    *ret = buf_copy(&out, a);
    return true;
}

/* Blocks */

/* Position of the indicator; comments with any content may come before it. */
static size_t find_indicator(struct str source)
{
    bool after_blank = true;
    for (size_t i = 0; i < source.n; i++) {
        char c = source.p[i];
        if (c == '|' || c == '>')
            return i;
        if (c == '#' && after_blank)
            while (i + 1 < source.n && !is_break(source.p[i + 1]))
                i++;
        after_blank = is_blank(c) || is_break(c);
    }
    return source.n;
}

struct yaml_block_header yaml_read_header(struct str source)
{
    struct yaml_block_header header = {0};
    for (size_t i = find_indicator(source) + 1; i < source.n; i++) {
        char c = source.p[i];
        if (c == '+' || c == '-')
            header.chomping = c;
        else if (c >= '1' && c <= '9')
            header.indent = (size_t)(c - '0');
        else
            break;
    }
    return header;
}

/* Takes the text up to the first line break, and the break itself; *ret_ended says whether there was one. */
static struct str take_line(struct str *s, bool *ret_ended)
{
    size_t n = 0;
    while (n < s->n && !is_break(s->p[n]))
        n++;
    struct str line = str_slice(*s, 0, n);
    skip(s, n);
    size_t end = break_length(*s);
    *ret_ended = end > 0;
    skip(s, end);
    return line;
}

static size_t count_spaces(struct str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

/* The indentation of the first line that has text. */
static size_t find_indent(struct str source)
{
    bool ended;
    while (source.n > 0) {
        struct str line = take_line(&source, &ended);
        size_t spaces = count_spaces(line);
        if (spaces < line.n)
            return spaces;
    }
    return SIZE_MAX; /* only empty lines, however long */
}

struct block {
    struct buf out;
    bool folded;
    bool started;        /* there was a line with text */
    bool after_indented; /* the last line with text began with a blank */
    size_t breaks;       /* line breaks since then */
};

/* Writes what separates the last line with text from the next: line breaks, or a space where they fold. */
static void join(struct block *b, bool indented)
{
    if (!b->folded || !b->started || b->after_indented || indented)
        add_breaks(&b->out, b->breaks);
    else if (b->breaks == 1)
        buf_addc(&b->out, ' ');
    else
        add_breaks(&b->out, b->breaks - 1);
}

static void add_line(struct block *b, struct str text)
{
    bool indented = is_blank(text.p[0]);
    join(b, indented);
    buf_add(&b->out, text);
    b->started = true;
    b->after_indented = indented;
    b->breaks = 0;
}

struct str yaml_block_text(struct arena *a, enum yaml_style style, struct str source, char chomping, size_t indent)
{
    struct block b = {.out = BUF_INIT(source.n + 1), .folded = style == YAML_FOLDED};
    if (indent == 0)
        indent = find_indent(source);
    while (source.n > 0) {
        bool ended;
        struct str line = take_line(&source, &ended);
        if (line.n > indent)
            add_line(&b, str_slice(line, indent, line.n));
        b.breaks += ended;
    }
    if (chomping == '+')
        add_breaks(&b.out, b.breaks);
    else if (chomping != '-' && b.started && b.breaks > 0)
        buf_addc(&b.out, '\n');
    struct str text = buf_copy(&b.out, a);
    buf_free(&b.out);
    return text;
}
