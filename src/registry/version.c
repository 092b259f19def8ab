/*
 * A constraint is a list of terms, each a version with an operator; all must hold. Only a term without operator, or with "=", can
 * allow a pre-release: the one that it names.
 */
#include "registry/version.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

enum version_op { OP_EQ, OP_NE, OP_GT, OP_GE, OP_LT, OP_LE, OP_PESSIMISTIC };

struct term {
    enum version_op op;
    struct provider_version version;
    size_t numbers;                /* how many numbers of `version` were written */
    struct provider_version below; /* OP_PESSIMISTIC: the first version that is too high */
};

struct version_constraint {
    struct term *v;
    size_t n, cap;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* May the character be part of a pre-release or build text? */
static bool is_extra(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
}

static bool take_number(struct str *rest, uint64_t *ret)
{
    uint64_t value = 0;
    size_t n = 0;
    for (; n < rest->n && is_digit(rest->p[n]); n++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, (uint64_t)(rest->p[n] - '0'), &value))
            return false;
    *rest = str_slice(*rest, n, rest->n);
    *ret = value;
    return n > 0;
}

/* Takes the text after `mark` if `mark` comes next. False: nothing follows the mark. */
static bool take_extra(struct str *rest, char mark, struct str *ret)
{
    *ret = STR_EMPTY;
    if (rest->n == 0 || rest->p[0] != mark)
        return true;
    size_t n = 1;
    while (n < rest->n && is_extra(rest->p[n]))
        n++;
    *ret = str_slice(*rest, 1, n);
    *rest = str_slice(*rest, n, rest->n);
    return ret->n > 0;
}

/* Takes the version at the start of *rest; *ret_numbers is how many of its numbers were written. */
static bool take_version(struct str *rest, struct provider_version *ret, size_t *ret_numbers)
{
    uint64_t numbers[3] = {0};
    size_t n = 0;
    for (;;) {
        if (n == 3 || !take_number(rest, &numbers[n]))
            return false;
        n++;
        if (rest->n == 0 || rest->p[0] != '.')
            break;
        *rest = str_slice(*rest, 1, rest->n);
    }
    struct provider_version v = {.major = numbers[0], .minor = numbers[1], .patch = numbers[2]};
    if (!take_extra(rest, '-', &v.prerelease) || !take_extra(rest, '+', &v.build))
        return false;
    *ret = v;
    *ret_numbers = n;
    return true;
}

bool provider_version_parse(struct str text, struct provider_version *ret)
{
    struct provider_version v;
    size_t numbers;
    if (text.n > VERSION_MAX_BYTES || !take_version(&text, &v, &numbers) || text.n > 0)
        return false;
    *ret = v;
    return true;
}

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

/* Semantic Versioning 2.0, 11.4: numbers are compared by value, and come before words. */
static int identifier_cmp(struct str a, struct str b)
{
    bool number_a = all_digits(a), number_b = all_digits(b);
    if (number_a != number_b)
        return number_a ? -1 : 1;
    if (!number_a)
        return str_cmp(a, b);
    while (a.n > 1 && a.p[0] == '0')
        a = str_slice(a, 1, a.n);
    while (b.n > 1 && b.p[0] == '0')
        b = str_slice(b, 1, b.n);
    return a.n != b.n ? (a.n > b.n) - (a.n < b.n) : str_cmp(a, b);
}

static int prerelease_cmp(struct str a, struct str b)
{
    if (a.n == 0 || b.n == 0)
        return (a.n == 0) - (b.n == 0); /* a release comes after its pre-releases */
    while (a.n > 0 && b.n > 0) {
        int r = identifier_cmp(str_cut(&a, '.'), str_cut(&b, '.'));
        if (r != 0)
            return r;
    }
    return (a.n > 0) - (b.n > 0);
}

static int number_cmp(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int provider_version_cmp(const struct provider_version *a, const struct provider_version *b)
{
    int r = number_cmp(a->major, b->major);
    if (r == 0)
        r = number_cmp(a->minor, b->minor);
    if (r == 0)
        r = number_cmp(a->patch, b->patch);
    return r != 0 ? r : prerelease_cmp(a->prerelease, b->prerelease);
}

struct str provider_version_text(struct arena *a, const struct provider_version *v)
{
    return arena_printf(a, "%" PRIu64 ".%" PRIu64 ".%" PRIu64 "%s" STR_FMT "%s" STR_FMT, v->major, v->minor, v->patch,
                        v->prerelease.n > 0 ? "-" : "", STR_ARG(v->prerelease), v->build.n > 0 ? "+" : "", STR_ARG(v->build));
}

static void skip_blanks(struct str *rest)
{
    while (rest->n > 0 && is_blank(rest->p[0]))
        *rest = str_slice(*rest, 1, rest->n);
}

static bool take_op(struct str *rest, enum version_op *ret)
{
    static const struct {
        const char *text;
        enum version_op op;
    } ops[] = {{"=", OP_EQ}, {"!=", OP_NE}, {">", OP_GT},           {">=", OP_GE},
               {"<", OP_LT}, {"<=", OP_LE}, {"~>", OP_PESSIMISTIC}, {"", OP_EQ}};
    size_t n = 0;
    while (n < rest->n && strchr("=!<>~^", rest->p[n]) && rest->p[n] != '\0')
        n++;
    struct str text = str_slice(*rest, 0, n);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (str_eqz(text, ops[i].text)) {
            *ret = ops[i].op;
            *rest = str_slice(*rest, n, rest->n);
            return true;
        }
    return false;
}

/* "~> 1.2.3" allows the last written number to increase; "~> 1" means "~> 1.0". */
static struct provider_version pessimistic_limit(const struct provider_version *v, size_t numbers)
{
    if (numbers == 3)
        return (struct provider_version){.major = v->major, .minor = v->minor + 1};
    return (struct provider_version){.major = v->major + 1};
}

static bool fail_term(struct diags *diags, struct str whole, struct str term, const char *problem)
{
    return diags_fail(diags, "Invalid version constraint",
                      "\"" STR_FMT "\": \"" STR_FMT "\" %s. Write terms such as 5.100.0, >= 5.0, != 5.3.0 or ~> 5.1, "
                      "separated by commas.",
                      STR_ARG(whole), STR_ARG(term), problem);
}

static bool parse_term(struct diags *diags, struct str whole, struct str text, struct term *ret)
{
    struct str term = str_trim(text), rest = term;
    struct term t;
    size_t numbers;
    if (rest.n == 0)
        return fail_term(diags, whole, term, "has no version");
    if (!take_op(&rest, &t.op))
        return fail_term(diags, whole, term, "starts with an unknown operator (known: = != > >= < <= ~>)");
    skip_blanks(&rest);
    if (rest.n > 0 && (rest.p[0] == 'v' || rest.p[0] == 'V'))
        return fail_term(diags, whole, term, "must not have a \"v\" in front of the version");
    if (!take_version(&rest, &t.version, &numbers))
        return fail_term(diags, whole, term, "must name a version of one to three numbers");
    if (rest.n > 0)
        return fail_term(diags, whole, term, "has extra characters after the version");
    t.numbers = numbers;
    t.below = pessimistic_limit(&t.version, numbers);
    *ret = t;
    return true;
}

const struct version_constraint *provider_version_constraint_parse(struct arena *a, struct str text, struct diags *diags)
{
    struct version_constraint *c = arena_make(a, struct version_constraint);
    text = arena_str(a, str_trim(text)); /* the terms point into it */
    if (text.n == 0)
        return c;
    for (size_t at = 0; at <= text.n;) {
        size_t comma = str_find(text, ',', at);
        size_t end = comma == SIZE_MAX ? text.n : comma;
        struct term term;
        if (!parse_term(diags, text, str_slice(text, at, end), &term))
            return NULL;
        if (c->n == VERSION_MAX_TERMS) {
            (void)diags_fail(diags, "Invalid version constraint", "More than %d terms.", (int)VERSION_MAX_TERMS);
            return NULL;
        }
        *VEC_PUSH(a, c) = term;
        at = end + 1;
    }
    return c;
}

/* The order of operators with the same version, as observed in Terraform's output. */
static int op_order(enum version_op op)
{
    static const int order[] = {
        [OP_GT] = 0, [OP_GE] = 1, [OP_EQ] = 2, [OP_PESSIMISTIC] = 3, [OP_LE] = 4, [OP_LT] = 5, [OP_NE] = 6};
    return order[op];
}

static int term_cmp(const void *a, const void *b)
{
    const struct term *x = a, *y = b;
    int r = provider_version_cmp(&x->version, &y->version);
    if (r == 0)
        r = op_order(x->op) - op_order(y->op);
    return r != 0 ? r : (int)(y->numbers == 3) - (int)(x->numbers == 3);
}

static struct str term_text(struct arena *a, const struct term *t)
{
    static const char *const ops[] = {[OP_GT] = "> ",  [OP_GE] = ">= ", [OP_EQ] = "",   [OP_PESSIMISTIC] = "~> ",
                                      [OP_LE] = "<= ", [OP_LT] = "< ",  [OP_NE] = "!= "};
    if (t->op == OP_PESSIMISTIC && t->numbers < 3 && t->version.prerelease.n == 0 && t->version.build.n == 0)
        return arena_printf(a, "~> %" PRIu64 ".%" PRIu64, t->version.major, t->version.minor);
    return arena_printf(a, "%s" STR_FMT, ops[t->op], STR_ARG(provider_version_text(a, &t->version)));
}

struct str provider_version_constraint_text(struct arena *a, const struct version_constraint *c)
{
    struct term *terms = arena_make_n(a, struct term, c->n);
    for (size_t i = 0; i < c->n; i++)
        terms[i] = c->v[i];
    if (c->n > 0)
        qsort(terms, c->n, sizeof *terms, term_cmp);
    struct buf out BUF_AUTO = BUF_INIT((size_t)VERSION_MAX_TERMS * (VERSION_MAX_BYTES + 8));
    struct str last = STR_EMPTY;
    for (size_t i = 0; i < c->n; i++) {
        struct str text = term_text(a, &terms[i]);
        if (!str_eq(text, last))
            buf_printf(&out, "%s" STR_FMT, out.n > 0 ? ", " : "", STR_ARG(text));
        last = text;
    }
    return buf_copy(&out, a);
}

/* Exact terms compare build metadata too. */
static bool is_same(const struct provider_version *a, const struct provider_version *b)
{
    return provider_version_cmp(a, b) == 0 && str_eq(a->build, b->build) && str_eq(a->prerelease, b->prerelease);
}

static bool holds(const struct term *t, const struct provider_version *v)
{
    switch (t->op) {
    case OP_EQ:
        return is_same(v, &t->version);
    case OP_NE:
        return !is_same(v, &t->version);
    case OP_GT:
        return provider_version_cmp(v, &t->version) > 0;
    case OP_GE:
        return provider_version_cmp(v, &t->version) >= 0;
    case OP_LT:
        return provider_version_cmp(v, &t->version) < 0;
    case OP_LE:
        return provider_version_cmp(v, &t->version) <= 0;
    case OP_PESSIMISTIC:
        return provider_version_cmp(v, &t->version) >= 0 && provider_version_cmp(v, &t->below) < 0;
    }
    return false;
}

/* 0.0.0 stands for "no version". */
static bool is_unspecified(const struct provider_version *v)
{
    return v->major == 0 && v->minor == 0 && v->patch == 0 && v->prerelease.n == 0 && v->build.n == 0;
}

bool provider_version_allowed(const struct version_constraint *c, const struct provider_version *v)
{
    bool named = false;
    for (size_t i = 0; i < c->n; i++) {
        if (!holds(&c->v[i], v))
            return false;
        named |= c->v[i].op == OP_EQ;
    }
    return !is_unspecified(v) && (named || v->prerelease.n == 0);
}
