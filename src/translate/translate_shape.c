/* Shapes: which kind of Terraform attribute a subschema becomes (docs/awscc-rules.md 1.3). */
#include "translate/translate_private.h"

/* --- leaves --- */

/* Makes `node` a string that contains any JSON. */
static void as_json_text(struct translating *t, struct cc_node *node)
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

void tr_cut(struct translating *t, struct cc_node *node, const char *what)
{
    tr_refuse(t, what);
    if (t->mode == CFN_MODE_DEFAULT)
        tr_note(t, CC_NOTE_APPROXIMATED, "%s: a JSON text here", what);
    as_json_text(t, node);
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

/* Primitives in a map, or in an array's array or map, where awscc does not recognise times. */
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
    if (t->failed) /* the tree will not be used, and the element may be incomplete */
        return;
    node->type = node->kind == CC_MAP   ? type_map(t->arena, element)
                 : node->kind == CC_SET ? type_set(t->arena, element)
                                        : type_list(t->arena, element);
}

static void object(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow, bool keep_required)
{
    tr_children(t, node, p, keep_required ? p->required : NULL, follow);
}

/* An inner array of primitives; false if it is anything else. */
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

/* The first member in byte order; `object` is not empty. */
static const struct json_member *first_member(const struct json *object)
{
    const struct json_member *first = &object->object.members[0];
    for (size_t i = 1; i < object->object.n; i++)
        if (str_cmp(object->object.members[i].key, first->key) < 0)
            first = &object->object.members[i];
    return first;
}

/* The subschema of a map's values: that of the first pattern in byte order. */
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

/* A map in a list or map: of primitives or, in a map, of arrays of primitives. */
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

/* Which references are followed in array items: for an inline object those of its properties, but not those of its values; for
 * other inline items none. */
static bool follows_inside(const struct json *items, const struct json *target, const struct cfn_property *p, bool follow)
{
    return follow && (items != target || p->type == CFN_OBJECT);
}

/* awscc treats an array of arrays of objects as an array of the first property's contents, usually nothing. */
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
    /* Default mode: Terraform can express an array of arrays of primitives, whatever the class of the inner arrays. */
    if (!known)
        tr_refuse(t, what);
    if (!array_of_primitives(t, element, items, follow, false))
        tr_cut(t, element, what);
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
            tr_cut(t, element, what);
    } else {
        tr_cut(t, element, what);
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

/* A map of arrays: of primitives, or sets of objects, which awscc treats as the object itself. */
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
        tr_cut(t, element, found && items.type == CFN_OBJECT ? "map of list of object" : "map of array");
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
        tr_cut(t, element, arena_printf(t->arena, "map of %s", word_for(value.type)).p);
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
            tr_cut(t, node, "properties and patternProperties");
        else
            as_json_text(t, node);
    } else {
        tr_cut(t, node, word_for(p->type));
    }
}
