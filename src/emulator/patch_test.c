#include "emulator/patch.h"

#include "base/testing.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static const struct json *apply(struct arena *a, const struct json *document, const char *patch, struct str *ret_problem)
{
    *ret_problem = STR_EMPTY;
    return emulator_patch(a, document, testing_jsonz(a, patch), ret_problem);
}

static void check_case(struct arena *a, const struct json *c)
{
    const struct json *result = json_get(c, "result"), *error = json_get(c, "error"), *patch = json_get(c, "patch");
    struct str problem = STR_EMPTY;
    const struct json *got = emulator_patch(a, json_get(c, "document"), patch, &problem);
    if (result && !got)
        fail_msg("refused: " STR_FMT, STR_ARG(problem));
    if (result)
        assert_true(json_eq(got, result));
    else if (got || !strstr(problem.p, error->text.p))
        fail_msg("\"" STR_FMT "\", expected \"%s\"", STR_ARG(problem), error->text.p);
}

/* The examples of RFC 6902, appendix A, and others. */
static void patches_are_applied_as_the_standard_says(void **state)
{
    (void)state;
    ARENA;
    struct str text = testing_file_in(a, TERRANE_SOURCE "/src/emulator/testdata", "patch.json");
    const struct json *cases = testing_jsonz(a, text.p);
    assert_true(cases->array.n > 30);
    for (size_t i = 0; i < cases->array.n; i++)
        check_case(a, cases->array.items[i]);
}

static void the_document_is_never_changed(void **state)
{
    (void)state;
    ARENA;
    struct str problem;
    const struct json *document = testing_jsonz(a, "{\"a\":[1,2,{\"b\":3}]}"),
                      *same = testing_jsonz(a, "{\"a\":[1,2,{\"b\":3}]}");
    assert_non_null(
        apply(a, document, "[{\"op\":\"remove\",\"path\":\"/a/0\"},{\"op\":\"add\",\"path\":\"/a/1/c\",\"value\":4}]", &problem));
    assert_true(json_eq(document, same));
}

/* Each copy doubles the document: without a limit there would be 2^60 values. */
static void growth_is_bounded(void **state)
{
    (void)state;
    ARENA;
    struct buf patch BUF_AUTO = BUF_INIT(1 << 16);
    struct str problem;
    buf_addc(&patch, '[');
    for (int i = 0; i < 60; i++)
        buf_printf(&patch, "%s{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}", i > 0 ? "," : "");
    buf_addc(&patch, ']');
    assert_null(apply(a, testing_jsonz(a, "{\"a\":[1]}"), buf_copy(&patch, a).p, &problem));
    assert_non_null(strstr(problem.p, "too large"));
}

static void depth_is_bounded(void **state)
{
    (void)state;
    ARENA;
    struct buf patch BUF_AUTO = BUF_INIT(1 << 20);
    struct str problem;
    buf_addc(&patch, '[');
    for (int i = 0; i <= JSON_MAX_DEPTH; i++) {
        buf_printf(&patch, "%s{\"op\":\"add\",\"value\":{},\"path\":\"", i > 0 ? "," : "");
        for (int k = 0; k <= i; k++)
            buf_addz(&patch, "/a");
        buf_addz(&patch, "\"}");
    }
    buf_addc(&patch, ']');
    assert_null(apply(a, testing_jsonz(a, "{}"), buf_copy(&patch, a).p, &problem));
    assert_non_null(strstr(problem.p, "too deep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_applied_as_the_standard_says),
        cmocka_unit_test(the_document_is_never_changed),
        cmocka_unit_test(growth_is_bounded),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests_name("emulator/patch", tests, NULL, NULL);
}
