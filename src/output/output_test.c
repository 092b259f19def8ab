#include "output/output.h"

#include "base/testing.h"
#include "output/output_list.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
    struct arena *arena;
    const char *folder;
    struct diags diags;
    struct output o;
};

static int set_up(void **state)
{
    struct arena *a = arena_new(NULL, 0);
    struct world *w = arena_make(a, struct world);
    const char *base = getenv("TMPDIR");
    struct str path = arena_printf(a, "%s/terrane-output-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp((char *)path.p));
    *w = (struct world){.arena = a, .folder = path.p};
    diags_init(&w->diags, a);
    *state = w;
    return 0;
}

static const char *in(struct world *w, const char *path)
{
    return arena_printf(w->arena, "%s/%s", w->folder, path).p;
}

static void remove_tree(struct arena *a, const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_tree(a, arena_printf(a, "%s/%s", path, e->d_name).p);
    if (dir)
        (void)closedir(dir);
    (void)remove(path);
}

static int tear_down(void **state)
{
    struct world *w = *state;
    remove_tree(w->arena, w->folder);
    arena_free(w->arena);
    return 0;
}

/* A run that adds PATH CONTENT pairs, up to a NULL. */
static void start(struct world *w, const char *scope, const char *const *pairs)
{
    output_init(&w->o, w->arena, w->folder);
    w->o.scope = str_of(scope);
    for (size_t i = 0; pairs[i]; i += 2)
        assert_true(output_add(&w->o, str_of(pairs[i]), str_of(pairs[i + 1]), &w->diags));
}

#define RUN(w, scope, ...)                                                                                                       \
    do {                                                                                                                         \
        start((w), (scope), (const char *const[]){__VA_ARGS__, NULL});                                                           \
        assert_true(output_commit(&(w)->o, &(w)->diags));                                                                        \
        output_discard(&(w)->o);                                                                                                 \
    } while (0)

static const char *content_of(struct world *w, const char *path)
{
    struct diags diags;
    struct str text = STR_EMPTY;
    diags_init(&diags, w->arena);
    return file_read(w->arena, in(w, path), TESTING_MAX, &diags, &text) ? arena_str(w->arena, text).p : NULL;
}

static void write_file(struct world *w, const char *path, const char *content)
{
    assert_true(file_write(in(w, path), str_of(content), 0600, &w->diags));
}

static int is_hidden_folder(const struct dirent *e)
{
    struct str name = str_of(e->d_name);
    return str_starts(name, STR(".terrane-")) && !str_eqz(name, OUTPUT_LIST);
}

static void nothing_staged(struct world *w)
{
    struct dirent **entries;
    assert_int_equal(scandir(w->folder, &entries, is_hidden_folder, NULL), 0);
    free(entries);
}

static void all_or_nothing(void **state)
{
    struct world *w = *state;
    start(w, "", (const char *const[]){"sub/one", "1", "two", "2", NULL});
    assert_null(content_of(w, "two"));
    output_discard(&w->o);
    assert_int_equal(rmdir(w->folder), 0); /* nothing is left in it */

    RUN(w, "", "sub/one", "1", "two", "2"); /* creates the folder again */
    assert_string_equal(content_of(w, "sub/one"), "1");
    assert_string_equal(content_of(w, "two"), "2");

    start(w, "", (const char *const[]){"sub/one", "1", "two", "another", NULL});
    assert_int_equal(w->o.n_unchanged, 1);
    assert_int_equal(w->o.n_written, 1);
    assert_string_equal(content_of(w, "two"), "2");
    assert_true(output_commit(&w->o, &w->diags));
    assert_string_equal(content_of(w, "two"), "another");
    nothing_staged(w);
}

static void folders_around_it(void **state)
{
    struct world *w = *state;
    const char *outer = w->folder;
    w->folder = in(w, "a/b/");
    start(w, "", (const char *const[]){"x", "1", NULL});
    output_discard(&w->o);
    w->folder = outer;
    assert_false(file_exists(in(w, "a")));
    /* Without files no folder is created. */
    output_init(&w->o, w->arena, in(w, "a"));
    output_discard(&w->o);
    assert_false(file_exists(in(w, "a")));
}

/* When thousands of files cannot be written, there is only one error. */
static void told_once(void **state)
{
    struct world *w = *state;
    write_file(w, "file", "");
    output_init(&w->o, w->arena, in(w, "file"));
    assert_false(output_add(&w->o, STR("a"), STR("1"), &w->diags));
    assert_false(output_add(&w->o, STR("b"), STR("1"), &w->diags));
    output_discard(&w->o);
    assert_int_equal(w->diags.n, 1);
    testing_says(&w->diags, "Not a directory");
}

/* When one file cannot be put in place, all others are restored. */
static void undone(void **state)
{
    struct world *w = *state;
    RUN(w, "", "a", "old", "stale", "s");
    const char *list = content_of(w, OUTPUT_LIST);
    assert_int_equal(mkdir(in(w, "z"), 0700), 0);
    start(w, "", (const char *const[]){"a", "new", "b/c", "new", "z", "a folder is there", NULL});
    assert_false(output_commit(&w->o, &w->diags));
    output_discard(&w->o);
    testing_says(&w->diags, "a folder of that name exists");
    assert_string_equal(content_of(w, "a"), "old");
    assert_string_equal(content_of(w, "stale"), "s");
    assert_string_equal(content_of(w, OUTPUT_LIST), list);
    assert_false(file_exists(in(w, "b")));
    nothing_staged(w);
}

static void stale_files(void **state)
{
    struct world *w = *state;
    write_file(w, "foreign", "f");
    RUN(w, "all", "sub/deep/gone", "1", "sub/changed", "2", "sub/stays", "3", "absent", "4");
    write_file(w, "sub/changed", "by hand");
    write_file(w, "sub/foreign", "f");
    assert_int_equal(unlink(in(w, "absent")), 0);

    RUN(w, "all", "sub/stays", "3");
    assert_int_equal(w->o.n_removed, 1);
    assert_int_equal(w->o.n_unchanged, 1);
    assert_false(file_exists(in(w, "sub/deep"))); /* with its folder */
    assert_string_equal(content_of(w, "sub/changed"), "by hand");
    testing_says(&w->diags, "sub/changed is no longer generated");
    assert_string_equal(content_of(w, "foreign"), "f");
    assert_string_equal(content_of(w, "sub/foreign"), "f");
    nothing_staged(w);

    struct stat before, after;
    assert_int_equal(stat(in(w, OUTPUT_LIST), &before), 0);
    RUN(w, "all", "sub/stays", "3"); /* reported once; and an equal list is not rewritten */
    assert_int_equal(w->diags.n, 1);
    assert_int_equal(stat(in(w, OUTPUT_LIST), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

/* Runs of different scopes do not remove each other's files; the last run that wrote a file owns it. */
static void scopes(void **state)
{
    struct world *w = *state;
    RUN(w, "all", "a", "1", "b", "2");
    RUN(w, "only a", "a", "1", "c", "3");
    assert_non_null(content_of(w, "b"));
    RUN(w, "only a", "a", "1");
    assert_null(content_of(w, "c"));
    RUN(w, "all", "d", "4");
    assert_null(content_of(w, "b"));
    assert_non_null(content_of(w, "a"));
    RUN(w, "all", "a", "1");
    RUN(w, "all", "e", "5");
    assert_null(content_of(w, "a"));
    RUN(w, "on\ntwo\tlines", "f", "6");
    RUN(w, "on\ntwo\tlines", "g", "7");
    assert_null(content_of(w, "f"));
    assert_non_null(content_of(w, "e"));
    assert_int_equal(w->diags.n, 0);
}

/* Whatever the list contains, nothing outside the folder is removed. */
static void bad_lists(void **state)
{
    struct world *w = *state;
    const char *outer = w->folder;
    write_file(w, "outside", "o");
    assert_int_equal(mkdir(in(w, "in"), 0700), 0);
    assert_int_equal(symlink("../outside", in(w, "in/link")), 0);
    uint64_t hash = output_hash(STR("o"));
    unsigned long long o = hash;
    w->folder = in(w, "in");
    RUN(w, "other", "b", "1");
    write_file(w, OUTPUT_LIST,
               arena_printf(w->arena, "%sscope\t\n%016llx\t../outside\n%016llx\t%s\nffff\tlink\nno tabs\n\t\n%016llx\tlink",
                            content_of(w, OUTPUT_LIST), o, o, in(w, "../outside"), o)
                   .p);
    RUN(w, "", "a", "1");
    w->folder = outer;
    assert_string_equal(content_of(w, "outside"), "o");
    assert_string_equal(content_of(w, "in/link"), "o");
    assert_int_equal(w->o.n_removed, 0);
}

/* A run with these files fails with these words, and nothing in the folder changes. */
static void refuses(struct world *w, const char *const *pairs, const char *words)
{
    const char *list = content_of(w, OUTPUT_LIST);
    start(w, "", pairs);
    assert_false(output_commit(&w->o, &w->diags));
    output_discard(&w->o);
    testing_says(&w->diags, words);
    diags_init(&w->diags, w->arena);
    nothing_staged(w);
    assert_true(list ? strcmp(content_of(w, OUTPUT_LIST), list) == 0 : !content_of(w, OUTPUT_LIST));
}

static void forced(struct world *w, const char *const *pairs)
{
    start(w, "", pairs);
    w->o.force = true;
    assert_true(output_commit(&w->o, &w->diags));
}

static void files_of_others(void **state)
{
    struct world *w = *state;
    write_file(w, "mine", "m");
    write_file(w, "same", "1");
    refuses(w, (const char *const[]){"a", "1", "mine", "1", NULL}, "mine was not written by terrane");
    assert_null(content_of(w, "a"));
    assert_string_equal(content_of(w, "mine"), "m");
    RUN(w, "", "a", "1", "same", "1"); /* a file that has the content already is not a conflict */
    forced(w, (const char *const[]){"a", "1", "same", "2", "mine", "2", NULL});
    assert_string_equal(content_of(w, "mine"), "2");
    write_file(w, "mine", "by hand"); /* the file belongs to Terrane now */
    RUN(w, "", "a", "1", "mine", "3");
    assert_string_equal(content_of(w, "mine"), "3");
}

static bool add_state(struct world *w, const char *content)
{
    output_init(&w->o, w->arena, w->folder);
    return output_add_careful(&w->o, STR("state"), str_of(content), OUTPUT_STATE, &w->diags);
}

static void a_state(void **state)
{
    struct world *w = *state;
    struct stat st;
    assert_true(add_state(w, "1") && output_commit(&w->o, &w->diags));
    assert_int_equal(stat(in(w, "state"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(add_state(w, "2") && output_commit(&w->o, &w->diags)); /* it was not changed */
    write_file(w, "state", "of terraform");
    assert_true(add_state(w, "3"));
    assert_false(output_commit(&w->o, &w->diags));
    output_discard(&w->o);
    testing_says(&w->diags, "was changed since it was written");
    diags_init(&w->diags, w->arena);
    assert_string_equal(content_of(w, "state"), "of terraform");
    assert_true(add_state(w, "3"));
    w->o.force = true;
    assert_true(output_commit(&w->o, &w->diags));
    assert_string_equal(content_of(w, "state"), "3");
}

static void many_files_of_others(void **state)
{
    struct world *w = *state;
    const char *pairs[2 * 15 + 1] = {0};
    for (size_t i = 0; i < 15; i++) {
        pairs[2 * i] = arena_printf(w->arena, "f%zu", i).p;
        pairs[2 * i + 1] = "new";
        write_file(w, pairs[2 * i], "mine");
    }
    refuses(w, pairs, "5 more files");
}

static void a_list_of_others(void **state)
{
    struct world *w = *state;
    write_file(w, OUTPUT_LIST, "my notes\n");
    refuses(w, (const char *const[]){"a", "1", NULL}, OUTPUT_LIST " was not written by terrane");
    assert_string_equal(content_of(w, OUTPUT_LIST), "my notes\n");
    forced(w, (const char *const[]){"a", "1", NULL});
    RUN(w, "", "a", "2");
}

static bool is_link(struct world *w, const char *path)
{
    struct stat st;
    return lstat(in(w, path), &st) == 0 && S_ISLNK(st.st_mode);
}

static void links(void **state)
{
    struct world *w = *state;
    const char *outer = w->folder;
    write_file(w, "outside", "o");
    assert_int_equal(mkdir(in(w, "other"), 0700), 0);
    w->folder = in(w, "in");
    RUN(w, "", "sub/a", "1", "b", "1");
    assert_int_equal(unlink(in(w, "b")), 0);
    assert_int_equal(symlink("../outside", in(w, "b")), 0);

    refuses(w, (const char *const[]){"sub/a", "1", "b", "2", NULL}, "b is a symbolic link");
    refuses(w, (const char *const[]){"sub/a", "1", "b", "o", NULL}, "b is a symbolic link"); /* the content that it leads to */
    assert_true(is_link(w, "b"));
    forced(w, (const char *const[]){"sub/a", "1", "b", "2", NULL});
    assert_false(is_link(w, "b"));

    /* A folder that is a link is not written through, forced or not; nor are old files removed behind it. */
    assert_int_equal(rename(in(w, "sub"), in(w, "../other/sub")), 0);
    assert_int_equal(symlink("../other/sub", in(w, "sub")), 0);
    refuses(w, (const char *const[]){"sub/a", "2", "b", "2", NULL}, "sub is a symbolic link");
    start(w, "", (const char *const[]){"sub/new", "2", "sub/other", "2", "b", "2", NULL});
    w->o.force = true;
    assert_false(output_commit(&w->o, &w->diags));
    assert_int_equal(w->diags.n, 1); /* reported once, however many files are behind it */
    output_discard(&w->o);
    diags_init(&w->diags, w->arena);
    RUN(w, "", "b", "2");
    assert_string_equal(content_of(w, "../other/sub/a"), "1");
    assert_false(file_exists(in(w, "../other/sub/new")));

    assert_int_equal(rename(in(w, OUTPUT_LIST), in(w, "../list")), 0);
    assert_int_equal(symlink("../list", in(w, OUTPUT_LIST)), 0);
    start(w, "", (const char *const[]){"c", "2", NULL});
    assert_false(output_commit(&w->o, &w->diags));
    output_discard(&w->o);
    testing_says(&w->diags, OUTPUT_LIST " is a symbolic link");
    w->folder = outer;
    assert_string_equal(content_of(w, "outside"), "o");
    /* The folder itself is what the user named. */
    assert_int_equal(symlink("other", in(w, "named")), 0);
    w->folder = in(w, "named");
    RUN(w, "", "x", "1");
    w->folder = outer;
    assert_string_equal(content_of(w, "other/x"), "1");
}

static void bad_paths(void **state)
{
    struct world *w = *state;
    static const char *const paths[] = {"", "/etc/x", "../x", "a/../x", "a/./x", "a//x", "a/", "a\nb", OUTPUT_LIST, "good"};
    output_init(&w->o, w->arena, w->folder);
    assert_true(output_add(&w->o, STR("good"), STR("1"), &w->diags));
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (output_add(&w->o, str_of(paths[i]), STR("1"), &w->diags))
            fail_msg("%s", paths[i]);
    testing_says(&w->diags, "Two files would be written to good");
    output_discard(&w->o);
}

static void other_runs(void **state)
{
    struct world *w = *state;
    assert_int_equal(mkdir(in(w, ".terrane-abcdef"), 0700), 0); /* the staging folder of a killed run */
    write_file(w, ".terrane-abcdef/0", "half");
    assert_int_equal(mkdir(in(w, ".terrane-more"), 0700), 0); /* no staging folder of ours */
    RUN(w, "", "a", "1");
    assert_false(file_exists(in(w, ".terrane-abcdef")));
    assert_true(file_exists(in(w, ".terrane-more")));

    struct output other;
    start(w, "", (const char *const[]){"a", "2", NULL}); /* a run in progress */
    output_init(&other, w->arena, w->folder);
    assert_false(output_add(&other, STR("a"), STR("3"), &w->diags));
    testing_says(&w->diags, "Another run is writing");
    output_discard(&other);
    assert_true(output_commit(&w->o, &w->diags));
    assert_string_equal(content_of(w, "a"), "2");
    RUN(w, "", "a", "3");
}

static void interruption(void **state)
{
    struct world *w = *state;
    struct cancel *cancel = cancel_new();
    start(w, "", (const char *const[]){"a", "1", NULL});
    w->o.cancel = cancel;
    assert_true(output_add(&w->o, STR("b"), STR("1"), &w->diags));
    cancel_fire(cancel);
    assert_false(output_add(&w->o, STR("c"), STR("1"), &w->diags));
    assert_false(output_commit(&w->o, &w->diags));
    output_discard(&w->o);
    assert_null(content_of(w, "a"));
    testing_says(&w->diags, "Interrupted");
    nothing_staged(w);
    cancel_free(cancel);
}

static bool count(void *ctx, struct str path, struct str content, struct diags *diags)
{
    *(size_t *)ctx += path.n + content.n;
    return !str_eqz(content, "bad") || diags_fail(diags, "Bad", "bad");
}

static void watched(void **state)
{
    struct world *w = *state;
    size_t seen = 0;
    output_init(&w->o, w->arena, NULL);
    w->o.watch = count;
    w->o.watch_ctx = &seen;
    assert_true(output_add(&w->o, STR("a/b"), STR("12"), &w->diags));
    assert_int_equal(seen, 5);
    assert_false(output_add(&w->o, STR("c"), STR("bad"), &w->diags));
    assert_true(output_commit(&w->o, &w->diags));
    output_discard(&w->o);
    assert_int_equal(rmdir(w->folder), 0); /* nothing was written */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_or_nothing),
        TEST(folders_around_it),
        TEST(told_once),
        TEST(undone),
        TEST(stale_files),
        TEST(scopes),
        TEST(bad_lists),
        TEST(bad_paths),
        TEST(other_runs),
        TEST(interruption),
        TEST(watched),
        TEST(files_of_others),
        TEST(many_files_of_others),
        TEST(a_state),
        TEST(a_list_of_others),
        TEST(links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
