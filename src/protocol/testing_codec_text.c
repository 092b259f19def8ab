/*
 * Writes everything in rpc.h and schema.h as text, one line per field, so that a field which a filter forgets shows as a
 * differing line.
 */
#include "protocol/testing_codec.h"
#include "value/msgpack.h"

#include <inttypes.h>

enum { MAX_TEXT = 4 << 20 };

static void bytes_line(struct buf *o, const char *name, struct str s)
{
    buf_printf(o, "%s = %zu:", name, s.n);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] >= ' ' && s.p[i] <= '~')
            buf_addc(o, s.p[i]);
        else
            buf_printf(o, "\\x%02x", (unsigned char)s.p[i]);
    }
    buf_addc(o, '\n');
}

struct str testing_value_text(struct arena *a, const struct value *v)
{
    if (!v)
        return STR("not sent");
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT), packed BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct diags d;
    diags_init(&d, a);
    struct str type = type_to_json(a, v->type);
    buf_add(&text, type);
    if (!msgpack_encode(&packed, v, v->type, &d))
        buf_addz(&text, " cannot be encoded");
    for (size_t i = 0; i < packed.n; i++)
        buf_printf(&text, " %02x", (unsigned char)packed.p[i]);
    return buf_copy(&text, a);
}

static void value_line(struct buf *o, const char *name, const struct value *v)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = testing_value_text(a, v);
    buf_printf(o, "%s = " STR_FMT "\n", name, STR_ARG(text));
}

static void path_line(struct buf *o, const char *name, struct path path)
{
    buf_printf(o, "%s = ", name);
    for (size_t i = 0; i < path.n; i++)
        buf_printf(o, " %d:" STR_FMT ":%" PRId64, (int)path.steps[i].kind, STR_ARG(path.steps[i].name), path.steps[i].index);
    buf_addc(o, '\n');
}

static void names_line(struct buf *o, const char *name, const struct str *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bytes_line(o, name, v[i]);
}

static void raw_line(struct buf *o, const char *name, const struct raw_state *raw)
{
    bytes_line(o, name, raw->json);
    for (size_t i = 0; i < raw->n_flatmap; i++) {
        bytes_line(o, "key", raw->flatmap[i].key);
        bytes_line(o, "value", raw->flatmap[i].value);
    }
}

static void capabilities_line(struct buf *o, const struct client_capabilities *c)
{
    buf_printf(o, "capabilities = %d %d %d %d\n", c->deferral_allowed, c->write_only_attributes_allowed, c->store_planned_private,
               c->computed_blocks_allowed);
}

static void server_capabilities_line(struct buf *o, const struct server_capabilities *c)
{
    buf_printf(o, "capabilities = %d %d %d %d\n", c->plan_destroy, c->get_provider_schema_optional, c->move_resource_state,
               c->generate_resource_config);
}

#define BYTES(field) bytes_line(o, #field, r->field)
#define VALUE(field) value_line(o, #field, r->field)
#define INT(field) buf_printf(o, "%s = %" PRId64 "\n", #field, (int64_t)r->field)
#define RAW(field) raw_line(o, #field, &r->field)
#define NAMES(field) names_line(o, #field, r->field, r->n_##field)
#define CAPABILITIES() capabilities_line(o, &r->capabilities)
#define FIELDS(type, ...)                                                                                                        \
    do {                                                                                                                         \
        const struct type *r = plain;                                                                                            \
        __VA_ARGS__;                                                                                                             \
    } while (0)

static void request_lines(struct buf *o, enum rpc rpc, const void *plain)
{
    switch (rpc) {
    case RPC_VALIDATE_PROVIDER:
        FIELDS(validate_provider_request, VALUE(config));
        break;
    case RPC_VALIDATE_RESOURCE:
    case RPC_VALIDATE_DATA:
    case RPC_VALIDATE_EPHEMERAL:
    case RPC_VALIDATE_ACTION:
    case RPC_VALIDATE_STATE_STORE:
        FIELDS(validate_request, BYTES(type_name), VALUE(config), CAPABILITIES());
        break;
    case RPC_VALIDATE_LIST:
        FIELDS(validate_list_request, BYTES(type_name), VALUE(config), VALUE(include_resource), VALUE(limit));
        break;
    case RPC_CONFIGURE:
        FIELDS(configure_request, BYTES(terraform_version), VALUE(config), CAPABILITIES());
        break;
    case RPC_UPGRADE_STATE:
        FIELDS(upgrade_state_request, BYTES(type_name), INT(version), RAW(raw));
        break;
    case RPC_UPGRADE_IDENTITY:
        FIELDS(upgrade_identity_request, BYTES(type_name), INT(version), RAW(raw));
        break;
    case RPC_READ:
        FIELDS(read_request, BYTES(type_name), VALUE(state), BYTES(private), VALUE(provider_meta), CAPABILITIES(),
               VALUE(identity));
        break;
    case RPC_PLAN:
        FIELDS(plan_request, BYTES(type_name), VALUE(prior_state), VALUE(proposed_new_state), VALUE(config), BYTES(prior_private),
               VALUE(provider_meta), CAPABILITIES(), VALUE(prior_identity), BYTES(planned_private));
        break;
    case RPC_APPLY:
        FIELDS(apply_request, BYTES(type_name), VALUE(prior_state), VALUE(planned_state), VALUE(config), BYTES(planned_private),
               VALUE(provider_meta), VALUE(planned_identity));
        break;
    case RPC_IMPORT:
        FIELDS(import_request, BYTES(type_name), BYTES(id), VALUE(identity), CAPABILITIES());
        break;
    case RPC_MOVE:
        FIELDS(move_request, BYTES(source_provider_address), BYTES(source_type_name), INT(source_schema_version),
               RAW(source_state), BYTES(target_type_name), BYTES(source_private), RAW(source_identity),
               INT(source_identity_schema_version));
        break;
    case RPC_GENERATE_CONFIG:
        FIELDS(generate_config_request, BYTES(type_name), VALUE(state));
        break;
    case RPC_READ_DATA:
        FIELDS(read_data_request, BYTES(type_name), VALUE(config), VALUE(provider_meta), CAPABILITIES());
        break;
    case RPC_OPEN_EPHEMERAL:
        FIELDS(open_ephemeral_request, BYTES(type_name), VALUE(config), CAPABILITIES());
        break;
    case RPC_RENEW_EPHEMERAL:
        FIELDS(renew_ephemeral_request, BYTES(type_name), INT(has_private), BYTES(private));
        break;
    case RPC_CLOSE_EPHEMERAL:
        FIELDS(close_ephemeral_request, BYTES(type_name), INT(has_private), BYTES(private));
        break;
    case RPC_CALL_FUNCTION:
        FIELDS(call_function_request, BYTES(name), INT(n_arguments));
        for (size_t i = 0; i < ((const struct call_function_request *)plain)->n_arguments; i++)
            value_line(o, "argument", ((const struct call_function_request *)plain)->arguments[i]);
        break;
    case RPC_LIST:
        FIELDS(list_request, BYTES(type_name), VALUE(config), INT(include_resource), INT(limit));
        break;
    case RPC_PLAN_ACTION:
        FIELDS(plan_action_request, BYTES(type_name), VALUE(config), CAPABILITIES());
        break;
    case RPC_INVOKE_ACTION:
        FIELDS(invoke_action_request, BYTES(type_name), VALUE(config), CAPABILITIES());
        break;
    case RPC_CONFIGURE_STATE_STORE:
        FIELDS(configure_state_store_request, BYTES(type_name), VALUE(config), INT(chunk_size));
        break;
    case RPC_WRITE_STATE:
        FIELDS(state_chunk, BYTES(type_name), BYTES(state_id), BYTES(bytes), INT(total_length), INT(start), INT(end));
        break;
    case RPC_READ_STATE:
    case RPC_DELETE_STATE:
    case RPC_LOCK_STATE:
    case RPC_UNLOCK_STATE:
    case RPC_GET_STATES:
        FIELDS(state_store_request, BYTES(type_name), BYTES(state_id), BYTES(operation), BYTES(lock_id));
        break;
    default:
        break;
    }
}

static void import_lines(struct buf *o, const struct import_response *response)
{
    buf_printf(o, "deferred = %d\n", (int)response->deferred);
    for (size_t i = 0; i < response->n_resources; i++) {
        const void *plain = &response->resources[i];
        FIELDS(imported_resource, BYTES(type_name), VALUE(state), BYTES(private), VALUE(identity));
    }
}

static void plan_lines(struct buf *o, const struct plan_response *r)
{
    VALUE(planned_state);
    for (size_t i = 0; i < r->n_requires_replace; i++)
        path_line(o, "requires_replace", r->requires_replace[i]);
    BYTES(planned_private);
    INT(legacy_type_system);
    INT(deferred);
    VALUE(planned_identity);
}

static void list_event_lines(struct buf *o, const struct list_event *r)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    VALUE(identity);
    BYTES(display_name);
    VALUE(resource);
    if (r->diags)
        buf_add(o, testing_diags_text(a, r->diags));
}

static void response_lines(struct buf *o, enum rpc rpc, const void *plain)
{
    switch (rpc) {
    case RPC_METADATA:
        server_capabilities_line(o, &((const struct metadata_response *)plain)->capabilities);
        FIELDS(metadata_response, NAMES(data_sources), NAMES(resources), NAMES(functions), NAMES(ephemerals), NAMES(lists),
               NAMES(state_stores), NAMES(actions));
        break;
    case RPC_VALIDATE_PROVIDER:
        FIELDS(validate_provider_response, VALUE(prepared));
        break;
    case RPC_UPGRADE_STATE:
        FIELDS(upgrade_state_response, VALUE(state));
        break;
    case RPC_UPGRADE_IDENTITY:
        FIELDS(upgrade_identity_response, VALUE(identity));
        break;
    case RPC_READ:
        FIELDS(read_response, VALUE(state), BYTES(private), INT(deferred), VALUE(identity));
        break;
    case RPC_PLAN:
        plan_lines(o, plain);
        break;
    case RPC_APPLY:
        FIELDS(apply_response, VALUE(new_state), BYTES(private), INT(legacy_type_system), VALUE(new_identity));
        break;
    case RPC_IMPORT:
        import_lines(o, plain);
        break;
    case RPC_MOVE:
        FIELDS(move_response, VALUE(state), BYTES(private), VALUE(identity));
        break;
    case RPC_GENERATE_CONFIG:
        FIELDS(generate_config_response, VALUE(config));
        break;
    case RPC_READ_DATA:
        FIELDS(read_data_response, VALUE(state), INT(deferred));
        break;
    case RPC_OPEN_EPHEMERAL:
        FIELDS(open_ephemeral_response, VALUE(result), INT(has_renew_at), INT(has_private), INT(renew_at_seconds),
               INT(renew_at_nanos), BYTES(private), INT(deferred));
        break;
    case RPC_RENEW_EPHEMERAL:
        FIELDS(renew_ephemeral_response, INT(has_renew_at), INT(has_private), INT(renew_at_seconds), INT(renew_at_nanos),
               BYTES(private));
        break;
    case RPC_CALL_FUNCTION:
        FIELDS(call_function_response, VALUE(result), INT(has_error), BYTES(error), INT(error_argument));
        break;
    case RPC_LIST:
        list_event_lines(o, plain);
        break;
    case RPC_PLAN_ACTION:
        FIELDS(plan_action_response, INT(deferred));
        break;
    case RPC_INVOKE_ACTION:
        FIELDS(action_event, INT(completed), BYTES(progress));
        break;
    case RPC_STOP:
        FIELDS(stop_response, BYTES(error));
        break;
    case RPC_CONFIGURE_STATE_STORE:
        FIELDS(configure_state_store_response, INT(chunk_size));
        break;
    case RPC_READ_STATE:
        FIELDS(state_chunk, BYTES(type_name), BYTES(state_id), BYTES(bytes), INT(total_length), INT(start), INT(end));
        break;
    case RPC_LOCK_STATE:
        FIELDS(lock_state_response, BYTES(lock_id));
        break;
    case RPC_GET_STATES:
        FIELDS(get_states_response, NAMES(state_ids));
        break;
    default:
        break;
    }
}

struct str testing_request_text(struct arena *a, enum rpc rpc, const void *request)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    request_lines(&text, rpc, request);
    return buf_copy(&text, a);
}

struct str testing_response_text(struct arena *a, enum rpc rpc, const void *response)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    response_lines(&text, rpc, response);
    return buf_copy(&text, a);
}

struct str testing_diags_text(struct arena *a, const struct diags *d)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT), *o = &text;
    for (size_t i = 0; i < d->n; i++) {
        const struct diag *r = &d->v[i];
        INT(severity);
        BYTES(summary);
        BYTES(detail);
        path_line(o, "path", r->path);
    }
    return buf_copy(&text, a);
}

/* The schema */

static void type_line(struct buf *o, const struct type *t)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = t ? type_to_json(a, t) : STR("none");
    buf_printf(o, "type = " STR_FMT "\n", STR_ARG(text));
}

static void attrs_lines(struct buf *o, const struct schema_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct schema_attr *r = &attrs[i];
        bytes_line(o, "attribute", r->name);
        type_line(o, r->type);
        BYTES(description);
        INT(description_kind);
        INT(required);
        INT(optional);
        INT(computed);
        INT(sensitive);
        INT(write_only);
        INT(deprecated);
        BYTES(deprecation_message);
        if (r->nested) {
            buf_printf(o, "nested %d %" PRId64 " %" PRId64 " {\n", (int)r->nested->nesting, r->nested->min_items,
                       r->nested->max_items);
            attrs_lines(o, r->nested->attrs, r->nested->n_attrs);
            buf_addz(o, "}\n");
        }
    }
}

static void block_lines(struct buf *o, const struct schema_block *r)
{
    attrs_lines(o, r->attrs, r->n_attrs);
    BYTES(description);
    INT(description_kind);
    INT(deprecated);
    BYTES(deprecation_message);
    INT(computed);
    for (size_t i = 0; i < r->n_blocks; i++) {
        bytes_line(o, "block", r->blocks[i].name);
        buf_printf(o, "%d %" PRId64 " %" PRId64 " {\n", (int)r->blocks[i].nesting, r->blocks[i].min_items,
                   r->blocks[i].max_items);
        block_lines(o, r->blocks[i].block);
        buf_addz(o, "}\n");
    }
}

static void schema_lines(struct buf *o, struct str name, const struct schema *s)
{
    bytes_line(o, "schema", name);
    if (!s)
        return;
    buf_printf(o, "version = %" PRId64 "\n", s->version);
    type_line(o, s->type);
    block_lines(o, s->block);
}

static void parameter_lines(struct buf *o, const struct schema_parameter *r)
{
    BYTES(name);
    type_line(o, r->type);
    INT(allow_null);
    INT(allow_unknown);
    BYTES(description);
    INT(description_kind);
}

static void function_lines(struct buf *o, struct str name, const struct schema_function *r)
{
    bytes_line(o, "function", name);
    for (size_t i = 0; i < r->n_parameters; i++)
        parameter_lines(o, &r->parameters[i]);
    if (r->variadic) {
        buf_addz(o, "variadic\n");
        parameter_lines(o, r->variadic);
    }
    type_line(o, r->return_type);
    BYTES(summary);
    BYTES(description);
    INT(description_kind);
    BYTES(deprecation_message);
}

static void identity_lines(struct buf *o, struct str name, const struct schema_identity *identity)
{
    bytes_line(o, "identity", name);
    buf_printf(o, "version = %" PRId64 "\n", identity->version);
    for (size_t i = 0; i < identity->n_attrs; i++) {
        const struct schema_identity_attr *r = &identity->attrs[i];
        BYTES(name);
        type_line(o, r->type);
        INT(required_for_import);
        INT(optional_for_import);
        BYTES(description);
    }
}

struct str testing_schema_text(struct arena *a, const struct provider_schema *s)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT), *o = &text;
    server_capabilities_line(o, &s->capabilities);
    schema_lines(o, STR("provider"), s->provider);
    schema_lines(o, STR("provider_meta"), s->provider_meta);
    for (enum schema_section section = 0; section < SECTION_COUNT; section++) {
        const struct map *map = provider_schema_section(s, section);
        buf_printf(o, "section %d\n", (int)section);
        for (size_t i = 0; i < map->n; i++) {
            if (section == SECTION_FUNCTIONS)
                function_lines(o, map->entries[i].key, map->entries[i].value);
            else if (section == SECTION_IDENTITIES)
                identity_lines(o, map->entries[i].key, map->entries[i].value);
            else
                schema_lines(o, map->entries[i].key, map->entries[i].value);
        }
    }
    return buf_copy(&text, a);
}
