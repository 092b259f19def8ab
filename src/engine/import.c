/* Imports an existing object: the provider finds it by what the user gave, then it is read. */
#include "engine/call_private.h"
#include "value/json_value.h"

#define NOT_THERE "Cannot import non-existent remote object"

/* The import target in messages. */
static struct str target_text(struct engine *e, const struct import_target *target)
{
    if (!target->identity)
        return target->id;
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &out};
    json_write(&w, target->identity);
    return json_finish(&w) ? buf_copy(&out, e->arena) : STR("the identity");
}

static bool read_identity(struct engine *e, const struct resource *r, const struct json *json, const struct value **ret)
{
    if (!r->identity)
        return diags_fail(e->diags, "Import by identity not possible",
                          "Resource type \"" STR_FMT "\" has no identity. Give the id of the object instead.", STR_ARG(r->type));
    for (size_t i = 0; json->kind == JSON_OBJECT && i < json->object.n; i++)
        if (type_attr_find(r->identity->type, json->object.members[i].key) == SIZE_MAX)
            return diags_fail(e->diags, "Invalid identity", "The identity of \"" STR_FMT "\" has no attribute \"" STR_FMT "\".",
                              STR_ARG(r->type), STR_ARG(json->object.members[i].key));
    for (size_t i = 0; i < r->identity->n_attrs; i++) {
        const struct schema_identity_attr *attr = &r->identity->attrs[i];
        const struct json *given = json_get_str(json, attr->name);
        if (attr->required_for_import && (!given || given->kind == JSON_NULL))
            return diags_fail(e->diags, "Invalid identity", "Attribute \"" STR_FMT "\" is required to import a \"" STR_FMT "\".",
                              STR_ARG(attr->name), STR_ARG(r->type));
    }
    *ret = value_from_json(e->arena, json, r->identity->type, PATH_ROOT, e->diags);
    return *ret != NULL;
}

static enum engine_status ask(struct engine *e, const struct resource *r, const struct import_target *target,
                              struct import_response *ret)
{
    struct import_request request = {.type_name = r->type, .id = target->id, .capabilities = engine_capabilities()};
    if (target->identity && !read_identity(e, r, target->identity, &request.identity))
        return ENGINE_FAILED;
    struct call c = call_start(e);
    enum provider_status status = provider_import(e->provider, e->arena, &request, &c.options, &c.found, ret);
    enum engine_status s = call_finish(&c, "ImportResourceState", status, NULL);
    if (s != ENGINE_OK)
        return s;
    return engine_check_deferred(e, r, ret->deferred) ? ENGINE_OK : ENGINE_FAILED;
}

/* Core wants exactly one object, with a type and a state. */
static bool check_answer(struct engine *e, const struct resource *r, const struct import_target *target,
                         const struct import_response *response)
{
    struct str what = target_text(e, target);
    if (response->n_resources == 0) {
        (void)engine_fail(e, "Import returned no resources",
                          "While attempting to import with ID " STR_FMT ", the providerreturned no instance states.",
                          STR_ARG(what));
        return false;
    }
    if (response->n_resources > 1) {
        (void)engine_fail(e, "Multiple import states not supported",
                          "While attempting to import with ID " STR_FMT
                          ", the provider returned multiple resource instance states. "
                          "This is not currently supported.",
                          STR_ARG(what));
        return false;
    }
    const struct imported_resource *found = &response->resources[0];
    if (found->type_name.n == 0) {
        struct str text = arena_printf(e->arena, "import of " STR_FMT " didn't set type", STR_ARG(r->address));
        (void)engine_fail(e, text.p, "%s", "");
        return false;
    }
    if (!found->state || value_is_null(found->state)) {
        (void)engine_fail(e, "Import returned null resource",
                          "While attempting to import with ID " STR_FMT ", the providerreturned an instance with no state.",
                          STR_ARG(what));
        return false;
    }
    return true;
}

static bool check_write_only(struct engine *e, const struct resource *r, const struct import_target *target,
                             const struct value *v)
{
    struct change_paths paths = change_write_only(e->arena, r->schema->block, v);
    for (size_t i = 0; i < paths.n; i++)
        (void)engine_fail(e, "Import returned a non-null value for a write-only attribute",
                          "While attempting to import with ID " STR_FMT ", the provider %s returned a value for the write-only "
                          "attribute \"" STR_FMT STR_FMT
                          "\". Write-only attributes cannot be read back from the provider. " BUG_IN_PROVIDER,
                          STR_ARG(target_text(e, target)), engine_provider_text(e), STR_ARG(r->address),
                          STR_ARG(change_path_text(e->arena, paths.v[i])));
    return paths.n == 0;
}

static enum engine_status read_imported(struct engine *e, const struct import_target *target,
                                        const struct imported_resource *found, struct imported *ret)
{
    struct object o = {.value = found->state, .private = found->private, .identity = engine_identity(found->identity)};
    if (!check_write_only(e, &ret->resource, target, o.value))
        return ENGINE_FAILED;
    enum engine_status s = engine_refresh(e, &ret->resource, &o, NULL, &o);
    if (s != ENGINE_OK)
        return s;
    if (!o.value)
        return engine_fail(e, NOT_THERE,
                           "While attempting to import an existing object to \"" STR_FMT
                           "\", the provider detected that no object exists with the given %s. Only pre-existing objects can be "
                           "imported; check that the %s is correct and that it is associated with the provider's configured "
                           "region or endpoint, or use \"terraform apply\" to create a new remote object for this resource.",
                           STR_ARG(ret->resource.address), target->identity ? "identity" : "id",
                           target->identity ? "identity" : "id");
    ret->object = o;
    return ENGINE_OK;
}

enum engine_status engine_import(struct engine *e, const struct resource *r, const struct import_target *target,
                                 struct imports *ret)
{
    if (!target->identity && target->id.n == 0)
        return engine_fail(e, "Invalid import id argument",
                           "The import ID value evaluates to an empty string, please provide a non-empty value.");
    struct import_response response;
    e->found_nothing = false;
    enum engine_status s = ask(e, r, target, &response);
    if (s != ENGINE_OK)
        return s;
    if (!check_answer(e, r, target, &response))
        return ENGINE_FAILED;
    const struct imported_resource *found = &response.resources[0];
    struct imported *imported = arena_make(e->arena, struct imported);
    imported->resource = *r;
    if (!str_eq(found->type_name, r->type)) {
        struct str name = str_slice(r->address, r->type.n + 1, r->address.n);
        if (!engine_resource(e, found->type_name, name, &imported->resource))
            return ENGINE_FAILED;
    }
    s = read_imported(e, target, found, imported);
    if (s == ENGINE_OK)
        *ret = (struct imports){imported, 1};
    return s;
}

bool engine_import_missed(const struct engine *e, const struct diags *diags)
{
    if (e->found_nothing)
        return true;
    for (size_t i = 0; i < diags->n; i++)
        if (diags->v[i].severity == DIAG_ERROR && str_eqz(diags->v[i].summary, NOT_THERE))
            return true;
    return false;
}
