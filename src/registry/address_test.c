#include "registry/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct provider_address parse(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    struct provider_address address = {0};
    assert_true(provider_address_parse(a, str_of(text), &diags, &address));
    assert_int_equal(diags.n, 0);
    return address;
}

static void good_addresses_get_their_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *given, *full, *as_short;
        bool host_given;
    } cases[] = {
        {"aws", "registry.terraform.io/hashicorp/aws", "hashicorp/aws", false},
        {"hashicorp/aws", "registry.terraform.io/hashicorp/aws", "hashicorp/aws", false},
        {"HashiCorp/AWS", "registry.terraform.io/hashicorp/aws", "hashicorp/aws", false},
        {"gavinbunney/kubectl", "registry.terraform.io/gavinbunney/kubectl", "gavinbunney/kubectl", false},
        {"registry.terraform.io/hashicorp/aws", "registry.terraform.io/hashicorp/aws", "hashicorp/aws", true},
        {"registry.opentofu.org/hashicorp/aws", "registry.opentofu.org/hashicorp/aws", "hashicorp/aws", true},
        {"Example.COM/acme/thing", "example.com/acme/thing", "example.com/acme/thing", true},
        {"localhost/acme/thing", "localhost/acme/thing", "localhost/acme/thing", true},
        {"example.com:8443/acme/thing", "example.com:8443/acme/thing", "example.com:8443/acme/thing", true},
        {"example.com:443/acme/thing", "example.com/acme/thing", "example.com/acme/thing", true},
        {"a-b/c-1", "registry.terraform.io/a-b/c-1", "a-b/c-1", false},
        {"1password/onepassword", "registry.terraform.io/1password/onepassword", "1password/onepassword", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct provider_address address = parse(a, cases[i].given);
        assert_string_equal(provider_address_text(a, &address).p, cases[i].full);
        assert_string_equal(provider_address_short(a, &address).p, cases[i].as_short);
        assert_int_equal(address.host_given, cases[i].host_given);
    }
}

static void bad_addresses_are_refused_with_the_form(void **state)
{
    (void)state;
    static const struct {
        const char *given, *says;
    } cases[] = {
        {"", "bad type \"\": it is empty"},
        {"/", "bad namespace \"\": it is empty"},
        {"hashicorp/", "bad type \"\": it is empty"},
        {"/aws", "bad namespace \"\": it is empty"},
        {"a/b/c/d", "more than three parts"},
        {"a/b/c/d/e/f", "more than three parts"},
        {"hashicorp/a_b", "only letters, digits and dashes"},
        {"hashicorp/a.b", "only letters, digits and dashes"},
        {"hashicorp/a b", "only letters, digits and dashes"},
        {"hashicorp/-aws", "must not start or end with a dash"},
        {"hashicorp/aws-", "must not start or end with a dash"},
        {"-/aws", "must not start or end with a dash"},
        {"hashicorp/a--b", "two dashes in a row"},
        {"hashicorp/\xc3\xa4", "only letters, digits and dashes"},
        {"exa..mple/acme/thing", "bad host \"exa..mple\""},
        {"example.com./acme/thing", "must not end with a dot"},
        {"example.com:/acme/thing", "the port must be a number"},
        {"example.com:70000/acme/thing", "the port must be a number"},
        {"example.com:-1/acme/thing", "the port must be a number"},
        {"terraform-provider-aws", "Did you mean \"hashicorp/aws\"?"},
        {"example.com/acme/terraform-provider-x", "Did you mean \"example.com/acme/x\"?"},
        {"acme/terraform-x", "must not start with \"terraform-\""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct provider_address address;
        assert_false(provider_address_parse(a, str_of(cases[i].given), &diags, &address));
        assert_int_equal(diags.n_errors, 1);
        if (!strstr(diags.v[0].detail.p, cases[i].says))
            fail_msg("\"%s\": expected \"%s\" in \"%s\"", cases[i].given, cases[i].says, diags.v[0].detail.p);
    }
}

static void too_long_parts_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct provider_address address;
    char name[ADDRESS_MAX_PART + 2];
    memset(name, 'a', sizeof name);
    assert_true(provider_address_parse(a, (struct str){name, ADDRESS_MAX_PART}, &diags, &address));
    assert_false(provider_address_parse(a, (struct str){name, ADDRESS_MAX_PART + 1}, &diags, &address));
}

static void default_registries_stand_for_each_other_unless_named(void **state)
{
    (void)state;
    static const struct {
        const char *wanted, *found;
        bool matches;
    } cases[] = {
        {"aws", "registry.terraform.io/hashicorp/aws", true},
        {"aws", "registry.opentofu.org/hashicorp/aws", true},
        {"aws", "example.com/hashicorp/aws", false},
        {"aws", "registry.terraform.io/acme/aws", false},
        {"registry.terraform.io/hashicorp/aws", "registry.opentofu.org/hashicorp/aws", false},
        {"registry.opentofu.org/hashicorp/aws", "registry.opentofu.org/hashicorp/aws", true},
        {"registry.opentofu.org/hashicorp/aws", "hashicorp/aws", true}, /* an override without host */
        {"example.com/hashicorp/aws", "hashicorp/aws", false},
        {"example.com/acme/thing", "example.com/acme/thing", true},
        {"example.com/acme/thing", "example.com/acme/things", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct provider_address wanted = parse(a, cases[i].wanted), found = parse(a, cases[i].found);
        assert_int_equal(provider_address_matches(&wanted, &found), cases[i].matches);
    }
}

static void patterns_match_as_in_terraform(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *address;
        bool matches;
    } cases[] = {
        {"hashicorp/aws", "registry.terraform.io/hashicorp/aws", true},
        {"hashicorp/aws", "registry.opentofu.org/hashicorp/aws", true},
        {"hashicorp/aws", "example.com/hashicorp/aws", false},
        {"hashicorp/*", "registry.terraform.io/hashicorp/time", true},
        {"hashicorp/*", "registry.terraform.io/acme/time", false},
        {"*/*", "registry.terraform.io/acme/time", true},
        {"*/*", "example.com/acme/time", false},
        {"*/*/*", "example.com/acme/time", true},
        {"example.com/*/*", "example.com/acme/time", true},
        {"example.com/*/*", "registry.terraform.io/acme/time", false},
        {"Example.com/Acme/Time", "example.com/acme/time", true},
        {"example.com:443/acme/time", "example.com/acme/time", true},
        {"registry.terraform.io/*/*", "registry.opentofu.org/acme/time", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct provider_address address = parse(a, cases[i].address);
        assert_null(provider_pattern_problem(str_of(cases[i].pattern)));
        if (provider_pattern_matches(str_of(cases[i].pattern), &address) != cases[i].matches)
            fail_msg("%s against %s", cases[i].pattern, cases[i].address);
    }
}

static void bad_patterns_have_a_problem(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "aws",   "*",         "a/b/c/d", "*/aws",       "*/b/c", "*/*/c", "*/b/*",
                                      "a b/c", "a/b_c", "a.b/c/*/d", "x/*/aws", "ex..com/*/*", "/",     "//"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (!provider_pattern_problem(str_of(bad[i])))
            fail_msg("\"%s\" was taken", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_addresses_get_their_defaults),
        cmocka_unit_test(bad_addresses_are_refused_with_the_form),
        cmocka_unit_test(too_long_parts_are_refused),
        cmocka_unit_test(default_registries_stand_for_each_other_unless_named),
        cmocka_unit_test(patterns_match_as_in_terraform),
        cmocka_unit_test(bad_patterns_have_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
