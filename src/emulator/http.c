/*
 * HTTP around the emulator, by libmicrohttpd: a thread per connection, bounded.
 *
 * Who opens connections and sends nothing, or half a request, must not keep others out. A connection has FIRST_S until it has
 * sent something that is a request; and once there are MAX_WAITING of those that wait for the rest of one, a new one takes the
 * place of that which has been silent longest. The library's own limit lies above, for those that are being closed.
 */
#include "base/lock.h"
#include "emulator/emulator.h"
#include "lazy/lazy_microhttpd.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_WAITING = 256,
    MAX_CONNECTIONS = 2 * MAX_WAITING,
    FIRST_S = 10, /* of silence before the first request */
    IDLE_S = 60,  /* after it */
    MAX_HEADERS = 64,
    ARENA_LIMIT = 256 << 20,
};

/* A connection that waits for a request, or for the rest of one; in a list, the one that was silent longest first. */
struct waiting {
    struct waiting *before, *after;
    int fd;
    bool listed; /* not while a request is answered, nor when it was told to close */
};

struct emulator_server {
    const struct lazy_microhttpd *mhd;
    struct emulator *emulator;
    struct MHD_Daemon *daemon;
    unsigned port;
    pthread_mutex_t lock;
    /* Guarded by it. */
    struct waiting first; /* head of the list, which is a ring */
    size_t n_waiting;
};

/* --- connections that wait --- */

static void leave_locked(struct emulator_server *s, struct waiting *w)
{
    if (!w->listed)
        return;
    w->before->after = w->after;
    w->after->before = w->before;
    w->listed = false;
    s->n_waiting--;
}

static void join_locked(struct emulator_server *s, struct waiting *w)
{
    w->before = s->first.before;
    w->after = &s->first;
    w->before->after = w->after->before = w;
    w->listed = true;
    s->n_waiting++;
}

/* `waits` false: a request is complete and is being answered. Something that was told to close does not come back. */
static void note_activity(struct emulator_server *s, struct waiting *w, bool waits)
{
    mutex_lock(&s->lock);
    if (w->fd >= 0) {
        leave_locked(s, w);
        if (waits)
            join_locked(s, w);
    }
    mutex_unlock(&s->lock);
}

/* Its thread wakes up, finds the end of the input and closes. */
static void make_room_locked(struct emulator_server *s)
{
    struct waiting *oldest = s->first.after;
    if (s->n_waiting < MAX_WAITING)
        return;
    leave_locked(s, oldest);
    (void)shutdown(oldest->fd, SHUT_RDWR);
    oldest->fd = -1;
}

static struct waiting *waiting_of(const struct emulator_server *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = s->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Called with the descriptor open, both times. */
static void connection_changed(void *ctx, struct MHD_Connection *connection, void **slot,
                               enum MHD_ConnectionNotificationCode code)
{
    struct emulator_server *s = ctx;
    struct waiting *w = *slot;
    mutex_lock(&s->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = s->mhd->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        w = calloc(1, sizeof *w);
        if (!w)
            abort();
        w->fd = info ? info->connect_fd : -1;
        make_room_locked(s);
        if (w->fd >= 0)
            join_locked(s, w);
    } else if (w) {
        leave_locked(s, w);
        free(w);
        w = NULL;
    }
    *slot = w;
    mutex_unlock(&s->lock);
}

/* --- requests --- */

/* One request as it comes in. */
struct incoming {
    struct arena *arena;
    bool begun;
    struct buf body;
    bool too_large, too_many;
    struct http_header headers[MAX_HEADERS];
    size_t n_headers;
    struct buf query;
};

static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
    (void)kind;
    struct incoming *in = ctx;
    in->too_many |= in->n_headers == MAX_HEADERS;
    if (!in->too_many)
        in->headers[in->n_headers++] = (struct http_header){str_of(key), str_of(value)};
    return MHD_YES;
}

/* The query as it was sent: it is part of what is signed. */
static void *remember_query(void *ctx, const char *uri, struct MHD_Connection *connection)
{
    (void)ctx;
    (void)connection;
    struct incoming *in = calloc(1, sizeof *in);
    if (!in)
        abort();
    in->arena = arena_new(NULL, ARENA_LIMIT);
    in->body = BUF_INIT(EMULATOR_MAX_BODY);
    in->query = BUF_INIT(1 << 16);
    const char *query = strchr(uri, '?');
    if (query)
        buf_addz(&in->query, query + 1);
    return in;
}

static void forget(void *ctx, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code)
{
    (void)code;
    struct emulator_server *s = ctx;
    struct incoming *in = *slot;
    struct waiting *waiting = waiting_of(s, connection);
    if (waiting)
        note_activity(s, waiting, true);
    if (!in)
        return;
    buf_free(&in->body);
    buf_free(&in->query);
    arena_free(in->arena);
    free(in);
    *slot = NULL;
}

static enum MHD_Result send_answer(const struct emulator_server *s, struct MHD_Connection *connection,
                                   const struct emulator_answer *answer)
{
    struct MHD_Response *response =
        s->mhd->create_response_from_buffer(answer->body.n, (void *)answer->body.p, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    (void)s->mhd->add_response_header(response, "Content-Type", answer->content_type);
    (void)s->mhd->add_response_header(response, "x-amzn-RequestId", answer->request_id.p);
    if (answer->error)
        (void)s->mhd->add_response_header(response, "x-amzn-ErrorType", answer->error);
    enum MHD_Result result = s->mhd->queue_response(connection, (unsigned)answer->status, response);
    s->mhd->destroy_response(response);
    return result;
}

/* What is no request that the emulator could look at. */
static enum MHD_Result refuse(const struct emulator_server *s, struct MHD_Connection *connection, long status, const char *error)
{
    char body[128];
    int n = snprintf(body, sizeof body, "{\"__type\":\"%s\"}", error);
    return send_answer(s, connection,
                       &(struct emulator_answer){.status = status,
                                                 .content_type = "application/x-amz-json-1.0",
                                                 .error = error,
                                                 .request_id = STR("none"),
                                                 .body = {body, (size_t)n}});
}

/* Called with the head alone, then with each piece of the body, then with nothing. */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *n, void **slot)
{
    (void)version;
    struct emulator_server *s = ctx;
    struct incoming *in = *slot;
    struct waiting *waiting = waiting_of(s, connection);
    if (waiting)
        note_activity(s, waiting, !in->begun || *n > 0);
    if (!in->begun) {
        in->begun = true;
        (void)s->mhd->set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)IDLE_S);
        (void)s->mhd->get_connection_values(connection, MHD_HEADER_KIND, take_header, in);
        return MHD_YES;
    }
    if (*n > 0) {
        in->too_large |= in->body.n + *n > EMULATOR_MAX_BODY;
        if (!in->too_large)
            buf_add(&in->body, (struct str){data, *n});
        *n = 0;
        return MHD_YES;
    }
    if (in->too_large)
        return refuse(s, connection, 413, "RequestEntityTooLargeException");
    if (in->too_many)
        return refuse(s, connection, 431, "RequestHeaderSectionTooLargeException");
    struct emulator_request request = {.method = str_of(method),
                                       .path = str_of(url),
                                       .query = buf_str(&in->query),
                                       .body = buf_str(&in->body),
                                       .headers = in->headers,
                                       .n_headers = in->n_headers};
    struct emulator_answer answer;
    emulator_answer(s->emulator, in->arena, &request, &answer);
    return send_answer(s, connection, &answer);
}

static bool parse_address(const char *text, struct sockaddr_in *ret)
{
    struct str rest = str_of(text);
    struct str host = str_cut(&rest, ':');
    char address[INET_ADDRSTRLEN] = "127.0.0.1";
    int64_t port;
    if (host.n >= sizeof address || !str_to_i64(rest, &port) || port < 0 || port > 65535)
        return false;
    if (host.n > 0 && !str_eqz(host, "localhost"))
        (void)snprintf(address, sizeof address, STR_FMT, STR_ARG(host));
    *ret = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, address, &ret->sin_addr) == 1;
}

struct emulator_server *emulator_listen(struct emulator *e, const char *address, struct diags *diags)
{
    struct sockaddr_in where;
    if (!parse_address(address, &where)) {
        (void)diags_fail(diags, "Wrong address", "\"%s\" is not a valid address; expected HOST:PORT, for example 127.0.0.1:4566.",
                         address);
        return NULL;
    }
    const struct lazy_microhttpd *mhd = lazy_microhttpd(diags);
    if (!mhd)
        return NULL;
    struct emulator_server *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->mhd = mhd;
    s->emulator = e;
    s->first.before = s->first.after = &s->first;
    mutex_init(&s->lock);
    s->daemon = mhd->start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, handle, s,
                                  MHD_OPTION_SOCK_ADDR, &where, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
                                  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)FIRST_S, MHD_OPTION_NOTIFY_CONNECTION,
                                  connection_changed, s, MHD_OPTION_URI_LOG_CALLBACK, remember_query, NULL,
                                  MHD_OPTION_NOTIFY_COMPLETED, forget, s, MHD_OPTION_END);
    const union MHD_DaemonInfo *bound = s->daemon ? mhd->get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!bound) {
        (void)diags_fail(diags, "Cannot listen", "%s: the port is in use, or the address does not belong to this machine.",
                         address);
        mutex_destroy(&s->lock);
        free(s);
        return NULL;
    }
    s->port = bound->port;
    return s;
}

unsigned emulator_port(const struct emulator_server *s)
{
    return s->port;
}

void emulator_close(struct emulator_server *s)
{
    if (!s)
        return;
    s->mhd->stop_daemon(s->daemon);
    mutex_destroy(&s->lock);
    free(s);
}
