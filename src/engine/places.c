#include "engine/places.h"

/* A node of the configuration and its path. */
struct config_node {
    const struct json *node;
    struct path path;
};

/* One step deeper: the steps of a path in the JSON are member names and array positions. */
static struct config_node member_node(struct arena *a, struct config_node at, struct str name, const struct json *value)
{
    return (struct config_node){value, path_attr(a, at.path, name)};
}

static struct config_node item_node(struct arena *a, struct config_node at, size_t i)
{
    return (struct config_node){at.node->array.items[i], path_index(a, at.path, (int64_t)i)};
}

/* Finds the member of an object, or of the objects in an array; false when it is absent, or the node cannot have members. */
static bool find_member(struct arena *a, struct config_node at, struct str name, struct config_node *ret)
{
    if (at.node->kind == JSON_OBJECT) {
        const struct json *value = json_get_str(at.node, name);
        if (value)
            *ret = member_node(a, at, name, value);
        return value != NULL;
    }
    if (at.node->kind == JSON_ARRAY)
        for (size_t i = 0; i < at.node->array.n; i++)
            if (at.node->array.items[i]->kind == JSON_OBJECT && find_member(a, item_node(a, at, i), name, ret))
                return true;
    return false;
}

static bool can_have_members(const struct json *j)
{
    if (j->kind != JSON_ARRAY)
        return j->kind == JSON_OBJECT;
    for (size_t i = 0; i < j->array.n; i++)
        if (j->array.items[i]->kind != JSON_OBJECT)
            return false;
    return true;
}

/* Result of entering a value as a block: it has the body, has none, or is not a block. */
enum step_result { STEP_INTO, STEP_NOT_THERE, STEP_STOP };

static enum step_result enter_only(struct arena *a, struct config_node value, struct config_node *ret)
{
    switch (value.node->kind) {
    case JSON_NULL:
        return STEP_NOT_THERE;
    case JSON_OBJECT:
        *ret = value;
        return STEP_INTO;
    case JSON_ARRAY:
        if (value.node->array.n == 0)
            return STEP_NOT_THERE;
        if (value.node->array.n != 1)
            return STEP_STOP;
        *ret = item_node(a, value, 0);
        return STEP_INTO;
    default:
        return STEP_STOP;
    }
}

static enum step_result enter_index(struct arena *a, struct config_node value, int64_t index, struct config_node *ret)
{
    const struct json *node = value.node;
    if (node->kind != JSON_ARRAY || node->array.n == 0)
        return node->kind == JSON_OBJECT && index != 0 ? STEP_STOP : enter_only(a, value, ret);
    if (index < 0 || (uint64_t)index >= node->array.n)
        return STEP_STOP;
    *ret = item_node(a, value, (size_t)index);
    return STEP_INTO;
}

/* Labelled blocks: each label is a member. If any member is not a block, none is taken for one. */
static enum step_result enter_key(struct arena *a, struct config_node value, struct str key, struct config_node *ret)
{
    if (value.node->kind != JSON_OBJECT || value.node->object.n == 0)
        return STEP_STOP;
    bool any = false;
    for (size_t i = 0; i < value.node->object.n; i++) {
        const struct json *member = value.node->object.members[i].value;
        if (member->kind != JSON_OBJECT && member->kind != JSON_ARRAY && member->kind != JSON_NULL)
            return STEP_STOP;
        any = any || member->kind == JSON_OBJECT || (member->kind == JSON_ARRAY && member->array.n > 0);
    }
    if (!any)
        return STEP_NOT_THERE;
    struct config_node labelled;
    bool found = find_member(a, value, key, &labelled) && enter_index(a, labelled, 0, ret) == STEP_INTO;
    return found ? STEP_INTO : STEP_STOP;
}

/*
 * Descends into blocks (and values that look like blocks) as far as the path leads. A name that is absent is skipped, which may
 * lead to a wrong place; core does the same.
 */
static struct config_node descend(struct arena *a, struct config_node body, struct path path)
{
    for (size_t i = 0; i < path.n; i++) {
        const struct path_step *step = &path.steps[i];
        if (step->kind != PATH_ATTR || !can_have_members(body.node))
            return body;
        const struct path_step *index = i + 1 < path.n && path.steps[i + 1].kind != PATH_ATTR ? &path.steps[++i] : NULL;
        struct config_node value, inner;
        if (!find_member(a, body, step->name, &value))
            continue;
        enum step_result result = !index                    ? enter_only(a, value, &inner)
                                  : index->kind == PATH_KEY ? enter_key(a, value, index->name, &inner)
                                                            : enter_index(a, value, index->index, &inner);
        if (result == STEP_STOP)
            return body;
        if (result == STEP_INTO)
            body = inner;
    }
    return body;
}

/* The place of an element of an argument's value; if the element is absent, core points to the argument's name. */
static struct path element_place(struct arena *a, struct config_node argument, const struct path_step *index,
                                 enum diag_where *ret)
{
    const struct json *node = argument.node;
    *ret = DIAG_AT_VALUE;
    if (index->kind == PATH_INDEX && node->kind == JSON_ARRAY && index->index >= 0 && (uint64_t)index->index < node->array.n)
        return path_index(a, argument.path, index->index);
    if (index->kind == PATH_KEY && node->kind == JSON_OBJECT && json_get_str(node, index->name))
        return path_attr(a, argument.path, index->name);
    *ret = DIAG_AT_NAME;
    return argument.path;
}

struct path place_in_config(struct arena *a, const struct json *config, struct path attribute, enum diag_where *ret)
{
    *ret = config ? DIAG_AT_END : DIAG_NOWHERE;
    if (attribute.n == 0 || !config)
        return PATH_ROOT;
    const struct path_step *final = &attribute.steps[attribute.n - 1], *index = NULL;
    struct path way = attribute;
    if (final->kind != PATH_ATTR) {
        if (attribute.n < 2)
            return PATH_ROOT;
        index = final--;
        way.n--;
    }
    struct config_node body = {config, PATH_ROOT};
    if (way.n > 1)
        body = descend(a, body, way);
    struct config_node argument;
    if (final->kind != PATH_ATTR || !can_have_members(body.node) || !find_member(a, body, final->name, &argument))
        return body.path;
    if (index)
        return element_place(a, argument, index, ret);
    *ret = DIAG_AT_VALUE;
    return argument.path;
}
