/* x-kubernetes-validations: evaluates the rules of all values. */
#include "admission/cel.h"
#include "admission/check_private.h"

/* A value, its old value, and the nearest enclosing part of the object whose old value is known. */
struct pair {
    const struct json *now, *before;
    const struct json *around_now, *around_before;
};

static void walk(struct checker *c, const struct openapi *s, struct pair p, const struct at *at);

/* `before` NULL: the old value is unknown. */
static struct pair below(struct pair p, const struct json *now, const struct json *before)
{
    bool known = p.before != NULL;
    return (struct pair){now, before, known ? p.now : p.around_now, known ? p.before : p.around_before};
}

/* Unchanged values stay accepted, even if rules have become stricter. */
static bool is_unchanged(struct pair p)
{
    if (p.before)
        return json_eq(p.now, p.before);
    return p.around_before && json_eq(p.around_now, p.around_before);
}

static void tell_unknown(struct checker *c, const struct openapi_rule *r, const struct at *at)
{
    problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Rule that cannot be checked",
                "has a rule in its schema that is not understood here, so that nothing can be accepted: " STR_FMT "\n(" STR_FMT
                ").",
                STR_ARG(r->text), STR_ARG(r->unknown));
}

static void tell_failed(struct checker *c, const struct openapi_rule *r, enum cel_verdict verdict, struct str why,
                        const struct at *at)
{
    struct arena *a = c->problems->arena;
    struct str said = r->message.n > 0 ? r->message : r->text;
    if (verdict == CEL_ERROR)
        problem_add_below(c->problems, PROBLEM_ERROR, at, PATH_ROOT, "Rule that failed",
                          arena_printf(a, "has a rule that could not be evaluated, because " STR_FMT ": " STR_FMT ".",
                                       STR_ARG(why), STR_ARG(said)));
    else
        problem_add_below(c->problems, PROBLEM_ERROR, at, r->field, "Invalid value",
                          arena_printf(a, "is not valid: " STR_FMT ".", STR_ARG(said)));
}

static void check_rule(struct checker *c, const struct openapi *s, const struct openapi_rule *r, struct pair p,
                       const struct at *at)
{
    struct str why = STR_EMPTY;
    if (r->unknown.n > 0) {
        tell_unknown(c, r, at);
        return;
    }
    bool was = p.before && p.before->kind != JSON_NULL;
    if (r->uses_old && !was)
        return;
    arena_reset(c->scratch);
    struct cel_data self = {p.now, s}, old = {was ? p.before : NULL, s};
    enum cel_verdict verdict = cel_eval(c->scratch, r->expression, self, old, &why);
    if (verdict == CEL_TRUE || (verdict == CEL_FALSE && !r->uses_old && is_unchanged(p)))
        return;
    tell_failed(c, r, verdict, why, at);
}

static void walk_array(struct checker *c, const struct openapi *s, struct pair p, const struct at *at)
{
    if (!s->items || !s->items->has_rules)
        return;
    const struct map *before = check_elements(c->arena, s, p.before);
    for (size_t i = 0; i < p.now->array.n; i++) {
        struct at here = at_index(at, i);
        const struct json *item = p.now->array.items[i];
        walk(c, s->items, below(p, item, before ? map_get(before, openapi_list_key(c->arena, s, item)) : NULL), &here);
    }
}

static void walk(struct checker *c, const struct openapi *s, struct pair p, const struct at *at)
{
    if (!s || !s->has_rules || p.now->kind == JSON_NULL)
        return;
    for (size_t i = 0; i < s->n_rules; i++)
        check_rule(c, s, &s->rules[i], p, at);
    if (p.now->kind == JSON_ARRAY)
        walk_array(c, s, p, at);
    for (size_t i = 0; p.now->kind == JSON_OBJECT && i < p.now->object.n; i++) {
        const struct json_member *m = &p.now->object.members[i];
        const struct openapi *of = openapi_property(s, m->key);
        struct at here = of ? at_name(at, m->key) : at_key(at, m->key);
        walk(c, of ? of : s->additional, below(p, m->value, p.before ? json_get_str(p.before, m->key) : NULL), &here);
    }
}

void check_rules(struct checker *c, const struct openapi *s, const struct json *object, const struct json *old)
{
    struct at root = {0};
    walk(c, s, (struct pair){.now = object, .before = old}, &root);
}
