/*
 * A watch: every change on the server after a given version, one at a time, none missing and none twice. When a connection breaks
 * or ends, is refused for a while or loses its authorization, the watch reconnects where it was; bookmarks keep that version
 * recent.
 *
 * No function here blocks: `wake` is called on the loop's thread when it is worth polling again, and `*ret_due` says when to poll
 * even without that. So one thread can wait for several watches. A slow reader costs at most KUBE_WATCH_ROOM bytes beside the
 * event that is being read: beyond that the connection is closed, and opened again when the received events were read
 * (http/stream.h has why).
 */
#pragma once

#include "kube/frames.h"
#include "kube/list.h"

enum { KUBE_WATCH_ROOM = 4 << 20 };

struct kube_watch;

struct kube_watch_options {
    const struct kube_place *at; /* without a name */
    struct kube_selection which;
    int64_t max_pause_ns; /* between two attempts; 0: the default */
    struct str version;   /* of a list or an object; not empty and not "0", which a watch cannot start from */
    void (*wake)(void *ctx);
    void *ctx;
};
/* Copies the options. A watch belongs to one thread at a time. */
struct kube_watch *kube_watch_open(struct kube *k, const struct kube_watch_options *options);
/* After this returns, `wake` is not called any more. Do not call this on the loop's thread; accepts NULL. */
void kube_watch_close(struct kube_watch *w);

enum kube_watch_state {
    KUBE_WATCH_EVENT,   /* ADDED, MODIFIED or DELETED */
    KUBE_WATCH_NOTHING, /* nothing to read now */
    KUBE_WATCH_EXPIRED, /* the version is too old: list, then open a watch from there. Further polls return the same */
    KUBE_WATCH_FAILED,  /* the server refuses: a right or the kind is missing. The watch retries later */
};
/*
 * `ret` is in `a`. `*ret_due` (monotonic ns, NO_DEADLINE: never) is set only for KUBE_WATCH_NOTHING. The last two states come
 * with a diagnostic.
 */
enum kube_watch_state kube_watch_poll(struct kube_watch *w, struct arena *a, struct diags *diags, struct kube_event *ret,
                                      int64_t *ret_due);
/* The version of the last event or bookmark. */
struct str kube_watch_version(const struct kube_watch *w);
