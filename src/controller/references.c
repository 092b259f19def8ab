/* References of an object, looked up in the store. */
#include "managed/references.h"

#include "controller/controller_private.h"

struct targets {
    const struct json **v;
    size_t n, cap;
};

static void add_target(struct turn *t, struct targets *list, const struct json *target)
{
    vec_reserve(t->arena, (void **)&list->v, &list->cap, list->n + 1, sizeof *list->v, alignof(max_align_t));
    list->v[list->n++] = target;
}

/* The kind that a reference from kind `from` targets: one of the same provider, else of any. */
static const struct kind *target_kind(struct turn *t, const struct kind *from, struct str type)
{
    const struct kind *kind = kinds_of_type(t->c->kinds, from->provider, from->flavour, type);
    struct kinds_list all = kinds_all(t->c->kinds);
    for (size_t i = 0; !kind && i < all.n; i++)
        if (all.v[i]->role == KIND_MANAGED && all.v[i]->flavour == from->flavour && str_eq(all.v[i]->terraform_type, type))
            kind = all.v[i];
    return kind;
}

static struct store_key named_key(const struct kind *kind, const struct json *object, const struct json *reference)
{
    return (struct store_key){
        .group = kind->group,
        .kind = kind->kind,
        .namespace = managed_reference_namespace(object, reference),
        .name = managed_text(json_get(reference, "name")),
    };
}

/* --- by name --- */

static bool find_named(struct turn *t, const struct json *object, const struct managed_reference *r, const struct kind *kind,
                       const struct json *reference, struct diags *diags, struct targets *ret)
{
    struct store_key key = named_key(kind, object, reference);
    const struct json *target = turn_get(t, &key, diags);
    if (target)
        add_target(t, ret, target);
    if (target || diags_has_errors(diags))
        return target != NULL;
    return managed_reference_not_found(r, arena_printf(t->arena, STR_FMT "." STR_FMT, STR_ARG(kind->kind), STR_ARG(kind->group)),
                                       key.name, diags);
}

static bool find_given(struct turn *t, const struct json *object, const struct managed_reference *r, const struct kind *kind,
                       struct diags *diags, struct targets *ret)
{
    if (!managed_is_array(r->given))
        return find_named(t, object, r, kind, r->given, diags, ret);
    for (size_t i = 0; i < r->given->array.n; i++)
        if (!find_named(t, object, r, kind, r->given->array.items[i], diags, ret))
            return false;
    return true;
}

/* --- by selector --- */

struct selecting {
    struct turn *turn;
    const struct json *object;
    const struct managed_reference *reference;
    struct known_keys names;
};

/* Only the name is kept: the arena is reset after each object. */
static bool select_one(void *ctx, struct arena *a, const struct json *candidate)
{
    struct selecting *s = ctx;
    (void)a;
    if (!managed_selector_matches(s->reference->selector, s->object, candidate))
        return true;
    vec_reserve(s->turn->arena, (void **)&s->names.v, &s->names.cap, s->names.n + 1, sizeof *s->names.v, alignof(max_align_t));
    s->names.v[s->names.n++] = arena_str(s->turn->arena, managed_name(candidate));
    return s->reference->many;
}

static const struct selector *selector_of(struct arena *a, const struct json *labels)
{
    size_t n = managed_is_object(labels) ? labels->object.n : 0;
    struct selector_requirement *v = arena_make_n(a, struct selector_requirement, n);
    struct str *values = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++) {
        values[i] = managed_text(labels->object.members[i].value);
        v[i] = (struct selector_requirement){
            .key = labels->object.members[i].key, .op = SELECTOR_IN, .values = &values[i], .n_values = 1};
    }
    struct selector *s = arena_make(a, struct selector);
    *s = (struct selector){v, n};
    return s;
}

/* Names of the matching objects: all of them, or the first. */
static bool select_names(struct turn *t, const struct json *object, const struct managed_reference *r, const struct kind *kind,
                         struct diags *diags, struct known_keys *ret)
{
    struct selecting s = {.turn = t, .object = object, .reference = r};
    const struct store_query query = {
        .group = kind->group,
        .kind = kind->kind,
        .namespace = managed_reference_namespace(object, r->selector),
        .selector = selector_of(t->arena, json_get(r->selector, "matchLabels")),
    };
    struct str version;
    if (store_list(t->c->store, t->arena, &query, select_one, &s, diags, &version) != STORE_OK)
        return false;
    *ret = s.names;
    return true;
}

static struct store_key selected_key(const struct kind *kind, const struct json *object, const struct managed_reference *r,
                                     struct str name)
{
    return (struct store_key){kind->group, kind->kind, managed_reference_namespace(object, r->selector), name};
}

static bool find_selected(struct turn *t, const struct json *object, const struct managed_reference *r, const struct kind *kind,
                          struct diags *diags, struct targets *ret)
{
    struct known_keys names;
    turn_use(t, key_text_any(t->arena, kind->group, kind->kind));
    if (!select_names(t, object, r, kind, diags, &names))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct store_key key = selected_key(kind, object, r, names.v[i]);
        const struct json *target;
        struct diags gone;
        diags_init(&gone, t->arena);
        if (store_get(t->c->store, t->arena, &key, &gone, &target) == STORE_OK)
            add_target(t, ret, target);
    }
    return true;
}

/* --- cycles --- */

enum { MAX_CIRCLE = 16, MAX_LOOKED_AT = 128 };

/* Follows unresolved references and selectors from the turn's object: do they lead back to it? */
struct circle {
    struct turn *turn;
    struct str path[MAX_CIRCLE]; /* titles, the turn's object first */
    size_t n;
    struct map seen;
};

static bool leads_back(struct circle *c, const struct kind *kind, const struct json *object);

static bool step_leads_back(struct circle *c, const struct kind *kind, struct store_key key)
{
    struct turn *t = c->turn;
    struct str text = key_text(t->arena, &key);
    const struct json *target;
    struct diags ignored;
    diags_init(&ignored, t->arena);
    if (str_eq(text, t->known->key))
        return true;
    if (c->n == MAX_CIRCLE || c->seen.n == MAX_LOOKED_AT || !map_add(&c->seen, text, t) ||
        store_get(t->c->store, t->arena, &key, &ignored, &target) != STORE_OK)
        return false;
    c->path[c->n++] = object_title(t->arena, &key);
    if (leads_back(c, kind, target))
        return true;
    c->n--;
    return false;
}

/* Follows the objects that the selector would match now. */
static bool selector_leads_back(struct circle *c, const struct kind *to, const struct json *object,
                                const struct managed_reference *r)
{
    struct known_keys names = {0};
    struct diags ignored;
    diags_init(&ignored, c->turn->arena);
    if (c->seen.n == MAX_LOOKED_AT || !select_names(c->turn, object, r, to, &ignored, &names))
        return false;
    for (size_t i = 0; i < names.n; i++)
        if (step_leads_back(c, to, selected_key(to, object, r, names.v[i])))
            return true;
    return false;
}

static bool reference_leads_back(struct circle *c, const struct kind *kind, const struct json *object,
                                 const struct managed_reference *r)
{
    const struct kind *to = !r->optional ? target_kind(c->turn, kind, r->rule->to) : NULL;
    if (!to)
        return false;
    if (!r->given)
        return selector_leads_back(c, to, object, r);
    if (!managed_is_array(r->given))
        return step_leads_back(c, to, named_key(to, object, r->given));
    for (size_t i = 0; i < r->given->array.n; i++)
        if (step_leads_back(c, to, named_key(to, object, r->given->array.items[i])))
            return true;
    return false;
}

/* The recursion is at most MAX_CIRCLE deep. */
static bool leads_back(struct circle *c, const struct kind *kind, const struct json *object)
{
    struct managed_reference_list list = {0};
    struct diags ignored;
    diags_init(&ignored, c->turn->arena);
    const struct xp_kind *model = kinds_model(c->turn->c->kinds, kind, &ignored);
    if (model)
        managed_references(c->turn->arena, model, object, &list);
    for (size_t i = 0; i < list.n; i++)
        if (reference_leads_back(c, kind, object, &list.v[i]))
            return true;
    return false;
}

/* Objects that wait for each other would wait for ever: the message then names them. */
static struct str with_circle(struct turn *t, const struct json *object, const struct managed_reference *r, struct str why)
{
    struct circle c = {.turn = t, .path = {object_title(t->arena, &t->key)}, .n = 1};
    map_init(&c.seen, t->arena);
    if (!reference_leads_back(&c, t->kind, object, r))
        return why;
    struct buf out BUF_AUTO = BUF_INIT(64 << 10);
    buf_printf(&out, STR_FMT ". The references form a cycle, and each object waits for the next: ", STR_ARG(why));
    for (size_t i = 0; i < c.n; i++)
        buf_printf(&out, STR_FMT " -> ", STR_ARG(c.path[i]));
    buf_printf(&out, STR_FMT ". In one of them, set the value itself instead of the reference or selector", STR_ARG(c.path[0]));
    return buf_copy(&out, t->arena);
}

/* --- resolving --- */

static bool resolve_one(struct turn *t, const struct json *object, const struct managed_reference *r, struct diags *diags,
                        struct managed_changes *changes)
{
    const struct kind *kind = target_kind(t, t->kind, r->rule->to);
    if (!kind)
        return diags_fail(diags, "Reference cannot be resolved",
                          "cannot resolve references: " STR_FMT ": it refers to " STR_FMT ", which is not served here",
                          STR_ARG(r->go_path), STR_ARG(r->rule->to));
    struct targets targets = {0};
    bool found = r->given ? find_given(t, object, r, kind, diags, &targets) : find_selected(t, object, r, kind, diags, &targets);
    if (!found)
        return false;
    if (r->given && targets.n == 0) /* optional, and the target does not exist */
        return true;
    const struct xp_kind *model = managed_extract_needs_kind(r->rule) ? kinds_model(t->c->kinds, kind, diags) : NULL;
    return managed_resolve(t->arena, object, r, model, targets.v, targets.n, diags, changes);
}

struct reconcile_answer resolve_references(void *turn, const struct reconcile_call *call, const struct json **object)
{
    struct turn *t = turn;
    struct managed_reference_list list;
    struct managed_changes changes = {0};
    struct diags diags;
    diags_init(&diags, t->arena);
    managed_references(t->arena, t->model, *object, &list);
    for (size_t i = 0; i < list.n; i++)
        if (!resolve_one(t, *object, &list.v[i], &diags, &changes))
            return answer_failed(with_circle(t, *object, &list.v[i], diags.v[diags.n - 1].detail));
    if (changes.n == 0)
        return (struct reconcile_answer){0};
    const struct json *next;
    if (!managed_apply(t->arena, *object, &changes, &diags, &next))
        return answer_failed(says(t->arena, &diags));
    if (json_eq(next, *object))
        return (struct reconcile_answer){0};
    struct reconcile_answer answer = objects_of(t).update(t, call, &next);
    if (answer.status == RECONCILE_OK)
        *object = next;
    return answer;
}
