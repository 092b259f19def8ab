#include "manifests/merge.h"

#include "base/vec.h"

enum { MAX_TEXT = 64 << 20 };

static bool is_object(const struct json *j)
{
    return j && j->kind == JSON_OBJECT;
}

static bool is_null(const struct json *j)
{
    return j->kind == JSON_NULL;
}

typedef VEC(struct json_member) member_list;

static void add(struct arena *a, member_list *list, struct str key, const struct json *value)
{
    *VEC_PUSH(a, list) = (struct json_member){.key = key, .value = value};
}

/* Recursion is bounded by the depth of JSON. */
static const struct json *without_nulls(struct arena *a, const struct json *j)
{
    member_list members = {0};
    if (!is_object(j))
        return j;
    for (size_t i = 0; i < j->object.n; i++)
        if (!is_null(j->object.members[i].value))
            add(a, &members, j->object.members[i].key, without_nulls(a, j->object.members[i].value));
    return json_make_object(a, members.v, members.n);
}

/* The merged member; NULL: removed. */
static const struct json *merge_member(struct arena *a, const struct json *before, const struct json *wanted,
                                       const struct json *current)
{
    if (!wanted)
        return before ? NULL : current;
    if (is_null(wanted))
        return NULL;
    if (is_object(wanted) && is_object(current))
        return merge_three_way(a, is_object(before) ? before : NULL, wanted, current);
    return without_nulls(a, wanted);
}

const struct json *merge_three_way(struct arena *a, const struct json *before, const struct json *wanted,
                                   const struct json *current)
{
    member_list members = {0};
    for (size_t i = 0; i < current->object.n; i++) { /* in the current order, so that an unchanged object stays the same */
        struct str key = current->object.members[i].key;
        const struct json *value =
            merge_member(a, json_get_str(before, key), json_get_str(wanted, key), current->object.members[i].value);
        if (value)
            add(a, &members, key, value);
    }
    for (size_t i = 0; i < wanted->object.n; i++) {
        const struct json_member *m = &wanted->object.members[i];
        if (!json_get_str(current, m->key) && !is_null(m->value))
            add(a, &members, m->key, without_nulls(a, m->value));
    }
    return json_make_object(a, members.v, members.n);
}

struct str merge_last_applied(struct arena *a, const struct json *manifest)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct json_writer w = {.out = &text, .html_escape = true};
    json_write(&w, json_sorted(a, manifest));
    (void)json_finish(&w);
    buf_addc(&text, '\n');
    return buf_copy(&text, a);
}
