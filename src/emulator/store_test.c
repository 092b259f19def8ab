/* Database files: which are refused, older versions, shared files. emulator_test tests objects and requests. */
#include "emulator/store.h"

#include "base/file.h"
#include "base/testing.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
    struct arena *arena;
    struct diags diags;
    char folder[64];
    const char *path;
};

static void open_world(struct world *w)
{
    w->arena = arena_new(NULL, 0);
    diags_init(&w->diags, w->arena);
    (void)snprintf(w->folder, sizeof w->folder, "/tmp/terrane-store-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->path = arena_printf(w->arena, "%s/objects.db", w->folder).p;
}

static void close_world(struct world *w)
{
    static const char *const files[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++)
        (void)unlink(arena_printf(w->arena, "%s%s", w->path, files[i]).p);
    assert_int_equal(rmdir(w->folder), 0);
    arena_free(w->arena);
}

static void refuses(struct world *w, const char *path, const char *says)
{
    struct diags diags;
    diags_init(&diags, w->arena);
    assert_null(emulator_store_open(path, &diags));
    testing_says(&diags, path);
    testing_says(&diags, says);
}

static void sql(struct world *w, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void files_that_are_refused(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    refuses(&w, w.folder, "unable to open database file");
    refuses(&w, "/no/such/folder/objects.db", "unable to open database file");
    assert_true(
        file_write(w.path, STR("This is a letter to somebody and no database at all, however long it may be."), 0600, &w.diags));
    refuses(&w, w.path, "not a database");
    (void)unlink(w.path);
    sql(&w, "CREATE TABLE recipes(name TEXT)");
    refuses(&w, w.path, "it is a database of a different program");
    (void)unlink(w.path);
    struct emulator_store *s = emulator_store_open(w.path, &w.diags);
    assert_non_null(s);
    emulator_store_close(s);
    sql(&w, "PRAGMA user_version = 9");
    refuses(&w, w.path, "a newer version");
    close_world(&w);
}

static void a_damaged_file(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    struct emulator_store *s = emulator_store_open(w.path, &w.diags);
    assert_true(emulator_store_begin(s));
    struct buf large BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 3000; i++)
        buf_addz(&large, "all work and no play ");
    for (int i = 0; i < 20; i++)
        assert_true(emulator_store_put(s, STR("T"), arena_printf(w.arena, "%d", i), buf_str(&large)));
    assert_true(emulator_store_end(s, true));
    emulator_store_close(s);
    struct stat st;
    assert_int_equal(stat(w.path, &st), 0);
    assert_int_equal(truncate(w.path, st.st_size / 2), 0);
    refuses(&w, w.path, "");
    close_world(&w);
}

/* From the version before hooks. */
static void a_file_of_the_first_version(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    sql(&w, "CREATE TABLE objects(type TEXT, id TEXT, model TEXT, PRIMARY KEY(type, id)) WITHOUT ROWID;"
            "CREATE TABLE requests(number INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT UNIQUE,"
            " client_token TEXT, digest TEXT, type TEXT, id TEXT, id_known INTEGER, operation TEXT, status TEXT,"
            " error TEXT, message TEXT, model TEXT, event_ns INTEGER, due_ns INTEGER);"
            "INSERT INTO objects VALUES('T', 'one', '{}');"
            "INSERT INTO requests(token, client_token, type, id, operation, status, event_ns, due_ns)"
            " VALUES('t', 'c', 'T', 'one', 'CREATE', 'SUCCESS', 7, 7);"
            "PRAGMA application_id = 0x54434331");
    for (int i = 0; i < 2; i++) {
        struct emulator_store *s = emulator_store_open(w.path, &w.diags);
        testing_no_errors(&w.diags);
        struct emulator_stored_request r;
        struct str model;
        assert_true(emulator_store_get(s, w.arena, STR("T"), STR("one"), &model));
        assert_true(emulator_store_request_of(s, w.arena, STR("c"), 7, &r));
        assert_int_equal(r.status, EMULATOR_STATUS_SUCCESS);
        assert_int_equal(r.begun_ns, 7);
        testing_text(r.hook, "");
        assert_false(emulator_store_request_of(s, w.arena, STR("c"), 8, &r));
        emulator_store_close(s);
    }
    close_world(&w);
}

static void two_share_one(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    struct emulator_store *one = emulator_store_open(w.path, &w.diags), *two = emulator_store_open(w.path, &w.diags);
    struct str model;
    assert_non_null(two);
    assert_true(emulator_store_begin(one) && emulator_store_put(one, STR("T"), STR("x"), STR("{}")) &&
                emulator_store_end(one, true));
    assert_true(emulator_store_begin(two) && emulator_store_get(two, w.arena, STR("T"), STR("x"), &model));
    assert_true(emulator_store_delete(two, STR("T"), STR("x")) && emulator_store_end(two, false)); /* forgotten */
    assert_true(emulator_store_get(one, w.arena, STR("T"), STR("x"), &model));
    emulator_store_close(one);
    emulator_store_close(two);
    close_world(&w);
}

/* Whatever the umask allows. */
static void files_are_for_their_owner_alone(void **state)
{
    (void)state;
    static const char *const files[] = {"", "-wal", "-shm"};
    struct world w;
    open_world(&w);
    mode_t before = umask(0);
    struct emulator_store *s = emulator_store_open(w.path, &w.diags);
    (void)umask(before);
    testing_no_errors(&w.diags);
    assert_true(emulator_store_begin(s) && emulator_store_put(s, STR("T"), STR("x"), STR("{}")) && emulator_store_end(s, true));
    for (size_t i = 0; i < 3; i++) {
        struct stat st;
        assert_int_equal(stat(arena_printf(w.arena, "%s%s", w.path, files[i]).p, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
    emulator_store_close(s);
    close_world(&w);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

/* A file that others could access becomes private; a refused file is not changed. */
static void files_become_private(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    emulator_store_close(emulator_store_open(w.path, &w.diags));
    assert_int_equal(chmod(w.path, 0644), 0);
    struct emulator_store *s = emulator_store_open(w.path, &w.diags);
    testing_no_errors(&w.diags);
    assert_true(emulator_store_begin(s) && emulator_store_put(s, STR("T"), STR("x"), STR("{}")) && emulator_store_end(s, true));
    assert_int_equal(mode_of(w.path), 0600);
    assert_int_equal(mode_of(arena_printf(w.arena, "%s-wal", w.path).p), 0600);
    assert_int_equal(mode_of(arena_printf(w.arena, "%s-shm", w.path).p), 0600);
    emulator_store_close(s);

    sql(&w, "PRAGMA application_id = 7");
    assert_int_equal(chmod(w.path, 0644), 0);
    refuses(&w, w.path, "a different program");
    assert_int_equal(mode_of(w.path), 0644);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_refused),          cmocka_unit_test(a_damaged_file),
        cmocka_unit_test(a_file_of_the_first_version),     cmocka_unit_test(two_share_one),
        cmocka_unit_test(files_are_for_their_owner_alone), cmocka_unit_test(files_become_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
