/*
 * Decides whether two values mean the same to the service. Plan, refresh, apply and patch all use this definition:
 *
 * - arrays whose order does not matter are equal if their elements can be paired, including duplicates, at any depth;
 * - null equals an empty list, set or map, because services do not distinguish them, and null elements are ignored; but an empty
 *   object is not null;
 * - JSON strings are compared by content (translate/json_order.h), times as in docs/awscc-rules.md 2.8, numbers by value;
 * - unknown equals only unknown.
 *
 * Equal values have equal hashes, so pairing takes linear time. Comparisons allocate from the arena.
 */
#pragma once

#include "translate/node.h"

bool cc_equal(struct arena *a, const struct cc_node *node, const struct value *x, const struct value *y);
uint64_t cc_hash(struct arena *a, const struct cc_node *node, const struct value *v);

/* Which parts of the left side are open, so that they match any right side. */
enum cc_open {
    CC_OPEN_NOT,
    CC_OPEN_CONFIG, /* a configuration: computed attributes that are null and have no default */
    CC_OPEN_PLAN,   /* a plan: unknowns */
    CC_OPEN_SENT,   /* what was sent: unknowns, and computed attributes that are null */
};
struct cc_comparing {
    struct arena *arena;
    enum cc_open open;
    /* Parts to ignore: what the service never returns; what it alone sets. */
    bool skip_write_only, skip_read_only;
};
bool cc_equal_as(const struct cc_comparing *c, const struct cc_node *node, const struct value *left, const struct value *right);

/*
 * Pairs the elements of two collections: ret[i] is the index of left[i]'s partner on the right, or CC_NO_PARTNER. An element has
 * at most one partner: preferably the one at the same position, else the first equal one. Where the left side is open, the
 * elements with the most known parts choose first, and earlier pairs are rearranged if that gives another element a partner.
 *
 * Limits: if similar elements would need more than CC_MAX_TRIES comparisons each, some stay unpaired; with more than
 * CC_MAX_REARRANGED open elements nothing is rearranged.
 */
#define CC_NO_PARTNER SIZE_MAX
enum { CC_MAX_TRIES = 4096, CC_MAX_REARRANGED = 1000 };
void cc_pair(const struct cc_comparing *c, const struct cc_node *element, const struct value *const *left, size_t n_left,
             const struct value *const *right, size_t n_right, size_t *ret);

/* Pairs the elements that have no partner yet on either side. Indices refer to all elements. */
void cc_pair_rest(const struct cc_comparing *c, const struct cc_node *element, const struct value *left,
                  const struct value *right, size_t *partners);
