/* What this process does with an object that it does not own, or no longer owns. */
#include "controller/controller_private.h"
#include "controller/testing_controller.h"

#include <stdatomic.h>
#include <unistd.h>

#define DATABASE(name, more) "apiVersion: fake.example.org/v1\nkind: Database\nmetadata: {name: " name more "}\n"

enum { A_WHILE_MS = 300 };

static void without_the_lease(void **state)
{
    (void)state;
    struct play p = {0};
    play_begin(&p, NULL);
    apply(&p, play_config);
    p.options.sparing = true; /* updates and deletions are not journalled: no write fails before them */
    play_start(&p);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    await_calm(&p);

    assert_int_equal(unlink(arena_printf(p.arena, "%s/store.lock", p.folder).p), 0);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 2, zone: a}}\n");
    apply(&p, DATABASE("new", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    nap_ms(A_WHILE_MS);
    assert_non_null(cloud_find(&p, "fake_database", "size", "1"));
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

/* --- operations that end when another process may own their objects --- */

static void begin_slowly(struct play *p)
{
    *p = (struct play){0};
    play_begin(p, "rules: [{match: {rpc: ApplyResourceChange}, do: {answer_ms: 600}}]\n");
    apply(p, play_config);
    p->options.sparing = true;
    play_start(p);
}

static void lose_the_lease(struct play *p)
{
    assert_int_equal(unlink(arena_printf(p->arena, "%s/store.lock", p->folder).p), 0);
}

static struct str state_of(struct play *p, const char *kind, const char *name)
{
    struct str text;
    assert_true(kept_get(p->store, p->arena, KEPT_STATE, managed_uid(object(p, kind, name)), &p->diags, &text));
    return text;
}

/* Its new owner has observed the resource, and perhaps changed it again. */
static void late_end_of_an_update(void **state)
{
    (void)state;
    struct play p;
    begin_slowly(&p);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    await_calm(&p);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 2, zone: a}}\n");
    await_cloud(&p, "fake_database", "size", "2");
    lose_the_lease(&p);
    assert_int_equal(state_keep_text(p.store, managed_uid(object(&p, "Database", "web")), STR("of the new owner"), &p.diags),
                     STORE_OK);
    annotate(&p, "Database", "web", "new", "owner");
    const char *version = managed_text(managed_at(object(&p, "Database", "web"), "metadata", "resourceVersion", NULL)).p;
    (void)controller_stop(p.controller, clock_now(&system_clock) + PATIENT);
    assert_int_equal(controller_keep(p.controller), 0);
    assert_true(str_eqz(state_of(&p, "Database", "web"), "of the new owner"));
    assert_true(str_eqz(managed_text(managed_at(object(&p, "Database", "web"), "metadata", "resourceVersion", NULL)), version));
    play_end(&p);
}

/* `told`: its new owner knows already what has become of it. */
static void check_late_creation(bool told)
{
    struct play p;
    begin_slowly(&p);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    while (cloud_count(&p, "fake_user") < 1)
        nap_ms(1);
    lose_the_lease(&p);
    if (told)
        annotate(&p, "User", "bob", MANAGED_EXTERNAL_NAME, "told");
    (void)controller_stop(p.controller, clock_now(&system_clock) + PATIENT);
    assert_int_equal(controller_keep(p.controller), 0);
    struct str made = json_text(json_get(cloud_find(&p, "fake_user", "login", "bob"), "id"), STR_EMPTY);
    assert_string_equal(annotation(&p, "User", "bob", MANAGED_EXTERNAL_NAME), told ? "told" : made.p);
    assert_true((state_of(&p, "User", "bob").n == 0) == told);
    play_end(&p);
}

/* Only the process that has lost the Lease knows the id. */
static void late_end_of_a_creation(void **state)
{
    (void)state;
    check_late_creation(false);
    check_late_creation(true);
}

/* --- objects that move --- */

struct shards {
    _Atomic uint64_t given_away; /* a shard's number; 0: none */
};

static bool owns(void *ctx, uint64_t shard)
{
    struct shards *s = ctx;
    return shard != atomic_load(&s->given_away);
}

/* By the annotation `team`. */
static uint64_t shard_by_team(void *ctx, const struct store_key *key, const struct json *object)
{
    (void)ctx, (void)key;
    return str_eqz(managed_annotation(object, "team"), "other") ? 2 : 1;
}

static void begin_with(struct play *p, struct shards *s)
{
    *p = (struct play){0};
    play_begin(p, NULL);
    apply(p, play_config);
    p->options.owns = owns;
    p->options.shard = shard_by_team;
    p->options.owns_ctx = s;
    play_start(p);
}

static void await_objects(struct play *p, size_t n)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    while (controller_count(p->controller).objects != n && clock_now(&system_clock) < end)
        nap_ms(5);
    assert_int_equal(controller_count(p->controller).objects, n);
}

/*
 * A change of the object moves it to another process: the old owner releases it at once, not at its next poll, which is in an
 * hour.
 */
static void moves_by_its_own_words(void **state)
{
    (void)state;
    struct play p;
    struct shards s = {2};
    begin_with(&p, &s);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    await_calm(&p);
    await_objects(&p, 1);
    annotate(&p, "Database", "web", "team", "other");
    await_objects(&p, 0);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 2, zone: a}}\n");
    nap_ms(A_WHILE_MS);
    assert_non_null(cloud_find(&p, "fake_database", "size", "1"));
    annotate(&p, "Database", "web", "team", "mine");
    await_cloud(&p, "fake_database", "size", "2");
    play_end(&p);
}

/*
 * Other processes were added: an object that is theirs now is released although it did not change, and all of it is read again if
 * it comes back.
 */
static void moves_with_its_shard(void **state)
{
    (void)state;
    struct play p;
    struct shards s = {0};
    begin_with(&p, &s);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    apply(&p, DATABASE("mine", ", annotations: {team: other}") "spec: {forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    await_ready(&p, "Database", "mine");
    await_calm(&p);
    await_objects(&p, 2);
    atomic_store(&s.given_away, 1);
    assert_true(controller_take(p.controller, &p.diags));
    await_objects(&p, 1);
    atomic_store(&s.given_away, 0);
    assert_true(controller_take(p.controller, &p.diags));
    await_objects(&p, 2);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_lease),      cmocka_unit_test(late_end_of_an_update),
        cmocka_unit_test(late_end_of_a_creation), cmocka_unit_test(moves_by_its_own_words),
        cmocka_unit_test(moves_with_its_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
