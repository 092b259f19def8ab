#include "crossplane/catalogue.h"

#include "schema/schema_check.h"

bool xp_catalogue_wants(const struct xp_catalogue *c, struct str type)
{
    bool included = xp_config_includes(c->config, type);
    return included && (c->only.n == 0 || link_pattern_match(c->only, type));
}

/* --- which types --- */

/* Schema names become names in Go, YAML and file paths, so a name that Terraform would not allow is refused. */
static bool is_named(struct xp_catalogue *c, struct arena *scratch, struct str type, struct str own, const struct schema *schema)
{
    struct str path;
    if (!schema_bad_name(scratch, own, schema, &path))
        return true;
    if (xp_catalogue_wants(c, type))
        xp_notes_add(c->notes, NOTE_REFUSED, type, path,
                     "Left out: %s is not a name that Terraform can write: expected letters, digits, _ and -. This is a bug in "
                     "the provider.",
                     path.n > 0 ? "this" : "its type");
    return false;
}

static struct xp_kind names_of(const struct xp_catalogue *c, struct arena *scratch, struct str type, bool *ret_chosen)
{
    struct xp_resource_config config;
    struct xp_kind k = {.terraform_type = type};
    xp_config_resolve(c->config, scratch, type, FLAVOUR_NAMESPACED, &config);
    xp_kind_names(scratch, &config, &k);
    *ret_chosen = config.plural.n > 0;
    return k;
}

/* The names derived from it must be valid for an API server. */
static bool is_kind(struct xp_catalogue *c, struct arena *scratch, struct str type)
{
    bool chosen;
    struct xp_kind k = names_of(c, scratch, type, &chosen);
    const char *what = k.group.n > 0 && !xp_name_is_domain(k.group) ? "group"
                       : !xp_name_is_kind(k.kind)                   ? "kind"
                       : !xp_name_is_label(k.plural)                ? "plural"
                                                                    : NULL;
    if (!what)
        return true;
    if (xp_catalogue_wants(c, type))
        xp_notes_add(c->notes, NOTE_REFUSED, type, STR_EMPTY,
                     "Left out: the %s made of its name is not valid in Kubernetes. Set another one in the configuration.", what);
    return false;
}

/* `own`: the name in the schema, without the prefix of data sources. */
static void collect(struct xp_catalogue *c, struct arena *scratch, struct str type, struct str own, const struct schema *schema)
{
    arena_reset(scratch);
    if (is_named(c, scratch, type, own, schema) && is_kind(c, scratch, type))
        map_put(&c->types, type, (void *)schema);
}

static struct str data_source_name(struct arena *a, struct str own)
{
    const struct str prefix = STR(DATA_SOURCE_PREFIX);
    char *name = arena_alloc(a, prefix.n + own.n + 1, 1);
    memcpy(name, prefix.p, prefix.n);
    if (own.n > 0)
        memcpy(name + prefix.n, own.p, own.n);
    name[prefix.n + own.n] = '\0';
    return (struct str){name, prefix.n + own.n};
}

void xp_catalogue_collect(struct xp_catalogue *c, struct arena *a, const struct provider_schema *schema,
                          const struct xp_config *config, bool data_sources, struct str only, struct xp_notes *notes)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    *c = (struct xp_catalogue){.arena = a, .config = config, .only = only, .notes = notes};
    map_init(&c->types, a);
    map_init(&c->by_kind, a);
    map_init(&c->by_plural, a);
    map_init(&c->plurals, a);
    map_init(&c->list_kinds, a);
    for (size_t i = 0; i < schema->resources.n; i++)
        collect(c, scratch, schema->resources.entries[i].key, schema->resources.entries[i].key,
                schema->resources.entries[i].value);
    for (size_t i = 0; data_sources && i < schema->data_sources.n; i++) {
        struct str own = schema->data_sources.entries[i].key;
        collect(c, scratch, data_source_name(a, own), own, schema->data_sources.entries[i].value);
    }
}

/* --- their names --- */

static bool claim(struct xp_catalogue *c, struct map *names, struct str name, struct str type, const char *what,
                  struct diags *diags)
{
    if (map_add(names, arena_str(c->arena, name), (void *)type.p))
        return true;
    return diags_fail(diags, "Duplicate kind",
                      "%s and " STR_FMT " would both be %s \"" STR_FMT "\". Give one of them another %s in the configuration, or "
                      "leave it out (exclude).",
                      (const char *)map_get(names, name), STR_ARG(type), what, STR_ARG(name), what);
}

static struct str resource_name(struct arena *a, struct str plural, struct str group)
{
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(plural), STR_ARG(group));
}

/*
 * LFTag and LFTags have the same plural. The kind whose name is already a plural gets a different one, whatever else is
 * generated,
 * unless the configuration names its plural.
 */
static bool claim_plural(struct xp_catalogue *c, struct arena *scratch, const struct xp_kind *k, bool chosen, struct diags *diags)
{
    struct str name = resource_name(scratch, k->plural, k->group);
    const char *other = map_get(&c->by_plural, name);
    if (!other || chosen || !str_eq(k->plural, k->singular))
        return claim(c, &c->by_plural, name, k->terraform_type, "plural", diags);
    struct str plural = arena_printf(c->arena, STR_FMT "es", STR_ARG(k->plural));
    map_put(&c->plurals, k->terraform_type, (void *)plural.p);
    xp_notes_add(c->notes, NOTE_REPRESENTED, k->terraform_type, STR_EMPTY,
                 "Its plural is " STR_FMT ", because " STR_FMT " belongs to %s.", STR_ARG(plural), STR_ARG(name), other);
    return claim(c, &c->by_plural, resource_name(scratch, plural, k->group), k->terraform_type, "plural", diags);
}

/*
 * Within a group, kinds and list kinds must have distinct names. `name` is GROUP/FooList, which is also a kind: so the list
 * kind of Foo becomes FooList2.
 */
static void choose_list_kind(struct xp_catalogue *c, struct str name, const char *type)
{
    const struct str ending = STR("List");
    struct str group_and_kind = str_slice(name, 0, name.n - ending.n), list = name, chosen = name;
    const char *foo = map_get(&c->by_kind, group_and_kind);
    if (!foo)
        return;
    (void)str_cut(&list, '/');
    for (unsigned i = 2; map_get(&c->by_kind, chosen); i++)
        chosen = arena_printf(c->arena, STR_FMT "%u", STR_ARG(name), i);
    (void)str_cut(&chosen, '/');
    map_put(&c->list_kinds, str_of(foo), (void *)chosen.p);
    xp_notes_add(c->notes, NOTE_REPRESENTED, str_of(foo), STR_EMPTY,
                 "The kind of its lists is " STR_FMT ", because " STR_FMT " is the kind of %s.", STR_ARG(chosen), STR_ARG(list),
                 type);
}

static void choose_list_kinds(struct xp_catalogue *c)
{
    for (size_t i = 0; i < c->by_kind.n; i++)
        if (str_ends(c->by_kind.entries[i].key, STR("List")))
            choose_list_kind(c, c->by_kind.entries[i].key, c->by_kind.entries[i].value);
}

static bool claim_names(struct xp_catalogue *c, struct arena *scratch, const struct xp_kind *k, bool chosen, struct diags *diags)
{
    struct str kind = arena_printf(scratch, STR_FMT "/" STR_FMT, STR_ARG(k->group), STR_ARG(k->kind));
    return claim(c, &c->by_kind, kind, k->terraform_type, "kind", diags) && claim_plural(c, scratch, k, chosen, diags);
}

/* Names all types that the configuration includes, so that names do not depend on what is generated in this run. */
bool xp_catalogue_claim(struct xp_catalogue *c, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0), *marks ARENA_AUTO = arena_new(NULL, 0);
    bool ok = true, *second = arena_make_n(marks, bool, c->types.n); /* marks types whose name is a plural, for the second pass */
    for (int plurals = 0; plurals < 2; plurals++)                    /* names that are already plurals come second */
        for (size_t i = 0; i < c->types.n; i++) {
            struct str type = c->types.entries[i].key;
            if ((plurals && !second[i]) || !xp_config_includes(c->config, type))
                continue;
            arena_reset(scratch);
            bool chosen;
            struct xp_kind k = names_of(c, scratch, type, &chosen);
            second[i] = str_eq(k.plural, k.singular);
            if (second[i] == plurals)
                ok &= claim_names(c, scratch, &k, chosen, diags);
        }
    choose_list_kinds(c);
    return ok;
}

void xp_catalogue_name(const struct xp_catalogue *c, struct xp_kind *k)
{
    const char *plural = map_get(&c->plurals, k->terraform_type);
    const char *list_kind = map_get(&c->list_kinds, k->terraform_type);
    if (plural)
        k->plural = str_of(plural);
    if (list_kind)
        k->list_kind = str_of(list_kind);
}
