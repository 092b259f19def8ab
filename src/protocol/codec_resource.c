/*
 * Calls about managed resources. Compiled for protocol 5 and for 6.
 */
#include "protocol/codec_private.h"

/* Managed resources */

static void upgrade_state_request(struct coding *c, void *message, void *plain)
{
    PB(UpgradeResourceState__Request) *w = message;
    struct upgrade_state_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_int(c, &w->version, &r->version);
    filter_raw_state(c, &w->raw_state, &r->raw);
}

static void upgrade_state_response(struct coding *c, void *message, void *plain)
{
    PB(UpgradeResourceState__Response) *w = message;
    struct upgrade_state_response *r = plain;
    filter_value(c, "upgraded_state", &w->upgraded_state, &r->state, coding_resource_type(c));
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_upgrade_state) = {
    NAMED("UpgradeResourceState"),
    .request = MESSAGE(upgrade_resource_state__request, upgrade_state_request, upgrade_state_request),
    .response = MESSAGE(upgrade_resource_state__response, upgrade_state_response, upgrade_state_response),
};

static void upgrade_identity_request(struct coding *c, void *message, void *plain)
{
    PB(UpgradeResourceIdentity__Request) *w = message;
    struct upgrade_identity_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_int(c, &w->version, &r->version);
    filter_raw_state(c, &w->raw_identity, &r->raw);
}

static void upgrade_identity_response(struct coding *c, void *message, void *plain)
{
    PB(UpgradeResourceIdentity__Response) *w = message;
    struct upgrade_identity_response *r = plain;
    filter_identity(c, "upgraded_identity", &w->upgraded_identity, &r->identity, c->type_name);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_upgrade_identity) = {
    NAMED("UpgradeResourceIdentity"),
    .request = MESSAGE(upgrade_resource_identity__request, upgrade_identity_request, upgrade_identity_request),
    .response = MESSAGE(upgrade_resource_identity__response, upgrade_identity_response, upgrade_identity_response),
};

static void read_request(struct coding *c, void *message, void *plain)
{
    PB(ReadResource__Request) *w = message;
    struct read_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_value(c, "current_state", &w->current_state, &r->state, coding_resource_type(c));
    filter_bytes(c, &w->private_, &r->private);
    filter_value(c, "provider_meta", &w->provider_meta, &r->provider_meta, coding_meta_type(c));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
    filter_identity(c, "current_identity", &w->current_identity, &r->identity, c->type_name);
}

static void read_response(struct coding *c, void *message, void *plain)
{
    PB(ReadResource__Response) *w = message;
    struct read_response *r = plain;
    filter_value(c, "new_state", &w->new_state, &r->state, coding_resource_type(c));
    filter_bytes(c, &w->private_, &r->private);
    filter_deferred(c, &w->deferred, &r->deferred);
    filter_identity(c, "new_identity", &w->new_identity, &r->identity, c->type_name);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_read) = {
    NAMED("ReadResource"),
    .request = MESSAGE(read_resource__request, read_request, read_request),
    .response = MESSAGE(read_resource__response, read_response, read_response),
};

static void plan_request(struct coding *c, void *message, void *plain)
{
    PB(PlanResourceChange__Request) *w = message;
    struct plan_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_value(c, "prior_state", &w->prior_state, &r->prior_state, coding_resource_type(c));
    filter_value(c, "proposed_new_state", &w->proposed_new_state, &r->proposed_new_state, coding_resource_type(c));
    filter_value(c, "config", &w->config, &r->config, coding_resource_type(c));
    filter_bytes(c, &w->prior_private, &r->prior_private);
    filter_value(c, "provider_meta", &w->provider_meta, &r->provider_meta, coding_meta_type(c));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
    filter_identity(c, "prior_identity", &w->prior_identity, &r->prior_identity, c->type_name);
#if PROTOCOL == 6
    filter_bytes(c, &w->planned_private, &r->planned_private);
#else
    if (!coding_is_writing(c))
        r->planned_private = STR_EMPTY;
#endif
}

static void plan_response(struct coding *c, void *message, void *plain)
{
    PB(PlanResourceChange__Response) *w = message;
    struct plan_response *r = plain;
    filter_value(c, "planned_state", &w->planned_state, &r->planned_state, coding_resource_type(c));
    filter_paths(c, &w->n_requires_replace, &w->requires_replace, &r->requires_replace, &r->n_requires_replace);
    filter_bytes(c, &w->planned_private, &r->planned_private);
    filter_bool(c, &w->legacy_type_system, &r->legacy_type_system);
    filter_deferred(c, &w->deferred, &r->deferred);
    filter_identity(c, "planned_identity", &w->planned_identity, &r->planned_identity, c->type_name);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_plan) = {
    NAMED("PlanResourceChange"),
    .request = MESSAGE(plan_resource_change__request, plan_request, plan_request),
    .response = MESSAGE(plan_resource_change__response, plan_response, plan_response),
};

static void apply_request(struct coding *c, void *message, void *plain)
{
    PB(ApplyResourceChange__Request) *w = message;
    struct apply_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_value(c, "prior_state", &w->prior_state, &r->prior_state, coding_resource_type(c));
    filter_value(c, "planned_state", &w->planned_state, &r->planned_state, coding_resource_type(c));
    filter_value(c, "config", &w->config, &r->config, coding_resource_type(c));
    filter_bytes(c, &w->planned_private, &r->planned_private);
    filter_value(c, "provider_meta", &w->provider_meta, &r->provider_meta, coding_meta_type(c));
    filter_identity(c, "planned_identity", &w->planned_identity, &r->planned_identity, c->type_name);
}

static void apply_response(struct coding *c, void *message, void *plain)
{
    PB(ApplyResourceChange__Response) *w = message;
    struct apply_response *r = plain;
    filter_value(c, "new_state", &w->new_state, &r->new_state, coding_resource_type(c));
    filter_bytes(c, &w->private_, &r->private);
    filter_bool(c, &w->legacy_type_system, &r->legacy_type_system);
    filter_identity(c, "new_identity", &w->new_identity, &r->new_identity, c->type_name);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_apply) = {
    NAMED("ApplyResourceChange"),
    .request = MESSAGE(apply_resource_change__request, apply_request, apply_request),
    .response = MESSAGE(apply_resource_change__response, apply_response, apply_response),
};

static void import_request(struct coding *c, void *message, void *plain)
{
    PB(ImportResourceState__Request) *w = message;
    struct import_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_bytes(c, &w->id, &r->id);
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
    filter_identity(c, "identity", &w->identity, &r->identity, c->type_name);
}

static void imported_resource(struct coding *c, PB(ImportResourceState__ImportedResource) * w, struct imported_resource *r)
{
    if (!coding_is_writing(c) && w->type_name.len == 0) {
        *r = (struct imported_resource){.type_name = STR_EMPTY}; /* the caller reports this */
        return;
    }
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_value(c, "state", &w->state, &r->state, coding_resource_type(c));
    filter_bytes(c, &w->private_, &r->private);
    filter_identity(c, "identity", &w->identity, &r->identity, c->type_name);
}

static void import_response(struct coding *c, void *message, void *plain)
{
    PB(ImportResourceState__Response) *w = message;
    struct import_response *r = plain;
    struct str asked_for = c->type_name; /* the response may also have objects of other types */
    if (coding_is_writing(c)) {
        w->n_imported_resources = r->n_resources;
        w->imported_resources = arena_make_n(c->scratch, PB(ImportResourceState__ImportedResource) *, r->n_resources);
        for (size_t i = 0; i < r->n_resources; i++) {
            w->imported_resources[i] = message_new(c->scratch, PB_DESCRIPTOR(import_resource_state__imported_resource));
            struct imported_resource resource = r->resources[i];
            imported_resource(c, w->imported_resources[i], &resource);
        }
    } else {
        struct imported_resource *resources = arena_make_n(c->arena, struct imported_resource, w->n_imported_resources);
        for (size_t i = 0; i < w->n_imported_resources; i++)
            imported_resource(c, w->imported_resources[i], &resources[i]);
        r->resources = resources;
        r->n_resources = w->n_imported_resources;
    }
    c->type_name = asked_for;
    filter_deferred(c, &w->deferred, &r->deferred);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_import) = {
    NAMED("ImportResourceState"),
    .request = MESSAGE(import_resource_state__request, import_request, import_request),
    .response = MESSAGE(import_resource_state__response, import_response, import_response),
};

static void move_request(struct coding *c, void *message, void *plain)
{
    PB(MoveResourceState__Request) *w = message;
    struct move_request *r = plain;
    filter_resource_name(c, &w->target_type_name, &r->target_type_name);
    filter_bytes(c, &w->source_provider_address, &r->source_provider_address);
    filter_bytes(c, &w->source_type_name, &r->source_type_name);
    filter_int(c, &w->source_schema_version, &r->source_schema_version);
    filter_raw_state(c, &w->source_state, &r->source_state);
    filter_bytes(c, &w->source_private, &r->source_private);
    if (!coding_is_writing(c) || r->source_identity.json.n > 0)
        filter_raw_state(c, &w->source_identity, &r->source_identity);
    filter_int(c, &w->source_identity_schema_version, &r->source_identity_schema_version);
}

static void move_response(struct coding *c, void *message, void *plain)
{
    PB(MoveResourceState__Response) *w = message;
    struct move_response *r = plain;
    filter_value(c, "target_state", &w->target_state, &r->state, coding_resource_type(c));
    filter_bytes(c, &w->target_private, &r->private);
    filter_identity(c, "target_identity", &w->target_identity, &r->identity, c->type_name);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_move) = {
    NAMED("MoveResourceState"),
    .request = MESSAGE(move_resource_state__request, move_request, move_request),
    .response = MESSAGE(move_resource_state__response, move_response, move_response),
};

static void generate_config_request(struct coding *c, void *message, void *plain)
{
    PB(GenerateResourceConfig__Request) *w = message;
    struct generate_config_request *r = plain;
    filter_resource_name(c, &w->type_name, &r->type_name);
    filter_value(c, "state", &w->state, &r->state, coding_resource_type(c));
}

static void generate_config_response(struct coding *c, void *message, void *plain)
{
    PB(GenerateResourceConfig__Response) *w = message;
    struct generate_config_response *r = plain;
    filter_value(c, "config", &w->config, &r->config, coding_resource_type(c));
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_generate_config) = {
    NAMED("GenerateResourceConfig"),
    .request = MESSAGE(generate_resource_config__request, generate_config_request, generate_config_request),
    .response = MESSAGE(generate_resource_config__response, generate_config_response, generate_config_response),
};
