#include "registry/find_places.h"

enum rank { RANK_TERRANE_MIRROR, RANK_MIRRORS, RANK_PLUGIN_CACHE, RANK_INSTALLED, RANK_WORKING_FOLDER };

struct builder {
    const struct find_context *c;
    struct arena *arena;
    struct search_places places;
};

struct str search_absolute(const struct find_context *c, struct arena *a, struct str path)
{
    if (path.n > 0 && path.p[0] == '/')
        return arena_str(a, path);
    return arena_printf(a, "%s/" STR_FMT, c->working_folder, STR_ARG(path));
}

static void add(struct builder *b, struct search_place place)
{
    place.folder = search_absolute(b->c, b->arena, place.folder);
    for (size_t i = 0; i < b->places.n; i++)
        if (str_eq(b->places.v[i].folder, place.folder) && !b->places.v[i].rule)
            return; /* searched already */
    *VEC_PUSH(b->arena, &b->places) = place;
}

static void add_implied(struct builder *b, struct str folder)
{
    add(b, (struct search_place){.kind = PLACE_MIRROR, .folder = folder, .origin = STR("implied"), .rank = RANK_MIRRORS});
}

/* The XDG specification says that relative paths are ignored. */
static bool is_xdg_folder(const char *path)
{
    return path && path[0] == '/';
}

static void add_xdg(struct builder *b)
{
    const struct find_context *c = b->c;
    if (is_xdg_folder(c->xdg_data_home)) {
        add_implied(b, arena_printf(b->arena, "%s/opentofu/plugins", c->xdg_data_home));
        add_implied(b, arena_printf(b->arena, "%s/terraform/plugins", c->xdg_data_home));
    } else if (c->home) {
        add_implied(b, arena_printf(b->arena, "%s/.local/share/terraform/plugins", c->home));
    }
    bool given = c->xdg_data_dirs && c->xdg_data_dirs[0] != '\0';
    struct str rest = given ? str_of(c->xdg_data_dirs) : STR("/usr/local/share:/usr/share");
    while (rest.n > 0) {
        struct str folder = str_cut(&rest, ':');
        if (folder.n > 0 && folder.p[0] == '/')
            add_implied(b, arena_printf(b->arena, STR_FMT "/terraform/plugins", STR_ARG(folder)));
    }
}

static void add_mirrors(struct builder *b)
{
    const struct cli_config *config = b->c->config;
    if (!config || !config->has_installation) {
        add_implied(b, STR("terraform.d/plugins"));
        if (b->c->home)
            add_implied(b, arena_printf(b->arena, "%s/.terraform.d/plugins", b->c->home));
        add_xdg(b);
        return;
    }
    for (size_t i = 0; i < config->n_methods; i++) {
        const struct install_method *rule = &config->methods[i];
        if (rule->kind != METHOD_FOLDER)
            continue;
        bool open = rule->n_include == 0 && rule->n_exclude == 0;
        add(b, (struct search_place){.kind = PLACE_MIRROR,
                                     .folder = rule->path,
                                     .origin = arena_printf(b->arena, "filesystem_mirror of " STR_FMT, STR_ARG(rule->file)),
                                     .rule = open ? NULL : rule,
                                     .named = true,
                                     .rank = RANK_MIRRORS});
    }
}

struct str search_plugin_cache(const struct find_context *c, struct arena *a)
{
    struct str folder = c->config ? c->config->plugin_cache_dir : STR_EMPTY;
    if (c->plugin_cache && c->plugin_cache[0] != '\0')
        folder = str_of(c->plugin_cache);
    return folder.n > 0 ? search_absolute(c, a, folder) : STR_EMPTY;
}

static void add_installed(struct builder *b)
{
    struct str cache = search_plugin_cache(b->c, b->arena);
    if (cache.n > 0)
        add(b, (struct search_place){
                   .kind = PLACE_PLUGIN_CACHE, .folder = cache, .origin = STR("plugin cache"), .rank = RANK_PLUGIN_CACHE});
    if (b->c->installed)
        add(b, (struct search_place){.kind = PLACE_INSTALLED,
                                     .folder = str_of(b->c->installed),
                                     .origin = STR("terrane provider install"),
                                     .rank = RANK_INSTALLED});
}

struct search_places search_places(const struct find_context *c, struct arena *a)
{
    struct builder b = {.c = c, .arena = a};
    if (c->mirror && c->mirror[0] != '\0')
        add(&b, (struct search_place){.kind = PLACE_MIRROR,
                                      .folder = str_of(c->mirror),
                                      .origin = STR("TERRANE_MIRROR"),
                                      .named = true,
                                      .rank = RANK_TERRANE_MIRROR});
    add_mirrors(&b);
    add_installed(&b);
    add(&b, (struct search_place){.kind = PLACE_WORKING_DIR,
                                  .folder = STR(".terraform/providers"),
                                  .origin = STR("working folder"),
                                  .rank = RANK_WORKING_FOLDER});
    return b.places;
}

static bool matches_any(const struct str *patterns, size_t n, const struct provider_address *address)
{
    for (size_t i = 0; i < n; i++)
        if (provider_pattern_matches(patterns[i], address))
            return true;
    return false;
}

bool search_place_allows(const struct search_place *place, const struct provider_address *address)
{
    const struct install_method *rule = place->rule;
    if (!rule)
        return true;
    if (matches_any(rule->exclude, rule->n_exclude, address))
        return false;
    return rule->n_include == 0 || matches_any(rule->include, rule->n_include, address);
}

bool search_place_allows_wanted(const struct search_place *place, const struct provider_address *wanted)
{
    struct provider_address other = *wanted;
    other.host = STR(REGISTRY_OPENTOFU);
    return search_place_allows(place, wanted) || (!wanted->host_given && search_place_allows(place, &other));
}
