#include "registry/version.h"

#include "registry/testing_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX_VERSIONS = 32 };

static struct provider_version parse(const char *text)
{
    struct provider_version v;
    if (!provider_version_parse(str_of(text), &v))
        fail_msg("%s is a version", text);
    return v;
}

static void versions_are_read_and_written(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"1.2.3", "1.2.3"},
        {"1.2", "1.2.0"},
        {"1", "1.0.0"},
        {"0.0.0", "0.0.0"},
        {"01.002.3", "1.2.3"},
        {"1.2.3-beta1", "1.2.3-beta1"},
        {"1.2.3-beta.1+build.5", "1.2.3-beta.1+build.5"},
        {"1.2.3+x", "1.2.3+x"},
        {"1.0.202401011200", "1.0.202401011200"},
        {"18446744073709551615.0.0", "18446744073709551615.0.0"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct provider_version v = parse(cases[i][0]);
        assert_string_equal(provider_version_text(a, &v).p, cases[i][1]);
    }
}

static void what_is_no_version_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        "v1.0.0", "1.",     "1..2",   "1.2.3.4", ".1",
                                      "1.2.3-",  "1.2.3+", "1.2.3 ", " 1.2.3", "1.2.3_4", "1.2.3-ü",
                                      "latest",  "1.x",    "*",      "-1.0.0", "1.-2.3",  "18446744073709551616.0.0",
                                      "1.2.3\n", "1,2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct provider_version v;
        if (provider_version_parse(str_of(bad[i]), &v))
            fail_msg("\"%s\" was taken", bad[i]);
    }
}

/* The order was recorded from hashicorp/go-version 1.7.0. */
static void versions_are_ordered_by_precedence(void **state)
{
    (void)state;
    static const char *const ordered[] = {"0.0.1",
                                          "0.1.0",
                                          "0.9.0",
                                          "0.10.0",
                                          "1.0.0-1",
                                          "1.0.0-2",
                                          "1.0.0-10",
                                          "1.0.0-alpha",
                                          "1.0.0-alpha.1",
                                          "1.0.0-alpha.beta",
                                          "1.0.0-beta",
                                          "1.0.0-beta.2",
                                          "1.0.0-beta.11",
                                          "1.0.0-rc.1",
                                          "1.0.0",
                                          "1.0.1",
                                          "1.0.202401011200",
                                          "1.1.0",
                                          "2.0.0",
                                          "5.99.0",
                                          "5.100.0",
                                          "10.0.0"};
    for (size_t i = 0; i < sizeof ordered / sizeof ordered[0]; i++)
        for (size_t j = 0; j < sizeof ordered / sizeof ordered[0]; j++) {
            struct provider_version a = parse(ordered[i]), b = parse(ordered[j]);
            int r = provider_version_cmp(&a, &b);
            if ((r > 0) - (r < 0) != (i > j) - (i < j))
                fail_msg("%s and %s: %d", ordered[i], ordered[j], r);
        }
    struct provider_version plain = parse("1.0.0"), built = parse("1.0.0+x");
    assert_int_equal(provider_version_cmp(&plain, &built), 0);
}

/* One line of the table: the versions that the constraint allows. */
static void check_line(struct arena *a, struct str constraint, struct str allowed, const struct str *versions, size_t n)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct version_constraint *c = provider_version_constraint_parse(a, constraint, &diags);
    if ((c != NULL) == str_eqz(allowed, "error"))
        fail_msg("\"%.*s\": %s", (int)constraint.n, constraint.p, c ? "taken" : test_text(a, &diags));
    assert_int_equal(diags.n_errors, c ? 0 : 1);
    for (size_t i = 0; c && i < n; i++) {
        struct provider_version v;
        assert_true(provider_version_parse(versions[i], &v));
        bool expected = false;
        for (struct str rest = allowed; rest.n > 0;)
            expected |= str_eq(str_cut(&rest, ' '), versions[i]);
        if (provider_version_allowed(c, &v) != expected)
            fail_msg("\"%.*s\" and %.*s: expected %d", (int)constraint.n, constraint.p, (int)versions[i].n, versions[i].p,
                     expected);
    }
}

static void constraints_allow_what_terraform_allows(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = test_read(a, TERRANE_SOURCE "/src/registry/testdata/constraints.txt");
    struct str versions[MAX_VERSIONS];
    size_t n = 0, lines = 0;
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        if (line.n == 0 || line.p[0] == '#')
            continue;
        const char *arrow = strstr(arena_str(a, line).p, " =>");
        assert_non_null(arrow);
        struct str constraint = arena_str(a, line);
        constraint.n = (size_t)(strstr(constraint.p, " =>") - constraint.p);
        struct str allowed = str_trim(str_slice(line, constraint.n + 3, line.n));
        if (n > 0) {
            check_line(a, constraint, allowed, versions, n);
            lines++;
            continue;
        }
        for (; allowed.n > 0; n++) {
            assert_true(n < MAX_VERSIONS);
            versions[n] = str_cut(&allowed, ' ');
        }
    }
    assert_true(lines > 70);
}

static void blanks_are_free(void **state)
{
    (void)state;
    static const char *const same[] = {">=1.0,<2", " >= 1.0 , < 2 ", ">=\t1.0,\n<  2"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct provider_version in = parse("1.5.0"), out = parse("2.0.0");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const struct version_constraint *c = provider_version_constraint_parse(a, str_of(same[i]), &diags);
        assert_non_null(c);
        assert_true(provider_version_allowed(c, &in));
        assert_false(provider_version_allowed(c, &out));
    }
}

static void bad_constraints_say_what_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"v1.0", "must not have a \"v\""},  {">= V1.0", "must not have a \"v\""},
        {"1.2.3-", "must name a version"},  {">= 1.0,", "\"\" has no version"},
        {"=> 1.0", "unknown operator"},     {"> 1.0 < 2.0", "extra characters after the version"},
        {">= ${x}", "must name a version"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        assert_null(provider_version_constraint_parse(a, str_of(cases[i][0]), &diags));
        assert_int_equal(diags.n_errors, 1);
        if (!strstr(diags.v[0].detail.p, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], diags.v[0].detail.p);
    }
}

static void too_many_terms_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    char text[2 * (VERSION_MAX_TERMS + 1)];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 ? ',' : '1';
    assert_non_null(provider_version_constraint_parse(a, (struct str){text, 2 * VERSION_MAX_TERMS - 1}, &diags));
    assert_null(provider_version_constraint_parse(a, (struct str){text, 2 * VERSION_MAX_TERMS + 1}, &diags));
}

/* Each was seen in a lock file, or a message, of Terraform 1.11. */
static void constraints_are_written_as_terraform_does(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"=1.2", "1.2.0"},
        {"<2, >=1.0.0", ">= 1.0.0, < 2.0.0"},
        {"~>1.0, >= 1.0.0, >= 1.0.0", ">= 1.0.0, ~> 1.0"},
        {" >= 1, <= 2.0.0, > 0.5, ~> 1.0.0", "> 0.5.0, >= 1.0.0, ~> 1.0.0, <= 2.0.0"},
        {"!= 1.0.0, <= 1.0.0, < 1.0.0, ~> 1.0.0, ~> 1.0, ~> 1, >= 1.0.0, > 1.0.0, 1.0.0",
         "> 1.0.0, >= 1.0.0, 1.0.0, ~> 1.0.0, ~> 1.0, <= 1.0.0, < 1.0.0, != 1.0.0"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        const struct version_constraint *c = provider_version_constraint_parse(a, str_of(cases[i][0]), &diags);
        assert_non_null(c);
        assert_string_equal(provider_version_constraint_text(a, c).p, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_read_and_written),
        cmocka_unit_test(what_is_no_version_is_refused),
        cmocka_unit_test(versions_are_ordered_by_precedence),
        cmocka_unit_test(constraints_allow_what_terraform_allows),
        cmocka_unit_test(constraints_are_written_as_terraform_does),
        cmocka_unit_test(blanks_are_free),
        cmocka_unit_test(bad_constraints_say_what_is_wrong),
        cmocka_unit_test(too_many_terms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
