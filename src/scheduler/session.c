/* A session: one observation, and the questions that are answered from it. */
#include "scheduler/scheduler_private.h"

struct scheduler_session *scheduler_observe(struct scheduler *s, struct arena *a, const struct scheduler_item *item,
                                            scheduler_wake_fn *wake, void *ctx)
{
    struct scheduler_session *o = arena_make(a, struct scheduler_session);
    *o = (struct scheduler_session){.arena = a, .item = *item, .wake = wake, .ctx = ctx};
    job_init(&o->job, s, JOB_LOOK);
    diags_init(&o->diags, a);
    unsigned char key[LANE_KEY];
    lane_key(s, &item->provider, key);
    MUTEX_GUARD(&s->lock);
    job_ref(&o->job); /* the worker's; the first is the caller's */
    job_submit(&o->job, key, item->key);
    return o;
}

void scheduler_end(struct scheduler_session *o)
{
    if (!o)
        return;
    struct scheduler *s = o->job.scheduler;
    mutex_lock(&s->lock);
    o->wake = NULL;
    while (o->waking)
        (void)cond_wait(&s->changed, &s->lock, NO_DEADLINE);
    bool ready = o->ready;
    mutex_unlock(&s->lock);
    if (!ready)
        cancel_fire(o->job.cancel);
    job_unref(&o->job);
}

void session_free(struct scheduler_session *o)
{
    arena_free(o->arena);
}

enum backend_end session_look(struct scheduler_session *o)
{
    struct scheduler *s = o->job.scheduler;
    struct backend_call call = {.item = &o->item, .arena = o->arena, .diags = &o->diags, .cancel = o->job.cancel};
    struct backend_provider *provider = NULL;
    diags_init(&o->diags, o->arena); /* drop the diagnostics of an earlier try */
    o->seen = (struct observation){0};
    enum backend_end end = lane_open(s, o->job.lane, &call, &provider);
    return end == BACKEND_OK ? s->backend->ops->look(s->backend, provider, &call, &o->seen) : end;
}

void session_finish(struct scheduler_session *o, enum scheduler_failure failure)
{
    struct scheduler *s = o->job.scheduler;
    mutex_lock(&s->lock);
    o->failure = failure;
    o->ready = true;
    o->waking = o->wake != NULL;
    s->counts.observed++;
    scheduler_wake_fn *wake = o->wake;
    mutex_unlock(&s->lock);
    if (!wake)
        return;
    wake(o->ctx);
    mutex_lock(&s->lock);
    o->waking = false;
    cond_broadcast(&s->changed);
    mutex_unlock(&s->lock);
}

/* Questions */

static bool is_ready(struct scheduler_session *o)
{
    MUTEX_GUARD(&o->job.scheduler->lock);
    return o->ready;
}

static enum scheduler_answer about_object(struct scheduler_session *o)
{
    if (!is_ready(o))
        return SCHEDULER_PENDING;
    return o->seen.seen ? SCHEDULER_ANSWERED : SCHEDULER_FAILED;
}

enum scheduler_answer scheduler_exists(struct scheduler_session *o, bool *ret)
{
    enum scheduler_answer answer = about_object(o);
    if (answer == SCHEDULER_ANSWERED)
        *ret = o->seen.exists;
    return answer;
}

enum scheduler_answer scheduler_update_status(struct scheduler_session *o, const struct state_instance **ret, bool *ret_changed)
{
    enum scheduler_answer answer = about_object(o);
    if (answer == SCHEDULER_ANSWERED) {
        *ret = o->seen.exists ? &o->seen.object : NULL;
        *ret_changed = o->seen.changed;
    }
    return answer;
}

enum scheduler_answer scheduler_late_initialize(struct scheduler_session *o, struct arena *a, const struct json **ret)
{
    enum scheduler_answer answer = about_object(o);
    if (answer != SCHEDULER_ANSWERED)
        return answer;
    const struct json *attributes = o->seen.exists ? o->seen.object.attributes : NULL;
    size_t all = attributes && attributes->kind == JSON_OBJECT ? attributes->object.n : 0, n = 0;
    struct json_member *open = arena_make_n(a, struct json_member, all);
    for (size_t i = 0; i < all; i++) {
        const struct json_member *m = &attributes->object.members[i];
        if (m->value->kind != JSON_NULL && !json_get_str(o->item.config, m->key))
            open[n++] = *m;
    }
    *ret = json_make_object(a, open, n);
    return answer;
}

enum scheduler_answer scheduler_is_ready(struct scheduler_session *o, bool *ret)
{
    enum scheduler_answer answer = about_object(o);
    if (answer != SCHEDULER_ANSWERED)
        return answer;
    struct scheduler_report report;
    bool busy = scheduler_operation(o->job.scheduler, o->item.key, &report) && !report.finished;
    *ret = o->seen.exists && !o->seen.object.tainted && !busy;
    return answer;
}

enum scheduler_answer scheduler_is_up_to_date(struct scheduler_session *o, bool *ret, struct scheduler_difference *ret_difference)
{
    if (!is_ready(o))
        return SCHEDULER_PENDING;
    if (!o->seen.planned)
        return SCHEDULER_FAILED;
    *ret = o->seen.difference.action == ACTION_NO_OP;
    if (ret_difference)
        *ret_difference = o->seen.difference;
    return SCHEDULER_ANSWERED;
}

const struct json *scheduler_explain(struct scheduler_session *o)
{
    return is_ready(o) && o->seen.planned ? o->seen.explained : NULL;
}

static const struct json *json_at(const struct json *j, struct path path)
{
    for (size_t i = 0; i < path.n && j; i++) {
        const struct path_step *step = &path.steps[i];
        if (step->kind != PATH_INDEX)
            j = json_get_str(j, step->name);
        else if (j->kind == JSON_ARRAY && step->index >= 0 && (size_t)step->index < j->array.n)
            j = j->array.items[step->index];
        else
            j = NULL;
    }
    return j;
}

struct scheduler_details scheduler_details_of(struct arena *a, const struct state_instance *object)
{
    struct scheduler_detail *v = arena_make_n(a, struct scheduler_detail, object->n_sensitive);
    size_t n = 0;
    for (size_t i = 0; i < object->n_sensitive; i++) {
        const struct json *value = json_at(object->attributes, object->sensitive[i]);
        if (value && value->kind != JSON_NULL)
            v[n++] = (struct scheduler_detail){object->sensitive[i], value};
    }
    return (struct scheduler_details){v, n};
}

enum scheduler_answer scheduler_get_connection_details(struct scheduler_session *o, struct arena *a,
                                                       struct scheduler_details *ret)
{
    enum scheduler_answer answer = about_object(o);
    if (answer == SCHEDULER_ANSWERED)
        *ret = o->seen.exists ? scheduler_details_of(a, &o->seen.object) : (struct scheduler_details){0};
    return answer;
}

enum scheduler_answer scheduler_alike(struct scheduler_session *o, struct scheduler_alike *ret)
{
    if (!is_ready(o))
        return SCHEDULER_PENDING;
    if (!o->seen.listed)
        return SCHEDULER_FAILED;
    *ret = o->seen.alike;
    return SCHEDULER_ANSWERED;
}

const struct diags *scheduler_diags(struct scheduler_session *o)
{
    static const struct diags none;
    return is_ready(o) ? &o->diags : &none;
}

enum scheduler_failure scheduler_failure(struct scheduler_session *o)
{
    MUTEX_GUARD(&o->job.scheduler->lock);
    return o->failure;
}

bool scheduler_lost_first(struct scheduler_session *o)
{
    MUTEX_GUARD(&o->job.scheduler->lock);
    return o->failure == SCHEDULER_LOST && o->job.lost_first;
}
