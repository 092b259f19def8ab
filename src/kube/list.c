#include "kube/list.h"

#include "kube/objects.h"

#include <inttypes.h>

struct listing {
    struct kube *k;
    const struct kube_place *at;
    const struct kube_selection *which;
    kube_each *each;
    void *ctx;
    int64_t limit;
    struct buf next; /* continue token of the next page; empty: the first page */
    struct buf version;
    bool handed_over; /* at least one object */
    bool enough;      /* the callback returned false */
};

static struct str target_of(struct arena *a, const struct listing *l)
{
    struct buf target BUF_AUTO = BUF_INIT(HTTP_MAX_HEADERS);
    buf_add(&target, kube_path(a, l->at));
    kube_query(&target, "limit", arena_printf(a, "%" PRId64, l->limit));
    if (l->next.n > 0)
        kube_query(&target, "continue", buf_str(&l->next));
    if (l->which && l->which->labels.n > 0)
        kube_query(&target, "labelSelector", l->which->labels);
    if (l->which && l->which->fields.n > 0)
        kube_query(&target, "fieldSelector", l->which->fields);
    return buf_copy(&target, a);
}

/* Elements of lists of built-in kinds have no apiVersion and kind. */
static const struct json *with_kind(struct arena *a, const struct json *list, const struct json *item)
{
    struct str kind = json_text(json_get(list, "kind"), STR_EMPTY);
    if (json_get(item, "kind") || !str_ends(kind, STR("List")))
        return item;
    struct json_member *members = arena_make_n(a, struct json_member, item->object.n + 2);
    members[0] = (struct json_member){.key = STR("kind"), .value = json_make_string(a, str_slice(kind, 0, kind.n - 4))};
    members[1] = (struct json_member){.key = STR("apiVersion"), .value = json_get(list, "apiVersion")};
    memcpy(members + 2, item->object.members, item->object.n * sizeof members[0]);
    return json_make_object(a, members, item->object.n + 2);
}

static void hand_over(struct listing *l, const struct json *list, const struct json *items)
{
    struct arena *one ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; items && i < items->array.n && !l->enough; i++) {
        const struct json *item = items->array.items[i];
        if (item->kind != JSON_OBJECT)
            continue;
        l->handed_over = true;
        l->enough = !l->each(l->ctx, one, kube_trim(one, with_kind(one, list, item)));
        arena_reset(one);
    }
}

static enum kube_result take_page(struct listing *l, const struct json *page, struct diags *diags)
{
    const struct json *items = json_get(page, "items"), *metadata = json_get(page, "metadata");
    struct str version = json_text(json_get(metadata, "resourceVersion"), STR_EMPTY);
    if ((items && items->kind != JSON_ARRAY && items->kind != JSON_NULL) || version.n == 0) {
        struct kube_right right = kube_right("GET", kube_path(diags->arena, l->at));
        (void)diags_fail(diags, "The answer is not from an API server", STR_FMT ": expected a list with a resourceVersion.",
                         STR_ARG(kube_right_text(diags->arena, &right)));
        return KUBE_UNAVAILABLE;
    }
    buf_clear(&l->version);
    buf_add(&l->version, version);
    buf_clear(&l->next);
    buf_add(&l->next, json_text(json_get(metadata, "continue"), STR_EMPTY));
    hand_over(l, page, items && items->kind == JSON_ARRAY ? items : NULL);
    return KUBE_OK;
}

/* Adapts the request for another attempt; false: the failure must be reported. */
static bool try_otherwise(struct listing *l, enum kube_result result)
{
    if (result == KUBE_TOO_LARGE && l->limit > 1) {
        l->limit /= 4;
        l->limit += l->limit == 0;
        return true;
    }
    if (result == KUBE_GONE && l->next.n > 0 && !l->handed_over) {
        buf_clear(&l->next);
        buf_clear(&l->version);
        return true;
    }
    return false;
}

static enum kube_result one_page(struct listing *l, struct diags *diags)
{
    struct arena *page ARENA_AUTO = arena_new(NULL, 0);
    struct diags found;
    const struct json *answer;
    diags_init(&found, page);
    enum kube_result result =
        kube_do(l->k, page, &(struct kube_request){.method = "GET", .target = target_of(page, l)}, &found, &answer);
    if (result == KUBE_OK)
        return take_page(l, answer, diags);
    if (try_otherwise(l, result))
        return KUBE_OK;
    diags_append(diags, &found);
    return result;
}

enum kube_result kube_list(struct kube *k, struct arena *a, const struct kube_place *at, const struct kube_selection *which,
                           kube_each *each, void *ctx, struct diags *diags, struct str *ret_version)
{
    struct listing l = {.k = k, .at = at, .which = which, .each = each, .ctx = ctx, .limit = KUBE_LIST_PAGE};
    l.next = BUF_INIT(HTTP_MAX_HEADERS);
    l.version = BUF_INIT(HTTP_MAX_HEADERS);
    enum kube_result result;
    do
        result = one_page(&l, diags);
    while (result == KUBE_OK && !l.enough && (l.next.n > 0 || l.version.n == 0));
    if (result == KUBE_OK)
        *ret_version = buf_copy(&l.version, a);
    buf_free(&l.next);
    buf_free(&l.version);
    return result;
}
