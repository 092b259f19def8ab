#include "cloudcontrol/compare.h"
#include "cloudcontrol/node_value_private.h"
#include "cloudcontrol/patch.h"
#include "cloudcontrol/patch_list_private.h"

#include <stdlib.h>

/* --- numbering: equal elements get the same number --- */

struct numbered {
    const struct value *v;
    uint64_t hash;
    uint32_t *number;
};

static int by_hash(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void number_all(struct arena *a, const struct cc_node *element, struct numbered *v, size_t n)
{
    uint32_t next = 0;
    if (n > 1)
        qsort(v, n, sizeof v[0], by_hash);
    for (size_t i = 0; i < n; i++) {
        *v[i].number = next;
        bool known = false;
        for (size_t k = i; !known && k > 0 && v[k - 1].hash == v[i].hash; k--) {
            known = cc_equal(a, element, v[k - 1].v, v[i].v);
            if (known)
                *v[i].number = *v[k - 1].number;
        }
        next += !known;
    }
}

/* --- the table --- */

/* One operation must cost more than the sum of all differences that are computed. */
enum { OPERATION = 1 << 16, MAX_DIFFERENCE = 63, MAX_LOOKED_AT = 1 << 12 };

struct cost_table {
    struct arena *arena;
    const struct cc_node *element;
    const struct value *const *old, *const *new;
    const uint32_t *before, *after; /* numbers of the elements, without the common prefix and suffix */
    size_t n, m;
    uint32_t *cost; /* cost[i * (m + 1) + k]: cost of turning before[i..] into after[k..] */
};

static uint32_t *cell(const struct cost_table *t, size_t i, size_t k)
{
    return &t->cost[i * (t->m + 1) + k];
}

/* The number of differing parts of two unequal elements, if that is defined and not too expensive. */
static uint32_t difference(const struct cost_table *t, size_t i, size_t k)
{
    const struct value *x = t->old[i], *y = t->new[k];
    size_t differing = 0;
    if (t->n * t->m > MAX_LOOKED_AT || t->element->kind != CC_OBJECT || !cc_has_content(x) || !cc_has_content(y))
        return 1;
    for (size_t p = 0; p < x->n; p++)
        differing += !cc_equal(t->arena, &t->element->children[p], x->elements[p], y->elements[p]);
    return (uint32_t)(differing < MAX_DIFFERENCE ? differing : MAX_DIFFERENCE);
}

static uint32_t change_cost(const struct cost_table *t, size_t i, size_t k)
{
    return t->before[i] == t->after[k] ? 0 : OPERATION + difference(t, i, k);
}

static void fill_table(const struct cost_table *t)
{
    for (size_t i = t->n + 1; i-- > 0;)
        for (size_t k = t->m + 1; k-- > 0;) {
            uint32_t best = (uint32_t)(t->n - i + t->m - k) * OPERATION; /* remove everything, add everything */
            if (i < t->n && k < t->m) {
                uint32_t change = *cell(t, i + 1, k + 1) + change_cost(t, i, k);
                uint32_t remove = *cell(t, i + 1, k) + OPERATION, add = *cell(t, i, k + 1) + OPERATION;
                best = change < remove ? change : remove;
                best = add < best ? add : best;
            }
            *cell(t, i, k) = best;
        }
}

/* At equal cost, prefers a change to a removal, and a removal to an addition. */
static size_t follow_table(const struct cost_table *t, size_t offset, struct cc_edit *edits)
{
    size_t i = 0, k = 0, n = 0;
    while (i < t->n || k < t->m) {
        bool both = i < t->n && k < t->m;
        uint32_t change = both ? change_cost(t, i, k) : 0;
        if (both && *cell(t, i, k) == *cell(t, i + 1, k + 1) + change) {
            if (change > 0)
                edits[n++] = (struct cc_edit){CC_EDIT_CHANGE, offset + i, offset + k};
            i++;
            k++;
        } else if (i < t->n && *cell(t, i, k) == *cell(t, i + 1, k) + OPERATION) {
            edits[n++] = (struct cc_edit){CC_EDIT_REMOVE, offset + i, offset + k};
            i++;
        } else {
            edits[n++] = (struct cc_edit){CC_EDIT_ADD, offset + i, offset + k};
            k++;
        }
    }
    return n;
}

bool cc_edit_list(struct arena *a, const struct cc_node *element, const struct value *before, const struct value *after,
                  struct cc_edit **ret, size_t *ret_n)
{
    size_t n = before->n, m = after->n, start = 0;
    struct numbered *all = arena_make_n(a, struct numbered, n + m);
    uint32_t *numbers = arena_make_n(a, uint32_t, n + m);
    for (size_t i = 0; i < n + m; i++) {
        const struct value *v = i < n ? before->elements[i] : after->elements[i - n];
        all[i] = (struct numbered){v, cc_hash(a, element, v), &numbers[i]};
    }
    number_all(a, element, all, n + m);
    const uint32_t *old = numbers, *new = numbers + n;
    while (start < n && start < m && old[start] == new[start])
        start++;
    while (n > start && m > start && old[n - 1] == new[m - 1]) {
        n--;
        m--;
    }
    struct cost_table t = {
        a, element, before->elements + start, after->elements + start, old + start, new + start, n - start, m - start, NULL};
    if (t.n >= CC_PATCH_MAX_PAIRS || t.m >= CC_PATCH_MAX_PAIRS || (t.n + 1) * (t.m + 1) > CC_PATCH_MAX_PAIRS ||
        t.n + t.m >= UINT32_MAX / (2 * OPERATION))
        return false;
    t.cost = arena_make_n(a, uint32_t, (t.n + 1) * (t.m + 1));
    fill_table(&t);
    *ret = arena_make_n(a, struct cc_edit, t.n + t.m);
    *ret_n = follow_table(&t, start, *ret);
    return true;
}
