/* Translates what ProviderConfigs of Upjet's providers have beside credentials into the provider's configuration. */
#include "controller/controller_private.h"
#include "controller/credentials.h"

#include <stdlib.h>

static const struct json *text(struct arena *a, struct str s)
{
    return json_make_string(a, s);
}

/* --- any provider --- */

static const struct schema_nested_block *block_named(const struct schema_block *block, struct str name)
{
    for (size_t i = 0; i < block->n_blocks; i++)
        if (credentials_is_same(block->blocks[i].name, name))
            return &block->blocks[i];
    return NULL;
}

static const struct json *take_said(struct arena *a, const struct schema_block *block, const struct json *said,
                                    const struct json *so_far);

/* A block that occurs once. The recursion is as deep as the schema. */
static const struct json *block_of(struct arena *a, const struct schema_nested_block *nested, const struct json *said)
{
    const struct json *made = take_said(a, nested->block, said, json_make_object(a, NULL, 0));
    return nested->nesting == NESTING_LIST || nested->nesting == NESTING_SET ? json_make_array(a, &made, 1) : made;
}

static const struct json *take_said(struct arena *a, const struct schema_block *block, const struct json *said,
                                    const struct json *so_far)
{
    for (size_t i = 0; i < managed_count(said); i++) {
        const struct json_member *m = &said->object.members[i];
        struct str name = credentials_argument(block, m->key);
        const struct schema_nested_block *nested = block_named(block, m->key);
        bool scalar = m->value->kind != JSON_OBJECT && m->value->kind != JSON_ARRAY && m->value->kind != JSON_NULL;
        if (scalar && name.n > 0 && schema_block_attr(block, name))
            so_far = json_with(a, so_far, name, m->value);
        else if (nested && managed_is_object(m->value))
            so_far = json_with(a, so_far, nested->name, block_of(a, nested, m->value));
    }
    return so_far;
}

const struct json *setup_beside(struct arena *a, const struct schema_block *block, const struct json *config,
                                const struct json *so_far)
{
    const struct json *spec = json_get(config, "spec");
    if (!managed_is_object(spec))
        return so_far;
    spec = json_with(a, json_with(a, spec, STR("configuration"), NULL), STR("credentials"), NULL);
    return take_said(a, block, spec, so_far);
}

/* --- aws --- */

/* The URL of a service; empty: the provider's default. */
static struct str url_of(struct arena *a, const struct json *endpoint, struct str service, struct str region)
{
    const struct json *url = json_get(endpoint, "url"), *dynamic = json_get(url, "dynamic");
    struct str kind = managed_text(json_get(url, "type"));
    if (str_eqz(kind, "Static"))
        return managed_text(json_get(url, "static"));
    if (!str_eqz(kind, "Dynamic"))
        return STR_EMPTY;
    struct str protocol = managed_text(json_get(dynamic, "protocol")), host = managed_text(json_get(dynamic, "host"));
    return arena_printf(a, STR_FMT "://" STR_FMT "." STR_FMT "%s" STR_FMT, STR_ARG(protocol), STR_ARG(service), STR_ARG(region),
                        region.n > 0 ? "." : "", STR_ARG(host));
}

/* `endpoint`: the listed services that the provider knows. */
static const struct json *endpoints_of(struct arena *a, const struct schema_block *block, const struct json *endpoint,
                                       struct str region)
{
    const struct schema_nested_block *known = schema_block_block(block, STR("endpoints"));
    const struct json *services = json_get(endpoint, "services"), *made = json_make_object(a, NULL, 0);
    for (size_t i = 0; known && managed_is_array(services) && i < services->array.n; i++) {
        struct str service = managed_text(services->array.items[i]);
        struct str url = url_of(a, endpoint, service, region);
        if (url.n > 0 && schema_block_attr(known->block, service))
            made = json_with(a, made, service, text(a, url));
    }
    return made->object.n > 0 ? json_make_array(a, &made, 1) : NULL;
}

static const struct json *role_of(struct arena *a, const struct json *said)
{
    static const struct {
        const char *said, *argument;
    } names[] = {{"roleARN", "role_arn"}, {"externalID", "external_id"}, {"transitiveTagKeys", "transitive_tag_keys"}};
    const struct json *role = json_make_object(a, NULL, 0), *tags = json_get(said, "tags"), *pairs = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!managed_is_absent(json_get(said, names[i].said)))
            role = json_with(a, role, str_of(names[i].argument), json_get(said, names[i].said));
    for (size_t i = 0; managed_is_array(tags) && i < tags->array.n; i++)
        pairs = json_with(a, pairs, managed_text(json_get(tags->array.items[i], "key")), json_get(tags->array.items[i], "value"));
    return pairs ? json_with(a, role, STR("tags"), pairs) : role;
}

/* Services without a region in manifests: the provider needs one all the same. */
static const struct json *with_region(struct arena *a, struct str provider, const struct json *so_far)
{
    if (!str_eqz(provider, "aws") || json_get(so_far, "region") || getenv("AWS_REGION") || getenv("AWS_DEFAULT_REGION"))
        return so_far;
    return json_with(a, so_far, STR("region"), text(a, STR("us-east-1")));
}

/* --- azurerm, azuread --- */

#define OIDC_TOKEN_FILE "/var/run/secrets/azure/tokens/azure-identity-token"

static bool is_managed_identity(struct str source)
{
    return str_eqz(source, "UserAssignedManagedIdentity") || str_eqz(source, "SystemAssignedManagedIdentity");
}

bool setup_is_identity(struct str source)
{
    return is_managed_identity(source) || str_eqz(source, "OIDCTokenFile");
}

static const struct json *with_default(struct arena *a, const struct schema_block *block, const char *argument,
                                       const struct json *value, const struct json *so_far)
{
    bool wanted = schema_block_attr(block, str_of(argument)) && !json_get(so_far, argument);
    return wanted ? json_with(a, so_far, str_of(argument), value) : so_far;
}

/*
 * Sets how the provider gets its token. Registration of resource providers with Azure, which needs a permission of its own, is
 * off by default.
 */
static const struct json *with_azure(struct arena *a, const struct kinds_provider *provider, const struct json *spec,
                                     const struct json *so_far)
{
    const struct schema_block *block = provider->schema->provider->block;
    struct str source = managed_text(managed_at(spec, "credentials", "source", NULL));
    const struct json *yes = json_make_bool(a, true);
    if (is_managed_identity(source))
        so_far = with_default(a, block, "use_msi", yes, so_far);
    if (str_eqz(source, "OIDCTokenFile")) {
        so_far = with_default(a, block, "use_oidc", yes, so_far);
        so_far = with_default(a, block, "oidc_token_file_path", text(a, STR(OIDC_TOKEN_FILE)), so_far);
    }
    if (!str_eqz(provider->config->provider, "azurerm") || json_get(so_far, "skip_provider_registration"))
        return so_far;
    if (schema_block_attr(block, STR("resource_provider_registrations")))
        return with_default(a, block, "resource_provider_registrations", text(a, STR("none")), so_far);
    return with_default(a, block, "skip_provider_registration", yes, so_far);
}

const struct json *setup_upjet(struct arena *a, const struct kinds_provider *provider, const struct json *config,
                               const struct json *so_far)
{
    const struct schema_block *block = provider->schema->provider->block;
    const struct json *spec = json_get(config, "spec"), *chain = json_get(spec, "assumeRoleChain");
    so_far = with_region(a, provider->config->provider, so_far);
    so_far = with_azure(a, provider, spec, so_far);
    struct str region = managed_text(json_get(so_far, "region"));
    const struct json *endpoints = endpoints_of(a, block, json_get(spec, "endpoint"), region), *roles = NULL;
    if (endpoints)
        so_far = json_with(a, so_far, STR("endpoints"), endpoints);
    for (size_t i = 0; schema_block_block(block, STR("assume_role")) && managed_is_array(chain) && i < chain->array.n; i++)
        roles = managed_append(a, roles, role_of(a, chain->array.items[i]));
    return roles ? json_with(a, so_far, STR("assume_role"), roles) : so_far;
}
