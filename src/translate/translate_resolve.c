/* Follows references, and applies allOf and oneOf to the object that contains them (docs/awscc-rules.md 1.3). */
#include "translate/translate_private.h"

struct union_made {
    const struct json *properties; /* may be NULL */
};

/* The properties of all parts; of two with the same name the later one. NULL if there are none. */
static const struct json *make_union(struct translating *t, const struct json *parts)
{
    VEC(struct json_member) all = {0};
    struct map seen;
    map_init(&seen, t->arena);
    for (size_t i = parts->array.n; i-- > 0;) {
        struct cfn_property part;
        cfn_property_read(parts->array.items[i], &part);
        for (size_t m = 0; part.properties && m < part.properties->object.n; m++) {
            const struct json_member *member = &part.properties->object.members[m];
            if (map_add(&seen, member->key, (void *)member))
                *VEC_PUSH(t->arena, &all) = *member;
        }
    }
    return all.n > 0 ? json_make_object(t->arena, all.v, all.n) : NULL;
}

/* Cached by list of parts: thousands of references may lead to one with thousands of properties. */
static const struct json *union_of(struct translating *t, const struct json *parts)
{
    struct str key = {(const char *)&parts, sizeof parts};
    const struct union_made *known = map_get(&t->unions, key);
    if (known)
        return known->properties;
    struct union_made *made = arena_make(t->arena, struct union_made);
    made->properties = make_union(t, parts);
    map_put(&t->unions, arena_str(t->arena, key), made);
    return made->properties;
}

static bool has_parts(const struct cfn_property *p, const struct json *parts)
{
    return parts && parts->array.n > 0 && !p->properties && !p->pattern_properties;
}

/* Makes it an object with the properties of all parts, whatever type it had; ignores `required` of the parts. */
static void take_properties(struct translating *t, struct cfn_property *p, const struct json *parts)
{
    p->properties = union_of(t, parts);
    p->type = CFN_OBJECT;
}

static enum cfn_type type_of_value(const struct json *j)
{
    static const enum cfn_type types[] = {[JSON_NULL] = CFN_NULL,     [JSON_BOOL] = CFN_BOOLEAN, [JSON_NUMBER] = CFN_NUMBER,
                                          [JSON_STRING] = CFN_STRING, [JSON_ARRAY] = CFN_ARRAY,  [JSON_OBJECT] = CFN_OBJECT};
    return types[j->kind];
}

/* allOf with a reference: takes the last default and its type; does not follow the reference itself. */
static void take_all_of(struct translating *t, struct cfn_property *p)
{
    const struct json *by_default = NULL;
    bool refers = false;
    for (size_t i = 0; i < p->all_of->array.n; i++) {
        struct cfn_property part;
        cfn_property_read(p->all_of->array.items[i], &part);
        refers |= part.ref.n > 0;
        by_default = part.by_default ? part.by_default : by_default;
    }
    if (!refers) {
        take_properties(t, p, p->all_of);
    } else if (by_default) {
        p->by_default = by_default;
        p->type = type_of_value(by_default);
    }
}

/* Applies oneOf and allOf if there are no properties: to any target of a reference, and to objects. */
static void take_parts(struct translating *t, struct cfn_property *p)
{
    if (has_parts(p, p->one_of))
        take_properties(t, p, p->one_of);
    if (has_parts(p, p->all_of))
        take_all_of(t, p);
}

/* Do the references form a cycle, so that they never reach a type? awscc accepts that. */
static bool is_circle(const struct translating *t, struct str ref)
{
    struct cfn_property p;
    for (size_t steps = 0; steps < CFN_MAX_REFS; steps++) {
        const struct json *target = cfn_schema_target(t->cfn, ref);
        if (!target)
            return false;
        cfn_property_read(target, &p);
        ref = p.ref;
    }
    return true;
}

bool tr_resolve(struct translating *t, const struct json *j, enum tr_place place, bool follow, struct cfn_property *ret,
                const struct json **ret_target)
{
    bool found = !follow || cfn_property_resolve(t->cfn, j, ret, ret_target);
    if (!follow || !found) {
        *ret_target = j;
        cfn_property_read(j, ret);
    }
    if (!found) {
        tr_note(t, CC_NOTE_IGNORED, "reference \"" STR_FMT "\" does not exist", STR_ARG(ret->ref));
        if (!is_circle(t, ret->ref))
            tr_refuse(t, "reference");
    }
    if (ret->odd) {
        tr_note(t, CC_NOTE_IGNORED, "%s: has an unsupported type", ret->odd);
        tr_refuse(t, ret->odd);
    }
    bool itself = place == TR_PROPERTY && (ret->type == CFN_OBJECT || ret->type == CFN_NONE);
    if (follow && (*ret_target != j || itself))
        take_parts(t, ret);
    return found;
}
