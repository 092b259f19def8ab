/*
 * Diagnostics of objects, and their places. tests/scenario/admission_kubernetes compares the verdicts with a real API server's.
 */
#include "admission/admission.h"

#include "base/testing.h"
#include "yaml/yaml.h"

#define CRD(schema)                                                                                                              \
    "metadata: {name: things.example.org}\nspec: {group: example.org, scope: Namespaced, names: {kind: Thing, plural: things}, " \
    "versions: [{name: v1, served: true, subresources: {status: {}}, schema: {openAPIV3Schema: " schema                          \
    "}}, {name: v0, served: false, schema: {openAPIV3Schema: {type: object}}}]}\n"

static const char things[] = CRD(
    "{type: object, required: [spec], properties: {status: {type: object, properties: {ready: {type: boolean}}}, spec: {type: "
    "object, required: [region], properties: {region: {type: string}, size: {type: integer, default: 3}, mode: {type: string, "
    "enum: [fast, slow]}, word: {type: string, pattern: '^[a-z]+$'}, zones: {type: array, x-kubernetes-list-type: set, items: "
    "{type: string}}, tags: {type: object, additionalProperties: {type: string}}, rules: {type: array, items: {type: object, "
    "required: [port], properties: {port: {type: integer}}}}, fixed: {type: string, x-kubernetes-validations: [{rule: self == "
    "oldSelf, message: cannot be changed}]}}, x-kubernetes-validations: [{rule: '!has(self.size) || self.size < 10', message: "
    "too large, fieldPath: .size}]}}}");

struct fixture {
    struct arena *arena;
    struct diags diags;
    const struct admission_kind *kind;
    const struct json *document, *result;
};

static const struct json *yaml(struct fixture *f, const char *text)
{
    struct diags diags;
    diags_init(&diags, f->arena);
    const struct json *j = yaml_parse(f->arena, str_of(text), "m.yaml", &diags);
    testing_no_errors(&diags);
    return j;
}

static struct fixture begin(const char *crd)
{
    struct fixture f = {.arena = arena_new(NULL, 0)};
    diags_init(&f.diags, f.arena);
    if (!admission_compile(f.arena, yaml(&f, crd), &f.diags, &f.kind))
        fail_msg("%s", testing_said(&f.diags));
    return f;
}

static bool check_as(struct fixture *f, const char *manifest, const char *old, bool strict)
{
    struct admission_options options = {strict, STR("default")};
    const struct json *before = old ? yaml(f, old) : NULL;
    f->document = yaml(f, manifest);
    return admission_check(f->arena, f->kind, f->document, before, &options, &f->diags, &f->result);
}

static bool check(struct fixture *f, const char *manifest)
{
    return check_as(f, manifest, NULL, false);
}

#define HEAD "apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: it\nspec:\n"

static void equals(struct fixture *f, const char *expected)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    yaml_write(&text, f->result);
    if (!json_eq(f->result, yaml(f, expected)))
        fail_msg("got " STR_FMT "\nexpected %s", STR_ARG(buf_str(&text)), expected);
}

/* One line for each diagnostic: severity, place, text. */
static void says(struct fixture *f, const char *expected)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < f->diags.n; i++) {
        const struct diag *d = &f->diags.v[i];
        struct str place = admission_place_text(f->arena, "m.yaml", f->document, d);
        buf_printf(&text, "%s " STR_FMT " " STR_FMT "\n", d->severity == DIAG_ERROR ? "error" : "warning", STR_ARG(place),
                   STR_ARG(d->detail));
    }
    assert_string_equal(buf_copy(&text, f->arena).p, expected);
}

static void a_good_object_gets_defaults_and_a_namespace(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    assert_true(check(&f, HEAD "  region: r\n  mode: ~\nstatus: {ready: 1}\n"));
    says(&f, "");
    equals(&f, "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: it, namespace: default}\nspec: {region: r, size: 3}\n");
    arena_free(f.arena);
}

static void everything_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    assert_false(check(&f, HEAD "  size: big\n"
                                "  mode: quick\n"
                                "  word: A1\n"
                                "  zones: [a, b, a]\n"
                                "  tags:\n"
                                "    a: 1\n"
                                "  rules:\n"
                                "  - port: 1\n"
                                "  - {}\n"));
    says(&f, "error m.yaml:6:9 spec.size must be a whole number, not a string.\n"
             "error m.yaml:7:9 spec.mode must be one of \"fast\", \"slow\".\n"
             "error m.yaml:8:9 spec.word must match the pattern ^[a-z]+$.\n"
             "error m.yaml:11:8 spec.tags[\"a\"] must be a string, not this number.\n"
             "error m.yaml:14:5 spec.rules[1].port is required.\n"
             "error m.yaml:5:1 spec.region is required.\n"
             "error m.yaml:9:17 spec.zones[2] is the same as element 0; this list is a set, in which no value is twice.\n");
    arena_free(f.arena);
}

static void unknown_fields_are_warnings_with_a_guess_or_errors(void **state)
{
    (void)state;
    static const char manifest[] = HEAD "  region: r\n  modee: fast\n  rules: [{port: 1, ports: 2}]\nextra: 1\n";
    struct fixture f = begin(things);
    assert_true(check(&f, manifest));
    says(&f, "warning m.yaml:7:3 spec.modee is not a field of this kind; did you mean \"mode\"? It is ignored.\n"
             "warning m.yaml:8:21 spec.rules[0].ports is not a field of this kind; did you mean \"port\"? It is ignored.\n"
             "warning m.yaml:9:1 extra is not a field of this kind. It is ignored.\n");
    equals(&f, "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: it, namespace: default}\nspec: {region: r, size: 3, "
               "rules: [{port: 1}]}\n");
    diags_init(&f.diags, f.arena);
    assert_false(check_as(&f, manifest, NULL, true));
    assert_int_equal(f.diags.n_errors, 3);
    arena_free(f.arena);
}

static void metadata_is_checked(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    assert_false(
        check(&f, "apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: Not_This\n  lables: {}\n  labels:\n    a b: c\n"
                  "  annotations:\n    a: ok\nspec: {region: r}\n"));
    says(
        &f,
        "warning m.yaml:5:3 metadata.lables is not a field of this kind; did you mean \"labels\"? It is ignored.\n"
        "error m.yaml:4:9 metadata.name must consist of lower case letters, digits, '-' and '.', and begin and end with a letter "
        "or digit.\n"
        "error m.yaml:7:5 metadata.labels[\"a b\"] must consist of letters, digits, '-', '_' and '.', and begin and end with a "
        "letter or digit.\n");
    diags_init(&f.diags, f.arena);
    assert_false(
        check(&f, "apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: it\n  labels:\n    num: 1\nspec: {region: r}\n"));
    says(&f, "error m.yaml:6:10 metadata.labels[\"num\"] must be a string (in quotes), not a number.\n");
    arena_free(f.arena);
}

static void versions_that_are_not_served_are_refused(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    assert_false(check(&f, "apiVersion: example.org/v0\nkind: Think\nmetadata: {name: it}\n"));
    says(&f, "error m.yaml:2:7 kind must be Thing.\n"
             "error m.yaml:1:13 apiVersion must be one of: example.org/v1.\n");
    diags_init(&f.diags, f.arena);
    assert_false(check(&f, "[]"));
    testing_says(&f.diags, "A manifest must be an object");
    arena_free(f.arena);
}

static void rules_speak_with_their_message(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    assert_false(check(&f, HEAD "  region: r\n  size: 12\n"));
    says(&f, "error m.yaml:7:9 spec.size is not valid: too large.\n");
    diags_init(&f.diags, f.arena);
    assert_false(check_as(&f, HEAD "  region: r\n  fixed: b\n", HEAD "  region: r\n  fixed: a\n", false));
    says(&f, "error m.yaml:7:10 spec.fixed is not valid: cannot be changed.\n");
    diags_init(&f.diags, f.arena);
    assert_true(check_as(&f, HEAD "  region: q\n  fixed: b\n", HEAD "  region: r\n", false));
    arena_free(f.arena);
}

static void what_was_stored_may_stay_as_it_is(void **state)
{
    (void)state;
    static const char old[] = HEAD "  region: r\n  size: 12\n  mode: odd\n  zones: [a, a]\nstatus: {ready: true}\n";
    struct fixture f = begin(things);
    assert_true(check_as(&f, HEAD "  region: other\n  size: 12\n  mode: odd\n  zones: [a, a]\n", old, false) == false);
    says(&f, "error m.yaml:7:9 spec.size is not valid: too large.\n"); /* the rule belongs to spec, which has changed */
    diags_init(&f.diags, f.arena);
    assert_true(check_as(&f, HEAD "  region: other\n  mode: odd\n  zones: [b, b]\n", old, false));
    equals(&f,
           "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: it, namespace: default}\nspec: {region: other, mode: odd, "
           "zones: [b, b], size: 3}\nstatus: {ready: true}\n");
    assert_false(check_as(&f, HEAD "  region: r\n  mode: other\n", old, false));
    arena_free(f.arena);
}

static void elements_are_the_same_in_any_order_of_members(void **state)
{
    (void)state;
    struct fixture f =
        begin(CRD("{type: object, properties: {spec: {type: object, properties: {s: {type: array, x-kubernetes-list-type: set, "
                  "items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: integer}, b: {type: integer}}}}, "
                  "k: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {type: object, "
                  "properties: {a: {type: integer}, b: {type: integer}}}}}}}}"));
    assert_true(check(&f, HEAD "  s: [{a: 1, b: 2}, {a: 2, b: 1}]\n  k: [{a: 1}, {b: 1}, {}]\n"));
    assert_false(check(&f, HEAD "  s: [{a: 1, b: 2}, {b: 2, a: 1}]\n  k: [{a: 1, b: 2}, {b: 2, a: 1}]\n"));
    says(&f, "error m.yaml:6:21 spec.s[1] is the same as element 0; this list is a set, in which no value is twice.\n"
             "error m.yaml:7:21 spec.k[1] has the same key (a, b) as element 0.\n");
    arena_free(f.arena);
}

static void what_is_not_understood_is_never_accepted(void **state)
{
    (void)state;
    struct fixture f = begin(CRD("{type: object, properties: {spec: {type: object, properties: {a: {type: string, "
                                 "x-kubernetes-validations: [{rule: self.lowerAscii() == self}]}}}}}"));
    assert_true(check(&f, HEAD "  {}\n"));
    assert_false(check(&f, HEAD "  a: x\n"));
    says(&f, "error m.yaml:6:6 spec.a has a rule in its schema that is not understood here, so that nothing can be accepted: "
             "self.lowerAscii() == self\n(at character 6: there is no function lowerAscii() with 1 arguments here).\n");
    static const char *const bad[][2] = {
        {CRD("{type: object, uniqueItems: true}"), "\"uniqueItems\" is not a known keyword"},
        {CRD("{type: object, properties: {a: {type: text}}}"), "version v1.a: \"type\" is not a known type"},
        {CRD("{type: object, properties: {a: {type: string, pattern: '('}}}"), "\"pattern\" is not a valid pattern"},
        {CRD("{type: object, allOf: [{x-kubernetes-validations: [{rule: 'true'}]}]}"), "is not supported within allOf"},
        {CRD("[]"), "must be an object"},
        {"spec: {group: g, names: {kind: K}}\n", "it has no group, kind or versions"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        diags_init(&f.diags, f.arena);
        const struct admission_kind *kind = NULL;
        assert_false(admission_compile(f.arena, yaml(&f, bad[i][0]), &f.diags, &kind));
        testing_says(&f.diags, bad[i][1]);
    }
    diags_init(&f.diags, f.arena);
    const struct admission_kind *kind = NULL;
    assert_true(admission_compile(f.arena, yaml(&f, CRD("{type: object, properties: {a: {type: string, format: uri}}}")),
                                  &f.diags, &kind));
    testing_says(&f.diags, "strings of the format \"uri\" are accepted unchecked");
    arena_free(f.arena);
}

static void only_so_many_problems_are_told(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    buf_addz(&text, HEAD "  region: r\n");
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "  f%d: 1\n", i);
    assert_true(check(&f, buf_copy(&text, f.arena).p));
    assert_int_equal(f.diags.n, 101);
    testing_says(&f.diags, "900 more warnings");
    buf_addz(&text, "  mode: x\n");
    diags_init(&f.diags, f.arena);
    assert_false(check(&f, buf_copy(&text, f.arena).p));
    arena_free(f.arena);
}

static void no_value_is_told(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    assert_false(check(&f,
                       HEAD "  region: {hunter2: hunter2}\n  size: hunter2\n  mode: hunter2\n  word: HUNTER2\n  zones: [hunter2, "
                            "hunter2]\n  tags: hunter2\n  password: hunter2\n"));
    assert_null(strcasestr(testing_said(&f.diags), "hunter2"));
    assert_true(f.diags.n_errors >= 6);
    diags_init(&f.diags, f.arena);
    const struct json *secret = yaml(&f, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: kubernetes.io/dockercfg\n"
                                         "data: {a: hunter2}\nstringData: {.dockercfg: hunter2, b/c: hunter2}\n");
    struct admission_options options = {false, STR("default")};
    assert_false(admission_check_core(f.arena, secret, NULL, &options, &f.diags, &f.result));
    assert_null(strcasestr(testing_said(&f.diags), "hunter2"));
    assert_int_equal(f.diags.n_errors, 3);
    arena_free(f.arena);
}

static void texts_of_secrets_become_data(void **state)
{
    (void)state;
    struct fixture f = begin(things);
    struct admission_options options = {false, STR("here")};
    const struct json *secret = yaml(&f, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: eA==, b: eQ==}\n"
                                         "stringData: {b: z}\n");
    assert_true(admission_is_core(secret));
    assert_true(admission_check_core(f.arena, secret, NULL, &options, &f.diags, &f.result));
    equals(&f, "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: here}\ndata: {a: eA==, b: eg==}\ntype: Opaque\n");
    const struct json *pod = yaml(&f, "apiVersion: v1\nkind: Pod\nmetadata: {name: s}\n");
    assert_false(admission_is_core(pod));
    assert_false(admission_check_core(f.arena, pod, NULL, NULL, &f.diags, &f.result));
    arena_free(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_object_gets_defaults_and_a_namespace),
        cmocka_unit_test(everything_wrong_is_said_with_its_place),
        cmocka_unit_test(unknown_fields_are_warnings_with_a_guess_or_errors),
        cmocka_unit_test(metadata_is_checked),
        cmocka_unit_test(versions_that_are_not_served_are_refused),
        cmocka_unit_test(rules_speak_with_their_message),
        cmocka_unit_test(what_was_stored_may_stay_as_it_is),
        cmocka_unit_test(elements_are_the_same_in_any_order_of_members),
        cmocka_unit_test(what_is_not_understood_is_never_accepted),
        cmocka_unit_test(only_so_many_problems_are_told),
        cmocka_unit_test(no_value_is_told),
        cmocka_unit_test(texts_of_secrets_become_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
