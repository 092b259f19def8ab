/* A kind with blocks that can occur only once, at several depths, served as v1beta2; older: v1beta1, v1alpha1. */
#pragma once

#include "base/must.h"
#include "controller/kinds.h"
#include "schema/schema_json.h"

static const char testing_members[] =
    "{\"provider\":{\"version\":0,\"block\":{}},\"resource_schemas\":{\"shop_db_table\":{\"version\":0,\"block\":{"
    "\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true}},"
    "\"block_types\":{\"one\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"a\":{\"type\":\"string\","
    "\"optional\":true}},\"block_types\":{\"deep\":{\"nesting_mode\":\"set\",\"max_items\":1,\"block\":{\"attributes\":{\"b\":{"
    "\"type\":\"string\",\"optional\":true}}}}}}},"
    "\"many\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"c\":{\"type\":\"string\",\"optional\":true}},"
    "\"block_types\":{\"inner\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"d\":{\"type\":\"string\","
    "\"optional\":true}}}}}}}}}}}}";

static const char testing_yaml[] = "provider: shop\n"
                                   "root_group: {cluster: shop.example.org, namespaced: shop.m.example.org}\n"
                                   "embed_singletons: true\n"
                                   "version: v1beta2\n"
                                   "resources:\n"
                                   "  shop_db_table:\n"
                                   "    other_versions: [v1alpha1, v1beta1]\n"
                                   "    renamed: {title: name, gone.a: one.a, one.d: one.deep.b}\n";

/* The provider is in `a`. */
static inline struct kinds *testing_shop(struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text = arena_printf(
        a, "{\"format_version\":\"1.0\",\"provider_schemas\":{\"registry.terraform.io/acme/shop\":%s}}", testing_members);
    const struct json *document = json_parse(a, text, "schema", &diags);
    struct kinds_provider *provider = arena_make(a, struct kinds_provider);
    *provider = (struct kinds_provider){.address = STR("registry.terraform.io/acme/shop"),
                                        .schema = schema_read_document(a, document, STR_EMPTY, NULL, &diags),
                                        .config = xp_config_read(a, str_of(testing_yaml), "shop.yaml", &diags)};
    struct kinds *kinds = kinds_new();
    must_hold(kinds_add(kinds, provider, &diags) && diags.n_errors == 0);
    return kinds;
}

static inline const struct xp_kind *testing_table(struct kinds *kinds, struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct xp_kind *model = kinds_model(kinds, kinds_find(kinds, STR("db.shop.example.org"), STR("Table")), &diags);
    must_hold(model);
    return model;
}
