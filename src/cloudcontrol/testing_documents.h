/*
 * For the tests of values and documents: makes node trees and values from strings.
 *
 * Values are written as JSON, with null for null and {"$": "unknown"} for unknown; absent attributes are null.
 */
#pragma once

#include "cloudcontrol/document.h"
#include "cloudcontrol/node_value_private.h"
#include "translate/testing_translate.h"

/* --- node trees --- */

/* How to make a node tree from a Terraform type. `names` maps to CloudFormation's names (NULL: the same), `json` (may be NULL)
 * lists the attributes that contain JSON. */
struct testing_shape {
    const struct json *names, *json;
    enum cc_order order; /* of lists */
};

static inline struct str testing_cf_name(const struct testing_shape *shape, struct str name)
{
    return json_text(json_get_str(shape->names, name), name);
}

static inline bool testing_holds_json(const struct testing_shape *shape, struct str name)
{
    for (size_t i = 0; shape->json && i < shape->json->array.n; i++)
        if (str_eq(shape->json->array.items[i]->text, name))
            return true;
    return false;
}

static inline int testing_by_cf_name(const void *a, const void *b, void *children)
{
    const struct cc_node *v = children;
    return str_cmp(v[*(const uint32_t *)a].cf_name, v[*(const uint32_t *)b].cf_name);
}

static inline void testing_fill_node(struct arena *a, struct cc_node *node, const struct type *t,
                                     const struct testing_shape *shape)
{
    static const enum cc_kind kinds[] = {
        [TYPE_STRING] = CC_STRING, [TYPE_NUMBER] = CC_FLOAT64, [TYPE_BOOL] = CC_BOOL,    [TYPE_LIST] = CC_LIST,
        [TYPE_SET] = CC_SET,       [TYPE_MAP] = CC_MAP,        [TYPE_OBJECT] = CC_OBJECT};
    node->kind = kinds[t->kind];
    node->type = t;
    node->order = t->kind == TYPE_SET ? CC_UNORDERED : t->kind == TYPE_LIST ? shape->order : CC_ORDERED;
    if (type_is_collection(t)) {
        struct cc_node *element = arena_make(a, struct cc_node);
        element->name = element->cf_name = STR_EMPTY;
        element->parent = node;
        testing_fill_node(a, element, t->element, shape);
        node->element = element;
    }
    if (t->kind != TYPE_OBJECT)
        return;
    struct cc_node *children = arena_make_n(a, struct cc_node, t->n);
    uint32_t *order = arena_make_n(a, uint32_t, t->n);
    for (size_t i = 0; i < t->n; i++) {
        struct cc_node *child = &children[i];
        child->name = t->attrs[i].name;
        child->cf_name = testing_cf_name(shape, child->name);
        child->parent = node;
        child->optional = child->computed = child->use_state_for_unknown = true;
        testing_fill_node(a, child, t->attrs[i].type, shape);
        if (testing_holds_json(shape, child->name))
            child->text = CC_TEXT_JSON;
        order[i] = (uint32_t)i;
    }
    qsort_r(order, t->n, sizeof order[0], testing_by_cf_name, children);
    node->children = children;
    node->by_cf_name = order;
    node->n_children = t->n;
}

static inline const struct cc_node *testing_node(struct arena *a, const struct json *type, const struct testing_shape *shape)
{
    struct diags diags;
    diags_init(&diags, a);
    struct cc_node *root = arena_make(a, struct cc_node);
    root->name = root->cf_name = STR_EMPTY;
    const struct type *t = type_from_json(a, type, &diags);
    testing_no_errors(&diags);
    testing_fill_node(a, root, t, shape);
    return root;
}

/* AWS::IoT::Thing with all handlers. */
static inline const struct cc_type *testing_thing(struct arena *a, enum cfn_mode mode, const char *members)
{
    const char *handlers =
        "\"handlers\":{\"create\":{\"permissions\":[]},\"read\":{\"permissions\":[]},\"update\":{\"permissions\":[]},"
        "\"delete\":{\"permissions\":[]}}";
    const struct cc_type *type = testing_type(a, mode, arena_printf(a, "%s,%s", handlers, members).p);
    assert_non_null(type->root);
    return type;
}

/* --- values --- */

static inline const struct value *testing_value_of(struct arena *a, const struct type *t, const struct json *j)
{
    if (!j || j->kind == JSON_NULL)
        return value_null(a, t);
    if (json_get(j, "$"))
        return value_unknown(a, t);
    size_t n = j->kind == JSON_ARRAY ? j->array.n : j->kind == JSON_OBJECT ? j->object.n : 0;
    const struct value **parts = arena_make_n(a, const struct value *, t->kind == TYPE_OBJECT ? t->n : n);
    struct str *keys = arena_make_n(a, struct str, n);
    struct number number = {0};
    switch (t->kind) {
    case TYPE_STRING:
        assert_int_equal(j->kind, JSON_STRING);
        return value_string(a, j->text);
    case TYPE_NUMBER:
        assert_true(j->kind == JSON_NUMBER && number_parse(a, j->text, &number));
        return value_number(a, number);
    case TYPE_BOOL:
        assert_int_equal(j->kind, JSON_BOOL);
        return value_bool(a, j->boolean);
    case TYPE_OBJECT:
        assert_int_equal(j->kind, JSON_OBJECT);
        for (size_t i = 0; i < n; i++)
            if (type_attr_find(t, j->object.members[i].key) == SIZE_MAX)
                fail_msg("no attribute %s", j->object.members[i].key.p);
        for (size_t i = 0; i < t->n; i++)
            parts[i] = testing_value_of(a, t->attrs[i].type, json_get_str(j, t->attrs[i].name));
        return value_object(a, t, parts);
    case TYPE_MAP:
        assert_int_equal(j->kind, JSON_OBJECT);
        for (size_t i = 0; i < n; i++) {
            keys[i] = j->object.members[i].key;
            parts[i] = testing_value_of(a, t->element, j->object.members[i].value);
        }
        return value_map(a, t->element, keys, parts, n);
    default:
        assert_int_equal(j->kind, JSON_ARRAY);
        for (size_t i = 0; i < n; i++)
            parts[i] = testing_value_of(a, t->element, j->array.items[i]);
        return t->kind == TYPE_SET ? value_set(a, t->element, parts, n) : value_list(a, t->element, parts, n);
    }
}

static inline const struct value *testing_value(struct arena *a, const struct type *t, const char *text)
{
    return testing_value_of(a, t, testing_jsonz(a, text));
}

static inline void testing_write_value(struct arena *a, struct json_writer *w, const struct value *v)
{
    if (v->state == VALUE_UNKNOWN)
        json_write_raw(w, STR("{\"$\":\"unknown\"}"));
    else if (value_is_null(v))
        json_write_null(w);
    else if (v->type->kind == TYPE_STRING)
        json_write_string(w, v->string);
    else if (v->type->kind == TYPE_NUMBER)
        json_write_number(w, number_text(a, v->number));
    else if (v->type->kind == TYPE_BOOL)
        json_write_bool(w, v->boolean);
    else {
        bool keyed = v->type->kind == TYPE_OBJECT || v->type->kind == TYPE_MAP;
        keyed ? json_begin_object(w) : json_begin_array(w);
        for (size_t i = 0; i < v->n; i++) {
            /* Null attributes are not written. */
            if (v->type->kind == TYPE_OBJECT && value_is_null(v->elements[i]))
                continue;
            if (keyed)
                json_key(w, v->type->kind == TYPE_MAP ? v->keys[i] : v->type->attrs[i].name);
            testing_write_value(a, w, v->elements[i]);
        }
        keyed ? json_end_object(w) : json_end_array(w);
    }
}

static inline const char *testing_value_text(struct arena *a, const struct value *v)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    testing_write_value(a, &w, v);
    (void)json_finish(&w);
    return buf_copy(&out, a).p;
}

static inline void testing_same(struct arena *a, const struct value *got, const struct value *want)
{
    if (!value_raw_eq(got, want))
        fail_msg("got  %s\nwant %s", testing_value_text(a, got), testing_value_text(a, want));
}

static inline void testing_is(struct arena *a, const struct value *got, const char *want)
{
    testing_same(a, got, testing_value(a, got->type, want));
}

static inline void testing_same_json(struct arena *a, const struct json *got, const struct json *want)
{
    if (!json_eq(got, want))
        fail_msg("got  %s\nwant %s", cc_json_text(a, got).p, cc_json_text(a, want).p);
}

static inline void testing_is_json(struct arena *a, const struct json *got, const char *want)
{
    testing_same_json(a, got, testing_jsonz(a, want));
}

/* Loops over the cases of a file of facts. */
#define testing_each_case(a, name, c)                                                                                            \
    const struct json *testing_cases = testing_facts((a), "cloudcontrol", (name));                                               \
    const struct json *c = NULL;                                                                                                 \
    for (size_t testing_i = 0; testing_i < testing_cases->array.n && (c = testing_cases->array.items[testing_i]); testing_i++)
