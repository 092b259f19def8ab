/* Private to this folder: shared by the files of the server. */
#pragma once

#include "base/clock.h"
#include "http/address.h"
#include "http/connections.h"
#include "web/server.h"

#include <stdatomic.h>

struct web_server {
    const struct lazy_microhttpd *mhd;
    struct MHD_Daemon *daemon;
    struct arena *arena;
    const struct web_route *routes;
    struct log *log;
    struct str token, cookie; /* the cookie's name contains the port, because browsers share cookies between ports of a host */
    bool any_host, shared;
    struct str certificate, key;
    size_t max_body;
    atomic_size_t body_bytes; /* of all requests under way */
    struct http_address address;
    unsigned port;
    char url[HTTP_URL];
    atomic_bool stopping, draining;
    atomic_size_t n_streams;
    struct connections *connections;
};

/* Creates the response for a stream; false: there are too many streams. `stream.end` is called in any case. */
enum MHD_Result stream_answer(struct web_server *s, struct MHD_Connection *connection, const struct web_stream *stream,
                              struct MHD_Response **ret);
