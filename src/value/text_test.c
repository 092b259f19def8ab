#include "value/text.h"

#include "base/buf.h"
#include "table_test.h"

static const char *check(struct arena *a, const struct json *row)
{
    struct str in = json_get(row, "in")->text, nfc;
    if (!text_normalize(a, in, &nfc) || !str_eq(nfc, json_get(row, "nfc")->text))
        return "wrong normal form";
    struct str safe = text_safe_prefix(a, in);
    return str_eq(safe, json_get(row, "safe")->text) ? NULL : arena_printf(a, "wrong safe prefix: " STR_FMT, STR_ARG(safe)).p;
}

static void text_is_normalised_and_cut_as_by_terraform(void **state)
{
    (void)state;
    run_table("text.jsonl", NULL, check);
}

static void what_is_not_utf8_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str ret;
    assert_false(text_normalize(a, STR("a\xff"), &ret));
    assert_false(text_normalize(a, STR("\xc0\x80"), &ret));
    assert_false(text_normalize(a, STR("long ascii text and then \xed\xa0\x80"), &ret));
    assert_true(text_normalize(a, STR("a\0b"), &ret));
    assert_int_equal(ret.n, 3);
}

static void quoting_is_that_of_go(void **state)
{
    (void)state;
    static const struct {
        struct str in;
        const char *out;
    } cases[] = {
        {STR("a"), "\"a\""},
        {STR("q\"\\"), "\"q\\\"\\\\\""},
        {STR("\a\b\t\n\v\f\r"), "\"\\a\\b\\t\\n\\v\\f\\r\""},
        {STR("\x01\x7f"), "\"\\x01\\x7f\""},
        {STR("\xc3\xa9 \xe6\x97\xa5"), "\"\xc3\xa9 \xe6\x97\xa5\""},
        {STR("\xc2\xa0\xe2\x80\xa8\xf3\xa0\x80\x81"), "\"\\u00a0\\u2028\\U000e0001\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out BUF_AUTO = BUF_INIT(1000);
        text_write_quoted(&out, cases[i].in);
        buf_addc(&out, '\0');
        assert_string_equal(out.p, cases[i].out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_normalised_and_cut_as_by_terraform),
        cmocka_unit_test(what_is_not_utf8_is_refused),
        cmocka_unit_test(quoting_is_that_of_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
