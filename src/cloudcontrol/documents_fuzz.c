/*
 * Any JSON as {"a": document, "b": document, "patch": patch}, for a type with every feature. Reading accepts anything; the values
 * go through everything that a provider does with values, and the results must be consistent and follow Terraform core's rules.
 * Applying the patch to the first document must not crash.
 */
#include "base/must.h"
#include "change/change.h"
#include "cloudcontrol/compare.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/fill.h"
#include "cloudcontrol/patch.h"
#include "cloudcontrol/plan.h"
#include "cloudcontrol/refresh.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20, MAX_TEXT = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ARRAY(flags, items) "{\"type\":\"array\"," flags "\"items\":" items "}"
#define BAG "\"insertionOrder\":false,"
#define SET "\"insertionOrder\":false,\"uniqueItems\":true,"
#define REF(name) "{\"$ref\":\"#/definitions/" name "\"}"
#define TEXT "{\"type\":\"string\"}"

static const char schema_text[] =
    "{\"typeName\":\"AWS::Fuzz::Thing\",\"primaryIdentifier\":[\"/properties/"
    "Name\"],\"handlers\":{\"create\":{\"permissions\":[]},\"update\":{"
    "\"permissions\":[]}},\"definitions\":{"
    "\"Tag\":{\"type\":\"object\",\"properties\":{\"Key\":" TEXT ",\"Value\":" TEXT "}},"
    "\"Leaf\":{\"type\":\"object\",\"properties\":{\"S\":" TEXT ",\"N\":{\"type\":\"number\"},\"Secret\":" TEXT ",\"Id\":" TEXT
    ",\"Bag\":" ARRAY(
        BAG, TEXT) "}},"
                   "\"Node\":{\"type\":\"object\",\"properties\":{\"Leaf\":" REF("Leaf") ",\"Leaves\":" ARRAY(BAG, REF("Leaf")) ",\"Chain\":" ARRAY("", REF("Leaf")) ",\"Set\":" ARRAY(
                       SET, REF("Leaf")) ",\"D\":{\"type\":\"string\",\"default\":\"d\"},\"Empty\":{"
                                         "\"type\":\"object\",\"properties\":{\"X\":" TEXT "}}}}},"
                                         "\"properties\":{\"Name\":" TEXT
                                         ",\"I\":{\"type\":\"integer\"},\"B\":{\"type\":\"boolean\","
                                         "\"default\":true},\"When\":{\"type\":\"string\",\"format\":"
                                         "\"date-time\"},"
                                         "\"Policy\":{\"type\":\"object\"},\"Either\":{\"type\":["
                                         "\"object\",\"string\"]},\"Map\":{\"type\":\"object\","
                                         "\"patternProperties\":{\"\":" TEXT "}},"
                                         "\"Nodes\":{\"type\":\"object\",\"patternProperties\":{"
                                         "\"\":" REF("Node") "}},\"Node\":" REF(
                                             "Node") ",\"List\""
                                                     ":" ARRAY("", REF("Node")) ",\"Steps\":" ARRAY("", TEXT) ",\"Bag\":" ARRAY(
                                                         BAG, TEXT) ",\"Set\":" ARRAY(SET, TEXT) ",\"L"
                                                                                                 "ists"
                                                                                                 "\""
                                                                                                 ":" ARRAY("", ARRAY(SET, TEXT)) ",\"Tags\":" ARRAY(
                                                                                                     BAG,
                                                                                                     REF("Tag")) ",\"Arn\":" TEXT
                                                                                                                 ",\"Kind\":" TEXT
                                                                                                                 ",\"Password\""
                                                                                                                 ":" TEXT
                                                                                                                 ",\"Seed\":" TEXT
                                                                                                                 "},"
                                                                                                                 "\"tagging\":{"
                                                                                                                 "\"taggable\":"
                                                                                                                 "true,"
                                                                                                                 "\"tagProperty\""
                                                                                                                 ":\"/properties/"
                                                                                                                 "Tags\"},"
                                                                                                                 "\"readOnlyPrope"
                                                                                                                 "rties\":[\"/"
                                                                                                                 "properties/"
                                                                                                                 "Arn\",\"/"
                                                                                                                 "properties/"
                                                                                                                 "List/*/Leaves/"
                                                                                                                 "*/"
                                                                                                                 "Id\"],"
                                                                                                                 "\"createOnlyPro"
                                                                                                                 "perties\":[\"/"
                                                                                                                 "properties/"
                                                                                                                 "Kind\",\"/"
                                                                                                                 "properties/"
                                                                                                                 "Seed\","
                                                                                                                 "\"/properties/"
                                                                                                                 "Node/"
                                                                                                                 "D\"],"
                                                                                                                 "\"writeOnlyProp"
                                                                                                                 "erties\":[\"/"
                                                                                                                 "properties/"
                                                                                                                 "Password\",\"/"
                                                                                                                 "properties/"
                                                                                                                 "Seed\",\"/"
                                                                                                                 "properties/"
                                                                                                                 "Node/Leaf/"
                                                                                                                 "Secret\","
                                                                                                                 "\"/properties/"
                                                                                                                 "List/*/Chain/*/"
                                                                                                                 "Secret\"]}";

struct fuzzing {
    struct arena *arena;
    const struct cc_type *type;
    const struct cc_node *root;
    const struct schema_block *schema;
    struct diags diags;
};

/* The part of a value that can be configured. */
static const struct value *configurable(struct arena *a, const struct cc_node *node, const struct value *v)
{
    if (cc_is_computed_only(node) && node->name.n > 0)
        return value_null(a, node->type);
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element))
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = configurable(a, cc_part_node(node, i), v->elements[i]);
    return cc_make(a, node, parts, node->kind == CC_MAP ? v->keys : NULL, v->n);
}

static void there_and_back(struct fuzzing *f, const struct value *v)
{
    const struct json *document = cc_document(f->arena, f->root, v, CC_DOCUMENT_ALL, &f->diags);
    must_hold(document != NULL);
    const struct value *again = cc_document_read(f->arena, f->root, document, NULL, &f->diags);
    must_hold(again && cc_equal(f->arena, f->root, v, again));
    must_hold(cc_hash(f->arena, f->root, v) == cc_hash(f->arena, f->root, again));
}

static void from_one_to_the_other(struct fuzzing *f, const struct value *x, const struct value *y)
{
    const struct json *patch = cc_patch(f->arena, f->root, x, y, &f->diags);
    must_hold(patch != NULL);
    const struct json *before = cc_document(f->arena, f->root, x, CC_DOCUMENT_BEFORE, &f->diags);
    must_hold(cc_patch_apply(f->arena, before, patch, &f->diags) != NULL);
    must_hold(cc_patch(f->arena, f->root, x, x, &f->diags)->array.n == 0);
}

static void refresh(struct fuzzing *f, const struct value *prior, const struct value *read)
{
    const struct value *once = cc_refreshed(f->arena, f->root, prior, read), *twice = cc_refreshed(f->arena, f->root, once, read);
    must_hold(value_raw_eq(once, twice));
    const struct value *sorted = cc_in_fixed_order(f->arena, f->root, read);
    must_hold(value_raw_eq(sorted, cc_in_fixed_order(f->arena, f->root, sorted)));
    const struct json *document = cc_document(f->arena, f->root, read, CC_DOCUMENT_ALL, &f->diags);
    const struct json *by_key = document ? cc_json_sorted_by_key(f->arena, document) : NULL;
    must_hold(!by_key || json_eq(by_key, cc_json_sorted_by_key(f->arena, by_key)));
    (void)cc_changed(f->arena, f->root, prior, read);
}

static void change(struct fuzzing *f, const struct value *prior, const struct value *config)
{
    static const struct cc_tag tag = {{"k", 1}, {"v", 1}};
    struct change_issues issues = {.arena = f->arena};
    struct cc_plan_input in = {.prior = prior, .config = config, .default_tags = {&tag, 1}};
    struct cc_plan plan;
    in.proposed = change_proposed_new(f->arena, f->schema, prior, config);
    cc_plan_type(f->arena, f->type, &in, &plan);
    must_hold(change_check_plan(&issues, f->schema, prior, config, plan.planned));
    const struct value *result = cc_fill(f->arena, f->root, plan.planned, cc_has_content(prior) ? prior : config);
    must_hold(result->wholly_known);
    must_hold(change_check_result(&issues, f->schema, plan.planned, result));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct fuzzing f = {.arena = a};
    diags_init(&f.diags, a);
    const struct json *input = json_parse(a, (struct str){(const char *)data, size}, "fuzz", &f.diags);
    const struct json *one = json_get(input, "a"), *other = json_get(input, "b"), *patch = json_get(input, "patch");
    const struct json *patched = one && patch ? cc_patch_apply(a, one, patch, &f.diags) : NULL;
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct json_writer w = {.out = &text};
    if (patched)
        json_write(&w, patched);
    if (!one || !other || one->kind != JSON_OBJECT || other->kind != JSON_OBJECT)
        return 0;
    diags_init(&f.diags, a);
    f.type = cc_translate(a, cfn_schema_parse(a, str_of(schema_text), "fuzz", &f.diags), CFN_MODE_DEFAULT);
    f.root = f.type->root;
    struct schema_builder *b = schema_builder_new(a);
    f.schema = cc_schema_resource(b, f.type)->block;
    const struct value *x = cc_document_read(a, f.root, one, &(struct cc_read_notes){0}, &f.diags);
    const struct value *y = cc_document_read(a, f.root, other, NULL, &f.diags);
    if (x && y) {
        there_and_back(&f, x);
        from_one_to_the_other(&f, x, y);
        refresh(&f, x, y);
        change(&f, x, configurable(a, f.root, y));
        change(&f, value_null(a, f.root->type), configurable(a, f.root, y));
    }
    (void)schema_builder_end(b);
    return 0;
}
