#include "base/hex.h"

#include "base/ascii.h"
#include "base/testing.h"

static void digits_of_both_cases_and_nothing_else(void **state)
{
    (void)state;
    for (int c = -1; c < 256; c++) {
        const char *at = c > 0 ? strchr("0123456789abcdefABCDEF", c) : NULL;
        int expected = !at ? -1 : is_digit(*at) ? *at - '0' : to_lower(*at) - 'a' + 10;
        assert_int_equal(hex_digit(c), expected);
    }
    assert_int_equal(hex_digit((char)0xc1), -1);
}

static void numbers_have_all_their_digits(void **state)
{
    (void)state;
    uint32_t number = 7;
    assert_true(hex_number("00fF", 4, &number));
    assert_int_equal(number, 255);
    assert_true(hex_number("fffffffe", 8, &number));
    assert_int_equal(number, 0xfffffffe);
    number = 7;
    assert_false(hex_number("12", 4, &number)); /* the NUL is not a digit */
    assert_false(hex_number("12g4", 4, &number));
    assert_int_equal(number, 7);
}

static void bytes_are_written_in_small_digits(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(hex_of(a, "\x00\x7f\xff", 3).p, "007fff");
    assert_int_equal(hex_of(a, "", 0).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_of_both_cases_and_nothing_else),
        cmocka_unit_test(numbers_have_all_their_digits),
        cmocka_unit_test(bytes_are_written_in_small_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
