/* Secrets, ConfigMaps and Namespaces: kinds in manifests that have no CRD. */
#include "admission/admission.h"
#include "admission/check_private.h"
#include "admission/names.h"
#include "base/base64.h"

enum { MAX_DATA = 1 << 20 };

enum core_kind { CORE_SECRET, CORE_CONFIG_MAP, CORE_NAMESPACE, N_CORE };

/* Schemas of the fields other than apiVersion, kind and metadata: types are checked as for any kind. */
static const struct {
    const char *kind;
    const char *schema;
} kinds[] = {
    [CORE_SECRET] = {"Secret", "{\"type\":\"object\",\"properties\":{\"immutable\":{\"type\":\"boolean\"},"
                               "\"type\":{\"type\":\"string\"},"
                               "\"data\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
                               "\"stringData\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}}"},
    [CORE_CONFIG_MAP] = {"ConfigMap", "{\"type\":\"object\",\"properties\":{\"immutable\":{\"type\":\"boolean\"},"
                                      "\"data\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
                                      "\"binaryData\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}}"},
    [CORE_NAMESPACE] = {"Namespace",
                        "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"finalizers\":"
                        "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}},"
                        "\"status\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}"},
};

static enum core_kind kind_of(const struct json *object)
{
    struct str kind = json_text(json_get(object, "kind"), STR_EMPTY);
    enum core_kind k = CORE_SECRET;
    while (k < N_CORE && !str_eqz(kind, kinds[k].kind))
        k++;
    return k;
}

bool admission_is_core(const struct json *object)
{
    return str_eqz(json_text(json_get(object, "apiVersion"), STR_EMPTY), "v1") && kind_of(object) < N_CORE;
}

/* --- data --- */

static struct str bytes_of(struct checker *c, const struct json *value, bool is_base64, const struct at *at)
{
    struct str bytes = value->text;
    if (is_base64 && !base64_read(c->arena, value->text, &bytes))
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Invalid value", "must be base64.");
    return bytes;
}

static const struct json *as_base64(struct arena *a, const struct json *like, struct str bytes)
{
    struct buf text BUF_AUTO = BUF_INIT(SIZE_MAX / 2);
    base64_write(&text, bytes);
    struct json *j = arena_make(a, struct json);
    *j = (struct json){.kind = JSON_STRING, .line = like->line, .column = like->column, .text = buf_copy(&text, a)};
    buf_wipe(&text);
    return j;
}

/* Checks the keys and values of a data member, removes line breaks from base64, and adds up the bytes. */
static const struct json *check_data(struct checker *c, const struct json *object, const char *member, bool is_base64,
                                     size_t *size)
{
    struct at root = {0}, at = at_name(&root, str_of(member));
    const struct json *data = json_get(object, member);
    if (!data)
        return object;
    struct json_member *members = arena_make_n(c->arena, struct json_member, data->object.n);
    for (size_t i = 0; i < data->object.n; i++) {
        members[i] = data->object.members[i];
        struct at here = at_key(&at, members[i].key);
        const char *why = name_data_key(members[i].key);
        if (why)
            problem_add(c->problems, PROBLEM_ERROR, &here, DIAG_AT_NAME, "Invalid key", "has a name that %s.", why);
        struct str bytes = bytes_of(c, members[i].value, is_base64, &here);
        *size += bytes.n;
        if (is_base64)
            members[i].value = as_base64(c->arena, members[i].value, bytes);
    }
    return check_with(c->arena, object, str_of(member), check_make_object(c->arena, data, members, data->object.n));
}

static void check_size(struct checker *c, size_t size, const char *member)
{
    struct at root = {0}, at = at_name(&root, str_of(member));
    if (size > MAX_DATA)
        problem_add(c->problems, PROBLEM_BLOCKING, &at, DIAG_AT_NAME, "Value too long",
                    "must not have more than %d bytes together.", MAX_DATA);
}

/* Reports changes of an object whose `immutable` is set. */
static void check_immutable(struct checker *c, const struct json *object, const struct json *old, const char *member)
{
    struct at root = {0}, at = at_name(&root, str_of(member));
    const struct json *now = json_get(object, member), *was = json_get(old, member);
    if (json_bool(json_get(old, "immutable"), false) && !(now && was ? json_eq(now, was) : now == was))
        problem_add(c->problems, PROBLEM_ERROR, &at, DIAG_AT_NAME, "Immutable object",
                    "cannot be changed, since the object is immutable. Delete it and create it again.");
}

/* --- secrets --- */

static const struct json *merge_strings(struct arena *a, const struct json *object)
{
    const struct json *strings = json_get(object, "stringData"), *data = json_get(object, "data");
    size_t n = 0, room = (strings ? strings->object.n : 0) + (data ? data->object.n : 0);
    struct json_member *members = arena_make_n(a, struct json_member, room);
    for (size_t i = 0; data && i < data->object.n; i++)
        if (!json_get_str(strings, data->object.members[i].key))
            members[n++] = data->object.members[i];
    for (size_t i = 0; strings && i < strings->object.n; i++) {
        members[n] = strings->object.members[i];
        members[n].value = as_base64(a, members[n].value, members[n].value->text);
        n++;
    }
    object = check_with(a, object, STR("stringData"), NULL);
    return check_with(a, object, STR("data"), n > 0 ? check_make_object(a, data, members, n) : NULL);
}

static void need_key(struct checker *c, const struct json *object, const char *key)
{
    struct at root = {0}, at = at_name(&root, STR("data")), here = at_key(&at, str_of(key));
    if (!json_get(json_get(object, "data"), key))
        problem_add(c->problems, PROBLEM_BLOCKING, &here, DIAG_AT_END, "Missing field",
                    "is required for a Secret of type " STR_FMT ".", STR_ARG(json_text(json_get(object, "type"), STR_EMPTY)));
}

/* Requires the key, with a JSON object as its value. */
static void need_json(struct checker *c, const struct json *object, const char *key)
{
    struct at root = {0}, at = at_name(&root, STR("data")), here = at_key(&at, str_of(key));
    const struct json *value = json_get(json_get(object, "data"), key), *read = NULL;
    struct str bytes;
    need_key(c, object, key);
    arena_reset(c->scratch);
    if (value && base64_read(c->scratch, value->text, &bytes))
        read = json_parse_lenient(c->scratch, bytes);
    if (value && (!read || read->kind != JSON_OBJECT))
        problem_add(c->problems, PROBLEM_ERROR, &here, DIAG_AT_VALUE, "Invalid value", "must be an object in JSON.");
}

static void check_secret_type(struct checker *c, const struct json *object)
{
    struct str type = json_text(json_get(object, "type"), STR_EMPTY);
    const struct json *data = json_get(object, "data");
    if (str_eqz(type, "kubernetes.io/dockercfg")) {
        need_json(c, object, ".dockercfg");
    } else if (str_eqz(type, "kubernetes.io/dockerconfigjson")) {
        need_json(c, object, ".dockerconfigjson");
    } else if (str_eqz(type, "kubernetes.io/basic-auth") && !json_get(data, "username") && !json_get(data, "password")) {
        need_key(c, object, "username");
        need_key(c, object, "password");
    } else if (str_eqz(type, "kubernetes.io/ssh-auth")) {
        need_key(c, object, "ssh-privatekey");
    } else if (str_eqz(type, "kubernetes.io/tls")) {
        need_key(c, object, "tls.crt");
        need_key(c, object, "tls.key");
    } else if (str_eqz(type, "kubernetes.io/service-account-token")) {
        struct at root = {0}, metadata = at_name(&root, STR("metadata")), at = at_name(&metadata, STR("annotations"));
        struct at here = at_key(&at, STR("kubernetes.io/service-account.name"));
        const struct json *annotations = json_get(json_get(object, "metadata"), "annotations");
        if (json_text(json_get(annotations, "kubernetes.io/service-account.name"), STR_EMPTY).n == 0)
            problem_add(c->problems, PROBLEM_BLOCKING, &here, DIAG_AT_END, "Missing field",
                        "is required for a Secret of this type.");
    }
}

static const struct json *check_secret(struct checker *c, const struct json *object, const struct json *old)
{
    size_t size = 0;
    struct at root = {0}, at_type = at_name(&root, STR("type"));
    object = merge_strings(c->arena, object);
    struct str was = json_text(json_get(old, "type"), STR("Opaque"));
    if (json_text(json_get(object, "type"), STR_EMPTY).n == 0)
        object = check_with(c->arena, object, STR("type"), json_make_string(c->arena, STR("Opaque")));
    if (old && !str_eq(json_text(json_get(object, "type"), STR_EMPTY), was))
        problem_add(c->problems, PROBLEM_ERROR, &at_type, DIAG_AT_VALUE, "Immutable field",
                    "cannot be changed. Delete the Secret and create it again.");
    object = check_data(c, object, "data", true, &size);
    check_size(c, size, "data");
    check_immutable(c, object, old, "immutable");
    check_immutable(c, object, old, "data");
    check_secret_type(c, object);
    return object;
}

/* --- the others --- */

static const struct json *without_empty(struct arena *a, const struct json *object, const char *member)
{
    const struct json *j = json_get(object, member);
    return j && j->object.n == 0 ? check_with(a, object, str_of(member), NULL) : object;
}

static const struct json *check_config_map(struct checker *c, const struct json *object, const struct json *old)
{
    struct at root = {0}, at = at_name(&root, STR("data"));
    const struct json *data = json_get(object, "data");
    size_t size = 0;
    for (size_t i = 0; data && i < data->object.n; i++) {
        struct at here = at_key(&at, data->object.members[i].key);
        if (json_get_str(json_get(object, "binaryData"), data->object.members[i].key))
            problem_add(c->problems, PROBLEM_ERROR, &here, DIAG_AT_NAME, "Duplicate key", "is in binaryData, too.");
    }
    object = check_data(c, object, "data", false, &size);
    object = check_data(c, object, "binaryData", true, &size);
    check_size(c, size, "data");
    object = without_empty(c->arena, without_empty(c->arena, object, "data"), "binaryData");
    check_immutable(c, object, old, "immutable");
    check_immutable(c, object, old, "data");
    check_immutable(c, object, old, "binaryData");
    return object;
}

/* Sets the label with the namespace's name, by which selectors can choose namespaces. */
static const struct json *check_own_namespace(struct checker *c, const struct json *object)
{
    const struct json *metadata = json_get(object, "metadata"), *name = json_get(metadata, "name");
    if (!name)
        return object;
    const struct json *labels = check_with(c->arena, json_get(metadata, "labels"), STR("kubernetes.io/metadata.name"), name);
    return check_with(c->arena, object, STR("metadata"), check_with(c->arena, metadata, STR("labels"), labels));
}

static const struct json *check_core(struct checker *c, const struct openapi *s, const struct json *object,
                                     const struct json *old, const struct admission_options *options)
{
    enum core_kind k = kind_of(object);
    bool namespaced = k != CORE_NAMESPACE;
    const struct json *metadata = check_metadata_shape(c, json_get(object, "metadata"));
    object = check_shape(c, s, object);
    if (!metadata)
        return NULL;
    metadata = check_namespace_use(c, metadata, namespaced, options->in_namespace);
    object = check_with(c->arena, object, STR("metadata"), metadata);
    check_metadata(c, metadata, namespaced, namespaced ? NAME_OF_OBJECT : NAME_OF_NAMESPACE, false);
    size_t before = c->problems->blocking;
    check_schema(c, s, object, NULL);
    if (c->problems->blocking > before)
        return NULL;
    return k == CORE_SECRET       ? check_secret(c, object, old)
           : k == CORE_CONFIG_MAP ? check_config_map(c, object, old)
                                  : check_own_namespace(c, object);
}

bool admission_check_core(struct arena *a, const struct json *object, const struct json *old,
                          const struct admission_options *options, struct diags *diags, const struct json **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0), *told ARENA_AUTO = arena_new(NULL, 0);
    struct problems problems = {.arena = told};
    struct admission_options none = {.in_namespace = STR_EMPTY};
    options = options ? options : &none;
    struct checker c = {a, scratch, &problems, options->strict};
    const struct openapi *s = NULL;
    if (!admission_is_core(object))
        return diags_fail(diags, "Unknown kind", "The object is not a Secret, ConfigMap or Namespace of v1.");
    const struct json *schema = json_parse(a, str_of(kinds[kind_of(object)].schema), "schema", diags);
    if (!schema || !openapi_compile(a, schema, "schema", diags, &s))
        return false;
    const struct json *checked = check_core(&c, s, object, old, options);
    if (!problems_tell(&problems, diags))
        return false;
    *ret = checked;
    return true;
}
