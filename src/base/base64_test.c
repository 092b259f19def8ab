#include "base/base64.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { LIMIT = 1 << 16 };

static void every_length_comes_back(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char bytes[67];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37 + 200);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        struct buf text BUF_AUTO = BUF_INIT(LIMIT);
        struct str back;
        base64_write(&text, (struct str){bytes, n});
        assert_int_equal(text.n, (n + 2) / 3 * 4);
        assert_true(base64_read(a, buf_str(&text), &back));
        assert_true(str_eq(back, (struct str){bytes, n}));
    }
}

static void known_texts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str back;
    assert_true(base64_read(a, STR("bnVsbA=="), &back));
    assert_true(str_eqz(back, "null"));
    assert_true(base64_read(a, STR("bnVs\nbA==\r\n"), &back));
    assert_true(str_eqz(back, "null"));
    assert_true(base64_read(a, STR("+/+/"), &back));
    assert_true(str_eq(back, STR("\xfb\xff\xbf")));
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const bad[] = {
        "a", "ab", "abc", "a===", "ab=c", "====", "=", "abcd=", "ab==cd==", "a-_b", "ab c", "bnVsbB=="};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct str back = STR("untouched");
        assert_false(base64_read(a, str_of(bad[i]), &back));
        assert_true(str_eqz(back, "untouched"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_comes_back),
        cmocka_unit_test(known_texts),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
