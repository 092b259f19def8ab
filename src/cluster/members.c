#include "cluster/members.h"

#include "base/lock.h"
#include "base/must.h"
#include "base/vec.h"
#include "kube/list.h"
#include "kube/objects.h"
#include "loop/thread.h"

#include <inttypes.h>
#include <stdlib.h>

#define DURATION_NS (15 * NS_PER_S)
#define RENEW_NS (10 * NS_PER_S)
#define RETRY_NS (2 * NS_PER_S)
#define TIMEOUT_NS (5 * NS_PER_S)
#define LABEL "terrane/members"
#define VIEW "terrane/view"
#define HELD "terrane/held"
#define SEED UINT64_C(0x74657272616e6521)
enum { FORGOTTEN = 20 }; /* in lease durations: after that, another member deletes a dead member's Lease */

static const struct kube_resource leases = {STR("coordination.k8s.io"), STR("v1"), STR("Lease"), STR("leases"), true};

/* Another member's Lease, as last seen. */
struct seen {
    char *name, *version;
    int64_t since; /* monotonic: when it last changed */
    unsigned round;
};

struct other {
    struct str identity;
    struct members_view view;
    const uint64_t *held; /* sorted */
    size_t n_held;
};

/* What decisions are based on; never modified. */
struct snapshot {
    struct arena *arena;
    struct members_view view; /* our own, as published */
    const struct other *others;
    size_t n_others;
};

struct members {
    struct members_options o;
    struct arena *arena;
    struct str lease;
    struct cancel *cancel;
    struct kube *client, *goodbye;
    pthread_t thread;
    /* Only for the thread: */
    VEC(struct seen) seen;
    unsigned round;
    struct buf version;   /* of our Lease */
    bool told;            /* a lasting refusal was reported */
    pthread_mutex_t lock; /* protects what follows */
    struct snapshot now;
    /* Views that are about to be published, or may have been: what one of them gives away is no longer ours. */
    struct arena *leaving_arena;
    VEC(struct members_view) leaving;
    int64_t until; /* we may act until then; 0: not joined yet */
    bool lost;     /* `until` has passed once: permanent, because our knowledge of the others is out of date */
    uint64_t grown;
};

/* ---- the rule ---- */

static uint64_t rank(struct str identity, uint64_t object)
{
    uint64_t x = str_hash(identity, SEED) ^ object;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

size_t members_owner(const struct members_view *view, uint64_t object)
{
    size_t best = SIZE_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < view->n; i++) {
        uint64_t r = rank(view->v[i], object);
        if (best == SIZE_MAX || r > most || (r == most && str_cmp(view->v[i], view->v[best]) < 0)) {
            best = i;
            most = r;
        }
    }
    return best;
}

static bool gives(const struct members_view *view, struct str identity, uint64_t object)
{
    size_t i = members_owner(view, object);
    return i != SIZE_MAX && str_eq(view->v[i], identity);
}

static bool same_view(const struct members_view *x, const struct members_view *y)
{
    bool same = x->n == y->n;
    for (size_t i = 0; same && i < x->n; i++)
        same = str_eq(x->v[i], y->v[i]);
    return same;
}

static int by_number(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static bool claims(const struct other *o, const struct members_view *ours, uint64_t object)
{
    if (o->n_held > 0 && bsearch(&object, o->held, o->n_held, sizeof object, by_number))
        return true;
    return !same_view(&o->view, ours) && gives(&o->view, o->identity, object); /* the same view gives it only to us */
}

static int64_t now_of(const struct members *m)
{
    return clock_now(m->o.time->clock);
}

/* The caller holds the lock. */
static bool is_lost(struct members *m)
{
    m->lost |= m->until != 0 && now_of(m) >= m->until;
    return m->lost;
}

/* The caller holds the lock. */
static bool owns_locked(struct members *m, uint64_t object)
{
    const struct snapshot *s = &m->now;
    if (is_lost(m) || !gives(&s->view, m->o.identity, object))
        return false;
    for (size_t i = 0; i < m->leaving.n; i++)
        if (!gives(&m->leaving.v[i], m->o.identity, object))
            return false;
    for (size_t i = 0; i < s->n_others; i++)
        if (claims(&s->others[i], &s->view, object))
            return false;
    return true;
}

bool members_owns(struct members *m, uint64_t object)
{
    MUTEX_GUARD(&m->lock);
    return owns_locked(m, object);
}

bool members_live(struct members *m)
{
    MUTEX_GUARD(&m->lock);
    return !is_lost(m);
}

uint64_t members_grown(struct members *m)
{
    MUTEX_GUARD(&m->lock);
    return m->grown;
}

/* ---- Leases ---- */

static const struct json *text(struct arena *a, struct str s)
{
    return json_make_string(a, s);
}

static struct str join(struct arena *a, const struct members_view *view)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < view->n; i++)
        buf_printf(&out, "%s" STR_FMT, i > 0 ? "," : "", STR_ARG(view->v[i]));
    return buf_copy(&out, a);
}

static struct str join_held(struct arena *a, const uint64_t *held, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "%s%016" PRIx64, i > 0 ? "," : "", held[i]);
    return buf_copy(&out, a);
}

static const struct json *make_lease(const struct members *m, struct arena *a, const struct members_view *view, struct str held)
{
    char now[CLOCK_TEXT];
    clock_format(http_wall(m->o.time), now);
    struct str time = arena_str(a, str_of(now));
    struct json_member label = {.key = STR(LABEL), .value = text(a, m->o.name)};
    struct json_member notes[] = {{.key = STR(VIEW), .value = text(a, join(a, view))},
                                  {.key = STR(HELD), .value = text(a, held)}};
    struct json_member metadata[] = {{.key = STR("name"), .value = text(a, m->lease)},
                                     {.key = STR("namespace"), .value = text(a, m->o.namespace)},
                                     {.key = STR("labels"), .value = json_make_object(a, &label, 1)},
                                     {.key = STR("annotations"), .value = json_make_object(a, notes, 2)},
                                     {.key = STR("resourceVersion"), .value = text(a, buf_str(&m->version))}};
    struct json_member spec[] = {
        {.key = STR("holderIdentity"), .value = text(a, m->o.identity)},
        {.key = STR("leaseDurationSeconds"),
         .value = json_make_number(a, arena_printf(a, "%" PRId64, (m->o.duration_ns + NS_PER_S - 1) / NS_PER_S))},
        {.key = STR("renewTime"), .value = text(a, time)}};
    struct json_member top[] = {{.key = STR("apiVersion"), .value = text(a, STR("coordination.k8s.io/v1"))},
                                {.key = STR("kind"), .value = text(a, STR("Lease"))},
                                {.key = STR("metadata"), .value = json_make_object(a, metadata, m->version.n > 0 ? 5 : 4)},
                                {.key = STR("spec"), .value = json_make_object(a, spec, 3)}};
    return json_make_object(a, top, 4);
}

/* A busy server is normal; a missing permission or namespace does not go away by itself. */
static bool tell(struct members *m, enum kube_result result, const struct diags *said)
{
    struct str why = said->n > 0 ? said->v[said->n - 1].detail : STR_EMPTY;
    bool lasting = kube_is_lasting(result);
    if (!lasting)
        log_debug(m->o.log, "lease was not renewed", LOG_STR("lease", m->lease), LOG_STR("why", why));
    else if (!m->told)
        log_warn(m->o.log, "cannot take part", LOG_STR("lease", m->lease), LOG_STR("why", why));
    m->told = lasting;
    return false;
}

/* Writes our Lease with this view; its time counts from before the request. */
static bool publish(struct members *m, struct arena *a, const struct members_view *view, struct str held)
{
    struct kube_place one = {&leases, m->o.namespace, m->lease, NULL}, all = {&leases, m->o.namespace, STR_EMPTY, NULL};
    const struct json *made = NULL, *there;
    struct diags diags;
    diags_init(&diags, a);
    int64_t asked = now_of(m);
    const struct json *lease = make_lease(m, a, view, held);
    enum kube_result result = m->version.n == 0 ? kube_create(m->client, a, &all, lease, &diags, &made)
                                                : kube_replace(m->client, a, &one, lease, &diags, &made);
    if ((result == KUBE_CONFLICT || result == KUBE_EXISTS || result == KUBE_UNKNOWN) &&
        kube_get(m->client, a, &one, &diags, &there) == KUBE_OK) { /* an answer was lost; nobody else writes this Lease */
        buf_clear(&m->version);
        buf_add(&m->version, kube_metadata(there, "resourceVersion"));
        return false;
    }
    if (result == KUBE_NOT_FOUND && m->version.n > 0) { /* another member rightly considered us dead, and deleted it */
        buf_clear(&m->version);
        return false;
    }
    if (result != KUBE_OK)
        return tell(m, result, &diags);
    m->told = false;
    buf_clear(&m->version);
    buf_add(&m->version, kube_metadata(made, "resourceVersion"));
    MUTEX_GUARD(&m->lock);
    if (is_lost(m))
        return false;
    m->until = asked + m->o.renew_ns;
    return true;
}

/* ---- other members ---- */

struct looking {
    struct members *m;
    struct arena *arena;
    VEC(struct other) others;
};

static struct seen *seen_of(struct members *m, struct str name)
{
    for (size_t i = 0; i < m->seen.n; i++)
        if (str_eq(str_of(m->seen.v[i].name), name))
            return &m->seen.v[i];
    vec_reserve(m->arena, (void **)&m->seen.v, &m->seen.cap, m->seen.n + 1, sizeof *m->seen.v, alignof(max_align_t));
    struct seen *s = &m->seen.v[m->seen.n++];
    *s = (struct seen){.name = must(strndup(name.p, name.n)), .version = must(strdup(""))};
    return s;
}

static struct members_view read_view(struct arena *a, struct str joined)
{
    VEC(struct str) v = {0};
    while (joined.n > 0 && v.n < MEMBERS_MAX)
        *VEC_PUSH(a, &v) = arena_str(a, str_cut(&joined, ','));
    return (struct members_view){v.v, v.n};
}

static const uint64_t *read_held(struct arena *a, struct str joined, size_t *ret_n)
{
    uint64_t *held = arena_make_n(a, uint64_t, MEMBERS_MAX_HELD);
    size_t n = 0;
    while (joined.n > 0 && n < MEMBERS_MAX_HELD)
        held[n++] = strtoull(arena_str(a, str_cut(&joined, ',')).p, NULL, 16);
    if (n > 1)
        qsort(held, n, sizeof held[0], by_number);
    *ret_n = n;
    return held;
}

static void clear_away(struct members *m, struct arena *a, struct str name, struct str version)
{
    struct kube_place at = {&leases, m->o.namespace, name, NULL};
    struct diags ignored;
    diags_init(&ignored, a);
    (void)kube_delete(m->client, a, &at, &(struct kube_preconditions){STR_EMPTY, version}, &ignored, NULL);
}

static bool look_at(void *ctx, struct arena *a, const struct json *lease)
{
    struct looking *l = ctx;
    struct members *m = l->m;
    const struct json *notes = json_get(json_get(lease, "metadata"), "annotations"), *spec = json_get(lease, "spec");
    struct str name = kube_metadata(lease, "name"), version = kube_metadata(lease, "resourceVersion");
    int64_t seconds = json_int(json_get(spec, "leaseDurationSeconds"), 0);
    struct seen *s = seen_of(m, name);
    s->round = m->round;
    if (!str_eq(str_of(s->version), version)) {
        free(s->version);
        s->version = must(strndup(version.p, version.n));
        s->since = now_of(m);
    }
    if (str_eq(name, m->lease) || seconds <= 0 || seconds > 24 * 3600)
        return true;
    int64_t age = now_of(m) - s->since;
    if (age >= seconds * NS_PER_S * FORGOTTEN)
        clear_away(m, a, name, version);
    if (age >= seconds * NS_PER_S || l->others.n + 1 >= MEMBERS_MAX)
        return true;
    struct other *o = VEC_PUSH(l->arena, &l->others);
    o->identity = arena_str(l->arena, json_text(json_get(spec, "holderIdentity"), STR_EMPTY));
    o->view = read_view(l->arena, json_text(json_get(notes, VIEW), STR_EMPTY));
    o->held = read_held(l->arena, json_text(json_get(notes, HELD), STR_EMPTY), &o->n_held);
    return true;
}

static void forget_unseen(struct members *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->seen.n; i++) {
        if (m->seen.v[i].round == m->round) {
            m->seen.v[n++] = m->seen.v[i];
            continue;
        }
        free(m->seen.v[i].name);
        free(m->seen.v[i].version);
    }
    m->seen.n = n;
}

static bool look(struct members *m, struct arena *keep, struct looking *ret)
{
    struct kube_place all = {&leases, m->o.namespace, STR_EMPTY, NULL};
    struct kube_selection which = {arena_printf(keep, LABEL "=" STR_FMT, STR_ARG(m->o.name)), STR_EMPTY};
    struct str version;
    struct diags diags;
    diags_init(&diags, keep);
    *ret = (struct looking){.m = m, .arena = keep};
    m->round++;
    enum kube_result result = kube_list(m->client, keep, &all, &which, look_at, ret, &diags, &version);
    if (result != KUBE_OK)
        return tell(m, result, &diags);
    forget_unseen(m);
    return true;
}

static int by_text(const void *x, const void *y)
{
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static struct members_view view_of(const struct members *m, struct arena *a, const struct looking *l)
{
    struct str *v = arena_make_n(a, struct str, l->others.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < l->others.n; i++)
        v[n++] = l->others.v[i].identity;
    v[n++] = m->o.identity;
    qsort(v, n, sizeof v[0], by_text);
    return (struct members_view){v, n};
}

/* ---- a round ---- */

/* From now on, nothing is begun that this view gives to another member. */
static void stop_for(struct members *m, const struct members_view *view)
{
    MUTEX_GUARD(&m->lock);
    struct arena *a = m->leaving_arena;
    if (m->leaving.n > 0 && same_view(&m->leaving.v[m->leaving.n - 1], view))
        return;
    struct str *v = arena_make_n(a, struct str, view->n);
    for (size_t i = 0; i < view->n; i++)
        v[i] = arena_str(a, view->v[i]);
    *VEC_PUSH(a, &m->leaving) = (struct members_view){v, view->n};
}

static bool same_other(const struct other *x, const struct other *y)
{
    return str_eq(x->identity, y->identity) && same_view(&x->view, &y->view) && x->n_held == y->n_held &&
           (x->n_held == 0 || memcmp(x->held, y->held, x->n_held * sizeof x->held[0]) == 0);
}

/* May we own objects by this that we did not own before? The caller holds the lock. */
static bool is_news(const struct members *m, const struct members_view *view, const struct looking *l)
{
    bool news = !same_view(&m->now.view, view) || m->now.n_others != l->others.n;
    for (size_t i = 0; !news && i < l->others.n; i++)
        news = !same_other(&m->now.others[i], &l->others.v[i]);
    for (size_t i = 0; !news && i < m->leaving.n; i++)
        news = !same_view(&m->leaving.v[i], view); /* what it gave away is ours again */
    return news;
}

static void decide(struct members *m, struct arena *keep, const struct members_view *view, const struct looking *l)
{
    mutex_lock(&m->lock);
    struct arena *old = m->now.arena;
    bool changed = is_news(m, view, l);
    m->now = (struct snapshot){keep, *view, l->others.v, l->others.n};
    m->leaving.v = NULL;
    m->leaving.n = m->leaving.cap = 0;
    arena_reset(m->leaving_arena);
    m->grown += changed;
    mutex_unlock(&m->lock);
    arena_free(old);
    if (changed)
        log_info(m->o.log, "members", LOG_INT("live", (int64_t)view->n), LOG_STR("identity", m->o.identity));
}

static void run_round(struct members *m)
{
    struct arena *first ARENA_AUTO = arena_new(NULL, 0), *keep = arena_new(NULL, 0);
    struct looking before, after;
    if (!members_live(m) || !look(m, first, &before)) {
        arena_free(keep);
        return;
    }
    struct members_view view = view_of(m, first, &before);
    uint64_t held[MEMBERS_MAX_HELD];
    stop_for(m, &view);
    size_t n = m->o.held(m->o.ctx, held, MEMBERS_MAX_HELD);
    if (n > MEMBERS_MAX_HELD) { /* too many to list: the old view stays until there are fewer */
        log_warn(m->o.log, "too many objects are held", LOG_INT("objects", (int64_t)n));
        (void)publish(m, first, &m->now.view, join_held(first, held, MEMBERS_MAX_HELD));
        arena_free(keep);
        return;
    }
    if (!publish(m, first, &view, join_held(first, held, n)) || !look(m, keep, &after)) {
        arena_free(keep);
        return;
    }
    struct str *own = arena_make_n(keep, struct str, view.n);
    for (size_t i = 0; i < view.n; i++)
        own[i] = arena_str(keep, view.v[i]);
    decide(m, keep, &(struct members_view){own, view.n}, &after);
}

static void *run(void *arg)
{
    struct members *m = arg;
    do
        run_round(m);
    while (m->o.time->pause(m->o.time, m->o.retry_ns, m->cancel));
    return NULL;
}

/* ---- start and stop ---- */

struct members *members_start(const struct members_options *o)
{
    struct members *m = must(calloc(1, sizeof *m));
    m->arena = arena_new(NULL, 0);
    m->leaving_arena = arena_new(NULL, 0);
    m->o = *o;
    m->o.namespace = arena_str(m->arena, o->namespace);
    m->o.name = arena_str(m->arena, o->name);
    m->o.identity = arena_str(m->arena, o->identity);
    m->o.time = o->time ? o->time : &http_system_time;
    m->o.duration_ns = o->duration_ns > 0 ? o->duration_ns : DURATION_NS;
    m->o.renew_ns = o->renew_ns > 0 ? o->renew_ns : RENEW_NS;
    m->o.retry_ns = o->retry_ns > 0 ? o->retry_ns : RETRY_NS;
    m->lease = arena_printf(m->arena, STR_FMT "-" STR_FMT, STR_ARG(o->name), STR_ARG(o->identity));
    m->version = BUF_INIT(256);
    m->cancel = cancel_new();
    m->client = kube_limited(o->client, &(struct kube_limits){.cancel = m->cancel, .tries = 1, .timeout_ns = TIMEOUT_NS});
    m->goodbye = kube_limited(o->client, &(struct kube_limits){.tries = 2, .timeout_ns = TIMEOUT_NS});
    mutex_init(&m->lock);
    must_be(thread_start(&m->thread, "members", run, m) == 0, "cannot start a thread");
    return m;
}

void members_stop(struct members *m)
{
    if (!m)
        return;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_place at = {&leases, m->o.namespace, m->lease, NULL};
    struct diags ignored;
    diags_init(&ignored, a);
    cancel_fire(m->cancel);
    thread_join(m->thread);
    (void)kube_delete(m->goodbye, a, &at, &(struct kube_preconditions){STR_EMPTY, STR_EMPTY}, &ignored, NULL);
    for (size_t i = 0; i < m->seen.n; i++) {
        free(m->seen.v[i].name);
        free(m->seen.v[i].version);
    }
    kube_free(m->client);
    kube_free(m->goodbye);
    cancel_free(m->cancel);
    buf_free(&m->version);
    mutex_destroy(&m->lock);
    arena_free(m->now.arena);
    arena_free(m->leaving_arena);
    arena_free(m->arena);
    free(m);
}
