#include "translate/json_order.h"

#include <stdlib.h>

enum { MAX_TEXT = 64 << 20 }; /* far more than a service accepts */

struct ordering {
    struct arena *arena;
    struct cfn_schema schema; /* only what references need */
};

/* `schema` NULL: nothing is known about this part. */
static const struct json *in_order(const struct ordering *o, const struct json *schema, const struct json *j);

/* The subschema of a member in one of the branches; NULL: in none of them. */
static const struct json *branch_member(const struct ordering *o, const struct json *branches, struct str name)
{
    for (size_t i = 0; branches && i < branches->array.n; i++) {
        struct cfn_property p;
        const struct json *target;
        if (!cfn_property_resolve(&o->schema, branches->array.items[i], &p, &target) || !p.properties)
            continue;
        const struct json *found = json_get_str(p.properties, name);
        if (found)
            return found;
    }
    return NULL;
}

/* Of several patterns none is chosen, since they would have to be matched. */
static const struct json *member_schema(const struct ordering *o, const struct cfn_property *p, struct str name)
{
    const struct json *const branches[] = {p->one_of, p->any_of, p->all_of};
    const struct json *found = p->properties ? json_get_str(p->properties, name) : NULL;
    if (!found && p->pattern_properties && p->pattern_properties->object.n == 1)
        found = p->pattern_properties->object.members[0].value;
    for (size_t i = 0; !found && i < sizeof branches / sizeof branches[0]; i++)
        found = branch_member(o, branches[i], name);
    return found;
}

struct item {
    const struct json *j;
    struct str text;
};

static int by_text(const void *a, const void *b)
{
    return str_cmp(((const struct item *)a)->text, ((const struct item *)b)->text);
}

static struct str text_of(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct json_writer w = {.out = &out};
    json_write(&w, json_sorted(a, j));
    (void)json_finish(&w);
    return buf_copy(&out, a);
}

static const struct json *array_in_order(const struct ordering *o, const struct cfn_property *p, const struct json *j)
{
    enum cfn_array class = cfn_array_class(p);
    bool sorted = p->type == CFN_ARRAY && (class == CFN_ARRAY_MULTISET || class == CFN_ARRAY_SET);
    size_t n = j->array.n;
    struct item *items = arena_make_n(o->arena, struct item, n);
    const struct json **v = arena_make_n(o->arena, const struct json *, n);
    for (size_t i = 0; i < n; i++) {
        items[i].j = in_order(o, p->items, j->array.items[i]);
        items[i].text = sorted ? text_of(o->arena, items[i].j) : STR_EMPTY;
    }
    if (sorted && n > 1)
        qsort(items, n, sizeof items[0], by_text);
    for (size_t i = 0; i < n; i++)
        v[i] = items[i].j;
    return json_make_array(o->arena, v, n);
}

static const struct json *object_in_order(const struct ordering *o, const struct cfn_property *p, const struct json *j)
{
    size_t n = j->object.n;
    struct json_member *members = arena_make_n(o->arena, struct json_member, n);
    for (size_t i = 0; i < n; i++) {
        const struct json_member *m = &j->object.members[i];
        members[i] = (struct json_member){.key = m->key, .value = in_order(o, member_schema(o, p, m->key), m->value)};
    }
    return json_make_object(o->arena, members, n);
}

/* One way to write each number, so that equal ones have the same place. */
static const struct json *plain_number(const struct ordering *o, const struct json *j)
{
    struct number n;
    return number_parse(o->arena, j->text, &n) ? json_make_number(o->arena, number_text(o->arena, n)) : j;
}

static const struct json *in_order(const struct ordering *o, const struct json *schema, const struct json *j)
{
    static const struct json nothing = {.kind = JSON_OBJECT};
    struct cfn_property p;
    const struct json *target;
    if (!cfn_property_resolve(&o->schema, schema ? schema : &nothing, &p, &target))
        cfn_property_read(&nothing, &p);
    switch (j->kind) {
    case JSON_ARRAY:
        return array_in_order(o, &p, j);
    case JSON_OBJECT:
        return object_in_order(o, &p, j);
    case JSON_NUMBER:
        return plain_number(o, j);
    default:
        return j;
    }
}

const struct json *cc_json_in_one_order(struct arena *a, const struct cc_node *node, const struct json *j)
{
    static const struct json none = {.kind = JSON_OBJECT};
    const struct cc_node *root = node;
    while (root->parent)
        root = root->parent;
    if (!node->cut || !node->source || !root->source)
        return j;
    const struct json *definitions = json_get(root->source, "definitions"), *properties = json_get(root->source, "properties");
    struct ordering o = {.arena = a};
    o.schema.definitions = definitions ? definitions : &none;
    o.schema.properties = properties ? properties : &none;
    return in_order(&o, node->source, j);
}
