#include "value/number.h"

#include "base/buf.h"
#include "table_test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static const char *check_texts(struct arena *a, struct number n, const struct json *row)
{
    if (!str_eq(number_text(a, n), json_get(row, "text")->text))
        return arena_printf(a, "wrong text " STR_FMT, STR_ARG(number_text(a, n))).p;
    struct buf brief BUF_AUTO = BUF_INIT(NUMBER_MAX_DIGITS);
    number_write_brief(&brief, n);
    return str_eq(buf_str(&brief), json_get(row, "brief")->text) ? NULL : "wrong ten digits";
}

static const char *check_parsed(struct arena *a, const struct json *row)
{
    struct number n, again;
    bool ok = number_parse(a, json_get(row, "in")->text, &n);
    if (json_get(row, "error"))
        return ok ? "accepted" : NULL;
    if (!ok)
        return "refused";
    if (!number_parse(a, number_text(a, n), &again) || number_cmp(n, again) != 0)
        return "its text is another number";
    if (!number_eq(n, again) || number_hash(n, 1) != number_hash(again, 1))
        return "not equal to itself";
    struct number copy = number_copy(a, n);
    if (number_cmp(n, copy) != 0)
        return "the copy differs";
    return check_texts(a, n, row);
}

static void texts_are_read_and_written_as_by_terraform(void **state)
{
    (void)state;
    run_table("number.jsonl", "in", check_parsed);
}

static const char *check_double(struct arena *a, const struct json *row)
{
    double d = strtod(arena_str(a, json_get(row, "double")->text).p, NULL), back;
    struct number n = number_from_double(a, d);
    if (!number_to_double(n, &back) || back != d)
        return "it changed";
    return check_texts(a, n, row);
}

static void doubles_are_written_as_by_terraform(void **state)
{
    (void)state;
    run_table("number.jsonl", "double", check_double);
}

static struct number parse(struct arena *a, const char *text)
{
    struct number n;
    assert_true(number_parse(a, str_of(text), &n));
    return n;
}

static void a_double_and_its_text_are_equal_but_apart(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct number d = number_from_double(a, 0.1), t = parse(a, "0.1");
    double ignored;
    assert_true(number_eq(d, t));
    assert_int_equal(number_hash(d, 5), number_hash(t, 5));
    assert_int_not_equal(number_cmp(d, t), 0);
    assert_true(number_to_double(d, &ignored));
    assert_false(number_to_double(t, &ignored));
    assert_false(number_eq(d, parse(a, "0.10000000000000001")));
    assert_false(number_eq(d, parse(a, "-0.1")));
}

static void integers_are_compared_by_value(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_true(number_eq(number_from_double(a, 0x1p62), number_from_i64(INT64_C(1) << 62)));
    assert_int_equal(number_hash(number_from_double(a, 0x1p62), 0), number_hash(number_from_i64(INT64_C(1) << 62), 0));
    assert_false(number_eq(number_from_double(a, 1e23), parse(a, "100000000000000000000000")));
    assert_true(number_eq(number_from_u64(a, UINT64_MAX), parse(a, "18446744073709551615")));
    assert_true(number_cmp(number_from_u64(a, UINT64_MAX), number_from_i64(INT64_MAX)) > 0);
    assert_true(number_cmp(number_from_i64(INT64_MIN), parse(a, "-9223372036854775809")) > 0);
    assert_true(number_cmp(number_from_i64(-1), number_from_i64(1)) < 0);
    assert_true(number_cmp(parse(a, "1.5"), number_from_i64(1)) > 0);
    assert_true(number_cmp(number_from_i64(2), parse(a, "1.5")) > 0);
}

/* Terraform 1.11.4: the number -0.0 converted to a string is "-0", as a number it is 0. */
static void negative_zero_is_zero_but_for_its_text(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const texts[] = {"-0", "-0.0", "-0e5", "-.0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct number n = parse(a, texts[i]), zero = number_from_i64(0);
        int64_t value;
        double d;
        assert_string_equal(number_text(a, n).p, "-0");
        assert_true(number_to_i64(n, &value) && value == 0);
        assert_true(number_to_double(n, &d) && d == 0);
        assert_true(number_eq(n, zero) && number_eq(zero, n) && number_eq(n, n) && number_cmp(n, zero) == 0);
        assert_int_equal(number_hash(n, 7), number_hash(zero, 7));
        assert_true(number_is_integer(n) && !number_is_infinite(n));
        assert_string_equal(number_text(a, number_copy(a, n)).p, "-0");
    }
}

static void what_fits_int64_is_kept_as_one(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *const texts[] = {"9223372036854775807", "-9223372036854775808", "1e3", "10e-1", "0", "0.0e5", "1024p-10"};
    const int64_t values[] = {INT64_MAX, INT64_MIN, 1000, 1, 0, 0, 1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct number n = parse(a, texts[i]);
        int64_t value;
        assert_null(n.big);
        assert_true(number_to_i64(n, &value));
        assert_int_equal(value, values[i]);
        assert_true(number_is_integer(n));
    }
    int64_t ignored;
    assert_false(number_to_i64(parse(a, "9223372036854775808"), &ignored));
    assert_false(number_to_i64(parse(a, "0.5"), &ignored));
    assert_true(number_is_integer(parse(a, "1e30")));
    assert_false(number_is_integer(parse(a, "1.5")));
}

static void exact_doubles_are_told_from_others(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    double d;
    assert_true(number_to_double(number_from_i64(INT64_C(1) << 53), &d) && d == 0x1p53);
    assert_false(number_to_double(number_from_i64((INT64_C(1) << 53) + 1), &d));
    assert_false(number_to_double(number_from_i64(INT64_MAX), &d));
    assert_true(number_to_double(number_from_i64(INT64_MIN), &d) && d == -0x1p63);
    assert_true(number_to_double(parse(a, "0.5"), &d) && d == 0.5);
    assert_true(number_to_double(parse(a, "-Inf"), &d) && isinf(d) && d < 0);
}

static void numbers_out_of_bounds_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *const bad[] = {"1e10001",  "1e-10001", "1e400000000",        "1e-400000000", "1e99999999999999999999",
                               "1p999999", "1e200000", "0.1e-99999999999999"};
    struct number n;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(number_parse(a, str_of(bad[i]), &n));
    assert_true(number_text(a, parse(a, "1e9999")).n == 10000);
    assert_true(number_text(a, parse(a, "-1e-9999")).n == 10002);

    struct buf digits BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i <= NUMBER_MAX_TEXT; i++)
        buf_addc(&digits, '0');
    assert_false(number_parse(a, buf_str(&digits), &n));
    assert_true(number_parse(a, str_slice(buf_str(&digits), 0, NUMBER_MAX_TEXT), &n));
}

/* MPFR keeps caches per thread; a thread that only reads and writes numbers must not leak any (detected by LeakSanitizer). */
static void *use_numbers(void *ctx)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    (void)ctx;
    for (int i = 0; i < 50; i++)
        (void)number_text(a, parse(a, "12345678901234567890.123456789"));
    return NULL;
}

static void threads_share_nothing(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_numbers, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read_and_written_as_by_terraform),
        cmocka_unit_test(doubles_are_written_as_by_terraform),
        cmocka_unit_test(a_double_and_its_text_are_equal_but_apart),
        cmocka_unit_test(integers_are_compared_by_value),
        cmocka_unit_test(negative_zero_is_zero_but_for_its_text),
        cmocka_unit_test(what_fits_int64_is_kept_as_one),
        cmocka_unit_test(exact_doubles_are_told_from_others),
        cmocka_unit_test(numbers_out_of_bounds_are_refused),
        cmocka_unit_test(threads_share_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
