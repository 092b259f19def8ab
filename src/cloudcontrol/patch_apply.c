/*
 * Applies a patch. JSON is immutable, so each container on the path to a change is opened once: copied so that its elements can
 * be changed in place. Everything else stays shared with the document.
 */
#include "base/vec.h"
#include "cloudcontrol/patch.h"

enum { MAX_STEPS = JSON_MAX_DEPTH };

struct cell {
    const struct json *json; /* the original; NULL: opened */
    enum json_kind kind;
    VEC(struct slot) slots; /* elements of an opened array or object */
};
struct slot {
    struct str key; /* object */
    struct cell *cell;
};

struct pointer {
    struct str steps[MAX_STEPS];
    size_t n;
};

struct applying {
    struct arena *arena;
    struct cell *root;
    size_t work; /* remaining budget */
    struct diags *diags;
    size_t index; /* of the current operation */
    struct str op, path;
};

static bool fail(struct applying *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct applying *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str why = arena_vprintf(p->arena, format, args);
    va_end(args);
    return diags_fail(p->diags, "Invalid patch", "Operation %zu (" STR_FMT " \"" STR_FMT "\"): " STR_FMT ".", p->index,
                      STR_ARG(p->op), STR_ARG(p->path), STR_ARG(why));
}

static bool spend(struct applying *p, size_t work)
{
    if (work > p->work)
        return fail(p, "the patch takes too much work");
    p->work -= work;
    return true;
}

/* --- pointers --- */

static bool unescape(struct applying *p, struct str step, struct str *ret)
{
    if (str_find(step, '~', 0) == SIZE_MAX) {
        *ret = step;
        return true;
    }
    char *text = arena_alloc(p->arena, step.n, 1);
    size_t n = 0;
    for (size_t i = 0; i < step.n; i++) {
        char c = step.p[i];
        if (c == '~') {
            char next = i + 1 < step.n ? step.p[++i] : 0;
            if (next != '0' && next != '1')
                return fail(p, "~ must be followed by 0 or 1");
            c = next == '0' ? '~' : '/';
        }
        text[n++] = c;
    }
    *ret = (struct str){text, n};
    return true;
}

static bool read_pointer(struct applying *p, struct str text, struct pointer *ret)
{
    ret->n = 0;
    if (text.n > 0 && text.p[0] != '/')
        return fail(p, "a pointer must start with /");
    size_t start = 1;
    while (start <= text.n && text.n > 0) {
        size_t end = str_find(text, '/', start);
        end = end == SIZE_MAX ? text.n : end;
        if (ret->n == MAX_STEPS)
            return fail(p, "a pointer must have at most %d steps", MAX_STEPS);
        if (!unescape(p, str_slice(text, start, end), &ret->steps[ret->n++]))
            return false;
        start = end + 1;
    }
    return true;
}

/* Digits without a leading zero. */
static bool read_index(struct str step, size_t *ret)
{
    int64_t i;
    if (step.n == 0 || step.n > 9 || (step.n > 1 && step.p[0] == '0') || step.p[0] == '-' || !str_to_i64(step, &i))
        return false;
    *ret = (size_t)i;
    return true;
}

/* --- cells --- */

static struct cell *new_cell(struct applying *p, const struct json *json)
{
    struct cell *c = arena_make(p->arena, struct cell);
    c->json = json;
    c->kind = json->kind;
    return c;
}

static bool open_cell(struct applying *p, struct cell *c)
{
    const struct json *j = c->json;
    if (!j)
        return true;
    size_t n = j->kind == JSON_ARRAY ? j->array.n : j->kind == JSON_OBJECT ? j->object.n : 0;
    if (!spend(p, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        bool array = j->kind == JSON_ARRAY;
        struct slot *slot = VEC_PUSH(p->arena, &c->slots);
        slot->key = array ? STR_EMPTY : j->object.members[i].key;
        slot->cell = new_cell(p, array ? j->array.items[i] : j->object.members[i].value);
    }
    c->json = NULL;
    return true;
}

static const struct json *freeze(struct applying *p, struct cell *c)
{
    if (c->json)
        return c->json;
    if (c->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(p->arena, const struct json *, c->slots.n);
        for (size_t i = 0; i < c->slots.n; i++)
            items[i] = freeze(p, c->slots.v[i].cell);
        return json_make_array(p->arena, items, c->slots.n);
    }
    struct json_member *members = arena_make_n(p->arena, struct json_member, c->slots.n);
    for (size_t i = 0; i < c->slots.n; i++)
        members[i] = (struct json_member){.key = c->slots.v[i].key, .value = freeze(p, c->slots.v[i].cell)};
    return json_make_object(p->arena, members, c->slots.n);
}

/* Subtracts its contents from the work budget, and checks its depth at this position. */
static bool measure(struct applying *p, const struct json *j, size_t depth)
{
    size_t n = j->kind == JSON_ARRAY ? j->array.n : j->kind == JSON_OBJECT ? j->object.n : 0;
    if (depth >= JSON_MAX_DEPTH)
        return fail(p, "the document would be nested too deeplyly");
    if (!spend(p, n + 1))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!measure(p, j->kind == JSON_ARRAY ? j->array.items[i] : j->object.members[i].value, depth + 1))
            return false;
    return true;
}

/* --- following pointers --- */

/* The position of an element; SIZE_MAX, without a diagnostic, if there is none. The cell is open. */
static size_t find_slot(struct applying *p, const struct cell *c, struct str step)
{
    size_t i;
    if (c->kind == JSON_ARRAY)
        return read_index(step, &i) && i < c->slots.n ? i : SIZE_MAX;
    if (c->kind != JSON_OBJECT || !spend(p, c->slots.n))
        return SIZE_MAX;
    for (i = 0; i < c->slots.n; i++)
        if (str_eq(c->slots.v[i].key, step))
            return i;
    return SIZE_MAX;
}

static bool missing(struct applying *p, const struct cell *c, struct str step)
{
    if (p->diags->n_errors > 0)
        return false;
    if (c->kind == JSON_ARRAY)
        return fail(p, "there is no element " STR_FMT, STR_ARG(step));
    if (c->kind == JSON_OBJECT)
        return fail(p, "there is no member \"" STR_FMT "\"", STR_ARG(step));
    return fail(p, "a value that is neither an object nor an array has no members");
}

/* The cell after the first `n` steps. Opens all cells on the way, and the cell itself if `open`. NULL if it does not exist. */
static struct cell *go(struct applying *p, const struct pointer *to, size_t n, bool open)
{
    struct cell *c = p->root;
    for (size_t i = 0; i < n; i++) {
        if (!open_cell(p, c))
            return NULL;
        size_t at = find_slot(p, c, to->steps[i]);
        if (at == SIZE_MAX) {
            (void)missing(p, c, to->steps[i]);
            return NULL;
        }
        c = c->slots.v[at].cell;
    }
    return open && !open_cell(p, c) ? NULL : c;
}

/* --- operations --- */

static bool insert(struct applying *p, struct cell *array, size_t at, const struct json *value)
{
    if (!spend(p, array->slots.n - at))
        return false;
    (void)VEC_PUSH(p->arena, &array->slots);
    memmove(&array->slots.v[at + 1], &array->slots.v[at], (array->slots.n - 1 - at) * sizeof array->slots.v[0]);
    array->slots.v[at] = (struct slot){STR_EMPTY, new_cell(p, value)};
    return true;
}

static bool add(struct applying *p, const struct pointer *to, const struct json *value)
{
    if (!measure(p, value, to->n))
        return false;
    if (to->n == 0) {
        p->root = new_cell(p, value);
        return true;
    }
    struct str last = to->steps[to->n - 1];
    struct cell *c = go(p, to, to->n - 1, true);
    size_t at = c ? find_slot(p, c, last) : SIZE_MAX;
    if (!c || p->diags->n_errors > 0)
        return false;
    if (c->kind == JSON_OBJECT) {
        struct slot *slot = at == SIZE_MAX ? VEC_PUSH(p->arena, &c->slots) : &c->slots.v[at];
        *slot = (struct slot){last, new_cell(p, value)};
        return true;
    }
    if (c->kind != JSON_ARRAY)
        return missing(p, c, last);
    if (str_eqz(last, "-"))
        at = c->slots.n;
    else if (!read_index(last, &at) || at > c->slots.n)
        return missing(p, c, last);
    return insert(p, c, at, value);
}

static bool take_out(struct applying *p, const struct pointer *from)
{
    if (from->n == 0)
        return fail(p, "the document itself cannot be removed");
    struct str last = from->steps[from->n - 1];
    struct cell *c = go(p, from, from->n - 1, true);
    size_t at = c ? find_slot(p, c, last) : SIZE_MAX;
    if (!c)
        return false;
    if (at == SIZE_MAX)
        return missing(p, c, last);
    if (!spend(p, c->slots.n - at))
        return false;
    memmove(&c->slots.v[at], &c->slots.v[at + 1], (c->slots.n - 1 - at) * sizeof c->slots.v[0]);
    c->slots.n--;
    return true;
}

static bool replace(struct applying *p, const struct pointer *at, const struct json *value)
{
    struct cell *c = go(p, at, at->n, false);
    if (!c || !measure(p, value, at->n))
        return false;
    *c = *new_cell(p, value);
    return true;
}

static bool test(struct applying *p, const struct pointer *at, const struct json *value)
{
    struct cell *c = go(p, at, at->n, false);
    if (!c)
        return false;
    const struct json *found = freeze(p, c);
    if (!measure(p, found, 0))
        return false;
    return json_eq(found, value) || fail(p, "the value is different");
}

/* Is `inner` equal to `outer` or inside it? */
static bool is_within(const struct pointer *inner, const struct pointer *outer)
{
    if (inner->n < outer->n)
        return false;
    for (size_t i = 0; i < outer->n; i++)
        if (!str_eq(inner->steps[i], outer->steps[i]))
            return false;
    return true;
}

static bool copy(struct applying *p, const struct pointer *from, const struct pointer *to, bool move)
{
    if (move && to->n > from->n && is_within(to, from))
        return fail(p, "a value cannot be moved into itself");
    struct cell *c = go(p, from, from->n, false);
    if (!c)
        return false;
    if (move && is_within(to, from))
        return true; /* moving it to its own position changes nothing */
    const struct json *value = freeze(p, c);
    return (!move || take_out(p, from)) && add(p, to, value);
}

/* --- the patch --- */

static bool apply_op(struct applying *p, const struct json *op)
{
    struct pointer path, from;
    const struct json *name = json_get(op, "op"), *at = json_get(op, "path"), *value = json_get(op, "value");
    const struct json *source = json_get(op, "from");
    p->op = p->path = STR_EMPTY;
    if (!name || name->kind != JSON_STRING || !at || at->kind != JSON_STRING)
        return fail(p, "an operation must be an object with the strings \"op\" and \"path\"");
    p->op = name->text;
    p->path = at->text;
    if (!read_pointer(p, at->text, &path))
        return false;
    if (str_eqz(p->op, "remove"))
        return take_out(p, &path);
    bool moves = str_eqz(p->op, "move"), copies = str_eqz(p->op, "copy");
    if (moves || copies) {
        if (!source || source->kind != JSON_STRING)
            return fail(p, "\"from\" is missing");
        return read_pointer(p, source->text, &from) && copy(p, &from, &path, moves);
    }
    bool adds = str_eqz(p->op, "add"), replaces = str_eqz(p->op, "replace");
    if (!adds && !replaces && !str_eqz(p->op, "test"))
        return fail(p, "unknown operation");
    if (!value)
        return fail(p, "\"value\" is missing");
    return adds ? add(p, &path, value) : replaces ? replace(p, &path, value) : test(p, &path, value);
}

const struct json *cc_patch_apply(struct arena *a, const struct json *document, const struct json *patch, struct diags *diags)
{
    struct diags own;
    diags_init(&own, a);
    struct applying p = {.arena = a, .work = CC_PATCH_MAX_WORK, .diags = &own, .op = STR_EMPTY, .path = STR_EMPTY};
    bool ok = true;
    p.root = new_cell(&p, document);
    if (!patch || patch->kind != JSON_ARRAY || patch->array.n > CC_PATCH_MAX_OPS) {
        (void)diags_fail(diags, "Invalid patch", "A patch must be an array of at most %d operations.", CC_PATCH_MAX_OPS);
        return NULL;
    }
    for (; ok && p.index < patch->array.n; p.index += ok)
        ok = apply_op(&p, patch->array.items[p.index]) && !diags_has_errors(&own);
    diags_append(diags, &own);
    return ok ? freeze(&p, p.root) : NULL;
}
