/* Splits the stream of a watch into lines of JSON, each an event. No I/O, so that it can be fuzzed. */
#pragma once

#include "base/json.h"

enum { KUBE_FRAME_MAX = 8 << 20 }; /* bytes of one event */

struct kube_frames {
    struct buf in;  /* received bytes; those before `from` were consumed */
    size_t from;    /* where the first unread line begins */
    size_t scanned; /* no newline before this offset */
};

/* `room`: how many bytes may arrive at once, beside the event that is being read. */
void kube_frames_init(struct kube_frames *f, size_t room);
void kube_frames_free(struct kube_frames *f);
/* Drops all received bytes. */
void kube_frames_clear(struct kube_frames *f);
/* The buffer to append received bytes to. Drops the lines that were read, so views of them become invalid. */
struct buf *kube_frames_room(struct kube_frames *f);

enum kube_frame { KUBE_FRAME_NONE, KUBE_FRAME_LINE, KUBE_FRAME_TOO_LONG };
/* The next complete line, without its newline; empty lines are skipped. */
enum kube_frame kube_frames_next(struct kube_frames *f, struct str *ret);
/* What follows the last complete line. */
struct str kube_frames_rest(const struct kube_frames *f);

enum kube_event_kind {
    KUBE_EVENT_BAD, /* not an event */
    KUBE_EVENT_ADDED,
    KUBE_EVENT_MODIFIED,
    KUBE_EVENT_DELETED,
    KUBE_EVENT_BOOKMARK, /* no changes up to this version */
    KUBE_EVENT_ERROR,    /* the object is a Status */
};

struct kube_event {
    enum kube_event_kind kind;
    const struct json *object; /* without managedFields */
    struct str version;        /* of the object; empty only for an ERROR */
};
/* Parses one line. */
struct kube_event kube_event_read(struct arena *a, struct str line);
