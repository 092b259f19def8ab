/* Checks the names that an expression uses, before its first evaluation. */
#include "admission/cel_private.h"
#include "admission/schema_private.h"

/* A variable of a macro; `schema` NULL: type unknown. */
struct binding {
    const struct binding *up;
    struct str name;
    const struct openapi *schema;
};

struct checker {
    struct arena *arena;
    const struct openapi *self;
    struct str why;
};

static bool refuse(struct checker *c, struct str what, struct str name)
{
    c->why = arena_printf(c->arena, STR_FMT " \"" STR_FMT "\"", STR_ARG(what), STR_ARG(name));
    return false;
}

/* CEL has no type for values of unknown type, nor for lists or maps of them. */
static bool is_visible(const struct openapi *s)
{
    while (s && (s->type == SCHEMA_ARRAY || (s->type == SCHEMA_OBJECT && !s->properties && s->has_additional)))
        s = s->type == SCHEMA_ARRAY ? s->items : s->additional;
    return s && s->type != SCHEMA_ANY;
}

static bool check_field(struct checker *c, const struct openapi *s, struct str name, const struct openapi **ret)
{
    struct str plain = name;
    *ret = NULL;
    if (!s)
        return true;
    if (s->type == SCHEMA_OBJECT && !s->properties && s->has_additional) {
        *ret = s->additional;
        return true;
    }
    if (s->type != SCHEMA_OBJECT || !cel_unescape(c->arena, name, &plain) || !is_visible(openapi_property(s, plain)))
        return refuse(c, STR("there is no field that rules can see called"), name);
    *ret = openapi_property(s, plain);
    return true;
}

static bool check_name(struct checker *c, const struct binding *bound, struct str name, const struct openapi **ret)
{
    for (; bound; bound = bound->up)
        if (str_eq(bound->name, name)) {
            *ret = bound->schema;
            return true;
        }
    *ret = c->self;
    return str_eqz(name, "self") || str_eqz(name, "oldSelf") || refuse(c, STR("there is no variable"), name);
}

static const struct openapi *element_of(const struct openapi *s)
{
    return !s ? NULL : s->type == SCHEMA_ARRAY ? s->items : s->type == SCHEMA_OBJECT && !s->properties ? s->additional : NULL;
}

/* *ret: the schema of the result, NULL when it is not a part of an object. */
static bool check(struct checker *c, const struct cel *e, const struct binding *bound, const struct openapi **ret)
{
    const struct openapi *first = NULL, *other = NULL;
    *ret = NULL;
    if (e->op == CEL_IDENT)
        return check_name(c, bound, e->name, ret);
    if (e->n > 0 && !check(c, e->args[0], bound, &first))
        return false;
    /* The keys of a map are strings, which have no fields. */
    bool is_list = first && first->type == SCHEMA_ARRAY;
    struct binding own = {bound, e->name, is_list ? first->items : NULL};
    for (size_t i = 1; i < e->n; i++)
        if (!check(c, e->args[i], cel_binds(e) ? &own : bound, &other))
            return false;
    if (e->op == CEL_SELECT || e->op == CEL_HAS) {
        if (!check_field(c, first, e->name, &other))
            return false;
        *ret = e->op == CEL_SELECT ? other : NULL;
    }
    if (e->op == CEL_INDEX)
        *ret = element_of(first);
    return true;
}

bool cel_check(struct arena *a, const struct cel *e, const struct openapi *self, struct str *ret_why)
{
    struct checker c = {.arena = a, .self = self};
    const struct openapi *ignored;
    if (check(&c, e, NULL, &ignored))
        return true;
    *ret_why = c.why;
    return false;
}

bool cel_uses(const struct cel *e, const char *variable)
{
    if (e->op == CEL_IDENT && str_eqz(e->name, variable))
        return true;
    for (size_t i = 0; i < e->n; i++)
        if (cel_uses(e->args[i], variable))
            return true;
    return false;
}
