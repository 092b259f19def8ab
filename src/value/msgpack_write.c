/*
 * Writing follows the type, not the value: where the type is DYNAMIC the value's own type is written too, even for a typed null
 * or unknown. Integers take the shortest form, floats always nine bytes, as Terraform's own encoder does, so equal values give
 * equal bytes.
 */
#include "value/msgpack.h"
#include "value/msgpack_code_private.h"
#include "value/text_private.h"
#include "value/value_private.h"

enum {
    MAX_PREFIX = 256, /* keeps the whole refinement below MSGPACK_MAX_REFINEMENT */
};

static void put(struct buf *out, unsigned code, uint64_t n, size_t bytes)
{
    char *room = buf_room(out, 1 + bytes);
    if (!room)
        return;
    room[0] = (char)code;
    for (size_t i = 0; i < bytes; i++)
        room[bytes - i] = (char)(n >> (8 * i));
    buf_grew(out, 1 + bytes);
}

static void put_int(struct buf *out, int64_t i)
{
    if (i >= 0) {
        if (i <= MP_FIXINT_MAX)
            put(out, (unsigned)i, 0, 0);
        else if (i <= UINT8_MAX)
            put(out, MP_UINT8, (uint64_t)i, 1);
        else if (i <= UINT16_MAX)
            put(out, MP_UINT16, (uint64_t)i, 2);
        else if (i <= UINT32_MAX)
            put(out, MP_UINT32, (uint64_t)i, 4);
        else
            put(out, MP_UINT64, (uint64_t)i, 8);
        return;
    }
    if (i >= -32)
        put(out, (uint8_t)i, 0, 0);
    else if (i >= INT8_MIN)
        put(out, MP_INT8, (uint64_t)i, 1);
    else if (i >= INT16_MIN)
        put(out, MP_INT16, (uint64_t)i, 2);
    else if (i >= INT32_MIN)
        put(out, MP_INT32, (uint64_t)i, 4);
    else
        put(out, MP_INT64, (uint64_t)i, 8);
}

static void put_double(struct buf *out, double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    put(out, MP_FLOAT64, bits, 8);
}

/* A length, in the short form when it is at most `short_max`. */
static void put_length(struct buf *out, size_t n, unsigned fix, size_t short_max, unsigned code16)
{
    if (n <= short_max)
        put(out, fix | (unsigned)n, 0, 0);
    else if (n <= UINT16_MAX)
        put(out, code16, n, 2);
    else
        put(out, code16 + 1, n, 4);
}

static void put_array(struct buf *out, size_t n)
{
    put_length(out, n, MP_FIXARRAY, 15, MP_ARRAY16);
}

static void put_map(struct buf *out, size_t n)
{
    put_length(out, n, MP_FIXMAP, 15, MP_MAP16);
}

static void put_str(struct buf *out, struct str s)
{
    if (s.n > 31 && s.n <= UINT8_MAX)
        put(out, MP_STR8, s.n, 1);
    else
        put_length(out, s.n, MP_FIXSTR, 31, MP_STR16);
    buf_add(out, s);
}

static void put_bin(struct buf *out, struct str s)
{
    if (s.n <= UINT8_MAX)
        put(out, MP_BIN8, s.n, 1);
    else
        put(out, s.n <= UINT16_MAX ? MP_BIN16 : MP_BIN32, s.n, s.n <= UINT16_MAX ? 2 : 4);
    buf_add(out, s);
}

static void put_number(struct buf *out, struct number n)
{
    int64_t i;
    double d;
    if (number_to_i64(n, &i)) {
        put_int(out, i);
    } else if ((!number_is_integer(n) || number_is_infinite(n)) && number_to_double(n, &d)) {
        put_double(out, d);
    } else {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        put_str(out, number_text(scratch, n));
    }
}

static void put_number_bound(struct buf *out, enum refinement_key key, struct number bound, bool inclusive)
{
    put_int(out, key);
    put_array(out, 2);
    put_number(out, bound);
    put(out, inclusive ? MP_TRUE : MP_FALSE, 0, 0);
}

static void put_prefix(struct buf *out, struct str prefix)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    if (prefix.n > MAX_PREFIX)
        prefix = text_safe_prefix(scratch, str_slice(prefix, 0, MAX_PREFIX - 1));
    put_int(out, REFINE_PREFIX);
    put_str(out, prefix);
}

/* Returns how many entries were written. */
static size_t put_refinement(struct buf *out, const struct value_refinement *r)
{
    size_t n = 0;
    if (r->not_null) {
        put_int(out, REFINE_NULLNESS);
        put(out, MP_FALSE, 0, 0);
        n++;
    }
    if (r->prefix.n > 0) {
        put_prefix(out, r->prefix);
        n++;
    }
    if (r->has_min) {
        put_number_bound(out, REFINE_MIN, r->min, r->min_inclusive);
        n++;
    }
    if (r->has_max) {
        put_number_bound(out, REFINE_MAX, r->max, r->max_inclusive);
        n++;
    }
    if (r->has_min_length) {
        put_int(out, REFINE_MIN_LENGTH);
        put_int(out, r->min_length);
        n++;
    }
    if (r->has_max_length) {
        put_int(out, REFINE_MAX_LENGTH);
        put_int(out, r->max_length);
        n++;
    }
    return n;
}

static void put_ext_header(struct buf *out, size_t n)
{
    if (n == 1 || n == 2 || n == 4 || n == 8 || n == 16)
        put(out, MP_FIXEXT1 + (unsigned)__builtin_ctzl(n), 0, 0);
    else if (n <= UINT8_MAX)
        put(out, MP_EXT8, n, 1);
    else
        put(out, MP_EXT16, n, 2);
    buf_addc(out, MP_EXT_REFINED);
}

static void put_unknown(struct buf *out, const struct value *v)
{
    struct buf entries BUF_AUTO = BUF_INIT(MSGPACK_MAX_REFINEMENT - 1);
    size_t n = v->refinement ? put_refinement(&entries, v->refinement) : 0;
    /* A refinement that the receiver would refuse because of its length is left out: an unknown without a refinement is always
     * correct. */
    if (n == 0 || !buf_ok(&entries)) {
        buf_add(out, STR("\xd4\x00\x00"));
        return;
    }
    put_ext_header(out, 1 + entries.n);
    put_map(out, n);
    buf_add(out, buf_str(&entries));
}

static bool encode(struct buf *out, const struct value *v, const struct type *t, const struct trail *trail, struct diags *diags);

static bool encode_dynamic(struct buf *out, const struct value *v, const struct trail *trail, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    put_array(out, 2);
    put_bin(out, type_to_json(scratch, v->type));
    return encode(out, v, v->type, trail, diags);
}

static bool encode_elements(struct buf *out, const struct value *v, const struct type *t, const struct trail *trail,
                            struct diags *diags)
{
    struct trail inner = {.up = trail, .step = {.kind = v->type->kind == TYPE_SET ? PATH_ELEMENT : PATH_INDEX}};
    put_array(out, v->n);
    for (size_t i = 0; i < v->n; i++) {
        inner.step.index = v->type->kind == TYPE_SET ? 0 : (int64_t)i;
        inner.step.element = v->type->kind == TYPE_SET ? v->elements[i] : NULL;
        if (!encode(out, v->elements[i], t->kind == TYPE_TUPLE ? t->elements[i] : t->element, &inner, diags))
            return false;
    }
    return true;
}

static bool encode_map(struct buf *out, const struct value *v, const struct type *t, const struct trail *trail,
                       struct diags *diags)
{
    struct trail inner = {.up = trail, .step = {.kind = PATH_KEY}};
    put_map(out, v->n);
    for (size_t i = 0; i < v->n; i++) {
        inner.step.name = v->keys[i];
        put_str(out, v->keys[i]);
        if (!encode(out, v->elements[i], t->element, &inner, diags))
            return false;
    }
    return true;
}

static bool encode_object(struct buf *out, const struct value *v, const struct type *t, const struct trail *trail,
                          struct diags *diags)
{
    struct trail inner = {.up = trail, .step = {.kind = PATH_ATTR}};
    put_map(out, v->n);
    for (size_t i = 0; i < v->n; i++) {
        inner.step.name = t->attrs[i].name;
        put_str(out, t->attrs[i].name);
        if (!encode(out, v->elements[i], t->attrs[i].type, &inner, diags))
            return false;
    }
    return true;
}

/* The kind, the number of parts and their names; the parts are checked when they are written. */
static bool same_shape(const struct value *v, const struct type *t)
{
    if (v->type == t)
        return true;
    if (v->type->kind != t->kind || (v->type->n != t->n))
        return false;
    for (size_t i = 0; t->kind == TYPE_OBJECT && i < t->n; i++)
        if (!str_eq(v->type->attrs[i].name, t->attrs[i].name))
            return false;
    return true;
}

static bool conforms(const struct value *v, const struct type *t)
{
    return v->state == VALUE_KNOWN ? same_shape(v, t) : v->type == t || type_conforms(v->type, t);
}

static bool encode(struct buf *out, const struct value *v, const struct type *t, const struct trail *trail, struct diags *diags)
{
    if (t->kind == TYPE_DYNAMIC && v->type->kind != TYPE_DYNAMIC)
        return encode_dynamic(out, v, trail, diags);
    if (!conforms(v, t))
        return value_fail(diags, trail_path(diags->arena, PATH_ROOT, trail), "Value of the wrong type",
                          STR_FMT " required, but have " STR_FMT, STR_ARG(type_friendly(diags->arena, t)),
                          STR_ARG(type_friendly(diags->arena, v->type))) != NULL;
    if (v->state == VALUE_UNKNOWN) {
        put_unknown(out, v);
        return true;
    }
    if (v->state == VALUE_NULL) {
        put(out, MP_NIL, 0, 0);
        return true;
    }
    switch (t->kind) {
    case TYPE_STRING:
        put_str(out, v->string);
        return true;
    case TYPE_NUMBER:
        put_number(out, v->number);
        return true;
    case TYPE_BOOL:
        put(out, v->boolean ? MP_TRUE : MP_FALSE, 0, 0);
        return true;
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_TUPLE:
        return encode_elements(out, v, t, trail, diags);
    case TYPE_MAP:
        return encode_map(out, v, t, trail, diags);
    case TYPE_OBJECT:
        return encode_object(out, v, t, trail, diags);
    case TYPE_DYNAMIC:
        break; /* no such value is known */
    }
    return true;
}

bool msgpack_encode(struct buf *out, const struct value *v, const struct type *t, struct diags *diags)
{
    if (!encode(out, v, t, NULL, diags))
        return false;
    return buf_ok(out) || diags_fail(diags, "Value too large", "Its encoding is larger than %zu bytes.", out->max);
}
