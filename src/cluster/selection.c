#include "cluster/selection.h"

#include "base/vec.h"
#include "links/pattern.h"

struct str selection_name(struct arena *a, const struct kind *kind)
{
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(kind->plural), STR_ARG(kind->group));
}

static bool matches_one(const char *pattern, const struct kind *kind)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str p = str_of(pattern);
    return link_pattern_match(p, kind->terraform_type) || link_pattern_match(p, selection_name(a, kind));
}

bool selection_matches(const struct patterns *patterns, const struct kind *kind)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (matches_one(patterns->v[i], kind))
            return true;
    return false;
}

static bool is_meant(const struct selection_options *o, const struct kind *kind)
{
    return kind->role == KIND_MANAGED && (kind->flavour & o->flavours) != 0 &&
           (o->only.n == 0 || selection_matches(&o->only, kind));
}

/* A pattern that matches nothing is an error. */
static bool check_pattern(const struct selection_options *o, const char *pattern, struct diags *diags)
{
    struct kinds_list all = kinds_all(o->kinds);
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i]->role == KIND_MANAGED && matches_one(pattern, all.v[i]))
            return true;
    struct str near = kinds_closest(o->kinds, diags->arena, str_of(pattern));
    return diags_fail(diags, "Pattern matches nothing",
                      "\"%s\" matches no resource type and no definition of the providers%s" STR_FMT
                      "%s. Patterns are of types (aws_s3_*) or of definitions (*.s3.aws.upbound.io).",
                      pattern, near.n > 0 ? "; did you mean \"" : "", STR_ARG(near), near.n > 0 ? "\"?" : "");
}

static bool serves_config(const struct kind *config, const struct kinds_list *managed)
{
    for (size_t i = 0; i < managed->n; i++)
        if (managed->v[i]->provider == config->provider && managed->v[i]->flavour == config->flavour)
            return true;
    return false;
}

bool selection_make(struct arena *a, const struct selection_options *o, struct diags *diags, struct kinds_list *ret)
{
    struct kinds_list all = kinds_all(o->kinds);
    VEC(const struct kind *) v = {0};
    for (size_t i = 0; i < o->only.n; i++)
        if (!check_pattern(o, o->only.v[i], diags))
            return false;
    for (size_t i = 0; i < all.n; i++)
        if (is_meant(o, all.v[i]))
            *VEC_PUSH(a, &v) = all.v[i];
    struct kinds_list managed = {v.v, v.n};
    for (size_t i = 0; i < all.n; i++)
        if ((all.v[i]->role == KIND_CONFIG || all.v[i]->role == KIND_USAGE) && serves_config(all.v[i], &managed))
            *VEC_PUSH(a, &v) = all.v[i];
    *ret = (struct kinds_list){v.v, v.n};
    return true;
}
