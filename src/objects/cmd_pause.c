/* terrane pause, terrane resume: stops and resumes the reconciliation of objects. */
#include "managed/object.h"
#include "objects/done.h"
#include "store/change.h"

static const struct json *paused(void *ctx, struct arena *a, const struct json *object)
{
    const bool *pause = ctx;
    return *pause ? managed_annotate(a, object, MANAGED_PAUSED, STR("true")) : managed_unannotate(a, object, MANAGED_PAUSED);
}

struct pausing {
    struct done done;
    bool pause;
};

static bool pause_one(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a;
    struct pausing *p = ctx;
    struct objects *o = p->done.o;
    struct str name = objects_name(o->app->arena, object);
    struct store_key key = object_key(object);
    bool changed = false;
    if (kind->role != KIND_MANAGED)
        return diags_fail(&o->app->diags, "Not a managed resource",
                          STR_FMT " cannot be paused: only managed resources are reconciled.", STR_ARG(name));
    if (!change_object(o->store, o->app->arena, &key, paused, &p->pause, &o->app->diags, &changed))
        return false;
    if (p->pause)
        return done_add(&p->done, object, changed ? "paused" : "already paused");
    return done_add(&p->done, object, changed ? "resumed" : "not paused");
}

static int run(struct app *app, const struct command *self, int argc, const char **argv, bool pause)
{
    struct objects_options o = {0};
    struct objects objects;
    struct pausing p = {.done.o = &objects, .pause = pause};
    const struct option options[] = {
        OBJECTS_OPTION_NAMESPACE(&o), OBJECTS_OPTION_EVERYWHERE(&o), OBJECTS_OPTION_SELECTOR(&o),
        DONE_OPTION_JSON(&p.done),    OBJECTS_OPTION_DATA(&o),       {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0)
        return app_usage(app, self, "Say which objects: terrane %s bucket logs, terrane %s all -A.", self->name, self->name);
    bool opened = objects_open(&objects, app, &o), ok = opened && objects_each_word(&objects, n, argv, pause_one, &p);
    ok = opened && done_end(&p.done) && ok;
    objects_close(&objects);
    return ok ? EXIT_OK : EXIT_FAILED;
}

static int run_pause(struct app *app, const struct command *self, int argc, const char **argv)
{
    return run(app, self, argc, argv, true);
}

static int run_resume(struct app *app, const struct command *self, int argc, const char **argv)
{
    return run(app, self, argc, argv, false);
}

const struct command command_pause = {
    .name = "pause",
    .usage = "KIND[.GROUP]|all [NAME...] [options]",
    .summary = "stop reconciling managed resources until they are resumed",
    .details = "Nothing is observed or changed for an object with the annotation crossplane.io/paused: \"true\", which this "
               "command sets.",
    .example = "  terrane pause bucket logs -n shop\n"
               "  terrane pause all -l app=web",
    .run = run_pause,
    .complete = objects_complete,
};

const struct command command_resume = {
    .name = "resume",
    .usage = "KIND[.GROUP]|all [NAME...] [options]",
    .summary = "reconcile paused managed resources again",
    .details = "Removes the annotation crossplane.io/paused. If the manifest sets it, change the manifest.",
    .example = "  terrane resume bucket logs -n shop\n"
               "  terrane resume all -A",
    .run = run_resume,
    .complete = objects_complete,
};
