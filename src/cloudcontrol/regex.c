#include "cloudcontrol/regex.h"

#include "base/ascii.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

/* --- one reader that checks RE2's grammar and writes PCRE2's --- */

enum { MAX_NAMES = 64, MAX_OUT = CC_REGEX_MAX * 12 };

struct reader {
    struct str text;
    size_t at;
    struct buf *out; /* NULL: only check */
    const char *why; /* not NULL: refused */
    unsigned depth;
    struct str names[MAX_NAMES]; /* of groups */
    size_t n_names;
};

static bool refuse(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return false;
}

static void put(struct reader *r, struct str s)
{
    if (r->out)
        buf_add(r->out, s);
}

static void putz(struct reader *r, const char *z)
{
    put(r, str_of(z));
}

static bool more(const struct reader *r)
{
    return r->at < r->text.n;
}

/* The byte so many places on; 0 past the end, which no pattern that matters has inside. */
static char peek(const struct reader *r, size_t ahead)
{
    return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : '\0';
}

static bool starts(const struct reader *r, const char *what)
{
    return str_starts(str_slice(r->text, r->at, r->text.n), str_of(what));
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

static int hex_value(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A character that means itself, whatever it is. */
static void put_char(struct reader *r, uint32_t c)
{
    if (!r->out)
        return;
    if (c < 0x80 && (is_letter((char)c) || is_digit((char)c)))
        buf_addc(r->out, (char)c);
    else
        buf_printf(r->out, "\\x{%x}", c);
}

/* The next character of UTF-8. */
static bool take_char(struct reader *r, uint32_t *ret)
{
    struct str rest = str_slice(r->text, r->at, r->text.n);
    size_t n = str_utf8_first(rest);
    if (n == 0)
        return refuse(r, "invalid UTF-8");
    uint32_t c = (unsigned char)rest.p[0];
    if (n > 1) {
        c &= 0x7fU >> n;
        for (size_t i = 1; i < n; i++)
            c = c << 6 | ((unsigned char)rest.p[i] & 0x3f);
    }
    r->at += n;
    *ret = c;
    return true;
}

/* --- escapes --- */

static bool take_hex(struct reader *r, uint32_t *ret)
{
    enum { LAST = 0x10ffff };
    uint32_t c = 0;
    if (peek(r, 0) != '{') {
        int high = hex_value(peek(r, 0)), low = hex_value(peek(r, 1));
        if (high < 0 || low < 0)
            return refuse(r, "invalid escape sequence");
        r->at += 2;
        *ret = (uint32_t)(high * 16 + low);
        return true;
    }
    r->at++;
    size_t digits = 0;
    for (; hex_value(peek(r, 0)) >= 0; digits++, r->at++) {
        c = c * 16 + (uint32_t)hex_value(peek(r, 0));
        if (c > LAST)
            return refuse(r, "invalid escape sequence");
    }
    if (digits == 0 || peek(r, 0) != '}')
        return refuse(r, "invalid escape sequence");
    r->at++;
    *ret = c;
    return true;
}

static bool take_octal(struct reader *r, char first, uint32_t *ret)
{
    /* One digit other than 0 would be a backreference. */
    if (first != '0' && !is_octal(peek(r, 0)))
        return refuse(r, "backreference");
    uint32_t c = (uint32_t)(first - '0');
    for (int i = 0; i < 2 && is_octal(peek(r, 0)); i++)
        c = c * 8 + (uint32_t)(r->text.p[r->at++] - '0');
    *ret = c;
    return true;
}

/* Behind a backslash: a character that the escape stands for. */
static bool take_escape(struct reader *r, uint32_t *ret)
{
    static const char letters[] = "afnrtv", controls[] = "\a\f\n\r\t\v";
    if (!more(r))
        return refuse(r, "trailing backslash");
    uint32_t c;
    if (!take_char(r, &c))
        return false;
    if (c >= 0x80)
        return refuse(r, "invalid escape sequence");
    const char *control = strchr(letters, (int)c);
    if (c != 0 && control)
        *ret = (uint32_t)controls[control - letters];
    else if (is_octal((char)c))
        return take_octal(r, (char)c, ret);
    else if (c == 'x')
        return take_hex(r, ret);
    else if (is_letter((char)c) || is_digit((char)c))
        return refuse(r, is_digit((char)c) ? "backreference" : "invalid escape sequence");
    else
        *ret = c;
    return true;
}

static bool compiles(const char *pattern)
{
    int error;
    PCRE2_SIZE where;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &error, &where, NULL);
    pcre2_code_free(code);
    return code != NULL;
}

/* A general category or a script. */
static bool is_unicode_class(struct str name)
{
    static const char categories[] = " C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So"
                                     " Z Zl Zp Zs Any ";
    enum { LONGEST = 40 };
    char text[LONGEST + 16];
    if (name.n == 0 || name.n > LONGEST || memchr(name.p, '\0', name.n) || memchr(name.p, ' ', name.n))
        return false;
    (void)snprintf(text, sizeof text, " %.*s ", (int)name.n, name.p);
    if (strstr(categories, text))
        return true;
    for (size_t i = 0; i < name.n; i++)
        if (!is_letter(name.p[i]) && name.p[i] != '_')
            return false;
    (void)snprintf(text, sizeof text, "\\p{sc:%.*s}", (int)name.n, name.p);
    return name.p[0] >= 'A' && name.p[0] <= 'Z' && compiles(text);
}

/* \pL, \p{Greek}, \P{^Lu}; the reader stands behind the p. */
static bool take_unicode_class(struct reader *r, char p)
{
    struct str name = str_slice(r->text, r->at, r->at + 1);
    if (peek(r, 0) == '{') {
        size_t end = str_find(r->text, '}', r->at);
        if (end == SIZE_MAX)
            return refuse(r, "invalid character class range");
        name = str_slice(r->text, r->at + 1, end);
        r->at = end;
    }
    if (more(r))
        r->at++;
    bool negated = str_starts(name, STR("^"));
    if (negated)
        name = str_slice(name, 1, name.n);
    if (!is_unicode_class(name))
        return refuse(r, "unknown Unicode class");
    if (r->out)
        buf_printf(r->out, "\\%c{" STR_FMT "}", (p == 'p') != negated ? 'p' : 'P', STR_ARG(name));
    return true;
}

/* \d, \pL and the like: false without a reason when none stands there. PCRE2's \s has one character more than RE2's. */
static bool take_class_escape(struct reader *r, bool in_class)
{
    static const struct {
        char letter;
        const char *outside, *inside;
    } classes[] = {
        {'d', "[0-9]", "0-9"},
        {'D', "[^0-9]", "\\D"},
        {'s', "[\\t\\n\\f\\r ]", "\\t\\n\\f\\r "},
        {'S', "[^\\t\\n\\f\\r ]", "\\S\\x{b}"},
        {'w', "[0-9A-Za-z_]", "0-9A-Za-z_"},
        {'W', "[^0-9A-Za-z_]", "\\W"},
    };
    char c = peek(r, 1);
    if (peek(r, 0) != '\\')
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (c == classes[i].letter) {
            r->at += 2;
            putz(r, in_class ? classes[i].inside : classes[i].outside);
            return true;
        }
    if (c != 'p' && c != 'P')
        return false;
    r->at += 2;
    return take_unicode_class(r, c);
}

/* --- classes --- */

/* [:alpha:] within a class: false without a reason when none stands there. */
static bool take_posix_class(struct reader *r)
{
    static const char names[] = " alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit ";
    enum { LONGEST = 8 };
    char text[LONGEST + 3];
    if (!starts(r, "[:"))
        return false;
    struct str rest = str_slice(r->text, r->at + 2, r->text.n);
    size_t end = SIZE_MAX;
    for (size_t i = 0; i + 1 < rest.n && end == SIZE_MAX; i++)
        if (rest.p[i] == ':' && rest.p[i + 1] == ']')
            end = i;
    if (end == SIZE_MAX)
        return false;
    struct str name = str_slice(rest, 0, end);
    if (str_starts(name, STR("^")))
        name = str_slice(name, 1, name.n);
    (void)snprintf(text, sizeof text, " %.*s ", (int)(name.n <= LONGEST ? name.n : 0), name.p);
    if (name.n == 0 || name.n > LONGEST || memchr(name.p, ' ', name.n) || !strstr(names, text))
        return refuse(r, "invalid character class range");
    put(r, str_slice(r->text, r->at, r->at + 2 + end + 2));
    r->at += 2 + end + 2;
    return true;
}

static bool take_class_char(struct reader *r, uint32_t *ret)
{
    if (!more(r))
        return refuse(r, "missing closing ]");
    if (peek(r, 0) != '\\')
        return take_char(r, ret);
    r->at++;
    return take_escape(r, ret);
}

static bool take_range(struct reader *r)
{
    uint32_t low = 0, high = 0;
    if (!take_class_char(r, &low))
        return false;
    high = low;
    if (peek(r, 0) == '-' && r->at + 1 < r->text.n && peek(r, 1) != ']') {
        r->at++;
        if (!take_class_char(r, &high))
            return false;
        if (high < low)
            return refuse(r, "invalid character class range");
    }
    put_char(r, low);
    if (high != low) {
        putz(r, "-");
        put_char(r, high);
    }
    return true;
}

static bool take_class(struct reader *r)
{
    r->at++;
    putz(r, "[");
    if (peek(r, 0) == '^') {
        r->at++;
        putz(r, "^");
    }
    for (bool first = true; first || peek(r, 0) != ']'; first = false) {
        if (!more(r))
            return refuse(r, "missing closing ]");
        if (take_posix_class(r) || r->why || take_class_escape(r, true) || r->why) {
            if (r->why)
                return false;
            continue;
        }
        if (!take_range(r))
            return false;
    }
    r->at++;
    putz(r, "]");
    return true;
}

/* --- groups --- */

static bool take_name(struct reader *r, size_t prefix)
{
    size_t start = r->at + prefix, end = str_find(r->text, '>', start);
    if (end == SIZE_MAX || end == start)
        return refuse(r, "invalid named capture");
    struct str name = str_slice(r->text, start, end);
    for (size_t i = 0; i < name.n; i++)
        if (!is_letter(name.p[i]) && !is_digit(name.p[i]) && name.p[i] != '_')
            return refuse(r, "invalid named capture");
    for (size_t i = 0; i < r->n_names; i++)
        if (str_eq(r->names[i], name))
            return refuse(r, "duplicate capture name");
    if (r->n_names == MAX_NAMES)
        return refuse(r, "too many named captures");
    r->names[r->n_names++] = name;
    r->at = end + 1;
    putz(r, "(");
    return true;
}

/* (?i), (?i-s:; *ret_group: a group begins, to be closed. */
static bool take_flags(struct reader *r, bool *ret_group)
{
    size_t start = r->at;
    bool negative = false, any = false;
    for (r->at += 2; more(r); r->at++) {
        char c = peek(r, 0);
        if (c == 'i' || c == 'm' || c == 's' || c == 'U') {
            any = true;
        } else if (c == '-' && !negative) {
            negative = true;
            any = false;
        } else if ((c == ':' || c == ')') && (!negative || any)) {
            r->at++;
            put(r, str_slice(r->text, start, r->at));
            *ret_group = c == ':';
            return true;
        } else {
            break;
        }
    }
    return refuse(r, "lookaround or other Perl group");
}

static bool take_alternatives(struct reader *r, unsigned *ret_need);

/* `ret_atom`: something that can be repeated; flags are none. */
static bool take_group(struct reader *r, bool *ret_atom, unsigned *ret_need)
{
    bool group = true;
    if (r->depth >= CC_REGEX_MAX_DEPTH)
        return refuse(r, "nested too deeply");
    if (starts(r, "(?P<")) {
        if (!take_name(r, 4))
            return false;
    } else if (starts(r, "(?<") && peek(r, 3) != '=' && peek(r, 3) != '!') {
        if (!take_name(r, 3))
            return false;
    } else if (starts(r, "(?")) {
        if (!take_flags(r, &group))
            return false;
    } else {
        r->at++;
        putz(r, "(");
    }
    *ret_atom = group;
    *ret_need = 0;
    if (!group)
        return true;
    r->depth++;
    if (!take_alternatives(r, ret_need))
        return false;
    r->depth--;
    if (peek(r, 0) != ')' || !more(r))
        return refuse(r, "missing closing )");
    r->at++;
    putz(r, ")");
    return true;
}

/* --- repetition --- */

/* A count of at most CC_REGEX_MAX_REPEAT + 1. */
static bool take_count(struct reader *r, int *ret)
{
    int n = 0;
    size_t start = r->at;
    for (; is_digit(peek(r, 0)); r->at++)
        n = n > CC_REGEX_MAX_REPEAT ? n : n * 10 + (peek(r, 0) - '0');
    /* A leading zero makes it no count. */
    bool zeros = r->at - start > 1 && r->text.p[start] == '0';
    *ret = n;
    return r->at > start && !zeros;
}

/* {2}, {2,}, {2,5}: false when it is none, and then { means itself. */
static bool take_braces(struct reader *r, int *ret_min, int *ret_max)
{
    size_t start = r->at++;
    bool ok = take_count(r, ret_min);
    *ret_max = *ret_min;
    if (ok && peek(r, 0) == ',') {
        r->at++;
        *ret_max = -1;
        if (peek(r, 0) != '}')
            ok = take_count(r, ret_max);
    }
    if (ok && peek(r, 0) == '}') {
        r->at++;
        return true;
    }
    r->at = start;
    return false;
}

/* How large a nest of counted repetitions gets: RE2 has a limit for it. */
static bool count_need(struct reader *r, int min, int max, unsigned *need)
{
    unsigned m = (unsigned)(max < 0 ? min : max);
    if (max == 0)
        *need = 0;
    else if (m > 0)
        *need = m * (*need > 1 ? *need : 1);
    if ((min >= 2 || max >= 2) && *need > CC_REGEX_MAX_REPEAT)
        return refuse(r, "invalid repeat count");
    return true;
}

/* What stands behind an atom; *ret_repeated: there was a repetition. */
static bool take_repetition(struct reader *r, bool atom, bool repeated, bool *ret_repeated, unsigned *need)
{
    size_t start = r->at;
    char c = peek(r, 0);
    int min = 0, max = -1;
    *ret_repeated = false;
    if (c == '{' ? !take_braces(r, &min, &max) : (c != '*' && c != '+' && c != '?'))
        return true;
    if (c != '{')
        r->at++;
    if (!atom)
        return refuse(r, "missing argument to repetition operator");
    if (repeated)
        return refuse(r, "possessive or nested repetition operator");
    if (c == '{' && (min > CC_REGEX_MAX_REPEAT || max > CC_REGEX_MAX_REPEAT || (max >= 0 && min > max)))
        return refuse(r, "invalid repeat count");
    if (c == '{' && !count_need(r, min, max, need))
        return false;
    if (peek(r, 0) == '?')
        r->at++;
    put(r, str_slice(r->text, start, r->at));
    *ret_repeated = true;
    return true;
}

/* --- atoms --- */

static void take_quoted(struct reader *r)
{
    r->at += 2;
    while (more(r) && !starts(r, "\\E")) {
        uint32_t c;
        if (!take_char(r, &c))
            return;
        put_char(r, c);
    }
    r->at += more(r) ? 2 : 0;
}

/* In PCRE2 an anchor can be repeated only as a group. */
static void put_anchor(struct reader *r, size_t n)
{
    putz(r, "(?:");
    put(r, str_slice(r->text, r->at, r->at + n));
    putz(r, ")");
    r->at += n;
}

/* Behind a backslash, outside a class. */
static bool take_atom_escape(struct reader *r)
{
    static const char *const same[] = {"\\A", "\\z", "\\b", "\\B"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (starts(r, same[i])) {
            put_anchor(r, 2);
            return true;
        }
    if (take_class_escape(r, false))
        return true;
    uint32_t c;
    r->at++;
    if (r->why || !take_escape(r, &c))
        return false;
    put_char(r, c);
    return true;
}

static bool take_atom(struct reader *r, bool *ret_atom, unsigned *ret_need)
{
    uint32_t c;
    *ret_atom = true;
    *ret_need = 0;
    switch (peek(r, 0)) {
    case '(':
        return take_group(r, ret_atom, ret_need);
    case '[':
        return take_class(r);
    case '\\':
        if (starts(r, "\\Q")) {
            size_t start = r->at + 2;
            take_quoted(r);
            *ret_atom = !str_starts(str_slice(r->text, start, r->text.n), STR("\\E"));
            return !r->why;
        }
        return take_atom_escape(r);
    case '^':
    case '$':
        put_anchor(r, 1);
        return true;
    case '.':
        putz(r, ".");
        r->at++;
        return true;
    default:
        if (!take_char(r, &c))
            return false;
        put_char(r, c);
        return true;
    }
}

/* Up to | or ) or the end. */
static bool take_sequence(struct reader *r, unsigned *need)
{
    bool atom = false, repeated = false;
    unsigned last = 0;
    while (more(r) && peek(r, 0) != '|' && peek(r, 0) != ')') {
        bool now;
        if (!take_repetition(r, atom, repeated, &now, &last))
            return false;
        *need = last > *need ? last : *need;
        repeated = now;
        if (now)
            continue;
        bool is_atom;
        if (!take_atom(r, &is_atom, &last))
            return false;
        *need = last > *need ? last : *need;
        /* Flags leave what can be repeated as it was. */
        atom |= is_atom;
    }
    return true;
}

static bool take_alternatives(struct reader *r, unsigned *ret_need)
{
    unsigned need = 0;
    for (;;) {
        if (!take_sequence(r, &need))
            return false;
        if (!more(r) || peek(r, 0) != '|')
            break;
        r->at++;
        putz(r, "|");
    }
    *ret_need = need;
    return true;
}

static bool read_all(struct reader *r)
{
    unsigned need;
    if (r->text.n > CC_REGEX_MAX)
        return refuse(r, "too long");
    if (!take_alternatives(r, &need))
        return false;
    return !more(r) || refuse(r, "unexpected )");
}

bool cc_regex_check(struct str pattern, const char **ret_why)
{
    struct reader r = {.text = pattern};
    bool ok = read_all(&r);
    if (!ok && ret_why)
        *ret_why = r.why;
    return ok;
}

struct str cc_regex_sanitise(struct str pattern)
{
    return cc_regex_check(pattern, NULL) ? pattern : STR_EMPTY;
}

/* --- matching --- */

struct cc_regex {
    pcre2_code *code;
};

static void free_code(void *code)
{
    pcre2_code_free(code);
}

static const struct cc_regex *compile(struct arena *a, struct str translated, struct str pattern, struct diags *diags)
{
    int error;
    PCRE2_SIZE where;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;
    if (context) {
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        (void)pcre2_set_parens_nest_limit(context, CC_REGEX_MAX_DEPTH + 1);
        code = pcre2_compile((PCRE2_SPTR)translated.p, translated.n,
                             PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE, &error, &where,
                             context);
        pcre2_compile_context_free(context);
    }
    if (!code) {
        (void)diags_fail(diags, "Unusable pattern", "The pattern \"" STR_FMT "\" cannot be compiled.", STR_ARG(pattern));
        return NULL;
    }
    arena_on_free(a, free_code, code);
    struct cc_regex *regex = arena_make(a, struct cc_regex);
    regex->code = code;
    return regex;
}

const struct cc_regex *cc_regex_compile(struct arena *a, struct str pattern, struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUT);
    struct reader r = {.text = pattern, .out = &out};
    if (!read_all(&r) || !buf_ok(&out)) {
        (void)diags_fail(diags, "Unusable pattern", "The pattern \"" STR_FMT "\" is none of RE2: %s.", STR_ARG(pattern),
                         r.why ? r.why : "too long");
        return NULL;
    }
    return compile(a, buf_str(&out), pattern, diags);
}

enum cc_match cc_regex_match(const struct cc_regex *regex, struct str text)
{
    enum { STEPS = 1000000, HEAP_KB = 16384 };
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    enum cc_match result = CC_MATCH_TOO_HARD;
    if (data && context) {
        (void)pcre2_set_match_limit(context, STEPS);
        (void)pcre2_set_heap_limit(context, HEAP_KB);
        int n = pcre2_match(regex->code, (PCRE2_SPTR)text.p, text.n, 0, 0, data, context);
        result = n >= 0 ? CC_MATCH_YES : n == PCRE2_ERROR_NOMATCH ? CC_MATCH_NO : CC_MATCH_TOO_HARD;
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return result;
}
