/* HTTP around the emulator, by libmicrohttpd: a thread per connection, bounded. */
#include "emulator/emulator.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_CONNECTIONS = 256, IDLE_S = 60, MAX_HEADERS = 64, ARENA_LIMIT = 256 << 20 };

struct cc_emulator_server {
    struct cc_emulator *emulator;
    struct MHD_Daemon *daemon;
    unsigned port;
};

/* One request as it comes in. */
struct incoming {
    struct arena *arena;
    bool begun;
    struct buf body;
    bool too_large, too_many;
    struct aws_header headers[MAX_HEADERS];
    size_t n_headers;
    struct buf query;
};

static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
    (void)kind;
    struct incoming *in = ctx;
    in->too_many |= in->n_headers == MAX_HEADERS;
    if (!in->too_many)
        in->headers[in->n_headers++] = (struct aws_header){str_of(key), str_of(value)};
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
    in->body = BUF_INIT(CC_EMULATOR_MAX_BODY);
    in->query = BUF_INIT(1 << 16);
    const char *query = strchr(uri, '?');
    if (query)
        buf_addz(&in->query, query + 1);
    return in;
}

static void forget(void *ctx, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code)
{
    (void)ctx;
    (void)connection;
    (void)code;
    struct incoming *in = *slot;
    if (!in)
        return;
    buf_free(&in->body);
    buf_free(&in->query);
    arena_free(in->arena);
    free(in);
    *slot = NULL;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, const struct cc_emulator_answer *answer)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(answer->body.n, (void *)answer->body.p, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    (void)MHD_add_response_header(response, "Content-Type", answer->content_type);
    (void)MHD_add_response_header(response, "x-amzn-RequestId", answer->request_id.p);
    if (answer->error)
        (void)MHD_add_response_header(response, "x-amzn-ErrorType", answer->error);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* What is no request that the emulator could look at. */
static enum MHD_Result refuse(struct MHD_Connection *connection, long status, const char *error)
{
    char body[128];
    int n = snprintf(body, sizeof body, "{\"__type\":\"%s\"}", error);
    return send_answer(connection, &(struct cc_emulator_answer){.status = status,
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
    struct cc_emulator_server *s = ctx;
    struct incoming *in = *slot;
    if (!in->begun) {
        in->begun = true;
        (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, in);
        return MHD_YES;
    }
    if (*n > 0) {
        in->too_large |= in->body.n + *n > CC_EMULATOR_MAX_BODY;
        if (!in->too_large)
            buf_add(&in->body, (struct str){data, *n});
        *n = 0;
        return MHD_YES;
    }
    if (in->too_large)
        return refuse(connection, 413, "RequestEntityTooLargeException");
    if (in->too_many)
        return refuse(connection, 431, "RequestHeaderSectionTooLargeException");
    struct cc_emulator_request request = {.method = str_of(method),
                                          .path = str_of(url),
                                          .query = buf_str(&in->query),
                                          .body = buf_str(&in->body),
                                          .headers = in->headers,
                                          .n_headers = in->n_headers};
    struct cc_emulator_answer answer;
    cc_emulator_answer(s->emulator, in->arena, &request, &answer);
    return send_answer(connection, &answer);
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

struct cc_emulator_server *cc_emulator_listen(struct cc_emulator *e, const char *address, struct diags *diags)
{
    struct sockaddr_in where;
    if (!parse_address(address, &where)) {
        (void)diags_fail(diags, "Wrong address", "\"%s\" is no ADDRESS:PORT, as 127.0.0.1:4566.", address);
        return NULL;
    }
    struct cc_emulator_server *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->emulator = e;
    s->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, handle, s,
                                 MHD_OPTION_SOCK_ADDR, &where, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_URI_LOG_CALLBACK, remember_query,
                                 NULL, MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *bound = s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!bound) {
        (void)diags_fail(diags, "Cannot listen", "%s: the port is taken, or the address is not one of this machine.", address);
        free(s);
        return NULL;
    }
    s->port = bound->port;
    return s;
}

unsigned cc_emulator_port(const struct cc_emulator_server *s)
{
    return s->port;
}

void cc_emulator_close(struct cc_emulator_server *s)
{
    if (!s)
        return;
    MHD_stop_daemon(s->daemon);
    free(s);
}
