#include "render/words_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX = 4096 };

static void names_are_quoted_where_the_language_wants_it(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"a", "a"},          {"a_b-c9", "a_b-c9"}, {"é", "é"},         {"名", "名"},       {"", "\"\""},
        {"9a", "\"9a\""},    {"-a", "\"-a\""},     {"a b", "\"a b\""}, {"a.b", "\"a.b\""}, {"a\"", "\"a\\\"\""},
        {"a\n", "\"a\\n\""}, {"_a", "_a"},         {"℘x·", "℘x·"},     {"a²", "\"a²\""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(arena_str(a, words_name(a, str_of(cases[i].name))).p, cases[i].text);
}

static void white_space_of_unicode_is_trimmed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *trimmed;
    } cases[] = {
        {"", ""},
        {" \t\n", ""},
        {"\v\fa b\r\n", "a b"},
        {"\xc2\xa0x\xc2\x85", "x"},
        {"\xe2\x80\xa8x\xe3\x80\x80", "x"},
        {"\xe2\x80\x8bx", "\xe2\x80\x8bx"},
        {"é", "é"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(arena_str(a, words_trim(str_of(cases[i].text))).p, cases[i].trimmed);
}

static const char *wrapped(struct arena *a, const char *text, size_t width)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX);
    words_wrap(&out, str_of(text), width);
    return buf_copy(&out, a).p;
}

static void paragraphs_are_broken_at_blanks(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(wrapped(a, "one two three", 7), "one two\nthree");
    assert_string_equal(wrapped(a, "one two three", 6), "one\ntwo\nthree");
    assert_string_equal(wrapped(a, "unbreakable one", 4), "unbreakable\none");
    assert_string_equal(wrapped(a, "größe größe", 11), "größe größe");
    assert_string_equal(wrapped(a, "one two", 0), "one two");
    assert_string_equal(wrapped(a, "", 5), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_quoted_where_the_language_wants_it),
        cmocka_unit_test(white_space_of_unicode_is_trimmed),
        cmocka_unit_test(paragraphs_are_broken_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
