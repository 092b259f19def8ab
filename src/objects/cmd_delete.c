/* terrane delete: deletes objects and their external resources. */
#include "manifests/folder.h"
#include "objects/done.h"
#include "store/sqlite.h"

struct deleting {
    struct objects *o;
    struct done done;
    bool ignore_missing;
    bool failed; /* something may still be there that is not being deleted */
    size_t n;
    VEC(const struct json *) waiting; /* objects that still have finalizers */
    VEC(const struct json *) last;    /* Secrets and ConfigMaps of the same files: the others may need them until they are gone */
};

static bool delete_one(struct deleting *d, const struct json *object)
{
    struct objects *o = d->o;
    struct store_key key = object_key(object);
    struct store_preconditions must = {.uid = object_metadata_text(object, "uid")}; /* not an object created in its place */
    const struct json *left = NULL;
    struct diags said;
    diags_init(&said, o->app->arena);
    enum store_result result = store_remove(o->store, o->app->arena, &key, &must, &said, &left);
    if (result == STORE_NOT_FOUND || result == STORE_CONFLICT) /* it is gone already */
        return true;
    if (result != STORE_OK) {
        d->failed = true;
        diags_append(&o->app->diags, &said);
        return false;
    }
    d->n++;
    if (object_is_being_deleted(left) && object_n_finalizers(left) > 0)
        *VEC_PUSH(o->app->arena, &d->waiting) = left;
    return done_add(&d->done, object, "deleted");
}

/* ---- which objects ---- */

/* Collects only keys, so that the list is of one moment and not held up by deletions. */
static bool collect(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a, (void)kind;
    struct deleting *d = ctx;
    struct arena *keep = d->o->app->arena;
    struct store_key key = object_key(object);
    struct json_member metadata[] = {
        {.key = STR("name"), .value = json_make_string(keep, arena_str(keep, key.name))},
        {.key = STR("namespace"), .value = json_make_string(keep, arena_str(keep, key.namespace))},
        {.key = STR("uid"), .value = json_make_string(keep, arena_str(keep, object_metadata_text(object, "uid")))}};
    struct json_member whole[] = {
        {.key = STR("apiVersion"),
         .value = json_make_string(keep, arena_str(keep, json_text(json_get(object, "apiVersion"), STR_EMPTY)))},
        {.key = STR("kind"), .value = json_make_string(keep, arena_str(keep, key.kind))},
        {.key = STR("metadata"), .value = json_make_object(keep, metadata, 3)}};
    *VEC_PUSH(keep, &d->waiting) = json_make_object(keep, whole, 3);
    return true;
}

static bool delete_selected(struct deleting *d, const struct objects_meant *meant)
{
    bool ok = objects_each(d->o, meant, collect, d);
    const struct json **found = d->waiting.v;
    size_t n = d->waiting.n;
    d->waiting.v = NULL;
    d->waiting.n = d->waiting.cap = 0;
    for (size_t i = 0; ok && i < n; i++)
        ok = delete_one(d, found[i]);
    return ok;
}

static bool delete_words(struct deleting *d, int n, const char **words, bool all)
{
    bool ok = true;
    for (size_t at = 0, used = 0; at < (size_t)n; at += used) {
        struct objects_meant meant;
        if (!objects_understand(d->o, words + at, (size_t)n - at, &meant, &used))
            return false;
        if (meant.n_names == 0 && !all && !d->o->selected)
            return diags_fail(&d->o->app->diags, "Name is missing",
                              "Say which objects to delete: a name, -l SELECTOR, or --all for all of the kind.");
        if (meant.n_names == 0)
            ok = delete_selected(d, &meant) && ok;
        for (size_t i = 0; i < meant.n_names; i++) {
            const struct kind *kind = NULL;
            const struct json *object = objects_get(d->o, &meant, meant.names[i], d->ignore_missing, &kind);
            ok = (object ? delete_one(d, object) : d->ignore_missing) && ok;
        }
    }
    return ok;
}

/* The namespace for a manifest without one. */
static struct str namespace_of(struct deleting *d, const struct manifest *m)
{
    const struct kind *kind = kinds_find(d->o->kinds, m->key.group, m->key.kind);
    if (m->key.namespace.n > 0 || !kind)
        return m->key.namespace;
    return objects_namespace(d->o, kind);
}

static bool delete_manifest(struct deleting *d, const struct manifest *m)
{
    struct store_key key = m->key;
    struct diags said;
    const struct json *object = NULL;
    key.namespace = namespace_of(d, m);
    diags_init(&said, d->o->app->arena);
    enum store_result result = store_get(d->o->store, d->o->app->arena, &key, &said, &object);
    if (result == STORE_OK && objects_role(d->o->kinds, &key) == KIND_PLAIN) {
        *VEC_PUSH(d->o->app->arena, &d->last) = object;
        return true;
    }
    if (result == STORE_OK)
        return delete_one(d, object);
    if (result == STORE_NOT_FOUND && d->ignore_missing)
        return true;
    d->failed |= result != STORE_NOT_FOUND;
    diags_append(&d->o->app->diags, &said);
    return false;
}

static bool delete_file(struct deleting *d, const char *path)
{
    struct app *app = d->o->app;
    struct folder *folder = folder_open(path, NULL, 0, &app->diags);
    struct folder_files files = {0};
    bool ok = folder && folder_scan(folder, &app->diags, &files);
    for (size_t i = 0; i < files.n; i++) {
        diags_append(&app->diags, &files.v[i]->diags);
        ok = ok && !files.v[i]->broken;
    }
    for (size_t i = 0, n = ok ? files.n : 0; i < n; i++) /* all files are valid: now delete */
        for (size_t k = 0; k < files.v[i]->manifests.n; k++)
            ok = delete_manifest(d, &files.v[i]->manifests.v[k]) && ok;
    folder_free(folder);
    return ok;
}

/* ---- waiting ---- */

static void stop_watch(void *watch)
{
    store_watch_stop(watch);
}

/* Removes an object that is gone from the list of those that are waited for. */
static void strike(struct deleting *d, const struct store_change *change)
{
    struct str uid = object_metadata_text(change->object, "uid");
    for (size_t i = 0; change->kind == STORE_DELETED && i < d->waiting.n; i++)
        if (str_eq(uid, object_metadata_text(d->waiting.v[i], "uid")))
            d->waiting.v[i--] = d->waiting.v[--d->waiting.n];
}

static bool wait_for_changes(struct deleting *d, struct store_watch *watch, int64_t deadline)
{
    struct app *app = d->o->app;
    struct cancel_watch on_cancel = {.fn = stop_watch, .arg = watch};
    enum store_result result = STORE_OK;
    cancel_watch(app->cancel, &on_cancel);
    while (d->waiting.n > 0 && result == STORE_OK) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct store_change change;
        result = store_watch_next(watch, a, deadline, &app->diags, &change);
        if (result == STORE_OK)
            strike(d, &change);
    }
    cancel_unwatch(app->cancel, &on_cancel);
    if (result != STORE_TIMEOUT)
        return result == STORE_OK;
    struct str name = objects_name(app->arena, d->waiting.v[0]);
    return diags_fail(&app->diags, "Not deleted in time",
                      "%zu %s still being deleted%s " STR_FMT ". `terrane describe` says why.", d->waiting.n,
                      d->waiting.n == 1 ? "object is" : "objects are", d->waiting.n == 1 ? ":" : ", among them", STR_ARG(name));
}

/* Watches from the version at which the first object was marked, so that nothing is missed. */
static bool wait_until_gone(struct deleting *d, int64_t timeout_ns)
{
    struct store_watch *watch = NULL;
    struct str version = object_metadata_text(d->waiting.v[0], "resourceVersion");
    if (store_watch_open(d->o->store, &(struct store_query){0}, version, &d->o->app->diags, &watch) != STORE_OK)
        return false;
    bool ok = wait_for_changes(d, watch, timeout_ns > 0 ? clock_now(&system_clock) + timeout_ns : NO_DEADLINE);
    store_watch_close(watch);
    return ok;
}

/* If nobody reconciles, waiting is useless, unless a timeout is given. */
static bool finish(struct deleting *d, bool wait, int64_t timeout_ns)
{
    if (d->waiting.n == 0 || !wait)
        return true;
    if (timeout_ns > 0 || store_sqlite_is_reconciled(d->o->folder))
        return wait_until_gone(d, timeout_ns);
    app_say(d->o->app, "%zu %s marked for deletion. No `terrane up` is running: the next one deletes %s.\n", d->waiting.n,
            d->waiting.n == 1 ? "object is" : "objects are",
            d->waiting.n == 1 ? "its external resource" : "their external resources");
    return true;
}

/* What the others may have needed, now that they are gone. */
static bool delete_last(struct deleting *d)
{
    bool ok = true;
    for (size_t i = 0; i < d->last.n; i++) {
        struct str name = objects_name(d->o->app->arena, d->last.v[i]);
        if (d->waiting.n == 0 && !d->failed)
            ok = delete_one(d, d->last.v[i]) && ok;
        else
            app_say(d->o->app, STR_FMT " stays: objects that are not gone yet may need it. Delete it when they are gone.\n",
                    STR_ARG(name));
    }
    return ok;
}

/* ---- the command ---- */

static int run_delete(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct objects_options o = {0};
    const char *file = NULL;
    bool wait = true, all = false;
    int64_t timeout_ns = 0;
    struct objects objects;
    struct deleting d = {.o = &objects, .done.o = &objects};
    const struct option options[] = {
        {"filename", 'f', OPTION_TEXT, &file, "FILE",
         "the objects of these manifests: a file, a folder, or - for standard input"},
        {"all", 0, OPTION_FLAG, &all, NULL, "all objects of the kind"},
        OBJECTS_OPTION_SELECTOR(&o),
        OBJECTS_OPTION_NAMESPACE(&o),
        OBJECTS_OPTION_EVERYWHERE(&o),
        {"wait", 0, OPTION_FLAG, &wait, NULL,
         "wait until they are gone (default where `terrane up` runs); --wait=false: only mark them"},
        {"timeout", 0, OPTION_DURATION, &timeout_ns, "TIME", "how long to wait (default: no limit)"},
        {"ignore-not-found", 0, OPTION_FLAG, &d.ignore_missing, NULL, "an object that does not exist is not an error"},
        DONE_OPTION_JSON(&d.done),
        OBJECTS_OPTION_DATA(&o),
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if ((n == 0) == (file == NULL))
        return app_usage(app, self, "Say what to delete: terrane delete bucket logs, or terrane delete -f FILE.");
    bool opened = objects_open(&objects, app, &o), ok = opened && (file ? delete_file(&d, file) : delete_words(&d, n, argv, all));
    if (ok && d.n == 0 && d.last.n == 0)
        app_say(app, "No objects found.\n");
    ok = opened && finish(&d, wait, timeout_ns) && ok;
    ok = opened && delete_last(&d) && ok;
    ok = opened && done_end(&d.done) && ok;
    objects_close(&objects);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct command command_delete = {
    .name = "delete",
    .usage = "(KIND[.GROUP] NAME... | KIND/NAME... | -f FILE) [options]",
    .summary = "delete objects and their external resources",
    .details =
        "`terrane up` deletes the external resource (unless deletionPolicy or managementPolicies say otherwise), and then the\n"
        "object. An object whose manifest is still in a folder that `terrane up` watches is created again when that file "
        "changes\n"
        "or `terrane up` starts.",
    .example = "  terrane delete bucket logs -n shop --timeout 5m\n"
               "  terrane delete -f manifests/ --wait=false",
    .run = run_delete,
    .complete = objects_complete,
};
