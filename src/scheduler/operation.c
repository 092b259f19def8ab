/* Operations: one for each key, from its start until its result is collected. */
#include "scheduler/scheduler_private.h"

const char *scheduler_kind_name(enum scheduler_kind kind)
{
    static const char *const names[] = {"create", "update", "delete"};
    return names[kind];
}

/* Starting */

static bool is_replace(enum change_action action)
{
    return action == ACTION_DELETE_THEN_CREATE || action == ACTION_CREATE_THEN_DELETE;
}

static bool refuse_replacement(const struct scheduler_session *o, struct diags *diags)
{
    const struct scheduler_difference *d = &o->seen.difference;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct buf paths BUF_AUTO = BUF_INIT(1 << 16);
    for (size_t i = 0; i < d->n_replace; i++)
        buf_printf(&paths, "%s\"" STR_FMT "\"", i > 0 ? ", " : "", STR_ARG(str_slice(d->replace[i], 1, d->replace[i].n)));
    struct str because = d->n_replace > 0
                             ? arena_printf(scratch, "these cannot be changed in place: " STR_FMT, STR_ARG(buf_str(&paths)))
                             : STR("its creation was not completed");
    return diags_fail(diags, "Replacement refused",
                      STR_FMT "." STR_FMT " would have to be destroyed and created again: " STR_FMT
                              ". Nothing was changed. Undo the change, or allow the object to be replaced.",
                      STR_ARG(o->item.type), STR_ARG(o->item.name), STR_ARG(because));
}

bool scheduler_may_apply(const struct scheduler_session *o, struct diags *diags)
{
    return !is_replace(o->seen.difference.action) || o->item.may_replace || refuse_replacement(o, diags);
}

static bool refuse_second(const struct scheduler_session *o, const struct operation *other, struct diags *diags)
{
    return diags_fail(diags, "Operation under way",
                      "The %s of " STR_FMT "." STR_FMT
                      " that began before is still running, or its result has not been used yet.",
                      scheduler_kind_name(other->report.kind), STR_ARG(o->item.type), STR_ARG(o->item.name));
}

static struct operation *operation_new(struct scheduler_session *o, enum scheduler_kind kind,
                                       const struct scheduler_events *events)
{
    struct arena *a = arena_new(NULL, 0);
    struct operation *op = arena_make(a, struct operation);
    *op = (struct operation){
        .session = o,
        .events = *events,
        .destroy = kind == SCHEDULER_DELETE,
        .arena = a,
        .report = {.kind = kind, .started_ns = system_clock.wall_ns(&system_clock)},
    };
    job_init(&op->job, o->job.scheduler, JOB_CHANGE); /* the reference is the record's */
    diags_init(&op->diags, a);
    return op;
}

static enum scheduler_answer begin(struct scheduler_session *o, enum scheduler_kind kind, const struct scheduler_events *events,
                                   struct diags *diags)
{
    struct scheduler *s = o->job.scheduler;
    struct operation *op = operation_new(o, kind, events);
    unsigned char key[LANE_KEY];
    lane_key(s, &o->item.provider, key);
    mutex_lock(&s->lock);
    struct record *r = record_get(s, o->item.key);
    struct operation *other = r->operation;
    job_ref(&o->job);
    if (!other) {
        r->operation = op;
        s->counts.operations++;
        job_ref(&op->job); /* the worker's */
        job_submit(&op->job, key, o->item.key);
    } else {
        (void)refuse_second(o, other, diags);
    }
    mutex_unlock(&s->lock);
    if (other)
        job_unref(&op->job);
    return other ? SCHEDULER_FAILED : SCHEDULER_ANSWERED;
}

/* There is nothing to do. */
static enum scheduler_answer complete(struct scheduler_session *o, struct arena *a, struct scheduler_started *ret)
{
    *ret = (struct scheduler_started){.completed = true};
    if (o->seen.exists)
        ret->details = scheduler_details_of(a, &o->seen.object);
    return SCHEDULER_ANSWERED;
}

static enum scheduler_answer fail_with(struct scheduler_session *o, struct diags *diags)
{
    diags_append(diags, scheduler_diags(o));
    return SCHEDULER_FAILED;
}

enum scheduler_answer scheduler_apply(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                      struct diags *diags, struct scheduler_started *ret)
{
    bool up_to_date;
    struct scheduler_difference d;
    enum scheduler_answer answer = scheduler_is_up_to_date(o, &up_to_date, &d);
    if (answer != SCHEDULER_ANSWERED)
        return answer == SCHEDULER_FAILED ? fail_with(o, diags) : answer;
    if (up_to_date)
        return complete(o, a, ret);
    if (!scheduler_may_apply(o, diags))
        return SCHEDULER_FAILED;
    answer = begin(o, d.action == ACTION_CREATE ? SCHEDULER_CREATE : SCHEDULER_UPDATE, events, diags);
    if (answer == SCHEDULER_ANSWERED)
        *ret = (struct scheduler_started){0};
    return answer;
}

enum scheduler_answer scheduler_delete(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                       struct diags *diags, struct scheduler_started *ret)
{
    bool exists;
    enum scheduler_answer answer = scheduler_exists(o, &exists);
    if (answer != SCHEDULER_ANSWERED)
        return answer == SCHEDULER_FAILED ? fail_with(o, diags) : answer;
    if (!exists)
        return complete(o, a, ret);
    answer = begin(o, SCHEDULER_DELETE, events, diags);
    if (answer == SCHEDULER_ANSWERED)
        *ret = (struct scheduler_started){0};
    return answer;
}

/* On a worker */

static bool keep_between(void *ctx, const struct state_instance *object)
{
    struct operation *op = ctx;
    const struct scheduler_kept now = {.object = object};
    return op->events.keep(op->events.ctx, &now);
}

static int64_t limit_of(const struct operation *op)
{
    int64_t left = op->job.deadline - clock_now(&system_clock);
    return (left > 0 ? left : 1) + op->job.scheduler->options.stop_ns;
}

enum backend_end operation_change(struct operation *op)
{
    struct scheduler *s = op->job.scheduler;
    struct scheduler_session *o = op->session;
    struct backend_call call = {.item = &o->item, .arena = op->arena, .diags = &op->diags, .cancel = op->job.cancel};
    struct backend_keep keep = {keep_between, op};
    struct backend_provider *provider = NULL;
    diags_init(&op->diags, op->arena);
    op->result = (struct backend_result){.exists = o->seen.exists, .object = o->seen.object};
    enum backend_end end = lane_open(s, op->job.lane, &call, &provider);
    if (end != BACKEND_OK)
        return end;
    return s->backend->ops->change(s->backend, provider, &call, &o->seen, op->destroy, limit_of(op), &keep, &op->result);
}

static struct scheduler_kept now_of(const struct operation *op)
{
    return (struct scheduler_kept){.object = op->result.exists ? &op->result.object : NULL, .unknown = op->result.unknown};
}

void operation_finish(struct operation *op, enum scheduler_failure failure)
{
    struct scheduler *s = op->job.scheduler;
    struct scheduler_events events = op->events;
    struct scheduler_kept now = now_of(op);
    if ((failure == SCHEDULER_FINE || op->result.called) && !events.keep(events.ctx, &now)) {
        (void)diags_fail(&op->diags, "State not stored",
                         "The %s of " STR_FMT "." STR_FMT " finished, but what exists now could not be stored.",
                         scheduler_kind_name(op->report.kind), STR_ARG(op->session->item.type), STR_ARG(op->session->item.name));
        failure = SCHEDULER_NOT_KEPT;
    }
    if (now.object)
        op->details = scheduler_details_of(op->arena, now.object);
    mutex_lock(&s->lock);
    op->report.failure = failure;
    op->report.finished_ns = system_clock.wall_ns(&system_clock);
    op->report.finished = true;
    mutex_unlock(&s->lock);
    events.done(events.ctx);
}

void operation_free(struct operation *op)
{
    job_unref(&op->session->job);
    arena_free(op->arena);
}

/* Status, cancellation, results */

LOCKED static struct operation *find(struct scheduler *s, struct str key)
{
    struct record *r = record_find(s, key);
    return r ? r->operation : NULL;
}

bool scheduler_operation(struct scheduler *s, struct str key, struct scheduler_report *ret)
{
    MUTEX_GUARD(&s->lock);
    const struct operation *op = find(s, key);
    if (op)
        *ret = op->report;
    return op != NULL;
}

bool scheduler_cancel(struct scheduler *s, struct str key)
{
    mutex_lock(&s->lock);
    struct operation *op = find(s, key);
    if (op && op->report.finished)
        op = NULL;
    if (op)
        job_ref(&op->job);
    mutex_unlock(&s->lock);
    if (!op)
        return false;
    cancel_fire(op->job.cancel);
    job_unref(&op->job);
    return true;
}

bool scheduler_collect(struct scheduler *s, struct str key, struct scheduler_result *ret)
{
    MUTEX_GUARD(&s->lock);
    struct record *r = record_find(s, key);
    struct operation *op = r && r->operation && r->operation->report.finished ? r->operation : NULL;
    if (!op)
        return false;
    r->operation = NULL; /* its reference is the result's now */
    s->counts.operations--;
    record_tidy(s, r);
    *ret = (struct scheduler_result){
        .report = op->report,
        .called = op->result.called,
        .now = now_of(op),
        .details = op->details,
        .diags = &op->diags,
        .operation = op,
    };
    return true;
}

void scheduler_result_free(struct scheduler_result *r)
{
    if (r->operation)
        job_unref(&r->operation->job);
    *r = (struct scheduler_result){0};
}
