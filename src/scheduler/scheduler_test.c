/* The scheduler with the engine and the fake provider: the life of an object, and operations while nobody waits for them. */
#include "base/file.h"
#include "base/lock.h"
#include "scheduler/testing_scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* A life */

static void a_whole_life(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    struct diags diags;
    struct scheduler_started started;
    struct scheduler_result result;
    bool ready, changed;
    const struct state_instance *now;
    world_begin(&w, "replace: {fake_thing: [zone]}\n", (struct scheduler_options){0});
    thing_begin(&t, &w, "life", "{\"name\":\"a\",\"size\":1,\"zone\":\"x\"}");

    look(&t);
    assert_string_equal(state_of(&t), "missing");
    assert_int_equal(scheduler_is_ready(t.session, &ready), SCHEDULER_ANSWERED);
    assert_false(ready);
    must_start(&t, scheduler_apply);
    end_session(&t);
    result = collect(&t);
    assert_int_equal(result.report.failure, SCHEDULER_FINE);
    assert_int_equal(result.report.kind, SCHEDULER_CREATE);
    assert_true(result.called && result.now.object && !result.now.unknown);
    assert_int_equal(result.details.n, 1);
    scheduler_result_free(&result);
    assert_int_equal(t.n_kept, 1);
    assert_false(scheduler_collect(w.scheduler, str_of(t.key), &result)); /* once */

    look(&t);
    assert_string_equal(state_of(&t), "fine");
    assert_int_equal(scheduler_is_ready(t.session, &ready), SCHEDULER_ANSWERED);
    assert_true(ready);
    assert_int_equal(scheduler_update_status(t.session, &now, &changed), SCHEDULER_ANSWERED);
    assert_false(changed);
    const struct json *chosen;
    assert_int_equal(scheduler_late_initialize(t.session, t.arena, &chosen), SCHEDULER_ANSWERED);
    assert_non_null(json_get(chosen, "comment"));
    assert_null(json_get(chosen, "size"));
    struct scheduler_details details;
    assert_int_equal(scheduler_get_connection_details(t.session, t.arena, &details), SCHEDULER_ANSWERED);
    assert_int_equal(details.n, 1);
    assert_string_equal(path_text(t.arena, details.v[0].path).p, "password");
    assert_true(details.v[0].value->kind == JSON_STRING);
    assert_int_equal(try_start(&t, scheduler_apply, &diags, &started), SCHEDULER_ANSWERED);
    assert_true(started.completed);
    assert_int_equal(started.details.n, 1);
    end_session(&t);

    /* Drift: somebody else changes it. */
    char path[512];
    (void)snprintf(path, sizeof path, "cloud/fake_thing/%s.json", id_of(&t).p);
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    buf_printf(&text,
               "{\"id\":\"%s\",\"name\":\"a\",\"size\":7,\"zone\":\"x\",\"comment\":\"c\",\"password\":\"p\",\"tags\":null}",
               id_of(&t).p);
    (void)stage_file(&w.stage, path, buf_copy(&text, t.arena).p);
    look(&t);
    assert_string_equal(state_of(&t), "different");
    assert_int_equal(scheduler_update_status(t.session, &now, &changed), SCHEDULER_ANSWERED);
    assert_true(changed);
    assert_int_equal(json_int(json_get(now->attributes, "size"), 0), 7);
    bool up_to_date;
    struct scheduler_difference d;
    assert_int_equal(scheduler_is_up_to_date(t.session, &up_to_date, &d), SCHEDULER_ANSWERED);
    assert_int_equal(d.action, ACTION_UPDATE);
    assert_string_equal(d.paths[0].p, ".comment"); /* computed: the provider may change it with any update */
    assert_string_equal(d.paths[d.n_paths - 1].p, ".size");
    assert_int_equal(d.n_replace, 0);
    end_session(&t);
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    must_be(&t, "fine");

    /* The zone cannot be changed in place. */
    struct str first = id_of(&t);
    t.config = "{\"name\":\"a\",\"size\":1,\"zone\":\"y\"}";
    look(&t);
    assert_int_equal(scheduler_is_up_to_date(t.session, &up_to_date, &d), SCHEDULER_ANSWERED);
    assert_int_equal(d.action, ACTION_DELETE_THEN_CREATE);
    assert_int_equal(d.n_replace, 1);
    assert_string_equal(d.replace[0].p, ".zone");
    assert_int_equal(try_start(&t, scheduler_apply, &diags, &started), SCHEDULER_FAILED);
    assert_says(&t, &diags, "Replacement refused");
    assert_says(&t, &diags, "these cannot be changed in place: \"zone\"");
    end_session(&t);
    t.may_replace = true;
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    assert_int_equal(t.n_kept, terraform ? 1 : 2); /* the engine also reports that nothing exists between the two halves */
    assert_int_equal(t.n_nothing_kept, terraform ? 0 : 1);
    assert_false(str_eq(first, id_of(&t)));
    must_be(&t, "fine");

    t.config = NULL;
    assert_int_equal(run(&t, scheduler_delete), SCHEDULER_FINE);
    assert_int_equal(t.n_nothing_kept, 1);
    assert_false(t.exists);
    assert_int_equal(n_objects(&w), 0);
    look(&t);
    assert_int_equal(try_start(&t, scheduler_delete, &diags, &started), SCHEDULER_ANSWERED);
    assert_true(started.completed);
    assert_int_equal(scheduler_count(w.scheduler).operations, 0);
    thing_end(&t);
    world_end(&w);
}

static void what_is_not_stored_is_looked_for(void **state)
{
    (void)state;
    struct world w;
    struct thing t, other;
    world_begin(&w, NULL, (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    thing_begin(&other, &w, "other", "{\"name\":\"a\"}");
    other.import_id = id_of(&t).p;
    must_be(&other, "fine");
    other.config = "{\"name\":\"b\"}";
    must_be(&other, "different");
    other.import_id = "nobody";
    must_be(&other, "missing");
    /* Somebody else deletes it. */
    t.config = NULL;
    other.exists = true;
    other.stored = t.stored;
    assert_int_equal(run(&t, scheduler_delete), SCHEDULER_FINE);
    must_be(&other, "missing");
    thing_end(&t);
    arena_free(other.arena);
    world_end(&w);
}

static void wrong_wishes_do_not_hide_the_object(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    bool answer;
    world_begin(&w, NULL, (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    t.config = "{\"nam\":\"a\"}";
    look(&t);
    assert_int_equal(scheduler_exists(t.session, &answer), SCHEDULER_ANSWERED);
    assert_true(answer);
    assert_int_equal(scheduler_is_up_to_date(t.session, &answer, NULL), SCHEDULER_FAILED);
    assert_int_equal(scheduler_failure(t.session), SCHEDULER_WRONG);
    assert_says(&t, scheduler_diags(t.session), "Missing required argument");
    struct diags diags;
    struct scheduler_started started;
    assert_int_equal(try_start(&t, scheduler_apply, &diags, &started), SCHEDULER_FAILED);
    assert_says(&t, &diags, "Missing required argument");
    /* Nor does it prevent a deletion. */
    must_start(&t, scheduler_delete);
    struct scheduler_result result = collect(&t);
    assert_int_equal(result.report.failure, SCHEDULER_FINE);
    scheduler_result_free(&result);
    assert_int_equal(n_objects(&w), 0);
    thing_end(&t);
    world_end(&w);
}

/* Operations in the background */

static void one_operation_at_a_time(void **state)
{
    (void)state;
    struct world w;
    struct thing t, same;
    struct diags diags;
    struct scheduler_started started;
    struct scheduler_report report;
    struct scheduler_result result;
    bool ready;
    world_begin(&w, "rules:\n  - match: {rpc: ApplyResourceChange}\n    do: {latency_ms: 400}\n", (struct scheduler_options){0});
    thing_begin(&t, &w, "one", "{\"name\":\"a\"}");
    thing_begin(&same, &w, "one", "{\"name\":\"a\"}");
    look(&t);
    look(&same);
    assert_false(scheduler_operation(w.scheduler, STR("one"), &report));
    must_start(&t, scheduler_apply);
    end_session(&t); /* the operation goes on */
    assert_int_equal(try_start(&same, scheduler_apply, &diags, &started), SCHEDULER_FAILED);
    assert_says(&same, &diags, "The create of fake_thing.this that began before is still running");
    assert_true(scheduler_operation(w.scheduler, STR("one"), &report));
    assert_false(report.finished);
    assert_true(report.kind == SCHEDULER_CREATE && report.started_ns > 0);
    assert_false(scheduler_collect(w.scheduler, STR("one"), &result));
    assert_int_equal(scheduler_is_ready(same.session, &ready), SCHEDULER_ANSWERED);
    assert_false(ready);
    assert_true(completion_wait(&t.done, clock_now(&system_clock) + PATIENT));
    assert_int_equal(try_start(&same, scheduler_apply, &diags, &started), SCHEDULER_FAILED); /* not collected */
    assert_true(scheduler_operation(w.scheduler, STR("one"), &report));
    assert_true(report.finished && report.finished_ns >= report.started_ns);
    result = collect(&t);
    assert_int_equal(result.report.failure, SCHEDULER_FINE);
    scheduler_result_free(&result);
    assert_false(scheduler_operation(w.scheduler, STR("one"), &report));
    assert_int_equal(same.n_kept, 0);
    assert_int_equal(n_objects(&w), 1);
    thing_end(&t);
    thing_end(&same);
    world_end(&w);
}

static void what_cannot_be_stored_is_no_success(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    world_begin(&w, "replace: {fake_thing: [zone]}\n", (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    t.refuse_to_keep = true;
    look(&t);
    must_start(&t, scheduler_apply);
    end_session(&t);
    struct scheduler_result result = collect(&t);
    assert_int_equal(result.report.failure, SCHEDULER_NOT_KEPT);
    assert_true(result.called && result.now.object); /* whoever collects the result can still store it */
    assert_says(&t, result.diags, "State not stored");
    remember(&t, result.now.object);
    scheduler_result_free(&result);
    /* The second half of a replacement is not begun. */
    t.config = "{\"name\":\"a\",\"zone\":\"y\"}";
    t.may_replace = true;
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_NOT_KEPT);
    assert_int_equal(n_objects(&w), 0);
    thing_end(&t);
    world_end(&w);
}
/* Many */

enum { MANY = 64, LEFT = 8 };

static void many_at_once(void **state)
{
    (void)state;
    struct world w;
    static struct thing many[MANY];
    char configs[MANY][64];
    world_begin(&w, NULL, (struct scheduler_options){.provider_observations = 5, .provider_operations = 7});
    for (int i = 0; i < MANY; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "object-%d", i);
        (void)snprintf(configs[i], sizeof configs[i], "{\"name\":\"object-%d\"}", i);
        thing_begin(&many[i], &w, key, configs[i]);
        many[i].region = i % 2 ? "here" : "there";
    }
    for (int round = 0; round < 3; round++) {
        start_fn *start = round == 2 ? scheduler_delete : scheduler_apply;
        static const char *const states[] = {"missing", "fine", "fine"};
        for (int i = 0; i < MANY; i++)
            start_looking(&many[i]);
        assert_true(scheduler_count(w.scheduler).running <= 10); /* five for each of the two configurations */
        for (int i = 0; i < MANY; i++) {
            await_seen(&many[i]);
            assert_string_equal(state_of(&many[i]), states[round]);
            if (round != 1)
                must_start(&many[i], start);
            end_session(&many[i]);
        }
        for (int i = 0; i < MANY && round != 1; i++) {
            struct scheduler_result result = collect(&many[i]);
            assert_int_equal(result.report.failure, SCHEDULER_FINE);
            scheduler_result_free(&result);
        }
        assert_int_equal(n_objects(&w), round == 2 ? 0 : MANY);
    }
    assert_int_equal(scheduler_count(w.scheduler).lanes, 2);
    for (int i = 0; i < MANY; i++)
        arena_free(many[i].arena);
    world_end(&w);
}

static void the_end_waits_for_what_is_under_way(void **state)
{
    (void)state;
    struct world w;
    struct thing t, left[LEFT];
    world_begin(&w, "rules:\n  - match: {rpc: ApplyResourceChange}\n    do: {latency_ms: 200}\n", (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    look(&t);
    must_start(&t, scheduler_apply);
    end_session(&t);
    for (int i = 0; i < LEFT; i++) {
        thing_begin(&left[i], &w, "left", "{\"name\":\"b\"}");
        start_looking(&left[i]);
        end_session(&left[i]); /* without an answer */
    }
    scheduler_free(w.scheduler);
    w.scheduler = NULL;
    assert_int_equal(t.n_done, 1);
    for (int i = 0; i < LEFT; i++)
        thing_end(&left[i]);
    thing_end(&t);
    world_end(&w);
}

/* Waking */

struct sleeper {
    struct thing thing;
    pthread_mutex_t lock;
    int n;
    struct completion woken;
};

static void count_wake(void *ctx)
{
    struct sleeper *s = ctx;
    mutex_lock(&s->lock);
    s->n++;
    mutex_unlock(&s->lock);
    completion_signal(&s->woken);
}

/* Still under way when the other thread goes on. */
static void wake_slowly(void *ctx)
{
    struct sleeper *s = ctx;
    completion_signal(&s->woken);
    nap_ms(2);
    s->n++;
}

static void wake_comes_once_and_never_after_the_end(void **state)
{
    (void)state;
    struct world w;
    struct sleeper s = {0};
    bool answer;
    world_begin(&w, NULL, (struct scheduler_options){0});
    thing_begin(&s.thing, &w, "t", "{\"name\":\"a\"}");
    mutex_init(&s.lock);
    for (int i = 0; i < 100; i++) {
        struct arena *a = arena_new(NULL, 0);
        struct scheduler_item item = item_of(&s.thing, a);
        completion_init(&s.woken);
        s.n = 0;
        struct scheduler_session *o = scheduler_observe(w.scheduler, a, &item, wake_slowly, &s);
        if (i % 2 == 0) {
            assert_true(completion_wait(&s.woken, clock_now(&system_clock) + PATIENT));
            assert_int_equal(scheduler_exists(o, &answer), SCHEDULER_ANSWERED);
        }
        scheduler_end(o);
        assert_true(i % 2 == 0 ? s.n == 1 : s.n <= 1); /* no lock needed: no other thread uses it any more */
    }
    mutex_destroy(&s.lock);
    thing_end(&s.thing);
    world_end(&w);
}

/* The same life with both backends */

struct step {
    const char *config;
    bool destroy;
    const char *attributes;
    enum change_action action;
    const char *paths;
};

static void live(struct step *steps, size_t n, struct arena *results)
{
    struct world w;
    struct thing t;
    bool up_to_date;
    world_begin(&w, "replace: {fake_thing: [zone]}\n", (struct scheduler_options){0});
    thing_begin(&t, &w, "life", NULL);
    t.may_replace = true;
    for (size_t i = 0; i < n; i++) {
        struct scheduler_difference d;
        struct buf text BUF_AUTO = BUF_INIT(1 << 16);
        struct json_writer out = {.out = &text};
        t.config = steps[i].config;
        look(&t);
        (void)state_of(&t);
        assert_int_equal(scheduler_is_up_to_date(t.session, &up_to_date, &d), SCHEDULER_ANSWERED);
        steps[i].action = d.action;
        struct buf paths BUF_AUTO = BUF_INIT(1 << 16);
        for (size_t k = 0; k < d.n_paths; k++)
            buf_add(&paths, d.paths[k]);
        steps[i].paths = buf_copy(&paths, results).p;
        end_session(&t);
        if (steps[i].destroy || d.action != ACTION_NO_OP)
            assert_int_equal(run(&t, steps[i].destroy ? scheduler_delete : scheduler_apply), SCHEDULER_FINE);
        json_begin_array(&out);
        if (t.exists) {
            json_write(&out, t.stored.attributes);
            json_write_int(&out, (int64_t)t.stored.schema_version);
            json_write_string(&out, t.stored.private_bytes);
        }
        json_end_array(&out);
        assert_true(json_finish(&out));
        steps[i].attributes = buf_copy(&text, results).p;
    }
    assert_int_equal(n_objects(&w), 0);
    thing_end(&t);
    world_end(&w);
}

static void both_ways_leave_the_same(void **state)
{
    (void)state;
    enum { STEPS = 7 };
    static const char *const configs[STEPS] = {
        "{\"name\":\"a\",\"size\":1,\"zone\":\"x\"}",
        "{\"name\":\"a\",\"size\":1,\"zone\":\"x\"}",
        "{\"name\":\"a\",\"size\":1.50,\"zone\":\"x\",\"comment\":\"${mine} %{if} $${x}\"}",
        "{\"name\":\"b\",\"size\":2,\"zone\":\"x\",\"tags\":{\"k\":\"v\",\"${k}\":\"<&>\"}}",
        "{\"name\":\"b\",\"size\":2,\"zone\":\"y\"}",
        NULL,
        NULL,
    };
    struct arena *results[2] = {arena_new(NULL, 0), arena_new(NULL, 0)};
    struct step steps[2][STEPS] = {0};
    const char *program = terraform;
    for (size_t way = 0; way < 2; way++) {
        for (size_t i = 0; i < STEPS; i++)
            steps[way][i] = (struct step){.config = configs[i], .destroy = i == 5};
        terraform = way ? program : NULL;
        live(steps[way], STEPS, results[way]);
    }
    for (size_t i = 0; i < STEPS; i++) {
        assert_int_equal(steps[0][i].action, steps[1][i].action);
        assert_string_equal(steps[0][i].paths, steps[1][i].paths);
        assert_string_equal(steps[0][i].attributes, steps[1][i].attributes);
    }
    arena_free(results[0]);
    arena_free(results[1]);
}

static void leftovers_are_removed(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    world_begin(&w, NULL, (struct scheduler_options){0});
    assert_true(file_make_folder(arena_printf(w.stage.arena, "%s/workspaces/terrane-cli-dead00/ws-1", w.stage.folder).p, 0700,
                                 &w.stage.diags));
    const char *left = stage_file(&w.stage, "workspaces/terrane-cli-dead00/ws-1/main.tf.json", "{}");
    (void)stage_file(&w.stage, "workspaces/terrane-cli-dead00/owner.lock", "");
    const char *foreign = stage_file(&w.stage, "workspaces/other", "{}");
    struct backend *second = backend_of(&w); /* while the first is still in use */
    assert_false(file_exists(left));
    assert_true(file_exists(foreign));
    second->ops->free(second);
    thing_begin(&t, &w, "t", "{\"name\":\"a\"}");
    must_be(&t, "missing");
    thing_end(&t);
    world_end(&w);
}

/* With TERRANE_MEASURE set: what one observation of an unchanged object costs. */
static int64_t cpu_ns(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static void observations_one_after_the_other(void **state)
{
    (void)state;
    struct world w;
    struct thing t;
    const int n = getenv("TERRANE_MEASURE") ? 5000 : 20;
    world_begin(&w, NULL, (struct scheduler_options){0});
    thing_begin(&t, &w, "t", "{\"name\":\"a\",\"size\":1}");
    assert_int_equal(run(&t, scheduler_apply), SCHEDULER_FINE);
    must_be(&t, "fine");
    int64_t wall = clock_now(&system_clock), cpu = cpu_ns();
    for (int i = 0; i < n; i++) {
        struct arena *a = arena_new(NULL, 0);
        struct scheduler_item item = item_of(&t, a);
        struct sleeper s = {0};
        mutex_init(&s.lock);
        completion_init(&s.woken);
        t.session = scheduler_observe(w.scheduler, a, &item, count_wake, &s);
        assert_true(completion_wait(&s.woken, clock_now(&system_clock) + PATIENT));
        assert_string_equal(state_of(&t), "fine");
        end_session(&t);
        mutex_destroy(&s.lock);
    }
    if (n > 1000)
        printf("# one observation of an unchanged object: %lld us wall, %lld us CPU of ours\n",
               (long long)((clock_now(&system_clock) - wall) / n / 1000), (long long)((cpu_ns() - cpu) / n / 1000));
    assert_int_equal(pool_count(w.stage.pool).started, 1);
    thing_end(&t);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_life),
        cmocka_unit_test(what_is_not_stored_is_looked_for),
        cmocka_unit_test(wrong_wishes_do_not_hide_the_object),
        cmocka_unit_test(one_operation_at_a_time),
        cmocka_unit_test(what_cannot_be_stored_is_no_success),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(the_end_waits_for_what_is_under_way),
        cmocka_unit_test(wake_comes_once_and_never_after_the_end),
        cmocka_unit_test(observations_one_after_the_other),
    };
    const struct CMUnitTest with_terraform[] = {
        cmocka_unit_test(both_ways_leave_the_same),         cmocka_unit_test(a_whole_life),
        cmocka_unit_test(what_is_not_stored_is_looked_for), cmocka_unit_test(wrong_wishes_do_not_hide_the_object),
        cmocka_unit_test(one_operation_at_a_time),          cmocka_unit_test(leftovers_are_removed),
    };
    terraform = getenv("TERRANE_TERRAFORM");
    if (terraform)
        return cmocka_run_group_tests_name("scheduler/cli", with_terraform, NULL, NULL);
    return cmocka_run_group_tests_name("scheduler/scheduler", tests, NULL, NULL);
}
