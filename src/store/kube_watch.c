/* A watch of a store may cover several kinds: it has one server watch for each, and one thread waits for all of them. */
#include "base/must.h"
#include "kube/watch.h"
#include "store/kube_private.h"

#include <stdlib.h>

#define ABSENT_PAUSE_NS (5 * NS_PER_S)

struct watch {
    struct store_watch watch; /* the first member */
    struct kube_store *store;
    struct arena *arena;
    struct kube_watch **v;
    bool *absent;         /* for each kind: it was not served when all were listed, and no object of it was seen since */
    size_t n, next;       /* next: the watch to read next, so that all get a turn */
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    bool woken, stopped;
};

static struct watch *watch_of(struct store_watch *w)
{
    return (struct watch *)w;
}

/* Called on the loop's thread. */
static void wake(void *ctx)
{
    struct watch *w = ctx;
    mutex_lock(&w->lock);
    w->woken = true;
    cond_signal(&w->changed);
    mutex_unlock(&w->lock);
}

static enum store_result bad_version(struct diags *diags, struct str version)
{
    (void)diags_fail(diags, "Version no longer known",
                     "\"" STR_FMT "\" is not a version that a list of these kinds had. List, and watch from there.",
                     STR_ARG(version));
    return STORE_EXPIRED;
}

static size_t count_versions(struct str versions)
{
    size_t n = 1;
    for (size_t i = 0; i < versions.n; i++)
        n += versions.p[i] == ',';
    return n;
}

static bool take_place(struct kube_store *s, struct diags *diags)
{
    mutex_lock(&s->lock);
    bool ok = s->n_watches < STORE_MAX_WATCHES;
    s->n_watches += ok;
    mutex_unlock(&s->lock);
    return ok || diags_fail(diags, "Too many watches", "%d watches are open already.", STORE_MAX_WATCHES);
}

static void give_place(struct kube_store *s)
{
    mutex_lock(&s->lock);
    s->n_watches--;
    mutex_unlock(&s->lock);
}

/*
 * The version to start from for a kind that is not served: changes after all other kinds were listed are seen, or the server
 * answers that the version is too old.
 */
static struct str version_of_another(struct str versions)
{
    while (versions.n > 0) {
        struct str one = str_cut(&versions, ',');
        if (!str_eqz(one, KUBE_STORE_NOT_SERVED))
            return one;
    }
    return STR("1");
}

enum store_result kube_store_watch(struct store *store, const struct store_query *query, struct str version, struct diags *diags,
                                   struct store_watch **ret)
{
    struct kube_store *s = kube_store_of(store);
    struct kube_store_kinds kinds = {0};
    if (!take_place(s, diags))
        return STORE_TOO_MANY;
    struct arena *a = arena_new(NULL, 0);
    enum store_result result = kube_store_kinds(s, a, query, diags, &kinds);
    if (result == STORE_NOT_FOUND) /* its definition may be installed later */
        result = STORE_FAILED;
    size_t n_versions = count_versions(version);
    for (struct str rest = version; result == STORE_OK && (rest.n > 0 || version.n == 0);) {
        struct str one = str_cut(&rest, ',');
        if (one.n == 0 || str_eqz(one, "0"))
            result = bad_version(diags, version);
    }
    if (result == STORE_OK && n_versions != 1 && n_versions != kinds.n)
        result = bad_version(diags, version);
    if (result != STORE_OK) {
        arena_free(a);
        give_place(s);
        return result;
    }
    struct watch *w = arena_make(a, struct watch);
    *w = (struct watch){.watch.ops = store->ops, .store = s, .arena = a, .n = kinds.n};
    mutex_init(&w->lock);
    cond_init(&w->changed);
    w->v = arena_make_n(a, struct kube_watch *, kinds.n);
    w->absent = arena_make_n(a, bool, kinds.n);
    struct str another = version_of_another(version);
    for (size_t i = 0; i < kinds.n; i++) {
        struct str own = n_versions == 1 ? version : str_cut(&version, ',');
        w->absent[i] = str_eqz(own, KUBE_STORE_NOT_SERVED);
        struct kube_place at = {&kinds.v[i], query->namespace, STR_EMPTY, NULL};
        w->v[i] = kube_watch_open(
            s->k, &(struct kube_watch_options){.at = &at,
                                               .which.labels = kinds.labels[i].n > 0 ? kinds.labels[i]
                                                                                     : kube_store_selector(a, query->selector),
                                               .max_pause_ns = w->absent[i] ? ABSENT_PAUSE_NS : 0,
                                               .version = w->absent[i] ? another : own,
                                               .wake = wake,
                                               .ctx = w});
    }
    *ret = &w->watch;
    return STORE_OK;
}

/* The server refuses a watch of a kind until it is served. */
static enum kube_watch_state poll_one(struct watch *w, size_t at, struct arena *a, struct diags *diags, struct kube_event *ret,
                                      int64_t *ret_due)
{
    struct diags said;
    diags_init(&said, a);
    enum kube_watch_state state = kube_watch_poll(w->v[at], a, &said, ret, ret_due);
    if (state == KUBE_WATCH_FAILED && w->absent[at])
        return kube_watch_poll(w->v[at], a, diags, ret, ret_due); /* sets `*ret_due` to its next attempt */
    w->absent[at] = w->absent[at] && state == KUBE_WATCH_NOTHING;
    diags_append(diags, &said);
    return state;
}

/* Polls each watch once; true: `*ret_result` is the result. */
static bool look(struct watch *w, struct arena *a, struct diags *diags, struct store_change *ret, enum store_result *ret_result,
                 int64_t *ret_due)
{
    static const enum store_change_kind kinds[] = {
        [KUBE_EVENT_ADDED] = STORE_ADDED, [KUBE_EVENT_MODIFIED] = STORE_MODIFIED, [KUBE_EVENT_DELETED] = STORE_DELETED};
    *ret_due = NO_DEADLINE;
    for (size_t i = 0; i < w->n; i++) {
        size_t at = (w->next + i) % w->n;
        struct kube_event event;
        int64_t due;
        switch (poll_one(w, at, a, diags, &event, &due)) {
        case KUBE_WATCH_EVENT:
            w->next = at + 1;
            *ret = (struct store_change){kinds[event.kind], event.object};
            *ret_result = STORE_OK;
            return true;
        case KUBE_WATCH_EXPIRED:
            *ret_result = STORE_EXPIRED;
            return true;
        case KUBE_WATCH_FAILED:
            w->next = at + 1;
            *ret_result = STORE_FAILED;
            return true;
        case KUBE_WATCH_NOTHING:
            if (due != NO_DEADLINE && (*ret_due == NO_DEADLINE || due < *ret_due))
                *ret_due = due;
        }
    }
    return false;
}

/* Waits until there may be a change; false: the deadline has passed, or the watch was stopped. */
static bool wait(struct watch *w, int64_t due, int64_t deadline)
{
    bool first = due != NO_DEADLINE && (deadline == NO_DEADLINE || due < deadline);
    MUTEX_GUARD(&w->lock);
    while (!w->woken && !w->stopped)
        if (!cond_wait(&w->changed, &w->lock, first ? due : deadline))
            return first && !w->stopped;
    return !w->stopped;
}

enum store_result kube_store_watch_next(struct store_watch *watch, struct arena *a, int64_t deadline, struct diags *diags,
                                        struct store_change *ret)
{
    struct watch *w = watch_of(watch);
    enum store_result result;
    for (;;) {
        mutex_lock(&w->lock);
        w->woken = false; /* changes that come during the poll are read next time */
        bool stopped = w->stopped;
        mutex_unlock(&w->lock);
        if (stopped)
            return STORE_STOPPED;
        int64_t due;
        if (look(w, a, diags, ret, &result, &due))
            return result;
        if (!wait(w, due, deadline)) {
            mutex_lock(&w->lock);
            stopped = w->stopped;
            mutex_unlock(&w->lock);
            return stopped ? STORE_STOPPED : STORE_TIMEOUT;
        }
    }
}

void kube_store_watch_stop(struct store_watch *watch)
{
    struct watch *w = watch_of(watch);
    mutex_lock(&w->lock);
    w->stopped = true;
    cond_broadcast(&w->changed);
    mutex_unlock(&w->lock);
}

void kube_store_watch_close(struct store_watch *watch)
{
    struct watch *w = watch_of(watch);
    for (size_t i = 0; i < w->n; i++)
        kube_watch_close(w->v[i]);
    give_place(w->store);
    cond_destroy(&w->changed);
    mutex_destroy(&w->lock);
    arena_free(w->arena);
}
