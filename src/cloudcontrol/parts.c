#include "cloudcontrol/parts.h"

#include <stdlib.h>

struct path cc_place_path(struct arena *a, const struct cc_place *place)
{
    size_t n = 0;
    for (const struct cc_place *p = place; p; p = p->up)
        n++;
    struct path_step *steps = arena_make_n(a, struct path_step, n);
    size_t i = n;
    for (const struct cc_place *p = place; p; p = p->up)
        steps[--i] = p->step;
    return (struct path){steps, n};
}

struct cc_place cc_place_of(const struct cc_place *up, const struct cc_node *node, const struct value *v, size_t i)
{
    struct path_step step = {.name = STR_EMPTY};
    switch (node->kind) {
    case CC_OBJECT:
        step.kind = PATH_ATTR;
        step.name = node->children[i].name;
        break;
    case CC_MAP:
        step.kind = PATH_KEY;
        step.name = v->keys[i];
        break;
    case CC_SET:
        step.kind = PATH_ELEMENT;
        step.element = v->elements[i];
        break;
    default:
        step.kind = PATH_INDEX;
        step.index = (int64_t)i;
        break;
    }
    return (struct cc_place){up, step};
}

bool cc_is_empty(const struct value *v)
{
    if (v->state != VALUE_KNOWN || !type_is_collection(v->type))
        return value_is_null(v);
    for (size_t i = 0; i < v->n; i++)
        if (!value_is_null(v->elements[i]))
            return false;
    return true;
}

bool cc_holds_nothing(const struct value *v)
{
    if (cc_is_empty(v))
        return true;
    if (!cc_has_content(v) || v->type->kind != TYPE_OBJECT)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (!cc_holds_nothing(v->elements[i]))
            return false;
    return true;
}

bool cc_is_bare(const struct cc_node *node, const struct value *v)
{
    if (node->write_only || cc_is_read_only(node) || cc_is_empty(v))
        return true;
    if (!cc_has_content(v) || node->kind != CC_OBJECT)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (!cc_is_bare(&node->children[i], v->elements[i]))
            return false;
    return true;
}

bool cc_may_have_write_only(const struct cc_node *node)
{
    for (size_t i = 0; i < node->n_children; i++)
        if (node->children[i].write_only || cc_may_have_write_only(&node->children[i]))
            return true;
    return false;
}

bool cc_is_create_and_write_only(const struct cc_node *node)
{
    bool create_only = false, write_only = false;
    for (; node; node = node->parent) {
        create_only |= node->create_only;
        write_only |= node->write_only;
    }
    return create_only && write_only;
}

const struct value *cc_make(struct arena *a, const struct cc_node *node, const struct value *const *parts, const struct str *keys,
                            size_t n)
{
    switch (node->kind) {
    case CC_OBJECT:
        return value_object(a, node->type, parts);
    case CC_MAP:
        return value_map(a, node->element->type, keys, parts, n);
    case CC_SET:
        return value_set(a, node->element->type, parts, n);
    default:
        return value_list(a, node->element->type, parts, n);
    }
}

const struct cc_node *cc_key_node(const struct cc_node *element)
{
    if (element->kind != CC_OBJECT || element->cut)
        return NULL;
    const struct cc_node *key = cc_node_cf_child(element, STR("Key"));
    if (!key)
        key = cc_node_cf_child(element, STR("key"));
    return key && key->kind == CC_STRING ? key : NULL;
}

struct str cc_key_of(const struct cc_node *element, const struct value *v)
{
    const struct cc_node *key = cc_key_node(element);
    const struct value *text = key ? cc_part(v, (size_t)(key - element->children)) : NULL;
    return cc_has_content(text) ? text->string : STR_EMPTY;
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
