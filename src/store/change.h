/* Changes one object of a store, even if other writers change it at the same time. */
#pragma once

#include "store/object.h"
#include "store/store.h"

enum { CHANGE_TRIES = 20 };

/* Returns the object as it should be; called again with the newer object after a conflict. */
typedef const struct json *change_fn(void *ctx, struct arena *a, const struct json *object);

/*
 * `*ret_changed`: whether the object had to be changed. Returns false and a diagnostic when the object does not exist or could
 * not be written.
 */
bool change_object(struct store *s, struct arena *a, const struct store_key *key, change_fn *change, void *ctx,
                   struct diags *diags, bool *ret_changed);
