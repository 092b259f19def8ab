#include "aws/arn.h"

#include "base/testing.h"

static void arns(void **state)
{
    (void)state;
    assert_true(aws_arn_valid(STR("arn:aws:iam::123456789012:role/a:b")));
    assert_true(aws_arn_valid(STR("arn:::::")));
    assert_false(aws_arn_valid(STR("arn:aws:iam::123456789012")));
    assert_false(aws_arn_valid(STR("xarn:aws:iam::123456789012:role/a")));
    testing_text(aws_arn_account(STR("arn:aws-cn:iam::123456789012:role/a:b")), "123456789012");
    testing_text(aws_arn_partition(STR("arn:aws-cn:iam::123456789012:role/a:b")), "aws-cn");
    testing_text(aws_arn_account(STR("nonsense")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
