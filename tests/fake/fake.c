/*
 * For each call, fake_intercept() finds its rule and does what concerns bytes and processes; then the call's own function does
 * the work, and asks the same rule (`current`, thread-local) for diagnostics and for faults in its result.
 *
 * An object is found by its "id" if the schema has one of type string, else by its private data, which always contains the id.
 */
#include "fake.h"

#include "base/lock.h"
#include "faults.h"
#include "plugin/services.h"
#include "shape.h"
#include "traits.h"
#include "value/json_value.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

/* The effect for the call that this thread is serving; NULL: none. */
static _Thread_local const struct effect *current;

/* ---- rules ---- */

static struct str type_of_request(struct str rpc, struct str request)
{
    enum { TYPE_NAME = 1, MOVE_TARGET = 5, WRITE_NAMES = 1 };
    struct str type = STR_EMPTY;
    if (str_eq(rpc, STR("WriteStateBytes")))
        (void)service_find_bytes(request, WRITE_NAMES, &request); /* a message inside the first chunk */
    (void)service_find_bytes(request, str_eq(rpc, STR("MoveResourceState")) ? MOVE_TARGET : TYPE_NAME, &type);
    return type;
}

/* Configurations are never freed, because a call under way may still use the previous one. */
static struct str configuration_of(struct fake *f, struct str rpc, struct str request)
{
    mutex_lock(&f->lock);
    if (str_eqz(rpc, "ConfigureProvider"))
        f->configuration = arena_str(f->arena, request);
    struct str configuration = f->configuration;
    mutex_unlock(&f->lock);
    return configuration;
}

static bool fake_intercept(void *ctx, struct grpc_call *call, struct str request)
{
    struct fake *f = ctx;
    struct str rpc = script_rpc_name(grpc_call_method(call));
    static const struct effect nothing = {.deferred = DEFERRED_NOT};
    const struct script_call about = {rpc, type_of_request(rpc, request), request, configuration_of(f, rpc, request)};
    const struct effect *effect = script_match(f->script, &about);
    current = effect ? effect : &nothing;
    struct timespec latency = {.tv_sec = f->script->latency_ms / 1000, .tv_nsec = f->script->latency_ms % 1000 * NS_PER_MS};
    while (nanosleep(&latency, &latency) != 0 && errno == EINTR)
        ;
    return faults_before(current, call, rpc);
}

/* Adds the rule's diagnostics; true: one is an error, and the work must not be done. */
static bool refused(struct diags *diags)
{
    for (size_t i = 0; i < current->n_diagnostics; i++)
        diags_add(diags, &current->diagnostics[i]);
    return current->has_errors && !current->act;
}

/* The object with its computed attributes unknown. */
static const struct value *with_unknowns(struct arena *a, const struct schema *s, const struct value *v)
{
    const struct value *nothing = value_null(a, s->type);
    return v->state == VALUE_KNOWN ? shape_mark_computed(a, s, nothing, v, NULL) : value_unknown(a, s->type);
}

/* The state for the answer, with the rule's fault. */
static const struct value *spoil(struct arena *a, const struct schema *s, const struct value *v)
{
    faults_acted(current);
    switch (current->fault) {
    case FAULT_UNKNOWN:
        return with_unknowns(a, s, v);
    case FAULT_NULL:
        return value_null(a, s->type);
    case FAULT_MISSING:
        return NULL;
    default:
        return v;
    }
}

/* ---- objects ---- */

static const struct schema *resource_schema(const struct fake *f, struct str type_name)
{
    return map_get(&f->schema->resources, type_name); /* requests about unknown types were refused before */
}

static bool is_text(const struct value *v)
{
    return v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING;
}

static struct str id_of(const struct value *state, struct str private)
{
    const struct value *id = value_get(state, STR("id"));
    return is_text(id) ? id->string : private;
}

/* The private data of an object. A type with traits has none: its ids are in the state. */
static struct str private_of(const struct fake *f, struct str type_name, struct str id)
{
    return trait_of(f->script, type_name) ? STR_EMPTY : id;
}

static const struct value *identity_of(const struct fake *f, struct arena *a, struct str type_name, const struct value *state)
{
    const struct schema_identity *identity = map_get(&f->schema->identities, type_name);
    return identity && state && state->state == VALUE_KNOWN ? shape_pick(a, identity->type, state) : NULL;
}

static bool fail_absent(struct diags *diags, struct str type_name, struct str id)
{
    return diags_fail(diags, "Object not found", "There is no " STR_FMT " with the id \"" STR_FMT "\".", STR_ARG(type_name),
                      STR_ARG(id));
}

/* ---- schema, configuration ---- */

static const struct provider_schema *fake_schema(void *ctx, struct diags *diags)
{
    (void)diags;
    return ((const struct fake *)ctx)->schema;
}

static void fake_validate_provider(void *ctx, struct arena *a, const struct validate_provider_request *request,
                                   struct diags *diags, struct validate_provider_response *response)
{
    (void)ctx;
    (void)a;
    (void)refused(diags);
    faults_acted(current);
    response->prepared = request->config;
}

static void fake_validate(void *ctx, struct arena *a, const struct validate_request *request, struct diags *diags)
{
    (void)ctx;
    (void)a;
    (void)request;
    (void)refused(diags);
    faults_acted(current);
}

static void fake_validate_list(void *ctx, struct arena *a, const struct validate_list_request *request, struct diags *diags)
{
    (void)ctx;
    (void)a;
    (void)request;
    (void)refused(diags);
    faults_acted(current);
}

static void fake_configure(void *ctx, struct arena *a, const struct configure_request *request, struct diags *diags)
{
    (void)ctx;
    (void)a;
    (void)request;
    (void)refused(diags);
    faults_acted(current);
}

/* ---- states of other versions ---- */

static const struct value *upgrade(struct arena *a, const struct raw_state *raw, const struct type *t, struct diags *diags)
{
    if (raw->json.n == 0) {
        const struct flatmap flat = {raw->flatmap, raw->n_flatmap};
        return flatmap_to_value(a, &flat, t, diags);
    }
    const struct json *j = json_parse(a, raw->json, "state", diags);
    return j ? shape_from_json(a, j, t, diags) : NULL;
}

static void fake_upgrade_state(void *ctx, struct arena *a, const struct upgrade_state_request *request, struct diags *diags,
                               struct upgrade_state_response *response)
{
    const struct schema *s = resource_schema(ctx, request->type_name);
    if (refused(diags))
        return;
    const struct value *state = upgrade(a, &request->raw, s->type, diags);
    if (state)
        response->state = spoil(a, s, state);
}

static void fake_upgrade_identity(void *ctx, struct arena *a, const struct upgrade_identity_request *request, struct diags *diags,
                                  struct upgrade_identity_response *response)
{
    const struct fake *f = ctx;
    const struct schema_identity *identity = map_get(&f->schema->identities, request->type_name);
    if (!refused(diags) && identity)
        response->identity = upgrade(a, &request->raw, identity->type, diags);
}

static void fake_move(void *ctx, struct arena *a, const struct move_request *request, struct diags *diags,
                      struct move_response *response)
{
    const struct schema *s = resource_schema(ctx, request->target_type_name);
    if (refused(diags))
        return;
    const struct value *state = upgrade(a, &request->source_state, s->type, diags);
    if (!state)
        return;
    response->state = spoil(a, s, state);
    response->private = request->source_private;
    response->identity = identity_of(ctx, a, request->target_type_name, state);
}

/* ---- the life of a resource ---- */

static void fake_read(void *ctx, struct arena *a, const struct read_request *request, struct diags *diags,
                      struct read_response *response)
{
    const struct fake *f = ctx;
    const struct schema *s = resource_schema(f, request->type_name);
    response->private = request->private;
    response->deferred = current->deferred;
    response->identity = request->identity;
    response->state = request->state;
    if (refused(diags) || value_is_null(request->state))
        return;
    const struct trait *trait = trait_of(f->script, request->type_name);
    if (trait && trait->state_only)
        return;
    const struct value *object = value_null(a, s->type);
    const struct cloud_key key = {request->type_name, id_of(request->state, request->private)};
    if (cloud_get(f->cloud, a, key, s->type, diags, &object) == CLOUD_FAILED)
        return;
    object = trait_read(a, trait, request->state, object);
    response->state = spoil(a, s, object);
    response->identity = identity_of(f, a, request->type_name, object);
    response->private = private_of(f, request->type_name, key.id);
}

static struct path path_of_name(struct arena *a, struct str dotted)
{
    struct path path = PATH_ROOT;
    while (dotted.n > 0)
        path = path_attr(a, path, str_cut(&dotted, '.'));
    return path;
}

/* Requires replacement for the attributes that the script lists, if the plan changes them. */
static void require_replace(const struct fake *f, struct arena *a, const struct plan_request *request,
                            struct plan_response *response)
{
    const struct json *names = json_get_str(f->script->replace, request->type_name);
    if (!names || value_is_null(request->prior_state))
        return;
    struct path *paths = arena_make_n(a, struct path, names->array.n);
    size_t n = 0;
    for (size_t i = 0; i < names->array.n; i++) {
        struct path path = path_of_name(a, json_text(names->array.items[i], STR_EMPTY));
        const struct value *before = value_at(request->prior_state, path);
        const struct value *after = value_at(response->planned_state, path);
        if (before && after && !value_raw_eq(before, after))
            paths[n++] = path;
    }
    response->requires_replace = paths;
    response->n_requires_replace = n;
}

static const struct value *plan_state(const struct fake *f, struct arena *a, const struct schema *s,
                                      const struct plan_request *request, struct diags *diags)
{
    const struct value *prior = request->prior_state;
    const struct value *planned = shape_null_write_only(a, s, request->proposed_new_state);
    planned = trait_plan(a, trait_of(f->script, request->type_name), request->config, planned, diags);
    if (value_raw_eq(planned, prior))
        return planned;
    return shape_mark_computed(a, s, request->config, planned, value_is_null(prior) ? NULL : prior);
}

static void fake_plan(void *ctx, struct arena *a, const struct plan_request *request, struct diags *diags,
                      struct plan_response *response)
{
    const struct fake *f = ctx;
    const struct schema *s = resource_schema(f, request->type_name);
    response->planned_state = request->proposed_new_state;
    response->planned_private = request->prior_private;
    response->planned_identity = request->prior_identity;
    response->legacy_type_system = f->script->legacy_type_system;
    response->deferred = current->deferred;
    if (refused(diags) || value_is_null(request->proposed_new_state))
        return;
    response->planned_state = plan_state(f, a, s, request, diags);
    require_replace(f, a, request, response);
    response->planned_state = spoil(a, s, response->planned_state);
}

/* The same configuration gets the same id in every run; a second object with it gets a number appended. */
static struct str invent_id(struct arena *a, struct str type_name, uint64_t seed, int attempt)
{
    struct str id = arena_printf(a, STR_FMT "-%016" PRIx64, STR_ARG(type_name), seed);
    return attempt == 1 ? id : arena_printf(a, STR_FMT "-%d", STR_ARG(id), attempt);
}

/* The id from the configuration or the script; empty: one is invented. */
static struct str given_id(const struct fake *f, struct arena *a, struct str type_name, const struct value *planned)
{
    const struct value *said = value_get(planned, STR("id"));
    return is_text(said) ? said->string : trait_id(a, trait_of(f->script, type_name), planned);
}

static const struct value *create(const struct fake *f, struct arena *a, struct str type_name, const struct schema *s,
                                  const struct value *planned, struct diags *diags, struct str *ret_private)
{
    uint64_t seed = value_hash(planned);
    struct str given = given_id(f, a, type_name, planned);
    for (int attempt = 1;; attempt++) {
        struct str id = given.n > 0 ? given : invent_id(a, type_name, seed, attempt);
        const struct value *object = shape_fill(a, planned, id, str_hash(id, 0));
        enum cloud_result result = cloud_create(f->cloud, (struct cloud_key){type_name, id}, object, s->type, diags);
        if (result == CLOUD_EXISTS && given.n == 0)
            continue;
        if (result == CLOUD_EXISTS)
            (void)diags_fail(diags, "Object exists", "There is a " STR_FMT " with the id \"" STR_FMT "\" already.",
                             STR_ARG(type_name), STR_ARG(id));
        *ret_private = private_of(f, type_name, id);
        return result == CLOUD_DONE ? object : value_null(a, s->type);
    }
}

static void fake_apply(void *ctx, struct arena *a, const struct apply_request *request, struct diags *diags,
                       struct apply_response *response)
{
    const struct fake *f = ctx;
    struct str type_name = request->type_name;
    const struct schema *s = resource_schema(f, type_name);
    const struct cloud_key key = {type_name, id_of(request->prior_state, request->planned_private)};
    response->new_state = request->prior_state;
    response->private = request->planned_private;
    response->legacy_type_system = f->script->legacy_type_system;
    response->new_identity = request->planned_identity;
    const struct value *planned = request->planned_state;
    if (value_is_null(planned))
        cloud_note(f->cloud, "delete", key);
    else if (value_is_null(request->prior_state))
        cloud_note(f->cloud, "create", (struct cloud_key){type_name, given_id(f, a, type_name, planned)});
    else
        cloud_note(f->cloud, "update", key);
    if (refused(diags))
        return;

    const struct value *result = request->prior_state;
    if (value_is_null(planned)) {
        if (cloud_delete(f->cloud, key, diags) != CLOUD_FAILED) /* an object that is gone already is fine */
            result = planned;
    } else if (value_is_null(request->prior_state)) {
        result = create(f, a, type_name, s, shape_null_write_only(a, s, planned), diags, &response->private);
    } else {
        const struct value *object = shape_fill(a, planned, key.id, str_hash(key.id, 0));
        enum cloud_result updated = cloud_update(f->cloud, key, object, s->type, diags);
        if (updated == CLOUD_ABSENT)
            (void)fail_absent(diags, type_name, key.id);
        if (updated == CLOUD_DONE)
            result = object;
    }
    response->new_identity = identity_of(f, a, type_name, result);
    response->new_state = spoil(a, s, result);
}

/* Only the id, and what is in it, is known here; reading adds the rest. */
static const struct value *imported_state(const struct fake *f, struct arena *a, struct str type_name, const struct value *id,
                                          struct diags *diags)
{
    const struct schema *s = resource_schema(f, type_name);
    const struct trait *trait = trait_of(f->script, type_name);
    const struct value *empty = schema_empty_value(a, s->block);
    const struct value **elements = arena_make_n(a, const struct value *, empty->n);
    for (size_t i = 0; i < empty->n; i++) {
        bool is_id = str_eq(s->type->attrs[i].name, STR("id")) && s->type->attrs[i].type->kind == TYPE_STRING;
        elements[i] = is_id ? id : empty->elements[i];
    }
    const struct value *state = value_object(a, s->type, elements);
    if (trait && trait->import.n > 0)
        state = trait_import(a, trait, id->string, state, diags);
    if (!state || !trait || trait->import_absent.n == 0)
        return state;
    const struct value *object = NULL;
    const struct cloud_key key = {type_name, id_of(state, STR_EMPTY)};
    enum cloud_result result = cloud_get(f->cloud, a, key, s->type, diags, &object);
    if (result == CLOUD_ABSENT)
        diags_add(diags, &(struct diag){.severity = DIAG_ERROR, .summary = trait->import_absent});
    return result == CLOUD_DONE ? state : NULL;
}

static void fake_import(void *ctx, struct arena *a, const struct import_request *request, struct diags *diags,
                        struct import_response *response)
{
    const struct fake *f = ctx;
    const struct schema *s = resource_schema(f, request->type_name);
    response->deferred = current->deferred;
    if (refused(diags))
        return;
    struct str id = request->id;
    if (request->identity && request->identity->state == VALUE_KNOWN)
        id = id_of(request->identity, id);
    const struct value *id_value = value_string(a, id);
    if (!id_value) {
        (void)diags_fail(diags, "Invalid id", "The id is not UTF-8.");
        return;
    }
    const struct value *state = imported_state(f, a, request->type_name, id_value, diags);
    if (!state)
        return;
    id = id_of(state, id);
    struct imported_resource *imported = arena_make(a, struct imported_resource);
    *imported = (struct imported_resource){
        .type_name = request->type_name,
        .identity = identity_of(f, a, request->type_name, state),
        .state = spoil(a, s, state),
        .private = private_of(f, request->type_name, id),
    };
    response->resources = imported;
    response->n_resources = 1;
}

static void fake_generate_config(void *ctx, struct arena *a, const struct generate_config_request *request, struct diags *diags,
                                 struct generate_config_response *response)
{
    const struct schema *s = resource_schema(ctx, request->type_name);
    if (!refused(diags))
        response->config = spoil(a, s, shape_config_of(a, s, request->state));
}

/* ---- data sources, ephemeral resources, functions: computed values are invented ---- */

static const struct value *answer_config(struct arena *a, const struct schema *s, struct str type_name,
                                         const struct value *config)
{
    uint64_t seed = value_hash(config);
    const struct value *open = shape_mark_computed(a, s, config, shape_null_write_only(a, s, config), NULL);
    return shape_fill(a, open, invent_id(a, type_name, seed, 1), seed);
}

static bool has_tags(const struct value *object, const struct value *tags)
{
    const struct value *own = value_get(object, STR("tags"));
    for (size_t i = 0; i < tags->n; i++) {
        const struct value *tag = own ? value_get(own, tags->keys[i]) : NULL;
        if (!tag || !value_raw_eq(tag, tags->elements[i]))
            return false;
    }
    return true;
}

/* A data source TYPEs with `tags` and `ids` finds the objects of TYPE that have these tags, as many of aws do. */
static const struct value *find_tagged(const struct fake *f, struct arena *a, struct str data_source, const struct value *answer)
{
    struct str type_name = str_slice(data_source, 0, data_source.n - 1);
    const struct schema *s = map_get(&f->schema->resources, type_name);
    const struct value *tags = value_get(answer, STR("tags")), *ids = value_get(answer, STR("ids"));
    if (!s || !tags || value_is_null(tags) || !ids)
        return answer;
    struct cloud_ids all = cloud_list(f->cloud, a, type_name);
    const struct value **found = arena_make_n(a, const struct value *, all.n);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++) {
        struct diags ignored;
        const struct value *object = NULL;
        diags_init(&ignored, a);
        (void)cloud_get(f->cloud, a, (struct cloud_key){type_name, all.v[i]}, s->type, &ignored, &object);
        if (object && has_tags(object, tags))
            found[n++] = value_string(a, all.v[i]);
    }
    const struct value **elements = arena_make_n(a, const struct value *, answer->n);
    for (size_t i = 0; i < answer->n; i++)
        elements[i] = answer->elements[i] == ids ? value_list(a, &type_string, found, n) : answer->elements[i];
    return value_with_elements(a, answer, elements);
}

static void fake_read_data(void *ctx, struct arena *a, const struct read_data_request *request, struct diags *diags,
                           struct read_data_response *response)
{
    const struct fake *f = ctx;
    const struct schema *s = map_get(&f->schema->data_sources, request->type_name);
    response->deferred = current->deferred;
    if (!refused(diags))
        response->state =
            spoil(a, s, find_tagged(f, a, request->type_name, answer_config(a, s, request->type_name, request->config)));
}

static void fake_open_ephemeral(void *ctx, struct arena *a, const struct open_ephemeral_request *request, struct diags *diags,
                                struct open_ephemeral_response *response)
{
    const struct fake *f = ctx;
    const struct schema *s = map_get(&f->schema->ephemerals, request->type_name);
    response->deferred = current->deferred;
    if (refused(diags))
        return;
    response->result = spoil(a, s, answer_config(a, s, request->type_name, request->config));
    response->has_private = true;
    response->private = request->type_name;
}

static void fake_renew_ephemeral(void *ctx, struct arena *a, const struct renew_ephemeral_request *request, struct diags *diags,
                                 struct renew_ephemeral_response *response)
{
    (void)ctx;
    (void)a;
    (void)refused(diags);
    response->has_private = request->has_private;
    response->private = request->private;
}

static void fake_close_ephemeral(void *ctx, struct arena *a, const struct close_ephemeral_request *request, struct diags *diags)
{
    (void)ctx;
    (void)a;
    (void)request;
    (void)refused(diags);
    faults_acted(current);
}

static void fake_call_function(void *ctx, struct arena *a, const struct call_function_request *request, struct diags *diags,
                               struct call_function_response *response)
{
    const struct fake *f = ctx;
    const struct schema_function *fn = map_get(&f->schema->functions, request->name);
    response->error_argument = -1;
    if (refused(diags)) {
        response->has_error = true;
        response->error = current->diagnostics[0].summary;
        return;
    }
    bool echo = request->n_arguments > 0 && type_conforms(request->arguments[0]->type, fn->return_type);
    response->result = echo ? request->arguments[0] : shape_invent(a, fn->return_type, request->name, 0);
    faults_acted(current);
}

/* ---- streams ---- */

static void fake_list(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink)
{
    const struct fake *f = ctx;
    const struct schema *s = map_get(&f->schema->resources, request->type_name);
    struct cloud_ids ids = cloud_list(f->cloud, a, request->type_name);
    for (size_t i = 0; i < ids.n && (request->limit <= 0 || (int64_t)i < request->limit); i++) {
        struct arena *each ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, each);
        const struct value *object = NULL;
        bool stop = refused(&diags);
        if (s && !stop)
            (void)cloud_get(f->cloud, each, (struct cloud_key){request->type_name, ids.v[i]}, s->type, &diags, &object);
        if (s && !stop && !object && diags.n == 0)
            continue; /* deleted meanwhile */
        const struct list_event event = {
            .identity = identity_of(f, each, request->type_name, object),
            .display_name = ids.v[i],
            .resource = request->include_resource ? object : NULL,
            .diags = &diags,
        };
        if (!event_sink_list(sink, &event) || stop)
            return;
    }
}

static void fake_plan_action(void *ctx, struct arena *a, const struct plan_action_request *request, struct diags *diags,
                             struct plan_action_response *response)
{
    (void)ctx;
    (void)a;
    (void)request;
    (void)refused(diags);
    response->deferred = current->deferred;
}

static void fake_invoke_action(void *ctx, struct arena *a, const struct invoke_action_request *request, struct event_sink *sink)
{
    (void)ctx;
    struct diags diags;
    diags_init(&diags, a);
    const struct action_event progress = {.progress = arena_printf(a, STR_FMT " is under way", STR_ARG(request->type_name))};
    const struct action_event completed = {.completed = true};
    if (!event_sink_action(sink, &progress, NULL))
        return;
    (void)refused(&diags);
    faults_acted(current);
    (void)event_sink_action(sink, &completed, &diags);
}

/* ---- state stores: a state is an object of the store's type; there are no locks ---- */

static void fake_read_state(void *ctx, struct arena *a, const struct state_store_request *request, struct diags *diags,
                            struct read_state_response *response)
{
    const struct fake *f = ctx;
    const struct value *text = NULL;
    if (!refused(diags))
        (void)cloud_get(f->cloud, a, (struct cloud_key){request->type_name, request->state_id}, &type_string, diags, &text);
    if (text)
        response->bytes = text->string;
}

static void fake_write_state(void *ctx, struct arena *a, const struct write_state_request *request, struct diags *diags)
{
    const struct fake *f = ctx;
    struct cloud_key key = {request->type_name, request->state_id};
    const struct value *text = value_string(a, request->bytes);
    if (refused(diags))
        return;
    if (!text || !str_eq(text->string, request->bytes))
        (void)diags_fail(diags, "Not text", "The fake cloud keeps states that are UTF-8 text in NFC.");
    else if (cloud_update(f->cloud, key, text, &type_string, diags) == CLOUD_ABSENT &&
             cloud_create(f->cloud, key, text, &type_string, diags) == CLOUD_EXISTS) /* another call created it meanwhile */
        (void)cloud_update(f->cloud, key, text, &type_string, diags);
    faults_acted(current);
}

static void fake_get_states(void *ctx, struct arena *a, const struct state_store_request *request, struct diags *diags,
                            struct get_states_response *response)
{
    const struct fake *f = ctx;
    struct cloud_ids ids = refused(diags) ? (struct cloud_ids){0} : cloud_list(f->cloud, a, request->type_name);
    *response = (struct get_states_response){ids.v, ids.n};
}

static void fake_delete_state(void *ctx, struct arena *a, const struct state_store_request *request, struct diags *diags)
{
    (void)a;
    const struct fake *f = ctx;
    if (!refused(diags))
        (void)cloud_delete(f->cloud, (struct cloud_key){request->type_name, request->state_id}, diags);
    faults_acted(current);
}

static void fake_stop(void *ctx)
{
    (void)ctx;
}

const struct provider_ops fake_ops = {
    .schema = fake_schema,
    .validate_provider = fake_validate_provider,
    .validate_resource = fake_validate,
    .validate_data = fake_validate,
    .validate_ephemeral = fake_validate,
    .validate_list = fake_validate_list,
    .validate_action = fake_validate,
    .configure = fake_configure,
    .upgrade_state = fake_upgrade_state,
    .upgrade_identity = fake_upgrade_identity,
    .read = fake_read,
    .plan = fake_plan,
    .apply = fake_apply,
    .import = fake_import,
    .move = fake_move,
    .generate_config = fake_generate_config,
    .read_data = fake_read_data,
    .open_ephemeral = fake_open_ephemeral,
    .renew_ephemeral = fake_renew_ephemeral,
    .close_ephemeral = fake_close_ephemeral,
    .call_function = fake_call_function,
    .list = fake_list,
    .plan_action = fake_plan_action,
    .invoke_action = fake_invoke_action,
    .stop = fake_stop,
    .validate_state_store = fake_validate,
    .read_state = fake_read_state,
    .write_state = fake_write_state,
    .get_states = fake_get_states,
    .delete_state = fake_delete_state,
    .intercept = fake_intercept,
};
