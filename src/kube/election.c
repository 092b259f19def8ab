#include "kube/election.h"

#include "base/lock.h"
#include "base/must.h"
#include "kube/client_private.h"
#include "kube/objects.h"
#include "loop/thread.h"

#include <inttypes.h>
#include <stdlib.h>

#define DURATION_NS (15 * NS_PER_S)
#define RENEW_NS (10 * NS_PER_S)
#define RETRY_NS (2 * NS_PER_S)
#define TIMEOUT_NS (5 * NS_PER_S) /* of one request: two requests fit into client-go's renew deadline */

static const struct kube_resource leases = {STR("coordination.k8s.io"), STR("v1"), STR("Lease"), STR("leases"), true};

struct kube_election {
    struct kube_election_options o;
    struct arena *arena;
    struct cancel *cancel;         /* fired by kube_election_stop() */
    struct kube *client, *goodbye; /* with limits; `goodbye` is for releasing the Lease */
    pthread_t thread;
    /* Used by the thread only. */
    struct buf version; /* of the Lease when last seen */
    bool told;          /* a lasting refusal was logged */
    int64_t seen, renewed;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    bool leads;
    bool lapsed;   /* we led and did not renew in time: permanent, because another process may have led since */
    int64_t until; /* we may act as the leader before this moment */
};

/* The rule */

bool kube_lease_read(const struct json *object, struct kube_lease *ret)
{
    const struct json *spec = json_get(object, "spec");
    int64_t seconds = json_int(json_get(spec, "leaseDurationSeconds"), 0);
    struct kube_lease lease = {
        .holder = json_text(json_get(spec, "holderIdentity"), STR_EMPTY),
        .version = kube_metadata(object, "resourceVersion"),
        .transitions = json_int(json_get(spec, "leaseTransitions"), 0),
        .acquired = json_text(json_get(spec, "acquireTime"), STR_EMPTY),
    };
    if (lease.version.n == 0 || seconds < 0 || seconds > 24 * 3600)
        return false;
    lease.duration_ns = seconds * NS_PER_S;
    *ret = lease;
    return true;
}

enum kube_lease_step kube_lease_step(const struct kube_lease *lease, struct str identity, int64_t seen, int64_t now)
{
    if (str_eq(lease->holder, identity))
        return KUBE_LEASE_RENEW;
    if (lease->holder.n == 0 || now - seen >= lease->duration_ns)
        return KUBE_LEASE_TAKE;
    return KUBE_LEASE_WAIT;
}

/* The Lease */

static struct kube_place place_of(const struct kube_election *e, bool of_one)
{
    return (struct kube_place){&leases, e->o.namespace, of_one ? e->o.name : STR_EMPTY, NULL};
}

static struct str now_text(struct arena *a, const struct kube_election *e)
{
    char text[CLOCK_TEXT];
    clock_format(http_wall(kube_time(e->o.client)), text); /* microseconds, as Lease requires */
    return arena_str(a, str_of(text));
}

static void put(struct arena *a, struct json_member *m, const char *key, struct str text)
{
    *m = (struct json_member){.key = str_of(key), .value = json_make_string(a, text)};
}

static void put_int(struct arena *a, struct json_member *m, const char *key, int64_t number)
{
    *m = (struct json_member){.key = str_of(key), .value = json_make_number(a, arena_printf(a, "%" PRId64, number))};
}

/* `was`: NULL when the Lease does not exist yet. */
static const struct json *make_lease(const struct kube_election *e, struct arena *a, const struct kube_lease *was, bool give_back)
{
    struct json_member metadata[3], spec[5], top[4];
    struct str now = now_text(a, e);
    bool ours = was && str_eq(was->holder, e->o.identity);
    size_t n = 2;
    put(a, &metadata[0], "name", e->o.name);
    put(a, &metadata[1], "namespace", e->o.namespace);
    if (was)
        put(a, &metadata[n++], "resourceVersion", was->version);
    put(a, &spec[0], "holderIdentity", give_back ? STR_EMPTY : e->o.identity);
    put_int(a, &spec[1], "leaseDurationSeconds", give_back ? 1 : (e->o.duration_ns + NS_PER_S - 1) / NS_PER_S);
    put(a, &spec[2], "acquireTime", ours && was->acquired.n > 0 ? was->acquired : now);
    put(a, &spec[3], "renewTime", now);
    put_int(a, &spec[4], "leaseTransitions", !was ? 0 : was->transitions + (ours ? 0 : 1));
    put(a, &top[0], "apiVersion", STR("coordination.k8s.io/v1"));
    put(a, &top[1], "kind", STR("Lease"));
    top[2] = (struct json_member){.key = STR("metadata"), .value = json_make_object(a, metadata, n)};
    top[3] = (struct json_member){.key = STR("spec"), .value = json_make_object(a, spec, 5)};
    return json_make_object(a, top, 4);
}

/* The thread */

static int64_t now_of(const struct kube_election *e)
{
    return clock_now(kube_time(e->o.client)->clock);
}

static void set_leads(struct kube_election *e, bool leads)
{
    MUTEX_GUARD(&e->lock);
    e->lapsed |= e->leads && now_of(e) >= e->until;
    e->leads = leads && !e->lapsed;
    e->until = e->leads ? e->renewed + e->o.renew_ns : 0;
    cond_broadcast(&e->changed);
}

static void note_version(struct kube_election *e, struct str version)
{
    if (str_eq(buf_str(&e->version), version))
        return;
    buf_clear(&e->version);
    buf_add(&e->version, version);
    e->seen = now_of(e);
}

/* Losing a race or a busy server is normal and not logged; what does not fix itself (a missing right or namespace) is. */
static void tell(struct kube_election *e, enum kube_result result, const struct diags *said)
{
    struct str why = said->n > 0 ? said->v[said->n - 1].detail : STR_EMPTY;
    bool lasting = kube_is_lasting(result);
    if (!lasting)
        log_debug(kube_log(e->o.client), "lease was not renewed", LOG_STR("lease", e->o.name), LOG_STR("why", why));
    else if (!e->told)
        log_warn(kube_log(e->o.client), "cannot lead", LOG_STR("lease", e->o.name), LOG_STR("why", why));
    e->told = lasting;
}

/* Reads the Lease and acts on it once; true: it is ours as of `asked`. */
static bool try_once(struct kube_election *e, bool give_back)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct kube_lease lease;
    const struct json *there, *made;
    struct kube_place one = place_of(e, true), all = place_of(e, false);
    struct kube *client = give_back ? e->goodbye : e->client;
    diags_init(&diags, a);
    int64_t asked = now_of(e);
    enum kube_result result = kube_get(client, a, &one, &diags, &there);
    if (result == KUBE_NOT_FOUND && !give_back) {
        result = kube_create(client, a, &all, make_lease(e, a, NULL, false), &diags, &made);
    } else if (result == KUBE_OK && kube_lease_read(there, &lease)) {
        note_version(e, lease.version);
        enum kube_lease_step step = kube_lease_step(&lease, e->o.identity, e->seen, now_of(e));
        if (step == KUBE_LEASE_WAIT || (give_back && step != KUBE_LEASE_RENEW))
            return false;
        result = kube_replace(client, a, &one, make_lease(e, a, &lease, give_back), &diags, &made);
    } else if (result == KUBE_OK) {
        result = KUBE_INVALID;
    }
    if (result != KUBE_OK) {
        tell(e, result, &diags);
        return false;
    }
    e->told = false;
    note_version(e, kube_metadata(made, "resourceVersion"));
    e->renewed = asked; /* not the time of the answer: others may have seen the renewal before us */
    return true;
}

static bool has_lapsed(struct kube_election *e)
{
    MUTEX_GUARD(&e->lock);
    e->lapsed |= e->leads && now_of(e) >= e->until;
    return e->lapsed;
}

static void *run(void *arg)
{
    struct kube_election *e = arg;
    const struct http_time *time = kube_time(e->o.client);
    do {
        bool ok = !has_lapsed(e) && try_once(e, false);
        if (ok)
            set_leads(e, true);
        else if (now_of(e) >= e->renewed + e->o.renew_ns || e->renewed == 0)
            set_leads(e, false);
        /* Jitter, so that processes do not all ask at the same moment. */
    } while (time->pause(time, e->o.retry_ns + (int64_t)((double)e->o.retry_ns * 0.2 * time->chance(time)), e->cancel));
    return NULL;
}

bool kube_election_leads(struct kube_election *e)
{
    MUTEX_GUARD(&e->lock);
    return e->leads && !e->lapsed && now_of(e) < e->until;
}

bool kube_election_wait(struct kube_election *e, int64_t deadline)
{
    MUTEX_GUARD(&e->lock);
    while (!e->leads)
        if (!cond_wait(&e->changed, &e->lock, deadline))
            return e->leads;
    return true;
}

struct kube_election *kube_election_start(const struct kube_election_options *o)
{
    struct kube_election *e = must(calloc(1, sizeof *e));
    e->arena = arena_new(NULL, 0);
    e->o = *o;
    e->o.namespace = arena_str(e->arena, o->namespace);
    e->o.name = arena_str(e->arena, o->name);
    e->o.identity = arena_str(e->arena, o->identity);
    e->o.duration_ns = o->duration_ns > 0 ? o->duration_ns : DURATION_NS;
    e->o.renew_ns = o->renew_ns > 0 ? o->renew_ns : RENEW_NS;
    e->o.retry_ns = o->retry_ns > 0 ? o->retry_ns : RETRY_NS;
    e->version = BUF_INIT(256);
    e->cancel = cancel_new();
    e->client = kube_limited(o->client, &(struct kube_limits){.cancel = e->cancel, .tries = 1, .timeout_ns = TIMEOUT_NS});
    e->goodbye = kube_limited(o->client, &(struct kube_limits){.tries = 1, .timeout_ns = TIMEOUT_NS});
    mutex_init(&e->lock);
    cond_init(&e->changed);
    must_be(thread_start(&e->thread, "election", run, e) == 0, "cannot start a thread");
    return e;
}

void kube_election_stop(struct kube_election *e)
{
    if (!e)
        return;
    cancel_fire(e->cancel);
    thread_join(e->thread);
    bool led = e->leads;
    set_leads(e, false); /* before another may lead */
    if (led)
        (void)try_once(e, true);
    kube_free(e->client);
    kube_free(e->goodbye);
    cancel_free(e->cancel);
    buf_free(&e->version);
    cond_destroy(&e->changed);
    mutex_destroy(&e->lock);
    arena_free(e->arena);
    free(e);
}
