/*
 * Applies a plan. Whatever happens, the caller gets what exists now: that matters more than the reason of a failure.
 */
#include "base/log.h"
#include "engine/call_private.h"
#include "engine/planning_private.h"

/* The change that one call makes; `before` and `planned` are null values where there is no object. */
struct step {
    enum change_action action; /* create, update or delete */
    const struct value *before, *planned;
    struct str private;
    const struct value *identity;
    struct marks sensitive; /* of `planned` */
    const struct resource_config *config;
};

/* The provider's result. */
struct outcome {
    const struct value *value; /* NULL: there was no answer */
    bool lost;                 /* and there will be none: the provider ended or timed out */
    struct str private;
    const struct value *identity;
    bool legacy;
};

/* Core's error for a provider that ended, with the last lines that it wrote. How it ended goes to the log. */
static void no_answer(struct engine *e, const struct call *c, enum provider_status status)
{
    struct diag gone = {
        .severity = DIAG_ERROR,
        .summary = STR("Plugin did not respond"),
        .detail = arena_printf(e->arena,
                               "The plugin encountered an error, and failed to respond to the plugin%s.(*GRPCProvider)"
                               ".ApplyResourceChange call. The plugin logs may contain more details.",
                               provider_protocol(e->provider) == 6 ? "6" : ""),
    };
    for (size_t i = 0; i < c->found.n; i++) {
        const struct diag *d = &c->found.v[i];
        log_warn(e->log, "apply without answer", LOG_STR("reason", d->detail));
        gone.output_title = d->output_title;
        gone.output = d->output;
        if (status != PROVIDER_GONE)
            engine_add(e, d);
    }
    if (status == PROVIDER_GONE)
        engine_add(e, &gone);
}

static struct outcome ask(struct engine *e, const struct resource *r, const struct step *step)
{
    struct apply_request request = {
        .type_name = r->type,
        .prior_state = step->before,
        .planned_state = step->planned,
        .config = step->config ? step->config->value : value_null(e->arena, r->schema->type),
        .planned_private = step->private,
        .provider_meta = engine_meta(e),
        .planned_identity = step->identity,
    };
    struct apply_response response;
    struct call c = call_start_apply(e);
    enum provider_status status = provider_apply(e->provider, e->arena, &request, &c.options, &c.found, &response);
    if (status == PROVIDER_GONE || status == PROVIDER_TIMEOUT) {
        no_answer(e, &c, status);
        return (struct outcome){.lost = true};
    }
    (void)call_finish(&c, "ApplyResourceChange", status, step->config);
    if (status != PROVIDER_OK)
        return (struct outcome){0};
    return (struct outcome){
        .value = engine_value(e, response.new_state, r->schema->type),
        .private = response.private,
        .identity = engine_identity(response.new_identity),
        .legacy = response.legacy_type_system,
    };
}

struct unknown_walk {
    struct engine *engine;
    const struct resource *resource;
};

static bool report_unknown(void *ctx, struct path path, const struct value *v)
{
    struct unknown_walk *w = ctx;
    if (!value_is_known(v))
        (void)engine_fail(w->engine, "Provider returned invalid result object after apply",
                          "After the apply operation, the provider still indicated an unknown value for " STR_FMT STR_FMT
                          ". All values must be known after apply, so this is always a bug in the provider and should be "
                          "reported in the provider's own repository. Terraform will still save the other known object values "
                          "in the state.",
                          STR_ARG(w->resource->address), STR_ARG(change_path_text(w->engine->arena, path)));
    return true;
}

/* Unknown values cannot be stored: each one is an error, and becomes null. */
static const struct value *without_unknown(struct engine *e, const struct resource *r, const struct value *v)
{
    if (v->wholly_known)
        return v;
    struct unknown_walk walk = {e, r};
    value_walk(e->arena, v, report_unknown, &walk);
    return value_unknown_to_null(e->arena, v);
}

static void check_result(struct engine *e, const struct resource *r, const struct step *step, const struct outcome *o)
{
    struct change_issues issues = {.arena = e->arena};
    if (change_check_result(&issues, r->schema->block, step->planned, o->value))
        return;
    for (size_t i = 0; i < issues.n; i++) {
        if (o->legacy) {
            log_debug(e->log, "tolerated in the result of a legacy provider", LOG_STR("resource", r->address),
                      LOG_STR("issue", change_path_text(e->arena, issues.v[i].path)));
            continue;
        }
        (void)engine_fail(e, "Provider produced inconsistent result after apply",
                          "When applying changes to " STR_FMT ", provider %s produced an unexpected new value: " STR_FMT
                          ".\n\n" BUG_IN_PROVIDER,
                          STR_ARG(r->address), engine_provider_text(e),
                          STR_ARG(change_issue_text(e->arena, STR_EMPTY, &issues.v[i])));
    }
}

/* An object must not exist after a delete, and must exist after any other action. */
static void check_existence(struct engine *e, const struct resource *r, const struct step *step, const struct value *v)
{
    if (step->action == ACTION_DELETE && !value_is_null(v))
        (void)engine_fail(e, "Provider returned invalid result object after apply",
                          "After applying a Delete plan, the provider returned a non-null object for " STR_FMT
                          ". Destroying should always produce a null value, so this is always a bug in the provider and should "
                          "be reported in the provider's own repository. Terraform will still save this errant object in the "
                          "state for debugging and recovery.",
                          STR_ARG(r->address));
    if (step->action != ACTION_DELETE && value_is_null(v))
        (void)engine_fail(e, "Provider returned invalid result object after apply",
                          "After applying a %s plan, the provider returned a null object for " STR_FMT
                          ". Only destroying should always produce a null value, so this is always a bug in the provider and "
                          "should be reported in the provider's own repository.",
                          step->action == ACTION_CREATE ? "Create" : "Update", STR_ARG(r->address));
}

/* Has this step added errors? Earlier ones do not count. */
static bool step_failed(const struct engine *e, size_t errors_before)
{
    return e->diags->n_errors > errors_before;
}

/* What core keeps when the outcome is unknown: the object as it was; after an update, without its private data. */
static bool without_answer(const struct step *step, const struct object *old, struct object *ret)
{
    *ret = *old;
    if (step->action == ACTION_UPDATE)
        ret->private = STR_EMPTY;
    return false;
}

/*
 * Makes one change, from `old` (value NULL: no object) to what exists afterwards. If the change failed without a result, the old
 * object is kept; the result of a failed creation is tainted.
 */
static bool run_step(struct engine *e, const struct resource *r, const struct step *step, const struct object *old,
                     struct object *ret, bool *ret_lost)
{
    size_t errors = e->diags->n_errors;
    struct outcome o = ask(e, r, step);
    *ret_lost = o.lost;
    if (!o.value)
        return without_answer(step, old, ret);
    if (!engine_check_write_only(e, r, o.value, "Provider produced invalid object", "after apply")) {
        *ret = (struct object){0};
        return false;
    }
    o.value = without_unknown(e, r, o.value);
    if (step->action != ACTION_DELETE && !step_failed(e, errors))
        check_result(e, r, step, &o);
    if (!step_failed(e, errors))
        check_existence(e, r, step, o.value);
    bool failed = step_failed(e, errors);
    if (value_is_null(o.value)) {
        *ret = failed ? *old : (struct object){0};
        return !failed;
    }
    *ret = (struct object){
        .value = o.value,
        .identity = o.identity,
        .private = o.private,
        .sensitive = engine_marks(e, r, step->sensitive, o.value),
        .tainted = failed && (step->action == ACTION_CREATE || old->tainted),
        .create_before_destroy = old->create_before_destroy,
        .stored = old->stored,
    };
    return !failed;
}

/* --- before anything is changed --- */

static void write_unknown_path(struct arena *a, struct buf *out, struct path path)
{
    struct str text = change_path_go_text(a, path);
    buf_printf(out, "\n" STR_FMT, STR_ARG(text));
}

struct path_list {
    struct arena *arena;
    struct buf *out;
};

static bool list_unknown(void *ctx, struct path path, const struct value *v)
{
    struct path_list *list = ctx;
    if (!value_is_known(v))
        write_unknown_path(list->arena, list->out, path);
    return true;
}

static bool check_known(struct engine *e, const struct resource *r, const struct resource_config *config)
{
    if (config->value->wholly_known)
        return true;
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    struct path_list list = {e->arena, &out};
    value_walk(e->arena, config->value, list_unknown, &list);
    (void)engine_fail(e, "Configuration contains unknown value",
                      "configuration for " STR_FMT
                      " still contains unknown values during apply (this is a bug in Terraform; please report it!)\n"
                      "The following paths in the resource configuration are unknown:" STR_FMT,
                      STR_ARG(r->address), STR_ARG(buf_str(&out)));
    return false;
}

/* Actions by their names in core's Go code. */
static const char *action_word(enum change_action action)
{
    static const char *const words[] = {
        [ACTION_NO_OP] = "NoOp",
        [ACTION_CREATE] = "Create",
        [ACTION_UPDATE] = "Update",
        [ACTION_DELETE] = "Delete",
        [ACTION_DELETE_THEN_CREATE] = "DeleteThenCreate",
        [ACTION_CREATE_THEN_DELETE] = "CreateThenDelete",
        [ACTION_READ] = "Read",
    };
    return words[action];
}

/* The second plan must be consistent with the first. */
static bool check_again(struct engine *e, const struct resource *r, const struct plan *plan, const struct plan *again,
                        enum change_action action)
{
    size_t errors = e->diags->n_errors;
    if (!change_action_holds(plan->action, action))
        (void)engine_fail(e, "Provider produced inconsistent final plan",
                          "When expanding the plan for " STR_FMT
                          " to include new values learned so far during apply, provider \"" STR_FMT
                          "\" changed the planned action from %s to %s.\n\n" BUG_IN_PROVIDER,
                          STR_ARG(r->address), STR_ARG(e->provider_address), action_word(plan->action), action_word(action));
    struct change_issues issues = {.arena = e->arena};
    (void)change_check_result(&issues, r->schema->block, plan->planned, again->planned);
    for (size_t i = 0; i < issues.n; i++)
        (void)engine_fail(
            e, "Provider produced inconsistent final plan",
            "When expanding the plan for " STR_FMT " to include new values learned so far during apply, provider \"" STR_FMT
            "\" produced an invalid new value for " STR_FMT ".\n\n" BUG_IN_PROVIDER,
            STR_ARG(r->address), STR_ARG(e->provider_address), STR_ARG(change_issue_text(e->arena, STR_EMPTY, &issues.v[i])));
    return !step_failed(e, errors);
}

static bool is_replace(enum change_action action)
{
    return action == ACTION_DELETE_THEN_CREATE || action == ACTION_CREATE_THEN_DELETE;
}

/*
 * Plans again, with the object that exists now. In the creating half of a replacement there is no object, so that a creation is
 * planned, as intended.
 */
static bool plan_again(struct engine *e, const struct resource *r, const struct plan *plan, const struct object *now,
                       struct plan *ret)
{
    if (engine_validate(e, r, &plan->config) != ENGINE_OK ||
        plan_change(e, r, now, &plan->config, &plan->options, ret) != ENGINE_OK)
        return false;
    bool second_half = is_replace(plan->action) && ret->action == ACTION_CREATE;
    return check_again(e, r, plan, ret, second_half ? plan->action : ret->action) && check_known(e, r, &plan->config);
}

static struct step step_of(struct engine *e, const struct resource *r, const struct plan *plan, enum change_action action,
                           const struct object *before)
{
    return (struct step){
        .action = action,
        .before = before->value ? before->value : value_null(e->arena, r->schema->type),
        .planned = plan->planned,
        .private = plan->planned_private,
        .identity = plan->planned_identity,
        .sensitive = plan->after_sensitive,
        .config = &plan->config,
    };
}

/* --- the actions --- */

/* Only the sensitive marks change: the provider need not be called. */
static bool only_marks_differ(const struct plan *plan, const struct object *now)
{
    return now->value && value_equals(now->value, plan->planned) == TRI_TRUE;
}

static bool create_or_update(struct engine *e, const struct resource *r, const struct plan *plan, const struct object *now,
                             struct applied *ret)
{
    struct plan again;
    if (!plan_again(e, r, plan, now, &again))
        return false;
    if (again.action == ACTION_NO_OP)
        return true;
    if (again.action == ACTION_UPDATE && only_marks_differ(&again, now)) {
        ret->object = *now;
        ret->object.sensitive = again.after_sensitive;
        return true;
    }
    ret->called = true;
    struct step step = step_of(e, r, &again, now->value ? ACTION_UPDATE : ACTION_CREATE, now);
    return run_step(e, r, &step, now, &ret->object, &ret->lost);
}

static bool destroy(struct engine *e, const struct resource *r, const struct object *old, struct str private,
                    const struct value *identity, struct object *ret, bool *ret_lost)
{
    struct step step = {
        .action = ACTION_DELETE,
        .before = old->value,
        .planned = value_null(e->arena, r->schema->type),
        .private = private,
        .identity = identity,
    };
    return run_step(e, r, &step, old, ret, ret_lost);
}

/* The first half of a replacement is done; `now` is what exists. */
static bool between(struct engine *e, const struct applied *now)
{
    return !e->between || e->between(e->between_ctx, now);
}

static bool delete_then_create(struct engine *e, const struct resource *r, const struct plan *plan, struct applied *ret)
{
    ret->called = true;
    if (!destroy(e, r, &plan->prior, plan->planned_private, plan->planned_identity, &ret->object, &ret->lost) || !between(e, ret))
        return false;
    struct object nothing = {.create_before_destroy = plan->prior.create_before_destroy, .stored = plan->prior.stored};
    return create_or_update(e, r, plan, &nothing, ret);
}

/* The old object is deposed; it becomes the current one again if no new one was created. */
static bool create_then_delete(struct engine *e, const struct resource *r, const struct plan *plan, struct applied *ret)
{
    struct object nothing = {.create_before_destroy = true, .stored = plan->prior.stored};
    ret->object = nothing;
    if (!create_or_update(e, r, plan, &nothing, ret)) {
        if (ret->object.value)
            ret->deposed = plan->prior;
        else
            ret->object = plan->prior;
        return false;
    }
    struct plan end;
    ret->deposed = plan->prior;
    if (!between(e, ret) || plan_destroy(e, r, &plan->prior, &end) != ENGINE_OK)
        return false;
    return destroy(e, r, &plan->prior, end.planned_private, end.planned_identity, &ret->deposed, &ret->lost);
}

enum engine_status engine_apply(struct engine *e, const struct resource *r, const struct plan *plan, struct applied *ret)
{
    *ret = (struct applied){.object = plan->prior};
    bool ok = true;
    switch (plan->action) {
    case ACTION_NO_OP:
    case ACTION_READ:
        break;
    case ACTION_CREATE:
    case ACTION_UPDATE:
        ok = create_or_update(e, r, plan, &plan->prior, ret);
        break;
    case ACTION_DELETE:
        ret->called = true;
        ok = destroy(e, r, &plan->prior, plan->planned_private, plan->planned_identity, &ret->object, &ret->lost);
        break;
    case ACTION_DELETE_THEN_CREATE:
        ok = delete_then_create(e, r, plan, ret);
        break;
    case ACTION_CREATE_THEN_DELETE:
        ok = create_then_delete(e, r, plan, ret);
        break;
    }
    return ok ? ENGINE_OK : ENGINE_FAILED;
}
