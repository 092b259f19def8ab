#include "cloudcontrol/node_value_private.h"

bool cc_is_null_or_empty(const struct value *v)
{
    if (v->state != VALUE_KNOWN || !type_is_collection(v->type))
        return value_is_null(v);
    for (size_t i = 0; i < v->n; i++)
        if (!value_is_null(v->elements[i]))
            return false;
    return true;
}

bool cc_is_empty_throughout(const struct value *v)
{
    if (cc_is_null_or_empty(v))
        return true;
    if (!cc_has_content(v) || v->type->kind != TYPE_OBJECT)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (!cc_is_empty_throughout(v->elements[i]))
            return false;
    return true;
}

bool cc_service_may_omit(const struct cc_node *node, const struct value *v)
{
    if (node->write_only || cc_is_read_only(node) || cc_is_null_or_empty(v))
        return true;
    if (!cc_has_content(v) || node->kind != CC_OBJECT)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (!cc_service_may_omit(&node->children[i], v->elements[i]))
            return false;
    return true;
}

const struct value *cc_make(struct arena *a, const struct cc_node *node, const struct value *const *parts, const struct str *keys,
                            size_t n)
{
    switch (node->kind) {
    case CC_OBJECT:
        return value_object(a, node->type, parts);
    case CC_MAP:
        return value_map(a, node->element->type, keys, parts, n);
    case CC_SET:
        return value_set(a, node->element->type, parts, n);
    default:
        return value_list(a, node->element->type, parts, n);
    }
}

struct str cc_key_of(const struct cc_node *element, const struct value *v)
{
    const struct cc_node *key = cc_key_node(element);
    const struct value *text = key ? cc_part(v, (size_t)(key - element->children)) : NULL;
    return cc_has_content(text) ? text->string : STR_EMPTY;
}
