#include "crossplane/tree.h"

#include "crossplane/docs.h"

#include <stdlib.h>

struct builder {
    struct arena *arena;
    const struct xp_resource_config *config; /* NULL: none */
    bool data_source;
    size_t n_nodes;
    bool failed;
};

/* What a nested attribute inherits from its owner. */
struct owner {
    struct str path;
    bool status_only; /* the configuration moved the owner and its contents to the status */
};

static const struct xp_tree_type scalar_types[] = {
    [TREE_STRING] = {.kind = TREE_STRING}, [TREE_NUMBER] = {.kind = TREE_NUMBER}, [TREE_INTEGER] = {.kind = TREE_INTEGER},
    [TREE_BOOL] = {.kind = TREE_BOOL},     [TREE_ANY] = {.kind = TREE_ANY},       [TREE_TUPLE] = {.kind = TREE_TUPLE},
};

static const struct xp_tree_type *make_type(struct builder *b, enum xp_tree_kind kind, const struct xp_tree_type *element)
{
    struct xp_tree_type *t = arena_make(b->arena, struct xp_tree_type);
    t->kind = kind;
    t->element = element;
    return t;
}

static struct str join_path(struct builder *b, struct str owner, struct str name)
{
    return owner.n > 0 ? arena_printf(b->arena, STR_FMT "." STR_FMT, STR_ARG(owner), STR_ARG(name)) : name;
}

/* --- the configuration of one field --- */

static bool is_true(enum xp_said t, bool otherwise)
{
    return t == SAID_NOTHING ? otherwise : t == SAID_YES;
}

static const struct xp_tree_type *retyped(const struct xp_tree_type *type, enum xp_scalar_type to)
{
    static const enum xp_tree_kind kinds[] = {[SCALAR_STRING] = TREE_STRING,
                                              [SCALAR_NUMBER] = TREE_NUMBER,
                                              [SCALAR_INTEGER] = TREE_INTEGER,
                                              [SCALAR_BOOLEAN] = TREE_BOOL,
                                              [SCALAR_ANY] = TREE_ANY};
    return to == SCALAR_UNSET ? type : &scalar_types[kinds[to]];
}

/* False if the field is omitted. */
static bool apply_settings(struct xp_tree_attr *attr, const struct xp_field_settings *s)
{
    if (s->omit == SAID_YES)
        return false;
    attr->sensitive = is_true(s->sensitive, attr->sensitive);
    attr->optional = is_true(s->optional, attr->optional);
    attr->computed = is_true(s->computed, attr->computed);
    attr->identifier = is_true(s->identifier, attr->identifier);
    attr->required = is_true(s->required, attr->required);
    attr->embed = is_true(s->embed, attr->embed);
    attr->immutable = s->immutable == SAID_YES;
    attr->late_init = is_true(s->late_init, true);
    attr->late_init_if = is_true(s->late_init_if, true);
    attr->json = s->name;
    attr->reference = s->reference;
    attr->merge = s->merge;
    if (s->description.n > 0)
        attr->description = s->description;
    return true;
}

/* --- types --- */

static const struct xp_tree_type *build_type(struct builder *b, const struct type *t, const struct xp_tree_attr *parent,
                                             struct owner owner);

/* An attribute of an object type, a nested attribute or a block, before its contents are processed. */
struct draft {
    struct xp_tree_attr attr;
    const struct type *type; /* one of these three */
    const struct schema_object *nested;
    const struct schema_nested_block *block;
};

static bool is_collection(const struct xp_tree_type *t)
{
    return t->kind == TREE_LIST || t->kind == TREE_SET;
}

static const struct xp_tree_attr *build_attrs(struct builder *b, const struct draft *drafts, size_t n, struct owner owner,
                                              size_t *ret_n);

static const struct xp_tree_type *object_of(struct builder *b, const struct draft *drafts, size_t n, struct owner owner)
{
    struct xp_tree_type *t = arena_make(b->arena, struct xp_tree_type);
    t->kind = TREE_OBJECT;
    t->attrs = build_attrs(b, drafts, n, owner, &t->n_attrs);
    return t;
}

static const struct xp_tree_type *build_object_type(struct builder *b, const struct type *t, const struct xp_tree_attr *parent,
                                                    struct owner owner)
{
    struct draft *drafts = arena_make_n(b->arena, struct draft, t->n);
    for (size_t i = 0; i < t->n; i++)
        drafts[i] = (struct draft){
            .attr = {.name = t->attrs[i].name, .optional = parent->optional, .computed = parent->computed},
            .type = t->attrs[i].type,
        };
    return object_of(b, drafts, t->n, owner);
}

static const struct xp_tree_type *build_type(struct builder *b, const struct type *t, const struct xp_tree_attr *parent,
                                             struct owner owner)
{
    switch (t->kind) {
    case TYPE_STRING:
        return &scalar_types[TREE_STRING];
    case TYPE_NUMBER:
        return &scalar_types[TREE_NUMBER];
    case TYPE_BOOL:
        return &scalar_types[TREE_BOOL];
    case TYPE_LIST:
        return make_type(b, TREE_LIST, build_type(b, t->element, parent, owner));
    case TYPE_SET:
        return make_type(b, TREE_SET, build_type(b, t->element, parent, owner));
    case TYPE_MAP:
        return make_type(b, TREE_MAP, build_type(b, t->element, parent, owner));
    case TYPE_OBJECT:
        return build_object_type(b, t, parent, owner);
    case TYPE_TUPLE:
        return &scalar_types[TREE_TUPLE];
    case TYPE_DYNAMIC:
        break;
    }
    return &scalar_types[TREE_ANY];
}

static const struct xp_tree_type *nest(struct builder *b, enum schema_nesting nesting, const struct xp_tree_type *object,
                                       bool block)
{
    switch (nesting) {
    case NESTING_LIST:
        return make_type(b, TREE_LIST, object);
    case NESTING_SET:
        return make_type(b, TREE_SET, object);
    case NESTING_MAP:
        return make_type(b, TREE_MAP, object);
    case NESTING_SINGLE:
    case NESTING_GROUP:
    case NESTING_INVALID:
        break;
    }
    return block ? make_type(b, TREE_LIST, object) : object;
}

static struct draft draft_of_attr(const struct schema_attr *a)
{
    return (struct draft){
        .attr = {.name = a->name,
                 .optional = a->optional,
                 .computed = a->computed,
                 .sensitive = a->sensitive,
                 .write_only = a->write_only,
                 .deprecated = a->deprecated,
                 .description = a->description,
                 .deprecation_message = a->deprecation_message,
                 .odd_nesting = a->nested && a->nested->nesting == NESTING_INVALID},
        .type = a->nested ? NULL
                : a->type ? a->type
                          : a->value_type,
        .nested = a->nested,
    };
}

static bool has_required(const struct schema_block *block)
{
    for (size_t i = 0; i < block->n_attrs; i++)
        if (block->attrs[i].required)
            return true;
    for (size_t i = 0; i < block->n_blocks; i++)
        if (block->blocks[i].min_items > 0 || has_required(block->blocks[i].block))
            return true;
    return false;
}

static struct draft draft_of_block(const struct builder *b, const struct schema_nested_block *n)
{
    struct draft d = {.block = n};
    d.attr = (struct xp_tree_attr){
        .name = n->name,
        .optional = n->min_items == 0,
        .deprecated = n->block->deprecated,
        .description = n->block->description,
        .deprecation_message = n->block->deprecation_message,
        .block = true,
        .single = n->nesting == NESTING_SINGLE,
        .group = n->nesting == NESTING_GROUP,
        .odd_nesting = n->nesting == NESTING_INVALID,
        /* A block with neither a minimum nor a maximum number may be set by the provider itself. */
        .computed = n->min_items == 0 && n->max_items == 0,
    };
    if (d.attr.single || d.attr.group) {
        enum xp_compat compat = b->config ? b->config->compat : COMPAT_OWN;
        d.attr.optional = !(compat >= COMPAT_UPJET && has_required(n->block));
        /* Upjet's bug: required attributes in the block make the block an output. */
        d.attr.computed = d.attr.optional || (compat >= COMPAT_UPJET_EXACT && b->config->config->single_block_computed);
    }
    if (n->block->computed) { /* newer providers state this explicitly */
        d.attr.optional = false;
        d.attr.computed = true;
    }
    return d;
}

static const struct xp_tree_type *build_nested(struct builder *b, const struct schema_object *nested, struct owner owner)
{
    struct draft *drafts = arena_make_n(b->arena, struct draft, nested->n_attrs);
    for (size_t i = 0; i < nested->n_attrs; i++)
        drafts[i] = draft_of_attr(&nested->attrs[i]);
    return nest(b, nested->nesting, object_of(b, drafts, nested->n_attrs, owner), false);
}

static struct draft *block_drafts(struct builder *b, const struct schema_block *block, size_t *ret_n)
{
    struct draft *drafts = arena_make_n(b->arena, struct draft, block->n_attrs + block->n_blocks);
    size_t n = 0;
    for (size_t i = 0; i < block->n_attrs; i++)
        drafts[n++] = draft_of_attr(&block->attrs[i]);
    for (size_t i = 0; i < block->n_blocks; i++)
        drafts[n++] = draft_of_block(b, &block->blocks[i]);
    *ret_n = n;
    return drafts;
}

static const struct xp_tree_type *build_block(struct builder *b, const struct schema_nested_block *block, struct owner owner)
{
    size_t n;
    struct draft *drafts = block_drafts(b, block->block, &n);
    return nest(b, block->nesting, object_of(b, drafts, n, owner), true);
}

static bool is_singleton(const struct draft *d)
{
    const struct schema_nested_block *n = d->block;
    return n &&
           (d->attr.single || d->attr.group || ((n->nesting == NESTING_LIST || n->nesting == NESTING_SET) && n->max_items == 1));
}

/* --- one attribute --- */

/* False if it is omitted. */
static bool build_attr(struct builder *b, const struct draft *d, struct owner owner, struct xp_tree_attr *ret)
{
    struct xp_tree_attr attr = d->attr;
    attr.path = join_path(b, owner.path, attr.name);
    attr.late_init = attr.late_init_if = true;
    bool top = owner.path.n == 0;
    if (top && attr.block && str_eqz(attr.name, "timeouts"))
        return false;
    attr.embed = b->config && b->config->config->embed_singletons && is_singleton(d);
    struct xp_field_settings settings;
    bool configured = b->config && xp_config_field(b->config, attr.path, &settings);
    if (configured && !apply_settings(&attr, &settings))
        return false;
    if (b->config && b->config->config->docs && !(configured && settings.description.n > 0))
        attr.description = xp_docs_describe(b->config->config->docs, b->arena, b->config->type, attr.path, attr.description);
    bool is_id = top && !attr.block && str_eqz(attr.name, "id") && !b->data_source;
    struct owner below = {attr.path, owner.status_only || (configured && settings.status_only == SAID_YES)};
    if (below.status_only || is_id) {
        attr.computed = true;
        attr.optional = attr.required = false;
    }
    b->n_nodes++;
    if (is_id)
        attr.type = &scalar_types[TREE_STRING];
    else if (d->block)
        attr.type = build_block(b, d->block, below);
    else if (d->nested)
        attr.type = build_nested(b, d->nested, below);
    else
        attr.type = build_type(b, d->type, &attr, below);
    if (configured)
        attr.type = retyped(attr.type, settings.type);
    attr.as_blocks = d->type && is_collection(attr.type) && attr.type->element->kind == TREE_OBJECT;
    attr.embed &= is_collection(attr.type) && attr.type->element->kind == TREE_OBJECT;
    *ret = attr;
    return true;
}

static int by_name(const void *x, const void *y)
{
    return str_cmp(((const struct xp_tree_attr *)x)->name, ((const struct xp_tree_attr *)y)->name);
}

static const struct xp_tree_attr *build_attrs(struct builder *b, const struct draft *drafts, size_t n, struct owner owner,
                                              size_t *ret_n)
{
    struct xp_tree_attr *attrs = arena_make_n(b->arena, struct xp_tree_attr, n);
    size_t kept = 0;
    *ret_n = 0;
    for (size_t i = 0; i < n && !b->failed; i++) {
        b->failed = b->n_nodes > TREE_MAX_NODES || arena_exhausted(b->arena);
        kept += build_attr(b, &drafts[i], owner, &attrs[kept]);
    }
    qsort(attrs, kept, sizeof *attrs, by_name);
    *ret_n = kept;
    return attrs;
}

/* Every object has an id, even where the schema has none. */
static struct draft *with_id(struct builder *b, struct draft *drafts, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (str_eqz(drafts[i].attr.name, "id"))
            return drafts;
    struct draft *more = arena_make_n(b->arena, struct draft, *n + 1);
    if (*n > 0)
        memcpy(more, drafts, *n * sizeof *more);
    more[(*n)++] = (struct draft){.attr = {.name = STR("id")}, .type = &type_string};
    return more;
}

static struct draft *find_draft(struct draft *drafts, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(drafts[i].attr.name, name))
            return &drafts[i];
    return NULL;
}

static struct xp_tree_attr beside_attr(struct str name, enum xp_tree_kind kind, struct str description)
{
    return (struct xp_tree_attr){.name = name,
                                 .path = name,
                                 .type = &scalar_types[kind],
                                 .optional = true,
                                 .identifier = true,
                                 .beside = true,
                                 .description = description};
}

/*
 * Fields of objects that are not arguments of the resource. If the resource has an argument with that name, the field is that
 * argument; if it has such an output, the output stays in the status.
 */
static size_t find_beside(struct builder *b, struct draft *drafts, size_t n, struct xp_tree_attr *ret)
{
    const struct xp_resource_config *c = b->config;
    size_t found = 0;
    for (size_t i = 0; i < c->n_provider_arguments; i++) {
        const struct xp_provider_argument *argument = &c->provider_arguments[i];
        struct draft *own = find_draft(drafts, n, argument->name);
        if (argument->said == SAID_NO)
            continue;
        if (own && !xp_tree_is_output(&own->attr)) {
            own->attr.identifier = true;
            own->attr.required = argument->required;
            continue;
        }
        ret[found] =
            beside_attr(argument->name, TREE_STRING,
                        arena_printf(b->arena, "The argument " STR_FMT " of the provider's configuration, for this object.",
                                     STR_ARG(argument->name)));
        ret[found++].optional = !argument->required;
    }
    for (size_t i = 0; i < c->n_generated_secrets; i++) {
        const struct xp_generated_secret *secret = &c->generated_secrets[i];
        if (secret->name.n > 0 && find_draft(drafts, n, secret->path))
            ret[found++] =
                beside_attr(secret->name, TREE_BOOL,
                            arena_printf(b->arena,
                                         "Whether " STR_FMT
                                         " is generated and stored in the secret that the reference names, if it has none yet.",
                                         STR_ARG(secret->path)));
    }
    return found;
}

static void add_beside(struct builder *b, struct xp_tree *tree, const struct xp_tree_attr *beside, size_t n)
{
    struct xp_tree_attr *attrs = arena_make_n(b->arena, struct xp_tree_attr, tree->n_attrs + n);
    if (tree->n_attrs > 0)
        memcpy(attrs, tree->attrs, tree->n_attrs * sizeof *attrs);
    for (size_t i = 0; i < n; i++)
        attrs[tree->n_attrs++] = beside[i];
    qsort(attrs, tree->n_attrs, sizeof *attrs, by_name);
    tree->attrs = attrs;
}

bool xp_tree_build(struct arena *a, const struct schema *s, const struct xp_resource_config *config, struct diags *diags,
                   struct xp_tree *ret)
{
    struct builder b = {.arena = a, .config = config, .data_source = config && xp_config_is_data_source(config)};
    struct xp_tree tree;
    size_t n;
    struct draft *drafts = block_drafts(&b, s->block, &n);
    if (!b.data_source)
        drafts = with_id(&b, drafts, &n);
    size_t n_beside = config ? config->n_provider_arguments + config->n_generated_secrets : 0;
    struct xp_tree_attr *beside = arena_make_n(a, struct xp_tree_attr, n_beside);
    n_beside = config ? find_beside(&b, drafts, n, beside) : 0;
    tree.attrs = build_attrs(&b, drafts, n, (struct owner){STR_EMPTY, false}, &tree.n_attrs);
    if (n_beside > 0)
        add_beside(&b, &tree, beside, n_beside);
    tree.n_nodes = b.n_nodes;
    if (b.failed)
        return diags_fail(diags, "Schema too large", STR_FMT " has more than %d attributes.",
                          STR_ARG(config ? config->type : STR_EMPTY), TREE_MAX_NODES);
    *ret = tree;
    return true;
}

/* --- suggestions --- */

static void closest_in(const struct xp_tree_attr *attrs, size_t n, struct str typed, size_t *least, struct str *best)
{
    for (size_t i = 0; i < n; i++) {
        size_t distance = str_distance(attrs[i].path, typed);
        if (distance < *least) {
            *least = distance;
            *best = attrs[i].path;
        }
        const struct xp_tree_type *t = attrs[i].type;
        while (t->element)
            t = t->element;
        closest_in(t->attrs, t->n_attrs, typed, least, best);
    }
}

struct str xp_tree_closest(struct arena *a, const struct schema *s, struct str typed)
{
    struct xp_tree tree = {0};
    struct diags ignored;
    diags_init(&ignored, a);
    struct str best = STR_EMPTY;
    size_t least = typed.n / 3 + 2;
    if (xp_tree_build(a, s, NULL, &ignored, &tree))
        closest_in(tree.attrs, tree.n_attrs, typed, &least, &best);
    return best;
}
