#include "objects/await.h"

#include "managed/object.h"
#include "store/object.h"

struct awaited {
    struct objects *o;
    size_t n, ready;
    struct str late; /* an object that is not ready */
};

static bool is_true(const struct json *object, const char *type, struct managed_condition *ret)
{
    return managed_condition(object, type, ret) && str_eqz(ret->status, "True");
}

static bool is_ready(const struct kind *kind, const struct json *object)
{
    struct managed_condition ready, synced;
    if (kind->role != KIND_MANAGED)
        return true;
    return is_true(object, "Ready", &ready) && is_true(object, "Synced", &synced) && !object_is_being_deleted(object) &&
           synced.observed_generation == managed_generation(object);
}

static bool look_at(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    struct awaited *w = ctx;
    (void)a;
    w->n++;
    if (is_ready(kind, object))
        w->ready++;
    else
        w->late = objects_name(w->o->app->arena, object);
    return true;
}

static void stop_watch(void *watch)
{
    store_watch_stop(watch);
}

static int complain(const struct awaited *w)
{
    (void)diags_fail(&w->o->app->diags, "Not ready in time",
                     "%zu of %zu %s not ready, among them " STR_FMT ". `terrane describe` says why.", w->n - w->ready, w->n,
                     w->n == 1 ? "object is" : "objects are", STR_ARG(w->late));
    return EXIT_NOT_READY;
}

/* Checks the objects, and again after each change. */
static int look_until(struct awaited *w, struct store_watch *watch, int n, const char **words, int64_t deadline)
{
    struct app *app = w->o->app;
    for (;;) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct store_change change;
        w->n = w->ready = 0;
        if (!objects_each_word(w->o, n, words, look_at, w))
            return EXIT_FAILED;
        if (w->ready == w->n)
            return EXIT_OK;
        enum store_result result = store_watch_next(watch, a, deadline, &app->diags, &change);
        if (result == STORE_TIMEOUT)
            return complain(w);
        if (result != STORE_OK)
            return result == STORE_STOPPED && cancel_fired(app->cancel) ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
}

int objects_await(struct objects *o, int n, const char **words, int64_t timeout_ns, size_t *ret_n)
{
    struct app *app = o->app;
    struct awaited w = {.o = o};
    struct store_watch *watch = NULL;
    struct str version;
    const struct store_query nothing = {.group = STR("none.terrane"), .kind = STR("None")}; /* a query for the version only */
    if (store_list(o->store, app->arena, &nothing, NULL, NULL, &app->diags, &version) != STORE_OK ||
        store_watch_open(o->store, &(struct store_query){0}, version, &app->diags, &watch) != STORE_OK)
        return EXIT_FAILED;
    struct cancel_watch on_cancel = {.fn = stop_watch, .arg = watch};
    cancel_watch(app->cancel, &on_cancel);
    int code = look_until(&w, watch, n, words, timeout_ns > 0 ? clock_now(&system_clock) + timeout_ns : NO_DEADLINE);
    cancel_unwatch(app->cancel, &on_cancel);
    store_watch_close(watch);
    *ret_n = w.n;
    return code;
}
