#include "objects/versions.h"

#include "managed/edit.h"
#include "store/object.h"

/* ---- their order ---- */

struct version {
    int64_t major, stability, minor; /* stability: 0 alpha, 1 beta, 2 neither */
};

static bool take_number(struct str *rest, int64_t *ret)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9')
        n++;
    bool ok = str_to_i64(str_slice(*rest, 0, n), ret);
    *rest = str_slice(*rest, n, rest->n);
    return ok;
}

static bool take_word(struct str *rest, struct str word)
{
    if (!str_starts(*rest, word))
        return false;
    *rest = str_slice(*rest, word.n, rest->n);
    return true;
}

static bool parse(struct str text, struct version *ret)
{
    *ret = (struct version){.stability = 2};
    if (!take_word(&text, STR("v")) || !take_number(&text, &ret->major))
        return false;
    if (text.n == 0)
        return true;
    if (take_word(&text, STR("alpha")))
        ret->stability = 0;
    else if (take_word(&text, STR("beta")))
        ret->stability = 1;
    else
        return false;
    return take_number(&text, &ret->minor) && text.n == 0;
}

bool versions_is_older(struct str version, struct str than)
{
    struct version x, y;
    if (!parse(version, &x) || !parse(than, &y))
        return false;
    if (x.major != y.major)
        return x.major < y.major;
    return x.stability != y.stability ? x.stability < y.stability : x.minor < y.minor;
}

/* ---- shapes ---- */

static const struct json *fit_fields(struct arena *a, struct xp_fields fields, const struct json *object);

/* NULL: nothing is left. The depth is that of JSON. */
static const struct json *fit(struct arena *a, const struct xp_shape *shape, const struct json *j)
{
    if (shape->kind == SHAPE_OBJECT && shape->singleton && managed_is_array(j) && j->array.n <= 1)
        j = j->array.n == 1 ? j->array.items[0] : NULL;
    if (!j)
        return NULL;
    if (shape->kind == SHAPE_OBJECT)
        return fit_fields(a, shape->fields, j);
    if ((shape->kind != SHAPE_LIST && shape->kind != SHAPE_SET) || !managed_is_array(j))
        return j;
    const struct json **items = arena_make_n(a, const struct json *, j->array.n);
    for (size_t i = 0; i < j->array.n; i++) {
        const struct json *item = fit(a, shape->element, j->array.items[i]);
        items[i] = item ? item : j->array.items[i];
    }
    return json_make_array(a, items, j->array.n);
}

static const struct json *fit_fields(struct arena *a, struct xp_fields fields, const struct json *object)
{
    if (!managed_is_object(object))
        return object;
    const struct json *fitted = object;
    for (size_t i = 0; i < fields.n; i++) {
        const struct json *value = json_get_str(object, fields.v[i].json);
        const struct json *now = value ? fit(a, fields.v[i].shape, value) : NULL;
        if (value != now)
            fitted = managed_with(a, fitted, fields.v[i].json, now);
    }
    return fitted;
}

const struct json *versions_upgrade(struct kinds *kinds, const struct kind *kind, struct arena *a, const struct json *manifest)
{
    static const enum xp_tree_name trees[] = {FOR_PROVIDER, INIT_PROVIDER};
    struct str version = json_text(json_get(manifest, "apiVersion"), STR_EMPTY);
    struct diags ignored; /* a kind that cannot be had is told by admission */
    (void)str_cut(&version, '/');
    diags_init(&ignored, a);
    if (kind->role != KIND_MANAGED || !versions_is_older(version, kind->version))
        return manifest;
    const struct xp_kind *model = kinds_model(kinds, kind, &ignored);
    if (!model)
        return manifest;
    const struct json *spec = json_get(manifest, "spec");
    for (size_t i = 0; i < 2 && managed_is_object(spec); i++) {
        struct str name = str_of(xp_tree_names[trees[i]]);
        const struct json *tree = json_get_str(spec, name);
        if (tree)
            spec = managed_with(a, spec, name, fit_fields(a, model->trees[trees[i]], tree));
    }
    struct str api = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->version));
    const struct json *now = object_with(a, manifest, "apiVersion", json_make_string(a, api));
    return spec ? object_with(a, now, "spec", spec) : now;
}
