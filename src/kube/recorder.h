/*
 * Events, for people: what `kubectl describe` shows of an object. One for each object, type, reason and message; the same again
 * is counted, also by another process, because the event's name is made of them. Events are of the core group, whose RBAC rules
 * everybody has.
 *
 * An object about which much is said says it less: after KUBE_RECORDER_BURST events one every KUBE_RECORDER_EACH_S seconds is
 * sent, as client-go does it, and the others are dropped (errors with a number in them that never repeats would fill the server).
 */
#pragma once

#include "kube/client.h"

enum {
    KUBE_RECORDER_MAX_MESSAGE = 1024, /* bytes, as Kubernetes has it; what is longer is cut */
    KUBE_RECORDER_REMEMBERS = 4096,   /* events whose count is known without asking; objects about which something was said */
    KUBE_RECORDER_BURST = 25,
    KUBE_RECORDER_EACH_S = 300,
};

struct kube_happening {
    struct str api_version, kind, namespace, name, uid; /* of the object that it is about */
    struct str type, reason, message;                   /* type: "Normal" or "Warning" */
    /* Of those that are read. */
    int64_t count, first_ns, last_ns; /* wall */
};

struct kube_recorder;
/* `component`: who says it. */
struct kube_recorder *kube_recorder_new(struct kube *k, const char *component);
void kube_recorder_free(struct kube_recorder *r); /* NULL is accepted */

/* From any thread. KUBE_OK also when it was dropped. */
enum kube_result kube_record(struct kube_recorder *r, const struct kube_happening *what, struct diags *diags);

struct kube_happenings {
    struct kube_happening *v; /* the latest last */
    size_t n, cap;
};
/* Those of the object with this uid; empty: all. */
enum kube_result kube_happenings(struct kube *k, struct arena *a, struct str uid, struct diags *diags,
                                 struct kube_happenings *ret);
