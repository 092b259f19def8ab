/* Credentials in the forms that users have, as arguments of a provider. */
#include "controller/credentials.h"

#include "schema/testing_schema.h"

#define TEXT(name) "\"" name "\":{\"type\":\"string\",\"optional\":true}"
#define PROVIDER(attributes) "{\"provider\":{\"version\":0,\"block\":{\"attributes\":{" attributes "}}},\"resource_schemas\":{}}"

static const char aws[] = PROVIDER(TEXT("access_key") "," TEXT("secret_key") "," TEXT("token") "," TEXT("region"));
static const char azure[] = PROVIDER(TEXT("client_id") "," TEXT("client_secret") "," TEXT("tenant_id"));
static const char google[] = PROVIDER(TEXT("credentials") "," TEXT("project"));

static const char nested[] = PROVIDER("\"credentials\":{\"type\":[\"object\",{\"token\":\"string\"}],\"optional\":true}");

static const struct {
    const char *schema, *text;
    const char *expected; /* JSON; NULL: an error */
} cases[] = {
    {aws, "", "{}"},
    {aws, "{\"access_key\": \"a\", \"secret_key\": \"b\", \"other\": 1}", "{\"access_key\":\"a\",\"secret_key\":\"b\"}"},
    {aws, "[default]\naws_access_key_id = AKIA\naws_secret_access_key=s=cr/t \n",
     "{\"access_key\":\"AKIA\",\"secret_key\":\"s=cr/t\"}"},
    {aws, "# mine\n[other]\naws_access_key_id = no\n[default]\r\nAWS_ACCESS_KEY_ID = yes\n; end\naws_session_token = t\n",
     "{\"access_key\":\"yes\",\"token\":\"t\"}"},
    {aws, "[one]\naws_access_key_id = first\n[two]\naws_access_key_id = second\n", "{\"access_key\":\"first\"}"},
    {aws, "aws_access_key_id = bare\n", "{\"access_key\":\"bare\"}"},
    {aws, "[default]\nnothing here\n[", NULL},
    {aws, "{\"access_key\": null}", "{}"},
    {azure, "{\"clientId\": \"i\", \"clientSecret\": \"s\", \"tenantId\": \"t\", \"activeDirectoryEndpointUrl\": \"u\"}",
     "{\"client_id\":\"i\",\"client_secret\":\"s\",\"tenant_id\":\"t\"}"},
    {azure, "{\"ClientID\": \"i\", \"tenantid\": \"t\", \"client\": \"x\", \"client_i\": 1}",
     "{\"client_id\":\"i\",\"tenant_id\":\"t\"}"},
    {azure, "hunter2 hunter2", NULL},
    {azure, "[1, 2]", NULL},
    {google, "{\"type\": \"service_account\", \"private_key\": \"k\"}",
     "{\"credentials\":\"{\\\"type\\\": \\\"service_account\\\", \\\"private_key\\\": \\\"k\\\"}\"}"},
    {google, "{\"project\": \"p\"}", "{\"project\":\"p\"}"},
    {nested, "{\"credentials\": {\"token\": \"t\"}}", "{\"credentials\":{\"token\":\"t\"}}"},
    {nested, "{\"token\": \"t\"", NULL},
    {google, "ya29.token", "{\"credentials\":\"ya29.token\"}"},
};

static void reading(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct provider_schema *schema = testing_provider(a, cases[i].schema);
        const struct json *got = NULL;
        bool ok = credentials_read(a, schema->provider->block, STR("cloud"), str_of(cases[i].text), &diags, &got);
        if (ok != (cases[i].expected != NULL) || (ok && !json_eq(got, testing_jsonz(a, cases[i].expected))))
            fail_msg("case %zu is not as expected: %s", i, cases[i].text);
        if (!ok) {
            testing_says(&diags, "cannot unmarshal cloud credentials as JSON");
            assert_null(strstr(diags.v[0].detail.p, cases[i].text)); /* messages contain no part of the text */
        }
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
