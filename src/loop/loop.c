/*
 * Posted tasks wait in a queue under one lock. A uv_async wakes the loop's thread, which takes the whole queue at once, so a
 * burst of posts costs one wake-up. The queue consists of two arrays that are swapped: no allocation per post.
 *
 * Invariants: `tasks` is guarded by `lock`, `running` belongs to the loop's thread; uv_async_send() is called after the task was
 * added to the queue, so no task is ever missed; after `stopping` nothing may be posted.
 */
#include "loop/loop.h"

#include "base/lock.h"
#include "base/must.h"
#include "loop/thread.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct task {
    void (*fn)(void *arg);
    void *arg;
};

struct tasks {
    struct task *v;
    size_t n, cap;
};

struct loop {
    uv_loop_t uv;
    uv_async_t wake;
    pthread_t thread;
    pthread_mutex_t lock;
    struct tasks tasks;
    struct tasks running;
    bool stopping;
};

static void push_task(struct tasks *q, struct task task)
{
    if (q->n == q->cap) {
        q->cap = q->cap > 0 ? q->cap * 2 : 64;
        q->v = must(realloc(q->v, q->cap * sizeof *q->v));
    }
    q->v[q->n++] = task;
}

static void check_closed(uv_handle_t *handle, void *arg)
{
    (void)arg;
    (void)handle;
    assert(uv_is_closing(handle) && "a handle was not closed by its owner");
}

/* One batch per wake-up: tasks posted by these tasks run after the I/O that is ready, so nothing starves. */
static void run_posted(uv_async_t *wake)
{
    struct loop *loop = wake->data;
    mutex_lock(&loop->lock);
    struct tasks taken = loop->tasks;
    loop->tasks = loop->running;
    loop->tasks.n = 0;
    loop->running = taken;
    bool stopping = loop->stopping;
    mutex_unlock(&loop->lock);
    for (size_t i = 0; i < taken.n; i++)
        taken.v[i].fn(taken.v[i].arg);
    if (!stopping || uv_is_closing((uv_handle_t *)wake))
        return;
    if (taken.n > 0) {
        (void)uv_async_send(wake); /* repeated until a round finds nothing */
        return;
    }
    uv_close((uv_handle_t *)wake, NULL);
    uv_walk(&loop->uv, check_closed, NULL);
}

static void *run(void *arg)
{
    struct loop *loop = arg;
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

struct loop *loop_new(void)
{
    struct loop *loop = must(calloc(1, sizeof *loop));
    must_be(uv_loop_init(&loop->uv) == 0, "cannot start the I/O loop: uv_loop_init failed");
    must_be(uv_async_init(&loop->uv, &loop->wake, run_posted) == 0, "cannot start the I/O loop: uv_async_init failed");
    loop->wake.data = loop;
    mutex_init(&loop->lock);
    must_be(thread_start(&loop->thread, "loop", run, loop) == 0, "cannot start the I/O loop: no thread");
    return loop;
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    assert(!loop_is_current(loop));
    mutex_lock(&loop->lock);
    loop->stopping = true;
    (void)uv_async_send(&loop->wake);
    mutex_unlock(&loop->lock);
    thread_join(loop->thread);
    (void)uv_loop_close(&loop->uv);
    mutex_destroy(&loop->lock);
    free(loop->tasks.v);
    free(loop->running.v);
    free(loop);
}

uv_loop_t *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

bool loop_is_current(const struct loop *loop)
{
    return pthread_equal(pthread_self(), loop->thread);
}

void loop_post(struct loop *loop, void (*fn)(void *arg), void *arg)
{
    mutex_lock(&loop->lock);
    assert(!loop->stopping || loop_is_current(loop));
    push_task(&loop->tasks, (struct task){fn, arg});
    bool first = loop->tasks.n == 1;
    /* Called with the lock held, so that loop_free() cannot close the handle in between. */
    if (first)
        (void)uv_async_send(&loop->wake);
    mutex_unlock(&loop->lock);
}

struct call {
    void (*fn)(void *arg);
    void *arg;
    struct completion done;
};

static void run_call(void *arg)
{
    struct call *call = arg;
    call->fn(call->arg);
    completion_signal(&call->done);
}

void loop_call(struct loop *loop, void (*fn)(void *arg), void *arg)
{
    assert(!loop_is_current(loop));
    struct call call = {.fn = fn, .arg = arg};
    completion_init(&call.done);
    loop_post(loop, run_call, &call);
    (void)completion_wait(&call.done, NO_DEADLINE);
    completion_destroy(&call.done);
}

/*
 * `at` is the time that was set last. Setting it posts a task that starts libuv's timer, unless such a task is queued already.
 */
struct loop_timer {
    struct loop *loop;
    void (*fn)(void *arg);
    void *arg;
    uv_timer_t uv;
    _Atomic int64_t at;
    atomic_bool posted;
    struct completion closed;
};

static void timer_passed(uv_timer_t *uv)
{
    struct loop_timer *t = uv->data;
    t->fn(t->arg);
}

static void timer_start_on_loop(void *arg)
{
    struct loop_timer *t = arg;
    atomic_store(&t->posted, false); /* before `at` is read, so that a caller who sets it now posts again */
    int64_t at = atomic_load(&t->at);
    if (at == NO_DEADLINE) {
        (void)uv_timer_stop(&t->uv);
        return;
    }
    int64_t left = at - clock_now(&system_clock);
    uv_update_time(t->uv.loop); /* libuv's cached time may be that of the start of this round */
    (void)uv_timer_start(&t->uv, timer_passed, left > 0 ? (uint64_t)((left + NS_PER_MS - 1) / NS_PER_MS) : 0, 0);
}

static void timer_open_on_loop(void *arg)
{
    struct loop_timer *t = arg;
    (void)uv_timer_init(loop_uv(t->loop), &t->uv);
    t->uv.data = t;
}

static void timer_closed(uv_handle_t *handle)
{
    struct loop_timer *t = handle->data;
    completion_signal(&t->closed);
}

static void timer_close_on_loop(void *arg)
{
    struct loop_timer *t = arg;
    uv_close((uv_handle_t *)&t->uv, timer_closed);
}

struct loop_timer *loop_timer_new(struct loop *loop, void (*fn)(void *arg), void *arg)
{
    struct loop_timer *t = must(calloc(1, sizeof *t));
    t->loop = loop;
    t->fn = fn;
    t->arg = arg;
    completion_init(&t->closed);
    loop_call(loop, timer_open_on_loop, t);
    return t;
}

void loop_timer_set(struct loop_timer *t, int64_t at)
{
    atomic_store(&t->at, at);
    if (!atomic_exchange(&t->posted, true))
        loop_post(t->loop, timer_start_on_loop, t);
}

void loop_timer_free(struct loop_timer *t)
{
    if (!t)
        return;
    loop_post(t->loop, timer_close_on_loop, t);
    (void)completion_wait(&t->closed, NO_DEADLINE);
    completion_destroy(&t->closed);
    free(t);
}

void completion_init(struct completion *c)
{
    (void)sem_init(&c->posted, 0, 0);
    atomic_init(&c->done, false);
}

void completion_destroy(struct completion *c)
{
    (void)sem_destroy(&c->posted);
}

void completion_signal(struct completion *c)
{
    atomic_store_explicit(&c->done, true, memory_order_release);
    (void)sem_post(&c->posted);
}

bool completion_wait(struct completion *c, int64_t deadline)
{
    struct timespec until = {.tv_sec = deadline / NS_PER_S, .tv_nsec = deadline % NS_PER_S};
    int error;
    do
        error = deadline == NO_DEADLINE ? sem_wait(&c->posted) : sem_clockwait(&c->posted, CLOCK_MONOTONIC, &until);
    while (error != 0 && errno == EINTR);
    if (error != 0)
        return false;
    (void)sem_post(&c->posted); /* it stays signalled for the next waiter */
    return atomic_load_explicit(&c->done, memory_order_acquire);
}

/*
 * A watch is in the ring exactly while its `next` is set. cancel_fire() removes watches from the ring one by one and runs each
 * without the lock; `running` lets cancel_unwatch() wait for a function that is being called.
 */
struct cancel {
    pthread_mutex_t lock;
    pthread_cond_t ran;
    struct cancel_watch ring; /* head of the ring of watches */
    struct cancel_watch *running;
    atomic_bool fired;
};

struct cancel *cancel_new(void)
{
    struct cancel *c = must(calloc(1, sizeof *c));
    mutex_init(&c->lock);
    cond_init(&c->ran);
    c->ring.prev = c->ring.next = &c->ring;
    return c;
}

void cancel_free(struct cancel *c)
{
    if (!c)
        return;
    assert(c->ring.next == &c->ring);
    cond_destroy(&c->ran);
    mutex_destroy(&c->lock);
    free(c);
}

static void unlink_watch(struct cancel_watch *watch)
{
    watch->prev->next = watch->next;
    watch->next->prev = watch->prev;
    watch->prev = watch->next = NULL;
}

void cancel_fire(struct cancel *c)
{
    mutex_lock(&c->lock);
    bool first = !atomic_exchange(&c->fired, true);
    while (first && c->ring.next != &c->ring) {
        struct cancel_watch *watch = c->ring.next;
        unlink_watch(watch);
        c->running = watch;
        mutex_unlock(&c->lock);
        watch->fn(watch->arg);
        mutex_lock(&c->lock);
        c->running = NULL;
        cond_broadcast(&c->ran);
    }
    mutex_unlock(&c->lock);
}

void cancel_reset(struct cancel *c)
{
    MUTEX_GUARD(&c->lock); /* the ring is empty while it is fired */
    atomic_store(&c->fired, false);
}

bool cancel_fired(const struct cancel *c)
{
    return c && atomic_load(&c->fired);
}

void cancel_watch(struct cancel *c, struct cancel_watch *watch)
{
    watch->prev = watch->next = NULL;
    if (!c)
        return;
    mutex_lock(&c->lock);
    bool fired = atomic_load(&c->fired);
    if (!fired) {
        watch->prev = c->ring.prev;
        watch->next = &c->ring;
        watch->prev->next = watch->next->prev = watch;
    }
    mutex_unlock(&c->lock);
    if (fired)
        watch->fn(watch->arg);
}

void cancel_unwatch(struct cancel *c, struct cancel_watch *watch)
{
    if (!c)
        return;
    mutex_lock(&c->lock);
    if (watch->next)
        unlink_watch(watch);
    while (c->running == watch)
        (void)cond_wait(&c->ran, &c->lock, NO_DEADLINE);
    mutex_unlock(&c->lock);
}
