/* sensitive_test.c tests notations and wildcards with its recorded facts. */
#include "managed/field_path.h"

#include "managed/testing_managed.h"

static struct managed_path path_of(struct arena *a, const char *text)
{
    struct diags diags;
    struct managed_path path = {0};
    diags_init(&diags, a);
    (void)managed_path_parse(a, str_of(text), &diags, &path);
    testing_no_errors(&diags);
    return path;
}

static void texts(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "a.b", "a[0].b", "a[*].b", "a[x.y/z].b[10]", "[0]", ""};
    static const char *const bad[] = {"a..b", ".a", "a.", "a[", "a[]", "a[0", "a[0]b", "a]"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        testing_text(managed_path_text(a, path_of(a, good[i])), good[i]);
    testing_text(managed_path_text(a, path_of(a, "a.*.b")), "a[*].b");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct diags diags;
        struct managed_path path;
        diags_init(&diags, a);
        if (managed_path_parse(a, str_of(bad[i]), &diags, &path))
            fail_msg("%s is a path", bad[i]);
        testing_says(&diags, "is not a valid path");
    }
}

/* Paths and values, applied one after the other to the initial object. */
static const struct {
    const char *before;
    struct {
        const char *path, *value;
    } changes[3];
    const char *after; /* the result, or the message if it does not start with { or [ */
} cases[] = {
    {"{}", {{"a", "1"}}, "{\"a\":1}"},
    {"{\"a\":1,\"b\":2}", {{"a", "3"}}, "{\"a\":3,\"b\":2}"},
    {"{}", {{"a.b[2].c", "1"}}, "{\"a\":{\"b\":[null,null,{\"c\":1}]}}"},
    {"{\"a\":[{\"b\":1}]}", {{"a[0].c", "2"}, {"a[1].c", "3"}}, "{\"a\":[{\"b\":1,\"c\":2},{\"c\":3}]}"},
    {"{\"a\":null}", {{"a.b", "1"}}, "{\"a\":{\"b\":1}}"},
    {"{}", {{"a", "1"}, {"a", "2"}}, "{\"a\":2}"},
    {"{}", {{"a", "{\"b\":1}"}, {"a.c", "2"}}, "{\"a\":{\"b\":1,\"c\":2}}"},
    {"{}", {{"a.c", "2"}, {"a", "{\"b\":1}"}}, "{\"a\":{\"b\":1}}"},
    {"{\"a\":1}", {{"a.b", "1"}}, "there is no object at it"},
    {"{\"a\":{}}", {{"a[0]", "1"}}, "there is no array at it"},
    {"{}", {{"a", "1"}, {"a.b", "2"}}, "there is no object at it"},
    {"{}", {{"a[0]", "1"}, {"a.b", "2"}}, "there is no object at it"},
    {"{}", {{"a[*]", "1"}}, "a value cannot be put at a wildcard"},
    {"{}", {{"a[1025]", "1"}}, "the index is too large"},
    {"{}", {{"", "[1]"}}, "[1]"},
};

static void changes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct managed_changes list = {0};
        struct diags diags;
        const struct json *got = NULL;
        diags_init(&diags, a);
        for (size_t k = 0; k < 3 && cases[i].changes[k].path; k++)
            managed_change_add(a, &list, path_of(a, cases[i].changes[k].path), testing_jsonz(a, cases[i].changes[k].value));
        bool ok = managed_apply(a, testing_jsonz(a, cases[i].before), &list, &diags, &got);
        if (ok)
            testing_same(a, got, cases[i].after);
        else
            testing_says(&diags, cases[i].after);
    }
}

/* Many changes need one copy: one copy for each change of a list of this length would take gigabytes. */
static void many_changes(void **state)
{
    (void)state;
    enum { MANY = 50000, LIMIT = 256 << 20 };
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct managed_changes list = {0};
    struct diags diags;
    const struct json *got = NULL;
    diags_init(&diags, a);
    for (size_t i = 0; i < MANY; i++) {
        struct managed_step *steps = arena_make_n(a, struct managed_step, 2);
        steps[0] = (struct managed_step){.kind = MANAGED_STEP_KEY, .key = STR("l")};
        steps[1] = (struct managed_step){.kind = MANAGED_STEP_INDEX, .index = i};
        managed_change_add(a, &list, (struct managed_path){steps, 2}, json_make_bool(a, true));
    }
    assert_true(managed_apply(a, NULL, &list, &diags, &got));
    assert_int_equal(json_get(got, "l")->array.n, MANY);
    assert_false(arena_exhausted(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(changes),
        cmocka_unit_test(many_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
