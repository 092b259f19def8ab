#include "cloudcontrol/plan.h"

#include "cloudcontrol/compare.h"

#include <stdlib.h>

struct planning {
    struct arena *arena;
    const struct cc_plan_input *in;
    bool update;  /* the object exists */
    bool marking; /* something differs: open attributes become unknown */
    struct cc_paths replace;
};

/* A position in a plan. */
struct spot {
    const struct trail *place;
    /* Terraform compares this part of the plan with this prior part. */
    bool aligned;
    /* In an element that is new or unordered: a difference here is not a change in place. */
    bool loose;
    /* In a write-only attribute. */
    bool hidden;
};

static const struct value *plan_attr(struct planning *p, const struct cc_node *node, const struct value *config,
                                     const struct value *prior, const struct spot *at);

static const struct value *plan_object(struct planning *p, const struct cc_node *node, const struct value *config,
                                       const struct value *prior, const struct spot *at)
{
    const struct value **parts = arena_make_n(p->arena, const struct value *, node->n_children);
    struct spot inner = *at;
    for (size_t i = 0; i < node->n_children; i++) {
        struct trail step = trail_element(at->place, config, i);
        inner.place = &step;
        inner.hidden = at->hidden || node->children[i].write_only;
        parts[i] = plan_attr(p, &node->children[i], config->elements[i], cc_part(prior, i), &inner);
    }
    return cc_make(p->arena, node, parts, NULL, node->n_children);
}

/* --- elements --- */

/* Pairs by content, then by content without write-only parts, then, in lists, by position: an element that changed in place. */
static void find_partners(struct planning *p, const struct cc_node *node, const struct value *config, const struct value *prior,
                          size_t *ret)
{
    const struct cc_comparing all = {.arena = p->arena, .open = CC_OPEN_CONFIG};
    const struct cc_comparing readable = {.arena = p->arena, .open = CC_OPEN_CONFIG, .skip_write_only = true};
    bool *taken = arena_make_n(p->arena, bool, prior->n);
    cc_pair(&all, node->element, config->elements, config->n, prior->elements, prior->n, ret);
    cc_pair_rest(&readable, node->element, config, prior, ret);
    for (size_t i = 0; i < config->n; i++)
        if (ret[i] != CC_NO_PARTNER)
            taken[ret[i]] = true;
    for (size_t i = 0; node->kind == CC_LIST && i < config->n && i < prior->n; i++)
        if (ret[i] == CC_NO_PARTNER && !taken[i])
            ret[i] = i;
}

static const struct value *plan_elements(struct planning *p, const struct cc_node *node, const struct value *config,
                                         const struct value *prior, const struct spot *at)
{
    const struct value **parts = arena_make_n(p->arena, const struct value *, config->n);
    size_t *partners = arena_make_n(p->arena, size_t, config->n);
    if (cc_has_content(prior))
        find_partners(p, node, config, prior, partners);
    for (size_t i = 0; i < config->n; i++) {
        struct trail step = trail_element(at->place, config, i);
        bool found = cc_has_content(prior) && partners[i] != CC_NO_PARTNER;
        bool in_place = node->kind == CC_LIST && found && partners[i] == i;
        /* Terraform compares sets as a whole. */
        struct spot inner = {&step, .aligned = node->kind == CC_SET || (at->aligned && in_place), .hidden = at->hidden};
        inner.loose = at->loose || !in_place || cc_is_unordered(node);
        parts[i] = cc_has_content(config->elements[i])
                       ? plan_object(p, node->element, config->elements[i], found ? prior->elements[partners[i]] : NULL, &inner)
                       : config->elements[i];
    }
    return cc_make(p->arena, node, parts, NULL, config->n);
}

static const struct value *plan_map(struct planning *p, const struct cc_node *node, const struct value *config,
                                    const struct value *prior, const struct spot *at)
{
    const struct value **parts = arena_make_n(p->arena, const struct value *, config->n);
    for (size_t i = 0; i < config->n; i++) {
        struct trail step = trail_element(at->place, config, i);
        const struct value *before = cc_has_content(prior) ? value_get(prior, config->keys[i]) : NULL;
        struct spot inner = {&step, at->aligned, at->loose || !before, at->hidden};
        parts[i] = cc_has_content(config->elements[i]) ? plan_object(p, node->element, config->elements[i], before, &inner)
                                                       : config->elements[i];
    }
    return cc_make(p->arena, node, parts, config->keys, config->n);
}

/* --- one attribute --- */

const struct value *cc_plan_fill(const struct cc_node *node, const struct value *planned)
{
    return planned->state == VALUE_UNKNOWN && node->default_kind == CC_DEFAULT_FILL ? node->by_default : planned;
}

/* Nothing is configured. */
static const struct value *plan_open(struct planning *p, const struct cc_node *node, const struct value *config,
                                     const struct value *prior)
{
    const struct value *by_default = cc_static_default(node);
    /* A create-only attribute keeps its value when it is no longer configured; it does not return to its default. */
    if (by_default && prior && !value_is_null(prior) && node->create_only)
        return prior;
    if (by_default)
        return prior && cc_equal(p->arena, node, prior, by_default) && !value_is_null(prior) ? prior : by_default;
    if (!node->computed)
        return config;
    if (!p->marking || (prior && !(value_is_null(prior) && node->default_kind == CC_DEFAULT_FILL)))
        return prior ? prior : config;
    return cc_plan_fill(node, value_unknown(p->arena, node->type));
}

/* Does the prior value mean the same as the configured one, and may the plan keep it? */
static bool keeps_prior(struct planning *p, const struct cc_node *node, const struct value *config, const struct value *prior,
                        const struct spot *at)
{
    const struct cc_comparing how = {.arena = p->arena, .open = CC_OPEN_CONFIG};
    /* Compared object by object, so that the plan shows only real differences. */
    bool whole = node->kind != CC_OBJECT && (node->kind != CC_MAP || !cc_node_is_nested(node));
    return at->aligned && whole && cc_has_content(prior) && cc_equal_as(&how, node, config, prior);
}

static const struct value *plan_configured(struct planning *p, const struct cc_node *node, const struct value *config,
                                           const struct value *prior, const struct spot *at)
{
    if (keeps_prior(p, node, config, prior, at))
        return prior;
    if (!cc_node_is_nested(node))
        return config;
    switch (node->kind) {
    case CC_OBJECT:
        return plan_object(p, node, config, prior, at);
    case CC_MAP:
        return plan_map(p, node, config, prior, at);
    default:
        return plan_elements(p, node, config, prior, at);
    }
}

/* Keeps the prior tags if they equal the configured tags plus the default tags. */
static const struct value *plan_tags(struct planning *p, const struct cc_node *node, const struct value *config,
                                     const struct value *prior, const struct value *planned)
{
    const struct cc_comparing how = {.arena = p->arena, .open = CC_OPEN_CONFIG};
    if (!config->wholly_known)
        return planned;
    if (value_is_null(config) && !cc_has_content(prior) && p->in->default_tags.n == 0)
        return planned;
    if (value_is_null(config))
        return cc_tags_renew(p->arena, node, prior ? prior : config, p->in->default_tags, p->in->former_tags);
    const struct value *all = cc_tags_merge(p->arena, node, config, p->in->default_tags);
    return cc_has_content(prior) && cc_equal_as(&how, node, all, prior) ? prior : planned;
}

static bool has_default_tags(const struct planning *p, const struct cc_node *node)
{
    return p->in->default_tags.n + p->in->former_tags.n > 0 && p->in->tags_at != SIZE_MAX &&
           node == &p->in->root->children[p->in->tags_at];
}

static void check_replace(struct planning *p, const struct cc_node *node, const struct value *config, const struct value *prior,
                          const struct value *planned, const struct spot *at)
{
    bool top = at->place && !at->place->up;
    bool forced = p->in->no_update && top && node->role == CC_ROLE_PROPERTY && !value_is_null(config);
    bool create_only =
        node->replace == CC_REPLACE_ALWAYS || (node->replace == CC_REPLACE_IF_CONFIGURED && !value_is_null(config));
    if (!p->update || !p->marking || (!forced && (!create_only || (node->starred_create_only && at->loose))))
        return;
    if (p->in->imported && at->hidden)
        return;
    const struct value *before = prior ? prior : value_null(p->arena, node->type);
    const struct cc_comparing how = {.arena = p->arena, .skip_write_only = p->in->imported};
    if (p->in->imported)
        planned = value_unknown_to_null(p->arena, planned);
    if (!cc_equal_as(&how, node, before, planned))
        *VEC_PUSH(p->arena, &p->replace) = trail_path(p->arena, PATH_ROOT, at->place);
}

static const struct value *plan_attr(struct planning *p, const struct cc_node *node, const struct value *config,
                                     const struct value *prior, const struct spot *at)
{
    const struct value *planned = config->state == VALUE_UNKNOWN ? config
                                  : value_is_null(config)        ? plan_open(p, node, config, prior)
                                                                 : plan_configured(p, node, config, prior, at);
    if (has_default_tags(p, node))
        planned = plan_tags(p, node, config, prior, planned);
    check_replace(p, node, config, prior, planned, at);
    return planned;
}

/* --- all --- */

struct named_path {
    struct str text;
    struct path path;
};

static int by_text(const void *a, const void *b)
{
    return str_cmp(((const struct named_path *)a)->text, ((const struct named_path *)b)->text);
}

static struct cc_paths sorted(struct arena *a, const struct cc_paths *paths)
{
    struct named_path *v = arena_make_n(a, struct named_path, paths->n);
    struct cc_paths ret = {.v = arena_make_n(a, struct path, paths->n)};
    for (size_t i = 0; i < paths->n; i++)
        v[i] = (struct named_path){path_text(a, paths->v[i]), paths->v[i]};
    if (paths->n > 1)
        qsort(v, paths->n, sizeof v[0], by_text);
    for (size_t i = 0; i < paths->n; i++)
        if (i == 0 || !str_eq(v[i].text, v[i - 1].text))
            ret.v[ret.n++] = v[i].path;
    ret.cap = paths->n;
    return ret;
}

static const struct value *plan_root(struct planning *p)
{
    const struct spot root = {.aligned = true};
    return plan_object(p, p->in->root, p->in->config, p->update ? p->in->prior : NULL, &root);
}

void cc_plan(struct arena *a, const struct cc_plan_input *in, struct cc_plan *ret)
{
    struct planning p = {.arena = a, .in = in, .update = cc_has_content(in->prior)};
    *ret = (struct cc_plan){.planned = in->proposed};
    if (!cc_has_content(in->proposed) || !cc_has_content(in->config))
        return;
    ret->planned = plan_root(&p);
    if (p.update && value_raw_eq(ret->planned, in->prior))
        return;
    p.marking = true;
    ret->planned = plan_root(&p);
    ret->replace = sorted(a, &p.replace);
}

void cc_plan_type(struct arena *a, const struct cc_type *type, const struct cc_plan_input *input, struct cc_plan *ret)
{
    struct cc_plan_input in = *input;
    in.root = type->root;
    in.no_update = type->mode == CFN_MODE_DEFAULT && !cc_can_update(type);
    in.tags_at = cc_tags_position(type);
    cc_plan(a, &in, ret);
}
