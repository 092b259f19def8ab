#include "cli/instance_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* As the state writes the address that was read; NULL: refused. */
static const char *parsed(struct arena *a, const char *type, const char *name)
{
    struct diags diags;
    diags_init(&diags, a);
    struct state_address address;
    if (instance_address_parse(a, type, name, &diags, &address)) {
        assert_int_equal(diags.n, 0);
        return state_address_text(a, &address).p;
    }
    assert_int_equal(diags.n_errors, 1);
    return NULL;
}

static void names_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *name, *address;
    } cases[] = {
        {"this", "aws_vpc.this"},
        {"web-1_x", "aws_vpc.web-1_x"},
        {"_", "aws_vpc._"},
        {"web[0]", "aws_vpc.web[0]"},
        {"web[\"a key\"]", "aws_vpc.web[\"a key\"]"},
        {"web[\"a\\\"]b\"]", "aws_vpc.web[\"a\\\"]b\"]"},
        {"module.net.this", "module.net.aws_vpc.this"},
        {"module.net[\"a.b\"].module.sub[2].this[1]", "module.net[\"a.b\"].module.sub[2].aws_vpc.this[1]"},
        {"module", "aws_vpc.module"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(parsed(a, "aws_vpc", cases[i].name), cases[i].address);
}

static void all_else_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "0",
                                        "a b",
                                        "a.b",
                                        "a[",
                                        "a[]",
                                        "a[x]",
                                        "a[-1]",
                                        "a[0]x",
                                        "a[\"x]",
                                        "a[\"x\"",
                                        "a[\"\\q\"]",
                                        "module.",
                                        "module.a",
                                        "module.a.",
                                        "module..b",
                                        "module.a[0",
                                        "module.a.b.c",
                                        "a[99999999999999999999]"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_null(parsed(a, "aws_vpc", names[i]));
    assert_null(parsed(a, "", "this"));
    assert_null(parsed(a, "aws.vpc", "this"));
    assert_null(parsed(a, "9", "this"));
}

static void providers_are_named(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str address = STR("registry.terraform.io/hashicorp/aws");
    struct str text = instance_provider_text(a, address);
    assert_string_equal(text.p, "provider[\"registry.terraform.io/hashicorp/aws\"]");
    assert_true(str_eq(instance_provider_address(text), address));
    assert_true(str_eq(instance_provider_address(STR("provider[\"registry.terraform.io/hashicorp/aws\"].west")), address));
    assert_int_equal(instance_provider_address(STR("provider.aws")).n, 0);
    assert_int_equal(instance_provider_address(STR("provider[\"aws")).n, 0);
    assert_true(str_eqz(instance_provider_guess(STR("aws_vpc")), "aws"));
    assert_true(str_eqz(instance_provider_guess(STR("time")), "time"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_understood),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(providers_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
