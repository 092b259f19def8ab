/*
 * Lists objects page by page: the callback gets one object at a time, and only one page is in memory. A page that would be too
 * large is requested again with fewer objects.
 */
#pragma once

#include "kube/client.h"

enum { KUBE_LIST_PAGE = 500 };

struct kube_selection {
    struct str labels, fields; /* selectors; empty: all */
};

/* Returns false to stop. `a` is emptied after each object, which has apiVersion and kind and no managedFields. */
typedef bool kube_each(void *ctx, struct arena *a, const struct json *object);

/*
 * Lists the objects as they were at one moment, ordered by namespace and name; `*ret_version` is that moment, from which a watch
 * can continue. KUBE_GONE: the list took longer than the server remembers that moment, and some objects were already handed over:
 * list again, from the beginning.
 */
enum kube_result kube_list(struct kube *k, struct arena *a, const struct kube_place *at, const struct kube_selection *which,
                           kube_each *each, void *ctx, struct diags *diags, struct str *ret_version);
