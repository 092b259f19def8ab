/*
 * Events, as `kubectl describe` shows them for an object. There is one Event for each object, type, reason and message;
 * repetitions increase its count, even across processes, because its name is derived from these. Events are of the core group,
 * which everybody's RBAC rules cover.
 *
 * Events of one object are rate-limited as in client-go: after KUBE_RECORDER_BURST events, one is sent every KUBE_RECORDER_EACH_S
 * seconds and the others are dropped. Otherwise errors that contain a changing number, and so never repeat, would fill the
 * server.
 */
#pragma once

#include "kube/client.h"

enum {
    KUBE_RECORDER_MAX_MESSAGE = 1024, /* bytes, as in Kubernetes; longer messages are cut */
    KUBE_RECORDER_REMEMBERS = 4096,   /* events whose count is cached; objects whose rate is tracked */
    KUBE_RECORDER_BURST = 25,
    KUBE_RECORDER_EACH_S = 300,
};

struct kube_happening {
    struct str api_version, kind, namespace, name, uid; /* of the object that the event is about */
    struct str type, reason, message;                   /* type: "Normal" or "Warning" */
    /* Set only when events are read. */
    int64_t count, first_ns, last_ns; /* wall */
};

struct kube_recorder;
/* `component`: the events' source. */
struct kube_recorder *kube_recorder_new(struct kube *k, const char *component);
void kube_recorder_free(struct kube_recorder *r); /* accepts NULL */

/* May be called from any thread. Returns KUBE_OK also when the event was dropped. */
enum kube_result kube_record(struct kube_recorder *r, const struct kube_happening *what, struct diags *diags);

struct kube_happenings {
    struct kube_happening *v; /* oldest first */
    size_t n, cap;
};
/* The events of the object with this uid; empty: all events. */
enum kube_result kube_happenings(struct kube *k, struct arena *a, struct str uid, struct diags *diags,
                                 struct kube_happenings *ret);
