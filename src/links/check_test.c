/* Every way in which a rule can be wrong, and its message. */
#include "links/check.h"

#include "links/testing_links.h"

static const char types[] =
    "\"x_subnet\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"vpc_id\":{\"type\":"
    "\"string\",\"required\":true},\"public\":{\"type\":\"bool\",\"optional\":true},\"size\":{\"type\":\"number\",\"optional\":"
    "true},"
    "\"labels\":{\"type\":[\"map\",\"string\"],\"optional\":true},"
    "\"groups\":{\"type\":[\"list\",\"string\"],\"optional\":true}},\"block_types\":{\"rule\":{\"nesting_mode\":\"list\","
    "\"block\":{"
    "\"attributes\":{\"key_arn\":{\"type\":\"string\",\"optional\":true}}}}}}},"
    "\"x_vpc\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"arn\":{\"type\":"
    "\"string\","
    "\"computed\":true},\"roots\":{\"type\":[\"list\",[\"object\",{\"id\":\"string\"}]],\"computed\":true}}}}";

static const struct {
    const char *rule, *says; /* NULL: the rule is correct; "-": not checked */
} cases[] = {
    {"x_subnet vpc_id -> x_vpc.id", NULL},
    {"x_subnet vpc_id -> x_vpc.arn part", NULL},
    {"x_subnet vpc_id -> none", NULL},
    {"x_subnet groups -> x_vpc.id", NULL},
    {"x_subnet groups[] -> x_vpc.roots[].id", NULL},
    {"x_subnet groups[] -> x_vpc.roots", NULL},
    {"x_subnet rule[].key_arn -> x_vpc.id", NULL},
    {"x_subnet size -> x_vpc.id", NULL},
    {"x_subnet size -> x_vpc.id part", NULL},
    {"x_subnet vpc_id -> other_vpc.id", NULL},
    {"x_* vpc_id -> x_vpc.id", NULL},
    {"* **.key_arn -> x_vpc.id", NULL},
    {"x_subnet **.key_* -> x_vpc.id", NULL},
    {"x_subnet labels.*VPC* -> x_vpc.id", NULL},
    {"x_subnet groups.*VPC* -> x_vpc.id", "has an argument that matches \"groups.*VPC*\"."},
    {"other_subnet vpc_id -> x_vpc.id", "-"},
    {"other_* vpc_id -> x_vpc.id", "-"},
    {"x_sbnet vpc_id -> x_vpc.id", "there is no resource type \"x_sbnet\"; did you mean \"x_subnet\"?"},
    {"x_subnet vcp_id -> x_vpc.id", "x_subnet has no argument \"vcp_id\"; did you mean \"vpc_id\"?"},
    {"x_subnet rule.key -> x_vpc.id", "x_subnet has no argument \"key\" there."},
    {"x_subnet vpc_id[] -> x_vpc.id", "\"vpc_id\" of x_subnet is neither a list nor a map."},
    {"x_subnet groups{} -> x_vpc.id", "\"groups\" of x_subnet is a list: write \"groups[]\"."},
    {"x_subnet rule -> x_vpc.id", "x_subnet has an object there, not a single value"},
    {"x_subnet id -> x_vpc.id", "\"id\" of x_subnet is computed by the provider"},
    {"x_subnet public -> x_vpc.id", "is true or false"},
    {"x_subnet vpc_id -> x_vpcs.id", "there is no resource type \"x_vpcs\"; did you mean \"x_vpc\"?"},
    {"x_subnet vpc_id -> x_vpc.ran", "x_vpc has no attribute \"ran\"; did you mean \"arn\"?"},
    {"x_subnet vpc_id -> x_vpc.arn[]", "\"arn\" of x_vpc is neither a list nor a map."},
    {"x_*_y vpc_id -> x_vpc.id", "no resource type matches \"x_*_y\"."},
    {"x_* nothing -> x_vpc.id", "no type that matches \"x_*\" has an argument that matches \"nothing\"."},
    {"x_* arn -> x_vpc.id", "has an argument that matches \"arn\""},
};

static void rules(void **state)
{
    (void)state;
    const struct provider_schema *schema = testing_schema(testing_arena, types);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct link_table t = testing_table(testing_arena, cases[i].rule);
        struct link_check result;
        links_check(testing_arena, &t, &schema, 1, &result);
        const char *said = result.problems.n > 0 ? result.problems.v[0].text.p : NULL;
        bool unchecked = cases[i].says && strcmp(cases[i].says, "-") == 0;
        bool as_expected = !cases[i].says || unchecked ? !said : said && strstr(said, cases[i].says);
        if (!as_expected)
            fail_msg("%s: %s", cases[i].rule, said ? said : "nothing");
        assert_int_equal(result.n_unchecked, unchecked);
        assert_int_equal(result.n_errors, said != NULL);
        assert_int_equal(result.n_good, !said && !unchecked);
    }
}

static void rules_that_change_nothing(void **state)
{
    (void)state;
    const struct provider_schema *schema = testing_schema(testing_arena, types);
    struct link_table t = testing_table(testing_arena, "x_subnet groups -> x_vpc.id\n"
                                                       "x_subnet groups -> x_vpc.arn\n"
                                                       "x_* vpc_id -> x_vpc.id\n"
                                                       "x_subnet vpc_id -> x_vpc.id\n"
                                                       "x_subnet rule.key_arn -> none\n"
                                                       "x_subnet rule.key_arn -> x_vpc.arn\n");
    struct link_check result;
    links_check(testing_arena, &t, &schema, 1, &result);
    assert_int_equal(result.problems.n, 2);
    assert_false(result.problems.v[0].error);
    assert_int_equal(result.problems.v[0].rule->line, 4);
    assert_int_equal(result.problems.v[1].rule->line, 6);
    assert_int_equal(result.n_good, 6);
}

/* Nobody looks at more rules for one argument than that. */
static void rules_that_are_too_many(void **state)
{
    (void)state;
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    for (int i = 0; i <= LINKS_MAX_MATCHES; i++)
        buf_printf(&text, "x_subnet vpc_id -> y_%d.id\n", i);
    struct link_table t = testing_table(testing_arena, buf_copy(&text, testing_arena).p);
    struct link_check result;
    links_check(testing_arena, &t, NULL, 0, &result);
    assert_int_equal(result.problems.n, 1);
    assert_int_equal(result.problems.v[0].rule->line, LINKS_MAX_MATCHES + 1);
    assert_non_null(strstr(result.problems.v[0].text.p, "32 others"));
}

static void several_schemas(void **state)
{
    (void)state;
    const struct provider_schema *schemas[] = {
        testing_schema(testing_arena, types),
        testing_schema(testing_arena,
                       "\"y_a\":{\"version\":0,\"block\":{\"attributes\":{\"v\":{\"type\":\"string\",\"optional\":true}}}}"),
    };
    struct link_table t = testing_table(testing_arena, "y_a v -> x_vpc.id\nx_subnet vpc_id -> y_b.id\n");
    struct link_check result;
    links_check(testing_arena, &t, schemas, 2, &result);
    assert_int_equal(result.n_good, 1);
    assert_int_equal(result.n_errors, 1);
    links_check(testing_arena, &t, schemas, 0, &result);
    assert_int_equal(result.n_unchecked, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),
        cmocka_unit_test(rules_that_change_nothing),
        cmocka_unit_test(rules_that_are_too_many),
        cmocka_unit_test(several_schemas),
    };
    return cmocka_run_group_tests(tests, testing_begin, testing_end);
}
