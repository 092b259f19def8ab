#include "cloudcontrol/fill.h"

#include "cloudcontrol/compare.h"
#include "cloudcontrol/refresh.h"

/* --- filling --- */

struct filling {
    struct arena *arena;
    bool by_place; /* match elements of ordered arrays of the same length by position */
};

static const struct value *fill(const struct filling *f, const struct cc_node *node, const struct value *planned,
                                const struct value *from);

/* Finds the element for each planned one. */
static void find_partners(const struct filling *f, const struct cc_node *node, const struct value *planned,
                          const struct value *from, size_t *ret)
{
    const struct cc_comparing how = {.arena = f->arena, .open = CC_OPEN_PLAN, .skip_write_only = true};
    bool by_place = f->by_place && !cc_is_unordered(node) && planned->n == from->n;
    if (!by_place)
        cc_pair(&how, node->element, planned->elements, planned->n, from->elements, from->n, ret);
    for (size_t i = 0; by_place && i < planned->n; i++)
        ret[i] = i;
}

static const struct value *fill_elements(const struct filling *f, const struct cc_node *node, const struct value *planned,
                                         const struct value *from)
{
    const struct value **parts = arena_make_n(f->arena, const struct value *, planned->n);
    size_t *partners = arena_make_n(f->arena, size_t, planned->n);
    if (cc_has_content(from))
        find_partners(f, node, planned, from, partners);
    for (size_t i = 0; i < planned->n; i++) {
        bool found = cc_has_content(from) && partners[i] != CC_NO_PARTNER;
        parts[i] = fill(f, node->element, planned->elements[i], found ? from->elements[partners[i]] : NULL);
    }
    return cc_make(f->arena, node, parts, NULL, planned->n);
}

static const struct value *fill_parts(const struct filling *f, const struct cc_node *node, const struct value *planned,
                                      const struct value *from)
{
    const struct value **parts = arena_make_n(f->arena, const struct value *, planned->n);
    bool map = node->kind == CC_MAP;
    for (size_t i = 0; i < planned->n; i++) {
        const struct value *part = !map ? cc_part(from, i) : cc_has_content(from) ? value_get(from, planned->keys[i]) : NULL;
        parts[i] = fill(f, cc_part_node(node, i), planned->elements[i], part);
    }
    return cc_make(f->arena, node, parts, map ? planned->keys : NULL, planned->n);
}

static const struct value *fill(const struct filling *f, const struct cc_node *node, const struct value *planned,
                                const struct value *from)
{
    if (planned->wholly_known)
        return planned;
    if (planned->state == VALUE_UNKNOWN)
        return from ? from : value_null(f->arena, node->type);
    return node->kind == CC_LIST || node->kind == CC_SET ? fill_elements(f, node, planned, from)
                                                         : fill_parts(f, node, planned, from);
}

const struct value *cc_fill(struct arena *a, const struct cc_node *root, const struct value *planned, const struct value *read)
{
    return fill(&(struct filling){a, true}, root, planned, read ? cc_refreshed(a, root, NULL, read) : NULL);
}

const struct value *cc_fill_prior(struct arena *a, const struct cc_node *root, const struct value *planned,
                                  const struct value *prior)
{
    return fill(&(struct filling){a, false}, root, planned, prior);
}

/* --- what the service changed --- */

struct changes {
    struct arena *arena;
    struct cc_paths paths;
};

static void find_changes(struct changes *c, const struct cc_node *node, const struct value *sent, const struct value *read,
                         const struct trail *at)
{
    bool looked_at = node->role == CC_ROLE_PROPERTY && !node->write_only && !cc_is_read_only(node);
    if (!looked_at || cc_is_null_or_empty(sent) || !cc_has_content(sent) || cc_is_null_or_empty(read))
        return;
    for (size_t i = 0; node->kind == CC_OBJECT && i < node->n_children; i++) {
        struct trail step = trail_element(at, sent, i);
        find_changes(c, &node->children[i], sent->elements[i], read->elements[i], &step);
    }
    const struct cc_comparing how = {.arena = c->arena, .open = CC_OPEN_SENT, .skip_write_only = true, .skip_read_only = true};
    if (node->kind != CC_OBJECT && !cc_equal_as(&how, node, sent, read))
        *VEC_PUSH(c->arena, &c->paths) = trail_path(c->arena, PATH_ROOT, at);
}

struct cc_paths cc_changed(struct arena *a, const struct cc_node *root, const struct value *sent, const struct value *read)
{
    struct changes c = {.arena = a};
    /* What a refresh would not show is not a change: an omitted default, another order. */
    read = cc_refreshed(a, root, value_unknown_to_null(a, sent), read);
    find_changes(&c, root, sent, read, NULL);
    return c.paths;
}
