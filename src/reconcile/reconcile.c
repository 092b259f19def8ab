#include "reconcile/reconcile.h"

#include "managed/object.h"
#include "managed/policies.h"
#include "managed/poll.h"

/* --- conditions, reasons and messages: others depend on their wording --- */

#define READY "Ready"
#define SYNCED "Synced"
#define LAST_OPERATION "LastAsyncOperation"

#define CREATE_INCOMPLETE                                                                                                        \
    "cannot determine creation result - remove the " MANAGED_CREATE_PENDING " annotation if it is safe to proceed"
#define CANNOT_UPDATE "cannot update managed resource"
#define CANNOT_ANNOTATE "cannot update managed resource annotations"

static const struct {
    const char *failed;      /* beginning of Synced's message, before the provider's error */
    const char *cannot;      /* reason of the event */
    const char *last_failed; /* beginning of LastAsyncOperation's message, before the provider's error */
    const char *last_reason;
} operations[] = {
    [RECONCILE_CREATE] = {"create failed", "CannotCreateExternalResource", "apply failed", "ApplyFailure"},
    [RECONCILE_UPDATE] = {"update failed", "CannotUpdateExternalResource", "apply failed", "ApplyFailure"},
    [RECONCILE_DELETE] = {"delete failed", "CannotDeleteExternalResource", "destroy failed", "DestroyFailure"},
};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

enum { MAX_SHOWN = 1 << 10, MAX_TOKEN = 128, MAX_MESSAGE = 32 << 10, REPORT_TRIES = 5 };

struct pass {
    struct arena *arena;
    const struct reconcile_key *key;
    const struct reconcile_options *options;
    const struct reconcile_objects *objects;
    const struct reconcile_external *external;
    struct reconcile_call call;
    const struct json *object; /* as stored, with the changes of this pass */
    const struct json *stored; /* as it was read */
    const struct json *asked;  /* as it was before the observation */
    struct managed_policies policies;
    bool must_look_up; /* from step 7: a creation with unknown outcome may have created something */
    void *connection;
    bool connected;
    bool conflict; /* the status was not written: somebody else wrote the object first */
    struct reconcile_observation seen;
    struct reconcile_result result;
};

/* --- conditions, events, and the ways a pass ends. A step returns true when the pass has ended. --- */

static int64_t now(const struct pass *p)
{
    return p->options->clock->wall_ns(p->options->clock);
}

static struct str wrap(const struct pass *p, const char *what, struct str message)
{
    return arena_printf(p->arena, "%s: " STR_FMT, what, STR_ARG(message));
}

/* Cuts a message to the API's limit, at a character boundary. */
static struct str cut(struct str message)
{
    size_t n = message.n < MAX_MESSAGE ? message.n : MAX_MESSAGE;
    while (n < message.n && n > 0 && ((unsigned char)message.p[n] & 0xc0) == 0x80)
        n--;
    return str_slice(message, 0, n);
}

static void set(struct pass *p, const char *type, const char *status, const char *reason, struct str message)
{
    const struct managed_condition condition = {.type = str_of(type),
                                                .status = str_of(status),
                                                .reason = str_of(reason),
                                                .message = cut(message),
                                                .observed_generation = managed_generation(p->object)};
    p->object = managed_set_condition(p->arena, p->object, &condition, now(p));
}

static void set_creating(struct pass *p)
{
    set(p, READY, "False", "Creating", STR_EMPTY);
}

static void set_deleting(struct pass *p)
{
    set(p, READY, "False", "Deleting", STR_EMPTY);
}

static void set_error(struct pass *p, struct str message)
{
    set(p, SYNCED, "False", "ReconcileError", message);
}

static void set_success(struct pass *p)
{
    set(p, SYNCED, "True", "ReconcileSuccess", STR_EMPTY);
}

static void tell(struct pass *p, bool warning, const char *reason, struct str message)
{
    const struct reconcile_event event = {
        .warning = warning,
        .reason = reason,
        .message = message,
        .external_name = managed_annotation(p->object, MANAGED_EXTERNAL_NAME),
    };
    p->objects->event(p->objects->ctx, p->object, &event);
}

static bool end(struct pass *p, enum reconcile_again again, int64_t after_ns)
{
    p->result.again = again;
    p->result.after_ns = after_ns;
    return true;
}

static bool end_with_status(struct pass *p, enum reconcile_again again, int64_t after_ns)
{
    p->object = managed_reconcile_handled(p->arena, p->object);
    struct reconcile_answer answer = p->objects->update_status(p->objects->ctx, &p->call, &p->object);
    p->conflict = answer.status == RECONCILE_CONFLICT;
    if (p->conflict)
        return end(p, RECONCILE_WITH_BACKOFF, 0);
    if (answer.status != RECONCILE_OK)
        p->result.error = wrap(p, "cannot update managed resource status", answer.message);
    return end(p, again, after_ns);
}

static bool end_until_poll(struct pass *p)
{
    return end_with_status(p, RECONCILE_AFTER, p->options->poll_after(p->options->poll_ctx, p->object));
}

/*
 * Ends the pass with an error. The event (reason NULL: none) gives the error itself, the condition may say more. A conflict is
 * not an error.
 */
static bool fail(struct pass *p, struct reconcile_answer answer, const char *reason, struct str event, struct str condition)
{
    if (answer.status == RECONCILE_CONFLICT)
        return end(p, RECONCILE_WITH_BACKOFF, 0);
    if (reason)
        tell(p, true, reason, event);
    set_error(p, condition);
    return end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

/* Does Synced show that this operation failed last? It keeps saying so until an operation has succeeded. */
static bool shows_failed(const struct pass *p, enum reconcile_operation operation)
{
    struct managed_condition synced;
    struct str failed = str_of(operations[operation].failed);
    return managed_condition(p->stored, SYNCED, &synced) && str_eqz(synced.status, "False") && str_starts(synced.message, failed);
}

static void set_success_unless_tried_again(struct pass *p, enum reconcile_operation operation, bool only_begun)
{
    if (!only_begun || !p->options->better.steady_synced || !shows_failed(p, operation))
        set_success(p);
}

static void log_change(struct pass *p, enum reconcile_operation operation, struct str error)
{
    if (p->objects->change_log)
        p->objects->change_log(p->objects->ctx, p->object, operation, error);
}

static bool failed(struct reconcile_answer answer)
{
    return answer.status != RECONCILE_OK;
}

typedef struct reconcile_answer write_function(void *ctx, const struct reconcile_call *call, const struct json **object);

/* Writes metadata or spec. The result is the store's view, with the status that this pass has set so far. */
static struct reconcile_answer write_object(struct pass *p, write_function *write)
{
    const struct json *status = json_get(p->object, "status");
    struct reconcile_answer answer = write(p->objects->ctx, &p->call, &p->object);
    if (!failed(answer) && status)
        p->object = managed_put(p->arena, p->object, status, "status", NULL);
    return answer;
}

/* --- the steps, in their order --- */

/* 1. Read the object. If it is gone, there is nothing to do. */
static bool get(struct pass *p)
{
    struct reconcile_answer answer = p->objects->get(p->objects->ctx, &p->call, p->key, &p->object);
    if (answer.status == RECONCILE_NOT_FOUND)
        return end(p, RECONCILE_NOT_AGAIN, 0);
    if (failed(answer)) {
        p->result.error = wrap(p, "cannot get managed resource", answer.message);
        return end(p, RECONCILE_NOT_AGAIN, 0);
    }
    p->stored = p->object;
    p->policies = managed_policies(p->object, p->options->policies, p->options->cluster_scoped);
    return false;
}

/* 2. Paused, by annotation or by an empty list of policies: say so and wait for a change. */
static bool pause_here(struct pass *p)
{
    if (managed_is_of_another(p->object)) /* the status belongs to the other controller, too */
        return end(p, RECONCILE_NOT_AGAIN, 0);
    if (!managed_is_paused_by_annotation(p->object) && !managed_policies_pause(&p->policies))
        return false;
    tell(p, false, "ReconciliationPaused",
         STR("Reconciliation is paused either through the `spec.managementPolicies` or the pause annotation"));
    set(p, SYNCED, "False", "ReconcilePaused", STR_EMPTY);
    return end_with_status(p, RECONCILE_NOT_AGAIN, 0);
}

/* 3. Somebody requested a pass: every write of the status from here on acknowledges it. */
static bool note_request(struct pass *p)
{
    if (managed_reconcile_requested(p->object))
        tell(p, false, "ReconcileRequestHandled",
             arena_printf(p->arena, "Handling reconcile request " STR_FMT,
                          STR_ARG(str_slice(managed_annotation(p->object, MANAGED_RECONCILE_REQUESTED), 0, MAX_TOKEN))));
    return false;
}

static bool is_supported(const struct pass *p)
{
    for (size_t i = 0; i < p->options->n_supported_policies; i++)
        if (p->options->supported_policies[i] == p->policies.actions)
            return true;
    return !p->options->supported_policies || !p->options->policies;
}

/* [Observe Create], as conditions show it. */
static struct str unsupported(const struct pass *p)
{
    struct buf list BUF_AUTO = BUF_INIT(MAX_SHOWN);
    const struct json *said = p->policies.said;
    for (size_t i = 0; managed_is_array(said) && i < said->array.n; i++)
        buf_printf(&list, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(managed_text(said->array.items[i])));
    return arena_printf(p->arena,
                        "`spec.managementPolicies` is set to a value([" STR_FMT
                        "]) which is not supported. Check docs for supported policies",
                        STR_ARG(said ? buf_str(&list) : STR("*")));
}

/* 4. Policies that cannot be used. Only a change of the object can help. */
static bool check_policies(struct pass *p)
{
    struct diags diags;
    diags_init(&diags, p->arena);
    if (managed_policies_check(p->arena, &p->policies, &diags) && is_supported(p))
        return false;
    struct str why = diags.n > 0 ? diags.v[0].detail : unsupported(p);
    tell(p, true, "CannotUseInvalidManagementPolicy", why);
    set_error(p, why);
    return end_with_status(p, RECONCILE_NOT_AGAIN, 0);
}

/* Releases a deleted object: its resource is gone, or stays by policy. */
static bool let_go(struct pass *p)
{
    struct reconcile_answer answer = {0};
    const char *reason = "CannotUnpublishConnectionDetails";
    if (p->objects->unpublish)
        answer = p->objects->unpublish(p->objects->ctx, &p->call, p->object);
    if (!failed(answer)) {
        answer = p->objects->remove_finalizer(p->objects->ctx, &p->call, &p->object);
        reason = NULL;
    }
    if (!failed(answer) || answer.status == RECONCILE_NOT_FOUND) /* gone already, which is just as well */
        return end(p, RECONCILE_NOT_AGAIN, 0);
    set_deleting(p);
    return fail(p, answer, reason, answer.message, answer.message);
}

/* 5. Deleted, and its resource is to stay: the provider gets no request. */
static bool orphan(struct pass *p)
{
    return managed_is_deleted(p->object) && !managed_may_delete(&p->policies) && let_go(p);
}

/* 6. Initialize the object. */
static bool initialize(struct pass *p)
{
    struct reconcile_answer answer = {0};
    if (p->objects->initialize)
        answer = p->objects->initialize(p->objects->ctx, &p->call, &p->object);
    return failed(answer) && fail(p, answer, "CannotInitializeManagedResource", answer.message, answer.message);
}

static bool ask_a_person(struct pass *p, struct str note, bool look_again)
{
    struct str why = note.n > 0 ? arena_printf(p->arena, CREATE_INCOMPLETE ": " STR_FMT, STR_ARG(note)) : STR(CREATE_INCOMPLETE);
    tell(p, true, "CannotInitializeManagedResource", why);
    set_creating(p);
    set_error(p, why);
    return look_again ? end_until_poll(p) : end_with_status(p, RECONCILE_NOT_AGAIN, 0);
}

/*
 * 7. A creation was begun and its outcome is unknown: another one might make a duplicate. If the name is deterministic, observing
 * finds the outcome. Otherwise it is looked up once there is a connection (9b); if that fails, a person has to decide.
 */
static bool check_creation(struct pass *p)
{
    if (!managed_creation_is_incomplete(p->object) && !p->options->creation_unknown)
        return false;
    if (p->options->deterministic_external_name)
        return false;
    p->must_look_up = p->options->better.lookup && p->external->lookup;
    return !p->must_look_up && ask_a_person(p, STR_EMPTY, false);
}

/* 8. Not for deleted objects: what they refer to may be gone already. */
static bool resolve(struct pass *p)
{
    struct reconcile_answer answer = {0};
    if (p->objects->resolve_references && !managed_is_deleted(p->object))
        answer = p->objects->resolve_references(p->objects->ctx, &p->call, &p->object);
    return failed(answer) && fail(p, answer, "CannotResolveResourceReferences", answer.message, answer.message);
}

/* 9. Once connected, disconnect() is always called. */
static bool connect_provider(struct pass *p)
{
    struct reconcile_answer answer = p->external->connect(p->external->ctx, &p->call, p->object, &p->connection);
    p->connected = !failed(answer);
    return failed(answer) &&
           fail(p, answer, "CannotConnectToProvider", answer.message, wrap(p, "connect failed", answer.message));
}

/*
 * 9a. Another object manages the same resource: this object neither changes nor observes it. If both are deleted, only the other
 * one deletes the resource; this one is just released.
 */
static bool keep_away(struct pass *p)
{
    struct reconcile_answer answer = {0};
    if (p->external->claim)
        answer = p->external->claim(p->connection, &p->call, p->object);
    if (!failed(answer))
        return false;
    if (!managed_is_deleted(p->object))
        return fail(p, answer, "CannotClaimExternalResource", answer.message, answer.message);
    return managed_count_finalizers(p->object) > 1 ? end(p, RECONCILE_WITH_BACKOFF, 0) : let_go(p);
}

/* Sets an annotation that must not be lost. */
static struct reconcile_answer mark(struct pass *p, const char *annotation)
{
    p->object = managed_mark(p->arena, p->object, annotation, now(p));
    return write_object(p, p->objects->update_critical_annotations);
}

static bool cannot_annotate(struct pass *p, struct reconcile_answer answer)
{
    struct str why = wrap(p, CANNOT_ANNOTATE, answer.message);
    return fail(p, answer, "CannotUpdateManagedResource", why, why);
}

/* 9b. The answer is written into the object before it is used, so that it need not be found again. */
static bool look_up_creation(struct pass *p)
{
    struct str note = STR_EMPTY;
    enum reconcile_found found = RECONCILE_CANNOT_TELL;
    for (unsigned way = 0; p->must_look_up && way < RECONCILE_LOOKUPS && found == RECONCILE_CANNOT_TELL; way++) {
        struct reconcile_answer answer =
            p->external->lookup(p->connection, &p->call, (enum reconcile_lookup)way, &p->object, &found);
        if (failed(answer)) {
            set_creating(p);
            return fail(p, answer, "CannotInitializeManagedResource", answer.message,
                        wrap(p, "cannot look up creation result", answer.message));
        }
        if (found == RECONCILE_CANNOT_TELL && answer.message.n > 0)
            note = answer.message;
    }
    if (!p->must_look_up)
        return false;
    if (found == RECONCILE_CANNOT_TELL)
        return ask_a_person(p, note, true);
    struct reconcile_answer answer = mark(p, found == RECONCILE_FOUND ? MANAGED_CREATE_SUCCEEDED : MANAGED_CREATE_FAILED);
    p->result.creation_known = !failed(answer);
    return failed(answer) && cannot_annotate(p, answer);
}

/* 10. Observe the resource. */
static bool observe(struct pass *p)
{
    p->asked = p->object;
    struct reconcile_answer answer = p->external->observe(p->connection, &p->call, &p->object, &p->seen);
    p->result.observed = !failed(answer) && !p->seen.operation_runs;
    return failed(answer) &&
           fail(p, answer, "CannotObserveExternalResource", answer.message, wrap(p, "observe failed", answer.message));
}

static bool differs(const struct pass *p, const char *annotation)
{
    return !str_eq(managed_annotation(p->object, annotation), managed_annotation(p->asked, annotation));
}

/*
 * 10a. The external name and the provider's private data are stored now and not with late initialisation, because policies may
 * forbid that and steps before it may end the pass. The store returns its own view; the observation is applied to it again.
 */
static bool keep_identity(struct pass *p)
{
    if (!p->options->better.keep_identity || !p->seen.exists)
        return false;
    if (!differs(p, MANAGED_EXTERNAL_NAME) && !differs(p, MANAGED_PROVIDER_META))
        return false;
    const struct json *observed = p->object;
    struct reconcile_answer answer = write_object(p, p->objects->update_critical_annotations);
    if (failed(answer))
        return cannot_annotate(p, answer);
    if (managed_generation(p->object) != managed_generation(observed)) /* a newer spec: the observation is of the old one */
        return end(p, RECONCILE_WITH_BACKOFF, 0);
    p->object = managed_put(p->arena, p->object, json_get(observed, "spec"), "spec", NULL);
    return false;
}

/* 11. There is nothing to observe, and the policies allow nothing else. */
static bool nothing_to_observe(struct pass *p)
{
    if (p->seen.exists || !managed_only_observes(&p->policies))
        return false;
    tell(p, true, "CannotObserveExternalResource", STR("external resource does not exist"));
    set_error(p, STR("observe failed: external resource does not exist"));
    return end_until_poll(p);
}

/* The last creation is known to have failed, so the absence is no surprise. */
static bool creation_failed(const struct pass *p)
{
    int64_t at = managed_mark_time(p->object, MANAGED_CREATE_FAILED);
    return at > 0 && at >= managed_mark_time(p->object, MANAGED_CREATE_SUCCEEDED) &&
           at >= managed_mark_time(p->object, MANAGED_CREATE_PENDING);
}

/* 12. A resource that was created a moment ago may not be visible yet; another creation would make a duplicate. */
static bool wait_for_creation(struct pass *p)
{
    if (p->seen.exists || !managed_created_within(p->object, p->options->grace_ns, now(p)))
        return false;
    if (p->options->better.believe_absence && (p->seen.absence_is_certain || creation_failed(p)))
        return false;
    tell(p, false, "PendingExternalResource", STR("Waiting for external resource existence to be confirmed"));
    return end(p, RECONCILE_WITH_BACKOFF, 0);
}

/*
 * True if an earlier pass requested the deletion without an error. A deletion in the background says itself whether it was begun
 * just now.
 */
static bool deletion_was_requested(const struct pass *p, const struct reconcile_change *change)
{
    struct managed_condition ready, synced;
    if (change->begun)
        return change->again;
    return managed_condition(p->stored, READY, &ready) && str_eqz(ready.reason, "Deleting") &&
           managed_condition(p->stored, SYNCED, &synced) && str_eqz(synced.status, "True");
}

/* 13b. Repeated until the resource can no longer be observed: only then the object is released. */
static bool delete_external(struct pass *p)
{
    struct reconcile_change change = {0};
    struct reconcile_answer answer = p->external->destroy(p->connection, &p->call, p->object, &change);
    log_change(p, RECONCILE_DELETE, failed(answer) ? answer.message : STR_EMPTY);
    set_deleting(p);
    if (failed(answer))
        return fail(p, answer, operations[RECONCILE_DELETE].cannot, answer.message,
                    wrap(p, operations[RECONCILE_DELETE].failed, answer.message));
    if (!p->options->better.one_delete_event || !deletion_was_requested(p, &change))
        tell(p, false, "DeletedExternalResource", STR("Successfully requested deletion of external resource"));
    set_success_unless_tried_again(p, RECONCILE_DELETE, change.begun);
    return end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

/* 13. Deleted. Other holders of a finalizer come first: they may still need the resource. */
static bool delete_or_go_on(struct pass *p)
{
    if (!managed_is_deleted(p->object))
        return false;
    if (managed_count_finalizers(p->object) > 1)
        return end(p, RECONCILE_WITH_BACKOFF, 0);
    return p->seen.exists ? delete_external(p) : let_go(p);
}

static struct reconcile_answer publish_details(struct pass *p, const struct json *details)
{
    return p->objects->publish ? p->objects->publish(p->objects->ctx, &p->call, p->object, details)
                               : (struct reconcile_answer){0};
}

/* 14. Publish the connection details. */
static bool publish_observed(struct pass *p)
{
    struct reconcile_answer answer = publish_details(p, p->seen.details);
    return failed(answer) && fail(p, answer, "CannotPublishConnectionDetails", answer.message, answer.message);
}

/* 15. Before anything is created: from now on the object cannot be removed before its resource is gone. */
static bool add_finalizer(struct pass *p)
{
    struct reconcile_answer answer = write_object(p, p->objects->add_finalizer);
    return failed(answer) && fail(p, answer, NULL, STR_EMPTY, answer.message);
}

/* 16b. The error of the creation matters more than that of the annotation. */
static bool creation_has_failed(struct pass *p, struct reconcile_answer answer)
{
    tell(p, true, operations[RECONCILE_CREATE].cannot, answer.message);
    struct reconcile_answer marked = mark(p, MANAGED_CREATE_FAILED);
    if (failed(marked))
        tell(p, true, "CannotUpdateManagedResource", wrap(p, CANNOT_ANNOTATE, marked.message));
    set_creating(p);
    set_error(p, wrap(p, operations[RECONCILE_CREATE].failed, answer.message));
    return end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

static struct reconcile_answer announce_create(struct pass *p)
{
    if (!p->external->announce_create)
        return (struct reconcile_answer){0};
    return p->external->announce_create(p->connection, &p->call, p->object);
}

/* Nothing was marked and nothing was sent. */
static bool cannot_begin(struct pass *p, struct reconcile_answer answer)
{
    set_creating(p);
    return fail(p, answer, operations[RECONCILE_CREATE].cannot, answer.message,
                wrap(p, operations[RECONCILE_CREATE].failed, answer.message));
}

/*
 * 16. The pending mark is written first, as a plain update: a conflict proves that the object was out of date, and nothing is
 * created. If the mark after the creation (c) cannot be written, the next pass stops at step 7.
 */
static bool create(struct pass *p)
{
    if (p->seen.exists || !managed_may_create(&p->policies))
        return false;
    struct reconcile_answer answer = announce_create(p);
    if (failed(answer))
        return cannot_begin(p, answer);
    p->object = managed_mark(p->arena, p->object, MANAGED_CREATE_PENDING, now(p));
    answer = write_object(p, p->objects->update);
    if (failed(answer)) {
        struct str why = wrap(p, CANNOT_UPDATE, answer.message);
        set_creating(p);
        return fail(p, answer, "CannotUpdateManagedResource", why, why);
    }
    struct reconcile_change change = {0};
    answer = p->external->create(p->connection, &p->call, &p->object, &change);
    log_change(p, RECONCILE_CREATE, failed(answer) ? answer.message : STR_EMPTY);
    if (failed(answer))
        return creation_has_failed(p, answer);
    answer = mark(p, MANAGED_CREATE_SUCCEEDED);
    set_creating(p);
    if (failed(answer))
        return cannot_annotate(p, answer);
    answer = publish_details(p, change.details);
    if (failed(answer))
        return fail(p, answer, "CannotPublishConnectionDetails", answer.message, answer.message);
    tell(p, false, "CreatedExternalResource", STR("Successfully requested creation of external resource"));
    set_success_unless_tried_again(p, RECONCILE_CREATE, change.begun);
    return end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

/* 17. Store what was initialised late. */
static bool late_initialize(struct pass *p)
{
    if (!p->seen.late_initialized || !managed_may_late_initialize(&p->policies))
        return false;
    struct reconcile_answer answer = write_object(p, p->objects->update);
    return failed(answer) &&
           fail(p, answer, "CannotUpdateManagedResource", answer.message, wrap(p, CANNOT_UPDATE, answer.message));
}

/* 18. Up to date, or an operation that will bring it up to date is running. */
static bool is_up_to_date(struct pass *p)
{
    if (!p->seen.up_to_date)
        return false;
    bool tried_again = false;
    for (unsigned o = 0; p->seen.operation_runs && p->options->better.steady_synced && o < N_OPERATIONS; o++)
        tried_again |= shows_failed(p, (enum reconcile_operation)o);
    if (!tried_again)
        set_success(p);
    p->result.unchanged = !p->seen.operation_runs;
    return end_until_poll(p);
}

/* 19. The resource differs, and the policies forbid an update. */
static bool may_not_update(struct pass *p)
{
    if (managed_may_update(&p->policies))
        return false;
    set_success(p);
    return end_until_poll(p);
}

/* 20. Update the resource. */
static bool update(struct pass *p)
{
    struct reconcile_change change = {0};
    struct reconcile_answer answer = p->external->update(p->connection, &p->call, &p->object, &change);
    log_change(p, RECONCILE_UPDATE, failed(answer) ? answer.message : STR_EMPTY);
    if (failed(answer))
        return fail(p, answer, operations[RECONCILE_UPDATE].cannot, answer.message,
                    wrap(p, operations[RECONCILE_UPDATE].failed, answer.message));
    p->result.updated = !change.again;
    answer = publish_details(p, change.details);
    if (failed(answer))
        return fail(p, answer, "CannotPublishConnectionDetails", answer.message, answer.message);
    tell(p, false, "UpdatedExternalResource", STR("Successfully requested update of external resource"));
    set_success_unless_tried_again(p, RECONCILE_UPDATE, change.begun);
    return end_until_poll(p);
}

static bool (*const steps[])(struct pass *) = {
    get,
    pause_here,
    note_request,
    check_policies,
    orphan,
    initialize,
    check_creation,
    resolve,
    connect_provider,
    keep_away,
    look_up_creation,
    observe,
    keep_identity,
    nothing_to_observe,
    wait_for_creation,
    delete_or_go_on,
    publish_observed,
    add_finalizer,
    create,
    late_initialize,
    is_up_to_date,
    may_not_update,
    update,
};

static struct pass begin(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                         const struct reconcile_objects *objects)
{
    return (struct pass){
        .arena = a,
        .key = key,
        .options = options,
        .objects = objects,
        .call = {.arena = a, .deadline = clock_now(options->clock) + options->timeout_ns},
        .result = {.error = STR_EMPTY},
    };
}

struct reconcile_result reconcile_once(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                                       const struct reconcile_objects *objects, const struct reconcile_external *external)
{
    struct pass p = begin(a, key, options, objects);
    p.external = external;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !steps[i](&p); i++)
        ;
    if (p.connected) {
        struct reconcile_answer answer = external->disconnect(p.connection, &p.call);
        if (failed(answer))
            tell(&p, true, "CannotDisconnectFromProvider", answer.message);
    }
    return p.result;
}

/* --- the end of an operation in the background --- */

/* A failed creation is known to have created nothing: the next one need not wait. */
static void mark_failed_creation(struct pass *p)
{
    struct reconcile_answer answer = mark(p, MANAGED_CREATE_FAILED);
    if (failed(answer))
        tell(p, true, "CannotUpdateManagedResource", wrap(p, CANNOT_ANNOTATE, answer.message));
}

static void set_reported(struct pass *p, const struct reconcile_report *report)
{
    if (report->error.n == 0) {
        set(p, LAST_OPERATION, "True", "Success", STR_EMPTY);
        set_success(p);
        return;
    }
    struct str last = wrap(p, operations[report->operation].last_failed, report->error);
    set(p, LAST_OPERATION, "False", operations[report->operation].last_reason, last);
    set_error(p, wrap(p, operations[report->operation].failed, last));
}

/* Only the caller knows how the operation ended: on a conflict with a pass that writes at the same time, the write is retried. */
struct reconcile_result reconcile_report(struct arena *a, const struct reconcile_key *key,
                                         const struct reconcile_options *options, const struct reconcile_objects *objects,
                                         const struct reconcile_report *report)
{
    struct pass p = begin(a, key, options, objects);
    bool ok = report->error.n == 0;
    for (int tries = 0; tries < REPORT_TRIES; tries++) {
        if (get(&p))
            break;
        if (!ok && report->operation == RECONCILE_CREATE && options->better.believe_absence && !creation_failed(&p))
            mark_failed_creation(&p);
        set_reported(&p, report);
        p.conflict = false;
        (void)end_with_status(&p, ok ? RECONCILE_AFTER : RECONCILE_WITH_BACKOFF, 0);
        if (!p.conflict)
            break;
    }
    if (p.conflict)
        p.result.error = STR("cannot update managed resource status: the object is being changed all the time");
    return p.result;
}

struct reconcile_result reconcile_wait(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                                       const struct reconcile_objects *objects, struct str why)
{
    struct pass p = begin(a, key, options, objects);
    if (get(&p) || pause_here(&p))
        return p.result;
    set_error(&p, why);
    (void)end_with_status(&p, RECONCILE_NOT_AGAIN, 0);
    return p.result;
}

/* --- what is worth a pass --- */

static bool is_mark_of_a_pass(struct str annotation)
{
    return str_eqz(annotation, MANAGED_CREATE_PENDING) || str_eqz(annotation, MANAGED_CREATE_FAILED);
}

/* The order of the members does not matter. */
static uint64_t hash_members(const struct json *object, bool but_marks, uint64_t seed)
{
    uint64_t sum = 0;
    for (size_t i = 0; managed_is_object(object) && i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        if (!but_marks || !is_mark_of_a_pass(m->key))
            sum += str_hash(managed_text(m->value), str_hash(m->key, seed));
    }
    return sum;
}

struct reconcile_sight reconcile_sight(const struct json *object, uint64_t seed)
{
    const struct {
        int64_t generation;
        uint64_t deleted, labels, annotations;
    } seen = {
        .generation = managed_generation(object),
        .deleted = managed_is_deleted(object),
        .labels = hash_members(managed_at(object, "metadata", "labels", NULL), false, seed),
        .annotations = hash_members(managed_at(object, "metadata", "annotations", NULL), true, ~seed),
    };
    return (struct reconcile_sight){
        .hash = str_hash((struct str){(const char *)&seen, sizeof seen}, seed),
        .creation_is_incomplete = managed_creation_is_incomplete(object),
        .create_pending = managed_annotation(object, MANAGED_CREATE_PENDING).n > 0,
    };
}

bool reconcile_sight_wakes(struct reconcile_sight before, struct reconcile_sight after)
{
    return before.hash != after.hash || (before.creation_is_incomplete && !after.create_pending);
}

bool reconcile_wakes(const struct json *before, const struct json *after)
{
    return !before || !after || reconcile_sight_wakes(reconcile_sight(before, 0), reconcile_sight(after, 0));
}
