#include "cfn/testing_cfn.h"

static const struct json *out_of(const struct json *c)
{
    const struct json *out = json_get(c, "out");
    return out && out->kind != JSON_NULL ? out : NULL;
}

static void snake_facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "snake.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i];
        testing_text(cfn_snake(a, testing_member(c, "in")), testing_member(c, "out").p);
    }
}

static void plural_facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "plural.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i];
        testing_text(cfn_plural(a, testing_member(c, "in"), testing_member(c, "suffix")), testing_member(c, "out").p);
    }
}

static void check_type(const struct json *c, bool ok, const struct cfn_type_name *name)
{
    const struct json *out = out_of(c);
    assert_int_equal(ok, out != NULL);
    if (!out)
        return;
    testing_text(name->organisation, out->array.items[0]->text.p);
    testing_text(name->service, out->array.items[1]->text.p);
    testing_text(name->resource, out->array.items[2]->text.p);
}

static void type_name_facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "type_name.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i], *in = json_get(c, "in");
        struct str op = testing_member(c, "op");
        struct cfn_type_name name = {0};
        if (str_eqz(op, "parse_cf")) {
            check_type(c, cfn_parse_cf_type(in->text, &name), &name);
        } else if (str_eqz(op, "make_tf")) {
            name = (struct cfn_type_name){in->array.items[0]->text, in->array.items[1]->text, in->array.items[2]->text};
            testing_text(cfn_make_tf_type(a, &name), testing_member(c, "out").p);
        }
    }
}

static void check_ref(const struct json *c, bool kind)
{
    static const char *const kinds[] = {[CFN_REF_DEFINITION] = "definitions", [CFN_REF_PROPERTY] = "properties"};
    enum cfn_ref_kind got;
    struct str name;
    bool ok = cfn_parse_ref(testing_member(c, "in"), &got, &name);
    assert_int_equal(ok, out_of(c) != NULL);
    if (ok)
        testing_text(kind ? str_of(kinds[got]) : name, testing_member(c, "out").p);
}

static void check_pointer_is(const struct json *c)
{
    const struct json *path = json_get(c, "path");
    struct str steps[CFN_MAX_POINTER_STEPS];
    for (size_t i = 0; i < path->array.n; i++)
        steps[i] = path->array.items[i]->text;
    assert_int_equal(cfn_pointer_is(testing_member(c, "pointer"), steps, path->array.n), json_bool(json_get(c, "out"), false));
}

static void check_pointer_path(const struct json *c)
{
    const struct json *out = json_get(c, "out");
    struct cfn_pointer pointer;
    /* For an invalid pointer awscc returns one empty step; our parser returns false. */
    bool none = out->array.n == 1 && out->array.items[0]->text.n == 0;
    assert_int_equal(cfn_parse_pointer(testing_member(c, "in"), &pointer), !none);
    if (none)
        return;
    assert_int_equal(pointer.n, out->array.n);
    for (size_t i = 0; i < pointer.n; i++)
        testing_text(pointer.steps[i], out->array.items[i]->text.p);
}

static void schema_sdk_facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "schema_sdk.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i];
        struct str op = testing_member(c, "op");
        if (str_eqz(op, "ref_name"))
            check_ref(c, false);
        else if (str_eqz(op, "ref_kind"))
            check_ref(c, true);
        else if (str_eqz(op, "pointer_is"))
            check_pointer_is(c);
        else if (str_eqz(op, "pointer_path"))
            check_pointer_path(c);
        else
            assert_true(str_eqz(op, "sanitize_pattern")); /* regex_test.c */
    }
}

static void words_of_properties(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"VPCId", "vpc_id"},
        {"WebACL", "web_acl"},
        {"IPv6", "i_pv_6"},
        {"Ipv6CidrBlock", "ipv_6_cidr_block"},
        {"OAuth2", "o_auth_2"},
        {"VPCs", "vp_cs"},
        {"K8sVersion", "k8_s_version"},
        {"foo.bar", "foo_bar"},
        {"FSxArn", "fsx_arn"},
        {"CNAMEs", "cnames"},
        {"MyCloudFormationCloudFrontX", "my_cloudformation_cloudfront_x"},
        {"A", "a"},
        {"\xc3\xa9x", "__x"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        testing_text(cfn_snake(a, str_of(cases[i][0])), cases[i][1]);
}

static void identity_has_words_of_its_own(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"Schedule/ScheduleId", "schedule_schedule_id"},
        {"VPCId", "vpc_id"},
        {"LayoutArn", "layout_arn"},
        {"Ipv6CidrBlock", "ipv6_cidr_block"},
        {"WebACLArn", "web_acl_arn"},
        {"id", "id"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        testing_text(cfn_identity_snake(a, str_of(cases[i][0])), cases[i][1]);
}

static void plurals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"awscc_x_policy", "awscc_x_policies"},
        {"awscc_x_key", "awscc_x_keys"},
        {"awscc_x_box", "awscc_x_boxes"},
        {"awscc_x_index", "awscc_x_indices"},
        {"awscc_x_alias", "awscc_x_aliases"},
        {"awscc_x_analysis", "awscc_x_analyses"},
        {"awscc_x_half", "awscc_x_halves"},
        {"awscc_x_knife", "awscc_x_knives"},
        {"awscc_x_data", "awscc_x_data"},
        {"awscc_x_v2", "awscc_x_v2s"},
        {"awscc_x_person", "awscc_x_people"},
        {"awscc_x_settings", "awscc_x_settings_plural"},
        {"awscc_x_hive", "awscc_x_hives"},
        {"axis", "axes"},
        {"awscc_x_axis", "awscc_x_axis"},
        {"awscc_x_address", "awscc_x_addresses"},
        {"awscc_x_medium", "awscc_x_media"},
        {"BUS", "BUSES"},
        {"Box", "Boxes"},
        {"awscc_x_quiz", "awscc_x_quizzes"},
        {"ox", "oxen"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        testing_text(cfn_plural(a, str_of(cases[i][0]), STR("_plural")), cases[i][1]);
}

static void types(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct cfn_type_name name;
    assert_true(cfn_parse_cf_type(STR("AWS::EC2::VPCEndpoint"), &name));
    testing_text(cfn_tf_type(a, &name), "awscc_ec2_vpc_endpoint");
    assert_true(cfn_parse_cf_type(STR("Acme::EC2::VPCEndpoint"), &name));
    testing_text(cfn_tf_type(a, &name), "awscc_acme_ec2_vpc_endpoint");
    testing_text(cfn_relative_type(STR("awscc_ec2_vpc_endpoint")), "vpc_endpoint");
    assert_false(cfn_parse_cf_type(STR("AWS::EC2"), &name));
    assert_false(cfn_parse_cf_type(STR("AWS::EC2::VPC::MODULE"), &name));
    assert_false(cfn_parse_cf_type(STR("A::EC2::VPC"), &name));
}

static void pointers(void **state)
{
    (void)state;
    struct cfn_pointer p;
    assert_true(cfn_parse_pointer(STR("/properties/A/*/B"), &p) && p.n == 3 && p.starred);
    assert_true(cfn_parse_pointer(STR("/properties/A"), &p) && p.n == 1 && !p.starred);
    assert_false(cfn_parse_pointer(STR("/properties//B"), &p));
    assert_false(cfn_parse_pointer(STR("/properties/A/"), &p));
    assert_false(cfn_parse_pointer(STR("/definitions/A"), &p));
    struct buf deep BUF_AUTO = BUF_INIT(TESTING_MAX);
    buf_addz(&deep, "/properties");
    for (size_t i = 0; i <= CFN_MAX_POINTER_STEPS; i++)
        buf_addz(&deep, "/a");
    assert_false(cfn_parse_pointer(buf_str(&deep), &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snake_facts),
        cmocka_unit_test(plural_facts),
        cmocka_unit_test(type_name_facts),
        cmocka_unit_test(schema_sdk_facts),
        cmocka_unit_test(words_of_properties),
        cmocka_unit_test(identity_has_words_of_its_own),
        cmocka_unit_test(plurals),
        cmocka_unit_test(types),
        cmocka_unit_test(pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
