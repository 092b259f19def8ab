/* What was asked for happens: when it is due, before the next call. */
#include "emulator/private.h"

enum { ID_ATTEMPTS = 16 };
#define WEEK_NS (INT64_C(7) * 24 * 3600 * NS_PER_S)

/* True, for those who return whether the store could keep it. */
static bool fail_request(struct cc_stored_request *r, struct str error, struct str message)
{
    r->status = CC_STATUS_FAILED;
    r->error = error;
    r->message = message;
    return true;
}

static struct cc_sampler sampler_of(struct cc_emulation *e, const struct cfn_schema *s)
{
    const struct cc_emulator_options *o = &e->emulator->options;
    return (struct cc_sampler){
        .arena = e->arena, .schema = s, .account = o->account, .region = o->region, .seed = cc_emulator_random(e->emulator)};
}

static bool is_there(struct cc_emulation *e, const struct cc_stored_request *r)
{
    struct str model;
    return cc_store_get(e->emulator->store, e->arena, r->type, r->id, &model);
}

/* Read-only values are made up until the identifier is one that nobody has. */
static bool finish_model(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r,
                         const struct json *given, const struct json **ret)
{
    for (int attempt = 0; attempt < ID_ATTEMPTS; attempt++) {
        struct cc_sampler sampler = sampler_of(e, s);
        *ret = cc_model_complete(&sampler, given);
        if (!cc_model_identifier(e->arena, s, *ret, &r->id))
            return false;
        if (r->id_known || !is_there(e, r))
            return true;
    }
    return false;
}

static bool is_whole(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r, const struct json *model)
{
    struct str wrong;
    if (cc_model_check(e->arena, s, model, CC_CHECK_WHOLE, &wrong))
        return true;
    return !fail_request(r, STR("InvalidRequest"),
                         arena_printf(e->arena, "Model validation failed (" STR_FMT ")", STR_ARG(wrong)));
}

static bool finish_create(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r)
{
    const struct json *model, *given = cc_emulation_model(e, r->model);
    if (!is_whole(e, s, r, given))
        return true;
    if (!finish_model(e, s, r, given, &model))
        return fail_request(r, STR("InternalFailure"), STR("The identifier cannot be made up from the schema."));
    if (r->id_known && is_there(e, r))
        return fail_request(r, STR("AlreadyExists"),
                            arena_printf(e->arena, "Resource of type '" STR_FMT "' with identifier '" STR_FMT "' already exists.",
                                         STR_ARG(r->type), STR_ARG(r->id)));
    r->id_known = true;
    r->status = CC_STATUS_SUCCESS;
    return cc_store_put(e->emulator->store, r->type, r->id, cc_emulation_line(e, model));
}

static bool finish_update(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r)
{
    const struct json *model = cc_emulation_model(e, r->model);
    if (!is_whole(e, s, r, model))
        return true;
    struct cc_sampler sampler = sampler_of(e, s);
    r->status = CC_STATUS_SUCCESS;
    return cc_store_put(e->emulator->store, r->type, r->id, cc_emulation_line(e, cc_model_complete(&sampler, model)));
}

static bool finish_delete(struct cc_emulation *e, struct cc_stored_request *r)
{
    if (!is_there(e, r))
        return fail_request(r, STR("NotFound"),
                            arena_printf(e->arena, "Resource of type '" STR_FMT "' with identifier '" STR_FMT "' was not found.",
                                         STR_ARG(r->type), STR_ARG(r->id)));
    r->status = CC_STATUS_SUCCESS;
    return cc_store_delete(e->emulator->store, r->type, r->id);
}

/* A hook looks at it before the handler does. True: it says no. */
static bool hook_refuses(struct cc_stored_request *r)
{
    if (r->hook.n == 0 || str_ends(r->hook, STR("/WARN")) || str_eqz(r->hook, "HOOK_COMPLETE_SUCCEEDED"))
        return false;
    return fail_request(r, STR_EMPTY, STR("The following hook(s) failed: [" CC_HOOK_NAME "]"));
}

static bool finish_request(struct cc_emulation *e, struct cc_stored_request *r)
{
    const struct cc_emulator_options *o = &e->emulator->options;
    const struct cfn_schema *s = cc_emulator_schema(e->emulator, r->type);
    const struct cc_fault *fault = cc_fault_of(o->fails, o->n_fails, r->type, r->operation);
    r->event_ns = e->now;
    if (r->status == CC_STATUS_CANCEL_IN_PROGRESS) {
        r->status = CC_STATUS_CANCEL_COMPLETE;
        return true;
    }
    if (hook_refuses(r))
        return true;
    if (fault)
        return fail_request(r, fault->what,
                            arena_printf(e->arena, "The emulator was told to fail so (" STR_FMT ").", STR_ARG(fault->what)));
    if (!s)
        return fail_request(r, STR("InternalFailure"), STR("The pack has no such type any more."));
    if (r->operation == CC_OP_CREATE)
        return finish_create(e, s, r);
    return r->operation == CC_OP_UPDATE ? finish_update(e, s, r) : finish_delete(e, r);
}

static bool settle_due(struct cc_emulation *e)
{
    struct cc_stored_request r;
    struct cc_store *store = e->emulator->store;
    while (cc_store_due(store, e->arena, e->now, &r)) {
        if (!finish_request(e, &r) || !cc_store_put_request(store, &r))
            return false;
        arena_reset(e->arena);
    }
    return cc_store_forget(store, e->now - WEEK_NS);
}

bool cc_emulation_settle(struct cc_emulation *e)
{
    struct arena *own = e->arena, *scratch ARENA_AUTO = arena_new(NULL, 0); /* many may have become due */
    e->arena = scratch;
    bool ok = settle_due(e);
    e->arena = own;
    return ok || cc_emulation_fail(e, "InternalFailure", "%s", cc_store_problem(e->emulator->store));
}
