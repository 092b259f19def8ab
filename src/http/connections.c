#include "http/connections.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/must.h"
#include "loop/thread.h"

#include <stdlib.h>
#include <sys/socket.h>

#define SWEEP_NS (2 * NS_PER_S)

/* In a ring, least recently active first. A connection is not in the ring while a handler works for it, nor after it was told to
 * close. */
struct connection {
    struct connection *before, *after;
    int fd; /* -1: told to close */
    bool listed;
    int64_t limit; /* closed then, unless something happens; NO_DEADLINE: never */
};

struct connections {
    const struct lazy_microhttpd *mhd;
    struct connection_limits limits;
    pthread_t sweeper;
    bool sweeps;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool stopping;
    struct connection first; /* head of the ring */
    size_t n_listed;
};

static void leave_locked(struct connections *s, struct connection *c)
{
    if (!c->listed)
        return;
    c->before->after = c->after;
    c->after->before = c->before;
    c->listed = false;
    s->n_listed--;
}

static void join_locked(struct connections *s, struct connection *c)
{
    c->before = s->first.before;
    c->after = &s->first;
    c->before->after = c->after->before = c;
    c->listed = true;
    s->n_listed++;
}

/* Its thread wakes up, sees the end of the connection and closes it. Data that the kernel still holds for the client is
 * dropped. */
static void cut_locked(struct connections *s, struct connection *c)
{
    const struct linger none = {.l_onoff = 1};
    leave_locked(s, c);
    (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    (void)shutdown(c->fd, SHUT_RDWR);
    c->fd = -1;
}

static int64_t limit_of(const struct connections *s, enum connection_state state)
{
    int64_t now = clock_now(&system_clock);
    switch (state) {
    case CONNECTION_WAITS:
        return now + s->limits.wait_ns;
    case CONNECTION_SENDS:
        return now + s->limits.slow_ns;
    case CONNECTION_WORKS:
    case CONNECTION_LISTENS:
        break;
    }
    return NO_DEADLINE;
}

static void note(struct connections *s, struct connection *c, enum connection_state state)
{
    MUTEX_GUARD(&s->lock);
    leave_locked(s, c);
    c->limit = limit_of(s, state);
    if (c->fd >= 0 && state != CONNECTION_WORKS)
        join_locked(s, c);
}

void connections_note(struct connections *s, struct MHD_Connection *connection, enum connection_state state)
{
    const union MHD_ConnectionInfo *info = s->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context)
        note(s, info->socket_context, state);
}

static struct connection *begin(struct connections *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = s->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct connection *c = must(calloc(1, sizeof *c));
    c->fd = info ? info->connect_fd : -1;
    mutex_lock(&s->lock);
    if (s->n_listed >= s->limits.max)
        cut_locked(s, s->first.after);
    mutex_unlock(&s->lock);
    note(s, c, CONNECTION_WAITS);
    return c;
}

/* Called at the start and at the end of a connection; the descriptor is open both times. */
void connections_changed(void *connections, struct MHD_Connection *connection, void **slot,
                         enum MHD_ConnectionNotificationCode code)
{
    struct connections *s = connections;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *slot = begin(s, connection);
    } else if (*slot) {
        mutex_lock(&s->lock);
        leave_locked(s, *slot);
        mutex_unlock(&s->lock);
        free(*slot);
        *slot = NULL;
    }
}

static void cut_slow_locked(struct connections *s)
{
    int64_t now = clock_now(&system_clock);
    for (struct connection *c = s->first.after, *next; c != &s->first; c = next) {
        next = c->after;
        if (c->limit != NO_DEADLINE && now >= c->limit)
            cut_locked(s, c);
    }
}

static void *sweep(void *connections)
{
    struct connections *s = connections;
    int64_t often = s->limits.slow_ns < SWEEP_NS ? s->limits.slow_ns : SWEEP_NS;
    MUTEX_GUARD(&s->lock);
    while (!s->stopping) {
        (void)cond_wait(&s->changed, &s->lock, clock_now(&system_clock) + often);
        cut_slow_locked(s);
    }
    return NULL;
}

struct connections *connections_new(const struct lazy_microhttpd *mhd, const struct connection_limits *limits)
{
    struct connections *s = must(calloc(1, sizeof *s));
    s->mhd = mhd;
    s->limits = *limits;
    s->first.before = s->first.after = &s->first;
    mutex_init(&s->lock);
    cond_init(&s->changed);
    return s;
}

bool connections_watch(struct connections *s, struct diags *diags)
{
    int error = thread_start(&s->sweeper, "connections", sweep, s);
    s->sweeps = error == 0;
    return s->sweeps || diags_fail(diags, "Cannot start a thread", "A server needs one that watches over its connections: %s.",
                                   strerror(error));
}

void connections_free(struct connections *s)
{
    if (!s)
        return;
    mutex_lock(&s->lock);
    s->stopping = true;
    cond_broadcast(&s->changed);
    mutex_unlock(&s->lock);
    if (s->sweeps)
        thread_join(s->sweeper);
    cond_destroy(&s->changed);
    mutex_destroy(&s->lock);
    free(s);
}
