#include "cloudcontrol/patch.h"

#include "cloudcontrol/compare.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/fill.h"
#include "cloudcontrol/node_value_private.h"
#include "cloudcontrol/patch_list_private.h"
#include "cloudcontrol/refresh.h"

#include <stdlib.h>

enum { MAX_POINTER = 1 << 16 };

/* A step in a document: a member, or an element with its positions before and after all operations. */
struct step {
    const struct step *up;
    struct str key;
    bool index;
    size_t before, after;
};

struct op {
    const char *name;
    struct str pointer;
    const struct json *value; /* NULL: remove */
};

struct patching {
    struct arena *arena;
    struct diags *diags;
    VEC(struct op) ops;
    size_t size;  /* estimated size of the operations in bytes */
    bool changes; /* the patch contains more than resent write-only properties */
    bool failed;
};

/* --- pointers and operations --- */

static void write_escaped(struct buf *out, struct str key)
{
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] == '~')
            buf_addz(out, "~0");
        else if (key.p[i] == '/')
            buf_addz(out, "~1");
        else
            buf_addc(out, key.p[i]);
}

static void write_pointer(struct buf *out, const struct step *at, bool before)
{
    if (!at)
        return;
    write_pointer(out, at->up, before);
    buf_addc(out, '/');
    if (at->index)
        buf_printf(out, "%zu", before ? at->before : at->after);
    else
        write_escaped(out, at->key);
}

static size_t json_size(const struct json *j)
{
    size_t size = 2;
    switch (j->kind) {
    case JSON_STRING:
    case JSON_NUMBER:
        return size + j->text.n;
    case JSON_ARRAY:
        for (size_t i = 0; i < j->array.n; i++)
            size += json_size(j->array.items[i]) + 1;
        return size;
    case JSON_OBJECT:
        for (size_t i = 0; i < j->object.n; i++)
            size += j->object.members[i].key.n + 4 + json_size(j->object.members[i].value);
        return size;
    default:
        return size + 2;
    }
}

static void push(struct patching *p, const char *name, const struct step *at, const struct json *value)
{
    enum { FRAME = 24 }; /* {"op":"","path":""}, */
    struct buf pointer BUF_AUTO = BUF_INIT(MAX_POINTER);
    write_pointer(&pointer, at, !value);
    p->failed |= !buf_ok(&pointer);
    *VEC_PUSH(p->arena, &p->ops) = (struct op){name, buf_copy(&pointer, p->arena), value};
    p->size += FRAME + pointer.n + (value ? json_size(value) : 0);
}

static void push_remove(struct patching *p, const struct step *at)
{
    push(p, "remove", at, NULL);
    p->changes = true;
}

static const struct json *part(struct patching *p, const struct cc_node *node, const struct value *v)
{
    size_t errors = p->diags->n_errors;
    const struct json *j = cc_document_part(p->arena, node, v, CC_DOCUMENT_AFTER, p->diags);
    p->failed |= p->diags->n_errors > errors;
    return j;
}

static void push_value(struct patching *p, const char *name, const struct step *at, const struct cc_node *node,
                       const struct value *v, bool change)
{
    const struct json *value = part(p, node, v);
    if (!value)
        return;
    push(p, name, at, value);
    p->changes |= change;
}

/* --- which properties are sent --- */

/* The value for an update: without properties that are never part of one, and without null elements. */
static const struct value *strip(struct arena *a, const struct cc_node *node, const struct value *v)
{
    bool lost = cc_is_lost(node) || (node->element && cc_is_lost(node->element));
    if (lost || node->role != CC_ROLE_PROPERTY || cc_document_omits(CC_DOCUMENT_AFTER, node))
        return value_null(a, node->type);
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element))
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    struct str *keys = arena_make_n(a, struct str, v->n);
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct value *inner = strip(a, cc_part_node(node, i), v->elements[i]);
        if (node->kind != CC_OBJECT && value_is_null(inner))
            continue;
        if (node->kind == CC_MAP)
            keys[n] = v->keys[i];
        parts[n++] = inner;
    }
    return cc_make(a, node, parts, keys, n);
}

/* The plan with the prior create-only properties, except in elements of arrays, which may be added and removed. */
static const struct value *pin(struct arena *a, const struct cc_node *node, const struct value *before, const struct value *after)
{
    if (node->create_only)
        return before ? before : value_null(a, node->type);
    bool map = node->kind == CC_MAP, object = node->kind == CC_OBJECT && !cc_document_wraps(node);
    if (!cc_has_content(after) || (!map && !object))
        return after;
    const struct value **parts = arena_make_n(a, const struct value *, after->n);
    for (size_t i = 0; i < after->n; i++) {
        const struct value *was = object ? cc_part(before, i) : cc_has_content(before) ? value_get(before, after->keys[i]) : NULL;
        parts[i] = pin(a, cc_part_node(node, i), was, after->elements[i]);
    }
    return cc_make(a, node, parts, map ? after->keys : NULL, after->n);
}

/* Does it contain a write-only property that can be updated? */
static bool has_write_only(const struct cc_node *node, const struct value *v)
{
    if (value_is_null(v) || node->create_only)
        return false;
    if (node->write_only)
        return true;
    for (size_t i = 0; (node->kind == CC_OBJECT || node->element) && i < v->n; i++)
        if (has_write_only(cc_part_node(node, i), v->elements[i]))
            return true;
    return false;
}

/* Does the service's document contain a property? */
enum presence { ABSENT, PERHAPS, PRESENT };

static enum presence presence_of(struct patching *p, const struct cc_node *node, const struct value *v)
{
    bool entry = node->name.n == 0; /* an entry of a map, which is never omitted */
    if (value_is_null(v) || node->write_only)
        return ABSENT;
    if (entry)
        return PRESENT;
    bool by_default = node->default_kind != CC_DEFAULT_NONE && cc_equal(p->arena, node, v, node->by_default);
    return by_default || cc_service_may_omit(node, v) ? PERHAPS : PRESENT;
}

/* --- differences --- */

static void diff(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                 const struct step *at);

/* Is a part to be removed that may not exist? Then its object must be replaced. */
static bool must_be_rewritten(struct patching *p, const struct cc_node *node, const struct value *before,
                              const struct value *after)
{
    for (size_t i = 0; i < node->n_children; i++) {
        const struct cc_node *child = &node->children[i];
        bool goes = value_is_null(after->elements[i]) && child->kind == CC_OBJECT;
        if (goes && presence_of(p, child, before->elements[i]) == PERHAPS)
            return true;
    }
    return false;
}

static void diff_object(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                        const struct step *at)
{
    if (at && must_be_rewritten(p, node, before, after)) {
        push_value(p, "replace", at, node, after, true);
        return;
    }
    for (size_t i = 0; i < node->n_children; i++) {
        size_t k = node->by_cf_name[i];
        struct step step = {.up = at, .key = node->children[k].cf_name};
        diff(p, &node->children[k], before->elements[k], after->elements[k], &step);
    }
}

/* Both sides are sorted by key. */
static void diff_map(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                     const struct step *at)
{
    const struct value *none = value_null(p->arena, node->element->type);
    size_t i = 0, k = 0;
    while (i < before->n || k < after->n) {
        int order = i == before->n ? 1 : k == after->n ? -1 : str_cmp(before->keys[i], after->keys[k]);
        struct step step = {.up = at, .key = order <= 0 ? before->keys[i] : after->keys[k]};
        diff(p, node->element, order <= 0 ? before->elements[i] : none, order >= 0 ? after->elements[k] : none, &step);
        i += order <= 0;
        k += order >= 0;
    }
}

static void diff_element(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                         const struct step *at)
{
    struct patching inside = {.arena = p->arena, .diags = p->diags};
    if (node->kind == CC_OBJECT && !cc_document_wraps(node))
        diff_object(&inside, node, before, after, at);
    const struct json *whole = part(p, node, after);
    p->failed |= inside.failed;
    if (inside.ops.n == 0 || (whole && inside.size > json_size(whole))) {
        push_value(p, "replace", at, node, after, true);
        return;
    }
    for (size_t i = 0; i < inside.ops.n; i++)
        *VEC_PUSH(p->arena, &p->ops) = inside.ops.v[i];
    p->size += inside.size;
    p->changes |= inside.changes;
}

static void push_edits(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                       const struct cc_edit *edits, size_t n, const struct step *at)
{
    for (size_t i = 0; i < n; i++) {
        struct step step = {.up = at, .key = STR_EMPTY, .index = true, .before = edits[i].before, .after = edits[i].after};
        if (edits[i].kind == CC_EDIT_REMOVE)
            push_remove(p, &step);
        else if (edits[i].kind == CC_EDIT_ADD)
            push_value(p, "add", &step, node->element, after->elements[step.after], true);
        else
            diff_element(p, node->element, before->elements[step.before], after->elements[step.after], &step);
    }
}

static void diff_ordered(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                         const struct step *at)
{
    struct cc_edit *edits;
    size_t n;
    if (cc_edit_list(p->arena, node->element, before, after, &edits, &n))
        push_edits(p, node, before, after, edits, n, at);
    else
        push_value(p, "replace", at, node, after, true);
}

static void diff_array(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                       const struct step *at)
{
    bool secret = has_write_only(node, after), same = cc_equal(p->arena, node, before, after);
    if (secret)
        push_value(p, "add", at, node, after, !same);
    else if (same)
        return;
    else if (cc_is_unordered(node) || cc_key_node(node->element) || after->n == 0)
        push_value(p, "replace", at, node, after, true);
    else
        diff_ordered(p, node, before, after, at);
}

/* Both values certainly exist. */
static void diff_present(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                         const struct step *at)
{
    if (node->kind == CC_OBJECT && !cc_document_wraps(node))
        diff_object(p, node, before, after, at);
    else if (node->kind == CC_MAP)
        diff_map(p, node, before, after, at);
    else if (node->kind == CC_LIST || node->kind == CC_SET)
        diff_array(p, node, before, after, at);
    else if (!cc_equal(p->arena, node, before, after))
        push_value(p, "replace", at, node, after, true);
}

/* A member of an object or a map. */
static void diff(struct patching *p, const struct cc_node *node, const struct value *before, const struct value *after,
                 const struct step *at)
{
    enum presence was = presence_of(p, node, before);
    if (value_is_null(after)) {
        /* An empty collection, like a default, equals an absent one; but the presence of an empty object is information. */
        if (was == PRESENT || (was == PERHAPS && node->kind == CC_OBJECT))
            push_remove(p, at);
        return;
    }
    if (was == PRESENT) {
        diff_present(p, node, before, after, at);
        return;
    }
    bool same = value_is_null(before) == value_is_null(after) && cc_equal(p->arena, node, before, after);
    if (!same || has_write_only(node, after))
        push_value(p, "add", at, node, after, !same);
}

/* --- order --- */

static struct str next_step(struct str *rest)
{
    if (rest->n > 0 && rest->p[0] == '/')
        *rest = str_slice(*rest, 1, rest->n);
    size_t end = str_find(*rest, '/', 0);
    struct str step = str_slice(*rest, 0, end);
    *rest = str_slice(*rest, step.n, rest->n);
    return step;
}

static bool is_number(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

static int step_cmp(struct str a, struct str b)
{
    if (is_number(a) && is_number(b) && a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return str_cmp(a, b);
}

int cc_pointer_cmp(struct str a, struct str b)
{
    while (a.n > 0 && b.n > 0) {
        int order = step_cmp(next_step(&a), next_step(&b));
        if (order != 0)
            return order;
    }
    return a.n > 0 ? 1 : b.n > 0 ? -1 : 0;
}

struct sorting {
    const struct json *op;
    struct str path;
    bool removal;
    size_t index;
};

static int by_order(const void *a, const void *b)
{
    const struct sorting *x = a, *y = b;
    if (x->removal != y->removal)
        return x->removal ? -1 : 1;
    int order = x->removal ? -cc_pointer_cmp(x->path, y->path) : 0;
    return order != 0 ? order : x->index < y->index ? -1 : 1;
}

const struct json *cc_patch_sort(struct arena *a, const struct json *patch)
{
    size_t n = patch->array.n;
    struct sorting *v = arena_make_n(a, struct sorting, n);
    const struct json **sorted = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++) {
        const struct json *op = patch->array.items[i];
        v[i] = (struct sorting){op, json_text(json_get(op, "path"), STR_EMPTY),
                                str_eqz(json_text(json_get(op, "op"), STR_EMPTY), "remove"), i};
    }
    if (n > 1)
        qsort(v, n, sizeof v[0], by_order);
    for (size_t i = 0; i < n; i++)
        sorted[i] = v[i].op;
    return json_make_array(a, sorted, n);
}

/* --- the patch --- */

static const struct json *op_json(struct arena *a, const struct op *op)
{
    struct json_member members[] = {
        {.key = STR("op"), .value = json_make_string(a, str_of(op->name))},
        {.key = STR("path"), .value = json_make_string(a, op->pointer)},
        {.key = STR("value"), .value = op->value},
    };
    return json_make_object(a, members, op->value ? 3 : 2);
}

static const struct json *ops_json(struct patching *p)
{
    const struct json **items = arena_make_n(p->arena, const struct json *, p->ops.n);
    size_t n = p->changes ? p->ops.n : 0;
    for (size_t i = 0; i < n; i++)
        items[i] = op_json(p->arena, &p->ops.v[i]);
    return cc_patch_sort(p->arena, json_make_array(p->arena, items, n));
}

/* Replaces whole top-level properties: the fallback if a patch fails the check. */
static void diff_coarsely(struct patching *p, const struct cc_node *root, const struct value *before, const struct value *after)
{
    for (size_t i = 0; i < root->n_children; i++) {
        size_t k = root->by_cf_name[i];
        const struct cc_node *child = &root->children[k];
        struct step step = {.key = child->cf_name};
        bool same = cc_equal(p->arena, child, before->elements[k], after->elements[k]);
        if (same && !has_write_only(child, after->elements[k]))
            continue;
        if (!value_is_null(after->elements[k]))
            push_value(p, "add", &step, child, after->elements[k], !same);
        else if (presence_of(p, child, before->elements[k]) == PRESENT)
            push_remove(p, &step);
    }
}

struct both {
    const struct cc_node *root;
    const struct json *before, *after;
};

/* Does the patch turn one document into one with the same meaning as the other? */
static bool holds(struct arena *a, const struct both *documents, const struct json *patch)
{
    struct diags ignored;
    diags_init(&ignored, a);
    const struct json *result = cc_patch_apply(a, documents->before, patch, &ignored);
    const struct value *got = result ? cc_document_read(a, documents->root, result, NULL, &ignored) : NULL;
    const struct value *want = cc_document_read(a, documents->root, documents->after, NULL, &ignored);
    /* A default equals an absent value here. */
    return got && want &&
           cc_equal(a, documents->root, cc_refreshed(a, documents->root, NULL, got),
                    cc_refreshed(a, documents->root, NULL, want));
}

const struct json *cc_patch(struct arena *a, const struct cc_node *root, const struct value *prior, const struct value *planned,
                            struct diags *diags)
{
    const struct value *known = pin(a, root, prior, cc_fill_prior(a, root, planned, prior));
    const struct value *before = strip(a, root, prior), *after = strip(a, root, known);
    struct patching p = {.arena = a, .diags = diags};
    diff_object(&p, root, before, after, NULL);
    const struct json *patch = ops_json(&p);
    if (p.failed || patch->array.n == 0)
        return p.failed ? NULL : patch;
    struct both documents = {root, cc_document(a, root, prior, CC_DOCUMENT_BEFORE, diags),
                             cc_document(a, root, known, CC_DOCUMENT_AFTER, diags)};
    if (!documents.before || !documents.after)
        return NULL;
    if (holds(a, &documents, patch))
        return patch;
    struct patching coarse = {.arena = a, .diags = diags};
    diff_coarsely(&coarse, root, before, after);
    patch = ops_json(&coarse);
    if (!coarse.failed && holds(a, &documents, patch))
        return patch;
    (void)diags_fail(diags, "No patch found", "The change cannot be expressed as a patch. This is a bug in the provider.");
    return NULL;
}
