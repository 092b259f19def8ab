#include "registry/unzip.h"

#include "base/buf.h"
#include "registry/testing_folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct fixture {
    struct arena *arena;
    const char *folder, *zip, *cache;
    struct diags diags;
    struct str result;
};

static void setup(struct fixture *f)
{
    *f = (struct fixture){.arena = arena_new(NULL, 0)};
    f->folder = test_folder(f->arena);
    f->zip = test_path(f->arena, f->folder, "a.zip");
    f->cache = test_path(f->arena, f->folder, "cache");
}

static void teardown(struct fixture *f)
{
    arena_free(f->arena);
}
#define FIXTURE_AUTO __attribute__((cleanup(teardown)))

static bool unpack(struct fixture *f)
{
    diags_init(&f->diags, f->arena);
    return unzip_once(f->arena, f->zip, f->cache, &f->diags, &f->result);
}

static void expect_success(struct fixture *f)
{
    if (!unpack(f))
        fail_msg("%s", test_text(f->arena, &f->diags));
    assert_int_equal(f->diags.n, 0);
}

/* Files and folders below the zip's own folder in the cache, providers/KEY. */
static size_t count_left(struct fixture *f)
{
    size_t n = test_count(test_path(f->arena, f->cache, "providers"));
    return n > 0 ? n - 1 : 0;
}

/* Refused with this text and the zip's name, and nothing is left behind in the cache or beside it. */
static void expect_failure(struct fixture *f, const char *says)
{
    if (unpack(f))
        fail_msg("expected: %s", says);
    const char *text = test_text(f->arena, &f->diags);
    assert_int_equal(f->diags.n_errors, 1);
    if (!strstr(text, says) || !strstr(text, f->zip))
        fail_msg("expected \"%s\" in %s", says, text);
    assert_int_equal(count_left(f), 0);
    assert_false(access(test_path(f->arena, f->cache, "evil"), F_OK) == 0);
    assert_false(access(test_path(f->arena, f->folder, "evil"), F_OK) == 0);
}

static mode_t mode_of(struct fixture *f, const char *name)
{
    struct stat st;
    assert_int_equal(lstat(test_path(f->arena, f->result.p, "%s", name), &st), 0);
    return st.st_mode;
}

static void files_come_with_content_and_mode(void **state)
{
    (void)state;
    static const struct test_entry entries[] = {
        {.name = "terraform-provider-x_v1", .content = {"binary", 6}},
        {.name = "LICENSE", .content = {"text", 4}, .mode = S_IFREG | 0644},
        {.name = "docs/", .mode = S_IFDIR | 0755},
        {.name = "docs/deep/er/a.md", .content = {"", 0}, .mode = S_IFREG | 0600},
        {.name = "terraform-provider-dos", .content = {"x", 1}, .mode = S_IFREG | 0644},
        {.name = "setuid", .content = {"x", 1}, .mode = S_IFREG | 06777},
    };
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_zip(f.zip, entries, COUNT(entries));
    mode_t before = umask(022);
    expect_success(&f);
    (void)umask(before);
    assert_string_equal(test_read(f.arena, test_path(f.arena, f.result.p, "terraform-provider-x_v1")).p, "binary");
    assert_string_equal(test_read(f.arena, test_path(f.arena, f.result.p, "LICENSE")).p, "text");
    assert_string_equal(test_read(f.arena, test_path(f.arena, f.result.p, "docs/deep/er/a.md")).p, "");
    assert_int_equal(mode_of(&f, "terraform-provider-x_v1"), S_IFREG | 0755);
    assert_int_equal(mode_of(&f, "LICENSE"), S_IFREG | 0644);
    assert_int_equal(mode_of(&f, "terraform-provider-dos"), S_IFREG | 0755);
    assert_int_equal(mode_of(&f, "setuid"), S_IFREG | 0755);
    assert_true(str_starts(f.result, arena_printf(f.arena, "%s/providers/", f.cache)));
}

static const struct test_entry one_file[] = {{.name = "terraform-provider-x", .content = {"first", 5}}};

static void the_second_time_nothing_is_unpacked(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_zip(f.zip, one_file, 1);
    expect_success(&f);
    struct str first = f.result;
    const char *marker = test_path(f.arena, first.p, "marker");
    test_write(marker, STR("x"), 0644);
    expect_success(&f);
    assert_true(str_eq(first, f.result));
    assert_int_equal(access(marker, F_OK), 0);
}

static void a_changed_zip_replaces_what_was_there(void **state)
{
    (void)state;
    static const struct test_entry other[] = {{.name = "terraform-provider-x", .content = {"other", 5}}};
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_zip(f.zip, one_file, 1);
    expect_success(&f);
    struct str first = f.result;
    /* Same size and second: the inode or the nanoseconds differ. */
    test_zip(f.zip, other, 1);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000000000, .tv_nsec = 5}};
    assert_int_equal(utimensat(AT_FDCWD, f.zip, times, 0), 0);
    expect_success(&f);
    assert_false(str_eq(first, f.result));
    assert_string_equal(test_read(f.arena, test_path(f.arena, f.result.p, "terraform-provider-x")).p, "other");
    assert_int_not_equal(access(first.p, F_OK), 0);
}

static void leftovers_of_the_dead_are_removed_and_those_of_the_living_kept(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_zip(f.zip, one_file, 1);
    expect_success(&f);
    const char *parent = arena_str(f.arena, str_slice(f.result, 0, (size_t)(strrchr(f.result.p, '/') - f.result.p))).p;
    const char *dead = test_path(f.arena, parent, "tmp.dead"), *living = test_path(f.arena, parent, "tmp.living");
    test_write(test_path(f.arena, dead, "sub/file"), STR("x"), 0644);
    test_write(test_path(f.arena, living, "file"), STR("x"), 0644);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - UNZIP_STALE_S - 60}};
    assert_int_equal(utimensat(AT_FDCWD, dead, times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, f.zip, times, 0), 0); /* so that it is unpacked again */
    expect_success(&f);
    assert_int_not_equal(access(dead, F_OK), 0);
    assert_int_equal(access(living, F_OK), 0);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } cases[] = {
        {"../evil", "it leads out of its folder"},
        {"a/../../evil", "it leads out of its folder"},
        {"a/..", "it leads out of its folder"},
        {"..\\evil", "it leads out of its folder"},
        {"/evil", "an absolute path"},
        {"\\evil", "an absolute path"},
        {"c:\\evil", "an absolute path"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture f FIXTURE_AUTO;
        setup(&f);
        const struct test_entry entries[] = {one_file[0], {.name = cases[i].name, .content = {"x", 1}}};
        test_zip(f.zip, entries, COUNT(entries));
        expect_failure(&f, cases[i].says);
    }
}

static void links_and_other_kinds_are_refused(void **state)
{
    (void)state;
    static const struct test_entry bad[] = {
        {.name = "link", .mode = S_IFLNK | 0777, .symlink = "/etc/passwd"},
        {.name = "link", .mode = S_IFLNK | 0777, .symlink = ".."},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct fixture f FIXTURE_AUTO;
        setup(&f);
        const struct test_entry entries[] = {one_file[0], bad[i], {.name = "link/evil", .content = {"x", 1}}};
        test_zip(f.zip, entries, COUNT(entries));
        expect_failure(&f, "refused \"link\"");
    }
}

static void a_name_twice_is_refused(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    const struct test_entry entries[] = {one_file[0], one_file[0]};
    test_zip(f.zip, entries, COUNT(entries));
    expect_failure(&f, "it is in the archive twice");
    const struct test_entry below[] = {one_file[0], {.name = "terraform-provider-x/evil", .content = {"x", 1}}};
    test_zip(f.zip, below, COUNT(below));
    expect_failure(&f, "terraform-provider-x/evil");
}

static void what_is_no_zip_is_refused(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_write(f.zip, STR(""), 0644);
    expect_failure(&f, "not a valid zip archive");
    test_write(f.zip, STR("<html>not found</html>"), 0644);
    expect_failure(&f, "not a valid zip archive");
    test_zip(f.zip, NULL, 0);
    expect_failure(&f, "");
    assert_int_equal(unlink(f.zip), 0);
    expect_failure(&f, "No such file or directory");
    assert_int_equal(mkdir(f.zip, 0755), 0);
    expect_failure(&f, "");
}

static void a_zip_that_is_cut_off_is_refused_at_every_length(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_zip(f.zip, one_file, 1);
    struct str whole = test_read(f.arena, f.zip);
    for (size_t n = 0; n < whole.n; n += 7) {
        test_write(f.zip, str_slice(whole, 0, n), 0644);
        expect_failure(&f, "not a valid zip archive");
    }
}

static void changed_bytes_are_noticed(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    char content[4096];
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (char)(i * 7 + i / 13);
    const struct test_entry entry = {.name = "terraform-provider-x", .content = {content, sizeof content}};
    test_zip(f.zip, &entry, 1);
    struct str whole = test_read(f.arena, f.zip);
    char *bytes = arena_alloc(f.arena, whole.n, 1);
    memcpy(bytes, whole.p, whole.n);
    bytes[200] ^= 0x10; /* in the compressed data */
    test_write(f.zip, (struct str){bytes, whole.n}, 0644);
    expect_failure(&f, "not a valid zip archive");
}

static void add_number(struct buf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_addc(out, (char)(value >> (8 * i) & 0xff));
}

/* What local and central headers have in common: one stored byte "x", named "a". */
static void add_header(struct buf *out)
{
    add_number(out, 45, 2);         /* version needed: 64-bit sizes */
    add_number(out, 0, 8);          /* flags, method, time, date */
    add_number(out, 0x8cdc1683, 4); /* checksum of "x" */
    add_number(out, 0xffffffff, 4); /* both sizes are in the extra field */
    add_number(out, 0xffffffff, 4);
    add_number(out, 1, 2); /* length of the name */
    add_number(out, 20, 2);
}

static void add_extra(struct buf *out, uint64_t size)
{
    add_number(out, 1, 2);
    add_number(out, 16, 2);
    add_number(out, size, 8);
    add_number(out, 1, 8);
}

static void write_zip_that_claims(const char *path, uint64_t size)
{
    struct buf out BUF_AUTO = BUF_INIT(4096);
    buf_addz(&out, "PK\3\4");
    add_header(&out);
    buf_addz(&out, "a");
    add_extra(&out, size);
    buf_addz(&out, "x");
    size_t directory = out.n;
    buf_addz(&out, "PK\1\2");
    add_number(&out, 3 << 8 | 45, 2); /* made by Unix */
    add_header(&out);
    add_number(&out, 0, 6); /* comment, disk, attributes */
    add_number(&out, (uint64_t)(S_IFREG | 0755) << 16, 4);
    add_number(&out, 0, 4); /* where the local header is */
    buf_addz(&out, "a");
    add_extra(&out, size);
    size_t length = out.n - directory;
    buf_addz(&out, "PK\5\6");
    add_number(&out, 0, 4);
    add_number(&out, 1, 2);
    add_number(&out, 1, 2);
    add_number(&out, length, 4);
    add_number(&out, directory, 4);
    add_number(&out, 0, 2);
    test_write(path, buf_str(&out), 0644);
}

static void sizes_past_the_limit_are_refused_before_they_are_written(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    write_zip_that_claims(f.zip, 1);
    expect_success(&f);
    assert_string_equal(test_read(f.arena, test_path(f.arena, f.result.p, "a")).p, "x");
    teardown(&f);
    setup(&f);
    write_zip_that_claims(f.zip, (uint64_t)UNZIP_MAX_BYTES + 1);
    expect_failure(&f, "its files take more than 4294967296 bytes");
    write_zip_that_claims(f.zip, UNZIP_MAX_BYTES);
    expect_failure(&f, "not a valid zip archive"); /* it is one byte only */
}

static void too_many_files_are_refused(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    struct test_entry *entries = arena_make_n(f.arena, struct test_entry, UNZIP_MAX_ENTRIES + 1);
    for (size_t i = 0; i <= UNZIP_MAX_ENTRIES; i++)
        entries[i] = (struct test_entry){.name = arena_printf(f.arena, "d%zu/", i).p, .mode = S_IFDIR | 0755};
    test_zip(f.zip, entries, UNZIP_MAX_ENTRIES + 1);
    expect_failure(&f, "more than 4096 files");
}

static void a_cache_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    test_zip(f.zip, one_file, 1);
    test_as_nobody();
    bool ok = unpack(&f);
    test_as_self();
    if (getuid() == 0) {
        assert_false(ok);
        assert_non_null(strstr(test_text(f.arena, &f.diags), "Permission denied"));
    }
    test_write(test_path(f.arena, f.cache, "providers"), STR("a file"), 0644);
    assert_false(unpack(&f));
}

/* In a process of its own: 0 when it found the folder. */
static pid_t start_racer(struct fixture *f)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(unpack(f) ? 0 : 1);
    assert_true(pid > 0);
    return pid;
}

static void many_at_once_get_the_same_folder(void **state)
{
    (void)state;
    pid_t racers[8];
    for (int round = 0; round < 5; round++) {
        struct fixture f FIXTURE_AUTO;
        setup(&f);
        test_zip(f.zip, one_file, 1);
        for (size_t i = 0; i < COUNT(racers); i++)
            racers[i] = start_racer(&f);
        for (size_t i = 0; i < COUNT(racers); i++) {
            int status;
            assert_int_equal(waitpid(racers[i], &status, 0), racers[i]);
            assert_int_equal(status, 0);
        }
        expect_success(&f);
        assert_int_equal(count_left(&f), 2); /* the folder and its file */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_with_content_and_mode),
        cmocka_unit_test(the_second_time_nothing_is_unpacked),
        cmocka_unit_test(a_changed_zip_replaces_what_was_there),
        cmocka_unit_test(leftovers_of_the_dead_are_removed_and_those_of_the_living_kept),
        cmocka_unit_test(names_that_lead_elsewhere_are_refused),
        cmocka_unit_test(links_and_other_kinds_are_refused),
        cmocka_unit_test(a_name_twice_is_refused),
        cmocka_unit_test(what_is_no_zip_is_refused),
        cmocka_unit_test(a_zip_that_is_cut_off_is_refused_at_every_length),
        cmocka_unit_test(changed_bytes_are_noticed),
        cmocka_unit_test(sizes_past_the_limit_are_refused_before_they_are_written),
        cmocka_unit_test(too_many_files_are_refused),
        cmocka_unit_test(a_cache_that_cannot_be_written_is_told),
        cmocka_unit_test(many_at_once_get_the_same_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
