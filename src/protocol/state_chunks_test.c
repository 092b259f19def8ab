/* Splitting a state and joining it again, and every way in which chunks can be invalid. */
#include "protocol/state_chunks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct str whole = {"0123456789", 10};

static void what_is_cut_fits_together_whatever_the_size(void **state)
{
    (void)state;
    for (size_t length = 0; length <= whole.n; length++)
        for (int64_t size = 1; size <= 11; size++) {
            struct str text = str_slice(whole, 0, length);
            struct state_parts parts = STATE_PARTS_INIT;
            size_t at = 0;
            do {
                struct state_chunk chunk = state_chunk_cut(text, at, size);
                assert_true((int64_t)chunk.bytes.n <= size);
                assert_null(state_parts_add(&parts, &chunk));
                at += chunk.bytes.n;
            } while (at < text.n);
            assert_null(state_parts_end(&parts));
            assert_true(str_eq(buf_str(&parts.bytes), text));
            assert_int_equal(parts.n, length == 0 ? 1 : (length + (size_t)size - 1) / (size_t)size);
            buf_wipe(&parts.bytes);
        }
}

static void the_end_of_a_range_is_its_last_byte(void **state)
{
    (void)state;
    struct state_chunk chunk = state_chunk_cut(whole, 4, 4);
    assert_true(chunk.start == 4 && chunk.end == 7 && chunk.total_length == 10 && str_eqz(chunk.bytes, "4567"));
    chunk = state_chunk_cut(whole, 8, 4);
    assert_true(chunk.start == 8 && chunk.end == 9 && str_eqz(chunk.bytes, "89"));
}

struct bad {
    const char *why;
    struct state_chunk chunks[2]; /* the second without bytes: there is none */
};

#define CHUNK(text, first, last, length) {.bytes = {text, sizeof text - 1}, .start = first, .end = last, .total_length = length}

static void chunks_that_are_no_state_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct bad table[] = {
        {"total length is not one", {CHUNK("abc", 0, 2, -1)}},
        {"total length is not one", {CHUNK("abc", 0, 2, (int64_t)STATE_MAX + 1)}},
        {"total length is not one", {CHUNK("abc", 0, 2, INT64_MAX)}},
        {"range", {CHUNK("abc", 1, 3, 6)}},                        /* does not begin at the beginning */
        {"range", {CHUNK("abc", 0, 3, 6)}},                        /* the end is not exclusive */
        {"range", {CHUNK("abc", 0, 1, 6)}},                        /* shorter than its bytes */
        {"range", {CHUNK("abc", -3, -1, 6)}},                      /* negative */
        {"range", {CHUNK("abc", INT64_MIN, INT64_MAX, 6)}},        /* no arithmetic may overflow */
        {"range", {CHUNK("abc", 0, 2, 6), CHUNK("def", 4, 6, 6)}}, /* a gap */
        {"range", {CHUNK("abc", 0, 2, 6), CHUNK("def", 2, 4, 6)}}, /* an overlap */
        {"range", {CHUNK("abc", 0, 2, 6), CHUNK("abc", 0, 2, 6)}}, /* sent twice */
        {"do not agree", {CHUNK("abc", 0, 2, 6), CHUNK("d", 3, 3, 4)}},
        {"longer than", {CHUNK("abc", 0, 2, 2)}},
        {"longer than", {CHUNK("abc", 0, 2, 0)}},
        {"longer than", {CHUNK("abc", 0, 2, 4), CHUNK("def", 3, 5, 4)}},
        {"not as long", {CHUNK("abc", 0, 2, 6)}},
        {"not as long", {CHUNK("", 0, 0, 1)}}, /* a missing state must not count as an empty one */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct bad *b = &table[i];
        struct state_parts parts = STATE_PARTS_INIT;
        const char *problem = state_parts_add(&parts, &b->chunks[0]);
        if (!problem && b->chunks[1].bytes.n > 0)
            problem = state_parts_add(&parts, &b->chunks[1]);
        if (!problem)
            problem = state_parts_end(&parts);
        if (!problem || !strstr(problem, b->why))
            fail_msg("row %zu: \"%s\" is not in \"%s\"", i, b->why, problem ? problem : "(no problem)");
        buf_wipe(&parts.bytes);
    }
}

static void a_chunk_without_bytes_says_nothing_about_the_state(void **state)
{
    (void)state;
    struct state_parts parts = STATE_PARTS_INIT;
    const struct state_chunk warning = CHUNK("", 0, 0, 0), text = CHUNK("abc", 0, 2, 3);
    assert_null(state_parts_end(&parts)); /* no chunk at all: empty */
    assert_null(state_parts_add(&parts, &warning));
    assert_null(state_parts_add(&parts, &text));
    assert_null(state_parts_add(&parts, &warning));
    assert_null(state_parts_end(&parts));
    assert_true(str_eqz(buf_str(&parts.bytes), "abc"));
    buf_wipe(&parts.bytes);
}

static void chunks_may_not_come_for_ever(void **state)
{
    (void)state;
    struct state_parts parts = STATE_PARTS_INIT;
    const struct state_chunk nothing = CHUNK("", 0, 0, 0);
    for (size_t i = 0; i < STATE_MAX_CHUNKS; i++)
        assert_null(state_parts_add(&parts, &nothing));
    assert_non_null(strstr(state_parts_add(&parts, &nothing), "too many"));
}

static void a_size_that_no_chunk_may_have_is_replaced(void **state)
{
    (void)state;
    static const int64_t bad[] = {0, -1, INT64_MIN, STATE_CHUNK_MAX + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(state_chunk_size(bad[i], 77), 77);
    assert_int_equal(state_chunk_size(1, 77), 1);
    assert_int_equal(state_chunk_size(STATE_CHUNK_MAX, 77), STATE_CHUNK_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cut_fits_together_whatever_the_size),
        cmocka_unit_test(the_end_of_a_range_is_its_last_byte),
        cmocka_unit_test(chunks_that_are_no_state_are_refused_with_the_reason),
        cmocka_unit_test(a_chunk_without_bytes_says_nothing_about_the_state),
        cmocka_unit_test(chunks_may_not_come_for_ever),
        cmocka_unit_test(a_size_that_no_chunk_may_have_is_replaced),
    };
    return cmocka_run_group_tests_name("state_chunks", tests, NULL, NULL);
}
