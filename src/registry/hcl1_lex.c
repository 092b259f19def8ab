/*
 * take() moves the cursor by whole characters, checks UTF-8 and counts lines and columns; all other functions look at single
 * bytes with peek().
 */
#include "registry/hcl1_lex.h"

#include "base/buf.h"
#include "base/hex.h"

#include <inttypes.h>

enum { END = -1 };

bool hcl1_fail(struct hcl1_lexer *l, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(l->diags->arena, format, args);
    va_end(args);
    return diags_fail(l->diags, "Invalid CLI configuration", "%s:%" PRIu32 ":%" PRIu32 ": " STR_FMT ".", l->source, line, column,
                      STR_ARG(text));
}

static bool fail_here(struct hcl1_lexer *l, const char *problem)
{
    return hcl1_fail(l, l->line, l->column, "%s", problem);
}

const char *hcl1_token_name(enum hcl1_token_kind kind)
{
    static const char *const names[] = {
        [HCL1_TOKEN_END] = "the end of the file",
        [HCL1_TOKEN_WORD] = "a word",
        [HCL1_TOKEN_STRING] = "a string",
        [HCL1_TOKEN_HEREDOC] = "a heredoc",
        [HCL1_TOKEN_NUMBER] = "a number",
        [HCL1_TOKEN_BOOL] = "true or false",
        [HCL1_TOKEN_ASSIGN] = "\"=\"",
        [HCL1_TOKEN_COMMA] = "\",\"",
        [HCL1_TOKEN_BRACE_OPEN] = "\"{\"",
        [HCL1_TOKEN_BRACE_CLOSE] = "\"}\"",
        [HCL1_TOKEN_BRACKET_OPEN] = "\"[\"",
        [HCL1_TOKEN_BRACKET_CLOSE] = "\"]\"",
        [HCL1_TOKEN_UNKNOWN] = "an unexpected character",
    };
    return names[kind];
}

/* The byte at `ahead` bytes after the cursor, or END. */
static int peek(const struct hcl1_lexer *l, size_t ahead)
{
    return l->at + ahead < l->text.n ? (unsigned char)l->text.p[l->at + ahead] : END;
}

/* Moves past one character, which must exist. */
static bool take(struct hcl1_lexer *l)
{
    size_t n = str_utf8_first(str_slice(l->text, l->at, l->text.n));
    if (n == 0)
        return fail_here(l, "not valid UTF-8");
    if (l->text.p[l->at] == '\0')
        return fail_here(l, "a NUL byte");
    bool newline = l->text.p[l->at] == '\n';
    l->line += newline;
    l->column = newline ? 1 : l->column + 1;
    l->at += n;
    return true;
}

static bool take_two(struct hcl1_lexer *l)
{
    return take(l) ? take(l) : false;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool skip_line(struct hcl1_lexer *l)
{
    while (peek(l, 0) != END && peek(l, 0) != '\n')
        if (!take(l))
            return false;
    return true;
}

static bool skip_comment(struct hcl1_lexer *l)
{
    uint32_t line = l->line, column = l->column;
    if (!take_two(l))
        return false;
    while (!(peek(l, 0) == '*' && peek(l, 1) == '/')) {
        if (peek(l, 0) == END)
            return hcl1_fail(l, line, column, "a comment that does not end: expected \"*/\"");
        if (!take(l))
            return false;
    }
    return take_two(l);
}

static bool skip_space(struct hcl1_lexer *l)
{
    for (;;) {
        int c = peek(l, 0);
        bool ok;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            ok = take(l);
        else if (c == '#' || (c == '/' && peek(l, 1) == '/'))
            ok = skip_line(l);
        else if (c == '/' && peek(l, 1) == '*')
            ok = skip_comment(l);
        else
            return true;
        if (!ok)
            return false;
    }
}

static bool lex_word(struct hcl1_lexer *l, struct hcl1_token *t)
{
    size_t from = l->at;
    for (int c = peek(l, 0); is_letter(c) || is_digit(c) || c == '-' || c == '.'; c = peek(l, 0))
        if (!take(l))
            return false;
    t->text = str_slice(l->text, from, l->at);
    bool is_bool = str_eq(t->text, STR("true")) || str_eq(t->text, STR("false"));
    t->kind = is_bool ? HCL1_TOKEN_BOOL : HCL1_TOKEN_WORD;
    return true;
}

static void take_digits(struct hcl1_lexer *l, bool hex)
{
    while (hex ? hex_digit(peek(l, 0)) >= 0 : is_digit(peek(l, 0)))
        (void)take(l);
}

static bool lex_number(struct hcl1_lexer *l, struct hcl1_token *t)
{
    size_t from = l->at;
    if (peek(l, 0) == '-')
        (void)take(l);
    if (peek(l, 0) == '0' && (peek(l, 1) == 'x' || peek(l, 1) == 'X')) {
        (void)take(l);
        (void)take(l);
        if (hex_digit(peek(l, 0)) < 0)
            return fail_here(l, "expected hexadecimal digits");
        take_digits(l, true);
    } else {
        take_digits(l, false);
        if (peek(l, 0) == '.') {
            (void)take(l);
            take_digits(l, false);
        }
        if (peek(l, 0) == 'e' || peek(l, 0) == 'E') {
            (void)take(l);
            if (peek(l, 0) == '-' || peek(l, 0) == '+')
                (void)take(l);
            if (!is_digit(peek(l, 0)))
                return fail_here(l, "expected digits of an exponent");
            take_digits(l, false);
        }
    }
    t->kind = HCL1_TOKEN_NUMBER;
    t->text = str_slice(l->text, from, l->at);
    return true;
}

/* `n` digits of the base, as one number. */
static bool take_code(struct hcl1_lexer *l, int base, int n, uint32_t *ret)
{
    uint32_t value = 0;
    for (; n > 0; n--) {
        int digit = hex_digit(peek(l, 0));
        if (digit < 0 || digit >= base)
            return fail_here(l, base == 8 ? "expected an octal digit of an escape" : "expected a hexadecimal digit of an escape");
        value = value * (uint32_t)base + (uint32_t)digit;
        (void)take(l);
    }
    *ret = value;
    return true;
}

static bool lex_code_escape(struct hcl1_lexer *l, int kind, struct buf *out)
{
    uint32_t line = l->line, column = l->column, code = 0;
    if (kind != '0')
        (void)take(l);
    if (!take_code(l, kind == '0' ? 8 : 16, kind == '0' ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : 8, &code))
        return false;
    bool is_byte = kind == '0' || kind == 'x';
    if (code == 0 || (is_byte && code > 0xff) || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        return hcl1_fail(l, line, column, "an escape sequence that is not a valid character");
    if (is_byte)
        buf_addc(out, (char)code);
    else
        buf_add_utf8(out, code);
    return true;
}

/* Called after the backslash. */
static bool lex_escape(struct hcl1_lexer *l, struct buf *out)
{
    static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
    int c = peek(l, 0);
    const char *simple = c > 0 ? strchr(from, c) : NULL;
    if (simple) {
        buf_addc(out, to[simple - from]);
        return take(l);
    }
    if (c >= '0' && c <= '7')
        return lex_code_escape(l, '0', out);
    if (c == 'x' || c == 'u' || c == 'U')
        return lex_code_escape(l, c, out);
    return fail_here(l, "an unknown escape (known: \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\nnn \\xnn \\unnnn \\Unnnnnnnn)");
}

/* Copies one character. */
static bool copy(struct hcl1_lexer *l, struct buf *out)
{
    size_t from = l->at;
    if (!take(l))
        return false;
    buf_add(out, str_slice(l->text, from, l->at));
    return true;
}

/* Copies "${" up to its "}" unchanged, including quotes, escapes and newlines. */
static bool lex_template(struct hcl1_lexer *l, struct buf *out)
{
    uint32_t line = l->line, column = l->column;
    size_t open = 0;
    if (!copy(l, out))
        return false;
    do {
        int c = peek(l, 0);
        if (c == END)
            return hcl1_fail(l, line, column, "\"${\" without its \"}\"");
        open += c == '{';
        open -= c == '}';
        if (!copy(l, out))
            return false;
    } while (open > 0);
    return true;
}

static bool lex_string_parts(struct hcl1_lexer *l, struct buf *out)
{
    uint32_t line = l->line, column = l->column;
    (void)take(l); /* the quote */
    for (;;) {
        int c = peek(l, 0);
        bool ok;
        if (c == END || c == '\n')
            return hcl1_fail(l, line, column, "a string that does not end: expected \" before the end of the line");
        if (c == '"')
            return take(l);
        if (c == '\\')
            ok = take(l) && lex_escape(l, out);
        else if (c == '$' && peek(l, 1) == '{')
            ok = lex_template(l, out);
        else
            ok = copy(l, out);
        if (!ok)
            return false;
    }
}

static bool lex_string(struct hcl1_lexer *l, struct hcl1_token *t)
{
    struct buf value = BUF_INIT(l->text.n);
    bool ok = lex_string_parts(l, &value) && (buf_ok(&value) || fail_here(l, "a string that is too long"));
    t->kind = HCL1_TOKEN_STRING;
    t->text = ok ? buf_copy(&value, l->arena) : STR_EMPTY;
    buf_wipe(&value); /* it may have been a credential */
    return ok;
}

/* Takes the next line, without its line end. */
static bool take_line(struct hcl1_lexer *l, struct str *ret)
{
    size_t from = l->at;
    if (!skip_line(l))
        return false;
    struct str line = str_slice(l->text, from, l->at);
    if (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    if (peek(l, 0) == '\n' && !take(l))
        return false;
    *ret = line;
    return true;
}

static struct str indentation(struct str line)
{
    size_t n = 0;
    while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
        n++;
    return str_slice(line, 0, n);
}

/* Does every line start with `indent`? */
static bool all_indented(struct str text, struct str indent)
{
    while (text.n > 0)
        if (!str_starts(str_cut(&text, '\n'), indent))
            return false;
    return true;
}

/* The lines without `indent` (if all of them have it) and without carriage returns at the end. */
static struct str heredoc_text(struct arena *a, struct str lines, struct str indent)
{
    if (!all_indented(lines, indent))
        indent = STR_EMPTY;
    char *out = arena_alloc(a, lines.n + 1, 1);
    size_t n = 0;
    while (lines.n > 0) {
        struct str line = str_cut(&lines, '\n');
        line = str_slice(line, indent.n, line.n);
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        memcpy(out + n, line.p, line.n);
        n += line.n;
        out[n++] = '\n';
    }
    return (struct str){out, n};
}

/* Takes the name after "<<" and the end of its line. */
static bool lex_anchor(struct hcl1_lexer *l, struct str *ret)
{
    uint32_t line = l->line, column = l->column;
    struct str anchor;
    if (!take_line(l, &anchor))
        return false;
    for (size_t i = 0; i < anchor.n; i++)
        if (!is_letter((unsigned char)anchor.p[i]) && !is_digit((unsigned char)anchor.p[i]))
            return hcl1_fail(l, line, column, "expected the name of a heredoc and the end of the line");
    if (anchor.n == 0)
        return hcl1_fail(l, line, column, "expected the name of a heredoc");
    *ret = anchor;
    return true;
}

/* <<NAME or <<-NAME, lines, NAME on a line of its own. */
static bool lex_heredoc(struct hcl1_lexer *l, struct hcl1_token *t)
{
    (void)take(l);
    (void)take(l);
    bool indented = peek(l, 0) == '-' && take(l);
    struct str anchor = STR_EMPTY, line;
    if (!lex_anchor(l, &anchor))
        return false;
    size_t from = l->at;
    while (l->at < l->text.n) {
        size_t to = l->at;
        if (!take_line(l, &line))
            return false;
        if (str_eq(str_trim(line), anchor)) {
            t->kind = HCL1_TOKEN_HEREDOC;
            t->text = heredoc_text(l->arena, str_slice(l->text, from, to), indented ? indentation(line) : STR_EMPTY);
            return true;
        }
    }
    return hcl1_fail(l, t->line, t->column, "a heredoc that does not end: expected its name on a line of its own");
}

static bool lex_sign(struct hcl1_lexer *l, int c, struct hcl1_token *t)
{
    static const struct {
        char sign;
        enum hcl1_token_kind kind;
    } signs[] = {{'=', HCL1_TOKEN_ASSIGN},      {',', HCL1_TOKEN_COMMA},        {'{', HCL1_TOKEN_BRACE_OPEN},
                 {'}', HCL1_TOKEN_BRACE_CLOSE}, {'[', HCL1_TOKEN_BRACKET_OPEN}, {']', HCL1_TOKEN_BRACKET_CLOSE}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (c == signs[i].sign) {
            t->kind = signs[i].kind;
            return take(l);
        }
    t->kind = HCL1_TOKEN_UNKNOWN;
    return true;
}

bool hcl1_lex(struct hcl1_lexer *l, struct hcl1_token *ret)
{
    if (!skip_space(l))
        return false;
    *ret = (struct hcl1_token){.line = l->line, .column = l->column, .text = STR_EMPTY};
    int c = peek(l, 0);
    if (c == END)
        return true; /* HCL1_TOKEN_END */
    if (is_letter(c))
        return lex_word(l, ret);
    if (is_digit(c) || (c == '-' && is_digit(peek(l, 1))))
        return lex_number(l, ret);
    if (c == '"')
        return lex_string(l, ret);
    if (c == '<' && peek(l, 1) == '<')
        return lex_heredoc(l, ret);
    return lex_sign(l, c, ret);
}
