#include "base/duration.h"

#include "base/testing.h"

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {
        {"0", 0},
        {"2h", 7200 * INT64_C(1000000000)},
        {"1h30m", 5400 * INT64_C(1000000000)},
        {"1.5s", 1500000000},
        {".5m", 30 * INT64_C(1000000000)},
        {"-3ms", -3000000},
        {"+1us", 1000},
        {"1\xc2\xb5s", 1000},
        {"1.s", 1000000000},
        {"0.123456789s", 123456789},
        {"1ns", 1},
        {"0.1234567891h", 444444440760},
        {"1h1h", 7200 * INT64_C(1000000000)},
    };
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "1",
                                      "h",
                                      ".s",
                                      "1d",
                                      "1h ",
                                      " 1h",
                                      "1hh",
                                      "not ok",
                                      "9223372036854775808ns",
                                      "99999999999999999999h",
                                      "1..5s",
                                      "--1s"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t ns = 7;
        if (!duration_parse(str_of(good[i].text), &ns) || ns != good[i].ns)
            fail_msg("%s: %lld", good[i].text, (long long)ns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t ns = 7;
        if (duration_parse(str_of(bad[i]), &ns) || ns != 7)
            fail_msg("taken: %s", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
