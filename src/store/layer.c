#include "store/layer.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/must.h"
#include "base/vec.h"
#include "store/object.h"
#include "store/rules.h"

#include <sodium.h>
#include <stdlib.h>

enum { NAME_TRIES = 8 };

struct layer {
    struct store store;
    struct store *below; /* NULL: an empty store */
    const struct clock *clock;
    pthread_mutex_t lock; /* guards the members below */
    struct arena *arena;
    struct map entries; /* title of the object -> struct entry */
    unsigned long long version;
};

/* A written object; entries are immutable. */
struct entry {
    struct store_key key;
    struct str text; /* the object as JSON; empty: it was removed */
};

static struct layer *layer_of(struct store *s)
{
    return (struct layer *)s; /* `store` is its first member */
}

/* ---- reading ---- */

static enum store_result not_found(const struct store_key *key, struct diags *diags)
{
    struct str title = object_title(diags->arena, key);
    (void)diags_fail(diags, "Object does not exist", STR_FMT " is not in the store.", STR_ARG(title));
    return STORE_NOT_FOUND;
}

static enum store_result get_locked(struct layer *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                    const struct json **ret)
{
    const struct entry *e = map_get(&s->entries, object_title(a, key));
    if (!e && s->below)
        return store_get(s->below, a, key, diags, ret);
    if (!e || e->text.n == 0)
        return not_found(key, diags);
    *ret = json_parse_lenient(a, e->text);
    return STORE_OK;
}

static enum store_result layer_get(struct store *store, struct arena *a, const struct store_key *key, struct diags *diags,
                                   const struct json **ret)
{
    struct layer *s = layer_of(store);
    MUTEX_GUARD(&s->lock);
    return get_locked(s, a, key, diags, ret);
}

static int compare_keys(const struct store_key *x, const struct store_key *y)
{
    int order = str_cmp(x->group, y->group);
    if (order == 0)
        order = str_cmp(x->kind, y->kind);
    if (order == 0)
        order = str_cmp(x->namespace, y->namespace);
    return order != 0 ? order : str_cmp(x->name, y->name);
}

static int compare_entries(const void *x, const void *y)
{
    const struct entry *const *e = x, *const *f = y;
    return compare_keys(&(*e)->key, &(*f)->key);
}

/* Merges two sorted lists: the layer's own entries and the objects below. */
struct listing {
    const struct store_query *query;
    store_each *each;
    void *ctx;
    VEC(const struct entry *) own;
    size_t next; /* index into the entries */
    bool ended;  /* the callback returned false */
};

static bool is_asked_for(const struct store_query *q, const struct store_key *key)
{
    return (q->kind.n == 0 || (str_eq(q->kind, key->kind) && str_eq(q->group, key->group))) &&
           (q->namespace.n == 0 || str_eq(q->namespace, key->namespace));
}

static void give_entry(struct listing *l, const struct entry *e)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *object = e->text.n > 0 ? json_parse_lenient(a, e->text) : NULL;
    if (!object || (l->query->selector && !selector_matches(l->query->selector, object_metadata(object, "labels"))))
        return;
    l->ended = !l->each(l->ctx, a, object);
}

/* Passes on own entries up to this key (NULL: all). True: the last one has this key. */
static bool give_until(struct listing *l, const struct store_key *key)
{
    while (!l->ended && l->next < l->own.n) {
        const struct entry *e = l->own.v[l->next];
        int order = key ? compare_keys(&e->key, key) : -1;
        if (order > 0)
            return false;
        l->next++;
        give_entry(l, e);
        if (order == 0)
            return true;
    }
    return false;
}

static bool give_below(void *ctx, struct arena *a, const struct json *object)
{
    struct listing *l = ctx;
    struct store_key key = object_key(object);
    bool is_hidden = give_until(l, &key);
    if (!l->ended && !is_hidden)
        l->ended = !l->each(l->ctx, a, object);
    return !l->ended;
}

static enum store_result layer_list(struct store *store, struct arena *a, const struct store_query *query, store_each *each,
                                    void *ctx, struct diags *diags, struct str *ret_version)
{
    struct layer *s = layer_of(store);
    struct arena *own ARENA_AUTO = arena_new(NULL, 0);
    struct listing l = {.query = query, .each = each, .ctx = ctx};
    struct store_query below = *query;
    struct str version = STR_EMPTY;
    below.wants = NULL; /* objects below may be hidden by entries */
    mutex_lock(&s->lock);
    for (size_t i = 0; i < s->entries.n; i++) {
        const struct entry *e = s->entries.entries[i].value;
        if (is_asked_for(query, &e->key))
            *VEC_PUSH(own, &l.own) = e;
    }
    mutex_unlock(&s->lock);
    if (l.own.n > 0)
        qsort(l.own.v, l.own.n, sizeof *l.own.v, compare_entries);
    enum store_result result = s->below ? store_list(s->below, a, &below, give_below, &l, diags, &version) : STORE_OK;
    if (result != STORE_OK)
        return result;
    (void)give_until(&l, NULL);
    *ret_version = version;
    return STORE_OK;
}

/* ---- writing ---- */

static void put_text(struct layer *s, const struct store_key *key, struct str text)
{
    struct entry *e = arena_make(s->arena, struct entry);
    *e = (struct entry){{arena_str(s->arena, key->group), arena_str(s->arena, key->kind), arena_str(s->arena, key->namespace),
                         arena_str(s->arena, key->name)},
                        arena_str(s->arena, text)};
    map_put(&s->entries, object_title(s->arena, &e->key), e);
}

static enum store_result put(struct layer *s, struct arena *a, const struct json *object, struct diags *diags,
                             const struct json **ret)
{
    struct buf text BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT);
    struct json_writer w = {.out = &text};
    struct store_key key = object_key(object);
    object = object_with_metadata_text(a, object, "resourceVersion", arena_printf(a, "layer-%llu", ++s->version));
    json_write(&w, object);
    if (!json_finish(&w) || !buf_ok(&text)) {
        struct str title = object_title(diags->arena, &key);
        (void)diags_fail(diags, "Object is too large", STR_FMT " takes more than the %d bytes that an object may have.",
                         STR_ARG(title), STORE_MAX_OBJECT);
        return STORE_TOO_LARGE;
    }
    put_text(s, &key, buf_str(&text));
    *ret = object;
    return STORE_OK;
}

/* STORE_OK: no object has this key. */
static enum store_result check_absent(struct layer *s, struct arena *a, const struct json *made, struct diags *diags)
{
    struct store_key key = object_key(made);
    const struct json *there;
    struct diags said;
    diags_init(&said, a);
    enum store_result result = get_locked(s, a, &key, &said, &there);
    if (result == STORE_NOT_FOUND)
        return STORE_OK;
    if (result == STORE_OK)
        return STORE_EXISTS;
    diags_append(diags, &said);
    return result;
}

static enum store_result layer_create(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret)
{
    struct layer *s = layer_of(store);
    int tries = object_metadata_text(object, "name").n == 0 ? NAME_TRIES : 1;
    enum store_result result = STORE_EXISTS;
    const struct json *made = NULL;
    MUTEX_GUARD(&s->lock);
    for (int i = 0; result == STORE_EXISTS && i < tries; i++) {
        struct rules_moment now = rules_now(a, s->clock);
        result = rules_create(a, object, &now, diags, &made);
        if (result == STORE_OK)
            result = check_absent(s, a, made, diags);
    }
    if (result == STORE_EXISTS) {
        struct store_key key = object_key(made);
        struct str title = object_title(diags->arena, &key);
        (void)diags_fail(diags, "Object exists already", STR_FMT " is in the store; it can be updated.", STR_ARG(title));
    }
    return result == STORE_OK ? put(s, a, made, diags, ret) : result;
}

static enum store_result settle(struct layer *s, struct arena *a, const struct json *old, const struct rules_answer *answer,
                                struct diags *diags, const struct json **ret)
{
    struct store_key key = object_key(old);
    switch (answer->action) {
    case RULES_KEEP:
        *ret = old;
        return STORE_OK;
    case RULES_WRITE:
        return put(s, a, answer->object, diags, ret);
    case RULES_REMOVE:
        break;
    }
    put_text(s, &key, STR_EMPTY);
    *ret = answer->object;
    return STORE_OK;
}

typedef enum store_result change_rules(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                                       struct rules_answer *ret);

static enum store_result change(struct store *store, struct arena *a, change_rules *rules, const struct json *object,
                                struct diags *diags, const struct json **ret)
{
    struct layer *s = layer_of(store);
    struct store_key key = object_key(object);
    const struct json *old;
    struct rules_answer answer;
    enum store_result result = rules_check(object, diags);
    if (result != STORE_OK)
        return result;
    MUTEX_GUARD(&s->lock);
    result = get_locked(s, a, &key, diags, &old);
    if (result == STORE_OK)
        result = rules(a, old, object, diags, &answer);
    return result == STORE_OK ? settle(s, a, old, &answer, diags, ret) : result;
}

static enum store_result layer_update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret)
{
    return change(s, a, rules_update, object, diags, ret);
}

static enum store_result layer_update_status(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                             const struct json **ret)
{
    return change(s, a, rules_update_status, object, diags, ret);
}

static enum store_result layer_remove(struct store *store, struct arena *a, const struct store_key *key,
                                      const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    struct layer *s = layer_of(store);
    const struct json *old;
    struct rules_answer answer;
    MUTEX_GUARD(&s->lock);
    enum store_result result = get_locked(s, a, key, diags, &old);
    if (result == STORE_OK)
        result = rules_remove(a, old, must, rules_time(a, s->clock), diags, &answer);
    return result == STORE_OK ? settle(s, a, old, &answer, diags, ret) : result;
}

/* ---- the rest ---- */

static enum store_result layer_watch(struct store *s, const struct store_query *query, struct str version, struct diags *diags,
                                     struct store_watch **ret)
{
    (void)s, (void)query, (void)version, (void)ret;
    (void)diags_fail(diags, "Store cannot be watched", "A layer over a store is not shared, so it cannot be watched.");
    return STORE_FAILED;
}

static enum store_result layer_record(struct store *s, const struct store_event *event, struct diags *diags)
{
    (void)s, (void)event, (void)diags;
    return STORE_OK;
}

static enum store_result layer_events(struct store *store, struct arena *a, struct str uid, struct diags *diags,
                                      struct store_events *ret)
{
    struct layer *s = layer_of(store);
    if (s->below)
        return store_events(s->below, a, uid, diags, ret);
    *ret = (struct store_events){0};
    return STORE_OK;
}

static bool layer_holds_lease(struct store *s)
{
    (void)s;
    return false;
}

static void layer_close(struct store *store)
{
    struct layer *s = layer_of(store);
    store_close(s->below);
    mutex_destroy(&s->lock);
    arena_free(s->arena);
    free(s);
}

struct store *store_layer(struct store *below, const struct clock *clock)
{
    static const struct store_ops ops = {
        .get = layer_get,
        .list = layer_list,
        .create = layer_create,
        .update = layer_update,
        .update_status = layer_update_status,
        .remove = layer_remove,
        .watch = layer_watch, /* always fails, so the other functions of watches are never called */
        .record = layer_record,
        .events = layer_events,
        .holds_lease = layer_holds_lease,
        .close = layer_close,
    };
    must_be(sodium_init() >= 0, "cannot initialise libsodium");
    struct layer *s = must(calloc(1, sizeof *s));
    *s = (struct layer){.store = {&ops}, .below = below, .clock = clock ? clock : &system_clock, .arena = arena_new(NULL, 0)};
    mutex_init(&s->lock);
    map_init(&s->entries, s->arena);
    return &s->store;
}
