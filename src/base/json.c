/*
 * Looking up values in JSON trees, building trees and comparing them.
 */
#include "base/ascii.h"
#include "base/json_build.h"

const struct json *json_get_str(const struct json *object, struct str key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    if (object->object.index)
        return map_get(object->object.index, key);
    for (size_t i = 0; i < object->object.n; i++)
        if (str_eq(object->object.members[i].key, key))
            return object->object.members[i].value;
    return NULL;
}

const struct json *json_get(const struct json *object, const char *key)
{
    return json_get_str(object, str_of(key));
}

struct str json_text(const struct json *j, struct str fallback)
{
    return j && (j->kind == JSON_STRING || j->kind == JSON_NUMBER) ? j->text : fallback;
}

bool json_bool(const struct json *j, bool fallback)
{
    return j && j->kind == JSON_BOOL ? j->boolean : fallback;
}

int64_t json_int(const struct json *j, int64_t fallback)
{
    int64_t value;
    return j && j->kind == JSON_NUMBER && str_to_i64(j->text, &value) ? value : fallback;
}

static const struct json_member *member_at(const struct json *j, const struct path_step *step)
{
    if (j->kind != JSON_OBJECT || (step->kind != PATH_ATTR && step->kind != PATH_KEY))
        return NULL;
    for (size_t i = 0; i < j->object.n; i++)
        if (str_eq(j->object.members[i].key, step->name))
            return &j->object.members[i];
    return NULL;
}

static const struct json *item_at(const struct json *j, const struct path_step *step)
{
    bool inside = j->kind == JSON_ARRAY && step->kind == PATH_INDEX && step->index >= 0 && (uint64_t)step->index < j->array.n;
    return inside ? j->array.items[step->index] : NULL;
}

struct json_found json_find(const struct json *root, struct path path)
{
    struct json_found f = {root, root->line, root->column, 0};
    for (; f.steps < path.n; f.steps++) {
        const struct json_member *m = member_at(f.value, &path.steps[f.steps]);
        const struct json *item = m ? m->value : item_at(f.value, &path.steps[f.steps]);
        if (!item)
            break;
        f.value = item;
        f.line = m ? m->line : item->line;
        f.column = m ? m->column : item->column;
    }
    return f;
}

/* Making */

static struct json *make(struct arena *a, enum json_kind kind)
{
    struct json *j = arena_make(a, struct json);
    j->kind = kind;
    return j;
}

static const struct json *make_text(struct arena *a, enum json_kind kind, struct str text)
{
    struct json *j = make(a, kind);
    j->text = arena_str(a, text);
    return j;
}

const struct json *json_make_string(struct arena *a, struct str s)
{
    return make_text(a, JSON_STRING, s);
}

const struct json *json_make_number(struct arena *a, struct str text)
{
    return make_text(a, JSON_NUMBER, text);
}

const struct json *json_make_bool(struct arena *a, bool b)
{
    struct json *j = make(a, JSON_BOOL);
    j->boolean = b;
    return j;
}

const struct json *json_make_null(struct arena *a)
{
    return make(a, JSON_NULL);
}

const struct json *json_make_array(struct arena *a, const struct json *const *items, size_t n)
{
    struct json *j = make(a, JSON_ARRAY);
    const struct json **copy = arena_make_n(a, const struct json *, n);
    if (n > 0)
        memcpy(copy, items, n * sizeof(const struct json *));
    j->array.items = copy;
    j->array.n = n;
    return j;
}

const struct json *json_make_object(struct arena *a, const struct json_member *members, size_t n)
{
    struct json *j = make(a, JSON_OBJECT);
    struct json_member *copy = arena_make_n(a, struct json_member, n);
    for (size_t i = 0; i < n; i++) {
        copy[i] = members[i];
        copy[i].key = arena_str(a, members[i].key);
    }
    j->object.members = copy;
    j->object.n = n;
    j->object.index = json_make_index(a, copy, n);
    return j;
}

/* Comparing */

/* The parts of a number's text: value = 0.DIGITS * 10^(exponent + point), with no zeros at either end of DIGITS. */
struct decimal {
    bool negative;
    struct str digits; /* may contain a '.' */
    size_t n;          /* how many digits, 0 for zero */
    int64_t point;
    bool exponent_negative;
    struct str exponent; /* digits as written */
};

static void take_exponent(struct decimal *d, struct str text)
{
    d->exponent_negative = text.n > 0 && text.p[0] == '-';
    if (text.n > 0 && !is_digit(text.p[0]))
        text = str_slice(text, 1, text.n);
    d->exponent = text;
}

static struct decimal take_apart(struct str text)
{
    struct decimal d = {.negative = text.n > 0 && text.p[0] == '-', .exponent = STR_EMPTY};
    size_t end = 0, dot = SIZE_MAX, first = SIZE_MAX, last = 0;
    for (; end < text.n && text.p[end] != 'e' && text.p[end] != 'E'; end++) {
        if (text.p[end] == '.')
            dot = end;
        if (text.p[end] < '1' || text.p[end] > '9')
            continue;
        if (first == SIZE_MAX)
            first = end;
        last = end;
    }
    if (first == SIZE_MAX)
        return (struct decimal){.digits = STR_EMPTY, .exponent = STR_EMPTY}; /* zero has no sign */
    if (end < text.n)
        take_exponent(&d, str_slice(text, end + 1, text.n));
    if (dot == SIZE_MAX)
        dot = end;
    bool dot_inside = first < dot && dot < last;
    d.digits = str_slice(text, first, last + 1);
    d.n = d.digits.n - dot_inside;
    /* Number of digits between the first digit and the point; the point itself does not count. */
    d.point = first < dot ? (int64_t)(dot - first) : -(int64_t)(first - dot - 1);
    return d;
}

static bool same_digits(const struct decimal *a, const struct decimal *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0, j = 0; i < a->digits.n && j < b->digits.n; i++, j++) {
        i += a->digits.p[i] == '.';
        j += b->digits.p[j] == '.';
        if (a->digits.p[i] != b->digits.p[j])
            return false;
    }
    return true;
}

/*
 * True when exponent a minus exponent b equals `difference`. Exponents may have any number of digits: the subtraction starts at
 * the most significant digit and stops when the result can only grow, far beyond the length of any text.
 */
static bool exponents_differ_by(const struct decimal *a, const struct decimal *b, int64_t difference)
{
    const int64_t enough = INT64_MAX / 100;
    size_t places = a->exponent.n > b->exponent.n ? a->exponent.n : b->exponent.n;
    int64_t sum = 0;
    for (size_t left = places; left > 0; left--) {
        int digit_a = left <= a->exponent.n ? a->exponent.p[a->exponent.n - left] - '0' : 0;
        int digit_b = left <= b->exponent.n ? b->exponent.p[b->exponent.n - left] - '0' : 0;
        sum = sum * 10 + (a->exponent_negative ? -digit_a : digit_a) - (b->exponent_negative ? -digit_b : digit_b);
        if (sum > enough || sum < -enough)
            return false;
    }
    return sum == difference;
}

static bool number_eq(struct str a, struct str b)
{
    if (str_eq(a, b))
        return true;
    struct decimal x = take_apart(a), y = take_apart(b);
    if (x.n == 0 || y.n == 0)
        return x.n == y.n;
    return x.negative == y.negative && same_digits(&x, &y) && exponents_differ_by(&x, &y, y.point - x.point);
}

static bool array_eq(const struct json *a, const struct json *b)
{
    if (a->array.n != b->array.n)
        return false;
    for (size_t i = 0; i < a->array.n; i++)
        if (!json_eq(a->array.items[i], b->array.items[i]))
            return false;
    return true;
}

static bool object_eq(const struct json *a, const struct json *b)
{
    if (a->object.n != b->object.n)
        return false;
    for (size_t i = 0; i < a->object.n; i++) {
        const struct json_member *member = &a->object.members[i];
        /* Usually the order is the same too, and no search is needed. */
        const struct json_member *same_place = &b->object.members[i];
        const struct json *other = str_eq(member->key, same_place->key) ? same_place->value : json_get_str(b, member->key);
        if (!other || !json_eq(member->value, other))
            return false;
    }
    return true;
}

bool json_eq(const struct json *a, const struct json *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->boolean == b->boolean;
    case JSON_NUMBER:
        return number_eq(a->text, b->text);
    case JSON_STRING:
        return str_eq(a->text, b->text);
    case JSON_ARRAY:
        return array_eq(a, b);
    case JSON_OBJECT:
        return object_eq(a, b);
    }
    return false;
}
