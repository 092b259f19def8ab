#include "objects/serve.h"

#include "base/file.h"
#include "base/vec.h"
#include "cli/schema_source.h"
#include "store/object.h"
#include "yaml/yaml.h"

struct wanted {
    struct str source, version;
    const char *config; /* NULL: only the shipped one */
};

struct serving {
    struct serve *s;
    VEC(struct wanted) wanted;
    VEC(struct str) loaded; /* the type names of the loaded providers */
    const struct serve_request *request;
};

/* ---- choosing ---- */

/* SOURCE@VERSION; a path may itself contain an @. */
static struct wanted parse_source(struct app *app, const char *text)
{
    const char *at = strrchr(text, '@');
    bool is_path = text[0] == '/' || text[0] == '.';
    if (!at || at == text || (is_path && strchr(at, '/')) || (is_path && file_exists(text)))
        return (struct wanted){.source = str_of(text), .version = STR_EMPTY};
    return (struct wanted){.source = arena_str(app->arena, str_slice(str_of(text), 0, (size_t)(at - text))),
                           .version = str_of(at + 1)};
}

static void add_wanted(struct serving *v)
{
    const struct serve_request *r = v->request;
    struct app *app = v->s->app;
    for (size_t i = 0; i < r->providers->n; i++)
        *VEC_PUSH(app->arena, &v->wanted) = parse_source(app, r->providers->v[i]);
    for (size_t i = 0; i < r->project->n_providers; i++) {
        const struct project_provider *p = &r->project->providers[i];
        *VEC_PUSH(app->arena, &v->wanted) = (struct wanted){p->source, p->version, p->config};
    }
}

/* The type name that a configuration is for, from its key `provider`. */
static bool config_provider(struct app *app, const char *path, struct str *ret)
{
    struct str text;
    if (!file_read(app->arena, path, MAX_CONFIG, &app->diags, &text))
        return false;
    const struct json *file = yaml_parse(app->arena, text, path, &app->diags);
    if (!file)
        return false;
    *ret = json_text(json_get(file, "provider"), STR_EMPTY);
    return true;
}

/* The last file on the command line for this provider; a file without a provider is for the only provider. */
static bool find_config(const struct serving *v, struct str address, const struct wanted *w, const char **ret)
{
    *ret = w->config;
    for (size_t i = 0; i < v->request->configs->n; i++) {
        struct str name = STR_EMPTY;
        if (!config_provider(v->s->app, v->request->configs->v[i], &name))
            return false;
        if (str_eq(name, provider_type_name(address)) || (name.n == 0 && v->wanted.n == 1))
            *ret = v->request->configs->v[i];
    }
    return true;
}

/* ---- loading ---- */

static void note_shipped(struct serve *s, struct str address)
{
    for (size_t i = 0; i < s->shipped.n; i++)
        if (str_ends(address, s->shipped.v[i].source) || str_eq(provider_type_name(address), s->shipped.v[i].name)) {
            vec_reserve(s->app->arena, (void **)&s->taken, &s->cap_taken, s->n_taken + 1, sizeof *s->taken, alignof(max_align_t));
            s->taken[s->n_taken++] = &s->shipped.v[i];
        }
}

static bool load(struct serving *v, const struct wanted *w)
{
    struct app *app = v->s->app;
    const char *version = w->version.n > 0 ? arena_str(app->arena, w->version).p : NULL;
    struct schema_request request = {.provider = arena_str(app->arena, w->source).p, .constraint = version};
    struct schema_source source;
    struct loaded_config loaded;
    const char *config = NULL;
    if (!schema_source_load(app, &request, &source) || !find_config(v, source.address, w, &config) ||
        !load_config(app, source.address, config, false, &loaded) || !xp_config_link(loaded.config, source.schema, &app->diags))
        return false;
    struct kinds_provider *provider = arena_make(app->arena, struct kinds_provider);
    *provider = (struct kinds_provider){source.address, source.version, source.path, source.schema, loaded.config};
    note_shipped(v->s, source.address);
    *VEC_PUSH(app->arena, &v->loaded) = provider_type_name(source.address);
    return kinds_add(v->s->kinds, provider, &app->diags);
}

static bool is_taken(const struct serve *s, const struct shipped_provider *p)
{
    for (size_t i = 0; i < s->n_taken; i++)
        if (s->taken[i] == p)
            return true;
    return false;
}

/* Loads the provider for the group of a manifest, if nobody named it. */
static bool load_for_group(struct serving *v, struct str group)
{
    const struct shipped_provider *p = kinds_serve_group(v->s->kinds, group) ? NULL : shipped_serves(&v->s->shipped, group);
    if (!p || is_taken(v->s, p))
        return true;
    return load(v, &(struct wanted){.source = p->source, .version = STR_EMPTY});
}

/* Is the provider loaded, or will it be when a manifest needs it? */
static bool may_serve(const struct serving *v, struct str name)
{
    for (size_t i = 0; i < v->loaded.n; i++)
        if (str_eq(v->loaded.v[i], name))
            return true;
    for (size_t i = 0; i < v->s->shipped.n; i++)
        if (str_eq(v->s->shipped.v[i].name, name))
            return true;
    return false;
}

/* A configuration for no provider would be ignored silently. */
static bool check_config(const struct serving *v, const char *path)
{
    struct app *app = v->s->app;
    struct str name = STR_EMPTY;
    struct buf there BUF_AUTO = BUF_INIT(1 << 16);
    if (!config_provider(app, path, &name))
        return false;
    if (name.n > 0 ? may_serve(v, name) : v->wanted.n == 1)
        return true;
    for (size_t i = 0; i < v->loaded.n; i++)
        buf_printf(&there, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(v->loaded.v[i]));
    if (v->loaded.n == 0)
        buf_addz(&there, "none");
    if (name.n == 0)
        return diags_fail(
            &app->diags, "Configuration without a provider",
            "%s does not say which provider it is for. Write its name as `provider`; the providers here are: " STR_FMT ".", path,
            STR_ARG(buf_str(&there)));
    return diags_fail(&app->diags, "Configuration without a provider",
                      "%s is for provider \"" STR_FMT
                      "\" (its key `provider`), which is not here. The providers here are: " STR_FMT
                      ". Correct the name, or add the provider with --provider SOURCE.",
                      path, STR_ARG(name), STR_ARG(buf_str(&there)));
}

bool serve_begin(struct serve *s, struct app *app, const struct serve_request *request, const struct map *groups)
{
    struct serving v = {.s = s, .request = request};
    *s = (struct serve){.app = app, .kinds = kinds_new(), .shipped = shipped_all(app)};
    add_wanted(&v);
    for (size_t i = 0; i < v.wanted.n; i++)
        if (!load(&v, &v.wanted.v[i]))
            return false;
    for (size_t i = 0; i < groups->n; i++)
        if (!load_for_group(&v, groups->entries[i].key))
            return false;
    for (size_t i = 0; i < request->configs->n; i++)
        if (!check_config(&v, request->configs->v[i]))
            return false;
    return true;
}

void serve_end(struct serve *s)
{
    kinds_free(s->kinds);
    s->kinds = NULL;
}

bool serve_could(const struct serve *s, struct str group)
{
    const struct shipped_provider *p = kinds_serve_group(s->kinds, group) ? NULL : shipped_serves(&s->shipped, group);
    return p && !is_taken(s, p);
}

/* A sentence with some groups in which the loaded providers have a kind of this name; empty if there are none. */
static struct str there_is(const struct serve *s, struct arena *a, struct str name)
{
    enum { SOME = 4 };
    struct kinds_list all = kinds_all(s->kinds);
    struct str found = STR_EMPTY, last = STR_EMPTY;
    size_t n = 0;
    for (size_t i = 0; i < all.n && n < SOME; i++) {
        if (all.v[i]->role != KIND_MANAGED || !str_eq(all.v[i]->kind, name) || str_eq(all.v[i]->group, last))
            continue;
        last = all.v[i]->group;
        found = arena_printf(a, STR_FMT "%s\"" STR_FMT "\"", STR_ARG(found), n++ > 0 ? ", " : "", STR_ARG(last));
    }
    return n == 0 ? STR_EMPTY : arena_printf(a, " There is a " STR_FMT " in " STR_FMT ".", STR_ARG(name), STR_ARG(found));
}

/* --- manifests of kinds that no provider has --- */

/* Crossplane installs providers by these; here the loaded ones and --provider do. */
static bool is_package(struct str group)
{
    return str_eqz(group, "pkg.crossplane.io");
}

/* NULL: it is the group of a provider, as far as is known. */
static const char *owner_of_group(struct str group)
{
    static const char *const kubernetes[] = {"", "apps", "autoscaling", "batch", "policy", NULL};
    static const char *const crossplane[] = {"apiextensions.crossplane.io", "ops.crossplane.io", "protection.crossplane.io",
                                             NULL};
    if (str_is_one_of(group, kubernetes) || str_ends(group, STR(".k8s.io")))
        return "Kubernetes";
    return str_is_one_of(group, crossplane) ? "Crossplane" : NULL;
}

static bool kind_is_unknown(const struct serve *s, const struct manifest *m, struct diags *diags)
{
    struct arena *a = diags->arena;
    struct str place = manifest_place(a, m), group = m->key.group, kind = m->key.kind;
    struct str words = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(kind), STR_ARG(group));
    struct str meant = kinds_closest(s->kinds, a, words);
    if (meant.n > 0)
        return diags_fail(diags, "Unknown kind",
                          STR_FMT ": group " STR_FMT " has no kind \"" STR_FMT "\". Did you mean " STR_FMT "?", STR_ARG(place),
                          STR_ARG(group), STR_ARG(kind), STR_ARG(meant));
    return diags_fail(diags, "Unknown kind",
                      STR_FMT ": group " STR_FMT " has no kind \"" STR_FMT "\" in this version of its provider.", STR_ARG(place),
                      STR_ARG(group), STR_ARG(kind));
}

bool serve_unknown(const struct serve *s, const struct manifest *m, struct diags *diags)
{
    struct arena *a = diags->arena;
    struct str place = manifest_place(a, m), group = m->key.group, kind = m->key.kind;
    if (is_package(group)) {
        diags_warn(diags, "Package is ignored",
                   STR_FMT ": Terrane does not need " STR_FMT " \"" STR_FMT "\", because it installs no packages.",
                   STR_ARG(place), STR_ARG(kind), STR_ARG(m->key.name));
        return true;
    }
    if (group.n > 0 && kinds_serve_group(s->kinds, group))
        return kind_is_unknown(s, m, diags);
    struct str near = kinds_closest_group(s->kinds, group);
    if (group.n > 0 && near.n > 0)
        return diags_fail(diags, "Unknown API group",
                          STR_FMT ": no provider serves group \"" STR_FMT "\" of " STR_FMT ". Did you mean \"" STR_FMT "\"?",
                          STR_ARG(place), STR_ARG(group), STR_ARG(kind), STR_ARG(near));
    struct str there = there_is(s, a, kind);
    struct str which = group.n > 0 ? arena_printf(a, "group \"" STR_FMT "\"", STR_ARG(group)) : STR("the core group");
    if (there.n == 0 && owner_of_group(group))
        return diags_fail(diags, "Not a managed resource",
                          STR_FMT ": " STR_FMT " belongs to %s itself. `terrane up` stores managed resources, and of "
                                  "Kubernetes' kinds Secret, ConfigMap and Namespace. Apply this " STR_FMT
                                  " to a cluster, and move it out of the folder.",
                          STR_ARG(place), STR_ARG(which), owner_of_group(group), STR_ARG(kind));
    return diags_fail(
        diags, "Unknown API group",
        STR_FMT
        ": no provider serves " STR_FMT ", the group of " STR_FMT "." STR_FMT
        " Name its provider: --provider SOURCE (an address such as hashicorp/aws, or the path of a binary), or `providers` "
        "in " FOLDER_PROJECT ".",
        STR_ARG(place), STR_ARG(which), STR_ARG(kind), STR_ARG(there));
}
