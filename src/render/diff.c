/*
 * Terraform's rules for which parts of a change are shown, and how. The unexpected ones have a comment.
 */
#include "render/diff_private.h"

/* What the schema says about a value. */
struct spec {
    enum { SPEC_BLOCK, SPEC_NESTED, SPEC_TYPE, SPEC_JSON } kind;
    const struct schema_block *block; /* BLOCK */
    const struct schema_attr *attrs;  /* NESTED: of one object */
    size_t n_attrs;
    enum schema_nesting nesting; /* NESTED */
    const struct type *type;     /* TYPE */
};

static const struct diff *diff_of(struct arena *a, const struct sides *s, const struct spec *spec);
static const struct diff *diff_open(struct arena *a, const struct sides *s);

static struct spec spec_of_type(const struct type *t)
{
    return (struct spec){.kind = SPEC_TYPE, .type = t};
}

static struct spec spec_of_attr(const struct schema_attr *attr)
{
    if (!attr->nested)
        return spec_of_type(attr->value_type);
    return (struct spec){
        .kind = SPEC_NESTED,
        .attrs = attr->nested->attrs,
        .n_attrs = attr->nested->n_attrs,
        .nesting = attr->nested->nesting,
    };
}

/* Actions */

/* The action of a container from its own creation or deletion, before its parts are compared. */
static enum change_action first_action(const struct sides *s)
{
    if (!s->before == !s->after)
        return ACTION_NO_OP;
    return s->before ? ACTION_DELETE : ACTION_CREATE;
}

static enum change_action with_part(enum change_action action, enum change_action part)
{
    return part == ACTION_NO_OP || part == action ? action : ACTION_UPDATE;
}

static enum change_action plain_action(const struct sides *s)
{
    bool before = s->before || s->has_before, after = s->after || s->has_after;
    if (before != after)
        return before ? ACTION_DELETE : ACTION_CREATE;
    return json_same(s->before, s->after) ? ACTION_NO_OP : ACTION_UPDATE;
}

static struct diff *make(struct arena *a, const struct sides *s, enum diff_kind kind, enum change_action action)
{
    struct diff *d = arena_make(a, struct diff);
    *d = (struct diff){.kind = kind, .action = action, .replace = sides_force_replacement(s)};
    return d;
}

/* Secret and unknown values */

static const struct diff *diff_secret(struct arena *a, const struct sides *s, const struct spec *spec)
{
    struct sides open = *s;
    open.was_secret = open.is_secret = NULL;
    open.modern = false;
    const struct diff *inner = diff_of(a, &open, spec);
    bool was = json_is_true(s->was_secret), is = json_is_true(s->is_secret);
    bool absent = !s->before && !s->has_before && !s->after && !s->has_after;
    enum change_action action = inner->action == ACTION_NO_OP && was != is && !absent ? ACTION_UPDATE : inner->action;
    struct diff *d = make(a, s, spec->kind == SPEC_BLOCK ? DIFF_SECRET_BLOCK : DIFF_SECRET, action);
    d->inner = inner;
    d->was_secret = was;
    d->is_secret = is;
    return d;
}

/* {"a":true,...}: if a whole object becomes unknown, its attributes are shown as unknown, not as deleted. */
static const struct json *all_unknown(struct arena *a, const struct schema_attr *attrs, size_t n)
{
    struct json_member *members = arena_make_n(a, struct json_member, n);
    for (size_t i = 0; i < n; i++)
        members[i] = (struct json_member){.key = attrs[i].name, .value = json_make_bool(a, true)};
    return json_make_object(a, members, n);
}

static const struct diff *diff_unknown(struct arena *a, const struct sides *s, const struct spec *spec)
{
    struct diff *d = make(a, s, DIFF_UNKNOWN, s->before ? ACTION_UPDATE : ACTION_CREATE);
    if (!s->before)
        return d;
    struct sides before = sides_deleted(s);
    before.replace = (struct replace_paths){0}; /* written after "(known after apply)" instead */
    if (spec->kind == SPEC_BLOCK)
        before.unknown = all_unknown(a, spec->block->attrs, spec->block->n_attrs);
    else if (spec->kind == SPEC_NESTED)
        before.unknown = all_unknown(a, spec->attrs, spec->n_attrs);
    d->inner = diff_of(a, &before, spec);
    return d;
}

/* Containers: the action follows from the entries. */

#define NO_NAME ((struct str){0})

static void add_entry(struct diff *d, struct diff_entry *entries, struct str name, const struct diff *part)
{
    entries[d->n++] = (struct diff_entry){name, part};
    d->action = with_part(d->action, part->action);
}

static bool is_nothing(const struct sides *s, const struct diff *part)
{
    return part->action == ACTION_NO_OP && !s->before && !s->after;
}

static bool same_elements(const struct sides *s, size_t before, size_t after)
{
    return json_same(json_item(s->before, before), json_item(s->after, after)) && !json_is_true(json_item(s->unknown, after)) &&
           json_is_true(json_item(s->was_secret, before)) == json_is_true(json_item(s->is_secret, after));
}

/* Pairs the elements before with equal ones after; then come the new ones. */
static struct pairs pair_set(struct arena *a, const struct sides *s)
{
    size_t n_before = json_length(s->before), n_after = json_length(s->after), n = 0;
    struct pair *v = arena_make_n(a, struct pair, n_before + n_after);
    bool *taken = arena_make_n(a, bool, n_after);
    for (size_t i = 0; i < n_before; i++) {
        size_t match = SIZE_MAX;
        for (size_t j = 0; j < n_after; j++) {
            if (taken[j] || !same_elements(s, i, j))
                continue;
            taken[j] = true;
            match = j;
        }
        v[n++] = (struct pair){i, match};
    }
    for (size_t j = 0; j < n_after; j++)
        if (!taken[j])
            v[n++] = (struct pair){SIZE_MAX, j};
    return (struct pairs){v, n};
}

static bool same_items(const void *ctx, size_t before, size_t after)
{
    const struct sides *s = ctx;
    return json_same(s->before->array.items[before], s->after->array.items[after]);
}

static bool never(const void *ctx, size_t before, size_t after)
{
    (void)ctx, (void)before, (void)after;
    return false;
}

static bool always(const void *ctx, size_t before, size_t after)
{
    (void)ctx, (void)before, (void)after;
    return true;
}

static bool both_objects(const void *ctx, size_t before, size_t after)
{
    const struct sides *s = ctx;
    return s->before->array.items[before]->kind == JSON_OBJECT && s->after->array.items[after]->kind == JSON_OBJECT;
}

static struct pairs pair_list(struct arena *a, const struct sides *s, pair_test_fn *are_objects)
{
    return pair_up(a, json_length(s->before), json_length(s->after), same_items, are_objects, s);
}

static const struct diff *diff_elements(struct arena *a, const struct sides *s, enum diff_kind kind, struct pairs pairs,
                                        const struct spec *element)
{
    struct diff *d = make(a, s, kind, first_action(s));
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, pairs.n);
    for (size_t i = 0; i < pairs.n; i++) {
        struct sides item = sides_item(a, s, pairs.v[i].before, pairs.v[i].after);
        add_entry(d, entries, NO_NAME, diff_of(a, &item, element));
    }
    d->entries = entries;
    return d;
}

static const struct diff *diff_map(struct arena *a, const struct sides *s, enum diff_kind kind, bool of_values,
                                   const struct spec *element)
{
    struct names names = sides_names(a, s, of_values);
    struct diff *d = make(a, s, kind, first_action(s));
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, names.n);
    for (size_t i = 0; i < names.n; i++) {
        struct sides member = sides_member(a, s, names.v[i]);
        add_entry(d, entries, names.v[i], diff_of(a, &member, element));
    }
    d->entries = entries;
    return d;
}

/* An attribute of an object, where null counts as absent. */
static struct sides attribute(struct arena *a, const struct sides *s, struct str name)
{
    struct sides part = sides_member(a, s, name);
    part.has_before = part.has_after = false;
    return part;
}

/* Types */

static const struct diff *diff_object(struct arena *a, const struct sides *s, const struct type *t)
{
    struct diff *d = make(a, s, DIFF_OBJECT, first_action(s));
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, t->n);
    for (size_t i = 0; i < t->n; i++) {
        struct sides part = attribute(a, s, t->attrs[i].name);
        struct spec spec = spec_of_type(t->attrs[i].type);
        const struct diff *diff = diff_of(a, &part, &spec);
        if (!is_nothing(&part, diff))
            add_entry(d, entries, t->attrs[i].name, diff);
    }
    d->entries = entries;
    return d;
}

static const struct diff *diff_tuple(struct arena *a, const struct sides *s, const struct type *t)
{
    struct diff *d = make(a, s, DIFF_LIST, first_action(s));
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, t->n);
    for (size_t i = 0; i < t->n; i++) {
        struct sides item = sides_item(a, s, i, i);
        struct spec spec = spec_of_type(t->elements[i]);
        add_entry(d, entries, NO_NAME, diff_of(a, &item, &spec));
    }
    d->entries = entries;
    return d;
}

static const struct diff *diff_plain(struct arena *a, const struct sides *s, bool text)
{
    struct diff *d = make(a, s, DIFF_PLAIN, plain_action(s));
    d->text = text;
    d->before = s->before;
    d->after = s->after;
    return d;
}

static const struct diff *diff_type(struct arena *a, const struct sides *s, const struct type *t)
{
    if (t->kind == TYPE_DYNAMIC)
        return diff_open(a, s);
    if (type_is_primitive(t))
        return diff_plain(a, s, t->kind == TYPE_STRING);
    if (t->kind == TYPE_OBJECT)
        return diff_object(a, s, t);
    if (t->kind == TYPE_TUPLE)
        return diff_tuple(a, s, t);
    struct spec element = spec_of_type(t->element);
    switch (t->kind) {
    case TYPE_LIST:
        return diff_elements(a, s, DIFF_LIST, pair_list(a, s, t->element->kind == TYPE_OBJECT ? always : never), &element);
    case TYPE_SET:
        return diff_elements(a, s, DIFF_SET, pair_set(a, s), &element);
    default:
        return diff_map(a, s, DIFF_MAP, /* of_values= */ false, &element);
    }
}

/* Nested attributes */

/* A write-only attribute has no value to compare: it is created and deleted with its object. */
static const struct diff *diff_write_only(struct arena *a, const struct sides *s, enum change_action owner)
{
    return make(a, s, DIFF_WRITE_ONLY, owner);
}

static const struct diff *diff_nested_object(struct arena *a, const struct sides *s, const struct spec *spec)
{
    enum change_action own = first_action(s);
    struct diff *d = make(a, s, DIFF_OBJECT, own);
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, spec->n_attrs);
    for (size_t i = 0; i < spec->n_attrs; i++) {
        struct sides part = attribute(a, s, spec->attrs[i].name);
        struct spec inner = spec_of_attr(&spec->attrs[i]);
        bool write_only = spec->attrs[i].write_only;
        const struct diff *diff = write_only ? diff_write_only(a, &part, own) : diff_of(a, &part, &inner);
        if (write_only || !is_nothing(&part, diff))
            add_entry(d, entries, spec->attrs[i].name, diff);
    }
    d->entries = entries;
    return d;
}

static const struct diff *diff_nested(struct arena *a, const struct sides *s, const struct spec *spec)
{
    struct spec object = *spec;
    object.nesting = NESTING_SINGLE;
    size_t n_before = json_length(s->before), n_after = json_length(s->after);
    const struct diff *d = NULL;
    switch (spec->nesting) {
    case NESTING_LIST:
        d = diff_elements(a, s, DIFF_LIST, pair_by_place(a, n_before > n_after ? n_before : n_after), &object);
        break;
    case NESTING_SET:
        d = diff_elements(a, s, DIFF_SET, pair_set(a, s), &object);
        break;
    case NESTING_MAP:
        d = diff_map(a, s, DIFF_MAP, /* of_values= */ true, &object);
        break;
    default:
        d = diff_nested_object(a, s, &object);
        break;
    }
    struct diff *nested = arena_make(a, struct diff);
    *nested = *d;
    nested->nested = true;
    return nested;
}

/* Blocks */

/* Is it a type that the old SDK does not have? Checks only what Terraform checks. */
static bool is_modern_type(const struct type *t)
{
    if (t->has_dynamic || t->kind == TYPE_OBJECT || t->kind == TYPE_TUPLE)
        return true;
    return type_is_collection(t) && type_is_collection(t->element) && !type_is_primitive(t->element->element);
}

static bool is_modern_block(const struct schema_block *block)
{
    for (size_t i = 0; i < block->n_attrs; i++)
        if (block->attrs[i].nested || is_modern_type(block->attrs[i].value_type))
            return true;
    for (size_t i = 0; i < block->n_blocks; i++)
        if (block->blocks[i].nesting == NESTING_MAP || block->blocks[i].nesting == NESTING_GROUP)
            return true;
    return false;
}

static void add_attribute(struct arena *a, const struct sides *s, const struct schema_attr *attr, enum change_action own,
                          struct diff *d, struct diff_entry *entries)
{
    struct sides part = attribute(a, s, attr->name);
    struct spec spec = spec_of_attr(attr);
    /* A write-only attribute gets the action of its block. */
    const struct diff *diff = attr->write_only ? diff_write_only(a, s, own) : diff_of(a, &part, &spec);
    if (attr->write_only || !is_nothing(&part, diff))
        add_entry(d, entries, attr->name, diff);
}

static const struct diff *diff_blocks(struct arena *a, const struct sides *s, const struct schema_nested_block *b)
{
    struct spec spec = {.kind = SPEC_BLOCK, .block = b->block};
    size_t n_before = json_length(s->before), n_after = json_length(s->after);
    switch (b->nesting) {
    case NESTING_LIST:
        return diff_elements(a, s, DIFF_LIST, pair_by_place(a, n_before > n_after ? n_before : n_after), &spec);
    case NESTING_SET:
        return diff_elements(a, s, DIFF_SET, pair_set(a, s), &spec);
    case NESTING_MAP:
        return diff_map(a, s, DIFF_MAP, /* of_values= */ true, &spec);
    default:
        return diff_of(a, s, &spec);
    }
}

static void add_to_group(struct arena *a, struct diff_group *group, const struct diff *blocks)
{
    bool many = blocks->kind == DIFF_LIST || blocks->kind == DIFF_SET || blocks->kind == DIFF_MAP;
    size_t n = many ? blocks->n : 1;
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, group->n + n);
    for (size_t i = 0; i < group->n; i++)
        entries[i] = group->entries[i];
    for (size_t i = 0; i < n; i++)
        entries[group->n + i] = many ? blocks->entries[i] : (struct diff_entry){.diff = blocks};
    group->entries = entries;
    group->n += n;
}

static void add_group(struct arena *a, const struct sides *s, const struct schema_nested_block *b, struct diff *d,
                      struct diff_group *groups)
{
    struct diff_group group = {
        .name = b->name,
        .replace = sides_force_replacement(s),
        .was_secret = json_is_true(s->was_secret),
        .is_secret = json_is_true(s->is_secret),
    };
    /* If the blocks are unknown as a whole, that takes one line, and the blocks before are shown as deleted. */
    struct sides known = *s;
    if (json_is_true(s->unknown)) {
        struct diff *unknown = make(a, s, DIFF_UNKNOWN, s->before ? ACTION_UPDATE : ACTION_CREATE);
        add_to_group(a, &group, unknown);
        d->action = with_part(d->action, unknown->action);
        known = sides_deleted(s);
    }
    const struct diff *blocks = diff_blocks(a, &known, b);
    if (!is_nothing(&known, blocks)) {
        add_to_group(a, &group, blocks);
        d->action = with_part(d->action, blocks->action);
    }
    if (group.n > 0 || s->before || s->after)
        groups[d->n_groups++] = group;
}

static const struct diff *diff_of_block(struct arena *a, const struct sides *block, const struct schema_block *schema)
{
    struct sides s = *block;
    s.modern |= is_modern_block(schema);
    enum change_action own = first_action(&s);
    struct diff *d = make(a, &s, DIFF_BLOCK, own);
    struct diff_entry *entries = arena_make_n(a, struct diff_entry, schema->n_attrs);
    for (size_t i = 0; i < schema->n_attrs; i++)
        add_attribute(a, &s, &schema->attrs[i], own, d, entries);
    d->entries = entries;
    struct diff_group *groups = arena_make_n(a, struct diff_group, schema->n_blocks);
    for (size_t i = 0; i < schema->n_blocks; i++) {
        struct sides part = sides_member(a, &s, schema->blocks[i].name);
        add_group(a, &part, &schema->blocks[i], d, groups);
    }
    d->groups = groups;
    return d;
}

/* Values without a schema */

static enum json_kind kind_of(const struct json *j)
{
    return j ? j->kind : JSON_NULL;
}

static const struct diff *diff_json_kind(struct arena *a, const struct sides *s, enum json_kind kind)
{
    struct spec any = {.kind = SPEC_JSON};
    if (kind == JSON_OBJECT)
        return diff_map(a, s, DIFF_OBJECT, /* of_values= */ false, &any);
    if (kind == JSON_ARRAY)
        return diff_elements(a, s, DIFF_LIST, pair_list(a, s, both_objects), &any);
    return diff_plain(a, s, kind == JSON_STRING);
}

static const struct diff *diff_open(struct arena *a, const struct sides *whole)
{
    /* A replace path ends at the value itself; its parts are not marked. */
    struct sides s = *whole;
    s.replace = (struct replace_paths){0};
    enum json_kind before = kind_of(s.before), after = kind_of(s.after);
    bool created = before == JSON_NULL && !s.has_before, deleted = after == JSON_NULL && !s.has_after;
    if (before == after || created || deleted)
        return diff_json_kind(a, &s, before == JSON_NULL ? after : before);
    struct sides old = sides_deleted(&s), new = sides_created(&s);
    struct diff *d = make(a, &s, DIFF_OTHER_TYPE, ACTION_UPDATE);
    d->inner = diff_json_kind(a, &old, before);
    d->other = diff_json_kind(a, &new, after);
    return d;
}

/*
 * The old SDK has no null strings, so an empty string counts as null if the schema may be from the old SDK. Terraform applies
 * this rule to every schema inside lists, sets, sensitive values and values that become unknown.
 */
static const struct json *without_empty(const struct json *j)
{
    return j && j->kind == JSON_STRING && j->text.n == 0 ? NULL : j;
}

static const struct diff *diff_of(struct arena *a, const struct sides *whole, const struct spec *spec)
{
    struct sides s = *whole;
    if (spec->kind == SPEC_TYPE && !s.modern) {
        s.before = without_empty(s.before);
        s.after = without_empty(s.after);
    }
    if (json_is_true(s.was_secret) || json_is_true(s.is_secret))
        return diff_secret(a, &s, spec);
    if (json_is_true(s.unknown))
        return diff_unknown(a, &s, spec);
    switch (spec->kind) {
    case SPEC_BLOCK:
        return diff_of_block(a, &s, spec->block);
    case SPEC_NESTED:
        return diff_nested(a, &s, spec);
    case SPEC_TYPE:
        return diff_type(a, &s, spec->type);
    case SPEC_JSON:
        break;
    }
    return diff_open(a, &s);
}

const struct diff *diff_block(struct arena *a, const struct sides *s, const struct schema_block *schema)
{
    struct spec spec = {.kind = SPEC_BLOCK, .block = schema};
    return diff_of(a, s, &spec);
}

const struct diff *diff_json(struct arena *a, const struct sides *s)
{
    struct spec any = {.kind = SPEC_JSON};
    return diff_of(a, s, &any);
}
