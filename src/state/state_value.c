#include "state/state_value.h"

#include "value/json_value.h"

const struct value *state_get_attributes(struct arena *a, const struct state_instance *object, const struct type *type,
                                         struct diags *diags)
{
    if (!object->attributes && object->flat.n > 0)
        return flatmap_to_value(a, &object->flat, type, diags);
    const struct json *attributes = object->attributes ? object->attributes : json_make_object(a, NULL, 0);
    return value_from_json(a, attributes, type, PATH_ROOT, diags);
}

/* The value as a JSON tree in the arena. */
static const struct json *json_from_value(struct arena *a, const struct value *v, const struct type *type, struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    struct json_writer w = {.out = &text};
    if (!value_write_json(&w, v, type, diags))
        return NULL;
    if (!json_finish(&w)) {
        (void)diags_fail(diags, "Cannot write the state", "A value is larger than %d bytes or nested too deeply.",
                         (int)STATE_MAX_FILE);
        return NULL;
    }
    return json_parse(a, buf_str(&text), "state", diags);
}

bool state_set_attributes(struct arena *a, struct state_instance *object, const struct value *v, const struct type *type,
                          struct diags *diags)
{
    if (value_is_null(v))
        return diags_fail(diags, "Cannot write the state", "A null value is not an object: remove the instance instead.");
    const struct json *attributes = json_from_value(a, v, type, diags);
    if (!attributes)
        return false;
    object->attributes = attributes;
    object->flat = (struct flatmap){0};
    return true;
}

/* Sensitive paths */

struct marks state_get_sensitive(struct arena *a, const struct state_instance *object)
{
    return marks_make(a, object->sensitive, object->n_sensitive);
}

static struct path up_to_set(struct path path)
{
    size_t n = 0;
    while (n < path.n && path.steps[n].kind != PATH_ELEMENT)
        n++;
    return (struct path){path.steps, n};
}

void state_set_sensitive(struct arena *a, struct state_instance *object, struct marks marks)
{
    struct path *paths = arena_make_n(a, struct path, marks.n);
    for (size_t i = 0; i < marks.n; i++)
        paths[i] = up_to_set(marks.paths[i]);
    /* The marks of several elements of a set become one path. */
    struct marks unique = marks_make(a, paths, marks.n);
    object->sensitive = unique.paths;
    object->n_sensitive = unique.n;
}

/* Identity */

const struct value *state_get_identity(struct arena *a, const struct state_instance *object, const struct type *type,
                                       struct diags *diags)
{
    return object->identity ? value_from_json(a, object->identity, type, PATH_ROOT, diags) : value_null(a, type);
}

bool state_set_identity(struct arena *a, struct state_instance *object, const struct value *v, const struct type *type,
                        uint64_t schema_version, struct diags *diags)
{
    const struct json *identity = value_is_null(v) ? NULL : json_from_value(a, v, type, diags);
    if (!identity && !value_is_null(v))
        return false;
    object->identity = identity;
    object->has_identity_version = identity != NULL;
    object->identity_schema_version = identity ? schema_version : 0;
    return true;
}
