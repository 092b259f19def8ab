#include "managed/late_init.h"

#include "managed/edit.h"
#include "managed/translate.h"

static bool fits(const struct xp_shape *s, const struct json *v);

static bool all_fit(const struct xp_shape *element, const struct json *v)
{
    for (size_t i = 0; v->kind == JSON_ARRAY && i < v->array.n; i++)
        if (!fits(element, v->array.items[i]))
            return false;
    for (size_t i = 0; v->kind == JSON_OBJECT && i < v->object.n; i++)
        if (!fits(element, v->object.members[i].value))
            return false;
    return true;
}

static bool fields_fit(struct xp_fields fields, const struct json *v)
{
    if (v->kind != JSON_OBJECT)
        return false;
    for (size_t i = 0; i < fields.n; i++) {
        const struct json *value = json_get_str(v, fields.v[i].json);
        if (value && !fits(fields.v[i].shape, value))
            return false;
    }
    return true;
}

static bool fits(const struct xp_shape *s, const struct json *v)
{
    if (v->kind == JSON_NULL)
        return true;
    switch (s->kind) {
    case SHAPE_STRING:
        return v->kind == JSON_STRING;
    case SHAPE_NUMBER:
    case SHAPE_INTEGER:
        return v->kind == JSON_NUMBER;
    case SHAPE_BOOL:
        return v->kind == JSON_BOOL;
    case SHAPE_LIST:
    case SHAPE_SET:
        return v->kind == JSON_ARRAY && all_fit(s->element, v);
    case SHAPE_MAP:
        return v->kind == JSON_OBJECT && all_fit(s->element, v);
    case SHAPE_OBJECT:
        return fields_fit(s->fields, v);
    case SHAPE_ANY:
    case SHAPE_SECRET_KEY:
    case SHAPE_SECRET:
    case SHAPE_REFERENCE:
    case SHAPE_SELECTOR:
    case SHAPE_RAW:
        break;
    }
    return true;
}

static bool is_zero(const struct json *v)
{
    switch (v->kind) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return !v->boolean;
    case JSON_STRING:
        return v->text.n == 0;
    case JSON_ARRAY:
    case JSON_OBJECT:
        return managed_count(v) == 0;
    case JSON_NUMBER:
        break;
    }
    for (size_t i = 0; i < v->text.n; i++) /* in any notation: a digit other than 0 before the exponent makes it nonzero */
        if (v->text.p[i] >= '1' && v->text.p[i] <= '9')
            return false;
        else if (v->text.p[i] == 'e' || v->text.p[i] == 'E')
            break;
    return true;
}

static bool skips_zero(const struct managed_late_rules *rules, struct str field)
{
    for (size_t i = 0; i < rules->n_skip_zero; i++)
        if (str_eqz(rules->skip_zero[i], "*") || str_eq(rules->skip_zero[i], field))
            return true;
    return false;
}

/* The kind's configuration can exclude an attribute (late_init). */
static bool is_wanted(const struct xp_field *f, const struct json *value, const struct managed_late_rules *rules)
{
    if (f->role != FIELD_VALUE || (f->attr && !f->attr->late_init))
        return false;
    if (json_get_str(rules->initial, f->json))
        return false;
    return !(is_zero(value) && skips_zero(rules, f->json));
}

bool managed_late_values(struct arena *a, struct xp_fields fields, const struct json *desired, const struct json *observed,
                         const struct managed_late_rules *rules, struct diags *diags, const struct json **ret)
{
    const struct json *result = json_make_object(a, NULL, 0);
    if (managed_is_absent(desired) || managed_is_absent(observed)) {
        *ret = result;
        return true;
    }
    if (!fields_fit(fields, desired) || !fields_fit(fields, observed))
        return diags_fail(diags, "Late initialisation failed",
                          "Values that were observed, or those of spec.forProvider, are not of the types of their fields.");
    struct json_member *members = arena_make_n(a, struct json_member, fields.n);
    size_t n = 0;
    for (size_t i = 0; i < fields.n; i++) {
        const struct json *value = json_get_str(observed, fields.v[i].json);
        if (managed_is_absent(value) || !managed_is_absent(json_get_str(desired, fields.v[i].json)) ||
            !is_wanted(&fields.v[i], value, rules))
            continue;
        members[n++] = (struct json_member){.key = fields.v[i].json, .value = value};
    }
    *ret = json_make_object(a, members, n);
    return true;
}

static const struct json *with_values(struct arena *a, const struct json *object, const struct json_member *values, size_t n)
{
    const struct json *desired = managed_at(object, "spec", "forProvider", NULL);
    for (size_t i = 0; i < n; i++)
        desired = json_with(a, desired, values[i].key, values[i].value);
    return managed_put(a, object, desired, "spec", "forProvider", NULL);
}

bool managed_late_initialize(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                             managed_accept_fn *accept, void *ctx, struct diags *diags, const struct json **ret)
{
    static const struct str all = {"*", 1};
    const struct json *desired = managed_at(object, "spec", "forProvider", NULL), *observed = NULL, *add = NULL;
    struct managed_late_rules rules = {&all, 1, managed_at(object, "spec", "initProvider", NULL)};
    if (managed_is_absent(desired))
        desired = json_make_object(a, NULL, 0);
    if (!managed_values_of(a, k, FOR_PROVIDER, managed_parameters_of_state(a, k, state), diags, &observed) ||
        !managed_late_values(a, k->trees[FOR_PROVIDER], desired, observed, &rules, diags, &add))
        return false;
    if (!add)
        add = json_make_object(a, NULL, 0);
    const struct json *result = object;
    if (add->object.n > 0)
        result = with_values(a, object, add->object.members, add->object.n);
    if (add->object.n > 0 && accept && !accept(ctx, result)) {
        result = object; /* one field at a time: of two mutually exclusive ones the first stays */
        for (size_t i = 0; i < add->object.n && !arena_exhausted(a); i++) {
            const struct json *more = with_values(a, result, &add->object.members[i], 1);
            result = accept(ctx, more) ? more : result;
        }
    }
    *ret = result;
    return true;
}
