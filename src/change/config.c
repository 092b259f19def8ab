/*
 * Configuration from JSON, as core reads its JSON syntax.
 *
 * A body (the configuration, or the content of a block) is an object. Its members are arguments and blocks; the schema says which
 * is which. The value of an argument is first read without the schema and then converted to the attribute's type. Blocks of one
 * type are an array of bodies or a single body; an array of objects can also be one body in several parts. Blocks with map
 * nesting are members of an object, with the map key as the name. The member "//" is a comment. Reading continues after an error,
 * to find all errors.
 *
 * Each finding has its position in the JSON; something missing is reported at the end of the body. Findings are reported in the
 * order of their positions.
 */
#include "base/buf.h"
#include "base/map.h"
#include "change/config_json_private.h"
#include "value/convert.h"
#include "value/text.h"

#include <limits.h>
#include <stdlib.h>

/* A position in the JSON. */
struct spot {
    const struct spot *up;
    struct path_step step;
    size_t order; /* index among the members or elements */
};

struct finding {
    struct str summary, detail;
    struct path path;
    enum diag_where where;
    size_t *order; /* of each step; MOST for the end of a container */
    size_t depth;
};
enum { MOST = INT_MAX };

struct reader {
    struct arena *arena;
    VEC(struct finding) found;
};

/* A member of a body, or a body among the blocks of one type. */
struct entry {
    struct str name; /* of a block in a map: the key */
    const struct json *value;
    const struct spot *spot;
    const struct spot *definition; /* of a block: the position where the block is defined */
};
struct entries {
    struct entry *v;
    size_t n, cap;
};

static const struct spot *spot_new(struct reader *r, const struct spot *up, struct path_step step, size_t order)
{
    struct spot *spot = arena_make(r->arena, struct spot);
    *spot = (struct spot){up, step, order};
    return spot;
}

static struct path spot_path(struct reader *r, const struct spot *spot)
{
    size_t n = 0;
    for (const struct spot *s = spot; s; s = s->up)
        n++;
    struct path_step *steps = arena_make_n(r->arena, struct path_step, n);
    struct path path = {steps, n};
    for (const struct spot *s = spot; s; s = s->up)
        steps[--n] = s->step;
    return path;
}

/* Core reports a file position here; we report the path. */
static struct str spot_text(struct reader *r, const struct spot *spot)
{
    return path_text(r->arena, spot_path(r, spot));
}

static struct finding *find_at(struct reader *r, const struct spot *spot, struct str summary, struct str detail)
{
    struct finding *f = VEC_PUSH(r->arena, &r->found);
    f->summary = summary;
    f->detail = detail;
    f->path = spot_path(r, spot);
    f->where = DIAG_AT_VALUE;
    f->depth = f->path.n;
    f->order = arena_make_n(r->arena, size_t, f->depth + 1);
    size_t i = f->depth;
    for (const struct spot *s = spot; s; s = s->up)
        f->order[--i] = s->order;
    return f;
}

/* Something is missing: reported at the end of the container. */
static void find_missing(struct reader *r, const struct spot *spot, struct str summary, struct str detail)
{
    struct finding *f = find_at(r, spot, summary, detail);
    f->order[f->depth++] = MOST;
    f->where = DIAG_AT_END;
}

/* The name is wrong, not the value. */
static void find_at_name(struct reader *r, const struct spot *spot, struct str summary, struct str detail)
{
    find_at(r, spot, summary, detail)->where = DIAG_AT_NAME;
}

static struct str quoted(struct reader *r, struct str name)
{
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    text_write_quoted(&out, name);
    return buf_copy(&out, r->arena);
}

#define say(r, ...) arena_printf((r)->arena, __VA_ARGS__)

/* Bodies */

static void add_members(struct reader *r, struct entries *out, const struct json *object, const struct spot *at, bool labels)
{
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        struct path_step step = {.kind = labels ? PATH_KEY : PATH_ATTR, .name = m->key};
        *VEC_PUSH(r->arena, out) = (struct entry){.name = m->key, .value = m->value, .spot = spot_new(r, at, step, i)};
    }
}

/*
 * Not an object, so it has no members. Core collects the members of a body twice, first those in the schema and then the others,
 * and reports this error each time; labels are collected once.
 */
static void find_wrong_kind(struct reader *r, const struct spot *at, bool labels, const char *wanted)
{
    struct str detail = say(r, "%s is required here, to %s.", wanted,
                            labels ? "specify key labels for this block" : "define arguments and child blocks");
    for (int times = labels ? 1 : 2; times > 0; times--)
        find_at(r, at, STR("Incorrect JSON value type"), detail);
}

/* The members of a body; `labels`: the members are map keys with bodies as values. */
static struct entries members_of(struct reader *r, const struct json *j, const struct spot *at, bool labels)
{
    struct entries out = {0};
    if (j->kind == JSON_OBJECT) {
        add_members(r, &out, j, at, labels);
    } else if (j->kind == JSON_ARRAY) {
        for (size_t i = 0; i < j->array.n; i++) {
            const struct json *item = j->array.items[i];
            const struct spot *spot = spot_new(r, at, (struct path_step){.kind = PATH_INDEX, .index = (int64_t)i}, i);
            if (item->kind == JSON_OBJECT)
                add_members(r, &out, item, spot, labels);
            else
                find_wrong_kind(r, spot, labels, "A JSON object");
        }
    } else if (j->kind != JSON_NULL) {
        find_wrong_kind(r, at, labels, "Either a JSON object or JSON array of objects");
    }
    return out;
}

/* Adds the bodies of the blocks of one type. */
static void add_bodies(struct reader *r, struct entries *out, struct str type, struct str key, const struct json *j,
                       const struct spot *at)
{
    if (j->kind == JSON_OBJECT || j == &config_unknown) {
        *VEC_PUSH(r->arena, out) = (struct entry){.name = key, .value = j, .spot = at, .definition = at};
    } else if (j->kind == JSON_ARRAY) {
        for (size_t i = 0; i < j->array.n; i++) {
            const struct spot *spot = spot_new(r, at, (struct path_step){.kind = PATH_INDEX, .index = (int64_t)i}, i);
            *VEC_PUSH(r->arena, out) = (struct entry){.name = key, .value = j->array.items[i], .spot = spot, .definition = at};
        }
    } else if (j->kind != JSON_NULL) {
        find_at(r, at, STR("Incorrect JSON value type"),
                say(r,
                    "Either a JSON object or a JSON array is required, representing the contents of one or more " STR_FMT
                    " blocks.",
                    STR_ARG(quoted(r, type))));
    }
}

static void add_labelled_bodies(struct reader *r, struct entries *out, struct str type, const struct entry *member)
{
    if (member->value == &config_unknown) {
        add_bodies(r, out, type, STR_EMPTY, member->value, member->spot);
        return;
    }
    struct entries keys = members_of(r, member->value, member->spot, true);
    if (keys.n == 0)
        find_at(r, member->spot, STR("Missing block label"),
                say(r, "At least one object property is required, whose name represents the " STR_FMT " block's key.",
                    STR_ARG(type)));
    for (size_t i = 0; i < keys.n; i++)
        add_bodies(r, out, type, keys.v[i].name, keys.v[i].value, keys.v[i].spot);
}

/* Attributes */

/* The type that a configured value is converted to: optional attributes of nested objects may be absent. */
static const struct type *wanted_type(struct arena *a, const struct schema_attr *attr)
{
    if (!attr->nested)
        return attr->type ? attr->type : attr->value_type;
    const struct schema_object *o = attr->nested;
    struct type_attr *attrs = arena_make_n(a, struct type_attr, o->n_attrs);
    for (size_t i = 0; i < o->n_attrs; i++)
        attrs[i] =
            (struct type_attr){o->attrs[i].name, wanted_type(a, &o->attrs[i]), o->attrs[i].optional || o->attrs[i].computed};
    const struct type *t = type_object(a, attrs, o->n_attrs);
    return o->nesting == NESTING_LIST  ? type_list(a, t)
           : o->nesting == NESTING_SET ? type_set(a, t)
           : o->nesting == NESTING_MAP ? type_map(a, t)
                                       : t;
}

/* The conversion's message without the path at its start. */
static struct str reason(struct reader *r, const struct diag *d)
{
    struct str path = path_text(r->arena, d->path);
    return plain_mismatch(r->arena, d->path.n > 0 ? str_slice(d->detail, path.n + 2, d->detail.n) : d->detail);
}

/* Finds duplicate names in the objects of a value. */
static void find_twice(struct reader *r, const struct json *j, const struct spot *at)
{
    if (j->kind == JSON_ARRAY)
        for (size_t i = 0; i < j->array.n; i++)
            find_twice(r, j->array.items[i], spot_new(r, at, (struct path_step){.kind = PATH_INDEX, .index = (int64_t)i}, i));
    if (j->kind != JSON_OBJECT)
        return;
    struct map seen;
    map_init(&seen, r->arena);
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        struct str name = config_name(r->arena, m->key);
        const struct spot *spot = spot_new(r, at, (struct path_step){.kind = PATH_KEY, .name = m->key}, i);
        find_twice(r, m->value, spot);
        const struct spot *first = map_get(&seen, name);
        if (first)
            find_at_name(r, spot, STR("Duplicate object attribute"),
                         say(r, "An attribute named " STR_FMT " was already defined at " STR_FMT ".", STR_ARG(quoted(r, name)),
                             STR_ARG(spot_text(r, first))));
        else
            map_put(&seen, name, (void *)spot);
    }
}

static const struct value *read_attr(struct reader *r, const struct schema_attr *attr, const struct entry *member)
{
    if (!member)
        return value_null(r->arena, attr->value_type);
    struct diags diags;
    diags_init(&diags, r->arena);
    struct config_oddity odd = {0};
    const struct value *v = config_value(r->arena, member->value, &odd);
    if (odd.twice)
        find_twice(r, member->value, member->spot);
    const struct value *converted = v ? value_convert(r->arena, v, wanted_type(r->arena, attr), PATH_ROOT, &diags) : NULL;
    if (converted)
        return converted;
    struct str why = odd.problem ? str_of(odd.problem) : reason(r, &diags.v[0]);
    find_at(r, member->spot, STR("Incorrect attribute value type"),
            say(r, "Inappropriate value for attribute " STR_FMT ": " STR_FMT ".", STR_ARG(quoted(r, attr->name)), STR_ARG(why)));
    return value_unknown(r->arena, attr->value_type);
}

/*
 * Old providers allow lists of objects to be written as an attribute or as blocks. So core does not report such an attribute as
 * missing, unless the schema shows that its provider is newer.
 */
static bool could_be_blocks(const struct type *t)
{
    return (t->kind == TYPE_LIST || t->kind == TYPE_SET) && t->element->kind == TYPE_OBJECT;
}

static bool type_is_modern(const struct type *t)
{
    if (t->kind == TYPE_TUPLE || t->kind == TYPE_OBJECT || (t->kind == TYPE_MAP && t->element->kind == TYPE_OBJECT))
        return true;
    return type_is_collection(t) && type_is_collection(t->element) && !type_is_primitive(t->element->element);
}

static bool block_is_modern(const struct schema_block *b)
{
    for (size_t i = 0; i < b->n_attrs; i++)
        if (b->attrs[i].nested || type_is_modern(b->attrs[i].value_type))
            return true;
    for (size_t i = 0; i < b->n_blocks; i++)
        if (block_is_modern(b->blocks[i].block))
            return true;
    return false;
}

static void check_required(struct reader *r, const struct schema_block *b, struct entry *const *given, const struct spot *at)
{
    for (size_t i = 0; i < b->n_attrs; i++) {
        const struct schema_attr *attr = &b->attrs[i];
        if (!attr->required || given[i])
            continue;
        if (!attr->nested && could_be_blocks(attr->value_type) && !block_is_modern(b))
            continue;
        find_missing(
            r, at, STR("Missing required argument"),
            say(r, "The argument " STR_FMT " is required, but no definition was found.", STR_ARG(quoted(r, attr->name))));
    }
}

/* Blocks */

static const struct value *read_body(struct reader *r, const struct schema_block *b, const struct json *j, const struct spot *at);

static const struct value *read_single(struct reader *r, const struct schema_nested_block *b, const struct entries *bodies,
                                       const struct spot *at)
{
    if (bodies->n > 1)
        find_at(r, bodies->v[1].definition, say(r, "Duplicate " STR_FMT " block", STR_ARG(b->name)),
                say(r, "Only one block of type " STR_FMT " is allowed. Previous definition was at " STR_FMT ".",
                    STR_ARG(quoted(r, b->name)), STR_ARG(spot_text(r, bodies->v[0].spot))));
    if (bodies->n > 0)
        return read_body(r, b->block, bodies->v[0].value, bodies->v[0].spot);
    if (b->min_items == 1)
        find_missing(r, at, say(r, "Missing " STR_FMT " block", STR_ARG(b->name)),
                     say(r, "A block of type " STR_FMT " is required here.", STR_ARG(quoted(r, b->name))));
    return schema_empty_nested(r->arena, b);
}

static void check_count(struct reader *r, const struct schema_nested_block *b, const struct entries *bodies,
                        const struct spot *at)
{
    size_t n = bodies->n;
    if (b->min_items > 0 && n < (uint64_t)b->min_items) {
        find_missing(
            r, at, say(r, "Insufficient " STR_FMT " blocks", STR_ARG(b->name)),
            say(r, "At least %lld " STR_FMT " blocks are required.", (long long)b->min_items, STR_ARG(quoted(r, b->name))));
    } else if (b->max_items > 0 && n > (uint64_t)b->max_items) {
        const struct entry *first = &bodies->v[b->max_items];
        struct str summary = say(r, "Too many " STR_FMT " blocks", STR_ARG(b->name));
        struct str detail =
            say(r, "No more than %lld " STR_FMT " blocks are allowed", (long long)b->max_items, STR_ARG(quoted(r, b->name)));
        if (first->value->kind == JSON_OBJECT)
            find_missing(r, first->spot, summary, detail);
        else
            find_at(r, first->spot, summary, detail);
    }
}

static const struct value *read_many(struct reader *r, const struct schema_nested_block *b, const struct entries *bodies,
                                     const struct spot *at)
{
    const struct value **elements = arena_make_n(r->arena, const struct value *, bodies->n);
    for (size_t i = 0; i < bodies->n; i++)
        elements[i] = read_body(r, b->block, bodies->v[i].value, bodies->v[i].spot);
    check_count(r, b, bodies, at);
    if (bodies->n == 0)
        return schema_empty_nested(r->arena, b);
    if (b->nesting == NESTING_LIST && b->block->type->has_dynamic)
        return value_tuple(r->arena, elements, bodies->n);
    if (!value_have_one_type(elements, bodies->n)) {
        find_at(r, bodies->v[0].spot, say(r, "Unconsistent argument types in " STR_FMT " blocks", STR_ARG(b->name)),
                STR("Corresponding attributes in all blocks of this type must be the same."));
        return value_unknown(r->arena, b->value_type);
    }
    return b->nesting == NESTING_LIST ? value_list(r->arena, b->block->type, elements, bodies->n)
                                      : value_set(r->arena, b->block->type, elements, bodies->n);
}

static const struct value *object_of(struct arena *a, const struct str *keys, const struct value *const *v, size_t n)
{
    struct type_attr *attrs = arena_make_n(a, struct type_attr, n);
    for (size_t i = 0; i < n; i++)
        attrs[i] = (struct type_attr){.name = keys[i], .type = v[i]->type};
    const struct type *t = type_object(a, attrs, n);
    const struct value **elements = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++)
        elements[type_attr_find(t, keys[i])] = v[i];
    return value_object(a, t, elements);
}

static const struct value *read_map(struct reader *r, const struct schema_nested_block *b, const struct entries *bodies)
{
    const struct value **elements = arena_make_n(r->arena, const struct value *, bodies->n);
    struct str *keys = arena_make_n(r->arena, struct str, bodies->n);
    struct map seen;
    map_init(&seen, r->arena);
    size_t n = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        const struct entry *body = &bodies->v[i];
        const struct value *key = value_string(r->arena, body->name);
        elements[n] = read_body(r, b->block, body->value, body->spot);
        keys[n] = key ? key->string : body->name;
        if (map_add(&seen, keys[n], r)) {
            n++;
            continue;
        }
        find_at(r, body->definition, say(r, "Duplicate " STR_FMT " block", STR_ARG(b->name)),
                say(r, "A block for " STR_FMT " " STR_FMT " was already defined. The " STR_FMT " labels must be unique.",
                    STR_ARG(b->name), STR_ARG(quoted(r, body->name)), STR_ARG(b->name)));
    }
    if (n == 0)
        return schema_empty_nested(r->arena, b);
    if (b->block->type->has_dynamic)
        return object_of(r->arena, keys, elements, n);
    return value_map(r->arena, b->block->type, keys, elements, n);
}

static bool has_unknown(const struct entries *bodies)
{
    for (size_t i = 0; i < bodies->n; i++)
        if (bodies->v[i].value == &config_unknown)
            return true;
    return false;
}

static const struct value *read_blocks(struct reader *r, const struct schema_nested_block *b, const struct entries *bodies,
                                       const struct spot *at)
{
    if (has_unknown(bodies))
        return value_unknown(r->arena, b->value_type);
    switch (b->nesting) {
    case NESTING_INVALID:
    case NESTING_SINGLE:
    case NESTING_GROUP:
        return read_single(r, b, bodies, at);
    case NESTING_LIST:
    case NESTING_SET:
        return read_many(r, b, bodies, at);
    case NESTING_MAP:
        return read_map(r, b, bodies);
    }
    return NULL;
}

/* The whole */

static const char *suggestion(struct reader *r, const struct schema_block *b, struct entry *const *given, struct str name)
{
    struct str near = STR_EMPTY;
    if (name_is_near(name, STR("dynamic")))
        near = STR("dynamic");
    for (size_t i = b->n_blocks; i > 0; i--)
        if (name_is_near(name, b->blocks[i - 1].name))
            near = b->blocks[i - 1].name;
    for (size_t i = b->n_attrs; i > 0; i--)
        if (!given[i - 1] && name_is_near(name, b->attrs[i - 1].name))
            near = b->attrs[i - 1].name;
    return near.n > 0 ? say(r, " Did you mean " STR_FMT "?", STR_ARG(quoted(r, near))).p : "";
}

static void find_extraneous(struct reader *r, const struct schema_block *b, const struct entries *members,
                            struct entry *const *given)
{
    for (size_t i = 0; i < members->n; i++) {
        const struct entry *m = &members->v[i];
        if (str_eqz(m->name, "//") || schema_block_attr(b, m->name) || schema_block_block(b, m->name))
            continue;
        find_at_name(r, m->spot, STR("Extraneous JSON object property"),
                     say(r, "No argument or block type is named " STR_FMT ".%s", STR_ARG(quoted(r, m->name)),
                         suggestion(r, b, given, m->name)));
    }
}

/* Assigns the members to arguments, and the bodies to block types. */
static void sort_members(struct reader *r, const struct schema_block *b, const struct entries *members, struct entry **given,
                         struct entries *bodies)
{
    for (size_t i = 0; i < members->n; i++) {
        struct entry *m = &members->v[i];
        const struct schema_attr *attr = schema_block_attr(b, m->name);
        const struct schema_nested_block *block = attr ? NULL : schema_block_block(b, m->name);
        if (attr && given[attr - b->attrs])
            find_at(r, m->spot, STR("Duplicate argument"),
                    say(r, "The argument " STR_FMT " was already set at " STR_FMT ".", STR_ARG(quoted(r, m->name)),
                        STR_ARG(spot_text(r, given[attr - b->attrs]->spot))));
        else if (attr)
            given[attr - b->attrs] = m;
        else if (block && block->nesting == NESTING_MAP)
            add_labelled_bodies(r, &bodies[block - b->blocks], block->name, m);
        else if (block)
            add_bodies(r, &bodies[block - b->blocks], block->name, STR_EMPTY, m->value, m->spot);
    }
}

static const struct value *read_body(struct reader *r, const struct schema_block *b, const struct json *j, const struct spot *at)
{
    struct entries members = members_of(r, j, at, false);
    struct entry **given = arena_make_n(r->arena, struct entry *, b->n_attrs);
    struct entries *bodies = arena_make_n(r->arena, struct entries, b->n_blocks);
    sort_members(r, b, &members, given, bodies);
    check_required(r, b, given, at);
    find_extraneous(r, b, &members, given);

    const struct type *t = b->type;
    const struct value **parts = arena_make_n(r->arena, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct schema_attr *attr = schema_block_attr(b, t->attrs[i].name);
        const struct schema_nested_block *block = attr ? NULL : schema_block_block(b, t->attrs[i].name);
        parts[i] = attr ? read_attr(r, attr, given[attr - b->attrs]) : read_blocks(r, block, &bodies[block - b->blocks], at);
    }
    return value_object(r->arena, t, parts);
}

static int by_place(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    for (size_t i = 0; i < x->depth && i < y->depth; i++)
        if (x->order[i] != y->order[i])
            return x->order[i] < y->order[i] ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    int order = str_cmp(x->summary, y->summary);
    return order != 0 ? order : str_cmp(x->detail, y->detail);
}

static void report(struct reader *r, struct diags *diags)
{
    if (r->found.n > 0)
        qsort(r->found.v, r->found.n, sizeof *r->found.v, by_place);
    for (size_t i = 0; i < r->found.n; i++) {
        const struct finding *f = &r->found.v[i];
        diags_add(diags,
                  &(struct diag){
                      .severity = DIAG_ERROR, .summary = f->summary, .detail = f->detail, .path = f->path, .where = f->where});
    }
}

const struct value *change_config_read(struct arena *a, const struct schema_block *schema, const struct json *config,
                                       const struct json *unknown, struct diags *diags)
{
    struct reader r = {.arena = a};
    const struct value *v = read_body(&r, schema, unknown ? config_merge(a, config, unknown) : config, NULL);
    report(&r, diags);
    return r.found.n == 0 ? v : NULL;
}
