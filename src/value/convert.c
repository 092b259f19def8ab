/*
 * Conversion of values. Whether a conversion is possible is decided once, from the types (convert_types.c); the code here fails
 * only because of the value: a string that is not a number, a map without a required key.
 *
 * Nulls and unknowns get the new type; an unknown keeps the parts of its refinement that still hold.
 */
#include "value/convert.h"

#include "value/convert_types_private.h"
#include "value/value_private.h"

struct converter {
    struct arena *arena;
    struct diags *diags;
    struct path at;
};

static const struct value *fail(struct converter *c, const struct trail *trail, struct str what)
{
    return value_fail(c->diags, trail_path(c->diags->arena, c->at, trail), "Inappropriate value", STR_FMT, STR_ARG(what));
}

static const struct value *convert(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                   const struct trail *trail);

static const struct value *convert_if_needed(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                             const struct trail *trail)
{
    return type_eq(v->type, out) ? v : convert(c, v, out, unsafe, trail);
}

/* Sets the possible length of a collection converted from an unknown. */
static void refine_length(const struct value *v, const struct type *target, struct value_refinement *r)
{
    const struct type *source = v->type;
    if (source->kind == TYPE_OBJECT && target->kind == TYPE_MAP) {
        (void)refine_min_length(r, (int64_t)source->n);
        (void)refine_max_length(r, (int64_t)source->n);
    } else if (source->kind == TYPE_TUPLE && (target->kind == TYPE_LIST || target->kind == TYPE_SET)) {
        /* Elements of a set may turn out equal, but at least one is left. */
        int64_t least = target->kind == TYPE_SET && source->n > 1 ? 1 : (int64_t)source->n;
        (void)refine_min_length(r, least);
        (void)refine_max_length(r, (int64_t)source->n);
    } else if (type_is_collection(source) && type_is_collection(target) && v->refinement) {
        bool to_set = target->kind == TYPE_SET;
        if (v->refinement->has_min_length)
            (void)refine_min_length(r, to_set && v->refinement->min_length > 0 ? 1 : v->refinement->min_length);
        if (v->refinement->has_max_length)
            (void)refine_max_length(r, v->refinement->max_length);
    }
}

static const struct value *convert_unknown(struct converter *c, const struct value *v, const struct type *target)
{
    struct value_refinement r = {.not_null = v->refinement && v->refinement->not_null, .prefix = STR_EMPTY};
    refine_length(v, target, &r);
    return value_unknown_refined(c->arena, target, &r);
}

static const struct value *string_to_bool(struct converter *c, struct str text, const struct trail *trail)
{
    if (str_eqz(text, "true") || str_eqz(text, "1"))
        return value_bool(c->arena, true);
    if (str_eqz(text, "false") || str_eqz(text, "0"))
        return value_bool(c->arena, false);
    if (text.n == 4 && strncasecmp(text.p, "true", 4) == 0)
        return fail(c, trail, STR("a bool is required; to convert from string, use lowercase \"true\""));
    if (text.n == 5 && strncasecmp(text.p, "false", 5) == 0)
        return fail(c, trail, STR("a bool is required; to convert from string, use lowercase \"false\""));
    return fail(c, trail, STR("a bool is required"));
}

static const struct value *convert_primitive(struct converter *c, const struct value *v, const struct type *out,
                                             const struct trail *trail)
{
    if (v->type->kind == TYPE_NUMBER)
        return value_string(c->arena, number_text(c->arena, v->number));
    if (v->type->kind == TYPE_BOOL)
        return value_string(c->arena, v->boolean ? STR("true") : STR("false"));
    if (out->kind == TYPE_BOOL)
        return string_to_bool(c, v->string, trail);
    struct number n;
    return number_parse(c->arena, v->string, &n) ? value_number(c->arena, n) : fail(c, trail, STR("a number is required"));
}

static const struct value *object_to_object(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                            const struct trail *trail)
{
    const struct value **elements = arena_make_n(c->arena, const struct value *, out->n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_ATTR}};
    for (size_t i = 0; i < out->n; i++) {
        const struct type_attr *attr = &out->attrs[i];
        const struct value *have = value_get(v, attr->name);
        inner.step.name = attr->name;
        elements[i] = have ? convert_if_needed(c, have, attr->type, unsafe, &inner) : value_null(c->arena, attr->type);
        if (!elements[i])
            return NULL;
    }
    return value_object(c->arena, out, elements);
}

static const struct value *tuple_to_tuple(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                          const struct trail *trail)
{
    const struct value **elements = arena_make_n(c->arena, const struct value *, v->n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_INDEX}};
    for (size_t i = 0; i < v->n; i++) {
        inner.step.index = (int64_t)i;
        elements[i] = convert_if_needed(c, v->elements[i], out->elements[i], unsafe, &inner);
        if (!elements[i])
            return NULL;
    }
    return value_tuple(c->arena, elements, v->n);
}

/* Elements that kept their own types, because the element type is DYNAMIC, may still be converted to a common type. */
static bool unify_elements(struct converter *c, const struct value **elements, size_t n, bool unsafe, const struct trail *trail)
{
    if (value_have_one_type(elements, n))
        return true;
    const struct type **types = arena_make_n(c->arena, const struct type *, n);
    for (size_t i = 0; i < n; i++)
        types[i] = elements[i]->type;
    const struct type *common = unify_types(c->arena, types, n, unsafe);
    if (!common)
        return fail(c, trail, STR("cannot find a common base type for all elements")) != NULL;
    for (size_t i = 0; i < n; i++) {
        elements[i] = convert_if_needed(c, elements[i], common, unsafe, trail);
        if (!elements[i])
            return false;
    }
    return true;
}

/* The elements of a list, set or tuple, converted; NULL after a diagnostic. */
static const struct value **convert_sequence(struct converter *c, const struct value *v, const struct type *element, bool unsafe,
                                             const struct trail *trail)
{
    const struct value **elements = arena_make_n(c->arena, const struct value *, v->n);
    struct trail inner = {.up = trail};
    for (size_t i = 0; i < v->n; i++) {
        inner.step = value_step(v, i);
        elements[i] = convert_if_needed(c, v->elements[i], element, unsafe, &inner);
        if (!elements[i])
            return NULL;
    }
    return elements;
}

static bool length_is_unknown(const struct value *v)
{
    return v->type->kind == TYPE_SET && v->n > 1 && !v->wholly_known;
}

/* The requested element type; if it is DYNAMIC, the type that the elements unify to. */
static const struct type *wanted_element(struct converter *c, const struct value *v, const struct type *out, bool unsafe)
{
    if (out->element->kind != TYPE_DYNAMIC || v->n == 0)
        return out->element;
    if (v->type->kind == TYPE_TUPLE)
        return unify_types(c->arena, v->type->elements, v->n, unsafe);
    return v->type->kind == TYPE_OBJECT ? unify_attributes(c->arena, v->type, unsafe) : out->element;
}

static const struct value *to_list_or_set(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                          const struct trail *trail)
{
    bool is_list = out->kind == TYPE_LIST;
    bool from_tuple = v->type->kind == TYPE_TUPLE;
    if (is_list && length_is_unknown(v))
        return value_unknown(c->arena, type_list(c->arena, v->type->element));
    const struct type *element = wanted_element(c, v, out, unsafe);
    const struct value **elements = convert_sequence(c, v, element, unsafe, trail);
    if (!elements)
        return NULL;
    if (v->n == 0 && !from_tuple && element->kind == TYPE_DYNAMIC)
        element = v->type->element; /* keep the value's own element type rather than DYNAMIC */
    if (is_list && from_tuple && !unify_elements(c, elements, v->n, unsafe, trail))
        return NULL;
    if (!value_have_one_type(elements, v->n))
        return fail(c, trail,
                    is_list ? STR("element types must all match for conversion to list")
                            : STR("element types must all match for conversion to set"));
    return is_list ? value_list(c->arena, element, elements, v->n) : value_set(c->arena, element, elements, v->n);
}

static const struct value *to_map(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                  const struct trail *trail)
{
    bool from_object = v->type->kind == TYPE_OBJECT;
    const struct type *element = wanted_element(c, v, out, unsafe);
    const struct value **elements = arena_make_n(c->arena, const struct value *, v->n);
    struct str *keys = arena_make_n(c->arena, struct str, v->n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_KEY}};
    for (size_t i = 0; i < v->n; i++) {
        keys[i] = from_object ? v->type->attrs[i].name : v->keys[i];
        inner.step.name = keys[i];
        elements[i] = convert_if_needed(c, v->elements[i], element, unsafe, &inner);
        if (!elements[i])
            return NULL;
    }
    if (v->n == 0 && !from_object && element->kind == TYPE_DYNAMIC)
        element = v->type->element;
    bool is_compound = type_is_collection(element) || element->kind == TYPE_OBJECT;
    if (is_compound && !unify_elements(c, elements, v->n, from_object && unsafe, trail))
        return NULL;
    if (!value_have_one_type(elements, v->n))
        return fail(c, trail,
                    from_object ? STR("attribute types must all match for conversion to map")
                                : STR("element types must all match for conversion to map"));
    return value_map(c->arena, element, keys, elements, v->n);
}

static const struct value *map_attribute(struct converter *c, const struct value *v, const struct type_attr *attr, bool unsafe,
                                         const struct trail *trail)
{
    const struct value *have = value_get(v, attr->name);
    if (!have && attr->optional)
        return value_null(c->arena, attr->type);
    if (!have)
        return fail(c, trail,
                    arena_printf(c->arena, "map has no element for required attribute \"" STR_FMT "\"", STR_ARG(attr->name)));
    struct trail inner = {.up = trail, .step = {.kind = PATH_KEY, .name = attr->name}};
    if (type_eq(have->type, attr->type))
        return have;
    /* For an optional attribute this was not checked before: the map might not have had it. */
    if (!convert_possible(c->arena, have->type, attr->type, unsafe)) {
        struct str why = convert_mismatch(c->arena, have->type, attr->type);
        return fail(c, trail,
                    arena_printf(c->arena, "map element type is incompatible with attribute \"" STR_FMT "\": " STR_FMT,
                                 STR_ARG(attr->name), STR_ARG(why)));
    }
    return convert(c, have, attr->type, unsafe, &inner);
}

static const struct value *map_to_object(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                         const struct trail *trail)
{
    const struct value **elements = arena_make_n(c->arena, const struct value *, out->n);
    for (size_t i = 0; i < out->n; i++) {
        elements[i] = map_attribute(c, v, &out->attrs[i], unsafe, trail);
        if (!elements[i])
            return NULL;
    }
    return value_object(c->arena, out, elements);
}

/* The types have been checked: the conversion is possible. */
static const struct value *convert(struct converter *c, const struct value *v, const struct type *out, bool unsafe,
                                   const struct trail *trail)
{
    if (out->kind == TYPE_DYNAMIC)
        return v;
    if (v->state != VALUE_KNOWN) {
        const struct type *target = convert_fill_dynamic(c->arena, v->type, out->plain);
        return v->state == VALUE_NULL ? value_null(c->arena, target) : convert_unknown(c, v, target);
    }
    switch (out->kind) {
    case TYPE_OBJECT:
        return v->type->kind == TYPE_OBJECT ? object_to_object(c, v, out, unsafe, trail)
                                            : map_to_object(c, v, out, unsafe, trail);
    case TYPE_TUPLE:
        return tuple_to_tuple(c, v, out, unsafe, trail);
    case TYPE_LIST:
    case TYPE_SET:
        return to_list_or_set(c, v, out, unsafe, trail);
    case TYPE_MAP:
        return to_map(c, v, out, unsafe, trail);
    default:
        return convert_primitive(c, v, out, trail);
    }
}

const struct value *value_convert(struct arena *a, const struct value *v, const struct type *want, struct path at,
                                  struct diags *diags)
{
    struct converter c = {.arena = a, .diags = diags, .at = at};
    if (type_eq(v->type, want->plain))
        return v;
    if (!convert_possible(a, v->type, want, true))
        return fail(&c, NULL, convert_mismatch(a, v->type, want));
    return convert(&c, v, want, true, NULL);
}
