#include "cluster/install.h"

#include "base/lock.h"
#include "cluster/selection.h"
#include "kube/crd.h"
#include "kube/objects.h"
#include "loop/workers.h"

enum { AT_ONCE = 8 };

struct installing {
    const struct install_options *o;
    pthread_mutex_t lock; /* of what stands below */
    struct diags *diags;
    struct install_result result;
    bool failed;
};

struct job {
    struct installing *i;
    const struct kind *kind;
};

static void note(struct installing *i, bool ok, const struct diags *said, enum kube_crd_change change)
{
    MUTEX_GUARD(&i->lock);
    diags_append(i->diags, said);
    if (!ok)
        i->failed = true;
    else if (change == KUBE_CRD_CREATED)
        i->result.created++;
    else if (change == KUBE_CRD_UPDATED)
        i->result.updated++;
    else
        i->result.same++;
}

static bool is_hopeless(struct installing *i)
{
    MUTEX_GUARD(&i->lock);
    return i->failed || cancel_fired(i->o->cancel);
}

static bool install_one(struct installing *i, struct arena *a, const struct kind *kind, struct diags *diags,
                        enum kube_crd_change *ret)
{
    const struct install_options *o = i->o;
    const struct kube_crd_options how = {
        .manager = INSTALL_MANAGER, .take_over = o->take_over, .deadline = NO_DEADLINE, .cancel = o->cancel};
    const struct json *crd = kinds_crd(o->kinds, kind, diags);
    if (!crd)
        return false;
    enum kube_result result = kube_crd_apply(o->client, a, crd, &how, diags, ret);
    if (result == KUBE_CONFLICT && !o->take_over)
        return diags_fail(
            diags, "Definition not installed",
            "Start with --take-over to replace the definition of the other owner (objects stay), or leave the kind out "
            "with --only.");
    return result == KUBE_OK && kube_crd_wait(o->client, selection_name(a, kind), &how, diags) == KUBE_OK;
}

static void run_job(void *arg)
{
    const struct job *job = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags said;
    enum kube_crd_change change = KUBE_CRD_SAME;
    diags_init(&said, a);
    if (is_hopeless(job->i))
        return;
    bool ok = install_one(job->i, a, job->kind, &said, &change);
    if (ok && change != KUBE_CRD_SAME)
        log_info(job->i->o->log, change == KUBE_CRD_CREATED ? "definition created" : "definition updated",
                 LOG_STR("definition", selection_name(a, job->kind)));
    note(job->i, ok, &said, change);
}

bool install_kinds(const struct install_options *o, struct diags *diags, struct install_result *ret)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct installing i = {.o = o, .diags = diags};
    struct job *jobs = arena_make_n(a, struct job, o->which.n);
    struct workers *workers = workers_new("install", AT_ONCE);
    mutex_init(&i.lock);
    for (size_t k = 0; k < o->which.n; k++) {
        jobs[k] = (struct job){&i, o->which.v[k]};
        workers_submit(workers, run_job, &jobs[k]);
    }
    workers_free(workers);
    mutex_destroy(&i.lock);
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
