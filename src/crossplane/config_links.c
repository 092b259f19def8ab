/* Turns links from link tables into field rules for references, before those of the file. */
#include "base/file.h"
#include "crossplane/config.h"
#include "links/links.h"
#include "links/place.h"

enum { MAX_ALTERNATIVES = 16 };

struct linker {
    struct xp_config *config;
    const struct provider_schema *schema;
    struct link_table table;
    struct arena *scratch;         /* for one type */
    const struct schema *source;   /* of the current type */
    struct xp_resource_config own; /* its configuration */
    struct map targets;            /* type -> its configuration */
    struct xp_linked_rules *rules; /* NULL: the type has none yet */
};

/* --- reading --- */

/* The path relative to the folder of the configuration. */
static const char *path_of(const struct xp_config *c, const struct xp_config_file_name *file)
{
    struct str folder = str_of(file->source->name), name = file->name;
    while (folder.n > 0 && folder.p[folder.n - 1] != '/')
        folder.n--;
    if (name.p[0] == '/')
        return name.p;
    return arena_printf(c->arena, STR_FMT STR_FMT, STR_ARG(folder), STR_ARG(name)).p;
}

static bool read_tables(struct linker *l, struct diags *diags)
{
    bool ok = true;
    links_init(&l->table, l->config->arena);
    for (size_t i = 0; i < l->config->links.n; i++) {
        const char *path = path_of(l->config, &l->config->links.v[i]);
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        struct diags why;
        struct str text;
        diags_init(&why, scratch);
        if (file_read(scratch, path, LINKS_MAX_FILE, &why, &text))
            ok &= links_read(&l->table, text, path, diags);
        else
            ok = diags_fail(diags, "No link table", "%s:%u:%u: " STR_FMT, l->config->links.v[i].source->name,
                            l->config->links.v[i].line, l->config->links.v[i].column, STR_ARG(why.v[0].detail));
    }
    return ok;
}

/* --- the other end --- */

static const struct xp_resource_config *target_config(struct linker *l, struct str type)
{
    struct xp_resource_config *c = map_get(&l->targets, type);
    if (c)
        return c;
    c = arena_make(l->config->arena, struct xp_resource_config);
    xp_config_resolve(l->config, l->config->arena, type, FLAVOUR_NAMESPACED, c);
    map_put(&l->targets, arena_str(l->config->arena, type), c);
    return c;
}

/* The attribute that is the external name; empty if that is the id or not an attribute. */
static struct str name_attribute(const struct xp_external_name *e)
{
    switch (e->strategy) {
    case EXTERNAL_NAME_NAME:
        return STR("name");
    case EXTERNAL_NAME_PARAMETER:
    case EXTERNAL_NAME_TEMPLATE:
    case EXTERNAL_NAME_COMPUTED:
        return e->field;
    case EXTERNAL_NAME_PROVIDER:
    case EXTERNAL_NAME_CUSTOM:
        break;
    }
    return STR_EMPTY;
}

static bool is_external_name(const struct xp_external_name *e, struct str attribute)
{
    bool is_id =
        e->strategy == EXTERNAL_NAME_PROVIDER || e->strategy == EXTERNAL_NAME_NAME || e->strategy == EXTERNAL_NAME_PARAMETER;
    return str_eqz(attribute, "id") ? is_id : str_eq(attribute, name_attribute(e));
}

/* Can a controller read this attribute of another object? If so, *ret_name says whether it is the external name. */
static bool can_read(struct linker *l, const struct link_rule *rule, bool *ret_name)
{
    const struct schema *s = map_get(&l->schema->resources, rule->target);
    struct link_place place;
    struct xp_field_settings settings;
    if (!s || !xp_config_includes(l->config, rule->target))
        return false;
    const struct xp_resource_config *config = target_config(l, rule->target);
    *ret_name = is_external_name(&config->external_name, rule->attribute);
    if (*ret_name || str_eqz(rule->attribute, "id"))
        return true;
    if (str_find(rule->attribute, '.', 0) != SIZE_MAX ||
        link_place_find(l->scratch, s->block, rule->attribute, PLACE_OF_TABLE, &place) != PLACE_FOUND)
        return false;
    bool single = place.shape->kind == TYPE_STRING || place.shape->kind == TYPE_NUMBER;
    bool hidden =
        xp_config_field_peek(config, rule->attribute, &settings) && (settings.omit == SAID_YES || settings.sensitive == SAID_YES);
    return single && !place.sensitive && !hidden;
}

/* --- one argument --- */

static bool is_text(const struct type *t)
{
    bool list = t->kind == TYPE_LIST || t->kind == TYPE_SET;
    return t->kind == TYPE_STRING || (list && t->element->kind == TYPE_STRING);
}

/* No sibling of the argument may have the name of its reference or selector field. */
static bool has_room(struct linker *l, const struct link_place *p)
{
    static const char *const endings[] = {"_ref", "_refs", "_selector"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct link_place there;
        struct str name = arena_printf(l->scratch, STR_FMT "%s", STR_ARG(p->path), endings[i]);
        if (link_place_find(l->scratch, l->source->block, name, PLACE_OF_TABLE, &there) != PLACE_NO_NAME)
            return false;
    }
    return true;
}

static bool may_refer(struct linker *l, const struct link_place *p)
{
    struct xp_field_settings settings;
    if (!p->settable || p->sensitive || !is_text(p->shape) || str_eqz(p->path, "id") || str_starts(p->path, STR("timeouts.")))
        return false;
    if (!xp_config_field_peek(&l->own, p->path, &settings))
        return true;
    return settings.omit != SAID_YES && settings.sensitive != SAID_YES && !settings.reference &&
           (settings.type == SCALAR_UNSET || settings.type == SCALAR_STRING);
}

static void add_rule(struct linker *l, struct str path, const struct link_rule *link, bool by_name)
{
    struct arena *a = l->config->arena;
    struct xp_reference_rule *reference = arena_make(a, struct xp_reference_rule);
    reference->to = link->target;
    reference->attribute = by_name ? STR_EMPTY : link->attribute;
    reference->function = reference->ref = reference->selector = STR_EMPTY;
    if (!l->rules)
        l->rules = arena_make(a, struct xp_linked_rules);
    struct xp_field_rule *rule = VEC_PUSH(a, l->rules);
    rule->pattern = arena_str(a, path);
    rule->implied = true;
    rule->set.reference = reference;
}

/* Uses the first WHOLE link whose other end can be read. */
static bool link_argument(void *ctx, const struct link_place *p)
{
    struct linker *l = ctx;
    const struct link_rule *found[MAX_ALTERNATIVES];
    size_t n = links_find_all(&l->table, l->own.type, p->path, found, MAX_ALTERNATIVES);
    if (n == 0 || !may_refer(l, p) || !has_room(l, p))
        return true;
    for (size_t i = 0; i < n; i++) {
        bool by_name, itself = str_eq(found[i]->target, l->own.type) && str_eq(found[i]->attribute, p->path);
        if (found[i]->kind != LINK_WHOLE || itself || !can_read(l, found[i], &by_name))
            continue;
        add_rule(l, p->path, found[i], by_name);
        break;
    }
    return true;
}

bool xp_config_link(struct xp_config *c, const struct provider_schema *schema, struct diags *diags)
{
    if (c->links.n == 0)
        return true;
    struct linker l = {.config = c, .schema = schema};
    if (!read_tables(&l, diags))
        return false;
    struct map linked;
    map_init(&linked, c->arena);
    map_init(&l.targets, c->arena);
    l.scratch = arena_new(NULL, 0);
    for (size_t i = 0; i < schema->resources.n; i++) {
        struct str type = schema->resources.entries[i].key;
        if (!xp_config_includes(c, type))
            continue;
        arena_reset(l.scratch);
        xp_config_resolve(c, l.scratch, type, FLAVOUR_NAMESPACED, &l.own);
        l.source = schema->resources.entries[i].value;
        l.rules = NULL;
        (void)link_places(l.source->block, link_argument, &l);
        if (l.rules)
            map_put(&linked, arena_str(c->arena, type), l.rules);
    }
    arena_free(l.scratch);
    c->linked = linked;
    return true;
}
