#include "base/log.h"

#include "base/json.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { MAX_OUTPUT = 4 << 20 };

/* A log that writes to an unnamed file, and that file's content. */
struct fixture {
    struct arena *arena;
    FILE *file;
    struct log *log;
};

static struct fixture open_log(enum log_level level, enum log_format format)
{
    struct fixture f = {.arena = arena_new(NULL, 0), .file = tmpfile()};
    assert_non_null(f.file);
    struct fake_clock *clock = arena_make(f.arena, struct fake_clock);
    fake_clock_init(clock, INT64_C(1700000000123456000));
    f.log = log_new(fileno(f.file), level, format, &clock->clock);
    return f;
}

static struct str output(struct fixture *f)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    rewind(f->file);
    char *room = buf_room(&text, MAX_OUTPUT);
    buf_grew(&text, fread(room, 1, MAX_OUTPUT, f->file));
    return buf_copy(&text, f->arena);
}

static void close_log(struct fixture *f)
{
    log_free(f->log);
    (void)fclose(f->file);
    arena_free(f->arena);
}

static void text_records_read_well(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_TEXT);
    log_info(f.log, "provider started", LOG_Z("source", "hashicorp/aws"), LOG_INT("pid", 42), LOG_BOOL("warm", true));
    log_error(f.log, "odd values", LOG_Z("empty", ""), LOG_Z("words", "two words"), LOG_Z("line", "a\nb"), LOG_SECRET("token"));
    assert_string_equal(
        output(&f).p, "2023-11-14T22:13:20.123456Z [INFO]  provider started source=hashicorp/aws pid=42 warm=true\n"
                      "2023-11-14T22:13:20.123456Z [ERROR] odd values empty=\"\" words=\"two words\" line=\"a\\nb\" token=***\n");
    close_log(&f);
}

static void json_records_have_hclog_keys(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_JSON);
    log_warn(f.log, "slow \"call\"", LOG_Z("rpc", "Plan\n"), LOG_INT("ms", -7), LOG_BOOL("retry", false), LOG_SECRET("key"));
    assert_string_equal(output(&f).p,
                        "{\"@level\":\"warn\",\"@message\":\"slow \\\"call\\\"\",\"@timestamp\":\"2023-11-14T22:13:20.123456Z\","
                        "\"rpc\":\"Plan\\n\",\"ms\":-7,\"retry\":false,\"key\":\"***\"}\n");
    close_log(&f);
}

static void levels_below_are_left_out(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_WARN, LOG_TEXT);
    log_trace(f.log, "no");
    log_debug(f.log, "no");
    log_info(f.log, "no");
    assert_int_equal(output(&f).n, 0);
    assert_false(log_enabled(f.log, LOG_INFO));
    assert_true(log_enabled(f.log, LOG_WARN));
    assert_false(log_enabled(f.log, LOG_OFF));
    log_record(f.log, LOG_INFO, STR("no"), NULL, 0);
    assert_int_equal(output(&f).n, 0);
    log_warn(f.log, "yes");
    assert_true(str_ends(output(&f), STR("[WARN]  yes\n")));
    close_log(&f);
}

static void no_log_is_a_log(void **state)
{
    (void)state;
    assert_false(log_enabled(NULL, LOG_ERROR));
    log_error(NULL, "nothing", LOG_Z("a", "b"));
    log_redact(NULL, STR("secret"));
    log_free(NULL);
}

static void a_message_cannot_forge_a_second_line(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_TEXT);
    log_record(f.log, LOG_INFO, STR("one\n2023 [ERROR] two\x1b[31m\xff"), NULL, 0);
    assert_true(str_ends(output(&f), STR("one\\x0a2023 [ERROR] two\\x1b[31m\\xff\n")));
    assert_int_equal(str_find(output(&f), '\n', 0), output(&f).n - 1);
    close_log(&f);
}

static void a_reader_that_stops_holds_nobody_up(void **state)
{
    (void)state;
    enum { RECORDS = 500, LONG = 6000 };
    int fds[2];
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_int_equal(pipe(fds), 0);
    struct log *log = log_new(fds[1], LOG_TRACE, LOG_TEXT, &system_clock);
    char long_text[LONG];
    memset(long_text, 'x', sizeof long_text);
    for (int i = 0; i < RECORDS; i++)
        log_info(log, "record", LOG_STR("text", ((struct str){long_text, LONG})));
    struct buf text BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    /* Reads all that is there, to make room for the next record. */
    char *room = buf_room(&text, MAX_OUTPUT / 2);
    buf_grew(&text, (size_t)read(fds[0], room, MAX_OUTPUT / 2));
    assert_in_range(text.n, 1, RECORDS * LONG - 1);
    log_info(log, "it reads again");
    log_free(log);
    (void)close(fds[1]);
    room = buf_room(&text, MAX_OUTPUT / 2);
    buf_grew(&text, (size_t)read(fds[0], room, MAX_OUTPUT / 2));
    (void)close(fds[0]);
    struct str all = buf_copy(&text, a);
    const char *gap = strstr(all.p, "\n[WARN]  log records lost n=");
    assert_non_null(gap);
    assert_non_null(strstr(gap, "[INFO]  it reads again\n"));
    /* Every record was written or counted as lost; one was both, because it was written in part. */
    size_t written = 0, lost = (size_t)strtoul(strchr(gap, '=') + 1, NULL, 10);
    for (const char *at = all.p; (at = strstr(at, "[INFO]  record")); at++)
        written++;
    assert_in_range(written + lost, RECORDS, RECORDS + 1);
}

static void the_oldest_of_too_many_secrets_is_forgotten(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_TEXT);
    for (int i = 0; i <= LOG_MAX_SECRETS; i++)
        log_redact(f.log, arena_printf(f.arena, "secret-%05d", i));
    log_info(f.log, "m", LOG_Z("first", "secret-00000"), LOG_Z("second", "secret-00001"), LOG_Z("last", "secret-04096"));
    assert_true(str_ends(output(&f), STR("first=secret-00000 second=*** last=***\n")));
    close_log(&f);
}

/* U+009B is ESC [ in one character; U+202E reverses the direction of text. */
static void no_field_steers_the_terminal(void **state)
{
    (void)state;
    const struct log_field field = LOG_STR("k", STR("\xc2\x9b"
                                                    "31m\xe2\x80\xae\x7f"));
    for (int format = LOG_TEXT; format <= LOG_JSON; format++) {
        struct fixture f = open_log(LOG_TRACE, (enum log_format)format);
        log_record(f.log, LOG_INFO,
                   STR("m\xc2\x9b"
                       "31m\xe2\x80\xae\x7f"),
                   &field, 1);
        assert_non_null(strstr(output(&f).p, format == LOG_TEXT ? " m\\u009b31m\\u202e\\x7f" : "\"m\\u009b31m\\u202e\\u007f\""));
        assert_non_null(strstr(output(&f).p, "\"\\u009b31m\\u202e\\u007f\""));
        close_log(&f);
    }
}

static bool holds(struct str text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static void secrets_are_masked_everywhere(void **state)
{
    (void)state;
    for (enum log_format format = LOG_TEXT; format <= LOG_JSON; format++) {
        struct fixture f = open_log(LOG_TRACE, format);
        log_redact(f.log, STR("hunter2!"));
        log_redact(f.log, STR("123456"));
        log_redact(f.log, STR("abc")); /* too short: it would mask half of everything */
        log_record(f.log, LOG_INFO, STR("login hunter2! abc"), NULL, 0);
        log_info(f.log, "fields", LOG_Z("a", "xhunter2!y"), LOG_Z("b", "hunter2!hunter2!"), LOG_INT("c", 9123456),
                 LOG_INT("d", 5));
        struct str text = output(&f);
        assert_false(holds(text, "hunter2!"));
        assert_false(holds(text, "123456,"));
        assert_false(holds(text, "9123456"));
        assert_true(holds(text, "login *** abc"));
        assert_true(holds(text, "x***y"));
        close_log(&f);
    }
}

static void secrets_are_masked_in_json_within_the_text(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_TEXT);
    log_redact(f.log, STR("pa\"ss\\<w>\n"));
    log_info(f.log, "a", LOG_Z("once", "{\"p\":\"pa\\\"ss\\\\<w>\\n\"}"));
    log_info(f.log, "b", LOG_Z("go", "{\"p\":\"pa\\\"ss\\\\\\u003cw\\u003e\\n\"}"));
    log_info(f.log, "c", LOG_Z("twice", "{\\\"p\\\":\\\"pa\\\\\\\"ss\\\\\\\\<w>\\\\n\\\"}"));
    struct str text = output(&f);
    assert_false(holds(text, "ss"));
    assert_false(holds(text, "w>"));
    assert_false(holds(text, "003cw"));
    close_log(&f);
}

static void overlapping_secrets_leave_nothing(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_TEXT);
    log_redact(f.log, STR("abcdef"));
    log_redact(f.log, STR("defghi"));
    log_redact(f.log, STR("abcdefghijkl"));
    log_record(f.log, LOG_INFO, STR("<abcdefghi> <abcdefghijkl> <abcdef>"), NULL, 0);
    assert_true(str_ends(output(&f), STR("<***> <***> <***>\n")));
    close_log(&f);
}

/* Where a long text is cut within a secret, the first half of the secret must not be visible. */
static void cutting_comes_after_masking(void **state)
{
    (void)state;
    for (size_t before = 8 * 1024 - 40; before < 8 * 1024 + 40; before++) {
        struct fixture f = open_log(LOG_TRACE, LOG_JSON);
        log_redact(f.log, STR("sssssssssssssssss"));
        struct buf text BUF_AUTO = BUF_INIT(MAX_OUTPUT);
        for (size_t i = 0; i < before; i++)
            buf_addc(&text, 'x');
        buf_addz(&text, "sssssssssssssssss and more");
        log_record(f.log, LOG_INFO, buf_str(&text), NULL, 0);
        assert_false(holds(output(&f), "ssss"));
        close_log(&f);
    }
}

static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_JSON);
    struct buf text BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    for (int i = 0; i < 500000; i++)
        buf_addz(&text, "\xe2\x82\xac"); /* three bytes: most cuts would be inside a character */
    log_record(f.log, LOG_INFO, buf_str(&text), NULL, 0);
    struct diags diags;
    diags_init(&diags, f.arena);
    const struct json *record = json_parse(f.arena, output(&f), "log", &diags);
    assert_non_null(record);
    struct str message = json_text(json_get(record, "@message"), STR_EMPTY);
    assert_true(message.n < 9000);
    assert_false(holds(message, "\xef\xbf\xbd"));
    assert_true(str_ends(message, STR(" more bytes)")));
    close_log(&f);
}

static void a_record_has_a_bound_and_stays_valid_json(void **state)
{
    (void)state;
    enum { N = 40 };
    struct fixture f = open_log(LOG_TRACE, LOG_JSON);
    struct log_field fields[N];
    char control[5000];
    memset(control, 1, sizeof control); /* six bytes each when escaped */
    for (int i = 0; i < N; i++)
        fields[i] = LOG_STR(arena_printf(f.arena, "field-%d", i).p, ((struct str){control, sizeof control}));
    log_record(f.log, LOG_INFO, STR("large"), fields, N);
    struct str text = output(&f);
    assert_true(text.n > 30000 && text.n <= 64 * 1024);
    struct diags diags;
    diags_init(&diags, f.arena);
    const struct json *record = json_parse(f.arena, text, "log", &diags);
    assert_non_null(record);
    assert_non_null(json_get(record, "field-0"));
    assert_true(json_int(json_get(record, "fields_left_out"), 0) > 0);
    assert_int_equal(record->object.n - 4 + (size_t)json_int(json_get(record, "fields_left_out"), 0), N);
    close_log(&f);
}

enum { THREADS = 4, RECORDS = 500 };

static void *write_many(void *log)
{
    for (int i = 0; i < RECORDS; i++) {
        log_info(log, "from a thread", LOG_INT("i", i), LOG_Z("text", "some text with the secret in it"));
        log_redact(log, STR("the secret"));
    }
    return NULL;
}

static void lines_of_threads_do_not_mix(void **state)
{
    (void)state;
    struct fixture f = open_log(LOG_TRACE, LOG_JSON);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, f.log), 0);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    struct str rest = output(&f);
    size_t n = 0;
    struct diags diags;
    diags_init(&diags, f.arena);
    for (; rest.n > 0; n++)
        assert_non_null(json_parse(f.arena, str_cut(&rest, '\n'), "log", &diags));
    assert_int_equal(n, THREADS * RECORDS);
    close_log(&f);
}

static void a_closed_descriptor_is_survived(void **state)
{
    (void)state;
    struct log *log = log_new(-1, LOG_TRACE, LOG_TEXT, &system_clock);
    log_info(log, "to nowhere");
    log_free(log);
}

static void level_names_are_read_in_any_case(void **state)
{
    (void)state;
    enum log_level level = LOG_ERROR;
    assert_true(log_level_parse(STR("TRACE"), &level));
    assert_int_equal(level, LOG_TRACE);
    assert_true(log_level_parse(STR("Off"), &level));
    assert_int_equal(level, LOG_OFF);
    assert_true(log_level_parse(STR("warn"), &level));
    assert_false(log_level_parse(STR("warning"), &level));
    assert_false(log_level_parse(STR(""), &level));
    assert_false(log_level_parse(STR("inf"), &level));
    assert_int_equal(level, LOG_WARN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_records_read_well),
        cmocka_unit_test(json_records_have_hclog_keys),
        cmocka_unit_test(levels_below_are_left_out),
        cmocka_unit_test(no_log_is_a_log),
        cmocka_unit_test(a_message_cannot_forge_a_second_line),
        cmocka_unit_test(no_field_steers_the_terminal),
        cmocka_unit_test(a_reader_that_stops_holds_nobody_up),
        cmocka_unit_test(the_oldest_of_too_many_secrets_is_forgotten),
        cmocka_unit_test(secrets_are_masked_everywhere),
        cmocka_unit_test(secrets_are_masked_in_json_within_the_text),
        cmocka_unit_test(overlapping_secrets_leave_nothing),
        cmocka_unit_test(cutting_comes_after_masking),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(a_record_has_a_bound_and_stays_valid_json),
        cmocka_unit_test(lines_of_threads_do_not_mix),
        cmocka_unit_test(a_closed_descriptor_is_survived),
        cmocka_unit_test(level_names_are_read_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
