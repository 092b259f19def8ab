#include "plugin/logs.h"

#include "plugin/services.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define STAMP "\"@timestamp\":\"2026-11-15T07:38:06.570625Z\""

static struct log_line parse(struct arena *a, const char *line, bool in_panic)
{
    struct log_line l;
    log_line_parse(a, str_of(line), in_panic, &l);
    return l;
}

/* ---- one line ---- */

static void a_record_has_level_message_and_fields(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct log_line l = parse(a,
                              "{\"@level\":\"warn\",\"@message\":\"plugin address\",\"@module\":\"sdk.proto\"," STAMP
                              ",\"n\":7,\"ratio\":0.5,\"ok\":true,\"list\":[1,\"x\"],\"none\":null,\"odd key\\n\":\"v\"}",
                              false);
    assert_true(l.is_json);
    assert_int_equal(l.level, LOG_WARN);
    assert_string_equal(l.message.p, "plugin address");
    assert_int_equal(l.n_fields, 7);
    assert_string_equal(l.fields[0].key, "@module");
    assert_string_equal(l.fields[0].text.p, "sdk.proto");
    assert_int_equal(l.fields[1].kind, LOG_FIELD_INT);
    assert_int_equal(l.fields[1].number, 7);
    assert_true(str_eqz(l.fields[2].text, "0.5"));
    assert_int_equal(l.fields[3].kind, LOG_FIELD_BOOL);
    assert_string_equal(l.fields[4].text.p, "[1,\"x\"]");
    assert_string_equal(l.fields[5].text.p, "null");
    assert_string_equal(l.fields[6].key, "odd_key_");
}

static void levels_come_from_the_record_the_prefix_or_a_panic(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool in_panic;
        enum log_level level;
        const char *message;
    } cases[] = {
        {"{\"@level\":\"trace\",\"@message\":\"m\"," STAMP "}", false, LOG_TRACE, "m"},
        {"{\"@level\":\"ERROR\",\"@message\":\"m\"," STAMP "}", false, LOG_ERROR, "m"},
        {"{\"@level\":\"loud\",\"@message\":\"m\"," STAMP "}", false, LOG_DEBUG, "m"},
        {"{\"@level\":\"off\",\"@message\":\"m\"," STAMP "}", false, LOG_DEBUG, "m"},
        {"{\"@message\":\"m\"," STAMP "}", true, LOG_DEBUG, "m"},
        {"[TRACE] m", false, LOG_TRACE, "m"},
        {"[DEBUG] m", false, LOG_DEBUG, "m"},
        {"[INFO]  m", false, LOG_INFO, "m"},
        {"[WARN] m", false, LOG_WARN, "m"},
        {"[ERROR] m", false, LOG_ERROR, "m"},
        {"[FATAL] m", false, LOG_DEBUG, "[FATAL] m"},
        {"anything", false, LOG_DEBUG, "anything"},
        {"", false, LOG_DEBUG, ""},
        {"panic: oh no", false, LOG_ERROR, "panic: oh no"},
        {"fatal error: oh no", false, LOG_ERROR, "fatal error: oh no"},
        {"don't panic: all is well", false, LOG_DEBUG, "don't panic: all is well"},
        {"[DEBUG] within a trace", true, LOG_ERROR, "[DEBUG] within a trace"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct log_line l = parse(a, cases[i].line, cases[i].in_panic);
        if (l.level != cases[i].level || !str_eqz(l.message, cases[i].message))
            fail_msg("%s: level %d, message " STR_FMT, cases[i].line, l.level, STR_ARG(l.message));
    }
}

static void records_of_another_shape_are_plain_text(void **state)
{
    (void)state;
    const char *const lines[] = {
        "{\"@level\":\"warn\",\"@message\":\"m\"}",
        "{\"@level\":\"warn\",\"@message\":\"m\",\"@timestamp\":\"2026-11-15T07:38:06Z\"}",
        "{\"@level\":\"warn\",\"@message\":\"m\",\"@timestamp\":\"2026-11-15T07:38:06.570Z\"}",
        "{\"@level\":\"warn\",\"@message\":\"m\",\"@timestamp\":\"2026-11-15T07:38:06.570625\"}",
        "{\"@level\":\"warn\",\"@message\":1," STAMP "}",
        "{\"@level\":\"warn\",\"@message\":\"m\"," STAMP "} and more",
        ("{\"@level\":\"warn\",\"@message\":\"m\"," STAMP),
        "{}",
        "[1,2]",
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct log_line l = parse(a, lines[i], false);
        assert_false(l.is_json);
        assert_int_equal(l.level, LOG_DEBUG);
        assert_string_equal(l.message.p, lines[i]);
    }
    struct log_line l = parse(a, "{\"@message\":\"m\",\"@timestamp\":\"2026-11-15T07:38:06.570625+02:00\"}", false);
    assert_true(l.is_json);
}

/* ---- the stream ---- */

/* What the log got, as lines. */
static struct str logged(struct arena *a, enum log_foreign foreign, void (*feed)(struct plugin_logs *l))
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct fake_clock clock;
    fake_clock_init(&clock, 0);
    struct log *log = log_new(fds[1], LOG_TRACE, LOG_TEXT, &clock.clock);
    log_set_foreign(log, foreign);
    struct plugin_logs *l = plugin_logs_new(log, STR("hashicorp/fake"));
    feed(l);
    plugin_logs_free(l);
    log_free(log);
    (void)close(fds[1]);
    char text[64 << 10];
    ssize_t n = read(fds[0], text, sizeof text);
    (void)close(fds[0]);
    return arena_str(a, (struct str){text, n > 0 ? (size_t)n : 0});
}

static void feed_in_pieces(struct plugin_logs *l)
{
    static const char text[] =
        "{\"@level\":\"info\",\"@message\":\"hello\"," STAMP ",\"k\":\"v\"}\r\n[WARN] careful\nlast without end";
    for (size_t i = 0; i < sizeof text - 1; i++)
        plugin_logs_feed(l, (struct str){text + i, 1});
    plugin_logs_end(l);
}

static void lines_in_pieces_reach_the_log_with_the_providers_name(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = logged(a, LOG_FOREIGN_TEXT, feed_in_pieces);
    assert_non_null(strstr(text.p, "[INFO]  hello provider=hashicorp/fake k=v\n"));
    assert_non_null(strstr(text.p, "[WARN]  careful provider=hashicorp/fake\n"));
    assert_non_null(strstr(text.p, "[DEBUG] last without end provider=hashicorp/fake\n"));
}

/* A secret at every level and in every form, and the panic that ends it all. */
static void feed_secrets(struct plugin_logs *l)
{
    static const char *const levels[] = {"trace", "debug", "info", "warn", "error"};
    static const char *const plain[] = {"[TRACE]", "[DEBUG]", "[INFO]", "[WARN]", "[ERROR]", "2026/11/15 07:38:06 [DEBUG]",
                                        "{\"a\":"};
    char line[512];
    plugin_logs_begin_calls(l);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        (void)snprintf(
            line, sizeof line,
            "{\"@level\":\"%s\",\"@message\":\"it is hush\",\"@module\":\"sdk.proto\",\"tf_rpc\":\"ReadResource\"," STAMP
            ",\"body\":\"{\\\"password\\\":\\\"hush\\\"}\",\"b64\":\"aHVzaA==\",\"hush\":1}\n",
            levels[i]);
        plugin_logs_feed(l, str_of(line));
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        (void)snprintf(line, sizeof line, "%s password: \"hush\", aHVzaA==\n", plain[i]);
        plugin_logs_feed(l, str_of(line));
    }
    plugin_logs_feed(l, STR("{\"@level\":\"warn\",\"@message\":\"m\",\"@module\":\"hush: a module with blanks\"," STAMP "}\n"));
}

static void feed_secrets_and_panic(struct plugin_logs *l)
{
    feed_secrets(l);
    plugin_logs_feed(l, STR("panic: hush\n\ngoroutine 1 [running]:\n\t/src/hush.go:7\n"));
}

static void what_providers_log_stays_out_of_the_log(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = logged(a, LOG_FOREIGN_SHAPE, feed_secrets_and_panic);
    assert_null(strstr(text.p, "hush"));
    assert_null(strstr(text.p, "aHVzaA"));
    assert_non_null(
        strstr(text.p, "[TRACE] provider log line withheld provider=hashicorp/fake @module=sdk.proto tf_rpc=ReadResource\n"));
    assert_non_null(
        strstr(text.p, "[ERROR] provider log line withheld provider=hashicorp/fake @module=sdk.proto tf_rpc=ReadResource\n"));
    assert_non_null(strstr(text.p, "[WARN]  provider log line withheld provider=hashicorp/fake\n"));
    const char *panicked = strstr(text.p, "[ERROR] provider panicked provider=hashicorp/fake\n");
    assert_non_null(panicked);
    assert_int_equal(str_find(str_of(panicked), '\n', 0), strlen(panicked) - 1);
    assert_int_equal(logged(a, LOG_FOREIGN_NOTHING, feed_secrets_and_panic).n, 0);
    text = logged(a, LOG_FOREIGN_TEXT, feed_secrets_and_panic);
    assert_non_null(strstr(text.p, "[TRACE] it is hush provider="));
    assert_non_null(strstr(text.p, "[ERROR] panic: hush provider="));
}

static void log_lines_are_in_error_messages_only_before_the_first_call(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct plugin_logs *l = plugin_logs_new(NULL, STR("p"));
    bool panicked;
    plugin_logs_feed(l, STR("[ERROR] cannot listen\n"));
    feed_secrets(l);
    plugin_logs_feed(l, STR("Traceback (most recent call last):\n"));
    assert_string_equal(plugin_logs_tail(l, a, &panicked).p, "[ERROR] cannot listen\nTraceback (most recent call last):\n");
    assert_false(panicked);
    plugin_logs_feed(l, STR("panic: hush\n"));
    assert_string_equal(plugin_logs_tail(l, a, &panicked).p, "panic: hush\n");
    assert_true(panicked);
    plugin_logs_free(l);
}

static void the_tail_holds_the_last_lines_and_no_debug_records(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct plugin_logs *l = plugin_logs_new(NULL, STR("p"));
    bool panicked;
    assert_int_equal(plugin_logs_tail(l, a, &panicked).n, 0);
    for (int i = 0; i < 1000; i++)
        plugin_logs_feed(l, arena_printf(a, "line %d\n", i));
    plugin_logs_feed(l, STR("{\"@level\":\"debug\",\"@message\":\"quiet\"," STAMP "}\n"));
    plugin_logs_feed(l, STR("{\"@level\":\"error\",\"@message\":\"loud\"," STAMP "}\nwith \033[31mcolour\n"));
    struct str tail = plugin_logs_tail(l, a, &panicked);
    assert_false(panicked);
    assert_in_range(tail.n, PLUGIN_STDERR_TAIL / 2, PLUGIN_STDERR_TAIL);
    assert_true(str_starts(tail, STR("line ")));
    assert_true(str_ends(tail, STR("line 999\nloud\nwith \\x1b[31mcolour\n")));
    plugin_logs_free(l);
}

static void a_panic_is_kept_from_its_first_line(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct plugin_logs *l = plugin_logs_new(NULL, STR("p"));
    bool panicked;
    plugin_logs_feed(l, STR("before\npanic: oh no\n\ngoroutine 1 [running]:\n"));
    for (int i = 0; i < 10000; i++)
        plugin_logs_feed(l, arena_printf(a, "\tframe %d\n", i));
    struct str tail = plugin_logs_tail(l, a, &panicked);
    assert_true(panicked);
    assert_true(str_starts(tail, STR("panic: oh no\n\ngoroutine 1 [running]:\n\tframe 0\n")));
    assert_in_range(tail.n, LOGS_MAX_PANIC - 100, LOGS_MAX_PANIC);
    assert_true(str_ends(tail, STR("\n")));
    plugin_logs_free(l);
}

static void feed_long_line(struct plugin_logs *l)
{
    char *bytes = malloc(PLUGIN_MAX_LOG_LINE);
    assert_non_null(bytes);
    memset(bytes, 'x', PLUGIN_MAX_LOG_LINE);
    for (int i = 0; i < 3; i++)
        plugin_logs_feed(l, (struct str){bytes, PLUGIN_MAX_LOG_LINE});
    free(bytes);
    plugin_logs_feed(l, STR("\nnext\n"));
}

static void a_line_past_the_bound_is_cut_and_the_next_one_is_whole(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = logged(a, LOG_FOREIGN_TEXT, feed_long_line);
    assert_non_null(strstr(text.p, "[DEBUG] xxxx"));
    assert_non_null(strstr(text.p, "[DEBUG] next provider="));
    struct plugin_logs *l = plugin_logs_new(NULL, STR("p"));
    bool panicked;
    feed_long_line(l);
    struct str tail = plugin_logs_tail(l, a, &panicked);
    assert_int_equal(tail.n, LOGS_MAX_TAIL_LINE + 1 + sizeof "next\n" - 1);
    plugin_logs_free(l);
}

/* ---- the same through StreamStdio ---- */

static void stdio_data_is_read_and_broken_bytes_are_refused(void **state)
{
    (void)state;
    enum stdio_channel channel;
    struct str data;
    assert_true(stdio_data_decode(STR("\x08\x02\x12\x03"
                                      "abc"),
                                  &channel, &data));
    assert_int_equal(channel, STDIO_STDERR);
    assert_true(str_eqz(data, "abc"));
    assert_true(stdio_data_decode(STR("\x12\x01x\x1a\x01y\x08\x63"), &channel, &data));
    assert_int_equal(channel, STDIO_INVALID);
    assert_true(str_eqz(data, "x"));
    assert_true(stdio_data_decode(STR_EMPTY, &channel, &data));
    assert_int_equal(data.n, 0);
    assert_false(stdio_data_decode(STR("\x12\x63x"), &channel, &data));
    assert_false(stdio_data_decode(STR("\xff\xff"), &channel, &data));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_level_message_and_fields),
        cmocka_unit_test(levels_come_from_the_record_the_prefix_or_a_panic),
        cmocka_unit_test(records_of_another_shape_are_plain_text),
        cmocka_unit_test(lines_in_pieces_reach_the_log_with_the_providers_name),
        cmocka_unit_test(what_providers_log_stays_out_of_the_log),
        cmocka_unit_test(log_lines_are_in_error_messages_only_before_the_first_call),
        cmocka_unit_test(the_tail_holds_the_last_lines_and_no_debug_records),
        cmocka_unit_test(a_panic_is_kept_from_its_first_line),
        cmocka_unit_test(a_line_past_the_bound_is_cut_and_the_next_one_is_whole),
        cmocka_unit_test(stdio_data_is_read_and_broken_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
