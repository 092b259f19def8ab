/*
 * Two cores, or a core and a bare HTTP/2 peer, connected in memory. The events of a core are recorded as lines of text:
 *
 *     settings | call METHOD | message N TEXT | half-close | sent N | end STATUS TEXT
 */
#pragma once

#include "grpc/conn.h"

#include <nghttp2/nghttp2.h>

enum { TESTING_MAX_MESSAGE = 80 << 20 };

struct testing_side {
    struct conn *conn;
    struct buf log;
    struct buf out;           /* output not delivered yet */
    struct buf said;          /* all output so far */
    struct conn_call *call;   /* server: the newest call */
    bool keep;                /* messages are counted and dropped unless this is set */
    struct message_queue got; /* if kept */
    size_t n_messages;
    bool broken;
};

void testing_side_init(struct testing_side *s, bool server);
void testing_side_init_with(struct testing_side *s, bool server, size_t max_message, size_t max_calls);
void testing_side_done(struct testing_side *s);

/* Carries bytes both ways, `piece` at a time, until both are silent. */
void testing_settle(struct testing_side *a, struct testing_side *b, size_t piece);
/* Carries the output of `from` to `to`; returns the number of bytes. */
size_t testing_carry(struct testing_side *from, struct testing_side *to, size_t piece);
void testing_hear(struct testing_side *s, struct str bytes);
/* Moves the core's output to `out`. */
void testing_speak(struct testing_side *s);
