/*
 * The controller with a provider that rejects, crashes, or loses its data: what objects show, and that nothing is created twice.
 * With TERRANE_TERRAFORM the same through the CLI.
 */
#include "controller/controller_private.h"
#include "controller/testing_controller.h"
#include "reconcile/reconcile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static void failures(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "counts: cloud\n"
                 "rules:\n"
                 "  - match: {rpc: ApplyResourceChange, contains: web, to: 2}\n"
                 "    do: {diagnostics: [{severity: error, summary: No room, detail: The rack is full.}]}\n");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await(&p, "Database", "web", "LastAsyncOperation", "False/ApplyFailure", "apply failed: No room: The rack is full.");
    await(&p, "Database", "web", "Synced", "False/ReconcileError", "create failed: apply failed: No room");
    await_ready(&p, "Database", "web"); /* at the third try */
    await(&p, "Database", "web", "LastAsyncOperation", "True/Success", NULL);
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

/* An id that cannot be imported is read instead; then the read is what failed. */
static void failures_of_the_second_look(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "rules:\n"
                 "  - match: {rpc: ImportResourceState}\n"
                 "    do: {diagnostics: [{severity: error, summary: Unexpected form, detail: Expected A/B.}]}\n"
                 "  - match: {rpc: ReadResource}\n"
                 "    do: {diagnostics: [{severity: error, summary: Not allowed, detail: Ask the owner.}]}\n");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await(&p, "Database", "web", "Synced", "False/ReconcileError",
          "observe failed: cannot run refresh: refresh failed: Not allowed: Ask the owner.");
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    play_end(&p);
}

/* A type with a read timeout of ten minutes is not abandoned after three. */
static void time_of_a_slow_type(void **state)
{
    (void)state;
    struct controller c = {.clock = &system_clock};
    struct kind kind = {.role = KIND_MANAGED};
    struct known_object known = {0};
    struct xp_kind model = {0};
    const struct turn t = {.c = &c, .kind = &kind, .known = &known, .model = &model};
    assert_int_equal(turn_options(&t).timeout_ns, RECONCILE_TIMEOUT_NS);
    model.config.timeout_read = 20;
    assert_int_equal(turn_options(&t).timeout_ns, RECONCILE_TIMEOUT_NS);
    model.config.timeout_read = 600;
    assert_true(turn_options(&t).timeout_ns > 600 * NS_PER_S);
}

/* A failed object waits for its backoff even if nothing else prevents a retry; a change is a reason to retry at once. */
static void check_backing_off(bool sparing)
{
    struct play p = {.terraform = terraform};
    play_begin(&p, "counts: cloud\n"
                   "rules:\n"
                   "  - match: {rpc: ApplyResourceChange, contains: web, to: 1}\n"
                   "    do: {diagnostics: [{severity: error, summary: No room, detail: The rack is full.}]}\n");
    p.options.backoff_min_ns = p.options.backoff_max_ns = 3600 * NS_PER_S;
    p.options.sparing = sparing;
    play_start(&p);
    apply(&p, play_config);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await(&p, "Database", "web", "LastAsyncOperation", "False/ApplyFailure", "No room");
    await_calm(&p);
    assert_int_equal(controller_count(p.controller).begun[RECONCILE_CREATE], 1);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 2}}\n");
    await_ready(&p, "Database", "web");
    assert_int_equal(controller_count(p.controller).begun[RECONCILE_CREATE], 2);
    play_end(&p);
}

static void failures_back_off(void **state)
{
    (void)state;
    check_backing_off(false);
    check_backing_off(true);
}

/* So many updates were begun, and none is while nothing happens. */
static void check_updates(struct play *p, size_t n)
{
    usleep(300 * 1000);
    assert_int_equal(controller_count(p->controller).begun[RECONCILE_UPDATE], n);
}

/* What never shows what it was told is not told it as fast as it answers; what a user changes is sent at once. */
static void check_vain_updates(bool sparing)
{
    struct play p = {.terraform = terraform};
    play_begin(&p, "rules:\n"
                   "  - match: {rpc: ApplyResourceChange, operation: update}\n"
                   "    do: {answer_ms: 500}\n");
    p.options.backoff_min_ns = p.options.backoff_max_ns = 3600 * NS_PER_S;
    p.options.sparing = sparing;
    play_start(&p);
    apply(&p, play_config);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await_ready(&p, "Database", "web");
    await_calm(&p);
    cloud_edit(&p, "fake_database", "size", "7");
    annotate(&p, "Database", "web", "crossplane.io/reconcile-requested-at", "1");
    await_cloud(&p, "fake_database", "size", "1");
    cloud_edit(&p, "fake_database", "size", "7"); /* before the update is answered */
    (void)await_event(&p, "Database", "web", "ExternalResourceStillDiffers");
    check_updates(&p, 1);
    await_ready(&p, "Database", "web");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 2}}\n");
    await_cloud(&p, "fake_database", "size", "2");
    check_updates(&p, 2);
    play_end(&p);
}

static void updates_in_vain_back_off(void **state)
{
    (void)state;
    check_vain_updates(false);
    check_vain_updates(true);
}

/* ---- somebody else writes just before us ---- */

static struct store_ops meddling;
static enum store_result (*plain_update_status)(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                                const struct json **ret);
static atomic_bool meddles;

static enum store_result meddle(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret)
{
    if (atomic_exchange(&meddles, false)) {
        const struct json *other = managed_annotate(a, object, "crossplane.io/reconcile-requested-at", STR("7")), *now;
        assert_int_equal(store_update(s, a, other, diags, &now), STORE_OK);
    }
    return plain_update_status(s, a, object, diags, ret);
}

/* What a turn has found out is applied to it, and what was requested meanwhile does not count as done. */
static void asked_while_a_turn_writes(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, NULL);
    p.options.sparing = true;
    meddling = *p.store->ops;
    plain_update_status = meddling.update_status;
    meddling.update_status = meddle;
    p.store->ops = &meddling;
    play_start(&p);
    apply(&p, play_config);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await_ready(&p, "Database", "web");
    await_calm(&p);
    atomic_store(&meddles, true);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 2}}\n");
    await_cloud(&p, "fake_database", "size", "2");
    int64_t end = clock_now(&system_clock) + PATIENT;
    while (!str_eqz(managed_text(managed_at(object(&p, "Database", "web"), "status", "lastHandledReconcileAt", NULL)), "7")) {
        if (clock_now(&system_clock) > end)
            fail_msg("what was asked for was not done");
        nap_ms(5);
    }
    play_end(&p);
}

/* ---- what an object waits for appears just after it was looked for ---- */

static enum store_result (*plain_get)(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                      const struct json **ret);
static struct play *late_play;

static enum store_result get_too_early(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                       const struct json **ret)
{
    enum store_result result = plain_get(s, a, key, diags, ret);
    if (str_eqz(key->name, "late") && atomic_exchange(&meddles, false)) {
        assert_int_equal(result, STORE_NOT_FOUND);
        apply(late_play,
              "{apiVersion: v1, kind: Secret, metadata: {name: late, namespace: default}, stringData: {password: secret}}");
        usleep(200 * 1000); /* until the watch has seen it */
    }
    return result;
}

/* The change is noticed, although the pass that missed it had not ended, and although a failed pass waits an hour. */
static void appears_during_the_pass(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, NULL);
    p.options.backoff_min_ns = p.options.backoff_max_ns = 3600 * NS_PER_S;
    meddling = *p.store->ops;
    plain_get = meddling.get;
    meddling.get = get_too_early;
    p.store->ops = &meddling;
    late_play = &p;
    play_start(&p);
    apply(&p, play_config);
    atomic_store(&meddles, true);
    apply(
        &p,
        OBJECT("User",
               "bob") "spec: {forProvider: {login: bob, passwordSecretRef: {name: late, namespace: default, key: password}}}\n");
    await_ready(&p, "User", "bob");
    play_end(&p);
}

/* ---- an operation ends during a pass that does not wait for it ---- */

static enum store_result get_after_the_end(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                           const struct json **ret)
{
    if (str_eqz(key->kind, "ProviderConfig") && atomic_exchange(&meddles, false))
        while (controller_count(late_play->controller).operations > 0)
            nap_ms(5);
    return plain_get(s, a, key, diags, ret);
}

/* The pass began while the creation ran; that its result is unknown is reported before another creation is thought of. */
static void ends_during_another_pass(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* it lists nothing */
        return;
    play_begin(&p, "counts: cloud\n"
                   "rules:\n"
                   "  - match: {rpc: ApplyResourceChange, nth: 1}\n"
                   "    do: {latency_ms: 2500, crash: kill, at: acted}\n");
    p.options.sparing = true;
    meddling = *p.store->ops;
    plain_get = meddling.get;
    meddling.get = get_after_the_end;
    p.store->ops = &meddling;
    late_play = &p;
    play_start(&p);
    apply(&p, play_config);
    apply(&p, "---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: default, name: code}\ndata: {c: czNjcjN0}\n");
    apply(&p, OBJECT("Ticket", "one") "spec: {forProvider: {title: hello, size: 1, tags: {a: b}, "
                                      "codeSecretRef: {namespace: default, name: code, key: c}}}\n");
    await(&p, "Ticket", "one", "Ready", "False/Creating", NULL); /* written by the first turn, which has ended */
    assert_int_equal(controller_count(p.controller).operations, 1);
    atomic_store(&meddles, true);
    annotate(&p, "Ticket", "one", "crossplane.io/reconcile-requested-at", "1");
    await_ready(&p, "Ticket", "one");
    assert_false(atomic_load(&meddles));
    await_calm(&p);
    assert_int_equal(controller_count(p.controller).begun[RECONCILE_CREATE], 1);
    assert_int_equal(cloud_count(&p, "fake_ticket"), 1);
    play_end(&p);
}

/* A provider that does not answer gets requests for one object at a time, and the other objects show what they wait for. */
static void breaker(void **state)
{
    (void)state;
    enum { N = 7 };
    struct play p;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    if (terraform) /* there each observation configures a provider: its end seems to be caused by the object */
        return;
    play_run(&p, "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, to: 5}\n    do: {crash: kill}\n");
    for (int i = 0; i < N; i++)
        apply(&p, arena_printf(a, OBJECT("Database", "d%d") "spec: {forProvider: {size: 1}}\n", i).p);
    await(&p, "Database", "d0", "Synced", "False/ReconcileError",
          "waiting for ProviderConfig.fake.example.org \"default\", which failed");
    for (int i = 0; i < N; i++)
        await_ready(&p, "Database", arena_printf(a, "d%d", i).p);
    play_end(&p);
}

/* However many objects are under way: one end of a provider is one failure, and no object waits for its configuration. */
static void one_crash_is_one_failure(void **state)
{
    (void)state;
    enum { N = 12 };
    struct play p;
    play_run(&p, "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, to: 2}\n    do: {latency_ms: 300, crash: kill}\n");
    for (int i = 0; i < N; i++)
        apply(&p, arena_printf(p.arena, OBJECT("Database", "d%d") "spec: {forProvider: {size: 1}}\n", i).p);
    for (int i = 0; i < N; i++)
        await_ready(&p, "Database", arena_printf(p.arena, "d%d", i).p);
    assert_true(terraform || pool_count(p.stage.pool).lost == 2);
    assert_int_equal(controller_count(p.controller).queue.opened, 0);
    play_end(&p);
}

/* The provider crashes instead of answering: with a deterministic name the resource is found, and not created twice. */
static void crash_in_creation(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "counts: cloud\n"
                 "rules:\n"
                 "  - match: {rpc: ApplyResourceChange, nth: 1}\n"
                 "    do: {crash: kill, at: acted}\n");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await_ready(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

/* It crashes repeatedly, before and after carrying out a request, while many objects use it. */
static void crashes_among_many(void **state)
{
    (void)state;
    const int N = is_short() ? 12 : 24; /* the faults happen among the first requests */
    struct play p;
    play_run(&p, "counts: cloud\n"
                 "rules:\n"
                 "  - match: {rpc: ApplyResourceChange, from: 3, to: 22, every: 9}\n"
                 "    do: {crash: kill, at: acted}\n"
                 "  - match: {rpc: ReadResource, from: 10, to: 11, every: 17}\n"
                 "    do: {crash: panic}\n");
    for (int i = 0; i < N; i++)
        apply(&p, arena_printf(p.arena, OBJECT("Database", "db-%d") "spec: {forProvider: {size: 1}}\n", i).p);
    for (int i = 0; i < N; i++)
        await_ready(&p, "Database", arena_printf(p.arena, "db-%d", i).p);
    assert_int_equal(cloud_count(&p, "fake_database"), N);
    assert_true(terraform || pool_count(p.stage.pool).lost >= 2);
    for (int i = 0; i < N; i++)
        delete_object(&p, "Database", arena_printf(p.arena, "db-%d", i).p);
    for (int i = 0; i < N; i++)
        await_gone(&p, "Database", arena_printf(p.arena, "db-%d", i).p);
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    play_end(&p);
}

/* The same with an id that only the provider knows: a person is asked, and the answer is trusted. */
static void crash_with_unknown_id(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "counts: cloud\n"
                 "rules:\n"
                 "  - match: {rpc: ApplyResourceChange, nth: 1}\n"
                 "    do: {crash: kill, at: acted}\n");
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await(&p, "User", "bob", "Synced", "False/ReconcileError", "cannot determine creation result");
    assert_int_equal(cloud_count(&p, "fake_user"), 1);
    const struct json *made = cloud_find(&p, "fake_user", "login", "bob");
    annotate(&p, "User", "bob", MANAGED_EXTERNAL_NAME, json_text(json_get(made, "id"), STR_EMPTY).p);
    await_ready(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 1);
    play_end(&p);
}

/* The other answer: nothing was created, or it is gone. Removing the mark says so, and is enough. */
static void removed_mark(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "counts: cloud\n"
                 "rules:\n"
                 "  - match: {rpc: ApplyResourceChange, nth: 1}\n"
                 "    do: {crash: kill, at: before}\n");
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await(&p, "User", "bob", "Synced", "False/ReconcileError", "cannot determine creation result - remove the");
    await_calm(&p);
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    annotate(&p, "User", "bob", MANAGED_CREATE_PENDING, NULL);
    await_ready(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 1);
    play_end(&p);
}

/* The kept state is lost and the object was deleted meanwhile: the resource is found and deleted all the same. */
static void lost_state(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await_ready(&p, "User", "bob");
    await_calm(&p);
    play_stop(&p);
    struct store_key key = {.kind = STR("Secret"),
                            .namespace = STR(CONTROLLER_NAMESPACE),
                            .name = arena_printf(p.arena, "state-" STR_FMT, STR_ARG(managed_uid(object(&p, "User", "bob"))))};
    const struct json *gone;
    assert_int_equal(store_remove(p.store, p.arena, &key, NULL, &p.diags, &gone), STORE_OK);
    delete_object(&p, "User", "bob");
    play_start(&p);
    await_gone(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    play_end(&p);
}

/* --- the store fails while an operation ends --- */

static struct store_ops failing;
static const struct store_ops *sound;
static atomic_bool fails;
static atomic_size_t n_failed;

static bool has_failed(struct diags *diags)
{
    if (!atomic_load(&fails))
        return false;
    atomic_fetch_add(&n_failed, 1);
    return !diags_fail(diags, "Store's disk is full", "no space left on the device");
}

static enum store_result failing_create(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                        const struct json **ret)
{
    return has_failed(diags) ? STORE_FAILED : sound->create(s, a, object, diags, ret);
}

static enum store_result failing_update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                        const struct json **ret)
{
    return has_failed(diags) ? STORE_FAILED : sound->update(s, a, object, diags, ret);
}

static enum store_result failing_update_status(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                               const struct json **ret)
{
    return has_failed(diags) ? STORE_FAILED : sound->update_status(s, a, object, diags, ret);
}

static enum store_result failing_get(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                     const struct json **ret)
{
    return has_failed(diags) ? STORE_FAILED : sound->get(s, a, key, diags, ret);
}

/* `blind`: it cannot be read, either, as an API server that restarts. */
static void check_end_in_a_failing_store(bool sparing, bool blind)
{
    struct play p = {0};
    play_begin(&p, "rules: [{match: {rpc: ApplyResourceChange, operation: create}, do: {answer_ms: 500}}]\n");
    p.options.sparing = sparing;
    sound = p.store->ops;
    failing = *sound;
    failing.create = failing_create;
    failing.update = failing_update;
    failing.update_status = failing_update_status;
    failing.get = blind ? failing_get : sound->get;
    p.store->ops = &failing;
    apply(&p, play_config);
    play_start(&p);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    while (cloud_count(&p, "fake_user") < 1)
        nap_ms(1);
    atomic_store(&n_failed, 0);
    atomic_store(&fails, true);
    while (atomic_load(&n_failed) < 5)
        nap_ms(5);
    atomic_store(&fails, false);
    await_ready(&p, "User", "bob");
    await_calm(&p);
    assert_int_equal(cloud_count(&p, "fake_user"), 1);
    assert_string_equal(annotation(&p, "User", "bob", MANAGED_EXTERNAL_NAME),
                        json_text(json_get(cloud_find(&p, "fake_user", "login", "bob"), "id"), STR_EMPTY).p);
    play_end(&p);
}

/* Only the provider knows the id, and it has told it: that is kept until it can be stored. */
static void end_in_a_failing_store(void **state)
{
    (void)state;
    if (terraform) /* the scheduler does not matter here */
        return;
    check_end_in_a_failing_store(false, false);
    check_end_in_a_failing_store(false, true);
    check_end_in_a_failing_store(true, false);
    check_end_in_a_failing_store(true, true);
}

/* The same when the controller is stopped before the store works again. */
static void end_after_the_stop(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, "rules: [{match: {rpc: ApplyResourceChange, operation: create}, do: {answer_ms: 300}}]\n");
    sound = p.store->ops;
    failing = *sound;
    failing.create = failing_create;
    failing.update = failing_update;
    failing.update_status = failing_update_status;
    failing.get = failing_get;
    p.store->ops = &failing;
    apply(&p, play_config);
    play_start(&p);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    while (cloud_count(&p, "fake_user") < 1)
        nap_ms(1);
    atomic_store(&fails, true);
    (void)controller_stop(p.controller, clock_now(&system_clock) + PATIENT);
    assert_int_equal(controller_keep(p.controller), 1);
    atomic_store(&fails, false);
    assert_int_equal(controller_keep(p.controller), 0);
    play_stop(&p);
    play_start(&p);
    await_ready(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 1);
    play_end(&p);
}

static enum store_result refusing_create(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                         const struct json **ret)
{
    if (!str_starts(managed_name(object), STR("state-")))
        return sound->create(s, a, object, diags, ret);
    (void)diags_fail(diags, "Refused by the API server", "data: Too long: may not be more than 1048576 bytes");
    return STORE_INVALID;
}

/* What the store will never take is not waited for: the object says so, keeps its external name, and can be deleted. */
static void check_refused_state(bool sparing)
{
    struct play p = {0};
    play_begin(&p, NULL);
    p.options.sparing = sparing;
    sound = p.store->ops;
    failing = *sound;
    failing.create = refusing_create;
    p.store->ops = &failing;
    apply(&p, play_config);
    play_start(&p);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await(&p, "User", "bob", "Synced", "False/ReconcileError", "observe failed: Refused by the API server: data: Too long");
    assert_string_equal(annotation(&p, "User", "bob", MANAGED_EXTERNAL_NAME),
                        json_text(json_get(cloud_find(&p, "fake_user", "login", "bob"), "id"), STR_EMPTY).p);
    delete_object(&p, "User", "bob");
    await_gone(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    assert_int_equal(controller_count(p.controller).begun[RECONCILE_CREATE], 1);
    play_end(&p);
}

static void state_that_the_store_refuses(void **state)
{
    (void)state;
    if (terraform) /* the scheduler does not matter here */
        return;
    check_refused_state(false);
    check_refused_state(true);
}

/* What an earlier process left under way cannot be read: nothing is begun, and a later start finds it. */
static void records_of_a_failing_store(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, NULL);
    sound = p.store->ops;
    failing = *sound;
    failing.get = failing_get;
    p.store->ops = &failing;
    apply(&p, play_config);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    struct journal_entry entry = {.uid = managed_uid(object(&p, "User", "bob")),
                                  .group = STR("fake.example.org"),
                                  .kind = STR("User"),
                                  .name = STR("bob"),
                                  .operation = RECONCILE_CREATE,
                                  .generation = 1};
    struct journal journal = journal_in(p.store);
    assert_true(journal_sent(&journal, &entry, &p.diags));
    annotate(&p, "User", "bob", MANAGED_CREATE_PENDING, "2026-01-01T00:00:00Z");
    annotate(&p, "User", "bob", MANAGED_CREATE_SUCCEEDED, "2026-01-01T00:00:00Z");
    atomic_store(&fails, true);
    struct controller *c = controller_new(&p.options);
    struct diags diags;
    diags_init(&diags, p.arena);
    assert_false(controller_start(c, &diags));
    controller_free(c);
    atomic_store(&fails, false);
    play_start(&p);
    await(&p, "User", "bob", "Synced", "False/ReconcileError", "cannot determine creation result");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    play_end(&p);
}

static const struct store_ops *quick;
static struct store_ops slow;

static enum store_result slow_next(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                   struct store_change *ret)
{
    enum store_result result = quick->watch_next(w, a, deadline, diags, ret);
    if (result == STORE_OK)
        nap_ms(120);
    return result;
}

static enum store_result slow_watch(struct store *s, const struct store_query *query, struct str version, struct diags *diags,
                                    struct store_watch **ret)
{
    enum store_result result = quick->watch(s, query, version, diags, ret);
    if (result == STORE_OK)
        (*ret)->ops = &slow;
    return result;
}

/* --- the watch misses changes --- */

static atomic_bool blind, expires;

static enum store_result blind_next(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                    struct store_change *ret)
{
    (void)deadline;
    for (;;) {
        if (atomic_exchange(&expires, false))
            return STORE_EXPIRED;
        enum store_result result = quick->watch_next(w, a, clock_now(&system_clock) + 5 * NS_PER_MS, diags, ret);
        if (result != STORE_TIMEOUT && !(result == STORE_OK && atomic_load(&blind)))
            return result;
    }
}

/* As after a compaction: when all is listed again, those who use what has changed meanwhile are woken. */
static void changes_that_the_watch_missed(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, NULL);
    quick = p.store->ops;
    slow = *quick;
    slow.watch = slow_watch;
    slow.watch_next = blind_next;
    p.store->ops = &slow;
    apply(&p, play_config);
    apply(&p, "apiVersion: v1\nkind: Secret\nmetadata: {namespace: default, name: creds}\ndata: {p: b25l}\n");
    play_start(&p);
    apply(&p, OBJECT("User",
                     "bob") "spec: {forProvider: {login: bob, passwordSecretRef: {name: creds, namespace: default, key: p}}}\n");
    await_ready(&p, "User", "bob");
    await_cloud(&p, "fake_user", "password", "one");
    await_calm(&p);
    uint64_t passes = controller_count(p.controller).passes;
    atomic_store(&expires, true); /* nothing was missed: nobody is woken */
    while (atomic_load(&expires))
        nap_ms(1);
    usleep(200 * 1000);
    assert_int_equal(controller_count(p.controller).passes, passes);
    atomic_store(&blind, true);
    apply(&p, "apiVersion: v1\nkind: Secret\nmetadata: {namespace: default, name: creds}\ndata: {p: dHdv}\n");
    usleep(100 * 1000);
    atomic_store(&blind, false);
    atomic_store(&expires, true);
    await_cloud(&p, "fake_user", "password", "two");
    play_end(&p);
}

static bool owns_first(void *ctx, uint64_t shard)
{
    (void)ctx;
    return shard == 1;
}

static uint64_t users_elsewhere(void *ctx, const struct store_key *key, const struct json *object)
{
    (void)ctx, (void)object;
    return str_eqz(key->kind, "User") ? 2 : 1;
}

/* The same of an object that another process owns. */
static void changes_elsewhere_that_the_watch_missed(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, NULL);
    quick = p.store->ops;
    slow = *quick;
    slow.watch = slow_watch;
    slow.watch_next = blind_next;
    p.store->ops = &slow;
    p.options.owns = owns_first;
    p.options.shard = users_elsewhere;
    p.options.backoff_min_ns = p.options.backoff_max_ns = 3600 * NS_PER_S;
    apply(&p, play_config);
    play_start(&p);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    apply(&p, OBJECT("Grant", "g") "spec: {forProvider: {database: d, userIdRef: {name: bob}, rights: r}}\n");
    await(&p, "Grant", "g", "Synced", "False/ReconcileError", NULL);
    await_calm(&p);
    atomic_store(&blind, true);
    annotate(&p, "User", "bob", MANAGED_EXTERNAL_NAME, "u-7");
    usleep(100 * 1000);
    atomic_store(&blind, false);
    atomic_store(&expires, true);
    await_cloud(&p, "fake_grant", "user_id", "u-7");
    play_end(&p);
}

/* When what a failed object waits for appears, the watch wakes the object: until then it does not count as settled. */
static void calm_is_when_the_watch_has_seen_all(void **state)
{
    (void)state;
    struct play p = {0};
    play_begin(&p, "latency_ms: 20\n");
    apply(&p, play_config);
    apply(&p, OBJECT("Grant", "g") "spec: {forProvider: {database: d, userIdRef: {name: bob}, rights: r}}\n");
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    quick = p.store->ops;
    slow = *quick;
    slow.watch = slow_watch;
    slow.watch_next = slow_next;
    p.options.backoff_min_ns = p.options.backoff_max_ns = 10 * NS_PER_S; /* no retry without a reason */
    p.store->ops = &slow;
    play_start(&p);
    await_calm(&p);
    assert_int_equal(controller_progress(p.controller, 1).ready, 2);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calm_is_when_the_watch_has_seen_all),
        cmocka_unit_test(failures),
        cmocka_unit_test(failures_of_the_second_look),
        cmocka_unit_test(time_of_a_slow_type),
        cmocka_unit_test(failures_back_off),
        cmocka_unit_test(updates_in_vain_back_off),
        cmocka_unit_test(asked_while_a_turn_writes),
        cmocka_unit_test(appears_during_the_pass),
        cmocka_unit_test(ends_during_another_pass),
        cmocka_unit_test(breaker),
        cmocka_unit_test(one_crash_is_one_failure),
        cmocka_unit_test(crash_in_creation),
        cmocka_unit_test(crashes_among_many),
        cmocka_unit_test(crash_with_unknown_id),
        cmocka_unit_test(removed_mark),
        cmocka_unit_test(lost_state),
        cmocka_unit_test(end_in_a_failing_store),
        cmocka_unit_test(end_after_the_stop),
        cmocka_unit_test(state_that_the_store_refuses),
        cmocka_unit_test(records_of_a_failing_store),
        cmocka_unit_test(changes_that_the_watch_missed),
        cmocka_unit_test(changes_elsewhere_that_the_watch_missed),
    };
    terraform = getenv("TERRANE_TERRAFORM");
    return cmocka_run_group_tests_name("controller/faults", tests, NULL, NULL);
}
