#include "import/rates.h"

#include "base/lock.h"
#include "base/map.h"

/* A bucket is represented by the time when it is full again ("virtual scheduling"): one number for each service. */
struct bucket {
    double rate, most; /* the current rate, and the configured one; 0: unlimited */
    int64_t full_at;
};

struct rates {
    struct arena *arena;
    const struct http_time *time;
    pthread_mutex_t lock; /* guards the members below */
    struct map buckets;
};

struct rates *rates_new(const struct http_time *time)
{
    struct arena *a = arena_new(NULL, 0);
    struct rates *l = arena_make(a, struct rates);
    l->arena = a;
    l->time = time ? time : &http_system_time;
    mutex_init(&l->lock);
    map_init(&l->buckets, a);
    return l;
}

void rates_free(struct rates *l)
{
    if (!l)
        return;
    mutex_destroy(&l->lock);
    arena_free(l->arena);
}

static struct bucket *bucket_of(struct rates *l, struct str service)
{
    struct bucket *b = map_get(&l->buckets, service);
    if (!b) {
        b = arena_make(l->arena, struct bucket);
        map_put(&l->buckets, arena_str(l->arena, service), b);
    }
    return b;
}

void rates_set(struct rates *l, struct str service, double rate)
{
    mutex_lock(&l->lock);
    struct bucket *b = bucket_of(l, service);
    b->rate = b->most = rate;
    mutex_unlock(&l->lock);
}

/* Takes a token and returns how long to wait for it. */
static int64_t take(struct bucket *b, int64_t now)
{
    if (b->rate <= 0)
        return 0;
    int64_t each = (int64_t)((double)NS_PER_S / b->rate), burst = NS_PER_S > each ? NS_PER_S : each;
    b->full_at = (b->full_at > now ? b->full_at : now) + each;
    return b->full_at - burst > now ? b->full_at - burst - now : 0;
}

bool rates_take(struct rates *l, struct str service, struct cancel *cancel)
{
    mutex_lock(&l->lock);
    int64_t pause = take(bucket_of(l, service), l->time->clock->monotonic_ns(l->time->clock));
    mutex_unlock(&l->lock);
    return pause == 0 ? !cancel_fired(cancel) : l->time->pause(l->time, pause, cancel);
}

void rates_refused(struct rates *l, struct str service)
{
    mutex_lock(&l->lock);
    struct bucket *b = bucket_of(l, service);
    b->rate = b->rate > 0 ? b->rate / 2 : (double)RATES_SLOWED;
    if (b->rate < 0.5)
        b->rate = 0.5;
    mutex_unlock(&l->lock);
}

void rates_answered(struct rates *l, struct str service)
{
    mutex_lock(&l->lock);
    struct bucket *b = bucket_of(l, service);
    /* Each answer raises the rate by a tenth of a call a second, up to the configured rate. */
    if (b->rate > 0 && (b->most <= 0 || b->rate < b->most))
        b->rate += 0.1;
    mutex_unlock(&l->lock);
}

double rates_rate(struct rates *l, struct str service)
{
    mutex_lock(&l->lock);
    double rate = bucket_of(l, service)->rate;
    mutex_unlock(&l->lock);
    return rate;
}

bool rates_is_refusal(const struct diags *diags)
{
    static const char *const words[] = {
        "Throttl",    "TooManyRequests",  "Rate exceeded",   "RequestLimitExceeded", "SlowDown",
        "rate limit", "status code: 429", "StatusCode: 429", "RESOURCE_EXHAUSTED",   "rateLimitExceeded"};
    for (size_t i = 0; i < diags->n; i++)
        for (size_t k = 0; diags->v[i].severity == DIAG_ERROR && k < sizeof words / sizeof words[0]; k++)
            if (str_contains(diags->v[i].summary, str_of(words[k])) || str_contains(diags->v[i].detail, str_of(words[k])))
                return true;
    return false;
}
