#include "cloudcontrol/refresh.h"

#include "cloudcontrol/compare.h"
#include "cloudcontrol/node_value_private.h"

#include <stdlib.h>

struct refreshing {
    struct arena *arena;
    bool defaults; /* defaults replace absent values */
};

static const struct value *refresh(const struct refreshing *s, const struct cc_node *node, const struct value *prior,
                                   const struct value *read, bool keep_empty);

/* --- order of elements --- */

struct element {
    const struct value *v;
    struct str key;
    size_t place; /* prior position; SIZE_MAX: new */
    size_t from;  /* position among the elements that were read */
};

/* Elements with a prior position first, in that order; then the others by key and content. */
static int by_place(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    int order = str_cmp(x->key, y->key);
    return order != 0 ? order : value_cmp(x->v, y->v);
}

static const struct value *make_sorted(const struct refreshing *s, const struct cc_node *node, struct element *elements, size_t n)
{
    const struct value **v = arena_make_n(s->arena, const struct value *, n);
    if (cc_is_unordered(node) && n > 1)
        qsort(elements, n, sizeof elements[0], by_place);
    for (size_t i = 0; i < n; i++)
        v[i] = elements[i].v;
    return cc_make(s->arena, node, v, NULL, n);
}

/* --- matching elements --- */

struct matching {
    const struct cc_node *element;
    const struct value *prior, *read;
    size_t *partners; /* by element read */
    bool *taken;      /* by prior element */
    bool *same;       /* by element read: unchanged */
};

static void take(struct matching *m, size_t read, size_t prior)
{
    m->partners[read] = prior;
    m->taken[prior] = true;
}

/* Matches by whole content, then without read-only parts. */
static void match_content(const struct refreshing *s, struct matching *m)
{
    const struct cc_comparing all = {.arena = s->arena, .skip_write_only = true};
    const struct cc_comparing ours = {.arena = s->arena, .skip_write_only = true, .skip_read_only = true};
    cc_pair(&all, m->element, m->read->elements, m->read->n, m->prior->elements, m->prior->n, m->partners);
    for (size_t i = 0; i < m->read->n; i++)
        m->same[i] = m->partners[i] != CC_NO_PARTNER;
    cc_pair_rest(&ours, m->element, m->read, m->prior, m->partners);
    for (size_t i = 0; i < m->read->n; i++)
        if (m->partners[i] != CC_NO_PARTNER)
            m->taken[m->partners[i]] = true;
}

/*
 * Set elements that differ only in write-only parts are read as one element. While that one exists, all of them are kept. Returns
 * the number of elements kept in addition to those with a partner; `elements` has room for them.
 */
static size_t keep_twins(const struct refreshing *s, struct matching *m, struct element *elements)
{
    const struct cc_comparing how = {.arena = s->arena, .skip_write_only = true};
    size_t n = 0;
    for (size_t i = 0; i < m->prior->n; i++)
        for (size_t k = 0; !m->taken[i] && k < m->read->n; k++)
            if (m->same[k] && cc_equal_as(&how, m->element, m->read->elements[k], m->prior->elements[i])) {
                m->taken[i] = true;
                elements[n++] = (struct element){m->prior->elements[i], STR_EMPTY, i, SIZE_MAX};
            }
    return n;
}

/* Matches elements whose content changed by their key. */
static void match_keys(const struct refreshing *s, struct matching *m)
{
    struct map by_key;
    if (!cc_key_node(m->element))
        return;
    map_init(&by_key, s->arena);
    for (size_t i = 0; i < m->prior->n; i++) {
        struct str key = cc_key_of(m->element, m->prior->elements[i]);
        if (!m->taken[i] && key.n > 0)
            (void)map_add(&by_key, key, (void *)&m->prior->elements[i]);
    }
    for (size_t i = 0; i < m->read->n; i++) {
        struct str key = cc_key_of(m->element, m->read->elements[i]);
        const struct value *const *same = m->partners[i] == CC_NO_PARTNER && key.n > 0 ? map_get(&by_key, key) : NULL;
        size_t place = same ? (size_t)(same - m->prior->elements) : SIZE_MAX;
        if (same && !m->taken[place])
            take(m, i, place);
    }
}

static void match_places(struct matching *m)
{
    for (size_t i = 0; i < m->read->n && i < m->prior->n; i++)
        if (m->partners[i] == CC_NO_PARTNER && !m->taken[i])
            take(m, i, i);
}

static size_t count_alone(const struct matching *m, bool read)
{
    size_t n = 0;
    for (size_t i = 0; i < (read ? m->read->n : m->prior->n); i++)
        n += read ? m->partners[i] == CC_NO_PARTNER : !m->taken[i];
    return n;
}

/*
 * If the same number is left on both sides, these changed and none was added or removed. A single one is matched; several cannot
 * be told apart, so they only take the positions.
 */
static void match_rest(const struct refreshing *s, struct matching *m, struct element *elements)
{
    size_t n = count_alone(m, true), k = 0;
    if (n == 0 || n != count_alone(m, false))
        return;
    struct element *left = arena_make_n(s->arena, struct element, n);
    for (size_t i = 0; i < m->read->n; i++)
        if (m->partners[i] == CC_NO_PARTNER)
            left[k++] = (struct element){m->read->elements[i], STR_EMPTY, SIZE_MAX, i};
    qsort(left, n, sizeof left[0], by_place);
    k = 0;
    for (size_t p = 0; p < m->prior->n; p++) {
        if (m->taken[p])
            continue;
        elements[left[k].from].place = p;
        if (n == 1)
            take(m, left[k].from, p);
        k++;
    }
}

static const struct value *refresh_elements(const struct refreshing *s, const struct cc_node *node, const struct value *prior,
                                            const struct value *read)
{
    const struct cc_comparing how = {.arena = s->arena, .skip_write_only = true};
    if (cc_equal_as(&how, node, read, prior))
        return prior;
    struct matching m = {node->element,
                         prior,
                         read,
                         arena_make_n(s->arena, size_t, read->n),
                         arena_make_n(s->arena, bool, prior->n),
                         arena_make_n(s->arena, bool, read->n)};
    struct element *elements = arena_make_n(s->arena, struct element, read->n + prior->n);
    size_t n_twins = 0;
    for (size_t i = 0; i < read->n; i++)
        elements[i].place = SIZE_MAX;
    match_content(s, &m);
    if (node->kind == CC_SET && cc_may_have_write_only(node->element))
        n_twins = keep_twins(s, &m, elements + read->n);
    if (cc_is_unordered(node)) {
        match_keys(s, &m);
        match_rest(s, &m, elements);
    } else {
        match_places(&m);
    }
    for (size_t i = 0; i < read->n; i++) {
        const struct value *before = m.partners[i] == CC_NO_PARTNER ? NULL : prior->elements[m.partners[i]];
        if (before)
            elements[i].place = m.partners[i];
        elements[i].v = m.same[i] ? before : refresh(s, node->element, before, read->elements[i], true);
        elements[i].key = cc_key_of(node->element, elements[i].v);
    }
    return make_sorted(s, node, elements, read->n + n_twins);
}

static const struct value *new_elements(const struct refreshing *s, const struct cc_node *node, const struct value *read)
{
    struct element *elements = arena_make_n(s->arena, struct element, read->n);
    for (size_t i = 0; i < read->n; i++) {
        const struct value *v = refresh(s, node->element, NULL, read->elements[i], true);
        elements[i] = (struct element){v, cc_key_of(node->element, v), SIZE_MAX, i};
    }
    return make_sorted(s, node, elements, read->n);
}

/* --- other containers --- */

static const struct value *refresh_map(const struct refreshing *s, const struct cc_node *node, const struct value *prior,
                                       const struct value *read)
{
    const struct value **parts = arena_make_n(s->arena, const struct value *, read->n);
    for (size_t i = 0; i < read->n; i++)
        parts[i] = refresh(s, node->element, prior ? value_get(prior, read->keys[i]) : NULL, read->elements[i], true);
    return cc_make(s->arena, node, parts, read->keys, read->n);
}

/* Does the service have something where the prior state had nothing? */
static bool has_more(const struct cc_node *node, const struct value *prior, const struct value *read)
{
    for (size_t i = 0; i < node->n_children; i++) {
        const struct cc_node *child = &node->children[i];
        bool counts = child->role == CC_ROLE_PROPERTY && !child->write_only;
        if (counts && value_is_null(prior->elements[i]) && !cc_is_null_or_empty(read->elements[i]))
            return true;
    }
    return false;
}

static const struct value *refresh_object(const struct refreshing *s, const struct cc_node *node, const struct value *prior,
                                          const struct value *read)
{
    const struct value **parts = arena_make_n(s->arena, const struct value *, node->n_children);
    bool keep_empty = !node->parent || (prior && !has_more(node, prior, read));
    for (size_t i = 0; i < node->n_children; i++)
        parts[i] = refresh(s, &node->children[i], cc_part(prior, i), read->elements[i], keep_empty);
    return cc_make(s->arena, node, parts, NULL, node->n_children);
}

/* --- all --- */

/* May the service have it but not return it? */
static bool may_be_left_out(const struct cc_node *node, const struct value *prior, bool keep_empty)
{
    if (cc_is_null_or_empty(prior))
        return true;
    return cc_is_empty_throughout(prior) ? keep_empty : cc_service_may_omit(node, prior);
}

/* The service did not return it. */
static const struct value *refresh_absent(const struct refreshing *s, const struct cc_node *node, const struct value *prior,
                                          const struct value *read, bool keep_empty)
{
    bool was = prior && !value_is_null(prior);
    if (was && may_be_left_out(node, prior, keep_empty))
        return prior;
    /* Also for write-only attributes: they are null only after an import, and a plan would set the default too. */
    if (!s->defaults || node->default_kind == CC_DEFAULT_NONE || cc_is_computed_only(node))
        return read;
    if (was && cc_equal(s->arena, node, prior, node->by_default))
        return prior;
    const struct value *by_default = cc_static_default(node);
    return by_default ? by_default : read;
}

static const struct value *refresh(const struct refreshing *s, const struct cc_node *node, const struct value *prior,
                                   const struct value *read, bool keep_empty)
{
    if (prior && (node->role != CC_ROLE_PROPERTY || (node->write_only && !value_is_null(prior))))
        return prior;
    if (value_is_null(read))
        return refresh_absent(s, node, prior, read, keep_empty);
    if (prior && value_is_null(prior) && cc_is_null_or_empty(read)) /* not planned, which would set the default: an import */
        return cc_static_default(node) && cc_equal(s->arena, node, cc_static_default(node), read) ? read : prior;
    const struct value *before = cc_has_content(prior) ? prior : NULL;
    switch (node->kind) {
    case CC_LIST:
    case CC_SET:
        return before ? refresh_elements(s, node, before, read) : new_elements(s, node, read);
    case CC_MAP:
        return refresh_map(s, node, before, read);
    case CC_OBJECT:
        return refresh_object(s, node, before, read);
    default:
        return before && cc_equal(s->arena, node, before, read) ? before : read;
    }
}

const struct value *cc_refreshed(struct arena *a, const struct cc_node *root, const struct value *prior, const struct value *read)
{
    return refresh(&(struct refreshing){a, true}, root, prior, read, true);
}

const struct value *cc_in_fixed_order(struct arena *a, const struct cc_node *root, const struct value *read)
{
    return refresh(&(struct refreshing){a, false}, root, NULL, read, true);
}

/* --- as awscc --- */

struct keyed {
    const struct json *element;
    struct str key;
    size_t from;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int order = str_cmp(x->key, y->key);
    return order != 0 ? order : (x->from > y->from) - (x->from < y->from);
}

/* A key that is not a string counts as empty. */
static bool find_key(const struct json *element, struct str *ret)
{
    const struct json *upper = json_get(element, "Key"), *lower = json_get(element, "key");
    *ret = upper && upper->kind == JSON_STRING ? upper->text : json_text(lower, STR_EMPTY);
    return upper || lower;
}

/* NULL if not all elements have a key. */
static const struct json *sort_elements(struct arena *a, const struct json *array)
{
    size_t n = array->array.n;
    struct keyed *elements = arena_make_n(a, struct keyed, n);
    const struct json **sorted = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++) {
        elements[i] = (struct keyed){.element = array->array.items[i], .from = i};
        if (!find_key(elements[i].element, &elements[i].key))
            return NULL;
    }
    qsort(elements, n, sizeof elements[0], by_key);
    for (size_t i = 0; i < n; i++)
        sorted[i] = elements[i].element;
    return json_make_array(a, sorted, n);
}

static const struct json *sort_array(struct arena *a, const struct json *array)
{
    const struct json *sorted = sort_elements(a, array);
    if (sorted)
        return sorted;
    const struct json **items = arena_make_n(a, const struct json *, array->array.n);
    for (size_t i = 0; i < array->array.n; i++)
        items[i] = cc_json_sorted_by_key(a, array->array.items[i]);
    return json_make_array(a, items, array->array.n);
}

const struct json *cc_json_sorted_by_key(struct arena *a, const struct json *j)
{
    if (j->kind == JSON_ARRAY)
        return j->array.n > 0 ? sort_array(a, j) : j;
    if (j->kind != JSON_OBJECT)
        return j;
    struct json_member *members = arena_make_n(a, struct json_member, j->object.n);
    for (size_t i = 0; i < j->object.n; i++)
        members[i] =
            (struct json_member){.key = j->object.members[i].key, .value = cc_json_sorted_by_key(a, j->object.members[i].value)};
    return json_make_object(a, members, j->object.n);
}
