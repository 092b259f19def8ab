/* Values of objects as CEL sees them, by the types of the schema. */
#include "admission/cel_private.h"
#include "admission/schema_private.h"
#include "base/buf.h"

struct cel_value cel_failed(struct str why)
{
    return (struct cel_value){.kind = CEL_FAILED, .text = why};
}

static struct cel_value of_bool(bool b)
{
    return (struct cel_value){.kind = CEL_BOOL, .boolean = b};
}

static struct cel_value of_text(struct cel_data d)
{
    /* CEL has types for these formats (times, bytes); here they can only be compared as written. */
    static const char *const typed[] = {"date", "date-time", "duration", "byte"};
    struct str format = d.schema->limits ? d.schema->limits->format_name : STR_EMPTY;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (str_eqz(format, typed[i]))
            return (struct cel_value){.kind = CEL_OPAQUE, .data = d};
    return (struct cel_value){.kind = CEL_STRING, .text = d.json->text};
}

static struct cel_value of_number(struct cel_data d)
{
    struct openapi_number n;
    if (!openapi_number_read(d.json->text, &n))
        return cel_failed(STR("a number is out of range"));
    if (d.schema->type == SCHEMA_NUMBER)
        return (struct cel_value){.kind = CEL_DOUBLE, .real = n.real};
    if (!n.is_integer)
        return cel_failed(STR("a whole number is expected"));
    return (struct cel_value){.kind = CEL_INT, .integer = n.integer};
}

struct cel_value cel_of(struct cel_data d)
{
    enum openapi_type type = d.schema ? d.schema->type : SCHEMA_ANY;
    if (d.json->kind == JSON_NULL && type != SCHEMA_ANY)
        return d.schema->nullable ? (struct cel_value){.kind = CEL_NULL} : cel_failed(STR("null is not expected"));
    switch (type) {
    case SCHEMA_ANY:
        return (struct cel_value){.kind = CEL_OPAQUE, .data = d};
    case SCHEMA_OBJECT:
        if (d.json->kind == JSON_OBJECT)
            return (struct cel_value){.kind = CEL_MAP, .data = d};
        break;
    case SCHEMA_ARRAY:
        if (d.json->kind == JSON_ARRAY)
            return (struct cel_value){.kind = CEL_LIST, .data = d};
        break;
    case SCHEMA_STRING:
        if (d.json->kind == JSON_STRING)
            return of_text(d);
        break;
    case SCHEMA_INT_OR_STRING:
        if (d.json->kind == JSON_STRING)
            return (struct cel_value){.kind = CEL_STRING, .text = d.json->text};
        if (d.json->kind == JSON_NUMBER)
            return of_number(d);
        break;
    case SCHEMA_INTEGER:
    case SCHEMA_NUMBER:
        if (d.json->kind == JSON_NUMBER)
            return of_number(d);
        break;
    case SCHEMA_BOOLEAN:
        if (d.json->kind == JSON_BOOL)
            return of_bool(d.json->boolean);
        break;
    }
    return cel_failed(STR("a value has another type than its schema says"));
}

size_t cel_count(const struct cel_value *v)
{
    if (v->kind == CEL_STRING)
        return str_count_utf8(v->text);
    if (v->kind == CEL_MAP)
        return v->data.json->object.n;
    return v->data.json ? v->data.json->array.n : v->n;
}

struct cel_value cel_item(const struct cel_value *list, size_t i)
{
    if (!list->data.json)
        return list->items[i];
    return cel_of((struct cel_data){list->data.json->array.items[i], list->data.schema->items});
}

/* --- members --- */

static const char *const escapes[][2] = {{"underscores", "__"}, {"dot", "."}, {"dash", "-"}, {"slash", "/"}};
static const char *const reserved[] = {"true",     "false",   "null",      "in",       "as",  "break",  "const",
                                       "continue", "else",    "for",       "function", "if",  "import", "let",
                                       "loop",     "package", "namespace", "return",   "var", "void",   "while"};

static const char *escaped_text(struct str word, bool is_whole)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (str_eqz(word, escapes[i][0]))
            return escapes[i][1];
    for (size_t i = 0; is_whole && i < sizeof reserved / sizeof *reserved; i++)
        if (str_eqz(word, reserved[i]))
            return reserved[i];
    return NULL;
}

/* The length of the escaped word that begins at `at`; 0: none. */
static size_t escape_length(struct str name, size_t at)
{
    if (!str_starts(str_slice(name, at, name.n), STR("__")))
        return 0;
    size_t end = str_find(name, '_', at + 2);
    bool closed = end != SIZE_MAX && end > at + 2 && str_starts(str_slice(name, end, name.n), STR("__"));
    return closed ? end + 2 - at : 0;
}

bool cel_unescape(struct arena *a, struct str name, struct str *ret)
{
    struct buf text BUF_AUTO = BUF_INIT(CEL_MAX_TEXT);
    for (size_t i = 0; i < name.n;) {
        size_t n = escape_length(name, i);
        if (n == 0) {
            buf_addc(&text, name.p[i++]);
            continue;
        }
        const char *means = escaped_text(str_slice(name, i + 2, i + n - 2), n == name.n);
        if (!means)
            return false;
        buf_addz(&text, means);
        i += n;
    }
    *ret = buf_copy(&text, a);
    return true;
}

bool cel_member(struct arena *a, const struct cel_value *map, struct str name, struct cel_value *ret)
{
    const struct openapi *s = map->data.schema;
    if (s->properties && !cel_unescape(a, name, &name))
        return false;
    const struct json *value = json_get_str(map->data.json, name);
    const struct openapi *below = s->properties ? openapi_property(s, name) : s->additional;
    /* A nullable field that is null counts as absent, but an element of a map does not. */
    if (!value || !below || (s->properties && value->kind == JSON_NULL))
        return false;
    *ret = cel_of((struct cel_data){value, below});
    return true;
}

/* --- equality --- */

static struct cel_value equal_lists(struct arena *a, const struct cel_value *x, const struct cel_value *y)
{
    for (size_t i = 0; i < cel_count(x); i++) {
        struct cel_value p = cel_item(x, i), q = cel_item(y, i), same = cel_equal(a, &p, &q);
        if (same.kind != CEL_BOOL || !same.boolean)
            return same;
    }
    return of_bool(true);
}

/* Sets and lists with keys are equal in any order. */
static struct cel_value equal_by_key(struct arena *a, const struct cel_value *x, const struct cel_value *y)
{
    const struct openapi *s = x->data.schema;
    struct map elements;
    map_init(&elements, a);
    for (size_t i = 0; i < x->data.json->array.n; i++)
        map_put(&elements, openapi_list_key(a, s, x->data.json->array.items[i]), (void *)(uintptr_t)x->data.json->array.items[i]);
    for (size_t i = 0; i < y->data.json->array.n; i++) {
        const struct json *other = y->data.json->array.items[i], *mine = map_get(&elements, openapi_list_key(a, s, other));
        if (!mine)
            return of_bool(false);
        if (s->list == LIST_SET)
            continue;
        struct cel_value p = cel_of((struct cel_data){mine, s->items}), q = cel_of((struct cel_data){other, s->items});
        struct cel_value same = cel_equal(a, &p, &q);
        if (same.kind != CEL_BOOL || !same.boolean)
            return same;
    }
    return of_bool(true);
}

static struct cel_value equal_members(struct arena *a, const struct cel_value *x, const struct cel_value *y)
{
    const struct openapi *s = x->data.schema;
    for (size_t i = 0; i < x->data.json->object.n; i++) {
        const struct json_member *m = &x->data.json->object.members[i];
        const struct json *other = json_get_str(y->data.json, m->key);
        const struct openapi *below = s->properties ? openapi_property(s, m->key) : s->additional;
        bool mine_is_null = m->value->kind == JSON_NULL, other_is_null = other && other->kind == JSON_NULL;
        if (!other || mine_is_null != other_is_null)
            return of_bool(false);
        if (mine_is_null || (!below && json_eq(m->value, other)))
            continue;
        if (!below)
            return of_bool(false);
        struct cel_value p = cel_of((struct cel_data){m->value, below}), q = cel_of((struct cel_data){other, below});
        struct cel_value same = cel_equal(a, &p, &q);
        if (same.kind != CEL_BOOL || !same.boolean)
            return same;
    }
    return of_bool(true);
}

static bool is_number(const struct cel_value *v)
{
    return v->kind == CEL_INT || v->kind == CEL_UINT || v->kind == CEL_DOUBLE;
}

static long double number(const struct cel_value *v)
{
    return v->kind == CEL_INT ? (long double)v->integer : v->kind == CEL_UINT ? (long double)v->natural : (long double)v->real;
}

static struct cel_value equal_opaque(const struct cel_value *x, const struct cel_value *y)
{
    if (json_eq(x->data.json, y->data.json))
        return of_bool(true);
    bool is_typed = x->data.schema && x->data.schema->type == SCHEMA_STRING;
    return is_typed ? cel_failed(STR("times and bytes that are written differently are not compared")) : of_bool(false);
}

struct cel_value cel_equal(struct arena *a, const struct cel_value *x, const struct cel_value *y)
{
    if (x->kind == CEL_FAILED || y->kind == CEL_FAILED)
        return x->kind == CEL_FAILED ? *x : *y;
    if (is_number(x) && is_number(y))
        return of_bool(number(x) == number(y));
    if (x->kind != y->kind)
        return of_bool(false);
    switch (x->kind) {
    case CEL_NULL:
        return of_bool(true);
    case CEL_BOOL:
        return of_bool(x->boolean == y->boolean);
    case CEL_STRING:
        return of_bool(str_eq(x->text, y->text));
    case CEL_OPAQUE:
        return equal_opaque(x, y);
    case CEL_MAP:
        return cel_count(x) == cel_count(y) ? equal_members(a, x, y) : of_bool(false);
    default:
        if (cel_count(x) != cel_count(y))
            return of_bool(false);
        bool keyed = x->data.json && y->data.json && x->data.schema->list != LIST_ATOMIC;
        return keyed ? equal_by_key(a, x, y) : equal_lists(a, x, y);
    }
}
