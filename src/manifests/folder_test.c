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
    comes_to(&w, "");
    put(&w, "a.yaml", SECRET("a3"));
    comes_to(&w, "a.yaml!:a3");
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
        cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(waiting_ends),
        cmocka_unit_test(a_wake_loses_no_change),
        cmocka_unit_test(what_nobody_tells_of_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
