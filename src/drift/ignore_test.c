/* .driftignore: the cases of driftctl's own tests, and "!" as in gitignore. */
#include "drift/ignore.h"

#include "base/testing.h"

static struct driftignore *ignore_of(struct arena *a, const char *text, struct diags *diags)
{
    struct driftignore *d = arena_make(a, struct driftignore);
    *d = (struct driftignore){0};
    diags_init(diags, a);
    driftignore_read(d, a, str_of(text), ".driftignore", diags);
    return d;
}

static void objects(void **state)
{
    (void)state;
    static const struct {
        const char *rules, *type, *id;
        bool ignored;
    } table[] = {
        {"", "type1", "id1", false},
        {"ignored_resource.id2\nwildcard_resource.*\n", "type1", "id1", false},
        {"ignored_resource.id2\n\n# x\nwildcard_resource.*\n", "ignored_resource", "id2", true},
        {"wildcard_resource.*", "wildcard_resource", "id1/with/slash", true},
        {"resource_type.id\\.with\\.dots", "resource_type", "id.with.dots", true},
        {"resource_type.id.with.dots", "resource_type", "id.with.dots", false},
        {"resource_type.idwith\\\\", "resource_type", "idwith\\", true},
        {"resource_type.idwith\\\\backslashes", "resource_type", "idwith\\backslashes", true},
        {"*2**.**d1*\ntype3.id1***0\n", "type1", "id1", false},
        {"*2**.**d1*\ntype3.id1***0\n", "type2", "id1", true},
        {"*2**.**d1*\ntype3.id1***0\n", "type2", "id11", true},
        {"*2**.**d1*\ntype3.id1***0\n", "type2", "id2", false},
        {"*2**.**d1*\ntype3.id1***0\n", "type3", "id100", true},
        {"*2**.**d1*\ntype3.id1***0\n", "type3", "id101", false},
        {"*.id\\\\WithBa*slas*\\\\**\\\\", "type4", "id\\WithBac*slash***\\*\\", true},
        {"*\n!iam_user.*\n", "type1", "id1", true},
        {"*\n!iam_user.*\n", "iam_user", "x", false},
        {"*\n!iam_user", "iam_user", "x", false},
        {"!iam_user.x\niam_user.*\n", "iam_user", "x", true},
        {"aws_s3_bucket.B", "aws_s3_bucket", "b", false},
        {"aws_lambda_function.*.environment", "aws_lambda_function", "f", false},
        {"aws_lambda_function.fu", "aws_lambda_function", "full", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct diags diags;
        const struct driftignore *d = ignore_of(a, table[i].rules, &diags);
        testing_no_errors(&diags);
        if (driftignore_object(d, a, str_of(table[i].type), str_of(table[i].id)) != table[i].ignored)
            fail_msg("%s: %s.%s", table[i].rules, table[i].type, table[i].id);
    }
}

static void attributes(void **state)
{
    (void)state;
    static const char rules[] = "res_type.full.json\nres_type.partial.foobar\nres_type.wildcard.*.baz\nres_type.end.struct\n"
                                "resource_type.id\\.with\\.dots.json\nres_type.*.LastModified\nres_type.list.rule.0.port\n";
    static const struct {
        const char *type, *id, *path[3];
        bool ignored;
    } table[] = {
        {"res_type", "full", {"json"}, true},
        {"res_type", "partial", {"json"}, false},
        {"res_type", "partial", {"foobar"}, true},
        {"res_type", "wildcard", {"struct", "baz"}, true},
        {"res_type", "wildcard", {"struct", "bar"}, false},
        {"res_type", "end", {"struct", "baz"}, true},
        {"res_type", "end", {"structure"}, false},
        {"resource_type", "id.with.dots", {"json"}, true},
        {"res_type", "any", {"last_modified"}, false},
        {"res_type", "any", {"lastmodified"}, true},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    const struct driftignore *d = ignore_of(a, rules, &diags);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct path path = PATH_ROOT;
        for (size_t k = 0; k < 3 && table[i].path[k]; k++)
            path = path_attr(a, path, str_of(table[i].path[k]));
        if (driftignore_attribute(d, a, str_of(table[i].type), str_of(table[i].id), path) != table[i].ignored)
            fail_msg("%s.%s.%s", table[i].type, table[i].id, table[i].path[0]);
    }
    struct path port = path_attr(a, path_index(a, path_attr(a, PATH_ROOT, STR("rule")), 0), STR("port"));
    assert_true(driftignore_attribute(d, a, STR("res_type"), STR("list"), port));
}

static void without_effect(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    assert_int_equal(ignore_of(a, "a.b\n!\n.x\n", &diags)->rules.n, 1);
    assert_int_equal(diags.n, 2);
    testing_says(&diags, ".driftignore:2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(objects), cmocka_unit_test(attributes), cmocka_unit_test(without_effect)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
