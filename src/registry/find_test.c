/* The places and their order: paths, overrides, mirrors and the rest. */
#include "registry/testing_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Paths */

static void a_path_is_taken_as_it_is(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    test_write(at(&f, "here/dist/terraform-provider-thing_v1.2.3_x5"), STR("x"), 0755);
    const char *const ways[] = {at(&f, "here/dist/terraform-provider-thing_v1.2.3_x5"),
                                "./dist/terraform-provider-thing_v1.2.3_x5", "dist/terraform-provider-thing_v1.2.3_x5",
                                "../here/dist/terraform-provider-thing_v1.2.3_x5"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        assert_true(find(&f, ways[i], "~> 9"));
        assert_int_equal(f.found.place, PLACE_PATH);
        assert_string_equal(f.found.version.p, "1.2.3");
        assert_string_equal(provider_address_text(f.arena, &f.found.address).p, "registry.terraform.io/hashicorp/thing");
        assert_int_equal(access(f.found.path.p, X_OK), 0);
    }
}

static void a_path_tells_what_it_can(void **state)
{
    (void)state;
    static const struct {
        const char *path, *address, *version;
    } cases[] = {
        {"m/example.com/acme/thing/1.2.3/linux_amd64/terraform-provider-thing", "example.com/acme/thing", "1.2.3"},
        {"m/example.com/acme/thing/1.2.3/linux_amd64/terraform-provider-other", "registry.terraform.io/hashicorp/other", ""},
        {"m/terraform-provider-a-b", "registry.terraform.io/hashicorp/a-b", ""},
        {"m/terraform-provider-a_v2.0.0-rc1", "registry.terraform.io/hashicorp/a", "2.0.0-rc1"},
        {"m/terraform-provider-a_next", "registry.terraform.io/hashicorp/a_next", ""},
        {"m/terraform-provider-", "registry.terraform.io/hashicorp/terraform-provider-", ""},
        {"m/anything", "registry.terraform.io/hashicorp/anything", ""},
    };
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_write(at(&f, cases[i].path), STR("x"), 0755);
        assert_true(find(&f, at(&f, cases[i].path), ""));
        assert_string_equal(provider_address_text(f.arena, &f.found.address).p, cases[i].address);
        assert_string_equal(f.found.version.p, cases[i].version);
    }
}

static void bad_paths_are_errors(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    test_write(at(&f, "here/plain"), STR("x"), 0644);
    expect_error(&f, "./nothing", "", "nothing: No such file or directory", NULL);
    expect_error(&f, at(&f, "here"), "", "%/here: expected a provider's binary, found a folder", NULL);
    expect_error(&f, "./plain", "", "may not be run: Permission denied", "chmod +x", NULL);
    expect_error(&f, "/dev/null", "", "not a regular file", NULL);
}

/* Overrides */

static void overrides_win_over_everything_and_ask_no_version(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "m", THING, "1.0.0", HERE);
    test_write(at(&f, "dev/terraform-provider-thing"), STR("x"), 0755);
    test_write(at(&f, "dev/terraform-provider-things"), STR("x"), 0755);
    configure(&f, "provider_installation { dev_overrides { \"" THING "\" = \"%/dev\" } filesystem_mirror { path = \"%/m\" } }");
    expect(&f, THING, "~> 9", "", "dev");
    assert_int_equal(f.found.place, PLACE_DEV_OVERRIDE);
    assert_string_equal(f.found.path.p, at(&f, "dev/terraform-provider-thing"));
}

static void an_override_may_name_the_binary_or_be_relative(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    test_write(at(&f, "here/dev/my-build"), STR("x"), 0755);
    configure(&f, "provider_installation { dev_overrides { \"" THING "\" = \"dev/my-build\" } }");
    expect(&f, THING, "", "", "here/dev");
    assert_string_equal(f.found.path.p, at(&f, "here/dev/my-build"));
}

static void an_override_without_host_is_for_both_registries(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    test_write(at(&f, "dev/terraform-provider-aws"), STR("x"), 0755);
    configure(&f, "provider_installation { dev_overrides { \"hashicorp/aws\" = \"%/dev\" } }");
    expect(&f, "aws", "", "", "dev");
    expect(&f, AWS, "", "", "dev");
    expect(&f, "registry.opentofu.org/hashicorp/aws", "", "", "dev");
    expect_error(&f, "example.com/hashicorp/aws", "", "Provider not found", NULL);
}

static void an_override_that_leads_nowhere_is_an_error(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "m", THING, "1.0.0", HERE);
    configure(&f, "provider_installation { dev_overrides { \"" THING "\" = \"%/dev\" } filesystem_mirror { path = \"%/m\" } }");
    expect_error(&f, THING, "", "Development override cannot be used", "dev_overrides of rc", "%/dev: No such file", NULL);
    test_write(at(&f, "dev/README"), STR("x"), 0644);
    expect_error(&f, THING, "", "%/dev contains no binary: expected a file named terraform-provider-thing", NULL);
    test_write(at(&f, "dev/terraform-provider-thing"), STR("x"), 0644);
    expect_error(&f, THING, "", "may not be run", NULL);
}

/* Mirrors */

static void versions_of_all_mirrors_count_together(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "m1", THING, "1.0.0", HERE);
    put(&f, "m1", THING, "1.9.0", HERE);
    put(&f, "m2", THING, "1.10.0", HERE);
    put(&f, "m2", THING, "1.9.0", HERE);
    put(&f, "m2", THING, "2.0.0-beta1", HERE);
    configure(&f, "provider_installation { filesystem_mirror { path = \"%/m1\" } filesystem_mirror { path = \"%/m2\" } }");
    expect(&f, THING, "", "1.10.0", "m2");
    expect(&f, THING, "< 1.10", "1.9.0", "m1"); /* both have it: the first mirror */
    expect(&f, THING, "1.0.0", "1.0.0", "m1");
    expect(&f, THING, "2.0.0-beta1", "2.0.0-beta1", "m2");
    assert_int_equal(f.found.place, PLACE_MIRROR);
    assert_string_equal(f.found.path.p, at(&f, "m2/" THING "/2.0.0-beta1/" HERE "/terraform-provider-thing_v2.0.0-beta1"));
    expect_error(&f, THING, ">= 2.0.0-beta1", "Provider not found", NULL);
}

static void include_and_exclude_decide_per_provider(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "m1", THING, "1.0.0", HERE);
    put(&f, "m2", THING, "2.0.0", HERE);
    put(&f, "m1", AWS, "5.0.0", HERE);
    put(&f, "m2", AWS, "6.0.0", HERE);
    configure(&f, "provider_installation { filesystem_mirror { path = \"%/m1\" }"
                  "  filesystem_mirror { path = \"%/m2\" include = [\"example.com/*/*\", \"hashicorp/*\"] exclude = "
                  "[\"hashicorp/aws\"] } }");
    expect(&f, THING, "", "2.0.0", "m2");
    expect(&f, "aws", "", "5.0.0", "m1");
    expect_error(&f, "aws", "~> 6.0", "has 5.0.0, which \"~> 6.0\" does not allow",
                 "%/m2 (filesystem_mirror of rc): excluded for this provider by include or exclude", NULL);
}

static void a_named_mirror_must_be_there(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "m2", THING, "2.0.0", HERE);
    configure(&f, "provider_installation { filesystem_mirror { path = \"%/m1\" } filesystem_mirror { path = \"%/m2\" } }");
    expect_error(&f, THING, "", "Cannot search for providers", "%/m1 (filesystem_mirror of rc)", "No such file or directory",
                 NULL);
    /* As in Terraform, unless it is not asked. */
    configure(&f, "provider_installation { filesystem_mirror { path = \"%/m1\" include = [\"a/b\"] } "
                  "filesystem_mirror { path = \"%/m2\" } }");
    expect(&f, THING, "", "2.0.0", "m2");
    f.context.mirror = at(&f, "m3");
    expect_error(&f, THING, "", "%/m3 (TERRANE_MIRROR)", NULL);
}

static void a_folder_that_may_not_be_read_is_an_error(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "home/.terraform.d/plugins", THING, "1.0.0", HERE);
    const char *closed = at(&f, "home/.terraform.d/plugins/" THING);
    assert_int_equal(chmod(closed, 0), 0);
    test_as_nobody();
    bool found = find(&f, THING, "");
    test_as_self();
    assert_false(found);
    assert_non_null(strstr(test_text(f.arena, &f.diags), "plugins/" THING ": Permission denied"));
    assert_int_equal(chmod(closed, 0755), 0);
    expect(&f, THING, "", "1.0.0", "home/.terraform.d/plugins");
}

static void implied_folders_count_together_and_only_without_installation(void **state)
{
    (void)state;
    static const char *const folders[] = {
        "here/terraform.d/plugins", "home/.terraform.d/plugins", "home/.local/share/terraform/plugins",
        "d1/terraform/plugins",     "d2/terraform/plugins",      "xdg/opentofu/plugins",
        "xdg/terraform/plugins"};
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.xdg_data_dirs = arena_printf(f.arena, "relative:%s/d1::%s/d2", f.root, f.root).p;
    /* Each with a newer version than those before it. */
    for (size_t i = 0; i < 5; i++) {
        const char *version = arena_printf(f.arena, "1.%zu.0", i).p;
        put(&f, folders[i], THING, version, HERE);
        expect(&f, THING, "", version, folders[i]);
    }
    /* XDG_DATA_HOME stands in for ~/.local/share; a relative one does not count. */
    f.context.xdg_data_home = "relative";
    expect(&f, THING, "1.2.0", "1.2.0", folders[2]);
    f.context.xdg_data_home = at(&f, "xdg");
    expect_error(&f, THING, "1.2.0", "has 1.4.0", NULL);
    put(&f, folders[5], THING, "1.5.0", HERE);
    expect(&f, THING, "", "1.5.0", folders[5]);
    put(&f, folders[6], THING, "1.6.0", HERE);
    expect(&f, THING, "", "1.6.0", folders[6]);
    /* Equal versions: the order of the search. */
    put(&f, folders[0], THING, "1.6.0", HERE);
    expect(&f, THING, "", "1.6.0", folders[0]);
    configure(&f, "provider_installation {}");
    expect_error(&f, THING, "", "Provider not found", NULL);
    f.context.config = NULL;
    expect(&f, THING, "", "1.6.0", folders[0]);
}

static void relative_mirrors_are_seen_from_the_working_folder(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "here/m", THING, "1.0.0", HERE);
    configure(&f, "provider_installation { filesystem_mirror { path = \"m\" } }");
    expect(&f, THING, "", "1.0.0", "here/m");
    put(&f, "home/m", THING, "1.0.0", HERE);
    configure(&f, "provider_installation { filesystem_mirror { path = \"~/m\" } }");
    expect_error(&f, THING, "", "/~/m", NULL);
}

static void groups_are_searched_in_their_order(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "here/.terraform/providers", THING, "1.4.0", HERE);
    expect(&f, THING, "", "1.4.0", "here/.terraform/providers");
    assert_int_equal(f.found.place, PLACE_WORKING_DIR);
    configure(&f, "plugin_cache_dir = \"%/configured\"");
    expect(&f, THING, "", "1.4.0", "here/.terraform/providers"); /* there is none yet */
    put(&f, "configured", THING, "1.3.0", HERE);
    expect(&f, THING, "", "1.3.0", "configured");
    assert_int_equal(f.found.place, PLACE_PLUGIN_CACHE);
    put(&f, "variable", THING, "1.2.0", HERE);
    f.context.plugin_cache = at(&f, "variable");
    expect(&f, THING, "", "1.2.0", "variable");
    put(&f, "home/.terraform.d/plugins", THING, "1.1.0", HERE);
    expect(&f, THING, "", "1.1.0", "home/.terraform.d/plugins");
    put(&f, "mirror", THING, "1.0.0", HERE);
    f.context.mirror = at(&f, "mirror");
    expect(&f, THING, "", "1.0.0", "mirror");
    /* If the first group has no suitable version, a later one may. */
    expect(&f, THING, ">= 1.2", "1.2.0", "variable");
    expect(&f, THING, ">= 1.3", "1.4.0", "here/.terraform/providers");
    f.context.plugin_cache = "";
    f.context.mirror = "";
    expect(&f, THING, "", "1.1.0", "home/.terraform.d/plugins");
}

static void both_default_registries_serve_an_address_without_host(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    put(&f, "m", "registry.opentofu.org/hashicorp/aws", "5.0.0", HERE);
    expect(&f, "aws", "", "5.0.0", "m");
    assert_string_equal(provider_address_text(f.arena, &f.found.address).p, "registry.opentofu.org/hashicorp/aws");
    expect_error(&f, AWS, "", "Similar names", "registry.opentofu.org/hashicorp/aws in %/m", NULL);
    /* Equal versions: Terraform's. */
    put(&f, "m", AWS, "5.0.0", HERE);
    expect(&f, "aws", "", "5.0.0", "m");
    assert_string_equal(provider_address_text(f.arena, &f.found.address).p, AWS);
    expect(&f, "registry.opentofu.org/hashicorp/aws", "", "5.0.0", "m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_taken_as_it_is),
        cmocka_unit_test(a_path_tells_what_it_can),
        cmocka_unit_test(bad_paths_are_errors),
        cmocka_unit_test(overrides_win_over_everything_and_ask_no_version),
        cmocka_unit_test(an_override_may_name_the_binary_or_be_relative),
        cmocka_unit_test(an_override_without_host_is_for_both_registries),
        cmocka_unit_test(an_override_that_leads_nowhere_is_an_error),
        cmocka_unit_test(versions_of_all_mirrors_count_together),
        cmocka_unit_test(include_and_exclude_decide_per_provider),
        cmocka_unit_test(a_named_mirror_must_be_there),
        cmocka_unit_test(a_folder_that_may_not_be_read_is_an_error),
        cmocka_unit_test(implied_folders_count_together_and_only_without_installation),
        cmocka_unit_test(relative_mirrors_are_seen_from_the_working_folder),
        cmocka_unit_test(groups_are_searched_in_their_order),
        cmocka_unit_test(both_default_registries_serve_an_address_without_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
