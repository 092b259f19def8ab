#include "value/identifier.h"

#include "base/testing.h"

static void what_is_an_identifier(void **state)
{
    (void)state;
    static const struct str good[] = {STR("a"),
                                      STR("_"),
                                      STR("aws_s3_bucket"),
                                      STR("a-b"),
                                      STR("a1"),
                                      STR("Kind"),
                                      STR("_1"),
                                      STR("été"),
                                      STR("名前"),
                                      STR("a\xcc\x81"),
                                      STR("a\xe2\x80\xbf"
                                          "b")};
    static const struct str bad[] = {STR(""),
                                     STR("1a"),
                                     STR("-a"),
                                     STR("a b"),
                                     STR("a\n"),
                                     STR("a.b"),
                                     STR("a\0b"),
                                     STR("a\x7f"),
                                     STR("a`b"),
                                     STR("a\"b"),
                                     STR("a\xff"),
                                     STR("\xcc\x81"
                                         "a"),
                                     STR("a*/"),
                                     STR("a\xe2\x80\xae"
                                         "b"),
                                     STR("a\xe2\x80\xa8"),
                                     STR("../a"),
                                     STR("a$b")};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!identifier_is(good[i]))
            fail_msg("\"" STR_FMT "\" is an identifier", STR_ARG(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (identifier_is(bad[i]))
            fail_msg("\"" STR_FMT "\" is not an identifier", STR_ARG(bad[i]));
}

static void where_an_identifier_ends(void **state)
{
    (void)state;
    assert_int_equal(identifier_length(STR("name = 1")), 4);
    assert_int_equal(identifier_length(STR("été.x")), 5);
    assert_int_equal(identifier_length(STR("= 1")), 0);
}

static void what_is_like_an_identifier(void **state)
{
    (void)state;
    assert_true(identifier_like(STR("2fa")) && identifier_like(STR("-a")) && identifier_like(STR("a_b")));
    assert_false(identifier_like(STR("")) || identifier_like(STR("a b")) || identifier_like(STR("2\n")) ||
                 identifier_like(STR("a\xff")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_an_identifier),
        cmocka_unit_test(where_an_identifier_ends),
        cmocka_unit_test(what_is_like_an_identifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
