#include "base/buf.h"
#include "change/go_text_private.h"
#include "value/text.h"

#include <inttypes.h>

/* Go writes a number with an exponent from BIG_EXPONENT on, and below SMALL_EXPONENT. */
enum { BIG_EXPONENT = 6, SMALL_EXPONENT = -4 };

static void write_type(struct buf *out, const struct type *t);

static void write_object_type(struct buf *out, const struct type *t)
{
    if (t->n == 0) {
        buf_addz(out, "cty.EmptyObject");
        return;
    }
    buf_addz(out, "cty.Object(map[string]cty.Type{");
    for (size_t i = 0; i < t->n; i++) {
        if (i > 0)
            buf_addz(out, ", ");
        text_write_quoted(out, t->attrs[i].name);
        buf_addc(out, ':');
        write_type(out, t->attrs[i].type);
    }
    buf_addz(out, "})");
}

static void write_tuple_type(struct buf *out, const struct type *t)
{
    if (t->n == 0) {
        buf_addz(out, "cty.EmptyTuple");
        return;
    }
    buf_addz(out, "cty.Tuple([]cty.Type{");
    for (size_t i = 0; i < t->n; i++) {
        if (i > 0)
            buf_addz(out, ", ");
        write_type(out, t->elements[i]);
    }
    buf_addz(out, "})");
}

static const char *const type_names[] = {
    [TYPE_DYNAMIC] = "cty.DynamicPseudoType",
    [TYPE_STRING] = "cty.String",
    [TYPE_NUMBER] = "cty.Number",
    [TYPE_BOOL] = "cty.Bool",
    [TYPE_LIST] = "cty.List(",
    [TYPE_SET] = "cty.Set(",
    [TYPE_MAP] = "cty.Map(",
};

static void write_type(struct buf *out, const struct type *t)
{
    if (t->kind == TYPE_OBJECT) {
        write_object_type(out, t);
    } else if (t->kind == TYPE_TUPLE) {
        write_tuple_type(out, t);
    } else {
        buf_addz(out, type_names[t->kind]);
        if (type_is_collection(t)) {
            write_type(out, t->element);
            buf_addc(out, ')');
        }
    }
}

/* Significant digits and decimal exponent of a plain decimal: 0.0120 is "12" and -2. */
struct decimal {
    bool negative;
    struct str digits;
    int64_t exponent;
};

static struct decimal take_apart(struct arena *a, struct str text)
{
    struct decimal d = {0};
    if (text.n > 0 && text.p[0] == '-') {
        d.negative = true;
        text = str_slice(text, 1, text.n);
    }
    size_t point = str_find(text, '.', 0);
    if (point == SIZE_MAX)
        point = text.n;
    char *digits = arena_alloc(a, text.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (i == point)
            continue;
        if (n == 0 && text.p[i] == '0')
            continue;
        if (n == 0)
            d.exponent = i < point ? (int64_t)(point - i) - 1 : -(int64_t)(i - point);
        digits[n++] = text.p[i];
    }
    while (n > 0 && digits[n - 1] == '0')
        n--;
    d.digits = (struct str){digits, n};
    return d;
}

/* Like Go's shortest %g. */
static void write_short_number(struct buf *out, struct arena *a, struct str text)
{
    struct decimal d = take_apart(a, text);
    if (d.digits.n == 0 || (d.exponent >= SMALL_EXPONENT && d.exponent < BIG_EXPONENT)) {
        buf_add(out, text);
        return;
    }
    if (d.negative)
        buf_addc(out, '-');
    buf_addc(out, d.digits.p[0]);
    if (d.digits.n > 1) {
        buf_addc(out, '.');
        buf_add(out, str_slice(d.digits, 1, d.digits.n));
    }
    buf_printf(out, "e%c%02" PRId64, d.exponent < 0 ? '-' : '+', d.exponent < 0 ? -d.exponent : d.exponent);
}

static void write_number(struct buf *out, struct arena *a, struct number n)
{
    struct str text = number_text(a, n);
    double exact;
    if (number_is_infinite(n)) {
        buf_printf(out, "cty.NumberFloatVal(" STR_FMT, STR_ARG(text));
    } else if (number_is_integer(n)) {
        buf_addz(out, "cty.NumberIntVal(");
        write_short_number(out, a, text);
    } else if (number_to_double(n, &exact)) {
        buf_addz(out, "cty.NumberFloatVal(");
        write_short_number(out, a, text);
    } else {
        buf_addz(out, "cty.MustParseNumberVal(");
        text_write_quoted(out, text);
    }
    buf_addc(out, ')');
}

static void write_bound(struct buf *out, struct arena *a, const char *name, struct number n, bool inclusive)
{
    buf_printf(out, ".%s(", name);
    write_number(out, a, n);
    buf_printf(out, ", %s)", inclusive ? "true" : "false");
}

static bool only_not_null(const struct value *v)
{
    const struct value_refinement *r = v->refinement;
    return r->not_null && r->prefix.n == 0 && !r->has_min && !r->has_max && !r->has_min_length && !r->has_max_length;
}

static void write_unknown(struct buf *out, struct arena *a, const struct value *v)
{
    const struct value_refinement *r = v->refinement;
    if (v->type->kind == TYPE_DYNAMIC) {
        buf_addz(out, "cty.DynamicVal");
        return;
    }
    buf_addz(out, "cty.UnknownVal(");
    write_type(out, v->type);
    buf_addc(out, ')');
    if (!r)
        return;
    if (only_not_null(v)) {
        buf_addz(out, ".RefineNotNull()");
        return;
    }
    buf_addz(out, r->not_null ? ".Refine().NotNull()" : ".Refine()");
    if (r->prefix.n > 0) {
        buf_addz(out, ".StringPrefixFull(");
        text_write_quoted(out, r->prefix);
        buf_addc(out, ')');
    }
    if (r->has_min)
        write_bound(out, a, "NumberLowerBound", r->min, r->min_inclusive);
    if (r->has_max)
        write_bound(out, a, "NumberUpperBound", r->max, r->max_inclusive);
    if (r->has_min_length)
        buf_printf(out, ".CollectionLengthLowerBound(%" PRId64 ")", r->min_length);
    if (r->has_max_length)
        buf_printf(out, ".CollectionLengthUpperBound(%" PRId64 ")", r->max_length);
    buf_addz(out, ".NewValue()");
}

struct writer {
    struct buf *out;
    struct arena *arena;
};

static void write_value(struct writer *w, const struct value *v, const struct go_secrets *secrets);

/* The secrets of an element: in a collection the same attribute or block still applies. */
static struct go_secrets inside(const struct go_secrets *secrets, const struct value *v, size_t i)
{
    if (!secrets || v->type->kind != TYPE_OBJECT)
        return secrets ? *secrets : (struct go_secrets){0};
    struct scope s = secrets->block                           ? scope_of_block(secrets->block)
                     : secrets->attr && secrets->attr->nested ? scope_of_object(secrets->attr->nested)
                                                              : (struct scope){0};
    struct str name = v->type->attrs[i].name;
    const struct schema_attr *attr = scope_attr(s, name);
    const struct schema_nested_block *block = scope_block(s, name);
    if (!attr && !block && secrets->block)
        return *secrets; /* the key of a block when blocks are stored in an object */
    return (struct go_secrets){.attr = attr, .block = block ? block->block : NULL};
}

static void write_elements(struct writer *w, const struct value *v, const struct go_secrets *secrets, const char *open)
{
    bool keyed = v->type->kind == TYPE_MAP || v->type->kind == TYPE_OBJECT;
    buf_addz(w->out, open);
    buf_addz(w->out, keyed ? "(map[string]cty.Value{" : "([]cty.Value{");
    for (size_t i = 0; i < v->n && buf_ok(w->out); i++) {
        struct go_secrets inner = inside(secrets, v, i);
        if (i > 0)
            buf_addz(w->out, ", ");
        if (keyed) {
            text_write_quoted(w->out, element_key(v, i));
            buf_addc(w->out, ':');
        }
        write_value(w, v->elements[i], &inner);
    }
    buf_addz(w->out, "})");
}

static void write_empty(struct writer *w, const struct value *v, const char *open)
{
    buf_addz(w->out, open);
    write_type(w->out, v->type->element);
    buf_addc(w->out, ')');
}

static void write_known(struct writer *w, const struct value *v, const struct go_secrets *secrets)
{
    switch (v->type->kind) {
    case TYPE_DYNAMIC:
        break; /* never a known value */
    case TYPE_STRING:
        buf_addz(w->out, "cty.StringVal(");
        text_write_quoted(w->out, v->string);
        buf_addc(w->out, ')');
        break;
    case TYPE_NUMBER:
        write_number(w->out, w->arena, v->number);
        break;
    case TYPE_BOOL:
        buf_addz(w->out, v->boolean ? "cty.True" : "cty.False");
        break;
    case TYPE_LIST:
        v->n > 0 ? write_elements(w, v, secrets, "cty.ListVal") : write_empty(w, v, "cty.ListValEmpty(");
        break;
    case TYPE_SET:
        v->n > 0 ? write_elements(w, v, secrets, "cty.SetVal") : write_empty(w, v, "cty.SetValEmpty(");
        break;
    case TYPE_MAP:
        v->n > 0 ? write_elements(w, v, secrets, "cty.MapVal") : write_empty(w, v, "cty.MapValEmpty(");
        break;
    case TYPE_OBJECT:
        v->n > 0 ? write_elements(w, v, secrets, "cty.ObjectVal") : buf_addz(w->out, "cty.EmptyObjectVal");
        break;
    case TYPE_TUPLE:
        v->n > 0 ? write_elements(w, v, secrets, "cty.TupleVal") : buf_addz(w->out, "cty.EmptyTupleVal");
        break;
    }
}

static void write_value(struct writer *w, const struct value *v, const struct go_secrets *secrets)
{
    if (secrets && secrets->attr && secrets->attr->sensitive) {
        buf_addz(w->out, "(sensitive value)");
    } else if (v->state == VALUE_NULL) {
        buf_addz(w->out, "cty.NullVal(");
        write_type(w->out, v->type);
        buf_addc(w->out, ')');
    } else if (v->state == VALUE_UNKNOWN) {
        write_unknown(w->out, w->arena, v);
    } else {
        write_known(w, v, secrets);
    }
}

struct str go_text(struct arena *a, const struct value *v, const struct go_secrets *secrets)
{
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    write_value(&(struct writer){&out, a}, v, secrets);
    return buf_copy(&out, a);
}
