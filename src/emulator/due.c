/* Performs requests that are due, before the next call. */
#include "emulator/emulator_private.h"

enum { ID_ATTEMPTS = 16 };
#define WEEK_NS (INT64_C(7) * 24 * 3600 * NS_PER_S)

/* Marks the request as failed. Returns true, because callers return whether the store succeeded. */
static bool fail_request(struct emulator_stored_request *r, struct str error, struct str message)
{
    r->status = EMULATOR_STATUS_FAILED;
    r->error = error;
    r->message = message;
    return true;
}

static struct emulator_sampler sampler_of(struct emulation *e, const struct cfn_schema *s)
{
    const struct emulator_options *o = &e->emulator->options;
    return (struct emulator_sampler){
        .arena = e->arena, .schema = s, .account = o->account, .region = o->region, .seed = emulator_random(e->emulator)};
}

static bool is_there(struct emulation *e, const struct emulator_stored_request *r)
{
    struct str model;
    return emulator_store_get(e->emulator->store, e->arena, r->type, r->id, &model);
}

/* Invents read-only values until the identifier is unique. */
static bool finish_model(struct emulation *e, const struct cfn_schema *s, struct emulator_stored_request *r,
                         const struct json *given, const struct json **ret)
{
    for (int attempt = 0; attempt < ID_ATTEMPTS; attempt++) {
        struct emulator_sampler sampler = sampler_of(e, s);
        *ret = emulator_model_complete(&sampler, given);
        if (!emulator_model_identifier(e->arena, s, *ret, &r->id))
            return false;
        if (r->id_known || !is_there(e, r))
            return true;
    }
    return false;
}

static bool is_whole(struct emulation *e, const struct cfn_schema *s, struct emulator_stored_request *r, const struct json *model)
{
    struct str wrong;
    if (emulator_model_check(e->arena, s, model, EMULATOR_CHECK_WHOLE, &wrong))
        return true;
    return !fail_request(r, STR("InvalidRequest"),
                         arena_printf(e->arena, "Model validation failed (" STR_FMT ")", STR_ARG(wrong)));
}

/* Stores the model. If it is too long, the request fails and this returns true; false only for errors of the store. */
static bool put_model(struct emulation *e, struct emulator_stored_request *r, const struct json *model)
{
    struct str line;
    if (!emulation_line(e, model, &line))
        return fail_request(r, STR("ServiceLimitExceeded"),
                            arena_printf(e->arena, "The properties with what the service adds to them are longer than %d bytes.",
                                         EMULATOR_MAX_LINE));
    r->id_known = true;
    r->status = EMULATOR_STATUS_SUCCESS;
    return emulator_store_put(e->emulator->store, r->type, r->id, line);
}

static bool finish_create(struct emulation *e, const struct cfn_schema *s, struct emulator_stored_request *r)
{
    const struct json *model, *given = emulation_model(e, r->model);
    if (!is_whole(e, s, r, given))
        return true;
    if (!finish_model(e, s, r, given, &model))
        return fail_request(r, STR("InternalFailure"), STR("The identifier cannot be generated from the schema."));
    if (r->id_known && is_there(e, r))
        return fail_request(r, STR("AlreadyExists"),
                            arena_printf(e->arena, "Resource of type '" STR_FMT "' with identifier '" STR_FMT "' already exists.",
                                         STR_ARG(r->type), STR_ARG(emulator_shown(e->arena, r->id))));
    return put_model(e, r, model);
}

static bool finish_update(struct emulation *e, const struct cfn_schema *s, struct emulator_stored_request *r)
{
    const struct json *model = emulation_model(e, r->model);
    if (!is_whole(e, s, r, model))
        return true;
    struct emulator_sampler sampler = sampler_of(e, s);
    return put_model(e, r, emulator_model_complete(&sampler, model));
}

static bool finish_delete(struct emulation *e, struct emulator_stored_request *r)
{
    if (!is_there(e, r))
        return fail_request(r, STR("NotFound"),
                            arena_printf(e->arena, "Resource of type '" STR_FMT "' with identifier '" STR_FMT "' was not found.",
                                         STR_ARG(r->type), STR_ARG(emulator_shown(e->arena, r->id))));
    r->status = EMULATOR_STATUS_SUCCESS;
    return emulator_store_delete(e->emulator->store, r->type, r->id);
}

/* Runs the hook before the handler. True if the hook rejects the request. */
static bool hook_refuses(struct emulator_stored_request *r)
{
    if (r->hook.n == 0 || str_ends(r->hook, STR("/WARN")) || str_eqz(r->hook, "HOOK_COMPLETE_SUCCEEDED"))
        return false;
    return fail_request(r, STR_EMPTY, STR("The following hook(s) failed: [" EMULATOR_HOOK_NAME "]"));
}

static bool finish_request(struct emulation *e, struct emulator_stored_request *r)
{
    const struct emulator_options *o = &e->emulator->options;
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct cfn_schema *s = emulator_schema(e->emulator, r->type, &diags);
    const struct emulator_fault *fault = emulator_fault_of(o->fails, o->n_fails, r->type, r->operation);
    r->event_ns = e->now;
    if (r->status == EMULATOR_STATUS_CANCEL_IN_PROGRESS) {
        r->status = EMULATOR_STATUS_CANCEL_COMPLETE;
        return true;
    }
    if (hook_refuses(r))
        return true;
    if (fault)
        return fail_request(r, fault->what,
                            arena_printf(e->arena, "The emulator was started with --fail for this operation (" STR_FMT ").",
                                         STR_ARG(fault->what)));
    if (!s && diags_has_errors(&diags))
        return fail_request(r, STR("InternalFailure"), diags.v[0].detail);
    if (!s)
        return fail_request(r, STR("InternalFailure"), STR("The pack no longer has this type."));
    if (r->operation == EMULATOR_OP_CREATE)
        return finish_create(e, s, r);
    return r->operation == EMULATOR_OP_UPDATE ? finish_update(e, s, r) : finish_delete(e, r);
}

static bool do_all_due(struct emulation *e)
{
    struct emulator_stored_request r;
    struct emulator_store *store = e->emulator->store;
    while (emulator_store_due(store, e->arena, e->now, &r)) {
        if (!finish_request(e, &r) || !emulator_store_put_request(store, &r))
            return false;
        arena_reset(e->arena);
    }
    return emulator_store_forget(store, e->now - WEEK_NS);
}

bool emulation_do_due(struct emulation *e)
{
    struct arena *own = e->arena, *scratch ARENA_AUTO = arena_new(NULL, 0); /* reset for each request, since many may be due */
    e->arena = scratch;
    bool ok = do_all_due(e);
    e->arena = own;
    return ok || emulation_fail(e, "InternalFailure", "%s", emulator_store_problem(e->emulator->store));
}
