/* A turn of a worker with one object: reports the end of an operation, runs one pass, and schedules the next turn. */
#include "controller/controller_private.h"
#include "managed/identity.h"
#include "managed/policies.h"

#define SHORT_OPERATION_NS NS_PER_S
enum { MAX_PASSES = 4 }; /* per turn: an object that needs more never settles */

/* --- messages --- */

struct str says(struct arena *a, const struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(JOURNAL_MAX_RECORD);
    for (size_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->v[i];
        if (d->severity != DIAG_ERROR)
            continue;
        buf_printf(&out, "%s" STR_FMT "%s" STR_FMT, out.n > 0 ? "\n" : "", STR_ARG(d->summary),
                   d->detail.n > 0 && d->summary.n > 0 ? ": " : "", STR_ARG(d->detail));
    }
    return buf_copy(&out, a);
}

struct reconcile_answer answer_failed(struct str message)
{
    return (struct reconcile_answer){.status = RECONCILE_FAILED, .message = message};
}

struct reconcile_answer answer_of(struct turn *t, enum store_result result, const struct diags *diags)
{
    switch (result) {
    case STORE_OK:
        return (struct reconcile_answer){0};
    case STORE_CONFLICT:
        return (struct reconcile_answer){.status = RECONCILE_CONFLICT, .message = STR_EMPTY};
    case STORE_NOT_FOUND:
        return (struct reconcile_answer){.status = RECONCILE_NOT_FOUND, .message = STR("the object is gone")};
    default:
        return answer_failed(says(t->arena, diags));
    }
}

/* --- start and end --- */

bool turn_begin(struct turn *t, struct controller *c, struct arena *a, struct known_object *known)
{
    *t = (struct turn){.c = c, .arena = a, .known = known, .kind = known->kind, .key = key_parse(known->key)};
    if (t->kind->role != KIND_MANAGED)
        return true;
    struct diags diags;
    diags_init(&diags, a);
    t->model = kinds_model(c->kinds, t->kind, &diags);
    if (!t->model)
        log_error(c->log, "kind cannot be served", LOG_STR("object", known->key), LOG_STR("why", says(a, &diags)));
    return t->model != NULL;
}

void turn_end(struct turn *t)
{
    (void)turn_flush(t);
    for (size_t i = 0; i < t->n_sessions; i++)
        scheduler_end(t->sessions[i]);
    t->n_sessions = 0;
}

void turn_use(struct turn *t, struct str key)
{
    for (size_t i = 0; i < t->uses.n; i++)
        if (str_eq(t->uses.v[i], key))
            return;
    vec_reserve(t->arena, (void **)&t->uses.v, &t->uses.cap, t->uses.n + 1, sizeof *t->uses.v, alignof(max_align_t));
    t->uses.v[t->uses.n++] = key;
    if (t->kind->role == KIND_MANAGED)
        known_use(t->c->known, t->known, key);
}

static int64_t poll_after(void *controller, const struct json *object)
{
    struct controller *c = controller;
    uint64_t random = atomic_fetch_add(&c->random, UINT64_C(0x9e3779b97f4a7c15));
    random = (random ^ (random >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return managed_poll_after(&c->poll, object, random ^ (random >> 27));
}

/* A type may need more time to be read than a pass usually has. */
static int64_t time_of_pass(const struct turn *t)
{
    int64_t read_ns = t->model ? t->model->config.timeout_read * NS_PER_S : 0;
    return read_ns >= RECONCILE_TIMEOUT_NS ? RECONCILE_TIMEOUT_NS + read_ns : RECONCILE_TIMEOUT_NS;
}

struct reconcile_options turn_options(const struct turn *t)
{
    return (struct reconcile_options){
        .clock = t->c->clock,
        .policies = true,
        .cluster_scoped = t->kind->flavour == FLAVOUR_CLUSTER,
        .deterministic_external_name = managed_name_is_deterministic(t->model),
        .creation_unknown = t->known->creation_unknown,
        .creation_runs = operation_is_open(t->known) && operation_is_create(t->known),
        .only_marks = t->model && operation_only_marks(t),
        .updated_generation = t->updated_generation,
        .grace_ns = RECONCILE_GRACE_NS,
        .timeout_ns = time_of_pass(t),
        .poll_after = poll_after,
        .poll_ctx = t->c,
        .better = RECONCILE_BETTER,
    };
}

static struct reconcile_key reconcile_key_of(const struct turn *t)
{
    return (struct reconcile_key){t->key.group, t->key.kind, t->key.namespace, t->key.name};
}

/* --- the journal --- */

static void settle(struct turn *t, struct str uid)
{
    struct diags diags;
    diags_init(&diags, t->arena);
    if (!journal_settle(&t->c->journal, uid, &diags))
        log_warn(t->c->log, "journal not settled", LOG_STR("object", t->known->key), LOG_STR("why", says(t->arena, &diags)));
}

/* Writes annotations whose content only the journal has. */
static bool adopt(struct turn *t, const struct journal_entry *entry, const char *mark)
{
    struct reconcile_objects objects = objects_of(t);
    struct reconcile_call call = {.arena = t->arena, .deadline = NO_DEADLINE};
    const struct json *object = t->stored;
    if (entry->external_name.n > 0 && entry->phase == JOURNAL_ENDED)
        object = managed_annotate(t->arena, object, MANAGED_EXTERNAL_NAME, entry->external_name);
    if (managed_creation_is_incomplete(object))
        object = managed_mark(t->arena, object, mark, managed_mark_moment(object, mark, t->c->clock->wall_ns(t->c->clock)));
    return objects.update_critical_annotations(t, &call, &object).status == RECONCILE_OK;
}

static bool report(struct turn *t, const struct journal_entry *entry, bool unknown)
{
    struct reconcile_key key = reconcile_key_of(t);
    struct reconcile_options options = turn_options(t);
    struct reconcile_objects objects = objects_of(t);
    const struct reconcile_report said = {entry->operation, entry->outcome == JOURNAL_SUCCEEDED ? STR_EMPTY : entry->error,
                                          unknown};
    struct reconcile_result result = reconcile_report(t->arena, &key, &options, &objects, &said);
    if (result.error.n > 0)
        log_warn(t->c->log, "end of an operation not reported", LOG_STR("object", t->known->key), LOG_STR("why", result.error));
    return result.error.n == 0;
}

void turn_settle(struct turn *t, struct journal_entry *entry, bool new)
{
    struct str why;
    bool known_name = managed_name_is_deterministic(t->model);
    enum journal_action action = journal_recover(t->arena, entry, t->stored, known_name, &why);
    if (!new)
        log_info(t->c->log, "operation found in the journal", LOG_STR("object", t->known->key), LOG_STR("why", why));
    bool shown = true;
    switch (action) {
    case JOURNAL_CANCEL:
        shown = adopt(t, entry, MANAGED_CREATE_FAILED);
        break;
    case JOURNAL_ADOPT:
        shown = adopt(t, entry, MANAGED_CREATE_SUCCEEDED) && report(t, entry, false);
        break;
    case JOURNAL_REPORT: /* the removal of the object shows that a deletion succeeded */
        shown = (entry->operation == RECONCILE_DELETE && entry->outcome == JOURNAL_SUCCEEDED) || report(t, entry, false);
        break;
    case JOURNAL_LOOK_UP:
        t->known->creation_unknown = true;
        shown = false;
        break;
    case JOURNAL_OBSERVE:
        t->known->settle_when_observed = true;
        shown = false;
        break;
    case JOURNAL_WARN:
        log_warn(t->c->log, "something may be left", LOG_STR("why", why));
        break;
    case JOURNAL_DROP:
        break;
    }
    if (new && !shown && (action == JOURNAL_LOOK_UP || action == JOURNAL_OBSERVE))
        (void)report(t, entry, action == JOURNAL_LOOK_UP);
    if (shown)
        settle(t, entry->uid);
}

/* Another process may own the object by now: it observes what the operation has done. */
static void leave_to_next(struct turn *t, const struct journal_entry *entry)
{
    log_info(t->c->log, "end of an operation left to the next owner", LOG_STR("object", t->known->key),
             LOG_STR("external_name", entry->external_name));
    operation_forget(t->known);
}

bool turn_report_end(struct turn *t)
{
    struct journal_entry *entry = operation_ended(t->known);
    struct diags diags;
    diags_init(&diags, t->arena);
    if (!entry)
        return true;
    enum store_result there = turn_read(t, &diags);
    if (there != STORE_OK)
        t->stored = t->base = NULL;
    bool gone = there == STORE_NOT_FOUND || (there == STORE_OK && !str_eq(managed_uid(t->stored), entry->uid));
    bool late = !gone && !store_holds_lease(t->c->store), missed = true;
    if (!gone && (there != STORE_OK || (late && !operation_is_missed(t, &diags, &missed)) ||
                  (missed && !operation_keep(t->c, t->known, &diags)))) {
        t->unwritten = true;
        t->unwritten_why = says(t->arena, &diags);
        return false;
    }
    if (late && !missed) {
        leave_to_next(t, entry);
        return false;
    }
    t->late = late;
    turn_settle(t, entry, true);
    known_operation_ended(t->c->known, t->known, entry->outcome == JOURNAL_FAILED);
    bool succeeded = entry->outcome == JOURNAL_SUCCEEDED;
    t->updated_generation =
        succeeded && !gone && entry->operation == RECONCILE_UPDATE && !t->known->asked_meanwhile ? entry->generation : 0;
    t->deleted = succeeded && entry->operation == RECONCILE_DELETE && str_eq(entry->uid, managed_uid(t->stored));
    t->known->asked_meanwhile = false;
    operation_forget(t->known);
    return succeeded;
}

/* --- times --- */

static void time_of(struct turn *t, enum controller_time what, int64_t since, int64_t until)
{
    const struct controller_options *o = &t->c->options;
    if (o->timer && since > 0)
        o->timer(o->timer_ctx, t->kind, what, until > since ? until - since : 0);
}

void turn_tell_age(struct turn *t, const struct json *object, const char *since, enum controller_time what)
{
    int64_t then = 0;
    if (managed_time_parse(object_metadata_text(object, since), &then))
        time_of(t, what, then, t->c->clock->wall_ns(t->c->clock));
}

static void note_life(struct turn *t)
{
    struct managed_condition c;
    if (t->known->life == KNOWN_NEW && managed_condition(t->shown, "Synced", &c)) {
        turn_tell_age(t, t->shown, "creationTimestamp", CONTROLLER_FIRST_RECONCILE);
        t->known->life = KNOWN_NOT_READY_YET;
    }
    if (t->known->life == KNOWN_NOT_READY_YET && managed_condition(t->shown, "Ready", &c) && str_eqz(c.status, "True")) {
        turn_tell_age(t, t->shown, "creationTimestamp", CONTROLLER_FIRST_READY);
        t->known->life = KNOWN_OLD;
    }
}

/* --- the object's condition --- */

static void tell(struct turn *t, const struct json *object)
{
    const struct controller_options *o = &t->c->options;
    struct controller_news news = {.kind = t->kind, .namespace = t->key.namespace, .name = t->key.name, .gone = !object};
    struct managed_condition condition;
    note_life(t);
    if (!o->listener)
        return;
    if (managed_condition(object, "Ready", &condition)) {
        news.ready = str_eqz(condition.status, "True");
        news.ready_reason = condition.reason;
    }
    if (managed_condition(object, "Synced", &condition)) {
        news.synced = str_eqz(condition.status, "True");
        news.synced_reason = condition.reason;
        news.message = condition.message;
        news.paused = str_eqz(condition.reason, "ReconcilePaused");
    }
    news.paused = news.paused || managed_is_of_another(object);
    news.deleting = managed_is_deleted(object);
    o->listener(o->listener_ctx, &news);
}

static enum known_phase phase_of(const struct turn *t, const struct reconcile_result *result)
{
    struct managed_condition ready, synced;
    bool is_ready = managed_condition(t->shown, "Ready", &ready) && str_eqz(ready.status, "True");
    bool has_synced = managed_condition(t->shown, "Synced", &synced);
    if (managed_is_of_another(t->shown) || (has_synced && str_eqz(synced.reason, "ReconcilePaused")))
        return KNOWN_PAUSED;
    if (result->error.n > 0 || (has_synced && !str_eqz(synced.status, "True")))
        return operation_is_open(t->known) ? KNOWN_MOVING : KNOWN_FAILING;
    if (operation_is_open(t->known) || managed_is_deleted(t->shown) || !has_synced || !is_ready || result->in_vain)
        return KNOWN_MOVING;
    return KNOWN_READY;
}

/* --- a pass and its result --- */

static void come_again(struct turn *t, const struct reconcile_result *result)
{
    struct queue *q = t->c->queue;
    struct str key = t->known->key;
    if (operation_is_open(t->known)) /* its end wakes the object, and decides whether the backoff is reset */
        return;
    if (result->error.n > 0 || result->again == RECONCILE_WITH_BACKOFF) {
        queue_retry(q, key, t->config);
        return;
    }
    queue_forget(q, key);
    if (result->again == RECONCILE_AFTER)
        queue_add_after(q, key, t->config, QUEUE_POLL, result->after_ns);
}

static void note_journal(struct turn *t, const struct reconcile_result *result)
{
    struct known_object *o = t->known;
    bool known = (o->creation_unknown && result->creation_known) || (o->settle_when_observed && result->observed);
    if (!known || operation_is_open(o)) /* an operation that was begun meanwhile has the record now */
        return;
    settle(t, managed_uid(t->shown));
}

static void note_breaker(struct turn *t)
{
    if (t->config.n == 0 || (!t->observed && t->failure_text.n == 0))
        return;
    queue_report(t->c->queue, t->config, t->observed ? STR_EMPTY : t->failure_text);
}

/* The object is no longer in the store. If it was removed without our finalizer, its records are still there. */
static void forget(struct turn *t)
{
    struct str uid = t->known->usage_uid;
    struct diags ignored; /* the next start finds them */
    diags_init(&ignored, t->arena);
    tell(t, NULL);
    if (uid.n > 0) {
        (void)usage_drop(t, uid, &ignored);
        (void)kept_remove(t->c->store, KEPT_STATE, uid, &ignored);
    }
    known_forget(t->c->known, t->known);
}

static void leave(struct turn *t, enum known_phase phase)
{
    struct str key = t->known->key;
    if (known_end(t->c->known, t->known, phase))
        queue_add(t->c->queue, key, known_config_of(t->c->known, t->arena, key), QUEUE_CHANGE);
}

/* What an operation has left is known to this process alone: the object shows what it waits for, if it can be written. */
static void show_unwritten(struct turn *t)
{
    struct reconcile_key key = reconcile_key_of(t);
    struct reconcile_options options = turn_options(t);
    struct reconcile_objects objects = objects_of(t);
    log_error(t->c->log, "end of an operation not stored", LOG_STR("object", t->known->key), LOG_STR("why", t->unwritten_why));
    (void)reconcile_wait(
        t->arena, &key, &options, &objects,
        arena_printf(t->arena, "the end of the last operation cannot be stored: " STR_FMT, STR_ARG(t->unwritten_why)));
}

/* A failed operation is retried with backoff, or it would be repeated without a pause. */
static void back_off(struct turn *t)
{
    if (t->unwritten)
        show_unwritten(t);
    queue_retry(t->c->queue, t->known->key, known_config_of(t->c->known, t->arena, t->known->key));
    (void)turn_flush(t);
    if (t->shown)
        tell(t, t->shown);
    leave(t, KNOWN_FAILING);
}

/* With the names of controller-runtime, whose metrics people know. */
static void tell_of_pass(struct turn *t, const struct reconcile_result *result, int64_t begun)
{
    struct str kind = arena_lower(t->arena, t->kind->kind);
    log_work(t->c->log, &(struct log_work){
                            .kind = LOG_WORK_PASS,
                            .what = STR("reconcile"),
                            .who = arena_printf(t->arena, "managed/" STR_FMT "/" STR_FMT ", kind=" STR_FMT,
                                                STR_ARG(t->kind->group), STR_ARG(t->kind->version), STR_ARG(kind)),
                            .about = t->known->key,
                            .outcome = result->error.n > 0                       ? "error"
                                       : result->again == RECONCILE_WITH_BACKOFF ? "requeue"
                                       : result->again == RECONCILE_AFTER        ? "requeue_after"
                                                                                 : "ok",
                            .begun = begun,
                        });
}

/* As crossplane-runtime and Upjet measure: drift and changes by users alike. */
static void note_times(struct turn *t, const struct reconcile_result *result)
{
    int64_t now = clock_now(&system_clock);
    if (result->updated)
        time_of(t, CONTROLLER_DRIFT, t->known->unchanged_at, now);
    if (result->unchanged || (result->updated && t->known->unchanged_at > 0))
        t->known->unchanged_at = now;
    if (result->unchanged && result->again == RECONCILE_AFTER)
        t->known->due_at = now + result->after_ns;
}

static struct reconcile_result pass_once(struct turn *t)
{
    struct controller *c = t->c;
    struct reconcile_key key = reconcile_key_of(t);
    struct reconcile_objects objects = objects_of(t);
    struct reconcile_external external = external_of(t);
    struct reconcile_options options = turn_options(t);
    int64_t begun = clock_now(&system_clock);
    time_of(t, CONTROLLER_DELAY, t->known->due_at, begun);
    t->known->due_at = 0;
    struct reconcile_result result = reconcile_once(t->arena, &key, &options, &objects, &external);
    tell_of_pass(t, &result, begun);
    note_times(t, &result);
    atomic_fetch_add(&c->passes, 1);
    if (result.error.n > 0) {
        atomic_fetch_add(&c->failed, 1);
        log_warn(c->log, "pass failed", LOG_STR("object", t->known->key), LOG_STR("why", result.error));
    }
    return result;
}

static void note_pass(struct turn *t, const struct reconcile_result *result)
{
    note_journal(t, result);
    if (result->creation_known || (t->known->creation_unknown && operation_is_open(t->known)))
        t->known->creation_unknown = false;
    if (result->observed || operation_is_open(t->known))
        t->known->settle_when_observed = false;
    if (result->unchanged || result->in_vain)
        known_updated(t->c->known, t->known, result->in_vain);
}

/* `asked`: something has changed, so there is a reason to retry now. */
static void pass(struct turn *t, bool asked)
{
    struct controller *c = t->c;
    t->known->asked_meanwhile |= asked;
    bool had_ended = operation_ended(t->known) != NULL, succeeded = turn_report_end(t);
    if (t->unwritten || (!succeeded && !asked)) {
        back_off(t);
        return;
    }
    if (!operation_is_open(t->known))
        t->known->asked_meanwhile = false;
    if (had_ended && t->updated_generation == 0) /* whether an update was of use is seen first */
        queue_forget(c->queue, t->known->key);
    if (!t->base || t->base == t->stored)
        t->shown = NULL;
    struct reconcile_result result = pass_once(t);
    /* Most operations are short: then one turn completes the work, and writes once. */
    for (int more = 0; c->options.sparing && operation_await(c, t->known, clock_now(&system_clock) + SHORT_OPERATION_NS);
         more++) {
        note_pass(t, &result);
        known_set_uses(c->known, t->known, &t->uses, t->config);
        if (!turn_report_end(t) || more == MAX_PASSES) {
            back_off(t);
            return;
        }
        result = pass_once(t);
    }
    if (!turn_flush(t) && result.error.n == 0)
        result.error = STR("the object could not be written");
    if (!t->shown && result.error.n == 0 && !operation_is_open(t->known)) {
        forget(t);
        return;
    }
    note_pass(t, &result);
    known_set_uses(c->known, t->known, &t->uses, t->config);
    note_breaker(t);
    if (t->shown)
        tell(t, t->shown);
    come_again(t, &result);
    leave(t, phase_of(t, &result));
}

/* The configuration's breaker is open: the object's status shows what it waits for. */
static void wait_for_config(struct turn *t, const struct queue_item *item)
{
    struct reconcile_key key = reconcile_key_of(t);
    struct reconcile_options options = turn_options(t);
    struct reconcile_objects objects = objects_of(t);
    struct store_key config = key_parse(item->config);
    struct str why = queue_waits_for(t->arena, t->c->queue, item->config, object_title(t->arena, &config));
    if (why.n > 0)
        (void)reconcile_wait(t->arena, &key, &options, &objects, why);
    (void)turn_flush(t);
    if (t->shown)
        tell(t, t->shown);
    leave(t, KNOWN_FAILING);
}

/*
 * Handles the operation that the object's previous owner left under way. False: it is not known whether there is one, so nothing
 * may be begun.
 */
static bool take_journal(struct turn *t)
{
    struct diags diags;
    struct str text = STR_EMPTY;
    diags_init(&diags, t->arena);
    enum store_result there = turn_read(t, &diags);
    if (there == STORE_NOT_FOUND)
        return true;
    if (there != STORE_OK || !kept_get(t->c->store, t->arena, KEPT_JOURNAL, managed_uid(t->stored), &diags, &text)) {
        log_warn(t->c->log, "journal not read", LOG_STR("object", t->known->key), LOG_STR("why", says(t->arena, &diags)));
        return false;
    }
    t->known->journal_read = true;
    if (text.n == 0)
        return true;
    struct journal_entry entry = journal_read(t->arena, managed_uid(t->stored), text);
    turn_settle(t, &entry, false);
    atomic_fetch_add(&t->c->recovered, 1);
    return true;
}

/* Another process owns the object now: only the end of an operation begun here is still reported. False: this process owns it. */
static bool give_away(struct turn *t)
{
    struct diags ignored;
    diags_init(&ignored, t->arena);
    if (!t->c->options.owns)
        return false;
    if (atomic_load(&t->known->shard) == 0 && turn_read(t, &ignored) == STORE_OK)
        atomic_store(&t->known->shard, controller_shard_of(t->c, &t->key, t->stored));
    uint64_t shard = atomic_load(&t->known->shard);
    if (shard != 0 && controller_owns(t->c, shard))
        return false;
    if (t->kind->role == KIND_MANAGED && operation_is_running(t->known)) {
        leave(t, KNOWN_MOVING);
        return true;
    }
    if (t->kind->role == KIND_MANAGED)
        (void)turn_report_end(t);
    if (t->unwritten) { /* so this process still holds it */
        back_off(t);
        return true;
    }
    (void)turn_flush(t);
    struct str key = arena_str(t->arena, t->known->key);
    queue_forget(t->c->queue, key);
    bool seen = known_give_away(t->c->known, t->known);
    if (seen || controller_owns(t->c, shard)) /* taken back meanwhile: whoever saw that did not wake what was still known */
        queue_add(t->c->queue, key, STR_EMPTY, QUEUE_CHANGE);
    return true;
}

void turn_run(struct controller *c, const struct queue_item *item, bool held)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct store_key key = key_parse(item->key);
    const struct kind *kind = kinds_find(c->kinds, key.group, key.kind);
    struct turn t;
    if (!kind || !store_holds_lease(c->store)) /* without the lease, end at once; the controller's owner notices later */
        return;
    struct known_object *known = known_get(c->known, kind, item->key);
    bool asked = kind->role == KIND_MANAGED && known_begin(c->known, known);
    if (!turn_begin(&t, c, a, known)) {
        leave(&t, KNOWN_FAILING);
        return;
    }
    if (give_away(&t)) {
        t.base = t.stored = NULL;
        turn_end(&t);
        return;
    }
    if (kind->role == KIND_MANAGED && c->options.owns && !known->journal_read && !take_journal(&t))
        back_off(&t);
    else if (kind->role == KIND_CONFIG)
        config_turn(&t);
    else if (held)
        wait_for_config(&t, item);
    else
        pass(&t, asked);
    turn_end(&t);
}
