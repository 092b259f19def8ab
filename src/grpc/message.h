/*
 * Received messages: the length-prefixed frames of gRPC, taken out of a byte stream that is cut anywhere.
 *
 * A message's memory grows with the bytes that arrived, never by the length the peer claims, and is at most twice those plus
 * a little. Large ones lie in a mapping of their own, whose addresses are reserved for the whole length and opened as bytes
 * arrive: growing does not copy, untouched pages cost nothing, and the whole goes over to an arena without a copy.
 */
#pragma once

#include "base/arena.h"
#include "grpc/status.h"

struct message {
    struct message *next; /* for the queues of its owner */
    char *p;
    size_t n;
    size_t cap;
    size_t reserved; /* > 0: the bytes lie in a mapping of this size, of which the first `cap` may be touched */
};

void message_free(struct message *m); /* NULL is accepted */
/* Frees the whole list. */
void message_free_all(struct message *m);
/* Into the arena, which owns the bytes from then on; the message is gone. Mapped ones do not count towards its limit. */
struct str message_into(struct message *m, struct arena *a);

/* What a message counts for in queues: its bytes, and a little for itself so that empty ones are not free. */
static inline size_t message_weight(const struct message *m)
{
    return m->n + sizeof *m;
}

/* First in, first out. */
struct message_queue {
    struct message *head, *tail;
    size_t weight;
};
void message_push(struct message_queue *q, struct message *m);
struct message *message_pop(struct message_queue *q); /* NULL when empty */

enum { MESSAGE_PREFIX = 5 };

struct deframer {
    size_t max_message;
    unsigned char prefix[MESSAGE_PREFIX];
    size_t n_prefix;
    size_t length;           /* of the message under way, valid when n_prefix == MESSAGE_PREFIX */
    struct message *current; /* under way */
};

void deframer_done(struct deframer *d);

enum deframe {
    DEFRAME_MORE,       /* all bytes used */
    DEFRAME_MESSAGE,    /* *ret_message is whole; call again with what is left */
    DEFRAME_TOO_LONG,   /* over max_message */
    DEFRAME_COMPRESSED, /* the flag is set; we never offer to accept it */
    DEFRAME_BAD_FLAG,
};
/* Takes bytes off the front of *bytes. After anything but the first two the stream is unusable. */
enum deframe deframer_feed(struct deframer *d, struct str *bytes, struct message **ret_message);

/* Is a message half received? */
static inline bool deframer_is_inside(const struct deframer *d)
{
    return d->n_prefix > 0;
}

/* The prefix of an outgoing message. */
void message_prefix(size_t length, unsigned char prefix[MESSAGE_PREFIX]);
