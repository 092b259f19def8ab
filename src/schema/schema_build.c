/*
 * Builds the final form from drafts; equal parts are shared.
 *
 * Parts are built from the leaves up: texts, types, attribute lists, blocks. Everything a part points to is shared already, so
 * two parts are equal exactly when their bytes are equal. One table per kind of part, keyed by those bytes, finds an existing
 * equal part. The key of an entry is the part itself. Parts are assembled in zeroed memory, so that padding is equal too; if it
 * ever were not, two equal parts would merely not be shared.
 */
#include "schema/schema_build.h"

#include <stdlib.h>

enum part {
    PART_ATTRS,
    PART_OBJECT,
    PART_BLOCKS,
    PART_BLOCK,
    PART_LIST_TYPE,
    PART_SET_TYPE,
    PART_MAP_TYPE,
    PART_OBJECT_TYPE,
    PART_TUPLE_TYPE,
    PART_COUNT,
};

struct schema_builder {
    struct arena *arena;   /* for the result */
    struct arena *tables;  /* for the maps below and the builder */
    struct arena *scratch; /* for one call */
    struct provider_schema *schema;
    struct map texts; /* text -> const char *, its shared copy */
    struct map types; /* type JSON -> const struct type * */
    struct map parts[PART_COUNT];
    size_t depth;
    bool too_deep;
};

static const struct schema *empty_schema(struct arena *a);

struct schema_builder *schema_builder_new(struct arena *a)
{
    struct arena *tables = arena_new(a, 0);
    struct schema_builder *b = arena_make(tables, struct schema_builder);
    *b = (struct schema_builder){.arena = a, .tables = tables, .scratch = arena_new(tables, 0)};
    map_init(&b->texts, tables);
    map_init(&b->types, tables);
    for (size_t i = 0; i < PART_COUNT; i++)
        map_init(&b->parts[i], tables);
    b->schema = arena_make(a, struct provider_schema);
    b->schema->arena = a;
    b->schema->provider = empty_schema(a);
    for (enum schema_section i = 0; i < SECTION_COUNT; i++)
        map_init(provider_schema_fill(b->schema, i), a);
    return b;
}

struct provider_schema *schema_builder_schema(struct schema_builder *b)
{
    return b->schema;
}

const struct provider_schema *schema_builder_end(struct schema_builder *b)
{
    struct provider_schema *s = b->schema;
    for (enum schema_section i = 0; i < SECTION_COUNT; i++)
        map_sort(provider_schema_fill(s, i));
    arena_free(b->tables);
    return s;
}

/* Sharing */

/* Returns the shared part with these bytes; if there is none, a copy becomes the shared part. */
static const void *share(struct schema_builder *b, enum part part, const void *draft, size_t size)
{
    if (size == 0)
        return NULL;
    const void *known = map_get(&b->parts[part], (struct str){draft, size});
    if (known)
        return known;
    void *copy = arena_alloc(b->arena, size, alignof(max_align_t));
    memcpy(copy, draft, size);
    map_put(&b->parts[part], (struct str){copy, size}, copy);
    return copy;
}

struct str schema_build_text(struct schema_builder *b, struct str text)
{
    if (text.n == 0)
        return STR_EMPTY;
    const char *known = map_get(&b->texts, text);
    if (known)
        return (struct str){known, text.n};
    struct str copy = arena_str(b->arena, text);
    map_put(&b->texts, copy, (void *)copy.p);
    return copy;
}

static int by_name(const void *a, const void *b)
{
    const void *x = *(const void *const *)a, *y = *(const void *const *)b;
    int order = str_cmp(*(const struct str *)x, *(const struct str *)y);
    if (order != 0)
        return order;
    return (x > y) - (x < y); /* equal names: keep the order of the array */
}

/* Pointers to the elements sorted by name; of equal names only the last. Elements begin with their name. */
static const void **in_order(struct arena *scratch, const void *elements, size_t n, size_t size, size_t *ret_n)
{
    const void **v = arena_make_n(scratch, const void *, n);
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        v[i] = (const char *)elements + i * size;
        if (i > 0 && str_cmp(*(const struct str *)v[i - 1], *(const struct str *)v[i]) >= 0)
            sorted = false;
    }
    *ret_n = n;
    if (sorted)
        return v;
    qsort(v, n, sizeof *v, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !str_eq(*(const struct str *)v[i], *(const struct str *)v[i + 1]))
            v[kept++] = v[i];
    *ret_n = kept;
    return v;
}

/* Types: created by the constructors and looked up by the constructors' arguments, which are stored in the type and serve as the
 * key */

static const struct type *share_collection(struct schema_builder *b, enum type_kind kind, const struct type *element)
{
    enum part part = kind == TYPE_LIST ? PART_LIST_TYPE : kind == TYPE_SET ? PART_SET_TYPE : PART_MAP_TYPE;
    const struct type *t = map_get(&b->parts[part], (struct str){(const char *)&element, sizeof element});
    if (t)
        return t;
    t = type_collection(b->arena, kind, element);
    map_put(&b->parts[part], (struct str){(const char *)&t->element, sizeof t->element}, (void *)t);
    return t;
}

/* The names and types of the attributes are shared already, and they are sorted. */
static const struct type *share_object(struct schema_builder *b, const struct type_attr *attrs, size_t n)
{
    const struct type *t = map_get(&b->parts[PART_OBJECT_TYPE], (struct str){(const char *)attrs, n * sizeof *attrs});
    if (t)
        return t;
    t = type_object(b->arena, attrs, n);
    map_put(&b->parts[PART_OBJECT_TYPE], (struct str){(const char *)t->attrs, n * sizeof *attrs}, (void *)t);
    return t;
}

static const struct type *share_tuple(struct schema_builder *b, const struct type *const *elements, size_t n)
{
    size_t size = n * sizeof *elements;
    const struct type *t = map_get(&b->parts[PART_TUPLE_TYPE], (struct str){(const char *)elements, size});
    if (t)
        return t;
    t = type_tuple(b->arena, elements, n);
    map_put(&b->parts[PART_TUPLE_TYPE], (struct str){(const char *)t->elements, size}, (void *)t);
    return t;
}

static const struct type *share_type(struct schema_builder *b, const struct type *t)
{
    const struct type *constant = type_constant(t->kind);
    if (constant)
        return constant;
    if (type_is_collection(t))
        return share_collection(b, t->kind, share_type(b, t->element));
    if (t->kind == TYPE_OBJECT) {
        struct type_attr *attrs = arena_make_n(b->scratch, struct type_attr, t->n);
        for (size_t i = 0; i < t->n; i++) {
            attrs[i].name = schema_build_text(b, t->attrs[i].name);
            attrs[i].type = share_type(b, t->attrs[i].type);
            attrs[i].optional = t->attrs[i].optional;
        }
        return share_object(b, attrs, t->n);
    }
    const struct type **elements = arena_make_n(b->scratch, const struct type *, t->n);
    for (size_t i = 0; i < t->n; i++)
        elements[i] = share_type(b, t->elements[i]);
    return share_tuple(b, elements, t->n);
}

/* `t` is a shared type, or NULL when the schema has none. */
static const struct type *type_of_values(struct schema_builder *b, const struct type *t)
{
    if (!t)
        return &type_dynamic;
    return t->plain == t ? t : share_type(b, t->plain);
}

const struct type *schema_build_type(struct schema_builder *b, struct str type_json, struct diags *diags)
{
    const struct type *known = map_get(&b->types, type_json);
    if (known)
        return known;
    const struct type *t = type_parse(b->scratch, type_json, diags);
    if (t) {
        t = share_type(b, t);
        map_put(&b->types, arena_str(b->tables, type_json), (void *)t);
    }
    arena_reset(b->scratch);
    return t;
}

/* Attributes */

static const struct type *wrap(struct schema_builder *b, enum schema_nesting nesting, const struct type *object_type)
{
    switch (nesting) {
    case NESTING_LIST:
        return share_collection(b, TYPE_LIST, object_type);
    case NESTING_SET:
        return share_collection(b, TYPE_SET, object_type);
    case NESTING_MAP:
        return share_collection(b, TYPE_MAP, object_type);
    case NESTING_INVALID:
    case NESTING_SINGLE:
    case NESTING_GROUP:
        break;
    }
    return object_type;
}

static const struct type *nested_type(struct schema_builder *b, const struct schema_object *o)
{
    struct type_attr *attrs = arena_make_n(b->scratch, struct type_attr, o->n_attrs);
    for (size_t i = 0; i < o->n_attrs; i++) {
        attrs[i].name = o->attrs[i].name;
        attrs[i].type = o->attrs[i].value_type;
    }
    return wrap(b, o->nesting, share_object(b, attrs, o->n_attrs));
}

/* Called when descending into a draft, up() when returning. False when the draft is nested too deep. */
static bool down(struct schema_builder *b)
{
    if (b->depth == SCHEMA_MAX_DEPTH)
        b->too_deep = true;
    if (b->depth == SCHEMA_MAX_DEPTH || arena_exhausted(b->arena))
        return false;
    b->depth++;
    return true;
}

static void up(struct schema_builder *b)
{
    b->depth--;
}

static unsigned attrs_levels(const struct schema_attr *attrs, size_t n)
{
    unsigned levels = 0;
    for (size_t i = 0; i < n; i++)
        if (attrs[i].nested && attrs[i].nested->levels > levels)
            levels = attrs[i].nested->levels;
    return levels;
}

static const struct schema_attr *build_attrs(struct schema_builder *b, const struct schema_attr *draft, size_t n, size_t *ret_n);

static const struct schema_object *build_object(struct schema_builder *b, const struct schema_object *draft)
{
    struct schema_object *o = arena_make(b->scratch, struct schema_object);
    o->nesting = draft->nesting;
    o->min_items = draft->min_items;
    o->max_items = draft->max_items;
    if (down(b)) {
        o->attrs = build_attrs(b, draft->attrs, draft->n_attrs, &o->n_attrs);
        up(b);
    }
    o->levels = 1 + attrs_levels(o->attrs, o->n_attrs);
    return share(b, PART_OBJECT, o, sizeof *o);
}

static void build_attr(struct schema_builder *b, const struct schema_attr *draft, struct schema_attr *attr)
{
    attr->name = schema_build_text(b, draft->name);
    attr->type = draft->type ? share_type(b, draft->type) : NULL;
    attr->nested = draft->nested ? build_object(b, draft->nested) : NULL;
    attr->description = schema_build_text(b, draft->description);
    attr->deprecation_message = schema_build_text(b, draft->deprecation_message);
    attr->description_kind = draft->description_kind;
    attr->required = draft->required;
    attr->optional = draft->optional;
    attr->computed = draft->computed;
    attr->sensitive = draft->sensitive;
    attr->write_only = draft->write_only;
    attr->deprecated = draft->deprecated;
    attr->value_type = attr->nested ? nested_type(b, attr->nested) : type_of_values(b, attr->type);
}

static const struct schema_attr *build_attrs(struct schema_builder *b, const struct schema_attr *draft, size_t n, size_t *ret_n)
{
    if (n > 0 && draft[0].value_type) {
        *ret_n = n;
        return draft;
    }
    const void **order = in_order(b->scratch, draft, n, sizeof *draft, ret_n);
    struct schema_attr *attrs = arena_make_n(b->scratch, struct schema_attr, *ret_n);
    for (size_t i = 0; i < *ret_n; i++)
        build_attr(b, order[i], &attrs[i]);
    return share(b, PART_ATTRS, attrs, *ret_n * sizeof *attrs);
}

/* Blocks */

static const struct schema_block *build_block(struct schema_builder *b, const struct schema_block *draft);

static const struct type *nested_block_type(struct schema_builder *b, enum schema_nesting nesting, const struct type *object_type)
{
    if (object_type->has_dynamic && (nesting == NESTING_LIST || nesting == NESTING_MAP))
        return &type_dynamic;
    return wrap(b, nesting, object_type);
}

static const struct schema_nested_block *build_blocks(struct schema_builder *b, const struct schema_nested_block *draft, size_t n,
                                                      size_t *ret_n)
{
    const void **order = in_order(b->scratch, draft, n, sizeof *draft, ret_n);
    struct schema_nested_block *blocks = arena_make_n(b->scratch, struct schema_nested_block, *ret_n);
    for (size_t i = 0; i < *ret_n; i++) {
        const struct schema_nested_block *from = order[i];
        blocks[i].name = schema_build_text(b, from->name);
        blocks[i].nesting = from->nesting;
        blocks[i].min_items = from->min_items;
        blocks[i].max_items = from->max_items;
        blocks[i].block = build_block(b, from->block);
        blocks[i].value_type = nested_block_type(b, from->nesting, blocks[i].block->type);
    }
    return share(b, PART_BLOCKS, blocks, *ret_n * sizeof *blocks);
}

/* Merges attributes and blocks by name; if a name is both (the checks refuse that), the attribute counts. */
static const struct type *block_type(struct schema_builder *b, const struct schema_block *block)
{
    struct type_attr *attrs = arena_make_n(b->scratch, struct type_attr, block->n_attrs + block->n_blocks);
    size_t n = 0, i = 0, j = 0;
    while (i < block->n_attrs || j < block->n_blocks) {
        int order = i == block->n_attrs ? 1 : j == block->n_blocks ? -1 : str_cmp(block->attrs[i].name, block->blocks[j].name);
        if (order <= 0) {
            attrs[n].name = block->attrs[i].name;
            attrs[n++].type = block->attrs[i++].value_type;
        } else {
            attrs[n].name = block->blocks[j].name;
            attrs[n++].type = block->blocks[j].value_type;
        }
        if (order >= 0)
            j++;
    }
    return share_object(b, attrs, n);
}

static unsigned block_levels(const struct schema_block *block)
{
    unsigned levels = attrs_levels(block->attrs, block->n_attrs);
    for (size_t i = 0; i < block->n_blocks; i++)
        if (block->blocks[i].block->levels > levels)
            levels = block->blocks[i].block->levels;
    return 1 + levels;
}

/* The type follows from the other members, so it is not part of the key and is computed only for a new block. */
static const struct schema_block *share_block(struct schema_builder *b, const struct schema_block *block)
{
    size_t key = offsetof(struct schema_block, type);
    const struct schema_block *known = map_get(&b->parts[PART_BLOCK], (struct str){(const char *)block, key});
    if (known)
        return known;
    struct schema_block *copy = arena_make(b->arena, struct schema_block);
    memcpy(copy, block, key);
    copy->type = block_type(b, block);
    map_put(&b->parts[PART_BLOCK], (struct str){(const char *)copy, key}, copy);
    return copy;
}

static const struct schema_block *build_block(struct schema_builder *b, const struct schema_block *draft)
{
    static const struct schema_block none;
    if (draft && draft->type)
        return draft;
    struct schema_block *block = arena_make(b->scratch, struct schema_block);
    if (!draft || !down(b))
        draft = &none;
    else {
        block->attrs = build_attrs(b, draft->attrs, draft->n_attrs, &block->n_attrs);
        block->blocks = build_blocks(b, draft->blocks, draft->n_blocks, &block->n_blocks);
        up(b);
    }
    block->description = schema_build_text(b, draft->description);
    block->deprecation_message = schema_build_text(b, draft->deprecation_message);
    block->description_kind = draft->description_kind;
    block->deprecated = draft->deprecated;
    block->computed = draft->computed;
    block->levels = block_levels(block);
    return share_block(b, block);
}

static const struct schema *new_schema(struct arena *a, int64_t version, const struct schema_block *block)
{
    struct schema *s = arena_make(a, struct schema);
    *s = (struct schema){.version = version, .block = block, .type = block->type};
    return s;
}

static const struct schema *empty_schema(struct arena *a)
{
    struct schema_block *block = arena_make(a, struct schema_block);
    block->description = block->deprecation_message = STR_EMPTY;
    block->levels = 1;
    block->type = type_object(a, NULL, 0);
    return new_schema(a, 0, block);
}

const struct schema_block *schema_build_block(struct schema_builder *b, const struct schema_block *draft)
{
    const struct schema_block *block = build_block(b, draft);
    arena_reset(b->scratch);
    return block;
}

const struct schema *schema_build(struct schema_builder *b, int64_t version, const struct schema_block *draft, struct str what,
                                  struct diags *diags)
{
    const struct schema_block *block = schema_build_block(b, draft);
    bool too_deep = b->too_deep || block->levels > SCHEMA_MAX_DEPTH;
    b->too_deep = false;
    if (too_deep) {
        diags_fail(diags, "Schema too deep",
                   "The schema of " STR_FMT " nests blocks or attributes in more than %d levels, which is the limit.",
                   STR_ARG(what), SCHEMA_MAX_DEPTH);
        return NULL;
    }
    if (arena_exhausted(b->arena)) {
        diags_fail(diags, "Schema too large", "The memory limit was reached at the schema of " STR_FMT ".", STR_ARG(what));
        return NULL;
    }
    return new_schema(b->arena, version, block);
}

/* Identities and functions are few and small, so they are copied without sharing. */

const struct schema_identity *schema_build_identity(struct schema_builder *b, const struct schema_identity *draft)
{
    size_t n;
    const void **order = in_order(b->scratch, draft->attrs, draft->n_attrs, sizeof *draft->attrs, &n);
    struct schema_identity_attr *attrs = arena_make_n(b->arena, struct schema_identity_attr, n);
    struct type_attr *type_attrs = arena_make_n(b->scratch, struct type_attr, n);
    for (size_t i = 0; i < n; i++) {
        attrs[i] = *(const struct schema_identity_attr *)order[i];
        attrs[i].name = type_attrs[i].name = schema_build_text(b, attrs[i].name);
        attrs[i].type = attrs[i].type ? share_type(b, attrs[i].type) : NULL;
        attrs[i].description = schema_build_text(b, attrs[i].description);
        type_attrs[i].type = type_of_values(b, attrs[i].type);
    }
    struct schema_identity *identity = arena_make(b->arena, struct schema_identity);
    *identity = (struct schema_identity){.version = draft->version, .attrs = attrs, .n_attrs = n};
    identity->type = share_object(b, type_attrs, n);
    arena_reset(b->scratch);
    return identity;
}

static void build_parameter(struct schema_builder *b, const struct schema_parameter *draft, struct schema_parameter *parameter)
{
    *parameter = *draft;
    parameter->name = schema_build_text(b, draft->name);
    parameter->type = draft->type ? share_type(b, draft->type) : NULL;
    parameter->description = schema_build_text(b, draft->description);
}

const struct schema_function *schema_build_function(struct schema_builder *b, const struct schema_function *draft)
{
    struct schema_parameter *parameters = arena_make_n(b->arena, struct schema_parameter, draft->n_parameters);
    for (size_t i = 0; i < draft->n_parameters; i++)
        build_parameter(b, &draft->parameters[i], &parameters[i]);
    struct schema_parameter *variadic = draft->variadic ? arena_make(b->arena, struct schema_parameter) : NULL;
    if (variadic)
        build_parameter(b, draft->variadic, variadic);
    struct schema_function *f = arena_make(b->arena, struct schema_function);
    *f = (struct schema_function){
        .parameters = parameters,
        .n_parameters = draft->n_parameters,
        .variadic = variadic,
        .return_type = draft->return_type ? share_type(b, draft->return_type) : NULL,
        .summary = schema_build_text(b, draft->summary),
        .description = schema_build_text(b, draft->description),
        .deprecation_message = schema_build_text(b, draft->deprecation_message),
        .description_kind = draft->description_kind,
    };
    arena_reset(b->scratch);
    return f;
}
