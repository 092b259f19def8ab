/*
 * For tests of complete object lifecycles: random configurations for any type, and a service as difficult as real ones. It
 * returns unordered arrays in a different order each time, omits empty lists and defaults, never returns write-only properties,
 * adds values of its own, and applies patches to what it returned, not to what it was sent.
 */
#pragma once

#include "cloudcontrol/compare.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/patch.h"
#include "cloudcontrol/refresh.h"
#include "cloudcontrol/testing_documents.h"

struct testing_random {
    struct arena *arena;
    uint64_t state;
    size_t unique; /* counter for unique values */
};

static inline uint64_t testing_next(struct testing_random *r, uint64_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (r->state * 0x2545f4914f6cdd1d >> 16) % below;
}

static inline bool testing_chance(struct testing_random *r, uint64_t one_in)
{
    return testing_next(r, one_in) == 0;
}

static inline struct str testing_unique(struct testing_random *r)
{
    return arena_printf(r->arena, "unique-%zu", r->unique++);
}

/* --- values --- */

/* The lists contain the same JSON, or time, in different formats. */
static inline struct str testing_random_text(struct testing_random *r, const struct cc_node *node, bool unique)
{
    static const char *const words[] = {"", "a", "b", "c", "a/b~c", "\xc3\xa9", "[1]"};
    static const char *const json[] = {
        "{\"a\":1,\"b\":[2,1]}", "{ \"b\": [2, 1], \"a\": 1 }", "[]", "{\"x\":\"<&>\"}", "\"text\"", "1.50"};
    static const char *const times[] = {"2023-07-25T20:43:16Z", "2023-07-25T20:43:16+00:00", "2024-01-01T00:00:00+01:00"};
    if (node->text == CC_TEXT_JSON)
        return unique ? arena_printf(r->arena, "{\"u\":%zu}", r->unique++)
                      : str_of(json[testing_next(r, sizeof json / sizeof json[0])]);
    if (node->text == CC_TEXT_RFC3339)
        return unique ? arena_printf(r->arena, "%04zu-01-01T00:00:00Z", r->unique++ % 9999) : str_of(times[testing_next(r, 3)]);
    return unique ? testing_unique(r) : str_of(words[testing_next(r, sizeof words / sizeof words[0])]);
}

static inline const struct value *testing_random_number(struct testing_random *r, const struct cc_node *node, bool unique)
{
    static const char *const numbers[] = {"0", "-1", "9007199254740993", "1000000", "5"};
    static const char *const fractions[] = {"0.1", "1.5", "-2.25", "3", "0.30000000000000004"};
    struct number n;
    struct str text = unique ? arena_printf(r->arena, "%zu", 1000 + r->unique++)
                             : str_of((node->kind == CC_INT64 ? numbers : fractions)[testing_next(r, 5)]);
    assert_true(number_parse(r->arena, text, &n));
    return value_number(r->arena, n);
}

/* Drops elements that the service would not accept: equal elements of a set, and elements with a missing or duplicate key. */
static inline size_t testing_drop_equal(struct arena *a, const struct cc_node *node, const struct value **v, size_t n)
{
    size_t left = 0;
    bool keyed = cc_key_node(node->element) != NULL;
    for (size_t i = 0; i < n; i++) {
        struct str key = cc_key_of(node->element, v[i]);
        bool twice = keyed && key.n == 0;
        for (size_t k = 0; k < left; k++)
            twice |= (keyed && str_eq(key, cc_key_of(node->element, v[k]))) ||
                     (node->order == CC_UNORDERED && cc_equal(a, node->element, v[k], v[i]));
        if (!twice)
            v[left++] = v[i];
    }
    return left;
}

/* `unique`: as a service invents values, complete and unique; else as a configuration, with required and some optional parts. */
static inline const struct value *testing_random_value(struct testing_random *r, const struct cc_node *node, bool unique,
                                                       size_t depth);

static inline const struct value *testing_random_child(struct testing_random *r, const struct cc_node *child, bool unique,
                                                       size_t depth)
{
    enum { DEEP = 5 };
    bool must = child->cf_required || child->required;
    bool mine = child->role == CC_ROLE_PROPERTY &&
                (unique ? !child->write_only : !cc_is_computed_only(child) && !child->starred_read_only);
    if (!mine || (!must && (depth > DEEP || !testing_chance(r, 2))))
        return value_null(r->arena, child->type);
    return testing_random_value(r, child, unique, depth);
}

static inline const struct value *testing_random_value(struct testing_random *r, const struct cc_node *node, bool unique,
                                                       size_t depth)
{
    struct arena *a = r->arena;
    if (cc_is_lost(node) || (node->element && cc_is_lost(node->element)))
        return value_null(a, node->type);
    if (node->kind == CC_BOOL)
        return value_bool(a, testing_chance(r, 2));
    if (node->kind == CC_INT64 || node->kind == CC_FLOAT64)
        return testing_random_number(r, node, unique);
    if (node->kind == CC_STRING)
        return value_string(a, testing_random_text(r, node, unique));
    size_t n = node->kind == CC_OBJECT ? node->n_children : depth > 8 ? 0 : testing_next(r, 4);
    const struct value **parts = arena_make_n(a, const struct value *, n);
    struct str *keys = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++) {
        keys[i] = testing_unique(r);
        parts[i] = node->kind == CC_OBJECT ? testing_random_child(r, &node->children[i], unique, depth + 1)
                                           : testing_random_value(r, node->element, unique, depth + 1);
    }
    if (node->kind == CC_LIST || node->kind == CC_SET)
        n = testing_drop_equal(a, node, parts, n);
    /* A service returns nothing for its own empty lists. */
    return n == 0 && unique && node->kind != CC_OBJECT && node->name.n > 0 ? value_null(a, node->type)
                                                                           : cc_make(a, node, parts, keys, n);
}

static inline const struct value *testing_random_config(struct testing_random *r, const struct cc_node *root)
{
    return testing_random_value(r, root, false, 0);
}

static inline void testing_shuffle(struct testing_random *r, const struct value **v, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = testing_next(r, i);
        const struct value *swap = v[i - 1];
        v[i - 1] = v[k];
        v[k] = swap;
    }
}

/* The same value in another form: unordered lists are shuffled. */
static inline const struct value *testing_reword(struct testing_random *r, const struct cc_node *node, const struct value *v)
{
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element))
        return v;
    const struct value **parts = arena_make_n(r->arena, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = testing_reword(r, cc_part_node(node, i), v->elements[i]);
    if (node->kind == CC_LIST && cc_is_unordered(node))
        testing_shuffle(r, parts, v->n);
    return cc_make(r->arena, node, parts, node->kind == CC_MAP ? v->keys : NULL, v->n);
}

/* Another configuration: changes some values; adds, removes and moves elements. Create-only properties stay. */
static inline const struct value *testing_mutate(struct testing_random *r, const struct cc_node *node, const struct value *v,
                                                 size_t depth)
{
    struct arena *a = r->arena;
    bool must = node->cf_required || node->required, settable = node->role == CC_ROLE_PROPERTY && !cc_is_computed_only(node);
    if (!settable || node->create_only || node->starred_read_only)
        return v;
    if (node->parent && testing_chance(r, 8))
        return testing_chance(r, 4) && !must && node->name.n > 0 ? value_null(a, node->type)
                                                                 : testing_random_value(r, node, false, depth);
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element) || cc_is_lost(node) ||
        (node->element && cc_is_lost(node->element)))
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n + 1);
    struct str *keys = arena_make_n(a, struct str, v->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (node->kind != CC_OBJECT && testing_chance(r, 5))
            continue;
        if (node->kind == CC_MAP)
            keys[n] = v->keys[i];
        parts[n++] = testing_mutate(r, cc_part_node(node, i), v->elements[i], depth + 1);
    }
    if (node->kind != CC_OBJECT && testing_chance(r, 4)) {
        keys[n] = testing_unique(r);
        parts[n++] = testing_random_value(r, node->element, false, depth + 1);
    }
    if (node->kind == CC_LIST && testing_chance(r, 4))
        testing_shuffle(r, parts, n);
    if (node->kind == CC_LIST || node->kind == CC_SET)
        n = testing_drop_equal(a, node, parts, n);
    return cc_make(a, node, parts, keys, n);
}

/* --- the service --- */

struct testing_service {
    struct testing_random *random;
    const struct cc_node *root;
    const struct value *object;
    bool inventive; /* adds values of its own, to new objects only: what was absent once stays absent */
};

/* Sets read-only properties, and now and then a property that is not set. */
static inline const struct value *testing_complete(struct testing_service *s, const struct cc_node *node, const struct value *v)
{
    struct testing_random *r = s->random;
    bool own = node->name.n > 0 && node->role == CC_ROLE_PROPERTY && value_is_null(v) && !node->write_only;
    if (own && (cc_is_computed_only(node) || node->starred_read_only ||
                (s->inventive && !cc_static_default(node) && testing_chance(r, 6))))
        return testing_random_value(r, node, true, 6);
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element) || cc_is_lost(node))
        return v;
    const struct value **parts = arena_make_n(r->arena, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = testing_complete(s, cc_part_node(node, i), v->elements[i]);
    return cc_make(r->arena, node, parts, node->kind == CC_MAP ? v->keys : NULL, v->n);
}

/* Does it contain nothing that can be returned? */
static inline bool testing_is_secret(const struct cc_node *node, const struct value *v)
{
    if (node->write_only || cc_is_null_or_empty(v))
        return true;
    if (cc_is_empty_throughout(v))
        return false; /* the presence of an empty object is information */
    for (size_t i = 0; node->kind == CC_OBJECT && i < v->n; i++)
        if (!testing_is_secret(&node->children[i], v->elements[i]))
            return false;
    return node->kind == CC_OBJECT;
}

/* The value as the service returns it. */
static inline const struct value *testing_shown(struct testing_service *s, const struct cc_node *node, const struct value *v)
{
    struct testing_random *r = s->random;
    const struct value *none = value_null(r->arena, node->type);
    const struct value *by_default = cc_static_default(node);
    if (node->write_only || (by_default && cc_equal(r->arena, node, v, by_default) && testing_chance(r, 2)))
        return none;
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element))
        return v;
    const struct value **parts = arena_make_n(r->arena, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = testing_shown(s, cc_part_node(node, i), v->elements[i]);
    if (cc_is_unordered(node))
        testing_shuffle(r, parts, v->n);
    if (node->kind == CC_OBJECT && node->name.n > 0 && testing_is_secret(node, v) && testing_chance(r, 2))
        return none;
    return v->n == 0 && node->kind != CC_OBJECT && node->name.n > 0 && !by_default
               ? none
               : cc_make(r->arena, node, parts, node->kind == CC_MAP ? v->keys : NULL, v->n);
}

static inline const struct json *testing_get(struct testing_service *s)
{
    struct diags diags;
    diags_init(&diags, s->random->arena);
    const struct json *j = cc_document(s->random->arena, s->root, testing_shown(s, s->root, s->object), CC_DOCUMENT_ALL, &diags);
    testing_no_errors(&diags);
    return j;
}

static inline const struct value *testing_read(struct testing_service *s, const struct json *document)
{
    struct diags diags;
    diags_init(&diags, s->random->arena);
    const struct value *v = cc_document_read(s->random->arena, s->root, document, NULL, &diags);
    testing_no_errors(&diags);
    return v;
}

/* `planned` distinguishes empty lists from absent ones, which reading does not: a service adds no values where the list was
 * explicitly empty. */
static inline void testing_create(struct testing_service *s, const struct json *desired, const struct value *planned)
{
    struct arena *a = s->random->arena;
    const struct value *sent = cc_refreshed(a, s->root, value_unknown_to_null(a, planned), testing_read(s, desired));
    s->inventive = true;
    s->object = testing_complete(s, s->root, sent);
    s->inventive = false;
}

/* Did something create-only change, outside of arrays? */
static inline bool testing_breaks_rules(struct arena *a, const struct cc_node *node, const struct value *before,
                                        const struct value *after)
{
    if (node->create_only && !node->write_only)
        return !cc_equal(a, node, before, after);
    for (size_t i = 0; node->kind == CC_OBJECT && cc_has_content(before) && cc_has_content(after) && i < node->n_children; i++)
        if (testing_breaks_rules(a, &node->children[i], before->elements[i], after->elements[i]))
            return true;
    return false;
}

static inline bool testing_has_read_only(const struct cc_node *node, const struct value *v)
{
    if (cc_is_read_only(node) && node->name.n > 0)
        return !value_is_null(v);
    for (size_t i = 0; cc_has_content(v) && (node->kind == CC_OBJECT || node->element) && i < v->n; i++)
        if (testing_has_read_only(cc_part_node(node, i), v->elements[i]))
            return true;
    return false;
}

/* The operations that set a property of the object itself. */
static inline const struct json *testing_top_level(struct arena *a, const struct json *patch)
{
    const struct json **ops = arena_make_n(a, const struct json *, patch->array.n);
    size_t n = 0;
    for (size_t i = 0; i < patch->array.n; i++) {
        const struct json *op = patch->array.items[i];
        struct str path = testing_member(op, "path");
        struct json_member add[] = {{.key = STR("op"), .value = json_make_string(a, STR("add"))},
                                    {.key = STR("path"), .value = json_get(op, "path")},
                                    {.key = STR("value"), .value = json_get(op, "value")}};
        if (add[2].value && str_find(path, '/', 1) == SIZE_MAX)
            ops[n++] = json_make_object(a, add, 3);
    }
    return json_make_array(a, ops, n);
}

/* Returns NULL, or what is wrong with the patch. Afterwards write-only properties are in the object only if they were sent. */
static inline const char *testing_update(struct testing_service *s, const struct json *patch)
{
    struct arena *a = s->random->arena;
    struct diags diags;
    diags_init(&diags, a);
    const struct json *current = testing_get(s), *changed = cc_patch_apply(a, current, patch, &diags);
    const struct json *added = cc_patch_apply(a, json_make_object(a, NULL, 0), testing_top_level(a, patch), &diags);
    if (diags.n > 0)
        return testing_said(&diags);
    const struct value *after = testing_read(s, changed);
    if (testing_breaks_rules(a, s->root, testing_read(s, current), after))
        return "something create-only is changed";
    if (testing_has_read_only(s->root, testing_read(s, added)))
        return "something read-only is sent";
    s->object = testing_complete(s, s->root, after);
    return NULL;
}
