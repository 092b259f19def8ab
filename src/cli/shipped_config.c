#include "cli/shipped_config.h"

#include "base/file.h"
#include "yaml/yaml.h"

#include <unistd.h>

enum { MAX_LINK = 4096 };

struct str provider_type_name(struct str address)
{
    size_t slash = address.n;
    while (slash > 0 && address.p[slash - 1] != '/')
        slash--;
    return str_slice(address, slash, address.n);
}

/* --- where they are --- */

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

/* Beside the binary in a build, below the prefix where it is installed. */
struct config_layer shipped_find(struct app *app, struct str name)
{
    static const char *const folders[] = {"share/providers", TERRANE_SHARE "/providers"};
    struct config_layer layer = {.source.shipped = true};
    struct str own = own_folder(app->arena);
    for (size_t i = 0; i < 2 && is_file_name(name) && own.n > 0; i++) {
        struct str from = folders[i][0] == '/' ? STR_EMPTY : own;
        const char *path = arena_printf(app->arena, STR_FMT "%s/" STR_FMT ".yaml", STR_ARG(from), folders[i], STR_ARG(name)).p;
        struct diags ignored;
        diags_init(&ignored, app->arena);
        if (!file_exists(path) || !file_read(app->arena, path, MAX_CONFIG, &ignored, &layer.text))
            continue;
        layer.source.name = path;
        break;
    }
    return layer;
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
