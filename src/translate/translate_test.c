/*
 * One line for each construct, in the form of the tables. The tables themselves are compared with those of the real provider in
 * tests/scenario/cloudcontrol_tables.
 */
#include "schema/schema_check.h"
#include "schema/schema_json.h"
#include "translate/table.h"
#include "translate/testing_translate.h"

/* The rows without types, hash, CloudFormation names and the synthetic id, with blanks instead of tabs. */
static struct str rows(struct arena *a, const struct cc_type *t)
{
    struct buf table BUF_AUTO = BUF_INIT(TESTING_MAX), out BUF_AUTO = BUF_INIT(TESTING_MAX);
    cc_table_rows(&table, CC_TABLE_RESOURCES, t);
    for (struct str rest = buf_str(&table); rest.n > 0;) {
        struct str line = str_cut(&rest, '\n');
        (void)str_cut(&line, '\t');
        (void)str_cut(&line, '\t');
        for (size_t cut = 0; cut < 2; line.n--)
            cut += line.p[line.n - 1] == '\t';
        if (str_starts(line, STR("id\t")))
            continue;
        for (size_t i = 0; i < line.n; i++)
            buf_addc(&out, line.p[i] == '\t' ? ' ' : line.p[i]);
        buf_addc(&out, '\n');
    }
    return buf_copy(&out, a);
}

static void check(enum cfn_mode mode, const char *members, const char *expected)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cc_type *t = testing_type(a, mode, members);
    struct str got = t->root ? rows(a, t) : arena_printf(a, "refused " STR_FMT "\n", STR_ARG(t->suppression));
    if (!str_eqz(got, expected))
        fail_msg("%s\ngot:\n" STR_FMT "expected:\n%s", members, STR_ARG(got), expected);
}

/* Expects the same in both modes. */
static void same(const char *members, const char *expected)
{
    check(CFN_MODE_STRICT, members, expected);
    check(CFN_MODE_DEFAULT, members, expected);
}

#define OC " OC - - [[\"UseStateForUnknown\"]] -\n"

static void primitives(void **state)
{
    (void)state;
    same("\"properties\":{\"A\":{\"type\":\"boolean\"}}", "a Bool - -" OC);
    same("\"properties\":{\"A\":{\"type\":\"integer\"}}", "a Int64 - -" OC);
    same("\"properties\":{\"A\":{\"type\":\"integer\",\"format\":\"int64\"}}", "a Int64 - -" OC);
    same("\"properties\":{\"A\":{\"type\":\"number\"}}", "a Float64 - -" OC);
    same("\"properties\":{\"A\":{\"type\":\"string\"}}", "a String - -" OC);
    same("\"properties\":{\"A\":{\"type\":\"string\",\"format\":\"date-time\"}}", "a String - rfc3339" OC);
    same("\"properties\":{\"A\":{\"type\":\"object\"}}", "a String - json" OC);
    same("\"properties\":{\"A\":{}}", "a String - json" OC);
    same("\"properties\":{\"A\":{\"type\":[\"object\",\"string\"]}}", "a String - -" OC);
    check(CFN_MODE_STRICT, "\"properties\":{\"A\":{\"type\":\"integer\",\"format\":\"int32\"}}",
          "refused unsupported:A:integer format\n");
    check(CFN_MODE_STRICT, "\"properties\":{\"A\":{\"type\":[\"a\",\"b\",\"c\"]}}", "refused unsupported:A:several types\n");
    check(CFN_MODE_DEFAULT, "\"properties\":{\"A\":{\"type\":[\"a\",\"b\",\"c\"]}}", "a String - json" OC);
}

#define ARRAY(members, items) "\"properties\":{\"A\":{\"type\":\"array\"," members "\"items\":" items "}}"
#define STRINGS "{\"type\":\"string\"}"
#define OBJECTS "{\"type\":\"object\",\"properties\":{\"B\":{\"type\":\"string\"}},\"required\":[\"B\"]}"

static void arrays(void **state)
{
    (void)state;
    same(ARRAY("", STRINGS), "a List string -" OC);
    same(ARRAY("\"uniqueItems\":true,", STRINGS), "a List string - OC - [[\"UniqueValues\"]] [[\"UseStateForUnknown\"]] -\n");
    same(ARRAY("\"insertionOrder\":false,", STRINGS), "a List string - OC - - [[\"Multiset\"],[\"UseStateForUnknown\"]] -\n");
    same(ARRAY("\"uniqueItems\":true,\"insertionOrder\":false,", STRINGS), "a Set string -" OC);
    same(ARRAY("", "{\"type\":\"string\",\"format\":\"date-time\"}"), "a List rfc3339 -" OC);
    same(ARRAY("", OBJECTS), "a ListNested - -" OC "a[].b String - - OC - [[\"NotNull\"]] [[\"UseStateForUnknown\"]] -\n");
    same(ARRAY("\"uniqueItems\":true,\"insertionOrder\":false,", OBJECTS),
         "a SetNested - -" OC "a[].b String - - OC - [[\"NotNull\"]] [[\"UseStateForUnknown\"]] -\n");
    same(ARRAY("", "{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"items\":" STRINGS "}"),
         "a List list(string) -" OC);
    same(ARRAY("", "{\"type\":\"object\",\"patternProperties\":{\"\":" STRINGS "}}"), "a List map(string) -" OC);
}

static void arrays_that_awscc_does_not_have(void **state)
{
    (void)state;
    check(CFN_MODE_STRICT, ARRAY("", "{}"), "refused unsupported:A:list of typeless\n");
    check(CFN_MODE_DEFAULT, ARRAY("", "{}"), "a List json -" OC);
    check(CFN_MODE_STRICT, ARRAY("", "{\"type\":\"object\"}"), "refused unsupported:A:list of object\n");
    check(CFN_MODE_STRICT, ARRAY("", "{\"properties\":{\"B\":" STRINGS "}}"), "refused unsupported:A:list of typeless\n");
    check(CFN_MODE_DEFAULT, ARRAY("", "{\"properties\":{\"B\":" STRINGS "}}"), "a ListNested - -" OC "a[].b String - -" OC);
    check(CFN_MODE_STRICT, ARRAY("", "{\"type\":\"array\",\"items\":" STRINGS "}"), "refused unsupported:A:list of array\n");
    check(CFN_MODE_DEFAULT, ARRAY("", "{\"type\":\"array\",\"items\":" STRINGS "}"), "a List list(string) -" OC);
    check(CFN_MODE_STRICT, ARRAY("\"uniqueItems\":true,\"insertionOrder\":false,", "{\"type\":\"array\",\"items\":" OBJECTS "}"),
          "refused unsupported:A:set of array\n");
    check(CFN_MODE_DEFAULT, ARRAY("\"uniqueItems\":true,\"insertionOrder\":false,", "{\"type\":\"array\",\"items\":" OBJECTS "}"),
          "a Set json -" OC);
    check(CFN_MODE_STRICT, ARRAY("", "{\"type\":\"number\",\"minimum\":0}"), "refused unsupported:A:number\n");
    check(CFN_MODE_DEFAULT, ARRAY("", "{\"type\":\"number\",\"minimum\":0}"), "a List float64 -" OC);
    same("\"properties\":{\"A\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"$ref\":\"#/definitions/D\"}}},"
         "\"definitions\":{\"D\":{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"items\":" OBJECTS "}}",
         "a ListNested - -" OC);
}

#define MAP(values) "\"properties\":{\"A\":{\"type\":\"object\",\"patternProperties\":{\"\":" values "}}}"

static void maps(void **state)
{
    (void)state;
    same(MAP(STRINGS), "a Map string -" OC);
    same(MAP("{\"type\":\"array\",\"items\":" STRINGS "}"), "a Map list(string) -" OC);
    same(MAP("{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"items\":" STRINGS "}"),
         "a Map set(string) -" OC);
    /* Values of a map have no validators, and times are plain strings there. */
    same(MAP("{\"type\":\"string\",\"format\":\"date-time\"}"), "a Map string -" OC);
    same(MAP("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"date-time\"}}"), "a Map list(string) -" OC);
    same(MAP("{\"type\":\"integer\",\"format\":\"int32\"}"), "a Map int64 -" OC);
    check(CFN_MODE_STRICT, MAP("{\"patternProperties\":{\"\":" STRINGS "}}"), "refused unsupported:A:map of typeless\n");
    check(
        CFN_MODE_STRICT,
        MAP("{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"items\":{\"properties\":{\"B\":" STRINGS "}}}"),
        "refused unsupported:A:map of array\n");
    same(MAP(OBJECTS), "a MapNested - -" OC "a{}.b String - -" OC);
    same(MAP("{\"type\":\"object\",\"patternProperties\":{\"\":" STRINGS "}}"), "a Map map(string) -" OC);
    same(MAP("{\"type\":\"object\",\"patternProperties\":{\"\":{\"type\":\"array\",\"items\":" STRINGS "}}}"),
         "a Map map(list(string)) -" OC);
    same("\"properties\":{\"A\":{\"patternProperties\":{\"z\":{\"type\":\"boolean\"},\"a\":" STRINGS "}}}", "a Map string -" OC);
    check(CFN_MODE_STRICT, MAP("{}"), "refused unsupported:A:map of typeless\n");
    check(CFN_MODE_DEFAULT, MAP("{}"), "a Map json -" OC);
    check(CFN_MODE_STRICT, MAP("{\"type\":\"array\",\"items\":" OBJECTS "}"), "refused unsupported:A:map of list of object\n");
}

static void objects(void **state)
{
    (void)state;
    same("\"properties\":{\"A\":" OBJECTS "},\"required\":[\"A\"]", "a SingleNested - - R - - - -\na.b String - - R - - - -\n");
    same("\"properties\":{\"A\":{\"oneOf\":[{\"properties\":{\"B\":" STRINGS
         "},\"required\":[\"B\"]},{\"properties\":{\"C\":" STRINGS "}}]}}",
         "a SingleNested - -" OC "a.b String - -" OC "a.c String - -" OC);
    same("\"properties\":{\"A\":{\"oneOf\":[{\"$ref\":\"#/definitions/D\"}]}},\"definitions\":{\"D\":" OBJECTS "}",
         "a String - json" OC);
    check(CFN_MODE_STRICT,
          "\"properties\":{\"A\":{\"type\":\"object\",\"properties\":{\"B\":{}},\"patternProperties\":{\"\":{}}}}",
          "refused unsupported:A:properties and patternProperties\n");
}

#define A_AND_D(a, d) "\"properties\":{\"A\":" a "},\"definitions\":{\"D\":" d "}"
#define TO_D "{\"$ref\":\"#/definitions/D\"}"

static void references(void **state)
{
    (void)state;
    same("\"properties\":{\"A\":{\"$ref\":\"#/definitions/D\",\"default\":\"x\"}},\"definitions\":{\"D\":{\"$ref\":\"#/"
         "definitions/E\"},"
         "\"E\":{\"type\":\"string\",\"default\":\"y\"}}",
         "a String - - OC \"x\" - [[\"UseStateForUnknown\"]] -\n");
    same("\"properties\":{\"A\":{\"$ref\":\"#/properties/B\"},\"B\":{\"type\":\"boolean\"}}", "a Bool - -" OC "b Bool - -" OC);
    check(CFN_MODE_STRICT, "\"properties\":{\"A\":{\"$ref\":\"#/definitions/Nothing\"}}", "refused unsupported:A:reference\n");
    check(CFN_MODE_DEFAULT, "\"properties\":{\"A\":{\"$ref\":\"#/definitions/Nothing\"}}", "a String - json" OC);
    same("\"properties\":{\"A\":{\"$ref\":\"#/definitions/D\"}},\"definitions\":{\"D\":{\"$ref\":\"#/definitions/D\"}}",
         "a String - json" OC);
    /* Items of items are not followed. */
    check(
        CFN_MODE_STRICT,
        A_AND_D("{\"type\":\"array\",\"items\":{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"items\":" TO_D
                "}}",
                STRINGS),
        "refused unsupported:A:list of array\n");
}

static void parts(void **state)
{
    (void)state;
    /* allOf with a reference takes the default and its type, whatever the target of the reference. */
    same(A_AND_D("{\"allOf\":[" TO_D ",{\"default\":\"y\"}]}", "{\"type\":\"string\",\"enum\":[\"x\",\"y\"]}"),
         "a String - - OC \"y\" - [[\"UseStateForUnknown\"]] -\n");
    same(A_AND_D("{\"allOf\":[" TO_D ",{\"default\":2}]}", "{\"type\":\"integer\"}"),
         "a Float64 - - OC 2 - [[\"UseStateForUnknown\"]] -\n");
    same(A_AND_D("{\"allOf\":[" TO_D "]}", "{\"type\":\"boolean\"}"), "a String - json" OC);
    /* Without a reference it has the properties of all parts, and its own `required`. */
    same("\"properties\":{\"A\":{\"type\":\"object\",\"required\":[\"C\"],\"allOf\":[{\"properties\":{\"B\":" STRINGS
         "},\"required\":[\"B\"]},{\"properties\":{\"C\":" STRINGS "}}]}}",
         "a SingleNested - -" OC "a.b String - -" OC "a.c String - - OC - [[\"NotNull\"]] [[\"UseStateForUnknown\"]] -\n");
    same("\"properties\":{\"A\":{\"required\":[\"B\"],\"oneOf\":[{\"properties\":{\"B\":" STRINGS
         "}},{\"properties\":{\"B\":{\"type\":\"boolean\"}}}]}}",
         "a SingleNested - -" OC "a.b Bool - - OC - [[\"NotNull\"]] [[\"UseStateForUnknown\"]] -\n");
    /* The target of a reference becomes an object, whatever its type; an inline subschema keeps its type. */
    same(A_AND_D(TO_D, "{\"type\":\"string\",\"oneOf\":[{\"pattern\":\"a\"},{\"pattern\":\"b\"}]}"), "a String - json" OC);
    same("\"properties\":{\"A\":{\"type\":\"string\",\"oneOf\":[{\"pattern\":\"a\"},{\"pattern\":\"b\"}]}}", "a String - -" OC);
    /* The parts of array items are ignored, unless the items are a reference. */
    check(CFN_MODE_STRICT, ARRAY("", "{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"B\":" STRINGS "}}]}"),
          "refused unsupported:A:list of object\n");
    same(A_AND_D("{\"type\":\"array\",\"items\":" TO_D "}",
                 "{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"B\":" STRINGS "}}]}"),
         "a ListNested - -" OC "a[].b String - -" OC);
}

#define REFUSED(members, what) check(CFN_MODE_STRICT, "\"properties\":{\"A\":{" members "}}", "refused unsupported:A:" what "\n")

/* In default mode they have no effect, and the report lists them. */
static void keywords_of_another_kind(void **state)
{
    (void)state;
    static const char *const members[] = {
        "\"type\":\"string\",\"minLength\":\"1\"", "\"type\":\"string\",\"maxLength\":-1",
        "\"type\":\"string\",\"pattern\":5",       "\"type\":\"string\",\"uniqueItems\":\"yes\"",
        "\"type\":\"string\",\"required\":true",   "\"type\":\"string\",\"format\":[]",
        "\"type\":\"string\",\"items\":[{}]",      "\"type\":\"string\",\"enum\":{}",
        "\"type\":\"string\",\"oneOf\":[1]",       "\"type\":\"string\",\"enum\":[\"a\",1]",
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        struct str all = arena_printf(a, "\"properties\":{\"A\":{%s}}", members[i]);
        assert_false(testing_type(a, CFN_MODE_STRICT, all.p)->has_resource);
        check(CFN_MODE_DEFAULT, all.p, "a String - -" OC);
        assert_true(testing_type(a, CFN_MODE_DEFAULT, all.p)->n_notes > 0);
    }
    REFUSED("\"type\":\"string\",\"minLength\":\"1\"", "minLength");
    REFUSED("\"type\":\"string\",\"minLength\":3,\"maxLength\":2", "length");
    REFUSED("\"type\":\"string\",\"enum\":[\"a\",\"a\"]", "enum");
    REFUSED("\"type\":\"integer\",\"minimum\":1.5", "integer bound");
    REFUSED("\"type\":\"integer\",\"maximum\":9223372036854775808", "integer bound");
    same("\"properties\":{\"A\":{\"type\":\"string\",\"minLength\":null,\"items\":null}}", "a String - -" OC);
    same("\"properties\":{\"A\":{\"type\":null}}", "a String - json" OC);
    /* Even where the result has no validators. */
    check(CFN_MODE_STRICT, "\"properties\":{\"A\":{\"type\":\"number\",\"enum\":[1]}},\"readOnlyProperties\":[\"/properties/A\"]",
          "refused unsupported:A:number with enum\n");
    check(CFN_MODE_STRICT, ARRAY("", "{\"type\":\"number\",\"minimum\":0}") ",\"readOnlyProperties\":[\"/properties/A\"]",
          "refused unsupported:A:number\n");
    same("\"properties\":{\"A\":{\"type\":\"number\",\"enum\":[]}}", "a Float64 - -" OC);
}

static void flags(void **state)
{
    (void)state;
    const char *nested =
        "\"properties\":{\"A\":{\"type\":\"object\",\"properties\":{\"B\":{\"type\":\"string\",\"minLength\":1},"
        "\"C\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}}},\"required\":[\"B\"]}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    same(arena_printf(a, "%s,\"readOnlyProperties\":[\"/properties/A\"]", nested).p,
         "a SingleNested - - C - - [[\"UseStateForUnknown\"]] -\na.b String - - C - - - -\na.c List string - C - - "
         "[[\"Multiset\"]] -\n");
    same("\"properties\":{\"A\":" STRINGS "},\"required\":[\"A\"],\"readOnlyProperties\":[\"/properties/A\"]",
         "a String - - R - - - -\n");
    same("\"properties\":{\"A\":" STRINGS "},\"createOnlyProperties\":[\"/properties/A\"]",
         "a String - - OC - - [[\"UseStateForUnknown\"],[\"RequiresReplaceIfConfigured\"]] -\n");
    same("\"properties\":{\"A\":" STRINGS "},\"required\":[\"A\"],\"createOnlyProperties\":[\"/properties/A\"]",
         "a String - - R - - [[\"RequiresReplace\"]] -\n");
    same("\"properties\":{\"A\":" STRINGS "},\"writeOnlyProperties\":[\"/properties/A\"]",
         "a String - - OC - - [[\"UseStateForUnknown\"]] W\n");
    same("\"properties\":{\"A\":{\"type\":\"string\",\"default\":\"x\"}},\"required\":[\"A\"]",
         "a String - - OC \"x\" - [[\"UseStateForUnknown\"]] -\n");
}

#define DEFAULT(type, text) "\"properties\":{\"A\":{\"type\":" type ",\"default\":" text "}}"

static void defaults(void **state)
{
    (void)state;
    same(DEFAULT("\"boolean\"", "true"), "a Bool - - OC true - [[\"UseStateForUnknown\"]] -\n");
    same(DEFAULT("\"boolean\"", "\"False\""), "a Bool - - OC false - [[\"UseStateForUnknown\"]] -\n");
    same(DEFAULT("\"integer\"", "-7"), "a Int64 - - OC -7 - [[\"UseStateForUnknown\"]] -\n");
    same(DEFAULT("\"number\"", "0.50"), "a Float64 - - OC 0.5 - [[\"UseStateForUnknown\"]] -\n");
    same(DEFAULT("\"string\"", "true"), "a String - - OC \"true\" - [[\"UseStateForUnknown\"]] -\n");
    same(DEFAULT("\"string\"", "\"a\\tb\\\"\""), "a String - - OC \"a\\tb\\\"\" - [[\"UseStateForUnknown\"]] -\n");
    same(DEFAULT("\"string\"", "null"), "a String - -" OC);
    same(ARRAY("\"default\":[\"b\",\"a\"],", STRINGS), "a List string - OC [\"b\",\"a\"] - [[\"UseStateForUnknown\"]] -\n");
    same(ARRAY("\"default\":[],", OBJECTS), "a ListNested - - OC - - [[\"EmptyNestedObject\"],[\"UseStateForUnknown\"]] -\n"
                                            "a[].b String - - OC - [[\"NotNull\"]] [[\"UseStateForUnknown\"]] -\n");
    same("\"properties\":{\"A\":{\"type\":\"object\",\"default\":{\"B\":\"x\",\"D\":1},\"properties\":{\"B\":" STRINGS
         ",\"D\":{\"type\":\"integer\"}}}}",
         "a SingleNested - - OC - - [[\"StaticPartialObject\",{\"b\":\"x\",\"d\":null}],[\"UseStateForUnknown\"]] -\n"
         "a.b String - -" OC "a.d Int64 - -" OC);
    /* Names that the object does not have are included. */
    same("\"properties\":{\"A\":{\"type\":\"object\",\"default\":{\"Zed\":\"x\"},\"properties\":{\"B\":" STRINGS "}}}",
         "a SingleNested - - OC - - [[\"StaticPartialObject\",{\"zed\":\"x\"}],[\"UseStateForUnknown\"]] -\na.b String - -" OC);
    same(ARRAY("\"default\":[],", "{\"type\":\"object\",\"patternProperties\":{\"\":" STRINGS "}}"),
         "a List map(string) - OC - - [[\"EmptyNestedObject\"],[\"UseStateForUnknown\"]] -\n");
    check(CFN_MODE_STRICT, ARRAY("\"default\":[],", "{\"type\":\"integer\"}"), "refused unsupported:A:default\n");
    check(CFN_MODE_STRICT, "\"properties\":{\"A\":{\"default\":{},\"properties\":{\"B\":" STRINGS "}}}",
          "refused unsupported:A:default\n");
    same(DEFAULT("\"object\"", "{\"properties\":{}}"), "a String - json" OC);
    same(DEFAULT("\"integer\"", "-1.5"), "a Int64 - - OC -1 - [[\"UseStateForUnknown\"]] -\n");
    check(CFN_MODE_STRICT, DEFAULT("\"integer\"", "\"7\""), "refused unsupported:A:default\n");
    check(CFN_MODE_DEFAULT, DEFAULT("\"integer\"", "\"7\""), "a Int64 - -" OC);
}

#define VALIDATED(type, members, expected)                                                                                       \
    same("\"properties\":{\"A\":{\"type\":" type "," members "}}", "a " expected " [[\"UseStateForUnknown\"]] -\n")

static void validators(void **state)
{
    (void)state;
    VALIDATED("\"integer\"", "\"minimum\":1", "Int64 - - OC - [[\"AtLeast\",1]]");
    VALIDATED("\"integer\"", "\"maximum\":9", "Int64 - - OC - [[\"AtMost\",9]]");
    VALIDATED("\"integer\"", "\"minimum\":1,\"maximum\":9,\"enum\":[1,2]", "Int64 - - OC - [[\"Between\",1,9],[\"OneOf\",1,2]]");
    VALIDATED("\"number\"", "\"minimum\":0.5,\"maximum\":100.0", "Float64 - - OC - [[\"Between\",0.5,100]]");
    VALIDATED("\"string\"", "\"minLength\":1", "String - - OC - [[\"LengthAtLeast\",1]]");
    VALIDATED("\"string\"", "\"maxLength\":9,\"pattern\":\"^a$\",\"enum\":[\"a\"]",
              "String - - OC - [[\"LengthAtMost\",9],[\"RegexMatches\",\"^a$\"],[\"OneOf\",\"a\"]]");
    VALIDATED("\"string\"", "\"pattern\":\"(?!a)\",\"minLength\":0,\"maxLength\":2", "String - - OC - [[\"LengthBetween\",0,2]]");
    VALIDATED(
        "\"array\"",
        "\"minItems\":1,\"maxItems\":2,\"uniqueItems\":true,\"items\":{\"type\":\"string\",\"minLength\":1,\"enum\":[\"a\"]}",
        "List string - OC - "
        "[[\"SizeBetween\",1,2],[\"UniqueValues\"],[\"ValueStringsAre\",[\"LengthAtLeast\",1],[\"OneOf\",\"a\"]]]");
    VALIDATED("\"array\"", "\"items\":{\"type\":\"integer\",\"minimum\":1}",
              "List int64 - OC - [[\"ValueInt64sAre\",[\"AtLeast\",1]]]");
    check(CFN_MODE_STRICT, "\"properties\":{\"A\":{\"type\":\"number\",\"enum\":[1]}}",
          "refused unsupported:A:number with enum\n");
}

/* The tables show such a default in both modes; only awscc sends it. */
static void defaults_that_the_schema_refuses(void **state)
{
    (void)state;
    static const char members[] = "\"properties\":{\"A\":{\"type\":\"string\",\"default\":\"\",\"minLength\":1}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    same(members, "a String - - OC \"\" [[\"LengthAtLeast\",1]] [[\"UseStateForUnknown\"]] -\n");
    const struct cc_type *strict = testing_type(a, CFN_MODE_STRICT, members), *t = testing_type(a, CFN_MODE_DEFAULT, members);
    assert_int_equal(cc_node_child(strict->root, STR("a"))->default_kind, CC_DEFAULT_STATIC);
    assert_int_equal(cc_node_child(t->root, STR("a"))->default_kind, CC_DEFAULT_NONE);
    testing_text(t->notes[0].path, "A");
    testing_text(t->notes[0].text, "the schema refuses its own default, which is not sent");
}

static void names_at_the_top(void **state)
{
    (void)state;
    same("\"properties\":{\"Id\":" STRINGS "}", "thing_id String - -" OC);
    same("\"properties\":{\"Provider\":" STRINGS "}", "provider_name String - -" OC);
    check(CFN_MODE_STRICT, "\"properties\":{\"ID\":" STRINGS "}", "refused duplicate-id\n");
    check(CFN_MODE_DEFAULT, "\"properties\":{\"ID\":" STRINGS "}", "thing_id String - -" OC);
    check(CFN_MODE_STRICT, "\"properties\":{\"Count\":" STRINGS "}", "refused unsupported:Count:meta-argument\n");
    check(CFN_MODE_DEFAULT, "\"properties\":{\"Count\":" STRINGS "}", "thing_count String - -" OC);
    check(CFN_MODE_STRICT, "\"properties\":{\"Id\":" STRINGS ",\"ThingId\":" STRINGS "}", "refused name-clash:ThingId,Id\n");
    check(CFN_MODE_DEFAULT, "\"properties\":{\"Id\":" STRINGS ",\"ThingId\":" STRINGS "}",
          "thing_id String - -" OC "thing_id_2 String - -" OC);
    check(CFN_MODE_STRICT, "\"properties\":{\"Id\":" STRINGS ",\"A\":{\"type\":\"object\",\"properties\":{\"Id\":" STRINGS "}}}",
          "refused duplicate-id\n");
    check(CFN_MODE_DEFAULT, "\"properties\":{\"Id\":" STRINGS ",\"A\":{\"type\":\"object\",\"properties\":{\"Id\":" STRINGS "}}}",
          "a SingleNested - -" OC "a.id String - -" OC "thing_id String - -" OC);
    check(CFN_MODE_STRICT,
          "\"properties\":{\"SMS\":" STRINGS ",\"A\":{\"type\":\"object\",\"properties\":{\"Sms\":" STRINGS "}}}",
          "refused name-clash:SMS,Sms\n");
}

static bool count_fn(void *ctx, const struct cc_node *node)
{
    *(size_t *)ctx += node->cut;
    return true;
}

static void recursion_ends_in_texts(void **state)
{
    (void)state;
    const char *members = "\"properties\":{\"A\":{\"$ref\":\"#/definitions/D\"}},\"definitions\":{\"D\":{\"type\":\"object\","
                          "\"properties\":{\"Not\":{\"$ref\":\"#/definitions/D\"},\"And\":{\"type\":\"array\",\"items\":"
                          "{\"$ref\":\"#/definitions/D\"}},\"X\":{\"type\":\"string\"}}}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    check(CFN_MODE_STRICT, members, "refused recursive\n");
    const struct cc_type *t = testing_type(a, CFN_MODE_DEFAULT, members);
    assert_true(t->has_resource && t->n_notes > 0);
    size_t cuts = 0;
    cc_node_walk(t->root, count_fn, &cuts);
    assert_int_equal(cuts, 1 << (CC_RECURSION_LEVELS + 1));
    const struct cc_node *node = cc_node_child(t->root, STR("a"));
    for (unsigned i = 0; i < CC_RECURSION_LEVELS; i++)
        node = cc_node_child(node, STR("not"));
    assert_int_equal(node->kind, CC_OBJECT);
    node = cc_node_child(node, STR("not"));
    assert_true(node->cut && node->kind == CC_STRING && node->text == CC_TEXT_JSON);
}

/* An array of sets of objects becomes the contents of their first property, here the array itself: another recursion. */
static void recursion_through_arrays_of_arrays_ends(void **state)
{
    (void)state;
    const char *members = "\"properties\":{\"A\":{\"$ref\":\"#/definitions/R\"}},\"definitions\":{\"R\":{\"type\":\"array\","
                          "\"items\":{\"$ref\":\"#/definitions/S\"}},\"S\":{\"type\":\"array\",\"uniqueItems\":true,"
                          "\"insertionOrder\":false,\"items\":{\"type\":\"object\",\"properties\":{\"F\":"
                          "{\"$ref\":\"#/definitions/H\"}}}},\"H\":{\"type\":\"object\",\"properties\":{\"In\":"
                          "{\"$ref\":\"#/definitions/R\"}}}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    check(CFN_MODE_STRICT, members, "refused recursive\n");
    const struct cc_type *t = testing_type(a, CFN_MODE_DEFAULT, members);
    const struct cc_node *node = cc_node_child(t->root, STR("a"));
    unsigned levels = 0;
    for (; node->element->kind == CC_OBJECT; levels++)
        node = cc_node_child(node->element, STR("in"));
    assert_int_equal(levels, CC_RECURSION_LEVELS + 1);
    assert_true(node->element->cut && node->element->text == CC_TEXT_JSON);
}

/* Default mode: pointers with a star change behaviour, not shapes. */
static void stars(void **state)
{
    (void)state;
    const char *members =
        "\"properties\":{\"A\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"B\":" STRINGS
        ",\"C\":" STRINGS ",\"D\":" STRINGS "}}}},\"readOnlyProperties\":[\"/properties/A/*/B\"],"
        "\"createOnlyProperties\":[\"/properties/A/*/C\"],\"writeOnlyProperties\":[\"/properties/A/*/D\"]";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    same(members, "a ListNested - -" OC "a[].b String - -" OC "a[].c String - -" OC "a[].d String - -" OC);
    const struct cc_node *strict = testing_type(a, CFN_MODE_STRICT, members)->root;
    const struct cc_node *root = testing_type(a, CFN_MODE_DEFAULT, members)->root;
    const struct cc_node *b = cc_node_at_pointer(root, STR("/properties/A/*/B"), NULL),
                         *c = cc_node_at_pointer(root, STR("/properties/A/C"), NULL);
    assert_true(b->read_only && b->starred_read_only && b->optional);
    assert_true(c->create_only && c->replace == CC_REPLACE_IF_CONFIGURED);
    assert_true(cc_node_at_pointer(root, STR("/properties/A/*/D"), NULL)->write_only);
    b = cc_node_at_pointer(strict, STR("/properties/A/*/B"), NULL);
    assert_true(!b->read_only && !b->starred_read_only);
    assert_int_equal(cc_node_at_pointer(strict, STR("/properties/A/C"), NULL)->replace, CC_REPLACE_NO);
}

static void types(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cc_type *t = cc_translate(a, testing_example(a, "aws-ec2-vpcgatewayattachment.json"), CFN_MODE_STRICT);
    assert_true(t->immutable && t->has_resource && t->has_plural && t->has_list);
    assert_int_equal(t->n_identifiers, 2);
    testing_text(t->identifiers[0].identity_name, "attachment_type");
    testing_text(t->identifiers[1].node->name, "vpc_id");
    t = cc_translate(a, testing_example(a, "aws-iam-role.json"), CFN_MODE_STRICT);
    assert_true(t->global && !t->immutable && t->tags && !t->tags_are_map);
    t = cc_translate(a, testing_example(a, "aws-ssm-parameter.json"), CFN_MODE_DEFAULT);
    assert_true(t->tags && t->tags_are_map);
    t = cc_translate(a, testing_example(a, "aws-dynamodb-table.json"), CFN_MODE_STRICT);
    assert_int_equal(t->create_minutes, 60);
    assert_int_equal(t->delete_minutes, 0);
}

static void a_plural_of_its_own(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cfn_schema *cfn = testing_cfn(a, "{\"typeName\":\"AWS::Test::Terms\",\"handlers\":{\"list\":{}}}");
    assert_false(cc_translate(a, cfn, CFN_MODE_STRICT)->has_plural);
    const struct cc_type *t = cc_translate(a, cfn, CFN_MODE_DEFAULT);
    assert_true(t->has_plural);
    testing_text(t->plural, "awscc_test_terms_plural");
}

/* Properties needed to list objects become arguments; awscc cannot list such types. */
static void list_arguments(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cfn_schema *cfn = testing_example(a, "aws-apigateway-model.json");
    assert_false(cc_translate(a, cfn, CFN_MODE_STRICT)->has_plural);
    const struct cc_type *t = cc_translate(a, cfn, CFN_MODE_DEFAULT);
    assert_true(t->has_plural && t->has_list && t->n_list_arguments == 1 && t->list_arguments[0].required);
    testing_text(t->list_arguments[0].node->name, "rest_api_id");
    struct schema_builder *b = schema_builder_new(a);
    const struct schema *s = cc_schema_plural(b, t);
    assert_true(schema_block_attr(s->block, STR("rest_api_id"))->required);
    assert_true(schema_block_attr(s->block, STR("ids"))->computed);
    (void)schema_builder_end(b);
}

static void add_examples(struct arena *a, struct schema_builder *b, enum cfn_mode mode)
{
    static const char *const names[] = {"aws-logs-loggroup.json",
                                        "aws-s3-bucket.json",
                                        "aws-wafv2-rulegroup.json",
                                        "aws-cloudfront-distribution.json",
                                        "aws-iotfleetwise-decodermanifest.json",
                                        "aws-glue-job.json"};
    cc_schema_provider(b, mode);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cc_schema_add(b, cc_translate(a, testing_example(a, names[i]), mode));
}

static void schemas_keep_the_rules(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (enum cfn_mode mode = CFN_MODE_DEFAULT; mode <= CFN_MODE_STRICT; mode++) {
        struct schema_builder *b = schema_builder_new(a);
        struct diags diags;
        diags_init(&diags, a);
        add_examples(a, b, mode);
        const struct provider_schema *s = schema_builder_end(b);
        (void)provider_schema_check(s, &diags);
        testing_no_errors(&diags);
        assert_int_equal(s->resources.n, mode == CFN_MODE_STRICT ? 3 : 6);
        const struct schema *group = map_get(&s->resources, STR("awscc_logs_log_group"));
        assert_int_equal(group->version, 1);
        assert_int_equal(group->block->n_blocks, mode == CFN_MODE_STRICT ? 0 : 1);
        assert_true(schema_block_attr(group->block, STR("id"))->computed);
        const struct schema *data = map_get(&s->data_sources, STR("awscc_logs_log_group"));
        assert_true(schema_block_attr(data->block, STR("id"))->required);
        assert_true(schema_block_attr(data->block, STR("tags"))->computed);
        assert_non_null(map_get(&s->data_sources, STR("awscc_logs_log_groups")));
        const struct schema_identity *identity = map_get(&s->identities, STR("awscc_logs_log_group"));
        assert_int_equal(identity->n_attrs, 3);
    }
}

/* Checks that the attributes of a resource's type are in the order of the nodes. */
static bool check_order(void *ctx, const struct cc_node *node)
{
    (void)ctx;
    if (node->kind != CC_OBJECT)
        return true;
    assert_int_equal(node->type->n, node->n_children);
    for (size_t i = 0; i < node->n_children; i++) {
        testing_text(node->type->attrs[i].name, arena_str((struct arena *)ctx, node->children[i].name).p);
        assert_true(type_eq(node->type->attrs[i].type, node->children[i].type));
    }
    return true;
}

static void nodes_and_values_agree(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const names[] = {"aws-s3-bucket.json", "aws-wafv2-rulegroup.json", "aws-glue-job.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct cc_type *t = cc_translate(a, testing_example(a, names[i]), CFN_MODE_DEFAULT);
        cc_node_walk(t->root, check_order, a);
        struct schema_builder *b = schema_builder_new(a);
        const struct schema *s = cc_schema_resource(b, t);
        assert_true(type_eq(s->type, t->root->type));
        (void)schema_builder_end(b);
    }
}

/* --- defaults as facts --- */

static void add_property(struct buf *out, struct arena *a, struct str name, const struct json *type)
{
    buf_printf(out, "\"" STR_FMT "\":{", STR_ARG(name));
    if (type->kind == JSON_STRING) {
        buf_printf(out, "\"type\":\"" STR_FMT "\"", STR_ARG(str_eqz(type->text, "bool") ? STR("boolean") : type->text));
    } else if (str_eqz(type->array.items[0]->text, "object")) {
        const struct json *attrs = type->array.items[1];
        buf_addz(out, "\"type\":\"object\",\"properties\":{");
        for (size_t i = 0; i < attrs->object.n; i++) {
            if (i > 0)
                buf_addc(out, ',');
            add_property(out, a, attrs->object.members[i].key, attrs->object.members[i].value);
        }
        buf_addc(out, '}');
    } else {
        bool set = str_eqz(type->array.items[0]->text, "set");
        buf_printf(out, "\"type\":\"array\",\"uniqueItems\":%s,\"insertionOrder\":%s,", set ? "true" : "false",
                   set ? "false" : "true");
        add_property(out, a, STR("items"), type->array.items[1]);
    }
    buf_addc(out, '}');
}

/* The property A, with the type and default of the fact. */
static const struct cc_node *node_of_fact(struct arena *a, const struct json *c, const struct json *by_default)
{
    struct buf members BUF_AUTO = BUF_INIT(TESTING_MAX), text BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &text};
    json_write(&w, by_default);
    assert_true(json_finish(&w));
    add_property(&members, a, STR("A"), json_get(c, "type"));
    members.n--;
    buf_printf(&members, ",\"default\":" STR_FMT "}", STR_ARG(buf_str(&text)));
    struct str all = arena_printf(a, "\"properties\":{" STR_FMT "}", STR_ARG(buf_str(&members)));
    return cc_node_child(testing_type(a, CFN_MODE_STRICT, all.p)->root, STR("a"));
}

static void check_partial(const struct value *v, const struct json *expected)
{
    for (size_t i = 0; i < expected->object.n; i++) {
        const struct value *part = value_get(v, expected->object.members[i].key);
        const struct json *e = expected->object.members[i].value;
        if (e->kind == JSON_OBJECT)
            check_partial(part, e);
        else if (e->kind == JSON_STRING)
            testing_text(part->string, e->text.p);
        else
            assert_true(value_is_null(part));
    }
}

static void default_facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "defaults.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i], *plan = json_get(c, "plan");
        bool unknown = plan && plan->kind == JSON_OBJECT && json_get(plan, "$");
        if (str_eqz(testing_member(c, "op"), "static_strings")) {
            const struct cc_node *node = node_of_fact(a, c, json_get(c, "args"));
            assert_int_equal(node->default_kind, CC_DEFAULT_STATIC);
            assert_int_equal(node->by_default->n, json_int(json_get(c, "length"), -1));
        } else if (str_eqz(testing_member(c, "op"), "empty_nested")) {
            const struct cc_node *node = node_of_fact(a, c, testing_jsonz(a, "[]"));
            assert_int_equal(node->default_kind, CC_DEFAULT_FILL);
            assert_int_equal(node->by_default->n, 0);
        } else if (unknown) {
            const struct cc_node *node = node_of_fact(a, c, json_get(c, "default"));
            assert_int_equal(node->default_kind, CC_DEFAULT_FILL);
            check_partial(node->by_default, json_get(c, "out"));
        }
    }
}

static void hostile(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    /* Each definition contains the next one twice: 2^40 places. */
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    buf_addz(&text, "\"properties\":{\"A\":{\"$ref\":\"#/definitions/D0\"}},\"definitions\":{");
    for (int i = 0; i < 40; i++)
        buf_printf(&text,
                   "\"D%d\":{\"type\":\"object\",\"properties\":{\"X\":{\"$ref\":\"#/definitions/D%d\"},\"Y\":{\"$ref\":\"#/"
                   "definitions/D%d\"}}},",
                   i, i + 1, i + 1);
    buf_addz(&text, "\"D40\":{\"type\":\"string\"}}");
    const struct cc_type *t = testing_type(a, CFN_MODE_DEFAULT, buf_copy(&text, a).p);
    assert_true(t->has_resource && t->n_nodes <= CC_MAX_NODES + 10);
    t = testing_type(a, CFN_MODE_STRICT, buf_copy(&text, a).p);
    assert_false(t->has_resource);

    /* A hundred thousand values. */
    buf_clear(&text);
    buf_addz(&text, "\"properties\":{\"A\":{\"type\":\"string\",\"enum\":[\"x\"");
    for (int i = 0; i < 100000; i++)
        buf_printf(&text, ",\"v%d\"", i);
    buf_addz(&text, "]}}");
    assert_true(testing_type(a, CFN_MODE_STRICT, buf_copy(&text, a).p)->has_resource);
}

/* A thousand references to one `oneOf` of a thousand properties: their union is made only once. */
static void hostile_unions(void **state)
{
    (void)state;
    enum { MANY = 1000, ENOUGH = 64 << 20 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    buf_addz(&text, "\"definitions\":{\"D\":{\"oneOf\":[{\"properties\":{\"Q\":{\"type\":\"string\"}");
    for (int i = 0; i < MANY; i++)
        buf_printf(&text, ",\"Q%d\":{\"type\":\"string\"}", i);
    buf_addz(&text, "}}]}},\"properties\":{\"Name\":{\"type\":\"string\"}");
    for (int i = 0; i < MANY; i++)
        buf_printf(&text, ",\"P%d\":{\"$ref\":\"#/definitions/D\"}", i);
    buf_addz(&text, "}");
    struct str members = buf_copy(&text, a);
    for (enum cfn_mode mode = CFN_MODE_DEFAULT; mode <= CFN_MODE_STRICT; mode++) {
        struct arena *bounded ARENA_AUTO = arena_new(NULL, ENOUGH);
        (void)testing_type(bounded, mode, members.p);
        assert_false(arena_exhausted(bounded));
    }
}

/* The same for an `enum`: the search for duplicates leaves no memory behind. */
static void hostile_enums(void **state)
{
    (void)state;
    enum { MANY = 1000, ENOUGH = 64 << 20 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *bounded ARENA_AUTO = arena_new(NULL, ENOUGH);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    buf_addz(&text, "\"definitions\":{\"D\":{\"type\":\"string\",\"enum\":[\"x\"");
    for (int i = 0; i < MANY; i++)
        buf_printf(&text, ",\"v%d\"", i);
    buf_addz(&text, "]}},\"properties\":{\"Name\":{\"type\":\"string\"}");
    for (int i = 0; i < MANY; i++)
        buf_printf(&text, ",\"P%d\":{\"$ref\":\"#/definitions/D\"}", i);
    buf_addz(&text, "}");
    assert_true(testing_type(bounded, CFN_MODE_STRICT, buf_copy(&text, a).p)->has_resource);
    assert_false(arena_exhausted(bounded));
}

/* Which of the four exist: resource, singular and plural data source, list resource. */
static struct str has(struct arena *a, enum cfn_mode mode, const char *type, const char *members)
{
    struct str text = arena_printf(a,
                                   "{\"typeName\":\"%s\",\"primaryIdentifier\":[\"/properties/Name\"],\"properties\":{"
                                   "\"Name\":{\"type\":\"string\"}}%s}",
                                   type, members);
    const struct cc_type *t = cc_translate(a, testing_cfn(a, text.p), mode);
    return arena_printf(a, "%s%s%s%s", t->has_resource ? "r" : "", t->has_singular ? "s" : "", t->has_plural ? "p" : "",
                        t->has_list ? "l" : "");
}

/* In strict mode awscc's decisions count, not the handlers of the schema, which may be from another date. */
static void types_are_those_of_awscc(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
#define LISTS ",\"handlers\":{\"list\":{}}"
#define LISTS_BY_NAME ",\"handlers\":{\"list\":{\"handlerSchema\":{\"properties\":{\"Name\":{}},\"required\":[\"Name\"]}}}"
    static const struct {
        const char *type, *members, *strict, *by_default;
    } cases[] = {
        {"AWS::Logs::LogGroup", LISTS, "rspl", "rspl"},
        {"AWS::Logs::LogGroup", "", "rspl", "rspl"},
        {"AWS::CustomerProfiles::Recommender", LISTS_BY_NAME, "rspl", "rspl"},
        {"AWS::MediaConnect::FlowVpcInterface", LISTS, "rs", "rspl"},
        {"AWS::ACMPCA::Permission", LISTS, "rs", "rspl"},
        {"AWS::NovaAct::WorkflowDefinition", LISTS, "s", "rspl"},
        {"AWS::CloudFront::Distribution", LISTS, "p", "rspl"},
        {"AWS::WAFv2::WebACL", LISTS, "", "rspl"},
        /* Not a type that awscc knows, whatever the schema says. */
        {"AWS::Logs::LogGrou", LISTS, "", "rspl"},
        {"AWS::Test::Thing", "", "", "rs"},
        {"AWS::Test::Thing", LISTS, "", "rspl"},
        {"Acme::Logs::LogGroup", LISTS, "", "rspl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        testing_text(has(a, CFN_MODE_STRICT, cases[i].type, cases[i].members), cases[i].strict);
        testing_text(has(a, CFN_MODE_DEFAULT, cases[i].type, cases[i].members), cases[i].by_default);
    }
}

/* Each attribute's name, whether an import requires it, and its description. */
static struct str identity(struct arena *a, const char *type, const char *pointers)
{
    struct str text = arena_printf(a,
                                   "{\"typeName\":\"%s\",\"primaryIdentifier\":[%s],\"properties\":{\"Name\":{\"type\":"
                                   "\"string\",\"description\":\"The name. "
                                   "Of "
                                   "it.\"},\"Provider\":{\"type\":\"string\",\"description\":\"Who\"},\"AccountId\":{\"type\":"
                                   "\"string\",\"description\":\"Whose"
                                   "\"},\"Region\":{\"type\":\"string\",\"description\":\"Where\"},\"Plan\":{\"type\":\"object\","
                                   "\"properties\":{\"Kind\":{\"type\":"
                                   "\"string\",\"description\":\"What\"}}}}}",
                                   type, pointers);
    struct schema_builder *b = schema_builder_new(a);
    const struct schema_identity *s = cc_schema_identity(b, cc_translate(a, testing_cfn(a, text.p), CFN_MODE_STRICT));
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (size_t i = 0; i < s->n_attrs; i++)
        buf_printf(&out, STR_FMT "%s " STR_FMT "\n", STR_ARG(s->attrs[i].name), s->attrs[i].required_for_import ? "!" : "?",
                   STR_ARG(s->attrs[i].description));
    return buf_copy(&out, a);
}

static void identities_are_those_of_awscc(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
#define ACCOUNT "account_id? AWS Account where this resource is managed\n"
#define REGION "region? Region where this resource is managed\n"
    testing_text(identity(a, "AWS::IoT::Thing", "\"/properties/Name\""), ACCOUNT "name! The name\n" REGION);
    testing_text(identity(a, "AWS::IAM::Role", "\"/properties/Name\""), ACCOUNT "name! The name\n");
    testing_text(identity(a, "AWS::IoT::Logging", "\"/properties/AccountId\""), ACCOUNT REGION);
    testing_text(identity(a, "AWS::IoT::Logging", "\"/properties/AccountId\",\"/properties/Region\""), ACCOUNT REGION);
    testing_text(identity(a, "AWS::Notifications::NotificationHub", "\"/properties/Region\""), ACCOUNT "region! Where\n");
    testing_text(identity(a, "AWS::CodePipeline::CustomActionType", "\"/properties/Provider\""),
                 ACCOUNT "provider_name! \n" REGION);
    testing_text(identity(a, "AWS::IoT::Thing", "\"/properties/Plan/Kind\""), ACCOUNT "plan_kind! \n" REGION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives),
        cmocka_unit_test(arrays),
        cmocka_unit_test(arrays_that_awscc_does_not_have),
        cmocka_unit_test(maps),
        cmocka_unit_test(objects),
        cmocka_unit_test(references),
        cmocka_unit_test(parts),
        cmocka_unit_test(keywords_of_another_kind),
        cmocka_unit_test(defaults_that_the_schema_refuses),
        cmocka_unit_test(flags),
        cmocka_unit_test(defaults),
        cmocka_unit_test(validators),
        cmocka_unit_test(names_at_the_top),
        cmocka_unit_test(recursion_ends_in_texts),
        cmocka_unit_test(recursion_through_arrays_of_arrays_ends),
        cmocka_unit_test(stars),
        cmocka_unit_test(types),
        cmocka_unit_test(a_plural_of_its_own),
        cmocka_unit_test(list_arguments),
        cmocka_unit_test(schemas_keep_the_rules),
        cmocka_unit_test(nodes_and_values_agree),
        cmocka_unit_test(default_facts),
        cmocka_unit_test(hostile),
        cmocka_unit_test(hostile_unions),
        cmocka_unit_test(hostile_enums),
        cmocka_unit_test(types_are_those_of_awscc),
        cmocka_unit_test(identities_are_those_of_awscc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
