#include "cli/instance_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The parsed address in the state's form; NULL: an error. */
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
        {"web[\"$${a}\"]", "aws_vpc.web[\"$${a}\"]"},
        {"web[\"%%{a}$\"]", "aws_vpc.web[\"%%{a}$\"]"},
        {"web[\"$$${a}\"]", "aws_vpc.web[\"$$${a}\"]"},
        {"web[\"a\\tb\\u0041\"]", "aws_vpc.web[\"a\\tbA\"]"},
        {"module.m[\"$${\\u0061}\"].this", "module.m[\"$${a}\"].aws_vpc.this"},
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
                                        "a[\"${x}\"]",
                                        "a[\"%{x}\"]",
                                        "a[\"\\ud800\"]",
                                        "a[\"\\u12\"]",
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
    static const struct {
        const char *provider, *source; /* NULL: an error */
        const char *modules, *alias;   /* NULL: none */
    } cases[] = {
        {"provider[\"registry.terraform.io/hashicorp/aws\"]", "registry.terraform.io/hashicorp/aws", NULL, NULL},
        {"provider[\"registry.terraform.io/hashicorp/aws\"].west", "registry.terraform.io/hashicorp/aws", NULL, "west"},
        {"module.m.provider[\"registry.terraform.io/hashicorp/null\"].w", "registry.terraform.io/hashicorp/null", "module.m",
         "w"},
        {"module.a.module.b[\"k.provider\"].provider[\"example.com/x/aws\"].west", "example.com/x/aws",
         "module.a.module.b[\"k.provider\"]", "west"},
        {"module.cloud_provider.provider[\"registry.terraform.io/hashicorp/aws\"]", "registry.terraform.io/hashicorp/aws",
         "module.cloud_provider", NULL},
        {"module.provider.provider[\"example.com/x/aws\"]", "example.com/x/aws", "module.provider", NULL},
        {"provider[\"registry.opentofu.org/hashicorp/aws\"].by[\"we]st\"]", "registry.opentofu.org/hashicorp/aws", NULL,
         "by[\"we]st\"]"},
        {"provider[\"aws\"]", "aws", NULL, NULL},
        {"provider[\"registry.terraform.io/-/aws\"]", "aws", NULL, NULL},
        {"provider.aws", "aws", NULL, NULL},
        {"provider.aws.west", "aws", NULL, "west"},
        {"module.a.provider.google-beta.west", "google-beta", "module.a", "west"},
        {"provider[\"aws", NULL, NULL, NULL},
        {"provider[\"aws\"]x", NULL, NULL, NULL},
        {"provider[\"aws\"].", NULL, NULL, NULL},
        {"provider[\"\"]", NULL, NULL, NULL},
        {"provider[0]", NULL, NULL, NULL},
        {"provider", NULL, NULL, NULL},
        {"provider.", NULL, NULL, NULL},
        {"provider.aws.west.far", NULL, NULL, NULL},
        {"module.provider[\"aws\"]", NULL, NULL, NULL},
        {"aws", NULL, NULL, NULL},
        {"", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct instance_provider found = {0};
        bool ok = instance_provider_parse(a, str_of(cases[i].provider), &found);
        assert_int_equal(ok, cases[i].source != NULL);
        assert_true(!ok || str_eqz(found.source, cases[i].source));
        assert_true(str_eq(found.modules, str_of(cases[i].modules)) && str_eq(found.alias, str_of(cases[i].alias)));
    }
    struct str back;
    assert_true(instance_provider_source(a, text, &back) && str_eq(back, address));
    assert_true(str_eqz(instance_provider_guess(STR("aws_vpc")), "aws"));
    assert_true(str_eqz(instance_provider_guess(STR("time")), "time"));
}

static void keys_are_the_text_that_the_state_has(void **state)
{
    (void)state;
    static const struct {
        const char *name, *key;
    } cases[] = {
        {"web[\"$${a}\"]", "${a}"},
        {"web[\"%%{a}\"]", "%{a}"},
        {"web[\"$$${a}\"]", "$${a}"},
        {"web[\"$a$$\"]", "$a$$"},
        {"web[\"\\U0001f600\"]", "\U0001f600"},
        {"web[\"\\\"\\\\\\n\\r\\t\"]", "\"\\\n\r\t"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct state_address address;
        assert_true(instance_address_parse(a, "aws_vpc", cases[i].name, &diags, &address));
        assert_true(str_eqz(address.key.text, cases[i].key));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_understood),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(keys_are_the_text_that_the_state_has),
        cmocka_unit_test(providers_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
