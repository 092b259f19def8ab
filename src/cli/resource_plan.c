/* terrane resource plan */
#include "base/vec.h"
#include "cli/progress.h"
#include "cli/resource.h"

/* The wanted state, from the options */

static bool read_ignored(struct resource_run *run, struct wanted *wanted)
{
    const struct option_texts *texts = &run->options->ignore;
    struct arena *a = run->work.app->arena;
    const struct json **paths = arena_make_n(a, const struct json *, texts->n);
    size_t n = 0;
    for (size_t i = 0; i < texts->n; i++) {
        if (strcmp(texts->v[i], "all") == 0) {
            wanted->ignore_all = true;
            continue;
        }
        paths[n] = ignore_path_parse(a, str_of(texts->v[i]));
        if (!paths[n++])
            return diags_fail(&run->work.app->diags, "Invalid path",
                              "--ignore-changes: \"%s\" is not a valid path; expected a path such as tags, tags[\"Name\"] or "
                              "rule[0].port, or \"all\" for everything.",
                              texts->v[i]);
    }
    wanted->ignore = json_make_array(a, paths, n);
    return true;
}

static bool read_wanted(struct resource_run *run, struct wanted *ret)
{
    const struct resource_options *o = run->options;
    *ret = (struct wanted){
        .config = work_config(&run->work),
        .ignore_brackets = true,
        .replace = o->replace,
        .create_before_destroy = o->create_before_destroy,
        .no_refresh = o->no_refresh,
    };
    return read_ignored(run, ret);
}

/* Planning */

static bool plan_one(struct resource_run *run, const struct state_address *address, const struct wanted *wanted,
                     struct planned_step *ret)
{
    struct work *w = &run->work;
    struct request q = resource_request(run);
    *ret = (struct planned_step){.address = *address};
    size_t from = w->app->diags.n;
    enum engine_status s = request_plan(&q, object_in_state(run, address), wanted, &ret->plan);
    work_locate(w, from, &w->config);
    if (!work_judge(w, s))
        return false;
    ret->json = work_plan_json(w, &run->resource, &ret->plan);
    return ret->json != NULL;
}

/* Keys of this instance's deposed objects, which are destroyed in any case. */
static struct option_texts deposed_keys(struct resource_run *run)
{
    struct option_texts keys = {0};
    const struct state_resource *r = resource_in_state(run);
    for (size_t i = 0; r && i < r->n; i++)
        if (r->instances[i].deposed.n > 0 && state_key_eq(r->instances[i].key, run->address.key))
            *VEC_PUSH(run->work.app->arena, &keys) = arena_str(run->work.app->arena, r->instances[i].deposed).p;
    return keys;
}

static bool plan_deposed(struct resource_run *run, struct planned_list *list)
{
    struct option_texts keys = deposed_keys(run);
    struct planned_step *v = arena_make_n(run->work.app->arena, struct planned_step, keys.n + 1);
    v[0] = list->v[0];
    list->v = v;
    struct wanted nothing = {.no_refresh = run->options->no_refresh};
    for (size_t i = 0; i < keys.n; i++) {
        struct state_address address = run->address;
        address.deposed = str_of(keys.v[i]);
        if (!plan_one(run, &address, &nothing, &list->v[list->n]))
            return false;
        list->n++;
    }
    return true;
}

static bool make_plans(struct resource_run *run, bool destroy, struct planned_list *list)
{
    struct wanted wanted = {.no_refresh = run->options->no_refresh};
    struct planned_step *current = arena_make(run->work.app->arena, struct planned_step);
    if ((!destroy && !read_wanted(run, &wanted)) || !plan_one(run, &run->address, &wanted, current))
        return false;
    *list = (struct planned_list){.v = current, .n = 1};
    return plan_deposed(run, list);
}

bool resource_plan_all(struct resource_run *run, bool destroy, struct planned_list *ret)
{
    struct progress progress;
    progress_start(&progress, run->text, ACTION_READ, run->work.options->json);
    struct planned_list list = {0};
    bool ok = make_plans(run, destroy, &list);
    progress_end(&progress, ok);
    for (size_t i = 0; ok && i < list.n; i++)
        list.changes |= list.v[i].plan.action != ACTION_NO_OP;
    if (ok)
        *ret = list;
    return ok;
}

/* Output */

bool resource_print_plan(struct resource_run *run, const struct planned_list *list, bool destroy)
{
    struct text_change *changes = arena_make_n(run->work.app->arena, struct text_change, list->n);
    for (size_t i = 0; i < list->n; i++)
        changes[i] = (struct text_change){
            .object = resource_text_object(run, &list->v[i].address),
            .action = list->v[i].plan.action,
            .reason = list->v[i].plan.reason,
            .change = list->v[i].json,
        };
    struct text_style style = work_style(&run->work);
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    plan_text(&out, changes, list->n, destroy ? TEXT_PLAN_DESTROY : TEXT_PLAN_NORMAL, &style);
    return app_print(run->work.app, buf_str(&out));
}

static void write_members(struct json_writer *j, const struct json *object)
{
    for (size_t i = 0; i < object->object.n; i++) {
        json_key(j, object->object.members[i].key);
        json_write(j, object->object.members[i].value);
    }
}

/* Writes the members of the answer: address, the current object's plan, and the `deposed` plans if there are any. */
static void write_plan(struct resource_run *run, struct json_writer *j, const struct planned_list *list)
{
    work_json_text(j, "address", run->text);
    write_members(j, list->v[0].json);
    if (list->n == 1)
        return;
    json_key(j, STR("deposed"));
    json_begin_array(j);
    for (size_t i = 1; i < list->n; i++) {
        json_begin_object(j);
        work_json_text(j, "key", list->v[i].address.deposed);
        write_members(j, list->v[i].json);
        json_end_object(j);
    }
    json_end_array(j);
}

static bool print(struct resource_run *run, const struct planned_list *list)
{
    if (!run->options->work.json)
        return resource_print_plan(run, list, false);
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    write_plan(run, &j, list);
    return work_print_json(&run->work, &j);
}

/* A plan works without the lock; but the user is told if it cannot be had. */
static bool open_state(struct resource_run *run)
{
    struct work *w = &run->work;
    if (run->options->no_lock)
        return work_look_at_state(w);
    if (work_open_state(w, "OperationTypePlan"))
        return true;
    struct diag *last = &w->app->diags.v[w->app->diags.n - 1];
    if (str_eqz(last->summary, "Error acquiring the state lock"))
        last->detail = arena_printf(w->app->arena, STR_FMT "\nUse --no-lock to plan without the lock.", STR_ARG(last->detail));
    return false;
}

int verb_plan(struct resource_run *run)
{
    struct planned_list list;
    if (!open_state(run) || !resource_open(run) || !resource_plan_all(run, false, &list) || !print(run, &list))
        return EXIT_FAILED;
    return run->options->detailed_exitcode && list.changes ? EXIT_CHANGES : EXIT_OK;
}
