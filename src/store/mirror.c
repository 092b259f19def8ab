#include "store/mirror.h"

#include "base/lock.h"
#include "base/must.h"
#include "base/vec.h"
#include "store/mirror_table.h"
#include "store/object.h"

#include <stdlib.h>

enum { MAX_GRAVES = 4096 };

struct mirror {
    struct store store; /* the first member */
    struct store *below;
    struct arena *arena;
    struct mirror_options o;
    pthread_mutex_t lock; /* guards the members below */
    struct mirror_table table;
    bool complete;
};

struct mirror_watch {
    struct store_watch watch; /* the first member */
    struct mirror *m;
    struct store_watch *below;
    bool of_all;
};

static struct mirror *mirror_of(struct store *s)
{
    return (struct mirror *)s;
}

/* ---- kinds and keys ---- */

static const struct mirror_kind *kind_of(const struct mirror *m, struct str group, struct str kind)
{
    for (size_t i = 0; i < m->o.n_kinds; i++)
        if (str_eq(m->o.kinds[i].kind, kind) && str_eq(m->o.kinds[i].group, group))
            return &m->o.kinds[i];
    return NULL;
}

static bool is_record(const struct mirror *m, const struct store_key *key)
{
    if (!object_is_secret(key->group, key->kind) || !str_eq(key->namespace, m->o.records))
        return false;
    for (size_t i = 0; i < m->o.n_prefixes; i++)
        if (str_starts(key->name, m->o.prefixes[i]))
            return true;
    return false;
}

static struct str text_of(struct arena *a, const struct store_key *key)
{
    struct buf out BUF_AUTO = BUF_INIT(4 * STORE_MAX_NAME + 4);
    const struct str parts[] = {key->group, key->kind, key->namespace, key->name};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (i > 0)
            buf_addc(&out, '\n');
        buf_add(&out, parts[i]);
    }
    return buf_copy(&out, a);
}

static struct store_key key_of(struct str text)
{
    struct store_key key;
    key.group = str_cut(&text, '\n');
    key.kind = str_cut(&text, '\n');
    key.namespace = str_cut(&text, '\n');
    key.name = text;
    return key;
}

/* Within one kind versions are increasing numbers: Kubernetes guarantees that, and so does every other store here. */
static uint64_t version_of(const struct json *object)
{
    struct str text = object_metadata_text(object, "resourceVersion");
    uint64_t v = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9' || v > UINT64_MAX / 10 - 1)
            return 0;
        v = v * 10 + (uint64_t)(text.p[i] - '0');
    }
    return v;
}

static bool is_grave(const void *mirror, const struct kept *k)
{
    (void)mirror;
    return k->how == KEPT_GRAVE;
}

/* ---- learning ---- */

static struct str json_text_of(struct arena *a, const struct json *object)
{
    struct buf out BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT * 4);
    struct json_writer w = {.out = &out};
    json_write(&w, object);
    return json_finish(&w) && buf_ok(&out) ? buf_copy(&out, a) : STR_EMPTY;
}

static void learn(struct mirror *m, struct arena *a, const struct store_key *key, const struct json *object)
{
    struct str text = json_text_of(a, object), name = text_of(a, key);
    MUTEX_GUARD(&m->lock);
    if (text.n > 0)
        mirror_table_put(&m->table, name, KEPT_HERE, version_of(object), text);
    else
        mirror_table_forget(&m->table, name);
}

/* No controller has handled this object yet, so it has no records. */
static void learn_no_records(struct mirror *m, struct arena *a, const struct json *object)
{
    struct str uid = object_metadata_text(object, "uid");
    for (size_t i = 0; i < m->o.n_prefixes && uid.n > 0; i++) {
        const struct store_key key = {.kind = STR("Secret"),
                                      .namespace = m->o.records,
                                      .name = arena_printf(a, STR_FMT STR_FMT, STR_ARG(m->o.prefixes[i]), STR_ARG(uid))};
        struct str name = text_of(a, &key);
        MUTEX_GUARD(&m->lock);
        if (!mirror_table_find(&m->table, name))
            mirror_table_put(&m->table, name, KEPT_ABSENT, 0, STR_EMPTY);
    }
}

/* Graves keep a late answer from bringing back a deleted object. */
static void bury(struct mirror *m, struct str name, uint64_t version)
{
    MUTEX_GUARD(&m->lock);
    if (m->table.n_graves >= MAX_GRAVES)
        mirror_table_sweep(&m->table, is_grave, m);
    mirror_table_put(&m->table, name, KEPT_GRAVE, version, STR_EMPTY);
}

/* Turns entries of absent records into graves, which may be forgotten some time. */
static void bury_records(struct mirror *m, struct arena *a, const struct json *object)
{
    struct str uid = object_metadata_text(object, "uid");
    for (size_t i = 0; i < m->o.n_prefixes && uid.n > 0; i++) {
        const struct store_key key = {.kind = STR("Secret"),
                                      .namespace = m->o.records,
                                      .name = arena_printf(a, STR_FMT STR_FMT, STR_ARG(m->o.prefixes[i]), STR_ARG(uid))};
        struct str name = text_of(a, &key);
        mutex_lock(&m->lock);
        const struct kept *k = mirror_table_find(&m->table, name);
        bool absent = k && k->how == KEPT_ABSENT;
        mutex_unlock(&m->lock);
        if (absent)
            bury(m, name, 0);
    }
}

/* It is another process's object, which may write our records. */
static void forget(struct mirror *m, struct arena *a, struct str name, const struct json *object)
{
    struct str uid = object_metadata_text(object, "uid");
    MUTEX_GUARD(&m->lock);
    mirror_table_forget(&m->table, name);
    for (size_t i = 0; i < m->o.n_prefixes && uid.n > 0; i++) {
        const struct store_key key = {.kind = STR("Secret"),
                                      .namespace = m->o.records,
                                      .name = arena_printf(a, STR_FMT STR_FMT, STR_ARG(m->o.prefixes[i]), STR_ARG(uid))};
        mirror_table_forget(&m->table, text_of(a, &key));
    }
}

static void see(struct mirror *m, struct arena *a, enum store_change_kind change, const struct json *object)
{
    struct store_key key = object_key(object);
    const struct mirror_kind *kind = kind_of(m, key.group, key.kind);
    bool is_new = kind && change == STORE_ADDED && m->o.finalizer.n > 0 && !object_has_finalizer(object, m->o.finalizer);
    struct str name = text_of(a, &key);
    if (!kind && !object_is_secret(key.group, key.kind))
        return;
    if (change == STORE_DELETED) {
        bury(m, name, version_of(object));
        if (kind)
            bury_records(m, a, object);
        return;
    }
    if (!kind) {
        mutex_lock(&m->lock);
        bool used = mirror_table_find(&m->table, name) != NULL;
        mutex_unlock(&m->lock);
        if (!used)
            return;
    }
    if (kind && kind->shared && m->o.keeps && !m->o.keeps(m->o.ctx, object)) {
        forget(m, a, name, object);
        return;
    }
    learn(m, a, &key, object);
    if (is_new)
        learn_no_records(m, a, object);
}

/* ---- reading ---- */

static enum store_result not_found(const struct store_key *key, struct diags *diags)
{
    struct str title = object_title(diags->arena, key);
    (void)diags_fail(diags, "Object does not exist", STR_FMT " does not exist.", STR_ARG(title));
    return STORE_NOT_FOUND;
}

/* The cached object (empty: it does not exist); true: the cache can answer. */
static bool recall(struct mirror *m, struct arena *a, const struct store_key *key, struct str *ret)
{
    struct str name = text_of(a, key);
    const struct mirror_kind *kind = kind_of(m, key->group, key->kind);
    MUTEX_GUARD(&m->lock);
    const struct kept *k = mirror_table_find(&m->table, name);
    *ret = STR_EMPTY;
    if (kind && !m->complete)
        return false;
    if (!k)
        return kind && kind->believed;
    if (k->how == KEPT_HERE)
        *ret = arena_str(a, (struct str){k->text, k->n_text});
    return true;
}

static enum store_result get(struct store *store, struct arena *a, const struct store_key *key, struct diags *diags,
                             const struct json **ret)
{
    struct mirror *m = mirror_of(store);
    struct str text;
    if (recall(m, a, key, &text)) {
        const struct json *object = text.n > 0 ? json_parse_lenient(a, text) : NULL;
        if (!object)
            return not_found(key, diags);
        *ret = object;
        return STORE_OK;
    }
    enum store_result result = store_get(m->below, a, key, diags, ret);
    bool secret = object_is_secret(key->group, key->kind);
    if (result == STORE_OK && (secret || kind_of(m, key->group, key->kind)))
        learn(m, a, key, *ret);
    if (result == STORE_NOT_FOUND && is_record(m, key)) {
        struct str name = text_of(a, key);
        MUTEX_GUARD(&m->lock);
        mirror_table_put(&m->table, name, KEPT_ABSENT, 0, STR_EMPTY);
    }
    return result;
}

struct handing {
    struct mirror *m;
    store_each *each;
    void *ctx;
};

static bool hand_record(void *ctx, struct arena *a, const struct json *object)
{
    const struct handing *h = ctx;
    struct store_key key = object_key(object);
    if (is_record(h->m, &key))
        learn(h->m, a, &key, object);
    return h->each(h->ctx, a, object);
}

static bool hand_over(void *ctx, struct arena *a, const struct json *object)
{
    const struct handing *h = ctx;
    see(h->m, a, STORE_ADDED, object);
    return h->each(h->ctx, a, object);
}

/* The last complete list did not contain this object. */
static bool is_stale(const void *mirror, const struct kept *k)
{
    const struct mirror *m = mirror;
    struct store_key key = key_of((struct str){k->key, k->n_key});
    return kind_of(m, key.group, key.kind) && k->round != m->table.round;
}

static bool is_used_secret(const void *mirror, const struct kept *k)
{
    const struct mirror *m = mirror;
    struct store_key key = key_of((struct str){k->key, k->n_key});
    return object_is_secret(key.group, key.kind) && !is_record(m, &key);
}

/* The store below gets another `ctx`, so it must not call `wants`. */
static struct store_query asked_below(const struct store_query *query)
{
    struct store_query below = *query;
    below.wants = NULL;
    return below;
}

static enum store_result list_all(struct mirror *m, struct arena *a, const struct store_query *query, store_each *each, void *ctx,
                                  struct diags *diags, struct str *ret_version)
{
    struct handing h = {m, each, ctx};
    struct store_query below = asked_below(query);
    mutex_lock(&m->lock);
    m->table.round++;
    mirror_table_sweep(&m->table, is_used_secret, m); /* their changes may have been missed */
    mutex_unlock(&m->lock);
    enum store_result result = store_list(m->below, a, &below, hand_over, &h, diags, ret_version);
    if (result == STORE_OK) {
        MUTEX_GUARD(&m->lock);
        mirror_table_sweep(&m->table, is_stale, m);
        m->complete = true;
    }
    return result;
}

typedef VEC(struct str) texts;

static int by_text(const void *x, const void *y)
{
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

struct naming {
    struct arena *arena;
    const struct store_query *query;
    texts *names;
};

static void name_one(void *ctx, const struct kept *k)
{
    const struct naming *n = ctx;
    struct str name = {k->key, k->n_key};
    struct store_key key = key_of(name);
    if (k->how == KEPT_HERE && str_eq(key.kind, n->query->kind) && str_eq(key.group, n->query->group) &&
        (n->query->namespace.n == 0 || str_eq(key.namespace, n->query->namespace)))
        *VEC_PUSH(n->arena, n->names) = arena_str(n->arena, name);
}

/* The keys of all cached objects that the query covers, sorted. */
static void names_here(struct mirror *m, struct arena *a, const struct store_query *q, texts *ret)
{
    struct naming naming = {a, q, ret};
    mutex_lock(&m->lock);
    mirror_table_each(&m->table, name_one, &naming);
    mutex_unlock(&m->lock);
    if (ret->n > 1)
        qsort(ret->v, ret->n, sizeof ret->v[0], by_text);
}

/* An object that another process has got meanwhile stays in the cache until it changes. */
static bool is_kept(const struct mirror *m, const struct store_key *key, const struct json *object)
{
    const struct mirror_kind *kind = kind_of(m, key->group, key->kind);
    return !kind || !kind->shared || !m->o.keeps || m->o.keeps(m->o.ctx, object);
}

static enum store_result list_here(struct mirror *m, struct arena *a, const struct store_query *q, store_each *each, void *ctx,
                                   struct str *ret_version)
{
    struct arena *own ARENA_AUTO = arena_new(NULL, 0), *one ARENA_AUTO = arena_new(NULL, 0);
    texts names = {0};
    (void)a;
    names_here(m, own, q, &names);
    for (size_t i = 0; i < names.n; i++, arena_reset(one)) {
        struct store_key key = key_of(names.v[i]);
        struct str text;
        const struct json *object = recall(m, one, &key, &text) && text.n > 0 ? json_parse_lenient(one, text) : NULL;
        if (object && is_kept(m, &key, object) &&
            (!q->selector || selector_matches(q->selector, object_metadata(object, "labels"))) && !each(ctx, one, object))
            break;
    }
    *ret_version = STR("0"); /* a watch cannot start from it */
    return STORE_OK;
}

static enum store_result list(struct store *store, struct arena *a, const struct store_query *query, store_each *each, void *ctx,
                              struct diags *diags, struct str *ret_version)
{
    struct mirror *m = mirror_of(store);
    if (query->kind.n == 0)
        return list_all(m, a, query, each, ctx, diags, ret_version);
    mutex_lock(&m->lock);
    bool complete = m->complete;
    mutex_unlock(&m->lock);
    const struct mirror_kind *kind = kind_of(m, query->group, query->kind);
    if (complete && kind && (query->own || !(kind->shared && m->o.keeps)))
        return list_here(m, a, query, each, ctx, ret_version);
    struct handing h = {m, each, ctx};
    struct store_query below = asked_below(query);
    return store_list(m->below, a, &below, hand_record, &h, diags, ret_version);
}

/* ---- writing ---- */

static void doubt(struct mirror *m, struct arena *a, const struct store_key *key)
{
    struct str name = text_of(a, key);
    MUTEX_GUARD(&m->lock);
    mirror_table_forget(&m->table, name);
}

/* A write failed. An object of a believed kind is read at once: if it were only forgotten, it would count as deleted. */
static void look_again(struct mirror *m, struct arena *a, const struct store_key *key)
{
    const struct mirror_kind *kind = kind_of(m, key->group, key->kind);
    const struct json *there;
    struct diags ignored;
    diags_init(&ignored, a);
    if (!kind || !kind->believed) {
        doubt(m, a, key);
        return;
    }
    enum store_result result = store_get(m->below, a, key, &ignored, &there);
    if (result == STORE_OK)
        learn(m, a, key, there);
    else if (result == STORE_NOT_FOUND)
        doubt(m, a, key);
}

static enum store_result wrote(struct mirror *m, struct arena *a, const struct store_key *key, enum store_result result,
                               const struct json *const *now)
{
    bool ours = object_is_secret(key->group, key->kind) || kind_of(m, key->group, key->kind);
    if (ours && result == STORE_OK)
        learn(m, a, key, *now);
    else if (ours && key->name.n > 0)
        look_again(m, a, key);
    return result;
}

static enum store_result create(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret)
{
    struct mirror *m = mirror_of(store);
    struct store_key key = object_key(object);
    enum store_result result = store_create(m->below, a, object, diags, ret);
    if (result == STORE_OK)
        key = object_key(*ret); /* generateName */
    const struct json *there;
    struct diags ignored;
    diags_init(&ignored, a);
    if (result == STORE_EXISTS && store_get(m->below, a, &key, &ignored, &there) == STORE_OK) {
        learn(m, a, &key, there);
        return result;
    }
    return wrote(m, a, &key, result, ret);
}

static const struct json *without_status(struct arena *a, const struct json *object)
{
    return json_get(object, "status") ? object_with(a, object, "status", NULL) : object;
}

static bool is_same(const struct json *x, const struct json *y)
{
    return x == y || (x && y && json_eq(x, y));
}

static enum store_result update(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret)
{
    struct mirror *m = mirror_of(store);
    struct store_key key = object_key(object);
    struct str text;
    const struct json *known = recall(m, a, &key, &text) && text.n > 0 ? json_parse_lenient(a, text) : NULL;
    if (known && json_eq(without_status(a, known), without_status(a, object))) {
        *ret = known;
        return STORE_OK;
    }
    return wrote(m, a, &key, store_update(m->below, a, object, diags, ret), ret);
}

static enum store_result update_status(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                                       const struct json **ret)
{
    struct mirror *m = mirror_of(store);
    struct store_key key = object_key(object);
    struct str text;
    const struct json *known = recall(m, a, &key, &text) && text.n > 0 ? json_parse_lenient(a, text) : NULL;
    if (known && is_same(json_get(known, "status"), json_get(object, "status")) &&
        str_eq(object_metadata_text(known, "resourceVersion"), object_metadata_text(object, "resourceVersion"))) {
        *ret = known;
        return STORE_OK;
    }
    return wrote(m, a, &key, store_update_status(m->below, a, object, diags, ret), ret);
}

/* With the cached uid the store below need not read the object. */
static enum store_result remove_known(struct mirror *m, struct arena *a, const struct store_key *key, const struct json *known,
                                      const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    struct store_preconditions with = {object_metadata_text(known, "uid"), must ? must->version : STR_EMPTY};
    struct diags said;
    diags_init(&said, a);
    enum store_result result = store_remove(m->below, a, key, &with, &said, ret);
    if (result == STORE_CONFLICT && (!must || must->version.n == 0)) /* the cached object is stale */
        return store_remove(m->below, a, key, must, diags, ret);
    diags_append(diags, &said);
    if (result == STORE_OK && object_metadata_text(*ret, "uid").n == 0)
        *ret = known;
    return result;
}

static enum store_result remove_object(struct store *store, struct arena *a, const struct store_key *key,
                                       const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    struct mirror *m = mirror_of(store);
    struct str text;
    bool is_known = recall(m, a, key, &text);
    if (is_known && text.n == 0)
        return not_found(key, diags);
    const struct json *known = is_known ? json_parse_lenient(a, text) : NULL;
    enum store_result result = known && (!must || must->uid.n == 0) ? remove_known(m, a, key, known, must, diags, ret)
                                                                    : store_remove(m->below, a, key, must, diags, ret);
    const struct mirror_kind *kind = kind_of(m, key->group, key->kind);
    bool is_gone = result == STORE_OK || result == STORE_NOT_FOUND;
    if (is_gone || !kind || !kind->believed) /* for a believed kind, an unknown object would count as deleted */
        doubt(m, a, key);
    if (is_record(m, key) && is_gone)
        bury(m, text_of(a, key), 0);
    return result;
}

/* ---- watching ---- */

static enum store_result watch(struct store *store, const struct store_query *query, struct str version, struct diags *diags,
                               struct store_watch **ret)
{
    struct mirror *m = mirror_of(store);
    struct store_watch *below;
    enum store_result result = store_watch_open(m->below, query, version, diags, &below);
    if (result != STORE_OK)
        return result;
    struct mirror_watch *w = must(calloc(1, sizeof *w));
    *w = (struct mirror_watch){{store->ops}, m, below, query->kind.n == 0};
    *ret = &w->watch;
    return STORE_OK;
}

static enum store_result watch_next(struct store_watch *watch, struct arena *a, int64_t deadline, struct diags *diags,
                                    struct store_change *ret)
{
    struct mirror_watch *w = (struct mirror_watch *)watch;
    enum store_result result = store_watch_next(w->below, a, deadline, diags, ret);
    if (result == STORE_OK && w->of_all)
        see(w->m, a, ret->kind, ret->object);
    return result;
}

static void watch_stop(struct store_watch *watch)
{
    store_watch_stop(((struct mirror_watch *)watch)->below);
}

static void watch_close(struct store_watch *watch)
{
    store_watch_close(((struct mirror_watch *)watch)->below);
    free(watch);
}

/* ---- the rest ---- */

static enum store_result record(struct store *store, const struct store_event *event, struct diags *diags)
{
    return store_record(mirror_of(store)->below, event, diags);
}

static enum store_result events(struct store *store, struct arena *a, struct str uid, struct diags *diags,
                                struct store_events *ret)
{
    return store_events(mirror_of(store)->below, a, uid, diags, ret);
}

static bool holds_lease(struct store *store)
{
    return store_holds_lease(mirror_of(store)->below);
}

static bool is_kept_record(const void *mirror, const struct kept *k)
{
    const struct mirror *m = mirror;
    struct store_key key = key_of((struct str){k->key, k->n_key});
    return is_record(m, &key);
}

void store_mirror_doubt_records(struct store *store)
{
    struct mirror *m = mirror_of(store);
    MUTEX_GUARD(&m->lock);
    mirror_table_sweep(&m->table, is_kept_record, m);
}

void store_mirror_doubt_all(struct store *store)
{
    struct mirror *m = mirror_of(store);
    store_mirror_doubt_records(store);
    MUTEX_GUARD(&m->lock);
    mirror_table_sweep(&m->table, is_used_secret, m);
    m->complete = false;
}

struct mirror_size store_mirror_size(struct store *store)
{
    struct mirror *m = mirror_of(store);
    MUTEX_GUARD(&m->lock);
    return (struct mirror_size){m->table.n, m->table.bytes};
}

static void close_mirror(struct store *store)
{
    struct mirror *m = mirror_of(store);
    mirror_table_free(&m->table);
    store_close(m->below);
    mutex_destroy(&m->lock);
    arena_free(m->arena);
    free(m);
}

static const struct store_ops ops = {
    .get = get,
    .list = list,
    .create = create,
    .update = update,
    .update_status = update_status,
    .remove = remove_object,
    .watch = watch,
    .watch_next = watch_next,
    .watch_stop = watch_stop,
    .watch_close = watch_close,
    .record = record,
    .events = events,
    .holds_lease = holds_lease,
    .close = close_mirror,
};

struct store *store_mirror(const struct mirror_options *options)
{
    struct mirror *m = must(calloc(1, sizeof *m));
    m->arena = arena_new(NULL, 0);
    m->store.ops = &ops;
    m->below = options->below;
    m->o = *options;
    m->o.records = arena_str(m->arena, options->records);
    m->o.finalizer = arena_str(m->arena, options->finalizer);
    struct mirror_kind *kinds = arena_make_n(m->arena, struct mirror_kind, options->n_kinds);
    for (size_t i = 0; i < options->n_kinds; i++)
        kinds[i] = (struct mirror_kind){arena_str(m->arena, options->kinds[i].group), arena_str(m->arena, options->kinds[i].kind),
                                        options->kinds[i].shared, options->kinds[i].believed};
    struct str *prefixes = arena_make_n(m->arena, struct str, options->n_prefixes);
    for (size_t i = 0; i < options->n_prefixes; i++)
        prefixes[i] = arena_str(m->arena, options->prefixes[i]);
    m->o.kinds = kinds;
    m->o.prefixes = prefixes;
    mirror_table_init(&m->table, (uint64_t)(uintptr_t)m ^ (uint64_t)clock_now(&system_clock));
    mutex_init(&m->lock);
    return &m->store;
}
