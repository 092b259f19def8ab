/* The contract of store.h with a database, and its files. */
#include "store/sqlite.h"

#include "store/schema.h"
#include "store/testing_store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>

static const struct store_query everything;

static void objects_come_and_go(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_bucket(&w, "a");
    testing_text(object_metadata_text(made, "resourceVersion"), "1");
    assert_int_equal(object_metadata_text(made, "uid").n, 36);
    assert_int_equal(object_metadata_text(made, "creationTimestamp").n, 20);
    assert_true(json_eq(testing_store_get(&w, "a"), made));

    const struct json *ready = testing_store_status(&w, made, "{\"ready\":true}");
    testing_text(object_metadata_text(ready, "resourceVersion"), "2");
    assert_int_equal(json_int(object_metadata(ready, "generation"), 0), 1);
    const struct json *grown =
        testing_store_update(&w, object_with(w.arena, ready, "spec", testing_jsonz(w.arena, "{\"size\":2}")));
    assert_int_equal(json_int(object_metadata(grown, "generation"), 0), 2);
    assert_true(json_bool(json_get(json_get(grown, "status"), "ready"), false));
    assert_true(json_eq(testing_store_get(&w, "a"), grown));

    const struct json *last = testing_store_delete(&w, "a");
    testing_text(object_metadata_text(last, "resourceVersion"), "4");
    struct store_key key = bucket_key("a");
    const struct json *none = NULL;
    testing_store_failed(&w, store_get(w.store, w.arena, &key, &w.diags, &none), STORE_NOT_FOUND,
                         "Bucket.s3.aws.example.org \"a\" is not in the store");
    assert_null(none);
    const struct json *again = testing_store_bucket(&w, "a");
    testing_text(object_metadata_text(again, "resourceVersion"), "5");
    assert_false(str_eq(object_metadata_text(again, "uid"), object_metadata_text(made, "uid")));
    testing_store_end(&w);
}

static void writes_that_are_refused_change_nothing(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_bucket(&w, "a"), *none = NULL;
    const struct json *bucket = testing_jsonz(w.arena, BUCKET("a")), *other = testing_jsonz(w.arena, BUCKET("b"));
    testing_store_failed(&w, store_create(w.store, w.arena, bucket, &w.diags, &none), STORE_EXISTS, "Object exists already");
    testing_store_failed(&w, store_update(w.store, w.arena, bucket, &w.diags, &none), STORE_INVALID, "resourceVersion");
    testing_store_failed(&w, store_update(w.store, w.arena, other, &w.diags, &none), STORE_NOT_FOUND,
                         "\"b\" is not in the store");
    const struct json *newer = testing_store_status(&w, made, "{\"s\":1}");
    testing_store_failed(&w, store_update(w.store, w.arena, made, &w.diags, &none), STORE_CONFLICT, "Read the object again");
    testing_store_failed(&w, store_update_status(w.store, w.arena, made, &w.diags, &none), STORE_CONFLICT,
                         "Read the object again");
    struct store_key key = bucket_key("a");
    struct store_preconditions must = {.uid = STR("another")};
    testing_store_failed(&w, store_remove(w.store, w.arena, &key, &must, &w.diags, &none), STORE_CONFLICT, "metadata.uid");
    assert_null(none);
    assert_true(json_eq(testing_store_get(&w, "a"), newer));
    testing_text(testing_store_version(&w), "2");
    testing_store_end(&w);
}

static void what_does_not_change_is_not_written(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_status(&w, testing_store_bucket(&w, "a"), "{\"s\":1}");
    assert_true(json_eq(testing_store_update(&w, made), made));
    assert_true(json_eq(testing_store_status(&w, made, "{\"s\":1.0}"), made));
    testing_text(testing_store_version(&w), "2");
    testing_store_end(&w);
}

static void finalizers_keep_an_object(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_bucket(&w, "a");
    made = testing_store_update(&w, object_with_metadata(w.arena, made, "finalizers", testing_jsonz(w.arena, "[\"x\",\"y\"]")));
    const struct json *deleting = testing_store_delete(&w, "a");
    assert_true(object_is_being_deleted(deleting));
    assert_true(json_eq(testing_store_delete(&w, "a"), deleting));
    deleting = testing_store_update(&w, object_with_metadata(w.arena, deleting, "finalizers", testing_jsonz(w.arena, "[\"y\"]")));
    assert_true(json_eq(testing_store_get(&w, "a"), deleting));
    (void)testing_store_update(&w, object_with_metadata(w.arena, deleting, "finalizers", NULL));
    assert_string_equal(testing_store_names(&w, &everything), "");
    testing_store_end(&w);
}

static const struct json *labelled(struct testing_store *w, const char *kind, const char *namespace, const char *name,
                                   const char *label)
{
    return testing_store_create(
        w, arena_printf(w->arena,
                        "{\"apiVersion\":\"g/v1\",\"kind\":\"%s\",\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\","
                        "\"labels\":{\"app\":\"%s\"}}}",
                        kind, namespace, name, label)
               .p);
}

static bool is_not_c(void *ctx, const struct store_key *key)
{
    (void)ctx;
    assert_true(key->group.n > 0 && key->kind.n > 0);
    return !str_eqz(key->name, "c");
}

static bool is_none(void *ctx, const struct store_key *key)
{
    (void)ctx, (void)key;
    return false;
}

/* Unwanted objects are not read: damage in them goes unnoticed. */
static void lists_of_what_is_wanted(struct testing_store *w, const struct selector *web)
{
    assert_string_equal(testing_store_names(w, &(struct store_query){.wants = is_not_c}), "a b d e");
    assert_string_equal(testing_store_names(w, &(struct store_query){.group = STR("g"), .kind = STR("B"), .wants = is_not_c}),
                        "b d");
    assert_string_equal(testing_store_names(w, &(struct store_query){.namespace = STR("n1"), .wants = is_not_c}), "a b");
    assert_string_equal(testing_store_names(w, &(struct store_query){.namespace = STR("n2"), .selector = web, .wants = is_not_c}),
                        "d");
    assert_string_equal(testing_store_names(w, &(struct store_query){.wants = is_none}), "");
    testing_store_close(w);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(testing_store_file(w, "store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE versions SET body = 'x' WHERE name = 'c'", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    testing_store_open(w, NULL);
    assert_string_equal(testing_store_names(w, &(struct store_query){.wants = is_not_c}), "a b d e");
}

static void lists(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    testing_text(testing_store_version(&w), "0");
    (void)labelled(&w, "B", "n2", "d", "web");
    (void)labelled(&w, "B", "n1", "c", "db");
    (void)labelled(&w, "B", "n1", "b", "web");
    (void)labelled(&w, "A", "n1", "a", "web");
    (void)testing_store_bucket(&w, "e");
    struct selector web = testing_store_selector(&w, "app=web");
    assert_string_equal(testing_store_names(&w, &everything), "a b c d e");
    assert_string_equal(testing_store_names(&w, &(struct store_query){.group = STR("g"), .kind = STR("B")}), "b c d");
    assert_string_equal(testing_store_names(&w, &(struct store_query){.group = STR(""), .kind = STR("B")}), "");
    assert_string_equal(
        testing_store_names(&w, &(struct store_query){.group = STR("g"), .kind = STR("B"), .namespace = STR("n1")}), "b c");
    assert_string_equal(testing_store_names(&w, &(struct store_query){.group = STR("g"), .kind = STR("B"), .selector = &web}),
                        "b d");
    assert_string_equal(testing_store_names(&w, &(struct store_query){.namespace = STR("n1"), .selector = &web}), "a b");
    testing_text(testing_store_version(&w), "5");
    lists_of_what_is_wanted(&w, &web);
    testing_store_end(&w);
}

struct nested {
    struct testing_store *w;
    int n;
};

static bool write_and_stop(void *ctx, struct arena *a, const struct json *object)
{
    struct nested *nested = ctx;
    (void)a, (void)object;
    (void)testing_store_get(nested->w, "a");
    (void)testing_store_bucket(nested->w, "while-listing");
    return ++nested->n < 1;
}

static void a_list_can_be_left_and_does_not_block(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "a");
    (void)testing_store_bucket(&w, "b");
    struct nested nested = {&w, 0};
    struct str version;
    assert_int_equal(store_list(w.store, w.arena, &everything, write_and_stop, &nested, &w.diags, &version), STORE_OK);
    assert_int_equal(nested.n, 1);
    testing_text(version, "2");
    assert_string_equal(testing_store_names(&w, &everything), "a b while-listing");
    testing_store_end(&w);
}

static const struct json *of_size(struct testing_store *w, const char *name, size_t n)
{
    char *text = arena_alloc(w->arena, n + 1, 1);
    memset(text, 'x', n);
    return object_with(w->arena, testing_jsonz(w->arena, arena_printf(w->arena, BUCKET("%s"), name).p), "spec",
                       json_make_string(w->arena, (struct str){text, n}));
}

static void objects_have_a_size(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = NULL;
    testing_store_failed(&w, store_create(w.store, w.arena, of_size(&w, "a", STORE_MAX_OBJECT), &w.diags, &made), STORE_TOO_LARGE,
                         "takes more than the 1572864 bytes");
    /* The largest possible object can be deleted like any other, even when its version gets another digit. */
    size_t n = STORE_MAX_OBJECT - 200; /* the other members take more than that */
    while (store_create(w.store, w.arena, of_size(&w, "a", n), &w.diags, &made) != STORE_OK)
        n--;
    diags_init(&w.diags, w.arena);
    for (int i = 0; i < 10; i++)
        (void)testing_store_bucket(&w, arena_printf(w.arena, "b%d", i).p);
    assert_true(n < STORE_MAX_OBJECT - 200);
    (void)testing_store_delete(&w, "a");
    testing_store_end(&w);
}

static void names_are_generated(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    for (int i = 0; i < 3; i++) {
        const struct json *made =
            testing_store_create(&w, "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"generateName\":\"web-\"}}");
        assert_int_equal(object_metadata_text(made, "name").n, 9);
    }
    testing_store_end(&w);
}

static void everything_is_there_after_a_restart(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_status(&w, testing_store_bucket(&w, "a"), "{\"s\":1}");
    (void)testing_store_bucket(&w, "b");
    (void)testing_store_delete(&w, "b");
    testing_store_close(&w);
    testing_store_open(&w, NULL);
    assert_true(json_eq(testing_store_get(&w, "a"), made));
    assert_string_equal(testing_store_names(&w, &everything), "a");
    testing_text(object_metadata_text(testing_store_bucket(&w, "c"), "resourceVersion"), "5");
    testing_store_end(&w);
}

/* ---- events ---- */

static void record(struct testing_store *w, const char *uid, const char *reason, const char *message)
{
    struct store_event event = {.about = bucket_key("a"),
                                .uid = str_of(uid),
                                .type = STR("Warning"),
                                .reason = str_of(reason),
                                .message = str_of(message)};
    assert_int_equal(store_record(w->store, &event, &w->diags), STORE_OK);
}

static struct store_events events_of(struct testing_store *w, const char *uid)
{
    struct store_events events = {0};
    assert_int_equal(store_events(w->store, w->arena, str_of(uid), &w->diags, &events), STORE_OK);
    return events;
}

static void events_are_counted(void **state)
{
    (void)state;
    struct testing_store w;
    struct fake_clock clock;
    fake_clock_init(&clock, 1000 * NS_PER_S);
    testing_store_init(&w);
    testing_store_open(&w, &(struct store_sqlite_options){.clock = &clock.clock});
    record(&w, "u1", "CannotCreate", "denied");
    fake_clock_advance(&clock, NS_PER_S);
    record(&w, "u1", "CannotDelete", "denied");
    record(&w, "u2", "CannotCreate", "denied");
    fake_clock_advance(&clock, NS_PER_S);
    record(&w, "u1", "CannotCreate", "denied");
    struct store_events events = events_of(&w, "u1");
    assert_int_equal(events.n, 2);
    testing_text(events.v[0].reason, "CannotDelete");
    testing_text(events.v[1].reason, "CannotCreate");
    testing_text(events.v[1].about.name, "a");
    assert_int_equal(events.v[1].count, 2);
    assert_int_equal(events.v[1].first_ns, 1000 * NS_PER_S);
    assert_int_equal(events.v[1].last_ns, 1002 * NS_PER_S);
    assert_int_equal(events_of(&w, "").n, 3);
    assert_string_equal(testing_store_names(&w, &everything), ""); /* events are not objects */
    testing_store_end(&w);
}

static void events_are_bounded(void **state)
{
    (void)state;
    struct testing_store w;
    struct fake_clock clock;
    struct store_sqlite_options options = {.clock = &clock.clock, .max_events = 3};
    fake_clock_init(&clock, 1000 * NS_PER_S);
    testing_store_init(&w);
    testing_store_open(&w, &options);
    for (int i = 0; i < 5; i++) {
        fake_clock_advance(&clock, NS_PER_S);
        record(&w, "u", "R", arena_printf(w.arena, "%d", i).p);
    }
    struct store_events events = events_of(&w, "u");
    assert_int_equal(events.n, 3);
    testing_text(events.v[0].message, "2");
    testing_store_close(&w);
    testing_store_open(&w, &options); /* the count is right again after reopening */
    record(&w, "u", "R", "5");
    assert_int_equal(events_of(&w, "u").n, 3);
    fake_clock_advance(&clock, STORE_EVENT_AGE_NS + 1);
    record(&w, "u", "R", "6");
    assert_int_equal(events_of(&w, "u").n, 1);

    char longest[STORE_MAX_EVENT_MESSAGE + 8];
    memset(longest, 'x', sizeof longest);
    memcpy(longest + STORE_MAX_EVENT_MESSAGE - 1, "\xc3\xa4", 3); /* a character across the limit */
    record(&w, "v", "R", longest);
    assert_int_equal(events_of(&w, "v").v[0].message.n, STORE_MAX_EVENT_MESSAGE - 1);
    testing_store_end(&w);
}

/* ---- files ---- */

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (unsigned)st.st_mode & 07777;
}

static void files_are_private(void **state)
{
    (void)state;
    static const char *const files[] = {"store.db", "store.db-wal", "store.db-shm", "store.key", "store.lock"};
    struct testing_store w;
    testing_store_init(&w);
    mode_t before = umask(0);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "a");
    (void)umask(before);
    assert_int_equal(mode_of(w.folder), 0700);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(mode_of(testing_store_file(&w, files[i])), 0600);
    testing_store_close(&w);
    assert_int_equal(chmod(w.folder, 0750), 0);
    testing_store_refuses(&w, "has mode 0750, so others can use it, and what is stored may be secret. Run: chmod 700");
    assert_int_equal(chmod(w.folder, 0700), 0);
    assert_int_equal(chmod(testing_store_file(&w, "store.db"), 0644), 0);
    testing_store_refuses(&w, "chmod 600");
    assert_int_equal(chmod(testing_store_file(&w, "store.db"), 0600), 0);
    assert_int_equal(chmod(testing_store_file(&w, "store.key"), 0640), 0);
    testing_store_refuses(&w, "store.key has mode 0640");
    testing_store_end(&w);
}

/* Opens the store in another process: 0 when that fails with the message. */
static int refused_in_child(const char *folder, const char *says)
{
    struct arena *a = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct store *s = store_sqlite_open(folder, NULL, &diags);
    int code = s ? 2 : strstr(testing_said(&diags), says) ? 0 : 1;
    store_close(s);
    arena_free(a);
    return code;
}

static void one_process_has_it(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    assert_true(store_holds_lease(w.store));
    const char *who = arena_printf(w.arena, "is locked by process %ld on ", (long)getpid()).p;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(refused_in_child(w.folder, who));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    testing_store_refuses(&w, who); /* also refused within one process */
    (void)testing_store_bucket(&w, "a");

    assert_int_equal(unlink(testing_store_file(&w, "store.lock")), 0);
    assert_false(store_holds_lease(w.store));
    testing_store_end(&w);
}

static void others_visit(void **state)
{
    (void)state;
    struct testing_store w;
    struct store_sqlite_options visit = {.visit = true};
    testing_store_init(&w);
    assert_null(store_sqlite_open(w.folder, &visit, &w.diags)); /* a visit creates nothing */
    testing_store_failed(&w, STORE_OK, STORE_OK, "There is no store in");
    assert_int_not_equal(access(w.folder, F_OK), 0);
    testing_store_open(&w, NULL);
    struct store *mine = w.store, *other = store_sqlite_open(w.folder, &visit, &w.diags);
    assert_non_null(other);
    assert_true(store_holds_lease(mine));
    assert_false(store_holds_lease(other));
    assert_true(store_sqlite_is_reconciled(w.folder));
    const struct json *a = testing_store_bucket(&w, "a");
    w.store = other;
    assert_true(json_eq(testing_store_get(&w, "a"), a));
    a = testing_store_status(&w, a, "{\"s\":1}");
    w.store = mine;
    assert_true(json_eq(testing_store_get(&w, "a"), a));
    assert_false(store_sqlite_restore("/dev/null", w.folder, &w.diags));
    testing_store_failed(&w, STORE_OK, STORE_OK, "is locked by process");
    store_close(mine);
    assert_false(store_sqlite_is_reconciled(w.folder));
    assert_false(store_sqlite_restore("/dev/null", w.folder, &w.diags));
    testing_store_failed(&w, STORE_OK, STORE_OK, "is locked by a command that uses the store");
    w.store = other; /* the visitor continues alone */
    (void)testing_store_bucket(&w, "b");
    assert_string_equal(testing_store_names(&w, &everything), "a b");
    testing_store_end(&w);
}

static void bounds_hold_for_all_together(void **state)
{
    (void)state;
    enum { ROUNDS = 20, MAX_BYTES = 2000, MAX_EVENTS = 5 };
    struct testing_store w;
    struct store_sqlite_options options = {.max_history_bytes = MAX_BYTES, .max_events = MAX_EVENTS};
    testing_store_init(&w);
    testing_store_open(&w, &options);
    options.visit = true;
    struct store *stores[] = {w.store, store_sqlite_open(w.folder, &options, &w.diags)};
    assert_non_null(stores[1]);
    const struct json *a = testing_store_bucket(&w, "a");
    for (int i = 0; i < ROUNDS; i++) {
        w.store = stores[i % 2];
        a = testing_store_status(&w, a, arena_printf(w.arena, "{\"n\":%d}", i).p);
        struct store_event event = {.about = bucket_key("a"),
                                    .uid = STR("u"),
                                    .type = STR("Normal"),
                                    .reason = STR("R"),
                                    .message = arena_printf(w.arena, "%d", i)};
        assert_int_equal(store_record(w.store, &event, &w.diags), STORE_OK);
    }
    struct store_events events;
    assert_int_equal(store_events(w.store, w.arena, STR("u"), &w.diags, &events), STORE_OK);
    assert_int_equal(events.n, MAX_EVENTS);
    testing_text(events.v[MAX_EVENTS - 1].message, "19");
    store_close(stores[1]);
    w.store = stores[0];
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(testing_store_file(&w, "store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT sum(bytes) FROM superseded", -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_in_range(sqlite3_column_int(q, 0), 1, MAX_BYTES);
    (void)sqlite3_finalize(q);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    testing_store_end(&w);
}

static void sql(struct testing_store *w, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(testing_store_file(w, "store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void databases_that_are_refused(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "a");
    testing_store_close(&w);
    sql(&w, "PRAGMA user_version = 99");
    testing_store_refuses(&w, "has format 99, and this program knows formats up to 1. Use the version of Terrane that wrote it");
    sql(&w, "PRAGMA user_version = 1; PRAGMA application_id = 7");
    testing_store_refuses(&w, "is a database of another program");
    sql(&w, arena_printf(w.arena, "PRAGMA application_id = %d", SCHEMA_APPLICATION_ID).p);
    testing_store_open(&w, NULL);
    assert_string_equal(testing_store_names(&w, &everything), "a");
    testing_store_end(&w);
}

static void damage_is_named(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    for (int i = 0; i < 50; i++)
        (void)testing_store_bucket(&w, arena_printf(w.arena, "b%d", i).p);
    testing_store_close(&w);
    char garbage[PAGE];
    memset(garbage, 0x5a, sizeof garbage);
    int fd = open(testing_store_file(&w, "store.db"), O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (off_t page = 2; page < 6; page++)
        assert_int_equal(pwrite(fd, garbage, PAGE, page * PAGE), PAGE);
    assert_int_equal(close(fd), 0);
    testing_store_refuses(&w, "Store is damaged");
    assert_null(store_sqlite_open(w.folder, NULL, &w.diags));
    testing_says(&w.diags, "Restore a backup of it");
    assert_int_equal(truncate(testing_store_file(&w, "store.db"), 0), 0);
    testing_store_refuses(&w, "Store is damaged");
    fd = open(testing_store_file(&w, "store.db"), O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, garbage, PAGE, 0), PAGE);
    assert_int_equal(close(fd), 0);
    testing_store_refuses(&w, "Store is damaged");
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_come_and_go),
        cmocka_unit_test(writes_that_are_refused_change_nothing),
        cmocka_unit_test(what_does_not_change_is_not_written),
        cmocka_unit_test(finalizers_keep_an_object),
        cmocka_unit_test(lists),
        cmocka_unit_test(a_list_can_be_left_and_does_not_block),
        cmocka_unit_test(objects_have_a_size),
        cmocka_unit_test(names_are_generated),
        cmocka_unit_test(everything_is_there_after_a_restart),
        cmocka_unit_test(events_are_counted),
        cmocka_unit_test(events_are_bounded),
        cmocka_unit_test(files_are_private),
        cmocka_unit_test(one_process_has_it),
        cmocka_unit_test(others_visit),
        cmocka_unit_test(bounds_hold_for_all_together),
        cmocka_unit_test(databases_that_are_refused),
        cmocka_unit_test(damage_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
