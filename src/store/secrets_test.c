/* Secrets: no plain text in the files, and only the right key opens them. */
#include "store/testing_store.h"

#include <sqlite3.h>

#define SECRET(name, value)                                                                                                      \
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"n\",\"name\":\"" name                              \
    "\",\"annotations\":{\"last\":\"annotated-plain\"}},\"stringData\":{\"password\":\"" value "\"}}"

static const char *const planted[] = {"correct-horse-battery", "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5", "annotated-plain",
                                      "changed-battery", "Y2hhbmdlZC1iYXR0ZXJ5"};

static struct store_key secret_key(const char *name)
{
    return (struct store_key){STR_EMPTY, STR("Secret"), STR("n"), str_of(name)};
}

static struct str password(struct testing_store *w, const char *name)
{
    struct store_key key = secret_key(name);
    const struct json *got = NULL;
    assert_int_equal(store_get(w->store, w->arena, &key, &w->diags, &got), STORE_OK);
    return testing_member(json_get(got, "data"), "password");
}

static void has_none_of_them(struct testing_store *w, const char *path, bool must_exist)
{
    if (!must_exist && !file_exists(path))
        return;
    struct str text;
    assert_true(file_read(w->arena, path, TESTING_MAX, &w->diags, &text));
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        if (memmem(text.p, text.n, planted[i], strlen(planted[i])))
            fail_msg("%s has %s", path, planted[i]);
    }
}

static void values_are_not_in_the_files(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_create(&w, SECRET("db", "correct-horse-battery"));
    testing_text(testing_member(json_get(made, "data"), "password"), planted[1]);
    (void)testing_store_update(
        &w, object_with(w.arena, made, "data", testing_jsonz(w.arena, "{\"password\":\"Y2hhbmdlZC1iYXR0ZXJ5\"}")));
    (void)testing_store_create(&w, SECRET("gone", "correct-horse-battery"));
    struct store_key key = secret_key("gone");
    assert_int_equal(store_remove(w.store, w.arena, &key, NULL, &w.diags, &made), STORE_OK);
    const char *backup = arena_printf(w.arena, "%s/backup", w.root).p;
    assert_true(store_sqlite_backup(w.store, backup, &w.diags));
    has_none_of_them(&w, testing_store_file(&w, "store.db"), true);
    has_none_of_them(&w, testing_store_file(&w, "store.db-wal"), true);
    has_none_of_them(&w, testing_store_file(&w, "store.db-shm"), true);
    has_none_of_them(&w, backup, true);
    testing_store_close(&w);
    has_none_of_them(&w, testing_store_file(&w, "store.db"), true);
    has_none_of_them(&w, testing_store_file(&w, "store.db-wal"), false);
    testing_store_open(&w, NULL);
    testing_text(password(&w, "db"), planted[4]);
    testing_store_end(&w);
}

static void secrets_are_objects_like_others(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *made = testing_store_create(&w, SECRET("db", "x"));
    assert_true(json_eq(testing_store_update(&w, made), made)); /* no change: not written */
    assert_string_equal(testing_store_names(&w, &(struct store_query){.kind = STR("Secret"), .namespace = STR("n")}), "db");
    struct store_watch *watch = NULL;
    struct store_change change;
    assert_int_equal(store_watch_open(w.store, &(struct store_query){0}, STR("0"), &w.diags, &watch), STORE_OK);
    assert_int_equal(store_watch_next(watch, w.arena, NO_DEADLINE, &w.diags, &change), STORE_OK);
    assert_true(json_eq(change.object, made));
    store_watch_close(watch);
    testing_store_end(&w);
}

static void sql(struct testing_store *w, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(testing_store_file(w, "store.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void values_cannot_be_put_elsewhere(void **state)
{
    (void)state;
    static const char *const swaps[] = {
        "UPDATE versions SET body = (SELECT body FROM versions WHERE version = 2) WHERE version = 1", /* sealed for another object
                                                                                                       */
        "UPDATE versions SET body = (SELECT body FROM versions WHERE version = 3) WHERE version = 4", /* sealed for an older
                                                                                                       * version */
        "UPDATE versions SET body = zeroblob(10) WHERE version = 1",
        "UPDATE versions SET body = '{}' WHERE version = 1",
    };
    static const char *const victims[] = {"a", "c", "a", "a"};
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        struct testing_store w;
        testing_store_init(&w);
        testing_store_open(&w, NULL);
        (void)testing_store_create(&w, SECRET("a", "for-a"));
        (void)testing_store_create(&w, SECRET("b", "for-b"));
        const struct json *c = testing_store_create(&w, SECRET("c", "for-c"));
        (void)testing_store_update(&w, object_with(w.arena, c, "data", testing_jsonz(w.arena, "{\"password\":\"eA==\"}")));
        testing_store_close(&w);
        sql(&w, swaps[i]);
        testing_store_open(&w, NULL);
        struct store_key key = secret_key(victims[i]);
        const struct json *got = NULL;
        testing_store_failed(&w, store_get(w.store, w.arena, &key, &w.diags, &got), STORE_FAILED,
                             "was not sealed by this store for this object");
        assert_null(got);
        testing_text(password(&w, "b"), "Zm9yLWI=");
        testing_store_end(&w);
    }
}

static void the_key_must_be_right(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_create(&w, SECRET("a", "for-a"));
    testing_store_close(&w);
    const char *path = testing_store_file(&w, "store.key");
    struct str right = testing_file_in(w.arena, w.folder, "store.key");
    assert_int_equal(right.n, 65);
    assert_true(file_write(path, STR("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"), 0600, &w.diags));
    testing_store_refuses(&w, "were sealed with another key than that of");
    assert_true(file_write(path, STR("secret-in-the-key-file"), 0600, &w.diags));
    assert_null(store_sqlite_open(w.folder, NULL, &w.diags));
    assert_null(strstr(testing_said(&w.diags), "secret-in"));
    testing_store_failed(&w, STORE_OK, STORE_OK, "expected 64 hexadecimal digits, found 22 characters");
    assert_int_equal(unlink(path), 0);
    testing_store_refuses(&w, "Put the key file back, or set TERRANE_STORE_KEY");
    assert_false(file_exists(path)); /* no new key is created */
    assert_true(file_write(path, right, 0600, &w.diags));
    testing_store_open(&w, NULL);
    testing_text(password(&w, "a"), "Zm9yLWE=");
    testing_store_end(&w);
}

/* The test runner sets the variable: setenv() is not safe in a program with threads. */
static void the_environment_can_have_the_key(void **state)
{
    (void)state;
    static char variable[] = "TERRANE_STORE_KEY=ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";
    static char *with[] = {variable, NULL};
    char **before = environ;
    struct testing_store w;
    testing_store_init(&w);
    environ = with;
    testing_store_open(&w, NULL);
    (void)testing_store_create(&w, SECRET("a", "for-a"));
    testing_store_close(&w);
    assert_false(file_exists(testing_store_file(&w, "store.key")));
    testing_store_open(&w, NULL);
    testing_text(password(&w, "a"), "Zm9yLWE=");
    testing_store_close(&w);
    environ = before;
    testing_store_refuses(&w, "Key of the store is missing");
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_not_in_the_files),      cmocka_unit_test(secrets_are_objects_like_others),
        cmocka_unit_test(values_cannot_be_put_elsewhere),   cmocka_unit_test(the_key_must_be_right),
        cmocka_unit_test(the_environment_can_have_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
