#include "managed/object.h"
#include "reconcile/reconcile.h"

static bool is_mark_of_a_pass(struct str annotation)
{
    return str_eqz(annotation, MANAGED_CREATE_PENDING) || str_eqz(annotation, MANAGED_CREATE_FAILED);
}

/* The order of the members does not matter. */
static uint64_t hash_members(const struct json *object, bool but_marks, uint64_t seed)
{
    uint64_t sum = 0;
    for (size_t i = 0; managed_is_object(object) && i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        if (!but_marks || !is_mark_of_a_pass(m->key))
            sum += str_hash(managed_text(m->value), str_hash(m->key, seed));
    }
    return sum;
}

struct reconcile_sight reconcile_sight(const struct json *object, uint64_t seed)
{
    const struct {
        int64_t generation;
        uint64_t deleted, labels, annotations;
    } seen = {
        .generation = managed_generation(object),
        .deleted = managed_is_deleted(object),
        .labels = hash_members(managed_at(object, "metadata", "labels", NULL), false, seed),
        .annotations = hash_members(managed_at(object, "metadata", "annotations", NULL), true, ~seed),
    };
    return (struct reconcile_sight){
        .hash = str_hash((struct str){(const char *)&seen, sizeof seen}, seed),
        .create_pending = managed_annotation(object, MANAGED_CREATE_PENDING).n > 0,
    };
}

bool reconcile_sight_wakes(struct reconcile_sight before, struct reconcile_sight after)
{
    return before.hash != after.hash || (before.create_pending && !after.create_pending);
}

bool reconcile_wakes(const struct json *before, const struct json *after)
{
    return !before || !after || reconcile_sight_wakes(reconcile_sight(before, 0), reconcile_sight(after, 0));
}
