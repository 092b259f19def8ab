#include "kube/recorder.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/must.h"
#include "base/vec.h"
#include "kube/client_private.h"
#include "kube/list.h"
#include "kube/objects.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>

static const struct kube_resource events = {STR_EMPTY, STR("v1"), STR("Event"), STR("events"), true};

enum { HASH_BYTES = 10, MAX_NAME = 253, MAX_REASON = 128 };

struct kube_recorder {
    struct kube *k;
    const char *component;
    pthread_mutex_t lock; /* guards the two maps */
    struct arena *arena;
    struct map counts; /* Event name -> int64_t */
    struct map spent;  /* object -> int64_t: the time (monotonic) until which its allowance is used up */
};

/* Making an Event */

static void put(struct arena *a, struct json_member *m, const char *key, struct str text)
{
    *m = (struct json_member){.key = str_of(key), .value = json_make_string(a, text)};
}

static struct str time_text(struct arena *a, const struct kube *k)
{
    char text[DATE_TEXT];
    timestamp_format(http_wall(kube_time(k)), text);
    return arena_str(a, str_of(text));
}

/* At most `most` bytes, never cutting a character in half. */
static struct str cut(struct str text, size_t most)
{
    size_t n = 0;
    while (n < text.n) {
        size_t c = str_utf8_first(str_slice(text, n, text.n));
        if (n + (c ? c : 1) > most)
            break;
        n += c ? c : 1;
    }
    return str_slice(text, 0, n);
}

/* "NAME.HASH": the same for the same event, in every process. */
static struct str name_of(struct arena *a, const struct kube_happening *w)
{
    const struct str parts[] = {w->uid, w->kind, w->namespace, w->name, w->type, w->reason, w->message};
    unsigned char hash[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *ctx = must(EVP_MD_CTX_new());
    bool ok = EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ok = ok && EVP_DigestUpdate(ctx, parts[i].p, parts[i].n) == 1 && EVP_DigestUpdate(ctx, "", 1) == 1;
    must_be(ok && EVP_DigestFinal_ex(ctx, hash, NULL) == 1, "SHA-256 does not work");
    EVP_MD_CTX_free(ctx);
    struct buf out BUF_AUTO = BUF_INIT(MAX_NAME);
    buf_printf(&out, STR_FMT ".", STR_ARG(str_slice(w->name, 0, MAX_NAME - 2 * HASH_BYTES - 1)));
    for (size_t i = 0; i < HASH_BYTES; i++)
        buf_printf(&out, "%02x", hash[i]);
    return buf_copy(&out, a);
}

static const struct json *make_event(struct kube_recorder *r, struct arena *a, const struct kube_happening *w,
                                     struct str namespace, struct str name)
{
    struct json_member metadata[2], about[5], source[1], event[12];
    struct str now = time_text(a, r->k);
    put(a, &metadata[0], "name", name);
    put(a, &metadata[1], "namespace", namespace);
    put(a, &about[0], "apiVersion", w->api_version);
    put(a, &about[1], "kind", w->kind);
    put(a, &about[2], "namespace", w->namespace);
    put(a, &about[3], "name", w->name);
    put(a, &about[4], "uid", w->uid);
    put(a, &source[0], "component", str_of(r->component));
    put(a, &event[0], "apiVersion", STR("v1"));
    put(a, &event[1], "kind", STR("Event"));
    event[2] = (struct json_member){.key = STR("metadata"), .value = json_make_object(a, metadata, 2)};
    event[3] = (struct json_member){.key = STR("involvedObject"), .value = json_make_object(a, about, 5)};
    event[4] = (struct json_member){.key = STR("source"), .value = json_make_object(a, source, 1)};
    put(a, &event[5], "type", w->type);
    put(a, &event[6], "reason", w->reason);
    put(a, &event[7], "message", w->message);
    put(a, &event[8], "firstTimestamp", now);
    put(a, &event[9], "lastTimestamp", now);
    put(a, &event[10], "reportingComponent", str_of(r->component));
    event[11] = (struct json_member){.key = STR("count"), .value = json_make_number(a, STR("1"))};
    return json_make_object(a, event, sizeof event / sizeof event[0]);
}

/* The caches */

/* Empties both caches when one is full: their contents can be fetched again or do not matter. */
static void make_room(struct kube_recorder *r)
{
    if (r->counts.n < KUBE_RECORDER_REMEMBERS && r->spent.n < KUBE_RECORDER_REMEMBERS)
        return;
    arena_reset(r->arena);
    map_init(&r->counts, r->arena);
    map_init(&r->spent, r->arena);
}

static bool may_speak(struct kube_recorder *r, struct str object)
{
    const int64_t each = KUBE_RECORDER_EACH_S * NS_PER_S, now = clock_now(kube_time(r->k)->clock);
    MUTEX_GUARD(&r->lock);
    make_room(r);
    int64_t *until = map_get(&r->spent, object);
    if (!until) {
        until = arena_make(r->arena, int64_t);
        map_put(&r->spent, arena_str(r->arena, object), until);
    }
    if (*until < now)
        *until = now;
    if (*until + each - now > KUBE_RECORDER_BURST * each)
        return false;
    *until += each;
    return true;
}

static int64_t known_count(struct kube_recorder *r, struct str name)
{
    MUTEX_GUARD(&r->lock);
    const int64_t *count = map_get(&r->counts, name);
    return count ? *count : 0;
}

static void remember(struct kube_recorder *r, struct str name, int64_t count)
{
    MUTEX_GUARD(&r->lock);
    int64_t *known = map_get(&r->counts, name);
    if (known) {
        *known = count;
        return;
    }
    make_room(r);
    known = arena_make(r->arena, int64_t);
    *known = count;
    map_put(&r->counts, arena_str(r->arena, name), known);
}

/* Sending */

static enum kube_result count_up(struct kube_recorder *r, struct arena *a, const struct kube_place *at, int64_t count,
                                 struct diags *diags)
{
    struct json_member patch[2];
    patch[0] = (struct json_member){.key = STR("count"), .value = json_make_number(a, arena_printf(a, "%" PRId64, count))};
    put(a, &patch[1], "lastTimestamp", time_text(a, r->k));
    enum kube_result result = kube_merge(r->k, a, at, json_make_object(a, patch, 2), diags, NULL);
    if (result == KUBE_OK)
        remember(r, at->name, count);
    return result;
}

static enum kube_result create_or_count(struct kube_recorder *r, struct arena *a, const struct kube_place *at,
                                        const struct json *event, struct diags *diags)
{
    const struct kube_place all = {at->resource, at->namespace, STR_EMPTY, NULL};
    struct diags said;
    const struct json *there;
    diags_init(&said, a);
    enum kube_result result = kube_create(r->k, a, &all, event, &said, NULL);
    if (result == KUBE_OK)
        remember(r, at->name, 1);
    if (result == KUBE_EXISTS) {
        result = kube_get(r->k, a, at, diags, &there);
        return result == KUBE_OK ? count_up(r, a, at, json_int(json_get(there, "count"), 1) + 1, diags) : result;
    }
    diags_append(diags, &said);
    return result;
}

enum kube_result kube_record(struct kube_recorder *r, const struct kube_happening *what, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_happening w = *what;
    struct diags said;
    w.message = cut(w.message, KUBE_RECORDER_MAX_MESSAGE);
    w.reason = cut(w.reason, MAX_REASON);
    /* Events about cluster-scoped objects are in this namespace, where kubectl looks for them. */
    struct str namespace = w.namespace.n > 0 ? w.namespace : STR("default"), name = name_of(a, &w);
    struct kube_place at = {&events, namespace, name, NULL};
    int64_t count = known_count(r, name);
    diags_init(&said, a);
    if (!may_speak(r, arena_printf(a, STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(w.uid), STR_ARG(w.kind),
                                   STR_ARG(w.namespace), STR_ARG(w.name))))
        return KUBE_OK;
    if (count > 0) {
        enum kube_result result = count_up(r, a, &at, count + 1, &said);
        if (result != KUBE_NOT_FOUND) { /* not found: the Event has expired after an hour */
            diags_append(diags, &said);
            return result;
        }
    }
    return create_or_count(r, a, &at, make_event(r, a, &w, namespace, name), diags);
}

/* Reading */

struct reading {
    struct arena *a;
    struct kube_happenings *to;
};

static int64_t time_of(const struct json *event, const char *key)
{
    int64_t ns = 0;
    (void)timestamp_parse(json_text(json_get(event, key), STR_EMPTY), &ns);
    return ns;
}

static bool take(void *ctx, struct arena *a, const struct json *event)
{
    (void)a;
    struct reading *r = ctx;
    const struct json *about = json_get(event, "involvedObject");
    struct kube_happening *w = VEC_PUSH(r->a, r->to);
    *w = (struct kube_happening){
        .api_version = arena_str(r->a, json_text(json_get(about, "apiVersion"), STR_EMPTY)),
        .kind = arena_str(r->a, json_text(json_get(about, "kind"), STR_EMPTY)),
        .namespace = arena_str(r->a, json_text(json_get(about, "namespace"), STR_EMPTY)),
        .name = arena_str(r->a, json_text(json_get(about, "name"), STR_EMPTY)),
        .uid = arena_str(r->a, json_text(json_get(about, "uid"), STR_EMPTY)),
        .type = arena_str(r->a, json_text(json_get(event, "type"), STR_EMPTY)),
        .reason = arena_str(r->a, json_text(json_get(event, "reason"), STR_EMPTY)),
        .message = arena_str(r->a, json_text(json_get(event, "message"), STR_EMPTY)),
        .count = json_int(json_get(event, "count"), 1),
        .first_ns = time_of(event, "firstTimestamp"),
        .last_ns = time_of(event, "lastTimestamp"),
    };
    if (w->last_ns == 0) /* set by clients of events.k8s.io */
        w->first_ns = w->last_ns = time_of(event, "eventTime");
    return true;
}

static int by_time(const void *x, const void *y)
{
    int64_t a = ((const struct kube_happening *)x)->last_ns, b = ((const struct kube_happening *)y)->last_ns;
    return (a > b) - (a < b);
}

enum kube_result kube_happenings(struct kube *k, struct arena *a, struct str uid, struct diags *diags,
                                 struct kube_happenings *ret)
{
    struct kube_happenings found = {0};
    struct reading r = {a, &found};
    struct str version;
    struct kube_place all = {&events, STR_EMPTY, STR_EMPTY, NULL};
    struct kube_selection which = {STR_EMPTY,
                                   uid.n > 0 ? arena_printf(a, "involvedObject.uid=" STR_FMT, STR_ARG(uid)) : STR_EMPTY};
    enum kube_result result = kube_list(k, a, &all, &which, take, &r, diags, &version);
    if (result != KUBE_OK)
        return result;
    if (found.n > 1)
        qsort(found.v, found.n, sizeof found.v[0], by_time);
    *ret = found;
    return KUBE_OK;
}

/* Life */

struct kube_recorder *kube_recorder_new(struct kube *k, const char *component)
{
    struct kube_recorder *r = must(calloc(1, sizeof *r));
    r->k = k;
    r->component = component;
    r->arena = arena_new(NULL, 0);
    map_init(&r->counts, r->arena);
    map_init(&r->spent, r->arena);
    mutex_init(&r->lock);
    return r;
}

void kube_recorder_free(struct kube_recorder *r)
{
    if (!r)
        return;
    arena_free(r->arena);
    mutex_destroy(&r->lock);
    free(r);
}
