/* What provider.c (types, configuration), provider_resource.c and provider_data.c share. */
#pragma once

#include "cloudcontrol/provider.h"
#include "cloudcontrol/tags.h"

#include <pthread.h>

/* A loaded type: its tree and its Terraform schemas. */
struct cc_served {
    const struct cc_type *type;
    const struct provider_schema *schema;
};

struct cc_provider {
    struct cc_provider_options options;
    struct cancel *cancel;
    pthread_mutex_t lock;
    /* Guarded by `lock`; entries are immutable and live as long as the provider. */
    struct arena *arena;
    struct map served; /* name of a resource or data source -> struct cc_served */
    /* Of schema(), which is called once, perhaps while types are loaded. */
    struct arena *schema_arena;
    pthread_mutex_t configuring; /* serialises configuration; separate from `lock`, because it is held during requests to AWS */
    /* Guarded by `configuring` until `client` is set, then immutable. */
    struct arena *settings_arena;
    struct cc_provider_settings settings;
    struct cc_tags default_tags;
    struct cc_client *_Atomic client;
};

/* NULL if there is no such type, or, with a diagnostic, if its schema in the pack is damaged. Thread-safe. */
const struct cc_served *cc_provider_type(struct cc_provider *p, struct str name, struct diags *diags);
/* Reports that the type does not exist, unless a diagnostic already says why it is unavailable; `kind` is "resource type". */
void cc_provider_no_type(const char *kind, struct str name, struct diags *diags);
/* The API; NULL and a diagnostic before ConfigureProvider. */
struct cc_api *cc_provider_api(struct cc_provider *p, struct diags *diags);

/* Options for a call to the API: the provider's cancel, and the products of the module's provider_meta (may be NULL). */
struct cc_call cc_provider_call(struct cc_provider *p, struct arena *a, const struct value *provider_meta);

/* Converts the properties that the service returned to a value of the type's tree; NULL and a diagnostic on failure. `reorder`
 * (may be NULL) is applied to the document first. */
typedef const struct json *cc_reorder_fn(struct arena *a, const struct json *document);
const struct value *cc_provider_read_properties(struct cc_provider *p, struct arena *a, const struct cc_type *type,
                                                const struct cc_description *description, cc_reorder_fn *reorder,
                                                struct diags *diags);
/* Converts to an object type with fewer attributes, for data sources. */
const struct value *cc_provider_shape(struct arena *a, const struct value *v, const struct type *t);

/* NULL if the type has no identity. */
const struct value *cc_provider_identity(struct cc_provider *p, struct arena *a, const struct cc_served *served,
                                         const struct value *object, struct str id);

/* The functions of provider_server.h. */
void cc_provider_validate_resource(void *ctx, struct arena *a, const struct validate_request *request, struct diags *diags);
void cc_provider_read(void *ctx, struct arena *a, const struct read_request *request, struct diags *diags,
                      struct read_response *response);
void cc_provider_plan(void *ctx, struct arena *a, const struct plan_request *request, struct diags *diags,
                      struct plan_response *response);
void cc_provider_apply(void *ctx, struct arena *a, const struct apply_request *request, struct diags *diags,
                       struct apply_response *response);
void cc_provider_import(void *ctx, struct arena *a, const struct import_request *request, struct diags *diags,
                        struct import_response *response);
void cc_provider_read_data(void *ctx, struct arena *a, const struct read_data_request *request, struct diags *diags,
                           struct read_data_response *response);
void cc_provider_list(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink);
