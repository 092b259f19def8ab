/* Files that appear, change, move and disappear, and files that are being written. */
#include "manifests/folder.h"

#include "base/testing.h"

#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct world {
    struct arena *arena;
    struct diags diags;
    char root[64];
    struct folder *folder;
};

static void begin(struct world *w)
{
    *w = (struct world){.arena = arena_new(NULL, 0)};
    diags_init(&w->diags, w->arena);
    (void)snprintf(w->root, sizeof w->root, "/tmp/terrane-folder-XXXXXX");
    assert_non_null(mkdtemp(w->root));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void end(struct world *w)
{
    folder_free(w->folder);
    assert_int_equal(nftw(w->root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    arena_free(w->arena);
}

static const char *path(struct world *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->root, name).p;
}

#define SECRET(name) "apiVersion: v1\nkind: Secret\nmetadata: {name: " name "}\n"

static void put(struct world *w, const char *name, const char *text)
{
    assert_true(file_write(path(w, name), str_of(text), 0600, &w->diags));
}

/* "file: names; ..." of the files that count; "!" marks a file read by this scan, "?" a broken one. */
static const char *scan(struct world *w)
{
    struct folder_files files;
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    assert_true(folder_scan(w->folder, &w->diags, &files));
    for (size_t i = 0; i < files.n; i++) {
        const struct folder_file *f = files.v[i];
        buf_printf(&out, "%s%s%s%s:", i > 0 ? " " : "", f->path + strlen(w->root) + 1, f->changed ? "!" : "",
                   f->broken ? "?" : "");
        for (size_t k = 0; k < f->manifests.n; k++)
            buf_printf(&out, "%s" STR_FMT, k > 0 ? "," : "", STR_ARG(f->manifests.v[k].key.name));
    }
    return buf_copy(&out, w->arena).p;
}

static void open_it(struct world *w, const char *name)
{
    w->folder = folder_open(name ? path(w, name) : w->root, NULL, 0, &w->diags);
    testing_no_errors(&w->diags);
    assert_non_null(w->folder);
}

/* The scan fails, and says why (NULL: nothing, because it was said). */
static void is_away(struct world *w, const char *why)
{
    struct folder_files files;
    assert_false(folder_scan(w->folder, &w->diags, &files));
    if (why)
        testing_says(&w->diags, why);
    else
        assert_int_equal(w->diags.n, 0);
    diags_init(&w->diags, w->arena);
    assert_false(folder_scan(w->folder, &w->diags, &files));
    assert_int_equal(w->diags.n, 0); /* once is enough */
}

/* Scans until the result is this. */
static void comes_to(struct world *w, const char *expected)
{
    int64_t until = clock_now(&system_clock) + 60 * NS_PER_S;
    const char *got = "";
    while (strcmp(got, expected) != 0 && clock_now(&system_clock) < until)
        if (folder_wait(w->folder, until))
            got = scan(w);
    assert_string_equal(got, expected);
}

static void what_counts(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    put(&w, "b.yaml", SECRET("b"));
    put(&w, "a.yml", SECRET("a1") "---\n" SECRET("a2"));
    put(&w, "c.json", "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"c\"}}");
    put(&w, "terrane.yaml", "poll: 1m\n");
    put(&w, "README.md", "no manifest");
    put(&w, ".hidden.yaml", SECRET("h"));
    put(&w, ".#b.yaml", SECRET("h"));
    put(&w, "b.yaml~", SECRET("h"));
    put(&w, "#b.yaml#", SECRET("h"));
    put(&w, ".b.yaml.swp", SECRET("h"));
    put(&w, "config.yaml", "except me");
    put(&w, "broken.yaml", "a: [");
    assert_int_equal(mkdir(path(&w, "sub"), 0700), 0);
    assert_int_equal(mkdir(path(&w, ".git"), 0700), 0);
    put(&w, "sub/d.yaml", SECRET("d"));
    put(&w, "sub/terrane.yaml", SECRET("t")); /* only the one at the top configures the folder */
    put(&w, ".git/e.yaml", SECRET("e"));
    assert_int_equal(symlink(w.root, path(&w, "loop")), 0);
    assert_int_equal(symlink(path(&w, "b.yaml"), path(&w, "link.yaml")), 0);
    assert_int_equal(symlink("nowhere.yaml", path(&w, "lost.yaml")), 0); /* not the same as no file */
    assert_int_equal(symlink("nowhere", path(&w, "lost")), 0);
    assert_int_equal(mkfifo(path(&w, "pipe.yaml"), 0600), 0);
    const char *except[] = {path(&w, "config.yaml")};
    w.folder = folder_open(w.root, except, 1, &w.diags);
    assert_string_equal(
        scan(&w), "a.yml!:a1,a2 b.yaml!:b broken.yaml!?: c.json!:c link.yaml!:b lost.yaml!?: sub/d.yaml!:d sub/terrane.yaml!:t");
    assert_string_equal(scan(&w),
                        "a.yml:a1,a2 b.yaml:b broken.yaml?: c.json:c link.yaml:b lost.yaml?: sub/d.yaml:d sub/terrane.yaml:t");
    put(&w, "nowhere.yaml", SECRET("found"));
    comes_to(&w, "a.yml:a1,a2 b.yaml:b broken.yaml?: c.json:c link.yaml:b lost.yaml!:found nowhere.yaml!:found sub/d.yaml:d "
                 "sub/terrane.yaml:t");
    end(&w);
}

static void files_are_followed(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    put(&w, "a.yaml", SECRET("a"));
    open_it(&w, NULL);
    assert_string_equal(scan(&w), "a.yaml!:a");
    put(&w, "b.yaml", SECRET("b")); /* as editors do: a new file replaces the old one */
    comes_to(&w, "a.yaml:a b.yaml!:b");
    put(&w, "a.yaml", SECRET("a") "---\n" SECRET("a2"));
    comes_to(&w, "a.yaml!:a,a2 b.yaml:b");
    assert_int_equal(rename(path(&w, "b.yaml"), path(&w, "c.yaml")), 0);
    comes_to(&w, "a.yaml:a,a2 c.yaml!:b");
    assert_int_equal(unlink(path(&w, "a.yaml")), 0);
    comes_to(&w, "c.yaml:b");
    assert_int_equal(mkdir(path(&w, "sub"), 0700), 0);
    put(&w, "sub/d.yaml", SECRET("d"));
    comes_to(&w, "c.yaml:b sub/d.yaml!:d");
    put(&w, "sub/d.yaml", SECRET("d2"));
    comes_to(&w, "c.yaml:b sub/d.yaml!:d2");
    assert_int_equal(rename(path(&w, "sub"), path(&w, "other")), 0);
    comes_to(&w, "c.yaml:b other/d.yaml!:d2");
    put(&w, "other/d.yaml", SECRET("d3"));
    comes_to(&w, "c.yaml:b other/d.yaml!:d3");
    end(&w);
}

static void write_to(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* Half of a file may be a valid but different manifest. */
static void what_is_being_written_counts_as_it_was(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    put(&w, "a.yaml", SECRET("a") "---\n" SECRET("b"));
    open_it(&w, NULL);
    assert_string_equal(scan(&w), "a.yaml!:a,b");
    int fd = open(path(&w, "a.yaml"), O_WRONLY | O_TRUNC | O_CLOEXEC);
    int new = open(path(&w, "new.yaml"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && new >= 0);
    write_to(fd, SECRET("a"));
    write_to(new, SECRET("new"));
    assert_string_equal(scan(&w), "a.yaml:a,b");
    write_to(fd, "---\n" SECRET("c"));
    assert_int_equal(close(fd), 0);
    comes_to(&w, "a.yaml!:a,c");
    assert_int_equal(close(new), 0);
    comes_to(&w, "a.yaml:a,c new.yaml!:new");
    end(&w);
}

/* Names are kept, objects are dropped; a file that changes afterwards is read as a whole. */
static void what_was_used_is_kept_by_name(void **state)
{
    (void)state;
    struct world w;
    struct folder_files files;
    begin(&w);
    put(&w, "a.yaml", SECRET("a1") "---\n" SECRET("a2"));
    put(&w, "b.yaml", SECRET("b"));
    put(&w, "broken.yaml", SECRET("c") "---\na: [");
    put(&w, "empty.yaml", "");
    open_it(&w, NULL);
    assert_string_equal(scan(&w), "a.yaml!:a1,a2 b.yaml!:b broken.yaml!?: empty.yaml!:");
    folder_used(w.folder);
    assert_string_equal(scan(&w), "a.yaml:a1,a2 b.yaml:b broken.yaml?: empty.yaml:");
    assert_true(folder_scan(w.folder, &w.diags, &files));
    assert_false(files.changed);
    const struct manifest *second = &files.v[0]->manifests.v[1];
    assert_null(second->object);
    assert_int_equal(files.v[2]->diags.n, 0);
    testing_text(second->key.kind, "Secret");
    testing_text(manifest_place(w.arena, second), path(&w, "a.yaml:5:1"));
    folder_used(w.folder); /* again */
    put(&w, "b.yaml", SECRET("b2"));
    assert_int_equal(unlink(path(&w, "a.yaml")), 0);
    assert_string_equal(scan(&w), "b.yaml!:b2 broken.yaml?: empty.yaml:");
    assert_true(folder_scan(w.folder, &w.diags, &files));
    assert_non_null(files.v[0]->manifests.v[0].object);
    put(&w, "a.yaml", SECRET("a3"));
    assert_string_equal(scan(&w), "a.yaml!:a3 b.yaml:b2 broken.yaml?: empty.yaml:");
    end(&w);
}

static void one_file(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    put(&w, "a.yaml", SECRET("a"));
    put(&w, "b.yaml", SECRET("b"));
    open_it(&w, "a.yaml");
    assert_string_equal(scan(&w), "a.yaml!:a");
    put(&w, "a.yaml", "a: [");
    comes_to(&w, "a.yaml!?:");
    put(&w, "a.yaml", SECRET("a2"));
    comes_to(&w, "a.yaml!:a2");
    assert_int_equal(unlink(path(&w, "a.yaml")), 0);
    is_away(&w, "a.yaml: No such file or directory. What was read");
    put(&w, "a.yaml", SECRET("a3"));
    comes_to(&w, "a.yaml!:a3");
    end(&w);
}

static void point(struct world *w, const char *target, const char *link)
{
    (void)unlink(path(w, link));
    assert_int_equal(symlink(path(w, target), path(w, link)), 0);
}

/* A file that is a link is followed where it points, and its name stays; half of what it points to is not read. */
static void one_link(void **state)
{
    (void)state;
    struct world w, elsewhere;
    begin(&w);
    begin(&elsewhere);
    put(&elsewhere, "a.yaml", SECRET("a"));
    assert_int_equal(symlink(path(&elsewhere, "a.yaml"), path(&w, "link.yaml")), 0);
    open_it(&w, "link.yaml");
    assert_string_equal(scan(&w), "link.yaml!:a");
    int fd = open(path(&elsewhere, "a.yaml"), O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0);
    write_to(fd, SECRET("a"));
    assert_string_equal(scan(&w), "link.yaml:a");
    write_to(fd, "---\n" SECRET("b"));
    assert_int_equal(close(fd), 0);
    comes_to(&w, "link.yaml!:a,b");
    assert_int_equal(unlink(path(&elsewhere, "a.yaml")), 0);
    is_away(&w, "link.yaml: No such file or directory");
    put(&w, "other.yaml", SECRET("c"));
    point(&w, "other.yaml", "link.yaml");
    comes_to(&w, "link.yaml!:c");
    end(&elsewhere);
    end(&w);
}

/* A folder that is renamed or removed says nothing about its manifests. */
static void the_folder_goes_away(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_int_equal(mkdir(path(&w, "m"), 0700), 0);
    put(&w, "m/a.yaml", SECRET("a"));
    open_it(&w, "m");
    assert_string_equal(scan(&w), "m/a.yaml!:a");
    assert_int_equal(rename(path(&w, "m"), path(&w, "old")), 0);
    is_away(&w, "/m: No such file or directory. What was read");
    assert_int_equal(rename(path(&w, "old"), path(&w, "m")), 0);
    assert_string_equal(scan(&w), "m/a.yaml:a");
    assert_int_equal(rename(path(&w, "m"), path(&w, "old")), 0);
    is_away(&w, "/m: No such file or directory");
    assert_int_equal(mkdir(path(&w, "m"), 0700), 0);
    put(&w, "m/b.yaml", SECRET("b"));
    comes_to(&w, "m/b.yaml!:b");
    put(&w, "m/c.yaml", SECRET("c")); /* the new folder is followed */
    comes_to(&w, "m/b.yaml:b m/c.yaml!:c");
    end(&w);
}

/* As deployments do: a link is pointed at the next release, and the one before is removed. */
static void a_link_is_pointed_elsewhere(void **state)
{
    (void)state;
    struct world w;
    static const char *const folders[] = {"1", "1/m", "2", "2/m"};
    begin(&w);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(mkdir(path(&w, folders[i]), 0700), 0);
    put(&w, "1/m/a.yaml", SECRET("a"));
    put(&w, "1/m/b.yaml", SECRET("b"));
    put(&w, "2/m/b.yaml", "a: [");
    put(&w, "2/m/c.yaml", SECRET("c"));
    put(&w, "1/m/config.yaml", "except me");
    put(&w, "2/m/config.yaml", "except me");
    point(&w, "1", "now");
    const char *except[] = {path(&w, "now/m/config.yaml")};
    w.folder = folder_open(path(&w, "now/./m/"), except, 1, &w.diags);
    assert_string_equal(folder_path(w.folder), path(&w, "now/m"));
    assert_string_equal(scan(&w), "now/m/a.yaml!:a now/m/b.yaml!:b");
    point(&w, "nowhere", "now");
    is_away(&w, "now/m: No such file or directory");
    assert_int_equal(nftw(path(&w, "1"), remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    is_away(&w, NULL); /* said before */
    point(&w, "2", "now");
    assert_string_equal(scan(&w), "now/m/b.yaml!?: now/m/c.yaml!:c"); /* a broken file has the name that it had */
    put(&w, "2/m/d.yaml", SECRET("d"));
    comes_to(&w, "now/m/b.yaml?: now/m/c.yaml:c now/m/d.yaml!:d");
    point(&w, "2/m", "direct");
    folder_free(w.folder);
    open_it(&w, "direct");
    (void)scan(&w);
    assert_int_equal(mkdir(path(&w, "3"), 0700), 0);
    put(&w, "3/e.yaml", SECRET("e"));
    int64_t before = clock_now(&system_clock);
    point(&w, "3", "direct");
    comes_to(&w, "direct/e.yaml!:e");
    assert_true(clock_now(&system_clock) - before < FOLDER_RESCAN_NS); /* seen, not found by looking again */
    end(&w);
}

static void *move_it(void *world)
{
    struct world *w = world;
    const struct timespec a_moment = {.tv_nsec = 20000};
    (void)nanosleep(&a_moment, NULL);
    assert_int_equal(rename(path(w, "z"), path(w, "a")), 0);
    return NULL;
}

/* A subfolder that is moved while its folder is read may be missed under both names. */
static void what_is_moved_is_not_missed(void **state)
{
    (void)state;
    enum { TIMES = 200, FILES = 40 };
    struct world w, mover;
    begin(&w);
    assert_int_equal(mkdir(path(&w, "z"), 0700), 0);
    put(&w, "z/moved.yaml", SECRET("moved"));
    for (int i = 0; i < FILES; i++)
        put(&w, arena_printf(w.arena, "f%d.yaml", i).p, "");
    open_it(&w, NULL);
    (void)scan(&w);
    mover = w;
    mover.arena = arena_new(NULL, 0);
    for (int i = 0; i < TIMES; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, move_it, &mover), 0);
        const char *got = scan(&w);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_non_null(strstr(got, ":moved"));
        assert_int_equal(rename(path(&w, "a"), path(&w, "z")), 0);
    }
    arena_free(mover.arena);
    end(&w);
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_null(folder_open(path(&w, "nothing"), NULL, 0, &w.diags));
    testing_says(&w.diags, "nothing: No such file or directory");
    diags_init(&w.diags, w.arena);
    struct buf name BUF_AUTO = BUF_INIT(1 << 10);
    for (int i = 0; i <= FOLDER_MAX_DEPTH; i++) {
        buf_addz(&name, i > 0 ? "/d" : "d");
        assert_int_equal(mkdir(path(&w, buf_copy(&name, w.arena).p), 0700), 0);
    }
    open_it(&w, NULL);
    struct folder_files files;
    assert_false(folder_scan(w.folder, &w.diags, &files));
    testing_says(&w.diags, "nested deeper than the limit of 16 levels");
    diags_init(&w.diags, w.arena);
    assert_int_equal(nftw(path(&w, "d"), remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    int fd = open(path(&w, "large.yaml"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && ftruncate(fd, MANIFEST_MAX_FILE + 1) == 0 && close(fd) == 0);
    comes_to(&w, "large.yaml!?:");
    assert_true(folder_scan(w.folder, &w.diags, &files));
    testing_says(&files.v[0]->diags, "large.yaml");
    end(&w);
}

static void waiting_ends(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    open_it(&w, NULL);
    (void)scan(&w);
    assert_false(folder_wait(w.folder, clock_now(&system_clock) + NS_PER_MS));
    folder_wake(w.folder);
    assert_false(folder_wait(w.folder, NO_DEADLINE));
    end(&w);
}

static void *change_and_wake(void *world)
{
    struct world *w = world;
    put(w, "a.yaml", SECRET("a"));
    const struct timespec in_between = {.tv_nsec = FOLDER_QUIET_NS / 4};
    (void)nanosleep(&in_between, NULL);
    folder_wake(w->folder);
    return NULL;
}

/* A waiter that is woken while it waits for further changes gets the change next time. */
static void a_wake_loses_no_change(void **state)
{
    (void)state;
    struct world w;
    pthread_t thread;
    begin(&w);
    open_it(&w, NULL);
    (void)scan(&w);
    assert_int_equal(pthread_create(&thread, NULL, change_and_wake, &w), 0);
    bool told = folder_wait(w.folder, clock_now(&system_clock) + 5 * NS_PER_S);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 2 && !told; i++)
        told = folder_wait(w.folder, clock_now(&system_clock) + 5 * NS_PER_S);
    assert_true(told);
    end(&w);
}

/*
 * Written through a hard link elsewhere, which inotify does not report, as on many network file systems; the caller waits in
 * short steps.
 */
static void what_nobody_tells_of_is_seen(void **state)
{
    (void)state;
    struct world w, elsewhere;
    begin(&w);
    begin(&elsewhere);
    put(&w, "a.yaml", SECRET("a"));
    assert_int_equal(link(path(&w, "a.yaml"), path(&elsewhere, "a.yaml")), 0);
    open_it(&w, NULL);
    assert_string_equal(scan(&w), "a.yaml!:a");
    int fd = open(path(&elsewhere, "a.yaml"), O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0 && write(fd, SECRET("b"), strlen(SECRET("b"))) == (ssize_t)strlen(SECRET("b")) && close(fd) == 0);
    const char *got = "";
    for (int i = 0; i < 60 && strcmp(got, "a.yaml!:b") != 0; i++)
        if (folder_wait(w.folder, clock_now(&system_clock) + NS_PER_S))
            got = scan(&w);
    assert_string_equal(got, "a.yaml!:b");
    end(&elsewhere);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counts),
        cmocka_unit_test(files_are_followed),
        cmocka_unit_test(what_is_being_written_counts_as_it_was),
        cmocka_unit_test(what_was_used_is_kept_by_name),
        cmocka_unit_test(one_file),
        cmocka_unit_test(one_link),
        cmocka_unit_test(the_folder_goes_away),
        cmocka_unit_test(a_link_is_pointed_elsewhere),
        cmocka_unit_test(what_is_moved_is_not_missed),
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(waiting_ends),
        cmocka_unit_test(a_wake_loses_no_change),
        cmocka_unit_test(what_nobody_tells_of_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
