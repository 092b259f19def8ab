/*
 * A queue of jobs under one lock; threads take from its head. `n` jobs start at `first` in a ring of `cap` places.
 *
 * Of the threads that wait, the one that waits for the shortest time is woken: what it worked with is still in the caches. With
 * little to do a few threads do it all, and the others cost nothing.
 */
#include "base/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    void (*run)(void *arg);
    void *arg;
};

/* A thread without work, on its own stack. */
struct idle {
    pthread_cond_t cond;
    bool woken;
    struct idle *next;
};

struct workers {
    pthread_mutex_t lock;
    struct idle *idle; /* the last to wait comes first */
    struct job *ring;
    size_t first, n, cap;
    bool ending;
    size_t n_threads;
    pthread_t threads[];
};

static void must(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "terrane: cannot start worker threads: %s\n", what);
        abort();
    }
}

static void wake_one(struct workers *w)
{
    struct idle *i = w->idle;
    w->idle = i->next;
    i->woken = true;
    (void)pthread_cond_signal(&i->cond);
}

static void wait_for_work(struct workers *w)
{
    struct idle me = {.next = w->idle};
    (void)pthread_cond_init(&me.cond, NULL);
    w->idle = &me;
    while (!me.woken)
        (void)pthread_cond_wait(&me.cond, &w->lock);
    (void)pthread_cond_destroy(&me.cond);
}

/* Waits for a job; false when there will be none. */
static bool take(struct workers *w, struct job *ret)
{
    (void)pthread_mutex_lock(&w->lock);
    while (w->n == 0 && !w->ending)
        wait_for_work(w);
    bool found = w->n > 0;
    if (found) {
        *ret = w->ring[w->first];
        w->first = (w->first + 1) % w->cap;
        w->n--;
    }
    (void)pthread_mutex_unlock(&w->lock);
    return found;
}

static void *work(void *arg)
{
    struct job job;
    while (take(arg, &job))
        job.run(job.arg);
    return NULL;
}

struct workers *workers_new(size_t n_threads)
{
    struct workers *w = calloc(1, sizeof *w + n_threads * sizeof w->threads[0]);
    must(w != NULL, "out of memory");
    (void)pthread_mutex_init(&w->lock, NULL);
    w->n_threads = n_threads;
    /* Threads inherit the mask: signals stay with the main thread. */
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    for (size_t i = 0; i < n_threads; i++)
        must(pthread_create(&w->threads[i], NULL, work, w) == 0, "no thread");
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return w;
}

void workers_free(struct workers *w)
{
    if (!w)
        return;
    (void)pthread_mutex_lock(&w->lock);
    w->ending = true;
    while (w->idle)
        wake_one(w);
    (void)pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->n_threads; i++)
        (void)pthread_join(w->threads[i], NULL);
    (void)pthread_mutex_destroy(&w->lock);
    free(w->ring);
    free(w);
}

static void grow(struct workers *w)
{
    size_t cap = w->cap > 0 ? w->cap * 2 : 16;
    struct job *ring = malloc(cap * sizeof *ring);
    must(ring != NULL, "out of memory");
    for (size_t i = 0; i < w->n; i++)
        ring[i] = w->ring[(w->first + i) % w->cap];
    free(w->ring);
    w->ring = ring;
    w->cap = cap;
    w->first = 0;
}

void workers_submit(struct workers *w, void (*job)(void *arg), void *arg)
{
    (void)pthread_mutex_lock(&w->lock);
    if (w->n == w->cap)
        grow(w);
    w->ring[(w->first + w->n++) % w->cap] = (struct job){job, arg};
    if (w->idle)
        wake_one(w);
    (void)pthread_mutex_unlock(&w->lock);
}
