#include "aws/endpoint.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* Tests the rules; tests/scenario compares every region with botocore. */
static void addresses_of_aws(void **state)
{
    (void)state;
    static const struct {
        enum aws_service service;
        const char *region;
        bool fips, dual_stack;
        const char *url, *signing_region;
    } cases[] = {
        {AWS_CLOUDCONTROL, "us-east-1", false, false, "https://cloudcontrolapi.us-east-1.amazonaws.com", "us-east-1"},
        {AWS_CLOUDCONTROL, "us-east-1", true, false, "https://cloudcontrolapi-fips.us-east-1.amazonaws.com", "us-east-1"},
        {AWS_CLOUDCONTROL, "us-east-1", false, true, "https://cloudcontrolapi.us-east-1.api.aws", "us-east-1"},
        {AWS_CLOUDCONTROL, "us-east-1", true, true, "https://cloudcontrolapi-fips.us-east-1.api.aws", "us-east-1"},
        {AWS_CLOUDCONTROL, "cn-north-1", false, false, "https://cloudcontrolapi.cn-north-1.amazonaws.com.cn", "cn-north-1"},
        {AWS_CLOUDCONTROL, "us-isob-east-1", false, false, "https://cloudcontrolapi.us-isob-east-1.sc2s.sgov.gov",
         "us-isob-east-1"},
        {AWS_CLOUDCONTROL, "xx-new-9", false, false, "https://cloudcontrolapi.xx-new-9.amazonaws.com", "xx-new-9"},
        {AWS_CLOUDCONTROL, "us-gov-west-1", true, false, "https://cloudcontrolapi-fips.us-gov-west-1.amazonaws.com",
         "us-gov-west-1"},
        {AWS_STS, "us-gov-west-1", true, false, "https://sts.us-gov-west-1.amazonaws.com", "us-gov-west-1"},
        {AWS_STS, "us-gov-west-1", true, true, "https://sts-fips.us-gov-west-1.api.aws", "us-gov-west-1"},
        {AWS_STS, "eu-west-1", false, false, "https://sts.eu-west-1.amazonaws.com", "eu-west-1"},
        {AWS_STS, "aws-global", false, false, "https://sts.amazonaws.com", "us-east-1"},
        {AWS_SSO, "eu-west-1", false, false, "https://portal.sso.eu-west-1.amazonaws.com", "eu-west-1"},
        {AWS_SSO_OIDC, "eu-west-1", true, false, "https://oidc-fips.eu-west-1.amazonaws.com", "eu-west-1"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct aws_endpoint_choice c = {cases[i].service, str_of(cases[i].region), cases[i].fips, cases[i].dual_stack, STR_EMPTY};
        struct aws_endpoint e;
        assert_true(aws_endpoint_find(a, &c, &diags, &e));
        assert_string_equal(e.url.p, cases[i].url);
        assert_string_equal(e.host.p, cases[i].url + strlen("https://"));
        assert_true(str_eqz(e.region, cases[i].signing_region));
        assert_int_equal(e.path.n, 0);
    }
}

static void addresses_of_ones_own(void **state)
{
    (void)state;
    static const struct {
        const char *custom, *url, *host, *path;
    } good[] = {
        {"http://127.0.0.1:4566", "http://127.0.0.1:4566", "127.0.0.1:4566", ""},
        {"http://127.0.0.1:4566/", "http://127.0.0.1:4566", "127.0.0.1:4566", ""},
        {"https://x.example:443/a/b/", "https://x.example/a/b", "x.example", "/a/b"},
        {"https://x.example:80", "https://x.example:80", "x.example:80", ""},
        {"http://[::1]:8080/%41", "http://[::1]:8080/%41", "[::1]:8080", "/%41"},
    };
    static const char *const bad[] = {"localhost:4566", "ftp://x", "http://", "http://u:p@x", "http://x/?q", "x y", "http://x y"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct aws_endpoint_choice c = {.region = STR("us-east-1"), .custom = str_of(good[i].custom)};
        struct aws_endpoint e;
        assert_true(aws_endpoint_find(a, &c, &diags, &e));
        assert_string_equal(e.url.p, good[i].url);
        assert_string_equal(e.host.p, good[i].host);
        assert_true(str_eqz(e.path, good[i].path));
        assert_string_equal(e.signing_name, "cloudcontrolapi");
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct aws_endpoint_choice c = {.region = STR("us-east-1"), .custom = str_of(bad[i])};
        struct aws_endpoint e;
        assert_false(aws_endpoint_find(a, &c, &diags, &e));
    }
}

static void regions(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "a.b", "evil.example/", "-a", "a-", "a b", "a@b", "a#"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct aws_endpoint e;
        assert_false(aws_endpoint_find(a, &(struct aws_endpoint_choice){.region = str_of(bad[i])}, &diags, &e));
    }
    assert_string_equal(aws_partition_of(STR("us-east-1"))->name, "aws");
    assert_string_equal(aws_partition_of(STR("us-iso-west-1"))->name, "aws-iso");
    assert_string_equal(aws_partition_of(STR("eusc-de-east-1"))->name, "aws-eusc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_aws),
        cmocka_unit_test(addresses_of_ones_own),
        cmocka_unit_test(regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
