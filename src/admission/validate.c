/*
 * Types, required fields, limits and alternatives. If no alternative holds, the API server reports the errors of the one with the
 * most successful checks; we count checks as it does.
 */
#include "admission/check_private.h"

#include <float.h>
#include <math.h>

static size_t validate(struct checker *c, const struct openapi *s, const struct json *v, const struct json *old,
                       const struct at *at);

const char *check_kind_name(const struct json *j)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",       [JSON_BOOL] = "a boolean", [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string", [JSON_ARRAY] = "a list",   [JSON_OBJECT] = "an object",
    };
    return names[j->kind];
}

static const char *type_name(enum openapi_type type)
{
    static const char *const names[] = {
        [SCHEMA_ANY] = "anything",           [SCHEMA_OBJECT] = "an object",
        [SCHEMA_ARRAY] = "a list",           [SCHEMA_STRING] = "a string",
        [SCHEMA_NUMBER] = "a number",        [SCHEMA_BOOLEAN] = "true or false",
        [SCHEMA_INTEGER] = "a whole number", [SCHEMA_INT_OR_STRING] = "a whole number or a string",
    };
    return names[type];
}

/* --- numbers --- */

/* By the server's rule: at most the largest integer that JavaScript represents exactly, with a little tolerance. */
static bool is_whole(double d)
{
    const double largest = 9007199254740991.0, tolerance = 1e-9;
    double size = fabs(d), whole = trunc(size), off = fabs(size - whole);
    if (!isfinite(d) || size > largest)
        return false;
    if (off == 0)
        return true;
    return size != 0 && whole != 0 && off / (size + whole) < tolerance;
}

/* For a whole number only the integer part of the factor counts; if that is 0, no number is a multiple. */
static bool is_multiple(const struct openapi_number *n, double of)
{
    if (n->is_integer && of < 9.2e18)
        return of >= 1 && n->integer % (int64_t)of == 0;
    return is_whole(of < 1 ? 1 / of * n->real : n->real / of);
}

/* A whole number is compared with the integer part of the limit. */
static int compare(const struct openapi_number *n, double limit)
{
    bool whole = n->is_integer && fabs(limit) < 9.2e18;
    if (whole)
        return (n->integer > (int64_t)limit) - (n->integer < (int64_t)limit);
    return (n->real > limit) - (n->real < limit);
}

static void check_number(struct checker *c, const struct openapi_limits *l, const struct json *v, const struct at *at)
{
    struct openapi_number n;
    if (!openapi_number_read(v->text, &n)) {
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Invalid value", "is out of the range of numbers.");
        return;
    }
    if (!l)
        return;
    int low = l->has_minimum ? compare(&n, l->minimum) : 1, high = l->has_maximum ? compare(&n, l->maximum) : -1;
    if (l->multiple_of > 0 && !is_multiple(&n, l->multiple_of))
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Invalid value", "must be a multiple of %g.", l->multiple_of);
    if (low < 0 || (low == 0 && l->exclusive_minimum))
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Invalid value", "must be %s %.15g.",
                    l->exclusive_minimum ? "greater than" : "at least", l->minimum);
    if (high > 0 || (high == 0 && l->exclusive_maximum))
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Invalid value", "must be %s %.15g.",
                    l->exclusive_maximum ? "less than" : "at most", l->maximum);
}

/* --- strings --- */

static void check_string(struct checker *c, const struct openapi_limits *l, struct str text, const struct at *at)
{
    if (!l)
        return;
    int64_t n = (int64_t)str_count_utf8(text);
    enum cfn_match match = l->pattern ? cfn_regex_match(l->pattern, text) : CFN_MATCH_YES;
    if (l->max_length >= 0 && n > l->max_length)
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Value too long",
                    "must not have more than %lld characters.", (long long)l->max_length);
    else if (l->min_length >= 0 && n < l->min_length)
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Value too short", "must have at least %lld characters.",
                    (long long)l->min_length);
    else if (match != CFN_MATCH_YES)
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Invalid value",
                    match == CFN_MATCH_NO ? "must match the pattern " STR_FMT "."
                                          : "cannot be matched in time with the pattern " STR_FMT ".",
                    STR_ARG(l->pattern_text));
    if (l->format && !l->format(text))
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Invalid value", "must have the format \"" STR_FMT "\".",
                    STR_ARG(l->format_name));
}

/* --- types and enums --- */

static bool has_type(const struct openapi *s, const struct json *v)
{
    struct openapi_number n;
    bool is_integer = v->kind == JSON_NUMBER && openapi_number_read(v->text, &n) && (n.is_integer || is_whole(n.real));
    switch (s->type) {
    case SCHEMA_ANY:
        return true;
    case SCHEMA_OBJECT:
        return v->kind == JSON_OBJECT;
    case SCHEMA_ARRAY:
        return v->kind == JSON_ARRAY;
    case SCHEMA_STRING:
        return v->kind == JSON_STRING;
    case SCHEMA_INTEGER:
        return is_integer;
    case SCHEMA_NUMBER:
        return v->kind == JSON_NUMBER;
    case SCHEMA_BOOLEAN:
        return v->kind == JSON_BOOL;
    case SCHEMA_INT_OR_STRING:
        return is_integer || v->kind == JSON_STRING;
    }
    return false;
}

static bool check_type(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at)
{
    bool ok = v->kind == JSON_NULL ? s->type == SCHEMA_ANY || s->nullable : has_type(s, v);
    if (!ok)
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Wrong type", "must be %s, not %s.", type_name(s->type),
                    v->kind == JSON_NUMBER ? "this number" : check_kind_name(v));
    return ok;
}

static struct str values_text(struct arena *a, const struct json *values)
{
    enum { MAX_TEXT = 1024 };
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct json_writer w = {.out = &text};
    for (size_t i = 0; i < values->array.n && buf_ok(&text); i++) {
        buf_addz(&text, i > 0 ? ", " : "");
        w.first = true;
        json_write(&w, values->array.items[i]);
    }
    return buf_ok(&text) ? buf_copy(&text, a) : STR("the values of its schema");
}

static void check_enum(struct checker *c, const struct openapi_limits *l, const struct json *v, const struct at *at)
{
    if (!l || !l->values || l->values->array.n == 0)
        return;
    for (size_t i = 0; i < l->values->array.n; i++)
        if (json_eq(v, l->values->array.items[i]))
            return;
    problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Unsupported value", "must be one of " STR_FMT ".",
                STR_ARG(values_text(c->problems->arena, l->values)));
}

/* --- containers --- */

/* Errors in an unchanged value are not reported. */
static size_t validate_below(struct checker *c, const struct openapi *s, const struct json *v, const struct json *old,
                             const struct at *at)
{
    struct problems mark = *c->problems;
    size_t matches = validate(c, s, v, old, at);
    if (old && c->problems->errors > mark.errors && json_eq(old, v))
        problems_back(c->problems, &mark);
    return matches;
}

const struct map *check_elements(struct arena *a, const struct openapi *s, const struct json *list)
{
    if (s->list != LIST_MAP || !list || list->kind != JSON_ARRAY)
        return NULL;
    struct map *elements = arena_make(a, struct map);
    map_init(elements, a);
    for (size_t i = 0; i < list->array.n; i++)
        map_put(elements, openapi_list_key(a, s, list->array.items[i]), (void *)(uintptr_t)list->array.items[i]);
    return elements;
}

static size_t validate_array(struct checker *c, const struct openapi *s, const struct json *v, const struct json *old,
                             const struct at *at)
{
    size_t matches = 1;
    int64_t n = (int64_t)v->array.n;
    const struct map *before = check_elements(c->arena, s, old);
    for (size_t i = 0; s->items && i < v->array.n; i++) {
        struct at here = at_index(at, i);
        const struct json *item = v->array.items[i];
        matches += validate_below(c, s->items, item, before ? map_get(before, openapi_list_key(c->arena, s, item)) : NULL, &here);
    }
    if (s->limits && s->limits->min_items >= 0 && n < s->limits->min_items)
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Too few items", "must have at least %lld items.",
                    (long long)s->limits->min_items);
    if (s->limits && s->limits->max_items >= 0 && n > s->limits->max_items)
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Too many items", "must not have more than %lld items.",
                    (long long)s->limits->max_items);
    return matches;
}

static size_t validate_members(struct checker *c, const struct openapi *s, const struct json *v, const struct json *old,
                               const struct at *at)
{
    size_t matches = 0;
    for (size_t i = 0; i < v->object.n; i++) {
        const struct json_member *m = &v->object.members[i];
        const struct openapi *below = openapi_property(s, m->key);
        struct at here = below ? at_name(at, m->key) : at_key(at, m->key);
        if (!below && s->has_additional)
            below = s->additional;
        if (below)
            matches += validate_below(c, below, m->value, old ? json_get_str(old, m->key) : NULL, &here);
    }
    return matches;
}

static size_t validate_object(struct checker *c, const struct openapi *s, const struct json *v, const struct json *old,
                              const struct at *at)
{
    int64_t n = (int64_t)v->object.n;
    if (s->limits && s->limits->min_properties >= 0 && n < s->limits->min_properties)
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Too few members", "must have at least %lld members.",
                    (long long)s->limits->min_properties);
    if (s->limits && s->limits->max_properties >= 0 && n > s->limits->max_properties)
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Too many members", "must not have more than %lld members.",
                    (long long)s->limits->max_properties);
    size_t matches = validate_members(c, s, v, old, at);
    for (size_t i = 0; i < s->required.n; i++) {
        struct at here = at_name(at, s->required.v[i]);
        if (!json_get_str(v, s->required.v[i]))
            problem_add(c->problems, PROBLEM_BLOCKING, &here, DIAG_AT_END, "Missing field", "is required.");
    }
    return matches;
}

/* --- alternatives --- */

/* Problems since a mark, set aside. */
struct failure {
    bool is_set;
    struct problems mark;
    const struct problem *v;
    size_t n, matches;
    struct problems after;
};

static void put_aside(struct checker *c, const struct problems *mark, size_t matches, struct failure *best)
{
    if (best->is_set && matches <= best->matches)
        return;
    size_t n = c->problems->n - mark->n;
    struct problem *copy = arena_make_n(c->problems->arena, struct problem, n);
    if (n > 0)
        memcpy(copy, c->problems->v + mark->n, n * sizeof *copy);
    *best = (struct failure){true, *mark, copy, n, matches, *c->problems};
}

static void tell_failure(struct checker *c, const struct failure *f)
{
    if (f->n > 0)
        memcpy(c->problems->v + c->problems->n, f->v, f->n * sizeof *f->v); /* they fitted before */
    c->problems->n += f->n;
    c->problems->errors += f->after.errors - f->mark.errors;
    c->problems->blocking += f->after.blocking - f->mark.blocking;
    c->problems->untold += f->after.untold - f->mark.untold;
}

/* At least one alternative must hold, and at most `most`. */
static size_t validate_alternatives(struct checker *c, const struct openapi_list *list, size_t most, const struct json *v,
                                    const struct json *old, const struct at *at)
{
    struct failure best = {0};
    size_t held = 0, matches = 0;
    struct problems mark = *c->problems;
    for (size_t i = 0; i < list->n && (held == 0 || most == 1); i++) {
        size_t n = validate(c, list->v[i], v, old, at);
        bool holds = c->problems->errors == mark.errors;
        if (holds && held++ == 0)
            matches = n;
        if (!holds && held == 0)
            put_aside(c, &mark, n, &best);
        problems_back(c->problems, &mark);
    }
    if (held == 0 && best.is_set) {
        tell_failure(c, &best);
        return best.matches;
    }
    if (held > most)
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Ambiguous value",
                    "fits %zu alternatives of its schema (oneOf); it must fit exactly one.", held);
    return held > most ? 0 : matches;
}

static size_t validate_parts(struct checker *c, const struct openapi_parts *p, const struct json *v, const struct json *old,
                             const struct at *at)
{
    size_t matches = 1;
    if (!p)
        return matches;
    if (p->any.n > 0)
        matches += validate_alternatives(c, &p->any, SIZE_MAX, v, old, at);
    if (p->one.n > 0)
        matches += validate_alternatives(c, &p->one, 1, v, old, at);
    for (size_t i = 0; i < p->all.n; i++)
        matches += validate(c, p->all.v[i], v, old, at);
    if (p->not_this) {
        struct problems mark = *c->problems;
        (void)validate(c, p->not_this, v, old, at);
        bool holds = c->problems->errors == mark.errors;
        problems_back(c->problems, &mark);
        if (holds)
            problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Invalid value",
                        "is just what its schema does not allow (not).");
    }
    return matches;
}

/* Returns how many checks succeeded: one for each kind of check that applies, plus the counts that these return. */
static size_t validate(struct checker *c, const struct openapi *s, const struct json *v, const struct json *old,
                       const struct at *at)
{
    bool type_ok = check_type(c, s, v, at);
    bool is_typed = s->type != SCHEMA_ANY;
    if (v->kind == JSON_NULL) {
        check_enum(c, s->limits, v, at);
        return type_ok;
    }
    size_t matches = is_typed ? (size_t)type_ok + 1 : 0;
    matches += validate_parts(c, s->parts, v, old, at) + 1;
    if (v->kind == JSON_STRING) {
        check_string(c, s->limits, v->text, at);
        matches += s->limits && s->limits->format ? 2 : 1;
    }
    if (v->kind == JSON_NUMBER) {
        check_number(c, s->limits, v, at);
        matches += 2;
    }
    if (v->kind == JSON_ARRAY)
        matches += validate_array(c, s, v, old, at) + 1;
    check_enum(c, s->limits, v, at);
    if (v->kind == JSON_OBJECT)
        matches += validate_object(c, s, v, old, at) + 1;
    return matches + 2; /* one for the enum, even without one, and one for the whole */
}

void check_schema(struct checker *c, const struct openapi *s, const struct json *object, const struct json *old)
{
    struct at root = {0};
    (void)validate_below(c, s, object, old, &root);
}
