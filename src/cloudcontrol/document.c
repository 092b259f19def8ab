/*
 * Converts Terraform values to Cloud Control documents. The other direction is document_read.c.
 */
#include "cloudcontrol/document.h"

#include "cloudcontrol/node_value_private.h"

#include <assert.h>
#include <stdlib.h>

struct writing {
    struct arena *arena;
    enum cc_document_use use;
    struct diags *diags;
    bool failed;
};

struct at {
    const struct trail *place;
    size_t depth;
};

bool cc_document_wraps(const struct cc_node *node)
{
    return node->kind == CC_OBJECT && !node->cut && str_eqz(json_text(json_get(node->source, "type"), STR_EMPTY), "array");
}

bool cc_document_omits(enum cc_document_use use, const struct cc_node *node)
{
    bool element = node->name.n == 0;
    if (element || use == CC_DOCUMENT_ALL)
        return false;
    /*
     * In a new object starred_read_only properties exist only if they are configured; the service decides whether that is
     * valid.
     */
    if (use == CC_DOCUMENT_CREATE)
        return cc_is_computed_only(node);
    return cc_is_read_only(node) || (use == CC_DOCUMENT_BEFORE && node->write_only) || cc_is_create_and_write_only(node);
}

static size_t json_depth(const struct json *j)
{
    size_t deepest = 0, n = j->kind == JSON_ARRAY ? j->array.n : j->kind == JSON_OBJECT ? j->object.n : 0;
    for (size_t i = 0; i < n; i++) {
        size_t depth = json_depth(j->kind == JSON_ARRAY ? j->array.items[i] : j->object.members[i].value);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

static const struct json *fail(struct writing *w, const struct at *at, const char *detail)
{
    w->failed = true;
    (void)diags_fail_at(w->diags, trail_path(w->arena, PATH_ROOT, at->place), "Invalid JSON String Value", "%s", detail);
    return NULL;
}

/* The message does not contain the string itself: it may be a secret. */
static const struct json *write_json_text(struct writing *w, struct str text, const struct at *at)
{
    struct diags why;
    diags_init(&why, w->arena);
    const struct json *j = json_parse(w->arena, text, "value", &why);
    if (!j)
        return fail(w, at, arena_printf(w->arena, "The text is not JSON: " STR_FMT, STR_ARG(why.v[0].detail)).p);
    return at->depth + json_depth(j) > JSON_MAX_DEPTH ? fail(w, at, "The JSON is nested too deeply.") : j;
}

static const struct json *write(struct writing *w, const struct cc_node *node, const struct value *v, const struct at *at);

static const struct json *write_array(struct writing *w, const struct cc_node *node, const struct value *v, const struct at *at)
{
    const struct json **items = arena_make_n(w->arena, const struct json *, v->n);
    size_t n = 0;
    assert(node->element);
    for (size_t i = 0; i < v->n; i++) {
        struct trail step = trail_element(at->place, v, i);
        struct at inner = {&step, at->depth + 1};
        const struct json *item = write(w, node->element, v->elements[i], &inner);
        if (item)
            items[n++] = item;
    }
    return json_make_array(w->arena, items, n);
}

static const struct json *write_map(struct writing *w, const struct cc_node *node, const struct value *v, const struct at *at)
{
    struct json_member *members = arena_make_n(w->arena, struct json_member, v->n);
    size_t n = 0;
    assert(node->element);
    for (size_t i = 0; i < v->n; i++) {
        struct trail step = trail_element(at->place, v, i);
        struct at inner = {&step, at->depth + 1};
        const struct json *item = write(w, node->element, v->elements[i], &inner);
        if (item)
            members[n++] = (struct json_member){.key = v->keys[i], .value = item};
    }
    return json_make_object(w->arena, members, n);
}

static const struct json *write_object(struct writing *w, const struct cc_node *node, const struct value *v, const struct at *at)
{
    struct json_member *members = arena_make_n(w->arena, struct json_member, node->n_children);
    size_t n = 0;
    for (size_t i = 0; i < node->n_children; i++) {
        size_t k = node->by_cf_name[i];
        const struct cc_node *child = &node->children[k];
        struct trail step = trail_element(at->place, v, k);
        struct at inner = {&step, at->depth + 1};
        if (child->role != CC_ROLE_PROPERTY || cc_document_omits(w->use, child))
            continue;
        const struct json *item = write(w, child, v->elements[k], &inner);
        if (item)
            members[n++] = (struct json_member){.key = child->cf_name, .value = item};
    }
    const struct json *object = json_make_object(w->arena, members, n);
    return cc_document_wraps(node) ? json_make_array(w->arena, &object, 1) : object;
}

/* NULL: nothing to write. */
static const struct json *write(struct writing *w, const struct cc_node *node, const struct value *v, const struct at *at)
{
    if (!cc_has_content(v) || cc_is_lost(node) || (node->element && cc_is_lost(node->element)))
        return NULL;
    switch (node->kind) {
    case CC_BOOL:
        return json_make_bool(w->arena, v->boolean);
    case CC_INT64:
    case CC_FLOAT64:
        return number_is_infinite(v->number) ? NULL : json_make_number(w->arena, number_text(w->arena, v->number));
    case CC_STRING:
        return node->text == CC_TEXT_JSON ? write_json_text(w, v->string, at) : json_make_string(w->arena, v->string);
    case CC_LIST:
    case CC_SET:
        return write_array(w, node, v, at);
    case CC_MAP:
        return write_map(w, node, v, at);
    case CC_OBJECT:
        return write_object(w, node, v, at);
    }
    return NULL;
}

const struct json *cc_document_part(struct arena *a, const struct cc_node *node, const struct value *v, enum cc_document_use use,
                                    struct diags *diags)
{
    struct writing w = {.arena = a, .use = use, .diags = diags};
    struct at at = {0};
    for (const struct cc_node *up = node->parent; up; up = up->parent)
        at.depth++;
    if (cc_document_omits(use, node))
        return NULL;
    const struct json *j = write(&w, node, v, &at);
    return w.failed ? NULL : j;
}

const struct json *cc_document(struct arena *a, const struct cc_node *root, const struct value *v, enum cc_document_use use,
                               struct diags *diags)
{
    return cc_document_part(a, root, v, use, diags);
}

/* --- JSON texts --- */

static int by_key(const void *a, const void *b)
{
    return str_cmp((*(const struct json_member *const *)a)->key, (*(const struct json_member *const *)b)->key);
}

static void write_sorted(struct arena *a, struct json_writer *w, const struct json *j)
{
    if (j->kind == JSON_ARRAY) {
        json_begin_array(w);
        for (size_t i = 0; i < j->array.n; i++)
            write_sorted(a, w, j->array.items[i]);
        json_end_array(w);
        return;
    }
    if (j->kind != JSON_OBJECT) {
        json_write(w, j);
        return;
    }
    const struct json_member **members = arena_make_n(a, const struct json_member *, j->object.n);
    for (size_t i = 0; i < j->object.n; i++)
        members[i] = &j->object.members[i];
    if (j->object.n > 1)
        qsort(members, j->object.n, sizeof(const struct json_member *), by_key);
    json_begin_object(w);
    for (size_t i = 0; i < j->object.n; i++) {
        json_key(w, members[i]->key);
        write_sorted(a, w, members[i]->value);
    }
    json_end_object(w);
}

struct str cc_json_text(struct arena *a, const struct json *j)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(CC_MAX_JSON_TEXT);
    struct json_writer w = {.out = &text, .html_escape = true};
    write_sorted(scratch, &w, j);
    (void)json_finish(&w);
    return buf_copy(&text, a);
}
