#include "admission/names.h"

#include "base/testing.h"

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void names_have_their_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *(*check)(struct str);
        const char *name;
        bool ok;
    } cases[] = {
        {name_subdomain, "a", true},
        {name_subdomain, "a-b.c0", true},
        {name_subdomain, "", false},
        {name_subdomain, "a.", false},
        {name_subdomain, ".a", false},
        {name_subdomain, "a..b", false},
        {name_subdomain, "A", false},
        {name_subdomain, "a_b", false},
        {name_subdomain, "a-.b", false},
        {name_subdomain, A63 A63, true},
        {name_subdomain, A63 A63 A63 A63 "aa", false},
        {name_dns_label, A63, true},
        {name_dns_label, A63 "a", false},
        {name_dns_label, "a.b", false},
        {name_dns_label, "-a", false},
        {name_qualified, "a", true},
        {name_qualified, "A_b.c-d", true},
        {name_qualified, "example.org/a", true},
        {name_qualified, "a/b/c", false},
        {name_qualified, "/a", false},
        {name_qualified, "a/", false},
        {name_qualified, "A.org/b", false},
        {name_qualified, A63 "a", false},
        {name_qualified, "", false},
        {name_label_value, "", true},
        {name_label_value, "a_b", true},
        {name_label_value, "a b", false},
        {name_label_value, "-", false},
        {name_label_value, A63 "a", false},
        {name_data_key, "a", true},
        {name_data_key, ".a", true},
        {name_data_key, "..a", false},
        {name_data_key, ".", false},
        {name_data_key, "a/b", false},
        {name_data_key, "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((cases[i].check(str_of(cases[i].name)) == NULL) != cases[i].ok)
            fail_msg("case %zu: \"%s\"", i, cases[i].name);
    assert_non_null(name_data_key((struct str){"a\0b", 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_have_their_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
