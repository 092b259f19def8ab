#include "engine/request.h"

#include "engine/call_private.h"

const char *request_core_argument(const struct json *config)
{
    static const char *const names[] = {"connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (json_get(config, names[i]))
            return names[i];
    return NULL;
}

/* The type */

static void repeat_warnings(const struct request *q)
{
    if (q->warnings)
        diags_append(q->engine->diags, q->warnings);
}

typedef bool find_fn(struct engine *e, struct str type, struct str name, struct resource *ret);

static bool find_as(struct request *q, find_fn *find)
{
    if (!find(q->engine, q->type, q->name, &q->resource))
        return false;
    if (q->address.n > 0)
        q->resource.address = q->address;
    return true;
}

bool request_find(struct request *q)
{
    return find_as(q, engine_resource);
}

static struct str address_of(const struct request *q)
{
    if (q->address.n > 0)
        return q->address;
    return arena_printf(q->engine->arena, STR_FMT "." STR_FMT, STR_ARG(q->type), STR_ARG(q->name));
}

static bool has_type(const struct request *q)
{
    return map_get(&q->engine->schema->resources, q->type) != NULL;
}

/* Core's error where the type comes from something other than a configuration: all of it is in the summary. */
static bool fail_without_type(struct request *q, struct str summary)
{
    (void)engine_fail(q->engine, summary.p, "%s", "");
    return false;
}

static bool find_stored(struct request *q)
{
    if (has_type(q))
        return request_find(q);
    return fail_without_type(q,
                             arena_printf(q->engine->arena,
                                          "no schema available for " STR_FMT " while reading state; this is a bug in Terraform "
                                          "and should be reported",
                                          STR_ARG(address_of(q))));
}

static bool find_imported(struct request *q)
{
    if (has_type(q))
        return request_find(q);
    return fail_without_type(
        q, arena_printf(q->engine->arena, "provider does not support resource type for \"" STR_FMT "\"", STR_ARG(address_of(q))));
}

/* The configuration */

static bool read_ignored(struct request *q, const struct json *ignore, struct change_paths *ret)
{
    size_t n = ignore ? ignore->array.n : 0;
    struct path *paths = arena_make_n(q->engine->arena, struct path, n);
    for (size_t i = 0; i < n; i++) {
        const struct json *steps = ignore->array.items[i];
        if (!change_path_read(q->engine->arena, q->resource.schema->block, steps, &paths[i]))
            return diags_fail(q->engine->diags, "Invalid path",
                              "Element %zu of ignore_changes is not a path: an array of names, keys and indexes.", i);
    }
    *ret = (struct change_paths){paths, n};
    return true;
}

/* Checks a configuration by core's rules and the provider's, before anything is read or planned. */
static enum engine_status check(struct request *q, const struct wanted *wanted, struct change_paths *ret_ignored,
                                struct resource_config *ret)
{
    struct engine *e = q->engine;
    const struct schema_block *block = q->resource.schema->block;
    if (!read_ignored(q, wanted->ignore, ret_ignored) ||
        (!wanted->ignore_brackets && !change_check_references(block, *ret_ignored, e->diags)) ||
        !engine_config(e, &q->resource, wanted->config, wanted->unknown, ret))
        return ENGINE_FAILED;
    bool paths_exist = change_check_ignored(block, *ret_ignored, e->diags);
    enum engine_status s = engine_validate(e, &q->resource, ret);
    return s == ENGINE_OK && !paths_exist ? ENGINE_FAILED : s;
}

/* Managed objects */

enum engine_status request_validate(struct request *q, const struct wanted *wanted)
{
    struct change_paths ignored;
    struct resource_config config;
    repeat_warnings(q);
    return request_find(q) ? check(q, wanted, &ignored, &config) : ENGINE_FAILED;
}

enum engine_status request_plan(struct request *q, const struct state_instance *stored, const struct wanted *wanted,
                                struct plan *ret)
{
    if (wanted->config || stored) /* with neither an object nor a configuration, core does not use the provider */
        repeat_warnings(q);
    if (!(wanted->config ? request_find(q) : find_stored(q)))
        return ENGINE_FAILED;
    struct plan_options options = {
        .no_refresh = wanted->no_refresh,
        .ignore_all = wanted->ignore_all,
        .replace = wanted->replace,
        .create_before_destroy = wanted->create_before_destroy,
    };
    struct resource_config config = {.value = value_null(q->engine->arena, q->resource.schema->type)};
    enum engine_status s = wanted->config ? check(q, wanted, &options.ignore, &config) : ENGINE_OK;
    return s == ENGINE_OK ? engine_plan(q->engine, &q->resource, stored, &config, &options, ret) : s;
}

enum engine_status request_apply(struct request *q, const struct plan *plan, struct applied *ret)
{
    repeat_warnings(q);
    if (q->engine->provider)
        return engine_apply(q->engine, &q->resource, plan, ret);
    *ret = (struct applied){.object = plan->prior};
    return ENGINE_LOST;
}

enum engine_status request_upgrade(struct request *q, const struct state_instance *stored, struct object *ret)
{
    repeat_warnings(q);
    return find_stored(q) ? engine_upgrade(q->engine, &q->resource, stored, NULL, ret) : ENGINE_FAILED;
}

enum engine_status request_refresh(struct request *q, const struct state_instance *stored, struct object *ret_before,
                                   struct object *ret)
{
    struct object before;
    enum engine_status s = request_upgrade(q, stored, &before);
    if (s == ENGINE_OK)
        s = engine_refresh(q->engine, &q->resource, &before, NULL, ret);
    if (s == ENGINE_OK && ret_before)
        *ret_before = before;
    return s;
}

enum engine_status request_import(struct request *q, const struct import_target *target, struct imports *ret)
{
    repeat_warnings(q);
    return find_imported(q) ? engine_import(q->engine, &q->resource, target, ret) : ENGINE_FAILED;
}

enum engine_status request_move(struct request *q, struct str source_provider, struct str source_type,
                                const struct state_instance *source, struct object *ret)
{
    repeat_warnings(q);
    if (!request_find(q))
        return ENGINE_FAILED;
    return engine_move(q->engine, &q->resource, source_provider, source_type, source, ret);
}

/* Other kinds */

enum engine_status request_read_data(struct request *q, const struct json *config, const struct value **ret)
{
    struct resource_config c;
    repeat_warnings(q);
    if (!find_as(q, engine_data_source) || !engine_config(q->engine, &q->resource, config, NULL, &c))
        return ENGINE_FAILED;
    return engine_read_data(q->engine, &q->resource, &c, ret);
}

/* Core opens an ephemeral object in the middle of other work, when it has shown the warnings already. */
enum engine_status request_open_ephemeral(struct request *q, const struct json *config, struct ephemeral *ret)
{
    struct resource_config c;
    if (!find_as(q, engine_ephemeral) || !engine_config(q->engine, &q->resource, config, NULL, &c))
        return ENGINE_FAILED;
    return engine_open_ephemeral(q->engine, &q->resource, &c, ret);
}

enum engine_status request_list(struct request *q, const struct json *config, const struct list_options *options,
                                engine_found_fn *on_found, void *ctx, size_t *ret_count)
{
    struct list_options with = *options;
    repeat_warnings(q);
    if (!find_as(q, engine_list_resource) || !engine_config(q->engine, &q->resource, config, NULL, &with.config))
        return ENGINE_FAILED;
    return engine_list(q->engine, &q->resource, &with, on_found, ctx, ret_count);
}
