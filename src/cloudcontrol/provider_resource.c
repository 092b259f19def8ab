/* The life of a resource: validate, plan, create, read, update, delete, import. */
#include "base/duration.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/fill.h"
#include "cloudcontrol/identifier.h"
#include "cloudcontrol/patch.h"
#include "cloudcontrol/plan.h"
#include "cloudcontrol/provider_private.h"
#include "cloudcontrol/refresh.h"
#include "cloudcontrol/run.h"
#include "cloudcontrol/validate.h"

/* Private state of an object that was imported and not applied since: its write-only attributes are unknown. */
static const char imported_mark[] = "imported";

static const struct cc_served *find(struct cc_provider *p, struct str type_name, struct diags *diags)
{
    const struct cc_served *served = cc_provider_type(p, type_name, diags);
    if (served && served->type->root)
        return served;
    cc_provider_no_type("resource type", type_name, diags);
    return NULL;
}

void cc_provider_validate_resource(void *ctx, struct arena *a, const struct validate_request *request, struct diags *diags)
{
    const struct cc_served *served = find(ctx, request->type_name, diags);
    if (served)
        cc_validate_config(a, served->type->root, request->config, cc_patterns_new(a), diags);
}

/* --- plan --- */

void cc_provider_plan(void *ctx, struct arena *a, const struct plan_request *request, struct diags *diags,
                      struct plan_response *response)
{
    struct cc_provider *p = ctx;
    const struct cc_served *served = find(p, request->type_name, diags);
    response->planned_private = request->prior_private;
    response->planned_state = request->proposed_new_state;
    response->planned_identity = request->prior_identity;
    if (!served || value_is_null(request->proposed_new_state))
        return;
    const struct cc_plan_input in = {
        .prior = request->prior_state,
        .config = request->config,
        .proposed = request->proposed_new_state,
        .imported = str_eqz(request->prior_private, imported_mark),
        .default_tags = p->default_tags,
        .former_tags = cc_tags_recorded(a, request->prior_private),
    };
    struct cc_plan plan;
    cc_plan_type(a, served->type, &in, &plan);
    response->planned_state = plan.planned;
    response->requires_replace = plan.replace.v;
    response->n_requires_replace = plan.replace.n;
}

/* --- read --- */

/* Fetches the object. NULL with a diagnostic on failure; NULL with the service's message in *ret_gone if it does not exist. */
static const struct value *fetch(struct cc_provider *p, struct arena *a, const struct cc_type *type, struct str id,
                                 bool just_created, const struct value *meta, struct str *ret_gone, struct diags *diags)
{
    struct cc_api *api = cc_provider_api(p, diags);
    struct cc_description description;
    struct cc_failure failure;
    const struct cc_get_request get = {.type_name = type->cf_type, .identifier = id, .just_created = just_created};
    const struct cc_call call = cc_provider_call(p, a, meta);
    *ret_gone = STR_EMPTY;
    if (!api)
        return NULL;
    if (cc_api_get(api, a, &get, &call, &description, &failure))
        return cc_provider_read_properties(p, a, type, &description, NULL, diags);
    if (failure.code == CC_ERROR_RESOURCE_NOT_FOUND)
        *ret_gone = cc_failure_text(a, &failure);
    else
        (void)cc_failure_report(&failure, "GetResource", diags);
    return NULL;
}

static void warn_of_loss(struct arena *a, struct str why, struct diags *diags)
{
    diags_add(diags,
              &(struct diag){.severity = DIAG_WARNING,
                             .summary = STR("AWS Resource Not Found During Refresh"),
                             .detail = arena_printf(a,
                                                    "Automatically removing from Terraform State instead of returning the "
                                                    "error, which may trigger resource recreation. Original Error: " STR_FMT,
                                                    STR_ARG(why)),
                             .path = PATH_ROOT});
}

void cc_provider_read(void *ctx, struct arena *a, const struct read_request *request, struct diags *diags,
                      struct read_response *response)
{
    struct cc_provider *p = ctx;
    const struct cc_served *served = find(p, request->type_name, diags);
    *response = (struct read_response){
        .state = request->state, .private = request->private, .deferred = DEFERRED_NOT, .identity = request->identity};
    if (!served)
        return;
    const struct cc_node *root = served->type->root;
    struct str id = cc_id_of(root, request->state);
    struct str gone;
    const struct value *now = fetch(p, a, served->type, id, false, request->provider_meta, &gone, diags);
    if (gone.n > 0) {
        warn_of_loss(a, gone, diags);
        response->state = value_null(a, request->state->type);
    }
    if (!now)
        return;
    response->state = cc_with_id(a, root, cc_refreshed(a, root, request->state, now), id);
    response->identity = cc_provider_identity(p, a, served, response->state, id);
}

/* --- apply --- */

/* One apply in progress. */
struct applying {
    struct cc_provider *provider;
    struct arena *arena;
    const struct cc_served *served;
    const struct apply_request *request;
    struct apply_response *response;
    struct diags *diags;
};

/* The configured timeout, else that of the type's handler. */
static int64_t timeout_of(const struct applying *ap, const char *step, int64_t minutes)
{
    const struct value *config = value_is_null(ap->request->config) ? ap->request->prior_state : ap->request->config;
    const struct value *timeouts = value_is_null(config) ? NULL : value_get(config, STR("timeouts"));
    const struct value *stated = timeouts && timeouts->state == VALUE_KNOWN && timeouts->type->kind == TYPE_OBJECT
                                     ? value_get(timeouts, str_of(step))
                                     : NULL;
    int64_t ns;
    if (stated && stated->state == VALUE_KNOWN && duration_parse(stated->string, &ns) && ns > 0)
        return ns;
    return (minutes > 0 ? minutes : CC_DEFAULT_MINUTES) * 60 * NS_PER_S;
}

static bool run(struct applying *ap, const struct cc_run *wanted, const char *step, int64_t minutes, struct cc_ran *ret)
{
    struct cc_api *api = cc_provider_api(ap->provider, ap->diags);
    if (!api)
        return false;
    struct cc_call call = cc_provider_call(ap->provider, ap->arena, ap->request->provider_meta);
    call.deadline = clock_now(&system_clock) + timeout_of(ap, step, minutes);
    struct cc_run r = *wanted;
    r.type_name = ap->served->type->cf_type;
    /* If the wait for a create ends, the request is cancelled, so that it does not leave an untracked object. */
    r.wait = (struct cc_wait){.call = &call, .cancel_request = r.operation == CC_OP_CREATE};
    return cc_run(api, ap->arena, &r, ret) || cc_ran_report(ret, r.operation, ap->diags);
}

/* Warns where the service changed a configured value, since every later plan would show that difference. */
static void warn_of_changes(struct applying *ap, const struct value *read)
{
    const struct cc_type *type = ap->served->type;
    const struct value *said = cc_with_default_tags(ap->arena, type, ap->request->config, ap->provider->default_tags);
    struct cc_paths changed = cc_changed(ap->arena, type->root, said, read);
    for (size_t i = 0; i < changed.n; i++)
        diags_add(ap->diags,
                  &(struct diag){.severity = DIAG_WARNING,
                                 .summary = STR("Value changed by the service"),
                                 .detail = STR("The service returned a different value than it was given. The next plan will "
                                               "show it as a change, unless the configuration is changed to match."),
                                 .path = changed.v[i]});
}

/* Reads the object after an apply; NULL if that fails or is not needed. */
static const struct value *look_at_result(struct applying *ap, struct str id, const struct value *planned, bool created)
{
    const struct cc_type *type = ap->served->type;
    struct str gone;
    /* awscc reads the object only if something is unknown. */
    if (type->mode == CFN_MODE_STRICT && planned->wholly_known)
        return NULL;
    const struct value *read = fetch(ap->provider, ap->arena, type, id, created, ap->request->provider_meta, &gone, ap->diags);
    if (gone.n > 0)
        (void)diags_fail(ap->diags, "AWS Resource Not Found After Creation or Update",
                         "After creating or updating the AWS resource and attempting to read the resource, the API returned a "
                         "resource not found error. Original Error: " STR_FMT,
                         STR_ARG(gone));
    if (read && type->mode == CFN_MODE_DEFAULT)
        warn_of_changes(ap, read);
    return read;
}

/* The plan with values from the service; wholly known even if the object cannot be read. */
static void finish(struct applying *ap, struct str id, bool created)
{
    const struct cc_type *type = ap->served->type;
    const struct value *planned = cc_with_id(ap->arena, type->root, ap->request->planned_state, id);
    const struct value *read = look_at_result(ap, id, planned, created);
    ap->response->new_state = cc_with_id(ap->arena, type->root, cc_fill(ap->arena, type->root, planned, read), id);
    ap->response->new_identity = cc_provider_identity(ap->provider, ap->arena, ap->served, ap->response->new_state, id);
    ap->response->private = cc_tags_record(ap->arena, type, ap->provider->default_tags);
}

/* After a create that failed half-way: tells Terraform that an object exists. */
static void leave_behind(struct applying *ap, struct str id)
{
    const struct cc_node *root = ap->served->type->root;
    if (id.n == 0)
        return;
    const struct value *known = value_unknown_to_null(ap->arena, ap->request->planned_state);
    ap->response->new_state = cc_with_id(ap->arena, root, known, id);
    ap->response->new_identity = cc_provider_identity(ap->provider, ap->arena, ap->served, ap->response->new_state, id);
}

static void create(struct applying *ap)
{
    const struct cc_type *type = ap->served->type;
    const struct value *wanted = cc_with_default_tags(ap->arena, type, ap->request->planned_state, ap->provider->default_tags);
    const struct json *document = cc_document(ap->arena, type->root, wanted, CC_DOCUMENT_CREATE, ap->diags);
    struct cc_ran ran;
    if (!document)
        return;
    struct cc_run r = {.operation = CC_OP_CREATE, .desired_state = cc_json_text(ap->arena, document)};
    ran.identifier = STR_EMPTY;
    if (run(ap, &r, "create", type->create_minutes, &ran))
        finish(ap, ran.identifier, true);
    else
        leave_behind(ap, ran.identifier);
}

static void update(struct applying *ap)
{
    const struct cc_type *type = ap->served->type;
    struct str id = cc_id_of(type->root, ap->request->prior_state);
    const struct value *wanted = cc_with_default_tags(ap->arena, type, ap->request->planned_state, ap->provider->default_tags);
    const struct json *patch = cc_patch(ap->arena, type->root, ap->request->prior_state, wanted, ap->diags);
    struct cc_ran ran;
    ap->response->new_state = ap->request->prior_state;
    if (!patch)
        return;
    struct cc_run r = {.operation = CC_OP_UPDATE, .identifier = id, .patch = cc_json_text(ap->arena, patch)};
    if (patch->array.n == 0 || run(ap, &r, "update", type->update_minutes, &ran))
        finish(ap, id, false);
}

static void destroy(struct applying *ap)
{
    const struct cc_type *type = ap->served->type;
    struct cc_run r = {.operation = CC_OP_DELETE, .identifier = cc_id_of(type->root, ap->request->prior_state)};
    struct cc_ran ran;
    ap->response->new_state = ap->request->prior_state;
    if (run(ap, &r, "delete", type->delete_minutes, &ran))
        ap->response->new_state = ap->request->planned_state;
}

void cc_provider_apply(void *ctx, struct arena *a, const struct apply_request *request, struct diags *diags,
                       struct apply_response *response)
{
    struct applying ap = {.provider = ctx, .arena = a, .request = request, .response = response, .diags = diags};
    response->new_state = request->prior_state;
    response->private = request->planned_private;
    ap.served = find(ap.provider, request->type_name, diags);
    if (!ap.served)
        return;
    if (value_is_null(request->planned_state))
        destroy(&ap);
    else if (value_is_null(request->prior_state))
        create(&ap);
    else
        update(&ap);
}

/* --- import --- */

void cc_provider_import(void *ctx, struct arena *a, const struct import_request *request, struct diags *diags,
                        struct import_response *response)
{
    struct cc_provider *p = ctx;
    const struct cc_served *served = find(p, request->type_name, diags);
    struct str id = request->id;
    response->deferred = DEFERRED_NOT;
    if (!served || !cc_provider_api(p, diags))
        return;
    if (id.n == 0 && request->identity &&
        !cc_identity_to_id(a, served->type, request->identity, cc_client_identity(p->client)->account,
                           cc_client_region(p->client), diags, &id))
        return;
    if (id.n == 0) {
        (void)diags_fail(diags, "Missing identifier", "Import requires the identifier of an object of type " STR_FMT ".",
                         STR_ARG(served->type->cf_type));
        return;
    }
    struct imported_resource *one = arena_make(a, struct imported_resource);
    *one = (struct imported_resource){.type_name = request->type_name,
                                      .state = cc_import_object(a, served->type->root, id),
                                      .private = STR(imported_mark),
                                      .identity = cc_provider_identity(p, a, served, NULL, id)};
    response->resources = one;
    response->n_resources = 1;
}
