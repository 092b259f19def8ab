/*
 * Translates one type: names, identifier, handlers, and what Terraform gets.
 */
#include "translate/translate_private.h"

enum { MAX_PATH_TEXT = CC_MAX_DEPTH * (CFN_MAX_NAME + 1) * 2 };

/* --- notes --- */

static void add_note(struct translating *t, enum cc_note_kind kind, struct str path, struct str text)
{
    *VEC_PUSH(t->arena, &t->notes) = (struct cc_note){kind, path, text};
}

void tr_note(struct translating *t, enum cc_note_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(t->arena, format, args);
    va_end(args);
    add_note(t, kind, buf_copy(&t->path, t->arena), text);
}

/* Strict mode: the first reason counts. */
static void refuse(struct translating *t, struct str suppression)
{
    if (!t->failed)
        t->type->suppression = suppression;
    t->failed = true;
}

void tr_refuse(struct translating *t, const char *what)
{
    if (t->mode == CFN_MODE_DEFAULT)
        return;
    if (strcmp(what, "recursive") == 0)
        refuse(t, STR("recursive"));
    else
        refuse(t, arena_printf(t->arena, "unsupported:" STR_FMT ":%s", STR_ARG(buf_str(&t->path)), what));
}

void tr_clash(struct translating *t, struct str cf_name, struct str other, struct str name)
{
    if (t->mode == CFN_MODE_STRICT)
        refuse(t, arena_printf(t->arena, "name-clash:" STR_FMT "," STR_FMT, STR_ARG(cf_name), STR_ARG(other)));
    else
        tr_note(t, CC_NOTE_APPROXIMATED, STR_FMT " is named " STR_FMT ", because " STR_FMT " has the same name in Terraform",
                STR_ARG(cf_name), STR_ARG(name), STR_ARG(other));
}

bool tr_too_large(struct translating *t, size_t more)
{
    bool too_large =
        t->depth >= CC_MAX_DEPTH || more > t->max_nodes || t->n_nodes > t->max_nodes - more || arena_exhausted(t->arena);
    t->too_large |= too_large;
    return too_large;
}

/* --- pointers --- */

/* The pointer without /properties/ and stars; an invalid pointer gets a path that no property has. */
static struct str plain_path(struct translating *t, const struct cfn_pointer *pointer)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH_TEXT);
    for (size_t i = 0; i < pointer->n; i++) {
        if (str_eq(pointer->steps[i], STR("*")))
            continue;
        if (out.n > 0)
            buf_addc(&out, '/');
        buf_add(&out, pointer->steps[i]);
    }
    return buf_copy(&out, t->arena);
}

static void read_pointers(struct translating *t, const struct cfn_texts *texts, struct tr_pointers *ret)
{
    ret->v = arena_make_n(t->arena, struct tr_pointer, texts->n);
    ret->n = texts->n;
    for (size_t i = 0; i < texts->n; i++) {
        struct cfn_pointer pointer;
        ret->v[i].text = texts->v[i];
        if (cfn_parse_pointer(texts->v[i], &pointer))
            ret->v[i] = (struct tr_pointer){plain_path(t, &pointer), pointer.starred, false, texts->v[i]};
    }
}

static void note_pointers(struct translating *t, const struct tr_pointers *pointers, const char *list)
{
    for (size_t i = 0; i < pointers->n; i++) {
        const struct tr_pointer *p = &pointers->v[i];
        if (!p->used)
            add_note(t, CC_NOTE_IGNORED, STR_EMPTY,
                     arena_printf(t->arena, "%s: " STR_FMT " does not exist", list, STR_ARG(p->text)));
        else if (p->starred && t->mode == CFN_MODE_STRICT)
            add_note(t, CC_NOTE_IGNORED, STR_EMPTY, arena_printf(t->arena, "%s: " STR_FMT " has a star", list, STR_ARG(p->text)));
    }
}

/* --- nodes that are not properties --- */

void tr_id(struct translating *t, struct cc_node *node)
{
    (void)t;
    node->kind = CC_STRING;
    node->type = &type_string;
    node->computed = true;
    node->use_state_for_unknown = true;
    node->description = STR("Uniquely identifies the resource.");
}

void tr_timeouts(struct translating *t, struct cc_node *node)
{
    static const struct {
        const char *name, *description;
    } steps[] = {
        {"create", "How long a creation may take, as \"30m\" or \"2h\"."},
        {"delete", "How long a deletion may take, as \"30m\" or \"2h\"."},
        {"update", "How long an update may take, as \"30m\" or \"2h\"."},
    };
    enum { N = sizeof steps / sizeof steps[0] };
    struct cc_node *children = arena_make_n(t->arena, struct cc_node, N);
    struct type_attr attrs[N];
    uint32_t *positions = arena_make_n(t->arena, uint32_t, N);
    for (uint32_t i = 0; i < N; i++) {
        children[i] = (struct cc_node){.name = str_of(steps[i].name), .cf_name = STR_EMPTY, .parent = node, .kind = CC_STRING};
        children[i].role = CC_ROLE_TIMEOUTS;
        children[i].type = &type_string;
        children[i].optional = true;
        children[i].description = str_of(steps[i].description);
        attrs[i] = (struct type_attr){children[i].name, &type_string, false};
        positions[i] = i;
    }
    node->kind = CC_OBJECT;
    node->optional = true;
    node->description = STR_EMPTY;
    node->children = children;
    node->by_cf_name = positions;
    node->n_children = N;
    node->type = type_object(t->arena, attrs, N);
}

/* --- strict: one flat map of names --- */

struct names_check {
    struct translating *t;
    struct map cf_of, tf_of; /* Terraform -> node, CloudFormation -> node */
    bool twice;              /* one CloudFormation name has two Terraform names */
};

static bool check_name(void *ctx, const struct cc_node *node)
{
    struct names_check *c = ctx;
    if (node->cf_name.n == 0)
        return true;
    const struct cc_node *same = map_get(&c->cf_of, node->name), *other = map_get(&c->tf_of, node->cf_name);
    if (same && !str_eq(same->cf_name, node->cf_name))
        tr_clash(c->t, node->cf_name, same->cf_name, node->name);
    c->twice |= other && !str_eq(other->name, node->name);
    map_put(&c->cf_of, node->name, (void *)node);
    map_put(&c->tf_of, node->cf_name, (void *)node);
    return true;
}

/* awscc has one map of names for all levels of a type, and drops types where that is not one to one. */
static void check_names(struct translating *t, const struct cc_node *root)
{
    struct names_check c = {.t = t};
    map_init(&c.cf_of, t->arena);
    map_init(&c.tf_of, t->arena);
    cc_node_walk(root, check_name, &c);
    /* If no property is named `id`, the synthetic attribute `id` conflicts with a property ID. */
    c.twice |= !map_get(&c.cf_of, STR("id")) && map_get(&c.tf_of, STR("ID"));
    if (c.twice)
        refuse(t, STR("duplicate-id"));
}

/* --- the type --- */

static bool has_update(const struct cc_node *node)
{
    if (node->role == CC_ROLE_PROPERTY && node->name.n > 0) {
        bool create_only = node->create_only && !node->starred_create_only;
        bool read_only = node->read_only && !node->starred_read_only;
        if (!create_only && !read_only)
            return true;
    }
    if (node->element && has_update(node->element))
        return true;
    for (size_t i = 0; i < node->n_children; i++)
        if (node->children[i].role == CC_ROLE_PROPERTY && has_update(&node->children[i]))
            return true;
    return false;
}

static void set_identifiers(struct translating *t)
{
    struct cc_type *type = t->type;
    const struct cfn_texts *pointers = &t->cfn->primary_identifier;
    struct cc_identifier *v = arena_make_n(t->arena, struct cc_identifier, pointers->n);
    for (size_t i = 0; i < pointers->n; i++) {
        struct str plain = pointers->v[i];
        if (str_starts(plain, STR("/properties/")))
            plain = str_slice(plain, sizeof "/properties/" - 1, plain.n);
        v[i].pointer = pointers->v[i];
        v[i].identity_name = cfn_identity_snake(t->arena, str_eqz(plain, "Provider") ? STR("ProviderName") : plain);
        v[i].node = type->root ? cc_node_at_pointer(type->root, pointers->v[i], NULL) : NULL;
    }
    type->identifiers = v;
    type->n_identifiers = pointers->n;
}

static void set_tags(struct cc_type *type)
{
    const struct cc_node *tags = type->root ? cc_node_at_pointer(type->root, type->cfn->tagging.property, NULL) : NULL;
    if (!tags || tags->read_only)
        return;
    const struct cc_node *element = tags->element;
    if (tags->kind == CC_MAP && element->kind == CC_STRING)
        type->tags_are_map = true;
    else if (!element || element->kind != CC_OBJECT || !cc_node_cf_child(element, STR("Key")) ||
             !cc_node_cf_child(element, STR("Value")))
        return;
    type->tags = tags;
}

/* Can objects be listed without arguments? */
static bool can_list(const struct cfn_schema *cfn)
{
    const struct cfn_handler *list = &cfn->handlers[CFN_LIST];
    return list->present && list->required.n == 0 && !list->conditions;
}

/* Default mode: sets the arguments needed to list objects. False if something needed cannot be an argument. */
static bool set_list_arguments(struct translating *t)
{
    const struct cfn_handler *list = &t->cfn->handlers[CFN_LIST];
    size_t n = list->properties && list->properties->kind == JSON_OBJECT ? list->properties->object.n : 0, found = 0;
    const struct cc_list_argument *none = NULL;
    struct cc_list_argument *v = arena_make_n(t->arena, struct cc_list_argument, n);
    if (!list->present || !t->type->root)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct str name = list->properties->object.members[i].key;
        const struct cc_node *node = cc_node_cf_child(t->type->root, name);
        bool required = cfn_texts_have(&list->required, name);
        if (node && (type_is_primitive(node->type)))
            v[found++] = (struct cc_list_argument){node, required};
        else if (required)
            return false;
    }
    if (found < list->required.n)
        return false;
    t->type->list_arguments = found > 0 ? v : none;
    t->type->n_list_arguments = found;
    return true;
}

/* Strict mode: sets what awscc has. A schema from another source may still be untranslatable. */
static void set_has_strict(struct translating *t)
{
    struct cc_type *type = t->type;
    const struct awscc_decision has = awscc_decision(&t->cfn->name);
    const char *stated = awscc_reason(type->cf_type);
    type->has_resource = has.resource && type->root;
    type->has_singular = has.singular && type->root;
    type->has_plural = has.plural;
    type->has_list = has.list && type->has_resource;
    if (stated)
        type->suppression = str_of(stated);
    else if (!has.listed && type->root)
        type->suppression = str_eqz(t->cfn->name.organisation, "AWS") ? STR("not-listed") : STR("organisation");
}

static void set_has(struct translating *t)
{
    struct cc_type *type = t->type;
    if (t->mode == CFN_MODE_STRICT) {
        set_has_strict(t);
        return;
    }
    type->has_resource = type->has_singular = type->root != NULL;
    bool bare = can_list(t->cfn) || awscc_decision(&t->cfn->name).plural;
    type->has_plural = bare || set_list_arguments(t);
    type->has_list = type->has_plural && type->has_resource;
}

static void set_handlers(struct cc_type *type)
{
    const struct cfn_handler *handlers = type->cfn->handlers;
    type->create_minutes = handlers[CFN_CREATE].timeout_minutes;
    type->update_minutes = handlers[CFN_UPDATE].timeout_minutes;
    type->delete_minutes = handlers[CFN_DELETE].timeout_minutes;
}

/* Builds the tree with this many levels of recursion; false if it exceeds max_nodes. */
static bool build(struct translating *t, unsigned levels, size_t max_nodes)
{
    struct cc_node *root = arena_make(t->arena, struct cc_node);
    root->kind = CC_OBJECT;
    root->source = t->cfn->root;
    root->description = t->cfn->description;
    root->name = root->cf_name = STR_EMPTY;
    t->levels = levels;
    t->max_nodes = max_nodes;
    t->n_nodes = t->depth = t->within.n = t->notes.n = 0;
    t->too_large = t->failed = false;
    t->type->suppression = STR_EMPTY;
    buf_clear(&t->path);
    if (tr_too_large(t, t->cfn->properties->object.n))
        refuse(t, STR("too large"));
    else
        tr_children(t, root, &(struct cfn_property){.json = t->cfn->root, .properties = t->cfn->properties},
                    json_get(t->cfn->root, "required"), true);
    if (t->too_large && levels > 0)
        return false;
    if (!t->failed && t->mode == CFN_MODE_STRICT)
        check_names(t, root);
    t->type->root = t->failed ? NULL : root;
    return true;
}

static void build_best(struct translating *t)
{
    if (t->mode == CFN_MODE_STRICT) {
        (void)build(t, 0, CC_MAX_NODES);
        return;
    }
    for (unsigned levels = CC_RECURSION_LEVELS; levels > 0; levels--)
        if (build(t, levels, CC_RECURSION_NODES))
            return;
    (void)build(t, 0, CC_MAX_NODES);
}

static void note_identifiers(struct translating *t)
{
    const struct cc_type *type = t->type;
    if (type->n_identifiers == 0)
        add_note(t, CC_NOTE_IGNORED, STR_EMPTY, STR("it has no primaryIdentifier, so objects cannot be identified"));
    for (size_t i = 0; i < type->n_identifiers; i++)
        if (!type->identifiers[i].node)
            add_note(
                t, CC_NOTE_IGNORED, STR_EMPTY,
                arena_printf(t->arena, "primaryIdentifier: " STR_FMT " does not exist", STR_ARG(type->identifiers[i].pointer)));
}

static void note_all(struct translating *t)
{
    if (t->type->root) {
        note_identifiers(t);
        note_pointers(t, &t->read_only, "readOnlyProperties");
        note_pointers(t, &t->write_only, "writeOnlyProperties");
        note_pointers(t, &t->create_only, "createOnlyProperties");
    }
    if (!json_get(t->cfn->root, "handlers"))
        add_note(t, CC_NOTE_IGNORED, STR_EMPTY, STR("it has no handlers: the service may not support the type"));
    if (t->type->suppression.n > 0)
        add_note(t, CC_NOTE_REFUSED, STR_EMPTY, t->type->suppression);
    t->type->notes = t->notes.v;
    t->type->n_notes = t->notes.n;
    t->type->n_nodes = t->n_nodes;
}

/* A word that is its own plural would name two data sources. Default mode tells them apart; awscc leaves such a plural out. */
static struct str plural_of(struct arena *a, struct str tf_type, enum cfn_mode mode)
{
    struct str plural = cfn_plural(a, tf_type, STR("_plural"));
    bool same = str_eq(plural, tf_type) && mode == CFN_MODE_DEFAULT;
    return same ? arena_printf(a, STR_FMT "_plural", STR_ARG(tf_type)) : plural;
}

const struct cc_type *cc_translate(struct arena *a, const struct cfn_schema *cfn, enum cfn_mode mode)
{
    struct cc_type *type = arena_make(a, struct cc_type);
    struct translating t = {.arena = a, .cfn = cfn, .type = type, .mode = mode, .path = BUF_INIT(MAX_PATH_TEXT)};
    map_init(&t.unions, a);
    map_init(&t.patterns, a);
    type->arena = a;
    type->mode = mode;
    type->cfn = cfn;
    type->cf_type = cfn->type_name;
    type->tf_type = cfn_tf_type(a, &cfn->name);
    type->plural = plural_of(a, type->tf_type, mode);
    type->suppression = STR_EMPTY;
    type->global = awscc_is_global(cfn->name.service);
    read_pointers(&t, &cfn->read_only, &t.read_only);
    read_pointers(&t, &cfn->write_only, &t.write_only);
    read_pointers(&t, &cfn->create_only, &t.create_only);
    read_pointers(&t, &cfn->conditional_create_only, &t.conditional_create_only);
    read_pointers(&t, &cfn->deprecated, &t.deprecated);
    build_best(&t);
    type->immutable = type->root && !has_update(type->root);
    set_identifiers(&t);
    set_tags(type);
    set_handlers(type);
    set_has(&t);
    note_all(&t);
    buf_free(&t.path);
    return type;
}
