#include "cluster/install.h"

#include "base/lock.h"
#include "cluster/selection.h"
#include "kube/crd.h"
#include "kube/objects.h"
#include "loop/workers.h"

#define PATIENCE_NS (60 * NS_PER_S)
#define PATIENCE_ALONE_NS (300 * NS_PER_S)
#define TELL_NS (10 * NS_PER_S)
/*
 * A server does work for each CRD that grows with their number: if more are installed at once than in a batch, they delay each
 * other. Some are so large that the server needs minutes, and can handle only one at a time.
 */
enum { AT_ONCE = 8, BATCH = 64 };

struct installing {
    const struct install_options *o;
    pthread_mutex_t lock; /* protects what follows */
    struct diags *diags;
    struct install_result result;
    size_t n_served;
    int64_t told;
    bool alone; /* one at a time */
    bool failed;
    bool theirs; /* somebody else's definition is in the way */
};

struct job {
    struct installing *i;
    const struct kind *kind;
    bool applied, served;
    enum kube_crd_change change;
};

/* What timed out on the server is tried again at the end, alone. */
static void fail(struct installing *i, enum kube_result result, const struct diags *said)
{
    MUTEX_GUARD(&i->lock);
    if (result == KUBE_UNAVAILABLE && !i->alone)
        return;
    diags_append(i->diags, said);
    i->failed = true;
}

static void note_served(struct installing *i, enum kube_crd_change change)
{
    MUTEX_GUARD(&i->lock);
    if (change == KUBE_CRD_CREATED)
        i->result.created++;
    else if (change == KUBE_CRD_UPDATED)
        i->result.updated++;
    else
        i->result.same++;
    int64_t now = clock_now(&system_clock);
    i->n_served++;
    if (now < i->told + TELL_NS)
        return;
    i->told = now;
    log_info(i->o->log, "installing definitions", LOG_INT("served", (int64_t)i->n_served), LOG_INT("of", (int64_t)i->o->which.n));
}

static bool is_hopeless(struct installing *i)
{
    MUTEX_GUARD(&i->lock);
    return i->failed || cancel_fired(i->o->cancel);
}

static struct kube_crd_options options_of(const struct installing *i)
{
    return (struct kube_crd_options){.manager = INSTALL_MANAGER,
                                     .take_over = i->o->take_over,
                                     .deadline = clock_now(&system_clock) + (i->alone ? PATIENCE_ALONE_NS : PATIENCE_NS),
                                     .cancel = i->o->cancel};
}

static enum kube_result apply(struct job *job, struct arena *a, struct diags *diags)
{
    const struct install_options *o = job->i->o;
    const struct kube_crd_options how = options_of(job->i);
    const struct json *crd = kinds_make_crd(o->kinds, a, job->kind, diags);
    if (!crd)
        return KUBE_INVALID;
    return kube_crd_apply(o->client, a, crd, &how, diags, &job->change);
}

static void note_theirs(struct installing *i)
{
    MUTEX_GUARD(&i->lock);
    i->theirs = true;
}

static void run_apply(void *arg)
{
    struct job *job = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags said;
    diags_init(&said, a);
    if (job->applied || is_hopeless(job->i))
        return;
    enum kube_result result = apply(job, a, &said);
    job->applied = result == KUBE_OK;
    if (result == KUBE_CONFLICT)
        note_theirs(job->i);
    if (!job->applied)
        fail(job->i, result, &said);
    else if (job->change != KUBE_CRD_SAME)
        log_info(job->i->o->log, job->change == KUBE_CRD_CREATED ? "definition created" : "definition updated",
                 LOG_STR("definition", selection_name(a, job->kind)));
}

static void run_wait(void *arg)
{
    struct job *job = arg;
    const struct kube_crd_options how = options_of(job->i);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags said;
    diags_init(&said, a);
    if (!job->applied || job->served || is_hopeless(job->i))
        return;
    enum kube_result result = kube_crd_wait(job->i->o->client, selection_name(a, job->kind), &how, &said);
    job->served = result == KUBE_OK;
    if (job->served)
        note_served(job->i, job->change);
    else
        fail(job->i, result, &said);
}

static void run_all(struct job *jobs, size_t n, void (*run)(void *job))
{
    struct workers *workers = workers_new("install", AT_ONCE);
    for (size_t k = 0; k < n; k++)
        workers_submit(workers, run, &jobs[k]);
    workers_free(workers);
}

bool install_kinds(const struct install_options *o, struct diags *diags, struct install_result *ret)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct installing i = {.o = o, .diags = diags, .told = clock_now(&system_clock)};
    struct job *jobs = arena_make_n(a, struct job, o->which.n);
    mutex_init(&i.lock);
    for (size_t k = 0; k < o->which.n; k++)
        jobs[k] = (struct job){.i = &i, .kind = o->which.v[k]};
    for (size_t k = 0; k < o->which.n; k += BATCH) {
        size_t n = o->which.n - k < BATCH ? o->which.n - k : BATCH;
        run_all(jobs + k, n, run_apply);
        run_all(jobs + k, n, run_wait); /* most are served by now */
    }
    i.alone = true;
    for (size_t k = 0; k < o->which.n; k++) {
        run_apply(&jobs[k]);
        run_wait(&jobs[k]);
    }
    mutex_destroy(&i.lock);
    if (i.theirs && !o->take_over)
        (void)diags_fail(
            diags, "Definitions not installed",
            "Start with --take-over to replace the definitions of other owners (objects stay), or leave these kinds out "
            "with --only.");
    if (cancel_fired(o->cancel) && !i.failed)
        return diags_fail(diags, "Interrupted", "Definitions were being installed; those that are there stay.");
    *ret = i.result;
    return !i.failed;
}

bool install_namespace(struct kube *client, struct str name, struct diags *diags)
{
    static const struct kube_resource namespaces = {STR_EMPTY, STR("v1"), STR("Namespace"), STR("namespaces"), false};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_place one = {&namespaces, STR_EMPTY, name, NULL}, all = {&namespaces, STR_EMPTY, STR_EMPTY, NULL};
    struct diags said;
    const struct json *there;
    diags_init(&said, a);
    if (kube_get(client, a, &one, &said, &there) == KUBE_OK)
        return true;
    struct json_member metadata = {.key = STR("name"), .value = json_make_string(a, name)};
    struct json_member top[] = {{.key = STR("apiVersion"), .value = json_make_string(a, STR("v1"))},
                                {.key = STR("kind"), .value = json_make_string(a, STR("Namespace"))},
                                {.key = STR("metadata"), .value = json_make_object(a, &metadata, 1)}};
    diags_init(&said, a);
    enum kube_result result = kube_create(client, a, &all, json_make_object(a, top, 3), &said, NULL);
    if (result == KUBE_OK || result == KUBE_EXISTS)
        return true;
    diags_append(diags, &said);
    return false;
}
