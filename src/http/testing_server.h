/*
 * A small HTTP/1.1 server on 127.0.0.1, for tests: one thread per connection, and a handler function that answers.
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
    int connection; /* number of the connection, from 1 */
    int number;     /* number of the request over all connections, from 1 */
};

struct testing_answer {
    struct arena *arena; /* for texts; freed after the answer is sent */
    const char *content_type;
    const char *headers; /* additional headers, each ending in \r\n */
    struct str body;
    size_t more_than; /* Content-Length exceeds the body by this much; then the connection closes */
    struct str raw;   /* if set: exactly these bytes are sent, then the connection closes */
    /* If set: the body consists of these chunks. */
    const struct str *chunks;
    size_t n_chunks;
    int status; /* 200 */
    bool cut;   /* after these chunks the connection closes, before the end of the body */
    bool hold;  /* after these chunks nothing is sent until the server stops */
    bool drop;  /* the connection closes without an answer */
    bool hang;  /* no answer until the server stops */
};

typedef void testing_handler(void *ctx, const struct testing_request *request, struct testing_answer *answer);

struct testing_server;
enum testing_tls { TESTING_PLAIN, TESTING_TLS, TESTING_TLS_EXPIRED };
/* The handler is called on several threads at once. TLS uses a self-signed certificate for 127.0.0.1. */
struct testing_server *testing_server_start(testing_handler *handler, void *ctx, enum testing_tls tls);
void testing_server_stop(struct testing_server *server);
const char *testing_server_url(const struct testing_server *server);  /* "http://127.0.0.1:PORT" */
const char *testing_server_host(const struct testing_server *server); /* "127.0.0.1:PORT" */
const char *testing_server_ca(const struct testing_server *server);   /* path of a file with its certificate */
int testing_server_connections(struct testing_server *server);
int testing_server_requests(struct testing_server *server);

struct str testing_header(const struct testing_request *request, const char *name);
