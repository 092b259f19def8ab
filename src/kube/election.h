/*
 * One of several processes leads: by a Lease (coordination.k8s.io/v1), with the fields and rules of client-go, so that it can
 * take turns with programs in Go. A Lease counts as expired when it has not changed for its duration by our own clock; clocks of
 * others are never compared with ours.
 *
 * A thread of its own (`election`) renews it. Who leads asks kube_election_leads() before it acts: it is false as soon as the
 * Lease could not be renewed in time, a while before others may take it, and stays so: who wants to lead again begins anew.
 */
#pragma once

#include "kube/client.h"

struct kube_election;

struct kube_election_options {
    struct kube *client;
    struct str namespace, name; /* of the Lease */
    struct str identity;        /* of this process; unique */
    /* 0: those of client-go: 15 s, 10 s, 2 s. */
    int64_t duration_ns, renew_ns, retry_ns;
};

/* Copies what it needs, and begins. */
struct kube_election *kube_election_start(const struct kube_election_options *options);
/* Gives the Lease back if we have it, so that another can lead at once. NULL is accepted. */
void kube_election_stop(struct kube_election *e);
bool kube_election_leads(struct kube_election *e);
/* Waits until we lead; false: the deadline has passed. */
bool kube_election_wait(struct kube_election *e, int64_t deadline);

/* The rule, for tests: what to do about the Lease as it is now. */
struct kube_lease {
    struct str holder, version;
    int64_t duration_ns, transitions;
    struct str acquired; /* when, as text */
};
enum kube_lease_step { KUBE_LEASE_TAKE, KUBE_LEASE_RENEW, KUBE_LEASE_WAIT };
/* `seen`: when it was first seen as it is (monotonic). */
enum kube_lease_step kube_lease_step(const struct kube_lease *lease, struct str identity, int64_t seen, int64_t now);
/* Reads a Lease; false: it is not one. */
bool kube_lease_read(const struct json *object, struct kube_lease *ret);
