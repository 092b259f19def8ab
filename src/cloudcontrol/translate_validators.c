/*
 * What a schema says about values, as validators in their order (reference 1.6).
 */
#include "cloudcontrol/regex.h"
#include "cloudcontrol/translate_private.h"

/* Size or range, unique or pattern, elements or values, not null: no node has more. */
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

static void add_values(struct list *l, const struct json *values)
{
    if (values && values->array.n > 0)
        add(l, CC_V_ONE_OF)->values = values;
}

/* A pattern that RE2 refuses is none. */
static void add_pattern(struct translating *t, struct list *l, struct str pattern)
{
    const char *why;
    if (pattern.n == 0)
        return;
    if (cc_regex_check(pattern, &why))
        add(l, CC_V_REGEX)->pattern = pattern;
    else
        tr_note(t, CC_NOTE_IGNORED, "pattern " STR_FMT ": %s", STR_ARG(pattern), why);
}

static void add_primitive(struct translating *t, struct list *l, enum cc_kind kind, const struct cfn_property *p)
{
    switch (kind) {
    case CC_INT64:
        add_range(t, l, p->minimum, p->maximum);
        add_values(l, p->values);
        break;
    case CC_FLOAT64:
        add_range(t, l, p->minimum, p->maximum);
        if (p->values)
            tr_refuse(t, "number with enum");
        break;
    case CC_STRING:
        add_sizes(l, CC_V_LENGTH_AT_LEAST, p->min_length, p->max_length);
        add_pattern(t, l, p->pattern);
        add_values(l, p->values);
        break;
    default:
        break;
    }
}

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
    if (inner.n == 0)
        return;
    if (element->kind == CC_FLOAT64) {
        tr_refuse(t, "number");
        return;
    }
    struct cc_validator *v = add(l, element->kind == CC_STRING ? CC_V_STRINGS : CC_V_INT64S);
    v->elements = keep(t, &inner);
    v->n_elements = inner.n;
}

void tr_validators(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool not_null)
{
    struct list l = {.n = 0};
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
