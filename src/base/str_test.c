#include "base/str.h"

#include <stdlib.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define assert_str(s, text) assert_true(str_eqz((s), (text)))

static const struct str nothing = {NULL, 0};

static void views_without_address_are_empty_text(void **state)
{
    (void)state;
    assert_true(str_is_empty(nothing) && str_is_empty(STR_EMPTY) && str_is_empty(str_of(NULL)));
    assert_true(str_eq(nothing, STR_EMPTY));
    assert_int_equal(str_cmp(nothing, STR_EMPTY), 0);
    assert_int_equal(str_slice(nothing, 0, 5).n, 0);
    assert_int_equal(str_trim(nothing).n, 0);
    assert_true(str_starts(nothing, nothing) && str_ends(nothing, nothing) && str_is_utf8(nothing));
    assert_int_equal(str_find(nothing, 'a', 0), SIZE_MAX);
    struct str rest = nothing;
    assert_int_equal(str_cut(&rest, ',').n, 0);
    assert_true(str_hash(nothing, 1) == str_hash(STR_EMPTY, 1));
}

static void equality_looks_at_every_byte(void **state)
{
    (void)state;
    assert_true(str_eq(STR("a\0b"), STR("a\0b")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("ab"), STR("abc")));
    assert_true(str_eqz(STR("abc"), "abc"));
}

static void order_is_bytewise_and_shorter_first(void **state)
{
    (void)state;
    struct str v[] = {STR("b"), STR("ab"), STR("\xc3\xa9"), STR("a"), STR(""), STR("B")};
    qsort(v, 6, sizeof v[0], str_cmp_qsort);
    static const char *const expected[] = {"", "B", "a", "ab", "b", "\xc3\xa9"};
    for (size_t i = 0; i < 6; i++)
        assert_str(v[i], expected[i]);
}

static void prefix_and_suffix(void **state)
{
    (void)state;
    assert_true(str_starts(STR("abc"), STR("ab")));
    assert_true(str_starts(STR("abc"), STR("")));
    assert_false(str_starts(STR("ab"), STR("abc")));
    static const char *const words[] = {"abc", "", NULL}, *const none[] = {NULL};
    assert_true(str_is_one_of(STR("abc"), words) && str_is_one_of(STR_EMPTY, words));
    assert_false(str_is_one_of(STR("ab"), words) || str_is_one_of(STR_EMPTY, none));
    assert_true(str_ends(STR("abc"), STR("bc")));
    assert_false(str_ends(STR("bc"), STR("abc")));
    assert_false(str_ends(STR("abd"), STR("bc")));
}

static void finding_begins_where_it_is_told(void **state)
{
    (void)state;
    assert_int_equal(str_find(STR("a.b.c"), '.', 0), 1);
    assert_int_equal(str_find(STR("a.b.c"), '.', 2), 3);
    assert_int_equal(str_find(STR("a.b.c"), '.', 4), SIZE_MAX);
    assert_int_equal(str_find(STR("a.b.c"), '.', 99), SIZE_MAX);
    assert_true(str_contains(STR("a.b.c"), STR("b.c")) && str_contains(STR("a"), STR("a")) && str_contains(STR("a"), STR_EMPTY));
    assert_false(str_contains(STR("a.b.c"), STR("bc")) || str_contains(STR("a"), STR("aa")) || str_contains(STR_EMPTY, STR("a")));
}

static void slices_are_cut_to_the_length(void **state)
{
    (void)state;
    assert_str(str_slice(STR("hello"), 1, 3), "el");
    assert_str(str_slice(STR("hello"), 3, 99), "lo");
    assert_str(str_slice(STR("hello"), 4, 2), "");
    assert_str(str_slice(STR("hello"), 99, 100), "");
}

static void trimming_takes_white_space_at_both_ends(void **state)
{
    (void)state;
    assert_str(str_trim(STR(" \t\r\n\v\fa b \n")), "a b");
    assert_str(str_trim(STR(" \n ")), "");
}

static void cutting_goes_through_all_parts(void **state)
{
    (void)state;
    struct str rest = STR("a,,b,c");
    static const char *const expected[] = {"a", "", "b", "c"};
    size_t n = 0;
    while (rest.n > 0)
        assert_str(str_cut(&rest, ','), expected[n++]);
    assert_int_equal(n, 4);
}

static void integers_are_strict(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-1", true, -1},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"- 1", false, 0},
        {"--1", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"0x10", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 12345;
        assert_int_equal(str_to_i64(str_of(cases[i].text), &value), cases[i].ok);
        assert_true(value == (cases[i].ok ? cases[i].value : 12345));
    }
    int64_t value;
    assert_false(str_to_i64(STR("1\0002"), &value));
}

static void characters_are_counted_and_compared_without_case(void **state)
{
    (void)state;
    assert_int_equal(str_count_utf8(STR("")), 0);
    assert_int_equal(str_count_utf8(STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z")), 5);
    assert_true(str_eq_nocase(STR("Content-TYPE"), STR("content-type")));
    assert_true(str_eq_nocase(STR(""), STR("")));
    assert_false(str_eq_nocase(STR("a"), STR("ab")));
    assert_false(str_eq_nocase(STR("[a"), STR("{a"))); /* these differ in the same bit as upper and lower case */
    assert_false(str_eq_nocase(STR("\xc3\x89"), STR("\xc3\xa9")));
}

static void utf8_has_one_spelling_per_character(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "a",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "z\xc3\xa9z"};
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc3",
                                      "\xc3z",
                                      "\xe0\x9f\xbf",
                                      "\xe2\x82",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xf0\x9f\x98",
                                      "ok\xfe"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(str_is_utf8(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(str_is_utf8(str_of(bad[i])));
    assert_int_equal(str_utf8_first(STR("\xc3\xa9z")), 2);
    assert_int_equal(str_utf8_first(STR("z\xff")), 1);
    assert_int_equal(str_utf8_first(STR("\xff")), 0);
    assert_int_equal(str_utf8_first(nothing), 0);
}

/* Every code point, encoded by hand, is accepted, and every surrogate is refused. */
static void every_code_point_is_known(void **state)
{
    (void)state;
    for (uint32_t c = 0x800; c <= 0x10ffff; c++) {
        char text[4];
        size_t n = c < 0x10000 ? 3 : 4;
        uint32_t rest = c;
        for (size_t i = n; i-- > 1; rest >>= 6)
            text[i] = (char)(0x80 | (rest & 0x3f));
        text[0] = (char)((n == 3 ? 0xe0 : 0xf0) | rest);
        bool surrogate = c >= 0xd800 && c <= 0xdfff;
        assert_int_equal(str_utf8_first((struct str){text, n}), surrogate ? 0 : n);
        assert_int_equal(str_utf8_first((struct str){text, n - 1}), 0);
    }
}

static void hashes_depend_on_text_length_and_seed(void **state)
{
    (void)state;
    assert_true(str_hash(STR("abc"), 1) == str_hash(STR("abc"), 1));
    assert_true(str_hash(STR("abc"), 1) != str_hash(STR("abc"), 2));
    assert_true(str_hash(STR("abc"), 1) != str_hash(STR("abd"), 1));
    assert_true(str_hash(STR("a"), 1) != str_hash(STR("a\0"), 1));
    assert_true(str_hash(STR("12345678"), 1) != str_hash(STR("123456789"), 1));
}

static void code_points_become_utf8(void **state)
{
    (void)state;
    static const struct {
        uint32_t c;
        const char *utf8;
    } cases[] = {{'a', "a"},
                 {0x7f, "\x7f"},
                 {0x80, "\xc2\x80"},
                 {0x7ff, "\xdf\xbf"},
                 {0x800, "\xe0\xa0\x80"},
                 {0xffff, "\xef\xbf\xbf"},
                 {0x10000, "\xf0\x90\x80\x80"},
                 {0x10ffff, "\xf4\x8f\xbf\xbf"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[STR_UTF8_MAX];
        struct str s = {out, str_put_utf8(out, cases[i].c)};
        assert_true(str_eqz(s, cases[i].utf8));
        assert_true(str_is_utf8(s));
    }
}

static void distance_counts_characters(void **state)
{
    (void)state;
    assert_int_equal(str_distance(STR(""), STR("")), 0);
    assert_int_equal(str_distance(STR("schema"), STR("schema")), 0);
    assert_int_equal(str_distance(STR("shema"), STR("schema")), 1);
    assert_int_equal(str_distance(STR("verison"), STR("version")), 2);
    assert_int_equal(str_distance(STR(""), STR("abc")), 3);
    assert_int_equal(str_distance(STR("na\xc3\xafve"), STR("naive")), 1);
    char word[STR_DISTANCE_MAX + 1];
    memset(word, 'x', sizeof word);
    assert_int_equal(str_distance((struct str){word, STR_DISTANCE_MAX}, STR("x")), STR_DISTANCE_MAX - 1);
    assert_true(str_distance((struct str){word, sizeof word}, STR("x")) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_without_address_are_empty_text),
        cmocka_unit_test(equality_looks_at_every_byte),
        cmocka_unit_test(order_is_bytewise_and_shorter_first),
        cmocka_unit_test(prefix_and_suffix),
        cmocka_unit_test(finding_begins_where_it_is_told),
        cmocka_unit_test(slices_are_cut_to_the_length),
        cmocka_unit_test(trimming_takes_white_space_at_both_ends),
        cmocka_unit_test(cutting_goes_through_all_parts),
        cmocka_unit_test(integers_are_strict),
        cmocka_unit_test(utf8_has_one_spelling_per_character),
        cmocka_unit_test(every_code_point_is_known),
        cmocka_unit_test(hashes_depend_on_text_length_and_seed),
        cmocka_unit_test(code_points_become_utf8),
        cmocka_unit_test(characters_are_counted_and_compared_without_case),
        cmocka_unit_test(distance_counts_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
