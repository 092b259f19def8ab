/* An object of a store as a line of the dashboard: who it is, how it is, what it refers to. No values of its spec. */
#pragma once

#include "controller/kinds.h"
#include "store/store.h"

/* "GROUP/KIND/NAMESPACE/NAME": what an object is called between page and server. */
struct str row_key(struct arena *a, const struct store_key *key);
/* Views of its parts; false: it is not such a text. */
bool row_key_parse(struct str text, struct store_key *ret);

struct row_state {
    bool ready, synced; /* True */
};
/* As JSON, in `a`. Shows managed resources and ProviderConfigs, so ask row_is_shown() before. */
struct str row_json(struct arena *a, struct kinds *kinds, const struct kind *kind, const struct json *object, int64_t changed_ns,
                    struct row_state *ret);
bool row_is_shown(const struct kind *kind);

/* All that may be shown of an object, as JSON: no Secret's values, nothing of what a ProviderConfig holds but names. */
void row_write_object(struct arena *a, struct buf *out, const struct kind *kind, const struct json *object);
