#include "base/lock.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/identifier.h"
#include "cloudcontrol/provider_private.h"
#include "translate/pack_write.h"

#include <stdlib.h>

struct cc_provider *cc_provider_new(const struct cc_provider_options *options)
{
    struct cc_provider *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->options = *options;
    p->cancel = cancel_new();
    p->arena = arena_new(NULL, 0);
    p->schema_arena = arena_new(NULL, 0);
    p->settings_arena = arena_new(NULL, 0);
    map_init(&p->served, p->arena);
    mutex_init(&p->lock);
    mutex_init(&p->configuring);
    return p;
}

void cc_provider_free(struct cc_provider *p)
{
    if (!p)
        return;
    cc_client_close(p->client);
    cancel_free(p->cancel);
    arena_free(p->arena);
    arena_free(p->schema_arena);
    arena_free(p->settings_arena);
    mutex_destroy(&p->lock);
    mutex_destroy(&p->configuring);
    free(p);
}

/* --- types --- */

static struct cc_served *load_type(struct cc_provider *p, size_t i, struct diags *diags)
{
    struct arena *a = arena_new(p->arena, 0);
    const struct cc_type *type = cc_pack_type(p->options.pack, i, p->options.mode, a, diags);
    if (!type) {
        arena_free(a);
        return NULL;
    }
    struct schema_builder *b = schema_builder_new(a);
    cc_schema_provider(b, p->options.mode);
    cc_schema_add(b, type);
    struct cc_served *served = arena_make(a, struct cc_served);
    *served = (struct cc_served){type, schema_builder_end(b)};
    return served;
}

const struct cc_served *cc_provider_type(struct cc_provider *p, struct str name, struct diags *diags)
{
    mutex_lock(&p->lock);
    struct cc_served *served = map_get(&p->served, name);
    size_t i = served ? SIZE_MAX : cfn_pack_find(p->options.pack, name);
    if (i != SIZE_MAX && (served = load_type(p, i, diags)) != NULL) {
        map_put(&p->served, served->type->tf_type, served);
        map_put(&p->served, served->type->plural, served);
    }
    mutex_unlock(&p->lock);
    return served;
}

void cc_provider_no_type(const char *kind, struct str name, struct diags *diags)
{
    if (!diags_has_errors(diags))
        (void)diags_fail(diags, "Unknown type", "The schema pack has no %s " STR_FMT ".", kind, STR_ARG(name));
}

static const struct provider_schema *schema_of(void *ctx, struct str type_name, struct diags *diags)
{
    const struct cc_served *served = cc_provider_type(ctx, type_name, diags);
    return served ? served->schema : NULL;
}

/* The schema of the provider block only; types are loaded one by one. Without answers in the pack, all types, which is slow. */
static const struct provider_schema *schema(void *ctx, struct diags *diags)
{
    struct cc_provider *p = ctx;
    struct schema_builder *b = schema_builder_new(p->schema_arena);
    cc_schema_provider(b, p->options.mode);
    bool ready = cfn_pack_answer(p->options.pack, CC_TRANSLATION, p->options.mode, CFN_ANSWER_SCHEMA).n > 0;
    for (size_t i = 0; !ready && i < cfn_pack_size(p->options.pack); i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct cc_type *type = cc_pack_type(p->options.pack, i, p->options.mode, a, diags);
        if (type)
            cc_schema_add(b, type);
    }
    return schema_builder_end(b);
}

static struct str ready(void *ctx, int protocol, enum server_ready what)
{
    static const enum cfn_answer answers[] = {[SERVER_READY_METADATA] = CFN_ANSWER_METADATA,
                                              [SERVER_READY_SCHEMA] = CFN_ANSWER_SCHEMA,
                                              [SERVER_READY_IDENTITIES] = CFN_ANSWER_IDENTITIES};
    const struct cc_provider *p = ctx;
    return protocol == 6 ? cfn_pack_answer(p->options.pack, CC_TRANSLATION, p->options.mode, answers[what]) : STR_EMPTY;
}

/* --- configuration --- */

/* Unknown values are checked later. */
static void validate_provider(void *ctx, struct arena *a, const struct validate_provider_request *request, struct diags *diags,
                              struct validate_provider_response *response)
{
    const struct cc_provider *p = ctx;
    struct cc_provider_settings ignored;
    response->prepared = request->config;
    if (request->config->wholly_known)
        (void)cc_provider_block_read(a, request->config, p->options.mode, diags, &ignored);
}

static void configure_locked(struct cc_provider *p, const struct configure_request *request, struct diags *diags)
{
    struct cc_client *client;
    if (p->client || !cc_provider_block_read(p->settings_arena, request->config, p->options.mode, diags, &p->settings))
        return;
    const struct cc_client_options options = {.settings = &p->settings,
                                              .env = p->options.env,
                                              .loop = p->options.loop,
                                              .log = p->options.log,
                                              .cancel = p->cancel,
                                              .deadline = NO_DEADLINE};
    if (!cc_client_open(&options, diags, &client))
        return;
    p->default_tags = p->settings.default_tags;
    p->client = client;
}

static void configure(void *ctx, struct arena *a, const struct configure_request *request, struct diags *diags)
{
    (void)a;
    struct cc_provider *p = ctx;
    mutex_lock(&p->configuring);
    configure_locked(p, request, diags);
    mutex_unlock(&p->configuring);
}

struct cc_api *cc_provider_api(struct cc_provider *p, struct diags *diags)
{
    if (p->client)
        return cc_client_api(p->client);
    (void)diags_fail(diags, "Provider is not configured", "The provider must be configured before it can call AWS.");
    return NULL;
}

struct cc_call cc_provider_call(struct cc_provider *p, struct arena *a, const struct value *provider_meta)
{
    struct cc_call call = {.cancel = p->cancel, .deadline = NO_DEADLINE, .user_agent = STR_EMPTY};
    const struct value *list =
        provider_meta && provider_meta->state == VALUE_KNOWN ? value_get(provider_meta, STR("user_agent")) : NULL;
    struct cc_products products;
    struct diags ignored;
    diags_init(&ignored, a);
    if (list && cc_products_read(a, list, PATH_ROOT, &ignored, &products))
        call.user_agent = cc_products_text(a, &products);
    return call;
}

static void stop(void *ctx)
{
    struct cc_provider *p = ctx;
    cancel_fire(p->cancel);
}

/* --- what resources and data sources share --- */

const struct value *cc_provider_read_properties(struct cc_provider *p, struct arena *a, const struct cc_type *type,
                                                const struct cc_description *description, cc_reorder_fn *reorder,
                                                struct diags *diags)
{
    struct cc_read_notes notes = {0};
    const struct json *properties = json_parse(a, description->properties, "Properties", diags);
    if (properties && reorder)
        properties = reorder(a, properties);
    const struct value *v = properties ? cc_document_read(a, type->root, properties, &notes, diags) : NULL;
    for (size_t i = 0; i < notes.n_first; i++)
        log_debug(p->options.log, "a property was not taken as it is", LOG_STR("type", type->cf_type),
                  LOG_STR("pointer", notes.first[i].pointer));
    return v ? cc_with_id(a, type->root, v, description->identifier) : NULL;
}

const struct value *cc_provider_shape(struct arena *a, const struct value *v, const struct type *t)
{
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++)
        parts[i] = value_get(v, t->attrs[i].name);
    return value_object(a, t, parts);
}

const struct value *cc_provider_identity(struct cc_provider *p, struct arena *a, const struct cc_served *served,
                                         const struct value *object, struct str id)
{
    const struct schema_identity *identity = map_get(&served->schema->identities, served->type->tf_type);
    if (!identity || !p->client || id.n == 0)
        return NULL;
    return cc_identity(a, served->type, identity->type, object, id, cc_client_identity(p->client)->account,
                       cc_client_region(p->client));
}

const struct provider_ops cc_provider_ops = {
    .schema = schema,
    .ready = ready,
    .schema_of = schema_of,
    .validate_provider = validate_provider,
    .validate_resource = cc_provider_validate_resource,
    .configure = configure,
    .read = cc_provider_read,
    .plan = cc_provider_plan,
    .apply = cc_provider_apply,
    .import = cc_provider_import,
    .read_data = cc_provider_read_data,
    .list = cc_provider_list,
    .stop = stop,
};
