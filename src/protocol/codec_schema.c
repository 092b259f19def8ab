/*
 * Reading the schema from the wire. Compiled for protocol 5 and for 6.
 *
 * The response of a large provider takes tens of megabytes when unpacked as one message. So messages down to blocks are read
 * field by field, without a copy; only attributes and other leaves are unpacked, through the guard. The schema builder gets the
 * drafts of one resource type at a time, and their memory is then freed. A block whose bytes were seen before, in any resource,
 * is not read again.
 */
#include "protocol/codec_private.h"
#include "protocol/proto_wire.h"
#include "schema/schema_build.h"

/* More than any provider needs (aws: a few MB), and far less than the machine has. */
#define MAX_SCHEMA_MEMORY ((size_t)1 << 30)
enum { MAX_DIAGNOSTICS = 10000 };

struct reader {
    struct schema_builder *builder;
    struct arena *arena;   /* of the schema */
    struct arena *scratch; /* of the part being read; emptied after each */
    size_t used_before;    /* bytes in `arena` */
    struct map blocks;     /* Schema.Block bytes (views of the message) -> const struct schema_block *, final */
    size_t parts_left;     /* attributes and blocks that one resource type may still have: replaces the guard's limit, as we read
                              field by field */
    size_t diagnostics_left;
    struct str provider;
    struct diags *diags;
};

static bool broken(struct reader *r, struct str where, struct str why)
{
    return diags_fail(r->diags, "Invalid answer from provider",
                      "provider \"" STR_FMT "\" answered with a schema that cannot be read: " STR_FMT ": " STR_FMT
                      ". This is a bug in the provider.",
                      STR_ARG(r->provider), STR_ARG(where), STR_ARG(why));
}

static void *unpack(struct reader *r, const ProtobufCMessageDescriptor *descriptor, struct str where, struct str bytes)
{
    struct str why = STR_EMPTY;
    void *message = proto_guard_unpack(r->scratch, descriptor, bytes, &why);
    if (!message)
        (void)broken(r, where, why);
    return message;
}

static enum schema_text text_kind(PB(StringKind) kind)
{
    return kind == PB_ENUM(STRING_KIND__MARKDOWN) ? TEXT_MARKDOWN : TEXT_PLAIN;
}

/* An empty type gives NULL, which is not an error here. */
static bool read_type(struct reader *r, struct str where, struct str name, ProtobufCBinaryData wire, const struct type **ret)
{
    if (wire.len == 0) {
        *ret = NULL;
        return true;
    }
    struct diags why;
    diags_init(&why, r->scratch);
    const struct type *type = schema_build_type(r->builder, from_wire(wire), &why);
    if (type) {
        *ret = type;
        return true;
    }
    struct str detail = why.n > 0 ? why.v[0].detail : STR("unknown reason");
    return broken(r, where, arena_printf(r->scratch, "the type of \"" STR_FMT "\": " STR_FMT, STR_ARG(name), STR_ARG(detail)));
}

/* Attributes */

static bool read_attr(struct reader *r, struct str where, const PB(Schema__Attribute) * wire, struct schema_attr *attr);

#if PROTOCOL == 6
static enum schema_nesting object_nesting(PB(Schema__Object__NestingMode) mode)
{
    switch (mode) {
    case PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__SINGLE):
        return NESTING_SINGLE;
    case PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__LIST):
        return NESTING_LIST;
    case PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__SET):
        return NESTING_SET;
    case PB_ENUM(SCHEMA__OBJECT__NESTING_MODE__MAP):
        return NESTING_MAP;
    default:
        return NESTING_INVALID;
    }
}

static bool read_object(struct reader *r, struct str where, const PB(Schema__Object) * wire, const struct schema_object **ret)
{
    struct schema_attr *attrs = arena_make_n(r->scratch, struct schema_attr, wire->n_attributes);
    for (size_t i = 0; i < wire->n_attributes; i++)
        if (!read_attr(r, where, wire->attributes[i], &attrs[i]))
            return false;
    struct schema_object *object = arena_make(r->scratch, struct schema_object);
    *object = (struct schema_object){
        .nesting = object_nesting(wire->nesting),
        .attrs = attrs,
        .n_attrs = wire->n_attributes,
        .min_items = wire->min_items,
        .max_items = wire->max_items,
    };
    *ret = object;
    return true;
}
#endif

static bool read_attr(struct reader *r, struct str where, const PB(Schema__Attribute) * wire, struct schema_attr *attr)
{
    *attr = (struct schema_attr){
        .name = from_wire(wire->name),
        .description = from_wire(wire->description),
        .description_kind = text_kind(wire->description_kind),
        .required = wire->required,
        .optional = wire->optional,
        .computed = wire->computed,
        .sensitive = wire->sensitive,
        .write_only = wire->write_only,
        .deprecated = wire->deprecated,
        .deprecation_message = from_wire(wire->deprecation_message),
    };
#if PROTOCOL == 6
    if (wire->nested_type && !read_object(r, where, wire->nested_type, &attr->nested))
        return false;
#endif
    return read_type(r, where, attr->name, wire->type, &attr->type);
}

static bool read_attr_bytes(struct reader *r, struct str where, struct str bytes, struct schema_attr *attr)
{
    const PB(Schema__Attribute) *wire = unpack(r, PB_DESCRIPTOR(schema__attribute), where, bytes);
    return wire && read_attr(r, where, wire, attr);
}

/* Blocks */

static enum schema_nesting block_nesting(PB(Schema__NestedBlock__NestingMode) mode)
{
    switch (mode) {
    case PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__SINGLE):
        return NESTING_SINGLE;
    case PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__LIST):
        return NESTING_LIST;
    case PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__SET):
        return NESTING_SET;
    case PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__MAP):
        return NESTING_MAP;
    case PB_ENUM(SCHEMA__NESTED_BLOCK__NESTING_MODE__GROUP):
        return NESTING_GROUP;
    default:
        return NESTING_INVALID;
    }
}

static bool read_block(struct reader *r, struct str where, struct str bytes, int depth, const struct schema_block **ret);

static bool read_nested_block(struct reader *r, struct str where, struct str bytes, int depth, struct schema_nested_block *ret)
{
    struct str block = STR_EMPTY;
    *ret = (struct schema_nested_block){.name = STR_EMPTY};
    for (struct proto_field field; proto_next(&bytes, &field);) {
        if (field.number == 1 && field.type == PROTO_BYTES)
            ret->name = field.bytes;
        else if (field.number == 2 && field.type == PROTO_BYTES)
            block = field.bytes;
        else if (field.number == 3 && field.type == PROTO_VARINT)
            ret->nesting = block_nesting((PB(Schema__NestedBlock__NestingMode))field.integer);
        else if (field.number == 4 && field.type == PROTO_VARINT)
            ret->min_items = (int64_t)field.integer;
        else if (field.number == 5 && field.type == PROTO_VARINT)
            ret->max_items = (int64_t)field.integer;
    }
    if (bytes.n > 0)
        return broken(r, where, STR("cut off or not protobuf"));
    return read_block(r, where, block, depth, &ret->block);
}

/* Counts the attributes and blocks. */
static void count_parts(struct str bytes, size_t *ret_attrs, size_t *ret_blocks)
{
    *ret_attrs = *ret_blocks = 0;
    for (struct proto_field field; proto_next(&bytes, &field);) {
        *ret_attrs += field.number == 2;
        *ret_blocks += field.number == 3;
    }
}

/* Reads the fields of a Schema.Block that was not seen before. */
static bool read_block_fields(struct reader *r, struct str where, struct str bytes, int depth, struct schema_block *block)
{
    size_t n_attrs, n_blocks;
    count_parts(bytes, &n_attrs, &n_blocks);
    if (n_attrs + n_blocks > r->parts_left)
        return broken(r, where, STR("more attributes and blocks than any real schema has"));
    r->parts_left -= n_attrs + n_blocks;
    struct schema_attr *attrs = arena_make_n(r->scratch, struct schema_attr, n_attrs);
    struct schema_nested_block *blocks = arena_make_n(r->scratch, struct schema_nested_block, n_blocks);
    *block = (struct schema_block){
        .attrs = attrs,
        .blocks = blocks,
        .description = STR_EMPTY,
        .deprecation_message = STR_EMPTY,
    };
    for (struct proto_field field; proto_next(&bytes, &field);) {
        bool ok = true;
        if (field.number == 2 && field.type == PROTO_BYTES)
            ok = read_attr_bytes(r, where, field.bytes, &attrs[block->n_attrs++]);
        else if (field.number == 3 && field.type == PROTO_BYTES)
            ok = read_nested_block(r, where, field.bytes, depth + 1, &blocks[block->n_blocks++]);
        else if (field.number == 4 && field.type == PROTO_BYTES)
            block->description = field.bytes;
        else if (field.number == 5 && field.type == PROTO_VARINT)
            block->description_kind = text_kind((PB(StringKind))field.integer);
        else if (field.number == 6 && field.type == PROTO_VARINT)
            block->deprecated = field.integer != 0;
        else if (field.number == 7 && field.type == PROTO_BYTES)
            block->deprecation_message = field.bytes;
#if PROTOCOL == 6
        else if (field.number == 8 && field.type == PROTO_VARINT)
            block->computed = field.integer != 0;
#endif
        if (!ok)
            return false;
    }
    return bytes.n == 0 || broken(r, where, STR("cut off or not protobuf"));
}

/*
 * Blocks with the same bytes are the same block: of the 49,419 nested ones in aws only 3,182 have to be read. Outermost blocks
 * are hardly ever equal, so they are not looked up.
 */
static bool read_block(struct reader *r, struct str where, struct str bytes, int depth, const struct schema_block **ret)
{
    const struct schema_block *known = depth > 1 ? map_get(&r->blocks, bytes) : NULL;
    if (known) {
        *ret = known;
        return true;
    }
    if (depth > PROTO_GUARD_MAX_DEPTH)
        return broken(r, where, arena_printf(r->scratch, "blocks are nested more than %d deep", PROTO_GUARD_MAX_DEPTH));
    struct schema_block draft;
    if (!read_block_fields(r, where, bytes, depth, &draft))
        return false;
    *ret = schema_build_block(r->builder, &draft);
    if (depth > 1)
        map_put(&r->blocks, bytes, (void *)*ret);
    return true;
}

/* The fields of a Schema. */
static bool read_schema(struct reader *r, struct str what, struct str bytes, const struct schema **ret)
{
    int64_t version = 0;
    struct str block_bytes = STR_EMPTY;
    for (struct proto_field field; proto_next(&bytes, &field);) {
        if (field.number == 1 && field.type == PROTO_VARINT)
            version = (int64_t)field.integer;
        else if (field.number == 2 && field.type == PROTO_BYTES)
            block_bytes = field.bytes;
    }
    if (bytes.n > 0)
        return broken(r, what, STR("cut off or not protobuf"));
    const struct schema_block *block;
    if (!read_block(r, what, block_bytes, 1, &block))
        return false;
    const struct schema *built = schema_build(r->builder, version, block, what, r->diags);
    if (built)
        *ret = built;
    return built != NULL;
}

/* Functions */

static bool read_parameter(struct reader *r, struct str where, const PB(Function__Parameter) * wire, struct schema_parameter *ret)
{
    *ret = (struct schema_parameter){
        .name = from_wire(wire->name),
        .allow_null = wire->allow_null_value,
        .allow_unknown = wire->allow_unknown_values,
        .description = from_wire(wire->description),
        .description_kind = text_kind(wire->description_kind),
    };
    if (!read_type(r, where, ret->name, wire->type, &ret->type))
        return false;
    /* Without the type its values could not be read or written. */
    return ret->type || broken(r, where, arena_printf(r->scratch, "parameter \"" STR_FMT "\" has no type", STR_ARG(ret->name)));
}

static bool read_function(struct reader *r, struct str name, struct str bytes, const struct schema_function **ret)
{
    const PB(Function) *wire = unpack(r, PB_DESCRIPTOR(function), name, bytes);
    if (!wire)
        return false;
    struct schema_parameter *parameters = arena_make_n(r->scratch, struct schema_parameter, wire->n_parameters);
    for (size_t i = 0; i < wire->n_parameters; i++)
        if (!read_parameter(r, name, wire->parameters[i], &parameters[i]))
            return false;
    struct schema_parameter variadic;
    if (wire->variadic_parameter && !read_parameter(r, name, wire->variadic_parameter, &variadic))
        return false;
    struct schema_function draft = {
        .parameters = parameters,
        .n_parameters = wire->n_parameters,
        .variadic = wire->variadic_parameter ? &variadic : NULL,
        .summary = from_wire(wire->summary),
        .description = from_wire(wire->description),
        .description_kind = text_kind(wire->description_kind),
        .deprecation_message = from_wire(wire->deprecation_message),
    };
    if (wire->return_ && !read_type(r, name, STR("the result"), wire->return_->type, &draft.return_type))
        return false;
    if (!draft.return_type)
        return broken(r, name, STR("the function has no return type"));
    *ret = schema_build_function(r->builder, &draft);
    return true;
}

/* Identities */

static bool read_identity(struct reader *r, struct str name, struct str bytes, const struct schema_identity **ret)
{
    const PB(ResourceIdentitySchema) *wire = unpack(r, PB_DESCRIPTOR(resource_identity_schema), name, bytes);
    if (!wire)
        return false;
    struct schema_identity_attr *attrs = arena_make_n(r->scratch, struct schema_identity_attr, wire->n_identity_attributes);
    for (size_t i = 0; i < wire->n_identity_attributes; i++) {
        const PB(ResourceIdentitySchema__IdentityAttribute) *attr = wire->identity_attributes[i];
        attrs[i] = (struct schema_identity_attr){
            .name = from_wire(attr->name),
            .description = from_wire(attr->description),
            .required_for_import = attr->required_for_import,
            .optional_for_import = attr->optional_for_import,
        };
        if (!read_type(r, name, attrs[i].name, attr->type, &attrs[i].type))
            return false;
    }
    struct schema_identity draft = {.version = wire->version, .attrs = attrs, .n_attrs = wire->n_identity_attributes};
    *ret = schema_build_identity(r->builder, &draft);
    return true;
}

/* The outer messages */

/* One entry of a map on the wire. */
static bool read_entry(struct reader *r, struct str where, struct str entry, struct str *ret_key, struct str *ret_value)
{
    struct str key = STR_EMPTY, value = STR_EMPTY;
    for (struct proto_field field; proto_next(&entry, &field);) {
        if (field.type == PROTO_BYTES && field.number == 1)
            key = field.bytes;
        else if (field.type == PROTO_BYTES && field.number == 2)
            value = field.bytes;
    }
    if (entry.n > 0)
        return broken(r, where, STR("cut off or not protobuf"));
    *ret_key = key;
    *ret_value = value;
    return true;
}

static bool put(struct reader *r, struct map *map, struct str key, const void *value)
{
    map_put(map, schema_build_text(r->builder, key), (void *)value);
    if (arena_used(r->arena) - r->used_before > MAX_SCHEMA_MEMORY || arena_exhausted(r->arena))
        return broken(r, key, STR("the whole is larger than any real schema"));
    return true;
}

static bool read_schema_entry(struct reader *r, struct map *map, struct str entry)
{
    struct str key = STR_EMPTY, value = STR_EMPTY;
    const struct schema *schema = NULL;
    return read_entry(r, STR("a schema"), entry, &key, &value) && read_schema(r, key, value, &schema) && put(r, map, key, schema);
}

static bool read_action_entry(struct reader *r, struct map *map, struct str entry)
{
    struct str key = STR_EMPTY, value = STR_EMPTY;
    if (!read_entry(r, STR("an action"), entry, &key, &value))
        return false;
    struct str schema_bytes = STR_EMPTY;
    for (struct proto_field field; proto_next(&value, &field);)
        if (field.number == 1 && field.type == PROTO_BYTES)
            schema_bytes = field.bytes;
    if (value.n > 0)
        return broken(r, key, STR("cut off or not protobuf"));
    const struct schema *schema = NULL;
    return read_schema(r, key, schema_bytes, &schema) && put(r, map, key, schema);
}

static bool read_function_entry(struct reader *r, struct map *map, struct str entry)
{
    struct str key = STR_EMPTY, value = STR_EMPTY;
    const struct schema_function *function = NULL;
    return read_entry(r, STR("a function"), entry, &key, &value) && read_function(r, key, value, &function) &&
           put(r, map, key, function);
}

static bool read_identity_entry(struct reader *r, struct map *map, struct str entry)
{
    struct str key = STR_EMPTY, value = STR_EMPTY;
    const struct schema_identity *identity = NULL;
    return read_entry(r, STR("an identity"), entry, &key, &value) && read_identity(r, key, value, &identity) &&
           put(r, map, key, identity);
}

static bool read_diagnostic(struct reader *r, struct str bytes)
{
    if (r->diagnostics_left-- == 0)
        return broken(r, STR("diagnostics"), STR("there are too many"));
    PB(Diagnostic) *wire = unpack(r, PB_DESCRIPTOR(diagnostic), STR("diagnostics"), bytes);
    if (wire)
        diagnostics_read(1, &wire, r->diags);
    return wire != NULL;
}

static bool read_server_capabilities(struct reader *r, struct str bytes, struct server_capabilities *ret)
{
    const PB(ServerCapabilities) *wire = unpack(r, PB_DESCRIPTOR(server_capabilities), STR("server_capabilities"), bytes);
    if (!wire)
        return false;
    *ret = (struct server_capabilities){
        .plan_destroy = wire->plan_destroy,
        .get_provider_schema_optional = wire->get_provider_schema_optional,
        .move_resource_state = wire->move_resource_state,
        .generate_resource_config = wire->generate_resource_config,
    };
    return true;
}

/* GetProviderSchema.Response: the numbers are those of the .proto files. */
static bool read_schema_field(struct reader *r, struct provider_schema *s, const struct proto_field *field)
{
    switch (field->number) {
    case 1:
        return read_schema(r, STR("provider"), field->bytes, &s->provider);
    case 2:
        return read_schema_entry(r, &s->resources, field->bytes);
    case 3:
        return read_schema_entry(r, &s->data_sources, field->bytes);
    case 4:
        return read_diagnostic(r, field->bytes);
    case 5:
        return read_schema(r, STR("provider_meta"), field->bytes, &s->provider_meta);
    case 6:
        return read_server_capabilities(r, field->bytes, &s->capabilities);
    case 7:
        return read_function_entry(r, &s->functions, field->bytes);
    case 8:
        return read_schema_entry(r, &s->ephemerals, field->bytes);
    case 9:
        return read_schema_entry(r, &s->lists, field->bytes);
#if PROTOCOL == 6
    case 10:
        return read_schema_entry(r, &s->state_stores, field->bytes);
#endif
    case 11:
        return read_action_entry(r, &s->actions, field->bytes);
    default:
        return true; /* of a newer protocol */
    }
}

static bool read_identities_field(struct reader *r, struct provider_schema *s, const struct proto_field *field)
{
    switch (field->number) {
    case 1:
        return read_identity_entry(r, &s->identities, field->bytes);
    case 2:
        return read_diagnostic(r, field->bytes);
    default:
        return true;
    }
}

typedef bool read_field_fn(struct reader *r, struct provider_schema *s, const struct proto_field *field);

static bool read_fields(struct reader *r, struct provider_schema *s, struct str bytes, read_field_fn *read_field)
{
    for (struct proto_field field; proto_next(&bytes, &field);) {
        if (field.type != PROTO_BYTES)
            continue; /* every field we know has bytes */
        r->parts_left = PROTO_GUARD_MAX_FIELDS;
        bool ok = read_field(r, s, &field);
        arena_reset(r->scratch);
        if (!ok)
            return false;
    }
    return bytes.n == 0 || broken(r, STR("the message"), STR("cut off or not protobuf"));
}

const struct provider_schema *codec_decode_schema(struct arena *a, struct str schema, struct str identities, struct str provider,
                                                  struct diags *diags)
{
    size_t errors_before = diags->n_errors;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct arena *tables ARENA_AUTO = arena_new(NULL, 0);
    struct reader r = {
        .arena = a,
        .used_before = arena_used(a),
        .builder = schema_builder_new(a),
        .scratch = scratch,
        .diagnostics_left = MAX_DIAGNOSTICS,
        .provider = provider,
        .diags = diags,
    };
    map_init(&r.blocks, tables);
    struct provider_schema *s = schema_builder_schema(r.builder);
    bool ok = read_fields(&r, s, schema, read_schema_field) && read_fields(&r, s, identities, read_identities_field);
    const struct provider_schema *built = schema_builder_end(r.builder);
    return ok && diags->n_errors == errors_before ? built : NULL;
}
