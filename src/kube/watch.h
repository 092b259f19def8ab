/*
 * A watch: what changes on the server from a version on, one change at a time, none left out and none twice. Connections that
 * break, end, are refused for a while or are not authorized any more are made again from where we are; bookmarks keep that place
 * fresh.
 *
 * Nothing here waits: `wake` is called on the loop's thread when it is worth looking again, and `*ret_due` says when it is
 * without that. So one thread can wait for several watches. A watch that is read slowly costs at most KUBE_WATCH_ROOM bytes
 * beside the event that is being read: beyond that it is disconnected, and taken up again when what has come was read
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
    int64_t max_pause_ns; /* between two tries; 0: the usual */
    struct str version;   /* of a list or an object; neither empty nor "0", which are not a place among changes */
    void (*wake)(void *ctx);
    void *ctx;
};
/* Copies what it needs. Belongs to one thread at a time. */
struct kube_watch *kube_watch_open(struct kube *k, const struct kube_watch_options *options);
/* `wake` is not called any more when this has returned. Not from the loop's thread; NULL is accepted. */
void kube_watch_close(struct kube_watch *w);

enum kube_watch_state {
    KUBE_WATCH_EVENT,   /* ADDED, MODIFIED or DELETED */
    KUBE_WATCH_NOTHING, /* now */
    KUBE_WATCH_EXPIRED, /* the server does not know that version any more: list, then watch from there. It stays so */
    KUBE_WATCH_FAILED,  /* the server refuses it: a right or the kind is missing. It is tried again later */
};
/* `ret` is in `a`. `*ret_due` (monotonic ns, NO_DEADLINE: never) with KUBE_WATCH_NOTHING only. A diagnostic with the last two. */
enum kube_watch_state kube_watch_poll(struct kube_watch *w, struct arena *a, struct diags *diags, struct kube_event *ret,
                                      int64_t *ret_due);
/* Where it is: the version of the last event or bookmark. */
struct str kube_watch_version(const struct kube_watch *w);
