/* The files of a package, each parsed back. tests/scenario/crossplane_package tests real providers. */
#include "generate/package.h"

#include "crossplane/testing_crossplane.h"
#include "yaml/yaml.h"

#include <unistd.h>

struct made {
    struct arena *arena;
    struct output out;
    struct diags diags;
    struct generated done;
    bool ok;
};

static const struct provider_schema *provider_of(struct arena *a, const char *block, const char *types)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text =
        arena_printf(a,
                     "{\"format_version\":\"1.0\",\"provider_schemas\":{\"registry.terraform.io/test/x\":{\"provider\":"
                     "{\"version\":0,\"block\":%s},\"resource_schemas\":%s}}}",
                     block, types);
    const struct json *document = json_parse(a, text, "schema", &diags);
    testing_no_errors(&diags);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    testing_no_errors(&diags);
    return s;
}

#define TYPE "{\"version\":0,\"block\":{}}"
#define TYPES "{\"x_b_two\":" TYPE ",\"x_a_one\":" TYPE ",\"x_b_one\":" TYPE "}"

static const char *new_folder(struct arena *a)
{
    const char *base = getenv("TMPDIR");
    struct str path = arena_printf(a, "%s/terrane-package-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp((char *)path.p));
    return path.p;
}

static void discard(struct made *m)
{
    output_discard(&m->out);
    assert_int_equal(rmdir(m->out.folder), 0);
}

/* Only stages the files, so that the test leaves nothing behind. */
static struct made make_package(struct arena *a, const char *block, const char *types, const char *yaml, enum xp_flavour flavours)
{
    struct made m = {.arena = a};
    diags_init(&m.diags, a);
    struct generate_options options = {
        .schema = provider_of(a, block, types),
        .address = STR("registry.terraform.io/test/x"),
        .version = STR("1.2.3"),
        .config = testing_config(a, yaml),
        .flavours = flavours,
        .emit = EMIT_PACKAGE | EMIT_EXAMPLES | EMIT_DOCS,
    };
    output_init(&m.out, a, new_folder(a));
    m.ok = generate(a, &options, &m.out, &m.diags, &m.done);
    return m;
}

/* The path of a file's staged content. */
static const char *staged(struct made *m, size_t i)
{
    return arena_printf(m->arena, "%s/%s/" STR_FMT, m->out.folder, m->out.staging, STR_ARG(m->out.files.v[i].staged)).p;
}

/* NULL if there is no such file. */
static const char *text_of(struct made *m, const char *path)
{
    for (size_t i = 0; i < m->out.files.n; i++) {
        struct str text = STR_EMPTY;
        if (!str_eqz(m->out.files.v[i].path, path))
            continue;
        assert_true(file_read(m->arena, staged(m, i), TESTING_MAX, &m->diags, &text));
        return arena_str(m->arena, text).p;
    }
    return NULL;
}

static struct yaml_documents documents_of(struct made *m, const char *path)
{
    struct yaml_documents documents;
    if (!text_of(m, path))
        fail_msg("there is no %s", path);
    assert_true(yaml_parse_all(m->arena, str_of(text_of(m, path)), path, &m->diags, &documents));
    return documents;
}

static const char *json_at(struct made *m, const struct json *j, const char *path)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    if (!testing_at(j, path))
        return "(nothing)";
    json_write(&w, testing_at(j, path));
    (void)json_finish(&w);
    return buf_copy(&out, m->arena).p;
}

static const char arguments[] =
    "{\"attributes\":{\"region\":{\"type\":\"string\",\"required\":true,\"description\":\"Where.\"},\"api_token\":{\"type\":"
    "\"string\",\"required\":true,\"sensitive\":true},\"id\":{\"type\":\"string\",\"optional\":true}},\"block_types\":{\"retry\":"
    "{"
    "\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"times\":{\"type\":\"number\",\"required\":true}}}}}}";

static void the_package(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct made m = make_package(a, arguments, TYPES, "provider: x-y-z\n", FLAVOUR_BOTH);
    testing_no_errors(&m.diags);
    const struct json *meta = documents_of(&m, "crossplane.yaml").v[0];
    assert_string_equal(json_at(&m, meta, ""),
                        "{\"apiVersion\":\"meta.pkg.crossplane.io/v1\",\"kind\":\"Provider\",\"metadata\":{\"annotations\":{"
                        "\"friendly-name.meta.crossplane.io\":\"Provider x-y-z\",\"meta.crossplane.io/description\":\"Managed "
                        "resources of the Terraform provider registry.terraform.io/test/x 1.2.3.\"},\"name\":\"provider-x-y-z\"},"
                        "\"spec\":{\"capabilities\":[\"safe-start\"]}}");
    discard(&m);
}

#define SPEC "spec versions 0 schema openAPIV3Schema properties spec "
#define SECRET_CLUSTER                                                                                                           \
    "{\"properties\":{\"key\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},\"namespace\":{\"type\":\"string\"}},"        \
    "\"required\":[\"key\",\"name\",\"namespace\"],\"type\":\"object\"}"
#define SECRET_NAMESPACED                                                                                                        \
    "{\"properties\":{\"key\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"}},\"required\":[\"key\",\"name\"],\"type\":"   \
    "\"object\"}"

static void configurations(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct made m = make_package(a, arguments, TYPES, NULL, FLAVOUR_BOTH);
    testing_no_errors(&m.diags);
    static const struct {
        const char *path, *name, *scope, *secret;
    } cases[] = {
        {"crds/x.terrane.dev_providerconfigs.yaml", "providerconfigs.x.terrane.dev", "Cluster", SECRET_CLUSTER},
        {"crds/x.m.terrane.dev_providerconfigs.yaml", "providerconfigs.x.m.terrane.dev", "Namespaced", SECRET_NAMESPACED},
        {"crds/x.m.terrane.dev_clusterproviderconfigs.yaml", "clusterproviderconfigs.x.m.terrane.dev", "Cluster", SECRET_CLUSTER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct json *crd = documents_of(&m, cases[i].path).v[0];
        assert_string_equal(json_text(testing_at(crd, "metadata name"), STR_EMPTY).p, cases[i].name);
        assert_string_equal(json_text(testing_at(crd, "spec scope"), STR_EMPTY).p, cases[i].scope);
        assert_string_equal(json_at(&m, crd, SPEC "required"), "[\"credentials\"]");
        const char *properties = SPEC "properties configuration properties";
        const struct json *p = testing_at(crd, properties);
        assert_string_equal(json_at(&m, p, "region"), "{\"description\":\"Where.\",\"type\":\"string\"}");
        assert_string_equal(json_at(&m, p, "id"), "{\"type\":\"string\"}");
        assert_string_equal(json_at(&m, p, "apiTokenSecretRef"), cases[i].secret);
        assert_null(testing_at(crd, SPEC "properties configuration required")); /* the credentials may contain it */
        assert_string_equal(json_at(&m, p, "retry required"), "[\"times\"]");
    }
    const struct json *usage = documents_of(&m, "crds/x.m.terrane.dev_providerconfigusages.yaml").v[0];
    assert_string_equal(json_at(&m, usage, "spec versions 0 schema openAPIV3Schema required"),
                        "[\"providerConfigRef\",\"resourceRef\"]");
    assert_string_equal(json_at(&m, usage, "spec versions 0 subresources"), "{}");
    assert_non_null(text_of(&m, "crds/x.terrane.dev_providerconfigusages.yaml"));
    assert_null(text_of(&m, "examples/x.terrane.dev_providerconfigusages.yaml"));

    struct yaml_documents example = documents_of(&m, "examples/x.m.terrane.dev_clusterproviderconfigs.yaml");
    assert_int_equal(example.n, 2);
    assert_string_equal(json_at(&m, example.v[0], "spec"),
                        "{\"configuration\":{\"region\":\"example-region\"},\"credentials\":{\"secretRef\":{\"key\":"
                        "\"credentials\",\"name\":\"example-clusterproviderconfig\",\"namespace\":\"default\"},\"source\":"
                        "\"Secret\"}}");
    assert_string_equal(json_at(&m, example.v[1], "stringData"),
                        "{\"credentials\":\"{\\\"api_token\\\":\\\"example-api-token\\\"}\\n\"}");
    assert_non_null(strstr(text_of(&m, "docs/providerconfigs.md"), "| `region` | string | yes | Where. |\n"));
    assert_non_null(strstr(text_of(&m, "docs/README.md"), "(providerconfigs.md)"));
    discard(&m);
}

static void provider_config_by_configuration(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct made m =
        make_package(a, "{}", TYPES,
                     "provider: x\nprovider_config:\n  credentials: {type: object, properties: {source: {type: string, "
                     "enum: [IRSA]}}}\n  endpoint: {type: object}\n",
                     FLAVOUR_BOTH);
    testing_no_errors(&m.diags);
    static const char *const files[] = {"crds/x.terrane.dev_providerconfigs.yaml", "crds/x.m.terrane.dev_providerconfigs.yaml",
                                        "crds/x.m.terrane.dev_clusterproviderconfigs.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct json *crd = documents_of(&m, files[i]).v[0];
        assert_string_equal(json_at(&m, crd, SPEC "properties credentials properties source enum"), "[\"IRSA\"]");
        assert_non_null(testing_at(crd, SPEC "properties endpoint"));
        assert_null(testing_at(crd, SPEC "properties credentials properties env"));
    }
    discard(&m);
}

static void without_arguments(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct made m = make_package(a, "{}", TYPES, NULL, FLAVOUR_CLUSTER);
    testing_no_errors(&m.diags);
    const struct json *crd = documents_of(&m, "crds/x.terrane.dev_providerconfigs.yaml").v[0];
    assert_non_null(testing_at(crd, SPEC "properties credentials"));
    assert_null(testing_at(crd, SPEC "properties configuration"));
    struct yaml_documents example = documents_of(&m, "examples/x.terrane.dev_providerconfigs.yaml");
    assert_int_equal(example.n, 1);
    assert_string_equal(json_at(&m, example.v[0], "spec"), "{\"credentials\":{\"source\":\"None\"}}");
    assert_null(text_of(&m, "crds/x.m.terrane.dev_providerconfigs.yaml"));
    discard(&m);
}

static void roles(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct made m = make_package(a, "{}", TYPES, NULL, FLAVOUR_BOTH);
    testing_no_errors(&m.diags);
    struct yaml_documents d = documents_of(&m, "rbac/controller.yaml");
    assert_int_equal(d.n, 3);
    assert_string_equal(json_at(&m, d.v[0], "metadata name"), "\"crossplane:provider:provider-x:system\"");
    assert_string_equal(
        json_at(&m, d.v[0], "rules 0"),
        "{\"apiGroups\":[\"a.x.terrane.dev\"],\"resources\":[\"ones\",\"ones/status\"],\"verbs\":[\"get\",\"list\","
        "\"watch\",\"update\",\"patch\"]}");
    assert_string_equal(json_at(&m, d.v[0], "rules 1"),
                        "{\"apiGroups\":[\"a.x.terrane.dev\"],\"resources\":[\"*/finalizers\"],\"verbs\":[\"update\"]}");
    assert_string_equal(json_at(&m, d.v[0], "rules 2 resources"), "[\"ones\",\"ones/status\",\"twoes\",\"twoes/status\"]");
    assert_string_equal(json_at(&m, d.v[0], "rules 4"),
                        "{\"apiGroups\":[\"x.terrane.dev\"],\"resources\":[\"providerconfigs\",\"providerconfigs/status\"],"
                        "\"verbs\":[\"get\",\"list\",\"watch\",\"update\",\"patch\"]}");
    assert_string_equal(json_at(&m, d.v[2], "subjects 0 name"), json_at(&m, d.v[1], "metadata name"));
    assert_string_equal(json_at(&m, d.v[2], "roleRef name"), json_at(&m, d.v[0], "metadata name"));
    d = documents_of(&m, "rbac/people.yaml");
    assert_int_equal(d.n, 2);
    assert_string_equal(json_at(&m, d.v[0], "metadata labels"), "{\"rbac.crossplane.io/aggregate-to-view\":\"true\"}");
    assert_string_equal(json_at(&m, d.v[0], "rules 1"),
                        "{\"apiGroups\":[\"b.x.terrane.dev\"],\"resources\":[\"ones\",\"twoes\"],\"verbs\":[\"get\",\"list\","
                        "\"watch\"]}");
    assert_string_equal(json_at(&m, d.v[1], "rules 0 verbs"),
                        "[\"get\",\"list\",\"watch\",\"update\",\"patch\",\"create\",\"delete\",\"deletecollection\"]");
    discard(&m);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct made m = make_package(a, "{}", "{\"x_a_b\":" TYPE "}",
                                 "provider: x\nresources:\n  x_a_b: {group: \"\", kind: ProviderConfig}\n", FLAVOUR_BOTH);
    assert_false(m.ok);
    testing_says(&m.diags, "x_a_b would have the same name as the kind ProviderConfig");
    discard(&m);
    m = make_package(a, "{\"block_types\":{\"timeouts\":{\"nesting_mode\":\"single\",\"block\":{}}}}", TYPES, NULL, FLAVOUR_BOTH);
    testing_no_errors(&m.diags);
    assert_int_equal(m.done.notes.n, 1);
    assert_string_equal(m.done.notes.v[0].path.p, "timeouts");
    discard(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_package),
        cmocka_unit_test(configurations),
        cmocka_unit_test(without_arguments),
        cmocka_unit_test(provider_config_by_configuration),
        cmocka_unit_test(roles),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
