/* Finds the type that a request names, or adds core's error with a suggestion. */
#include "engine/call_private.h"

enum { NEAR = 3 }; /* a name closer than this is suggested, as by core */

/* The provider as users write it: without the default registry. */
static struct str display_name(struct str address)
{
    static const char *const hosts[] = {"registry.terraform.io/", "registry.opentofu.org/"};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
        if (str_starts(address, str_of(hosts[i])))
            return str_slice(address, strlen(hosts[i]), address.n);
    return address;
}

static const char *near_name(struct arena *a, const struct map *names, struct str typed)
{
    for (size_t i = 0; i < names->n; i++)
        if (str_distance(names->entries[i].key, typed) < NEAR)
            return arena_printf(a, " Did you mean \"" STR_FMT "\"?", STR_ARG(names->entries[i].key)).p;
    return "";
}

/* The kind of type that was asked for. */
struct type_lookup {
    const struct map *types;
    const char *prefix;  /* of the address */
    const char *summary; /* of the error */
    const char *noun;
    const struct map *others; /* where the name may be found instead; NULL: nowhere */
    const char *advice;       /* format of the advice if the name is found there */
};

static bool find(struct engine *e, const struct type_lookup *kind, struct str type, struct str name, struct resource *ret)
{
    const struct schema *schema = map_get(kind->types, type);
    if (!schema) {
        const char *suggestion;
        if (kind->others && map_get(kind->others, type))
            suggestion = arena_printf(e->arena,
                                      "\n\nDid you intend to use the %s \"" STR_FMT
                                      "\"? If so, declare this using a \"%s\" block instead of a \"%s\" block.",
                                      kind->advice, STR_ARG(type), kind->prefix[0] ? "resource" : "data",
                                      kind->prefix[0] ? "data" : "resource")
                             .p;
        else
            suggestion = near_name(e->arena, kind->types, type);
        struct str provider = display_name(e->provider_address);
        (void)engine_fail(e, kind->summary, "The provider " STR_FMT " does not support %s \"" STR_FMT "\".%s", STR_ARG(provider),
                          kind->noun, STR_ARG(type), suggestion);
        return false;
    }
    *ret = (struct resource){
        .type = type,
        .address = arena_printf(e->arena, "%s" STR_FMT "." STR_FMT, kind->prefix, STR_ARG(type), STR_ARG(name)),
        .schema = schema,
        .identity = map_get(&e->schema->identities, type),
    };
    return true;
}

bool engine_resource(struct engine *e, struct str type, struct str name, struct resource *ret)
{
    struct type_lookup kind = {&e->schema->resources,    "",           "Invalid resource type", "resource type",
                               &e->schema->data_sources, "data source"};
    return find(e, &kind, type, name, ret);
}

bool engine_data_source(struct engine *e, struct str type, struct str name, struct resource *ret)
{
    struct type_lookup kind = {&e->schema->data_sources, "data.", "Invalid data source", "data source", &e->schema->resources,
                               "managed resource type"};
    return find(e, &kind, type, name, ret);
}

bool engine_ephemeral(struct engine *e, struct str type, struct str name, struct resource *ret)
{
    struct type_lookup kind = {&e->schema->ephemerals, "ephemeral.", "Invalid ephemeral resource",
                               "ephemeral resource",   NULL,         NULL};
    return find(e, &kind, type, name, ret);
}

bool engine_list_resource(struct engine *e, struct str type, struct str name, struct resource *ret)
{
    struct type_lookup kind = {&e->schema->lists, "list.", "Invalid list resource", "list resource", NULL, NULL};
    return find(e, &kind, type, name, ret);
}
