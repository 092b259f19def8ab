#include "generate/crd.h"
#include "generate/go_types_private.h"

#include <stdio.h>

/* A placeholder in a body: MARK, the number of a class, MARK_END. Input never contains these bytes. */
enum { MARK = 1, MARK_END = 2 };

static const char *const suffixes[N_TREES] = {"Parameters", "InitParameters", "Observation"};

/* Method names that every struct has, so fields must not. */
static const char *const methods[] = {"DeepCopy", "DeepCopyInto"};

/* --- names of fields --- */

static bool is_in(const struct str *names, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(names[i], name))
            return true;
    return false;
}

static struct str unique_name(struct go_kind *k, const struct str *names, size_t n, struct str go)
{
    struct str base = go_identifier(k->arena, go);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (str_eqz(base, methods[i]))
            base = arena_printf(k->arena, "%s_", methods[i]);
    struct str name = base;
    for (unsigned i = 2; is_in(names, n, name); i++)
        name = arena_printf(k->arena, STR_FMT "_%u", STR_ARG(base), i);
    return name;
}

static const struct str *field_names(struct go_kind *k, struct xp_fields fields)
{
    struct str *names = arena_make_n(k->arena, struct str, fields.n);
    for (size_t i = 0; i < fields.n; i++)
        names[i] = unique_name(k, names, i, fields.v[i].go);
    return names;
}

/* --- bodies --- */

static struct str description(struct go_kind *k, const struct xp_field *f)
{
    if (f->shape->kind == SHAPE_RAW)
        return json_text(json_get(f->shape->raw, "description"), STR_EMPTY);
    if (f->role == FIELD_VALUE && f->attr->description.n == 0 && !f->attr->deprecated)
        return STR_EMPTY;
    return crd_describe(k->arena, k->kind, k->flavour, f);
}

static void put_list_markers(struct go_kind *k, struct buf *out, const struct xp_shape *s)
{
    static const char *const types[] = {[LIST_ATOMIC] = "atomic", [LIST_OF_SET] = "set", [LIST_OF_MAP] = "map"};
    if (s->list_type == LIST_PLAIN)
        return;
    buf_printf(out, "\t// +listType=%s\n", types[s->list_type]);
    for (size_t i = 0; s->list_type == LIST_OF_MAP && i < s->keys.n; i++) {
        if (!go_is_tag(s->keys.v[i]))
            k->bad_field = s->keys.v[i];
        buf_printf(out, "\t// +listMapKey=" STR_FMT "\n", STR_ARG(s->keys.v[i]));
    }
}

static void put_default(struct buf *out, const struct json *value)
{
    buf_addz(out, "\t// +kubebuilder:default:=");
    struct json_writer w = {.out = out};
    json_write(&w, value);
    (void)json_finish(&w);
    buf_addc(out, '\n');
}

static void put_markers(struct go_kind *k, struct buf *out, const struct xp_field *f, const struct xp_shape *s,
                        enum xp_tree_name tree)
{
    if (f->required)
        buf_addz(out, "\t// +kubebuilder:validation:Required\n");
    else if (tree == FOR_PROVIDER)
        buf_addz(out, "\t// +kubebuilder:validation:Optional\n");
    if (f->by_default)
        put_default(out, f->by_default);
    if (f->immutable && tree == FOR_PROVIDER)
        buf_addz(out, "\t// +kubebuilder:validation:XValidation:rule=\"self == oldSelf\",message=\"cannot be changed once it is "
                      "set\"\n");
    if (go_form(s) == GO_SLICE)
        put_list_markers(k, out, s);
    if (s->kind == SHAPE_MAP && s->map_type != MAP_PLAIN)
        buf_addz(out, s->map_type == MAP_ATOMIC ? "\t// +mapType=atomic\n" : "\t// +mapType=granular\n");
}

static void put_tags(struct go_kind *k, struct buf *out, const struct xp_field *f)
{
    if (!go_is_tag(f->json))
        k->bad_field = f->json;
    buf_addz(out, "`json:\"");
    buf_add(out, f->json);
    buf_addz(out, f->required ? "\" tf:\"" : ",omitempty\" tf:\"");
    bool in_terraform = f->role == FIELD_VALUE && go_is_tag(f->attr->name);
    buf_add(out, in_terraform ? f->attr->name : STR("-"));
    /* An attribute as blocks is sent even if it is empty. */
    buf_addz(out, in_terraform && !f->attr->as_blocks ? ",omitempty\"`" : "\"`");
}

static void put_field(struct go_kind *k, struct buf *out, const struct go_class *c, size_t i)
{
    const struct xp_field *f = &c->fields.v[i];
    const struct xp_shape *s = c->shapes[i];
    char mark[16] = "";
    if (c->children[i])
        (void)snprintf(mark, sizeof mark, "%c%u%c", MARK, c->children[i], MARK_END);
    buf_addz(out, i > 0 ? "\n" : "");
    go_comment(out, description(k, f));
    put_markers(k, out, f, s, c->tree);
    buf_addc(out, '\t');
    buf_add(out, c->names[i]);
    buf_addc(out, ' ');
    go_put_type(out, s, k->flavour, go_is_pointer(s, f->required), str_of(mark));
    buf_addc(out, ' ');
    put_tags(k, out, f);
    buf_addc(out, '\n');
}

/* --- classes --- */

static uint32_t find_class(struct go_kind *k, struct buf *body, struct xp_fields fields, enum xp_tree_name tree,
                           struct str owner);

/* The innermost object of a shape, inside lists and maps. */
static const struct xp_shape *object_in(const struct xp_shape *s)
{
    while (s->element)
        s = s->element;
    return s->kind == SHAPE_OBJECT ? s : NULL;
}

static bool holds_any(const struct xp_shape *s)
{
    while (s->element)
        s = s->element;
    return s->kind == SHAPE_ANY;
}

static void find_children(struct go_kind *k, struct buf *body, struct go_class *c)
{
    const struct xp_shape **shapes = arena_make_n(k->arena, const struct xp_shape *, c->fields.n);
    uint32_t *children = arena_make_n(k->arena, uint32_t, c->fields.n);
    for (size_t i = 0; i < c->fields.n; i++) {
        const struct xp_shape *s = c->fields.v[i].shape;
        shapes[i] = s->kind == SHAPE_RAW ? go_shape_of_openapi(k->arena, &k->kind->config.config->names, s->raw) : s;
        const struct xp_shape *object = object_in(shapes[i]);
        if (object)
            children[i] = find_class(k, body, object->fields, c->tree, c->names[i]);
        k->any |= holds_any(shapes[i]);
    }
    c->shapes = shapes;
    c->children = children;
}

static bool is_shallow(const struct go_class *c)
{
    bool shallow = true;
    for (size_t i = 0; i < c->fields.n && shallow; i++)
        shallow = !go_is_pointer(c->shapes[i], c->fields.v[i].required) && go_form(c->shapes[i]) == GO_FOREIGN;
    return shallow;
}

/* Finds or adds the class of an object with these fields; `body` is a scratch buffer for its text. */
static uint32_t find_class(struct go_kind *k, struct buf *body, struct xp_fields fields, enum xp_tree_name tree, struct str owner)
{
    struct go_class c = {.tree = tree, .fields = fields, .names = field_names(k, fields)};
    find_children(k, body, &c);
    buf_clear(body);
    buf_addz(body, suffixes[tree]);
    buf_addc(body, ' ');
    buf_add(body, owner);
    buf_addc(body, '\n');
    size_t head = body->n;
    for (size_t i = 0; i < fields.n; i++)
        put_field(k, body, &c, i);
    const uint32_t *found = map_get(&k->by_body, buf_str(body));
    if (found)
        return *found;
    struct str key = buf_copy(body, k->arena);
    c.body = str_slice(key, head, key.n);
    c.shallow = is_shallow(&c);
    *VEC_PUSH(k->arena, &k->classes) = c;
    uint32_t *number = arena_make(k->arena, uint32_t);
    *number = (uint32_t)k->classes.n;
    map_put(&k->by_body, key, number);
    return *number;
}

/* --- names of classes --- */

static bool is_kind(const struct go_kind *k, struct str name)
{
    return k->kinds &&
           map_get(k->kinds, arena_printf(k->arena, STR_FMT "/" STR_FMT, STR_ARG(k->kind->group), STR_ARG(name))) != NULL;
}

/* The name of a struct that every kind has, chosen so that it differs from other kinds and from the structs of a kind FooInit. */
static struct str frame_name(struct go_kind *k, const char *suffix)
{
    struct str plain = arena_printf(k->arena, STR_FMT "%s", STR_ARG(k->name), suffix);
    bool taken = is_kind(k, plain) || (strcmp(suffix, suffixes[INIT_PROVIDER]) == 0 &&
                                       is_kind(k, arena_printf(k->arena, STR_FMT "Init", STR_ARG(k->name))));
    struct str name = taken ? arena_printf(k->arena, STR_FMT "_%s", STR_ARG(k->name), suffix) : plain;
    map_put(&k->by_name, name, k);
    return name;
}

static struct str class_name(struct go_kind *k, const struct go_class *c)
{
    struct str base = arena_printf(k->arena, STR_FMT "_" STR_FMT "%s", STR_ARG(k->name), STR_ARG(c->path), suffixes[c->tree]);
    struct str name = base;
    for (unsigned i = 2; !map_add(&k->by_name, name, k); i++)
        name = arena_printf(k->arena, STR_FMT "_%u", STR_ARG(base), i);
    return name;
}

static void name_children(struct go_kind *k, const struct go_class *c)
{
    for (size_t i = 0; i < c->fields.n; i++) {
        if (c->children[i] == 0)
            continue;
        struct go_class *child = &k->classes.v[c->children[i] - 1];
        if (child->name.n > 0)
            continue;
        child->path = arena_printf(k->arena, STR_FMT STR_FMT, STR_ARG(c->path), STR_ARG(c->names[i]));
        child->name = class_name(k, child);
        *VEC_PUSH(k->arena, &k->order) = c->children[i];
    }
}

void go_classes_find(struct go_kind *k)
{
    static const enum xp_tree_name in_order[N_TREES] = {INIT_PROVIDER, FOR_PROVIDER, AT_PROVIDER};
    struct buf body BUF_AUTO = BUF_INIT(GO_MAX_TEXT);
    k->list = frame_name(k, "List");
    k->spec = frame_name(k, "Spec");
    k->status = frame_name(k, "Status");
    for (size_t i = 0; i < N_TREES; i++) {
        enum xp_tree_name tree = in_order[i];
        if (tree == INIT_PROVIDER && !k->kind->has_init)
            continue;
        k->roots[tree] = find_class(k, &body, k->kind->trees[tree], tree, STR_EMPTY);
        k->classes.v[k->roots[tree] - 1].name = frame_name(k, suffixes[tree]);
        *VEC_PUSH(k->arena, &k->order) = k->roots[tree];
    }
    for (size_t i = 0; i < k->order.n; i++)
        name_children(k, &k->classes.v[k->order.v[i] - 1]);
}

/* --- text --- */

static void put_body(struct buf *out, const struct go_kind *k, struct str body)
{
    for (size_t at; (at = str_find(body, MARK, 0)) != SIZE_MAX;) {
        buf_add(out, str_slice(body, 0, at));
        body = str_slice(body, at + 1, body.n);
        int64_t class = 0;
        (void)str_to_i64(str_cut(&body, MARK_END), &class);
        buf_add(out, k->classes.v[class - 1].name);
    }
    buf_add(out, body);
}

void go_classes_write(struct buf *out, const struct go_kind *k)
{
    for (size_t i = 0; i < k->order.n; i++) {
        const struct go_class *c = &k->classes.v[k->order.v[i] - 1];
        go_put(out, "type $ struct {\n", c->name);
        put_body(out, k, c->body);
        buf_addz(out, "}\n\n");
    }
}
