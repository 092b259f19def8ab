/* The scheduler with providers that hang or crash, and how one bad object affects the others. */
#include "scheduler/testing_scheduler.h"

#include <stdlib.h>

static void cancelling(void **state)
{
    (void)state;
    struct world w;
    struct thing hung, waiting;
    world_begin(&w,
                "rules:\n  - match: {rpc: ApplyResourceChange, contains: slow}\n    do: {answer: hang}\n"
                "  - match: {rpc: StopProvider}\n    do: {crash: exit}\n",
                (struct scheduler_options){.provider_operations = 1});
    thing_begin(&hung, &w, "hung", "{\"name\":\"slow\"}");
    thing_begin(&waiting, &w, "waiting", "{\"name\":\"b\"}");
    assert_false(scheduler_cancel(w.scheduler, STR("hung")));
    look(&hung);
    look(&waiting);
    must_start(&hung, scheduler_apply);
    must_start(&waiting, scheduler_apply);
    end_session(&hung);
    end_session(&waiting);
    assert_true(scheduler_cancel(w.scheduler, STR("waiting"))); /* never begins */
    while (pool_count(w.stage.pool).leases == 0)
        nap_ms(1);
    nap_ms(50); /* let the call begin */
    assert_true(scheduler_cancel(w.scheduler, STR("hung")));
    struct scheduler_result result = collect(&hung);
    assert_int_equal(result.report.failure, SCHEDULER_CANCELLED);
    assert_true(result.called == result.now.unknown); /* this provider stops by exiting */
    scheduler_result_free(&result);
    result = collect(&waiting);
    assert_int_equal(result.report.failure, SCHEDULER_CANCELLED);
    assert_false(result.called);
    assert_int_equal(waiting.n_kept, 0);
    scheduler_result_free(&result);
    assert_int_equal(n_objects(&w), 0);
    assert_int_equal(scheduler_count(w.scheduler).crashed, 0); /* a process that we ended does not count as crashed */
    thing_end(&hung);
    thing_end(&waiting);
    world_end(&w);
}

static void time_limits(void **state)
{
    (void)state;
    struct world w;
    struct thing deaf, slow, fine;
    bool answer;
    world_begin(&w,
                "rules:\n  - match: {rpc: PlanResourceChange, contains: deaf}\n    do: {answer: hang}\n"
                "  - match: {rpc: ApplyResourceChange, contains: slow}\n    do: {answer: hang}\n",
                (struct scheduler_options){.stop_ns = 200 * NS_PER_MS});
    thing_begin(&deaf, &w, "deaf", "{\"name\":\"deaf\"}");
    thing_begin(&slow, &w, "slow", "{\"name\":\"slow\"}");
    thing_begin(&fine, &w, "fine", "{\"name\":\"fine\"}");
    deaf.observe_ns = NS_PER_S;
    slow.operation_ns = terraform ? 5 * NS_PER_S : NS_PER_S; /* terraform starts slowly */
    must_be(&fine, "missing"); /* starts the process, whose start does not count towards the limits */
    start_looking(&deaf);
    assert_int_equal(run(&fine, scheduler_apply), SCHEDULER_FINE); /* meanwhile */
    await_seen(&deaf);
    assert_int_equal(scheduler_exists(deaf.session, &answer), SCHEDULER_ANSWERED); /* known: nothing is stored */
    assert_int_equal(scheduler_is_up_to_date(deaf.session, &answer, NULL), SCHEDULER_FAILED);
    assert_int_equal(scheduler_failure(deaf.session), SCHEDULER_TIMED_OUT);
    assert_says(&deaf, scheduler_diags(deaf.session), "fake_thing.this was not observed within 1.000 s");
    end_session(&deaf);
    look(&slow);
    must_start(&slow, scheduler_apply);
    end_session(&slow);
    struct scheduler_result result = collect(&slow);
    assert_int_equal(result.report.failure, SCHEDULER_TIMED_OUT);
    assert_true(result.called && result.now.unknown && slow.unknown);
    assert_says(&slow, result.diags, "fake_thing.this was not created within ");
    scheduler_result_free(&result);
    thing_end(&deaf);
    thing_end(&slow);
    thing_end(&fine);
    world_end(&w);
}

static void a_deaf_provider_is_replaced(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    world_begin(&w, "counts: cloud\nrules:\n  - match: {rpc: PlanResourceChange, nth: 1}\n    do: {crash: stop}\n",
                (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    t.observe_ns = 400 * NS_PER_MS;
    for (int i = 0; i < 3; i++) {
        look(&t);
        assert_int_equal(scheduler_failure(t.session), SCHEDULER_TIMED_OUT);
        end_session(&t);
    }
    t.observe_ns = 0;
    must_be(&t, "missing");
    thing_end(&t);
    world_end(&w);
}

/* One bad object must not affect the others */

enum { CROWD = 8 };

static void a_lost_read_is_asked_again(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    world_begin(&w, "counts: cloud\nrules:\n  - match: {rpc: ReadResource, nth: 1}\n    do: {crash: kill}\n",
                (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    must_be(&t, "fine");
    assert_lost(&w, 1);
    assert_int_equal(scheduler_count(w.scheduler).lanes, 1);
    thing_end(&t);
    world_end(&w);
}

static void who_crashes_the_provider_is_found_and_kept_apart(void **state)
{
    (void)state;
    struct world w;
    struct thing crowd[CROWD], bomb;
    bool answer;
    world_begin(&w,
                "rules:\n  - match: {rpc: PlanResourceChange, contains: bomb}\n    do: {latency_ms: 100, crash: panic}\n"
                "  - match: {rpc: PlanResourceChange}\n    do: {latency_ms: 150}\n",
                (struct scheduler_options){.provider_observations = CROWD + 1});
    thing_begin(&bomb, &w, "bomb", "{\"name\":\"bomb\"}");
    start_looking(&bomb);
    for (int i = 0; i < CROWD; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "bystander-%d", i);
        thing_begin(&crowd[i], &w, key, "{\"name\":\"innocent\"}");
        start_looking(&crowd[i]);
    }
    await_seen(&bomb);
    assert_int_equal(scheduler_failure(bomb.session), SCHEDULER_CRASHED);
    assert_int_equal(scheduler_is_up_to_date(bomb.session, &answer, NULL), SCHEDULER_FAILED);
    assert_says(&bomb, scheduler_diags(bomb.session), "The provider crashes on this object");
    assert_says(&bomb, scheduler_diags(bomb.session), "panic: runtime error: invalid memory address");
    end_session(&bomb);
    for (int i = 0; i < CROWD; i++) {
        await_seen(&crowd[i]);
        assert_string_equal(state_of(&crowd[i]), "missing");
        thing_end(&crowd[i]);
    }
    assert_lost(&w, 3); /* twice with the others, then alone */
    /* From now on the object is tried alone at once, and no other object is affected. */
    look(&bomb);
    assert_int_equal(scheduler_failure(bomb.session), SCHEDULER_CRASHED);
    end_session(&bomb);
    assert_lost(&w, 4);
    if (!terraform)
        assert_int_equal(pool_count(w.stage.pool).providers, 2); /* one apart */
    /* Until a job of it ends without a crash. */
    bomb.config = "{\"name\":\"defused\"}";
    must_be(&bomb, "missing");
    assert_int_equal(scheduler_count(w.scheduler).lanes, 2);
    bomb.config = "{\"name\":\"bomb\"}";
    look(&bomb);
    end_session(&bomb);
    assert_lost(&w, 7);
    scheduler_forget(w.scheduler, STR("bomb"));
    look(&bomb);
    assert_lost(&w, 10);
    thing_end(&bomb);
    world_end(&w);
}

/* All jobs report the loss, but only one of them reports it as the first. */
static void one_end_is_one_loss(void **state)
{
    (void)state;
    struct world w;
    struct thing crowd[CROWD];
    world_begin(&w, "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, to: 2}\n    do: {latency_ms: 300, crash: kill}\n",
                (struct scheduler_options){.provider_observations = CROWD});
    size_t lost = 0, first = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CROWD; i++) {
            char key[32];
            (void)snprintf(key, sizeof key, "t%d", i);
            thing_begin(&crowd[i], &w, key, "{\"name\":\"a\"}");
            start_looking(&crowd[i]);
        }
        for (int i = 0; i < CROWD; i++) {
            await_seen(&crowd[i]);
            lost += scheduler_failure(crowd[i].session) == SCHEDULER_LOST;
            first += scheduler_lost_first(crowd[i].session);
            end_session(&crowd[i]);
            thing_end(&crowd[i]);
        }
    }
    assert_int_equal(first, 2);
    assert_true(lost > first);
    world_end(&w);
}

static void an_apply_that_was_lost_is_never_repeated(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    world_begin(&w, "rules:\n  - match: {rpc: ApplyResourceChange}\n    do: {crash: panic, at: acted}\n",
                (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    for (size_t i = 1; i <= 3; i++) {
        look(&t);
        must_start(&t, scheduler_apply);
        end_session(&t);
        struct scheduler_result result = collect(&t);
        assert_int_equal(result.report.failure, i < 3 ? SCHEDULER_LOST : SCHEDULER_CRASHED);
        assert_true(result.called && result.now.unknown && !result.now.object);
        assert_true(t.unknown && t.n_kept == 1);
        assert_says(&t, result.diags, "Plugin did not respond");
        assert_says(&t, result.diags, "panic: runtime error");
        scheduler_result_free(&result);
        assert_int_equal(n_objects(&w), i);
    }
    thing_end(&t);
    world_end(&w);
}

static void what_was_lost_before_the_apply_is_repeated(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    world_begin(&w, "counts: cloud\nrules:\n  - match: {rpc: PlanResourceChange, nth: 2}\n    do: {crash: kill}\n",
                (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    assert_int_equal(n_objects(&w), 1);
    assert_lost(&w, 1);
    thing_end(&t);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelling),
        cmocka_unit_test(time_limits),
        cmocka_unit_test(a_deaf_provider_is_replaced),
        cmocka_unit_test(a_lost_read_is_asked_again),
        cmocka_unit_test(who_crashes_the_provider_is_found_and_kept_apart),
        cmocka_unit_test(one_end_is_one_loss),
        cmocka_unit_test(an_apply_that_was_lost_is_never_repeated),
        cmocka_unit_test(what_was_lost_before_the_apply_is_repeated),
    };
    const struct CMUnitTest with_terraform[] = {
        cmocka_unit_test(time_limits),
        cmocka_unit_test(a_lost_read_is_asked_again),
        cmocka_unit_test(who_crashes_the_provider_is_found_and_kept_apart),
        cmocka_unit_test(an_apply_that_was_lost_is_never_repeated),
    };
    terraform = getenv("TERRANE_TERRAFORM");
    if (terraform)
        return cmocka_run_group_tests_name("scheduler/cli", with_terraform, NULL, NULL);
    return cmocka_run_group_tests_name("scheduler/faults", tests, NULL, NULL);
}
