/* Test code: see testing_random.h. */
#include "value/testing_random.h"

#include "base/buf.h"

#include <math.h>

uint64_t random_next(struct random *r, uint64_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state % below;
}

static const struct type *collection_element(struct random *r, struct arena *a, int depth)
{
    /* With a DYNAMIC element type each element would have its own type. */
    struct random closed = *r;
    closed.dynamics = false;
    const struct type *t = random_type(&closed, a, depth);
    r->state = closed.state;
    return t;
}

static const struct type *random_object(struct random *r, struct arena *a, int depth)
{
    static const char *const names[] = {"a", "b", "id", "name", "tags", "\xc3\xa9"};
    struct type_attr attrs[6];
    size_t n = 0;
    for (size_t i = 0; i < 6; i++)
        if (random_next(r, 2) == 0)
            attrs[n++] = (struct type_attr){.name = str_of(names[i]), .type = random_type(r, a, depth - 1)};
    return type_object(a, attrs, n);
}

const struct type *random_type(struct random *r, struct arena *a, int depth)
{
    static const struct type *const primitives[] = {&type_string, &type_number, &type_bool};
    if (r->dynamics && random_next(r, 8) == 0)
        return &type_dynamic;
    if (depth <= 0)
        return primitives[random_next(r, 3)];
    switch (random_next(r, 9)) {
    case 0:
        return type_list(a, collection_element(r, a, depth - 1));
    case 1:
        return type_set(a, collection_element(r, a, depth - 1));
    case 2:
        return type_map(a, collection_element(r, a, depth - 1));
    case 3:
    case 4:
        return random_object(r, a, depth);
    case 5: {
        const struct type *elements[3];
        size_t n = random_next(r, 4);
        for (size_t i = 0; i < n; i++)
            elements[i] = random_type(r, a, depth - 1);
        return type_tuple(a, elements, n);
    }
    default:
        return primitives[random_next(r, 3)];
    }
}

static struct str random_text(struct random *r, struct arena *a)
{
    static const char *const pieces[] = {"a",  "Z",  "-",  "\xc3\xa9", "e\xcc\x81",        "\xe6\x97\xa5",
                                         "\"", "\\", "\n", "1",        "\xf0\x9f\xa4\xb7", " "};
    struct buf text BUF_AUTO = BUF_INIT(1 << 10);
    size_t n = random_next(r, 20) == 0 ? 200 : random_next(r, 6);
    for (size_t i = 0; i < n; i++)
        buf_addz(&text, pieces[random_next(r, 12)]);
    return buf_copy(&text, a);
}

static struct number random_number(struct random *r, struct arena *a)
{
    struct number n = {0};
    switch (random_next(r, r->infinities ? 6 : 5)) {
    case 0:
        return number_from_i64((int64_t)random_next(r, 300) - 150);
    case 1:
        (void)random_next(r, 2);
        return number_from_i64((int64_t)(r->state >> random_next(r, 60)));
    case 2:
        return number_from_u64(a, r->state);
    case 3:
        return number_from_double(a, (double)((int64_t)random_next(r, 1 << 20) - (1 << 19)) / (double)(1 + random_next(r, 100)));
    case 4: {
        struct str text =
            arena_printf(a, "%s%llu.%llue%d", random_next(r, 2) ? "-" : "", (unsigned long long)random_next(r, 1u << 30),
                         (unsigned long long)random_next(r, UINT64_C(1) << 60), (int)random_next(r, 60) - 30);
        (void)number_parse(a, text, &n);
        return n;
    }
    default:
        return number_from_double(a, random_next(r, 2) ? INFINITY : -INFINITY);
    }
}

static const struct value *random_unknown(struct random *r, struct arena *a, const struct type *t)
{
    struct str prefix = random_text(r, a);
    struct value_refinement refinement = {.not_null = random_next(r, 2),
                                          .prefix = prefix.n <= 256 ? prefix : STR_EMPTY, /* longer ones are cut by codecs */
                                          .has_min = random_next(r, 2),
                                          .min = number_from_i64((int64_t)random_next(r, 5)),
                                          .min_inclusive = random_next(r, 2),
                                          .has_max = random_next(r, 2),
                                          .max = number_from_i64(6 + (int64_t)random_next(r, 5)),
                                          .max_inclusive = random_next(r, 2),
                                          .has_min_length = random_next(r, 2),
                                          .min_length = (int64_t)random_next(r, 4),
                                          .has_max_length = random_next(r, 2),
                                          .max_length = 3 + (int64_t)random_next(r, 300)};
    return value_unknown_refined(a, t, &refinement);
}

static const struct value *random_container(struct random *r, struct arena *a, const struct type *t)
{
    enum { MOST = 40 };
    const struct value *v[MOST];
    struct str keys[MOST];
    size_t n = t->kind == TYPE_OBJECT || t->kind == TYPE_TUPLE ? t->n : random_next(r, 15) == 0 ? MOST : random_next(r, 5);
    for (size_t i = 0; i < n; i++) {
        v[i] = random_value(r, a,
                            t->kind == TYPE_OBJECT  ? t->attrs[i].type
                            : t->kind == TYPE_TUPLE ? t->elements[i]
                                                    : t->element);
        keys[i] = value_string(a, random_text(r, a))->string;
    }
    switch (t->kind) {
    case TYPE_LIST:
        return value_list(a, t->element, v, n);
    case TYPE_SET:
        return value_set(a, t->element, v, n);
    case TYPE_MAP:
        return value_map(a, t->element, keys, v, n);
    case TYPE_TUPLE:
        return value_tuple(a, v, n);
    default:
        return value_object(a, t, v);
    }
}

const struct value *random_value(struct random *r, struct arena *a, const struct type *t)
{
    if (random_next(r, 10) == 0)
        return value_null(a, t);
    if (r->unknowns && random_next(r, 8) == 0)
        return random_unknown(r, a, t);
    switch (t->kind) {
    case TYPE_DYNAMIC:
        return random_value(r, a, random_type(r, a, 1));
    case TYPE_STRING:
        return value_string(a, random_text(r, a));
    case TYPE_NUMBER:
        return value_number(a, random_number(r, a));
    case TYPE_BOOL:
        return value_bool(a, random_next(r, 2));
    default:
        return random_container(r, a, t);
    }
}
