#include "install/lock_file.h"

#include "base/testing.h"

static struct lock_file parse(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    struct lock_file file;
    bool ok = lock_file_parse(a, str_of(text), "lock", &diags, &file);
    testing_no_errors(&diags);
    assert_true(ok);
    return file;
}

static void written_as_terraform_writes_it(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct lock_file file = parse(a, "provider \"example.com/b-c/x\" {\n version = \"1.0.0\"\n}\n");
    struct str hashes[] = {STR("zh:22"), STR("h1:a="), STR("zh:11"), STR("zh:22")};
    lock_file_put(a, &file, &(struct lock_entry){STR("example.com/b/x"), STR("2.0.0"), STR(">= 1.0.0, ~> 2.0"), hashes, 4});
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    lock_file_text(&out, a, &file);
    testing_text(buf_str(&out), "# This file is maintained automatically by \"terraform init\".\n"
                                "# Manual edits may be lost in future updates.\n"
                                "\n"
                                "provider \"example.com/b/x\" {\n"
                                "  version     = \"2.0.0\"\n"
                                "  constraints = \">= 1.0.0, ~> 2.0\"\n"
                                "  hashes = [\n"
                                "    \"h1:a=\",\n"
                                "    \"zh:11\",\n"
                                "    \"zh:22\",\n"
                                "  ]\n"
                                "}\n"
                                "\n"
                                "provider \"example.com/b-c/x\" {\n"
                                "  version = \"1.0.0\"\n"
                                "}\n");
}

static void a_comment_of_another_program_stays(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct lock_file file = parse(a, "# This file is maintained automatically by \"tofu init\".\n# Manual edits.\n");
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    lock_file_text(&out, a, &file);
    testing_text(buf_str(&out), "# This file is maintained automatically by \"tofu init\".\n# Manual edits.\n");
}

static void what_is_not_understood_is_an_error(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const cases[][2] = {
        {"x = 1\n", "only provider blocks"},
        {"module \"a\" {}\n", "only blocks of the form"},
        {"provider \"a/b/c/d\" {}\n", "not a valid provider address"},
        {"provider \"e.io/a/b\" {}\n", "\"version\" is missing"},
        {"provider \"e.io/a/b\" {\n version = \"x\"\n}\n", "not a valid version"},
        {"provider \"e.io/a/b\" {\n version = \"1.0.0\"\n other = 1\n}\n", "unknown argument"},
        {"provider \"e.io/a/b\" {\n version = \"1.0.0\"\n hashes = \"h1:\"\n}\n", "must be a list"},
        {"provider \"e.io/a/b\" {\n version = \"1.0.0\"\n hashes = [\"abc\"]\n}\n", "kind and a colon"},
        {"provider \"e.io/a/b\" {\n version = \"1.0.0\"\n}\nprovider \"e.io/a/b\" {\n version = \"1.0.0\"\n}\n",
         "a second block"},
        {"provider \"a/b\" {\n version = \"1.0.0\"\n}\n", "must be written as \"registry.terraform.io/a/b\""},
        {"provider \"e.io/A/b\" {\n version = \"1.0.0\"\n}\n", "must be written as \"e.io/a/b\""},
        {"provider \"e.io/a/b\" {\n version = \"1.0\"\n}\n", "of the form 1.2.3"},
        {"provider \"e.io/a/b\" {\n version = \"1.0.0\"\n constraints = \"now\"\n}\n", "not valid version constraints"},
        {"provider \"e.io/a/b\" {\n version = \"1.0.0\"\n hashes = []\n}\n", "at least one hash"},
        {"provider", "lock:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct lock_file file;
        assert_false(lock_file_parse(a, str_of(cases[i][0]), "lock", &diags, &file));
        testing_says(&diags, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_as_terraform_writes_it),
        cmocka_unit_test(a_comment_of_another_program_stays),
        cmocka_unit_test(what_is_not_understood_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
