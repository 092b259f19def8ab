/*
 * The shortest edit from one ordered array to another; of several, the one that changes least within elements. Private to this
 * folder.
 */
#pragma once

#include "translate/node.h"

enum cc_edit_kind { CC_EDIT_REMOVE, CC_EDIT_ADD, CC_EDIT_CHANGE };
struct cc_edit {
    enum cc_edit_kind kind;
    size_t before; /* REMOVE, CHANGE: index in the old array */
    size_t after;  /* ADD, CHANGE: index in the new array */
};

/* Edits in order of positions. False if the arrays are too long (CC_PATCH_MAX_PAIRS). Both are known. */
bool cc_edit_list(struct arena *a, const struct cc_node *element, const struct value *before, const struct value *after,
                  struct cc_edit **ret, size_t *ret_n);
