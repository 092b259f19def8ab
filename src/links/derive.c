#include "links/derive.h"

/* A definition being visited, to stop at definitions that refer to themselves. */
struct frame {
    const struct frame *outer;
    const struct json *node;
};

struct deriver {
    struct link_table *table;
    struct arena *scratch;
    const struct json *schema;
    struct str cloudformation; /* type */
    struct str type;
    const struct link_derive_names *names;
    struct link_derived *result;
    struct buf path;
    struct buf pointer; /* the same in CloudFormation's names: /properties/A/B */
    unsigned depth;
    size_t n_nodes; /* looked at */
};

static void walk(struct deriver *d, const struct json *node, const struct frame *outer);

static bool is_open(const struct frame *f, const struct json *node)
{
    while (f && f->node != node)
        f = f->outer;
    return f != NULL;
}

/* #/definitions/X and #/properties/X */
static const struct json *resolve(const struct deriver *d, struct str reference)
{
    struct str rest = reference;
    if (!str_eqz(str_cut(&rest, '/'), "#"))
        return NULL;
    struct str section = str_cut(&rest, '/');
    if (!str_eqz(section, "definitions") && !str_eqz(section, "properties"))
        return NULL;
    return json_get_str(json_get_str(d->schema, section), rest);
}

/* Converts /properties/Endpoint/Address of a type to an attribute; empty if there is none. */
static struct str attribute_of(struct deriver *d, struct str cloudformation, struct str pointer)
{
    struct buf out BUF_AUTO = BUF_INIT(LINKS_MAX_PATH);
    struct str rest = pointer;
    bool first = true;
    (void)str_cut(&rest, '/');
    if (!str_eqz(str_cut(&rest, '/'), "properties"))
        return STR_EMPTY;
    while (rest.n > 0) {
        struct str step = str_cut(&rest, '/');
        if (str_eqz(step, "properties"))
            continue;
        if (str_eqz(step, "*") || str_eqz(step, "items")) {
            buf_addz(&out, "[]");
            continue;
        }
        struct str name = d->names->property(d->names->ctx, d->scratch, cloudformation, step, first);
        if (name.n == 0)
            return STR_EMPTY;
        buf_printf(&out, "%s" STR_FMT, first ? "" : ".", STR_ARG(name));
        first = false;
    }
    return buf_ok(&out) ? buf_copy(&out, d->scratch) : STR_EMPTY;
}

/* Is the property or one of its parents read-only? */
static bool is_read_only(const struct deriver *d)
{
    const struct json *list = json_get(d->schema, "readOnlyProperties");
    struct str here = buf_str(&d->pointer);
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->array.n; i++) {
        struct str other = json_text(list->array.items[i], STR_EMPTY);
        if (other.n > 0 && str_starts(here, other) && (here.n == other.n || here.p[other.n] == '/'))
            return true;
    }
    return false;
}

static void add_reference(struct deriver *d, const struct json *reference)
{
    struct str target = json_text(json_get(reference, "typeName"), STR_EMPTY);
    struct link_rule rule = {
        .type = d->type,
        .path = buf_str(&d->path),
        .target = d->names->type(d->names->ctx, d->scratch, target),
        .attribute = attribute_of(d, target, json_text(json_get(reference, "propertyPath"), STR_EMPTY)),
    };
    d->result->n_references++;
    if (is_read_only(d))
        d->result->n_read_only++;
    else if (links_add(d->table, &rule) == LINK_WRONG)
        d->result->n_skipped++;
}

static void walk_below(struct deriver *d, const char *mark, const struct json *node, const struct frame *outer)
{
    size_t before = d->path.n;
    buf_addz(&d->path, mark);
    walk(d, node, outer);
    d->path.n = before;
}

static void walk_properties(struct deriver *d, const struct json *properties, const struct frame *outer)
{
    if (!properties || properties->kind != JSON_OBJECT)
        return;
    for (size_t i = 0; i < properties->object.n; i++) {
        const struct json_member *m = &properties->object.members[i];
        size_t before = d->path.n, pointer = d->pointer.n;
        struct str name = d->names->property(d->names->ctx, d->scratch, d->cloudformation, m->key, before == 0);
        if (name.n == 0)
            continue;
        buf_printf(&d->path, "%s" STR_FMT, before > 0 ? "." : "", STR_ARG(name));
        buf_printf(&d->pointer, "%s/" STR_FMT, before > 0 ? "" : "/properties", STR_ARG(m->key));
        walk(d, m->value, outer);
        d->path.n = before;
        d->pointer.n = pointer;
    }
}

static void walk_alternatives(struct deriver *d, const struct json *list, const struct frame *outer)
{
    if (!list || list->kind != JSON_ARRAY)
        return;
    for (size_t i = 0; i < list->array.n; i++)
        walk(d, list->array.items[i], outer);
}

static void walk_node(struct deriver *d, const struct json *node, const struct frame *outer)
{
    const struct json *reference = json_get(node, "relationshipRef"), *pattern = json_get(node, "patternProperties");
    if (reference && d->path.n > 0)
        add_reference(d, reference);
    if (json_get(node, "$ref"))
        walk(d, resolve(d, json_text(json_get(node, "$ref"), STR_EMPTY)), outer);
    if (d->path.n > 0) { /* at the top level they only say which properties are required */
        walk_alternatives(d, json_get(node, "anyOf"), outer);
        walk_alternatives(d, json_get(node, "oneOf"), outer);
        walk_alternatives(d, json_get(node, "allOf"), outer);
    }
    walk_below(d, "[]", json_get(node, "items"), outer);
    for (size_t i = 0; pattern && pattern->kind == JSON_OBJECT && i < pattern->object.n; i++)
        walk_below(d, "{}", pattern->object.members[i].value, outer);
    walk_properties(d, json_get(node, "properties"), outer);
}

static void walk(struct deriver *d, const struct json *node, const struct frame *outer)
{
    if (!node || node->kind != JSON_OBJECT || is_open(outer, node) || d->depth == DERIVE_MAX_DEPTH ||
        d->n_nodes > DERIVE_MAX_NODES || !buf_ok(&d->path) || !buf_ok(&d->pointer))
        return;
    const struct frame frame = {outer, node};
    d->n_nodes++;
    d->depth++;
    walk_node(d, node, &frame);
    d->depth--;
}

bool links_derive(struct link_table *t, const struct json *schema, const char *source, const struct link_derive_names *names,
                  struct diags *diags, struct link_derived *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct link_derived result = {0};
    struct deriver d = {.table = t, .scratch = scratch, .schema = schema, .names = names, .result = &result};
    d.cloudformation = json_text(json_get(schema, "typeName"), STR_EMPTY);
    if (d.cloudformation.n == 0 || !json_get(schema, "properties"))
        return diags_fail(diags, "Not a resource schema", "%s has no \"typeName\" and \"properties\", as CloudFormation's have.",
                          source);
    d.type = names->type(names->ctx, scratch, d.cloudformation);
    d.path = d.pointer = BUF_INIT(LINKS_MAX_PATH);
    if (d.type.n > 0)
        walk(&d, schema, NULL);
    buf_free(&d.path);
    buf_free(&d.pointer);
    if (d.n_nodes > DERIVE_MAX_NODES)
        return diags_fail(diags, "Schema too large", "%s has more than %d properties, with definitions put in.", source,
                          (int)DERIVE_MAX_NODES);
    *ret = result;
    return true;
}
