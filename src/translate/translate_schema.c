/*
 * Converts the node tree to Terraform schemas (struct schema). Drafts live in a separate arena until the builder has copied them.
 */
#include "translate/translate.h"

enum { RESOURCE_VERSION = 1 };

struct drafting {
    struct arena *a;
    bool data; /* for a data source: everything but the id is computed */
};

static const struct schema_attr *draft_attrs(const struct drafting *d, const struct cc_node *object, size_t *ret_n);

static const struct schema_object *draft_nested(const struct drafting *d, const struct cc_node *node)
{
    static const enum schema_nesting nestings[] = {
        [CC_OBJECT] = NESTING_SINGLE, [CC_LIST] = NESTING_LIST, [CC_SET] = NESTING_SET, [CC_MAP] = NESTING_MAP};
    struct schema_object *object = arena_make(d->a, struct schema_object);
    object->nesting = nestings[node->kind];
    object->attrs = draft_attrs(d, node->kind == CC_OBJECT ? node : node->element, &object->n_attrs);
    return object;
}

static void draft_attr(const struct drafting *d, const struct cc_node *node, struct schema_attr *attr)
{
    *attr = (struct schema_attr){.name = node->name, .description = node->description, .deprecation_message = STR_EMPTY};
    if (cc_node_is_nested(node))
        attr->nested = draft_nested(d, node);
    else
        attr->type = node->type;
    if (d->data) {
        attr->required = node->role == CC_ROLE_ID;
        attr->computed = !attr->required;
    } else {
        attr->required = node->required;
        attr->optional = node->optional;
        attr->computed = node->computed;
    }
}

static bool is_block(const struct cc_node *node)
{
    return node->role == CC_ROLE_TIMEOUTS && node->kind == CC_OBJECT;
}

static const struct schema_attr *draft_attrs(const struct drafting *d, const struct cc_node *object, size_t *ret_n)
{
    struct schema_attr *attrs = arena_make_n(d->a, struct schema_attr, object->n_children);
    size_t n = 0;
    for (size_t i = 0; i < object->n_children; i++)
        if (!is_block(&object->children[i]))
            draft_attr(d, &object->children[i], &attrs[n++]);
    *ret_n = n;
    return attrs;
}

static void draft_timeouts(const struct drafting *d, const struct cc_node *node, struct schema_block *block)
{
    struct schema_block *inner = arena_make(d->a, struct schema_block);
    inner->attrs = draft_attrs(d, node, &inner->n_attrs);
    inner->description = inner->deprecation_message = STR_EMPTY;
    struct schema_nested_block *nested = arena_make(d->a, struct schema_nested_block);
    *nested = (struct schema_nested_block){.name = node->name, .nesting = NESTING_SINGLE, .block = inner};
    block->blocks = nested;
    block->n_blocks = 1;
}

/* Most schemas here consist of the attributes of one level. */
static const struct schema *build(struct schema_builder *b, const struct schema_attr *attrs, size_t n, struct str description,
                                  enum schema_text kind, struct str what)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct schema_block block = {
        .attrs = attrs, .n_attrs = n, .description = description, .description_kind = kind, .deprecation_message = STR_EMPTY};
    diags_init(&diags, a);
    return schema_build(b, 0, &block, what, &diags);
}

const struct schema *cc_schema_resource(struct schema_builder *b, const struct cc_type *t)
{
    if (!t->has_resource)
        return NULL;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct drafting d = {.a = a};
    struct schema_block block = {.description = t->cfn->description, .deprecation_message = STR_EMPTY};
    struct diags diags;
    diags_init(&diags, a);
    block.attrs = draft_attrs(&d, t->root, &block.n_attrs);
    for (size_t i = 0; i < t->root->n_children; i++)
        if (is_block(&t->root->children[i]))
            draft_timeouts(&d, &t->root->children[i], &block);
    return schema_build(b, RESOURCE_VERSION, &block, t->tf_type, &diags);
}

static const struct schema *singular_schema(struct schema_builder *b, const struct cc_type *t)
{
    if (!t->has_singular)
        return NULL;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct drafting d = {.a = a, .data = true};
    size_t n;
    const struct schema_attr *attrs = draft_attrs(&d, t->root, &n);
    return build(b, attrs, n, arena_printf(a, "Data Source schema for " STR_FMT, STR_ARG(t->cf_type)), TEXT_PLAIN, t->tf_type);
}

/* The arguments needed to list objects. */
static size_t draft_list_arguments(const struct cc_type *t, struct schema_attr *attrs)
{
    for (size_t i = 0; i < t->n_list_arguments; i++) {
        const struct cc_list_argument *argument = &t->list_arguments[i];
        attrs[i] = (struct schema_attr){.name = argument->node->name,
                                        .type = argument->node->type,
                                        .description = argument->node->description,
                                        .deprecation_message = STR_EMPTY,
                                        .required = argument->required,
                                        .optional = !argument->required};
    }
    return t->n_list_arguments;
}

const struct schema *cc_schema_plural(struct schema_builder *b, const struct cc_type *t)
{
    if (!t->has_plural)
        return NULL;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct schema_attr *attrs = arena_make_n(a, struct schema_attr, t->n_list_arguments + 2);
    size_t n = draft_list_arguments(t, attrs);
    attrs[n++] = (struct schema_attr){.name = STR("id"),
                                      .type = &type_string,
                                      .description = STR("Uniquely identifies the data source."),
                                      .deprecation_message = STR_EMPTY,
                                      .computed = true};
    attrs[n++] = (struct schema_attr){.name = STR("ids"),
                                      .type = type_set(a, &type_string),
                                      .description = STR("Set of Resource Identifiers."),
                                      .deprecation_message = STR_EMPTY,
                                      .computed = true};
    return build(b, attrs, n, arena_printf(a, "Plural Data Source schema for " STR_FMT, STR_ARG(t->cf_type)), TEXT_PLAIN,
                 t->plural);
}

/* The schema of a list block's configuration. */
static const struct schema *list_schema(struct schema_builder *b, const struct cc_type *t)
{
    if (!t->has_list)
        return NULL;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct schema_attr *attrs = arena_make_n(a, struct schema_attr, t->n_list_arguments);
    size_t n = draft_list_arguments(t, attrs);
    return build(b, attrs, n, arena_printf(a, "List all resources for `" STR_FMT "` resource type.", STR_ARG(t->cf_type)),
                 TEXT_MARKDOWN, t->tf_type);
}

/* awscc uses the first sentence of the description, for top-level properties whose name was not changed. */
static struct str identity_description(const struct cc_identifier *part)
{
    bool described = part->node && part->node->parent && !part->node->parent->parent && !str_eqz(part->node->cf_name, "Provider");
    struct str text = described ? part->node->description : STR_EMPTY;
    return str_cut(&text, '.');
}

/* The account and, unless the service is global, the region: an import may omit them, even if they are in the identifier. */
bool cc_identity_is_ours(const struct cc_type *t, struct str name)
{
    return str_eqz(name, "account_id") || (!t->global && str_eqz(name, "region"));
}

const struct schema_identity *cc_schema_identity(struct schema_builder *b, const struct cc_type *t)
{
    if (!t->has_resource)
        return NULL;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct schema_identity_attr *attrs = arena_make_n(a, struct schema_identity_attr, t->n_identifiers + 2);
    struct schema_identity draft = {.attrs = attrs};
    attrs[draft.n_attrs++] = (struct schema_identity_attr){STR("account_id"), &type_string,
                                                           STR("AWS Account where this resource is managed"), false, true};
    if (!t->global)
        attrs[draft.n_attrs++] =
            (struct schema_identity_attr){STR("region"), &type_string, STR("Region where this resource is managed"), false, true};
    for (size_t i = 0; i < t->n_identifiers; i++) {
        const struct cc_identifier *part = &t->identifiers[i];
        if (!cc_identity_is_ours(t, part->identity_name))
            attrs[draft.n_attrs++] =
                (struct schema_identity_attr){part->identity_name, &type_string, identity_description(part), true, false};
    }
    return schema_build_identity(b, &draft);
}

static void put(struct schema_builder *b, struct map *map, struct str name, const void *what)
{
    if (what)
        map_put(map, schema_build_text(b, name), (void *)what);
}

void cc_schema_add(struct schema_builder *b, const struct cc_type *t)
{
    struct provider_schema *s = schema_builder_schema(b);
    put(b, &s->resources, t->tf_type, cc_schema_resource(b, t));
    put(b, &s->data_sources, t->tf_type, singular_schema(b, t));
    put(b, &s->data_sources, t->plural, cc_schema_plural(b, t));
    put(b, &s->lists, t->tf_type, list_schema(b, t));
    put(b, &s->identities, t->tf_type, cc_schema_identity(b, t));
}
