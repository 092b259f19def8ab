/* Reports rules that never matched: mostly typos, so it suggests a correction. */
#include "crossplane/tree.h"

static struct str did_you_mean(struct arena *a, struct str meant)
{
    return meant.n > 0 ? arena_printf(a, "; did you mean \"" STR_FMT "\"?", STR_ARG(meant)) : STR(".");
}

static void unused_type(const struct xp_config_source *from, struct str pattern, uint32_t line, const char *where,
                        const struct map *types, struct diags *diags)
{
    struct str hint = did_you_mean(diags->arena, map_closest(types, pattern));
    diags_fail(diags, "Unused rule", "%s:%u: \"" STR_FMT "\" under \"%s\" matches no resource type that is generated" STR_FMT,
               from->name, line, STR_ARG(pattern), where, STR_ARG(hint));
}

/* A file may have rules for data sources that are not generated in this run. */
static bool is_left_out(struct str pattern, const struct map *types)
{
    const struct str data = STR(DATA_SOURCE_PREFIX);
    return str_starts(pattern, data) && (types->n == 0 || !str_starts(types->entries[types->n - 1].key, data));
}

static void unused_list(const struct pattern_list *list, const char *where, const struct map *types, struct diags *diags)
{
    for (size_t i = 0; i < list->n && !list->source->shipped; i++)
        if (!list->used[i] && !is_left_out(list->v[i], types))
            unused_type(list->source, list->v[i], list->lines[i], where, types, diags);
}

static void unused_field(const struct xp_resource_rule *rule, const struct xp_field_rule *f, const struct map *types,
                         struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct schema *schema = map_get(types, rule->pattern);
    struct str pattern = str_starts(f->pattern, STR("**.")) ? str_slice(f->pattern, 3, f->pattern.n) : f->pattern;
    struct str hint = did_you_mean(scratch, schema ? xp_tree_closest(scratch, schema, pattern) : STR_EMPTY);
    diags_fail(diags, "Unused rule", "%s:%u: %s " STR_FMT " has no field \"" STR_FMT "\"" STR_FMT, rule->source->name, f->line,
               rule->exact ? "resource type" : "no type that matches", STR_ARG(rule->pattern), STR_ARG(pattern), STR_ARG(hint));
}

static void unused_parts(const struct xp_resource_rule *rule, const struct map *types, struct diags *diags)
{
    for (size_t i = 0; i < rule->fields.n; i++)
        if (!rule->fields.v[i].used)
            unused_field(rule, &rule->fields.v[i], types, diags);
    for (size_t i = 0; i < rule->added.n; i++)
        if (!rule->added.v[i].used)
            diags_fail(diags, "Unused rule", "%s:%u: there is nothing to add \"" STR_FMT "\" to in " STR_FMT " of " STR_FMT ".",
                       rule->source->name, rule->added.v[i].line, STR_ARG(rule->added.v[i].path), STR_ARG(rule->added.v[i].tree),
                       STR_ARG(rule->pattern));
}

bool xp_config_check_used(const struct xp_config *c, const struct map *types, struct diags *diags)
{
    size_t before = diags->n_errors;
    unused_list(&c->include, "include", types, diags);
    unused_list(&c->exclude, "exclude", types, diags);
    for (size_t i = 0; i < c->rules.n; i++) {
        const struct xp_resource_rule *rule = &c->rules.v[i];
        if (rule->source->shipped)
            continue;
        if (rule->used)
            unused_parts(rule, types, diags);
        else if (rule->flavour == FLAVOUR_BOTH && !is_left_out(rule->pattern, types))
            unused_type(rule->source, rule->pattern, rule->line, "resources", types, diags);
    }
    return diags->n_errors == before;
}
