#include "cfn/names.h"

#include "base/ascii.h"
#include "base/buf.h"

/* --- types --- */

static bool is_type_part(struct str part)
{
    enum { SHORTEST = 2, LONGEST = 64 };
    if (part.n < SHORTEST || part.n > LONGEST)
        return false;
    for (size_t i = 0; i < part.n; i++)
        if (!is_letter(part.p[i]) && !is_digit(part.p[i]))
            return false;
    return true;
}

/* Removes and returns everything before the first ::, or the whole rest if there is none. */
static struct str cut_colons(struct str *rest)
{
    struct str all = *rest;
    for (size_t i = 0; i + 1 < all.n; i++)
        if (all.p[i] == ':' && all.p[i + 1] == ':') {
            *rest = str_slice(all, i + 2, all.n);
            return str_slice(all, 0, i);
        }
    *rest = STR_EMPTY;
    return all;
}

bool cfn_parse_cf_type(struct str text, struct cfn_type_name *ret)
{
    struct cfn_type_name name;
    name.organisation = cut_colons(&text);
    name.service = cut_colons(&text);
    name.resource = text;
    if (!is_type_part(name.organisation) || !is_type_part(name.service) || !is_type_part(name.resource))
        return false;
    *ret = name;
    return true;
}

struct str cfn_make_tf_type(struct arena *a, const struct cfn_type_name *name)
{
    return arena_printf(a, STR_FMT "_" STR_FMT "_" STR_FMT, STR_ARG(name->organisation), STR_ARG(name->service),
                        STR_ARG(name->resource));
}

struct str cfn_tf_type(struct arena *a, const struct cfn_type_name *cf)
{
    struct cfn_type_name tf = {STR(CFN_TYPE_PREFIX), arena_lower(a, cf->service), cfn_snake(a, cf->resource)};
    /* Other organisations may have services and resources with the same names. */
    if (!str_eqz(cf->organisation, "AWS"))
        tf.service = arena_printf(a, STR_FMT "_" STR_FMT, STR_ARG(arena_lower(a, cf->organisation)), STR_ARG(tf.service));
    return cfn_make_tf_type(a, &tf);
}

struct str cfn_relative_type(struct str tf_type)
{
    (void)str_cut(&tf_type, '_');
    (void)str_cut(&tf_type, '_');
    return tf_type;
}

/* --- properties --- */

/* Single words that contain capitals. Each replacement has the same length as the original. */
static const struct {
    struct str from, to;
} one_word[] = {
    {{"CloudFormation", 14}, {"Cloudformation", 14}},
    {{"CloudFront", 10}, {"Cloudfront", 10}},
    {{"CloudWatch", 10}, {"Cloudwatch", 10}},
    {{"CNAMEs", 6}, {"Cnames", 6}},
    {{"FSx", 3}, {"Fsx", 3}},
    {{"OTel", 4}, {"Otel", 4}},
};

static void join_words(char *p, size_t n)
{
    for (size_t w = 0; w < sizeof one_word / sizeof one_word[0]; w++)
        for (size_t i = 0; i + one_word[w].from.n <= n; i++)
            if (p[i] == one_word[w].from.p[0] && memcmp(p + i, one_word[w].from.p, one_word[w].from.n) == 0)
                memcpy(p + i, one_word[w].to.p, one_word[w].to.n);
}

static bool is_break(char c, char next)
{
    return (is_upper(c) && is_lower(next)) || (is_lower(c) && (is_upper(next) || is_digit(next))) ||
           (is_digit(c) && is_letter(next));
}

static size_t put_snake(char *out, const char *p, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        bool broken = i + 1 < n && is_break(c, p[i + 1]);
        if (broken && is_upper(c) && i > 0 && is_upper(p[i - 1]))
            out[at++] = '_';
        out[at++] = is_letter(c) || is_digit(c) ? to_lower(c) : '_';
        if (broken && !is_upper(c))
            out[at++] = '_';
    }
    return at;
}

struct str cfn_snake(struct arena *a, struct str name)
{
    name = str_trim(name);
    char *joined = arena_alloc(a, name.n + 1, 1), *out = arena_alloc(a, name.n * 2 + 1, 1);
    memcpy(joined, name.p, name.n);
    join_words(joined, name.n);
    return (struct str){out, put_snake(out, joined, name.n)};
}

/* Inserts an underscore before each capital that is followed by lower case letters and is not the first character. */
static struct str break_before_words(struct arena *a, struct str s)
{
    char *out = arena_alloc(a, s.n * 2 + 1, 1);
    size_t at = 0;
    for (size_t i = 0; i < s.n;) {
        out[at++] = s.p[i++];
        if (i + 1 >= s.n || !is_upper(s.p[i]) || !is_lower(s.p[i + 1]))
            continue;
        out[at++] = '_';
        out[at++] = s.p[i++];
        while (i < s.n && is_lower(s.p[i]))
            out[at++] = s.p[i++];
    }
    return (struct str){out, at};
}

static struct str break_before_capitals(struct arena *a, struct str s)
{
    char *out = arena_alloc(a, s.n * 2 + 1, 1);
    size_t at = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (i > 0 && is_upper(s.p[i]) && (is_lower(s.p[i - 1]) || is_digit(s.p[i - 1])))
            out[at++] = '_';
        out[at++] = s.p[i];
    }
    return (struct str){out, at};
}

struct str cfn_identity_snake(struct arena *a, struct str pointer)
{
    char *joined = arena_alloc(a, pointer.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < pointer.n; i++)
        if (pointer.p[i] != '/')
            joined[n++] = pointer.p[i];
    return arena_lower(a, break_before_capitals(a, break_before_words(a, (struct str){joined, n})));
}

/* --- pointers --- */

static const struct str in_properties = {"/properties/", 12};

bool cfn_parse_pointer(struct str text, struct cfn_pointer *ret)
{
    if (!str_starts(text, in_properties) || text.n == in_properties.n)
        return false;
    struct str rest = str_slice(text, in_properties.n, text.n);
    struct cfn_pointer pointer = {0};
    for (bool more = true; more;) {
        more = str_find(rest, '/', 0) != SIZE_MAX;
        struct str step = str_cut(&rest, '/');
        if (step.n == 0 || pointer.n == CFN_MAX_POINTER_STEPS)
            return false;
        pointer.starred |= str_eq(step, STR("*"));
        pointer.steps[pointer.n++] = step;
    }
    *ret = pointer;
    return true;
}

bool cfn_pointer_is(struct str pointer, const struct str *path, size_t n)
{
    struct cfn_pointer parsed;
    if (!cfn_parse_pointer(pointer, &parsed) || parsed.n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!str_eq(parsed.steps[i], path[i]))
            return false;
    return true;
}

bool cfn_parse_ref(struct str ref, enum cfn_ref_kind *ret_kind, struct str *ret_name)
{
    static const struct {
        struct str prefix;
        enum cfn_ref_kind kind;
    } kinds[] = {{{"/definitions/", 13}, CFN_REF_DEFINITION}, {{"/properties/", 12}, CFN_REF_PROPERTY}};
    if (str_starts(ref, STR("#")))
        ref = str_slice(ref, 1, ref.n);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct str name = str_slice(ref, kinds[i].prefix.n, ref.n);
        if (!str_starts(ref, kinds[i].prefix) || name.n == 0 || str_find(name, '/', 0) != SIZE_MAX)
            continue;
        *ret_kind = kinds[i].kind;
        *ret_name = name;
        return true;
    }
    return false;
}
