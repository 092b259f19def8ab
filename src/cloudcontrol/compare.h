/*
 * When two values mean the same to the service. One definition, used by plan, refresh, apply and patch alike:
 *
 * - arrays whose order means nothing are equal when their elements pair up, duplicates counted, at any depth;
 * - null and an empty list, set or map are equal, for services do not tell them apart, and elements that are null count for
 *   nothing; but an empty object is not null;
 * - JSON texts are equal by content, times as docs/awscc-rules.md 2.8 has it, numbers by value;
 * - unknown equals unknown and nothing else.
 *
 * Hashes agree with it, so pairing takes time in proportion to the values. What compares takes memory from the arena.
 */
#pragma once

#include "translate/node.h"

bool cc_equal(struct arena *a, const struct cc_node *node, const struct value *x, const struct value *y);
uint64_t cc_hash(struct arena *a, const struct cc_node *node, const struct value *v);

/* What the left side leaves open, where any right side will do. */
enum cc_open {
    CC_OPEN_NOT,
    CC_OPEN_CONFIG, /* a configuration: computed attributes that are null and have no default to stand for them */
    CC_OPEN_PLAN,   /* a plan: unknowns */
    CC_OPEN_SENT,   /* what was sent: unknowns, and computed attributes that are null */
};
struct cc_comparing {
    struct arena *arena;
    enum cc_open open;
    /* Parts that are not looked at: what the service never gives back; what it alone decides. */
    bool skip_write_only, skip_read_only;
};
bool cc_equal_as(const struct cc_comparing *c, const struct cc_node *node, const struct value *left, const struct value *right);

/*
 * Pairs elements of two collections: ret[i] is the partner of left[i] among the right ones, or CC_NO_PARTNER. Each has one at
 * most. The element at the same place comes first, then the first equal one. Where the left side is open, those that say most
 * choose first, and if somebody stays alone, others make room for him where they can.
 *
 * Bounded: with so many look-alikes that it would take more than CC_MAX_TRIES comparisons for each element, some stay alone;
 * beyond CC_MAX_REARRANGED open elements nobody makes room.
 */
#define CC_NO_PARTNER SIZE_MAX
enum { CC_MAX_TRIES = 4096, CC_MAX_REARRANGED = 1000 };
void cc_pair(const struct cc_comparing *c, const struct cc_node *element, const struct value *const *left, size_t n_left,
             const struct value *const *right, size_t n_right, size_t *ret);

/* The same for those that have no partner yet, on both sides. Positions are those in all of the elements. */
void cc_pair_rest(const struct cc_comparing *c, const struct cc_node *element, const struct value *left,
                  const struct value *right, size_t *partners);
