#include "crossplane/name_field.h"

/* Better ones first. */
enum rank { OWN_ID, IDENTIFIER, OWN_ARN, NAME, OWN_NAME, ONLY_ARGUMENT, NO_NAME };

static const struct schema_attr *attr_called(const struct schema_block *block, struct str name)
{
    for (size_t i = 0; i < block->n_attrs; i++)
        if (str_eq(block->attrs[i].name, name))
            return &block->attrs[i];
    return NULL;
}

static bool is_text(const struct schema_attr *attr)
{
    return attr->type && (attr->type->kind == TYPE_STRING || attr->type->kind == TYPE_NUMBER) && !attr->sensitive &&
           !attr->write_only;
}

/* Is this the last words of the type with `ending`? x_route_server: server_id, route_server_id. */
static bool is_own(struct arena *a, struct str type, struct str name, const char *ending)
{
    struct str words = type;
    (void)str_cut(&words, '_'); /* the provider */
    while (words.n > 0) {
        if (str_eq(name, arena_printf(a, STR_FMT "%s", STR_ARG(words), ending)))
            return true;
        (void)str_cut(&words, '_');
    }
    return false;
}

static enum rank rank_of(struct arena *a, struct str type, const struct schema_attr *attr)
{
    static const char *const ids[] = {"identifier", "uuid", "guid", "uid", NULL}, *const arns[] = {"arn", "urn", "self_link",
                                                                                                   NULL};
    if (attr->computed && !attr->optional) {
        if (is_own(a, type, attr->name, "_id"))
            return OWN_ID;
        if (str_is_one_of(attr->name, ids))
            return IDENTIFIER;
        if (str_is_one_of(attr->name, arns) || is_own(a, type, attr->name, "_arn"))
            return OWN_ARN;
        return NO_NAME;
    }
    if (str_eqz(attr->name, "name"))
        return NAME;
    return attr->required && is_own(a, type, attr->name, "_name") ? OWN_NAME : NO_NAME;
}

/* NULL if several arguments are required: each may be only a part of what tells objects apart. */
static const struct schema_attr *only_argument(const struct schema_block *block)
{
    const struct schema_attr *only = NULL;
    for (size_t i = 0; i < block->n_attrs; i++) {
        if (!block->attrs[i].required)
            continue;
        if (only)
            return NULL;
        only = &block->attrs[i];
    }
    return only && only->type && only->type->kind == TYPE_STRING && is_text(only) ? only : NULL;
}

static struct str name_field_of(struct arena *a, struct str type, const struct schema_block *block, bool *ret_repeats)
{
    const struct schema_attr *best = only_argument(block);
    enum rank best_rank = best ? ONLY_ARGUMENT : NO_NAME;
    for (size_t i = 0; i < block->n_attrs; i++) {
        enum rank rank = is_text(&block->attrs[i]) ? rank_of(a, type, &block->attrs[i]) : NO_NAME;
        if (rank < best_rank) {
            best = &block->attrs[i];
            best_rank = rank;
        }
    }
    *ret_repeats = best && best_rank >= NAME;
    return best ? best->name : STR_EMPTY;
}

/* The argument that is the name, if the configuration says so. A prefix stands in the argument, not in the name. */
static struct str argument_of(const struct xp_external_name *e)
{
    if (e->prefix.n > 0 || e->name_from_provider)
        return STR_EMPTY;
    return e->strategy == EXTERNAL_NAME_NAME ? STR("name") : e->field;
}

void xp_external_name_without_id(struct arena *a, struct xp_external_name *e, struct str type, const struct schema_block *block)
{
    bool said = e->strategy == EXTERNAL_NAME_COMPUTED || e->name_field.n > 0 || e->name_template.n > 0;
    e->without_id = !said && !attr_called(block, STR("id"));
    if (!e->without_id)
        return;
    bool by_provider = e->strategy == EXTERNAL_NAME_PROVIDER || e->strategy == EXTERNAL_NAME_CUSTOM;
    e->name_field = by_provider ? name_field_of(a, type, block, &e->name_repeats) : argument_of(e);
}
