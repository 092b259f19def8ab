#include "jsonrpc/socket.h"

#include "base/file.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct place {
    struct arena *arena;
    struct diags diags;
    char folder[32];
    const char *path;
};

static void place_init(struct place *p)
{
    *p = (struct place){.arena = arena_new(NULL, 0), .folder = "/tmp/socket_XXXXXX"};
    diags_init(&p->diags, p->arena);
    assert_non_null(mkdtemp(p->folder));
    p->path = arena_printf(p->arena, "%s/s", p->folder).p;
}

static void place_done(struct place *p)
{
    assert_int_equal(rmdir(p->folder), 0);
    arena_free(p->arena);
}

static void assert_says(const struct place *p, const char *words)
{
    assert_true(p->diags.n > 0);
    const char *detail = p->diags.v[p->diags.n - 1].detail.p;
    if (!strstr(detail, words))
        fail_msg("\"%s\" is not in: %s", words, detail);
}

static void the_file_is_private_and_goes(void **state)
{
    (void)state;
    struct place p;
    struct rpc_socket_file s;
    struct stat st;
    place_init(&p);
    mode_t old = umask(0);
    assert_true(rpc_socket_file_listen(p.path, &p.diags, &s));
    (void)umask(old);
    assert_int_equal(lstat(p.path, &st), 0);
    assert_true(S_ISSOCK(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
    rpc_socket_file_close(&s);
    assert_false(file_exists(p.path));
    place_done(&p);
}

static void one_that_is_in_use_is_left_alone(void **state)
{
    (void)state;
    struct place p;
    struct rpc_socket_file s, other;
    place_init(&p);
    assert_true(rpc_socket_file_listen(p.path, &p.diags, &s));
    assert_false(rpc_socket_file_listen(p.path, &p.diags, &other));
    assert_says(&p, "another program listens there");
    assert_true(file_exists(p.path));
    rpc_socket_file_close(&s);
    place_done(&p);
}

static void a_stale_one_is_replaced(void **state)
{
    (void)state;
    struct place p;
    struct rpc_socket_file dead, s;
    place_init(&p);
    assert_true(rpc_socket_file_listen(p.path, &p.diags, &dead));
    (void)close(dead.fd); /* as when its owner was killed */
    assert_true(file_exists(p.path));
    assert_true(rpc_socket_file_listen(p.path, &p.diags, &s));
    rpc_socket_file_close(&s);
    assert_false(file_exists(p.path));
    place_done(&p);
}

/* The file was removed, and another program has made its own. */
static void only_the_own_file_is_removed(void **state)
{
    (void)state;
    struct place p;
    struct rpc_socket_file first, second;
    place_init(&p);
    assert_true(rpc_socket_file_listen(p.path, &p.diags, &first));
    assert_int_equal(unlink(p.path), 0);
    assert_true(rpc_socket_file_listen(p.path, &p.diags, &second));
    rpc_socket_file_close(&first);
    assert_true(file_exists(p.path));
    rpc_socket_file_close(&second);
    place_done(&p);
}

static void other_files_are_left_alone(void **state)
{
    (void)state;
    struct place p;
    struct rpc_socket_file s;
    place_init(&p);
    assert_true(file_write(p.path, STR("mine"), 0600, &p.diags));
    assert_false(rpc_socket_file_listen(p.path, &p.diags, &s));
    assert_says(&p, "not a socket");
    assert_true(file_exists(p.path));
    assert_int_equal(unlink(p.path), 0);
    assert_int_equal(symlink("/nowhere", p.path), 0);
    assert_false(rpc_socket_file_listen(p.path, &p.diags, &s));
    assert_says(&p, "not a socket");
    assert_int_equal(unlink(p.path), 0);
    place_done(&p);
}

static void impossible_paths_are_said(void **state)
{
    (void)state;
    struct place p;
    struct rpc_socket_file s;
    char path[300];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    place_init(&p);
    assert_false(rpc_socket_file_listen(path, &p.diags, &s));
    assert_says(&p, "1 to 107 bytes");
    assert_false(rpc_socket_file_listen("", &p.diags, &s));
    assert_says(&p, "1 to 107 bytes");
    assert_false(rpc_socket_file_listen("/nowhere/at/all", &p.diags, &s));
    assert_says(&p, "/nowhere/at");
    place_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_private_and_goes), cmocka_unit_test(one_that_is_in_use_is_left_alone),
        cmocka_unit_test(a_stale_one_is_replaced),      cmocka_unit_test(only_the_own_file_is_removed),
        cmocka_unit_test(other_files_are_left_alone),   cmocka_unit_test(impossible_paths_are_said),
    };
    return cmocka_run_group_tests_name("jsonrpc/socket", tests, NULL, NULL);
}
