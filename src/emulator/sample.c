#include "emulator/sample.h"

#include "base/vec.h"

typedef VEC(struct json_member) member_list;

static const struct json *sample(const struct emulator_sampler *s, const struct json *subschema, struct str name, int depth);

static uint64_t seed_of(const struct emulator_sampler *s, struct str name)
{
    return str_hash(name, s->seed);
}

/* --- texts --- */

static bool names_an_arn(struct str name)
{
    return str_ends(name, STR("Arn")) || str_ends(name, STR("ARN")) || str_ends(name, STR("Arns"));
}

/* arn:aws:logs:us-east-1:123456789012:log-group/0123456789abcdef0 */
static struct str make_arn(const struct emulator_sampler *s, struct str name)
{
    return arena_printf(s->arena, "arn:aws:" STR_FMT ":" STR_FMT ":" STR_FMT ":" STR_FMT "/%017llx",
                        STR_ARG(arena_lower(s->arena, s->schema->name.service)), STR_ARG(s->region), STR_ARG(s->account),
                        STR_ARG(arena_lower(s->arena, s->schema->name.resource)), (unsigned long long)seed_of(s, name) >> 1);
}

static struct str make_word(const struct emulator_sampler *s, struct str name, size_t min, size_t max)
{
    struct str word = arena_printf(s->arena, STR_FMT "-%08x", STR_ARG(arena_lower(s->arena, name)), (unsigned)seed_of(s, name));
    if (max > 0 && word.n > max) /* the end is what makes it unique */
        word = str_slice(word, word.n - max, word.n);
    struct buf longer BUF_AUTO = BUF_INIT((size_t)EMULATOR_SAMPLE_TEXT * 2);
    buf_add(&longer, word);
    while (longer.n < min && longer.n < EMULATOR_SAMPLE_TEXT)
        buf_addc(&longer, 'x');
    return buf_copy(&longer, s->arena);
}

/* The first of several proposals that fits, else a string made from the pattern; `otherwise` if the pattern is unusable. */
static struct str patterned_text(const struct emulator_sampler *s, struct str pattern, const struct str *proposals, size_t n,
                                 struct str otherwise, size_t min, size_t max, uint64_t seed)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct cfn_pattern *tree =
        pattern.n > 0 && emulator_sample_spend(s->left, pattern.n) ? cfn_pattern_parse(scratch, pattern, NULL) : NULL;
    const struct cfn_regex *regex = tree ? cfn_regex_of(scratch, tree) : NULL;
    for (size_t i = 0; i < n; i++)
        if (emulator_sample_fits(regex, proposals[i], min, max))
            return proposals[i];
    return regex ? emulator_sample_text(s->arena, tree, regex, min, max, seed, s->left) : otherwise;
}

static struct str sample_text(const struct emulator_sampler *s, const struct cfn_property *p, struct str name)
{
    if (str_eqz(p->format, "date-time"))
        return STR("2026-01-02T03:04:05Z");
    size_t min = p->min_length > 0 ? (size_t)p->min_length : 0, max = p->max_length > 0 ? (size_t)p->max_length : 0;
    struct str word = make_word(s, name, min, max);
    (void)emulator_sample_spend(s->left, word.n);
    const struct str proposals[] = {
        names_an_arn(name) ? make_arn(s, name) : word,
        word,
        make_arn(s, name),
        s->account,
        s->region,
        STR("https://example.com/"),
        STR("10.0.0.0/16"),
    };
    return patterned_text(s, p->pattern, proposals, sizeof proposals / sizeof proposals[0], word, min, max, seed_of(s, name));
}

/* --- numbers --- */

/* The nth number from here: integers in steps of 1, others in steps of 1/16, as far as the range allows. */
static struct str nth_number(const struct emulator_sampler *s, const struct cfn_property *p, struct str first)
{
    enum { PARTS = 16, PART = 10000 / PARTS };
    int64_t n, max = p->maximum ? json_int(p->maximum, 0) : INT64_MAX;
    if (s->nth == 0 || s->nth >= PARTS || !str_to_i64(first, &n) || n < 0 || n >= max)
        return first;
    if (p->type == CFN_NUMBER)
        return arena_printf(s->arena, "%lld.%04zu", (long long)n, s->nth * PART);
    return (int64_t)s->nth <= max - n ? arena_printf(s->arena, "%lld", (long long)n + (long long)s->nth) : first;
}

static struct str sample_number(const struct emulator_sampler *s, const struct cfn_property *p)
{
    bool small = p->maximum && json_int(p->maximum, 1) < 1;
    struct str first = p->minimum ? p->minimum->text : small ? p->maximum->text : STR("1");
    return arena_str(s->arena, nth_number(s, p, first));
}

/* --- collections --- */

static size_t array_size(const struct emulator_sampler *s, const struct cfn_property *p)
{
    size_t wanted = s->elements > 1 ? s->elements : 1;
    if (p->max_items >= 0 && wanted > (size_t)p->max_items)
        wanted = (size_t)p->max_items;
    return p->min_items > 0 && wanted < (size_t)p->min_items ? (size_t)p->min_items : wanted;
}

static bool is_among(const struct json *item, const struct json *const *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_eq(item, items[i]))
            return true;
    return false;
}

static const struct json *sample_array(const struct emulator_sampler *s, const struct cfn_property *p, struct str name, int depth)
{
    VEC(const struct json *) items = {0};
    size_t n = array_size(s, p), least = p->min_items > 0 ? (size_t)p->min_items : 1;
    for (size_t i = 0; p->items && i < n && i < EMULATOR_SAMPLE_TEXT; i++) {
        struct emulator_sampler own = *s;
        own.seed = s->seed + i;
        own.nth = i;
        own.extra = p->unique_items ? i : 0; /* objects without required properties differ in their optional ones */
        const struct json *item = sample(&own, p->items, name, depth + 1);
        if (!item)
            break;
        if (i >= least && is_among(item, items.v, items.n))
            continue;
        *VEC_PUSH(s->arena, &items) = item;
    }
    return json_make_array(s->arena, items.v, items.n);
}

static bool has_member(const member_list *list, struct str key)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i].key, key))
            return true;
    return false;
}

static void add_required(const struct emulator_sampler *s, const struct json *properties, const struct json *required, int depth,
                         member_list *list)
{
    for (size_t i = 0; required && required->kind == JSON_ARRAY && i < required->array.n; i++) {
        if (!emulator_sample_spend(s->left, 1 + list->n)) /* for the search for duplicates */
            return;
        struct str key = json_text(required->array.items[i], STR_EMPTY);
        const struct json *subschema = json_get_str(properties, key);
        const struct json *value = subschema && !has_member(list, key) ? sample(s, subschema, key, depth + 1) : NULL;
        if (value)
            *VEC_PUSH(s->arena, list) = (struct json_member){.key = key, .value = value};
    }
}

/* Adds what the first alternative requires, with the properties that it defines. */
static void add_alternatives(const struct emulator_sampler *s, const struct json *properties, const struct json *of, bool all,
                             int depth, member_list *list)
{
    for (size_t i = 0; of && of->kind == JSON_ARRAY && i < of->array.n && (all || i == 0); i++) {
        struct cfn_property p;
        const struct json *target;
        if (!cfn_property_resolve(s->schema, of->array.items[i], &p, &target))
            continue;
        add_required(s, p.properties ? p.properties : properties, p.required, depth, list);
    }
}

/* `property` is at the top level of the model. */
static bool is_read_only(const struct cfn_schema *schema, struct str property)
{
    for (size_t i = 0; i < schema->read_only.n; i++)
        if (cfn_pointer_is(schema->read_only.v[i], &property, 1))
            return true;
    return false;
}

static void add_optional(const struct emulator_sampler *s, const struct json *properties, int depth, member_list *list)
{
    struct emulator_sampler below = *s;
    below.extra = 0;
    for (size_t i = 0, n = 0; properties && i < properties->object.n && n < s->extra; i++) {
        const struct json_member *property = &properties->object.members[i];
        bool skipped = has_member(list, property->key) || (depth == 0 && is_read_only(s->schema, property->key));
        const struct json *value = skipped ? NULL : sample(&below, property->value, property->key, depth + 1);
        if (value) {
            *VEC_PUSH(s->arena, list) = (struct json_member){.key = property->key, .value = value};
            n++;
        }
    }
}

static const struct json *sample_map(const struct emulator_sampler *s, const struct cfn_property *p, struct str name, int depth)
{
    const struct json_member *first = &p->pattern_properties->object.members[0];
    const struct json *value = sample(s, first->value, name, depth + 1);
    struct json_member member = {.key = patterned_text(s, first->key, NULL, 0, STR_EMPTY, 1, 0, seed_of(s, name)),
                                 .value = value};
    if (member.key.n == 0)
        member.key = STR("key");
    return json_make_object(s->arena, &member, value ? 1 : 0);
}

static const struct json *sample_object(const struct emulator_sampler *s, const struct cfn_property *p, struct str name,
                                        int depth)
{
    if (!p->properties && p->pattern_properties)
        return sample_map(s, p, name, depth);
    member_list list = {0};
    add_required(s, p->properties, p->required, depth, &list);
    add_alternatives(s, p->properties, p->one_of, false, depth, &list);
    add_alternatives(s, p->properties, p->any_of, false, depth, &list);
    add_alternatives(s, p->properties, p->all_of, true, depth, &list);
    add_optional(s, p->properties, depth, &list);
    return json_make_object(s->arena, list.v, list.n);
}

static const struct json *sample(const struct emulator_sampler *s, const struct json *subschema, struct str name, int depth)
{
    struct cfn_property p;
    const struct json *target;
    if (depth > EMULATOR_SAMPLE_DEPTH || !emulator_sample_spend(s->left, EMULATOR_SAMPLE_VALUE) ||
        !cfn_property_resolve(s->schema, subschema, &p, &target))
        return NULL;
    if (p.values && p.values->array.n > 0)
        return p.values->array.items[s->seed % p.values->array.n];
    switch (p.type) {
    case CFN_BOOLEAN:
        return json_make_bool(s->arena, false);
    case CFN_INTEGER:
    case CFN_NUMBER:
        return json_make_number(s->arena, sample_number(s, &p));
    case CFN_STRING:
        return json_make_string(s->arena, sample_text(s, &p, name));
    case CFN_ARRAY:
        return sample_array(s, &p, name, depth);
    case CFN_NULL:
        return json_make_null(s->arena);
    case CFN_NONE:
    case CFN_OBJECT:
    case CFN_BAD:
        break;
    }
    return sample_object(s, &p, name, depth);
}

const struct json *emulator_sample(const struct emulator_sampler *s, const struct json *subschema, struct str name)
{
    size_t left = EMULATOR_SAMPLE_WORK;
    struct emulator_sampler own = *s;
    own.left = s->left ? s->left : &left;
    const struct json *value = sample(&own, subschema, name, 0);
    return *own.left > 0 ? value : NULL;
}

static const struct json *sample_model(const struct emulator_sampler *s)
{
    struct cfn_property root;
    cfn_property_read(s->schema->root, &root);
    member_list all = {0}, kept = {0};
    add_required(s, s->schema->properties, root.required, 0, &all);
    add_alternatives(s, s->schema->properties, root.one_of, false, 0, &all);
    add_alternatives(s, s->schema->properties, root.any_of, false, 0, &all);
    add_alternatives(s, s->schema->properties, root.all_of, true, 0, &all);
    add_optional(s, s->schema->properties, 0, &all);
    for (size_t i = 0; i < all.n; i++)
        if (!is_read_only(s->schema, all.v[i].key))
            *VEC_PUSH(s->arena, &kept) = all.v[i];
    return json_make_object(s->arena, kept.v, kept.n);
}

const struct json *emulator_sample_model(const struct emulator_sampler *s, struct diags *diags)
{
    size_t left = EMULATOR_SAMPLE_WORK;
    struct emulator_sampler own = *s;
    own.left = s->left ? s->left : &left;
    const struct json *model = sample_model(&own);
    if (*own.left > 0)
        return model;
    (void)diags_fail(diags, "Cannot make an example",
                     "The smallest object that the schema of " STR_FMT
                     " accepts has more than %d values: its required properties "
                     "contain each other, or the minItems of its arrays is too large.",
                     STR_ARG(s->schema->type_name), EMULATOR_SAMPLE_WORK / EMULATOR_SAMPLE_VALUE);
    return NULL;
}
