/* One object of a store changed, whoever else writes it. */
#pragma once

#include "store/object.h"
#include "store/store.h"

enum { CHANGE_TRIES = 20 };

/* What the object should be; called again for a newer one after a conflict. */
typedef const struct json *change_fn(void *ctx, struct arena *a, const struct json *object);

/* `*ret_changed`: there was something to change. False and a diagnostic: it is not there, or could not be written. */
bool change_object(struct store *s, struct arena *a, const struct store_key *key, change_fn *change, void *ctx,
                   struct diags *diags, bool *ret_changed);
