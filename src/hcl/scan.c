#include "hcl/scan.h"

#include "base/buf.h"
#include "base/hex.h"
#include "value/identifier.h"

#include <inttypes.h>

enum { END = -1 };

void hcl_scan_say(struct hcl_scanner *s, struct hcl_place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(s->diags->arena, format, args);
    va_end(args);
    diags_fail(s->diags, "Invalid HCL", "%s:%" PRIu32 ":%" PRIu32 ": " STR_FMT ".", s->source, at.line, at.column, STR_ARG(text));
}

bool hcl_scan_init(struct hcl_scanner *s)
{
    if (s->text.n > HCL_LIMIT_BYTES)
        return hcl_scan_fail(s, s->place, "longer than %d bytes", (int)HCL_LIMIT_BYTES);
    if (!str_is_utf8(s->text))
        return hcl_scan_fail(s, s->place, "not valid UTF-8");
    if (str_starts(s->text, STR("\xef\xbb\xbf")))
        s->at = s->counted = 3;
    return true;
}

/* --- the cursor --- */

/* The cursor's place. Lines and characters are counted on from the last call, so none is counted twice. */
static struct hcl_place here(struct hcl_scanner *s)
{
    for (; s->counted < s->at; s->counted++) {
        unsigned char c = (unsigned char)s->text.p[s->counted];
        if (c == '\n') {
            s->place.line++;
            s->place.column = 1;
        } else {
            s->place.column += (c & 0xc0) != 0x80;
        }
    }
    return s->place;
}

static int peek(const struct hcl_scanner *s, size_t ahead)
{
    return s->at + ahead < s->text.n ? (unsigned char)s->text.p[s->at + ahead] : END;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* The rest of the line, without its line end; the cursor does not move. */
static struct str rest_of_line(const struct hcl_scanner *s)
{
    size_t end = str_find(s->text, '\n', s->at);
    return str_slice(s->text, s->at, end == SIZE_MAX ? s->text.n : end);
}

/* --- lexemes --- */

static bool skip_comment(struct hcl_scanner *s)
{
    struct hcl_place at = here(s);
    s->at += 2;
    while (peek(s, 0) != END && !(peek(s, 0) == '*' && peek(s, 1) == '/'))
        s->at++;
    if (peek(s, 0) == END)
        return hcl_scan_fail(s, at, "a comment that does not end: expected \"*/\"");
    s->at += 2;
    return true;
}

static bool skip_space(struct hcl_scanner *s, bool newlines)
{
    for (;;) {
        int c = peek(s, 0);
        if (c == ' ' || c == '\t' || (c == '\r' && peek(s, 1) == '\n') || (c == '\n' && !newlines))
            s->at++;
        else if (c == '#' || (c == '/' && peek(s, 1) == '/'))
            s->at += rest_of_line(s).n;
        else if (c == '/' && peek(s, 1) == '*') {
            if (!skip_comment(s))
                return false;
        } else
            return true;
    }
}

static void skip_digits(struct hcl_scanner *s)
{
    while (is_digit(peek(s, 0)))
        s->at++;
}

static void scan_number(struct hcl_scanner *s, struct hcl_lexeme *l)
{
    size_t from = s->at;
    skip_digits(s);
    if (peek(s, 0) == '.' && is_digit(peek(s, 1))) {
        s->at++;
        skip_digits(s);
    }
    size_t sign = peek(s, 1) == '+' || peek(s, 1) == '-';
    if ((peek(s, 0) == 'e' || peek(s, 0) == 'E') && is_digit(peek(s, 1 + sign))) {
        s->at += 1 + sign;
        skip_digits(s);
    }
    l->kind = LEXEME_NUMBER;
    l->text = str_slice(s->text, from, s->at);
}

static bool scan_heredoc(struct hcl_scanner *s, struct hcl_lexeme *l)
{
    struct str line = rest_of_line(s);
    struct str name = str_slice(line, 2, line.n);
    l->flush = name.n > 0 && name.p[0] == '-';
    name = str_slice(name, l->flush, name.n);
    if (name.n > 0 && name.p[name.n - 1] == '\r')
        name.n--;
    s->at += line.n;
    if (!identifier_is(name) || peek(s, 0) != '\n')
        return hcl_scan_fail(s, l->at, "expected the name of a heredoc and the end of the line after \"<<\"");
    s->at++;
    l->kind = LEXEME_HEREDOC;
    l->text = name;
    return true;
}

static bool scan_sign(struct hcl_scanner *s, int c, struct hcl_lexeme *l)
{
    static const uint32_t twos[] = {SIGN_AND,        SIGN_OR,    SIGN_EQUAL, SIGN_NOT_EQUAL,  SIGN_LESS_EQUAL,
                                    SIGN_MORE_EQUAL, SIGN_ARROW, SIGN_SCOPE, SIGN_STRIP_CLOSE};
    uint32_t two = peek(s, 1) == END ? 0 : HCL_SIGN(c, peek(s, 1));
    size_t n = 0;
    if (c == '.' && peek(s, 1) == '.' && peek(s, 2) == '.') {
        l->sign = SIGN_ELLIPSIS;
        n = 3;
    }
    for (size_t i = 0; i < sizeof twos / sizeof twos[0] && n == 0; i++)
        if (two == twos[i]) {
            l->sign = two;
            n = 2;
        }
    if (n == 0 && c > 0 && strchr("{}[]().,:?=+-*/%<>!", c)) {
        l->sign = (uint32_t)c;
        n = 1;
    }
    if (n == 0)
        return hcl_scan_fail(s, l->at, "an unexpected character%s", c == '\'' ? " (strings need double quotes)" : "");
    l->kind = LEXEME_SIGN;
    l->text = str_slice(s->text, s->at, s->at + n);
    s->at += n;
    return true;
}

bool hcl_scan_lexeme(struct hcl_scanner *s, bool newlines, struct hcl_lexeme *ret)
{
    if (!skip_space(s, newlines))
        return false;
    *ret = (struct hcl_lexeme){.at = here(s), .text = STR_EMPTY};
    if (++s->n_lexemes > HCL_LIMIT_TOKENS)
        return hcl_scan_fail(s, ret->at, "more than %d tokens", (int)HCL_LIMIT_TOKENS);
    int c = peek(s, 0);
    if (c == END)
        return true;
    size_t n = identifier_length(str_slice(s->text, s->at, s->text.n));
    if (n == 0 && is_digit(c)) {
        scan_number(s, ret);
        return true;
    }
    if (n == 0 && c != '"' && c != '\n')
        return c == '<' && peek(s, 1) == '<' ? scan_heredoc(s, ret) : scan_sign(s, c, ret);
    ret->kind = n > 0 ? LEXEME_NAME : c == '"' ? LEXEME_QUOTE : LEXEME_NEWLINE;
    ret->text = str_slice(s->text, s->at, s->at + n);
    s->at += n > 0 ? n : 1;
    return true;
}

/* --- templates --- */

static bool ends_heredoc(struct str line, struct str marker)
{
    return str_eq(str_trim(line), marker);
}

/* The width of the white space at the start of the line; SIZE_MAX: the line has nothing else, and does not count. */
static size_t indent_of(struct str line)
{
    size_t n = 0;
    while (n < line.n && (line.p[n] == ' ' || (line.p[n] >= '\t' && line.p[n] <= '\r')))
        n++;
    return n == line.n ? SIZE_MAX : n;
}

/* The indentation that all lines of a heredoc have in common. */
static size_t common_indent(struct str lines, struct str marker)
{
    size_t least = SIZE_MAX;
    while (lines.n > 0) {
        struct str line = str_cut(&lines, '\n');
        if (ends_heredoc(line, marker))
            break;
        size_t n = indent_of(line);
        least = n < least ? n : least;
    }
    return least == SIZE_MAX ? 0 : least;
}

struct hcl_template hcl_scan_open(const struct hcl_scanner *s, const struct hcl_lexeme *opening)
{
    struct hcl_template t = {.at = opening->at, .marker = STR_EMPTY};
    if (opening->kind != LEXEME_HEREDOC)
        return t;
    t.marker = opening->text;
    t.line_start = true;
    if (opening->flush)
        t.indent = common_indent(str_slice(s->text, s->at, s->text.n), t.marker);
    return t;
}

/* The cursor is at the backslash. */
static bool scan_escape(struct hcl_scanner *s, struct buf *out)
{
    static const char from[] = "nrt\"\\", to[] = "\n\r\t\"\\";
    int c = peek(s, 1);
    const char *simple = c > 0 ? strchr(from, c) : NULL;
    if (simple) {
        buf_addc(out, to[simple - from]);
        s->at += 2;
        return true;
    }
    size_t n = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    for (size_t i = 0; i < n; i++) {
        int digit = hex_digit(peek(s, 2 + i));
        if (digit < 0)
            n = 0;
        else
            code = code << 4 | (uint32_t)digit;
    }
    if (n == 0 || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        return hcl_scan_fail(s, here(s), "an unknown escape (known: \\n \\r \\t \\\" \\\\ \\unnnn \\Unnnnnnnn)");
    buf_add_utf8(out, code);
    s->at += 2 + n;
    return true;
}

/* At the start of a line of a heredoc: is it the end marker? If not, skips the line's indentation. */
static bool scan_line_start(struct hcl_scanner *s, struct hcl_template *t)
{
    struct str line = rest_of_line(s);
    if (ends_heredoc(line, t->marker) && peek(s, line.n) == '\n') {
        s->at += line.n; /* the marker's line end is not part of the heredoc */
        return true;
    }
    if (indent_of(line) != SIZE_MAX)
        s->at += t->indent;
    t->line_start = false;
    return false;
}

static enum hcl_piece scan_sequence(struct hcl_scanner *s, int c)
{
    s->at += 2;
    return c == '$' ? PIECE_VALUE : PIECE_DIRECTIVE;
}

static enum hcl_piece scan_unclosed(struct hcl_scanner *s, const struct hcl_template *t)
{
    hcl_scan_say(s, t->at,
                 t->marker.n > 0 ? "a heredoc that does not end: expected its name on a line of its own"
                                 : "a string that does not end: expected \" before the end of the line");
    return PIECE_BROKEN;
}

static enum hcl_piece scan_text(struct hcl_scanner *s, struct hcl_template *t, struct buf *out)
{
    for (;;) {
        int c = peek(s, 0);
        bool quoted = t->marker.n == 0;
        if (t->line_start && c != END && scan_line_start(s, t))
            return PIECE_LAST;
        c = peek(s, 0);
        if (c == END || (quoted && c == '\n'))
            return scan_unclosed(s, t);
        if (quoted && c == '"') {
            s->at++;
            return PIECE_LAST;
        }
        if ((c == '$' || c == '%') && peek(s, 1) == '{')
            return scan_sequence(s, c);
        if (quoted && c == '\\') {
            if (!scan_escape(s, out))
                return PIECE_BROKEN;
            continue;
        }
        if ((c == '$' || c == '%') && peek(s, 1) == c && peek(s, 2) == '{') {
            buf_addc(out, (char)c);
            buf_addc(out, '{');
            s->at += 3;
            continue;
        }
        t->line_start = !quoted && c == '\n';
        buf_addc(out, (char)c);
        s->at++;
    }
}

static struct str trim_end(struct str s)
{
    while (s.n > 0 && strchr(" \t\r\n", s.p[s.n - 1]))
        s.n--;
    return s;
}

static struct str trim_start(struct str s)
{
    while (s.n > 0 && strchr(" \t\r\n", s.p[0]))
        s = str_slice(s, 1, s.n);
    return s;
}

enum hcl_piece hcl_scan_piece(struct hcl_scanner *s, struct hcl_template *t, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(HCL_LIMIT_BYTES);
    enum hcl_piece piece = scan_text(s, t, &out);
    struct str text = buf_str(&out);
    if (t->stripped)
        text = trim_start(text);
    t->stripped = false;
    if ((piece == PIECE_VALUE || piece == PIECE_DIRECTIVE) && peek(s, 0) == '~') {
        text = trim_end(text);
        s->at++;
    }
    *ret = arena_str(s->arena, text);
    return piece;
}
