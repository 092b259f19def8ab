/* Reads existing objects: data sources for one object and for all ids of a type, and list resources. */
#include "base/vec.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/identifier.h"
#include "cloudcontrol/node_value_private.h"
#include "cloudcontrol/provider_private.h"
#include "cloudcontrol/refresh.h"

/* Reads an object without prior state. */
static const struct value *read_new(struct cc_provider *p, struct arena *a, const struct cc_type *type,
                                    const struct cc_description *description, struct diags *diags)
{
    bool strict = type->mode == CFN_MODE_STRICT;
    const struct value *v = cc_provider_read_properties(p, a, type, description, strict ? cc_json_sorted_by_key : NULL, diags);
    return v && !strict ? cc_in_fixed_order(a, type->root, v) : v;
}

/* --- one object --- */

static void read_one(struct cc_provider *p, struct arena *a, const struct cc_served *served,
                     const struct read_data_request *request, struct diags *diags, struct read_data_response *response)
{
    const struct cc_type *type = served->type;
    const struct value *config = request->config;
    const struct cc_call call = cc_provider_call(p, a, request->provider_meta);
    const struct value *id = value_get(config, STR("id"));
    struct cc_api *api = cc_provider_api(p, diags);
    struct cc_description description;
    struct cc_failure failure;
    if (!api)
        return;
    const struct cc_get_request get = {.type_name = type->cf_type, .identifier = id->string};
    if (!cc_api_get(api, a, &get, &call, &description, &failure)) {
        if (failure.code == CC_ERROR_RESOURCE_NOT_FOUND)
            (void)diags_fail(diags, "AWS Data Source Not Found",
                             "After attempting to read the data source, the API returned a resource not found error for the id "
                             "provided. Original Error: " STR_FMT,
                             STR_ARG(cc_failure_text(a, &failure)));
        else
            (void)cc_failure_report(&failure, "GetResource", diags);
        return;
    }
    const struct value *v = read_new(p, a, type, &description, diags);
    if (v)
        response->state = cc_provider_shape(a, cc_with_id(a, type->root, v, id->string), config->type);
}

/* --- all ids --- */

/* The configured arguments of a list, as JSON; empty if there are none. */
static struct str list_model(struct arena *a, const struct cc_type *type, const struct value *config, struct diags *diags)
{
    VEC(struct json_member) members = {0};
    for (size_t i = 0; i < type->n_list_arguments; i++) {
        const struct cc_node *node = type->list_arguments[i].node;
        const struct value *v = value_get(config, node->name);
        const struct json *j = v && v->state == VALUE_KNOWN ? cc_document_part(a, node, v, CC_DOCUMENT_ALL, diags) : NULL;
        if (j)
            *VEC_PUSH(a, &members) = (struct json_member){.key = node->cf_name, .value = j};
    }
    return members.n > 0 ? cc_json_text(a, json_make_object(a, members.v, members.n)) : STR_EMPTY;
}

struct ids {
    struct arena *arena;
    VEC(const struct value *) list;
};

static bool take_id(void *ctx, const struct cc_description *description)
{
    struct ids *ids = ctx;
    *VEC_PUSH(ids->arena, &ids->list) = value_string(ids->arena, description->identifier);
    return true;
}

static void read_all(struct cc_provider *p, struct arena *a, const struct cc_type *type, const struct read_data_request *request,
                     struct diags *diags, struct read_data_response *response)
{
    const struct value *config = request->config;
    const struct cc_call call = cc_provider_call(p, a, request->provider_meta);
    struct cc_api *api = cc_provider_api(p, diags);
    struct ids ids = {.arena = a};
    struct cc_failure failure;
    if (!api)
        return;
    const struct cc_list_request list = {.type_name = type->cf_type, .resource_model = list_model(a, type, config, diags)};
    if (!cc_api_list_all(api, a, &list, &call, take_id, &ids, &failure)) {
        (void)cc_failure_report(&failure, "ListResources", diags);
        return;
    }
    const struct type *t = config->type;
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++)
        parts[i] = str_eqz(t->attrs[i].name, "ids")  ? value_set(a, &type_string, ids.list.v, ids.list.n)
                   : str_eqz(t->attrs[i].name, "id") ? value_string(a, cc_client_region(p->client))
                                                     : config->elements[i];
    response->state = value_object(a, t, parts);
}

void cc_provider_read_data(void *ctx, struct arena *a, const struct read_data_request *request, struct diags *diags,
                           struct read_data_response *response)
{
    struct cc_provider *p = ctx;
    const struct cc_served *served = cc_provider_type(p, request->type_name, diags);
    response->deferred = DEFERRED_NOT;
    if (!served)
        cc_provider_no_type("data source", request->type_name, diags);
    else if (str_eq(request->type_name, served->type->tf_type))
        read_one(p, a, served, request, diags, response);
    else
        read_all(p, a, served->type, request, diags, response);
}

/* --- a list of objects --- */

struct listing {
    struct cc_provider *provider;
    const struct cc_served *served;
    const struct list_request *request;
    struct event_sink *sink;
    int64_t n;
    bool gone; /* the client */
};

/* awscc has one summary for listing and for reading a listed object. `call`: for example "ListResources". */
static void report_listing(const struct cc_failure *failure, const char *call, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str what = arena_printf(scratch, "Error: operation error CloudControl: %s", call);
    (void)aws_failure_report(&failure->aws, what.p, "Error Listing Remote Resources", diags);
}

/* NULL without a diagnostic if it was deleted after it was listed. */
static const struct value *read_object(struct listing *l, struct arena *a, struct str id, struct diags *diags)
{
    struct cc_description description;
    struct cc_failure failure;
    struct cc_api *api = cc_provider_api(l->provider, diags);
    const struct cc_type *type = l->served->type;
    const struct cc_get_request get = {.type_name = type->cf_type, .identifier = id};
    if (!api)
        return NULL;
    if (!cc_api_get(api, a, &get, &(struct cc_call){.cancel = l->provider->cancel}, &description, &failure)) {
        if (failure.code != CC_ERROR_RESOURCE_NOT_FOUND)
            report_listing(&failure, "GetResource", diags);
        return NULL;
    }
    return read_new(l->provider, a, type, &description, diags);
}

static bool send_object(void *ctx, const struct cc_description *description)
{
    struct listing *l = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct str id = arena_str(a, description->identifier);
    struct list_event event = {.display_name = id, .diags = &diags};
    event.identity = cc_provider_identity(l->provider, a, l->served, NULL, id);
    if (l->request->include_resource && !(event.resource = read_object(l, a, id, &diags)) && diags.n == 0)
        return true;
    l->n++;
    l->gone = !event_sink_list(l->sink, &event);
    return !l->gone && (l->request->limit <= 0 || l->n < l->request->limit);
}

static void list_objects(struct listing *l, struct arena *a, struct diags *diags)
{
    const struct cc_type *type = l->served->type;
    struct cc_api *api = cc_provider_api(l->provider, diags);
    struct cc_failure failure;
    const struct cc_list_request list = {.type_name = type->cf_type,
                                         .resource_model = list_model(a, type, l->request->config, diags)};
    if (!api || diags_has_errors(diags))
        return;
    if (!cc_api_list_all(api, a, &list, &(struct cc_call){.cancel = l->provider->cancel}, send_object, l, &failure) && !l->gone)
        report_listing(&failure, "ListResources", diags);
}

void cc_provider_list(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink)
{
    struct listing l = {.provider = ctx, .request = request, .sink = sink};
    struct diags diags;
    diags_init(&diags, a);
    l.served = cc_provider_type(l.provider, request->type_name, &diags);
    if (l.served)
        list_objects(&l, a, &diags);
    else
        cc_provider_no_type("list resource", request->type_name, &diags);
    if (diags.n > 0)
        (void)event_sink_list(sink, &(struct list_event){.display_name = STR_EMPTY, .diags = &diags});
}
