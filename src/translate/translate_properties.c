/* The properties of an object: their names and order, and the flags of each (docs/awscc-rules.md 1.4, 1.7). */
#include "translate/translate_private.h"

#include <stdlib.h>

/* --- flags --- */

static bool pointers_have(struct tr_pointers *pointers, struct str path, bool *ret_starred)
{
    bool plain = false, starred = false;
    for (size_t i = 0; i < pointers->n; i++) {
        struct tr_pointer *p = &pointers->v[i];
        if (!str_eq(p->path, path))
            continue;
        p->used = true;
        plain |= !p->starred;
        starred |= p->starred;
    }
    *ret_starred = starred && !plain;
    return plain || starred;
}

static void mark(struct translating *t, struct cc_node *node)
{
    struct str path = buf_str(&t->path);
    bool ignored;
    node->read_only = pointers_have(&t->read_only, path, &node->starred_read_only);
    node->write_only = pointers_have(&t->write_only, path, &node->starred_write_only);
    node->create_only = pointers_have(&t->create_only, path, &node->starred_create_only);
    node->conditional_create_only = pointers_have(&t->conditional_create_only, path, &ignored);
    node->deprecated = pointers_have(&t->deprecated, path, &ignored);
    if (t->mode == CFN_MODE_STRICT) {
        node->read_only &= !node->starred_read_only;
        node->write_only &= !node->starred_write_only;
        node->create_only &= !node->starred_create_only;
        node->starred_read_only = node->starred_write_only = node->starred_create_only = false;
    }
}

static bool is_computed_only(const struct cc_node *attr)
{
    return attr->computed && !attr->optional;
}

/* Follows docs/awscc-rules.md 1.4, in the same order. Pointers with a star have no effect here. True if the attribute must be
 * configured although Terraform's schema says optional. */
static bool set_flags(struct cc_node *node, const struct cc_node *parent, bool has_default)
{
    bool read_only = node->read_only && !node->starred_read_only;
    bool create_only = node->create_only && !node->starred_create_only;
    node->required = node->cf_required && !has_default;
    node->optional = !node->required && (!read_only || node->cf_required);
    node->computed = node->optional || has_default || (!node->required && (read_only || create_only));
    if (parent && is_computed_only(parent)) {
        node->required = node->optional = false;
        node->computed = true;
    } else if (node->required && parent && parent->optional && parent->computed) {
        node->required = false;
        node->optional = node->computed = true;
        return true;
    }
    return false;
}

static void set_modifiers(struct cc_node *node, const struct cc_node *parent)
{
    node->use_state_for_unknown = node->computed && !(parent && is_computed_only(parent));
    if (node->create_only)
        node->replace = node->optional && node->computed ? CC_REPLACE_IF_CONFIGURED : CC_REPLACE_ALWAYS;
}

/* --- properties --- */

/* The attribute of an object: itself, or the container it is an element of; NULL at the top level. */
static const struct cc_node *attr_of(const struct cc_node *object)
{
    const struct cc_node *attr = cc_node_attr(object);
    return attr->parent ? attr : NULL;
}

static void property(struct translating *t, struct cc_node *node, const struct json *j, bool follow)
{
    struct cfn_property p;
    const struct json *target;
    const struct cc_node *parent = attr_of(node->parent);
    (void)tr_resolve(t, j, TR_PROPERTY, follow, &p, &target);
    node->source = p.json;
    node->description = p.description;
    node->default_json = p.by_default;
    mark(t, node);
    bool not_null = set_flags(node, parent, p.by_default != NULL);
    set_modifiers(node, parent);
    tr_shape(t, node, &p, follow);
    tr_default(t, node, &p);
    tr_validators(t, node, &p, not_null);
    tr_check_default(t, node);
}

/* A future child: a property, or one of the additional nodes of the top level. */
struct child {
    const struct json_member *member; /* NULL: not a property */
    struct str name, cf_name;
    enum cc_role role;
};

static int by_cf_name(const void *a, const void *b)
{
    return str_cmp(((const struct child *)a)->cf_name, ((const struct child *)b)->cf_name);
}

static int by_name(const void *a, const void *b)
{
    return str_cmp((*(struct child *const *)a)->name, (*(struct child *const *)b)->name);
}

static void push_name(struct translating *t, struct str name)
{
    if (t->path.n > 0)
        buf_addc(&t->path, '/');
    buf_add(&t->path, name);
}

/* Renames what Terraform reserves in every resource. */
static struct str top_level_name(struct translating *t, struct str cf_name, struct str name)
{
    static const char *const reserved[] = {"count", "depends_on", "for_each", "lifecycle"};
    struct str relative = cfn_relative_type(t->type->tf_type);
    if (str_eqz(name, "id"))
        return arena_printf(t->arena, STR_FMT "_id", STR_ARG(relative));
    if (str_eqz(name, "provider"))
        return STR("provider_name");
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (str_eqz(name, reserved[i])) {
            push_name(t, cf_name);
            tr_refuse(t, "meta-argument");
            buf_clear(&t->path);
            return arena_printf(t->arena, STR_FMT "_" STR_FMT, STR_ARG(relative), STR_ARG(name));
        }
    return name;
}

static bool is_required(const struct json *required, struct str name)
{
    for (size_t i = 0; required && i < required->array.n; i++)
        if (required->array.items[i]->kind == JSON_STRING && str_eq(required->array.items[i]->text, name))
            return true;
    return false;
}

static bool has_name(const struct child *children, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eqz(children[i].name, name))
            return true;
    return false;
}

/* Sorted by CloudFormation's names. */
static struct child *list_children(struct translating *t, const struct cc_node *object, const struct json *properties,
                                   size_t *ret_n)
{
    enum { EXTRA = 2 };
    bool top = !object->parent;
    size_t n = properties ? properties->object.n : 0;
    struct child *children = arena_make_n(t->arena, struct child, n + EXTRA);
    for (size_t i = 0; i < n; i++) {
        const struct json_member *m = &properties->object.members[i];
        struct str name = cfn_snake(t->arena, m->key);
        children[i] = (struct child){m, top ? top_level_name(t, m->key, name) : name, m->key, CC_ROLE_PROPERTY};
    }
    if (top)
        children[n++] = (struct child){NULL, STR("id"), STR_EMPTY, CC_ROLE_ID};
    if (top && t->mode == CFN_MODE_DEFAULT && !has_name(children, n, "timeouts"))
        children[n++] = (struct child){NULL, STR("timeouts"), STR_EMPTY, CC_ROLE_TIMEOUTS};
    qsort(children, n, sizeof children[0], by_cf_name);
    *ret_n = n;
    return children;
}

/* Properties with different names in CloudFormation but the same in Terraform: all but the first get a number. */
static void tell_apart(struct translating *t, struct child *children, size_t n)
{
    struct map taken;
    map_init(&taken, t->arena);
    for (size_t i = 0; i < n; i++) {
        struct str name = children[i].name;
        const struct child *other = map_get(&taken, name);
        for (unsigned k = 2; !map_add(&taken, children[i].name, &children[i]); k++)
            children[i].name = arena_printf(t->arena, STR_FMT "_%u", STR_ARG(name), k);
        if (other)
            tr_clash(t, children[i].cf_name, other->cf_name, children[i].name);
    }
}

/* Pointers to the children, sorted by Terraform's names, after making these unique. */
static struct child **sort_children(struct translating *t, struct child *children, size_t n)
{
    struct child **sorted = arena_make_n(t->arena, struct child *, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &children[i];
    qsort(sorted, n, sizeof sorted[0], by_name);
    for (size_t i = 1; i < n; i++)
        if (str_eq(sorted[i]->name, sorted[i - 1]->name)) {
            tell_apart(t, children, n);
            qsort(sorted, n, sizeof sorted[0], by_name);
            break;
        }
    return sorted;
}

static void build_child(struct translating *t, struct cc_node *node, const struct child *child, bool follow)
{
    size_t outer = t->path.n;
    if (child->role == CC_ROLE_ID)
        tr_id(t, node);
    else if (child->role == CC_ROLE_TIMEOUTS)
        tr_timeouts(t, node);
    else {
        push_name(t, child->cf_name);
        property(t, node, child->member->value, follow);
        t->path.n = outer;
    }
}

static const struct type *object_type(struct translating *t, const struct cc_node *object)
{
    struct type_attr *attrs = arena_make_n(t->arena, struct type_attr, object->n_children);
    for (size_t i = 0; i < object->n_children; i++)
        attrs[i] = (struct type_attr){object->children[i].name, object->children[i].type, false};
    return type_object(t->arena, attrs, object->n_children);
}

static void build_children(struct translating *t, struct cc_node *object, const struct json *properties,
                           const struct json *required, bool follow)
{
    size_t n;
    struct child *children = list_children(t, object, properties, &n);
    struct child **sorted = sort_children(t, children, n);
    struct cc_node *nodes = arena_make_n(t->arena, struct cc_node, n);
    uint32_t *positions = arena_make_n(t->arena, uint32_t, n);
    t->n_nodes += n;
    t->depth++;
    for (size_t i = 0; i < n; i++) {
        nodes[i].name = sorted[i]->name;
        nodes[i].cf_name = sorted[i]->cf_name;
        nodes[i].role = sorted[i]->role;
        nodes[i].parent = object;
        nodes[i].cf_required = sorted[i]->member && is_required(required, sorted[i]->cf_name);
        positions[sorted[i] - children] = (uint32_t)i;
    }
    for (size_t i = 0; i < n && !t->failed; i++)
        build_child(t, &nodes[positions[i]], &children[i], follow);
    t->depth--;
    object->children = nodes;
    object->by_cf_name = positions;
    object->n_children = n;
    if (!t->failed)
        object->type = object_type(t, object);
}

/* How many times the definition encloses the current property. */
static size_t times_within(const struct translating *t, const struct json *target)
{
    size_t n = 0;
    for (size_t i = 0; i < t->within.n; i++)
        n += t->within.v[i] == target;
    return n;
}

/* All recursion of a translation goes through here, so the limits are checked here. */
void tr_children(struct translating *t, struct cc_node *object, const struct cfn_property *p, const struct json *required,
                 bool follow)
{
    if (times_within(t, p->json) > t->levels || tr_too_large(t, p->properties ? p->properties->object.n : 0)) {
        tr_cut(t, object, t->too_large ? "too large" : "recursive");
        return;
    }
    object->kind = CC_OBJECT;
    *VEC_PUSH(t->arena, &t->within) = p->json;
    build_children(t, object, p->properties, required, follow);
    t->within.n--;
}
