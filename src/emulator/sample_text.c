/*
 * Makes a string for a pattern: walks the tree, and each part writes the minimum that it matches: the first alternative, a letter
 * or digit if the class has one, the minimum number of repetitions. If the result is too short or does not match, the next
 * attempt repeats more and chooses other alternatives.
 */
#include "base/ascii.h"
#include "base/random.h"
#include "cfn/regex.h"
#include "emulator/sample.h"

enum {
    N_CHOICES = 4,
    N_ASCII = 128,
    MAX_REPEAT = 64,
    MAX_STEPS = 1 << 14, /* per attempt, because repetitions of an empty match never reach the length limit */
};

struct maker {
    struct buf *out;
    unsigned more;   /* how much an unbounded repetition exceeds its minimum */
    unsigned choice; /* which alternative to choose */
    uint64_t state;  /* of the random number generator */
    size_t steps;
};

/* --- classes as sets of ASCII characters --- */

struct set {
    bool has[N_ASCII];
};

static void set_range(struct set *s, uint32_t from, uint32_t to)
{
    for (uint32_t c = from; c <= to && c < N_ASCII; c++)
        s->has[c] = true;
}

static void set_texts(struct set *s, const char *characters)
{
    for (const char *c = characters; *c; c++)
        s->has[(unsigned char)*c] = true;
}

/* Complements contain only printable characters. */
static void set_invert(struct set *s)
{
    for (uint32_t c = 0; c < N_ASCII; c++)
        s->has[c] = !s->has[c] && c >= ' ' && c != 0x7f;
}

static void set_letters(struct set *s)
{
    set_range(s, 'A', 'Z');
    set_range(s, 'a', 'z');
}

static void set_perl(struct set *s, char letter)
{
    if (letter == 's') {
        set_texts(s, " \t\n\f\r");
        return;
    }
    set_range(s, '0', '9');
    if (letter == 'w') {
        set_letters(s);
        s->has['_'] = true;
    }
}

static void set_posix(struct set *s, struct str name)
{
    static const struct {
        const char *name;
        unsigned char ranges[4][2]; /* ends with 0 */
    } classes[] = {
        {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
        {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
        {"ascii", {{1, 0x7f}}},
        {"blank", {{' ', ' '}, {'\t', '\t'}}},
        {"cntrl", {{1, 0x1f}, {0x7f, 0x7f}}},
        {"digit", {{'0', '9'}}},
        {"graph", {{'!', '~'}}},
        {"lower", {{'a', 'z'}}},
        {"print", {{' ', '~'}}},
        {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
        {"space", {{' ', ' '}, {'\t', '\r'}}},
        {"upper", {{'A', 'Z'}}},
        {"word", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}}},
        {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        for (size_t k = 0; str_eqz(name, classes[i].name) && k < 4 && classes[i].ranges[k][0]; k++)
            set_range(s, classes[i].ranges[k][0], classes[i].ranges[k][1]);
}

/* The ASCII characters of a general category; of the scripts only Latin has any. */
static void set_unicode(struct set *s, struct str name)
{
    switch (name.p[0]) {
    case 'L':
        if (str_eqz(name, "Lu"))
            set_range(s, 'A', 'Z');
        else if (str_eqz(name, "Ll"))
            set_range(s, 'a', 'z');
        else if (name.n == 1 || str_eqz(name, "Latin"))
            set_letters(s);
        break;
    case 'N':
        if (name.n == 1 || str_eqz(name, "Nd"))
            set_range(s, '0', '9');
        break;
    case 'Z':
        if (name.n == 1 || str_eqz(name, "Zs"))
            s->has[' '] = true;
        break;
    case 'P':
        set_texts(s, str_eqz(name, "Pd")   ? "-"
                     : str_eqz(name, "Pc") ? "_"
                     : str_eqz(name, "Ps") ? "([{"
                     : str_eqz(name, "Pe") ? ")]}"
                     : str_eqz(name, "Po") ? "!\"#%&'*,./:;?@\\"
                     : name.n == 1         ? "-_()[]{}!\"#%&'*,./:;?@\\"
                                           : "");
        break;
    case 'S':
        set_texts(s, str_eqz(name, "Sc")   ? "$"
                     : str_eqz(name, "Sk") ? "^`"
                     : str_eqz(name, "Sm") ? "+<=>|~"
                     : name.n == 1         ? "$^`+<=>|~"
                                           : "");
        break;
    case 'A': /* Any, Arabic */
        if (str_eqz(name, "Any"))
            set_range(s, 1, N_ASCII);
        break;
    default:
        break;
    }
}

static struct set set_of(const struct cfn_pattern *p)
{
    struct set all = {0};
    for (size_t i = 0; i < p->n_classes; i++) {
        const struct cfn_class_part *part = &p->classes[i];
        struct set own = {0};
        switch (part->kind) {
        case CFN_CLASS_RANGE:
            set_range(&own, part->low, part->high);
            break;
        case CFN_CLASS_PERL:
            set_perl(&own, part->letter);
            break;
        case CFN_CLASS_POSIX:
            set_posix(&own, part->name);
            break;
        case CFN_CLASS_UNICODE:
            set_unicode(&own, part->name);
            break;
        }
        if (part->negated)
            set_invert(&own);
        for (uint32_t c = 0; c < N_ASCII; c++)
            all.has[c] |= own.has[c];
    }
    if (p->negated)
        set_invert(&all);
    return all;
}

static void put_character(struct maker *m, uint32_t c)
{
    if (c < 0x80) {
        buf_addc(m->out, (char)c);
    } else if (c < 0x800) {
        buf_addc(m->out, (char)(0xc0 | c >> 6));
        buf_addc(m->out, (char)(0x80 | (c & 0x3f)));
    } else {
        if (c < 0x10000) {
            buf_addc(m->out, (char)(0xe0 | c >> 12));
        } else {
            buf_addc(m->out, (char)(0xf0 | c >> 18));
            buf_addc(m->out, (char)(0x80 | (c >> 12 & 0x3f)));
        }
        buf_addc(m->out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_addc(m->out, (char)(0x80 | (c & 0x3f)));
    }
}

/* Writes the first character of a class without ASCII characters. */
static void put_named(struct maker *m, const struct cfn_pattern *p)
{
    for (size_t i = 0; i < p->n_classes; i++)
        if (p->classes[i].kind == CFN_CLASS_RANGE) {
            put_character(m, p->classes[i].low);
            return;
        }
}

static void put_one_of(struct maker *m, const struct cfn_pattern *p)
{
    struct set s = set_of(p);
    char best[N_ASCII];
    size_t n = 0;
    /* Lower case letters are the most readable; hexadecimal digits are allowed in most identifiers. */
    static const char *const orders[] = {"abcdefghijklmnopqrstuvwxyz0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
    for (size_t o = 0; o < 2 && n == 0; o++)
        for (const char *c = orders[o]; *c; c++)
            if (s.has[(unsigned char)*c])
                best[n++] = *c;
    for (uint32_t c = 1; c < N_ASCII && n == 0; c++)
        if (s.has[c])
            best[n++] = (char)c;
    if (n > 0)
        buf_addc(m->out, best[random_next(&m->state) % n]);
    else if (!p->negated)
        put_named(m, p);
}

/* --- the tree --- */

static size_t times(const struct maker *m, const struct cfn_pattern *p)
{
    int most = p->max >= 0 ? p->max : p->min + MAX_REPEAT, n = p->min + (int)m->more;
    return (size_t)(n < most ? n : most);
}

static void make(struct maker *m, const struct cfn_pattern *p)
{
    if (++m->steps > MAX_STEPS || m->out->n >= EMULATOR_SAMPLE_TEXT)
        return;
    switch (p->kind) {
    case CFN_PATTERN_CHARACTER:
        put_character(m, p->character);
        break;
    case CFN_PATTERN_ANY:
        buf_addc(m->out, (char)('a' + random_next(&m->state) % 26));
        break;
    case CFN_PATTERN_CLASS:
        put_one_of(m, p);
        break;
    case CFN_PATTERN_ANCHOR:
    case CFN_PATTERN_FLAGS:
        break;
    case CFN_PATTERN_ALTERNATIVES:
        make(m, p->parts[m->choice % p->n_parts]);
        break;
    case CFN_PATTERN_REPETITION:
        for (size_t i = times(m, p); i > 0 && m->steps <= MAX_STEPS; i--)
            make(m, p->parts[0]);
        break;
    case CFN_PATTERN_GROUP:
    case CFN_PATTERN_SEQUENCE:
        for (size_t i = 0; i < p->n_parts; i++)
            make(m, p->parts[i]);
        break;
    }
}

bool emulator_sample_fits(const struct cfn_regex *regex, struct str text, size_t min, size_t max)
{
    return text.n >= min && (max == 0 || text.n <= max) && (!regex || cfn_regex_match(regex, text) == CFN_MATCH_YES);
}

struct str emulator_sample_text(struct arena *a, const struct cfn_pattern *pattern, const struct cfn_regex *regex, size_t min,
                                size_t max, uint64_t seed, size_t *left)
{
    struct buf out BUF_AUTO = BUF_INIT((size_t)EMULATOR_SAMPLE_TEXT * 2);
    struct str nearest = STR_EMPTY;
    for (unsigned attempt = 0; attempt < N_CHOICES * MAX_REPEAT && emulator_sample_spend(left, EMULATOR_SAMPLE_VALUE);
         attempt++) {
        struct maker m = {.out = &out, .more = attempt % MAX_REPEAT, .choice = attempt / MAX_REPEAT, .state = seed + attempt};
        buf_clear(&out);
        make(&m, pattern);
        (void)emulator_sample_spend(left, m.steps);
        if (emulator_sample_fits(regex, buf_str(&out), min, max))
            return buf_copy(&out, a);
        if (attempt == 0)
            nearest = buf_copy(&out, a);
    }
    return nearest;
}
