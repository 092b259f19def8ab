/* An object of a store as a line of the dashboard: identity, conditions, references. It contains no values of the spec. */
#pragma once

#include "controller/kinds.h"
#include "store/store.h"

/* "GROUP/KIND/NAMESPACE/NAME": identifies an object between page and server. */
struct str row_key(struct arena *a, const struct store_key *key);
/* The result points into `text`; false: not a valid key. */
bool row_key_parse(struct str text, struct store_key *ret);

struct row_state {
    bool ready, synced; /* the condition is True */
};
/*
 * As JSON, in `a`. Only for managed resources and ProviderConfigs: ask row_is_shown() first. With a `changed_ns` of 0 the time of
 * the last change is the one that the object tells itself.
 */
struct str row_json(struct arena *a, struct kinds *kinds, const struct kind *kind, const struct json *object, int64_t changed_ns,
                    struct row_state *ret);
bool row_is_shown(const struct kind *kind);

/* Everything that may be shown of an object, as JSON: no values of Secrets, and of a ProviderConfig only names. */
void row_write_object(struct arena *a, struct buf *out, const struct kind *kind, const struct json *object);
