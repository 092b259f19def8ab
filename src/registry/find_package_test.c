/* What counts as a package, in both layouts, and which of several is chosen. */
#include "registry/testing_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void links_are_followed_where_terraform_does(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "real", THING, "1.0.0", HERE);
    f.context.mirror = at(&f, "link");
    assert_int_equal(symlink("real", at(&f, "link")), 0);
    expect(&f, THING, "", "1.0.0", "link");

    f.context.mirror = at(&f, "platform");
    test_write(at(&f, "platform/" THING "/1.0.0/x"), STR(""), 0644);
    assert_int_equal(symlink(at(&f, "real/" THING "/1.0.0/" HERE), at(&f, "platform/" THING "/1.0.0/" HERE)), 0);
    expect(&f, THING, "", "1.0.0", "platform");

    f.context.mirror = at(&f, "version");
    test_write(at(&f, "version/" THING "/x"), STR(""), 0644);
    assert_int_equal(symlink(at(&f, "real/" THING "/1.0.0"), at(&f, "version/" THING "/1.0.0")), 0);
    expect_error(&f, THING, "", "%/version/" THING "/1.0.0 is a symbolic link, which is not followed there", NULL);

    f.context.mirror = at(&f, "type");
    test_write(at(&f, "type/example.com/acme/x"), STR(""), 0644);
    assert_int_equal(symlink(at(&f, "real/" THING), at(&f, "type/" THING)), 0);
    expect_error(&f, THING, "", "symbolic link", NULL);
}

static void names_of_folders_are_read_as_terraform_does(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    test_write(at(&f, "m/EXAMPLE.com/Acme/thing/1.5/" HERE "/terraform-provider-thing"), STR("x"), 0755);
    expect(&f, THING, "", "1.5.0", "m");
    test_write(at(&f, "m/example.com/acme/thing/v2.0.0/" HERE "/terraform-provider-thing"), STR("x"), 0755);
    test_write(at(&f, "m/example.com/acme/thing/latest/" HERE "/terraform-provider-thing"), STR("x"), 0755);
    test_write(at(&f, "m/example.com/acme/thing/2.0.0/linux/terraform-provider-thing"), STR("x"), 0755);
    test_write(at(&f, "m/example.com/acme/thing/2.0.0/linux_amd64_x/terraform-provider-thing"), STR("x"), 0755);
    test_write(at(&f, "m/example.com/acme/thing/2.0.1"), STR("a file"), 0644);
    test_write(at(&f, "m/exa mple/a_b/c.d/2.0.0/" HERE "/x"), STR("x"), 0755);
    expect(&f, THING, "", "1.5.0", "m");
    put(&f, "m", THING, "0.0.0", HERE);
    expect_error(&f, THING, "0.0.0", "Provider not found", NULL);
}

static void any_file_with_the_right_name_is_the_binary(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool taken;
    } cases[] = {
        {"terraform-provider-thing", true},     {"terraform-provider-thing_v1.0.0_x5", true},
        {"terraform-provider-thing.exe", true}, {"terraform-provider-thing_anything", true},
        {"terraform-provider-things", false},   {"terraform-provider-thing-2", false},
        {"Terraform-Provider-Thing", false},    {"thing", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct search_fixture f SEARCH_AUTO;
        search_setup(&f);
        f.context.mirror = at(&f, "m");
        test_write(test_path(f.arena, f.root, "m/" THING "/1.0.0/" HERE "/%s", cases[i].name), STR("x"), 0755);
        if (cases[i].taken)
            expect(&f, THING, "", "1.0.0", "m");
        else
            expect_error(&f, THING, "", "contains no binary", NULL);
    }
}

static void files_beside_the_binary_do_not_disturb(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    const char *binary = put(&f, "m", THING, "1.0.0", HERE);
    test_write(at(&f, "m/" THING "/1.0.0/" HERE "/terraform-provider-thing.sha256"), STR("x"), 0644);
    assert_int_equal(mkdir(at(&f, "m/" THING "/1.0.0/" HERE "/terraform-provider-thing.d"), 0755), 0);
    expect(&f, THING, "", "1.0.0", "m");
    assert_string_equal(f.found.path.p, binary);
}

static void the_newest_package_is_not_passed_over_when_it_is_damaged(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    put(&f, "m", THING, "1.0.0", HERE);
    test_write(at(&f, "m/" THING "/2.0.0/" HERE "/README"), STR("x"), 0644);
    expect_error(&f, THING, "", "%/m/" THING "/2.0.0/" HERE " contains no binary", NULL);
    expect(&f, THING, "< 2", "1.0.0", "m");
}

static void a_newer_version_for_another_platform_is_a_warning(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    put(&f, "m", THING, "1.0.0", HERE);
    put(&f, "m", THING, "1.0.0", THERE);
    put(&f, "m", THING, "0.9.0", THERE);
    expect(&f, THING, "", "1.0.0", "m");
    put(&f, "m", THING, "2.0.0", THERE);
    assert_true(find(&f, THING, ""));
    assert_string_equal(f.found.version.p, "1.0.0");
    assert_int_equal(f.diags.n, 1);
    assert_non_null(strstr(test_text(f.arena, &f.diags), "is there for " THERE ", not for " HERE "; 1.0.0 is used"));
    expect(&f, THING, "< 2", "1.0.0", "m");
    expect_error(&f, THING, ">= 2", "has 1.0.0, which \">= 2\" does not allow; has 2.0.0 for " THERE, NULL);
    expect_error(&f, THING, "2.0.0", "not for " HERE, NULL);
}

static const struct test_entry package[] = {
    {.name = "terraform-provider-thing_v1.0.0", .content = {"#!/bin/sh\n", 10}},
    {.name = "LICENSE", .content = {"text", 4}, .mode = S_IFREG | 0644},
};

static void packed_providers_are_unpacked_once(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    test_zip(at(&f, "m/" THING "/terraform-provider-thing_1.0.0_" HERE ".zip"), package, 2);
    expect(&f, THING, "", "1.0.0", "m");
    assert_true(str_starts(f.found.path, str_of(at(&f, "cache/providers/"))));
    struct str first = f.found.path;
    expect(&f, THING, "~> 1.0", "1.0.0", "m");
    assert_true(str_eq(first, f.found.path));
    f.context.cache_folder = NULL;
    expect_error(&f, THING, "", "there is no cache folder", NULL);
}

static void names_of_zips_are_read_as_terraform_does(void **state)
{
    (void)state;
    static const struct {
        const char *name, *version; /* NULL: passed over */
    } cases[] = {
        {"Terraform-Provider-Thing_1.0.0_Linux_AMD64.ZIP", "1.0.0"},
        {"terraform-provider-thing_1.0.0_linux_amd64_extra.zip", "1.0.0"},
        {"terraform-provider-thing_1.0.0-rc1_linux_amd64.zip", NULL}, /* a pre-release */
        {"terraform-provider-thing_v1.0.0_linux_amd64.zip", NULL},
        {"terraform-provider-thing_1.0.0_linux.zip", NULL},
        {"terraform-provider-thing_linux_amd64.zip", NULL},
        {"terraform-provider-other_1.0.0_linux_amd64.zip", NULL},
        {"terraform-provider-thing_1.0.0_darwin_arm64.zip", NULL},
        {"terraform-provider-thing_1.0.0_linux_amd64.tar", NULL},
        {"terraform-provider-thing_.zip", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct search_fixture f SEARCH_AUTO;
        search_setup(&f);
        f.context.mirror = at(&f, "m");
        test_zip(test_path(f.arena, f.root, "m/" THING "/%s", cases[i].name), package, 2);
        if (cases[i].version)
            expect(&f, THING, "", cases[i].version, "m");
        else
            expect_error(&f, THING, "", "Provider not found", NULL);
    }
}

static void unpacked_is_preferred_to_packed(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    test_zip(at(&f, "m/" THING "/terraform-provider-thing_1.0.0_" HERE ".zip"), package, 2);
    const char *binary = put(&f, "m", THING, "1.0.0", HERE);
    expect(&f, THING, "", "1.0.0", "m");
    assert_string_equal(f.found.path.p, binary);
}

static void a_broken_zip_is_an_error_that_names_it(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    put(&f, "m", THING, "1.0.0", HERE);
    test_write(at(&f, "m/" THING "/terraform-provider-thing_2.0.0_" HERE ".zip"), STR("no zip"), 0644);
    expect_error(&f, THING, "", "Cannot unpack provider", "terraform-provider-thing_2.0.0_" HERE ".zip: not a valid zip archive",
                 NULL);
    static const struct test_entry other[] = {{.name = "terraform-provider-other", .content = {"x", 1}}};
    test_zip(at(&f, "m/" THING "/terraform-provider-thing_2.0.0_" HERE ".zip"), other, 1);
    expect_error(&f, THING, "", "contains no binary", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_followed_where_terraform_does),
        cmocka_unit_test(names_of_folders_are_read_as_terraform_does),
        cmocka_unit_test(any_file_with_the_right_name_is_the_binary),
        cmocka_unit_test(files_beside_the_binary_do_not_disturb),
        cmocka_unit_test(the_newest_package_is_not_passed_over_when_it_is_damaged),
        cmocka_unit_test(a_newer_version_for_another_platform_is_a_warning),
        cmocka_unit_test(packed_providers_are_unpacked_once),
        cmocka_unit_test(names_of_zips_are_read_as_terraform_does),
        cmocka_unit_test(unpacked_is_preferred_to_packed),
        cmocka_unit_test(a_broken_zip_is_an_error_that_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
