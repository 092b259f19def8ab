#include "drift/held.h"

enum { MAX_KEY = 1 << 20 };

static struct str json_of(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_KEY);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    return json_finish(&w) ? buf_copy(&out, a) : STR_EMPTY;
}

static struct str id_key(struct arena *a, struct str type, struct str id)
{
    return arena_printf(a, STR_FMT "\nid " STR_FMT, STR_ARG(type), STR_ARG(id));
}

/* The parts of an identity that a lookup compares: those that the object's type has under the same name. */
struct identity_parts {
    const struct schema_identity *identity;
    const struct schema *object;
};

static struct identity_parts parts_of(const struct provider_schema *schema, struct str type)
{
    return (struct identity_parts){map_get(&schema->identities, type), map_get(&schema->resources, type)};
}

static bool is_part(const struct identity_parts *p, size_t i)
{
    return type_attr_find(p->object->type, p->identity->attrs[i].name) != SIZE_MAX;
}

/* A key of the required parts, of an identity or of an object's attributes; empty if it has none. */
static struct str parts_key(struct arena *a, const struct identity_parts *p, struct str type, const struct json *of)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_KEY);
    for (size_t i = 0; p->identity && p->object && i < p->identity->n_attrs; i++) {
        struct str name = p->identity->attrs[i].name;
        const struct json *v = json_get_str(of, name);
        if (p->identity->attrs[i].required_for_import && is_part(p, i) && v && v->kind != JSON_NULL)
            buf_printf(&out, "\n" STR_FMT "=" STR_FMT, STR_ARG(name), STR_ARG(json_of(a, v)));
    }
    return out.n > 0 ? arena_printf(a, STR_FMT "\nparts" STR_FMT, STR_ARG(type), STR_ARG(buf_str(&out))) : STR_EMPTY;
}

/* Are the optional parts equal, where both sides have them? */
static bool is_same(const struct identity_parts *p, const struct json *identity, const struct json *attributes)
{
    for (size_t i = 0; i < p->identity->n_attrs; i++) {
        const struct json *x = json_get_str(identity, p->identity->attrs[i].name);
        const struct json *y = json_get_str(attributes, p->identity->attrs[i].name);
        if (is_part(p, i) && x && y && x->kind != JSON_NULL && y->kind != JSON_NULL && !json_eq(x, y))
            return false;
    }
    return true;
}

/* Objects with the same key. */
struct same_key {
    const struct held_object *object;
    struct same_key *next;
};

void held_init(struct held *k, struct arena *a, const struct provider_schema *schema, const struct rows *rows)
{
    *k = (struct held){.arena = a, .schema = schema, .rows = rows};
    map_init(&k->by_key, a);
    map_init(&k->by_parts, a);
    map_init(&k->by_value, a);
    map_init(&k->by_attribute, a);
    map_init(&k->indexed, a);
}

void held_add(struct held *k, const struct held_object *object)
{
    struct arena *a = k->arena;
    struct held_object *o = arena_make(a, struct held_object);
    *o = *object;
    *VEC_PUSH(a, &k->objects) = o;
    const struct state_instance *s = o->instance;
    struct identity_parts p = parts_of(k->schema, o->type);
    struct str parts = s->attributes ? parts_key(a, &p, o->type, s->attributes) : STR_EMPTY;
    /* Objects whose id is an ARN are often imported by name, and the other way round. */
    static const char *const names[] = {"name", "arn"};
    for (size_t i = 0; s->attributes && i < sizeof names / sizeof names[0]; i++) {
        struct str name = json_text(json_get(s->attributes, names[i]), STR_EMPTY);
        if (name.n > 0)
            map_put(&k->by_key, id_key(a, o->type, name), o);
    }
    if (o->id.n > 0)
        map_put(&k->by_key, id_key(a, o->type, o->id), o);
    if (s->identity)
        map_put(&k->by_key, id_key(a, o->type, json_of(a, s->identity)), o);
    if (parts.n > 0) {
        struct same_key *new = arena_make(a, struct same_key);
        *new = (struct same_key){o, map_get(&k->by_parts, parts)};
        map_put(&k->by_parts, parts, new);
    }
}

/* By its id or identity. */
static const struct held_object *with_key(const struct held *k, const struct import_item *item)
{
    const struct held_object *o = map_get(&k->by_key, id_key(k->arena, item->type, item->key));
    struct identity_parts p = parts_of(k->schema, item->type);
    struct str parts = !o && item->identity ? parts_key(k->arena, &p, item->type, item->identity) : STR_EMPTY;
    for (const struct same_key *a = parts.n > 0 ? map_get(&k->by_parts, parts) : NULL; a && !o; a = a->next)
        o = is_same(&p, item->identity, a->object->instance->attributes) ? a->object : NULL;
    return o;
}

/* --- ids that are composed of arguments --- */

/*
 * Many objects are imported by an id that their state does not have: ROLE/POLICY for an attachment, GROUP:NAME for a filter. Such
 * an id consists of values of the object with one separator between them, so an object that has all these values is a match.
 */
enum { MAX_ALIKE = 1000, MAX_VALUES = 256 };

static bool is_between(char c)
{
    return c == '/' || c == ':' || c == ',' || c == '_' || c == '|';
}

struct values {
    struct str v[MAX_VALUES];
    size_t n;
};

/*
 * Adds strings, numbers and booleans, also those in lists. Recursion is as deep as the state, whose depth is bounded on reading.
 */
static void add_values(struct values *values, const struct json *j)
{
    if (values->n == MAX_VALUES)
        return;
    if ((j->kind == JSON_STRING || j->kind == JSON_NUMBER) && j->text.n > 0)
        values->v[values->n++] = j->text;
    if (j->kind == JSON_BOOL)
        values->v[values->n++] = j->boolean ? STR("true") : STR("false");
    for (size_t i = 0; j->kind == JSON_ARRAY && i < j->array.n; i++)
        add_values(values, j->array.items[i]);
    for (size_t i = 0; j->kind == JSON_OBJECT && i < j->object.n; i++)
        add_values(values, j->object.members[i].value);
}

static bool is_made_of(struct str id, const struct values *values)
{
    /* begins[i]: a value may begin at i, right after another value and a separator. */
    char begins[512] = {1};
    if (id.n >= sizeof begins)
        return false;
    for (size_t at = 0; at < id.n; at++)
        for (size_t i = 0; begins[at] && i < values->n; i++) {
            size_t end = at + values->v[i].n;
            if (!str_starts(str_slice(id, at, id.n), values->v[i]))
                continue;
            if (end == id.n)
                return true;
            if (is_between(id.p[end]) && end + 1 < id.n)
                begins[end + 1] = 1;
        }
    return false;
}

static struct str value_key(struct arena *a, struct str type, struct str value)
{
    return arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(type), STR_ARG(value));
}

static void index_type(struct held *k, struct str type)
{
    if (!map_add(&k->indexed, type, k))
        return;
    for (size_t i = 0; i < k->objects.n; i++) {
        const struct held_object *o = k->objects.v[i];
        if (!str_eq(o->type, type) || !o->instance->attributes)
            continue;
        struct values values = {.n = 0};
        add_values(&values, o->instance->attributes);
        for (size_t n = 0; n < values.n; n++) {
            struct str key = value_key(k->arena, type, values.v[n]);
            struct same_key *new = arena_make(k->arena, struct same_key), *last = map_get(&k->by_value, key);
            *new = (struct same_key){o, last};
            if (!last || last->object != o)
                map_put(&k->by_value, key, new);
        }
    }
}

static const struct held_object *composed(struct held *k, const struct import_item *item)
{
    index_type(k, item->type);
    for (size_t end = 1; end < item->id.n; end++) {
        if (!is_between(item->id.p[end]))
            continue;
        size_t tries = 0;
        const struct same_key *a = map_get(&k->by_value, value_key(k->arena, item->type, str_slice(item->id, 0, end)));
        for (; a && tries < MAX_ALIKE; a = a->next, tries++) {
            struct values values = {.n = 0};
            add_values(&values, a->object->instance->attributes);
            if (is_made_of(item->id, &values))
                return a->object;
        }
    }
    return NULL;
}

/* An ACL is imported by its bucket, but has the id BUCKET,ACL. */
static const struct held_object *named_by_argument(struct held *k, const struct import_item *item)
{
    const struct schema *schema = map_get(&k->schema->resources, item->type);
    index_type(k, item->type);
    const struct same_key *a = schema ? map_get(&k->by_value, value_key(k->arena, item->type, item->id)) : NULL;
    for (; a; a = a->next)
        for (size_t i = 0; str_contains(a->object->id, item->id) && i < schema->block->n_attrs; i++) {
            const struct schema_attr *attr = &schema->block->attrs[i];
            const struct json *v = attr->required ? json_get_str(a->object->instance->attributes, attr->name) : NULL;
            if (v && str_eq(json_text(v, STR_EMPTY), item->id))
                return a->object;
        }
    return NULL;
}

/* --- parts of managed objects --- */

/* Nothing but nulls, zeros and empty collections. Recursion is as deep as the state. */
static bool says_nothing(const struct json *j)
{
    for (size_t i = 0; j->kind == JSON_ARRAY && i < j->array.n; i++)
        if (!says_nothing(j->array.items[i]))
            return false;
    for (size_t i = 0; j->kind == JSON_OBJECT && i < j->object.n; i++)
        if (!says_nothing(j->object.members[i].value))
            return false;
    return (j->kind == JSON_STRING || j->kind == JSON_NUMBER) ? j->text.n == 0 || str_eqz(j->text, "0")
                                                              : j->kind != JSON_BOOL || !j->boolean;
}

/* An object of a state with this value in that attribute; NULL: none. */
static const struct held_object *with_value(struct held *k, struct str type, struct str attribute, struct str value)
{
    struct str kind = arena_printf(k->arena, STR_FMT "." STR_FMT, STR_ARG(type), STR_ARG(attribute));
    bool new = map_add(&k->indexed, kind, k);
    for (size_t i = 0; new && i < k->objects.n; i++) {
        struct held_object *o = k->objects.v[i];
        bool counts = str_eq(o->type, type) && o->instance->attributes;
        struct str now = counts ? json_text(json_get_str(o->instance->attributes, attribute), STR_EMPTY) : STR_EMPTY;
        if (now.n > 0)
            map_put(&k->by_attribute, value_key(k->arena, kind, now), o);
    }
    return map_get(&k->by_attribute, value_key(k->arena, kind, value));
}

/*
 * Does a managed object say this one itself, as a security group its rules? Then what changes there is a change of that object.
 * Where others of its kind are managed as objects of their own, this one would have to be, too.
 */
static const struct held_object *inside(struct held *k, const struct import_item *item)
{
    for (size_t i = 0; item->of.n > 0 && i < k->rows->pairs.n; i++) {
        const struct row_pair *pair = &k->rows->pairs.v[i];
        if (!str_eq(pair->own, item->type))
            continue;
        const struct json_member *by = &pair->by->object.members[0];
        const struct held_object *parent = with_value(k, pair->parent, json_text(by->value, STR_EMPTY), item->of);
        const struct json *argument = parent ? json_get_str(parent->instance->attributes, pair->argument) : NULL;
        if (argument && !says_nothing(argument) && !with_value(k, item->type, by->key, item->of))
            return parent;
    }
    return NULL;
}

const struct held_object *held_find(struct held *k, const struct import_item *item)
{
    const struct held_object *o = with_key(k, item);
    o = o ? o : composed(k, item);
    o = o ? o : named_by_argument(k, item);
    return o ? o : inside(k, item);
}
