#include "base/terminal.h"

#include "base/testing.h"
#include "base/testing_table.h"

static struct str written(struct arena *a, struct str text, enum terminal_keep keep)
{
    struct buf out BUF_AUTO = BUF_INIT(TERMINAL_MAX(text.n));
    terminal_write(&out, text, keep);
    assert_true(buf_ok(&out));
    return buf_copy(&out, a);
}

static void what_steers_is_shown(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table t = table_load(a, TERRANE_SOURCE "/src/base/testdata/terminal/escapes.txt");
    for (size_t i = 0; i < t.n; i++) {
        const struct table_row *row = &t.v[i];
        struct str want = STR_EMPTY;
        for (size_t keep = TERMINAL_KEEP_NOTHING; keep <= TERMINAL_KEEP_LINES; keep++) {
            if (keep + 1 < row->n)
                want = row->field[keep + 1];
            struct str got = written(a, row->field[0], (enum terminal_keep)keep);
            if (!str_eq(got, want))
                fail_msg("line %zu, keep %zu: \"%s\", not \"%s\"", row->line, keep, got.p, want.p);
        }
        assert_int_equal(terminal_is_safe(row->field[0]), str_eq(row->field[0], row->field[1]));
    }
}

static void lines_and_quotes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(terminal_quote(a, STR("plain \xc3\xa9"), 99).p, "\"plain \xc3\xa9\"");
    assert_string_equal(terminal_quote(a, STR("a\"b\\c"), 99).p, "\"a\\x22b\\x5cc\"");
    assert_string_equal(terminal_quote(a, STR("\033[31m\n\xff\xc2\x9b"), 99).p, "\"\\x1b[31m\\x0a\\xff\\u009b\"");
    assert_string_equal(terminal_quote(a, STR("abcdef"), 3).p, "\"abc\"...");
    /* cut within a character */
    assert_string_equal(terminal_quote(a, STR("a\xc3\xa9"), 2).p, "\"a\\xc3\"...");
    assert_string_equal(terminal_line(a, STR("\tpanic\033[0m \xff")).p, "\tpanic\\x1b[0m \\xff");
}

static void cells(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(100);
    assert_int_equal(terminal_write_cell(&out, STR("a\nb\tc\xc3\xa9\xc2\x9b"), 99), 12);
    assert_string_equal(buf_copy(&out, a).p, "a b c\xc3\xa9\\u009b");
    buf_clear(&out);
    assert_int_equal(terminal_write_cell(&out, STR("\xc3\xa9\xc3\xa9\xc3\xa9"), 2), 5);
    assert_string_equal(buf_copy(&out, a).p, "\xc3\xa9\xc3\xa9...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_is_shown),
        cmocka_unit_test(lines_and_quotes),
        cmocka_unit_test(cells),
    };
    return cmocka_run_group_tests_name("base/terminal", tests, NULL, NULL);
}
