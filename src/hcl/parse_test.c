/* Tables of texts with their trees or diagnostics. The scenario test checks each of them with terraform too. */
#include "base/testing_table.h"
#include "hcl/testing_dump.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define TESTDATA TERRANE_SOURCE "/src/hcl/testdata/"

static const char *said(const struct diags *d)
{
    return d->n > 0 ? d->v[0].detail.p : "nothing";
}

static void trees(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, TESTDATA "accepted.tsv");
    for (size_t i = 0; i < table.n; i++) {
        struct diags diags;
        diags_init(&diags, a);
        const struct hcl_body *body = hcl_parse(a, table.v[i].field[0], "t", 1, &diags);
        if (!body)
            fail_msg("accepted.tsv:%zu: %s", table.v[i].line, said(&diags));
        struct buf out BUF_AUTO = BUF_INIT(TABLE_MAX_FILE);
        dump_body(&out, body);
        if (!str_eq(buf_str(&out), table.v[i].field[1]))
            fail_msg("accepted.tsv:%zu:\n" STR_FMT, table.v[i].line, STR_ARG(buf_str(&out)));
    }
}

static void refusals(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, TESTDATA "refused.tsv");
    for (size_t i = 0; i < table.n; i++) {
        struct diags diags;
        diags_init(&diags, a);
        if (hcl_parse(a, table.v[i].field[0], "t", 1, &diags))
            fail_msg("refused.tsv:%zu: accepted", table.v[i].line);
        assert_int_equal(diags.n, 1);
        if (!strstr(said(&diags), table.v[i].field[1].p))
            fail_msg("refused.tsv:%zu: %s", table.v[i].line, said(&diags));
    }
}

static void lines_of_a_part_of_a_file(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct hcl_body *body = hcl_parse(a, STR("\na {\n  \xc3\xa4 = [1,\n x.y]\n}\n"), "page.md", 40, &diags);
    assert_non_null(body);
    assert_int_equal(body->blocks[0].at.line, 41);
    const struct hcl_attr *attr = hcl_body_attr(&body->blocks[0].body, "\xc3\xa4");
    assert_non_null(attr);
    assert_int_equal(attr->at.column, 3);
    assert_int_equal(attr->value->at.column, 7);
    assert_int_equal(attr->value->parts.v[1]->at.line, 43);
    assert_int_equal(attr->value->parts.v[1]->at.column, 2);
    assert_null(hcl_body_attr(body, "a"));
    assert_null(hcl_parse(a, STR("a {\n]"), "page.md", 40, &diags));
    assert_non_null(strstr(said(&diags), "page.md:41:1: "));
}

static const struct hcl_body *repeat(struct arena *a, const char *before, const char *part, size_t n, const char *after,
                                     struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(HCL_LIMIT_BYTES + 100);
    buf_addz(&text, before);
    for (size_t i = 0; i < n; i++)
        buf_addz(&text, part);
    buf_addz(&text, after);
    diags_init(diags, a);
    return hcl_parse(a, buf_copy(&text, a), "t", 1, diags);
}

static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *before, *part, *after;
        size_t fits, too_many;
        const char *says;
    } cases[] = {
        {"a = ", "[", "", 0, 1 << 16, "nested deeper"},          {"a = ", "(", "", 0, 1 << 16, "nested deeper"},
        {"a = ", "!", "b", 40, 1 << 16, "nested deeper"},        {"a = ", "{x=", "", 0, 1 << 16, "nested deeper"},
        {"a = ", "f(", "", 0, 1 << 16, "nested deeper"},         {"a = ", "\"${", "", 0, 1 << 16, "nested deeper"},
        {"a = \"", "%{if x}", "", 0, 1 << 16, "nested deeper"},  {"a = b", "[b", "", 0, 1 << 16, "nested deeper"},
        {"a = b", " ? b : b", "", 30, 1 << 16, "nested deeper"}, {"a = b", " + b - b", "", 40, 1 << 16, "nested deeper"},
        {"a = b", "+b", "", 1 << 16, 1 << 20, "tokens"},         {"", "a {\n", "", 0, 1 << 16, "nested deeper"},
        {"a = b", ".b", "", 1 << 16, 1 << 20, "tokens"},         {"a = \"", "aaaaaaaa", "\"", 1 << 16, 1 << 19, "longer than"},
        {"a = [", "1,", "]", 1 << 16, 1 << 20, "tokens"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        if (cases[i].fits > 0 && !repeat(a, cases[i].before, cases[i].part, cases[i].fits, cases[i].after, &diags))
            fail_msg("%zu: %s", i, said(&diags));
        if (repeat(a, cases[i].before, cases[i].part, cases[i].too_many, cases[i].after, &diags) ||
            !strstr(said(&diags), cases[i].says))
            fail_msg("%zu: %s", i, said(&diags));
    }
}

static void small_memory(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *small = arena_new(a, 64 << 10);
    struct diags diags;
    assert_null(repeat(small, "a = [", "[1],", 1 << 14, "]", &diags));
    assert_non_null(strstr(said(&diags), "too large"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),  cmocka_unit_test(refusals),     cmocka_unit_test(lines_of_a_part_of_a_file),
        cmocka_unit_test(limits), cmocka_unit_test(small_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
