/*
 * A small HTTP/1.1 server on 127.0.0.1, for tests: a thread a connection, and a function that answers.
 */
#pragma once

#include "base/arena.h"
#include "http/client.h"

struct testing_request {
    struct str method, target; /* target: path and query */
    struct str head;           /* all header lines */
    struct str body;
    const struct http_header *headers;
    size_t n_headers;
    int connection; /* of which this is the request, from 1 */
    int number;     /* of the request, over all connections, from 1 */
};

struct testing_answer {
    struct arena *arena; /* for texts; lives until the answer is sent */
    const char *content_type;
    const char *headers; /* more of them, each with \r\n */
    struct str body;
    size_t more_than; /* the length that is claimed is so much more than that of the body; then the connection ends */
    struct str raw;   /* if set: these bytes and nothing else, then the connection ends */
    /* If set: a body of these pieces, each a chunk. */
    const struct str *chunks;
    size_t n_chunks;
    int status; /* 200 */
    bool cut;   /* after the chunks the connection ends, before the body does */
    bool hold;  /* after the chunks nothing, until the server stops */
    bool drop;  /* the connection ends without an answer */
    bool hang;  /* no answer until the server stops */
};

typedef void testing_handler(void *ctx, const struct testing_request *request, struct testing_answer *answer);

struct testing_server;
enum testing_tls { TESTING_PLAIN, TESTING_TLS, TESTING_TLS_EXPIRED };
/* Answers come from several threads at once. TLS: with a certificate of its own making, for 127.0.0.1. */
struct testing_server *testing_server_start(testing_handler *handler, void *ctx, enum testing_tls tls);
void testing_server_stop(struct testing_server *server);
const char *testing_server_url(const struct testing_server *server);  /* "http://127.0.0.1:PORT" */
const char *testing_server_host(const struct testing_server *server); /* "127.0.0.1:PORT" */
const char *testing_server_ca(const struct testing_server *server);   /* a file with its certificate */
int testing_server_connections(struct testing_server *server);
int testing_server_requests(struct testing_server *server);

struct str testing_header(const struct testing_request *request, const char *name);
