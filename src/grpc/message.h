/*
 * Received messages: extracts gRPC's length-prefixed messages from a byte stream that arrives in pieces of any size.
 *
 * The memory of a message grows with the bytes received, never with the length that the peer claims, and is at most twice the
 * bytes received plus a little. A large message has its own mapping: addresses are reserved for the whole length and made
 * accessible as bytes arrive, so growing does not copy, untouched pages cost nothing, and the message can move to an arena
 * without a copy.
 */
#pragma once

#include "base/arena.h"
#include "grpc/status.h"

struct message {
    struct message *next; /* for queues of its owner */
    char *p;
    size_t n;
    size_t cap;
    size_t reserved; /* > 0: the bytes are in a mapping of this size, whose first `cap` bytes are accessible */
};

void message_free(struct message *m); /* NULL is accepted */
/* Frees the whole list. */
void message_free_all(struct message *m);
/* Moves the bytes to the arena, which owns them from then on, and frees the message. Mapped messages do not count towards the
 * arena's limit. */
struct str message_into(struct message *m, struct arena *a);

/* The size of a message for queue limits: its bytes plus its struct, so that empty messages count too. */
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
    size_t length;           /* of the current message, valid when n_prefix == MESSAGE_PREFIX */
    struct message *current; /* being received */
};

void deframer_done(struct deframer *d);

enum deframe {
    DEFRAME_MORE,       /* all bytes consumed; more are needed */
    DEFRAME_MESSAGE,    /* *ret_message is complete; call again with the remaining bytes */
    DEFRAME_TOO_LONG,   /* over max_message */
    DEFRAME_COMPRESSED, /* the compressed flag is set, although we never offer compression */
    DEFRAME_BAD_FLAG,
};
/* Consumes bytes from the front of *bytes. After any result but DEFRAME_MORE and DEFRAME_MESSAGE the stream is unusable. */
enum deframe deframer_feed(struct deframer *d, struct str *bytes, struct message **ret_message);

/* True when a message has been received in part. */
static inline bool deframer_is_inside(const struct deframer *d)
{
    return d->n_prefix > 0;
}

/* The prefix of an outgoing message. */
void message_prefix(size_t length, unsigned char prefix[MESSAGE_PREFIX]);
