#include "cloudcontrol/identifier.h"

#include "cloudcontrol/node_value_private.h"

/* Larger than Cloud Control's limit and than any real identifier. */
enum { MAX_IDENTIFIER = 1 << 16 };

struct str cc_identifier_text(struct arena *a, const struct value *v)
{
    if (!cc_has_content(v))
        return STR_EMPTY;
    switch (v->type->kind) {
    case TYPE_STRING:
        return v->string;
    case TYPE_NUMBER:
        return number_text(a, v->number);
    case TYPE_BOOL:
        return v->boolean ? STR("true") : STR("false");
    default:
        return STR_EMPTY;
    }
}

/* --- parts of the identifier in an object --- */

/* The node's value within `object`; NULL if something on the way is null or an array. */
static const struct value *find(const struct cc_node *node, const struct value *object)
{
    if (!node->parent)
        return object;
    const struct value *within = find(node->parent, object);
    return node->parent->kind == CC_OBJECT ? cc_part(within, (size_t)(node - node->parent->children)) : NULL;
}

static struct str part_of(struct arena *a, const struct cc_identifier *part, const struct value *object)
{
    return part->node && object ? cc_identifier_text(a, find(part->node, object)) : STR_EMPTY;
}

static void join(struct buf *out, size_t i, struct str part)
{
    if (i > 0)
        buf_addc(out, '|');
    buf_add(out, part);
}

/* --- the attribute id --- */

static size_t id_position(const struct cc_node *root)
{
    for (size_t i = 0; i < root->n_children; i++)
        if (root->children[i].role == CC_ROLE_ID)
            return i;
    return SIZE_MAX;
}

const struct value *cc_with_id(struct arena *a, const struct cc_node *root, const struct value *object, struct str id)
{
    const struct value *text = value_string(a, id);
    size_t at = id_position(root);
    if (at == SIZE_MAX || !text || !cc_has_content(object))
        return object;
    const struct value **parts = arena_make_n(a, const struct value *, object->n);
    for (size_t i = 0; i < object->n; i++)
        parts[i] = i == at ? text : object->elements[i];
    return cc_make(a, root, parts, NULL, object->n);
}

struct str cc_id_of(const struct cc_node *root, const struct value *object)
{
    size_t at = id_position(root);
    const struct value *id = at == SIZE_MAX ? NULL : cc_part(object, at);
    return cc_has_content(id) ? id->string : STR_EMPTY;
}

const struct value *cc_import_object(struct arena *a, const struct cc_node *root, struct str id)
{
    const struct value **parts = arena_make_n(a, const struct value *, root->n_children);
    for (size_t i = 0; i < root->n_children; i++)
        parts[i] = value_null(a, root->children[i].type);
    return cc_with_id(a, root, cc_make(a, root, parts, NULL, root->n_children), id);
}

/* --- identity --- */

/* Splits an id if it has `n` parts, as many as the type's identifier; if `n` is 1, the whole id is the part. */
static bool split(struct str id, size_t n, struct str *ret)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (str_find(id, '|', 0) == SIZE_MAX)
            return false;
        ret[i] = str_cut(&id, '|');
    }
    if (n > 1 && str_find(id, '|', 0) != SIZE_MAX)
        return false;
    ret[n - 1] = id;
    return true;
}

static struct str identity_part(struct arena *a, const struct cc_type *type, struct str name, const struct value *object,
                                const struct str *of_id)
{
    for (size_t i = 0; i < type->n_identifiers; i++) {
        if (!str_eq(type->identifiers[i].identity_name, name))
            continue;
        struct str text = part_of(a, &type->identifiers[i], object);
        return text.n == 0 && of_id ? of_id[i] : text;
    }
    return STR_EMPTY;
}

const struct value *cc_identity(struct arena *a, const struct cc_type *type, const struct type *identity_type,
                                const struct value *object, struct str id, struct str account, struct str region)
{
    struct str *of_id = arena_make_n(a, struct str, type->n_identifiers + 1);
    bool whole = type->n_identifiers > 0 && split(id, type->n_identifiers, of_id);
    const struct value **parts = arena_make_n(a, const struct value *, identity_type->n);
    for (size_t i = 0; i < identity_type->n; i++) {
        struct str name = identity_type->attrs[i].name;
        /* A property with this name takes precedence over the provider's account or region. */
        struct str text = identity_part(a, type, name, object, whole ? of_id : NULL);
        if (text.n == 0 && str_eqz(name, "account_id"))
            text = account;
        else if (text.n == 0 && str_eqz(name, "region"))
            text = region;
        const struct value *v = text.n > 0 ? value_string(a, text) : NULL;
        parts[i] = v ? v : value_null(a, &type_string);
    }
    return value_object(a, identity_type, parts);
}

static bool is_identifier(const struct cc_type *type, const char *name)
{
    for (size_t i = 0; i < type->n_identifiers; i++)
        if (str_eqz(type->identifiers[i].identity_name, name))
            return true;
    return false;
}

/* If set, it must be the provider's own. */
static bool check_ours(struct arena *a, const struct cc_type *type, const struct value *identity, const char *name,
                       struct str ours, struct diags *diags)
{
    const struct value *v = is_identifier(type, name) ? NULL : value_get(identity, str_of(name));
    struct str given = v ? cc_identifier_text(a, v) : STR_EMPTY;
    if (given.n == 0 || ours.n == 0 || str_eq(given, ours))
        return true;
    return diags_fail_at(diags, path_attr(a, PATH_ROOT, str_of(name)), "Invalid Identity Attribute Value",
                         "The identity has %s \"" STR_FMT "\", but the provider is configured for \"" STR_FMT "\".", name,
                         STR_ARG(given), STR_ARG(ours));
}

bool cc_identity_to_id(struct arena *a, const struct cc_type *type, const struct value *identity, struct str account,
                       struct str region, struct diags *diags, struct str *ret)
{
    struct buf id BUF_AUTO = BUF_INIT(MAX_IDENTIFIER);
    if (!check_ours(a, type, identity, "account_id", account, diags) || !check_ours(a, type, identity, "region", region, diags))
        return false;
    for (size_t i = 0; i < type->n_identifiers; i++) {
        struct str name = type->identifiers[i].identity_name;
        const struct value *v = value_get(identity, name);
        struct str part = v ? cc_identifier_text(a, v) : STR_EMPTY;
        if (part.n == 0 && cc_identity_is_ours(type, name))
            part = str_eqz(name, "region") ? region : account;
        if (part.n == 0)
            return diags_fail_at(diags, path_attr(a, PATH_ROOT, name), "Missing Identity Attribute Value",
                                 "The identity needs a value for \"" STR_FMT "\".", STR_ARG(name));
        join(&id, i, part);
    }
    if (id.n == 0 || !buf_ok(&id))
        return diags_fail(diags, "Invalid identity", "Objects of this type have no identifier, or it is too long.");
    *ret = buf_copy(&id, a);
    return true;
}
