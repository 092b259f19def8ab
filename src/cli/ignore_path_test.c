#include "cli/resource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *steps(struct arena *a, const char *text)
{
    const struct json *j = ignore_path_parse(a, str_of(text));
    if (!j)
        return NULL;
    struct buf out BUF_AUTO = BUF_INIT(4096);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a).p;
}

static void paths_are_steps(void **state)
{
    (void)state;
    static const struct {
        const char *text, *steps;
    } cases[] = {
        {"tags", "[\"tags\"]"},
        {"tags.Name", "[\"tags\",\"Name\"]"},
        {"tags[\"Name\"]", "[\"tags\",\"Name\"]"},
        {"tags[\"a.b]\\\"c\"]", "[\"tags\",\"a.b]\\\"c\"]"},
        {"rule[0].port", "[\"rule\",0,\"port\"]"},
        {"a[0][1]", "[\"a\",0,1]"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(steps(a, cases[i].text), cases[i].steps);
}

static void other_texts_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        ".",
                                        "a.",
                                        ".a",
                                        "a..b",
                                        "[0]",
                                        "a[",
                                        "a[]",
                                        "a[x]",
                                        "a[-1]",
                                        "a[1.5]",
                                        "a[\"x]",
                                        "a[0]b",
                                        "a]",
                                        "a\"",
                                        "a[null]",
                                        "a[99999999999999999999]"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_null(steps(a, texts[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_steps),
        cmocka_unit_test(other_texts_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
