/*
 * Calls about the provider as a whole, and the validation of all kinds of configuration. Compiled for protocol 5 and for 6.
 */
#include "protocol/codec_private.h"

/* The schema: read and written by codec_schema*.c */

const struct codec_call VERSIONED(call_schema) = {
    NAMED_5_6("GetSchema", "GetProviderSchema"),
    .request = EMPTY,
};

const struct codec_call VERSIONED(call_identity_schemas) = {
    NAMED("GetResourceIdentitySchemas"),
    .request = EMPTY,
};

const struct codec_call VERSIONED(call_functions) = {
    NAMED("GetFunctions"),
    .request = EMPTY,
};

/* Metadata and the provider as a whole */

static void read_names(struct coding *c, size_t n, PB(GetMetadata__TypeName) *const *wire, struct str **plain, size_t *n_plain)
{
    struct str *names = arena_make_n(c->arena, struct str, *n_plain + n);
    if (*n_plain > 0)
        memcpy(names, *plain, *n_plain * sizeof *names);
    for (size_t i = 0; i < n; i++)
        filter_bytes(c, &wire[i]->type_name, &names[(*n_plain)++]);
    *plain = names;
}

static void filter_names(struct coding *c, size_t *n_wire, PB(GetMetadata__TypeName) * **wire, struct str **plain,
                         size_t *n_plain)
{
    if (!coding_is_writing(c)) {
        *n_plain = 0;
        return read_names(c, *n_wire, *wire, plain, n_plain);
    }
    *n_wire = *n_plain;
    *wire = arena_make_n(c->scratch, PB(GetMetadata__TypeName) *, *n_plain);
    for (size_t i = 0; i < *n_plain; i++) {
        (*wire)[i] = message_new(c->scratch, PB_DESCRIPTOR(get_metadata__type_name));
        filter_bytes(c, &(*wire)[i]->type_name, &(*plain)[i]);
    }
}

static void metadata_response(struct coding *c, void *message, void *plain)
{
    PB(GetMetadata__Response) *w = message;
    struct metadata_response *r = plain;
    filter_server_capabilities(c, &w->server_capabilities, &r->capabilities);
    filter_names(c, &w->n_data_sources, &w->data_sources, &r->data_sources, &r->n_data_sources);
    filter_names(c, &w->n_resources, &w->resources, &r->resources, &r->n_resources);
    filter_names(c, &w->n_functions, &w->functions, &r->functions, &r->n_functions);
    filter_names(c, &w->n_ephemeral_resources, &w->ephemeral_resources, &r->ephemerals, &r->n_ephemerals);
    filter_names(c, &w->n_list_resources, &w->list_resources, &r->lists, &r->n_lists);
    filter_names(c, &w->n_actions, &w->actions, &r->actions, &r->n_actions);
#if PROTOCOL == 6
    filter_names(c, &w->n_state_stores, &w->state_stores, &r->state_stores, &r->n_state_stores);
#else
    if (!coding_is_writing(c)) {
        read_names(c, w->n_actions_at_8, w->actions_at_8, &r->actions, &r->n_actions);
        r->state_stores = NULL;
        r->n_state_stores = 0;
    }
#endif
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_metadata) = {
    NAMED("GetMetadata"),
    .request = EMPTY,
    .response = MESSAGE(get_metadata__response, metadata_response, metadata_response),
};

static void validate_provider_request(struct coding *c, void *message, void *plain)
{
    PB(ValidateProviderConfig__Request) *w = message;
    struct validate_provider_request *r = plain;
    filter_value(c, "config", &w->config, &r->config, c->schema->provider->type);
}

static void validate_provider_response(struct coding *c, void *message, void *plain)
{
    PB(ValidateProviderConfig__Response) *w = message;
    struct validate_provider_response *r = plain;
#if PROTOCOL == 5
    filter_value(c, "prepared_config", &w->prepared_config, &r->prepared, c->schema->provider->type);
#else
    if (!coding_is_writing(c))
        r->prepared = NULL;
#endif
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_validate_provider) = {
    NAMED_5_6("PrepareProviderConfig", "ValidateProviderConfig"),
    .request = MESSAGE(validate_provider_config__request, validate_provider_request, validate_provider_request),
    .response = MESSAGE(validate_provider_config__response, validate_provider_response, validate_provider_response),
};

static void configure_request(struct coding *c, void *message, void *plain)
{
    PB(ConfigureProvider__Request) *w = message;
    struct configure_request *r = plain;
    filter_bytes(c, &w->terraform_version, &r->terraform_version);
    filter_value(c, "config", &w->config, &r->config, c->schema->provider->type);
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
}

static void configure_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(ConfigureProvider__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_configure) = {
    NAMED_5_6("Configure", "ConfigureProvider"),
    .request = MESSAGE(configure_provider__request, configure_request, configure_request),
    .response = NO_STRUCT(configure_provider__response, configure_response),
};

static void stop_response(struct coding *c, void *message, void *plain)
{
    PB(StopProvider__Response) *w = message;
    struct stop_response *r = plain;
    filter_bytes(c, &w->error, &r->error);
}

const struct codec_call VERSIONED(call_stop) = {
    NAMED_5_6("Stop", "StopProvider"),
    .request = EMPTY,
    .response = MESSAGE(stop_provider__response, stop_response, stop_response),
};

/* Validation */

static void validate(struct coding *c, void *message, struct validate_request *r, const struct map *map, const char *what)
{
    PB(ValidateConfig__Request) *w = message;
    filter_type_name(c, &w->type_name, &r->type_name, map, what);
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, map));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
}

static void validate_resource_request(struct coding *c, void *message, void *plain)
{
    validate(c, message, plain, &c->schema->resources, "resource type");
}

static void validate_data_request(struct coding *c, void *message, void *plain)
{
    validate(c, message, plain, &c->schema->data_sources, "data source");
}

static void validate_ephemeral_request(struct coding *c, void *message, void *plain)
{
    validate(c, message, plain, &c->schema->ephemerals, "ephemeral resource type");
}

static void validate_action_request(struct coding *c, void *message, void *plain)
{
    validate(c, message, plain, &c->schema->actions, "action");
}

static void validate_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(ValidateConfig__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_validate_action) = {
    NAMED("ValidateActionConfig"),
    .request = MESSAGE(validate_config__request, validate_action_request, validate_request),
    .response = NO_STRUCT(validate_config__response, validate_response),
};

const struct codec_call VERSIONED(call_validate_ephemeral) = {
    NAMED("ValidateEphemeralResourceConfig"),
    .request = MESSAGE(validate_config__request, validate_ephemeral_request, validate_request),
    .response = NO_STRUCT(validate_config__response, validate_response),
};

const struct codec_call VERSIONED(call_validate_data) = {
    NAMED_5_6("ValidateDataSourceConfig", "ValidateDataResourceConfig"),
    .request = MESSAGE(validate_config__request, validate_data_request, validate_request),
    .response = NO_STRUCT(validate_config__response, validate_response),
};

const struct codec_call VERSIONED(call_validate_resource) = {
    NAMED_5_6("ValidateResourceTypeConfig", "ValidateResourceConfig"),
    .request = MESSAGE(validate_config__request, validate_resource_request, validate_request),
    .response = NO_STRUCT(validate_config__response, validate_response),
};

static void validate_list_request(struct coding *c, void *message, void *plain)
{
    PB(ValidateListResourceConfig__Request) *w = message;
    struct validate_list_request *r = plain;
    filter_type_name(c, &w->type_name, &r->type_name, &c->schema->lists, "list resource type");
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->lists));
    filter_value(c, "include_resource_object", &w->include_resource_object, &r->include_resource, &type_bool);
    filter_value(c, "limit", &w->limit, &r->limit, &type_number);
}

static void validate_list_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(ValidateListResourceConfig__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_validate_list) = {
    NAMED("ValidateListResourceConfig"),
    .request = MESSAGE(validate_list_resource_config__request, validate_list_request, validate_list_request),
    .response = NO_STRUCT(validate_list_resource_config__response, validate_list_response),
};

#if PROTOCOL == 6

static void validate_state_store_request(struct coding *c, void *message, void *plain)
{
    validate(c, message, plain, &c->schema->state_stores, "state store");
}

const struct codec_call VERSIONED(call_validate_state_store) = {
    NAMED("ValidateStateStoreConfig"),
    .request = MESSAGE(validate_config__request, validate_state_store_request, validate_request),
    .response = NO_STRUCT(validate_config__response, validate_response),
};

#endif
