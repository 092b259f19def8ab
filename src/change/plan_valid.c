/*
 * Checks a provider's plan. Where the configuration sets a value, the plan must have the same value or the prior one (by which
 * the provider says that both mean the same). The provider may only set computed attributes that are null in the configuration.
 * The blocks must be as many as in the configuration, and known.
 *
 * Elements of sets cannot be matched, so there is no check inside them.
 */
#include "base/buf.h"
#include "change/go_text_private.h"
#include "change/walk_private.h"
#include "value/text.h"

struct checker {
    struct change_issues *issues;
    struct arena *arena;
};

/* The three values at one path. */
struct trio {
    const struct value *prior, *config, *planned;
};

#define complain(c, at, ...) change_issue_add((c)->issues, trail_path((c)->issues->arena, PATH_ROOT, (at)), __VA_ARGS__)

static void check_block(struct checker *c, const struct schema_block *schema, struct trio v, const struct trail *at);
static void check_attrs(struct checker *c, struct scope s, struct trio v, const struct trail *at);

static struct trio parts(struct checker *c, struct trio v, struct str name, const struct type *t)
{
    return (struct trio){object_part(c->arena, v.prior, name, t), object_part(c->arena, v.config, name, t),
                         object_part(c->arena, v.planned, name, t)};
}

static bool same(struct checker *c, const struct value *a, const struct value *b)
{
    return value_eq_ignoring_refinements(c->arena, a, b);
}

static bool presence_differs(struct checker *c, struct trio v, const struct trail *at)
{
    if (value_is_null(v.planned) == value_is_null(v.config))
        return false;
    complain(c, at,
             value_is_null(v.planned) ? "planned for absence but config wants existence"
                                      : "planned for existence but config wants absence");
    return true;
}

/* The number of elements as a value, because a set with unknown elements may turn out to have fewer. */
static const struct value *length_of(struct arena *a, const struct value *v)
{
    if (v->state == VALUE_KNOWN && (v->type->kind != TYPE_SET || v->n <= 1 || v->wholly_known))
        return value_int(a, (int64_t)v->n);
    int64_t min = 1, max = (int64_t)v->n;
    if (v->state == VALUE_UNKNOWN) {
        const struct value_refinement *r = v->refinement;
        min = r && r->has_min_length ? r->min_length : 0;
        max = r && r->has_max_length ? r->max_length : INT64_MAX;
    }
    struct value_refinement range = {.not_null = true,
                                     .prefix = STR_EMPTY,
                                     .has_min = true,
                                     .has_max = true,
                                     .min_inclusive = true,
                                     .max_inclusive = true,
                                     .min = number_from_i64(min),
                                     .max = number_from_i64(max)};
    return value_unknown_refined(a, &type_number, &range);
}

static void complain_count(struct checker *c, struct trio v, const struct trail *at)
{
    struct str plan = go_text(c->arena, length_of(c->arena, v.planned), NULL);
    struct str config = go_text(c->arena, length_of(c->arena, v.config), NULL);
    complain(c, at, "count in plan (" STR_FMT ") disagrees with count in config (" STR_FMT ")", STR_ARG(plan), STR_ARG(config));
}

static void complain_key(struct checker *c, const struct trail *at, const char *what, const char *from, struct str key,
                         const char *in)
{
    struct buf quoted BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    text_write_quoted(&quoted, key);
    complain(c, at, "%s key " STR_FMT " from %s is not present in %s", what, STR_ARG(buf_str(&quoted)), from, in);
}

static void check_objects(struct checker *c, const struct schema_attr *attr, struct trio v, const struct trail *at)
{
    struct scope s = scope_of_object(attr->nested);
    const struct type *object = nested_object_type(attr);
    bool map = attr->nested->nesting == NESTING_MAP;
    for (size_t i = 0; i < v.planned->n; i++) {
        struct str key = map ? element_key(v.planned, i) : STR_EMPTY;
        const struct value *config = map ? value_get(v.config, key) : element_at(v.config, i);
        const struct value *prior = map ? value_get(v.prior, key) : element_at(v.prior, i);
        if (!config) {
            complain_key(c, at, "map", "plan", key, "config");
            continue;
        }
        struct trail inner = trail_element(at, v.planned, i);
        if (map)
            inner.step.kind = PATH_ATTR; /* as core does */
        check_attrs(c, s, (struct trio){prior ? prior : value_null(c->arena, object), config, v.planned->elements[i]}, &inner);
    }
    for (size_t i = 0; map && i < v.config->n; i++)
        if (!value_get(v.planned, element_key(v.config, i)))
            complain_key(c, at, "map", "config", element_key(v.config, i), "plan");
}

static void check_nested_attr(struct checker *c, const struct schema_attr *attr, struct trio v, const struct trail *at)
{
    if (presence_differs(c, v, at) || value_is_null(v.config))
        return;
    if (!value_is_known(v.planned)) {
        complain(c, at, "planned unknown for configured value");
        return;
    }
    switch (attr->nested->nesting) {
    case NESTING_INVALID:
    case NESTING_SINGLE:
    case NESTING_GROUP:
        check_attrs(c, scope_of_object(attr->nested), v, at);
        break;
    case NESTING_LIST:
    case NESTING_MAP:
        if (!value_is_known(v.config) || v.config->n != v.planned->n)
            complain_count(c, v, at);
        else
            check_objects(c, attr, v, at);
        break;
    case NESTING_SET: {
        const struct value *plan = length_of(c->arena, v.planned), *config = length_of(c->arena, v.config);
        if (value_equals(plan, config) == TRI_FALSE)
            complain_count(c, v, at);
        break;
    }
    }
}

static void complain_value(struct checker *c, const struct schema_attr *attr, struct trio v, const struct trail *at)
{
    const struct go_secrets secrets = {.attr = attr};
    bool had_prior = !value_is_null(v.prior);
    if (attr->sensitive) {
        complain(c, at,
                 had_prior ? "sensitive planned value does not match config value nor prior value"
                           : "sensitive planned value does not match config value");
        return;
    }
    struct str plan = go_text(c->arena, v.planned, &secrets), config = go_text(c->arena, v.config, &secrets);
    if (had_prior) {
        struct str prior = go_text(c->arena, v.prior, &secrets);
        complain(c, at, "planned value " STR_FMT " does not match config value " STR_FMT " nor prior value " STR_FMT,
                 STR_ARG(plan), STR_ARG(config), STR_ARG(prior));
    } else {
        complain(c, at, "planned value " STR_FMT " does not match config value " STR_FMT, STR_ARG(plan), STR_ARG(config));
    }
}

static void check_attr(struct checker *c, const struct schema_attr *attr, struct trio v, const struct trail *at)
{
    const struct go_secrets secrets = {.attr = attr};
    if (attr->write_only) {
        if (!value_is_null(v.planned))
            complain(c, at, "planned value for write-only attribute is not null");
        return;
    }
    if (same(c, v.planned, v.config))
        return;
    if (!value_is_null(v.prior) && !value_is_null(v.config) && same(c, v.planned, v.prior))
        return;
    if (attr->computed && (!attr->optional || value_is_null(v.config)))
        return;
    if (value_is_null(v.config) && !value_is_null(v.planned)) {
        if (attr->sensitive)
            complain(c, at, "sensitive planned value for a non-computed attribute");
        else
            complain(c, at, "planned value " STR_FMT " for a non-computed attribute",
                     STR_ARG(go_text(c->arena, v.planned, &secrets)));
        return;
    }
    if (attr->nested)
        check_nested_attr(c, attr, v, at);
    else
        complain_value(c, attr, v, at);
}

static void check_attrs(struct checker *c, struct scope s, struct trio v, const struct trail *at)
{
    for (size_t i = 0; i < s.n_attrs; i++) {
        struct trail inner = trail_attr(at, s.attrs[i].name);
        check_attr(c, &s.attrs[i], parts(c, v, s.attrs[i].name, s.attrs[i].value_type), &inner);
    }
}

/* Blocks */

static bool element_is_unknown(struct checker *c, const struct value *element, const struct trail *at)
{
    if (value_is_known(element))
        return false;
    complain(c, at,
             "element representing nested block must not be unknown itself; set nested attribute values to unknown instead");
    return true;
}

static bool count_differs(struct checker *c, struct trio v, const struct trail *at)
{
    size_t in_plan = v.planned->n, in_config = has_content(v.config) ? v.config->n : 0;
    if (in_plan == in_config)
        return false;
    complain(c, at, "block count in plan (%zu) disagrees with count in config (%zu)", in_plan, in_config);
    return true;
}

static void check_block_list(struct checker *c, const struct schema_nested_block *b, struct trio v, const struct trail *at)
{
    if (count_differs(c, v, at))
        return;
    for (size_t i = 0; i < v.planned->n; i++) {
        struct trail inner = trail_element(at, v.planned, i);
        if (element_is_unknown(c, v.planned->elements[i], &inner))
            continue;
        const struct value *prior = element_at(v.prior, i);
        struct trio element = {prior ? prior : value_null(c->arena, b->block->type), v.config->elements[i],
                               v.planned->elements[i]};
        check_block(c, b->block, element, &inner);
    }
}

/* A map, or an object in the place of a map: only the keys of the blocks are compared, not their number. */
static void check_block_map(struct checker *c, const struct schema_nested_block *b, struct trio v, const struct trail *at)
{
    if (v.planned->type->kind == TYPE_MAP && count_differs(c, v, at))
        return;
    for (size_t i = 0; i < v.planned->n; i++) {
        struct trail inner = trail_element(at, v.planned, i);
        struct str key = element_key(v.planned, i);
        const struct value *config = value_get(v.config, key), *prior = value_get(v.prior, key);
        /* For an object the key is checked first, for a map the element. */
        bool object = v.planned->type->kind == TYPE_OBJECT;
        if (object && !config)
            complain_key(c, at, "block", "plan", key, "config");
        else if (element_is_unknown(c, v.planned->elements[i], &inner))
            continue;
        else if (!config)
            complain_key(c, &inner, "block", "plan", key, "config");
        else
            check_block(c, b->block,
                        (struct trio){prior ? prior : value_null(c->arena, b->block->type), config, v.planned->elements[i]},
                        &inner);
    }
    for (size_t i = 0; has_content(v.config) && i < v.config->n; i++)
        if (!value_get(v.planned, element_key(v.config, i)))
            complain_key(c, at, "block", "config", element_key(v.config, i), "plan");
}

static void check_block_set(struct checker *c, struct trio v, const struct trail *at)
{
    for (size_t i = 0; i < v.planned->n; i++) {
        struct trail inner = trail_element(at, v.planned, i);
        (void)element_is_unknown(c, v.planned->elements[i], &inner);
    }
}

static const char *plural(enum schema_nesting nesting)
{
    return nesting == NESTING_LIST ? "list" : nesting == NESTING_SET ? "set" : "map";
}

static void check_nested_block(struct checker *c, const struct schema_nested_block *b, struct trio v, const struct trail *at)
{
    const struct go_secrets secrets = {.block = b->block};
    if (value_raw_eq(v.planned, v.config))
        return;
    if (!value_is_known(v.config)) {
        complain(c, at, "planned value " STR_FMT " for unknown dynamic block", STR_ARG(go_text(c->arena, v.planned, &secrets)));
        return;
    }
    if (!value_is_known(v.planned)) {
        complain(
            c, at,
            "attribute representing nested block must not be unknown itself; set nested attribute values to unknown instead");
        return;
    }
    if (block_is_many(b) && value_is_null(v.planned)) {
        complain(c, at, "attribute representing a %s of nested blocks must be empty to indicate no blocks, not null",
                 plural(b->nesting));
        return;
    }
    switch (b->nesting) {
    case NESTING_INVALID:
    case NESTING_SINGLE:
    case NESTING_GROUP:
        check_block(c, b->block, v, at);
        break;
    case NESTING_LIST:
        check_block_list(c, b, v, at);
        break;
    case NESTING_MAP:
        check_block_map(c, b, v, at);
        break;
    case NESTING_SET:
        check_block_set(c, v, at);
        break;
    }
}

static void check_block(struct checker *c, const struct schema_block *schema, struct trio v, const struct trail *at)
{
    if (presence_differs(c, v, at) || value_is_null(v.planned))
        return;
    check_attrs(c, scope_of_block(schema), v, at);
    for (size_t i = 0; i < schema->n_blocks; i++) {
        const struct schema_nested_block *b = &schema->blocks[i];
        struct trail inner = trail_attr(at, b->name);
        check_nested_block(c, b, parts(c, v, b->name, b->value_type), &inner);
    }
}

bool change_check_plan(struct change_issues *issues, const struct schema_block *schema, const struct value *prior,
                       const struct value *config, const struct value *planned)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct checker c = {issues, scratch};
    size_t before = issues->n;
    check_block(&c, schema, (struct trio){prior, config, planned}, NULL);
    return issues->n == before;
}
