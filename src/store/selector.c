#include "store/selector.h"

#include "base/ascii.h"
#include "base/vec.h"

struct reader {
    struct arena *arena;
    struct str whole, rest;
    struct diags *diags;
};

static bool refuse(struct reader *r, const char *expected)
{
    return diags_fail(r->diags, "Invalid label selector",
                      "\"" STR_FMT
                      "\": expected %s at character %zu. A selector is a list such as \"app=web,tier in (a, b),!old\".",
                      STR_ARG(r->whole), expected, r->whole.n - r->rest.n + 1);
}

static void skip_blanks(struct reader *r)
{
    while (r->rest.n > 0 && r->rest.p[0] == ' ')
        r->rest = str_slice(r->rest, 1, r->rest.n);
}

static bool take(struct reader *r, struct str token)
{
    skip_blanks(r);
    if (!str_starts(r->rest, token))
        return false;
    r->rest = str_slice(r->rest, token.n, r->rest.n);
    return true;
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '/';
}

/* Keys and values; a value may be empty. */
static struct str take_word(struct reader *r)
{
    skip_blanks(r);
    size_t n = 0;
    while (n < r->rest.n && is_word(r->rest.p[n]))
        n++;
    struct str word = arena_str(r->arena, str_slice(r->rest, 0, n));
    r->rest = str_slice(r->rest, n, r->rest.n);
    return word;
}

static bool read_values(struct reader *r, struct selector_requirement *ret)
{
    if (!take(r, STR("(")))
        return refuse(r, "\"(\"");
    VEC(struct str) values = {0};
    do {
        if (values.n == SELECTOR_MAX_VALUES)
            return refuse(r, "a shorter list of values");
        *VEC_PUSH(r->arena, &values) = take_word(r);
    } while (take(r, STR(",")));
    if (!take(r, STR(")")))
        return refuse(r, "\",\" or \")\"");
    ret->values = values.v;
    ret->n_values = values.n;
    return true;
}

static bool read_one_value(struct reader *r, enum selector_op op, struct selector_requirement *ret)
{
    struct str *value = arena_make(r->arena, struct str);
    *value = take_word(r);
    *ret = (struct selector_requirement){.key = ret->key, .op = op, .values = value, .n_values = 1};
    return true;
}

static bool read_requirement(struct reader *r, struct selector_requirement *ret)
{
    ret->op = take(r, STR("!")) ? SELECTOR_ABSENT : SELECTOR_EXISTS;
    ret->key = take_word(r);
    if (ret->key.n == 0)
        return refuse(r, "the name of a label");
    if (ret->op == SELECTOR_ABSENT)
        return true;
    if (take(r, STR("!=")))
        return read_one_value(r, SELECTOR_NOT_IN, ret);
    if (take(r, STR("==")) || take(r, STR("=")))
        return read_one_value(r, SELECTOR_IN, ret);
    struct reader before = *r;
    struct str word = take_word(r);
    if (word.n == 0)
        return true;
    if (!str_eqz(word, "in") && !str_eqz(word, "notin")) {
        *r = before;
        return refuse(r, "\"=\", \"!=\", \"in\", \"notin\" or \",\"");
    }
    ret->op = str_eqz(word, "in") ? SELECTOR_IN : SELECTOR_NOT_IN;
    return read_values(r, ret);
}

bool selector_parse(struct arena *a, struct str text, struct diags *diags, struct selector *ret)
{
    struct reader r = {a, text, text, diags};
    VEC(struct selector_requirement) list = {0};
    skip_blanks(&r);
    while (r.rest.n > 0) {
        if (list.n == SELECTOR_MAX_REQUIREMENTS)
            return refuse(&r, "fewer requirements");
        if (!read_requirement(&r, VEC_PUSH(a, &list)))
            return false;
        if (!take(&r, STR(","))) {
            skip_blanks(&r);
            if (r.rest.n > 0)
                return refuse(&r, "\",\"");
        } else if (r.rest.n == 0) {
            return refuse(&r, "the name of a label");
        }
    }
    *ret = (struct selector){list.v, list.n};
    return true;
}

static bool holds(const struct selector_requirement *q, const struct json *labels)
{
    const struct json *label = json_get_str(labels, q->key);
    if (q->op == SELECTOR_EXISTS || q->op == SELECTOR_ABSENT)
        return (label != NULL) == (q->op == SELECTOR_EXISTS);
    bool found = false;
    for (size_t i = 0; label && i < q->n_values; i++)
        found = found || str_eq(json_text(label, STR_EMPTY), q->values[i]);
    return found == (q->op == SELECTOR_IN);
}

bool selector_matches(const struct selector *selector, const struct json *labels)
{
    for (size_t i = 0; i < selector->n; i++) {
        if (!holds(&selector->requirements[i], labels))
            return false;
    }
    return true;
}

const struct selector *selector_copy(struct arena *a, const struct selector *selector)
{
    struct selector *copy = arena_make(a, struct selector);
    struct selector_requirement *list = arena_make_n(a, struct selector_requirement, selector->n);
    for (size_t i = 0; i < selector->n; i++) {
        const struct selector_requirement *from = &selector->requirements[i];
        struct str *values = arena_make_n(a, struct str, from->n_values);
        for (size_t k = 0; k < from->n_values; k++)
            values[k] = arena_str(a, from->values[k]);
        list[i] = (struct selector_requirement){arena_str(a, from->key), from->op, values, from->n_values};
    }
    *copy = (struct selector){list, selector->n};
    return copy;
}
