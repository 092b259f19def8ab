#include "drift/unmanaged.h"

#include "drift/held.h"

static void know(struct held *k, const struct drift *d, struct arena *a, const struct drift_listing *l, const bool *providers)
{
    held_init(k, a, l->schema, l->rows);
    for (size_t i = 0; i < d->objects.n; i++) {
        const struct drift_object *o = &d->objects.v[i];
        if (providers[o->provider])
            held_add(k, &(struct held_object){.type = o->type, .id = o->id, .instance = o->instance});
    }
}

void drift_add_unmanaged(struct drift *d, const struct worklist *found, const struct drift_listing *l)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct held own, account;
    know(&own, d, scratch, l, l->own);
    know(&account, d, scratch, l, l->account);
    for (size_t i = 0; i < found->items.n; i++) {
        const struct import_item *item = &found->items.v[i];
        struct held *held = rows_is_global(l->rows, item->type) ? &account : &own;
        if (held_find(held, item) || driftignore_object(&d->ignore, scratch, item->type, item->key))
            continue;
        *VEC_PUSH(d->arena, &d->unmanaged) =
            (struct drift_unmanaged){.type = arena_str(d->arena, item->type), .id = arena_str(d->arena, item->key)};
    }
    d->listed = true;
}
