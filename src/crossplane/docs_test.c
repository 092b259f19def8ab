#include "crossplane/docs.h"

#include "crossplane/testing_crossplane.h"

static const char file[] = "name: x\nresources:\n  x_a:\n    argumentDocs:\n"
                           "      name: \"- (Required) The name. Terraform needs it. Must be short.\"\n"
                           "      rule.key: \"(Optional) Key of a rule.\"\n"
                           "      other.deep.port: Port.\n";

static const char *describe(struct arena *a, const struct xp_docs *d, const char *path, const char *schema_text)
{
    return arena_str(a, xp_docs_describe(d, a, STR("x_a"), str_of(path), str_of(schema_text))).p;
}

static void texts_are_found(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct xp_docs *d = xp_docs_read(a, STR(file), "metadata.yaml", &diags);
    testing_no_errors(&diags);
    assert_string_equal(describe(a, d, "name", ""), "- (Required) The name. Must be short.");
    assert_string_equal(describe(a, d, "block.name", ""), "- (Required) The name. Must be short.");
    assert_string_equal(describe(a, d, "rule.key", "From the schema."), "(Optional) Key of a rule.\nFrom the schema.");
    assert_string_equal(describe(a, d, "deep.port", ""), "Port.");
    assert_string_equal(describe(a, d, "deep.support", "as it was"), "as it was");
    assert_true(str_eqz(xp_docs_describe(d, a, STR("x_b"), STR("name"), STR("as it was")), "as it was"));
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(xp_docs_read(a, STR("name: x\n"), "metadata.yaml", &diags));
    testing_says(&diags, "metadata.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_found), cmocka_unit_test(other_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
