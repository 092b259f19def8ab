#include "import/keep.h"

#include "state/state_value.h"

enum { NULLS = 16 };

struct keeping {
    struct arena *arena;
    const struct value *nulls[NULLS]; /* one null for each type, up to NULLS */
};

/* --- values --- */

static const struct type *part_type(const struct type *t, size_t i)
{
    return t->kind == TYPE_OBJECT ? t->attrs[i].type : t->kind == TYPE_TUPLE ? t->elements[i] : t->element;
}

static const struct value *part_of(const struct value *v, const struct type *t, size_t i)
{
    bool known = v && v->state == VALUE_KNOWN && v->type == t && i < v->n;
    return known ? v->elements[i] : NULL;
}

static const struct value *keep_null(struct keeping *k, const struct type *t)
{
    const struct value **known = &k->nulls[((uintptr_t)t >> 4) % NULLS];
    if (!*known || (*known)->type != t)
        *known = value_null(k->arena, t);
    return *known;
}

/*
 * `t`: its type in the schema. `twin`: an already kept value that may be equal; NULL: none. Recursion is as deep as the schema.
 */
static const struct value *keep_value(struct keeping *k, const struct value *v, const struct type *t, const struct value *twin)
{
    if (t->has_dynamic || v->state == VALUE_UNKNOWN)
        return value_copy(k->arena, v);
    if (v->state == VALUE_NULL)
        return keep_null(k, t);
    if (twin && value_raw_eq(v, twin))
        return twin;
    struct value *c = arena_make(k->arena, struct value);
    *c = *v;
    c->type = t;
    if (t->kind == TYPE_STRING) {
        c->string = arena_str(k->arena, v->string);
    } else if (t->kind == TYPE_NUMBER) {
        c->number = number_copy(k->arena, v->number);
    } else if (t->kind != TYPE_BOOL) {
        const struct value **elements = arena_make_n(k->arena, const struct value *, v->n);
        struct str *keys = t->kind == TYPE_MAP ? arena_make_n(k->arena, struct str, v->n) : NULL;
        for (size_t i = 0; i < v->n; i++)
            elements[i] = keep_value(k, v->elements[i], part_type(t, i), part_of(twin, t, i));
        for (size_t i = 0; keys && i < v->n; i++)
            keys[i] = arena_str(k->arena, v->keys[i]);
        c->elements = elements;
        c->keys = keys;
    }
    return c;
}

/* --- JSON --- */

/* `v`: the value that the JSON was made from, whose strings are shared; NULL: unknown. */
static const struct json *keep_json(struct keeping *k, const struct json *j, const struct value *v);

static struct str keep_text(struct keeping *k, struct str text, const struct value *v)
{
    bool same = v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && str_eq(v->string, text);
    return same ? v->string : arena_str(k->arena, text);
}

static struct json_member keep_member(struct keeping *k, const struct json_member *m, const struct value *v)
{
    bool object = v && v->state == VALUE_KNOWN && v->type->kind == TYPE_OBJECT;
    size_t i = object ? type_attr_find(v->type, m->key) : SIZE_MAX;
    struct json_member kept = {.line = m->line, .column = m->column};
    kept.key = i < SIZE_MAX ? v->type->attrs[i].name : arena_str(k->arena, m->key);
    kept.value = keep_json(k, m->value, i < SIZE_MAX ? v->elements[i] : NULL);
    return kept;
}

static const struct json *keep_json(struct keeping *k, const struct json *j, const struct value *v)
{
    static const struct json none = {.kind = JSON_NULL}, yes = {.kind = JSON_BOOL, .boolean = true}, no = {.kind = JSON_BOOL};
    if (j->kind == JSON_NULL)
        return &none;
    if (j->kind == JSON_BOOL)
        return j->boolean ? &yes : &no;
    struct json *c = arena_make(k->arena, struct json);
    *c = (struct json){.kind = j->kind};
    if (j->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(k->arena, const struct json *, j->array.n);
        bool list = v && v->state == VALUE_KNOWN && v->type->kind == TYPE_LIST && v->n == j->array.n;
        for (size_t i = 0; i < j->array.n; i++)
            items[i] = keep_json(k, j->array.items[i], list ? v->elements[i] : NULL);
        c->array.items = items;
        c->array.n = j->array.n;
    } else if (j->kind == JSON_OBJECT) {
        struct json_member *members = arena_make_n(k->arena, struct json_member, j->object.n);
        for (size_t i = 0; i < j->object.n; i++)
            members[i] = keep_member(k, &j->object.members[i], v);
        c->object.members = members;
        c->object.n = j->object.n;
    } else {
        c->text = keep_text(k, j->text, v);
    }
    return c;
}

/* --- paths --- */

/*
 * A path identifies an element of a set by its address, which changes with the copy: the path of the whole set is kept, as in a
 * state file.
 */
static struct path keep_path(struct keeping *k, struct path path)
{
    struct path_step *steps = arena_make_n(k->arena, struct path_step, path.n);
    size_t n = 0;
    for (; n < path.n && path.steps[n].kind != PATH_ELEMENT; n++) {
        steps[n] = path.steps[n];
        steps[n].name = arena_str(k->arena, steps[n].name);
    }
    return (struct path){steps, n};
}

static const struct path *keep_paths(struct keeping *k, const struct path *paths, size_t n)
{
    struct path *kept = n > 0 ? arena_make_n(k->arena, struct path, n) : NULL;
    for (size_t i = 0; i < n; i++)
        kept[i] = keep_path(k, paths[i]);
    return kept;
}

static struct change_paths keep_changes(struct keeping *k, struct change_paths paths)
{
    return (struct change_paths){keep_paths(k, paths.v, paths.n), paths.n};
}

/* --- results --- */

static void keep_configured(struct keeping *k, struct import_result *kept, const struct configured *c)
{
    kept->configured.config = keep_value(k, c->config, kept->resource.schema->type, kept->state);
    kept->configured.ignored = keep_changes(k, c->ignored);
    kept->configured.unread = keep_changes(k, c->unread);
    kept->configured.dropped = keep_changes(k, c->dropped);
}

void import_keep_configured(struct import_result *kept, const struct configured *c)
{
    struct keeping k = {.arena = kept->arena};
    keep_configured(&k, kept, c);
}

struct import_result *import_keep(const struct import_result *r)
{
    struct keeping k = {.arena = arena_new(NULL, 0)};
    struct import_result *kept = arena_make(k.arena, struct import_result);
    *kept = (struct import_result){.arena = k.arena, .resource = r->resource};
    kept->resource.type = arena_str(k.arena, r->resource.type);
    kept->resource.address = arena_str(k.arena, r->resource.address);
    kept->state = keep_value(&k, r->state, r->resource.schema->type, NULL);
    keep_configured(&k, kept, &r->configured);
    const struct state_instance *i = &r->instance;
    kept->instance = *i;
    kept->instance.key.text = arena_str(k.arena, i->key.text);
    kept->instance.deposed = arena_str(k.arena, i->deposed);
    kept->instance.provider = arena_str(k.arena, i->provider);
    kept->instance.attributes = keep_json(&k, i->attributes, kept->state);
    kept->instance.flat = (struct flatmap){0};
    kept->instance.sensitive = keep_paths(&k, i->sensitive, i->n_sensitive);
    kept->instance.identity = i->identity ? keep_json(&k, i->identity, NULL) : NULL;
    kept->instance.private_bytes = arena_str(k.arena, i->private_bytes);
    kept->instance.dependencies = kept->instance.depends_on = NULL;
    kept->instance.n_dependencies = kept->instance.n_depends_on = 0;
    kept->sensitive = state_get_sensitive(k.arena, &kept->instance);
    return kept;
}
