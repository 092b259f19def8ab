#include "base/buf.h"
#include "table_test.h"
#include "value/text_private.h"

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

/* Checked with `terraform state list` and `state show` of Terraform 1.11.4. */
static void strings_of_the_language_are_those_of_terraform(void **state)
{
    (void)state;
    static const struct {
        const char *text, *quoted;
    } cases[] = {
        {"", "\"\""},
        {"a key", "\"a key\""},
        {"${a}", "\"$${a}\""},
        {"%{b}", "\"%%{b}\""},
        {"$${x}", "\"$$${x}\""},
        {"%%%{", "\"%%%%{\""},
        {"a$", "\"a$\""},
        {"$ {%", "\"$ {%\""},
        {"tab\tx\r\n", "\"tab\\tx\\r\\n\""},
        {"\"\\", "\"\\\"\\\\\""},
        {"\xc3\xa9\x01", "\"\xc3\xa9\\u0001\""},
        {"\xe2\x80\x8b\xf3\xa0\x80\x81", "\"\\u200b\\U000e0001\""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out BUF_AUTO = BUF_INIT(1000);
        struct str back;
        text_write_language(&out, str_of(cases[i].text));
        assert_true(str_eqz(buf_str(&out), cases[i].quoted));
        assert_true(text_read_language(a, str_of(cases[i].quoted), &back));
        assert_true(str_eqz(back, cases[i].text));
    }
    static const char *const refused[] = {"",          "\"",      "a",         "\"a",         "\"\"\"",          "\"${a}\"",
                                          "\"x%{a}\"", "\"\\q\"", "\"\\u12\"", "\"\\ud800\"", "\"\\U00110000\"", "\"\\\""};
    struct str ignored;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(text_read_language(a, str_of(refused[i]), &ignored));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_normalised_and_cut_as_by_terraform),
        cmocka_unit_test(what_is_not_utf8_is_refused),
        cmocka_unit_test(quoting_is_that_of_go),
        cmocka_unit_test(strings_of_the_language_are_those_of_terraform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
