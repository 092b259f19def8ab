/*
 * Type JSON, as in the protocol, schemas and state files. Written without blanks and with names sorted, so equal types give equal
 * text. Go programs write null for an empty list or object, which is accepted.
 */
#include "base/map.h"
#include "value/text_private.h"
#include "value/type.h"

enum { MAX_TYPE_JSON = 64 << 20 };

static void write_object(struct json_writer *w, const struct type *t)
{
    bool has_optional = false;
    json_begin_object(w);
    for (size_t i = 0; i < t->n; i++) {
        json_key(w, t->attrs[i].name);
        type_write_json(w, t->attrs[i].type);
        has_optional |= t->attrs[i].optional;
    }
    json_end_object(w);
    if (!has_optional)
        return;
    json_begin_array(w);
    for (size_t i = 0; i < t->n; i++)
        if (t->attrs[i].optional)
            json_write_string(w, t->attrs[i].name);
    json_end_array(w);
}

void type_write_json(struct json_writer *w, const struct type *t)
{
    static const char *const names[] = {
        [TYPE_DYNAMIC] = "dynamic", [TYPE_STRING] = "string", [TYPE_NUMBER] = "number",
        [TYPE_BOOL] = "bool",       [TYPE_LIST] = "list",     [TYPE_SET] = "set",
        [TYPE_MAP] = "map",         [TYPE_OBJECT] = "object", [TYPE_TUPLE] = "tuple",
    };
    struct str name = str_of(names[t->kind]);
    if (t->kind == TYPE_DYNAMIC || type_is_primitive(t)) {
        json_write_string(w, name);
        return;
    }
    json_begin_array(w);
    json_write_string(w, name);
    if (t->kind == TYPE_OBJECT) {
        write_object(w, t);
    } else if (t->kind == TYPE_TUPLE) {
        json_begin_array(w);
        for (size_t i = 0; i < t->n; i++)
            type_write_json(w, t->elements[i]);
        json_end_array(w);
    } else {
        type_write_json(w, t->element);
    }
    json_end_array(w);
}

struct str type_to_json(struct arena *a, const struct type *t)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TYPE_JSON);
    /* Names escaped as Go's encoder does, so that our bytes equal Terraform's. */
    struct json_writer w = {.out = &text, .html_escape = true};
    type_write_json(&w, t);
    (void)json_finish(&w);
    return buf_copy(&text, a);
}

static const struct type *fail(struct diags *diags, const struct json *j, const char *what)
{
    if (j->line > 0)
        (void)diags_fail(diags, "Invalid type", "%s (line %u, column %u).", what, j->line, j->column);
    else
        (void)diags_fail(diags, "Invalid type", "%s.", what);
    return NULL;
}

static const struct type *from_json(struct arena *a, const struct json *j, int depth, struct diags *diags);

static const struct type *from_name(const struct json *j, struct diags *diags)
{
    if (str_eqz(j->text, "string"))
        return &type_string;
    if (str_eqz(j->text, "number"))
        return &type_number;
    if (str_eqz(j->text, "bool"))
        return &type_bool;
    if (str_eqz(j->text, "dynamic"))
        return &type_dynamic;
    return fail(diags, j, "Not the name of a primitive type");
}

/* Marks the named attributes optional; attrs are not sorted yet, so names go through a map. */
static bool read_optional(struct arena *a, const struct json *names, struct type_attr *attrs, size_t n, struct diags *diags)
{
    if (names->kind != JSON_ARRAY)
        return fail(diags, names, "The optional attributes of an object type are a list of names") != NULL;
    struct map by_name;
    map_init(&by_name, a);
    for (size_t i = 0; i < n; i++)
        map_put(&by_name, attrs[i].name, &attrs[i]);
    for (size_t i = 0; i < names->array.n; i++) {
        const struct json *name = names->array.items[i];
        struct str text;
        struct type_attr *attr = NULL;
        if (name->kind == JSON_STRING && text_normalize(a, name->text, &text))
            attr = map_get(&by_name, text);
        if (!attr)
            return fail(diags, name, "An optional attribute must be one of the object's attributes") != NULL;
        attr->optional = true;
    }
    return true;
}

static const struct type *object_from_json(struct arena *a, const struct json *attrs, const struct json *optional, int depth,
                                           struct diags *diags)
{
    if (attrs->kind == JSON_NULL && !optional)
        return type_object(a, NULL, 0);
    if (attrs->kind != JSON_OBJECT)
        return fail(diags, attrs, "The attributes of an object type are a JSON object");
    size_t n = attrs->object.n;
    struct type_attr *list = arena_make_n(a, struct type_attr, n);
    struct map seen;
    map_init(&seen, a);
    for (size_t i = 0; i < n; i++) {
        const struct json_member *m = &attrs->object.members[i];
        if (!text_normalize(a, m->key, &list[i].name))
            return fail(diags, attrs, "An attribute's name is not UTF-8");
        if (!map_add(&seen, list[i].name, &list[i]))
            return fail(diags, attrs, "Two attributes have the same name");
        list[i].type = from_json(a, m->value, depth + 1, diags);
        if (!list[i].type)
            return NULL;
    }
    if (optional && !read_optional(a, optional, list, n, diags))
        return NULL;
    return type_object(a, list, n);
}

static const struct type *tuple_from_json(struct arena *a, const struct json *list, int depth, struct diags *diags)
{
    if (list->kind == JSON_NULL)
        return type_tuple(a, NULL, 0);
    if (list->kind != JSON_ARRAY)
        return fail(diags, list, "The elements of a tuple type are a list of types");
    size_t n = list->array.n;
    const struct type **elements = arena_make_n(a, const struct type *, n);
    for (size_t i = 0; i < n; i++) {
        elements[i] = from_json(a, list->array.items[i], depth + 1, diags);
        if (!elements[i])
            return NULL;
    }
    return type_tuple(a, elements, n);
}

static const struct type *from_json(struct arena *a, const struct json *j, int depth, struct diags *diags)
{
    if (depth > TYPE_MAX_DEPTH)
        return fail(diags, j, "Types are nested too deeply");
    if (arena_exhausted(a))
        return fail(diags, j, "The type is too large");
    if (j->kind == JSON_STRING)
        return from_name(j, diags);
    if (j->kind != JSON_ARRAY || j->array.n < 2 || j->array.items[0]->kind != JSON_STRING)
        return fail(diags, j, "A type is a name or a list that starts with its kind");

    struct str kind = j->array.items[0]->text;
    const struct json *of = j->array.items[1];
    bool is_object = str_eqz(kind, "object");
    if (j->array.n > (is_object ? 3u : 2u))
        return fail(diags, j, "Unexpected extra data in a type");
    if (is_object)
        return object_from_json(a, of, j->array.n == 3 ? j->array.items[2] : NULL, depth, diags);
    if (str_eqz(kind, "tuple"))
        return tuple_from_json(a, of, depth, diags);

    enum type_kind collection = str_eqz(kind, "list")  ? TYPE_LIST
                                : str_eqz(kind, "set") ? TYPE_SET
                                : str_eqz(kind, "map") ? TYPE_MAP
                                                       : TYPE_DYNAMIC;
    if (collection == TYPE_DYNAMIC)
        return fail(diags, j, "Not a kind of type: it is list, set, map, object or tuple");
    const struct type *element = from_json(a, of, depth + 1, diags);
    if (!element)
        return NULL;
    return type_collection(a, collection, element);
}

const struct type *type_from_json(struct arena *a, const struct json *j, struct diags *diags)
{
    return from_json(a, j, 0, diags);
}

const struct type *type_parse(struct arena *a, struct str json_text, struct diags *diags)
{
    /* Nearly all types in the protocol are these four, which need no parser. */
    if (str_eqz(json_text, "\"string\""))
        return &type_string;
    if (str_eqz(json_text, "\"number\""))
        return &type_number;
    if (str_eqz(json_text, "\"bool\""))
        return &type_bool;
    if (str_eqz(json_text, "\"dynamic\""))
        return &type_dynamic;

    const struct json *j = json_parse(a, json_text, "type", diags);
    return j ? type_from_json(a, j, diags) : NULL;
}
