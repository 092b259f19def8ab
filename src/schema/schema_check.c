/*
 * One function per kind of item, one statement per rule. The rules, and the sections they apply to, were determined by giving
 * each violation to Terraform 1.11 and OpenTofu 1.10 (testdata/check.json names them).
 *
 * The path of the current item is a linked list on the stack; it becomes a struct path only for a diagnostic.
 */
#include "schema/schema_check.h"

#include "base/buf.h"
#include "value/identifier.h"

enum { MAX_STEPS = 2 * SCHEMA_MAX_DEPTH, MAX_PATH = 1 << 20 };

struct at {
    const struct at *up;
    struct str name;
};

struct check {
    struct str what;
    struct diags *diags;
    size_t found;
};

static struct path path_of(const struct at *at, struct path_step *steps)
{
    size_t n = 0;
    for (const struct at *i = at; i; i = i->up)
        n++;
    size_t k = n;
    for (const struct at *i = at; i; i = i->up)
        steps[--k] = (struct path_step){.kind = PATH_ATTR, .name = i->name};
    return (struct path){steps, n};
}

/* Adds a diagnostic if `wrong`. */
static void rule(struct check *c, const struct at *at, bool wrong, const char *why)
{
    if (!wrong)
        return;
    if (c->found++ >= SCHEMA_CHECK_MAX)
        return;
    struct path_step steps[MAX_STEPS];
    diags_fail_at(c->diags, path_of(at, steps), "Invalid provider schema", "%.*s %s. This is a bug in the provider.",
                  STR_ARG(c->what), why);
}

static bool end(struct check *c)
{
    if (c->found > SCHEMA_CHECK_MAX)
        diags_fail(c->diags, "Invalid provider schema", "%zu more violations are not listed.", c->found - SCHEMA_CHECK_MAX);
    return c->found == 0;
}

/* Names */

static bool is_block_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return name.n > 0;
}

/* Attributes and blocks */

static bool attrs_write_only(const struct schema_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (attrs[i].write_only || (attrs[i].nested && attrs_write_only(attrs[i].nested->attrs, attrs[i].nested->n_attrs)))
            return true;
    }
    return false;
}

static bool block_write_only(const struct schema_block *b)
{
    for (size_t i = 0; i < b->n_blocks; i++)
        if (block_write_only(b->blocks[i].block))
            return true;
    return attrs_write_only(b->attrs, b->n_attrs);
}

static void check_attrs(struct check *c, const struct at *up, const struct schema_attr *attrs, size_t n);

static void check_nested(struct check *c, const struct at *at, const struct schema_attr *attr)
{
    const struct schema_object *o = attr->nested;
    rule(c, at, o->nesting == NESTING_INVALID || o->nesting == NESTING_GROUP,
         "has a nested attribute without a nesting mode: single, list, set or map is required");
    if (o->nesting == NESTING_SET) {
        rule(c, at, attr->value_type->has_dynamic, "has a set of nested attributes with a dynamic type inside");
        rule(c, at, attrs_write_only(o->attrs, o->n_attrs), "has a set of nested attributes with a write-only one inside");
    }
    check_attrs(c, at, o->attrs, o->n_attrs);
}

static void check_attr(struct check *c, const struct at *at, const struct schema_attr *attr)
{
    rule(c, at, !attr->required && !attr->optional && !attr->computed,
         "has an attribute that is neither required nor optional nor computed");
    rule(c, at, attr->required && attr->optional, "has an attribute that is both required and optional");
    rule(c, at, attr->required && attr->computed, "has an attribute that is both required and computed");
    rule(c, at, !attr->type && !attr->nested, "has an attribute with neither a type nor nested attributes");
    rule(c, at, attr->type && attr->nested, "has an attribute with both a type and nested attributes");
    if (attr->nested)
        check_nested(c, at, attr);
}

static void check_attrs(struct check *c, const struct at *up, const struct schema_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct at at = {up, attrs[i].name};
        check_attr(c, &at, &attrs[i]);
    }
}

static void check_items(struct check *c, const struct at *at, const struct schema_nested_block *b)
{
    int64_t min = b->min_items, max = b->max_items;
    rule(c, at, min < 0 || max < 0, "has a block with a negative number of items");
    switch (b->nesting) {
    case NESTING_INVALID:
        return rule(c, at, true, "has a block without a nesting mode: single, group, list, set or map is required");
    case NESTING_SINGLE:
        rule(c, at, min != max, "has a single block whose minimum and maximum number of items differ");
        return rule(c, at, min == max && min > 1, "has a single block whose number of items is neither 0 nor 1");
    case NESTING_GROUP:
        return rule(c, at, min != 0 || max != 0, "has a group block with a number of items");
    case NESTING_MAP:
        return rule(c, at, min != 0 || max != 0, "has a map block with a number of items");
    case NESTING_LIST:
    case NESTING_SET:
        return rule(c, at, max != 0 && min > max, "has a block whose minimum number of items is greater than its maximum");
    }
}

static void check_block(struct check *c, const struct at *up, const struct schema_block *b);

static void check_nested_block(struct check *c, const struct at *at, const struct schema_nested_block *b, bool is_attr)
{
    rule(c, at, is_attr, "has an attribute and a block of the same name");
    rule(c, at, !is_attr && !is_block_name(b->name),
         "has a block whose name has characters other than lowercase letters, digits and underscores");
    check_items(c, at, b);
    if (b->nesting == NESTING_SET) {
        rule(c, at, b->block->type->has_dynamic, "has a set of blocks with an attribute of dynamic type inside");
        rule(c, at, block_write_only(b->block), "has a set of blocks with a write-only attribute inside");
    }
    check_block(c, at, b->block);
}

static void check_block(struct check *c, const struct at *up, const struct schema_block *b)
{
    check_attrs(c, up, b->attrs, b->n_attrs);
    for (size_t i = 0; i < b->n_blocks; i++) {
        struct at at = {up, b->blocks[i].name};
        check_nested_block(c, &at, &b->blocks[i], schema_block_attr(b, b->blocks[i].name));
    }
}

static void check_schema(struct check *c, const struct schema *s)
{
    rule(c, NULL, s->version < 0, "has a schema with a negative version");
    check_block(c, NULL, s->block);
}

/* Identities and functions */

static bool is_identity_type(const struct type *t)
{
    return type_is_primitive(t) || (t->kind == TYPE_LIST && type_is_primitive(t->element));
}

static void check_identity(struct check *c, const struct schema_identity *identity)
{
    rule(c, NULL, identity->version < 0, "has an identity schema with a negative version");
    for (size_t i = 0; i < identity->n_attrs; i++) {
        const struct schema_identity_attr *attr = &identity->attrs[i];
        struct at at = {NULL, attr->name};
        rule(c, &at, attr->required_for_import == attr->optional_for_import,
             "has an identity attribute that is not exactly one of required and optional for import");
        rule(c, &at, !attr->type || !is_identity_type(attr->type),
             "has an identity attribute that is neither a string, a number, a bool nor a list of one of these");
    }
}

static void check_parameter(struct check *c, const struct schema_function *f, const struct schema_parameter *p, size_t before)
{
    struct at at = {NULL, p->name};
    rule(c, &at, !identifier_is(p->name), "has a parameter whose name is not a valid identifier");
    rule(c, &at, !p->type, "has a parameter without a type");
    for (size_t i = 0; i < before; i++)
        rule(c, &at, str_eq(f->parameters[i].name, p->name), "has two parameters of the same name");
}

static void check_function(struct check *c, struct str name, const struct schema_function *f)
{
    rule(c, NULL, !identifier_is(name), "has a name that is not a valid identifier");
    rule(c, NULL, !f->return_type, "has no return type");
    for (size_t i = 0; i < f->n_parameters; i++)
        check_parameter(c, f, &f->parameters[i], i);
    if (f->variadic)
        check_parameter(c, f, f->variadic, f->n_parameters);
}

/* Whole providers */

static void check_entry(struct check *c, enum schema_section section, const struct map_entry *entry)
{
    switch (section) {
    case SECTION_FUNCTIONS:
        return check_function(c, entry->key, entry->value);
    case SECTION_IDENTITIES:
        return check_identity(c, entry->value);
    default:
        return check_schema(c, entry->value);
    }
}

bool schema_check(const struct schema *s, struct str what, struct diags *diags)
{
    struct check c = {.what = what, .diags = diags};
    check_schema(&c, s);
    return end(&c);
}

bool provider_schema_check(const struct provider_schema *s, struct diags *diags)
{
    static const char *const kinds[SECTION_COUNT] = {
        [SECTION_RESOURCES] = "Resource type",
        [SECTION_DATA_SOURCES] = "Data source",
        [SECTION_EPHEMERALS] = "Ephemeral resource",
        [SECTION_LISTS] = "List resource",
        [SECTION_FUNCTIONS] = "Function",
        [SECTION_IDENTITIES] = "Identity of resource type",
        [SECTION_ACTIONS] = "Action",
        [SECTION_STATE_STORES] = "State store",
    };
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct check c = {.what = STR("Provider configuration"), .diags = diags};
    rule(&c, NULL, s->provider->version < 0, "has a schema with a negative version");
    for (enum schema_section section = 0; section < SECTION_COUNT; section++) {
        const struct map *map = provider_schema_section(s, section);
        for (size_t i = 0; i < map->n; i++) {
            c.what = arena_printf(scratch, "%s \"" STR_FMT "\"", kinds[section], STR_ARG(map->entries[i].key));
            check_entry(&c, section, &map->entries[i]);
            arena_reset(scratch);
        }
    }
    return end(&c);
}

/* Names that the language cannot express */

static void put_dotted(struct buf *out, const struct at *at)
{
    if (at->up) {
        put_dotted(out, at->up);
        buf_addc(out, '.');
    }
    buf_add(out, at->name);
}

static struct str dotted(struct arena *a, const struct at *at)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    put_dotted(&out, at);
    return buf_copy(&out, a);
}

static bool bad_at(const struct at *at, struct arena *a, struct str *ret_path)
{
    if (identifier_like(at->name))
        return false;
    *ret_path = dotted(a, at);
    return true;
}

static bool bad_in_attrs(const struct schema_attr *attrs, size_t n, const struct at *up, struct arena *a, struct str *ret_path)
{
    for (size_t i = 0; i < n; i++) {
        struct at at = {up, attrs[i].name};
        const struct schema_object *nested = attrs[i].nested;
        if (bad_at(&at, a, ret_path) || (nested && bad_in_attrs(nested->attrs, nested->n_attrs, &at, a, ret_path)))
            return true;
    }
    return false;
}

static bool bad_in_block(const struct schema_block *b, const struct at *up, struct arena *a, struct str *ret_path)
{
    for (size_t i = 0; i < b->n_blocks; i++) {
        struct at at = {up, b->blocks[i].name};
        if (bad_at(&at, a, ret_path) || bad_in_block(b->blocks[i].block, &at, a, ret_path))
            return true;
    }
    return bad_in_attrs(b->attrs, b->n_attrs, up, a, ret_path);
}

bool schema_bad_name(struct arena *a, struct str type, const struct schema *s, struct str *ret_path)
{
    if (identifier_is(type))
        return bad_in_block(s->block, NULL, a, ret_path);
    *ret_path = STR_EMPTY;
    return true;
}
