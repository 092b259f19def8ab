#include "import/pick.h"

#include "base/vec.h"

struct values {
    struct arena *arena;
    VEC(const struct json *) found;
};

static bool is_leaf(const struct json *j)
{
    return j->kind == JSON_STRING || j->kind == JSON_NUMBER || j->kind == JSON_BOOL;
}

/* Some APIs return JSON inside strings: policies, and the properties of Cloud Control. */
static const struct json *opened(struct arena *a, const struct json *j)
{
    if (j->kind != JSON_STRING || j->text.n < 2 || (j->text.p[0] != '{' && j->text.p[0] != '['))
        return j;
    const struct json *inner = json_parse_lenient(a, j->text);
    return inner ? inner : j;
}

static void pick(struct values *v, const struct json *j, struct str path, size_t depth)
{
    if (depth > PICK_MAX_DEPTH || v->found.n >= PICK_MAX_VALUES)
        return;
    if (j->kind == JSON_ARRAY) {
        for (size_t i = 0; i < j->array.n; i++)
            pick(v, j->array.items[i], path, depth + 1);
        return;
    }
    if (path.n == 0) {
        *VEC_PUSH(v->arena, &v->found) = j;
        return;
    }
    j = opened(v->arena, j);
    if (j->kind == JSON_ARRAY) {
        pick(v, j, path, depth + 1);
        return;
    }
    struct str name = str_cut(&path, '.');
    for (size_t i = 0; j->kind == JSON_OBJECT && i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        if (str_eqz(name, "@"))
            pick(v, json_make_string(v->arena, m->key), path, depth + 1);
        else if (str_eqz(name, "*") || str_eq(name, m->key))
            pick(v, m->value, path, depth + 1);
    }
}

struct pick_values pick_all(struct arena *a, const struct json *from, struct str path)
{
    struct values v = {.arena = a};
    pick(&v, from, path, 0);
    return (struct pick_values){v.found.v, v.found.n};
}

static const struct picked *ancestor(const struct picked *from, struct str *path)
{
    while (from && str_starts(*path, STR("^"))) {
        from = from->parent;
        *path = str_slice(*path, 1, path->n);
    }
    return from;
}

static struct str leaf_text(const struct json *j)
{
    return j->kind == JSON_BOOL ? (j->boolean ? STR("true") : STR("false")) : j->text;
}

bool pick_text(struct arena *a, const struct picked *from, struct str path, struct str *ret)
{
    from = ancestor(from, &path);
    struct pick_values all = from ? pick_all(a, from->item, path) : (struct pick_values){0};
    for (size_t i = 0; i < all.n; i++)
        if (is_leaf(all.v[i])) {
            *ret = leaf_text(all.v[i]);
            return true;
        }
    return false;
}

static bool join(struct arena *a, const struct picked *from, struct str path, struct str between, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(PICK_MAX_TEXT);
    from = ancestor(from, &path);
    struct pick_values all = from ? pick_all(a, from->item, path) : (struct pick_values){0};
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (!is_leaf(all.v[i]))
            continue;
        buf_add(&out, n++ > 0 ? between : STR_EMPTY);
        buf_add(&out, leaf_text(all.v[i]));
    }
    *ret = buf_copy(&out, a);
    return n > 0 && buf_ok(&out);
}

static bool fact(const struct pick_facts *facts, struct str name, struct str *ret)
{
    for (size_t i = 0; facts && i < facts->n; i++)
        if (str_eqz(name, facts->v[i].name)) {
            *ret = facts->v[i].value;
            return facts->v[i].value.n > 0;
        }
    return false;
}

static size_t find_last(struct str text, struct str what)
{
    for (size_t i = text.n < what.n ? 0 : text.n - what.n + 1; i-- > 0;)
        if (memcmp(text.p + i, what.p, what.n) == 0)
            return i;
    return SIZE_MAX;
}

static struct str changed(struct arena *a, struct str value, struct str how)
{
    struct str rest = how, name = str_cut(&rest, ':');
    size_t last = find_last(value, rest);
    const char *first = rest.n > 0 ? memmem(value.p, value.n, rest.p, rest.n) : NULL;
    if (str_eqz(name, "after") && last != SIZE_MAX)
        return str_slice(value, last + rest.n, value.n);
    if (str_eqz(name, "before") && first)
        return str_slice(value, 0, (size_t)(first - value.p));
    if (str_eqz(name, "trim") && str_ends(value, rest))
        return str_slice(value, 0, value.n - rest.n);
    if (str_eqz(name, "prefix") && value.n > 0)
        return arena_printf(a, STR_FMT STR_FMT, STR_ARG(rest), STR_ARG(value));
    return value;
}

/* Fills one place, the text between braces: PATH|filter|filter. */
static bool fill_place(struct arena *a, const struct picked *from, const struct pick_facts *facts, struct str place,
                       struct str *ret)
{
    struct str paths = str_cut(&place, '|'), path, value = STR_EMPTY;
    bool there = false;
    do { /* a,b: the first that has a value */
        path = str_cut(&paths, ',');
        there = str_starts(path, STR("$")) ? fact(facts, str_slice(path, 1, path.n), &value) : pick_text(a, from, path, &value);
    } while ((!there || value.n == 0) && paths.n > 0);
    while (place.n > 0) {
        struct str how = str_cut(&place, '|');
        if (str_starts(how, STR("join:")))
            there = join(a, from, path, str_slice(how, 5, how.n), &value);
        else if (str_starts(how, STR("or:")) && (!there || value.n == 0))
            there = true, value = str_slice(how, 3, how.n);
        else
            value = changed(a, value, how);
    }
    *ret = value;
    return there && value.n > 0;
}

bool pick_fill(struct arena *a, const struct picked *from, const struct pick_facts *facts, struct str template, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(PICK_MAX_TEXT);
    while (template.n > 0) {
        size_t open = str_find(template, '{', 0), end = open == SIZE_MAX ? SIZE_MAX : str_find(template, '}', open);
        struct str value = STR_EMPTY;
        buf_add(&out, str_slice(template, 0, open));
        if (end == SIZE_MAX)
            break;
        struct str place = str_slice(template, open + 1, end);
        bool optional = strstr(arena_str(a, place).p, "|or:") != NULL;
        if (!fill_place(a, from, facts, place, &value) && !optional)
            return false;
        buf_add(&out, value);
        template = str_slice(template, end + 1, template.n);
    }
    *ret = buf_copy(&out, a);
    return buf_ok(&out);
}

/* Does any of several paths, as in {A,^B}, refer to more parents than there are? */
static bool asks_too_high(struct str paths, size_t depth)
{
    while (paths.n > 0) {
        struct str path = str_cut(&paths, ',');
        size_t up = 0;
        while (up < path.n && path.p[up] == '^')
            up++;
        if (up > depth)
            return true;
    }
    return false;
}

const char *pick_check(struct str template, size_t depth)
{
    for (size_t open; (open = str_find(template, '{', 0)) != SIZE_MAX;) {
        size_t end = str_find(template, '}', open);
        if (end == SIZE_MAX)
            return "a { is not closed";
        struct str place = str_slice(template, open + 1, end);
        if (asks_too_high(str_cut(&place, '|'), depth))
            return "it asks for a parent that the row does not have";
        while (place.n > 0) {
            struct str how = str_cut(&place, '|'), name = str_cut(&how, ':');
            if (!str_eqz(name, "after") && !str_eqz(name, "before") && !str_eqz(name, "join") && !str_eqz(name, "or") &&
                !str_eqz(name, "trim") && !str_eqz(name, "prefix"))
                return "after | one of after:, before:, trim:, prefix:, join: and or: is expected";
        }
        template = str_slice(template, end + 1, template.n);
    }
    return str_find(template, '}', 0) == SIZE_MAX ? NULL : "a } is not opened";
}
