/*
 * Time limits for the connections to our HTTP servers. libmicrohttpd only has an idle timeout: a client that sends or reads a
 * byte now and then could stay connected forever and keep others out. So each state of a connection has a time limit that single
 * bytes do not extend, and when all connections are in use, the one whose last activity is oldest is closed.
 *
 *     struct connections *c = connections_new(mhd, &limits);
 *     ... start_daemon(..., MHD_OPTION_CONNECTION_LIMIT, 2 * limits.max, MHD_OPTION_NOTIFY_CONNECTION, connections_changed, c)
 *     connections_watch(c, diags);
 *     ... connections_note(c, connection, CONNECTION_WORKS) ...
 *     stop_daemon();
 *     connections_free(c);
 */
#pragma once

#include "base/diag.h"
#include "lazy/lazy_microhttpd.h"

enum connection_state {
    CONNECTION_WAITS,   /* waiting for a request or the rest of one */
    CONNECTION_WORKS,   /* a handler is working: no time limit, and never closed to make room */
    CONNECTION_SENDS,   /* sending a response that the client has to read */
    CONNECTION_LISTENS, /* a stream that has nothing to send at the moment */
};

struct connection_limits {
    size_t max; /* connections; the daemon needs a higher limit, because connections being closed still count there */
    int64_t wait_ns, slow_ns; /* limits in CONNECTION_WAITS and CONNECTION_SENDS */
};

struct connections;
struct connections *connections_new(const struct lazy_microhttpd *mhd, const struct connection_limits *limits);
/* Starts the thread that closes connections past their limit. */
bool connections_watch(struct connections *c, struct diags *diags);
/* Must be called after the daemon has stopped; NULL is accepted. */
void connections_free(struct connections *c);

void connections_note(struct connections *c, struct MHD_Connection *connection, enum connection_state state);
/* MHD_NotifyConnectionCallback */
void connections_changed(void *connections, struct MHD_Connection *connection, void **slot,
                         enum MHD_ConnectionNotificationCode code);
