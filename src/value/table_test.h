/*
 * Runs a table of test cases: each row is checked in an arena of its own; failing rows are printed and counted. Test code only.
 *
 *     static const char *check(struct arena *a, const struct json *row)   NULL, or what is wrong
 */
#pragma once

#include "value/testing_notation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef const char *table_check_fn(struct arena *a, const struct json *row);

/* `key`: run only rows that have this member; NULL: all rows. */
static inline void run_table(const char *name, const char *key, table_check_fn *check)
{
    struct arena *table_arena ARENA_AUTO = arena_new(NULL, 0);
    struct notation_table table = notation_table(table_arena, name);
    size_t checked = 0, failed = 0;
    for (size_t i = 0; i < table.n; i++) {
        if (key && !json_get(table.rows[i], key))
            continue;
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const char *problem = check(a, table.rows[i]);
        checked++;
        if (problem) {
            failed++;
            print_error("%s row %zu: %s\n    " STR_FMT "\n", name, i + 2, problem, STR_ARG(table.lines[i]));
        }
    }
    assert_true(checked > 0);
    assert_int_equal(failed, 0);
}
