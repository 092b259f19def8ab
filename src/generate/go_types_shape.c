#include "generate/go_types_private.h"

enum go_form go_form(const struct xp_shape *s)
{
    switch (s->kind) {
    case SHAPE_STRING:
    case SHAPE_NUMBER:
    case SHAPE_INTEGER:
    case SHAPE_BOOL:
        return GO_BASIC;
    case SHAPE_LIST:
    case SHAPE_SET:
        return GO_SLICE;
    case SHAPE_MAP:
        return GO_MAP;
    case SHAPE_OBJECT:
        return GO_CLASS;
    default:
        return GO_FOREIGN;
    }
}

/* BASIC, FOREIGN: string, xpv2.Reference. */
static const char *base_name(const struct xp_shape *s, enum xp_flavour flavour)
{
    bool cluster = flavour == FLAVOUR_CLUSTER;
    switch (s->kind) {
    case SHAPE_STRING:
        return "string";
    case SHAPE_NUMBER:
        return "float64";
    case SHAPE_INTEGER:
        return "int64";
    case SHAPE_BOOL:
        return "bool";
    case SHAPE_SECRET_KEY:
        return cluster ? "xpv2.SecretKeySelector" : "xpv2.LocalSecretKeySelector";
    case SHAPE_SECRET:
        return cluster ? "xpv2.SecretReference" : "xpv2.LocalSecretReference";
    case SHAPE_REFERENCE:
        return cluster ? "xpv2.Reference" : "xpv2.NamespacedReference";
    case SHAPE_SELECTOR:
        return cluster ? "xpv2.Selector" : "xpv2.NamespacedSelector";
    default:
        return "extv1.JSON";
    }
}

bool go_foreign_is_shallow(const struct xp_shape *s)
{
    return s->kind == SHAPE_SECRET_KEY || s->kind == SHAPE_SECRET;
}

bool go_is_pointer(const struct xp_shape *s, bool required)
{
    enum go_form form = go_form(s);
    return form == GO_BASIC || form == GO_CLASS || (form == GO_FOREIGN && !(required && go_foreign_is_shallow(s)));
}

void go_put_type(struct buf *out, const struct xp_shape *s, enum xp_flavour flavour, bool pointer, struct str object)
{
    switch (go_form(s)) {
    case GO_SLICE:
    case GO_MAP:
        buf_addz(out, go_form(s) == GO_SLICE ? "[]" : "map[string]");
        go_put_type(out, s->element, flavour, go_form(s->element) == GO_BASIC, object);
        return;
    case GO_CLASS:
        buf_addz(out, pointer ? "*" : "");
        buf_add(out, object);
        return;
    case GO_BASIC:
    case GO_FOREIGN:
        buf_addz(out, pointer ? "*" : "");
        buf_addz(out, base_name(s, flavour));
        return;
    }
}

/* --- OpenAPI --- */

static struct xp_shape *new_shape(struct arena *a, enum xp_shape_kind kind)
{
    struct xp_shape *s = arena_make(a, struct xp_shape);
    s->kind = kind;
    return s;
}

static bool is_required(const struct json *schema, struct str name)
{
    const struct json *required = json_get(schema, "required");
    for (size_t i = 0; required && required->kind == JSON_ARRAY && i < required->array.n; i++)
        if (str_eq(json_text(required->array.items[i], STR_EMPTY), name))
            return true;
    return false;
}

static const struct xp_shape *shape_of_properties(struct arena *a, const struct xp_names *names, const struct json *schema)
{
    const struct json *properties = json_get(schema, "properties");
    struct xp_shape *s = new_shape(a, SHAPE_OBJECT);
    struct xp_field *fields = arena_make_n(a, struct xp_field, properties->object.n);
    for (size_t i = 0; i < properties->object.n; i++) {
        struct xp_shape *raw = new_shape(a, SHAPE_RAW);
        struct str name = properties->object.members[i].key;
        raw->raw = properties->object.members[i].value;
        fields[i] = (struct xp_field){.json = name,
                                      .go = xp_name_camel(names, a, xp_name_snake_of_camel(a, name)),
                                      .role = FIELD_ADDED,
                                      .shape = raw,
                                      .required = is_required(schema, name)};
    }
    s->fields = (struct xp_fields){fields, properties->object.n};
    return s;
}

static const struct xp_shape *shape_of_list(struct arena *a, const struct xp_names *names, const struct json *schema)
{
    struct str type = json_text(json_get(schema, "x-kubernetes-list-type"), STR_EMPTY);
    struct xp_shape *s = new_shape(a, SHAPE_LIST);
    s->element = go_shape_of_openapi(a, names, json_get(schema, "items"));
    s->list_type = str_eqz(type, "atomic") ? LIST_ATOMIC : str_eqz(type, "set") ? LIST_OF_SET : LIST_PLAIN;
    return s;
}

static const struct xp_shape *shape_of_map(struct arena *a, const struct xp_names *names, const struct json *schema)
{
    struct str type = json_text(json_get(schema, "x-kubernetes-map-type"), STR_EMPTY);
    struct xp_shape *s = new_shape(a, SHAPE_MAP);
    s->element = go_shape_of_openapi(a, names, json_get(schema, "additionalProperties"));
    s->map_type = str_eqz(type, "atomic") ? MAP_ATOMIC : str_eqz(type, "granular") ? MAP_GRANULAR : MAP_PLAIN;
    return s;
}

static bool has_object(const struct json *schema, const char *key)
{
    const struct json *j = json_get(schema, key);
    return j && j->kind == JSON_OBJECT;
}

const struct xp_shape *go_shape_of_openapi(struct arena *a, const struct xp_names *names, const struct json *schema)
{
    static const struct {
        const char *type;
        enum xp_shape_kind kind;
    } scalars[] = {{"string", SHAPE_STRING}, {"number", SHAPE_NUMBER}, {"integer", SHAPE_INTEGER}, {"boolean", SHAPE_BOOL}};
    struct str type = json_text(json_get(schema, "type"), STR_EMPTY);
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (str_eqz(type, scalars[i].type))
            return new_shape(a, scalars[i].kind);
    if (str_eqz(type, "array"))
        return shape_of_list(a, names, schema);
    if (str_eqz(type, "object") && has_object(schema, "additionalProperties"))
        return shape_of_map(a, names, schema);
    bool open = json_bool(json_get(schema, "x-kubernetes-preserve-unknown-fields"), false);
    if (str_eqz(type, "object") && has_object(schema, "properties") && !open)
        return shape_of_properties(a, names, schema);
    return new_shape(a, SHAPE_ANY);
}
