#include "cfn/schema.h"

#include "cfn/testing_cfn.h"

static void what_a_schema_says(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cfn_schema *s = testing_example(a, "aws-dynamodb-table.json");
    testing_text(s->type_name, "AWS::DynamoDB::Table");
    testing_text(s->name.service, "DynamoDB");
    assert_int_equal(s->read_only.n, 2);
    assert_true(cfn_texts_have(&s->create_only, STR("/properties/TableName")));
    assert_true(s->handlers[CFN_CREATE].present);
    assert_int_equal(s->handlers[CFN_CREATE].timeout_minutes, 60);
    testing_text(s->handlers[CFN_CREATE].permissions.v[0], "dynamodb:CreateTable");
    assert_true(s->tagging.taggable);
    testing_text(s->tagging.property, "/properties/Tags");
    s = testing_example(a, "aws-apigateway-model.json");
    assert_int_equal(s->primary_identifier.n, 2);
    assert_int_equal(s->handlers[CFN_LIST].required.n, 1);
    assert_non_null(s->handlers[CFN_LIST].properties);
    assert_false(s->tagging.taggable);
}

static void older_schemas(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cfn_schema *s = testing_cfn(a, "{\"typeName\":\"AWS::Test::Thing\",\"taggable\":false,\"additionalIdentifiers\":"
                                                "[\"/properties/A\",[\"/properties/B\"]]}");
    assert_false(s->tagging.taggable);
    assert_int_equal(s->n_additional_identifiers, 2);
    testing_text(s->additional_identifiers[0].v[0], "/properties/A");
    assert_int_equal(s->properties->object.n, 0);
}

static void refuses(const char *text, const char *part)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(cfn_schema_parse(a, str_of(text), "file.json", &diags));
    testing_says(&diags, part);
    testing_says(&diags, "file.json");
}

#define THING "{\"typeName\":\"AWS::Test::Thing\","

static void what_is_no_schema(void **state)
{
    (void)state;
    refuses("[]", "not an object");
    refuses("{", "");
    refuses("{}", "no typeName");
    refuses("{\"typeName\":5}", "no typeName");
    refuses("{\"typeName\":\"Thing\"}", "AWS::Service::Resource");
    refuses(THING "\"properties\":[]}", "must be objects");
    refuses(THING "\"properties\":{\"A\":true}}", "not an object");
    refuses(THING "\"properties\":{\"\":{}}}", "empty or too long");
    refuses(THING "\"definitions\":{\"D\":1}}", "not an object");
    refuses(THING "\"readOnlyProperties\":\"/properties/A\"}", "array of strings");
    refuses(THING "\"primaryIdentifier\":[1]}", "expected a string");
    refuses(THING "\"handlers\":{\"create\":[]}}", "a handler is not an object");
    refuses(THING "\"handlers\":{\"create\":{\"timeoutInMinutes\":-1}}}", "0 or greater");
    refuses(THING "\"handlers\":{\"create\":{\"timeoutInMinutes\":\"1\"}}}", "whole number of minutes");
    refuses(THING "\"handlers\":5}", "handlers is not an object");
    refuses(THING "\"handlers\":{\"list\":{\"handlerSchema\":[]}}}", "a handlerSchema is not an object");
    refuses(THING "\"tagging\":true}", "tagging is not an object");
    refuses(THING "\"description\":5}", "its description is not a string");
}

static void what_is_too_large(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    buf_addz(&text, THING "\"properties\":{\"A0\":{}");
    for (int i = 1; i <= CFN_MAX_PROPERTIES; i++)
        buf_printf(&text, ",\"A%d\":{}", i);
    buf_addz(&text, "}}");
    refuses(buf_copy(&text, a).p, "too many properties");
    buf_clear(&text);
    buf_addz(&text, THING "\"x\":\"");
    while (text.n < CFN_MAX_TEXT)
        buf_addz(&text, "0123456789abcdef");
    buf_addz(&text, "\"}");
    refuses(buf_copy(&text, a).p, "larger than");
    buf_clear(&text);
    buf_addz(&text, THING "\"x\":");
    for (int i = 0; i < 10 * JSON_MAX_DEPTH; i++)
        buf_addc(&text, '[');
    refuses(buf_copy(&text, a).p, "");
}

static void subschemas(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct cfn_property p;
    cfn_property_read(
        testing_jsonz(a, "{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"minItems\":1,\"items\":{}}"), &p);
    assert_true(p.type == CFN_ARRAY && cfn_array_class(&p) == CFN_ARRAY_SET && p.min_items == 1 && p.max_items == -1 && p.items);
    cfn_property_read(testing_jsonz(a, "{\"type\":[\"object\",\"string\"],\"default\":null,\"properties\":{}}"), &p);
    assert_true(p.type == CFN_STRING && !p.by_default && !p.properties);
    cfn_property_read(testing_jsonz(a, "{\"type\":[\"object\"],\"minLength\":-5,\"minimum\":\"1\"}"), &p);
    assert_true(p.type == CFN_BAD && p.min_length == -1 && !p.minimum);
    cfn_property_read(testing_jsonz(a, "[]"), &p);
    assert_int_equal(p.type, CFN_NONE);
}

static void references(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cfn_schema *s = testing_cfn(
        a, THING "\"properties\":{\"P\":{\"type\":\"boolean\"}},\"definitions\":{\"A\":{\"$ref\":\"#/definitions/"
                 "B\",\"description\":\"of A\"},"
                 "\"B\":{\"type\":\"string\",\"description\":\"of B\",\"default\":\"b\"},\"X\":{\"$ref\":\"#/definitions/Y\"},"
                 "\"Y\":{\"$ref\":\"#/definitions/X\"}}}");
    struct cfn_property p;
    const struct json *target;
    assert_true(cfn_property_resolve(s, testing_jsonz(a, "{\"$ref\":\"#/definitions/A\"}"), &p, &target));
    assert_int_equal(p.type, CFN_STRING);
    testing_text(p.description, "of A");
    assert_ptr_equal(target, json_get(s->definitions, "B"));
    assert_true(cfn_property_resolve(s, testing_jsonz(a, "{\"$ref\":\"#/definitions/B\",\"default\":\"mine\"}"), &p, &target));
    testing_text(p.by_default->text, "mine");
    assert_true(cfn_property_resolve(s, testing_jsonz(a, "{\"$ref\":\"#/properties/P\"}"), &p, &target));
    assert_int_equal(p.type, CFN_BOOLEAN);
    assert_false(cfn_property_resolve(s, testing_jsonz(a, "{\"$ref\":\"#/definitions/X\"}"), &p, &target));
    assert_false(cfn_property_resolve(s, testing_jsonz(a, "{\"$ref\":\"#/definitions/None\"}"), &p, &target));
    assert_false(cfn_property_resolve(s, testing_jsonz(a, "{\"$ref\":\"https://elsewhere\"}"), &p, &target));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_schema_says), cmocka_unit_test(older_schemas), cmocka_unit_test(what_is_no_schema),
        cmocka_unit_test(what_is_too_large),  cmocka_unit_test(subschemas),    cmocka_unit_test(references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
