/* Every construct of a schema, in the three trees; with and without Upjet's bugs. */
#include "crossplane/testing_crossplane.h"

struct shape_case {
    const char *name, *block, *yaml;
    enum xp_compat compat;
    const char *trees[N_TREES]; /* NULL: not looked at */
};

#define ATTRS(a) "{\"attributes\":{" a "}}"
#define BLOCK(name, nesting, more, block)                                                                                        \
    "{\"block_types\":{\"" name "\":{\"nesting_mode\":\"" nesting "\"" more ",\"block\":" block "}}}"
#define LISTS "provider: x\nembed_singletons: false\n"
#define UPJET "provider: x\ncompat: upjet\nembed_singletons: false\n"

static const struct shape_case cases[] = {
    {"scalars",
     ATTRS("\"s\":{\"type\":\"string\",\"optional\":true},\"n\":{\"type\":\"number\",\"optional\":true},"
           "\"b\":{\"type\":\"bool\",\"optional\":true,\"computed\":true},\"o\":{\"type\":\"string\",\"computed\":true}"),
     NULL,
     COMPAT_OWN,
     {"{b:bool n:number s:string}", "{b:bool n:number s:string}", "{b:bool id:string n:number o:string s:string}"}},
    {"collections carry markers only outside and of scalars",
     ATTRS("\"l\":{\"type\":[\"list\",\"string\"],\"optional\":true},\"s\":{\"type\":[\"set\",\"number\"],\"optional\":true},"
           "\"m\":{\"type\":[\"map\",\"string\"],\"optional\":true},\"mm\":{\"type\":[\"map\",[\"set\",\"string\"]],\"optional\":"
           "true}"),
     NULL,
     COMPAT_OWN,
     {"{l:list(string) m:map*(string) mm:map(list(string)) s:list*(number)}", NULL, NULL}},
    {"releases of Upjet without markers",
     ATTRS("\"s\":{\"type\":[\"set\",\"number\"],\"optional\":true},\"m\":{\"type\":[\"map\",\"string\"],\"optional\":true}"),
     "provider: x\nssa_markers: false\n",
     COMPAT_OWN,
     {"{m:map(string) s:list(number)}", "{m:map(string) s:list(number)}", "{id:string m:map(string) s:list(number)}"}},
    {"what the configuration says of merging stays",
     ATTRS("\"s\":{\"type\":[\"set\",\"string\"],\"optional\":true}"),
     "provider: x\nssa_markers: false\nresources:\n  x_*:\n    fields: {s: {merge: {list_type: set}}}\n",
     COMPAT_OWN,
     {"{s:list*(string)}", NULL, NULL}},
    {"releases of Upjet without the fault of single blocks",
     BLOCK("r", "single", "", ATTRS("\"k\":{\"type\":\"string\",\"required\":true}")),
     UPJET "single_block_computed: false\n",
     COMPAT_UPJET_EXACT,
     {"{r:list({k:string})}", "{r:list({k:string})}", "{id:string r:list({k:string})}"}},
    {"dynamic",
     ATTRS("\"d\":{\"type\":\"dynamic\",\"optional\":true}"),
     NULL,
     COMPAT_OWN,
     {"{d:any}", "{d:any}", "{d:any id:string}"}},
    {"object types inherit from their owner",
     ATTRS("\"a\":{\"type\":[\"list\",[\"object\",{\"x\":\"string\"}]],\"optional\":true},"
           "\"c\":{\"type\":[\"object\",{\"y\":\"bool\"}],\"computed\":true}"),
     NULL,
     COMPAT_OWN,
     {"{a:list({x:string})}", "{a:list({x:string})}", "{a:list({x:string}) c:{y:bool} id:string}"}},
    {"nested attributes",
     ATTRS("\"one\":{\"optional\":true,\"nested_type\":{\"nesting_mode\":\"single\",\"attributes\":{"
           "\"p\":{\"type\":\"string\",\"required\":true},\"q\":{\"type\":\"string\",\"computed\":true}}}},"
           "\"many\":{\"optional\":true,\"nested_type\":{\"nesting_mode\":\"map\",\"attributes\":{"
           "\"p\":{\"type\":\"string\",\"optional\":true}}}},"
           "\"seen\":{\"computed\":true,\"nested_type\":{\"nesting_mode\":\"set\",\"attributes\":{"
           "\"p\":{\"type\":\"string\",\"computed\":true}}}}"),
     NULL,
     COMPAT_OWN,
     {"{many:map({p:string}) one:{p:string}}", NULL,
      "{id:string many:map({p:string}) one:{p:string q:string} seen:list({p:string})}"}},
    {"list block",
     BLOCK("r", "list", "", ATTRS("\"k\":{\"type\":\"string\",\"required\":true}")),
     NULL,
     COMPAT_OWN,
     {"{r:list({k:string})}", "{r:list({k:string})}", "{id:string r:list({k:string})}"}},
    {"singleton embedded",
     BLOCK("r", "set", ",\"max_items\":1", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}")),
     NULL,
     COMPAT_OWN,
     {"{r:{k:string}}", "{r:{k:string}}", "{id:string r:{k:string}}"}},
    {"singleton as list",
     BLOCK("r", "list", ",\"max_items\":1", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}")),
     LISTS,
     COMPAT_OWN,
     {"{r:list({k:string})}", NULL, NULL}},
    {"singletons by configuration",
     BLOCK("r", "list", ",\"max_items\":1", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}")),
     LISTS "resources:\n  x_*:\n    embed: [r]\n",
     COMPAT_OWN,
     {"{r:{k:string}}", NULL, NULL}},
    {"single block",
     BLOCK("r", "single", "", ATTRS("\"k\":{\"type\":\"string\",\"required\":true}")),
     NULL,
     COMPAT_OWN,
     {"{r:{k:string}}", "{r:{k:string}}", "{id:string r:{k:string}}"}},
    {"single block with something required, in Upjet",
     BLOCK("r", "single", "", ATTRS("\"k\":{\"type\":\"string\",\"required\":true}")),
     UPJET,
     COMPAT_UPJET_EXACT,
     {"{}", "{}", "{id:string r:list({k:string})}"}},
    {"group block",
     BLOCK("r", "group", "", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}")),
     NULL,
     COMPAT_OWN,
     {"{r:{k:string}}", "{r:{k:string}}", "{id:string r:{k:string}}"}},
    {"map block",
     BLOCK("r", "map", "", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}")),
     NULL,
     COMPAT_OWN,
     {"{r:map({k:string})}", NULL, NULL}},
    {"tuple",
     ATTRS("\"t\":{\"type\":[\"tuple\",[\"string\",\"bool\"]],\"optional\":true}"),
     NULL,
     COMPAT_OWN,
     {"{t:list(any)}", "{t:list(any)}", "{id:string t:list(any)}"}},
    {"timeouts: the block goes, an attribute and a nested block stay",
     "{\"block_types\":{\"timeouts\":{\"nesting_mode\":\"single\",\"block\":{}},\"a\":{\"nesting_mode\":\"list\","
     "\"block\":" BLOCK("timeouts", "list", "", "{}") "}}}",
     NULL,
     COMPAT_OWN,
     {"{a:list({timeouts:list({})})}", NULL, NULL}},
    {"an attribute called timeouts",
     ATTRS("\"timeouts\":{\"type\":\"string\",\"optional\":true}"),
     NULL,
     COMPAT_OWN,
     {"{timeouts:string}", NULL, NULL}},
    {"id is never an argument",
     ATTRS("\"id\":{\"type\":\"number\",\"required\":true}"),
     NULL,
     COMPAT_OWN,
     {"{}", "{}", "{id:string}"}},
    {"secrets",
     ATTRS("\"p\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
           "\"l\":{\"type\":[\"set\",\"string\"],\"optional\":true,\"sensitive\":true},"
           "\"m\":{\"type\":[\"map\",\"string\"],\"optional\":true,\"sensitive\":true},"
           "\"out\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}"),
     NULL,
     COMPAT_OWN,
     {"{lSecretRef:list(secretkey) mSecretRef:secret pSecretRef:secretkey}",
      "{lSecretRef:list(secretkey) mSecretRef:secret pSecretRef:secretkey}", "{id:string}"}},
    {"an argument of the provider's configuration",
     ATTRS("\"a\":{\"type\":\"string\",\"optional\":true}"),
     "provider: x\nresources:\n  \"*\":\n    provider_arguments: {region: required, zone: optional}\n",
     COMPAT_OWN,
     {"{a:string region!:string zone:string}", "{a:string}", "{a:string id:string}"}},
    {"an argument of the provider's configuration that is an output here",
     ATTRS("\"region\":{\"type\":\"string\",\"computed\":true}"),
     "provider: x\nresources:\n  \"*\":\n    provider_arguments: {region: required}\n",
     COMPAT_OWN,
     {"{region!:string}", "{}", "{id:string region:string}"}},
    {"an argument of the provider's configuration that the resource has by itself",
     ATTRS("\"region\":{\"type\":\"string\",\"optional\":true,\"computed\":true}"),
     "provider: x\nresources:\n  \"*\":\n    provider_arguments: {region: required}\n",
     COMPAT_OWN,
     {"{region!:string}", "{}", "{id:string region:string}"}},
    {"no argument of the provider's configuration",
     ATTRS("\"a\":{\"type\":\"string\",\"optional\":true}"),
     "provider: x\nresources:\n  \"*\":\n    provider_arguments: {region: required}\n  x_*:\n    provider_arguments: {region: "
     "none}\n",
     COMPAT_OWN,
     {"{a:string}", "{a:string}", "{a:string id:string}"}},
    {"secrets that are made up",
     ATTRS("\"p\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}"),
     "provider: x\nresources:\n  \"*\":\n    generated_secrets: {p: auto_generate_password, gone: auto_generate_nothing}\n",
     COMPAT_OWN,
     {"{autoGeneratePassword:bool pSecretRef:secretkey}", "{pSecretRef:secretkey}", "{id:string}"}},
    {"secrets in initProvider, in Upjet",
     ATTRS("\"m\":{\"type\":[\"map\",\"string\"],\"required\":true,\"sensitive\":true}"),
     UPJET,
     COMPAT_UPJET_EXACT,
     {"{mSecretRef:secret}", "{mSecretRef!:map(string)}", "{id:string}"}},
    {"secrets of any shape",
     ATTRS("\"n\":{\"type\":\"number\",\"optional\":true,\"sensitive\":true},"
           "\"o\":{\"type\":[\"list\",[\"object\",{\"k\":\"string\"}]],\"optional\":true,\"sensitive\":true}"),
     NULL,
     COMPAT_OWN,
     {"{nSecretRef:secretkey(json) oSecretRef:secretkey(json)}", NULL, "{id:string}"}},
    {"an object of secrets shows its parameters in the status",
     BLOCK("r", "list", "", ATTRS("\"k\":{\"type\":\"string\",\"required\":true,\"sensitive\":true}")),
     UPJET,
     COMPAT_OWN,
     {"{r:list({kSecretRef:secretkey})}", "{r:list({kSecretRef!:secretkey})}", "{id:string r:list({kSecretRef:secretkey})}"}},
    {"identifiers at any depth",
     "{\"attributes\":{\"region\":{\"type\":\"string\",\"required\":true}},\"block_types\":{\"r\":{\"nesting_mode\":\"list\","
     "\"block\":" ATTRS("\"region\":{\"type\":\"string\",\"required\":true},\"x\":{\"type\":\"string\",\"optional\":true}") "}}}",
     "provider: x\nresources:\n  x_*:\n    identifiers: [region]\n",
     COMPAT_OWN,
     {"{r:list({region!:string x:string}) region!:string}", "{r:list({x:string})}", NULL}},
    {"nested required without initProvider",
     BLOCK("r", "list", "", ATTRS("\"k\":{\"type\":\"string\",\"required\":true}")),
     "provider: x\ninit_provider: false\n",
     COMPAT_OWN,
     {"{r:list({k!:string})}", NULL, NULL}},
    {"references",
     ATTRS("\"vpc_id\":{\"type\":\"string\",\"required\":true},\"ids\":{\"type\":[\"list\",\"string\"],\"optional\":true}"),
     "provider: x\nresources:\n  x_*:\n    references:\n      vpc_id: x_vpc\n      ids: {to: x_y, ref: OtherRefs}\n",
     COMPAT_OWN,
     {"{ids:list(string) idsSelector:selector otherRefs:list(ref) vpcId:string vpcIdRef:ref vpcIdSelector:selector}",
      "{ids:list(string) idsSelector:selector otherRefs:list(ref) vpcId:string vpcIdRef:ref vpcIdSelector:selector}",
      "{id:string ids:list(string) vpcId:string}"}},
    {"moved to the status with all that is in it",
     BLOCK(
         "r", "list", "",
         ATTRS("\"k\":{\"type\":\"string\",\"optional\":true},\"s\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}")),
     "provider: x\nresources:\n  x_*:\n    status_only: [r]\n",
     COMPAT_OWN,
     {"{}", "{}", "{id:string r:list({k:string})}"}},
    {"fields by configuration",
     ATTRS("\"a\":{\"type\":\"number\",\"optional\":true},\"b\":{\"type\":\"string\",\"optional\":true},"
           "\"c\":{\"type\":\"string\",\"optional\":true}"),
     "provider: x\nresources:\n  x_*:\n    omit: [c]\n    fields:\n      a: {type: integer}\n      b: {name: bee}\n"
     "    add:\n      forProvider:\n        extra: {type: boolean}\n",
     COMPAT_OWN,
     {"{a:integer bee:string extra:raw}", "{a:integer bee:string}", "{a:integer bee:string id:string}"}},
    {"merging by a key",
     BLOCK("r", "list", "", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}")),
     "provider: x\nresources:\n  x_*:\n    fields:\n      r: {merge: {list_type: map, keys: [index], inject_key: index, "
     "inject_default: default}}\n",
     COMPAT_OWN,
     {"{r:list({index:string k:string})}", NULL, "{id:string r:list({index:string k:string})}"}},
    {"list of lists of objects",
     ATTRS("\"g\":{\"type\":[\"list\",[\"list\",[\"object\",{\"k\":\"string\"}]]],\"optional\":true}"),
     NULL,
     COMPAT_OWN,
     {"{g:list(list({k:string}))}", NULL, "{g:list(list({k:string})) id:string}"}},
    {"list of lists of objects, in Upjet",
     ATTRS("\"g\":{\"type\":[\"list\",[\"list\",[\"object\",{\"k\":\"string\"}]]],\"optional\":true}"),
     NULL,
     COMPAT_UPJET_EXACT,
     {"{g:list(list({k:string}))}", NULL, "{g:list({k:string}) id:string}"}},
};

static void shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct testing_kind t = testing_build(a, cases[i].block, cases[i].yaml, cases[i].compat);
        testing_no_errors(&t.diags);
        assert_int_equal(t.result, MODEL_OK);
        for (int tree = 0; tree < N_TREES; tree++) {
            const char *got = testing_dump(a, &t.kind, (enum xp_tree_name)tree);
            if (cases[i].trees[tree] && strcmp(got, cases[i].trees[tree]) != 0)
                fail_msg("%s, %s: got %s, expected %s", cases[i].name, xp_tree_names[tree], got, cases[i].trees[tree]);
        }
    }
}

static void rules(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct testing_kind t = testing_build(
        a,
        ATTRS("\"namespace\":{\"type\":\"string\",\"required\":true},\"password\":{\"type\":\"string\",\"required\":true,"
              "\"sensitive\":true},\"o\":{\"type\":\"string\",\"optional\":true},\"m\":{\"type\":\"string\",\"optional\":true},"
              "\"ref\":{\"type\":\"string\",\"required\":true},\"2fa\":{\"type\":\"string\",\"required\":true}"),
        "provider: x\nresources:\n  x_*:\n    required: [m]\n    references: {ref: x_y}\n", COMPAT_OWN);
    testing_no_errors(&t.diags);
    assert_int_equal(t.kind.n_rules, 3);
    assert_true(str_eqz(t.kind.rules[0].json, "m") && t.kind.rules[0].init);
    assert_true(str_eqz(t.kind.rules[1].in_cel, "__namespace__") && t.kind.rules[1].init);
    assert_true(str_eqz(t.kind.rules[2].json, "passwordSecretRef") && !t.kind.rules[2].init);
    assert_int_equal(t.notes.n, 1); /* 2fa */
    assert_true(str_eqz(t.notes.v[0].path, "2fa"));
}

static void secrets(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct testing_kind t = testing_build(
        a,
        "{\"attributes\":{\"key\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}},\"block_types\":{\"one\":{"
        "\"nesting_mode\":\"list\",\"max_items\":1,\"block\":" BLOCK(
            "many", "list", "", ATTRS("\"pw\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}")) "}}}",
        NULL, COMPAT_OWN);
    testing_no_errors(&t.diags);
    assert_int_equal(t.kind.n_secrets, 2);
    assert_string_equal(t.kind.secrets[0].terraform.p, "key");
    assert_string_equal(t.kind.secrets[0].object.p, "status.atProvider.key");
    assert_true(t.kind.secrets[0].output);
    assert_string_equal(t.kind.secrets[1].terraform.p, "one[*].many[*].pw");
    assert_string_equal(t.kind.secrets[1].object.p, "one.many[*].pwSecretRef");
}

static void two_fields_of_one_name(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct testing_kind t = testing_build(
        a,
        BLOCK("r", "list", "",
              ATTRS("\"a_b\":{\"type\":\"string\",\"optional\":true},\"a__b\":{\"type\":\"string\",\"optional\":true}")),
        NULL, COMPAT_OWN);
    assert_int_equal(t.result, MODEL_FAILED);
    testing_says(&t.diags, "r.a_b");
    testing_says(&t.diags, "r.a__b");
    testing_says(&t.diags, "\"aB\"");
    t = testing_build(a,
                      ATTRS("\"p\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},\"p_secret_ref\":{\"type\":"
                            "\"string\",\"optional\":true}"),
                      NULL, COMPAT_OWN);
    assert_int_equal(t.result, MODEL_FAILED);
    testing_says(&t.diags, "the secret reference of p");
    testing_says(&t.diags, "p_secret_ref");
}

static void what_upjet_refuses(void **state)
{
    (void)state;
    static const char *const blocks[] = {
        ATTRS("\"t\":{\"type\":[\"tuple\",[\"string\"]],\"optional\":true}"),
        BLOCK("t", "group", "", "{}"),
        ATTRS("\"t\":{\"type\":\"number\",\"optional\":true,\"sensitive\":true}"),
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct testing_kind t = testing_build(a, blocks[i], NULL, COMPAT_UPJET_EXACT);
        assert_int_equal(t.result, MODEL_REFUSED);
        assert_int_equal(t.notes.n, 1);
        assert_int_equal(t.notes.v[0].kind, NOTE_REFUSED);
        t = testing_build(a, blocks[i], NULL, COMPAT_OWN);
        assert_int_equal(t.result, MODEL_OK);
        assert_int_equal(t.notes.n, 1);
        assert_int_equal(t.notes.v[0].kind, NOTE_REPRESENTED);
    }
}

static void immutable_fields(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *block = BLOCK("r", "list", "", ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}"));
    struct testing_kind t = testing_build(a, block, "provider: x\nresources:\n  x_*:\n    immutable: [r.k]\n", COMPAT_OWN);
    assert_int_equal(t.result, MODEL_FAILED);
    t = testing_build(a, ATTRS("\"k\":{\"type\":\"string\",\"optional\":true}"),
                      "provider: x\nresources:\n  x_*:\n    immutable: [k]\n", COMPAT_OWN);
    testing_no_errors(&t.diags);
    assert_true(t.kind.trees[FOR_PROVIDER].v[0].immutable);
}

/* The id may be an argument, arguments are always required, and there is no initProvider. */
static void data_sources(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *block = ATTRS("\"id\":{\"type\":\"string\",\"optional\":true,\"computed\":true},"
                              "\"need\":{\"type\":\"string\",\"required\":true},"
                              "\"seen\":{\"type\":\"string\",\"computed\":true}");
    struct testing_kind t = testing_build_type(a, STR("data.x_thing_kind"), block, NULL, COMPAT_OWN);
    testing_no_errors(&t.diags);
    assert_true(t.kind.data_source && !t.kind.has_init);
    assert_string_equal(t.kind.kind.p, "KindDataSource");
    assert_string_equal(t.kind.plural.p, "kinddatasources");
    assert_string_equal(testing_dump(a, &t.kind, FOR_PROVIDER), "{id:string need!:string}");
    assert_string_equal(testing_dump(a, &t.kind, AT_PROVIDER), "{id:string need:string seen:string}");
    assert_int_equal(t.kind.trees[INIT_PROVIDER].n, 0);
    assert_int_equal(t.kind.n_rules, 0);
    t = testing_build_type(a, STR("data.x_thing_kind"), block,
                           "provider: x\nresources:\n  data.x_*: {kind: Look}\n  x_*: {kind: Other}\n", COMPAT_OWN);
    assert_string_equal(t.kind.kind.p, "Look");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(rules),
        cmocka_unit_test(secrets),
        cmocka_unit_test(two_fields_of_one_name),
        cmocka_unit_test(what_upjet_refuses),
        cmocka_unit_test(immutable_fields),
        cmocka_unit_test(data_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
