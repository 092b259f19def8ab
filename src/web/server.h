/*
 * A small HTTP server: a table of routes, answers that are whole or a stream. For health, metrics and the dashboard.
 *
 *     const struct web_route routes[] = {{.path = "/api/objects", .answer = objects, .ctx = board}, {0}};
 *     struct web_server *s = web_listen(&(struct web_options){.address = "127.0.0.1:0", .token = token, .routes = routes},
 * diags);
 *     ...
 *     web_close(s);
 *
 * Who asks is trusted for nothing. Connections, headers and bodies are bounded; who sends too slowly, or does not read what it
 * asked for, is cut off (WEB_SLOW_S), and when all places are taken a new connection gets that of the one that has been silent
 * longest. With a token nothing but what is marked `open` is answered to those who do not have it. Without one the name that the
 * server was called by must be an address or "localhost", so that no page of another site can get at it by a name of its own
 * (DNS rebinding). A route that changes something wants WEB_ACTION_HEADER and, where the browser names one, its own origin.
 *
 * Answers go out with headers that let a browser load nothing from elsewhere, run nothing that is written in a page, and show
 * nothing in a frame. Each connection has a thread; routes are called by it, many at a time.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "base/log.h"

enum {
    WEB_MAX_CONNECTIONS = 512,
    WEB_MAX_STREAMS = 256,     /* of these that are streams */
    WEB_MAX_BODY = 64 << 10,   /* of a request */
    WEB_MAX_BODIES = 2,        /* of the largest size, at once: what is more is refused (503) */
    WEB_MAX_ANSWER = 64 << 20, /* of an answer that is whole */
    WEB_FIRST_S = 10,          /* until a connection has sent its first request */
    WEB_IDLE_S = 30,           /* between two of them */
    WEB_SLOW_S = 30,           /* an answer, or a piece of a stream, must have been read after so long */
    WEB_BEAT_S = 10,           /* a stream that has nothing to say says that it is alive */
    WEB_TOKEN_MIN = 16,        /* bytes */
};
#define WEB_ACTION_HEADER "X-Terrane-Action"

struct web_server;

struct web_request {
    struct str path, body;
    struct web_server *server;
    void *connection; /* private */
};
/* Decoded; NULL: not there. */
const char *web_argument(const struct web_request *r, const char *name);

/* An answer in pieces, as long as there are any. */
struct web_stream {
    /* Adds the next piece to `out`; waits for one until `deadline` at most and may then add nothing. False: that was all. */
    bool (*next)(void *ctx, struct buf *out, int64_t deadline);
    void (*end)(void *ctx); /* once, whatever happens */
    void *ctx;
};

struct web_answer {
    unsigned status;          /* 0: 200 */
    const char *type;         /* of the body; NULL: text/plain */
    struct str body;          /* in the arena of the request, or for ever */
    struct web_stream stream; /* `next` set: instead of a body */
};
/* For errors: "404 no such object". In `a`. */
void web_refuse(struct web_answer *ret, struct arena *a, unsigned status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* `ret` is all zero before. */
typedef void web_answer_fn(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret);

struct web_route {
    const char *path; /* NULL ends the table */
    web_answer_fn *answer;
    void *ctx;
    bool open;    /* answered without a token */
    bool changes; /* POST, with WEB_ACTION_HEADER; else GET and HEAD */
    bool machine; /* POST by a program that knows nothing of us, so without that header */
};

struct web_options {
    const char *address; /* HOST:PORT, [HOST]:PORT, :PORT (all addresses); port 0: any that is free */
    struct str token;    /* empty: none is asked for */
    bool any_host;       /* whatever name the server was called by: for machines that scrape, on a network that is trusted */
    const struct web_route *routes; /* must outlive the server */
    struct log *log;                /* may be NULL */
    int64_t slow_ns;                /* for tests; 0: WEB_SLOW_S */
    size_t max_body;                /* of a request; 0: WEB_MAX_BODY */
    /* PEM; empty: plain HTTP. TLS 1.2 and newer. */
    struct str certificate, key;
    bool shared; /* another server of this program may listen there too: the next one, with another certificate */
};

/* NULL and a diagnostic: the address is not valid or taken, or the library is not there. Text is copied. */
struct web_server *web_listen(const struct web_options *options, struct diags *diags);
/* No new connections; those that are there end with their next answer. Another server of this program listens there already. */
void web_drain(struct web_server *s);
/* Streams end, requests under way are answered first. NULL is accepted. */
void web_close(struct web_server *s);

unsigned web_port(const struct web_server *s);
/* "http://127.0.0.1:7400/"; lives as long as the server. */
const char *web_url(const struct web_server *s);

/* Does this address reach nobody but this machine? False also for what is not an address. */
bool web_is_loopback(const char *address);
/* 32 hexadecimal digits that nobody can guess, in `a`. */
struct str web_token(struct arena *a);
