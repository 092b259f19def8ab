#include "engine/memo.h"

#include "base/testing.h"

#include <stdio.h>

static struct memo_key key_of(const struct memo *m, const char *call, const char *type, int64_t version, const char *arguments)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *json = json_parse(a, str_of(arguments), "test", &diags);
    assert_non_null(json);
    return memo_key(m, call, str_of(type), version, json);
}

static bool has(struct memo *m, const char *call, const char *type, int64_t version, const char *arguments)
{
    return memo_has(m, key_of(m, call, type, version, arguments), 5);
}

static void only_the_very_same_is_remembered(void **state)
{
    (void)state;
    struct memo *m = memo_new();
    assert_false(has(m, "Validate", "a_b", 1, "{}"));
    memo_add(m, key_of(m, "Validate", "a_b", 1, "{}"), 5);
    assert_true(has(m, "Validate", "a_b", 1, " { } "));
    assert_false(has(m, "Validate", "a_b", 1, "[]"));
    assert_false(has(m, "Validate", "a_b", 2, "{}"));
    assert_false(has(m, "Validat", "ea_b", 1, "{}")); /* the same bytes, split elsewhere */
    memo_free(m);
}

/* No two of these may have the same key, however their texts are split and nested. */
static void all_of_a_tree_counts(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "null",
        "true",
        "false",
        "0",
        "\"0\"",
        "\"\"",
        "[]",
        "{}",
        "[null]",
        "[[]]",
        "[[],[]]",
        "[[[]]]",
        "[\"a\",\"b\"]",
        "[\"ab\"]",
        "[\"ab\",\"\"]",
        "{\"a\":\"b\"}",
        "{\"ab\":\"\"}",
        "{\"a\":\"b\",\"c\":1}",
        "{\"c\":1,\"a\":\"b\"}",
        "{\"a\":{\"b\":1}}",
        "{\"a\":{},\"b\":1}",
        "[\"a\\u0000\"]",
        "[\"a\"]",
        "1",
        "1.0",
    };
    struct memo *m = memo_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(has(m, "Validate", "a_b", 1, rows[i]));
        memo_add(m, key_of(m, "Validate", "a_b", 1, rows[i]), 5);
        assert_true(has(m, "Validate", "a_b", 1, rows[i]));
    }
    memo_free(m);
}

/* Texts that are larger than the hash's buffer, and texts that end where it ends. */
static void long_texts_count_to_their_end(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct memo *m = memo_new();
    for (size_t n = 4000; n < 4200; n++) {
        char *text = arena_make_n(a, char, n + 8);
        (void)snprintf(text, n + 8, "[\"%0*d\"]", (int)n, 1);
        memo_add(m, key_of(m, "Validate", "a_b", 1, text), 5);
        assert_true(has(m, "Validate", "a_b", 1, text));
        text[n + 1] = '2';
        assert_false(has(m, "Validate", "a_b", 1, text));
    }
    memo_free(m);
}

static void it_is_forgotten_after_a_while(void **state)
{
    (void)state;
    struct memo *m = memo_new();
    struct memo_key key = key_of(m, "Validate", "a_b", 1, "{}");
    memo_add(m, key, 5);
    assert_true(memo_has(m, key, 4 + MEMO_FOR));
    assert_false(memo_has(m, key, 5 + MEMO_FOR));
    memo_free(m);
    memo_free(NULL);
}

static void newer_ones_push_out_older_ones(void **state)
{
    (void)state;
    struct memo *m = memo_new();
    size_t n = 0;
    for (int64_t i = 0; i < 4 * MEMO_SLOTS; i++)
        memo_add(m, key_of(m, "Validate", "a_b", i, "0"), 5);
    for (int64_t i = 0; i < 4 * MEMO_SLOTS; i++)
        n += has(m, "Validate", "a_b", i, "0");
    assert_true(n > MEMO_SLOTS / 2 && n <= MEMO_SLOTS);
    assert_true(has(m, "Validate", "a_b", 4 * MEMO_SLOTS - 1, "0"));
    memo_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_very_same_is_remembered), cmocka_unit_test(all_of_a_tree_counts),
        cmocka_unit_test(long_texts_count_to_their_end),    cmocka_unit_test(it_is_forgotten_after_a_while),
        cmocka_unit_test(newer_ones_push_out_older_ones),
    };
    return cmocka_run_group_tests_name("engine/memo", tests, NULL, NULL);
}
