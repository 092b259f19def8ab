/* What ProviderConfigs of Upjet's providers have beside credentials, as configuration of the provider. */
#include "base/testing.h"
#include "controller/controller_private.h"
#include "schema/testing_schema.h"

/* clang-format off */
static const char azure[] =
    "{\"provider\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"client_id\":{\"type\":\"string\",\"optional\":true},"
    "\"tenant_id\":{\"type\":\"string\",\"optional\":true},"
    "\"subscription_id\":{\"type\":\"string\",\"optional\":true},"
    "\"oidc_token_file_path\":{\"type\":\"string\",\"optional\":true},"
    "\"resource_provider_registrations\":{\"type\":\"string\",\"optional\":true},"
    "\"use_msi\":{\"type\":\"bool\",\"optional\":true},"
    "\"use_oidc\":{\"type\":\"bool\",\"optional\":true},"
    "\"skip_provider_registration\":{\"type\":\"bool\",\"optional\":true},"
    "\"storage_use_azuread\":{\"type\":\"bool\",\"optional\":true}},"
    "\"block_types\":{\"features\":{\"nesting_mode\":\"list\",\"block\":{\"block_types\":{"
    "\"postgresql_flexible_server\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{"
    "\"restart_server_on_configuration_value_change\":{\"type\":\"bool\",\"optional\":true}}}}}}}}}},"
    "\"resource_schemas\":{}}";
/* clang-format on */

static const struct {
    const char *spec;
    const char *before; /* from configuration and credentials */
    const char *expected;
} cases[] = {
    /* beside credentials, and overriding them */
    {"{\"credentials\":{\"source\":\"Secret\"},\"subscriptionID\":\"mine\",\"tenantID\":null}",
     "{\"client_id\":\"c\",\"subscription_id\":\"theirs\"}",
     "{\"client_id\":\"c\",\"subscription_id\":\"mine\",\"resource_provider_registrations\":\"none\"}"},
    {"{\"credentials\":{\"source\":\"UserAssignedManagedIdentity\"},\"clientID\":\"c\",\"storageUseAzureAD\":true}", "{}",
     "{\"client_id\":\"c\",\"storage_use_azuread\":true,\"use_msi\":true,\"resource_provider_registrations\":\"none\"}"},
    {"{\"credentials\":{\"source\":\"SystemAssignedManagedIdentity\"}}", "{\"skip_provider_registration\":false}",
     "{\"skip_provider_registration\":false,\"use_msi\":true}"},
    {"{\"credentials\":{\"source\":\"OIDCTokenFile\"}}", "{\"resource_provider_registrations\":\"core\"}",
     "{\"resource_provider_registrations\":\"core\",\"use_oidc\":true,\"oidc_token_file_path\":"
     "\"/var/run/secrets/azure/tokens/azure-identity-token\"}"},
    {"{\"credentials\":{\"source\":\"OIDCTokenFile\"},\"oidcTokenFilePath\":\"/t\"}", "{}",
     "{\"use_oidc\":true,\"oidc_token_file_path\":\"/t\",\"resource_provider_registrations\":\"none\"}"},
    /* blocks; what the provider does not have, or in another form, is left out */
    {"{\"credentials\":{},\"configuration\":{\"client_id\":1},\"features\":{\"postgreSQLFlexibleServer\":{"
     "\"restartServerOnConfigurationValueChange\":true,\"other\":1}},\"reconciliationPolicy\":{\"a\":1},\"tenantID\":{\"a\":1}}",
     "{}",
     "{\"features\":[{\"postgresql_flexible_server\":[{\"restart_server_on_configuration_value_change\":true}]}],"
     "\"resource_provider_registrations\":\"none\"}"},
    {"[]", "{}", "{\"resource_provider_registrations\":\"none\"}"},
};

static void azure_configs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct kinds_provider provider = {.schema = testing_provider(a, azure), .config = xp_config_default(a, STR("azurerm"))};
        const struct json *config = testing_json(a, arena_printf(a, "{\"spec\":%s}", cases[i].spec));
        const struct json *got = setup_beside(a, provider.schema->provider->block, config, testing_jsonz(a, cases[i].before));
        got = setup_upjet(a, &provider, config, got);
        if (!json_eq(got, testing_jsonz(a, cases[i].expected)))
            fail_msg("case %zu is not as expected: %s", i, cases[i].spec);
    }
}

static void other_providers(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kinds_provider provider = {.schema = testing_provider(a, azure), .config = xp_config_default(a, STR("azuread"))};
    const struct json *config = testing_jsonz(a, "{\"spec\":{\"credentials\":{\"source\":\"None\"}}}");
    assert_true(json_eq(setup_upjet(a, &provider, config, testing_jsonz(a, "{}")), testing_jsonz(a, "{}")));
    assert_true(setup_is_identity(STR("OIDCTokenFile")) && setup_is_identity(STR("UserAssignedManagedIdentity")));
    assert_false(setup_is_identity(STR("Upbound")) || setup_is_identity(STR("Secret")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(azure_configs), cmocka_unit_test(other_providers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
