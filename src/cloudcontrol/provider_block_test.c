#include "cloudcontrol/provider_block.h"

#include "aws/arn.h"
#include "base/duration.h"
#include "translate/testing_translate.h"
#include "value/testing_notation.h"

struct world {
    struct arena *a;
    struct diags diags;
    struct cc_provider_settings s;
};

static void begin(struct world *w)
{
    *w = (struct world){.a = arena_new(NULL, 0)};
    diags_init(&w->diags, w->a);
}

static bool read_block(struct world *w, const char *notation, enum cfn_mode mode)
{
    diags_init(&w->diags, w->a);
    return cc_provider_block_read(w->a, notation_parse(w->a, notation), mode, &w->diags, &w->s);
}

static void nothing_need_be_said(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_true(read_block(&w, "{}", CFN_MODE_DEFAULT));
    assert_int_equal(w.diags.n, 0);
    assert_true(w.s.aws.region.n == 0 && !w.s.aws.assume_role && !w.s.proxies.http && w.s.max_retries == 0);
    assert_int_equal(w.s.aws.metadata, AWS_UNSET);
    assert_true(
        read_block(&w,
                   "{\"region\":{\"$null\":\"string\"},\"assume_role\":{\"$null\":[\"object\",{\"role_arn\":\"string\"}]},"
                   "\"user_agent\":{\"$null\":[\"list\",[\"object\",{}]]},\"insecure\":{\"$null\":\"bool\"}}",
                   CFN_MODE_STRICT));
    assert_false(w.s.insecure);
    arena_free(w.a);
}

static void everything_can_be_said(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_true(read_block(
        &w,
        "{\"access_key\":\"AK\",\"secret_key\":\"s\",\"token\":\"t\",\"profile\":\"p\",\"region\":\"eu-west-1\","
        "\"role_arn\":\"arn:aws:iam::1:role/cfn\",\"max_retries\":3,\"insecure\":true,\"http_proxy\":\"http://"
        "h\",\"https_proxy\":\"\","
        "\"no_proxy\":\"x\",\"skip_metadata_api_check\":true,\"skip_credentials_validation\":true,"
        "\"shared_config_files\":{\"$list\":\"string\",\"of\":[\"~/"
        "a\",\"b\"]},\"shared_credentials_files\":{\"$list\":\"string\",\"of\":[\"c\"]},"
        "\"endpoints\":{\"cloudcontrolapi\":\"http://127.0.0.1:1\",\"iam\":\"http://iam\",\"sso\":\"http://sso\",\"sts\":\"http:/"
        "/sts\"},"
        "\"assume_role\":{\"role_arn\":\"arn:aws:iam::1:role/r\",\"duration\":\"1h30m\",\"external_id\":\"e\",\"policy\":\"{}\","
        "\"policy_arns\":{\"$list\":\"string\",\"of\":[\"arn:aws:iam::aws:policy/P\"]},\"session_name\":\"n\","
        "\"tags\":{\"$map\":\"string\",\"of\":{\"b\":\"2\",\"a\":\"1\"}},\"transitive_tag_keys\":{\"$set\":\"string\",\"of\":["
        "\"a\"]}},"
        "\"user_agent\":{\"$list\":[\"object\",{\"product_name\":\"string\",\"product_version\":\"string\",\"comment\":"
        "\"string\"}],\"of\":["
        "{\"product_name\":\"n\",\"product_version\":\"1\",\"comment\":\"c\"},"
        "{\"product_name\":\"m\",\"product_version\":{\"$null\":\"string\"},\"comment\":{\"$null\":\"string\"}}]},"
        "\"default_tags\":{\"tags\":{\"$map\":\"string\",\"of\":{\"z\":\"1\",\"team\":\"x\"}}}}",
        CFN_MODE_DEFAULT));
    assert_int_equal(w.diags.n, 0);
    testing_text(w.s.aws.access_key, "AK");
    testing_text(w.s.aws.secret_key, "s");
    testing_text(w.s.aws.token, "t");
    testing_text(w.s.aws.profile, "p");
    testing_text(w.s.aws.region, "eu-west-1");
    testing_text(w.s.role_arn, "arn:aws:iam::1:role/cfn");
    assert_int_equal(w.s.max_retries, 3);
    assert_true(w.s.insecure && w.s.skip_validation);
    assert_string_equal(w.s.proxies.http, "http://h");
    assert_string_equal(w.s.proxies.https, "");
    assert_string_equal(w.s.proxies.none_for, "x");
    assert_int_equal(w.s.aws.metadata, AWS_OFF);
    assert_int_equal(w.s.aws.n_config_files, 2);
    testing_text(w.s.aws.config_files[1], "b");
    testing_text(w.s.aws.credentials_files[0], "c");
    testing_text(w.s.aws.endpoints[AWS_CLOUDCONTROL], "http://127.0.0.1:1");
    testing_text(w.s.aws.endpoints[AWS_SSO], "http://sso");
    testing_text(w.s.aws.endpoints[AWS_STS], "http://sts");
    testing_text(w.s.iam_endpoint, "http://iam");
    const struct aws_role *role = w.s.aws.assume_role;
    testing_text(role->arn, "arn:aws:iam::1:role/r");
    assert_int_equal(role->duration_s, 5400);
    testing_text(role->external_id, "e");
    testing_text(role->policy, "{}");
    testing_text(role->policy_arns[0], "arn:aws:iam::aws:policy/P");
    testing_text(role->session_name, "n");
    assert_int_equal(role->n_tags, 2);
    testing_text(role->tags[0].key, "a");
    testing_text(role->tags[1].value, "2");
    testing_text(role->transitive_tag_keys[0], "a");
    assert_int_equal(w.s.default_tags.n, 2);
    testing_text(w.s.default_tags.v[0].key, "team");
    static const char *const env[] = {"TF_APPEND_USER_AGENT= more/2 \n", NULL};
    testing_text(cc_user_agent(w.a, &w.s.user_agent, env), "terrane/" TERRANE_VERSION " n/1 (c) m more/2");
    arena_free(w.a);
}

static void web_identity(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_true(read_block(
        &w, "{\"assume_role_with_web_identity\":{\"role_arn\":\"arn:aws:iam::1:role/r\",\"web_identity_token\":\"abcd\"}}",
        CFN_MODE_DEFAULT));
    testing_text(w.s.aws.assume_web_role->web_token, "abcd");
    assert_true(read_block(
        &w, "{\"assume_role_with_web_identity\":{\"role_arn\":\"arn:aws:iam::1:role/r\",\"web_identity_token_file\":\"~/t\"}}",
        CFN_MODE_DEFAULT));
    testing_text(w.s.aws.assume_web_role->web_token_file, "~/t");
    arena_free(w.a);
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *block, *path, *said;
    } cases[] = {
        {"{\"region\":{\"$unknown\":\"string\"}}", "region", "known only after apply"},
        {"{\"assume_role\":{\"role_arn\":{\"$unknown\":\"string\"}}}", "assume_role.role_arn", "known only after apply"},
        {"{\"assume_role\":{\"$unknown\":[\"object\",{\"role_arn\":\"string\"}]}}", "assume_role", "known only after apply"},
        {"{\"shared_config_files\":{\"$list\":\"string\",\"of\":[{\"$unknown\":\"string\"}]}}", "shared_config_files[0]",
         "known only"},
        {"{\"role_arn\":\"not ok\"}", "role_arn", "is not a valid ARN"},
        {"{\"assume_role\":{\"role_arn\":\"arn:x\"}}", "assume_role.role_arn", "is not a valid ARN"},
        {"{\"assume_role\":{\"duration\":\"1h\"}}", "assume_role.role_arn", "the role to assume"},
        {"{\"assume_role\":{\"role_arn\":\"arn:a:b:c:d:e\",\"duration\":\"soon\"}}", "assume_role.duration",
         "is not a valid duration"},
        {"{\"assume_role\":{\"role_arn\":\"arn:a:b:c:d:e\",\"duration\":\"10m\"}}", "assume_role.duration", "out of range"},
        {"{\"assume_role\":{\"role_arn\":\"arn:a:b:c:d:e\",\"policy\":\"{\"}}", "assume_role.policy", "policy in JSON"},
        {"{\"assume_role\":{\"role_arn\":\"arn:a:b:c:d:e\",\"policy_arns\":{\"$list\":\"string\",\"of\":[\"x\"]}}}",
         "assume_role.policy_arns", "is not a valid ARN"},
        {"{\"assume_role_with_web_identity\":{\"role_arn\":\"arn:a:b:c:d:e\",\"web_identity_token\":\"abc\"}}",
         "assume_role_with_web_identity.web_identity_token", "4 to 20000"},
        {"{\"assume_role_with_web_identity\":{\"role_arn\":\"arn:a:b:c:d:e\"}}", "assume_role_with_web_identity",
         "but neither is set"},
        {"{\"assume_role_with_web_identity\":{\"role_arn\":\"arn:a:b:c:d:e\",\"web_identity_token\":\"abcd\","
         "\"web_identity_token_file\":\"f\"}}",
         "assume_role_with_web_identity", "not both"},
        {"{\"max_retries\":1.5}", "max_retries", "whole number"},
        {"{\"max_retries\":-1}", "max_retries", "whole number"},
        {"{\"access_key\":\"a\"}", "secret_key", "must be set together"},
        {"{\"token\":\"a\"}", "access_key", "must be set together"},
        {"{\"region\":\"a/b\"}", "region", "not a valid AWS region"},
        {"{\"endpoints\":{\"sts\":\"localhost:1\"}}", "endpoints.sts", "not a valid endpoint"},
        {"{\"user_agent\":{\"$list\":[\"object\",{\"product_name\":\"string\"}],\"of\":[{\"product_name\":\"\"}]}}",
         "user_agent[0].product_name", "name of the product"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        begin(&w);
        if (read_block(&w, cases[i].block, CFN_MODE_DEFAULT))
            fail_msg("taken: %s", cases[i].block);
        testing_says(&w.diags, cases[i].said);
        testing_text(path_text(w.a, w.diags.v[0].path), cases[i].path);
        arena_free(w.a);
    }
}

static void the_metadata_switch(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_true(read_block(&w, "{\"skip_metadata_api_check\":false}", CFN_MODE_DEFAULT));
    assert_int_equal(w.s.aws.metadata, AWS_ON);
    assert_true(read_block(&w, "{\"skip_metadata_api_check\":true}", CFN_MODE_STRICT)); /* as awscc has it */
    assert_int_equal(w.s.aws.metadata, AWS_ON);
    assert_true(read_block(&w, "{\"skip_medatadata_api_check\":true}", CFN_MODE_DEFAULT));
    assert_int_equal(w.s.aws.metadata, AWS_OFF);
    assert_int_equal(w.diags.n, 1);
    assert_int_equal(w.diags.v[0].severity, DIAG_WARNING);
    testing_says(&w.diags, "Use skip_metadata_api_check instead");
    arena_free(w.a);
}

static void user_agents_are_clean(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cc_product products[] = {{STR("a b/c\r\n"), STR("1 2"), STR("x (y)\x80")}};
    static const char *const env[] = {"TF_APPEND_USER_AGENT=a\r\nX-Injected: b", NULL};
    testing_text(cc_user_agent(a, &(struct cc_products){products, 1}, env),
                 "terrane/" TERRANE_VERSION " a-b-c--/1-2 (x -y--) a--X-Injected: b");
}

/* Facts */

static const struct value *fact_value(struct arena *a, const struct json *j)
{
    if (j->kind == JSON_NULL)
        return value_null(a, &type_string);
    return j->kind == JSON_OBJECT ? value_unknown(a, &type_string) : value_string(a, j->text);
}

static void check_user_agent(struct arena *a, const struct json *in, const struct json *out)
{
    const struct type *product = type_parse(
        a, STR("[\"object\",{\"product_name\":\"string\",\"product_version\":\"string\",\"comment\":\"string\"}]"), NULL);
    const struct value **v = arena_make_n(a, const struct value *, in->array.n);
    for (size_t i = 0; i < in->array.n; i++) {
        const struct value *parts[3];
        for (size_t k = 0; k < 3; k++) {
            const struct json *text = json_get_str(in->array.items[i], product->attrs[k].name);
            parts[k] = text ? value_string(a, text->text) : value_null(a, &type_string);
        }
        v[i] = value_object(a, product, parts);
    }
    struct diags diags;
    struct cc_products got;
    diags_init(&diags, a);
    assert_true(cc_products_read(a, value_list(a, product, v, in->array.n), PATH_ROOT, &diags, &got));
    assert_int_equal(got.n, out->array.n);
    for (size_t i = 0; i < got.n; i++) {
        testing_text(got.v[i].name, testing_member(out->array.items[i], "name").p);
        testing_text(got.v[i].version, testing_member(out->array.items[i], "version").p);
        testing_text(got.v[i].comment, testing_member(out->array.items[i], "comment").p);
    }
}

/* Null and unknown are valid. */
static bool is_unset(struct arena *a, const struct json *in)
{
    return fact_value(a, in)->state != VALUE_KNOWN;
}

static void facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    int64_t ns;
    const struct json *cases = testing_facts(a, "cloudcontrol", "provider_values.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i], *in = json_get(c, "in"), *out = json_get(c, "out");
        struct str op = testing_member(c, "op");
        if (str_eqz(op, "user_agent"))
            check_user_agent(a, in, out);
        else if (str_eqz(op, "arn_valid"))
            assert_int_equal(is_unset(a, in) || aws_arn_valid(fact_value(a, in)->string), out->boolean);
        else if (str_eqz(op, "duration_valid"))
            assert_int_equal(is_unset(a, in) || duration_parse(fact_value(a, in)->string, &ns), out->boolean);
        else if (!str_eqz(op, "arn_from") && !str_eqz(op, "duration_from")) /* awscc's results for invalid ones */
            fail_msg("unknown operation in the facts: " STR_FMT, STR_ARG(op));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_need_be_said),
        cmocka_unit_test(everything_can_be_said),
        cmocka_unit_test(web_identity),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(the_metadata_switch),
        cmocka_unit_test(user_agents_are_clean),
        cmocka_unit_test(facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
