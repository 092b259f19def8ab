/*
 * Runs one job on a worker: enforces its time limit, and decides what happens when its provider ends.
 *
 * A provider that crashes takes every call in flight with it, and nobody can tell which call caused it. So each job that was in
 * the process is retried once; an object that was present at two ends in a row is retried alone, in a process of its own, one
 * object after the other; an object that ends that process too is the cause. A job that may have changed anything is never
 * retried.
 */
#include "scheduler/scheduler_private.h"

enum {
    MAX_STRIKES = 2,  /* in a shared process */
    MAX_TIMEOUTS = 3, /* in a row, before the process counts as hung */
    DUE_AT_ONCE = 32,
    PANIC_LINES = 5,
    PANIC_BYTES = 1000,
};

static struct scheduler_session *session_of(struct job *j)
{
    return (struct scheduler_session *)j;
}

static struct operation *operation_of(struct job *j)
{
    return (struct operation *)j;
}

static const struct scheduler_item *item_of(struct job *j)
{
    return j->kind == JOB_LOOK ? &session_of(j)->item : &operation_of(j)->session->item;
}

static struct diags *diags_of(struct job *j)
{
    return j->kind == JOB_LOOK ? &session_of(j)->diags : &operation_of(j)->diags;
}

void job_init(struct job *j, struct scheduler *s, enum job_kind kind)
{
    *j = (struct job){.scheduler = s, .kind = kind, .refs = 1, .cancel = cancel_new()};
}

void job_ref(struct job *j)
{
    j->refs++;
}

void job_unref(struct job *j)
{
    mutex_lock(&j->scheduler->lock);
    bool last = --j->refs == 0;
    mutex_unlock(&j->scheduler->lock);
    if (!last)
        return;
    cancel_free(j->cancel);
    if (j->kind == JOB_LOOK)
        session_free(session_of(j));
    else
        operation_free(operation_of(j));
}

void job_submit(struct job *j, const unsigned char key[LANE_KEY], struct str object)
{
    const struct record *r = record_find(j->scheduler, object);
    lane_enter(lane_find(j->scheduler, key, r && r->strikes[j->kind] >= MAX_STRIKES), j);
}

/* Time limits */

static int64_t limit_of(struct job *j)
{
    const struct scheduler_item *item = item_of(j);
    if (j->kind == JOB_LOOK)
        return item->observe_ns > 0 ? item->observe_ns : SCHEDULER_OBSERVE_NS;
    const int64_t limits[] = {
        [SCHEDULER_CREATE] = item->create_ns,
        [SCHEDULER_UPDATE] = item->update_ns,
        [SCHEDULER_DELETE] = item->delete_ns,
    };
    int64_t limit = limits[operation_of(j)->report.kind];
    return limit > 0 ? limit : SCHEDULER_OPERATION_NS;
}

LOCKED static void expect(struct scheduler *s, int64_t at)
{
    if (s->timer_due != NO_DEADLINE && s->timer_due <= at)
        return;
    s->timer_due = at;
    loop_timer_set(s->timer, at);
}

/* On the loop's thread: cancels the jobs that have passed their deadline. */
void job_timer(void *scheduler)
{
    struct scheduler *s = scheduler;
    struct job *due[DUE_AT_ONCE];
    size_t n = 0;
    int64_t now = clock_now(&system_clock), next = NO_DEADLINE;
    mutex_lock(&s->lock);
    for (struct job *j = s->running; j; j = j->next_running) {
        if (j->timed_out)
            continue;
        if (j->deadline <= now && n < DUE_AT_ONCE) {
            j->timed_out = true;
            job_ref(j);
            due[n++] = j;
        } else if (next == NO_DEADLINE || j->deadline < next) {
            next = j->deadline;
        }
    }
    s->timer_due = NO_DEADLINE;
    if (next != NO_DEADLINE)
        expect(s, next);
    mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        cancel_fire(due[i]->cancel);
        job_unref(due[i]);
    }
}

static void begin(struct job *j)
{
    struct scheduler *s = j->scheduler;
    MUTEX_GUARD(&s->lock);
    j->deadline = clock_now(&system_clock) + limit_of(j);
    j->losses = j->lane->losses;
    j->prev_running = NULL;
    j->next_running = s->running;
    if (s->running)
        s->running->prev_running = j;
    s->running = j;
    expect(s, j->deadline);
}

LOCKED static void stop_running(struct job *j)
{
    struct scheduler *s = j->scheduler;
    if (j->prev_running)
        j->prev_running->next_running = j->next_running;
    else
        s->running = j->next_running;
    if (j->next_running)
        j->next_running->prev_running = j->prev_running;
}

/* The provider has ended */

/* True if the job has changed nothing so far. */
static bool is_harmless(struct job *j)
{
    return j->kind == JOB_LOOK || !operation_of(j)->result.called;
}

/* Counts a strike; true: the job is to be retried, perhaps alone. */
LOCKED static bool strike(struct job *j, bool *ret_alone)
{
    struct scheduler *s = j->scheduler;
    unsigned strikes = ++record_get(s, item_of(j)->key)->strikes[j->kind];
    s->counts.crashed++;
    *ret_alone = strikes >= MAX_STRIKES;
    return is_harmless(j) && !j->lane->alone;
}

LOCKED static void come_through(struct job *j)
{
    struct record *r = record_find(j->scheduler, item_of(j)->key);
    j->lane->timeouts = 0;
    if (!r)
        return;
    r->strikes[j->kind] = 0;
    record_tidy(j->scheduler, r);
}

/* The first lines of the provider's output when it ended. */
static struct str panic_of(const struct diags *diags)
{
    struct str text = STR_EMPTY;
    for (size_t i = 0; i < diags->n && text.n == 0; i++)
        text = diags->v[i].output;
    size_t end = 0;
    for (int lines = 0; lines < PANIC_LINES && end < text.n; lines++) {
        size_t at = str_find(text, '\n', end);
        end = at == SIZE_MAX ? text.n : at + 1;
    }
    if (end > PANIC_BYTES)
        for (end = PANIC_BYTES; end > 0 && ((unsigned char)text.p[end] & 0xc0) == 0x80; end--)
            ;
    return str_trim(str_slice(text, 0, end));
}

static void blame(struct job *j)
{
    const struct scheduler_item *item = item_of(j);
    struct diags *diags = diags_of(j);
    struct str panic = panic_of(diags);
    (void)diags_fail(diags, "The provider crashes on this object",
                     "Provider \"" STR_FMT "\" ended again and again while it worked on " STR_FMT "." STR_FMT
                     ", the last time in a process that nothing else used. Other objects are not affected. This is a bug in the "
                     "provider.%s" STR_FMT,
                     STR_ARG(item->provider.address), STR_ARG(item->type), STR_ARG(item->name),
                     panic.n > 0 ? " It wrote:\n\n" : "", STR_ARG(panic));
}

static void complain_of_time(struct job *j)
{
    const struct scheduler_item *item = item_of(j);
    static const char *const doing[] = {"created", "updated", "deleted"};
    int64_t ms = limit_of(j) / NS_PER_MS;
    (void)diags_fail(diags_of(j), "Time limit reached",
                     STR_FMT "." STR_FMT " was not %s within %lld.%03lld s by provider \"" STR_FMT "\".", STR_ARG(item->type),
                     STR_ARG(item->name), j->kind == JOB_LOOK ? "observed" : doing[operation_of(j)->report.kind],
                     (long long)(ms / 1000), (long long)(ms % 1000), STR_ARG(item->provider.address));
}

/* The job has ended */

static enum scheduler_failure judge(struct job *j, enum backend_end end, bool timed_out)
{
    if (end == BACKEND_OK)
        return SCHEDULER_FINE;
    if (timed_out)
        return SCHEDULER_TIMED_OUT;
    if (end == BACKEND_CANCELLED || cancel_fired(j->cancel))
        return SCHEDULER_CANCELLED;
    if (end == BACKEND_CRASHED)
        return j->lane->alone ? SCHEDULER_CRASHED : SCHEDULER_LOST;
    return end == BACKEND_LOST ? SCHEDULER_LOST : SCHEDULER_WRONG;
}

/* All jobs under way when a process ended or could not be started report the same loss; only the first of them counts it. */
LOCKED static void count_loss(struct job *j)
{
    j->lost_first = j->losses == j->lane->losses;
    j->lane->losses += j->lost_first;
}

/* A process that lets MAX_TIMEOUTS jobs in a row time out is replaced. */
LOCKED static void count_timeout(struct job *j)
{
    struct scheduler *s = j->scheduler;
    if (++j->lane->timeouts < MAX_TIMEOUTS || !j->lane->opened)
        return;
    j->lane->timeouts = 0;
    s->backend->ops->replace(s->backend, j->lane->opened);
}

/* Returns false if the job is retried, perhaps in another lane. */
static bool end_try(struct job *j, enum backend_end end, enum scheduler_failure *ret)
{
    struct scheduler *s = j->scheduler;
    MUTEX_GUARD(&s->lock);
    bool alone = false, again = false;
    stop_running(j);
    *ret = judge(j, end, j->timed_out);
    if (*ret == SCHEDULER_TIMED_OUT)
        count_timeout(j);
    else if (end == BACKEND_CRASHED && *ret != SCHEDULER_CANCELLED)
        again = strike(j, &alone);
    else if (end == BACKEND_OK || end == BACKEND_FAILED)
        come_through(j);
    if (*ret == SCHEDULER_LOST)
        count_loss(j);
    struct lane *to = again ? lane_find(s, j->lane->key, alone) : NULL;
    lane_leave(j);
    if (to)
        lane_enter(to, j);
    return !to;
}

static void tell(struct job *j, enum scheduler_failure failure, int64_t begun)
{
    static const char *const outcomes[] = {
        [SCHEDULER_FINE] = "ok",           [SCHEDULER_WRONG] = "refused",     [SCHEDULER_LOST] = "lost",
        [SCHEDULER_CRASHED] = "crashed",   [SCHEDULER_TIMED_OUT] = "timeout", [SCHEDULER_CANCELLED] = "cancelled",
        [SCHEDULER_NOT_KEPT] = "not kept",
    };
    const struct scheduler_item *item = item_of(j);
    log_work(j->scheduler->options.log,
             &(struct log_work){
                 .kind = LOG_WORK_JOB,
                 .what = str_of(j->kind == JOB_LOOK ? "observe" : scheduler_kind_name(operation_of(j)->report.kind)),
                 .who = item->provider.address,
                 .about = item->type,
                 .outcome = outcomes[failure],
                 .begun = begun,
             });
}

void job_run(void *arg)
{
    int64_t begun = clock_now(&system_clock);
    struct job *j = arg;
    enum scheduler_failure failure;
    begin(j);
    enum backend_end end = BACKEND_CANCELLED;
    if (!cancel_fired(j->cancel))
        end = j->kind == JOB_LOOK ? session_look(session_of(j)) : operation_change(operation_of(j));
    if (!end_try(j, end, &failure))
        return;
    tell(j, failure, begun);
    if (failure == SCHEDULER_TIMED_OUT)
        complain_of_time(j);
    if (failure == SCHEDULER_CRASHED)
        blame(j);
    if (j->kind == JOB_LOOK)
        session_finish(session_of(j), failure);
    else
        operation_finish(operation_of(j), failure);
    job_unref(j); /* the worker's */
}
