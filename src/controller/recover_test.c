/*
 * The process is killed in the middle of its work, and another one continues: nothing is created twice, nothing is forgotten.
 * Each case runs in a child that kills itself; the next process has the same store and the same cloud.
 */
#include "controller/controller_private.h"
#include "controller/testing_controller.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(void)
{
    (void)kill(getpid(), SIGKILL);
}

/* Runs `life` in a child process that ends by SIGKILL, with the parent's store and cloud. */
static void in_child(void (*life)(struct play *p, int n), const char *script, const char *folder, int n)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct play p = {0};
        play_begin_in(&p, script, folder);
        apply(&p, play_config);
        life(&p, n);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static const char *new_folder(char folder[32])
{
    (void)snprintf(folder, 32, "/tmp/recover-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_all(const char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* --- the request was sent, there is no answer --- */

static void killed_in_creation(struct play *p, int n)
{
    (void)n;
    play_start(p);
    apply(p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await(p, "Database", "web", "Ready", "False/Creating", NULL);
    die();
}

static void nothing_was_made(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_in_creation, "rules: [{match: {rpc: ApplyResourceChange}, do: {answer: hang}}]\n", new_folder(folder), 0);
    play_begin_in(&p, NULL, folder);
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    play_start(&p);
    assert_int_equal(controller_count(p.controller).recovered, 1);
    await_ready(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
    remove_all(folder);
}

static void killed_when_made(struct play *p, int n)
{
    (void)n;
    play_start(p);
    apply(p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await_cloud(p, "fake_database", "id", "web");
    await(p, "Database", "web", "Ready", "False/Creating", NULL);
    die();
}

static void it_was_made(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_when_made, "rules: [{match: {rpc: ApplyResourceChange}, do: {crash: stop, at: acted}}]\n", new_folder(folder),
             0);
    play_begin_in(&p, "rules: [{match: {rpc: ApplyResourceChange}, do: {status: 13, message: none may be made}}]\n", folder);
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_start(&p);
    await_ready(&p, "Database", "web");
    play_end(&p);
    remove_all(folder);
}

/* --- only the provider knows the id; it has a list --- */

#define CODE_REF "codeSecretRef: {namespace: default, name: code, key: c}"
#define TICKET(name, size)                                                                                                       \
    OBJECT("Ticket", name) "spec: {forProvider: {title: hello, size: " size ", tags: {a: b}, " CODE_REF "}}\n"
#define CODE "---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: default, name: code}\ndata: {c: czNjcjN0}\n"
#define TICKET_LIKE "\"title\": \"hello\", \"code\": \"other\", \"size\": 1, \"tags\": {\"a\": \"b\"}}"
#define STRANGER "{\"id\": \"stranger\", \"title\": \"bye\", \"code\": \"x\", \"size\": 5, \"tags\": null}"
#define SECOND_STOPS "rules: [{match: {rpc: ApplyResourceChange, nth: 2}, do: {crash: stop, at: acted}}]\n"
#define NONE_MAY_BE_MADE                                                                                                         \
    "rules: [{match: {rpc: ApplyResourceChange, operation: create}, do: {status: 13, message: none may be made}}]\n"

/* Two identical ones; the end of one of them is known. */
static void killed_in_second_ticket(struct play *p, int n)
{
    (void)n;
    play_start(p);
    apply(p, CODE TICKET("first", "1"));
    await_ready(p, "Ticket", "first");
    apply(p, TICKET("second", "1"));
    await(p, "Ticket", "second", "Ready", "False/Creating", NULL);
    while (cloud_count(p, "fake_ticket") < 2)
        nap_ms(1);
    die();
}

/* The journal has the wanted configuration without the secret. */
static void journal_has_no_secret(struct play *p)
{
    struct str record;
    assert_true(kept_get(p->store, p->arena, KEPT_JOURNAL, managed_uid(object(p, "Ticket", "second")), &p->diags, &record));
    assert_non_null(memmem(record.p, record.n, "hello", strlen("hello")));
    assert_null(memmem(record.p, record.n, "s3cr3t", strlen("s3cr3t")));
    assert_null(memmem(record.p, record.n, "code", strlen("code")));
}

/* Also by the configuration of the creation, which differs from the wanted one of today. */
static void found_in_list(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_in_second_ticket, SECOND_STOPS, new_folder(folder), 0);
    play_begin_in(&p, NONE_MAY_BE_MADE, folder);
    journal_has_no_secret(&p);
    cloud_put(&p, "fake_ticket", "stranger", STRANGER);
    apply(&p, TICKET("second", "5"));
    play_start(&p);
    await_ready(&p, "Ticket", "second");
    await_calm(&p);
    assert_int_equal(cloud_count(&p, "fake_ticket"), 3);
    const char *name = annotation(&p, "Ticket", "second", MANAGED_EXTERNAL_NAME);
    assert_true(strlen(name) > 0);
    assert_string_not_equal(name, annotation(&p, "Ticket", "first", MANAGED_EXTERNAL_NAME));
    assert_string_not_equal(name, "stranger");
    const struct json *made = cloud_find(&p, "fake_ticket", "id", name);
    assert_non_null(made);
    assert_int_equal(json_int(json_get(made, "size"), 0), 5);
    play_end(&p);
    remove_all(folder);
}

static void killed_sparing(struct play *p, int n)
{
    p->options.sparing = true;
    killed_in_second_ticket(p, n);
}

/*
 * Where a creation is not journalled because the provider has a list: the object must not say that the creation has succeeded
 * while it still runs.
 */
static void found_in_list_without_a_record(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_sparing, SECOND_STOPS, new_folder(folder), 0);
    play_begin_in(&p, NONE_MAY_BE_MADE, folder);
    p.options.sparing = true;
    play_start(&p);
    await_ready(&p, "Ticket", "second");
    await_calm(&p);
    assert_int_equal(cloud_count(&p, "fake_ticket"), 2);
    assert_string_not_equal(annotation(&p, "Ticket", "second", MANAGED_EXTERNAL_NAME),
                            annotation(&p, "Ticket", "first", MANAGED_EXTERNAL_NAME));
    play_end(&p);
    remove_all(folder);
}

/* Either of two may be the one: nothing is adopted and nothing is created. */
static void two_in_list(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_in_second_ticket, SECOND_STOPS, new_folder(folder), 0);
    play_begin_in(&p, NULL, folder);
    cloud_put(&p, "fake_ticket", "twin", "{\"id\": \"twin\", " TICKET_LIKE);
    play_start(&p);
    await(&p, "Ticket", "second", "Synced", "False/ReconcileError", "2 candidates");
    assert_string_equal(annotation(&p, "Ticket", "second", MANAGED_EXTERNAL_NAME), "");
    assert_int_equal(cloud_count(&p, "fake_ticket"), 3);
    annotate(&p, "Ticket", "second", MANAGED_EXTERNAL_NAME, "twin"); /* a person has decided */
    await_ready(&p, "Ticket", "second");
    assert_int_equal(cloud_count(&p, "fake_ticket"), 3);
    play_end(&p);
    remove_all(folder);
}

/* A creation was sent long ago, and what it would have created is not in the list. */
static void none_in_list(void **state)
{
    (void)state;
    struct play p = {0};
    play_begin(&p, NULL);
    apply(&p, play_config);
    apply(&p, CODE "---\napiVersion: fake.example.org/v1\nkind: Ticket\nmetadata:\n  name: lost\n"
                   "  annotations: {crossplane.io/external-create-pending: \"2026-01-01T00:00:00Z\"}\n"
                   "spec: {forProvider: {title: hello, " CODE_REF "}}\n");
    cloud_put(&p, "fake_ticket", "stranger", STRANGER);
    struct journal_entry entry = {
        .uid = managed_uid(object(&p, "Ticket", "lost")),
        .group = STR("fake.example.org"),
        .kind = STR("Ticket"),
        .namespace = STR_EMPTY,
        .name = STR("lost"),
        .operation = RECONCILE_CREATE,
        .generation = 1,
        .wanted = testing_json(p.arena, STR("{\"title\": \"hello\"}")),
        .begun_ns = 1,
    };
    struct journal journal = journal_in(p.store);
    assert_true(journal_sent(&journal, &entry, &p.diags));
    play_start(&p);
    await_ready(&p, "Ticket", "lost");
    assert_int_equal(cloud_count(&p, "fake_ticket"), 2);
    play_end(&p);
}

#define LOST_TICKET(name, generation)                                                                                            \
    "---\napiVersion: fake.example.org/v1\nkind: Ticket\nmetadata:\n  name: " name "\n  annotations:\n"                          \
    "    crossplane.io/external-create-pending: \"2026-01-01T00:00:00Z\"\n"                                                      \
    "    terrane/create-generation: \"" generation "\"\nspec: {forProvider: {title: " name ", " CODE_REF "}}\n"

/* The same without a record: what the object says today counts if it said so then. */
static void none_in_list_without_a_record(void **state)
{
    (void)state;
    struct play p = {0};
    play_begin(&p, NULL);
    p.options.sparing = true;
    apply(&p, play_config);
    apply(&p, CODE LOST_TICKET("same", "1") LOST_TICKET("other", "7"));
    cloud_put(&p, "fake_ticket", "stranger", STRANGER);
    play_start(&p);
    await_ready(&p, "Ticket", "same");
    await(&p, "Ticket", "other", "Synced", "False/ReconcileError", "not known what it said when the creation began");
    assert_int_equal(cloud_count(&p, "fake_ticket"), 2);
    play_end(&p);
}

/* --- only the provider knows the id; a data source finds it by the tags that every object gives its resource --- */

#define SERVER(name) OBJECT("Server", name) "spec: {forProvider: {size: 1, rack: r1}}\n"
#define SERVER_STOPS(when) "rules: [{match: {rpc: ApplyResourceChange, nth: 2}, do: {crash: stop, at: " when "}}]\n"

static void killed_in_second_server(struct play *p, int n)
{
    play_start(p);
    apply(p, SERVER("first"));
    await_ready(p, "Server", "first");
    apply(p, SERVER("second"));
    await(p, "Server", "second", "Ready", "False/Creating", NULL);
    while (cloud_count(p, "fake_server") < (size_t)n)
        nap_ms(1);
    die();
}

/* Also when it is only half made. */
static void found_by_its_tags(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_in_second_server, SERVER_STOPS("acted"), new_folder(folder), 2);
    play_begin_in(&p, NONE_MAY_BE_MADE, folder);
    cloud_edit(&p, "fake_server", "rack", "\"\"");
    play_start(&p);
    await_ready(&p, "Server", "second");
    const char *name = annotation(&p, "Server", "second", MANAGED_EXTERNAL_NAME);
    assert_string_not_equal(name, annotation(&p, "Server", "first", MANAGED_EXTERNAL_NAME));
    assert_non_null(cloud_find(&p, "fake_server", "id", name));
    delete_object(&p, "Server", "second");
    await_gone(&p, "Server", "second");
    assert_int_equal(cloud_count(&p, "fake_server"), 1);
    play_end(&p);
    remove_all(folder);
}

/* What has its tags, but not its size, is somebody else's: a person decides. */
static void tags_of_somebody_else(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_in_second_server, SERVER_STOPS("before"), new_folder(folder), 1);
    play_begin_in(&p, NONE_MAY_BE_MADE, folder);
    cloud_put(&p, "fake_server", "stranger",
              "{\"id\": \"stranger\", \"size\": 2, \"tags\": {\"crossplane-kind\": \"server.fake.example.org\", "
              "\"crossplane-name\": \"second\"}}");
    play_start(&p);
    await(&p, "Server", "second", "Synced", "False/ReconcileError", "1 of them doubtful");
    assert_string_equal(annotation(&p, "Server", "second", MANAGED_EXTERNAL_NAME), "");
    play_end(&p);
    remove_all(folder);
}

/* Nothing has its tags: that is not believed at once, for it may be too new to be found. */
static void not_found_by_its_tags(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_in_second_server, SERVER_STOPS("before"), new_folder(folder), 1);
    play_begin_in(&p, NULL, folder);
    play_start(&p);
    await(&p, "Server", "second", "Synced", "False/ReconcileError", "so recently");
    assert_int_equal(cloud_count(&p, "fake_server"), 1);
    play_end(&p);
    remove_all(folder);
}

/* --- the operation ended, but the object does not show it --- */

static void killed_before_deletion_shows(struct play *p, int n)
{
    (void)n;
    play_start(p);
    apply(p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await_ready(p, "User", "bob");
    await_calm(p);
    delete_object(p, "User", "bob");
    while (cloud_count(p, "fake_user") > 0)
        nap_ms(1);
    die();
}

static bool count_object(void *ctx, struct arena *a, const struct json *o)
{
    (void)a, (void)o;
    (*(size_t *)ctx)++;
    return true;
}

static void deletion_goes_on(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    in_child(killed_before_deletion_shows, NULL, new_folder(folder), 0);
    play_begin_in(&p, NULL, folder);
    play_start(&p);
    await_gone(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    await_calm(&p);
    play_stop(&p);
    size_t n = 0; /* its state, its journal record and its usage are removed from the store */
    struct str version;
    assert_int_equal(store_list(p.store, p.arena, &(struct store_query){0}, count_object, &n, &p.diags, &version), STORE_OK);
    assert_int_equal(n, 1); /* the ProviderConfig */
    play_end(&p);
    remove_all(folder);
}

/* --- nothing was sent --- */

/* The object has the pending mark, and the journal knows that the provider got no request. */
static void nothing_was_sent(void **state)
{
    (void)state;
    struct play p = {0};
    play_begin(&p, NULL);
    apply(&p, play_config);
    apply(&p, "apiVersion: fake.example.org/v1\nkind: User\nmetadata:\n  name: bob\n"
              "  annotations: {crossplane.io/external-create-pending: \"2026-01-01T00:00:00Z\"}\n"
              "spec: {forProvider: {login: bob}}\n");
    const struct journal_entry entry = {
        .uid = managed_uid(object(&p, "User", "bob")),
        .group = STR("fake.example.org"),
        .kind = STR("User"),
        .namespace = STR_EMPTY,
        .name = STR("bob"),
        .operation = RECONCILE_CREATE,
        .generation = 1,
    };
    struct journal journal = journal_in(p.store);
    assert_true(journal_begin(&journal, &entry, &p.diags));
    play_start(&p);
    await_ready(&p, "User", "bob");
    assert_true(strlen(annotation(&p, "User", "bob", MANAGED_CREATE_FAILED)) > 0);
    assert_int_equal(cloud_count(&p, "fake_user"), 1);
    play_end(&p);
}

/* --- at any moment --- */

enum { OBJECTS = 12, KILLS = 12 };

static void killed_at_some_moment(struct play *p, int n)
{
    for (int i = 0; i < OBJECTS; i++)
        if (n % 4 == 3 && i % 3 == 0 && object(p, "Database", arena_printf(p->arena, "db-%d", i).p))
            delete_object(p, "Database", arena_printf(p->arena, "db-%d", i).p);
        else if (n % 4 != 3 || i % 3 != 0)
            apply(p, arena_printf(p->arena, OBJECT("Database", "db-%d") "spec: {forProvider: {size: %d}}\n", i, n + 1).p);
    play_start(p);
    nap_ms(20 + (n * 37) % 150);
    die();
}

static void killed_again_and_again(void **state)
{
    (void)state;
    char folder[32];
    struct play p = {0};
    (void)new_folder(folder);
    for (int n = 0; n < KILLS; n++)
        in_child(killed_at_some_moment, "latency_ms: 3\n", folder, n);
    play_begin_in(&p, NULL, folder);
    for (int i = 0; i < OBJECTS; i++)
        apply(&p, arena_printf(p.arena, OBJECT("Database", "db-%d") "spec: {forProvider: {size: 99}}\n", i).p);
    play_start(&p);
    for (int i = 0; i < OBJECTS; i++) {
        const char *name = arena_printf(p.arena, "db-%d", i).p;
        int64_t end = clock_now(&system_clock) + PATIENT;
        const struct json *o;
        while (!(o = object(&p, "Database", name)) || managed_is_deleted(o)) { /* one was being deleted */
            assert_true(clock_now(&system_clock) < end);
            if (!o)
                apply(&p, arena_printf(p.arena, OBJECT("Database", "db-%d") "spec: {forProvider: {size: 99}}\n", i).p);
            nap_ms(5);
        }
        await_ready(&p, "Database", name);
    }
    await_calm(&p);
    assert_int_equal(cloud_count(&p, "fake_database"), OBJECTS);
    cloud_edit(&p, "fake_database", "comment", "null");
    for (int i = 0; i < OBJECTS; i++)
        delete_object(&p, "Database", arena_printf(p.arena, "db-%d", i).p);
    for (int i = 0; i < OBJECTS; i++)
        await_gone(&p, "Database", arena_printf(p.arena, "db-%d", i).p);
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    play_end(&p);
    remove_all(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_was_made),
        cmocka_unit_test(it_was_made),
        cmocka_unit_test(found_by_its_tags),
        cmocka_unit_test(not_found_by_its_tags),
        cmocka_unit_test(tags_of_somebody_else),
        cmocka_unit_test(found_in_list),
        cmocka_unit_test(found_in_list_without_a_record),
        cmocka_unit_test(two_in_list),
        cmocka_unit_test(none_in_list),
        cmocka_unit_test(none_in_list_without_a_record),
        cmocka_unit_test(deletion_goes_on),
        cmocka_unit_test(nothing_was_sent),
        cmocka_unit_test(killed_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
