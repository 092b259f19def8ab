/* terrane resource apply and destroy */
#include "cli/ask.h"
#include "cli/progress.h"
#include "cli/resource.h"
#include "state/state_write.h"

#include <unistd.h>

/* Ctrl-C during a call: the provider is asked to stop, and what it then answers is still saved. */

struct interrupt {
    struct lease *lease;
};

static void on_interrupt(void *arg)
{
    static const char text[] = "\n"
                               "Interrupt received. The provider was asked to stop; please wait for its answer, so that what it\n"
                               "did can be saved. A second Ctrl-C exits at once, and what it did is lost.\n";
    const struct interrupt *interrupt = arg;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    lease_stop(interrupt->lease, 0);
}

static enum engine_status apply_plan(struct resource_run *run, const struct plan *plan, struct applied *ret)
{
    struct work *w = &run->work;
    struct request q = resource_request(run);
    q.resource = run->resource;
    struct progress progress;
    struct interrupt interrupt = {&w->lease};
    struct cancel_watch watch = {.fn = on_interrupt, .arg = &interrupt};
    size_t from = w->app->diags.n;
    progress_start(&progress, run->text, plan->action, w->options->json);
    cancel_watch(w->app->cancel, &watch);
    enum engine_status s = request_apply(&q, plan, ret);
    cancel_unwatch(w->app->cancel, &watch);
    progress_end(&progress, s == ENGINE_OK);
    work_locate(w, from, &w->config);
    return s;
}

/* Storing */

/* The old object of a replacement, which could not be destroyed: it stays in the state under a key of its own. */
static bool store_deposed(struct resource_run *run, const struct object *deposed)
{
    if (!deposed->value)
        return true;
    struct state_address address = run->address;
    do
        address.deposed = str_slice(state_new_uuid(run->work.app->arena), 0, STATE_DEPOSED_KEY);
    while (object_in_state(run, &address));
    return resource_store(run, &address, deposed);
}

/*
 * state_file_save has reported where the new state is; this reports the object's id, so that it can be found even without a
 * state.
 */
static bool fail_saved(struct resource_run *run)
{
    const struct state_instance *object = object_in_state(run, &run->address);
    const struct json *id = object && object->attributes ? json_get(object->attributes, "id") : NULL;
    struct str known = id && id->kind == JSON_STRING ? id->text : STR_EMPTY;
    return diags_fail(&run->work.app->diags, "Changes were not saved in the state file",
                      "%s does not have what was done with " STR_FMT "%s" STR_FMT "%s.", work_state_path(&run->work),
                      STR_ARG(run->text), known.n > 0 ? " (id \"" : "", STR_ARG(known), known.n > 0 ? "\")" : "");
}

static bool save(struct resource_run *run)
{
    return state_file_save(run->work.file, &run->work.app->diags) || fail_saved(run);
}

static bool store(struct resource_run *run, const struct planned_step *planned, struct applied *applied)
{
    if (applied->object.value && applied->called)
        applied->object.create_before_destroy = planned->plan.options.create_before_destroy;
    bool ok = resource_store(run, &planned->address, &applied->object);
    ok &= store_deposed(run, &applied->deposed);
    return save(run) && ok;
}

/* Applying */

struct sums {
    size_t added, changed, destroyed;
    bool begun;   /* the provider was asked to change something */
    bool unsaved; /* a result could not be stored */
};

static void count(struct sums *sums, enum change_action action)
{
    bool replaced = action == ACTION_DELETE_THEN_CREATE || action == ACTION_CREATE_THEN_DELETE;
    sums->added += action == ACTION_CREATE || replaced;
    sums->changed += action == ACTION_UPDATE;
    sums->destroyed += action == ACTION_DELETE || replaced;
}

static bool was_interrupted(const struct resource_run *run)
{
    return cancel_fired(run->work.app->cancel);
}

/* The result of the refresh is stored even if there is nothing to do. */
static bool apply_one(struct resource_run *run, const struct planned_step *planned, struct sums *sums)
{
    struct applied applied = {.object = planned->plan.prior};
    enum engine_status s = ENGINE_OK;
    if (planned->plan.action != ACTION_NO_OP) {
        sums->begun = true;
        s = apply_plan(run, &planned->plan, &applied);
    }
    bool stored = store(run, planned, &applied);
    sums->unsaved |= !stored;
    if (s == ENGINE_OK)
        count(sums, planned->plan.action);
    return s == ENGINE_OK && stored;
}

static void tell_interrupt(struct resource_run *run, const struct sums *sums)
{
    struct diags *diags = &run->work.app->diags;
    const char *path = work_state_path(&run->work);
    if (!sums->begun)
        (void)diags_fail(diags, "Interrupted", "Nothing was changed.");
    else if (sums->unsaved)
        (void)diags_fail(diags, "Interrupted", "What was done until then is not in %s.", path);
    else if (sums->added + sums->changed + sums->destroyed > 0)
        (void)diags_fail(diags, "Interrupted", "The change was complete when Ctrl-C came, and is saved in %s.", path);
    else
        (void)diags_fail(diags, "Interrupted",
                         "What the provider had done until then is saved in %s. Run the command again to see what is left to do.",
                         path);
}

static bool apply_all(struct resource_run *run, const struct planned_list *list, struct sums *ret)
{
    *ret = (struct sums){0};
    bool ok = true;
    for (size_t i = 0; i < list->n && ok; i++)
        ok = !was_interrupted(run) && apply_one(run, &list->v[i], ret);
    if (was_interrupted(run))
        tell_interrupt(run, ret);
    else if (!ok && !ret->unsaved)
        diags_warn(&run->work.app->diags, "Not all changes were made",
                   "What exists now is saved in %s. Fix the cause and run the command again.", work_state_path(&run->work));
    return ok;
}

/* The whole command */

static bool print_sums(struct resource_run *run, const struct sums *sums, bool destroy)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    bool colour = run->work.app->color_out;
    buf_printf(&out,
               "\n"
               "%s%s complete! Resources: ",
               colour ? "\033[1;32m" : "", destroy ? "Destroy" : "Apply");
    if (!destroy)
        buf_printf(&out, "%zu added, %zu changed, ", sums->added, sums->changed);
    buf_printf(&out, "%zu destroyed.%s\n", sums->destroyed, colour ? "\033[0m" : "");
    return app_print(run->work.app, buf_str(&out));
}

static void write_state(struct resource_run *run, struct json_writer *j)
{
    const struct state_instance *object = object_in_state(run, &run->address);
    json_key(j, STR("state"));
    if (object)
        state_write_instance(j, object, false);
    else
        json_write_null(j);
}

static bool print_json(struct resource_run *run, const struct planned_list *list)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    work_json_text(&j, "address", run->text);
    json_key(&j, STR("actions"));
    json_write(&j, json_get(list->v[0].json, "actions"));
    write_state(run, &j);
    return work_print_json(&run->work, &j);
}

/* Asks for approval. Without it, *ret_exit is the command's exit code. */
static bool agreed(struct resource_run *run, bool destroy, int *ret_exit)
{
    static const char *const apply_question = "\n"
                                              "Do you want to perform these actions?\n"
                                              "  Terrane will perform the actions described above.\n"
                                              "  Only 'yes' will be accepted to approve.\n";
    static const char *const destroy_question = "\n"
                                                "Do you really want to destroy this object?\n"
                                                "  Terrane will destroy it as shown above. There is no undo.\n"
                                                "  Only 'yes' will be accepted to confirm.\n";
    if (run->options->auto_approve)
        return true;
    switch (ask_yes(run->work.app, destroy ? destroy_question : apply_question)) {
    case ANSWER_YES:
        return true;
    case ANSWER_NO:
        (void)app_print(run->work.app, destroy ? STR("Destroy cancelled.\n") : STR("Apply cancelled.\n"));
        break;
    case ANSWER_INTERRUPTED:
        (void)diags_fail(&run->work.app->diags, "Interrupted", "Nothing was changed.");
        break;
    }
    *ret_exit = EXIT_FAILED;
    return false;
}

static bool may_ask(struct resource_run *run)
{
    if (run->options->auto_approve || (ask_possible() && !run->options->work.json))
        return true;
    return diags_fail(
        &run->work.app->diags, "Approval needed",
        "There is no terminal to ask for approval%s. Check `terrane resource plan` first, then use --auto-approve (-y).",
        run->options->work.json ? ", or --json was given" : "");
}

static int change(struct resource_run *run, bool destroy)
{
    struct planned_list list;
    struct sums sums;
    int exit_code;
    bool json = run->options->work.json;
    if (!resource_open(run) || !resource_plan_all(run, destroy, &list))
        return EXIT_FAILED;
    if (!json && !resource_print_plan(run, &list, destroy)) {
        (void)diags_fail(&run->work.app->diags, "Nothing was changed", "The plan could not be shown, so it was not carried out.");
        return EXIT_FAILED;
    }
    if (list.changes && !agreed(run, destroy, &exit_code))
        return exit_code;
    bool ok = apply_all(run, &list, &sums);
    if (json)
        ok &= print_json(run, &list);
    else if (ok)
        ok = print_sums(run, &sums, destroy);
    return ok ? EXIT_OK : EXIT_FAILED;
}

int verb_apply(struct resource_run *run)
{
    if (!may_ask(run))
        return EXIT_FAILED;
    return work_open_state(&run->work, "OperationTypeApply") ? change(run, false) : EXIT_FAILED;
}

/* The current object or a deposed one. */
static bool has_objects(const struct resource_run *run)
{
    const struct state_resource *r = resource_in_state(run);
    for (size_t i = 0; r && i < r->n; i++)
        if (state_key_eq(r->instances[i].key, run->address.key))
            return true;
    return false;
}

/* Without an object, no provider is needed. */
static int nothing_to_destroy(struct resource_run *run)
{
    struct planned_list none = {0};
    if (!run->options->work.json)
        return resource_print_plan(run, &none, true) ? EXIT_OK : EXIT_FAILED;
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    work_json_text(&j, "address", run->text);
    json_key(&j, STR("actions"));
    json_write_raw(&j, STR("[\"no-op\"]"));
    write_state(run, &j);
    return work_print_json(&run->work, &j) ? EXIT_OK : EXIT_FAILED;
}

int verb_destroy(struct resource_run *run)
{
    if (!may_ask(run))
        return EXIT_FAILED;
    if (!work_open_state(&run->work, "OperationTypeDestroy"))
        return EXIT_FAILED;
    return has_objects(run) ? change(run, true) : nothing_to_destroy(run);
}
