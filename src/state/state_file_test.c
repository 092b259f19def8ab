#include "state/state_file.h"

#include "base/file.h"
#include "state/state_read.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

#define OLD                                                                                                                      \
    "{\"version\":4,\"terraform_version\":\"1.9.0\",\"serial\":4,\"lineage\":\"l\",\"outputs\":{},\"resources\":[],"             \
    "\"check_results\":null}\n"

struct fixture {
    struct arena *arena;
    struct diags diags;
    char folder[64];
    const char *path;
};

static const struct state_lock_request apply = {.operation = "OperationTypeApply"};

static int set_up(void **state)
{
    struct arena *a = arena_new(NULL, 0);
    struct fixture *f = arena_make(a, struct fixture);
    f->arena = a;
    diags_init(&f->diags, a);
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/terrane-state-test-XXXXXX");
    *state = f;
    if (!mkdtemp(f->folder))
        return -1;
    f->path = arena_printf(a, "%s/x.tfstate", f->folder).p;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    int status = nftw(f->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(f->arena);
    return status;
}

static const char *beside(struct fixture *f, const char *name)
{
    return arena_printf(f->arena, "%s/%s", f->folder, name).p;
}

static struct str content(struct fixture *f, const char *path)
{
    struct str text = STR_EMPTY;
    assert_true(file_read(f->arena, path, 1 << 20, &f->diags, &text));
    return text;
}

static void write_file(struct fixture *f, const char *path, struct str text)
{
    assert_true(file_write(path, text, 0644, &f->diags));
}

static struct state_file *open_it(struct fixture *f)
{
    struct state_file *file;
    if (!state_file_open(f->arena, f->path, &apply, &f->diags, &file))
        fail_msg("%s", f->diags.v[f->diags.n - 1].detail.p);
    return file;
}

static void add(struct state_file *file, const char *name)
{
    struct state_address x = {.mode = STATE_MANAGED, .type = STR("t"), .name = str_of(name)};
    state_put(file->state, &x, STR("provider[\"p\"]"), &(struct state_instance){0});
}

static uint64_t serial_of(struct fixture *f)
{
    struct state *s = state_file_look(f->arena, f->path, &f->diags);
    assert_non_null(s);
    return s->serial;
}

static void a_new_file_starts_with_serial_1(void **state)
{
    struct fixture *f = *state;
    struct stat st;
    struct state_file *file = open_it(f);
    add(file, "a");
    assert_true(state_file_save(file, &f->diags));
    state_file_close(file);
    state_file_close(file);
    struct state *s = state_file_look(f->arena, f->path, &f->diags);
    assert_int_equal(s->serial, 1);
    assert_int_equal(s->n_resources, 1);
    assert_true(str_eqz(s->terraform_version, STATE_TERRAFORM_VERSION));
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_false(file_exists(beside(f, "x.tfstate.backup")));
    assert_false(file_exists(beside(f, ".x.tfstate.lock.info")));
    assert_false(file_exists(beside(f, ".x.tfstate.unfinished")));
}

static void only_a_change_is_written_and_counted(void **state)
{
    struct fixture *f = *state;
    write_file(f, f->path, STR(OLD));
    struct state_file *file = open_it(f);
    assert_true(state_file_save(file, &f->diags));
    assert_true(str_eqz(content(f, f->path), OLD));
    assert_false(file_exists(beside(f, "x.tfstate.backup")));
    add(file, "a");
    assert_true(state_file_save(file, &f->diags));
    assert_true(state_file_save(file, &f->diags));
    assert_int_equal(serial_of(f), 5);
    add(file, "b");
    assert_true(state_file_save(file, &f->diags));
    assert_int_equal(serial_of(f), 6);
    /* Shorter than before: nothing of the longer text stays. */
    assert_true(state_remove(file->state, &(struct state_address){.type = STR("t"), .name = STR("a")}));
    assert_true(state_remove(file->state, &(struct state_address){.type = STR("t"), .name = STR("b")}));
    assert_true(state_file_save(file, &f->diags));
    assert_int_equal(serial_of(f), 7);
    /* The backup is what was there at first. */
    assert_true(str_eqz(content(f, beside(f, "x.tfstate.backup")), OLD));
    struct stat st;
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    state_file_close(file);
}

static void a_lock_excludes_and_tells_who_holds_it(void **state)
{
    struct fixture *f = *state;
    struct state_file *file = open_it(f), *second;
    struct str info = content(f, beside(f, ".x.tfstate.lock.info"));
    assert_true(str_starts(info, STR("{\"ID\":\"")));
    assert_non_null(strstr(info.p, "\"Operation\":\"OperationTypeApply\",\"Info\":\"\",\"Who\":\""));
    assert_false(state_file_open(f->arena, f->path, &apply, &f->diags, &second));
    const struct diag *d = &f->diags.v[f->diags.n - 1];
    assert_true(str_eqz(d->summary, "Error acquiring the state lock"));
    assert_non_null(strstr(d->detail.p, "resource temporarily unavailable"));
    assert_non_null(strstr(d->detail.p, "  Operation: OperationTypeApply\n"));
    assert_non_null(strstr(d->detail.p, " +0000 UTC\n"));
    /* Still held, also after a look that opens and closes the file. */
    (void)state_file_look(f->arena, f->path, &f->diags);
    assert_false(state_file_open(f->arena, f->path, &apply, &f->diags, &second));
    assert_true(file_exists(beside(f, ".x.tfstate.lock.info")));
    state_file_close(file);
    assert_false(file_exists(beside(f, ".x.tfstate.lock.info")));
    assert_false(file_exists(f->path)); /* made for the lock, never written */
    state_file_close(open_it(f));
}

static void a_plain_posix_lock_of_another_process_is_honoured(void **state)
{
    struct fixture *f = *state;
    struct state_file *file;
    int ready[2], done[2];
    char byte;
    write_file(f, f->path, STR(OLD));
    assert_int_equal(pipe(ready) + pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(f->path, O_RDWR);
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        (void)!write(ready[1], fcntl(fd, F_SETLK, &whole) == 0 ? "y" : "n", 1);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_false(state_file_open(f->arena, f->path, &apply, &f->diags, &file));
    assert_non_null(strstr(f->diags.v[0].detail.p, "no readable information"));
    assert_int_equal(write(done[1], "x", 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 2; i++)
        (void)close(ready[i]), (void)close(done[i]);
    file = open_it(f);
    assert_int_equal(file->state->serial, 4);
    state_file_close(file);
}

static void waiting_ends_when_the_time_is_over(void **state)
{
    struct fixture *f = *state;
    struct state_file *file = open_it(f), *second;
    struct state_lock_request patient = {.operation = "x", .wait_ns = 120 * NS_PER_MS};
    int64_t start = clock_now(&system_clock);
    assert_false(state_file_open(f->arena, f->path, &patient, &f->diags, &second));
    assert_true(clock_now(&system_clock) - start >= patient.wait_ns);
    state_file_close(file);
}

static void the_end_of_the_arena_frees_the_lock(void **state)
{
    struct fixture *f = *state;
    struct arena *inner = arena_new(NULL, 0);
    struct state_file *file;
    assert_true(state_file_open(inner, f->path, &apply, &f->diags, &file));
    arena_free(inner);
    state_file_close(open_it(f));
}

static void a_broken_file_is_left_alone_and_unlocked(void **state)
{
    struct fixture *f = *state;
    struct state_file *file;
    write_file(f, f->path, STR("{\"version\":4,"));
    assert_false(state_file_open(f->arena, f->path, &apply, &f->diags, &file));
    assert_non_null(strstr(f->diags.v[0].detail.p, "x.tfstate:1:14: "));
    assert_false(file_exists(beside(f, ".x.tfstate.lock.info")));
    assert_true(str_eqz(content(f, f->path), "{\"version\":4,"));
    assert_null(state_file_look(f->arena, f->path, &f->diags));
    assert_false(state_file_open(f->arena, beside(f, "absent/x"), &apply, &f->diags, &file));
}

static struct str numbered(struct fixture *f, int serial, const char *lineage)
{
    return arena_printf(f->arena, "{\"version\":4,\"serial\":%d,\"lineage\":\"%s\"}\n", serial, lineage);
}

static void a_save_that_was_cut_short_is_completed(void **state)
{
    struct fixture *f = *state;
    const char *unfinished = beside(f, ".x.tfstate.unfinished");
    static const struct {
        const char *file, *lineage;
        int serial;
        uint64_t expected;
    } cases[] = {
        {"{\"version\":4,\"serial\":5,\"lin", "l", 5, 5},              /* torn */
        {"", "l", 1, 1},                                               /* cut before the first byte */
        {"{\"version\":4,\"serial\":4,\"lineage\":\"l\"}", "l", 5, 5}, /* not begun */
        {"{\"version\":4,\"serial\":6,\"lineage\":\"l\"}", "l", 5, 6}, /* another program has saved since */
        {"{\"version\":4,\"serial\":4,\"lineage\":\"m\"}", "l", 5, 4}, /* another state is there now */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t warnings = f->diags.n;
        bool completed = cases[i].expected == (uint64_t)cases[i].serial;
        write_file(f, f->path, str_of(cases[i].file));
        write_file(f, unfinished, numbered(f, cases[i].serial, cases[i].lineage));
        struct state_file *file = open_it(f);
        assert_int_equal(file->state->serial, cases[i].expected);
        assert_int_equal(f->diags.n - warnings, completed);
        state_file_close(file);
        assert_int_equal(serial_of(f), cases[i].expected);
        assert_false(file_exists(unfinished));
    }
    /* An unfinished file that is not valid itself is ignored. */
    write_file(f, f->path, STR(OLD));
    write_file(f, unfinished, STR("{\"ver"));
    state_file_close(open_it(f));
    assert_int_equal(serial_of(f), 4);
}

/* A limit on the size of files stands in for a full disk. */
static void a_full_disk_leaves_the_old_state_and_prints_the_new_one(void **state)
{
    struct fixture *f = *state;
    int ends[2];
    static char printed[64 << 10]; /* as much as a pipe holds */
    write_file(f, f->path, STR(OLD));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        struct state_file *file = open_it(f);
        for (int i = 0; i < 50; i++)
            add(file, arena_printf(f->arena, "r%d", i).p);
        if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}) != 0)
            _exit(2);
        bool saved = state_file_save(file, &f->diags);
        state_file_close(file);
        _exit(saved ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(str_eqz(content(f, f->path), OLD));
    (void)close(ends[1]);
    ssize_t n = read(ends[0], printed, sizeof printed - 1);
    (void)close(ends[0]);
    assert_true(n > 0 && strstr(printed, "\"r49\""));
}

static void a_replaced_file_is_not_overwritten_and_nothing_is_lost(void **state)
{
    struct fixture *f = *state;
    const char *copy = beside(f, "errored.tfstate");
    write_file(f, f->path, STR(OLD));
    struct state_file *file = open_it(f);
    add(file, "new");
    write_file(f, f->path, numbered(f, 7, "other")); /* as editors and git do: by rename */
    assert_false(state_file_save(file, &f->diags));
    state_file_close(file);
    assert_non_null(strstr(content(f, copy).p, "\"new\""));
    assert_non_null(strstr(content(f, f->path).p, "\"other\""));
    assert_non_null(strstr(f->diags.v[f->diags.n - 1].detail.p, copy));
    struct stat st;
    assert_int_equal(stat(copy, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_backup_that_cannot_be_made_is_a_warning(void **state)
{
    struct fixture *f = *state;
    write_file(f, f->path, STR(OLD));
    assert_int_equal(mkdir(beside(f, "x.tfstate.backup"), 0700), 0);
    struct state_file *file = open_it(f);
    add(file, "new");
    assert_true(state_file_save(file, &f->diags));
    state_file_close(file);
    assert_int_equal(f->diags.n_errors, 0);
    assert_true(f->diags.n == 1 && str_eqz(f->diags.v[0].summary, "No backup of the state"));
    assert_non_null(strstr(content(f, f->path).p, "\"new\""));
}

static void a_link_stays_a_link(void **state)
{
    struct fixture *f = *state;
    const char *real = beside(f, "real");
    struct stat st;
    write_file(f, real, STR(OLD));
    assert_int_equal(symlink(real, f->path), 0);
    struct state_file *file = open_it(f);
    add(file, "a");
    assert_true(state_file_save(file, &f->diags));
    state_file_close(file);
    assert_int_equal(lstat(f->path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_non_null(strstr(content(f, real).p, "\"serial\":5"));
}

static void version_3_becomes_version_4_with_the_first_change(void **state)
{
    struct fixture *f = *state;
    write_file(f, f->path, STR("{\"version\":3,\"serial\":2,\"modules\":[]}\n"));
    struct state_file *file = open_it(f);
    assert_true(state_file_save(file, &f->diags));
    assert_non_null(strstr(content(f, f->path).p, "\"version\":3"));
    add(file, "a");
    assert_true(state_file_save(file, &f->diags));
    state_file_close(file);
    struct state *s = state_file_look(f->arena, f->path, &f->diags);
    assert_int_equal(s->read_version, 4);
    assert_int_equal(s->serial, 3);
    assert_int_equal(s->lineage.n, 36);
    assert_int_equal(s->layout, STATE_INDENTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_file_starts_with_serial_1, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_a_change_is_written_and_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lock_excludes_and_tells_who_holds_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_plain_posix_lock_of_another_process_is_honoured, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_ends_when_the_time_is_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_of_the_arena_frees_the_lock, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_file_is_left_alone_and_unlocked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_save_that_was_cut_short_is_completed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_state_and_prints_the_new_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_replaced_file_is_not_overwritten_and_nothing_is_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_backup_that_cannot_be_made_is_a_warning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link, set_up, tear_down),
        cmocka_unit_test_setup_teardown(version_3_becomes_version_4_with_the_first_change, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
