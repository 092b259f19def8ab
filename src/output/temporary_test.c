#include "output/temporary.h"

#include "base/file.h"
#include "base/testing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static const char *file_at(struct arena *a, const char *folder, const char *name)
{
    struct diags diags;
    diags_init(&diags, a);
    const char *path = arena_printf(a, "%s/%s", folder, name).p;
    assert_true(file_write(path, STR("x"), 0600, &diags));
    return path;
}

static const char *folder_at(struct arena *a, const char *folder, const char *name)
{
    const char *path = arena_printf(a, "%s/%s", folder, name).p;
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

/* Folders of dead processes are removed, at any depth and without following links; folders of living processes, or not ours,
 * stay. */
static void the_dead_and_the_living(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char parent[] = "/tmp/temporary-test-XXXXXX";
    assert_non_null(mkdtemp(parent));
    const char *precious = file_at(a, parent, "precious");
    const char *dead = folder_at(a, parent, "t-abcdef");
    (void)file_at(a, dead, "owner.lock");
    (void)file_at(a, folder_at(a, folder_at(a, dead, "one"), "two"), "deep");
    assert_int_equal(symlink(parent, arena_printf(a, "%s/link", dead).p), 0);
    const char *unknown = folder_at(a, parent, "t-ghijkl"), *longer = folder_at(a, parent, "t-abcdefg");
    (void)file_at(a, longer, "owner.lock");
    struct temporary living, next;
    assert_true(temporary_make(a, parent, "t-", &living));
    assert_false(exists(dead));
    assert_true(temporary_make(a, parent, "t-", &next));
    assert_true(exists(living.path) && exists(unknown) && exists(longer) && exists(precious));
    struct stat st;
    assert_int_equal(stat(living.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    temporary_remove(&living);
    assert_false(exists(living.path));
    temporary_remove(&next);
    temporary_remove_tree(AT_FDCWD, parent);
    assert_false(exists(parent));
}

static void without_a_parent(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct temporary t;
    assert_false(temporary_make(a, "/nonexistent", "t-", &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dead_and_the_living),
        cmocka_unit_test(without_a_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
