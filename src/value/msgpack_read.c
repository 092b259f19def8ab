/*
 * Reads one item after another as the type requires. No byte is read twice, so time is linear in the input (sets are sorted: n
 * log n).
 *
 * As lenient as Terraform's decoder: any extension of at most one byte is an unknown; bin is accepted for str; an integer may
 * have any width or be a float or a string; bytes after the value are ignored. As strict: an object must have exactly its
 * attributes. Stricter in four points, where that decoder would return a broken value or crash: an empty map for an object with
 * attributes, an empty array for a tuple with elements, a duplicate attribute, and elements of different types where the element
 * type is DYNAMIC.
 */
#include "value/msgpack.h"
#include "value/msgpack_code_private.h"
#include "value/text_private.h"
#include "value/value_private.h"

#include <math.h>

struct reader {
    struct arena *arena;
    struct diags *diags;
    const uint8_t *p, *end;
    int depth;
};

static const struct value *fail(struct reader *r, const struct trail *trail, const char *what)
{
    return value_fail(r->diags, trail_path(r->diags->arena, PATH_ROOT, trail), "Invalid MessagePack value", "%s", what);
}

static size_t left(const struct reader *r)
{
    return (size_t)(r->end - r->p);
}

/* The next n bytes as a big-endian number; n is 1, 2, 4 or 8. */
static bool take_uint(struct reader *r, size_t n, uint64_t *ret)
{
    if (left(r) < n)
        return false;
    uint64_t u = 0;
    for (size_t i = 0; i < n; i++)
        u = u << 8 | r->p[i];
    r->p += n;
    *ret = u;
    return true;
}

static bool take_bytes(struct reader *r, uint64_t n, struct str *ret)
{
    if (left(r) < n)
        return false;
    *ret = (struct str){(const char *)r->p, (size_t)n};
    r->p += n;
    return true;
}

/* A str or bin; nil is the empty string, as in the Go decoder. */
static bool take_str(struct reader *r, struct str *ret)
{
    if (left(r) == 0)
        return false;
    uint8_t code = *r->p++;
    uint64_t n = 0;
    if (code >= MP_FIXSTR && code < MP_NIL)
        return take_bytes(r, code & 0x1f, ret);
    bool ok;
    switch (code) {
    case MP_NIL:
        *ret = STR_EMPTY;
        return true;
    case MP_STR8:
    case MP_BIN8:
        ok = take_uint(r, 1, &n);
        break;
    case MP_STR16:
    case MP_BIN16:
        ok = take_uint(r, 2, &n);
        break;
    case MP_STR32:
    case MP_BIN32:
        ok = take_uint(r, 4, &n);
        break;
    default:
        return false;
    }
    return ok && take_bytes(r, n, ret);
}

static bool take_length(struct reader *r, unsigned fix, unsigned code16, uint64_t *ret)
{
    if (left(r) == 0)
        return false;
    uint8_t code = *r->p++;
    if ((code & 0xf0) == fix) {
        *ret = code & 0x0f;
        return true;
    }
    if (code == code16)
        return take_uint(r, 2, ret);
    return code == code16 + 1 && take_uint(r, 4, ret);
}

/* The length of an array; it cannot have more elements than there are bytes. */
static bool take_array(struct reader *r, uint64_t *ret)
{
    return take_length(r, MP_FIXARRAY, MP_ARRAY16, ret) && *ret <= left(r);
}

static bool take_map(struct reader *r, uint64_t *ret)
{
    return take_length(r, MP_FIXMAP, MP_MAP16, ret) && *ret <= left(r) / 2;
}

static bool is_ext(uint8_t code)
{
    return (code >= MP_EXT8 && code <= MP_EXT32) || (code >= MP_FIXEXT1 && code <= MP_FIXEXT16);
}

static bool take_ext(struct reader *r, int *ret_type, struct str *ret_body)
{
    uint8_t code = *r->p++;
    uint64_t n = code >= MP_FIXEXT1 ? 1u << (code - MP_FIXEXT1) : 0, type;
    if (code < MP_FIXEXT1 && !take_uint(r, (size_t)1 << (code - MP_EXT8), &n))
        return false;
    if (!take_uint(r, 1, &type) || !take_bytes(r, n, ret_body))
        return false;
    *ret_type = (int)type;
    return true;
}

static bool is_int(uint8_t code)
{
    return code <= MP_FIXINT_MAX || code >= MP_NEGATIVE_FIXINT || (code >= MP_UINT8 && code <= MP_INT64);
}

/* Bytes after the code of an integer from MP_UINT8 to MP_INT64. */
static size_t int_width(uint8_t code)
{
    return (size_t)1 << ((code - MP_UINT8) & 3);
}

/* `u` as a signed number whose highest bit is `sign`. */
static int64_t with_sign(uint64_t u, uint64_t sign)
{
    return (int64_t)((u ^ sign) - sign);
}

/* An integer in any form but the largest ones of uint64. */
static bool take_int(struct reader *r, int64_t *ret)
{
    if (left(r) == 0 || !is_int(*r->p))
        return false;
    uint8_t code = *r->p++;
    uint64_t u;
    if (code <= MP_FIXINT_MAX || code >= MP_NEGATIVE_FIXINT) {
        *ret = with_sign(code, 0x80);
        return true;
    }
    if (!take_uint(r, int_width(code), &u))
        return false;
    switch (code) {
    case MP_INT8:
        *ret = with_sign(u, 0x80);
        return true;
    case MP_INT16:
        *ret = with_sign(u, 0x8000);
        return true;
    case MP_INT32:
        *ret = with_sign(u, 0x80000000);
        return true;
    case MP_INT64:
        *ret = (int64_t)u;
        return true;
    default:
        *ret = (int64_t)u;
        return u <= INT64_MAX;
    }
}

static bool take_double(struct reader *r, double *ret)
{
    uint8_t code = *r->p++;
    uint64_t bits;
    if (!take_uint(r, code == MP_FLOAT32 ? 4 : 8, &bits))
        return false;
    if (code == MP_FLOAT32) {
        uint32_t narrow = (uint32_t)bits;
        float f;
        memcpy(&f, &narrow, sizeof f);
        *ret = (double)f;
    } else {
        memcpy(ret, &bits, sizeof *ret);
    }
    return !isnan(*ret);
}

static bool take_number(struct reader *r, struct number *ret)
{
    if (left(r) == 0)
        return false;
    uint8_t code = *r->p;
    if (code == MP_UINT64) {
        uint64_t u;
        r->p++;
        if (!take_uint(r, 8, &u))
            return false;
        *ret = number_from_u64(r->arena, u);
        return true;
    }
    if (code == MP_FLOAT32 || code == MP_FLOAT64) {
        double d;
        if (!take_double(r, &d))
            return false;
        *ret = number_from_double(r->arena, d);
        return true;
    }
    if (is_int(code)) {
        int64_t i;
        if (!take_int(r, &i))
            return false;
        *ret = number_from_i64(i);
        return true;
    }
    struct str text;
    return code != MP_NIL && take_str(r, &text) && number_parse(r->arena, text, ret);
}

static bool take_bool(struct reader *r, bool *ret)
{
    if (left(r) == 0 || (*r->p != MP_TRUE && *r->p != MP_FALSE))
        return false;
    *ret = *r->p++ == MP_TRUE;
    return true;
}

/* Skips an item that contains no others. */
static bool skip_scalar(struct reader *r)
{
    uint8_t code = *r->p;
    uint64_t u;
    double d;
    int ext;
    struct str bytes;
    if (is_ext(code))
        return take_ext(r, &ext, &bytes);
    if (code == MP_FLOAT32 || code == MP_FLOAT64)
        return take_double(r, &d);
    if (code >= MP_UINT8 && code <= MP_INT64)
        return r->p++, take_uint(r, int_width(code), &u);
    if (is_int(code) || code == MP_TRUE || code == MP_FALSE)
        return r->p++, true;
    return take_str(r, &bytes);
}

/* Skips one item with everything inside it. */
static bool skip_item(struct reader *r)
{
    for (uint64_t pending = 1; pending > 0; pending--) {
        if (left(r) == 0)
            return false;
        uint8_t code = *r->p;
        uint64_t n = 0;
        bool is_array = (code & 0xf0) == MP_FIXARRAY || code == MP_ARRAY16 || code == MP_ARRAY32;
        bool is_map = (code & 0xf0) == MP_FIXMAP || code == MP_MAP16 || code == MP_MAP32;
        if (is_array ? !take_array(r, &n) : is_map ? !take_map(r, &n) : !skip_scalar(r))
            return false;
        pending += is_map ? 2 * n : n;
    }
    return true;
}

static bool take_number_bound(struct reader *r, struct number *ret, bool *ret_inclusive)
{
    uint64_t n;
    return take_array(r, &n) && n == 2 && take_number(r, ret) && take_bool(r, ret_inclusive);
}

/* Reads one entry of a refinement map; *ret_null is set when it says that the value is null. */
static const char *read_refinement(struct reader *r, int64_t key, const struct type *t, struct value_refinement *into,
                                   bool *ret_null)
{
    static const char *const contradiction = "the refinements of an unknown value contradict each other";
    switch (key) {
    case REFINE_NULLNESS: {
        bool is_null;
        if (!take_bool(r, &is_null))
            return "null refinement is not boolean";
        if (is_null ? into->not_null : *ret_null)
            return contradiction;
        into->not_null |= !is_null;
        *ret_null |= is_null;
        return NULL;
    }
    case REFINE_PREFIX: {
        struct str prefix;
        if (t->kind != TYPE_STRING)
            return "string prefix refinement for non-string type";
        if (!take_str(r, &prefix))
            return "string prefix refinement is not string";
        if (!text_normalize(r->arena, prefix, &prefix))
            return "string prefix refinement is not valid UTF-8";
        return refine_prefix(into, prefix) ? NULL : contradiction;
    }
    case REFINE_MIN:
    case REFINE_MAX: {
        struct number bound;
        bool inclusive;
        if (t->kind != TYPE_NUMBER)
            return "numeric bound refinement for non-number type";
        if (!take_number_bound(r, &bound, &inclusive))
            return "numeric bound refinement must be [number, bool] array";
        bool ok = key == REFINE_MIN ? refine_min(into, bound, inclusive) : refine_max(into, bound, inclusive);
        return ok ? NULL : contradiction;
    }
    case REFINE_MIN_LENGTH:
    case REFINE_MAX_LENGTH: {
        int64_t bound;
        if (!type_is_collection(t))
            return "length bound refinement for non-collection type";
        if (!take_int(r, &bound))
            return "length bound refinement must be integer";
        bool ok = key == REFINE_MIN_LENGTH ? refine_min_length(into, bound) : refine_max_length(into, bound);
        return ok ? NULL : contradiction;
    }
    default:
        return skip_item(r) ? NULL : "it is cut short"; /* a newer kind of refinement */
    }
}

static const struct value *read_refined(struct reader *outer, struct str body, const struct type *t, const struct trail *trail)
{
    struct reader r = *outer;
    r.p = (const uint8_t *)body.p;
    r.end = r.p + body.n;
    uint64_t n;
    if (!take_map(&r, &n))
        return fail(outer, trail, "failed to decode msgpack extension body: not a map");
    if (t->kind == TYPE_DYNAMIC)
        return value_unknown(outer->arena, t);
    struct value_refinement refinement = {.prefix = STR_EMPTY};
    bool is_null = false;
    for (uint64_t i = 0; i < n; i++) {
        int64_t key;
        if (!take_int(&r, &key))
            return fail(outer, trail, "failed to decode msgpack extension body: non-integer key in map");
        const char *problem = read_refinement(&r, key, t, &refinement, &is_null);
        if (problem)
            return value_fail(outer->diags, trail_path(outer->diags->arena, PATH_ROOT, trail), "Invalid MessagePack value",
                              "failed to decode msgpack extension body: %s", problem);
    }
    return is_null ? value_null(outer->arena, t) : value_unknown_refined(outer->arena, t, &refinement);
}

static const struct value *read_unknown(struct reader *r, const struct type *t, const struct trail *trail)
{
    int code;
    struct str body;
    if (!take_ext(r, &code, &body))
        return fail(r, trail, "failed to read msgpack extension body: it is cut short");
    if (body.n <= 1)
        return value_unknown(r->arena, t);
    if (code != MP_EXT_REFINED)
        return value_fail(r->diags, trail_path(r->diags->arena, PATH_ROOT, trail), "Invalid MessagePack value",
                          "unsupported extension type 0x%02x with len %zu", (unsigned)code, body.n);
    if (body.n > MSGPACK_MAX_REFINEMENT)
        return fail(r, trail, "oversize unknown value refinement");
    return read_refined(r, body, t, trail);
}

static const struct value *read_value(struct reader *r, const struct type *t, const struct trail *trail);

/* An object or tuple has too many or too few parts. For an object the message has both numbers, for a tuple only the required
 * one. */
static const struct value *fail_count(struct reader *r, const struct trail *trail, const struct type *t, uint64_t n)
{
    struct path path = trail_path(r->diags->arena, PATH_ROOT, trail);
    if (t->kind == TYPE_TUPLE)
        return value_fail(r->diags, path, "Invalid MessagePack value", "a tuple of length %zu is required", t->n);
    return value_fail(r->diags, path, "Invalid MessagePack value", "an object with %zu attributes is required (%zu given)", t->n,
                      (size_t)n);
}

/* The type of a collection whose elements are read. */
static const struct type *collection_type(struct reader *r, const struct type *t, const struct value **v, size_t n)
{
    const struct type *element = value_element_type(t->element, v, n);
    if (element == t->element)
        return t;
    for (size_t i = 0; i < n; i++)
        v[i] = value_retype(r->arena, v[i], element);
    return type_collection(r->arena, t->kind, element);
}

static const struct value *read_sequence(struct reader *r, const struct type *t, const struct trail *trail)
{
    uint64_t n;
    bool is_list = t->kind == TYPE_LIST;
    if (!take_array(r, &n))
        return fail(r, trail, is_list ? "a list is required" : "a set is required");
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_INDEX}};
    for (size_t i = 0; i < n; i++) {
        inner.step.index = (int64_t)i;
        elements[i] = read_value(r, t->element, &inner);
        if (!elements[i])
            return NULL;
    }
    if (t->has_dynamic && !value_have_one_type(elements, n))
        return fail(r, trail, is_list ? "all list elements must have the same type" : "all set elements must have the same type");
    const struct type *own = collection_type(r, t, elements, n);
    if (!is_list)
        n = value_sort_set(r->arena, elements, n);
    return value_container(r->arena, own, elements, NULL, n);
}

static const struct value *read_map(struct reader *r, const struct type *t, const struct trail *trail)
{
    uint64_t n;
    if (!take_map(r, &n))
        return fail(r, trail, "a map is required");
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct str *keys = arena_make_n(r->arena, struct str, n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_KEY}};
    for (size_t i = 0; i < n; i++) {
        if (!take_str(r, &keys[i]))
            return fail(r, trail, "non-string key in map");
        if (!text_normalize(r->arena, keys[i], &keys[i]))
            return fail(r, trail, "a map key is not valid UTF-8");
        inner.step.name = keys[i];
        elements[i] = read_value(r, t->element, &inner);
        if (!elements[i])
            return NULL;
    }
    if (t->has_dynamic && !value_have_one_type(elements, n))
        return fail(r, trail, "all map elements must have the same type");
    const struct type *own = collection_type(r, t, elements, n);
    /* Senders usually sort the keys; then no sorting is needed. */
    return value_keys_ascend(keys, n) ? value_container(r->arena, own, elements, keys, n)
                                      : value_map(r->arena, own->element, keys, elements, n);
}

static const struct value *read_tuple(struct reader *r, const struct type *t, const struct trail *trail)
{
    uint64_t n;
    if (!take_array(r, &n))
        return fail(r, trail, "a tuple is required");
    if (n != t->n)
        return fail_count(r, trail, t, n);
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_INDEX}};
    for (size_t i = 0; i < n; i++) {
        inner.step.index = (int64_t)i;
        elements[i] = read_value(r, t->elements[i], &inner);
        if (!elements[i])
            return NULL;
    }
    return t->has_dynamic ? value_tuple(r->arena, elements, n) : value_container(r->arena, t->plain, elements, NULL, n);
}

/* Senders write attributes in order, so the next one is nearly always the expected one. */
static size_t find_attr(const struct type *t, struct str name, size_t expected)
{
    return str_eq(t->attrs[expected].name, name) ? expected : type_attr_find(t, name);
}

static const struct value *read_object(struct reader *r, const struct type *t, const struct trail *trail)
{
    uint64_t n;
    if (!take_map(r, &n))
        return fail(r, trail, "an object is required");
    if (n != t->n)
        return fail_count(r, trail, t, n);
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct trail inner = {.up = trail, .step = {.kind = PATH_ATTR}};
    for (size_t i = 0; i < n; i++) {
        if (!take_str(r, &inner.step.name))
            return fail(r, trail, "all keys must be strings");
        size_t at = find_attr(t, inner.step.name, i);
        if (at == SIZE_MAX)
            return fail(r, &inner, "unsupported attribute");
        if (elements[at])
            return fail(r, &inner, "this attribute is given twice");
        elements[at] = read_value(r, t->attrs[at].type, &inner);
        if (!elements[at])
            return NULL;
    }
    return t->has_dynamic ? value_object(r->arena, t, elements) : value_container(r->arena, t->plain, elements, NULL, n);
}

static const struct value *read_dynamic(struct reader *r, const struct trail *trail)
{
    uint64_t n;
    struct str type_text;
    if (*r->p == MP_NIL) {
        r->p++;
        return value_null(r->arena, &type_dynamic);
    }
    if (!take_array(r, &n) || n != 2)
        return fail(r, trail, "dynamic value array must have exactly two elements");
    if (!take_str(r, &type_text))
        return fail(r, trail, "the type of a dynamic value is missing");
    const struct type *t = type_parse(r->arena, type_text, r->diags);
    if (!t)
        return fail(r, trail, "the type of a dynamic value is invalid");
    return read_value(r, t, trail);
}

static const struct value *read_string(struct reader *r, const struct trail *trail)
{
    struct str text;
    if (!take_str(r, &text))
        return fail(r, trail, "string is required");
    const struct value *v = value_string(r->arena, text);
    /* Some providers return binary data (a PNG) as a string. Core accepts and stores it like this. */
    return v ? v : value_string(r->arena, text_mended(r->arena, text));
}

static const struct value *read_known(struct reader *r, const struct type *t, const struct trail *trail)
{
    switch (t->kind) {
    case TYPE_DYNAMIC:
        return read_dynamic(r, trail);
    case TYPE_STRING:
        return read_string(r, trail);
    case TYPE_NUMBER: {
        struct number n;
        return take_number(r, &n) ? value_number(r->arena, n) : fail(r, trail, "number is required");
    }
    case TYPE_BOOL: {
        bool b;
        return take_bool(r, &b) ? value_bool(r->arena, b) : fail(r, trail, "bool is required");
    }
    case TYPE_LIST:
    case TYPE_SET:
        return read_sequence(r, t, trail);
    case TYPE_MAP:
        return read_map(r, t, trail);
    case TYPE_TUPLE:
        return read_tuple(r, t, trail);
    case TYPE_OBJECT:
        return read_object(r, t, trail);
    }
    return NULL;
}

static const struct value *read_value(struct reader *r, const struct type *t, const struct trail *trail)
{
    if (left(r) == 0)
        return fail(r, trail, "the value is cut short");
    if (*r->p == MP_NIL && t->kind != TYPE_DYNAMIC) {
        r->p++;
        return value_null(r->arena, t);
    }
    if (is_ext(*r->p))
        return read_unknown(r, t, trail);
    if (r->depth == VALUE_MAX_DEPTH)
        return fail(r, trail, "the value is nested too deeply");
    if (arena_exhausted(r->arena))
        return fail(r, trail, "the value is too large");
    r->depth++;
    const struct value *v = read_known(r, t, trail);
    r->depth--;
    return v;
}

const struct value *msgpack_decode(struct arena *a, struct str bytes, const struct type *t, struct diags *diags)
{
    struct reader r = {.arena = a, .diags = diags, .p = (const uint8_t *)bytes.p, .end = (const uint8_t *)bytes.p + bytes.n};
    return read_value(&r, t, NULL);
}
