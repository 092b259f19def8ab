/*
 * Who is connected. libmicrohttpd knows silence only: who sends or reads a byte now and then could stay for ever, and keep others
 * out. So each state has a time limit that single bytes do not move, and when all places are taken the one that did something
 * longest ago gives way.
 */
#include "base/must.h"
#include "web/server_private.h"

#include <stdlib.h>
#include <sys/socket.h>

#define SWEEP_NS (2 * NS_PER_S)

static void leave_locked(struct web_server *s, struct connection *c)
{
    if (!c->listed)
        return;
    c->before->after = c->after;
    c->after->before = c->before;
    c->listed = false;
    s->n_listed--;
}

static void join_locked(struct web_server *s, struct connection *c)
{
    c->before = s->first.before;
    c->after = &s->first;
    c->before->after = c->after->before = c;
    c->listed = true;
    s->n_listed++;
}

/* Its thread wakes up, finds the end of the connection and closes it. What the kernel still holds for the client is dropped. */
static void cut_locked(struct web_server *s, struct connection *c)
{
    const struct linger none = {.l_onoff = 1};
    leave_locked(s, c);
    (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    (void)shutdown(c->fd, SHUT_RDWR);
    c->fd = -1;
}

static int64_t limit_of(const struct web_server *s, enum connection_state state)
{
    int64_t now = clock_now(&system_clock);
    switch (state) {
    case CONNECTION_WAITS:
        return now + 2 * WEB_IDLE_S * NS_PER_S;
    case CONNECTION_SENDS:
        return now + s->slow_ns;
    case CONNECTION_WORKS:
    case CONNECTION_LISTENS:
        break;
    }
    return NO_DEADLINE;
}

void connection_state(struct web_server *s, struct connection *c, enum connection_state state)
{
    if (!c)
        return;
    MUTEX_GUARD(&s->lock);
    leave_locked(s, c);
    c->limit = limit_of(s, state);
    if (c->fd >= 0 && state != CONNECTION_WORKS)
        join_locked(s, c);
}

struct connection *connection_of(const struct web_server *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = s->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static struct connection *begin(struct web_server *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = s->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct connection *c = must(calloc(1, sizeof *c));
    c->fd = info ? info->connect_fd : -1;
    mutex_lock(&s->lock);
    if (s->n_listed >= WEB_MAX_CONNECTIONS)
        cut_locked(s, s->first.after);
    mutex_unlock(&s->lock);
    connection_state(s, c, CONNECTION_WAITS);
    return c;
}

/* Called with the descriptor open, both times. */
void connection_changed(void *server, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code)
{
    struct web_server *s = server;
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

static void cut_slow_locked(struct web_server *s)
{
    int64_t now = clock_now(&system_clock);
    for (struct connection *c = s->first.after, *next; c != &s->first; c = next) {
        next = c->after;
        if (c->limit != NO_DEADLINE && now >= c->limit)
            cut_locked(s, c);
    }
}

void *connection_sweep(void *server)
{
    struct web_server *s = server;
    MUTEX_GUARD(&s->lock);
    while (!atomic_load(&s->stopping)) {
        (void)cond_wait(&s->stop, &s->lock, clock_now(&system_clock) + (s->slow_ns < SWEEP_NS ? s->slow_ns : SWEEP_NS));
        cut_slow_locked(s);
    }
    return NULL;
}
