/*
 * Events, for people: what `kubectl describe` shows of an object. One for each object, type, reason and message; the same again
 * is counted, also by another process, because the event's name is made of them. Events are of the core group, whose RBAC rules
 * everybody has.
 */
#pragma once

#include "kube/client.h"

enum {
    KUBE_RECORDER_MAX_MESSAGE = 1024, /* bytes, as Kubernetes has it; what is longer is cut */
    KUBE_RECORDER_REMEMBERS = 4096,   /* events whose count is known without asking */
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

/* From any thread. */
enum kube_result kube_record(struct kube_recorder *r, const struct kube_happening *what, struct diags *diags);

struct kube_happenings {
    struct kube_happening *v; /* the latest last */
    size_t n, cap;
};
/* Those of the object with this uid; empty: all. */
enum kube_result kube_happenings(struct kube *k, struct arena *a, struct str uid, struct diags *diags,
                                 struct kube_happenings *ret);
