#include "reconcile/journal.h"

#include "base/testing.h"
#include "managed/object.h"

/* A store of one record, which can fail at the n-th write. */
struct store {
    struct arena *arena;
    struct str uid, record;
    bool there;
    int fail_in; /* 1: the next write fails; 0: none does */
};

static bool store_write(struct store *s, struct diags *diags)
{
    return s->fail_in == 0 || --s->fail_in > 0 || diags_fail(diags, "No space", "The disk is full.");
}

static bool store_put(void *ctx, struct str uid, struct str record, struct diags *diags)
{
    struct store *s = ctx;
    if (!store_write(s, diags))
        return false;
    s->uid = arena_str(s->arena, uid);
    s->record = arena_str(s->arena, record);
    s->there = true;
    return true;
}

static bool store_remove(void *ctx, struct str uid, struct diags *diags)
{
    struct store *s = ctx;
    (void)uid;
    if (!store_write(s, diags))
        return false;
    s->there = false;
    return true;
}

static struct journal journal_of(struct store *s)
{
    return (struct journal){.ctx = s, .put = store_put, .remove = store_remove};
}

static const struct journal_entry an_entry = {
    .uid = {"u1", 2},
    .group = {"g", 1},
    .kind = {"Bucket", 6},
    .namespace = {"ns", 2},
    .name = {"b", 1},
    .operation = RECONCILE_CREATE,
    .generation = 3,
    .intent = {"sha256:1", 8},
    .plan = {"sha256:2", 8},
    .begun_ns = INT64_C(1790000000000000000),
};

static void test_round_trip(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct store store = {.arena = a};
    struct journal j = journal_of(&store);
    struct journal_entry e = an_entry;
    e.wanted = testing_json(a, STR("{\"size\":1}"));
    assert_true(journal_begin(&j, &e, &diags));
    assert_int_equal(journal_read(a, store.uid, store.record).phase, JOURNAL_BEGUN);
    assert_true(journal_sent(&j, &e, &diags));
    assert_int_equal(journal_read(a, store.uid, store.record).phase, JOURNAL_SENT);
    assert_true(journal_ended(&j, &e, JOURNAL_FAILED, STR("i-1"), STR("no \"room\""), &diags));
    struct journal_entry got = journal_read(a, store.uid, store.record);
    assert_false(got.damaged);
    testing_text(got.uid, "u1");
    testing_text(got.group, "g");
    testing_text(got.kind, "Bucket");
    testing_text(got.namespace, "ns");
    testing_text(got.name, "b");
    assert_int_equal(got.operation, RECONCILE_CREATE);
    assert_int_equal(got.generation, 3);
    testing_text(got.intent, "sha256:1");
    assert_true(got.wanted && json_eq(got.wanted, e.wanted));
    testing_text(got.plan, "sha256:2");
    testing_text(got.external_name, "i-1");
    assert_true(got.begun_ns == an_entry.begun_ns);
    assert_int_equal(got.phase, JOURNAL_ENDED);
    assert_int_equal(got.outcome, JOURNAL_FAILED);
    testing_text(got.error, "no \"room\"");
    assert_true(journal_settle(&j, e.uid, &diags));
    assert_false(store.there);
    testing_no_errors(&diags);
}

/* What cannot be recorded must not be done: each function reports the failure. */
static void test_full_disk(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (int step = 0; step < 4; step++) {
        struct diags diags;
        diags_init(&diags, a);
        struct store store = {.arena = a, .fail_in = 1};
        struct journal j = journal_of(&store);
        struct journal_entry e = an_entry;
        bool done = step == 0   ? journal_begin(&j, &e, &diags)
                    : step == 1 ? journal_sent(&j, &e, &diags)
                    : step == 2 ? journal_ended(&j, &e, JOURNAL_SUCCEEDED, STR("i"), STR_EMPTY, &diags)
                                : journal_settle(&j, e.uid, &diags);
        assert_false(done);
        testing_says(&diags, "disk is full");
    }
}

static void test_bounds(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct store store = {.arena = a};
    struct journal j = journal_of(&store);
    struct journal_entry e = an_entry;
    struct str long_text = {arena_alloc(a, 1 << 20, 1), 1 << 20};
    memset((char *)(uintptr_t)long_text.p, 'x', long_text.n);
    assert_true(journal_ended(&j, &e, JOURNAL_FAILED, STR_EMPTY, long_text, &diags));
    assert_int_equal(journal_read(a, store.uid, store.record).error.n, JOURNAL_MAX_ERROR);
    struct json_member large = {.key = STR("a"), .value = json_make_string(a, long_text)};
    e.wanted = json_make_object(a, &large, 1); /* left out as too large */
    assert_true(journal_begin(&j, &e, &diags));
    assert_null(journal_read(a, store.uid, store.record).wanted);
    e.name = long_text;
    assert_false(journal_begin(&j, &e, &diags));
    testing_says(&diags, "Journal record too large");
}

static void test_damaged(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const records[] = {
        "",
        "{",
        "[]",
        "{\"version\": 2, \"operation\": \"create\", \"phase\": \"sent\"}",
        "{\"version\": 1, \"operation\": \"make\", \"phase\": \"sent\"}",
        "{\"version\": 1, \"operation\": \"create\", \"phase\": \"gone\"}",
        "{\"version\": 1, \"operation\": \"create\", \"phase\": \"ended\"}",
    };
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        struct journal_entry e = journal_read(a, STR("u1"), str_of(records[i]));
        if (!e.damaged)
            fail_msg("%s was understood", records[i]);
        testing_text(e.uid, "u1");
    }
}

/* --- the rules of recovery --- */

#define UID "\"uid\": \"u1\", \"generation\": 3"
#define PENDING "\"crossplane.io/external-create-pending\": \"2026-11-18T00:00:00Z\""
#define DONE "\"crossplane.io/external-create-succeeded\": \"2026-11-18T00:00:00Z\""
#define NAMED(n) "\"crossplane.io/external-name\": \"" n "\""
#define OBJECT(annotations) "{\"metadata\": {" UID ", \"annotations\": {" annotations "}}}"
#define NEWER(annotations) "{\"metadata\": {\"uid\": \"u1\", \"generation\": 4, \"annotations\": {" annotations "}}}"
#define ANOTHER "{\"metadata\": {\"uid\": \"u2\"}}"

enum { C = RECONCILE_CREATE, U = RECONCILE_UPDATE, D = RECONCILE_DELETE };

static const struct rule {
    const char *title;
    int operation;
    enum journal_phase phase;
    enum journal_outcome outcome;
    const char *external_name;
    const char *object; /* NULL: gone */
    bool name_is_known;
    enum journal_action action;
} rules[] = {
    {"a creation that was not sent, marked in the object", C, JOURNAL_BEGUN, 0, "", OBJECT(PENDING), false, JOURNAL_CANCEL},
    {"a creation that was not sent, not marked", C, JOURNAL_BEGUN, 0, "", OBJECT(""), false, JOURNAL_DROP},
    {"an update that was not sent", U, JOURNAL_BEGUN, 0, "", OBJECT(""), false, JOURNAL_DROP},
    {"a deletion that was not sent", D, JOURNAL_BEGUN, 0, "", OBJECT(""), false, JOURNAL_DROP},

    {"a creation that was sent", C, JOURNAL_SENT, 0, "", OBJECT(PENDING), false, JOURNAL_LOOK_UP},
    {"though the object takes it for done", C, JOURNAL_SENT, 0, "", OBJECT(PENDING ", " DONE), false, JOURNAL_LOOK_UP},
    {"the name is known beforehand", C, JOURNAL_SENT, 0, "", OBJECT(PENDING), true, JOURNAL_OBSERVE},
    {"the object has the name of what was there before", C, JOURNAL_SENT, 0, "old", OBJECT(NAMED("old")), false, JOURNAL_LOOK_UP},
    {"somebody has said which one it is", C, JOURNAL_SENT, 0, "", OBJECT(NAMED("new")), false, JOURNAL_OBSERVE},
    {"the provider died in it", C, JOURNAL_ENDED, JOURNAL_UNKNOWN, "", OBJECT(PENDING), false, JOURNAL_LOOK_UP},
    {"an update that was sent", U, JOURNAL_SENT, 0, "i", OBJECT(NAMED("i")), false, JOURNAL_OBSERVE},
    {"the provider died in it", U, JOURNAL_ENDED, JOURNAL_UNKNOWN, "i", OBJECT(NAMED("i")), false, JOURNAL_OBSERVE},
    {"a deletion that was sent", D, JOURNAL_SENT, 0, "i", OBJECT(NAMED("i")), false, JOURNAL_OBSERVE},

    {"created, the object does not know", C, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", OBJECT(PENDING), false, JOURNAL_ADOPT},
    {"created, the object knows half", C, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", OBJECT(PENDING ", " NAMED("i")), false,
     JOURNAL_ADOPT},
    {"created without a name, not marked", C, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "", OBJECT(PENDING), false, JOURNAL_ADOPT},
    {"created anew under another name", C, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i2", OBJECT(PENDING ", " DONE ", " NAMED("i1")),
     false, JOURNAL_ADOPT},
    {"created, the object knows", C, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", OBJECT(PENDING ", " DONE ", " NAMED("i")), false,
     JOURNAL_REPORT},
    {"updated", U, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", OBJECT(NAMED("i")), false, JOURNAL_REPORT},
    {"deleted", D, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", OBJECT(NAMED("i")), false, JOURNAL_REPORT},

    {"the creation failed", C, JOURNAL_ENDED, JOURNAL_FAILED, "", OBJECT(PENDING), false, JOURNAL_REPORT},
    {"the creation failed and left something", C, JOURNAL_ENDED, JOURNAL_FAILED, "i", OBJECT(PENDING), false, JOURNAL_ADOPT},
    {"the creation failed, changed since, but still marked", C, JOURNAL_ENDED, JOURNAL_FAILED, "", NEWER(PENDING), false,
     JOURNAL_REPORT},
    {"the creation failed, changed since", C, JOURNAL_ENDED, JOURNAL_FAILED, "", NEWER(""), false, JOURNAL_DROP},
    {"the update failed", U, JOURNAL_ENDED, JOURNAL_FAILED, "i", OBJECT(NAMED("i")), false, JOURNAL_REPORT},
    {"the update failed, changed since", U, JOURNAL_ENDED, JOURNAL_FAILED, "i", NEWER(NAMED("i")), false, JOURNAL_DROP},
    {"the deletion failed", D, JOURNAL_ENDED, JOURNAL_FAILED, "i", OBJECT(NAMED("i")), false, JOURNAL_REPORT},

    {"gone before anything was sent", C, JOURNAL_BEGUN, 0, "", NULL, false, JOURNAL_DROP},
    {"gone during the creation", C, JOURNAL_SENT, 0, "", NULL, false, JOURNAL_WARN},
    {"gone after the creation", C, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", NULL, false, JOURNAL_WARN},
    {"gone after a creation that failed", C, JOURNAL_ENDED, JOURNAL_FAILED, "", NULL, false, JOURNAL_DROP},
    {"gone after a creation that left something", C, JOURNAL_ENDED, JOURNAL_FAILED, "i", NULL, false, JOURNAL_WARN},
    {"gone during an update", U, JOURNAL_SENT, 0, "i", NULL, false, JOURNAL_WARN},
    {"gone during the deletion", D, JOURNAL_SENT, 0, "i", NULL, false, JOURNAL_WARN},
    {"gone after the deletion", D, JOURNAL_ENDED, JOURNAL_SUCCEEDED, "i", NULL, false, JOURNAL_DROP},
    {"gone after a deletion that failed", D, JOURNAL_ENDED, JOURNAL_FAILED, "i", NULL, false, JOURNAL_WARN},
    {"another object of that name", C, JOURNAL_SENT, 0, "", ANOTHER, false, JOURNAL_WARN},
};

static void test_recovery(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *r = &rules[i];
        struct journal_entry e = an_entry;
        e.operation = (enum reconcile_operation)r->operation;
        e.phase = r->phase;
        e.outcome = r->outcome;
        e.external_name = str_of(r->external_name);
        const struct json *object = r->object ? testing_jsonz(a, r->object) : NULL;
        struct str why = STR_EMPTY;
        enum journal_action action = journal_recover(a, &e, object, r->name_is_known, &why);
        if (action != r->action)
            fail_msg("%s: got %d (" STR_FMT "), expected %d", r->title, (int)action, STR_ARG(why), (int)r->action);
        assert_true(why.n > 0);
    }
}

static void test_recovery_of_damaged(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct journal_entry e = journal_read(a, STR("u1"), STR("{"));
    struct str why = STR_EMPTY;
    assert_int_equal(journal_recover(a, &e, testing_jsonz(a, OBJECT(NAMED("i"))), false, &why), JOURNAL_LOOK_UP);
    assert_int_equal(journal_recover(a, &e, testing_jsonz(a, OBJECT(NAMED("i"))), true, &why), JOURNAL_OBSERVE);
    assert_int_equal(journal_recover(a, &e, NULL, false, &why), JOURNAL_WARN);
}

static void test_warning_names_it(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct journal_entry e = an_entry;
    e.phase = JOURNAL_ENDED;
    e.outcome = JOURNAL_SUCCEEDED;
    e.external_name = STR("i-42");
    struct str why = STR_EMPTY;
    assert_int_equal(journal_recover(a, &e, NULL, false, &why), JOURNAL_WARN);
    testing_text(why,
                 "The creation of Bucket b was under way when its object was removed from the store: \"i-42\" may exist and is "
                 "not managed by anything; delete it by hand, or import it");
}

/*
 * A creation is killed after each of its steps. If something exists, recovery must never allow a second creation (DROP and CANCEL
 * would), and if nothing exists, it must not make anybody look for it longer than needed.
 */
static void test_killed_at_each_step(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const enum journal_action expected[] = {
        JOURNAL_DROP,    /* begun */
        JOURNAL_CANCEL,  /* marked as pending in the object */
        JOURNAL_LOOK_UP, /* sent */
        JOURNAL_LOOK_UP, /* the provider has created it */
        JOURNAL_ADOPT,   /* ended */
        JOURNAL_REPORT,  /* the object has the name and the mark */
    };
    enum { STEPS = sizeof expected / sizeof expected[0] };
    for (size_t killed_after = 0; killed_after < STEPS; killed_after++) {
        struct diags diags;
        diags_init(&diags, a);
        struct store store = {.arena = a};
        struct journal j = journal_of(&store);
        struct journal_entry e = an_entry;
        const struct json *object = testing_jsonz(a, OBJECT(""));
        bool exists = false;
        for (size_t step = 0; step <= killed_after; step++) {
            if (step == 0)
                assert_true(journal_begin(&j, &e, &diags));
            else if (step == 1)
                object = managed_mark(a, object, MANAGED_CREATE_PENDING, e.begun_ns);
            else if (step == 2)
                assert_true(journal_sent(&j, &e, &diags));
            else if (step == 3)
                exists = true;
            else if (step == 4)
                assert_true(journal_ended(&j, &e, JOURNAL_SUCCEEDED, STR("i-1"), STR_EMPTY, &diags));
            else
                object = managed_mark(a, managed_annotate(a, object, MANAGED_EXTERNAL_NAME, STR("i-1")), MANAGED_CREATE_SUCCEEDED,
                                      e.begun_ns);
        }
        struct journal_entry found = journal_read(a, store.uid, store.record);
        struct str why = STR_EMPTY;
        enum journal_action action = journal_recover(a, &found, object, false, &why);
        if (action != expected[killed_after])
            fail_msg("killed after step %zu: %d", killed_after, (int)action);
        if (exists)
            assert_true(action != JOURNAL_DROP && action != JOURNAL_CANCEL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_bounds),           cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_recovery),         cmocka_unit_test(test_recovery_of_damaged),
        cmocka_unit_test(test_warning_names_it), cmocka_unit_test(test_killed_at_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
