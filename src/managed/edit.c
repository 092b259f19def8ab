#include "managed/edit.h"

#include <stdarg.h>

enum { MAX_CHAIN = 8 };

const struct json *managed_at(const struct json *object, ...)
{
    va_list keys;
    va_start(keys, object);
    for (const char *key = va_arg(keys, const char *); key; key = va_arg(keys, const char *))
        object = json_get(object, key);
    va_end(keys);
    return object;
}

static const struct json *put_chain(struct arena *a, const struct json *object, const char *const *keys, const struct json *value)
{
    struct str key = str_of(*keys);
    const struct json *inner = keys[1] ? put_chain(a, json_get_str(object, key), keys + 1, value) : value;
    return json_with(a, object, key, inner);
}

const struct json *managed_put(struct arena *a, const struct json *object, const struct json *value, ...)
{
    const char *chain[MAX_CHAIN + 1] = {0};
    size_t n = 0;
    va_list keys;
    va_start(keys, value);
    for (const char *key = va_arg(keys, const char *); key && n < MAX_CHAIN; key = va_arg(keys, const char *))
        chain[n++] = key;
    va_end(keys);
    return n > 0 ? put_chain(a, object, chain, value) : object;
}

const struct json *managed_append(struct arena *a, const struct json *array, const struct json *item)
{
    size_t have = managed_is_array(array) ? array->array.n : 0;
    const struct json **items = arena_make_n(a, const struct json *, have + 1);
    for (size_t i = 0; i < have; i++)
        items[i] = array->array.items[i];
    items[have] = item;
    return json_make_array(a, items, have + 1);
}
