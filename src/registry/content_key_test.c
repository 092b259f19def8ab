#include "registry/content_key.h"

#include "registry/testing_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* SHA-256 of "abc" and of nothing (FIPS 180-2). */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
/* A hash that no file here has: it can only come from the cache. */
#define FORGED "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct fixture {
    struct arena *arena;
    const char *folder, *file, *cache;
    struct diags diags;
};

static void setup(struct fixture *f)
{
    *f = (struct fixture){.arena = arena_new(NULL, 0)};
    f->folder = test_folder(f->arena);
    f->file = test_path(f->arena, f->folder, "binary");
    f->cache = test_path(f->arena, f->folder, "cache");
}

static void teardown(struct fixture *f)
{
    arena_free(f->arena);
}
#define FIXTURE_AUTO __attribute__((cleanup(teardown)))

static const char *key(struct fixture *f, const char *file)
{
    diags_init(&f->diags, f->arena);
    struct str hex;
    if (!content_key(f->arena, file, f->cache, &f->diags, &hex))
        fail_msg("%s", test_text(f->arena, &f->diags));
    assert_int_equal(hex.n, CONTENT_KEY_HEX);
    assert_int_equal(f->diags.n, 0);
    return hex.p;
}

static const char *keys_folder(struct fixture *f)
{
    return test_path(f->arena, f->cache, "keys");
}

/* The path of the one memo there is. */
static const char *memo(struct fixture *f)
{
    DIR *dir = opendir(keys_folder(f));
    assert_non_null(dir);
    const char *path = NULL;
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            assert_null(path);
            path = test_path(f->arena, keys_folder(f), "%s", e->d_name);
        }
    (void)closedir(dir);
    assert_non_null(path);
    return path;
}

static void the_key_is_the_hash_of_the_content(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    assert_string_equal(key(&f, f.file), ABC);
    const char *empty = test_path(f.arena, f.folder, "empty");
    test_write(empty, STR(""), 0644);
    assert_string_equal(key(&f, empty), NOTHING);
}

static void large_files_are_hashed_whole(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    /* 3 MiB and 5 zero bytes: more than one read. The hash is that of: head -c 3145733 /dev/zero | sha256sum */
    test_write(f.file, STR(""), 0755);
    assert_int_equal(truncate(f.file, (3 << 20) + 5), 0);
    assert_string_equal(key(&f, f.file), "be58603025b9752289c4917b47da4d9290bbdd9c11d0d1a5213388cd7101432e");
}

static void the_memo_is_private_and_stays(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    assert_string_equal(key(&f, f.file), ABC);
    struct stat first, second;
    assert_int_equal(stat(memo(&f), &first), 0);
    assert_int_equal(first.st_mode, S_IFREG | 0600);
    assert_string_equal(key(&f, f.file), ABC);
    assert_int_equal(stat(memo(&f), &second), 0);
    assert_int_equal(first.st_ino, second.st_ino); /* not written again */
}

/* A forged hash with a valid checksum in the cache file shows that the file is not read again. */
static void a_memo_is_believed_while_the_file_is_the_same(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    assert_string_equal(key(&f, f.file), ABC);
    const char *path = memo(&f);
    struct str text = test_read(f.arena, path);
    struct str head = str_slice(text, 0, str_find(text, '\n', 0));
    struct str lines = arena_printf(f.arena, STR_FMT "\n" FORGED "\n", STR_ARG(head));
    const char *scratch = test_path(f.arena, f.folder, "scratch");
    test_write(scratch, lines, 0644);
    struct str sum = str_of(key(&f, scratch));
    test_write(path, arena_printf(f.arena, STR_FMT STR_FMT "\n", STR_ARG(lines), STR_ARG(sum)), 0600);
    assert_string_equal(key(&f, f.file), FORGED);
    /* Every change of the file ends that. */
    test_write(f.file, STR("abc"), 0755);
    assert_string_equal(key(&f, f.file), ABC);
}

static void touching_or_replacing_the_file_is_noticed(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    assert_string_equal(key(&f, f.file), ABC);
    struct stat before;
    assert_int_equal(stat(f.file, &before), 0);
    struct str first = test_read(f.arena, memo(&f));
    /* Same size and mtime: ctime differs. */
    test_write(f.file, STR("abd"), 0755);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, f.file, times, 0), 0);
    const char *changed = key(&f, f.file);
    assert_string_not_equal(changed, ABC);
    /* The memo of that path was replaced, not added to. */
    assert_string_not_equal(test_read(f.arena, memo(&f)).p, first.p);
    /* Another file under the same name. */
    const char *other = test_path(f.arena, f.folder, "other");
    test_write(other, STR("abc"), 0755);
    assert_int_equal(rename(other, f.file), 0);
    assert_string_equal(key(&f, f.file), ABC);
}

/* Because of the wait, the next change is seen, however soon it comes. */
static void a_change_right_after_hashing_is_seen(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    struct str hex;
    for (int i = 0; i < 5; i++) {
        test_write(f.file, STR("abc"), 0755);
        assert_string_equal(key(&f, f.file), ABC);
        assert_true(content_key_remembered(f.arena, f.file, f.cache, &hex));
        test_write(f.file, STR("abd"), 0755);
        assert_false(content_key_remembered(f.arena, f.file, f.cache, &hex));
    }
}

static void what_was_hashed_is_remembered_until_it_changes(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    struct str hex;
    assert_false(content_key_remembered(f.arena, f.file, f.cache, &hex)); /* no such file */
    test_write(f.file, STR("abc"), 0755);
    assert_false(content_key_remembered(f.arena, f.file, f.cache, &hex));
    assert_string_equal(key(&f, f.file), ABC);
    assert_true(content_key_remembered(f.arena, f.file, f.cache, &hex));
    assert_string_equal(hex.p, ABC);
    test_write(f.file, STR("abc"), 0755);
    assert_false(content_key_remembered(f.arena, f.file, f.cache, &hex));
}

static void damaged_memos_are_ignored_and_replaced(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    assert_string_equal(key(&f, f.file), ABC);
    const char *path = memo(&f);
    struct str good = test_read(f.arena, path);
    for (size_t i = 0; i <= good.n; i++) {
        char *bytes = arena_alloc(f.arena, good.n, 1);
        memcpy(bytes, good.p, good.n);
        if (i < good.n)
            bytes[i] ^= 1;
        struct str bad = i < good.n ? (struct str){bytes, good.n} : str_slice(good, 0, good.n / 2);
        test_write(path, bad, 0600);
        assert_string_equal(key(&f, f.file), ABC);
        assert_true(str_eq(test_read(f.arena, path), good));
    }
    test_write(path, STR(""), 0600);
    assert_string_equal(key(&f, f.file), ABC);
    assert_int_equal(truncate(path, 1 << 20), 0);
    assert_string_equal(key(&f, f.file), ABC);
}

static void names_by_links_share_a_memo(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    const char *link = test_path(f.arena, f.folder, "link");
    assert_int_equal(symlink(f.file, link), 0);
    assert_string_equal(key(&f, f.file), ABC);
    assert_string_equal(key(&f, link), ABC);
    assert_int_equal(test_count(keys_folder(&f)), 1);
}

static void files_that_cannot_be_read_are_errors(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    struct str hex;
    diags_init(&f.diags, f.arena);
    assert_false(content_key(f.arena, f.file, f.cache, &f.diags, &hex));
    assert_false(content_key(f.arena, f.folder, f.cache, &f.diags, &hex));
    assert_int_equal(mkfifo(test_path(f.arena, f.folder, "fifo"), 0644), 0);
    assert_false(content_key(f.arena, test_path(f.arena, f.folder, "fifo"), f.cache, &f.diags, &hex));
    test_write(f.file, STR("abc"), 0);
    test_as_nobody();
    bool ok = content_key(f.arena, f.file, f.cache, &f.diags, &hex);
    test_as_self();
    assert_false(ok);
    const char *text = test_text(f.arena, &f.diags);
    assert_int_equal(f.diags.n_errors, 4);
    assert_non_null(strstr(text, "binary: No such file or directory"));
    assert_non_null(strstr(text, "not a regular file"));
    assert_non_null(strstr(text, "binary: Permission denied"));
}

static void without_a_cache_it_works_all_the_same(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    test_write(f.cache, STR("a file"), 0644);
    assert_string_equal(key(&f, f.file), ABC);
}

struct worker {
    pthread_t thread;
    const struct fixture *fixture;
    char hex[CONTENT_KEY_HEX + 1];
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct str hex;
    if (content_key(a, w->fixture->file, w->fixture->cache, &diags, &hex))
        memcpy(w->hex, hex.p, CONTENT_KEY_HEX);
    return NULL;
}

static void threads_may_ask_at_once(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.file, STR("abc"), 0755);
    struct worker workers[8] = {0};
    for (size_t i = 0; i < 8; i++) {
        workers[i].fixture = &f;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_string_equal(workers[i].hex, ABC);
    }
    assert_int_equal(test_count(keys_folder(&f)), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_is_the_hash_of_the_content),
        cmocka_unit_test(large_files_are_hashed_whole),
        cmocka_unit_test(the_memo_is_private_and_stays),
        cmocka_unit_test(a_memo_is_believed_while_the_file_is_the_same),
        cmocka_unit_test(touching_or_replacing_the_file_is_noticed),
        cmocka_unit_test(a_change_right_after_hashing_is_seen),
        cmocka_unit_test(what_was_hashed_is_remembered_until_it_changes),
        cmocka_unit_test(damaged_memos_are_ignored_and_replaced),
        cmocka_unit_test(names_by_links_share_a_memo),
        cmocka_unit_test(files_that_cannot_be_read_are_errors),
        cmocka_unit_test(without_a_cache_it_works_all_the_same),
        cmocka_unit_test(threads_may_ask_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
