#include "grpc/message.h"

#include <stdlib.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static enum deframe feed(struct deframer *d, struct str bytes, size_t piece, struct message_queue *got)
{
    enum deframe result = DEFRAME_MORE;
    while (bytes.n > 0 && (result == DEFRAME_MORE || result == DEFRAME_MESSAGE)) {
        struct str part = str_slice(bytes, 0, piece);
        bytes = str_slice(bytes, piece, bytes.n);
        struct message *m;
        while ((result = deframer_feed(d, &part, &m)) == DEFRAME_MESSAGE)
            message_push(got, m);
    }
    return result;
}

static void messages_come_out_whole_however_bytes_are_cut(void **state)
{
    (void)state;
    static const char bytes[] = "\0\0\0\0\003abc\0\0\0\0\0\0\0\0\0\001x";
    for (size_t piece = 1; piece < sizeof bytes; piece++) {
        struct deframer d = {.max_message = 3};
        struct message_queue got = {0};
        assert_int_equal(feed(&d, (struct str){bytes, sizeof bytes - 1}, piece, &got), DEFRAME_MORE);
        assert_false(deframer_is_inside(&d));
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        assert_true(str_eq(message_into(message_pop(&got), a), STR("abc")));
        assert_true(str_eq(message_into(message_pop(&got), a), STR("")));
        assert_true(str_eq(message_into(message_pop(&got), a), STR("x")));
        assert_null(message_pop(&got));
        assert_int_equal(got.weight, 0);
        deframer_done(&d);
    }
}

static void bad_prefixes_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        enum deframe expected;
    } cases[] = {
        {"\0\0\0\0\004", DEFRAME_TOO_LONG},   {"\0\377\377\377\377", DEFRAME_TOO_LONG}, {"\001\0\0\0\001", DEFRAME_COMPRESSED},
        {"\002\0\0\0\001", DEFRAME_BAD_FLAG}, {"\377\0\0\0\001", DEFRAME_BAD_FLAG},     {"\0\0\0\0\003", DEFRAME_MORE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct deframer d = {.max_message = 3};
        struct message_queue got = {0};
        assert_int_equal(feed(&d, (struct str){cases[i].bytes, 5}, 5, &got), cases[i].expected);
        assert_null(got.head);
        deframer_done(&d);
    }
}

static void memory_follows_what_arrived_not_what_is_claimed(void **state)
{
    (void)state;
    struct deframer d = {.max_message = SIZE_MAX};
    struct message_queue got = {0};
    assert_int_equal(feed(&d, (struct str){"\0\377\377\377\377", 5}, 5, &got), DEFRAME_MORE);
    assert_true(deframer_is_inside(&d));
    assert_int_equal(d.current->cap, 0);
    enum { PIECE = 1000, N = 3000 };
    static char bytes[PIECE];
    for (size_t i = 1; i <= N; i++) {
        struct str part = {bytes, PIECE};
        struct message *m;
        assert_int_equal(deframer_feed(&d, &part, &m), DEFRAME_MORE);
        assert_true(d.current->cap <= 2 * i * PIECE + 4096);
    }
    assert_true(d.current->reserved > 0);
    deframer_done(&d);
}

/* Sizes around the switch from malloc() to a mapping, with small and odd pieces. */
static void bytes_survive_every_way_of_growing(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 1023, 1024, 4096, 128 << 10, (128 << 10) - 1, (128 << 10) + 1, 1 << 20, 3333333};
    static const size_t pieces[] = {7, 1000, 16384, 1 << 22};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
            size_t n = sizes[i];
            char *bytes = malloc(n + MESSAGE_PREFIX);
            message_prefix(n, (unsigned char *)bytes);
            for (size_t k = 0; k < n; k++)
                bytes[MESSAGE_PREFIX + k] = (char)(k * 13 + k / 251);
            struct deframer d = {.max_message = n};
            struct message_queue got = {0};
            assert_int_equal(feed(&d, (struct str){bytes, n + MESSAGE_PREFIX}, pieces[j], &got), DEFRAME_MORE);
            struct arena *a = arena_new(NULL, 0);
            struct str message = message_into(message_pop(&got), a);
            assert_int_equal(message.n, n);
            assert_memory_equal(message.p, bytes + MESSAGE_PREFIX, n);
            arena_free(a);
            free(bytes);
        }
    }
}

static void queue_counts_empty_messages_too(void **state)
{
    (void)state;
    struct message_queue q = {0};
    for (int i = 0; i < 3; i++)
        message_push(&q, calloc(1, sizeof(struct message)));
    assert_int_equal(q.weight, 3 * sizeof(struct message));
    message_free(message_pop(&q));
    message_free_all(q.head);
    message_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_out_whole_however_bytes_are_cut),
        cmocka_unit_test(bad_prefixes_are_told_apart),
        cmocka_unit_test(memory_follows_what_arrived_not_what_is_claimed),
        cmocka_unit_test(bytes_survive_every_way_of_growing),
        cmocka_unit_test(queue_counts_empty_messages_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
