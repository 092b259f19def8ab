#include "base/json.h"

#include "base/testing_table.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define DATA TERRANE_SOURCE "/src/base/testdata/json/"

enum { MAX_OUTPUT = 64 << 20 };

static struct str print(struct arena *a, const struct json *j, int indent, bool html_escape)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    struct json_writer w = {.out = &out, .indent = indent, .html_escape = html_escape};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

static const struct json *parse(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    return json_parse(a, text, "test.json", &diags);
}

static const struct json *parsez(struct arena *a, const char *text)
{
    const struct json *j = parse(a, str_of(text));
    assert_non_null(j);
    return j;
}

/* Reading */

static void valid_texts_are_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, DATA "accept.txt");
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        const struct json *j = parse(a, row->field[1]);
        if (!j || !str_eq(print(a, j, 0, false), row->field[2]))
            fail_msg("accept.txt:%zu: %s", row->line, row->field[0].p);
    }
}

static void invalid_texts_are_refused_with_the_place(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, DATA "reject.txt");
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        struct diags diags;
        diags_init(&diags, a);
        assert_null(json_parse(a, row->field[1], "x.json", &diags));
        struct str expected = arena_printf(a, "x.json:" STR_FMT ".", STR_ARG(row->field[2]));
        assert_int_equal(diags.n, 1);
        assert_string_equal(diags.v[0].summary.p, "Invalid JSON");
        if (!str_eq(diags.v[0].detail, expected))
            fail_msg("reject.txt:%zu: %s: %s", row->line, row->field[0].p, diags.v[0].detail.p);
    }
}

static void free_choices_are_as_documented(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, DATA "choice.txt");
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        bool accepted = parse(a, row->field[1]) != NULL;
        if (accepted != str_eqz(row->field[2], "accept"))
            fail_msg("choice.txt:%zu: %s", row->line, row->field[0].p);
    }
}

static struct str repeat(struct arena *a, const char *open, const char *middle, const char *close, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    for (size_t i = 0; i < n; i++)
        buf_addz(&out, open);
    buf_addz(&out, middle);
    for (size_t i = 0; i < n; i++)
        buf_addz(&out, close);
    return buf_copy(&out, a);
}

static void nesting_has_an_exact_limit(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_non_null(parse(a, repeat(a, "[", "", "]", JSON_MAX_DEPTH)));
    assert_null(parse(a, repeat(a, "[", "", "]", JSON_MAX_DEPTH + 1)));
    assert_non_null(parse(a, repeat(a, "{\"a\":", "1", "}", JSON_MAX_DEPTH)));
    assert_null(parse(a, repeat(a, "{\"a\":", "1", "}", JSON_MAX_DEPTH + 1)));
    struct diags diags;
    diags_init(&diags, a);
    assert_null(json_parse(a, repeat(a, "[", "", "", 1000000), "deep", &diags));
    assert_string_equal(diags.v[0].detail.p, "deep:1:257: nested deeper than 256 levels.");
}

/* The expected values are those of Go's encoding/json. */
static void lenient_reading_is_go_s(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want; /* NULL: not JSON */
    } cases[] = {
        {"{\"a\":1,\"b\":2,\"a\":[3]}", "{\"a\":[3],\"b\":2}"},
        {"[\"\\ud800x\"]", "[\"\xef\xbf\xbdx\"]"},
        {"[\"\\udc00\"]", "[\"\xef\xbf\xbd\"]"},
        {"[\"\\ud800\\u0041\"]", "[\"\xef\xbf\xbd\x41\"]"},
        {"[\"\\ud83d\\ude00\"]", "[\"\xf0\x9f\x98\x80\"]"},
        {"[1,]", NULL},
        {"{\"a\":1} x", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct json *got = json_parse_lenient(a, str_of(cases[i].text));
        assert_int_equal(got != NULL, cases[i].want != NULL);
        if (got)
            assert_true(json_eq(got, json_parse(a, str_of(cases[i].want), "want", &diags)));
    }
}

static void the_last_of_equal_keys_counts_in_objects_of_any_size(void **state)
{
    (void)state;
    for (int n = 1; n < 64; n++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct buf text BUF_AUTO = BUF_INIT(1 << 16);
        for (int i = 0; i < 3 * n; i++)
            buf_printf(&text, "%s\"k%d\":%d", i == 0 ? "{" : ",", i % n, i);
        buf_addc(&text, '}');
        const struct json *got = json_parse_lenient(a, buf_str(&text));
        assert_int_equal(got->object.n, n);
        for (int i = 0; i < n; i++) {
            assert_int_equal(json_int(got->object.members[i].value, -1), 2 * n + i);
            assert_int_equal(json_int(json_get_str(got, arena_printf(a, "k%d", i)), -1), 2 * n + i);
        }
    }
}

static void the_tree_does_not_need_the_text(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char text[] = "{\"key\":[\"value\",12]}";
    const struct json *j = parse(a, str_of(text));
    memset(text, 'x', sizeof text);
    assert_string_equal(print(a, j, 0, false).p, "{\"key\":[\"value\",12]}");
}

static void strings_end_with_a_nul(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = parsez(a, "[\"plain\",\"esc\\u0061ped\"]");
    assert_string_equal(j->array.items[0]->text.p, "plain");
    assert_string_equal(j->array.items[1]->text.p, "escaped");
}

static void positions_are_of_the_first_character(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = parsez(a, " {\"é\": 1,\n  \"b\": [true]}");
    assert_int_equal(j->line, 1);
    assert_int_equal(j->column, 2);
    assert_int_equal(json_get(j, "é")->column, 8);
    const struct json_member *b = &j->object.members[1];
    assert_int_equal(b->line, 2);
    assert_int_equal(b->column, 3);
    assert_int_equal(b->value->column, 8);
    assert_int_equal(b->value->array.items[0]->column, 9);
}

static void an_arena_with_a_limit_stops_the_reader(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *small ARENA_AUTO = arena_new(NULL, 1 << 20);
    struct str text = repeat(a, "[1,1,1,1,1,1,1,1],", "", "", 100000);
    text = arena_printf(a, "[" STR_FMT "0]", STR_ARG(text));
    struct diags diags;
    diags_init(&diags, a);
    assert_null(json_parse(small, text, "big", &diags));
    assert_non_null(strstr(diags.v[0].detail.p, "more than the memory set aside"));
    /* Stopped soon after the limit, not at the end. */
    assert_true(arena_used(small) < text.n + (2 << 20));
}

static void objects_of_any_size_are_searched(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (int n = 1; n < 200; n += n < 40 ? 1 : 53) {
        struct buf text BUF_AUTO = BUF_INIT(MAX_OUTPUT);
        for (int i = 0; i < n; i++)
            buf_printf(&text, "%s\"k%d\":%d", i ? "," : "{", i, i);
        buf_addc(&text, '}');
        const struct json *j = parse(a, buf_str(&text));
        for (int i = 0; i < n; i++)
            assert_int_equal(json_int(json_get_str(j, arena_printf(a, "k%d", i)), -1), i);
        assert_null(json_get(j, "k"));
        assert_null(json_get_str(j, arena_printf(a, "k%d", n)));
    }
}

static void lookups_have_fallbacks(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = parsez(a, "{\"s\":\"x\",\"n\":1.5,\"i\":-7,\"b\":true,\"z\":null,\"big\":99999999999999999999}");
    assert_null(json_get(NULL, "a"));
    assert_null(json_get(json_get(j, "s"), "a"));
    assert_true(str_eqz(json_text(json_get(j, "s"), STR("?")), "x"));
    assert_true(str_eqz(json_text(json_get(j, "n"), STR("?")), "1.5"));
    assert_true(str_eqz(json_text(json_get(j, "b"), STR("?")), "?"));
    assert_true(str_eqz(json_text(NULL, STR("?")), "?"));
    assert_true(json_bool(json_get(j, "b"), false));
    assert_true(json_bool(json_get(j, "z"), true));
    assert_int_equal(json_int(json_get(j, "i"), 0), -7);
    assert_int_equal(json_int(json_get(j, "n"), 3), 3);
    assert_int_equal(json_int(json_get(j, "big"), 3), 3);
    assert_int_equal(json_int(json_get(j, "s"), 3), 3);
}

/* Writing */

static void indentation_is_as_go_prints_it(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = parsez(a, "{\"a\":[],\"b\":{},\"c\":[1,[2,{\"d\":null}]]}");
    assert_string_equal(print(a, j, 2, false).p, "{\n"
                                                 "  \"a\": [],\n"
                                                 "  \"b\": {},\n"
                                                 "  \"c\": [\n"
                                                 "    1,\n"
                                                 "    [\n"
                                                 "      2,\n"
                                                 "      {\n"
                                                 "        \"d\": null\n"
                                                 "      }\n"
                                                 "    ]\n"
                                                 "  ]\n"
                                                 "}");
}

static void strings_are_escaped(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        const char *plain, *html;
    } cases[] = {
        {STR("a\"\\/b"), "\"a\\\"\\\\/b\"", "\"a\\\"\\\\/b\""},
        {STR("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"", "\"\\b\\f\\n\\r\\t\""},
        {STR("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\x7f\"", "\"\\u0000\\u0001\\u001f\x7f\""},
        {STR("<a>&"), "\"<a>&\"", "\"\\u003ca\\u003e\\u0026\""},
        {STR("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"), "\"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\"",
         "\"\\u2028\\u2029\xe2\x80\xaa\""},
        {STR("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
        {STR("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\"", "\"a\\ufffd\\ufffd\""},
        {STR("\xef\xbf\xbd"), "\"\xef\xbf\xbd\"", "\"\xef\xbf\xbd\""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct json *j = json_make_string(a, cases[i].text);
        assert_string_equal(print(a, j, 0, false).p, cases[i].plain);
        assert_string_equal(print(a, j, 0, true).p, cases[i].html);
    }
}

static void pieces_are_put_together(void **state)
{
    (void)state;
    struct buf out BUF_AUTO = BUF_INIT(1000);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, STR("a"));
    json_write_int(&w, INT64_MIN);
    json_key(&w, STR("b"));
    json_begin_array(&w);
    json_write_null(&w);
    json_write_bool(&w, true);
    json_write_number(&w, STR("1.50"));
    json_write_raw(&w, STR("{\"x\":[]}"));
    json_end_array(&w);
    json_end_object(&w);
    assert_true(json_finish(&w));
    assert_true(str_eqz(buf_str(&out), "{\"a\":-9223372036854775808,\"b\":[null,true,1.50,{\"x\":[]}]}"));
}

struct sink {
    struct buf all;
    size_t calls, largest, fail_at;
};

static bool collect(void *ctx, struct str bytes)
{
    struct sink *s = ctx;
    s->calls++;
    if (bytes.n > s->largest)
        s->largest = bytes.n;
    buf_add(&s->all, bytes);
    return s->calls != s->fail_at;
}

static void write_long_list(struct json_writer *w)
{
    json_begin_array(w);
    for (int i = 0; i < 100000; i++)
        json_write_int(w, i);
    json_end_array(w);
}

static void output_goes_through_flush_in_pieces(void **state)
{
    (void)state;
    struct buf whole BUF_AUTO = BUF_INIT(MAX_OUTPUT), out BUF_AUTO = BUF_INIT(JSON_FLUSH + 1000);
    struct sink sink = {.all = BUF_INIT(MAX_OUTPUT)};
    struct json_writer at_once = {.out = &whole}, in_pieces = {.out = &out, .flush = collect, .ctx = &sink};
    write_long_list(&at_once);
    assert_true(json_finish(&at_once));
    write_long_list(&in_pieces);
    assert_true(json_finish(&in_pieces));
    assert_true(sink.calls > 5);
    assert_true(sink.largest < JSON_FLUSH + 100);
    assert_true(str_eq(buf_str(&sink.all), buf_str(&whole)));
    buf_free(&sink.all);
}

static void a_failed_flush_stops_the_output(void **state)
{
    (void)state;
    struct buf out BUF_AUTO = BUF_INIT(JSON_FLUSH + 1000);
    struct sink sink = {.all = BUF_INIT(MAX_OUTPUT), .fail_at = 2};
    struct json_writer w = {.out = &out, .flush = collect, .ctx = &sink};
    write_long_list(&w);
    assert_true(w.failed);
    assert_false(json_finish(&w));
    assert_int_equal(sink.calls, 2);
    buf_free(&sink.all);
}

static void a_full_buffer_is_a_failure(void **state)
{
    (void)state;
    struct buf out BUF_AUTO = BUF_INIT(1000);
    struct json_writer w = {.out = &out};
    write_long_list(&w);
    assert_false(json_finish(&w));
    assert_true(out.n <= 1000);
}

static void too_deep_a_tree_is_a_failure(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *j = json_make_array(a, NULL, 0);
    for (int i = 1; i < JSON_MAX_DEPTH; i++)
        j = json_make_array(a, &j, 1);
    struct buf out BUF_AUTO = BUF_INIT(10000);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    j = json_make_array(a, &j, 1);
    struct json_writer deep = {.out = &out};
    json_write(&deep, j);
    assert_false(json_finish(&deep));
}

/* Making and comparing */

static void trees_made_by_hand_are_like_those_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char key[] = "key";
    const struct json *items[] = {json_make_null(a), json_make_bool(a, true), json_make_number(a, STR("12"))};
    struct json_member members[] = {
        {.key = str_of(key), .value = json_make_array(a, items, 3)},
        {.key = STR("s"), .value = json_make_string(a, STR("t"))},
    };
    const struct json *j = json_make_object(a, members, 2);
    key[0] = 'x'; /* copied */
    assert_string_equal(print(a, j, 0, false).p, "{\"key\":[null,true,12],\"s\":\"t\"}");
    assert_int_equal(j->line, 0);
    assert_true(json_eq(j, parsez(a, "{\"s\":\"t\",\"key\":[null,true,12.0]}")));
    struct json_member many[100];
    for (int i = 0; i < 100; i++)
        many[i] = (struct json_member){.key = arena_printf(a, "k%d", i), .value = json_make_number(a, arena_printf(a, "%d", i))};
    j = json_make_object(a, many, 100);
    assert_int_equal(json_int(json_get(j, "k77"), 0), 77);
    assert_null(json_get(j, "k100"));
}

static void numbers_are_equal_by_value(void **state)
{
    (void)state;
    static const char *const equal[][2] = {
        {"1", "1.0"},
        {"1", "10e-1"},
        {"1", "0.1e1"},
        {"1", "0.01E+2"},
        {"100", "1e2"},
        {"1e2", "1E+02"},
        {"0", "-0"},
        {"0", "0.00e99"},
        {"0e999999999999999999999", "0"},
        {"-1.50", "-15e-1"},
        {"123.456", "123456e-3"},
        {"0.00012", "1.2e-4"},
        {"1e99999999999999999999999999999999999", "10e99999999999999999999999999999999998"},
        {"1e-99999999999999999999999999999999999", "0.1e-99999999999999999999999999999999998"},
        {"1e100000000000000000000000000", "10e99999999999999999999999999"},
        {"1e0000000000000000000000000000005", "100000"},
        {"12345678901234567890123456789012345678901234567890", "12345678901234567890123456789012345678901234567890.0"},
        {"1.2e0", "12e-00000000000000000000000000000000000001"},
        {"1e1", "100e-1"},
    };
    static const char *const different[][2] = {
        {"1", "2"},
        {"1", "-1"},
        {"1", "10"},
        {"1", "0"},
        {"1e2", "1e3"},
        {"1e-2", "1e2"},
        {"12", "120"},
        {"0.12", "0.012"},
        {"12345678901234567890", "12345678901234567891"},
        {"9007199254740993", "9007199254740992"},
        {"0.1", "0.1000000000000000055511151231257827"},
        {"1e99999999999999999999", "1e99999999999999999998"},
        {"1e99999999999999999999", "1e-99999999999999999999"},
        {"1e99999999999999999999", "1"},
        {"1.21", "1.12"},
        {"121", "12.11"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++) {
        const struct json *x = parsez(a, equal[i][0]), *y = parsez(a, equal[i][1]);
        if (!json_eq(x, y) || !json_eq(y, x))
            fail_msg("%s = %s", equal[i][0], equal[i][1]);
    }
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        const struct json *x = parsez(a, different[i][0]), *y = parsez(a, different[i][1]);
        if (json_eq(x, y) || json_eq(y, x))
            fail_msg("%s != %s", different[i][0], different[i][1]);
    }
}

/* Every way to write some numbers with few digits, compared by means of integers. */
static void number_equality_agrees_with_arithmetic(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct {
        const struct json *json;
        int64_t value; /* times a thousand */
    } v[400];
    size_t n = 0;
    static const char *const coefficients[] = {"0", "1", "10", "12", "1.0", "1.2", "0.1", "0.12", "120", "100", "-1", "-0.10"};
    static const int64_t thousandths[] = {0, 1000, 10000, 12000, 1000, 1200, 100, 120, 120000, 100000, -1000, -100};
    for (size_t i = 0; i < sizeof coefficients / sizeof coefficients[0]; i++)
        for (int exponent = -1; exponent <= 3; exponent++) {
            int64_t value = thousandths[i];
            for (int e = 0; e < exponent + 1; e++)
                value *= 10;
            v[n].json = parse(a, arena_printf(a, "%se%d", coefficients[i], exponent));
            v[n++].value = value; /* times ten thousand: the smallest exponent is -1 */
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_int_equal(json_eq(v[i].json, v[j].json), v[i].value == v[j].value);
}

static void values_are_equal_whatever_the_order_of_members(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":null}", "{\"b\":null}", false},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,1]", false},
        {"\"1\"", "1", false},
        {"null", "false", false},
        {"true", "false", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"{}", "[]", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct json *x = parsez(a, cases[i].a), *y = parsez(a, cases[i].b);
        assert_int_equal(json_eq(x, y), cases[i].equal);
        assert_int_equal(json_eq(y, x), cases[i].equal);
        assert_true(json_eq(x, x));
    }
    assert_true(json_eq(NULL, NULL));
    assert_false(json_eq(NULL, parsez(a, "1")));
}

static void what_was_written_can_be_taken_back(void **state)
{
    (void)state;
    struct buf out BUF_AUTO = BUF_INIT(40);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, STR("kept"));
    struct json_mark mark = json_mark(&w);
    json_begin_array(&w);
    json_write_string(&w, STR("longer than the buffer, which fails for it"));
    assert_false(buf_ok(&out));
    json_back(&w, &mark);
    json_write_bool(&w, true);
    json_end_object(&w);
    assert_true(json_finish(&w));
    assert_true(str_eqz(buf_str(&out), "{\"kept\":true}"));
}

static void a_member_is_put_in_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *object, *key, *value, *expected; /* value NULL: the member is removed */
    } cases[] = {
        {"{\"a\":1,\"b\":2}", "a", "3", "{\"a\":3,\"b\":2}"},
        {"{\"a\":1}", "b", "[]", "{\"a\":1,\"b\":[]}"},
        {"{\"a\":1,\"b\":2}", "a", NULL, "{\"b\":2}"},
        {"{\"a\":1}", "b", NULL, "{\"a\":1}"},
        {"[1]", "a", "1", "{\"a\":1}"},
        {"null", "a", NULL, "{}"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct json *value = cases[i].value ? parsez(a, cases[i].value) : NULL;
        const struct json *with = json_with(a, parsez(a, cases[i].object), str_of(cases[i].key), value);
        assert_true(str_eqz(print(a, with, 0, false), cases[i].expected));
        assert_true(!value || json_get(with, cases[i].key) == value);
    }
}

/* ASan detects it if memory of the first tree is still used. */
static void a_copy_outlives_what_it_is_from(void **state)
{
    (void)state;
    static const char text[] = "{\"b\":[1,-2.50,\"x\\n\",{\"deep\":[[]]}],\"a\":null,\"t\":true,\"f\":false,\"\":{}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct arena *first = arena_new(NULL, 0);
    const struct json *copy = json_copy(a, parsez(first, text));
    arena_free(first);
    assert_true(str_eqz(print(a, copy, 0, false), text));
    assert_non_null(json_get(copy, "a"));
    assert_null(json_copy(a, NULL));
}

static void a_path_is_followed_as_far_as_it_leads(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *root = parse(a, STR("{\"a\":\n  [1, {\"b\": true}]}"));
    struct path p = path_attr(a, path_index(a, path_attr(a, PATH_ROOT, STR("a")), 1), STR("b"));
    struct json_found f = json_find(root, p);
    assert_true(f.steps == 3 && f.value->kind == JSON_BOOL && f.line == 2 && f.column == 8);
    f = json_find(root, path_key(a, (struct path){p.steps, 2}, STR("other")));
    assert_true(f.steps == 2 && f.value->kind == JSON_OBJECT && f.line == 2 && f.column == 7);
    f = json_find(root, path_index(a, (struct path){p.steps, 1}, 2));
    assert_true(f.steps == 1 && f.value->kind == JSON_ARRAY && f.line == 1 && f.column == 2);
    f = json_find(root, path_index(a, PATH_ROOT, 0));
    assert_true(f.steps == 0 && f.value == root && f.line == 1 && f.column == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_texts_are_read),
        cmocka_unit_test(invalid_texts_are_refused_with_the_place),
        cmocka_unit_test(free_choices_are_as_documented),
        cmocka_unit_test(nesting_has_an_exact_limit),
        cmocka_unit_test(lenient_reading_is_go_s),
        cmocka_unit_test(the_last_of_equal_keys_counts_in_objects_of_any_size),
        cmocka_unit_test(the_tree_does_not_need_the_text),
        cmocka_unit_test(strings_end_with_a_nul),
        cmocka_unit_test(positions_are_of_the_first_character),
        cmocka_unit_test(an_arena_with_a_limit_stops_the_reader),
        cmocka_unit_test(objects_of_any_size_are_searched),
        cmocka_unit_test(lookups_have_fallbacks),
        cmocka_unit_test(indentation_is_as_go_prints_it),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(pieces_are_put_together),
        cmocka_unit_test(output_goes_through_flush_in_pieces),
        cmocka_unit_test(a_failed_flush_stops_the_output),
        cmocka_unit_test(a_full_buffer_is_a_failure),
        cmocka_unit_test(too_deep_a_tree_is_a_failure),
        cmocka_unit_test(trees_made_by_hand_are_like_those_read),
        cmocka_unit_test(numbers_are_equal_by_value),
        cmocka_unit_test(number_equality_agrees_with_arithmetic),
        cmocka_unit_test(values_are_equal_whatever_the_order_of_members),
        cmocka_unit_test(what_was_written_can_be_taken_back),
        cmocka_unit_test(a_member_is_put_in_its_place),
        cmocka_unit_test(a_copy_outlives_what_it_is_from),
        cmocka_unit_test(a_path_is_followed_as_far_as_it_leads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
