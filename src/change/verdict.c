/*
 * Decides the action for an object from its prior and planned values.
 *
 * A provider returns the paths that it cannot change in place. A path counts only where the value really changes (or may change,
 * or is write-only, so that a change cannot be seen).
 */
#include "change/walk_private.h"

/* Following the steps of a provider's path. Inside an unknown every step gives an unknown. NULL: the path does not exist. */

static const struct value *by_name(const struct value *v, struct str name)
{
    return v->type->kind == TYPE_OBJECT || v->type->kind == TYPE_MAP ? value_get(v, name) : NULL;
}

static const struct value *by_index(struct arena *a, const struct value *v, int64_t index)
{
    if (v->type->kind == TYPE_LIST || v->type->kind == TYPE_TUPLE)
        return index >= 0 ? element_at(v, (size_t)index) : NULL;
    return by_name(v, number_text(a, number_from_i64(index)));
}

static const struct value *by_key(struct arena *a, const struct value *v, struct str key)
{
    struct number n;
    int64_t index;
    if (v->type->kind != TYPE_LIST && v->type->kind != TYPE_TUPLE)
        return by_name(v, key);
    return number_parse(a, key, &n) && number_to_i64(n, &index) ? by_index(a, v, index) : NULL;
}

/* An unknown object has the attributes of its type; other unknown values have any part that their type allows. */
static const struct value *part_of_unknown(struct arena *a, const struct value *v, const struct path_step *step)
{
    const struct type *t = v->type;
    bool named = step->kind == PATH_ATTR || step->kind == PATH_KEY;
    size_t at = t->kind == TYPE_OBJECT && named ? type_attr_find(t, step->name) : SIZE_MAX;
    switch (t->kind) {
    case TYPE_DYNAMIC:
        return value_unknown(a, t);
    case TYPE_OBJECT:
        return at == SIZE_MAX ? NULL : value_unknown(a, t->attrs[at].type);
    case TYPE_MAP:
        return value_unknown(a, t->element);
    case TYPE_LIST:
        return step->kind == PATH_INDEX ? value_unknown(a, t->element) : NULL;
    case TYPE_TUPLE:
        if (step->kind != PATH_INDEX || step->index < 0 || (uint64_t)step->index >= t->n)
            return NULL;
        return value_unknown(a, t->elements[step->index]);
    default:
        return NULL;
    }
}

static const struct value *follow(struct arena *a, const struct value *v, struct path path)
{
    for (size_t i = 0; i < path.n && v; i++) {
        const struct path_step *step = &path.steps[i];
        if (value_is_null(v))
            return NULL;
        if (!value_is_known(v))
            v = part_of_unknown(a, v, step);
        else if (step->kind == PATH_ATTR)
            v = by_name(v, step->name);
        else if (step->kind == PATH_KEY)
            v = by_key(a, v, step->name);
        else
            v = step->kind == PATH_INDEX ? by_index(a, v, step->index) : NULL; /* set elements have no paths */
    }
    return v;
}

static bool is_write_only(const struct schema_block *schema, struct path path)
{
    const struct schema_attr *attr = attr_by_path(schema, path);
    return attr && attr->write_only;
}

static bool is_among(const struct path *paths, size_t n, struct path path)
{
    for (size_t i = 0; i < n; i++)
        if (path_eq(paths[i], path))
            return true;
    return false;
}

bool change_replace_paths(struct arena *a, struct change_issues *issues, const struct schema_block *schema,
                          const struct value *prior, const struct value *planned, struct change_paths named,
                          struct change_paths *ret)
{
    struct path *forcing = arena_make_n(a, struct path, named.n);
    size_t n = 0, before = issues->n;
    for (size_t i = 0; i < named.n && !value_is_null(prior); i++) {
        struct path path = named.v[i];
        const struct value *was = follow(a, prior, path), *will_be = follow(a, planned, path);
        if (!was && !will_be) {
            change_issue_add(issues, path, STR_FMT, STR_ARG(change_path_go_text(a, path)));
            continue;
        }
        bool changes = !was || !will_be || value_equals(will_be, was) != TRI_TRUE || is_write_only(schema, path);
        if (changes && !is_among(forcing, n, path))
            forcing[n++] = path;
    }
    if (issues->n != before)
        return false;
    *ret = (struct change_paths){forcing, n};
    return true;
}

static bool has_write_only(const struct verdict_input *in)
{
    for (size_t i = 0; i < in->replace.n; i++)
        if (is_write_only(in->schema, in->replace.v[i]))
            return true;
    return false;
}

static struct verdict replacement(const struct verdict_input *in)
{
    return (struct verdict){in->create_before_destroy ? ACTION_CREATE_THEN_DELETE : ACTION_DELETE_THEN_CREATE,
                            in->forced ? "replace_by_request" : "replace_because_cannot_update"};
}

struct verdict change_verdict(const struct verdict_input *in)
{
    bool is = !value_is_null(in->prior), shall_be = !value_is_null(in->planned);
    if (!is)
        return (struct verdict){shall_be ? ACTION_CREATE : ACTION_NO_OP, NULL};
    if (!shall_be)
        return (struct verdict){ACTION_DELETE, NULL};
    if (in->forced || has_write_only(in))
        return replacement(in);
    if (value_equals(in->planned, in->prior) == TRI_TRUE) {
        bool same_secrets = marks_eq(in->prior_sensitive, in->planned_sensitive);
        return (struct verdict){same_secrets ? ACTION_NO_OP : ACTION_UPDATE, NULL};
    }
    return in->replace.n > 0 ? replacement(in) : (struct verdict){ACTION_UPDATE, NULL};
}

const char *change_action_name(enum change_action action)
{
    static const char *const names[] = {
        [ACTION_NO_OP] = "no-op",
        [ACTION_CREATE] = "create",
        [ACTION_UPDATE] = "update",
        [ACTION_DELETE] = "delete",
        [ACTION_DELETE_THEN_CREATE] = "replace",
        [ACTION_CREATE_THEN_DELETE] = "replace",
        [ACTION_READ] = "read",
    };
    return names[action];
}

void change_action_list(enum change_action action, const char *ret[3])
{
    bool delete_first = action == ACTION_DELETE_THEN_CREATE, create_first = action == ACTION_CREATE_THEN_DELETE;
    ret[0] = delete_first ? "delete" : create_first ? "create" : change_action_name(action);
    ret[1] = delete_first ? "create" : create_first ? "delete" : NULL;
    ret[2] = NULL;
}

bool change_action_holds(enum change_action planned, enum change_action again)
{
    return planned == again || (planned == ACTION_UPDATE && again == ACTION_NO_OP);
}
