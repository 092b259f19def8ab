/*
 * A small HTTP server for health, metrics and the dashboard: a table of routes, whose answers are complete or streams.
 *
 *     const struct web_route routes[] = {{.path = "/api/objects", .answer = objects, .ctx = board}, {0}};
 *     struct web_server *s = web_listen(&(struct web_options){.address = "127.0.0.1:0", .token = token, .routes = routes},
 * diags);
 *     ...
 *     web_close(s);
 *
 * Clients are not trusted. Connections, headers and bodies are limited; a client that sends too slowly, or does not read its
 * answer, is disconnected (WEB_SLOW_S), and when all connections are in use, a new one replaces the one that has been silent
 * longest. With a token, clients without it get only the routes marked `open`. Without a token, the Host header must be an
 * address or "localhost", so that no page of another site can reach the server through a name of its own (DNS rebinding). A route
 * that changes something requires WEB_ACTION_HEADER and, if the browser sends an origin, the server's own.
 *
 * Answers have headers that forbid browsers to load anything from elsewhere, to run inline scripts, and to show a page in a
 * frame. Each connection has a thread, which calls the routes; so many calls may run at once.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "base/log.h"

enum {
    WEB_MAX_CONNECTIONS = 512,
    WEB_MAX_STREAMS = 256,     /* of these, how many may be streams */
    WEB_MAX_BODY = 64 << 10,   /* bytes, of a request */
    WEB_MAX_BODIES = 2,        /* of the largest size, at once: more are refused (503) */
    WEB_MAX_ANSWER = 64 << 20, /* bytes, of a complete answer */
    WEB_FIRST_S = 10,          /* from connection to first request */
    WEB_IDLE_S = 30,           /* between two requests */
    WEB_SLOW_S = 30,           /* for a client to read an answer, or a piece of a stream */
    WEB_BEAT_S = 10,           /* a stream with nothing to send sends a sign of life */
    WEB_TOKEN_MIN = 16,        /* bytes */
};
#define WEB_ACTION_HEADER "X-Terrane-Action"

struct web_server;

struct web_request {
    struct str path, body;
    struct web_server *server;
    void *connection; /* private */
};
/* The argument of the query, decoded; NULL: absent. */
const char *web_argument(const struct web_request *r, const char *name);

/* An answer sent in pieces. */
struct web_stream {
    /*
     * Appends the next piece to `out`; waits for it until `deadline` at most, and may then append nothing. False: the stream is
     * complete.
     */
    bool (*next)(void *ctx, struct buf *out, int64_t deadline);
    void (*end)(void *ctx); /* called once, in any case */
    void *ctx;
};

struct web_answer {
    unsigned status;          /* 0: 200 */
    const char *type;         /* of the body; NULL: text/plain */
    struct str body;          /* in the request's arena, or static */
    struct web_stream stream; /* used instead of `body` if `next` is set */
};
/* An error as the answer: "404 no such object". In `a`. */
void web_refuse(struct web_answer *ret, struct arena *a, unsigned status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* `ret` is all zero when it is called. */
typedef void web_answer_fn(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret);

struct web_route {
    const char *path; /* NULL ends the table */
    web_answer_fn *answer;
    void *ctx;
    bool open;    /* answered without a token */
    bool changes; /* POST with WEB_ACTION_HEADER; else GET and HEAD */
    bool machine; /* POST by a program that does not know the header, such as an API server */
};

struct web_options {
    const char *address;            /* HOST:PORT, [HOST]:PORT, :PORT (all addresses); port 0: any free one */
    struct str token;               /* empty: no token is required */
    bool any_host;                  /* accept any Host header: for scrapers on a trusted network */
    const struct web_route *routes; /* must outlive the server */
    struct log *log;                /* may be NULL */
    int64_t slow_ns;                /* for tests; 0: WEB_SLOW_S */
    size_t max_body;                /* bytes; 0: WEB_MAX_BODY */
    /* PEM; empty: plain HTTP. TLS 1.2 or newer. */
    struct str certificate, key;
    bool shared; /* another server of this program may listen there too: the next one, with a new certificate */
};

/* NULL with a diagnostic: the address is invalid or taken, or libmicrohttpd is not installed. Texts are copied. */
struct web_server *web_listen(const struct web_options *options, struct diags *diags);
/*
 * Stops accepting connections; each existing one is closed after its next answer. Another server of this program must listen
 * there already.
 */
void web_drain(struct web_server *s);
/* Ends streams and answers requests under way. NULL is accepted. */
void web_close(struct web_server *s);

unsigned web_port(const struct web_server *s);
/* "http://127.0.0.1:7400/"; lives as long as the server. */
const char *web_url(const struct web_server *s);

/* Can this address be reached only from this machine? False also for an invalid address. */
bool web_is_loopback(const char *address);
/* A random token of 32 hexadecimal digits, in `a`. */
struct str web_token(struct arena *a);
