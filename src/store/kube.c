#include "store/kube.h"

#include "base/must.h"
#include "kube/crd.h"
#include "kube/objects.h"
#include "store/kube_private.h"
#include "store/object.h"

#include <stdlib.h>

enum { DELETE_TRIES = 3 };

static enum store_result result_of(enum kube_result result)
{
    switch (result) {
    case KUBE_OK:
        return STORE_OK;
    case KUBE_NOT_FOUND:
        return STORE_NOT_FOUND;
    case KUBE_EXISTS:
        return STORE_EXISTS;
    case KUBE_CONFLICT:
        return STORE_CONFLICT;
    case KUBE_INVALID:
        return STORE_INVALID;
    case KUBE_TOO_LARGE:
        return STORE_TOO_LARGE;
    case KUBE_GONE:
        return STORE_EXPIRED;
    default:
        return STORE_FAILED;
    }
}

/* Kinds */

static struct str version_of(const struct kube_store *s, struct str group, struct str kind)
{
    for (size_t i = 0; i < s->n_kinds; i++)
        if (str_eq(s->kinds[i].kind, kind) && str_eq(s->kinds[i].group, group))
            return s->kinds[i].version;
    return STR_EMPTY;
}

/* The server's name and version of a kind. `version` empty: as the options say. */
static enum store_result resource_of(struct kube_store *s, struct arena *a, struct str group, struct str kind, struct str version,
                                     struct diags *diags, struct kube_resource *ret)
{
    if (version.n == 0)
        version = version_of(s, group, kind);
    return result_of(kube_discover(s->discovery, a, group, kind, version, diags, ret));
}

/* A kind that may be missing is looked up by the plural that its definition has. */
static enum store_result resource_of_known(struct kube_store *s, struct arena *a, const struct store_kube_kind *k,
                                           struct diags *diags, struct kube_resource *ret)
{
    struct diags said;
    diags_init(&said, a);
    enum store_result result = resource_of(s, a, k->group, k->kind, k->version, &said, ret);
    if (result == STORE_NOT_FOUND && k->plural.n > 0 && k->version.n > 0) {
        *ret = (struct kube_resource){k->group, k->version, k->kind, k->plural, false};
        return STORE_OK;
    }
    diags_append(diags, &said);
    return result;
}

static bool need_not_be_served(const struct kube_store *s, const struct kube_resource *r)
{
    for (size_t i = 0; i < s->n_kinds; i++)
        if (str_eq(s->kinds[i].kind, r->kind) && str_eq(s->kinds[i].group, r->group))
            return s->kinds[i].plural.n > 0;
    return false;
}

enum store_result kube_store_kinds(struct kube_store *s, struct arena *a, const struct store_query *query, struct diags *diags,
                                   struct kube_store_kinds *ret)
{
    struct kube_store_kinds found = {.v = arena_make_n(a, struct kube_resource, s->n_kinds + 1),
                                     .labels = arena_make_n(a, struct str, s->n_kinds + 1)};
    enum store_result result = STORE_OK;
    if (query->kind.n > 0) {
        result = resource_of(s, a, query->group, query->kind, STR_EMPTY, diags, &found.v[found.n++]);
    } else {
        for (size_t i = 0; i < s->n_kinds && result == STORE_OK; i++) {
            const struct store_kube_kind *k = &s->kinds[i];
            if (query->group.n > 0 && !str_eq(k->group, query->group))
                continue;
            found.labels[found.n] = query->selector ? STR_EMPTY : k->labels;
            result = resource_of_known(s, a, k, diags, &found.v[found.n++]);
        }
        if (result == STORE_OK && found.n == 0) {
            (void)diags_fail(diags, "No kind to look for",
                             "On Kubernetes a query names a kind, or the store was opened with some.");
            return STORE_INVALID;
        }
    }
    *ret = found;
    return result;
}

struct str kube_store_selector(struct arena *a, const struct selector *selector)
{
    struct buf out BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT);
    for (size_t i = 0; selector && i < selector->n; i++) {
        const struct selector_requirement *r = &selector->requirements[i];
        buf_printf(&out, "%s%s" STR_FMT, i > 0 ? "," : "", r->op == SELECTOR_ABSENT ? "!" : "", STR_ARG(r->key));
        if (r->op != SELECTOR_IN && r->op != SELECTOR_NOT_IN)
            continue;
        buf_addz(&out, r->op == SELECTOR_IN ? " in (" : " notin (");
        for (size_t k = 0; k < r->n_values; k++)
            buf_printf(&out, "%s" STR_FMT, k > 0 ? "," : "", STR_ARG(r->values[k]));
        buf_addc(&out, ')');
    }
    return buf_copy(&out, a);
}

/* The version part of the object's apiVersion. */
static struct str api_version(const struct json *object)
{
    struct str text = json_text(json_get(object, "apiVersion"), STR_EMPTY);
    size_t slash = str_find(text, '/', 0);
    return slash == SIZE_MAX ? text : str_slice(text, slash + 1, text.n);
}

/* The path of an object in the version in which it is written. */
static enum store_result place_of(struct kube_store *s, struct arena *a, const struct store_key *key, struct str version,
                                  struct diags *diags, struct kube_place *ret)
{
    struct kube_resource *resource = arena_make(a, struct kube_resource);
    enum store_result result = resource_of(s, a, key->group, key->kind, version, diags, resource);
    if (result != STORE_OK)
        return result;
    if (resource->namespaced && key->namespace.n == 0) {
        (void)diags_fail(diags, "Invalid object", "Objects of the kind " STR_FMT " need a metadata.namespace.",
                         STR_ARG(key->kind));
        return STORE_INVALID;
    }
    *ret = (struct kube_place){resource, key->namespace, key->name, NULL};
    return STORE_OK;
}

/* Reading */

static enum store_result get(struct store *store, struct arena *a, const struct store_key *key, struct diags *diags,
                             const struct json **ret)
{
    struct kube_place at;
    struct kube_store *s = kube_store_of(store);
    enum store_result result = place_of(s, a, key, STR_EMPTY, diags, &at);
    return result == STORE_OK ? result_of(kube_get(s->k, a, &at, diags, ret)) : result;
}

struct handing {
    store_each *each;
    void *ctx;
    bool enough;
};

static bool hand_over(void *ctx, struct arena *a, const struct json *object)
{
    struct handing *h = ctx;
    h->enough = !h->each(h->ctx, a, object);
    return !h->enough;
}

/* Lists one kind. In a list of all kinds, a kind that is not served is no error: it has no objects. */
static enum store_result list_kind(struct kube_store *s, struct arena *a, const struct kube_place *at,
                                   const struct kube_selection *which, struct handing *h, bool of_all, struct diags *diags,
                                   struct str *ret_version)
{
    const struct kube_resource *r = at->resource;
    struct diags said;
    diags_init(&said, a);
    enum store_result result = result_of(kube_list(s->k, a, at, which, hand_over, h, &said, ret_version));
    if (result == STORE_NOT_FOUND && of_all && need_not_be_served(s, r) &&
        kube_crd_is_absent(s->k, arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(r->plural), STR_ARG(r->group)), r->version)) {
        *ret_version = STR(KUBE_STORE_NOT_SERVED);
        return STORE_OK;
    }
    diags_append(diags, &said);
    return result;
}

/* The version of a list of several kinds is the version of each, separated by commas. */
static enum store_result list(struct store *store, struct arena *a, const struct store_query *query, store_each *each, void *ctx,
                              struct diags *diags, struct str *ret_version)
{
    struct kube_store *s = kube_store_of(store);
    struct kube_store_kinds kinds = {0};
    struct handing h = {each, ctx, false};
    struct buf versions BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT);
    struct kube_selection which = {kube_store_selector(a, query->selector), STR_EMPTY};
    enum store_result result = kube_store_kinds(s, a, query, diags, &kinds);
    if (result == STORE_NOT_FOUND && query->kind.n > 0) /* there is no such kind, so there are no objects of it */
        return STORE_NOT_FOUND;
    for (size_t i = 0; i < kinds.n && result == STORE_OK; i++) {
        struct kube_place at = {&kinds.v[i], query->namespace, STR_EMPTY, NULL};
        struct str version;
        const struct kube_selection these = {kinds.labels[i].n > 0 ? kinds.labels[i] : which.labels, STR_EMPTY};
        result = list_kind(s, a, &at, &these, &h, query->kind.n == 0, diags, &version);
        if (result == STORE_OK)
            buf_printf(&versions, "%s" STR_FMT, i > 0 ? "," : "", STR_ARG(version));
        if (h.enough)
            break;
    }
    if (result == STORE_OK)
        *ret_version = buf_copy(&versions, a);
    return result == STORE_NOT_FOUND ? STORE_FAILED : result;
}

/* Writing */

static enum store_result invalid(struct diags *diags, const char *what)
{
    (void)diags_fail(diags, "Invalid object", "%s", what);
    return STORE_INVALID;
}

static enum store_result create(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret)
{
    struct kube_store *s = kube_store_of(store);
    struct store_key key = object_key(object);
    struct kube_place at;
    if (object_metadata_text(object, "resourceVersion").n > 0) /* the server's answer to this is unclear */
        return invalid(diags, "metadata.resourceVersion must not be set on an object that is to be created.");
    enum store_result result = place_of(s, a, &key, api_version(object), diags, &at);
    if (result != STORE_OK)
        return result == STORE_NOT_FOUND ? STORE_FAILED : result;
    at.name = STR_EMPTY;
    result = result_of(kube_create(s->k, a, &at, object, diags, ret));
    return result == STORE_NOT_FOUND ? STORE_FAILED : result; /* the namespace is missing, and may be created later */
}

static enum store_result replace(struct store *store, struct arena *a, const struct json *object, const char *subresource,
                                 struct diags *diags, const struct json **ret)
{
    struct kube_store *s = kube_store_of(store);
    struct store_key key = object_key(object);
    struct kube_place at;
    if (object_metadata_text(object, "resourceVersion").n == 0) /* the server does not require it for every kind */
        return invalid(diags, "metadata.resourceVersion must be that of the object as it was read.");
    enum store_result result = place_of(s, a, &key, api_version(object), diags, &at);
    at.subresource = subresource;
    return result == STORE_OK ? result_of(kube_replace(s->k, a, &at, object, diags, ret)) : result;
}

static enum store_result update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret)
{
    return replace(s, a, object, NULL, diags, ret);
}

static enum store_result update_status(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                       const struct json **ret)
{
    return replace(s, a, object, "status", diags, ret);
}

/*
 * The server does not return a deleted object, so it is read first; the uid precondition makes sure that exactly this object is
 * deleted. A caller that passes the uid gets only the server's answer.
 */
static enum kube_result remove_once(struct kube_store *s, struct arena *a, const struct kube_place *at,
                                    const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    struct kube_preconditions conditions = {STR_EMPTY, STR_EMPTY};
    const struct json *was = NULL, *answer = NULL;
    enum kube_result result = KUBE_OK;
    if (must)
        conditions = (struct kube_preconditions){must->uid, must->version};
    if (conditions.uid.n == 0) {
        result = kube_get(s->k, a, at, diags, &was);
        conditions.uid = kube_metadata(was, "uid");
    }
    if (result == KUBE_OK)
        result = kube_delete(s->k, a, at, &conditions, diags, &answer);
    if (result == KUBE_OK)
        *ret = was && str_eqz(object_kind(answer), "Status") ? was : answer;
    return result;
}

static enum store_result remove_object(struct store *store, struct arena *a, const struct store_key *key,
                                       const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    struct kube_store *s = kube_store_of(store);
    struct kube_place at;
    enum store_result placed = place_of(s, a, key, STR_EMPTY, diags, &at);
    if (placed != STORE_OK)
        return placed;
    bool any = !must || (must->uid.n == 0 && must->version.n == 0);
    for (int i = 1;; i++) {
        struct diags said;
        diags_init(&said, a);
        enum kube_result result = remove_once(s, a, &at, must, &said, ret);
        if (result == KUBE_CONFLICT && any && i < DELETE_TRIES)
            continue; /* an object of the same name was created meanwhile */
        diags_append(diags, &said);
        return result_of(result);
    }
}

/* Events */

static enum store_result record(struct store *store, const struct store_event *event, struct diags *diags)
{
    struct kube_store *s = kube_store_of(store);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_resource resource;
    enum store_result result = resource_of(s, a, event->about.group, event->about.kind, STR_EMPTY, diags, &resource);
    if (result != STORE_OK)
        return STORE_FAILED;
    struct kube_happening what = {
        .api_version = resource.group.n > 0
                           ? arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(resource.group), STR_ARG(resource.version))
                           : resource.version,
        .kind = event->about.kind,
        .namespace = event->about.namespace,
        .name = event->about.name,
        .uid = event->uid,
        .type = event->type,
        .reason = event->reason,
        .message = event->message,
    };
    return result_of(kube_record(s->recorder, &what, diags));
}

static enum store_result events(struct store *store, struct arena *a, struct str uid, struct diags *diags,
                                struct store_events *ret)
{
    struct kube_happenings found;
    enum kube_result result = kube_happenings(kube_store_of(store)->k, a, uid, diags, &found);
    if (result != KUBE_OK)
        return result_of(result);
    struct store_event *made = arena_make_n(a, struct store_event, found.n);
    for (size_t i = 0; i < found.n; i++) {
        const struct kube_happening *w = &found.v[i];
        size_t slash = str_find(w->api_version, '/', 0);
        made[i] = (struct store_event){
            .about = {slash == SIZE_MAX ? STR_EMPTY : str_slice(w->api_version, 0, slash), w->kind, w->namespace, w->name},
            .uid = w->uid,
            .type = w->type,
            .reason = w->reason,
            .message = w->message,
            .count = w->count,
            .first_ns = w->first_ns,
            .last_ns = w->last_ns,
        };
    }
    *ret = (struct store_events){made, found.n};
    return STORE_OK;
}

/* Life */

static bool holds_lease(struct store *store)
{
    struct kube_store *s = kube_store_of(store);
    return !s->leads || s->leads(s->ctx);
}

static void close_store(struct store *store)
{
    struct kube_store *s = kube_store_of(store);
    kube_recorder_free(s->recorder);
    kube_discovery_free(s->discovery);
    mutex_destroy(&s->lock);
    arena_free(s->arena);
    free(s);
}

static const struct store_ops ops = {
    .get = get,
    .list = list,
    .create = create,
    .update = update,
    .update_status = update_status,
    .remove = remove_object,
    .watch = kube_store_watch,
    .watch_next = kube_store_watch_next,
    .watch_stop = kube_store_watch_stop,
    .watch_close = kube_store_watch_close,
    .record = record,
    .events = events,
    .holds_lease = holds_lease,
    .close = close_store,
};

static int by_key(const void *x, const void *y)
{
    const struct store_kube_kind *a = x, *b = y;
    int order = str_cmp(a->group, b->group);
    return order != 0 ? order : str_cmp(a->kind, b->kind);
}

struct store *store_kube_open(const struct store_kube_options *options)
{
    struct kube_store *s = must(calloc(1, sizeof *s));
    s->store.ops = &ops;
    s->k = options->client;
    s->arena = arena_new(NULL, 0);
    s->leads = options->leads;
    s->ctx = options->ctx;
    s->discovery = kube_discovery_new(s->k);
    s->recorder = kube_recorder_new(s->k, options->component ? options->component : "terrane");
    mutex_init(&s->lock);
    struct store_kube_kind *kinds = arena_make_n(s->arena, struct store_kube_kind, options->n_kinds);
    for (size_t i = 0; i < options->n_kinds; i++)
        kinds[i] = (struct store_kube_kind){
            arena_str(s->arena, options->kinds[i].group), arena_str(s->arena, options->kinds[i].kind),
            arena_str(s->arena, options->kinds[i].version), arena_str(s->arena, options->kinds[i].labels),
            arena_str(s->arena, options->kinds[i].plural)};
    if (options->n_kinds > 1)
        qsort(kinds, options->n_kinds, sizeof kinds[0], by_key);
    s->kinds = kinds;
    s->n_kinds = options->n_kinds;
    return &s->store;
}
