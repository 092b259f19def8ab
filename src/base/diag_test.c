#include "base/diag.h"

#include "base/buf.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void failing_says_false_and_counts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    assert_false(diags_has_errors(&d));
    diags_warn(&d, "Careful", "%d things", 3);
    assert_false(diags_has_errors(&d));
    assert_false(diags_fail(&d, "Broken", "in %s", "half"));
    assert_false(diags_fail_at(&d, path_attr(a, PATH_ROOT, STR("size")), "Too small", "is %d", 1));
    assert_true(diags_has_errors(&d));
    assert_int_equal(d.n, 3);
    assert_int_equal(d.n_errors, 2);
    assert_int_equal(d.v[0].severity, DIAG_WARNING);
    assert_string_equal(d.v[0].detail.p, "3 things");
    assert_string_equal(d.v[1].summary.p, "Broken");
    assert_int_equal(d.v[2].path.n, 1);
}

static void a_copy_owns_its_text_and_steps(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *short_lived = arena_new(NULL, 0);
    struct diags d, other;
    diags_init(&d, a);
    diags_init(&other, short_lived);
    (void)diags_fail_at(&other, path_key(short_lived, PATH_ROOT, arena_str(short_lived, STR("key"))), "S", "D");
    diags_append(&d, &other);
    arena_free(short_lived); /* a sanitizer would detect a use after free */
    assert_string_equal(d.v[0].summary.p, "S");
    assert_string_equal(path_text(a, d.v[0].path).p, "[\"key\"]");
    assert_int_equal(d.n_errors, 1);
}

static void a_list_may_be_appended_to_itself(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    for (int i = 0; i < 20; i++)
        (void)diags_fail(&d, "S", "%d", i);
    diags_append(&d, &d);
    assert_int_equal(d.n, 40);
    assert_int_equal(d.n_errors, 40);
    assert_string_equal(d.v[39].detail.p, "19");
}

static void the_printed_form_is_for_people(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(1000);
    struct diags d;
    diags_init(&d, a);
    (void)diags_fail_at(&d, path_attr(a, PATH_ROOT, STR("name")), "No name", "It is empty.\n\nGive one.");
    diags_add(&d, &(struct diag){.severity = DIAG_WARNING, .summary = STR("Old"), .detail = STR_EMPTY});
    diags_write(&out, &d, false);
    assert_true(str_eqz(buf_str(&out), "Error: No name\n  at name\n\n  It is empty.\n\n  Give one.\nWarning: Old\n"));
    buf_clear(&out);
    diags_write(&out, &d, true);
    assert_true(str_starts(buf_str(&out), STR("\033[1;31mError: \033[0mNo name\n")));
    assert_true(str_ends(buf_str(&out), STR("\033[1;33mWarning: \033[0mOld\n")));
}

static void what_would_steer_a_terminal_is_shown(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    (void)diags_fail(&d, "Bad\033[2J", "one\ttwo\r\nthr\x7f\xc2\x9b \xc3\xa9");
    struct buf out BUF_AUTO = BUF_INIT(1 << 10);
    diags_write(&out, &d, false);
    assert_true(str_eq(buf_str(&out), STR("Error: Bad\\x1b[2J\n\n  one\ttwo\\x0d\n  thr\\x7f\\u009b \xc3\xa9\n")));
    /* Map keys may come from outside, too. */
    buf_clear(&out);
    diags_init(&d, a);
    (void)diags_fail_at(&d, path_key(a, path_attr(a, PATH_ROOT, STR("tags")), STR("\033[2J")), "Bad", "%s", "");
    diags_write(&out, &d, false);
    assert_true(str_eq(buf_str(&out), STR("Error: Bad\n  at tags[\"\\x1b[2J\"]\n")));
}

static void output_of_a_program_comes_last(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d, copy;
    diags_init(&d, a);
    diags_init(&copy, a);
    diags_add(&d, &(struct diag){.severity = DIAG_ERROR,
                                 .summary = STR("Ended"),
                                 .detail = STR("Why."),
                                 .output_title = STR("Stack trace"),
                                 .output = STR("panic: \033\n\n\tmain.go:7\n")});
    diags_append(&copy, &d);
    struct buf out BUF_AUTO = BUF_INIT(1 << 10);
    diags_write(&out, &copy, false);
    assert_true(str_eq(buf_str(&out), STR("Error: Ended\n\n  Why.\n\n  Stack trace:\n\n    panic: \\x1b\n\n    \tmain.go:7\n")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_says_false_and_counts),        cmocka_unit_test(a_copy_owns_its_text_and_steps),
        cmocka_unit_test(a_list_may_be_appended_to_itself),     cmocka_unit_test(the_printed_form_is_for_people),
        cmocka_unit_test(what_would_steer_a_terminal_is_shown), cmocka_unit_test(output_of_a_program_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
