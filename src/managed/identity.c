#include "managed/identity.h"

#include "managed/init_provider.h"
#include "managed/object.h"
#include "managed/translate.h"

struct str managed_external_name(const struct json *object)
{
    return managed_annotation(object, MANAGED_EXTERNAL_NAME);
}

/* The name is an argument, or part of the id. */
static bool is_argument(const struct xp_external_name *e)
{
    return e->strategy == EXTERNAL_NAME_NAME || e->strategy == EXTERNAL_NAME_PARAMETER || e->strategy == EXTERNAL_NAME_TEMPLATE;
}

/* The user chooses the name, not the provider. */
static bool is_chosen(const struct xp_external_name *e)
{
    return is_argument(e) && !e->name_from_provider;
}

const struct json *managed_init_external_name(struct arena *a, const struct xp_kind *k, const struct json *object)
{
    if (managed_external_name(object).n > 0 || !is_chosen(&k->config.external_name))
        return object;
    return managed_annotate(a, object, MANAGED_EXTERNAL_NAME, managed_name(object));
}

const struct json *managed_add_name(struct arena *a, const struct xp_kind *k, const struct json *object,
                                    const struct json *parameters)
{
    const struct xp_external_name *e = &k->config.external_name;
    struct str name = managed_external_name(object);
    struct str field = e->strategy == EXTERNAL_NAME_NAME ? STR("name") : e->field;
    if (!is_argument(e) || name.n == 0 || field.n == 0)
        return parameters;
    return xp_external_name_set(a, parameters, field, xp_external_name_argument(a, e, name));
}

bool managed_id(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *parameters,
                const struct json *setup, struct diags *diags, struct str *ret)
{
    const struct json *beside;
    if (!managed_beside(a, k, object, diags, &beside))
        return false;
    return xp_external_name_id(a, &k->config.external_name, managed_external_name(object), managed_merge(a, parameters, beside),
                               setup, diags, ret);
}

/*
 * A type without an id whose state tells no name either, or none that tells objects apart. Its state is what finds the object
 * again; the name only says that it exists. It stays as it is, because it may be what the object was imported by, or becomes the
 * object's own.
 */
static struct str name_without_id(const struct json *object)
{
    struct str name = managed_external_name(object);
    return name.n > 0 ? name : managed_name(object);
}

bool managed_take_name(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                       struct diags *diags, const struct json **ret)
{
    struct str name = managed_external_name(object);
    struct diags why;
    diags_init(&why, a);
    if (k->config.external_name.name_repeats && name.n > 0 && managed_is_object(state)) {
        *ret = object;
        return true;
    }
    if (!xp_external_name_of_state(a, &k->config.external_name, state, &why, &name)) {
        if (!k->config.external_name.without_id || !managed_is_object(state))
            return diags_fail(diags, "No external name", STR_FMT, STR_ARG(why.v[0].detail));
        name = name_without_id(object);
    }
    *ret = str_eq(name, managed_external_name(object)) ? object : managed_annotate(a, object, MANAGED_EXTERNAL_NAME, name);
    return true;
}

bool managed_name_is_deterministic(const struct xp_kind *k)
{
    return is_chosen(&k->config.external_name);
}

/* --- tags --- */

static const struct xp_field *tag_field(const struct xp_kind *k)
{
    struct xp_fields fields = k->trees[FOR_PROVIDER];
    for (size_t i = 0; k->config.tags.n > 0 && i < fields.n; i++)
        if (fields.v[i].role == FIELD_VALUE && str_eq(fields.v[i].attr->name, k->config.tags) &&
            fields.v[i].shape->kind == SHAPE_MAP)
            return &fields.v[i];
    return NULL;
}

static struct str kind_tag(struct arena *a, const struct json *object)
{
    struct str group = managed_group(object);
    return arena_lower(
        a, arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(managed_kind(object)), group.n > 0 ? "." : "", STR_ARG(group)));
}

const struct json *managed_add_tags(struct arena *a, const struct xp_kind *k, const struct json *object)
{
    const struct xp_field *f = tag_field(k);
    if (!f)
        return object;
    const struct {
        struct str key, value;
    } tags[] = {{STR("crossplane-kind"), kind_tag(a, object)},
                {STR("crossplane-name"), managed_name(object)},
                {STR("crossplane-providerconfig"), managed_provider_config(object)}};
    const struct json *values = managed_at(object, "spec", "forProvider", NULL), *have = json_get_str(values, f->json);
    bool changed = false;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tags[i].value.n == 0 || str_eq(managed_text(json_get_str(have, tags[i].key)), tags[i].value))
            continue;
        have = json_with(a, have, tags[i].key, json_make_string(a, tags[i].value));
        changed = true;
    }
    return changed ? managed_put(a, object, json_with(a, values, f->json, have), "spec", "forProvider", NULL) : object;
}
