/*
 * Checks that the result agrees with the plan. Known values must be the same; an unknown may have become any value that its
 * refinement allows. The number of blocks and elements must be the same, except that elements of a set may have turned out equal:
 * each planned element must match some actual one and vice versa, and there must not be more of them.
 *
 * Values that the schema marks sensitive are not shown, nor attributes with something sensitive inside.
 */
#include "base/buf.h"
#include "change/go_text_private.h"
#include "change/walk_private.h"
#include "value/convert.h"
#include "value/text.h"

#include <assert.h>

struct checker {
    struct arena *arena;
    struct change_issues *issues; /* NULL: only find out whether there are any */
    bool failed;
};

struct pair {
    const struct value *planned, *actual;
};

static bool quiet(struct checker *c)
{
    c->failed = true;
    return !c->issues;
}

/* Formats the text only when issues are collected. */
#define complain(c, at, ...)                                                                                                     \
    do {                                                                                                                         \
        if (!quiet(c))                                                                                                           \
            change_issue_add((c)->issues, trail_path((c)->issues->arena, PATH_ROOT, (at)), __VA_ARGS__);                         \
    } while (0)

static void check_value(struct checker *c, struct pair v, const struct trail *at);
static void check_block(struct checker *c, const struct schema_block *schema, struct pair v, const struct trail *at);

static struct str shown(struct checker *c, const struct value *v)
{
    return go_text(c->arena, v, NULL);
}

static struct str quoted(struct checker *c, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    text_write_quoted(&out, text);
    return buf_copy(&out, c->arena);
}

/* Sets: of blocks, or of plain values */

typedef void check_element_fn(struct checker *c, const void *ctx, struct pair v, const struct trail *at);

static bool fits(struct checker *c, const void *ctx, struct pair v, check_element_fn *check)
{
    struct checker probe = {.arena = c->arena};
    check(&probe, ctx, v, NULL);
    return !probe.failed;
}

static void check_set(struct checker *c, const void *ctx, struct pair v, const struct trail *at, check_element_fn *check,
                      const struct go_secrets *secrets)
{
    bool *planned_fits = arena_make_n(c->arena, bool, v.planned->n);
    bool *actual_fits = arena_make_n(c->arena, bool, v.actual->n);
    for (size_t i = 0; i < v.planned->n; i++) {
        for (size_t j = 0; j < v.actual->n; j++) {
            if (planned_fits[i] && actual_fits[j])
                continue;
            if (fits(c, ctx, (struct pair){v.planned->elements[i], v.actual->elements[j]}, check))
                planned_fits[i] = actual_fits[j] = true;
        }
    }
    bool all_planned = true;
    for (size_t i = 0; i < v.planned->n; i++) {
        if (planned_fits[i])
            continue;
        all_planned = false;
        complain(c, at, "planned set element " STR_FMT " does not correlate with any element in actual",
                 STR_ARG(go_text(c->arena, v.planned->elements[i], secrets)));
    }
    for (size_t i = 0; all_planned && i < v.actual->n; i++)
        if (!actual_fits[i])
            complain(c, at, "actual set element " STR_FMT " does not correlate with any element in plan",
                     STR_ARG(go_text(c->arena, v.actual->elements[i], secrets)));
}

/* Values of attributes */

static void check_keyed(struct checker *c, struct pair v, const struct trail *at)
{
    for (size_t i = 0; i < v.planned->n; i++) {
        const struct value *actual = value_get(v.actual, element_key(v.planned, i));
        struct trail inner = trail_element(at, v.planned, i);
        if (actual)
            check_value(c, (struct pair){v.planned->elements[i], actual}, &inner);
        else
            complain(c, at, "element " STR_FMT " has vanished", STR_ARG(quoted(c, element_key(v.planned, i))));
    }
    for (size_t i = 0; i < v.actual->n; i++)
        if (!value_get(v.planned, element_key(v.actual, i)))
            complain(c, at, "new element " STR_FMT " has appeared", STR_ARG(quoted(c, element_key(v.actual, i))));
}

static void check_indexed(struct checker *c, struct pair v, const struct trail *at)
{
    for (size_t i = 0; i < v.planned->n; i++) {
        struct trail inner = trail_element(at, v.planned, i);
        if (i < v.actual->n)
            check_value(c, (struct pair){v.planned->elements[i], v.actual->elements[i]}, &inner);
        else
            complain(c, at, "element %zu has vanished", i);
    }
    for (size_t i = v.planned->n; i < v.actual->n; i++)
        complain(c, at, "new element %zu has appeared", i);
}

static void check_set_element(struct checker *c, const void *ctx, struct pair v, const struct trail *at)
{
    (void)ctx;
    check_value(c, v, at);
}

static void check_known(struct checker *c, struct pair v, const struct trail *at)
{
    switch (v.planned->type->kind) {
    case TYPE_DYNAMIC:
        break;
    case TYPE_STRING:
    case TYPE_NUMBER:
    case TYPE_BOOL:
        if (value_equals(v.actual, v.planned) != TRI_TRUE)
            complain(c, at, "was " STR_FMT ", but now " STR_FMT, STR_ARG(shown(c, v.planned)), STR_ARG(shown(c, v.actual)));
        break;
    case TYPE_LIST:
    case TYPE_TUPLE:
        check_indexed(c, v, at);
        break;
    case TYPE_MAP:
    case TYPE_OBJECT:
        check_keyed(c, v, at);
        break;
    case TYPE_SET:
        check_set(c, NULL, v, at, check_set_element, NULL);
        if (v.planned->n < v.actual->n)
            complain(c, at, "length changed from %zu to %zu", v.planned->n, v.actual->n);
        break;
    }
}

static void check_value(struct checker *c, struct pair v, const struct trail *at)
{
    if (v.planned->type->kind == TYPE_DYNAMIC)
        return;
    if (!type_conforms(v.actual->type, v.planned->type)) {
        struct str why = convert_mismatch(c->arena, v.actual->type, v.planned->type);
        complain(c, at, "wrong final value type: " STR_FMT, STR_ARG(plain_mismatch(c->arena, why)));
        return;
    }
    if (!value_is_known(v.planned)) {
        if (value_equals(v.planned, v.actual) == TRI_FALSE)
            complain(c, at, "final value " STR_FMT " does not conform to planning placeholder " STR_FMT,
                     STR_ARG(shown(c, v.actual)), STR_ARG(shown(c, v.planned)));
        return;
    }
    if (value_is_null(v.planned) && value_is_null(v.actual))
        return;
    if (value_is_null(v.actual))
        complain(c, at, "was " STR_FMT ", but now null", STR_ARG(shown(c, v.planned)));
    else if (value_is_null(v.planned))
        complain(c, at, "was null, but now " STR_FMT, STR_ARG(shown(c, v.actual)));
    else if (!value_is_known(v.actual))
        complain(c, at, "was known, but now unknown");
    else
        check_known(c, v, at);
}

static void check_attr(struct checker *c, const struct schema_attr *attr, struct pair v, const struct trail *at)
{
    if (!c->issues || (!has_secret(attr, v.planned) && !has_secret(attr, v.actual))) {
        check_value(c, v, at);
        return;
    }
    struct checker probe = {.arena = c->arena};
    check_value(&probe, v, at);
    if (probe.failed)
        complain(c, at, "inconsistent values for sensitive attribute");
}

/* Blocks */

static bool any_is_open(struct pair v)
{
    return !has_content(v.planned) || !has_content(v.actual);
}

static void check_single(struct checker *c, const struct schema_nested_block *b, struct pair v, const struct trail *at)
{
    /* A planned block collection of unknown length may turn out to be empty. */
    if (!value_is_known(v.planned) && value_is_null(v.actual))
        return;
    check_block(c, b->block, v, at);
}

static void check_list(struct checker *c, const struct schema_nested_block *b, struct pair v, const struct trail *at)
{
    if (any_is_open(v))
        return;
    if (v.planned->n != v.actual->n) {
        complain(c, at, "block count changed from %zu to %zu", v.planned->n, v.actual->n);
        return;
    }
    for (size_t i = 0; i < v.planned->n; i++) {
        struct trail inner = trail_element(at, v.planned, i);
        check_block(c, b->block, (struct pair){v.planned->elements[i], v.actual->elements[i]}, &inner);
    }
}

/* A map, or an object in the place of a map. */
static void check_map(struct checker *c, const struct schema_nested_block *b, struct pair v, const struct trail *at)
{
    bool object = v.planned->type->kind == TYPE_OBJECT;
    if (any_is_open(v))
        return;
    if (!object && v.planned->n != v.actual->n) {
        complain(c, at, "block count changed from %zu to %zu", v.planned->n, v.actual->n);
        return;
    }
    for (size_t i = 0; i < v.planned->n; i++) {
        const struct value *actual = value_get(v.actual, element_key(v.planned, i));
        struct trail inner = trail_element(at, v.planned, i);
        if (actual)
            check_block(c, b->block, (struct pair){v.planned->elements[i], actual}, &inner);
        else if (object)
            complain(c, at, "block key " STR_FMT " has vanished", STR_ARG(quoted(c, element_key(v.planned, i))));
    }
    for (size_t i = 0; object && i < v.actual->n; i++)
        if (!value_get(v.planned, element_key(v.actual, i)))
            complain(c, at, "new block key " STR_FMT " has appeared", STR_ARG(quoted(c, element_key(v.actual, i))));
}

static void check_block_element(struct checker *c, const void *ctx, struct pair v, const struct trail *at)
{
    struct trail inside = {at, {.kind = PATH_ELEMENT}};
    check_block(c, ctx, v, &inside);
}

static void check_block_set(struct checker *c, const struct schema_nested_block *b, struct pair v, const struct trail *at)
{
    const struct go_secrets secrets = {.block = b->block};
    if (any_is_open(v))
        return;
    check_set(c, b->block, v, at, check_block_element, &secrets);
    if (v.planned->n < v.actual->n)
        complain(c, at, "block set length changed from %zu to %zu", v.planned->n, v.actual->n);
}

static void check_nested_block(struct checker *c, const struct schema_nested_block *b, struct pair v, const struct trail *at)
{
    switch (b->nesting) {
    case NESTING_INVALID:
    case NESTING_SINGLE:
    case NESTING_GROUP:
        check_single(c, b, v, at);
        break;
    case NESTING_LIST:
        check_list(c, b, v, at);
        break;
    case NESTING_MAP:
        check_map(c, b, v, at);
        break;
    case NESTING_SET:
        check_block_set(c, b, v, at);
        break;
    }
}

static struct pair parts(struct checker *c, struct pair v, struct str name, const struct type *t)
{
    return (struct pair){object_part(c->arena, v.planned, name, t), object_part(c->arena, v.actual, name, t)};
}

static void check_block(struct checker *c, const struct schema_block *schema, struct pair v, const struct trail *at)
{
    const char *what = at ? "" : "Root object ";
    if (value_is_null(v.planned) && value_is_null(v.actual))
        return;
    if (value_is_null(v.planned)) {
        complain(c, at, "%swas absent, but now present", what);
        return;
    }
    if (value_is_null(v.actual)) {
        complain(c, at, "%swas present, but now absent", what);
        return;
    }
    for (size_t i = 0; i < schema->n_attrs; i++) {
        const struct schema_attr *attr = &schema->attrs[i];
        struct trail inner = trail_attr(at, attr->name);
        check_attr(c, attr, parts(c, v, attr->name, attr->value_type), &inner);
    }
    for (size_t i = 0; i < schema->n_blocks; i++) {
        const struct schema_nested_block *b = &schema->blocks[i];
        struct trail inner = trail_attr(at, b->name);
        check_nested_block(c, b, parts(c, v, b->name, b->value_type), &inner);
    }
}

bool change_check_result(struct change_issues *issues, const struct schema_block *schema, const struct value *planned,
                         const struct value *actual)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct checker c = {.arena = scratch, .issues = issues};
    check_block(&c, schema, (struct pair){planned, actual}, NULL);
    return !c.failed;
}
