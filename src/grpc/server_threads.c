/*
 * A call that begins takes an idle thread if there is one, else makes one: a handler may block as long as it likes (streams
 * held open do) and never keeps another call waiting. The connection's limit of calls bounds the threads.
 */
#include "grpc/server_private.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct first_job {
    struct call_threads *threads;
    struct grpc_call *call;
};

void call_threads_init(struct call_threads *t)
{
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->work, NULL);
}

void call_threads_done(struct call_threads *t)
{
    (void)pthread_mutex_lock(&t->lock);
    t->ending = true;
    (void)pthread_cond_broadcast(&t->work);
    (void)pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->n_threads; i++)
        (void)pthread_join(t->threads[i], NULL);
    free(t->threads);
    (void)pthread_cond_destroy(&t->work);
    (void)pthread_mutex_destroy(&t->lock);
}

/* NULL when there will be none. */
static struct grpc_call *next_call(struct call_threads *t)
{
    (void)pthread_mutex_lock(&t->lock);
    t->n_idle++;
    while (!t->head && !t->ending)
        (void)pthread_cond_wait(&t->work, &t->lock);
    struct grpc_call *call = t->head;
    if (call) {
        t->head = call->next;
        if (!t->head)
            t->tail = NULL;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return call;
}

static void *run_calls(void *arg)
{
    struct first_job job = *(struct first_job *)arg;
    free(arg);
    for (struct grpc_call *call = job.call; call; call = next_call(job.threads))
        call_run(call);
    return NULL;
}

static bool start_thread(struct call_threads *t, struct grpc_call *call)
{
    if (t->n_threads == t->cap) {
        size_t cap = t->cap > 0 ? t->cap * 2 : 16;
        pthread_t *threads = realloc(t->threads, cap * sizeof *threads);
        if (!threads)
            return false;
        t->threads = threads;
        t->cap = cap;
    }
    struct first_job *job = malloc(sizeof *job);
    if (!job)
        return false;
    *job = (struct first_job){t, call};
    /* Made by the loop's thread, whose signals are all blocked; so are those of its children. */
    if (pthread_create(&t->threads[t->n_threads], NULL, run_calls, job) != 0) {
        free(job);
        return false;
    }
    t->n_threads++;
    return true;
}

bool call_threads_run(struct call_threads *t, struct grpc_call *call)
{
    bool ok = true;
    (void)pthread_mutex_lock(&t->lock);
    if (t->n_idle > 0) {
        t->n_idle--;
        call->next = NULL;
        if (t->tail)
            t->tail->next = call;
        else
            t->head = call;
        t->tail = call;
        (void)pthread_cond_signal(&t->work);
    } else {
        ok = start_thread(t, call);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return ok;
}
