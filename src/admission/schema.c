#include "admission/cel.h"
#include "admission/schema_private.h"
#include "base/ascii.h"
#include "base/vec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct compiler {
    struct arena *arena;
    struct diags *diags;
    const char *where;
};

/* The compiler's current place, for messages: names of properties and keywords. */
struct spot {
    const struct spot *up;
    struct str name;
};

static const struct openapi *compile(struct compiler *c, const struct json *json, const struct spot *spot, bool is_part);

static struct str spot_text(struct arena *a, const struct spot *spot)
{
    struct str text = STR_EMPTY;
    for (; spot && spot->up; spot = spot->up)
        text = arena_printf(a, "." STR_FMT STR_FMT, STR_ARG(spot->name), STR_ARG(text));
    return text;
}

static bool refuse(struct compiler *c, const struct spot *spot, const char *keyword, const char *why)
{
    return diags_fail(c->diags, "Schema that cannot be checked", "%s" STR_FMT ": \"%s\" %s.", c->where,
                      STR_ARG(spot_text(c->arena, spot)), keyword, why);
}

/* --- keywords --- */

/* Keywords for documentation or for tools that merge objects: no conditions on values. */
static const char *const remarks[] = {"description", "title", "example", "externalDocs", "x-kubernetes-map-type"};
static const char *const keywords[] = {
    "type",
    "format",
    "nullable",
    "default",
    "enum",
    "properties",
    "additionalProperties",
    "items",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
};

static bool is_one_of(struct str word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eqz(word, words[i]))
            return true;
    return false;
}
#define IS_ONE_OF(word, words) is_one_of((word), (words), sizeof(words) / sizeof *(words))

static bool check_keywords(struct compiler *c, const struct json *json, const struct spot *spot)
{
    for (size_t i = 0; i < json->object.n; i++) {
        struct str key = json->object.members[i].key;
        if (!IS_ONE_OF(key, keywords) && !IS_ONE_OF(key, remarks))
            return refuse(c, spot, arena_str(c->arena, key).p, "is not a known keyword");
    }
    return true;
}

static bool read_type(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi *s)
{
    static const char *const types[] = {
        [SCHEMA_OBJECT] = "object",   [SCHEMA_ARRAY] = "array",   [SCHEMA_STRING] = "string",
        [SCHEMA_INTEGER] = "integer", [SCHEMA_NUMBER] = "number", [SCHEMA_BOOLEAN] = "boolean",
    };
    const struct json *type = json_get(json, "type");
    s->type = json_bool(json_get(json, "x-kubernetes-int-or-string"), false) ? SCHEMA_INT_OR_STRING : SCHEMA_ANY;
    for (size_t i = SCHEMA_OBJECT; type && i < sizeof types / sizeof *types; i++)
        if (s->type == SCHEMA_ANY && str_eqz(json_text(type, STR_EMPTY), types[i]))
            s->type = (enum openapi_type)i;
    return !type || s->type != SCHEMA_ANY || refuse(c, spot, "type", "is not a known type");
}

static bool read_list_type(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi *s)
{
    struct str type = json_text(json_get(json, "x-kubernetes-list-type"), STR("atomic"));
    s->list = str_eqz(type, "set") ? LIST_SET : str_eqz(type, "map") ? LIST_MAP : LIST_ATOMIC;
    s->has_lists = s->list != LIST_ATOMIC;
    return s->list != LIST_ATOMIC || str_eqz(type, "atomic") ||
           refuse(c, spot, "x-kubernetes-list-type", "must be atomic, set or map");
}

static bool read_names(struct compiler *c, const struct json *json, const char *keyword, const struct spot *spot,
                       struct openapi_names *ret)
{
    const struct json *list = json_get(json, keyword);
    if (!list)
        return true;
    if (list->kind != JSON_ARRAY)
        return refuse(c, spot, keyword, "must be a list of names");
    struct str *names = arena_make_n(c->arena, struct str, list->array.n);
    for (size_t i = 0; i < list->array.n; i++) {
        if (list->array.items[i]->kind != JSON_STRING)
            return refuse(c, spot, keyword, "must be a list of names");
        names[i] = list->array.items[i]->text;
    }
    *ret = (struct openapi_names){names, list->array.n};
    return true;
}

/* --- limits --- */

static bool read_real(struct compiler *c, const struct json *json, const char *keyword, const struct spot *spot, bool *ret_has,
                      double *ret)
{
    const struct json *j = json_get(json, keyword);
    struct openapi_number n = {0};
    if (j && (j->kind != JSON_NUMBER || !openapi_number_read(j->text, &n)))
        return refuse(c, spot, keyword, "must be a number");
    *ret_has = j != NULL;
    *ret = n.real;
    return true;
}

static bool read_count(struct compiler *c, const struct json *json, const char *keyword, const struct spot *spot, int64_t *ret)
{
    const struct json *j = json_get(json, keyword);
    *ret = json_int(j, -1);
    return !j || *ret >= 0 || refuse(c, spot, keyword, "must be a whole number that is not negative");
}

static bool read_pattern(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi_limits *limits)
{
    const struct json *j = json_get(json, "pattern");
    if (!j)
        return true;
    struct diags ignored;
    diags_init(&ignored, c->arena);
    limits->pattern_text = json_text(j, STR_EMPTY);
    limits->pattern = j->kind == JSON_STRING ? cfn_regex_compile(c->arena, j->text, &ignored) : NULL;
    return limits->pattern || refuse(c, spot, "pattern", "is not a valid pattern of RE2");
}

/* A format that servers check and we do not is reported once, on compilation; servers ignore other formats, too. */
static void read_format(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi_limits *limits)
{
    limits->format_name = json_text(json_get(json, "format"), STR_EMPTY);
    if (limits->format_name.n > 0 && openapi_format(limits->format_name, &limits->format) && !limits->format)
        diags_warn(c->diags, "Format that is not checked",
                   "%s" STR_FMT ": strings of the format \"" STR_FMT "\" are accepted unchecked.", c->where,
                   STR_ARG(spot_text(c->arena, spot)), STR_ARG(limits->format_name));
}

static bool read_enum(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi_limits *limits)
{
    limits->values = json_get(json, "enum");
    return !limits->values || limits->values->kind == JSON_ARRAY || refuse(c, spot, "enum", "must be a list");
}

static bool read_limits(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi *s)
{
    struct openapi_limits l = {0};
    bool has_multiple = false;
    bool ok = read_real(c, json, "minimum", spot, &l.has_minimum, &l.minimum) &&
              read_real(c, json, "maximum", spot, &l.has_maximum, &l.maximum) &&
              read_real(c, json, "multipleOf", spot, &has_multiple, &l.multiple_of) &&
              read_count(c, json, "minLength", spot, &l.min_length) && read_count(c, json, "maxLength", spot, &l.max_length) &&
              read_count(c, json, "minItems", spot, &l.min_items) && read_count(c, json, "maxItems", spot, &l.max_items) &&
              read_count(c, json, "minProperties", spot, &l.min_properties) &&
              read_count(c, json, "maxProperties", spot, &l.max_properties) && read_enum(c, json, spot, &l) &&
              read_pattern(c, json, spot, &l);
    if (!ok)
        return false;
    if (has_multiple && l.multiple_of <= 0)
        return refuse(c, spot, "multipleOf", "must be greater than 0");
    read_format(c, json, spot, &l);
    l.exclusive_minimum = json_bool(json_get(json, "exclusiveMinimum"), false);
    l.exclusive_maximum = json_bool(json_get(json, "exclusiveMaximum"), false);
    int64_t counts[] = {l.min_length, l.max_length, l.min_items, l.max_items, l.min_properties, l.max_properties};
    bool any = l.has_minimum || l.has_maximum || has_multiple || l.values || l.pattern || l.format;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        any = any || counts[i] >= 0;
    if (any) {
        struct openapi_limits *kept = arena_make(c->arena, struct openapi_limits);
        *kept = l;
        s->limits = kept;
    }
    return true;
}

/* --- child schemas --- */

/* Compiles a child and passes on to the parent what is below it (has_rules, has_lists). NULL: failed. */
static const struct openapi *compile_below(struct compiler *c, const struct json *json, struct str name, const struct spot *up,
                                           bool is_part, struct openapi *s)
{
    struct spot spot = {up, name};
    const struct openapi *below = compile(c, json, &spot, is_part);
    s->has_rules = s->has_rules || (below && below->has_rules);
    s->has_lists = s->has_lists || (below && below->has_lists);
    return below;
}

static bool read_properties(struct compiler *c, const struct json *json, const struct spot *spot, bool is_part, struct openapi *s)
{
    const struct json *properties = json_get(json, "properties");
    if (!properties)
        return true;
    if (properties->kind != JSON_OBJECT)
        return refuse(c, spot, "properties", "must be an object");
    struct map *map = arena_make(c->arena, struct map);
    VEC(struct str) defaults = {0};
    map_init(map, c->arena);
    for (size_t i = 0; i < properties->object.n; i++) {
        const struct json_member *m = &properties->object.members[i];
        const struct openapi *below = compile_below(c, m->value, m->key, spot, is_part, s);
        if (!below)
            return false;
        map_put(map, m->key, (void *)(uintptr_t)below);
        if (below->by_default)
            *VEC_PUSH(c->arena, &defaults) = m->key;
    }
    s->properties = map;
    s->defaults = (struct openapi_names){defaults.v, defaults.n};
    return true;
}

static bool read_additional(struct compiler *c, const struct json *json, const struct spot *spot, bool is_part, struct openapi *s)
{
    const struct json *j = json_get(json, "additionalProperties");
    if (!j)
        return true;
    s->has_additional = j->kind != JSON_BOOL || j->boolean;
    if (j->kind != JSON_BOOL)
        s->additional = compile_below(c, j, STR("*"), spot, is_part, s);
    return j->kind == JSON_BOOL || s->additional;
}

static bool read_parts(struct compiler *c, const struct json *json, const char *keyword, const struct spot *up, struct openapi *s,
                       struct openapi_list *ret)
{
    const struct json *list = json_get(json, keyword);
    if (!list)
        return true;
    if (list->kind != JSON_ARRAY)
        return refuse(c, up, keyword, "must be a list");
    const struct openapi **parts = arena_make_n(c->arena, const struct openapi *, list->array.n);
    for (size_t i = 0; i < list->array.n; i++) {
        parts[i] = compile_below(c, list->array.items[i], str_of(keyword), up, true, s);
        if (!parts[i])
            return false;
    }
    *ret = (struct openapi_list){parts, list->array.n};
    return true;
}

static bool read_all_parts(struct compiler *c, const struct json *json, const struct spot *spot, struct openapi *s)
{
    struct openapi_parts parts = {0};
    const struct json *not_this = json_get(json, "not");
    if (!read_parts(c, json, "allOf", spot, s, &parts.all) || !read_parts(c, json, "anyOf", spot, s, &parts.any) ||
        !read_parts(c, json, "oneOf", spot, s, &parts.one))
        return false;
    if (not_this)
        parts.not_this = compile_below(c, not_this, STR("not"), spot, true, s);
    if (not_this && !parts.not_this)
        return false;
    if (parts.all.n + parts.any.n + parts.one.n > 0 || parts.not_this) {
        struct openapi_parts *kept = arena_make(c->arena, struct openapi_parts);
        *kept = parts;
        s->parts = kept;
    }
    return true;
}

/* --- rules --- */

/* Parses ".a.b" or ".a['b']": names below the node. */
static bool read_field_path(struct arena *a, struct str text, struct path *ret)
{
    struct path path = PATH_ROOT;
    while (text.n > 0) {
        bool quoted = str_starts(text, STR("['"));
        if (!quoted && text.p[0] != '.')
            return false;
        size_t from = quoted ? 2 : 1, to = from;
        while (to < text.n && (quoted ? text.p[to] != '\'' : text.p[to] != '.' && text.p[to] != '['))
            to++;
        if (to == from || (quoted && !str_starts(str_slice(text, to, text.n), STR("']"))))
            return false;
        path = path_attr(a, path, str_slice(text, from, to));
        text = str_slice(text, to + (quoted ? 2 : 0), text.n);
    }
    *ret = path;
    return true;
}

static struct str why_unknown(struct compiler *c, const struct json *j, const struct openapi *s, struct openapi_rule *r)
{
    static const char *const known[] = {"rule", "message", "fieldPath", "reason"};
    for (size_t i = 0; j->kind == JSON_OBJECT && i < j->object.n; i++)
        if (!IS_ONE_OF(j->object.members[i].key, known))
            return arena_printf(c->arena, "\"" STR_FMT "\" of a rule is not supported", STR_ARG(j->object.members[i].key));
    struct str why = STR_EMPTY;
    if (!read_field_path(c->arena, json_text(json_get(j, "fieldPath"), STR_EMPTY), &r->field))
        return STR("its fieldPath is not supported");
    r->expression = cel_parse(c->arena, r->text, &why);
    if (r->expression && !cel_check(c->arena, r->expression, s, &why))
        return why;
    return why;
}

static bool read_rules(struct compiler *c, const struct json *json, const struct spot *spot, bool is_part, struct openapi *s)
{
    const struct json *list = json_get(json, "x-kubernetes-validations");
    if (!list)
        return true;
    if (list->kind != JSON_ARRAY)
        return refuse(c, spot, "x-kubernetes-validations", "must be a list");
    if (is_part)
        return refuse(c, spot, "x-kubernetes-validations", "is not supported within allOf, anyOf, oneOf and not");
    struct openapi_rule *rules = arena_make_n(c->arena, struct openapi_rule, list->array.n);
    for (size_t i = 0; i < list->array.n; i++) {
        const struct json *j = list->array.items[i];
        rules[i].text = str_trim(json_text(json_get(j, "rule"), STR_EMPTY));
        rules[i].message = str_trim(json_text(json_get(j, "message"), STR_EMPTY));
        rules[i].unknown = why_unknown(c, j, s, &rules[i]);
        rules[i].uses_old = rules[i].expression && cel_uses(rules[i].expression, "oldSelf");
    }
    s->rules = rules;
    s->n_rules = list->array.n;
    s->has_rules = s->has_rules || s->n_rules > 0;
    return true;
}

static bool read_items(struct compiler *c, const struct json *json, const struct spot *spot, bool is_part, struct openapi *s)
{
    const struct json *items = json_get(json, "items");
    if (items)
        s->items = compile_below(c, items, STR("items"), spot, is_part, s);
    return !items || s->items;
}

static const struct openapi *compile(struct compiler *c, const struct json *json, const struct spot *spot, bool is_part)
{
    if (json->kind != JSON_OBJECT) {
        (void)refuse(c, spot, "schema", "must be an object");
        return NULL;
    }
    struct openapi *s = arena_make(c->arena, struct openapi);
    s->nullable = json_bool(json_get(json, "nullable"), false);
    s->preserve = json_bool(json_get(json, "x-kubernetes-preserve-unknown-fields"), false);
    s->by_default = json_get(json, "default");
    if (s->by_default && s->by_default->kind == JSON_NULL)
        s->by_default = NULL;
    bool ok = check_keywords(c, json, spot) && read_type(c, json, spot, s) && read_list_type(c, json, spot, s) &&
              read_names(c, json, "required", spot, &s->required) &&
              read_names(c, json, "x-kubernetes-list-map-keys", spot, &s->keys) && read_limits(c, json, spot, s) &&
              read_properties(c, json, spot, is_part, s) && read_additional(c, json, spot, is_part, s) &&
              read_items(c, json, spot, is_part, s) && read_all_parts(c, json, spot, s) && read_rules(c, json, spot, is_part, s);
    return ok ? s : NULL;
}

bool openapi_compile(struct arena *a, const struct json *json, const char *where, struct diags *diags, const struct openapi **ret)
{
    struct compiler c = {a, diags, where};
    struct spot root = {NULL, STR_EMPTY};
    const struct openapi *s = compile(&c, json, &root, false);
    if (s)
        *ret = s;
    return s != NULL;
}

/* --- values --- */

bool openapi_number_read(struct str text, struct openapi_number *ret)
{
    enum { LONGEST = 4096 };
    char z[LONGEST + 1];
    *ret = (struct openapi_number){0};
    if (str_to_i64(text, &ret->integer)) {
        ret->is_integer = true;
        ret->real = (double)ret->integer;
        return true;
    }
    if (text.n == 0 || text.n > LONGEST)
        return false;
    memcpy(z, text.p, text.n);
    z[text.n] = '\0';
    ret->real = strtod(z, NULL);
    return isfinite(ret->real);
}

static void write_key(struct arena *a, struct buf *out, const struct json *j);

static int by_key(const void *x, const void *y)
{
    return str_cmp(((const struct json_member *)x)->key, ((const struct json_member *)y)->key);
}

/* Independent of the order of members. */
static void write_members(struct arena *a, struct buf *out, const struct json *j)
{
    struct json_member *sorted = arena_make_n(a, struct json_member, j->object.n);
    for (size_t i = 0; i < j->object.n; i++)
        sorted[i] = j->object.members[i];
    if (j->object.n > 1)
        qsort(sorted, j->object.n, sizeof *sorted, by_key);
    buf_addc(out, '{');
    for (size_t i = 0; i < j->object.n; i++) {
        buf_printf(out, "%zu:", sorted[i].key.n);
        buf_add(out, sorted[i].key);
        write_key(a, out, sorted[i].value);
    }
    buf_addc(out, '}');
}

static void write_key(struct arena *a, struct buf *out, const struct json *j)
{
    struct openapi_number n;
    if (!j) {
        buf_addc(out, '-'); /* a missing key */
        return;
    }
    switch (j->kind) {
    case JSON_NULL:
        buf_addc(out, 'n');
        break;
    case JSON_BOOL:
        buf_addc(out, j->boolean ? 't' : 'f');
        break;
    case JSON_NUMBER: /* the server distinguishes 1 and 1.0 */
        if (openapi_number_read(j->text, &n) && n.is_integer)
            buf_printf(out, "i%lld", (long long)n.integer);
        else
            buf_printf(out, "d%.17g", n.real);
        break;
    case JSON_STRING:
        buf_printf(out, "s%zu:", j->text.n);
        buf_add(out, j->text);
        break;
    case JSON_ARRAY:
        buf_addc(out, '[');
        for (size_t i = 0; i < j->array.n; i++)
            write_key(a, out, j->array.items[i]);
        buf_addc(out, ']');
        break;
    case JSON_OBJECT:
        write_members(a, out, j);
        break;
    }
}

struct str openapi_list_key(struct arena *a, const struct openapi *list, const struct json *element)
{
    struct buf text BUF_AUTO = BUF_INIT(SIZE_MAX / 2);
    if (list->list == LIST_MAP)
        for (size_t i = 0; i < list->keys.n; i++)
            write_key(a, &text, json_get_str(element, list->keys.v[i]));
    else
        write_key(a, &text, element);
    return buf_copy(&text, a);
}
