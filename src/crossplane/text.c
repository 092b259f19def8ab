#include "crossplane/text.h"

enum { MAX_CODE = 4096 };

/*
 * Control characters, line separators, byte order marks, and characters that change the text direction: these can make a line
 * display as something else.
 */
bool xp_text_is_blank(struct str c)
{
    static const struct {
        const char *from, *to;
    } blanks[] = {
        {"\xc2\x80", "\xc2\x9f"},         {"\xd8\x9c", "\xd8\x9c"},         {"\xe2\x80\x8e", "\xe2\x80\x8f"},
        {"\xe2\x80\xa8", "\xe2\x80\xae"}, {"\xe2\x81\xa6", "\xe2\x81\xa9"}, {"\xef\xbb\xbf", "\xef\xbb\xbf"},
        {"\xef\xbf\xbe", "\xef\xbf\xbf"},
    };
    if (c.n == 1)
        return (unsigned char)c.p[0] <= ' ' || c.p[0] == 0x7f;
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++)
        if (str_cmp(c, str_of(blanks[i].from)) >= 0 && str_cmp(c, str_of(blanks[i].to)) <= 0)
            return true;
    return false;
}

/* The next UTF-8 character; empty for an invalid byte. */
struct str xp_text_next(struct str *rest)
{
    size_t n = str_utf8_first(*rest);
    struct str c = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n > 0 ? n : 1, rest->n);
    return c;
}

/* Where to cut the line: before the word that does not fit, or within it if it is the only one. */
static size_t cut_at(struct str line, size_t max)
{
    size_t at = max;
    while (at > 0 && line.p[at] != ' ')
        at--;
    if (at < max / 2)
        for (at = max; at > 0 && ((unsigned char)line.p[at] & 0xc0) == 0x80;)
            at--;
    while (at > 0 && strchr(" ,;:", line.p[at - 1]))
        at--;
    return at;
}

struct str xp_text_line(struct arena *a, struct str text, size_t max)
{
    const struct str dots = STR("...");
    char *line = arena_alloc(a, max + STR_UTF8_MAX + dots.n + 2, 1);
    size_t n = 0;
    bool blank = false;
    while (text.n > 0 && n <= max) {
        struct str c = xp_text_next(&text);
        if (c.n == 0)
            continue;
        if (xp_text_is_blank(c)) {
            blank = n > 0;
            continue;
        }
        if (blank)
            line[n++] = ' ';
        blank = false;
        memcpy(line + n, c.p, c.n);
        n += c.n;
    }
    if (n <= max)
        return (struct str){line, n};
    n = cut_at((struct str){line, n}, max - dots.n);
    memcpy(line + n, dots.p, dots.n + 1);
    return (struct str){line, n + dots.n};
}

/* A full stop ends a sentence if a blank follows and it is not part of an abbreviation. */
static bool ends_sentence(struct str s, size_t at)
{
    if (s.p[at] == '\n')
        return at + 1 < s.n && s.p[at + 1] == '\n';
    if (s.p[at] != '.' || (at + 1 < s.n && s.p[at + 1] != ' ' && s.p[at + 1] != '\n'))
        return false;
    struct str before = str_slice(s, 0, at);
    return !str_ends(before, STR("e.g")) && !str_ends(before, STR("i.e")) && !str_ends(before, STR("etc"));
}

struct str xp_text_sentence(struct arena *a, struct str text, size_t max)
{
    text = str_trim(text);
    size_t at = 0;
    while (at < text.n && !ends_sentence(text, at))
        at++;
    if (at < text.n && text.p[at] == '.')
        at++;
    return xp_text_line(a, str_slice(text, 0, at), max);
}

/* --- Markdown --- */

static size_t run_of(struct str s, size_t at, char c)
{
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] == c)
        n++;
    return n;
}

/* The end of the code that starts with n backquotes at `from`: the next run of exactly n backquotes. */
static bool find_code_end(struct str s, size_t from, size_t n, size_t *ret_end)
{
    for (size_t at = from + n; at < s.n;) {
        size_t more = run_of(s, at, '`');
        if (more == n) {
            *ret_end = at + n;
            return true;
        }
        at += more > 0 ? more : 1;
    }
    return false;
}

static bool has_barred(struct str s)
{
    return str_contains(s, STR("\\|"));
}

/* Writes code unchanged, except that bars are escaped in tables. */
static void put_code(struct buf *out, struct str code, bool in_table)
{
    for (size_t i = 0; i < code.n; i++) {
        if (code.p[i] == '|' && in_table)
            buf_addc(out, '\\');
        buf_addc(out, code.p[i]);
    }
}

static bool is_web_link(struct str s)
{
    return str_starts(s, STR("](https://")) || str_starts(s, STR("](http://"));
}

/* Writes one character outside code, and returns how many bytes it took. Prevents HTML, links other than to the web, and the
 * early end of a cell. */
static size_t put_plain(struct buf *out, struct str s)
{
    bool pair = s.n > 1 && s.p[0] == '\\' && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s.p[1]) && s.p[1];
    if (pair) { /* already escaped */
        buf_add(out, str_slice(s, 0, 2));
        return 2;
    }
    bool special = strchr("|<`\\", s.p[0]) && s.p[0];
    if (special || (str_starts(s, STR("](")) && !is_web_link(s)) || str_starts(s, STR("![")))
        buf_addc(out, '\\');
    buf_addc(out, s.p[0]);
    return 1;
}

static void put_markdown(struct buf *out, struct str line, bool in_table)
{
    for (size_t at = 0, end; at < line.n;) {
        size_t quotes = run_of(line, at, '`');
        bool code = quotes > 0 && find_code_end(line, at, quotes, &end) && !has_barred(str_slice(line, at, end));
        if (code)
            put_code(out, str_slice(line, at, end), in_table);
        for (size_t i = 0; i < quotes && !code; i++)
            buf_addz(out, "\\`");
        if (quotes > 0)
            at = code ? end : at + quotes;
        else
            at += put_plain(out, str_slice(line, at, line.n));
    }
}

void xp_text_cell(struct buf *out, struct str line)
{
    put_markdown(out, line, true);
}

/* The position of a character to escape, so that the line does not begin a heading, list, quotation, code or link definition. */
static size_t part_mark(struct str line)
{
    size_t digits = 0;
    while (digits < line.n && line.p[digits] >= '0' && line.p[digits] <= '9')
        digits++;
    if (digits == line.n)
        return SIZE_MAX;
    char c = line.p[digits], next = digits + 1 < line.n ? line.p[digits + 1] : ' ';
    bool marks = digits > 0              ? (c == '.' || c == ')') && next == ' '
                 : c == '#' || c == '>'  ? true
                 : c == '~' || c == '='  ? next == c
                 : c && strchr("-+*", c) ? next == ' ' || next == c
                 : c == '['              ? str_contains(line, STR("]:"))
                                         : false;
    return marks ? digits : SIZE_MAX;
}

void xp_text_paragraph(struct buf *out, struct str line)
{
    size_t mark = part_mark(line);
    if (mark != SIZE_MAX) {
        buf_add(out, str_slice(line, 0, mark));
        buf_addc(out, '\\');
        buf_addc(out, line.p[mark]);
        line = str_slice(line, mark + 1, line.n);
    }
    put_markdown(out, line, false);
}

void xp_text_code(struct arena *a, struct buf *out, struct str name)
{
    struct str line = xp_text_line(a, name, name.n < MAX_CODE ? name.n + 1 : MAX_CODE);
    size_t longest = 0;
    for (size_t at = 0, n; at < line.n; at += n > 0 ? n : 1) {
        n = run_of(line, at, '`');
        longest = n > longest ? n : longest;
    }
    const char *pad = longest > 0 ? " " : "";
    for (size_t i = 0; i <= longest; i++)
        buf_addc(out, '`');
    buf_addz(out, pad);
    put_code(out, line, true);
    buf_addz(out, pad);
    for (size_t i = 0; i <= longest; i++)
        buf_addc(out, '`');
}
