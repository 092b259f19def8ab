/* Manifests with older versions: conversion of lists with one element. */
#include "objects/versions.h"

#include "crossplane/testing_crossplane.h"
#include "schema/testing_schema.h"

static const char members[] =
    "{\"provider\":{\"version\":0,\"block\":{}},\"resource_schemas\":{\"shop_db_table\":{\"version\":0,\"block\":{"
    "\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true}},"
    "\"block_types\":{\"one\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"a\":{\"type\":\"string\","
    "\"optional\":true}},\"block_types\":{\"deep\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"b\":{"
    "\"type\":\"string\",\"optional\":true}}}}}}},"
    "\"many\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"c\":{\"type\":\"string\",\"optional\":true}}}}}}}}}";

static const char yaml[] = "provider: shop\n"
                           "root_group: {cluster: shop.example.org, namespaced: shop.m.example.org}\n"
                           "embed_singletons: true\n"
                           "version: v1beta2\n";

static void lists_of_one(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"v1beta1",
         "{\"forProvider\":{\"name\":\"n\",\"one\":[{\"a\":\"x\",\"deep\":[{\"b\":\"y\"}]}],\"many\":[{\"c\":\"z\"}]}}",
         "{\"forProvider\":{\"name\":\"n\",\"one\":{\"a\":\"x\",\"deep\":{\"b\":\"y\"}},\"many\":[{\"c\":\"z\"}]}}"},
        {"v1beta1", "{\"initProvider\":{\"one\":[]},\"other\":[1]}", "{\"initProvider\":{},\"other\":[1]}"},
        {"v1beta1", "{\"forProvider\":{\"one\":[{},{}]}}", "{\"forProvider\":{\"one\":[{},{}]}}"}, /* admission rejects it */
        {"v1beta1", "{\"forProvider\":{\"one\":{\"a\":\"x\"}}}", "{\"forProvider\":{\"one\":{\"a\":\"x\"}}}"},
        {"v1beta1", "{\"forProvider\":7}", "{\"forProvider\":7}"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct kinds_provider provider = {.address = STR("registry.terraform.io/acme/shop"),
                                      .schema = testing_provider(a, members),
                                      .config = xp_config_read(a, str_of(yaml), "shop.yaml", &diags)};
    struct kinds *kinds = kinds_new();
    assert_true(kinds_add(kinds, &provider, &diags));
    testing_no_errors(&diags);
    const struct kind *kind = kinds_find(kinds, STR("db.shop.example.org"), STR("Table"));
    assert_non_null(kind);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str text = arena_printf(a, "{\"apiVersion\":\"db.shop.example.org/%s\",\"kind\":\"Table\",\"spec\":%s}",
                                       cases[i][0], cases[i][1]);
        const struct json *got = versions_upgrade(kinds, kind, a, testing_json(a, text));
        testing_text(json_text(json_get(got, "apiVersion"), STR_EMPTY), "db.shop.example.org/v1beta2");
        assert_true(json_eq(json_get(got, "spec"), testing_jsonz(a, cases[i][2])));
    }
    const struct json *now =
        testing_jsonz(a, "{\"apiVersion\":\"db.shop.example.org/v1beta2\",\"spec\":{\"forProvider\":{\"one\":[{}]}}}");
    assert_ptr_equal(versions_upgrade(kinds, kind, a, now), now);
    const struct json *later = testing_jsonz(a, "{\"apiVersion\":\"db.shop.example.org/v1\",\"spec\":{}}");
    assert_ptr_equal(versions_upgrade(kinds, kind, a, later), later);
    kinds_free(kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_of_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
