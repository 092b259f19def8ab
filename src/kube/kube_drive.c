/*
 * The client for tests in other languages: requests as JSON lines on stdin, an answer for each on stdout. Not installed.
 *
 *     {"do": "get" | "create" | "replace" | "apply" | "merge" | "delete" | "list", "group", "kind", "namespace", "name",
 *      "subresource", "object", "manager", "force", "uid", "version"}
 *     {"do": "crd", "object": {...}, "manager": "terrane", "take_over": false}
 *     {"do": "watch", "group", "kind", "namespace", "version", "count": 20} opens 20 watches in place of any before
 *     {"do": "next", "count": 3}          waits for 3 changes of each, as strings "ADDED NAME VERSION"
 *     {"do": "lead", "namespace", "name", "identity", "seconds"} waits until it leads; {"do": "leads"}; {"do": "resign"}
 *
 * usage: kube_drive [KUBECONFIG [CONTEXT]]
 */
#include "base/lock.h"
#include "base/vec.h"
#include "kube/crd.h"
#include "kube/discovery.h"
#include "kube/election.h"
#include "kube/list.h"
#include "kube/objects.h"
#include "kube/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_ANSWER = 64 << 20, PATIENCE_S = 120, MAX_WATCHES = 256 };

static const char *const results[] = {
    [KUBE_OK] = "ok",
    [KUBE_NOT_FOUND] = "not found",
    [KUBE_EXISTS] = "exists",
    [KUBE_CONFLICT] = "conflict",
    [KUBE_INVALID] = "invalid",
    [KUBE_TOO_LARGE] = "too large",
    [KUBE_GONE] = "gone",
    [KUBE_FORBIDDEN] = "forbidden",
    [KUBE_UNKNOWN] = "unknown",
    [KUBE_UNAUTHORIZED] = "unauthorized",
    [KUBE_CANCELLED] = "cancelled",
    [KUBE_UNAVAILABLE] = "unavailable",
};

struct driven {
    struct kube *k;
    struct kube_discovery *discovery;
    struct kube_election *election;
    struct kube_watch *watches[MAX_WATCHES];
    size_t n_watches;
    pthread_mutex_t lock; /* of the flag */
    pthread_cond_t changed;
    bool woken;
};

static struct str member(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static bool count(void *ctx, struct arena *a, const struct json *object)
{
    (void)a, (void)object;
    ++*(int64_t *)ctx;
    return true;
}

static enum kube_result list(struct driven *d, struct arena *a, const struct kube_place *at, struct diags *diags,
                             const struct json **ret)
{
    int64_t n = 0;
    struct str version = STR_EMPTY;
    enum kube_result result = kube_list(d->k, a, at, NULL, count, &n, diags, &version);
    *ret = json_make_number(a, arena_printf(a, "%lld", (long long)n));
    return result;
}

static void wake(void *ctx)
{
    struct driven *d = ctx;
    mutex_lock(&d->lock);
    d->woken = true;
    cond_signal(&d->changed);
    mutex_unlock(&d->lock);
}

static void close_watches(struct driven *d)
{
    while (d->n_watches > 0)
        kube_watch_close(d->watches[--d->n_watches]);
}

static enum kube_result open_watches(struct driven *d, const struct kube_place *at, const struct json *request)
{
    int64_t n = json_int(json_get(request, "count"), 1);
    struct kube_watch_options options = {.at = at, .version = member(request, "version"), .wake = wake, .ctx = d};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct kube_event event;
    int64_t due;
    close_watches(d);
    diags_init(&diags, a);
    for (; n > 0 && d->n_watches < MAX_WATCHES; n--) {
        d->watches[d->n_watches] = kube_watch_open(d->k, &options);
        (void)kube_watch_poll(d->watches[d->n_watches++], a, &diags, &event, &due); /* connects */
    }
    return KUBE_OK;
}

/* The next change of one; NULL: none in time, or the watch has ended. */
static const struct json *next_of(struct driven *d, struct kube_watch *w, struct arena *a, int64_t deadline, struct diags *diags)
{
    static const char *const kinds[] = {
        [KUBE_EVENT_ADDED] = "ADDED", [KUBE_EVENT_MODIFIED] = "MODIFIED", [KUBE_EVENT_DELETED] = "DELETED"};
    for (;;) {
        struct kube_event event;
        int64_t due;
        mutex_lock(&d->lock);
        d->woken = false;
        mutex_unlock(&d->lock);
        switch (kube_watch_poll(w, a, diags, &event, &due)) {
        case KUBE_WATCH_EVENT:
            return json_make_string(a, arena_printf(a, "%s " STR_FMT " " STR_FMT, kinds[event.kind],
                                                    STR_ARG(kube_metadata(event.object, "name")), STR_ARG(event.version)));
        case KUBE_WATCH_NOTHING:
            break;
        default:
            return NULL;
        }
        if (clock_now(&system_clock) >= deadline)
            return NULL;
        mutex_lock(&d->lock);
        if (!d->woken)
            (void)cond_wait(&d->changed, &d->lock, due != NO_DEADLINE && due < deadline ? due : deadline);
        mutex_unlock(&d->lock);
    }
}

static enum kube_result next(struct driven *d, struct arena *a, const struct json *request, struct diags *diags,
                             const struct json **ret)
{
    int64_t n = json_int(json_get(request, "count"), 1), deadline = clock_now(&system_clock) + PATIENCE_S * NS_PER_S;
    VEC(const struct json *) texts = {0};
    for (size_t i = 0; i < d->n_watches; i++) {
        for (int64_t k = 0; k < n; k++) {
            const struct json *text = next_of(d, d->watches[i], a, deadline, diags);
            if (!text)
                return KUBE_GONE;
            *VEC_PUSH(a, &texts) = text;
        }
    }
    *ret = json_make_array(a, texts.v, texts.n);
    return KUBE_OK;
}

static enum kube_result lead(struct driven *d, const struct json *request)
{
    int64_t seconds = json_int(json_get(request, "seconds"), 0);
    d->election = kube_election_start(&(struct kube_election_options){.client = d->k,
                                                                      .namespace = member(request, "namespace"),
                                                                      .name = member(request, "name"),
                                                                      .identity = member(request, "identity"),
                                                                      .duration_ns = seconds * NS_PER_S,
                                                                      .renew_ns = seconds * NS_PER_S * 2 / 3,
                                                                      .retry_ns = seconds * NS_PER_S / 8});
    return kube_election_wait(d->election, clock_now(&system_clock) + PATIENCE_S * NS_PER_S) ? KUBE_OK : KUBE_UNAVAILABLE;
}

static enum kube_result install(struct driven *d, struct arena *a, const struct json *request, struct diags *diags,
                                const struct json **ret)
{
    static const char *const changes[] = {
        [KUBE_CRD_SAME] = "same", [KUBE_CRD_CREATED] = "created", [KUBE_CRD_UPDATED] = "updated"};
    const struct json *object = json_get(request, "object");
    struct kube_crd_options options = {.manager = member(request, "manager").p,
                                       .take_over = json_bool(json_get(request, "take_over"), false)};
    enum kube_crd_change change;
    enum kube_result result = kube_crd_apply(d->k, a, object, &options, diags, &change);
    if (result == KUBE_OK) {
        *ret = json_make_string(a, str_of(changes[change]));
        result = kube_crd_wait(d->k, kube_metadata(object, "name"), &options, diags);
    }
    return result;
}

static enum kube_result perform(struct driven *d, struct arena *a, const struct json *request, struct diags *diags,
                                const struct json **ret)
{
    struct str what = member(request, "do");
    const struct json *object = json_get(request, "object");
    struct kube_resource resource;
    if (str_eqz(what, "crd"))
        return install(d, a, request, diags, ret);
    if (str_eqz(what, "lead"))
        return lead(d, request);
    if (str_eqz(what, "next"))
        return next(d, a, request, diags, ret);
    if (str_eqz(what, "leads"))
        return kube_election_leads(d->election) ? KUBE_OK : KUBE_UNAVAILABLE;
    if (str_eqz(what, "resign")) {
        kube_election_stop(d->election);
        d->election = NULL;
        return KUBE_OK;
    }
    enum kube_result result =
        kube_discover(d->discovery, a, member(request, "group"), member(request, "kind"), STR_EMPTY, diags, &resource);
    if (result != KUBE_OK)
        return result;
    struct str subresource = member(request, "subresource");
    struct kube_place at = {&resource, member(request, "namespace"), member(request, "name"),
                            subresource.n > 0 ? subresource.p : NULL};
    struct kube_preconditions must = {member(request, "uid"), member(request, "version")};
    struct kube_apply how = {member(request, "manager").p, json_bool(json_get(request, "force"), false)};
    if (str_eqz(what, "watch"))
        return open_watches(d, &at, request);
    if (str_eqz(what, "list"))
        return list(d, a, &at, diags, ret);
    if (str_eqz(what, "create"))
        return kube_create(d->k, a, &at, object, diags, ret);
    if (str_eqz(what, "replace"))
        return kube_replace(d->k, a, &at, object, diags, ret);
    if (str_eqz(what, "apply"))
        return kube_apply(d->k, a, &at, object, &how, diags, ret);
    if (str_eqz(what, "merge"))
        return kube_merge(d->k, a, &at, object, diags, ret);
    if (str_eqz(what, "delete"))
        return kube_delete(d->k, a, &at, &must, diags, ret);
    return kube_get(d->k, a, &at, diags, ret);
}

static void answer(struct driven *d, struct arena *a, struct str line)
{
    struct diags diags;
    struct buf text BUF_AUTO = BUF_INIT(MAX_ANSWER), said BUF_AUTO = BUF_INIT(MAX_ANSWER);
    struct json_writer out = {.out = &text};
    const struct json *object = NULL;
    diags_init(&diags, a);
    const struct json *request = json_parse(a, line, "request", &diags);
    json_begin_object(&out);
    json_key(&out, STR("result"));
    json_write_string(&out, str_of(results[perform(d, a, request, &diags, &object)]));
    json_key(&out, STR("object"));
    json_write(&out, object ? object : json_make_null(a));
    json_key(&out, STR("said"));
    diags_write(&said, &diags, false);
    json_write_string(&out, buf_str(&said));
    json_end_object(&out);
    (void)json_finish(&out);
    (void)printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
    (void)fflush(stdout);
}

static void serve(struct driven *d)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        arena_reset(a);
        answer(d, a, (struct str){line, (size_t)n});
    }
    free(line);
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct kubeconfig config;
    const char *const *env = (const char *const *)environ;
    struct kubeconfig_options from = {.env = env, .file = argc > 1 ? argv[1] : NULL, .context = argc > 2 ? argv[2] : NULL};
    from.account = getenv("KUBE_DRIVE_ACCOUNT");
    diags_init(&diags, a);
    struct loop *loop = loop_new();
    struct kube_options options = {.loop = loop, .config = &config, .env = env, .user_agent = STR("kube_drive")};
    struct driven d = {.k = kubeconfig_load(a, &from, &diags, &config) ? kube_new(&options, &diags) : NULL};
    if (d.k) {
        d.discovery = kube_discovery_new(d.k);
        mutex_init(&d.lock);
        cond_init(&d.changed);
        serve(&d);
        close_watches(&d);
        kube_election_stop(d.election);
        kube_discovery_free(d.discovery);
        kube_free(d.k);
    } else {
        struct buf text BUF_AUTO = BUF_INIT(MAX_ANSWER);
        diags_write(&text, &diags, false);
        (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    }
    loop_free(loop);
    return d.k ? 0 : 1;
}
