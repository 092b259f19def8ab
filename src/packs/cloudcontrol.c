/* Code shared by the commands of `terrane cloudcontrol`. */
#include "packs/cloudcontrol.h"

#include "base/file.h"
#include "base/vec.h"
#include "translate/pack_write.h"

#include <stdlib.h>

const char *cloudcontrol_pack_path(struct app *app)
{
    const char *given = app_environment("TERRANE_CLOUDCONTROL_PACK");
    if (given || !app->cache_folder)
        return given;
    return arena_printf(app->arena, "%s/cloudcontrol/schemas.pack", app->cache_folder).p;
}

bool cloudcontrol_no_pack_path(struct app *app)
{
    return diags_fail(&app->diags, "No folder for the schema pack",
                      "HOME is not set. Set TERRANE_CLOUDCONTROL_PACK to the file, or TERRANE_CACHE to a folder for it.");
}

struct cfn_pack *cloudcontrol_open_pack(struct app *app, const char *path)
{
    if (!path)
        (void)cloudcontrol_no_pack_path(app);
    else if (!file_exists(path))
        (void)diags_fail(&app->diags, "No schema pack", "%s is not there. `terrane cloudcontrol pack FROM` makes one.", path);
    else
        return cfn_pack_open(path, &app->diags);
    return NULL;
}

/* --- names on the command line --- */

struct wanted_types {
    const char **names;
    size_t n;
    bool *found;
};

/* Matches the type's names: CloudFormation's, Terraform's, that of the plural data source. */
static bool is_wanted(const struct wanted_types *w, struct arena *a, const struct cfn_schema *cfn)
{
    struct str tf = cfn_tf_type(a, &cfn->name);
    bool wanted = w->n == 0;
    for (size_t i = 0; i < w->n; i++) {
        struct str name = str_of(w->names[i]);
        if (!str_eq(name, cfn->type_name) && !str_eq(name, tf) && !str_eq(name, cfn_plural(a, tf, STR("_plural"))))
            continue;
        w->found[i] = true;
        wanted = true;
    }
    return wanted;
}

static bool all_found(struct app *app, const struct wanted_types *w, const char *const *known)
{
    bool ok = true;
    for (size_t i = 0; i < w->n; i++) {
        if (w->found[i])
            continue;
        const char *closest = args_closest(w->names[i], known);
        ok = closest ? diags_fail(&app->diags, "Unknown type", "Type \"%s\" was not found. Did you mean \"%s\"?", w->names[i],
                                  closest)
                     : diags_fail(&app->diags, "Unknown type", "Type \"%s\" was not found in the schemas.", w->names[i]);
    }
    return ok;
}

/* --- iterating --- */

struct going {
    struct app *app;
    enum cfn_mode mode;
    cloudcontrol_fn *fn;
    void *ctx;
};

/* Only the wanted types are unpacked from a pack. */
static bool each_of_pack(const struct going *g, const char *path, const struct wanted_types *w)
{
    struct cfn_pack *pack = cloudcontrol_open_pack(g->app, path);
    if (!pack)
        return false;
    size_t n = cfn_pack_size(pack);
    bool ok = true;
    bool *chosen = arena_make_n(g->app->arena, bool, n);
    const char **known = arena_make_n(g->app->arena, const char *, 2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        struct cfn_pack_entry entry;
        cfn_pack_entry(pack, i, &entry);
        known[2 * i] = arena_str(g->app->arena, entry.cf_type).p;
        known[2 * i + 1] = arena_str(g->app->arena, entry.tf_type).p;
        chosen[i] = w->n == 0;
    }
    for (size_t i = 0; i < w->n; i++) {
        size_t place = cfn_pack_find(pack, str_of(w->names[i]));
        w->found[i] = place != SIZE_MAX;
        if (w->found[i])
            chosen[place] = true;
    }
    ok = all_found(g->app, w, known);
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; ok && i < n; i++, arena_reset(scratch)) {
        const struct cc_type *t = chosen[i] ? cc_pack_type(pack, i, g->mode, scratch, &g->app->diags) : NULL;
        ok = t ? g->fn(g->ctx, t) : !chosen[i];
    }
    cfn_pack_close(pack);
    return ok;
}

struct loaded {
    struct str type_name;
    const struct cfn_source *input;
};

static int by_type_name(const void *a, const void *b)
{
    const struct loaded *x = a, *y = b;
    int order = str_cmp(x->type_name, y->type_name);
    return order ? order : x->input < y->input ? -1 : x->input > y->input;
}

/* A warning instead of an error, because one bad file must not hide the others. */
static void warn_of(struct app *app, const struct diags *why)
{
    for (size_t i = 0; i < why->n; i++)
        diags_warn(&app->diags, "Skipped", STR_FMT, STR_ARG(why->v[i].detail));
}

static const struct cfn_schema *load(struct arena *a, const struct cfn_source *input, struct diags *diags)
{
    return cfn_schema_parse(a, input->text, arena_str(a, input->name).p, diags);
}

/* Reads each schema once to learn its type's name, and reports its errors. */
static size_t list_types(const struct going *g, const struct cfn_sources *sources, const struct wanted_types *w,
                         struct loaded *ret, const char **known)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    size_t n = 0, n_known = 0;
    for (size_t i = 0; i < sources->n; i++, arena_reset(scratch)) {
        struct diags why;
        diags_init(&why, scratch);
        const struct cfn_schema *cfn = load(scratch, &sources->v[i], &why);
        if (!cfn) {
            warn_of(g->app, &why);
            continue;
        }
        known[n_known++] = arena_str(g->app->arena, cfn->type_name).p;
        if (is_wanted(w, scratch, cfn))
            ret[n++] = (struct loaded){arena_str(g->app->arena, cfn->type_name), &sources->v[i]};
    }
    known[n_known] = NULL;
    qsort(ret, n, sizeof ret[0], by_type_name);
    return n;
}

static bool each_of_sources(const struct going *g, const char *from, const struct wanted_types *w)
{
    struct cfn_sources sources;
    if (!cfn_sources_read(g->app->arena, from, &g->app->diags, &sources))
        return false;
    struct loaded *types = arena_make_n(g->app->arena, struct loaded, sources.n);
    const char **known = arena_make_n(g->app->arena, const char *, sources.n + 1);
    size_t n = list_types(g, &sources, w, types, known);
    if (!all_found(g->app, w, known))
        return false;
    if (n == 0)
        return diags_fail(&g->app->diags, "No schemas", "%s does not contain a resource type schema.", from);
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++, arena_reset(scratch)) {
        /* If a type has two schemas, the last one counts. */
        if (i + 1 < n && str_eq(types[i].type_name, types[i + 1].type_name))
            continue;
        const struct cfn_schema *cfn = load(scratch, types[i].input, &g->app->diags);
        ok = cfn && g->fn(g->ctx, cc_translate(scratch, cfn, g->mode));
    }
    return ok;
}

bool cloudcontrol_each(struct app *app, const struct cloudcontrol_options *o, const char **names, size_t n_names,
                       cloudcontrol_fn *fn, void *ctx)
{
    struct going g = {app, o->strict ? CFN_MODE_STRICT : CFN_MODE_DEFAULT, fn, ctx};
    struct wanted_types w = {names, n_names, arena_make_n(app->arena, bool, n_names)};
    const char *from = o->schemas ? o->schemas : cloudcontrol_pack_path(app);
    if (!o->schemas || cfn_pack_is(from))
        return each_of_pack(&g, from, &w);
    return each_of_sources(&g, from, &w);
}

bool source_date(struct app *app, int64_t otherwise, int64_t *ret)
{
    static const int64_t end_of_9999 = INT64_C(253402300799); /* dates have a year of four digits */
    const char *given = app_environment("SOURCE_DATE_EPOCH");
    int64_t seconds = otherwise;
    if (given && (!str_to_i64(str_of(given), &seconds) || seconds < 0 || seconds > end_of_9999))
        return diags_fail(&app->diags, "Wrong value",
                          "SOURCE_DATE_EPOCH is \"%s\"; expected seconds since 1970, such as 1700000000.", given);
    *ret = seconds;
    return true;
}
