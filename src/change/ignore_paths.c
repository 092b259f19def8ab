/*
 * The paths of ignore_changes: read from JSON, and checked against the schema in core's words.
 *
 * Inside an attribute there is only a type, and a step is wrong when no value of that type can have such a part.
 */
#include "base/buf.h"
#include "change/walk_private.h"
#include "value/text.h"

/* The position of a path in the schema: at a block, at a collection of blocks, or in a type; nowhere when all members are
 * NULL. */
struct position {
    const struct schema_block *block;
    const struct schema_nested_block *blocks;
    const struct type *type;
};

static struct position inside_block(const struct schema_block *b, struct str name)
{
    const struct schema_attr *attr = schema_block_attr(b, name);
    const struct schema_nested_block *block = schema_block_block(b, name);
    if (attr)
        return (struct position){.type = attr->value_type};
    if (!block)
        return (struct position){0};
    return block_is_many(block) ? (struct position){.blocks = block} : (struct position){.block = block->block};
}

static struct position inside_type(const struct type *t, struct str name, int64_t index)
{
    if (type_is_collection(t))
        return (struct position){.type = t->element};
    if (t->kind == TYPE_TUPLE)
        return (struct position){.type = index >= 0 && (uint64_t)index < t->n ? t->elements[index] : NULL};
    size_t at = t->kind == TYPE_OBJECT ? type_attr_find(t, name) : SIZE_MAX;
    return (struct position){.type = at == SIZE_MAX ? NULL : t->attrs[at].type};
}

static struct position inside(struct position p, struct str name, int64_t index)
{
    if (p.blocks)
        return (struct position){.block = p.blocks->block};
    if (p.block)
        return inside_block(p.block, name);
    return p.type ? inside_type(p.type, name, index) : p;
}

static bool has_elements(struct position p)
{
    return p.blocks || (p.type && (type_is_collection(p.type) || p.type->kind == TYPE_TUPLE));
}

bool change_path_fits(const struct json *steps)
{
    if (!steps || steps->kind != JSON_ARRAY)
        return false;
    for (size_t i = 0; i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        int64_t index;
        if (step->kind != JSON_STRING && (step->kind != JSON_NUMBER || !str_to_i64(step->text, &index)))
            return false;
    }
    return steps->array.n > 0;
}

bool change_path_read(struct arena *a, const struct schema_block *schema, const struct json *steps, struct path *ret)
{
    struct position p = {.block = schema};
    struct path path = PATH_ROOT;
    if (!change_path_fits(steps))
        return false;
    for (size_t i = 0; i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        int64_t index = -1;
        if (step->kind == JSON_NUMBER && str_to_i64(step->text, &index))
            path = path_index(a, path, index);
        else
            path = has_elements(p) ? path_key(a, path, step->text) : path_attr(a, path, step->text);
        p = inside(p, step->kind == JSON_STRING ? step->text : STR_EMPTY, index);
    }
    *ret = path;
    return true;
}

/* What is wrong with a step, as summary and detail. */

struct complaint {
    struct diags *diags;
    struct path at; /* where the user wrote it */
};

static struct str quoted(struct arena *a, struct str name)
{
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    text_write_quoted(&out, name);
    return buf_copy(&out, a);
}

static bool unsupported(struct complaint *c, struct str detail)
{
    return diags_fail_at(c->diags, c->at, "Unsupported attribute", STR_FMT, STR_ARG(detail));
}

static bool check_name_in_type(struct complaint *c, const struct type *t, struct str name)
{
    struct arena *a = c->diags->arena;
    if (type_is_primitive(t))
        return unsupported(c, arena_printf(a, "Can't access attributes on a primitive-typed value (" STR_FMT ").",
                                           STR_ARG(type_friendly(a, t))));
    if (t->kind == TYPE_OBJECT && type_attr_find(t, name) == SIZE_MAX)
        return unsupported(
            c, arena_printf(a, "This object does not have an attribute named " STR_FMT ".", STR_ARG(quoted(a, name))));
    return true;
}

static void warn_deprecated(struct complaint *c, struct str name)
{
    struct arena *a = c->diags->arena;
    diags_add(c->diags, &(struct diag){
                            .severity = DIAG_WARNING,
                            .summary = STR("Deprecated attribute"),
                            .detail = arena_printf(
                                a, "The attribute " STR_FMT " is deprecated. Refer to the provider documentation for details.",
                                STR_ARG(quoted(a, name))),
                            .path = c->at,
                        });
}

static bool check_name_in_block(struct complaint *c, const struct schema_block *b, struct str name)
{
    struct arena *a = c->diags->arena;
    const struct schema_attr *attr = schema_block_attr(b, name);
    if (attr && attr->deprecated)
        warn_deprecated(c, name);
    if (attr || schema_block_block(b, name))
        return true;
    struct str hint = STR_EMPTY;
    for (size_t i = 0; i < b->type->n && hint.n == 0; i++)
        if (name_is_near(name, b->type->attrs[i].name))
            hint = arena_printf(a, " Did you mean " STR_FMT "?", STR_ARG(quoted(a, b->type->attrs[i].name)));
    return unsupported(
        c, arena_printf(a, "This object has no argument, nested block, or exported attribute named " STR_FMT "." STR_FMT,
                        STR_ARG(quoted(a, name)), STR_ARG(hint)));
}

static bool check_element(struct complaint *c, struct position p, const struct path_step *step)
{
    struct number n;
    if (p.blocks && p.blocks->nesting == NESTING_SET)
        return diags_fail_at(c->diags, c->at, "Cannot index a set value",
                             "Block type " STR_FMT
                             " is represented by a set of objects, and set elements do not have addressable "
                             "keys. To find elements matching specific criteria, use a \"for\" expression with an \"if\" clause.",
                             STR_ARG(quoted(c->diags->arena, p.blocks->name)));
    if (p.blocks || p.type->kind == TYPE_MAP)
        return true;
    if (p.type->kind == TYPE_SET)
        return diags_fail_at(c->diags, c->at, "Invalid index",
                             "Elements of a set are identified only by their value and don't have any separate index or key to "
                             "select with, so it's only possible to perform operations across all elements of the set.");
    if (step->kind == PATH_INDEX || number_parse(c->diags->arena, step->name, &n))
        return true;
    return diags_fail_at(c->diags, c->at, "Invalid index",
                         "The given key does not identify an element in this collection value: a number is required.");
}

/* Reports an index where there are no elements. Objects are not reported, since their value might have such a name. */
static bool check_index(struct complaint *c, struct position p)
{
    if (p.block)
        return diags_fail_at(c->diags, c->at, "Invalid index operation",
                             "Only attribute access is allowed here, using the dot operator.");
    if (p.type && type_is_primitive(p.type))
        return diags_fail_at(c->diags, c->at, "Invalid index", "This value does not have any indices.");
    return true;
}

static bool check_step(struct complaint *c, struct position p, const struct path_step *step)
{
    if (has_elements(p))
        return check_element(c, p, step);
    if (step->kind == PATH_INDEX)
        return check_index(c, p);
    if (p.block)
        return check_name_in_block(c, p.block, step->name);
    return p.type ? check_name_in_type(c, p.type, step->name) : true;
}

static struct position after_step(struct position p, const struct path_step *step)
{
    return inside(p, step->kind == PATH_INDEX ? STR_EMPTY : step->name, step->kind == PATH_INDEX ? step->index : -1);
}

/* Where there are no elements, an index would be written as a name, and a number is not a valid name. */
static bool check_reference(struct complaint *c, const struct schema_block *schema, struct path path)
{
    struct position p = {.block = schema};
    for (size_t i = 0; i < path.n; i++) {
        if (path.steps[i].kind == PATH_INDEX && !has_elements(p))
            return diags_fail_at(
                c->diags, c->at, "Invalid expression",
                "A single static variable reference is required: only attribute access and indexing with constant "
                "keys. No calculations, function calls, template expressions, etc are allowed here.");
        p = after_step(p, &path.steps[i]);
    }
    return true;
}

static bool check_path(struct complaint *c, const struct schema_block *schema, struct path path)
{
    struct position p = {.block = schema};
    for (size_t i = 0; i < path.n; i++) {
        if (!check_step(c, p, &path.steps[i]))
            return false;
        p = after_step(p, &path.steps[i]);
    }
    return true;
}

static bool is_among(struct change_paths paths, struct path path)
{
    for (size_t i = 0; i < paths.n; i++)
        if (path_eq(paths.v[i], path))
            return true;
    return false;
}

static void warn_if_redundant(struct diags *diags, const struct schema_block *schema, struct path path)
{
    const struct schema_attr *attr = attr_by_path(schema, path);
    if (!attr || attr->optional || !attr->computed)
        return;
    struct str text = change_path_text(diags->arena, path);
    diags_warn(
        diags, "Redundant ignore_changes element",
        "Adding an attribute name to ignore_changes tells Terraform to ignore future changes to the argument in "
        "configuration after the object has been created, retaining the value originally configured.\n\nThe attribute " STR_FMT
        " is decided by the provider alone and therefore there can be no configured value to compare with. "
        "Including this attribute in ignore_changes has no effect. Remove the attribute from ignore_changes to quiet this "
        "warning.",
        STR_ARG(str_slice(text, 1, text.n)));
}

static struct complaint complaint_at(struct diags *diags, size_t i)
{
    struct path list = path_attr(diags->arena, path_attr(diags->arena, PATH_ROOT, STR("lifecycle")), STR("ignore_changes"));
    return (struct complaint){diags, path_index(diags->arena, list, (int64_t)i)};
}

bool change_check_references(const struct schema_block *schema, struct change_paths paths, struct diags *diags)
{
    bool ok = true;
    for (size_t i = 0; i < paths.n; i++) {
        struct complaint c = complaint_at(diags, i);
        ok &= check_reference(&c, schema, paths.v[i]);
    }
    return ok;
}

bool change_check_ignored(const struct schema_block *schema, struct change_paths paths, struct diags *diags)
{
    bool ok = true;
    for (size_t i = 0; i < paths.n; i++) {
        struct complaint c = complaint_at(diags, i);
        ok &= check_path(&c, schema, paths.v[i]);
        if (ok && !is_among((struct change_paths){paths.v, i}, paths.v[i]))
            warn_if_redundant(diags, schema, paths.v[i]);
    }
    return ok;
}
