#include "web/server.h"

#include "base/hex.h"
#include "base/must.h"
#include "loop/thread.h"
#include "web/server_private.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MEMORY = 32 << 10, /* of a connection: the limit of a request's head */
    ARENA_LIMIT = 256 << 20,
    TOKEN_BYTES = 16,
    MAX_READ = 16, /* a multiple of the largest body */
};

/* Nothing from elsewhere, no inline scripts, no frames, no text that becomes markup. */
static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

/* A request that is being received. */
struct incoming {
    struct arena *arena;
    struct buf body;
    size_t counted;  /* included in the server's body_bytes */
    size_t received; /* bytes, whether kept or not */
    bool too_large, too_many;
};

static const char *value_of(const struct web_server *s, struct MHD_Connection *connection, enum MHD_ValueKind kind,
                            const char *name)
{
    return s->mhd->lookup_connection_value(connection, kind, name);
}

const char *web_argument(const struct web_request *r, const char *name)
{
    return value_of(r->server, r->connection, MHD_GET_ARGUMENT_KIND, name);
}

static const char *header(const struct web_request *r, const char *name)
{
    return value_of(r->server, r->connection, MHD_HEADER_KIND, name);
}

void web_refuse(struct web_answer *ret, struct arena *a, unsigned status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(a, format, args);
    va_end(args);
    *ret = (struct web_answer){.status = status, .body = arena_printf(a, STR_FMT "\n", STR_ARG(text))};
}

/* --- authorisation --- */

static bool is_token(const struct web_server *s, struct str given)
{
    return given.n == s->token.n && CRYPTO_memcmp(given.p, s->token.p, given.n) == 0;
}

static bool has_token(const struct web_request *r)
{
    const struct web_server *s = r->server;
    struct str bearer = str_of(header(r, "Authorization")), prefix = STR("Bearer ");
    if (s->token.n == 0 || (str_starts(bearer, prefix) && is_token(s, str_slice(bearer, prefix.n, bearer.n))))
        return true;
    return is_token(s, str_of(value_of(s, r->connection, MHD_COOKIE_KIND, s->cookie.p)));
}

/* If the browser sends the origin of a request, it must be ours; https:// if a proxy adds TLS. */
static bool is_from_us(struct arena *a, const struct web_request *r)
{
    const char *origin = header(r, "Origin"), *site = header(r, "Sec-Fetch-Site"), *host = header(r, "Host");
    if (site && strcmp(site, "same-origin") != 0)
        return false;
    return !origin || (host && (str_eqz(arena_printf(a, "http://%s", host), origin) ||
                                str_eqz(arena_printf(a, "https://%s", host), origin)));
}

static const struct web_route *route_of(const struct web_server *s, struct str path)
{
    for (const struct web_route *r = s->routes; r->path; r++)
        if (str_eqz(path, r->path))
            return r;
    return NULL;
}

/* False: `ret` has the error. */
static bool may_answer(struct arena *a, const struct web_request *r, const struct web_route *route, struct str method,
                       struct web_answer *ret)
{
    const struct web_server *s = r->server;
    struct str host = str_of(header(r, "Host"));
    bool is_read = str_eqz(method, "GET") || str_eqz(method, "HEAD");
    if (s->token.n == 0 && !s->any_host && !http_host_is_plain(host))
        web_refuse(ret, a, 421, "This server answers to its address or to localhost only, not to other names.");
    else if ((!route || !route->open) && !has_token(r))
        web_refuse(ret, a, 401,
                   "A token is needed: open the address with ?token=... as it was shown at the start, or send it as "
                   "\"Authorization: Bearer TOKEN\".");
    else if (!route)
        web_refuse(ret, a, 404, "Not found.");
    else if (route->changes || route->machine ? !str_eqz(method, "POST") : !is_read)
        web_refuse(ret, a, 405, "Expected %s.", route->changes || route->machine ? "POST" : "GET");
    else if (route->changes && (!header(r, WEB_ACTION_HEADER) || !is_from_us(a, r)))
        web_refuse(ret, a, 403, "This request does not come from the page of this server, or lacks the header %s.",
                   WEB_ACTION_HEADER);
    else
        return true;
    return false;
}

/* --- answers --- */

static struct MHD_Response *make_response(struct web_server *s, struct MHD_Connection *connection, struct web_answer *answer)
{
    struct MHD_Response *response = NULL;
    if (answer->stream.next && stream_answer(s, connection, &answer->stream, &response) == MHD_YES)
        return response;
    if (answer->stream.next)
        *answer = (struct web_answer){.status = 503, .body = STR("Too many streams are open.\n")};
    return s->mhd->create_response_from_buffer(answer->body.n, (void *)answer->body.p, MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result send_answer(struct web_server *s, struct MHD_Connection *connection, struct web_answer *answer,
                                   const char *cookie)
{
    struct MHD_Response *response = make_response(s, connection, answer);
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        (void)s->mhd->add_response_header(response, headers[i][0], headers[i][1]);
    (void)s->mhd->add_response_header(response, "Content-Type", answer->type ? answer->type : "text/plain; charset=utf-8");
    if (atomic_load(&s->draining))
        (void)s->mhd->add_response_header(response, "Connection", "close");
    if (answer->status == 401)
        (void)s->mhd->add_response_header(response, "WWW-Authenticate", "Bearer");
    if (cookie) {
        (void)s->mhd->add_response_header(response, "Set-Cookie", cookie);
        (void)s->mhd->add_response_header(response, "Location", "/");
    }
    connections_note(s->connections, connection, CONNECTION_SENDS);
    enum MHD_Result result = s->mhd->queue_response(connection, answer->status ? answer->status : 200, response);
    s->mhd->destroy_response(response);
    return result;
}

/* When the URL with the token is opened, the browser gets it as a cookie, and is redirected to the URL without it. */
static const char *cookie_of(struct arena *a, const struct web_request *r, struct str method)
{
    const struct web_server *s = r->server;
    struct str given = str_of(web_argument(r, "token"));
    if (s->token.n == 0 || !str_eqz(method, "GET") || !str_eqz(r->path, "/") || !is_token(s, given))
        return NULL;
    return arena_printf(a, STR_FMT "=" STR_FMT "; Path=/; HttpOnly; SameSite=Strict", STR_ARG(s->cookie), STR_ARG(s->token)).p;
}

static enum MHD_Result answer(struct web_server *s, struct MHD_Connection *connection, struct incoming *in, struct str path,
                              struct str method)
{
    struct web_request r = {.path = path, .body = buf_str(&in->body), .server = s, .connection = connection};
    const struct web_route *route = route_of(s, path);
    struct web_answer answer = {0};
    const char *cookie = cookie_of(in->arena, &r, method);
    connections_note(s->connections, connection, CONNECTION_WORKS);
    if (in->too_large)
        web_refuse(&answer, in->arena, 413, "A request's body may have %zu bytes at most.", s->max_body);
    else if (in->too_many)
        web_refuse(&answer, in->arena, 503, "Too much is being sent at once. Try again.");
    else if (cookie)
        answer.status = 303;
    else if (may_answer(in->arena, &r, route, method, &answer))
        route->answer(route->ctx, in->arena, &r, &answer);
    log_debug(s->log, "request", LOG_STR("method", method), LOG_STR("path", path),
              LOG_INT("status", answer.status ? answer.status : 200));
    return send_answer(s, connection, &answer, cookie);
}

/* --- libmicrohttpd --- */

static size_t bodies_limit(const struct web_server *s)
{
    return s->max_body > WEB_MAX_BODY ? WEB_MAX_BODIES * s->max_body : (size_t)2 * WEB_MAX_CONNECTIONS * WEB_MAX_BODY;
}

/* A body that is too large is still read, so that the client reads the answer; but not without limit. */
static size_t reading_limit(const struct web_server *s)
{
    return MAX_READ * s->max_body;
}

static bool says_too_much(const struct web_server *s, struct MHD_Connection *connection)
{
    const char *text = value_of(s, connection, MHD_HEADER_KIND, "Content-Length");
    int64_t n;
    return text && str_to_i64(str_of(text), &n) && n > (int64_t)reading_limit(s);
}

static void take_piece(struct web_server *s, struct incoming *in, struct str piece)
{
    in->received += piece.n;
    in->too_large = in->too_large || in->body.n + piece.n > s->max_body;
    if (in->too_large || in->too_many)
        return;
    in->counted += piece.n;
    in->too_many = atomic_fetch_add(&s->body_bytes, piece.n) + piece.n > bodies_limit(s);
    if (!in->too_many)
        buf_add(&in->body, piece);
}

/* Called with the head alone, then with each piece of the body, then without data. */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *n, void **slot)
{
    (void)version;
    struct web_server *s = ctx;
    struct incoming *in = *slot;
    if (!in) {
        *slot = in = must(calloc(1, sizeof *in));
        in->arena = arena_new(NULL, ARENA_LIMIT);
        in->body = BUF_INIT(s->max_body);
        (void)s->mhd->set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)WEB_IDLE_S);
        in->too_large = says_too_much(s, connection);
        return in->too_large ? answer(s, connection, in, str_of(url), str_of(method)) : MHD_YES;
    }
    if (*n > 0) {
        take_piece(s, in, (struct str){data, *n});
        *n = 0;
        return in->received > reading_limit(s) ? MHD_NO : MHD_YES;
    }
    return answer(s, connection, in, str_of(url), str_of(method));
}

static void forget(void *ctx, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code)
{
    (void)code;
    struct web_server *s = ctx;
    struct incoming *in = *slot;
    connections_note(s->connections, connection, CONNECTION_WAITS);
    if (!in)
        return;
    buf_free(&in->body);
    (void)atomic_fetch_sub(&s->body_bytes, in->counted);
    arena_free(in->arena);
    free(in);
    *slot = NULL;
}

/* --- start and stop --- */

static void start_daemon(struct web_server *s)
{
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION |
                     (s->address.where.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0U) | (s->certificate.n > 0 ? MHD_USE_TLS : 0U);
    const struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)s->certificate.p},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)s->key.p},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    s->daemon = s->mhd->start_daemon(flags, 0, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR, &s->address.where,
                                     MHD_OPTION_CONNECTION_LIMIT, 2U * WEB_MAX_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                     (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)WEB_FIRST_S,
                                     MHD_OPTION_THREAD_STACK_SIZE, (size_t)THREAD_STACK, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                                     MHD_OPTION_NOTIFY_CONNECTION, connections_changed, s->connections,
                                     MHD_OPTION_NOTIFY_COMPLETED, forget, s, MHD_OPTION_LISTENING_ADDRESS_REUSE,
                                     s->shared ? 1U : 0U, MHD_OPTION_ARRAY, s->certificate.n > 0 ? tls : &tls[3], MHD_OPTION_END);
}

static bool start(struct web_server *s, const char *address, struct diags *diags)
{
    start_daemon(s);
    const union MHD_DaemonInfo *bound = s->daemon ? s->mhd->get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!bound)
        return diags_fail(diags, "Cannot listen", "%s: the port is in use, or the address does not belong to this machine.",
                          address);
    s->port = bound->port;
    http_address_url(&s->address, s->port, s->url);
    s->cookie = arena_printf(s->arena, "terrane-%u", s->port);
    return connections_watch(s->connections, diags);
}

struct web_server *web_listen(const struct web_options *options, struct diags *diags)
{
    struct http_address address;
    if (!http_address_read(options->address, diags, &address))
        return NULL;
    const struct lazy_microhttpd *mhd = lazy_microhttpd(diags);
    if (!mhd)
        return NULL;
    struct arena *a = arena_new(NULL, 0);
    struct web_server *s = arena_make(a, struct web_server);
    s->mhd = mhd;
    s->arena = a;
    s->routes = options->routes;
    s->log = options->log;
    s->token = arena_str(a, options->token);
    s->any_host = options->any_host;
    s->shared = options->shared;
    s->max_body = options->max_body > 0 ? options->max_body : WEB_MAX_BODY;
    s->certificate = arena_str(a, options->certificate);
    s->key = arena_str(a, options->key);
    s->address = address;
    const struct connection_limits limits = {.max = WEB_MAX_CONNECTIONS,
                                             .wait_ns = 2 * WEB_IDLE_S * NS_PER_S,
                                             .slow_ns = options->slow_ns > 0 ? options->slow_ns : WEB_SLOW_S * NS_PER_S};
    s->connections = connections_new(mhd, &limits);
    if (start(s, options->address, diags))
        return s;
    web_close(s);
    return NULL;
}

void web_drain(struct web_server *s)
{
    int listening = s->mhd->quiesce_daemon(s->daemon);
    atomic_store(&s->draining, true);
    if (listening >= 0)
        (void)close(listening);
}

void web_close(struct web_server *s)
{
    if (!s)
        return;
    atomic_store(&s->stopping, true);
    if (s->daemon)
        s->mhd->stop_daemon(s->daemon);
    connections_free(s->connections);
    str_wipe(s->token);
    str_wipe(s->key);
    arena_free(s->arena);
}

unsigned web_port(const struct web_server *s)
{
    return s->port;
}

const char *web_url(const struct web_server *s)
{
    return s->url;
}

bool web_is_loopback(const char *address)
{
    struct http_address parsed;
    return http_address_parse(str_of(address), &parsed) && parsed.is_loopback;
}

struct str web_token(struct arena *a)
{
    unsigned char bytes[TOKEN_BYTES];
    must_be(RAND_bytes(bytes, sizeof bytes) == 1, "no randomness");
    return hex_of(a, bytes, sizeof bytes);
}
