/* What ProviderConfigs of provider-upjet-aws say beside credentials, as blocks of the provider's configuration. */
#include "controller/controller_private.h"

#include <stdlib.h>

static const struct json *text(struct arena *a, struct str s)
{
    return json_make_string(a, s);
}

/* The address of a service; empty: the provider's own. */
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

/* endpoint: the services that it names, where the provider knows them. */
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

/* Services of the whole account have no region in manifests, and the provider wants one all the same. */
static const struct json *with_region(struct arena *a, struct str provider, const struct json *so_far)
{
    if (!str_eqz(provider, "aws") || json_get(so_far, "region") || getenv("AWS_REGION") || getenv("AWS_DEFAULT_REGION"))
        return so_far;
    return json_with(a, so_far, STR("region"), text(a, STR("us-east-1")));
}

const struct json *setup_upjet(struct arena *a, const struct kinds_provider *provider, const struct json *config,
                               const struct json *so_far)
{
    const struct schema_block *block = provider->schema->provider->block;
    const struct json *spec = json_get(config, "spec"), *chain = json_get(spec, "assumeRoleChain");
    so_far = with_region(a, provider->config->provider, so_far);
    struct str region = managed_text(json_get(so_far, "region"));
    const struct json *endpoints = endpoints_of(a, block, json_get(spec, "endpoint"), region), *roles = NULL;
    if (endpoints)
        so_far = json_with(a, so_far, STR("endpoints"), endpoints);
    for (size_t i = 0; schema_block_block(block, STR("assume_role")) && managed_is_array(chain) && i < chain->array.n; i++)
        roles = managed_append(a, roles, role_of(a, chain->array.items[i]));
    return roles ? json_with(a, so_far, STR("assume_role"), roles) : so_far;
}
