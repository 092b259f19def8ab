/*
 * Reads version 3 and converts it to version 4, as Terraform 0.12 did.
 *
 * In version 3 a "resource" is an instance, named TYPE.NAME.INDEX; instances are grouped into resources. Attributes are a flatmap
 * and stay one. The SDK's schema version is in `meta`; it gets its own field, and the rest of `meta` becomes the private bytes.
 * Provider addresses become `provider.NAME`, to which newer releases add host and namespace from the configuration. Dropped, as
 * by Terraform: depends_on, remote, backend, outputs of child modules, the coarse type of outputs.
 */
#include "state/state_reader_private.h"
#include "value/identifier.h"
#include "value/json_value.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_PRIVATE = 16 << 20, MAX_MODULE_TEXT = 64 << 10, MAX_ADDRESS_PARTS = 4 };

/* Addresses */

/* ["root","a","b"] to module.a.module.b */
static bool read_module_path(const struct state_reader *r, const struct json *module, struct str *ret)
{
    const struct str *parts = NULL;
    size_t n = 0;
    struct buf text BUF_AUTO = BUF_INIT(MAX_MODULE_TEXT);
    if (!state_read_texts(r, module, "path", &parts, &n))
        return false;
    if (n == 0 || n > STATE_MAX_MODULE_DEPTH || !str_eqz(parts[0], "root"))
        return state_fail_at(r, module, "the path of a module starts with \"root\" and has at most %d parts",
                             (int)STATE_MAX_MODULE_DEPTH);
    for (size_t i = 1; i < n; i++) {
        if (!identifier_is(parts[i]))
            return state_fail_at(r, module, "\"" STR_FMT "\" cannot be the name of a module", STR_ARG(parts[i]));
        buf_printf(&text, "%smodule." STR_FMT, i > 1 ? "." : "", STR_ARG(parts[i]));
    }
    if (!buf_ok(&text))
        return state_fail_at(r, module, "the path of the module is too long");
    *ret = buf_copy(&text, r->arena);
    return true;
}

/* TYPE.NAME, TYPE.NAME.0, data.TYPE.NAME, data.TYPE.NAME.0 */
static bool parse_address(const struct json_member *m, struct state_address *ret)
{
    struct str parts[MAX_ADDRESS_PARTS + 1], rest = m->key;
    size_t n = 0;
    for (bool more = true; more && n <= MAX_ADDRESS_PARTS;) {
        more = str_find(rest, '.', 0) != SIZE_MAX;
        parts[n++] = str_cut(&rest, '.');
    }
    bool data = n > 2 && str_eqz(parts[0], "data");
    const struct str *p = data ? parts + 1 : parts;
    n -= data;
    if (n < 2 || n > 3 || p[0].n == 0 || p[1].n == 0)
        return false;
    ret->mode = data ? STATE_DATA : STATE_MANAGED;
    ret->type = p[0];
    ret->name = p[1];
    ret->key = (struct state_key){0};
    if (n == 2)
        return true;
    ret->key.kind = STATE_KEY_INT;
    return str_to_i64(p[2], &ret->key.number);
}

/*
 * "provider.aws" and "module.a.provider.aws" are complete; "aws" and "aws.west" belong to the resource's module; "" is derived
 * from the type.
 */
static struct str provider_address(const struct state_reader *r, const struct state_address *address, struct str old)
{
    if (str_contains(old, STR("provider.")))
        return old;
    struct str type = address->type;
    struct str name = old.n > 0 ? old : str_cut(&type, '_');
    return arena_printf(r->arena, STR_FMT "%sprovider." STR_FMT, STR_ARG(address->module), address->module.n > 0 ? "." : "",
                        STR_ARG(name));
}

/* Instances */

static bool schema_version_of(const struct json *meta, uint64_t *ret)
{
    const struct json *j = json_get(meta, "schema_version");
    int64_t version;
    if (!j || (j->kind != JSON_STRING && j->kind != JSON_NUMBER) || !str_to_i64(j->text, &version) || version < 0)
        return false;
    *ret = (uint64_t)version;
    return true;
}

static int by_member_key(const void *a, const void *b)
{
    return str_cmp(((const struct json_member *)a)->key, ((const struct json_member *)b)->key);
}

/* The rest of `meta` as the JSON text that Go would make of the map: keys sorted. */
static bool private_from_meta(const struct state_reader *r, const struct json *meta, bool without_version, struct str *ret)
{
    struct json_member *kept = arena_make_n(r->arena, struct json_member, meta->object.n);
    size_t n = 0;
    for (size_t i = 0; i < meta->object.n; i++)
        if (!without_version || !str_eqz(meta->object.members[i].key, "schema_version"))
            kept[n++] = meta->object.members[i];
    if (n == 0)
        return true;
    qsort(kept, n, sizeof *kept, by_member_key);
    struct buf text BUF_AUTO = BUF_INIT(MAX_PRIVATE);
    struct json_writer w = {.out = &text, .html_escape = true};
    json_write(&w, json_make_object(r->arena, kept, n));
    if (!json_finish(&w))
        return state_fail_at(r, meta, "\"meta\" is larger than %d bytes", (int)MAX_PRIVATE);
    *ret = buf_copy(&text, r->arena);
    return true;
}

static bool read_meta(const struct state_reader *r, const struct json *j, struct state_instance *object)
{
    const struct json *meta;
    if (!state_read_container(r, j, "meta", JSON_OBJECT, &meta))
        return false;
    if (!meta)
        return true;
    bool known = schema_version_of(meta, &object->schema_version);
    return private_from_meta(r, meta, known, &object->private_bytes);
}

/* An object without an attribute `id` gets it from the field of that name. */
static void keep_id(const struct state_reader *r, struct flatmap *flat, struct str id)
{
    size_t at = 0;
    while (at < flat->n && str_cmp(flat->v[at].key, STR("id")) < 0)
        at++;
    if (at < flat->n && str_eqz(flat->v[at].key, "id")) {
        if (flat->v[at].value.n == 0)
            flat->v[at].value = id;
        return;
    }
    struct flatmap_entry *entries = arena_make_n(r->arena, struct flatmap_entry, flat->n + 1);
    for (size_t i = 0; i < flat->n; i++)
        entries[i < at ? i : i + 1] = flat->v[i];
    entries[at] = (struct flatmap_entry){STR("id"), id};
    *flat = (struct flatmap){entries, flat->n + 1};
}

static bool read_object(const struct state_reader *r, const struct json *j, struct state_instance *object)
{
    struct str id = STR_EMPTY;
    if (j->kind != JSON_OBJECT)
        return state_fail_at(r, j, "an instance is an object");
    if (!state_read_text(r, j, "id", &id) || !state_read_flat(r, j, "attributes", &object->flat) || !read_meta(r, j, object) ||
        !state_read_flag(r, j, "tainted", &object->tainted))
        return false;
    if (id.n > 0)
        keep_id(r, &object->flat, id);
    return true;
}

static bool add_object(struct state_reader *r, const struct json *j, struct state_address address, struct str deposed,
                       struct state_resource *resource)
{
    struct state_instance object = {0};
    address.deposed = deposed;
    return read_object(r, j, &object) && state_reader_add(r, &address, resource, &object, j);
}

static bool read_resource(struct state_reader *r, struct str module, const struct json_member *m)
{
    struct state_address address = {.module = module};
    struct str provider = STR_EMPTY;
    const struct json *primary, *deposed;
    if (!parse_address(m, &address))
        return state_fail_at(r, m->value, "\"" STR_FMT "\" is not the address of a resource", STR_ARG(m->key));
    if (m->value->kind != JSON_OBJECT)
        return state_fail_at(r, m->value, "a resource is an object");
    if (!state_read_text(r, m->value, "provider", &provider) ||
        !state_read_container(r, m->value, "primary", JSON_OBJECT, &primary) ||
        !state_read_container(r, m->value, "deposed", JSON_ARRAY, &deposed))
        return false;
    struct state_resource *resource = state_reader_resource(r, &address);
    if (resource->provider.n == 0)
        resource->provider = provider_address(r, &address, provider);
    if (primary && !add_object(r, primary, address, STR_EMPTY, resource))
        return false;
    for (size_t i = 0; deposed && i < deposed->array.n; i++)
        if (!add_object(r, deposed->array.items[i], address, arena_printf(r->arena, "%08zx", i + 1), resource))
            return false;
    return true;
}

/* Outputs */

/* Outputs of version 3 were lists and maps of one type: tuples and objects whose parts have equal types become lists and maps. */
static const struct type *simplified(struct arena *a, const struct type *t)
{
    if ((t->kind != TYPE_TUPLE && t->kind != TYPE_OBJECT) || t->n == 0)
        return t;
    bool tuple = t->kind == TYPE_TUPLE;
    const struct type *first = tuple ? t->elements[0] : t->attrs[0].type;
    for (size_t i = 1; i < t->n; i++)
        if (!type_eq(first, tuple ? t->elements[i] : t->attrs[i].type))
            return t;
    const struct type *element = simplified(a, first);
    return tuple ? type_list(a, element) : type_map(a, element);
}

static bool read_output(struct state_reader *r, const struct json_member *m)
{
    bool sensitive = false;
    const struct json *value = json_get(m->value, "value");
    if (m->value->kind != JSON_OBJECT || !value)
        return state_fail_at(r, m->value, "an output is an object with its value");
    if (!state_read_flag(r, m->value, "sensitive", &sensitive))
        return false;
    const struct type *type = simplified(r->arena, type_implied_by_json(r->arena, value));
    struct json_member named = {.key = m->key, .value = value};
    return state_reader_add_output(r, &named, type, sensitive, STR_EMPTY);
}

static bool read_module(struct state_reader *r, const struct json *j)
{
    struct str module = STR_EMPTY;
    const struct json *resources, *outputs;
    if (j->kind != JSON_OBJECT)
        return state_fail_at(r, j, "a module is an object");
    if (!read_module_path(r, j, &module) || !state_read_container(r, j, "resources", JSON_OBJECT, &resources) ||
        !state_read_container(r, j, "outputs", JSON_OBJECT, &outputs))
        return false;
    for (size_t i = 0; resources && i < resources->object.n; i++)
        if (!read_resource(r, module, &resources->object.members[i]))
            return false;
    for (size_t i = 0; outputs && module.n == 0 && i < outputs->object.n; i++)
        if (!read_output(r, &outputs->object.members[i]))
            return false;
    return true;
}

bool state_read_v3(struct state_reader *r, const struct json *root)
{
    struct state *s = r->state;
    const struct json *modules;
    s->terraform_version = STR("0.0.0");
    if (!state_read_text(r, root, "terraform_version", &s->terraform_version) || !state_read_u64(r, root, "serial", &s->serial) ||
        !state_read_text(r, root, "lineage", &s->lineage) || !state_read_container(r, root, "modules", JSON_ARRAY, &modules))
        return false;
    for (size_t i = 0; modules && i < modules->array.n; i++)
        if (!read_module(r, modules->array.items[i]))
            return false;
    return true;
}
