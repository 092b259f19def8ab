#include "scheduler/alike.h"

static enum alike later(enum alike a, enum alike b)
{
    return a > b ? a : b;
}

static bool is_document(struct str text)
{
    text = str_trim(text);
    return text.n > 0 && (text.p[0] == '{' || text.p[0] == '[');
}

/* Clouds change names to lower case and reformat documents: such differences are only doubts. */
static enum alike texts(struct str wanted, struct str shown)
{
    if (str_eq(wanted, shown))
        return ALIKE_SAME;
    bool doubt = str_eq_nocase(str_trim(wanted), str_trim(shown)) || (is_document(wanted) && is_document(shown));
    return doubt ? ALIKE_UNSURE : ALIKE_OTHER;
}

/* The recursion is bounded: values are no deeper than their types, whose depth is limited when they are read. */
static enum alike in_order(const struct value *wanted, const struct value *shown)
{
    enum alike all = wanted->n == shown->n ? ALIKE_SAME : ALIKE_OTHER;
    for (size_t i = 0; i < wanted->n && all != ALIKE_OTHER; i++)
        all = later(all, alike(wanted->elements[i], shown->elements[i]));
    return all;
}

static enum alike by_name(const struct value *wanted, const struct value *shown)
{
    enum alike all = ALIKE_SAME;
    for (size_t i = 0; i < wanted->n && all != ALIKE_OTHER; i++) {
        bool map = wanted->type->kind == TYPE_MAP;
        const struct value *other = value_get(shown, map ? wanted->keys[i] : wanted->type->attrs[i].name);
        if (other)
            all = later(all, alike(wanted->elements[i], other));
        else if (!value_is_null(wanted->elements[i]))
            all = ALIKE_OTHER;
    }
    return all;
}

/* Elements of a set have no position: each is compared with the one that is most like it. */
static enum alike in_any_order(const struct value *wanted, const struct value *shown)
{
    enum alike all = wanted->n == shown->n ? ALIKE_SAME : ALIKE_OTHER;
    for (size_t i = 0; i < wanted->n && all != ALIKE_OTHER; i++) {
        enum alike best = ALIKE_OTHER;
        for (size_t k = 0; k < shown->n && best != ALIKE_SAME; k++) {
            enum alike one = alike(wanted->elements[i], shown->elements[k]);
            best = one < best ? one : best;
        }
        all = later(all, best);
    }
    return all;
}

static bool is_empty(const struct value *v)
{
    return (v->type->kind == TYPE_LIST || v->type->kind == TYPE_SET || v->type->kind == TYPE_MAP) && v->n == 0;
}

enum alike alike(const struct value *wanted, const struct value *shown)
{
    if (wanted->state != VALUE_KNOWN)
        return ALIKE_SAME;
    if (shown->state != VALUE_KNOWN)
        return is_empty(wanted) ? ALIKE_SAME : ALIKE_UNSURE;
    if (wanted->type->kind != shown->type->kind)
        return ALIKE_UNSURE;
    switch (wanted->type->kind) {
    case TYPE_STRING:
        return texts(wanted->string, shown->string);
    case TYPE_LIST:
    case TYPE_TUPLE:
        return in_order(wanted, shown);
    case TYPE_SET:
        return in_any_order(wanted, shown);
    case TYPE_MAP:
    case TYPE_OBJECT:
        return by_name(wanted, shown);
    default:
        return value_equals(wanted, shown) == TRI_TRUE ? ALIKE_SAME : ALIKE_OTHER;
    }
}
