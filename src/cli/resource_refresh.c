/* terrane resource refresh: updates the state to what the object is now. */
#include "cli/progress.h"
#include "cli/resource.h"
#include "state/state_write.h"

static bool no_object(struct resource_run *run)
{
    return diags_fail(&run->work.app->diags, "No such object",
                      "There is no " STR_FMT
                      " in %s. `terrane resource apply` creates it; `terrane resource import` adds an existing object.",
                      STR_ARG(run->text), work_state_path(&run->work));
}

static bool look(struct resource_run *run, struct object *ret_old, struct object *ret_new)
{
    struct work *w = &run->work;
    struct request q = resource_request(run);
    struct progress progress;
    progress_start(&progress, run->text, ACTION_READ, run->work.options->json);
    enum engine_status s = request_refresh(&q, object_in_state(run, &run->address), ret_old, ret_new);
    progress_end(&progress, s == ENGINE_OK);
    return work_judge(w, s);
}

/* The difference as a plan, although it is only a report. */
static struct plan drift(struct resource_run *run, const struct object *old, const struct object *new)
{
    struct arena *a = run->work.app->arena;
    struct plan plan = {
        .prior = *old,
        .planned = new->value ? new->value : value_null(a, run->resource.schema->type),
        .before_sensitive = marks_union(a, old->sensitive, change_sensitive(a, run->resource.schema->block, old->value)),
    };
    if (new->value)
        plan.after_sensitive = marks_union(a, new->sensitive, change_sensitive(a, run->resource.schema->block, new->value));
    if (!new->value)
        plan.action = ACTION_DELETE;
    else
        plan.action = value_raw_eq(old->value, new->value) ? ACTION_NO_OP : ACTION_UPDATE;
    return plan;
}

static bool print_text(struct resource_run *run, const struct plan *plan, const struct json *json)
{
    struct text_style style = work_style(&run->work);
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_change c = {
        .object = resource_text_object(run, &run->address),
        .action = plan->action,
        .drift = true,
        .change = json,
    };
    if (plan->action == ACTION_NO_OP)
        buf_printf(&out, "No changes. " STR_FMT " is unchanged.\n", STR_ARG(run->text));
    change_text(&out, &c, &style);
    if (plan->action != ACTION_NO_OP)
        buf_printf(&out, "\n%s was updated.\n", work_state_path(&run->work));
    return app_print(run->work.app, buf_str(&out));
}

static void write_member(struct json_writer *j, const struct json *of, const char *name)
{
    json_key(j, str_of(name));
    if (of)
        json_write(j, json_get(of, name));
    else
        json_write_null(j);
}

/* `json` NULL: there was no object before, and there is none now. */
static bool print_json(struct resource_run *run, const struct plan *plan, const struct json *json)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    work_json_text(&j, "address", run->text);
    json_key(&j, STR("changed"));
    json_write_bool(&j, plan->action != ACTION_NO_OP);
    write_member(&j, json, "before");
    write_member(&j, json, "after");
    const struct state_instance *object = object_in_state(run, &run->address);
    json_key(&j, STR("state"));
    if (object)
        state_write_instance(&j, object, false);
    else
        json_write_null(&j);
    return work_print_json(&run->work, &j);
}

static bool refresh(struct resource_run *run)
{
    struct object old = {0}, new = {0};
    if (!look(run, &old, &new))
        return false;
    if (!old.value)
        return no_object(run);
    struct plan plan = drift(run, &old, &new);
    const struct json *json = work_plan_json(&run->work, &run->resource, &plan);
    return json && resource_store(run, &run->address, &new) && state_file_save(run->work.file, &run->work.app->diags) &&
           (run->options->work.json ? print_json(run, &plan, json) : print_text(run, &plan, json));
}

/* A failed creation can leave an entry without an object in the state; core drops it on a refresh. */
static bool drop_entry(struct resource_run *run)
{
    struct work *w = &run->work;
    static const struct plan gone = {.action = ACTION_DELETE};
    if (!resource_store(run, &run->address, &(struct object){0}) || !state_file_save(w->file, &w->app->diags))
        return false;
    if (run->options->work.json)
        return print_json(run, &gone, NULL);
    return app_print(w->app, arena_printf(w->app->arena, STR_FMT " has no object. Its entry was removed from %s.\n",
                                          STR_ARG(run->text), work_state_path(w)));
}

int verb_refresh(struct resource_run *run)
{
    if (!work_open_state(&run->work, "OperationTypeRefresh"))
        return EXIT_FAILED;
    if (!run->work.state || !state_find(run->work.state, &run->address)) {
        (void)no_object(run);
        return EXIT_FAILED;
    }
    if (!object_in_state(run, &run->address))
        return drop_entry(run) ? EXIT_OK : EXIT_FAILED;
    return resource_open(run) && refresh(run) ? EXIT_OK : EXIT_FAILED;
}
