/*
 * Has the provider plan a change and checks it by core's rules: the proposed value, whether the answer is valid, what forces a
 * replacement, and the resulting action.
 */
#include "base/log.h"
#include "engine/call_private.h"
#include "engine/planning_private.h"

/* The inputs of one planning, shared by all steps. */
struct planning {
    struct engine *engine;
    const struct resource *resource;
    const struct resource_config *config;
    const struct plan_options *options;
    const struct object *object; /* as it is now */
    const struct value *prior;   /* its value; null when there is no object or it is tainted: then a new one is planned */
    const struct value *wanted;  /* the configuration after ignore_changes */
};

static const struct schema_block *block_of(const struct planning *p)
{
    return p->resource->schema->block;
}

static enum engine_status ask(const struct planning *p, const struct value *prior, const struct value *config, struct str private,
                              const struct value *identity, bool warnings, struct plan_response *ret)
{
    struct engine *e = p->engine;
    struct plan_request request = {
        .type_name = p->resource->type,
        .prior_state = prior,
        .proposed_new_state = change_proposed_new(e->arena, block_of(p), prior, config),
        .config = config,
        .prior_private = private,
        .provider_meta = engine_meta(e),
        .capabilities = engine_capabilities(),
        .prior_identity = identity,
    };
    struct call c = call_start(e);
    enum provider_status status = provider_plan(e->provider, e->arena, &request, &c.options, &c.found, ret);
    if (!warnings && status == PROVIDER_OK && !diags_has_errors(&c.found))
        diags_init(&c.found, e->arena);
    enum engine_status s = call_finish(&c, "PlanResourceChange", status, p->config);
    if (s != ENGINE_OK)
        return s;
    ret->planned_state = engine_value(e, ret->planned_state, p->resource->schema->type);
    bool fine = engine_check_deferred(e, p->resource, ret->deferred) &&
                engine_check_write_only(e, p->resource, ret->planned_state, "Provider produced invalid plan", "during planning");
    return fine ? ENGINE_OK : ENGINE_FAILED;
}

static void log_tolerated(const struct planning *p, const struct change_issues *issues)
{
    for (size_t i = 0; i < issues->n; i++)
        log_debug(p->engine->log, "tolerated in the plan of a legacy provider", LOG_STR("resource", p->resource->address),
                  LOG_STR("issue", change_path_text(p->engine->arena, issues->v[i].path)));
}

/* Is the provider's plan valid? With the legacy type system every plan is accepted. */
static bool check_plan(const struct planning *p, const struct plan_response *response)
{
    struct engine *e = p->engine;
    struct change_issues issues = {.arena = e->arena};
    if (change_check_plan(&issues, block_of(p), p->prior, p->wanted, response->planned_state))
        return true;
    if (response->legacy_type_system) {
        log_tolerated(p, &issues);
        return true;
    }
    for (size_t i = 0; i < issues.n; i++)
        (void)engine_fail(e, "Provider produced invalid plan",
                          "Provider \"" STR_FMT "\" planned an invalid value for " STR_FMT ".\n\n" BUG_IN_PROVIDER,
                          STR_ARG(e->provider_address), STR_ARG(change_issue_text(e->arena, p->resource->address, &issues.v[i])));
    return false;
}

static bool replace_paths(const struct planning *p, const struct plan_response *response, const struct value *planned,
                          struct change_paths *ret)
{
    struct engine *e = p->engine;
    struct change_issues issues = {.arena = e->arena};
    struct change_paths named = {response->requires_replace, response->n_requires_replace};
    if (change_replace_paths(e->arena, &issues, block_of(p), p->prior, planned, named, ret))
        return true;
    for (size_t i = 0; i < issues.n; i++)
        (void)engine_fail(e, "Provider produced invalid plan",
                          "Provider \"" STR_FMT "\" has indicated \"requires replacement\" on " STR_FMT
                          " for a non-existent attribute path " STR_FMT ".\n\n" BUG_IN_PROVIDER,
                          STR_ARG(e->provider_address), STR_ARG(p->resource->address), STR_ARG(issues.v[i].text));
    return false;
}

static bool path_starts(struct path path, struct path prefix)
{
    return path.n >= prefix.n && path_eq((struct path){path.steps, prefix.n}, prefix);
}

/*
 * Is the value at the path part of something sensitive? False for a key of a map: core restores the map as a whole then, without
 * the map's own mark.
 */
static bool is_part_of_secret(const struct planning *p, struct path path)
{
    return path.steps[path.n - 1].kind != PATH_KEY && marks_cover(p->object->sensitive, path) && value_at(p->prior, path) &&
           value_at(p->config->value, path);
}

/* Where ignore_changes restores the prior value, its sensitive marks are restored too. */
static struct marks ignored_marks(const struct planning *p)
{
    const struct plan_options *o = p->options;
    struct marks old = p->object->sensitive;
    if (value_is_null(p->prior) || o->ignore_all)
        return o->ignore_all ? old : (struct marks){0};
    struct path *kept = arena_make_n(p->engine->arena, struct path, old.n + o->ignore.n);
    size_t n = 0;
    for (size_t j = 0; j < o->ignore.n; j++)
        if (is_part_of_secret(p, o->ignore.v[j]))
            kept[n++] = o->ignore.v[j];
    for (size_t i = 0; i < old.n; i++)
        for (size_t j = 0; j < o->ignore.n; j++)
            if (path_starts(old.paths[i], o->ignore.v[j])) {
                kept[n++] = old.paths[i];
                break;
            }
    return marks_make(p->engine->arena, kept, n);
}

/* Plans a replacement again as a creation, so that the new object gets nothing from the old one. */
static enum engine_status plan_anew(const struct planning *p, struct plan *plan)
{
    struct plan_response response;
    const struct value *nothing = value_null(p->engine->arena, p->resource->schema->type);
    enum engine_status s = ask(p, nothing, p->config->value, plan->planned_private, NULL, false, &response);
    if (s != ENGINE_OK)
        return s;
    plan->planned = response.planned_state;
    plan->planned_private = response.planned_private;
    plan->planned_identity = engine_identity(response.planned_identity);
    plan->after_sensitive = engine_marks(p->engine, p->resource, plan->after_sensitive, plan->planned);
    return ENGINE_OK;
}

/* Makes the plan from the provider's answer, which has passed the checks. */
static enum engine_status decide(const struct planning *p, const struct plan_response *response, const struct value *planned,
                                 struct plan *plan)
{
    struct engine *e = p->engine;
    if (!replace_paths(p, response, planned, &plan->replace_paths))
        return ENGINE_FAILED;
    plan->planned = planned;
    plan->planned_private = response->planned_private;
    plan->planned_identity = engine_identity(response->planned_identity);
    plan->after_sensitive = engine_marks(e, p->resource, ignored_marks(p), planned);
    struct verdict_input in = {
        .schema = block_of(p),
        .prior = p->prior,
        .planned = planned,
        .replace = plan->replace_paths,
        .prior_sensitive = p->object->sensitive,
        .planned_sensitive = plan->after_sensitive,
        .forced = p->options->replace,
        .create_before_destroy = p->options->create_before_destroy,
    };
    struct verdict verdict = change_verdict(&in);
    plan->action = verdict.action;
    plan->reason = verdict.reason;
    if (plan->action == ACTION_NO_OP && value_raw_eq(planned, p->prior))
        plan->planned = p->prior; /* the same pointer, so that it is written once (plan_json.c, plan tokens) */
    if (plan->action == ACTION_DELETE_THEN_CREATE || plan->action == ACTION_CREATE_THEN_DELETE)
        return plan_anew(p, plan);
    if (plan->action == ACTION_CREATE && p->object->value) {
        plan->action = p->options->create_before_destroy ? ACTION_CREATE_THEN_DELETE : ACTION_DELETE_THEN_CREATE;
        plan->reason = "replace_because_tainted";
    }
    return ENGINE_OK;
}

enum engine_status plan_change(struct engine *e, const struct resource *r, const struct object *object,
                               const struct resource_config *config, const struct plan_options *options, struct plan *ret)
{
    bool has_prior = object->value && !object->tainted;
    struct planning p = {
        .engine = e,
        .resource = r,
        .config = config,
        .options = options,
        .object = object,
        .prior = has_prior ? object->value : value_null(e->arena, r->schema->type),
    };
    p.wanted = change_ignore(e->arena, block_of(&p), p.prior, config->value, options->ignore, options->ignore_all);
    struct plan_response response;
    enum engine_status s =
        ask(&p, p.prior, p.wanted, has_prior ? object->private : STR_EMPTY, has_prior ? object->identity : NULL, true, &response);
    if (s != ENGINE_OK)
        return s;
    if (!check_plan(&p, &response))
        return ENGINE_FAILED;
    const struct value *planned = response.planned_state;
    if (response.legacy_type_system)
        planned = change_ignore(e->arena, NULL, p.prior, planned, options->ignore, options->ignore_all);
    struct plan plan = {.prior = *object, .config = *config, .options = *options};
    if (object->value)
        plan.before_sensitive = engine_marks(e, r, object->sensitive, object->value);
    s = decide(&p, &response, planned, &plan);
    if (s == ENGINE_OK)
        *ret = plan;
    return s;
}
