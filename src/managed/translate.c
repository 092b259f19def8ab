#include "managed/translate.h"

#include "managed/edit.h"
#include "managed/init_provider.h"
#include "managed/singleton.h"

enum { MAX_PATH = 4 << 10, MAX_WARNINGS = 16 };

/* The current path, for messages. */
struct place {
    const struct place *up;
    struct str name;
    size_t index; /* of an element, if `name` is empty */
};

struct translation {
    struct arena *arena;
    struct diags *diags;
    bool failed;
    bool beside; /* true: translate the top-level values that are not arguments; false: the arguments */
    size_t warnings;
};

static void put_place(struct buf *out, const struct place *p)
{
    if (p->up)
        put_place(out, p->up);
    if (p->name.n == 0)
        buf_printf(out, "[%zu]", p->index);
    else
        buf_printf(out, "%s" STR_FMT, p->up ? "." : "", STR_ARG(p->name));
}

static struct str place_text(const struct translation *t, const struct place *p)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    put_place(&out, p);
    return buf_copy(&out, t->arena);
}

static const char *kind_word(const struct json *j)
{
    static const char *const words[] = {[JSON_NULL] = "null",       [JSON_BOOL] = "a bool",  [JSON_NUMBER] = "a number",
                                        [JSON_STRING] = "a string", [JSON_ARRAY] = "a list", [JSON_OBJECT] = "an object"};
    return words[j->kind];
}

static const struct json *mismatch(struct translation *t, const char *expected, const struct json *found, const struct place *at)
{
    t->failed = true;
    (void)diags_fail(t->diags, "Incorrect value type", STR_FMT ": %s was expected, and %s was found.", STR_ARG(place_text(t, at)),
                     expected, kind_word(found));
    return NULL;
}

/* --- to Terraform --- */

static const struct json *to_parameters(struct translation *t, const struct xp_shape *s, const struct json *v,
                                        const struct place *at);

static const struct xp_field *field_named(struct xp_fields fields, struct str json)
{
    size_t low = 0, high = fields.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(fields.v[middle].json, json);
        if (order == 0)
            return &fields.v[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const struct json *members_to_parameters(struct translation *t, struct xp_fields fields, const struct json *v,
                                                const struct place *at)
{
    if (v->kind != JSON_OBJECT)
        return mismatch(t, "an object", v, at);
    struct json_member *members = arena_make_n(t->arena, struct json_member, v->object.n);
    size_t n = 0;
    for (size_t i = 0; i < v->object.n && !t->failed; i++) {
        const struct json_member *m = &v->object.members[i];
        const struct xp_field *f = field_named(fields, m->key);
        struct place here = {at, m->key.n > 0 ? m->key : STR("\"\""), 0};
        if (!f && t->warnings++ < MAX_WARNINGS)
            diags_warn(t->diags, "Unknown field", STR_FMT ": the kind does not have this field; it is left out.",
                       STR_ARG(place_text(t, &here)));
        if (!f || f->role != FIELD_VALUE || f->attr->beside != t->beside || managed_is_absent(m->value))
            continue;
        members[n].key = f->attr->name;
        members[n++].value = to_parameters(t, f->shape, m->value, &here);
    }
    return t->failed ? NULL : json_make_object(t->arena, members, n);
}

static const struct json *items_to_parameters(struct translation *t, const struct xp_shape *element, const struct json *v,
                                              const struct place *at)
{
    if (v->kind != JSON_ARRAY)
        return mismatch(t, "a list", v, at);
    const struct json **items = arena_make_n(t->arena, const struct json *, v->array.n);
    for (size_t i = 0; i < v->array.n && !t->failed; i++)
        items[i] = to_parameters(t, element, v->array.items[i], &(struct place){at, STR_EMPTY, i});
    return t->failed ? NULL : json_make_array(t->arena, items, v->array.n);
}

typedef const struct json *one_fn(struct translation *t, const struct xp_shape *s, const struct json *v, const struct place *at);

/* Absent values, and those that translate to nothing, are left out. */
static const struct json *translate_map(struct translation *t, const struct xp_shape *element, const struct json *v,
                                        const struct place *at, one_fn *one)
{
    if (v->kind != JSON_OBJECT)
        return mismatch(t, "an object", v, at);
    struct json_member *members = arena_make_n(t->arena, struct json_member, v->object.n);
    size_t n = 0;
    for (size_t i = 0; i < v->object.n && !t->failed; i++) {
        const struct json_member *m = &v->object.members[i];
        struct place here = {at, m->key.n > 0 ? m->key : STR("\"\""), 0};
        members[n].key = m->key;
        members[n].value = managed_is_absent(m->value) ? NULL : one(t, element, m->value, &here);
        n += members[n].value != NULL;
    }
    return t->failed ? NULL : json_make_object(t->arena, members, n);
}

static const struct json *scalar(struct translation *t, enum json_kind kind, const char *expected, const struct json *v,
                                 const struct place *at)
{
    return v->kind == kind ? v : mismatch(t, expected, v, at);
}

static const struct json *object_to_parameters(struct translation *t, const struct xp_shape *s, const struct json *v,
                                               const struct place *at)
{
    const struct json *object = members_to_parameters(t, s->fields, v, at);
    return object && s->singleton ? managed_wrap(t->arena, object) : object;
}

static const struct json *to_parameters(struct translation *t, const struct xp_shape *s, const struct json *v,
                                        const struct place *at)
{
    switch (s->kind) {
    case SHAPE_STRING:
        return scalar(t, JSON_STRING, "a string", v, at);
    case SHAPE_NUMBER:
    case SHAPE_INTEGER:
        return scalar(t, JSON_NUMBER, "a number", v, at);
    case SHAPE_BOOL:
        return scalar(t, JSON_BOOL, "a bool", v, at);
    case SHAPE_LIST:
    case SHAPE_SET:
        return items_to_parameters(t, s->element, v, at);
    case SHAPE_MAP:
        return translate_map(t, s->element, v, at, to_parameters);
    case SHAPE_OBJECT:
        return object_to_parameters(t, s, v, at);
    case SHAPE_ANY:
    case SHAPE_SECRET_KEY:
    case SHAPE_SECRET:
    case SHAPE_REFERENCE:
    case SHAPE_SELECTOR:
    case SHAPE_RAW:
        break;
    }
    return v;
}

static bool translate_tree(struct translation *t, const struct xp_kind *k, enum xp_tree_name tree, const struct json *values,
                           const struct json **ret)
{
    static const char *const owners[N_TREES] = {"spec", "spec", "status"};
    struct place owner = {NULL, str_of(owners[tree]), 0}, at = {&owner, str_of(xp_tree_names[tree]), 0};
    const struct json *result =
        managed_is_absent(values) ? json_make_object(t->arena, NULL, 0) : members_to_parameters(t, k->trees[tree], values, &at);
    if (t->failed)
        return false;
    *ret = result;
    return true;
}

bool managed_parameters_of(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree, const struct json *values,
                           struct diags *diags, const struct json **ret)
{
    struct translation t = {.arena = a, .diags = diags};
    return translate_tree(&t, k, tree, values, ret);
}

bool managed_beside(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                    const struct json **ret)
{
    struct translation t = {.arena = a, .diags = diags, .beside = true, .warnings = MAX_WARNINGS};
    return translate_tree(&t, k, FOR_PROVIDER, managed_at(object, "spec", "forProvider", NULL), ret);
}

bool managed_parameters(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                        const struct json **ret)
{
    const struct json *wanted, *initial;
    if (!managed_parameters_of(a, k, FOR_PROVIDER, managed_at(object, "spec", "forProvider", NULL), diags, &wanted) ||
        !managed_parameters_of(a, k, INIT_PROVIDER, managed_at(object, "spec", "initProvider", NULL), diags, &initial))
        return false;
    *ret = managed_merge(a, wanted, initial);
    return true;
}

/* --- from Terraform --- */

static const struct json *to_value(struct translation *t, const struct xp_shape *s, const struct json *v, const struct place *at);

/* A configured type may differ from the provider's: the text is common to both. */
static const struct json *scalar_value(struct translation *t, const struct xp_shape *s, const struct json *v,
                                       const struct place *at)
{
    if (s->kind == SHAPE_STRING) {
        if (v->kind == JSON_NUMBER)
            return json_make_string(t->arena, v->text);
        if (v->kind == JSON_BOOL)
            return json_make_string(t->arena, v->boolean ? STR("true") : STR("false"));
        return scalar(t, JSON_STRING, "a string", v, at);
    }
    if (v->kind != JSON_STRING)
        return scalar(t, s->kind == SHAPE_BOOL ? JSON_BOOL : JSON_NUMBER, s->kind == SHAPE_BOOL ? "a bool" : "a number", v, at);
    const struct json *meant = json_parse_lenient(t->arena, v->text);
    if (!meant || meant->kind != (s->kind == SHAPE_BOOL ? JSON_BOOL : JSON_NUMBER))
        return mismatch(t, s->kind == SHAPE_BOOL ? "a bool" : "a number", v, at);
    return meant;
}

/* The state has a value of any type together with its type. */
static const struct json *any_value(const struct json *v)
{
    const struct json *value = json_get(v, "value");
    return value && v->object.n == 2 && json_get(v, "type") ? value : v;
}

/* Lists and maps of blocks with such values also have a type, as a whole. In a map of blocks `type` is never a list. */
static const struct json *untyped(const struct xp_shape *element, const struct json *v)
{
    const struct json *type = json_get(v, "type");
    bool is_typed = type && type->kind == JSON_ARRAY && element->kind == SHAPE_OBJECT;
    return is_typed ? any_value(v) : v;
}

static const struct json *items_to_values(struct translation *t, const struct xp_shape *element, const struct json *v,
                                          const struct place *at)
{
    if (v->kind != JSON_ARRAY)
        return mismatch(t, "a list", v, at);
    const struct json **items = arena_make_n(t->arena, const struct json *, v->array.n);
    size_t n = 0;
    for (size_t i = 0; i < v->array.n && !t->failed; i++)
        if (!managed_is_absent(v->array.items[i])) {
            items[n] = to_value(t, element, v->array.items[i], &(struct place){at, STR_EMPTY, i});
            n += items[n] != NULL;
        }
    return t->failed ? NULL : json_make_array(t->arena, items, n);
}

static const struct json *members_to_values(struct translation *t, struct xp_fields fields, const struct json *v,
                                            const struct place *at)
{
    if (v->kind != JSON_OBJECT)
        return mismatch(t, "an object", v, at);
    struct json_member *members = arena_make_n(t->arena, struct json_member, fields.n);
    size_t n = 0;
    for (size_t i = 0; i < fields.n && !t->failed; i++) {
        const struct xp_field *f = &fields.v[i];
        const struct json *value = f->role == FIELD_VALUE && !f->attr->beside ? json_get_str(v, f->attr->name) : NULL;
        if (managed_is_absent(value))
            continue;
        bool tuple = f->attr->type->kind == TREE_TUPLE; /* elements have types of their own, without a type beside them */
        members[n].key = f->json;
        members[n].value = tuple ? value : to_value(t, f->shape, value, &(struct place){at, f->attr->name, 0});
        n += members[n].value != NULL;
    }
    return t->failed ? NULL : json_make_object(t->arena, members, n);
}

static const struct json *object_to_value(struct translation *t, const struct xp_shape *s, const struct json *v,
                                          const struct place *at)
{
    if (s->singleton && !managed_unwrap(v, place_text(t, at), t->diags, &v))
        t->failed = true;
    return t->failed || managed_is_absent(v) ? NULL : members_to_values(t, s->fields, v, at);
}

/* NULL: no value, or an error. */
static const struct json *to_value(struct translation *t, const struct xp_shape *s, const struct json *v, const struct place *at)
{
    switch (s->kind) {
    case SHAPE_STRING:
    case SHAPE_NUMBER:
    case SHAPE_INTEGER:
    case SHAPE_BOOL:
        return scalar_value(t, s, v, at);
    case SHAPE_LIST:
    case SHAPE_SET:
        return items_to_values(t, s->element, untyped(s->element, v), at);
    case SHAPE_MAP:
        return translate_map(t, s->element, untyped(s->element, v), at, to_value);
    case SHAPE_OBJECT:
        return object_to_value(t, s, v, at);
    case SHAPE_ANY:
        return any_value(v);
    case SHAPE_SECRET_KEY:
    case SHAPE_SECRET:
    case SHAPE_REFERENCE:
    case SHAPE_SELECTOR:
    case SHAPE_RAW:
        break;
    }
    return NULL;
}

bool managed_values_of(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree, const struct json *parameters,
                       struct diags *diags, const struct json **ret)
{
    struct translation t = {.arena = a, .diags = diags};
    struct place at = {NULL, k->terraform_type, 0};
    const struct json *result =
        managed_is_absent(parameters) ? json_make_object(a, NULL, 0) : members_to_values(&t, k->trees[tree], parameters, &at);
    if (t.failed)
        return false;
    *ret = result;
    return true;
}

bool managed_set_observed(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                          struct diags *diags, const struct json **ret)
{
    const struct json *observed;
    if (!managed_values_of(a, k, AT_PROVIDER, managed_parameters_of_state(a, k, state), diags, &observed))
        return false;
    *ret = managed_put(a, object, observed, "status", "atProvider", NULL);
    return true;
}

/* --- blocks that Terraform has as objects, and objects that must be complete --- */

struct edge {
    struct arena *arena;
    bool out; /* towards Terraform */
};

static const struct json *turn_object(const struct edge *e, const struct xp_tree_attr *attrs, size_t n, const struct json *v,
                                      bool whole);

/* `whole`: a value of an object type, where Terraform requires every attribute, even as null; manifests cannot have null. */
static const struct json *turn(const struct edge *e, const struct xp_tree_type *type, const struct json *v, bool whole)
{
    if (type->kind == TREE_OBJECT)
        return turn_object(e, type->attrs, type->n_attrs, v, whole);
    if (!type->element || (v->kind != JSON_ARRAY && v->kind != JSON_OBJECT))
        return v;
    if (v->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(e->arena, const struct json *, v->array.n);
        for (size_t i = 0; i < v->array.n; i++)
            items[i] = turn(e, type->element, v->array.items[i], whole);
        return json_make_array(e->arena, items, v->array.n);
    }
    struct json_member *members = arena_make_n(e->arena, struct json_member, v->object.n);
    for (size_t i = 0; i < v->object.n; i++) {
        members[i] = v->object.members[i];
        members[i].value = turn(e, type->element, members[i].value, whole);
    }
    return json_make_object(e->arena, members, v->object.n);
}

static const struct json *turn_attr(const struct edge *e, const struct xp_tree_attr *attr, const struct json *v, bool whole)
{
    bool alone = attr->single || attr->group;
    if (alone && !e->out && v->kind == JSON_OBJECT)
        v = managed_wrap(e->arena, v);
    v = turn(e, attr->type, v, whole || (e->out && attr->as_blocks));
    if (alone && e->out && v->kind == JSON_ARRAY && v->array.n <= 1)
        return v->array.n > 0 ? v->array.items[0] : json_make_null(e->arena);
    return v;
}

static const struct xp_tree_attr *attr_named(const struct xp_tree_attr *attrs, size_t n, struct str name)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(attrs[middle].name, name);
        if (order == 0)
            return &attrs[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const struct json *turn_object(const struct edge *e, const struct xp_tree_attr *attrs, size_t n, const struct json *v,
                                      bool whole)
{
    if (v->kind != JSON_OBJECT)
        return v;
    struct json_member *members = arena_make_n(e->arena, struct json_member, v->object.n + n);
    size_t n_members = v->object.n;
    for (size_t i = 0; i < v->object.n; i++) {
        members[i] = v->object.members[i];
        const struct xp_tree_attr *attr = attr_named(attrs, n, members[i].key);
        if (attr)
            members[i].value = turn_attr(e, attr, members[i].value, whole);
    }
    for (size_t i = 0; whole && i < n; i++)
        if (!json_get_str(v, attrs[i].name))
            members[n_members++] = (struct json_member){.key = attrs[i].name, .value = json_make_null(e->arena)};
    return json_make_object(e->arena, members, n_members);
}

const struct json *managed_terraform_of(struct arena *a, const struct xp_kind *k, const struct json *parameters)
{
    struct edge e = {a, true};
    return parameters ? turn_object(&e, k->tree.attrs, k->tree.n_attrs, parameters, false) : NULL;
}

const struct json *managed_parameters_of_state(struct arena *a, const struct xp_kind *k, const struct json *state)
{
    struct edge e = {a, false};
    return state ? turn_object(&e, k->tree.attrs, k->tree.n_attrs, state, false) : NULL;
}
