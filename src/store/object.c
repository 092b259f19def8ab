#include "store/object.h"

#include <inttypes.h>

struct str object_group(const struct json *object)
{
    struct str version = json_text(json_get(object, "apiVersion"), STR_EMPTY);
    size_t slash = str_find(version, '/', 0);
    return slash == SIZE_MAX ? STR_EMPTY : str_slice(version, 0, slash);
}

struct str object_kind(const struct json *object)
{
    return json_text(json_get(object, "kind"), STR_EMPTY);
}

struct store_key object_key(const struct json *object)
{
    return (struct store_key){object_group(object), object_kind(object), object_metadata_text(object, "namespace"),
                              object_metadata_text(object, "name")};
}

const struct json *object_metadata(const struct json *object, const char *key)
{
    return json_get(json_get(object, "metadata"), key);
}

struct str object_metadata_text(const struct json *object, const char *key)
{
    return json_text(object_metadata(object, key), STR_EMPTY);
}

const struct json *object_with(struct arena *a, const struct json *object, const char *key, const struct json *value)
{
    return json_with(a, object, str_of(key), value);
}

const struct json *object_with_metadata(struct arena *a, const struct json *object, const char *key, const struct json *value)
{
    return object_with(a, object, "metadata", object_with(a, json_get(object, "metadata"), key, value));
}

const struct json *object_with_metadata_text(struct arena *a, const struct json *object, const char *key, struct str text)
{
    return object_with_metadata(a, object, key, json_make_string(a, arena_str(a, text)));
}

const struct json *object_with_metadata_int(struct arena *a, const struct json *object, const char *key, int64_t number)
{
    return object_with_metadata(a, object, key, json_make_number(a, arena_printf(a, "%" PRId64, number)));
}

static const struct json *finalizers(const struct json *object)
{
    const struct json *list = object_metadata(object, "finalizers");
    return list && list->kind == JSON_ARRAY ? list : NULL;
}

size_t object_n_finalizers(const struct json *object)
{
    const struct json *list = finalizers(object);
    return list ? list->array.n : 0;
}

bool object_has_finalizer(const struct json *object, struct str finalizer)
{
    const struct json *list = finalizers(object);
    for (size_t i = 0; list && i < list->array.n; i++) {
        if (str_eq(json_text(list->array.items[i], STR_EMPTY), finalizer))
            return true;
    }
    return false;
}

bool object_is_being_deleted(const struct json *object)
{
    return object_metadata_text(object, "deletionTimestamp").n > 0;
}

bool object_is_secret(struct str group, struct str kind)
{
    return group.n == 0 && str_eqz(kind, "Secret");
}

struct str object_title(struct arena *a, const struct store_key *key)
{
    return arena_printf(a, STR_FMT "%s" STR_FMT " \"" STR_FMT "%s" STR_FMT "\"", STR_ARG(key->kind), key->group.n > 0 ? "." : "",
                        STR_ARG(key->group), STR_ARG(key->namespace), key->namespace.n > 0 ? "/" : "", STR_ARG(key->name));
}
