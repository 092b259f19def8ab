#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* Each test has an arena, a list of diagnostics and an empty folder. */
struct fixture {
    struct arena *arena;
    struct diags diags;
    char folder[64];
};

static int set_up(void **state)
{
    struct fixture *f = malloc(sizeof *f);
    if (!f)
        return -1;
    f->arena = arena_new(NULL, 0);
    diags_init(&f->diags, f->arena);
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/terrane-file-test-XXXXXX");
    *state = f;
    return mkdtemp(f->folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static int tear_down(void **state)
{
    enum { OPEN_FOLDERS = 16 };
    struct fixture *f = *state;
    int status = nftw(f->folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    arena_free(f->arena);
    free(f);
    return status;
}

static const char *in_folder(struct fixture *f, const char *name)
{
    return arena_printf(f->arena, "%s/%s", f->folder, name).p;
}

static size_t count_entries(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        n += e->d_name[0] != '.';
    (void)closedir(dir);
    return n;
}

static bool last_says(const struct fixture *f, const char *summary, const char *part)
{
    const struct diag *d = &f->diags.v[f->diags.n - 1];
    return f->diags.n > 0 && str_eqz(d->summary, summary) && strstr(d->detail.p, part);
}

static void what_is_written_is_read_back(void **state)
{
    struct fixture *f = *state;
    const char *path = in_folder(f, "a");
    struct str content;
    assert_true(file_write(path, STR("one\0two\n"), 0600, &f->diags));
    assert_true(file_read(f->arena, path, 100, &f->diags, &content));
    assert_true(str_eq(content, STR("one\0two\n")));
    assert_true(file_write(path, STR_EMPTY, 0600, &f->diags));
    assert_true(file_read(f->arena, path, 0, &f->diags, &content));
    assert_int_equal(content.n, 0);
    assert_int_equal(count_entries(f->folder), 1); /* no temporary file */
}

static void the_mode_is_as_asked_also_over_an_old_file(void **state)
{
    struct fixture *f = *state;
    const char *path = in_folder(f, "secret");
    struct stat st;
    assert_true(file_write(path, STR("x"), 0644, &f->diags));
    assert_true(file_write(path, STR("y"), 0600, &f->diags));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void the_limit_is_exact(void **state)
{
    struct fixture *f = *state;
    const char *path = in_folder(f, "a");
    struct str content = STR("untouched");
    assert_true(file_write(path, STR("12345"), 0600, &f->diags));
    assert_true(file_read(f->arena, path, 5, &f->diags, &content));
    assert_int_equal(content.n, 5);
    content = STR("untouched");
    assert_false(file_read(f->arena, path, 4, &f->diags, &content));
    assert_true(last_says(f, "Cannot read file", "larger than the limit of 4 bytes"));
    assert_true(str_eqz(content, "untouched"));
}

static void absent_files_and_folders_are_refused(void **state)
{
    struct fixture *f = *state;
    struct str content;
    assert_false(file_read(f->arena, in_folder(f, "absent"), 10, &f->diags, &content));
    assert_true(last_says(f, "Cannot read file", "absent: No such file or directory"));
    assert_false(file_read(f->arena, f->folder, 10, &f->diags, &content));
    assert_true(last_says(f, "Cannot read file", "expected a file, found a folder"));
    assert_false(file_exists(in_folder(f, "absent")));
    assert_true(file_exists(f->folder));
}

enum { PIPED = 200000 };

static void *write_pipe(void *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    char piece[1000];
    memset(piece, 'p', sizeof piece);
    for (size_t n = 0; n < PIPED; n += sizeof piece)
        if (write(fd, piece, sizeof piece) < 0)
            break;
    (void)close(fd);
    return NULL;
}

static void a_pipe_is_read_to_its_end(void **state)
{
    struct fixture *f = *state;
    const char *path = in_folder(f, "pipe");
    struct str content;
    pthread_t writer;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_pipe, (void *)path), 0);
    assert_true(file_read(f->arena, path, PIPED, &f->diags, &content));
    (void)pthread_join(writer, NULL);
    assert_int_equal(content.n, PIPED);
}

static void waiting_for_a_pipe_ends_when_it_shall(void **state)
{
    struct fixture *f = *state;
    const char *path = in_folder(f, "pipe");
    struct str content;
    int end = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(mkfifo(path, 0600), 0);
    file_waiting_ends_with(end);
    assert_int_equal(eventfd_write(end, 1), 0);
    assert_false(file_read(f->arena, path, PIPED, &f->diags, &content)); /* a pipe without a writer */
    assert_true(last_says(f, "Cannot read file", "pipe: Operation canceled"));
    int writer = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(write(writer, "x", 1), 1);
    assert_false(file_read(f->arena, path, PIPED, &f->diags, &content)); /* the writer stops */
    assert_true(file_read(f->arena, "/proc/self/exe", SIZE_MAX, &f->diags, &content));
    file_waiting_ends_with(-1);
    (void)close(writer);
    (void)close(end);
}

static void an_endless_device_stops_at_the_limit(void **state)
{
    struct fixture *f = *state;
    struct str content;
    assert_false(file_read(f->arena, "/dev/zero", 300000, &f->diags, &content));
    assert_true(last_says(f, "Cannot read file", "/dev/zero: larger than the limit of 300000 bytes"));
}

/* Files in /proc report a size of 0. */
static void a_file_that_hides_its_size_is_read(void **state)
{
    struct fixture *f = *state;
    struct str content;
    assert_true(file_read(f->arena, "/proc/self/stat", 1 << 20, &f->diags, &content));
    assert_true(content.n > 0);
}

static void a_failed_write_leaves_everything_as_it_was(void **state)
{
    struct fixture *f = *state;
    /* The target is a folder that is not empty: the rename fails after everything was written. */
    const char *target = in_folder(f, "target");
    assert_true(file_make_folder(in_folder(f, "target/inner"), 0700, &f->diags));
    assert_false(file_write(target, STR("x"), 0600, &f->diags));
    assert_true(last_says(f, "Cannot write file", "target: "));
    assert_int_equal(count_entries(f->folder), 1);
    assert_false(file_write(in_folder(f, "absent/file"), STR("x"), 0600, &f->diags));
    assert_true(last_says(f, "Cannot write file", "absent/file: No such file or directory"));
}

static void a_full_disk_leaves_the_old_content(void **state)
{
    struct fixture *f = *state;
    /* A file size limit simulates a full disk: the write fails halfway. */
    const char *path = in_folder(f, "a");
    assert_true(file_write(path, STR("old"), 0600, &f->diags));
    pid_t child = fork();
    if (child == 0) {
        char *large = calloc(1, 1 << 20);
        struct str content = {large, 1 << 20};
        if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}) != 0)
            _exit(2);
        _exit(file_write(path, content, 0600, &f->diags) ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct str content;
    assert_true(file_read(f->arena, path, 100, &f->diags, &content));
    assert_true(str_eqz(content, "old"));
    assert_int_equal(count_entries(f->folder), 1);
}

static void files_that_belong_together_stay_together(void **state)
{
    struct fixture *f = *state;
    const char *a = in_folder(f, "a"), *b = in_folder(f, "b"), *folder = in_folder(f, "folder");
    const struct file_content good[] = {{a, STR("1")}, {b, STR("1")}};
    const struct file_content bad[][2] = {{{a, STR("2")}, {folder, STR("2")}},
                                          {{folder, STR("2")}, {a, STR("2")}},
                                          {{a, STR("2")}, {in_folder(f, "absent/b"), STR("2")}}};
    assert_true(file_make_folder(folder, 0700, &f->diags));
    assert_true(file_write_all(good, 2, 0600, &f->diags));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct str text;
        assert_false(file_write_all(bad[i], 2, 0600, &f->diags));
        assert_true(file_read(f->arena, a, 100, &f->diags, &text));
        assert_true(str_eqz(text, "1"));
        assert_int_equal(count_entries(f->folder), 3);
    }
}

static void a_link_is_replaced_not_followed(void **state)
{
    struct fixture *f = *state;
    const char *target = in_folder(f, "target"), *link = in_folder(f, "link");
    struct str content;
    assert_true(file_write(target, STR("old"), 0600, &f->diags));
    assert_int_equal(symlink(target, link), 0);
    assert_true(file_write(link, STR("new"), 0600, &f->diags));
    assert_true(file_read(f->arena, target, 100, &f->diags, &content));
    assert_true(str_eqz(content, "old"));
    assert_true(file_read(f->arena, link, 100, &f->diags, &content));
    assert_true(str_eqz(content, "new"));
}

static void what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(void **state)
{
    struct fixture *f = *state;
    const char *path = in_folder(f, "x"), *living = in_folder(f, "x.00000000000000aa.tmp");
    static const char *const names[] = {"x.0123456789abcdef.tmp", "x.00000000000000aa.tmp", "x.0123456789ABCDEF.tmp", "x.tmp",
                                        "y.0123456789abcdef.tmp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(file_write(in_folder(f, names[i]), STR("half"), 0600, &f->diags));
    assert_int_equal(symlink(living, in_folder(f, "x.00000000000000bb.tmp")), 0);
    int fd = open(living, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_true(file_write(path, STR("new"), 0600, &f->diags));
    assert_false(file_exists(in_folder(f, names[0])));
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
        assert_true(file_exists(in_folder(f, names[i])));
    assert_true(file_exists(in_folder(f, "x.00000000000000bb.tmp")));
    (void)close(fd);
    assert_true(file_write(path, STR("newer"), 0600, &f->diags));
    assert_false(file_exists(living));
}

static void a_new_file_never_takes_the_place_of_another(void **state)
{
    struct fixture *f = *state;
    struct str text;
    struct stat st;
    const char *first = file_save_new(f->arena, f->folder, "errored", ".tfstate", STR("1"));
    const char *second = file_save_new(f->arena, f->folder, "errored", ".tfstate", STR("2"));
    assert_string_equal(first, in_folder(f, "errored.tfstate"));
    assert_string_equal(second, in_folder(f, "errored-1.tfstate"));
    assert_true(file_read(f->arena, first, 10, &f->diags, &text) && str_eqz(text, "1"));
    assert_int_equal(stat(second, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_null(file_save_new(f->arena, in_folder(f, "nowhere"), "errored", ".tfstate", STR("3")));
}

static void closed_standard_descriptors_are_filled_and_fail(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        char byte;
        for (int fd = 0; fd < 3; fd++)
            (void)close(fd);
        bool ok = file_hold_standard_descriptors() && open("/dev/null", O_RDONLY | O_CLOEXEC) > 2;
        ok = ok && read(0, &byte, 1) < 0 && !file_put(1, STR("x")) && !file_put(2, STR("x"));
        _exit(ok ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void folders_are_made_with_their_parents(void **state)
{
    struct fixture *f = *state;
    struct stat st;
    const char *path = in_folder(f, "a//b/c/");
    assert_true(file_make_folder(path, 0700, &f->diags));
    assert_true(file_make_folder(path, 0700, &f->diags)); /* an existing folder is not an error */
    assert_int_equal(stat(in_folder(f, "a/b"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_true(file_make_folder("/", 0700, &f->diags));
    assert_true(file_write(in_folder(f, "file"), STR(""), 0600, &f->diags));
    assert_false(file_make_folder(in_folder(f, "file/x"), 0700, &f->diags));
    assert_true(last_says(f, "Cannot create folder", "/file: Not a directory"));
    assert_false(file_make_folder(in_folder(f, "file"), 0700, &f->diags));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_mode_is_as_asked_also_over_an_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_limit_is_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(absent_files_and_folders_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_is_read_to_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_for_a_pipe_ends_when_it_shall, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_endless_device_stops_at_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_hides_its_size_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_write_leaves_everything_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_content, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_belong_together_stay_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_is_replaced_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_new_file_never_takes_the_place_of_another, set_up, tear_down),
        cmocka_unit_test(closed_standard_descriptors_are_filled_and_fail),
        cmocka_unit_test_setup_teardown(folders_are_made_with_their_parents, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
