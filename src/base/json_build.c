#include "base/json_build.h"

#include <stdlib.h>

/* Objects with more members than this get an index; for fewer a linear search is faster. */
enum { INDEX_FROM = 16 };

void json_builder_init(struct json_builder *b, struct arena *a, size_t max_items, size_t max_members)
{
    *b = (struct json_builder){
        .arena = a,
        .items = BUF_INIT(max_items * sizeof(const struct json *)),
        .members = BUF_INIT(max_members * sizeof(struct json_member)),
    };
}

void json_builder_free(struct json_builder *b)
{
    buf_free(&b->items);
    buf_free(&b->members);
}

/* Moves the part of the stack above `base` to the arena. */
static void *pop(struct json_builder *b, struct buf *stack, size_t base, size_t align)
{
    size_t n = stack->n - base;
    void *moved = arena_alloc(b->arena, n, align);
    if (n > 0)
        memcpy(moved, stack->p + base, n);
    stack->n = base;
    return moved;
}

static enum json_added push(struct json_builder *b, struct buf *stack, const void *element, size_t size)
{
    buf_add(stack, (struct str){element, size});
    return buf_ok(stack) && !arena_exhausted(b->arena) ? JSON_ADDED : JSON_FULL;
}

struct json_open json_open_array(const struct json_builder *b)
{
    return (struct json_open){.base = b->items.n};
}

enum json_added json_add_item(struct json_builder *b, const struct json *item)
{
    return push(b, &b->items, &item, sizeof(item));
}

void json_close_array(struct json_builder *b, const struct json_open *open, struct json *ret)
{
    ret->kind = JSON_ARRAY;
    ret->array.n = (b->items.n - open->base) / sizeof(const struct json *);
    ret->array.items = pop(b, &b->items, open->base, alignof(const struct json *));
}

struct json_open json_open_object(const struct json_builder *b)
{
    return (struct json_open){.base = b->members.n};
}

static struct map *index_all(struct arena *a, const struct json_member *members, size_t n)
{
    struct map *index = arena_make(a, struct map);
    map_init(index, a);
    for (size_t i = 0; i < n; i++)
        (void)map_add(index, members[i].key, (void *)members[i].value);
    return index;
}

struct map *json_make_index(struct arena *a, const struct json_member *members, size_t n)
{
    return n > INDEX_FROM ? index_all(a, members, n) : NULL;
}

/* Records the key; true when the open object has it already. */
static bool is_duplicate(struct json_builder *b, struct json_open *open, const struct json_member *new)
{
    const struct json_member *members = (const void *)(buf_str(&b->members).p + open->base);
    size_t n = (b->members.n - open->base) / sizeof *members;
    if (!open->index && n >= INDEX_FROM)
        open->index = index_all(b->arena, members, n);
    if (open->index)
        return !map_add(open->index, new->key, (void *)new->value);
    for (size_t i = 0; i < n; i++)
        if (str_eq(members[i].key, new->key))
            return true;
    return false;
}

enum json_added json_add_member(struct json_builder *b, struct json_open *open, const struct json_member *member)
{
    if (is_duplicate(b, open, member))
        return JSON_DUPLICATE;
    return push(b, &b->members, member, sizeof *member);
}

void json_replace_member(struct json_builder *b, struct json_open *open, const struct json_member *member)
{
    struct json_member *members = (void *)(b->members.p + open->base);
    if (open->index) {
        map_put(open->index, member->key, (void *)member->value);
        open->replaced = true;
        return;
    }
    for (size_t i = 0; i < INDEX_FROM; i++)
        if (str_eq(members[i].key, member->key)) {
            members[i].value = member->value;
            return;
        }
}

void json_close_object(struct json_builder *b, const struct json_open *open, struct json *ret)
{
    size_t n = (b->members.n - open->base) / sizeof(struct json_member);
    struct json_member *members = pop(b, &b->members, open->base, alignof(struct json_member));
    for (size_t i = 0; open->replaced && i < n; i++)
        members[i].value = open->index->entries[i].value; /* both in order of appearance */
    ret->kind = JSON_OBJECT;
    ret->object.n = n;
    ret->object.members = members;
    ret->object.index = open->index;
}

const struct json *json_with(struct arena *a, const struct json *object, struct str key, const struct json *value)
{
    size_t have = object && object->kind == JSON_OBJECT ? object->object.n : 0, n = 0;
    struct json_member *members = arena_make_n(a, struct json_member, have + 1);
    bool placed = false;
    for (size_t i = 0; i < have; i++) {
        bool same = str_eq(object->object.members[i].key, key);
        members[n] = object->object.members[i];
        if (same)
            members[n].value = value;
        placed |= same;
        n += !same || value;
    }
    if (value && !placed)
        members[n++] = (struct json_member){.key = key, .value = value};
    return json_make_object(a, members, n);
}

const struct json *json_copy(struct arena *a, const struct json *j)
{
    if (!j)
        return NULL;
    if (j->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(a, const struct json *, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            items[i] = json_copy(a, j->array.items[i]);
        return json_make_array(a, items, j->array.n);
    }
    if (j->kind == JSON_OBJECT) {
        struct json_member *members = arena_make_n(a, struct json_member, j->object.n);
        for (size_t i = 0; i < j->object.n; i++) {
            const struct json_member *m = &j->object.members[i];
            members[i] = (struct json_member){.key = m->key, .value = json_copy(a, m->value)};
        }
        return json_make_object(a, members, j->object.n);
    }
    if (j->kind == JSON_STRING)
        return json_make_string(a, j->text);
    if (j->kind == JSON_NUMBER)
        return json_make_number(a, j->text);
    return j->kind == JSON_BOOL ? json_make_bool(a, j->boolean) : json_make_null(a);
}

static int by_key(const void *x, const void *y)
{
    return str_cmp(((const struct json_member *)x)->key, ((const struct json_member *)y)->key);
}

const struct json *json_sorted(struct arena *a, const struct json *j)
{
    if (j->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(a, const struct json *, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            items[i] = json_sorted(a, j->array.items[i]);
        return json_make_array(a, items, j->array.n);
    }
    if (j->kind != JSON_OBJECT)
        return j;
    struct json_member *members = arena_make_n(a, struct json_member, j->object.n);
    for (size_t i = 0; i < j->object.n; i++)
        members[i] = (struct json_member){.key = j->object.members[i].key, .value = json_sorted(a, j->object.members[i].value)};
    if (j->object.n > 1)
        qsort(members, j->object.n, sizeof *members, by_key);
    return json_make_object(a, members, j->object.n);
}
