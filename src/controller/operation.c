/*
 * Operations, which outlive the pass that began them. The scheduler runs them; this file writes the journal around them, stores
 * their results, and reports back: when an operation ends, the object's key goes into the queue, and its next turn reports the
 * end first.
 */
#include "base/must.h"
#include "controller/controller_private.h"
#include "crossplane/external_name.h"
#include "managed/identity.h"

#include <stdlib.h>

struct running {
    struct controller *c;
    struct scheduler *scheduler;
    const struct xp_kind *model;
    struct arena *arena;
    struct str key; /* KEY of the object */
    struct journal_entry entry;
    bool journalled;
    bool unkept;       /* the store did not take the state: */
    struct str state;  /* its text; empty: nothing exists */
    struct str named;  /* the external name when it began */
    int64_t pending;   /* the mark of the creation then */
    bool awaited;      /* the turn that began it waits for its end, so its end wakes nobody; protected by the controller's lock */
    atomic_bool ended; /* from then on the worker owns the entry */
};

static struct str copy(struct arena *a, struct str s)
{
    return s.n > 0 ? arena_str(a, s) : STR_EMPTY;
}

static struct journal_entry entry_of(const struct turn *t, struct arena *a, enum reconcile_operation operation,
                                     const struct json *object)
{
    return (struct journal_entry){
        .uid = arena_str(a, managed_uid(object)),
        .group = arena_str(a, t->key.group),
        .kind = arena_str(a, t->key.kind),
        .namespace = copy(a, t->key.namespace),
        .name = arena_str(a, t->key.name),
        .operation = operation,
        .generation = managed_generation(object),
        .intent = STR_EMPTY,
        .plan = STR_EMPTY,
        .external_name = copy(a, managed_annotation(object, MANAGED_EXTERNAL_NAME)),
        .begun_ns = t->c->clock->wall_ns(t->c->clock),
        .error = STR_EMPTY,
    };
}

/*
 * Where writes are expensive: the pending mark and the kept state make the journal unnecessary for a creation if the resource can
 * be found by its name or in a list, and the next observation makes it unnecessary for everything else.
 */
static bool is_journalled(const struct turn *t, enum reconcile_operation operation)
{
    if (!t->c->options.sparing)
        return true;
    return operation == RECONCILE_CREATE && !managed_name_is_deterministic(t->model) && !lookup_can_list(t);
}

bool operation_only_marks(const struct turn *t)
{
    return !is_journalled(t, RECONCILE_CREATE) && !managed_name_is_deterministic(t->model);
}

/* Another process may own the object by now and act on it: the pass ends without a message. */
static const struct reconcile_answer may_not_act = {.status = RECONCILE_CONFLICT, .message = STR_EMPTY};

struct reconcile_answer operation_announce(struct turn *t, const struct json *object)
{
    struct journal_entry entry = entry_of(t, t->arena, RECONCILE_CREATE, object);
    struct diags diags;
    diags_init(&diags, t->arena);
    if (t->known->running || !store_holds_lease(t->c->store))
        return may_not_act;
    if (!is_journalled(t, RECONCILE_CREATE))
        return (struct reconcile_answer){0};
    return journal_begin(&t->c->journal, &entry, &diags) ? (struct reconcile_answer){0} : answer_failed(says(t->arena, &diags));
}

/* --- on the scheduler's thread --- */

static bool keep(void *ctx, const struct scheduler_kept *now)
{
    struct running *r = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct str text;
    enum store_result result = STORE_TOO_LARGE;
    diags_init(&diags, a);
    r->unkept = false;
    if (now->unknown) /* the kept state stays */
        return true;
    if (state_text(a, now->object, &diags, &text)) {
        bool may_store = store_holds_lease(r->c->store);
        result = may_store ? state_keep_text(r->c->store, r->entry.uid, text, &diags) : STORE_FAILED;
        if (result == STORE_OK)
            return true;
        if (!may_store)
            (void)diags_fail(&diags, "Not the owner", "another process may own the object by now");
        r->unkept = !state_is_refused(result);
        r->state = copy(r->arena, text);
    }
    log_error(r->c->log, "state not stored", LOG_STR("object", r->key), LOG_STR("why", says(a, &diags)));
    return false;
}

static struct str name_of(const struct running *r, struct arena *a, const struct scheduler_kept *now)
{
    struct str name;
    struct diags ignored;
    diags_init(&ignored, a);
    bool stays = r->model->config.external_name.name_repeats && r->entry.external_name.n > 0;
    if (stays || !now->object ||
        !xp_external_name_of_state(a, &r->model->config.external_name, now->object->attributes, &ignored, &name))
        return r->entry.external_name;
    return name;
}

static struct str error_of(struct arena *a, const struct scheduler_result *result)
{
    if (result->report.failure == SCHEDULER_FINE)
        return STR_EMPTY;
    struct str why = says(a, result->diags);
    return why.n > 0 ? why : STR("the operation was cancelled");
}

static void done(void *ctx)
{
    struct running *r = ctx;
    struct controller *c = r->c;
    struct scheduler_result result = {0};
    struct diags diags;
    diags_init(&diags, r->arena);
    must_be(scheduler_collect(r->scheduler, r->entry.uid, &result), "the result of an operation is gone");
    enum journal_outcome outcome = result.now.unknown                        ? JOURNAL_UNKNOWN
                                   : result.report.failure == SCHEDULER_FINE ? JOURNAL_SUCCEEDED
                                                                             : JOURNAL_FAILED;
    if (outcome != JOURNAL_SUCCEEDED)
        atomic_fetch_add(&c->lost[r->entry.operation], 1);
    struct str name = name_of(r, r->arena, &result.now), error = error_of(r->arena, &result);
    if (!r->journalled || !store_holds_lease(c->store)) /* the record may be another process's by now */
        journal_entry_end(&r->entry, outcome, name, error);
    else if (!journal_ended(&c->journal, &r->entry, outcome, name, error, &diags))
        log_error(c->log, "end of an operation not recorded", LOG_STR("object", r->key), LOG_STR("why", says(r->arena, &diags)));
    scheduler_result_free(&result);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str key = arena_str(a, r->key);
    mutex_lock(&c->lock);
    bool awaited = r->awaited;
    atomic_store(&r->ended, true); /* r may be freed from here on */
    cond_broadcast(&c->changed);
    mutex_unlock(&c->lock);
    if (!awaited)
        queue_add(c->queue, key, known_config_of(c->known, a, key), QUEUE_CHANGE);
    mutex_lock(&c->lock);
    c->n_running--;
    cond_broadcast(&c->changed);
    mutex_unlock(&c->lock);
}

/* --- starting --- */

static struct running *running_new(struct external_connection *x, enum reconcile_operation operation, const struct json *object)
{
    struct turn *t = x->turn;
    struct running *r = must(calloc(1, sizeof *r));
    r->c = t->c;
    r->scheduler = x->setup.scheduler;
    r->model = t->model;
    r->arena = arena_new(NULL, 0);
    r->key = arena_str(r->arena, t->known->key);
    r->entry = entry_of(t, r->arena, operation, object);
    r->named = r->entry.external_name;
    r->pending = managed_mark_time(object, MANAGED_CREATE_PENDING);
    r->journalled = is_journalled(t, operation);
    r->awaited = t->c->options.sparing;
    if (operation == RECONCILE_CREATE && x->comparable)
        r->entry.wanted = json_copy(r->arena, x->comparable);
    return r;
}

static void count_running(struct controller *c, bool more)
{
    MUTEX_GUARD(&c->lock);
    c->n_running += more ? 1 : (size_t)-1;
}

bool operation_keep(struct controller *c, const struct known_object *o, struct diags *diags)
{
    struct running *r = o->running;
    struct diags said;
    diags_init(&said, diags->arena);
    enum store_result result = r->unkept ? state_keep_text(c->store, r->entry.uid, r->state, &said) : STORE_OK;
    r->unkept = result != STORE_OK && !state_is_refused(result);
    if (r->unkept)
        diags_append(diags, &said);
    else if (result != STORE_OK)
        log_error(c->log, "state given up", LOG_STR("object", r->key), LOG_STR("why", says(diags->arena, &said)));
    return !r->unkept;
}

bool operation_is_missed(struct turn *t, struct diags *diags, bool *ret)
{
    const struct running *r = t->known->running;
    struct str kept = STR_EMPTY;
    *ret = false;
    if (r->entry.operation != RECONCILE_CREATE || managed_mark_time(t->stored, MANAGED_CREATE_PENDING) != r->pending ||
        !str_eq(managed_annotation(t->stored, MANAGED_EXTERNAL_NAME), r->named))
        return true;
    if (!kept_get(t->c->store, t->arena, KEPT_STATE, r->entry.uid, diags, &kept))
        return false;
    *ret = kept.n == 0;
    return true;
}

void operation_forget(struct known_object *o)
{
    if (!o->running)
        return;
    arena_free(o->running->arena);
    free(o->running);
    o->running = NULL;
}

/* The operation was not started after all: nothing was sent. */
static void take_back(struct turn *t)
{
    struct diags ignored; /* if the record stays, it still says that nothing was sent */
    diags_init(&ignored, t->arena);
    (void)journal_settle(&t->c->journal, t->known->running->entry.uid, &ignored);
    operation_forget(t->known);
    count_running(t->c, false);
}

static bool record_begin(struct turn *t, struct journal_entry *entry, struct diags *diags)
{
    bool announced = entry->operation == RECONCILE_CREATE;
    if (!t->known->running->journalled)
        return true;
    return (announced || journal_begin(&t->c->journal, entry, diags)) && journal_sent(&t->c->journal, entry, diags);
}

struct reconcile_answer operation_begin(struct external_connection *x, enum reconcile_operation operation,
                                        const struct json *object, struct reconcile_change *ret)
{
    struct turn *t = x->turn;
    struct diags diags;
    struct scheduler_started started = {0};
    diags_init(&diags, t->arena);
    if (t->known->running || !store_holds_lease(t->c->store)) /* the end of an earlier one must not be lost */
        return may_not_act;
    struct running *r = t->known->running = running_new(x, operation, object);
    const struct scheduler_events events = {.keep = keep, .done = done, .ctx = r};
    count_running(t->c, true);
    enum scheduler_answer answer = SCHEDULER_FAILED;
    if (record_begin(t, &r->entry, &diags)) {
        diags_init(&diags, t->arena); /* a missing earlier record is no error */
        answer =
            (operation == RECONCILE_DELETE ? scheduler_delete : scheduler_apply)(x->session, t->arena, &events, &diags, &started);
    }
    if (answer != SCHEDULER_ANSWERED || started.completed)
        take_back(t);
    if (answer != SCHEDULER_ANSWERED)
        return answer_failed(says(t->arena, &diags));
    if (!started.completed)
        atomic_fetch_add(&t->c->begun[operation], 1);
    *ret = (struct reconcile_change){.begun = !started.completed};
    return (struct reconcile_answer){0};
}

/* --- state of the operation --- */

bool operation_is_running(const struct known_object *o)
{
    return o->running && !atomic_load(&o->running->ended);
}

bool operation_is_open(const struct known_object *o)
{
    return o->running != NULL;
}

bool operation_is_delete(const struct known_object *o)
{
    return o->running->entry.operation == RECONCILE_DELETE;
}

bool operation_is_create(const struct known_object *o)
{
    return o->running->entry.operation == RECONCILE_CREATE;
}

int64_t operation_started(const struct known_object *o)
{
    return o->running->entry.begun_ns;
}

struct journal_entry *operation_ended(const struct known_object *o)
{
    return o->running && atomic_load(&o->running->ended) ? &o->running->entry : NULL;
}

bool operation_await(struct controller *c, const struct known_object *o, int64_t until)
{
    struct running *r = o->running;
    if (!r)
        return false;
    MUTEX_GUARD(&c->lock);
    r->awaited = true;
    while (!atomic_load(&r->ended) && !atomic_load(&c->stopping) && cond_wait(&c->changed, &c->lock, until))
        ;
    r->awaited = false;
    return atomic_load(&r->ended);
}

void operation_cancel(struct known_object *o)
{
    if (operation_is_running(o))
        (void)scheduler_cancel(o->running->scheduler, o->running->entry.uid);
}
