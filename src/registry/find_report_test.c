/* Reports: the error for an absent provider, and the list. */
#include "base/buf.h"
#include "registry/testing_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_DUMP = 1 << 16 };

static const struct test_entry package[] = {
    {.name = "terraform-provider-thing_v1.0.0", .content = {"#!/bin/sh\n", 10}},
    {.name = "LICENSE", .content = {"text", 4}, .mode = S_IFREG | 0644},
};

/* Absence */

static void an_absent_provider_is_told_with_all_places(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "mirror", "example.com/acme/other", "1.0.0", HERE);
    put(&f, "home/.terraform.d/plugins", AWS, "5.100.0", HERE);
    put(&f, "home/.terraform.d/plugins", AWS, "6.0.0", THERE);
    assert_int_equal(mkdir(at(&f, "cached"), 0755), 0);
    f.context.mirror = at(&f, "mirror");
    f.context.plugin_cache = at(&f, "cached");
    expect_error(&f, "aws", "~> 6.0",
                 "error: Provider not found: No version of " AWS " for " HERE
                 " that \"~> 6.0\" allows is on this machine. Looked at:\n"
                 "  - %/mirror (TERRANE_MIRROR): has other providers only\n"
                 "  - %/here/terraform.d/plugins (implied): does not exist\n"
                 "  - %/home/.terraform.d/plugins (implied): has 5.100.0, which \"~> 6.0\" does not allow; has 6.0.0 for " THERE
                 ", not for " HERE "\n"
                 "  - %/home/.local/share/terraform/plugins (implied): does not exist\n"
                 "  - %/none/terraform/plugins (implied): does not exist\n"
                 "  - %/cached (plugin cache): holds no provider\n"
                 "  - %/here/.terraform/providers (working folder): does not exist\n"
                 "\n"
                 "`terrane provider install ",
                 NULL);
    expect_error(&f, "aws", "5.99.0", "has 5.100.0, which \"5.99.0\" does not allow", NULL);
    expect_error(&f, "hashicorp/kubernetes", "", "for " HERE " is on this machine. Looked at:", NULL);
    assert_null(strstr(test_text(f.arena, &f.diags), "Similar"));
}

static void similar_names_are_offered(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    put(&f, "m", "registry.terraform.io/hashicorp/kubernetes", "1.0.0", HERE);
    put(&f, "m", "registry.terraform.io/hashicorp/kubernetes", "1.1.0", HERE);
    put(&f, "m", "registry.terraform.io/gavinbunney/kubectl", "1.0.0", HERE);
    put(&f, "m", "registry.terraform.io/hashicorp/awscc", "1.0.0", HERE);
    put(&f, "m", "registry.terraform.io/hashicorp/time", "1.0.0", HERE);
    expect_error(&f, "kubernets", "", "Similar names that are there:\n  - registry.terraform.io/hashicorp/kubernetes in %/m\n\n",
                 NULL);
    expect_error(&f, "kubectl", "", "- registry.terraform.io/gavinbunney/kubectl in %/m\n", NULL);
    expect_error(&f, "aws", "", "- registry.terraform.io/hashicorp/awscc in %/m\n", NULL);
    expect_error(&f, "tim", "", "- registry.terraform.io/hashicorp/time in %/m\n", NULL);
    expect_error(&f, "google", "", "Provider not found", NULL);
    assert_null(strstr(test_text(f.arena, &f.diags), "Similar"));
}

static void long_lists_of_versions_are_cut(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    for (int i = 0; i < 20; i++)
        put(&f, "m", THING, arena_printf(f.arena, "1.%d.0", i).p, HERE);
    expect_error(&f, THING, ">= 2", "has 1.19.0, 1.18.0, 1.17.0, 1.16.0, 1.15.0, 1.14.0 and 14 more, which", NULL);
}

static void pre_releases_must_be_asked_for(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    f.context.mirror = at(&f, "m");
    put(&f, "m", THING, "1.0.0-beta1", HERE);
    expect_error(&f, THING, "", "has 1.0.0-beta1, a pre-release or 0.0.0: ask for it by its version", NULL);
    expect(&f, THING, "1.0.0-beta1", "1.0.0-beta1", "m");
}

static void bad_questions_are_errors(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    expect_error(&f, "hashicorp/a_b", "", "Invalid provider address", NULL);
    expect_error(&f, "", "", "Invalid provider address", NULL);
    expect_error(&f, "no/such/file/here", "", "more than three parts", NULL);
    expect_error(&f, "aws", "v5.0.0", "Invalid version constraint", NULL);
    expect_error(&f, "terraform", "", "is built into Terraform", NULL);
    expect_error(&f, "terraform.io/builtin/terraform", "", "is built into Terraform", NULL);
}

/* Lists */

static void list(struct search_fixture *f, struct found_providers *ret)
{
    diags_init(&f->diags, f->arena);
    assert_true(provider_find_all(&f->context, f->arena, &f->diags, ret));
}

static const char *list_text(struct search_fixture *f)
{
    struct found_providers all;
    list(f, &all);
    struct buf out BUF_AUTO = BUF_INIT(MAX_DUMP);
    for (size_t i = 0; i < all.n; i++)
        buf_printf(&out, STR_FMT " " STR_FMT " %s %s%s\n", STR_ARG(provider_address_text(f->arena, &all.v[i].address)),
                   STR_ARG(all.v[i].version), provider_place_name(all.v[i].place), all.v[i].where.p + strlen(f->root) + 1,
                   all.v[i].packed ? " packed" : "");
    return buf_copy(&out, f->arena).p;
}

static void everything_is_listed_in_order(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    assert_string_equal(list_text(&f), "");
    assert_int_equal(f.diags.n, 0);
    test_write(at(&f, "dev/terraform-provider-thing"), STR("x"), 0755);
    configure(&f, "plugin_cache_dir = \"%/cached\"\n"
                  "provider_installation { dev_overrides { \"" THING "\" = \"%/dev\" }"
                  "  filesystem_mirror { path = \"%/m1\" } filesystem_mirror { path = \"%/m2\" exclude = [\"hashicorp/*\"] } }");
    put(&f, "m1", AWS, "5.99.0", HERE);
    put(&f, "m1", AWS, "5.100.0", HERE);
    put(&f, "m1", AWS, "6.0.0", THERE);
    put(&f, "m2", AWS, "7.0.0", HERE);
    put(&f, "m2", THING, "1.0.0", HERE);
    test_zip(at(&f, "m1/" THING "/terraform-provider-thing_2.0.0_" HERE ".zip"), package, 2);
    put(&f, "cached", AWS, "5.99.0", HERE);
    put(&f, "here/.terraform/providers", AWS, "5.99.0", HERE);
    assert_string_equal(list_text(&f), "example.com/acme/thing  development override dev\n"
                                       "example.com/acme/thing 2.0.0 mirror m1 packed\n"
                                       "example.com/acme/thing 1.0.0 mirror m2\n"
                                       "registry.terraform.io/hashicorp/aws 5.100.0 mirror m1\n"
                                       "registry.terraform.io/hashicorp/aws 5.99.0 mirror m1\n"
                                       "registry.terraform.io/hashicorp/aws 5.99.0 plugin cache cached\n"
                                       "registry.terraform.io/hashicorp/aws 5.99.0 working folder here/.terraform/providers\n");
    assert_int_equal(f.diags.n, 0);
    /* Nothing was unpacked for that. */
    assert_int_equal(test_count(at(&f, "cache")), 0);
}

static void damaged_places_are_warnings_in_a_list(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    configure(&f, "plugin_cache_dir = \"%/cached\"\n"
                  "provider_installation { dev_overrides { \"" THING "\" = \"%/dev\" } filesystem_mirror { path = \"%/m1\" } "
                  "filesystem_mirror { path = \"%/m2\" } }");
    put(&f, "m2", AWS, "5.0.0", HERE);
    test_write(at(&f, "m2/" THING "/1.0.0/" HERE "/README"), STR("x"), 0644);
    assert_string_equal(list_text(&f), "registry.terraform.io/hashicorp/aws 5.0.0 mirror m2\n");
    assert_int_equal(f.diags.n_errors, 0);
    assert_int_equal(f.diags.n, 4);
    const char *text = test_text(f.arena, &f.diags);
    assert_non_null(strstr(text, "Development override cannot be used"));
    assert_non_null(strstr(text, "m1 (filesystem_mirror of rc)"));
    assert_non_null(strstr(text, "1.0.0/" HERE " contains no binary"));
    assert_non_null(strstr(text, "cached (plugin cache)"));
}

static void a_folder_named_twice_is_listed_once(void **state)
{
    (void)state;
    struct search_fixture f SEARCH_AUTO;
    search_setup(&f);
    put(&f, "m", AWS, "5.0.0", HERE);
    configure(&f, "provider_installation { filesystem_mirror { path = \"%/m\" } }");
    f.context.mirror = at(&f, "m");
    assert_string_equal(list_text(&f), "registry.terraform.io/hashicorp/aws 5.0.0 mirror m\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_absent_provider_is_told_with_all_places),
        cmocka_unit_test(similar_names_are_offered),
        cmocka_unit_test(long_lists_of_versions_are_cut),
        cmocka_unit_test(pre_releases_must_be_asked_for),
        cmocka_unit_test(bad_questions_are_errors),
        cmocka_unit_test(everything_is_listed_in_order),
        cmocka_unit_test(damaged_places_are_warnings_in_a_list),
        cmocka_unit_test(a_folder_named_twice_is_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
