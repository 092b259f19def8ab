/*
 * Which types convert to which:
 *
 *     bool, number -> string              always
 *     string -> bool, number              unsafe: depends on the text
 *     list, set -> list                   element by element
 *     list, set -> set                    from a list unsafe: order and duplicates are lost
 *     tuple -> tuple, list, set           element by element; to an element type DYNAMIC if all unify
 *     map -> map, object -> map           as above
 *     object -> object                    more attributes than wanted are dropped; missing ones must be optional
 *     map -> object                       unsafe: depends on the keys
 *     anything -> dynamic, dynamic -> anything (unsafe)
 */
#include "value/convert.h"
#include "value/convert_types_private.h"

static bool primitive_possible(const struct type *in, const struct type *out, bool unsafe)
{
    if (out->kind == TYPE_STRING)
        return in->kind != TYPE_STRING;
    return unsafe && in->kind == TYPE_STRING;
}

static bool same_or_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe)
{
    return type_eq(in, out) || convert_possible(a, in, out, unsafe);
}

static bool object_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe)
{
    for (size_t i = 0; i < out->n; i++) {
        size_t at = type_attr_find(in, out->attrs[i].name);
        if (at == SIZE_MAX ? !out->attrs[i].optional : !same_or_possible(a, in->attrs[at].type, out->attrs[i].type, unsafe))
            return false;
    }
    return true;
}

static bool tuple_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe)
{
    if (in->n != out->n)
        return false;
    for (size_t i = 0; i < in->n; i++)
        if (!same_or_possible(a, in->elements[i], out->elements[i], unsafe))
            return false;
    return true;
}

/* A DYNAMIC element type becomes the type that the tuple's elements unify to; it stays DYNAMIC only if all of them are. */
static bool tuple_to_collection_possible(struct arena *a, const struct type *in, const struct type *element, bool unsafe)
{
    bool is_open = element->kind == TYPE_DYNAMIC;
    if (in->n == 0)
        return true;
    if (is_open)
        element = unify_types(a, in->elements, in->n, unsafe);
    if (!element)
        return false;
    for (size_t i = 0; i < in->n; i++) {
        bool stays_open = is_open && element->kind == TYPE_DYNAMIC;
        if (stays_open ? in->elements[i]->kind != TYPE_DYNAMIC : !same_or_possible(a, in->elements[i], element, unsafe))
            return false;
    }
    return true;
}

static bool object_to_map_possible(struct arena *a, const struct type *in, const struct type *element, bool unsafe)
{
    if (in->n > 0 && element->kind == TYPE_DYNAMIC)
        element = unify_attributes(a, in, unsafe);
    if (!element)
        return false;
    for (size_t i = 0; i < in->n; i++)
        if (!same_or_possible(a, in->attrs[i].type, element, unsafe))
            return false;
    return true;
}

static bool map_to_object_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe)
{
    if (!unsafe)
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!out->attrs[i].optional && !same_or_possible(a, in->element, out->attrs[i].type, unsafe))
            return false;
    return true;
}

bool convert_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe)
{
    if (out->kind == TYPE_DYNAMIC)
        return true;
    if (in->kind == TYPE_DYNAMIC)
        return unsafe;
    if (type_is_primitive(in) && type_is_primitive(out))
        return primitive_possible(in, out, unsafe);
    bool is_sequence = in->kind == TYPE_LIST || in->kind == TYPE_SET;
    switch (out->kind) {
    case TYPE_OBJECT:
        if (in->kind == TYPE_OBJECT)
            return object_possible(a, in, out, unsafe);
        return in->kind == TYPE_MAP && map_to_object_possible(a, in, out, unsafe);
    case TYPE_TUPLE:
        return in->kind == TYPE_TUPLE && tuple_possible(a, in, out, unsafe);
    case TYPE_MAP:
        if (in->kind == TYPE_OBJECT)
            return object_to_map_possible(a, in, out->element, unsafe);
        return in->kind == TYPE_MAP && same_or_possible(a, in->element, out->element, unsafe);
    case TYPE_SET:
        if (in->kind == TYPE_LIST && !unsafe)
            return false;
        /* fall through */
    case TYPE_LIST:
        if (in->kind == TYPE_TUPLE)
            return tuple_to_collection_possible(a, in, out->element, unsafe);
        return is_sequence && same_or_possible(a, in->element, out->element, unsafe);
    default:
        return false;
    }
}

static const struct type *or_else(const struct type *t, const struct type *fallback)
{
    return t ? t : fallback;
}

/* The common type of the elements of `in` when they become elements of one collection; NULL if there is none. */
static const struct type *common_element(struct arena *a, const struct type *in, bool for_map)
{
    if (for_map)
        return in->kind == TYPE_MAP ? in->element : in->kind == TYPE_OBJECT ? unify_attributes(a, in, true) : NULL;
    if (in->kind == TYPE_LIST || in->kind == TYPE_SET)
        return in->element;
    return in->kind == TYPE_TUPLE ? unify_types(a, in->elements, in->n, true) : NULL;
}

static const struct type *fill_object(struct arena *a, const struct type *in, const struct type *out)
{
    struct type_attr *attrs = arena_make_n(a, struct type_attr, out->n);
    for (size_t i = 0; i < out->n; i++) {
        size_t at = in->kind == TYPE_OBJECT ? type_attr_find(in, out->attrs[i].name) : SIZE_MAX;
        const struct type *from = in->kind == TYPE_MAP ? in->element : at != SIZE_MAX ? in->attrs[at].type : NULL;
        attrs[i] = out->attrs[i];
        if (from)
            attrs[i].type = convert_fill_dynamic(a, from, out->attrs[i].type);
    }
    return type_object(a, attrs, out->n);
}

static const struct type *fill_tuple(struct arena *a, const struct type *in, const struct type *out)
{
    if (in->kind != TYPE_TUPLE || in->n != out->n)
        return out;
    const struct type **elements = arena_make_n(a, const struct type *, out->n);
    for (size_t i = 0; i < out->n; i++)
        elements[i] = convert_fill_dynamic(a, in->elements[i], out->elements[i]);
    return type_tuple(a, elements, out->n);
}

const struct type *convert_fill_dynamic(struct arena *a, const struct type *in, const struct type *out)
{
    if (in->kind == TYPE_DYNAMIC || !out->has_dynamic)
        return out;
    switch (out->kind) {
    case TYPE_DYNAMIC:
        return in;
    case TYPE_OBJECT:
        return fill_object(a, in, out);
    case TYPE_TUPLE:
        return fill_tuple(a, in, out);
    case TYPE_MAP:
        return type_map(a, convert_fill_dynamic(a, or_else(common_element(a, in, true), &type_dynamic), out->element));
    case TYPE_SET:
        return type_set(a, convert_fill_dynamic(a, or_else(common_element(a, in, false), &type_dynamic), out->element));
    case TYPE_LIST:
        return type_list(a, convert_fill_dynamic(a, or_else(common_element(a, in, false), &type_dynamic), out->element));
    default:
        return out;
    }
}

static struct str required(struct arena *a, const struct type *want)
{
    return arena_printf(a, STR_FMT " required", STR_ARG(type_friendly_constraint(a, want)));
}

/* attribute "a" is required; attributes "a" and "b" are required; attributes "a", "b", and "c" are required */
static struct str missing_attributes(struct arena *a, const struct type *got, const struct type *want)
{
    size_t n = 0;
    struct str list = STR_EMPTY, last = STR_EMPTY;
    for (size_t i = 0; i < want->n; i++) {
        const struct type_attr *attr = &want->attrs[i];
        if (attr->optional || type_attr_find(got, attr->name) != SIZE_MAX)
            continue;
        if (n > 0)
            list = arena_printf(a, STR_FMT "\"" STR_FMT "\", ", STR_ARG(list), STR_ARG(last));
        last = attr->name;
        n++;
    }
    if (n == 0)
        return STR_EMPTY;
    if (n == 1)
        return arena_printf(a, "attribute \"" STR_FMT "\" is required", STR_ARG(last));
    if (n == 2) /* without a comma */
        return arena_printf(a, "attributes " STR_FMT " and \"" STR_FMT "\" are required", STR_ARG(str_slice(list, 0, list.n - 2)),
                            STR_ARG(last));
    return arena_printf(a, "attributes " STR_FMT "and \"" STR_FMT "\" are required", STR_ARG(list), STR_ARG(last));
}

/* The first attribute that cannot be converted at all, or otherwise the first whose conversion depends on the value. */
static struct str mismatched_attribute(struct arena *a, const struct type *got, const struct type *want)
{
    for (int unsafe = 1; unsafe >= 0; unsafe--) {
        for (size_t i = 0; i < want->n; i++) {
            const struct type_attr *attr = &want->attrs[i];
            size_t at = type_attr_find(got, attr->name);
            if (at == SIZE_MAX || same_or_possible(a, got->attrs[at].type, attr->type, unsafe))
                continue;
            struct str why = convert_mismatch(a, got->attrs[at].type, attr->type);
            return arena_printf(a, "attribute \"" STR_FMT "\": " STR_FMT, STR_ARG(attr->name), STR_ARG(why));
        }
    }
    return STR("incorrect object attributes");
}

static struct str mismatch_from_structure(struct arena *a, const struct type *got, const struct type *want)
{
    if ((want->kind == TYPE_MAP) != (got->kind == TYPE_OBJECT))
        return required(a, want);
    for (size_t i = 0; i < got->n; i++) {
        const struct type *part = got->kind == TYPE_TUPLE ? got->elements[i] : got->attrs[i].type;
        if (same_or_possible(a, part, want->element, true))
            continue;
        struct str why = convert_mismatch(a, part, want->element);
        return got->kind == TYPE_TUPLE
                   ? arena_printf(a, "element %zu: " STR_FMT, i, STR_ARG(why))
                   : arena_printf(a, "element \"" STR_FMT "\": " STR_FMT, STR_ARG(got->attrs[i].name), STR_ARG(why));
    }
    return arena_printf(a, "all elements must be " STR_FMT, STR_ARG(type_friendly_constraint(a, want->element)));
}

static struct str mismatch_from_collection(struct arena *a, const struct type *got, const struct type *want)
{
    if ((want->kind == TYPE_MAP) != (got->kind == TYPE_MAP))
        return required(a, want);
    const char *kind = want->kind == TYPE_LIST ? "list" : want->kind == TYPE_SET ? "set" : "map";
    struct str why = convert_mismatch(a, got->element, want->element);
    return arena_printf(a, "incorrect %s element type: " STR_FMT, kind, STR_ARG(why));
}

/* True when the types are clearly the cause and not the value, so that the message should name both. */
static bool types_are_at_fault(const struct type *got, const struct type *want)
{
    return type_is_primitive(got) != type_is_primitive(want) || want->kind == TYPE_STRING ||
           (want->kind == TYPE_BOOL && got->kind == TYPE_NUMBER) || (got->kind == TYPE_BOOL && want->kind == TYPE_NUMBER) ||
           (got->kind == TYPE_TUPLE && want->kind == TYPE_OBJECT);
}

struct str convert_mismatch(struct arena *a, const struct type *got, const struct type *want)
{
    bool wants_collection = type_is_collection(want);
    bool wants_open = wants_collection && want->element->kind == TYPE_DYNAMIC;
    if (got->kind == TYPE_OBJECT && want->kind == TYPE_OBJECT) {
        struct str missing = missing_attributes(a, got, want);
        return missing.n > 0 ? missing : mismatched_attribute(a, got, want);
    }
    if (wants_open && got->kind == TYPE_TUPLE && want->kind == TYPE_LIST)
        return STR("all list elements must have the same type");
    if (wants_open && got->kind == TYPE_TUPLE && want->kind == TYPE_SET)
        return STR("all set elements must have the same type");
    if (wants_open && got->kind == TYPE_OBJECT && want->kind == TYPE_MAP)
        return STR("all map elements must have the same type");
    if (wants_collection && (got->kind == TYPE_TUPLE || got->kind == TYPE_OBJECT))
        return mismatch_from_structure(a, got, want);
    if (wants_collection && type_is_collection(got))
        return mismatch_from_collection(a, got, want);
    if (types_are_at_fault(got, want))
        return arena_printf(a, STR_FMT " required, but have " STR_FMT, STR_ARG(type_friendly(a, want)),
                            STR_ARG(type_friendly(a, got)));
    return required(a, want);
}
