/* Pairs of CRDs and the expected lines of the report; folders of files. */
#include "generate/against.h"

#include "crossplane/testing_crossplane.h"

#include <sys/stat.h>
#include <unistd.h>

#define HEAD                                                                                                                     \
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations:\n    name: no\n"             \
    "  name: %s.g\nspec:\n"

static const char *new_folder(struct arena *a)
{
    const char *base = getenv("TMPDIR");
    struct str path = arena_printf(a, "%s/terrane-against-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp((char *)path.p));
    return path.p;
}

static void write_file(struct arena *a, const char *folder, const char *name, struct str content)
{
    struct diags diags;
    diags_init(&diags, a);
    assert_true(file_write(arena_printf(a, "%s/%s", folder, name).p, content, 0600, &diags));
}

static void remove_file(struct arena *a, const char *folder, const char *name)
{
    assert_int_equal(unlink(arena_printf(a, "%s/%s", folder, name).p), 0);
}

/* `rest` is what follows "spec:". */
static struct str crd(struct arena *a, const char *name, const char *rest)
{
    return arena_printf(a, HEAD "%s", name, rest);
}

/* A CRD with one version, whose schema has these lines as properties of spec.forProvider. */
static const char *with_fields(struct arena *a, const char *lines)
{
    return arena_printf(a,
                        "  scope: Cluster\n  names: {kind: A}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"
                        "    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n"
                        "            type: object\n            properties: {forProvider: {type: object%s}}\n",
                        lines)
        .p;
}

static const char *compare(struct arena *a, struct str old, struct str new, size_t *ret_breaking)
{
    struct diags diags;
    diags_init(&diags, a);
    const char *folder = new_folder(a);
    write_file(a, folder, "old.yaml", old);
    struct against *c = against_open(a, folder, &diags);
    testing_no_errors(&diags);
    struct against_report report;
    assert_true(against_add(c, new, &diags));
    against_finish(c, true, &report);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (size_t i = 0; i < report.changes.n; i++) {
        struct against_report one = {.changes = {.v = &report.changes.v[i], .n = 1}};
        struct buf line BUF_AUTO = BUF_INIT(TESTING_MAX);
        against_write(&line, &one);
        buf_add(&text, str_slice(buf_str(&line), 0, str_find(buf_str(&line), '\n', 0) + 1));
    }
    if (ret_breaking)
        *ret_breaking = report.n_breaking;
    remove_file(a, folder, "old.yaml");
    assert_int_equal(rmdir(folder), 0);
    return buf_copy(&text, a).p;
}

struct field_case {
    const char *old, *new; /* members of spec.forProvider's schema */
    const char *lines;     /* "as.g/v1: " is left out */
};

#define P(fields) ", properties: {" fields "}"

static const struct field_case field_cases[] = {
    {P("x: {type: string}"), P("x: {type: string, description: other}"), ""},
    {P("x: {type: string}"), P("w: {type: string}"), "safe w: added: string\nbreaking x: removed\n"},
    {"", P("w: {type: array, items: {type: object}}"), "safe w: added: list of object\n"},
    {"", P("w: {type: object, additionalProperties: {type: integer}}") ", required: [w]",
     "breaking w: added: map of integer, required\n"},
    {"", P("w: {type: string, default: a}") ", required: [w]", "safe w: added: string\n"},
    {P("x: {type: string}"), P("x: {type: number}"), "breaking x: retyped: number, was string\n"},
    {P("x: {type: integer}"), P("x: {type: number}"), "safe x: wider: number, was integer\n"},
    {P("x: {type: number}"), P("x: {type: integer}"), "breaking x: retyped: integer, was number\n"},
    {P("x: {type: string}"), P("x: {x-kubernetes-preserve-unknown-fields: true}"), "safe x: wider: anything, was string\n"},
    {P("x: {type: object, properties: {a: {type: string}}}"), P("x: {type: object, additionalProperties: {type: string}}"),
     "breaking x: retyped: map of string, was object\n"},
    {P("x: {type: array, items: {type: string}}"), P("x: {type: array, items: {type: number}}"),
     "breaking x[*]: retyped: number, was string\n"},
    {P("x: {type: object, properties: {a: {type: string}}}"), P("x: {type: object, properties: {b: {type: string}}}"),
     "breaking x.a: removed\nsafe x.b: added: string\n"},
    {P("x: {type: object, properties: {a: {type: string}}}"), P("x: {type: object, x-kubernetes-preserve-unknown-fields: true}"),
     "safe x: wider: fields that are not described are kept\nsafe x: wider: some fields are accepted unchecked\n"},
    {P("x: {type: object, x-kubernetes-preserve-unknown-fields: true}"), P("x: {type: object, properties: {a: {type: string}}}"),
     "breaking x: narrower: fields that are not described are dropped\n"},
    {P("x: {type: string}"), P("x: {type: string}") ", required: [x]", "breaking x: newly required\n"},
    {P("x: {type: string}") ", required: [x]", P("x: {type: string}"), "safe x: no longer required\n"},
    {P("x: {enum: [a, b], type: string}"), P("x: {enum: [b, c], type: string}"),
     "breaking x: narrower: value \"a\" is gone\nsafe x: wider: value \"c\" is new\n"},
    {P("x: {type: string}"), P("x: {enum: [a], type: string}"), "breaking x: narrower: only certain values are accepted\n"},
    {P("x: {enum: [a], type: string}"), P("x: {type: string}"), "safe x: wider: any value is accepted\n"},
    {P("x: {type: string, default: a}"), P("x: {type: string, default: b}"), "breaking x: changed: default is b, was a\n"},
    {P("x: {type: string}"), P("x: {type: string, default: b}"), "safe x: changed: default is b, was none\n"},
    {P("x: {type: integer, format: int32}"), P("x: {type: integer, format: int64}"),
     "safe x: wider: format is int64, was int32\n"},
    {P("x: {type: string}"), P("x: {type: string, format: date-time}"), "breaking x: narrower: format is date-time, was none\n"},
    {P("x: {type: integer, minimum: 2, maximum: 9}"), P("x: {type: integer, minimum: 10, maximum: 10}"),
     "breaking x: narrower: minimum is 10, was 2\nsafe x: wider: maximum is 10, was 9\n"},
    {P("x: {type: string, maxLength: 5}"), P("x: {type: string}"), "safe x: wider: maxLength is none, was 5\n"},
    {P("x: {type: string}"), P("x: {type: string, pattern: a}"), "breaking x: narrower: a pattern\n"},
    {P("x: {type: string, nullable: true}"), P("x: {type: string}"), "breaking x: narrower: null is not accepted\n"},
    {P("x: {type: array, items: {type: string}}"), P("x: {type: array, items: {type: string}, x-kubernetes-list-type: atomic}"),
     ""},
    {P("x: {type: array, items: {type: string}}"), P("x: {type: array, items: {type: string}, x-kubernetes-list-type: set}"),
     "breaking x: changed: x-kubernetes-list-type is set, was atomic\n"},
    {P("x: {type: object, additionalProperties: {type: string}, x-kubernetes-map-type: granular}"),
     P("x: {type: object, additionalProperties: {type: string}}"), ""},
    {P("x: {type: string}"), P("x: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]}"),
     "breaking x: narrower: another rule: fixed\n"},
    {P("x: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: fixed}]}"), P("x: {type: string}"),
     "safe x: wider: no longer a rule: fixed\n"},
    {P("x: {type: string, x-kubernetes-validations: [{rule: a, message: m}]}"),
     P("x: {type: string, x-kubernetes-validations: [{rule: a || b, message: m}]}"), "safe x: wider: the rule accepts more: m\n"},
    {P("x: {type: string, x-kubernetes-validations: [{rule: a || b, message: m}]}"),
     P("x: {type: string, x-kubernetes-validations: [{rule: a, message: m}]}"),
     "breaking x: narrower: the rule is different: m\n"},
};

static const char *without_names(struct arena *a, const char *text)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (struct str rest = str_of(text); rest.n > 0;) {
        struct str line = str_cut(&rest, '\n'), breaking = STR("breaking  as.g/v1: "), safe = STR("safe      as.g/v1: ");
        bool is_breaking = str_starts(line, breaking);
        assert_true(is_breaking || str_starts(line, safe));
        line = str_slice(line, breaking.n, line.n);
        struct str tree = STR(" (forProvider)");
        assert_true(str_ends(line, tree));
        buf_printf(&out, "%s " STR_FMT "\n", is_breaking ? "breaking" : "safe", STR_ARG(str_slice(line, 0, line.n - tree.n)));
    }
    return buf_copy(&out, a).p;
}

static void fields_one_by_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof field_cases / sizeof field_cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct field_case *t = &field_cases[i];
        size_t breaking;
        const char *got =
            without_names(a, compare(a, crd(a, "as", with_fields(a, t->old)), crd(a, "as", with_fields(a, t->new)), &breaking));
        if (strcmp(got, t->lines) != 0)
            fail_msg("%s -> %s:\n%sexpected:\n%s", t->old, t->new, got, t->lines);
        assert_int_equal(breaking > 0, strstr(t->lines, "breaking") != NULL);
    }
}

#define FRAME                                                                                                                    \
    "  scope: %s\n  names: {kind: A}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"                          \
    "    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s, forProvider: "              \
    "%s, initProvider: %s}%s}, status: {type: object, properties: {atProvider: %s}}}}}\n"

/* A change in three trees is one line; in the status only fields and types are compared. */
static void trees_together(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *old = "{type: object, properties: {x: {type: string, enum: [a]}, v: {type: string}}}";
    const char *new = "{type: object, required: [x], properties: {x: {type: string, enum: [b]}, z: {type: string}}}";
    struct buf was BUF_AUTO = BUF_INIT(TESTING_MAX), is BUF_AUTO = BUF_INIT(TESTING_MAX);
    const char *rule = ", x-kubernetes-validations: [{rule: has(self.z), message: spec.forProvider.z is a required parameter}]";
    const char *any = ", allOf: [{anyOf: [{properties: {forProvider: {required: [any]}}}]}]";
    buf_printf(&was, FRAME, "Cluster", "p: {type: string}", old, old, any, old);
    buf_printf(&is, FRAME, "Namespaced", "q: {type: string}", new, new, rule, new);
    assert_string_equal(compare(a, crd(a, "as", buf_copy(&was, a).p), crd(a, "as", buf_copy(&is, a).p), NULL),
                        "breaking  as.g: changed: scope is Namespaced, was Cluster\n"
                        "safe      as.g/v1: any: no longer required: by a rule (forProvider)\n"
                        "breaking  as.g/v1: spec.p: removed\n"
                        "safe      as.g/v1: spec.q: added: string\n"
                        "breaking  as.g/v1: v: removed (forProvider, initProvider, atProvider)\n"
                        "breaking  as.g/v1: x: newly required (forProvider, initProvider)\n"
                        "breaking  as.g/v1: x: narrower: value \"a\" is gone (forProvider, initProvider)\n"
                        "safe      as.g/v1: x: wider: value \"b\" is new (forProvider, initProvider)\n"
                        "safe      as.g/v1: z: added: string (forProvider, initProvider, atProvider)\n"
                        "breaking  as.g/v1: z: newly required: by a rule (forProvider)\n");
}

#define VERSION(name, served, storage, fields)                                                                                   \
    "  - {name: " name ", served: " served ", storage: " storage                                                                 \
    ", schema: {openAPIV3Schema: {type: object, properties: {" fields "}}}}\n"

static void versions(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str v1 = crd(a, "as", "  versions:\n" VERSION("v1", "true", "true", "x: {type: string}"));
    struct str both =
        crd(a, "as", "  versions:\n" VERSION("v1", "true", "false", "x: {type: string}") VERSION("v2", "true", "true", ""));
    struct str hidden = crd(a, "as", "  versions:\n" VERSION("v1", "false", "false", "") VERSION("v2", "true", "true", ""));
    struct str v2 = crd(a, "as", "  versions:\n" VERSION("v2", "true", "true", ""));
    assert_string_equal(compare(a, v1, both, NULL), "safe      as.g: changed: version v2 is new\n");
    assert_string_equal(compare(a, v1, hidden, NULL), "breaking  as.g: changed: version v1 is no longer served\n"
                                                      "safe      as.g: changed: version v2 is new\n"
                                                      "breaking  as.g/v2: x: removed\n");
    assert_string_equal(compare(a, v1, v2, NULL), "breaking  as.g: changed: version v1 is gone, in which clusters hold objects\n"
                                                  "safe      as.g: changed: version v2 is new\n"
                                                  "breaking  as.g/v2: x: removed\n");
    assert_string_equal(compare(a, both, v2, NULL), "breaking  as.g: changed: version v1 is gone\n");
    assert_string_equal(compare(a, both, both, NULL), "");
}

/* Names are found in every YAML style; other documents are skipped. */
static void kinds_and_documents(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str json =
        STR("{\"kind\": \"CustomResourceDefinition\", \"metadata\": {\"name\": \"js.g\"}, \"spec\": {\"scope\": \"Cluster\"}}");
    struct str flow = STR("{kind: CustomResourceDefinition, metadata: {name: fs.g}}\n");
    struct str quoted =
        STR("kind: \"CustomResourceDefinition\"\nmetadata:\n    labels:\n      name: no\n    name: 'qs.g'\nspec: {}\n");
    struct str other = STR("kind: Provider\nmetadata:\n  name: p\n");
    struct str stream = arena_printf(a, "# first\n---\n" STR_FMT "---\n" STR_FMT "--- \n" STR_FMT "---\n", STR_ARG(flow),
                                     STR_ARG(quoted), STR_ARG(other));
    struct diags diags;
    diags_init(&diags, a);
    const char *folder = new_folder(a), *crds = arena_printf(a, "%s/crds", folder).p;
    assert_int_equal(mkdir(crds, 0700), 0);
    write_file(a, folder, "ignored.yaml", crd(a, "elsewhere", "{}"));
    write_file(a, crds, "a.yml", stream);
    write_file(a, crds, "b.json", json);
    write_file(a, crds, "c.txt", STR("no manifest"));

    struct against *c = against_open(a, folder, &diags);
    testing_no_errors(&diags);
    struct against_report report;
    assert_true(against_add(c, arena_printf(a, STR_FMT "---\n" STR_FMT, STR_ARG(quoted), STR_ARG(other)), &diags));
    assert_true(
        against_add(c, STR("kind: CustomResourceDefinition\nmetadata:\n  name: js.g\nspec:\n  scope: Cluster\n"), &diags));
    assert_true(against_add(c, crd(a, "new", "  scope: Cluster\n"), &diags));
    against_finish(c, true, &report);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX), out BUF_AUTO = BUF_INIT(TESTING_MAX);
    against_write(&text, &report);
    assert_string_equal(buf_copy(&text, a).p,
                        "breaking  fs.g: kind removed\n"
                        "safe      new.g: kind added\n"
                        "2 kinds compared, 2 without a change; 1 added, 1 removed; 1 breaking changes, 1 others\n");
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    against_write_json(&w, &report);
    json_end_object(&w);
    assert_true(json_finish(&w));
    assert_string_equal(
        buf_copy(&out, a).p,
        "{\"compared\":2,\"unchanged\":2,\"breaking\":1,\"changes\":[{\"breaking\":true,\"change\":\"kind-removed\","
        "\"crd\":\"fs.g\",\"version\":\"\",\"trees\":[],\"path\":\"\",\"detail\":\"\"},{\"breaking\":false,\"change\":"
        "\"kind-added\",\"crd\":\"new.g\",\"version\":\"\",\"trees\":[],\"path\":\"\",\"detail\":\"\"}]}");

    c = against_open(a, folder, &diags);
    against_finish(c, false, &report); /* only a part was generated: nothing counts as removed */
    assert_int_equal(report.changes.n, 0);

    remove_file(a, crds, "a.yml");
    remove_file(a, crds, "b.json");
    remove_file(a, crds, "c.txt");
    assert_int_equal(rmdir(crds), 0);
    remove_file(a, folder, "ignored.yaml");
    assert_int_equal(rmdir(folder), 0);
}

static void refused(struct arena *a, const char *folder, const char *says)
{
    struct diags diags;
    diags_init(&diags, a);
    assert_null(against_open(a, folder, &diags));
    testing_says(&diags, says);
}

static void bad_folders(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *folder = new_folder(a);
    struct str one = crd(a, "as", "  scope: Cluster\n");
    refused(a, arena_printf(a, "%s/absent", folder).p, "absent: No such file");
    refused(a, folder, "no CustomResourceDefinition");
    write_file(a, folder, "a.yaml", STR("kind: [\n"));
    refused(a, folder, "a.yaml:");
    write_file(a, folder, "a.yaml", one);
    write_file(a, folder, "b.yaml", one);
    refused(a, folder, "both have as.g");
    /* A file whose first lines are valid, but not the rest. */
    remove_file(a, folder, "b.yaml");
    write_file(a, folder, "a.yaml", crd(a, "as", "  scope: [\n"));
    struct diags diags;
    diags_init(&diags, a);
    struct against *c = against_open(a, folder, &diags);
    testing_no_errors(&diags);
    assert_false(against_add(c, one, &diags));
    testing_says(&diags, "a.yaml:");
    remove_file(a, folder, "a.yaml");
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_one_by_one),   cmocka_unit_test(trees_together), cmocka_unit_test(versions),
        cmocka_unit_test(kinds_and_documents), cmocka_unit_test(bad_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
