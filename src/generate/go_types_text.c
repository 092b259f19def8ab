#include "base/ascii.h"
#include "crossplane/text.h"
#include "generate/go_types_private.h"

static bool is_word(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool is_identifier(struct str s)
{
    bool ok = s.n > 0 && s.p[0] >= 'A' && s.p[0] <= 'Z';
    for (size_t i = 1; i < s.n && ok; i++)
        ok = is_word(s.p[i]);
    return ok;
}

struct str go_identifier(struct arena *a, struct str name)
{
    if (is_identifier(name))
        return name;
    char *out = arena_alloc(a, name.n + 2, 1);
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (!is_word(name.p[i]))
            continue;
        if (n == 0 && !is_letter(name.p[i]))
            out[n++] = 'X';
        out[n++] = name.p[i];
    }
    if (n == 0)
        out[n++] = 'X';
    out[0] = to_upper(out[0]);
    return (struct str){out, n};
}

bool go_is_tag(struct str s)
{
    bool ok = s.n > 0 && !str_eqz(s, "-");
    for (size_t i = 0; i < s.n && ok; i++)
        ok = s.p[i] > ' ' && s.p[i] < 0x7f && s.p[i] != '"' && s.p[i] != '\\' && s.p[i] != '`' && s.p[i] != ',';
    return ok;
}

/* --- comments --- */

/* controller-gen interprets a line with this prefix. */
static bool is_marker(struct str line)
{
    return str_starts(str_trim(line), STR("+"));
}

static bool is_plain(struct str line)
{
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < ' ' || (unsigned char)line.p[i] >= 0x7f)
            return false;
    return !is_marker(line);
}

/* The next character of a comment. Go comments must not contain control characters, byte order marks or invalid UTF-8. */
static struct str comment_character(struct str *rest)
{
    struct str c = xp_text_next(rest);
    return c.n == 0 ? STR("\xEF\xBF\xBD") : xp_text_is_blank(c) ? STR(" ") : c;
}

static void put_line(struct buf *out, struct str line)
{
    if (is_plain(line)) {
        buf_add(out, line);
        return;
    }
    bool marker = is_marker(line);
    size_t start = out->n;
    while (line.n > 0) {
        bool blank = line.p[0] == ' ';
        struct str c = comment_character(&line);
        if (marker && str_eqz(c, "+"))
            buf_addc(out, '\\');
        marker &= !str_eqz(c, "+");
        if (blank || !str_eqz(c, " ") || out->n == start || out->p[out->n - 1] != ' ')
            buf_add(out, c);
    }
    while (out->n > start && out->p[out->n - 1] == ' ') /* gofmt would remove it */
        out->n--;
}

/* Strips trailing white space, as gofmt does. */
static struct str trim_end(struct str s)
{
    while (s.n > 0 && (unsigned char)s.p[s.n - 1] <= ' ')
        s.n--;
    return s;
}

void go_comment(struct buf *out, struct str text)
{
    bool first = true;
    for (text = str_trim(text); text.n > 0; first = false) {
        struct str line = trim_end(str_cut(&text, '\n'));
        /* Go tools expect a deprecation to be a separate paragraph. */
        bool deprecated = str_starts(line, STR("Deprecated"));
        buf_addz(out, deprecated && !first ? "\t//\n\t//" : "\t//");
        if (line.n > 0)
            buf_addc(out, ' ');
        put_line(out, str_eqz(line, "Deprecated.") ? STR("Deprecated: no reason is given.") : line);
        buf_addc(out, '\n');
    }
}

/* gofmt replaces two of these in a row by a typographic quotation mark. */
static bool is_quote(char c)
{
    return c == '`' || c == '\'';
}

void go_sentence(struct buf *out, struct str text)
{
    char last = ' ';
    while (text.n > 0) {
        struct str c = comment_character(&text);
        if (c.n == 1 && c.p[0] == last && (last == ' ' || is_quote(last)))
            continue;
        buf_add(out, c);
        last = c.n == 1 ? c.p[0] : '\0';
    }
}

void go_put(struct buf *out, const char *text, struct str name)
{
    for (const char *at; (at = strchr(text, '$')); text = at + 1) {
        buf_add(out, (struct str){text, (size_t)(at - text)});
        buf_add(out, name);
    }
    buf_addz(out, text);
}
