#include "links/check.h"

#include "links/pattern.h"
#include "links/place.h"

struct checker {
    struct arena *arena;
    const struct link_table *table;
    struct map types;    /* of all schemas: type -> const struct schema * */
    struct map prefixes; /* first words of the types */
    struct link_check *result;
};

static struct str first_word(struct str type)
{
    return str_cut(&type, '_');
}

/* --- problems --- */

__attribute__((format(printf, 4, 5))) static bool add(struct checker *c, const struct link_rule *rule, bool error,
                                                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *VEC_PUSH(c->arena, &c->result->problems) = (struct link_problem){rule, error, arena_vprintf(c->arena, format, args)};
    va_end(args);
    return false;
}

static struct str did_you_mean(struct checker *c, struct str meant)
{
    return meant.n > 0 ? arena_printf(c->arena, "; did you mean \"" STR_FMT "\"?", STR_ARG(meant)) : STR(".");
}

static bool unknown_type(struct checker *c, const struct link_rule *rule, struct str type)
{
    return add(c, rule, true, "there is no resource type \"" STR_FMT "\"" STR_FMT, STR_ARG(type),
               STR_ARG(did_you_mean(c, map_closest(&c->types, type))));
}

static bool no_place(struct checker *c, const struct link_rule *rule, struct str type, const char *what,
                     enum link_place_result result, const struct link_place *p)
{
    switch (result) {
    case PLACE_NO_MARKS:
        if (p->closest.n > 0)
            return add(c, rule, true, "\"" STR_FMT "\" of " STR_FMT " is %s: write \"" STR_FMT STR_FMT "\".", STR_ARG(p->step),
                       STR_ARG(type), str_eqz(p->closest, "{}") ? "a map" : "a list", STR_ARG(p->step), STR_ARG(p->closest));
        return add(c, rule, true, "\"" STR_FMT "\" of " STR_FMT " is neither a list nor a map.", STR_ARG(p->step), STR_ARG(type));
    case PLACE_NO_VALUE:
        return add(c, rule, true, STR_FMT " has an object there, not a single value: name one of the arguments in it.",
                   STR_ARG(type));
    case PLACE_NO_NAME:
    case PLACE_FOUND:
        break;
    }
    return add(c, rule, true, STR_FMT " has no %s \"" STR_FMT "\"%s" STR_FMT, STR_ARG(type), what, STR_ARG(p->step),
               p->path.n > 0 ? " there" : "", STR_ARG(did_you_mean(c, p->closest)));
}

/* --- the ends of a rule --- */

static bool check_value(struct checker *c, const struct link_rule *rule, const struct link_place *p)
{
    if (rule->kind == LINK_NONE)
        return true;
    if (!p->settable)
        return add(c, rule, true, "\"" STR_FMT "\" of " STR_FMT " is computed by the provider: it cannot be set.",
                   STR_ARG(p->path), STR_ARG(rule->type));
    if (p->type->kind == TYPE_BOOL)
        return add(c, rule, true, "\"" STR_FMT "\" of " STR_FMT " is true or false: it cannot name an object.", STR_ARG(p->path),
                   STR_ARG(rule->type));
    return true;
}

static bool check_argument(struct checker *c, const struct link_rule *rule, const struct schema *s)
{
    struct link_place place;
    enum link_place_result result = link_place_find(c->arena, s->block, rule->path, PLACE_OF_TABLE, &place);
    if (result != PLACE_FOUND)
        return no_place(c, rule, rule->type, "argument", result, &place);
    return check_value(c, rule, &place);
}

struct search {
    const struct link_rule *rule;
    bool found;
};

/* Everything but the last name, which of a map may be the pattern of a key. */
static struct str without_key(struct str names)
{
    size_t n = names.n;
    while (n > 0 && names.p[n - 1] != '.')
        n--;
    return str_slice(names, 0, n > 0 ? n - 1 : 0);
}

static bool look_for_match(void *ctx, const struct link_place *place)
{
    struct search *s = ctx;
    struct str names = s->rule->names, map = place->shape->kind == TYPE_MAP ? without_key(names) : STR_EMPTY;
    s->found = place->settable &&
               (link_path_pattern_match(names, place->path) || (map.n > 0 && link_path_pattern_match(map, place->path)));
    return !s->found;
}

/* A rule with wildcards should match something. */
static bool check_pattern(struct checker *c, const struct link_rule *rule)
{
    struct search search = {.rule = rule};
    bool any_type = false;
    for (size_t i = 0; i < c->types.n && !search.found; i++) {
        if (!link_pattern_match(rule->type, c->types.entries[i].key))
            continue;
        const struct schema *s = c->types.entries[i].value;
        any_type = true;
        (void)link_places(s->block, look_for_match, &search);
    }
    if (!any_type)
        return add(c, rule, true, "no resource type matches \"" STR_FMT "\".", STR_ARG(rule->type));
    return search.found ||
           add(c, rule, true, "no type that matches \"" STR_FMT "\" has an argument that matches \"" STR_FMT "\".",
               STR_ARG(rule->type), STR_ARG(rule->path));
}

static bool check_target(struct checker *c, const struct link_rule *rule)
{
    const struct schema *s = map_get(&c->types, rule->target);
    struct link_place place;
    if (rule->kind == LINK_NONE || (!s && !map_get(&c->prefixes, first_word(rule->target))))
        return true;
    if (!s)
        return unknown_type(c, rule, rule->target);
    enum link_place_result result = link_place_find(c->arena, s->block, rule->attribute, PLACE_OF_TABLE, &place);
    if (result == PLACE_NO_NAME || result == PLACE_NO_MARKS)
        return no_place(c, rule, rule->target, "attribute", result, &place);
    return true;
}

/* --- the rule as a whole --- */

/* Could the schemas contain the rule's types? */
static bool is_checkable(const struct checker *c, const struct link_rule *rule)
{
    struct str word = first_word(rule->type);
    return link_pattern_is_open(word) || map_get(&c->prefixes, word) != NULL;
}

/* Is the rule among those that are looked at? */
static bool check_reach(struct checker *c, const struct link_rule *rule)
{
    const struct link_rule *found[LINKS_MAX_MATCHES];
    if (!rule->exact || rule->kind == LINK_NONE)
        return true;
    size_t n = links_find_all(c->table, rule->type, rule->path, found, LINKS_MAX_MATCHES);
    for (size_t i = 0; i < n; i++)
        if (found[i] == rule)
            return true;
    if (n == LINKS_MAX_MATCHES)
        return add(c, rule, false, "this rule has no effect: %d others for the argument come before it.", LINKS_MAX_MATCHES);
    return add(c, rule, false, "this rule has no effect: an earlier rule says the same, or says that there is no link.");
}

static void check_rule(struct checker *c, const struct link_rule *rule)
{
    const struct schema *s = map_get(&c->types, rule->type);
    (void)check_reach(c, rule);
    if (!is_checkable(c, rule)) {
        c->result->n_unchecked++;
        return;
    }
    bool good;
    if (!rule->exact && (!s || link_pattern_is_open(rule->names)))
        good = check_pattern(c, rule);
    else
        good = s ? check_argument(c, rule, s) : unknown_type(c, rule, rule->type);
    good &= check_target(c, rule);
    c->result->n_good += good;
    c->result->n_errors += !good;
}

void links_check(struct arena *a, const struct link_table *t, const struct provider_schema *const *schemas, size_t n,
                 struct link_check *ret)
{
    struct link_check result = {0};
    struct checker c = {.arena = a, .table = t, .result = &result};
    map_init(&c.types, a);
    map_init(&c.prefixes, a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < schemas[i]->resources.n; j++) {
            const struct map_entry *e = &schemas[i]->resources.entries[j];
            map_put(&c.types, e->key, e->value);
            map_put(&c.prefixes, first_word(e->key), e->value);
        }
    for (size_t i = 0; i < t->rules.n; i++)
        check_rule(&c, &t->rules.v[i]);
    *ret = result;
}
