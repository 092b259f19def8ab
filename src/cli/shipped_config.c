#include "cli/shipped_config.h"

#include "base/file.h"
#include "base/vec.h"
#include "yaml/yaml.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_LINK = 4096 };

struct str provider_type_name(struct str address)
{
    size_t slash = address.n;
    while (slash > 0 && address.p[slash - 1] != '/')
        slash--;
    return str_slice(address, slash, address.n);
}

enum { PROVIDERS }; /* index in shipped_kinds */
const struct shipped_kind shipped_kinds[] = {
    [PROVIDERS] = {"providers", ".yaml"}, {"discovery", ".yaml"}, {"links", ".links"}, {NULL, NULL}};

/* --- folders --- */

static struct str own_folder(struct arena *a)
{
    char path[MAX_LINK];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n > 0 ? arena_str(a, (struct str){path, (size_t)n}) : STR_EMPTY;
}

/* Names become part of a path. */
static bool is_file_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return false;
    }
    return name.n > 0;
}

/* beside the binary in a build, in the prefix of an installation */
static const char *const roots[] = {"share", TERRANE_SHARE};

/* The i-th folder to search for one kind of shipped files. */
static const char *folder_of(struct arena *a, struct str own, const char *kind, size_t i)
{
    return arena_printf(a, STR_FMT "%s/%s", STR_ARG(roots[i][0] == '/' ? STR_EMPTY : own), roots[i], kind).p;
}

const char *shipped_file(struct app *app, const char *kind, struct str name, const char *ending, size_t max, struct str *ret_text)
{
    struct str own = own_folder(app->arena);
    for (size_t i = 0; i < 2 && is_file_name(name) && own.n > 0; i++) {
        const char *path =
            arena_printf(app->arena, "%s/" STR_FMT "%s", folder_of(app->arena, own, kind, i), STR_ARG(name), ending).p;
        struct diags ignored;
        diags_init(&ignored, app->arena);
        if (file_exists(path) && file_read(app->arena, path, max, &ignored, ret_text))
            return path;
    }
    return NULL;
}

static int by_text(const void *x, const void *y)
{
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

struct shipped_names shipped_names(struct app *app, const struct shipped_kind *kind)
{
    VEC(struct str) list = {0};
    struct str own = own_folder(app->arena), ending = str_of(kind->ending);
    DIR *dir = NULL;
    for (size_t i = 0; i < 2 && !dir && own.n > 0; i++)
        dir = opendir(folder_of(app->arena, own, kind->folder, i));
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        struct str file = arena_str(app->arena, str_of(entry->d_name));
        struct str name = str_ends(file, ending) ? str_slice(file, 0, file.n - ending.n) : STR_EMPTY;
        if (is_file_name(name))
            *VEC_PUSH(app->arena, &list) = name;
    }
    if (dir)
        (void)closedir(dir);
    if (list.n > 0)
        qsort(list.v, list.n, sizeof *list.v, by_text);
    return (struct shipped_names){list.v, list.n};
}

struct config_layer shipped_find(struct app *app, struct str name)
{
    struct config_layer layer = {.source.shipped = true};
    layer.source.name = shipped_file(app, "providers", name, ".yaml", MAX_CONFIG, &layer.text);
    return layer;
}

/* --- contents --- */

static struct str first_text(const struct json *j)
{
    bool is_list = j && j->kind == JSON_ARRAY && j->array.n > 0;
    return json_text(is_list ? j->array.items[0] : j, STR_EMPTY);
}

static bool read_shipped(struct app *app, struct str name, struct shipped_provider *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct config_layer layer = shipped_find(app, name);
    struct diags ignored;
    diags_init(&ignored, scratch);
    const struct json *file = layer.source.name ? yaml_parse(scratch, layer.text, layer.source.name, &ignored) : NULL;
    const struct json *root = json_get(file, "root_group");
    struct str source = first_text(json_get(file, "source"));
    if (source.n == 0 || !root)
        return false;
    *ret = (struct shipped_provider){
        .name = name,
        .source = arena_str(app->arena, source),
        .cluster = arena_str(app->arena, json_text(json_get(root, "cluster"), STR_EMPTY)),
        .namespaced = arena_str(app->arena, json_text(json_get(root, "namespaced"), STR_EMPTY)),
    };
    return true;
}

struct shipped_list shipped_all(struct app *app)
{
    struct shipped_names names = shipped_names(app, &shipped_kinds[PROVIDERS]);
    VEC(struct shipped_provider) list = {0};
    for (size_t i = 0; i < names.n; i++) {
        struct shipped_provider found;
        if (read_shipped(app, names.v[i], &found))
            *VEC_PUSH(app->arena, &list) = found;
    }
    return (struct shipped_list){list.v, list.n};
}

static bool is_below(struct str group, struct str root)
{
    return root.n > 0 && str_ends(group, root) && (group.n == root.n || group.p[group.n - root.n - 1] == '.');
}

const struct shipped_provider *shipped_serves(const struct shipped_list *list, struct str group)
{
    for (size_t i = 0; i < list->n; i++)
        if (is_below(group, list->v[i].cluster) || is_below(group, list->v[i].namespaced))
            return &list->v[i];
    return NULL;
}

/* --- layers --- */

static bool starts_anew(struct app *app, const struct config_layer *layer)
{
    struct diags ignored;
    diags_init(&ignored, app->arena);
    const struct json *file = yaml_parse(app->arena, layer->text, layer->source.name, &ignored);
    return file && str_eqz(json_text(json_get(file, "base"), STR_EMPTY), "none");
}

bool load_config(struct app *app, struct str address, const char *path, bool no_shipped, struct loaded_config *ret)
{
    struct loaded_config loaded = {0};
    struct config_layer user = {.source.name = path};
    struct str name = arena_str(app->arena, provider_type_name(address));
    if (path && !file_read(app->arena, path, MAX_CONFIG, &app->diags, &user.text))
        return false;
    struct config_layer shipped = {0};
    if (!no_shipped && !(path && starts_anew(app, &user)))
        shipped = shipped_find(app, name);
    bool is_for = false;
    if (shipped.source.name && !xp_config_is_for(shipped.text, shipped.source.name, address, &app->diags, &is_for))
        return false;
    if (is_for)
        loaded.layers[loaded.n_layers++] = shipped;
    if (path)
        loaded.layers[loaded.n_layers++] = user;
    loaded.config = xp_config_default(app->arena, name);
    for (size_t i = 0; i < loaded.n_layers; i++)
        if (!xp_config_read_over(loaded.config, loaded.layers[i].text, loaded.layers[i].source, &app->diags))
            return false;
    *ret = loaded;
    return true;
}
