/*
 * HTTP for the emulator, with libmicrohttpd: one thread per connection, up to a limit. Clients that open connections and send
 * nothing, or half a request, cannot block others (http/connections.h).
 */
#include "base/clock.h"
#include "base/must.h"
#include "emulator/emulator.h"
#include "http/address.h"
#include "http/connections.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_CONNECTIONS = 256,
    FIRST_S = 10, /* idle time before the first request */
    IDLE_S = 60,  /* idle time after it */
    MAX_HEADERS = 64,
    ARENA_LIMIT = 256 << 20,
};

struct emulator_server {
    const struct lazy_microhttpd *mhd;
    struct emulator *emulator;
    struct MHD_Daemon *daemon;
    struct connections *connections;
    unsigned port;
};

/* --- requests --- */

/* One request being received. */
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

/* Keeps the query as sent, because the signature covers it. */
static void *remember_query(void *ctx, const char *uri, struct MHD_Connection *connection)
{
    (void)ctx;
    (void)connection;
    struct incoming *in = must(calloc(1, sizeof *in));
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
    connections_note(s->connections, connection, CONNECTION_WAITS);
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
    connections_note(s->connections, connection, CONNECTION_SENDS);
    enum MHD_Result result = s->mhd->queue_response(connection, (unsigned)answer->status, response);
    s->mhd->destroy_response(response);
    return result;
}

/* Rejects what the emulator cannot treat as a request. */
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

/* Called with the head, then with each piece of the body, then without data. */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *n, void **slot)
{
    (void)version;
    struct emulator_server *s = ctx;
    struct incoming *in = *slot;
    connections_note(s->connections, connection, !in->begun || *n > 0 ? CONNECTION_WAITS : CONNECTION_WORKS);
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

static void start(struct emulator_server *s, const struct http_address *address)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     (address->where.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0U);
    s->daemon = s->mhd->start_daemon(
        flags, 0, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR, &address->where, MHD_OPTION_CONNECTION_LIMIT, 2U * MAX_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)FIRST_S, MHD_OPTION_NOTIFY_CONNECTION, connections_changed, s->connections,
        MHD_OPTION_URI_LOG_CALLBACK, remember_query, NULL, MHD_OPTION_NOTIFY_COMPLETED, forget, s, MHD_OPTION_END);
}

struct emulator_server *emulator_listen(struct emulator *e, const char *address, struct diags *diags)
{
    struct http_address where;
    /* There is no authentication: listens on all addresses only if asked explicitly. */
    struct str text = address[0] == ':' ? arena_printf(diags->arena, "127.0.0.1%s", address) : str_of(address);
    if (!http_address_parse(text, &where)) {
        (void)diags_fail(diags, "Wrong address", "\"%s\" is not a valid address; expected HOST:PORT, for example 127.0.0.1:4566.",
                         address);
        return NULL;
    }
    const struct lazy_microhttpd *mhd = lazy_microhttpd(diags);
    if (!mhd)
        return NULL;
    const struct connection_limits limits = {
        .max = MAX_CONNECTIONS, .wait_ns = 2 * IDLE_S * NS_PER_S, .slow_ns = IDLE_S * NS_PER_S};
    struct emulator_server *s = must(calloc(1, sizeof *s));
    *s = (struct emulator_server){.mhd = mhd, .emulator = e, .connections = connections_new(mhd, &limits)};
    start(s, &where);
    const union MHD_DaemonInfo *bound = s->daemon ? mhd->get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    bool ok = bound ? connections_watch(s->connections, diags)
                    : diags_fail(diags, "Cannot listen",
                                 "%s: the port is in use, or the address does not belong to this machine.", address);
    if (bound && ok) {
        s->port = bound->port;
        return s;
    }
    emulator_close(s);
    return NULL;
}

unsigned emulator_port(const struct emulator_server *s)
{
    return s->port;
}

void emulator_close(struct emulator_server *s)
{
    if (!s)
        return;
    if (s->daemon)
        s->mhd->stop_daemon(s->daemon);
    connections_free(s->connections);
    free(s);
}
