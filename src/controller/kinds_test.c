/* The catalogue of kinds: lookups by name, models and CRDs of both flavours. */
#include "controller/kinds.h"

#include "crossplane/testing_crossplane.h"
#include "schema/testing_schema.h"

static const char members[] =
    "{\"provider\":{\"version\":0,\"block\":{\"attributes\":{\"region\":{\"type\":\"string\",\"optional\":true},"
    "\"token\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}},\"resource_schemas\":{"
    "\"shop_db_table\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},"
    "\"name\":{\"type\":\"string\",\"required\":true}}}},"
    "\"shop_db_user\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},"
    "\"password\":{\"type\":\"string\",\"required\":true,\"sensitive\":true}}}},"
    "\"shop_web_table\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true}}}}}}";

static const char yaml[] = "provider: shop\n"
                           "root_group: {cluster: shop.example.org, namespaced: shop.m.example.org}\n"
                           "resources:\n"
                           "  shop_db_table: {short_names: [dbt]}\n";

struct fixture {
    struct arena *arena;
    struct diags diags;
    struct kinds *kinds;
    struct kinds_provider provider;
};

static void begin(struct fixture *f)
{
    f->arena = arena_new(NULL, 0);
    diags_init(&f->diags, f->arena);
    f->kinds = kinds_new();
    f->provider = (struct kinds_provider){.address = STR("registry.terraform.io/acme/shop"),
                                          .schema = testing_provider(f->arena, members),
                                          .config = xp_config_read(f->arena, str_of(yaml), "shop.yaml", &f->diags)};
    testing_no_errors(&f->diags);
    assert_true(kinds_add(f->kinds, &f->provider, &f->diags));
}

static void end(struct fixture *f)
{
    kinds_free(f->kinds);
    arena_free(f->arena);
}

static void names(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kind *table = kinds_find(f.kinds, STR("db.shop.m.example.org"), STR("Table"));
    assert_non_null(table);
    assert_true(table->namespaced && table->role == KIND_MANAGED && str_eqz(table->terraform_type, "shop_db_table"));
    assert_null(kinds_find(f.kinds, STR("db.shop.m.example.org"), STR("table"))); /* manifests must use the exact name */
    assert_null(kinds_find(f.kinds, STR("shop.m.example.org"), STR("Table")));
    assert_true(kinds_serve_group(f.kinds, STR("db.shop.example.org")));
    assert_false(kinds_serve_group(f.kinds, STR("d.shop.example.org")));
    assert_true(str_eqz(kinds_closest_group(f.kinds, STR("d.shop.example.org")), "db.shop.example.org"));
    const struct kind *cluster = kinds_of_type(f.kinds, table->provider, FLAVOUR_CLUSTER, STR("shop_db_table"));
    assert_ptr_equal(cluster, kinds_find(f.kinds, STR("db.shop.example.org"), STR("Table")));
    const struct kind *config = kinds_config(f.kinds, table->provider, FLAVOUR_NAMESPACED, true);
    assert_true(str_eqz(config->kind, "ClusterProviderConfig") && !config->namespaced);
    assert_true(str_eqz(kinds_config(f.kinds, table->provider, FLAVOUR_NAMESPACED, false)->kind, "ProviderConfig"));
    assert_true(str_eqz(kinds_config(f.kinds, table->provider, FLAVOUR_CLUSTER, false)->group, "shop.example.org"));
    assert_true(kinds_usage(f.kinds, table->provider, FLAVOUR_NAMESPACED)->namespaced);
    assert_non_null(kinds_find(f.kinds, STR_EMPTY, STR("Secret")));
    end(&f);
}

static void words(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        size_t n;
        const char *first; /* its group */
    } cases[] = {
        {"table", 4, "db.shop.m.example.org"},
        {"TABLES", 4, "db.shop.m.example.org"},
        {"Table.db", 2, "db.shop.m.example.org"},
        {"table.db.shop.example.org", 1, "db.shop.example.org"},
        {"tables.v1alpha1.web.shop.example.org", 1, "web.shop.example.org"},
        {"dbt", 2, "db.shop.m.example.org"},
        {"users.db.shop", 2, "db.shop.m.example.org"},
        {"users.d", 0, NULL},
        {"secrets", 1, ""},
        {"cm", 1, ""},
        {"all", 6, "db.shop.m.example.org"},
        {"managed.db", 4, "db.shop.m.example.org"},
        {"providerconfigs", 2, "shop.example.org"},
        {"clusterproviderconfig", 1, "shop.m.example.org"},
        {"", 0, NULL},
        {".", 0, NULL},
        {"tabel", 0, NULL},
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kinds_list found = kinds_named(f.kinds, f.arena, str_of(cases[i].words));
        if (found.n != cases[i].n || (found.n > 0 && !str_eqz(found.v[0]->group, cases[i].first)))
            fail_msg("%s: %zu kinds, the first of %s", cases[i].words, found.n, found.n > 0 ? found.v[0]->group.p : "none");
    }
    assert_true(str_eqz(kinds_closest(f.kinds, f.arena, STR("tabls")), "tables"));
    assert_true(str_eqz(kinds_closest(f.kinds, f.arena, STR("usr.db.shop.example.org")), "User.db.shop.example.org"));
    assert_int_equal(kinds_closest(f.kinds, f.arena, STR("elephant")).n, 0);
    end(&f);
}

static struct str text_at(const struct json *crd, const char *group, const char *key)
{
    return json_text(json_get(group ? json_get(json_get(crd, "spec"), group) : json_get(crd, "spec"), key), STR_EMPTY);
}

static void crds(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct kinds_list all = kinds_all(f.kinds);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++) {
        const struct kind *k = all.v[i];
        const struct json *crd = kinds_crd(f.kinds, k, &f.diags);
        testing_no_errors(&f.diags);
        assert_int_equal(crd == NULL, k->role == KIND_PLAIN);
        if (!crd)
            continue;
        assert_true(str_eq(text_at(crd, NULL, "group"), k->group));
        assert_true(str_eq(text_at(crd, "names", "kind"), k->kind) && str_eq(text_at(crd, "names", "plural"), k->plural));
        assert_true(str_eqz(text_at(crd, NULL, "scope"), k->namespaced ? "Namespaced" : "Cluster"));
        assert_ptr_equal(crd, kinds_crd(f.kinds, k, &f.diags)); /* cached */
        n++;
    }
    assert_int_equal(n, 6 + 5);
    const struct kind *user = kinds_find(f.kinds, STR("db.shop.example.org"), STR("User"));
    const struct kind *twin = kinds_find(f.kinds, STR("db.shop.m.example.org"), STR("User"));
    assert_ptr_equal(kinds_model(f.kinds, user, &f.diags), kinds_model(f.kinds, twin, &f.diags));
    assert_int_equal(kinds_model(f.kinds, user, &f.diags)->n_secrets, 1);
    const struct kind *config = kinds_find(f.kinds, STR("shop.example.org"), STR("ProviderConfig"));
    assert_int_equal(kinds_model(f.kinds, config, &f.diags)->trees[FOR_PROVIDER].n, 2);
    end(&f);
}

static void the_same_twice(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct kinds_provider again = f.provider;
    again.address = STR("registry.terraform.io/other/shop");
    size_t n = kinds_all(f.kinds).n;
    assert_false(kinds_add(f.kinds, &again, &f.diags));
    assert_int_equal(kinds_all(f.kinds).n, n);
    assert_non_null(strstr(f.diags.v[0].detail.p, "is served by registry.terraform.io/acme/shop already"));
    end(&f);
}

static void names_alone(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct kinds *k = kinds_new();
    assert_true(kinds_add_names(k, kinds_names(f.kinds, f.arena)));
    struct kinds_list served = kinds_all(f.kinds), known = kinds_all(k);
    assert_int_equal(known.n, served.n);
    for (size_t i = 0; i < known.n; i++) {
        const struct kind *was = served.v[i], *is = kinds_find(k, was->group, was->kind);
        assert_non_null(is);
        assert_true(is->role == was->role && is->namespaced == was->namespaced && str_eq(is->plural, was->plural) &&
                    str_eq(is->terraform_type, was->terraform_type));
    }
    assert_int_equal(kinds_named(k, f.arena, STR("dbt")).n, 2);
    assert_false(kinds_add_names(k, testing_jsonz(f.arena, "[[\"managed\",\"cluster\"]]")));
    assert_false(kinds_add_names(k, testing_jsonz(f.arena, "[[\"odd\",\"cluster\",\"g\",\"K\",\"ks\",\"k\",\"v1\",\"\"]]")));
    assert_false(kinds_add_names(k, testing_jsonz(f.arena, "{}")));
    assert_int_equal(kinds_all(k).n, known.n);
    kinds_free(k);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names), cmocka_unit_test(names_alone),    cmocka_unit_test(words),
        cmocka_unit_test(crds),  cmocka_unit_test(the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
