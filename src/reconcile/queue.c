#include "reconcile/queue.h"

#include "base/lock.h"
#include "base/must.h"
#include "base/random.h"
#include "reconcile/name_table.h"
#include "reconcile/timers.h"

#include <assert.h>
#include <stdio.h>

/*
 *     add ──────────────► ready[priority] ──take──► working ──done──► forgotten, or ready again
 *     add_after ─► timers ──┘    │    ▲                               if it was added meanwhile
 *                                ▼    │
 *                       held by its configuration's breaker
 *
 * Invariants, whenever the lock is free:
 * 1. An item is in at most one list (ready or held), and in none while it is worked on.
 * 2. An item that is in no list, not worked on, without timer and without failures is forgotten; so is a configuration without
 *    items whose breaker is closed and has counted no failure.
 * 3. Held items belong to a configuration whose breaker is not closed.
 */

/* --- items, configurations, lists --- */

struct item {
    struct named node; /* first */
    struct config *config;
    struct config *next; /* joined after the current work, during which the worker holds the name of `config`; NULL: no change */
    struct list *in;     /* NULL: in no list */
    struct item *before, *after;
    enum queue_priority priority, later; /* later: priority of the timer */
    enum queue_priority again;           /* priority of `added` */
    bool working, added;                 /* added: while a worker had it */
    bool to_hold;                        /* the worker only has to show that the item is held */
    uint64_t told;                       /* the breaker's opening that the object's status already shows */
    unsigned failures;
    int64_t since; /* when it became ready or a worker took it */
    struct timer timer;
};

struct list {
    struct item *first, *last;
    size_t n;
};

enum breaker { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct config {
    struct named node; /* first */
    size_t n_items;
    enum breaker breaker;
    uint64_t opening;  /* counts the openings */
    unsigned failures; /* in a row */
    int64_t wait_ns;   /* current time until the next try */
    struct timer timer;
    struct item *probe; /* half open: the item that was let through */
    struct list held[QUEUE_PRIORITIES];
    char why[QUEUE_MAX_WHY];
};

struct queue {
    struct queue_options options;
    pthread_mutex_t lock;
    pthread_cond_t changed, idle;
    struct name_table items, configs;
    struct list ready[QUEUE_PRIORITIES];
    size_t n_working, n_held, n_delayed;
    uint64_t n_opened, n_added, n_retries;
    int64_t begun_sum; /* sum of the moments when workers took their current items */
    struct timers timers;
    unsigned turn;     /* position in the cycle of eight takes */
    int64_t bucket_ns; /* when the token bucket would be full again */
    uint64_t random;
    bool closed, drain;
};

/* The priority that goes first in each of eight takes. If it has no item, the highest priority goes first. */
static const enum queue_priority turns[] = {
    QUEUE_CHANGE, QUEUE_CHANGE, QUEUE_RETRY, QUEUE_CHANGE, QUEUE_CHANGE, QUEUE_RETRY, QUEUE_CHANGE, QUEUE_POLL,
};
enum { N_TURNS = sizeof turns / sizeof turns[0] };

static void list_append(struct list *list, struct item *item)
{
    item->in = list;
    item->before = list->last;
    item->after = NULL;
    *(list->last ? &list->last->after : &list->first) = item;
    list->last = item;
    list->n++;
}

static void list_remove(struct item *item)
{
    struct list *list = item->in;
    *(item->before ? &item->before->after : &list->first) = item->after;
    *(item->after ? &item->after->before : &list->last) = item->before;
    list->n--;
    item->in = NULL;
}

static void list_prepend(struct list *list, struct item *item)
{
    item->in = list;
    item->before = NULL;
    item->after = list->first;
    *(list->first ? &list->first->before : &list->last) = item;
    list->first = item;
    list->n++;
}

static struct item *first_of(const struct list lists[QUEUE_PRIORITIES])
{
    for (unsigned p = 0; p < QUEUE_PRIORITIES; p++)
        if (lists[p].first)
            return lists[p].first;
    return NULL;
}

/* --- timers --- */

static void timer_stop(struct queue *q, struct timer *t)
{
    q->n_delayed -= timer_runs(t) && !t->of_config;
    timers_stop(&q->timers, t);
}

static void timer_start(struct queue *q, struct timer *t, int64_t at)
{
    timer_stop(q, t);
    q->n_delayed += !t->of_config;
    timers_start(&q->timers, t, at);
}

/* --- what is remembered, and for how long --- */

static void forget_config(struct queue *q, struct config *config)
{
    if (config->n_items > 0 || config->breaker != BREAKER_CLOSED || config->failures > 0)
        return;
    timer_stop(q, &config->timer);
    name_table_remove(&q->configs, &config->node);
}

static void forget_item(struct queue *q, struct item *item)
{
    if (item->in || item->working || timer_runs(&item->timer) || item->failures > 0)
        return;
    struct config *config = item->config;
    name_table_remove(&q->items, &item->node);
    config->n_items--;
    forget_config(q, config);
}

static struct config *config_named(struct queue *q, struct str name)
{
    struct config *config = (struct config *)name_table_find(&q->configs, name);
    if (config)
        return config;
    config = name_table_add(&q->configs, name, sizeof *config);
    config->timer.of_config = true;
    return config;
}

static bool is_held(const struct queue *q, const struct item *item)
{
    return item->in && item->in != &q->ready[item->priority];
}

static void item_unlist(struct queue *q, struct item *item)
{
    if (!item->in)
        return;
    q->n_held -= is_held(q, item);
    list_remove(item);
}

static int64_t now(const struct queue *q)
{
    return clock_now(q->options.clock);
}

static void make_ready(struct queue *q, struct item *item, enum queue_priority priority)
{
    item_unlist(q, item);
    item->since = now(q);
    item->priority = priority;
    list_append(&q->ready[priority], item);
    cond_signal(&q->changed);
}

/* Assigns the item to a configuration. If the breaker of its previous one held it, it becomes ready. */
static void item_join(struct queue *q, struct item *item, struct config *config)
{
    struct config *before = item->config;
    if (before && item->in)
        make_ready(q, item, item->priority);
    item->config = config;
    item->told = 0;
    config->n_items++;
    if (before) {
        before->n_items--;
        forget_config(q, before);
    }
}

static void item_join_next(struct queue *q, struct item *item, struct config *next)
{
    struct config *before = item->next;
    item->next = next == item->config ? NULL : next;
    next->n_items += item->next != NULL;
    if (before) {
        before->n_items--;
        forget_config(q, before);
    }
}

static struct item *item_named(struct queue *q, struct str key, struct str config_name)
{
    struct item *item = (struct item *)name_table_find(&q->items, key);
    struct config *config = config_named(q, config_name);
    if (!item)
        item = name_table_add(&q->items, key, sizeof *item);
    if (item->working)
        item_join_next(q, item, config);
    else if (item->config != config)
        item_join(q, item, config);
    return item;
}

/* --- adding --- */

static void add(struct queue *q, struct item *item, enum queue_priority priority)
{
    q->n_added += item->working ? !item->added : !item->in;
    if (item->working) {
        item->again = item->added && item->again < priority ? item->again : priority;
        item->added = true;
    } else if (!item->in) {
        make_ready(q, item, priority);
    } else if (priority < item->priority) {
        bool held = is_held(q, item);
        item_unlist(q, item);
        item->priority = priority;
        list_append(held ? &item->config->held[priority] : &q->ready[priority], item);
        q->n_held += held;
    }
}

static void add_at(struct queue *q, struct item *item, enum queue_priority priority, int64_t at)
{
    q->n_retries++;
    if (timer_runs(&item->timer) && item->timer.at <= at) {
        item->later = item->later < priority ? item->later : priority;
        return;
    }
    item->later = timer_runs(&item->timer) && item->later < priority ? item->later : priority;
    timer_start(q, &item->timer, at);
    cond_signal(&q->changed); /* a worker may be waiting for a later timer */
}

void queue_add(struct queue *q, struct str key, struct str config, enum queue_priority priority)
{
    MUTEX_GUARD(&q->lock);
    if (!q->closed)
        add(q, item_named(q, key, config), priority);
}

void queue_add_after(struct queue *q, struct str key, struct str config, enum queue_priority priority, int64_t delay_ns)
{
    if (delay_ns <= 0) {
        queue_add(q, key, config, priority);
        return;
    }
    MUTEX_GUARD(&q->lock);
    if (!q->closed)
        add_at(q, item_named(q, key, config), priority, now(q) + delay_ns);
}

void queue_add_poll(struct queue *q, struct str key, struct str config, int64_t interval_ns, int64_t jitter_ns)
{
    mutex_lock(&q->lock);
    uint64_t random = random_next(&q->random);
    mutex_unlock(&q->lock);
    int64_t jitter = jitter_ns > 0 ? (int64_t)(random % (uint64_t)(2 * jitter_ns + 1)) - jitter_ns : 0;
    queue_add_after(q, key, config, QUEUE_POLL, interval_ns + jitter);
}

static int64_t doubled(int64_t from, int64_t to, unsigned times)
{
    while (times-- > 0 && from < to)
        from *= 2;
    return from < to ? from : to;
}

void queue_retry(struct queue *q, struct str key, struct str config)
{
    MUTEX_GUARD(&q->lock);
    if (!q->closed) {
        struct item *item = item_named(q, key, config);
        int64_t wait = doubled(q->options.backoff_min_ns, q->options.backoff_max_ns, item->failures++);
        add_at(q, item, QUEUE_RETRY, now(q) + wait);
    }
}

void queue_forget(struct queue *q, struct str key)
{
    MUTEX_GUARD(&q->lock);
    struct item *item = (struct item *)name_table_find(&q->items, key);
    if (item) {
        item->failures = 0;
        forget_item(q, item);
    }
}

/* --- circuit breakers --- */

static void hold(struct queue *q, struct item *item)
{
    list_remove(item);
    list_append(&item->config->held[item->priority], item);
    q->n_held++;
}

static void let_one_go(struct queue *q, struct config *config)
{
    struct item *item = first_of(config->held);
    if (!item)
        return;
    item_unlist(q, item);
    list_prepend(&q->ready[item->priority], item); /* it has waited longest */
    cond_signal(&q->changed);
}

static void let_all_go(struct queue *q, struct config *config)
{
    for (struct item *item; (item = first_of(config->held));)
        make_ready(q, item, item->priority);
}

static void open_breaker(struct queue *q, struct config *config, int64_t wait_ns)
{
    config->opening += config->breaker == BREAKER_CLOSED; /* a failed try is not a new opening */
    q->n_opened += config->breaker == BREAKER_CLOSED;
    config->breaker = BREAKER_OPEN;
    config->wait_ns = wait_ns;
    config->probe = NULL;
    timer_start(q, &config->timer, now(q) + wait_ns);
    cond_signal(&q->changed);
}

static void half_open_breaker(struct queue *q, struct config *config)
{
    timer_stop(q, &config->timer);
    config->breaker = BREAKER_HALF_OPEN;
    let_one_go(q, config);
}

static void close_breaker(struct queue *q, struct config *config)
{
    timer_stop(q, &config->timer);
    config->breaker = BREAKER_CLOSED;
    config->failures = 0;
    config->probe = NULL;
    let_all_go(q, config);
}

static void count_failure(struct queue *q, struct config *config, struct str why)
{
    (void)snprintf(config->why, sizeof config->why, STR_FMT, STR_ARG(str_slice(why, 0, sizeof config->why)));
    config->failures++;
    if (config->breaker == BREAKER_CLOSED && config->failures >= q->options.breaker_failures)
        open_breaker(q, config, q->options.breaker_min_ns);
    else if (config->breaker == BREAKER_HALF_OPEN)
        open_breaker(q, config, doubled(config->wait_ns, q->options.breaker_max_ns, 1));
    /* The breaker is open already: the report is of a pass that began earlier, and says nothing new. */
}

void queue_report(struct queue *q, struct str name, struct str why)
{
    if (name.n == 0 || q->options.breaker_failures == 0)
        return;
    MUTEX_GUARD(&q->lock);
    struct config *config = config_named(q, name);
    if (why.n > 0)
        count_failure(q, config, why);
    else
        close_breaker(q, config);
    forget_config(q, config);
}

void queue_config_changed(struct queue *q, struct str name)
{
    MUTEX_GUARD(&q->lock);
    struct config *config = (struct config *)name_table_find(&q->configs, name);
    if (config && config->breaker == BREAKER_OPEN)
        half_open_breaker(q, config);
}

struct str queue_waits_for(struct arena *a, struct queue *q, struct str name, struct str title)
{
    struct str text = STR_EMPTY;
    MUTEX_GUARD(&q->lock);
    const struct config *config = (struct config *)name_table_find(&q->configs, name);
    if (config && config->breaker != BREAKER_CLOSED) {
        int64_t left = config->breaker == BREAKER_OPEN ? config->timer.at - now(q) : 0;
        struct str when = left > 0 ? arena_printf(a, "the next try is in %lld s", (long long)((left + NS_PER_S - 1) / NS_PER_S))
                                   : STR("one object is trying");
        text = arena_printf(a, "waiting for " STR_FMT ", which failed %u times in a row: %s; " STR_FMT, STR_ARG(title),
                            config->failures, config->why, STR_ARG(when));
    }
    return text;
}

/* --- taking --- */

static void run_timers(struct queue *q, int64_t moment)
{
    for (struct timer *t; (t = timers_first(&q->timers)) && t->at <= moment;) {
        timer_stop(q, t);
        if (t->of_config) {
            half_open_breaker(q, (struct config *)((char *)t - offsetof(struct config, timer)));
        } else {
            struct item *item = (struct item *)((char *)t - offsetof(struct item, timer));
            add(q, item, item->later);
        }
    }
}

/* May the item pass its breaker? While a probe is under way, all others wait for its report. */
static bool is_let_through(struct item *item)
{
    struct config *config = item->config;
    if (config->breaker == BREAKER_CLOSED)
        return true;
    if (config->breaker == BREAKER_OPEN || config->probe)
        return false;
    config->probe = item;
    return true;
}

/* Each item is shown as held once and held once before its breaker lets it go, so this is constant time per item and opening. */
static struct item *next_item(struct queue *q)
{
    for (;;) {
        struct item *item = q->ready[turns[q->turn % N_TURNS]].first;
        if (!item)
            item = first_of(q->ready);
        if (!item)
            return NULL;
        if (is_let_through(item))
            return item;
        if (item->priority != QUEUE_POLL && item->told != item->config->opening) {
            item->told = item->config->opening;
            item->to_hold = true;
            return item;
        }
        hold(q, item);
    }
}

/*
 * A token bucket, stored as the moment when it would be full: each pass moves that moment on. Returns when the next pass may
 * begin.
 */
static int64_t bucket_opens(const struct queue *q)
{
    if (q->options.rate == 0)
        return 0;
    return q->bucket_ns - (int64_t)q->options.burst * (NS_PER_S / q->options.rate) + NS_PER_S / q->options.rate;
}

static void bucket_take(struct queue *q, int64_t moment)
{
    if (q->options.rate > 0)
        q->bucket_ns = (q->bucket_ns > moment ? q->bucket_ns : moment) + NS_PER_S / q->options.rate;
}

static bool any_ready(const struct queue *q)
{
    return first_of(q->ready) != NULL;
}

static struct queue_item begin_work(struct queue *q, struct item *item, int64_t moment)
{
    list_remove(item);
    timer_stop(q, &item->timer);
    item->working = true;
    int64_t waited = moment > item->since ? moment - item->since : 0;
    item->since = moment;
    q->begun_sum += moment;
    q->n_working++;
    q->turn++;
    bucket_take(q, moment);
    return (struct queue_item){.key = item->node.key,
                               .config = item->config->node.key,
                               .priority = item->priority,
                               .failures = item->failures,
                               .waited_ns = waited};
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a == NO_DEADLINE ? b : b == NO_DEADLINE || a < b ? a : b;
}

/* The caller holds the lock. QUEUE_TIMEOUT: there is nothing now; look again at `ret_until` unless something happens before. */
static enum queue_taken try_take(struct queue *q, int64_t moment, struct queue_item *ret, int64_t *ret_until)
{
    *ret_until = NO_DEADLINE;
    if (q->closed && !q->drain)
        return QUEUE_CLOSED;
    run_timers(q, moment);
    int64_t opens = bucket_opens(q);
    struct item *item = opens <= moment ? next_item(q) : NULL;
    if (item) {
        *ret = begin_work(q, item, moment);
        return item->to_hold ? QUEUE_HELD : QUEUE_TAKEN;
    }
    if (q->closed && !any_ready(q) && q->n_working == 0)
        return QUEUE_CLOSED;
    if (any_ready(q))
        *ret_until = opens;
    const struct timer *first = timers_first(&q->timers);
    if (first)
        *ret_until = earlier(*ret_until, first->at);
    return QUEUE_TIMEOUT;
}

enum queue_taken queue_take(struct queue *q, int64_t deadline, struct queue_item *ret)
{
    enum queue_taken taken;
    int64_t until;
    MUTEX_GUARD(&q->lock);
    for (;;) {
        int64_t moment = now(q);
        taken = try_take(q, moment, ret, &until);
        if (taken != QUEUE_TIMEOUT || (deadline != NO_DEADLINE && moment >= deadline))
            break;
        (void)cond_wait(&q->changed, &q->lock, earlier(until, deadline));
    }
    if ((taken == QUEUE_TAKEN || taken == QUEUE_HELD) && (any_ready(q) || timers_first(&q->timers)))
        cond_signal(&q->changed); /* this worker may have got one of two signals, and does not look again */
    return taken;
}

static void tell_idle(struct queue *q)
{
    if (q->n_working > 0)
        return;
    cond_broadcast(&q->idle);
    if (q->closed)
        cond_broadcast(&q->changed); /* workers of a drained queue may end */
}

void queue_done(struct queue *q, struct str key)
{
    MUTEX_GUARD(&q->lock);
    struct item *item = (struct item *)name_table_find(&q->items, key);
    assert(item && item->working);
    struct config *config = item->config;
    item->working = false;
    q->n_working--;
    q->begun_sum -= item->since;
    if (config->probe == item) { /* it ended without a report on its configuration: let another item try */
        config->probe = NULL;
        if (config->breaker == BREAKER_HALF_OPEN)
            let_one_go(q, config);
    }
    if (item->next) {
        struct config *next = item->next;
        item->next = NULL;
        next->n_items--;
        item_join(q, item, next);
    }
    if (item->to_hold || item->added) {
        bool first = item->added && (!item->to_hold || item->again < item->priority);
        enum queue_priority priority = first ? item->again : item->priority;
        item->added = item->to_hold = false;
        make_ready(q, item, priority); /* if its breaker is still open, the next take holds it */
    }
    forget_item(q, item);
    tell_idle(q);
}

/* --- shutdown --- */

void queue_shut_down(struct queue *q, bool drain)
{
    MUTEX_GUARD(&q->lock);
    q->closed = true;
    q->drain = drain;
    for (struct timer *t; (t = timers_first(&q->timers));)
        timer_stop(q, t);
    cond_broadcast(&q->changed);
}

bool queue_wait_idle(struct queue *q, int64_t deadline)
{
    bool in_time = true;
    MUTEX_GUARD(&q->lock);
    while (in_time && (q->n_working > 0 || (q->drain && any_ready(q))))
        in_time = cond_wait(&q->idle, &q->lock, deadline);
    in_time = q->n_working == 0 && !(q->drain && any_ready(q));
    return in_time;
}

struct queue_counts queue_counts(struct queue *q)
{
    MUTEX_GUARD(&q->lock);
    struct queue_counts counts = {
        .delayed = q->n_delayed,
        .held = q->n_held,
        .working = q->n_working,
        .known = q->items.n,
        .opened = q->n_opened,
        .added = q->n_added,
        .retries = q->n_retries,
        .unfinished_ns = (int64_t)q->n_working * now(q) - q->begun_sum,
    };
    for (unsigned p = 0; p < QUEUE_PRIORITIES; p++)
        counts.ready[p] = q->ready[p].n;
    return counts;
}

struct queue *queue_new(const struct queue_options *options)
{
    struct queue *q = must(calloc(1, sizeof *q));
    q->options = *options;
    q->options.burst += options->burst == 0;
    q->random = options->seed;
    q->items.seed = q->configs.seed = random_next(&q->random) ^ (uint64_t)(uintptr_t)q;
    mutex_init(&q->lock);
    cond_init(&q->changed);
    cond_init(&q->idle);
    return q;
}

void queue_free(struct queue *q)
{
    if (!q)
        return;
    name_table_free(&q->items);
    name_table_free(&q->configs);
    timers_free(&q->timers);
    cond_destroy(&q->changed);
    cond_destroy(&q->idle);
    mutex_destroy(&q->lock);
    free(q);
}
