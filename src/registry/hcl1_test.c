#include "registry/hcl1.h"

#include "base/buf.h"
#include "registry/testing_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_DUMP = 1 << 20 };

static void dump(struct buf *out, const struct hcl1_value *v);

static void dump_text(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < ' ' || c == '"' || c == '\\')
            buf_printf(out, "\\%02x", (unsigned)c);
        else
            buf_addc(out, (char)c);
    }
    buf_addc(out, '"');
}

static void dump_body(struct buf *out, const struct hcl1_value *v)
{
    for (size_t i = 0; i < v->body.n; i++) {
        const struct hcl1_item *item = &v->body.v[i];
        buf_addz(out, i > 0 ? ", " : "");
        buf_add(out, item->key);
        for (size_t j = 0; j < item->n_labels; j++) {
            buf_addc(out, ' ');
            dump_text(out, item->labels[j]);
        }
        buf_addz(out, item->assigned ? " = " : " ");
        dump(out, &item->value);
    }
}

static void dump(struct buf *out, const struct hcl1_value *v)
{
    switch (v->kind) {
    case HCL1_NULL:
        buf_addz(out, "null");
        break;
    case HCL1_BOOL:
        buf_addz(out, v->boolean ? "true" : "false");
        break;
    case HCL1_NUMBER:
        buf_add(out, v->text);
        break;
    case HCL1_STRING:
        dump_text(out, v->text);
        break;
    case HCL1_LIST:
        buf_addc(out, '[');
        for (size_t i = 0; i < v->list.n; i++) {
            buf_addz(out, i > 0 ? ", " : "");
            dump(out, &v->list.v[i]);
        }
        buf_addc(out, ']');
        break;
    case HCL1_BODY:
        buf_addc(out, '{');
        dump_body(out, v);
        buf_addc(out, '}');
        break;
    }
}

/* The tree as one line, or the diagnostics. */
static const char *parse(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    /* A copy of the exact size lets a sanitizer see reads past the end. */
    char *copy = malloc(text.n + (text.n == 0));
    memcpy(copy, text.p, text.n);
    const struct hcl1_value *root = hcl1_parse(a, (struct str){copy, text.n}, "rc", &diags);
    struct buf out BUF_AUTO = BUF_INIT(MAX_DUMP);
    if (root)
        dump_body(&out, root);
    free(copy);
    assert_int_equal(root == NULL, diags.n_errors == 1);
    return root ? buf_copy(&out, a).p : str_trim(str_of(test_text(a, &diags))).p;
}

static void the_table_of_texts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str rest = test_read(a, TERRANE_SOURCE "/src/registry/testdata/hcl.txt");
    struct test_case c;
    size_t n = 0;
    for (; test_next_case(&rest, &c); n++) {
        struct str got = str_trim(str_of(parse(a, c.input)));
        if (!str_eq(got, c.expected))
            fail_msg("%.*s: expected\n%.*s\ngot\n%.*s", (int)c.name.n, c.name.p, (int)c.expected.n, c.expected.p, (int)got.n,
                     got.p);
    }
    assert_true(n > 50);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_non_null(strstr(parse(a, STR("a = \"\xff\"")), "rc:1:6: not valid UTF-8"));
    assert_non_null(strstr(parse(a, STR("\n\n \xc3")), "rc:3:2: not valid UTF-8"));
    assert_non_null(strstr(parse(a, STR("a = \"\0\"")), "rc:1:6: a NUL byte"));
    assert_non_null(strstr(parse(a, STR("\0")), "rc:1:1: expected a name, found an unexpected character"));
    assert_non_null(strstr(parse(a, STR("# \0")), "rc:1:3: a NUL byte"));
    /* Columns count characters. */
    assert_non_null(strstr(parse(a, STR("a = \"\xc3\xa4\xc3\xb6\" ~")), "rc:1:10:"));
}

static void lines_may_end_as_in_windows(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(parse(a, STR("a = 1\r\nb = <<E\r\n x\r\nE\r\nc {}\r\n")), "a = 1, b = \" x\\0a\", c {}");
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(MAX_DUMP);
    for (int i = 0; i < HCL1_MAX_DEPTH; i++)
        buf_addz(&text, "a{");
    for (int i = 0; i < HCL1_MAX_DEPTH; i++)
        buf_addz(&text, "}");
    assert_null(strstr(parse(a, buf_str(&text)), "error"));
    buf_clear(&text);
    buf_addz(&text, "a=");
    for (int i = 0; i < 100000; i++)
        buf_addz(&text, "[");
    assert_non_null(strstr(parse(a, buf_str(&text)), "nested deeper than 64 levels"));
    buf_clear(&text);
    for (int i = 0; i < 100000; i++)
        buf_addz(&text, "a{");
    assert_non_null(strstr(parse(a, buf_str(&text)), "nested deeper than 64 levels"));
    buf_clear(&text);
    for (int i = 0; i < 100000; i++)
        buf_addz(&text, "{\"a\":");
    assert_non_null(strstr(parse(a, buf_str(&text)), "error"));
}

static void size_is_bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *text = malloc(HCL1_MAX_BYTES + 1);
    memset(text, '\n', HCL1_MAX_BYTES + 1);
    assert_string_equal(parse(a, (struct str){text, HCL1_MAX_BYTES}), "");
    assert_non_null(strstr(parse(a, (struct str){text, HCL1_MAX_BYTES + 1}), "larger than 1048576 bytes"));
    free(text);
}

static void errors_never_show_the_text(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "credentials \"h\" { token = hunter2 }",
        "credentials \"h\" { token = \"hunter2 }",
        "credentials \"h\" { token \"hunter2\" }",
        "credentials \"h\" { token = \"hunter2\\q\" }",
        "credentials \"h\" { token = <<hunter2 x\n }",
        "hunter2",
        "credentials \"h\" { token = <<E\nhunter2\n }",
        "{\"credentials\": {\"h\": {\"token\": \"hunter2\"",
        "a = [ hunter2 ]",
        "{\"credentials\": {\"h\": {\"token\": hunter2}}}",
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *got = parse(a, str_of(texts[i]));
        assert_non_null(strstr(got, "error: "));
        if (strstr(got, "hunter2"))
            fail_msg("%s", got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_texts),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(lines_may_end_as_in_windows),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(size_is_bounded),
        cmocka_unit_test(errors_never_show_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
