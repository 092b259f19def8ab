#include "cloudcontrol/plan.h"

#include "change/change.h"
#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)
#define UNKNOWN "{\"$\":\"unknown\"}"

/* --- facts --- */

/* A default with Terraform's names; converting the schema's default is the task of translation. */
static const struct value *partial(struct arena *a, const struct type *t, const struct json *given)
{
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct json *j = json_get_str(given, t->attrs[i].name);
        parts[i] = j && t->attrs[i].type->kind == TYPE_OBJECT ? partial(a, t->attrs[i].type, j)
                                                              : testing_value_of(a, t->attrs[i].type, j);
    }
    return value_object(a, t, parts);
}

static void defaults_fill_unknowns_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "defaults.json", c)
    {
        struct str op = testing_member(c, "op");
        struct cc_node *node = (struct cc_node *)testing_node(a, json_get(c, "type"), &(struct testing_shape){0});
        if (str_eqz(op, "static_strings"))
            continue; /* tested in translate */
        node->default_kind = CC_DEFAULT_FILL;
        node->by_default =
            str_eqz(op, "empty_nested") ? cc_make(a, node, NULL, NULL, 0) : partial(a, node->type, json_get(c, "default"));
        const struct value *plan = testing_value_of(a, node->type, json_get(c, "plan"));
        testing_same(a, cc_plan_fill(node, plan), testing_value_of(a, node->type, json_get(c, "out")));
    }
}

/* A list in an object, so that there is something to plan. */
static const struct value *within(struct arena *a, const struct cc_node *root, const struct json *list)
{
    const struct value *v = testing_value_of(a, root->children[0].type, list);
    return cc_make(a, root, &v, NULL, 1);
}

static void multisets_are_planned_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "multiset.json", c)
    {
        const struct json *pair[] = {
            json_make_string(a, STR("object")),
            json_make_object(a, &(struct json_member){.key = STR("l"), .value = json_get(c, "type")}, 1)};
        const struct cc_node *root = testing_node(a, json_make_array(a, pair, 2), &(struct testing_shape){.order = CC_MULTISET});
        struct cc_plan plan;
        struct cc_plan_input in = {.root = root, .tags_at = SIZE_MAX};
        in.prior = within(a, root, json_get(c, "prior"));
        in.config = in.proposed = within(a, root, json_get(c, "plan"));
        cc_plan(a, &in, &plan);
        testing_same(a, plan.planned, within(a, root, json_get(c, "out")));
    }
}

/* --- plans --- */

static const char things[] =
    "\"definitions\":{\"Rule\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":\"string\"},\"B\":{\"type\":\"string\"},"
    "\"Id\":{\"type\":\"string\"},\"D\":{"
    "\"type\":\"string\",\"default\":\"d\"},\"Kind\":{\"type\":\"string\"}}}},"
    "\"properties\":{\"Name\":{\"type\":\"string\"},\"Title\":{\"type\":\"string\"},\"Arn\":{\"type\":\"string\"},\"Mode\":{"
    "\"type\":\"string\",\"default\":\"auto\"},"
    "\"Type\":{\"type\":\"string\"},\"Place\":{\"type\":\"string\",\"default\":\"here\"},\"Policy\":{\"type\":\"object\"},"
    "\"Seed\":{\"type\":\"string\"},"
    "\"Bag\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}},"
    "\"List\":{\"type\":\"array\",\"default\":[],\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Options\":{\"type\":\"object\",\"default\":{\"A\":\"1\"},\"properties\":{\"A\":{\"type\":\"string\"},\"B\":{\"type\":"
    "\"string\"}}},"
    "\"Rules\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Chain\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Set\":{\"type\":\"array\",\"insertionOrder\":false,\"uniqueItems\":true,\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Named\":{\"type\":\"object\",\"patternProperties\":{\"\":{\"$ref\":\"#/definitions/Rule\"}}},"
    "\"One\":{\"$ref\":\"#/definitions/Rule\"},\"State\":{\"type\":\"string\",\"default\":\"new\"}},"
    "\"required\":[\"Name\"],\"readOnlyProperties\":[\"/properties/Arn\",\"/properties/State\"],"
    "\"createOnlyProperties\":[\"/properties/Name\",\"/properties/Type\",\"/properties/Place\",\"/properties/Policy\",\"/"
    "properties/Seed\",\"/properties/One/Kind\","
    "\"/properties/Chain/*/Kind\",\"/properties/Rules/*/Kind\"],\"writeOnlyProperties\":[\"/properties/Seed\"]";

struct plan_case {
    const char *what, *prior, *config, *planned;
    const char *replace; /* paths, separated by blanks */
};

/* In a new object everything that is not configured becomes unknown. The cases list the relevant parts; `open` has the rest. */
static const struct plan_case creations[] = {
    {"defaults, unknowns", "null", "{\"name\":\"n\"}",
     "{\"name\":\"n\",\"mode\":\"auto\",\"place\":\"here\",\"list\":[],\"options\":{\"a\":\"1\"}}", ""},
    {"what is configured", "null", "{\"name\":\"n\",\"mode\":\"x\",\"bag\":[],\"list\":[{\"a\":\"1\"}]}",
     "{\"name\":\"n\",\"mode\":\"x\",\"place\":\"here\",\"bag\":[],\"list\":[{\"a\":\"1\",\"b\":" UNKNOWN ",\"id\":" UNKNOWN
     ",\"d\":\"d\",\"kind\":" UNKNOWN "}],\"options\":{\"a\":\"1\"}}",
     ""},
    {"what is not known yet", "null", "{\"name\":" UNKNOWN ",\"list\":" UNKNOWN ",\"mode\":" UNKNOWN ",\"options\":" UNKNOWN "}",
     "{\"name\":" UNKNOWN ",\"list\":" UNKNOWN ",\"mode\":" UNKNOWN ",\"place\":\"here\",\"options\":" UNKNOWN "}", ""},
};

#define REST                                                                                                                     \
    "\"arn\":\"x\",\"id\":\"i\",\"mode\":\"auto\",\"list\":[],\"options\":{\"a\":\"1\",\"b\":\"by the "                          \
    "service\"},\"state\":\"old\""
#define FILLED "\"name\":\"n\",\"place\":\"here\"," REST

static const struct plan_case updates[] = {
    {"nothing to do", "{" FILLED "}", "{\"name\":\"n\"}", "{" FILLED "}", ""},
    {"what is not configured stays", "{" FILLED ",\"title\":\"t\",\"one\":{\"a\":\"1\"}}", "{\"name\":\"n\",\"bag\":[\"a\"]}",
     "{" FILLED ",\"title\":\"t\",\"one\":{\"a\":\"1\"},\"bag\":[\"a\"]}", ""},
    {"but what has a default goes back to it", "{\"name\":\"n\",\"mode\":\"x\",\"place\":\"here\"}", "{\"name\":\"n\"}",
     "{\"name\":\"n\",\"mode\":\"auto\",\"place\":\"here\",\"list\":[],\"options\":{\"a\":\"1\"}}", ""},
    {"unless it cannot be changed", "{\"name\":\"n\",\"place\":\"there\"," REST "}", "{\"name\":\"n\"}",
     "{\"name\":\"n\",\"place\":\"there\"," REST "}", ""},
    {"required and create-only", "{" FILLED "}", "{\"name\":\"m\"}", "{\"name\":\"m\",\"place\":\"here\"," REST "}", "name"},
    {"create-only and configured", "{" FILLED ",\"type\":\"a\"}", "{\"name\":\"n\",\"type\":\"b\",\"place\":\"there\"}",
     "{\"name\":\"n\",\"place\":\"there\"," REST ",\"type\":\"b\"}", "place type"},
    {"create-only and not configured any more", "{" FILLED ",\"type\":\"a\"}", "{\"name\":\"n\",\"title\":\"t\"}",
     "{" FILLED ",\"type\":\"a\",\"title\":\"t\"}", ""},
    {"create-only and not known yet", "{" FILLED ",\"type\":\"a\"}", "{\"name\":\"n\",\"type\":" UNKNOWN "}",
     "{" FILLED ",\"type\":" UNKNOWN "}", "type"},
    {"create-only JSON in other words", "{" FILLED ",\"policy\":\"{\\\"a\\\":1}\"}",
     "{\"name\":\"n\",\"policy\":\"{ \\\"a\\\": 1 }\"}", "{" FILLED ",\"policy\":\"{\\\"a\\\":1}\"}", ""},
    {"create-only in an object", "{" FILLED ",\"one\":{\"kind\":\"k\",\"d\":\"d\"}}", "{\"name\":\"n\",\"one\":{\"kind\":\"l\"}}",
     "{" FILLED ",\"one\":{\"kind\":\"l\",\"d\":\"d\"}}", "one.kind"},
    {"... that is new", "{" FILLED "}", "{\"name\":\"n\",\"one\":{\"kind\":\"l\"}}",
     "{" FILLED ",\"one\":{\"kind\":\"l\",\"d\":\"d\",\"a\":" UNKNOWN ",\"b\":" UNKNOWN ",\"id\":" UNKNOWN "}}", "one.kind"},
    {"an unordered list in another order", "{" FILLED ",\"bag\":[\"a\",\"b\",\"a\"]}",
     "{\"name\":\"n\",\"bag\":[\"b\",\"a\",\"a\"]}", "{" FILLED ",\"bag\":[\"a\",\"b\",\"a\"]}", ""},
    {"... with values by the service",
     "{" FILLED
     ",\"rules\":[{\"a\":\"1\",\"b\":\"s1\",\"id\":\"i1\",\"d\":\"d\"},{\"a\":\"2\",\"b\":\"s2\",\"id\":\"i2\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"rules\":[{\"a\":\"2\"},{\"a\":\"1\"}]}",
     "{" FILLED
     ",\"rules\":[{\"a\":\"1\",\"b\":\"s1\",\"id\":\"i1\",\"d\":\"d\"},{\"a\":\"2\",\"b\":\"s2\",\"id\":\"i2\",\"d\":\"d\"}]}",
     ""},
    {"elements take along what is theirs",
     "{" FILLED ",\"chain\":[{\"a\":\"1\",\"id\":\"i1\",\"d\":\"d\"},{\"a\":\"2\",\"id\":\"i2\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"chain\":[{\"a\":\"0\"},{\"a\":\"1\"},{\"a\":\"2\"}]}",
     "{" FILLED ",\"chain\":[{\"a\":\"0\",\"b\":" UNKNOWN ",\"id\":" UNKNOWN ",\"kind\":" UNKNOWN
     ",\"d\":\"d\"},{\"a\":\"1\",\"id\":\"i1\",\"d\":\"d\"},{\"a\":\"2\",\"id\":\"i2\","
     "\"d\":\"d\"}]}",
     ""},
    {"an element that changed where it stands", "{" FILLED ",\"chain\":[{\"a\":\"1\",\"id\":\"i1\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"chain\":[{\"a\":\"2\"}]}", "{" FILLED ",\"chain\":[{\"a\":\"2\",\"id\":\"i1\",\"d\":\"d\"}]}", ""},
    {"... with something create-only in it", "{" FILLED ",\"chain\":[{\"kind\":\"1\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"chain\":[{\"kind\":\"2\"}]}", "{" FILLED ",\"chain\":[{\"kind\":\"2\",\"d\":\"d\"}]}", "chain[0].kind"},
    {"... but not where there is no place", "{" FILLED ",\"rules\":[{\"kind\":\"1\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"rules\":[{\"kind\":\"2\"}]}", "{" FILLED ",\"rules\":[{\"kind\":\"2\",\"d\":\"d\"}]}", ""},
    {"nor for one that is new", "{" FILLED ",\"chain\":[{\"kind\":\"1\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"chain\":[{\"kind\":\"1\"},{\"kind\":\"2\"}]}",
     "{" FILLED ",\"chain\":[{\"kind\":\"1\",\"d\":\"d\"},{\"kind\":\"2\",\"a\":" UNKNOWN ",\"b\":" UNKNOWN ",\"id\":" UNKNOWN
     ",\"d\":\"d\"}]}",
     ""},
    {"sets", "{" FILLED ",\"set\":[{\"a\":\"1\",\"id\":\"i1\",\"d\":\"d\"}]}",
     "{\"name\":\"n\",\"set\":[{\"a\":\"1\"},{\"a\":\"2\"}]}",
     "{" FILLED ",\"set\":[{\"a\":\"1\",\"id\":\"i1\",\"d\":\"d\"},{\"a\":\"2\",\"b\":" UNKNOWN ",\"id\":" UNKNOWN
     ",\"kind\":" UNKNOWN ",\"d\":\"d\"}]}",
     ""},
    {"maps by key", "{" FILLED ",\"named\":{\"x\":{\"a\":\"1\",\"id\":\"i1\",\"d\":\"d\"}}}",
     "{\"name\":\"n\",\"named\":{\"x\":{\"a\":\"2\"}}}", "{" FILLED ",\"named\":{\"x\":{\"a\":\"2\",\"id\":\"i1\",\"d\":\"d\"}}}",
     ""},
    {"an explicit empty list", "{" FILLED ",\"rules\":[{\"a\":\"1\",\"d\":\"d\"}]}", "{\"name\":\"n\",\"rules\":[],\"bag\":[]}",
     "{" FILLED ",\"rules\":[],\"bag\":[]}", ""},
    {"timeouts", "{" FILLED "}", "{\"name\":\"n\",\"timeouts\":{\"create\":\"1h\"}}",
     "{" FILLED ",\"timeouts\":{\"create\":\"1h\"}}", ""},
};

/* Attributes of a new object that are unknown unless a case lists them. */
static const char open[] = "id arn title type policy seed bag rules chain set named one state";

static bool is_word(const char *words, struct str word)
{
    struct str rest = str_of(words);
    while (rest.n > 0)
        if (str_eq(str_cut(&rest, ' '), word))
            return true;
    return false;
}

static const struct value *with_open(struct arena *a, const struct value *v, const char *text)
{
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        bool said = json_get_str(testing_jsonz(a, text), v->type->attrs[i].name) != NULL;
        parts[i] = !said && is_word(open, v->type->attrs[i].name) ? value_unknown(a, v->type->attrs[i].type) : v->elements[i];
    }
    return value_object(a, v->type, parts);
}

static const struct schema_block *schema_of(struct arena *a, const struct cc_type *type)
{
    struct schema_builder *b = schema_builder_new(a);
    const struct schema_block *block = cc_schema_resource(b, type)->block;
    (void)schema_builder_end(b);
    return block;
}

static void check_case(struct arena *a, const struct cc_type *type, const struct plan_case *c, bool create)
{
    const struct type *t = type->root->type;
    const struct schema_block *schema = schema_of(a, type);
    struct change_issues issues = {.arena = a};
    struct cc_plan plan;
    struct cc_plan_input in = {.prior = testing_value(a, t, c->prior), .config = testing_value(a, t, c->config)};
    in.proposed = change_proposed_new(a, schema, in.prior, in.config);
    cc_plan_type(a, type, &in, &plan);
    const struct value *want = testing_value(a, t, c->planned);
    if (create)
        want = with_open(a, want, c->planned);
    if (!value_raw_eq(plan.planned, want))
        fail_msg("%s: got %s, want %s", c->what, testing_value_text(a, plan.planned), testing_value_text(a, want));
    struct buf paths BUF_AUTO = BUF_INIT(1 << 12);
    for (size_t i = 0; i < plan.replace.n; i++)
        buf_printf(&paths, "%s" STR_FMT, i > 0 ? " " : "", STR_ARG(path_text(a, plan.replace.v[i])));
    if (!str_eqz(buf_str(&paths), c->replace))
        fail_msg("%s: replaced for \"" STR_FMT "\", want \"%s\"", c->what, STR_ARG(buf_str(&paths)), c->replace);
    if (!change_check_plan(&issues, schema, in.prior, in.config, plan.planned))
        fail_msg("%s: " STR_FMT, c->what, STR_ARG(change_issue_text(a, STR_EMPTY, &issues.v[0])));
}

static void new_objects_are_planned(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, things);
    for (size_t i = 0; i < sizeof creations / sizeof creations[0]; i++)
        check_case(a, type, &creations[i], true);
}

static void changes_are_planned(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, things);
    for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++)
        check_case(a, type, &updates[i], false);
}

static void an_end_is_an_end(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, things);
    const struct value *none = value_null(a, type->root->type);
    struct cc_plan plan;
    struct cc_plan_input in = {.prior = testing_value(a, none->type, "{" FILLED "}"), .config = none, .proposed = none};
    cc_plan_type(a, type, &in, &plan);
    assert_true(value_is_null(plan.planned));
    assert_int_equal(plan.replace.n, 0);
}

static void what_cannot_be_read_forces_nothing_after_an_import(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, things);
    struct cc_plan plan;
    struct cc_plan_input in = {.prior = testing_value(a, type->root->type, "{" FILLED "}"),
                               .config = testing_value(a, type->root->type, "{\"name\":\"n\",\"seed\":\"s\"}"),
                               .imported = true};
    in.proposed = in.config;
    cc_plan_type(a, type, &in, &plan);
    assert_int_equal(plan.replace.n, 0);
    testing_is(a, plan.planned, "{" FILLED ",\"seed\":\"s\"}");
    in.imported = false;
    cc_plan_type(a, type, &in, &plan);
    assert_int_equal(plan.replace.n, 1);
}

static void without_updates_every_change_is_a_replacement(void **state)
{
    (void)state;
    ARENA;
    const char *members = "\"properties\":{\"Name\":{\"type\":\"string\"},\"Size\":{\"type\":\"integer\"},\"Arn\":{\"type\":"
                          "\"string\"}},\"readOnlyProperties\":["
                          "\"/properties/Arn\"],\"handlers\":{\"create\":{\"permissions\":[]}}";
    for (int strict = 0; strict < 2; strict++) {
        const struct cc_type *type = testing_type(a, strict ? CFN_MODE_STRICT : CFN_MODE_DEFAULT, members);
        struct cc_plan plan;
        struct cc_plan_input in = {.prior = testing_value(a, type->root->type, "{\"name\":\"a\",\"size\":1,\"arn\":\"x\"}"),
                                   .config = testing_value(a, type->root->type, "{\"name\":\"a\",\"size\":2}")};
        in.proposed = in.config;
        cc_plan_type(a, type, &in, &plan);
        assert_int_equal(plan.replace.n, !strict);
        if (!strict)
            assert_string_equal(path_text(a, plan.replace.v[0]).p, "size");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_unknowns_as_in_awscc),
        cmocka_unit_test(multisets_are_planned_as_in_awscc),
        cmocka_unit_test(new_objects_are_planned),
        cmocka_unit_test(changes_are_planned),
        cmocka_unit_test(an_end_is_an_end),
        cmocka_unit_test(what_cannot_be_read_forces_nothing_after_an_import),
        cmocka_unit_test(without_updates_every_change_is_a_replacement),
    };
    return cmocka_run_group_tests_name("cloudcontrol/plan", tests, NULL, NULL);
}
