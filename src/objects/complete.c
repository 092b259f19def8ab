/* Shell completion for kinds and names of objects. */
#include "cli/complete.h"

#include "objects/objects.h"

struct seen {
    struct shell_completion *c;
    const struct kind *last;
};

/* Only kinds that have objects, each once (objects are sorted by kind), and not all 1,500 of a provider. */
static bool add_kind(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a, (void)object;
    struct seen *seen = ctx;
    if (kind != seen->last)
        shell_completion_add(seen->c, kind->plural, kind->group);
    seen->last = kind;
    return true;
}

static bool add_name(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a;
    shell_completion_add(ctx, object_metadata_text(object, "name"), kind->kind);
    return true;
}

static void add_kinds(struct shell_completion *c, struct objects *o)
{
    static const char *const always[] = {"all", "secrets", "configmaps", "providerconfigs"}, *const all[] = {"all"};
    struct seen seen = {.c = c};
    struct objects_meant meant;
    size_t used;
    if (objects_understand(o, all, 1, &meant, &used))
        (void)objects_each(o, &meant, add_kind, &seen);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        shell_completion_add(c, str_of(always[i]), STR_EMPTY);
}

static void add_names(struct shell_completion *c, struct objects *o)
{
    const char *kind = shell_completion_argument(c, 0);
    struct objects_meant meant;
    size_t used;
    if (kind && objects_understand(o, &kind, 1, &meant, &used))
        (void)objects_each(o, &meant, add_name, c);
}

void objects_complete(struct shell_completion *c, struct str what)
{
    bool names = str_eqz(what, "NAME"), kinds = str_starts(what, STR("KIND"));
    struct objects_options options = {
        .data = shell_completion_option(c, "data"), .namespace = shell_completion_option(c, "namespace"), .everywhere = kinds};
    struct objects objects;
    if (!names && !kinds)
        return;
    if (objects_open(&objects, c->app, &options)) {
        if (names)
            add_names(c, &objects);
        else
            add_kinds(c, &objects);
    }
    objects_close(&objects);
}
