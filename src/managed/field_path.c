#include "managed/field_path.h"

#include "base/ascii.h"
#include "base/map.h"
#include "base/vec.h"
#include "managed/edit.h"

enum { MAX_TEXT = 64 << 10 };

typedef VEC(struct managed_step) step_list;

static bool bad_path(struct diags *diags, struct str text, const char *why)
{
    return diags_fail(diags, "Invalid path", "\"" STR_FMT "\" is not a valid path: %s.", STR_ARG(str_slice(text, 0, 256)), why);
}

static bool is_index(struct str s, size_t *ret)
{
    int64_t index;
    bool digits = s.n > 0;
    for (size_t i = 0; i < s.n; i++)
        digits &= is_digit(s.p[i]);
    if (!digits || !str_to_i64(s, &index))
        return false;
    *ret = (size_t)index;
    return true;
}

static struct managed_step key_step(struct str key)
{
    if (str_eqz(key, "*"))
        return (struct managed_step){.kind = MANAGED_STEP_ANY};
    return (struct managed_step){.kind = MANAGED_STEP_KEY, .key = key};
}

static struct managed_step bracket_step(struct str inside)
{
    struct managed_step step = key_step(inside);
    if (is_index(inside, &step.index))
        step.kind = MANAGED_STEP_INDEX;
    return step;
}

/* Takes one step from the front of `rest`; empty steps are errors. */
static const char *take_step(struct str *rest, bool first, struct managed_step *ret)
{
    if (rest->p[0] == '[') {
        size_t end = str_find(*rest, ']', 0);
        if (end == SIZE_MAX)
            return "a bracket is not closed";
        *ret = bracket_step(str_slice(*rest, 1, end));
        *rest = str_slice(*rest, end + 1, rest->n);
        return end > 1 ? NULL : "the brackets are empty";
    }
    if (rest->p[0] == '.' && !first)
        *rest = str_slice(*rest, 1, rest->n);
    else if (!first)
        return "a dot or a bracket was expected behind a bracket";
    size_t end = 0;
    while (end < rest->n && rest->p[end] != '.' && rest->p[end] != '[' && rest->p[end] != ']')
        end++;
    *ret = key_step(str_slice(*rest, 0, end));
    *rest = str_slice(*rest, end, rest->n);
    return end > 0 ? NULL : "a name is empty";
}

bool managed_path_parse(struct arena *a, struct str text, struct diags *diags, struct managed_path *ret)
{
    step_list list = {0};
    struct str rest = arena_str(a, text);
    while (rest.n > 0) {
        struct managed_step step;
        const char *mistake = list.n == MANAGED_PATH_MAX_STEPS ? "it has too many steps" : take_step(&rest, list.n == 0, &step);
        if (mistake)
            return bad_path(diags, text, mistake);
        *VEC_PUSH(a, &list) = step;
    }
    *ret = (struct managed_path){list.v, list.n};
    return true;
}

static void add_step(struct buf *out, const struct managed_step *step, bool first)
{
    bool brackets = str_find(step->key, '.', 0) != SIZE_MAX || str_find(step->key, '[', 0) != SIZE_MAX;
    if (step->kind == MANAGED_STEP_INDEX)
        buf_printf(out, "[%zu]", step->index);
    else if (step->kind == MANAGED_STEP_ANY)
        buf_addz(out, "[*]");
    else if (brackets)
        buf_printf(out, "[" STR_FMT "]", STR_ARG(step->key));
    else
        buf_printf(out, "%s" STR_FMT, first ? "" : ".", STR_ARG(step->key));
}

struct str managed_path_text(struct arena *a, struct managed_path path)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    for (size_t i = 0; i < path.n; i++)
        add_step(&out, &path.v[i], i == 0);
    return buf_copy(&out, a);
}

/* --- keys of secrets --- */

struct str managed_path_secret_key(struct arena *a, struct managed_path path)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    for (size_t i = 0; i < path.n; i++) {
        const struct managed_step *step = &path.v[i];
        const char *dot = i > 0 ? "." : "";
        if (step->kind == MANAGED_STEP_INDEX)
            buf_printf(&out, "%s%zu", dot, step->index);
        else if (step->kind == MANAGED_STEP_ANY)
            buf_printf(&out, "%s*", dot);
        else if (str_find(step->key, '.', 0) != SIZE_MAX)
            buf_printf(&out, "..." STR_FMT "...", STR_ARG(step->key));
        else
            buf_printf(&out, "%s" STR_FMT, dot, STR_ARG(step->key));
    }
    return buf_copy(&out, a);
}

static size_t find_dots(struct str s, size_t from)
{
    for (size_t i = from; i + 2 < s.n; i++)
        if (s.p[i] == '.' && s.p[i + 1] == '.' && s.p[i + 2] == '.')
            return i;
    return SIZE_MAX;
}

static const char *take_key_step(struct str *rest, bool first, struct managed_step *ret)
{
    size_t end;
    if (find_dots(*rest, 0) == 0) {
        end = find_dots(*rest, 4);
        if (end == SIZE_MAX)
            return "three dots are not closed by three others";
        *ret = (struct managed_step){.kind = MANAGED_STEP_KEY, .key = str_slice(*rest, 3, end)};
        *rest = str_slice(*rest, end + 3, rest->n);
        return NULL;
    }
    if (!first && rest->p[0] != '.')
        return "a dot was expected behind three dots";
    *rest = str_slice(*rest, first ? 0 : 1, rest->n);
    end = str_find(*rest, '.', 0);
    struct str name = str_slice(*rest, 0, end);
    *ret = (struct managed_step){.kind = MANAGED_STEP_KEY, .key = name};
    if (!first && is_index(name, &ret->index))
        ret->kind = MANAGED_STEP_INDEX;
    *rest = str_slice(*rest, name.n, rest->n);
    return name.n > 0 ? NULL : "a name is empty";
}

bool managed_path_of_secret_key(struct arena *a, struct str key, struct diags *diags, struct managed_path *ret)
{
    step_list list = {0};
    struct str rest = arena_str(a, key);
    if (key.n == 0)
        return bad_path(diags, key, "it is empty");
    while (rest.n > 0) {
        struct managed_step step;
        const char *mistake =
            list.n == MANAGED_PATH_MAX_STEPS ? "it has too many steps" : take_key_step(&rest, list.n == 0, &step);
        if (mistake)
            return bad_path(diags, key, mistake);
        *VEC_PUSH(a, &list) = step;
    }
    *ret = (struct managed_path){list.v, list.n};
    return true;
}

/* --- reading and writing --- */

static const struct json *take(const struct json *at, const struct managed_step *step)
{
    if (step->kind == MANAGED_STEP_INDEX)
        return managed_is_array(at) && step->index < at->array.n ? at->array.items[step->index] : NULL;
    return step->kind == MANAGED_STEP_KEY ? json_get_str(at, step->key) : NULL;
}

const struct json *managed_path_get(const struct json *root, struct managed_path path)
{
    for (size_t i = 0; root && i < path.n; i++)
        root = take(root, &path.v[i]);
    return root;
}

/* The changes as a tree: a node has a new value, or changes below it, or both. */
struct node {
    const struct json *value; /* NULL: the old value */
    struct map keys;          /* key or index as text -> struct node */
    bool array;
    size_t n; /* minimum number of elements */
};

void managed_change_add(struct arena *a, struct managed_changes *changes, struct managed_path path, const struct json *value)
{
    *VEC_PUSH(a, changes) = (struct managed_change){path, value};
}

static struct node *new_node(struct arena *a)
{
    struct node *n = arena_make(a, struct node);
    map_init(&n->keys, a);
    return n;
}

/* NULL and a diagnostic: the step is not possible. `at` is the old value. */
static struct node *step_into(struct arena *a, struct node *n, const struct json *at, const struct managed_step *step,
                              const char **ret_why)
{
    bool array = step->kind == MANAGED_STEP_INDEX;
    at = n->value ? n->value : at;
    if (step->kind == MANAGED_STEP_ANY)
        *ret_why = "a value cannot be put at a wildcard";
    else if ((!managed_is_absent(at) && at->kind != (array ? JSON_ARRAY : JSON_OBJECT)) || (n->keys.n > 0 && n->array != array))
        *ret_why = array ? "there is no array at it" : "there is no object at it";
    else if (array && step->index > MANAGED_PATH_MAX_INDEX && step->index > managed_count(at) && step->index > n->n)
        *ret_why = "the index is too large";
    else
        *ret_why = NULL;
    if (*ret_why)
        return NULL;
    struct str key = array ? arena_printf(a, "%zu", step->index) : step->key;
    struct node *below = map_get(&n->keys, key);
    if (!below) {
        below = new_node(a);
        map_put(&n->keys, key, below);
    }
    n->array = array;
    n->n = array && step->index >= n->n ? step->index + 1 : n->n;
    return below;
}

static const char *plan_change(struct arena *a, struct node *root, const struct json *at, const struct managed_change *change)
{
    struct node *n = root;
    for (size_t i = 0; i < change->path.n; i++) {
        const char *why;
        const struct json *here = n->value ? n->value : at;
        n = step_into(a, n, at, &change->path.v[i], &why);
        if (!n)
            return why;
        at = here ? take(here, &change->path.v[i]) : NULL;
    }
    *n = (struct node){.value = change->value};
    map_init(&n->keys, a);
    return NULL;
}

static const struct json *build(struct arena *a, const struct node *n, const struct json *at);

static const struct json *build_array(struct arena *a, const struct node *n, const struct json *at)
{
    size_t have = at && managed_is_array(at) ? at->array.n : 0, count = n->n > have ? n->n : have;
    const struct json **items = arena_make_n(a, const struct json *, count);
    for (size_t i = 0; i < count; i++)
        items[i] = i < have ? at->array.items[i] : json_make_null(a);
    for (size_t i = 0; i < n->keys.n; i++) {
        int64_t index = 0;
        (void)str_to_i64(n->keys.entries[i].key, &index);
        items[index] = build(a, n->keys.entries[i].value, items[index]);
    }
    return json_make_array(a, items, count);
}

static const struct json *build_object(struct arena *a, const struct node *n, const struct json *at)
{
    size_t have = at && managed_is_object(at) ? at->object.n : 0, count = have;
    struct json_member *members = arena_make_n(a, struct json_member, have + n->keys.n);
    for (size_t i = 0; i < have; i++) {
        members[i] = at->object.members[i];
        const struct node *below = map_get(&n->keys, members[i].key);
        members[i].value = below ? build(a, below, members[i].value) : members[i].value;
    }
    for (size_t i = 0; i < n->keys.n; i++)
        if (!json_get_str(at, n->keys.entries[i].key))
            members[count++] =
                (struct json_member){.key = n->keys.entries[i].key, .value = build(a, n->keys.entries[i].value, NULL)};
    return json_make_object(a, members, count);
}

static const struct json *build(struct arena *a, const struct node *n, const struct json *at)
{
    at = n->value ? n->value : at;
    if (n->keys.n == 0)
        return at;
    return n->array ? build_array(a, n, at) : build_object(a, n, at);
}

bool managed_apply(struct arena *a, const struct json *root, const struct managed_changes *changes, struct diags *diags,
                   const struct json **ret)
{
    struct node *top = new_node(a);
    for (size_t i = 0; i < changes->n; i++) {
        const char *why = plan_change(a, top, root, &changes->v[i]);
        if (why)
            return diags_fail(diags, "Path cannot be set", "Nothing can be put at \"" STR_FMT "\": %s.",
                              STR_ARG(str_slice(managed_path_text(a, changes->v[i].path), 0, 256)), why);
    }
    *ret = build(a, top, root);
    return true;
}

/* --- wildcards --- */

struct expansion {
    struct arena *arena;
    struct managed_path pattern;
    struct managed_step *steps; /* so far */
    struct managed_paths *out;
    struct diags *diags;
};

static bool expand_at(struct expansion *e, const struct json *at, size_t i);

static bool expand_step(struct expansion *e, const struct json *at, size_t i, struct managed_step step)
{
    e->steps[i] = step;
    return expand_at(e, take(at, &step), i + 1);
}

static bool bad_wildcard(const struct expansion *e, size_t i)
{
    struct str all = managed_path_text(e->arena, e->pattern);
    struct str before = managed_path_text(e->arena, (struct managed_path){e->steps, i});
    return diags_fail(e->diags, "Unexpected wildcard",
                      "cannot expand wildcards for segments: \"" STR_FMT "\": \"" STR_FMT "\": unexpected wildcard usage",
                      STR_ARG(all), STR_ARG(before));
}

static bool expand_any(struct expansion *e, const struct json *at, size_t i)
{
    if (at->kind == JSON_NULL)
        return true;
    if (at->kind != JSON_ARRAY && at->kind != JSON_OBJECT)
        return bad_wildcard(e, i);
    bool ok = true;
    for (size_t k = 0; ok && at->kind == JSON_ARRAY && k < at->array.n; k++)
        ok = expand_step(e, at, i, (struct managed_step){.kind = MANAGED_STEP_INDEX, .index = k});
    for (size_t k = 0; ok && at->kind == JSON_OBJECT && k < at->object.n; k++)
        ok = expand_step(e, at, i, (struct managed_step){.kind = MANAGED_STEP_KEY, .key = at->object.members[k].key});
    return ok;
}

static bool expand_at(struct expansion *e, const struct json *at, size_t i)
{
    if (!at)
        return true;
    if (i < e->pattern.n && e->pattern.v[i].kind == MANAGED_STEP_ANY)
        return expand_any(e, at, i);
    if (i < e->pattern.n)
        return expand_step(e, at, i, e->pattern.v[i]);
    struct managed_step *steps = arena_make_n(e->arena, struct managed_step, i);
    for (size_t k = 0; k < i; k++)
        steps[k] = e->steps[k];
    *VEC_PUSH(e->arena, e->out) = (struct managed_path){steps, i};
    return true;
}

bool managed_path_expand(struct arena *a, const struct json *root, struct managed_path path, struct diags *diags,
                         struct managed_paths *ret)
{
    struct managed_paths out = {0};
    struct expansion e = {a, path, arena_make_n(a, struct managed_step, path.n), &out, diags};
    if (!expand_at(&e, root, 0))
        return false;
    *ret = out;
    return true;
}

struct managed_path managed_path_join(struct arena *a, struct managed_path head, struct managed_path tail)
{
    struct managed_step *steps = arena_make_n(a, struct managed_step, head.n + tail.n);
    for (size_t i = 0; i < head.n + tail.n; i++)
        steps[i] = i < head.n ? head.v[i] : tail.v[i - head.n];
    return (struct managed_path){steps, head.n + tail.n};
}
