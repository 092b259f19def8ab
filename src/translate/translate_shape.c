/*
 * Shapes: which kind of Terraform attribute a subschema becomes (docs/awscc-rules.md 1.3), and the flags of each property
 * (1.4, 1.7).
 */
#include "translate/translate_private.h"

#include <stdlib.h>

/* --- places and references --- */

struct union_made {
    const struct json *properties; /* may be NULL */
};

/* The properties of all parts; of two with one name the later one. NULL: none has any. */
static const struct json *make_union(struct translating *t, const struct json *parts)
{
    VEC(struct json_member) all = {0};
    struct map seen;
    map_init(&seen, t->arena);
    for (size_t i = parts->array.n; i-- > 0;) {
        struct cfn_property part;
        cfn_property_read(parts->array.items[i], &part);
        for (size_t m = 0; part.properties && m < part.properties->object.n; m++) {
            const struct json_member *member = &part.properties->object.members[m];
            if (map_add(&seen, member->key, (void *)member))
                *VEC_PUSH(t->arena, &all) = *member;
        }
    }
    return all.n > 0 ? json_make_object(t->arena, all.v, all.n) : NULL;
}

/* Made once for each list of parts: thousands of references may lead to one that has thousands of properties. */
static const struct json *union_of(struct translating *t, const struct json *parts)
{
    struct str key = {(const char *)&parts, sizeof parts};
    const struct union_made *known = map_get(&t->unions, key);
    if (known)
        return known->properties;
    struct union_made *made = arena_make(t->arena, struct union_made);
    made->properties = make_union(t, parts);
    map_put(&t->unions, arena_str(t->arena, key), made);
    return made->properties;
}

static bool has_parts(const struct cfn_property *p, const struct json *parts)
{
    return parts && parts->array.n > 0 && !p->properties && !p->pattern_properties;
}

/* It is an object with the properties of all parts, whatever type it had; what the parts require is lost. */
static void take_properties(struct translating *t, struct cfn_property *p, const struct json *parts)
{
    p->properties = union_of(t, parts);
    p->type = CFN_OBJECT;
}

static enum cfn_type type_of_value(const struct json *j)
{
    static const enum cfn_type types[] = {[JSON_NULL] = CFN_NULL,     [JSON_BOOL] = CFN_BOOLEAN, [JSON_NUMBER] = CFN_NUMBER,
                                          [JSON_STRING] = CFN_STRING, [JSON_ARRAY] = CFN_ARRAY,  [JSON_OBJECT] = CFN_OBJECT};
    return types[j->kind];
}

/* allOf with a reference: the last default counts, and its type; the reference itself is not followed. */
static void take_all_of(struct translating *t, struct cfn_property *p)
{
    const struct json *by_default = NULL;
    bool refers = false;
    for (size_t i = 0; i < p->all_of->array.n; i++) {
        struct cfn_property part;
        cfn_property_read(p->all_of->array.items[i], &part);
        refers |= part.ref.n > 0;
        by_default = part.by_default ? part.by_default : by_default;
    }
    if (!refers) {
        take_properties(t, p, p->all_of);
    } else if (by_default) {
        p->by_default = by_default;
        p->type = type_of_value(by_default);
    }
}

/* oneOf and allOf of something that has no properties: of a reference's target, whatever that is, and of an object. */
static void take_parts(struct translating *t, struct cfn_property *p)
{
    if (has_parts(p, p->one_of))
        take_properties(t, p, p->one_of);
    if (has_parts(p, p->all_of))
        take_all_of(t, p);
}

/* References that lead to each other, and so to nothing of a type; awscc does not mind. */
static bool is_circle(const struct translating *t, struct str ref)
{
    struct cfn_property p;
    for (size_t steps = 0; steps < CFN_MAX_REFS; steps++) {
        const struct json *target = cfn_schema_target(t->cfn, ref);
        if (!target)
            return false;
        cfn_property_read(target, &p);
        ref = p.ref;
    }
    return true;
}

bool tr_resolve(struct translating *t, const struct json *j, enum tr_place place, bool follow, struct cfn_property *ret,
                const struct json **ret_target)
{
    bool found = !follow || cfn_property_resolve(t->cfn, j, ret, ret_target);
    if (!follow || !found) {
        *ret_target = j;
        cfn_property_read(j, ret);
    }
    if (!found) {
        tr_note(t, CC_NOTE_IGNORED, "reference \"" STR_FMT "\" does not exist", STR_ARG(ret->ref));
        if (!is_circle(t, ret->ref))
            tr_refuse(t, "reference");
    }
    if (ret->odd) {
        tr_note(t, CC_NOTE_IGNORED, "%s: has an unsupported type", ret->odd);
        tr_refuse(t, ret->odd);
    }
    bool itself = place == TR_PROPERTY && (ret->type == CFN_OBJECT || ret->type == CFN_NONE);
    if (follow && (*ret_target != j || itself))
        take_parts(t, ret);
    return found;
}

/* How often the definition is around the place at work. */
static size_t times_within(const struct translating *t, const struct json *target)
{
    size_t n = 0;
    for (size_t i = 0; i < t->within.n; i++)
        n += t->within.v[i] == target;
    return n;
}

/* --- leaves --- */

void tr_json_text(struct translating *t, struct cc_node *node)
{
    (void)t;
    node->kind = CC_STRING;
    node->text = CC_TEXT_JSON;
    node->order = CC_ORDERED;
    node->type = &type_string;
    node->element = NULL;
    node->children = NULL;
    node->n_children = 0;
}

/* In place of something that Terraform cannot have here. */
static void cut(struct translating *t, struct cc_node *node, const char *what)
{
    tr_refuse(t, what);
    if (t->mode == CFN_MODE_DEFAULT)
        tr_note(t, CC_NOTE_APPROXIMATED, "%s: a JSON text here", what);
    tr_json_text(t, node);
    node->cut = true;
}

static bool is_primitive(enum cfn_type type)
{
    return type == CFN_BOOLEAN || type == CFN_INTEGER || type == CFN_NUMBER || type == CFN_STRING;
}

static void primitive(struct cc_node *node, const struct cfn_property *p)
{
    static const struct {
        enum cc_kind kind;
        const struct type *type;
    } kinds[] = {
        [CFN_BOOLEAN] = {CC_BOOL, &type_bool},
        [CFN_INTEGER] = {CC_INT64, &type_number},
        [CFN_NUMBER] = {CC_FLOAT64, &type_number},
        [CFN_STRING] = {CC_STRING, &type_string},
    };
    node->kind = kinds[p->type].kind;
    node->type = kinds[p->type].type;
    if (p->type == CFN_STRING && str_eqz(p->format, "date-time"))
        node->text = CC_TEXT_RFC3339;
}

/* Within a map, or an array's array or map: awscc does not know times there. */
static void inner_primitive(struct cc_node *node, const struct cfn_property *p)
{
    primitive(node, p);
    node->text = CC_TEXT_PLAIN;
}

static const char *word_for(enum cfn_type type)
{
    static const char *const words[] = {
        [CFN_NONE] = "typeless", [CFN_BOOLEAN] = "boolean", [CFN_INTEGER] = "integer",
        [CFN_NUMBER] = "number", [CFN_STRING] = "string",   [CFN_ARRAY] = "array",
        [CFN_OBJECT] = "object", [CFN_NULL] = "null",       [CFN_BAD] = "several types",
    };
    return words[type];
}

/* --- containers --- */

static enum cc_order order_of(const struct cfn_property *p)
{
    static const enum cc_order orders[] = {
        [CFN_ARRAY_LIST] = CC_ORDERED,
        [CFN_ARRAY_UNIQUE_LIST] = CC_ORDERED_UNIQUE,
        [CFN_ARRAY_MULTISET] = CC_MULTISET,
        [CFN_ARRAY_SET] = CC_UNORDERED,
    };
    return orders[cfn_array_class(p)];
}

static struct cc_node *new_element(struct translating *t, struct cc_node *container, const struct cfn_property *p)
{
    struct cc_node *element = arena_make(t->arena, struct cc_node);
    element->name = element->cf_name = element->description = STR_EMPTY;
    element->parent = container;
    element->source = p->json;
    container->element = element;
    return element;
}

static void container_type(struct translating *t, struct cc_node *node)
{
    const struct type *element = node->element->type;
    if (t->failed) /* nobody will see it, and the element may not be done */
        return;
    node->type = node->kind == CC_MAP   ? type_map(t->arena, element)
                 : node->kind == CC_SET ? type_set(t->arena, element)
                                        : type_list(t->arena, element);
}

static void object(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow, bool keep_required)
{
    tr_children(t, node, p, keep_required ? p->required : NULL, follow);
}

/* An inner array or map of primitives; false: it is something else. */
static bool array_of_primitives(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow, bool sets)
{
    struct cfn_property items;
    const struct json *target;
    if (!p->items || !tr_resolve(t, p->items, TR_ITEMS, follow, &items, &target) || !is_primitive(items.type))
        return false;
    node->order = order_of(p);
    node->kind = sets && node->order == CC_UNORDERED ? CC_SET : CC_LIST;
    inner_primitive(new_element(t, node, &items), &items);
    container_type(t, node);
    return true;
}

/* In bytewise order; there is one. */
static const struct json_member *first_member(const struct json *object)
{
    const struct json_member *first = &object->object.members[0];
    for (size_t i = 1; i < object->object.n; i++)
        if (str_cmp(object->object.members[i].key, first->key) < 0)
            first = &object->object.members[i];
    return first;
}

/* The subschema of a map's values: the first pattern in bytewise order counts. */
static const struct json *map_values(const struct cfn_property *p)
{
    return first_member(p->pattern_properties)->value;
}

static bool is_map(const struct cfn_property *p)
{
    return (p->type == CFN_OBJECT || p->type == CFN_NONE) && p->pattern_properties && !p->properties;
}

static bool is_object(const struct cfn_property *p)
{
    return (p->type == CFN_OBJECT || p->type == CFN_NONE) && p->properties && !p->pattern_properties;
}

/* A map within a list or map: of primitives or, within a map, of arrays of them. */
static bool map_of_primitives(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow, bool arrays)
{
    struct cfn_property value;
    const struct json *target;
    if (!tr_resolve(t, map_values(p), TR_PROPERTY, follow, &value, &target))
        return false;
    struct cc_node *element = new_element(t, node, &value);
    if (is_primitive(value.type))
        inner_primitive(element, &value);
    else if (!arrays || value.type != CFN_ARRAY || !array_of_primitives(t, element, &value, follow, true))
        return false;
    node->kind = CC_MAP;
    container_type(t, node);
    return true;
}

/* References in what an array holds: an object that stands there itself has its properties' references followed, but not those of
 * its values; whatever else stands there itself has none followed. */
static bool follows_inside(const struct json *items, const struct json *target, const struct cfn_property *p, bool follow)
{
    return follow && (items != target || p->type == CFN_OBJECT);
}

/* awscc takes an array of arrays of objects for an array of what the first property of these holds, which is mostly nothing. */
static void array_of_arrays_of_objects(struct translating *t, struct cc_node *element, const struct cfn_property *inner)
{
    struct cfn_property first;
    const struct json *target;
    (void)tr_resolve(t, first_member(inner->properties)->value, TR_PROPERTY, true, &first, &target);
    tr_note(t, CC_NOTE_APPROXIMATED, "list of array of object: it has no content, as in awscc");
    if (!is_object(&first))
        first.properties = NULL;
    element->cut = true;
    tr_children(t, element, &first, first.required, true);
}

static void array_of_arrays(struct translating *t, struct cc_node *element, const struct cfn_property *items, bool set,
                            bool follow)
{
    const char *what = set ? "set of array" : "list of array";
    struct cfn_property inner;
    const struct json *target;
    bool known = !set && cfn_array_class(items) == CFN_ARRAY_SET;
    bool found = items->items && tr_resolve(t, items->items, TR_ITEMS, follow, &inner, &target);
    if (known && found && inner.type == CFN_OBJECT && inner.properties) {
        array_of_arrays_of_objects(t, element, &inner);
        return;
    }
    /* Default mode: an array of arrays of primitives has a type in Terraform, whatever class the inner ones have. */
    if (!known)
        tr_refuse(t, what);
    if (!array_of_primitives(t, element, items, follow, false))
        cut(t, element, what);
}

static void array_element(struct translating *t, struct cc_node *node, struct cc_node *element, const struct cfn_property *items,
                          bool inside, bool by_reference)
{
    bool set = node->kind == CC_SET;
    const char *what = arena_printf(t->arena, "%s of %s", set ? "set" : "list", word_for(items->type)).p;
    if (is_primitive(items->type)) {
        primitive(element, items);
    } else if (items->type == CFN_ARRAY) {
        array_of_arrays(t, element, items, set, by_reference && inside);
    } else if (is_object(items)) {
        if (items->type == CFN_NONE)
            tr_refuse(t, what);
        object(t, element, items, inside, true);
    } else if (is_map(items)) {
        if (set || items->type == CFN_NONE)
            tr_refuse(t, set ? "set of map" : what);
        if (!map_of_primitives(t, element, items, by_reference && inside, false))
            cut(t, element, what);
    } else {
        cut(t, element, what);
    }
}

static void array(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow)
{
    struct cfn_property items;
    const struct json *target;
    static const struct json none = {.kind = JSON_OBJECT};
    const struct json *j = p->items ? p->items : &none;
    node->order = order_of(p);
    node->kind = node->order == CC_UNORDERED ? CC_SET : CC_LIST;
    (void)tr_resolve(t, j, TR_ITEMS, follow, &items, &target);
    array_element(t, node, new_element(t, node, &items), &items, follows_inside(j, target, &items, follow), j != target);
    container_type(t, node);
}

/* A map's value that is an array: of primitives; or a set of objects, which awscc takes for the object itself. */
static void map_of_arrays(struct translating *t, struct cc_node *element, const struct cfn_property *value, bool follow)
{
    if (array_of_primitives(t, element, value, follow, true))
        return;
    struct cfn_property items;
    const struct json *target;
    bool found = value->items && tr_resolve(t, value->items, TR_ITEMS, follow, &items, &target);
    if (found && is_object(&items) && items.type == CFN_NONE)
        tr_refuse(t, "map of array");
    if (found && is_object(&items) && cfn_array_class(value) == CFN_ARRAY_SET)
        object(t, element, &items, follows_inside(value->items, target, &items, follow), false);
    else
        cut(t, element, found && items.type == CFN_OBJECT ? "map of list of object" : "map of array");
}

static bool map_of_maps(struct translating *t, struct cc_node *element, const struct cfn_property *value, bool follow)
{
    if (value->type == CFN_NONE)
        tr_refuse(t, "map of typeless");
    return map_of_primitives(t, element, value, follow, true);
}

static void map(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow)
{
    struct cfn_property value;
    const struct json *target;
    node->kind = CC_MAP;
    (void)tr_resolve(t, map_values(p), TR_PROPERTY, follow, &value, &target);
    struct cc_node *element = new_element(t, node, &value);
    if (is_primitive(value.type))
        inner_primitive(element, &value);
    else if (value.type == CFN_ARRAY)
        map_of_arrays(t, element, &value, follow);
    else if (is_object(&value)) {
        if (value.type == CFN_NONE)
            tr_refuse(t, "map of typeless");
        object(t, element, &value, follow, false);
    } else if (!is_map(&value) || !map_of_maps(t, element, &value, follow))
        cut(t, element, arena_printf(t->arena, "map of %s", word_for(value.type)).p);
    container_type(t, node);
}

void tr_shape(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow)
{
    if (is_primitive(p->type)) {
        primitive(node, p);
    } else if (p->type == CFN_ARRAY) {
        array(t, node, p, follow);
    } else if (is_map(p)) {
        map(t, node, p, follow);
    } else if (is_object(p)) {
        object(t, node, p, follow, true);
    } else if (p->type == CFN_OBJECT || p->type == CFN_NONE) {
        if (p->properties && p->pattern_properties)
            cut(t, node, "properties and patternProperties");
        else
            tr_json_text(t, node);
    } else {
        cut(t, node, word_for(p->type));
    }
}

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

/* docs/awscc-rules.md 1.4, in its order. Pointers with a star change nothing here. True: must be configured, though the schema
 * says optional. */
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

/* The attribute that the object at work is, or is an element of; NULL: the top level. */
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

/* A child to be: a property, or one of the nodes that the top level has besides. */
struct child {
    const struct json_member *member; /* NULL: no property */
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

/* Names that Terraform keeps for itself in every resource. */
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

/* In order of CloudFormation's names. */
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

/* Names that differ in CloudFormation and not in Terraform: all but the first get a number. */
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

/* Pointers to them in order of Terraform's names, which are unique from now on. */
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

/* Every recursion of a translation goes through here, and so do its bounds. */
void tr_children(struct translating *t, struct cc_node *object, const struct cfn_property *p, const struct json *required,
                 bool follow)
{
    if (times_within(t, p->json) > t->levels || tr_too_large(t, p->properties ? p->properties->object.n : 0)) {
        cut(t, object, t->too_large ? "too large" : "recursive");
        return;
    }
    object->kind = CC_OBJECT;
    *VEC_PUSH(t->arena, &t->within) = p->json;
    build_children(t, object, p->properties, required, follow);
    t->within.n--;
}
