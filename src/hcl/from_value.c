#include "hcl/from_value.h"

#include "base/vec.h"
#include "hcl/write.h"
#include "value/json_value.h"

enum { MAX_JSON = 64 << 20 };

/* --- JSON in a string --- */

static bool looks_like_json(struct str text)
{
    return text.n >= 2 && ((text.p[0] == '{' && text.p[text.n - 1] == '}') || (text.p[0] == '[' && text.p[text.n - 1] == ']'));
}

/* The string's JSON as a value; NULL: it is not JSON. */
static const struct value *json_value(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = looks_like_json(text) ? json_parse_lenient(a, text) : NULL;
    return j ? value_implied_by_json(a, j, &diags) : NULL;
}

/* Writes what jsonencode() would: one line, names sorted, with the escapes of Go's encoder. */
static bool encode(struct buf *out, const struct value *v)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct json_writer w = {.out = out, .html_escape = true};
    return value_write_json(&w, v, v->type, &diags) && json_finish(&w);
}

/* NULL: jsonencode() would give a different string. */
static const struct value *json_in(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    const struct value *v = json_value(a, text);
    return v && encode(&out, v) && str_eq(buf_str(&out), text) ? v : NULL;
}

struct str hcl_canonical_json(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    const struct value *v = json_value(a, text);
    return v && encode(&out, v) ? buf_copy(&out, a) : STR_EMPTY;
}

/* --- values --- */

static const struct hcl_expr *plain(struct arena *a, enum hcl_expr_kind kind, struct str text)
{
    struct hcl_expr *e = arena_make(a, struct hcl_expr);
    e->kind = kind;
    e->text = text;
    return e;
}

static const struct hcl_expr *from_bool(struct arena *a, bool b)
{
    struct hcl_expr *e = arena_make(a, struct hcl_expr);
    e->kind = HCL_EXPR_BOOL;
    e->boolean = b;
    return e;
}

/* `inside` is set inside jsonencode(), where the path stays that of the string. */
struct place {
    struct path at;
    bool inside;
};

static const struct hcl_expr *from(const struct hcl_from *f, struct place place, const struct value *v);

static struct place step(const struct hcl_from *f, struct place place, const struct value *v, size_t i)
{
    if (place.inside)
        return place;
    struct path at = place.at;
    switch (v->type->kind) {
    case TYPE_OBJECT:
        at = path_attr(f->arena, at, v->type->attrs[i].name);
        break;
    case TYPE_MAP:
        at = path_key(f->arena, at, v->keys[i]);
        break;
    case TYPE_SET:
        at = path_element(f->arena, at, v->elements[i]);
        break;
    default:
        at = path_index(f->arena, at, (int64_t)i);
    }
    return (struct place){.at = at};
}

static const struct hcl_expr *from_items(const struct hcl_from *f, struct place place, const struct value *v)
{
    struct hcl_item *items = arena_make_n(f->arena, struct hcl_item, v->n);
    for (size_t i = 0; i < v->n; i++) {
        struct str key = v->type->kind == TYPE_MAP ? v->keys[i] : v->type->attrs[i].name;
        items[i] = (struct hcl_item){hcl_make_string(f->arena, key), from(f, step(f, place, v, i), v->elements[i])};
    }
    return hcl_make_object(f->arena, items, v->n);
}

static const struct hcl_expr *from_list(const struct hcl_from *f, struct place place, const struct value *v)
{
    const struct hcl_expr **parts = arena_make_n(f->arena, const struct hcl_expr *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = from(f, step(f, place, v, i), v->elements[i]);
    return hcl_make_list(f->arena, parts, v->n);
}

static const struct hcl_expr *from_string(const struct hcl_from *f, struct place place, const struct value *v)
{
    const struct value *json = place.inside || f->no_functions ? NULL : json_in(f->arena, v->string);
    const struct hcl_expr *instead = !json && f->text ? f->text(f->ctx, place.at, v) : NULL;
    if (!json)
        return instead ? instead : hcl_make_string(f->arena, v->string);
    return hcl_make_call(f->arena, "jsonencode", from(f, (struct place){place.at, true}, json));
}

static const struct hcl_expr *from(const struct hcl_from *f, struct place place, const struct value *v)
{
    const struct hcl_expr *instead = f->instead ? f->instead(f->ctx, place.at, v) : NULL;
    if (instead)
        return instead;
    if (v->state != VALUE_KNOWN)
        return plain(f->arena, HCL_EXPR_NULL, STR_EMPTY);
    switch (v->type->kind) {
    case TYPE_STRING:
        return from_string(f, place, v);
    case TYPE_NUMBER:
        return plain(f->arena, HCL_EXPR_NUMBER, number_text(f->arena, v->number));
    case TYPE_BOOL:
        return from_bool(f->arena, v->boolean);
    case TYPE_MAP:
    case TYPE_OBJECT:
        return from_items(f, place, v);
    default:
        return from_list(f, place, v);
    }
}

const struct hcl_expr *hcl_from_value(const struct hcl_from *f, struct path at, const struct value *v)
{
    return from(f, (struct place){.at = at}, v);
}

/* --- nested attributes: objects whose null arguments can be left out --- */

static const struct hcl_expr *from_nested(const struct hcl_from *f, const struct schema_object *schema, struct path at,
                                          const struct value *v);

static const struct hcl_expr *from_attr(const struct hcl_from *f, const struct schema_attr *attr, struct path at,
                                        const struct value *v)
{
    return attr->nested ? from_nested(f, attr->nested, at, v) : hcl_from_value(f, at, v);
}

static const struct hcl_expr *from_nested_object(const struct hcl_from *f, const struct schema_object *schema, struct path at,
                                                 const struct value *v)
{
    VEC(struct hcl_item) items = {0};
    if (value_is_null(v))
        return hcl_from_value(f, at, v);
    for (size_t i = 0; i < schema->n_attrs; i++) {
        const struct schema_attr *attr = &schema->attrs[i];
        const struct value *part = value_get(v, attr->name);
        if (!part || value_is_null(part))
            continue;
        *VEC_PUSH(f->arena, &items) = (struct hcl_item){hcl_make_string(f->arena, attr->name),
                                                        from_attr(f, attr, path_attr(f->arena, at, attr->name), part)};
    }
    return hcl_make_object(f->arena, items.v, items.n);
}

static const struct hcl_expr *from_nested(const struct hcl_from *f, const struct schema_object *schema, struct path at,
                                          const struct value *v)
{
    const struct hcl_expr *instead = f->instead ? f->instead(f->ctx, at, v) : NULL;
    if (instead)
        return instead;
    if (value_is_null(v))
        return plain(f->arena, HCL_EXPR_NULL, STR_EMPTY);
    if (schema->nesting == NESTING_SINGLE)
        return from_nested_object(f, schema, at, v);
    const struct hcl_expr **parts = arena_make_n(f->arena, const struct hcl_expr *, v->n);
    struct hcl_item *items = arena_make_n(f->arena, struct hcl_item, v->n);
    bool map = v->type->kind == TYPE_MAP || v->type->kind == TYPE_OBJECT;
    for (size_t i = 0; i < v->n; i++) {
        struct place place = step(f, (struct place){.at = at}, v, i);
        parts[i] = from_nested_object(f, schema, place.at, v->elements[i]);
        if (map)
            items[i] = (struct hcl_item){
                hcl_make_string(f->arena, v->type->kind == TYPE_MAP ? v->keys[i] : v->type->attrs[i].name), parts[i]};
    }
    return map ? hcl_make_object(f->arena, items, v->n) : hcl_make_list(f->arena, parts, v->n);
}

/* --- bodies --- */

struct body {
    VEC(struct hcl_attr) attrs;
    VEC(struct hcl_block) blocks;
};

static void add_block(const struct hcl_from *f, struct body *b, const struct schema_nested_block *nested, struct path at,
                      const struct str *label, const struct value *v)
{
    struct hcl_block block = {.type = nested->name, .body = hcl_from_object(f, nested->block, at, v)};
    if (label) {
        struct str *labels = arena_make(f->arena, struct str);
        *labels = *label;
        block.labels = labels;
        block.n_labels = 1;
    }
    *VEC_PUSH(f->arena, &b->blocks) = block;
}

static void add_blocks(const struct hcl_from *f, struct body *b, const struct schema_nested_block *nested, struct path at,
                       const struct value *v)
{
    if (v->state != VALUE_KNOWN)
        return;
    if (nested->nesting == NESTING_SINGLE || nested->nesting == NESTING_GROUP) {
        add_block(f, b, nested, at, NULL, v);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        struct place place = step(f, (struct place){.at = at}, v, i);
        const struct str *label = v->type->kind == TYPE_MAP                                        ? &v->keys[i]
                                  : nested->nesting == NESTING_MAP && v->type->kind == TYPE_OBJECT ? &v->type->attrs[i].name
                                                                                                   : NULL;
        add_block(f, b, nested, place.at, label, v->elements[i]);
    }
}

/* A group whose attributes are all null is the same as an absent one. */
static bool is_absent_group(const struct schema_nested_block *nested, const struct value *v)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    return nested->nesting == NESTING_GROUP && value_raw_eq(v, schema_empty_nested(a, nested));
}

/* Adds arguments that take one line first. */
static void add_attrs(const struct hcl_from *f, struct body *b, const struct schema_block *schema, struct path at,
                      const struct value *object)
{
    VEC(struct hcl_attr) later = {0};
    for (size_t i = 0; i < schema->n_attrs; i++) {
        const struct schema_attr *attr = &schema->attrs[i];
        const struct value *v = value_get(object, attr->name);
        if (!v || value_is_null(v))
            continue;
        struct hcl_attr written = {.name = attr->name, .value = from_attr(f, attr, path_attr(f->arena, at, attr->name), v)};
        if (hcl_takes_lines(written.value))
            *VEC_PUSH(f->arena, &later) = written;
        else
            *VEC_PUSH(f->arena, &b->attrs) = written;
    }
    for (size_t i = 0; i < later.n; i++)
        *VEC_PUSH(f->arena, &b->attrs) = later.v[i];
}

struct hcl_body hcl_from_object(const struct hcl_from *f, const struct schema_block *schema, struct path at,
                                const struct value *object)
{
    struct body b = {0};
    add_attrs(f, &b, schema, at, object);
    for (size_t i = 0; i < schema->n_blocks; i++) {
        const struct schema_nested_block *nested = &schema->blocks[i];
        const struct value *v = value_get(object, nested->name);
        if (v && !is_absent_group(nested, v))
            add_blocks(f, &b, nested, path_attr(f->arena, at, nested->name), v);
    }
    return (struct hcl_body){b.attrs.v, b.attrs.n, b.blocks.v, b.blocks.n};
}
