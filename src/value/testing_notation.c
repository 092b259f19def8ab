/* Test code: see testing_notation.h. */
#include "value/testing_notation.h"

#include "base/hex.h"
#include "base/vec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TABLE = 16 << 20 };

static void die(const char *what, struct str text)
{
    (void)fprintf(stderr, "bad notation: %s: " STR_FMT "\n", what, STR_ARG(text));
    abort();
}

const struct type *notation_type(struct arena *a, const struct json *j)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_from_json(a, j, &diags);
    if (!t)
        die("type", diags.v[0].detail);
    return t;
}

static struct number number_of(struct arena *a, const struct json *j)
{
    const struct value *v = notation_value(a, j);
    assert(v->type->kind == TYPE_NUMBER && v->state == VALUE_KNOWN);
    return v->number;
}

static const struct value *unknown(struct arena *a, const struct json *j, const struct type *t)
{
    struct value_refinement r = {.not_null = json_bool(json_get(j, "not_null"), false),
                                 .prefix = json_text(json_get(j, "prefix"), STR_EMPTY),
                                 .has_min = json_get(j, "min"),
                                 .has_max = json_get(j, "max"),
                                 .has_min_length = json_get(j, "min_length"),
                                 .has_max_length = json_get(j, "max_length"),
                                 .min_length = json_int(json_get(j, "min_length"), 0),
                                 .max_length = json_int(json_get(j, "max_length"), 0)};
    if (r.has_min) {
        r.min = number_of(a, json_get(j, "min")->array.items[0]);
        r.min_inclusive = json_bool(json_get(j, "min")->array.items[1], false);
    }
    if (r.has_max) {
        r.max = number_of(a, json_get(j, "max")->array.items[0]);
        r.max_inclusive = json_bool(json_get(j, "max")->array.items[1], false);
    }
    return value_unknown_refined(a, t, &r);
}

static const struct value **items(struct arena *a, const struct json *list)
{
    const struct value **v = arena_make_n(a, const struct value *, list->array.n);
    for (size_t i = 0; i < list->array.n; i++)
        v[i] = notation_value(a, list->array.items[i]);
    return v;
}

static struct str normal(struct arena *a, struct str text)
{
    return value_string(a, text)->string;
}

static const struct value *map(struct arena *a, const struct json *members, const struct type *element)
{
    size_t n = members->object.n;
    const struct value **v = arena_make_n(a, const struct value *, n);
    struct str *keys = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++) {
        keys[i] = normal(a, members->object.members[i].key);
        v[i] = notation_value(a, members->object.members[i].value);
    }
    return value_map(a, element, keys, v, n);
}

static const struct value *object(struct arena *a, const struct json *j)
{
    size_t n = j->object.n;
    struct type_attr *attrs = arena_make_n(a, struct type_attr, n);
    for (size_t i = 0; i < n; i++)
        attrs[i] = (struct type_attr){.name = normal(a, j->object.members[i].key),
                                      .type = notation_value(a, j->object.members[i].value)->type};
    const struct type *t = type_object(a, attrs, n);
    const struct value **v = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++)
        v[type_attr_find(t, normal(a, j->object.members[i].key))] = notation_value(a, j->object.members[i].value);
    return value_object(a, t, v);
}

static const struct value *special(struct arena *a, const struct json *j)
{
    const struct json *of = json_get(j, "of"), *what;
    if ((what = json_get(j, "$null")))
        return value_null(a, notation_type(a, what));
    if ((what = json_get(j, "$unknown")))
        return unknown(a, j, notation_type(a, what));
    if ((what = json_get(j, "$double")))
        return value_number(a, number_from_double(a, strtod(arena_str(a, what->text).p, NULL)));
    if ((what = json_get(j, "$list")))
        return value_list(a, notation_type(a, what), items(a, of), of->array.n);
    if ((what = json_get(j, "$set")))
        return value_set(a, notation_type(a, what), items(a, of), of->array.n);
    if ((what = json_get(j, "$map")))
        return map(a, of, notation_type(a, what));
    return NULL;
}

const struct value *notation_value(struct arena *a, const struct json *j)
{
    const struct value *v = NULL;
    struct number n;
    switch (j->kind) {
    case JSON_NULL:
        return value_null(a, &type_dynamic);
    case JSON_BOOL:
        return value_bool(a, j->boolean);
    case JSON_NUMBER:
        if (!number_parse(a, j->text, &n))
            die("number", j->text);
        return value_number(a, n);
    case JSON_STRING:
        v = value_string(a, j->text);
        if (!v)
            die("string", j->text);
        return v;
    case JSON_ARRAY:
        return value_tuple(a, items(a, j), j->array.n);
    case JSON_OBJECT:
        v = special(a, j);
        return v ? v : object(a, j);
    }
    return NULL;
}

const struct value *notation_parse(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, str_of(text), "notation", &diags);
    if (!j)
        die("JSON", str_of(text));
    return notation_value(a, j);
}

struct notation_table notation_table(struct arena *a, const char *name)
{
    struct str path = arena_printf(a, "%s/src/value/testdata/%s", TERRANE_SOURCE, name);
    FILE *f = fopen(path.p, "rb");
    if (!f)
        die("no such table", path);
    struct buf text BUF_AUTO = BUF_INIT(MAX_TABLE);
    char piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
        buf_add(&text, (struct str){piece, n});
    (void)fclose(f);

    struct diags diags;
    diags_init(&diags, a);
    VEC(const struct json *) rows = {0};
    VEC(struct str) lines = {0};
    struct str rest = buf_copy(&text, a);
    (void)str_cut(&rest, '\n');
    while (rest.n > 0) {
        struct str line = str_cut(&rest, '\n');
        const struct json *j = json_parse(a, line, name, &diags);
        if (!j)
            die("line", line);
        *VEC_PUSH(a, &rows) = j;
        *VEC_PUSH(a, &lines) = line;
    }
    if (rows.n == 0)
        die("empty table", path);
    return (struct notation_table){rows.v, lines.v, rows.n};
}

struct str notation_unhex(struct arena *a, struct str hex)
{
    char *bytes = arena_alloc(a, hex.n / 2 + 1, 1);
    for (size_t i = 0; i + 1 < hex.n; i += 2)
        bytes[i / 2] = (char)(hex_digit(hex.p[i]) << 4 | hex_digit(hex.p[i + 1]));
    return (struct str){bytes, hex.n / 2};
}

struct str notation_hex(struct arena *a, struct str bytes)
{
    return hex_of(a, bytes.p, bytes.n);
}
