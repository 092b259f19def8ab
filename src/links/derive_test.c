/* The places of relationshipRef in a schema, and the resulting rules. */
#include "links/derive.h"

#include "links/testing_links.h"

/* Names of the test: types in lower case, properties in lower case, "Secret" has none. */
static struct str lower(struct arena *a, struct str s, const char *prefix)
{
    char *out = arena_alloc(a, s.n + 1, 1);
    for (size_t i = 0; i < s.n; i++)
        out[i] = s.p[i] == ':' ? '_' : (char)(s.p[i] | (s.p[i] >= 'A' && s.p[i] <= 'Z' ? 0x20 : 0));
    return arena_printf(a, "%s" STR_FMT, prefix, STR_ARG(((struct str){out, s.n})));
}

static struct str name_type(void *ctx, struct arena *a, struct str cf)
{
    (void)ctx;
    return str_starts(cf, STR("A:")) ? lower(a, cf, "") : STR_EMPTY;
}

static struct str name_property(void *ctx, struct arena *a, struct str cf, struct str name, bool top)
{
    (void)ctx;
    (void)cf;
    return str_eqz(name, "Secret") ? STR_EMPTY : lower(a, name, top && str_eqz(name, "Id") ? "own_" : "");
}

#define REF(type, property) "{\"relationshipRef\":{\"typeName\":\"" type "\",\"propertyPath\":\"/properties/" property "\"}}"

static const struct {
    const char *properties, *definitions, *rules;
    size_t n_skipped;
} cases[] = {
    {"\"VpcId\":" REF("A:Vpc", "Id"), "", "a_x vpcid -> a_vpc.own_id\n", 0},
    {"\"Vpcs\":{\"type\":\"array\",\"items\":" REF("A:Vpc", "VpcId") "}", "", "a_x vpcs[] -> a_vpc.vpcid\n", 0},
    {"\"K\":{\"anyOf\":[" REF("A:Key", "Arn") "," REF("A:Key", "Id") "," REF("A:Alias", "Id") "]}", "",
     "a_x k -> a_key.arn\na_x k -> a_key.own_id\na_x k -> a_alias.own_id\n", 0},
    {"\"K\":{\"oneOf\":[" REF("A:Key", "Arn") "]},\"L\":{\"allOf\":[" REF("A:Key", "Arn") "]}", "",
     "a_x k -> a_key.arn\na_x l -> a_key.arn\n", 0},
    {"\"C\":{\"$ref\":\"#/definitions/D\"}", "\"D\":{\"properties\":{\"Id\":" REF("A:Vpc", "A/B") "}}", "a_x c.id -> a_vpc.a.b\n",
     0},
    {"\"C\":{\"items\":{\"$ref\":\"#/definitions/D\"}}", "\"D\":{\"properties\":{\"V\":" REF("A:Vpc", "L/*/B") "}}",
     "a_x c[].v -> a_vpc.l[].b\n", 0},
    {"\"M\":{\"patternProperties\":{\".*\":{\"properties\":{\"V\":" REF("A:Vpc", "Arn") "}}}}", "", "a_x m{}.v -> a_vpc.arn\n",
     0},
    {"\"C\":{\"$ref\":\"#/definitions/D\"}",
     "\"D\":{\"properties\":{\"Again\":{\"$ref\":\"#/definitions/D\"},\"V\":" REF("A:Vpc", "Arn") "}}", "a_x c.v -> a_vpc.arn\n",
     0},
    {"\"R\":" REF("A:Vpc", "Arn") ",\"Rest\":" REF("A:Vpc", "Arn"), "", "a_x rest -> a_vpc.arn\n", 0},
    {"\"S\":{\"properties\":{\"T\":" REF("A:Vpc", "Arn") ",\"U\":" REF("A:Vpc", "Arn") "}}", "", "a_x s.u -> a_vpc.arn\n", 0},
    {"\"V\":" REF("B:Vpc", "Arn"), "", "", 1},
    {"\"V\":" REF("A:Vpc", "Secret"), "", "", 1},
    {"\"Secret\":" REF("A:Vpc", "Arn"), "", "", 0},
    {"\"V\":{\"relationshipRef\":7}", "", "", 1},
    {"\"V\":{\"relationshipRef\":{\"typeName\":\"A:Vpc\",\"propertyPath\":\"Arn\"}}", "", "", 1},
    {"\"C\":{\"$ref\":\"#/definitions/Gone\"},\"D\":{\"$ref\":\"elsewhere\"},\"E\":7", "", "", 0},
};

static const struct link_derive_names names = {NULL, name_type, name_property};

static void references(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct diags diags;
        struct link_table t;
        struct link_derived d = {0};
        diags_init(&diags, testing_arena);
        links_init(&t, testing_arena);
        struct str text = arena_printf(testing_arena,
                                       "{\"typeName\":\"A:X\",\"properties\":{%s},\"definitions\":{%s},\"readOnlyProperties\":["
                                       "\"/properties/R\",\"/properties/S/T\",7],\"anyOf\":["
                                       "{\"required\":[\"A\"]}]}",
                                       cases[i].properties, cases[i].definitions);
        const struct json *schema = json_parse(testing_arena, text, "s", &diags);
        testing_no_errors(&diags);
        assert_true(links_derive(&t, schema, "s", &names, &diags, &d));
        struct str written = testing_written(testing_arena, &t);
        if (!str_eqz(written, cases[i].rules) || d.n_skipped != cases[i].n_skipped)
            fail_msg("%s: " STR_FMT "(%zu)", cases[i].properties, STR_ARG(written), d.n_skipped);
    }
}

static bool derive_text(struct str text, struct diags *diags)
{
    struct link_table t;
    struct link_derived d;
    diags_init(diags, testing_arena);
    links_init(&t, testing_arena);
    return links_derive(&t, json_parse(testing_arena, text, "s", diags), "s", &names, diags, &d);
}

static void no_schemas(void **state)
{
    (void)state;
    struct diags diags;
    assert_false(derive_text(STR("7"), &diags));
    assert_false(derive_text(STR("{\"typeName\":\"A:X\"}"), &diags));
    assert_true(derive_text(STR("{\"typeName\":\"B:X\",\"properties\":{}}"), &diags));
}

/* Each definition refers to the next one twice. */
static void doubling_ends(void **state)
{
    (void)state;
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct diags diags;
    buf_addz(&text, "{\"typeName\":\"A:X\",\"properties\":{\"A\":{\"$ref\":\"#/definitions/D0\"}},\"definitions\":{");
    for (int i = 0; i < 40; i++)
        buf_printf(&text,
                   "%s\"D%d\":{\"properties\":{\"L\":{\"$ref\":\"#/definitions/D%d\"},\"R\":{\"$ref\":\"#/definitions/D%d\"}}}",
                   i > 0 ? "," : "", i, i + 1, i + 1);
    buf_addz(&text, "}}");
    assert_false(derive_text(buf_str(&text), &diags));
    assert_non_null(strstr(diags.v[0].detail.p, "more than"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(no_schemas),
        cmocka_unit_test(doubling_ends),
    };
    return cmocka_run_group_tests(tests, testing_begin, testing_end);
}
