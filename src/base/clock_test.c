#include "base/clock.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void wall_time_is_printed_in_utc(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000000Z"},
        {INT64_C(1234567890123456789), "2009-02-13T23:31:30.123456Z"},
        {INT64_C(1709208000000000999), "2024-02-29T12:00:00.000000Z"},
        {-1, "1969-12-31T23:59:59.999999Z"},
        {-NS_PER_S, "1969-12-31T23:59:59.000000Z"},
        {INT64_MAX, "2262-04-11T23:47:16.854775Z"},
        {INT64_MIN + NS_PER_S, "1677-09-21T00:12:44.145224Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[CLOCK_TEXT];
        clock_format(cases[i].ns, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void a_fake_clock_stands_still_until_moved(void **state)
{
    (void)state;
    struct fake_clock c;
    fake_clock_init(&c, 5 * NS_PER_S);
    int64_t start = clock_now(&c.clock);
    assert_true(start != NO_DEADLINE);
    assert_true(clock_now(&c.clock) == start);
    fake_clock_advance(&c, 3 * NS_PER_MS);
    assert_true(clock_now(&c.clock) == start + 3 * NS_PER_MS);
    assert_true(c.clock.wall_ns(&c.clock) == 5 * NS_PER_S + 3 * NS_PER_MS);
}

static void the_machine_clock_goes_forward(void **state)
{
    (void)state;
    int64_t one = clock_now(&system_clock), two = clock_now(&system_clock);
    assert_true(one > 0 && two >= one);
    assert_true(system_clock.wall_ns(&system_clock) > INT64_C(1600000000) * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wall_time_is_printed_in_utc),
        cmocka_unit_test(a_fake_clock_stands_still_until_moved),
        cmocka_unit_test(the_machine_clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
