#include "translate/node.h"

const struct cc_node *cc_node_child(const struct cc_node *object, struct str name)
{
    size_t low = 0, high = object->n_children;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(object->children[middle].name, name);
        if (order == 0)
            return &object->children[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct cc_node *cc_node_cf_child(const struct cc_node *object, struct str cf_name)
{
    size_t low = 0, high = object->n_children;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct cc_node *child = &object->children[object->by_cf_name[middle]];
        int order = str_cmp(child->cf_name, cf_name);
        /* Children without a CloudFormation name must not be found by the empty name. */
        if (order == 0)
            return cf_name.n > 0 ? child : NULL;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The object inside arrays and maps: pointers have no steps for these. */
static const struct cc_node *inner_object(const struct cc_node *node)
{
    while (node->element)
        node = node->element;
    return node;
}

const struct cc_node *cc_node_at_pointer(const struct cc_node *root, struct str pointer, bool *ret_starred)
{
    struct cfn_pointer parsed = {0};
    const struct cc_node *node = cfn_parse_pointer(pointer, &parsed) ? root : NULL;
    for (size_t i = 0; node && i < parsed.n; i++) {
        if (str_eq(parsed.steps[i], STR("*")))
            continue;
        node = cc_node_cf_child(inner_object(node), parsed.steps[i]);
    }
    if (ret_starred)
        *ret_starred = parsed.starred;
    return node;
}

const struct cc_node *cc_node_attr(const struct cc_node *node)
{
    while (node->name.n == 0 && node->parent)
        node = node->parent;
    return node;
}

void cc_node_write_path(struct buf *out, const struct cc_node *node)
{
    if (!node->parent)
        return;
    cc_node_write_path(out, node->parent);
    if (node->name.n == 0) {
        buf_addz(out, node->parent->kind == CC_MAP ? "{}" : "[]");
        return;
    }
    if (node->parent->parent)
        buf_addc(out, '.');
    buf_add(out, node->name);
}

void cc_node_write_pointer(struct buf *out, const struct cc_node *node)
{
    if (!node->parent) {
        buf_addz(out, "/properties");
        return;
    }
    cc_node_write_pointer(out, node->parent);
    if (node->cf_name.n == 0)
        return;
    buf_addc(out, '/');
    buf_add(out, node->cf_name);
}

void cc_node_walk(const struct cc_node *root, cc_node_fn *fn, void *ctx)
{
    if (!fn(ctx, root))
        return;
    if (root->element)
        cc_node_walk(root->element, fn, ctx);
    for (size_t i = 0; i < root->n_children; i++)
        cc_node_walk(&root->children[i], fn, ctx);
}

bool cc_node_is_nested(const struct cc_node *node)
{
    return node->kind == CC_OBJECT || (node->element && node->element->kind == CC_OBJECT);
}

/* --- questions --- */

bool cc_may_have_write_only(const struct cc_node *node)
{
    for (size_t i = 0; i < node->n_children; i++)
        if (node->children[i].write_only || cc_may_have_write_only(&node->children[i]))
            return true;
    return false;
}

bool cc_is_create_and_write_only(const struct cc_node *node)
{
    bool create_only = false, write_only = false;
    for (; node; node = node->parent) {
        create_only |= node->create_only;
        write_only |= node->write_only;
    }
    return create_only && write_only;
}

const struct cc_node *cc_key_node(const struct cc_node *element)
{
    if (element->kind != CC_OBJECT || element->cut)
        return NULL;
    const struct cc_node *key = cc_node_cf_child(element, STR("Key"));
    if (!key)
        key = cc_node_cf_child(element, STR("key"));
    return key && key->kind == CC_STRING ? key : NULL;
}
