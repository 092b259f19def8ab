/*
 * Converts a schema's rules about values to validators, in order (docs/awscc-rules.md 1.6).
 */
#include "cfn/regex.h"
#include "translate/translate_private.h"

#include <math.h>
#include <stdlib.h>

/* At most one each of: size or range; unique or pattern; elements or values; not null. */
enum { MAX_VALIDATORS = 4 };

struct list {
    struct cc_validator v[MAX_VALIDATORS];
    size_t n;
};

static struct cc_validator *add(struct list *l, enum cc_validator_kind kind)
{
    l->v[l->n] = (struct cc_validator){.kind = kind, .pattern = STR_EMPTY};
    return &l->v[l->n++];
}

/* `first` is the kind for a lower bound; those for an upper one and for both follow it. */
static void add_sizes(struct list *l, enum cc_validator_kind first, int64_t min, int64_t max)
{
    if (min < 0 && max < 0)
        return;
    struct cc_validator *v = add(l, min >= 0 && max >= 0 ? first + 2 : min >= 0 ? first : first + 1);
    v->min_size = min;
    v->max_size = max;
}

/* Bounds that no string can satisfy are ignored. */
static void add_lengths(struct translating *t, struct list *l, int64_t min, int64_t max)
{
    if (max >= 0 && min > max)
        tr_note(t, CC_NOTE_IGNORED, "minLength is more than maxLength");
    else
        add_sizes(l, CC_V_LENGTH_AT_LEAST, min, max);
}

static void add_range(struct translating *t, struct list *l, const struct json *min, const struct json *max)
{
    struct number low = {0}, high = {0};
    bool has_min = min && number_parse(t->arena, min->text, &low), has_max = max && number_parse(t->arena, max->text, &high);
    if (!has_min && !has_max)
        return;
    struct cc_validator *v = add(l, has_min && has_max ? CC_V_BETWEEN : has_min ? CC_V_AT_LEAST : CC_V_AT_MOST);
    v->min = low;
    v->max = high;
}

static bool has_values(const struct cfn_property *p)
{
    return p->values && p->values->array.n > 0;
}

static bool values_are(const struct json *values, enum json_kind kind)
{
    for (size_t i = 0; i < values->array.n; i++)
        if (values->array.items[i]->kind != kind)
            return false;
    return true;
}

/* A value of another type can never be configured, so a list that contains one is ignored. */
static void add_values(struct translating *t, struct list *l, const struct cfn_property *p, enum json_kind kind)
{
    if (!has_values(p))
        return;
    if (values_are(p->values, kind))
        add(l, CC_V_ONE_OF)->values = p->values;
    else
        tr_note(t, CC_NOTE_IGNORED, "enum: a value has a different type than the property");
}

/* A pattern that RE2 rejects is ignored. */
static void add_pattern(struct translating *t, struct list *l, struct str pattern)
{
    const char *why;
    if (pattern.n == 0)
        return;
    bool known = map_get(&t->patterns, pattern) != NULL;
    if (!known && !cfn_regex_check(pattern, &why)) {
        tr_note(t, CC_NOTE_IGNORED, "pattern " STR_FMT ": %s", STR_ARG(pattern), why);
        return;
    }
    if (!known)
        map_put(&t->patterns, pattern, t);
    add(l, CC_V_REGEX)->pattern = pattern;
}

static void add_primitive(struct translating *t, struct list *l, enum cc_kind kind, const struct cfn_property *p)
{
    switch (kind) {
    case CC_INT64:
        add_range(t, l, p->minimum, p->maximum);
        add_values(t, l, p, JSON_NUMBER);
        break;
    case CC_FLOAT64:
        add_range(t, l, p->minimum, p->maximum);
        break;
    case CC_STRING:
        add_lengths(t, l, p->min_length, p->max_length);
        add_pattern(t, l, p->pattern);
        add_values(t, l, p, JSON_STRING);
        break;
    default:
        break;
    }
}

/* --- what makes awscc's generator fail, even on attributes without validators --- */

static bool values_repeat(const struct json *values)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct map seen;
    map_init(&seen, scratch);
    for (size_t i = 0; i < values->array.n; i++)
        if (!map_add(&seen, values->array.items[i]->text, (void *)values))
            return true;
    return false;
}

static void check_values(struct translating *t, const struct cfn_property *p, enum json_kind kind)
{
    if (has_values(p) && (!values_are(p->values, kind) || values_repeat(p->values)))
        tr_refuse(t, "enum");
}

/* Only digits, as Go parses integers. */
static bool is_int64(const struct json *bound)
{
    int64_t i;
    return !bound || str_to_i64(bound->text, &i);
}

static bool is_finite(const struct json *bound)
{
    return !bound || isfinite(strtod(bound->text.p, NULL));
}

static void check_primitive(struct translating *t, enum cc_kind kind, const struct cfn_property *p)
{
    if (kind == CC_INT64) {
        if (!is_int64(p->minimum) || !is_int64(p->maximum))
            tr_refuse(t, "integer bound");
        if (p->format.n > 0 && !str_eqz(p->format, "int64"))
            tr_refuse(t, "integer format");
        check_values(t, p, JSON_NUMBER);
    } else if (kind == CC_FLOAT64) {
        if (!is_finite(p->minimum) || !is_finite(p->maximum))
            tr_refuse(t, "number bound");
        if (p->format.n > 0 && !str_eqz(p->format, "double"))
            tr_refuse(t, "number format");
        if (has_values(p))
            tr_refuse(t, "number with enum");
    } else if (kind == CC_STRING) {
        if (p->max_length >= 0 && p->min_length > p->max_length)
            tr_refuse(t, "length");
        check_values(t, p, JSON_STRING);
    }
}

static void check_elements(struct translating *t, const struct cc_node *element)
{
    struct cfn_property items;
    if (!element->source || element->text == CC_TEXT_JSON)
        return;
    cfn_property_read(element->source, &items);
    check_primitive(t, element->kind, &items);
    if (element->kind == CC_FLOAT64 && (items.minimum || items.maximum))
        tr_refuse(t, "number");
}

static void check_strictly(struct translating *t, const struct cc_node *node, const struct cfn_property *p)
{
    if (t->mode != CFN_MODE_STRICT || node->text == CC_TEXT_JSON)
        return;
    check_primitive(t, node->kind, p);
    if (node->kind == CC_LIST || node->kind == CC_SET)
        check_elements(t, node->element);
}

/* --- all of one attribute --- */

static const struct cc_validator *keep(struct translating *t, const struct list *l)
{
    if (l->n == 0)
        return NULL;
    struct cc_validator *v = arena_make_n(t->arena, struct cc_validator, l->n);
    memcpy(v, l->v, l->n * sizeof v[0]);
    return v;
}

static void add_elements(struct translating *t, struct list *l, const struct cc_node *element)
{
    struct list inner = {.n = 0};
    struct cfn_property items;
    if (!element->source || element->cut || element->text == CC_TEXT_JSON)
        return;
    cfn_property_read(element->source, &items);
    add_primitive(t, &inner, element->kind, &items);
    if (inner.n == 0 || element->kind == CC_FLOAT64)
        return;
    struct cc_validator *v = add(l, element->kind == CC_STRING ? CC_V_STRINGS : CC_V_INT64S);
    v->elements = keep(t, &inner);
    v->n_elements = inner.n;
}

void tr_validators(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool not_null)
{
    struct list l = {.n = 0};
    if (t->failed)
        return;
    check_strictly(t, node, p);
    if (t->failed || node->cut || (node->computed && !node->optional))
        return;
    if (node->kind == CC_LIST || node->kind == CC_SET) {
        add_sizes(&l, CC_V_SIZE_AT_LEAST, p->min_items, p->max_items);
        if (node->order == CC_ORDERED_UNIQUE)
            (void)add(&l, CC_V_UNIQUE);
        add_elements(t, &l, node->element);
    } else if (node->text != CC_TEXT_JSON) {
        add_primitive(t, &l, node->kind, p);
    }
    if (not_null)
        (void)add(&l, CC_V_NOT_NULL);
    node->validators = keep(t, &l);
    node->n_validators = l.n;
}
