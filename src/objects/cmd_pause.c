/* terrane pause, terrane resume: an object is left alone, and no longer. */
#include "managed/object.h"
#include "objects/change.h"

static const struct json *paused(void *ctx, struct arena *a, const struct json *object)
{
    const bool *pause = ctx;
    return *pause ? managed_annotate(a, object, MANAGED_PAUSED, STR("true")) : managed_unannotate(a, object, MANAGED_PAUSED);
}

struct pausing {
    struct objects *o;
    bool pause, failed;
    size_t n;
};

static bool pause_one(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a;
    struct pausing *p = ctx;
    struct objects *o = p->o;
    struct str name = objects_name(o->app->arena, object);
    struct store_key key = object_key(object);
    bool changed = false;
    p->n++;
    if (kind->role != KIND_MANAGED) {
        p->failed = true;
        return diags_fail(&o->app->diags, "Not a managed resource",
                          STR_FMT " cannot be paused: only managed resources are reconciled.", STR_ARG(name));
    }
    if (!change_object(o->store, o->app->arena, &key, paused, &p->pause, &o->app->diags, &changed)) {
        p->failed = true;
        return false;
    }
    struct str text = arena_printf(o->app->arena, STR_FMT " %s%s\n", STR_ARG(name), changed ? "" : "was ",
                                   p->pause  ? "paused"
                                   : changed ? "resumed"
                                             : "not paused");
    return app_print(o->app, text);
}

static bool run_words(struct objects *o, int n, const char **words, bool pause)
{
    struct pausing p = {.o = o, .pause = pause};
    bool ok = true;
    for (size_t at = 0, used = 0; at < (size_t)n; at += used) {
        struct objects_meant meant;
        if (!objects_understand(o, words + at, (size_t)n - at, &meant, &used))
            return false;
        if (meant.n_names == 0)
            ok = objects_each(o, &meant, pause_one, &p) && !p.failed && ok;
        for (size_t i = 0; i < meant.n_names; i++) {
            const struct kind *kind = NULL;
            const struct json *object = objects_get(o, &meant, meant.names[i], false, &kind);
            ok = object && pause_one(&p, NULL, kind, object) && ok;
        }
    }
    if (ok && p.n == 0)
        app_say(o->app, "No objects found.\n");
    return ok;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv, bool pause)
{
    struct objects_options o = {0};
    const struct option options[] = {
        OBJECTS_OPTION_NAMESPACE(&o), OBJECTS_OPTION_EVERYWHERE(&o), OBJECTS_OPTION_SELECTOR(&o), OBJECTS_OPTION_DATA(&o), {0},
    };
    struct objects objects;
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0)
        return app_usage(app, self, "Say which objects: terrane %s bucket logs, terrane %s all -A.", self->name, self->name);
    bool ok = objects_open(&objects, app, &o) && run_words(&objects, n, argv, pause);
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
    .summary = "leaves managed resources alone until they are resumed",
    .details = "Nothing is looked at or changed for an object with the annotation crossplane.io/paused: \"true\", which this "
               "command sets.",
    .example = "  terrane pause bucket logs -n shop\n"
               "  terrane pause all -l app=web",
    .run = run_pause,
};

const struct command command_resume = {
    .name = "resume",
    .usage = "KIND[.GROUP]|all [NAME...] [options]",
    .summary = "the end of a pause",
    .details = "Takes the annotation crossplane.io/paused away. Where the manifest has it, change the manifest.",
    .example = "  terrane resume bucket logs -n shop\n"
               "  terrane resume all -A",
    .run = run_resume,
};
