/*
 * Lists, a page at a time: objects are handed over one by one, and only a page is in memory. Pages that would be too large are
 * asked for again with fewer objects in them.
 */
#pragma once

#include "kube/client.h"

enum { KUBE_LIST_PAGE = 500 };

struct kube_selection {
    struct str labels, fields; /* selectors; empty: all */
};

/* False: no more, please. `a` is emptied after each object, which has apiVersion and kind and no managedFields. */
typedef bool kube_each(void *ctx, struct arena *a, const struct json *object);

/*
 * All of one moment, in order of namespace and name; `*ret_version` is that moment, for a watch to go on from. KUBE_GONE: it took
 * longer than the server remembers that moment, after some objects were handed over: list again, from the beginning.
 */
enum kube_result kube_list(struct kube *k, struct arena *a, const struct kube_place *at, const struct kube_selection *which,
                           kube_each *each, void *ctx, struct diags *diags, struct str *ret_version);
