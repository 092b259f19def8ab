/*
 * Values as JSON. Reading follows the type and is as lenient as Terraform: an absent attribute is null, primitive values are
 * converted. The depth of a JSON tree is limited, so plain recursion is safe.
 */
#include "value/json_value.h"

#include "base/map.h"
#include "value/convert.h"
#include "value/text_private.h"
#include "value/value_private.h"

static bool write_value(struct json_writer *w, const struct value *v, const struct type *t, const struct trail *trail,
                        struct diags *diags);

static bool fail_write(struct diags *diags, const struct trail *trail, const char *what)
{
    return value_fail(diags, trail_path(diags->arena, PATH_ROOT, trail), "Value cannot be written as JSON", "%s", what) != NULL;
}

static bool write_dynamic(struct json_writer *w, const struct value *v, const struct trail *trail, struct diags *diags)
{
    json_begin_object(w);
    json_key(w, STR("value"));
    if (!write_value(w, v, v->type, trail, diags))
        return false;
    json_key(w, STR("type"));
    type_write_json(w, v->type);
    json_end_object(w);
    return true;
}

static bool write_sequence(struct json_writer *w, const struct value *v, const struct type *t, const struct trail *trail,
                           struct diags *diags)
{
    struct trail inner = {.up = trail};
    json_begin_array(w);
    for (size_t i = 0; i < v->n; i++) {
        inner.step = t->kind == TYPE_SET ? (struct path_step){.kind = PATH_ELEMENT, .element = v->elements[i]}
                                         : (struct path_step){.kind = PATH_INDEX, .index = (int64_t)i};
        if (!write_value(w, v->elements[i], t->kind == TYPE_TUPLE ? t->elements[i] : t->element, &inner, diags))
            return false;
    }
    json_end_array(w);
    return true;
}

static bool write_members(struct json_writer *w, const struct value *v, const struct type *t, const struct trail *trail,
                          struct diags *diags)
{
    bool is_map = t->kind == TYPE_MAP;
    struct trail inner = {.up = trail, .step = {.kind = is_map ? PATH_KEY : PATH_ATTR}};
    json_begin_object(w);
    for (size_t i = 0; i < v->n; i++) {
        inner.step.name = is_map ? v->keys[i] : t->attrs[i].name;
        json_key(w, inner.step.name);
        if (!write_value(w, v->elements[i], is_map ? t->element : t->attrs[i].type, &inner, diags))
            return false;
    }
    json_end_object(w);
    return true;
}

static bool write_number(struct json_writer *w, struct number n, const struct trail *trail, struct diags *diags)
{
    if (number_is_infinite(n))
        return fail_write(diags, trail, "cannot serialize infinity as JSON");
    int64_t i;
    if (!n.big && number_to_i64(n, &i)) {
        json_write_int(w, i);
        return true;
    }
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    json_write_number(w, number_text(scratch, n));
    return true;
}

static bool write_value(struct json_writer *w, const struct value *v, const struct type *t, const struct trail *trail,
                        struct diags *diags)
{
    if (v->state == VALUE_UNKNOWN)
        return fail_write(diags, trail, "value is not known");
    if (t->kind == TYPE_DYNAMIC && v->type->kind != TYPE_DYNAMIC)
        return write_dynamic(w, v, trail, diags);
    if (v->state == VALUE_NULL) {
        json_write_null(w);
        return true;
    }
    switch (t->kind) {
    case TYPE_STRING:
        json_write_string(w, v->string);
        return true;
    case TYPE_NUMBER:
        return write_number(w, v->number, trail, diags);
    case TYPE_BOOL:
        json_write_bool(w, v->boolean);
        return true;
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_TUPLE:
        return write_sequence(w, v, t, trail, diags);
    case TYPE_MAP:
    case TYPE_OBJECT:
        return write_members(w, v, t, trail, diags);
    case TYPE_DYNAMIC:
        break; /* no such value is known */
    }
    return true;
}

bool value_write_json(struct json_writer *w, const struct value *v, const struct type *t, struct diags *diags)
{
    if (!type_conforms(v->type, t))
        return diags_fail(diags, "Value of the wrong type", STR_FMT " required, but have " STR_FMT,
                          STR_ARG(type_friendly(diags->arena, t)), STR_ARG(type_friendly(diags->arena, v->type)));
    return write_value(w, v, t, NULL, diags);
}

struct reader {
    struct arena *arena;
    struct diags *diags;
    struct path at;
};

static const struct value *fail(struct reader *r, const struct trail *trail, const char *what)
{
    return value_fail(r->diags, trail_path(r->diags->arena, r->at, trail), "Unsuitable JSON value", "%s", what);
}

static const struct value *fail_named(struct reader *r, const struct trail *trail, const char *format, struct str name)
{
    struct str what = arena_printf(r->arena, "%s \"" STR_FMT "\"", format, STR_ARG(name));
    return value_fail(r->diags, trail_path(r->diags->arena, r->at, trail), "Unsuitable JSON value", STR_FMT, STR_ARG(what));
}

static const struct value *read_value(struct reader *r, const struct json *j, const struct type *t, const struct trail *trail);

static const struct value *read_string(struct reader *r, const struct json *j, const struct trail *trail)
{
    if (j->kind == JSON_BOOL)
        return value_string(r->arena, j->boolean ? STR("true") : STR("false"));
    const struct value *v = j->kind == JSON_STRING || j->kind == JSON_NUMBER ? value_string(r->arena, j->text) : NULL;
    return v ? v : fail(r, trail, "string is required");
}

static const struct value *read_number(struct reader *r, const struct json *j, const struct trail *trail)
{
    struct number n;
    if (j->kind != JSON_STRING && j->kind != JSON_NUMBER)
        return fail(r, trail, "number is required");
    return number_parse(r->arena, j->text, &n) ? value_number(r->arena, n) : fail(r, trail, "a number is required");
}

static const struct value *read_bool(struct reader *r, const struct json *j, const struct trail *trail)
{
    if (j->kind == JSON_BOOL)
        return value_bool(r->arena, j->boolean);
    const struct value *text = j->kind == JSON_STRING ? value_string(r->arena, j->text) : NULL;
    if (!text)
        return fail(r, trail, "bool is required");
    return value_convert(r->arena, text, &type_bool, trail_path(r->arena, r->at, trail), r->diags);
}

static const struct value *read_list_or_set(struct reader *r, const struct json *j, const struct type *t,
                                            const struct trail *trail)
{
    bool is_list = t->kind == TYPE_LIST;
    if (j->kind != JSON_ARRAY)
        return fail(r, trail, is_list ? "a list is required" : "a set is required");
    size_t n = j->array.n;
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_INDEX}};
    if (!is_list) /* its position is not known yet */
        inner.step = (struct path_step){.kind = PATH_ELEMENT, .element = value_unknown(r->arena, t->element)};
    for (size_t i = 0; i < n; i++) {
        inner.step.index = is_list ? (int64_t)i : 0;
        elements[i] = read_value(r, j->array.items[i], t->element, &inner);
        if (!elements[i])
            return NULL;
    }
    if (!value_have_one_type(elements, n))
        return fail(r, trail, is_list ? "all list elements must have the same type" : "all set elements must have the same type");
    return is_list ? value_list(r->arena, t->element, elements, n) : value_set(r->arena, t->element, elements, n);
}

static const struct value *read_map(struct reader *r, const struct json *j, const struct type *t, const struct trail *trail)
{
    if (j->kind != JSON_OBJECT)
        return fail(r, trail, "a map is required");
    size_t n = j->object.n;
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct str *keys = arena_make_n(r->arena, struct str, n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_KEY}};
    for (size_t i = 0; i < n; i++) {
        if (!text_normalize(r->arena, j->object.members[i].key, &keys[i]))
            return fail(r, trail, "a map key is not valid UTF-8");
        inner.step.name = keys[i];
        elements[i] = read_value(r, j->object.members[i].value, t->element, &inner);
        if (!elements[i])
            return NULL;
    }
    if (!value_have_one_type(elements, n))
        return fail(r, trail, "all map elements must have the same type");
    return value_map(r->arena, t->element, keys, elements, n);
}

static const struct value *read_tuple(struct reader *r, const struct json *j, const struct type *t, const struct trail *trail)
{
    if (j->kind != JSON_ARRAY)
        return fail(r, trail, "a tuple is required");
    if (j->array.n != t->n)
        return value_fail(r->diags, trail_path(r->diags->arena, r->at, trail), "Unsuitable JSON value",
                          "%s tuple elements (need %zu)", j->array.n > t->n ? "too many" : "not enough", t->n);
    const struct value **elements = arena_make_n(r->arena, const struct value *, t->n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_INDEX}};
    for (size_t i = 0; i < t->n; i++) {
        inner.step.index = (int64_t)i;
        elements[i] = read_value(r, j->array.items[i], t->elements[i], &inner);
        if (!elements[i])
            return NULL;
    }
    return value_tuple(r->arena, elements, t->n);
}

static const struct value *read_object(struct reader *r, const struct json *j, const struct type *t, const struct trail *trail)
{
    if (j->kind != JSON_OBJECT)
        return fail(r, trail, "an object is required");
    const struct value **elements = arena_make_n(r->arena, const struct value *, t->n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_ATTR}};
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        struct str name = m->key;
        size_t at = text_normalize(r->arena, m->key, &name) ? type_attr_find(t, name) : SIZE_MAX;
        if (at == SIZE_MAX)
            return fail_named(r, trail, "unsupported attribute", name);
        inner.step.name = name;
        elements[at] = read_value(r, m->value, t->attrs[at].type, &inner);
        if (!elements[at])
            return NULL;
    }
    for (size_t i = 0; i < t->n; i++)
        if (!elements[i])
            elements[i] = value_null(r->arena, t->attrs[i].type);
    return value_object(r->arena, t, elements);
}

static const struct value *read_dynamic(struct reader *r, const struct json *j, const struct trail *trail)
{
    if (j->kind != JSON_OBJECT)
        return fail(r, trail, "a dynamically-typed value is an object with its value and its type");
    for (size_t i = 0; i < j->object.n; i++) {
        struct str key = j->object.members[i].key;
        if (!str_eqz(key, "type") && !str_eqz(key, "value"))
            return fail_named(r, trail, "a dynamically-typed value has no key", key);
    }
    const struct json *type = json_get(j, "type"), *value = json_get(j, "value");
    if (!type)
        return fail(r, trail, "missing type in dynamically-typed value");
    if (!value)
        return fail(r, trail, "missing value in dynamically-typed value");
    const struct type *t = type_from_json(r->arena, type, r->diags);
    if (!t)
        return fail(r, trail, "the type of a dynamically-typed value is invalid");
    return read_value(r, value, t, trail);
}

static const struct value *read_value(struct reader *r, const struct json *j, const struct type *t, const struct trail *trail)
{
    if (arena_exhausted(r->arena))
        return fail(r, trail, "the value is too large");
    if (j->kind == JSON_NULL)
        return value_null(r->arena, t);
    switch (t->kind) {
    case TYPE_DYNAMIC:
        return read_dynamic(r, j, trail);
    case TYPE_STRING:
        return read_string(r, j, trail);
    case TYPE_NUMBER:
        return read_number(r, j, trail);
    case TYPE_BOOL:
        return read_bool(r, j, trail);
    case TYPE_LIST:
    case TYPE_SET:
        return read_list_or_set(r, j, t, trail);
    case TYPE_MAP:
        return read_map(r, j, t, trail);
    case TYPE_TUPLE:
        return read_tuple(r, j, t, trail);
    case TYPE_OBJECT:
        return read_object(r, j, t, trail);
    }
    return NULL;
}

const struct value *value_from_json(struct arena *a, const struct json *j, const struct type *t, struct path at,
                                    struct diags *diags)
{
    struct reader r = {.arena = a, .diags = diags, .at = at};
    return read_value(&r, j, t, NULL);
}

/* Attributes by name; of two names that are equal after normalisation the later one counts. */
static const struct type *implied_object(struct arena *a, const struct json *j)
{
    struct type_attr *attrs = arena_make_n(a, struct type_attr, j->object.n);
    struct map by_name;
    map_init(&by_name, a);
    size_t n = 0;
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        struct str name = m->key;
        (void)text_normalize(a, m->key, &name); /* JSON text is UTF-8 */
        struct type_attr *attr = map_get(&by_name, name);
        if (!attr) {
            attr = &attrs[n++];
            map_put(&by_name, name, attr);
        }
        *attr = (struct type_attr){.name = name, .type = type_implied_by_json(a, m->value)};
    }
    return type_object(a, attrs, n);
}

const struct type *type_implied_by_json(struct arena *a, const struct json *j)
{
    switch (j->kind) {
    case JSON_NULL:
        return &type_dynamic;
    case JSON_BOOL:
        return &type_bool;
    case JSON_NUMBER:
        return &type_number;
    case JSON_STRING:
        return &type_string;
    case JSON_ARRAY: {
        const struct type **elements = arena_make_n(a, const struct type *, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            elements[i] = type_implied_by_json(a, j->array.items[i]);
        return type_tuple(a, elements, j->array.n);
    }
    case JSON_OBJECT:
        return implied_object(a, j);
    }
    return &type_dynamic;
}

const struct value *value_implied_by_json(struct arena *a, const struct json *j, struct diags *diags)
{
    return value_from_json(a, j, type_implied_by_json(a, j), PATH_ROOT, diags);
}
