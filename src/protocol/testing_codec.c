#include "protocol/testing_codec.h"

#include "schema/schema_build.h"
#include "value/json_value.h"
#include "value/msgpack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TEXT = 1 << 20 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void must_fit(bool ok, const struct diags *d)
{
    if (ok)
        return;
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    diags_write(&text, d, false);
    (void)fprintf(stderr, "test data does not fit: " STR_FMT "\n", STR_ARG(buf_str(&text)));
    abort();
}

/* The schema */

static const struct type *parse_type(struct arena *a, const char *json)
{
    struct diags d;
    diags_init(&d, a);
    const struct type *t = type_parse(a, str_of(json), &d);
    must_fit(t != NULL, &d);
    return t;
}

static struct schema_attr attr(struct arena *a, const char *name, const char *type)
{
    return (struct schema_attr){.name = str_of(name), .type = parse_type(a, type), .optional = true};
}

static const struct schema_block *block_of(struct arena *a, const struct schema_attr *attrs, size_t n)
{
    struct schema_block *block = arena_make(a, struct schema_block);
    struct schema_attr *copy = arena_make_n(a, struct schema_attr, n);
    memcpy(copy, attrs, n * sizeof *attrs);
    *block = (struct schema_block){.attrs = copy, .n_attrs = n};
    return block;
}

static const struct schema_object *object_of(struct arena *a, enum schema_nesting nesting)
{
    struct schema_attr *attrs = arena_make_n(a, struct schema_attr, 2);
    attrs[0] = attr(a, "inner", "\"string\"");
    attrs[1] = attr(a, "depth", "\"number\"");
    struct schema_object *object = arena_make(a, struct schema_object);
    *object = (struct schema_object){.nesting = nesting, .attrs = attrs, .n_attrs = 2, .min_items = 0, .max_items = 7};
    return object;
}

static size_t thing_attrs(struct arena *a, int protocol, struct schema_attr *attrs)
{
    size_t n = 0;
    attrs[n] = attr(a, "id", "\"string\"");
    attrs[n].optional = false;
    attrs[n++].computed = true;
    attrs[n] = attr(a, "name", "\"string\"");
    attrs[n].optional = false;
    attrs[n].required = true;
    attrs[n].description = STR("What it is *called*.");
    attrs[n++].description_kind = TEXT_MARKDOWN;
    attrs[n++] = attr(a, "size", "\"number\"");
    attrs[n++] = attr(a, "enabled", "\"bool\"");
    attrs[n] = attr(a, "tags", "[\"map\",\"string\"]");
    attrs[n++].computed = true;
    attrs[n++] = attr(a, "ports", "[\"list\",\"number\"]");
    attrs[n++] = attr(a, "zones", "[\"set\",\"string\"]");
    attrs[n++] = attr(a, "anything", "\"dynamic\"");
    attrs[n++] = attr(a, "pair", "[\"tuple\",[\"string\",\"number\"]]");
    attrs[n++] = attr(a, "object", "[\"object\",{\"a\":\"string\",\"b\":\"bool\"}]");
    attrs[n] = attr(a, "secret", "\"string\"");
    attrs[n].sensitive = true;
    attrs[n++].write_only = true;
    attrs[n] = attr(a, "old", "\"string\"");
    attrs[n].deprecated = true;
    attrs[n].description = STR("Plain text.");
    attrs[n++].deprecation_message = STR("Use name.");
    if (protocol == 5)
        return n;
    static const struct {
        const char *name;
        enum schema_nesting nesting;
    } nested[] = {{"one", NESTING_SINGLE}, {"many", NESTING_LIST}, {"some", NESTING_SET}, {"named", NESTING_MAP}};
    for (size_t i = 0; i < COUNT(nested); i++)
        attrs[n++] = (struct schema_attr){
            .name = str_of(nested[i].name), .nested = object_of(a, nested[i].nesting), .optional = true, .computed = i == 1};
    return n;
}

static const struct schema_block *thing_block(struct arena *a, int protocol)
{
    struct schema_attr attrs[24];
    size_t n_attrs = thing_attrs(a, protocol, attrs);
    struct schema_attr leaf = attr(a, "value", "\"string\"");
    const struct schema_block *simple = block_of(a, &leaf, 1);
    struct schema_block *rule = arena_make(a, struct schema_block);
    *rule = *simple;
    struct schema_nested_block *deeper = arena_make(a, struct schema_nested_block);
    *deeper = (struct schema_nested_block){.name = STR("deeper"), .nesting = NESTING_SET, .block = simple};
    rule->blocks = deeper;
    rule->n_blocks = 1;
    rule->deprecated = true;
    rule->deprecation_message = STR("Rules are over.");
    rule->description = STR("A *rule*.");
    rule->description_kind = TEXT_MARKDOWN;
    rule->computed = protocol == 6;
    struct schema_nested_block *blocks = arena_make_n(a, struct schema_nested_block, 5);
    blocks[0] = (struct schema_nested_block){.name = STR("timeouts"), .nesting = NESTING_SINGLE, .block = simple};
    blocks[1] =
        (struct schema_nested_block){.name = STR("rule"), .nesting = NESTING_LIST, .block = rule, .min_items = 1, .max_items = 4};
    blocks[2] = (struct schema_nested_block){.name = STR("disk"), .nesting = NESTING_SET, .block = simple, .max_items = 9};
    blocks[3] = (struct schema_nested_block){.name = STR("label"), .nesting = NESTING_MAP, .block = simple};
    blocks[4] = (struct schema_nested_block){.name = STR("meta"), .nesting = NESTING_GROUP, .block = simple};
    struct schema_block *block = arena_make(a, struct schema_block);
    *block = *block_of(a, attrs, n_attrs);
    block->blocks = blocks;
    block->n_blocks = 5;
    block->description = STR("A thing.");
    return block;
}

static void put_schema(struct schema_builder *b, struct map *map, const char *name, int64_t version,
                       const struct schema_block *block, struct diags *d)
{
    const struct schema *s = schema_build(b, version, block, str_of(name), d);
    must_fit(s != NULL, d);
    map_put(map, schema_build_text(b, str_of(name)), (void *)s);
}

static void put_function(struct arena *a, struct schema_builder *b, struct map *map)
{
    struct schema_parameter parameters[2] = {
        {.name = STR("text"),
         .type = &type_string,
         .allow_null = true,
         .description = STR("*T*"),
         .description_kind = TEXT_MARKDOWN},
        {.name = STR("numbers"), .type = parse_type(a, "[\"list\",\"number\"]"), .allow_unknown = true},
    };
    struct schema_parameter variadic = {.name = STR("rest"), .type = &type_dynamic, .description = STR("More.")};
    struct schema_function f = {
        .parameters = parameters,
        .n_parameters = 2,
        .variadic = &variadic,
        .return_type = &type_string,
        .summary = STR("Joins."),
        .description = STR("Joins *all*."),
        .description_kind = TEXT_MARKDOWN,
        .deprecation_message = STR("Use join."),
    };
    map_put(map, STR("join_all"), (void *)schema_build_function(b, &f));
}

const struct provider_schema *testing_schema(struct arena *a, int protocol)
{
    struct diags d;
    diags_init(&d, a);
    struct schema_builder *b = schema_builder_new(a);
    struct provider_schema *s = schema_builder_schema(b);
    struct schema_attr region = attr(a, "region", "\"string\""), token = attr(a, "token", "\"string\"");
    token.sensitive = true;
    s->provider = schema_build(b, 0, block_of(a, (struct schema_attr[]){region, token}, 2), STR("provider"), &d);
    s->provider_meta = schema_build(b, 0, block_of(a, &region, 1), STR("provider_meta"), &d);
    put_schema(b, &s->resources, "test_thing", 3, thing_block(a, protocol), &d);
    put_schema(b, &s->resources, "test_empty", 0, NULL, &d);
    struct schema_attr tags = attr(a, "tags", "[\"map\",\"string\"]");
    put_schema(b, &s->resources, "test_plain", 1, block_of(a, (struct schema_attr[]){region, tags}, 2), &d);
    put_schema(b, &s->data_sources, "test_data", 0, block_of(a, &region, 1), &d);
    put_schema(b, &s->ephemerals, "test_key", 0, block_of(a, &token, 1), &d);
    put_schema(b, &s->lists, "test_thing", 0, block_of(a, &region, 1), &d);
    put_schema(b, &s->actions, "test_reboot", 0, block_of(a, &region, 1), &d);
    if (protocol == 6)
        put_schema(b, &s->state_stores, "test_store", 1, block_of(a, &token, 1), &d);
    put_function(a, b, &s->functions);
    struct schema_identity_attr identity[2] = {
        {.name = STR("id"), .type = &type_string, .required_for_import = true, .description = STR("Its id.")},
        {.name = STR("region"), .type = &type_string, .optional_for_import = true},
    };
    struct schema_identity draft = {.version = 2, .attrs = identity, .n_attrs = 2};
    map_put(&s->identities, STR("test_thing"), (void *)schema_build_identity(b, &draft));
    s->capabilities = (struct server_capabilities){true, true, true, true};
    return schema_builder_end(b);
}

/* Values */

const struct value *testing_value(struct arena *a, const struct type *t, const char *json)
{
    struct diags d;
    diags_init(&d, a);
    const struct json *j = json_parse(a, str_of(json), "test", &d);
    must_fit(j != NULL, &d);
    const struct value *v = value_from_json(a, j, t, PATH_ROOT, &d);
    must_fit(v != NULL, &d);
    return v;
}

const struct value *testing_unknown(struct arena *a, const struct value *object, const char *attr_name)
{
    const struct value **v = arena_make_n(a, const struct value *, object->n);
    memcpy(v, object->elements, object->n * sizeof *v);
    size_t i = type_attr_find(object->type, str_of(attr_name));
    v[i] = value_unknown(a, v[i]->type);
    return value_object(a, object->type, v);
}

static const struct type *type_in(const struct map *map, const char *name)
{
    return ((const struct schema *)map_get(map, str_of(name)))->type;
}

const struct value *testing_thing(struct arena *a, const struct provider_schema *schema)
{
    const struct type *t = type_in(&schema->resources, "test_thing");
    bool nested = type_attr_find(t, STR("many")) != SIZE_MAX;
    struct str json = arena_printf(
        a,
        "{\"id\":\"i-1\",\"name\":\"n\",\"size\":1.5,\"enabled\":true,\"tags\":{\"a\":\"b\"},\"ports\":[1,22],\"zones\":[\"x\","
        "\"y\"],"
        "\"anything\":{\"value\":\"d\",\"type\":\"string\"},\"pair\":[\"p\",1],\"object\":{\"a\":\"x\",\"b\":null},\"secret\":"
        "null,"
        "\"old\":null,\"timeouts\":{\"value\":\"1h\"},\"rule\":[{\"value\":\"r\",\"deeper\":[{\"value\":\"d\"}]}],"
        "\"disk\":[{\"value\":\"a\"},{\"value\":\"b\"}],\"label\":{\"k\":{\"value\":\"l\"}},\"meta\":{\"value\":null}%s}",
        nested ? ",\"one\":{\"inner\":\"i\",\"depth\":1},\"many\":[{\"inner\":\"m\",\"depth\":2}],"
                 "\"some\":[{\"inner\":\"s\",\"depth\":3}],\"named\":{\"key\":{\"inner\":null,\"depth\":4}}"
               : "");
    return testing_value(a, t, json.p);
}

const struct value *testing_identity(struct arena *a, const struct provider_schema *schema)
{
    const struct schema_identity *identity = map_get(&schema->identities, STR("test_thing"));
    return testing_value(a, identity->type, "{\"id\":\"i-1\",\"region\":null}");
}

void testing_diags(struct diags *d)
{
    struct path_step steps[] = {
        {.kind = PATH_ATTR, .name = STR("rule")},
        {.kind = PATH_INDEX, .name = STR_EMPTY, .index = 3},
        {.kind = PATH_ATTR, .name = STR("tags")},
        {.kind = PATH_KEY, .name = STR("a \"b\"")},
    };
    diags_add(d, &(struct diag){.severity = DIAG_ERROR,
                                .summary = STR("No such rule"),
                                .detail = STR("There are two."),
                                .path = {steps, COUNT(steps)}});
    diags_add(d, &(struct diag){.severity = DIAG_WARNING, .summary = STR("Careful")});
}

/* One of every message */

static struct client_capabilities all_capabilities(int protocol)
{
    return (struct client_capabilities){
        .deferral_allowed = true,
        .write_only_attributes_allowed = true,
        .store_planned_private = protocol == 6,
        .computed_blocks_allowed = protocol == 6,
    };
}

static struct raw_state raw_json(void)
{
    return (struct raw_state){.json = STR("{\"id\":\"i-1\"}")};
}

static struct raw_state raw_flatmap(struct arena *a)
{
    struct flatmap_entry *v = arena_make_n(a, struct flatmap_entry, 2);
    v[0] = (struct flatmap_entry){STR("id"), STR("i-1")};
    v[1] = (struct flatmap_entry){STR("ports.#"), STR("0")};
    return (struct raw_state){.json = STR_EMPTY, .flatmap = v, .n_flatmap = 2};
}

/* Of any kind: a copy in the arena. */
#define MADE(type, ...)                                                                                                          \
    do {                                                                                                                         \
        struct type *made_ = arena_make(a, struct type);                                                                         \
        *made_ = (struct type){__VA_ARGS__};                                                                                     \
        return made_;                                                                                                            \
    } while (0)

#define PRIVATE {"p\0q", 3}

const void *testing_request(struct arena *a, const struct provider_schema *s, enum rpc rpc, int protocol)
{
    const struct value *thing = testing_thing(a, s), *identity = testing_identity(a, s);
    const struct value *meta = testing_value(a, s->provider_meta->type, "{\"region\":\"m\"}");
    const struct value *provider = testing_value(a, s->provider->type, "{\"region\":\"r\",\"token\":\"t\"}");
    const struct value *region = testing_value(a, type_in(&s->data_sources, "test_data"), "{\"region\":\"r\"}");
    const struct value *token = testing_value(a, type_in(&s->ephemerals, "test_key"), "{\"token\":\"t\"}");
    const struct type *type = type_in(&s->resources, "test_thing");
    struct client_capabilities capabilities = all_capabilities(protocol);
    switch (rpc) {
    case RPC_VALIDATE_PROVIDER:
        MADE(validate_provider_request, .config = provider);
    case RPC_VALIDATE_RESOURCE:
        MADE(validate_request, .type_name = STR("test_thing"), .config = testing_unknown(a, thing, "id"),
             .capabilities = capabilities);
    case RPC_VALIDATE_DATA:
        MADE(validate_request, .type_name = STR("test_data"), .config = region);
    case RPC_VALIDATE_EPHEMERAL:
        MADE(validate_request, .type_name = STR("test_key"), .config = token);
    case RPC_VALIDATE_LIST:
        MADE(validate_list_request, .type_name = STR("test_thing"), .config = region, .include_resource = value_bool(a, true),
             .limit = value_int(a, 5));
    case RPC_VALIDATE_ACTION:
        MADE(validate_request, .type_name = STR("test_reboot"), .config = region);
    case RPC_CONFIGURE:
        MADE(configure_request, .terraform_version = STR("1.13.0"), .config = provider, .capabilities = capabilities);
    case RPC_UPGRADE_STATE:
        MADE(upgrade_state_request, .type_name = STR("test_thing"), .version = -2, .raw = raw_flatmap(a));
    case RPC_UPGRADE_IDENTITY:
        MADE(upgrade_identity_request, .type_name = STR("test_thing"), .version = 1, .raw = raw_json());
    case RPC_READ:
        MADE(read_request, .type_name = STR("test_thing"), .state = thing, .private = PRIVATE, .provider_meta = meta,
             .capabilities = capabilities, .identity = identity);
    case RPC_PLAN:
        MADE(plan_request, .type_name = STR("test_thing"), .prior_state = value_null(a, type),
             .proposed_new_state = testing_unknown(a, thing, "id"), .config = testing_unknown(a, thing, "name"),
             .prior_private = PRIVATE, .provider_meta = meta, .capabilities = capabilities, .prior_identity = identity,
             .planned_private = protocol == 6 ? STR("pp") : STR_EMPTY);
    case RPC_APPLY:
        MADE(apply_request, .type_name = STR("test_thing"), .prior_state = value_null(a, type), .planned_state = thing,
             .config = testing_unknown(a, thing, "id"), .planned_private = PRIVATE, .provider_meta = meta,
             .planned_identity = identity);
    case RPC_IMPORT:
        MADE(import_request, .type_name = STR("test_thing"), .id = STR("i-1"), .identity = identity,
             .capabilities = capabilities);
    case RPC_MOVE:
        MADE(move_request, .source_provider_address = STR("example.com/x/y"), .source_type_name = STR("y_thing"),
             .source_schema_version = 4, .source_state = raw_json(), .target_type_name = STR("test_thing"),
             .source_private = PRIVATE, .source_identity = raw_json(), .source_identity_schema_version = 5);
    case RPC_GENERATE_CONFIG:
        MADE(generate_config_request, .type_name = STR("test_thing"), .state = thing);
    case RPC_READ_DATA:
        MADE(read_data_request, .type_name = STR("test_data"), .config = region, .provider_meta = meta,
             .capabilities = capabilities);
    case RPC_OPEN_EPHEMERAL:
        MADE(open_ephemeral_request, .type_name = STR("test_key"), .config = token, .capabilities = capabilities);
    case RPC_RENEW_EPHEMERAL:
        MADE(renew_ephemeral_request, .type_name = STR("test_key"), .has_private = true, .private = PRIVATE);
    case RPC_CLOSE_EPHEMERAL: /* present but empty */
        MADE(close_ephemeral_request, .type_name = STR("test_key"), .has_private = true, .private = STR_EMPTY);
    case RPC_CALL_FUNCTION: {
        const struct value **arguments = arena_make_n(a, const struct value *, 4);
        arguments[0] = value_null(a, &type_string);
        arguments[1] = testing_value(a, parse_type(a, "[\"list\",\"number\"]"), "[1,2]");
        arguments[2] = value_string(a, STR("x"));
        arguments[3] = value_bool(a, false);
        MADE(call_function_request, .name = STR("join_all"), .arguments = arguments, .n_arguments = 4);
    }
    case RPC_LIST:
        MADE(list_request, .type_name = STR("test_thing"), .config = region, .include_resource = true, .limit = 100);
    case RPC_PLAN_ACTION:
        MADE(plan_action_request, .type_name = STR("test_reboot"), .config = region, .capabilities = capabilities);
    case RPC_INVOKE_ACTION:
        MADE(invoke_action_request, .type_name = STR("test_reboot"), .config = region, .capabilities = capabilities);
    case RPC_VALIDATE_STATE_STORE:
        MADE(validate_request, .type_name = STR("test_store"), .config = token);
    case RPC_CONFIGURE_STATE_STORE:
        MADE(configure_state_store_request, .type_name = STR("test_store"), .config = token, .chunk_size = 4096);
    case RPC_READ_STATE:
    case RPC_DELETE_STATE:
        MADE(state_store_request, .type_name = STR("test_store"), .state_id = STR("default"), .operation = STR_EMPTY,
             .lock_id = STR_EMPTY);
    case RPC_WRITE_STATE:
        MADE(state_chunk, .type_name = STR("test_store"), .state_id = STR("default"), .bytes = STR("abc"), .total_length = 9,
             .start = 3, .end = 5);
    case RPC_LOCK_STATE:
        MADE(state_store_request, .type_name = STR("test_store"), .state_id = STR("default"), .operation = STR("apply"),
             .lock_id = STR_EMPTY);
    case RPC_UNLOCK_STATE:
        MADE(state_store_request, .type_name = STR("test_store"), .state_id = STR("default"), .operation = STR_EMPTY,
             .lock_id = STR("lock-7"));
    case RPC_GET_STATES:
        MADE(state_store_request, .type_name = STR("test_store"), .state_id = STR_EMPTY, .operation = STR_EMPTY,
             .lock_id = STR_EMPTY);
    default:
        return NULL;
    }
}

static struct str *names(struct arena *a, const char *first, const char *second)
{
    struct str *v = arena_make_n(a, struct str, 2);
    v[0] = str_of(first);
    v[1] = str_of(second);
    return v;
}

static const struct path *replaced(struct arena *a)
{
    struct path *paths = arena_make_n(a, struct path, 2);
    paths[0] = path_attr(a, PATH_ROOT, STR("name"));
    paths[1] = path_key(a, path_attr(a, path_index(a, path_attr(a, PATH_ROOT, STR("rule")), 0), STR("tags")), STR("k"));
    return paths;
}

const void *testing_response(struct arena *a, const struct provider_schema *s, enum rpc rpc, int protocol)
{
    const struct value *thing = testing_thing(a, s), *identity = testing_identity(a, s);
    const struct value *region = testing_value(a, type_in(&s->data_sources, "test_data"), "{\"region\":\"r\"}");
    const struct value *token = testing_value(a, type_in(&s->ephemerals, "test_key"), "{\"token\":\"t\"}");
    switch (rpc) {
    case RPC_METADATA:
        MADE(metadata_response, .capabilities = s->capabilities, .data_sources = names(a, "d", "e"), .n_data_sources = 2,
             .resources = names(a, "r", "s"), .n_resources = 2, .functions = names(a, "f", ""), .n_functions = 1,
             .ephemerals = names(a, "k", ""), .n_ephemerals = 1, .lists = names(a, "l", "m"), .n_lists = 2,
             .state_stores = names(a, "st", ""), .n_state_stores = protocol == 6, .actions = names(a, "a", "b"), .n_actions = 2);
    case RPC_VALIDATE_PROVIDER:
        MADE(validate_provider_response,
             .prepared = protocol == 5 ? testing_value(a, s->provider->type, "{\"region\":\"r\",\"token\":null}") : NULL);
    case RPC_UPGRADE_STATE:
        MADE(upgrade_state_response, .state = thing);
    case RPC_UPGRADE_IDENTITY:
        MADE(upgrade_identity_response, .identity = identity);
    case RPC_READ:
        MADE(read_response, .state = thing, .private = PRIVATE, .deferred = DEFERRED_UNKNOWN, .identity = identity);
    case RPC_PLAN:
        MADE(plan_response, .planned_state = testing_unknown(a, thing, "id"), .requires_replace = replaced(a),
             .n_requires_replace = 2, .planned_private = PRIVATE, .legacy_type_system = true,
             .deferred = DEFERRED_PROVIDER_CONFIG_UNKNOWN, .planned_identity = identity);
    case RPC_APPLY:
        MADE(apply_response, .new_state = thing, .private = PRIVATE, .legacy_type_system = true, .new_identity = identity);
    case RPC_IMPORT: {
        struct imported_resource *resources = arena_make_n(a, struct imported_resource, 2);
        resources[0] = (struct imported_resource){STR("test_thing"), thing, PRIVATE, identity};
        resources[1] = (struct imported_resource){STR("test_empty"), testing_value(a, type_in(&s->resources, "test_empty"), "{}"),
                                                  STR_EMPTY, NULL};
        MADE(import_response, .resources = resources, .n_resources = 2, .deferred = DEFERRED_ABSENT_PREREQ);
    }
    case RPC_MOVE:
        MADE(move_response, .state = thing, .private = PRIVATE, .identity = identity);
    case RPC_GENERATE_CONFIG:
        MADE(generate_config_response, .config = thing);
    case RPC_READ_DATA:
        MADE(read_data_response, .state = region, .deferred = DEFERRED_RESOURCE_CONFIG_UNKNOWN);
    case RPC_OPEN_EPHEMERAL:
        MADE(open_ephemeral_response, .result = token, .has_renew_at = true, .has_private = true, .renew_at_seconds = 1800000000,
             .renew_at_nanos = 5, .private = PRIVATE, .deferred = DEFERRED_NOT);
    case RPC_RENEW_EPHEMERAL:
        MADE(renew_ephemeral_response, .has_renew_at = true, .has_private = true, .renew_at_seconds = -1, .private = STR_EMPTY);
    case RPC_CALL_FUNCTION:
        MADE(call_function_response, .result = value_string(a, STR("joined")), .error = STR_EMPTY, .error_argument = -1);
    case RPC_LIST: {
        struct diags *d = arena_make(a, struct diags);
        diags_init(d, a);
        testing_diags(d);
        MADE(list_event, .identity = identity, .display_name = STR("Thing 1"), .resource = thing, .diags = d);
    }
    case RPC_PLAN_ACTION:
        MADE(plan_action_response, .deferred = DEFERRED_ABSENT_PREREQ);
    case RPC_INVOKE_ACTION:
        MADE(action_event, .completed = true, .progress = STR_EMPTY);
    case RPC_STOP:
        MADE(stop_response, .error = STR("cannot"));
    case RPC_CONFIGURE_STATE_STORE:
        MADE(configure_state_store_response, .chunk_size = 1024);
    case RPC_READ_STATE:
        MADE(state_chunk, .type_name = STR_EMPTY, .state_id = STR_EMPTY, .bytes = STR("abc"), .total_length = 9, .start = 3,
             .end = 5);
    case RPC_LOCK_STATE:
        MADE(lock_state_response, .lock_id = STR("lock-7"));
    case RPC_GET_STATES:
        MADE(get_states_response, .state_ids = names(a, "default", "other"), .n_state_ids = 2);
    default:
        return NULL;
    }
}
