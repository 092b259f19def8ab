/* The store after the process was killed at any moment, and with a full disk. */
#include "base/random.h"
#include "store/testing_store.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

enum { KILLS = 12, MAX_DELAY_US = 60000, OBJECTS = 7 };

static const struct store_query everything;

/* ---- kill -9 ---- */

/* Writes until it is killed, and sends the version of each acknowledged change through the pipe. Reuses names. */
static void write_until_killed(const char *folder, int out, uint64_t seed)
{
    struct arena *a = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct store *s = store_sqlite_open(folder, &(struct store_sqlite_options){.max_history = 50}, &diags);
    if (!s)
        _exit(2);
    for (;; arena_reset(a)) {
        diags_init(&diags, a);
        struct str name = arena_printf(a, "o%d", (int)(random_next(&seed) % OBJECTS));
        struct store_key key = bucket_key(name.p);
        const struct json *object = NULL;
        enum store_result result = store_get(s, a, &key, &diags, &object);
        if (result == STORE_NOT_FOUND) {
            object = json_parse(a, arena_printf(a, BUCKET("%s"), name.p), "test", &diags);
            result = store_create(s, a, object, &diags, &object);
        } else if (random_next(&seed) % 4 == 0) {
            result = store_remove(s, a, &key, NULL, &diags, &object);
        } else {
            struct str status = arena_printf(a, "%d", (int)(random_next(&seed) % 1000000));
            result = store_update_status(s, a, object_with(a, object, "status", json_make_number(a, status)), &diags, &object);
        }
        int64_t version = 0;
        if (result != STORE_OK || !str_to_i64(object_metadata_text(object, "resourceVersion"), &version) ||
            write(out, &version, sizeof version) != (ssize_t)sizeof version)
            _exit(1);
    }
}

/* The last version that the child has acknowledged; `last` if there is no new one. */
static int64_t last_of(int in, int64_t last)
{
    int64_t version = 0;
    while (read(in, &version, sizeof version) == (ssize_t)sizeof version)
        last = version;
    return last;
}

static bool is_sound(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    int64_t version = 0, *newest = ctx;
    assert_true(str_to_i64(object_metadata_text(object, "resourceVersion"), &version));
    *newest = version > *newest ? version : *newest;
    return true;
}

static void nothing_acknowledged_is_lost(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    uint64_t seed = 7;
    int64_t before = 0;
    for (int i = 0; i < KILLS; i++) {
        int ends[2], status = 0;
        assert_int_equal(pipe(ends), 0);
        (void)fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            (void)close(ends[0]);
            write_until_killed(w.folder, ends[1], seed + (uint64_t)i);
        }
        (void)close(ends[1]);
        int64_t acknowledged = 0, now = 0, newest = 0;
        if (i % 2 == 0) /* otherwise it may be killed while it opens the store */
            assert_int_equal(read(ends[0], &acknowledged, sizeof acknowledged), sizeof acknowledged);
        (void)usleep((useconds_t)(random_next(&seed) % MAX_DELAY_US));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        acknowledged = last_of(ends[0], acknowledged);
        (void)close(ends[0]);

        testing_store_open(&w, &(struct store_sqlite_options){.max_history = 50}); /* which checks the whole database */
        struct str version;
        assert_int_equal(store_list(w.store, w.arena, &everything, is_sound, &newest, &w.diags, &version), STORE_OK);
        assert_true(str_to_i64(version, &now));
        /* The last commit's acknowledgement may be lost. */
        assert_true(acknowledged == 0 || now == acknowledged || now == acknowledged + 1);
        assert_true(now >= before && newest <= now);
        before = now;
        testing_store_close(&w);
    }
    assert_true(before >= KILLS / 2); /* it did work in between */
    testing_store_end(&w);
}

/* ---- a full disk ---- */

enum { MOUNTED, NO_MOUNT = 77 };

static int mount_small_disk(const char *folder)
{
    int flags = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS;
    if (unshare(flags) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mkdir(folder, 0700) != 0 ||
        mount("tmpfs", folder, "tmpfs", 0, "size=1m,mode=0700") != 0)
        return NO_MOUNT;
    return MOUNTED;
}

static bool add(struct store *s, struct arena *a, int number, struct diags *diags)
{
    char padding[8192];
    memset(padding, 'x', sizeof padding);
    const struct json *made = NULL;
    struct str text = arena_printf(a, BUCKET("b%d"), number);
    const struct json *object =
        object_with(a, json_parse(a, text, "test", diags), "spec", json_make_string(a, (struct str){padding, sizeof padding}));
    return store_create(s, a, object, diags, &made) == STORE_OK;
}

/* Returns 0, or the line number of a condition that is false. */
#define NEED(condition)                                                                                                          \
    do {                                                                                                                         \
        if (!(condition))                                                                                                        \
            return __LINE__ % 64 + 1;                                                                                            \
    } while (0)

static bool count_objects(void *ctx, struct arena *a, const struct json *object)
{
    (void)a, (void)object;
    ++*(int *)ctx;
    return true;
}

static int count(struct store *s, struct arena *a, struct diags *diags)
{
    int n = 0;
    struct str version;
    return store_list(s, a, &everything, count_objects, &n, diags, &version) == STORE_OK ? n : -1;
}

static int fill_the_disk(const char *folder)
{
    struct arena *a = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct store *s = store_sqlite_open(folder, NULL, &diags);
    NEED(s);
    int n = 0;
    while (n < 1000 && add(s, a, n, &diags))
        n++;
    NEED(n > 5 && n < 1000);
    NEED(strstr(testing_said(&diags), "Store's disk is full"));
    NEED(count(s, a, &diags) == n);
    NEED(!add(s, a, n, &diags)); /* still */
    NEED(count(s, a, &diags) == n);
    store_close(s);

    s = store_sqlite_open(folder, NULL, &diags); /* the old objects are readable */
    NEED(s && count(s, a, &diags) == n);
    NEED(mount(NULL, folder, NULL, MS_REMOUNT, "size=16m,mode=0700") == 0);
    NEED(add(s, a, n, &diags) && count(s, a, &diags) == n + 1);
    store_close(s);
    s = store_sqlite_open(folder, NULL, &diags);
    NEED(s && count(s, a, &diags) == n + 1);
    store_close(s);
    arena_free(a);
    return 0;
}

static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int code = mount_small_disk(w.folder);
        _exit(code == MOUNTED ? fill_the_disk(w.folder) : code);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    testing_store_end(&w);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_MOUNT)
        testing_skip("machine:mount", "no file system can be mounted here");
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_acknowledged_is_lost),
        cmocka_unit_test(a_full_disk_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
