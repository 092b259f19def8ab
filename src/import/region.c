#include "import/region.h"

const struct import_region *import_region_named(const struct import_regions *all, struct str name)
{
    for (size_t i = 0; name.n > 0 && i < all->n; i++)
        if (str_eq(all->v[i].name, name))
            return &all->v[i];
    return NULL;
}

const struct json *import_config_in(struct arena *a, const struct json *config, struct str region)
{
    size_t n = config && config->kind == JSON_OBJECT ? config->object.n : 0, kept = 0;
    struct json_member *members = arena_make_n(a, struct json_member, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!str_eqz(config->object.members[i].key, "region"))
            members[kept++] = config->object.members[i];
    members[kept++] = (struct json_member){.key = STR("region"), .value = json_make_string(a, region)};
    return json_make_object(a, members, kept);
}
