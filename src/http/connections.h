/*
 * Who is connected to a server of ours. libmicrohttpd knows silence only: who sends or reads a byte now and then could stay for
 * ever, and keep others out. So each state of a connection has a time limit that single bytes do not move, and when all places
 * are taken the connection that did something longest ago gives way.
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
    CONNECTION_WAITS,   /* for a request, or for the rest of one */
    CONNECTION_WORKS,   /* a request is being answered: takes as long as it takes, and gives way to nobody */
    CONNECTION_SENDS,   /* what the client has to read */
    CONNECTION_LISTENS, /* a stream has nothing to say yet */
};

struct connection_limits {
    size_t max;               /* places; the daemon needs some more, for those that are being closed */
    int64_t wait_ns, slow_ns; /* in CONNECTION_WAITS, in CONNECTION_SENDS */
};

struct connections;
struct connections *connections_new(const struct lazy_microhttpd *mhd, const struct connection_limits *limits);
/* Starts the thread that cuts off whoever is past its limit. */
bool connections_watch(struct connections *c, struct diags *diags);
/* After the daemon's end; NULL is accepted. */
void connections_free(struct connections *c);

void connections_note(struct connections *c, struct MHD_Connection *connection, enum connection_state state);
/* MHD_NotifyConnectionCallback */
void connections_changed(void *connections, struct MHD_Connection *connection, void **slot,
                         enum MHD_ConnectionNotificationCode code);
