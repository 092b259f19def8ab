#include "managed/poll.h"
#include "reconcile/pass_private.h"

/* --- reasons and messages: others depend on their wording --- */

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

enum { MAX_SHOWN = 1 << 10, MAX_TOKEN = 128, REPORT_TRIES = 5 };

/* Does Synced show that this operation failed last? It keeps saying so until an operation has succeeded. */
static bool shows_failed(const struct pass *p, enum reconcile_operation operation)
{
    struct managed_condition synced;
    struct str failed = str_of(operations[operation].failed);
    return managed_condition(p->stored, PASS_SYNCED, &synced) && str_eqz(synced.status, "False") &&
           str_starts(synced.message, failed);
}

static void set_success_unless_tried_again(struct pass *p, enum reconcile_operation operation, bool only_begun)
{
    if (!only_begun || !p->options->better.steady_synced || !shows_failed(p, operation))
        pass_set_success(p);
}

/* --- the steps, in their order --- */

/* 1. Read the object. If it is gone, there is nothing to do. */
static bool get(struct pass *p)
{
    struct reconcile_answer answer = p->objects->get(p->objects->ctx, &p->call, p->key, &p->object);
    if (answer.status == RECONCILE_NOT_FOUND)
        return pass_end(p, RECONCILE_NOT_AGAIN, 0);
    if (pass_failed(answer)) {
        p->result.error = pass_wrap(p, "cannot get managed resource", answer.message);
        return pass_end(p, RECONCILE_NOT_AGAIN, 0);
    }
    p->stored = p->object;
    p->policies = managed_policies(p->object, p->options->policies, p->options->cluster_scoped);
    return false;
}

/* 2. Paused, by annotation or by an empty list of policies: say so and wait for a change. */
static bool pause_here(struct pass *p)
{
    if (managed_is_of_another(p->object)) /* the status belongs to the other controller, too */
        return pass_end(p, RECONCILE_NOT_AGAIN, 0);
    if (!managed_is_paused_by_annotation(p->object) && !managed_policies_pause(&p->policies))
        return false;
    pass_tell(p, false, "ReconciliationPaused",
              STR("Reconciliation is paused either through the `spec.managementPolicies` or the pause annotation"));
    pass_set(p, PASS_SYNCED, "False", "ReconcilePaused", STR_EMPTY);
    return pass_end_with_status(p, RECONCILE_NOT_AGAIN, 0);
}

/* 3. Somebody requested a pass: every write of the status from here on acknowledges it. */
static bool note_request(struct pass *p)
{
    if (managed_reconcile_requested(p->object))
        pass_tell(p, false, "ReconcileRequestHandled",
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
    pass_tell(p, true, "CannotUseInvalidManagementPolicy", why);
    pass_set_error(p, why);
    return pass_end_with_status(p, RECONCILE_NOT_AGAIN, 0);
}

/* Releases a deleted object: its resource is gone, or stays by policy. */
static bool let_go(struct pass *p)
{
    struct reconcile_answer answer = {0};
    const char *reason = "CannotUnpublishConnectionDetails";
    if (p->objects->unpublish)
        answer = p->objects->unpublish(p->objects->ctx, &p->call, p->object);
    if (!pass_failed(answer)) {
        answer = p->objects->remove_finalizer(p->objects->ctx, &p->call, &p->object);
        reason = NULL;
    }
    if (!pass_failed(answer) || answer.status == RECONCILE_NOT_FOUND) /* gone already, which is just as well */
        return pass_end(p, RECONCILE_NOT_AGAIN, 0);
    pass_set_deleting(p);
    return pass_fail(p, answer, reason, answer.message, answer.message);
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
    return pass_failed(answer) && pass_fail(p, answer, "CannotInitializeManagedResource", answer.message, answer.message);
}

/* The mark of the creation was removed, as ask_a_person() says: it is safe to go on. */
static bool is_decided(const struct pass *p)
{
    return p->options->creation_unknown && managed_annotation(p->object, MANAGED_CREATE_PENDING).n == 0;
}

static bool ask_a_person(struct pass *p, struct str note, bool look_again)
{
    struct str why = note.n > 0 ? arena_printf(p->arena, CREATE_INCOMPLETE ": " STR_FMT, STR_ARG(note)) : STR(CREATE_INCOMPLETE);
    pass_tell(p, true, "CannotInitializeManagedResource", why);
    pass_set_creating(p);
    pass_set_error(p, why);
    return look_again ? pass_end_until_poll(p) : pass_end_with_status(p, RECONCILE_NOT_AGAIN, 0);
}

/*
 * 7. A creation was begun and its outcome is unknown: another one might make a duplicate. If the name is deterministic, observing
 * finds the outcome. Otherwise it is looked up once there is a connection (9b); if that fails, a person has to decide.
 */
static bool check_creation(struct pass *p)
{
    p->result.creation_known = is_decided(p);
    bool is_unknown = p->options->creation_unknown && !is_decided(p);
    if (p->options->creation_runs || (!managed_creation_is_incomplete(p->object) && !is_unknown))
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
    return pass_failed(answer) && pass_fail(p, answer, "CannotResolveResourceReferences", answer.message, answer.message);
}

/* 9. Once connected, disconnect() is always called. */
static bool connect_provider(struct pass *p)
{
    struct reconcile_answer answer = p->external->connect(p->external->ctx, &p->call, p->object, &p->connection);
    p->connected = !pass_failed(answer);
    return pass_failed(answer) &&
           pass_fail(p, answer, "CannotConnectToProvider", answer.message, pass_wrap(p, "connect failed", answer.message));
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
    if (!pass_failed(answer))
        return false;
    if (!managed_is_deleted(p->object))
        return pass_fail(p, answer, "CannotClaimExternalResource", answer.message, answer.message);
    return managed_count_finalizers(p->object) > 1 ? pass_end(p, RECONCILE_WITH_BACKOFF, 0) : let_go(p);
}

/* Sets an annotation that must not be lost. */
static struct reconcile_answer mark(struct pass *p, const char *annotation)
{
    p->object = managed_mark(p->arena, p->object, annotation, managed_mark_moment(p->object, annotation, pass_now(p)));
    return pass_write_object(p, p->objects->update_critical_annotations);
}

static bool cannot_annotate(struct pass *p, struct reconcile_answer answer)
{
    struct str why = pass_wrap(p, CANNOT_ANNOTATE, answer.message);
    return pass_fail(p, answer, "CannotUpdateManagedResource", why, why);
}

/* 9b. The answer is written into the object before it is used, so that it need not be found again. */
static bool look_up_creation(struct pass *p)
{
    struct str note = STR_EMPTY;
    enum reconcile_found found = RECONCILE_CANNOT_TELL;
    for (unsigned way = 0; p->must_look_up && way < RECONCILE_LOOKUPS && found == RECONCILE_CANNOT_TELL; way++) {
        struct reconcile_answer answer =
            p->external->lookup(p->connection, &p->call, (enum reconcile_lookup)way, &p->object, &found);
        if (pass_failed(answer)) {
            pass_set_creating(p);
            return pass_fail(p, answer, "CannotInitializeManagedResource", answer.message,
                             pass_wrap(p, "cannot look up creation result", answer.message));
        }
        if (found == RECONCILE_CANNOT_TELL && answer.message.n > 0)
            note = answer.message;
    }
    if (!p->must_look_up)
        return false;
    if (found == RECONCILE_CANNOT_TELL)
        return ask_a_person(p, note, true);
    struct reconcile_answer answer = mark(p, found == RECONCILE_FOUND ? MANAGED_CREATE_SUCCEEDED : MANAGED_CREATE_FAILED);
    p->result.creation_known = !pass_failed(answer);
    return pass_failed(answer) && cannot_annotate(p, answer);
}

/* 10. Observe the resource. */
static bool observe(struct pass *p)
{
    p->asked = p->object;
    struct reconcile_answer answer = p->external->observe(p->connection, &p->call, &p->object, &p->seen);
    p->result.observed = !pass_failed(answer) && !p->seen.operation_runs;
    return pass_failed(answer) &&
           pass_fail(p, answer, "CannotObserveExternalResource", answer.message, pass_wrap(p, "observe failed", answer.message));
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
    struct reconcile_answer answer = pass_write_object(p, p->objects->update_critical_annotations);
    if (pass_failed(answer))
        return cannot_annotate(p, answer);
    if (managed_generation(p->object) != managed_generation(observed)) /* a newer spec: the observation is of the old one */
        return pass_end(p, RECONCILE_WITH_BACKOFF, 0);
    p->object = managed_put(p->arena, p->object, json_get(observed, "spec"), "spec", NULL);
    return false;
}

/* 11. There is nothing to observe, and the policies allow nothing else. */
static bool nothing_to_observe(struct pass *p)
{
    if (p->seen.exists || !managed_only_observes(&p->policies))
        return false;
    pass_tell(p, true, "CannotObserveExternalResource", STR("external resource does not exist"));
    pass_set_error(p, STR("observe failed: external resource does not exist"));
    return pass_end_until_poll(p);
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
    if (p->seen.exists || !managed_created_within(p->object, p->options->grace_ns, pass_now(p)))
        return false;
    if (p->options->better.believe_absence && (p->seen.absence_is_certain || creation_failed(p) || is_decided(p)))
        return false;
    pass_tell(p, false, "PendingExternalResource", STR("Waiting for external resource existence to be confirmed"));
    return pass_end(p, RECONCILE_WITH_BACKOFF, 0);
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
    return managed_condition(p->stored, PASS_READY, &ready) && str_eqz(ready.reason, "Deleting") &&
           managed_condition(p->stored, PASS_SYNCED, &synced) && str_eqz(synced.status, "True");
}

/* 13b. Repeated until the resource can no longer be observed: only then the object is released. */
static bool delete_external(struct pass *p)
{
    struct reconcile_change change = {0};
    struct reconcile_answer answer = p->external->destroy(p->connection, &p->call, p->object, &change);
    pass_log_change(p, RECONCILE_DELETE, pass_failed(answer) ? answer.message : STR_EMPTY);
    pass_set_deleting(p);
    if (pass_failed(answer))
        return pass_fail(p, answer, operations[RECONCILE_DELETE].cannot, answer.message,
                         pass_wrap(p, operations[RECONCILE_DELETE].failed, answer.message));
    if (!p->options->better.one_delete_event || !deletion_was_requested(p, &change))
        pass_tell(p, false, "DeletedExternalResource", STR("Successfully requested deletion of external resource"));
    set_success_unless_tried_again(p, RECONCILE_DELETE, change.begun);
    return pass_end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

/* 13. Deleted. Other holders of a finalizer come first: they may still need the resource. */
static bool delete_or_go_on(struct pass *p)
{
    if (!managed_is_deleted(p->object))
        return false;
    if (managed_count_finalizers(p->object) > 1)
        return pass_end(p, RECONCILE_WITH_BACKOFF, 0);
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
    return pass_failed(answer) && pass_fail(p, answer, "CannotPublishConnectionDetails", answer.message, answer.message);
}

/* 15. Before anything is created: from now on the object cannot be removed before its resource is gone. */
static bool add_finalizer(struct pass *p)
{
    struct reconcile_answer answer = pass_write_object(p, p->objects->add_finalizer);
    return pass_failed(answer) && pass_fail(p, answer, NULL, STR_EMPTY, answer.message);
}

/* 16b. The error of the creation matters more than that of the annotation. */
static bool creation_has_failed(struct pass *p, struct reconcile_answer answer)
{
    pass_tell(p, true, operations[RECONCILE_CREATE].cannot, answer.message);
    struct reconcile_answer marked = mark(p, MANAGED_CREATE_FAILED);
    if (pass_failed(marked))
        pass_tell(p, true, "CannotUpdateManagedResource", pass_wrap(p, CANNOT_ANNOTATE, marked.message));
    pass_set_creating(p);
    pass_set_error(p, pass_wrap(p, operations[RECONCILE_CREATE].failed, answer.message));
    return pass_end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
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
    pass_set_creating(p);
    return pass_fail(p, answer, operations[RECONCILE_CREATE].cannot, answer.message,
                     pass_wrap(p, operations[RECONCILE_CREATE].failed, answer.message));
}

static void set_pending(struct pass *p)
{
    int64_t moment = managed_mark_moment(p->object, MANAGED_CREATE_PENDING, pass_now(p));
    p->object = managed_mark(p->arena, p->object, MANAGED_CREATE_PENDING, moment);
    if (p->options->only_marks)
        p->object = managed_annotate(p->arena, p->object, MANAGED_CREATE_GENERATION,
                                     arena_printf(p->arena, "%lld", (long long)managed_generation(p->object)));
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
    if (pass_failed(answer))
        return cannot_begin(p, answer);
    set_pending(p);
    answer = pass_write_object(p, p->objects->update);
    if (pass_failed(answer)) {
        struct str why = pass_wrap(p, CANNOT_UPDATE, answer.message);
        pass_set_creating(p);
        return pass_fail(p, answer, "CannotUpdateManagedResource", why, why);
    }
    struct reconcile_change change = {0};
    answer = p->external->create(p->connection, &p->call, &p->object, &change);
    pass_log_change(p, RECONCILE_CREATE, pass_failed(answer) ? answer.message : STR_EMPTY);
    if (pass_failed(answer))
        return creation_has_failed(p, answer);
    if (!change.begun || !p->options->only_marks)
        answer = mark(p, MANAGED_CREATE_SUCCEEDED);
    pass_set_creating(p);
    if (pass_failed(answer))
        return cannot_annotate(p, answer);
    answer = publish_details(p, change.details);
    if (pass_failed(answer))
        return pass_fail(p, answer, "CannotPublishConnectionDetails", answer.message, answer.message);
    pass_tell(p, false, "CreatedExternalResource", STR("Successfully requested creation of external resource"));
    set_success_unless_tried_again(p, RECONCILE_CREATE, change.begun);
    return pass_end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

/* 17. Store what was initialised late. */
static bool late_initialize(struct pass *p)
{
    if (!p->seen.late_initialized || !managed_may_late_initialize(&p->policies))
        return false;
    struct reconcile_answer answer = pass_write_object(p, p->objects->update);
    return pass_failed(answer) &&
           pass_fail(p, answer, "CannotUpdateManagedResource", answer.message, pass_wrap(p, CANNOT_UPDATE, answer.message));
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
        pass_set_success(p);
    p->result.unchanged = !p->seen.operation_runs;
    return pass_end_until_poll(p);
}

/* 19. The resource differs, and the policies forbid an update. */
static bool may_not_update(struct pass *p)
{
    if (managed_may_update(&p->policies))
        return false;
    pass_set_success(p);
    return pass_end_until_poll(p);
}

/*
 * 19a. The update before this pass has changed nothing that counts. Providers and services that never show what they were told
 * exist, and without a pause they would be told it as fast as they answer.
 */
static bool was_updated_in_vain(struct pass *p)
{
    int64_t updated = p->options->updated_generation;
    if (updated == 0 || updated != managed_generation(p->object)) /* a newer spec has not been tried */
        return false;
    p->result.in_vain = true;
    pass_tell(p, true, "ExternalResourceStillDiffers",
              STR("The external resource was updated and still differs from what is wanted; it is updated again later"));
    pass_set_success(p);
    return pass_end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

/* 20. Update the resource. */
static bool update(struct pass *p)
{
    struct reconcile_change change = {0};
    struct reconcile_answer answer = p->external->update(p->connection, &p->call, &p->object, &change);
    pass_log_change(p, RECONCILE_UPDATE, pass_failed(answer) ? answer.message : STR_EMPTY);
    if (pass_failed(answer))
        return pass_fail(p, answer, operations[RECONCILE_UPDATE].cannot, answer.message,
                         pass_wrap(p, operations[RECONCILE_UPDATE].failed, answer.message));
    p->result.updated = !change.again;
    answer = publish_details(p, change.details);
    if (pass_failed(answer))
        return pass_fail(p, answer, "CannotPublishConnectionDetails", answer.message, answer.message);
    pass_tell(p, false, "UpdatedExternalResource", STR("Successfully requested update of external resource"));
    set_success_unless_tried_again(p, RECONCILE_UPDATE, change.begun);
    return pass_end_until_poll(p);
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
    was_updated_in_vain,
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
        if (pass_failed(answer))
            pass_tell(&p, true, "CannotDisconnectFromProvider", answer.message);
    }
    return p.result;
}

/* --- the end of an operation in the background --- */

/* A failed creation is known to have created nothing: the next one need not wait. */
static void mark_failed_creation(struct pass *p)
{
    struct reconcile_answer answer = mark(p, MANAGED_CREATE_FAILED);
    if (pass_failed(answer))
        pass_tell(p, true, "CannotUpdateManagedResource", pass_wrap(p, CANNOT_ANNOTATE, answer.message));
}

static void set_reported(struct pass *p, const struct reconcile_report *report)
{
    if (report->error.n == 0) {
        pass_set(p, PASS_LAST_OPERATION, "True", "Success", STR_EMPTY);
        pass_set_success(p);
        return;
    }
    struct str last = pass_wrap(p, operations[report->operation].last_failed, report->error);
    pass_set(p, PASS_LAST_OPERATION, "False", operations[report->operation].last_reason, last);
    pass_set_error(p, pass_wrap(p, operations[report->operation].failed, last));
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
        bool failed = !ok && !report->unknown && report->operation == RECONCILE_CREATE;
        if (failed && options->better.believe_absence && !creation_failed(&p))
            mark_failed_creation(&p);
        set_reported(&p, report);
        p.conflict = false;
        (void)pass_end_with_status(&p, ok ? RECONCILE_AFTER : RECONCILE_WITH_BACKOFF, 0);
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
    pass_set_error(&p, why);
    (void)pass_end_with_status(&p, RECONCILE_NOT_AGAIN, 0);
    return p.result;
}
