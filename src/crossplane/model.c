#include "crossplane/model.h"

#include "crossplane/name_field.h"

#include <stdlib.h>

const char *const xp_tree_names[N_TREES] = {"forProvider", "initProvider", "atProvider"};

enum { MAX_PATH = 1 << 14 };

struct builder {
    struct arena *arena;
    const struct xp_config *config;
    enum xp_compat compat;
    struct str type;
    bool has_init;
    bool data_source;
    struct xp_notes *notes;
    struct diags *diags;
    bool refused, failed;
    VEC(struct xp_required_rule) rules;
    VEC(struct xp_secret) secrets;
};

/* The position of a field: a chain up to the root, converted to a path only for the few secrets. */
struct field_place {
    const struct field_place *owner; /* NULL: top */
    struct str terraform, json;
    unsigned terraform_lists, json_lists; /* levels of collections between this field and those inside it */
};

/* The shapes of one attribute in the three trees. */
struct shapes {
    const struct xp_shape *of[N_TREES];
};
typedef VEC(struct xp_field) field_list;
struct lists {
    field_list of[N_TREES];
};

void xp_notes_add(struct xp_notes *n, enum xp_note_kind kind, struct str type, struct str path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct xp_note *note = VEC_PUSH(n->arena, n);
    *note = (struct xp_note){kind, arena_str(n->arena, type), arena_str(n->arena, path), arena_vprintf(n->arena, format, args)};
    va_end(args);
}

struct str xp_kind_group(struct arena *a, const struct xp_kind *k, enum xp_flavour flavour)
{
    const struct xp_config *c = k->config.config;
    struct str root = flavour == FLAVOUR_CLUSTER ? c->root_cluster : c->root_namespaced;
    return k->group.n > 0 ? arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(k->group), STR_ARG(root)) : root;
}

/* --- fields of one object --- */

static int by_json(const void *x, const void *y)
{
    return str_cmp(((const struct xp_field *)x)->json, ((const struct xp_field *)y)->json);
}

static struct str field_origin(struct arena *a, const struct xp_field *f)
{
    static const char *const what[] = {
        [FIELD_VALUE] = "",
        [FIELD_SECRET_REF] = "the secret reference of ",
        [FIELD_REFERENCE] = "the reference of ",
        [FIELD_SELECTOR] = "the selector of ",
        [FIELD_INJECTED] = "an injected key",
        [FIELD_ADDED] = "an added field",
    };
    return arena_printf(a, "%s" STR_FMT, what[f->role], STR_ARG(f->attr ? f->attr->path : STR_EMPTY));
}

/* Sorts the fields; duplicate names are an error, because they could not be mapped back to Terraform. */
static struct xp_fields finish_fields(struct builder *b, const field_list *list)
{
    if (list->n > 0)
        qsort(list->v, list->n, sizeof *list->v, by_json);
    if (list->n > 0 && list->v[0].json.n == 0 && !b->failed)
        b->failed = !diags_fail(b->diags, "Field without a name",
                                STR_FMT ": no name for manifests can be made of \"" STR_FMT
                                        "\". Give it one (fields: PATH: name) or leave it out (omit) in the configuration.",
                                STR_ARG(b->type), STR_ARG(field_origin(b->arena, &list->v[0])));
    for (size_t i = 1; i < list->n && !b->failed; i++)
        if (str_eq(list->v[i - 1].json, list->v[i].json)) {
            struct str one = field_origin(b->arena, &list->v[i - 1]), two = field_origin(b->arena, &list->v[i]);
            b->failed = !diags_fail(b->diags, "Two fields of one name",
                                    STR_FMT ": " STR_FMT " and " STR_FMT " would both be \"" STR_FMT
                                            "\" in manifests. Give one of them another name (fields: PATH: name) or leave it out "
                                            "(omit) in the configuration.",
                                    STR_ARG(b->type), STR_ARG(one), STR_ARG(two), STR_ARG(list->v[i].json));
        }
    return (struct xp_fields){list->v, list->n};
}

/* --- shapes --- */

static const struct xp_shape plain_shapes[] = {
    [SHAPE_STRING] = {.kind = SHAPE_STRING},     [SHAPE_NUMBER] = {.kind = SHAPE_NUMBER},
    [SHAPE_INTEGER] = {.kind = SHAPE_INTEGER},   [SHAPE_BOOL] = {.kind = SHAPE_BOOL},
    [SHAPE_ANY] = {.kind = SHAPE_ANY},           [SHAPE_SECRET_KEY] = {.kind = SHAPE_SECRET_KEY},
    [SHAPE_SECRET] = {.kind = SHAPE_SECRET},     [SHAPE_REFERENCE] = {.kind = SHAPE_REFERENCE},
    [SHAPE_SELECTOR] = {.kind = SHAPE_SELECTOR},
};
static const struct xp_shape json_secret = {.kind = SHAPE_SECRET_KEY, .json_secret = true};
static const struct xp_shape secret_key_list = {.kind = SHAPE_LIST, .element = &plain_shapes[SHAPE_SECRET_KEY]};
static const struct xp_shape reference_list = {.kind = SHAPE_LIST, .element = &plain_shapes[SHAPE_REFERENCE]};
static const struct xp_shape list_of_any = {.kind = SHAPE_LIST, .element = &plain_shapes[SHAPE_ANY]};

static struct xp_shape *new_shape(struct builder *b, enum xp_shape_kind kind, const struct xp_shape *element)
{
    struct xp_shape *s = arena_make(b->arena, struct xp_shape);
    s->kind = kind;
    s->element = element;
    return s;
}

static bool is_scalar(const struct xp_tree_type *t)
{
    return t->kind == TREE_STRING || t->kind == TREE_NUMBER || t->kind == TREE_INTEGER || t->kind == TREE_BOOL;
}

static bool is_list(const struct xp_tree_type *t)
{
    return t->kind == TREE_LIST || t->kind == TREE_SET;
}

static struct shapes everywhere(const struct xp_shape *s)
{
    return (struct shapes){{s, s, s}};
}

static struct lists build_fields(struct builder *b, const struct xp_tree_attr *attrs, size_t n, const struct field_place *place);
static struct shapes build_shapes(struct builder *b, const struct xp_tree_attr *attr, const struct xp_tree_type *t,
                                  const struct field_place *place, bool outer);

static void refuse(struct builder *b, struct str path, const char *why)
{
    b->refused = true;
    xp_notes_add(b->notes, NOTE_REFUSED, b->type, path, "%s", why);
}

/* An object without observed fields shows its parameters in the status. */
static struct shapes object_shapes(struct builder *b, const struct xp_tree_attr *attr, const struct xp_tree_type *t,
                                   const struct field_place *place)
{
    struct lists lists = build_fields(b, t->attrs, t->n_attrs, place);
    struct shapes result;
    for (int i = 0; i < N_TREES; i++) {
        struct xp_shape *s = new_shape(b, SHAPE_OBJECT, NULL);
        s->fields = finish_fields(b, &lists.of[i]);
        result.of[i] = s;
    }
    if (result.of[AT_PROVIDER]->fields.n == 0 && !xp_tree_is_output(attr))
        result.of[AT_PROVIDER] = result.of[FOR_PROVIDER];
    return result;
}

static const struct xp_shape *collect(struct builder *b, enum xp_shape_kind kind, const struct xp_shape *element, bool mark)
{
    struct xp_shape *s = new_shape(b, kind, element);
    s->list_type = mark && kind == SHAPE_SET ? LIST_OF_SET : LIST_PLAIN;
    s->map_type = mark && kind == SHAPE_MAP ? MAP_GRANULAR : MAP_PLAIN;
    return s;
}

static const struct xp_shape *embed(struct builder *b, const struct xp_shape *object)
{
    struct xp_shape *s = new_shape(b, SHAPE_OBJECT, NULL);
    *s = *object;
    s->singleton = true;
    return s;
}

static struct shapes collection_shapes(struct builder *b, const struct xp_tree_attr *attr, const struct xp_tree_type *t,
                                       const struct field_place *place, bool outer)
{
    enum xp_shape_kind kind = t->kind == TREE_LIST ? SHAPE_LIST : t->kind == TREE_SET ? SHAPE_SET : SHAPE_MAP;
    bool one = outer && attr->embed, mark = outer && is_scalar(t->element) && b->config->ssa_markers;
    struct field_place inner = *place;
    inner.terraform_lists++;
    inner.json_lists += !one;
    struct shapes s = build_shapes(b, attr, t->element, &inner, false);
    /* In Upjet the status of a list of lists of objects has one list level less. */
    bool loses_level = b->compat >= COMPAT_UPJET_EXACT && outer && is_list(t) && is_list(t->element) &&
                       t->element->element->kind == TREE_OBJECT && !xp_tree_is_output(attr);
    for (int i = 0; i < N_TREES; i++)
        if (!(loses_level && i == AT_PROVIDER))
            s.of[i] = one ? embed(b, s.of[i]) : collect(b, kind, s.of[i], mark);
    return s;
}

static struct shapes tuple_shapes(struct builder *b, const struct xp_tree_attr *attr)
{
    if (b->compat >= COMPAT_UPJET_EXACT)
        refuse(b, attr->path, "A tuple: Upjet cannot generate a resource that has one.");
    else
        xp_notes_add(b->notes, NOTE_REPRESENTED, b->type, attr->path,
                     "A tuple, whose elements have types of their own, is a list of any values; the provider checks them.");
    return everywhere(&list_of_any);
}

static struct shapes build_shapes(struct builder *b, const struct xp_tree_attr *attr, const struct xp_tree_type *t,
                                  const struct field_place *place, bool outer)
{
    switch (t->kind) {
    case TREE_STRING:
        return everywhere(&plain_shapes[SHAPE_STRING]);
    case TREE_NUMBER:
        return everywhere(&plain_shapes[SHAPE_NUMBER]);
    case TREE_INTEGER:
        return everywhere(&plain_shapes[SHAPE_INTEGER]);
    case TREE_BOOL:
        return everywhere(&plain_shapes[SHAPE_BOOL]);
    case TREE_LIST:
    case TREE_SET:
    case TREE_MAP:
        return collection_shapes(b, attr, t, place, outer);
    case TREE_OBJECT:
        return object_shapes(b, attr, t, place);
    case TREE_TUPLE:
        return tuple_shapes(b, attr);
    case TREE_ANY:
        break;
    }
    return everywhere(&plain_shapes[SHAPE_ANY]);
}

/* --- server-side apply --- */

static const struct xp_shape *inject(struct builder *b, const struct xp_shape *object, const struct xp_merge_rule *merge,
                                     bool with_default)
{
    field_list list = {0};
    for (size_t i = 0; i < object->fields.n; i++)
        *VEC_PUSH(b->arena, &list) = object->fields.v[i];
    *VEC_PUSH(b->arena, &list) = (struct xp_field){
        .json = xp_name_json(b->arena, merge->inject_key),
        .go = xp_name_camel(&b->config->names, b->arena, merge->inject_key),
        .role = FIELD_INJECTED,
        .shape = &plain_shapes[SHAPE_STRING],
        .by_default = with_default ? merge->inject_default : NULL,
    };
    struct xp_shape *s = new_shape(b, SHAPE_OBJECT, NULL);
    *s = *object;
    s->fields = finish_fields(b, &list);
    return s;
}

static enum xp_list_type list_type_of(struct str name)
{
    return str_eqz(name, "atomic") ? LIST_ATOMIC : str_eqz(name, "set") ? LIST_OF_SET : LIST_OF_MAP;
}

static const struct xp_shape *merged(struct builder *b, const struct xp_shape *from, const struct xp_merge_rule *merge,
                                     enum xp_tree_name tree)
{
    struct xp_shape *s = new_shape(b, from->kind, NULL);
    *s = *from;
    if (merge->inject_key.n > 0 && s->element && s->element->kind == SHAPE_OBJECT)
        s->element = inject(b, s->element, merge, tree != AT_PROVIDER);
    if (merge->map_type.n > 0)
        s->map_type = str_eqz(merge->map_type, "atomic") ? MAP_ATOMIC : MAP_GRANULAR;
    if (merge->list_type.n > 0 && !(tree == AT_PROVIDER && str_eqz(merge->list_type, "map"))) {
        s->list_type = list_type_of(merge->list_type);
        s->keys = merge->keys;
    }
    return s;
}

/* --- secrets --- */

static void put_place(struct buf *out, const struct field_place *p, bool terraform)
{
    if (p->owner) {
        put_place(out, p->owner, terraform);
        buf_addc(out, '.');
    }
    buf_add(out, terraform ? p->terraform : p->json);
    for (unsigned i = 0; i < (terraform ? p->terraform_lists : p->json_lists); i++)
        buf_addz(out, "[*]");
}

static struct str place_text(struct builder *b, const struct field_place *p, bool terraform, const char *prefix)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    buf_addz(&out, prefix);
    put_place(&out, p, terraform);
    return buf_copy(&out, b->arena);
}

static void note_secret(struct builder *b, const struct xp_tree_attr *attr, const struct field_place *place, bool output,
                        bool as_json)
{
    struct field_place p = *place;
    if (is_list(attr->type) && (output || !as_json))
        p.terraform_lists = p.json_lists = 1;
    *VEC_PUSH(b->arena, &b->secrets) = (struct xp_secret){
        .terraform = place_text(b, &p, true, ""),
        .object = place_text(b, &p, false, output ? "status.atProvider." : ""),
        .output = output,
        .json = as_json,
    };
}

/* NULL if it can only be stored as JSON. */
static const struct xp_shape *secret_shape(const struct xp_tree_type *t)
{
    if (t->kind == TREE_STRING)
        return &plain_shapes[SHAPE_SECRET_KEY];
    if (!t->element || t->element->kind != TREE_STRING)
        return NULL;
    return t->kind == TREE_MAP ? &plain_shapes[SHAPE_SECRET] : &secret_key_list;
}

/* --- one attribute --- */

static bool in_init(const struct builder *b, const struct xp_tree_attr *attr)
{
    if (!b->has_init || attr->identifier || (attr->reference && !b->config->references_in_init))
        return false;
    return !attr->sensitive || b->config->secrets_in_init;
}

/*
 * A rule over both trees makes top-level parameters required, and only if the object is created or changed. At lower levels,
 * `required` is used only where initProvider cannot provide the value. Arguments of data sources are always required. True if the
 * field belongs in `required`.
 */
static bool require(struct builder *b, const struct xp_tree_attr *attr, struct str json, bool top)
{
    bool required = xp_tree_is_required(attr) && !(attr->reference && !attr->sensitive);
    if (!required)
        return false;
    if (b->data_source)
        return true;
    if (attr->identifier || !top)
        return !in_init(b, attr);
    struct xp_required_rule rule = {.json = json, .init = in_init(b, attr) && !attr->sensitive};
    if (xp_name_in_rules(b->arena, json, &rule.in_cel))
        *VEC_PUSH(b->arena, &b->rules) = rule;
    else
        xp_notes_add(b->notes, NOTE_REDUCED, b->type, attr->path,
                     "Required, but a rule cannot refer to \"" STR_FMT "\": only the provider checks it.", STR_ARG(json));
    return false;
}

static void add_secret(struct builder *b, struct lists *lists, const struct xp_tree_attr *attr, const struct field_place *owner)
{
    const struct xp_config *c = b->config;
    bool output = xp_tree_is_output(attr);
    struct str snake = xp_name_secret_ref(&c->names, b->arena, attr->name);
    struct field_place place = {
        .owner = owner, .terraform = attr->name, .json = xp_name_json(b->arena, output ? attr->name : snake)};
    const struct xp_shape *shape = secret_shape(attr->type);
    bool as_json = !shape;
    if (as_json && !output && b->compat >= COMPAT_UPJET_EXACT) {
        refuse(b, attr->path,
               "Sensitive, but neither a string nor a list, set or map of strings: Upjet cannot generate such a resource.");
        return;
    }
    note_secret(b, attr, &place, output, as_json);
    if (output) {
        (void)build_shapes(b, attr, attr->type, &place, true); /* for the secrets in it */
        return;
    }
    if (as_json) {
        xp_notes_add(
            b->notes, NOTE_REPRESENTED, b->type, attr->path,
            "Sensitive, but neither a string nor a list, set or map of strings: the key of the secret holds the value as JSON.");
        shape = &json_secret;
    }
    struct xp_field f = {
        .attr = attr,
        .json = place.json,
        .go = arena_printf(b->arena, STR_FMT "SecretRef", STR_ARG(xp_name_camel(&c->names, b->arena, attr->name))),
        .role = FIELD_SECRET_REF,
        .shape = shape,
    };
    f.required = require(b, attr, f.json, !owner);
    *VEC_PUSH(b->arena, &lists->of[FOR_PROVIDER]) = f;
    if (!in_init(b, attr))
        return;
    f.required = xp_tree_is_required(attr) && b->compat >= COMPAT_UPJET;
    if (b->compat >= COMPAT_UPJET_EXACT && attr->type->element) /* Upjet also leaves the plain value there */
        f.shape = build_shapes(b, attr, attr->type, &place, false).of[INIT_PROVIDER];
    *VEC_PUSH(b->arena, &lists->of[INIT_PROVIDER]) = f;
}

static void add_references(struct builder *b, struct lists *lists, const struct xp_tree_attr *attr)
{
    const struct xp_reference_rule *rule = attr->reference;
    bool many = is_list(attr->type);
    struct str ref = xp_name_reference(b->arena, attr->name, many, rule->ref);
    struct str selector = xp_name_selector(b->arena, attr->name, rule->selector);
    const struct xp_names *names = &b->config->names;
    struct xp_field fields[] = {
        {.attr = attr,
         .json = xp_name_json(b->arena, ref),
         .go = xp_name_camel(names, b->arena, ref),
         .role = FIELD_REFERENCE,
         .shape = many ? &reference_list : &plain_shapes[SHAPE_REFERENCE]},
        {.attr = attr,
         .json = xp_name_json(b->arena, selector),
         .go = xp_name_camel(names, b->arena, selector),
         .role = FIELD_SELECTOR,
         .shape = &plain_shapes[SHAPE_SELECTOR]},
    };
    for (size_t i = 0; i < 2; i++) {
        *VEC_PUSH(b->arena, &lists->of[FOR_PROVIDER]) = fields[i];
        if (in_init(b, attr))
            *VEC_PUSH(b->arena, &lists->of[INIT_PROVIDER]) = fields[i];
    }
}

static void note_oddities(struct builder *b, const struct xp_tree_attr *attr)
{
    if (attr->group && b->compat >= COMPAT_UPJET_EXACT)
        refuse(b, attr->path, "A block of nesting GROUP: Upjet cannot generate a resource that has one.");
    else if (attr->group)
        xp_notes_add(b->notes, NOTE_REPRESENTED, b->type, attr->path,
                     "A block of nesting GROUP is written as one of nesting SINGLE.");
    if (attr->odd_nesting)
        xp_notes_add(b->notes, NOTE_REDUCED, b->type, attr->path, "Its nesting mode is unknown: generated as a single object.");
}

/* The API server can compare old and new values only where it can correlate them: not in elements of lists. */
static void check_immutable(struct builder *b, const struct xp_tree_attr *attr, const struct field_place *owner)
{
    bool in_list = !is_scalar(attr->type);
    for (; owner; owner = owner->owner)
        in_list |= owner->terraform_lists != 0 && owner->json_lists != 0;
    if (in_list && !b->failed)
        b->failed =
            !diags_fail(b->diags, "Field cannot be made immutable",
                        STR_FMT ": " STR_FMT " is not a single value, or is part of a list. Only single values outside lists can "
                                "be immutable.",
                        STR_ARG(b->type), STR_ARG(attr->path));
}

static void add_attr(struct builder *b, struct lists *lists, const struct xp_tree_attr *attr, const struct field_place *owner)
{
    note_oddities(b, attr);
    if (attr->immutable)
        check_immutable(b, attr, owner);
    if (attr->sensitive) {
        add_secret(b, lists, attr, owner);
        return;
    }
    struct xp_field f = {
        .attr = attr,
        .json = attr->json.n > 0 ? attr->json : xp_name_json(b->arena, attr->name),
        .go = xp_name_camel(&b->config->names, b->arena, attr->name),
        .role = FIELD_VALUE,
    };
    struct field_place place = {.owner = owner, .terraform = attr->name, .json = f.json};
    struct shapes s = build_shapes(b, attr, attr->type, &place, true);
    for (int i = 0; attr->merge && i < N_TREES; i++)
        s.of[i] = merged(b, s.of[i], attr->merge, (enum xp_tree_name)i);
    f.shape = s.of[AT_PROVIDER];
    if (!attr->beside)
        *VEC_PUSH(b->arena, &lists->of[AT_PROVIDER]) = f;
    if (xp_tree_is_output(attr))
        return;
    f.shape = s.of[FOR_PROVIDER];
    f.required = require(b, attr, f.json, !owner);
    f.immutable = attr->immutable;
    *VEC_PUSH(b->arena, &lists->of[FOR_PROVIDER]) = f;
    if (in_init(b, attr)) {
        f.shape = s.of[INIT_PROVIDER];
        f.required = f.immutable = false;
        *VEC_PUSH(b->arena, &lists->of[INIT_PROVIDER]) = f;
    }
    if (attr->reference)
        add_references(b, lists, attr);
}

static struct lists build_fields(struct builder *b, const struct xp_tree_attr *attrs, size_t n, const struct field_place *place)
{
    struct lists lists = {0};
    for (size_t i = 0; i < n && !b->failed; i++)
        add_attr(b, &lists, &attrs[i], place);
    return lists;
}

/* --- fields that the configuration adds --- */

static const struct xp_shape *add_below(struct builder *b, const struct xp_shape *s, struct str path, const struct json *schema);

/* The fields with one added at `path`; unchanged if the path does not exist. */
static struct xp_fields add_field(struct builder *b, struct xp_fields fields, struct str path, const struct json *schema,
                                  bool *ret_added)
{
    struct str rest = path;
    struct str name = str_cut(&rest, '.');
    field_list list = {0};
    bool found = false;
    for (size_t i = 0; i < fields.n; i++) {
        struct xp_field *f = VEC_PUSH(b->arena, &list);
        *f = fields.v[i];
        if (rest.n == 0 || !str_eq(f->json, name))
            continue;
        const struct xp_shape *below = add_below(b, f->shape, rest, schema);
        found = below != NULL;
        f->shape = below ? below : f->shape;
    }
    if (rest.n == 0) {
        struct xp_shape *raw = new_shape(b, SHAPE_RAW, NULL);
        raw->raw = schema;
        struct str snake = xp_name_snake_of_camel(b->arena, name);
        *VEC_PUSH(b->arena, &list) = (struct xp_field){
            .json = name, .go = xp_name_camel(&b->config->names, b->arena, snake), .role = FIELD_ADDED, .shape = raw};
        found = true;
    }
    *ret_added = found;
    return finish_fields(b, &list);
}

static const struct xp_shape *add_below(struct builder *b, const struct xp_shape *s, struct str path, const struct json *schema)
{
    struct xp_shape *copy = new_shape(b, s->kind, NULL);
    *copy = *s;
    if (s->kind == SHAPE_OBJECT) {
        bool added;
        copy->fields = add_field(b, s->fields, path, schema, &added);
        return added ? copy : NULL;
    }
    if (!s->element)
        return NULL;
    copy->element = add_below(b, s->element, path, schema);
    return copy->element ? copy : NULL;
}

static void add_configured(struct builder *b, const struct xp_resource_config *config, struct xp_kind *k)
{
    for (size_t i = 0; i < config->n_added; i++) {
        struct xp_added_field *added = config->added[i];
        for (int t = 0; t < N_TREES; t++) {
            bool done = false;
            if (str_eqz(added->tree, xp_tree_names[t]))
                k->trees[t] = add_field(b, k->trees[t], added->path, added->schema, &done);
            if (done)
                added->used = true;
        }
    }
}

/* --- the kind --- */

static int by_terraform_path(const void *x, const void *y)
{
    return str_cmp(((const struct xp_secret *)x)->terraform, ((const struct xp_secret *)y)->terraform);
}

static int by_rule_name(const void *x, const void *y)
{
    return str_cmp(((const struct xp_required_rule *)x)->json, ((const struct xp_required_rule *)y)->json);
}

void xp_kind_names(struct arena *a, const struct xp_resource_config *config, struct xp_kind *k)
{
    bool data = xp_config_is_data_source(config);
    struct str type = data ? str_slice(config->type, sizeof DATA_SOURCE_PREFIX - 1, config->type.n) : config->type;
    struct xp_group_kind usual = xp_name_group_kind(&config->config->names, a, type);
    if (data) /* most data sources have the same name as a resource */
        usual.kind = arena_printf(a, STR_FMT "DataSource", STR_ARG(usual.kind));
    k->group = config->has_group ? config->group : usual.group;
    k->kind = config->kind.n > 0 ? config->kind : usual.kind;
    if (k->kind.n > 0 && k->kind.p[0] >= '0' && k->kind.p[0] <= '9') /* a kind must not begin with a digit */
        k->kind =
            arena_printf(a, STR_FMT STR_FMT, STR_ARG(xp_name_camel(&config->config->names, a, usual.group)), STR_ARG(k->kind));
    k->plural = config->plural.n > 0 ? config->plural : xp_name_plural(a, k->kind);
    k->singular = arena_lower(a, k->kind);
    k->list_kind = arena_printf(a, STR_FMT "List", STR_ARG(k->kind));
    k->version = config->version;
}

enum xp_model_result xp_kind_build(struct arena *a, struct str type, const struct schema *s,
                                   const struct xp_resource_config *config, struct xp_notes *notes, struct diags *diags,
                                   struct xp_kind *ret)
{
    struct xp_kind k = {
        .terraform_type = type, .data_source = xp_config_is_data_source(config), .flavour = config->flavour, .config = *config};
    if (!k.data_source)
        xp_external_name_without_id(a, &k.config.external_name, type, s->block);
    k.has_init = config->config->init_provider && !k.data_source;
    struct builder b = {.arena = a,
                        .config = config->config,
                        .compat = config->compat,
                        .type = type,
                        .has_init = k.has_init,
                        .data_source = k.data_source,
                        .notes = notes,
                        .diags = diags};
    if (!xp_tree_build(a, s, config, diags, &k.tree))
        return MODEL_FAILED;
    xp_kind_names(a, config, &k);
    k.description = config->description.n > 0 ? config->description : s->block->description;
    struct lists lists = build_fields(&b, k.tree.attrs, k.tree.n_attrs, NULL);
    for (int i = 0; i < N_TREES; i++)
        k.trees[i] = finish_fields(&b, &lists.of[i]);
    add_configured(&b, config, &k);
    if (b.failed)
        return MODEL_FAILED;
    if (b.refused)
        return MODEL_REFUSED;
    if (b.rules.n > 0)
        qsort(b.rules.v, b.rules.n, sizeof *b.rules.v, by_rule_name);
    if (b.secrets.n > 0)
        qsort(b.secrets.v, b.secrets.n, sizeof *b.secrets.v, by_terraform_path);
    k.rules = b.rules.v;
    k.n_rules = b.rules.n;
    k.secrets = b.secrets.v;
    k.n_secrets = b.secrets.n;
    *ret = k;
    return MODEL_OK;
}
