/* Backups during writes, and restoring them. */
#include "base/lock.h"
#include "loop/thread.h"
#include "store/schema.h"
#include "store/testing_store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const struct store_query everything;

struct writer {
    struct store *store;
    pthread_mutex_t lock;
    bool stop;
    int written, wrong;
};

static bool goes_on(struct writer *writer)
{
    mutex_lock(&writer->lock);
    bool on = !writer->stop;
    writer->written++;
    mutex_unlock(&writer->lock);
    return on;
}

/* Writes objects in pairs: a backup with the second object of a pair must have the first. */
static void *write_pairs(void *arg)
{
    struct writer *writer = arg;
    for (int i = 0; goes_on(writer); i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        const struct json *made = NULL;
        diags_init(&diags, a);
        for (int k = 0; k < 2; k++) {
            struct str text = arena_printf(a, BUCKET("%06d-%d"), i, k);
            writer->wrong += store_create(writer->store, a, json_parse(a, text, "test", &diags), &diags, &made) != STORE_OK;
        }
    }
    return NULL;
}

static int written(struct writer *writer)
{
    mutex_lock(&writer->lock);
    int n = writer->written;
    mutex_unlock(&writer->lock);
    return n;
}

static void a_backup_is_one_moment(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct writer writer = {.store = w.store, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    assert_int_equal(thread_start(&thread, "writer", write_pairs, &writer), 0);
    const char *path = arena_printf(w.arena, "%s/backup", w.root).p;
    for (int i = 0; i < 5; i++) {
        for (int n = written(&writer); written(&writer) < n + 5;)
            (void)usleep(1000);
        assert_true(store_sqlite_backup(w.store, path, &w.diags));
    }
    mutex_lock(&writer.lock);
    writer.stop = true;
    mutex_unlock(&writer.lock);
    thread_join(thread);
    assert_int_equal(writer.wrong, 0);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_false(file_exists(arena_printf(w.arena, "%s.part", path).p));
    testing_store_close(&w);

    assert_true(store_sqlite_restore(path, w.folder, &w.diags));
    testing_store_open(&w, NULL);
    int64_t version = -1;
    assert_true(str_to_i64(testing_store_version(&w), &version));
    size_t n = 0;
    for (const char *p = testing_store_names(&w, &everything); *p; p++)
        n += *p == ' ';
    assert_int_equal(n + 1, version); /* each was one change, and none is missing */
    testing_store_end(&w);
}

static void restoring_replaces_all(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "before");
    const char *path = arena_printf(w.arena, "%s/with ?#%%.backup", w.root).p;
    assert_true(store_sqlite_backup(w.store, path, &w.diags));
    (void)testing_store_bucket(&w, "after");
    assert_false(store_sqlite_restore(path, w.folder, &w.diags));
    testing_store_failed(&w, STORE_OK, STORE_OK, "Store is in use");
    /* A log that a killed process left must not get into the new database. */
    struct str log = testing_file_in(w.arena, w.folder, "store.db-wal");
    testing_store_close(&w);
    assert_true(file_write(testing_store_file(&w, "store.db-wal"), log, 0600, &w.diags));
    assert_true(store_sqlite_restore(path, w.folder, &w.diags));
    testing_no_errors(&w.diags);
    testing_store_open(&w, NULL);
    assert_string_equal(testing_store_names(&w, &everything), "before");
    (void)testing_store_bucket(&w, "later");
    testing_store_end(&w);
}

/* ---- failures ---- */

enum { MOMENTS = 40, MOMENT_US = 250 };

/* In another process, which exits without closing: the object is only in the log. */
static void write_and_die(struct testing_store *w, const char *name)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        testing_store_open(w, NULL);
        (void)testing_store_bucket(w, name);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct stat st;
    assert_int_equal(stat(testing_store_file(w, "store.db-wal"), &st), 0);
    assert_true(st.st_size > 0);
}

static _Thread_local bool renames_fail;

/* Replaces the C library's rename(). */
int rename(const char *from, const char *to)
{
    if (!renames_fail)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    errno = EIO;
    return -1;
}

static const char *backup_of_one(struct testing_store *w)
{
    testing_store_open(w, NULL);
    (void)testing_store_bucket(w, "before");
    const char *path = arena_printf(w->arena, "%s/backup", w->root).p;
    assert_true(store_sqlite_backup(w->store, path, &w->diags));
    testing_store_close(w);
    return path;
}

/* Everything committed since the last checkpoint stays until the backup has replaced it. */
static void a_restore_that_fails_loses_nothing(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    const char *path = backup_of_one(&w);
    write_and_die(&w, "after");
    renames_fail = true;
    bool restored = store_sqlite_restore(path, w.folder, &w.diags);
    renames_fail = false;
    w.diags.n = w.diags.n_errors = 0;
    testing_store_open(&w, NULL);
    assert_string_equal(testing_store_names(&w, &everything), restored ? "before" : "after before");
    testing_store_close(&w);

    /* Simulates a full disk: files cannot grow. */
    write_and_die(&w, "later");
    struct rlimit unlimited, small = {.rlim_cur = 8192, .rlim_max = RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    small.rlim_max = unlimited.rlim_max;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool refused = !store_sqlite_restore(path, w.folder, &w.diags);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    (void)signal(SIGXFSZ, SIG_DFL);
    assert_true(refused);
    w.diags.n = w.diags.n_errors = 0;
    testing_store_open(&w, NULL);
    assert_string_equal(testing_store_names(&w, &everything), "before later");
    testing_store_end(&w);
}

static void a_restore_that_is_killed_has_one_or_the_other(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    const char *path = backup_of_one(&w);
    bool there = false; /* is "after" in the store? */
    for (useconds_t i = 0; i < MOMENTS; i++) {
        if (!there)
            write_and_die(&w, "after");
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(store_sqlite_restore(path, w.folder, &w.diags) ? 0 : 1);
        (void)usleep(i * MOMENT_US);
        (void)kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        testing_store_open(&w, NULL);
        const char *names = testing_store_names(&w, &everything);
        there = strcmp(names, "after before") == 0;
        assert_true(there || strcmp(names, "before") == 0);
        if (WIFEXITED(status))
            assert_false(there);
        testing_store_close(&w);
    }
    testing_store_end(&w);
}

static void a_damaged_store_comes_back(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "a");
    const char *path = arena_printf(w.arena, "%s/backup", w.root).p;
    assert_true(store_sqlite_backup(w.store, path, &w.diags));
    testing_store_close(&w);
    assert_true(file_write(testing_store_file(&w, "store.db"),
                           STR("this is not a database at all, but long enough to be taken for one, "
                               "with more than the hundred bytes of a header"),
                           0600, &w.diags));
    testing_store_refuses(&w, "Restore a backup");
    assert_true(file_write(testing_store_file(&w, "store.db-wal"), STR("its log"), 0600, &w.diags));
    renames_fail = true;
    assert_false(store_sqlite_restore(path, w.folder, &w.diags));
    renames_fail = false;
    testing_store_failed(&w, STORE_OK, STORE_OK, "Input/output error");
    testing_text(testing_file_in(w.arena, w.folder, "store.db-wal"), "its log");
    assert_true(store_sqlite_restore(path, w.folder, &w.diags));
    testing_store_open(&w, NULL);
    assert_string_equal(testing_store_names(&w, &everything), "a");
    assert_true(str_starts(testing_file_in(w.arena, w.folder, "store.db.damaged"), STR("this is not a database")));
    testing_text(testing_file_in(w.arena, w.folder, "store.db.damaged-wal"), "its log");
    testing_store_end(&w);
}

static void refused(struct testing_store *w, const char *path, const char *says)
{
    assert_false(store_sqlite_restore(path, w->folder, &w->diags));
    testing_store_failed(w, STORE_OK, STORE_OK, says);
    testing_store_open(w, NULL); /* as it was */
    assert_string_equal(testing_store_names(w, &everything), "a");
    testing_store_close(w);
    assert_false(file_exists(testing_store_file(w, "store.db.part")));
}

static void files_that_are_not_backups(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "a");
    testing_store_close(&w);
    const char *path = arena_printf(w.arena, "%s/other", w.root).p;
    refused(&w, path, "No such file or directory");
    assert_true(file_write(path, STR(""), 0600, &w.diags));
    refused(&w, path, "has no objects of a store");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
    refused(&w, path, "is a database of another program");
    struct str newer = arena_printf(w.arena, "PRAGMA application_id = %d; PRAGMA user_version = 99", SCHEMA_APPLICATION_ID);
    assert_int_equal(sqlite3_exec(db, newer.p, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    refused(&w, path, "has format 99");
    testing_store_end(&w);
}

static void a_backup_that_fails_leaves_nothing(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const char *path = arena_printf(w.arena, "%s/none/backup", w.root).p;
    assert_false(store_sqlite_backup(w.store, path, &w.diags));
    testing_store_failed(&w, STORE_OK, STORE_OK, "Backup failed");
    path = arena_printf(w.arena, "%s/folder", w.root).p;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(store_sqlite_backup(w.store, path, &w.diags));
    testing_store_failed(&w, STORE_OK, STORE_OK, "Is a directory");
    assert_false(file_exists(arena_printf(w.arena, "%s.part", path).p));
    (void)testing_store_bucket(&w, "a");
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_backup_is_one_moment),
        cmocka_unit_test(restoring_replaces_all),
        cmocka_unit_test(a_restore_that_fails_loses_nothing),
        cmocka_unit_test(a_restore_that_is_killed_has_one_or_the_other),
        cmocka_unit_test(a_damaged_store_comes_back),
        cmocka_unit_test(files_that_are_not_backups),
        cmocka_unit_test(a_backup_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
