#include "base/lock.h"
#include "base/must.h"
#include "jsonrpc/outbox_private.h"
#include "jsonrpc/server.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct outbox_line {
    struct outbox_line *next;
    struct buf bytes;
};

static size_t memory_of(const struct outbox_line *l)
{
    return sizeof *l + l->bytes.cap;
}

void rpc_outbox_init(struct rpc_outbox *o, int fd, int stop_fd, bool streams, int64_t patience_ns)
{
    struct stat st;
    bool known = fstat(fd, &st) == 0;
    *o = (struct rpc_outbox){
        .fd = fd,
        .stop_fd = stop_fd,
        .patience_ns = patience_ns,
        .is_socket = known && S_ISSOCK(st.st_mode),
        .piece = known && S_ISREG(st.st_mode) ? SIZE_MAX : PIPE_BUF,
        .waits = streams,
    };
    mutex_init(&o->lock);
    cond_init(&o->changed);
}

static void free_lines(struct outbox_line *l)
{
    for (struct outbox_line *next; l; l = next) {
        next = l->next;
        buf_free(&l->bytes);
        free(l);
    }
}

void rpc_outbox_done(struct rpc_outbox *o)
{
    free_lines(o->first);
    cond_destroy(&o->changed);
    mutex_destroy(&o->lock);
}

/* Adding */

/* With the lock held. */
static void wait_below(struct rpc_outbox *o, size_t bytes)
{
    while (o->unsent >= bytes && !o->error && !o->stopping)
        (void)cond_wait(&o->changed, &o->lock, NO_DEADLINE);
}

/* With the lock held. */
static void fail(struct rpc_outbox *o, int error)
{
    if (!o->error)
        o->error = error;
    cond_broadcast(&o->changed);
}

bool rpc_outbox_add(struct rpc_outbox *o, struct buf *line)
{
    struct outbox_line *l = must(malloc(sizeof *l));
    *l = (struct outbox_line){.bytes = *line};
    *line = BUF_INIT(0);
    mutex_lock(&o->lock);
    if (o->waits)
        wait_below(o, RPC_MAX_UNSENT);
    /* An empty queue accepts a line of any length. */
    if (!o->waits && o->unsent > 0 && o->unsent + memory_of(l) > RPC_MAX_UNSENT) {
        fail(o, ENOBUFS);
        (void)shutdown(o->fd, SHUT_RDWR); /* wakes the writer, which is waiting for this peer */
    }
    bool ok = !o->error;
    if (ok) {
        if (o->last)
            o->last->next = l;
        else
            o->first = l;
        o->last = l;
        o->unsent += memory_of(l);
        cond_broadcast(&o->changed);
    }
    mutex_unlock(&o->lock);
    if (!ok)
        free_lines(l);
    return ok;
}

bool rpc_outbox_is_full(struct rpc_outbox *o)
{
    mutex_lock(&o->lock);
    bool full = o->unsent >= RPC_UNSENT_PAUSE && !o->error && !o->stopping;
    mutex_unlock(&o->lock);
    return full;
}

void rpc_outbox_wait(struct rpc_outbox *o)
{
    mutex_lock(&o->lock);
    wait_below(o, RPC_UNSENT_PAUSE);
    mutex_unlock(&o->lock);
}

bool rpc_outbox_has_failed(struct rpc_outbox *o)
{
    mutex_lock(&o->lock);
    bool failed = o->error != 0;
    mutex_unlock(&o->lock);
    return failed;
}

void rpc_outbox_stop(struct rpc_outbox *o)
{
    mutex_lock(&o->lock);
    o->stopping = true;
    cond_broadcast(&o->changed);
    mutex_unlock(&o->lock);
}

void rpc_outbox_end(struct rpc_outbox *o)
{
    mutex_lock(&o->lock);
    o->ending = true;
    cond_broadcast(&o->changed);
    mutex_unlock(&o->lock);
}

/* Writing */

static int to_ms(int64_t ns)
{
    return (int)(ns / NS_PER_MS) + 1;
}

/* Waits until something can be written. 0 or errno. */
static int wait_to_write(const struct rpc_outbox *o)
{
    struct pollfd p[] = {{.fd = o->fd, .events = POLLOUT}, {.fd = o->stop_fd, .events = POLLIN}};
    int timeout = o->patience_ns > 0 ? to_ms(o->patience_ns) : -1;
    for (;;) {
        int n = poll(p, 2, timeout);
        if (n == 0)
            return ETIMEDOUT;
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0 && p[0].revents)
            return 0; /* on an error, the write will report it */
        if (n > 0 && p[1].revents) {
            p[1].fd = -1;
            timeout = to_ms(OUTBOX_END_PATIENCE);
        }
    }
}

static ssize_t write_some(const struct rpc_outbox *o, struct str bytes)
{
    if (o->is_socket)
        return send(o->fd, bytes.p, bytes.n, MSG_DONTWAIT | MSG_NOSIGNAL);
    return write(o->fd, bytes.p, bytes.n < o->piece ? bytes.n : o->piece);
}

/* 0 or errno. A socket's write reports that it would block; other descriptors have to be polled before each write. */
static int write_line(const struct rpc_outbox *o, struct str bytes)
{
    bool ask = !o->is_socket;
    while (bytes.n > 0) {
        int error = ask ? wait_to_write(o) : 0;
        if (error)
            return error;
        ssize_t n = write_some(o, bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        ask = !o->is_socket || n < 0;
        if (n > 0)
            bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
    return 0;
}

/* Takes the next line out of the queue, but leaves it counted; NULL at the end. With the lock held. */
static struct outbox_line *take(struct rpc_outbox *o)
{
    while (!o->first && !o->ending && !o->error)
        (void)cond_wait(&o->changed, &o->lock, NO_DEADLINE);
    struct outbox_line *l = o->error ? NULL : o->first;
    if (l) {
        o->first = l->next;
        if (!o->first)
            o->last = NULL;
    }
    return l;
}

static void throw_away(struct rpc_outbox *o)
{
    free_lines(o->first);
    o->first = o->last = NULL;
    o->unsent = 0;
    cond_broadcast(&o->changed);
}

void rpc_outbox_run(struct rpc_outbox *o, const struct rpc_outbox_events *events)
{
    mutex_lock(&o->lock);
    for (struct outbox_line *l; (l = take(o));) {
        size_t memory = memory_of(l);
        mutex_unlock(&o->lock);
        int error = write_line(o, buf_str(&l->bytes));
        l->next = NULL;
        free_lines(l);
        mutex_lock(&o->lock);
        o->unsent -= memory;
        if (error)
            fail(o, error);
        cond_broadcast(&o->changed);
        mutex_unlock(&o->lock);
        events->on_sent(events->ctx);
        mutex_lock(&o->lock);
    }
    if (o->error) {
        int error = o->error;
        throw_away(o);
        mutex_unlock(&o->lock);
        events->on_failed(events->ctx, error);
        mutex_lock(&o->lock);
        while (!o->ending)
            (void)cond_wait(&o->changed, &o->lock, NO_DEADLINE);
    }
    mutex_unlock(&o->lock);
}
