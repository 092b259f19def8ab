#include "store/rules.h"

#include "base/vec.h"
#include "store/object.h"

#include <sodium.h>

static enum store_result invalid(struct diags *diags, const struct json *object, const char *field, const char *why)
{
    struct store_key key = object_key(object);
    struct str title = object_title(diags->arena, &key);
    (void)diags_fail(diags, "Invalid object", STR_FMT ": %s: %s.", STR_ARG(title), field, why);
    return STORE_INVALID;
}

static enum store_result conflict(struct diags *diags, const struct json *old, struct str expected, const char *member)
{
    struct store_key key = object_key(old);
    struct str title = object_title(diags->arena, &key), now = object_metadata_text(old, member);
    (void)diags_fail(diags, "Object has been modified",
                     STR_FMT ": metadata.%s is \"" STR_FMT "\", and \"" STR_FMT
                             "\" was expected. Read the object again and apply the change to that.",
                     STR_ARG(title), member, STR_ARG(now), STR_ARG(expected));
    return STORE_CONFLICT;
}

/* ---- shape ---- */

static bool is_text_or_absent(const struct json *j)
{
    return !j || j->kind == JSON_STRING || j->kind == JSON_NULL;
}

static bool is_text_map(const struct json *j)
{
    if (!j || j->kind == JSON_NULL)
        return true;
    if (j->kind != JSON_OBJECT)
        return false;
    for (size_t i = 0; i < j->object.n; i++) {
        if (j->object.members[i].value->kind != JSON_STRING)
            return false;
    }
    return true;
}

static bool is_text_list(const struct json *j)
{
    if (!j || j->kind == JSON_NULL)
        return true;
    if (j->kind != JSON_ARRAY)
        return false;
    for (size_t i = 0; i < j->array.n; i++) {
        if (j->array.items[i]->kind != JSON_STRING)
            return false;
    }
    return true;
}

enum store_result rules_check(const struct json *object, struct diags *diags)
{
    static const char *const texts[] = {
        "name", "generateName", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"};
    const struct json *metadata = json_get(object, "metadata");
    if (!object || object->kind != JSON_OBJECT || !metadata || metadata->kind != JSON_OBJECT)
        return invalid(diags, object, "metadata", "required, an object");
    if (json_text(json_get(object, "apiVersion"), STR_EMPTY).n == 0)
        return invalid(diags, object, "apiVersion", "required, such as \"s3.aws.upbound.io/v1beta1\"");
    if (object_kind(object).n == 0)
        return invalid(diags, object, "kind", "required");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!is_text_or_absent(json_get(metadata, texts[i])))
            return invalid(diags, object, texts[i], "expected text");
    }
    if (!is_text_map(json_get(metadata, "labels")) || !is_text_map(json_get(metadata, "annotations")))
        return invalid(diags, object, "metadata.labels, metadata.annotations", "expected an object with string values");
    if (!is_text_list(json_get(metadata, "finalizers")))
        return invalid(diags, object, "metadata.finalizers", "expected a list of strings");
    struct store_key key = object_key(object);
    if (key.group.n > STORE_MAX_NAME || key.kind.n > STORE_MAX_NAME || key.namespace.n > STORE_MAX_NAME ||
        key.name.n > STORE_MAX_NAME)
        return invalid(diags, object, "apiVersion, kind, metadata.namespace, metadata.name", "at most 253 bytes each");
    return STORE_OK;
}

/* ---- secrets ---- */

static const struct json *as_base64(struct arena *a, struct str plain)
{
    size_t room = sodium_base64_ENCODED_LEN(plain.n, sodium_base64_VARIANT_ORIGINAL);
    char *text = arena_alloc(a, room, 1);
    (void)sodium_bin2base64(text, room, (const unsigned char *)plain.p, plain.n, sodium_base64_VARIANT_ORIGINAL);
    return json_make_string(a, str_of(text));
}

/* stringData is write-only: its strings are encoded and replace members of data. */
static const struct json *without_string_data(struct arena *a, const struct json *object)
{
    const struct json *strings = json_get(object, "stringData");
    if (!object_is_secret(object_group(object), object_kind(object)) || !strings || strings->kind != JSON_OBJECT)
        return object;
    const struct json *data = json_get(object, "data");
    for (size_t i = 0; i < strings->object.n; i++) {
        const struct json_member *m = &strings->object.members[i];
        data = object_with(a, data, arena_str(a, m->key).p, as_base64(a, json_text(m->value, STR_EMPTY)));
    }
    object = object_with(a, object, "stringData", NULL);
    return data ? object_with(a, object, "data", data) : object;
}

static enum store_result check_secret(const struct json *object, struct diags *diags)
{
    if (!object_is_secret(object_group(object), object_kind(object)))
        return STORE_OK;
    if (!is_text_map(json_get(object, "data")) || !is_text_map(json_get(object, "stringData")))
        return invalid(diags, object, "data, stringData", "expected an object with string values");
    return STORE_OK;
}

/* ---- create ---- */

static enum store_result named(struct arena *a, const struct json *object, struct str suffix, struct diags *diags,
                               const struct json **ret)
{
    struct str base = object_metadata_text(object, "generateName");
    *ret = object;
    if (object_metadata_text(object, "name").n > 0)
        return STORE_OK;
    if (base.n == 0)
        return invalid(diags, object, "metadata.name", "required, or metadata.generateName");
    base = str_slice(base, 0, STORE_MAX_NAME - suffix.n);
    struct str name = arena_printf(a, STR_FMT STR_FMT, STR_ARG(base), STR_ARG(suffix));
    *ret = object_with_metadata_text(a, object, "name", name);
    return STORE_OK;
}

enum store_result rules_create(struct arena *a, const struct json *object, const struct rules_moment *now, struct diags *diags,
                               const struct json **ret)
{
    enum store_result result = rules_check(object, diags);
    if (result == STORE_OK)
        result = check_secret(object, diags);
    if (result != STORE_OK)
        return result;
    if (object_metadata_text(object, "resourceVersion").n > 0)
        return invalid(diags, object, "metadata.resourceVersion", "must not be set on an object that is to be created");
    const struct json *made = NULL;
    result = named(a, without_string_data(a, object), now->suffix, diags, &made);
    if (result != STORE_OK)
        return result;
    made = object_with(a, made, "status", NULL);
    made = object_with_metadata(a, made, "deletionTimestamp", NULL);
    made = object_with_metadata(a, made, "deletionGracePeriodSeconds", NULL);
    made = object_with_metadata_text(a, made, "uid", now->uid);
    made = object_with_metadata_text(a, made, "creationTimestamp", now->time);
    *ret = object_with_metadata_int(a, made, "generation", 1);
    return STORE_OK;
}

/* ---- update ---- */

static enum store_result check_same_object(const struct json *old, const struct json *object, struct diags *diags)
{
    struct str version = object_metadata_text(object, "resourceVersion"), uid = object_metadata_text(object, "uid");
    if (version.n == 0)
        return invalid(diags, object, "metadata.resourceVersion", "must be specified for an update");
    if (uid.n > 0 && !str_eq(uid, object_metadata_text(old, "uid")))
        return conflict(diags, old, uid, "uid");
    if (!str_eq(version, object_metadata_text(old, "resourceVersion")))
        return conflict(diags, old, version, "resourceVersion");
    return STORE_OK;
}

/* deletionTimestamp cannot be set by an update. Once set, it is simply kept, like creationTimestamp. */
static enum store_result check_deletion(const struct json *old, const struct json *object, struct diags *diags)
{
    if (object_is_being_deleted(object) && !object_is_being_deleted(old))
        return invalid(diags, object, "metadata.deletionTimestamp", "field is immutable");
    return STORE_OK;
}

static enum store_result check_finalizers(const struct json *old, const struct json *object, struct diags *diags)
{
    const struct json *list = object_metadata(object, "finalizers");
    for (size_t i = 0; object_is_being_deleted(old) && i < object_n_finalizers(object); i++) {
        if (!object_has_finalizer(old, json_text(list->array.items[i], STR_EMPTY)))
            return invalid(diags, object, "metadata.finalizers", "no new finalizers can be added if the object is being deleted");
    }
    return STORE_OK;
}

/* Metadata that the store owns: kept whatever the caller says. */
static const struct json *with_metadata_of(struct arena *a, const struct json *object, const struct json *old)
{
    static const char *const kept[] = {"uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                                       "generation", "resourceVersion"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        object = object_with_metadata(a, object, kept[i], object_metadata(old, kept[i]));
    return object;
}

/* Compares everything but metadata and status. */
static bool same_spec(struct arena *a, const struct json *x, const struct json *y)
{
    const struct json *x1 = object_with(a, object_with(a, x, "status", NULL), "metadata", NULL);
    const struct json *y1 = object_with(a, object_with(a, y, "status", NULL), "metadata", NULL);
    return json_eq(x1, y1);
}

static const struct json *next_generation(struct arena *a, const struct json *object)
{
    return object_with_metadata_int(a, object, "generation", json_int(object_metadata(object, "generation"), 0) + 1);
}

enum store_result rules_update(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                               struct rules_answer *ret)
{
    enum store_result result = rules_check(object, diags);
    if (result == STORE_OK)
        result = check_secret(object, diags);
    if (result == STORE_OK)
        result = check_same_object(old, object, diags);
    if (result == STORE_OK)
        result = check_deletion(old, object, diags);
    if (result == STORE_OK)
        result = check_finalizers(old, object, diags);
    if (result != STORE_OK)
        return result;

    object = with_metadata_of(a, without_string_data(a, object), old);
    object = object_with(a, object, "status", json_get(old, "status"));
    if (!same_spec(a, old, object))
        object = next_generation(a, object);
    bool goes = object_is_being_deleted(old) && object_n_finalizers(object) == 0;
    *ret = (struct rules_answer){goes ? RULES_REMOVE : json_eq(old, object) ? RULES_KEEP : RULES_WRITE, object};
    return STORE_OK;
}

enum store_result rules_update_status(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                                      struct rules_answer *ret)
{
    enum store_result result = rules_check(object, diags);
    if (result == STORE_OK)
        result = check_same_object(old, object, diags);
    if (result != STORE_OK)
        return result;
    const struct json *made = object_with(a, old, "status", json_get(object, "status"));
    *ret = (struct rules_answer){json_eq(old, made) ? RULES_KEEP : RULES_WRITE, made};
    return STORE_OK;
}

/* ---- delete ---- */

enum store_result rules_remove(struct arena *a, const struct json *old, const struct store_preconditions *must, struct str time,
                               struct diags *diags, struct rules_answer *ret)
{
    if (must && must->uid.n > 0 && !str_eq(must->uid, object_metadata_text(old, "uid")))
        return conflict(diags, old, must->uid, "uid");
    if (must && must->version.n > 0 && !str_eq(must->version, object_metadata_text(old, "resourceVersion")))
        return conflict(diags, old, must->version, "resourceVersion");
    if (object_n_finalizers(old) == 0) {
        *ret = (struct rules_answer){RULES_REMOVE, old};
    } else if (object_is_being_deleted(old)) {
        *ret = (struct rules_answer){RULES_KEEP, old};
    } else {
        const struct json *marked = object_with_metadata_text(a, next_generation(a, old), "deletionTimestamp", time);
        *ret = (struct rules_answer){RULES_WRITE, object_with_metadata_int(a, marked, "deletionGracePeriodSeconds", 0)};
    }
    return STORE_OK;
}
