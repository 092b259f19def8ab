/*
 * The fewest changes that make one ordered array of another; of several ways the one that changes least within elements. Private
 * to this folder.
 */
#pragma once

#include "translate/node.h"

enum cc_edit_kind { CC_EDIT_REMOVE, CC_EDIT_ADD, CC_EDIT_CHANGE };
struct cc_edit {
    enum cc_edit_kind kind;
    size_t before; /* position in the old array: of REMOVE and CHANGE */
    size_t after;  /* position in the new array: of ADD and CHANGE */
};

/* In order of positions. False: the arrays are too long to tell (CC_PATCH_MAX_PAIRS). Both are known. */
bool cc_edit_list(struct arena *a, const struct cc_node *element, const struct value *before, const struct value *after,
                  struct cc_edit **ret, size_t *ret_n);
