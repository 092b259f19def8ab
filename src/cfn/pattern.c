#include "cfn/pattern.h"

#include "base/ascii.h"
#include "base/hex.h"
#include "base/vec.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

enum { MAX_NAMES = 64 };

struct reader {
    struct arena *arena;
    struct str text;
    size_t at;
    const char *why; /* not NULL: rejected */
    unsigned depth;
    struct str names[MAX_NAMES]; /* of groups */
    size_t n_names;
};

typedef VEC(const struct cfn_pattern *) part_list;
typedef VEC(struct cfn_class_part) class_list;

static bool refuse(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return false;
}

static bool more(const struct reader *r)
{
    return r->at < r->text.n;
}

/* The byte `ahead` places after the current one; 0 past the end, since a NUL inside a pattern never matters. */
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

/* Takes the next UTF-8 character. */
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

/* --- nodes --- */

static struct cfn_pattern *new_node(struct reader *r, enum cfn_pattern_kind kind)
{
    struct cfn_pattern *node = arena_make(r->arena, struct cfn_pattern);
    node->kind = kind;
    node->text = STR_EMPTY;
    return node;
}

/* With one part. */
static struct cfn_pattern *new_owner(struct reader *r, enum cfn_pattern_kind kind, struct str text,
                                     const struct cfn_pattern *part)
{
    struct cfn_pattern *node = new_node(r, kind);
    const struct cfn_pattern **parts = arena_make(r->arena, const struct cfn_pattern *);
    parts[0] = part;
    node->text = text;
    node->parts = parts;
    node->n_parts = 1;
    return node;
}

static const struct cfn_pattern *new_character(struct reader *r, uint32_t c)
{
    struct cfn_pattern *node = new_node(r, CFN_PATTERN_CHARACTER);
    node->character = c;
    return node;
}

/* Takes this many bytes as a node with the text as written. */
static const struct cfn_pattern *take_as_written(struct reader *r, enum cfn_pattern_kind kind, size_t n)
{
    struct cfn_pattern *node = new_node(r, kind);
    node->text = str_slice(r->text, r->at, r->at + n);
    r->at += n;
    return node;
}

static const struct cfn_pattern *new_class(struct reader *r, const class_list *parts, bool negated)
{
    struct cfn_pattern *node = new_node(r, CFN_PATTERN_CLASS);
    node->classes = parts->v;
    node->n_classes = parts->n;
    node->negated = negated;
    return node;
}

/* --- escapes --- */

static bool take_hex(struct reader *r, uint32_t *ret)
{
    enum { LAST = 0x10ffff };
    uint32_t c = 0;
    if (peek(r, 0) != '{') {
        int high = hex_digit(peek(r, 0)), low = hex_digit(peek(r, 1));
        if (high < 0 || low < 0)
            return refuse(r, "invalid escape sequence");
        r->at += 2;
        *ret = (uint32_t)(high * 16 + low);
        return true;
    }
    r->at++;
    size_t digits = 0;
    for (; hex_digit(peek(r, 0)) >= 0; digits++, r->at++) {
        c = c * 16 + (uint32_t)hex_digit(peek(r, 0));
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
    /* A single digit other than 0 would be a backreference. */
    if (first != '0' && !is_octal(peek(r, 0)))
        return refuse(r, "backreference");
    uint32_t c = (uint32_t)(first - '0');
    for (int i = 0; i < 2 && is_octal(peek(r, 0)); i++)
        c = c * 8 + (uint32_t)(r->text.p[r->at++] - '0');
    *ret = c;
    return true;
}

/* After a backslash: the character that the escape means. */
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

/* \pL, \p{Greek}, \P{^Lu}; the reader is after the p. */
static bool take_unicode_class(struct reader *r, char p, class_list *list)
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
    *VEC_PUSH(r->arena, list) =
        (struct cfn_class_part){.kind = CFN_CLASS_UNICODE, .name = name, .negated = (p == 'P') != negated};
    return true;
}

/* \d, \pL and similar: false without a reason if there is none here. */
static bool take_class_escape(struct reader *r, class_list *list)
{
    char c = peek(r, 1), lower = (char)(c | 0x20);
    if (peek(r, 0) != '\\' || !is_letter(c) || !strchr("dswp", lower))
        return false;
    r->at += 2;
    if (lower == 'p')
        return take_unicode_class(r, c, list);
    *VEC_PUSH(r->arena, list) =
        (struct cfn_class_part){.kind = CFN_CLASS_PERL, .letter = lower, .name = STR_EMPTY, .negated = c != lower};
    return true;
}

/* --- classes --- */

/* [:alpha:] within a class: false without a reason if there is none here. */
static bool take_posix_class(struct reader *r, class_list *list)
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
    bool negated = str_starts(name, STR("^"));
    if (negated)
        name = str_slice(name, 1, name.n);
    (void)snprintf(text, sizeof text, " %.*s ", (int)(name.n <= LONGEST ? name.n : 0), name.p);
    if (name.n == 0 || name.n > LONGEST || memchr(name.p, ' ', name.n) || !strstr(names, text))
        return refuse(r, "invalid character class range");
    *VEC_PUSH(r->arena, list) = (struct cfn_class_part){.kind = CFN_CLASS_POSIX, .name = name, .negated = negated};
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

static bool take_range(struct reader *r, class_list *list)
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
    *VEC_PUSH(r->arena, list) = (struct cfn_class_part){.kind = CFN_CLASS_RANGE, .low = low, .high = high, .name = STR_EMPTY};
    return true;
}

static const struct cfn_pattern *take_class(struct reader *r)
{
    class_list list = {0};
    r->at++;
    bool negated = peek(r, 0) == '^';
    r->at += negated;
    for (bool first = true; first || peek(r, 0) != ']'; first = false) {
        if (!more(r)) {
            (void)refuse(r, "missing closing ]");
            return NULL;
        }
        bool taken = take_posix_class(r, &list) || (!r->why && take_class_escape(r, &list));
        if (r->why || (!taken && !take_range(r, &list)))
            return NULL;
    }
    r->at++;
    return new_class(r, &list, negated);
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
    return true;
}

/* (?i), (?i-s:; *ret_group: it opens a group that must be closed. */
static bool take_flags(struct reader *r, struct str *ret_text, bool *ret_group)
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
            *ret_text = str_slice(r->text, start, r->at);
            *ret_group = c == ':';
            return true;
        } else {
            break;
        }
    }
    return refuse(r, "lookaround or other Perl group");
}

/* The opening of a group, or stand-alone flags. */
static bool take_opening(struct reader *r, struct str *ret_text, bool *ret_group)
{
    *ret_text = STR("(");
    *ret_group = true;
    if (starts(r, "(?P<"))
        return take_name(r, 4);
    if (starts(r, "(?<") && peek(r, 3) != '=' && peek(r, 3) != '!')
        return take_name(r, 3);
    if (starts(r, "(?"))
        return take_flags(r, ret_text, ret_group);
    r->at++;
    return true;
}

static const struct cfn_pattern *take_alternatives(struct reader *r, unsigned *ret_need);

static const struct cfn_pattern *take_group(struct reader *r, unsigned *ret_need)
{
    struct str text;
    bool group;
    if (r->depth >= CFN_PATTERN_MAX_DEPTH) {
        (void)refuse(r, "nested too deeply");
        return NULL;
    }
    if (!take_opening(r, &text, &group))
        return NULL;
    if (!group) {
        struct cfn_pattern *flags = new_node(r, CFN_PATTERN_FLAGS);
        flags->text = text;
        return flags;
    }
    r->depth++;
    const struct cfn_pattern *inner = take_alternatives(r, ret_need);
    r->depth--;
    if (!inner)
        return NULL;
    if (peek(r, 0) != ')' || !more(r)) {
        (void)refuse(r, "missing closing )");
        return NULL;
    }
    r->at++;
    return new_owner(r, CFN_PATTERN_GROUP, text, inner);
}

/* --- repetition --- */

/* A count of at most CFN_PATTERN_MAX_REPEAT + 1. */
static bool take_count(struct reader *r, int *ret)
{
    int n = 0;
    size_t start = r->at;
    for (; is_digit(peek(r, 0)); r->at++)
        n = n > CFN_PATTERN_MAX_REPEAT ? n : n * 10 + (peek(r, 0) - '0');
    /* A number with a leading zero is not a count. */
    bool zeros = r->at - start > 1 && r->text.p[start] == '0';
    *ret = n;
    return r->at > start && !zeros;
}

/* {2}, {2,}, {2,5}: false if it is not a count; then { is a literal. */
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

/* The size of nested counted repetitions, which RE2 limits. */
static bool count_need(struct reader *r, int min, int max, unsigned *need)
{
    unsigned m = (unsigned)(max < 0 ? min : max);
    if (max == 0)
        *need = 0;
    else if (m > 0)
        *need = m * (*need > 1 ? *need : 1);
    if ((min >= 2 || max >= 2) && *need > CFN_PATTERN_MAX_REPEAT)
        return refuse(r, "invalid repeat count");
    return true;
}

/* A sequence being parsed. */
struct sequence {
    part_list parts;
    size_t atom;   /* the last part that can be repeated; SIZE_MAX: none. Flags do not change it */
    bool repeated; /* the atom was just repeated */
    unsigned need; /* of the atom */
};

static void add_atom(struct reader *r, struct sequence *s, const struct cfn_pattern *atom)
{
    s->atom = s->parts.n;
    *VEC_PUSH(r->arena, &s->parts) = atom;
}

/* The repetition after an atom; *ret_there: there is one. */
static bool take_repetition(struct reader *r, struct sequence *s, bool *ret_there)
{
    size_t start = r->at;
    char c = peek(r, 0);
    int min = c == '+', max = c == '?' ? 1 : -1;
    *ret_there = false;
    if (c == '{' ? !take_braces(r, &min, &max) : (c != '*' && c != '+' && c != '?'))
        return true;
    if (c != '{')
        r->at++;
    if (s->atom == SIZE_MAX)
        return refuse(r, "missing argument to repetition operator");
    if (s->repeated)
        return refuse(r, "possessive or nested repetition operator");
    if (c == '{' && (min > CFN_PATTERN_MAX_REPEAT || max > CFN_PATTERN_MAX_REPEAT || (max >= 0 && min > max)))
        return refuse(r, "invalid repeat count");
    if (c == '{' && !count_need(r, min, max, &s->need))
        return false;
    if (peek(r, 0) == '?')
        r->at++;
    struct cfn_pattern *node = new_owner(r, CFN_PATTERN_REPETITION, str_slice(r->text, start, r->at), s->parts.v[s->atom]);
    node->min = min;
    node->max = max;
    s->parts.v[s->atom] = node;
    *ret_there = true;
    return true;
}

/* --- atoms --- */

/* \Q...\E: each character is a separate atom. */
static bool take_quoted(struct reader *r, struct sequence *s)
{
    r->at += 2;
    while (more(r) && !starts(r, "\\E")) {
        uint32_t c;
        if (!take_char(r, &c))
            return false;
        add_atom(r, s, new_character(r, c));
    }
    r->at += more(r) ? 2 : 0;
    return true;
}

static const struct cfn_pattern *take_atom_escape(struct reader *r)
{
    class_list list = {0};
    if (strchr("AzbB", peek(r, 1)) && peek(r, 1))
        return take_as_written(r, CFN_PATTERN_ANCHOR, 2);
    if (take_class_escape(r, &list))
        return new_class(r, &list, false);
    uint32_t c;
    r->at++;
    return !r->why && take_escape(r, &c) ? new_character(r, c) : NULL;
}

static const struct cfn_pattern *take_one(struct reader *r, unsigned *ret_need)
{
    uint32_t c;
    switch (peek(r, 0)) {
    case '(':
        return take_group(r, ret_need);
    case '[':
        return take_class(r);
    case '\\':
        return take_atom_escape(r);
    case '^':
    case '$':
        return take_as_written(r, CFN_PATTERN_ANCHOR, 1);
    case '.':
        return take_as_written(r, CFN_PATTERN_ANY, 1);
    default:
        return take_char(r, &c) ? new_character(r, c) : NULL;
    }
}

static bool take_atom(struct reader *r, struct sequence *s)
{
    s->need = 0;
    if (starts(r, "\\Q"))
        return take_quoted(r, s);
    const struct cfn_pattern *one = take_one(r, &s->need);
    if (!one)
        return false;
    if (one->kind == CFN_PATTERN_FLAGS)
        *VEC_PUSH(r->arena, &s->parts) = one;
    else
        add_atom(r, s, one);
    return true;
}

/* Up to | or ) or the end. */
static const struct cfn_pattern *take_sequence(struct reader *r, unsigned *need)
{
    struct sequence s = {.atom = SIZE_MAX};
    while (more(r) && peek(r, 0) != '|' && peek(r, 0) != ')') {
        bool repetition;
        if (!take_repetition(r, &s, &repetition))
            return NULL;
        s.repeated = repetition;
        if (!repetition && !take_atom(r, &s))
            return NULL;
        *need = s.need > *need ? s.need : *need;
    }
    struct cfn_pattern *node = new_node(r, CFN_PATTERN_SEQUENCE);
    node->parts = s.parts.v;
    node->n_parts = s.parts.n;
    return node;
}

/* Usually there is only one; then no ALTERNATIVES node is made. */
static const struct cfn_pattern *take_alternatives(struct reader *r, unsigned *ret_need)
{
    *ret_need = 0;
    const struct cfn_pattern *one = take_sequence(r, ret_need);
    if (!one || !more(r) || peek(r, 0) != '|')
        return one;
    part_list list = {0};
    *VEC_PUSH(r->arena, &list) = one;
    while (more(r) && peek(r, 0) == '|') {
        r->at++;
        one = take_sequence(r, ret_need);
        if (!one)
            return NULL;
        *VEC_PUSH(r->arena, &list) = one;
    }
    struct cfn_pattern *node = new_node(r, CFN_PATTERN_ALTERNATIVES);
    node->parts = list.v;
    node->n_parts = list.n;
    return node;
}

static const struct cfn_pattern *read_all(struct reader *r)
{
    unsigned need;
    if (r->text.n > CFN_PATTERN_MAX) {
        (void)refuse(r, "too long");
        return NULL;
    }
    const struct cfn_pattern *all = take_alternatives(r, &need);
    return all && (!more(r) || refuse(r, "unexpected )")) ? all : NULL;
}

const struct cfn_pattern *cfn_pattern_parse(struct arena *a, struct str text, const char **ret_why)
{
    struct reader r = {.arena = a, .text = text};
    const struct cfn_pattern *pattern = read_all(&r);
    if (!pattern && ret_why)
        *ret_why = r.why;
    return pattern;
}
