/* What provider.c (types, configuration), provider_resource.c and provider_data.c share. */
#pragma once

#include "cloudcontrol/provider.h"
#include "cloudcontrol/tags.h"

#include <pthread.h>

/* A type in use: its tree and all that Terraform is told of it. */
struct cc_served {
    const struct cc_type *type;
    const struct provider_schema *schema;
};

struct cc_provider {
    struct cc_provider_options options;
    struct cancel *cancel;
    pthread_mutex_t lock;
    /* Guarded by it; what is in them never changes and lasts. */
    struct arena *arena;
    struct map served; /* name of a resource or data source -> struct cc_served */
    /* Of schema(), which is asked for once: it may be at work while types are loaded. */
    struct arena *schema_arena;
    pthread_mutex_t configuring; /* one at a time; held while AWS is asked, when types must not wait */
    /* Guarded by that until `client` is set; from then on they never change. */
    struct arena *settings_arena;
    struct cc_provider_settings settings;
    struct cc_tags default_tags;
    struct cc_client *_Atomic client;
};

/* NULL: no such type, or, with a diagnostic, one whose schema in the pack is damaged. Thread-safe. */
const struct cc_served *cc_provider_type(struct cc_provider *p, struct str name, struct diags *diags);
/* Says that there is no such type, unless it was said why it cannot be had; `kind` is "resource type". */
void cc_provider_no_type(const char *kind, struct str name, struct diags *diags);
/* The API; NULL and a diagnostic before configure. */
struct cc_api *cc_provider_api(struct cc_provider *p, struct diags *diags);

/* A call of the API until it is cancelled, with the products that the module's provider_meta (may be NULL) names. */
struct cc_call cc_provider_call(struct cc_provider *p, struct arena *a, const struct value *provider_meta);

/* The properties that the service returned, as a value of the type's tree; NULL and a diagnostic. `reorder`: what is done to the
 * document before it is read; NULL: nothing. */
typedef const struct json *cc_reorder_fn(struct arena *a, const struct json *document);
const struct value *cc_provider_read_properties(struct cc_provider *p, struct arena *a, const struct cc_type *type,
                                                const struct cc_description *description, cc_reorder_fn *reorder,
                                                struct diags *diags);
/* The same attributes in an object type that has fewer of them, as data sources do. */
const struct value *cc_provider_shape(struct arena *a, const struct value *v, const struct type *t);

/* NULL when the type has no identity. */
const struct value *cc_provider_identity(struct cc_provider *p, struct arena *a, const struct cc_served *served,
                                         const struct value *object, struct str id);

/* Calls (provider_server.h). */
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
