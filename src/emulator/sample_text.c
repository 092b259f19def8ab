/*
 * A text for a pattern: the pattern is read once, and each part writes the least that it matches. Of alternatives the first is
 * taken, of a class a letter or digit if it has one, of a repetition as few as it allows. If the result is too short or does not
 * match, the next attempt repeats more and takes other alternatives.
 */
#include "base/random.h"
#include "cloudcontrol/regex.h"
#include "emulator/sample.h"

#include <ctype.h>

enum { MAX_DEPTH = 40, N_CHOICES = 4, MAX_CLASS = 128, MAX_REPEAT = 64 };

struct maker {
    struct str pattern;
    size_t at;
    struct buf out;
    unsigned more;   /* how often an open repetition goes beyond its least */
    unsigned choice; /* which alternative, which character */
    uint64_t state;  /* of the random numbers */
    int depth;
};

static bool at_end(const struct maker *m)
{
    return m->at >= m->pattern.n;
}

static char peek(const struct maker *m)
{
    return at_end(m) ? '\0' : m->pattern.p[m->at];
}

static bool take(struct maker *m, char c)
{
    bool is_it = !at_end(m) && peek(m) == c;
    m->at += is_it;
    return is_it;
}

/* --- classes: which of the ASCII characters --- */

struct set {
    bool has[MAX_CLASS];
};

static void set_range(struct set *s, unsigned from, unsigned to)
{
    for (unsigned c = from; c <= to && c < MAX_CLASS; c++)
        s->has[c] = true;
}

static void set_invert(struct set *s)
{
    for (unsigned c = 0; c < MAX_CLASS; c++)
        s->has[c] = !s->has[c] && c >= ' ' && c != 127;
}

/* \d \w \s and their opposites; false: the letter means none. */
static bool set_escape(struct set *s, char letter)
{
    struct set own = {0};
    switch (tolower((unsigned char)letter)) {
    case 'd':
        set_range(&own, '0', '9');
        break;
    case 'w':
        set_range(&own, '0', '9');
        set_range(&own, 'A', 'Z');
        set_range(&own, 'a', 'z');
        own.has['_'] = true;
        break;
    case 's':
        own.has[' '] = true;
        break;
    default:
        return false;
    }
    if (isupper((unsigned char)letter))
        set_invert(&own);
    for (unsigned c = 0; c < MAX_CLASS; c++)
        s->has[c] |= own.has[c];
    return true;
}

/* \p{L}, \pN, \P{Z}: behind the p. Letters and digits stand for all of their kind. */
static void set_property(struct maker *m, struct set *s, bool inverted)
{
    char name = peek(m);
    m->at += !at_end(m);
    if (name == '{') {
        name = peek(m);
        while (!at_end(m) && !take(m, '}'))
            m->at++;
    }
    struct set own = {0};
    switch (name) {
    case 'L':
        set_range(&own, 'a', 'z');
        break;
    case 'N':
        set_range(&own, '0', '9');
        break;
    case 'Z':
        own.has[' '] = true;
        break;
    case 'P':
    case 'S':
        own.has[name == 'P' ? '-' : '+'] = true;
        break;
    default:
        set_range(&own, 'a', 'z');
        break;
    }
    if (inverted)
        set_invert(&own);
    for (unsigned c = 0; c < MAX_CLASS; c++)
        s->has[c] |= own.has[c];
}

/* A character by its escape: \t \x41 \x{41} \. */
static unsigned escaped_character(struct maker *m, char letter)
{
    static const char names[] = "tnrfv", values[] = "\t\n\r\f\v";
    const char *name = strchr(names, letter);
    if (name && letter)
        return (unsigned char)values[name - names];
    if (letter != 'x' && letter != 'u')
        return (unsigned char)letter;
    unsigned code = 0;
    bool braces = take(m, '{');
    for (int i = 0; i < (braces ? 8 : letter == 'u' ? 4 : 2) && isxdigit((unsigned char)peek(m)); i++, m->at++)
        code = (code * 16 +
                (unsigned)(isdigit((unsigned char)peek(m)) ? peek(m) - '0' : tolower((unsigned char)peek(m)) - 'a' + 10)) &
               0x1fffff;
    if (braces)
        (void)take(m, '}');
    return code;
}

static unsigned class_member(struct maker *m, struct set *s)
{
    if (!take(m, '\\')) {
        unsigned c = (unsigned char)peek(m);
        m->at++;
        return c;
    }
    char letter = peek(m);
    m->at += !at_end(m);
    if (set_escape(s, letter))
        return UINT32_MAX;
    if (letter == 'p' || letter == 'P') {
        set_property(m, s, letter == 'P');
        return UINT32_MAX;
    }
    return escaped_character(m, letter);
}

/* [[:alpha:]]; only the name's first letters tell. */
static bool posix_class(struct maker *m, struct set *s)
{
    if (m->at + 1 >= m->pattern.n || peek(m) != '[' || m->pattern.p[m->at + 1] != ':')
        return false;
    struct str name = str_slice(m->pattern, m->at + 2, m->pattern.n);
    if (!str_starts(name, STR("digit")) && !str_starts(name, STR("xdigit")))
        set_range(s, 'a', 'z');
    if (!str_starts(name, STR("alpha")) && !str_starts(name, STR("lower")))
        set_range(s, '0', '9');
    while (!at_end(m) && !take(m, ']'))
        m->at++;
    return true;
}

static void read_class(struct maker *m, struct set *s)
{
    bool inverted = take(m, '^');
    for (bool first = true; !at_end(m) && (first || peek(m) != ']'); first = false) {
        if (posix_class(m, s))
            continue;
        unsigned from = class_member(m, s), to = from;
        if (from != UINT32_MAX && peek(m) == '-' && m->at + 1 < m->pattern.n && m->pattern.p[m->at + 1] != ']') {
            m->at++;
            to = class_member(m, s);
        }
        if (from != UINT32_MAX && to != UINT32_MAX)
            set_range(s, from, to);
    }
    (void)take(m, ']');
    if (inverted)
        set_invert(s);
}

static void put_one_of(struct maker *m, const struct set *s)
{
    char best[MAX_CLASS];
    size_t n = 0;
    /* Lower case letters read best; hexadecimal ones are letters of most identifiers. */
    static const char *const orders[] = {"abcdefghijklmnopqrstuvwxyz0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
    for (size_t o = 0; o < 2 && n == 0; o++)
        for (const char *c = orders[o]; *c; c++)
            if (s->has[(unsigned char)*c])
                best[n++] = *c;
    for (unsigned c = 1; c < MAX_CLASS && n == 0; c++)
        if (s->has[c])
            best[n++] = (char)c;
    if (n > 0)
        buf_addc(&m->out, best[random_next(&m->state) % n]);
}

/* --- the grammar --- */

static void make_alternatives(struct maker *m, bool write);

static void skip_group_head(struct maker *m)
{
    if (!take(m, '?'))
        return;
    if (take(m, 'P') || peek(m) == '<') {
        while (!at_end(m) && !take(m, '>'))
            m->at++;
        return;
    }
    while (!at_end(m) && peek(m) != ':' && peek(m) != ')')
        m->at++;
    (void)take(m, ':');
}

/* One thing that may be repeated. */
static void make_atom(struct maker *m, bool write)
{
    struct set s = {0};
    if (take(m, '(')) {
        skip_group_head(m);
        make_alternatives(m, write);
        (void)take(m, ')');
        return;
    }
    if (take(m, '[')) {
        read_class(m, &s);
    } else if (take(m, '.')) {
        set_range(&s, 'a', 'z');
    } else if (take(m, '\\')) {
        char letter = peek(m);
        m->at += !at_end(m);
        if (strchr("AzZbB", letter))
            return;
        if (letter == 'p' || letter == 'P') {
            set_property(m, &s, letter == 'P');
        } else if (!set_escape(&s, letter)) {
            unsigned c = escaped_character(m, letter);
            set_range(&s, c, c);
        }
    } else {
        char c = peek(m);
        m->at++;
        if (write && c != '^' && c != '$')
            buf_addc(&m->out, c);
        return;
    }
    if (write)
        put_one_of(m, &s);
}

static size_t read_number(struct maker *m)
{
    size_t n = 0;
    while (isdigit((unsigned char)peek(m))) {
        n = n * 10 + (size_t)(peek(m) - '0');
        n = n > CC_SAMPLE_TEXT ? CC_SAMPLE_TEXT : n;
        m->at++;
    }
    return n;
}

struct repeat {
    size_t least, most;
};

static struct repeat read_repeat(struct maker *m)
{
    struct repeat r = {1, 1};
    if (take(m, '*'))
        r = (struct repeat){0, MAX_REPEAT};
    else if (take(m, '+'))
        r = (struct repeat){1, MAX_REPEAT};
    else if (take(m, '?'))
        r = (struct repeat){0, 1};
    else if (peek(m) == '{' && m->at + 1 < m->pattern.n && isdigit((unsigned char)m->pattern.p[m->at + 1])) {
        m->at++;
        r.least = r.most = read_number(m);
        if (take(m, ','))
            r.most = peek(m) == '}' ? r.least + MAX_REPEAT : read_number(m);
        (void)take(m, '}');
    } else {
        return r;
    }
    (void)take(m, '?');
    return r;
}

static void make_piece(struct maker *m, bool write)
{
    size_t start = m->at;
    make_atom(m, false);
    struct repeat r = read_repeat(m);
    size_t end = m->at, n = r.least + m->more;
    n = n > r.most ? r.most : n;
    for (size_t i = 0; i < n && write && m->out.n < CC_SAMPLE_TEXT; i++) {
        m->at = start;
        make_atom(m, true);
    }
    m->at = end;
}

static void make_sequence(struct maker *m, bool write)
{
    while (!at_end(m) && peek(m) != '|' && peek(m) != ')')
        make_piece(m, write);
}

static size_t count_alternatives(struct maker *m)
{
    size_t start = m->at, n = 1;
    make_sequence(m, false);
    while (take(m, '|')) {
        n++;
        make_sequence(m, false);
    }
    m->at = start;
    return n;
}

static void make_alternatives(struct maker *m, bool write)
{
    if (++m->depth > MAX_DEPTH) {
        m->at = m->pattern.n;
        m->depth--;
        return;
    }
    size_t chosen = m->choice % count_alternatives(m);
    for (size_t i = 0; i == 0 || take(m, '|'); i++)
        make_sequence(m, write && i == chosen);
    m->depth--;
}

static bool fits(const struct cc_regex *regex, struct str text, size_t min, size_t max)
{
    return text.n >= min && (max == 0 || text.n <= max) && (!regex || cc_regex_match(regex, text) == CC_MATCH_YES);
}

struct str cc_sample_text(struct arena *a, struct str pattern, size_t min, size_t max, uint64_t seed)
{
    struct diags ignored;
    diags_init(&ignored, a);
    const struct cc_regex *regex = pattern.n > 0 ? cc_regex_compile(a, pattern, &ignored) : NULL;
    struct str nearest = STR_EMPTY;
    for (unsigned attempt = 0; attempt < N_CHOICES * MAX_REPEAT; attempt++) {
        struct maker m = {.pattern = pattern,
                          .out = BUF_INIT((size_t)CC_SAMPLE_TEXT * 2),
                          .more = attempt % MAX_REPEAT,
                          .choice = attempt / MAX_REPEAT,
                          .state = seed + attempt};
        make_alternatives(&m, true);
        struct str text = buf_copy(&m.out, a);
        buf_free(&m.out);
        if (fits(regex, text, min, max))
            return text;
        nearest = attempt == 0 ? text : nearest;
    }
    return nearest;
}
