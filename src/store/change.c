#include "store/change.h"

static enum store_result try_once(struct store *s, struct arena *a, const struct store_key *key, change_fn *change, void *ctx,
                                  struct diags *diags, bool *ret_changed)
{
    const struct json *object = NULL, *stored = NULL;
    enum store_result result = store_get(s, a, key, diags, &object);
    if (result != STORE_OK)
        return result;
    result = store_update(s, a, change(ctx, a, object), diags, &stored);
    if (result == STORE_OK)
        *ret_changed = !str_eq(object_metadata_text(object, "resourceVersion"), object_metadata_text(stored, "resourceVersion"));
    return result;
}

bool change_object(struct store *s, struct arena *a, const struct store_key *key, change_fn *change, void *ctx,
                   struct diags *diags, bool *ret_changed)
{
    struct diags said;
    enum store_result result = STORE_CONFLICT;
    for (int i = 0; i < CHANGE_TRIES && result == STORE_CONFLICT; i++) {
        diags_init(&said, a); /* diagnostics of earlier attempts are dropped */
        result = try_once(s, a, key, change, ctx, &said, ret_changed);
    }
    diags_append(diags, &said);
    return result == STORE_OK;
}
