/* Objects of a type with two secrets: what their Secrets are, and what objects are called. */
#include "import/manifests.h"

#include "crossplane/testing_crossplane.h"
#include "value/json_value.h"
#include "yaml/yaml.h"

#define BLOCK                                                                                                                    \
    "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true},"          \
    "\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"                                                   \
    "\"token\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}"

/* An object by each of the names, NULL behind them; the files that are made of them. */
static struct import_files files_of(struct arena *a, const char *const *names)
{
    struct worklist list;
    struct import_files files = {0};
    struct diags diags;
    diags_init(&diags, a);
    worklist_init(&list, a);
    const struct provider_schema *schema = testing_schema(a, BLOCK);
    for (size_t i = 0; names[i]; i++) {
        struct str id = arena_printf(a, "id-%zu", i);
        struct import_item item = {.type = STR("x_thing_kind"), .id = id, .name = str_of(names[i])};
        assert_true(worklist_add(&list, &item, "test", &diags));
        struct import_result *r = arena_make(a, struct import_result);
        r->resource.schema = map_get(&schema->resources, STR("x_thing_kind"));
        r->instance.attributes = testing_json(a, arena_printf(a, "{\"id\":\"" STR_FMT "\"}", STR_ARG(id)));
        r->configured.config =
            value_implied_by_json(a, testing_jsonz(a, "{\"name\":\"n\",\"password\":\"p1\",\"token\":\"t1\"}"), &diags);
        list.items.v[i].result = r;
    }
    struct import_manifests in = {
        .arena = a, .list = &list, .schema = schema, .config = testing_config(a, NULL), .provider_name = STR("x")};
    bool ok = import_make_manifests(&in, &files, &diags);
    testing_no_errors(&diags);
    assert_true(ok);
    return files;
}

static struct yaml_documents documents(struct arena *a, const struct import_files *files, const char *path)
{
    struct yaml_documents all = {0};
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < files->files.n; i++)
        if (str_eqz(files->files.v[i].path, path))
            assert_true(yaml_parse_all(a, files->files.v[i].content, path, &diags, &all));
    return all;
}

static void an_object_has_one_secret_with_all_its_keys(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct import_files files = files_of(a, (const char *const[]){"web", NULL});
    struct yaml_documents secrets = documents(a, &files, "manifests/namespaced/secrets.yaml");
    assert_int_equal(secrets.n, 1);
    testing_text(json_text(testing_at(secrets.v[0], "metadata name"), STR_EMPTY), "x-thing-kind-web");
    testing_text(json_text(testing_at(secrets.v[0], "stringData password"), STR_EMPTY), "p1");
    testing_text(json_text(testing_at(secrets.v[0], "stringData token"), STR_EMPTY), "t1");
    struct yaml_documents objects = documents(a, &files, "manifests/namespaced/x_thing_kind.yaml");
    assert_int_equal(objects.n, 1);
    testing_text(json_text(testing_at(objects.v[0], "spec forProvider passwordSecretRef key"), STR_EMPTY), "password");
    testing_text(json_text(testing_at(objects.v[0], "spec forProvider tokenSecretRef name"), STR_EMPTY), "x-thing-kind-web");
}

static void names_are_those_of_kubernetes_each_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *longer = arena_make_n(a, char, 301);
    memset(longer, 'l', 300);
    const char *const names[] = {"a_b", "a-b", "_x", "Web", "web", "x_", longer, NULL};
    static const char *const expected[] = {"a-b", "a-b-2", "x", "web", "web-2", "x-2"};
    struct import_files files = files_of(a, names);
    struct yaml_documents objects = documents(a, &files, "manifests/cluster/x_thing_kind.yaml");
    struct yaml_documents secrets = documents(a, &files, "manifests/cluster/secrets.yaml");
    assert_int_equal(objects.n, 7);
    assert_int_equal(secrets.n, 7);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        testing_text(json_text(testing_at(objects.v[i], "metadata name"), STR_EMPTY), expected[i]);
        testing_text(json_text(testing_at(secrets.v[i], "metadata name"), STR_EMPTY),
                     arena_printf(a, "x-thing-kind-%s", expected[i]).p);
    }
    assert_true(json_text(testing_at(objects.v[6], "metadata name"), STR_EMPTY).n < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_has_one_secret_with_all_its_keys),
        cmocka_unit_test(names_are_those_of_kubernetes_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
