#include "crossplane/page_text.h"

/* Controls, separators of lines, marks of byte order. */
static bool is_blank(struct str c)
{
    static const struct {
        const char *from, *to;
    } blanks[] = {
        {"\xc2\x80", "\xc2\x9f"},
        {"\xe2\x80\xa8", "\xe2\x80\xa9"},
        {"\xef\xbb\xbf", "\xef\xbb\xbf"},
        {"\xef\xbf\xbe", "\xef\xbf\xbf"},
    };
    if (c.n == 1)
        return (unsigned char)c.p[0] <= ' ' || c.p[0] == 0x7f;
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++)
        if (str_cmp(c, str_of(blanks[i].from)) >= 0 && str_cmp(c, str_of(blanks[i].to)) <= 0)
            return true;
    return false;
}

/* The next character; empty: a byte that is none. */
static struct str next_character(struct str *rest)
{
    size_t n = str_utf8_first(*rest);
    struct str c = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n > 0 ? n : 1, rest->n);
    return c;
}

/* Where the line is cut: before the last word that does not fit, or within it if it is alone. */
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

struct str text_line(struct arena *a, struct str text, size_t max)
{
    const struct str dots = STR("...");
    char *line = arena_alloc(a, max + STR_UTF8_MAX + dots.n + 2, 1);
    size_t n = 0;
    bool blank = false;
    while (text.n > 0 && n <= max) {
        struct str c = next_character(&text);
        if (c.n == 0)
            continue;
        if (is_blank(c)) {
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

/* A full stop ends a sentence when a blank follows and no abbreviation stands before it. */
static bool ends_sentence(struct str s, size_t at)
{
    if (s.p[at] == '\n')
        return at + 1 < s.n && s.p[at + 1] == '\n';
    if (s.p[at] != '.' || (at + 1 < s.n && s.p[at + 1] != ' ' && s.p[at + 1] != '\n'))
        return false;
    struct str before = str_slice(s, 0, at);
    return !str_ends(before, STR("e.g")) && !str_ends(before, STR("i.e")) && !str_ends(before, STR("etc"));
}

struct str text_sentence(struct arena *a, struct str text, size_t max)
{
    text = str_trim(text);
    size_t at = 0;
    while (at < text.n && !ends_sentence(text, at))
        at++;
    if (at < text.n && text.p[at] == '.')
        at++;
    return text_line(a, str_slice(text, 0, at), max);
}

void text_cell(struct buf *out, struct str line)
{
    bool code = false;
    for (size_t i = 0; i < line.n; i++) {
        char c = line.p[i];
        code ^= c == '`';
        if (c == '|' || (c == '<' && !code))
            buf_addc(out, '\\');
        buf_addc(out, c);
    }
    if (code) /* cut within it */
        buf_addc(out, '`');
}
