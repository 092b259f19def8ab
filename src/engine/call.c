#include "base/log.h"
#include "engine/call_private.h"
#include "engine/places.h"

enum { MAX_COMPARED = 64 }; /* earlier diagnostics that a new one is compared with */

static struct call start(struct engine *e, int64_t timeout_ns, struct cancel *cancel)
{
    struct call c = {.engine = e, .options = {.cancel = cancel}};
    if (timeout_ns > 0)
        c.options.deadline = clock_now(&system_clock) + timeout_ns;
    diags_init(&c.found, e->arena);
    return c;
}

struct call call_start(struct engine *e)
{
    return start(e, e->timeout_ns, e->cancel);
}

struct call call_start_apply(struct engine *e)
{
    return start(e, e->apply_timeout_ns, NULL);
}

static bool same_diag(const struct diag *a, const struct diag *b)
{
    return a->severity == b->severity && str_eq(a->summary, b->summary) && str_eq(a->detail, b->detail) &&
           path_eq(a->path, b->path);
}

/* Adds it unless it is among the first n. */
static void add_unless_among(struct engine *e, const struct diag *diag, size_t n)
{
    for (size_t i = n > MAX_COMPARED ? n - MAX_COMPARED : 0; i < n; i++)
        if (same_diag(&e->diags->v[i], diag))
            return;
    diags_add(e->diags, diag);
}

void engine_add(struct engine *e, const struct diag *diag)
{
    add_unless_among(e, diag, e->diags->n);
}

/* A configuration that was made from values has no text and so no places: its paths are those of the values. */
static bool has_no_text(const struct resource_config *config)
{
    return config && !config->json && config->value && !value_is_null(config->value);
}

/* A diagnostic that one answer has twice is added twice; one that an earlier call added is not repeated. */
static void take_over(struct call *c, const struct resource_config *config)
{
    size_t before = c->engine->diags->n;
    for (size_t i = 0; i < c->found.n; i++) {
        struct diag d = c->found.v[i];
        if (!has_no_text(config))
            d.path = place_in_config(c->engine->arena, config ? config->json : NULL, d.path, &d.where);
        add_unless_among(c->engine, &d, before);
    }
}

enum engine_status call_finish(struct call *c, const char *name, enum provider_status status,
                               const struct resource_config *config)
{
    if (status == PROVIDER_UNSUPPORTED)
        return engine_fail(c->engine, "Unsupported plugin method", "The %s method is not supported by this plugin.", name);
    take_over(c, config);
    switch (status) {
    case PROVIDER_OK:
        return diags_has_errors(&c->found) ? ENGINE_FAILED : ENGINE_OK;
    case PROVIDER_GONE:
    case PROVIDER_TIMEOUT:
        return ENGINE_LOST;
    case PROVIDER_CANCELLED:
        return ENGINE_CANCELLED;
    case PROVIDER_UNSUPPORTED:
    case PROVIDER_BROKEN:
        break;
    }
    return ENGINE_FAILED;
}

struct client_capabilities engine_capabilities(void)
{
    return (struct client_capabilities){.write_only_attributes_allowed = true};
}

const struct value *engine_meta(const struct engine *e)
{
    if (!e->schema->provider_meta)
        return NULL;
    return e->provider_meta ? e->provider_meta : value_null(e->arena, e->schema->provider_meta->type);
}

enum engine_status engine_fail(struct engine *e, const char *summary, const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    struct diag d = {.severity = DIAG_ERROR, .summary = str_of(summary), .detail = arena_vprintf(e->arena, detail, args)};
    va_end(args);
    engine_add(e, &d);
    return ENGINE_FAILED;
}

const char *engine_provider_text(struct engine *e)
{
    return arena_printf(e->arena, "\"provider[\\\"" STR_FMT "\\\"]\"", STR_ARG(e->provider_address)).p;
}

bool engine_check_write_only(struct engine *e, const struct resource *r, const struct value *v, const char *summary,
                             const char *sentence)
{
    struct change_paths paths = change_write_only(e->arena, r->schema->block, v);
    for (size_t i = 0; i < paths.n; i++)
        (void)engine_fail(e, summary,
                          "Provider %s returned a value for the write-only attribute \"" STR_FMT STR_FMT
                          "\" %s. Write-only attributes cannot be read back from the provider. " BUG_IN_PROVIDER,
                          engine_provider_text(e), STR_ARG(r->address), STR_ARG(change_path_text(e->arena, paths.v[i])),
                          sentence);
    return paths.n == 0;
}

bool engine_check_deferred(struct engine *e, const struct resource *r, enum deferred_reason deferred)
{
    if (deferred == DEFERRED_NOT)
        return true;
    (void)engine_fail(e, "Provider deferred changes when Terraform did not allow deferrals",
                      "The provider signaled a deferred action for \"" STR_FMT "\", but in this context deferrals are disabled. "
                      "This is a bug in the provider, please file an issue with the provider developers.",
                      STR_ARG(r->address));
    return false;
}

const struct value *engine_value(struct engine *e, const struct value *v, const struct type *type)
{
    return v ? v : value_null(e->arena, type);
}

const struct value *engine_identity(const struct value *v)
{
    return v && !value_is_null(v) ? v : NULL;
}

struct marks engine_existing_marks(struct engine *e, struct marks old, const struct value *v)
{
    struct path *kept = arena_make_n(e->arena, struct path, old.n);
    size_t n = 0;
    for (size_t i = 0; i < old.n; i++)
        if (value_at(v, old.paths[i]))
            kept[n++] = old.paths[i];
    return marks_make(e->arena, kept, n);
}

struct marks engine_marks(struct engine *e, const struct resource *r, struct marks old, const struct value *v)
{
    struct marks existing = engine_existing_marks(e, old, v);
    return marks_union(e->arena, existing, change_sensitive(e->arena, r->schema->block, v));
}
