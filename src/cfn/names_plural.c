/*
 * The plural of English words, by the rules of the library that awscc uses for its names. Each rule is tried in capitals, as it
 * is, and in any case; the first that matches decides.
 */
#include "base/ascii.h"
#include "base/buf.h"
#include "cfn/names.h"

enum casing { CAPITALS, AS_WRITTEN, ANY_CASE, TITLE };

static bool same_char(char c, char rule, enum casing casing, bool first)
{
    switch (casing) {
    case CAPITALS:
        return c == to_upper(rule);
    case AS_WRITTEN:
        return c == rule;
    case ANY_CASE:
        return to_lower(c) == rule;
    case TITLE:
        return c == (first ? to_upper(rule) : rule);
    }
    return false;
}

static bool ends_with(struct str s, struct str end, enum casing casing)
{
    if (s.n < end.n)
        return false;
    for (size_t i = 0; i < end.n; i++)
        if (!same_char(s.p[s.n - end.n + i], end.p[i], casing, i == 0))
            return false;
    return true;
}

static struct str with_end(struct arena *a, struct str stem, const char *end, enum casing casing)
{
    size_t n = strlen(end);
    char *p = arena_alloc(a, stem.n + n + 1, 1);
    memcpy(p, stem.p, stem.n);
    for (size_t i = 0; i < n; i++)
        p[stem.n + i] = casing == CAPITALS || (casing == TITLE && i == 0) ? to_upper(end[i]) : end[i];
    return (struct str){p, stem.n + n};
}

/* --- words with a plural of their own --- */

static const struct {
    const char *one, *many;
} irregular[] = {{"person", "people"}, {"man", "men"},      {"child", "children"}, {"sex", "sexes"},
                 {"move", "moves"},    {"ombie", "ombies"}, {"goose", "geese"},    {"foot", "feet"},
                 {"moose", "moose"},   {"tooth", "teeth"},  {"leaf", "leaves"},    {"lens", "lenses"}};

static bool plural_irregular(struct arena *a, struct str word, struct str *ret)
{
    static const enum casing casings[] = {CAPITALS, TITLE, AS_WRITTEN};
    for (size_t i = 0; i < sizeof irregular / sizeof irregular[0]; i++)
        for (size_t c = 0; c < sizeof casings / sizeof casings[0]; c++) {
            struct str one = str_of(irregular[i].one);
            if (!ends_with(word, one, casings[c]))
                continue;
            *ret = with_end(a, str_slice(word, 0, word.n - one.n), irregular[i].many, casings[c]);
            return true;
        }
    return false;
}

/* --- rules --- */

/*
 * A word that ends in STEM END has the plural STEM TO. | separates alternatives; a stem in brackets is one of these characters,
 * or with ^ any other. `whole`: the rule must match the whole word.
 */
struct rule {
    const char *stems, *ends, *to;
    bool whole;
};

static const struct rule rules[] = {
    {"quiz", "", "zes", false},
    {"oxen", "", "", true},
    {"ox", "", "en", true},
    {"m|l", "ice", "ice", true},
    {"m|l", "ouse", "ice", true},
    {"matr|vert|ind", "ix|ex", "ices", false},
    {"x|ch|ss|sh", "", "es", false},
    {"[^aeiouy]|qu", "y", "ies", false},
    {"hive", "", "s", false},
    {"[^f]", "fe", "ves", false},
    {"[lr]", "f", "ves", false},
    {"", "sis", "ses", false},
    {"[ti]", "a", "a", false},
    {"[ti]", "um", "a", false},
    {"buffal|tomat", "o", "oes", false},
    {"bu", "s", "ses", false},
    {"alias|status|campus", "", "es", false},
    {"octop|vir", "i", "i", false},
    {"octop|vir", "us", "i", false},
    {"ax|test", "is", "es", true},
    {"", "s", "s", false},
    {"[abcdefghijklmnopqrstuvwxyz]", "", "s", false},
};

static bool ends_with_stem(struct str s, struct str stem, enum casing casing, bool whole)
{
    if (stem.n == 0 || stem.p[0] != '[')
        return ends_with(s, stem, casing) && (!whole || s.n == stem.n);
    if (s.n == 0)
        return false;
    bool negated = stem.p[1] == '^', found = false;
    for (size_t i = negated ? 2 : 1; i + 1 < stem.n; i++)
        found |= same_char(s.p[s.n - 1], stem.p[i], casing, false);
    return found != negated;
}

static bool rule_fits(const struct rule *rule, struct str word, enum casing casing, struct str *ret_stem)
{
    struct str ends = str_of(rule->ends);
    do {
        struct str end = str_cut(&ends, '|'), stem = str_slice(word, 0, word.n >= end.n ? word.n - end.n : 0);
        struct str stems = str_of(rule->stems);
        if (!ends_with(word, end, casing))
            continue;
        do {
            if (ends_with_stem(stem, str_cut(&stems, '|'), casing, rule->whole)) {
                *ret_stem = stem;
                return true;
            }
        } while (stems.n > 0);
    } while (ends.n > 0);
    return false;
}

static struct str plural_by_rule(struct arena *a, struct str word)
{
    static const enum casing casings[] = {CAPITALS, AS_WRITTEN, ANY_CASE};
    struct str stem;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        for (size_t c = 0; c < sizeof casings / sizeof casings[0]; c++)
            if (rule_fits(&rules[i], word, casings[c], &stem))
                return with_end(a, stem, rules[i].to, casings[c]);
    return word;
}

/* --- words that are their own plural --- */

static bool wants_suffix(struct str word)
{
    static const char *const ends[] = {"efs", "hdfs", "nfs", "zfs", "tions", "issions", "windows", "settings"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_with(word, str_of(ends[i]), ANY_CASE))
            return true;
    return false;
}

struct str cfn_plural(struct arena *a, struct str word, struct str suffix)
{
    struct str plural;
    if (!plural_irregular(a, word, &plural))
        plural = plural_by_rule(a, word);
    if (!str_eq(plural, word) || word.n == 0)
        return plural;
    if (wants_suffix(word))
        return arena_printf(a, STR_FMT STR_FMT, STR_ARG(word), STR_ARG(suffix));
    char last = word.p[word.n - 1];
    return last >= '0' && last <= '9' ? arena_printf(a, STR_FMT "s", STR_ARG(word)) : word;
}
