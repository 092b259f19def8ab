/* Checks one line of the output for each rule. tests/scenario checks the whole with Go's own tools. */
#include "crossplane/testing_crossplane.h"
#include "generate/go_types_private.h"

#include <unistd.h>

static void identifiers(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"SubnetID", "SubnetID"},   {"eBPFMap", "EBPFMap"}, {"2Fa", "X2Fa"},         {"", "X"},
        {"\xC3\xA9t\xC3\xA9", "T"}, {"a-b.c", "Abc"},       {"_hidden", "X_hidden"}, {"A_2", "A_2"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_string_equal(arena_str(a, go_identifier(a, str_of(table[i][0]))).p, table[i][1]);
}

static const char *commented(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    go_comment(&out, text);
    return buf_copy(&out, a).p;
}

static void comments(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        const char *comment;
    } table[] = {
        {STR(""), ""},
        {STR(" \n "), ""},
        {STR("One.\nTwo.  "), "\t// One.\n\t// Two.\n"},
        {STR("One.\r\n\r\nTwo.\n"), "\t// One.\n\t//\n\t// Two.\n"},
        {STR("+optional\n  + item\na + b"), "\t// \\+optional\n\t//   \\+ item\n\t// a + b\n"},
        {STR("a\0b\tc\x0c\xEF\xBB\xBF\xC3\xA9"), "\t// a b c \xC3\xA9\n"},
        {STR("Text.\nDeprecated: use b"), "\t// Text.\n\t//\n\t// Deprecated: use b\n"},
        {STR("Deprecated."), "\t// Deprecated: no reason is given.\n"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_string_equal(commented(a, table[i].text), table[i].comment);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    go_sentence(&out, STR("A\n\n# ``b''\t \xEF\xBB\xBF`c`"));
    assert_string_equal(buf_copy(&out, a).p, "A # `b' `c`");
}

static void tags(void **state)
{
    (void)state;
    assert_true(go_is_tag(STR("subnetId")) && go_is_tag(STR("a.b-c/d")));
    assert_false(go_is_tag(STR("")) || go_is_tag(STR("-")) || go_is_tag(STR("a,b")) || go_is_tag(STR("a\"b")) ||
                 go_is_tag(STR("a`b")) || go_is_tag(STR("a\\b")) || go_is_tag(STR("a b")) || go_is_tag(STR("\xC3\xA9")));
}

/* --- whole kinds --- */

struct written {
    const char *types, *copies;
};

static struct written write_kind(struct arena *a, const char *block, const char *yaml, enum xp_flavour flavour,
                                 const struct map *kinds)
{
    struct testing_kind t = testing_build(a, block, yaml, COMPAT_OWN);
    testing_no_errors(&t.diags);
    struct go_kind k = {.arena = a, .kind = &t.kind, .flavour = flavour, .kinds = kinds, .name = t.kind.kind};
    map_init(&k.by_body, a);
    map_init(&k.by_name, a);
    go_classes_find(&k);
    assert_int_equal(k.bad_field.n, 0);
    struct buf types BUF_AUTO = BUF_INIT(TESTING_MAX), copies BUF_AUTO = BUF_INIT(TESTING_MAX);
    go_classes_write(&types, &k);
    go_deepcopy_write(&copies, &k);
    return (struct written){buf_copy(&types, a).p, buf_copy(&copies, a).p};
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

/* {"attributes":{"NAME":{"optional":true,REST}}} */
#define ATTRIBUTE(name, rest) "{\"attributes\":{\"" name "\":{\"optional\":true," rest "}}}"
#define NESTED(mode, name, attributes)                                                                                           \
    ATTRIBUTE(name, "\"nested_type\":{\"nesting_mode\":\"" mode "\",\"attributes\":{" attributes "}}")

static void fields(void **state)
{
    (void)state;
    static const struct {
        const char *block, *yaml;
        enum xp_flavour flavour;
        const char *line;
    } table[] = {
        {ATTRIBUTE("vpc_id", "\"type\":\"string\""), NULL, FLAVOUR_CLUSTER,
         "\t// +kubebuilder:validation:Optional\n\tVPCID *string `json:\"vpcId,omitempty\" tf:\"vpc_id,omitempty\"`\n"},
        {ATTRIBUTE("size", "\"type\":\"number\""), NULL, FLAVOUR_CLUSTER, "\tSize *float64 `"},
        {ATTRIBUTE("size", "\"type\":\"number\""), "provider: x\nresources: {x_thing_kind: {fields: {size: {type: integer}}}}",
         FLAVOUR_CLUSTER, "\tSize *int64 `"},
        {ATTRIBUTE("on", "\"type\":\"bool\""), NULL, FLAVOUR_CLUSTER, "\tOn *bool `"},
        {ATTRIBUTE("any", "\"type\":\"dynamic\""), NULL, FLAVOUR_CLUSTER, "\tAny *extv1.JSON `"},
        {ATTRIBUTE("anys", "\"type\":[\"list\",\"dynamic\"]"), NULL, FLAVOUR_CLUSTER, "\tAnys []extv1.JSON `"},
        {ATTRIBUTE("names", "\"type\":[\"list\",\"string\"]"), NULL, FLAVOUR_CLUSTER, "Optional\n\tNames []*string `"},
        {ATTRIBUTE("names", "\"type\":[\"set\",\"string\"]"), NULL, FLAVOUR_CLUSTER, "\t// +listType=set\n\tNames []*string `"},
        {ATTRIBUTE("tags", "\"type\":[\"map\",\"string\"]"), NULL, FLAVOUR_CLUSTER,
         "\t// +mapType=granular\n\tTags map[string]*string `"},
        {ATTRIBUTE("deep", "\"type\":[\"list\",[\"map\",[\"set\",\"bool\"]]]"), NULL, FLAVOUR_CLUSTER,
         "\tDeep []map[string][]*bool `"},
        {ATTRIBUTE("rows", "\"type\":[\"list\",[\"object\",{\"a\":\"string\"}]]"), NULL, FLAVOUR_CLUSTER,
         "\tRows []Kind_RowsParameters `json:\"rows,omitempty\" tf:\"rows\"`\n"},
        {NESTED("single", "one", "\"a\":{\"type\":\"string\",\"optional\":true}"), NULL, FLAVOUR_CLUSTER,
         "\tOne *Kind_OneParameters `json:\"one,omitempty\" tf:\"one,omitempty\"`\n"},
        {NESTED("map", "many", "\"a\":{\"type\":\"string\",\"optional\":true}"), NULL, FLAVOUR_CLUSTER,
         "\tMany map[string]Kind_ManyParameters `"},
        {ATTRIBUTE("password", "\"type\":\"string\",\"sensitive\":true"), NULL, FLAVOUR_CLUSTER,
         "\tPasswordSecretRef *xpv2.SecretKeySelector `json:\"passwordSecretRef,omitempty\" tf:\"-\"`\n"},
        {ATTRIBUTE("password", "\"type\":\"string\",\"sensitive\":true"), NULL, FLAVOUR_NAMESPACED,
         "\tPasswordSecretRef *xpv2.LocalSecretKeySelector `"},
        {ATTRIBUTE("keys", "\"type\":[\"list\",\"string\"],\"sensitive\":true"), NULL, FLAVOUR_CLUSTER,
         "\tKeysSecretRef []xpv2.SecretKeySelector `"},
        {ATTRIBUTE("all", "\"type\":[\"map\",\"string\"],\"sensitive\":true"), NULL, FLAVOUR_NAMESPACED,
         "\tAllSecretRef *xpv2.LocalSecretReference `"},
        {"{\"attributes\":{\"token\":{\"required\":true,\"sensitive\":true,\"type\":\"string\"}}}", "provider: x\ncompat: upjet",
         FLAVOUR_CLUSTER,
         "\t// +kubebuilder:validation:Required\n\tTokenSecretRef xpv2.SecretKeySelector `json:\"tokenSecretRef\" tf:\"-\"`\n"},
        {ATTRIBUTE("net_id", "\"type\":\"string\""), "provider: x\nresources: {x_thing_kind: {references: {net_id: x_net}}}",
         FLAVOUR_CLUSTER, "\tNetIDRef *xpv2.Reference `json:\"netIdRef,omitempty\" tf:\"-\"`\n"},
        {ATTRIBUTE("net_ids", "\"type\":[\"set\",\"string\"]"),
         "provider: x\nresources: {x_thing_kind: {references: {net_ids: x_net}}}", FLAVOUR_NAMESPACED,
         "\tNetIdsRefs []xpv2.NamespacedReference `"},
        {ATTRIBUTE("net_id", "\"type\":\"string\""), "provider: x\nresources: {x_thing_kind: {references: {net_id: x_net}}}",
         FLAVOUR_NAMESPACED, "\tNetIDSelector *xpv2.NamespacedSelector `"},
        {"{\"attributes\":{\"zone\":{\"required\":true,\"type\":\"string\"}}}",
         "provider: x\nresources: {x_thing_kind: {identifiers: [zone]}}", FLAVOUR_CLUSTER,
         "\t// +kubebuilder:validation:Required\n\tZone *string `json:\"zone\" tf:\"zone,omitempty\"`\n"},
        {ATTRIBUTE("zone", "\"type\":\"string\""), "provider: x\nresources: {x_thing_kind: {fields: {zone: {immutable: true}}}}",
         FLAVOUR_CLUSTER, "XValidation:rule=\"self == oldSelf\",message=\"cannot be changed once it is set\"\n\tZone *string"},
        {ATTRIBUTE("deep_copy", "\"type\":\"string\""), NULL, FLAVOUR_CLUSTER, "\tDeepCopy_ *string `json:\"deepCopy,"},
        {"{\"attributes\":{\"db_id\":{\"optional\":true,\"type\":\"string\"},\"d_b_id\":{\"optional\":true,\"type\":\"bool\"}}}",
         NULL, FLAVOUR_CLUSTER, "\tDBID_2 *string `json:\"dbId,"},
        {ATTRIBUTE("a", "\"type\":\"string\""),
         "provider: x\nresources: {x_thing_kind: {add: {forProvider: {b: {type: array, items: {type: integer}, description: "
         "Added.}}}}}",
         FLAVOUR_CLUSTER, "\t// Added.\n\t// +kubebuilder:validation:Optional\n\tB []*int64 `json:\"b,omitempty\" tf:\"-\"`\n"},
        {ATTRIBUTE("a", "\"type\":\"string\""),
         "provider: x\nresources: {x_thing_kind: {add: {forProvider: {b: {type: object}}}}}", FLAVOUR_CLUSTER,
         "\tB *extv1.JSON `"},
        {NESTED("list", "rule", "\"a\":{\"type\":\"string\",\"optional\":true}"),
         "provider: x\nresources: {x_thing_kind: {fields: {rule: {merge: {list_type: map, keys: [i], inject_key: i, "
         "inject_default: \"0\"}}}}}",
         FLAVOUR_CLUSTER, "\t// +kubebuilder:default:=\"0\"\n\tI *string `json:\"i,omitempty\" tf:\"-\"`\n"},
        {NESTED("list", "rule", "\"a\":{\"type\":\"string\",\"optional\":true}"),
         "provider: x\nresources: {x_thing_kind: {fields: {rule: {merge: {list_type: map, keys: [a]}}}}}", FLAVOUR_CLUSTER,
         "\t// +listType=map\n\t// +listMapKey=a\n\tRule []"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        has(write_kind(a, table[i].block, table[i].yaml, table[i].flavour, NULL).types, table[i].line);
    }
}

static void copying(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {ATTRIBUTE("a", "\"type\":\"string\""),
         "\tif in.A != nil {\n\t\tin, out := &in.A, &out.A\n\t\t*out = new(string)\n\t\t**out = **in\n\t}\n"},
        {ATTRIBUTE("a", "\"type\":\"dynamic\""), "\t\t*out = new(extv1.JSON)\n\t\t(*in).DeepCopyInto(*out)\n"},
        {ATTRIBUTE("a", "\"type\":[\"list\",\"dynamic\"]"),
         "\t\t*out = make([]extv1.JSON, len(*in))\n\t\tfor i := range *in {\n\t\t\t(*in)[i].DeepCopyInto(&(*out)[i])\n"},
        {ATTRIBUTE("a", "\"type\":[\"map\",\"dynamic\"]"), "\t\t\t(*out)[key] = *val.DeepCopy()\n"},
        {ATTRIBUTE("a", "\"type\":[\"list\",\"string\"],\"sensitive\":true"),
         "LocalSecretKeySelector, len(*in))\n\t\tcopy(*out, *in)\n"},
        {NESTED("map", "a", ""), "\t\t\t(*out)[key] = val\n"},
        {NESTED("single", "a", ""), "\t\t*out = new(Kind_AParameters)\n\t\t**out = **in\n"},
        {ATTRIBUTE("a", "\"type\":[\"list\",[\"list\",\"bool\"]]"),
         "\t\t\tif (*in)[i] != nil {\n\t\t\t\tin, out := &(*in)[i], &(*out)[i]\n\t\t\t\t*out = make([]*bool, len(*in))\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        has(write_kind(a, table[i][0], NULL, FLAVOUR_NAMESPACED, NULL).copies, table[i][1]);
    }
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

#define OBJECT(name, attributes)                                                                                                 \
    "\"" name "\":{\"optional\":true,\"nested_type\":{\"nesting_mode\":\"single\",\"attributes\":{" attributes "}}}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\",\"optional\":true}"

/* Attributes with the same name and content share a struct, named after the uppermost. */
static void structs_are_shared(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *types =
        write_kind(a,
                   "{\"attributes\":{" OBJECT("deep", OBJECT("match", TEXT("x")) "," OBJECT("other", TEXT("x"))) "," OBJECT(
                       "match", TEXT("x")) "," OBJECT("not", OBJECT("match", TEXT("y"))) "}}",
                   NULL, FLAVOUR_CLUSTER, NULL)
            .types;
    assert_int_equal(count(types, "*Kind_MatchParameters `"), 2);
    assert_int_equal(count(types, "type Kind_MatchParameters struct"), 1);
    assert_int_equal(count(types, "type Kind_DeepMatchParameters struct"), 0);
    assert_int_equal(count(types, "type Kind_DeepOtherParameters struct"), 1);
    assert_int_equal(count(types, "type Kind_NotMatchParameters struct"), 1);
}

/* Conflicts between two paths, and with the names of other kinds. */
static void names_are_unique(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map kinds;
    map_init(&kinds, a);
    map_put(&kinds, STR("thing/KindStatus"), &kinds);
    map_put(&kinds, STR("thing/KindInit"), &kinds);
    map_put(&kinds, STR("other/KindSpec"), &kinds);
    struct written w =
        write_kind(a, "{\"attributes\":{" OBJECT("a", OBJECT("b_c", TEXT("x"))) "," OBJECT("a_b", OBJECT("c", TEXT("y"))) "}}",
                   NULL, FLAVOUR_CLUSTER, &kinds);
    has(w.types, "type Kind_ABCParameters struct");
    has(w.types, "type Kind_ABCParameters_2 struct");
    has(w.types, "type Kind_InitParameters struct");
    has(w.copies, "func (in *Kind_Status) DeepCopy()");
    has(w.copies, "func (in *KindSpec) DeepCopy()");
}

/* --- files --- */

static const char *new_folder(struct arena *a)
{
    const char *base = getenv("TMPDIR");
    struct str path = arena_printf(a, "%s/terrane-go-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp((char *)path.p));
    return path.p;
}

struct run {
    struct go_types *go;
    struct output out;
    struct diags diags;
};

static struct run *start(struct arena *a)
{
    struct run *r = arena_make(a, struct run);
    diags_init(&r->diags, a);
    output_init(&r->out, a, new_folder(a));
    r->go = go_types_new(a, STR("x"), NULL);
    return r;
}

/* Names that cannot come from a configuration, but from a resource type; NULL: unchanged. */
struct odd_names {
    const char *group, *version;
};

static bool add(struct arena *a, struct run *r, const char *block, const char *yaml, struct odd_names odd)
{
    struct testing_kind t = testing_build(a, block, yaml, COMPAT_OWN);
    testing_no_errors(&t.diags);
    if (odd.group)
        t.kind.group = str_of(odd.group);
    if (odd.version)
        t.kind.version = str_of(odd.version);
    return go_types_add(r->go, &t.kind, FLAVOUR_CLUSTER, &r->out, &r->diags);
}

static void end(struct run *r)
{
    output_discard(&r->out);
    (void)rmdir(r->out.folder);
}

static void paths(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *path;
        struct odd_names odd;
    } table[] = {
        {"provider: x\nversion: v1beta1", "go/cluster/thing/v1beta1/zz_kind_types.go", {0}},
        {"provider: x\nresources: {x_thing_kind: {group: \"\"}}", "go/cluster/v1alpha1/zz_kind_types.go", {0}},
        {"provider: x\nresources: {x_thing_kind: {group: internal}}", "go/cluster/internal_/v1alpha1/zz_kind_types.go", {0}},
        {"provider: x", "go/cluster/x.._/v1a/zz_kind_types.go", {"..", "1-A"}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct run *r = start(a);
        assert_true(add(a, r, ATTRIBUTE("a", "\"type\":\"string\""), table[i].yaml, table[i].odd));
        assert_string_equal(r->out.files.v[0].path.p, table[i].path);
        assert_true(go_types_finish(r->go, &r->out, &r->diags));
        assert_int_equal(r->out.files.n, 5);
        end(r);
    }
}

static void what_go_cannot_have(void **state)
{
    (void)state;
    static const struct {
        const char *block, *yaml, *says;
        struct odd_names odd;
    } table[] = {
        {ATTRIBUTE("a", "\"type\":\"string\""),
         "provider: x\nresources: {x_thing_kind: {fields: {a: {name: 'b\"c'}}}}",
         "x_thing_kind: \"b\"c\" cannot be written in a Go type",
         {0}},
        {ATTRIBUTE("a", "\"type\":\"string\""),
         "provider: x",
         "x_thing_kind: \"a\"b.x.terrane.dev\" has characters",
         {"a\"b", NULL}},
        {ATTRIBUTE("a", "\"type\":\"string\""), "provider: x", "\"a/b\" has characters", {NULL, "a/b"}},
        {ATTRIBUTE("a", "\"type\":\"string\""), "provider: x", "x_thing_kind and x_thing_kind would both be written to", {0}},
        {ATTRIBUTE("a", "\"type\":\"string\""),
         "provider: x",
         "would both be the Go package go/cluster/thing/v1alpha1",
         {NULL, "V1ALPHA1"}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct run *r = start(a);
        assert_true(add(a, r, ATTRIBUTE("a", "\"type\":\"string\""),
                        i == 0 ? "provider: x\nresources: {x_thing_kind: {kind: Other}}" : NULL, (struct odd_names){0}));
        assert_false(add(a, r, table[i].block, table[i].yaml, table[i].odd));
        testing_says(&r->diags, table[i].says);
        end(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers),      cmocka_unit_test(comments), cmocka_unit_test(tags),
        cmocka_unit_test(fields),           cmocka_unit_test(copying),  cmocka_unit_test(structs_are_shared),
        cmocka_unit_test(names_are_unique), cmocka_unit_test(paths),    cmocka_unit_test(what_go_cannot_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
