#include "http/timing.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define WALL INT64_C(1440938160) /* 2015-08-30T12:36:00Z */

static void dates_are_written_and_read(void **state)
{
    (void)state;
    char text[DATE_TEXT];
    int64_t wall = 0;
    compact_date_format(WALL * NS_PER_S + 999999999, text);
    assert_string_equal(text, "20150830T123600Z");
    assert_true(compact_date_parse(str_of(text), &wall));
    assert_int_equal(wall, WALL * NS_PER_S);
    timestamp_format(WALL * NS_PER_S, text);
    assert_string_equal(text, "2015-08-30T12:36:00Z");
    compact_date_format(-1, text);
    assert_string_equal(text, "19691231T235959Z");
}

static void other_texts_are_no_dates(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "20150830",
        "20150830T123600",
        "20150830T123600Zx",
        "2015083aT123600Z",
        "20150230T123600Z",
        "20150830T250000Z",
        "20150830T126000Z",
        "00010101T000000Z",
        "99990101T000000Z",
        "20151330T123600Z",
        "20150800T123600Z",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t wall = 7;
        assert_false(compact_date_parse(str_of(bad[i]), &wall));
        assert_int_equal(wall, 7);
    }
}

static void dates_of_http(void **state)
{
    (void)state;
    int64_t wall = 0;
    assert_true(http_date_parse(STR("Sun, 30 Aug 2015 12:36:00 GMT"), &wall));
    assert_int_equal(wall, WALL * NS_PER_S);
    static const char *const bad[] = {"", "Su", "Sun, 30 Aug 2015 12:36:00", "Sun, 30 Agu 2015 12:36:00 GMT",
                                      "Sunday, 30-Aug-15 12:36:00 GMT"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(http_date_parse(str_of(bad[i]), &wall));
}

static void times_of_services(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {
        {"2015-08-30T12:36:00Z", WALL * NS_PER_S},
        {"2015-08-30T12:36:00.25Z", WALL * NS_PER_S + 250 * NS_PER_MS},
        {"2015-08-30T14:36:00+02:00", WALL * NS_PER_S},
        {"2015-08-30T09:06:00-0330", WALL * NS_PER_S},
        {"2015-08-30T12:36:00UTC", WALL * NS_PER_S},
        {"2015-08-30 12:36:00Z", WALL * NS_PER_S},
        {"2015-08-30T12:36:00.1234567891234Z", WALL * NS_PER_S + 123456789},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t wall = 0;
        assert_true(timestamp_parse(str_of(good[i].text), &wall));
        assert_int_equal(wall, good[i].ns);
    }
    static const char *const bad[] = {
        "", "2015-08-30", "2015-08-30T12:36:00", "2015-08-30T12:36:00+2", "1440938160", "2015-08-30T12:36:00+99:00"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t wall = 0;
        assert_false(timestamp_parse(str_of(bad[i]), &wall));
    }
}

static void a_pause_lasts_and_can_be_cut_short(void **state)
{
    (void)state;
    int64_t before = clock_now(&system_clock);
    assert_true(http_system_time.pause(&http_system_time, 2 * NS_PER_MS, NULL));
    assert_true(clock_now(&system_clock) - before >= 2 * NS_PER_MS);
    assert_true(http_system_time.pause(&http_system_time, 0, NULL));
    struct cancel *cancel = cancel_new();
    assert_true(http_system_time.pause(&http_system_time, NS_PER_MS, cancel));
    cancel_fire(cancel);
    assert_false(http_system_time.pause(&http_system_time, 3600 * NS_PER_S, cancel));
    cancel_free(cancel);
}

static void chance_is_a_fraction(void **state)
{
    (void)state;
    double least = 1, most = 0;
    for (int i = 0; i < 1000; i++) {
        double c = http_system_time.chance(&http_system_time);
        assert_true(c >= 0 && c < 1);
        least = c < least ? c : least;
        most = c > most ? c : most;
    }
    assert_true(least < 0.1 && most > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_written_and_read),
        cmocka_unit_test(other_texts_are_no_dates),
        cmocka_unit_test(dates_of_http),
        cmocka_unit_test(times_of_services),
        cmocka_unit_test(a_pause_lasts_and_can_be_cut_short),
        cmocka_unit_test(chance_is_a_fraction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
