/*
 * Writing the schema to the wire, one resource type after the other. Compiled for protocol 5 and for 6. A server does this once
 * and keeps the result, so simple code matters more than speed.
 */
#include "protocol/codec_private.h"
#include "protocol/proto_wire.h"

struct writer {
    struct arena *scratch; /* of the part being written; emptied after each */
    struct buf *out;
    struct diags *diags;
    struct str where;
};

/* What protocol 5 cannot express must not be dropped silently. */
#if PROTOCOL == 5
static bool inexpressible(struct writer *w, const char *what)
{
    return diags_fail(w->diags, "Schema does not fit protocol 5",
                      STR_FMT " has %s, which protocol 5 cannot express. Serve it as protocol 6.", STR_ARG(w->where), what);
}
#endif

static PB(StringKind) wire_kind(enum schema_text kind)
{
    return kind == TEXT_MARKDOWN ? PB_ENUM(STRING_KIND__MARKDOWN) : PB_ENUM(STRING_KIND__PLAIN);
}

static ProtobufCBinaryData wire_type_json(struct writer *w, const struct type *t)
{
    return to_wire(t ? type_to_json(w->scratch, t) : STR_EMPTY);
}

/* Attributes */

static PB(Schema__Attribute) * *write_attrs(struct writer *w, const struct schema_attr *attrs, size_t n);

#if PROTOCOL == 6
static PB(Schema__Object) * write_object(struct writer *w, const struct schema_object *object)
{
    static const PB(Schema__Object__NestingMode) modes[] = {
        [NESTING_INVALID] = PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__INVALID),
        [NESTING_SINGLE] = PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__SINGLE),
        [NESTING_LIST] = PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__LIST),
        [NESTING_SET] = PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__SET),
        [NESTING_MAP] = PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__MAP),
        [NESTING_GROUP] = PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__INVALID),
    };
    PB(Schema__Object) *wire = message_new(w->scratch, PB_DESCRIPTOR(schema__object));
    wire->nesting = modes[object->nesting];
    wire->attributes = write_attrs(w, object->attrs, object->n_attrs);
    wire->n_attributes = object->n_attrs;
    wire->min_items = object->min_items;
    wire->max_items = object->max_items;
    return wire->attributes ? wire : NULL;
}
#endif

static PB(Schema__Attribute) * write_attr(struct writer *w, const struct schema_attr *attr)
{
    PB(Schema__Attribute) *wire = message_new(w->scratch, PB_DESCRIPTOR(schema__attribute));
    wire->name = to_wire(attr->name);
    wire->type = wire_type_json(w, attr->type);
    wire->description = to_wire(attr->description);
    wire->required = attr->required;
    wire->optional = attr->optional;
    wire->computed = attr->computed;
    wire->sensitive = attr->sensitive;
    wire->description_kind = wire_kind(attr->description_kind);
    wire->deprecated = attr->deprecated;
    wire->write_only = attr->write_only;
    wire->deprecation_message = to_wire(attr->deprecation_message);
#if PROTOCOL == 6
    if (attr->nested)
        wire->nested_type = write_object(w, attr->nested);
#else
    if (attr->nested) {
        (void)inexpressible(w, "nested attributes");
        return NULL;
    }
#endif
    return wire;
}

/* NULL: something in it cannot be expressed. */
static PB(Schema__Attribute) * *write_attrs(struct writer *w, const struct schema_attr *attrs, size_t n)
{
    PB(Schema__Attribute) **wire = arena_make_n(w->scratch, PB(Schema__Attribute) *, n);
    for (size_t i = 0; i < n; i++)
        if (!(wire[i] = write_attr(w, &attrs[i])))
            return NULL;
    return wire;
}

/* Blocks */

static PB(Schema__Block) * write_block(struct writer *w, const struct schema_block *block);

static PB(Schema__NestedBlock) * write_nested_block(struct writer *w, const struct schema_nested_block *nested)
{
    static const PB(Schema__NestedBlock__NestingMode) modes[] = {
        [NESTING_INVALID] = PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__INVALID),
        [NESTING_SINGLE] = PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__SINGLE),
        [NESTING_LIST] = PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__LIST),
        [NESTING_SET] = PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__SET),
        [NESTING_MAP] = PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__MAP),
        [NESTING_GROUP] = PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__GROUP),
    };
    PB(Schema__NestedBlock) *wire = message_new(w->scratch, PB_DESCRIPTOR(schema__nested_block));
    wire->type_name = to_wire(nested->name);
    wire->nesting = modes[nested->nesting];
    wire->min_items = nested->min_items;
    wire->max_items = nested->max_items;
    wire->block = write_block(w, nested->block);
    return wire->block ? wire : NULL;
}

static PB(Schema__Block) * write_block(struct writer *w, const struct schema_block *block)
{
    PB(Schema__Block) *wire = message_new(w->scratch, PB_DESCRIPTOR(schema__block));
    wire->attributes = write_attrs(w, block->attrs, block->n_attrs);
    if (!wire->attributes)
        return NULL;
    wire->n_attributes = block->n_attrs;
    wire->n_block_types = block->n_blocks;
    wire->block_types = arena_make_n(w->scratch, PB(Schema__NestedBlock) *, block->n_blocks);
    for (size_t i = 0; i < block->n_blocks; i++)
        if (!(wire->block_types[i] = write_nested_block(w, &block->blocks[i])))
            return NULL;
    wire->description = to_wire(block->description);
    wire->description_kind = wire_kind(block->description_kind);
    wire->deprecated = block->deprecated;
    wire->deprecation_message = to_wire(block->deprecation_message);
#if PROTOCOL == 6
    wire->computed = block->computed;
#else
    if (block->computed) {
        (void)inexpressible(w, "a computed block");
        return NULL;
    }
#endif
    return wire;
}

static PB(Schema) * write_schema(struct writer *w, const struct schema *schema)
{
    PB(Schema) *wire = message_new(w->scratch, PB_DESCRIPTOR(schema));
    wire->version = schema->version;
    wire->block = write_block(w, schema->block);
    return wire->block ? wire : NULL;
}

/* Functions and identities */

static PB(Function__Parameter) * write_parameter(struct writer *w, const struct schema_parameter *parameter)
{
    PB(Function__Parameter) *wire = message_new(w->scratch, PB_DESCRIPTOR(function__parameter));
    wire->name = to_wire(parameter->name);
    wire->type = wire_type_json(w, parameter->type);
    wire->allow_null_value = parameter->allow_null;
    wire->allow_unknown_values = parameter->allow_unknown;
    wire->description = to_wire(parameter->description);
    wire->description_kind = wire_kind(parameter->description_kind);
    return wire;
}

static PB(Function) * write_function(struct writer *w, const struct schema_function *function)
{
    PB(Function) *wire = message_new(w->scratch, PB_DESCRIPTOR(function));
    wire->n_parameters = function->n_parameters;
    wire->parameters = arena_make_n(w->scratch, PB(Function__Parameter) *, function->n_parameters);
    for (size_t i = 0; i < function->n_parameters; i++)
        wire->parameters[i] = write_parameter(w, &function->parameters[i]);
    if (function->variadic)
        wire->variadic_parameter = write_parameter(w, function->variadic);
    wire->return_ = message_new(w->scratch, PB_DESCRIPTOR(function__return));
    wire->return_->type = wire_type_json(w, function->return_type);
    wire->summary = to_wire(function->summary);
    wire->description = to_wire(function->description);
    wire->description_kind = wire_kind(function->description_kind);
    wire->deprecation_message = to_wire(function->deprecation_message);
    return wire;
}

static PB(ResourceIdentitySchema) * write_identity(struct writer *w, const struct schema_identity *identity)
{
    PB(ResourceIdentitySchema) *wire = message_new(w->scratch, PB_DESCRIPTOR(resource_identity_schema));
    wire->version = identity->version;
    wire->n_identity_attributes = identity->n_attrs;
    wire->identity_attributes = arena_make_n(w->scratch, PB(ResourceIdentitySchema__IdentityAttribute) *, identity->n_attrs);
    for (size_t i = 0; i < identity->n_attrs; i++) {
        const struct schema_identity_attr *attr = &identity->attrs[i];
        PB(ResourceIdentitySchema__IdentityAttribute) *to =
            message_new(w->scratch, PB_DESCRIPTOR(resource_identity_schema__identity_attribute));
        to->name = to_wire(attr->name);
        to->type = wire_type_json(w, attr->type);
        to->required_for_import = attr->required_for_import;
        to->optional_for_import = attr->optional_for_import;
        to->description = to_wire(attr->description);
        wire->identity_attributes[i] = to;
    }
    return wire;
}

/* The outer messages: the numbers are those of the .proto files. */

/* Adds `message` as field `number` of the outer message; NULL: it cannot be expressed, and a diagnostic has been added. */
static bool add_message(struct writer *w, uint32_t number, const void *message)
{
    if (!message)
        return false;
    struct buf packed BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    if (message_pack(&packed, message))
        proto_add_bytes(w->out, number, buf_str(&packed));
    arena_reset(w->scratch);
    if (!buf_ok(&packed) || !buf_ok(w->out))
        return diags_fail(w->diags, "Schema too large", "the schema is larger than a message may be.");
    return true;
}

typedef void *write_value_fn(struct writer *w, const void *value);

static void *schema_entry(struct writer *w, const void *value)
{
    return write_schema(w, value);
}

static void *function_entry(struct writer *w, const void *value)
{
    return write_function(w, value);
}

static void *identity_entry(struct writer *w, const void *value)
{
    return write_identity(w, value);
}

static void *action_entry(struct writer *w, const void *value)
{
    PB(ActionSchema) *wire = message_new(w->scratch, PB_DESCRIPTOR(action_schema));
    wire->schema = write_schema(w, value);
    return wire->schema ? wire : NULL;
}

/* Adds a map: one field for each entry, with key and value. */
static bool add_map(struct writer *w, uint32_t number, const struct map *map, write_value_fn *write_value)
{
    for (size_t i = 0; i < map->n; i++) {
        w->where = map->entries[i].key;
        struct buf value BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE), entry BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
        const void *message = write_value(w, map->entries[i].value);
        if (!message)
            return false;
        (void)message_pack(&value, message);
        proto_add_bytes(&entry, 1, map->entries[i].key);
        proto_add_bytes(&entry, 2, buf_str(&value));
        proto_add_bytes(w->out, number, buf_str(&entry));
        arena_reset(w->scratch);
        if (!buf_ok(&value) || !buf_ok(&entry) || !buf_ok(w->out))
            return diags_fail(w->diags, "Schema too large", "the schema is larger than a message may be.");
    }
    return true;
}

static bool add_capabilities(struct writer *w, const struct server_capabilities *capabilities)
{
    PB(ServerCapabilities) *wire = message_new(w->scratch, PB_DESCRIPTOR(server_capabilities));
    wire->plan_destroy = capabilities->plan_destroy;
    wire->get_provider_schema_optional = capabilities->get_provider_schema_optional;
    wire->move_resource_state = capabilities->move_resource_state;
    wire->generate_resource_config = capabilities->generate_resource_config;
    return add_message(w, 6, wire);
}

bool codec_encode_schema(struct buf *out, const struct provider_schema *schema, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.scratch = scratch, .out = out, .diags = diags, .where = STR("provider")};
    if (!add_message(&w, 1, write_schema(&w, schema->provider)))
        return false;
    w.where = STR("provider_meta");
    if (schema->provider_meta && !add_message(&w, 5, write_schema(&w, schema->provider_meta)))
        return false;
#if PROTOCOL == 6
    if (!add_map(&w, 10, &schema->state_stores, schema_entry))
        return false;
#else
    w.where = STR("the provider");
    if (schema->state_stores.n > 0)
        return inexpressible(&w, "a state store");
#endif
    return add_map(&w, 2, &schema->resources, schema_entry) && add_map(&w, 3, &schema->data_sources, schema_entry) &&
           add_capabilities(&w, &schema->capabilities) && add_map(&w, 7, &schema->functions, function_entry) &&
           add_map(&w, 8, &schema->ephemerals, schema_entry) && add_map(&w, 9, &schema->lists, schema_entry) &&
           add_map(&w, 11, &schema->actions, action_entry);
}

bool codec_encode_identities(struct buf *out, const struct provider_schema *schema, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.scratch = scratch, .out = out, .diags = diags};
    return add_map(&w, 1, &schema->identities, identity_entry);
}

bool codec_encode_functions(struct buf *out, const struct provider_schema *schema, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.scratch = scratch, .out = out, .diags = diags};
    return add_map(&w, 1, &schema->functions, function_entry);
}
