#include "objects/admit.h"

#include "admission/admission.h"
#include "base/must.h"

#include <stdlib.h>

struct admit {
    struct kinds *kinds;
    struct arena *arena;
    struct map compiled; /* "group/Kind" -> struct admission_kind */
};

struct admit *admit_new(struct kinds *kinds)
{
    struct admit *a = must(calloc(1, sizeof *a));
    a->kinds = kinds;
    a->arena = arena_new(NULL, 0);
    map_init(&a->compiled, a->arena);
    return a;
}

void admit_free(struct admit *a)
{
    if (!a)
        return;
    arena_free(a->arena);
    free(a);
}

static const struct admission_kind *compiled(struct admit *a, const struct kind *kind, struct diags *diags)
{
    struct str key = arena_printf(a->arena, STR_FMT "/" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->kind));
    const struct admission_kind *made = map_get(&a->compiled, key);
    if (made)
        return made;
    const struct json *crd = kinds_crd(a->kinds, kind, diags);
    if (!crd || !admission_compile(a->arena, crd, diags, &made))
        return NULL;
    map_put(&a->compiled, key, (void *)(uintptr_t)made);
    return made;
}

/* The object must have its namespace, if its kind has any. */
bool admit_manifest(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                    const struct json **ret)
{
    struct admit *admit = ctx;
    if (admission_is_core(object))
        return admission_check_core(a, object, old, NULL, diags, ret);
    const struct kind *kind = kinds_of_object(admit->kinds, object);
    const struct admission_kind *rules = kind ? compiled(admit, kind, diags) : NULL;
    return rules && admission_check(a, rules, object, old, NULL, diags, ret);
}

void admit_places(struct arena *a, const struct manifest *m, struct diags *diags)
{
    for (size_t i = 0; i < diags->n; i++) {
        struct diag *d = &diags->v[i];
        struct str place = d->path.n > 0 ? admission_place_text(a, m->source, m->object, d) : manifest_place(a, m);
        d->detail = arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(place), STR_ARG(d->detail));
    }
}
