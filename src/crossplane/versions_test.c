/* The order of API versions. */
#include "crossplane/versions.h"

#include "base/testing.h"

static void which_are_older(void **state)
{
    (void)state;
    static const char *const order[] = {"v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta10", "v1", "v2alpha1", "v2"};
    enum { N = sizeof order / sizeof *order };
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++)
            assert_int_equal(xp_version_is_older(str_of(order[i]), str_of(order[k])), i < k);
    static const char *const odd[] = {"", "v", "1", "v1gamma1", "v1beta", "v1beta1x", "beta1", "v99999999999999999999"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_false(xp_version_is_older(str_of(odd[i]), STR("v3")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(which_are_older)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
