#include "engine/known.h"

#include "base/testing.h"

static struct known_sum sum_of(const struct known *k, const char *call, const char *type, int64_t version, const char *arguments)
{
    return known_sum(k, call, str_of(type), version, str_of(arguments));
}

static void only_the_very_same_is_known(void **state)
{
    (void)state;
    struct known *k = known_new();
    struct known_sum sum = sum_of(k, "Validate", "a_b", 1, "{}");
    assert_false(known_has(k, sum, 5));
    known_add(k, sum, 5);
    assert_true(known_has(k, sum_of(k, "Validate", "a_b", 1, "{}"), 5));
    assert_false(known_has(k, sum_of(k, "Validate", "a_b", 1, "{} "), 5));
    assert_false(known_has(k, sum_of(k, "Validate", "a_b", 2, "{}"), 5));
    assert_false(known_has(k, sum_of(k, "Validate", "a_b{", 1, "}"), 5)); /* the same bytes, cut elsewhere */
    assert_false(known_has(k, sum_of(k, "Validat", "ea_b", 1, "{}"), 5));
    known_free(k);
}

static void it_is_forgotten_after_a_while(void **state)
{
    (void)state;
    struct known *k = known_new();
    struct known_sum sum = sum_of(k, "Validate", "a_b", 1, "{}");
    known_add(k, sum, 5);
    assert_true(known_has(k, sum, 4 + KNOWN_FOR));
    assert_false(known_has(k, sum, 5 + KNOWN_FOR));
    known_free(k);
    known_free(NULL);
}

static void newer_ones_push_out_older_ones(void **state)
{
    (void)state;
    struct known *k = known_new();
    size_t n = 0;
    for (int64_t i = 0; i < 4 * KNOWN_SLOTS; i++)
        known_add(k, sum_of(k, "Validate", "a_b", i, ""), 5);
    for (int64_t i = 0; i < 4 * KNOWN_SLOTS; i++)
        n += known_has(k, sum_of(k, "Validate", "a_b", i, ""), 5);
    assert_true(n > KNOWN_SLOTS / 2 && n <= KNOWN_SLOTS);
    assert_true(known_has(k, sum_of(k, "Validate", "a_b", 4 * KNOWN_SLOTS - 1, ""), 5));
    known_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_very_same_is_known),
        cmocka_unit_test(it_is_forgotten_after_a_while),
        cmocka_unit_test(newer_ones_push_out_older_ones),
    };
    return cmocka_run_group_tests_name("engine/known", tests, NULL, NULL);
}
