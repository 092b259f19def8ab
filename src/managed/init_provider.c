#include "managed/init_provider.h"

#include "managed/edit.h"
#include "managed/sensitive.h"
#include "managed/translate.h"

#include <stdlib.h>

enum { MAX_TEXT = 64 << 10, MAX_STEPS = JSON_MAX_DEPTH + 2 };

/* --- merging --- */

static const struct json *merge_lists(struct arena *a, const struct json *over, const struct json *under)
{
    size_t n = over->array.n > under->array.n ? over->array.n : under->array.n;
    const struct json **items = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++)
        items[i] =
            managed_merge(a, i < over->array.n ? over->array.items[i] : NULL, i < under->array.n ? under->array.items[i] : NULL);
    return json_make_array(a, items, n);
}

static const struct json *merge_objects(struct arena *a, const struct json *over, const struct json *under)
{
    struct json_member *members = arena_make_n(a, struct json_member, over->object.n + under->object.n);
    size_t n = 0;
    for (size_t i = 0; i < over->object.n; i++) {
        members[n] = over->object.members[i];
        members[n].value = managed_merge(a, members[n].value, json_get_str(under, members[n].key));
        n++;
    }
    for (size_t i = 0; i < under->object.n; i++)
        if (!json_get_str(over, under->object.members[i].key))
            members[n++] = under->object.members[i];
    return json_make_object(a, members, n);
}

const struct json *managed_merge(struct arena *a, const struct json *over, const struct json *under)
{
    if (managed_is_absent(over))
        return under ? under : over;
    if (!under || over->kind != under->kind)
        return over;
    if (over->kind == JSON_ARRAY)
        return merge_lists(a, over, under);
    return over->kind == JSON_OBJECT ? merge_objects(a, over, under) : over;
}

/* --- ignored paths --- */

struct search {
    struct arena *arena;
    struct managed_ignored *out;
    const struct json *steps[MAX_STEPS];
    size_t n;
};

/* What is known of a value: its type, if there is a tree, and whether it is a list that Terraform has as an object. */
struct position {
    const struct xp_tree_attr *attrs; /* members of the top level or of an object */
    size_t n_attrs;
    const struct xp_tree_type *type;
    bool alone;
};

static struct position position_of_type(const struct xp_tree_type *type)
{
    if (type && type->kind == TREE_OBJECT)
        return (struct position){.attrs = type->attrs, .n_attrs = type->n_attrs, .type = type};
    return (struct position){.type = type};
}

static struct position member_position(const struct position *p, struct str key)
{
    for (size_t i = 0; i < p->n_attrs; i++)
        if (str_eq(p->attrs[i].name, key)) {
            struct position at = position_of_type(p->attrs[i].type);
            at.alone = p->attrs[i].single || p->attrs[i].group;
            return at;
        }
    return position_of_type(p->type ? p->type->element : NULL);
}

static void found(struct search *s)
{
    *VEC_PUSH(s->arena, s->out) = json_make_array(s->arena, s->steps, s->n);
}

static void search(struct search *s, const struct position *p, const struct json *wanted, const struct json *initial);

/* `wanted` is NULL: only initProvider has the value. */
static void search_step(struct search *s, const struct json *step, const struct position *p, const struct json *wanted,
                        const struct json *initial)
{
    size_t before = s->n;
    if (step && s->n < MAX_STEPS)
        s->steps[s->n++] = step;
    if (wanted)
        search(s, p, wanted, initial);
    else
        found(s);
    s->n = before;
}

static void search_members(struct search *s, const struct position *p, const struct json *wanted, const struct json *initial)
{
    for (size_t i = 0; i < initial->object.n; i++) {
        const struct json_member *m = &initial->object.members[i];
        struct position below = member_position(p, m->key);
        search_step(s, json_make_string(s->arena, m->key), &below, json_get_str(wanted, m->key), m->value);
    }
}

static void search_items(struct search *s, const struct position *p, const struct json *wanted, const struct json *initial)
{
    struct position below = position_of_type(p->type ? p->type->element : NULL);
    if (p->type && p->type->kind == TREE_SET)
        return;
    for (size_t i = 0; i < initial->array.n; i++) {
        const struct json *index = json_make_number(s->arena, arena_printf(s->arena, "%zu", i));
        search_step(s, p->alone ? NULL : index, &below, i < wanted->array.n ? wanted->array.items[i] : NULL,
                    initial->array.items[i]);
    }
}

static void search(struct search *s, const struct position *p, const struct json *wanted, const struct json *initial)
{
    if (s->n == MAX_STEPS || wanted->kind != initial->kind)
        return;
    if (initial->kind == JSON_OBJECT)
        search_members(s, p, wanted, initial);
    else if (initial->kind == JSON_ARRAY)
        search_items(s, p, wanted, initial);
}

struct shown {
    struct str text;
    const struct json *steps;
};

static int by_text(const void *x, const void *y)
{
    return str_cmp(((const struct shown *)x)->text, ((const struct shown *)y)->text);
}

static void sort(struct arena *a, struct managed_ignored *list)
{
    struct shown *shown = arena_make_n(a, struct shown, list->n);
    for (size_t i = 0; i < list->n; i++)
        shown[i] = (struct shown){managed_ignored_text(a, list->v[i]), list->v[i]};
    if (list->n > 0)
        qsort(shown, list->n, sizeof *shown, by_text);
    for (size_t i = 0; i < list->n; i++)
        list->v[i] = shown[i].steps;
}

void managed_ignored(struct arena *a, const struct xp_tree *tree, const struct json *wanted, const struct json *initial,
                     struct managed_ignored *ret)
{
    struct search s = {.arena = a, .out = ret};
    struct position top = {.attrs = tree ? tree->attrs : NULL, .n_attrs = tree ? tree->n_attrs : 0};
    *ret = (struct managed_ignored){0};
    if (wanted && initial)
        search(&s, &top, wanted, initial);
    sort(a, ret);
}

/* Converts a path in parameters to the engine's format; false: it leads into a set. */
static bool steps_of(struct search *s, const struct xp_tree *tree, struct managed_path place)
{
    struct position p = {.attrs = tree->attrs, .n_attrs = tree->n_attrs};
    s->n = 0;
    for (size_t i = 0; i < place.n && s->n < MAX_STEPS; i++) {
        const struct managed_step *step = &place.v[i];
        bool index = step->kind == MANAGED_STEP_INDEX;
        if (index && p.type && p.type->kind == TREE_SET)
            return false;
        if (!index)
            s->steps[s->n++] = json_make_string(s->arena, step->key);
        else if (!p.alone)
            s->steps[s->n++] = json_make_number(s->arena, arena_printf(s->arena, "%zu", step->index));
        p = index ? position_of_type(p.type ? p.type->element : NULL) : member_position(&p, step->key);
    }
    return true;
}

/* Secrets that only initProvider refers to. */
static bool search_secrets(struct search *s, const struct xp_kind *k, const struct json *object, struct diags *diags)
{
    const struct json *wanted = managed_at(object, "spec", "forProvider", NULL);
    const struct json *initial = managed_at(object, "spec", "initProvider", NULL);
    struct managed_secret_paths inputs = managed_secret_inputs(s->arena, k);
    for (size_t i = 0; i < inputs.n && initial; i++) {
        struct managed_path pattern, place;
        struct managed_paths refs;
        if (!managed_path_parse(s->arena, inputs.v[i].object, diags, &pattern) ||
            !managed_path_expand(s->arena, initial, pattern, diags, &refs))
            return false;
        for (size_t r = 0; r < refs.n; r++) {
            if (!managed_is_absent(managed_path_get(wanted, refs.v[r])) ||
                managed_is_absent(managed_path_get(initial, refs.v[r])))
                continue;
            if (!managed_secret_place(s->arena, &inputs.v[i], refs.v[r], diags, &place))
                return false;
            if (steps_of(s, &k->tree, place))
                found(s);
        }
    }
    return true;
}

bool managed_ignored_of(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                        struct managed_ignored *ret)
{
    const struct json *wanted, *initial;
    struct managed_ignored list;
    struct search s = {.arena = a, .out = &list};
    if (!managed_parameters_of(a, k, FOR_PROVIDER, managed_at(object, "spec", "forProvider", NULL), diags, &wanted) ||
        !managed_parameters_of(a, k, INIT_PROVIDER, managed_at(object, "spec", "initProvider", NULL), diags, &initial))
        return false;
    managed_ignored(a, &k->tree, wanted, initial, &list);
    if (!search_secrets(&s, k, object, diags))
        return false;
    sort(a, &list);
    *ret = list;
    return true;
}

struct str managed_ignored_text(struct arena *a, const struct json *steps)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    bool after_index = false;
    for (size_t i = 0; i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        bool index = step->kind == JSON_NUMBER;
        if (index)
            buf_printf(&out, "[" STR_FMT "]", STR_ARG(step->text));
        else if (i == 0 || after_index)
            buf_printf(&out, "%s" STR_FMT, i == 0 ? "" : ".", STR_ARG(step->text));
        else
            buf_printf(&out, "[\"" STR_FMT "\"]", STR_ARG(step->text));
        after_index = index;
    }
    return buf_copy(&out, a);
}
