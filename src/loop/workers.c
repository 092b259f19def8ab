/*
 * A queue of jobs under one lock; threads take from its head. It is a ring of `cap` places with `n` jobs that start at `first`.
 *
 * Below the thread limit, a thread has been woken or started for every queued job. Another thread that finishes earlier may take
 * the job instead; then the first one waits again.
 *
 * Of the idle threads, the one that became idle last is woken: its data is still in the caches. With little work a few threads do
 * everything, and the others cost nothing.
 */
#include "loop/workers.h"

#include "base/lock.h"
#include "base/must.h"
#include "loop/thread.h"

struct job {
    void (*run)(void *arg);
    void *arg;
};

/* An idle thread; the struct is on that thread's stack. */
struct idle {
    pthread_cond_t cond;
    bool woken;
    struct idle *next;
};

struct workers {
    pthread_mutex_t lock;
    struct idle *idle; /* the one that became idle last comes first */
    struct job *ring;
    size_t first, n, cap;
    bool ending;
    const char *name;
    pthread_t *threads;
    size_t n_threads, cap_threads, max_threads;
};

static void wake_one(struct workers *w)
{
    struct idle *i = w->idle;
    w->idle = i->next;
    i->woken = true;
    cond_signal(&i->cond);
}

static void wait_for_work(struct workers *w)
{
    struct idle me = {.next = w->idle};
    cond_init(&me.cond);
    w->idle = &me;
    while (!me.woken)
        (void)cond_wait(&me.cond, &w->lock, NO_DEADLINE);
    cond_destroy(&me.cond);
}

/* Waits for a job; false when there will be none. */
static bool take(struct workers *w, struct job *ret)
{
    mutex_lock(&w->lock);
    while (w->n == 0 && !w->ending)
        wait_for_work(w);
    bool found = w->n > 0;
    if (found) {
        *ret = w->ring[w->first];
        w->first = (w->first + 1) % w->cap;
        w->n--;
    }
    mutex_unlock(&w->lock);
    return found;
}

static void *work(void *arg)
{
    struct job job;
    while (take(arg, &job))
        job.run(job.arg);
    return NULL;
}

struct workers *workers_new(const char *name, size_t max_threads)
{
    struct workers *w = must(calloc(1, sizeof *w));
    mutex_init(&w->lock);
    w->name = name;
    w->max_threads = max_threads;
    return w;
}

void workers_free(struct workers *w)
{
    if (!w)
        return;
    mutex_lock(&w->lock);
    w->ending = true;
    while (w->idle)
        wake_one(w);
    mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->n_threads; i++)
        thread_join(w->threads[i]);
    mutex_destroy(&w->lock);
    free(w->threads);
    free(w->ring);
    free(w);
}

static void grow(struct workers *w)
{
    size_t cap = w->cap > 0 ? w->cap * 2 : 16;
    struct job *ring = must(malloc(cap * sizeof *ring));
    for (size_t i = 0; i < w->n; i++)
        ring[i] = w->ring[(w->first + i) % w->cap];
    free(w->ring);
    w->ring = ring;
    w->cap = cap;
    w->first = 0;
}

static void push(struct workers *w, struct job job)
{
    if (w->n == w->cap)
        grow(w);
    w->ring[(w->first + w->n++) % w->cap] = job;
}

static bool start_thread(struct workers *w)
{
    if (w->n_threads == w->max_threads || w->ending)
        return false;
    if (w->n_threads == w->cap_threads) {
        w->cap_threads = w->cap_threads > 0 ? w->cap_threads * 2 : 8;
        w->threads = must(realloc(w->threads, w->cap_threads * sizeof *w->threads));
    }
    if (thread_start(&w->threads[w->n_threads], w->name, work, w) != 0)
        return false;
    w->n_threads++;
    return true;
}

/* Wakes or starts a thread for one more job; false when the job would have to wait for another job to end. */
static bool call_thread(struct workers *w)
{
    if (!w->idle)
        return start_thread(w);
    wake_one(w);
    return true;
}

void workers_submit(struct workers *w, void (*run)(void *arg), void *arg)
{
    mutex_lock(&w->lock);
    must_be(call_thread(w) || w->n_threads > 0, "cannot start a worker thread");
    push(w, (struct job){run, arg});
    mutex_unlock(&w->lock);
}

bool workers_try(struct workers *w, void (*run)(void *arg), void *arg)
{
    mutex_lock(&w->lock);
    bool ok = call_thread(w);
    if (ok)
        push(w, (struct job){run, arg});
    mutex_unlock(&w->lock);
    return ok;
}
