#include "emulator/patch.h"

#include "base/vec.h"
#include "emulator/words.h"

/* A mutable value. The whole document is converted to these first, and back to JSON at the end. */
struct part {
    const struct json *leaf; /* neither an object nor an array; else NULL */
    bool is_object;
    VEC(struct entry) entries;
};
struct entry {
    struct str key; /* for members of an object */
    struct part *part;
};

struct patching {
    struct arena *arena;
    struct part *root;
    size_t values, work; /* remaining budgets */
    struct str problem;  /* empty: none yet */
};

/* The place that a pointer names. */
struct place {
    struct part *owner; /* NULL: the document itself */
    struct str key;     /* the last step */
    size_t at;          /* index in the owner; SIZE_MAX: does not exist */
    size_t depth;
};

static bool fail(struct patching *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct patching *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (p->problem.n == 0)
        p->problem = arena_vprintf(p->arena, format, args);
    va_end(args);
    return false;
}

static bool spend(struct patching *p, size_t *left, size_t n)
{
    if (n > *left)
        return fail(p, "the patch is too large");
    *left -= n;
    return true;
}

/* --- from JSON and back --- */

static struct part *thaw(struct patching *p, const struct json *j, size_t depth)
{
    if (depth >= JSON_MAX_DEPTH) {
        (void)fail(p, "the document would be nested too deeplyly");
        return NULL;
    }
    if (!spend(p, &p->values, 1))
        return NULL;
    struct part *part = arena_make(p->arena, struct part);
    part->is_object = j->kind == JSON_OBJECT;
    if (!part->is_object && j->kind != JSON_ARRAY) {
        part->leaf = j;
        return part;
    }
    size_t n = part->is_object ? j->object.n : j->array.n;
    for (size_t i = 0; i < n; i++) {
        struct entry entry = {.key = part->is_object ? j->object.members[i].key : STR_EMPTY};
        entry.part = thaw(p, part->is_object ? j->object.members[i].value : j->array.items[i], depth + 1);
        if (!entry.part)
            return NULL;
        *VEC_PUSH(p->arena, &part->entries) = entry;
    }
    return part;
}

static const struct json *freeze(struct patching *p, const struct part *part)
{
    size_t n = part->entries.n;
    if (part->leaf)
        return part->leaf;
    if (part->is_object) {
        struct json_member *members = arena_make_n(p->arena, struct json_member, n);
        for (size_t i = 0; i < n; i++)
            members[i] = (struct json_member){.key = part->entries.v[i].key, .value = freeze(p, part->entries.v[i].part)};
        return json_make_object(p->arena, members, n);
    }
    const struct json **items = arena_make_n(p->arena, const struct json *, n);
    for (size_t i = 0; i < n; i++)
        items[i] = freeze(p, part->entries.v[i].part);
    return json_make_array(p->arena, items, n);
}

static size_t count(const struct part *part)
{
    size_t n = 1;
    for (size_t i = 0; i < part->entries.n; i++)
        n += count(part->entries.v[i].part);
    return n;
}

/* Converts to JSON; counts against the budget of values. */
static const struct json *value_of(struct patching *p, const struct part *part)
{
    return spend(p, &p->values, count(part)) ? freeze(p, part) : NULL;
}

/* --- pointers --- */

/* ~1 is /, ~0 is ~. */
static bool unescape(struct patching *p, struct str step, struct str *ret)
{
    char *text = arena_alloc(p->arena, step.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < step.n; i++) {
        bool escaped = step.p[i] == '~';
        if (escaped && (i + 1 == step.n || (step.p[i + 1] != '0' && step.p[i + 1] != '1')))
            return fail(p, "~ must be followed by 0 or 1");
        text[n++] = !escaped ? step.p[i] : step.p[i + 1] == '0' ? '~' : '/';
        i += escaped;
    }
    *ret = (struct str){text, n};
    return true;
}

/* Digits without a leading zero; SIZE_MAX if it is not an index. */
static size_t element_number(struct str step)
{
    enum { DIGITS = 9 };
    size_t n = 0;
    if (step.n == 0 || step.n > DIGITS || (step.n > 1 && step.p[0] == '0'))
        return SIZE_MAX;
    for (size_t i = 0; i < step.n; i++) {
        if (step.p[i] < '0' || step.p[i] > '9')
            return SIZE_MAX;
        n = n * 10 + (size_t)(step.p[i] - '0');
    }
    return n;
}

static bool look_up(struct patching *p, const struct part *owner, struct str key, size_t *ret)
{
    size_t n = owner->entries.n, number = element_number(key);
    *ret = SIZE_MAX;
    if (owner->leaf)
        return fail(p, "a value that is neither an object nor an array has no members");
    if (!owner->is_object) {
        *ret = number < n ? number : SIZE_MAX;
        return true;
    }
    if (!spend(p, &p->work, n))
        return false;
    for (size_t i = 0; i < n && *ret == SIZE_MAX; i++)
        if (str_eq(owner->entries.v[i].key, key))
            *ret = i;
    return true;
}

static bool nothing_at(struct patching *p, const struct place *place)
{
    return fail(p,
                place->owner && place->owner->is_object ? "there is no member \"" STR_FMT "\"" : "there is no element " STR_FMT,
                STR_ARG(emulator_shown(p->arena, place->key)));
}

/* All steps but the last must exist. */
static bool find(struct patching *p, struct str pointer, struct place *ret)
{
    *ret = (struct place){.key = STR_EMPTY, .at = SIZE_MAX};
    struct part *here = p->root;
    if (pointer.n == 0)
        return true;
    if (pointer.p[0] != '/')
        return fail(p, "a pointer must start with /");
    for (size_t start = 1, end; start <= pointer.n; start = end + 1) {
        end = str_find(pointer, '/', start);
        end = end == SIZE_MAX ? pointer.n : end;
        if (!here)
            return nothing_at(p, ret);
        ret->owner = here;
        if (++ret->depth >= JSON_MAX_DEPTH)
            return fail(p, "the document would be nested too deeplyly");
        if (!unescape(p, str_slice(pointer, start, end), &ret->key) || !look_up(p, here, ret->key, &ret->at))
            return false;
        here = ret->at == SIZE_MAX ? NULL : here->entries.v[ret->at].part;
    }
    return true;
}

/* The part at the pointer; NULL, with a problem, if there is none. */
static struct part *part_at(struct patching *p, struct str pointer, struct place *ret)
{
    if (!find(p, pointer, ret))
        return NULL;
    if (!ret->owner)
        return p->root;
    if (ret->at == SIZE_MAX) {
        (void)nothing_at(p, ret);
        return NULL;
    }
    return ret->owner->entries.v[ret->at].part;
}

/* --- operations --- */

/* Moves the elements from `at` on by one place. */
static bool make_room(struct patching *p, struct part *array, size_t at)
{
    size_t behind = array->entries.n - at;
    if (!spend(p, &p->work, behind))
        return false;
    (void)VEC_PUSH(p->arena, &array->entries);
    memmove(&array->entries.v[at + 1], &array->entries.v[at], behind * sizeof array->entries.v[0]);
    return true;
}

static bool put(struct patching *p, const struct place *place, struct part *part)
{
    struct part *owner = place->owner;
    struct entry entry = {.key = place->key, .part = part};
    if (!owner) {
        p->root = part;
    } else if (owner->is_object) {
        *(place->at == SIZE_MAX ? VEC_PUSH(p->arena, &owner->entries) : &owner->entries.v[place->at]) = entry;
    } else {
        size_t at = str_eqz(place->key, "-") ? owner->entries.n : element_number(place->key);
        if (at > owner->entries.n)
            return nothing_at(p, place);
        if (!make_room(p, owner, at))
            return false;
        owner->entries.v[at] = entry;
    }
    return true;
}

static bool add(struct patching *p, struct str path, const struct json *value)
{
    struct place place;
    struct part *part = find(p, path, &place) ? thaw(p, value, place.depth) : NULL;
    return part && put(p, &place, part);
}

static bool take_out(struct patching *p, struct str path)
{
    struct place place;
    if (!part_at(p, path, &place))
        return false;
    if (!place.owner)
        return fail(p, "the document itself cannot be removed");
    struct part *owner = place.owner;
    size_t behind = owner->entries.n - place.at - 1;
    if (!spend(p, &p->work, behind))
        return false;
    memmove(&owner->entries.v[place.at], &owner->entries.v[place.at + 1], behind * sizeof owner->entries.v[0]);
    owner->entries.n--;
    return true;
}

static bool replace(struct patching *p, struct str path, const struct json *value)
{
    struct place place;
    if (!part_at(p, path, &place))
        return false;
    struct part *part = thaw(p, value, place.depth);
    if (part && place.owner)
        place.owner->entries.v[place.at].part = part;
    else if (part)
        p->root = part;
    return part != NULL;
}

static bool test(struct patching *p, struct str path, const struct json *value)
{
    struct place place;
    const struct part *part = part_at(p, path, &place);
    const struct json *found = part ? value_of(p, part) : NULL;
    return found && (json_eq(found, value) || fail(p, "the value is different"));
}

static bool copy(struct patching *p, struct str from, struct str path, bool and_remove)
{
    struct place place;
    struct str inside = arena_printf(p->arena, STR_FMT "/", STR_ARG(from));
    if (and_remove && str_starts(path, inside))
        return fail(p, "a value cannot be moved into itself");
    const struct part *part = part_at(p, from, &place);
    const struct json *value = part ? value_of(p, part) : NULL;
    if (!value || (and_remove && str_eq(from, path)))
        return value != NULL;
    return (!and_remove || take_out(p, from)) && add(p, path, value);
}

/* --- the patch --- */

static bool apply(struct patching *p, const struct json *op)
{
    struct str name = json_text(json_get(op, "op"), STR_EMPTY);
    const struct json *path = json_get(op, "path"), *from = json_get(op, "from"), *value = json_get(op, "value");
    bool adds = str_eqz(name, "add"), replaces = str_eqz(name, "replace"), tests = str_eqz(name, "test");
    bool copies = str_eqz(name, "copy"), moves = str_eqz(name, "move"), removes = str_eqz(name, "remove");
    if (name.n == 0 || !path || path->kind != JSON_STRING)
        return fail(p, "an operation must be an object with the strings \"op\" and \"path\"");
    if (!adds && !replaces && !tests && !copies && !moves && !removes)
        return fail(p, "unknown operation");
    if ((adds || replaces || tests) && !value)
        return fail(p, "\"value\" is missing");
    if ((copies || moves) && (!from || from->kind != JSON_STRING))
        return fail(p, "\"from\" is missing");
    if (removes)
        return take_out(p, path->text);
    if (copies || moves)
        return copy(p, from->text, path->text, moves);
    return (adds ? add : replaces ? replace : test)(p, path->text, value);
}

const struct json *emulator_patch(struct arena *a, const struct json *document, const struct json *patch, struct str *ret_problem)
{
    struct patching p = {.arena = a, .values = EMULATOR_PATCH_VALUES, .work = EMULATOR_PATCH_WORK, .problem = STR_EMPTY};
    if (patch->kind != JSON_ARRAY || patch->array.n > EMULATOR_PATCH_OPS) {
        *ret_problem = arena_printf(a, "A patch must be an array of at most %d operations.", EMULATOR_PATCH_OPS);
        return NULL;
    }
    p.root = thaw(&p, document, 0);
    bool ok = p.root != NULL;
    for (size_t i = 0; ok && i < patch->array.n; i++) {
        const struct json *op = patch->array.items[i];
        ok = apply(&p, op);
        if (!ok)
            p.problem = arena_printf(a, "Operation %zu (" STR_FMT " \"" STR_FMT "\"): " STR_FMT ".", i,
                                     STR_ARG(emulator_shown(a, json_text(json_get(op, "op"), STR_EMPTY))),
                                     STR_ARG(emulator_shown(a, json_text(json_get(op, "path"), STR_EMPTY))), STR_ARG(p.problem));
    }
    if (ok)
        return freeze(&p, p.root);
    *ret_problem = p.problem;
    return NULL;
}
