#include "cloudcontrol/client.h"

#include "aws/testing_aws.h"
#include "translate/testing_translate.h"

struct world {
    struct testing_aws aws;
    struct cc_provider_settings settings;
    const char *env[8];
    struct cc_client *client;
    const char *sts; /* instead of the usual answer */
    char agent[256];
};

static void answer(void *ctx, const struct testing_request *r, struct testing_answer *answer)
{
    struct world *w = ctx;
    (void)snprintf(w->agent, sizeof w->agent, STR_FMT, STR_ARG(testing_header(r, "user-agent")));
    if (testing_header(r, "x-amz-target").n > 0) {
        answer->body = STR("{\"ResourceDescription\":{\"Identifier\":\"i\",\"Properties\":\"{}\"}}");
    } else if (w->sts) {
        answer->status = 403;
        answer->body = str_of(w->sts);
    } else {
        answer->body =
            STR("<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/me</Arn>"
                "<UserId>AIDA</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>");
    }
}

static const struct cc_product product = {{"p", 1}, {"1", 1}, {"", 0}};

static void begin(struct world *w)
{
    *w = (struct world){.aws = {.handler = answer, .ctx = w, .service = "any"}};
    testing_aws_start(&w->aws);
    struct str url = str_of(testing_server_url(w->aws.server));
    w->env[0] = "HOME=/nonexistent";
    w->env[1] = "AWS_EC2_METADATA_DISABLED=true";
    w->settings.aws.endpoints[AWS_CLOUDCONTROL] = url;
    w->settings.aws.endpoints[AWS_STS] = url;
    w->settings.aws.access_key = STR(TESTING_KEY);
    w->settings.aws.secret_key = STR(TESTING_SECRET);
    w->settings.aws.region = STR("eu-west-1");
    w->settings.user_agent = (struct cc_products){&product, 1};
}

static bool open_client(struct world *w)
{
    struct cc_client_options o = {.settings = &w->settings, .env = w->env, .loop = w->aws.loop, .time = &w->aws.time.time};
    diags_init(&w->aws.diags, w->aws.a);
    cc_client_close(w->client);
    w->client = NULL;
    return cc_client_open(&o, &w->aws.diags, &w->client);
}

static void end(struct world *w)
{
    cc_client_close(w->client);
    testing_aws_stop(&w->aws);
}

static void a_client_knows_who_it_is(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_true(open_client(&w));
    assert_int_equal(w.aws.diags.n, 0);
    testing_text(cc_client_identity(w.client)->account, "123456789012");
    testing_text(cc_client_region(w.client), "eu-west-1");
    struct cc_get_request get = {.type_name = STR("T"), .identifier = STR("i")};
    struct cc_description d;
    struct cc_failure failure;
    assert_true(cc_api_get(cc_client_api(w.client), w.aws.a, &get, &(struct cc_call){0}, &d, &failure));
    assert_string_equal(w.agent, "terrane/" TERRANE_VERSION " p/1");
    struct cc_call call = {.user_agent = cc_products_text(w.aws.a, &w.settings.user_agent)};
    assert_true(cc_api_get(cc_client_api(w.client), w.aws.a, &get, &call, &d, &failure));
    assert_string_equal(w.agent, "terrane/" TERRANE_VERSION " p/1 p/1");
    end(&w);
}

static void wrong_credentials_are_found_at_once(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.sts = "<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>The security token included in the request is "
            "invalid.</Message>"
            "</Error></ErrorResponse>";
    assert_false(open_client(&w));
    testing_says(&w.aws.diags, "Invalid provider credentials");
    testing_says(&w.aws.diags, "InvalidClientTokenId: The security token included in the request is invalid.");
    testing_says(&w.aws.diags, "AWS does not know the access key");
    w.settings.skip_validation = true;
    assert_true(open_client(&w));
    assert_int_equal(cc_client_identity(w.client)->account.n, 0);
    end(&w);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.settings.aws.region = STR_EMPTY;
    assert_false(open_client(&w));
    testing_says(&w.aws.diags, "No AWS region is set");
    w.settings.aws.region = STR("eu-west-1");
    w.settings.aws.access_key = w.settings.aws.secret_key = STR_EMPTY;
    assert_false(open_client(&w));
    testing_says(&w.aws.diags, "No AWS credentials were found");
    w.settings.aws.profile = STR("nobody");
    assert_false(open_client(&w));
    testing_says(&w.aws.diags, "Unknown profile");
    end(&w);
}

static void surprises_are_warned_of(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.settings.proxies.http = "http://127.0.0.1:1";
    assert_true(open_client(&w)); /* the machine itself is asked without it */
    testing_says(&w.aws.diags, "Missing HTTPS Proxy");
    assert_int_equal(w.aws.diags.n_errors, 0);
    end(&w);
}

static void nobody_there(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.settings.aws.endpoints[AWS_STS] = STR("http://127.0.0.1:1");
    assert_false(open_client(&w));
    testing_says(&w.aws.diags, "127.0.0.1:1 does not answer");
    testing_says(&w.aws.diags, "Check the network, the proxy settings and the endpoint.");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_knows_who_it_is),
        cmocka_unit_test(wrong_credentials_are_found_at_once),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(surprises_are_warned_of),
        cmocka_unit_test(nobody_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
