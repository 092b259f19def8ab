/* What a watch sends, taken apart: lines of JSON, each an event. No I/O, so that it can be fuzzed. */
#pragma once

#include "base/json.h"

enum { KUBE_FRAME_MAX = 8 << 20 }; /* bytes of one event */

struct kube_frames {
    struct buf in;  /* bytes that came, from `from` on */
    size_t from;    /* where the first line that was not taken begins */
    size_t scanned; /* up to where there is no end of a line */
};

/* `room`: bytes that may come at once. */
void kube_frames_init(struct kube_frames *f, size_t room);
void kube_frames_free(struct kube_frames *f);
/* Forgets what has come. */
void kube_frames_clear(struct kube_frames *f);
/* Where bytes are appended; what was taken is dropped first, so views of lines are invalid from here on. */
struct buf *kube_frames_room(struct kube_frames *f);

enum kube_frame { KUBE_FRAME_NONE, KUBE_FRAME_LINE, KUBE_FRAME_TOO_LONG };
/* The next line that is complete, without its end; empty ones are passed over. */
enum kube_frame kube_frames_next(struct kube_frames *f, struct str *ret);
/* What came behind the last complete line. */
struct str kube_frames_rest(const struct kube_frames *f);

enum kube_event_kind {
    KUBE_EVENT_BAD, /* not an event */
    KUBE_EVENT_ADDED,
    KUBE_EVENT_MODIFIED,
    KUBE_EVENT_DELETED,
    KUBE_EVENT_BOOKMARK, /* nothing happened up to this version */
    KUBE_EVENT_ERROR,    /* the object is a Status */
};

struct kube_event {
    enum kube_event_kind kind;
    const struct json *object; /* without managedFields */
    struct str version;        /* of the object; never empty but for an ERROR */
};
/* The event of a line. */
struct kube_event kube_event_read(struct arena *a, struct str line);
