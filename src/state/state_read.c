/*
 * Reads version 4, and chooses the reader by version. Each struct of the format has one function; as in Go's decoder, an absent
 * or null member leaves the zero value.
 */
#include "state/state_read.h"

#include "base/base64.h"
#include "state/state_reader_private.h"

#include <inttypes.h>

/* Instances */

static bool read_key(const struct state_reader *r, const struct json *j, struct state_key *ret)
{
    int64_t number;
    if (!j || j->kind == JSON_NULL)
        return true;
    if (j->kind == JSON_STRING)
        *ret = (struct state_key){.kind = STATE_KEY_STRING, .text = j->text};
    else if (j->kind == JSON_NUMBER && str_to_i64(j->text, &number))
        *ret = (struct state_key){.kind = STATE_KEY_INT, .number = number};
    else
        return state_fail_at(r, j, "an instance key must be a whole number or a string");
    return true;
}

static bool read_status(const struct state_reader *r, const struct json *j, bool *ret)
{
    struct str status = STR_EMPTY;
    if (!state_read_text(r, j, "status", &status))
        return false;
    if (status.n > 0 && !str_eqz(status, "tainted"))
        return state_fail_at(r, json_get(j, "status"),
                             "\"" STR_FMT "\" is not a valid status of an instance; expected \"tainted\", or no status",
                             STR_ARG(status));
    *ret = status.n > 0;
    return true;
}

/* A list index is a whole number, a map key a string; paths do not go into sets, so there is no other kind. */
static bool read_index_step(const struct state_reader *r, const struct json *key, struct path_step *ret)
{
    const struct json *value = json_get(key, "value"), *type = json_get(key, "type");
    struct str type_name = type && type->kind == JSON_STRING ? type->text : STR_EMPTY;
    if (value && value->kind == JSON_STRING && str_eqz(type_name, "string"))
        *ret = (struct path_step){.kind = PATH_KEY, .name = value->text};
    else if (value && value->kind == JSON_NUMBER && str_eqz(type_name, "number") && str_to_i64(value->text, &ret->index))
        ret->kind = PATH_INDEX;
    else
        return state_fail_at(r, key, "expected the key of an index step: {\"value\": ..., \"type\": \"number\" or \"string\"}");
    return true;
}

static bool read_step(const struct state_reader *r, const struct json *j, struct path_step *ret)
{
    struct str type = STR_EMPTY;
    if (j->kind != JSON_OBJECT)
        return state_fail_at(r, j, "a step of a sensitive path is an object with type and value");
    if (!state_read_text(r, j, "type", &type))
        return false;
    const struct json *value = json_get(j, "value");
    if (!value)
        return state_fail_at(r, j, "a step of a sensitive path has no \"value\"");
    if (str_eqz(type, "index"))
        return read_index_step(r, value, ret);
    if (!str_eqz(type, "get_attr"))
        return state_fail_at(r, j, "a step of a sensitive path is a \"get_attr\" or an \"index\"");
    if (value->kind != JSON_STRING)
        return state_fail_at(r, value, "the value of a \"get_attr\" step is the name of an attribute");
    *ret = (struct path_step){.kind = PATH_ATTR, .name = value->text};
    return true;
}

static bool read_path(const struct state_reader *r, const struct json *j, struct path *ret)
{
    if (j->kind != JSON_ARRAY || j->array.n > STATE_MAX_PATH_STEPS)
        return state_fail_at(r, j, "a sensitive path must be an array of at most %d steps", (int)STATE_MAX_PATH_STEPS);
    struct path_step *steps = arena_make_n(r->arena, struct path_step, j->array.n);
    for (size_t i = 0; i < j->array.n; i++)
        if (!read_step(r, j->array.items[i], &steps[i]))
            return false;
    *ret = (struct path){steps, j->array.n};
    return true;
}

static bool read_sensitive(const struct state_reader *r, const struct json *j, struct state_instance *object)
{
    const struct json *paths;
    if (!state_read_container(r, j, "sensitive_attributes", JSON_ARRAY, &paths))
        return false;
    if (!paths)
        return true;
    struct path *list = arena_make_n(r->arena, struct path, paths->array.n);
    for (size_t i = 0; i < paths->array.n; i++)
        if (!read_path(r, paths->array.items[i], &list[i]))
            return false;
    object->sensitive = list;
    object->n_sensitive = paths->array.n;
    return true;
}

static bool read_private(const struct state_reader *r, const struct json *j, struct str *ret)
{
    struct str text = STR_EMPTY;
    if (!state_read_text(r, j, "private", &text))
        return false;
    if (!base64_read(r->arena, text, ret))
        return state_fail_at(r, json_get(j, "private"), "\"private\" is not base64");
    return true;
}

/* OpenTofu's order: the identity after the members that Terraform writes after it, and its version last. */
static bool identity_is_last(const struct json *j)
{
    bool seen = false;
    for (size_t i = 0; i < j->object.n; i++) {
        struct str key = j->object.members[i].key;
        if (str_eqz(key, "identity_schema_version"))
            return seen;
        seen |= str_eqz(key, "identity") || str_eqz(key, "private") || str_eqz(key, "dependencies") ||
                str_eqz(key, "create_before_destroy");
    }
    return false;
}

static bool read_identity(const struct state_reader *r, const struct json *j, struct state_instance *object)
{
    const struct json *version = json_get(j, "identity_schema_version");
    object->has_identity_version = version && version->kind == JSON_NUMBER;
    object->identity_last = identity_is_last(j);
    return state_read_u64(r, j, "identity_schema_version", &object->identity_schema_version) &&
           state_read_container(r, j, "identity", JSON_OBJECT, &object->identity);
}

/* Absent attributes mean an object without attributes, null means no object: the only member where the two differ. */
static bool read_attributes(const struct state_reader *r, const struct json *j, const struct json **ret)
{
    const struct json *attributes = json_get(j, "attributes");
    if (!attributes || attributes->kind != JSON_NULL)
        return state_read_container(r, j, "attributes", JSON_OBJECT, ret);
    *ret = attributes;
    return true;
}

static bool read_object(const struct state_reader *r, const struct json *j, struct state_instance *object)
{
    if (j->kind != JSON_OBJECT)
        return state_fail_at(r, j, "an instance is an object");
    if (!read_key(r, json_get(j, "index_key"), &object->key) || !read_status(r, j, &object->tainted) ||
        !state_read_text(r, j, "deposed", &object->deposed) || !state_read_text(r, j, "provider", &object->provider) ||
        !state_read_u64(r, j, "schema_version", &object->schema_version) || !read_attributes(r, j, &object->attributes) ||
        !read_sensitive(r, j, object) || !read_identity(r, j, object) || !read_private(r, j, &object->private_bytes) ||
        !state_read_texts(r, j, "dependencies", &object->dependencies, &object->n_dependencies) ||
        !state_read_texts(r, j, "depends_on", &object->depends_on, &object->n_depends_on) ||
        !state_read_flag(r, j, "create_before_destroy", &object->create_before_destroy) ||
        !state_read_flag(r, j, "skip_destroy", &object->skip_destroy))
        return false;
    if (object->deposed.n > 0 && object->deposed.n != STATE_DEPOSED_KEY)
        return state_fail_at(r, json_get(j, "deposed"), "the key of a deposed object has %d characters", (int)STATE_DEPOSED_KEY);
    /* If both forms are there, Terraform uses the new one. */
    return object->attributes || state_read_flat(r, j, "attributes_flat", &object->flat);
}

bool state_read_instance(struct arena *a, const struct json *j, const char *source, struct diags *diags,
                         struct state_instance *ret)
{
    struct state_reader r = {.arena = a, .source = source, .diags = diags};
    struct state_instance object = {0};
    if (!read_object(&r, j, &object))
        return false;
    *ret = object;
    return true;
}

/* Resources */

static bool read_mode(const struct state_reader *r, const struct json *j, enum state_mode *ret)
{
    struct str mode = STR_EMPTY;
    if (!state_read_text(r, j, "mode", &mode))
        return false;
    if (!str_eqz(mode, "managed") && !str_eqz(mode, "data"))
        return state_fail_at(r, j, "the mode of a resource is \"managed\" or \"data\"");
    *ret = str_eqz(mode, "data") ? STATE_DATA : STATE_MANAGED;
    return true;
}

static bool read_address(const struct state_reader *r, const struct json *j, struct state_address *ret)
{
    if (j->kind != JSON_OBJECT)
        return state_fail_at(r, j, "a resource is an object");
    if (!state_read_text(r, j, "module", &ret->module) || !read_mode(r, j, &ret->mode) ||
        !state_read_text(r, j, "type", &ret->type) || !state_read_text(r, j, "name", &ret->name))
        return false;
    if (ret->type.n == 0 || ret->name.n == 0)
        return state_fail_at(r, j, "a resource needs a type and a name");
    return true;
}

static bool read_instances(struct state_reader *r, const struct json *j, struct state_address address,
                           struct state_resource *resource)
{
    const struct json *instances;
    if (!state_read_container(r, j, "instances", JSON_ARRAY, &instances))
        return false;
    for (size_t i = 0; instances && i < instances->array.n; i++) {
        const struct json *item = instances->array.items[i];
        struct state_instance object = {0};
        if (!read_object(r, item, &object))
            return false;
        if (resource->provider.n == 0 && object.provider.n == 0)
            return state_fail_at(r, item, "neither the resource nor this instance names its provider");
        address.key = object.key;
        address.deposed = object.deposed;
        if (!state_reader_add(r, &address, resource, &object, item))
            return false;
    }
    return true;
}

static bool read_resource(struct state_reader *r, const struct json *j)
{
    struct state_address address = {0};
    struct str provider = STR_EMPTY;
    if (!read_address(r, j, &address) || !state_read_text(r, j, "provider", &provider))
        return false;
    struct state_resource *resource = state_reader_resource(r, &address);
    resource->provider = provider;
    return read_instances(r, j, address, resource);
}

/* Outputs */

static bool read_output(struct state_reader *r, const struct json_member *m)
{
    bool sensitive = false;
    struct str deprecated = STR_EMPTY;
    struct diags why;
    diags_init(&why, r->arena);
    if (m->value->kind != JSON_OBJECT)
        return state_fail_at(r, m->value, "an output is an object with its value and its type");
    if (!state_read_flag(r, m->value, "sensitive", &sensitive) || !state_read_text(r, m->value, "deprecated", &deprecated))
        return false;
    const struct json *type = json_get(m->value, "type"), *value = json_get(m->value, "value");
    if (!type || !value)
        return state_fail_at(r, m->value, "the output \"" STR_FMT "\" has no value or no type", STR_ARG(m->key));
    const struct type *parsed = type_from_json(r->arena, type, &why);
    if (!parsed)
        return state_fail_at(r, type, "the type of the output \"" STR_FMT "\" is not valid", STR_ARG(m->key));
    struct json_member named = {.key = m->key, .value = value};
    return state_reader_add_output(r, &named, parsed, sensitive, deprecated);
}

static bool read_v4(struct state_reader *r, const struct json *root)
{
    struct state *s = r->state;
    const struct json *outputs, *resources;
    if (!state_read_text(r, root, "terraform_version", &s->terraform_version) || !state_read_u64(r, root, "serial", &s->serial) ||
        !state_read_text(r, root, "lineage", &s->lineage) || !state_read_container(r, root, "outputs", JSON_OBJECT, &outputs) ||
        !state_read_container(r, root, "resources", JSON_ARRAY, &resources) ||
        !state_read_container(r, root, "check_results", JSON_ARRAY, &s->check_results))
        return false;
    for (size_t i = 0; outputs && i < outputs->object.n; i++)
        if (!read_output(r, &outputs->object.members[i]))
            return false;
    for (size_t i = 0; resources && i < resources->array.n; i++)
        if (!read_resource(r, resources->array.items[i]))
            return false;
    return true;
}

/* Versions */

static bool fail_version(const struct state_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail_version(const struct state_reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str what = arena_vprintf(r->diags->arena, format, args);
    va_end(args);
    return diags_fail(r->diags, "Unsupported state file format", "%s: " STR_FMT, r->source, STR_ARG(what));
}

static bool fail_newer(const struct state_reader *r, const struct json *root, uint64_t version)
{
    struct str writer = json_text(json_get(root, "terraform_version"), STR("a newer release"));
    return fail_version(r,
                        "the file has format version %" PRIu64 ", written by Terraform " STR_FMT
                        ". Versions 3 and 4 can be read; a newer Terrane may know this one.",
                        version, STR_ARG(writer));
}

static bool read_any(struct state_reader *r, const struct json *root)
{
    uint64_t version = 0;
    if (root->kind != JSON_OBJECT)
        return state_fail_at(r, root, "a state file is a JSON object");
    if (json_get(root, "encrypted_data"))
        return fail_version(r, "the file is encrypted by OpenTofu. Decrypt it with `tofu state pull > FILE` first.");
    if (!json_get(root, "version"))
        return fail_version(r, "the file has no \"version\", so it is not a state file.");
    if (!state_read_u64(r, root, "version", &version))
        return false;
    r->state->read_version = (uint32_t)version;
    if (version == 4)
        return read_v4(r, root);
    if (version == 3)
        return state_read_v3(r, root);
    if (version > 4)
        return fail_newer(r, root, version);
    return fail_version(r,
                        "the file has format version %" PRIu64 ", of Terraform 0.6 or older. Open it with Terraform 0.11 "
                        "(`terraform refresh`), which writes version 3, and try again.",
                        version);
}

static enum state_layout layout_of(struct str text)
{
    if (str_find(text, '\n', 0) == text.n - 1)
        return STATE_ONE_LINE;
    return str_ends(text, STR("}\n\n")) ? STATE_EXTRA_LINE : STATE_INDENTED;
}

struct state *state_read(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    struct state_reader r;
    if (text.n > STATE_MAX_FILE) {
        (void)diags_fail(diags, "Invalid state file", "%s: larger than the limit of %d bytes.", source, (int)STATE_MAX_FILE);
        return NULL;
    }
    const struct json *root = json_parse(a, text, source, diags);
    if (!root)
        return NULL;
    state_reader_init(&r, a, source, diags);
    r.state = arena_make(a, struct state);
    r.state->arena = a;
    r.state->layout = layout_of(text);
    return read_any(&r, root) ? r.state : NULL;
}
