#include "registry/cli_config.h"

#include "base/buf.h"
#include "registry/hcl1.h"
#include "registry/testing_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_DUMP = 1 << 20 };

static void dump_text(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '\n')
            buf_addz(out, "\\n");
        else
            buf_addc(out, text.p[i]);
}

static void dump_patterns(struct buf *out, const char *name, const struct str *patterns, size_t n)
{
    if (n > 0)
        buf_printf(out, " %s", name);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, " " STR_FMT, STR_ARG(patterns[i]));
}

static const char *dump(struct arena *a, const struct cli_config *c)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_DUMP);
    if (c->plugin_cache_dir.n > 0)
        buf_printf(&out, "cache " STR_FMT "\n", STR_ARG(c->plugin_cache_dir));
    if (!c->has_installation)
        buf_addz(&out, "no provider_installation\n");
    for (size_t i = 0; i < c->n_overrides; i++)
        buf_printf(&out, "override " STR_FMT " " STR_FMT "\n", STR_ARG(c->overrides[i].address), STR_ARG(c->overrides[i].folder));
    for (size_t i = 0; i < c->n_methods; i++) {
        static const char *const words[] = {"mirror", "network", "direct", "oci"};
        buf_addz(&out, words[c->methods[i].kind]);
        if (c->methods[i].kind != METHOD_DIRECT) {
            buf_addc(&out, ' ');
            dump_text(&out, c->methods[i].path);
        }
        dump_patterns(&out, "include", c->methods[i].include, c->methods[i].n_include);
        dump_patterns(&out, "exclude", c->methods[i].exclude, c->methods[i].n_exclude);
        buf_addc(&out, '\n');
    }
    for (size_t i = 0; i < c->n_tokens; i++)
        buf_printf(&out, "token " STR_FMT " " STR_FMT "\n", STR_ARG(c->tokens[i].host), STR_ARG(c->tokens[i].token));
    for (size_t i = 0; i < c->n_services; i++)
        buf_printf(&out, "service " STR_FMT " " STR_FMT "\n", STR_ARG(c->services[i].host), STR_ARG(c->services[i].url));
    if (c->helper.name.n > 0)
        buf_printf(&out, "helper " STR_FMT, STR_ARG(c->helper.name));
    for (size_t i = 0; i < c->helper.n_args; i++)
        buf_printf(&out, " " STR_FMT, STR_ARG(c->helper.args[i]));
    buf_addz(&out, c->helper.name.n > 0 ? "\n" : "");
    return buf_copy(&out, a).p;
}

static void the_table_of_files(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str rest = test_read(a, TERRANE_SOURCE "/src/registry/testdata/cli_config.txt");
    struct test_case c;
    size_t n = 0;
    for (; test_next_case(&rest, &c); n++) {
        struct diags diags;
        diags_init(&diags, a);
        struct cli_config config;
        bool ok = cli_config_parse(a, c.input, "rc", &diags, &config);
        assert_int_equal(ok, diags.n_errors == 0);
        struct str got = str_trim(str_of(ok ? dump(a, &config) : test_text(a, &diags)));
        if (!str_eq(got, c.expected))
            fail_msg("%.*s: expected\n%.*s\ngot\n%.*s", (int)c.name.n, c.name.p, (int)c.expected.n, c.expected.p, (int)got.n,
                     got.p);
    }
    assert_true(n > 35);
}

/* The environment of cli_config_load, which takes a plain function; set by each test. */
static const char *variables[8][2];

static const char *environment(const char *name)
{
    for (size_t i = 0; variables[i][0]; i++)
        if (strcmp(variables[i][0], name) == 0)
            return variables[i][1];
    return NULL;
}

static void set(const char *name, const char *value)
{
    size_t i = 0;
    while (variables[i][0] && strcmp(variables[i][0], name) != 0)
        i++;
    assert_true(i + 1 < sizeof variables / sizeof variables[0]);
    variables[i][0] = name;
    variables[i][1] = value;
}

struct fixture {
    struct arena *arena;
    const char *home;
    struct diags diags;
    struct cli_config config;
};

static void setup(struct fixture *f)
{
    memset(variables, 0, sizeof variables);
    *f = (struct fixture){.arena = arena_new(NULL, 0)};
    f->home = test_folder(f->arena);
    set("HOME", f->home);
}

static void teardown(struct fixture *f)
{
    arena_free(f->arena);
}
#define FIXTURE_AUTO __attribute__((cleanup(teardown)))

static void put(struct fixture *f, const char *name, const char *text)
{
    test_write(test_path(f->arena, f->home, "%s", name), str_of(text), 0644);
}

static bool load(struct fixture *f)
{
    diags_init(&f->diags, f->arena);
    f->config = (struct cli_config){0};
    return cli_config_load(f->arena, environment, &f->diags, &f->config);
}

/* Loads the configuration, without diagnostics, and returns it as text. */
static const char *loaded(struct fixture *f)
{
    if (!load(f) || f->diags.n > 0)
        fail_msg("%s", test_text(f->arena, &f->diags));
    return dump(f->arena, &f->config);
}

static void no_file_at_all_is_fine(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    assert_string_equal(loaded(&f), "no provider_installation\n");
    assert_int_equal(f.config.n_files, 0);
    set("HOME", "");
    assert_string_equal(loaded(&f), "no provider_installation\n");
    set("HOME", NULL);
    assert_string_equal(loaded(&f), "no provider_installation\n");
}

static void the_file_that_is_named_is_the_only_one(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, ".terraformrc", "plugin_cache_dir = \"/rc\"");
    put(&f, ".terraform.d/a.tfrc", "provider_installation {}");
    put(&f, "named", "plugin_cache_dir = \"/named\"");
    put(&f, "old", "plugin_cache_dir = \"/old\"");
    set("TERRAFORM_CONFIG", test_path(f.arena, f.home, "old"));
    assert_string_equal(loaded(&f), "cache /old\nno provider_installation\n");
    set("TF_CLI_CONFIG_FILE", test_path(f.arena, f.home, "named"));
    assert_string_equal(loaded(&f), "cache /named\nno provider_installation\n");
    assert_int_equal(f.config.n_files, 1);
    assert_true(str_ends(f.config.files[0], STR("/named")));
    /* An empty variable counts as none. */
    set("TF_CLI_CONFIG_FILE", "");
    set("TERRAFORM_CONFIG", "");
    assert_string_equal(loaded(&f), "cache /rc\n");
}

static void a_named_file_that_is_missing_is_a_warning(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, ".terraformrc", "plugin_cache_dir = \"/rc\"");
    set("TF_CLI_CONFIG_FILE", "/does/not/exist");
    assert_true(load(&f));
    assert_string_equal(test_text(f.arena, &f.diags),
                        "warning: Unable to open CLI configuration file: The CLI configuration file "
                        "at \"/does/not/exist\" does not exist.\n");
    assert_int_equal(f.config.n_files, 0);
    assert_int_equal(f.config.plugin_cache_dir.n, 0);
}

static void main_files_in_order_of_preference(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, "xdg/opentofu/tofurc", "plugin_cache_dir = \"/xdg\"");
    assert_string_equal(loaded(&f), "no provider_installation\n");
    set("XDG_CONFIG_HOME", test_path(f.arena, f.home, "xdg"));
    assert_string_equal(loaded(&f), "cache /xdg\nno provider_installation\n");
    put(&f, ".tofurc", "plugin_cache_dir = \"/tofu\"");
    assert_string_equal(loaded(&f), "cache /tofu\nno provider_installation\n");
    put(&f, ".terraformrc", "plugin_cache_dir = \"/terraform\"");
    assert_string_equal(loaded(&f), "cache /terraform\nno provider_installation\n");
}

static void files_of_the_folder_follow_in_order(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, ".terraform.d/b.tfrc", "plugin_cache_dir = \"/b\"");
    put(&f, ".terraform.d/c.tfrc.json", "{\"provider_installation\": {\"filesystem_mirror\": {\"path\": \"/c\"}}}");
    put(&f, ".terraform.d/a.txt", "broken {");
    put(&f, ".terraform.d/a.json", "broken {");
    assert_string_equal(loaded(&f), "cache /b\nmirror /c\n");
    assert_int_equal(f.config.n_files, 2);
    put(&f, ".terraform.d/a.tfrc", "plugin_cache_dir = \"/a\"");
    assert_string_equal(loaded(&f), "cache /a\nmirror /c\n");
    put(&f, ".terraformrc", "plugin_cache_dir = \"/rc\"");
    assert_string_equal(loaded(&f), "cache /rc\nmirror /c\n");
    assert_true(str_ends(f.config.methods[0].file, STR("/.terraform.d/c.tfrc.json")));
}

static void the_folder_of_opentofu_counts_without_terraforms(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    set("XDG_CONFIG_HOME", test_path(f.arena, f.home, "xdg"));
    put(&f, "xdg/opentofu/x.tfrc", "plugin_cache_dir = \"/x\"");
    assert_string_equal(loaded(&f), "cache /x\nno provider_installation\n");
    put(&f, ".terraform.d/y.tfrc", "plugin_cache_dir = \"/y\"");
    assert_string_equal(loaded(&f), "cache /y\nno provider_installation\n");
}

static void only_one_file_may_have_an_installation(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, ".terraformrc", "provider_installation {}");
    put(&f, ".terraform.d/a.tfrc", "provider_installation {}");
    assert_false(load(&f));
    assert_int_equal(f.diags.n_errors, 1);
    assert_non_null(strstr(test_text(f.arena, &f.diags), "a.tfrc: a second provider_installation block"));
}

static void all_broken_files_are_told(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, ".terraformrc", "a {");
    put(&f, ".terraform.d/a.tfrc", "\n b");
    put(&f, ".terraform.d/b.tfrc.json", "{\"a\": }");
    assert_false(load(&f));
    assert_int_equal(f.diags.n_errors, 3);
    const char *text = test_text(f.arena, &f.diags);
    assert_non_null(strstr(text, "/.terraformrc:1:4: "));
    assert_non_null(strstr(text, "/.terraform.d/a.tfrc:2:3: "));
    assert_non_null(strstr(text, "/.terraform.d/b.tfrc.json:1:7: "));
}

static void variables_are_expanded_in_the_plugin_cache_only(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"$A/x", "one/x"}, {"${A}x", "onex"}, {"$Ax", ""},         {"$A$B", "onetwo"}, {"$", "$"},
        {"x$", "x$"},      {"$/x", "$/x"},    {"${NONE}/x", "/x"}, {"${A", "${A"},     {"a$A b", "aone b"},
    };
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    set("A", "one");
    set("B", "two");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* A heredoc takes all of these; its newline goes with str_trim. */
        put(&f, ".terraformrc", arena_printf(f.arena, "plugin_cache_dir = <<E\n%s\nE\n", cases[i][0]).p);
        (void)loaded(&f);
        if (!str_eqz(str_trim(f.config.plugin_cache_dir), cases[i][1]))
            fail_msg("%s: \"" STR_FMT "\"", cases[i][0], STR_ARG(f.config.plugin_cache_dir));
    }
}

static void folders_and_huge_files_are_errors(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    const char *rc = test_path(f.arena, f.home, ".terraformrc");
    assert_int_equal(mkdir(rc, 0755), 0);
    assert_false(load(&f));
    assert_non_null(strstr(test_text(f.arena, &f.diags), "found a folder"));
    assert_int_equal(rmdir(rc), 0);
    put(&f, ".terraformrc", "");
    assert_int_equal(truncate(rc, HCL1_MAX_BYTES + 1), 0);
    assert_false(load(&f));
    assert_non_null(strstr(test_text(f.arena, &f.diags), "larger than"));
}

static void a_file_that_may_not_be_opened_is_a_warning(void **state)
{
    (void)state;
    struct fixture f FIXTURE_AUTO;
    setup(&f);
    put(&f, ".terraformrc", "plugin_cache_dir = \"/rc\"");
    assert_int_equal(chmod(test_path(f.arena, f.home, ".terraformrc"), 0), 0);
    test_as_nobody();
    bool ok = load(&f);
    test_as_self();
    assert_true(ok);
    assert_non_null(strstr(test_text(f.arena, &f.diags), "cannot be opened: Permission denied"));
    assert_int_equal(f.config.n_files, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_files),
        cmocka_unit_test(no_file_at_all_is_fine),
        cmocka_unit_test(the_file_that_is_named_is_the_only_one),
        cmocka_unit_test(a_named_file_that_is_missing_is_a_warning),
        cmocka_unit_test(main_files_in_order_of_preference),
        cmocka_unit_test(files_of_the_folder_follow_in_order),
        cmocka_unit_test(the_folder_of_opentofu_counts_without_terraforms),
        cmocka_unit_test(only_one_file_may_have_an_installation),
        cmocka_unit_test(all_broken_files_are_told),
        cmocka_unit_test(variables_are_expanded_in_the_plugin_cache_only),
        cmocka_unit_test(folders_and_huge_files_are_errors),
        cmocka_unit_test(a_file_that_may_not_be_opened_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
