#include "crossplane/output.h"

#include "crossplane/testing_crossplane.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *new_folder(struct arena *a)
{
    const char *base = getenv("TMPDIR");
    struct str path = arena_printf(a, "%s/terrane-output-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp((char *)path.p));
    return path.p;
}

static void add(struct output *o, const char *path, const char *content)
{
    struct diags diags;
    diags_init(&diags, o->arena);
    assert_true(output_add(o, str_of(path), str_of(content), &diags));
}

static const char *content_of(struct arena *a, const char *folder, const char *path)
{
    struct diags diags;
    struct str text = STR_EMPTY;
    diags_init(&diags, a);
    return file_read(a, arena_printf(a, "%s/%s", folder, path).p, TESTING_MAX, &diags, &text) ? arena_str(a, text).p : NULL;
}

static void all_or_nothing(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *folder = new_folder(a);
    struct output o;

    output_init(&o, a, folder);
    add(&o, "sub/one", "1");
    add(&o, "two", "2");
    assert_null(content_of(a, folder, "two"));
    output_discard(&o);
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */

    output_init(&o, a, folder); /* makes it again */
    add(&o, "sub/one", "1");
    add(&o, "two", "2");
    assert_true(output_commit(&o, &diags));
    output_discard(&o);
    assert_string_equal(content_of(a, folder, "sub/one"), "1");
    assert_string_equal(content_of(a, folder, "two"), "2");

    output_init(&o, a, folder);
    add(&o, "sub/one", "1");
    add(&o, "two", "another");
    assert_int_equal(o.n_unchanged, 1);
    assert_int_equal(o.n_written, 1);
    assert_string_equal(content_of(a, folder, "two"), "2");
    assert_true(output_commit(&o, &diags));
    assert_string_equal(content_of(a, folder, "two"), "another");

    assert_int_equal(unlink(arena_printf(a, "%s/two", folder).p), 0);
    assert_int_equal(unlink(arena_printf(a, "%s/sub/one", folder).p), 0);
    assert_int_equal(rmdir(arena_printf(a, "%s/sub", folder).p), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_or_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
