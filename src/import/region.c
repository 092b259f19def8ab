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
    return json_with(a, config, STR("region"), json_make_string(a, region));
}
