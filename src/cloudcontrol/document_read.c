/*
 * Converts Cloud Control documents to Terraform values.
 */
#include "cloudcontrol/document.h"
#include "cloudcontrol/node_value_private.h"

/* A position in the document; converted to a pointer only for notes. */
struct step {
    const struct step *up;
    struct str key;
    size_t index; /* index of an element; SIZE_MAX: a member */
};

struct reading {
    struct arena *arena;
    struct cc_read_notes *notes;
    bool exhausted;
};

enum { MAX_POINTER = 1 << 12 };

static void write_pointer(struct buf *out, const struct step *at)
{
    if (!at)
        return;
    write_pointer(out, at->up);
    buf_addc(out, '/');
    if (at->index == SIZE_MAX)
        buf_add(out, at->key);
    else
        buf_printf(out, "%zu", at->index);
}

static void note(struct reading *r, enum cc_read_what what, const struct step *at)
{
    struct cc_read_notes *notes = r->notes;
    if (!notes)
        return;
    notes->n[what]++;
    if (notes->n_first == CC_MAX_READ_NOTES)
        return;
    struct buf pointer BUF_AUTO = BUF_INIT(MAX_POINTER);
    write_pointer(&pointer, at);
    notes->first[notes->n_first].what = what;
    notes->first[notes->n_first++].pointer = buf_copy(&pointer, r->arena);
}

static const struct value *nothing(struct reading *r, const struct cc_node *node)
{
    return value_null(r->arena, node->type);
}

static const struct value *dropped(struct reading *r, const struct cc_node *node, const struct step *at)
{
    note(r, CC_READ_DROPPED, at);
    return nothing(r, node);
}

static const struct value *converted(struct reading *r, const struct value *v, const struct step *at)
{
    note(r, CC_READ_CONVERTED, at);
    return v;
}

/* --- leaves --- */

bool cc_text_may_be_json(const struct cc_node *node)
{
    const struct json *type = json_get(node->source, "type");
    if (node->kind != CC_STRING || node->text == CC_TEXT_RFC3339)
        return false;
    if (node->text == CC_TEXT_JSON)
        return true;
    for (size_t i = 0; type && type->kind == JSON_ARRAY && i < type->array.n; i++)
        if (str_eqz(json_text(type->array.items[i], STR_EMPTY), "object"))
            return true;
    return false;
}

static const struct value *read_bool(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    if (j->kind == JSON_BOOL)
        return value_bool(r->arena, j->boolean);
    struct str text = j->kind == JSON_STRING ? j->text : STR_EMPTY;
    bool yes = str_eqz(text, "true") || str_eqz(text, "True") || str_eqz(text, "TRUE");
    bool no = str_eqz(text, "false") || str_eqz(text, "False") || str_eqz(text, "FALSE");
    return yes || no ? converted(r, value_bool(r->arena, yes), at) : dropped(r, node, at);
}

static const struct value *read_number(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    struct number n;
    bool text = j->kind == JSON_STRING;
    if ((!text && j->kind != JSON_NUMBER) || !number_parse(r->arena, j->text, &n) || number_is_infinite(n))
        return dropped(r, node, at);
    const struct value *v = value_number(r->arena, n);
    /* If the service returns a fraction for an integer, it is kept: Terraform's type can represent it. */
    bool odd = text || (node->kind == CC_INT64 && !number_is_integer(n));
    return odd ? converted(r, v, at) : v;
}

static const struct value *text_of(struct reading *r, const struct json *j)
{
    return value_string(r->arena, cc_json_text(r->arena, j));
}

/* Either JSON, or a string: if that contains a JSON object or array, it is that JSON, otherwise a JSON string. */
static const struct value *read_json_text(struct reading *r, const struct json *j, const struct step *at)
{
    struct diags ignored;
    diags_init(&ignored, r->arena);
    bool candidate = j->kind == JSON_STRING && j->text.n > 0 && (j->text.p[0] == '{' || j->text.p[0] == '[');
    const struct json *inside = candidate ? json_parse(r->arena, j->text, "value", &ignored) : NULL;
    return inside ? converted(r, text_of(r, inside), at) : text_of(r, j);
}

static const struct value *read_string(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    if (node->text == CC_TEXT_JSON)
        return read_json_text(r, j, at);
    switch (j->kind) {
    case JSON_STRING: {
        const struct value *v = value_string(r->arena, j->text);
        return v ? v : dropped(r, node, at);
    }
    case JSON_NUMBER:
        return converted(r, value_string(r->arena, j->text), at);
    case JSON_BOOL:
        return converted(r, value_string(r->arena, j->boolean ? STR("true") : STR("false")), at);
    default:
        return cc_text_may_be_json(node) ? text_of(r, j) : converted(r, text_of(r, j), at);
    }
}

/* --- containers --- */

static const struct value *read(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at);

static const struct value *read_array(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    if (j->kind != JSON_ARRAY || cc_is_lost(node->element))
        return dropped(r, node, at);
    const struct value **elements = arena_make_n(r->arena, const struct value *, j->array.n);
    size_t n = 0;
    for (size_t i = 0; i < j->array.n && !r->exhausted; i++) {
        struct step step = {at, STR_EMPTY, i};
        const struct value *v = read(r, node->element, j->array.items[i], &step);
        if (j->array.items[i]->kind == JSON_NULL)
            note(r, CC_READ_DROPPED, &step);
        if (!value_is_null(v))
            elements[n++] = v;
        r->exhausted = arena_exhausted(r->arena);
    }
    /* An empty collection differs from null as an element, and where a default would replace an absent value. */
    bool means = node->name.n == 0 || node->default_kind == CC_DEFAULT_STATIC;
    return n > 0 || means ? cc_make(r->arena, node, elements, NULL, n) : nothing(r, node);
}

static const struct value *read_map(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    if (j->kind != JSON_OBJECT)
        return dropped(r, node, at);
    const struct value **elements = arena_make_n(r->arena, const struct value *, j->object.n);
    struct str *keys = arena_make_n(r->arena, struct str, j->object.n);
    size_t n = 0;
    for (size_t i = 0; i < j->object.n && !r->exhausted; i++) {
        const struct json_member *m = &j->object.members[i];
        struct step step = {at, m->key, SIZE_MAX};
        const struct value *v = read(r, node->element, m->value, &step), *key = value_string(r->arena, m->key);
        if (m->value->kind == JSON_NULL || !key)
            note(r, CC_READ_DROPPED, &step);
        if (!value_is_null(v) && key) {
            keys[n] = key->string;
            elements[n++] = v;
        }
        r->exhausted = arena_exhausted(r->arena);
    }
    return cc_make(r->arena, node, elements, keys, n);
}

/* The object in its array of one (see cc_document_wraps). */
static const struct json *unwrap(struct reading *r, const struct json *j, const struct step *at)
{
    if (j->kind != JSON_ARRAY || j->array.n == 0)
        return j;
    if (j->array.n > 1)
        note(r, CC_READ_DROPPED, at);
    return j->array.items[0];
}

static const struct value *read_object(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    if (cc_document_wraps(node))
        j = unwrap(r, j, at);
    if (j->kind != JSON_OBJECT || cc_is_lost(node))
        return dropped(r, node, at);
    const struct value **parts = arena_make_n(r->arena, const struct value *, node->n_children);
    for (size_t i = 0; i < j->object.n && !r->exhausted; i++) {
        const struct json_member *m = &j->object.members[i];
        const struct cc_node *child = cc_node_cf_child(node, m->key);
        struct step step = {at, m->key, SIZE_MAX};
        if (child)
            parts[child - node->children] = read(r, child, m->value, &step);
        else
            note(r, CC_READ_UNKNOWN, &step);
    }
    for (size_t i = 0; i < node->n_children; i++)
        if (!parts[i])
            parts[i] = nothing(r, &node->children[i]);
    r->exhausted |= arena_exhausted(r->arena);
    return cc_make(r->arena, node, parts, NULL, node->n_children);
}

static const struct value *read(struct reading *r, const struct cc_node *node, const struct json *j, const struct step *at)
{
    if (j->kind == JSON_NULL)
        return nothing(r, node);
    switch (node->kind) {
    case CC_BOOL:
        return read_bool(r, node, j, at);
    case CC_INT64:
    case CC_FLOAT64:
        return read_number(r, node, j, at);
    case CC_STRING:
        return read_string(r, node, j, at);
    case CC_LIST:
    case CC_SET:
        return read_array(r, node, j, at);
    case CC_MAP:
        return read_map(r, node, j, at);
    case CC_OBJECT:
        return read_object(r, node, j, at);
    }
    return nothing(r, node);
}

const struct value *cc_document_read(struct arena *a, const struct cc_node *root, const struct json *properties,
                                     struct cc_read_notes *notes, struct diags *diags)
{
    struct reading r = {.arena = a, .notes = notes};
    if (!properties || properties->kind != JSON_OBJECT) {
        (void)diags_fail(diags, "Unexpected answer from the service", "The properties of the object are not a JSON object.");
        return NULL;
    }
    const struct value *v = read(&r, root, properties, NULL);
    if (!r.exhausted)
        return v;
    (void)diags_fail(diags, "Unexpected answer from the service", "The properties of the object are too large.");
    return NULL;
}
