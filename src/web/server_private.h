/* What the files of the server share: who is connected, and for how long that may last. */
#pragma once

#include "base/clock.h"
#include "base/lock.h"
#include "lazy/lazy_microhttpd.h"
#include "web/address.h"
#include "web/server.h"

#include <stdatomic.h>

/* In a ring, the one that did something longest ago first; not in it while a route works for it, nor once it was told to close.
 */
struct connection {
    struct connection *before, *after;
    int fd; /* -1: told to close */
    bool listed;
    int64_t limit; /* cut off then, unless something happens; NO_DEADLINE: never */
};

struct web_server {
    const struct lazy_microhttpd *mhd;
    struct MHD_Daemon *daemon;
    struct arena *arena;
    const struct web_route *routes;
    struct log *log;
    struct str token, cookie; /* the cookie's name has the port in it: browsers do not tell servers of one host apart */
    bool any_host, shared;
    struct str certificate, key;
    size_t max_body;
    atomic_size_t body_bytes; /* of all requests under way */
    int64_t slow_ns;
    struct web_address address;
    unsigned port;
    char url[WEB_URL];
    atomic_bool stopping, draining;
    atomic_size_t n_streams;
    pthread_t sweeper;
    bool sweeps;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t stop;
    struct connection first; /* head of the ring */
    size_t n_listed;
};

enum connection_state {
    CONNECTION_WAITS,   /* for a request, or for the rest of one */
    CONNECTION_WORKS,   /* a route does */
    CONNECTION_SENDS,   /* what the client has to read */
    CONNECTION_LISTENS, /* a stream has nothing to say yet */
};
/* --- connections.c --- */
void connection_state(struct web_server *s, struct connection *c, enum connection_state state);
struct connection *connection_of(const struct web_server *s, struct MHD_Connection *connection);
/* MHD_NotifyConnectionCallback */
void connection_changed(void *server, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code);
/* A thread: cuts off whoever is past its limit. */
void *connection_sweep(void *server);

/* --- stream.c --- */
/* The answer to a connection; false: there are too many. `stream.end` is called in any case. */
enum MHD_Result stream_answer(struct web_server *s, struct MHD_Connection *connection, const struct web_stream *stream,
                              struct MHD_Response **ret);
