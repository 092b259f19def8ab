/* Creation and end of the scheduler. */
#include "scheduler/scheduler_private.h"

#include <openssl/rand.h>
#include <stdlib.h>

#define LANE_IDLE_NS (600 * NS_PER_S)

static unsigned or_default(unsigned given, unsigned otherwise)
{
    return given > 0 ? given : otherwise;
}

struct scheduler *scheduler_new(const struct scheduler_options *options, struct backend *backend)
{
    struct scheduler *s = calloc(1, sizeof *s);
    if (!s || RAND_bytes(s->key, sizeof s->key) != 1 || RAND_bytes((unsigned char *)&s->seed, sizeof s->seed) != 1)
        abort();
    struct scheduler_options *o = &s->options;
    *o = *options;
    o->observations = or_default(o->observations, SCHEDULER_OBSERVATIONS);
    o->operations = or_default(o->operations, SCHEDULER_OPERATIONS);
    o->provider_observations = or_default(o->provider_observations, SCHEDULER_PROVIDER_OBSERVATIONS);
    o->provider_operations = or_default(o->provider_operations, SCHEDULER_PROVIDER_OPERATIONS);
    if (o->stop_ns <= 0)
        o->stop_ns = SCHEDULER_STOP_NS;
    if (o->lane_idle_ns <= 0)
        o->lane_idle_ns = LANE_IDLE_NS;
    s->backend = backend;
    mutex_init(&s->lock);
    cond_init(&s->changed);
    s->workers[JOB_LOOK] = workers_new("observe", o->observations);
    s->workers[JOB_CHANGE] = workers_new("operate", o->operations);
    s->timer = loop_timer_new(o->loop, job_timer, s);
    return s;
}

/* All jobs that wait or run, each with a reference. */
LOCKED static size_t hold_all(struct scheduler *s, struct job ***ret)
{
    size_t n = 0;
    struct job **v = calloc(s->n_jobs + 1, sizeof *v);
    if (!v)
        abort();
    for (struct job *j = s->running; j; j = j->next_running)
        v[n++] = j;
    for (struct lane *lane = s->lanes; lane; lane = lane->next)
        for (size_t i = 0; i < JOB_KINDS; i++)
            for (struct job *j = lane->lines[i].first; j; j = j->next_waiting)
                v[n++] = j;
    for (size_t i = 0; i < n; i++)
        job_ref(v[i]);
    *ret = v;
    return n;
}

static void cancel_all(struct scheduler *s)
{
    struct job **v;
    mutex_lock(&s->lock);
    size_t n = hold_all(s, &v);
    mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        cancel_fire(v[i]->cancel);
        job_unref(v[i]);
    }
    free(v);
}

void scheduler_free(struct scheduler *s)
{
    if (!s)
        return;
    cancel_all(s);
    mutex_lock(&s->lock);
    while (s->n_jobs > 0)
        (void)cond_wait(&s->changed, &s->lock, NO_DEADLINE);
    mutex_unlock(&s->lock);
    for (size_t i = 0; i < JOB_KINDS; i++)
        workers_free(s->workers[i]);
    loop_timer_free(s->timer);
    records_free(s);
    lanes_free(s);
    s->backend->ops->free(s->backend);
    cond_destroy(&s->changed);
    mutex_destroy(&s->lock);
    free(s);
}

struct scheduler_counts scheduler_count(struct scheduler *s)
{
    MUTEX_GUARD(&s->lock);
    return s->counts;
}
