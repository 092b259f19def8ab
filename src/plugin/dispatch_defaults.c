/*
 * The default for upgrade_state, for providers that have nothing to upgrade: core always calls it, even when the versions are
 * equal.
 *
 * The JSON is first reduced to the schema's shape (old states still have attributes that were removed from the schema), then
 * decoded by the schema's type.
 */
#include "plugin/dispatch_private.h"
#include "value/json_value.h"

static const struct json *shape(struct arena *a, const struct json *j, const struct type *t);

static const struct json *shape_items(struct arena *a, const struct json *array, const struct type *element)
{
    const struct json **items = arena_make_n(a, const struct json *, array->array.n);
    for (size_t i = 0; i < array->array.n; i++)
        items[i] = shape(a, array->array.items[i], element);
    return json_make_array(a, items, array->array.n);
}

static const struct json *shape_map(struct arena *a, const struct json *object, const struct type *element)
{
    struct json_member *members = arena_make_n(a, struct json_member, object->object.n);
    for (size_t i = 0; i < object->object.n; i++) {
        members[i] = object->object.members[i];
        members[i].value = shape(a, members[i].value, element);
    }
    return json_make_object(a, members, object->object.n);
}

static const struct json *shape_object(struct arena *a, const struct json *object, const struct type *t)
{
    struct json_member *members = arena_make_n(a, struct json_member, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct json *value = json_get_str(object, t->attrs[i].name);
        members[i].key = t->attrs[i].name;
        members[i].value = value ? shape(a, value, t->attrs[i].type) : json_make_null(a);
    }
    return json_make_object(a, members, t->n);
}

/* JSON that does not have the type's shape is left as it is: decoding it reports the error. */
static const struct json *shape(struct arena *a, const struct json *j, const struct type *t)
{
    bool is_array = j->kind == JSON_ARRAY, is_object = j->kind == JSON_OBJECT;
    if (is_array && (t->kind == TYPE_LIST || t->kind == TYPE_SET))
        return shape_items(a, j, t->element);
    if (is_object && t->kind == TYPE_MAP)
        return shape_map(a, j, t->element);
    if (is_object && t->kind == TYPE_OBJECT)
        return shape_object(a, j, t);
    return j;
}

/* An absent block becomes an empty one, never null (except for SINGLE). */
static const struct json *absent_block(struct arena *a, const struct schema_nested_block *b)
{
    switch (b->nesting) {
    case NESTING_LIST:
    case NESTING_SET:
        return json_make_array(a, NULL, 0);
    case NESTING_MAP:
        return json_make_object(a, NULL, 0);
    default:
        return json_make_null(a);
    }
}

/* Shapes a resource's outermost object, where blocks can be distinguished from attributes. */
static const struct json *shape_root(struct arena *a, const struct json *object, const struct schema *schema)
{
    const struct json *shaped = shape_object(a, object, schema->type);
    struct json_member *members = arena_make_n(a, struct json_member, shaped->object.n);
    for (size_t i = 0; i < shaped->object.n; i++) {
        members[i] = shaped->object.members[i];
        const struct schema_nested_block *block = schema_block_block(schema->block, members[i].key);
        if (block && block->value_type->kind != TYPE_DYNAMIC && members[i].value->kind == JSON_NULL)
            members[i].value = absent_block(a, block);
    }
    return json_make_object(a, members, shaped->object.n);
}

static const struct value *from_flatmap(struct arena *a, const struct raw_state *raw, const struct type *t, struct diags *diags)
{
    struct flatmap f = {.v = raw->flatmap, .n = raw->n_flatmap};
    return flatmap_to_value(a, &f, t, diags);
}

void dispatch_default_upgrade(const struct provider_schema *schema, struct arena *a, const struct upgrade_state_request *request,
                              struct diags *diags, struct upgrade_state_response *response)
{
    const struct schema *resource = map_get(&schema->resources, request->type_name);
    if (request->raw.json.n == 0) {
        response->state = from_flatmap(a, &request->raw, resource->type, diags);
        return;
    }
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = json_parse(scratch, request->raw.json, "stored state", diags);
    if (j && j->kind == JSON_OBJECT)
        j = shape_root(scratch, j, resource);
    if (j)
        response->state = value_from_json(a, j, resource->type, PATH_ROOT, diags);
}
